//! Paths read over mathematical integers.

use wherefore_budget::Budget;
use wherefore_formula::{BinaryOp, CompareOp, Sort, VarId};
use wherefore_relevance::{Execution, Path, Settings, Statement, Variable, Verdict, judge};
use wherefore_solver::Backend;

const BYTE: Sort = Sort::Bits(8);
const X: VarId = VarId(0);

/// `x = first`, and then an assumption.
fn path(first: u128, op: BinaryOp, operand: u128, compare: impl Fn(&mut Path) -> Statement) -> (Path, Execution) {
    let mut path = Path::default();
    path.variables.push(Variable { sort: BYTE, initial: Some(0), simple: vec![] });
    path.variables.push(Variable { sort: BYTE, initial: Some(0), simple: vec![] });
    let value = path.terms.bits(8, first);
    path.statements.push(Statement::Assign { to: X, value });
    let (x, operand) = (path.terms.var(X, BYTE), path.terms.bits(8, operand));
    let value = path.terms.binary(op, x, operand);
    path.statements.push(Statement::Assign { to: VarId(1), value });
    let last = compare(&mut path);
    path.statements.push(last);
    let known = path.execution(Backend::Z3, &Budget::unlimited()).expect("it can be executed");
    (path, known)
}

fn is_larger(path: &mut Path) -> Statement {
    let (x, y) = (path.terms.var(X, BYTE), path.terms.var(VarId(1), BYTE));
    Statement::Assume(path.terms.compare(CompareOp::Slt, x, y))
}

fn verdict(path: &Path, known: &Execution) -> Verdict {
    let settings = Settings { backend: Backend::Z3, budget: Budget::unlimited(), jobs: 1, by_core: false };
    judge(path, known, &[0], &settings).remove(0).verdict
}

#[test]
fn what_only_an_overflow_stops_is_not_relevant_over_integers() {
    // x = 5; y = x + 1; assume x < y
    let (path, known) = path(5, BinaryOp::Add, 1, is_larger);
    assert!(matches!(verdict(&path, &known), Verdict::Relevant(witness) if witness.values == [127]));
    let (over, known) = path.over_integers(&known).expect("it has a reading");
    assert_eq!(verdict(&over, &known), Verdict::Not);
}

#[test]
fn constants_are_integers_with_a_sign() {
    // x = 5; y = x * 3; assume x < y
    let (path, known) = path(5, BinaryOp::Mul, 3, is_larger);
    let (over, known) = path.over_integers(&known).expect("it has a reading");
    let Verdict::Relevant(witness) = verdict(&over, &known) else { panic!("zero stops it") };
    assert!(witness.values.iter().all(|value| *value as i128 <= 0), "{witness:?}");
}

#[test]
fn a_run_that_wraps_is_none_over_integers() {
    // x = 100; y = x + 100; assume y < x
    let smaller = |path: &mut Path| {
        let (x, y) = (path.terms.var(X, BYTE), path.terms.var(VarId(1), BYTE));
        Statement::Assume(path.terms.compare(CompareOp::Slt, y, x))
    };
    let (path, known) = path(100, BinaryOp::Add, 100, smaller);
    assert_eq!(path.over_integers(&known).err(), Some(1));
}

#[test]
fn what_looks_at_bits_is_named() {
    let (path, known) = path(1, BinaryOp::Xor, 6, is_larger);
    assert_eq!(path.over_integers(&known).err(), Some(1));
}
