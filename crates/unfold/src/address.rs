//! From an address to the objects it may mean.
//!
//! Objects have fixed addresses, so an address is a choice between constants, each perhaps with an index added. It is
//! taken apart by its shape; no solver is asked.

use crate::commands::FIRST_FUNCTION;
use crate::memory::{Content, ObjectId, Undefined};
use crate::state::{State, Unfolder};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use wherefore_formula::{BinaryOp, Node, TermId};
use wherefore_program::Origin;

/// Where objects start, after the functions; far from numbers that programs compute with.
pub(crate) const FIRST_ADDRESS: u64 = 0x5a5c_0000_0000;

/// Where no object is any more.
const LAST_ADDRESS: u64 = FIRST_ADDRESS << 8;

/// What the shapes of terms show, looked at once each.
#[derive(Default)]
pub(crate) struct Shapes {
    pointers: RefCell<FxHashMap<TermId, bool>>,
    strides: RefCell<FxHashMap<TermId, u64>>,
    /// How many bits terms need as signed numbers.
    needed: RefCell<FxHashMap<TermId, u32>>,
}

/// Ways an address may go before only those of tests are followed.
const MANY_WAYS: usize = 64;
/// Parts of an address that are looked at likewise.
const MANY_STEPS: usize = 256;
/// Cells one access may mean; in larger objects only those that tests access are followed.
const MANY_CELLS: u64 = 2048;

/// One thing an address may be.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// When.
    pub condition: TermId,
    /// A constant address.
    pub base: u64,
    /// What is added to it (64 bits).
    pub index: Option<TermId>,
}

/// An access of memory.
struct Access {
    /// When it happens.
    condition: TermId,
    address: TermId,
    bytes: u64,
    write: bool,
    at: Option<Origin>,
}

/// A place inside an object.
pub(crate) struct Target {
    pub condition: TermId,
    pub object: ObjectId,
    pub offset: Offset,
}

pub(crate) enum Offset {
    Fixed(u64),
    /// An offset term and the offsets it may have.
    Among(TermId, Vec<u64>),
}

/// Everything an address may be.
#[derive(Default)]
struct Ways {
    known: Vec<Way>,
    /// When it is something that is not understood.
    wild: Vec<TermId>,
}

