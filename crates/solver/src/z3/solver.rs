//! Z3 behind the traits of this crate.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wherefore_formula::{Sort, TermId, Terms, VarId};

use super::context::InterruptHandle;
use super::session::{Logic, Session};
use crate::answer::{Answer, Limits, Reason};
use crate::traits::{Cores, Interrupt, Interrupter, Solver};

/// What a solver and its interrupters share.
#[derive(Default)]
struct Control {
    state: Mutex<ControlState>,
}

#[derive(Default)]
struct ControlState {
    interrupted: bool,
    /// The context that is searching right now. It exists for as long as it stands here.
    running: Option<InterruptHandle>,
}

impl Control {
    fn lock(&self) -> MutexGuard<'_, ControlState> {
        // The state is two plain values and consistent at any time.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Z3 by its C API.
///
/// Assertions are kept as terms and handed to Z3 when a check needs them. So a new session can take over at any time:
/// when the first float turns up, which needs another of Z3's solvers, and after an interruption, which Z3's contexts
/// do not reliably recover from.
pub struct Z3Solver {
    session: Option<Session>,
    logic: Logic,
    asserted: Vec<TermId>,
    /// How many of the assertions the session has.
    handed_over: usize,
    limits: Limits,
    control: Arc<Control>,
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
            control: Arc::default(),
            has_model: false,
            core: Vec::new(),
        }
    }

    fn forget_session(&mut self) {
        self.session = None;
        self.handed_over = 0;
    }

    fn try_check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<Answer, Reason> {
        let start = Instant::now();
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
            self.logic = Logic::Floats;
            self.session = None;
            // Borrowed again on the next round, which ends the loop: the new session takes floats.
        };
        session.set_limits(&self.limits)?;
        {
            let mut state = self.control.lock();
            if state.interrupted {
                return Err(Reason::Interrupted);
            }
            state.running = Some(session.interrupt_handle());
        }
        let answer = session.check(&switches);
        let interrupted = {
            let mut state = self.control.lock();
            state.running = None;
            state.interrupted
        };
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
            Answer::Unknown(_) if interrupted => return Err(Reason::Interrupted),
            // Z3 may call its own time-out a cancellation.
            Answer::Unknown(Reason::Interrupted) if self.limits.time.is_some_and(|time| start.elapsed() >= time) => {
                return Ok(Answer::Unknown(Reason::TimeOut));
            }
            // Bit-vectors are decidable: where Z3 gives no better reason, it is the limit.
            Answer::Unknown(Reason::Other(_)) if self.limits.conflicts.is_some() && self.logic == Logic::Bits => {
                return Ok(Answer::Unknown(Reason::Conflicts));
            }
            Answer::Unknown(_) => {}
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
        let answer = self.try_check(terms, assumptions);
        let interrupted = {
            let mut state = self.control.lock();
            state.running = None;
            // An interruption is meant for one check, this one.
            std::mem::take(&mut state.interrupted)
        };
        if interrupted {
            self.forget_session();
            self.has_model = false;
        }
        match answer {
            Ok(answer) => answer,
            Err(reason) => {
                // The session may have lost an assertion half way.
                self.forget_session();
                Answer::Unknown(reason)
            }
        }
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
}

impl Cores for Z3Solver {
    fn core(&self) -> Vec<TermId> {
        self.core.clone()
    }
}

impl Interrupt for Z3Solver {
    /// The handle returns when the check has stopped: Z3 loses an interruption that comes just before its search
    /// begins, so it is repeated.
    fn interrupter(&self) -> Interrupter {
        let control = Arc::clone(&self.control);
        Box::new(move || {
            control.lock().interrupted = true;
            loop {
                let state = control.lock();
                let Some(running) = state.running else {
                    return;
                };
                // SAFETY: a context that stands in the state exists, and the lock keeps it there.
                unsafe { running.interrupt() };
                drop(state);
                std::thread::sleep(Duration::from_millis(1));
            }
        })
    }
}
