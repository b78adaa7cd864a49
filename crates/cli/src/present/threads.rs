//! How it is told that a value came from another thread.

use super::Presenter;
use wherefore_trace::{Action, Step};
use wherefore_wording::called;

impl Presenter<'_> {
    /// Who wrote a value: `another thread`, or by where it began, where there is only one such place.
    pub fn other_thread(&self) -> String {
        match self.trace.others.as_ref().map(|others| &others.begin[..]) {
            Some([one]) => {
                format!("a thread that began in {}", called(&self.program.functions[one.index()].name, ""))
            }
            _ => "another thread".into(),
        }
    }

    /// What another thread is to a value, as the end of a sentence about it.
    pub fn from_thread(&self, step: &Step, place: &str) -> String {
        match found(step) {
            true => format!("as this thread finds it at {place}"),
            false => format!("written by {} and seen at {place}", self.other_thread()),
        }
    }
}

/// Whether nothing is known of a place before a step: this thread has not written there, so that it may be anybody's.
pub fn found(step: &Step) -> bool {
    matches!(step.action, Action::Assign { before: None, .. })
}
