//! All failing tests of a program: each on its own, side by side, and then together.

use crate::agreement::{Agreement, Seen};
use crate::consistency::{Consistency, FAILING, consistency};
use crate::corrections::{corrections, unified};
use crate::enumeration::Enumeration;
use crate::formula::FormulaOracle;
use crate::limits::Limits;
use crate::oracle::{Set, Statement};
use crate::product::product;
use crate::rank::{Coverage, Ranked, rank};
use std::convert::Infallible;
use wherefore_formula::TermId;
use wherefore_parallel::{parallel, try_parallel};
use wherefore_solver::{Backend, Circuit};
use wherefore_unfold::{Expected, TERM_BYTES, TestInput, Unfolding};

/// Passing tests that take part in judging a statement as a function of what it reads, where there is time for it.
pub const JUDGING: usize = 250;

/// How many of so many passing tests take part where at most so many are to.
pub fn judging(passing: usize, most: usize) -> usize {
    passing.div_ceil(passing.div_ceil(most.max(1)).max(1))
}

/// The formula, and how to work with it.
pub struct Together {
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

/// How much larger a circuit becomes by what is learned about it.
const LEARNED: u64 = 3;

impl Together {
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

    /// About what the circuit of a test takes.
    fn circuit_bytes(&self) -> u64 {
        let Some(first) = self.tests.first() else { return 0 };
        let mut unfolding = self.unfolding.clone();
        let test = unfolding.test(&first.0, &first.1);
        let roots: Vec<TermId> = unfolding.hard.iter().chain(&test.reads).chain([&test.passes]).copied().collect();
        Circuit::default().bytes(&unfolding.terms, &roots)
    }

    /// Whether there is room for the circuit of a test, and for what is learned about it.
    pub fn fits(&self) -> bool {
        self.limits.budget.room_left().is_none_or(|left| self.circuit_bytes().saturating_mul(LEARNED) < left)
    }

    /// How many oracles there may be at a time: each has a formula of its own.
    fn workers(&self) -> usize {
        let bytes = self.unfolding.terms.len() as u64 * TERM_BYTES + LEARNED * self.circuit_bytes();
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

    /// The tests that count for all together: what an undefined run does is an accident, and counts only where there is
    /// nothing better.
    fn judged(per_test: &[PerTest]) -> (Vec<usize>, Vec<Enumeration>) {
        let with = |agreement: Agreement| (0..per_test.len()).filter(move |n| per_test[*n].agreement == agreement);
        let mut judged: Vec<usize> = with(Agreement::Same).collect();
        if judged.is_empty() {
            judged = with(Agreement::Undefined).collect();
        }
        let known = judged.iter().map(|n| per_test[*n].found.clone()).collect();
        (judged, known)
    }

    /// The smallest sets that repair all failing tests at once.
    pub fn unified(&self, per_test: &[PerTest]) -> Enumeration {
        let (judged, known) = Together::judged(per_test);
        if judged.is_empty() {
            Enumeration::default()
        } else {
            unified(&mut self.oracle(), &judged, &known, &self.limits)
        }
    }

    /// All unions of a diagnosis of each failing test.
    pub fn product(&self, per_test: &[PerTest]) -> Enumeration {
        let (judged, known) = Together::judged(per_test);
        if judged.is_empty() {
            return Enumeration::default();
        }
        let sets: Vec<Vec<Set>> = known.iter().map(|e| e.sets.clone()).collect();
        let mut all = product(&sets, &self.limits);
        if let Some(reason) = known.iter().find_map(|e| e.incomplete.clone()) {
            all.incomplete.get_or_insert(reason);
        }
        all
    }

    /// The complete diagnoses, and single statements that repair at least half of the failing tests, in the order in
    /// which to look at them: a test that cannot be repaired at the place of the fault (its expected output may be an
    /// accident) must not hide that place. Single
    /// statements are held against `most` passing tests at most, which takes longest.
    pub fn ranked(
        &self,
        per_test: &[PerTest],
        complete: &Enumeration,
        passing: &[(TestInput, Expected)],
        coverage: &Coverage,
        most: usize,
    ) -> Vec<Ranked> {
        let tests = per_test.iter().filter(|t| t.agreement.is_some()).count();
        let mut sets: Vec<(Set, usize)> =
            complete.sets.iter().map(|set| (set.clone(), self.fixes(per_test, set, true))).collect();
        for statement in 0..self.unfolding.selectors.len() as u32 {
            let set = vec![statement];
            let fixes = self.fixes(per_test, &set, false);
            if 2 * fixes >= tests && fixes < tests && !complete.sets.contains(&set) {
                sets.push((set, fixes));
            }
        }
        let singles: Vec<Statement> = sets.iter().filter(|s| s.0.len() == 1).map(|s| s.0[0]).collect();
        let judged = self.consistencies(passing, &singles, most);
        rank(sets, coverage, judging(passing.len(), most), |set| match set[..] {
            [one] => singles.iter().position(|s| *s == one).map(|n| judged[n]),
            _ => None,
        })
    }

    /// How single statements do as functions of what they read.
    fn consistencies(
        &self,
        passing: &[(TestInput, Expected)],
        statements: &[Statement],
        judging: usize,
    ) -> Vec<Consistency> {
        let workers = self.workers();
        // Every failing test has a circuit of its own there; passing ones are only evaluated.
        let circuits = (self.tests.len().min(FAILING) * workers) as u64;
        let needed = (LEARNED * self.circuit_bytes()).saturating_mul(circuits);
        if self.limits.budget.room_left().is_some_and(|left| needed > left) {
            return vec![Consistency { unsure: true, ..Consistency::default() }; statements.len()];
        }
        let passing: Vec<(TestInput, Expected)> = spread(passing, judging).cloned().collect();
        let failing: Vec<(TestInput, Expected)> = spread(&self.tests, judging).cloned().collect();
        let share = statements.len().div_ceil(workers).max(1);
        let shares: Vec<&[Statement]> = statements.chunks(share).collect();
        let judged = parallel(&shares, shares.len(), |_, share| {
            consistency(&mut self.oracle(), share, &failing, &passing, &self.limits)
        });
        judged.into_iter().flatten().collect()
    }

    /// How many failing tests a set repairs. A complete one repairs all that are not undefined.
    fn fixes(&self, per_test: &[PerTest], set: &Set, complete: bool) -> usize {
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
