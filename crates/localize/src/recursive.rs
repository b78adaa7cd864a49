//! Algorithm 1 of Christ et al. 2013 (FSEI): any localizer made flow-sensitive by recursive calls.
//!
//! The localizer explains the failure; then, for each branch that encloses a statement it found, it is asked why the
//! branch's condition held at its `if`. The answers are conjoined position by position.

use crate::generalise::tidy;
use crate::invariant::{Change, Invariant, Sequence, What};
use crate::walk::Goal;
use std::collections::BTreeSet;
use wherefore_formula::{TermId, Terms};
use wherefore_trace::{BranchId, Trace};

/// Explain a goal with a localizer, and recursively every condition its statements depend on.
/// `None` when the localizer gives up.
pub fn recursive(
    trace: &mut Trace,
    goal: &Goal,
    localizer: &mut dyn FnMut(&mut Trace, &Goal) -> Option<Sequence>,
) -> Option<Sequence> {
    let start = goal.start;
    let mut asked = BTreeSet::new();
    let mut parts = vec![];
    // The recursion of Algorithm 1 as a list of open questions: calls can be nested deeper than our stack.
    let mut open = vec![goal.clone()];
    while let Some(goal) = open.pop() {
        let sequence = localizer(trace, &goal)?;
        let steps = sequence.changes.iter().filter(|c| matches!(c.what, What::Step));
        let scopes: Vec<Option<BranchId>> = steps.map(|c| trace.steps[c.position].scope).chain([goal.scope]).collect();
        parts.push((goal.end, sequence));
        for scope in scopes {
            // A condition is explained once, and with it those that enclose it.
            let told = |b: &BranchId| trace.branches[b.index()].start >= start;
            let new: Vec<BranchId> = trace.enclosing(scope).take_while(|b| told(b) && asked.insert(*b)).collect();
            open.extend(new.into_iter().map(|b| Goal { start, ..why(trace, b) }));
        }
    }
    Some(conjoin(&mut trace.terms, parts))
}

/// The question why a branch was taken.
fn why(trace: &Trace, branch: BranchId) -> Goal {
    let taken = &trace.branches[branch.index()];
    Goal {
        start: 0,
        end: taken.start,
        formula: taken.condition,
        assumes: taken.assumes.to_vec(),
        addresses: taken.addresses.to_vec(),
        scope: taken.parent,
    }
}

/// The conjunction of sequences, each of which says nothing from its end on.
fn conjoin(terms: &mut Terms, parts: Vec<(usize, Sequence)>) -> Sequence {
    let mut positions: BTreeSet<usize> = BTreeSet::new();
    let length = parts.iter().map(|(end, _)| *end).max().unwrap_or(0);
    for (end, sequence) in &parts {
        positions.extend(sequence.changes.iter().map(|c| c.position));
        // What explains a condition is over at its `if`.
        positions.extend(Some(*end).filter(|e| *e < length));
    }
    let mut at = |position: Option<usize>| {
        let mut atoms: Vec<TermId> = vec![];
        for (end, sequence) in &parts {
            if position.is_some_and(|p| p >= *end) {
                continue;
            }
            let seen = position.map_or(0, |p| sequence.changes.partition_point(|c| c.position <= p));
            atoms.extend(&sequence.before(seen).atoms);
        }
        Invariant { atoms: tidy(terms, &atoms) }
    };
    let mut changes = vec![];
    for position in positions {
        let steps =
            parts.iter().any(|(_, s)| s.changes.iter().any(|c| c.position == position && matches!(c.what, What::Step)));
        let what = if steps { What::Step } else { What::Keep };
        changes.push(Change { position, what, after: at(Some(position)) });
    }
    Sequence { initial: at(None), changes, ..Sequence::default() }
}

#[cfg(test)]
mod tests;
