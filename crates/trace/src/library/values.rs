//! Functions of numbers alone.

use super::Call;
use crate::builder::Value;
use crate::walk::Walker;
use wherefore_formula::BinaryOp;

impl Walker<'_> {
    pub(super) fn of_values(&mut self, call: &Call) -> Option<Value> {
        let ("div", [a, b]) = (call.function.name, call.arguments) else { return None };
        let terms = &mut self.build.terms;
        if b.concrete == 0 || call.bits != 2 * terms.width(a.term) {
            return None;
        }
        // The quotient is the first member.
        let quotient = terms.binary(BinaryOp::SDiv, a.term, b.term);
        let rest = terms.binary(BinaryOp::SRem, a.term, b.term);
        let term = terms.concat(rest, quotient);
        let mut facts = self.facts_of(&[a.clone(), b.clone()], &[]);
        let zero = self.build.terms.bits(call.bits / 2, 0);
        let divides = self.build.terms.ne(b.term, zero);
        self.hold(&mut facts, divides);
        Some(self.valued(term, facts))
    }
}
