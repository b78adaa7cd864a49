//! Calls: of functions of the program, through pointers, and of the library.

use crate::Error;
use crate::commands::{FIRST_EXTERNAL, FIRST_FUNCTION};
use crate::function::Frame;
use crate::state::{State, Unfolder};
use wherefore_clib::{self as clib, Ending};
use wherefore_formula::TermId;
use wherefore_program::{Callee, FunctionId, Origin};

impl Unfolder<'_> {
    /// Executes a call; the result, if there is one.
    pub fn call(
        &mut self,
        frame: &mut Frame,
        state: &mut State,
        callee: &Callee,
        arguments: &[TermId],
        bits: Option<u32>,
        at: Option<Origin>,
    ) -> Result<Option<TermId>, Error> {
        match callee {
            Callee::Function(function) => self.call_function(state, *function, arguments, at),
            Callee::External(symbol) => Ok(self.library(state, symbol, arguments, bits, at)),
            Callee::Assembly => {
                self.note(at, "inline assembly is not followed");
                Ok(None)
            }
            Callee::Pointer(pointer) => {
                let pointer = self.operand(frame, state, pointer);
                self.call_pointer(state, pointer, arguments, bits, at)
            }
        }
    }

    fn call_function(
        &mut self,
        state: &mut State,
        function: FunctionId,
        arguments: &[TermId],
        at: Option<Origin>,
    ) -> Result<Option<TermId>, Error> {
        let name = &self.program.functions[function.index()].name;
        // Error functions that a program defines itself are still error functions.
        if clib::ending(name) == Some(Ending::Error) {
            self.stop(state, "an error function is called", at);
            return Ok(None);
        }
        if !self.allow_depth(function, state.guard) {
            self.outcomes.cut_at(state.guard, at, self.stack.depth(function));
            state.guard = self.terms.truth(false);
            return Ok(None);
        }
        match self.function(function, arguments, state)? {
            Some((after, value)) => {
                *state = after;
                Ok(value)
            }
            None => {
                state.guard = self.terms.truth(false);
                Ok(None)
            }
        }
    }

    fn call_pointer(
        &mut self,
        state: &mut State,
        pointer: TermId,
        arguments: &[TermId],
        bits: Option<u32>,
        at: Option<Origin>,
    ) -> Result<Option<TermId>, Error> {
        let Some(ways) = self.ways(pointer) else {
            self.note(at, "a call through a pointer that is not understood is not followed");
            return Ok(None);
        };
        let mut after: Option<(State, Option<TermId>)> = None;
        for way in ways {
            let mut taken = state.clone();
            taken.guard = self.extend(state.guard, way.condition);
            if self.is_dead(&taken) {
                continue;
            }
            let number = |first: u64| way.base.checked_sub(first).map(|n| n / 16).filter(|_| way.index.is_none());
            let function = number(FIRST_FUNCTION).filter(|n| (*n as usize) < self.program.functions.len());
            let external = number(FIRST_EXTERNAL).and_then(|n| self.program.externals.get(n as usize)).cloned();
            let result = if let Some(function) = function {
                self.call_function(&mut taken, FunctionId(function as u32), arguments, at)?
            } else if let Some(symbol) = external {
                self.library(&mut taken, &symbol, arguments, bits, at)
            } else {
                let truth = self.terms.truth(true);
                self.fail_if(&mut taken, truth, "a call through an invalid pointer", at);
                None
            };
            if self.is_dead(&taken) {
                continue;
            }
            after = Some(match after {
                None => (taken, result),
                Some((other, value)) => {
                    let condition = self.guards.distinguish(&mut self.terms, taken.guard, other.guard);
                    let value = match (result, value) {
                        (Some(a), Some(b)) if self.terms.sort(a) == self.terms.sort(b) => {
                            Some(self.terms.ite(condition, a, b))
                        }
                        (a, b) => a.or(b),
                    };
                    (self.merge(taken, other), value)
                }
            });
        }
        match after {
            Some((merged, value)) => {
                *state = merged;
                Ok(value)
            }
            None => {
                state.guard = self.terms.truth(false);
                Ok(None)
            }
        }
    }
}
