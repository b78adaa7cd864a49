//! `wherefore explain`: run, walk, localize, report.

use crate::asked;
use crate::boogie::{self, Boogie};
use crate::emit;
use crate::hang;
use crate::initialisers;
use crate::options::{Encoding, Explain as Options, Format, Split, Switch};
use crate::present;
use crate::progress::Progress;
use crate::question::Question;
use crate::run::{self, Happened, Unended};
use crate::sealed;
use crate::search;
use crate::sources::Sources;
use crate::told::{is_large, told};
use crate::watch::before;
use crate::witness;
use crate::{Status, Work};
use std::time::{Duration, Instant};
use wherefore_budget::{Budget, Stop};
use wherefore_case::Expected;
use wherefore_localize as localize;
use wherefore_report::words::counted;
use wherefore_report::{Report, Style, Timing};
use wherefore_search::{Found, Tried, recorded};
use wherefore_session::Session;
use wherefore_solver::Backend;
use wherefore_trace::{
    Failure, FailureKind, LARGEST, Slicing, Stopped, Trace, WalkError, walk_sliced, walk_watching_memory,
};

/// The share of the time that a first try may take where inputs are open; before others are searched for, this much.
const FIRST_TRY: f64 = 0.125;
const SOON: Duration = Duration::from_millis(500);
/// The share of the time that the run itself may take.
const OF_THE_RUN: f64 = 0.75;

/// The share of what is left that finding the answer may take: it has to be told, too.
const OF_THE_ANSWER: f64 = 0.75;
/// A longer story takes a moment to be written; what is told of it at least is its end.
const LONG_STORY: usize = 60;

/// So many commands of a run of a large program make a story of any length that is told.
const ENOUGH: usize = 300_000;

