//! One suite for every backend: the same claims, instantiated by [`for_each_backend`].
//!
//! What an operator means is written here once more, on plain numbers, so that a mistake in the evaluation of terms
//! cannot hide a mistake in a backend.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use wherefore_formula::{BinaryOp, CompareOp, FloatOp, Sort, TermId, Terms, Value, VarId};
use wherefore_solver::{Answer, Backend, Cores, Limits, Reason, Validity, minimal_core, valid};

/// Makes one test per backend of each function that takes one.
macro_rules! for_each_backend {
    ($($name:ident),* $(,)?) => {
        mod cadical {
            $(#[test] fn $name() { super::$name(super::Backend::Cadical); })*
        }
        mod z3 {
            $(#[test] fn $name() { super::$name(super::Backend::Z3); })*
        }
    };
}

for_each_backend!(
    operators_are_exact_at_small_widths,
    slices_are_exact_at_small_widths,
    overflow_predicates_are_exact_at_small_widths,
    wide_operands_compute,
    divisions_of_nonlinear_terms_agree_with_the_model,
    constants_need_no_search,
    assertions_and_checks_alternate,
    values_belong_to_the_last_model,
    a_variable_can_be_fixed_before_and_after_it_is_used,
    cores_blame_assumptions_only,
    minimal_cores_are_minimal,
    minimal_cores_of_contradictions_are_pairs,
    a_satisfiable_formula_has_no_core,
    an_interrupt_stops_a_check,
    an_interrupt_before_a_check_stops_it,
    a_deadline_stops_a_check,
    a_conflict_limit_stops_a_check,
    limits_can_be_lifted,
    deep_terms_are_decided,
    float_comparisons_are_exact,
    float_results_may_be_anything_but_equal_terms_are_equal,
    validity_is_decided,
);

/// The numbers a test iterates over, by a fixed generator (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }
}

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

const X: VarId = VarId(0);
const Y: VarId = VarId(1);
const RESULT: VarId = VarId(2);

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
    let x = terms.var(X, Sort::Bits(12));
    let y = terms.var(Y, Sort::Bits(12));
    let quotient = terms.binary(BinaryOp::UDiv, x, y);
    let remainder = terms.binary(BinaryOp::URem, x, y);
    let product = terms.binary(BinaryOp::Mul, quotient, y);
    let back = terms.binary(BinaryOp::Add, product, remainder);
    let zero = terms.bits(12, 0);
    let divides = terms.ne(y, zero);
    let restored = terms.eq(back, x);
    let answer = valid(backend, &mut terms, &[divides], restored, Limits::NONE);
    assert_eq!(answer, Validity::Valid);
}

// ---- Use of a solver ----

struct Fixture {
    terms: Terms,
    x: TermId,
    y: TermId,
    solver: Box<dyn Cores>,
}

fn fixture(backend: Backend) -> Fixture {
    let mut terms = Terms::new();
    let x = terms.var(X, Sort::Bits(32));
    let y = terms.var(Y, Sort::Bits(32));
    Fixture { terms, x, y, solver: backend.solver() }
}

fn constants_need_no_search(backend: Backend) {
    let Fixture { terms, mut solver, .. } = fixture(backend);
    assert_eq!(solver.check(&terms, &[]), Answer::Sat);
    assert_eq!(solver.check(&terms, &[terms.truth(true)]), Answer::Sat);
    assert_eq!(solver.check(&terms, &[terms.truth(false)]), Answer::Unsat);
    assert_eq!(solver.core(), [terms.truth(false)]);
    assert_eq!(solver.check(&terms, &[]), Answer::Sat);
    solver.assert(&terms, terms.truth(true));
    assert_eq!(solver.check(&terms, &[]), Answer::Sat);
    solver.assert(&terms, terms.truth(false));
    assert_eq!(solver.check(&terms, &[terms.truth(true)]), Answer::Unsat);
    assert_eq!(solver.core(), []);
    assert_eq!(solver.check(&terms, &[]), Answer::Unsat);
}

