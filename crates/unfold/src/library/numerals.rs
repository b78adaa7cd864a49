//! Numbers read from text: from an argument of the program, or from bytes that it made.

use super::{Call, Given};
use crate::Source;
use crate::memory::ObjectId;
use crate::scan::Number;
use crate::state::{State, Unfolder};
use wherefore_formula::{BinaryOp, TermId};
use wherefore_program::Origin;

/// Texts a number may be read from, all of them followed.
const MANY_TEXTS: usize = 4;
/// Longest text followed among more.
const SHORT_TEXT: u64 = 32;
/// Bytes in which a number has to end.
const LONG_NUMBER: usize = 48;
/// Digits that fit into 64 bits in every base up to ten.
const SAFE_DIGITS: u128 = 18;

/// A number found in text.
struct Found {
    /// Its value, modulo 2 to the 64.
    value: TermId,
    /// How many bytes it takes with what stands before it; 0 when there is none (64 bits).
    used: TermId,
}

impl Unfolder<'_> {
    pub(super) fn number_function(&mut self, state: &mut State, call: &Call) -> Option<Given> {
        let at = call.at;
        Some(match (call.name, call.arguments) {
            ("atoi", [text]) => self.number(state, *text, Number::Int, at),
            ("atol", [text]) => self.number(state, *text, Number::Long, at),
            ("atof", [text]) => self.number(state, *text, Number::Double, at),
            ("strtol", [text, end, base]) => self.convert_text(state, Number::Long, (*text, *end, *base), at),
            ("strtoul", [text, end, base]) => self.convert_text(state, Number::UnsignedLong, (*text, *end, *base), at),
            _ => return None,
        })
    }

    /// A number read from text: from an argument it is an input of its own.
    fn number(&mut self, state: &mut State, text: TermId, number: Number, at: Option<Origin>) -> Option<TermId> {
        let truth = self.terms.truth(true);
        let ways = self.ways_or_cut(state, truth, text, at);
        let many = ways.len() > MANY_TEXTS;
        let mut value: Option<TermId> = None;
        let mut wrong = vec![];
        for way in ways.into_iter().rev() {
            let Some(object) = self.object_at(way.base).filter(|id| state.memory.contains_key(id)) else {
                wrong.push(way.condition);
                continue;
            };
            let kind = self.kind(object).clone();
            let start = way.base.wrapping_sub(kind.address);
            let argument = self.objects.argument(object);
            let found = match argument {
                Some(argument)
                    if way.index.is_none() && start < kind.size && self.is_pristine(state, object, argument) =>
                {
                    self.argument_number(argument, start as u32, number)
                }
                _ if number == Number::Double || many && kind.size > SHORT_TEXT => {
                    self.note(at, "a number is read from text that the program makes; its value is not followed");
                    self.unknown(number.bits())
                }
                _ => {
                    let bytes = self.gather_way(state, &way, None, true, at).unwrap_or_default();
                    let found = self.number_in(state, way.condition, &bytes, 10, at);
                    self.terms.extract(found.value, 0, number.bits())
                }
            };
            value = Some(match value {
                Some(rest) => self.terms.ite(way.condition, found, rest),
                None => found,
            });
        }
        for condition in wrong {
            self.fail_if(state, condition, "an invalid pointer is used", at);
        }
        value
    }

    /// The number that starts at a byte of an argument.
    pub fn argument_number(&mut self, argument: u32, start: u32, number: Number) -> TermId {
        let source = Source::ArgumentNumber(argument, start, number);
        let known = self.sources.term(&source).is_some();
        let found = self.input(source.clone(), number.bits());
        if !known {
            self.tell_runs(&source);
        }
        self.sources.read(found);
        found
    }

    /// Inputs found on the way have their values in the tests that run along.
    fn tell_runs(&mut self, source: &Source) {
        let Some((var, _)) = self.sources.iter().find(|(_, own)| *own == source) else { return };
        for run in self.bounds.runs() {
            let value = source.value(&run.input);
            run.evaluation.set(var, value);
        }
    }

    /// Whether an argument is as it was given.
    fn is_pristine(&self, state: &State, object: ObjectId, argument: u32) -> bool {
        state.memory[&object].cells.iter().all(|(offset, cell)| {
            let source = Source::ArgumentByte(argument, *offset as u32);
            self.sources.term(&source) == Some(cell.value)
        })
    }

    /// The number at the start of a string that is looked at where a condition holds.
    fn number_in(
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
            let space = self.is_space(*byte);
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
    fn convert_text(
        &mut self,
        state: &mut State,
        number: Number,
        (text, end, base): (TermId, TermId, TermId),
        at: Option<Origin>,
    ) -> Option<TermId> {
        let base = self.fixed(state, base, at);
        if self.terms.constant(end) == Some(0) && base == Some(10) {
            return self.number(state, text, number, at);
        }
        let Some(base) = base.filter(|base| (2..=10).contains(base)) else {
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
}
