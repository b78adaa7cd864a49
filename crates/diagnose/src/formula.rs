//! The oracle that asks a solver about an unfolded program.

use crate::oracle::{Oracle, Statement, Verdict};
use std::time::Duration;
use wherefore_formula::{Node, TermId};
use wherefore_solver::{Answer, Backend, Cores, Limits};
use wherefore_unfold::{Expected, TestFormula, TestInput, Unfolding};

/// An unfolded program with its failing tests, in one incremental solver: a question is a set of assumptions.
pub struct FormulaOracle {
    unfolding: Unfolding,
    tests: Vec<TestFormula>,
    solver: Box<dyn Cores>,
    /// Values of what nothing determines, for each test.
    unknowns: Vec<Vec<TermId>>,
}

/// Values that repair a test.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// For each instance of [`Unfolding::instances`] that is executed and free: its index and its value.
    pub values: Vec<(usize, u128)>,
    /// Whether a text has to change, which cannot be tried by forcing values.
    pub text: bool,
}

impl FormulaOracle {
    /// An oracle for tests, each with what it gives and expects.
    pub fn new(unfolding: Unfolding, backend: Backend, tests: &[(TestInput, Expected)]) -> FormulaOracle {
        let mut unfolding = unfolding;
        let formulas = tests.iter().map(|(input, expected)| unfolding.test(input, expected)).collect();
        let mut solver = backend.solver();
        for fact in &unfolding.hard {
            solver.assert(&unfolding.terms, *fact);
        }
        FormulaOracle { unknowns: vec![vec![]; tests.len()], unfolding, tests: formulas, solver }
    }

    /// The program.
    pub fn unfolding(&self) -> &Unfolding {
        &self.unfolding
    }

    /// Limits the time of each question.
    pub fn set_time(&mut self, time: Option<Duration>) {
        self.solver.set_limits(time.map_or(Limits::NONE, Limits::time));
    }

    /// Fixes what nothing determines (what was never initialised, what unknown functions give) to values with which the
    /// unchanged program does what it was seen to do. `false` if it cannot do that: the formula is not about that run.
    pub fn agree(&mut self, test: usize, input: &TestInput, seen: &Expected, fails: bool) -> bool {
        let observed = self.unfolding.test(input, seen);
        let mut assumptions = self.unfolding.selectors.clone();
        assumptions.extend(&observed.inputs);
        assumptions.push(if fails { self.unfolding.terms.not(observed.passes) } else { observed.passes });
        if self.solver.check(&self.unfolding.terms, &assumptions) != Answer::Sat {
            return false;
        }
        let fixed = self.unfolding.unknowns.clone().into_iter().map(|(var, sort)| {
            let value = self.solver.value(&self.unfolding.terms, var, sort).unwrap_or(0);
            let variable = self.unfolding.terms.var(var, sort);
            let value = self.unfolding.terms.bits(self.unfolding.terms.width(variable), value);
            self.unfolding.terms.eq(variable, value)
        });
        self.unknowns[test] = fixed.collect();
        true
    }

    fn assumptions(&self, test: usize, free: &[Statement]) -> Vec<TermId> {
        let formula = &self.tests[test];
        let mut assumptions = vec![formula.passes];
        assumptions.extend(&formula.inputs);
        assumptions.extend(&self.unknowns[test]);
        let kept = self.unfolding.selectors.iter().enumerate().filter(|(n, _)| free.binary_search(&(*n as u32)).is_err());
        assumptions.extend(kept.map(|(_, selector)| *selector));
        assumptions
    }

    /// Values that repair a test when these statements are free; values of numbers rather than texts where possible.
    pub fn evidence(&mut self, test: usize, free: &[Statement]) -> Option<Evidence> {
        let mut assumptions = self.assumptions(test, free);
        let fixed = self.unfolding.terms.not(self.unfolding.texts);
        assumptions.push(fixed);
        let mut text = false;
        if self.solver.check(&self.unfolding.terms, &assumptions) != Answer::Sat {
            assumptions.pop();
            text = true;
            if self.solver.check(&self.unfolding.terms, &assumptions) != Answer::Sat {
                return None;
            }
        }
        let terms = &self.unfolding.terms;
        let solver = &self.solver;
        let mut value_of = |var| solver.value(terms, var, terms.variable_sort(var)?).or(Some(0));
        let instances: Vec<(usize, &wherefore_unfold::Instance)> =
            self.unfolding.instances.iter().enumerate().filter(|(_, i)| free.contains(&i.statement)).collect();
        let roots: Vec<TermId> = instances.iter().flat_map(|(_, i)| [i.guard, i.seen]).collect();
        let values = terms.evaluate_all(&roots, &mut value_of);
        let values = instances
            .iter()
            .zip(values.chunks(2))
            .filter(|(_, pair)| pair[0].is_some_and(|guard| guard.raw() == 1))
            .filter_map(|((n, _), pair)| Some((*n, pair[1]?.raw())))
            .collect();
        Some(Evidence { values, text })
    }
}

impl Oracle for FormulaOracle {
    fn count(&self) -> usize {
        self.unfolding.selectors.len()
    }

    fn tests(&self) -> usize {
        self.tests.len()
    }

    fn check(&mut self, test: usize, free: &[Statement]) -> Verdict {
        let assumptions = self.assumptions(test, free);
        match self.solver.check(&self.unfolding.terms, &assumptions) {
            Answer::Sat => Verdict::Repairs,
            Answer::Unknown(reason) => Verdict::Unknown(reason.to_string()),
            Answer::Unsat => {
                let first = self.unfolding.selectors.first().map_or(0, |s| self.number(*s));
                let mut core: Vec<Statement> = self
                    .solver
                    .core()
                    .into_iter()
                    .filter(|term| self.unfolding.selectors.binary_search(term).is_ok())
                    .map(|term| self.number(term) - first)
                    .collect();
                core.sort_unstable();
                Verdict::Core(core)
            }
        }
    }
}

impl FormulaOracle {
    /// The number of a selector's variable; selectors are numbered one after the other.
    fn number(&self, selector: TermId) -> u32 {
        match self.unfolding.terms.node(selector) {
            Node::Var(var, _) => var.0,
            _ => unreachable!("a selector is a variable"),
        }
    }
}
