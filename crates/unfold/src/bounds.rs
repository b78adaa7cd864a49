//! How far loops and recursions are followed: what the tests need, seen by evaluating the formula as it grows.

use crate::TestInput;
use crate::scan::Read;
use crate::state::{Coming, State, Unfolder};
use rustc_hash::FxHashMap;
use wherefore_formula::{Evaluation, TermId, Terms};
use wherefore_program::{BlockId, FunctionId};

/// Rounds that a loop is given because another one has them.
const LIKELY: u32 = 6;

/// Rounds of a loop that are followed because a test would go there if it came to the loop.
const SUPPOSED: u32 = 20;
/// Such rounds of all loops together.
const ALL_SUPPOSED: u32 = 64;

/// The tests that decide, run along with the unfolding.
#[derive(Default)]
pub(crate) struct Bounds {
    runs: Vec<TestRun>,
    rounds: FxHashMap<(FunctionId, BlockId), u32>,
    /// The most rounds of any loop.
    longest: u32,
    /// Rounds that no test makes.
    supposed: u32,
    depths: FxHashMap<FunctionId, u32>,
}

/// One test on its way through the formula.
#[derive(Clone)]
pub(crate) struct TestRun {
    pub input: TestInput,
    pub evaluation: Evaluation,
    stdin: usize,
    nondet: usize,
}

impl TestRun {
    pub fn new(input: TestInput) -> TestRun {
        TestRun { input, evaluation: Evaluation::new(), stdin: 0, nondet: 0 }
    }

    /// Whether the test gets here.
    pub fn reaches(&mut self, terms: &Terms, guard: TermId) -> bool {
        self.evaluation.value(terms, guard) == Some(1)
    }

    /// Takes what is read here from the test's input.
    pub fn read(&mut self, terms: &Terms, guard: TermId, read: &Read) {
        if self.reaches(terms, guard) {
            let position = if read.is_nondet() { &mut self.nondet } else { &mut self.stdin };
            let (values, after) = read.outcome(&self.input, *position);
            *position = after;
            for ((var, _), value) in read.results.iter().zip(values) {
                self.evaluation.set(*var, value);
            }
        }
    }
}

impl Bounds {
    /// These tests run along from now on.
    pub fn start(&mut self, runs: Vec<TestRun>) {
        self.runs = runs;
    }

    pub fn runs(&mut self) -> impl Iterator<Item = &mut TestRun> {
        self.runs.iter_mut()
    }

    pub fn reached(&mut self, terms: &Terms, guard: TermId) -> bool {
        self.runs.iter_mut().any(|run| run.reaches(terms, guard))
    }

    /// Whether a test enters a loop here.
    pub fn enters(&mut self, terms: &Terms, which: (FunctionId, BlockId), guard: TermId) -> bool {
        let enters = self.reached(terms, guard);
        if enters {
            self.rounds.entry(which).or_insert(0);
        }
        enters
    }

    /// Whether a test has entered a loop somewhere.
    pub fn is_entered(&self, which: (FunctionId, BlockId)) -> bool {
        self.rounds.contains_key(&which)
    }

    /// Which way the first test goes at a branch to which it comes, or would: whatever led there, the values that decide
    /// are those it would have.
    pub fn first_way(&mut self, terms: &Terms, coming: Coming, condition: TermId) -> Option<bool> {
        let run = self.runs.first_mut().filter(|_| coming != Coming::No)?;
        run.evaluation.value(terms, condition).map(|value| value == 1)
    }

    /// Whether some test may get here; so it may where there are none.
    pub fn may_reach(&mut self, terms: &Terms, guard: TermId) -> bool {
        self.runs.is_empty() || self.runs.iter_mut().any(|run| run.evaluation.value(terms, guard) != Some(0))
    }
}

impl Unfolder<'_> {
    /// Whether to follow a loop into a round, and whether a test goes there or would. `own` is how many rounds tests made
    /// so far in the same loop in the same rounds of those around it, if they entered it.
    pub fn allow_round(
        &mut self,
        which: (FunctionId, BlockId),
        round: u32,
        own: Option<u32>,
        state: &State,
    ) -> (bool, bool) {
        let needed = self.bounds.reached(&self.terms, state.guard);
        if let Some(limit) = self.options.unwind {
            return (round < limit, needed);
        }
        if needed {
            let seen = self.bounds.rounds.entry(which).or_insert(0);
            *seen = (*seen).max(round);
            self.bounds.longest = self.bounds.longest.max(round);
            return (true, true);
        }
        let supposed = matches!(state.coming, Coming::Supposed(..));
        if supposed && round <= SUPPOSED && self.bounds.supposed < ALL_SUPPOSED {
            // `for (i = 0; i < 5; i++)` in a branch that no test takes has five rounds all the same.
            self.bounds.supposed += 1;
            return (true, true);
        }
        // A run that fails inside a loop does not show how often a right one goes round: as often as in other loops.
        let likely = self.bounds.longest.min(LIKELY);
        let seen = self.bounds.rounds.get(&which).copied().unwrap_or(0);
        (round <= own.unwrap_or(seen).max(likely) + self.options.margin, false)
    }

    /// Whether to follow a call of a function that is being executed already.
    pub fn allow_depth(&mut self, function: FunctionId, guard: TermId) -> bool {
        let depth = self.stack.depth(function);
        if depth == 0 {
            return true;
        }
        if let Some(limit) = self.options.unwind {
            return depth < limit;
        }
        let needed = self.bounds.reached(&self.terms, guard);
        let seen = self.bounds.depths.entry(function).or_insert(0);
        if needed {
            *seen = (*seen).max(depth);
            return true;
        }
        depth <= *seen + self.options.margin
    }
}

#[cfg(test)]
mod tests;
