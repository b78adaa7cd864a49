//! Danger automata: error traces that are like one that can be executed (*Static fault localization for simple bugs*,
//! sections 4.4 and 4.5).
//!
//! A state stands for executions from which the error can be reached: each of them can be gone on with by some edge into
//! what the next state stands for. So the automaton accepts a trace that can be executed, or one that never ends.

use crate::automaton::Automaton;
use crate::graph::{Graph, LetterId};
use crate::logic::Logic;
use crate::remaining::Reached;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};
use wherefore_budget::Budget;
use wherefore_formula::{Node, TermId, Terms, VarId};
use wherefore_relevance::{Execution, Statement};
use wherefore_solver::{Backend, Limits, Validity, valid};

/// Questions that go into one automaton: what is found before they are used up is a danger automaton, too.
const QUESTIONS: u64 = 3000;

/// Predicates of one state that are kept apart; more of them, as a loop gives, are joined.
const APART: usize = 8;

/// An automaton whose states say from where the error can be reached.
#[derive(Clone, Debug)]
pub struct Danger {
    /// The automaton.
    pub automaton: Automaton,
    /// For each state, from where; terms of `terms`.
    pub predicates: Vec<TermId>,
    /// What the predicates are made of, grown from the graph's.
    pub terms: Terms,
}

/// The canonical danger automaton of a word that can be executed and what remains, as far as it is known.
pub(crate) fn canonical(
    logic: &mut Logic,
    reached: &Reached,
    (word, run): (&[LetterId], &[u32]),
    execution: &Execution,
) -> Danger {
    let mut danger = Construction {
        reached,
        values: FxHashMap::default(),
        numbers: FxHashMap::default(),
        predicates: vec![],
        of: vec![BTreeSet::new(); reached.states.len()],
        at: FxHashMap::default(),
        before: FxHashMap::default(),
        incoming: vec![vec![]; reached.states.len()],
        work: VecDeque::new(),
        left: QUESTIONS,
    };
    for (from, edges) in reached.edges.iter().enumerate() {
        for (letter, to) in edges {
            danger.incoming[*to as usize].push((from as u32, *letter));
        }
    }
    for (at, letter) in word.iter().enumerate() {
        danger.values.entry(*letter).or_insert(execution.assigned[at]);
    }
    danger.chain(logic, word, run, execution);
    danger.infer(logic);
    danger.finish(logic)
}

struct Construction<'a> {
    reached: &'a Reached,
    /// A value that each letter assigns in the execution.
    values: FxHashMap<LetterId, u128>,
    numbers: FxHashMap<TermId, u32>,
    predicates: Vec<TermId>,
    /// The predicates of each state.
    of: Vec<BTreeSet<u32>>,
    /// The predicates that the word has at each location.
    at: FxHashMap<u32, BTreeSet<u32>>,
    /// What has to hold before a letter for a predicate to be possible after it.
    before: FxHashMap<(u32, LetterId), TermId>,
    incoming: Vec<Vec<(u32, LetterId)>>,
    work: VecDeque<(u32, u32)>,
    left: u64,
}

