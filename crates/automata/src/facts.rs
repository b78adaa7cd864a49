//! Predicates that were learned, and which of them follow: the edges of a Floyd-Hoare automaton, found when they are
//! asked for.
//!
//! A state of the automaton is a set of predicates that hold together. From a set a letter leads to all predicates that
//! must hold after it; each is a valid Hoare triple. The automaton is deterministic and total by construction, so that
//! the difference with it is a product.

use crate::graph::{LetterId, LocationId};
use crate::live::Live;
use crate::logic::Logic;
use rustc_hash::FxHashMap;
use wherefore_formula::{TermId, VarId};
use wherefore_relevance::Statement;

/// A set of predicates, by number.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Facts(Box<[u64]>);

impl Facts {
    pub fn contains(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    fn set(&mut self, number: u32) {
        let word = number as usize / 64;
        if word >= self.0.len() {
            let mut longer = self.0.to_vec();
            longer.resize(word + 1, 0);
            self.0 = longer.into();
        }
        self.0[word] |= 1 << (number % 64);
    }

    fn remove(&mut self, number: u32) {
        if let Some(word) = self.0.get_mut(number as usize / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    /// Those that are in both.
    fn and(&mut self, other: &Facts) {
        for (number, word) in self.0.iter_mut().enumerate() {
            *word &= other.0.get(number).copied().unwrap_or(0);
        }
    }

    /// Whether all of it are in another.
    pub fn is_part(&self, whole: &Facts) -> bool {
        let beyond = |number: usize| whole.0.get(number).copied().unwrap_or(0);
        self.0.iter().enumerate().all(|(number, word)| word & !beyond(number) == 0)
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().enumerate().flat_map(|(number, word)| {
            let base = number as u32 * 64;
            let mut word = *word;
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros())?;
                word &= word - 1;
                Some(base + bit)
            })
        })
    }
}

/// A question about a triple: the letter, the predicates that may matter before it, and the one after it; `None` is false.
type Triple = (LetterId, Option<u32>, Box<[u32]>);

/// All predicates, and what is known about them.
pub(crate) struct Predicates {
    pub terms: Vec<TermId>,
    numbers: FxHashMap<TermId, u32>,
    variables: Vec<Box<[VarId]>>,
    /// The predicates about each variable.
    about: Vec<Vec<u32>>,
    /// The predicates that matter at each location.
    live: Vec<Facts>,
    /// The predicates that hold at the start.
    started: Facts,
    /// The variables of each letter's condition.
    read: FxHashMap<LetterId, Box<[VarId]>>,
    known: FxHashMap<Triple, bool>,
}

impl Predicates {
    pub fn new(logic: &Logic) -> Predicates {
        Predicates {
            terms: vec![],
            numbers: FxHashMap::default(),
            variables: vec![],
            about: vec![vec![]; logic.graph.variables.len()],
            live: vec![Facts::default(); logic.graph.locations as usize],
            started: Facts::default(),
            read: FxHashMap::default(),
            known: FxHashMap::default(),
        }
    }

    /// Adds a predicate; whether it is a new one.
    pub fn add(&mut self, logic: &mut Logic, live: &Live, term: TermId) -> bool {
        if logic.terms.truth_value(term).is_some() || self.numbers.contains_key(&term) {
            return false;
        }
        let number = self.terms.len() as u32;
        let variables: Box<[VarId]> = logic.terms.variables(term).into_iter().collect();
        variables.iter().for_each(|var| self.about[var.0 as usize].push(number));
        for (location, facts) in self.live.iter_mut().enumerate() {
            if variables.iter().all(|var| live.at(LocationId(location as u32), *var)) {
                facts.set(number);
            }
        }
        let start = logic.start_of(&variables);
        if logic.implied(&start, term) {
            self.started.set(number);
        }
        self.terms.push(term);
        self.numbers.insert(term, number);
        self.variables.push(variables);
        true
    }

    /// What holds at a start.
    pub fn at_start(&self, location: LocationId) -> Facts {
        let mut facts = self.started.clone();
        facts.and(&self.live[location.index()]);
        facts
    }

