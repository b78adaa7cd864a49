//! Numbers in texts: `atoi`, `strtol` and their like.

use super::Call;
use crate::builder::{Facts, Value};
use crate::walk::Walker;
use wherefore_formula::{BinaryOp, TermId};

/// So many digits fit whatever they are.
const DIGITS: usize = 18;

/// A number at the start of a text.
pub(super) struct Numeral {
    /// Bytes before its digits: white space, a sign, `0x`.
    start: usize,
    /// Where it ends: behind its digits, or at the start of the text if it has none.
    pub end: usize,
    negative: bool,
    pub base: u32,
    /// Which bytes are what: true in the run.
    pub shape: TermId,
}

impl Numeral {
    pub fn has_digits(&self) -> bool {
        self.end > self.start
    }
}

impl Walker<'_> {
    pub(super) fn numeral(&mut self, call: &Call) -> Option<Value> {
        let (text, end, base) = match (call.function.name, call.arguments) {
            ("atoi" | "atol", [text]) => (text, None, None),
            ("strtol" | "strtoul", [text, end, base]) => (text, Some(end), Some(base)),
            ("strtod", [text, end]) => return self.real(call, text, end),
            _ => return None,
        };
        let bytes = self.text(text, None, call.here)?;
        let numeral = self.numeral_in(&bytes, base.map_or(10, |base| base.concrete as u32), None)?;
        let bytes = &bytes[..bytes.len().min(numeral.end.max(numeral.start) + 1)];
        let mut facts = self.facts_of(bytes, &[text]);
        base.iter().for_each(|base| self.fix(&mut facts, base));
        self.hold(&mut facts, numeral.shape);
        if let Some(end) = end.filter(|end| end.concrete != 0) {
            let mut place = self.pointer_behind(text, numeral.end as u64);
            place.facts.merge(&facts);
            self.put_number(end, &place, call.here);
        }
        let value = self.worth(bytes, &numeral, call.bits.max(32), facts);
        Some(if numeral.has_digits() { value } else { self.under(numeral.shape, value, call) })
    }

    /// The number that a text begins with, read as the run did; at most so many bytes of it.
    pub(super) fn numeral_in(&mut self, bytes: &[Value], base: u32, most: Option<usize>) -> Option<Numeral> {
        let mut shape = vec![];
        let mut at = 0;
        while bytes.get(at).is_some_and(|byte| is_space(byte.concrete as u8)) {
            shape.push(self.is_space_term(bytes[at].term));
            at += 1;
        }
        let first = bytes.get(at)?.clone();
        let limit = most.map_or(bytes.len(), |most| bytes.len().min(at + most));
        let negative = first.concrete == u128::from(b'-');
        if negative || first.concrete == u128::from(b'+') {
            let sign = self.number_term(8, first.concrete as u64);
            shape.push(self.build.terms.eq(first.term, sign));
            at += 1;
        } else {
            let space = self.is_space_term(first.term);
            let (minus, plus) = (self.is_byte(&first, b'-'), self.is_byte(&first, b'+'));
            let other = self.build.terms.or([space, minus, plus]);
            shape.push(self.build.terms.not(other));
        }
        let recorded: Vec<u8> = bytes.iter().map(|byte| byte.concrete as u8).collect();
        let hex = |at: usize| {
            recorded.get(at) == Some(&b'0')
                && matches!(recorded.get(at + 1), Some(b'x' | b'X'))
                && recorded.get(at + 2).is_some_and(u8::is_ascii_hexdigit)
        };
        let base = match base {
            0 if hex(at) => 16,
            0 if recorded.get(at) == Some(&b'0') => 8,
            0 => 10,
            base => base,
        };
        if !(2..=36).contains(&base) {
            return None;
        }
        let prefix = if base == 16 && hex(at) { 2 } else { 0 };
        for byte in &bytes[at..at + prefix] {
            shape.push(self.is_byte(byte, byte.concrete as u8));
        }
        at += prefix;
        let start = at;
        while at < limit && digit_of(recorded[at], base).is_some() {
            shape.push(self.is_digit_term(&bytes[at], base));
            at += 1;
        }
        if at < limit {
            let more = self.is_any_digit(bytes[at].term, base);
            shape.push(self.build.terms.not(more));
        }
        if at - start > DIGITS || at == bytes.len() && most.is_none() {
            return None;
        }
        let shape = self.build.terms.and(shape);
        let end = if at > start { at } else { 0 };
        Some(Numeral { start, end, negative, base, shape })
    }

    /// The value of a number.
    pub(super) fn worth(&mut self, bytes: &[Value], numeral: &Numeral, bits: u32, facts: Facts) -> Value {
        let mut term = self.number_term(bits, 0);
        let digits = if numeral.has_digits() { &bytes[numeral.start..numeral.end] } else { &[] };
        for byte in digits {
            let wide = self.build.terms.zero_extend(byte.term, bits);
            let offset = match byte.concrete as u8 {
                b'0'..=b'9' => b'0',
                b'a'..=b'z' => b'a' - 10,
                _ => b'A' - 10,
            };
            let offset = self.build.terms.bits(bits, u128::from(offset).wrapping_neg());
            let digit = self.build.terms.binary(BinaryOp::Add, wide, offset);
            let base = self.number_term(bits, u64::from(numeral.base));
            term = self.build.terms.binary(BinaryOp::Mul, term, base);
            term = self.build.terms.binary(BinaryOp::Add, term, digit);
        }
        if numeral.negative {
            term = self.build.terms.neg(term);
        }
        self.valued(term, facts)
    }

    /// `strtod`: where the number ends is recorded, its value depends on the bytes up to there.
    fn real(&mut self, call: &Call, text: &Value, end: &Value) -> Option<Value> {
        let bytes = self.text(text, None, call.here)?;
        let mut used = bytes.len();
        if end.concrete != 0 {
            let chunk = call.chunks.iter().find(|chunk| chunk.address == end.concrete as u64)?;
            let place = u64::from_le_bytes(chunk.bytes.get(..8)?.try_into().ok()?);
            used = place.checked_sub(text.concrete as u64).filter(|used| *used < bytes.len() as u64)? as usize;
            let facts = self.recorded_facts(&bytes[..=used], text);
            let mut place = self.pointer_behind(text, used as u64);
            place.facts.merge(&facts);
            self.put_number(end, &place, call.here);
        }
        let read = &bytes[..bytes.len().min(used + 1)];
        let facts = self.recorded_facts(read, text);
        let same = facts.addresses.clone();
        let same = self.build.terms.and(same);
        let value = Value { facts, ..self.build.constant(call.bits, call.returned) };
        Some(self.under(same, value, call))
    }

    fn recorded_facts(&mut self, bytes: &[Value], pointer: &Value) -> Facts {
        let fixed: Vec<&Value> = bytes.iter().chain([pointer]).collect();
        self.facts_of(bytes, &fixed)
    }

    pub(super) fn is_space_term(&mut self, byte: TermId) -> TermId {
        let (low, high) = (self.number_term(8, 9), self.number_term(8, 13));
        let (above, below) = (self.build.terms.ule(low, byte), self.build.terms.ule(byte, high));
        let control = self.build.terms.and2(above, below);
        let blank = self.number_term(8, 32);
        let blank = self.build.terms.eq(byte, blank);
        self.build.terms.or2(control, blank)
    }

    pub(super) fn is_byte(&mut self, byte: &Value, wanted: u8) -> TermId {
        let wanted = self.number_term(8, u64::from(wanted));
        self.build.terms.eq(byte.term, wanted)
    }

    fn within(&mut self, byte: TermId, low: u8, high: u8) -> TermId {
        let (low, high) = (self.number_term(8, u64::from(low)), self.number_term(8, u64::from(high)));
        let (above, below) = (self.build.terms.ule(low, byte), self.build.terms.ule(byte, high));
        self.build.terms.and2(above, below)
    }

    /// Whether a byte is a digit of the kind that it is in the run.
    fn is_digit_term(&mut self, byte: &Value, base: u32) -> TermId {
        let letters = base.saturating_sub(10) as u8;
        match byte.concrete as u8 {
            b'0'..=b'9' => self.within(byte.term, b'0', b'0' + (base.min(10) as u8 - 1)),
            b'a'..=b'z' => self.within(byte.term, b'a', b'a' + letters - 1),
            _ => self.within(byte.term, b'A', b'A' + letters - 1),
        }
    }

    fn is_any_digit(&mut self, byte: TermId, base: u32) -> TermId {
        let mut ways = vec![self.within(byte, b'0', b'0' + (base.min(10) as u8 - 1))];
        if base > 10 {
            let letters = (base - 10) as u8;
            ways.push(self.within(byte, b'a', b'a' + letters - 1));
            ways.push(self.within(byte, b'A', b'A' + letters - 1));
        }
        self.build.terms.or(ways)
    }
}

fn is_space(byte: u8) -> bool {
    wherefore_clib::scan::is_space(byte)
}

fn digit_of(byte: u8, base: u32) -> Option<u32> {
    (2..=36).contains(&base).then(|| char::from(byte).to_digit(base)).flatten()
}
