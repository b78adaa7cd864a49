//! Recordings that processes left by themselves, under `WHEREFORE_RECORD`.

use crate::UsageError;
use crate::options::Run as Options;
use crate::run::{self, Happened};
use crate::threads;
use std::path::Path;
use std::time::Duration;
use wherefore_budget::Budget;
use wherefore_record::{Captured, Ending, Kept, State};
use wherefore_report as report;
use wherefore_session::{Session, Settings};
use wherefore_trace::{STACK, Stopped};

/// Reads one, with the program from the executable beside it.
pub fn load(path: &Path, options: &Options, budget: &Budget) -> anyhow::Result<Happened> {
    let unusable = |what: String| UsageError(format!("{}: {what}", path.display()));
    let kept = Kept::read(path).map_err(|error| unusable(error.to_string()))?;
    if kept.is_running {
        return Err(unusable(format!("process {} is still running", kept.pid)).into());
    }
    if !kept.executable.is_file() {
        let executable = kept.executable.display();
        return Err(unusable(format!("its program is gone: {executable}")).into());
    }
    let session = Session::new(Settings {
        files: vec![kept.executable.clone()],
        entry: "main".into(),
        cc_args: vec![],
        error_label: None,
        memory_mib: options.memory,
        budget: budget.clone(),
    })?;
    let recording = kept.recording;
    let mut notes = run::recording_notes(&recording);
    notes.extend(threads::note(session.program(), &recording));
    let (stopped, partial) = match (kept.ending, recording.state) {
        (Some(Ending::Exited(status)), State::Complete) => (Stopped::Exit(status), None),
        (Some(ending), State::Complete) if !recording.reaches(&ending) => (Stopped::Limit, Some(threads::LOST.into())),
        (Some(Ending::Signal(signal)), State::Complete) => (Stopped::Signal(signal), None),
        (Some(ending), _) => (Stopped::Limit, run::partial(&ending, &recording, Duration::ZERO)),
        (None, _) => {
            let what = "it is not known how the process ended: it was killed, or became another program";
            notes.push(what.into());
            (Stopped::Limit, Some(what.into()))
        }
    };
    let given = kept.arguments.iter().enumerate().skip(1).map(|(number, argument)| report::Input {
        name: format!("argv[{number}]"),
        value: format!("\"{}\"", argument.to_string_lossy()),
    });
    Ok(Happened {
        stack: STACK,
        program: session.program().clone(),
        stopped,
        given: given.collect(),
        globals: vec![],
        notes,
        partial,
        unended: None,
        stands_still: false,
        output: String::new(),
        // What was written went elsewhere.
        stdout: Captured { bytes: u64::MAX, kept: vec![] },
        stdin: None,
        kept: session.sources(),
        times: (session.compile_time(), Duration::ZERO),
        recording,
    })
}
