//! Sequences of error invariants.

use std::collections::{BTreeMap, BTreeSet};
use wherefore_formula::{TermId, Terms, VarId};
use wherefore_program::Origin;
use wherefore_trace::BranchId;

/// What holds at a position: a conjunction of formulas over the trace's variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Invariant {
    /// Formulas over the current variables.
    pub atoms: Vec<TermId>,
}

impl Invariant {
    /// The variables it speaks of.
    pub fn variables(&self, terms: &Terms) -> BTreeSet<VarId> {
        self.atoms.iter().flat_map(|a| terms.variables(*a)).collect()
    }
}

/// Why the invariant changes at a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// The step there matters.
    Step,
    /// What the step gives its variable is a fact of the run: where that came from is not told.
    Given,
    /// The condition of a branch is used as an assumption (trace formula only).
    Assume(BranchId),
    /// The branch leaves a variable alone that its other side may assign.
    Frame(Frame),
    /// The step there keeps the invariant, given signs that are added before it. Nothing for the reader.
    Keep,
    /// The condition of a branch is captured: formulas before, a truth value after. Nothing for the reader.
    Capture(BranchId),
}

/// A missing assignment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The variable left alone.
    pub variable: VarId,
    /// Further variables left alone by the same branch, when several are told as one.
    pub also: Vec<VarId>,
    /// The branches whose other sides may assign it, outermost first; the first is where the reader is sent.
    pub branches: Vec<BranchId>,
    /// Where the other side assigns it.
    pub elsewhere: Option<Origin>,
}

/// A change of the invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The step at which it changes.
    pub position: usize,
    /// Why.
    pub what: What,
    /// What holds after.
    pub after: Invariant,
}

/// An error invariant for every position: `initial` from the start, each change's `after` from there on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sequence {
    /// Before the first step.
    pub initial: Invariant,
    /// Changes by ascending position.
    pub changes: Vec<Change>,
    /// Conditions of branches that are part of the invariants as captured truth values: from the branch's `if` up to
    /// this position, the last that depends on it.
    pub captured: BTreeMap<BranchId, usize>,
    /// Those of them that are facts of the run: no invariant has to imply them.
    pub granted: BTreeSet<BranchId>,
}

impl Sequence {
    /// What holds before change number `index`.
    pub fn before(&self, index: usize) -> &Invariant {
        match index {
            0 => &self.initial,
            _ => &self.changes[index - 1].after,
        }
    }

    /// Whether the condition of a branch is part of the invariant before the step at a position (its `if` being passed).
    pub fn captures(&self, branch: BranchId, position: usize) -> bool {
        self.captured.get(&branch).is_some_and(|last| position <= *last)
    }

    /// What holds before the step at a position.
    pub fn at(&self, position: usize) -> &Invariant {
        self.before(self.changes.partition_point(|c| c.position < position))
    }

    /// What holds at the end.
    pub fn last(&self) -> &Invariant {
        self.before(self.changes.len())
    }
}
