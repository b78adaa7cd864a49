//! Questions that are stopped half way, in all ways there are and again and again. A solver may give up on any of them;
//! what it does answer must be right, whatever it went through before.
//!
//! The truth is known without a solver: the formula is a product of two primes, so its models can be counted on the
//! fingers of one hand, and a question about its factors is decided by trying them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use wherefore_formula::{BinaryOp, Sort, TermId, Terms, Value, VarId};
use wherefore_solver::{Answer, Backend, Limits, Reason, StopSource};

use crate::support::{Random, X, Y};

for_each_backend!(answers_between_interruptions_are_right);

const QUESTIONS: usize = 2_000;
/// Bits of a factor.
const FACTOR: u32 = 12;
/// So many questions go to one solver before it is cleared.
const BATCH: usize = 60;
const PRIMES: [u128; 8] = [2063, 2237, 2441, 2699, 3011, 3301, 3607, 4093];

/// The factors of a product: a formula, and all its models.
struct Factors {
    x: TermId,
    y: TermId,
    formula: TermId,
    models: Vec<[u128; 2]>,
}

fn factors(terms: &mut Terms, random: &mut Random) -> Factors {
    let (p, q) = (random.pick(&PRIMES), random.pick(&PRIMES));
    let [x, y] = [X, Y].map(|var| terms.var(var, Sort::Bits(FACTOR)));
    let wide = [x, y].map(|factor| terms.zero_extend(factor, 2 * FACTOR));
    let product = terms.binary(BinaryOp::Mul, wide[0], wide[1]);
    let composite = terms.bits(2 * FACTOR, p * q);
    let one = terms.bits(FACTOR, 1);
    let parts = [terms.eq(product, composite), terms.ult(one, x), terms.ult(one, y)];
    let formula = terms.and(parts);
    let mut models = vec![[p, q], [q, p]];
    models.dedup();
    Factors { x, y, formula, models }
}

/// Something about the factors, not rarely true of some.
fn claim(terms: &mut Terms, random: &mut Random, of: &Factors) -> TermId {
    let factor = random.pick(&[of.x, of.y]);
    let near = random.pick(&PRIMES).wrapping_add(u128::from(random.below(3))).wrapping_sub(1);
    let bound = terms.bits(FACTOR, near);
    let low = terms.extract(factor, 0, 3);
    let few = terms.bits(3, u128::from(random.below(8)));
    match random.below(6) {
        0 => terms.ult(factor, bound),
        1 => terms.ult(bound, factor),
        2 => terms.ult(of.x, of.y),
        3 => terms.ule(of.y, of.x),
        4 => terms.eq(low, few),
        _ => terms.ne(low, few),
    }
}

fn holds(terms: &Terms, formulas: &[TermId], model: [u128; 2]) -> bool {
    let mut value_of = |var: VarId| Some(model[var.0 as usize]);
    terms.evaluate_all(formulas, &mut value_of).iter().all(|value| *value == Some(Value::Bool(true)))
}

/// Stops at the given look.
fn at_look(look: u64) -> StopSource {
    let looks = AtomicU64::new(0);
    Arc::new(move || looks.fetch_add(1, Ordering::Relaxed) + 1 >= look)
}

fn answers_between_interruptions_are_right(backend: Backend) {
    let mut random = Random(7);
    let mut solver = backend.solver();
    let mut terms = Terms::new();
    let mut of = factors(&mut terms, &mut random);
    let (mut yes, mut no, mut stopped) = (0, 0, 0);
    for question in 0..QUESTIONS {
        if question % BATCH == 0 {
            of = factors(&mut terms, &mut random);
            solver.clear();
            solver.assert(&terms, of.formula);
        }
        let count = 1 + random.below(5);
        let claims: Vec<TermId> = (0..count).map(|_| claim(&mut terms, &mut random, &of)).collect();
        let never: StopSource = Arc::new(|| false);
        let (limits, stop) = match random.below(8) {
            0 | 1 => (Limits::NONE, never),
            2 | 3 => (Limits::time(Duration::from_micros(random.below(6_000))), never),
            4 => (Limits::conflicts(1 + random.below(60)), never),
            5 => (Limits::NONE, at_look(1)),
            _ => (Limits::NONE, at_look(2 + random.below(if backend == Backend::Z3 { 8 } else { 200 }))),
        };
        solver.set_limits(limits);
        solver.stop_when(stop);
        let answer = solver.check(&terms, &claims);
        let is_true = of.models.iter().any(|model| holds(&terms, &claims, *model));
        match answer {
            Answer::Sat => {
                yes += 1;
                assert!(is_true, "question {question} has no model");
                let model =
                    [X, Y].map(|var| solver.value(&terms, var, Sort::Bits(FACTOR)).expect("it is in the formula"));
                assert!(of.models.contains(&model) && holds(&terms, &claims, model), "{model:?} is no model");
            }
            Answer::Unsat => {
                no += 1;
                assert!(!is_true, "question {question} has a model");
                let core = solver.core();
                assert!(core.iter().all(|member| claims.contains(member)));
                let remains = of.models.iter().any(|model| holds(&terms, &core, *model));
                assert!(!remains, "the core of question {question} has a model");
            }
            Answer::Unknown(Reason::TimeOut | Reason::Conflicts | Reason::Interrupted) => stopped += 1,
            Answer::Unknown(reason) => panic!("question {question}: {reason}"),
        }
        if is_true && random.below(16) == 0 {
            // From now on it must hold: assertions go on between interruptions, too.
            of.models.retain(|model| holds(&terms, &claims, *model));
            claims.iter().for_each(|claim| solver.assert(&terms, *claim));
        }
    }
    assert!(yes > 100 && no > 100 && stopped > 100, "{yes} yes, {no} no, {stopped} stopped");
}
