//! Floating point.

use wherefore_formula::{FloatOp, Sort, Terms, VarId};
use wherefore_solver::{Answer, Backend, Limits, Reason, Validity, valid};

use crate::support::{RESULT, Random, X, Y};

for_each_backend!(
    float_comparisons_are_exact,
    equal_float_terms_are_equal_and_sums_are_exact,
    floats_are_computed_as_the_hardware_does,
    integers_are_converted_as_the_hardware_does,
    the_remainder_of_c_is_known_or_nothing_is_said,
    laws_of_floats_are_proved,
);

const CORNERS: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    1.5,
    -2.5,
    3.0,
    1e10,
    -1e300,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

fn float_comparisons_are_exact(backend: Backend) {
    for width in [32, 64] {
        let pattern = |value: f64| match width {
            32 => u128::from((value as f32).to_bits()),
            _ => u128::from(value.to_bits()),
        };
        let number = |value: f64| match width {
            32 => f64::from(value as f32),
            _ => value,
        };
        let mut terms = Terms::new();
        let x = terms.var(X, Sort::Bits(width));
        let y = terms.var(Y, Sort::Bits(width));
        let operations = [FloatOp::Eq, FloatOp::Lt, FloatOp::Le, FloatOp::Unordered];
        let mut solver = backend.solver();
        for (position, op) in operations.into_iter().enumerate() {
            let result = terms.var(VarId(10 + position as u32), Sort::Bool);
            let claim = terms.float(op, &[x, y]);
            let definition = terms.eq(result, claim);
            solver.assert(&terms, definition);
        }
        for a in CORNERS {
            for b in CORNERS {
                let (left, right) = (terms.bits(width, pattern(a)), terms.bits(width, pattern(b)));
                let fixed = [terms.eq(x, left), terms.eq(y, right)];
                assert_eq!(solver.check(&terms, &fixed), Answer::Sat);
                let (a, b) = (number(a), number(b));
                let expected = [a == b, a < b, a <= b, a.is_nan() || b.is_nan()];
                for (position, expected) in expected.into_iter().enumerate() {
                    let var = VarId(10 + position as u32);
                    let found = solver.value(&terms, var, Sort::Bool);
                    assert_eq!(found, Some(u128::from(expected)), "{a} {b}");
                }
            }
        }
    }
}

fn equal_float_terms_are_equal_and_sums_are_exact(backend: Backend) {
    let mut terms = Terms::new();
    let x = terms.var(X, Sort::Bits(32));
    let y = terms.var(Y, Sort::Bits(32));
    let copy = terms.var(RESULT, Sort::Bits(32));
    let sum = terms.float(FloatOp::Add, &[x, y]);
    let first = terms.eq(copy, sum);
    let second = terms.ne(copy, sum);
    let mut solver = backend.solver();
    solver.assert(&terms, first);
    assert_eq!(solver.check(&terms, &[second]), Answer::Unsat);
    // 1 + 2 is 3, not 4.
    let pattern = |terms: &mut Terms, value: f32| terms.bits(32, u128::from(value.to_bits()));
    let [one, two, three, four] = [1.0, 2.0, 3.0, 4.0].map(|value| pattern(&mut terms, value));
    let given = [terms.eq(x, one), terms.eq(y, two)];
    let (right, wrong) = (terms.eq(copy, three), terms.eq(copy, four));
    assert_eq!(solver.check(&terms, &[given[0], given[1], wrong]), Answer::Unsat);
    let core = solver.core();
    assert!(core.contains(&wrong), "{core:?}");
    assert_eq!(solver.check(&terms, &[given[0], given[1], right]), Answer::Sat);
    assert_eq!(solver.check(&terms, &[given[0], right]), Answer::Sat);
    // 2, or its neighbour below, from where it is rounded up.
    let other = solver.value(&terms, Y, Sort::Bits(32)).expect("it is in the formula");
    assert_eq!(1.0 + f32::from_bits(other as u32), 3.0);
}

/// Whether what a backend computes for given operands can be anything but what the hardware computes.
fn answer_float(backend: Backend, op: FloatOp, operand: u32, args: &[u128], expected: u128) -> Answer {
    let mut terms = Terms::new();
    let mut solver = backend.solver();
    let mut variables = Vec::new();
    for (position, &value) in args.iter().enumerate() {
        // Variables that are fixed by assertions: of constants the operation would be folded and no backend asked.
        let variable = terms.var(VarId(position as u32), Sort::Bits(operand));
        let value = terms.bits(operand, value);
        let fixed = terms.eq(variable, value);
        solver.assert(&terms, fixed);
        variables.push(variable);
    }
    let result = terms.float(op, &variables);
    let width = terms.width(result);
    let value = terms.bits(width, expected);
    let differs = terms.ne(result, value);
    solver.assert(&terms, differs);
    solver.check(&terms, &[])
}

fn check_float(backend: Backend, op: FloatOp, operand: u32, args: &[u128], expected: u128) {
    let answer = answer_float(backend, op, operand, args, expected);
    assert_eq!(answer, Answer::Unsat, "{op:?} {args:x?} is {expected:x}");
}

fn canonical32(value: f32) -> u128 {
    if value.is_nan() { 0x7fc0_0000 } else { u128::from(value.to_bits()) }
}

fn canonical64(value: f64) -> u128 {
    if value.is_nan() { 0x7ff8_0000_0000_0000 } else { u128::from(value.to_bits()) }
}

/// Pairs of operands: all corners with a few others, and random patterns.
fn float_pairs(count: usize) -> Vec<(f64, f64)> {
    let mut random = Random(4);
    let mut pairs = Vec::new();
    for _ in 0..count {
        pairs.push((random.pick(&CORNERS), random.pick(&CORNERS)));
        let scale = |raw: u64| (raw as i64 as f64) / 1e12;
        pairs.push((scale(random.next()), scale(random.next())));
    }
    pairs
}

