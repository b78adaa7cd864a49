//! `printf`: what it writes, and where in an expected text it may stand.

use wherefore_clib::Length;
use wherefore_clib::print::{self, Amount};
use wherefore_formula::{FloatOp, TermId, Terms};

/// A piece of what is written.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Fixed text.
    Text(Vec<u8>),
    /// An integer.
    Integer(Conversion, TermId),
    /// A byte.
    Char(Conversion, TermId),
    /// The bytes of a string up to the first zero.
    String(Conversion, Vec<TermId>),
    /// A double.
    Float(Conversion, TermId),
}

/// How a value is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Conversion {
    /// 8, 10 or 16.
    pub base: u32,
    /// Read as two's complement.
    pub signed: bool,
    /// Width of the value in bits.
    pub bits: u32,
    /// Least number of characters.
    pub width: usize,
    /// Digits: at least so many, or after the point; characters: at most so many.
    pub precision: Option<usize>,
    /// `-`.
    pub left: bool,
    /// `0`.
    pub zeros: bool,
    /// `+`.
    pub plus: bool,
    /// A space in place of `+`.
    pub space: bool,
    /// `#`.
    pub alternate: bool,
    /// `X`, `E`, `G`.
    pub upper: bool,
    /// Of a floating point number: `f`, `e` or `g`.
    pub float: u8,
}

impl Conversion {
    /// As it is.
    pub const PLAIN: Conversion = Conversion {
        base: 10,
        signed: true,
        bits: 32,
        width: 0,
        precision: None,
        left: false,
        zeros: false,
        plus: false,
        space: false,
        alternate: false,
        upper: false,
        float: b'f',
    };
}

/// What stands at a `%` of a format, and the number of its argument.
pub(crate) enum Directive {
    Text(Vec<u8>),
    Integer(Conversion, usize),
    Char(Conversion, usize),
    String(Conversion, usize),
    Float(Conversion, usize),
}

/// A byte of an integer's text: fixed, or the digit of a power of the base.
pub(crate) enum Laid {
    Byte(u8),
    Digit(usize),
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
    let mut number = |amount: Option<Amount>| match amount {
        Some(Amount::Fixed(number)) => Some(Some(number as i64)),
        Some(Amount::Argument(argument)) => fixed(argument).map(Some),
        None => Some(None),
    };
    let width = number(it.width)?;
    // A negative precision is none.
    let precision = number(it.precision)?.and_then(|precision| usize::try_from(precision).ok());
    let c = Conversion {
        width: usize::try_from(width.unwrap_or(0).unsigned_abs()).ok()?,
        precision,
        left: it.left || width.is_some_and(|width| width < 0),
        zeros: it.zeros,
        plus: it.plus,
        space: it.space,
        alternate: it.alternate,
        ..Conversion::PLAIN
    };
    let integer = |signed, base, upper| {
        let bits = it.length.integer_bits()?;
        Some(Directive::Integer(Conversion { base, signed, bits, upper, ..c }, it.argument))
    };
    match (it.conversion, it.length) {
        (print::Conversion::Signed, _) => integer(true, 10, false),
        (print::Conversion::Unsigned { base, upper }, _) => integer(false, base, upper),
        (print::Conversion::Char, Length::Plain) => Some(Directive::Char(c, it.argument)),
        (print::Conversion::String, Length::Plain) => Some(Directive::String(c, it.argument)),
        (print::Conversion::Real { style: style @ (b'f' | b'e' | b'g'), upper }, Length::Plain | Length::Long) => {
            Some(Directive::Float(Conversion { bits: 64, float: style, upper, ..c }, it.argument))
        }
        _ => None,
    }
}

impl Conversion {
    /// The text of an integer.
    pub(crate) fn integer(&self, value: u128) -> String {
        let mask = u128::MAX >> (128 - self.bits);
        let value = value & mask;
        let negative = self.signed && value >> (self.bits - 1) & 1 == 1;
        let magnitude = if negative { value.wrapping_neg() & mask } else { value };
        let digits = match (self.base, self.upper) {
            (16, false) => format!("{magnitude:x}"),
            (16, true) => format!("{magnitude:X}"),
            (8, _) => format!("{magnitude:o}"),
            _ => magnitude.to_string(),
        };
        // With no digits asked for, zero has none.
        let digits = if magnitude == 0 && self.precision == Some(0) { String::new() } else { digits };
        self.with_digits(negative, digits, magnitude == 0)
    }

