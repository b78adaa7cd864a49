//! Floats that must be found, or shown not to exist. What is found is confirmed by evaluation.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use wherefore_formula::{FloatOp, Sort, TermId, Terms, Value};
use wherefore_solver::{Answer, Backend, Limits, Reason};

use crate::support::{RESULT, Random, X, Y};

for_each_backend!(
    operands_of_a_given_sum_are_found,
    a_product_is_taken_apart,
    what_no_float_does_is_unsatisfiable,
    undefined_conversions_may_give_anything,
);

fn double(terms: &mut Terms, value: f64) -> TermId {
    terms.bits(64, u128::from(value.to_bits()))
}

fn single(terms: &mut Terms, value: f32) -> TermId {
    terms.bits(32, u128::from(value.to_bits()))
}

/// Asks, and makes sure that a model is one.
fn answer(backend: Backend, terms: &Terms, formula: TermId) -> (Answer, u128) {
    let mut solver = backend.solver();
    solver.assert(terms, formula);
    let answer = solver.check(terms, &[]);
    let mut first = 0;
    if answer == Answer::Sat {
        let mut value_of = |var| terms.variable_sort(var).map(|sort| solver.value(terms, var, sort).unwrap_or(0));
        first = value_of(X).unwrap_or(0);
        assert_eq!(
            terms.evaluate(formula, &mut value_of),
            Some(Value::Bool(true)),
            "{} found {first:x}",
            solver.name()
        );
    }
    (answer, first)
}

fn operands_of_a_given_sum_are_found(backend: Backend) {
    let mut terms = Terms::new();
    let x = terms.var(X, Sort::Bits(64));
    let (tenth, three_tenths) = (double(&mut terms, 0.1), double(&mut terms, 0.3));
    let sum = terms.float(FloatOp::Add, &[x, tenth]);
    let equal = terms.float(FloatOp::Eq, &[sum, three_tenths]);
    let (found, value) = answer(backend, &terms, equal);
    assert_eq!(found, Answer::Sat);
    assert_eq!(f64::from_bits(value as u64) + 0.1, 0.3);
    // The famous one: 0.1 + 0.2 is another number.
    let fifth = double(&mut terms, 0.2);
    let is_fifth = terms.eq(x, fifth);
    let both = terms.and([equal, is_fifth]);
    assert_eq!(answer(backend, &terms, both).0, Answer::Unsat);
}

fn a_product_is_taken_apart(backend: Backend) {
    let mut terms = Terms::new();
    let x = terms.var(X, Sort::Bits(32));
    let (seven, result) = (single(&mut terms, 7.0), single(&mut terms, 10.5));
    let product = terms.float(FloatOp::Mul, &[x, seven]);
    let equal = terms.float(FloatOp::Eq, &[product, result]);
    let (found, value) = answer(backend, &terms, equal);
    assert_eq!((found, f32::from_bits(value as u32)), (Answer::Sat, 1.5));
    // A square that is not its own root squared: roots are rounded.
    let root = terms.float(FloatOp::Sqrt, &[x]);
    let two = single(&mut terms, 2.0);
    let is_two = terms.eq(x, two);
    let square = terms.float(FloatOp::Mul, &[root, root]);
    let same = terms.float(FloatOp::Eq, &[square, x]);
    let both = terms.and([is_two, same]);
    assert_eq!(answer(backend, &terms, both).0, Answer::Unsat);
}

fn what_no_float_does_is_unsatisfiable(backend: Backend) {
    let mut terms = Terms::new();
    let x = terms.var(X, Sort::Bits(32));
    let y = terms.var(Y, Sort::Bits(32));
    let (zero, one, largest) = (single(&mut terms, 0.0), single(&mut terms, 1.0), single(&mut terms, f32::MAX));
    let negative = terms.float(FloatOp::Neg, &[x]);
    let both_ways = {
        let (sum, other) = (terms.float(FloatOp::Add, &[x, y]), terms.float(FloatOp::Add, &[y, x]));
        terms.ne(sum, other)
    };
    let cancels = {
        let nothing = terms.float(FloatOp::Add, &[x, negative]);
        let (some, finite) = (terms.ne(nothing, zero), terms.float(FloatOp::Le, &[x, largest]));
        let lowest = single(&mut terms, -f32::MAX);
        let above = terms.float(FloatOp::Le, &[lowest, x]);
        terms.and([some, finite, above])
    };
    let root_below_zero = {
        let root = terms.float(FloatOp::Sqrt, &[x]);
        terms.float(FloatOp::Lt, &[root, zero])
    };
    let not_cut_off = {
        let (low, high) = (terms.float(FloatOp::Le, &[zero, x]), terms.float(FloatOp::Lt, &[x, one]));
        let whole = terms.float(FloatOp::ToSigned { width: 32 }, &[x]);
        let nothing = terms.bits(32, 0);
        let some = terms.ne(whole, nothing);
        terms.and([low, high, some])
    };
    let wider_is_other = {
        let wide = terms.float(FloatOp::Convert { width: 64 }, &[x]);
        let back = terms.float(FloatOp::Convert { width: 32 }, &[wide]);
        let (other, ordered) = (terms.ne(back, x), terms.float(FloatOp::Eq, &[x, x]));
        terms.and([other, ordered])
    };
    let integer_is_other = {
        let number = terms.var(RESULT, Sort::Bits(16));
        let float = terms.float(FloatOp::FromSigned { width: 32 }, &[number]);
        let back = terms.float(FloatOp::ToSigned { width: 16 }, &[float]);
        terms.ne(back, number)
    };
    // Z3 takes minutes to see that operands can be swapped.
    let swapped = (backend == Backend::Cadical).then_some(both_ways);
    for formula in swapped.into_iter().chain([cancels, root_below_zero, not_cut_off, wider_is_other, integer_is_other])
    {
        let shown = terms.display(formula, &|var| format!("v{}", var.0)).to_string();
        assert_eq!(answer(backend, &terms, formula).0, Answer::Unsat, "{shown}");
    }
}