impl Construction<'_> {
    /// The predicates of the word itself.
    fn chain(&mut self, logic: &mut Logic, word: &[LetterId], run: &[u32], execution: &Execution) {
        let mut now = logic.terms.truth(true);
        let always = self.number(now);
        for error in &self.reached.errors {
            self.put(*error, always);
        }
        for at in (0..word.len()).rev() {
            now = possible_before(logic, word[at], now, execution.assigned[at]);
            let number = self.number(now);
            let location = self.reached.states[run[at] as usize].location.0;
            self.at.entry(location).or_default().insert(number);
            self.put(run[at], number);
        }
    }

    fn number(&mut self, predicate: TermId) -> u32 {
        let next = self.predicates.len() as u32;
        let number = *self.numbers.entry(predicate).or_insert(next);
        if number == next {
            self.predicates.push(predicate);
        }
        number
    }

    fn put(&mut self, state: u32, predicate: u32) {
        if self.of[state as usize].insert(predicate) {
            self.work.push_back((state, predicate));
        }
    }

    fn before(&mut self, logic: &mut Logic, predicate: u32, letter: LetterId) -> TermId {
        if let Some(known) = self.before.get(&(predicate, letter)) {
            return *known;
        }
        let value = self.values.get(&letter).copied().unwrap_or(0);
        let before = possible_before(logic, letter, self.predicates[predicate as usize], value);
        self.before.insert((predicate, letter), before);
        before
    }

    /// The rule: from where some edge of a state leads into what is known of its successors, the error can be reached. A
    /// state is asked about the predicates that the word has at its location and those of its successors.
    fn infer(&mut self, logic: &mut Logic) {
        let mut asked: FxHashSet<(u32, u32, usize)> = FxHashSet::default();
        while let Some((to, predicate)) = self.work.pop_front() {
            if logic.budget.stopped().is_some() {
                return;
            }
            for (from, letter) in self.incoming[to as usize].clone() {
                let before = self.before(logic, predicate, letter);
                if let Some(same) = self.numbers.get(&before).copied() {
                    self.put(from, same);
                }
                let location = self.reached.states[from as usize].location.0;
                let mut candidates = self.at.get(&location).cloned().unwrap_or_default();
                candidates.insert(predicate);
                candidates.retain(|candidate| !self.of[from as usize].contains(candidate));
                // Where many predicates are told apart, those of a loop, its own steps have found them.
                if candidates.is_empty() || self.of[from as usize].len() > APART {
                    continue;
                }
                let ways = self.ways(logic, from);
                for candidate in candidates {
                    if self.left == 0 || !asked.insert((from, candidate, ways.len())) {
                        continue;
                    }
                    self.left -= 1;
                    let some = logic.terms.or(ways.iter().copied());
                    if logic.implied(&[self.predicates[candidate as usize]], some) {
                        self.put(from, candidate);
                    }
                }
            }
        }
    }

    /// From where the edges of a state lead into what is known of its successors.
    fn ways(&mut self, logic: &mut Logic, from: u32) -> Vec<TermId> {
        let mut ways = vec![];
        for (letter, to) in &self.reached.edges[from as usize] {
            for predicate in self.of[*to as usize].clone() {
                ways.push(self.before(logic, predicate, *letter));
            }
        }
        ways.sort_unstable();
        ways.dedup();
        ways
    }

    fn finish(mut self, logic: &mut Logic) -> Danger {
        // Parts are the predicates that are one state together.
        let mut parts: Vec<(u32, Vec<u32>)> = vec![];
        let mut first: Vec<usize> = vec![];
        for (state, predicates) in self.of.iter().enumerate() {
            first.push(parts.len());
            match predicates.len() > APART {
                true => parts.push((state as u32, predicates.iter().copied().collect())),
                false => parts.extend(predicates.iter().map(|predicate| (state as u32, vec![*predicate]))),
            }
        }
        first.push(parts.len());
        let mut automaton = Automaton::default();
        for number in 0..parts.len() {
            let (state, predicates) = parts[number].clone();
            let mut edges = vec![];
            for (letter, to) in &self.reached.edges[state as usize] {
                let (begin, end) = (first[*to as usize], first[*to as usize + 1]);
                for (next, part) in parts[begin..end].iter().enumerate() {
                    if self.meets(logic, &predicates, *letter, &part.1) {
                        edges.push((*letter, (begin + next) as u32));
                    }
                }
            }
            automaton.edges.push(edges);
            automaton.accepting.push(self.reached.errors.contains(&state));
        }
        let starts = |(number, (state, _)): (usize, &(u32, Vec<u32>))| {
            self.reached.initial.contains(state).then_some(number as u32)
        };
        automaton.initial = parts.iter().enumerate().filter_map(starts).collect();
        let predicates: Vec<TermId> = parts
            .iter()
            .map(|(_, predicates)| logic.terms.or(predicates.iter().map(|number| self.predicates[*number as usize])))
            .collect();
        Danger { automaton, predicates, terms: logic.terms.clone() }
    }

    /// Whether a letter leads from some state of one part into another part.
    fn meets(&mut self, logic: &mut Logic, from: &[u32], letter: LetterId, to: &[u32]) -> bool {
        let mut ways = vec![];
        for predicate in to {
            let before = self.before(logic, *predicate, letter);
            if self.numbers.get(&before).is_some_and(|same| from.contains(same)) {
                return true;
            }
            ways.push(before);
        }
        let here = logic.terms.or(from.iter().map(|number| self.predicates[*number as usize]));
        let there = logic.terms.or(ways);
        logic.possible(&[here, there])
    }
}

