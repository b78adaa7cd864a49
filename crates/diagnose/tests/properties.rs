//! Everything against brute force, with random monotone oracles.

mod common;

use common::{Hidden, arrange, contains, hits_all, minimal, set_combine, subsets};
use proptest::prelude::*;
use wherefore_diagnose::{Enumeration, Limits, Reason, Set, conflicts, corrections, product, unified};

const COUNT: usize = 9;

/// A set of statements, rarely empty.
fn set() -> impl Strategy<Value = Set> {
    let some = proptest::collection::btree_set(0..COUNT as u32, 1..5);
    prop_oneof![40 => some, 1 => Just(Default::default())].prop_map(|set| set.into_iter().collect())
}

fn sets() -> impl Strategy<Value = Vec<Set>> {
    proptest::collection::vec(set(), 0..8)
}

fn oracle() -> impl Strategy<Value = Hidden> {
    (proptest::collection::vec(sets(), 1..4), any::<u64>())
        .prop_map(|(cores, random)| Hidden { random, ..Hidden::new(COUNT, cores) })
}

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cores {:?}, random {}, unknown {:?}", self.cores, self.random, self.unknown)
    }
}

/// What holds of every answer, complete or not.
fn is_honest(answer: &Enumeration, truth: &[Set], limits: &Limits) -> Result<(), TestCaseError> {
    prop_assert!(answer.sets.iter().all(|set| truth.contains(set)), "{answer:?} is not within {truth:?}");
    prop_assert!(answer.sets.is_sorted_by(|a, b| (a.len(), a) < (b.len(), b)), "{answer:?} is out of order");
    prop_assert!(limits.max_sets.is_none_or(|max| answer.sets.len() <= max));
    prop_assert!(limits.max_size.is_none_or(|max| answer.sets.iter().all(|set| set.len() <= max)));
    let is_there = |set: &&Set| answer.is_complete() || answer.settled.is_some_and(|settled| set.len() <= settled);
    prop_assert!(truth.iter().filter(is_there).all(|set| answer.sets.contains(set)), "{answer:?} lacks of {truth:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..Default::default() })]

    #[test]
    fn corrections_are_all_minimal_hitting_sets(mut oracle in oracle()) {
        for test in 0..oracle.cores.len() {
            let found = corrections(&mut oracle, test, &Limits::default());
            let truth = minimal(COUNT, |set| hits_all(set, &oracle.cores[test]));
            prop_assert_eq!(&found.sets, &truth);
            prop_assert_eq!(found.incomplete, None);
            let conflicts = minimal(COUNT, |set| oracle.cores[test].iter().any(|core| contains(set, core)));
            prop_assert_eq!(found.cores, conflicts);
        }
    }

    #[test]
    fn unified_sets_repair_all_tests(mut oracle in oracle(), known in 0..4usize) {
        let tests: Vec<usize> = (0..oracle.cores.len()).collect();
        let known: Vec<Enumeration> =
            tests.iter().take(known).map(|&test| corrections(&mut oracle, test, &Limits::default())).collect();
        let asked = oracle.asked;
        let found = unified(&mut oracle, &tests, &known, &Limits::default());
        let truth = minimal(COUNT, |set| oracle.cores.iter().all(|cores| hits_all(set, cores)));
        prop_assert_eq!(&found.sets, &truth);
        prop_assert_eq!(found.incomplete, None);
        prop_assert!(known.len() < tests.len() || oracle.asked == asked, "what is known is not asked");
    }

    #[test]
    fn unified_agrees_with_partial_knowledge(mut oracle in oracle(), max_size in 0..4usize, max_sets in 0..6usize) {
        let tests: Vec<usize> = (0..oracle.cores.len()).collect();
        let little = Limits { max_size: Some(max_size), max_sets: Some(max_sets), ..Default::default() };
        let known: Vec<Enumeration> = tests.iter().map(|&test| corrections(&mut oracle, test, &little)).collect();
        let found = unified(&mut oracle, &tests, &known, &Limits::default());
        let truth = minimal(COUNT, |set| oracle.cores.iter().all(|cores| hits_all(set, cores)));
        prop_assert_eq!(&found.sets, &truth);
        prop_assert_eq!(found.incomplete, None);
    }

    #[test]
    fn minimal_products_are_the_unified_sets(mut oracle in oracle()) {
        let tests: Vec<usize> = (0..oracle.cores.len()).collect();
        let known: Vec<Enumeration> =
            tests.iter().map(|&test| corrections(&mut oracle, test, &Limits::default())).collect();
        let per_test: Vec<Vec<Set>> = known.iter().map(|known| known.sets.clone()).collect();
        let mut products = product(&per_test, &Limits::default()).sets;
        let all = products.clone();
        products.retain(|set| !all.iter().any(|other| other != set && contains(set, other)));
        prop_assert_eq!(products, unified(&mut oracle, &tests, &known, &Limits::default()).sets);
    }

    #[test]
    fn conflicts_are_minimal_hitting_sets(corrections in sets()) {
        let found = conflicts(&corrections, &Limits::default());
        prop_assert_eq!(&found.sets, &minimal(COUNT, |set| hits_all(set, &corrections)));
        prop_assert!(found.is_complete());
    }

    #[test]
    fn conflicts_of_corrections_are_the_minimal_cores(mut oracle in oracle()) {
        let found = conflicts(&corrections(&mut oracle, 0, &Limits::default()).sets, &Limits::default());
        let cores = &oracle.cores[0];
        let truth = minimal(COUNT, |set| cores.iter().any(|core| contains(set, core)));
        prop_assert_eq!(found.sets, truth);
    }

    #[test]
    fn product_is_definition_6(per_test in proptest::collection::vec(sets(), 0..4)) {
        let found = product(&per_test, &Limits::default());
        prop_assert_eq!(found.sets, set_combine(&per_test));
        prop_assert_eq!(found.incomplete, None);
    }

    #[test]
    fn limits_are_honest(
        mut oracle in oracle(),
        max_size in proptest::option::of(0..5usize),
        max_sets in proptest::option::of(0..9usize),
    ) {
        let limits = Limits { max_size, max_sets, ..Default::default() };
        let per_test = oracle.cores.clone();
        let truth = minimal(COUNT, |set| hits_all(set, &oracle.cores[0]));
        let found = corrections(&mut oracle, 0, &limits);
        is_honest(&found, &truth, &limits)?;
        // So small that the proof that nothing is left is always cheap.
        let fits = max_size.is_none_or(|max| truth.iter().all(|set| set.len() <= max));
        prop_assert_eq!(found.is_complete(), fits && max_sets.is_none_or(|max| truth.len() <= max));

        is_honest(&conflicts(&per_test[0], &limits), &truth, &limits)?;
        let truth = set_combine(&per_test);
        let found = product(&per_test, &limits);
        is_honest(&found, &truth, &limits)?;
        let expected: Vec<Set> = truth
            .iter()
            .filter(|set| max_size.is_none_or(|max| set.len() <= max))
            .take(max_sets.unwrap_or(usize::MAX))
            .cloned()
            .collect();
        prop_assert_eq!(found.is_complete(), expected.len() == truth.len());
        prop_assert_eq!(found.sets, expected);
    }

    #[test]
    fn what_is_unknown_is_neither_taken_nor_refuted(
        mut oracle in oracle(),
        unknown in proptest::collection::vec((0..3usize, 0..1usize << COUNT), 0..40),
        low in any::<bool>(),
    ) {
        let all = subsets(COUNT);
        // Small sets come first and are the ones that are asked about.
        oracle.unknown = unknown.iter().map(|&(test, at)| (test, all[if low { at % 64 } else { at }].clone())).collect();
        let tests: Vec<usize> = (0..oracle.cores.len()).collect();
        let truth = minimal(COUNT, |set| oracle.cores.iter().all(|cores| hits_all(set, cores)));
        let found = unified(&mut oracle, &tests, &[], &Limits::default());
        is_honest(&found, &truth, &Limits::default())?;
        if let Some(reason) = &found.incomplete {
            prop_assert_eq!(reason, &Reason::Undecided("too hard".to_string()));
            // What is missing may be hidden by a set that nobody knows about, but only by such a set.
            let is_hidden = |set: &Set| oracle.unknown.iter().any(|(_, unknown)| contains(set, unknown));
            prop_assert!(truth.iter().all(|set| found.sets.contains(set) || is_hidden(set)));
        }
        prop_assert!(found.undecided.iter().all(|set| oracle.unknown.iter().any(|(_, unknown)| unknown == set)));
        prop_assert!(found.undecided.iter().all(|set| !found.sets.contains(set)));
    }

    #[test]
    fn the_same_question_has_the_same_answer(oracle in oracle(), other in any::<u64>()) {
        let tests: Vec<usize> = (0..oracle.cores.len()).collect();
        let answer = |random| {
            let mut oracle = Hidden { random, ..Hidden::new(COUNT, oracle.cores.clone()) };
            unified(&mut oracle, &tests, &[], &Limits::default())
        };
        prop_assert_eq!(answer(oracle.random), answer(oracle.random));
        prop_assert_eq!(answer(oracle.random).sets, answer(other).sets);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..Default::default() })]

    #[test]
    fn duality_holds_for_many_statements_and_cores(
        cores in proptest::collection::vec(proptest::collection::btree_set(0..200u32, 1..5), 1..6),
        random in any::<u64>(),
    ) {
        let cores: Vec<Set> = cores.into_iter().map(|core| core.into_iter().collect()).collect();
        let mut smallest = cores.clone();
        smallest.retain(|core| !cores.iter().any(|other| other != core && contains(core, other)));
        arrange(&mut smallest);
        smallest.dedup();
        let there = conflicts(&cores, &Limits::default());
        let back = conflicts(&there.sets, &Limits::default());
        prop_assert!(there.is_complete() && back.is_complete());
        prop_assert_eq!(&back.sets, &smallest);

        // Up to a thousand hidden cores.
        let mut oracle = Hidden { random, ..Hidden::new(200, vec![there.sets.clone()]) };
        let found = corrections(&mut oracle, 0, &Limits { max_size: Some(4), ..Default::default() });
        prop_assert_eq!(found.sets, smallest);
    }
}
