//! Calls of code outside the program: what verifiers give, numbers in arguments, and what is only known by its result.

use crate::chosen::Source;
use crate::evaluate::{Evaluation, Known};
use crate::form::Form;
use crate::found::Obstacle;
use crate::library::{self, Nondet};
use crate::path::Why;
use wherefore_clib::{self as clib, Allocation, Extent, Gives};
use wherefore_formula::TermId;
use wherefore_trace::{Called, GlobalImage, Storage, Variable};

impl Evaluation<'_> {
    /// A call has come back.
    pub fn called(&mut self, called: &Called) {
        let bits = called.result.map_or(0, |v| self.width(v));
        if let Some(kind) = library::nondet(self.subject.program.stand_in(&called.callee), bits) {
            self.nondet(kind, called, bits);
        } else if !self.reading(called, bits) {
            self.other(called, bits);
        }
    }

    fn next_nondet(&mut self, form: Form) -> TermId {
        let k = self.nondet;
        self.nondet += 1;
        if let Some(value) = self.subject.nondet.get(k as usize) {
            let value = if form == Form::Truth { u64::from(*value != 0) } else { *value };
            return self.space.terms.bits(form.bits(), u128::from(value));
        }
        self.use_input(Source::Nondet(k), form);
        self.space.term(Source::Nondet(k), form.bits())
    }

    fn nondet(&mut self, kind: Nondet, called: &Called, bits: u32) {
        let term = match kind {
            Nondet::Value(form) => {
                let term = self.next_nondet(form);
                if bits == 0 {
                    return;
                }
                self.space.terms.zero_extend(term, bits)
            }
            Nondet::Wide { signed } => {
                let term = self.next_nondet(Form::Integer { bits: 64, signed });
                if signed { self.space.terms.sign_extend(term, 128) } else { self.space.terms.zero_extend(term, 128) }
            }
            Nondet::Pointer => {
                self.nondet += 1;
                self.obstacle(called.at, format!("{}() gives the null pointer only", called.callee));
                return;
            }
            Nondet::Memory => {
                let [to, size] = called.arguments[..] else { return };
                for i in 0..size.value as u64 {
                    let byte = self.next_nondet(Form::Integer { bits: 8, signed: false });
                    self.write(to.value as u64 + i, byte);
                }
                return;
            }
        };
        self.result(called, Known { term, fixed: None });
    }

    /// A call of which little is known.
    fn other(&mut self, called: &Called, bits: u32) {
        let made = clib::function(&called.callee).and_then(|function| function.allocates);
        if let Some(Allocation { size: Extent::Product(count, size), zeroed: true, .. }) = made
            && let (Some(count), Some(size)) = (called.arguments.get(count), called.arguments.get(size))
        {
            let start = called.returned as u64;
            self.cleared.push((start, start.saturating_add((count.value as u64).saturating_mul(size.value as u64))));
        }
        let gives = library::gives(&called.callee);
        if bits == 0 || matches!(gives, Gives::Indifferent | Gives::Table) {
            let doubt = self.doubt(called);
            if bits > 0 {
                let term = self.space.terms.bits(bits, called.returned);
                self.result(called, Known { term, fixed: doubt });
            }
            return;
        }
        if gives == Gives::Number && self.argument(called, bits) {
            return;
        }
        if gives == Gives::OfACharacter
            && let [argument] = called.arguments[..]
        {
            let known = self.import(argument.term);
            let width = self.space.terms.width(known.term);
            let value = self.space.terms.bits(width, argument.value);
            let same = self.space.terms.eq(known.term, value);
            self.choose(same, None, Why::Value, called.at, called.function, called.rounds);
            let term = self.space.terms.bits(bits, called.returned);
            self.result(called, Known { term, fixed: known.fixed });
            return;
        }
        self.doubt(called);
    }

    /// What a function does with values that depend on inputs, or with memory that may hold them, is taken as it was
    /// seen; with other inputs it may do something else, or fail. The number of the reason by which its result is fixed,
    /// if values of it depend on inputs.
    fn doubt(&mut self, called: &Called) -> Option<u32> {
        let manner = library::manner(&called.callee);
        let mut depends = false;
        let mut is_open = false;
        for (number, argument) in called.arguments.iter().enumerate() {
            if manner.stream == Some(number) {
                continue;
            }
            let term = self.import(argument.term).term;
            let is_wide = self.space.terms.width(term) == 64;
            let is_input = !self.space.terms.variables(term).is_empty();
            depends |= is_input;
            is_open |= is_input && (is_wide || !manner.shows_numbers);
            is_open |= is_wide && !manner.keeps_to_values && self.may_change(argument.value as u64);
        }
        if is_open {
            let what = format!("what {}() does was taken as seen; with other inputs it may be another", called.callee);
            self.obstacle(called.at, what);
        }
        depends.then(|| {
            let what = format!("what {}() gives was taken as seen", called.callee);
            self.reason(Obstacle { at: called.at, what, limit: None })
        })
    }

    /// Whether something may be at an address that is not the same in every run.
    fn may_change(&self, address: u64) -> bool {
        let inside = |g: &GlobalImage| (g.address..g.address + g.size.max(1)).contains(&address);
        let global = self.globals.iter().position(inside);
        address != 0 && global.is_none_or(|n| !self.subject.program.globals[n].constant)
    }

    /// A number is read from an argument of the program.
    fn argument(&mut self, called: &Called, bits: u32) -> bool {
        let Some(text) = called.arguments.first() else { return false };
        let Some(k) = self.argument_at(text.value as u64) else { return false };
        let decimal = called.arguments.get(2).is_none_or(|base| matches!(base.value, 0 | 10));
        if !decimal || !self.space.arguments.contains_key(&k) {
            return false;
        }
        let form = Form::Integer { bits: bits.min(64), signed: true };
        self.use_input(Source::Argument(k), form);
        let term = self.space.term(Source::Argument(k), bits.min(64));
        self.result(called, Known { term, fixed: None });
        true
    }

    /// The argument of the program whose text is at an address.
    fn argument_at(&self, address: u64) -> Option<u32> {
        let trace = &self.followed.trace;
        let entry = self.entry()?;
        let declared = &self.subject.program.functions[self.subject.entry.index()];
        let is_argv = |v: &Variable| match v.storage {
            Storage::Local { activation, local, .. } => {
                activation as usize == entry && declared.locals[local.index()].param == Some(1)
            }
            _ => false,
        };
        let argv = trace.variables.iter().position(is_argv).and_then(|v| trace.initial[v])? as u64;
        trace.variables.iter().zip(&trace.initial).find_map(|(variable, initial)| {
            let Storage::Foreign { address: slot } = variable.storage else { return None };
            let k = slot.checked_sub(argv)? / 8;
            let is_text = *initial == Some(u128::from(address)) && k >= 1 && k <= self.subject.arguments.len() as u64;
            is_text.then_some(k as u32)
        })
    }
}
