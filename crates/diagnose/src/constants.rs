//! A statement whose values are constants: one value for each of its points in all tests.

use crate::formula::FormulaOracle;
use crate::oracle::Statement;
use rustc_hash::FxHashMap;
use wherefore_formula::{Sort, TermId, VarId};
use wherefore_solver::{Answer, Cores};
use wherefore_unfold::{Expected, Instance, TestInput};

/// Values of a statement that are the same in all tests, as far as tests allow.
pub(crate) struct Constants {
    statement: Statement,
    solver: Box<dyn Cores>,
    points: Vec<(Option<u32>, VarId)>,
    accepted: Vec<TermId>,
}

impl Constants {
    /// Adds a test. One that stands against those before it is left out: it needs something else.
    pub fn add(&mut self, oracle: &mut FormulaOracle, (input, expected): &(TestInput, Expected)) {
        let residue = oracle.residue(self.statement, input, expected);
        self.accepted.push(residue);
        if self.solver.check(&oracle.unfolding.terms, &self.accepted) != Answer::Sat {
            self.accepted.pop();
        }
    }

    /// Values with which the tests that were not left out pass.
    pub fn values(&mut self, oracle: &FormulaOracle) -> Option<Vec<(Option<u32>, u128)>> {
        let terms = &oracle.unfolding.terms;
        if self.accepted.is_empty() || self.solver.check(terms, &self.accepted) != Answer::Sat {
            return None;
        }
        let value = |var: VarId| self.solver.value(terms, var, terms.variable_sort(var)?).or(Some(0));
        self.points.iter().map(|(point, var)| Some((*point, value(*var)?))).collect()
    }
}

impl FormulaOracle {
    /// Looks for values of a statement's points, each the same in all executions and in all tests.
    pub(crate) fn constants(&mut self, statement: Statement, instances: &[Instance], fixed: &[Instance]) -> Constants {
        let mut solver = self.fresh_solver();
        let terms = &mut self.unfolding.terms;
        let mut points: Vec<(Option<u32>, VarId)> = vec![];
        for instance in instances {
            let Some(var) = instance.free else { continue };
            let sort = terms.sort(instance.computed);
            // What has no point of its own is told apart by its width.
            let is_same = |first: VarId| terms.variable_sort(first).is_none_or(|known| known == sort);
            match points.iter().find(|(point, first)| *point == instance.point && is_same(*first)) {
                None => points.push((instance.point, var)),
                Some((_, first)) => {
                    let (first, other) = (terms.var(*first, sort), terms.var(var, sort));
                    let same = terms.eq(first, other);
                    solver.assert(terms, same);
                }
            }
        }
        for choice in fixed.iter().flat_map(|i| &i.choices) {
            solver.fix(terms, *choice, Sort::Bool, 0);
        }
        Constants { statement, solver, points, accepted: vec![] }
    }

    /// What is left of a test when its inputs are put in and only one statement is free: a formula over its values.
    fn residue(&mut self, statement: Statement, input: &TestInput, expected: &Expected) -> TermId {
        let formula = self.unfolding.test(input, expected);
        let mut known: FxHashMap<VarId, TermId> = FxHashMap::default();
        for (var, sort, value) in formula.inputs {
            if let Sort::Bits(bits) = sort {
                known.insert(var, self.unfolding.terms.bits(bits, value));
            }
        }
        for (n, selector) in self.unfolding.selectors.iter().enumerate() {
            let kept = self.unfolding.terms.truth(n as u32 != statement);
            known.insert(VarId(self.number(*selector)), kept);
        }
        let facts = self.unfolding.hard.iter().chain(&formula.reads).copied().chain([formula.passes]);
        let all = self.unfolding.terms.and(facts.collect::<Vec<_>>());
        self.unfolding.terms.substitute(all, &known)
    }
}
