//! The command line: `wherefore explain`, `wherefore record` and `wherefore search`.
//!
//! Knows every layer, and is the only place that puts them together, reads files and decides the exit status. It is a
//! library so that tests can look at an explanation before it becomes text.

pub mod diagnose;
mod emit;
pub mod explain;
pub mod inputs;
mod interrupt;
pub mod options;
mod present;
pub mod progress;
mod recording;
pub mod run;
pub mod search;
mod sources;

use clap::Parser;
use options::{Cli, Command};
use std::ffi::OsString;

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

/// Do what the arguments say (the first is the program's name).
pub fn run_with(arguments: impl IntoIterator<Item = OsString>) -> Status {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Printing can fail only when there is nobody left to read it.
            let _ = error.print();
            return if error.use_stderr() { Status::Usage } else { Status::Explained };
        }
    };
    let result = match &cli.command {
        Command::Explain(options) => explain::explain(options),
        Command::Diagnose(options) => diagnose::diagnose(options),
        Command::Bench(options) => diagnose::bench::bench(options),
        Command::Record(options) => recording::record(options),
        Command::Search(options) => search::search(options),
    };
    result.unwrap_or_else(|error| {
        let text = format!("{error:#}");
        eprintln!("wherefore: {}", text.trim_end());
        if is_usage(&error) { Status::Usage } else { Status::Failed }
    })
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
