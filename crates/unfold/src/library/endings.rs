//! Functions that end a run, and those of verifiers that say what must hold in it.

use super::{Call, Given};
use crate::Fault;
use crate::state::{State, Unfolder};
use wherefore_clib::{self as clib, Ending, Judge};
use wherefore_formula::TermId;
use wherefore_program::Origin;

impl Unfolder<'_> {
    pub(super) fn ending_function(&mut self, state: &mut State, call: &Call) -> Option<Given> {
        let at = call.at;
        let function = clib::function(call.name)?;
        match (function.judges, call.arguments) {
            (Some(Judge::Asserts), [condition]) => {
                let zero = self.is_zero(*condition);
                self.fail_as(state, zero, (Fault::Stopped, "an assertion fails"), at);
                return Some(None);
            }
            (Some(Judge::Assumes), [condition]) => {
                let holds = self.is_zero(*condition);
                let holds = self.terms.not(holds);
                self.hard_under(state, holds);
                return Some(None);
            }
            _ => {}
        }
        match function.ends? {
            Ending::Assertion => self.stop(state, "an assertion fails", at),
            Ending::Abort => self.stop(state, "the program aborts", at),
            Ending::Error => self.stop(state, "an error function is called", at),
            Ending::Status(number) => {
                let status = self.resized(*call.arguments.get(number)?, 32);
                self.outcomes.exit(state.guard, status);
                state.guard = self.terms.truth(false);
            }
        }
        Some(None)
    }

    /// The program stops itself.
    pub fn stop(&mut self, state: &mut State, what: &str, at: Option<Origin>) {
        let truth = self.terms.truth(true);
        self.fail_as(state, truth, (Fault::Stopped, what), at);
    }

    /// The condition holds whenever control is here.
    fn hard_under(&mut self, state: &mut State, condition: TermId) {
        let holds = self.terms.implies(state.guard, condition);
        self.outcomes.demand(holds);
        state.guard = self.extend(state.guard, condition);
    }

    fn is_zero(&mut self, value: TermId) -> TermId {
        let nonzero = self.terms.bits_to_bool(value);
        self.terms.not(nonzero)
    }
}
