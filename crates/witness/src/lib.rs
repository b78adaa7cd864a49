//! Violation witnesses of other verifiers: the counterexample that they found, as far as they tell it.
//!
//! [`read`] understands SV-COMP's YAML 2.0 and GraphML 1.0. What a witness says is a sequence of waypoints; [`monitor`] puts
//! it into the text of the program, so that a run fails only if it goes by them in their order.
//!
//! **Knows** the formats and the syntax of C. **Must not know** how programs are run or searched; it does no input or output.

mod graphml;
mod monitor;
mod yaml;

pub use monitor::{Unplaced, monitor};

/// What a witness says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Witness {
    /// In their order; the last one ends in the violation.
    pub segments: Vec<Segment>,
}

/// A part of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// What is not passed in it.
    pub avoid: Vec<Waypoint>,
    /// What it ends with.
    pub follow: Waypoint,
}

/// Something that an execution passes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waypoint {
    /// What.
    pub kind: Kind,
    /// Where in the program.
    pub at: Place,
    /// The line of the witness that says so.
    pub line: usize,
}

/// A place in a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The file, as the witness names it; empty where it does not.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: Option<u32>,
}

/// Kinds of waypoints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A condition in C holds before the statement there.
    Before(String),
    /// A condition in C holds after the statement there.
    After(String),
    /// The condition there is true or false.
    Branch(bool),
    /// The value there is this constant; nothing is the default of a `switch`.
    Case(Option<String>),
    /// A function is called there.
    Enter,
    /// A function called there returns; a condition about `\result` may hold.
    Return(Option<String>),
    /// The violation.
    Target,
}

/// What is wrong with a witness, and in which line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Error {
    /// From 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

impl Error {
    fn new(line: usize, what: impl Into<String>) -> Error {
        Error { line, what: what.into() }
    }
}

/// Reads a violation witness.
///
/// # Errors
/// When it is none, with the line that says so.
pub fn read(text: &str) -> Result<Witness, Error> {
    match text.trim_start().starts_with('<') {
        true => graphml::read(text),
        false => yaml::read(text),
    }
}
