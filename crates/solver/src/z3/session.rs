//! A Z3 context with one solver in it.

use rustc_hash::FxHashMap;
use wherefore_formula::{Sort, TermId, Terms, VarId};
use z3_sys::*;

use super::context::{Context, InterruptHandle, call, is_about_memory};
use super::translate::Translation;
use crate::answer::{Answer, Limits, Reason};

/// A session that has translated more terms than this is not kept for the next question.
const KEPT_TERMS: usize = 200_000;

/// Which of Z3's solvers is at work.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Logic {
    /// Bit-vectors only: Z3's bit-blasting solver, fast and incremental.
    Bits,
    /// Floats and integers as well: Z3's general solver.
    All,
}

pub(super) struct Session {
    solver: Z3_solver,
    model: Option<Z3_model>,
    logic: Logic,
    translation: Translation,
    /// For each formula ever assumed a truth constant that implies it: Z3 takes only such constants as assumptions.
    switches: FxHashMap<TermId, Z3_ast>,
    context: Context,
}

// All handles belong to the context that is owned here.
unsafe impl Send for Session {}

impl Session {
    pub(super) fn new(logic: Logic) -> Result<Session, Reason> {
        let context = Context::new()?;
        let solver = match logic {
            // The questions are small: the plain solver starts several times faster than the one for QF_BV.
            Logic::Bits => call!(context, Z3_mk_simple_solver)?,
            Logic::All => call!(context, Z3_mk_solver)?,
        };
        // SAFETY: the handle was just made; `drop` gives the reference back.
        unsafe { Z3_solver_inc_ref(context.raw(), solver) };
        Ok(Session {
            solver,
            model: None,
            logic,
            translation: Translation::default(),
            switches: FxHashMap::default(),
            context,
        })
    }

    /// Forgets the assertions and keeps the translation. False when so much is kept that a new session is better.
    pub(super) fn clear(&mut self) -> bool {
        self.forget_model();
        self.switches.clear();
        // SAFETY: the solver belongs to this context.
        unsafe { Z3_solver_reset(self.context.raw(), self.solver) };
        self.context.check_error().is_ok() && self.translation.len() < KEPT_TERMS
    }

    /// Whether a formula was met that this session's solver does not understand.
    pub(super) fn is_outgrown(&self) -> bool {
        self.logic == Logic::Bits && self.translation.beyond_bits
    }

    pub(super) fn interrupt_handle(&self) -> InterruptHandle {
        self.context.interrupt_handle()
    }

    pub(super) fn assert(&mut self, terms: &Terms, t: TermId) -> Result<(), Reason> {
        let formula = self.translation.term(&self.context, terms, t)?;
        self.assert_raw(formula)
    }

    fn assert_raw(&mut self, formula: Z3_ast) -> Result<(), Reason> {
        // SAFETY: solver and formula belong to this context.
        unsafe { Z3_solver_assert(self.context.raw(), self.solver, formula) };
        self.context.check_error()
    }

    /// The truth constant to assume instead of a formula.
    pub(super) fn switch(&mut self, terms: &Terms, t: TermId) -> Result<Z3_ast, Reason> {
        if let Some(&found) = self.switches.get(&t) {
            return Ok(found);
        }
        let formula = self.translation.term(&self.context, terms, t)?;
        let z = &self.context;
        let symbol = z.symbol(&format!("s{}", t.index()))?;
        let sort = call!(z, Z3_mk_bool_sort)?;
        let switch = call!(z, Z3_mk_const, symbol, sort)?;
        let implication = call!(z, Z3_mk_implies, switch, formula)?;
        self.assert_raw(implication)?;
        self.switches.insert(t, switch);
        Ok(switch)
    }

    /// Limits what Z3 counts itself; time is watched from outside.
    pub(super) fn set_limits(&mut self, limits: &Limits) -> Result<(), Reason> {
        let z = &self.context;
        let unlimited = u64::from(u32::MAX);
        let settings = [("max_conflicts", limits.conflicts), ("max_memory", limits.memory_mib)];
        let params = call!(z, Z3_mk_params)?;
        // SAFETY: the parameters are referenced here from their making to their last use.
        unsafe { Z3_params_inc_ref(z.raw(), params) };
        let mut result = Ok(());
        for (name, value) in settings {
            let value = value.unwrap_or(unlimited).min(unlimited) as u32;
            match z.symbol(name) {
                // SAFETY: as above; a symbol lives as long as its context.
                Ok(symbol) => unsafe { Z3_params_set_uint(z.raw(), params, symbol, value) },
                Err(reason) => result = Err(reason),
            }
        }
        // While it solves it would answer Ctrl-C itself, and nobody else would know of it.
        match z.symbol("ctrl_c") {
            // SAFETY: as above.
            Ok(symbol) => unsafe { Z3_params_set_bool(z.raw(), params, symbol, false) },
            Err(reason) => result = Err(reason),
        }
        unsafe {
            Z3_solver_set_params(z.raw(), self.solver, params);
            Z3_params_dec_ref(z.raw(), params);
        }
        result.and_then(|()| z.check_error())
    }

