//! Several tests judge a proposal.

use crate::bits::Bits;
use crate::enumeration::{Enumeration, normal};
use crate::oracle::{Oracle, Set, Statement, Verdict};
use crate::shrink::Shrinker;

/// Tests that must all be repaired, with what is known about them.
pub(crate) struct Panel<'a> {
    oracle: &'a mut dyn Oracle,
    /// The one that refuted last comes first: it is likely to refute again.
    tests: Vec<Test<'a>>,
    shrinker: Shrinker,
}

struct Test<'a> {
    number: usize,
    known: Option<&'a Enumeration>,
    /// Sets that repair it.
    repairs: Vec<Set>,
}

impl<'a> Panel<'a> {
    /// `known` belongs to the first of the tests. Proposals must hit all its cores.
    pub fn new(oracle: &'a mut dyn Oracle, tests: &[usize], known: &'a [Enumeration]) -> Self {
        let mut known = known.iter();
        let tests = tests.iter().map(|&number| Test::new(number, known.next())).collect();
        Panel { oracle, tests, shrinker: Shrinker::default() }
    }

    /// Whether a proposal repairs all tests, or a core of one that it does not.
    pub fn ask(&mut self, proposal: &[Statement]) -> Verdict {
        let members: Bits = proposal.iter().map(|&s| s as usize).collect();
        let mut verdict = Verdict::Repairs;
        let mut repaired = Vec::new();
        for at in 0..self.tests.len() {
            let test = &self.tests[at];
            if test.is_repaired_by(proposal.len(), &members) {
                continue;
            }
            match self.oracle.check(test.number, proposal) {
                Verdict::Repairs => repaired.push(at),
                // Another test may still refute the proposal.
                unknown @ Verdict::Unknown(_) => verdict = unknown,
                Verdict::Core(core) => {
                    let core = normal(&core);
                    let is_kept = |&s: &Statement| (s as usize) < self.oracle.count() && !members.contains(s as usize);
                    assert!(core.iter().all(is_kept), "core {core:?} has a statement that was not kept");
                    let core = self.shrinker.shrink(self.oracle, test.number, core);
                    // Only a proposal that is refuted can be part of a later one.
                    for at in repaired {
                        self.tests[at].repairs.push(proposal.to_vec());
                    }
                    self.tests[..=at].rotate_right(1);
                    return Verdict::Core(core);
                }
            }
        }
        if verdict == Verdict::Repairs && self.tests.len() > 1 {
            let mut all: Vec<usize> = self.tests.iter().map(|test| test.number).collect();
            all.sort_unstable();
            verdict = self.oracle.together(&all, proposal);
        }
        verdict
    }
}

impl<'a> Test<'a> {
    fn new(number: usize, known: Option<&'a Enumeration>) -> Self {
        Test { number, known, repairs: known.map_or(Vec::new(), |known| known.sets.clone()) }
    }

    /// Whether a set that hits all known cores is known to repair the test.
    fn is_repaired_by(&self, size: usize, members: &Bits) -> bool {
        self.known.is_some_and(|known| known.settles(size))
            || self.repairs.iter().any(|repair| repair.iter().all(|&s| members.contains(s as usize)))
    }
}
