//! Proofs that nothing remains, and their check: all triples again by another backend, and every edge of the graph.

use crate::automaton::Automaton;
use crate::graph::{Graph, LetterId, LocationId, closure};
use rustc_hash::{FxHashMap, FxHashSet};
use wherefore_budget::Budget;
use wherefore_formula::{TermId, Terms, VarId};
use wherefore_relevance::Statement;
use wherefore_solver::{Answer, Backend, Cores, Limits, Validity, valid_with};

/// A Floyd-Hoare automaton that accepts every error trace of a graph but those of other automata.
#[derive(Clone, Debug)]
pub struct Proof {
    /// What the assertions are made of, grown from the graph's.
    pub terms: Terms,
    /// Its states: a location and what holds there.
    pub states: Vec<Asserted>,
    /// Its edges, for each state.
    pub edges: Vec<Vec<(LetterId, u32)>>,
    /// Letters that cannot be executed in a state.
    pub blocked: Vec<(u32, LetterId)>,
    /// States it starts in.
    pub initial: Vec<u32>,
    /// Automata that were subtracted: their words are not proved to be infeasible.
    pub subtracted: Vec<Automaton>,
    /// Single words that cannot be executed, each by itself.
    pub words: Vec<Vec<LetterId>>,
}

/// What holds at a location.
#[derive(Clone, Debug)]
pub struct Asserted {
    /// The location.
    pub location: LocationId,
    /// All of these hold.
    pub holds: Vec<TermId>,
    /// States in which the subtracted automata, and then those of single words, may be.
    pub beside: Vec<Vec<u32>>,
}

/// What a check found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Checked {
    /// The proof is one.
    Holds,
    /// It has a gap.
    Fails(String),
    /// The backend could not say.
    Unknown(String),
}

impl Proof {
    /// Checks the proof by a backend, knowing nothing of how it was found.
    pub fn check(&self, graph: &Graph, backend: Backend, budget: &Budget) -> Checked {
        let mut check = Check {
            proof: self,
            graph,
            terms: self.terms.clone(),
            solver: backend.within(budget),
            budget,
            seen: FxHashMap::default(),
        };
        check.all().map_or_else(|problem| problem, |()| Checked::Holds)
    }
}

struct Check<'a> {
    proof: &'a Proof,
    graph: &'a Graph,
    terms: Terms,
    solver: Box<dyn Cores>,
    budget: &'a Budget,
    seen: FxHashMap<(Box<[TermId]>, LetterId, TermId), ()>,
}

