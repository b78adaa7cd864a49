//! Definition 4 of Christ et al. 2013 as a checker: is an abstract error trace an explanation, and a flow-sensitive one?
//!
//! It takes the story as it is shown, the trace, and nothing of how the story was found. For the abstract error trace
//! `havoc I0; st1; havoc I1; ...; stk; havoc Ik` it asks
//! - whether each `Ij` holds in the recorded state where it begins;
//! - whether what of `Ij` still holds where the interval ends implies, with `st(j+1)` alone, `I(j+1)`, and at last the
//!   failure (Definition 2), and whether `Ij` implies the same through all the statements that were left out, whatever
//!   they do to other states than the recorded one;
//! - whether for each statement of the story every condition it lies under is implied, at its `if`, by the invariant of
//!   the story there (Definition 4: a prefix of the story explains why the statement is reached).

use crate::reason::Reasoner;
use crate::story::{StepKind, StoryStep};
use crate::walk::Goal;
use std::collections::HashMap;
use wherefore_formula::TermId;
use wherefore_trace::{Action, BranchId, Trace};

/// What is wrong with a story.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Violation {
    /// An invariant does not hold in the recorded state after step `step` (0: the precondition).
    NotInState {
        /// Number of the step it follows.
        step: usize,
    },
    /// The story does not imply its next step.
    NotImplied {
        /// Number of the step that is not implied.
        step: usize,
    },
    /// The story does not say why a step is reached.
    NotReached {
        /// Number of the step.
        step: usize,
        /// The condition that is not implied.
        branch: BranchId,
    },
}

/// Hold a story against Definition 4; empty when it is a flow-sensitive abstract error trace. With `conditions` off only
/// Definition 2 is checked.
pub fn flow_sensitive(
    trace: &mut Trace,
    goal: &Goal,
    precondition: &[TermId],
    steps: &[StoryStep],
    conditions: bool,
    reasoner: &mut Reasoner,
) -> Vec<Violation> {
    let states = states(trace, goal, steps);
    let mut checker = Checker { trace, reasoner };
    let mut violations = vec![];
    let (mut from, mut invariant) = (goal.start, precondition.to_vec());
    if !checker.all_hold(&states[0].0, &invariant) {
        violations.push(Violation::NotInState { step: 0 });
    }
    for (index, step) in steps.iter().enumerate() {
        let last = step.positions[step.positions.len() - 1].min(goal.end);
        let (end_state, after_state) = (&states[index].1, &states[index + 1].0);
        let holding: Vec<TermId> = invariant.iter().copied().filter(|a| checker.all_hold(end_state, &[*a])).collect();
        let (target, reach) = if step.kind == StepKind::Failure {
            (goal.formula, goal.assumes.clone())
        } else {
            (checker.trace.terms.and(step.invariant.iter().copied()), vec![])
        };
        let told = step.positions.iter().copied().filter(|p| *p < goal.end).collect();
        let all = (from..(last + 1).min(goal.end)).collect();
        if !checker.implied_by(&holding, step, told, target, &reach)
            || !checker.implied_by(&invariant, step, all, target, &reach)
        {
            violations.push(Violation::NotImplied { step: index });
        }
        if step.kind != StepKind::Failure && !checker.all_hold(after_state, &step.invariant) {
            violations.push(Violation::NotInState { step: index + 1 });
        }
        if conditions {
            let scope = match &step.kind {
                StepKind::Frame(frame) => frame.branches.last().copied(),
                StepKind::Failure => goal.scope,
                _ => checker.trace.steps[last].scope,
            };
            let told = |b: &BranchId| checker.trace.branches[b.index()].start >= goal.start;
            let enclosing: Vec<BranchId> = checker.trace.enclosing(scope).take_while(told).collect();
            for branch in enclosing {
                if !checker.explained(goal.start, precondition, &steps[..=index], branch) {
                    violations.push(Violation::NotReached { step: index, branch });
                }
            }
        }
        (from, invariant) = (last + 1, step.invariant.clone());
    }
    violations
}

type Values = Vec<Option<u128>>;

