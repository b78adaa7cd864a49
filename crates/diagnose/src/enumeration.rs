//! What an enumeration found and how far it got.

use crate::limits::Reason;
use crate::oracle::Set;

/// Sets found, and what can be said about those that were not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Enumeration {
    /// The sets, by size, then lexicographically.
    pub sets: Vec<Set>,
    /// Why there may be more sets. `None` if there are none: the enumeration is complete.
    pub incomplete: Option<Reason>,
    /// All sets of at most this size are there. `None` if not even the empty set was settled.
    pub settled: Option<usize>,
    /// Sets that the oracle did not know about. Of their supersets, only those are looked at that cannot be spoiled by
    /// them: every set in `sets` is minimal nevertheless.
    pub undecided: Vec<Set>,
    /// What every set hits, by size, then lexicographically. None contains another, but each may be larger than needed.
    pub cores: Vec<Set>,
}

impl Enumeration {
    /// Whether these are all sets.
    pub fn is_complete(&self) -> bool {
        self.incomplete.is_none()
    }

    /// Whether all sets of this size are there.
    pub(crate) fn settles(&self, size: usize) -> bool {
        self.is_complete() || self.settled.is_some_and(|settled| size <= settled)
    }
}

/// Brings sets into the order of an enumeration.
pub(crate) fn arrange(sets: &mut [Set]) {
    sets.sort_unstable_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
}

/// Makes a set of what may be unordered and have duplicates.
pub(crate) fn normal(members: &[crate::oracle::Statement]) -> Set {
    let mut set = members.to_vec();
    set.sort_unstable();
    set.dedup();
    set
}
