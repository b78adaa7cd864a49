//! `printf`: what it writes, and where in an expected text it may stand.

use wherefore_formula::{FloatOp, TermId, Terms};

/// A piece of what is written.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Fixed text.
    Text(Vec<u8>),
    /// An integer.
    Integer(Conversion, TermId),
    /// A byte.
    Char(TermId),
    /// The bytes of a string up to the first zero.
    String(Vec<TermId>),
    /// A double with so many digits after the point.
    Fixed(Conversion, TermId),
}

/// How a number is written.
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
    /// Digits: at least so many, or after the point.
    pub precision: Option<usize>,
    /// `-`.
    pub left: bool,
    /// `0`.
    pub zeros: bool,
    /// `+`.
    pub plus: bool,
    /// `X`.
    pub upper: bool,
}

/// What stands at a `%` of a format, before its argument is known.
pub(crate) enum Directive {
    Text(Vec<u8>),
    Integer(Conversion),
    Char,
    String,
    Fixed(Conversion),
}

/// The pieces of a format; `None` when it has one that is not known.
pub(crate) fn directives(format: &[u8]) -> Option<Vec<Directive>> {
    let mut all = vec![];
    let mut text = vec![];
    let mut rest = format;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            text.push(byte);
            continue;
        }
        if let Some(after) = rest.strip_prefix(b"%") {
            text.push(b'%');
            rest = after;
            continue;
        }
        if !text.is_empty() {
            all.push(Directive::Text(std::mem::take(&mut text)));
        }
        let (directive, after) = directive(rest)?;
        all.push(directive);
        rest = after;
    }
    if !text.is_empty() {
        all.push(Directive::Text(text));
    }
    Some(all)
}

fn directive(mut rest: &[u8]) -> Option<(Directive, &[u8])> {
    let mut c = Conversion {
        base: 10,
        signed: true,
        bits: 32,
        width: 0,
        precision: None,
        left: false,
        zeros: false,
        plus: false,
        upper: false,
    };
    while let Some((flag @ (b'-' | b'0' | b'+'), after)) = rest.split_first() {
        match flag {
            b'-' => c.left = true,
            b'0' => c.zeros = true,
            _ => c.plus = true,
        }
        rest = after;
    }
    let number = |rest: &mut &[u8]| {
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let value = std::str::from_utf8(&rest[..digits]).ok().and_then(|t| t.parse().ok());
        *rest = &rest[digits..];
        value
    };
    c.width = number(&mut rest).unwrap_or(0);
    if let Some(after) = rest.strip_prefix(b".") {
        rest = after;
        c.precision = Some(number(&mut rest).unwrap_or(0));
    }
    loop {
        let (length, bits) = match rest {
            [b'h', b'h', ..] => (2, 8),
            [b'h', ..] => (1, 16),
            [b'l', b'l', ..] => (2, 64),
            [b'l' | b'z' | b'j' | b't', ..] => (1, 64),
            _ => break,
        };
        c.bits = bits;
        rest = &rest[length..];
    }
    let (&conversion, after) = rest.split_first()?;
    let directive = match conversion {
        b'd' | b'i' => Directive::Integer(c),
        b'u' => Directive::Integer(Conversion { signed: false, ..c }),
        b'x' => Directive::Integer(Conversion { signed: false, base: 16, ..c }),
        b'X' => Directive::Integer(Conversion { signed: false, base: 16, upper: true, ..c }),
        b'o' => Directive::Integer(Conversion { signed: false, base: 8, ..c }),
        b'c' if c.width <= 1 => Directive::Char,
        b's' if c.width == 0 && c.precision.is_none() => Directive::String,
        b'f' => Directive::Fixed(Conversion { bits: 64, ..c }),
        _ => return None,
    };
    Some((directive, after))
}

