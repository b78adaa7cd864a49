//! What a program reads: from standard input, from nondeterministic calls, and numbers from text.
//!
//! At a known position of a known input the outcome of a read is known. In the formula the position may depend on the
//! path; `streams` puts the two together.

use crate::TestInput;
use wherefore_clib::Length;
use wherefore_clib::scan::{self, Conversion, Piece, is_space};
use wherefore_formula::{Sort, VarId};

/// A library function that reads a number from text, in base 10.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Number {
    /// `atoi`: 32 bits.
    Int,
    /// `atol`, `strtol`: 64 bits.
    Long,
    /// `strtoul`: 64 bits.
    UnsignedLong,
    /// `atof`, `strtod`.
    Double,
}

impl Number {
    /// The width of its result.
    pub(crate) fn bits(self) -> u32 {
        if self == Number::Int { 32 } else { 64 }
    }

    /// The number at the start of a text, as bits.
    pub(crate) fn read(self, text: &[u8]) -> u128 {
        let blank = text.iter().take_while(|b| is_space(**b)).count();
        let text = &text[blank..];
        match self {
            Number::Double => {
                let (value, _) = float(text).unwrap_or((0.0, 0));
                u128::from(value.to_bits())
            }
            Number::Int | Number::Long | Number::UnsignedLong => {
                let (value, _) = integer(text, 10).unwrap_or((0, 0));
                let value = match self {
                    Number::UnsignedLong => value.clamp(-(u64::MAX as i128), u64::MAX as i128),
                    _ => value.clamp(i64::MIN as i128, i64::MAX as i128),
                };
                value as u128 & (u128::MAX >> (128 - self.bits()))
            }
        }
    }
}

/// One read.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    pub kind: ReadKind,
    /// The variables of what it gives, in the order of [`Read::outcome`].
    pub results: Vec<(VarId, Sort)>,
}

#[derive(Clone, Debug)]
pub(crate) enum ReadKind {
    /// `getchar`: the byte or -1.
    Char,
    /// `scanf`: the number of conversions or -1, then the values.
    Scanf(Vec<Item>),
    /// `fgets`: the number of bytes stored, -1 at the end of input; then the bytes and a zero.
    Line(u32),
    /// `read`: the number of bytes; then the bytes.
    Bytes(u32),
    /// A nondeterministic value of so many bits.
    Nondet(u32),
}

/// A piece of a `scanf` format.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Space,
    Literal(u8),
    Convert { what: Convert, width: usize, store: bool },
}

#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) enum Convert {
    Integer {
        bits: u32,
        base: u32,
    },
    Float {
        bits: u32,
    },
    Char,
    /// A word; room for so many bytes.
    Word(u32),
}

impl Convert {
    /// How many values a conversion gives, and how wide each is.
    pub fn values(self) -> (u32, u32) {
        match self {
            Convert::Integer { bits, .. } | Convert::Float { bits } => (1, bits),
            Convert::Char => (1, 8),
            Convert::Word(room) => (room, 8),
        }
    }
}

impl Read {
    pub fn is_nondet(&self) -> bool {
        matches!(self.kind, ReadKind::Nondet(_))
    }

    /// The values and the position after a read at a position.
    pub fn outcome(&self, input: &TestInput, position: usize) -> (Vec<u128>, usize) {
        let text = input.stdin.get(position..).unwrap_or(&[]);
        match &self.kind {
            ReadKind::Nondet(bits) => {
                let value = u128::from(input.nondet.get(position).copied().unwrap_or(0));
                (vec![value & (u128::MAX >> (128 - bits))], position + 1)
            }
            ReadKind::Char => match text.first() {
                Some(byte) => (vec![u128::from(*byte)], position + 1),
                None => (vec![minus_one()], position),
            },
            ReadKind::Line(limit) => {
                let most = (*limit as usize).saturating_sub(1);
                let line = text.iter().position(|b| *b == b'\n').map_or(text.len(), |n| n + 1).min(most);
                let count = if text.is_empty() { minus_one() } else { line as u128 };
                (bytes(count, &text[..line], *limit), position + line)
            }
            ReadKind::Bytes(limit) => {
                let count = text.len().min(*limit as usize);
                (bytes(count as u128, &text[..count], *limit), position + count)
            }
            ReadKind::Scanf(items) => scanned(items, text, position),
        }
    }
}

fn minus_one() -> u128 {
    u128::from(u32::MAX)
}

fn bytes(count: u128, text: &[u8], room: u32) -> Vec<u128> {
    let padded = text.iter().copied().chain(std::iter::repeat(0)).take(room as usize);
    std::iter::once(count).chain(padded.map(u128::from)).collect()
}

