//! A test: what a run is given, and what is expected of it.

use std::ffi::OsString;
use wherefore_record::Input;
use wherefore_unfold::Expected;

/// One test.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// Arguments of the program.
    pub arguments: Vec<OsString>,
    /// Standard input.
    pub stdin: Vec<u8>,
    /// Values of nondeterministic calls.
    pub nondet: Vec<u64>,
    /// Parameters and globals.
    pub inputs: Vec<Input>,
    /// What should happen.
    pub expected: Expected,
}