impl Conversion {
    /// The text of an integer.
    fn integer(&self, value: u128) -> String {
        let mask = u128::MAX >> (128 - self.bits);
        let value = value & mask;
        let negative = self.signed && value >> (self.bits - 1) & 1 == 1;
        let magnitude = if negative { value.wrapping_neg() & mask } else { value };
        let mut digits = match (self.base, self.upper) {
            (16, false) => format!("{magnitude:x}"),
            (16, true) => format!("{magnitude:X}"),
            (8, _) => format!("{magnitude:o}"),
            _ => magnitude.to_string(),
        };
        if let Some(least) = self.precision {
            digits = format!("{}{digits}", "0".repeat(least.saturating_sub(digits.len())));
        }
        self.pad(negative, digits, self.zeros && self.precision.is_none())
    }

    /// The text of a floating point number.
    fn fixed(&self, value: f64) -> String {
        let digits = format!("{:.*}", self.precision.unwrap_or(6), value.abs());
        self.pad(value.is_sign_negative(), digits, self.zeros)
    }

    fn pad(&self, negative: bool, digits: String, zeros: bool) -> String {
        let sign = if negative {
            "-"
        } else if self.plus && self.signed {
            "+"
        } else {
            ""
        };
        let missing = self.width.saturating_sub(sign.len() + digits.len());
        match (self.left, zeros) {
            (true, _) => format!("{sign}{digits}{}", " ".repeat(missing)),
            (false, true) => format!("{sign}{}{digits}", "0".repeat(missing)),
            (false, false) => format!("{}{sign}{digits}", " ".repeat(missing)),
        }
    }

    /// The value whose text this is.
    fn integer_of(&self, text: &str) -> Option<u128> {
        let text = text.trim_matches(' ');
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let value = u128::from_str_radix(digits, self.base).ok()?;
        Some(if negative { value.wrapping_neg() } else { value } & (u128::MAX >> (128 - self.bits)))
    }
}

impl Piece {
    /// What is written, where values are known.
    pub(crate) fn render(&self, value: &mut dyn FnMut(TermId) -> Option<u128>, text: &mut Vec<u8>) -> Option<()> {
        match self {
            Piece::Text(fixed) => text.extend(fixed),
            Piece::Char(byte) => text.push(value(*byte)? as u8),
            Piece::Integer(conversion, number) => text.extend(conversion.integer(value(*number)?).bytes()),
            Piece::Fixed(conversion, number) => {
                text.extend(conversion.fixed(f64::from_bits(value(*number)? as u64)).bytes());
            }
            Piece::String(bytes) => {
                for byte in bytes {
                    match value(*byte)? as u8 {
                        0 => break,
                        byte => text.push(byte),
                    }
                }
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
        Piece::Char(value) => match rest.first() {
            Some(byte) => {
                let low = terms.extract(*value, 0, 8);
                let byte = terms.bits(8, u128::from(*byte));
                vec![(position + 1, terms.eq(low, byte))]
            }
            None => vec![],
        },
        Piece::String(bytes) => {
            let mut found = vec![];
            let mut before = terms.truth(true);
            for (length, byte) in bytes.iter().enumerate() {
                let zero = terms.bits(8, 0);
                let ends = terms.eq(*byte, zero);
                let here = terms.and2(before, ends);
                if terms.truth_value(here) != Some(false) {
                    found.push((position + length, here));
                }
                let Some(next) = rest.get(length) else { break };
                let next = terms.bits(8, u128::from(*next));
                let same = terms.eq(*byte, next);
                before = terms.and2(before, same);
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
        Piece::Fixed(conversion, value) => {
            let alphabet = |b: &&u8| b.is_ascii_digit() || matches!(b, b' ' | b'+' | b'-' | b'.');
            let longest = rest.iter().take(conversion.width.max(330)).take_while(alphabet).count();
            let mut found = vec![];
            for length in conversion.width.max(1)..=longest {
                let Ok(candidate) = std::str::from_utf8(&rest[..length]) else { continue };
                let Ok(number) = candidate.trim_matches(' ').parse::<f64>() else { continue };
                if conversion.fixed(number) == candidate {
                    let condition = written_as(terms, conversion, *value, number, candidate);
                    found.push((position + length, condition));
                }
            }
            found
        }
    }
}

/// When a double is written as a text: between the least and the largest number that are.
fn written_as(terms: &mut Terms, conversion: &Conversion, value: TermId, number: f64, text: &str) -> TermId {
    let same = |x: f64| conversion.fixed(x) == text;
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
