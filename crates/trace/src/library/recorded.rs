//! Functions without a model whose result depends on what they are given and on nothing else.
//!
//! Their result is what the run had as long as they are given the same, and anything otherwise: so a story goes on from
//! the result to the arguments.

use super::Call;
use crate::builder::Value;
use crate::memory::FOREIGN;
use crate::model::{Kind, Storage};
use crate::walk::Walker;
use wherefore_clib::{Access, Gives};
use wherefore_formula::TermId;

/// Cells of memory that a result is held to depend on.
const CELLS: usize = 64;

impl Walker<'_> {
    /// The result of a function of its arguments; `None` where it may depend on more.
    pub(crate) fn function_of_arguments(&mut self, call: &Call) -> Option<Value> {
        let depends =
            matches!(call.function.gives, Gives::OfValues | Gives::OfACharacter | Gives::OfMemory | Gives::Number);
        if !depends || call.bits == 0 || call.function.calls_back.is_some() {
            return None;
        }
        let mut on: Vec<Value> = vec![];
        for (number, argument) in call.arguments.iter().enumerate() {
            let reads = |access: &Access| matches!(access, Access::Reads(..)) && access.through() == number;
            if call.function.accesses.iter().any(reads) {
                on.extend(self.cells_behind(call, argument)?);
            } else if !call.function.accesses.iter().any(|access| access.through() == number) {
                on.push(argument.clone());
            }
        }
        on.retain(|value| self.build.terms.constant(value.term).is_none());
        if on.is_empty() {
            return None;
        }
        let mut value = self.build.constant(call.bits, call.returned);
        on.iter().for_each(|given| self.fix(&mut value.facts, given));
        let same = value.facts.addresses.clone();
        let same = self.build.terms.and(same);
        Some(self.under(same, value, call))
    }

    /// A result that is this as long as a condition holds, and anything otherwise.
    pub(super) fn under(&mut self, condition: TermId, value: Value, call: &Call) -> Value {
        if self.build.terms.truth_value(condition).is_some() || call.bits == 0 {
            return value;
        }
        let storage = Storage::External { callee: call.written.to_string(), at: call.here.at };
        let other = self.build.variable(storage.clone(), call.bits, None, None);
        self.build.set_initial(other, call.returned);
        let other = self.build.var_term(other);
        let mut value = self.resized(value, call.bits);
        value.term = self.build.terms.ite(condition, value.term, other);
        let result = self.build.variable(storage, call.bits, None, None);
        self.build.assign(result, &value, Kind::Assign, call.here);
        self.build.value_of(result)
    }

    /// The text that a pointer points to, as the run shows it.
    fn cells_behind(&mut self, call: &Call, pointer: &Value) -> Option<Vec<Value>> {
        let chunk = call.chunks.iter().find(|chunk| chunk.address == pointer.concrete as u64);
        let (object, _) = self.build.memory.find(pointer.concrete as u64);
        let count = match chunk {
            Some(chunk) if chunk.bytes.len() <= CELLS => chunk.bytes.len() as u64,
            Some(_) => return None,
            None if object == FOREIGN => return None,
            None => return self.text(pointer, Some(CELLS as u64), call.here),
        };
        self.bytes(pointer, count, call.here)
    }
}
