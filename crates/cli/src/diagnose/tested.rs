//! What the tests do, which of them fail, and where the story of a failure goes.

use super::{jobs, test_time};
use crate::options::Diagnose as Options;
use std::collections::HashSet;
use std::time::{Duration, Instant};
use wherefore_budget::Budget;
use wherefore_case::Case;
use wherefore_localize as localize;
use wherefore_program::FileId;
use wherefore_record::{Ending, Input, RunLimits};
use wherefore_search::recorded;
use wherefore_session::{NAME, Native, Observed, Session};
use wherefore_solver::Backend;
use wherefore_trace::{Stopped, Trace, WalkError, walk, walk_watching_memory};

/// More tests than this are not followed to see whether they use memory as C allows: the first ones tell.
const FOLLOWED: usize = 32;

/// The share of the time that the story of a failure may take.
const OF_THE_STORY: f64 = 0.1;

/// What the tests did.
pub struct Tested {
    /// Each natively.
    pub observed: Vec<Observed>,
    /// Whether each fails.
    pub fails: Vec<bool>,
    /// Whether no test fails natively, but some do what C does not allow.
    pub careful: bool,
    /// What a test took, on the average.
    pub took: Duration,
}

impl Tested {
    /// Runs the tests.
    ///
    /// # Errors
    /// When one cannot be run.
    pub fn new(options: &Options, session: &Session, cases: &[Case], budget: &Budget) -> anyhow::Result<Tested> {
        let native = Native::new(session, test_time(options))?;
        let began = Instant::now();
        let observed = native.run_all(cases, jobs(options.jobs))?;
        let ended = observed.iter().filter(|seen| seen.has_ended()).count();
        // Tests that hang say nothing about how long a run takes.
        let took = if ended == observed.len() { began.elapsed() / ended.max(1) as u32 } else { Duration::ZERO };
        let mut fails: Vec<bool> =
            cases.iter().zip(&observed).map(|(case, seen)| !seen.passes(&case.expected)).collect();
        let mut careful = false;
        if !fails.contains(&true) {
            for (case, fails) in cases.iter().zip(&mut fails).take(FOLLOWED) {
                *fails = trace(session, case, true, budget)?.failure.is_some();
                careful |= *fails;
            }
        }
        Ok(Tested { observed, fails, careful, took })
    }

    /// Lines that the story of the first failing test tells; none where it does not end or cannot be told.
    pub fn story(&self, session: &Session, cases: &[Case], budget: &Budget) -> HashSet<(FileId, u32)> {
        let budget = &budget.share(OF_THE_STORY);
        let Some(first) = (0..cases.len()).find(|n| self.fails[*n] && self.observed[*n].has_ended()) else {
            return HashSet::new();
        };
        let Ok(mut trace) = trace(session, &cases[first], true, budget) else { return HashSet::new() };
        let settings = localize::Options {
            encoding: localize::Encoding::FlowSensitive,
            addresses: true,
            backend: Backend::Cadical,
            budget: budget.clone(),
        };
        let Some(told) = localize::explain(session.program(), &mut trace, &settings) else { return HashSet::new() };
        let places =
            told.steps.iter().flat_map(|step| step.at.into_iter().chain(step.because.iter().filter_map(|b| b.1)));
        places.map(|at| (at.file, at.line)).collect()
    }
}

/// The trace of a test; `watching`: what C does not allow is a failure.
///
/// # Errors
/// When it cannot be run or followed.
pub fn trace(session: &Session, case: &Case, watching: bool, budget: &Budget) -> anyhow::Result<Trace> {
    let stdin = session.directory().join("stdin");
    std::fs::write(&stdin, case.given.stdin.as_deref().unwrap_or_default())?;
    let mut run = session.run()?;
    run.limits.time = RunLimits::default().time;
    run.argv0 = Some(NAME.into());
    run.give(&case.given);
    run.stdin = Some(stdin);
    let outcome = wherefore_record::run(&run, session.directory())?;
    let Some(recording) = outcome.recording else { anyhow::bail!("the program did not start") };
    let stopped = match outcome.ending {
        Ending::Exited(status) => Stopped::Exit(status),
        Ending::Signal(signal) => Stopped::Signal(signal),
        _ => Stopped::Limit,
    };
    let given = case.given.inputs.iter().filter_map(|input| match input {
        Input::Global { id, .. } => Some(*id),
        Input::Argument { .. } => None,
    });
    let mut recorded = recorded(&recording, &given.collect::<Vec<u32>>());
    if outcome.stdout.complete() && case.expected.stdout.is_some() {
        recorded.stdout = Some(&outcome.stdout.kept);
    }
    let walk: fn(&_, &_, _, &_, &_) -> Result<Trace, WalkError> = if watching { walk_watching_memory } else { walk };
    Ok(walk(session.program(), &recorded, stopped, &case.expected, budget)?)
}
