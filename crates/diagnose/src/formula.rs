//! The oracle that asks a solver about an unfolded program.

use crate::limits::QUESTION;
use crate::oracle::{Oracle, Statement, Verdict};
use std::time::{Duration, Instant};
use wherefore_formula::{Node, Sort, TermId, Terms, VarId};
use wherefore_solver::{Answer, Backend, Cores, Limits};
use wherefore_unfold::{Expected, FreeText, Instance, TestFormula, TestInput, Unfolding};

/// An unfolded program with its failing tests. The formula is built once; each test gets a solver in which its inputs
/// are constants, so that what they decide is folded away, and a question is a set of assumptions.
pub struct FormulaOracle {
    pub(crate) unfolding: Unfolding,
    backend: Backend,
    tests: Vec<Test>,
    /// When to give up.
    time: crate::limits::Limits,
    /// Tests that have a solver, the latest last.
    prepared: Vec<usize>,
}

/// A variable with its value.
pub(crate) type Known = (VarId, Sort, u128);

struct Test {
    input: TestInput,
    expected: Expected,
    formula: TestFormula,
    /// Values of what nothing determines.
    unknowns: Vec<Known>,
    solver: Option<Box<dyn Cores>>,
}

/// Solvers kept for later questions.
const KEPT: usize = 8;
/// Bits of a number that is small, the smallest first: -4 to 3, and so on.
const SMALL: [u32; 4] = [3, 5, 8, 16];
/// Executions whose values are made small; among more nobody looks for them.
const MANY_NUMBERS: usize = 200;
/// How long to look for small values.
const PATIENCE: Duration = Duration::from_millis(500);

