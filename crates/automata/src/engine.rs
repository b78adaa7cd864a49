//! The loop: take a shortest error trace of what remains, find it or refute it, subtract those that are like it.

use crate::automaton::{Automaton, Determinised};
use crate::danger::{Danger, canonical};
use crate::facts::Predicates;
use crate::graph::{Graph, LetterId};
use crate::live::Live;
use crate::logic::Logic;
use crate::proof::{Asserted, Checked, Proof};
use crate::remaining::{Extent, Reached, Remaining};
use crate::straight::straight;
use crate::word::{Examined, assertions, examine};
use rustc_hash::FxHashSet;
use wherefore_budget::{Budget, Stop};
use wherefore_relevance::Execution;
use wherefore_solver::Backend;

/// Error traces that are refuted by late statements alone.
const PATIENCE: u64 = 20;

/// How to explore.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What decides; the other one checks.
    pub backend: Backend,
    /// What it may take.
    pub budget: Budget,
    /// How many error traces may be looked at.
    pub iterations: Option<u64>,
    /// Of what remains, how many states are looked at for traces that are like one that was found.
    pub similar_states: usize,
}

impl Settings {
    /// All that the budget allows.
    pub fn new(backend: Backend, budget: Budget) -> Settings {
        Settings { backend, budget, iterations: None, similar_states: 20_000 }
    }
}

/// An error trace that can be executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// Its letters.
    pub word: Vec<LetterId>,
    /// One way to execute it.
    pub execution: Execution,
}

/// What to do after an error trace was found.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// Nothing more.
    Stop,
    /// Go on without traces that are like it.
    Others,
    /// Go on without just this one.
    Rest,
}

/// Why it ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// No other error trace is left, and the proof of that was checked by the other backend.
    Empty,
    /// It was told to stop.
    Told,
    /// A limit.
    Limit(Stop),
    /// As many traces as allowed were looked at.
    Iterations,
    /// Something could not be decided.
    Undecided(String),
}

/// What was done.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Error traces that were looked at.
    pub iterations: u64,
    /// Those of them that cannot be executed.
    pub refuted: u64,
    /// Predicates that were learned.
    pub predicates: usize,
    /// Questions to a solver.
    pub questions: u64,
    /// States of what remained when it was looked at last.
    pub states: usize,
}

/// What was found.
#[derive(Debug)]
pub struct Outcome {
    /// Why it ended.
    pub end: End,
    /// The error traces, shortest first.
    pub traces: Vec<Trace>,
    /// What was subtracted after each that was to be gone on from.
    pub subtracted: Vec<Automaton>,
    /// The danger automata among them.
    pub dangers: Vec<Danger>,
    /// The proof that no other is left.
    pub proof: Option<Proof>,
    /// What was done.
    pub statistics: Statistics,
}

/// Looks at the error traces of a graph, the shortest first, until none is left, `found` says to stop, or a limit.
pub fn explore(graph: &Graph, settings: &Settings, found: &mut dyn FnMut(&Trace) -> Next) -> Outcome {
    let out = graph.useful();
    let live = Live::new(graph, &out);
    let logic = Logic::new(graph, settings.backend, &settings.budget);
    let predicates = Predicates::new(&logic);
    let remaining = Remaining { out, is_error: graph.error_table(), predicates, subtracted: vec![] };
    let mut engine = Engine {
        settings,
        live,
        logic,
        remaining,
        words: vec![],
        undecided: None,
        outcome: Outcome {
            end: End::Told,
            traces: vec![],
            subtracted: vec![],
            dangers: vec![],
            proof: None,
            statistics: Statistics::default(),
        },
    };
    engine.outcome.end = match engine.run(found) {
        Ok(end) => end,
        Err(stop) => End::Limit(stop),
    };
    engine.outcome.statistics.predicates = engine.remaining.predicates.terms.len();
    engine.outcome.statistics.questions = engine.logic.questions;
    engine.outcome
}

struct Engine<'a> {
    settings: &'a Settings,
    live: Live,
    logic: Logic<'a>,
    remaining: Remaining,
    /// Words that were subtracted alone because they cannot be executed.
    words: Vec<Vec<LetterId>>,
    /// Why something is not known, if so.
    undecided: Option<String>,
    outcome: Outcome,
}

