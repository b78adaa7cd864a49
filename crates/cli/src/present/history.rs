//! Who set a variable last, and what the state was.

use std::cell::RefCell;
use std::collections::HashMap;
use wherefore_formula::{Node, TermId, VarId};
use wherefore_trace::{Action, Trace};

/// The assignments of a trace by variable.
pub struct History<'a> {
    trace: &'a Trace,
    assigned: HashMap<VarId, Vec<usize>>,
    /// A position and the state there: who asks for many asks for near ones, and a run is long.
    cursor: RefCell<(usize, Vec<Option<u128>>)>,
}

impl<'a> History<'a> {
    /// Look through a trace.
    pub fn new(trace: &'a Trace) -> History<'a> {
        let mut assigned: HashMap<VarId, Vec<usize>> = HashMap::new();
        for (position, step) in trace.steps.iter().enumerate() {
            if let Action::Assign { to, .. } = step.action {
                assigned.entry(to).or_default().push(position);
            }
        }
        History { trace, assigned, cursor: RefCell::new((0, trace.initial.clone())) }
    }

    /// The last assignment to a variable before a position.
    pub fn last(&self, v: VarId, before: usize) -> Option<usize> {
        let positions = self.assigned.get(&v)?;
        positions[..positions.partition_point(|p| *p < before)].last().copied()
    }

    /// Whether a variable is assigned at a position or later.
    pub fn changes_after(&self, v: VarId, position: usize) -> bool {
        self.assigned.get(&v).and_then(|all| all.last()).is_some_and(|last| *last >= position)
    }

    /// The value of a variable at a position.
    pub fn value(&self, v: VarId, at: usize) -> Option<u128> {
        match self.last(v, at).map(|p| &self.trace.steps[p].action) {
            Some(Action::Assign { after, .. }) => Some(*after),
            _ => self.trace.initial[v.0 as usize],
        }
    }

    /// Whether the last assignment to a variable before a position computed it from what it was before.
    pub fn counts(&self, v: VarId, before: usize) -> bool {
        match self.last(v, before).map(|p| &self.trace.steps[p].action) {
            Some(Action::Assign { value, .. }) => self.trace.terms.variables(*value).contains(&v),
            _ => false,
        }
    }

    /// The state before the step at a position.
    pub fn state(&self, position: usize) -> Vec<Option<u128>> {
        let position = position.min(self.trace.steps.len());
        let mut cursor = self.cursor.borrow_mut();
        let (at, values) = &mut *cursor;
        for step in &self.trace.steps[position.min(*at)..*at] {
            if let Action::Assign { to, .. } = step.action {
                values[to.0 as usize] = self.value(to, position);
            }
        }
        for step in &self.trace.steps[(*at).min(position)..position] {
            if let Action::Assign { to, after, .. } = step.action {
                values[to.0 as usize] = Some(after);
            }
        }
        *at = position;
        values.clone()
    }
}

/// The variable that a value is a copy of, perhaps in another width.
pub fn copied(trace: &Trace, value: TermId) -> Option<VarId> {
    match trace.terms.node(value) {
        Node::Var(v, _) => Some(*v),
        Node::ZeroExtend(inner, _) | Node::SignExtend(inner, _) => copied(trace, *inner),
        Node::Extract { term, low: 0, .. } => copied(trace, *term),
        _ => None,
    }
}
