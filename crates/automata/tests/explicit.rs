//! Verdicts and error traces against explicit search.

mod common;

use common::{VALUES, fails, graph, starts, successors, words};
use proptest::prelude::*;
use std::collections::BTreeSet;
use wherefore_automata::{End, Graph, LetterId, Next, Settings, Trace, explore};
use wherefore_budget::Budget;
use wherefore_relevance::{Judged, Statement, Verdict, judge};
use wherefore_solver::Backend;

fn settings(backend: Backend) -> Settings {
    // Z3 takes longer for each.
    let iterations = if backend == Backend::Z3 { 40 } else { 150 };
    Settings { iterations: Some(iterations), ..Settings::new(backend, Budget::unlimited()) }
}

/// That an execution is one of its word, and the word one of the graph.
fn is_executed(graph: &Graph, trace: &Trace) {
    let mut state = trace.execution.initial.clone();
    assert!(starts(graph).contains(&state), "it does not start so");
    let mut at = graph.initial.clone();
    for (letter, assigned) in trace.word.iter().zip(&trace.execution.assigned) {
        let next = successors(graph, &state, *letter);
        if let Some(to) = graph.letters[letter.index()].assigned() {
            state[to.0 as usize] = *assigned;
        }
        assert!(next.contains(&state), "{letter:?} does not lead to {state:?}");
        let edges = graph.edges.iter().filter(|edge| edge.letter == *letter && at.contains(&edge.from));
        at = edges.map(|edge| edge.to).collect();
    }
    assert!(at.iter().any(|at| graph.errors.contains(at)), "the word does not lead to an error");
}

fn verdict(graph: &Graph, backend: Backend) {
    let outcome = explore(graph, &settings(backend), &mut |_| Next::Stop);
    match (&outcome.end, fails(graph)) {
        (End::Told, true) => is_executed(graph, &outcome.traces[0]),
        (End::Empty, false) => assert!(outcome.proof.is_some()),
        // It may go on for ever, but only where there is no short error trace.
        (End::Iterations, _) => assert!(words(graph, 6, 3000).is_none_or(|words| words.is_empty())),
        (end, fails) => panic!("it {} fail, but {end:?}", if fails { "can" } else { "cannot" }),
    }
}

