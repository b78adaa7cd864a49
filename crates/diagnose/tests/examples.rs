//! The examples of the paper (SNIPER, sections 4 and 5.5), and the limits that are not about sets.

mod common;

use wherefore_budget::{Budget, Stop};

use common::{Hidden, hits_all, minimal};
use wherefore_diagnose::{Limits, Oracle, Reason, Set, Statement, Verdict, conflicts, corrections, product, unified};

/// Listing 1 by its lines: 3 and 6 are in the way together, and so are 4 and 6.
fn listing_1() -> Hidden {
    Hidden::new(11, vec![vec![vec![3, 6], vec![4, 6]]])
}

#[test]
fn listing_1_has_two_corrections_and_two_conflicts() {
    let found = corrections(&mut listing_1(), 0, &Limits::default());
    assert_eq!(found.sets, [vec![6], vec![3, 4]]);
    assert!(found.is_complete());
    let conflicts = conflicts(&found.sets, &Limits::default());
    assert_eq!(conflicts.sets, [[3, 6], [4, 6]]);
    assert!(conflicts.is_complete());
}

#[test]
fn listing_2_has_three_complete_diagnoses() {
    let cores = vec![vec![vec![3, 6], vec![4, 6]], vec![vec![3, 4]]];
    let mut oracle = Hidden::new(8, cores);
    let per_test = [0, 1].map(|test| corrections(&mut oracle, test, &Limits::default()));
    let per_test = per_test.map(|found| found.sets);
    assert_eq!(per_test, [vec![vec![6], vec![3, 4]], vec![vec![3], vec![4]]]);
    let expected = [[3, 4], [3, 6], [4, 6]];
    assert_eq!(product(&per_test, &Limits::default()).sets, expected);
    assert_eq!(unified(&mut oracle, &[0, 1], &[], &Limits::default()).sets, expected);
}

#[test]
fn a_union_that_contains_another_is_kept() {
    let per_test = [vec![vec![1], vec![2]], vec![vec![1], vec![2]]];
    let found = product(&per_test, &Limits::default());
    assert_eq!(found.sets, [vec![1], vec![2], vec![1, 2]]);
    assert!(found.is_complete());
}

#[test]
fn a_test_that_passes_needs_the_empty_set_only() {
    let found = corrections(&mut Hidden::new(5, vec![vec![]]), 0, &Limits::default());
    assert_eq!(found.sets, [Set::new()]);
    assert!(found.is_complete());
    assert!(conflicts(&found.sets, &Limits::default()).sets.is_empty());
}

#[test]
fn without_a_repair_the_empty_answer_is_complete() {
    struct Hopeless;
    impl Oracle for Hopeless {
        fn count(&self) -> usize {
            100
        }
        fn tests(&self) -> usize {
            1
        }
        fn check(&mut self, _: usize, _: &[Statement]) -> Verdict {
            Verdict::Core(Set::new())
        }
    }
    let found = corrections(&mut Hopeless, 0, &Limits::default());
    assert!(found.sets.is_empty() && found.is_complete());
    assert_eq!(found.cores, [Set::new()]);
    assert_eq!(conflicts(&found.sets, &Limits::default()).sets, [Set::new()]);
    let found = unified(&mut Hopeless, &[0], &[found], &Limits { max_size: Some(0), ..Default::default() });
    assert!(found.sets.is_empty() && found.is_complete());
}

#[test]
fn what_one_test_does_not_know_another_may_refute() {
    let mut oracle = Hidden::new(4, vec![vec![vec![0, 1]], vec![vec![2, 3]]]);
    oracle.unknown = vec![(0, vec![0]), (0, vec![]), (0, vec![2])];
    let found = unified(&mut oracle, &[0, 1], &[], &Limits::default());
    assert_eq!(found.sets, [[0, 2], [0, 3], [1, 2], [1, 3]]);
    assert!(found.is_complete(), "{found:?}");
}

#[test]
fn what_is_undecided_leaves_the_answer_incomplete() {
    let mut oracle = Hidden::new(4, vec![vec![vec![0, 1], vec![0, 2]]]);
    oracle.unknown = vec![(0, vec![0])];
    let found = corrections(&mut oracle, 0, &Limits::default());
    assert_eq!(found.incomplete, Some(Reason::Undecided("too hard".to_string())));
    assert_eq!(found.undecided, [[0]]);
    assert_eq!(found.settled, Some(0));
    assert_eq!(found.sets, [[1, 2]]);
}

