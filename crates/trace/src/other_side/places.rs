//! Where the objects of a trace lie, found without going through all of them.

use crate::memory::{Object, ObjectKind};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use wherefore_program::{GlobalId, LocalId};

/// Of several objects that had an address, the one that was made last counts.
#[derive(Default)]
pub(super) struct Places {
    globals: HashMap<GlobalId, u64>,
    locals: HashMap<(u32, LocalId), u64>,
    /// Parts of memory by their first address: where each ends, and the object there.
    parts: BTreeMap<u64, (u64, Range<u64>)>,
}

impl Places {
    pub fn new(objects: &[Object]) -> Places {
        let mut places = Places::default();
        for (index, object) in objects.iter().enumerate() {
            match object.kind {
                ObjectKind::Global(id) => {
                    places.globals.entry(id).or_insert(object.base);
                }
                ObjectKind::Local { activation, local, .. } => {
                    places.locals.insert((activation, local), object.base);
                }
                _ => {}
            }
            // The first object stands for all that is not known.
            let end = object.base.saturating_add(object.size);
            if index > 0 && object.base != 0 && object.base < end {
                places.cover(object.base..end);
            }
        }
        places
    }

    fn cover(&mut self, object: Range<u64>) {
        let Range { start, end } = object;
        let before = self.parts.range(..start).next_back().map(|(&from, part)| (from, part.clone()));
        if let Some((from, (to, other))) = before.filter(|(_, (to, _))| *to > start) {
            self.parts.insert(from, (start, other.clone()));
            if to > end {
                self.parts.insert(end, (to, other));
            }
        }
        let inside: Vec<u64> = self.parts.range(start..end).map(|(&from, _)| from).collect();
        for from in inside {
            if let Some((to, other)) = self.parts.remove(&from).filter(|(to, _)| *to > end) {
                self.parts.insert(end, (to, other));
            }
        }
        self.parts.insert(start, (end, object));
    }

    /// Where a global is.
    pub fn global(&self, id: GlobalId) -> Option<u64> {
        self.globals.get(&id).copied()
    }

    /// Where a local of an activation is.
    pub fn local(&self, activation: u32, local: LocalId) -> Option<u64> {
        self.locals.get(&(activation, local)).copied()
    }

    /// The last object that had an address: where it is.
    pub fn at(&self, address: u64) -> Option<Range<u64>> {
        let (_, (end, object)) = self.parts.range(..=address).next_back()?;
        (address < *end).then(|| object.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heap(base: u64, size: u64) -> Object {
        Object { kind: ObjectKind::Heap { at: None, freed: false }, base, size, made: 0 }
    }

    /// The same by going through all of them.
    fn last(objects: &[Object], address: u64) -> Option<Range<u64>> {
        let holds = |o: &&Object| o.base != 0 && o.base <= address && address - o.base < o.size;
        objects.iter().skip(1).rev().find(holds).map(|o| o.base..o.base + o.size)
    }

    #[test]
    fn the_last_object_at_an_address_counts() {
        let mut seed = 7u64;
        for _ in 0..300 {
            let mut next = |below: u64| {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (seed >> 33) % below
            };
            let objects: Vec<Object> = (0..12).map(|_| heap(next(40), next(15))).collect();
            let places = Places::new(&objects);
            for address in 0..60 {
                assert_eq!(places.at(address), last(&objects, address), "{address}: {objects:?}");
            }
        }
    }

    #[test]
    fn an_object_may_reach_to_the_end_of_memory() {
        let objects = [heap(0, u64::MAX), heap(100, u64::MAX), heap(200, 10)];
        let places = Places::new(&objects);
        assert_eq!(places.at(50), None);
        assert_eq!(places.at(205), Some(200..210));
        assert_eq!(places.at(210), Some(100..u64::MAX));
    }
}