/// Run a program and explain why it fails.
pub fn explain(options: &Options, work: &Work) -> anyhow::Result<Status> {
    let began = Instant::now();
    let budget = &work.budget;
    let options = &asked::of_test(options)?;
    let expected = asked::expected(options)?;
    let question = Question::new(options)?;
    let mut progress = Progress::new(options.run.quiet);
    let seen = match run(options, question.as_ref(), "explain", &mut progress, began, budget)? {
        Ok(seen) => seen,
        Err(status) => return Ok(status),
    };
    let mut happened = seen.happened;
    if question.is_none() && is_fine(options, &happened, &expected) {
        progress.finish();
        return passes(options, &happened, &expected, began);
    }
    let sources = Sources::new(&happened.program, std::mem::take(&mut happened.kept));
    let encode_began = Instant::now();
    progress.phase("tracing");
    let (mut trace, hanging) = match follow(options, question.as_ref(), &mut happened, budget)? {
        Followed::Trace(trace, hanging) => (*trace, hanging),
        Followed::Nothing(why) => {
            progress.finish();
            return nothing_to_explain(options, &happened, &sources, &why);
        }
        Followed::Stopped => {
            progress.finish();
            return stopped_early(options, "explain", &happened, &sources, began);
        }
    };
    initialisers::place(&mut trace, &happened.program, &sources);
    let encode = encode_began.elapsed();
    let endless = hanging.map(|hanging| hang::tell(&mut trace, &hanging, &happened, &sources)).unwrap_or_default();
    // That the run was stopped is what is explained.
    if trace.failure.is_some() {
        happened.partial = happened.partial.filter(|_| happened.unended.is_none());
    }

    let mut report = Report::new("explain");
    report.notes.clone_from(&happened.notes);
    let settings = settings(options, &budget.share(OF_THE_ANSWER));
    let mut known = report.clone();
    present::fill(&mut known, &happened, &trace, None, settings.encoding, &sources);
    work.know(&known);
    progress.phase("explaining");
    let solve_began = Instant::now();
    let asks = question.is_some() || happened.stopped == Stopped::Limit;
    let (trace, explanation) = told(trace, &happened, options, &sources, &settings, asks);
    let solve = solve_began.elapsed();
    if let Some(explanation) = &explanation
        && let localize::Checked::No(what) = &explanation.checked
    {
        // A file from outside may hold a run that no program can have made; which of the two it is cannot be known here.
        if let [one] = &options.run.program[..]
            && run::is_recording(one)
        {
            let either = "the run in it is not one of its program, or this is a bug of ours";
            return Err(crate::UsageError(format!("{}: cannot be explained: {either} ({what})", one.display())).into());
        }
        anyhow::bail!("internal error: the explanation does not withstand its own check: {what}");
    }
    progress.phase("writing");
    if let Some(long) = explanation.as_ref().filter(|e| e.steps.len() > LONG_STORY) {
        present::fill_end(&mut known, &happened, &trace, long, settings.encoding, &sources);
        work.know(&known);
    }
    present::fill(&mut report, &happened, &trace, explanation.as_ref(), settings.encoding, &sources);
    if let Some(failure) = report.failure.as_mut().filter(|_| endless.is_early) {
        failure.values.clear();
    }
    if let Some(told) = &mut report.explanation {
        told.summary.splice(0..0, endless.summary);
        told.round = endless.round;
    }
    report.timing_ms = Some(Timing {
        compile: milliseconds(happened.times.0),
        run: milliseconds(happened.times.1),
        encode: milliseconds(encode),
        solve: milliseconds(solve),
        total: milliseconds(began.elapsed()),
    });
    if explanation.as_ref().is_some_and(|e| !e.whole) {
        report.partial = true;
        report.notes.push(before(budget.stopped().unwrap_or(Stop::Time), "the story is followed to its beginning"));
    } else if explanation.as_ref().is_some_and(|e| matches!(e.checked, localize::Checked::Unknown(_)))
        && let Some(stop) = settings.budget.stopped()
    {
        // What the second solver had no time for is found, but not as sure as it would be.
        report.partial = true;
        report.notes.push(before(stop, "the explanation is checked"));
    }
    if let Some(reason) = &happened.partial {
        report.partial = true;
        report.notes.push(reason.clone());
    }
    let status = match (&explanation, &trace.failure) {
        (Some(_), _) if report.partial => Status::Partial,
        (Some(_), _) => Status::Explained,
        (None, Some(_)) => {
            report.partial = true;
            report.notes.push(before(budget.stopped().unwrap_or(Stop::Time), "the failure is explained"));
            Status::Partial
        }
        (None, None) if report.partial => Status::Partial,
        (None, None) => Status::NoFailure,
    };
    progress.finish();
    emit(options, status, &report, &sources, &happened)?;
    if status == Status::NoFailure && !options.run.quiet && options.report.format == Format::Human {
        eprintln!("wherefore: {}", no_failure(&happened, &expected));
    }
    // To free them takes longer than the system does when we leave.
    std::mem::forget((trace, explanation, report));
    Ok(status)
}

/// A run that was seen.
pub struct Seen {
    /// What happened.
    pub happened: Happened,
    /// The program, where it is one of C and not of a recording.
    pub session: Option<Session>,
    /// The program, where it is one of Boogie.
    pub boogie: Option<Boogie>,
    /// What it was given: what was asked for, or what a search found.
    pub given: crate::options::Run,
}

