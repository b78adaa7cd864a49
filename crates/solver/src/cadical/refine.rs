//! Float arithmetic is looked into only where it matters: the bits of a result are any, until a model needs them to be
//! what the operation does not give. Then the operation gets its circuit.

use rustc_hash::FxHashSet;
use rustsat::types::Lit;
use wherefore_formula::{FloatOp, TermId, Terms};

use super::arithmetic::Arithmetic;
use super::blast::{Bits, Blaster};
use super::float;
use super::logic::Logic;

/// An operation whose result is any bits.
pub(super) struct Open {
    /// The first term of this operation on these bits.
    pub(super) term: TermId,
    pub(super) op: FloatOp,
    pub(super) args: Vec<Bits>,
    pub(super) result: Bits,
}

impl Open {
    /// The result for operands that have these bits; `None` if there is one without, or if C does not define it.
    pub(super) fn computed(&self, value_of: impl Fn(Lit) -> Option<bool>) -> Option<u128> {
        let args: Option<Vec<u128>> = self.args.iter().map(|arg| number(arg, &value_of)).collect();
        self.op.computed(self.args[0].len() as u32, &args?)
    }

    /// Whether the result is the computed one in a model. One that is not defined is not: it needs its circuit.
    fn is_right(&self, value_of: impl Fn(Lit) -> Option<bool>) -> bool {
        self.computed(&value_of).is_some_and(|computed| number(&self.result, &value_of) == Some(computed))
    }
}

fn number(bits: &[Lit], value_of: impl Fn(Lit) -> Option<bool>) -> Option<u128> {
    bits.iter().rev().try_fold(0, |number, &bit| Some(number << 1 | u128::from(value_of(bit)?)))
}

impl Blaster {
    /// Gives circuits to the open operations in formulas that a model has wrong, or to all of them. How many got one;
    /// `None` if it was stopped in between, which does no harm.
    pub(super) fn refine(
        &mut self,
        terms: &Terms,
        formulas: &[TermId],
        all: bool,
        value_of: impl Fn(Lit) -> Option<bool>,
        stop: impl Fn() -> bool,
    ) -> Option<usize> {
        let within = self.first_bits(terms, formulas);
        let is_wrong = |open: &&Open| within.contains(&open.result[0]) && (all || !open.is_right(&value_of));
        let wrong: Vec<TermId> = self.open.iter().filter(is_wrong).map(|open| open.term).collect();
        // With what they are computed from: to find operands of a circuit is hard, to compute it from them is not.
        let needed = self.first_bits(terms, &wrong);
        let mut defined = 0;
        let mut open = std::mem::take(&mut self.open).into_iter();
        while let Some(operation) = open.next() {
            if !needed.contains(&operation.result[0]) {
                self.open.push(operation);
                continue;
            }
            if stop() {
                self.open.push(operation);
                self.open.extend(open);
                return None;
            }
            match self.define(&operation) {
                true => defined += 1,
                false => self.open.push(operation),
            }
        }
        Some(defined)
    }

    /// The first bits of all parts of terms: a result is known by it, since no other has it.
    fn first_bits(&self, terms: &Terms, roots: &[TermId]) -> FxHashSet<Lit> {
        terms.reachable(roots).iter().filter_map(|&t| self.first_bit(t)).collect()
    }

    /// Requires of a result that it is what the operation gives; `false` if there is no circuit for that.
    fn define(&mut self, open: &Open) -> bool {
        let undefined = match open.op {
            FloatOp::ToSigned { .. } | FloatOp::ToUnsigned { .. } => self.undefined(open.result.len()),
            _ => vec![],
        };
        let Some(computed) = float::circuit(&mut self.gates, open.op, &open.args, &undefined) else { return false };
        for (&bit, computed) in open.result.iter().zip(computed) {
            self.gates.clause(&[!bit, computed]);
            self.gates.clause(&[bit, !computed]);
        }
        self.has_circuits = true;
        true
    }

    /// The value that C does not define: by convention that of evaluation, only the top bit set, else any.
    fn undefined(&mut self, width: usize) -> Bits {
        let convention = *self.convention.get_or_insert_with(|| self.gates.fresh());
        let usual = self.gates.number(width, 1 << (width - 1));
        usual
            .into_iter()
            .map(|usual| {
                let any = self.gates.fresh();
                self.gates.mux(convention, usual, any)
            })
            .collect()
    }
}
