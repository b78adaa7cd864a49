//! The choice of a backend as data.

use crate::cadical::CadicalSolver;
use crate::traits::Cores;
use crate::z3::Z3Solver;
use std::sync::Arc;
use wherefore_budget::Budget;

/// A way to decide formulas.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Backend {
    /// Bit-blasting onto CaDiCaL: the fast path for many small questions, and for floats.
    Cadical,
    /// Z3: the second opinion.
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

    /// The same, stopped when the budget is over.
    pub fn within(self, budget: &Budget) -> Box<dyn Cores> {
        let mut solver = self.solver();
        let budget = budget.clone();
        solver.stop_when(Arc::new(move || budget.stopped().is_some()));
        solver
    }

    /// The one to ask for a second opinion.
    pub fn other(self) -> Backend {
        match self {
            Backend::Cadical => Backend::Z3,
            Backend::Z3 => Backend::Cadical,
        }
    }
}