/// Runs the program, searching for inputs where none are given, or reads what was recorded. A status where there is nothing
/// to look at, which is then said.
///
/// # Errors
/// When it cannot be run.
pub fn run(
    options: &Options,
    question: Option<&Question>,
    command: &'static str,
    progress: &mut Progress,
    began: Instant,
    budget: &Budget,
) -> anyhow::Result<Result<Seen, Status>> {
    progress.phase("reading");
    if boogie::is_asked(&options.run) {
        if question.is_some() {
            boogie::refuse(&options.run, "questions are asked of C programs")?;
        }
        return boogie::seen(options, command, progress, began, budget);
    }
    let seen = match run::load(&options.run, budget)? {
        Some(happened) => Seen { happened, session: None, boogie: None, given: options.run.clone() },
        None => {
            progress.phase("compiling");
            let session = match question {
                Some(question) => question.open(options, budget)?,
                None => run::open(&options.run, budget)?,
            };
            if let Some(path) = &options.witness {
                progress.phase("searching");
                return match witness::follow(&options.run, path, &budget.share(OF_THE_RUN))? {
                    Ok(case) => witnessed(options, session, &case, budget).map(Ok),
                    Err(found) => {
                        progress.finish();
                        unwitnessed(options, command, &session, &found, began).map(Err)
                    }
                };
            }
            progress.phase("running");
            // A question is about this run.
            let is_wanted = question.is_none() && search::is_wanted(&options.run, session.program());
            // Where inputs may be searched for, a first try that does not end must leave time for it.
            // And what it is that a run hangs in has to be found out, too.
            let first = match is_wanted {
                true => budget.share(FIRST_TRY).within(SOON),
                false => budget.share(OF_THE_RUN),
            };
            let happened = run::happen(&options.run, &session, &first)?;
            let expected = asked::expected(options)?;
            // That a run does not end with values nobody chose is told where nothing else is found.
            let hangs = happened.stopped == Stopped::Limit && is_failure(&happened, &expected);
            let mut given = options.run.clone();
            let fails = is_failure(&happened, &expected);
            // Of values that nobody chose, others may show the same in fewer steps.
            let length = happened.recording.words().len();
            let is_long = fails && !hangs && length > search::LONG;
            let happened = if is_wanted && (hangs || !fails || is_long) && budget.stopped().is_none() {
                progress.phase("searching");
                match searched(options, &session, budget)? {
                    Ok((_, found)) if is_long && found.recording.words().len() * 2 > length => happened,
                    Ok((found, happened)) => {
                        given = found;
                        happened
                    }
                    // Perhaps it was only slow.
                    Err(_) if hangs => run::happen(&options.run, &session, &budget.share(FIRST_TRY))?,
                    Err(_) if fails => happened,
                    Err(found) => {
                        progress.finish();
                        return nothing_found(options, command, &happened, &found, began).map(Err);
                    }
                }
            } else {
                happened
            };
            Seen { happened, session: Some(session), boogie: None, given }
        }
    };
    if options.run.verbose {
        progress.finish();
        eprint!("{}", seen.happened.output);
        *progress = Progress::new(options.run.quiet);
    }
    Ok(Ok(seen))
}

/// What came of following a run.
pub enum Followed {
    /// Its trace; with how it hangs, if it does.
    Trace(Box<Trace>, Option<Box<hang::Hanging>>),
    /// There is nothing to explain, for this reason.
    Nothing(String),
    /// It was stopped before it failed.
    Stopped,
}

/// Follows a run to its failure.
///
/// # Errors
/// When the recording is not one of the program.
pub fn follow(
    options: &Options,
    question: Option<&Question>,
    happened: &mut Happened,
    budget: &Budget,
) -> anyhow::Result<Followed> {
    let found = match (question, happened.stopped) {
        (Some(question), _) => question.trace(happened, budget).map(|trace| match trace {
            Ok(trace) => Followed::Trace(Box::new(trace), None),
            Err(nothing) => Followed::Nothing(nothing),
        }),
        (None, Stopped::Limit) => match misuse_before(happened, options, budget) {
            Some(trace) => Ok(Followed::Trace(Box::new(trace), None)),
            None => hang::trace(happened, budget).map(|found| {
                let told = |(trace, hanging): (Trace, Option<hang::Hanging>)| {
                    Followed::Trace(Box::new(trace), hanging.map(Box::new))
                };
                found.map_or(Followed::Stopped, told)
            }),
        },
        (None, _) => trace(happened, options, budget).map(|trace| Followed::Trace(Box::new(trace), None)),
    };
    found.or_else(|error| {
        let Some(WalkError::Stopped { stop, .. }) = error.downcast_ref() else { return Err(error) };
        happened.partial.get_or_insert_with(|| before(*stop, "the run is followed to its end"));
        Ok(Followed::Stopped)
    })
}

/// The words of a run that does not end in which wrong uses of memory are looked for, and the share of the time for it.
const BEFORE_THE_HANG: usize = 1 << 20;
const OF_THE_HANG: f64 = 0.2;

