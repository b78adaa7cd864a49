//! C wording: names of the variables of a trace and C text of its formulas, as they read at a position.
//!
//! Knows: programs, traces, terms.
//! Must not know: solvers, recordings, localizers, output formats; it does no input or output.

mod apart;
pub mod characters;
mod ctext;
#[cfg(test)]
mod fixture;
mod misuse;
mod naming;
mod nowhere;
mod part;
mod reach;

pub use naming::{Names, Position, called, double_text, single_text};
pub use nowhere::nowhere;
