//! Limits, and what is too hard within them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use wherefore_formula::{BinaryOp, Sort, TermId, Terms, VarId};
use wherefore_solver::{Answer, Backend, Limits, Reason, Validity, valid};

use crate::support::{X, Y};

for_each_backend!(
    an_interrupt_stops_a_check,
    an_interrupt_before_a_check_stops_it,
    a_signal_during_a_check_comes_to_its_handler,
    a_deadline_stops_a_check,
    a_conflict_limit_stops_a_check,
    limits_can_be_lifted,
    deep_terms_are_decided,
);

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
    let mut solver = backend.solver();
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    solver.stop_when(Arc::new(move || seen.load(Ordering::Relaxed)));
    // Not asserted but assumed, so that the solver can be used without it afterwards.
    let answer = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(150));
            stop.store(true, Ordering::Relaxed);
        });
        solver.check(&terms, &[hard])
    });
    assert_eq!(answer, Answer::Unknown(Reason::Interrupted));
    stop.store(false, Ordering::Relaxed);
    let x = terms.var(X, Sort::Bits(64));
    let three = terms.bits(64, 3);
    let easy = terms.eq(x, three);
    assert_eq!(solver.check(&terms, &[easy]), Answer::Sat, "nobody says stop any more");
    assert_eq!(solver.value(&terms, X, Sort::Bits(64)), Some(3));
}

/// Whoever wants to hear of Ctrl-C must do so while a solver is at work, too.
fn a_signal_during_a_check_comes_to_its_handler(backend: Backend) {
    static HEARD: AtomicUsize = AtomicUsize::new(0);
    extern "C" fn hear(_: libc::c_int) {
        HEARD.fetch_add(1, Ordering::SeqCst);
    }
    // SAFETY: the handler does nothing that a handler must not.
    unsafe { libc::signal(libc::SIGINT, hear as *const () as libc::sighandler_t) };
    let mut terms = Terms::new();
    let hard = hard_formula(&mut terms);
    let mut solver = backend.solver();
    let before = HEARD.load(Ordering::SeqCst);
    // Only the signal stops it soon.
    solver.set_limits(Limits::time(Duration::from_secs(20)));
    solver.stop_when(Arc::new(move || HEARD.load(Ordering::SeqCst) > before));
    let answer = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            // SAFETY: a plain call; there is a handler.
            unsafe { libc::kill(libc::getpid(), libc::SIGINT) }
        });
        solver.check(&terms, &[hard])
    });
    assert_eq!(answer, Answer::Unknown(Reason::Interrupted));
    assert!(HEARD.load(Ordering::SeqCst) > before, "somebody else took the signal");
}

fn an_interrupt_before_a_check_stops_it(backend: Backend) {
    let mut terms = Terms::new();
    let hard = hard_formula(&mut terms);
    let mut solver = backend.solver();
    solver.stop_when(Arc::new(|| true));
    let interrupted = Answer::Unknown(Reason::Interrupted);
    assert_eq!(solver.check(&terms, &[hard]), interrupted);
    solver.clear();
    assert_eq!(solver.check(&terms, &[]), interrupted, "whatever is asserted");
    solver.stop_when(Arc::new(|| false));
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
