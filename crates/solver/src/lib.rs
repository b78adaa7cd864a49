//! Decides formulas: one language, two backends, small traits.
//!
//! **Knows** how to turn terms of [`wherefore_formula`] into clauses for CaDiCaL and into Z3's own terms, and how to
//! bring back models, cores and the reasons for giving up.
//!
//! **Must not know** programs, traces, what a variable stands for, or what a caller concludes from an answer. Nothing
//! of a backend leaves this crate: no literal, no Z3 handle.
//!
//! Not knowing is an answer. Time-outs, limits, interruptions and floats that are too hard for a backend are
//! [`Answer::Unknown`] with a [`Reason`], never read as unsatisfiable. Both backends are held to one conformance suite
//! (`tests/conformance`) and can check each other.
//!
//! The many tiny questions of a localizer go through [`valid`], which tries to answer without any solver first.

mod answer;
mod backend;
mod cadical;
mod core;
mod eliminate;
mod sample;
mod size;
mod traits;
mod valid;
mod z3;

pub use crate::answer::{Answer, Limits, Reason, Validity};
pub use crate::backend::Backend;
pub use crate::cadical::CadicalSolver;
pub use crate::core::{Core, minimal_core};
pub use crate::size::Circuit;
pub use crate::traits::{Cores, Solver, StopSource};
pub use crate::valid::{counterexample, valid, valid_with};
pub use crate::z3::Z3Solver;
