//! A program explained in every way there is: once as a user sees it, once as data.

use super::subject::Subject;
use clap::Parser;
use std::path::Path;
use wherefore_budget::Budget;
use wherefore_cli::options::{Cli, Command, Explain};
use wherefore_cli::run::{Happened, load};
use wherefore_cli::{Status, Work, explain as command};
use wherefore_localize::{self as localize, Explanation};
use wherefore_report::Report;
use wherefore_trace::Trace;

/// A way to explain.
#[derive(Debug)]
pub struct Way {
    pub name: &'static str,
    arguments: &'static [&'static str],
    /// Whether conditions are explained too.
    pub conditions: bool,
}

/// All ways.
pub const WAYS: [Way; 4] = [
    Way { name: "trace", arguments: &["--encoding", "trace"], conditions: false },
    Way { name: "recursive", arguments: &["--encoding", "recursive"], conditions: true },
    Way { name: "flow-sensitive", arguments: &["--encoding", "flow-sensitive"], conditions: true },
    Way {
        name: "flow-sensitive with addresses",
        arguments: &["--encoding", "flow-sensitive", "--addresses", "on"],
        conditions: true,
    },
];

/// An explanation.
pub struct Explained {
    pub way: &'static Way,
    pub status: Status,
    /// As it is printed.
    pub report: Report,
    pub trace: Trace,
    pub explanation: Explanation,
}

const RECORDING: &str = "program.recording";

/// The error of an explanation that is not finished.
pub const TOO_HARD: &str = "not finished";

/// Conflicts for a question of a check: what is too hard must not depend on a clock.
pub const CONFLICTS: u64 = 2_000;

/// Record a program.
///
/// # Errors
///
/// What went wrong, as the user would see it.
pub fn record(subject: &Subject, directory: &Path) -> Result<Happened, String> {
    let source = directory.join("program.c");
    let recording = directory.join(RECORDING);
    std::fs::write(&source, subject.text()).map_err(|e| e.to_string())?;
    let mut arguments = vec!["--entry".to_string(), subject.program.entry.clone()];
    for (name, value) in &subject.program.inputs {
        arguments.extend(["--input".into(), format!("{name}={value}")]);
    }
    let mut record = vec!["wherefore".to_string(), "record".into(), "-q".into(), text(&source)];
    record.extend(arguments);
    record.extend(["-o".into(), text(&recording)]);
    let status = wherefore_cli::run_with(record.into_iter().map(Into::into));
    if status != Status::Explained {
        return Err(format!("recording ends with {status:?}"));
    }
    let loaded = load(&options(&WAYS[0], directory)?.run, &Budget::unlimited()).map_err(|e| format!("{e:#}"))?;
    loaded.ok_or_else(|| "there is no recording".to_string())
}

/// Explain a recorded program.
///
/// # Errors
///
/// What went wrong, as the user would see it.
pub fn explain(happened: &Happened, way: &'static Way, directory: &Path) -> Result<Explained, String> {
    let options = options(way, directory)?;
    explain_with(happened, &options, way).map_err(|e| format!("{e:#}"))
}

fn explain_with(happened: &Happened, options: &Explain, way: &'static Way) -> anyhow::Result<Explained> {
    let status = command::explain(options, &Work::default())?;
    anyhow::ensure!(status != Status::Partial, TOO_HARD);
    let output = options.report.output.as_ref().expect("given");
    let report: Report = serde_json::from_str(&std::fs::read_to_string(output)?)?;
    let mut trace = command::trace(happened, options, &Budget::unlimited())?;
    let settings = command::settings(options, &Budget::unlimited());
    let explanation =
        localize::explain(&happened.program, &mut trace, &settings).ok_or_else(|| anyhow::anyhow!(TOO_HARD))?;
    Ok(Explained { way, status, report, trace, explanation })
}

fn options(way: &Way, directory: &Path) -> Result<Explain, String> {
    let output = text(&directory.join("report.json"));
    let recording = text(&directory.join(RECORDING));
    let mut arguments = vec!["wherefore", "explain", &recording, "--format", "json"];
    arguments.extend(["-o", &output]);
    arguments.extend(way.arguments);
    match Cli::try_parse_from(arguments).map_err(|e| e.to_string())?.command {
        Command::Explain(options) => Ok(options),
        _ => Err("not what was asked for".into()),
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