fn floats_are_computed_as_the_hardware_does(backend: Backend) {
    for (number, (a, b)) in float_pairs(12).into_iter().enumerate() {
        let (x, y) = (a as f32, b as f32);
        let args = [u128::from(x.to_bits()), u128::from(y.to_bits())];
        for (op, expected) in
            [(FloatOp::Add, x + y), (FloatOp::Sub, x - y), (FloatOp::Mul, x * y), (FloatOp::Div, x / y)]
        {
            check_float(backend, op, 32, &args, canonical32(expected));
        }
        check_float(backend, FloatOp::Sqrt, 32, &args[..1], canonical32(x.sqrt()));
        let wide = FloatOp::Convert { width: 64 };
        check_float(backend, wide, 32, &args[..1], canonical64(f64::from(x)));
        let args = [u128::from(a.to_bits()), u128::from(b.to_bits())];
        // These are the largest circuits, and Z3 takes long for them.
        let products = [(FloatOp::Mul, a * b), (FloatOp::Div, a / b), (FloatOp::Sqrt, a.sqrt())];
        let products = products.into_iter().filter(|_| backend == Backend::Cadical && number % 4 < 2);
        for (op, expected) in [(FloatOp::Add, a + b), (FloatOp::Sub, a - b)].into_iter().chain(products) {
            let args = if op == FloatOp::Sqrt { &args[..1] } else { &args };
            check_float(backend, op, 64, args, canonical64(expected));
        }
        let narrow = FloatOp::Convert { width: 32 };
        check_float(backend, narrow, 64, &args[..1], canonical32(a as f32));
    }
}

fn integers_are_converted_as_the_hardware_does(backend: Backend) {
    let mut random = Random(5);
    let mut values = vec![0, 1, -1, 3, i64::MAX, i64::MIN, 16_777_217, 9_007_199_254_740_993];
    values.extend((0..8).map(|_| random.next() as i64 >> random.below(60)));
    for value in values {
        let args = [u128::from(value as u64)];
        let (single, double) = (value as f32, value as f64);
        check_float(backend, FloatOp::FromSigned { width: 32 }, 64, &args, canonical32(single));
        check_float(backend, FloatOp::FromSigned { width: 64 }, 64, &args, canonical64(double));
        let unsigned = value as u64;
        let expected = canonical64(unsigned as f64);
        check_float(backend, FloatOp::FromUnsigned { width: 64 }, 64, &args, expected);
        let expected = canonical32(unsigned as f32);
        check_float(backend, FloatOp::FromUnsigned { width: 32 }, 64, &args, expected);
        // Back to an integer, where it is defined: fractions are cut off.
        let fraction = (value >> 33) as f64 + 0.75;
        let args = [u128::from(fraction.to_bits())];
        let expected = u128::from(fraction as i32 as u32);
        check_float(backend, FloatOp::ToSigned { width: 32 }, 64, &args, expected);
        let fraction = fraction.abs();
        let args = [u128::from(fraction.to_bits())];
        let expected = u128::from(fraction as u64);
        check_float(backend, FloatOp::ToUnsigned { width: 64 }, 64, &args, expected);
    }
}

/// The remainder of C, which SMT-LIB does not have, on fixed operands: Z3 does not decide it otherwise in bearable time.
/// For CaDiCaL there is no circuit.
fn the_remainder_of_c_is_known_or_nothing_is_said(backend: Backend) {
    for (a, b) in [
        (5.5f32, 2.0f32),
        (-5.5, 2.0),
        (5.5, -2.0),
        (7.0, 4.0),
        (-7.0, 4.0),
        (6.0, 3.0),
        (-6.0, 3.0),
        (0.0, 1.0),
        (-0.0, 1.0),
        (1.0, 0.0),
        (1.0, f32::INFINITY),
        (f32::INFINITY, 1.0),
        (f32::NAN, 1.0),
        (0.3, 0.1),
        (1e-40, 3e-41),
        (100.25, 0.7),
    ] {
        let args = [u128::from(a.to_bits()), u128::from(b.to_bits())];
        let answer = answer_float(backend, FloatOp::Rem, 32, &args, canonical32(a % b));
        let unsupported = Answer::Unknown(Reason::Unsupported("floating point".to_string()));
        assert_eq!(answer, if backend == Backend::Z3 { Answer::Unsat } else { unsupported }, "{a} {b}");
    }
}

/// Statements about all floats, which are proved by circuits.
fn laws_of_floats_are_proved(backend: Backend) {
    let mut terms = Terms::new();
    let x = terms.var(X, Sort::Bits(32));
    let y = terms.var(Y, Sort::Bits(32));
    let one = terms.bits(32, u128::from(1f32.to_bits()));
    let nan = terms.float(FloatOp::Unordered, &[x, y]);
    let ordered = terms.not(nan);
    let product = terms.float(FloatOp::Mul, &[x, one]);
    let same = terms.eq(product, x);
    let less = terms.float(FloatOp::Lt, &[x, y]);
    let greater = terms.float(FloatOp::Lt, &[y, x]);
    let equal = terms.float(FloatOp::Eq, &[x, y]);
    let some = terms.or([less, greater, equal]);
    let identical = terms.eq(x, y);
    for (premises, conclusion, expected) in [
        (vec![ordered], same, Validity::Valid),
        (vec![], same, Validity::Invalid),
        (vec![ordered], some, Validity::Valid),
        (vec![identical, ordered], equal, Validity::Valid),
        (vec![equal], identical, Validity::Invalid),
    ] {
        let answer = valid(backend, &mut terms, &premises, conclusion, Limits::NONE);
        assert_eq!(answer, expected);
    }
}
