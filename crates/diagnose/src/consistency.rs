//! Whether a statement can be repaired as a function of what it reads.
//!
//! To set a statement free says that other values would repair each test, whatever the statement sees. A real change of
//! the statement computes from the same variables: seeing the same values it gives the same value, in failing and in
//! passing tests alike. So the values that repair the failing tests are entered into one table, and the passing tests
//! are run with that table. A statement for which no entry clashes is a better suspect than one that only hands on what
//! others got wrong.

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
}

/// What a point saw, and what it gave.
type Table = FxHashMap<(Option<u32>, Vec<u128>), u128>;

/// Failing tests that are looked at.
const FAILING: usize = 60;

/// Looks, for each statement on its own, for a table of values that makes it right in all tests.
pub fn consistency(
    oracle: &mut FormulaOracle,
    statements: &[Statement],
    failing: &[(TestInput, Expected)],
    passing: &[(TestInput, Expected)],
    limits: &Limits,
) -> Vec<Consistency> {
    let mut suspects: Vec<Suspect> = statements.iter().map(|s| Suspect::new(oracle, *s)).collect();
    let step = failing.len().div_ceil(FAILING).max(1);
    // Test by test, so that its solver serves all statements.
    for (test, (input, expected)) in failing.iter().enumerate().step_by(step) {
        if limits.expired().is_some() {
            break;
        }
        for suspect in &mut suspects {
            suspect.learn(oracle, test, input, expected);
        }
    }
    for (input, expected) in passing {
        if limits.expired().is_some() {
            break;
        }
        for suspect in &mut suspects {
            suspect.judge(oracle, input, expected);
        }
    }
    suspects.into_iter().map(|s| s.result).collect()
}

/// A statement and the table that would make it right.
struct Suspect {
    statement: Statement,
    instances: Vec<Instance>,
    table: Table,
    result: Consistency,
}

impl Suspect {
    fn new(oracle: &FormulaOracle, statement: Statement) -> Suspect {
        let instances = oracle.unfolding().instances.iter().filter(|i| i.statement == statement).cloned().collect();
        Suspect { statement, instances, table: Table::default(), result: Consistency::default() }
    }

    /// Enters what a failing test needs.
    fn learn(&mut self, oracle: &mut FormulaOracle, test: usize, input: &TestInput, expected: &Expected) {
        let mut run = Forced::new(oracle, self.statement, input);
        if run.force(oracle, &self.instances, &self.table) && run.passes(oracle, expected) == Some(true) {
            return;
        }
        let entries = functional_values(oracle, test, self.statement, &self.instances);
        let Some(entries) = entries.filter(|entries| !entries.is_empty()) else {
            self.result.clashes += 1;
            return;
        };
        if entries.iter().any(|(key, value)| self.table.get(key).is_some_and(|known| known != value)) {
            self.result.clashes += 1;
        }
        for (key, value) in entries {
            self.table.entry(key).or_insert(value);
        }
    }

    /// Tries the table on a passing test.
    fn judge(&mut self, oracle: &FormulaOracle, input: &TestInput, expected: &Expected) {
        let mut run = Forced::new(oracle, self.statement, input);
        if run.force(oracle, &self.instances, &self.table) && run.passes(oracle, expected) == Some(false) {
            self.result.breaks += 1;
        }
    }
}

/// A run in which a statement takes its values from a table.
struct Forced {
    evaluation: Evaluation,
}

impl Forced {
    fn new(oracle: &FormulaOracle, statement: Statement, input: &TestInput) -> Forced {
        let unfolding = oracle.unfolding();
        let evaluation = match unfolding.terms.node(unfolding.selectors[statement as usize]) {
            Node::Var(var, _) => unfolding.evaluation_without(input, *var),
            _ => unfolding.evaluation(input),
        };
        Forced { evaluation }
    }

    /// Gives each execution the table's value, or what it computes; whether the table changed anything.
    fn force(&mut self, oracle: &FormulaOracle, instances: &[Instance], table: &Table) -> bool {
        let terms = &oracle.unfolding().terms;
        let mut changed = false;
        for instance in instances {
            let Some(var) = instance.free else { continue };
            if self.evaluation.value(terms, instance.guard) != Some(1) {
                continue;
            }
            let computed = self.evaluation.value(terms, instance.computed);
            let key = self.key(oracle, instance);
            let wanted = key.and_then(|key| table.get(&key).copied());
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

    fn key(&mut self, oracle: &FormulaOracle, instance: &Instance) -> Option<(Option<u32>, Vec<u128>)> {
        let terms = &oracle.unfolding().terms;
        let values: Option<Vec<u128>> = instance.reads.iter().map(|r| self.evaluation.value(terms, *r)).collect();
        Some((instance.point, values?))
    }
}

/// Values that repair a test where equal reads give equal values.
#[allow(clippy::type_complexity)]
fn functional_values(
    oracle: &mut FormulaOracle,
    test: usize,
    statement: Statement,
    instances: &[Instance],
) -> Option<Vec<((Option<u32>, Vec<u128>), u128)>> {
    let mut assumptions = oracle.kept(&[statement]);
    for (n, a) in instances.iter().enumerate() {
        for b in &instances[..n] {
            if a.point == b.point && a.reads.len() == b.reads.len() {
                assumptions.push(oracle.same_if_same_reads(a, b));
            }
        }
    }
    if oracle.ask(test, &assumptions) != Answer::Sat {
        return None;
    }
    let roots: Vec<TermId> =
        instances.iter().flat_map(|i| [i.guard, i.seen].into_iter().chain(i.reads.iter().copied())).collect();
    let values = oracle.model(test, &roots);
    let mut values = values.into_iter();
    let mut entries = vec![];
    for instance in instances {
        let guard = values.next().flatten();
        let seen = values.next().flatten();
        let reads: Option<Vec<u128>> = (0..instance.reads.len()).map(|_| values.next().flatten()).collect();
        if guard == Some(1)
            && instance.free.is_some()
            && let (Some(seen), Some(reads)) = (seen, reads)
        {
            entries.push(((instance.point, reads), seen));
        }
    }
    Some(entries)
}
