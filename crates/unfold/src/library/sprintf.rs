//! `sprintf` and `snprintf`: text written into memory, byte by byte.

use crate::format::Directive;
use crate::state::{State, Unfolder};
use wherefore_clib::writing::{Laid, Writing};
use wherefore_formula::{BinaryOp, TermId};
use wherefore_program::Origin;

/// Text of which so many bytes are there.
struct Stretch {
    bytes: Vec<TermId>,
    length: TermId,
}

impl Unfolder<'_> {
    /// Writes a text where there is room for it; gives the length of the whole text.
    pub(super) fn print_text(
        &mut self,
        state: &mut State,
        to: TermId,
        room: Option<TermId>,
        format: TermId,
        arguments: &[TermId],
        at: Option<Origin>,
    ) -> TermId {
        match self.stretches(state, format, arguments, at) {
            Some(stretches) => self.put_stretches(state, to, room, &stretches, at),
            None => {
                self.note(at, "what is written into a text here is not followed");
                self.forget(state, &[to]);
                self.unknown(32)
            }
        }
    }

    /// What a format and its arguments give; `None` for what is not understood.
    fn stretches(
        &mut self,
        state: &mut State,
        format: TermId,
        arguments: &[TermId],
        at: Option<Origin>,
    ) -> Option<Vec<Stretch>> {
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
        Some(stretches)
    }

    fn put_stretches(
        &mut self,
        state: &mut State,
        to: TermId,
        room: Option<TermId>,
        stretches: &[Stretch],
        at: Option<Origin>,
    ) -> TermId {
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
        position
    }

    fn fixed_stretch(&mut self, text: &[u8]) -> Stretch {
        let bytes = text.iter().map(|b| self.terms.bits(8, u128::from(*b))).collect();
        Stretch { bytes, length: self.terms.bits(64, text.len() as u128) }
    }

    /// The text of an integer: its digits, laid out for each number of digits and each sign.
    fn integer_stretch(&mut self, c: &Writing, value: TermId) -> Stretch {
        let value = self.terms.extract(value, 0, c.bits);
        if let Some(value) = self.terms.constant(value) {
            return self.fixed_stretch(c.integer(value).as_bytes());
        }
        let zero = self.terms.bits(c.bits, 0);
        let negative = if c.signed { self.terms.slt(value, zero) } else { self.terms.truth(false) };
        let negated = self.terms.neg(value);
        let magnitude = self.terms.ite(negative, negated, value);
        let figures = self.figures(c, magnitude);
        let mut result: Option<Stretch> = None;
        for count in 1..=figures.len() {
            for is_negative in [false, true] {
                if is_negative && !c.signed {
                    continue;
                }
                let layout = c.layout(count, is_negative);
                let bytes: Vec<TermId> = layout
                    .iter()
                    .map(|piece| match piece {
                        Laid::Byte(byte) => self.terms.bits(8, u128::from(*byte)),
                        Laid::Digit(n) => figures[*n].0,
                    })
                    .collect();
                let own = Stretch { length: self.terms.bits(64, bytes.len() as u128), bytes };
                let Some(rest) = result else {
                    result = Some(own);
                    continue;
                };
                let enough = if count == 1 { self.terms.truth(true) } else { figures[count - 1].1 };
                let signed = if is_negative { negative } else { self.terms.not(negative) };
                // Of those with enough digits the longest comes last, so that it counts.
                let here = self.terms.and2(enough, signed);
                result = Some(self.choose(here, own, rest));
            }
        }
        result.expect("at least one digit")
    }

    /// The digits of a number, the lowest first, each with the condition that the number is long enough to have it; one
    /// digit it has in any case.
    fn figures(&mut self, c: &Writing, magnitude: TermId) -> Vec<(TermId, TermId)> {
        let bits = c.bits;
        let mut figures = vec![];
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
            figures.push((byte, self.terms.uge(magnitude, weight)));
            power *= u128::from(c.base);
        }
        figures
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
