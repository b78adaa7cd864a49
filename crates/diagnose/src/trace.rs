//! The formulas of single runs, for comparison: BugAssist's, which takes conditions as they were, and the
//! flow-sensitive one, in which statements depend on the conditions they lie under (Lamraoui and Nakajima 2016, Table 1).
//!
//! Both are about one path only: what another path would do is not in them. So a fault in a condition is found by the
//! second and not by the first, and neither finds what the run never came to.

use crate::limits::{Limits, QUESTION};
use crate::oracle::{Oracle, Statement, Verdict};
use rustc_hash::FxHashMap;
use wherefore_formula::{Sort, TermId, Terms, VarId};
use wherefore_program::Origin;
use wherefore_solver::{Answer, Backend, Cores};
use wherefore_trace::{Action, BranchId, Kind, Trace};

/// Which formula of a run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum RunEncoding {
    /// Conditions are not part of it.
    Plain,
    /// Statements depend on the conditions they lie under.
    FlowSensitive,
}

/// Failing runs, each with a formula and a solver of its own.
pub struct RunOracle {
    count: usize,
    runs: Vec<RunFormula>,
}

struct RunFormula {
    terms: Terms,
    selectors: Vec<TermId>,
    solver: Box<dyn Cores>,
}

impl RunOracle {
    /// An oracle for failing runs; `statements` gives the statement at each place.
    pub fn new(
        traces: Vec<Trace>,
        statements: &FxHashMap<Origin, Statement>,
        count: usize,
        encoding: RunEncoding,
        backend: Backend,
        limits: &Limits,
    ) -> RunOracle {
        let formula = |trace| RunFormula::new(trace, statements, count, encoding, backend, limits);
        RunOracle { count, runs: traces.into_iter().map(formula).collect() }
    }
}

impl RunFormula {
    fn new(
        mut trace: Trace,
        statements: &FxHashMap<Origin, Statement>,
        count: usize,
        encoding: RunEncoding,
        backend: Backend,
        limits: &Limits,
    ) -> RunFormula {
        let terms = std::mem::take(&mut trace.terms);
        let mut encoder = Encoder { next: trace.variables.len() as u32, terms, selectors: vec![], statements };
        for _ in 0..count {
            let selector = encoder.fresh(Sort::Bool);
            encoder.selectors.push(selector);
        }
        let passes = encoder.encode(&trace, encoding);
        let mut solver = backend.solver();
        solver.assert(&encoder.terms, passes);
        solver.set_limits(QUESTION);
        solver.stop_when(limits.stopper());
        RunFormula { terms: encoder.terms, selectors: encoder.selectors, solver }
    }
}

struct Encoder<'a> {
    terms: Terms,
    next: u32,
    selectors: Vec<TermId>,
    statements: &'a FxHashMap<Origin, Statement>,
}

impl Encoder<'_> {
    fn fresh(&mut self, sort: Sort) -> TermId {
        self.next += 1;
        self.terms.var(VarId(self.next - 1), sort)
    }

    /// A value, or anything if its statement is free.
    fn soften(&mut self, at: Option<Origin>, value: TermId) -> TermId {
        let Some(statement) = at.and_then(|at| self.statements.get(&at)) else { return value };
        let free = self.fresh(self.terms.sort(value));
        self.terms.ite(self.selectors[*statement as usize], value, free)
    }

    /// That the run does not fail.
    fn encode(&mut self, trace: &Trace, encoding: RunEncoding) -> TermId {
        // What each variable is now, over constants and what is free.
        let mut now: FxHashMap<VarId, TermId> = FxHashMap::default();
        for (number, (variable, initial)) in trace.variables.iter().zip(&trace.initial).enumerate() {
            if let Some(value) = initial {
                now.insert(VarId(number as u32), self.terms.bits(variable.bits, *value));
            }
        }
        let mut taken: FxHashMap<BranchId, TermId> = FxHashMap::default();
        let guard = |terms: &mut Terms, taken: &FxHashMap<BranchId, TermId>, scope: Option<BranchId>| {
            let conditions: Vec<TermId> = trace.enclosing(scope).filter_map(|b| taken.get(&b).copied()).collect();
            terms.and(conditions)
        };
        for step in &trace.steps {
            match &step.action {
                Action::Assign { to, value, .. } => {
                    let value = self.terms.substitute(*value, &now);
                    let given = matches!(step.kind, Kind::Havoc | Kind::Thread | Kind::Internal);
                    let mut value = if given { value } else { self.soften(step.at, value) };
                    if encoding == RunEncoding::FlowSensitive
                        && let Some(before) = now.get(to).copied()
                    {
                        let executed = guard(&mut self.terms, &taken, step.scope);
                        value = self.terms.ite(executed, value, before);
                    }
                    now.insert(*to, value);
                }
                Action::If(branch) if encoding == RunEncoding::FlowSensitive => {
                    let found = &trace.branches[branch.index()];
                    let condition = self.terms.substitute(found.condition, &now);
                    let condition = self.soften(found.at, condition);
                    taken.insert(*branch, condition);
                }
                Action::If(_) | Action::EndIf(_) => {}
            }
        }
        let Some(failure) = &trace.failure else { return self.terms.truth(true) };
        let violated = self.terms.substitute(failure.violated, &now);
        let reached = guard(&mut self.terms, &taken, failure.scope);
        let fails = self.terms.and2(reached, violated);
        self.terms.not(fails)
    }
}

impl Oracle for RunOracle {
    fn count(&self) -> usize {
        self.count
    }

    fn tests(&self) -> usize {
        self.runs.len()
    }

    fn check(&mut self, test: usize, free: &[Statement]) -> Verdict {
        let run = &mut self.runs[test];
        let kept = |n: usize| free.binary_search(&(n as Statement)).is_err();
        let selectors: Vec<TermId> = (0..run.selectors.len()).filter(|n| kept(*n)).map(|n| run.selectors[n]).collect();
        match run.solver.check(&run.terms, &selectors) {
            Answer::Sat => Verdict::Repairs,
            Answer::Unknown(reason) => Verdict::Unknown(reason.to_string()),
            Answer::Unsat => {
                let number = |term: TermId| run.selectors.iter().position(|s| *s == term);
                let core = run.solver.core().into_iter().filter_map(number);
                Verdict::Core(core.map(|n| n as Statement).collect())
            }
        }
    }
}
