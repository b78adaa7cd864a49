//! What the program does to memory in tests that pass, though C does not allow it: edits are not held against that.

use super::verdict::{Conduct, Misdeed, conduct};
use anyhow::Context;
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::time::Duration;
use wherefore_budget::Budget;
use wherefore_case::Case;
use wherefore_program::Program;
use wherefore_record::{Recorder, Task};
use wherefore_session::{NAME, Session};
use wherefore_trace::Analysis;

/// Passing tests that are followed to see whether a failing one is excused, at most: the first ones tell.
const FOLLOWED: usize = 32;

/// The program as it is, whose tests are followed when somebody asks.
pub struct Excuses<'a> {
    program: &'a Program,
    analysis: Analysis,
    cases: Vec<Case>,
    passing: Vec<usize>,
    seen: Mutex<Seen>,
}

/// What is known so far.
struct Seen {
    recorder: Recorder,
    followed: HashSet<usize>,
    /// Each with the number of a test.
    misdeeds: HashMap<Misdeed, usize>,
}

impl<'a> Excuses<'a> {
    /// Nothing is known yet.
    ///
    /// # Errors
    /// When the program cannot be run.
    pub fn new(
        session: &'a Session,
        cases: &[Case],
        fails: &[bool],
        time: Duration,
        room: u64,
    ) -> anyhow::Result<Excuses<'a>> {
        let recorder = Recorder::start(&session.recorded()?.path, &session.limits(time, room))?;
        Ok(Excuses {
            program: session.program(),
            analysis: Analysis::new(session.program()),
            cases: cases.to_vec(),
            passing: (0..cases.len()).filter(|n| !fails[*n]).collect(),
            seen: Mutex::new(Seen { recorder, followed: HashSet::new(), misdeeds: HashMap::new() }),
        })
    }

    /// Whether the program does this anyway: in the same test, if that passes, or in another one that does.
    ///
    /// # Errors
    /// When the program cannot be run.
    pub fn excuse(&self, deed: &Misdeed, test: usize, budget: &Budget) -> anyhow::Result<bool> {
        let mut seen = self.seen.lock().map_err(|_| anyhow::anyhow!("a run was given up"))?;
        if !seen.misdeeds.contains_key(deed) {
            let same = self.passing.binary_search(&test).is_ok();
            let others = self.passing.iter().take(if same { 0 } else { FOLLOWED }).copied();
            for test in others.chain(same.then_some(test)) {
                self.follow(&mut seen, test, budget)?;
            }
        }
        Ok(seen.misdeeds.contains_key(deed))
    }

    /// One of those that were found, with the test that comes first.
    pub fn first(&self) -> Option<(Misdeed, usize)> {
        let seen = self.seen.lock().ok()?;
        seen.misdeeds.iter().min_by_key(|(_, test)| **test).map(|(deed, test)| (deed.clone(), *test))
    }

    fn follow(&self, seen: &mut Seen, test: usize, budget: &Budget) -> anyhow::Result<()> {
        if !seen.followed.insert(test) {
            return Ok(());
        }
        let case = &self.cases[test];
        let task = Task { argv0: Some(NAME.as_ref()), ..Task::from(&case.given) };
        let outcome = seen.recorder.run(&task).context("a test that passes")?;
        // What cannot be followed excuses nothing.
        if let Conduct::Misused(deed) = conduct(self.program, &self.analysis, &outcome, case, budget)? {
            seen.misdeeds.entry(deed).or_insert(test);
        }
        Ok(())
    }
}
