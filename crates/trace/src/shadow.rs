//! What is known of values and memory besides their bits: the object that a pointer belongs to, and what nobody has set.
//!
//! Every value that the run computes has a [`Shadow`]; it goes with the value through registers and memory. An object is
//! known only where the program itself got the pointer from it: of a pointer that comes from elsewhere nothing is claimed.

use crate::memory::FOREIGN;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use wherefore_program::{BinaryOp, CastOp, CompareOp, Operand, Operation};

/// Bytes of a pointer.
const POINTER: u64 = 8;

/// Bytes of a value that holds two.
const WIDE: u64 = 16;

/// An array that is a member of a struct: where it begins, and its size in bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The address.
    pub start: u64,
    /// The size.
    pub size: u64,
}

/// What is known of a value besides its bits.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Shadow {
    /// The object that it points into, or would if it were in bounds.
    pub object: Option<u32>,
    /// The array in this object that it was made from.
    pub part: Option<Part>,
    /// The same for the second word of a value that is wider than a pointer: a struct in registers.
    pub second: Option<u32>,
    /// The bits that nobody has set.
    pub unset: u128,
    /// Where these come from: an object and an offset in it.
    pub from: Option<(u32, u64)>,
}

impl Shadow {
    /// A pointer to an object.
    pub fn pointer(object: u32) -> Shadow {
        Shadow { object: Some(object), ..Shadow::default() }
    }

    /// The shadow of what an operation computes from values with these shadows and bits.
    pub fn of(operation: &Operation, bits: u32, shadows: &[Shadow], value: impl Fn(usize) -> u128) -> Shadow {
        let unset = if shadows.iter().any(|s| s.unset != 0) { unset(operation, bits, shadows, &value) } else { 0 };
        let from = shadows.iter().find(|s| s.unset != 0).and_then(|s| s.from).filter(|_| unset != 0);
        let (object, second) = objects(operation, bits, shadows, &value);
        let part = object.and_then(|_| part(operation, shadows, &value));
        Shadow { object, part, second, unset, from }
    }
}

/// The array that the result of an operation still belongs to. A constant step out of it goes to the struct around it.
fn part(operation: &Operation, shadows: &[Shadow], value: &impl Fn(usize) -> u128) -> Option<Part> {
    match (operation, shadows) {
        (Operation::Copy(_), [a]) => a.part,
        (Operation::Select(..), [_, a, b]) => {
            if value(0) & 1 == 1 {
                a.part
            } else {
                b.part
            }
        }
        (Operation::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), .. }, [a, b]) => {
            let part = a.part.or(b.part)?;
            let (left, right) = (value(0) as u64, value(1) as u64);
            let to = if *op == BinaryOp::Add { left.wrapping_add(right) } else { left.wrapping_sub(right) };
            let step = if a.part.is_some() { right } else { left };
            let distance = to.wrapping_sub(part.start);
            let is_constant = operation.operands().iter().any(|o| matches!(o, Operand::Constant { .. }));
            let stays = distance < part.size || distance == part.size && step < part.size;
            (stays || !is_constant).then_some(part)
        }
        _ => None,
    }
}

/// The objects that the words of a result point into.
fn objects(
    operation: &Operation,
    bits: u32,
    shadows: &[Shadow],
    value: &impl Fn(usize) -> u128,
) -> (Option<u32>, Option<u32>) {
    match (operation, shadows) {
        (Operation::Insert { low: 0, .. }, [whole, part]) => (part.object, whole.second),
        (Operation::Insert { low: 64, .. }, [whole, part]) => (whole.object, part.object),
        (Operation::Insert { low, .. }, [whole, _]) if *low < 64 => (None, whole.second),
        (Operation::Insert { .. }, [whole, _]) => (whole.object, None),
        (Operation::Extract { low: 0, .. }, [whole]) if bits >= 64 => (whole.object, None),
        (Operation::Extract { low: 64, .. }, [whole]) if bits == 64 => (whole.second, None),
        (Operation::Copy(_), [a]) => (a.object, a.second),
        (Operation::Select(..), [_, a, b]) => {
            let taken = if value(0) & 1 == 1 { a } else { b };
            (taken.object, taken.second)
        }
        _ => (object(operation, shadows), None),
    }
}

/// The object that the result of an operation points into: a pointer plus or minus a number.
fn object(operation: &Operation, shadows: &[Shadow]) -> Option<u32> {
    match (operation, shadows) {
        (Operation::Binary { op: BinaryOp::Add, .. }, [a, b]) => match (a.object, b.object) {
            (Some(object), None) | (None, Some(object)) => Some(object),
            _ => None,
        },
        (Operation::Binary { op: BinaryOp::Sub, .. }, [a, b]) if b.object.is_none() => a.object,
        // Flags in the low bits of a pointer are taken off by a mask.
        (Operation::Binary { op: BinaryOp::And | BinaryOp::Or, .. }, [a, b]) if b.object.is_none() => a.object,
        _ => None,
    }
}

