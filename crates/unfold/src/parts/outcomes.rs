//! How runs end, and what holds in all of them.

use crate::{Failure, Unfolding};
use wherefore_formula::TermId;
use wherefore_program::{Note, Origin};

/// What is found on the way.
#[derive(Default)]
pub(crate) struct Outcomes {
    hard: Vec<TermId>,
    failures: Vec<Failure>,
    exits: Vec<(TermId, TermId)>,
    cut: Vec<TermId>,
    bounded: Vec<(Option<Origin>, u32)>,
    notes: Vec<Note>,
}

impl Outcomes {
    /// A condition holds in every run.
    pub fn demand(&mut self, condition: TermId) {
        self.hard.push(condition);
    }

    /// A run fails.
    pub fn fail(&mut self, failure: Failure) {
        self.failures.push(failure);
    }

    /// A run ends with a status.
    pub fn exit(&mut self, guard: TermId, status: TermId) {
        self.exits.push((guard, status));
    }

    /// A run is not followed any further.
    pub fn cut(&mut self, guard: TermId) {
        self.cut.push(guard);
    }

    /// So is one that goes on in a loop, or calls itself, more than so many times.
    pub fn cut_at(&mut self, guard: TermId, at: Option<Origin>, times: u32) {
        self.cut.push(guard);
        self.bounded.push((at, times));
    }

    /// Something is not modelled exactly.
    pub fn note(&mut self, at: Option<Origin>, message: String) {
        let note = Note { at, message };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    pub fn finish(self, unfolding: &mut Unfolding) {
        unfolding.hard = self.hard;
        unfolding.failures = self.failures;
        unfolding.exits = self.exits;
        unfolding.cut = self.cut;
        unfolding.bounded = self.bounded;
        unfolding.notes = self.notes;
    }
}
