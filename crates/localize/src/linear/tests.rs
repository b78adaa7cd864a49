use super::*;
use wherefore_formula::{Sort, VarId};

fn variables(terms: &mut Terms) -> (TermId, TermId) {
    (terms.var(VarId(0), Sort::Bits(32)), terms.var(VarId(1), Sort::Bits(32)))
}

fn plus(terms: &mut Terms, a: TermId, k: i64) -> TermId {
    let k = terms.bits(32, k as u128);
    terms.binary(BinaryOp::Add, a, k)
}

/// A comparison solved for its variables, as text over `x` and `y`.
fn solved(terms: &mut Terms, formula: TermId) -> Option<String> {
    let linear = relation(terms, formula)?;
    let simple = super::formula(terms, &linear)?;
    Some(terms.display(simple, &|v| ["x", "y"][v.0 as usize].into()))
}

#[test]
fn constants_go_to_one_side() {
    let mut terms = Terms::new();
    let (x, _) = variables(&mut terms);
    let (difference, zero) = (plus(&mut terms, x, -42), terms.bits(32, 0));
    let less = terms.slt(difference, zero);
    assert_eq!(solved(&mut terms, less).as_deref(), Some("(bvsle x 41:32)"));
    let (sum, ten) = (plus(&mut terms, x, 3), terms.bits(32, 10));
    let more = terms.sge(sum, ten);
    assert_eq!(solved(&mut terms, more).as_deref(), Some("(bvsle 7:32 x)"));
}

#[test]
fn coefficients_are_divided_and_rounded_to_the_right_side() {
    let mut terms = Terms::new();
    let (x, _) = variables(&mut terms);
    let (two, seven, minus) = (terms.bits(32, 2), terms.bits(32, 7), terms.bits(32, -2i32 as u128));
    let twice = terms.binary(BinaryOp::Mul, x, two);
    let (most, least) = (terms.sle(twice, seven), terms.sge(twice, seven));
    assert_eq!(solved(&mut terms, most).as_deref(), Some("(bvsle x 3:32)"));
    assert_eq!(solved(&mut terms, least).as_deref(), Some("(bvsle 4:32 x)"));
    let negative = terms.binary(BinaryOp::Mul, x, minus);
    let most = terms.sle(negative, seven);
    assert_eq!(solved(&mut terms, most).as_deref(), Some("(bvsle 4294967293:32 x)"), "-2x <= 7 is x >= -3");
    let equal = terms.eq(twice, seven);
    assert_eq!(solved(&mut terms, equal), None, "twice a number is not seven");
}

#[test]
fn a_shift_is_a_multiplication() {
    let mut terms = Terms::new();
    let (x, _) = variables(&mut terms);
    let (two, nine) = (terms.bits(32, 2), terms.bits(32, 9));
    let shifted = terms.binary(BinaryOp::Shl, x, two);
    let most = terms.sle(shifted, nine);
    assert_eq!(solved(&mut terms, most).as_deref(), Some("(bvsle x 2:32)"));
}

#[test]
fn what_cancels_disappears() {
    let mut terms = Terms::new();
    let (x, y) = variables(&mut terms);
    let sum = terms.binary(BinaryOp::Add, x, y);
    let more = plus(&mut terms, y, 5);
    let less = terms.slt(sum, more);
    let linear = relation(&terms, less).expect("a comparison");
    assert_eq!((linear.sum.len(), linear.bound), (1, 4));
    assert_eq!(solved(&mut terms, less).as_deref(), Some("(bvsle x 4:32)"));
}

#[test]
fn two_variables_are_compared_with_a_positive_distance() {
    let mut terms = Terms::new();
    let (x, y) = variables(&mut terms);
    let less = terms.slt(x, y);
    assert_eq!(solved(&mut terms, less).as_deref(), Some("(bvslt x y)"));
    let far = plus(&mut terms, y, -3);
    let less = terms.sle(x, far);
    let text = solved(&mut terms, less).expect("a form");
    assert!(text.starts_with("(bvsle (bvadd ") && text.contains("3:32") && text.ends_with(" y)"), "{text}");
}

#[test]
fn equalities_and_differences_are_solved_too() {
    let mut terms = Terms::new();
    let (x, _) = variables(&mut terms);
    let (sum, ten) = (plus(&mut terms, x, 3), terms.bits(32, 10));
    let (equal, different) = (terms.eq(sum, ten), terms.ne(sum, ten));
    assert_eq!(solved(&mut terms, equal).as_deref(), Some("(= x 7:32)"));
    assert_eq!(solved(&mut terms, different).as_deref(), Some("(not (= x 7:32))"));
}

#[test]
fn a_number_that_does_not_fit_has_no_form() {
    let mut terms = Terms::new();
    let x = terms.var(VarId(0), Sort::Bits(8));
    let (signed, unsigned) = (Leaf { term: x, signed: true }, Leaf { term: x, signed: false });
    assert!(at_most(&mut terms, signed, 127).is_some() && at_least(&mut terms, signed, -128).is_some());
    assert_eq!((at_most(&mut terms, signed, 128), at_least(&mut terms, signed, -129)), (None, None));
    assert!(at_most(&mut terms, unsigned, 254).is_some());
    assert_eq!((at_most(&mut terms, unsigned, 256), at_least(&mut terms, unsigned, -1)), (None, None));
}

#[test]
fn bits_are_numbers_in_both_readings() {
    assert_eq!((number(0xff, 8, true), number(0xff, 8, false), number(0x7f, 8, true)), (-1, 255, 127));
    assert_eq!(number(u128::from(u64::MAX), 64, true), -1);
}

#[test]
fn what_may_wrap_is_no_exact_bound() {
    let mut terms = Terms::new();
    let (x, _) = variables(&mut terms);
    let (sum, ten) = (plus(&mut terms, x, 3), terms.bits(32, 10));
    let (plain, computed) = (terms.sle(x, ten), terms.sle(sum, ten));
    assert!(bound_of_one(&terms, plain).is_some());
    assert_eq!(bound_of_one(&terms, computed), None);
    let wide = terms.sign_extend(x, 64);
    let limit = terms.bits(64, 10);
    let widened = terms.sle(wide, limit);
    assert_eq!(bound_of_one(&terms, widened).map(|l| l.bound), Some(10), "widening loses nothing");
}

#[test]
fn truth_values_are_no_numbers() {
    let mut terms = Terms::new();
    let (x, y) = variables(&mut terms);
    let (a, b) = (terms.slt(x, y), terms.slt(y, x));
    let same = terms.eq(a, b);
    assert_eq!(relation(&terms, same), None);
}
