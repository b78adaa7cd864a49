//! What remains of a program's error traces: the difference of its graph and all that was subtracted, made on the fly.

use crate::automaton::Determinised;
use crate::facts::{Facts, Predicates};
use crate::graph::{LetterId, LocationId};
use crate::logic::Logic;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use wherefore_budget::Stop;

/// How often somebody looks at the clock.
const LOOK: usize = 64;

/// A state of what remains.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub location: LocationId,
    pub facts: Facts,
    /// Where each subtracted automaton is.
    pub subtracted: Box<[u32]>,
    /// How it was reached first.
    pub parent: Option<(u32, LetterId)>,
}

/// A part of what remains that was looked at, without the states from which no error is reached.
#[derive(Default)]
pub(crate) struct Reached {
    pub states: Vec<State>,
    /// For each state its edges; a state may stand for others in which more is known.
    pub edges: Vec<Vec<(LetterId, u32)>>,
    pub initial: Vec<u32>,
    /// States in which an error has happened.
    pub errors: Vec<u32>,
    /// Letters that cannot be executed, with the states from which.
    pub blocked: Vec<(u32, LetterId)>,
    /// The order in which states were found.
    table: FxHashMap<LocationId, Vec<u32>>,
}

/// How far to look.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// Up to the first error.
    FirstError,
    /// So many states.
    States(usize),
}

/// What is subtracted from a graph.
pub(crate) struct Remaining {
    /// Edges of the graph that lie on ways to an error.
    pub out: Vec<Vec<(LetterId, LocationId)>>,
    pub is_error: Vec<bool>,
    pub predicates: Predicates,
    pub subtracted: Vec<Determinised>,
}

impl Remaining {
    /// Looks at what remains, in the order of the lengths of words. A state in which more is known than in another one of
    /// the same location is not gone on from: whatever can follow it can follow the other.
    ///
    /// # Errors
    /// When the time is up.
    pub fn explore(&mut self, logic: &mut Logic, extent: Extent) -> Result<Reached, Stop> {
        let mut reached = Reached::default();
        let mut queue = VecDeque::new();
        for location in logic.graph.initial.clone() {
            let facts = self.predicates.at_start(location);
            let subtracted = self.subtracted.iter_mut().map(Determinised::started).collect();
            let state = State { location, facts, subtracted, parent: None };
            let (number, is_new) = self.enter(&mut reached, state);
            reached.initial.extend(number);
            queue.extend(number.filter(|_| is_new));
        }
        let mut looks = 0;
        while let Some(from) = queue.pop_front() {
            looks += 1;
            if looks % LOOK == 0 {
                logic.budget.check()?;
            }
            if extent == Extent::FirstError && !reached.errors.is_empty()
                || matches!(extent, Extent::States(most) if reached.states.len() > most)
            {
                break;
            }
            let at = reached.states[from as usize].location;
            for (letter, to) in self.out[at.index()].clone() {
                let state = &reached.states[from as usize];
                let Some(facts) = self.predicates.after(logic, &state.facts, letter, to) else {
                    reached.blocked.push((from, letter));
                    continue;
                };
                let step = |(automaton, now): (&mut Determinised, &u32)| automaton.step(*now, letter);
                let subtracted = self.subtracted.iter_mut().zip(&state.subtracted).map(step).collect();
                let state = State { location: to, facts, subtracted, parent: Some((from, letter)) };
                let (number, is_new) = self.enter(&mut reached, state);
                if let Some(number) = number {
                    reached.edges[from as usize].push((letter, number));
                    queue.extend(is_new.then_some(number));
                }
            }
        }
        Ok(reached)
    }

    /// The state that stands for another, and whether it is new; none for one in which only words end that are subtracted.
    fn enter(&self, reached: &mut Reached, state: State) -> (Option<u32>, bool) {
        let is_error = self.is_error[state.location.index()];
        let accepts = |(automaton, now): (&Determinised, &u32)| automaton.accepts(*now);
        if is_error && self.subtracted.iter().zip(&state.subtracted).any(accepts) {
            return (None, false);
        }
        let here = reached.table.entry(state.location).or_default();
        for number in here.iter() {
            let other = &reached.states[*number as usize];
            let mut all = self.subtracted.iter().zip(other.subtracted.iter().zip(&state.subtracted));
            if other.facts.is_part(&state.facts)
                && all.all(|(automaton, (part, whole))| automaton.is_part(*part, *whole))
            {
                return (Some(*number), false);
            }
        }
        let number = reached.states.len() as u32;
        here.push(number);
        reached.states.push(state);
        reached.edges.push(vec![]);
        if is_error {
            reached.errors.push(number);
        }
        (Some(number), true)
    }
}

impl Reached {
    /// A shortest word that leads to an error, with the states on its way.
    pub fn word(&self) -> Option<(Vec<LetterId>, Vec<u32>)> {
        let mut at = *self.errors.first()?;
        let (mut word, mut run) = (vec![], vec![at]);
        while let Some((from, letter)) = self.states[at as usize].parent {
            word.push(letter);
            run.push(from);
            at = from;
        }
        word.reverse();
        run.reverse();
        Some((word, run))
    }

    /// The states that a word goes through to an error.
    pub fn run(&self, word: &[LetterId]) -> Option<Vec<u32>> {
        let mut layers: Vec<Vec<(u32, usize)>> = vec![self.initial.iter().map(|state| (*state, 0)).collect()];
        for letter in word {
            let mut next: Vec<(u32, usize)> = vec![];
            for (number, (state, _)) in layers.last()?.iter().enumerate() {
                for (_, to) in self.edges[*state as usize].iter().filter(|(on, _)| on == letter) {
                    if next.iter().all(|(other, _)| other != to) {
                        next.push((*to, number));
                    }
                }
            }
            layers.push(next);
        }
        let mut at = layers.last()?.iter().position(|(state, _)| self.errors.contains(state))?;
        let mut run = vec![];
        for layer in layers.iter().rev() {
            let (state, before) = layer[at];
            run.push(state);
            at = before;
        }
        run.reverse();
        Some(run)
    }
}
