//! Oracles that hide known cores, and the definitions by brute force.

// Each test file uses its part.
#![allow(dead_code)]

use std::collections::BTreeSet;

use wherefore_diagnose::{Oracle, Set, Statement, Verdict};

/// A test can pass if each of its hidden cores has a free statement.
pub struct Hidden {
    pub count: usize,
    /// For each test.
    pub cores: Vec<Vec<Set>>,
    /// Decides which core is named and what needless statements are named with it.
    pub random: u64,
    /// What the oracle gives up on, by test.
    pub unknown: Vec<(usize, Set)>,
    /// How often it was asked.
    pub asked: usize,
}

impl Hidden {
    pub fn new(count: usize, cores: Vec<Vec<Set>>) -> Self {
        Hidden { count, cores, random: 1, unknown: Vec::new(), asked: 0 }
    }

    /// The next number of a fixed generator (splitmix64).
    fn next(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

impl Oracle for Hidden {
    fn count(&self) -> usize {
        self.count
    }

    fn tests(&self) -> usize {
        self.cores.len()
    }

    fn check(&mut self, test: usize, free: &[Statement]) -> Verdict {
        self.asked += 1;
        assert!(free.is_sorted());
        if self.unknown.iter().any(|(t, set)| *t == test && set == free) {
            return Verdict::Unknown("too hard".to_string());
        }
        let open: Vec<Set> = self.cores[test].iter().filter(|core| !meets(core, free)).cloned().collect();
        if open.is_empty() {
            return Verdict::Repairs;
        }
        let mut core = open[self.next() as usize % open.len()].clone();
        for statement in 0..self.count as Statement {
            if !free.contains(&statement) && self.next().is_multiple_of(4) {
                core.push(statement);
            }
        }
        Verdict::Core(core)
    }
}

pub fn meets(a: &[Statement], b: &[Statement]) -> bool {
    a.iter().any(|s| b.contains(s))
}

pub fn contains(larger: &[Statement], smaller: &[Statement]) -> bool {
    smaller.iter().all(|s| larger.contains(s))
}

/// All sets of statements below a bound, by size, then lexicographically.
pub fn subsets(count: usize) -> Vec<Set> {
    let member = |bits: u32| (0..count as Statement).filter(|s| bits & (1 << s) != 0).collect();
    let mut sets: Vec<Set> = (0..1 << count).map(member).collect();
    arrange(&mut sets);
    sets
}

/// The minimal ones among the sets that satisfy a monotone condition.
pub fn minimal(count: usize, holds: impl Fn(&[Statement]) -> bool) -> Vec<Set> {
    let mut found: Vec<Set> = Vec::new();
    for set in subsets(count) {
        if holds(&set) && !found.iter().any(|smaller| contains(&set, smaller)) {
            found.push(set);
        }
    }
    found
}

pub fn hits_all(set: &[Statement], cores: &[Set]) -> bool {
    cores.iter().all(|core| meets(core, set))
}

/// Definition 6 by the letter.
pub fn set_combine(per_test: &[Vec<Set>]) -> Vec<Set> {
    let mut unions = BTreeSet::from([Set::new()]);
    for sets in per_test {
        unions = unions
            .iter()
            .flat_map(|union| sets.iter().map(move |set| union.iter().chain(set).copied().collect::<BTreeSet<_>>()))
            .map(|union| union.into_iter().collect())
            .collect();
    }
    let mut unions: Vec<Set> = unions.into_iter().collect();
    arrange(&mut unions);
    unions
}

pub fn arrange(sets: &mut [Set]) {
    sets.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
}
