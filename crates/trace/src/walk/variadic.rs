//! Arguments after `...`: they lie in memory that only the compiler knows.
//!
//! `va_start` leaves two addresses in a list: where the function has saved its registers, and where the caller has put
//! the other arguments. Whoever reads there, the function itself or one that the list was handed on to, reads an
//! argument: each address the first one with the value that was read and that no other address has.

use super::Walker;
use crate::builder::{Outside, Range, Value, Writes, is_foreign, mask};
use crate::memory::ObjectKind;
use std::collections::HashMap;
use wherefore_program::Origin;

/// Bytes of a list.
const LIST: u64 = 24;
/// Where in a list the address of the arguments on the stack is.
const ON_STACK: u64 = 8;
/// Where in a list the address of the saved registers is.
const REGISTERS: u64 = 16;
/// Bytes in which a function saves its registers.
const SAVED: u64 = 176;

/// What is known of lists of arguments.
#[derive(Default)]
pub struct Variadic {
    /// The activation whose arguments a list is of, by its address.
    lists: HashMap<u64, u32>,
    /// Where arguments of an activation lie.
    areas: Vec<(std::ops::Range<u64>, u32)>,
    /// Which argument, after those with names, an activation has at an address.
    arguments: HashMap<(u32, u64), usize>,
}

impl Variadic {
    /// An activation calls `va_start`.
    pub fn start(&mut self, list: u64, activation: u32) {
        self.lists.insert(list, activation);
    }

    /// Whether a list is at an address.
    pub fn is_list(&self, address: u64) -> bool {
        self.lists.contains_key(&address)
    }

    /// Memory is nobody's any more: no list lies in it.
    pub fn forget(&mut self, gone: std::ops::Range<u64>) {
        if !self.lists.is_empty() {
            self.lists.retain(|list, _| !gone.contains(list));
        }
    }

    /// Memory is copied: whether it is a list, by `va_copy`.
    fn copied(&mut self, to: u64, from: u64, size: u64) -> bool {
        let list = self.lists.get(&from).copied().filter(|_| size == LIST);
        if let Some(activation) = list {
            self.lists.insert(to, activation);
        }
        list.is_some()
    }

    /// How many of its arguments after those with names an activation has read, up to the last of them.
    pub fn read_of(&self, activation: u32) -> usize {
        let read = self.arguments.iter().filter(|((of, _), _)| *of == activation);
        read.map(|(_, index)| index + 1).max().unwrap_or(0)
    }

    /// The activation of the list in which an address lies, and how many bytes there are at what is read there.
    fn list_of(&self, address: u64) -> Option<(u32, Option<u64>)> {
        let at = |offset: u64| self.lists.get(&address.wrapping_sub(offset)).copied();
        at(REGISTERS).map(|a| (a, Some(SAVED))).or_else(|| at(ON_STACK).map(|a| (a, None)))
    }
}

impl Walker<'_> {
    /// An address is read from memory: in a list it says where arguments are.
    pub(super) fn observe_list(&mut self, address: u64, read: u64) {
        if self.variadic.lists.is_empty() {
            return;
        }
        let Some((activation, bytes)) = self.variadic.list_of(address) else { return };
        let bytes = bytes.unwrap_or_else(|| 8 * self.further_arguments(activation) as u64);
        let is_known = |(area, of): &(std::ops::Range<u64>, u32)| *of == activation && area.contains(&read);
        if !self.variadic.areas.iter().any(is_known) {
            let area = read..read.saturating_add(bytes);
            self.end_older(area.clone(), activation);
            self.variadic.areas.push((area, activation));
        }
    }

    /// Arguments of an activation lie where arrays of its callers were whose block is left: that is not recorded. Only an
    /// array whose length is computed makes room like that; what is declared with its size lies beside, as long as its function.
    fn end_older(&mut self, area: std::ops::Range<u64>, activation: u32) {
        for object in self.build.memory.within(area) {
            let ObjectKind::Local { activation: owner, local, .. } = self.build.memory.objects[object as usize].kind
            else {
                continue;
            };
            let function = self.activations[owner as usize].function;
            let is_computed = self.program.functions[function.index()].locals[local.index()].size.is_none();
            let is_older = |f: &super::Frame| f.activation < activation && f.allocated.contains(&object);
            if is_computed && self.frames.iter().any(is_older) {
                self.build.memory.end(object);
            }
        }
    }

    /// Whether a list is copied. What is in one is the compiler's: seen when it is read, here as after `va_start`.
    pub(super) fn copies_list(&mut self, to: u64, from: u64, size: u64, at: Option<Origin>) -> bool {
        let is_list = self.variadic.copied(to, from, size);
        if is_list {
            let outside = Outside {
                position: self.build.steps.len(),
                here: self.here(at),
                given: Default::default(),
                writes: Writes::Itself,
            };
            let (object, _) = self.build.memory.find(to);
            self.build.outside_of.insert(object, outside);
        }
        is_list
    }

    /// How many arguments an activation has after those with names.
    fn further_arguments(&self, activation: u32) -> usize {
        let frame = self.frames.iter().rev().find(|f| f.activation == activation);
        let further = |f: &super::Frame| {
            f.arguments.len().saturating_sub(self.program.functions[f.function.index()].params.len())
        };
        frame.filter(|f| self.program.functions[f.function.index()].variadic).map_or(0, further)
    }

    /// The argument that lies in memory.
    pub(super) fn variadic_argument(&mut self, range: Range, bits: u32, read: u128) -> Option<Value> {
        if self.variadic.areas.is_empty() || !is_foreign(range.object) {
            return None;
        }
        let address = self.build.memory.objects[range.object as usize].base.wrapping_add(range.offset);
        let at = |(area, of): &(std::ops::Range<u64>, u32)| area.contains(&address).then_some(*of);
        let mut activations = self.variadic.areas.iter().rev().filter_map(at);
        let (activation, count) = activations.find_map(|a| match self.further_arguments(a) {
            0 => None,
            count => Some((a, count)),
        })?;
        let frame = self.frames.iter().rev().find(|f| f.activation == activation)?;
        let named = self.program.functions[frame.function.index()].params.len();
        let fits = |index: usize| mask(frame.arguments[named + index].concrete, bits) == read;
        let index = match self.variadic.arguments.get(&(activation, address)) {
            Some(&index) => index,
            None => {
                let is_taken = |index: &usize| {
                    self.variadic.arguments.iter().any(|((of, _), taken)| *of == activation && taken == index)
                };
                (0..count).find(|index| fits(*index) && !is_taken(index))?
            }
        };
        if !fits(index) {
            return None;
        }
        let value = frame.arguments[named + index].clone();
        self.variadic.arguments.insert((activation, address), index);
        let value = self.build.refresh(&value);
        let width = self.build.terms.width(value.term);
        let term = if width < bits {
            self.build.terms.zero_extend(value.term, bits)
        } else {
            self.build.terms.extract(value.term, 0, bits)
        };
        Some(Value { term, concrete: read, facts: value.facts })
    }
}
