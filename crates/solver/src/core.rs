//! Minimal unsatisfiable cores by deletion.

use std::collections::BTreeSet;

use wherefore_formula::{TermId, Terms};

use crate::answer::Answer;
use crate::traits::Cores;

/// Assumptions that cannot hold together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Core {
    /// The assumptions, in the order in which they were given.
    pub members: Vec<TermId>,
    /// Whether each member was shown to be needed. False if a check on the way gave up.
    pub is_minimal: bool,
}

/// Finds a core of which no member can be left out, by trying to leave out each in turn.
///
/// Starts from the core that the solver names, and tries earlier assumptions first: of the minimal cores within that
/// one, one with late members remains. Which core the solver names is its own choice.
///
/// # Errors
/// The answer of the first check with all assumptions, if it is not [`Answer::Unsat`].
pub fn minimal_core(solver: &mut dyn Cores, terms: &Terms, assumptions: &[TermId]) -> Result<Core, Answer> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<TermId> = assumptions.iter().copied().filter(|&assumption| seen.insert(assumption)).collect();
    match solver.check(terms, &open) {
        Answer::Unsat => keep_only(&mut open, &solver.core()),
        other => return Err(other),
    }
    let mut needed: Vec<TermId> = Vec::new();
    let mut is_minimal = true;
    while !open.is_empty() {
        let candidate = open.remove(0);
        let rest: Vec<TermId> = needed.iter().chain(&open).copied().collect();
        match solver.check(terms, &rest) {
            Answer::Unsat => {
                // What is needed stays in every core of a subset, so only open ones can drop out.
                keep_only(&mut open, &solver.core());
            }
            Answer::Sat => needed.push(candidate),
            Answer::Unknown(_) => {
                needed.push(candidate);
                is_minimal = false;
            }
        }
    }
    Ok(Core { members: needed, is_minimal })
}

fn keep_only(open: &mut Vec<TermId>, core: &[TermId]) {
    let core: BTreeSet<TermId> = core.iter().copied().collect();
    open.retain(|member| core.contains(member));
}
