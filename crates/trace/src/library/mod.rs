//! What functions of the C library did in a run, as terms over the memory they read.
//!
//! The trace is one path and knows no pointers, so a model says what the function did *on this path*: as many characters
//! as the run saw. What the path depends on beyond the value (where a text ends, which bytes are digits) is fixed, in
//! [`Facts::addresses`], as a pointer is that something is loaded through. A model whose value is not that of the run is
//! not believed: the value is then what it is for functions that have none, an input.

mod characters;
mod copying;
mod finding;
mod lists;
mod looking;
mod memory;
mod numerals;
mod printing;
mod recorded;
mod scanning;
mod sorting;
mod tokens;
mod values;

pub(crate) use characters::Tables;
pub(crate) use lists::compared;
pub(crate) use memory::Chunk;
pub(crate) use sorting::Unsorted;

use crate::builder::{Facts, Here, Value};
use crate::walk::Walker;
use wherefore_clib::Function;
use wherefore_formula::TermId;

/// Longest text that is read from its start.
const LONG: u64 = 512;
/// Longest text that is copied byte by byte: each copy depends on where the text ends, and so on all of them.
const COPIED: u64 = 48;
/// Longest text of which one value may depend on every byte: what explains such a value takes time.
const SHORT: u64 = 32;

/// A call of a function of the library that has returned.
pub(crate) struct Call<'a> {
    /// What is known of it.
    pub function: &'static Function,
    /// The name by which the program calls it.
    pub written: &'a str,
    /// Its arguments.
    pub arguments: &'a [Value],
    /// Width of the result; 0 where nobody looks at it.
    pub bits: u32,
    /// The result.
    pub returned: u128,
    /// Memory after the call.
    pub chunks: &'a [Chunk],
    /// Where.
    pub here: Here,
}

impl Call<'_> {
    fn argument(&self, number: usize) -> Option<&Value> {
        self.arguments.get(number)
    }

    /// An argument as the run had it.
    fn number(&self, number: usize) -> Option<u64> {
        self.argument(number).map(|value| value.concrete as u64)
    }
}

impl Walker<'_> {
    /// What a call did to memory, and what it gave: `None` where no model says so.
    pub(crate) fn library(&mut self, call: &Call) -> Option<Value> {
        self.show_read(call);
        let value = self
            .looking(call)
            .or_else(|| self.finding(call))
            .or_else(|| self.copying(call))
            .or_else(|| self.character(call))
            .or_else(|| self.numeral(call))
            .or_else(|| self.printing(call))
            .or_else(|| self.scanning(call))
            .or_else(|| self.token(call))
            .or_else(|| self.sorting(call))
            .or_else(|| self.of_values(call))?;
        self.show(call);
        Some(self.believed(value, call))
    }

    /// A value of the width of the result, if it is what the run had.
    fn believed(&mut self, value: Value, call: &Call) -> Value {
        if call.bits == 0 {
            return self.build.constant(1, 0);
        }
        let value = self.resized(value, call.bits);
        if value.concrete == call.returned {
            return value;
        }
        self.external_result(call.written, call.bits, call.returned, value.facts, call.here)
    }

    fn resized(&mut self, value: Value, bits: u32) -> Value {
        let width = self.build.terms.width(value.term);
        let term = match width {
            _ if width > bits => self.build.terms.extract(value.term, 0, bits),
            _ if width < bits => self.build.terms.sign_extend(value.term, bits),
            _ => value.term,
        };
        self.valued(term, value.facts)
    }

    /// A term with the value that it has in the run.
    fn valued(&self, term: TermId, facts: Facts) -> Value {
        let value = self.build.terms.evaluate(term, &mut |variable| self.build.current_value(variable));
        Value { term, concrete: value.map_or(0, |value| value.raw()), facts }
    }

    /// What holds in the run is held fast.
    fn hold(&mut self, facts: &mut Facts, condition: TermId) {
        if self.build.terms.truth_value(condition).is_none() && !facts.addresses.contains(&condition) {
            facts.addresses.push(condition);
        }
    }

    fn number_term(&mut self, bits: u32, value: u64) -> TermId {
        self.build.terms.bits(bits, u128::from(value))
    }

    pub(crate) fn is_zero(&mut self, byte: &Value) -> TermId {
        let zero = self.number_term(8, 0);
        self.build.terms.eq(byte.term, zero)
    }
}
