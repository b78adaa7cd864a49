//! Concrete runs: starts an instrumented program, keeps it within bounds, and hands back what it did.
//!
//! An instrumented program is linked with [`RUNTIME_OBJECT`], which writes words into a file mapped in the program's
//! memory; the file is there whatever ends the program. [`run`] starts the program under a supervisor, drains its
//! output, ends it at its limits, makes sure that no process of it survives, and returns an [`Outcome`] with the
//! [`Recording`]. Many runs of one program are much faster where it is loaded once: a [`Recorder`] gives the same
//! outcomes, a [`Server`] counts blocks and can force values, and records nothing.
//!
//! Knows: processes, files, limits, the layout of the mapped file. Linux (5.9 or later) on a 64-bit machine.
//! Must not know: LLVM (the words are opaque here; `wherefore-program` says what they mean), solvers, output formats.

mod checksum;
mod disk;
mod error;
mod input;
mod kept;
mod layout;
mod loader;
mod mapping;
mod output;
mod packed;
mod processes;
mod recording;
mod runner;
mod saved;
mod scratch;
mod server;
mod shapes;
mod start;
mod starter;
mod supervisor;
mod threads;
mod watch;

pub use checksum::Checksum;
pub use error::{Error, RecordingError};
pub use input::object_address;
pub use kept::{Kept, is_kept};
pub use output::Captured;
pub use recording::{GlobalImage, Recording, State};
pub use runner::{Ending, Isolation, Look, Outcome, Run, RunLimits, SHOWN_WORDS, run};
pub use scratch::{Scratch, Unfinished, remove_all};
pub use server::{CaseOutcome, Forced, Recorder, Server, Task, Trial, Verdict, Wanted};
pub use threads::{Followed, Thread, Threads};
pub use wherefore_case::{Given, Input, InputValue};

/// The runtime as a relocatable ELF object, to be linked into every instrumented executable (PIE or not; not into
/// shared libraries, which cannot have a `.preinit_array`).
pub const RUNTIME_OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runtime.o"));

/// Linked into an executable that has an instrumented twin: where `WHEREFORE_RECORD` asks for it, the process becomes that.
pub const SWITCH_OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/switch.o"));

/// Linked into such a twin beside the runtime: it keeps the recording of a process that fails.
pub const KEPT_OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kept.o"));
