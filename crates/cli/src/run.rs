//! Build and run a program, or take a recording: what happened, ready to be walked.

use crate::boogie::{self, Boogie};
use crate::compilations;
use crate::inputs;
use crate::kept;
use crate::options::Run as Options;
use crate::recording;
use crate::standstill::{self, Standstill};
use crate::threads;
use crate::{UsageError, sealed};
use std::cell::Cell;
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};
use wherefore_budget::{Budget, Stop};
use wherefore_program::Program;
use wherefore_record::{Captured, Ending, Look, Outcome, Recording, RunLimits, State, is_kept};
use wherefore_report as report;
use wherefore_report::words::counted;
use wherefore_search::recorded;
use wherefore_session::{Session, Settings};
use wherefore_trace::{Recorded, Stopped, is_endless};

/// More of a recording than this, in MiB, is followed in no second.
const MIB_PER_SECOND: u64 = 32;
/// What is recorded of a run however short the time is, in MiB.
const LEAST_MIB: u64 = 64;

/// A run that is longer than what can be recorded, and takes longer than this, is not waited for.
const LONG: Duration = Duration::from_secs(3);
/// How long a look at a run may take.
const OF_A_LOOK: Duration = Duration::from_secs(1);

/// A run of a program.
pub struct Happened {
    /// Room for its stack, in bytes.
    pub stack: u64,
    /// The program.
    pub program: Program,
    /// Its recording.
    pub recording: Recording,
    /// How it ended.
    pub stopped: Stopped,
    /// Inputs, for the report.
    pub given: Vec<report::Input>,
    /// Globals whose values were given.
    pub globals: Vec<u32>,
    /// What the user should know.
    pub notes: Vec<String>,
    /// Why the recording is not complete.
    pub partial: Option<String>,
    /// Set where the run was stopped while it was still going on.
    pub unended: Option<Unended>,
    /// It was stopped, and no thread had written a word for long.
    pub stands_still: bool,
    /// What the program wrote, for `-v`.
    pub output: String,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What standard input has, where that is all that will ever be there.
    pub stdin: Option<Vec<u8>>,
    /// Source texts that came with a recording.
    pub kept: HashMap<String, String>,
    /// Times of compiling and running.
    pub times: (Duration, Duration),
}

/// What is known of a run that was stopped before it ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Unended {
    /// It would never have ended.
    Endless,
    /// It may only have taken long.
    Long,
}

/// Compile the program that the options name.
///
/// # Errors
/// When there is none, or it does not compile.
pub fn open(options: &Options, budget: &Budget) -> anyhow::Result<Session> {
    check(options)?;
    boogie::refuse(options, "a program of Boogie is not compiled; `explain`, `relevant` and `search` interpret it")?;
    readable(options.stdin.as_deref())?;
    let database = options.compile_commands.as_deref().map(compilations::compiled).transpose()?;
    let mut session = Session::new(Settings {
        files: database.as_ref().map_or_else(|| options.program.clone(), |(files, _)| files.clone()),
        entry: options.entry.clone(),
        cc_args: options.cc_args(),
        error_label: options.error_label.clone(),
        memory_mib: options.memory,
        budget: budget.clone(),
    })?;
    if let Some((_, folder)) = database {
        session.keep(folder);
    }
    if options.verbose {
        for message in session.messages() {
            eprintln!("wherefore: {message}");
        }
    }
    Ok(session)
}

/// The recording that the options name instead of a program.
///
/// # Errors
/// When it is damaged.
pub fn load(options: &Options, budget: &Budget) -> anyhow::Result<Option<Happened>> {
    check(options)?;
    match &options.program[..] {
        [one] if sealed::is_one(one) => recording::load(one).map(Some),
        [one] if is_kept(one) => kept::load(one, options, budget).map(Some),
        _ => Ok(None),
    }
}

/// Whether a file is a recording, of whatever kind.
pub fn is_recording(path: &Path) -> bool {
    sealed::is_one(path) || is_kept(path)
}

