//! Standard input and output: what is read and written, in order, and the streams they go by.

use crate::{Event, Unfolding};
use wherefore_formula::TermId;

/// Standard input and output.
pub(crate) struct Console {
    /// Values of the library's `stdin`, `stdout` and `stderr`.
    files: Vec<(TermId, &'static str)>,
    events: Vec<Event>,
    /// Whether statements set free may write any text.
    texts: TermId,
}

impl Console {
    pub fn new(texts: TermId) -> Console {
        Console { files: vec![], events: vec![], texts }
    }

    /// Whether statements set free may write any text.
    pub fn texts(&self) -> TermId {
        self.texts
    }

    /// A stream has a value.
    pub fn add_file(&mut self, file: TermId, name: &'static str) {
        self.files.push((file, name));
    }

    /// The stream that surely has a value.
    pub fn file(&self, value: TermId) -> Option<&'static str> {
        self.files.iter().find(|(file, _)| *file == value).map(|(_, name)| *name)
    }

    /// Something is read or written.
    pub fn add(&mut self, event: Event) {
        self.events.push(event);
    }

    pub fn finish(self, unfolding: &mut Unfolding) {
        unfolding.events = self.events;
    }
}
