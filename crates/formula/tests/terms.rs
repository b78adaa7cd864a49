//! What callers rely on beyond meaning: the shapes that simplification promises, and safety on deep terms.

use std::collections::{BTreeSet, HashMap};

use wherefore_formula::{BinaryOp, FloatOp, Node, Sort, TermId, Terms, Value, VarId};

const X: VarId = VarId(0);
const Y: VarId = VarId(1);

fn shown(terms: &Terms, t: TermId) -> String {
    terms.display(t, &|var| ["x", "y", "c", "d"][var.0 as usize].to_string())
}

struct Fixture {
    terms: Terms,
    x: TermId,
    y: TermId,
    c: TermId,
    d: TermId,
}

fn fixture() -> Fixture {
    let mut terms = Terms::new();
    let x = terms.var(X, Sort::Bits(32));
    let y = terms.var(Y, Sort::Bits(32));
    let c = terms.var(VarId(2), Sort::Bool);
    let d = terms.var(VarId(3), Sort::Bool);
    Fixture { terms, x, y, c, d }
}

#[test]
fn equal_terms_have_equal_ids() {
    let Fixture { mut terms, x, y, .. } = fixture();
    let left = terms.binary(BinaryOp::Add, x, y);
    let right = terms.binary(BinaryOp::Add, y, x);
    assert_eq!(left, right);
    let (first, second) = (terms.eq(x, y), terms.eq(y, x));
    assert_eq!(first, second);
}

#[test]
fn offsets_collect_and_cancel() {
    let Fixture { mut terms, x, y, .. } = fixture();
    let (two, three) = (terms.bits(32, 2), terms.bits(32, 3));
    let up = terms.binary(BinaryOp::Add, x, three);
    let down = terms.binary(BinaryOp::Sub, up, two);
    assert_eq!(shown(&terms, down), "(bvadd x 1:32)");
    let equation = terms.eq(up, two);
    assert_eq!(shown(&terms, equation), format!("(= x {}:32)", u32::MAX));
    let sum = terms.binary(BinaryOp::Add, x, y);
    let sum = terms.binary(BinaryOp::Add, sum, three);
    let back = terms.binary(BinaryOp::Sub, sum, y);
    assert_eq!(shown(&terms, back), "(bvadd x 3:32)");
}

#[test]
fn a_truth_value_survives_the_way_through_an_int() {
    let Fixture { mut terms, c, d, .. } = fixture();
    let (as_int, other) = (terms.bool_to_bits(c, 32), terms.bool_to_bits(d, 32));
    assert_eq!(terms.bits_to_bool(as_int), c);
    let zero = terms.bits(32, 0);
    let is_zero = terms.eq(as_int, zero);
    assert_eq!(is_zero, terms.not(c));
    let same = terms.eq(as_int, other);
    assert_eq!(same, terms.eq(c, d));
    let both = terms.binary(BinaryOp::And, as_int, other);
    let both = terms.bits_to_bool(both);
    assert_eq!(both, terms.and2(c, d));
    // As clang does it: an i1 widened to a byte, stored, loaded, cut down.
    let bit = terms.bool_to_bits(c, 1);
    let byte = terms.zero_extend(bit, 8);
    let back = terms.extract(byte, 0, 1);
    assert_eq!(terms.bits_to_bool(back), c);
}

#[test]
fn comparisons_of_extended_operands_are_narrow() {
    let Fixture { mut terms, x, y, .. } = fixture();
    let (a, b) = (terms.extract(x, 0, 8), terms.extract(y, 0, 8));
    let (wide_a, wide_b) = (terms.sign_extend(a, 32), terms.sign_extend(b, 32));
    let wide = terms.slt(wide_a, wide_b);
    assert_eq!(wide, terms.slt(a, b));
    let (wide_a, wide_b) = (terms.zero_extend(a, 32), terms.zero_extend(b, 32));
    let wide = terms.sle(wide_a, wide_b);
    assert_eq!(wide, terms.ule(a, b));
    let letter = terms.bits(32, u128::from(b'a'));
    let wide = terms.eq(wide_a, letter);
    let narrow = terms.bits(8, u128::from(b'a'));
    assert_eq!(wide, terms.eq(a, narrow));
    let too_large = terms.bits(32, 256);
    assert_eq!(terms.eq(wide_a, too_large), terms.truth(false));
}

