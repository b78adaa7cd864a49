//! Where the walk looks at the recorded state: the segments of Concolic Fault Abstraction (seed 002, Algorithm 1).
//!
//! The paper splits a trace at breakpoints. From the last segment to the first it asks for error invariants of the segment
//! alone, which begins in the recorded state and is to end in the first invariant of the segment behind it. We have no
//! interpolating solver and need none: within a segment the invariant is the weakest precondition, and where the segment
//! begins it is replaced by something simple between that and the recorded state. One statement per segment is the limit.

use super::Walk;
use crate::invariant::What;
use crate::reason::hardness;
use wherefore_formula::TermId;

/// What a segment is.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub enum Split {
    /// Each statement: what must hold is made simple before it is handed on.
    #[default]
    Statements,
    /// From a call or a return to the next one.
    Calls,
}

/// A weakest precondition of more parts than this is too large to go on with: another segment begins here.
const LARGE: usize = 300;

impl Walk<'_> {
    /// Formulas that are to hold before a step and imply a goal with what is given: at once simple, or as the segment has
    /// them.
    pub(super) fn wanted(&mut self, goal: TermId, given: &[TermId]) -> Vec<TermId> {
        if self.mode.split == Split::Statements {
            return self.situation().generalise(goal, given);
        }
        if self.reasoner.implies_near(&mut self.trace.terms, given, goal, &self.values) {
            return vec![];
        }
        self.trace.terms.conjuncts(goal)
    }

    /// Where a segment begins, what must hold there becomes something simple that the recorded state implies.
    pub(super) fn settle(&mut self, position: usize) {
        if self.mode.split == Split::Statements || !(self.begins_segment(position) || self.is_large()) {
            return;
        }
        let after = self.now.clone();
        self.simplify(after.atoms.clone(), vec![]);
        if self.now != after {
            self.changed(position, What::Keep, after);
        }
    }

    /// The invariant is what is known from here on (backwards), and something simple for each formula that is exact.
    pub(super) fn simplify(&mut self, exact: Vec<TermId>, known: Vec<TermId>) {
        let mut atoms = known;
        for atom in exact {
            let levels = self.trace.terms.variables(atom).into_iter().map(|v| self.level_of(v));
            let level = levels.min().unwrap_or(0);
            let more = self.situation().generalise(atom, &atoms);
            self.level(&more, level);
            atoms.extend(more);
        }
        self.set(atoms);
    }

    /// Whether control comes from another call, or the trace begins.
    fn begins_segment(&self, position: usize) -> bool {
        let activation = |at: usize| self.trace.steps[at].activation;
        position == self.start || activation(position - 1) != activation(position)
    }

    /// Whether the segment has become more than a solver can be asked about.
    fn is_large(&self) -> bool {
        let terms = &self.trace.terms;
        terms.reachable(&self.now.atoms).len() > LARGE || hardness(terms, &self.now.atoms) > 0
    }
}
