//! Properties that hold for all formulas, checked by brute force at a small width.

use crate::generalise::tidy;
use crate::interval;
use crate::linear;
use proptest::prelude::*;
use wherefore_formula::{BinaryOp, CompareOp, Sort, TermId, Terms, VarId};

const WIDTH: u32 = 4;

/// A comparison over two variables of four bits: `x`, `x + k` or a constant on either side.
#[derive(Clone, Debug)]
enum Side {
    Variable(u32),
    Sum(u32, u128),
    Number(u128),
    Wide(u32),
}

#[derive(Clone, Debug)]
struct Comparison {
    op: u8,
    left: Side,
    right: Side,
}

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![
        (0u32..2).prop_map(Side::Variable),
        (0u32..2, 0u128..16).prop_map(|(v, k)| Side::Sum(v, k)),
        (0u128..16).prop_map(Side::Number),
        (0u32..2).prop_map(Side::Wide),
    ]
}

fn comparison() -> impl Strategy<Value = Comparison> {
    (0u8..6, side(), side()).prop_map(|(op, left, right)| Comparison { op, left, right })
}

fn side_term(terms: &mut Terms, side: &Side, width: u32) -> TermId {
    let var = |terms: &mut Terms, v: u32| terms.var(VarId(v), Sort::Bits(WIDTH));
    let narrow = match side {
        Side::Variable(v) | Side::Wide(v) => var(terms, *v),
        Side::Sum(v, k) => {
            let (v, k) = (var(terms, *v), terms.bits(WIDTH, *k));
            terms.binary(BinaryOp::Add, v, k)
        }
        Side::Number(k) => terms.bits(WIDTH, *k),
    };
    if width == WIDTH { narrow } else { terms.sign_extend(narrow, width) }
}

fn term(terms: &mut Terms, c: &Comparison) -> TermId {
    let wide = matches!(c.left, Side::Wide(_)) || matches!(c.right, Side::Wide(_));
    let width = if wide { 2 * WIDTH } else { WIDTH };
    let (a, b) = (side_term(terms, &c.left, width), side_term(terms, &c.right, width));
    match c.op {
        0 => terms.eq(a, b),
        1 => terms.ne(a, b),
        2 => terms.compare(CompareOp::Slt, a, b),
        3 => terms.compare(CompareOp::Sle, a, b),
        4 => terms.compare(CompareOp::Ult, a, b),
        _ => terms.compare(CompareOp::Ule, a, b),
    }
}

fn holds(terms: &Terms, formula: TermId, x: u128, y: u128) -> bool {
    let value = terms.evaluate(formula, &mut |v| Some(if v.0 == 0 { x } else { y }));
    value.and_then(|v| v.as_bool()).expect("both variables have values")
}

fn assignments() -> impl Iterator<Item = (u128, u128)> {
    (0..1u128 << WIDTH).flat_map(|x| (0..1u128 << WIDTH).map(move |y| (x, y)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// What is tidied means the same.
    #[test]
    fn tidy_keeps_the_meaning(comparisons in prop::collection::vec(comparison(), 1..5)) {
        let mut terms = Terms::new();
        let atoms: Vec<TermId> = comparisons.iter().map(|c| term(&mut terms, c)).collect();
        let tidied = tidy(&mut terms, &atoms);
        let (before, after) = (terms.and(atoms), terms.and(tidied));
        for (x, y) in assignments() {
            prop_assert_eq!(holds(&terms, before, x, y), holds(&terms, after, x, y), "x = {}, y = {}", x, y);
        }
    }

    /// Ranges never claim an implication that does not hold.
    #[test]
    fn ranges_are_sound(premises in prop::collection::vec(comparison(), 0..4), conclusion in comparison()) {
        let mut terms = Terms::new();
        let premises: Vec<TermId> = premises.iter().map(|c| term(&mut terms, c)).collect();
        let conclusion = term(&mut terms, &conclusion);
        let consistent = assignments().any(|(x, y)| premises.iter().all(|p| holds(&terms, *p, x, y)));
        if consistent && interval::implies(&terms, &premises, conclusion) {
            for (x, y) in assignments() {
                if premises.iter().all(|p| holds(&terms, *p, x, y)) {
                    prop_assert!(holds(&terms, conclusion, x, y), "x = {}, y = {}", x, y);
                }
            }
        }
    }

    /// A bound of one variable is exact: the formula made from it is equivalent.
    #[test]
    fn bounds_of_one_are_exact(c in comparison()) {
        let mut terms = Terms::new();
        let formula = term(&mut terms, &c);
        if let Some(linear) = linear::bound_of_one(&terms, formula)
            && let Some(again) = linear::formula(&mut terms, &linear)
        {
            for (x, y) in assignments() {
                prop_assert_eq!(holds(&terms, formula, x, y), holds(&terms, again, x, y), "x = {}, y = {}", x, y);
            }
        }
    }
}