/// Values that repair a test.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The executions of free statements in their order.
    pub executions: Vec<Execution>,
    /// Whether a text has to change, which cannot be tried by forcing values.
    pub text: bool,
    /// The texts that free statements have to write then.
    pub texts: Vec<(Statement, Vec<u8>)>,
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
        for solver in self.tests.iter_mut().filter_map(|test| test.solver.as_mut()) {
            solver.stop_when(limits.stopper());
        }
    }

    /// A solver without assertions that gives up when the time is up.
    pub(crate) fn fresh_solver(&self) -> Box<dyn Cores> {
        let mut solver = self.backend.solver();
        solver.set_limits(QUESTION);
        solver.stop_when(self.time.stopper());
        solver
    }

    /// A solver for a test that requires a fact.
    pub(crate) fn solver(&mut self, test: usize, fact: TermId) -> Box<dyn Cores> {
        let mut solver = self.fresh_solver();
        let test = &self.tests[test];
        for (var, sort, value) in test.formula.inputs.iter().chain(&test.unknowns) {
            solver.fix(&mut self.unfolding.terms, *var, *sort, *value);
        }
        for fact in self.unfolding.hard.iter().chain(&test.formula.reads).chain([&fact]) {
            solver.assert(&self.unfolding.terms, *fact);
        }
        solver
    }

    /// Fixes what nothing determines in a test.
    pub(crate) fn fix_unknowns(&mut self, test: usize, unknowns: Vec<Known>) {
        self.tests[test].unknowns = unknowns;
        self.tests[test].solver = None;
        self.prepared.retain(|n| *n != test);
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
        solver.check(&self.unfolding.terms, assumptions)
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
        let text = match self.ask(test, &assumptions) {
            Answer::Sat => false,
            Answer::Unsat => true,
            Answer::Unknown(_) => return None,
        };
        if text {
            assumptions.pop();
            if self.ask(test, &assumptions) != Answer::Sat {
                return None;
            }
        }
        if !self.prefer_small(test, free, &mut assumptions) {
            return None;
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
        let texts = if text { self.texts_written(test) } else { vec![] };
        Some(Evidence { executions, text, texts })
    }

    /// What free statements write in the model of the last question, in their order.
    fn texts_written(&self, test: usize) -> Vec<(Statement, Vec<u8>)> {
        let output = self.tests[test].expected.stdout.as_deref().unwrap_or(&[]);
        let text = |free: &FreeText| {
            let starts = free.starts.iter().map(|(_, here)| *here);
            let roots: Vec<TermId> = [free.kept, free.end].into_iter().chain(starts).collect();
            let values = self.model(test, &roots);
            let begins = values[2..].iter().position(|here| *here == Some(1))?;
            let (start, end) = (free.starts[begins].0, values[1]? as usize);
            let written = output.get(start..end).filter(|_| values[0] == Some(0))?;
            Some((free.statement?, written.to_vec()))
        };
        self.tests[test].formula.texts.iter().filter_map(text).collect()
    }

    /// Asks once more, for values that are small where they are not what the statements compute: a person can follow
    /// those. What was asked holds; afterwards there is a model of it again, unless the time is up.
    fn prefer_small(&mut self, test: usize, free: &[Statement], assumptions: &mut Vec<TermId>) -> bool {
        let numbers: Vec<Instance> = (self.unfolding.instances.iter())
            .filter(|i| free.contains(&i.statement) && i.free.is_some() && !i.pointer)
            .filter(|i| self.unfolding.terms.width(i.seen) > SMALL[0])
            .take(MANY_NUMBERS)
            .cloned()
            .collect();
        let common = assumptions.len();
        let deadline = Instant::now() + PATIENCE;
        for bits in SMALL {
            assumptions.truncate(common);
            for instance in &numbers {
                let small = self.is_small_or_unchanged(instance, bits);
                assumptions.push(small);
            }
            let solver = self.tests[test].solver.as_mut().expect("it was just asked");
            let left = deadline.saturating_duration_since(Instant::now());
            solver.set_limits(Limits { time: Some(left), ..QUESTION });
            let answer = solver.check(&self.unfolding.terms, assumptions);
            solver.set_limits(QUESTION);
            match answer {
                Answer::Sat => return true,
                Answer::Unsat => {}
                Answer::Unknown(_) => break,
            }
        }
        assumptions.truncate(common);
        self.ask(test, assumptions) == Answer::Sat
    }

    /// That what an execution gives has few bits, or is what the statement computes.
    fn is_small_or_unchanged(&mut self, instance: &Instance, bits: u32) -> TermId {
        let unchanged = self.unchanged(instance);
        let terms = &mut self.unfolding.terms;
        let width = terms.width(instance.seen);
        if width <= bits {
            return terms.truth(true);
        }
        let small =
            if instance.floating { is_short(terms, instance.seen, bits) } else { is_small(terms, instance.seen, bits) };
        let executed = instance.guard;
        let fine = terms.or2(unchanged, small);
        terms.implies(executed, fine)
    }
}

/// That a number has few bits.
fn is_small(terms: &mut Terms, number: TermId, bits: u32) -> TermId {
    let low = terms.extract(number, 0, bits);
    let same = terms.sign_extend(low, terms.width(number));
    terms.eq(same, number)
}

/// That a floating point number has few digits, and is not far from one: its fraction ends in zeros, and its exponent has
/// few bits; or that it is zero.
fn is_short(terms: &mut Terms, number: TermId, bits: u32) -> TermId {
    let width = terms.width(number);
    let fraction = if width == 32 { 23 } else { 52 };
    let exponent = width - fraction - 1;
    let end = terms.extract(number, 0, fraction.saturating_sub(bits).max(1));
    let zeros = terms.bits(terms.width(end), 0);
    let ends = terms.eq(end, zeros);
    let middle = (1 << (exponent - 1)) - 1;
    let reach = u128::from(bits);
    let (least, most) = (terms.bits(exponent, middle - reach), terms.bits(exponent, middle + reach));
    let stored = terms.extract(number, fraction, exponent);
    let (above, below) = (terms.ule(least, stored), terms.ule(stored, most));
    let zero = terms.bits(width, 0);
    let is_zero = terms.eq(number, zero);
    let is_near = terms.and([ends, above, below]);
    terms.or2(is_zero, is_near)
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
    pub(crate) fn number(&self, selector: TermId) -> u32 {
        match self.unfolding.terms.node(selector) {
            Node::Var(var, _) => var.0,
            _ => unreachable!("a selector is a variable"),
        }
    }
}
