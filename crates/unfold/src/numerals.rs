//! Numbers as text: reading them from bytes that the program made, and writing them into bytes.

use crate::format::{self, Conversion, Directive};
use crate::scan::Number;
use crate::state::{State, Unfolder};
use wherefore_formula::{BinaryOp, TermId};
use wherefore_program::Origin;

/// Bytes in which a number has to end.
const LONG_NUMBER: usize = 48;
/// Digits that fit into 64 bits in every base up to ten.
const SAFE_DIGITS: u128 = 18;

/// A number found in text.
pub(crate) struct Found {
    /// Its value, modulo 2 to the 64.
    pub value: TermId,
    /// How many bytes it takes with what stands before it; 0 when there is none (64 bits).
    pub used: TermId,
}

/// Text of which so many bytes are there.
struct Stretch {
    bytes: Vec<TermId>,
    length: TermId,
}

impl Unfolder<'_> {
    /// The number at the start of a string that is looked at where a condition holds.
    pub fn number_in(
        &mut self,
        state: &mut State,
        condition: TermId,
        bytes: &[TermId],
        base: u32,
        at: Option<Origin>,
    ) -> Found {
        let no = self.terms.truth(false);
        let (mut blank, mut inside, mut negative) = (self.terms.truth(true), no, no);
        let zero = self.terms.bits(64, 0);
        let (mut value, mut used, mut digits) = (zero, zero, self.terms.bits(8, 0));
        for (n, byte) in bytes.iter().take(LONG_NUMBER).enumerate() {
            let (digit, worth) = self.digit(*byte, base);
            let spaces = self.between(*byte, b'\t', b'\r');
            let space = self.between(*byte, b' ', b' ');
            let space = self.terms.or2(spaces, space);
            let minus = self.between(*byte, b'-', b'-');
            let plus = self.between(*byte, b'+', b'+');
            let sign = self.terms.or2(minus, plus);
            let starts = self.terms.or2(sign, digit);
            let starts = self.terms.and2(blank, starts);
            let may = self.terms.or2(blank, inside);
            let counts = self.terms.and2(may, digit);
            // The value so far times the base, and the digit.
            let factor = self.terms.bits(64, u128::from(base));
            let more = self.terms.binary(BinaryOp::Mul, value, factor);
            let more = self.terms.binary(BinaryOp::Add, more, worth);
            value = self.terms.ite(counts, more, value);
            let end = self.terms.bits(64, n as u128 + 1);
            used = self.terms.ite(counts, end, used);
            let one = self.terms.bits(8, 1);
            let next = self.terms.binary(BinaryOp::Add, digits, one);
            digits = self.terms.ite(counts, next, digits);
            let negated = self.terms.and2(blank, minus);
            negative = self.terms.or2(negative, negated);
            let stays = self.terms.and2(inside, digit);
            inside = self.terms.or2(starts, stays);
            blank = self.terms.and2(blank, space);
            let open = self.terms.or2(blank, inside);
            if self.terms.truth_value(open) == Some(false) {
                break;
            }
        }
        let most = self.terms.bits(8, SAFE_DIGITS);
        let too_long = self.terms.ugt(digits, most);
        let open = if bytes.len() > LONG_NUMBER { self.terms.or2(blank, inside) } else { no };
        let not_followed = self.terms.or2(too_long, open);
        let not_followed = self.terms.and2(condition, not_followed);
        self.cut_if(state, not_followed, "a number of very many digits is not followed", at);
        let negated = self.terms.neg(value);
        let value = self.terms.ite(negative, negated, value);
        Found { value, used }
    }

    /// Whether a byte is a digit, and its worth (64 bits).
    fn digit(&mut self, byte: TermId, base: u32) -> (TermId, TermId) {
        let last = b'0' + base.min(10) as u8 - 1;
        let mut is = self.between(byte, b'0', last);
        let wide = self.terms.zero_extend(byte, 64);
        let offset = self.terms.bits(64, u128::from(b'0'));
        let mut worth = self.terms.binary(BinaryOp::Sub, wide, offset);
        if base > 10 {
            for first in [b'a', b'A'] {
                let letter = self.between(byte, first, first + (base - 11) as u8);
                let offset = self.terms.bits(64, u128::from(first - 10));
                let own = self.terms.binary(BinaryOp::Sub, wide, offset);
                worth = self.terms.ite(letter, own, worth);
                is = self.terms.or2(is, letter);
            }
        }
        (is, worth)
    }

    /// `strtol` and its like.
    pub fn convert_text(
        &mut self,
        state: &mut State,
        number: Number,
        (text, end, base): (TermId, TermId, TermId),
        at: Option<Origin>,
    ) -> Option<TermId> {
        let base = self.terms.constant(base).filter(|base| (2..=10).contains(base));
        let Some(base) = base else {
            self.note(at, "a number in a base other than 2 to 10 is not followed");
            self.forget(state, &[end]);
            return Some(self.unknown(number.bits()));
        };
        let bytes = self.string(state, text, at)?;
        let truth = self.terms.truth(true);
        let found = self.number_in(state, truth, &bytes, base as u32, at);
        if self.terms.constant(end) != Some(0) {
            let null = self.terms.bits(64, 0);
            let given = self.terms.ne(end, null);
            let place = self.terms.binary(BinaryOp::Add, text, found.used);
            self.store_if(state, given, end, place, at);
        }
        Some(found.value)
    }

    /// `sprintf` and `snprintf`: the length of the whole text; `None` for what is not understood.
    pub fn print_into(
        &mut self,
        state: &mut State,
        to: TermId,
        room: Option<TermId>,
        format: TermId,
        arguments: &[TermId],
        at: Option<Origin>,
    ) -> Option<TermId> {
        let directives = self.directives(state, format, arguments, at)?;
        let mut stretches = vec![];
        for directive in directives {
            stretches.push(match directive {
                Directive::Text(text) => self.fixed_stretch(&text),
                Directive::Char(c, n) if c.width <= 1 => {
                    let byte = self.terms.extract(*arguments.get(n)?, 0, 8);
                    Stretch { bytes: vec![byte], length: self.terms.bits(64, 1) }
                }
                Directive::Integer(c, n) => {
                    let value = arguments.get(n).copied().filter(|v| self.terms.width(*v) >= c.bits)?;
                    // How zero is written is a case of its own.
                    if self.terms.constant(value).is_none() && (c.alternate || c.precision == Some(0)) {
                        return None;
                    }
                    self.integer_stretch(&c, value)
                }
                Directive::String(c, n) if c.width == 0 => {
                    let most = c.precision.map(|p| self.terms.bits(64, p as u128));
                    let bytes = self.text(state, *arguments.get(n)?, most, at)?;
                    let length = self.length(&bytes);
                    Stretch { bytes, length }
                }
                Directive::Float(c, n) => {
                    let value = self.terms.constant(*arguments.get(n)?)?;
                    self.fixed_stretch(c.float(f64::from_bits(value as u64)).as_bytes())
                }
                Directive::Char(..) | Directive::String(..) => return None,
            });
        }
        let mut position = self.terms.bits(64, 0);
        let truth = self.terms.truth(true);
        for stretch in stretches {
            for (n, byte) in stretch.bytes.iter().enumerate() {
                let there = self.is_below(n, stretch.length);
                let place = self.displaced(position, n as u64);
                let fits = match room {
                    Some(room) => {
                        let next = self.displaced(place, 1);
                        self.terms.ult(next, room)
                    }
                    None => truth,
                };
                let written = self.terms.and2(there, fits);
                let address = self.terms.binary(BinaryOp::Add, to, place);
                self.store_if(state, written, address, *byte, at);
            }
            position = self.terms.binary(BinaryOp::Add, position, stretch.length);
        }
        let (some, end) = match room {
            Some(room) => {
                let last = self.displaced(room, u64::MAX);
                let less = self.terms.ult(position, last);
                let end = self.terms.ite(less, position, last);
                (self.terms.bits_to_bool(room), end)
            }
            None => (truth, position),
        };
        let address = self.terms.binary(BinaryOp::Add, to, end);
        let zero = self.terms.bits(8, 0);
        self.store_if(state, some, address, zero, at);
        Some(position)
    }

    fn fixed_stretch(&mut self, text: &[u8]) -> Stretch {
        let bytes = text.iter().map(|b| self.terms.bits(8, u128::from(*b))).collect();
        Stretch { bytes, length: self.terms.bits(64, text.len() as u128) }
    }

    /// The text of an integer: its digits, laid out for each number of digits and each sign.
    fn integer_stretch(&mut self, c: &Conversion, value: TermId) -> Stretch {
        let value = self.terms.extract(value, 0, c.bits);
        if let Some(value) = self.terms.constant(value) {
            return self.fixed_stretch(c.integer(value).as_bytes());
        }
        let bits = c.bits;
        let zero = self.terms.bits(bits, 0);
        let negative = if c.signed { self.terms.slt(value, zero) } else { self.terms.truth(false) };
        let negated = self.terms.neg(value);
        let magnitude = self.terms.ite(negative, negated, value);
        let mut digits = vec![];
        let mut least = vec![];
        let mut power: u128 = 1;
        while power >> bits == 0 {
            let weight = self.terms.bits(bits, power);
            let base = self.terms.bits(bits, u128::from(c.base));
            let quotient = self.terms.binary(BinaryOp::UDiv, magnitude, weight);
            let digit = self.terms.binary(BinaryOp::URem, quotient, base);
            let digit = if bits >= 8 { self.terms.extract(digit, 0, 8) } else { digit };
            let figure = self.terms.bits(8, u128::from(b'0'));
            let mut byte = self.terms.binary(BinaryOp::Add, digit, figure);
            if c.base == 16 {
                let ten = self.terms.bits(8, 10);
                let letter = self.terms.uge(digit, ten);
                let first = self.terms.bits(8, u128::from(if c.upper { b'A' } else { b'a' }) - 10);
                let own = self.terms.binary(BinaryOp::Add, digit, first);
                byte = self.terms.ite(letter, own, byte);
            }
            digits.push(byte);
            // With so many digits the number is at least this; none is needed for one digit.
            least.push(self.terms.uge(magnitude, weight));
            power *= u128::from(c.base);
        }
        let mut result: Option<Stretch> = None;
        for count in 1..=digits.len() {
            for is_negative in [false, true] {
                if is_negative && !c.signed {
                    continue;
                }
                let layout = c.layout(count, is_negative);
                let bytes: Vec<TermId> = layout
                    .iter()
                    .map(|piece| match piece {
                        format::Laid::Byte(byte) => self.terms.bits(8, u128::from(*byte)),
                        format::Laid::Digit(n) => digits[*n],
                    })
                    .collect();
                let own = Stretch { length: self.terms.bits(64, bytes.len() as u128), bytes };
                let Some(rest) = result else {
                    result = Some(own);
                    continue;
                };
                let enough = if count == 1 { self.terms.truth(true) } else { least[count - 1] };
                let signed = if is_negative { negative } else { self.terms.not(negative) };
                // Of those with enough digits the longest comes last, so that it counts.
                let here = self.terms.and2(enough, signed);
                result = Some(self.choose(here, own, rest));
            }
        }
        result.expect("at least one digit")
    }

    fn choose(&mut self, condition: TermId, a: Stretch, b: Stretch) -> Stretch {
        let zero = self.terms.bits(8, 0);
        let bytes = (0..a.bytes.len().max(b.bytes.len()))
            .map(|n| {
                let x = a.bytes.get(n).copied().unwrap_or(zero);
                let y = b.bytes.get(n).copied().unwrap_or(zero);
                self.terms.ite(condition, x, y)
            })
            .collect();
        Stretch { bytes, length: self.terms.ite(condition, a.length, b.length) }
    }
}