fn assertions_and_checks_alternate(backend: Backend) {
    let Fixture { mut terms, x, y, mut solver } = fixture(backend);
    let less = terms.slt(x, y);
    let greater = terms.slt(y, x);
    let ten = terms.bits(32, 10);
    let bounded = terms.slt(y, ten);
    solver.assert(&terms, less);
    assert_eq!(solver.check(&terms, &[]), Answer::Sat);
    assert_eq!(solver.check(&terms, &[greater]), Answer::Unsat);
    assert_eq!(solver.check(&terms, &[bounded]), Answer::Sat);
    solver.assert(&terms, bounded);
    let nine = terms.bits(32, 9);
    let at_nine = terms.sle(nine, x);
    assert_eq!(solver.check(&terms, &[at_nine]), Answer::Unsat);
    assert_eq!(solver.check(&terms, &[less, bounded]), Answer::Sat);
    solver.assert(&terms, at_nine);
    assert_eq!(solver.check(&terms, &[]), Answer::Unsat);
}

fn values_belong_to_the_last_model(backend: Backend) {
    let Fixture { mut terms, x, mut solver, .. } = fixture(backend);
    let sort = Sort::Bits(32);
    assert_eq!(solver.value(&terms, X, sort), None, "no check yet");
    for expected in [7, 8] {
        let value = terms.bits(32, expected);
        let equal = terms.eq(x, value);
        assert_eq!(solver.check(&terms, &[equal]), Answer::Sat);
        assert_eq!(solver.value(&terms, X, sort), Some(expected));
        assert_eq!(solver.value(&terms, Y, sort), None, "not in the formula");
    }
    let flag = terms.var(VarId(5), Sort::Bool);
    let unset = terms.not(flag);
    assert_eq!(solver.check(&terms, &[flag]), Answer::Sat);
    assert_eq!(solver.value(&terms, VarId(5), Sort::Bool), Some(1));
    assert_eq!(solver.check(&terms, &[unset]), Answer::Sat);
    assert_eq!(solver.value(&terms, VarId(5), Sort::Bool), Some(0));
    assert_eq!(solver.check(&terms, &[flag, unset]), Answer::Unsat);
    assert_eq!(solver.value(&terms, X, sort), None, "no model");
    assert_eq!(solver.check(&terms, &[flag]), Answer::Sat);
    solver.assert(&terms, flag);
    assert_eq!(solver.value(&terms, VarId(5), Sort::Bool), None, "changed since");
}

fn a_variable_can_be_fixed_before_and_after_it_is_used(backend: Backend) {
    let sort = Sort::Bits(32);
    for late in [false, true] {
        let Fixture { mut terms, x, y, mut solver } = fixture(backend);
        let less = terms.slt(x, y);
        let sum = terms.binary(BinaryOp::Add, x, y);
        let expected = terms.bits(32, 12);
        let equal = terms.eq(sum, expected);
        if late {
            solver.assert(&terms, less);
            assert_eq!(solver.check(&terms, &[equal]), Answer::Sat);
        }
        solver.fix(&mut terms, X, sort, 5);
        assert_eq!(solver.value(&terms, X, sort), None, "no check since");
        solver.assert(&terms, less);
        assert_eq!(solver.check(&terms, &[equal]), Answer::Sat);
        assert_eq!(solver.value(&terms, X, sort), Some(5));
        assert_eq!(solver.value(&terms, Y, sort), Some(7));
        let five = terms.bits(32, 5);
        let other = terms.eq(x, five);
        let other = terms.not(other);
        assert_eq!(solver.check(&terms, &[equal, other]), Answer::Unsat);
        assert_eq!(solver.core(), [other], "late: {late}");
        // What is fixed stays fixed, also to something else.
        solver.fix(&mut terms, Y, sort, 4);
        assert_eq!(solver.check(&terms, &[]), Answer::Unsat);
        solver.fix(&mut terms, VarId(7), Sort::Bool, 1);
        let flag = terms.var(VarId(7), Sort::Bool);
        assert_eq!(solver.check(&terms, &[flag]), Answer::Unsat);
        assert_eq!(solver.core(), []);
    }
}

// ---- Cores ----

