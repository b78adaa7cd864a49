//! Functions that look for something in a text.

use super::Call;
use crate::builder::{Facts, Value};
use crate::walk::Walker;
use wherefore_formula::TermId;

/// Comparisons that a search for one text in another may take.
const MANY: usize = 1 << 12;

impl Walker<'_> {
    pub(super) fn finding(&mut self, call: &Call) -> Option<Value> {
        let here = call.here;
        match (call.function.name, call.arguments) {
            ("strchr" | "strrchr", [text, wanted]) => {
                let bytes = self.short_text(text, None, here)?;
                let wanted = self.low_byte(wanted);
                let mut facts = self.copied_facts(&bytes, &[text]);
                facts.merge(&wanted.facts);
                let matches = self.matches(&bytes, &wanted);
                let last = call.function.name == "strrchr";
                Some(self.first_place(text, &matches, last, facts))
            }
            ("memchr", [place, wanted, count]) => {
                // Behind what was found nobody has looked.
                let looked = match (call.returned as u64).checked_sub(place.concrete as u64) {
                    Some(distance) if call.returned != 0 => distance + 1,
                    _ => count.concrete as u64,
                };
                let bytes = self.bytes(place, looked.min(count.concrete as u64), here)?;
                let wanted = self.low_byte(wanted);
                let mut facts = self.facts_of(&bytes, &[place, count]);
                facts.merge(&wanted.facts);
                let matches = self.matches(&bytes, &wanted);
                if call.returned != 0 {
                    let found = self.build.terms.or(matches.clone());
                    self.hold(&mut facts, found);
                }
                Some(self.first_place(place, &matches, false, facts))
            }
            ("strstr", [text, part]) => {
                let (bytes, part_bytes) = (self.short_text(text, None, here)?, self.short_text(part, None, here)?);
                let mut facts = self.copied_facts(&bytes, &[text]);
                let of_part = self.copied_facts(&part_bytes, &[part]);
                facts.merge(&of_part);
                let matches = self.occurrences(&bytes, &part_bytes)?;
                Some(self.first_place(text, &matches, false, facts))
            }
            ("strspn" | "strcspn" | "strpbrk", [text, set]) => {
                let (bytes, set_bytes) = (self.short_text(text, None, here)?, self.short_text(set, None, here)?);
                let mut facts = self.copied_facts(&bytes, &[text]);
                let of_set = self.copied_facts(&set_bytes, &[set]);
                facts.merge(&of_set);
                let inside = call.function.name != "strspn";
                let stops = self.stops(&bytes, &set_bytes, inside)?;
                Some(if call.function.name == "strpbrk" {
                    self.first_place(text, &stops[..stops.len() - 1], false, facts)
                } else {
                    self.first_number(&stops, facts)
                })
            }
            _ => None,
        }
    }

    fn matches(&mut self, bytes: &[Value], wanted: &Value) -> Vec<TermId> {
        bytes.iter().map(|byte| self.build.terms.eq(byte.term, wanted.term)).collect()
    }

    /// The first, or last, place where a condition holds, or null.
    fn first_place(&mut self, start: &Value, matches: &[TermId], last: bool, mut facts: Facts) -> Value {
        facts.merge(&start.facts);
        let mut term = self.number_term(64, 0);
        let mut all: Vec<(u64, TermId)> = (0..).zip(matches.iter().copied()).collect();
        if !last {
            all.reverse();
        }
        for (n, found) in all {
            let place = self.displaced(start.term, n);
            term = self.build.terms.ite(found, place, term);
        }
        self.valued(term, facts)
    }

    fn first_number(&mut self, stops: &[TermId], facts: Facts) -> Value {
        let mut term = self.number_term(64, stops.len() as u64);
        for (n, stop) in stops.iter().enumerate().rev() {
            let number = self.number_term(64, n as u64);
            term = self.build.terms.ite(*stop, number, term);
        }
        self.valued(term, facts)
    }

    /// For each byte of a text whether another text begins there.
    fn occurrences(&mut self, bytes: &[Value], part: &[Value]) -> Option<Vec<TermId>> {
        let part = &part[..part.len() - 1];
        if bytes.len() * part.len() > MANY {
            return None;
        }
        let mut all = vec![];
        for start in 0..(bytes.len() + 1).saturating_sub(part.len().max(1)) {
            let mut same = vec![];
            for (byte, wanted) in bytes[start..].iter().zip(part) {
                same.push(self.build.terms.eq(byte.term, wanted.term));
            }
            all.push(self.build.terms.and(same));
        }
        Some(all)
    }

    /// For each byte of a text whether a span ends there: it is in a set, or it is not; at its zero it does.
    fn stops(&mut self, bytes: &[Value], set: &[Value], inside: bool) -> Option<Vec<TermId>> {
        let set = &set[..set.len() - 1];
        if bytes.len() * set.len() > MANY {
            return None;
        }
        let mut all = vec![];
        for byte in bytes {
            let mut same = vec![];
            for wanted in set {
                same.push(self.build.terms.eq(byte.term, wanted.term));
            }
            let is_in = self.build.terms.or(same);
            let stops = if inside { is_in } else { self.build.terms.not(is_in) };
            let end = self.is_zero(byte);
            all.push(self.build.terms.or2(stops, end));
        }
        Some(all)
    }
}
