//! Lines of coloured text that are broken to a width.

use anstyle::{AnsiColor, Effects};
use unicode_width::UnicodeWidthStr;

/// What a piece of text is, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    Plain,
    Headline,
    Bad,
    Gutter,
    Invariant,
    Reason,
    Value,
    Label,
    Warning,
}

impl Paint {
    fn style(self) -> anstyle::Style {
        let plain = anstyle::Style::new();
        match self {
            Paint::Plain => plain,
            Paint::Headline | Paint::Label => plain.effects(Effects::BOLD),
            Paint::Bad => AnsiColor::Red.on_default().effects(Effects::BOLD),
            Paint::Gutter => plain.effects(Effects::DIMMED),
            Paint::Invariant => AnsiColor::Cyan.on_default(),
            Paint::Reason => AnsiColor::Yellow.on_default(),
            Paint::Value => AnsiColor::Green.on_default(),
            Paint::Warning => AnsiColor::Yellow.on_default().effects(Effects::BOLD),
        }
    }
}

/// One line, or text that is still to be broken into lines, in pieces of one colour each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    spans: Vec<(Paint, String)>,
}

impl Line {
    pub(crate) fn new(paint: Paint, text: impl Into<String>) -> Line {
        Line::default().with(paint, text)
    }

    pub(crate) fn with(mut self, paint: Paint, text: impl Into<String>) -> Line {
        self.push(paint, &text.into());
        self
    }

    pub(crate) fn push(&mut self, paint: Paint, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.spans.last_mut() {
            Some((last, before)) if *last == paint => before.push_str(text),
            _ => self.spans.push((paint, text.into())),
        }
    }

    pub(crate) fn append(&mut self, other: &Line) {
        for (paint, text) in &other.spans {
            self.push(*paint, text);
        }
    }

    pub(crate) fn width(&self) -> usize {
        self.spans.iter().map(|(_, text)| text.width()).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Spaces up to a column counted from 0.
    pub(crate) fn pad_to(&mut self, column: usize) {
        self.push(Paint::Plain, &" ".repeat(column.saturating_sub(self.width())));
    }

    /// Breaks at spaces so that each line fits the width, where words allow; lines after the first one get an indent.
    pub(crate) fn wrap(&self, width: usize, indent: usize) -> Vec<Line> {
        if self.width() <= width {
            return vec![self.clone()];
        }
        let mut lines = Vec::new();
        let mut line = Line::default();
        let mut used = false;
        for word in self.words() {
            if used && line.width() + word.width_without_space() > width {
                lines.push(line.trimmed());
                line = Line::new(Paint::Plain, " ".repeat(indent));
            }
            line.append(&word);
            used = true;
        }
        lines.push(line.trimmed());
        lines
    }

    /// The text cut after each run of spaces.
    fn words(&self) -> Vec<Line> {
        let mut words = vec![Line::default()];
        let mut after_space = false;
        for (paint, text) in &self.spans {
            for c in text.chars() {
                if after_space && c != ' ' {
                    words.push(Line::default());
                }
                after_space = c == ' ';
                if let Some(word) = words.last_mut() {
                    word.push(*paint, c.encode_utf8(&mut [0; 4]));
                }
            }
        }
        words
    }

    fn width_without_space(&self) -> usize {
        self.clone().trimmed().width()
    }

    fn trimmed(mut self) -> Line {
        while let Some((_, text)) = self.spans.last_mut() {
            text.truncate(text.trim_end_matches(' ').len());
            if !text.is_empty() {
                break;
            }
            self.spans.pop();
        }
        self
    }

    /// The line as text, with escape sequences when colour is asked for.
    pub(crate) fn render(&self, color: bool) -> String {
        let piece = |(paint, text): &(Paint, String)| {
            let style = paint.style();
            let coloured = color && style != anstyle::Style::new() && !text.trim().is_empty();
            let text = text.replace('\u{a0}', " ");
            if coloured { format!("{style}{text}{style:#}") } else { text }
        };
        self.clone().trimmed().spans.iter().map(piece).collect()
    }
}

/// The text without anything that could move the cursor or reorder what is shown: tabs and line ends become spaces,
/// other control characters and the bidirectional ones are written as escapes.
pub(crate) fn clean(text: &str) -> String {
    let harmful = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' | '\n' | '\r' => out.push(' '),
            _ if harmful(c) => out.extend(c.escape_default()),
            _ => out.push(c),
        }
    }
    out
}