/// A conversion that C does not define is not known to give what this machine gives.
fn undefined_conversions_may_give_anything(backend: Backend) {
    let mut terms = Terms::new();
    let x = terms.var(X, Sort::Bits(64));
    let large = double(&mut terms, 1e10);
    let is_large = terms.eq(x, large);
    let whole = terms.float(FloatOp::ToSigned { width: 32 }, &[x]);
    let (seven, smallest) = (terms.bits(32, 7), terms.bits(32, 1 << 31));
    let (is_seven, is_smallest) = (terms.eq(whole, seven), terms.eq(whole, smallest));
    let mut solver = backend.solver();
    solver.assert(&terms, is_large);
    assert_ne!(solver.check(&terms, &[is_seven]), Answer::Unsat);
    // What evaluation gives is found.
    assert_eq!(solver.check(&terms, &[is_smallest]), Answer::Sat);
    assert_eq!(solver.check(&terms, &[is_seven, is_smallest]), Answer::Unsat);
}

/// Small formulas with floats, of which both backends must say the same.
#[test]
fn backends_agree_on_random_float_formulas() {
    let mut random = Random(11);
    let (mut yes, mut no, mut open) = (0, 0, 0);
    for _ in 0..30 {
        let mut terms = Terms::new();
        let mut floats = vec![terms.var(X, Sort::Bits(32)), terms.var(Y, Sort::Bits(32))];
        floats.extend([0.0, 1.0, -2.5, 0.1, 1e30, 1e-40, f32::INFINITY].map(|value| single(&mut terms, value)));
        for _ in 0..2 {
            let (a, b) = (random.pick(&floats), random.pick(&floats[..2]));
            floats.push(match random.below(5) {
                0 => terms.float(FloatOp::Sub, &[a, b]),
                1 => terms.float(FloatOp::Convert { width: 32 }, &[b]),
                2 => {
                    let whole = terms.float(FloatOp::ToSigned { width: 16 }, &[b]);
                    terms.float(FloatOp::FromSigned { width: 32 }, &[whole])
                }
                _ => terms.float(FloatOp::Add, &[a, b]),
            });
        }
        let claims: Vec<TermId> = (0..3)
            .map(|_| {
                let (a, b) = (floats[floats.len() - 1 - random.below(2) as usize], random.pick(&floats));
                let op = random.pick(&[FloatOp::Eq, FloatOp::Lt, FloatOp::Le, FloatOp::Unordered]);
                let claim = terms.float(op, &[a, b]);
                if random.below(3) == 0 { terms.not(claim) } else { claim }
            })
            .collect();
        let formula = terms.and(claims);
        let answers = Backend::ALL.map(|backend| {
            let mut solver = backend.solver();
            solver.set_limits(Limits::time(Duration::from_secs(20)));
            solver.assert(&terms, formula);
            solver.check(&terms, &[])
        });
        match answers {
            [Answer::Sat, Answer::Sat] => yes += 1,
            [Answer::Unsat, Answer::Unsat] => no += 1,
            // Only where C does not define a conversion.
            [Answer::Unknown(Reason::Unsupported(_)), Answer::Sat] => open += 1,
            other => panic!("{other:?} on {}", terms.display(formula, &|var| format!("v{}", var.0))),
        }
    }
    assert!(yes > 5 && no > 5 && open < 4, "{yes} yes, {no} no, {open} open");
}

