//! From a use of memory that C does not allow to a failure: what makes it wrong, over the program's values.
//!
//! That an object has a size or is freed is a variable of the trace, set where it was made or freed, so that a story can
//! say why.

use crate::builder::{Facts, Range, Value};
use crate::failure::{Found, conditional};
use crate::memory::Piece;
use crate::model::{FailureKind, Kind, MemoryError, Misuse, Storage};
use crate::walk::{Life, Walker};
use wherefore_formula::{BinaryOp, Node, TermId, VarId};
use wherefore_program::{CType, Origin, TypeId};

/// Something that nobody has set decides.
pub fn uninitialised(walker: &mut Walker, misuse: Misuse, at: Option<Origin>) -> Found {
    let offset = misuse.offset.unsigned_abs();
    let of = match walker.build.memory.pieces(misuse.object, offset, misuse.bytes)[..] {
        [Piece::Cell { cell, .. }, ..] => cell.variable,
        [Piece::Gap { offset, size }, ..] => walker.build.new_cell(Range { object: misuse.object, offset, size }),
        [] => return told_plainly(walker, misuse, at),
    };
    let variable = walker.build.variable(Storage::Unset { of }, 1, None, None);
    walker.build.set_initial(variable, 1);
    let value = walker.build.value_of(variable);
    let violated = walker.build.terms.bits_to_bool(value.term);
    told(walker, violated, value.facts, misuse, at)
}

fn told_plainly(walker: &mut Walker, misuse: Misuse, at: Option<Origin>) -> Found {
    let violated = walker.build.terms.truth(true);
    told(walker, violated, Facts::default(), misuse, at)
}

/// A use through a pointer is wrong.
pub fn found(walker: &mut Walker, pointer: &Value, misuse: Misuse, at: Option<Origin>) -> Found {
    let pointer = walker.build.refresh(pointer);
    let life = walker.watch.as_ref().and_then(|w| w.lives.get(&misuse.object)).cloned();
    let mut facts = pointer.facts.clone();
    let violated = match misuse.error {
        MemoryError::OutOfBounds => outside(walker, &pointer, &misuse, life.as_ref(), &mut facts),
        MemoryError::UseAfterFree | MemoryError::DoubleFree => {
            let freed = freed(walker, &misuse, life.as_ref(), &mut facts);
            let same = points_to(walker, &pointer, &misuse, life.as_ref(), &mut facts);
            walker.build.terms.and2(freed, same)
        }
        _ => points_to(walker, &pointer, &misuse, life.as_ref(), &mut facts),
    };
    told(walker, violated, facts, misuse, at)
}

fn told(walker: &mut Walker, violated: TermId, facts: Facts, misuse: Misuse, at: Option<Origin>) -> Found {
    let message = message(&misuse);
    conditional(walker, FailureKind::Memory(misuse), violated, facts, at, message)
}

/// The misuse in words that need no names.
fn message(misuse: &Misuse) -> String {
    match misuse.error {
        MemoryError::OutOfBounds => "memory outside of the object is used",
        MemoryError::UseAfterFree => "memory is used after it was freed",
        MemoryError::UseAfterReturn => "a local is used after its function returned",
        MemoryError::UseAfterScope => "a local is used after its block has ended",
        MemoryError::DoubleFree => "memory is freed twice",
        MemoryError::InvalidFree => "what is freed was not allocated",
        MemoryError::Uninitialised => "a value is used that nobody has set",
        MemoryError::Overlap => "memory is copied to where some of it comes from",
        MemoryError::ReadOnly => "a constant is written",
    }
    .into()
}

/// A pointer taken apart: what points to the object, and the rest of the sum.
struct Parts {
    base: Option<(TermId, u64)>,
    rest: Vec<TermId>,
    constant: u64,
}

impl Parts {
    /// Whether it matters where the pointer is: nothing is added to it, or it has left the object alone.
    fn moves(&self, start: u64, size: u64) -> bool {
        self.base.is_some_and(|(_, value)| {
            let has_left = value < start || value - start >= size;
            value != start && (self.rest.is_empty() || has_left)
        })
    }
}

fn parts(walker: &Walker, pointer: &Value, object: u32) -> Parts {
    let object = &walker.build.memory.objects[object as usize];
    let mut parts = Parts { base: None, rest: vec![], constant: 0 };
    let mut work = vec![pointer.term];
    while let Some(part) = work.pop() {
        match *walker.build.terms.node(part) {
            Node::Binary(BinaryOp::Add, a, b) => work.extend([b, a]),
            Node::Const { value, .. } => parts.constant = parts.constant.wrapping_add(value as u64),
            _ => {
                let value = walker.build.terms.evaluate(part, &mut |v| walker.build.current_value(v));
                let value = value.map(|v| v.raw() as u64);
                let reach = object.size.max(1) + 4096;
                let near = value.filter(|v| *v >= object.base.saturating_sub(4096) && *v <= object.base + reach);
                match near {
                    Some(value) if parts.base.is_none() && object.base > 0 => parts.base = Some((part, value)),
                    _ => parts.rest.push(part),
                }
            }
        }
    }
    parts
}

