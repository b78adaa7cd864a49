//! The values of variables at any position of a trace.

use crate::model::{Action, Trace};
use std::ops::Range;
use wherefore_formula::VarId;

/// Where each variable is assigned, with the value it had before.
#[derive(Clone, Debug)]
pub struct History {
    writes: Vec<Vec<(usize, Option<u128>)>>,
    last: Vec<Option<u128>>,
}

impl History {
    /// The history of a trace.
    pub fn new(trace: &Trace) -> History {
        let mut writes = vec![vec![]; trace.variables.len()];
        let mut last = trace.initial.clone();
        for (position, step) in trace.steps.iter().enumerate() {
            if let Action::Assign { to, before, after, .. } = step.action {
                writes[to.0 as usize].push((position, before));
                last[to.0 as usize] = Some(after);
            }
        }
        History { writes, last }
    }

    /// The value of a variable before the step at a position, when the run shows it.
    pub fn value_before(&self, variable: VarId, position: usize) -> Option<u128> {
        let writes = &self.writes[variable.0 as usize];
        match writes.get(writes.partition_point(|(p, _)| *p < position)) {
            Some((_, before)) => *before,
            None => self.last[variable.0 as usize],
        }
    }

    /// Whether a variable is assigned by one of these steps.
    pub fn is_assigned(&self, variable: VarId, steps: Range<usize>) -> bool {
        let writes = &self.writes[variable.0 as usize];
        writes.get(writes.partition_point(|(p, _)| *p < steps.start)).is_some_and(|(p, _)| *p < steps.end)
    }
}
