//! Which diagnosis to look at first.
//!
//! Smaller sets first; of equal size, those that repair more failing tests; then those that, changed as functions of
//! what they read, agree with more tests; then those that failing tests execute and passing tests do not (Ochiai); then
//! in the order of the source. The order depends on nothing else.

use crate::consistency::Consistency;
use crate::oracle::{Set, Statement};
use std::cmp::Ordering;

/// How tests execute statements.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// For each statement, by how many failing tests it is executed.
    pub failing: Vec<usize>,
    /// For each statement, by how many passing tests.
    pub passing: Vec<usize>,
    /// The number of failing tests.
    pub tests: usize,
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
    /// The mean of Ochiai's measure over its statements.
    pub suspicion: f64,
}

impl Ranked {
    fn order(&self, other: &Ranked) -> Ordering {
        let trouble = |r: &Ranked| r.consistency.map_or(usize::MAX, |c| c.clashes + c.breaks);
        let coarse = |r: &Ranked| r.consistency.map_or(usize::MAX, |c| c.coarse);
        (self.set.len().cmp(&other.set.len()))
            .then(other.fixes.cmp(&self.fixes))
            .then(trouble(self).cmp(&trouble(other)))
            .then(coarse(self).cmp(&coarse(other)))
            .then(other.suspicion.total_cmp(&self.suspicion))
            .then(self.set.cmp(&other.set))
    }
}

/// Brings diagnoses into their order.
pub fn rank(
    sets: Vec<(Set, usize)>,
    coverage: &Coverage,
    mut consistency: impl FnMut(&Set) -> Option<Consistency>,
) -> Vec<Ranked> {
    let mut ranked: Vec<Ranked> = sets
        .into_iter()
        .map(|(set, fixes)| {
            let sum: f64 = set.iter().map(|s| coverage.ochiai(*s)).sum();
            let suspicion = if set.is_empty() { 0.0 } else { sum / set.len() as f64 };
            Ranked { fixes, consistency: consistency(&set), suspicion, set }
        })
        .collect();
    ranked.sort_by(Ranked::order);
    ranked
}
