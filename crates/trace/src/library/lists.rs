//! Comparisons of decision lists.
//!
//! What a search in a text gives is a list: where the first condition holds this, else where the second holds that. A
//! comparison of it with a constant is told as what the conditions say, so that `strcmp(s, "ab") == 0` is about the
//! characters of `s`.

use wherefore_formula::{CompareOp, Node, TermId, Terms};

/// Longest list that is taken apart.
const LONG: usize = 1200;

/// A comparison of a list with a constant; `None` for others. Without an order it is an equality.
pub(crate) fn compared(terms: &mut Terms, op: Option<CompareOp>, a: TermId, b: TermId) -> Option<TermId> {
    let (list, is_left) = match (terms.constant(a), terms.constant(b)) {
        (None, Some(_)) => (a, true),
        (Some(_), None) => (b, false),
        _ => return None,
    };
    let constant = if is_left { b } else { a };
    let mut choices = vec![];
    let mut rest = list;
    while let Node::Ite(condition, then, otherwise) = *terms.node(rest) {
        let further = |terms: &Terms, t: TermId| matches!(terms.node(t), Node::Ite(..));
        let (leaf, next, holds) = match (further(terms, then), further(terms, otherwise)) {
            (true, true) => return None,
            (true, false) => (otherwise, then, false),
            _ => (then, otherwise, true),
        };
        choices.push((condition, leaf, holds));
        rest = next;
        if choices.len() > LONG {
            return None;
        }
    }
    // A choice between two values that the program computes is its own.
    let leaf_is_constant = choices.first().is_some_and(|(_, leaf, _)| terms.constant(*leaf).is_some());
    if choices.is_empty() || choices.len() == 1 && !leaf_is_constant && terms.constant(rest).is_none() {
        return None;
    }
    let compare = |terms: &mut Terms, value: TermId| {
        let (left, right) = if is_left { (value, constant) } else { (constant, value) };
        match op {
            Some(op) => terms.compare(op, left, right),
            None => terms.eq(left, right),
        }
    };
    let mut formula = compare(terms, rest);
    for (condition, leaf, holds) in choices.into_iter().rev() {
        let leaf = compare(terms, leaf);
        formula = if holds { terms.ite(condition, leaf, formula) } else { terms.ite(condition, formula, leaf) };
    }
    Some(formula)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wherefore_formula::{Sort, VarId};

    #[test]
    fn a_length_is_compared_by_characters() {
        let mut terms = Terms::new();
        let zero = terms.bits(8, 0);
        let ends: Vec<TermId> = (0..3).map(|n| terms.var(VarId(n), Sort::Bits(8))).collect();
        let ends: Vec<TermId> = ends.into_iter().map(|byte| terms.eq(byte, zero)).collect();
        let mut length = terms.bits(64, 3);
        for n in (0..3).rev() {
            let here = terms.bits(64, n as u128);
            length = terms.ite(ends[n], here, length);
        }
        let one = terms.bits(64, 1);
        let formula = compared(&mut terms, None, length, one).expect("a list");
        let not_first = terms.not(ends[0]);
        assert_eq!(formula, terms.and2(not_first, ends[1]));
        let below = compared(&mut terms, Some(CompareOp::Ult), length, one).expect("a list");
        assert_eq!(below, ends[0]);
    }
}
