//! `wherefore cc`: a drop-in for clang whose objects and executables can be explained.
//!
//! Whatever is asked, clang is asked first, with the arguments as they are: what it makes, says and returns is what the
//! project gets. Then objects get the bitcode of what they were compiled from, and an executable gets a twin, which is
//! made of the bitcode of all objects that its link took and records its run. Where that does not work out, the
//! executable is as clang made it, and a note says why.
//!
//! Knows: clang's arguments, and what the front end needs. Must not know: what a recording means.

mod arguments;
mod compile;
mod link;
mod twin;

use arguments::{Arguments, Job};
use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// What can go wrong in what is done beside clang; never with what clang does.
#[derive(thiserror::Error, Debug)]
pub(crate) enum Error {
    #[error(transparent)]
    Frontend(#[from] wherefore_frontend::Error),
    #[error("{what}: {source}")]
    File { what: String, source: std::io::Error },
    #[error("{file}: {source}")]
    Damaged { file: String, source: wherefore_carried::Damaged },
}

impl Error {
    fn file(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Error {
        let what = path.display().to_string();
        move |source| Error::File { what, source }
    }
}

/// Does what clang does with these arguments, and more; gives clang's exit status.
pub fn cc(given: Vec<OsString>) -> u8 {
    let clang = match wherefore_frontend::find_clang() {
        Ok(clang) => clang,
        Err(error) => {
            eprintln!("wherefore: {error}");
            return 1;
        }
    };
    match Arguments::read(&given) {
        Some(arguments) if arguments.job == Job::Compile => compile::compile(clang, &arguments),
        Some(arguments) if arguments.job == Job::Link => link::link(clang, &arguments),
        _ => {
            // In our place: nothing of ours is left to do.
            let error = Command::new(clang).args(given).exec();
            eprintln!("wherefore: {clang}: {error}");
            1
        }
    }
}

/// A command of a compilation database.
#[derive(Clone, Debug)]
pub struct Compilation {
    /// Where it is given.
    pub directory: PathBuf,
    /// The arguments of the compiler.
    pub arguments: Vec<OsString>,
}

/// Compiles the C files of commands to LLVM bitcode, into a folder.
///
/// # Errors
/// When clang is missing or rejects a file.
pub fn bitcode(compilations: &[Compilation], folder: &Path) -> Result<Vec<PathBuf>, wherefore_frontend::Error> {
    let clang = wherefore_frontend::find_clang()?;
    let one = |(): &mut (), number: usize, compilation: &Compilation| {
        let Some(arguments) = Arguments::read(&compilation.arguments) else { return Ok(None) };
        let Some((source, kind)) = arguments.sources().next() else { return Ok(None) };
        let to = folder.join(format!("{number}.bc"));
        match compile::module_in(&compilation.directory, clang, &arguments, source, kind, &to) {
            Ok(_) => Ok(Some(to)),
            Err(Error::Frontend(error)) => Err(error),
            Err(Error::File { what, source }) => Err(wherefore_frontend::Error::Io { what, source }),
            Err(error @ Error::Damaged { .. }) => Err(wherefore_frontend::Error::Usage(error.to_string())),
        }
    };
    let files = wherefore_parallel::try_parallel(compilations, wherefore_parallel::processors(), || Ok(()), one)?;
    Ok(files.into_iter().flatten().collect())
}

/// Something the person who builds should know.
pub(crate) fn note(what: &str) {
    eprintln!("wherefore: note: {}", what.trim_end());
}

/// Runs clang as the project would.
pub(crate) fn run(clang: &str, arguments: &[String]) -> Result<(), u8> {
    match Command::new(clang).args(arguments).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(code(status)),
        Err(error) => {
            eprintln!("wherefore: {clang}: {error}");
            Err(1)
        }
    }
}

/// As a shell tells it.
fn code(status: ExitStatus) -> u8 {
    let number = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(number).unwrap_or(1)
}