impl Unfolder<'_> {
    /// The ways of an address; `None` when it has a part that is not understood.
    pub fn ways(&mut self, address: TermId) -> Option<Vec<Way>> {
        let mut ways = Ways::default();
        let truth = self.terms.truth(true);
        self.collect_ways(truth, address, None, &mut ways);
        ways.wild.is_empty().then_some(ways.known)
    }

    /// The ways of an address that are understood, where a condition holds; runs in which it goes another are left.
    pub fn ways_or_cut(
        &mut self,
        state: &mut State,
        condition: TermId,
        address: TermId,
        at: Option<Origin>,
    ) -> Vec<Way> {
        let mut ways = Ways::default();
        self.collect_ways(condition, address, None, &mut ways);
        for condition in ways.wild {
            self.cut_if(state, condition, "a pointer here is not understood; runs that use it are not followed", at);
        }
        ways.known
    }

    fn collect_ways(&mut self, condition: TermId, address: TermId, index: Option<TermId>, ways: &mut Ways) {
        // Parts that are shared are looked at once: a term is newer than its parts, so that all ways to it are known
        // when it is its turn.
        let mut work = BTreeMap::from([((address, index), condition)]);
        // From some size on only what tests do is followed.
        let mut steps = 0;
        let mut others = vec![];
        while let Some(((address, index), condition)) = work.pop_last() {
            if self.terms.truth_value(condition) == Some(false) {
                continue;
            }
            steps += 1;
            if (steps > MANY_STEPS || ways.known.len() >= MANY_WAYS) && !self.bounds.reached(&self.terms, condition) {
                others.push(condition);
                continue;
            }
            let mut go = |unfolder: &mut Self, to: (TermId, Option<TermId>), condition: TermId| {
                let before = work.get(&to).copied().unwrap_or(unfolder.terms.truth(false));
                let condition = unfolder.guards.join(&mut unfolder.terms, before, condition);
                let condition = unfolder.short(condition);
                work.insert(to, condition);
            };
            let (pointer, rest) = match *self.terms.node(address) {
                Node::Const { value, .. } => {
                    ways.known.push(Way { condition, base: value as u64, index });
                    continue;
                }
                Node::Ite(c, a, b) => {
                    let then = self.terms.and2(condition, c);
                    let negated = self.terms.not(c);
                    let otherwise = self.terms.and2(condition, negated);
                    go(self, (a, index), then);
                    go(self, (b, index), otherwise);
                    continue;
                }
                Node::Binary(BinaryOp::Add, a, b) if self.is_pointer(a) => (a, b),
                Node::Binary(BinaryOp::Add, a, b) if self.is_pointer(b) => (b, a),
                Node::Binary(BinaryOp::Sub, a, b) if self.is_pointer(a) && !self.is_pointer(b) => {
                    (a, self.terms.neg(b))
                }
                _ => {
                    ways.wild.push(condition);
                    continue;
                }
            };
            let index = match index {
                Some(index) => self.terms.binary(BinaryOp::Add, index, rest),
                None => rest,
            };
            go(self, (pointer, Some(index)), condition);
        }
        if !others.is_empty() {
            let other = self.terms.or(others);
            let other = self.short(other);
            ways.wild.push(other);
        }
    }

    /// Whether a value is made of addresses of objects or functions.
    pub fn is_pointer(&self, value: TermId) -> bool {
        if let Some(known) = self.shapes.pointers.borrow().get(&value) {
            return *known;
        }
        let found = match *self.terms.node(value) {
            Node::Const { width, value } => return width == 64 && is_address(value as u64),
            Node::Ite(_, a, b) => self.is_pointer(a) || self.is_pointer(b),
            Node::Binary(BinaryOp::Add, a, b) => self.is_pointer(a) || self.is_pointer(b),
            Node::Binary(BinaryOp::Sub, a, b) => self.is_pointer(a) && !self.is_pointer(b),
            _ => return false,
        };
        // Terms share parts; each is looked at once.
        self.shapes.pointers.borrow_mut().insert(value, found);
        found
    }

    /// The object a constant address lies in, just behind or just in front.
    pub fn object_at(&self, address: u64) -> Option<ObjectId> {
        self.objects.at(address)
    }

    /// The places that an access of `bytes` at an address may mean where a condition holds; where it is none of them,
    /// the program fails. Also says whether it may be something that is not understood.
    fn targets(&mut self, state: &mut State, access: Access) -> (Vec<Target>, bool) {
        let Access { condition, address, bytes, write, at } = access;
        let mut ways = Ways::default();
        self.collect_ways(condition, address, None, &mut ways);
        let mut open = false;
        for condition in ways.wild {
            open |= self.leave_open(state, condition, write, "an address here is not understood", at);
        }
        let mut targets = vec![];
        let mut wrong = vec![];
        for way in ways.known {
            let object = self.object_at(way.base).filter(|id| state.memory.contains_key(id));
            let Some(object) = object else {
                wrong.push((way.condition, "an invalid pointer is used"));
                continue;
            };
            let kind = self.kind(object).clone();
            let alive = state.memory[&object].alive;
            let dead = self.terms.not(alive);
            let dead = self.terms.and2(way.condition, dead);
            wrong.push((dead, "memory is used after it was freed"));
            if write && kind.constant {
                wrong.push((way.condition, "a constant is written"));
                continue;
            }
            let start = way.base.wrapping_sub(kind.address);
            let Some(short) = kind.size.checked_sub(bytes) else {
                wrong.push((way.condition, "an access outside an object"));
                continue;
            };
            // An array that is declared too short is twice as long when its declaration is set free.
            let last = if kind.declared.is_some() { short + kind.size } else { short };
            let start_term = self.terms.bits(64, u128::from(start));
            let offset = match way.index {
                Some(index) => self.terms.binary(BinaryOp::Add, index, start_term),
                None => start_term,
            };
            let beyond = self.terms.bits(64, u128::from(last));
            let outside = self.terms.ugt(offset, beyond);
            let outside = match kind.limit {
                // The size is known at run time only; the object has room for at least so much.
                Some(limit) => {
                    let end = self.displaced(offset, bytes);
                    let over = self.terms.ugt(end, limit);
                    self.terms.or2(outside, over)
                }
                None => outside,
            };
            let outside = match kind.declared {
                Some(kept) => {
                    let short = self.terms.bits(64, u128::from(short));
                    let over = self.terms.ugt(offset, short);
                    let over = self.terms.and2(kept, over);
                    self.terms.or2(outside, over)
                }
                None => outside,
            };
            let outside = self.terms.and2(way.condition, outside);
            let indexed = way.index.is_some() || kind.limit.is_some();
            wrong.push((outside, if indexed { "an index is out of bounds" } else { "an access outside an object" }));
            let offset = match way.index {
                None if start <= last => Offset::Fixed(start),
                None => continue,
                Some(index) => {
                    let stride = self.stride(index);
                    let first = if stride == 0 { start } else { start % stride };
                    let step = if stride == 0 { u64::MAX } else { stride };
                    let count = if first > last { 0 } else { (last - first) / step + 1 };
                    if count > MANY_CELLS {
                        let (places, elsewhere) = self.places_of_tests(state, offset, step.max(1), last);
                        let elsewhere = self.terms.and2(way.condition, elsewhere);
                        open |= self.leave_open(
                            state,
                            elsewhere,
                            write,
                            "an array here is too large to follow each of its elements",
                            at,
                        );
                        Offset::Among(offset, places)
                    } else {
                        Offset::Among(offset, (0..count).map(|n| first + n * step).collect())
                    }
                }
            };
            targets.push(Target { condition: way.condition, object, offset });
        }
        for (condition, what) in wrong {
            self.fail_if(state, condition, what, at);
        }
        (targets, open)
    }

    /// Where a condition holds it is not followed what an access does. What is read is open; after a write nothing
    /// would be sure, so runs in which it happens are left.
    fn leave_open(&mut self, state: &mut State, condition: TermId, write: bool, why: &str, at: Option<Origin>) -> bool {
        let met = self.terms.and2(state.guard, condition);
        if self.terms.truth_value(met) == Some(false) {
            return false;
        }
        if write {
            self.cut_if(state, condition, &format!("{why}; runs that write there are not followed"), at);
        } else if self.bounds.may_reach(&self.terms, met) {
            self.note(at, format!("{why}; what is read is left open"));
        }
        true
    }

    /// The places that tests access in a large object, and the condition that it is another.
    fn places_of_tests(&mut self, state: &State, offset: TermId, step: u64, last: u64) -> (Vec<u64>, TermId) {
        let mut places = std::collections::BTreeSet::new();
        for run in self.bounds.runs() {
            if run.reaches(&self.terms, state.guard)
                && let Some(value) = run.evaluation.value(&self.terms, offset)
            {
                let value = value as u64;
                let near = [value.wrapping_sub(step), value, value.wrapping_add(step)];
                places.extend(near.into_iter().filter(|place| *place <= last));
            }
        }
        let mut elsewhere = vec![];
        for place in &places {
            let number = self.terms.bits(64, u128::from(*place));
            elsewhere.push(self.terms.ne(offset, number));
        }
        (places.into_iter().collect(), self.terms.and(elsewhere))
    }

    /// A number that divides a term, as its shape shows; 0 for the constant zero.
    pub fn stride(&self, term: TermId) -> u64 {
        if let Some(known) = self.shapes.strides.borrow().get(&term) {
            return *known;
        }
        let exact = match *self.terms.node(term) {
            Node::Const { .. } => return self.signed(term).unwrap_or(0).unsigned_abs(),
            Node::Binary(BinaryOp::Mul, a, b) => self.stride(a).checked_mul(self.stride(b)).unwrap_or(1),
            Node::Binary(BinaryOp::Shl, a, by) => match self.terms.constant(by) {
                Some(by) if by < 32 => self.stride(a).checked_mul(1 << by).unwrap_or(1),
                _ => 1,
            },
            Node::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => gcd(self.stride(a), self.stride(b)),
            Node::Neg(a) => self.stride(a),
            Node::Ite(_, a, b) => gcd(self.stride(a), self.stride(b)),
            _ => return 1,
        };
        // Where the result wraps, only powers of two divide what is left of it.
        let wraps = self.bits_needed(term) >= self.terms.width(term);
        let found = if wraps && exact != 0 { power_of_two(exact) } else { exact };
        self.shapes.strides.borrow_mut().insert(term, found);
        found
    }

    /// How many bits a term needs as a signed number, as its shape shows; more than it has if it may wrap.
    fn bits_needed(&self, term: TermId) -> u32 {
        let width = self.terms.width(term);
        if let Some(known) = self.shapes.needed.borrow().get(&term) {
            return *known;
        }
        let needed = match *self.terms.node(term) {
            Node::Const { .. } => match self.signed(term) {
                Some(value) if value < 0 => 65 - value.leading_ones(),
                Some(value) => 65 - value.leading_zeros(),
                None => width,
            },
            Node::ZeroExtend(a, _) => self.terms.width(a) + 1,
            Node::SignExtend(a, _) => self.terms.width(a),
            Node::Binary(BinaryOp::Mul, a, b) => self.bits_needed(a) + self.bits_needed(b),
            Node::Binary(BinaryOp::Shl, a, by) => match self.terms.constant(by) {
                Some(by) if by < 32 => self.bits_needed(a) + by as u32,
                _ => width + 1,
            },
            Node::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => self.bits_needed(a).max(self.bits_needed(b)) + 1,
            Node::Neg(a) => self.bits_needed(a) + 1,
            Node::Ite(_, a, b) => self.bits_needed(a).max(self.bits_needed(b)),
            _ => width,
        };
        // A part that wraps is some number of this width.
        let needed = needed.min(width + 1);
        self.shapes.needed.borrow_mut().insert(term, needed);
        needed
    }

    /// A constant of at most 64 bits as a signed number.
    fn signed(&self, term: TermId) -> Option<i64> {
        let width = self.terms.width(term);
        let value = self.terms.constant(term).filter(|_| width <= 64)? as u64;
        Some((value << (64 - width)) as i64 >> (64 - width))
    }

    /// Reads memory; unknown where the address is.
    pub fn load(&mut self, state: &mut State, address: TermId, bits: u32, at: Option<Origin>) -> TermId {
        let truth = self.terms.truth(true);
        self.load_if(state, truth, address, bits, at)
    }

    /// Reads memory where a condition holds; otherwise the address need not be valid.
    pub fn load_if(
        &mut self,
        state: &mut State,
        condition: TermId,
        address: TermId,
        bits: u32,
        at: Option<Origin>,
    ) -> TermId {
        let bytes = bits.div_ceil(8);
        let access = Access { condition, address, bytes: u64::from(bytes), write: false, at };
        let (targets, open) = self.targets(state, access);
        let mut value = (open || targets.is_empty()).then(|| self.unknown(bytes * 8));
        for target in targets.into_iter().rev() {
            let mut content = state.memory[&target.object].clone();
            let found = self.read_target(&mut content, &target, bytes);
            state.memory.insert(target.object, content);
            value = Some(match value {
                Some(rest) => self.terms.ite(target.condition, found, rest),
                None => found,
            });
        }
        let value = value.expect("a target or something open");
        self.terms.extract(value, 0, bits)
    }

    /// Reads a place that an address means.
    pub fn read_target(&mut self, content: &mut Content, target: &Target, bytes: u32) -> TermId {
        let Unfolder { terms, objects, variables, .. } = self;
        let kind = objects.kind(target.object);
        let (term, places) = match &target.offset {
            Offset::Fixed(offset) => return content.read(terms, kind, variables, *offset, bytes),
            Offset::Among(term, places) => (*term, places),
        };
        let cells: Vec<TermId> =
            places.iter().map(|place| content.read(terms, kind, variables, *place, bytes)).collect();
        // Neighbours that are equal are told apart from others together.
        let changes = cells.windows(2).filter(|w| w[0] != w[1]).count();
        let together = changes * 2 < cells.len();
        let mut value: Option<TermId> = None;
        for (n, cell) in cells.iter().enumerate().rev() {
            let Some(rest) = value else {
                value = Some(*cell);
                continue;
            };
            if together && cells[n + 1] == *cell {
                continue;
            }
            let here = if together {
                let next = terms.bits(64, u128::from(places[n + 1]));
                terms.ult(term, next)
            } else {
                let number = terms.bits(64, u128::from(places[n]));
                terms.eq(term, number)
            };
            value = Some(terms.ite(here, *cell, rest));
        }
        value.unwrap_or_else(|| variables.undefined(terms, bytes * 8))
    }

    /// Writes memory.
    pub fn store(&mut self, state: &mut State, address: TermId, value: TermId, at: Option<Origin>) {
        let truth = self.terms.truth(true);
        self.store_if(state, truth, address, value, at);
    }

    /// Writes memory where a condition holds; otherwise the address need not be valid.
    pub fn store_if(
        &mut self,
        state: &mut State,
        condition: TermId,
        address: TermId,
        value: TermId,
        at: Option<Origin>,
    ) {
        let bits = self.terms.width(value);
        let bytes = bits.div_ceil(8);
        let value = self.terms.zero_extend(value, bytes * 8);
        let access = Access { condition, address, bytes: u64::from(bytes), write: true, at };
        let (targets, _) = self.targets(state, access);
        for target in targets {
            let mut content = state.memory[&target.object].clone();
            let places = match target.offset {
                Offset::Fixed(offset) => vec![(target.condition, offset)],
                Offset::Among(term, places) => places
                    .into_iter()
                    .map(|place| {
                        let number = self.terms.bits(64, u128::from(place));
                        let here = self.terms.eq(term, number);
                        (self.terms.and2(target.condition, here), place)
                    })
                    .collect(),
            };
            for (condition, offset) in places {
                // A pointer that is perhaps overwritten in part stays whole, so that it is still one.
                let pointer = content.around(offset, bytes).filter(|(_, cell)| self.is_pointer(cell.value));
                let Unfolder { terms, objects, variables, .. } = self;
                let kind = objects.kind(target.object);
                match terms.truth_value(condition) {
                    Some(false) => {}
                    Some(true) => content.write(terms, offset, value),
                    None => {
                        let (start, old) = match pointer {
                            Some((start, cell)) => (start, cell.value),
                            None => (offset, content.read(terms, kind, variables, offset, bytes)),
                        };
                        let new = wherefore_meaning::replace_bits(terms, old, value, (offset - start) as u32 * 8);
                        let written = terms.ite(condition, new, old);
                        content.write(terms, start, written);
                    }
                }
            }
            state.memory.insert(target.object, content);
        }
    }
}

fn is_address(value: u64) -> bool {
    (FIRST_FUNCTION..LAST_ADDRESS).contains(&value)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn power_of_two(a: u64) -> u64 {
    1 << a.trailing_zeros()
}

#[cfg(test)]
mod tests;
