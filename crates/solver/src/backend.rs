//! The choice of a backend as data.

use crate::cadical::CadicalSolver;
use crate::traits::Cores;
use crate::z3::Z3Solver;

/// A way to decide formulas.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Backend {
    /// Bit-blasting onto CaDiCaL: the fast path for many small questions. Float arithmetic is abstracted.
    Cadical,
    /// Z3: floats, and the second opinion.
    Z3,
}

impl Backend {
    /// Every backend.
    pub const ALL: [Backend; 2] = [Backend::Cadical, Backend::Z3];

    /// A fresh solver without assertions.
    pub fn solver(self) -> Box<dyn Cores> {
        match self {
            Backend::Cadical => Box::new(CadicalSolver::new()),
            Backend::Z3 => Box::new(Z3Solver::new()),
        }
    }

    /// The one to ask for a second opinion.
    pub fn other(self) -> Backend {
        match self {
            Backend::Cadical => Backend::Z3,
            Backend::Z3 => Backend::Cadical,
        }
    }
}
