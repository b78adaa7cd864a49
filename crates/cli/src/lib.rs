//! The command line: `wherefore explain`, `diagnose`, `relevant`, `search`, `record` and `cc`.
//!
//! Knows every layer, and is the only place that puts them together, reads files and decides the exit status. It is a
//! library so that tests can look at an explanation before it becomes text.

mod asked;
mod automata;
mod batch;
mod boogie;
mod compilations;
pub mod diagnose;
mod emit;
pub mod explain;
mod hang;
mod initialisers;
pub mod inputs;
mod kept;
mod library;
pub mod memory;
mod nearby;
pub mod options;
mod overlay;
mod pipes;
mod present;
pub mod progress;
mod question;
pub mod recording;
pub mod relevant;
pub mod run;
mod sealed;
pub mod search;
mod sources;
mod standstill;
pub mod test_files;
mod threads;
mod told;
mod watch;
mod witness;
mod work;

pub use work::{Work, budget};

use options::{Cli, Command};
use std::ffi::OsString;
use wherefore_budget::Stop;

/// Why the program ends, as its exit status says it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// A failure was found and explained.
    Explained = 0,
    /// Anything else went wrong.
    Failed = 1,
    /// Wrong usage or unreadable input.
    Usage = 2,
    /// Nothing to explain.
    NoFailure = 3,
    /// Stopped at a limit; what was found is printed.
    Partial = 4,
}

/// An error that is the user's to mend: exit status 2.
#[derive(Debug)]
pub struct UsageError(pub String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// Room for the stack: what is nested deeply in a program is followed by nested calls here and there.
const STACK: usize = 1 << 30;

/// The command itself: does what the arguments say (the first is the program's name), watched, and leaves with a status: one
/// of [`Status`], or the compiler's where we stand for it.
pub fn command(mut arguments: Vec<OsString>) -> u8 {
    match arguments.get(1).and_then(|word| word.to_str()) {
        Some("cc") => return wherefore_driver::cc(arguments.split_off(2)),
        Some("c++") => {
            eprintln!("wherefore: C++ is not understood; wherefore cc compiles C");
            return Status::Usage as u8;
        }
        _ => {}
    }
    watched(arguments) as u8
}

fn watched(arguments: Vec<OsString>) -> Status {
    let deep = std::thread::Builder::new().name("wherefore".into()).stack_size(STACK);
    match deep.spawn(move || parsed(arguments, true)).map(|thread| thread.join()) {
        Ok(Ok(status)) => status,
        // A panic has said what is wrong.
        Ok(Err(_)) => Status::Failed,
        Err(error) => {
            eprintln!("wherefore: no thread can be started: {error}");
            Status::Failed
        }
    }
}

/// Do what the arguments say, in a process that does other things as well: nobody watches, signals are not ours.
pub fn run_with(arguments: impl IntoIterator<Item = OsString>) -> Status {
    parsed(arguments, false)
}

fn parsed(arguments: impl IntoIterator<Item = OsString>, watched: bool) -> Status {
    let mut cli = match Cli::read(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Printing can fail only when there is nobody left to read it.
            let _ = error.print();
            return if error.use_stderr() { Status::Usage } else { Status::Explained };
        }
    };
    let work = Work::new(&cli.command);
    let words = work.last_words(&cli.command);
    if watched {
        watch::start(&work.budget, words.clone());
    }
    let result = pipes::copy_all(&mut cli.command, &work.budget).and_then(|()| match &cli.command {
        Command::Explain(options) => explain::explain(options, &work),
        Command::Diagnose(options) => match &options.batch {
            Some(list) => batch::batch(options, list, &work),
            None => diagnose::diagnose(options, &work),
        },
        Command::Record(options) => recording::record(options, &work),
        Command::Search(options) => search::search(options, &work),
        Command::Relevant(options) => relevant::relevant(options, &work),
    });
    let result = match result {
        // Whatever went wrong after a stop is no more than a consequence.
        Err(error) => match stop_in(&error).or_else(|| work.budget.stopped()) {
            Some(stop) if !is_usage(&error) => {
                watch::say_stopped(stop, &words);
                Ok(Status::Partial)
            }
            _ => Err(error),
        },
        result => result,
    };
    result.unwrap_or_else(|error| {
        let text = format!("{error:#}");
        eprintln!("wherefore: {}", text.trim_end());
        if is_usage(&error) { Status::Usage } else { Status::Failed }
    })
}

/// The limit that an error speaks of.
pub(crate) fn stop_in(error: &anyhow::Error) -> Option<Stop> {
    error.chain().find_map(|cause| cause.downcast_ref::<Stop>().copied())
}

/// Whether an error is about what the user gave us.
fn is_usage(error: &anyhow::Error) -> bool {
    use wherefore_frontend::Error as E;
    let frontend = error.downcast_ref::<E>().is_some_and(|e| {
        matches!(
            e,
            E::NoSuchFile(_)
                | E::Usage(_)
                | E::CompileFailed { .. }
                | E::UnknownEntry { .. }
                | E::EntryNeeds { .. }
                | E::LinkFailed { .. }
                | E::Unsupported { .. }
        )
    });
    frontend || error.is::<UsageError>()
}
