//! What is searched, and how far.

use crate::form::{Form, form_of};
use std::ffi::OsString;
use wherefore_budget::Budget;
use wherefore_case::{Expected, Input};
use wherefore_program::{CType, FunctionId, GlobalId, Program};

/// A program and its inputs.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// The program.
    pub program: &'a Program,
    /// The function a run starts in. Its parameters are inputs unless it is `main` or they are fixed: numbers, and
    /// pointers with what they point to ([`crate::pointed`]); others are null.
    pub entry: FunctionId,
    /// Inputs that have a value.
    pub fixed: Vec<Input>,
    /// Globals that are inputs: scalars and arrays of them ([`is_searched`]).
    pub globals: Vec<GlobalId>,
    /// Values of the first `__VERIFIER_nondet_*` calls; the others are inputs.
    pub nondet: Vec<u64>,
    /// Whether standard input is an input.
    pub stdin: bool,
    /// Arguments of the program. Those that are numbers, and read as such by `atoi` and its like, are inputs.
    pub arguments: Vec<OsString>,
    /// Anything else at the end of a run is a failure.
    pub expected: Expected,
}

/// Whether a global can be an input.
pub fn is_searched(program: &Program, id: GlobalId) -> bool {
    !scalars(program, id).is_empty()
}

/// Offsets and forms of the scalars a global consists of; none when it is of another type.
pub(crate) fn scalars(program: &Program, id: GlobalId) -> Vec<(u64, Form)> {
    let Some(ctype) = program.globals[id.index()].ctype else { return vec![] };
    if let Some(form) = form_of(program, ctype) {
        return vec![(0, form)];
    }
    let CType::Array { element, count: Some(count) } = program.types[ctype] else { return vec![] };
    match (form_of(program, element), program.types.size(element)) {
        (Some(form), Some(size)) => (0..count).map(|i| (i * size, form)).collect(),
        _ => vec![],
    }
}

/// How far to search. Nothing is limited by default.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Number of runs.
    pub runs: Option<usize>,
    /// What all work may use.
    pub budget: Budget,
    /// How many rounds of a loop, or nested calls of a function, another way may begin.
    pub unwind: Option<u32>,
    /// Number of failing inputs after which it is enough.
    pub failing: Option<usize>,
    /// The same of passing ones.
    pub passing: Option<usize>,
    /// How failures are found.
    pub by: By,
}

/// How failures are found.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum By {
    /// By going all paths, one after the other.
    #[default]
    Paths,
    /// By asking the formula of the program, with loops followed for a limited number of rounds.
    Formula,
    /// By paths, and by the formula where they are too many.
    Both,
}