/// `x * y == 0.1 && x / y == 0.3 && x < y`, of doubles: hard, and false.
fn hard_formula(terms: &mut Terms) -> TermId {
    let (x, y) = (terms.var(X, Sort::Bits(64)), terms.var(Y, Sort::Bits(64)));
    let (tenth, three) = (double(terms, 0.1), double(terms, 0.3));
    let (product, quotient) = (terms.float(FloatOp::Mul, &[x, y]), terms.float(FloatOp::Div, &[x, y]));
    let parts = [
        terms.float(FloatOp::Eq, &[product, tenth]),
        terms.float(FloatOp::Eq, &[quotient, three]),
        terms.float(FloatOp::Lt, &[x, y]),
    ];
    terms.and(parts)
}

#[test]
fn floats_have_their_own_limit() {
    let mut terms = Terms::new();
    let hard = hard_formula(&mut terms);
    let unsupported = |what: &str| Answer::Unknown(Reason::Unsupported(what.to_string()));
    let mut solver = Backend::Cadical.solver();
    solver.assert(&terms, hard);
    solver.set_limits(Limits::NONE.floats(0));
    assert_eq!(solver.check(&terms, &[]), unsupported("floating point"));
    assert_eq!(solver.value(&terms, X, Sort::Bits(64)), None);
    solver.set_limits(Limits::NONE.floats(20));
    assert_eq!(solver.check(&terms, &[]), unsupported("floating point as hard as this"));
    solver.set_limits(Limits::conflicts(10).floats(20));
    assert_eq!(solver.check(&terms, &[]), Answer::Unknown(Reason::Conflicts), "the smaller limit");
    solver.set_limits(Limits { conflicts: Some(20), ..Limits::NONE });
    assert_eq!(solver.check(&terms, &[]), Answer::Unknown(Reason::Conflicts));
}

/// Whenever it is stopped, also between circuits, an answer is right, and so is the next.
#[test]
fn circuits_can_be_interrupted() {
    let mut interrupted = 0;
    for look in 1..30 {
        let mut terms = Terms::new();
        let (x, y) = (terms.var(X, Sort::Bits(32)), terms.var(Y, Sort::Bits(32)));
        let (seven, half) = (single(&mut terms, 7.0), single(&mut terms, 0.5));
        let mut claims = vec![];
        let mut sum = x;
        for _ in 0..6 {
            sum = terms.float(FloatOp::Add, &[sum, half]);
            let other = terms.float(FloatOp::Sub, &[y, sum]);
            claims.push(terms.float(FloatOp::Lt, &[other, seven]));
        }
        claims.push(terms.float(FloatOp::Eq, &[sum, seven]));
        let all = terms.and(claims);
        let mut solver = Backend::Cadical.solver();
        let looks = AtomicU64::new(0);
        solver.stop_when(Arc::new(move || looks.fetch_add(1, Ordering::Relaxed) + 1 == look));
        match solver.check(&terms, &[all]) {
            Answer::Unknown(Reason::Interrupted) => interrupted += 1,
            answer => assert_eq!(answer, Answer::Sat),
        }
        assert_eq!(solver.check(&terms, &[all]), Answer::Sat, "nobody says stop any more");
        let mut value_of = |var| solver.value(&terms, var, Sort::Bits(32));
        assert_eq!(terms.evaluate(all, &mut value_of), Some(Value::Bool(true)));
        let four = single(&mut terms, 4.5);
        let other = terms.float(FloatOp::Lt, &[four, x]);
        assert_eq!(solver.check(&terms, &[all, other]), Answer::Unsat);
    }
    assert!(interrupted > 5, "{interrupted}");
}

/// Interest over years, which no circuit turns round in so few conflicts: a plain number is found by trying.
#[test]
fn plain_floats_are_tried() {
    let mut terms = Terms::new();
    let rate = terms.var(X, Sort::Bits(64));
    let (hundred, enough) = (double(&mut terms, 100.0), double(&mut terms, 120.0));
    let mut balance = hundred;
    for _ in 0..6 {
        let interest = terms.float(FloatOp::Mul, &[balance, rate]);
        let interest = terms.float(FloatOp::Div, &[interest, hundred]);
        balance = terms.float(FloatOp::Add, &[balance, interest]);
    }
    let grown = terms.float(FloatOp::Lt, &[enough, balance]);
    let mut solver = Backend::Cadical.solver();
    solver.assert(&terms, grown);
    solver.set_limits(Limits::NONE.floats(5));
    assert_eq!(solver.check(&terms, &[]), Answer::Sat);
    let mut value_of = |var| solver.value(&terms, var, Sort::Bits(64));
    assert_eq!(terms.evaluate(grown, &mut value_of), Some(Value::Bool(true)));
    // What is fixed stays as it is.
    let mut solver = Backend::Cadical.solver();
    solver.fix(&mut terms, X, Sort::Bits(64), u128::from(0.5f64.to_bits()));
    solver.assert(&terms, grown);
    assert_eq!(solver.check(&terms, &[]), Answer::Unsat);
}