/// Random bounds and differences over a few 8-bit variables: small enough for brute force by subsets.
fn random_constraints(terms: &mut Terms, random: &mut Random, count: usize) -> Vec<TermId> {
    let variables: Vec<TermId> = (0..3).map(|i| terms.var(VarId(i), Sort::Bits(8))).collect();
    let mut constraints = Vec::new();
    while constraints.len() < count {
        let (a, b) = (random.pick(&variables), random.pick(&variables));
        let constant = terms.bits(8, u128::from(random.below(256)));
        let sum = terms.binary(BinaryOp::Add, a, constant);
        let constraint = match random.below(4) {
            0 => terms.ult(a, constant),
            1 => terms.ult(constant, a),
            2 => terms.eq(sum, b),
            _ => terms.slt(a, b),
        };
        if terms.truth_value(constraint).is_none() {
            constraints.push(constraint);
        }
    }
    constraints
}

fn cores_blame_assumptions_only(backend: Backend) {
    let mut random = Random(2);
    let mut unsatisfiable = 0;
    for _ in 0..60 {
        let mut terms = Terms::new();
        let constraints = random_constraints(&mut terms, &mut random, 7);
        let mut solver = backend.solver();
        solver.assert(&terms, constraints[0]);
        if solver.check(&terms, &constraints[1..]) != Answer::Unsat {
            assert!(solver.core().is_empty());
            continue;
        }
        unsatisfiable += 1;
        let core = solver.core();
        assert!(core.iter().all(|member| constraints[1..].contains(member)));
        assert_eq!(solver.check(&terms, &core), Answer::Unsat);
        let mut other = backend.other().solver();
        other.assert(&terms, constraints[0]);
        assert_eq!(other.check(&terms, &core), Answer::Unsat, "second opinion");
    }
    assert!(unsatisfiable > 10, "the test has something to look at");
}

fn minimal_cores_are_minimal(backend: Backend) {
    let mut random = Random(3);
    let mut found = 0;
    for _ in 0..60 {
        let mut terms = Terms::new();
        let constraints = random_constraints(&mut terms, &mut random, 8);
        let mut solver = backend.solver();
        let Ok(core) = minimal_core(solver.as_mut(), &terms, &constraints) else {
            continue;
        };
        found += 1;
        assert!(core.is_minimal);
        assert!(core.members.iter().all(|member| constraints.contains(member)));
        assert_eq!(solver.check(&terms, &core.members), Answer::Unsat);
        for left_out in &core.members {
            let rest: Vec<TermId> = core.members.iter().copied().filter(|member| member != left_out).collect();
            assert_eq!(solver.check(&terms, &rest), Answer::Sat, "each is needed");
        }
    }
    assert!(found > 10, "the test has something to look at");
}

fn minimal_cores_of_contradictions_are_pairs(backend: Backend) {
    let Fixture { mut terms, x, mut solver, .. } = fixture(backend);
    let claims: Vec<TermId> = (0..4)
        .map(|value| {
            let value = terms.bits(32, value);
            terms.eq(x, value)
        })
        .collect();
    let core = minimal_core(solver.as_mut(), &terms, &claims).expect("unsatisfiable");
    assert_eq!(core.members.len(), 2);
    let repeated = [claims[0], claims[1], claims[0], claims[1]];
    let core = minimal_core(solver.as_mut(), &terms, &repeated).expect("unsatisfiable");
    assert_eq!(core.members, [claims[0], claims[1]]);
    let falsity = terms.truth(false);
    solver.assert(&terms, falsity);
    let core = minimal_core(solver.as_mut(), &terms, &claims).expect("unsatisfiable");
    assert!(core.members.is_empty(), "nothing is to blame");
}

fn a_satisfiable_formula_has_no_core(backend: Backend) {
    let Fixture { mut terms, x, y, mut solver } = fixture(backend);
    let less = terms.slt(x, y);
    let result = minimal_core(solver.as_mut(), &terms, &[less]);
    assert_eq!(result, Err(Answer::Sat));
}

// ---- Giving up ----

