use super::*;
use crate::sketch::{Sketch, reasoner};

/// What is proposed for a goal over the variables of a sketch; it holds, and with what is given it implies the goal.
fn proposed(s: &mut Sketch, goal: TermId, given: &[TermId]) -> Vec<TermId> {
    let values = s.trace.initial.clone();
    let mut reasoner = reasoner();
    let mut situation = Situation {
        terms: &mut s.trace.terms,
        values: &values,
        variables: &s.trace.variables,
        types: &Types::default(),
        reasoner: &mut reasoner,
    };
    let found = situation.generalise(goal, given);
    assert!(found.iter().all(|f| situation.holds(*f)), "what is proposed holds in the recorded state");
    let premises: Vec<TermId> = found.iter().chain(given).copied().collect();
    assert!(reasoner.implies(&mut s.trace.terms, &premises, goal), "what is proposed implies the goal");
    found
}

fn situated<R>(s: &mut Sketch, ask: impl FnOnce(&mut Situation) -> R) -> R {
    let values = s.trace.initial.clone();
    let mut reasoner = reasoner();
    ask(&mut Situation {
        terms: &mut s.trace.terms,
        values: &values,
        variables: &s.trace.variables,
        types: &Types::default(),
        reasoner: &mut reasoner,
    })
}

#[test]
fn a_comparison_is_solved_for_its_variable() {
    let mut s = Sketch::new();
    let input = s.variable(41);
    let y = s.plus(input, -42);
    let goal = s.at_most(y, -1);
    let minus = s.number(-42);
    let granted = s.trace.terms.no_overflow(BinaryOp::Add, true, input, minus);
    let expected = vec![s.at_most(input, 41)];
    assert_eq!(proposed(&mut s, goal, &[granted]), expected);
}

#[test]
fn where_a_sum_may_wrap_the_solved_form_is_not_enough() {
    let mut s = Sketch::new();
    let input = s.variable(41);
    let y = s.plus(input, -42);
    let goal = s.at_most(y, -1);
    let wrong = s.at_most(input, 41);
    assert_ne!(proposed(&mut s, goal, &[]), [wrong], "the smallest numbers wrap");
}

#[test]
fn what_is_given_already_needs_nothing() {
    let mut s = Sketch::new();
    let x = s.variable(3);
    let (goal, given) = (s.at_most(x, 9), s.at_most(x, 5));
    assert_eq!(proposed(&mut s, goal, &[given]), []);
}

#[test]
fn of_alternatives_one_that_holds_is_taken() {
    let mut s = Sketch::new();
    let (x, y) = (s.variable(3), s.variable(-7));
    let (a, b) = (s.at_most(x, 2), s.at_most(y, -7));
    let goal = s.trace.terms.or2(a, b);
    assert_eq!(proposed(&mut s, goal, &[]), [b]);
}

#[test]
fn of_a_conjunction_every_part_is_needed() {
    let mut s = Sketch::new();
    let (x, y) = (s.variable(1), s.variable(-7));
    let (a, b) = (s.at_most(x, 2), s.at_most(y, -7));
    let goal = s.trace.terms.and2(a, b);
    let found: std::collections::BTreeSet<TermId> = proposed(&mut s, goal, &[]).into_iter().collect();
    assert_eq!(found, [a, b].into());
}

#[test]
fn a_conditional_value_is_that_of_the_case_at_hand() {
    let mut s = Sketch::new();
    let (x, y, z) = (s.variable(1), s.variable(5), s.variable(6));
    let condition = s.equal(x, 1);
    let value = s.trace.terms.ite(condition, y, z);
    let goal = s.at_most(value, 8);
    let expected: std::collections::BTreeSet<TermId> = [condition, s.at_most(y, 8)].into();
    assert_eq!(proposed(&mut s, goal, &[]).into_iter().collect::<std::collections::BTreeSet<_>>(), expected);
}

#[test]
fn a_product_is_bounded_by_bounds_of_its_factors() {
    let mut s = Sketch::new();
    let (x, y) = (s.variable(0), s.variable(9));
    let product = s.trace.terms.binary(BinaryOp::Mul, x, y);
    let goal = s.equal(product, 0);
    let expected = vec![s.equal(x, 0)];
    assert_eq!(proposed(&mut s, goal, &[]), expected, "the other factor does not matter");
}

