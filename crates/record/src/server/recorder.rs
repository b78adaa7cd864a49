//! Cases that are recorded.

use super::case_file::{CaseFile, Purpose};
use super::process::Finished;
use super::{Served, Settings, Task};
use crate::error::Error;
use crate::layout::MOST_EVENTS;
use crate::runner::{Isolation, Outcome, RunLimits, mib};
use std::path::Path;
use std::time::Duration;

/// A loaded program that runs cases and records them, each as [`run`](crate::run()) would. When it is dropped, no process
/// of it is left.
///
/// Recordings are made in memory, so [`RunLimits::recording_mib`] should be small; each outcome has a copy of what was
/// written. The arguments of a case are given to `main` alone, where it asks for them.
#[derive(Debug)]
pub struct Recorder(Served);

impl Recorder {
    /// Loads a program, which must be built to be recorded. The limits are those of each case. Cases run in the current
    /// directory, kept apart from other processes as well as this system allows.
    ///
    /// # Errors
    /// When the program cannot be started or is not an instrumented one.
    pub fn start(executable: &Path, limits: &RunLimits) -> Result<Recorder, Error> {
        Recorder::start_in(executable, limits, None, Isolation::default())
    }

    /// The same in another directory or with another isolation.
    ///
    /// # Errors
    /// As for [`Recorder::start`].
    pub fn start_in(
        executable: &Path,
        limits: &RunLimits,
        directory: Option<&Path>,
        isolation: Isolation,
    ) -> Result<Recorder, Error> {
        Served::start(Settings {
            executable: executable.to_owned(),
            limits: limits.clone(),
            directory: directory.map(Path::to_owned),
            isolation,
            purpose: Purpose::Record(mib(limits.recording_mib).min(MOST_EVENTS)),
        })
        .map(Recorder)
    }

    /// Runs a case. A program that interferes with its parent process is run twice.
    ///
    /// # Errors
    /// When the case cannot be run or its recording is unusable; never for what the program does.
    pub fn run(&mut self, case: &Task) -> Result<Outcome, Error> {
        self.run_within(case, self.0.settings.limits.time)
    }

    /// The same with a time of its own instead of [`RunLimits::time`].
    ///
    /// # Errors
    /// As for [`Recorder::run`].
    pub fn run_within(&mut self, case: &Task, time: Duration) -> Result<Outcome, Error> {
        let read = |finished: Finished, file: &CaseFile| {
            Ok(Outcome {
                ending: finished.ending,
                stdout: finished.stdout,
                stderr: finished.stderr,
                recording: file.recording()?,
                wall: finished.wall,
                leftovers_killed: finished.leftovers,
            })
        };
        self.0.run(case, time, read)
    }
}