/// The factors of a product of two primes of 32 bits: nobody finds them in the time of a test.
fn hard_formula(terms: &mut Terms) -> TermId {
    const WIDTH: u32 = 64;
    let x = terms.var(X, Sort::Bits(WIDTH));
    let y = terms.var(Y, Sort::Bits(WIDTH));
    let one = terms.bits(WIDTH, 1);
    let bound = terms.bits(WIDTH, 1 << 32);
    let product = terms.binary(BinaryOp::Mul, x, y);
    let semiprime = terms.bits(WIDTH, 3_037_000_493 * 2_654_435_761);
    let parts = [
        terms.eq(product, semiprime),
        terms.ult(one, x),
        terms.ult(one, y),
        terms.ult(x, bound),
        terms.ult(y, bound),
        terms.ult(x, y),
    ];
    terms.and(parts)
}

fn an_interrupt_stops_a_check(backend: Backend) {
    let mut terms = Terms::new();
    let hard = hard_formula(&mut terms);
    let (mut solver, interrupter) = backend.interruptible();
    // Not asserted but assumed, so that the solver can be used without it afterwards.
    let answer = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(150));
            interrupter();
        });
        solver.check(&terms, &[hard])
    });
    assert_eq!(answer, Answer::Unknown(Reason::Interrupted));
    let x = terms.var(X, Sort::Bits(64));
    let three = terms.bits(64, 3);
    let easy = terms.eq(x, three);
    assert_eq!(solver.check(&terms, &[easy]), Answer::Sat, "only that check");
    assert_eq!(solver.value(&terms, X, Sort::Bits(64)), Some(3));
    drop(solver);
    interrupter();
}

fn an_interrupt_before_a_check_stops_it(backend: Backend) {
    let mut terms = Terms::new();
    let hard = hard_formula(&mut terms);
    let (mut solver, interrupter) = backend.interruptible();
    interrupter();
    let interrupted = Answer::Unknown(Reason::Interrupted);
    assert_eq!(solver.check(&terms, &[hard]), interrupted);
    assert_eq!(solver.check(&terms, &[]), Answer::Sat);
}

fn a_deadline_stops_a_check(backend: Backend) {
    let mut terms = Terms::new();
    let hard = hard_formula(&mut terms);
    let mut solver = backend.solver();
    solver.set_limits(Limits::time(Duration::from_millis(150)));
    solver.assert(&terms, hard);
    let start = Instant::now();
    let late = Answer::Unknown(Reason::TimeOut);
    assert_eq!(solver.check(&terms, &[]), late);
    assert!(start.elapsed() < Duration::from_secs(10), "soon after");
    let answer = valid(backend, &mut terms, &[hard], terms_false(), Limits::time(Duration::from_millis(50)));
    assert_eq!(answer, Validity::Unknown(Reason::TimeOut));
}

/// False has the same id in every arena.
fn terms_false() -> TermId {
    Terms::new().truth(false)
}

fn a_conflict_limit_stops_a_check(backend: Backend) {
    let mut terms = Terms::new();
    let hard = hard_formula(&mut terms);
    let mut solver = backend.solver();
    solver.set_limits(Limits::conflicts(50));
    solver.assert(&terms, hard);
    let exhausted = Answer::Unknown(Reason::Conflicts);
    assert_eq!(solver.check(&terms, &[]), exhausted);
    assert_eq!(solver.check(&terms, &[]), exhausted, "for each check anew");
}

fn limits_can_be_lifted(backend: Backend) {
    let mut terms = Terms::new();
    // Small enough to be solved, too large for one conflict.
    let x = terms.var(X, Sort::Bits(24));
    let y = terms.var(Y, Sort::Bits(24));
    let one = terms.bits(24, 1);
    let bound = terms.bits(24, 1 << 12);
    let product = terms.binary(BinaryOp::Mul, x, y);
    let semiprime = terms.bits(24, 2999 * 3539);
    let parts = [terms.eq(product, semiprime), terms.ult(one, x), terms.ult(x, y), terms.ult(y, bound)];
    let mut solver = backend.solver();
    for part in parts {
        solver.assert(&terms, part);
    }
    solver.set_limits(Limits::conflicts(1));
    let first = solver.check(&terms, &[]);
    assert_eq!(first, Answer::Unknown(Reason::Conflicts));
    solver.set_limits(Limits::NONE);
    assert_eq!(solver.check(&terms, &[]), Answer::Sat);
    assert_eq!(solver.value(&terms, X, Sort::Bits(24)), Some(2999));
    assert_eq!(solver.value(&terms, Y, Sort::Bits(24)), Some(3539));
}

