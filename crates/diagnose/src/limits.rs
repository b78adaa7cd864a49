//! When to stop early, and what to say then.

use std::sync::Arc;
use wherefore_budget::{Budget, Stop};

/// What one question to a solver may cost. Only floats are limited: others are decided soon, or the budget is over.
pub(crate) const QUESTION: wherefore_solver::Limits = wherefore_solver::Limits::NONE.floats(1_000);

/// How much an enumeration may give and cost. Nothing is limited by default.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Larger sets are not looked for.
    pub max_size: Option<usize>,
    /// No more sets than this are given.
    pub max_sets: Option<usize>,
    /// What all work may use. Nothing is begun once it is over, and questions to a solver end then.
    pub budget: Budget,
}

impl Limits {
    /// Whether not all sets are asked for, but the smallest ones.
    pub(crate) fn asks_for_few(&self) -> bool {
        self.max_size.is_some() || self.max_sets.is_some()
    }

    /// Whether the budget is over.
    pub fn expired(&self) -> Option<Reason> {
        self.budget.stopped().map(Reason::Over)
    }

    /// For a solver: when to stop.
    pub(crate) fn stopper(&self) -> wherefore_solver::StopSource {
        let limits = self.clone();
        Arc::new(move || limits.expired().is_some())
    }
}

/// Why an enumeration may lack sets.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// Larger sets than [`Limits::max_size`] exist or could not be ruled out cheaply.
    #[error("sets of more than {0} statements were not looked for")]
    Size(usize),
    /// More sets than [`Limits::max_sets`] exist or could not be ruled out cheaply.
    #[error("no more than {0} sets were asked for")]
    Sets(usize),
    /// Of the failing tests only so many were looked at.
    #[error("only {0} of the failing tests were looked at")]
    Tests(usize),
    /// [`Limits::budget`] is over.
    #[error("{0}")]
    Over(Stop),
    /// The sets on the way to the next size are too many to hold.
    #[error("too many sets")]
    Memory,
    /// The oracle did not know about a set, in its own words.
    #[error("{0}")]
    Undecided(String),
}

/// Looks at the limits once in a while, since a look costs more than a step of the search.
pub(crate) struct Watch<'a> {
    limits: &'a Limits,
    steps: u64,
    next_look: u64,
    max_steps: u64,
}

impl<'a> Watch<'a> {
    const STEPS_BETWEEN_LOOKS: u64 = 1 << 10;

    pub fn new(limits: &'a Limits, max_steps: u64) -> Self {
        Watch { limits, steps: 0, next_look: Self::STEPS_BETWEEN_LOOKS, max_steps }
    }

    /// Counts steps and says whether these were too many.
    pub fn step(&mut self, steps: u64) -> bool {
        self.steps += steps;
        if self.steps < self.next_look {
            return self.steps > self.max_steps;
        }
        self.next_look = self.steps + Self::STEPS_BETWEEN_LOOKS;
        self.steps > self.max_steps || self.limits.expired().is_some()
    }
}
