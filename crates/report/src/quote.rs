//! Looking things up in the sources for showing them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use unicode_width::UnicodeWidthStr;

use crate::layout::clean;
use crate::model::Loc;

/// The sources, each asked for once.
pub(crate) struct Sources<'a> {
    read: &'a dyn Fn(&str) -> Option<String>,
    texts: RefCell<HashMap<String, Option<Rc<str>>>>,
}

/// A source line and the columns of it, in characters shown, that a place covers.
pub(crate) struct Excerpt {
    pub(crate) line: String,
    pub(crate) from: usize,
    pub(crate) len: usize,
    /// What lies in those columns.
    pub(crate) covered: String,
}

impl<'a> Sources<'a> {
    pub(crate) fn new(read: &'a dyn Fn(&str) -> Option<String>) -> Sources<'a> {
        Sources { read, texts: RefCell::default() }
    }

    /// Whether the place is all of a statement up to its `;`; `None` when the source is not at hand.
    pub(crate) fn is_whole_statement(&self, at: &Loc) -> Option<bool> {
        Some(self.starts_statement(at)? && self.semicolon_follows(at)?)
    }

    /// Whether the place comes first in its line or after the end of something else.
    fn starts_statement(&self, at: &Loc) -> Option<bool> {
        let text = self.text(&at.file)?;
        let line = text.lines().nth((at.line as usize).checked_sub(1)?)?;
        let before = line.get(..(at.column as usize).checked_sub(1)?)?.trim_end();
        let ends = before.ends_with([';', '{', '}', ')', ':']) || before.ends_with("*/");
        let word = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        Some(before.is_empty() || ends || matches!(word, "else" | "do"))
    }

    fn semicolon_follows(&self, at: &Loc) -> Option<bool> {
        let text = self.text(&at.file)?;
        let mut lines = text.lines().skip((at.end_line as usize).checked_sub(1)?);
        let rest = lines.next()?.get((at.end_column as usize).checked_sub(1)?..)?;
        let next = std::iter::once(rest).chain(lines).flat_map(str::chars).find(|c| !c.is_whitespace());
        Some(next == Some(';'))
    }

    /// The first line of a place.
    pub(crate) fn excerpt(&self, at: &Loc) -> Option<Excerpt> {
        let text = self.text(&at.file)?;
        let line = text.lines().nth((at.line as usize).checked_sub(1)?)?.trim_end();
        let start = (at.column as usize).checked_sub(1)?;
        let end = if at.end_line == at.line { (at.end_column as usize).saturating_sub(1) } else { line.len() };
        let before = shown(line.get(..start)?);
        let covered = line.get(start..end).map(shown).unwrap_or_default();
        Some(Excerpt { line: shown(line), from: before.width(), len: covered.width().max(1), covered })
    }

    /// Whole lines of a file, with their numbers.
    pub(crate) fn lines(&self, at: &Loc) -> Option<Vec<(u32, String)>> {
        let text = self.text(&at.file)?;
        let first = at.line.checked_sub(1)?;
        let count = (at.end_line.max(at.line) - first) as usize;
        let lines: Vec<_> = (at.line..).zip(text.lines().skip(first as usize).take(count)).collect();
        Some(lines.into_iter().map(|(number, line)| (number, shown(line.trim_end()))).collect())
    }

    fn text(&self, file: &str) -> Option<Rc<str>> {
        let mut texts = self.texts.borrow_mut();
        texts.entry(file.into()).or_insert_with(|| (self.read)(file).map(Rc::from)).clone()
    }
}

/// Source text as it is shown; a tab is four spaces wide.
fn shown(text: &str) -> String {
    clean(&text.replace('\t', "    "))
}
