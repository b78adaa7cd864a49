//! Functions that measure and compare texts.

use super::Call;
use crate::builder::{Facts, Value};
use crate::walk::Walker;
use wherefore_formula::{BinaryOp, TermId};

impl Walker<'_> {
    pub(super) fn looking(&mut self, call: &Call) -> Option<Value> {
        let here = call.here;
        match (call.function.name, call.arguments) {
            ("strlen", [text]) => {
                let bytes = self.short_text(text, None, here)?;
                let facts = self.facts_of(&bytes, &[text]);
                Some(self.length(&bytes, facts))
            }
            ("strnlen", [text, most]) => {
                let bytes = self.short_text(text, Some(most.concrete as u64), here)?;
                let facts = self.facts_of(&bytes, &[text, most]);
                Some(self.length(&bytes, facts))
            }
            ("strcmp" | "strcoll", [a, b]) => self.compare_texts(call, a, b, &[], false),
            ("strcasecmp", [a, b]) => self.compare_texts(call, a, b, &[], true),
            ("strncmp", [a, b, most]) => self.compare_texts(call, a, b, &[most], false),
            ("strncasecmp", [a, b, most]) => self.compare_texts(call, a, b, &[most], true),
            ("memcmp", [a, b, count]) => {
                let (x, y) = (self.bytes(a, count.concrete as u64, here)?, self.bytes(b, count.concrete as u64, here)?);
                let facts = self.facts_of(&[x.clone(), y.clone()].concat(), &[a, b, count]);
                self.difference(&x, &y, false, facts, call)
            }
            _ => None,
        }
    }

    /// Where the first zero is; the bytes end with it, or where no more are looked at.
    pub(super) fn length(&mut self, bytes: &[Value], mut facts: Facts) -> Value {
        let ends: Vec<TermId> = bytes.iter().map(|byte| self.is_zero(byte)).collect();
        let count = bytes.iter().position(|byte| byte.concrete == 0).unwrap_or(bytes.len());
        let mut term = self.number_term(64, count as u64);
        for (n, end) in ends.iter().enumerate().take(count).rev() {
            let number = self.number_term(64, n as u64);
            term = self.build.terms.ite(*end, number, term);
        }
        // Behind its end in the run a text is not known.
        if count < bytes.len() {
            let ended = self.build.terms.or(ends);
            self.hold(&mut facts, ended);
        }
        self.valued(term, facts)
    }

    fn compare_texts(&mut self, call: &Call, a: &Value, b: &Value, most: &[&Value], fold: bool) -> Option<Value> {
        let limit = most.first().map(|most| most.concrete as u64);
        let (mut x, mut y) = (vec![], vec![]);
        // As far as the run compared.
        loop {
            let n = x.len() as u64;
            if limit.is_some_and(|limit| n >= limit) {
                break;
            }
            if n > super::SHORT {
                return None;
            }
            let (mut p, mut q) = (self.byte(a, n, call.here)?, self.byte(b, n, call.here)?);
            if fold {
                (p, q) = (self.lower(p), self.lower(q));
            }
            let ends = p.concrete != q.concrete || p.concrete == 0;
            x.push(p);
            y.push(q);
            if ends {
                break;
            }
        }
        let mut facts = self.facts_of(&[x.clone(), y.clone()].concat(), &[a, b]);
        most.iter().for_each(|most| self.fix(&mut facts, most));
        self.difference(&x, &y, true, facts, call)
    }

    fn lower(&mut self, byte: Value) -> Value {
        let term = self.changed_case(byte.term, b'A');
        self.valued(term, byte.facts)
    }

    /// The difference of the first bytes that differ, or the sign of it: libraries do one or the other.
    fn difference(&mut self, x: &[Value], y: &[Value], ends: bool, mut facts: Facts, call: &Call) -> Option<Value> {
        let is_sign = matches!(call.returned as u32 as i32, -1 | 1);
        let mut decided = vec![];
        let mut differences = vec![];
        for (x, y) in x.iter().zip(y) {
            let same = self.build.terms.eq(x.term, y.term);
            let (wide_x, wide_y) = (self.build.terms.zero_extend(x.term, 32), self.build.terms.zero_extend(y.term, 32));
            let difference = self.build.terms.binary(BinaryOp::Sub, wide_x, wide_y);
            let less = self.build.terms.ult(x.term, y.term);
            let (minus, plus) = (self.number_term(32, u64::from(u32::MAX)), self.number_term(32, 1));
            let sign = self.build.terms.ite(less, minus, plus);
            // Where both are the same, that of a literal says whether it is the last.
            let known = if self.build.terms.constant(y.term).is_some() { y } else { x };
            let end = if ends { self.is_zero(known) } else { self.build.terms.truth(false) };
            let differs = self.build.terms.not(same);
            decided.push(self.build.terms.or2(differs, end));
            differences.push((same, difference, sign, end));
        }
        // Behind the place where the run stopped nothing is known, unless nothing more is compared there.
        let last = x.last().zip(y.last());
        if last.is_some_and(|(x, y)| x.concrete != y.concrete || ends && x.concrete == 0) {
            let settled = self.build.terms.or(decided);
            self.hold(&mut facts, settled);
        }
        let zero = self.number_term(32, 0);
        let mut by_kind = [zero, zero];
        for (kind, result) in by_kind.iter_mut().enumerate() {
            for (same, difference, sign, end) in differences.iter().rev() {
                let rest = self.build.terms.ite(*end, zero, *result);
                *result = self.build.terms.ite(*same, rest, [*difference, *sign][kind]);
            }
        }
        let exact = self.valued(by_kind[0], facts.clone());
        if exact.concrete == call.returned || !is_sign {
            return Some(exact);
        }
        Some(self.valued(by_kind[1], facts))
    }
}
