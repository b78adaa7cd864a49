//! The runs of a search: many short ones of one program, which is therefore loaded once where that is possible.

use crate::Session;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wherefore_budget::Budget;
use wherefore_case::Given;
use wherefore_record::{self as record, Ending, Outcome, Recorder, Run, RunLimits, State, Task};

/// What a single run may take: it is one of many, and some never end.
const RUN_TIME: Duration = Duration::from_millis(250);
/// What it may take if the recording shows that it was only slow: the machine may be busy.
const SLOW_RUN_TIME: Duration = Duration::from_secs(3);
/// What a run may take that did not end within that, when nothing else is left to do: at first, then four times as much.
const PATIENT_RUN_TIME: Duration = Duration::from_secs(1);
/// How much of a single run is recorded.
const RECORDING_MIB: u64 = 1;
/// Most bytes of a file for standard input that are given to each run anew.
const SHORT_INPUT: u64 = 1 << 20;

/// A program and what all runs of it have in common.
pub struct Runs<'a> {
    executable: &'a Path,
    limits: RunLimits,
    /// Standard input where it is not searched.
    stdin: Option<PathBuf>,
    way: Way,
    /// For what is made on the way.
    directory: &'a Path,
}

/// How runs are made.
enum Way {
    /// As copies of a loaded program, with this for standard input where it is not searched.
    Copies(Box<Recorder>, Vec<u8>),
    /// Each on its own.
    Single,
}

impl<'a> Runs<'a> {
    /// Loads the program; `stdin` is what it reads where that is not searched.
    ///
    /// # Errors
    /// When it does not start.
    pub fn new(
        session: &'a Session,
        executable: &'a Path,
        stdin: Option<&Path>,
        budget: &Budget,
    ) -> Result<Runs<'a>, record::Error> {
        let limits = RunLimits { budget: budget.clone(), ..session.limits(RUN_TIME, RECORDING_MIB) };
        let way = match short_input(stdin) {
            // A program that cannot be served may still run.
            Some(input) => match Recorder::start(executable, &limits) {
                Err(record::Error::NoServer { .. }) => Way::Single,
                recorder => Way::Copies(Box::new(recorder?), input),
            },
            None => Way::Single,
        };
        Ok(Runs { executable, limits, stdin: stdin.map(Path::to_owned), way, directory: session.directory() })
    }

    /// Makes a run.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn make(&mut self, given: &Given, patience: u32) -> Result<Outcome, record::Error> {
        if patience > 0 {
            let time = PATIENT_RUN_TIME * 4u32.pow(patience - 1);
            return self.make_alone(given, time, RECORDING_MIB << (2 * patience));
        }
        let outcome = self.make_within(given, RUN_TIME)?;
        let is_short = outcome.recording.as_ref().is_none_or(|r| r.state == State::Complete);
        if outcome.ending != Ending::TimedOut || !is_short {
            return Ok(outcome);
        }
        self.make_within(given, SLOW_RUN_TIME)
    }

    fn make_within(&mut self, given: &Given, time: Duration) -> Result<Outcome, record::Error> {
        match &mut self.way {
            Way::Copies(recorder, input) => {
                let stdin = given.stdin.as_deref().unwrap_or(input);
                recorder.run_within(&Task { stdin: Some(stdin), ..Task::from(given) }, time)
            }
            Way::Single => self.make_alone(given, time, RECORDING_MIB),
        }
    }

    /// Makes a run of its own.
    fn make_alone(&self, given: &Given, time: Duration, recording_mib: u64) -> Result<Outcome, record::Error> {
        let mut run = Run::new(self.executable);
        run.give(given);
        run.limits = RunLimits { time, recording_mib, ..self.limits.clone() };
        run.stdin = match &given.stdin {
            Some(text) if text.is_empty() => None,
            Some(text) => Some(write_input(self.directory, text)?),
            None => self.stdin.clone(),
        };
        record::run(&run, self.directory)
    }
}

/// The content of a file for standard input; `None` where it cannot be given to many runs.
fn short_input(path: Option<&Path>) -> Option<Vec<u8>> {
    let Some(path) = path else { return Some(vec![]) };
    let metadata = std::fs::metadata(path).ok()?;
    // Not a pipe, which gives what it has to the first run only, and not /proc, where files have no length.
    let is_short = metadata.is_file() && (1..=SHORT_INPUT).contains(&metadata.len());
    if is_short { std::fs::read(path).ok() } else { None }
}

fn write_input(directory: &Path, text: &[u8]) -> Result<PathBuf, record::Error> {
    let path = directory.join("stdin");
    match std::fs::write(&path, text) {
        Ok(()) => Ok(path),
        Err(source) => Err(record::Error::File { action: "write", path, source }),
    }
}
