//! The oracle that asks a solver about an unfolded program.

use crate::oracle::{Oracle, Statement, Verdict};
use rustc_hash::FxHashMap;
use std::time::Duration;
use wherefore_formula::{Node, Sort, TermId, VarId};
use wherefore_solver::{Answer, Backend, Cores, Limits, Reason};
use wherefore_unfold::{Expected, Instance, Observation, TestFormula, TestInput, Unfolding};

/// An unfolded program with its failing tests. The formula is built once; each test gets a solver in which its inputs
/// are constants, so that what they decide is folded away, and a question is a set of assumptions.
pub struct FormulaOracle {
    unfolding: Unfolding,
    backend: Backend,
    tests: Vec<Test>,
    /// When to give up.
    time: crate::limits::Limits,
    /// Tests that have a solver, the latest last.
    prepared: Vec<usize>,
}

struct Test {
    input: TestInput,
    expected: Expected,
    formula: TestFormula,
    /// Values of what nothing determines.
    unknowns: Vec<(VarId, Sort, u128)>,
    solver: Option<Box<dyn Cores>>,
}

/// Longest time without a look at the clock.
const SLICE: Duration = Duration::from_secs(1);
/// Solvers kept for later questions.
const KEPT: usize = 8;

/// Values that repair a test.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The executions of free statements in their order.
    pub executions: Vec<Execution>,
    /// Whether a text has to change, which cannot be tried by forcing values.
    pub text: bool,
}

/// One execution of a point of a free statement.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Execution {
    /// Index into [`Unfolding::instances`].
    pub instance: usize,
    /// What the statement computes.
    pub computed: u128,
    /// What the test needs.
    pub needed: u128,
}

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

/// What the formula says of the unchanged program.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// It does what it was seen to do.
    Same,
    /// It does something undefined, such as reading outside an object, so that what it was seen to do is an accident.
    Undefined,
    /// It cannot do what it was seen to do: the formula is not about that run.
    Different,
}

impl FormulaOracle {
    /// An oracle for tests, each with what it gives and expects.
    pub fn new(mut unfolding: Unfolding, backend: Backend, tests: &[(TestInput, Expected)]) -> FormulaOracle {
        let test = |(input, expected): &(TestInput, Expected)| Test {
            formula: unfolding.test(input, expected),
            input: input.clone(),
            expected: expected.clone(),
            unknowns: vec![],
            solver: None,
        };
        let tests = tests.iter().map(test).collect();
        FormulaOracle { unfolding, backend, tests, time: Default::default(), prepared: vec![] }
    }

    /// The program.
    pub fn unfolding(&self) -> &Unfolding {
        &self.unfolding
    }

    /// Gives up on questions at the deadline of these limits, or when asked to stop.
    pub fn set_limits(&mut self, limits: &crate::limits::Limits) {
        self.time = limits.clone();
    }

    /// Compares the formula with a run of a test. What nothing determines (what was never initialised, what unknown
    /// functions give) is fixed to values with which the unchanged program does what it was seen to do; `None` stands
    /// for a run that failed in some way.
    pub fn agree(&mut self, test: usize, input: &TestInput, seen: Option<&Expected>) -> Agreement {
        let observation = self.unfolding.observe(&mut self.unfolding.evaluation(input));
        match (&observation, seen) {
            (Some(does), Some(seen)) if does.passes(seen) => return Agreement::Same,
            (Some(Observation::Fails(_)), None) => return Agreement::Same,
            (Some(Observation::Fails(_)), Some(_)) => return Agreement::Undefined,
            (Some(Observation::Ends { .. }), _) => return Agreement::Different,
            (None, _) => {}
        }
        // Fresh memory is mostly zero; that is tried first, and is the same whatever solver is asked.
        let zero: Vec<(VarId, Sort, u128)> =
            self.unfolding.unknowns.iter().map(|(var, sort)| (*var, *sort, 0)).collect();
        let (does, known) = self.met(input, zero);
        let same = match (&does, seen) {
            (Some(does), Some(seen)) => does.passes(seen),
            (does, None) => matches!(does, Some(Observation::Fails(_))),
            (None, Some(_)) => false,
        };
        if same {
            self.tests[test].unknowns = known;
            return Agreement::Same;
        }
        let observed = self.unfolding.test(input, seen.unwrap_or(&Expected::default()));
        let does = match seen {
            Some(_) => observed.passes,
            None => self.unfolding.terms.not(observed.passes),
        };
        let mut solver = self.solver(test, does);
        let selectors = self.unfolding.selectors.clone();
        if solver.check(&self.unfolding.terms, &selectors) != Answer::Sat {
            return Agreement::Different;
        }
        let terms = &self.unfolding.terms;
        let value = |var, sort| solver.value(terms, var, sort).unwrap_or(0);
        let unknowns: Vec<(VarId, Sort, u128)> =
            self.unfolding.unknowns.iter().map(|(var, sort)| (*var, *sort, value(*var, *sort))).collect();
        self.tests[test].unknowns = self.met(input, unknowns).1;
        Agreement::Same
    }

