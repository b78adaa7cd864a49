//! The Z3 backend, on the C API of the system's libz3.
//!
//! The C API and not the `z3` crate, because that ties every term to one context per thread: here each solver has a
//! context of its own, can move between threads, can be interrupted without touching another solver, and frees
//! everything at once. All `unsafe` code of this crate is below this module.

mod context;
mod session;
mod solver;
mod translate;
mod watch;

pub use solver::Z3Solver;
