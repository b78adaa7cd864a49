//! Calls of procedures: those with a body are called, the others do what they promise.

use super::body::{Body, Bound, simple};
use crate::core::{Expr, Procedure, Var};
use crate::places::Span;
use std::collections::HashMap;
use wherefore_program::{Callee, Command, Operand, Origin};

impl Body<'_> {
    pub(super) fn call(&mut self, targets: &[Var], procedure: usize, arguments: &[Expr], span: &Span) {
        let at = self.origin(span);
        let callee = &self.whole.module.procedures[procedure];
        let given: Vec<Operand> = arguments.iter().map(|argument| self.value(argument, at)).collect();
        // What is required holds or not where the call stands.
        self.bound = Some(Bound { locals: given.clone(), old: HashMap::new() });
        for clause in callee.requires.iter().filter(|clause| !clause.free) {
            self.assert(&clause.condition, span);
        }
        self.bound = None;
        let results = match self.whole.functions.get(&procedure) {
            Some(_) => self.run(callee, procedure, given, at),
            None => self.promise(callee, given, span),
        };
        for (target, (result, local)) in
            targets.iter().zip(results.into_iter().zip(&callee.locals[callee.result_range()]))
        {
            self.assign(&simple(*target), &local.ty, result, at);
        }
    }

    /// The results of a procedure with a body.
    fn run(
        &mut self,
        callee: &Procedure,
        procedure: usize,
        arguments: Vec<Operand>,
        at: Option<Origin>,
    ) -> Vec<Operand> {
        let results = &callee.locals[callee.result_range()];
        let target = match results {
            [one] => Some(self.blocks.register(one.ty.bits().expect("a result is no map"))),
            _ => None,
        };
        let function = Callee::Function(self.whole.functions[&procedure]);
        let site = self.whole.next_site();
        self.blocks.command(Command::Call { target, callee: function, arguments, site }, at);
        match target {
            Some(target) => vec![Operand::Register(target)],
            None => {
                let load = |(index, result): (usize, &crate::core::Variable)| {
                    let global = self.whole.results[&(procedure, index)];
                    self.load_global(global, &result.ty, at)
                };
                results.iter().enumerate().map(load).collect()
            }
        }
    }

    /// The results of a procedure without a body: any, as far as it ensures nothing else.
    fn promise(&mut self, callee: &Procedure, arguments: Vec<Operand>, span: &Span) -> Vec<Operand> {
        let at = self.origin(span);
        let module = self.whole.module;
        let mut old = HashMap::new();
        for &global in &callee.modifies {
            let variable = &module.globals[global];
            let before = self.load(Var::Global(global), &variable.ty, at);
            old.insert(global, before);
        }
        for &global in &callee.modifies {
            let variable = &module.globals[global];
            let value = self.any(&format!("{} set by {}", variable.name, callee.name), &variable.ty, at);
            self.assign(&simple(Var::Global(global)), &variable.ty, value, at);
        }
        let mut locals = arguments;
        let results = callee.result_range();
        for result in &callee.locals[results.clone()] {
            let value = self.any(&format!("{} of {}", result.name, callee.name), &result.ty, at);
            locals.push(value);
        }
        let values = locals[results.clone()].to_vec();
        self.bound = Some(Bound { locals, old });
        let said = callee.locals[results].iter().filter_map(|result| result.condition.as_ref());
        let said = said.chain(callee.modifies.iter().filter_map(|global| module.globals[*global].condition.as_ref()));
        for holds in said.chain(callee.ensures.iter().map(|clause| &clause.condition)) {
            self.assume(holds, span);
        }
        self.bound = None;
        values
    }
}
