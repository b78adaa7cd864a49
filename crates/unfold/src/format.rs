//! `printf`: what it writes, and where in an expected text it may stand.

use wherefore_clib::Length;
use wherefore_clib::print;
use wherefore_clib::writing::Writing;
use wherefore_formula::{FloatOp, TermId, Terms};

/// A piece of what is written.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Fixed text.
    Text(Vec<u8>),
    /// An integer.
    Integer(Writing, TermId),
    /// A byte.
    Char(Writing, TermId),
    /// The bytes of a string up to the first zero.
    String(Writing, Vec<TermId>),
    /// A double.
    Float(Writing, TermId),
}

/// What stands at a `%` of a format, and the number of its argument.
pub(crate) enum Directive {
    Text(Vec<u8>),
    Integer(Writing, usize),
    Char(Writing, usize),
    String(Writing, usize),
    Float(Writing, usize),
}

/// The pieces of a format; `None` when it has one that is not known. `fixed` gives the values that `*` stands for.
pub(crate) fn directives(format: &[u8], fixed: &mut dyn FnMut(usize) -> Option<i64>) -> Option<Vec<Directive>> {
    let pieces = print::parse(format).ok()?;
    let mut directive = |piece| match piece {
        print::Piece::Text(text) => Some(Directive::Text(text)),
        print::Piece::Directive(it) => conversion(&it, fixed),
    };
    pieces.into_iter().map(&mut directive).collect()
}

fn conversion(it: &print::Directive, fixed: &mut dyn FnMut(usize) -> Option<i64>) -> Option<Directive> {
    let writing = Writing::of(it, fixed)?;
    match (it.conversion, it.length) {
        (print::Conversion::Signed | print::Conversion::Unsigned { .. }, _) => {
            Some(Directive::Integer(writing, it.argument))
        }
        (print::Conversion::Char, Length::Plain) => Some(Directive::Char(writing, it.argument)),
        (print::Conversion::String, Length::Plain) => Some(Directive::String(writing, it.argument)),
        (print::Conversion::Real { style: b'f' | b'e' | b'g', .. }, Length::Plain | Length::Long) => {
            Some(Directive::Float(writing, it.argument))
        }
        _ => None,
    }
}

impl Piece {
    /// What is written, where values are known.
    pub(crate) fn render(&self, value: &mut dyn FnMut(TermId) -> Option<u128>, text: &mut Vec<u8>) -> Option<()> {
        let padded = |text: &mut Vec<u8>, c: &Writing, own: &[u8]| {
            let (before, after) = c.margins(own.len());
            text.extend(std::iter::repeat_n(b' ', before));
            text.extend(own);
            text.extend(std::iter::repeat_n(b' ', after));
        };
        match self {
            Piece::Text(fixed) => text.extend(fixed),
            Piece::Char(conversion, byte) => padded(text, conversion, &[value(*byte)? as u8]),
            Piece::Integer(conversion, number) => text.extend(conversion.integer(value(*number)?).bytes()),
            Piece::Float(conversion, number) => {
                text.extend(conversion.float(f64::from_bits(value(*number)? as u64)).bytes());
            }
            Piece::String(conversion, bytes) => {
                let mut own = vec![];
                for byte in bytes.iter().take(conversion.precision.unwrap_or(usize::MAX)) {
                    match value(*byte)? as u8 {
                        0 => break,
                        byte => own.push(byte),
                    }
                }
                padded(text, conversion, &own);
            }
        }
        Some(())
    }
}

