//! CaDiCaL behind the traits of this crate.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustsat::solvers::{ControlSignal, Solve, SolveIncremental, Terminate};
use rustsat::types::{Lit, TernaryVal};
use rustsat_cadical::CaDiCaL;
use wherefore_formula::{Sort, TermId, Terms, VarId};

use super::blast::{Blaster, integers};
use super::decide::Control;
use crate::answer::{Answer, Limits, Reason};
use crate::traits::{Cores, Solver, StopSource, equality};

/// Bit-blasting onto CaDiCaL.
pub struct CadicalSolver {
    pub(super) sat: CaDiCaL<'static, 'static>,
    pub(super) blaster: Blaster,
    pub(super) asserted: Vec<TermId>,
    pub(super) limits: Limits,
    pub(super) control: Arc<Control>,
    pub(super) stop: Option<StopSource>,
    /// Set once the backend has failed or was stopped: it has lost clauses, so it can never answer again.
    pub(super) failure: Option<Reason>,
    has_model: bool,
    core: Vec<TermId>,
}

impl Default for CadicalSolver {
    fn default() -> Self {
        CadicalSolver::new()
    }
}

impl CadicalSolver {
    /// A solver without assertions.
    pub fn new() -> CadicalSolver {
        let mut sat = CaDiCaL::default();
        // The first two are meant for large formulas that are solved once; on the small ones here they cost ten times
        // what the search does. The last tries zeros before ones, since values in programs are mostly small.
        for option in ["lucky", "preprocesslight", "phase"] {
            sat.set_option(option, 0).expect("a new solver takes every option it has");
        }
        // Questions to one formula differ in few assumptions: what follows from those in common is kept.
        sat.set_option("ilb", 1).expect("a new solver takes every option it has");
        let mut solver = CadicalSolver {
            sat,
            blaster: Blaster::new(),
            asserted: Vec::new(),
            limits: Limits::NONE,
            control: Arc::new(Control::new()),
            stop: None,
            failure: None,
            has_model: false,
            core: Vec::new(),
        };
        solver.attach_terminator();
        solver
    }

    /// Tells CaDiCaL what to look at while it searches.
    fn attach_terminator(&mut self) {
        let (control, stop) = (Arc::clone(&self.control), self.stop.clone());
        self.sat.attach_terminator(move || {
            if stop.as_ref().is_some_and(|stop| stop()) {
                control.interrupted.store(true, Ordering::Relaxed);
                return ControlSignal::Terminate;
            }
            if control.is_late() { ControlSignal::Terminate } else { ControlSignal::Continue }
        });
    }

    /// The value of a variable where the search is.
    pub(super) fn model_value(&self, var: VarId) -> Option<u128> {
        let bits = self.blaster.variable(var)?;
        let mut value = 0;
        for (position, &bit) in bits.iter().enumerate() {
            match self.sat.lit_val(bit) {
                Ok(TernaryVal::True) => value |= 1 << position,
                // A bit the search did not care about may be either.
                Ok(TernaryVal::False | TernaryVal::DontCare) => {}
                Err(_) => return None,
            }
        }
        Some(value)
    }
}

pub(super) fn reason_of(error: &anyhow::Error) -> Reason {
    if error.is::<rustsat::OutOfMemory>() { Reason::Memory } else { Reason::Other(error.to_string()) }
}

impl Solver for CadicalSolver {
    fn name(&self) -> &'static str {
        "CaDiCaL"
    }

    fn assert(&mut self, terms: &Terms, t: TermId) {
        self.has_model = false;
        self.core.clear();
        let stop = self.stop.clone();
        let stopped = || stop.as_ref().is_some_and(|stop| stop());
        // To encode can take longer than to solve.
        if self.failure.is_some() || stopped() {
            self.failure.get_or_insert(Reason::Interrupted);
            return;
        }
        self.asserted.push(t);
        // Conjuncts one by one: the gate of the conjunction itself is not needed.
        for conjunct in terms.conjuncts(t) {
            match self.blaster.formula(terms, conjunct, &stopped) {
                Ok(literal) => self.blaster.gates.clause(&[literal]),
                Err(reason) => {
                    self.failure.get_or_insert(reason);
                    return;
                }
            }
        }
        self.flush();
    }

    fn fix(&mut self, terms: &mut Terms, var: VarId, sort: Sort, value: u128) {
        self.has_model = false;
        if sort == Sort::Int {
            self.failure.get_or_insert(integers());
        } else if !self.blaster.fix(var, sort, value) {
            let equality = equality(terms, var, sort, value);
            self.assert(terms, equality);
        }
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Answer {
        self.has_model = false;
        self.core.clear();
        let stop = self.stop.clone();
        let stopped = || stop.as_ref().is_some_and(|stop| stop());
        let literals: Result<Vec<Lit>, Reason> =
            assumptions.iter().map(|&assumption| self.blaster.formula(terms, assumption, &stopped)).collect();
        self.flush();
        if let Some(reason) = &self.failure {
            return Answer::Unknown(reason.clone());
        }
        let literals = match literals {
            Ok(literals) => literals,
            Err(reason) => return Answer::Unknown(reason),
        };
        let answer = self.decide(terms, assumptions, &literals);
        match answer {
            Answer::Sat => self.has_model = true,
            Answer::Unsat => match self.sat.core() {
                Ok(core) => {
                    // A core comes as a clause: the negations of the assumptions it blames.
                    let blamed = |literal: Lit| core.contains(&!literal);
                    self.core = assumptions
                        .iter()
                        .zip(&literals)
                        .filter(|&(_, &literal)| blamed(literal))
                        .map(|(&assumption, _)| assumption)
                        .collect();
                }
                Err(error) => return Answer::Unknown(reason_of(&error)),
            },
            Answer::Unknown(_) => {}
        }
        answer
    }

    fn value(&self, _terms: &Terms, var: VarId, _sort: Sort) -> Option<u128> {
        if self.has_model { self.model_value(var) } else { None }
    }

    fn clear(&mut self) {
        // Clauses cannot be taken back, and a new solver costs next to nothing.
        let (limits, stop) = (self.limits, self.stop.take());
        *self = CadicalSolver::new();
        self.limits = limits;
        if let Some(stop) = stop {
            self.stop_when(stop);
        }
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn stop_when(&mut self, stop: StopSource) {
        self.stop = Some(stop);
        self.attach_terminator();
    }
}

impl Cores for CadicalSolver {
    fn core(&self) -> Vec<TermId> {
        self.core.clone()
    }
}
