//! Functions that end a run, and those of verifiers that say what must hold in it.

use super::{Call, Given};
use crate::Fault;
use crate::state::{State, Unfolder};
use wherefore_formula::TermId;
use wherefore_program::Origin;

impl Unfolder<'_> {
    pub(super) fn ending_function(&mut self, state: &mut State, call: &Call) -> Option<Given> {
        let at = call.at;
        match (call.symbol, call.arguments) {
            ("__assert_fail" | "__assert" | "__assert_perror_fail", _) => self.stop(state, "an assertion fails", at),
            ("abort", _) => self.stop(state, "the program aborts", at),
            ("reach_error" | "__VERIFIER_error", _) => self.stop(state, "an error function is called", at),
            ("__VERIFIER_assert", [condition]) => {
                let zero = self.is_zero(*condition);
                self.fail_as(state, zero, (Fault::Stopped, "an assertion fails"), at);
            }
            ("__VERIFIER_assume", [condition]) => {
                let holds = self.is_zero(*condition);
                let holds = self.terms.not(holds);
                self.hard_under(state, holds);
            }
            ("exit" | "_exit" | "_Exit" | "quick_exit", [status]) => {
                let status = self.resized(*status, 32);
                self.exits.push((state.guard, status));
                state.guard = self.terms.truth(false);
            }
            _ => return None,
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
        self.hard.push(holds);
        state.guard = self.extend(state.guard, condition);
    }

    fn is_zero(&mut self, value: TermId) -> TermId {
        let nonzero = self.terms.bits_to_bool(value);
        self.terms.not(nonzero)
    }
}
