//! What a run of Wherefore has to say, and how it is shown.
//!
//! [`Report`] is the one model of an answer: text and numbers only, nothing to compute any more. [`json`] writes it for
//! programs and [`human`] for people. This crate opens no files; the renderer is handed the sources it may quote.

mod chain;
mod diagnosis;
mod fold;
mod headline;
mod human;
mod layout;
mod model;
mod quote;
mod relevant;
mod search;
mod speech;
pub mod words;

pub use diagnosis::reason;
pub use fold::{Folded, Folding, fold};
pub use human::{Style, human};
pub use model::{
    Answer, Diagnosed, Diagnosis, Explanation, Failure, FailureKind, Found, FoundBy, Input, Judged, Jump, Loc, Memory,
    MemoryError, Output, Passed, Patch, Ran, Reason, Relevance, Relevant, Replayed, Report, SCHEMA, Searched,
    Statement, Step, StepKind, Stops, Suspect, Test, Timing, Trace, Traces, Value, Verdict,
};

/// The report as one JSON object, indented, with a line end after it.
pub fn json(report: &Report) -> String {
    // The model has string keys and no floating-point numbers, so there is nothing that JSON cannot hold.
    let mut text = serde_json::to_string_pretty(report).expect("a report is representable in JSON");
    text.push('\n');
    text
}