    /// What holds after a letter that leads to a location; `None` where it cannot be executed.
    pub fn after(&mut self, logic: &mut Logic, facts: &Facts, letter: LetterId, to: LocationId) -> Option<Facts> {
        let mut next = match logic.graph.letters[letter.index()] {
            Statement::Havoc { to } => {
                let mut next = facts.clone();
                self.about[to.0 as usize].iter().for_each(|number| next.remove(*number));
                next
            }
            Statement::Assign { to: var, .. } => {
                let mut next = facts.clone();
                for number in self.about[var.0 as usize].clone() {
                    let holds =
                        self.live[to.index()].contains(number) && self.holds_after_assign(logic, facts, letter, number);
                    if holds {
                        next.set(number);
                    } else {
                        next.remove(number);
                    }
                }
                next
            }
            Statement::Assume(holds) | Statement::Grant(holds) | Statement::Define(holds) => {
                match logic.terms.truth_value(holds) {
                    Some(true) => facts.clone(),
                    Some(false) => return None,
                    None => self.after_condition(logic, facts, letter, to)?,
                }
            }
        };
        next.and(&self.live[to.index()]);
        Some(next)
    }

    fn holds_after_assign(&mut self, logic: &mut Logic, facts: &Facts, letter: LetterId, number: u32) -> bool {
        let Some(before) = logic.before(letter, self.terms[number as usize]) else { return false };
        if let Some(truth) = logic.terms.truth_value(before) {
            return truth;
        }
        if self.numbers.get(&before).is_some_and(|same| facts.contains(*same)) {
            return true;
        }
        let read: Vec<VarId> = logic.terms.variables(before).into_iter().collect();
        let (premises, _) = self.connected(facts, &read);
        let question = (letter, Some(number), premises.into());
        if let Some(known) = self.known.get(&question) {
            return *known;
        }
        let premises: Vec<TermId> = question.2.iter().map(|number| self.terms[*number as usize]).collect();
        let answer = logic.implied(&premises, before);
        self.known.insert(question, answer);
        answer
    }

    fn after_condition(&mut self, logic: &mut Logic, facts: &Facts, letter: LetterId, to: LocationId) -> Option<Facts> {
        let (Statement::Assume(holds) | Statement::Grant(holds) | Statement::Define(holds)) =
            logic.graph.letters[letter.index()]
        else {
            return Some(facts.clone());
        };
        let read =
            self.read.entry(letter).or_insert_with(|| logic.terms.variables(holds).into_iter().collect()).clone();
        let (premises, reached) = self.connected(facts, &read);
        let premises: Box<[u32]> = premises.into();
        let mut terms: Vec<TermId> = premises.iter().map(|number| self.terms[*number as usize]).collect();
        terms.push(holds);
        let ask = |logic: &mut Logic, known: &mut FxHashMap<Triple, bool>, after: Option<(u32, TermId)>| {
            let question = (letter, after.map(|(number, _)| number), premises.clone());
            if let Some(known) = known.get(&question) {
                return *known;
            }
            let conclusion = after.map_or(logic.terms.truth(false), |(_, term)| term);
            let answer = logic.implied(&terms, conclusion);
            known.insert(question, answer);
            answer
        };
        if ask(logic, &mut self.known, None) {
            return None;
        }
        let mut next = facts.clone();
        for var in reached {
            for number in &self.about[var.0 as usize] {
                let is_open = !next.contains(*number) && self.live[to.index()].contains(*number);
                if is_open && ask(logic, &mut self.known, Some((*number, self.terms[*number as usize]))) {
                    next.set(*number);
                }
            }
        }
        Some(next)
    }

    /// The facts that say something about variables, directly or through others; and all variables that they are about.
    fn connected(&self, facts: &Facts, read: &[VarId]) -> (Vec<u32>, Vec<VarId>) {
        let mut reached: Vec<VarId> = read.to_vec();
        let mut found: Vec<u32> = vec![];
        let mut at = 0;
        while at < reached.len() {
            for number in &self.about[reached[at].0 as usize] {
                if facts.contains(*number) && !found.contains(number) {
                    found.push(*number);
                    for var in self.variables[*number as usize].iter() {
                        if !reached.contains(var) {
                            reached.push(*var);
                        }
                    }
                }
            }
            at += 1;
        }
        found.sort_unstable();
        (found, reached)
    }
}
