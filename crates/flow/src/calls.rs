//! Calls: of functions of the program, and of those outside that are known.

use crate::Kind;
use crate::builder::{Builder, Cell, Here};
use crate::function::Frame;
use wherefore_automata::Statement;
use wherefore_clib::{self as clib, Ending, Judge, Nondet};
use wherefore_formula::{TermId, VarId};
use wherefore_program::{Callee, FunctionId, Operand, RegId};

/// How often a function may be called while it is being called.
const NESTED: usize = 6;
/// Calls in a graph.
const CALLS: u32 = 20_000;

impl Builder<'_> {
    pub fn call(
        &mut self,
        frame: &mut Frame,
        here: &mut Here,
        callee: &Callee,
        arguments: &[TermId],
        target: Option<(RegId, u32)>,
    ) {
        match callee {
            Callee::Function(function) => self.call_function(frame, here, *function, arguments, target),
            Callee::External(name) => self.call_outside(frame, here, name, arguments, target),
            Callee::Assembly => self.cut(here, "assembly code is not followed"),
            Callee::Pointer(pointer) => self.call_pointer(frame, here, pointer, arguments, target),
        }
    }

    fn call_function(
        &mut self,
        frame: &mut Frame,
        here: &mut Here,
        function: FunctionId,
        arguments: &[TermId],
        target: Option<(RegId, u32)>,
    ) {
        let called = &self.program.functions[function.index()];
        // Error functions that a program defines itself are still error functions.
        if clib::ending(&called.name) == Some(Ending::Error) {
            self.fail(*here);
            here.location = self.graph.location();
            return;
        }
        let nested = self.stack.iter().filter(|active| **active == function).count();
        if nested >= NESTED || self.calls >= CALLS || called.variadic {
            return self.cut(here, format!("not all calls of {}() are followed", called.name));
        }
        // It may change what registers have read from memory.
        self.save(frame, here, &|builder, term| builder.reads_memory(term));
        let (exit, result) = self.inline(function, arguments, here.location, here.at);
        here.location = exit;
        match (target, result) {
            (Some((target, bits)), Some(result)) if self.width_of(result) == bits => {
                let value = self.value_of(result);
                self.define(frame, here, target, value);
            }
            (Some((target, bits)), _) => {
                let value = self.anything(here, bits, "a function without a result is asked for one");
                self.define(frame, here, target, value);
            }
            (None, _) => {}
        }
    }

    fn reads_memory(&self, term: TermId) -> bool {
        let variables = self.graph.terms.variables(term);
        let memory =
            |var: &VarId| self.cells.iter().any(|(cell, held)| held == var && matches!(cell, Cell::Object(..)));
        variables.iter().any(memory)
    }

    fn call_pointer(
        &mut self,
        frame: &mut Frame,
        here: &mut Here,
        pointer: &Operand,
        arguments: &[TermId],
        target: Option<(RegId, u32)>,
    ) {
        let pointer = self.operand(frame, pointer);
        let known = self.graph.terms.constant(pointer).and_then(|address| self.function_at(address));
        match known {
            Some(function) => self.call_function(frame, here, function, arguments, target),
            None => self.cut(here, "a call through a pointer is not followed"),
        }
    }

    fn call_outside(
        &mut self,
        frame: &mut Frame,
        here: &mut Here,
        name: &str,
        arguments: &[TermId],
        target: Option<(RegId, u32)>,
    ) {
        let name = self.program.stand_in(name);
        if let Some(nondet) = clib::nondet(name) {
            return self.choose(frame, here, nondet, target);
        }
        let in_assumption = self.stack.last().is_some_and(|function| {
            clib::judge(&self.program.functions[function.index()].name) == Some(Judge::Assumes)
        });
        match (clib::judge(name), arguments) {
            (Some(Judge::Asserts), [condition]) => {
                let holds = self.graph.terms.bits_to_bool(*condition);
                let fails = self.graph.terms.not(holds);
                return self.fail_if(here, fails);
            }
            (Some(Judge::Assumes), [condition]) => {
                let holds = self.graph.terms.bits_to_bool(*condition);
                return self.assume(here, holds, Kind::Condition);
            }
            _ => {}
        }
        match clib::ending(name) {
            Some(ending) => {
                if ending.is_failure() && !in_assumption {
                    self.fail(*here);
                }
                let status = match ending {
                    Ending::Status(argument) => arguments.get(argument).copied(),
                    Ending::Assertion | Ending::Abort | Ending::Error => None,
                };
                if let Some(status) = status {
                    self.end_with(here, status);
                }
                here.location = self.graph.location();
            }
            None if name.starts_with("llvm.") => {}
            None => {
                let why = format!("what {name}() does is not followed");
                self.note(here.at, why.clone());
                if let Some((target, bits)) = target {
                    let value = self.anything(here, bits, &why);
                    self.define(frame, here, target, value);
                }
            }
        }
    }

    /// A value that may be any.
    fn choose(&mut self, frame: &mut Frame, here: &mut Here, nondet: Nondet, target: Option<(RegId, u32)>) {
        let (register, bits) = match (nondet, target) {
            (Nondet::Truth | Nondet::Integer { .. }, Some((register, bits))) if bits <= 64 => (register, bits),
            _ => return self.cut(here, "a nondeterministic value of this kind is not followed"),
        };
        self.saved += 1;
        let var = self.unnamed(Cell::Saved(self.saved), bits);
        self.step(here, Statement::Havoc { to: var }, Kind::Nondet(nondet));
        let value = self.value_of(var);
        if nondet == Nondet::Truth && bits > 1 {
            let one = self.graph.terms.bits(bits, 1);
            let fits = self.graph.terms.ule(value, one);
            self.assume(here, fits, Kind::Internal);
        }
        self.define(frame, here, register, value);
    }
}
