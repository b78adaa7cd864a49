//! Many runs of one program: it is loaded once, and each run, a case, is a copy of the loaded process.
//!
//! A [`Server`] replays cases, a [`Recorder`] records them; the program must be instrumented for that. Its runtime stops
//! it before anything of it has run, constructors included, and forks on request; the copy finds the case in memory
//! shared with us, and leaves there what it counted or recorded. The server is the program of a supervisor, as in
//! [`run`](crate::run()), so nothing of it outlives us.
//!
//! A copy can do to its server what a program can do to its parent. So an end of the server, or a stop, is taken as the
//! case's doing: the case is run again by a new server that becomes the program itself, under the supervisor alone, and
//! what that tells is true. Where processes of a case are left, or a limit was reached, the server goes with them and
//! the next case gets a new one. So only programs that do such things pay for it.

mod case;
mod case_file;
mod process;
mod recorder;
mod streams;
mod trial;

pub use case::{CaseOutcome, Forced, Task};
pub use recorder::Recorder;
pub use trial::{Trial, Verdict, Wanted};

use crate::error::Error;
use crate::runner::{Isolation, RunLimits};
use case::Encoded;
use case_file::{CaseFile, Purpose};
use process::{Finished, Process, Turn};
use std::path::{Path, PathBuf};
use std::time::Duration;
use wherefore_budget::Budget;

/// A loaded program that runs cases to count their blocks, with values forced. When it is dropped, no process of it is
/// left.
///
/// It may be moved between threads, and outlives the one that started it.
#[derive(Debug)]
pub struct Server(Served);

/// A program of which there is a loaded process most of the time.
#[derive(Debug)]
struct Served {
    settings: Settings,
    /// `None` where the last case took it with it.
    process: Option<Process>,
}

/// What all processes of a server have in common.
#[derive(Clone, Debug)]
struct Settings {
    executable: PathBuf,
    limits: RunLimits,
    directory: Option<PathBuf>,
    isolation: Isolation,
    purpose: Purpose,
}

/// What is asked of a process.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Request {
    /// To run the case in a copy.
    Fork,
    /// To run it itself.
    Become,
    /// To have the cases of a trial run in copies, many in each.
    Try,
}

impl Server {
    /// Loads a program, which must be built to be replayed. The limits are those of each case; nothing is recorded.
    /// Cases run in the current directory, kept apart from other processes as well as this system allows.
    ///
    /// # Errors
    /// When the program cannot be started or is not built for this.
    pub fn start(executable: &Path, limits: &RunLimits) -> Result<Server, Error> {
        Server::start_in(executable, limits, None, Isolation::default())
    }

    /// The same in another directory or with another isolation.
    ///
    /// # Errors
    /// As for [`Server::start`].
    pub fn start_in(
        executable: &Path,
        limits: &RunLimits,
        directory: Option<&Path>,
        isolation: Isolation,
    ) -> Result<Server, Error> {
        Served::start(Settings {
            executable: executable.to_owned(),
            limits: limits.clone(),
            directory: directory.map(Path::to_owned),
            isolation,
            purpose: Purpose::Replay,
        })
        .map(Server)
    }

    /// Runs a case. A program that interferes with its parent process is run twice.
    ///
    /// # Errors
    /// When the case cannot be run; never for what the program does.
    pub fn run(&mut self, case: &Task) -> Result<CaseOutcome, Error> {
        self.run_within(case, self.0.settings.limits.time)
    }

    /// The same within another time.
    ///
    /// # Errors
    /// As for [`Server::run`].
    pub fn run_within(&mut self, case: &Task, time: Duration) -> Result<CaseOutcome, Error> {
        let read = |finished: Finished, file: &CaseFile| {
            Ok(CaseOutcome {
                ending: finished.ending,
                stdout: finished.stdout,
                stderr: finished.stderr,
                counts: file.counts(),
                applied: file.applied(),
                assumption_violated: file.assumption_violated(),
            })
        };
        self.0.run(case, time, read)
    }
}

impl Server {
    /// Runs the cases of a trial for each of some choices, in turn and mostly in one process; see [`Trial`]. Where the budget
    /// is over, the rest is not tried.
    ///
    /// # Errors
    /// When the cases cannot be given to the program; never for what it does.
    pub fn try_choices(&mut self, trial: &Trial, choices: &[u32], budget: &Budget) -> Result<Vec<Verdict>, Error> {
        if trial.is_empty() || choices.is_empty() {
            return Ok(vec![trial.of_nothing(); choices.len()]);
        }
        let mut process = match self.0.process.take().filter(|p| p.has_room(trial.bytes(choices.len()))) {
            Some(process) => process,
            None => Process::start(&self.0.settings, trial.bytes(choices.len()))?,
        };
        let is_clean = process.run_trial(&trial.encoded(choices), &self.in_turn(budget))?;
        let verdicts = trial.read(choices.len(), process.file());
        self.0.process = is_clean.then_some(process);
        Ok(verdicts)
    }

    /// Runs the cases of a trial, mostly in one process, and tells of each that passes how often it executed each block. Of
    /// the others nothing is known: they need a process of their own.
    ///
    /// # Errors
    /// When the cases cannot be given to the program; never for what it does.
    pub fn count_passing(&mut self, trial: &Trial) -> Result<Vec<Option<Vec<u32>>>, Error> {
        let process = match self.0.process.take() {
            Some(process) => process,
            None => Process::start(&self.0.settings, 0)?,
        };
        let blocks = process.file().blocks();
        let bytes = trial.bytes_counted(blocks);
        let mut process = match process.has_room(bytes) {
            true => process,
            false => Process::start(&self.0.settings, bytes)?,
        };
        let is_clean =
            process.run_trial(&trial.encoded_counted(blocks), &self.in_turn(&self.0.settings.limits.budget))?;
        let counted = trial.read_counted(blocks, process.file());
        self.0.process = is_clean.then_some(process);
        Ok(counted)
    }

    /// What cases that are run in turn may take: each has the time of a case, all together what the budget has.
    fn in_turn(&self, budget: &Budget) -> RunLimits {
        let RunLimits { time, processor, .. } = self.0.settings.limits;
        let processor = Some(processor.unwrap_or(time));
        RunLimits { time: Duration::MAX, processor, budget: budget.clone(), ..self.0.settings.limits.clone() }
    }
}

impl Served {
    fn start(settings: Settings) -> Result<Served, Error> {
        let process = Process::start(&settings, 0)?;
        Ok(Served { settings, process: Some(process) })
    }

    /// Runs a case within a time and reads what it left.
    fn run<T>(
        &mut self,
        case: &Task,
        time: Duration,
        read: impl Fn(Finished, &CaseFile) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let encoded = Encoded::new(case, &self.settings.executable)?;
        let limits = RunLimits { time, ..self.settings.limits.clone() };
        for request in [Request::Fork, Request::Become] {
            let mut process = match self.process.take().filter(|p| p.can_take(&encoded)) {
                Some(process) => process,
                None => Process::start(&self.settings, encoded.bytes())?,
            };
            match process.run(&encoded, request, &limits)? {
                Turn::Clean(finished) => {
                    let outcome = read(finished, process.file())?;
                    self.process = Some(process);
                    return Ok(outcome);
                }
                Turn::Last(finished) => return read(finished, process.file()),
                Turn::Lost => {}
            }
        }
        Err(Error::NoServer {
            executable: self.settings.executable.clone(),
            reason: "it ended before the case began, twice",
        })
    }
}
