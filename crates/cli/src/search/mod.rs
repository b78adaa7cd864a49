//! `wherefore search`: find inputs that make a program fail, print them, save them as tests.

mod automata;
mod report;
mod saved;
pub mod subject;
pub mod value;

pub use report::failure;

pub use subject::subject;

use crate::boogie::{self, Boogie};
use crate::options::{Format, Run, Search as Options, SearchBy};
use crate::progress::Progress;
use crate::run::{check, is_recording, open, readable};
use crate::sources::Sources;
use crate::{Status, UsageError, Work, emit, stop_in, watch};
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};
use wherefore_budget::{Budget, Stop};
use wherefore_case::Given;
use wherefore_program::{Callee, Command, Program};
use wherefore_report::{Answer, Report, Searched, Style, Timing};
use wherefore_search::{By, Found, Limit, Limits, Obstacle, Tried};
use wherefore_session::{Runs, Session};

/// The longest description of inputs.
const SHORT: usize = 60;
/// Runs of a search for one failing input.
const RUNS: usize = 5_000;
/// Shares of the time that is left in which one is looked for: on paths at first, in error traces, and on paths again; and the
/// most of the first, since error traces find in seconds what paths do not find in minutes.
const AT_FIRST: f64 = 0.1;
const OF_TRACES: f64 = 0.2;
const OF_PATHS: f64 = 0.4;
const SOON: Duration = Duration::from_secs(2);
/// Words that a run records above which a shorter one that fails in the same place is looked for, and how long.
pub const LONG: usize = 200;
const SHORTER: Duration = Duration::from_secs(2);

/// Search, print, save.
pub fn search(options: &Options, work: &Work) -> anyhow::Result<Status> {
    let began = Instant::now();
    check(&options.run)?;
    if let Some(one) = options.run.program.iter().find(|p| is_recording(p)) {
        return Err(UsageError(format!("{}: a recording is one run; search needs the program", one.display())).into());
    }
    if let Some(file) = options.output.as_ref().filter(|p| p.exists() && !p.is_dir()) {
        return Err(UsageError(format!("{}: not a directory", file.display())).into());
    }
    let stdin = options.run.stdin.as_ref().filter(|p| options.output.is_some() && p.exists() && !p.is_file());
    if let Some(stdin) = stdin {
        let what = "only a file can be read again for the tests that -o saves";
        return Err(UsageError(format!("--stdin {}: {what}", stdin.display())).into());
    }
    let mut progress = Progress::new(options.run.quiet);
    progress.phase("compiling");
    let limits = Limits {
        runs: Some(options.runs),
        budget: work.budget.clone(),
        unwind: options.unwind,
        passing: None,
        failing: options.limit,
        by: match options.by {
            SearchBy::Paths => By::Paths,
            SearchBy::Formula => By::Formula,
            SearchBy::Both | SearchBy::Automata => By::Both,
        },
    };
    if boogie::is_asked(&options.run) {
        let boogie = Boogie::open(&options.run)?;
        progress.phase("searching");
        let limits = Limits { by: boogie.by(limits.by), ..limits };
        let found = match options.by {
            SearchBy::Automata => {
                let mut runner = boogie.runner(&work.budget);
                automata::find(&boogie.opened(), &boogie.program, &mut runner, &work.budget, options.limit)?
            }
            _ => boogie.find(&boogie.options, &limits)?,
        };
        progress.finish();
        return told(options, &boogie.options, (&boogie.program, boogie.time), &found, began);
    }
    let session = open(&options.run, &work.budget)?;
    progress.phase("searching");
    let found = match options.by {
        SearchBy::Automata => by_automata(&options.run, &session, &work.budget, options.limit)?,
        _ => find(&options.run, &session, &limits)?,
    };
    progress.finish();
    told(options, &options.run, (session.program(), session.compile_time()), &found, began)
}