/// The text with the number in `(line 6)` tied to its word, so that no line ends between them.
pub(crate) fn tied(text: &str) -> String {
    text.replace("line ", "line\u{a0}")
}

/// A conjunction on as few lines as fit the width, broken before `&&` outside of parentheses.
pub(crate) fn conjunction(text: &str, width: usize) -> Vec<String> {
    if text.width() <= width {
        return vec![text.into()];
    }
    let mut lines: Vec<String> = Vec::new();
    for part in conjuncts(text) {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + part.width() <= width => {
                line.push(' ');
                line.push_str(part);
            }
            Some(_) => lines.push(format!("  {part}")),
            None => lines.push(part.into()),
        }
    }
    lines
}

/// The conjuncts of a C expression, all but the first one with the `&&` before them.
pub(crate) fn conjuncts(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let (mut start, mut depth, mut quote, mut at) = (0, 0usize, None, 0);
    while at < bytes.len() {
        match (quote, bytes[at]) {
            (Some(_), b'\\') => at += 1,
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, byte @ (b'"' | b'\'')) => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            (None, b' ') if depth == 0 && text[at..].starts_with(" && ") => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            (None, _) => {}
        }
        at += 1;
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, width: usize) -> Vec<String> {
        Line::new(Paint::Plain, text).wrap(width, 2).iter().map(|line| line.render(false)).collect()
    }

    #[test]
    fn breaks_at_spaces() {
        assert_eq!(wrapped("one two three", 20), ["one two three"]);
        assert_eq!(wrapped("one two three", 8), ["one two", "  three"]);
        assert_eq!(wrapped("one  two  three", 9), ["one  two", "  three"]);
        assert_eq!(wrapped("incomprehensibilities too", 8), ["incomprehensibilities", "  too"]);
        assert_eq!(wrapped("", 8), [""]);
    }

    #[test]
    fn width_is_that_of_the_terminal() {
        assert_eq!(Line::new(Paint::Plain, "größe").width(), 5);
        assert_eq!(Line::new(Paint::Plain, "大小").width(), 4);
    }

    #[test]
    fn colour_spans_survive_breaking() {
        let line = Line::new(Paint::Headline, "it all ").with(Paint::Bad, "fails").with(Paint::Headline, " here");
        let lines = line.wrap(12, 2);
        assert_eq!(lines.iter().map(|line| line.render(false)).collect::<Vec<_>>(), ["it all fails", "  here"]);
        assert_eq!(lines[0].render(true), "\u{1b}[1mit all \u{1b}[0m\u{1b}[1m\u{1b}[31mfails\u{1b}[0m");
    }

    #[test]
    fn conjunctions_break_before_and() {
        assert_eq!(conjunction("a < 1 && b < 2", 20), ["a < 1 && b < 2"]);
        assert_eq!(conjunction("a < 1 && b < 2 && c < 3", 16), ["a < 1 && b < 2", "  && c < 3"]);
        assert_eq!(conjunction("(a && b || c) && d", 10), ["(a && b || c)", "  && d"]);
        assert_eq!(conjunction("s[0] == '\\'' && c == ' && '", 10), ["s[0] == '\\''", "  && c == ' && '"]);
        assert_eq!(conjunction("größe && x", 4), ["größe", "  && x"]);
    }

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(clean("a\tb\u{1b}[31m\u{7}\u{202e}ü"), "a b\\u{1b}[31m\\u{7}\\u{202e}ü");
    }
}