impl Check<'_> {
    fn all(&mut self) -> Result<(), Checked> {
        let fails = |what: &str| Err(Checked::Fails(what.to_string()));
        let words: Vec<Automaton> = self.proof.words.iter().map(|word| Automaton::of_word(word)).collect();
        let beside: Vec<&Automaton> = self.proof.subtracted.iter().chain(&words).collect();
        self.starts(&beside)?;
        for word in &self.proof.words {
            self.word(word)?;
        }
        let is_error = self.graph.error_table();
        let mut backward: Vec<Vec<LocationId>> = vec![vec![]; self.graph.locations as usize];
        let mut out: Vec<Vec<(LetterId, LocationId)>> = vec![vec![]; self.graph.locations as usize];
        for edge in self.graph.edges.iter().filter(|edge| !is_error[edge.from.index()]) {
            backward[edge.to.index()].push(edge.from);
            out[edge.from.index()].push((edge.letter, edge.to));
        }
        let reaching = closure(&backward, &self.graph.errors);
        let blocked: FxHashSet<(u32, LetterId)> = self.proof.blocked.iter().copied().collect();
        for (number, state) in self.proof.states.iter().enumerate() {
            if is_error[state.location.index()] {
                return fails("an error is reached");
            }
            for (letter, to) in &out[state.location.index()] {
                if !reaching[to.index()] {
                    continue;
                }
                if blocked.contains(&(number as u32, *letter)) {
                    let never = self.terms.truth(false);
                    self.triple(&state.holds, *letter, never)?;
                    continue;
                }
                let stepped = |(automaton, now): (&&Automaton, &Vec<u32>)| automaton.step(now, *letter);
                let stepped: Vec<Vec<u32>> = beside.iter().zip(&state.beside).map(stepped).collect();
                let accepts = |(automaton, now): (&&Automaton, &Vec<u32>)| {
                    now.iter().any(|state| automaton.accepting[*state as usize])
                };
                if is_error[to.index()] && beside.iter().zip(&stepped).any(accepts) {
                    continue;
                }
                let next = self.proof.edges[number].iter().find(|(on, state)| {
                    let state = &self.proof.states[*state as usize];
                    let is_part =
                        |(part, whole): (&Vec<u32>, &Vec<u32>)| part.iter().all(|state| whole.contains(state));
                    on == letter && state.location == *to && state.beside.iter().zip(&stepped).all(is_part)
                });
                let Some((_, next)) = next else { return fails("an edge of the program is missing") };
                for holds in self.proof.states[*next as usize].holds.clone() {
                    self.triple(&state.holds, *letter, holds)?;
                }
            }
        }
        Ok(())
    }

    /// Every execution starts in some state.
    fn starts(&mut self, beside: &[&Automaton]) -> Result<(), Checked> {
        for location in &self.graph.initial {
            let state = |number: &&u32| self.proof.states[**number as usize].location == *location;
            let Some(number) = self.proof.initial.iter().find(state) else {
                return Err(Checked::Fails("a start is missing".into()));
            };
            let state = &self.proof.states[*number as usize];
            let is_part =
                |(automaton, now): (&&Automaton, &Vec<u32>)| now.iter().all(|state| automaton.initial.contains(state));
            if state.beside.len() != beside.len() || !beside.iter().zip(&state.beside).all(is_part) {
                return Err(Checked::Fails("an automaton starts where it does not".into()));
            }
            for holds in state.holds.clone() {
                let mut premises = vec![];
                for var in self.terms.variables(holds) {
                    premises.extend(self.initially(var));
                }
                self.valid(&premises, holds)?;
            }
        }
        Ok(())
    }

    fn initially(&mut self, var: VarId) -> Option<TermId> {
        let variable = &self.graph.variables[var.0 as usize];
        let initial = variable.initial?;
        let term = self.terms.var(var, variable.sort);
        let value = crate::logic::constant(&mut self.terms, variable.sort, initial);
        Some(self.terms.eq(term, value))
    }

    fn triple(&mut self, holds: &[TermId], letter: LetterId, after: TermId) -> Result<(), Checked> {
        let mut premises = holds.to_vec();
        let conclusion = match self.graph.letters[letter.index()] {
            Statement::Assign { to, value } => self.terms.substitute(after, &FxHashMap::from_iter([(to, value)])),
            Statement::Havoc { to } if self.terms.mentions(after, to) => {
                return Err(Checked::Fails("something is known about a value that is chosen".into()));
            }
            Statement::Havoc { .. } => after,
            Statement::Assume(holds) | Statement::Grant(holds) | Statement::Define(holds) => {
                premises.push(holds);
                after
            }
        };
        if premises.contains(&conclusion) {
            return Ok(());
        }
        if self.seen.insert((premises.clone().into(), letter, after), ()).is_some() {
            return Ok(());
        }
        self.valid(&premises, conclusion)
    }

    fn valid(&mut self, premises: &[TermId], conclusion: TermId) -> Result<(), Checked> {
        if let Some(stop) = self.budget.stopped() {
            return Err(Checked::Unknown(stop.to_string()));
        }
        let limits = Limits { time: self.budget.left(), ..Limits::NONE };
        match valid_with(self.solver.as_mut(), &mut self.terms, premises, conclusion, limits) {
            Validity::Valid => Ok(()),
            Validity::Invalid => Err(Checked::Fails("an assertion does not follow".into())),
            Validity::Unknown(reason) => Err(Checked::Unknown(reason.to_string())),
        }
    }

    /// A word that cannot be executed, by itself.
    fn word(&mut self, word: &[LetterId]) -> Result<(), Checked> {
        let mut logic = crate::logic::Logic::new(self.graph, Backend::Cadical, self.budget);
        logic.terms = std::mem::take(&mut self.terms);
        let conditions = crate::word::conditions(&mut logic, word);
        self.terms = logic.terms;
        self.solver.clear();
        conditions.iter().for_each(|holds| self.solver.assert(&self.terms, *holds));
        match self.solver.check(&self.terms, &[]) {
            Answer::Unsat => Ok(()),
            Answer::Sat => Err(Checked::Fails("a word can be executed".into())),
            Answer::Unknown(reason) => Err(Checked::Unknown(reason.to_string())),
        }
    }
}