/// The bits of the result of an operation that depend on bits nobody has set.
fn unset(operation: &Operation, bits: u32, shadows: &[Shadow], value: &impl Fn(usize) -> u128) -> u128 {
    let all = if bits >= 128 { u128::MAX } else { (1 << bits) - 1 };
    let mask = |i: usize| shadows[i].unset;
    let shift = |i: usize| u32::try_from(value(i)).ok().filter(|by| *by < bits && mask(i) == 0);
    let found = match operation {
        Operation::Copy(_) | Operation::Cast(CastOp::Truncate | CastOp::ZeroExtend, _) => mask(0),
        Operation::Extract { low, .. } => mask(0) >> low,
        Operation::Insert { low, .. } => mask(0) | mask(1) << low,
        Operation::Binary { op, .. } => match op {
            // A bit that is 0 on one side, or 1 of a disjunction, decides alone.
            BinaryOp::And => (mask(0) | mask(1)) & (mask(0) | value(0)) & (mask(1) | value(1)),
            BinaryOp::Or => (mask(0) | mask(1)) & (mask(0) | !value(0)) & (mask(1) | !value(1)),
            BinaryOp::Xor => mask(0) | mask(1),
            BinaryOp::Shl => shift(1).map_or(all, |by| mask(0) << by),
            BinaryOp::LShr => shift(1).map_or(all, |by| (mask(0) & all) >> by),
            BinaryOp::AShr => {
                shift(1).map_or(all, |by| if mask(0) >> (bits - 1) & 1 == 1 { all } else { mask(0) >> by })
            }
            _ => all,
        },
        Operation::Compare(CompareOp::Eq | CompareOp::Ne, ..) => {
            let known = !(mask(0) | mask(1));
            if (value(0) ^ value(1)) & known != 0 { 0 } else { all }
        }
        Operation::Select(..) if mask(0) == 0 => mask(if value(0) & 1 == 1 { 1 } else { 2 }),
        _ => all,
    };
    found & all
}

/// Bytes of an object that nobody has set, and where they come from.
#[derive(Copy, Clone, Debug)]
struct Span {
    end: u64,
    /// The object and the offset that its first byte comes from.
    from: (u32, u64),
}

impl Span {
    fn origin_at(&self, start: u64, at: u64) -> (u32, u64) {
        (self.from.0, self.from.1 + (at - start))
    }
}

/// A pointer that was stored: its bits and what it points into.
#[derive(Copy, Clone, Debug)]
struct Stored {
    bits: u64,
    object: u32,
    part: Option<Part>,
}

/// The shadows of what lies in memory.
#[derive(Debug, Default)]
pub struct ShadowMemory {
    /// Pointers that were stored, by object and offset.
    pointers: FxHashMap<u32, BTreeMap<u64, Stored>>,
    unset: FxHashMap<u32, BTreeMap<u64, Span>>,
}

impl ShadowMemory {
    /// Nobody has set anything of a new object.
    pub fn make(&mut self, object: u32, size: u64) {
        self.mark(object, 0, size, (object, 0));
    }

    fn mark(&mut self, object: u32, offset: u64, size: u64, from: (u32, u64)) {
        // Who else writes what is nobody's is not known.
        if size > 0 && object != FOREIGN {
            self.unset.entry(object).or_default().insert(offset, Span { end: offset.saturating_add(size), from });
        }
    }

    /// A range is set, to something that is no pointer.
    pub fn set(&mut self, object: u32, offset: u64, size: u64) {
        let end = offset.saturating_add(size);
        if let Some(pointers) = self.pointers.get_mut(&object) {
            let first = offset.saturating_sub(POINTER - 1);
            let gone: Vec<u64> = pointers.range(first..end).map(|(at, _)| *at).collect();
            for at in gone {
                pointers.remove(&at);
            }
        }
        let Some(spans) = self.unset.get_mut(&object) else { return };
        let first = spans.range(..=offset).next_back().map_or(offset, |(start, _)| *start);
        let touched: Vec<(u64, Span)> =
            spans.range(first..end).filter(|(_, s)| s.end > offset).map(|(at, s)| (*at, *s)).collect();
        for (start, span) in touched {
            spans.remove(&start);
            if start < offset {
                spans.insert(start, Span { end: offset, ..span });
            }
            if span.end > end {
                spans.insert(end, Span { end: span.end, from: span.origin_at(start, end) });
            }
        }
        if spans.is_empty() {
            self.unset.remove(&object);
        }
    }

