//! Minimal correction sets of one test and of several at once.

use crate::bits::Bits;
use crate::enumeration::{Enumeration, normal};
use crate::explore::explore;
use crate::family::Family;
use crate::limits::Limits;
use crate::oracle::{Oracle, Set, Statement, Verdict};
use crate::shrink::shrink;

/// All minimal sets of statements that, set free, let a test pass.
pub fn corrections(oracle: &mut dyn Oracle, test: usize, limits: &Limits) -> Enumeration {
    unified(oracle, &[test], &[], limits)
}

/// All minimal sets of statements that, set free, let each of these tests pass: not necessarily all in the same way.
///
/// `known` is what [`corrections`] said about the tests, in their order, and may end early. Its cores count for all
/// tests, and where it is settled the oracle is not asked again; with the same `max_size` it is not asked at all.
///
/// ```
/// use wherefore_diagnose::{Limits, Oracle, Statement, Verdict, unified};
///
/// /// Two tests: statement 0 is in the way of the first, either of 1 and 2 helps the second.
/// struct Example;
///
/// impl Oracle for Example {
///     fn count(&self) -> usize {
///         3
///     }
///     fn tests(&self) -> usize {
///         2
///     }
///     fn check(&mut self, test: usize, free: &[Statement]) -> Verdict {
///         let core = [vec![0], vec![1, 2]][test].clone();
///         if core.iter().any(|s| free.contains(s)) { Verdict::Repairs } else { Verdict::Core(core) }
///     }
/// }
///
/// let found = unified(&mut Example, &[0, 1], &[], &Limits::default());
/// assert_eq!(found.sets, [[0, 1], [0, 2]]);
/// assert!(found.is_complete());
/// ```
///
/// # Panics
/// If the oracle names a core with a free statement or one that does not exist.
pub fn unified(oracle: &mut dyn Oracle, tests: &[usize], known: &[Enumeration], limits: &Limits) -> Enumeration {
    let family = Family::new(oracle.count(), known.iter().flat_map(|known| known.cores.iter().cloned()));
    let mut tests: Vec<Test> =
        tests.iter().enumerate().map(|(at, &number)| Test::new(number, known.get(at))).collect();
    explore(family, limits, &mut |proposal, found| ask(oracle, &mut tests, proposal, found))
}

/// A test and what is known about it.
struct Test<'a> {
    number: usize,
    known: Option<&'a Enumeration>,
    /// Sets that repair it.
    repairs: Vec<Set>,
}

impl<'a> Test<'a> {
    fn new(number: usize, known: Option<&'a Enumeration>) -> Self {
        Test { number, known, repairs: known.map_or(Vec::new(), |known| known.sets.clone()) }
    }

    /// Whether a proposal, which hits all known cores, repairs the test for reasons known before.
    fn is_repaired_by(&self, proposal: &[Statement], members: &Bits) -> bool {
        self.known.is_some_and(|known| known.settles(proposal.len()))
            || self.repairs.iter().any(|repair| repair.iter().all(|&s| members.contains(s as usize)))
    }
}

/// Asks test after test until one refutes the proposal, which will be asked first the next time.
fn ask(oracle: &mut dyn Oracle, tests: &mut [Test], proposal: &[Statement], found: &[Set]) -> Verdict {
    let members: Bits = proposal.iter().map(|&s| s as usize).collect();
    let mut verdict = Verdict::Repairs;
    let mut passed = Vec::new();
    for at in 0..tests.len() {
        if tests[at].is_repaired_by(proposal, &members) {
            continue;
        }
        match oracle.check(tests[at].number, proposal) {
            Verdict::Repairs => passed.push(at),
            // Another test may still refute the proposal.
            unknown @ Verdict::Unknown(_) => verdict = unknown,
            Verdict::Core(core) => {
                let core = normal(&core);
                assert!(core.iter().all(|&s| !members.contains(s as usize)), "a core has a free statement");
                assert!(core.iter().all(|&s| (s as usize) < oracle.count()), "a core has an unknown statement");
                let core = shrink(oracle, tests[at].number, core, found);
                // Only a proposal that is refuted can be part of a later one.
                for passed in passed {
                    tests[passed].repairs.push(proposal.to_vec());
                }
                tests[..=at].rotate_right(1);
                return Verdict::Core(core);
            }
        }
    }
    verdict
}
