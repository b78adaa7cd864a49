//! Standard output held against what was expected: where they part, and what to call it.

pub mod item;
pub mod layout;
pub mod rounding;
pub mod text;
pub mod unseen;

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

    /// Whether the rest of the line that begins at a position was expected with something before it.
    pub fn lacks(&self, start: usize) -> bool {
        let (own, expected) = (line(&self.actual, start), line(&self.expected, start));
        expected.len() > own.len() && expected.ends_with(own) && is_apart(expected, own)
    }

    /// Whether what stands between two positions is too much in its line: the rest would have been right.
    pub fn is_extra(&self, start: usize, end: usize) -> bool {
        let (own, expected) = (line(&self.actual, start), line(&self.expected, start));
        own.len() >= expected.len() + (end - start) && own.ends_with(expected) && is_apart(own, expected)
    }

    /// Whether a word goes on in what was expected where it ends in what was written: `1` instead of `12`.
    pub fn word_ends_early(&self) -> bool {
        let is_word = |text: &[u8]| text.get(self.differs).is_some_and(|b| b.is_ascii_alphanumeric());
        is_word(&self.expected) && !is_word(&self.actual)
    }
}

/// The rest of the line at a position, with its end.
fn line(text: &[u8], start: usize) -> &[u8] {
    let rest = text.get(start..).unwrap_or_default();
    let end = rest.iter().position(|b| *b == b'\n').map_or(rest.len(), |end| end + 1);
    &rest[..end]
}

/// Whether the end of a text is not a part of a word that begins before it.
fn is_apart(text: &[u8], end: &[u8]) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    !(is_word(text[..text.len() - end.len()].last()) && is_word(end.first()))
}

#[cfg(test)]
mod tests;
