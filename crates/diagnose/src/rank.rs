//! Which diagnosis to look at first.
//!
//! Smaller sets first; of equal size, those that can be right before those that can hardly be: as functions of what they
//! read they would break most passing tests, or repair no failing one. Then those that repair more failing tests; then those
//! that, changed as such functions, agree with more tests; then what gives a value of its own before what hands on a
//! variable; then those that failing tests execute and passing tests do not (Ochiai); then in the order of the source. The
//! order depends on nothing else.

use crate::consistency::Consistency;
use crate::oracle::{Set, Statement};
use std::cmp::Ordering;

/// How tests execute statements, and what these are.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// For each statement, by how many failing tests it is executed.
    pub failing: Vec<usize>,
    /// For each statement, by how many passing tests.
    pub passing: Vec<usize>,
    /// The number of failing tests.
    pub tests: usize,
    /// For each statement, whether it only hands on a variable: `return x;`, `if (x)`.
    pub hands_on: Vec<bool>,
}

impl Coverage {
    /// Ochiai's measure: 1 for a statement that all failing and no passing tests execute.
    pub fn ochiai(&self, statement: Statement) -> f64 {
        let n = statement as usize;
        let failing = self.failing.get(n).copied().unwrap_or(0) as f64;
        let passing = self.passing.get(n).copied().unwrap_or(0) as f64;
        let product = self.tests as f64 * (failing + passing);
        if product > 0.0 { failing / product.sqrt() } else { 0.0 }
    }
}

/// A diagnosis with what puts it in its place.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The statements.
    pub set: Set,
    /// How many failing tests it repairs.
    pub fixes: usize,
    /// How its statement does as a function of what it reads; for single statements only.
    pub consistency: Option<Consistency>,
    /// Whether it can hardly be right whatever it computes from what it reads.
    pub unlikely: bool,
    /// Whether it is a statement that only hands on a variable.
    pub hands_on: bool,
    /// The mean of Ochiai's measure over its statements.
    pub suspicion: f64,
}

impl Ranked {
    fn order(&self, other: &Ranked) -> Ordering {
        let trouble = |r: &Ranked| r.consistency.map_or(usize::MAX, |c| c.clashes + c.breaks);
        let coarse = |r: &Ranked| r.consistency.map_or(usize::MAX, |c| c.coarse);
        (self.set.len().cmp(&other.set.len()))
            .then(self.unlikely.cmp(&other.unlikely))
            .then(other.fixes.cmp(&self.fixes))
            .then(trouble(self).cmp(&trouble(other)))
            .then(coarse(self).cmp(&coarse(other)))
            .then(self.hands_on.cmp(&other.hands_on))
            .then(other.suspicion.total_cmp(&self.suspicion))
            .then(self.set.cmp(&other.set))
    }
}

/// Brings diagnoses into their order; single statements were held against so many passing tests.
pub fn rank(
    sets: Vec<(Set, usize)>,
    coverage: &Coverage,
    judged: usize,
    mut consistency: impl FnMut(&Set) -> Option<Consistency>,
) -> Vec<Ranked> {
    let mut ranked: Vec<Ranked> = sets
        .into_iter()
        .map(|(set, fixes)| {
            let sum: f64 = set.iter().map(|s| coverage.ochiai(*s)).sum();
            let suspicion = if set.is_empty() { 0.0 } else { sum / set.len() as f64 };
            let consistency = consistency(&set);
            let unlikely = |c: Consistency| 2 * c.breaks > judged || (fixes > 1 && c.clashes >= fixes);
            let hands_on = |statement: &Statement| coverage.hands_on.get(*statement as usize).is_some_and(|is| *is);
            Ranked {
                fixes,
                unlikely: consistency.is_some_and(unlikely),
                hands_on: set.len() == 1 && set.iter().all(hands_on),
                consistency,
                suspicion,
                set,
            }
        })
        .collect();
    ranked.sort_by(Ranked::order);
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(found: &[(Statement, usize, usize, usize)], coverage: &Coverage) -> Vec<Statement> {
        let sets = found.iter().map(|(statement, fixes, ..)| (vec![*statement], *fixes)).collect();
        let known = |set: &Set| {
            let (.., clashes, breaks) = found.iter().find(|(statement, ..)| *statement == set[0])?;
            Some(Consistency { clashes: *clashes, breaks: *breaks, ..Consistency::default() })
        };
        rank(sets, coverage, 10, known).iter().map(|ranked| ranked.set[0]).collect()
    }

    #[test]
    fn what_can_hardly_be_right_comes_last() {
        // All tests are repaired by what breaks most others, and by what would have to contradict itself.
        let found = [(0, 8, 0, 6), (1, 8, 8, 0), (2, 7, 0, 1), (3, 8, 0, 5)];
        assert_eq!(order(&found, &Coverage::default()), [3, 2, 0, 1]);
    }

    #[test]
    fn what_hands_on_a_variable_comes_after_what_does_as_well() {
        let coverage = Coverage { hands_on: vec![true, false, false], ..Coverage::default() };
        assert_eq!(order(&[(0, 8, 0, 1), (1, 8, 0, 1), (2, 8, 0, 2)], &coverage), [1, 0, 2]);
    }
}
