//! Memory that functions of the library read and write.

use super::{COPIED, Call, LONG, SHORT};
use crate::builder::{Facts, Here, Range, Value};
use crate::memory::{FOREIGN, Piece};
use crate::model::Kind;
use crate::walk::Walker;
use wherefore_clib::{Access, Format};
use wherefore_formula::{BinaryOp, TermId};

/// Bytes that are looked at at a time: more than a cell has.
const WINDOW: u64 = 64;

/// Bytes that a recording keeps of memory after a call.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    /// Where they are.
    pub address: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// They were read as a text.
    pub text: bool,
}

impl Walker<'_> {
    /// What a call only read is what it found: nobody has written it since.
    pub(super) fn show_read(&mut self, call: &Call) {
        for chunk in call.chunks {
            if self.is_only_read(call, chunk) {
                self.show_chunk(chunk, call);
            }
        }
    }

    fn is_only_read(&self, call: &Call, chunk: &Chunk) -> bool {
        let accesses = call.function.accesses;
        let reads = accesses
            .iter()
            .any(|access| matches!(access, Access::Reads(..)) && call.number(access.through()) == Some(chunk.address));
        // Of what is written, also into the same object, only the bytes afterwards are known.
        let object = self.build.memory.find(chunk.address).0;
        let written = accesses.iter().any(|access| {
            let place = call.number(access.through()).unwrap_or(0);
            matches!(access, Access::Writes(..)) && self.build.memory.find(place).0 == object
        });
        let formatted = call.function.format.is_some()
            && call.arguments.iter().skip(call.function.arguments).any(|a| a.concrete as u64 == chunk.address)
            && call.function.scanned_from().is_none()
            && call.function.name != "sscanf";
        (reads || formatted) && !written
    }

    /// Memory after a call: where it is not what the trace knows, the call wrote something else.
    pub(crate) fn show(&mut self, call: &Call) {
        for chunk in call.chunks {
            if self.is_reached(call, chunk) {
                self.show_chunk(chunk, call);
            }
        }
    }

    /// What a function without a model has read into memory is new, also where the bytes happen to be those of before.
    pub(crate) fn forget_written(&mut self, call: &Call) {
        let Some(outside) = self.build.last_outside.clone() else { return };
        for chunk in call.chunks {
            let (object, offset) = self.build.memory.find(chunk.address);
            let written = if self.is_reached(call, chunk) { read_into(call, chunk) } else { 0 };
            if object != FOREIGN && written > 0 {
                self.build.cells_of_fills(object, offset, written, if chunk.text { 1 } else { written });
                self.build.forget(object, offset, written, &outside);
            }
        }
    }

    /// Whether a format was followed as far as to a place: its result says how many were read.
    fn is_reached(&self, call: &Call, chunk: &Chunk) -> bool {
        if !matches!(call.function.format, Some(Format::Scan(_))) || call.bits == 0 {
            return true;
        }
        let places = call.arguments.iter().skip(call.function.arguments);
        let number = places.map(|place| place.concrete as u64).position(|place| place == chunk.address);
        number.is_none_or(|number| (number as i64) < i64::from(call.returned as u32 as i32))
    }

    fn show_chunk(&mut self, chunk: &Chunk, call: &Call) {
        let (object, offset) = self.build.memory.find(chunk.address);
        let size = self.build.memory.objects[object as usize].size;
        let mut pointers: Vec<Value> =
            call.arguments.iter().filter(|a| a.concrete as u64 == chunk.address).take(1).cloned().collect();
        // Otherwise only what has been asked for before is followed.
        let is_asked_for = self.following.asks_for_all();
        if object == FOREIGN && is_asked_for {
            // An argument of the program is known by all that point to it: some of them do so for a while only.
            pointers.extend(self.build.pointers_to(chunk.address));
        }
        let pointers: Vec<TermId> = pointers.iter().map(|pointer| self.build.refresh(pointer).term).collect();
        // What goes on in another object is the affair of whoever looks for such errors.
        let length =
            if object == FOREIGN { chunk.bytes.len() as u64 } else { (chunk.bytes.len() as u64).min(size - offset) };
        let single = matches!((call.function.name, call.number(1)), ("fread", Some(1)) | ("read", _));
        let characters = chunk.text || single;
        // What a format, or a list of arguments, is made of.
        let whole = match call.function.format {
            Some(Format::Scan(_)) if length <= 16 => Some(length),
            None if call.function.name.starts_with("getopt") => Some(8),
            _ => None,
        };
        let mut at = 0;
        while at < length {
            let next = self.build.memory.pieces(object, offset + at, (length - at).min(WINDOW)).into_iter().next();
            let (step, known) = match next {
                Some(Piece::Cell { cell, from, size }) if from == 0 && size == cell.size && size <= 16 => (size, true),
                Some(Piece::Cell { size, .. }) => (size, false),
                Some(Piece::Gap { size, .. }) if !is_asked_for => (size, false),
                Some(Piece::Gap { size, .. }) if !characters => match whole {
                    Some(whole) if whole <= size && self.build.may_be(object, offset + at, whole) => (whole, true),
                    _ => (size, false),
                },
                // Bytes that the object's type divides otherwise are not characters.
                Some(Piece::Gap { offset, .. }) => (1, self.build.may_be(object, offset, 1)),
                None => break,
            };
            if known {
                let bytes = &chunk.bytes[at as usize..(at + step) as usize];
                let value = bytes.iter().rev().fold(0u128, |word, byte| word << 8 | u128::from(*byte));
                let range = Range { object, offset: offset + at, size: step };
                self.build.read(range, step as u32 * 8, Some(value), None, call.here);
                for pointer in &pointers {
                    let path = self.displaced(*pointer, at);
                    self.build.read(range, step as u32 * 8, None, Some(path), call.here);
                }
            }
            at += step;
        }
    }

    /// A pointer and a number of bytes.
    pub(super) fn displaced(&mut self, pointer: TermId, bytes: u64) -> TermId {
        let bytes = self.number_term(64, bytes);
        self.build.terms.binary(BinaryOp::Add, pointer, bytes)
    }

    pub(crate) fn pointer_behind(&mut self, pointer: &Value, bytes: u64) -> Value {
        let term = self.displaced(pointer.term, bytes);
        Value {
            term,
            concrete: u128::from((pointer.concrete as u64).wrapping_add(bytes)),
            facts: pointer.facts.clone(),
        }
    }

    /// The byte at some distance from a pointer; `None` where the run does not show it.
    pub(crate) fn byte(&mut self, pointer: &Value, distance: u64, here: Here) -> Option<Value> {
        let address = (pointer.concrete as u64).checked_add(distance)?;
        if let Some(known) = self.byte_in_run(address) {
            return known.map(|byte| self.build.constant(8, byte));
        }
        let (object, offset) = self.build.memory.find(address);
        let path = self.displaced(pointer.term, distance);
        let value = self.build.read(Range { object, offset, size: 1 }, 8, None, Some(path), here);
        let known = value.facts.reads.iter().all(|(variable, _)| self.build.current_value(*variable).is_some());
        known.then_some(value)
    }

    /// The bytes of a text, the zero with them; at most so many.
    pub(super) fn text(&mut self, pointer: &Value, most: Option<u64>, here: Here) -> Option<Vec<Value>> {
        let mut bytes = vec![];
        while most.is_none_or(|most| (bytes.len() as u64) < most) {
            if bytes.len() as u64 > LONG {
                return None;
            }
            let byte = self.byte(pointer, bytes.len() as u64, here)?;
            let last = byte.concrete == 0;
            bytes.push(byte);
            if last {
                break;
            }
        }
        Some(bytes)
    }

    /// The bytes of a text that is copied.
    pub(super) fn copied_text(&mut self, pointer: &Value, most: Option<u64>, here: Here) -> Option<Vec<Value>> {
        self.text(pointer, most, here).filter(|bytes| bytes.len() as u64 <= COPIED + 1)
    }

    /// The bytes of a text on which one value depends.
    pub(super) fn short_text(&mut self, pointer: &Value, most: Option<u64>, here: Here) -> Option<Vec<Value>> {
        self.text(pointer, most, here).filter(|bytes| bytes.len() as u64 <= SHORT + 1)
    }

    /// So many bytes, on which one value depends.
    pub(super) fn bytes(&mut self, pointer: &Value, count: u64, here: Here) -> Option<Vec<Value>> {
        if count > 2 * SHORT {
            return None;
        }
        (0..count).map(|n| self.byte(pointer, n, here)).collect()
    }

    /// What values depend on, and that pointers are what they were.
    pub(super) fn facts_of(&mut self, bytes: &[Value], fixed: &[&Value]) -> Facts {
        let mut facts = Facts::default();
        for byte in bytes {
            facts.merge(&byte.facts);
        }
        for value in fixed {
            self.fix(&mut facts, value);
        }
        facts
    }

    /// Write bytes where a pointer points to; all depend on some facts.
    pub(super) fn put(&mut self, to: &Value, bytes: &[Value], facts: &Facts, here: Here) {
        let facts = self.build.refresh_facts(facts);
        for (n, byte) in (0..).zip(bytes) {
            let place = self.pointer_behind(to, n);
            let (object, offset) = self.build.memory.find(place.concrete as u64);
            let mut value = byte.clone();
            value.facts.merge(&facts);
            self.build.write(Range { object, offset, size: 1 }, &value, Kind::Assign, Some(&place), here);
        }
    }

    /// Write a number where a pointer points to.
    pub(super) fn put_number(&mut self, to: &Value, value: &Value, here: Here) {
        let (object, offset) = self.build.memory.find(to.concrete as u64);
        let size = u64::from(self.build.terms.width(value.term) / 8);
        let mut value = value.clone();
        self.fix(&mut value.facts, to);
        self.build.write(Range { object, offset, size }, &value, Kind::Assign, Some(to), here);
    }
}

/// How many bytes of a chunk a function has certainly read into it.
fn read_into(call: &Call, chunk: &Chunk) -> u64 {
    let seen = chunk.bytes.len() as u64;
    let through = |number: usize| call.number(number) == Some(chunk.address);
    match (call.function.name, call.function.format) {
        ("fgets" | "gets", _) if through(0) && call.returned != 0 => seen,
        ("fread", _) if through(0) => call.number(1).unwrap_or(0).saturating_mul(call.returned as u64).min(seen),
        ("read", _) if through(1) => u64::try_from(call.returned as i64).unwrap_or(0).min(seen),
        (_, Some(Format::Scan(_))) => seen,
        _ => 0,
    }
}
