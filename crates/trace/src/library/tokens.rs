//! `strtok` and `strtok_r`: parts of a text between characters of a set.

use super::Call;
use crate::builder::Value;
use crate::walk::Walker;

impl Walker<'_> {
    pub(super) fn token(&mut self, call: &Call) -> Option<Value> {
        let (text, set, kept) = match (call.function.name, call.arguments) {
            ("strtok", [text, set]) => (text, set, None),
            ("strtok_r", [text, set, kept]) => (text, set, Some(kept)),
            _ => return None,
        };
        let start = match kept {
            _ if text.concrete != 0 => text.clone(),
            None => self.token.take()?,
            Some(kept) => self.pointer_at(kept, call)?,
        };
        let start = self.build.refresh(&start);
        let (bytes, set_bytes) = (self.text(&start, None, call.here)?, self.text(set, None, call.here)?);
        let delimits: Vec<bool> =
            bytes.iter().map(|byte| set_bytes.iter().any(|d| d.concrete == byte.concrete)).collect();
        // The zero is one of the set's bytes here: it ends a part, but none begins behind it.
        let last = bytes.len() - 1;
        let first = (0..last).find(|n| !delimits[*n]);
        let end = first.map(|first| (first..=last).find(|n| delimits[*n]).unwrap_or(last));
        let looked = &bytes[..=end.unwrap_or(last)];
        let mut facts = self.facts_of(&[looked, &set_bytes].concat(), &[&start, set]);
        let mut shape = vec![];
        for (n, byte) in looked.iter().enumerate() {
            let mut any = vec![];
            for delimiter in &set_bytes[..set_bytes.len() - usize::from(n < first.unwrap_or(last))] {
                any.push(self.build.terms.eq(byte.term, delimiter.term));
            }
            let any = self.build.terms.or(any);
            let holds = delimits[n] && (byte.concrete != 0 || n >= first.unwrap_or(last));
            shape.push(if holds { any } else { self.build.terms.not(any) });
        }
        let shape = self.build.terms.and(shape);
        self.hold(&mut facts, shape);
        let place = first.map(|first| self.pointer_behind(&start, first as u64));
        if place.as_ref().map_or(0, |place| place.concrete) != call.returned && call.bits > 0 {
            return None;
        }
        let next = match end {
            Some(end) if bytes[end].concrete != 0 => {
                let zero = self.build.constant(8, 0);
                let at = self.pointer_behind(&start, end as u64);
                self.put(&at, &[zero], &facts, call.here);
                end + 1
            }
            Some(end) => end,
            None => last,
        };
        let mut next = self.pointer_behind(&start, next as u64);
        next.facts.merge(&facts);
        match kept {
            Some(kept) => self.put_number(kept, &next, call.here),
            None => self.token = Some(next),
        }
        let Some(mut place) = place else {
            let nothing = Value { facts, ..self.build.constant(64, 0) };
            return Some(self.under(shape, nothing, call));
        };
        place.facts.merge(&facts);
        Some(place)
    }

    /// The pointer that another one points to.
    fn pointer_at(&mut self, place: &Value, call: &Call) -> Option<Value> {
        let (object, offset) = self.build.memory.find(place.concrete as u64);
        let range = crate::builder::Range { object, offset, size: 8 };
        let value = self.build.read(range, 64, None, Some(place.term), call.here);
        let known = value.facts.reads.iter().all(|(variable, _)| self.build.current_value(*variable).is_some());
        known.then_some(value)
    }
}
