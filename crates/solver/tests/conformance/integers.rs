//! Mathematical integers: Z3 decides them, CaDiCaL says that it cannot.

use crate::support::{RESULT, X, Y};
use wherefore_formula::{BinaryOp, CompareOp, Sort, Terms};
use wherefore_solver::{Answer, Backend, Reason};

/// What an operator gives, on plain numbers.
fn meaning(op: BinaryOp, a: i128, b: i128) -> i128 {
    let euclidean = || {
        let rest = ((a % b) + b.abs()) % b.abs();
        ((a - rest) / b, rest)
    };
    match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::UDiv | BinaryOp::SDiv if b == 0 => 0,
        BinaryOp::URem | BinaryOp::SRem if b == 0 => a,
        BinaryOp::UDiv => euclidean().0,
        BinaryOp::URem => euclidean().1,
        BinaryOp::SDiv => a / b,
        BinaryOp::SRem => a % b,
        _ => unreachable!("integers have no bits"),
    }
}

const OPERATORS: [BinaryOp; 7] =
    [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::UDiv, BinaryOp::URem, BinaryOp::SDiv, BinaryOp::SRem];

#[test]
fn operators_mean_what_they_say() {
    let numbers: [i128; 9] = [-7, -3, -2, -1, 0, 1, 2, 3, 1 << 40];
    for op in OPERATORS {
        let mut terms = Terms::new();
        let [x, y, result] = [X, Y, RESULT].map(|var| terms.var(var, Sort::Int));
        let applied = terms.binary(op, x, y);
        let equal = terms.eq(applied, result);
        let mut solver = Backend::Z3.solver();
        solver.assert(&terms, equal);
        for a in numbers {
            for b in numbers {
                let (left, right) = (terms.int(a), terms.int(b));
                let (is_a, is_b) = (terms.eq(x, left), terms.eq(y, right));
                assert_eq!(solver.check(&terms, &[is_a, is_b]), Answer::Sat);
                let expected = meaning(op, a, b);
                assert_eq!(solver.value(&terms, RESULT, Sort::Int), Some(expected as u128), "{a} {op:?} {b}");
                let folded = terms.binary(op, left, right);
                assert_eq!(terms.integer(folded), Some(expected), "{a} {op:?} {b}");
                let given = |var| Some(if var == X { a } else { b } as u128);
                assert_eq!(terms.evaluate(applied, &mut { given }).map(|v| v.raw()), Some(expected as u128));
            }
        }
    }
}

#[test]
fn there_is_no_end_to_them() {
    let mut terms = Terms::new();
    let (x, one) = (terms.var(X, Sort::Int), terms.int(1));
    let next = terms.binary(BinaryOp::Add, x, one);
    let ends = terms.compare(CompareOp::Sle, next, x);
    let mut solver = Backend::Z3.solver();
    solver.assert(&terms, ends);
    assert_eq!(solver.check(&terms, &[]), Answer::Unsat);
    solver.clear();
    let far = terms.int(1 << 100);
    let beyond = terms.compare(CompareOp::Slt, far, x);
    solver.assert(&terms, beyond);
    assert_eq!(solver.check(&terms, &[]), Answer::Sat);
    assert!(solver.value(&terms, X, Sort::Int).is_some_and(|value| value as i128 > 1 << 100));
}

#[test]
fn bits_beside_them_are_decided_too() {
    let mut terms = Terms::new();
    let (x, y) = (terms.var(X, Sort::Int), terms.var(Y, Sort::Bits(8)));
    let (seven, three) = (terms.int(7), terms.bits(8, 3));
    let (a, b) = (terms.eq(x, seven), terms.eq(y, three));
    let mut solver = Backend::Z3.solver();
    // The bit-vector solver is at work when the first integer turns up.
    solver.assert(&terms, b);
    assert_eq!(solver.check(&terms, &[]), Answer::Sat);
    solver.assert(&terms, a);
    assert_eq!(solver.check(&terms, &[]), Answer::Sat);
    assert_eq!((solver.value(&terms, X, Sort::Int), solver.value(&terms, Y, Sort::Bits(8))), (Some(7), Some(3)));
}

#[test]
fn circuits_have_none() {
    let cannot = |answer: Answer| matches!(answer, Answer::Unknown(Reason::Unsupported(_)));
    let mut terms = Terms::new();
    let (x, seven) = (terms.var(X, Sort::Int), terms.int(7));
    let equal = terms.eq(x, seven);
    let mut solver = Backend::Cadical.solver();
    assert!(cannot(solver.check(&terms, &[equal])));
    assert_eq!(solver.check(&terms, &[]), Answer::Sat, "what was only assumed does no harm");
    solver.assert(&terms, equal);
    assert!(cannot(solver.check(&terms, &[])));
    let mut solver = Backend::Cadical.solver();
    solver.fix(&mut terms, X, Sort::Int, 7);
    assert!(cannot(solver.check(&terms, &[])));
}
