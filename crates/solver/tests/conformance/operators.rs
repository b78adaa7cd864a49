//! Every operator, for all values of few bits and some of many.

use wherefore_formula::{BinaryOp, CompareOp, Sort, TermId, Terms, VarId};
use wherefore_solver::{Answer, Backend, Limits, Validity, valid};

use crate::support::{RESULT, Random, X, Y};

for_each_backend!(
    operators_are_exact_at_small_widths,
    slices_are_exact_at_small_widths,
    overflow_predicates_are_exact_at_small_widths,
    wide_operands_compute,
    divisions_of_nonlinear_terms_agree_with_the_model,
);

// ---- Meaning of the operators on numbers of at most a few bits ----

fn signed(width: u32, x: u128) -> i128 {
    let x = x as i128;
    if x >= 1 << (width - 1) { x - (1 << width) } else { x }
}

fn wrapped(width: u32, x: i128) -> u128 {
    x.rem_euclid(1 << width) as u128
}

fn meaning(op: BinaryOp, width: u32, a: u128, b: u128) -> u128 {
    let (x, y) = (signed(width, a), signed(width, b));
    let (u, v) = (a as i128, b as i128);
    let result = match op {
        BinaryOp::Add => u + v,
        BinaryOp::Sub => u - v,
        BinaryOp::Mul => u * v,
        BinaryOp::UDiv if b == 0 => -1,
        BinaryOp::UDiv => u / v,
        BinaryOp::URem if b == 0 => u,
        BinaryOp::URem => u % v,
        BinaryOp::SDiv if y == 0 && x >= 0 => -1,
        BinaryOp::SDiv if y == 0 => 1,
        BinaryOp::SDiv => x / y,
        BinaryOp::SRem if y == 0 => x,
        BinaryOp::SRem => x % y,
        BinaryOp::Shl => u << v,
        BinaryOp::LShr => u >> v,
        BinaryOp::AShr => x >> v,
        BinaryOp::And => u & v,
        BinaryOp::Or => u | v,
        BinaryOp::Xor => u ^ v,
    };
    wrapped(width, result)
}

fn holds(op: CompareOp, width: u32, a: u128, b: u128) -> bool {
    match op {
        CompareOp::Ult => a < b,
        CompareOp::Ule => a <= b,
        CompareOp::Slt => signed(width, a) < signed(width, b),
        CompareOp::Sle => signed(width, a) <= signed(width, b),
    }
}

fn fits(op: BinaryOp, is_signed: bool, width: u32, a: u128, b: u128) -> bool {
    let (x, y) = if is_signed { (signed(width, a), signed(width, b)) } else { (a as i128, b as i128) };
    let result = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        _ if b >= u128::from(width) => return false,
        _ => x << b,
    };
    if is_signed {
        (-(1 << (width - 1))..1 << (width - 1)).contains(&result)
    } else {
        (0..1 << width).contains(&result)
    }
}

// ---- Exhaustive checks ----

/// Checks a function of two variables for all their values: the variables are fixed by assumptions, so that the
/// constructors cannot fold the term, and the result must be the expected one and no other.
fn check_function(
    backend: Backend,
    width: u32,
    build: impl Fn(&mut Terms, TermId, TermId) -> TermId,
    expected: impl Fn(u128, u128) -> u128,
) {
    let mut terms = Terms::new();
    let x = terms.var(X, Sort::Bits(width));
    let y = terms.var(Y, Sort::Bits(width));
    let term = build(&mut terms, x, y);
    let sort = terms.sort(term);
    let result = terms.var(RESULT, sort);
    let definition = terms.eq(result, term);
    let mut solver = backend.solver();
    solver.assert(&terms, definition);
    for a in 0..1 << width {
        for b in 0..1 << width {
            let (left, right) = (terms.bits(width, a), terms.bits(width, b));
            let fixed = [terms.eq(x, left), terms.eq(y, right)];
            let wanted = expected(a, b);
            assert_eq!(solver.check(&terms, &fixed), Answer::Sat);
            let found = solver.value(&terms, RESULT, sort);
            assert_eq!(found, Some(wanted), "{a} {b} at width {width}");
            let constant = match sort {
                Sort::Bool => terms.truth(wanted != 0),
                Sort::Bits(width) => terms.bits(width, wanted),
                Sort::Int => terms.int(wanted as i128),
            };
            let another = terms.ne(result, constant);
            let assumptions = [fixed[0], fixed[1], another];
            assert_eq!(solver.check(&terms, &assumptions), Answer::Unsat);
        }
    }
}

fn operators_are_exact_at_small_widths(backend: Backend) {
    for width in 1..=4 {
        for op in BinaryOp::ALL {
            check_function(backend, width, |terms, x, y| terms.binary(op, x, y), |a, b| meaning(op, width, a, b));
        }
        for op in CompareOp::ALL {
            check_function(
                backend,
                width,
                |terms, x, y| terms.compare(op, x, y),
                |a, b| u128::from(holds(op, width, a, b)),
            );
        }
        check_function(backend, width, Terms::eq, |a, b| u128::from(a == b));
        check_function(backend, width, |terms, x, _| terms.neg(x), |a, _| wrapped(width, -(a as i128)));
        check_function(backend, width, |terms, x, _| terms.bit_not(x), |a, _| wrapped(width, -1 - a as i128));
        check_function(
            backend,
            width,
            |terms, x, y| {
                let less = terms.ult(x, y);
                terms.ite(less, x, y)
            },
            |a, b| a.min(b),
        );
    }
}