    /// What the unchanged program does with values of what nothing determines, and those of them that it met: only they
    /// are known from a run.
    #[allow(clippy::type_complexity)]
    fn met(
        &mut self,
        input: &TestInput,
        mut unknowns: Vec<(VarId, Sort, u128)>,
    ) -> (Option<Observation>, Vec<(VarId, Sort, u128)>) {
        let mut run = self.unfolding.evaluation(input);
        for (var, _, value) in &unknowns {
            run.set(*var, *value);
        }
        let does = self.unfolding.observe(&mut run);
        let variables: Vec<TermId> =
            unknowns.iter().map(|(var, sort, _)| self.unfolding.terms.var(*var, *sort)).collect();
        let mut met = variables.into_iter().map(|variable| run.asked(variable));
        unknowns.retain(|_| met.next() == Some(true));
        (does, unknowns)
    }

    /// A solver for a test that requires a fact.
    fn solver(&mut self, test: usize, fact: TermId) -> Box<dyn Cores> {
        let mut solver = self.backend.solver();
        let test = &self.tests[test];
        for (var, sort, value) in test.formula.inputs.iter().chain(&test.unknowns) {
            solver.fix(&mut self.unfolding.terms, *var, *sort, *value);
        }
        for fact in self.unfolding.hard.iter().chain(&test.formula.reads).chain([&fact]) {
            solver.assert(&self.unfolding.terms, *fact);
        }
        solver
    }

    /// Makes sure that a test has a solver.
    fn prepare(&mut self, test: usize) {
        if self.tests[test].solver.is_some() {
            return;
        }
        if self.prepared.len() >= KEPT {
            let oldest = self.prepared.remove(0);
            self.tests[oldest].solver = None;
        }
        self.prepared.push(test);
        let passes = self.tests[test].formula.passes;
        self.tests[test].solver = Some(self.solver(test, passes));
    }

    pub(crate) fn ask(&mut self, test: usize, assumptions: &[TermId]) -> Answer {
        self.prepare(test);
        let solver = self.tests[test].solver.as_mut().expect("just made");
        // In slices, to look at the clock and at the user in between; what was learned stays.
        let mut slice = Duration::from_millis(100);
        loop {
            solver.set_limits(Limits::time(slice));
            match solver.check(&self.unfolding.terms, assumptions) {
                Answer::Unknown(Reason::TimeOut) if self.time.expired().is_none() => slice = (2 * slice).min(SLICE),
                answer => return answer,
            }
        }
    }

    pub(crate) fn kept(&self, free: &[Statement]) -> Vec<TermId> {
        let selectors = self.unfolding.selectors.iter().enumerate();
        selectors.filter(|(n, _)| free.binary_search(&(*n as u32)).is_err()).map(|(_, s)| *s).collect()
    }

    /// That two executions of a point that see the same give the same.
    pub(crate) fn same_if_same_reads(&mut self, a: &Instance, b: &Instance) -> TermId {
        let terms = &mut self.unfolding.terms;
        let mut premises = vec![a.guard, b.guard];
        for (x, y) in a.reads.iter().zip(&b.reads) {
            if terms.sort(*x) == terms.sort(*y) {
                premises.push(terms.eq(*x, *y));
            }
        }
        let premises = terms.and(premises);
        let same = terms.eq(a.seen, b.seen);
        terms.implies(premises, same)
    }