#[test]
fn bytes_glued_together_are_the_value_again() {
    let Fixture { mut terms, x, y, c, .. } = fixture();
    let short = terms.extract(y, 0, 16);
    let values = [
        x,
        terms.binary(BinaryOp::Mul, x, y),
        terms.sign_extend(short, 32),
        terms.zero_extend(short, 32),
        terms.bool_to_bits(c, 32),
        terms.bits(32, 0xdead_beef),
    ];
    for value in values {
        let bytes: Vec<TermId> = (0..4).map(|i| terms.extract(value, 8 * i, 8)).collect();
        let from_low = bytes.iter().copied().reduce(|acc, byte| terms.concat(byte, acc));
        assert_eq!(from_low, Some(value), "{}", shown(&terms, value));
        let from_high = bytes.iter().rev().copied().reduce(|acc, byte| terms.concat(acc, byte));
        assert_eq!(from_high, Some(value), "{}", shown(&terms, value));
    }
}

#[test]
fn junctions_are_flat_and_absorb() {
    let Fixture { mut terms, x, y, c, d } = fixture();
    let less = terms.slt(x, y);
    let inner = terms.and2(c, less);
    let outer = terms.and([d, inner, c]);
    let expected: BTreeSet<TermId> = [c, d, less].into();
    assert_eq!(terms.conjuncts(outer).into_iter().collect::<BTreeSet<_>>(), expected);
    let not_less = terms.not(less);
    assert!(matches!(terms.node(not_less), Node::Compare(..)));
    assert_eq!(terms.and2(less, not_less), terms.truth(false));
    assert_eq!(terms.or2(less, not_less), terms.truth(true));
    let either = terms.or2(c, d);
    assert_eq!(terms.and2(c, either), c);
    let not_c = terms.not(c);
    let resolved = terms.and2(not_c, either);
    assert_eq!(resolved, terms.and2(not_c, d));
    assert_eq!(terms.and([]), terms.truth(true));
    assert_eq!(terms.or([]), terms.truth(false));
    assert!(terms.conjuncts(terms.truth(true)).is_empty());
}

#[test]
fn a_known_part_can_decide_an_open_formula() {
    let Fixture { mut terms, x, c, d, .. } = fixture();
    let zero = terms.bits(32, 0);
    let is_zero = terms.eq(x, zero);
    let both = terms.and2(is_zero, c);
    let only_x = |value: u128| move |var: VarId| (var == X).then_some(value);
    assert_eq!(terms.evaluate(both, &mut only_x(1)), Some(Value::Bool(false)));
    assert_eq!(terms.evaluate(both, &mut only_x(0)), None);
    let choice = terms.ite(is_zero, c, d);
    let mut without_d = |var: VarId| (var != VarId(3)).then_some(0);
    assert_eq!(terms.evaluate(choice, &mut without_d), Some(Value::Bool(false)));
}

#[test]
fn variables_are_found_where_they_are() {
    let Fixture { mut terms, x, y, c, .. } = fixture();
    let sum = terms.binary(BinaryOp::Mul, x, y);
    let t = terms.ite(c, sum, x);
    assert_eq!(terms.variables(t), [X, Y, VarId(2)].into());
    assert!(terms.mentions(t, Y) && !terms.mentions(t, VarId(3)));
    // Same class modulo 64, still another variable.
    assert!(!terms.mentions(t, VarId(65)));
    assert_eq!(terms.size(t), 5);
}

#[test]
fn substitution_is_simultaneous() {
    let Fixture { mut terms, x, y, .. } = fixture();
    let less = terms.slt(x, y);
    let swapped = terms.substitute(less, &HashMap::from([(X, y), (Y, x)]));
    assert_eq!(swapped, terms.slt(y, x));
}

#[test]
fn terms_move_into_another_arena() {
    let Fixture { mut terms, x, y, c, .. } = fixture();
    let two = terms.bits(32, 2);
    let sum = terms.binary(BinaryOp::Add, x, two);
    let chosen = terms.ite(c, sum, y);
    let below = terms.slt(chosen, x);
    let mut other = Terms::new();
    // Variables of the other arena mean something else: x is the constant 5, y its first variable.
    let moved = other.import(&terms, below, &mut |other, var, sort| match var {
        X => other.bits(32, 5),
        Y => other.var(VarId(0), sort),
        _ => other.truth(false),
    });
    assert_eq!(shown(&other, moved), "(bvslt x 5:32)");
    assert_eq!(other.import(&terms, two, &mut |_, _, _| unreachable!("no variables")), other.bits(32, 2));
}

#[test]
#[should_panic(expected = "has two sorts")]
fn a_variable_has_one_sort() {
    let mut terms = Terms::new();
    terms.var(X, Sort::Bool);
    terms.var(X, Sort::Bits(8));
}

#[test]
#[should_panic(expected = "different widths")]
fn widths_are_checked() {
    let mut terms = Terms::new();
    let (a, b) = (terms.bits(8, 1), terms.bits(9, 1));
    terms.binary(BinaryOp::Add, a, b);
}

