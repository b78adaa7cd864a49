//! What is found in strings: differences, bytes, other strings.

use crate::state::Unfolder;
use wherefore_formula::{BinaryOp, TermId};

/// Comparisons that a search for one string in another may take.
const MANY_COMPARISONS: usize = 1 << 14;

impl Unfolder<'_> {
    /// The difference of the first bytes that differ, as the library gives it (32 bits).
    pub(super) fn compare(&mut self, a: &[TermId], b: &[TermId], most: Option<TermId>, ends: bool) -> TermId {
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

    /// The first place of a byte in a string, or the last one.
    pub(super) fn find_byte(&mut self, text: TermId, bytes: &[TermId], byte: TermId, last: bool) -> TermId {
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

    /// The first place of a byte among so many.
    pub(super) fn find_among(&mut self, from: TermId, bytes: &[TermId], byte: TermId, length: TermId) -> TermId {
        let byte = self.terms.extract(byte, 0, 8);
        let mut found = self.terms.bits(64, 0);
        for (n, here) in bytes.iter().enumerate().rev() {
            let same = self.terms.eq(*here, byte);
            let inside = self.is_below(n, length);
            let both = self.terms.and2(same, inside);
            let place = self.displaced(from, n as u64);
            found = self.terms.ite(both, place, found);
        }
        found
    }

    /// The first place of a string in another; `None` where that would be very many comparisons.
    pub(super) fn find_text(&mut self, text: TermId, bytes: &[TermId], part: &[TermId]) -> Option<TermId> {
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

    /// `strspn`, `strcspn` and `strpbrk`: how far a string goes on in a set, or where it leaves one.
    pub(super) fn span(&mut self, symbol: &str, text: TermId, bytes: &[TermId], set: &[TermId]) -> Option<TermId> {
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
}
