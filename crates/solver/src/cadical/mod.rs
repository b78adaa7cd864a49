//! The CaDiCaL backend: terms become gates, gates become clauses.

mod arithmetic;
mod blast;
mod decide;
mod float;
mod gates;
mod guess;
mod logic;
mod refine;
mod solver;

pub use solver::CadicalSolver;