/// A use of memory that C does not allow, in the beginning of a run that does not end: that it hangs may be what comes of it.
fn misuse_before(happened: &Happened, options: &Options, budget: &Budget) -> Option<Trace> {
    if options.ignore_memory || boogie::is_asked(&options.run) {
        return None;
    }
    let mut recorded = recorded(&happened.recording, &happened.globals);
    recorded.words = &recorded.words[..recorded.words.len().min(BEFORE_THE_HANG)];
    let share = budget.share(OF_THE_HANG);
    // What cannot be followed hangs, as far as anybody saw.
    let trace =
        walk_watching_memory(&happened.program, &recorded, Stopped::Limit, &Expected::default(), &share).ok()?;
    let is_misuse = |failure: &Failure| matches!(failure.kind, FailureKind::Memory(_));
    trace.failure.as_ref().is_some_and(is_misuse).then_some(trace)
}

/// What was asked about holds, or nothing is known of why it does not.
fn nothing_to_explain(options: &Options, happened: &Happened, sources: &Sources, why: &str) -> anyhow::Result<Status> {
    emit(options, Status::NoFailure, &Report::new("explain"), sources, happened)?;
    if !options.run.quiet && options.report.format == Format::Human {
        eprintln!("wherefore: nothing to explain: {why}");
    }
    Ok(Status::NoFailure)
}

/// A run of more words than this is not followed for its own sake.
const LONG_RUN: usize = 1 << 20;

/// Whether a run does what is expected, so that it need not be followed: unless its uses of memory are to be looked at.
fn is_fine(options: &Options, happened: &Happened, expected: &Expected) -> bool {
    let ended = matches!(happened.stopped, Stopped::Exit(_)) && happened.partial.is_none();
    let is_long = happened.recording.words().len() > LONG_RUN;
    ended && !is_failure(happened, expected) && (options.ignore_memory || is_long && !options.watch_memory)
}

/// Says that a run does what is expected, and how much of it was looked at.
fn passes(options: &Options, happened: &Happened, expected: &Expected, began: Instant) -> anyhow::Result<Status> {
    let sources = Sources::new(&happened.program, std::collections::HashMap::new());
    let mut report = Report::new("explain");
    report.notes.clone_from(&happened.notes);
    let unwatched =
        "the run is long and does not fail, so its uses of memory were not looked at; --watch-memory does that";
    report.notes.extend((!options.ignore_memory).then(|| unwatched.into()));
    let events = happened.recording.words().len() as u64;
    report.trace = Some(wherefore_report::Trace { events, ..wherefore_report::Trace::default() });
    report.timing_ms = Some(Timing {
        compile: milliseconds(happened.times.0),
        run: milliseconds(happened.times.1),
        total: milliseconds(began.elapsed()),
        ..Timing::default()
    });
    emit(options, Status::NoFailure, &report, &sources, happened)?;
    if !options.run.quiet && options.report.format == Format::Human {
        eprintln!("wherefore: {}", no_failure(happened, expected));
        if !options.ignore_memory {
            eprintln!("wherefore: note: {unwatched}");
        }
    }
    Ok(Status::NoFailure)
}

/// Whether a run was seen to fail.
fn is_failure(happened: &Happened, expected: &Expected) -> bool {
    match happened.stopped {
        Stopped::Exit(status) => {
            expected.status.is_some_and(|expected| expected != status)
                || expected.stdout.as_ref().is_some_and(|expected| *expected != happened.stdout.kept)
        }
        Stopped::Signal(_) => true,
        Stopped::Limit => happened.unended == Some(Unended::Endless),
    }
}

/// A run with inputs that a search found; if it found none, what it did find.
fn searched(
    options: &Options,
    session: &Session,
    budget: &Budget,
) -> anyhow::Result<Result<(crate::options::Run, Happened), Found>> {
    let found = search::find_one(&options.run, session, budget)?;
    let Some(case) = found.failing.first() else { return Ok(Err(found)) };
    let stdin = session.directory().join("stdin");
    let with_inputs = search::with_inputs(&options.run, session.program(), case, &stdin)?;
    let mut happened = run::happen(&with_inputs, session, &budget.share(OF_THE_RUN))?;
    happened.notes.push("no inputs were given; these were found by a search".into());
    Ok(Ok((with_inputs, happened)))
}

