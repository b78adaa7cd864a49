//! Whether a statement can be repaired as a function of what it reads.
//!
//! To set a statement free says that other values would repair each test, whatever the statement sees. A real change of
//! the statement computes from the same variables: seeing the same values it gives the same value, in failing and in
//! passing tests alike. So the values that repair the failing tests are entered into one table, and the passing tests
//! are run with that table. A statement for which no entry clashes is a better suspect than one that only hands on what
//! others got wrong. Four kinds of statements are looked at in their own ways:
//! - a constant has one value in all tests, which is solved for;
//! - a text that is always the same would be another one in every test that writes it;
//! - a number taken from an argument could be taken from another one, the same in all tests;
//! - everything else has a table, and for truth values also a coarse one, in which only the order of what is read
//!   counts: a change that turns around a single pair of numbers is not likely the right one.

use crate::formula::FormulaOracle;
use crate::limits::Limits;
use crate::oracle::Statement;
use rustc_hash::FxHashMap;
use wherefore_formula::{Evaluation, Node, TermId};
use wherefore_solver::Answer;
use wherefore_unfold::{Expected, Instance, TestInput};

/// How a statement as a function of what it reads does on the tests.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Consistency {
    /// Failing tests that no such function repairs, or that need another value where an earlier one saw the same.
    pub clashes: usize,
    /// Passing tests that the function would break.
    pub breaks: usize,
    /// Passing tests of which that could not be told: they leave what was unfolded, or depend on what is not known.
    pub open: usize,
    /// Whether some failing test could not be looked at, so that `clashes` may be too small.
    pub unsure: bool,
    /// Passing tests that it would break if it looked at the order of what it reads only.
    pub coarse: usize,
}

/// What a point saw.
type Key = (Option<u32>, Vec<u128>);
/// What it should give.
type Table = FxHashMap<Key, u128>;
/// A test with what it expects.
type Test = (TestInput, Expected);

/// Failing tests that are looked at.
pub(crate) const FAILING: usize = 60;
/// Values of a constant that are tried.
const CONSTANTS: usize = 12;

/// Looks, for each statement on its own, for a function that makes it right in all tests.
pub fn consistency(
    oracle: &mut FormulaOracle,
    statements: &[Statement],
    failing: &[Test],
    passing: &[Test],
    limits: &Limits,
) -> Vec<Consistency> {
    let mut suspects: Vec<Suspect> = statements.iter().map(|s| Suspect::new(oracle, *s)).collect();
    for suspect in &mut suspects {
        match suspect.kind {
            Kind::Constant => suspect.try_constants(oracle, failing, passing, limits),
            Kind::Argument => suspect.try_arguments(oracle, failing, passing),
            Kind::Text => suspect.try_text(oracle, passing),
            Kind::Function => {}
        }
    }
    let step = failing.len().div_ceil(FAILING).max(1);
    // Test by test, so that its solver serves all statements.
    for (test, (input, expected)) in failing.iter().enumerate().step_by(step) {
        for suspect in suspects.iter_mut().filter(|s| s.kind == Kind::Function) {
            if limits.expired().is_none() {
                suspect.learn(oracle, test, input, expected);
            }
        }
    }
    for (input, expected) in passing {
        for suspect in suspects.iter_mut().filter(|s| s.kind == Kind::Function) {
            if limits.expired().is_none() {
                suspect.judge(oracle, input, expected);
            }
        }
    }
    suspects.into_iter().map(|s| s.result).collect()
}

/// For a statement that takes a number straight from an argument: whether taking it from another one, the same in all
/// tests, repairs them. `None` for other statements.
pub(crate) fn takes_another_argument(oracle: &FormulaOracle, statement: Statement, tests: &[usize]) -> Option<bool> {
    let suspect = Suspect::new(oracle, statement);
    if suspect.kind != Kind::Argument {
        return None;
    }
    let count = suspect.instances.iter().map(|i| i.others.len()).min().unwrap_or(0);
    let tests = oracle.given(tests);
    Some((0..count).any(|choice| !tests.iter().any(|test| suspect.fails_with_argument(oracle, choice, test))))
}