fn deep_terms_are_decided(backend: Backend) {
    let mut terms = Terms::new();
    let x = terms.var(X, Sort::Bits(8));
    let three = terms.bits(8, 3);
    let mut chain = x;
    for step in 0..20_000 {
        let guard = terms.var(VarId(10 + step), Sort::Bool);
        let next = terms.binary(BinaryOp::Xor, chain, three);
        chain = terms.ite(guard, next, chain);
    }
    // Only the two lowest bits ever change.
    let high = terms.extract(chain, 2, 6);
    let same = terms.extract(x, 2, 6);
    let differs = terms.ne(high, same);
    let mut solver = backend.solver();
    assert_eq!(solver.check(&terms, &[differs]), Answer::Unsat);
}

// ---- Floats ----

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

fn float_results_may_be_anything_but_equal_terms_are_equal(backend: Backend) {
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
    // 1 + 2 is not 4: an abstraction must not say that it can be.
    let pattern = |terms: &mut Terms, value: f32| terms.bits(32, u128::from(value.to_bits()));
    let (one, two, four) = (pattern(&mut terms, 1.0), pattern(&mut terms, 2.0), pattern(&mut terms, 4.0));
    let wrong = [terms.eq(x, one), terms.eq(y, two), terms.eq(copy, four)];
    let answer = solver.check(&terms, &wrong);
    let unsupported = Answer::Unknown(Reason::Unsupported("floating point".to_string()));
    let expected = match backend {
        Backend::Cadical => unsupported,
        Backend::Z3 => Answer::Unsat,
    };
    assert_eq!(answer, expected);
    if backend == Backend::Cadical {
        assert_eq!(solver.value(&terms, X, Sort::Bits(32)), None);
    }
}

/// Whatever Z3 computes for given operands must be what the hardware computes.
fn check_float(op: FloatOp, operand: u32, args: &[u128], expected: u128) {
    let mut terms = Terms::new();
    let mut solver = Backend::Z3.solver();
    let mut variables = Vec::new();
    for (position, &value) in args.iter().enumerate() {
        // Variables that are fixed by assertions: of constants the operation would be folded and Z3 never asked.
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
    let answer = solver.check(&terms, &[]);
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

#[test]
fn z3_computes_floats_as_the_hardware_does() {
    for (a, b) in float_pairs(12) {
        let (x, y) = (a as f32, b as f32);
        let args = [u128::from(x.to_bits()), u128::from(y.to_bits())];
        for (op, expected) in
            [(FloatOp::Add, x + y), (FloatOp::Sub, x - y), (FloatOp::Mul, x * y), (FloatOp::Div, x / y)]
        {
            check_float(op, 32, &args, canonical32(expected));
        }
        check_float(FloatOp::Sqrt, 32, &args[..1], canonical32(x.sqrt()));
        let wide = FloatOp::Convert { width: 64 };
        check_float(wide, 32, &args[..1], canonical64(f64::from(x)));
        let args = [u128::from(a.to_bits()), u128::from(b.to_bits())];
        for (op, expected) in [(FloatOp::Add, a + b), (FloatOp::Sub, a - b)] {
            check_float(op, 64, &args, canonical64(expected));
        }
        let narrow = FloatOp::Convert { width: 32 };
        check_float(narrow, 64, &args[..1], canonical32(a as f32));
    }
}

#[test]
fn z3_converts_integers_as_the_hardware_does() {
    let mut random = Random(5);
    let mut values = vec![0, 1, -1, 3, i64::MAX, i64::MIN, 16_777_217, 9_007_199_254_740_993];
    values.extend((0..8).map(|_| random.next() as i64 >> random.below(60)));
    for value in values {
        let args = [u128::from(value as u64)];
        let (single, double) = (value as f32, value as f64);
        check_float(FloatOp::FromSigned { width: 32 }, 64, &args, canonical32(single));
        check_float(FloatOp::FromSigned { width: 64 }, 64, &args, canonical64(double));
        let unsigned = value as u64;
        let expected = canonical64(unsigned as f64);
        check_float(FloatOp::FromUnsigned { width: 64 }, 64, &args, expected);
        let expected = canonical32(unsigned as f32);
        check_float(FloatOp::FromUnsigned { width: 32 }, 64, &args, expected);
        // Back to an integer, where it is defined: fractions are cut off.
        let fraction = (value >> 33) as f64 + 0.75;
        let args = [u128::from(fraction.to_bits())];
        let expected = u128::from(fraction as i32 as u32);
        check_float(FloatOp::ToSigned { width: 32 }, 64, &args, expected);
        let fraction = fraction.abs();
        let args = [u128::from(fraction.to_bits())];
        let expected = u128::from(fraction as u64);
        check_float(FloatOp::ToUnsigned { width: 64 }, 64, &args, expected);
    }
}

/// The remainder of C, which SMT-LIB does not have, on fixed operands: Z3 does not decide it otherwise in bearable time.
#[test]
fn z3_knows_the_remainder_of_c() {
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
        check_float(FloatOp::Rem, 32, &args, canonical32(a % b));
    }
}

/// Statements about all floats, which Z3 must prove by its circuits.
#[test]
fn z3_proves_laws_of_floats() {
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
        let answer = valid(Backend::Z3, &mut terms, &premises, conclusion, Limits::NONE);
        assert_eq!(answer, expected);
    }
}

