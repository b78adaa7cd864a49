//! What a run of a program is given, and what is expected of it.
//!
//! Runs, searches, formulas and tests all speak of it, so it is plain data that knows none of them: no types of the
//! program, no files, no formulas.

use std::ffi::OsString;

/// One test.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// What the run is given.
    pub given: Given,
    /// What should happen.
    pub expected: Expected,
}

/// What one run is given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Given {
    /// Arguments of the program, from the first on.
    pub arguments: Vec<OsString>,
    /// Standard input; `None`: nothing, or what all runs have in common.
    pub stdin: Option<Vec<u8>>,
    /// Values of `__VERIFIER_nondet_*` calls in order, as bit patterns.
    pub nondet: Vec<u64>,
    /// Values of parameters and globals.
    pub inputs: Vec<Input>,
}

/// A value given to the program before its entry function runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// A parameter of the entry function.
    Argument {
        /// Its index.
        index: u32,
        /// Its value.
        value: InputValue,
    },
    /// A global variable. It must be writable: the program would crash while it is set otherwise.
    Global {
        /// Its index in the program's table of globals.
        id: u32,
        /// Its value. What is longer than the variable is cut, what it does not cover is left as it is.
        value: InputValue,
    },
}

/// The value of an [`Input`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputValue {
    /// These bytes, in the order of memory (the lowest first).
    Bits(Vec<u8>),
    /// A pointer to a copy of these bytes, with zeros behind.
    Object(Vec<u8>),
}

/// What is expected of a run that does not fail otherwise. Nothing is asked for where there is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Expected {
    /// Standard output.
    pub stdout: Option<Vec<u8>>,
    /// Exit status.
    pub status: Option<i32>,
}
