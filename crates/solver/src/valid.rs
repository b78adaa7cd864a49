//! One-shot questions.

use std::time::Duration;

use wherefore_formula::{TermId, Terms};

use crate::answer::{Answer, Limits, Reason, Validity};
use crate::backend::Backend;
use crate::eliminate::eliminate_definitions;
use crate::sample::some_sample_satisfies;
use crate::traits::Cores;

/// Whether the premises imply the conclusion.
///
/// No solver is started where simplification decides, or where one of a few assignments is a counterexample.
pub fn valid(backend: Backend, terms: &mut Terms, premises: &[TermId], conclusion: TermId, limits: Limits) -> Validity {
    let mut solver = backend.solver();
    valid_with(solver.as_mut(), terms, premises, conclusion, limits)
}

/// A formula that is satisfiable if and only if the premises do not imply the conclusion, without the variables that they
/// define: false where that is all there is to see.
pub fn counterexample(terms: &mut Terms, premises: &[TermId], conclusion: TermId) -> TermId {
    let negated = terms.not(conclusion);
    let both = terms.and(premises.iter().copied().chain([negated]));
    eliminate_definitions(terms, both)
}

/// As [`valid`], with a solver that is kept between questions: its assertions are cleared.
pub fn valid_with(
    solver: &mut dyn Cores,
    terms: &mut Terms,
    premises: &[TermId],
    conclusion: TermId,
    limits: Limits,
) -> Validity {
    let counterexample = counterexample(terms, premises, conclusion);
    match terms.truth_value(counterexample) {
        Some(true) => return Validity::Invalid,
        Some(false) => return Validity::Valid,
        None => {}
    }
    if some_sample_satisfies(terms, counterexample) {
        return Validity::Invalid;
    }
    if limits.time == Some(Duration::ZERO) {
        return Validity::Unknown(Reason::TimeOut);
    }
    solver.clear();
    solver.set_limits(limits);
    solver.assert(terms, counterexample);
    match solver.check(terms, &[]) {
        Answer::Unsat => Validity::Valid,
        Answer::Sat => Validity::Invalid,
        Answer::Unknown(reason) => Validity::Unknown(reason),
    }
}