/// How a statement is looked at.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Kind {
    Constant,
    Argument,
    Text,
    Function,
}

/// A statement and the tables that would make it right.
struct Suspect {
    statement: Statement,
    kind: Kind,
    /// Its values that can be given by number.
    instances: Vec<Instance>,
    /// Those that cannot, pointers, which stay as they are.
    fixed: Vec<Instance>,
    table: Table,
    coarse: Table,
    result: Consistency,
}

impl Suspect {
    fn new(oracle: &FormulaOracle, statement: Statement) -> Suspect {
        let all = oracle.unfolding().instances.iter();
        let own = all.filter(|i| i.statement == statement).cloned();
        let (instances, fixed): (Vec<Instance>, Vec<Instance>) = own.partition(|i| i.free.is_some());
        let terms = &oracle.unfolding().terms;
        let kind = if !instances.is_empty() && instances.iter().all(|i| !i.others.is_empty()) {
            Kind::Argument
        } else if !instances.is_empty() && instances.iter().all(|i| terms.constant(i.computed).is_some()) {
            Kind::Constant
        } else if instances.is_empty() && fixed.is_empty() {
            Kind::Text
        } else {
            Kind::Function
        };
        let (table, coarse) = (Table::default(), Table::default());
        Suspect { statement, kind, instances, fixed, table, coarse, result: Consistency::default() }
    }

    /// Enters what a failing test needs.
    fn learn(&mut self, oracle: &mut FormulaOracle, test: usize, input: &TestInput, expected: &Expected) {
        let mut run = Forced::new(oracle, self.statement, &self.fixed, input);
        if run.force(oracle, &self.instances, &self.table, false) && run.passes(oracle, expected) == Some(true) {
            return;
        }
        let entries = match functional_values(oracle, test, self.statement, &self.instances, &self.fixed) {
            Some(entries) => entries,
            None => return self.result.unsure = true,
        };
        if entries.is_empty() {
            self.result.clashes += 1;
            return;
        }
        if entries.iter().any(|(key, value)| self.table.get(key).is_some_and(|known| known != value)) {
            self.result.clashes += 1;
        }
        for (key, value) in entries {
            self.coarse.entry(coarse(&key)).or_insert(value);
            self.table.entry(key).or_insert(value);
        }
    }

    /// Tries the tables on a passing test.
    fn judge(&mut self, oracle: &FormulaOracle, input: &TestInput, expected: &Expected) {
        let mut run = Forced::new(oracle, self.statement, &self.fixed, input);
        if run.force(oracle, &self.instances, &self.table, false) {
            match run.passes(oracle, expected) {
                Some(true) => {}
                Some(false) => self.result.breaks += 1,
                None => self.result.open += 1,
            }
        }
        let mut run = Forced::new(oracle, self.statement, &self.fixed, input);
        if run.force(oracle, &self.instances, &self.coarse, true) && run.passes(oracle, expected) == Some(false) {
            self.result.coarse += 1;
        }
    }

    /// The tests of a list that do not pass with a table, and how many of which that cannot be told.
    fn failures(&self, oracle: &FormulaOracle, table: &Table, tests: &[Test]) -> (Vec<usize>, usize) {
        let mut failing = vec![];
        let mut open = 0;
        for (n, (input, expected)) in tests.iter().enumerate() {
            let mut run = Forced::new(oracle, self.statement, &self.fixed, input);
            run.force(oracle, &self.instances, table, false);
            match run.passes(oracle, expected) {
                Some(true) => {}
                Some(false) => failing.push(n),
                None => open += 1,
            }
        }
        (failing, open)
    }