/// The run that a witness tells of.
fn witnessed(options: &Options, session: Session, case: &Tried, budget: &Budget) -> anyhow::Result<Seen> {
    let stdin = session.directory().join("stdin");
    let given = search::with_inputs(&options.run, session.program(), case, &stdin)?;
    let mut happened = run::happen(&given, &session, &budget.share(OF_THE_RUN))?;
    happened.notes.push("these inputs were found by a search for an execution that follows the witness".into());
    Ok(Seen { happened, session: Some(session), boogie: None, given })
}

/// No execution is known that follows a witness.
fn unwitnessed(
    options: &Options,
    command: &str,
    session: &Session,
    found: &Found,
    began: Instant,
) -> anyhow::Result<Status> {
    let none = found.is_complete() || found.proved;
    let what = match none {
        true => "no execution of the program follows the witness and fails",
        false => "no execution was found that follows the witness and fails; --timeout gives the search more time",
    };
    let status = if none { Status::NoFailure } else { Status::Partial };
    let mut report = Report::new(command);
    report.partial = !none;
    report.notes.push(what.into());
    report.timing_ms = Some(Timing { total: milliseconds(began.elapsed()), ..Timing::default() });
    if options.report.format == Format::Json || options.report.output.is_some() {
        let sources = Sources::new(session.program(), std::collections::HashMap::new());
        emit::emit(status, &options.report, Style::default(), &report, session.program(), &sources)?;
    } else if !options.run.quiet {
        eprintln!("wherefore: {what} ({})", counted(found.statistics.runs as u64, "run"));
    }
    Ok(status)
}

/// No input is known to fail.
///
/// # Errors
/// When the report cannot be written.
pub fn nothing_found(
    options: &Options,
    command: &str,
    happened: &Happened,
    found: &Found,
    began: Instant,
) -> anyhow::Result<Status> {
    let sources = Sources::new(&happened.program, std::collections::HashMap::new());
    let is_cut = happened.stopped == Stopped::Limit && !found.proved;
    let status = if is_cut { Status::Partial } else { search::status(found) };
    let mut report = Report::new(command);
    report.partial = status == Status::Partial;
    let missed = |o: &wherefore_search::Obstacle| format!("{}{}", sources.prefix(o.at), o.what);
    report.notes.extend(happened.partial.iter().filter(|_| is_cut).cloned());
    report.notes.extend(found.obstacles.iter().map(missed));
    report.timing_ms = Some(Timing { total: milliseconds(began.elapsed()), ..Timing::default() });
    if options.report.format == Format::Json || options.report.output.is_some() {
        emit(options, status, &report, &sources, happened)?;
    } else if !options.run.quiet {
        report.notes.iter().for_each(|note| eprintln!("wherefore: {note}"));
        let how = match (found.is_complete(), found.proved) {
            (true, _) => "on no path does the program fail",
            (false, true) => "it is proved that the program does not fail",
            (false, false) => "a search found no input that makes the program fail",
        };
        let runs = counted(found.statistics.runs as u64, "run");
        eprintln!("wherefore: no failure: {how} ({runs})");
    }
    Ok(status)
}

/// The run was stopped before it failed: there is nothing to explain but that.
pub fn stopped_early(
    options: &Options,
    command: &str,
    happened: &Happened,
    sources: &Sources,
    began: Instant,
) -> anyhow::Result<Status> {
    let mut report = Report::new(command);
    report.partial = true;
    report.notes.clone_from(&happened.notes);
    report.notes.extend(happened.partial.clone());
    report.trace = Some(wherefore_report::Trace {
        events: happened.recording.words().len() as u64,
        ..wherefore_report::Trace::default()
    });
    report.timing_ms = Some(Timing {
        compile: milliseconds(happened.times.0),
        run: milliseconds(happened.times.1),
        total: milliseconds(began.elapsed()),
        ..Timing::default()
    });
    emit(options, Status::Partial, &report, sources, happened)?;
    Ok(Status::Partial)
}

