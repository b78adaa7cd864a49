//! Variables of the formula.

use crate::Unfolding;
use crate::memory::Undefined;
use wherefore_formula::{Sort, TermId, Terms, VarId};

/// Makes variables.
#[derive(Default)]
pub(crate) struct Variables {
    next: u32,
    unknowns: Vec<(VarId, Sort)>,
}

impl Variables {
    pub fn fresh(&mut self) -> VarId {
        self.next += 1;
        VarId(self.next - 1)
    }

    /// Those that nothing determines.
    #[cfg(test)]
    pub fn unknowns(&self) -> &[(VarId, Sort)] {
        &self.unknowns
    }

    pub fn finish(self, unfolding: &mut Unfolding) {
        unfolding.unknowns = self.unknowns;
        unfolding.next_variable = self.next;
    }
}

impl Undefined for Variables {
    fn undefined(&mut self, terms: &mut Terms, bits: u32) -> TermId {
        let var = self.fresh();
        self.unknowns.push((var, Sort::Bits(bits)));
        terms.var(var, Sort::Bits(bits))
    }
}
