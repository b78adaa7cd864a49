//! What can go wrong between C files and a program.

use std::path::PathBuf;
use wherefore_budget::Stop;

/// Why a program could not be built.
#[derive(thiserror::Error, Debug)]
pub enum Error {
    /// There is no clang 19.
    #[error("clang 19 was not found; install it with: {install}")]
    MissingClang {
        /// The command that installs it.
        install: String,
    },
    /// An input does not exist or is not a file.
    #[error("{}: no such file", .0.display())]
    NoSuchFile(PathBuf),
    /// No inputs, or one of a kind that is not understood.
    #[error("{0}")]
    Usage(String),
    /// Clang rejected a file.
    #[error("{stderr}")]
    CompileFailed {
        /// What clang said, untouched.
        stderr: String,
    },
    /// The entry function does not exist.
    #[error("there is no function `{name}` with a body{}", .known.is_empty().then(String::new).unwrap_or_else(|| format!("; there are: {}", .known.join(", "))))]
    UnknownEntry {
        /// What was asked for.
        name: String,
        /// The functions that exist.
        known: Vec<String>,
    },
    /// The entry function has a parameter for which no argument can be made.
    #[error("{at}: `{name}` cannot be the entry: it needs {what}")]
    EntryNeeds {
        /// Its name.
        name: String,
        /// Where it is, `file:line`.
        at: String,
        /// What it needs, in words.
        what: String,
    },
    /// The linker failed, for example because a function is defined nowhere.
    #[error("{stderr}")]
    LinkFailed {
        /// What the linker said, untouched.
        stderr: String,
    },
    /// C that cannot be handled at all, not even roughly.
    #[error("{at}: {what} is not supported")]
    Unsupported {
        /// Where, `file:line:column`, or the input.
        at: String,
        /// What, in words.
        what: String,
    },
    /// Reading or writing failed.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// What the command may use is used up.
    #[error("{0}")]
    Stopped(#[source] Stop),
    /// A bug in this crate.
    #[error("internal error: {0}")]
    Internal(String),
}

impl Error {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Error {
        let what = what.into();
        move |source| Error::Io { what, source }
    }
}

impl From<Stop> for Error {
    fn from(stop: Stop) -> Error {
        Error::Stopped(stop)
    }
}