fn scanned(items: &[Item], text: &[u8], position: usize) -> (Vec<u128>, usize) {
    let mut at = 0;
    let mut count = 0u128;
    let mut values = vec![];
    let mut stopped = false;
    let mut at_end = false;
    for item in items {
        match item {
            Item::Space if !stopped => at += text[at..].iter().take_while(|b| is_space(**b)).count(),
            Item::Literal(byte) if !stopped => match text.get(at) {
                Some(found) if found == byte => at += 1,
                found => {
                    stopped = true;
                    at_end = found.is_none();
                }
            },
            Item::Convert { what, width, store } => {
                let (number, _) = what.values();
                let mut found = vec![0; number as usize];
                if !stopped {
                    if *what != Convert::Char {
                        at += text[at..].iter().take_while(|b| is_space(**b)).count();
                    }
                    let rest = &text[at..text.len().min(at.saturating_add(*width))];
                    match convert(*what, rest) {
                        Some((converted, used)) => {
                            found = converted;
                            at += used;
                            count += u128::from(*store);
                        }
                        None => {
                            stopped = true;
                            at_end = rest.is_empty();
                            // A sign is gone once it is read, though no number follows.
                            let number = matches!(what, Convert::Integer { .. } | Convert::Float { .. });
                            at += usize::from(number && matches!(rest.first(), Some(b'+' | b'-')));
                        }
                    }
                }
                if *store {
                    values.extend(found);
                }
            }
            Item::Space | Item::Literal(_) => {}
        }
    }
    let count = if at_end && count == 0 { minus_one() } else { count };
    (std::iter::once(count).chain(values).collect(), position + at)
}

fn convert(what: Convert, text: &[u8]) -> Option<(Vec<u128>, usize)> {
    match what {
        Convert::Integer { bits, base } => {
            let (value, used) = integer(text, base)?;
            Some((vec![value as u128 & (u128::MAX >> (128 - bits))], used))
        }
        Convert::Float { bits } => {
            let (value, used) = float(text)?;
            let bits = if bits == 32 { u128::from((value as f32).to_bits()) } else { u128::from(value.to_bits()) };
            Some((vec![bits], used))
        }
        Convert::Char => text.first().map(|byte| (vec![u128::from(*byte)], 1)),
        Convert::Word(room) => {
            let length = text.iter().take_while(|b| !is_space(**b)).count();
            let word = text[..length].iter().copied().chain(std::iter::repeat(0)).take(room as usize);
            (length > 0).then(|| (word.map(u128::from).collect(), length))
        }
    }
}

/// An integer at the start of a text, and how long it is. Base 0 is as in C.
fn integer(text: &[u8], base: u32) -> Option<(i128, usize)> {
    let negative = text.first() == Some(&b'-');
    let sign = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let hex = matches!(text.get(sign..sign + 2), Some(b"0x" | b"0X"));
    let (base, prefix) = match base {
        0 if hex => (16, 2),
        16 if hex => (16, 2),
        0 if text.get(sign) == Some(&b'0') => (8, 0),
        0 => (10, 0),
        base => (base, 0),
    };
    let digits = text[sign + prefix..].iter().map_while(|b| (*b as char).to_digit(base));
    let (mut value, mut length) = (0i128, 0);
    for digit in digits {
        value = value.saturating_mul(i128::from(base)).saturating_add(i128::from(digit));
        length += 1;
    }
    // The library takes `0x` alone for zero.
    let found = length > 0 || prefix > 0;
    found.then(|| (if negative { value.saturating_neg() } else { value }, sign + prefix + length))
}

/// The longest decimal floating point number at the start of a text.
fn float(text: &[u8]) -> Option<(f64, usize)> {
    let mut best = None;
    let longest = text.iter().take_while(|b| b"+-.eE0123456789".contains(b)).count();
    for length in 1..=longest {
        if let Ok(value) = std::str::from_utf8(&text[..length]).unwrap_or("").parse() {
            best = Some((value, length));
        }
    }
    best
}

/// The pieces of a `scanf` format; `None` when it has one that is not known. `rooms` gives the size of the object that
/// each argument points to.
pub(crate) fn items(format: &[u8], rooms: &[Option<u64>]) -> Option<Vec<Item>> {
    let pieces = scan::parse(format).ok()?;
    let item = |piece| match piece {
        Piece::Space => Some(Item::Space),
        Piece::Literal(byte) => Some(Item::Literal(byte)),
        Piece::Directive(it) => conversion(&it, rooms),
    };
    pieces.into_iter().map(item).collect()
}

fn conversion(it: &scan::Directive, rooms: &[Option<u64>]) -> Option<Item> {
    let width = it.width.unwrap_or(usize::MAX);
    let what = match (&it.conversion, it.length) {
        (Conversion::Integer { base, .. }, length) => Convert::Integer { bits: length.integer_bits()?, base: *base },
        (Conversion::Real, Length::Plain) => Convert::Float { bits: 32 },
        (Conversion::Real, Length::Long) => Convert::Float { bits: 64 },
        (Conversion::Char, Length::Plain) if it.width.is_none() => Convert::Char,
        (Conversion::Word, Length::Plain) => {
            let room = it.argument.and_then(|argument| rooms.get(argument).copied().flatten()).unwrap_or(64);
            Convert::Word(room.min(width.saturating_add(1) as u64).min(256) as u32)
        }
        _ => return None,
    };
    Some(Item::Convert { what, width, store: it.argument.is_some() })
}

#[cfg(test)]
mod tests;