    /// That an execution gives what the statement computes.
    pub(crate) fn unchanged(&mut self, instance: &Instance) -> TermId {
        self.unfolding.terms.eq(instance.computed, instance.seen)
    }

    /// Looks for values of a statement's points, each the same in all executions and in all tests.
    pub(crate) fn constants(&mut self, statement: Statement, instances: &[Instance], fixed: &[Instance]) -> Constants {
        let mut solver = self.backend.solver();
        let terms = &mut self.unfolding.terms;
        let mut points: Vec<(Option<u32>, VarId)> = vec![];
        for instance in instances {
            let Some(var) = instance.free else { continue };
            match points.iter().find(|(point, _)| *point == instance.point) {
                None => points.push((instance.point, var)),
                Some((_, first)) => {
                    let sort = terms.sort(instance.computed);
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

    /// The values of terms in the model of the last question about a test.
    pub(crate) fn model(&self, test: usize, roots: &[TermId]) -> Vec<Option<u128>> {
        let terms = &self.unfolding.terms;
        let Some(solver) = &self.tests[test].solver else { return vec![None; roots.len()] };
        let mut value_of = |var| solver.value(terms, var, terms.variable_sort(var)?).or(Some(0));
        terms.evaluate_all(roots, &mut value_of).into_iter().map(|v| v.map(|v| v.raw())).collect()
    }

    /// Values that repair a test when these statements are free; values of numbers rather than texts where possible.
    pub fn evidence(&mut self, test: usize, free: &[Statement]) -> Option<Evidence> {
        let mut assumptions = self.kept(free);
        let fixed = self.unfolding.terms.not(self.unfolding.texts);
        assumptions.push(fixed);
        let mut text = false;
        if self.ask(test, &assumptions) != Answer::Sat {
            assumptions.pop();
            text = true;
            if self.ask(test, &assumptions) != Answer::Sat {
                return None;
            }
        }
        let instances: Vec<(usize, &Instance)> =
            self.unfolding.instances.iter().enumerate().filter(|(_, i)| free.contains(&i.statement)).collect();
        let roots: Vec<TermId> = instances.iter().flat_map(|(_, i)| [i.guard, i.computed, i.seen]).collect();
        let values = self.model(test, &roots);
        let executions = instances.iter().zip(values.chunks(3)).filter(|(_, values)| values[0] == Some(1));
        let executions = executions.filter_map(|((instance, _), values)| {
            Some(Execution { instance: *instance, computed: values[1]?, needed: values[2]? })
        });
        let executions = executions.collect();
        Some(Evidence { executions, text })
    }
}

impl Oracle for FormulaOracle {
    fn count(&self) -> usize {
        self.unfolding.selectors.len()
    }

    fn tests(&self) -> usize {
        self.tests.len()
    }

    fn together(&mut self, tests: &[usize], free: &[Statement]) -> Verdict {
        let [one] = free else { return Verdict::Repairs };
        match crate::consistency::takes_another_argument(self, *one, tests) {
            Some(false) => Verdict::Core((0..self.count() as Statement).filter(|s| s != one).collect()),
            _ => Verdict::Repairs,
        }
    }

    fn check(&mut self, test: usize, free: &[Statement]) -> Verdict {
        let assumptions = self.kept(free);
        match self.ask(test, &assumptions) {
            Answer::Sat => Verdict::Repairs,
            Answer::Unknown(reason) => Verdict::Unknown(reason.to_string()),
            Answer::Unsat => {
                let first = self.unfolding.selectors.first().map_or(0, |s| self.number(*s));
                let mut core: Vec<Statement> = self.tests[test]
                    .solver
                    .as_ref()
                    .map_or(vec![], |solver| solver.core())
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
    /// Failing tests by their numbers.
    pub(crate) fn given(&self, tests: &[usize]) -> Vec<(TestInput, Expected)> {
        tests.iter().map(|n| (self.tests[*n].input.clone(), self.tests[*n].expected.clone())).collect()
    }

    /// The number of a selector's variable; selectors are numbered one after the other.
    fn number(&self, selector: TermId) -> u32 {
        match self.unfolding.terms.node(selector) {
            Node::Var(var, _) => var.0,
            _ => unreachable!("a selector is a variable"),
        }
    }
}
