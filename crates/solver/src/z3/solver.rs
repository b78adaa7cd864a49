//! Z3 behind the traits of this crate.

use std::time::Instant;

use wherefore_formula::{Sort, TermId, Terms, VarId};

use super::session::{Logic, Session};
use super::watch::watched;
use crate::answer::{Answer, Limits, Reason};
use crate::traits::{Cores, Solver, StopSource};

/// Z3 by its C API.
///
/// Assertions are kept as terms and handed to Z3 when a check needs them. So a new session can take over at any time:
/// when the first float or integer turns up, which needs another of Z3's solvers, and after a check without an answer. Whatever made
/// Z3 give up, an interruption or a limit, its contexts do not recover from being cancelled: they answer on, and wrongly.
pub struct Z3Solver {
    session: Option<Session>,
    logic: Logic,
    asserted: Vec<TermId>,
    /// How many of the assertions the session has.
    handed_over: usize,
    limits: Limits,
    stop: Option<StopSource>,
    has_model: bool,
    core: Vec<TermId>,
}

impl Default for Z3Solver {
    fn default() -> Self {
        Z3Solver::new()
    }
}

impl Z3Solver {
    /// A solver without assertions.
    pub fn new() -> Z3Solver {
        Z3Solver {
            session: None,
            logic: Logic::Bits,
            asserted: Vec::new(),
            handed_over: 0,
            limits: Limits::NONE,
            stop: None,
            has_model: false,
            core: Vec::new(),
        }
    }

    fn forget_session(&mut self) {
        self.session = None;
        self.handed_over = 0;
    }

    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop())
    }

    /// Asks the session; an error if there is no answer.
    fn try_check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<Answer, Reason> {
        let deadline = self.limits.time.and_then(|time| Instant::now().checked_add(time));
        let (session, switches) = loop {
            let session = match &mut self.session {
                Some(session) => session,
                none => {
                    self.handed_over = 0;
                    none.insert(Session::new(self.logic)?)
                }
            };
            for &t in &self.asserted[self.handed_over..] {
                session.assert(terms, t)?;
                self.handed_over += 1;
            }
            let mut switches = Vec::with_capacity(assumptions.len());
            for &t in assumptions {
                switches.push(session.switch(terms, t)?);
            }
            if !session.is_outgrown() {
                break (session, switches);
            }
            self.logic = Logic::All;
            self.session = None;
            // Borrowed again on the next round, which ends the loop: the new session takes all.
        };
        session.set_limits(&self.limits)?;
        let context = session.interrupt_handle();
        let (answer, interrupted) = watched(context, deadline, self.stop.as_ref(), || session.check(&switches));
        if let Some(reason) = interrupted {
            return Err(reason);
        }
        match answer {
            Answer::Sat => self.has_model = true,
            Answer::Unsat => {
                let blamed = session.core(&switches)?;
                self.core = assumptions
                    .iter()
                    .zip(blamed)
                    .filter(|&(_, blamed)| blamed)
                    .map(|(&assumption, _)| assumption)
                    .collect();
            }
            // Bit-vectors are decidable: where Z3 gives no better reason, it is the limit.
            Answer::Unknown(Reason::Other(_)) if self.limits.conflicts.is_some() && self.logic == Logic::Bits => {
                return Err(Reason::Conflicts);
            }
            Answer::Unknown(reason) => return Err(reason),
        }
        Ok(answer)
    }
}

impl Solver for Z3Solver {
    fn name(&self) -> &'static str {
        "Z3"
    }

    fn assert(&mut self, terms: &Terms, t: TermId) {
        assert_eq!(terms.sort(t), Sort::Bool, "only formulas can be asserted");
        self.has_model = false;
        self.core.clear();
        self.asserted.push(t);
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Answer {
        self.has_model = false;
        self.core.clear();
        let answer = match self.is_stopped() {
            true => Err(Reason::Interrupted),
            false => self.try_check(terms, assumptions),
        };
        answer.unwrap_or_else(|reason| {
            // It was cancelled, or has lost an assertion half way.
            self.forget_session();
            Answer::Unknown(reason)
        })
    }

    fn value(&self, _terms: &Terms, var: VarId, sort: Sort) -> Option<u128> {
        let session = self.session.as_ref()?;
        if self.has_model { session.value(var, sort) } else { None }
    }

    fn clear(&mut self) {
        self.asserted.clear();
        self.handed_over = 0;
        self.has_model = false;
        self.core.clear();
        if self.session.as_mut().is_some_and(|session| !session.clear()) {
            self.forget_session();
        }
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn stop_when(&mut self, stop: StopSource) {
        self.stop = Some(stop);
    }
}

impl Cores for Z3Solver {
    fn core(&self) -> Vec<TermId> {
        self.core.clone()
    }
}
