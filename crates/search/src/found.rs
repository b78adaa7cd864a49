//! What a search found.

use crate::chosen::Chosen;
use wherefore_case::Given;
use wherefore_program::{FunctionId, Origin};
use wherefore_trace::FailureKind;

/// What a search found, in the order in which it was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// One for each path on which the program fails; each was seen failing.
    pub failing: Vec<Tried>,
    /// One for each path on which it does not.
    pub passing: Vec<Tried>,
    /// Whether no way is left that nobody went.
    pub exhausted: bool,
    /// Why there may be more.
    pub obstacles: Vec<Obstacle>,
    /// Whether no input makes the program fail anywhere else: the formula of the program shows it.
    pub proved: bool,
    /// The search in numbers.
    pub statistics: Statistics,
}

impl Found {
    /// Whether every path was visited: then there are no other failures, whatever the inputs searched.
    pub fn is_complete(&self) -> bool {
        self.exhausted && self.obstacles.is_empty()
    }
}

/// Inputs and how the run with them ended.
#[derive(Clone, Debug)]
pub struct Tried {
    /// What the run was given.
    pub given: Given,
    /// The inputs it used, standard input apart.
    pub chosen: Vec<Chosen>,
    /// How it failed.
    pub failure: Option<Failure>,
}

/// How a run failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The kind of failure; `None` when the recording does not tell.
    pub kind: Option<FailureKind>,
    /// Where.
    pub at: Option<Origin>,
    /// In which function.
    pub function: Option<FunctionId>,
    /// For a person: `division by zero`.
    pub message: String,
}

/// Why a search may not have found everything.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Obstacle {
    /// Where, when it belongs to a place.
    pub at: Option<Origin>,
    /// What, in words for a C programmer.
    pub what: String,
    /// Which limit it is, if it is one.
    pub limit: Option<Limit>,
}

/// The limits a search can reach.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Limit {
    /// [`crate::Limits::runs`].
    Runs,
    /// [`crate::Limits::budget`].
    Time,
    /// [`crate::Limits::unwind`].
    Unwind,
    /// [`crate::Limits::failing`].
    Failing,
    /// [`crate::Limits::passing`].
    Passing,
    /// What a single run may take, or what is recorded of one.
    Run,
}

/// A search in numbers.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Native runs.
    pub runs: usize,
    /// Different paths.
    pub paths: usize,
    /// Runs that ended because an assumption did not hold.
    pub refused: usize,
    /// Questions to the solver.
    pub questions: usize,
}

/// How far a search is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// What was done.
    pub statistics: Statistics,
    /// Failing inputs found.
    pub failing: usize,
    /// Ways known that nobody went yet; some of them cannot be gone.
    pub open: usize,
}

/// A search that cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The program could not be run.
    #[error(transparent)]
    Run(#[from] wherefore_record::Error),
    /// It runs, but nothing is recorded.
    #[error("the program did not start")]
    NotStarted,
}
