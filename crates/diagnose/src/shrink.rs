//! Makes a core smaller at a bounded price.

use crate::bits::Bits;
use crate::enumeration::normal;
use crate::oracle::{Oracle, Set, Statement, Verdict};

pub(crate) fn shrink(oracle: &mut dyn Oracle, test: usize, mut core: Set, found: &[Set]) -> Set {
    let rechecks: usize = std::env::var("RECHECKS").map_or(1, |s| s.parse().unwrap());
    let deletions: usize = std::env::var("DELETIONS").map_or(0, |s| s.parse().unwrap());
    let all: Set = (0..oracle.count() as Statement).collect();
    for _ in 0..rechecks {
        let free: Set = all.iter().copied().filter(|s| core.binary_search(s).is_err()).collect();
        match oracle.check(test, &free) {
            Verdict::Core(smaller) if smaller.len() < core.len() => core = normal(&smaller),
            _ => break,
        }
    }
    // A found set must hit every core, so a member that alone hits the core for it has to stay.
    let members: Bits = core.iter().map(|&s| s as usize).collect();
    let mut needed = Bits::default();
    for set in found {
        let mut hits = set.iter().filter(|&&s| members.contains(s as usize));
        if let (Some(&only), None) = (hits.next(), hits.next()) {
            needed.insert(only as usize);
        }
    }
    let mut budget = deletions;
    let mut at = 0;
    while at < core.len() && budget > 0 {
        let s = core[at];
        if needed.contains(s as usize) {
            at += 1;
            continue;
        }
        budget -= 1;
        let free: Set = all.iter().copied().filter(|&x| x == s || core.binary_search(&x).is_err()).collect();
        match oracle.check(test, &free) {
            Verdict::Core(smaller) => core = normal(&smaller),
            _ => at += 1,
        }
    }
    core
}