/// For each interval of the story the recorded state where it begins and where it ends.
fn states(trace: &Trace, goal: &Goal, steps: &[StoryStep]) -> Vec<(Values, Values)> {
    let end = goal.end;
    let mut values = trace.values_at(goal.start);
    let mut position = goal.start;
    let mut advance = |values: &mut Values, to: usize| {
        while position < to {
            if let Action::Assign { to, after, .. } = trace.steps[position].action {
                values[to.0 as usize] = Some(after);
            }
            position += 1;
        }
    };
    let mut states = vec![];
    let mut begin = values.clone();
    for step in steps {
        let (first, last) = (step.positions[0].min(end), step.positions[step.positions.len() - 1].min(end));
        advance(&mut values, first);
        states.push((begin, values.clone()));
        advance(&mut values, (last + 1).min(end));
        begin = values.clone();
    }
    states.push((begin.clone(), begin));
    states
}

struct Checker<'a> {
    trace: &'a mut Trace,
    reasoner: &'a mut Reasoner,
}

impl Checker<'_> {
    fn all_hold(&self, values: &Values, atoms: &[TermId]) -> bool {
        atoms.iter().all(|a| {
            let value = self.trace.terms.evaluate(*a, &mut |v| values[v.0 as usize]);
            value.and_then(|v| v.as_bool()) == Some(true)
        })
    }

    /// Whether the invariant and the steps at some positions imply a formula after them.
    fn implied_through(
        &mut self,
        invariant: &[TermId],
        positions: impl DoubleEndedIterator<Item = usize>,
        target: TermId,
        granted: &[TermId],
    ) -> bool {
        let mut target = target;
        let mut granted = granted.to_vec();
        for position in positions.rev() {
            let Action::Assign { to, value, assumes, .. } = self.trace.steps[position].action.clone() else { continue };
            let map = HashMap::from([(to, value)]);
            target = self.trace.terms.substitute(target, &map);
            for g in &mut granted {
                *g = self.trace.terms.substitute(*g, &map);
            }
            granted.extend(assumes);
        }
        let premises: Vec<TermId> = invariant.iter().copied().chain(granted).collect();
        self.reasoner.implies(&mut self.trace.terms, &premises, target)
    }

    fn carries(&mut self, invariant: &[TermId], interval: std::ops::Range<usize>, atom: TermId) -> bool {
        self.implied_through(invariant, interval, atom, &[])
    }

    /// The steps at some positions, the last of them told, take the invariant to the target.
    fn implied_by(
        &mut self,
        invariant: &[TermId],
        step: &StoryStep,
        positions: Vec<usize>,
        target: TermId,
        granted: &[TermId],
    ) -> bool {
        let mut granted = granted.to_vec();
        let mut before = vec![];
        if step.kind == StepKind::Assume {
            for p in &step.positions {
                if let Action::If(branch) = self.trace.steps[*p].action {
                    let taken = &self.trace.branches[branch.index()];
                    before.push(taken.condition);
                    before.extend(&taken.assumes);
                }
            }
        }
        granted.extend(before);
        self.implied_through(invariant, positions.into_iter(), target, &granted)
    }

    /// The invariant of the story in force at a branch's `if` implies its condition there.
    fn explained(&mut self, start: usize, precondition: &[TermId], steps: &[StoryStep], branch: BranchId) -> bool {
        let taken = self.trace.branches[branch.index()].clone();
        let mut from = start;
        let mut invariant = precondition.to_vec();
        for step in steps.iter().filter(|s| s.kind != StepKind::Failure) {
            let last = step.positions[step.positions.len() - 1];
            if last < taken.start {
                (from, invariant) = (last + 1, step.invariant.clone());
            }
        }
        // Only what survives to the `if` counts: the statements left out do not explain anything.
        let values = self.trace.values_at(taken.start);
        let mut premises: Vec<TermId> = invariant
            .iter()
            .copied()
            .filter(|a| self.all_hold(&values, &[*a]) && self.carries(&invariant, from..taken.start, *a))
            .collect();
        premises.extend(&taken.assumes);
        // Bookkeeping of a statement (the value of a `&&`) is part of the story, though not told by itself.
        let hidden = steps.iter().flat_map(|s| s.positions.iter().copied()).filter(|p| from <= *p && *p < taken.start);
        let hidden: Vec<usize> =
            hidden.filter(|p| self.trace.steps[*p].kind == wherefore_trace::Kind::Internal).collect();
        self.implied_through(&premises, hidden.into_iter(), taken.condition, &[])
    }
}

#[cfg(test)]
mod tests;
