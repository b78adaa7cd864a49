//! CaDiCaL behind the traits of this crate.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustsat::solvers::{ControlSignal, Solve, SolveIncremental, SolverResult, Terminate};
use rustsat::types::{Cl, Lit, TernaryVal};
use rustsat_cadical::{CaDiCaL, Limit};
use wherefore_formula::{Sort, TermId, Terms, Value, VarId};

use super::blast::Blaster;
use crate::answer::{Answer, Limits, Reason};
use crate::traits::{Cores, Solver, StopSource, equality};

/// What the running search looks at to see whether it should end.
struct Control {
    start: Instant,
    /// Nanoseconds after `start`; the largest number stands for no deadline.
    deadline: AtomicU64,
    /// Whether the search was told to stop, time aside.
    interrupted: AtomicBool,
}

impl Control {
    fn new() -> Control {
        Control { start: Instant::now(), deadline: AtomicU64::new(u64::MAX), interrupted: AtomicBool::new(false) }
    }

    /// A search begins that may take so long.
    fn begin(&self, time: Option<Duration>) {
        let deadline = time.and_then(|time| u64::try_from((self.start.elapsed() + time).as_nanos()).ok());
        self.deadline.store(deadline.unwrap_or(u64::MAX), Ordering::Relaxed);
        self.interrupted.store(false, Ordering::Relaxed);
    }

    fn is_late(&self) -> bool {
        let deadline = self.deadline.load(Ordering::Relaxed);
        deadline != u64::MAX && self.start.elapsed() >= Duration::from_nanos(deadline)
    }
}

/// Bit-blasting onto CaDiCaL.
pub struct CadicalSolver {
    sat: CaDiCaL<'static, 'static>,
    blaster: Blaster,
    asserted: Vec<TermId>,
    limits: Limits,
    control: Arc<Control>,
    stop: Option<StopSource>,
    /// Set once the backend has failed or was stopped: it has lost clauses, so it can never answer again.
    failure: Option<Reason>,
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

    /// Hands pending clauses to CaDiCaL.
    fn flush(&mut self) {
        let sat = &mut self.sat;
        let gates = &mut self.blaster.gates;
        // All variables at once: CaDiCaL grows a dozen tables for each new one.
        let result = sat
            .reserve(gates.last_variable())
            .and_then(|()| gates.take_clauses(|literals| sat.add_clause_ref(Cl::new(literals))));
        if let Err(error) = result {
            self.failure.get_or_insert_with(|| reason_of(&error));
        }
    }

    fn search(&mut self, literals: &[Lit]) -> Answer {
        self.control.begin(self.limits.time);
        if self.stop.as_ref().is_some_and(|stop| stop()) {
            return Answer::Unknown(Reason::Interrupted);
        }
        if let Some(conflicts) = self.limits.conflicts {
            // CaDiCaL forgets this limit after each search.
            let conflicts = i32::try_from(conflicts).unwrap_or(i32::MAX);
            if let Err(error) = self.sat.set_limit(Limit::Conflicts(conflicts)) {
                return Answer::Unknown(reason_of(&error));
            }
        }
        match self.sat.solve_assumps(literals) {
            Ok(SolverResult::Sat) => Answer::Sat,
            Ok(SolverResult::Unsat) => Answer::Unsat,
            Ok(SolverResult::Interrupted) => Answer::Unknown(if self.control.interrupted.load(Ordering::Relaxed) {
                Reason::Interrupted
            } else if self.control.is_late() {
                Reason::TimeOut
            } else {
                Reason::Conflicts
            }),
            Err(error) => {
                let reason = reason_of(&error);
                self.failure = Some(reason.clone());
                Answer::Unknown(reason)
            }
        }
    }

    /// With abstracted floats a model counts only if the formulas really hold in it.
    fn model_holds(&self, terms: &Terms, assumptions: &[TermId]) -> bool {
        let formulas: Vec<TermId> = self.asserted.iter().chain(assumptions).copied().collect();
        let mut value_of = |var| self.model_value(var);
        terms.evaluate_all(&formulas, &mut value_of).iter().all(|&value| value == Some(Value::Bool(true)))
    }

    fn model_value(&self, var: VarId) -> Option<u128> {
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

fn reason_of(error: &anyhow::Error) -> Reason {
    if error.is::<rustsat::OutOfMemory>() { Reason::Memory } else { Reason::Other(error.to_string()) }
}

impl Solver for CadicalSolver {
    fn name(&self) -> &'static str {
        "CaDiCaL"
    }

    fn assert(&mut self, terms: &Terms, t: TermId) {
        self.has_model = false;
        self.core.clear();
        // To encode can take longer than to solve.
        if self.stop.as_ref().is_some_and(|stop| stop()) {
            self.failure.get_or_insert(Reason::Interrupted);
            return;
        }
        self.asserted.push(t);
        // Conjuncts one by one: the gate of the conjunction itself is not needed.
        for conjunct in terms.conjuncts(t) {
            let literal = self.blaster.formula(terms, conjunct);
            self.blaster.gates.clause(&[literal]);
        }
        self.flush();
    }

    fn fix(&mut self, terms: &mut Terms, var: VarId, sort: Sort, value: u128) {
        self.has_model = false;
        if !self.blaster.fix(var, sort, value) {
            let equality = equality(terms, var, sort, value);
            self.assert(terms, equality);
        }
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Answer {
        self.has_model = false;
        self.core.clear();
        let literals: Vec<Lit> =
            assumptions.iter().map(|&assumption| self.blaster.formula(terms, assumption)).collect();
        self.flush();
        if let Some(reason) = &self.failure {
            return Answer::Unknown(reason.clone());
        }
        let answer = self.search(&literals);
        match answer {
            Answer::Sat => {
                if self.blaster.has_abstraction && !self.model_holds(terms, assumptions) {
                    let what = "floating point".to_string();
                    return Answer::Unknown(Reason::Unsupported(what));
                }
                self.has_model = true;
            }
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