    /// Looks for one value for all tests: those of the failing ones first, then also of the passing ones it breaks.
    fn try_constants(&mut self, oracle: &mut FormulaOracle, failing: &[Test], passing: &[Test], limits: &Limits) {
        let step = failing.len().div_ceil(FAILING).max(1);
        let mut constants = oracle.constants(self.statement, &self.instances, &self.fixed);
        for test in failing.iter().step_by(step) {
            constants.add(oracle, test);
        }
        let mut added: Vec<usize> = vec![];
        let mut best: Option<Consistency> = None;
        for _ in 0..CONSTANTS {
            if limits.expired().is_some() {
                break;
            }
            let Some(values) = constants.values(oracle) else { break };
            let table: Table = values.into_iter().map(|(point, value)| ((point, vec![]), value)).collect();
            let (clashes, unsure) = self.failures(oracle, &table, failing);
            let (breaks, open) = self.failures(oracle, &table, passing);
            let result =
                Consistency { clashes: clashes.len(), breaks: breaks.len(), open, unsure: unsure > 0, coarse: 0 };
            let total = |c: &Consistency| c.clashes + c.breaks;
            if best.as_ref().is_none_or(|b| total(&result) < total(b)) {
                best = Some(result);
            }
            // Passing tests that are broken are asked for next; those asked for in vain are no news.
            let Some(news) = breaks.iter().copied().find(|n| !added.contains(n)) else { break };
            constants.add(oracle, &passing[news]);
            added.push(news);
        }
        self.result = best.unwrap_or(Consistency {
            clashes: failing.len(),
            unsure: limits.expired().is_some(),
            ..Consistency::default()
        });
    }

    /// Takes the number from each of the other arguments.
    fn try_arguments(&mut self, oracle: &FormulaOracle, failing: &[Test], passing: &[Test]) {
        let count = self.instances.iter().map(|i| i.others.len()).min().unwrap_or(0);
        let mut best = Consistency { clashes: failing.len(), ..Consistency::default() };
        let mut chosen = None;
        for choice in 0..count {
            // As soon as a choice is no better than the best one, its count does not matter.
            let fails = |test: &&Test| self.fails_with_argument(oracle, choice, test);
            let clashes = failing.iter().filter(fails).take(best.clashes.max(1)).count();
            if clashes < best.clashes {
                best = Consistency { clashes, ..Consistency::default() };
                chosen = Some(choice);
            }
            if best.clashes == 0 {
                break;
            }
        }
        if let Some(choice) = chosen {
            best.breaks = passing.iter().filter(|test| self.fails_with_argument(oracle, choice, test)).count();
        }
        self.result = best;
    }

    /// Another text is wrong wherever this one was right.
    fn try_text(&mut self, oracle: &FormulaOracle, passing: &[Test]) {
        let unfolding = oracle.unfolding();
        for (input, _) in passing {
            let mut run = unfolding.evaluation(input);
            let mut written = unfolding.writes_of(self.statement).map(|guard| run.value(&unfolding.terms, guard));
            self.result.breaks += usize::from(written.any(|written| written == Some(1)));
        }
    }

    /// Whether a test fails when the number is taken from another argument.
    fn fails_with_argument(&self, oracle: &FormulaOracle, choice: usize, (input, expected): &Test) -> bool {
        let mut run = Forced::new(oracle, self.statement, &self.fixed, input);
        for instance in &self.instances {
            let value = run.evaluation.value(&oracle.unfolding().terms, instance.others[choice]);
            if let (Some(var), Some(value)) = (instance.free, value) {
                run.evaluation.set(var, value);
            }
        }
        run.passes(oracle, expected) != Some(true)
    }
}

/// A key in which only the order of what is read counts.
fn coarse((point, reads): &Key) -> Key {
    let signed = |value: u128| value as u32 as i32;
    let sign = |value: i64| (value.signum() + 1) as u128;
    let mut pattern = vec![];
    for (n, a) in reads.iter().enumerate() {
        pattern.push(sign(i64::from(signed(*a))));
        pattern.extend(reads[..n].iter().map(|b| sign(i64::from(signed(*a)) - i64::from(signed(*b)))));
    }
    (*point, pattern)
}

/// A run in which a statement takes its values from a table.
struct Forced {
    evaluation: Evaluation,
}

impl Forced {
    fn new(oracle: &FormulaOracle, statement: Statement, fixed: &[Instance], input: &TestInput) -> Forced {
        let unfolding = oracle.unfolding();
        let mut evaluation = match unfolding.terms.node(unfolding.selectors[statement as usize]) {
            Node::Var(var, _) => unfolding.evaluation_without(input, *var),
            _ => unfolding.evaluation(input),
        };
        for choice in fixed.iter().flat_map(|i| &i.choices) {
            evaluation.set(*choice, 0);
        }
        Forced { evaluation }
    }

