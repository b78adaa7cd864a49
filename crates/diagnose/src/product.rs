//! SetCombine: one correction set of each test, united.

use rustc_hash::FxHashSet;

use crate::bits::Bits;
use crate::enumeration::{Enumeration, arrange};
use crate::limits::{Limits, Reason, Watch};
use crate::oracle::{Set, Statement};

/// The unions of one set of each test in all ways: SetCombine of SNIPER, Definition 6.
///
/// Each union is given once, and a union that contains another is kept, as the definition has it. If a test has no set
/// there is no union; without tests there is the empty one. Has no cores.
///
/// ```
/// use wherefore_diagnose::{Limits, product};
///
/// let per_test = [vec![vec![3, 4], vec![6]], vec![vec![3], vec![4]]];
/// assert_eq!(product(&per_test, &Limits::default()).sets, [[3, 4], [3, 6], [4, 6]]);
/// ```
pub fn product(per_test: &[Vec<Set>], limits: &Limits) -> Enumeration {
    let mut result = Enumeration::default();
    if per_test.iter().any(Vec::is_empty) {
        return Enumeration { settled: Some(0), ..result };
    }
    let families = families(per_test);
    // Unions only grow, so none is smaller than the test that needs most.
    let mut size = per_test.iter().filter_map(|sets| sets.iter().map(Vec::len).min()).max().unwrap_or(0);
    if let Some(max) = limits.max_size {
        size = size.min(max);
    }
    result.incomplete = loop {
        let unions = match unions(&families, size, limits) {
            Ok(unions) => unions,
            Err(reason) => break Some(reason),
        };
        result.sets = unions.sets;
        if let Some(max) = limits.max_sets {
            let is_full = result.sets.len() > max || (result.sets.len() == max && unions.has_larger);
            if is_full {
                result.sets.truncate(max);
                break Some(Reason::Sets(max));
            }
        }
        result.settled = Some(size);
        if !unions.has_larger {
            break None;
        }
        if limits.max_size == Some(size) {
            break Some(Reason::Size(size));
        }
        size += 1;
    };
    result
}

/// The tests with their sets as bits, those first that leave the least room.
fn families(per_test: &[Vec<Set>]) -> Vec<Vec<Bits>> {
    let mut families: Vec<Vec<Bits>> = per_test
        .iter()
        .map(|sets| sets.iter().map(|set| set.iter().map(|&s| s as usize).collect()).collect())
        .collect();
    families.sort_by_key(|sets: &Vec<Bits>| sets.len());
    families
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
    let mut partial: FxHashSet<Bits> = FxHashSet::from_iter([Bits::default()]);
    let mut has_larger = false;
    for family in families {
        let mut next = FxHashSet::default();
        for set in &partial {
            for more in family {
                if watch.step(1) {
                    return Err(limits.expired().unwrap_or(Reason::Stopped));
                }
                let union = set.union(more);
                if union.len() > size {
                    has_larger = true;
                } else {
                    next.insert(union);
                }
            }
            if next.len() > MOST {
                return Err(Reason::Memory);
            }
        }
        partial = next;
    }
    let mut sets: Vec<Set> = partial.iter().map(|set| set.iter().map(|s| s as Statement).collect()).collect();
    arrange(&mut sets);
    Ok(Unions { sets, has_larger })
}