/// Thirty cores of three statements each have far too many hitting sets.
fn endless() -> Hidden {
    Hidden::new(90, vec![(0..30).map(|core| (3 * core..3 * core + 3).collect()).collect()])
}

#[test]
fn a_deadline_ends_the_search() {
    let limits = || Limits { budget: Budget::counting(100), ..Default::default() };
    let cores = endless().cores;
    let found = corrections(&mut endless(), 0, &limits());
    assert_eq!(found.incomplete, Some(Reason::Over(Stop::Time)));
    assert_eq!(conflicts(&cores[0], &limits()).incomplete, Some(Reason::Over(Stop::Time)));
    assert_eq!(product(&vec![cores[0].clone(); 20], &limits()).incomplete, Some(Reason::Over(Stop::Time)));
}

#[test]
fn an_oracle_that_runs_out_of_time_leaves_nothing_undecided() {
    struct Late(Hidden, Budget);
    impl Oracle for Late {
        fn count(&self) -> usize {
            self.0.count()
        }
        fn tests(&self) -> usize {
            self.0.tests()
        }
        fn check(&mut self, test: usize, free: &[Statement]) -> Verdict {
            match self.1.check() {
                Ok(()) => self.0.check(test, free),
                Err(_) => Verdict::Unknown("late".to_string()),
            }
        }
    }
    // Whoever looks is the one to see it: the oracle, or the search.
    for looks in 50..60 {
        let budget = Budget::counting(looks);
        let limits = Limits { budget: budget.clone(), ..Default::default() };
        let found = corrections(&mut Late(endless(), budget), 0, &limits);
        assert_eq!(found.incomplete, Some(Reason::Over(Stop::Time)));
        assert!(found.undecided.is_empty());
    }
}

#[test]
fn somebody_can_stop_the_search() {
    let limits = Limits::default();
    limits.budget.stop(Stop::Interrupted);
    let mut oracle = endless();
    let found = corrections(&mut oracle, 0, &limits);
    assert_eq!((found.incomplete, oracle.asked), (Some(Reason::Over(Stop::Interrupted)), 0));
}

#[test]
fn a_limit_of_size_is_quick_where_nothing_is_that_small() {
    let limits = Limits { max_size: Some(29), ..Default::default() };
    let cores = endless().cores;
    let found = conflicts(&cores[0], &limits);
    assert_eq!((found.sets.len(), found.incomplete, found.settled), (0, Some(Reason::Size(29)), Some(29)));
}

#[test]
fn the_test_that_refuted_last_is_asked_first() {
    // Any statement repairs any test but the last, which needs two.
    let mut cores = vec![vec![(0..18).collect()]; 50];
    cores.push((0..18).map(|missing| (0..18).filter(|&s| s != missing).collect()).collect());
    let tests: Vec<usize> = (0..cores.len()).collect();
    let mut oracle = Hidden::new(18, cores);
    let found = unified(&mut oracle, &tests, &[], &Limits { max_size: Some(1), ..Default::default() });
    assert_eq!((found.sets.len(), found.incomplete), (0, Some(Reason::Size(1))));
    assert!(oracle.asked < 200, "{} questions", oracle.asked);
}

#[test]
fn what_repaired_a_test_is_remembered() {
    // Only the last of many tests is hard to repair.
    let mut cores = vec![vec![vec![0]]; 50];
    cores.push((1..6).map(|core| vec![3 * core, 3 * core + 1, 3 * core + 2]).collect());
    let tests: Vec<usize> = (0..cores.len()).collect();
    let mut oracle = Hidden::new(20, cores.clone());
    let found = unified(&mut oracle, &tests, &[], &Limits::default());
    assert_eq!(found.sets, minimal(18, |set| cores.iter().all(|cores| hits_all(set, cores))));
    assert_eq!(found.sets.len(), 243);
    assert!(oracle.asked < 243 + 100, "{} questions", oracle.asked);
}
