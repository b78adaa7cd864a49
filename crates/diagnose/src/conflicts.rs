//! From correction sets to conflicts.

use crate::enumeration::Enumeration;
use crate::explore::explore;
use crate::family::Family;
use crate::limits::Limits;
use crate::oracle::{Set, Verdict};

/// The minimal conflicts, statements that cannot all be kept: the minimal hitting sets of the correction sets.
///
/// These are all minimal conflicts only if the correction sets are all minimal correction sets. Without any correction
/// set, the empty set is the conflict; with the empty correction set, there is none.
pub fn conflicts(corrections: &[Set], limits: &Limits) -> Enumeration {
    let count = corrections.iter().flatten().max().map_or(0, |&last| last as usize + 1);
    let family = Family::new(count, corrections.iter().cloned());
    explore(family, limits, &mut |_, _| Verdict::Repairs)
}
