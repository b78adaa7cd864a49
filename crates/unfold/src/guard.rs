//! Conditions under which a block is executed.
//!
//! A guard is a conjunction of branch conditions. Where ways meet again the guard shrinks back to what it was before
//! they parted, which keeps formulas of long programs small. A guard that has grown long (in the rounds of a loop) gets
//! a name, a variable defined by a hard equality.

use rustc_hash::{FxHashMap, FxHashSet};
use wherefore_formula::{Evaluation, Node, Sort, TermId, Terms, VarId};

/// From this length on a guard gets a name.
const LONG: usize = 8;

/// The names of long guards.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guards {
    /// What each name stands for.
    definitions: FxHashMap<TermId, TermId>,
    /// The name of each condition that has one.
    names: FxHashMap<TermId, TermId>,
}

impl Guards {
    /// Whether a guard should get a name.
    pub fn is_long(terms: &Terms, guard: TermId) -> bool {
        matches!(terms.node(guard), Node::And(items) | Node::Or(items) if items.len() > LONG)
    }

    /// The name of a condition, if it has one.
    pub fn named(&self, guard: TermId) -> Option<TermId> {
        self.names.get(&guard).copied()
    }

    /// Names a guard; the equality must be hard.
    pub fn name(&mut self, terms: &mut Terms, var: VarId, guard: TermId) -> (TermId, TermId) {
        let name = terms.var(var, Sort::Bool);
        self.definitions.insert(name, guard);
        self.names.insert(guard, name);
        (name, terms.eq(name, guard))
    }

    /// Lets an evaluation know all names.
    pub fn name_in(&self, terms: &Terms, evaluation: &mut Evaluation) {
        for (name, guard) in &self.definitions {
            if let Node::Var(var, _) = terms.node(*name) {
                evaluation.name(*var, *guard);
            }
        }
    }

    /// The disjunction of two guards, with what they share factored out.
    pub fn join(&self, terms: &mut Terms, a: TermId, b: TermId) -> TermId {
        let (common, a, b) = split(terms, a, b);
        let either = terms.or2(a, b);
        terms.and(common.into_iter().chain([either]))
    }

    /// A condition that tells `a` from `b`, where one of them holds.
    pub fn distinguish(&self, terms: &mut Terms, a: TermId, b: TermId) -> TermId {
        split(terms, a, b).1
    }

    /// Whether `guard` implies `weaker`, as far as their shapes show.
    pub fn implies(&self, terms: &Terms, guard: TermId, weaker: TermId) -> bool {
        let mut have = vec![];
        let mut work = terms.conjuncts(guard);
        while let Some(item) = work.pop() {
            have.push(item);
            if let Some(definition) = self.definitions.get(&item) {
                work.extend(terms.conjuncts(*definition));
            }
        }
        have.contains(&weaker) || terms.conjuncts(weaker).iter().all(|item| have.contains(item))
    }
}

/// What two conjunctions share, and what is left of each.
fn split(terms: &mut Terms, a: TermId, b: TermId) -> (Vec<TermId>, TermId, TermId) {
    let (a, b) = (terms.conjuncts(a), terms.conjuncts(b));
    // Guards of long texts have thousands of parts.
    let of_b: FxHashSet<TermId> = b.iter().copied().collect();
    let (common, a): (Vec<TermId>, Vec<TermId>) = a.into_iter().partition(|item| of_b.contains(item));
    let shared: FxHashSet<TermId> = common.iter().copied().collect();
    let b: Vec<TermId> = b.into_iter().filter(|item| !shared.contains(item)).collect();
    (common, terms.and(a), terms.and(b))
}

#[cfg(test)]
mod tests;
