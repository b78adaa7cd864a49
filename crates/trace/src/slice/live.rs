//! Which bytes are live, going backwards through a run, and how much.

use rustc_hash::FxHashMap;

/// How a value matters: not at all, so that it has to be known, or so that it has to be explained; then by how many more
/// conditions it may be followed.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Level(u8);

impl Level {
    pub const DEAD: Level = Level(0);
    /// It has to be known what it is, not why.
    pub const NAMED: Level = Level(1);
    /// It has to be explained, by itself alone.
    const LAST: Level = Level(2);
    /// More conditions are never followed.
    pub const FARTHEST: u32 = (u8::MAX - Level::LAST.0) as u32;

    /// It has to be explained, conditions being followed so far.
    pub fn explained(conditions: u32) -> Level {
        Level(Level::LAST.0 + conditions.min(Level::FARTHEST) as u8)
    }

    pub fn is_dead(self) -> bool {
        self == Level::DEAD
    }

    pub fn is_explained(self) -> bool {
        self >= Level::LAST
    }

    /// What is one condition further away.
    pub fn farther(self) -> Level {
        Level(self.0.saturating_sub(1)).max(Level::NAMED.min(self))
    }

    /// For counting by levels.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Bytes of an address space, eight to an entry.
#[derive(Clone, Debug, Default)]
pub struct Live {
    words: FxHashMap<u64, [Level; 8]>,
    /// Counts the changes.
    pub version: u64,
}

/// Which bytes of an entry lie in a range.
fn inside(entry: u64, address: u64, size: u64) -> std::ops::Range<usize> {
    let (start, end) = (entry << 3, address.saturating_add(size));
    let first = address.saturating_sub(start).min(8);
    let after = end.saturating_sub(start).min(8);
    first as usize..after.max(first) as usize
}

impl Live {
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The entries with live bytes that a range touches.
    fn entries(&self, address: u64, size: u64) -> Vec<u64> {
        if size == 0 || self.words.is_empty() {
            return vec![];
        }
        let range = address >> 3..=address.saturating_add(size - 1) >> 3;
        match size / 8 > self.words.len() as u64 {
            true => self.words.keys().copied().filter(|entry| range.contains(entry)).collect(),
            false => range.filter(|entry| self.words.contains_key(entry)).collect(),
        }
    }

    /// The highest level of some byte of a range.
    pub fn level(&self, address: u64, size: u64) -> Level {
        if size == 0 || self.words.is_empty() {
            return Level::DEAD;
        }
        let highest = |entry: u64, bytes: &[Level; 8]| {
            bytes[inside(entry, address, size)].iter().copied().max().unwrap_or_default()
        };
        let mut range = address >> 3..=address.saturating_add(size - 1) >> 3;
        match size / 8 > self.words.len() as u64 {
            true => {
                let there = self.words.iter().filter(|(entry, _)| range.contains(entry));
                there.map(|(entry, bytes)| highest(*entry, bytes)).max().unwrap_or_default()
            }
            false => {
                let mut level = Level::DEAD;
                range.try_for_each(|entry| {
                    level = level.max(self.words.get(&entry).map_or(Level::DEAD, |bytes| highest(entry, bytes)));
                    Some(())
                });
                level
            }
        }
    }

    /// Bytes become live.
    pub fn add(&mut self, address: u64, size: u64, level: Level) {
        if size == 0 || level.is_dead() {
            return;
        }
        for entry in address >> 3..=address.saturating_add(size - 1) >> 3 {
            let bytes = self.words.entry(entry).or_default();
            for byte in &mut bytes[inside(entry, address, size)] {
                if *byte < level {
                    *byte = level;
                    self.version += 1;
                }
            }
        }
    }

    /// Bytes are set: what they were before does not matter.
    pub fn kill(&mut self, address: u64, size: u64) {
        self.take(address, size);
    }

    /// The same; gives how far from the beginning each byte is that was live, with its level.
    fn take(&mut self, address: u64, size: u64) -> Vec<(u64, Level)> {
        let mut taken = vec![];
        for entry in self.entries(address, size) {
            let Some(bytes) = self.words.get_mut(&entry) else { continue };
            for index in inside(entry, address, size) {
                let level = std::mem::take(&mut bytes[index]);
                if !level.is_dead() {
                    taken.push(((entry << 3) + index as u64 - address, level));
                }
            }
            self.version += 1;
            if bytes.iter().all(|level| level.is_dead()) {
                self.words.remove(&entry);
            }
        }
        taken
    }

    /// Bytes come from elsewhere: those are live instead.
    pub fn shift(&mut self, to: u64, from: u64, size: u64) {
        for (offset, level) in self.take(to, size) {
            self.add(from.wrapping_add(offset), 1, level);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPLAINED: Level = Level(5);

    #[test]
    fn bytes_are_live_until_they_are_set() {
        let mut live = Live::default();
        live.add(0x1006, 4, EXPLAINED);
        assert_eq!(live.level(0x1000, 6), Level::DEAD);
        assert_eq!(live.level(0x1009, 1), EXPLAINED);
        live.kill(0x1006, 3);
        assert_eq!(live.level(0x1000, 9), Level::DEAD);
        assert_eq!(live.level(0x1000, 10), EXPLAINED);
        live.kill(0, 1 << 40);
        assert!(live.is_empty());
    }

    #[test]
    fn a_copy_makes_its_source_live() {
        let mut live = Live::default();
        live.add(0x2003, 2, Level::NAMED);
        live.add(0x2004, 1, EXPLAINED);
        live.shift(0x2000, 0x2002, 0x1000);
        assert_eq!(live.level(0x2003, 2), Level::DEAD, "what they were before is overwritten");
        assert_eq!((live.level(0x2005, 1), live.level(0x2006, 1)), (Level::NAMED, EXPLAINED));
    }

    #[test]
    fn what_is_many_conditions_away_is_only_named() {
        let near = Level::explained(1);
        assert!(near.farther().is_explained());
        assert_eq!(near.farther().farther(), Level::NAMED);
        assert_eq!(Level::NAMED.farther(), Level::NAMED);
        assert_eq!(Level::DEAD.farther(), Level::DEAD);
    }
}