/// The run that the options ask for: loaded, or compiled and made. `phase` is told what is being done.
///
/// # Errors
/// As for [`load`], [`open`] and [`happen`].
pub fn happened(options: &Options, budget: &Budget, phase: &dyn Fn(&'static str)) -> anyhow::Result<Happened> {
    phase("reading");
    if boogie::is_asked(options) {
        let boogie = Boogie::open(options)?;
        return boogie.happen(&boogie.options, budget);
    }
    if let Some(loaded) = load(options, budget)? {
        return Ok(loaded);
    }
    phase("compiling");
    let session = open(options, budget)?;
    phase("running");
    happen(options, &session, budget)
}

/// Make the run that the options ask for, within this budget.
///
/// # Errors
/// When inputs do not fit, or the run cannot be made.
pub fn happen(options: &Options, session: &Session, budget: &Budget) -> anyhow::Result<Happened> {
    let program = session.program();
    let parsed = inputs::parse(program, &options.entry, &options.input)?;
    let nondet = inputs::nondet(&options.nondet)?;
    let mut run = session.run()?;
    run.arguments = options.arguments.clone();
    run.stdin = options.stdin.clone();
    run.nondet = nondet;
    run.inputs = parsed.inputs;
    run.limits.budget = budget.clone();
    run.limits.recording_mib = recording_mib(budget);
    let stdin = all_input(options.stdin.as_deref());
    let endless = Cell::new(false);
    let standstill = Standstill::default();
    let look = |ran: Duration, shown: &Recording| {
        let seen = standstill.look(shown, ran);
        if seen != standstill::Look::Elsewhere {
            let stands_still = seen == standstill::Look::Still;
            let recorded = Recorded { stdin: stdin.as_deref(), stands_still, ..recorded(shown, &parsed.globals) };
            // Words that are being written may not fit: then the next look will tell.
            endless.set(is_endless(program, &recorded, &budget.within(OF_A_LOOK)).unwrap_or(false));
        }
        endless.get() || (shown.state == State::SizeLimit && ran >= LONG)
    };
    run.look = Some(Look(&look));
    let began = Instant::now();
    let mut outcome = wherefore_record::run(&run, session.directory())?;
    let ran = began.elapsed();
    let shallow = with_less_stack(&run, session, &outcome, &parsed.globals, budget);
    let mut notes = session.messages().to_vec();
    let mut stack = run.limits.stack_kib << 10;
    if let Some((shorter, note)) = shallow {
        (outcome, stack) = (shorter, stack / LESS);
        notes.push(note);
    }
    let Some(recording) = outcome.recording else {
        anyhow::bail!("the program did not start");
    };
    let mut given = parsed.given;
    for (index, value) in options.nondet.iter().enumerate().take(recording.nondet_used as usize) {
        given.push(report::Input { name: format!("nondet value {}", index + 1), value: value.clone() });
    }
    for (index, argument) in options.arguments.iter().enumerate() {
        let value = format!("\"{}\"", argument.to_string_lossy());
        given.push(report::Input { name: format!("argv[{}]", index + 1), value });
    }
    given.extend(options.stdin.as_deref().and_then(short_text));
    if !parsed.missing.is_empty() {
        notes.push(format!("no --input for {}: 0 is used", parsed.missing.join(", ")));
    }
    notes.extend(recording_notes(&recording));
    notes.extend(threads::note(program, &recording));
    let partial = partial(&outcome.ending, &recording, ran);
    let unended = match outcome.ending {
        _ if endless.get() => Some(Unended::Endless),
        Ending::TimedOut | Ending::Stopped(Stop::Time) | Ending::SeenEnough | Ending::OutputLimit => {
            Some(Unended::Long)
        }
        _ => None,
    };
    let stopped = match outcome.ending {
        Ending::Exited(status) => Stopped::Exit(status),
        Ending::Signal(signal) => Stopped::Signal(signal),
        _ => Stopped::Limit,
    };
    let stopped = if recording.reaches(&outcome.ending) { stopped } else { Stopped::Limit };
    let stands_still = unended.is_some() && standstill.stood_still(&recording, ran);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Happened {
        stack,
        program: program.clone(),
        stopped,
        given,
        globals: parsed.globals,
        notes,
        partial,
        unended,
        stands_still,
        output: format!("{}{}", text(&outcome.stdout.kept), text(&outcome.stderr.kept)),
        stdout: outcome.stdout,
        stdin,
        kept: session.sources(),
        times: (session.compile_time(), ran),
        recording,
    })
}

/// Words of a run above which a stack that overflows is told of a run that has less of it, and how much less.
const DEEP_RUN: usize = 1 << 21;
const LESS: u64 = 16;

/// A run whose stack overflows made again with less stack: it fails by the same calls, and there are fewer to follow. That
/// the stack was used up is seen by the calls, which grow with it.
fn with_less_stack(
    run: &wherefore_record::Run,
    session: &Session,
    outcome: &Outcome,
    globals: &[u32],
    budget: &Budget,
) -> Option<(Outcome, String)> {
    let depth = |outcome: &Outcome| {
        let words = recorded(outcome.recording.as_ref()?, globals);
        wherefore_trace::depth(session.program(), &words, budget).ok()
    };
    let overflows = outcome.ending == Ending::Signal(libc::SIGSEGV);
    let is_long = outcome.recording.as_ref().is_some_and(|r| r.words().len() > DEEP_RUN);
    let calls = if overflows && is_long { depth(outcome)? } else { return None };
    let mut less = run.clone();
    less.limits.stack_kib /= LESS;
    let shorter = wherefore_record::run(&less, session.directory()).ok()?;
    let fewer = depth(&shorter).filter(|_| shorter.ending == Ending::Signal(libc::SIGSEGV))? as u64;
    let grows = (LESS - LESS / 8) * fewer < calls as u64 && (calls as u64) < (LESS + LESS / 4) * fewer;
    let kib = less.limits.stack_kib;
    let note = format!(
        "what is told is the run with a stack of {kib} KiB; with {} KiB it comes to {calls} nested calls",
        run.limits.stack_kib
    );
    grows.then_some((shorter, note))
}