/// The bytes between the start of the object and where the pointer points, as a term.
fn distance(walker: &mut Walker, pointer: &Value, misuse: &Misuse, life: Option<&Life>, facts: &mut Facts) -> TermId {
    let start = walker.build.memory.objects[misuse.object as usize].base;
    let parts = parts(walker, pointer, misuse.object);
    let address = life.and_then(|l| l.address);
    // A pointer that moves through its object is explained; one that an index is added to is where it is.
    let size = misuse.part.and(misuse.size).unwrap_or(walker.build.memory.objects[misuse.object as usize].size);
    let moves = parts.moves(start + misuse.part.unwrap_or(0), size);
    let constant = match parts.base {
        Some((_, value)) if !moves => parts.constant.wrapping_add(value.wrapping_sub(start)),
        Some(_) if address.is_some() => parts.constant,
        _ => parts.constant.wrapping_sub(start),
    };
    let terms = &mut walker.build.terms;
    let mut sum = terms.bits(64, u128::from(constant));
    for part in parts.rest {
        sum = terms.binary(BinaryOp::Add, part, sum);
    }
    let Some((base, _)) = parts.base.filter(|_| moves) else { return sum };
    let mut base = base;
    if let Some(address) = address {
        let address = address_as(walker, address, base, facts);
        base = walker.build.terms.binary(BinaryOp::Sub, base, address);
    }
    walker.build.terms.binary(BinaryOp::Add, base, sum)
}

/// The address of an object, read as the pointer is that points there.
fn address_as(walker: &mut Walker, address: VarId, pointer: TermId, facts: &mut Facts) -> TermId {
    if let Node::Var(v, _) = *walker.build.terms.node(pointer) {
        let ctype = walker.build.variables[v.0 as usize].ctype;
        let own = &mut walker.build.variables[address.0 as usize].ctype;
        *own = own.or(ctype);
    }
    let value = walker.build.value_of(address);
    facts.merge(&value.facts);
    value.term
}

/// A pointer that moves through a declared object is compared with the object's ends.
fn beyond_end(walker: &mut Walker, pointer: &Value, misuse: &Misuse) -> Option<TermId> {
    let object = &walker.build.memory.objects[misuse.object as usize];
    let (start, size) = (object.base, object.size);
    let parts = parts(walker, pointer, misuse.object);
    if !parts.moves(start, size) || misuse.bytes > size {
        return None;
    }
    let terms = &mut walker.build.terms;
    let first = terms.bits(64, u128::from(start));
    if misuse.offset < 0 {
        return Some(terms.ult(pointer.term, first));
    }
    // What begins behind the end is simply beyond; otherwise the last byte is.
    let is_behind = misuse.offset as u64 >= size;
    let least = if is_behind { start + size } else { start + size - misuse.bytes + 1 };
    let least = terms.bits(64, u128::from(least));
    Some(terms.uge(pointer.term, least))
}

/// The condition by which an access is outside of its object.
fn outside(walker: &mut Walker, pointer: &Value, misuse: &Misuse, life: Option<&Life>, facts: &mut Facts) -> TermId {
    if life.is_none()
        && misuse.part.is_none()
        && let Some(beyond) = beyond_end(walker, pointer, misuse)
    {
        return beyond;
    }
    let distance = distance(walker, pointer, misuse, life, facts);
    let first = misuse.part.unwrap_or(0);
    let size = first + misuse.size.unwrap_or(0);
    if misuse.offset < 0 {
        let simple = index_below(walker, distance, first);
        let first = walker.build.terms.bits(64, u128::from(first));
        let plain = walker.build.terms.slt(distance, first);
        return simple.filter(|s| holds(walker, *s)).unwrap_or(plain);
    }
    let life = life.filter(|_| misuse.part.is_none());
    let variable = life.and_then(|l| size_variable(walker, misuse.object, l));
    if variable.is_none()
        && let Some(simple) = index_above(walker, distance, size, misuse.bytes)
        && holds(walker, simple)
    {
        return simple;
    }
    let size = match variable {
        Some(value) => {
            facts.merge(&value.facts);
            value.term
        }
        None => walker.build.terms.bits(64, u128::from(size)),
    };
    let terms = &mut walker.build.terms;
    let bytes = terms.bits(64, u128::from(misuse.bytes));
    let end = terms.binary(BinaryOp::Add, distance, bytes);
    let signed = index(walker, distance).is_some_and(|i| i.signed);
    let terms = &mut walker.build.terms;
    if signed { terms.sgt(end, size) } else { terms.ugt(end, size) }
}