    /// Everything of an object from an offset on may be set, and what it points to is not known.
    pub fn forget(&mut self, object: u32, offset: u64) {
        self.set(object, offset, u64::MAX - offset);
    }

    /// Objects that fulfil a condition may have been set by anybody.
    pub fn forget_all(&mut self, is_open: impl Fn(u32) -> bool) {
        self.unset.retain(|object, _| !is_open(*object));
        self.pointers.retain(|object, _| !is_open(*object));
    }

    /// The objects that pointers in an object point into.
    pub fn reached_from(&self, object: u32) -> Vec<u32> {
        self.pointers.get(&object).map_or(vec![], |all| all.values().map(|stored| stored.object).collect())
    }

    /// The pointers of which some bytes lie in a range: where they begin, and the objects that they point into.
    pub fn pointers_in(&self, object: u32, offset: u64, size: u64) -> Vec<(u64, u32)> {
        let Some(all) = self.pointers.get(&object) else { return vec![] };
        let within = all.range(offset.saturating_sub(POINTER - 1)..offset.saturating_add(size));
        within.map(|(at, stored)| (*at, stored.object)).collect()
    }

    /// The shadow of what is read; a pointer is the one that was stored if the run read these bits.
    pub fn read(&self, object: u32, offset: u64, size: u64, value: Option<u64>) -> Shadow {
        let mut shadow = Shadow::default();
        let stored = |at: u64| self.pointers.get(&object).and_then(|all| all.get(&at));
        if matches!(size, POINTER | WIDE) {
            let same = stored(offset).filter(|stored| value.is_none_or(|v| v == stored.bits));
            (shadow.object, shadow.part) = (same.map(|stored| stored.object), same.and_then(|stored| stored.part));
        }
        if size == WIDE {
            shadow.second = stored(offset + POINTER).map(|stored| stored.object);
        }
        for (start, end, from) in self.unset_in(object, offset, size) {
            for byte in start - offset..(end - offset).min(16) {
                shadow.unset |= 0xff << (8 * byte);
            }
            shadow.from = shadow.from.or(Some(from));
        }
        shadow
    }

    /// What nobody has set of a range: start, end, and where the first byte comes from.
    pub fn unset_in(&self, object: u32, offset: u64, size: u64) -> Vec<(u64, u64, (u32, u64))> {
        let Some(spans) = self.unset.get(&object) else { return vec![] };
        let end = offset.saturating_add(size);
        let first = spans.range(..=offset).next_back().map_or(offset, |(start, _)| *start);
        let within = spans.range(first..end).filter(|(_, span)| span.end > offset);
        within
            .map(|(start, span)| {
                let at = (*start).max(offset);
                (at, span.end.min(end), span.origin_at(*start, at))
            })
            .collect()
    }

    /// A value with a shadow is written. A byte of which some bits are set counts as set.
    pub fn write(&mut self, object: u32, offset: u64, size: u64, shadow: Shadow, value: u128) {
        self.set(object, offset, size);
        if let (POINTER | WIDE, Some(to)) = (size, shadow.object) {
            let stored = Stored { bits: value as u64, object: to, part: shadow.part };
            self.pointers.entry(object).or_default().insert(offset, stored);
        }
        if let (WIDE, Some(to)) = (size, shadow.second) {
            let stored = Stored { bits: (value >> 64) as u64, object: to, part: None };
            self.pointers.entry(object).or_default().insert(offset + POINTER, stored);
        }
        if shadow.unset == 0 {
            return;
        }
        let from = shadow.from.unwrap_or((object, offset));
        for byte in (0..size.min(16)).filter(|byte| shadow.unset >> (8 * byte) & 0xff == 0xff) {
            self.mark(object, offset + byte, 1, (from.0, from.1));
        }
    }

    /// Bytes are copied with their shadows.
    pub fn copy(&mut self, to: (u32, u64), from: (u32, u64), size: u64) {
        let spans = self.unset_in(from.0, from.1, size);
        let end = from.1.saturating_add(size);
        let pointers: Vec<(u64, Stored)> = match self.pointers.get(&from.0) {
            Some(all) => {
                all.range(from.1..end).filter(|(at, _)| **at + POINTER <= end).map(|(a, p)| (*a, *p)).collect()
            }
            None => vec![],
        };
        self.set(to.0, to.1, size);
        for (start, stop, origin) in spans {
            self.mark(to.0, to.1 + (start - from.1), stop - start, origin);
        }
        for (at, pointer) in pointers {
            self.pointers.entry(to.0).or_default().insert(to.1 + (at - from.1), pointer);
        }
    }
}

#[cfg(test)]
mod tests;
