//! What a backend can do, one small trait per ability.

use std::sync::Arc;

use wherefore_formula::{Sort, TermId, Terms, VarId};

use crate::answer::{Answer, Limits};

/// Satisfiability with assumptions. All calls on one solver must be given the same [`Terms`] (or a grown clone).
pub trait Solver: Send {
    /// The name of the backend.
    fn name(&self) -> &'static str;

    /// Requires a formula in all checks from now on.
    fn assert(&mut self, terms: &Terms, t: TermId);

    /// Gives a variable a value in all checks from now on. Before anything else is said about the variable this is
    /// better than an equality: it makes what is asserted later smaller.
    fn fix(&mut self, terms: &mut Terms, var: VarId, sort: Sort, value: u128) {
        let equality = equality(terms, var, sort, value);
        self.assert(terms, equality);
    }

    /// Whether the assertions and these assumptions can hold together. May alternate with [`Solver::assert`].
    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Answer;

    /// The value of a variable in the model of the last check, if that check said [`Answer::Sat`] and nothing was
    /// asserted since. `None` also for a variable the solver has not seen: any value will do for it. The value of a
    /// truth variable is 0 or 1; that of an integer is in two's complement, and `None` where 128 bits do not hold it.
    fn value(&self, terms: &Terms, var: VarId, sort: Sort) -> Option<u128>;

    /// Forgets all assertions. What was translated may be kept, so that the next question is cheaper than with a new
    /// solver.
    fn clear(&mut self);

    /// Limits each check from now on.
    fn set_limits(&mut self, limits: Limits);

    /// Lets somebody stop each check from now on; it then answers
    /// [`Reason::Interrupted`](crate::Reason::Interrupted).
    fn stop_when(&mut self, stop: StopSource);
}

/// Says whether to stop. It is asked again and again while a check is under way, from whatever thread, so it should be
/// quick: a look at a flag, at a clock.
pub type StopSource = Arc<dyn Fn() -> bool + Send + Sync>;

/// `var = value`.
pub(crate) fn equality(terms: &mut Terms, var: VarId, sort: Sort, value: u128) -> TermId {
    let variable = terms.var(var, sort);
    match sort {
        Sort::Bool if value != 0 => variable,
        Sort::Bool => terms.not(variable),
        Sort::Bits(width) => {
            let value = terms.bits(width, value);
            terms.eq(variable, value)
        }
        Sort::Int => {
            let value = terms.int(value as i128);
            terms.eq(variable, value)
        }
    }
}

/// A solver that says which assumptions were to blame.
pub trait Cores: Solver {
    /// Assumptions of the last check that cannot hold together with the assertions; empty if the assertions alone
    /// cannot, or if the last check did not say [`Answer::Unsat`]. Not necessarily minimal.
    fn core(&self) -> Vec<TermId>;
}
