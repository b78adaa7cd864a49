//! Strings in memory, as terms over bytes.
//!
//! A string is looked at as far as its object goes, or up to a byte that is surely zero. Where it goes on behind its
//! object the program fails.

use crate::address::{Offset, Target, Way};
use crate::state::{State, Unfolder};
use wherefore_formula::{BinaryOp, TermId};
use wherefore_program::Origin;

/// Longest string followed byte by byte.
const LONG_STRING: u64 = 1024;
/// Bytes that a string of unknown start may be made of, with the bytes each may be.
const MUCH_TEXT: u64 = 1 << 16;

impl Unfolder<'_> {
    /// The bytes of a string, one of which is zero.
    pub fn string(&mut self, state: &mut State, pointer: TermId, at: Option<Origin>) -> Option<Vec<TermId>> {
        self.text(state, pointer, None, at)
    }

    /// The bytes of a string of which at most so many are looked at.
    pub fn text(
        &mut self,
        state: &mut State,
        pointer: TermId,
        most: Option<TermId>,
        at: Option<Origin>,
    ) -> Option<Vec<TermId>> {
        self.gather(state, pointer, most, true, at)
    }

    /// So many bytes, zeros among them.
    pub fn bytes(
        &mut self,
        state: &mut State,
        pointer: TermId,
        length: TermId,
        at: Option<Origin>,
    ) -> Option<Vec<TermId>> {
        self.gather(state, pointer, Some(length), false, at)
    }

    fn gather(
        &mut self,
        state: &mut State,
        pointer: TermId,
        most: Option<TermId>,
        ends: bool,
        at: Option<Origin>,
    ) -> Option<Vec<TermId>> {
        let truth = self.terms.truth(true);
        let first = most.map_or(truth, |most| self.is_below(0, most));
        let ways = self.ways_or_cut(state, first, pointer, at);
        if self.terms.truth_value(first) == Some(false) {
            return Some(vec![]);
        }
        // The first byte shows whether there is anything at all.
        self.load_if(state, first, pointer, 8, at);
        let mut all: Vec<(TermId, Vec<TermId>)> = vec![];
        for way in ways {
            if let Some(bytes) = self.gather_way(state, &way, most, ends, at) {
                all.push((way.condition, bytes));
            }
        }
        let longest = all.iter().map(|(_, bytes)| bytes.len()).max().unwrap_or(0);
        let zero = self.terms.bits(8, 0);
        let select = |unfolder: &mut Self, n: usize| {
            all.iter().rev().fold(None, |rest, (condition, bytes)| {
                let byte = bytes.get(n).copied().unwrap_or(zero);
                Some(match rest {
                    Some(rest) => unfolder.terms.ite(*condition, byte, rest),
                    None => byte,
                })
            })
        };
        Some((0..longest).map(|n| select(self, n).unwrap_or(zero)).collect())
    }

    /// The bytes of a string in one object. Where it goes on behind it, the program fails.
    pub fn gather_way(
        &mut self,
        state: &mut State,
        way: &Way,
        most: Option<TermId>,
        ends: bool,
        at: Option<Origin>,
    ) -> Option<Vec<TermId>> {
        let object = self.object_at(way.base).filter(|id| state.memory.contains_key(id))?;
        let kind = self.kind(object).clone();
        let start = way.base.wrapping_sub(kind.address);
        let (room, followed) = match way.index {
            None => (kind.size.checked_sub(start)?, LONG_STRING),
            Some(_) => (kind.size, (MUCH_TEXT / kind.size.max(1)).min(LONG_STRING)),
        };
        let asked = most.and_then(|most| self.terms.constant(most)).map_or(u64::MAX, |most| most as u64);
        let count = room.min(followed).min(asked);
        let mut content = state.memory[&object].clone();
        let zero = self.terms.bits(8, 0);
        let mut bytes = vec![];
        // When no byte so far is the last.
        let mut on = way.condition;
        for n in 0..count {
            let (offset, inside) = match way.index {
                None => (Offset::Fixed(start + n), self.terms.truth(true)),
                Some(index) => {
                    let from = self.terms.bits(64, u128::from(start.wrapping_add(n)));
                    let offset = self.terms.binary(BinaryOp::Add, index, from);
                    let size = self.terms.bits(64, u128::from(kind.size));
                    let inside = self.terms.ult(offset, size);
                    (Offset::Among(offset, (0..kind.size).collect()), inside)
                }
            };
            let target = Target { condition: way.condition, object, offset };
            let byte = self.read_target(&mut content, &target, 1);
            let byte = self.terms.ite(inside, byte, zero);
            bytes.push(byte);
            let last = if ends {
                let is_zero = self.terms.eq(byte, zero);
                self.terms.and2(inside, is_zero)
            } else {
                self.terms.truth(false)
            };
            let goes_on = self.terms.not(last);
            on = self.terms.and2(on, goes_on);
            if self.terms.truth_value(last) == Some(true) {
                break;
            }
        }
        state.memory.insert(object, content);
        let more = match most {
            Some(most) => {
                let below = self.is_below(bytes.len(), most);
                self.terms.and2(on, below)
            }
            None => on,
        };
        if room <= followed {
            self.fail_if(state, more, "a text has no end in its object", at);
        } else {
            self.cut_if(state, more, "a long text is followed for its first part only", at);
        }
        Some(bytes)
    }

    /// Where the first zero is (64 bits).
    pub fn length(&mut self, bytes: &[TermId]) -> TermId {
        let zero = self.terms.bits(8, 0);
        let mut length = self.terms.bits(64, bytes.len() as u128);
        for (n, byte) in bytes.iter().enumerate().rev() {
            let ends = self.terms.eq(*byte, zero);
            let here = self.terms.bits(64, n as u128);
            length = self.terms.ite(ends, here, length);
        }
        length
    }

    /// `n < most`.
    pub fn is_below(&mut self, n: usize, most: TermId) -> TermId {
        let n = self.terms.bits(self.terms.width(most), n as u128);
        self.terms.ult(n, most)
    }

    /// How many steps a loop over a length needs: the length if it is fixed, else one more than what the objects have
    /// room for, so that the last step fails.
    pub fn count(&mut self, length: TermId, places: &[TermId]) -> Option<u64> {
        if let Some(length) = self.terms.constant(length) {
            return u64::try_from(length).ok().filter(|n| *n <= 1 << 16);
        }
        let rooms: Option<Vec<u64>> = places.iter().map(|place| self.most_room(*place)).collect();
        rooms?.into_iter().min().map(|room| room + 1).filter(|room| *room <= 4 * LONG_STRING)
    }

    /// The most that is behind a pointer.
    fn most_room(&mut self, pointer: TermId) -> Option<u64> {
        let ways = self.ways(pointer)?;
        let room = |way: &Way| {
            let kind = self.kind(self.object_at(way.base)?);
            Some(if way.index.is_some() { kind.size } else { (kind.address + kind.size).saturating_sub(way.base) })
        };
        Some(ways.iter().filter_map(room).max().unwrap_or(0))
    }

    /// What is behind pointers is not known any more.
    pub fn forget(&mut self, state: &mut State, pointers: &[TermId]) {
        for pointer in pointers {
            for way in self.ways(*pointer).unwrap_or_default() {
                let Some(object) = self.object_at(way.base).filter(|id| state.memory.contains_key(id)) else {
                    continue;
                };
                let kind = self.kind(object).clone();
                if kind.constant || kind.size > 1 << 16 {
                    continue;
                }
                let mut content = state.memory[&object].clone();
                let mut offset = 0;
                while offset < kind.size {
                    let bytes = content.cells.get(&offset).map_or(1, |cell| cell.bytes);
                    let unknown = self.unknown(bytes * 8);
                    content.write(&mut self.terms, offset, unknown);
                    offset += u64::from(bytes);
                }
                state.memory.insert(object, content);
            }
        }
    }
}
