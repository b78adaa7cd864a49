//! Paths and their executions.

use wherefore_budget::Budget;
use wherefore_formula::{Sort, TermId, Terms, VarId};
use wherefore_solver::{Answer, Backend};

use crate::follow::Follower;

/// A statement of a path.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// `to := value`.
    Assign {
        /// The variable.
        to: VarId,
        /// Over the variables before.
        value: TermId,
    },
    /// The variable gets any value.
    Havoc {
        /// The variable.
        to: VarId,
    },
    /// An execution goes on only where this holds.
    Assume(TermId),
    /// What the path takes for granted: where it does not hold, the program does something else than the path says.
    Grant(TermId),
    /// What the language takes for granted: where it does not hold, the execution means nothing.
    Define(TermId),
}

impl Statement {
    /// The variable that it assigns to.
    pub fn assigned(&self) -> Option<VarId> {
        match self {
            Statement::Assign { to, .. } | Statement::Havoc { to } => Some(*to),
            Statement::Assume(_) | Statement::Grant(_) | Statement::Define(_) => None,
        }
    }
}

/// A variable of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its sort.
    pub sort: Sort,
    /// Its value before the first statement; `None` where it may be any.
    pub initial: Option<u128>,
    /// Values that a person would think of first.
    pub simple: Vec<u128>,
}

/// A sequence of statements that ends in an error. Variables of its terms index `variables`.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// All its terms.
    pub terms: Terms,
    /// The variables.
    pub variables: Vec<Variable>,
    /// The statements in order.
    pub statements: Vec<Statement>,
}

/// One way to execute a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Execution {
    /// The value of each variable before the first statement.
    pub initial: Vec<u128>,
    /// What each statement assigns; nothing of interest where it assigns nothing.
    pub assigned: Vec<u128>,
}

impl Path {
    /// An execution; `None` where there is none, or where nobody knows.
    pub fn execution(&mut self, backend: Backend, budget: &Budget) -> Option<Execution> {
        let mut terms = std::mem::take(&mut self.terms);
        let mut follower = Follower::from_anywhere(self, &mut terms);
        (0..self.statements.len()).for_each(|at| follower.step(at, true));
        let (events, inputs) = (follower.events, follower.inputs);
        let all = terms.and(events.iter().map(|event| event.holds));
        let mut solver = backend.within(budget);
        solver.assert(&terms, all);
        let found = (solver.check(&terms, &[]) == Answer::Sat).then(|| {
            let chosen = |at| inputs.iter().find(|input| input.at == at).map(|input| (input.var, input.sort));
            let value = |(var, sort)| solver.value(&terms, var, sort).unwrap_or(0);
            self.replayed(&terms, &mut |at| chosen(at).map(value))
        });
        self.terms = terms;
        found
    }

    /// Where an execution stops in which a statement assigns another value and choices are made as in a known one; `None`
    /// where it comes to the end.
    pub fn stops(&self, known: &Execution, at: usize, value: u128) -> Option<usize> {
        let mut now = known.initial.clone();
        for (position, statement) in self.statements.iter().enumerate() {
            let over = |term: TermId, now: &[u128]| {
                let value = self.terms.evaluate(term, &mut |var| now.get(var.0 as usize).copied());
                value.map_or(0, |value| value.raw())
            };
            let assigned = match statement {
                _ if position < at => known.assigned[position],
                _ if position == at => value,
                Statement::Assign { value, .. } => over(*value, &now),
                Statement::Havoc { .. } => known.assigned[position],
                Statement::Assume(holds) | Statement::Grant(holds) | Statement::Define(holds)
                    if over(*holds, &now) == 0 =>
                {
                    return Some(position);
                }
                Statement::Assume(_) | Statement::Grant(_) | Statement::Define(_) => 0,
            };
            if let Some(to) = statement.assigned() {
                now[to.0 as usize] = assigned;
            }
        }
        None
    }

    /// The execution in which choices are made like this: of a variable before the first statement, or at a statement.
    pub(crate) fn replayed(&self, terms: &Terms, chosen: &mut dyn FnMut(At) -> Option<u128>) -> Execution {
        let first = |(number, variable): (usize, &Variable)| {
            variable.initial.or_else(|| chosen(At::Start(VarId(number as u32)))).unwrap_or(0)
        };
        let initial: Vec<u128> = self.variables.iter().enumerate().map(first).collect();
        let mut now = initial.clone();
        let mut assigned = vec![];
        for (at, statement) in self.statements.iter().enumerate() {
            let value = match statement {
                Statement::Assign { value, .. } => {
                    let value = terms.evaluate(*value, &mut |var| now.get(var.0 as usize).copied());
                    value.map_or(0, |value| value.raw())
                }
                Statement::Havoc { .. } => chosen(At::Statement(at)).unwrap_or(0),
                Statement::Assume(_) | Statement::Grant(_) | Statement::Define(_) => 0,
            };
            if let Some(to) = statement.assigned() {
                now[to.0 as usize] = value;
            }
            assigned.push(value);
        }
        Execution { initial, assigned }
    }
}

/// Where something is chosen.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum At {
    /// A variable before the first statement.
    Start(VarId),
    /// A statement.
    Statement(usize),
}
