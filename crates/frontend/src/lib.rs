//! The front end: C files to a [`Program`] and to an executable that records its run, or that many runs can be made of
//! with other values here and there.
//!
//! Clang compiles each file to LLVM IR, once; the modules are linked into one; that module is lowered to the program
//! model, then instrumented for what an executable is for, compiled and linked with the runtime. One module serves all,
//! so that a recording fits its program word for word, and a forced value its point.
//!
//! Knows: clang, LLVM, the linker. Must not know: what the runtime does with the words, or what a run means.
//! No type of LLVM is visible outside this crate.

mod byval;
mod clang;
mod compiled;
mod debug_info;
mod error;
mod forbidden;
mod instrument;
mod link;
mod llvm;
mod lower;
mod plan;
mod tool;
mod undefined;

pub use clang::{FLAGS, NAMES, find as find_clang};
pub use compiled::{Compiled, Executable, can_lower, compile};
pub use error::Error;

use std::path::{Path, PathBuf};
use std::time::Duration;
use wherefore_budget::Budget;
use wherefore_program::Program;

/// How to build a program.
#[derive(Clone, Debug)]
pub struct Options {
    /// The function a run starts in, by its C name; usually `main`.
    pub entry: String,
    /// Further arguments for clang; those for the linker (`-l`, `-L`, `-Wl,`) reach it.
    pub clang_args: Vec<String>,
    /// A label that no run may come to.
    pub error_label: Option<String>,
    /// The arguments of a link that has everything the program needs, where there was one: what links again is clang, with
    /// these, and nothing can be undefined.
    pub linked: Option<Vec<String>>,
    /// The runtime, an object file.
    pub runtime_object: Vec<u8>,
    /// What all work of the command may use.
    pub budget: Budget,
}

/// What an executable does besides running the program.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Instrument {
    /// It records its run.
    #[default]
    Record,
    /// The same with every word written, none left out: what a recording has to be like when the words are put back.
    RecordPlainly,
    /// It counts how often each block is entered, by recording number, and takes other values at its points
    /// ([`wherefore_program::points`]) where a run wants that. It records nothing.
    Replay,
    /// It counts only, and no more than what tells how often lines are executed and whether the program comes to what judges
    /// it: less to compile where many edits are tried.
    Count,
}

/// A program and its executable.
#[derive(Debug)]
pub struct Build {
    /// The model.
    pub program: Program,
    /// The executable, in the directory given to [`build()`].
    pub executable: PathBuf,
    /// [`Executable::forceable`].
    pub forceable: Vec<bool>,
    /// What the user should know: warnings asked for by `-W...`, files that needed an old standard.
    pub messages: Vec<String>,
    /// How long it took.
    pub compile_time: Duration,
}

/// Compiles a program and makes one executable of it, in `dir`.
///
/// # Errors
///
/// As for [`compile()`] and [`Compiled::executable`].
pub fn build(inputs: &[PathBuf], options: &Options, instrument: Instrument, dir: &Path) -> Result<Build, Error> {
    let compiled = compile(inputs, options, dir)?;
    let Executable { path, forceable } = compiled.executable(instrument)?;
    let compile_time = compiled.time();
    let (program, messages) = compiled.into_parts();
    Ok(Build { program, executable: path, forceable, messages, compile_time })
}
