//! Minimal correction sets of one test and of several at once.

use crate::enumeration::Enumeration;
use crate::explore::{QUESTIONS, explore};
use crate::family::Family;
use crate::limits::Limits;
use crate::oracle::Oracle;
use crate::panel::Panel;

/// Tests for which no proof beyond the limits is tried.
const MANY_TESTS: usize = 8;

/// All minimal sets of statements that, set free, let a test pass.
///
/// # Panics
/// As [`unified`] does.
pub fn corrections(oracle: &mut dyn Oracle, test: usize, limits: &Limits) -> Enumeration {
    unified(oracle, &[test], &[], limits)
}

/// All minimal sets of statements that, set free, let each of these tests pass: not necessarily all in the same way.
///
/// `known` is what [`corrections`] said about the tests, in their order, and may end early. Its cores count for all
/// tests, and where it is settled the oracle is not asked again; within the same `max_size` it is not asked at all.
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
/// If there is no such test, if there is more knowledge than tests, or if the oracle names a core with a statement that
/// is free or does not exist.
pub fn unified(oracle: &mut dyn Oracle, tests: &[usize], known: &[Enumeration], limits: &Limits) -> Enumeration {
    assert!(tests.iter().all(|&test| test < oracle.tests()), "no such test");
    assert!(known.len() <= tests.len(), "knowledge without a test");
    let cores = known.iter().flat_map(|known| known.cores.iter().cloned());
    let family = Family::new(oracle.count(), cores).reduce();
    let mut panel = Panel::new(oracle, tests, known);
    // With many tests a question is many questions.
    let questions = if tests.len() > MANY_TESTS { 0 } else { QUESTIONS };
    explore(family, limits, &mut |proposal| panel.ask(proposal), questions)
}
