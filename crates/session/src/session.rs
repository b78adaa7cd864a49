//! A program that was compiled, and its executables.

use crate::carried::Carried;
use std::cell::OnceCell;
use std::collections::HashMap;
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
    /// Of an executable that came with its program: texts of sources, by their absolute paths.
    sources: Option<HashMap<String, String>>,
    /// What its files lie in, where that is to go with it.
    kept: Option<Scratch>,
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
        let carried = Carried::of(&settings.files, scratch.path())?;
        let options = frontend::Options {
            entry: settings.entry.clone(),
            clang_args: settings.cc_args.clone(),
            error_label: settings.error_label.clone(),
            linked: carried.as_ref().map(|carried| carried.linked.clone()),
            runtime_object: RUNTIME_OBJECT.to_vec(),
            budget: settings.budget.clone(),
        };
        let files = carried.as_ref().map_or(&settings.files, |carried| &carried.files);
        let compiled = frontend::compile(files, &options, scratch.path())?;
        let recorded = OnceCell::new();
        let mut sources = None;
        if let Some(carried) = carried {
            sources = Some(carried.sources);
            // Another entry, or a label, needs an executable of its own.
            if settings.entry == "main" && settings.error_label.is_none() {
                let twin = Executable { path: carried.twin, forceable: vec![] };
                recorded.get_or_init(|| twin);
            }
        }
        Ok(Session { settings, compiled, recorded, replayed: OnceCell::new(), sources, kept: None, scratch })
    }

    /// Keeps the folder that its files lie in.
    pub fn keep(&mut self, folder: Scratch) {
        self.kept = Some(folder);
    }

    /// Which program it is.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.compiled.program()
    }

    /// Texts of the program's files that came with it, by the names that the program has for them.
    pub fn sources(&self) -> HashMap<String, String> {
        let text = |name: &String| {
            let path = std::path::absolute(name).ok()?;
            Some((name.clone(), self.sources.as_ref()?.get(path.to_str()?)?.clone()))
        };
        self.program().files.iter().filter_map(text).collect()
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
        if let ([one], Some(_)) = (&self.settings.files[..], &self.sources) {
            run.argv0 = Some(one.as_os_str().to_owned());
        }
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
