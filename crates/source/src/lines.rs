//! Lines and columns to bytes and back.

use std::ops::Range;

use crate::Extent;

/// Where the lines of a text start. As for clang, a line ends with `\n`, `\r\n` or a lone `\r`.
pub(crate) struct Lines {
    starts: Vec<usize>,
    len: usize,
}

impl Lines {
    pub(crate) fn new(text: &str) -> Lines {
        let bytes = text.as_bytes();
        let ends_line = |&(at, byte): &(usize, &u8)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let after_ends = bytes.iter().enumerate().filter(ends_line).map(|(at, _)| at + 1);
        Lines { starts: std::iter::once(0).chain(after_ends).collect(), len: bytes.len() }
    }

    /// The number of lines; a line end at the end of the text starts no further one.
    pub(crate) fn count(&self) -> u32 {
        let open = self.starts.last().is_some_and(|&start| start < self.len);
        to_u32(self.starts.len() - usize::from(!open))
    }

    /// The bytes of a line with its end.
    pub(crate) fn range(&self, line: u32) -> Option<Range<usize>> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.starts.get(index)?;
        Some(start..self.starts.get(index + 1).copied().unwrap_or(self.len))
    }

    /// The byte at a line and column; `None` outside the text.
    pub(crate) fn byte(&self, line: u32, column: u32) -> Option<usize> {
        self.byte_or_end(line, column).filter(|&byte| byte < self.len)
    }

    /// As [`Lines::byte`], and also the position one past the end of a line.
    pub(crate) fn byte_or_end(&self, line: u32, column: u32) -> Option<usize> {
        let range = self.range(line)?;
        let byte = range.start.checked_add((column as usize).checked_sub(1)?)?;
        (byte <= range.end).then_some(byte)
    }

    /// The extent of a range of bytes.
    pub(crate) fn extent(&self, range: Range<usize>) -> Extent {
        let (line, column) = self.position(range.start);
        // The end is that of the last character, so that it never moves to the start of the next line.
        let (end_line, last_column) = self.position(range.end.saturating_sub(1).max(range.start));
        let empty = range.end <= range.start;
        Extent { line, column, end_line, end_column: if empty { last_column } else { last_column + 1 } }
    }

    fn position(&self, byte: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|&start| start <= byte).max(1);
        (to_u32(line), to_u32(byte - self.starts[line - 1] + 1))
    }
}

/// Sources beyond four thousand million lines are cut short rather than refused.
fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