    fn with_digits(&self, negative: bool, mut digits: String, zero: bool) -> String {
        if let Some(least) = self.precision {
            digits = format!("{}{digits}", "0".repeat(least.saturating_sub(digits.len())));
        }
        let prefix = match self.base {
            16 if self.alternate && !zero => ["0x", "0X"][usize::from(self.upper)],
            8 if self.alternate && !digits.starts_with('0') => "0",
            _ => "",
        };
        self.pad(negative, prefix, digits, self.zeros && self.precision.is_none())
    }

    /// Where the digits of a number of so many digits stand. Numbers that are zero have one digit.
    pub(crate) fn layout(&self, count: usize, negative: bool) -> Vec<Laid> {
        // Bytes that no text has stand for digits.
        let marks = (0..count).rev().map(|n| char::from(n as u8 + 1)).collect();
        let text = self.with_digits(negative, marks, false);
        text.bytes().map(|b| if b <= 0x1f { Laid::Digit(usize::from(b) - 1) } else { Laid::Byte(b) }).collect()
    }

    /// The text of a floating point number.
    pub(crate) fn float(&self, value: f64) -> String {
        if !value.is_finite() {
            let text = if value.is_nan() { "nan" } else { "inf" };
            let text = if self.upper { text.to_uppercase() } else { text.to_string() };
            return self.pad(value.is_sign_negative(), "", text, false);
        }
        let magnitude = value.abs();
        let precision = self.precision.unwrap_or(6);
        let digits = match self.float {
            b'f' => self.with_point(format!("{magnitude:.precision$}")),
            b'e' => self.with_point(exponential(magnitude, precision).0),
            _ => {
                let significant = precision.max(1);
                let (text, exponent) = exponential(magnitude, significant - 1);
                let (mut text, tail) = if (-4..significant as i32).contains(&exponent) {
                    let after = (significant as i32 - 1 - exponent) as usize;
                    (format!("{magnitude:.after$}"), String::new())
                } else {
                    let (digits, tail) = text.split_once('e').unwrap_or((&text, ""));
                    (digits.to_string(), format!("e{tail}"))
                };
                if text.contains('.') && !self.alternate {
                    text = text.trim_end_matches('0').trim_end_matches('.').to_string();
                }
                self.with_point(text + &tail)
            }
        };
        let digits = if self.upper { digits.to_uppercase() } else { digits };
        self.pad(value.is_sign_negative(), "", digits, self.zeros)
    }

    /// With `#` a number has a point though nothing follows it.
    fn with_point(&self, digits: String) -> String {
        match digits.split_once('e') {
            _ if !self.alternate || digits.contains('.') => digits,
            Some((digits, exponent)) => format!("{digits}.e{exponent}"),
            None => digits + ".",
        }
    }

    fn pad(&self, negative: bool, prefix: &str, digits: String, zeros: bool) -> String {
        let sign = match (negative, self.signed) {
            (true, _) => "-",
            (false, true) if self.plus => "+",
            (false, true) if self.space => " ",
            _ => "",
        };
        let missing = self.width.saturating_sub(sign.len() + prefix.len() + digits.len());
        match (self.left, zeros) {
            (true, _) => format!("{sign}{prefix}{digits}{}", " ".repeat(missing)),
            (false, true) => format!("{sign}{prefix}{}{digits}", "0".repeat(missing)),
            (false, false) => format!("{}{sign}{prefix}{digits}", " ".repeat(missing)),
        }
    }

    /// The value whose text this is.
    fn integer_of(&self, text: &str) -> Option<u128> {
        let text = text.trim_matches(' ');
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let digits = match self.base {
            16 if self.alternate => digits.strip_prefix("0x").or(digits.strip_prefix("0X")).unwrap_or(digits),
            _ => digits,
        };
        let value = u128::from_str_radix(digits, self.base).ok()?;
        Some(if negative { value.wrapping_neg() } else { value } & (u128::MAX >> (128 - self.bits)))
    }

    /// Spaces before and after a text of so many characters.
    fn margins(&self, length: usize) -> (usize, usize) {
        let missing = self.width.saturating_sub(length);
        if self.left { (0, missing) } else { (missing, 0) }
    }
}

/// `%e`, and the exponent.
fn exponential(magnitude: f64, precision: usize) -> (String, i32) {
    let text = format!("{magnitude:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    (format!("{digits}e{sign}{:02}", exponent.abs()), exponent)
}

impl Piece {
    /// What is written, where values are known.
    pub(crate) fn render(&self, value: &mut dyn FnMut(TermId) -> Option<u128>, text: &mut Vec<u8>) -> Option<()> {
        let padded = |text: &mut Vec<u8>, c: &Conversion, own: &[u8]| {
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
    conversion: &Conversion,
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
fn written_as(terms: &mut Terms, conversion: &Conversion, value: TermId, number: f64, text: &str) -> TermId {
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
