//! A program with one executable, without what compiled it: threads can share it.

use crate::{Native, Session};
use std::path::Path;
use std::time::Duration;
use wherefore_frontend::{Error, Executable, Instrument};
use wherefore_program::Program;
use wherefore_record::{RunLimits, Scratch};

/// How much longer a run may take by the clock than it may take of a processor: others want that as well.
const BY_THE_CLOCK: u32 = 8;

/// A program that is ready to run in one way.
pub struct Prepared {
    program: Program,
    executable: Executable,
    limits: RunLimits,
    scratch: Scratch,
}

impl Session {
    /// The program with one executable; a run of it may take so much of a processor, and some times as long.
    ///
    /// # Errors
    /// As for [`Session::recorded`].
    pub fn prepared(self, purpose: Instrument, processor: Duration, recording_mib: u64) -> Result<Prepared, Error> {
        let executable = match purpose {
            Instrument::Record => self.recorded()?.clone(),
            Instrument::Replay => self.replayed()?.clone(),
            Instrument::Count | Instrument::RecordPlainly => self.compiled.executable(purpose)?,
        };
        let limits = RunLimits { processor: Some(processor), ..self.limits(BY_THE_CLOCK * processor, recording_mib) };
        let (program, scratch) = self.into_program();
        Ok(Prepared { program, executable, limits, scratch })
    }
}

impl Prepared {
    /// The same with so much room for the stack of a run.
    pub fn with_stack(mut self, stack_kib: u64) -> Prepared {
        self.limits.stack_kib = stack_kib;
        self
    }

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

    /// Runs its tests, if it was not made to be recorded.
    pub fn native(&self) -> Native<'_> {
        Native::of(&self.executable, self.scratch.path(), self.limits.clone())
    }
}
