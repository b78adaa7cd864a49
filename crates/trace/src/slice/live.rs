//! Which bytes are live, going backwards through a run.

use rustc_hash::FxHashMap;

/// How a value matters.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Level {
    /// Not at all.
    #[default]
    Dead,
    /// It has to be known what it is, not why.
    Named,
    /// It has to be explained.
    Explained,
}

/// Bytes of an address space, eight to an entry.
#[derive(Clone, Debug, Default)]
pub struct Live {
    words: FxHashMap<u64, Word>,
    /// Counts the changes.
    pub version: u64,
}

#[derive(Copy, Clone, Debug, Default)]
struct Word {
    named: u8,
    explained: u8,
}

/// The entries of a range of bytes with the bits of these in each.
fn entries(address: u64, size: u64) -> impl Iterator<Item = (u64, u8)> {
    let end = address.saturating_add(size);
    let last = if size == 0 { address >> 3 } else { ((end - 1) >> 3) + 1 };
    (address >> 3..last).map(move |entry| {
        let first = address.max(entry << 3) & 7;
        let after = (end - (entry << 3)).min(8);
        (entry, ((0xFFu32 >> (8 - after)) & (0xFF << first)) as u8)
    })
}

impl Live {
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The highest level of some byte of a range.
    pub fn level(&self, address: u64, size: u64) -> Level {
        let mut level = Level::Dead;
        if self.words.is_empty() {
            return level;
        }
        let mut look = |word: &Word, bits: u8| {
            if word.explained & bits != 0 {
                level = Level::Explained;
            } else if word.named & bits != 0 {
                level = level.max(Level::Named);
            }
        };
        if size / 8 > self.words.len() as u64 {
            let (first, last) = (address >> 3, address.saturating_add(size - 1) >> 3);
            let inside = self.words.iter().filter(|(entry, _)| (first..=last).contains(*entry));
            inside.for_each(|(entry, word)| look(word, bits_of(*entry, address, size)));
        } else {
            for (entry, bits) in entries(address, size) {
                if let Some(word) = self.words.get(&entry) {
                    look(word, bits);
                }
            }
        }
        level
    }

    /// Bytes become live.
    pub fn add(&mut self, address: u64, size: u64, level: Level) {
        for (entry, bits) in entries(address, size) {
            let word = self.words.entry(entry).or_default();
            let before = (word.named, word.explained);
            match level {
                Level::Dead => {}
                Level::Named => word.named |= bits,
                Level::Explained => word.explained |= bits,
            }
            self.version += u64::from(before != (word.named, word.explained));
        }
    }

    /// Bytes are set: what they were before does not matter.
    pub fn kill(&mut self, address: u64, size: u64) {
        if !self.words.is_empty() {
            self.take(address, size, |_, _, _| {});
        }
    }

    /// The same; tells of each byte that was live how far it is from the beginning, and at which levels.
    fn take(&mut self, address: u64, size: u64, mut tell: impl FnMut(u64, bool, bool)) {
        let found: Vec<(u64, u8)> = if size / 8 > self.words.len() as u64 {
            let (first, last) = (address >> 3, address.saturating_add(size - 1) >> 3);
            let inside = self.words.keys().filter(|entry| (first..=last).contains(*entry));
            inside.map(|entry| (*entry, bits_of(*entry, address, size))).collect()
        } else {
            entries(address, size).filter(|(entry, _)| self.words.contains_key(entry)).collect()
        };
        for (entry, bits) in found {
            let Some(word) = self.words.get_mut(&entry) else { continue };
            for bit in (0..8).filter(|bit| bits >> bit & 1 == 1) {
                let (named, explained) = (word.named >> bit & 1 == 1, word.explained >> bit & 1 == 1);
                if named || explained {
                    tell((entry << 3) + bit - address, named, explained);
                }
            }
            word.named &= !bits;
            word.explained &= !bits;
            self.version += 1;
            if word.named | word.explained == 0 {
                self.words.remove(&entry);
            }
        }
    }

    /// Bytes come from elsewhere: those are live instead.
    pub fn shift(&mut self, to: u64, from: u64, size: u64) {
        let mut moved = vec![];
        self.take(to, size, |offset, named, explained| moved.push((offset, named, explained)));
        for (offset, named, explained) in moved {
            if named {
                self.add(from + offset, 1, Level::Named);
            }
            if explained {
                self.add(from + offset, 1, Level::Explained);
            }
        }
    }
}

fn bits_of(entry: u64, address: u64, size: u64) -> u8 {
    let (first, end) = (address.max(entry << 3), address.saturating_add(size).min((entry << 3) + 8));
    (0..8).filter(|bit| (first..end).contains(&((entry << 3) + bit))).fold(0, |bits, bit| bits | 1 << bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_live_until_they_are_set() {
        let mut live = Live::default();
        live.add(0x1006, 4, Level::Explained);
        assert_eq!(live.level(0x1000, 6), Level::Dead);
        assert_eq!(live.level(0x1009, 1), Level::Explained);
        live.kill(0x1006, 3);
        assert_eq!(live.level(0x1000, 9), Level::Dead);
        assert_eq!(live.level(0x1000, 10), Level::Explained);
        live.kill(0, 1 << 40);
        assert!(live.is_empty());
    }

    #[test]
    fn a_copy_makes_its_source_live() {
        let mut live = Live::default();
        live.add(0x2003, 2, Level::Named);
        live.add(0x2004, 1, Level::Explained);
        live.shift(0x2000, 0x2002, 0x1000);
        assert_eq!(live.level(0x2003, 2), Level::Named, "copied over themselves");
        assert_eq!((live.level(0x2005, 1), live.level(0x2006, 1)), (Level::Named, Level::Explained));
    }
}
