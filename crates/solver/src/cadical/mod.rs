//! The CaDiCaL backend: terms become gates, gates become clauses.

mod blast;
mod gates;
mod solver;

pub use solver::CadicalSolver;