    /// Runs the solver. The reason for giving up is Z3's own; the caller knows better about interruptions.
    pub(super) fn check(&mut self, switches: &[Z3_ast]) -> Answer {
        self.forget_model();
        let z = &self.context;
        let count = u32::try_from(switches.len()).expect("fewer than 2^32 assumptions");
        // SAFETY: solver and switches belong to this context, and the pointer is to `count` of them.
        let answer = unsafe { Z3_solver_check_assumptions(z.raw(), self.solver, count, switches.as_ptr()) };
        match answer {
            Z3_L_TRUE => match call!(z, Z3_solver_get_model, self.solver) {
                Ok(model) => {
                    // SAFETY: the handle is fresh; `forget_model` gives the reference back.
                    unsafe { Z3_model_inc_ref(z.raw(), model) };
                    self.model = Some(model);
                    Answer::Sat
                }
                Err(reason) => Answer::Unknown(reason),
            },
            Z3_L_FALSE => Answer::Unsat,
            _ => {
                if let Err(reason) = z.check_error() {
                    return Answer::Unknown(reason);
                }
                let text = z.text(unsafe { Z3_solver_get_reason_unknown(z.raw(), self.solver) });
                Answer::Unknown(reason_of(&text))
            }
        }
    }

    /// Which of these switches the last unsatisfiable check blames.
    pub(super) fn core(&self, switches: &[Z3_ast]) -> Result<Vec<bool>, Reason> {
        let z = &self.context;
        let vector = call!(z, Z3_solver_get_unsat_core, self.solver)?;
        // SAFETY: the vector is referenced here while it is read.
        unsafe { Z3_ast_vector_inc_ref(z.raw(), vector) };
        let size = unsafe { Z3_ast_vector_size(z.raw(), vector) };
        let members: Result<Vec<Z3_ast>, Reason> =
            (0..size).map(|position| call!(z, Z3_ast_vector_get, vector, position)).collect();
        unsafe { Z3_ast_vector_dec_ref(z.raw(), vector) };
        let members = members?;
        // Terms of one context are equal if and only if their handles are.
        Ok(switches.iter().map(|switch| members.contains(switch)).collect())
    }

    /// The value of a variable in the model.
    pub(super) fn value(&self, var: VarId, sort: Sort) -> Option<u128> {
        let z = &self.context;
        let model = self.model?;
        let variable = self.translation.variable(var)?;
        let mut value: Option<Z3_ast> = None;
        // SAFETY: model and variable belong to this context. Z3 writes a handle, and an optional handle has the
        // layout of a handle.
        let known = unsafe { Z3_model_eval(z.raw(), model, variable, true, (&raw mut value).cast()) };
        let value = value.filter(|_| known)?;
        match sort {
            Sort::Bool => match unsafe { Z3_get_bool_value(z.raw(), value) } {
                Z3_L_TRUE => Some(1),
                Z3_L_FALSE => Some(0),
                _ => None,
            },
            Sort::Bits(_) => z.text(unsafe { Z3_get_numeral_string(z.raw(), value) }).parse().ok(),
            Sort::Int => {
                let digits = z.text(unsafe { Z3_get_numeral_string(z.raw(), value) });
                digits.parse().ok().map(|value: i128| value as u128)
            }
        }
    }

    pub(super) fn forget_model(&mut self) {
        if let Some(model) = self.model.take() {
            // SAFETY: gives back the reference taken in `check`.
            unsafe { Z3_model_dec_ref(self.context.raw(), model) };
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.forget_model();
        // SAFETY: gives back the reference taken in `new`, before the context goes.
        unsafe { Z3_solver_dec_ref(self.context.raw(), self.solver) };
    }
}

fn reason_of(text: &str) -> Reason {
    if text.contains("conflicts") {
        Reason::Conflicts
    } else if is_about_memory(text) {
        Reason::Memory
    } else if text.contains("cancel") || text.contains("interrupt") {
        Reason::Interrupted
    } else {
        Reason::Other(format!("Z3: {text}"))
    }
}
