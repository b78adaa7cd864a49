//! The work on all tests, side by side.

use super::problem::{Problem, TERM_BYTES};
use std::convert::Infallible;
use wherefore_diagnose::{
    Agreement, Consistency, Enumeration, FormulaOracle, Limits, Seen, Set, Statement, consistency, corrections,
};
use wherefore_parallel::{parallel, try_parallel};
use wherefore_solver::Backend;
use wherefore_unfold::{Expected, TestInput, Unfolding};

/// Tests that take part in judging a statement as a function of what it reads.
const JUDGING: usize = 250;

/// How many of the passing tests take part in it.
pub fn judging(passing: usize) -> usize {
    passing.div_ceil(passing.div_ceil(JUDGING).max(1))
}

/// The formula, and how to work with it.
pub struct Search {
    /// The formula of the program.
    pub unfolding: Unfolding,
    /// Failing tests.
    pub tests: Vec<(TestInput, Expected)>,
    /// What each of them was seen to do.
    pub seen: Vec<Seen>,
    /// Which solver.
    pub backend: Backend,
    /// Threads.
    pub jobs: usize,
    /// When to stop.
    pub limits: Limits,
}

/// What was found about one failing test.
#[derive(Clone, Debug)]
pub struct PerTest {
    /// Whether the formula does what the test was seen to do.
    pub agreement: Agreement,
    /// Its diagnoses.
    pub found: Enumeration,
}

impl Search {
    /// An oracle of one's own.
    pub fn oracle(&self) -> FormulaOracle {
        let mut oracle = FormulaOracle::new(self.unfolding.clone(), self.backend, &self.tests);
        oracle.set_limits(&self.limits);
        // What nothing determines has the values of the runs, whoever asks.
        if !self.unfolding.unknowns.is_empty() {
            for (test, (input, _)) in self.tests.iter().enumerate() {
                oracle.agree(test, input, &self.seen[test]);
            }
        }
        oracle
    }

    /// How many oracles there may be at a time: each has a formula of its own.
    fn workers(&self) -> usize {
        let bytes = self.unfolding.terms.len() as u64 * TERM_BYTES;
        let most = self.limits.budget.room_left().map_or(u64::MAX, |left| left / bytes.max(1));
        self.jobs.min(usize::try_from(most).unwrap_or(usize::MAX)).max(1)
    }

    /// The diagnoses of every failing test on its own. `step` is told of each.
    pub fn per_test(&self, step: &(dyn Fn() + Sync)) -> Vec<PerTest> {
        let diagnosed = |oracle: &mut FormulaOracle, test: usize, (input, _): &(TestInput, Expected)| {
            let agreement = oracle.agree(test, input, &self.seen[test]);
            let found = match agreement.is_some() {
                true => corrections(oracle, test, &self.limits),
                false => Enumeration::default(),
            };
            step();
            Ok::<_, Infallible>(PerTest { agreement, found })
        };
        let Ok(all) = try_parallel(&self.tests, self.workers(), || Ok(self.oracle()), diagnosed);
        all
    }

    /// How single statements do as functions of what they read.
    pub fn consistencies(&self, problem: &Problem, statements: &[Statement]) -> Vec<Consistency> {
        let passing: Vec<(TestInput, Expected)> =
            spread(&problem.passing, JUDGING).map(|(_, input, expected)| (input.clone(), expected.clone())).collect();
        let share = statements.len().div_ceil(self.workers()).max(1);
        let shares: Vec<&[Statement]> = statements.chunks(share).collect();
        let judged = parallel(&shares, shares.len(), |_, share| {
            consistency(&mut self.oracle(), share, &self.tests, &passing, &self.limits)
        });
        judged.into_iter().flatten().collect()
    }

    /// How many failing tests a set repairs. A complete one repairs all that are not undefined.
    pub fn fixes(&self, per_test: &[PerTest], set: &Set, complete: bool) -> usize {
        let covers = |found: &Enumeration| found.sets.iter().any(|own| own.iter().all(|s| set.contains(s)));
        let repaired = |test: &&PerTest| match test.agreement {
            Agreement::Same => complete || covers(&test.found),
            Agreement::Undefined => covers(&test.found),
            Agreement::Different | Agreement::Undecided(_) => false,
        };
        per_test.iter().filter(repaired).count()
    }
}

/// At most so many items, evenly from all.
fn spread<T>(items: &[T], most: usize) -> impl Iterator<Item = &T> {
    let step = items.len().div_ceil(most.max(1)).max(1);
    items.iter().step_by(step)
}
