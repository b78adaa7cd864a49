//! The output departs from what was expected: the value that should have been another, or the call that should not have
//! been made.

use super::Walker;
use super::printing::{Last, not_known};
use crate::builder::{Facts, Range, Value};
use crate::failure::{self, Found};
use crate::misplaced::Misplaced;
use crate::model::{Departure, FailureKind};
use crate::output::item;
use crate::output::layout::{Arguments, Laid, Unknown, divide};
use crate::output::rounding::{Bound, bound};
use crate::output::text::{quoted, rest_of_line, word_start};
use std::ops::Range as Stretch;
use wherefore_clib::Length;
use wherefore_clib::print::{self, Amount, Conversion, Directive, Piece};
use wherefore_formula::{FloatOp, TermId, Terms};
use wherefore_program::Origin;

/// More of a format is not read.
const LONGEST_FORMAT: usize = 1 << 16;
/// So many bytes that are missing before a word are taken to make it stand in the wrong place.
const LEFT_OUT: usize = 8;

/// The arguments of a call as far as the trace knows them.
pub(super) struct Known<'a, 'p>(&'a Walker<'p>, &'a [Value]);

impl Arguments for Known<'_, '_> {
    fn bits(&self, argument: usize) -> Option<u128> {
        self.1.get(argument).map(|value| value.concrete)
    }

    fn string(&self, argument: usize, most: usize) -> Option<Vec<u8>> {
        self.0.build.known_string(self.1.get(argument)?.concrete as u64, most)
    }
}

impl<'p> Walker<'p> {
    /// The text of a format.
    pub(super) fn known_format(&self, format: &Value) -> Option<Vec<u8>> {
        self.build.known_string(format.concrete as u64, LONGEST_FORMAT)
    }

    /// What is known of the arguments of a format.
    pub(super) fn known_arguments<'a>(&'a self, arguments: &'a [Value]) -> Known<'a, 'p> {
        Known(self, arguments)
    }
}

