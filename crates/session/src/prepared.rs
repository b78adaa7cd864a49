//! A program with one executable, without what compiled it: threads can share it.

use crate::{Native, Session};
use std::path::Path;
use std::time::Duration;
use wherefore_frontend::{Error, Executable, Instrument};
use wherefore_program::Program;
use wherefore_record::{RunLimits, Scratch};

/// A program that is ready to run in one way.
pub struct Prepared {
    program: Program,
    executable: Executable,
    limits: RunLimits,
    scratch: Scratch,
}

impl Session {
    /// The program with one executable; a run of it may take so long.
    ///
    /// # Errors
    /// As for [`Session::recorded`].
    pub fn prepared(self, purpose: Instrument, time: Duration, recording_mib: u64) -> Result<Prepared, Error> {
        let executable = match purpose {
            Instrument::Record => self.recorded()?.clone(),
            Instrument::Replay => self.replayed()?.clone(),
        };
        let limits = self.limits(time, recording_mib);
        let (program, scratch) = self.into_program();
        Ok(Prepared { program, executable, limits, scratch })
    }
}

impl Prepared {
    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The executable.
    pub fn executable(&self) -> &Path {
        &self.executable.path
    }

    /// What a run may take.
    pub fn limits(&self) -> &RunLimits {
        &self.limits
    }

    /// Runs its tests, if it was made to be replayed.
    pub fn native(&self) -> Native<'_> {
        Native::of(&self.executable, self.scratch.path(), self.limits.clone())
    }
}
