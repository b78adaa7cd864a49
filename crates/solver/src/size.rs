//! How large formulas become as circuits.

use std::collections::HashSet;

use wherefore_formula::{BinaryOp, Node, Sort, TermId, Terms};

/// What a gate takes in the solver, clauses and tables included.
const GATE_BYTES: u64 = 200;

/// What is a circuit already.
#[derive(Debug, Default)]
pub struct Circuit {
    terms: HashSet<TermId>,
}

impl Circuit {
    /// About how many bytes formulas take in the solver, beside what is there. Float arithmetic counts as its results: it
    /// has gates only where they turn out to be needed.
    pub fn bytes(&self, terms: &Terms, formulas: &[TermId]) -> u64 {
        self.missing(terms, formulas).iter().map(|term| gates(terms, *term)).sum::<u64>().saturating_mul(GATE_BYTES)
    }

    /// Formulas become a part of it.
    pub fn add(&mut self, terms: &Terms, formulas: &[TermId]) {
        let missing = self.missing(terms, formulas);
        self.terms.extend(missing);
    }

    /// The parts of formulas that are not there yet.
    fn missing(&self, terms: &Terms, formulas: &[TermId]) -> HashSet<TermId> {
        let mut found: HashSet<TermId> = formulas.iter().copied().filter(|f| !self.terms.contains(f)).collect();
        let mut work: Vec<TermId> = found.iter().copied().collect();
        while let Some(term) = work.pop() {
            terms.node(term).for_each_child(|child| {
                if !self.terms.contains(&child) && found.insert(child) {
                    work.push(child);
                }
            });
        }
        found
    }
}

/// About how many gates a term has beside its parts, before anything is known of its inputs.
fn gates(terms: &Terms, term: TermId) -> u64 {
    let width = match terms.sort(term) {
        Sort::Bool => 1,
        Sort::Bits(width) => u64::from(width),
        // No circuit has them.
        Sort::Int => 0,
    };
    match terms.node(term) {
        // A row for each bit of a factor; of a constant only those that are set.
        Node::Binary(BinaryOp::Mul, a, b) => {
            let rows = |t: &TermId| terms.constant(*t).map_or(width, |value| u64::from(value.count_ones()));
            width * rows(a).min(rows(b))
        }
        Node::Binary(BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem, ..) => 4 * width * width,
        _ => width,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wherefore_formula::VarId;

    #[test]
    fn products_are_large_and_shared_parts_count_once() {
        let mut terms = Terms::new();
        let (x, y) = (terms.var(VarId(0), Sort::Bits(32)), terms.var(VarId(1), Sort::Bits(32)));
        let product = terms.binary(BinaryOp::Mul, x, y);
        let three = terms.bits(32, 3);
        let triple = terms.binary(BinaryOp::Mul, x, three);
        let (a, b) = (terms.eq(product, y), terms.eq(triple, y));
        let mut circuit = Circuit::default();
        assert!(circuit.bytes(&terms, &[a]) > 1000 * GATE_BYTES);
        assert!(circuit.bytes(&terms, &[b]) < 200 * GATE_BYTES);
        assert_eq!(circuit.bytes(&terms, &[a, a]), circuit.bytes(&terms, &[a]));
        circuit.add(&terms, &[a]);
        assert_eq!(circuit.bytes(&terms, &[a]), 0, "it is there");
        assert!(circuit.bytes(&terms, &[b]) > 0);
    }
}