// ---- Validity ----

fn validity_is_decided(backend: Backend) {
    let Fixture { mut terms, x, y, .. } = fixture(backend);
    let (one, ten) = (terms.bits(32, 1), terms.bits(32, 10));
    let next = terms.binary(BinaryOp::Add, x, one);
    let fits = terms.no_overflow(BinaryOp::Add, true, x, one);
    let is_next = terms.eq(y, next);
    let grows = terms.slt(x, y);
    let mut decide = |premises: &[TermId], conclusion| valid(backend, &mut terms, premises, conclusion, Limits::NONE);
    assert_eq!(decide(&[is_next, fits], grows), Validity::Valid);
    assert_eq!(decide(&[is_next], grows), Validity::Invalid);
    assert_eq!(decide(&[grows], grows), Validity::Valid, "by simplification");
    assert_eq!(decide(&[], grows), Validity::Invalid, "by a sample");
    let is_ten = terms.eq(x, ten);
    let eleven = terms.bits(32, 11);
    let is_eleven = terms.eq(y, eleven);
    let answer = valid(backend, &mut terms, &[is_ten, is_next], is_eleven, Limits::NONE);
    assert_eq!(answer, Validity::Valid);
}

// ---- Both backends on random formulas ----

/// Random formulas over three bit-vectors and two truth values.
struct Generator {
    random: Random,
    terms: Terms,
    width: u32,
}

impl Generator {
    fn bits(&mut self, width: u32, depth: u32) -> TermId {
        if depth == 0 {
            if width == self.width && self.random.below(4) != 0 {
                let var = VarId(self.random.below(3) as u32);
                return self.terms.var(var, Sort::Bits(width));
            }
            let value = u128::from(self.random.next());
            return self.terms.bits(width, value);
        }
        let depth = depth - 1;
        match self.random.below(12) {
            0 => {
                let a = self.bits(width, depth);
                self.terms.bit_not(a)
            }
            1 => {
                let a = self.bits(width, depth);
                self.terms.neg(a)
            }
            2 => {
                let c = self.bool(depth);
                let (a, b) = (self.bits(width, depth), self.bits(width, depth));
                self.terms.ite(c, a, b)
            }
            3 if width > 1 => {
                let low = 1 + self.random.below(u64::from(width - 1)) as u32;
                let (a, b) = (self.bits(width - low, depth), self.bits(low, depth));
                self.terms.concat(a, b)
            }
            4 => {
                let low = self.random.below(3) as u32;
                let a = self.bits(width + low + 1, depth);
                self.terms.extract(a, low, width)
            }
            5 => {
                let inner = 1 + self.random.below(u64::from(width)) as u32;
                let a = self.bits(inner, depth);
                match self.random.below(2) {
                    0 => self.terms.zero_extend(a, width),
                    _ => self.terms.sign_extend(a, width),
                }
            }
            _ => {
                let op = self.random.pick(&BinaryOp::ALL);
                let (a, b) = (self.bits(width, depth), self.bits(width, depth));
                self.terms.binary(op, a, b)
            }
        }
    }