/// Where a piece that starts at `position` of a text may end, and when.
pub(crate) fn matches(terms: &mut Terms, piece: &Piece, text: &[u8], position: usize) -> Vec<(usize, TermId)> {
    let rest = &text[position..];
    match piece {
        Piece::Text(fixed) => match rest.starts_with(fixed) {
            true => vec![(position + fixed.len(), terms.truth(true))],
            false => vec![],
        },
        Piece::Char(conversion, value) => {
            let value = terms.extract(*value, 0, 8);
            let truth = terms.truth(true);
            let found = match_bytes(terms, conversion, &[value], rest, truth);
            found.map(|(end, condition)| (position + end, condition)).into_iter().collect()
        }
        Piece::String(conversion, bytes) => {
            let mut found = vec![];
            let most = bytes.len().min(conversion.precision.unwrap_or(usize::MAX));
            let zero = terms.bits(8, 0);
            // That no byte before ends the string.
            let mut before = terms.truth(true);
            for length in 0..=most {
                let ends = match bytes.get(length).filter(|_| length < most) {
                    Some(byte) => terms.eq(*byte, zero),
                    None => terms.truth(conversion.precision == Some(length)),
                };
                let here = terms.and2(before, ends);
                if conversion.width == 0 {
                    // What stands before was compared on the way.
                    if terms.truth_value(here) != Some(false) {
                        found.push((position + length, here));
                    }
                } else if let Some((end, condition)) = match_bytes(terms, conversion, &bytes[..length], rest, here) {
                    found.push((position + end, condition));
                }
                let goes_on = terms.not(ends);
                before = terms.and2(before, goes_on);
                if conversion.width == 0 && length < most {
                    let Some(next) = rest.get(length) else { break };
                    let next = terms.bits(8, u128::from(*next));
                    let same = terms.eq(bytes[length], next);
                    before = terms.and2(before, same);
                }
                if terms.truth_value(before) == Some(false) {
                    break;
                }
            }
            found
        }
        Piece::Integer(conversion, value) => {
            let alphabet = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b' ' | b'+' | b'-');
            let longest = rest.iter().take(conversion.width.max(66)).take_while(alphabet).count();
            let mut found = vec![];
            for length in conversion.width.max(1)..=longest {
                let Ok(candidate) = std::str::from_utf8(&rest[..length]) else { continue };
                if let Some(number) = conversion.integer_of(candidate)
                    && conversion.integer(number) == candidate
                {
                    let low = terms.extract(*value, 0, conversion.bits);
                    let number = terms.bits(conversion.bits, number);
                    found.push((position + length, terms.eq(low, number)));
                }
            }
            found
        }
        Piece::Float(conversion, value) => {
            let alphabet = |b: &&u8| b.is_ascii_digit() || matches!(b, b' ' | b'+' | b'-' | b'.' | b'e' | b'E');
            let longest = rest.iter().take(conversion.width.max(330)).take_while(alphabet).count();
            let mut found = vec![];
            for length in conversion.width.max(1)..=longest {
                let Ok(candidate) = std::str::from_utf8(&rest[..length]) else { continue };
                let Ok(number) = candidate.trim_matches(' ').parse::<f64>() else { continue };
                if number.is_finite() && conversion.float(number) == candidate {
                    let condition = written_as(terms, conversion, *value, number, candidate);
                    found.push((position + length, condition));
                }
            }
            found
        }
    }
}

/// Where a text begins with bytes and the spaces around them: its length, and when.
fn match_bytes(
    terms: &mut Terms,
    conversion: &Writing,
    bytes: &[TermId],
    rest: &[u8],
    condition: TermId,
) -> Option<(usize, TermId)> {
    let (before, after) = conversion.margins(bytes.len());
    let length = before + bytes.len() + after;
    let text = rest.get(..length)?;
    let spaces = text[..before].iter().chain(&text[before + bytes.len()..]).all(|b| *b == b' ');
    if !spaces || terms.truth_value(condition) == Some(false) {
        return None;
    }
    let mut all = vec![condition];
    for (byte, wanted) in bytes.iter().zip(&text[before..]) {
        let wanted = terms.bits(8, u128::from(*wanted));
        all.push(terms.eq(*byte, wanted));
    }
    let all = terms.and(all);
    (terms.truth_value(all) != Some(false)).then_some((length, all))
}

/// When a double is written as a text: between the least and the largest number that are.
fn written_as(terms: &mut Terms, conversion: &Writing, value: TermId, number: f64, text: &str) -> TermId {
    let same = |x: f64| conversion.float(x) == text;
    let edge = |up: bool| {
        // Doubles of one sign are ordered as their bits are; double the distance, then halve it.
        let step = |distance: u64| {
            let bits = number.abs().to_bits();
            let away = up != number.is_sign_negative();
            let moved = if away { bits.saturating_add(distance) } else { bits.saturating_sub(distance) };
            f64::from_bits(moved.min(f64::MAX.to_bits())).copysign(number)
        };
        let mut far = 1u64;
        while far < 1 << 62 && same(step(far)) {
            far *= 2;
        }
        let (mut low, mut high) = (far / 2, far);
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            if same(step(middle)) { low = middle } else { high = middle }
        }
        step(if same(step(low)) { low } else { 0 })
    };
    let (least, most) = (edge(false), edge(true));
    let least = terms.bits(64, u128::from(least.to_bits()));
    let most = terms.bits(64, u128::from(most.to_bits()));
    let above = terms.float(FloatOp::Le, &[least, value]);
    let below = terms.float(FloatOp::Le, &[value, most]);
    terms.and2(above, below)
}

#[cfg(test)]
mod tests;
