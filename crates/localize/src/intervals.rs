//! Maximal intervals: `Localize` of Christ et al. 2013.
//!
//! An invariant found early in the trace that still holds later and implies what is needed there makes everything in
//! between irrelevant. The walk cannot see this, because it comes from the other end.

use crate::invariant::{Change, Sequence, What};
use crate::reason::Reasoner;
use crate::walk::Goal;
use std::collections::{BTreeMap, HashMap};
use wherefore_formula::{TermId, VarId};
use wherefore_trace::{Action, BranchId, Trace};

/// How many changes ahead are looked at: stories repeat themselves nearby.
const AHEAD: usize = 12;

/// The sequence with changes left out that an earlier invariant makes unnecessary.
pub fn widen(trace: &mut Trace, goal: &Goal, sequence: Sequence, reasoner: &mut Reasoner) -> Sequence {
    let mut kept: Vec<Change> = vec![];
    let mut index = 0;
    let mut dropped = false;
    while index < sequence.changes.len() {
        match jump(trace, &sequence, index, reasoner) {
            Some(later) => {
                index = later;
                dropped = true;
            }
            None => {
                kept.push(sequence.changes[index].clone());
                index += 1;
            }
        }
    }
    if !dropped {
        return sequence;
    }
    let captured = captured(trace, goal, &sequence, &kept);
    let granted = sequence.granted.into_iter().filter(|b| captured.contains_key(b)).collect();
    Sequence { initial: sequence.initial, changes: kept, captured, granted }
}

/// The farthest change before which the invariant before change `index` still holds, being kept by every step in
/// between, and suffices.
fn jump(trace: &mut Trace, sequence: &Sequence, index: usize, reasoner: &mut Reasoner) -> Option<usize> {
    let early = sequence.before(index).clone();
    let variables = early.variables(&trace.terms);
    let last = (index + AHEAD).min(sequence.changes.len() - 1);
    let mut position = sequence.changes[index].position;
    let mut best = None;
    for later in index + 1..=last {
        let to = sequence.changes[later].position;
        for step in position..to {
            let Action::Assign { to, value, assumes, .. } = trace.steps[step].action.clone() else { continue };
            if !variables.contains(&to) {
                continue;
            }
            // Under conditions the step is only known to happen as long as they are.
            let known = |b: BranchId| sequence.captured.is_empty() || sequence.captures(b, position);
            if !trace.steps[step].scope.is_none_or(known) || !kept(trace, &early.atoms, to, value, &assumes, reasoner) {
                return best;
            }
        }
        position = to;
        // A missing assignment is what the reader has to see.
        if sequence.changes[index..later]
            .iter()
            .any(|c| matches!(&c.what, What::Frame(f) if variables.contains(&f.variable)))
        {
            return best;
        }
        let visible = |c: &Change| matches!(c.what, What::Step | What::Given | What::Frame(_) | What::Assume(_));
        let needed = sequence.before(later).atoms.clone();
        if sequence.changes[index..later].iter().any(visible)
            && !loses_condition(sequence, index, later)
            && needed.iter().all(|a| reasoner.implies(&mut trace.terms, &early.atoms, *a))
        {
            best = Some(later);
        }
    }
    best
}

/// Whether an assignment leaves formulas true.
fn kept(
    trace: &mut Trace,
    atoms: &[TermId],
    to: VarId,
    value: TermId,
    assumes: &[TermId],
    reasoner: &mut Reasoner,
) -> bool {
    let premises: Vec<TermId> = atoms.iter().chain(assumes).copied().collect();
    let map = HashMap::from([(to, value)]);
    atoms.iter().all(|a| {
        let after = trace.terms.substitute(*a, &map);
        reasoner.implies(&mut trace.terms, &premises, after)
    })
}

/// Whether a condition captured between two changes is needed after the second.
fn loses_condition(sequence: &Sequence, index: usize, later: usize) -> bool {
    let position = sequence.changes[later].position;
    sequence.changes[index..later].iter().any(|c| match c.what {
        What::Capture(branch) => sequence.captures(branch, position),
        _ => false,
    })
}

/// The conditions that the remaining changes depend on.
fn captured(trace: &Trace, goal: &Goal, sequence: &Sequence, kept: &[Change]) -> BTreeMap<BranchId, usize> {
    let mut captured: BTreeMap<BranchId, usize> = BTreeMap::new();
    if sequence.captured.is_empty() {
        return captured;
    }
    let mut need = |scope: Option<BranchId>, position: usize| {
        for branch in trace.enclosing(scope).take_while(|b| sequence.captured.contains_key(b)) {
            let last = captured.entry(branch).or_insert(position);
            *last = position.max(*last);
        }
    };
    need(goal.scope, goal.end);
    for change in kept {
        match &change.what {
            What::Step => need(trace.steps[change.position].scope, change.position),
            What::Frame(frame) => need(frame.branches.last().copied(), change.position),
            _ => {}
        }
    }
    captured
}

#[cfg(test)]
mod tests;
