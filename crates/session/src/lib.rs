//! One program at work: compiled once, and run in every way that a command needs.
//!
//! A [`Session`] has the program and makes the executables of it when they are asked for, all from one compilation: one
//! that records its runs, one that replays them with values forced. [`Runs`] are the many short runs of a search,
//! [`Native`] is what runs tests, [`Prepared`] a program that threads share.
//!
//! Knows the front end and the runner, and what the engines want of a run. Must not know: options, formats, output.

mod carried;
mod native;
mod prepared;
mod runs;
mod session;

pub use native::{NAME, Native, Observed};
pub use prepared::Prepared;
pub use runs::Runs;
pub use session::{Session, Settings};