    fn bool(&mut self, depth: u32) -> TermId {
        if depth == 0 {
            let var = VarId(3 + self.random.below(2) as u32);
            return self.terms.var(var, Sort::Bool);
        }
        let depth = depth - 1;
        match self.random.below(10) {
            0 => {
                let a = self.bool(depth);
                self.terms.not(a)
            }
            1 => {
                let items = [self.bool(depth), self.bool(depth), self.bool(depth)];
                self.terms.and(items)
            }
            2 => {
                let items = [self.bool(depth), self.bool(depth), self.bool(depth)];
                self.terms.or(items)
            }
            3 => {
                let (a, b) = (self.bool(depth), self.bool(depth));
                self.terms.eq(a, b)
            }
            4 => {
                let op = self.random.pick(&[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Shl]);
                let is_signed = self.random.below(2) == 0;
                let (a, b) = (self.bits(self.width, depth), self.bits(self.width, depth));
                self.terms.no_overflow(op, is_signed, a, b)
            }
            5 | 6 => {
                let (a, b) = (self.bits(self.width, depth), self.bits(self.width, depth));
                self.terms.eq(a, b)
            }
            _ => {
                let op = self.random.pick(&CompareOp::ALL);
                let (a, b) = (self.bits(self.width, depth), self.bits(self.width, depth));
                self.terms.compare(op, a, b)
            }
        }
    }
}

/// Both backends agree on 2,400 formulas, and what one calls a model evaluates to true.
#[test]
fn backends_agree_on_random_formulas() {
    let mut generator = Generator { random: Random(6), terms: Terms::new(), width: 1 };
    let (mut satisfiable, mut unsatisfiable) = (0, 0);
    let mut checked = 0;
    while checked < 2400 {
        // A batch shares an arena and a pair of solvers: the incremental use is tested along the way.
        generator.terms = Terms::new();
        generator.width = generator.random.pick(&[1, 2, 3, 4, 5, 6, 8]);
        let mut solvers = Backend::ALL.map(Backend::solver);
        for _ in 0..40 {
            let depth = 2 + generator.random.below(3) as u32;
            let first = generator.bool(depth);
            let second = generator.bool(depth);
            let terms = &generator.terms;
            if terms.truth_value(first).is_some() && terms.truth_value(second).is_some() {
                continue;
            }
            checked += 1;
            let answers = solvers.each_mut().map(|solver| solver.check(terms, &[first, second]));
            let shown = || terms.display(first, &|var| format!("v{}", var.0));
            assert_eq!(answers[0], answers[1], "{}", shown());
            match answers[0] {
                Answer::Sat => satisfiable += 1,
                Answer::Unsat => unsatisfiable += 1,
                Answer::Unknown(ref reason) => panic!("{reason} on {}", shown()),
            }
            if answers[0] == Answer::Sat {
                for solver in &solvers {
                    let mut value_of = |var: VarId| {
                        let sort = terms.variable_sort(var)?;
                        Some(solver.value(terms, var, sort).unwrap_or(0))
                    };
                    for formula in [first, second] {
                        let value = terms.evaluate(formula, &mut value_of);
                        let name = solver.name();
                        assert_eq!(value, Some(Value::Bool(true)), "{name}: {}", shown());
                    }
                }
            } else {
                for solver in &solvers {
                    let core: BTreeSet<TermId> = solver.core().into_iter().collect();
                    assert!(core.is_subset(&[first, second].into()));
                }
            }
        }
    }
    assert!(satisfiable > 300 && unsatisfiable > 100, "{satisfiable} {unsatisfiable}");
}
