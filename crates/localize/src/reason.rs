//! Questions to the solver, remembered.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};
use wherefore_formula::{TermId, Terms, VarId};
use wherefore_solver::{Backend, Limits, Validity, valid};

/// Asks one backend, within limits, and remembers the answers.
pub struct Reasoner {
    backend: Backend,
    conflicts: Option<u64>,
    deadline: Option<Instant>,
    known: HashMap<(Vec<TermId>, TermId), bool>,
    /// Why some question was not answered, the first time it happened.
    pub gave_up: Option<String>,
    /// Number of questions that reached the backend.
    pub asked: usize,
}

impl Reasoner {
    /// A reasoner that spends at most so many conflicts on a question and stops at the deadline.
    pub fn new(backend: Backend, conflicts: Option<u64>, deadline: Option<Instant>) -> Self {
        Reasoner { backend, conflicts, deadline, known: HashMap::new(), gave_up: None, asked: 0 }
    }

    /// Whether the time is up.
    pub fn expired(&self) -> bool {
        self.deadline.is_some_and(|d| Instant::now() >= d)
    }

    /// Whether the premises imply the conclusion, as far as can be told: an unknown is a no.
    pub fn implies(&mut self, terms: &mut Terms, premises: &[TermId], conclusion: TermId) -> bool {
        if terms.truth_value(conclusion) == Some(true) || premises.contains(&conclusion) {
            return true;
        }
        let mut premises = connected(terms, premises, conclusion);
        premises.sort();
        premises.dedup();
        let key = (premises, conclusion);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let left = self.deadline.map(|d| d.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            self.gave_up.get_or_insert_with(|| "out of time".into());
            return false;
        }
        let limits = Limits { time: left, conflicts: self.conflicts, memory_mib: None };
        self.asked += 1;
        let answer = match valid(self.backend, terms, &key.0, conclusion, limits) {
            Validity::Valid => true,
            Validity::Invalid => false,
            Validity::Unknown(reason) => {
                self.gave_up.get_or_insert_with(|| reason.to_string());
                false
            }
        };
        self.known.insert(key, answer);
        answer
    }
}

/// The premises that share variables with the conclusion, directly or through each other. Those without variables in
/// common cannot help (the recorded state satisfies all of them, so they are consistent).
fn connected(terms: &Terms, premises: &[TermId], conclusion: TermId) -> Vec<TermId> {
    let mut reached: BTreeSet<VarId> = terms.variables(conclusion);
    let mut open: Vec<(TermId, BTreeSet<VarId>)> = premises.iter().map(|p| (*p, terms.variables(*p))).collect();
    let mut taken = vec![];
    loop {
        let before = taken.len();
        open.retain(|(premise, variables)| {
            let touches = variables.iter().any(|v| reached.contains(v));
            if touches {
                reached.extend(variables);
                taken.push(*premise);
            }
            !touches
        });
        if taken.len() == before {
            return taken;
        }
    }
}