fn slices_are_exact_at_small_widths(backend: Backend) {
    for width in 1..=4 {
        check_function(backend, width, Terms::concat, |a, b| a << width | b);
        for to in width..=width + 3 {
            check_function(backend, width, |terms, x, _| terms.zero_extend(x, to), |a, _| a);
            check_function(
                backend,
                width,
                |terms, x, _| terms.sign_extend(x, to),
                |a, _| wrapped(to, signed(width, a)),
            );
        }
        for low in 0..width {
            for taken in 1..=width - low {
                check_function(
                    backend,
                    width,
                    |terms, x, y| {
                        let product = terms.binary(BinaryOp::Mul, x, y);
                        terms.extract(product, low, taken)
                    },
                    |a, b| wrapped(taken, ((a * b) >> low) as i128),
                );
                // Across the seam of a concatenation of an extended slice.
                check_function(
                    backend,
                    width,
                    |terms, x, y| {
                        let slice = terms.extract(x, low, taken);
                        let slice = terms.sign_extend(slice, width + 1);
                        let joined = terms.concat(slice, y);
                        terms.extract(joined, width - 1, width + 1)
                    },
                    |a, b| {
                        let slice = wrapped(taken, (a >> low) as i128);
                        let slice = wrapped(width + 1, signed(taken, slice));
                        wrapped(width + 1, ((slice << width | b) >> (width - 1)) as i128)
                    },
                );
            }
        }
    }
}

fn overflow_predicates_are_exact_at_small_widths(backend: Backend) {
    for width in 1..=4 {
        for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Shl] {
            for is_signed in [false, true] {
                check_function(
                    backend,
                    width,
                    |terms, x, y| terms.no_overflow(op, is_signed, x, y),
                    |a, b| u128::from(fits(op, is_signed, width, a, b)),
                );
            }
        }
    }
}

/// The widths of C's types and the widest, on corners and random values, against machine arithmetic.
fn wide_operands_compute(backend: Backend) {
    let mut random = Random(1);
    for width in [8u32, 16, 32, 64, 128] {
        let all = u128::MAX >> (128 - width);
        let corners = [0, 1, 2, all, all >> 1, (all >> 1) + 1];
        let mut terms = Terms::new();
        let x = terms.var(X, Sort::Bits(width));
        let y = terms.var(Y, Sort::Bits(width));
        let mut solver = backend.solver();
        let operations: Vec<(BinaryOp, VarId)> = BinaryOp::ALL
            .into_iter()
            // Wide circuits of these are large; 64 bits are what C needs.
            .filter(|op| width <= 64 || !matches!(op, BinaryOp::SDiv | BinaryOp::SRem))
            .enumerate()
            .map(|(position, op)| (op, VarId(10 + position as u32)))
            .collect();
        for &(op, var) in &operations {
            let result = terms.var(var, Sort::Bits(width));
            let term = terms.binary(op, x, y);
            let definition = terms.eq(result, term);
            solver.assert(&terms, definition);
        }
        for round in 0..6 {
            let mut value = || {
                let raw = u128::from(random.next()) << 64 | u128::from(random.next());
                let corner = random.pick(&corners);
                random.pick(&[raw & all, corner, raw & 7])
            };
            let (a, b) = (value(), if round == 0 { 0 } else { value() });
            let (left, right) = (terms.bits(width, a), terms.bits(width, b));
            let fixed = [terms.eq(x, left), terms.eq(y, right)];
            assert_eq!(solver.check(&terms, &fixed), Answer::Sat);
            for &(op, var) in &operations {
                let expected = machine(op, width, a, b);
                let found = solver.value(&terms, var, Sort::Bits(width));
                assert_eq!(found, Some(expected), "{op:?} {a} {b} at width {width}");
            }
        }
    }
}

/// The operator by the machine's own arithmetic on sign-extended 128-bit numbers.
fn machine(op: BinaryOp, width: u32, a: u128, b: u128) -> u128 {
    let spare = 128 - width;
    let number = |x: u128| ((x << spare) as i128) >> spare;
    let (x, y) = (number(a), number(b));
    let amount = u32::try_from(b).unwrap_or(u32::MAX);
    let result = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        BinaryOp::URem => a.checked_rem(b).unwrap_or(a),
        BinaryOp::SDiv if b == 0 => (if x < 0 { 1 } else { -1i128 }) as u128,
        BinaryOp::SDiv => x.wrapping_div(y) as u128,
        BinaryOp::SRem if b == 0 => a,
        BinaryOp::SRem => x.wrapping_rem(y) as u128,
        BinaryOp::Shl => a.checked_shl(amount).unwrap_or(0),
        BinaryOp::LShr => a.checked_shr(amount).unwrap_or(0),
        BinaryOp::AShr => (x >> amount.min(127)) as u128,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    };
    result & (u128::MAX >> spare)
}

fn divisions_of_nonlinear_terms_agree_with_the_model(backend: Backend) {
    let mut terms = Terms::new();
    let x = terms.var(X, Sort::Bits(8));
    let y = terms.var(Y, Sort::Bits(8));
    let quotient = terms.binary(BinaryOp::UDiv, x, y);
    let remainder = terms.binary(BinaryOp::URem, x, y);
    let product = terms.binary(BinaryOp::Mul, quotient, y);
    let back = terms.binary(BinaryOp::Add, product, remainder);
    let zero = terms.bits(8, 0);
    let divides = terms.ne(y, zero);
    let restored = terms.eq(back, x);
    let answer = valid(backend, &mut terms, &[divides], restored, Limits::NONE);
    assert_eq!(answer, Validity::Valid);
}