fn holds(walker: &Walker, condition: TermId) -> bool {
    let value = walker.build.terms.evaluate(condition, &mut |v| walker.build.current_value(v));
    value.is_some_and(|v| v.raw() == 1)
}

/// An index of which a distance is a multiple, plus bytes.
struct Index {
    term: TermId,
    signed: bool,
    scale: i128,
    bytes: i128,
}

fn index(walker: &Walker, distance: TermId) -> Option<Index> {
    let terms = &walker.build.terms;
    let (mut bytes, mut rest) = (0i128, None);
    let mut work = vec![distance];
    while let Some(part) = work.pop() {
        match *terms.node(part) {
            Node::Binary(BinaryOp::Add, a, b) => work.extend([a, b]),
            Node::Const { value, .. } => bytes += i128::from(value as u64 as i64),
            _ if rest.is_none() => rest = Some(part),
            _ => return None,
        }
    }
    let (scaled, scale) = match *terms.node(rest?) {
        Node::Binary(BinaryOp::Mul, a, b) => (a, terms.constant(b)? as u64 as i64),
        Node::Binary(BinaryOp::Shl, a, b) => (a, 1i64.checked_shl(terms.constant(b)? as u32)?),
        _ => (rest?, 1),
    };
    let (term, signed) = match *terms.node(scaled) {
        Node::SignExtend(inner, _) => (inner, true),
        Node::ZeroExtend(inner, _) => (inner, false),
        _ => (scaled, false),
    };
    (scale > 0).then_some(Index { term, signed, scale: i128::from(scale), bytes })
}

/// `i >= 10` for an access that goes beyond the end.
fn index_above(walker: &mut Walker, distance: TermId, size: u64, bytes: u64) -> Option<TermId> {
    let index = index(walker, distance)?;
    let least = (i128::from(size) - i128::from(bytes) - index.bytes).div_euclid(index.scale) + 1;
    let terms = &mut walker.build.terms;
    let width = terms.width(index.term);
    let least = terms.bits(width, least as u128);
    Some(if index.signed { terms.sge(index.term, least) } else { terms.uge(index.term, least) })
}

/// `i < 0` for an access before the start.
fn index_below(walker: &mut Walker, distance: TermId, first: u64) -> Option<TermId> {
    let index = index(walker, distance)?;
    let bound = -(index.bytes - i128::from(first)).div_euclid(index.scale);
    let terms = &mut walker.build.terms;
    let width = terms.width(index.term);
    let bound = terms.bits(width, bound as u128);
    Some(terms.slt(index.term, bound))
}

/// A variable that is the object's size since it was made.
fn size_variable(walker: &mut Walker, object: u32, life: &Life) -> Option<Value> {
    let size = life.size.clone().filter(|_| life.owner.is_none())?;
    if walker.build.terms.width(size.term) != 64 {
        return None;
    }
    let is_size = |t: &CType| matches!(t, CType::Integer { bits: 64, signed: false, .. });
    let ctype = walker.program.types.0.iter().position(is_size).map(|index| TypeId(index as u32));
    let variable = walker.build.variable(Storage::Size { object }, 64, ctype, None);
    let made = life.made;
    walker.build.assign_at(made.position, variable, size, Kind::Assign, made.here);
    Some(walker.build.value_of(variable))
}

/// That the object is freed.
fn freed(walker: &mut Walker, misuse: &Misuse, life: Option<&Life>, facts: &mut Facts) -> TermId {
    let Some(moment) = life.and_then(|l| l.freed) else { return walker.build.terms.truth(true) };
    let variable = walker.build.variable(Storage::Freed { object: misuse.object }, 1, None, None);
    walker.build.set_initial(variable, 0);
    let one = walker.build.constant(1, 1);
    walker.build.assign_at(moment.position, variable, one, Kind::Assign, moment.here);
    let value = walker.build.value_of(variable);
    facts.merge(&value.facts);
    walker.build.terms.bits_to_bool(value.term)
}

/// That the pointer points to the object.
fn points_to(walker: &mut Walker, pointer: &Value, misuse: &Misuse, life: Option<&Life>, facts: &mut Facts) -> TermId {
    let start = walker.build.memory.objects[misuse.object as usize].base;
    let parts = parts(walker, pointer, misuse.object);
    let Some((base, value)) = parts.base else { return walker.build.terms.truth(true) };
    let Some(address) = life.and_then(|l| l.address) else {
        let recorded = walker.build.terms.bits(64, u128::from(value));
        return walker.build.terms.eq(base, recorded);
    };
    let address = address_as(walker, address, base, facts);
    let terms = &mut walker.build.terms;
    let offset = terms.bits(64, u128::from(value.wrapping_sub(start)));
    let there = terms.binary(BinaryOp::Add, address, offset);
    terms.eq(base, there)
}
