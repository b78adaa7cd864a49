//! From a recording of a run to a trace of source-level statements.
//!
//! The recording is walked through the program, block by block. Registers become terms over the *variables* of the
//! run: a variable is one memory cell of one object (a local in one activation, a global, a piece of the heap), found by
//! the recorded address, so that the trace knows no pointers (Oh et al. 2014, section V). What is left is the language of
//! Christ et al. 2013: assignments `x := e`, `if c` and `endif` around what a condition decides, and the failure at the end.
//!
//! Knows: programs, recordings as words, terms.
//! Must not know: how a recording was made, solvers, localizers, output formats; it does no input or output.

mod builder;
mod decision;
mod endings;
mod failure;
mod fault;
mod hang;
mod history;
mod library;
mod memory;
mod misplaced;
mod misuse;
mod model;
mod observed;
mod other_side;
mod output;
mod pointer;
mod shadow;
mod slice;
mod statements;
mod walk;
mod whole;

pub use decision::Decisions;
pub use endings::Calls;
pub use hang::{Awaited, Does, Endless, Hang, Kept, Standing, Standings, depth, hang, is_endless};
pub use history::History;
pub use memory::{Object, ObjectKind};
pub use model::{
    Act, Action, Activation, Assumed, BadPointer, Branch, BranchId, Departure, Failure, FailureKind, Kind, MemoryError,
    Misuse, Others, Overflow, Step, Storage, Trace, Variable, Writer,
};
pub use observed::{Argument, Called, Ended, Event, Fixed, Followed, Read, Turn, Why};
pub use other_side::{Elsewhere, OtherSide};
pub use pointer::{Path, path};
pub use walk::{
    Analysis, Answer, GlobalImage, Held, LARGEST, Meetings, Met, Misdeed, QUESTION, Recorded, STACK, Slicing, Started,
    Stopped, Threads, WalkError, ask, block_number, follow, misdeeds, walk, walk_again_watching, walk_sliced,
    walk_watching_memory,
};
pub use whole::{Decided, WholeCondition, WholeConditions};
