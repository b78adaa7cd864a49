//! Finite automata over letters, as they are subtracted from what remains.

use crate::graph::LetterId;
use rustc_hash::{FxHashMap, FxHashSet};

/// An automaton: it may be in several states at once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Automaton {
    /// For each state its edges.
    pub edges: Vec<Vec<(LetterId, u32)>>,
    /// Where it starts.
    pub initial: Vec<u32>,
    /// For each state whether a word may end in it.
    pub accepting: Vec<bool>,
}

impl Automaton {
    /// The automaton that accepts one word.
    pub fn of_word(word: &[LetterId]) -> Automaton {
        let step = |(at, letter): (usize, &LetterId)| vec![(*letter, at as u32 + 1)];
        let mut edges: Vec<Vec<(LetterId, u32)>> = word.iter().enumerate().map(step).collect();
        edges.push(vec![]);
        let mut accepting = vec![false; word.len() + 1];
        accepting[word.len()] = true;
        Automaton { edges, initial: vec![0], accepting }
    }

    /// Whether it accepts a word.
    pub fn accepts(&self, word: &[LetterId]) -> bool {
        let mut now = self.started();
        for letter in word {
            now = self.step(&now, *letter);
        }
        now.iter().any(|state| self.accepting[*state as usize])
    }

    /// The states it starts in, in order.
    pub(crate) fn started(&self) -> Vec<u32> {
        let mut now = self.initial.clone();
        now.sort_unstable();
        now.dedup();
        now
    }

    /// The states after a letter, in order.
    pub(crate) fn step(&self, from: &[u32], letter: LetterId) -> Vec<u32> {
        let edges = from.iter().flat_map(|state| &self.edges[*state as usize]);
        let mut next: Vec<u32> = edges.filter(|(on, _)| *on == letter).map(|(_, to)| *to).collect();
        next.sort_unstable();
        next.dedup();
        next
    }

    /// The same with edges of some letters only.
    pub(crate) fn of_letters(&self, letters: &FxHashSet<LetterId>) -> Automaton {
        let own = |edges: &Vec<(LetterId, u32)>| {
            edges.iter().copied().filter(|(letter, _)| letters.contains(letter)).collect::<Vec<_>>()
        };
        Automaton { edges: self.edges.iter().map(own).collect(), ..self.clone() }
    }

    /// The same without states that lie on no way from a start to an end; and which states are left, in their order.
    pub(crate) fn trimmed(&self) -> (Automaton, Vec<u32>) {
        let count = self.edges.len();
        let mut backward: Vec<Vec<u32>> = vec![vec![]; count];
        for (from, edges) in self.edges.iter().enumerate() {
            edges.iter().for_each(|(_, to)| backward[*to as usize].push(from as u32));
        }
        let forward: Vec<Vec<u32>> = self.edges.iter().map(|edges| edges.iter().map(|(_, to)| *to).collect()).collect();
        let ends: Vec<u32> = (0..count as u32).filter(|state| self.accepting[*state as usize]).collect();
        let (reached, reaching) = (closure(&forward, &self.initial), closure(&backward, &ends));
        let mut number = vec![None; count];
        let kept: Vec<u32> = (0..count as u32).filter(|s| reached[*s as usize] && reaching[*s as usize]).collect();
        kept.iter().enumerate().for_each(|(new, state)| number[*state as usize] = Some(new as u32));
        let mut trimmed = Automaton::default();
        for state in kept.iter().map(|state| *state as usize) {
            let edges = self.edges[state].iter().filter_map(|(letter, to)| Some((*letter, number[*to as usize]?)));
            trimmed.edges.push(edges.collect());
            trimmed.accepting.push(self.accepting[state]);
        }
        trimmed.initial = self.initial.iter().filter_map(|state| number[*state as usize]).collect();
        (trimmed, kept)
    }
}

fn closure(next: &[Vec<u32>], from: &[u32]) -> Vec<bool> {
    let mut seen = vec![false; next.len()];
    let mut work = from.to_vec();
    while let Some(state) = work.pop() {
        if !std::mem::replace(&mut seen[state as usize], true) {
            work.extend(&next[state as usize]);
        }
    }
    seen
}

/// An automaton made deterministic as far as somebody looks: sets of its states, by number. Set 0 is empty.
pub(crate) struct Determinised {
    pub automaton: Automaton,
    sets: Vec<Box<[u32]>>,
    numbers: FxHashMap<Box<[u32]>, u32>,
    steps: FxHashMap<(u32, LetterId), u32>,
    letters: rustc_hash::FxHashSet<LetterId>,
}

impl Determinised {
    pub fn new(automaton: Automaton) -> Determinised {
        let letters = automaton.edges.iter().flatten().map(|(letter, _)| *letter).collect();
        let (sets, numbers, steps) = (vec![], FxHashMap::default(), FxHashMap::default());
        let mut all = Determinised { automaton, sets, numbers, steps, letters };
        all.number(vec![]);
        all
    }

    fn number(&mut self, set: Vec<u32>) -> u32 {
        let set = set.into_boxed_slice();
        if let Some(number) = self.numbers.get(&set) {
            return *number;
        }
        let number = self.sets.len() as u32;
        self.sets.push(set.clone());
        self.numbers.insert(set, number);
        number
    }

    /// The set it starts in.
    pub fn started(&mut self) -> u32 {
        self.number(self.automaton.started())
    }

    /// The set after a letter.
    pub fn step(&mut self, from: u32, letter: LetterId) -> u32 {
        if from == 0 || !self.letters.contains(&letter) {
            return 0;
        }
        if let Some(to) = self.steps.get(&(from, letter)) {
            return *to;
        }
        let next = self.automaton.step(&self.sets[from as usize], letter);
        let to = self.number(next);
        self.steps.insert((from, letter), to);
        to
    }

    /// Whether a word that leads to a set is accepted.
    pub fn accepts(&self, set: u32) -> bool {
        self.sets[set as usize].iter().any(|state| self.automaton.accepting[*state as usize])
    }

    /// Whether one set is a part of another.
    pub fn is_part(&self, part: u32, whole: u32) -> bool {
        let whole = &self.sets[whole as usize];
        self.sets[part as usize].iter().all(|state| whole.binary_search(state).is_ok())
    }

    /// The states of a set.
    pub fn states(&self, set: u32) -> &[u32] {
        &self.sets[set as usize]
    }
}
