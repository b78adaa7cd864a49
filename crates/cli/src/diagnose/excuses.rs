//! What the program does to memory in tests that pass, though C does not allow it: edits are not held against that.

use super::tested::Tested;
use super::verdict::{Misdeed, misdeed, misdeeds};
use crate::stop_in;
use anyhow::Context;
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::time::Duration;
use wherefore_budget::Budget;
use wherefore_case::Case;
use wherefore_program::Program;
use wherefore_record::{Ending, Recorder, Task};
use wherefore_session::{NAME, Session};
use wherefore_trace::Analysis;

/// Passing tests that are followed to see whether a failing one is excused, at most.
const FOLLOWED: usize = 200;

/// Passing tests that are followed anyway.
const LOOKED_AT: usize = 16;

/// The program as it is, whose tests are followed when somebody asks.
pub struct Excuses<'a> {
    program: &'a Program,
    analysis: Analysis,
    cases: Vec<Case>,
    tested: &'a Tested,
    seen: Mutex<Seen>,
}

/// What is known so far.
struct Seen {
    recorder: Recorder,
    followed: HashSet<usize>,
    /// Each with the number of a test.
    misdeeds: HashMap<Misdeed, usize>,
    /// What tests do that crash, where that is known.
    crashes: HashMap<usize, Option<Misdeed>>,
}

impl<'a> Excuses<'a> {
    /// Nothing is known yet.
    ///
    /// # Errors
    /// When the program cannot be run.
    pub fn new(
        session: &'a Session,
        cases: &[Case],
        tested: &'a Tested,
        time: Duration,
        room: u64,
    ) -> anyhow::Result<Excuses<'a>> {
        let recorder = Recorder::start(&session.recorded()?.path, &session.limits(time, room))?;
        Ok(Excuses {
            program: session.program(),
            analysis: Analysis::new(session.program()),
            cases: cases.to_vec(),
            tested,
            seen: Mutex::new(Seen {
                recorder,
                followed: HashSet::new(),
                misdeeds: HashMap::new(),
                crashes: HashMap::new(),
            }),
        })
    }

    /// Whether the program does this anyway: in the same test, if that passes, or in another one that does. Where it is why
    /// the test crashes, it is what has to be repaired.
    ///
    /// # Errors
    /// When the program cannot be run.
    pub fn excuse(&self, deed: &Misdeed, test: usize, budget: &Budget) -> anyhow::Result<bool> {
        let mut seen = self.seen.lock().map_err(|_| anyhow::anyhow!("a run was given up"))?;
        if matches!(self.tested.observed[test].ending, Ending::Signal(_))
            && self.crash(&mut seen, test, budget)?.as_ref() == Some(deed)
        {
            return Ok(false);
        }
        if !seen.misdeeds.contains_key(deed) {
            let others = self.passing_through(deed.function());
            let others = others.iter().copied().step_by(others.len().div_ceil(FOLLOWED).max(1));
            for test in Some(test).filter(|test| !self.tested.fails[*test]).into_iter().chain(others) {
                self.follow(&mut seen, test, budget)?;
                if seen.misdeeds.contains_key(deed) {
                    break;
                }
            }
        }
        Ok(seen.misdeeds.contains_key(deed))
    }

    /// Follows the first passing tests: what they do has to be told also where no edit needs it as an excuse.
    ///
    /// # Errors
    /// When the program cannot be run.
    pub fn look(&self, budget: &Budget) -> anyhow::Result<()> {
        let mut seen = self.seen.lock().map_err(|_| anyhow::anyhow!("a run was given up"))?;
        let passing = (0..self.cases.len()).filter(|n| !self.tested.fails[*n]).take(LOOKED_AT);
        for test in passing.take_while(|_| budget.stopped().is_none()) {
            match self.follow(&mut seen, test, budget) {
                // The edits that were found are worth more.
                Err(error) if stop_in(&error).is_some() => break,
                followed => followed?,
            }
        }
        Ok(())
    }

    /// The passing tests that execute a function.
    fn passing_through(&self, function: &str) -> Vec<usize> {
        let Some(id) = self.program.function(function) else { return vec![] };
        let block = self.program.functions[id.index()].first_block as usize;
        let executes = |n: &usize| self.tested.observed[*n].counts.get(block).is_some_and(|count| *count > 0);
        (0..self.cases.len()).filter(|n| !self.tested.fails[*n]).filter(executes).collect()
    }

    /// One of those that were found, with the test that comes first.
    pub fn first(&self) -> Option<(Misdeed, usize)> {
        let seen = self.seen.lock().ok()?;
        seen.misdeeds.iter().min_by_key(|(_, test)| **test).map(|(deed, test)| (deed.clone(), *test))
    }

    /// What a test that crashes does to memory first.
    fn crash(&self, seen: &mut Seen, test: usize, budget: &Budget) -> anyhow::Result<Option<Misdeed>> {
        if let Some(known) = seen.crashes.get(&test) {
            return Ok(known.clone());
        }
        let given = &self.cases[test].given;
        let outcome = seen.recorder.run(&Task { argv0: Some(NAME.as_ref()), ..Task::from(given) });
        let outcome = outcome.context("a test that crashes")?;
        let deed = misdeed(self.program, &self.analysis, &outcome, budget)?;
        seen.crashes.insert(test, deed.clone());
        Ok(deed)
    }

    fn follow(&self, seen: &mut Seen, test: usize, budget: &Budget) -> anyhow::Result<()> {
        if !seen.followed.insert(test) {
            return Ok(());
        }
        let case = &self.cases[test];
        let task = Task { argv0: Some(NAME.as_ref()), ..Task::from(&case.given) };
        let outcome = seen.recorder.run(&task).context("a test that passes")?;
        // What comes to light only when the first is repaired is excused as well.
        for deed in misdeeds(self.program, &self.analysis, &outcome, case, budget)? {
            seen.misdeeds.entry(deed).or_insert(test);
        }
        Ok(())
    }
}