/// How much of a run is recorded: not more than could be followed in the time that is left, nor than half of the memory has
/// room for.
fn recording_mib(budget: &Budget) -> u64 {
    let most = RunLimits::default().recording_mib;
    let seconds = budget.left().map_or(u64::MAX, |left| left.as_secs());
    let room = budget.room_left().map_or(u64::MAX, |bytes| (bytes >> 21).max(1));
    seconds.saturating_mul(MIB_PER_SECOND).clamp(LEAST_MIB, most).min(room)
}

/// What is wrong whatever the program is.
pub fn check(options: &Options) -> Result<(), UsageError> {
    if let Some(directory) = options.program.iter().find(|p| p.is_dir()) {
        return Err(UsageError(format!("{}: this is a directory, not a program", directory.display())));
    }
    Ok(())
}

/// What standard input has, where it does not become more: nothing where none was given, or what is in a file.
fn all_input(path: Option<&Path>) -> Option<Vec<u8>> {
    const LARGEST: u64 = 1 << 26;
    let Some(path) = path.filter(|path| *path != Path::new("/dev/null")) else { return Some(vec![]) };
    let is_one = std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() <= LARGEST);
    // A file that cannot be read is not known.
    Some(path).filter(|_| is_one).and_then(|path| std::fs::read(path).ok())
}

/// Standard input, where it is a text that is short enough to be told.
fn short_text(path: &Path) -> Option<report::Input> {
    const LONGEST: u64 = 60;
    let length = std::fs::metadata(path).ok().filter(|m| m.is_file())?.len();
    let text = Some(path).filter(|_| length <= LONGEST).and_then(|path| std::fs::read_to_string(path).ok())?;
    let text = text.trim_end_matches('\n');
    let readable = !text.is_empty() && text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t'));
    let quoted = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
    readable.then(|| report::Input { name: "standard input".into(), value: format!("\"{quoted}\"") })
}

/// Whether standard input can be read; a pipe or device is taken as it is.
pub fn readable(stdin: Option<&Path>) -> Result<(), UsageError> {
    let Some(path) = stdin else { return Ok(()) };
    let problem = match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => "this is a directory, not a file".to_string(),
        Ok(found) if found.is_file() => match std::fs::File::open(path) {
            Ok(_) => return Ok(()),
            Err(error) => error.to_string(),
        },
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => "no such file".to_string(),
        Err(error) => error.to_string(),
    };
    Err(UsageError(format!("--stdin {}: {problem}", path.display())))
}

pub(crate) fn recording_notes(recording: &Recording) -> Vec<String> {
    let mut notes = vec![];
    match recording.forks {
        0 => {}
        1 => notes.push("the program forks; the child is not recorded".to_string()),
        n => notes.push(format!("the program forks {n} times; the children are not recorded")),
    }
    if recording.nondet_missing > 0 {
        let (values, were) = (
            counted(recording.nondet_missing, "nondeterministic value"),
            if recording.nondet_missing == 1 { "was" } else { "were" },
        );
        notes.push(format!("{values} more than given {were} asked for; 0 is used"));
    }
    if recording.assumption_violated {
        notes.push("a __VERIFIER_assume does not hold for these inputs; the run ends there".into());
    }
    notes
}

pub(crate) fn partial(ending: &Ending, recording: &Recording, ran: Duration) -> Option<String> {
    match ending {
        Ending::TimedOut | Ending::Stopped(Stop::Time) => {
            let seconds = ran.as_secs_f64();
            return Some(format!("the program was stopped after {seconds:.1} s; --timeout gives more"));
        }
        Ending::Stopped(stop) => return Some(format!("the program was stopped: {stop}")),
        Ending::FileLimit => {
            let most = RunLimits::default().file_mib;
            return Some(format!("the program was stopped because it writes a file of more than {most} MiB"));
        }
        Ending::SeenEnough => return Some("the program was stopped: it does not come to an end".into()),
        Ending::OutputLimit => return Some("the program was stopped because it writes too much output".into()),
        Ending::ProcessLimit => return Some("the program was stopped because it starts too many processes".into()),
        Ending::SupervisorLost => return Some("the program killed the process that watches it".into()),
        // Whoever ran it says more.
        Ending::Unsupported | Ending::Exited(_) | Ending::Signal(_) => {}
    }
    match recording.state {
        State::Complete if !recording.reaches(ending) => Some(threads::LOST.into()),
        State::Complete => None,
        State::SizeLimit => Some(
            "the run is longer than what can be followed in the time and the memory there is (--timeout, --memory); its \
             end is not recorded"
                .into(),
        ),
        State::Threads => Some("a library starts threads that run the program; the run is recorded only until then".into()),
        State::Off => Some("the run was not recorded".into()),
    }
}