/// All error traces: which are left out are like one that was found.
fn others(graph: &Graph, backend: Backend) {
    let outcome = explore(graph, &settings(backend), &mut |_| Next::Others);
    for trace in &outcome.traces {
        is_executed(graph, trace);
    }
    for danger in &outcome.dangers {
        assert!(danger.holds(graph, backend.other(), &Budget::unlimited()), "not a danger automaton: {danger:?}");
    }
    for (trace, automaton) in outcome.traces.iter().zip(&outcome.subtracted) {
        assert!(automaton.accepts(&trace.word), "{automaton:?} does not accept {:?}", trace.word);
    }
    assert_eq!(outcome.traces.is_empty(), !fails(graph));
    assert!(matches!(outcome.end, End::Empty | End::Iterations), "{:?}", outcome.end);
    if outcome.end == End::Empty {
        let Some(all) = words(graph, 7, 3000) else { return };
        for word in all {
            assert!(outcome.subtracted.iter().any(|a| a.accepts(&word)), "{word:?} was not found");
            let consists = |trace: &Trace| word.iter().all(|letter| trace.word.contains(letter));
            assert!(outcome.traces.iter().any(consists), "{word:?} has other statements than all that were found");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn a_verdict_is_that_of_explicit_search(graph in graph(8, 10, true)) {
        verdict(&graph, Backend::Cadical);
    }

    #[test]
    fn every_error_trace_is_like_one_that_is_found(graph in graph(7, 7, true)) {
        others(&graph, Backend::Cadical);
    }

    #[test]
    fn without_loops_all_error_traces_are_found_one_by_one(graph in graph(8, 8, false)) {
        let outcome = explore(&graph, &settings(Backend::Cadical), &mut |_| Next::Rest);
        let found = outcome.traces.iter().map(|trace| trace.word.clone()).collect();
        prop_assert_eq!(outcome.end, End::Empty);
        prop_assert_eq!(Some(found), words(&graph, 8, usize::MAX));
    }
}

/// The letters that are relevant in each of some words, by trying everything.
fn relevant_by_definition(graph: &Graph, words: &BTreeSet<Vec<LetterId>>) -> BTreeSet<LetterId> {
    let relevant = |word: &Vec<LetterId>| -> BTreeSet<LetterId> {
        (0..word.len()).filter(|at| is_relevant(graph, word, *at)).map(|at| word[at]).collect()
    };
    words.iter().map(relevant).reduce(|all, more| &all & &more).unwrap_or_default()
}

/// Whether some execution and some value at a position let no execution of the rest arrive.
fn is_relevant(graph: &Graph, word: &[LetterId], at: usize) -> bool {
    let Some(to) = graph.letters[word[at].index()].assigned() else { return false };
    let after = |states: BTreeSet<Vec<u128>>, letters: &[LetterId]| {
        letters
            .iter()
            .fold(states, |states, letter| states.iter().flat_map(|state| successors(graph, state, *letter)).collect())
    };
    let arrives = |state: Vec<u128>, letters: &[LetterId]| !after(BTreeSet::from([state]), letters).is_empty();
    let before = after(starts(graph), &word[..at]);
    before.into_iter().filter(|state| arrives(state.clone(), &word[at..])).any(|state| {
        (0..VALUES).any(|value| {
            let mut state = state.clone();
            state[to.0 as usize] = value;
            !arrives(state, &word[at + 1..])
        })
    })
}

/// The same by judging the traces that were found.
fn relevant_in_all(graph: &Graph, traces: &[Trace]) -> BTreeSet<LetterId> {
    let relevant = |trace: &Trace| -> BTreeSet<LetterId> {
        let path = graph.path(&trace.word);
        let assigns = |at: &usize| path.statements[*at].assigned().is_some();
        let statements: Vec<usize> = (0..path.statements.len()).filter(assigns).collect();
        let (backend, budget) = (Backend::Cadical, Budget::unlimited());
        let settings = wherefore_relevance::Settings { backend, budget, jobs: 1, by_core: false };
        let judged = judge(&path, &trace.execution, &statements, &settings);
        let is_relevant = |judged: &&Judged| matches!(judged.verdict, Verdict::Relevant(_));
        judged.iter().filter(is_relevant).map(|judged| trace.word[judged.at]).collect()
    };
    traces.iter().map(relevant).reduce(|all, more| &all & &more).unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn what_is_relevant_in_the_program_is_relevant_in_each_error_trace(graph in graph(8, 6, false)) {
        let all = words(&graph, 8, usize::MAX).expect("they are finitely many");
        let expected = relevant_by_definition(&graph, &all);
        let outcome = explore(&graph, &settings(Backend::Cadical), &mut |_| Next::Rest);
        prop_assert_eq!(&relevant_in_all(&graph, &outcome.traces), &expected);
        // What is left out consists of the same statements, and without loops that is the same trace.
        let outcome = explore(&graph, &settings(Backend::Cadical), &mut |_| Next::Others);
        prop_assert_eq!(&relevant_in_all(&graph, &outcome.traces), &expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_other_backend_says_the_same(graph in graph(8, 10, true)) {
        verdict(&graph, Backend::Z3);
        others(&graph, Backend::Z3);
    }
}

#[test]
fn a_wrong_proof_is_refused() {
    // Nothing is assumed on the way to the error, so that no assertion can keep from it.
    let mut graph = Graph::default();
    let (start, error) = (graph.location(), graph.location());
    let always = graph.terms.truth(true);
    let letter = graph.letter(Statement::Assume(always));
    graph.edge(start, letter, error);
    (graph.initial, graph.errors) = (vec![start], vec![error]);
    let mut safe = graph.clone();
    safe.letters[0] = Statement::Assume(safe.terms.truth(false));
    let outcome = explore(&safe, &settings(Backend::Cadical), &mut |_| Next::Stop);
    let proof = outcome.proof.expect("it is safe");
    assert_ne!(proof.check(&graph, Backend::Z3, &Budget::unlimited()), wherefore_automata::Checked::Holds);
}
