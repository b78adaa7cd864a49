//! Places in a text, and what is wrong there.

use std::fmt;
use std::ops::Range;

/// Bytes of the text.
pub type Span = Range<usize>;

/// Something that is wrong or not supported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    pub span: Span,
    pub message: String,
}

impl Found {
    pub fn new(span: &Span, message: impl Into<String>) -> Found {
        Found { span: span.clone(), message: message.into() }
    }
}

/// The line and column of a byte; both count from 1, columns in bytes.
pub fn place(text: &str, byte: usize) -> (u32, u32) {
    let before = &text.as_bytes()[..byte.min(text.len())];
    let line = before.iter().filter(|b| **b == b'\n').count();
    let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    (line as u32 + 1, (before.len() - start) as u32 + 1)
}

/// What is wrong with a text, or not supported, at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
    /// What it is.
    pub message: String,
}

/// All that is wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problems {
    /// The file.
    pub path: String,
    /// At least one, in the order of the text.
    pub all: Vec<Problem>,
}

impl Problems {
    pub(crate) fn new(path: &str, text: &str, found: Vec<Found>) -> Problems {
        let problem = |found: Found| {
            let (line, column) = place(text, found.span.start);
            Problem { line, column, message: found.message }
        };
        Problems { path: path.into(), all: found.into_iter().map(problem).collect() }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, problem) in self.all.iter().enumerate() {
            let end = if number == 0 { "" } else { "\n" };
            write!(f, "{end}{}:{}:{}: {}", self.path, problem.line, problem.column, problem.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}
