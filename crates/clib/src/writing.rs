//! What `printf` writes for a value.

use crate::print::{Amount, Conversion, Directive};

/// How a value is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Writing {
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

impl Writing {
    /// As it is.
    pub const PLAIN: Writing = Writing {
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

/// A byte of an integer's text: fixed, or the digit of a power of the base.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Laid {
    /// A fixed byte.
    Byte(u8),
    /// The digit of this power.
    Digit(usize),
}

impl Writing {
    /// How a directive writes its argument. `fixed` gives the values that `*` stands for.
    pub fn of(it: &Directive, fixed: &mut dyn FnMut(usize) -> Option<i64>) -> Option<Writing> {
        let mut number = |amount: Option<Amount>| match amount {
            Some(Amount::Fixed(number)) => Some(Some(number as i64)),
            Some(Amount::Argument(argument)) => fixed(argument).map(Some),
            None => Some(None),
        };
        let width = number(it.width)?;
        // A negative precision is none.
        let precision = number(it.precision)?.and_then(|precision| usize::try_from(precision).ok());
        let plain = Writing {
            width: usize::try_from(width.unwrap_or(0).unsigned_abs()).ok()?,
            precision,
            left: it.left || width.is_some_and(|width| width < 0),
            zeros: it.zeros,
            plus: it.plus,
            space: it.space,
            alternate: it.alternate,
            ..Writing::PLAIN
        };
        Some(match it.conversion {
            Conversion::Signed => Writing { bits: it.length.integer_bits()?, ..plain },
            Conversion::Unsigned { base, upper } => {
                Writing { bits: it.length.integer_bits()?, signed: false, base, upper, ..plain }
            }
            Conversion::Real { style, upper } => Writing { bits: 64, float: style, upper, ..plain },
            Conversion::Char | Conversion::String | Conversion::Pointer | Conversion::Count => plain,
        })
    }

    /// The text of an integer.
    pub fn integer(&self, value: u128) -> String {
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
    pub fn layout(&self, count: usize, negative: bool) -> Vec<Laid> {
        // Bytes that no text has stand for digits.
        let marks = (0..count).rev().map(|n| char::from(n as u8 + 1)).collect();
        let text = self.with_digits(negative, marks, false);
        text.bytes().map(|b| if b <= 0x1f { Laid::Digit(usize::from(b) - 1) } else { Laid::Byte(b) }).collect()
    }

    /// The text of a floating point number.
    pub fn float(&self, value: f64) -> String {
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
    pub fn integer_of(&self, text: &str) -> Option<u128> {
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
    pub fn margins(&self, length: usize) -> (usize, usize) {
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
