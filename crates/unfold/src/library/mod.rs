//! What functions of the library do. Each file knows some of them; those that none knows give an unknown value, which
//! is noted.

mod endings;
mod input;
mod looking;
mod memory;
mod numerals;
mod output;
mod sprintf;
mod strings;
mod values;

use crate::memory::Rest;
use crate::state::{State, Unfolder};
use wherefore_clib::{self as clib, Function};
use wherefore_formula::TermId;
use wherefore_program::Origin;

/// Longest line or stretch of bytes followed byte by byte.
const LONG_STRING: u64 = 512;

/// A call of a function of the library.
struct Call<'a> {
    /// The name by which it is known, see [`clib::known_as`].
    name: &'a str,
    /// The name by which the program calls it.
    written: &'a str,
    arguments: &'a [TermId],
    /// Width of the result, if there is one.
    bits: Option<u32>,
    at: Option<Origin>,
}

/// What a call gives, if it gives something.
type Given = Option<TermId>;

impl Unfolder<'_> {
    pub fn library(
        &mut self,
        state: &mut State,
        symbol: &str,
        arguments: &[TermId],
        bits: Option<u32>,
        at: Option<Origin>,
    ) -> Option<TermId> {
        self.sources.call_from(at.and_then(|at| self.options.statements.get(&at).copied()));
        let (written, _) = clib::written_as(symbol);
        let name = clib::known_as(written);
        let call = &Call { name, written, arguments, bits, at };
        let given = self
            .ending_function(state, call)
            .or_else(|| self.output_function(state, call))
            .or_else(|| self.input_function(state, call))
            .or_else(|| self.number_function(state, call))
            .or_else(|| self.memory_function(state, call))
            .or_else(|| self.value_function(call))
            .or_else(|| self.table(state, name).map(Some))
            .or_else(|| self.string_function(state, call).map(Some))
            .unwrap_or_else(|| self.unknown_function(state, call))?;
        Some(match bits {
            Some(bits) => self.resized(given, bits),
            None => given,
        })
    }

    fn unknown_function(&mut self, state: &mut State, call: &Call) -> Given {
        let Call { name, written: symbol, arguments, bits, at } = *call;
        if !clib::function(name).is_some_and(Function::only_reads) {
            self.forget(state, arguments);
        }
        match bits {
            Some(_) => self.note(at, format!("what {symbol}() gives is not followed into other runs")),
            None => self.note(at, format!("what {symbol}() does is not followed")),
        }
        bits.map(|bits| self.unknown(bits))
    }

    fn resized(&mut self, value: TermId, bits: u32) -> TermId {
        match self.terms.width(value) {
            width if width > bits => self.terms.extract(value, 0, bits),
            width if width < bits => self.terms.sign_extend(value, bits),
            _ => value,
        }
    }

    /// A string that is a constant.
    fn fixed_text(&mut self, state: &State, pointer: TermId) -> Option<Vec<u8>> {
        let address = self.terms.constant(pointer)? as u64;
        let object = self.object_at(address)?;
        let kind = self.kind(object);
        let Rest::Image(image) = &kind.rest else { return None };
        if !state.memory.get(&object)?.cells.is_empty() {
            return None;
        }
        let text = image.get((address - kind.address) as usize..)?;
        let end = text.iter().position(|b| *b == 0)?;
        Some(text[..end].to_vec())
    }
}

#[cfg(test)]
mod tests;
