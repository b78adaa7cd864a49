//! Functions that copy texts and memory.

use super::{Call, LONG};
use crate::builder::{Facts, Range, Value};
use crate::memory::ObjectKind;
use crate::model::Kind;
use crate::walk::Walker;

impl Walker<'_> {
    pub(super) fn copying(&mut self, call: &Call) -> Option<Value> {
        let here = call.here;
        match (call.function.name, call.arguments) {
            ("strcpy" | "stpcpy", [to, from]) => {
                let bytes = self.copied_text(from, None, here)?;
                let facts = self.copied_facts(&bytes, &[to, from]);
                self.put(to, &bytes, &facts, here);
                let length = bytes.len() as u64 - 1;
                let end = Value { facts, ..self.pointer_behind(to, length) };
                Some(if call.function.name == "stpcpy" { end } else { to.clone() })
            }
            ("strncpy", [to, from, most]) => {
                let count = most.concrete as u64;
                let mut bytes = self.copied_text(from, Some(count), here)?;
                let facts = self.copied_facts(&bytes, &[to, from, most]);
                // The rest is filled with zeros.
                let zero = self.build.constant(8, 0);
                let padding = count.checked_sub(bytes.len() as u64)?;
                bytes.resize(bytes.len() + padding.min(LONG) as usize, zero);
                self.put(to, &bytes, &facts, here);
                Some(to.clone())
            }
            ("strcat", [to, from]) => self.append(call, to, from, None),
            ("strncat", [to, from, most]) => self.append(call, to, from, Some(most)),
            ("strdup" | "strndup", [text, most @ ..]) => {
                let most = most.first();
                let mut bytes = self.copied_text(text, most.map(|most| most.concrete as u64), here)?;
                let mut facts = self.copied_facts(&bytes, &[text]);
                most.iter().for_each(|most| self.fix(&mut facts, most));
                self.end_text(&mut bytes);
                self.duplicate(call, &bytes, &facts)
            }
            ("memcpy" | "memmove" | "mempcpy", [to, from, count]) => {
                let size = count.concrete as u64;
                let facts = self.facts_of(&[], &[to, from, count]);
                self.copy_memory(to, from, size, &facts, call);
                Some(if call.function.name == "mempcpy" { self.pointer_behind(to, size) } else { to.clone() })
            }
            ("bcopy", [from, to, count]) => {
                let facts = self.facts_of(&[], &[to, from, count]);
                self.copy_memory(to, from, count.concrete as u64, &facts, call);
                Some(to.clone())
            }
            ("memset", [to, byte, count]) => {
                let byte = self.low_byte(byte);
                self.fill_memory(to, byte, count, call);
                Some(to.clone())
            }
            ("bzero", [to, count]) => {
                let zero = self.build.constant(8, 0);
                self.fill_memory(to, zero, count, call);
                Some(to.clone())
            }
            _ => None,
        }
    }

    /// The lowest byte of a number.
    pub(super) fn low_byte(&mut self, number: &Value) -> Value {
        let term = self.build.terms.extract(number.term, 0, 8);
        Value { term, concrete: number.concrete & 0xff, facts: number.facts.clone() }
    }

    /// What a copy of a text depends on: that it ends where it does.
    pub(super) fn copied_facts(&mut self, bytes: &[Value], fixed: &[&Value]) -> Facts {
        let mut facts = self.facts_of(bytes, fixed);
        let mut shape = vec![];
        for byte in bytes {
            let end = self.is_zero(byte);
            shape.push(if byte.concrete == 0 { end } else { self.build.terms.not(end) });
        }
        let shape = self.build.terms.and(shape);
        self.hold(&mut facts, shape);
        facts
    }

    /// A zero at the end, where there is none.
    fn end_text(&mut self, bytes: &mut Vec<Value>) {
        if bytes.last().is_none_or(|last| last.concrete != 0) {
            bytes.push(self.build.constant(8, 0));
        }
    }

    fn append(&mut self, call: &Call, to: &Value, from: &Value, most: Option<&Value>) -> Option<Value> {
        let before = self.copied_text(to, None, call.here)?;
        let mut bytes = self.copied_text(from, most.map(|most| most.concrete as u64), call.here)?;
        let mut facts = self.copied_facts(&bytes, &[to, from]);
        let length = self.copied_facts(&before, &[]);
        facts.merge(&length);
        most.iter().for_each(|most| self.fix(&mut facts, most));
        self.end_text(&mut bytes);
        let end = self.pointer_behind(to, before.len() as u64 - 1);
        self.put(&end, &bytes, &facts, call.here);
        Some(to.clone())
    }

    /// A new object that holds a text.
    fn duplicate(&mut self, call: &Call, bytes: &[Value], facts: &Facts) -> Option<Value> {
        let address = call.returned as u64;
        if address == 0 {
            return None;
        }
        let heap = ObjectKind::Heap { at: call.here.at, freed: false };
        self.build.allocate(heap, address, bytes.len() as u64);
        // Its address is a name.
        let place = self.external_result(call.written, call.bits, call.returned, Facts::default(), call.here);
        self.put(&place, bytes, facts, call.here);
        Some(place)
    }

    fn range_at(&self, pointer: &Value, size: u64) -> Range {
        let (object, offset) = self.build.memory.find(pointer.concrete as u64);
        Range { object, offset, size }
    }

    fn copy_memory(&mut self, to: &Value, from: &Value, size: u64, facts: &Facts, call: &Call) {
        if size > 0 {
            let (target, source) = (self.range_at(to, size), self.range_at(from, size));
            self.build.copy(target, source, Kind::Assign, facts, Some(to), call.here);
        }
    }

    fn fill_memory(&mut self, to: &Value, mut byte: Value, count: &Value, call: &Call) {
        self.fix(&mut byte.facts, to);
        self.fix(&mut byte.facts, count);
        if count.concrete > 0 {
            let target = self.range_at(to, count.concrete as u64);
            self.build.fill(target, &byte, Kind::Assign, Some(to), call.here);
        }
    }
}
