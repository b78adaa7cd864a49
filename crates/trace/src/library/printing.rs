//! `sprintf` and `snprintf`: the characters of a text from the values that it shows.

use super::Call;
use crate::builder::{Facts, Value};
use crate::walk::Walker;
use wherefore_clib::print::{self, Amount, Conversion, Directive, Piece};
use wherefore_formula::BinaryOp;

impl Walker<'_> {
    pub(super) fn printing(&mut self, call: &Call) -> Option<Value> {
        let (to, size, format) = match (call.function.name, call.arguments) {
            ("sprintf", [to, format, ..]) => (to, None, format),
            ("snprintf", [to, size, format, ..]) => (to, Some(size), format),
            _ => return None,
        };
        let format_bytes = self.text(format, None, call.here)?;
        let text: Vec<u8> = format_bytes.iter().map(|byte| byte.concrete as u8).take_while(|byte| *byte != 0).collect();
        let pieces = print::parse(&text).ok()?;
        let mut facts = self.copied_facts(&format_bytes, &[format, to]);
        size.iter().for_each(|size| self.fix(&mut facts, size));
        let mut bytes = self.printed(call, &pieces, &mut facts)?;
        let length = bytes.len() as u64;
        let zero = self.build.constant(8, 0);
        bytes.push(zero.clone());
        if let Some(size) = size {
            bytes.truncate(size.concrete as usize);
            if let Some(last) = bytes.last_mut() {
                *last = zero;
            }
        }
        self.put(to, &bytes, &facts, call.here);
        let result = self.build.constant(32, u128::from(length));
        Some(Value { facts, ..result })
    }

    /// The bytes of all pieces. One of them may be known by the recording alone: what is left between the others.
    fn printed(&mut self, call: &Call, pieces: &[Piece], facts: &mut Facts) -> Option<Vec<Value>> {
        let mut parts: Vec<Option<Vec<Value>>> = vec![];
        for piece in pieces {
            parts.push(match piece {
                Piece::Text(text) => Some(text.iter().map(|byte| self.build.constant(8, u128::from(*byte))).collect()),
                Piece::Directive(directive) => self.directive(call, directive, facts),
            });
        }
        let unknown: Vec<usize> = (0..parts.len()).filter(|n| parts[*n].is_none()).collect();
        if let [unknown] = unknown[..] {
            let known: usize = parts.iter().flatten().map(Vec::len).sum();
            let length = (call.returned as u32 as usize).checked_sub(known)?;
            let before: usize = parts[..unknown].iter().flatten().map(Vec::len).sum();
            let chunk = call.chunks.iter().find(|chunk| Some(chunk.address) == call.number(0))?;
            let shown = chunk.bytes.get(before..before + length)?.to_vec();
            if let Piece::Directive(directive) = &pieces[unknown] {
                let argument = call.argument(call.function.arguments + directive.argument)?.clone();
                self.fix(facts, &argument);
            }
            parts[unknown] = Some(shown.iter().map(|byte| self.build.constant(8, u128::from(*byte))).collect());
        }
        let parts: Option<Vec<Vec<Value>>> = parts.into_iter().collect();
        Some(parts?.concat())
    }

    fn directive(&mut self, call: &Call, it: &Directive, facts: &mut Facts) -> Option<Vec<Value>> {
        let argument = call.argument(call.function.arguments + it.argument)?.clone();
        let width = match it.width {
            None => 0,
            Some(Amount::Fixed(width)) => width,
            Some(Amount::Argument(_)) => return None,
        };
        let (sign, bytes) = match it.conversion {
            Conversion::Char => (vec![], vec![self.low_byte(&argument)]),
            Conversion::String => {
                let most = match it.precision {
                    None => None,
                    Some(Amount::Fixed(most)) => Some(most as u64),
                    Some(Amount::Argument(_)) => return None,
                };
                let mut bytes = self.copied_text(&argument, most, call.here)?;
                let shape = self.copied_facts(&bytes, &[&argument]);
                facts.merge(&shape);
                if bytes.last().is_some_and(|last| last.concrete == 0) {
                    bytes.pop();
                }
                (vec![], bytes)
            }
            Conversion::Signed if it.precision.is_none() => self.digits(it, &argument, true, 10, facts)?,
            Conversion::Unsigned { base, upper: false } if it.precision.is_none() && !it.alternate => {
                self.digits(it, &argument, false, base, facts)?
            }
            _ => return None,
        };
        facts.merge(&argument.facts);
        Some(self.padded(sign, bytes, it, width))
    }

    fn padded(&mut self, sign: Vec<Value>, bytes: Vec<Value>, it: &Directive, width: usize) -> Vec<Value> {
        let missing = width.saturating_sub(sign.len() + bytes.len());
        let is_number = matches!(it.conversion, Conversion::Signed | Conversion::Unsigned { .. });
        let zeros = it.zeros && !it.left && is_number;
        let pad = vec![self.build.constant(8, if zeros { 48 } else { 32 }); missing];
        match (it.left, zeros) {
            (true, _) => [sign, bytes, pad].concat(),
            (_, true) => [sign, pad, bytes].concat(),
            _ => [pad, sign, bytes].concat(),
        }
    }

    /// The sign and the digits of a number; how many there are is fixed.
    fn digits(
        &mut self,
        it: &Directive,
        argument: &Value,
        signed: bool,
        base: u32,
        facts: &mut Facts,
    ) -> Option<(Vec<Value>, Vec<Value>)> {
        let bits = it.length.integer_bits()?;
        let own = self.build.terms.width(argument.term);
        if own < bits {
            return None;
        }
        let cut = self.build.terms.extract(argument.term, 0, bits);
        let wide = bits.max(32);
        let term =
            if signed { self.build.terms.sign_extend(cut, wide) } else { self.build.terms.zero_extend(cut, wide) };
        let number = self.valued(term, argument.facts.clone());
        let zero = self.number_term(wide, 0);
        let is_negative = signed && number.concrete >> (wide - 1) & 1 == 1;
        if signed {
            let negative = self.build.terms.slt(term, zero);
            let as_it_was = if is_negative { negative } else { self.build.terms.not(negative) };
            self.hold(facts, as_it_was);
        }
        let size = if is_negative { self.build.terms.neg(term) } else { term };
        let size = self.valued(size, number.facts.clone());
        let mut powers = vec![1u128];
        while size.concrete / powers[powers.len() - 1] >= u128::from(base) {
            powers.push(powers[powers.len() - 1] * u128::from(base));
        }
        let top = powers[powers.len() - 1];
        if top > 1 {
            let least = self.build.terms.bits(wide, top);
            let enough = self.build.terms.ule(least, size.term);
            self.hold(facts, enough);
        }
        if top * u128::from(base) < 1 << wide {
            let limit = self.build.terms.bits(wide, top * u128::from(base));
            let fits = self.build.terms.ult(size.term, limit);
            self.hold(facts, fits);
        }
        let mut digits = vec![];
        for power in powers.iter().rev() {
            digits.push(self.digit(&size, *power, *power == top, base));
        }
        let sign = match () {
            () if is_negative => Some(b'-'),
            () if signed && it.plus => Some(b'+'),
            () if signed && it.space => Some(b' '),
            () => None,
        };
        let sign = sign.map(|byte| self.build.constant(8, u128::from(byte)));
        Some((sign.into_iter().collect(), digits))
    }

    fn digit(&mut self, number: &Value, power: u128, is_first: bool, base: u32) -> Value {
        let wide = self.build.terms.width(number.term);
        let mut term = number.term;
        if power > 1 {
            let power = self.build.terms.bits(wide, power);
            term = self.build.terms.binary(BinaryOp::UDiv, term, power);
        }
        if !is_first {
            let base = self.number_term(wide, u64::from(base));
            term = self.build.terms.binary(BinaryOp::URem, term, base);
        }
        let low = self.build.terms.extract(term, 0, 8);
        let zero = self.number_term(8, u64::from(b'0'));
        let mut character = self.build.terms.binary(BinaryOp::Add, low, zero);
        if base > 10 {
            let ten = self.number_term(8, 10);
            let is_letter = self.build.terms.ule(ten, low);
            let letter = self.number_term(8, u64::from(b'a' - 10));
            let letter = self.build.terms.binary(BinaryOp::Add, low, letter);
            character = self.build.terms.ite(is_letter, letter, character);
        }
        self.valued(character, number.facts.clone())
    }
}