impl Walker<'_> {
    /// The pieces of a format and what they wrote; a format that is not known is one piece.
    pub(super) fn pieces(
        &self,
        format: &Value,
        arguments: &[Value],
        written: Stretch<usize>,
    ) -> Result<Vec<Laid>, Unknown> {
        let text = self.known_format(format).ok_or(Unknown::Open)?;
        let pieces = print::parse(&text).map_err(|_| Unknown::Open)?;
        let actual = &self.printing.as_ref().ok_or(Unknown::Open)?.texts.actual;
        divide(pieces, &self.known_arguments(arguments), &actual[written])
    }

    /// The output departs in a formatted text, or where a word of it should have gone on.
    pub(super) fn departs_in(
        &mut self,
        laid: &[Laid],
        arguments: &[Value],
        start: usize,
        is_in: bool,
        at: Option<Origin>,
    ) -> Option<Found> {
        let texts = self.printing.as_ref()?.texts.clone();
        let offset = texts.differs - start;
        let inside = laid.iter().position(|l| l.range.contains(&offset));
        // What ends where the output departs may be too short.
        let before = laid.iter().rposition(|l| l.range.end == offset && !l.range.is_empty());
        if let Some(found) = before.and_then(|piece| self.wrong_precision(&laid[piece], arguments, start, at)) {
            return Some(found);
        }
        let before = before.filter(|_| texts.word_ends_early());
        // An empty text, where what follows it would have come later.
        let empty = inside.filter(|piece| laid[*piece].range.start == offset).and_then(|piece| {
            let before = laid[..piece].iter().rposition(|l| l.range.is_empty() && l.range.end == offset)?;
            let behind = &texts.actual[start + laid[piece].range.start..start + laid[piece].range.end];
            let line = texts.expected[texts.differs..].split_inclusive(|b| *b == b'\n').next()?;
            line.windows(behind.len()).any(|part| part == behind).then_some(before)
        });
        for index in before.into_iter().chain(empty).chain(inside) {
            if let Piece::Directive(directive) = &laid[index].piece
                && let Some(argument) = arguments.get(directive.argument).cloned()
            {
                if let Some(found) = self.wrong_precision(&laid[index], arguments, start, at) {
                    return Some(found);
                }
                if let Some(found) = self.wrong_item(directive, &laid[index], &argument, start, at) {
                    return Some(found);
                }
            }
        }
        let (piece, end) = (&laid.get(inside?)?.range, laid.last()?.range.end);
        is_in.then(|| self.wrong_text(start + piece.start, start + end, at))
    }

    /// As many characters of a text were written as an argument says, and it should have been another number.
    fn wrong_precision(&mut self, laid: &Laid, arguments: &[Value], start: usize, at: Option<Origin>) -> Option<Found> {
        let Piece::Directive(Directive { precision: Some(Amount::Argument(most)), conversion, argument, .. }) =
            laid.piece
        else {
            return None;
        };
        let (text, most) = (arguments.get(argument)?, arguments.get(most)?.clone());
        let own = start + laid.range.start..start + laid.range.end;
        let is_cut = conversion == Conversion::String && most.concrete == own.len() as u128;
        let length = self.right_length(text, &most, own.clone()).filter(|_| is_cut)?;
        Some(self.wrong_length(&most, length, own, at))
    }

    /// An argument is not what its text should have been; `None` where what was expected is no such text.
    fn wrong_item(
        &mut self,
        directive: &Directive,
        laid: &Laid,
        argument: &Value,
        start: usize,
        at: Option<Origin>,
    ) -> Option<Found> {
        let texts = self.printing.as_ref()?.texts.clone();
        let own = start + laid.range.start..start + laid.range.end;
        let wanted = texts.expected.get(own.start..)?;
        let (violated, length) = match directive.conversion {
            Conversion::Signed | Conversion::Unsigned { .. } => {
                let is_digit = |b: &&u8| char::from(**b).is_digit(laid.writing.base);
                let followed = texts.actual.get(own.end).filter(is_digit).map(|_| own.len());
                let (value, length) = item::integer(&laid.writing, wanted, followed)?;
                (self.differs(argument, laid.writing.bits, value)?, length)
            }
            Conversion::Char if laid.writing.width <= 1 => {
                (self.differs(argument, 8, u128::from(*wanted.first()?))?, 1)
            }
            Conversion::Real { .. } if directive.length != Length::LongDouble => {
                let (value, length) = item::real(&laid.writing, wanted)?;
                (self.rounds_otherwise(laid, argument, value)?, length)
            }
            Conversion::String => {
                let most = laid.writing.precision.unwrap_or(usize::MAX).min(own.len());
                let text = self.build.known_string(argument.concrete as u64, most);
                // What fills the field before the text is none of it: a longer text would stand there.
                let (padding, _) = laid.writing.margins(text.map_or(0, |text| text.len()));
                let text = own.start + padding..own.end;
                return (padding == 0 || text.contains(&texts.differs))
                    .then(|| self.wrong_string(argument, text.clone(), text.start, at));
            }
            Conversion::Real { .. } | Conversion::Char | Conversion::Pointer | Conversion::Count => return None,
        };
        let expected = own.start..own.start + length;
        let message = self.message(&own, &expected);
        let facts = argument.facts.clone();
        Some(self.depart(Some(violated), facts, own, expected, message, at))
    }

    /// That a number is not the expected one.
    fn differs(&mut self, value: &Value, bits: u32, expected: u128) -> Option<TermId> {
        let terms = &mut self.build.terms;
        if terms.width(value.term) < bits {
            return None;
        }
        let part = terms.extract(value.term, 0, bits);
        let expected = terms.bits(bits, expected);
        let recorded = terms.bits(bits, value.concrete);
        if recorded == expected {
            return None;
        }
        let differs = terms.ne(part, expected);
        // No value of its type is written as it should be (a `char` by `%x`): that it has this one is what is wrong.
        let is_open = terms.constant(part).is_none() && terms.truth_value(differs) == Some(true);
        Some(if is_open { terms.eq(part, recorded) } else { differs })
    }

    /// A byte that was written by itself.
    pub(super) fn wrong_byte(&mut self, byte: Value, start: usize, at: Option<Origin>) -> Found {
        let texts = self.printing.as_ref().expect("followed").texts.clone();
        let wanted = texts.expected.get(start).copied();
        let violated = wanted.and_then(|wanted| self.differs(&byte, 8, u128::from(wanted)));
        let Some(violated) = violated else { return self.wrong_text(start, start + 1, at) };
        let (own, expected) = (start..start + 1, start..start + 1);
        let message = self.message(&own, &expected);
        self.depart(Some(violated), byte.facts, own, expected, message, at)
    }

    /// A string that was written: its first character that is not the expected one. What comes behind the string was not
    /// a part of it.
    pub(super) fn wrong_string(
        &mut self,
        string: &Value,
        own: Stretch<usize>,
        first: usize,
        at: Option<Origin>,
    ) -> Found {
        let texts = self.printing.as_ref().expect("followed").texts.clone();
        let own_end = match own.clone().next_back().and_then(|last| texts.actual.get(last)) {
            // The end of the line that `puts` adds is no character of the string.
            Some(b'\n') if self.build.known_byte((string.concrete as u64) + (own.len() as u64 - 1)) == Some(0) => {
                own.end - 1
            }
            _ => own.end,
        };
        let offset = (texts.differs - own.start) as u64;
        let known = self.build.known_byte((string.concrete as u64).wrapping_add(offset));
        // Behind the end of the string there may be spaces that fill the field.
        let written = if texts.differs < own_end { texts.actual[texts.differs] } else { 0 };
        let actual = known.unwrap_or(written);
        // The string should have ended where what is expected goes on as the run did behind it.
        let behind = &texts.actual[own_end..];
        let behind = &behind[..behind.len().min(rest_of_line(behind, 0).len().max(1))];
        let rest = texts.expected.get(texts.differs..).unwrap_or_default();
        let ends = actual != 0 && (rest.is_empty() || !behind.is_empty() && rest.starts_with(behind));
        let wanted = if ends { 0 } else { rest.first().copied().unwrap_or(0) };
        let range = {
            let (object, start) = self.build.memory.find((string.concrete as u64).wrapping_add(offset));
            Range { object, offset: start, size: 1 }
        };
        let here = self.here(at);
        let mut cell = self.build.read(range, 8, Some(u128::from(actual)), None, here);
        let begin = word_start(&texts.actual, texts.differs, first);
        let (shown, expected) = self.shown(begin, own.end);
        let message = self.message(&shown, &expected);
        if self.build.terms.constant(cell.term).is_some() || wanted == actual {
            // A text that nobody can change: the pointer should have been another.
            if self.build.terms.constant(string.term).is_some() {
                return self.depart(None, Facts::default(), shown, expected, message, at);
            }
            let recorded = self.build.terms.bits(64, string.concrete);
            let violated = self.build.terms.eq(string.term, recorded);
            return self.depart(Some(violated), string.facts.clone(), shown, expected, message, at);
        }
        let address = string.concrete as u64 + offset;
        if ends && self.build.known_byte(string.concrete as u64 + (own_end - own.start) as u64) == Some(0) {
            self.misplaced = Some(beside(string.concrete as u64 + (own_end - own.start) as u64, true));
        } else if !ends && (actual == 0 || self.comes_too_early(own_end)) {
            self.misplaced = Some(beside(address, offset > 0));
        }
        let wanted = self.build.terms.bits(8, u128::from(wanted));
        let violated = self.build.terms.ne(cell.term, wanted);
        self.fix(&mut cell.facts, string);
        self.depart(Some(violated), cell.facts, shown, expected, message, at)
    }

    /// The length of a text with which the output would go on as expected, where the text that was written is the beginning
    /// of it or has more behind it. A length that is the same in all runs is not what is wrong.
    pub(super) fn right_length(&self, text: &Value, size: &Value, own: Stretch<usize>) -> Option<usize> {
        if self.build.terms.constant(size.term).is_some() {
            return None;
        }
        let texts = &self.printing.as_ref()?.texts;
        let (written, behind) = (&texts.actual[own.clone()], rest_of_line(&texts.actual, own.end));
        let rest = texts.expected.get(texts.differs..)?;
        let goes_on = |rest: &[u8]| match behind {
            b"" => rest.is_empty(),
            behind => rest.starts_with(behind),
        };
        if texts.differs < own.end {
            let is_line = !written[texts.differs - own.start..].contains(&b'\n');
            return (is_line && goes_on(rest)).then(|| texts.differs - own.start);
        }
        let byte = |i: usize| self.build.known_byte((text.concrete as u64).wrapping_add(i as u64));
        let more =
            (1..=rest_of_line(rest, 0).len()).take_while(|more| byte(written.len() + more - 1) == Some(rest[more - 1]));
        more.into_iter().find(|more| goes_on(&rest[*more..])).map(|more| written.len() + more)
    }

    /// So many bytes were written of a text, and it should have been another number.
    pub(super) fn wrong_length(
        &mut self,
        size: &Value,
        length: usize,
        own: Stretch<usize>,
        at: Option<Origin>,
    ) -> Found {
        let bits = self.build.terms.width(size.term);
        let violated = self.differs(size, bits, length as u128);
        let texts = self.printing.as_ref().expect("followed").texts.clone();
        let begin = word_start(&texts.actual, texts.differs, own.start);
        let (shown, expected) = self.shown(begin, own.end);
        let message = self.message(&shown, &expected);
        self.depart(violated, size.facts.clone(), shown, expected, message, at)
    }

    /// Whether the word that stands where the output departs is expected a few bytes later, as if these had been left out.
    fn comes_too_early(&self, end: usize) -> bool {
        let texts = &self.printing.as_ref().expect("followed").texts;
        let (actual, expected) = (&texts.actual[texts.differs..end], rest_of_line(&texts.expected, texts.differs));
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric();
        let Some(begin) = rest_of_line(actual, 0).iter().position(is_word) else { return false };
        let length = actual[begin..].iter().take_while(|byte| is_word(byte)).count();
        let word = &actual[..begin + length];
        let is_there = |rest: &[u8]| rest.strip_prefix(word).is_some_and(|rest| !rest.first().is_some_and(is_word));
        (1..expected.len().min(LEFT_OUT + 1)).any(|missing| is_there(&expected[missing..]))
    }

    /// A byte of a buffer that was written.
    pub(super) fn wrong_cell(&mut self, buffer: &Value, start: usize, at: Option<Origin>) -> Found {
        let texts = self.printing.as_ref().expect("followed").texts.clone();
        let end = self.printing.as_ref().expect("followed").position;
        let address = (buffer.concrete as u64).wrapping_add((texts.differs - start) as u64);
        let (object, offset) = self.build.memory.find(address);
        let actual = texts.actual[texts.differs];
        let here = self.here(at);
        let mut cell = self.build.read(Range { object, offset, size: 1 }, 8, Some(u128::from(actual)), None, here);
        let begin = word_start(&texts.actual, texts.differs, start);
        let (shown, expected) = self.shown(begin, end);
        let message = self.message(&shown, &expected);
        let wanted = texts.expected.get(texts.differs).copied();
        let Some(wanted) = wanted.filter(|_| self.build.terms.constant(cell.term).is_none()) else {
            return self.depart(None, Facts::default(), shown, expected, message, at);
        };
        let wanted = self.build.terms.bits(8, u128::from(wanted));
        let violated = self.build.terms.ne(cell.term, wanted);
        if self.comes_too_early(end) {
            self.misplaced = Some(beside(address, texts.differs > start));
        }
        self.fix(&mut cell.facts, buffer);
        self.depart(Some(violated), cell.facts, shown, expected, message, at)
    }

    /// A fixed text was written where another is expected: the run should not have come here.
    pub(super) fn wrong_text(&mut self, first: usize, end: usize, at: Option<Origin>) -> Found {
        self.wrong_output(None, Facts::default(), first..end, at)
    }

    /// What was written is not what is expected where a condition holds, or by being written at all.
    pub(super) fn wrong_output(
        &mut self,
        violated: Option<TermId>,
        facts: Facts,
        written: Stretch<usize>,
        at: Option<Origin>,
    ) -> Found {
        let texts = self.printing.as_ref().expect("followed").texts.clone();
        let begin = word_start(&texts.actual, texts.differs, written.start);
        let (own, expected) = self.shown(begin, written.end);
        let message = self.message(&own, &expected);
        self.depart(violated, facts, own, expected, message, at)
    }

    /// What to show of the output and of what was expected from a position on, in a line.
    fn shown(&self, from: usize, end: usize) -> (Stretch<usize>, Stretch<usize>) {
        let texts = &self.printing.as_ref().expect("followed").texts;
        let own = rest_of_line(&texts.actual[..end], from).len();
        let expected = rest_of_line(&texts.expected, from);
        // What comes behind it in the line is not shown where it is as expected.
        let behind = rest_of_line(&texts.actual, from + own);
        let longer = expected.len() > behind.len() && behind != b"\n";
        let same = if longer && expected.ends_with(behind) { behind.len() } else { 0 };
        (from..from + own, from..from + expected.len() - same)
    }

    /// `prints "4" where "7" is expected (output line 1, column 12)`.
    fn message(&self, own: &Stretch<usize>, expected: &Stretch<usize>) -> String {
        let texts = &self.printing.as_ref().expect("followed").texts;
        let trimmed =
            |text: &[u8]| if text.trim_ascii().is_empty() { text.to_vec() } else { text.trim_ascii().to_vec() };
        let actual = quoted(&trimmed(&texts.actual[own.clone()]));
        let (line, column) = texts.place(own.start);
        let space = if texts.only_space_differs() { "; only white space differs" } else { "" };
        let place = format!("(output line {line}, column {column}{space})");
        match texts.expected.get(expected.clone()).unwrap_or_default() {
            b"" => format!("prints {actual} where the output should have ended {place}"),
            expected => format!("prints {actual} where {} is expected {place}", quoted(&trimmed(expected))),
        }
    }

    fn departure(&self, own: Stretch<usize>, expected: Stretch<usize>) -> Departure {
        let texts = &self.printing.as_ref().expect("followed").texts;
        let text = |bytes: &[u8], range: Stretch<usize>| bytes.get(range).unwrap_or_default().to_vec();
        let (line, column) = texts.place(own.start);
        let (actual, expected) = (text(&texts.actual, own), text(&texts.expected, expected));
        Departure { actual, expected, position: texts.differs, line, column }
    }

    /// The failure: by a condition, or by being reached.
    fn depart(
        &mut self,
        violated: Option<TermId>,
        facts: Facts,
        own: Stretch<usize>,
        expected: Stretch<usize>,
        message: String,
        at: Option<Origin>,
    ) -> Found {
        self.departure = Some(self.departure(own, expected));
        // A condition that no variable decides says no more than that the call was reached.
        match violated.filter(|v| self.build.terms.truth_value(*v).is_none()) {
            Some(violated) => failure::conditional(self, FailureKind::Output, violated, facts, at, message),
            None => failure::plain(self, FailureKind::Output, at, message),
        }
    }

    /// That a number is on the same side of those that are written as expected as it was in the run.
    fn rounds_otherwise(&mut self, laid: &Laid, value: &Value, expected: f64) -> Option<TermId> {
        if self.build.terms.width(value.term) != 64 {
            return None;
        }
        let actual = f64::from_bits(value.concrete as u64);
        let terms = &mut self.build.terms;
        if actual.is_nan() {
            return Some(terms.float(FloatOp::Unordered, &[value.term, value.term]));
        }
        let constant = |terms: &mut Terms, number: f64| terms.bits(64, u128::from(number.to_bits()));
        Some(match bound(&laid.writing, actual, expected)? {
            Bound::Below(least) => {
                let least = constant(terms, least);
                terms.float(FloatOp::Lt, &[value.term, least])
            }
            Bound::Above(greatest) => {
                let greatest = constant(terms, greatest);
                terms.float(FloatOp::Lt, &[greatest, value.term])
            }
        })
    }

    /// Something else should have been written before a call, and a decision left it undone.
    pub(super) fn missing_before(&mut self, written: Stretch<usize>, at: Option<Origin>) -> Option<Found> {
        let printing = self.printing.as_ref()?;
        let (texts, since) = (printing.texts.clone(), printing.branches);
        let branch = self.undone(since, texts.expected.get(written.start..)?, false)?;
        let (own, expected) = self.shown(written.start, written.end);
        let line = at.map_or(String::new(), |at| format!(" in line {}", at.line));
        let message = self.message(&own, &expected).replacen("prints", "goes on to print", 1);
        let message = message.replacen(" where ", &format!("{line} where "), 1);
        self.departure = Some(self.departure(own, expected));
        Some(self.left_undone(branch, message))
    }

    /// The run has ended and its output is not the expected one, although no call was seen to write something else.
    pub fn unfinished_output(&mut self) -> Option<Found> {
        let printing = self.printing.clone()?;
        let texts = &printing.texts;
        let end = texts.actual.len();
        if printing.lost.is_some() || printing.position != end {
            return Some(self.lost_output());
        }
        let expected = end..end + rest_of_line(&texts.expected, end).len();
        let (line, column) = texts.place(end);
        let is_line_end = &texts.expected[end..] == b"\n" && end > 0;
        let message = if is_line_end {
            let last = last_line(&texts.actual);
            format!("prints {} and ends; {} is expected", quoted(last), quoted(&[last, b"\n"].concat()))
        } else {
            let next = quoted(&texts.expected[expected.clone()]);
            format!("the output ends here; {next} is expected next (output line {line}, column {column})")
        };
        if let Some(branch) = self.undone(printing.branches, &texts.expected[end..], true) {
            self.departure = Some(self.departure(end..end, expected));
            return Some(self.left_undone(branch, message));
        }
        if let Some(last) = printing.last.filter(|_| is_line_end) {
            return Some(self.lacks_line_end(last, end..end, expected, message));
        }
        let ended = self.main_result.as_ref().map(|(_, here)| (here.at, here.activation));
        let (at, activation) =
            printing.last.map(|last| (last.here.at, last.here.activation)).or(ended).unwrap_or_default();
        let mut found = self.depart(None, Facts::default(), end..end, expected, message, at);
        found.failure.activation = activation;
        Some(found)
    }

    /// A text is right but for the line end before it: what was written last should have had it.
    pub(super) fn line_end_missing(&mut self, start: usize) -> Option<Found> {
        let printing = self.printing.as_ref()?;
        let (texts, last) = (printing.texts.clone(), printing.last?);
        let rest = rest_of_line(&texts.actual, start);
        let wanted = texts.expected.get(start..)?.strip_prefix(b"\n")?;
        let is_line = start > 0 && texts.actual[start - 1] != b'\n';
        if !is_line || rest.is_empty() || rest_of_line(wanted, 0) != rest {
            return None;
        }
        let shown = last_line(&texts.actual[..start]);
        let (line, column) = texts.place(start);
        let message = format!(
            "prints {} and goes on; {} is expected (output line {line}, column {column})",
            quoted(shown),
            quoted(&[shown, b"\n"].concat())
        );
        Some(self.lacks_line_end(last, start..start, start..start + 1, message))
    }

    /// The failure of what was written last: that it was written as it was.
    fn lacks_line_end(&mut self, last: Last, own: Stretch<usize>, expected: Stretch<usize>, message: String) -> Found {
        let mut found = self.depart(None, Facts::default(), own, expected, message, last.here.at);
        (found.failure.activation, found.failure.scope) = (last.here.activation, last.here.scope);
        Found { steps: last.steps, ..found }
    }

    /// It is not known which call wrote what is not as expected: no place in the program is where that was for sure.
    fn lost_output(&mut self) -> Found {
        let printing = self.printing.clone().expect("followed");
        let texts = &printing.texts;
        let why = printing.lost.or(printing.doubt.map(|name| not_known(&name)));
        let begin = word_start(&texts.actual, texts.differs, 0);
        let (own, expected) = self.shown(begin, texts.actual.len());
        let message = match own.is_empty() {
            true => format!("the output ends early; {} is expected next", quoted(&texts.expected[expected.clone()])),
            false => self.message(&own, &expected),
        };
        let message = format!("{message}; {}", why.unwrap_or("which call writes that is not known".into()));
        self.depart(None, Facts::default(), own, expected, message, None)
    }
}

/// A byte of a text with the one before it, or behind it where it is the first one.
fn beside(address: u64, has_before: bool) -> Misplaced {
    Misplaced { address, beside: if has_before { address - 1 } else { address + 1 } }
}

/// The last line of a text.
fn last_line(text: &[u8]) -> &[u8] {
    let start = text.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    &text[start..]
}
