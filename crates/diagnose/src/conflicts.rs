//! From correction sets to conflicts.

use crate::enumeration::Enumeration;
use crate::explore::{QUESTIONS, explore};
use crate::family::Family;
use crate::limits::{Limits, Watch};
use crate::oracle::{Set, Verdict};
use crate::search::{End, Reply, Size, search};

/// The minimal conflicts, statements that cannot all be kept: the minimal hitting sets of the correction sets.
///
/// These are all minimal conflicts only if the correction sets are all minimal correction sets; a complete enumeration
/// has them in [`Enumeration::cores`] already. Without any correction set, the empty set is the conflict; with the
/// empty correction set, there is none. The answer has no cores of its own.
///
/// Thousands of correction sets may take very long, so set a limit.
pub fn conflicts(corrections: &[Set], limits: &Limits) -> Enumeration {
    let count = corrections.iter().flatten().max().map_or(0, |&last| last as usize + 1);
    let mut family = Family::new(count, corrections.iter().cloned());
    if !limits.asks_for_few()
        && let Some(sets) = at_once(&mut family, limits)
    {
        return Enumeration::of_all(sets, limits);
    }
    let sizes = explore(family, limits, &mut |_| Verdict::Repairs, QUESTIONS);
    Enumeration { cores: Vec::new(), ..sizes }
}

/// All hitting sets in one search if it is short: size by size the same is searched again and again, but only that
/// gives the smallest ones of too many.
fn at_once(family: &mut Family, limits: &Limits) -> Option<Vec<Set>> {
    const STEPS: u64 = 1 << 17;

    let mut sets = Vec::new();
    let end = search(family, Size::Any, &mut Watch::new(limits, STEPS), &mut |proposal| {
        sets.push(proposal.to_vec());
        Reply::Seen
    });
    (end == End::Exhausted).then_some(sets)
}