    /// Gives each execution the table's value, or what it computes; whether the table changed anything.
    fn force(&mut self, oracle: &FormulaOracle, instances: &[Instance], table: &Table, by_order: bool) -> bool {
        let terms = &oracle.unfolding().terms;
        let mut changed = false;
        for instance in instances {
            let Some(var) = instance.free else { continue };
            if self.evaluation.value(terms, instance.guard) != Some(1) {
                continue;
            }
            let computed = self.evaluation.value(terms, instance.computed);
            let mut key = self.key(oracle, instance);
            if by_order {
                // Only truth values have an order's worth of information.
                key = key.filter(|_| computed.is_some_and(|c| c <= 1)).map(|key| coarse(&key));
            }
            let wanted = key.and_then(|key| table.get(&key).copied());
            let wanted = wanted.filter(|value| !by_order || *value <= 1 || computed == Some(0));
            changed |= wanted.is_some() && wanted != computed;
            if let Some(value) = wanted.or(computed) {
                self.evaluation.set(var, value);
            }
        }
        changed
    }

    fn passes(&mut self, oracle: &FormulaOracle, expected: &Expected) -> Option<bool> {
        Some(oracle.unfolding().observe(&mut self.evaluation)?.passes(expected))
    }

    fn key(&mut self, oracle: &FormulaOracle, instance: &Instance) -> Option<Key> {
        let terms = &oracle.unfolding().terms;
        let constant = terms.constant(instance.computed).is_some();
        let reads = if constant { &[][..] } else { &instance.reads };
        let values: Option<Vec<u128>> = reads.iter().map(|r| self.evaluation.value(terms, *r)).collect();
        Some((instance.point, values?))
    }
}

/// Values that repair a test where equal reads give equal values. The conditions inside an expression stay as they are
/// if they can: then the statement's own value says it all. Nothing if no values do; `None` if nobody knows.
fn functional_values(
    oracle: &mut FormulaOracle,
    test: usize,
    statement: Statement,
    instances: &[Instance],
    fixed: &[Instance],
) -> Option<Vec<(Key, u128)>> {
    let mut assumptions = oracle.kept(&[statement]);
    assumptions.extend(fixed.iter().map(|i| oracle.unchanged(i)));
    for (n, a) in instances.iter().enumerate() {
        for b in &instances[..n] {
            if a.point == b.point && a.reads.len() == b.reads.len() {
                assumptions.push(oracle.same_if_same_reads(a, b));
            }
        }
    }
    let inner = |i: &&Instance| i.slot == Some(wherefore_program::Slot::Condition);
    let outer = instances.iter().any(|i| !inner(&i));
    let common = assumptions.len();
    if outer {
        let unchanged: Vec<TermId> = instances.iter().filter(inner).map(|i| oracle.unchanged(i)).collect();
        assumptions.extend(unchanged);
    }
    let mut answer = oracle.ask(test, &assumptions);
    if answer == Answer::Unsat && outer {
        assumptions.truncate(common);
        answer = oracle.ask(test, &assumptions);
    }
    match answer {
        Answer::Sat => {}
        Answer::Unsat => return Some(vec![]),
        Answer::Unknown(_) => return None,
    }
    let terms = &oracle.unfolding().terms;
    let constant: Vec<bool> = instances.iter().map(|i| terms.constant(i.computed).is_some()).collect();
    let roots: Vec<TermId> =
        instances.iter().flat_map(|i| [i.guard, i.seen].into_iter().chain(i.reads.iter().copied())).collect();
    let mut values = oracle.model(test, &roots).into_iter();
    let mut entries = vec![];
    for (instance, constant) in instances.iter().zip(constant) {
        let guard = values.next().flatten();
        let seen = values.next().flatten();
        let reads: Option<Vec<u128>> = (0..instance.reads.len()).map(|_| values.next().flatten()).collect();
        if guard == Some(1)
            && instance.free.is_some()
            && let (Some(seen), Some(reads)) = (seen, reads)
        {
            entries.push(((instance.point, if constant { vec![] } else { reads }), seen));
        }
    }
    Some(entries)
}