/// The formulas whose disjunction this is.
fn disjuncts(terms: &Terms, formula: TermId) -> Vec<TermId> {
    match terms.node(formula) {
        Node::Or(items) => items.to_vec(),
        _ => vec![formula],
    }
}

/// From where a letter can lead to where a formula holds, or from a part of it: what is chosen may be chosen like this.
fn possible_before(logic: &mut Logic, letter: LetterId, formula: TermId, chosen: u128) -> TermId {
    match logic.graph.letters[letter.index()] {
        Statement::Assign { to, value } => {
            let before = logic.put(formula, to, value);
            logic.simplified(before)
        }
        Statement::Havoc { to } => logic.for_some(formula, to, chosen),
        Statement::Assume(holds) | Statement::Grant(holds) | Statement::Define(holds) => {
            let both = logic.terms.and2(holds, formula);
            logic.simplified(both)
        }
    }
}

impl Danger {
    /// Whether it is what it is called: each execution that a state stands for can be gone on with, and there is one to
    /// begin with. What is chosen at a letter is bound by a name of its own.
    pub fn holds(&self, graph: &Graph, backend: Backend, budget: &Budget) -> bool {
        let mut terms = self.terms.clone();
        let limits = Limits { time: budget.left(), ..Limits::NONE };
        let never = terms.truth(false);
        let mut starts = self.automaton.initial.iter().map(|state| self.predicates[*state as usize]);
        if !starts.any(|start| valid(backend, &mut terms, &[start], never, limits) == Validity::Invalid) {
            return false;
        }
        let mut logic = Logic::new(graph, backend, budget);
        logic.terms = terms;
        (0..self.predicates.len()).filter(|state| !self.automaton.accepting[*state]).all(|state| {
            let mut ways = vec![];
            for (letter, to) in &self.automaton.edges[state] {
                for part in disjuncts(&logic.terms, self.predicates[*to as usize]) {
                    ways.extend(self.possible(&mut logic, *letter, part));
                }
            }
            let known: FxHashSet<TermId> = ways.iter().copied().collect();
            let some = logic.terms.or(ways);
            let parts = disjuncts(&logic.terms, self.predicates[state]);
            parts.into_iter().all(|part| known.contains(&part) || logic.implied(&[part], some))
        })
    }

    /// As [`possible_before`], exactly where that can be said without quantifiers.
    fn possible(&self, logic: &mut Logic, letter: LetterId, formula: TermId) -> Vec<TermId> {
        let Statement::Havoc { to } = logic.graph.letters[letter.index()] else {
            return vec![possible_before(logic, letter, formula, 0)];
        };
        let never = logic.terms.not(formula);
        match logic.for_all(never, to) {
            Some(for_all) => vec![logic.terms.not(for_all)],
            None => self.some_values(logic, formula, to),
        }
    }

    fn some_values(&self, logic: &mut Logic, formula: TermId, var: VarId) -> Vec<TermId> {
        let parts = logic.terms.reachable(&[formula]);
        let constants: BTreeSet<u128> = parts.iter().filter_map(|part| logic.terms.constant(*part)).collect();
        constants.into_iter().map(|value| logic.for_some(formula, var, value)).collect()
    }
}