#[test]
fn far_apart_variables_are_bounded_one_by_one() {
    let mut s = Sketch::new();
    let (i, n) = (s.variable(2), s.variable(20));
    let sum = s.plus(i, 7);
    let goal = s.trace.terms.slt(sum, n);
    let seven = s.number(7);
    let granted = s.trace.terms.no_overflow(BinaryOp::Add, true, i, seven);
    let found = proposed(&mut s, goal, &[granted]);
    let expected: std::collections::BTreeSet<TermId> = [s.at_most(i, 2), s.at_least(n, 20)].into();
    assert_eq!(found.into_iter().collect::<std::collections::BTreeSet<_>>(), expected);
}

#[test]
fn joined_facts_are_an_interval_with_holes() {
    let mut s = Sketch::new();
    let y = s.variable(-1);
    let (not_zero, at_most_zero) = (s.equal(y, 0), s.at_most(y, 0));
    let not_zero = s.trace.terms.not(not_zero);
    let expected = s.at_most(y, -1);
    assert_eq!(tidy(&mut s.trace.terms, &[not_zero, at_most_zero]), [expected]);
    let (low, high, three) = (s.at_least(y, 1), s.at_most(y, 5), s.equal(y, 3));
    let not_three = s.trace.terms.not(three);
    let mut expected = vec![low, high, not_three];
    expected.sort();
    assert_eq!(tidy(&mut s.trace.terms, &[not_three, high, low]), expected, "a hole inside stays");
    let (exactly, one) = (s.at_most(y, 1), s.equal(y, 1));
    assert_eq!(tidy(&mut s.trace.terms, &[low, exactly]), [one]);
}

#[test]
fn known_values_are_put_into_other_formulas() {
    let mut s = Sketch::new();
    let (x, y) = (s.variable(2), s.variable(9));
    let (two, less) = (s.equal(x, 2), s.trace.terms.slt(x, y));
    let mut expected = vec![two, s.at_least(y, 3)];
    let mut found = tidy(&mut s.trace.terms, &[two, less]);
    expected.sort();
    found.sort();
    let (expected, found) = (s.texts(&expected), s.texts(&found));
    assert!(found == expected || found == ["(= v0 2:32)", "(bvslt 2:32 v1)"], "{found:?}");
}

#[test]
fn contradicting_facts_are_left_as_they_are() {
    let mut s = Sketch::new();
    let y = s.variable(0);
    let (low, high) = (s.at_least(y, 5), s.at_most(y, 1));
    let mut expected = vec![low, high];
    expected.sort();
    assert_eq!(tidy(&mut s.trace.terms, &[low, high]), expected);
}

#[test]
fn numbers_excluded_one_by_one_become_a_bound() {
    let mut s = Sketch::new();
    let n = s.variable(-1);
    let holes: Vec<TermId> = [0, 2]
        .map(|k| {
            let equal = s.equal(n, k);
            s.trace.terms.not(equal)
        })
        .into();
    let expected = vec![s.at_most(n, -1)];
    assert_eq!(situated(&mut s, |situation| situation.coarsen(holes)), expected);
}

#[test]
fn one_number_excluded_stays() {
    let mut s = Sketch::new();
    let n = s.variable(-1);
    let equal = s.equal(n, 0);
    let hole = s.trace.terms.not(equal);
    assert_eq!(situated(&mut s, |situation| situation.coarsen(vec![hole])), [hole]);
}

#[test]
fn signs_are_those_of_the_recorded_value() {
    for (value, expected) in [(5, vec!["(bvsle 1:32 v0)"]), (-5, vec!["(bvsle v0 4294967295:32)"])] {
        let mut s = Sketch::new();
        s.variable(value);
        let signs = situated(&mut s, |situation| situation.signs(VarId(0)));
        assert_eq!(s.texts(&signs), expected, "{value}");
    }
    let mut s = Sketch::new();
    s.variable(0);
    let signs = situated(&mut s, |situation| situation.signs(VarId(0)));
    assert_eq!(s.texts(&signs), ["(bvsle 0:32 v0)", "(bvsle v0 0:32)"]);
}

#[test]
fn a_part_is_replaced_wherever_it_occurs() {
    let mut s = Sketch::new();
    let (x, y, z) = (s.variable(1), s.variable(2), s.variable(3));
    let terms = &mut s.trace.terms;
    let sum = terms.binary(BinaryOp::Add, x, y);
    let whole = terms.binary(BinaryOp::Mul, sum, sum);
    let both = terms.slt(whole, sum);
    let expected_square = terms.binary(BinaryOp::Mul, z, z);
    let expected = terms.slt(expected_square, z);
    assert_eq!(replace(terms, both, sum, z), expected);
}
