//! Implicit hitting sets, size by size.

use rustc_hash::FxHashSet;

use crate::enumeration::{Enumeration, arrange};
use crate::family::Family;
use crate::limits::{Limits, Reason, Watch};
use crate::oracle::{Set, Statement, Verdict};
use crate::search::{End, Reply, Size, search};
use wherefore_budget::Stop;

/// Decides about a proposal.
pub(crate) type Judge<'a> = dyn FnMut(&[Statement]) -> Verdict + 'a;

/// Finds all minimal sets that the judge accepts. The judge must be monotone, and a core of it must not be hit by the
/// proposal.
pub(crate) fn explore(mut family: Family, limits: &Limits, judge: &mut Judge, questions: usize) -> Enumeration {
    let mut result = Enumeration::default();
    let mut undecided = None;
    let mut size = 0;
    let stopped = loop {
        if family.has_empty() {
            result.settled = Some(size);
            break None;
        }
        if let Some(max) = limits.max_size.filter(|&max| size > max) {
            break Some(Reason::Size(max));
        }
        if let Some(max) = limits.max_sets.filter(|&max| result.sets.len() >= max) {
            break Some(Reason::Sets(max));
        }
        let begin = result.sets.len();
        let mut stop = None;
        let end = search(&mut family, Size::Exactly(size), &mut Watch::new(limits, u64::MAX), &mut |proposal| {
            stop = limits.expired();
            if stop.is_some() {
                return Reply::Stop;
            }
            match judge(proposal) {
                Verdict::Core(core) => return Reply::Refuted(core),
                Verdict::Repairs => {
                    result.sets.push(proposal.to_vec());
                    stop = limits.max_sets.filter(|&max| result.sets.len() >= max).map(Reason::Sets);
                }
                Verdict::Unknown(why) => {
                    // An oracle that ran out of our time says nothing about the proposal.
                    stop = limits.expired();
                    if stop.is_none() {
                        result.undecided.push(proposal.to_vec());
                        undecided.get_or_insert(Reason::Undecided(why));
                    }
                }
            }
            if stop.is_some() { Reply::Stop } else { Reply::Seen }
        });
        arrange(&mut result.sets[begin..]);
        if end == End::Stopped {
            break Some(stop.or_else(|| limits.expired()).unwrap_or(Reason::Over(Stop::Time)));
        }
        if undecided.is_none() {
            result.settled = Some(size);
        }
        if end == End::Exhausted {
            break None;
        }
        family = family.tidy();
        size += 1;
    };

    // Sets that were not asked for need not exist, and what was undecided may have been refuted since.
    let is_open = match stopped {
        Some(Reason::Size(_) | Reason::Sets(_)) => true,
        Some(_) => false,
        None => undecided.is_some(),
    };
    if !(is_open && nothing_is_left(&mut family, limits, judge, &result.sets, questions)) {
        result.incomplete = stopped.or(undecided);
    }
    result.cores = family.tidy().into_cores();
    let hits = |set: &Set, core: &Set| core.iter().any(|member| set.binary_search(member).is_ok());
    result.undecided.retain(|set| result.cores.iter().all(|core| hits(set, core)));
    arrange(&mut result.undecided);
    result
}

/// Questions spent on a proof that nothing is left.
pub(crate) const QUESTIONS: usize = 8;

/// Statements so few that large sets of them are judged as easily as small ones.
const FEW: usize = 16;

/// Whether it can be proved with little effort that these are all sets.
///
/// If there is something left, the judge soon says so of small sets, which are easy to judge. With few statements it is
/// then asked about the largest sets that contain none of those found: if there are no others, what such a set leaves out
/// is a minimal core, so that this takes no more questions than there are cores.
fn nothing_is_left(family: &mut Family, limits: &Limits, judge: &mut Judge, found: &[Set], questions: usize) -> bool {
    const STEPS: u64 = 20_000;

    let count = family.count();
    let large = if count <= FEW { questions } else { 0 };
    let mut asked = 0;
    let known: FxHashSet<&[Statement]> = found.iter().map(Vec::as_slice).collect();
    let mut watch = Watch::new(limits, STEPS);
    loop {
        let before = family.len();
        let end = search(family, Size::Any, &mut watch, &mut |proposal| {
            if known.contains(proposal) {
                return Reply::Seen;
            }
            if asked == questions + large || limits.expired().is_some() {
                return Reply::Stop;
            }
            asked += 1;
            let verdict = match asked <= questions {
                true => judge(proposal),
                false => judge(&grow(proposal, count, found)),
            };
            match verdict {
                Verdict::Core(core) => Reply::Refuted(core),
                Verdict::Repairs | Verdict::Unknown(_) => Reply::Stop,
            }
        });
        match end {
            End::Stopped => return false,
            End::Exhausted => return true,
            End::SizeDone => debug_assert!(family.len() > before, "without a size only a new core asks for more"),
        }
    }
}

/// A largest set with these members that contains none of the others.
fn grow(set: &[Statement], count: usize, others: &[Set]) -> Set {
    let mut inside = vec![false; count];
    let mut missing: Vec<usize> = others.iter().map(Vec::len).collect();
    let mut containing = vec![Vec::new(); count];
    for (other, members) in others.iter().enumerate() {
        members.iter().for_each(|&member| containing[member as usize].push(other));
    }
    // What is given comes first; none of the others is within it.
    for member in set.iter().copied().chain(0..count as Statement) {
        let touched = &containing[member as usize];
        if !inside[member as usize] && touched.iter().all(|&other| missing[other] > 1) {
            inside[member as usize] = true;
            touched.iter().for_each(|&other| missing[other] -= 1);
        }
    }
    (0..count as Statement).filter(|&member| inside[member as usize]).collect()
}
