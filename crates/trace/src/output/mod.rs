//! Standard output held against what was expected: where they part, and what to call it.

pub mod item;
pub mod layout;
pub mod text;

use std::rc::Rc;

/// What a run wrote and what it should have written, up to where they part.
#[derive(Clone, Debug)]
pub struct Texts {
    /// What was written.
    pub actual: Rc<[u8]>,
    /// What was expected.
    pub expected: Rc<[u8]>,
    /// Number of bytes that are the same.
    pub differs: usize,
}

impl Texts {
    /// Two texts that are not the same.
    pub fn new(actual: &[u8], expected: &[u8]) -> Option<Texts> {
        let same = actual.iter().zip(expected).take_while(|(a, b)| a == b).count();
        let is_same = actual.len() == expected.len() && same == actual.len();
        (!is_same).then(|| Texts { actual: actual.into(), expected: expected.into(), differs: same })
    }

    /// Whether what was written is the beginning of what was expected.
    pub fn ends_early(&self) -> bool {
        self.differs == self.actual.len()
    }

    /// Whether nothing but white space at the ends of lines, or at the end, differs.
    pub fn only_space_differs(&self) -> bool {
        fn lines(text: &[u8]) -> Vec<&[u8]> {
            text.trim_ascii_end().split(|b| *b == b'\n').map(<[u8]>::trim_ascii_end).collect()
        }
        lines(&self.actual) == lines(&self.expected)
    }

    /// Line and column of a byte of the output, from 1.
    pub fn place(&self, position: usize) -> (usize, usize) {
        let before = &self.expected[..position.min(self.differs)];
        let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        (before.iter().filter(|b| **b == b'\n').count() + 1, before.len() - line_start + 1)
    }

    /// Whether a word goes on in what was expected where it ends in what was written: `1` instead of `12`.
    pub fn word_ends_early(&self) -> bool {
        let is_word = |text: &[u8]| text.get(self.differs).is_some_and(|b| b.is_ascii_alphanumeric());
        is_word(&self.expected) && !is_word(&self.actual)
    }
}

#[cfg(test)]
mod tests;
