//! No tests are given: failing inputs are searched for, and diagnosed together.

use crate::options::Diagnose as Options;
use crate::{Status, search};
use wherefore_budget::Budget;
use wherefore_case::{Case, Expected};
use wherefore_search::{By, Limits};
use wherefore_session::Session;

/// Failing inputs after which it is enough: more of them say little more.
const ENOUGH: usize = 12;
/// Runs of a search that finds something.
const FEW_RUNS: usize = 190;
/// Runs of one that has found nothing by then.
const RUNS: usize = 5_000;

/// What a search found.
pub struct Searched {
    /// Tests: those that fail and those that pass, one for each path.
    pub cases: Vec<Case>,
    /// What kept the search from being complete.
    pub notes: Vec<String>,
    /// What it means if none of them fails.
    pub passing: Status,
}

/// Searches for failing inputs.
pub fn search(options: &Options, session: &Session, budget: &Budget) -> anyhow::Result<Searched> {
    let limits = |runs: usize| Limits {
        runs: Some(runs),
        budget: budget.share(0.5),
        unwind: options.unwind,
        passing: None,
        failing: Some(ENOUGH),
        by: By::Both,
    };
    let mut found = search::find(&options.run, session, &limits(FEW_RUNS))?;
    if found.failing.is_empty() && !found.is_complete() {
        found = search::find(&options.run, session, &limits(RUNS))?;
    }
    let notes =
        found.obstacles.iter().map(|o| format!("the search for failing inputs may have missed some: {}", o.what));
    let all = found.failing.iter().chain(&found.passing).enumerate();
    let cases = all.map(|(n, case)| Case {
        name: search::described(&options.run, session.program(), case).unwrap_or(format!("t{}", n + 1)),
        given: case.given.clone(),
        expected: Expected { stdout: None, status: options.run.expect_status },
    });
    Ok(Searched { cases: cases.collect(), notes: notes.take(5).collect(), passing: search::status(&found) })
}