/// The trace of a run.
///
/// # Errors
/// When the recording is not one of the program, or the budget is over.
pub fn trace(happened: &Happened, options: &Options, budget: &Budget) -> anyhow::Result<Trace> {
    walked(happened, options, false, budget)
}

/// The trace of a run; one that `trusts` takes for granted that nothing else ends the program.
pub(crate) fn walked(happened: &Happened, options: &Options, trusts: bool, budget: &Budget) -> anyhow::Result<Trace> {
    let expected = &asked::expected(options)?;
    let mut recorded = recorded(&happened.recording, &happened.globals);
    recorded.stdout = asked::comparable(&happened.stdout, expected)?;
    recorded.stack = happened.stack;
    // No use of memory is wrong in Boogie.
    let watching = !options.ignore_memory && !boogie::is_asked(&options.run);
    let (program, stopped) = (&happened.program, happened.stopped);
    let addresses = options.addresses == Switch::On;
    // In a large program conditions are followed as far as the story stays short.
    let as_asked = options.run.verbose || options.reasons.is_some() || !is_large(program);
    let (most, largest) = if as_asked { (usize::MAX, LARGEST) } else { (ENOUGH, LARGEST / 4) };
    let how = Slicing { above: options.slice_above, most, largest, addresses, trusting: trusts, watching };
    let mut walked = walk_sliced(program, &recorded, stopped, expected, how, budget);
    walked.iter_mut().for_each(|trace| boogie::name(trace, &happened.program));
    match &options.run.program[..] {
        [one] if run::is_recording(one) && !matches!(walked, Err(WalkError::Stopped { .. })) => {
            let possible = walked.ok().filter(Trace::is_possible);
            possible.ok_or_else(|| sealed::damaged(one, "the run in it is not one of its program").into())
        }
        _ => Ok(walked?),
    }
}

/// What the localizer is asked for.
pub fn settings(options: &Options, budget: &Budget) -> localize::Options {
    localize::Options {
        encoding: match options.encoding {
            Encoding::Trace => localize::Encoding::Trace,
            Encoding::Recursive => localize::Encoding::Recursive,
            Encoding::FlowSensitive => localize::Encoding::FlowSensitive,
        },
        addresses: options.addresses == Switch::On,
        reach: options.reasons.map(localize::Reach::to),
        split: match options.split {
            Split::Statements => localize::Split::Statements,
            Split::Calls => localize::Split::Calls,
        },
        backend: Backend::Cadical,
        budget: budget.clone(),
    }
}

/// What to say of a run that does not fail.
pub fn no_failure(happened: &Happened, expected: &Expected) -> String {
    if let Some(what) = boogie::no_failure(happened) {
        return what;
    }
    let stopped = happened.stopped;
    let Stopped::Exit(status) = stopped else { return "no failure was recorded".into() };
    let ends = format!("no failure: the program ends with status {status}");
    let rest = match expected {
        Expected { stdout: None, status: None } if status != 0 => {
            "; --expect-status 0 makes that a failure, and --expect-stdout FILE or --tests TESTS hold its output against what \
             it should be"
        }
        Expected { stdout: None, status: None } => {
            "; what it should do can be given: --expect-stdout FILE, --expect-status N, or --tests TESTS --test NAME"
        }
        Expected { stdout: Some(_), status: None } if status != 0 => {
            " and the expected output; --expect-status 0 makes the status a failure"
        }
        Expected { stdout: Some(_), .. } => " and the expected output",
        Expected { stdout: None, status: Some(_) } => "; --expect-stdout FILE holds its output against a file",
    };
    ends + rest
}

/// A time for the report.
pub fn milliseconds(time: Duration) -> u64 {
    time.as_millis() as u64
}

fn emit(
    options: &Options,
    status: Status,
    report: &Report,
    sources: &Sources,
    happened: &Happened,
) -> anyhow::Result<()> {
    let nothing = report.failure.is_none() && !report.partial;
    if nothing && options.report.format == Format::Human {
        return Ok(());
    }
    let (verbose, last, depth) = (options.run.verbose, options.last, options.depth);
    let style = Style { verbose, last, depth, ..Style::default() };
    emit::emit(status, &options.report, style, report, &happened.program, sources)
}
