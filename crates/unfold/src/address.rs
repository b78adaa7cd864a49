//! From an address to the objects it may mean.
//!
//! Objects have fixed addresses, so an address is a choice between constants, each perhaps with an index added. It is
//! taken apart by its shape; no solver is asked.

use crate::commands::FIRST_FUNCTION;
use crate::memory::{Content, ObjectId};
use crate::state::{State, Unfolder};
use wherefore_formula::{BinaryOp, Node, Sort, TermId};
use wherefore_program::Origin;

/// Where objects start, after the functions; far from numbers that programs compute with.
pub(crate) const FIRST_ADDRESS: u64 = 0x5a5c_0000_0000;

/// Ways an address may go before it is given up.
const MANY_WAYS: usize = 256;
/// Levels of a term looked at for what divides it.
const STRIDE_DEPTH: u32 = 12;
/// Cells one access may mean before it is given up.
const MANY_CELLS: usize = 4096;

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

impl Unfolder<'_> {
    /// The ways of an address; `None` when it has a part that is not understood.
    pub fn ways(&mut self, address: TermId) -> Option<Vec<Way>> {
        let mut ways = vec![];
        let truth = self.terms.truth(true);
        self.collect_ways(truth, address, None, &mut ways).then_some(ways)
    }

    fn collect_ways(&mut self, condition: TermId, address: TermId, index: Option<TermId>, ways: &mut Vec<Way>) -> bool {
        if self.terms.truth_value(condition) == Some(false) {
            return true;
        }
        if ways.len() >= MANY_WAYS {
            return false;
        }
        match *self.terms.node(address) {
            Node::Const { value, .. } => {
                ways.push(Way { condition, base: value as u64, index });
                true
            }
            Node::Ite(c, a, b) => {
                let then = self.terms.and2(condition, c);
                let negated = self.terms.not(c);
                let otherwise = self.terms.and2(condition, negated);
                self.collect_ways(then, a, index, ways) && self.collect_ways(otherwise, b, index, ways)
            }
            Node::Binary(BinaryOp::Add, a, b) => {
                let (pointer, rest) = if self.is_pointer(a) {
                    (a, b)
                } else if self.is_pointer(b) {
                    (b, a)
                } else {
                    return false;
                };
                let index = match index {
                    Some(index) => self.terms.binary(BinaryOp::Add, index, rest),
                    None => rest,
                };
                self.collect_ways(condition, pointer, Some(index), ways)
            }
            Node::Binary(BinaryOp::Sub, a, b) if self.is_pointer(a) && !self.is_pointer(b) => {
                let rest = self.terms.neg(b);
                let index = match index {
                    Some(index) => self.terms.binary(BinaryOp::Add, index, rest),
                    None => rest,
                };
                self.collect_ways(condition, a, Some(index), ways)
            }
            _ => false,
        }
    }

    /// Whether a value is made of addresses of objects or functions.
    pub fn is_pointer(&self, value: TermId) -> bool {
        if self.terms.sort(value) != Sort::Bits(64) {
            return false;
        }
        let mut known = self.pointers.borrow_mut();
        let mut work = vec![value];
        // Parts first; a term is looked at once however often it occurs.
        while let Some(&term) = work.last() {
            if known.contains_key(&term) {
                work.pop();
                continue;
            }
            let parts: Vec<TermId> = match *self.terms.node(term) {
                Node::Ite(_, a, b) | Node::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => vec![a, b],
                _ => vec![],
            };
            let open = parts.iter().copied().filter(|part| !known.contains_key(part));
            let before = work.len();
            work.extend(open);
            if work.len() > before {
                continue;
            }
            let is = match *self.terms.node(term) {
                Node::Const { value, .. } => (FIRST_FUNCTION..self.next_address).contains(&(value as u64)),
                Node::Ite(_, a, b) | Node::Binary(BinaryOp::Add, a, b) => known[&a] || known[&b],
                Node::Binary(BinaryOp::Sub, a, b) => known[&a] && !known[&b],
                _ => false,
            };
            known.insert(term, is);
            work.pop();
        }
        known[&value]
    }

    /// The object a constant address lies in, or just behind.
    pub fn object_at(&self, address: u64) -> Option<ObjectId> {
        if address < FIRST_ADDRESS {
            return None;
        }
        let after = self.kinds.partition_point(|kind| kind.address <= address);
        let id = after.checked_sub(1)?;
        // An index added to an address in front of the object or behind it may lead into it.
        Some(ObjectId(id as u32))
    }

    /// The places that an access of `bytes` at an address may mean; where it is none of them, the program fails.
    pub fn targets(
        &mut self,
        state: &mut State,
        address: TermId,
        bytes: u64,
        write: bool,
        at: Option<Origin>,
    ) -> Vec<Target> {
        let Some(ways) = self.ways(address) else {
            self.note(at, "an address here is not understood; what the access does is left open");
            return vec![];
        };
        let mut targets = vec![];
        let mut wrong = vec![];
        for way in ways {
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
            let mut last = kind.size.checked_sub(bytes);
            if let (Some(kept), Some(short)) = (kind.declared, last) {
                // Beyond the end as it is declared, the declaration may be wrong instead of the index.
                let beyond = match way.index {
                    None => self.terms.truth(start > short),
                    Some(index) => {
                        let start = self.terms.bits(64, u128::from(start));
                        let offset = self.terms.binary(BinaryOp::Add, index, start);
                        let limit = self.terms.bits(64, u128::from(short));
                        self.terms.ugt(offset, limit)
                    }
                };
                let beyond = self.terms.and([way.condition, beyond, kept]);
                wrong.push((beyond, "an index is out of bounds"));
                last = Some(short + kind.size);
            }
            match (way.index, last) {
                (_, None) => wrong.push((way.condition, "an access outside an object")),
                (None, Some(last)) if start <= last => {
                    targets.push(Target { condition: way.condition, object, offset: Offset::Fixed(start) });
                }
                (None, Some(_)) => wrong.push((way.condition, "an access outside an object")),
                (Some(index), Some(last)) => {
                    let start_term = self.terms.bits(64, u128::from(start));
                    let offset = self.terms.binary(BinaryOp::Add, index, start_term);
                    let limit = self.terms.bits(64, u128::from(last));
                    let outside = self.terms.ugt(offset, limit);
                    let outside = self.terms.and2(way.condition, outside);
                    wrong.push((outside, "an index is out of bounds"));
                    let stride = self.stride(index, STRIDE_DEPTH);
                    let first = if stride == 0 { start } else { start % stride };
                    let step = if stride == 0 { u64::MAX } else { stride };
                    let places: Vec<u64> = if first > last {
                        vec![]
                    } else {
                        (0..=(last - first) / step).take(MANY_CELLS + 1).map(|n| first + n * step).collect()
                    };
                    if places.len() > MANY_CELLS {
                        self.note(at, "an array here is too large to follow each of its elements; what the access does is left open");
                        continue;
                    }
                    targets.push(Target { condition: way.condition, object, offset: Offset::Among(offset, places) });
                }
            }
        }
        for (condition, what) in wrong {
            self.fail_if(state, condition, what, at);
        }
        targets
    }

    /// A number that divides a term, as its shape shows; 0 for the constant zero.
    fn stride(&self, term: TermId, depth: u32) -> u64 {
        let Some(depth) = depth.checked_sub(1) else { return 1 };
        match *self.terms.node(term) {
            Node::Const { value, .. } => value as u64,
            Node::Binary(BinaryOp::Mul, a, b) => {
                let (a, b) = (self.stride(a, depth), self.stride(b, depth));
                if a == 0 || b == 0 { 0 } else { power_of_two(a).saturating_mul(power_of_two(b)).max(small(a, b)) }
            }
            Node::Binary(BinaryOp::Shl, a, by) => match self.terms.constant(by) {
                Some(by) if by < 32 => self.stride(a, depth).saturating_mul(1 << by),
                _ => 1,
            },
            Node::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => gcd(self.stride(a, depth), self.stride(b, depth)),
            Node::Neg(a) => self.stride(a, depth),
            Node::Ite(_, a, b) => gcd(self.stride(a, depth), self.stride(b, depth)),
            _ => 1,
        }
    }

    /// Reads memory; unknown where the address is.
    pub fn load(&mut self, state: &mut State, address: TermId, bits: u32, at: Option<Origin>) -> TermId {
        let bytes = bits.div_ceil(8);
        let targets = self.targets(state, address, u64::from(bytes), false, at);
        let mut value: Option<TermId> = None;
        for target in targets.into_iter().rev() {
            let mut content = state.memory[&target.object].clone();
            let found = self.read_target(&mut content, &target, bytes);
            state.memory.insert(target.object, content);
            value = Some(match value {
                Some(rest) => self.terms.ite(target.condition, found, rest),
                None => found,
            });
        }
        let value = match value {
            Some(value) => value,
            None => self.unknown(bytes * 8),
        };
        self.terms.extract(value, 0, bits)
    }

    fn read_target(&mut self, content: &mut Content, target: &Target, bytes: u32) -> TermId {
        let Unfolder { terms, kinds, variables, .. } = self;
        let kind = &kinds[target.object.0 as usize];
        match &target.offset {
            Offset::Fixed(offset) => content.read(terms, kind, variables, *offset, bytes),
            Offset::Among(term, places) => {
                let mut value: Option<TermId> = None;
                for place in places.iter().rev() {
                    let cell = content.read(terms, kind, variables, *place, bytes);
                    value = Some(match value {
                        Some(rest) => {
                            let number = terms.bits(64, u128::from(*place));
                            let here = terms.eq(*term, number);
                            terms.ite(here, cell, rest)
                        }
                        None => cell,
                    });
                }
                match value {
                    Some(value) => value,
                    None => terms.bits(bytes * 8, 0),
                }
            }
        }
    }

    /// Writes memory.
    pub fn store(&mut self, state: &mut State, address: TermId, value: TermId, at: Option<Origin>) {
        let bits = self.terms.width(value);
        let bytes = bits.div_ceil(8);
        let value = self.terms.zero_extend(value, bytes * 8);
        let targets = self.targets(state, address, u64::from(bytes), true, at);
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
            let Unfolder { terms, kinds, variables, .. } = self;
            let kind = &kinds[target.object.0 as usize];
            for (condition, offset) in places {
                let written = match terms.truth_value(condition) {
                    Some(false) => continue,
                    Some(true) => value,
                    None => {
                        let old = content.read(terms, kind, variables, offset, bytes);
                        terms.ite(condition, value, old)
                    }
                };
                content.write(terms, offset, written);
            }
            state.memory.insert(target.object, content);
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn power_of_two(a: u64) -> u64 {
    1 << a.trailing_zeros()
}

/// One factor is exact when the other is 1.
fn small(a: u64, b: u64) -> u64 {
    if a == 1 {
        b
    } else if b == 1 {
        a
    } else {
        1
    }
}