/// Tells what was found, and saves it.
fn told(
    options: &Options,
    run: &Run,
    (program, compile): (&Program, Duration),
    found: &Found,
    began: Instant,
) -> anyhow::Result<Status> {
    let sources = Sources::new(program, HashMap::new());
    let report = report::report(run, (program, compile), found, &sources, began.elapsed());
    if let Some(directory) = &options.output {
        let problem = |e: std::io::Error| UsageError(format!("{}: {e}", directory.display()));
        saved::save(directory, run, program, found).map_err(problem)?;
    }
    let text = written(&report, options.format, options.run.verbose);
    let status = status(found);
    watch::tell(status, || emit::print(&text))?;
    Ok(status)
}

/// The report of a search that was stopped where it could not be asked what it had found.
pub fn stopped(format: Format, why: String) -> String {
    let mut report = Report::new("search");
    report.partial = true;
    report.notes.push(why);
    report.timing_ms = Some(Timing::default());
    report.answer = Some(Answer::Searched(Searched::default()));
    written(&report, format, false)
}

fn written(report: &Report, format: Format, verbose: bool) -> String {
    match format {
        Format::Json => wherefore_report::json(report),
        Format::Human => wherefore_report::human(report, &|_| None, Style { verbose, ..Style::default() }),
    }
}

/// Search inputs of a program, within limits.
///
/// # Errors
/// When an input is not understood or the program cannot be run.
pub fn find(options: &Run, session: &Session, limits: &Limits) -> anyhow::Result<Found> {
    readable(options.stdin.as_deref())?;
    let subject = subject(options, session.program())?;
    let executable = session.recorded()?;
    let mut runs = Runs::new(session, &executable.path, options.stdin.as_deref(), &limits.budget)?;
    let mut runner = |given: &Given, patience: u32| runs.make(given, patience);
    Ok(wherefore_search::search(&subject, &mut runner, limits, &mut |_| {})?)
}

/// Whether no input is given.
pub fn is_nothing_given(run: &Run) -> bool {
    let is_given = |text: &String| !text.ends_with("=?");
    run.nondet.is_empty() && run.stdin.is_none() && run.arguments.is_empty() && !run.input.iter().any(is_given)
}

/// Whether inputs are open: none is given, and there are some.
pub fn is_wanted(run: &Run, program: &Program) -> bool {
    let entry = program.function(&run.entry).map(|f| &program.functions[f.index()]);
    let parameters = entry.is_some_and(|f| !program.is_main(f) && !f.params.is_empty());
    let commands = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.commands);
    let nondet = commands.into_iter().any(|c| match &c.it {
        Command::Call { callee: Callee::External(name), .. } => {
            wherefore_clib::nondet(program.stand_in(name)).is_some()
        }
        _ => false,
    });
    is_nothing_given(run) && (parameters || nondet || !run.input.is_empty())
}

/// Search one failing input of a program whose inputs are open: paths for a while, then error traces, which are found deep in
/// programs with many paths, then paths again.
///
/// # Errors
/// As [`find`].
pub fn find_one(options: &Run, session: &Session, budget: &Budget) -> anyhow::Result<Found> {
    let limits = |budget| Limits { runs: Some(RUNS), budget, failing: Some(1), by: By::Both, ..Limits::default() };
    let is_answer = |found: &Found| !found.failing.is_empty() || found.is_complete() || found.proved;
    // That a part of the time is up is no reason to stop.
    let tried = |found: anyhow::Result<Found>| match found {
        Err(error) if stop_in(&error).is_some() && budget.stopped().is_none() => Ok(unfinished()),
        found => found,
    };
    let found = tried(find(options, session, &limits(budget.share(AT_FIRST).within(SOON))))?;
    if let Some(first) = found.failing.first() {
        let shorter = shorter(options, session, &budget.share(AT_FIRST).within(SHORTER), first);
        // The long one is there.
        let shorter = shorter.or_else(|error| stop_in(&error).map_or(Err(error), |_| Ok(None)))?;
        return Ok(shorter.map_or_else(|| found.clone(), |tried| Found { failing: vec![tried], ..found.clone() }));
    }
    if is_answer(&found) || budget.stopped().is_some() {
        return Ok(found);
    }
    let found = tried(by_automata(options, session, &budget.share(OF_TRACES), Some(1)))?;
    if is_answer(&found) || budget.stopped().is_some() {
        return Ok(found);
    }
    tried(find(options, session, &limits(budget.share(OF_PATHS))))
}

