//! A path read over mathematical integers.

use crate::path::{Execution, Path, Statement, Variable};
use wherefore_formula::{Integers, TermId, VarId};

impl Path {
    /// The path over integers, with the execution as it is there; the statement that has no such reading otherwise: one that
    /// looks at bits, or one at which the execution wraps, so that over integers it is another one.
    pub fn over_integers(&self, known: &Execution) -> Result<(Path, Execution), usize> {
        let mut integers = Integers::new();
        let variable = |variable: &Variable| Variable {
            sort: Integers::sort(variable.sort),
            initial: variable.initial.map(|value| Integers::value(variable.sort, value)),
            simple: variable.simple.iter().map(|value| Integers::value(variable.sort, *value)).collect(),
        };
        let variables: Vec<Variable> = self.variables.iter().map(variable).collect();
        let mut statements = vec![];
        for (at, statement) in self.statements.iter().enumerate() {
            let mut read = |term: TermId| integers.read(&self.terms, term).ok_or(at);
            statements.push(match *statement {
                Statement::Assign { to, value } => Statement::Assign { to, value: read(value)? },
                Statement::Havoc { to } => Statement::Havoc { to },
                Statement::Assume(holds) => Statement::Assume(read(holds)?),
                Statement::Grant(holds) => Statement::Grant(read(holds)?),
                Statement::Define(holds) => Statement::Define(read(holds)?),
            });
        }
        let sort = |var: VarId| self.variables[var.0 as usize].sort;
        let initial = |(number, value): (usize, &u128)| Integers::value(sort(VarId(number as u32)), *value);
        let assigned = |(statement, value): (&Statement, &u128)| match statement.assigned() {
            Some(to) => Integers::value(sort(to), *value),
            None => *value,
        };
        let execution = Execution {
            initial: known.initial.iter().enumerate().map(initial).collect(),
            assigned: self.statements.iter().zip(&known.assigned).map(assigned).collect(),
        };
        let path = Path { terms: integers.terms, variables, statements };
        match path.departs(&execution) {
            Some(at) => Err(at),
            None => Ok((path, execution)),
        }
    }

    /// The first statement at which what is said of an execution is not what the path does.
    fn departs(&self, execution: &Execution) -> Option<usize> {
        let mut now = execution.initial.clone();
        for (at, statement) in self.statements.iter().enumerate() {
            let over = |term: TermId| self.terms.evaluate(term, &mut |var| now.get(var.0 as usize).copied());
            let goes_on = match *statement {
                Statement::Assign { value, .. } => {
                    over(value).is_some_and(|value| value.raw() == execution.assigned[at])
                }
                Statement::Havoc { .. } => true,
                Statement::Assume(holds) | Statement::Grant(holds) | Statement::Define(holds) => {
                    over(holds).is_some_and(|holds| holds.raw() == 1)
                }
            };
            if !goes_on {
                return Some(at);
            }
            if let Some(to) = statement.assigned() {
                now[to.0 as usize] = execution.assigned[at];
            }
        }
        None
    }
}
