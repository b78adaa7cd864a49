//! Strings: what functions of `<string.h>` do, as terms over bytes.
//!
//! A string is looked at as far as its object goes, or up to a byte that is surely zero. Where it goes on behind its
//! object the program fails.

use crate::address::{Offset, Target, Way};
use crate::memory::{Content, Rest};
use crate::state::{State, Unfolder};
use wherefore_formula::{BinaryOp, TermId};
use wherefore_program::Origin;

/// Longest string followed byte by byte.
const LONG_STRING: u64 = 1024;
/// Bytes that a string of unknown start may be made of, with the bytes each may be.
const MUCH_TEXT: u64 = 1 << 16;
/// Comparisons that a search for one string in another may take.
const MANY_COMPARISONS: usize = 1 << 14;

impl Unfolder<'_> {
    /// What a function of the library that works on strings gives; `None` for others.
    pub fn string_function(
        &mut self,
        state: &mut State,
        symbol: &str,
        arguments: &[TermId],
        at: Option<Origin>,
    ) -> Option<TermId> {
        Some(match (symbol, arguments) {
            ("strlen", [text]) => {
                let bytes = self.string(state, *text, at)?;
                self.length(&bytes)
            }
            ("strnlen", [text, most]) => {
                let bytes = self.text(state, *text, Some(*most), at)?;
                let length = self.length(&bytes);
                self.smaller(length, *most)
            }
            ("strcmp" | "strcoll", [a, b]) => {
                let (a, b) = (self.string(state, *a, at)?, self.string(state, *b, at)?);
                self.compare(&a, &b, None, true)
            }
            ("strncmp", [a, b, most]) => {
                let (a, b) = (self.text(state, *a, Some(*most), at)?, self.text(state, *b, Some(*most), at)?);
                self.compare(&a, &b, Some(*most), true)
            }
            ("strcasecmp" | "strncasecmp", [a, b, most @ ..]) => {
                let most = most.first().copied();
                let (a, b) = (self.text(state, *a, most, at)?, self.text(state, *b, most, at)?);
                let lower = |unfolder: &mut Self, bytes: Vec<TermId>| -> Vec<TermId> {
                    bytes.into_iter().map(|byte| unfolder.change_case("tolower", byte)).collect()
                };
                let (a, b) = (lower(self, a), lower(self, b));
                self.compare(&a, &b, most, true)
            }
            ("memcmp" | "bcmp", [a, b, length]) => {
                let (a, b) = (self.bytes(state, *a, *length, at)?, self.bytes(state, *b, *length, at)?);
                self.compare(&a, &b, Some(*length), false)
            }
            ("strcpy" | "stpcpy", [to, from]) => {
                let bytes = self.string(state, *from, at)?;
                self.put(state, *to, &bytes, at);
                if symbol == "stpcpy" {
                    let length = self.length(&bytes);
                    self.terms.binary(BinaryOp::Add, *to, length)
                } else {
                    *to
                }
            }
            ("strncpy", [to, from, most]) => {
                let bytes = self.text(state, *from, Some(*most), at)?;
                self.put_padded(state, *to, &bytes, *most, at)?;
                *to
            }
            ("strcat", [to, from]) => {
                let bytes = self.string(state, *from, at)?;
                let end = self.end_of(state, *to, at)?;
                self.put(state, end, &bytes, at);
                *to
            }
            ("strncat", [to, from, most]) => {
                let bytes = self.text(state, *from, Some(*most), at)?;
                let end = self.end_of(state, *to, at)?;
                let mut kept: Vec<TermId> =
                    bytes.iter().enumerate().map(|(n, b)| self.while_below(n, *most, *b)).collect();
                kept.push(self.terms.bits(8, 0));
                self.put(state, end, &kept, at);
                *to
            }
            ("strchr" | "index" | "strrchr" | "rindex", [text, byte]) => {
                let bytes = self.string(state, *text, at)?;
                self.find_byte(*text, &bytes, *byte, matches!(symbol, "strrchr" | "rindex"))
            }
            ("memchr", [from, byte, length]) => {
                let bytes = self.bytes(state, *from, *length, at)?;
                let byte = self.terms.extract(*byte, 0, 8);
                let mut found = self.terms.bits(64, 0);
                for (n, here) in bytes.iter().enumerate().rev() {
                    let same = self.terms.eq(*here, byte);
                    let inside = self.is_below(n, *length);
                    let both = self.terms.and2(same, inside);
                    let place = self.displaced(*from, n as u64);
                    found = self.terms.ite(both, place, found);
                }
                found
            }
            ("strstr", [text, part]) => {
                let bytes = self.string(state, *text, at)?;
                let part = self.string(state, *part, at)?;
                self.find_text(*text, &bytes, &part)?
            }
            ("strspn" | "strcspn" | "strpbrk", [text, set]) => {
                let bytes = self.string(state, *text, at)?;
                let set = self.string(state, *set, at)?;
                self.span(symbol, *text, &bytes, &set)?
            }
            ("strdup" | "strndup", [text, most @ ..]) => {
                let most = most.first().copied();
                let mut bytes = self.text(state, *text, most, at)?;
                if let Some(most) = most {
                    bytes = bytes.iter().enumerate().map(|(n, b)| self.while_below(n, most, *b)).collect();
                    bytes.push(self.terms.bits(8, 0));
                }
                let length = self.length(&bytes);
                let object = self.object(bytes.len() as u64, Rest::Undefined, false);
                let size = self.displaced(length, 1);
                self.limit_object(object, size);
                state.memory.insert(object, Content::new(&self.terms));
                let address = self.pointer_to(object);
                self.put(state, address, &bytes, at);
                address
            }
            _ => return None,
        })
    }

    // ---- reading ----

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

    // ---- terms over bytes ----

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

    fn smaller(&mut self, a: TermId, b: TermId) -> TermId {
        let less = self.terms.ult(a, b);
        self.terms.ite(less, a, b)
    }

    /// `n < most`.
    pub fn is_below(&mut self, n: usize, most: TermId) -> TermId {
        let n = self.terms.bits(self.terms.width(most), n as u128);
        self.terms.ult(n, most)
    }

    /// The byte where its number is below a limit, else zero.
    fn while_below(&mut self, n: usize, most: TermId, byte: TermId) -> TermId {
        let zero = self.terms.bits(8, 0);
        let below = self.is_below(n, most);
        self.terms.ite(below, byte, zero)
    }

    /// The difference of the first bytes that differ, as the library gives it (32 bits).
    fn compare(&mut self, a: &[TermId], b: &[TermId], most: Option<TermId>, ends: bool) -> TermId {
        let zero = self.terms.bits(8, 0);
        let same = self.terms.bits(32, 0);
        let mut result = same;
        for n in (0..a.len().max(b.len())).rev() {
            let x = a.get(n).copied().unwrap_or(zero);
            let y = b.get(n).copied().unwrap_or(zero);
            let equal = self.terms.eq(x, y);
            let (wide_x, wide_y) = (self.terms.zero_extend(x, 32), self.terms.zero_extend(y, 32));
            let difference = self.terms.binary(BinaryOp::Sub, wide_x, wide_y);
            if ends {
                let last = self.terms.eq(x, zero);
                result = self.terms.ite(last, same, result);
            }
            result = self.terms.ite(equal, result, difference);
            if let Some(most) = most {
                let below = self.is_below(n, most);
                result = self.terms.ite(below, result, same);
            }
        }
        result
    }

    fn find_byte(&mut self, text: TermId, bytes: &[TermId], byte: TermId, last: bool) -> TermId {
        let byte = self.terms.extract(byte, 0, 8);
        let zero = self.terms.bits(8, 0);
        let null = self.terms.bits(64, 0);
        // What is found from a place on.
        let mut found = null;
        for (n, here) in bytes.iter().enumerate().rev() {
            let place = self.displaced(text, n as u64);
            let same = self.terms.eq(*here, byte);
            let ends = self.terms.eq(*here, zero);
            let own = self.terms.ite(same, place, null);
            let found_later = if last {
                let nothing = self.terms.eq(found, null);
                self.terms.ite(nothing, own, found)
            } else {
                self.terms.ite(same, place, found)
            };
            found = self.terms.ite(ends, own, found_later);
        }
        found
    }

    fn find_text(&mut self, text: TermId, bytes: &[TermId], part: &[TermId]) -> Option<TermId> {
        if bytes.len() * part.len() > MANY_COMPARISONS {
            return None;
        }
        let zero = self.terms.bits(8, 0);
        let mut found = self.terms.bits(64, 0);
        for n in (0..bytes.len()).rev() {
            // Whether the part stands here, from its end on.
            let mut here = self.terms.truth(true);
            for (k, wanted) in part.iter().enumerate().rev() {
                let byte = bytes.get(n + k).copied().unwrap_or(zero);
                let done = self.terms.eq(*wanted, zero);
                let same = self.terms.eq(*wanted, byte);
                let goes_on = self.terms.and2(same, here);
                here = self.terms.or2(done, goes_on);
            }
            let ends = self.terms.eq(bytes[n], zero);
            let null = self.terms.bits(64, 0);
            let later = self.terms.ite(ends, null, found);
            let place = self.displaced(text, n as u64);
            found = self.terms.ite(here, place, later);
        }
        Some(found)
    }

    fn span(&mut self, symbol: &str, text: TermId, bytes: &[TermId], set: &[TermId]) -> Option<TermId> {
        if bytes.len() * set.len() > MANY_COMPARISONS {
            return None;
        }
        let zero = self.terms.bits(8, 0);
        let mut result = self.terms.bits(64, if symbol == "strpbrk" { 0 } else { bytes.len() as u128 });
        for (n, byte) in bytes.iter().enumerate().rev() {
            let mut member = self.terms.truth(false);
            for one in set.iter().rev() {
                let done = self.terms.eq(*one, zero);
                let goes_on = self.terms.not(done);
                let same = self.terms.eq(*one, *byte);
                let either = self.terms.or2(same, member);
                member = self.terms.and2(goes_on, either);
            }
            let ends = self.terms.eq(*byte, zero);
            let here = self.terms.bits(64, n as u128);
            result = match symbol {
                "strpbrk" => {
                    let null = self.terms.bits(64, 0);
                    let place = self.displaced(text, n as u64);
                    let rest = self.terms.ite(ends, null, result);
                    self.terms.ite(member, place, rest)
                }
                "strspn" => {
                    let stops = self.terms.not(member);
                    let stops = self.terms.or2(ends, stops);
                    self.terms.ite(stops, here, result)
                }
                _ => {
                    let stops = self.terms.or2(ends, member);
                    self.terms.ite(stops, here, result)
                }
            };
        }
        Some(result)
    }

    // ---- writing ----

    /// Where a string in memory ends.
    fn end_of(&mut self, state: &mut State, text: TermId, at: Option<Origin>) -> Option<TermId> {
        let bytes = self.string(state, text, at)?;
        let length = self.length(&bytes);
        Some(self.terms.binary(BinaryOp::Add, text, length))
    }

    /// Writes a string with its zero.
    fn put(&mut self, state: &mut State, to: TermId, bytes: &[TermId], at: Option<Origin>) {
        let zero = self.terms.bits(8, 0);
        let mut on = self.terms.truth(true);
        for (n, byte) in bytes.iter().enumerate() {
            let address = self.displaced(to, n as u64);
            self.store_if(state, on, address, *byte, at);
            let goes_on = self.terms.ne(*byte, zero);
            on = self.terms.and2(on, goes_on);
            if self.terms.truth_value(on) == Some(false) {
                return;
            }
        }
    }

    /// `strncpy`: so many bytes, zeros after the end of the string.
    fn put_padded(
        &mut self,
        state: &mut State,
        to: TermId,
        bytes: &[TermId],
        most: TermId,
        at: Option<Origin>,
    ) -> Option<()> {
        let zero = self.terms.bits(8, 0);
        let count = self.count(most, &[to])?;
        let mut on = self.terms.truth(true);
        for n in 0..count {
            let byte = bytes.get(n as usize).copied().unwrap_or(zero);
            let goes_on = self.terms.ne(byte, zero);
            on = self.terms.and2(on, goes_on);
            let written = self.terms.ite(on, byte, zero);
            let below = self.is_below(n as usize, most);
            let address = self.displaced(to, n);
            self.store_if(state, below, address, written, at);
        }
        Some(())
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