/// What is known of a search that a part of the time was not enough for.
fn unfinished() -> Found {
    let what = Stop::Time.to_string();
    Found { obstacles: vec![Obstacle { at: None, what, limit: Some(Limit::Time) }], ..Found::default() }
}

/// Where a failing run is long, one at most half as long that fails in the same place, if error traces soon show one: paths are
/// searched by where they lead, and a loop may be left early as well.
fn shorter(options: &Run, session: &Session, budget: &Budget, long: &Tried) -> anyhow::Result<Option<Tried>> {
    let executable = session.recorded()?;
    let mut runs = Runs::new(session, &executable.path, options.stdin.as_deref(), budget)?;
    let mut length = |tried: &Tried| -> anyhow::Result<usize> {
        Ok(runs.make(&tried.given, 0)?.recording.map_or(0, |recording| recording.words().len()))
    };
    let before = length(long)?;
    if before <= LONG {
        return Ok(None);
    }
    let found = by_automata(options, session, budget, Some(1))?;
    let place = |tried: &Tried| tried.failure.as_ref().and_then(|failure| failure.at);
    let Some(other) = found.failing.into_iter().next().filter(|other| place(other) == place(long)) else {
        return Ok(None);
    };
    Ok((length(&other)? * 2 <= before).then_some(other))
}

/// Search through the error traces of a program.
fn by_automata(options: &Run, session: &Session, budget: &Budget, failing: Option<usize>) -> anyhow::Result<Found> {
    let executable = session.recorded()?;
    let mut runs = Runs::new(session, &executable.path, options.stdin.as_deref(), budget)?;
    let mut runner = |given: &Given, patience: u32| runs.make(given, patience);
    automata::find(options, session.program(), &mut runner, budget, failing)
}

/// The inputs of a case in a few words, if they fit.
pub fn described(options: &Run, program: &Program, case: &Tried) -> Option<String> {
    let (named, nondet) = report::values(options, program, case);
    let mut parts: Vec<String> = named.into_iter().map(|i| format!("{}={}", i.name, i.value)).collect();
    parts.extend((!nondet.is_empty()).then(|| format!("nondet {}", nondet.join(","))));
    let text = parts.join(" ");
    let is_all = case.given.stdin.as_ref().is_none_or(Vec::is_empty) && case.given.arguments.is_empty();
    (is_all && (1..=SHORT).contains(&text.len())).then_some(text)
}

/// Options for a run with the inputs of a case; `stdin` is a file for what it reads.
///
/// # Errors
/// When the file cannot be written.
pub fn with_inputs(options: &Run, program: &Program, case: &Tried, stdin: &Path) -> anyhow::Result<Run> {
    let (named, nondet) = report::values(options, program, case);
    let mut run = options.clone();
    run.input = named.into_iter().map(|i| format!("{}={}", i.name, i.value)).collect();
    run.nondet = nondet;
    run.arguments.clone_from(&case.given.arguments);
    if let Some(text) = case.given.stdin.as_ref().filter(|text| !text.is_empty()) {
        std::fs::write(stdin, text)?;
        run.stdin = Some(stdin.to_path_buf());
    }
    Ok(run)
}

/// A failing input is what was asked for; without one, whether there is none depends on having seen everything.
pub fn status(found: &Found) -> Status {
    if found.proved {
        return if found.failing.is_empty() { Status::NoFailure } else { Status::Explained };
    }
    let reached = |limit: Limit| found.obstacles.iter().any(|o| o.limit == Some(limit));
    if reached(Limit::Runs) || reached(Limit::Time) {
        Status::Partial
    } else if !found.failing.is_empty() {
        Status::Explained
    } else if reached(Limit::Unwind) || reached(Limit::Run) {
        Status::Partial
    } else {
        Status::NoFailure
    }
}
