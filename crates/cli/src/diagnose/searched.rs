//! No tests are given: failing inputs are searched for, and diagnosed together.

use super::suite::Case;
use crate::options::Diagnose as Options;
use crate::{Status, run, search};
use std::time::{Duration, Instant};
use wherefore_frontend::Instrument;
use wherefore_program::{Callee, Command, Program};
use wherefore_search::Limits;

/// Failing inputs after which it is enough: more of them say little more.
const ENOUGH: usize = 12;
/// Runs of a search that finds something.
const FEW_RUNS: usize = 190;
/// Runs of one that has found nothing by then.
const RUNS: usize = 5_000;

/// Whether inputs are open: none is given, and there are some.
pub fn is_wanted(options: &Options, program: &Program) -> bool {
    let run = &options.run;
    let given = options.tests.is_some()
        || !run.nondet.is_empty()
        || run.stdin.is_some()
        || !run.arguments.is_empty()
        || options.wanted.expect_stdout.is_some()
        || run.input.iter().any(|text| !text.ends_with("=?"));
    let entry = program.function(&run.entry).map(|f| &program.functions[f.index()]);
    let parameters = run.entry != "main" && entry.is_some_and(|f| !f.params.is_empty());
    let commands = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.commands);
    let nondet = commands.into_iter().any(|c| match &c.it {
        Command::Call { callee: Callee::External(name), .. } => name.starts_with("__VERIFIER_nondet_"),
        _ => false,
    });
    !given && (parameters || nondet || !run.input.is_empty())
}

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
pub fn search(options: &Options, directory: &std::path::Path) -> anyhow::Result<Searched> {
    let recorded = directory.join("searched");
    std::fs::create_dir_all(&recorded)?;
    let build = run::build(&options.run, Instrument::Record, &recorded)?;
    let limits = |runs: usize| Limits {
        runs: Some(runs),
        deadline: Some(Instant::now() + Duration::from_secs_f64(options.run.timeout.min(1e6) / 2.0)),
        unwind: options.unwind,
        failing: Some(ENOUGH),
    };
    let mut found = search::find(&options.run, &build, &limits(FEW_RUNS), &recorded)?;
    if found.failing.is_empty() && !found.is_complete() {
        found = search::find(&options.run, &build, &limits(RUNS), &recorded)?;
    }
    let notes =
        found.obstacles.iter().map(|o| format!("the search for failing inputs may have missed some: {}", o.what));
    let all = found.failing.iter().chain(&found.passing).enumerate();
    let cases = all.map(|(n, case)| Case {
        name: format!("t{}", n + 1),
        arguments: case.given.arguments.clone(),
        stdin: case.given.stdin.clone().unwrap_or_default(),
        nondet: case.given.nondet.clone(),
        inputs: case.given.inputs.clone(),
        expected: wherefore_unfold::Expected { stdout: None, status: options.run.expect_status },
    });
    Ok(Searched { cases: cases.collect(), notes: notes.take(5).collect(), passing: search::status(&found) })
}
