//! How large formulas become as circuits.

use std::collections::HashSet;

use wherefore_formula::{BinaryOp, Node, Sort, TermId, Terms};

/// About how many gates formulas have together, before anything is known of their inputs. Float arithmetic counts as its
/// results: it has gates only where they turn out to be needed.
pub fn gates(terms: &Terms, formulas: &[TermId]) -> u64 {
    let mut seen: HashSet<TermId> = formulas.iter().copied().collect();
    let mut work: Vec<TermId> = seen.iter().copied().collect();
    let mut all = 0u64;
    while let Some(term) = work.pop() {
        let node = terms.node(term);
        let width = match terms.sort(term) {
            Sort::Bool => 1,
            Sort::Bits(width) => u64::from(width),
        };
        all = all.saturating_add(match node {
            // A row for each bit of a factor; of a constant only those that are set.
            Node::Binary(BinaryOp::Mul, a, b) => {
                let rows = |t: &TermId| terms.constant(*t).map_or(width, |value| u64::from(value.count_ones()));
                width * rows(a).min(rows(b))
            }
            Node::Binary(BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem, ..) => 4 * width * width,
            _ => width,
        });
        node.for_each_child(|child| {
            if seen.insert(child) {
                work.push(child);
            }
        });
    }
    all
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
        assert!(gates(&terms, &[a]) > 1000);
        assert!(gates(&terms, &[b]) < 200);
        assert_eq!(gates(&terms, &[a, a]), gates(&terms, &[a]));
    }
}
