//! A program that was compiled, and its executables.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wherefore_budget::Budget;
use wherefore_frontend::{self as frontend, Compiled, Error, Executable, Instrument};
use wherefore_program::Program;
use wherefore_record::{RUNTIME_OBJECT, Run, RunLimits, Scratch};

/// Which program.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its files.
    pub files: Vec<PathBuf>,
    /// The function a run starts in.
    pub entry: String,
    /// Further arguments for the compiler.
    pub cc_args: Vec<String>,
    /// A label that no run may come to.
    pub error_label: Option<String>,
    /// Memory that a run may use.
    pub memory_mib: u64,
    /// What all work of the command may use.
    pub budget: Budget,
}

/// A program, compiled once.
pub struct Session {
    settings: Settings,
    pub(crate) compiled: Compiled,
    recorded: OnceCell<Executable>,
    replayed: OnceCell<Executable>,
    /// Last: what is made on the way goes when nobody needs it any more.
    scratch: Scratch,
}

impl Session {
    /// Compiles a program.
    ///
    /// # Errors
    /// As for [`frontend::compile`].
    pub fn new(settings: Settings) -> Result<Session, Error> {
        let scratch = Scratch::new().map_err(|source| Error::Io { what: "a temporary folder".into(), source })?;
        let options = frontend::Options {
            entry: settings.entry.clone(),
            clang_args: settings.cc_args.clone(),
            error_label: settings.error_label.clone(),
            runtime_object: RUNTIME_OBJECT.to_vec(),
            budget: settings.budget.clone(),
        };
        let compiled = frontend::compile(&settings.files, &options, scratch.path())?;
        Ok(Session { settings, compiled, recorded: OnceCell::new(), replayed: OnceCell::new(), scratch })
    }

    /// Which program it is.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.compiled.program()
    }

    /// What the compiler wants the user to know.
    pub fn messages(&self) -> &[String] {
        self.compiled.messages()
    }

    /// How long compiling took, and making the executables so far.
    pub fn compile_time(&self) -> Duration {
        self.compiled.time()
    }

    /// For what is made on the way.
    pub fn directory(&self) -> &Path {
        self.scratch.path()
    }

    /// The program alone, with the folder that its executables lie in.
    pub(crate) fn into_program(self) -> (Program, Scratch) {
        (self.compiled.into_parts().0, self.scratch)
    }

    /// The executable that records its runs.
    ///
    /// # Errors
    /// As for [`Compiled::executable`].
    pub fn recorded(&self) -> Result<&Executable, Error> {
        self.executable(&self.recorded, Instrument::Record)
    }

    /// The executable that replays its runs.
    ///
    /// # Errors
    /// As for [`Compiled::executable`].
    pub fn replayed(&self) -> Result<&Executable, Error> {
        self.executable(&self.replayed, Instrument::Replay)
    }

    fn executable<'a>(&'a self, made: &'a OnceCell<Executable>, purpose: Instrument) -> Result<&'a Executable, Error> {
        match made.get() {
            Some(executable) => Ok(executable),
            None => {
                let executable = self.compiled.executable(purpose)?;
                Ok(made.get_or_init(|| executable))
            }
        }
    }

    /// A recorded run, to be given its inputs: it may take as long as the budget lasts.
    ///
    /// # Errors
    /// As for [`Compiled::executable`].
    pub fn run(&self) -> Result<Run<'_>, Error> {
        let mut run = Run::new(&self.recorded()?.path);
        run.limits = self.limits(Duration::MAX, RunLimits::default().recording_mib);
        Ok(run)
    }

    /// Limits of a run, with a time of its own.
    pub fn limits(&self, time: Duration, recording_mib: u64) -> RunLimits {
        RunLimits {
            time,
            memory_mib: self.settings.memory_mib,
            recording_mib,
            budget: self.settings.budget.clone(),
            ..RunLimits::default()
        }
    }
}