/// Traces are long and every step nests its predecessor; nothing may recurse on them.
#[test]
fn deep_terms_do_not_exhaust_the_stack() {
    const DEPTH: u32 = 100_000;
    let Fixture { mut terms, x, y, c, .. } = fixture();
    let three = terms.bits(32, 3);
    let mask = terms.bits(32, 0xff);
    let mut chain = x;
    let mut other = y;
    let mut invertible = x;
    let mut nested = c;
    for step in 0..DEPTH {
        let summand = terms.var(VarId(4 + step), Sort::Bits(32));
        chain = terms.binary(BinaryOp::Add, summand, chain);
        other = terms.binary(BinaryOp::Add, summand, other);
        invertible = terms.binary(BinaryOp::Add, invertible, three);
        invertible = terms.binary(BinaryOp::Xor, invertible, mask);
        let guard = terms.eq(summand, three);
        nested = if step % 2 == 0 {
            terms.and2(nested, guard)
        } else {
            let other_guard = terms.slt(summand, three);
            terms.or2(nested, other_guard)
        };
    }
    let equation = terms.eq(invertible, three);
    assert_eq!(terms.variables(equation), [X].into(), "solved for x");
    let difference = terms.binary(BinaryOp::Sub, chain, other);
    assert_eq!(difference, terms.binary(BinaryOp::Sub, x, y));
    let product = terms.binary(BinaryOp::Mul, chain, y);
    let fresh = terms.binary(BinaryOp::Mul, y, y);
    let falsity = terms.truth(false);
    let map = HashMap::from([(X, fresh), (VarId(2), falsity), (VarId(4), y)]);
    for t in [product, nested, invertible] {
        let replaced = terms.substitute(t, &map);
        assert_ne!(replaced, t);
        assert!(terms.size(t) > DEPTH as usize && terms.size(replaced) > DEPTH as usize);
        assert!(terms.evaluate(t, &mut |_| Some(1)).is_some());
        assert!(!terms.display(t, &|var| format!("v{}", var.0)).is_empty());
    }
}

#[test]
fn floats_fold_as_the_hardware_computes() {
    let mut terms = Terms::new();
    let tenth = terms.bits(64, u128::from(0.1f64.to_bits()));
    let fifth = terms.bits(64, u128::from(0.2f64.to_bits()));
    let sum = terms.float(FloatOp::Add, &[tenth, fifth]);
    assert_eq!(terms.constant(sum), Some(u128::from((0.1f64 + 0.2).to_bits())));
    let zero = terms.bits(64, 0);
    let nan = terms.float(FloatOp::Div, &[zero, zero]);
    assert_eq!(terms.constant(nan), Some(0x7ff8_0000_0000_0000));
    assert_eq!(terms.float(FloatOp::Eq, &[nan, nan]), terms.truth(false));
    let minus = terms.float(FloatOp::Neg, &[tenth]);
    assert_eq!(terms.constant(minus), Some(u128::from((-0.1f64).to_bits())));
    let short = terms.float(FloatOp::Convert { width: 32 }, &[tenth]);
    assert_eq!(terms.constant(short), Some(u128::from(0.1f32.to_bits())));
    let large = terms.bits(128, u128::MAX);
    let float = terms.float(FloatOp::FromUnsigned { width: 32 }, &[large]);
    assert_eq!(terms.constant(float), Some(u128::from(f32::INFINITY.to_bits())));
    let minus_one = terms.float(FloatOp::FromSigned { width: 32 }, &[large]);
    assert_eq!(terms.constant(minus_one), Some(u128::from((-1f32).to_bits())));
}

/// Undefined in C, so not folded; evaluation does as x86 does.
#[test]
fn conversions_out_of_range_stay() {
    let mut terms = Terms::new();
    for (value, width, is_signed, fits) in [
        (-128.9, 8, true, true),
        (128.0, 8, true, false),
        (-0.9, 8, false, true),
        (-1.0, 8, false, false),
        (255.9, 8, false, true),
        (256.0, 8, false, false),
        (f64::NAN, 32, true, false),
        (f64::INFINITY, 128, false, false),
    ] {
        let op = if is_signed { FloatOp::ToSigned { width } } else { FloatOp::ToUnsigned { width } };
        let float = terms.bits(64, u128::from(value.to_bits()));
        let integer = terms.float(op, &[float]);
        assert_eq!(terms.constant(integer).is_some(), fits, "{value} {op:?}");
        if !fits {
            let indefinite = Value::new(Sort::Bits(width), 1 << (width - 1));
            assert_eq!(terms.evaluate(integer, &mut |_| None), Some(indefinite));
        }
    }
}
