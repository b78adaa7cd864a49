//! SetCombine: one correction set of each test, united.

use rustc_hash::FxHashSet;

use crate::bits::Bits;
use crate::enumeration::Enumeration;
use crate::limits::{Limits, Reason, Watch};
use crate::oracle::{Set, Statement};
use wherefore_budget::Stop;

/// The unions of one set of each test in all ways: SetCombine of SNIPER, Definition 6.
///
/// Each union is given once, and a union that contains another is kept, as the definition has it. If a test has no set
/// there is no union; without tests there is the empty one. The answer has no cores.
///
/// ```
/// use wherefore_diagnose::{Limits, product};
///
/// let per_test = [vec![vec![3, 4], vec![6]], vec![vec![3], vec![4]]];
/// assert_eq!(product(&per_test, &Limits::default()).sets, [[3, 4], [3, 6], [4, 6]]);
/// ```
pub fn product(per_test: &[Vec<Set>], limits: &Limits) -> Enumeration {
    /// So many ways are gone through at once rather than size by size.
    const FEW: usize = 1 << 20;

    let families: Vec<Vec<Bits>> = per_test.iter().map(|sets| sets.iter().map(bits).collect()).collect();
    let ways = families.iter().fold(1_usize, |ways, family| ways.saturating_mul(family.len()));
    if ways <= FEW && !limits.asks_for_few() {
        return match unions(&families, usize::MAX, limits) {
            Ok(unions) => Enumeration::of_all(unions.sets, limits),
            Err(reason) => Enumeration { incomplete: Some(reason), ..Enumeration::default() },
        };
    }
    size_by_size(families, limits)
}

/// The unions of a size cost much less than all, and what was found of smaller sizes is there when time is up.
fn size_by_size(mut families: Vec<Vec<Bits>>, limits: &Limits) -> Enumeration {
    // The fewer unions on the way the better.
    families.sort_by_key(Vec::len);
    let mut result = Enumeration::default();
    for size in 0.. {
        let unions = match unions(&families, size, limits) {
            Ok(unions) => unions,
            Err(reason) => return Enumeration { incomplete: Some(reason), ..result },
        };
        let has_larger = unions.has_larger;
        result = Enumeration::of_all(unions.sets, limits);
        if !result.is_complete() {
            return result;
        }
        result.settled = Some(size);
        let is_last = limits.max_size.is_some_and(|max| size >= max);
        let is_full = limits.max_sets.is_some_and(|max| result.sets.len() >= max);
        if !has_larger {
            break;
        } else if is_last {
            return Enumeration { incomplete: Some(Reason::Size(size)), ..result };
        } else if is_full {
            return Enumeration { incomplete: Some(Reason::Sets(result.sets.len())), ..result };
        }
    }
    result
}

/// The unions up to a size.
struct Unions {
    sets: Vec<Set>,
    /// Whether there are larger ones.
    has_larger: bool,
}

fn unions(families: &[Vec<Bits>], size: usize, limits: &Limits) -> Result<Unions, Reason> {
    /// More than anybody wants to see, and some hundred megabytes.
    const MOST: usize = 1 << 21;

    let mut watch = Watch::new(limits, u64::MAX);
    let mut has_larger = false;
    let mut partial = FxHashSet::from_iter([Bits::default()]);
    for (at, family) in families.iter().enumerate() {
        let mut next = FxHashSet::default();
        for set in &partial {
            for more in family {
                if watch.step(1) {
                    return Err(limits.expired().unwrap_or(Reason::Over(Stop::Time)));
                }
                let mut union = set.clone();
                union.add(more);
                if fits(&union, &families[at + 1..], size) {
                    next.insert(union);
                } else {
                    has_larger = true;
                }
            }
            if next.len() > MOST {
                return Err(Reason::Memory);
            }
        }
        partial = next;
    }
    let sets = partial.iter().map(|set| set.iter().map(|s| s as Statement).collect()).collect();
    Ok(Unions { sets, has_larger })
}

/// Whether a set is small enough and can be united with one of each family alone and stay so.
fn fits(set: &Bits, families: &[Vec<Bits>], size: usize) -> bool {
    let Some(room) = size.checked_sub(set.len()) else { return false };
    families.iter().all(|family| family.iter().any(|more| more.len() - more.common(set) <= room))
}

fn bits(set: &Set) -> Bits {
    set.iter().map(|&s| s as usize).collect()
}
