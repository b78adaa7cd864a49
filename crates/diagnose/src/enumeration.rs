//! What an enumeration found and how far it got.

use crate::limits::{Limits, Reason};
use crate::oracle::{Set, Statement};

/// Sets found, and what can be said about those that were not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Enumeration {
    /// The sets, by size, then lexicographically.
    pub sets: Vec<Set>,
    /// Why there may be more sets. `None` if there are none: the enumeration is complete.
    pub incomplete: Option<Reason>,
    /// All sets of at most this size are there, even if the enumeration is incomplete. `None` if that cannot be said of
    /// any size.
    pub settled: Option<usize>,
    /// Sets that the oracle did not know about, as far as nothing else refuted them. What contains such a set was not
    /// looked at.
    pub undecided: Vec<Set>,
    /// Cores that the oracle named, by size, then lexicographically; every set hits each of them. None contains another.
    /// If the enumeration is complete, these are exactly the minimal conflicts, otherwise they may be larger and fewer.
    pub cores: Vec<Set>,
}

impl Enumeration {
    /// Whether these are all sets.
    pub fn is_complete(&self) -> bool {
        self.incomplete.is_none()
    }

    /// Whether all sets of this size are there.
    pub fn settles(&self, size: usize) -> bool {
        self.is_complete() || self.settled.is_some_and(|settled| size <= settled)
    }

    /// As many as are asked for of sets that are all there are.
    pub(crate) fn of_all(mut sets: Vec<Set>, limits: &Limits) -> Enumeration {
        arrange(&mut sets);
        let small = limits.max_size.map_or(sets.len(), |max| sets.partition_point(|set| set.len() <= max));
        let given = limits.max_sets.map_or(small, |max| max.min(small));
        let incomplete = if given < small {
            Some(Reason::Sets(given))
        } else {
            limits.max_size.filter(|_| small < sets.len()).map(Reason::Size)
        };
        // Up to the first set that is left out.
        let settled = sets
            .get(given)
            .map_or(sets.last().map_or(Some(0), |last| Some(last.len())), |left_out| left_out.len().checked_sub(1));
        sets.truncate(given);
        Enumeration { sets, incomplete, settled, ..Enumeration::default() }
    }
}

/// Brings sets into the order of an enumeration.
pub(crate) fn arrange(sets: &mut [Set]) {
    sets.sort_unstable_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
}

/// Makes a set of what may be unordered and have duplicates.
pub(crate) fn normal(members: &[Statement]) -> Set {
    let mut set = members.to_vec();
    set.sort_unstable();
    set.dedup();
    set
}
