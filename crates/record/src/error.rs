//! What can go wrong with a run or a recording. What the program itself does, however bad, is no error but an
//! [`Ending`](crate::Ending).

use std::io;
use std::path::{Path, PathBuf};
use wherefore_budget::Stop;

/// Why there is no outcome of a run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file needed for the run cannot be used.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried, e.g. `open`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Too little space is left for a recording.
    #[error("only {available} bytes are free in {}: not enough for a recording", directory.display())]
    NoSpace {
        /// Where the recording was to be.
        directory: PathBuf,
        /// What is free there.
        available: u64,
    },
    /// An argument or path cannot be given to a program.
    #[error("{what} contains a zero byte")]
    ZeroByte {
        /// Which one.
        what: String,
    },
    /// The program could not be started.
    #[error("cannot start {}: {step}: {source}", executable.display())]
    Start {
        /// The program.
        executable: PathBuf,
        /// The step that failed, e.g. `execute it`.
        step: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// The dynamic loader does not let the program run, or go on.
    #[error("the dynamic loader ends the program: {words}")]
    Refused {
        /// What it says.
        words: String,
    },
    /// The program cannot be made to serve cases.
    #[error("{} does not serve cases: {reason}", executable.display())]
    NoServer {
        /// The program.
        executable: PathBuf,
        /// Why.
        reason: &'static str,
    },
    /// What the command may use is used up.
    #[error("{0}")]
    Stopped(#[source] Stop),
    /// The system refused something while the program was watched; its processes have been ended.
    #[error("cannot watch the program: {action}: {source}")]
    Watch {
        /// What was tried.
        action: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// The program ran but its recording is unusable.
    #[error(transparent)]
    Recording(#[from] RecordingError),
}

impl Error {
    /// A failed use of a file, with the reason the system just gave.
    pub(crate) fn file(action: &'static str, path: &Path, source: io::Error) -> Error {
        Error::File { action, path: path.to_owned(), source }
    }
}

/// Why a recording cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// Reading or writing failed.
    #[error("cannot {action} the recording: {source}")]
    Stream {
        /// What was tried.
        action: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// Not a recording at all.
    #[error("this is not a recording")]
    NotARecording,
    /// Made by another version of the tool.
    #[error("the recording has version {found}, this tool reads version {expected}; build or record it again")]
    Version {
        /// Its version.
        found: u64,
        /// The version understood.
        expected: u64,
    },
    /// The file ends before the recording does.
    #[error("the recording is cut off in its {part}")]
    Truncated {
        /// Which part is incomplete.
        part: &'static str,
    },
    /// What it says cannot be.
    #[error("the recording is damaged: {what}")]
    Malformed {
        /// What is wrong.
        what: String,
    },
}

impl From<Stop> for Error {
    fn from(stop: Stop) -> Error {
        Error::Stopped(stop)
    }
}
