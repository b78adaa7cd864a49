//! One question: a search, and another while what was found is wrong about floats.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;
use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
use rustsat::types::{Cl, Lit, TernaryVal};
use rustsat_cadical::{Limit, Statistic};
use wherefore_formula::{TermId, Terms, Value, VarId};

use super::guess::guess;
use super::logic::Logic;
use super::solver::{CadicalSolver, reason_of};
use crate::answer::{Answer, Reason};

/// What cannot be decided.
const FLOATS: &str = "floating point";
/// What is not decided within its limit.
const HARD_FLOATS: &str = "floating point as hard as this";

/// After so many models with wrong floats all floats of a question are looked into.
const ROUNDS: usize = 3;

/// What the running search looks at to see whether it should end.
pub(super) struct Control {
    start: Instant,
    /// Nanoseconds after `start`; the largest number stands for no deadline.
    deadline: AtomicU64,
    /// Whether the search was told to stop, time aside.
    pub(super) interrupted: AtomicBool,
}

impl Control {
    pub(super) fn new() -> Control {
        Control { start: Instant::now(), deadline: AtomicU64::new(u64::MAX), interrupted: AtomicBool::new(false) }
    }

    /// A search begins that may take so long.
    fn begin(&self, time: Option<Duration>) {
        let deadline = time.and_then(|time| u64::try_from((self.start.elapsed() + time).as_nanos()).ok());
        self.deadline.store(deadline.unwrap_or(u64::MAX), Ordering::Relaxed);
        self.interrupted.store(false, Ordering::Relaxed);
    }

    pub(super) fn is_late(&self) -> bool {
        let deadline = self.deadline.load(Ordering::Relaxed);
        deadline != u64::MAX && self.start.elapsed() >= Duration::from_nanos(deadline)
    }
}

impl CadicalSolver {
    /// Searches until nothing is left open that matters.
    pub(super) fn decide(&mut self, terms: &Terms, assumptions: &[TermId], literals: &[Lit]) -> Answer {
        self.control.begin(self.limits.time);
        let spent = self.sat.get_statistic(Statistic::Conflicts);
        let (mut by_convention, mut round) = (true, 0);
        loop {
            let convention = self.blaster.convention.filter(|_| by_convention);
            let assumed: Vec<Lit> = literals.iter().copied().chain(convention).collect();
            match self.search(&assumed, spent) {
                Answer::Sat => {
                    let is_exact = self.blaster.open.is_empty() && by_convention;
                    let near = |solver: &CadicalSolver, var| solver.model_value(var);
                    if is_exact
                        || self.model_holds(terms, assumptions)
                        || self.guess(terms, assumptions, &assumed, near)
                    {
                        return Answer::Sat;
                    }
                    if let Some(reason) = self.refine(terms, assumptions, round) {
                        return Answer::Unknown(reason);
                    }
                    round += 1;
                }
                // What C does not define may be anything: nothing follows from the convention.
                Answer::Unsat if convention.is_some_and(|convention| self.blames(convention)) => by_convention = false,
                Answer::Unknown(Reason::Unsupported(what)) => {
                    let set: FxHashSet<Lit> = assumed.iter().copied().collect();
                    let near = |solver: &CadicalSolver, var| solver.plain_value(var, &set);
                    return match self.guess(terms, assumptions, &assumed, near) {
                        true => Answer::Sat,
                        false => Answer::Unknown(Reason::Unsupported(what)),
                    };
                }
                answer => return answer,
            }
        }
    }

    /// Whether there is a model near an assignment. It is then the model.
    fn guess(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        literals: &[Lit],
        near: impl Fn(&CadicalSolver, VarId) -> Option<u128>,
    ) -> bool {
        if self.limits.float_conflicts == Some(0) {
            return false;
        }
        let formulas: Vec<TermId> = self.asserted.iter().chain(assumptions).copied().collect();
        let Some(values) = guess(terms, &formulas, |var| self.blaster.is_fixed(var), |var| near(self, var)) else {
            return false;
        };
        let mut assumed = literals.to_vec();
        for (var, value) in values {
            let bits = self.blaster.variable(var).unwrap_or_default().iter().enumerate();
            assumed.extend(bits.map(|(position, &bit)| if value >> position & 1 == 1 { bit } else { !bit }));
        }
        // Nothing is left to search for, so what was spent does not count.
        let spent = self.sat.get_statistic(Statistic::Conflicts);
        self.search(&assumed, spent) == Answer::Sat
    }

    /// The value of a variable where nothing is known but what is assumed: zeros.
    fn plain_value(&self, var: VarId, assumed: &FxHashSet<Lit>) -> Option<u128> {
        let is_set = |bit: Lit| self.blaster.gates.known(bit).unwrap_or_else(|| assumed.contains(&bit));
        let bits = self.blaster.variable(var)?;
        Some(bits.iter().rev().fold(0, |value, &bit| value << 1 | u128::from(is_set(bit))))
    }

    /// Looks into what the model has wrong; why not, if that is not possible.
    fn refine(&mut self, terms: &Terms, assumptions: &[TermId], round: usize) -> Option<Reason> {
        if self.limits.float_conflicts == Some(0) {
            return Some(Reason::Unsupported(FLOATS.into()));
        }
        let formulas: Vec<TermId> = self.asserted.iter().chain(assumptions).copied().collect();
        let (sat, control, stop) = (&self.sat, &self.control, &self.stop);
        let value_of = |bit| sat.lit_val(bit).ok().map(|value| value == TernaryVal::True);
        let stopped = || control.is_late() || stop.as_ref().is_some_and(|stop| stop());
        let defined = self.blaster.refine(terms, &formulas, round >= ROUNDS, value_of, stopped);
        self.flush();
        match defined {
            _ if self.failure.is_some() => self.failure.clone(),
            None if self.control.is_late() => Some(Reason::TimeOut),
            None => Some(Reason::Interrupted),
            // Either an operation has no circuit, or all is right but for a value that C does not define.
            Some(0) => Some(Reason::Unsupported(FLOATS.into())),
            Some(_) => None,
        }
    }

    /// Whether an assumption was needed for the last answer.
    fn blames(&mut self, assumption: Lit) -> bool {
        // A core comes as a clause: the negations of the assumptions it blames. What is not known is blamed.
        self.sat.core().map_or(true, |core| core.contains(&!assumption))
    }

    fn search(&mut self, literals: &[Lit], spent: u64) -> Answer {
        if self.stop.as_ref().is_some_and(|stop| stop()) {
            return Answer::Unknown(Reason::Interrupted);
        }
        let for_floats = self.limits.float_conflicts.filter(|_| self.blaster.has_circuits);
        if let Some(conflicts) = self.limits.conflicts.into_iter().chain(for_floats).min() {
            // CaDiCaL forgets this limit after each search.
            let conflicts =
                spent.saturating_add(conflicts).saturating_sub(self.sat.get_statistic(Statistic::Conflicts));
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
            } else if for_floats.is_some_and(|most| self.limits.conflicts.is_none_or(|all| most < all)) {
                Reason::Unsupported(HARD_FLOATS.into())
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

    /// While floats are open a model counts only if the formulas really hold in it.
    fn model_holds(&self, terms: &Terms, assumptions: &[TermId]) -> bool {
        let formulas: Vec<TermId> = self.asserted.iter().chain(assumptions).copied().collect();
        let mut value_of = |var| self.model_value(var);
        terms.evaluate_all(&formulas, &mut value_of).iter().all(|&value| value == Some(Value::Bool(true)))
    }

    /// Hands pending clauses to CaDiCaL.
    pub(super) fn flush(&mut self) {
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
}