impl Engine<'_> {
    fn run(&mut self, found: &mut dyn FnMut(&Trace) -> Next) -> Result<End, Stop> {
        if let Some(word) = straight(self.logic.graph, &self.remaining.out, &self.settings.budget)
            && let Some(execution) = self.logic.graph.replay(&word, &mut |_| 0, &mut |_| 0)
        {
            self.outcome.statistics.iterations += 1;
            if let Some(end) = self.feasible(Trace { word, execution }, found)? {
                return Ok(end);
            }
        }
        let mut last: Option<Vec<LetterId>> = None;
        loop {
            self.settings.budget.check()?;
            if self.settings.iterations.is_some_and(|most| self.outcome.statistics.iterations >= most) {
                return Ok(End::Iterations);
            }
            let reached = self.remaining.explore(&mut self.logic, Extent::FirstError)?;
            self.outcome.statistics.states = reached.states.len();
            let Some((word, _)) = reached.word() else { return Ok(self.empty(reached)) };
            self.outcome.statistics.iterations += 1;
            match examine(&mut self.logic, &word) {
                Examined::Feasible(execution) => {
                    if let Some(end) = self.feasible(Trace { word, execution }, found)? {
                        return Ok(end);
                    }
                }
                Examined::Infeasible(cores) => {
                    self.outcome.statistics.refuted += 1;
                    // What could not be told by predicates is subtracted alone.
                    let again = last.as_ref() == Some(&word);
                    // Where late statements do not lead anywhere, others may.
                    let late = self.outcome.statistics.refuted <= PATIENCE;
                    let mut new = self.learn(&word, &cores.late);
                    if (again || !new || !late) && cores.other != cores.late {
                        new |= self.learn(&word, &cores.other);
                    }
                    if again && late || !new {
                        self.words.push(word.clone());
                        self.remaining.subtracted.push(Determinised::new(Automaton::of_word(&word)));
                    }
                    last = Some(word);
                }
                Examined::Unknown(reason) => {
                    self.settings.budget.check()?;
                    self.undecided.get_or_insert(reason.to_string());
                    self.remaining.subtracted.push(Determinised::new(Automaton::of_word(&word)));
                    self.outcome.subtracted.push(Automaton::of_word(&word));
                }
            }
        }
    }

    /// Tells of an error trace, and subtracts what it is told to.
    fn feasible(&mut self, trace: Trace, found: &mut dyn FnMut(&Trace) -> Next) -> Result<Option<End>, Stop> {
        let next = found(&trace);
        let automaton = match next {
            Next::Stop => {
                self.outcome.traces.push(trace);
                return Ok(Some(End::Told));
            }
            Next::Rest => Automaton::of_word(&trace.word),
            Next::Others => self.similar(&trace)?,
        };
        self.outcome.traces.push(trace);
        self.outcome.subtracted.push(automaton.clone());
        self.remaining.subtracted.push(Determinised::new(automaton));
        Ok(None)
    }

    /// The traces that are like one.
    fn similar(&mut self, trace: &Trace) -> Result<Automaton, Stop> {
        let extent = Extent::States(self.settings.similar_states);
        let reached = self.remaining.explore(&mut self.logic, extent)?;
        let Some(run) = reached.run(&trace.word) else { return Ok(Automaton::of_word(&trace.word)) };
        let mut danger = canonical(&mut self.logic, &reached, (&trace.word, &run), &trace.execution);
        let (automaton, kept) = danger.automaton.trimmed();
        danger.predicates = kept.into_iter().map(|state| danger.predicates[state as usize]).collect();
        danger.automaton = automaton.clone();
        self.outcome.dangers.push(danger);
        // What has other statements in it may have others that are relevant.
        let own: FxHashSet<LetterId> = trace.word.iter().copied().collect();
        Ok(automaton.of_letters(&own).trimmed().0)
    }

    /// Learns predicates from a word that cannot be executed; whether there are new ones.
    fn learn(&mut self, word: &[LetterId], core: &[usize]) -> bool {
        let Some(assertions) = assertions(&mut self.logic, word, core) else { return false };
        let mut new = false;
        for assertion in assertions {
            for predicate in self.logic.terms.conjuncts(assertion) {
                new |= self.remaining.predicates.add(&mut self.logic, &self.live, predicate);
            }
        }
        new
    }

    /// Nothing remains: the proof, checked by the other backend.
    fn empty(&mut self, reached: Reached) -> End {
        if let Some(why) = &self.undecided {
            return End::Undecided(why.clone());
        }
        let proof = self.proof(reached);
        let checked = proof.check(self.logic.graph, self.settings.backend.other(), &self.settings.budget);
        self.outcome.proof = Some(proof);
        match checked {
            Checked::Holds => End::Empty,
            Checked::Fails(why) => End::Undecided(format!("the second solver does not agree: {why}")),
            Checked::Unknown(why) => match self.settings.budget.stopped() {
                Some(stop) => End::Limit(stop),
                None => End::Undecided(format!("the second solver could not say: {why}")),
            },
        }
    }

    fn proof(&self, reached: Reached) -> Proof {
        // Those of single words come last.
        let is_word =
            |automaton: &Determinised| self.words.iter().any(|word| automaton.automaton == Automaton::of_word(word));
        let (words, others): (Vec<usize>, Vec<usize>) =
            (0..self.remaining.subtracted.len()).partition(|number| is_word(&self.remaining.subtracted[*number]));
        let order: Vec<usize> = others.iter().chain(&words).copied().collect();
        let states = reached.states.iter().map(|state| Asserted {
            location: state.location,
            holds: state.facts.iter().map(|number| self.remaining.predicates.terms[number as usize]).collect(),
            beside: order
                .iter()
                .map(|number| self.remaining.subtracted[*number].states(state.subtracted[*number]).to_vec())
                .collect(),
        });
        Proof {
            terms: self.logic.terms.clone(),
            states: states.collect(),
            edges: reached.edges,
            blocked: reached.blocked,
            initial: reached.initial,
            subtracted: others.iter().map(|number| self.remaining.subtracted[*number].automaton.clone()).collect(),
            words: self.words.clone(),
        }
    }
}
