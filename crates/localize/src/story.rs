//! From a sequence of error invariants to the steps a person reads.
//!
//! Steps that belong to one statement are one; bookkeeping is left out; a reason is told once, and not at all when what
//! was told before implies it.

use crate::invariant::{Frame, Sequence, What};
use crate::reason::Reasoner;
use crate::walk::Goal;
use std::collections::{BTreeSet, HashMap};
use wherefore_formula::{TermId, VarId};
use wherefore_program::Origin;
use wherefore_trace::{Action, BranchId, Kind, Step, Trace};

/// What a step of the story is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepKind {
    /// A statement of the trace.
    Statement(Kind),
    /// A condition that is assumed.
    Assume,
    /// A missing assignment.
    Frame(Frame),
    /// The failure.
    Failure,
}

/// A step of the story.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoryStep {
    /// What it is.
    pub kind: StepKind,
    /// Positions in the trace, ascending; the trace's length for the failure.
    pub positions: Vec<usize>,
    /// Where.
    pub at: Option<Origin>,
    /// In which activation.
    pub activation: u32,
    /// Conditions it was reached by and that were not told before, each true in the run, with place and branch.
    pub because: Vec<(TermId, Option<Origin>, BranchId)>,
    /// What holds after it.
    pub invariant: Vec<TermId>,
    /// Whether the value it gives is taken from the run: where that came from is not told.
    pub given: bool,
}

/// The steps of a sequence; `flow` tells reasons.
pub fn story(
    trace: &mut Trace,
    goal: &Goal,
    failure_at: (Option<Origin>, u32),
    sequence: &Sequence,
    flow: bool,
    reasoner: &mut Reasoner,
) -> Vec<StoryStep> {
    let mut teller = Teller {
        trace,
        reasoner,
        granted: &sequence.granted,
        start: goal.start,
        told: vec![],
        known: BTreeSet::new(),
        assigned: None,
    };
    let mut steps: Vec<StoryStep> = vec![];
    let mut carried: Vec<(TermId, Option<Origin>, BranchId)> = vec![];
    let mut hidden: Vec<usize> = vec![];
    let given = last_given(teller.trace, sequence);
    for change in &sequence.changes {
        if matches!(change.what, What::Keep | What::Capture(_)) {
            continue;
        }
        let step = teller.trace.steps[change.position].clone();
        if change.what == What::Given && given[&step.at] != change.position {
            continue;
        }
        let (kind, at, scope, activation) = match &change.what {
            // Its outermost branch may be one of a caller.
            What::Frame(frame) => {
                let shown = &teller.trace.branches[frame.branches[0].index()];
                let innermost = frame.branches.last().copied();
                (StepKind::Frame(frame.clone()), shown.at, innermost, shown.activation)
            }
            What::Assume(_) => (StepKind::Assume, step.at, step.scope, step.activation),
            _ => (StepKind::Statement(step.kind), step.at, step.scope, step.activation),
        };
        let given = change.what == What::Given;
        if flow && !given {
            carried.extend(teller.reasons(scope));
        }
        if kind == StepKind::Statement(Kind::Internal) {
            hidden.push(change.position);
            continue;
        }
        let mut positions = std::mem::take(&mut hidden);
        positions.push(change.position);
        let because = std::mem::take(&mut carried);
        let invariant = change.after.atoms.clone();
        match steps.last_mut().filter(|last| joins(teller.trace, last, &kind, (&step, activation), at)) {
            Some(last) => {
                // A library's result and the statement that uses it: the statement is what the reader knows.
                last.kind = joined(&last.kind, kind);
                last.at = at;
                last.positions.extend(positions);
                last.because.extend(because);
                last.invariant = invariant;
                last.given |= given;
            }
            None => steps.push(StoryStep { kind, positions, at, activation, because, invariant, given }),
        }
    }
    if flow {
        carried.extend(teller.reasons(goal.scope));
    }
    let mut positions = hidden;
    positions.push(goal.end);
    let (at, activation) = failure_at;
    steps.push(StoryStep {
        kind: StepKind::Failure,
        positions,
        at,
        activation,
        because: carried,
        invariant: vec![],
        given: false,
    });
    without_idle(trace, goal, &sequence.initial.atoms, steps)
}

/// Of what is taken from the run each statement is told once, the last time.
fn last_given(trace: &Trace, sequence: &Sequence) -> HashMap<Option<Origin>, usize> {
    let given = sequence.changes.iter().filter(|change| change.what == What::Given);
    given.map(|change| (trace.steps[change.position].at, change.position)).collect()
}

/// A statement that as a whole leaves the invariant as it is (`*p = x++` with `p` pointing to `x`) is not told; its
/// reasons go to the next step if they hold for it too.
fn without_idle(trace: &Trace, goal: &Goal, precondition: &[TermId], steps: Vec<StoryStep>) -> Vec<StoryStep> {
    let set = |atoms: &[TermId]| atoms.iter().copied().collect::<BTreeSet<TermId>>();
    let mut before = set(precondition);
    let mut told: Vec<StoryStep> = vec![];
    let mut orphaned = vec![];
    for mut step in steps {
        let after = set(&step.invariant);
        if matches!(step.kind, StepKind::Statement(_) | StepKind::Assume) && after == before {
            orphaned.extend(step.because);
            continue;
        }
        before = after;
        let scope = match &step.kind {
            StepKind::Failure => goal.scope,
            StepKind::Frame(frame) => frame.branches.last().copied(),
            _ => step.positions.last().and_then(|p| trace.steps[*p].scope),
        };
        if !orphaned.is_empty() {
            let enclosing: BTreeSet<BranchId> = trace.enclosing(scope).collect();
            let kept = orphaned.drain(..).filter(|(_, _, b)| enclosing.contains(b));
            step.because = kept.chain(step.because).collect();
        }
        told.push(step);
    }
    told
}

/// The kind of two steps told as one: the later one's, with all variables that are left alone.
fn joined(first: &StepKind, second: StepKind) -> StepKind {
    match (first, second) {
        (StepKind::Frame(a), StepKind::Frame(b)) => {
            let mut frame = a.clone();
            for variable in [b.variable].into_iter().chain(b.also) {
                if variable != frame.variable && !frame.also.contains(&variable) {
                    frame.also.push(variable);
                }
            }
            // One place is told where it is that of all.
            frame.elsewhere = frame.elsewhere.filter(|place| b.elsewhere == Some(*place));
            if b.branches.len() > frame.branches.len() {
                frame.branches = b.branches;
            }
            StepKind::Frame(frame)
        }
        (_, second) => second,
    }
}

/// Whether a change belongs to the statement of the step before it.
fn joins(
    trace: &Trace,
    last: &StoryStep,
    kind: &StepKind,
    (step, activation): (&Step, u32),
    at: Option<Origin>,
) -> bool {
    // One execution of a statement lies in one round of a loop.
    let earlier = last.positions.last().map(|p| trace.steps[*p].scope);
    if !matches!(kind, StepKind::Frame(_)) && earlier != Some(step.scope) {
        return false;
    }
    let same_place = last.activation == activation && last.at == at && at.is_some();
    match (&last.kind, kind) {
        (StepKind::Statement(Kind::Havoc), StepKind::Statement(b)) if *b != Kind::Initial && *b != Kind::Havoc => {
            let line = |o: Option<Origin>| o.map(|o| (o.file, o.line));
            last.activation == activation && line(last.at) == line(at) && at.is_some()
        }
        (StepKind::Statement(a), StepKind::Statement(b)) => same_place && a == b,
        (StepKind::Frame(a), StepKind::Frame(b)) => same_place && a.branches[0] == b.branches[0],
        _ => false,
    }
}

struct Teller<'a> {
    trace: &'a mut Trace,
    reasoner: &'a mut Reasoner,
    /// What is taken for granted is no reason for anything.
    granted: &'a BTreeSet<BranchId>,
    start: usize,
    told: Vec<(TermId, BranchId)>,
    known: BTreeSet<BranchId>,
    assigned: Option<HashMap<VarId, Vec<usize>>>,
}

impl Teller<'_> {
    /// The reasons of a scope that are new.
    fn reasons(&mut self, scope: Option<BranchId>) -> Vec<(TermId, Option<Origin>, BranchId)> {
        let is_new = |b: &BranchId| !self.known.contains(b) && self.trace.branches[b.index()].start >= self.start;
        let new: Vec<BranchId> = self.trace.enclosing(scope).take_while(is_new).collect();
        let mut reasons = vec![];
        // Innermost first: what is nearest to the statement often implies what is farther away.
        for branch in new {
            self.known.insert(branch);
            if self.granted.contains(&branch) {
                continue;
            }
            for (condition, at) in self.trace.branches[branch.index()].reasons.clone().into_iter().rev() {
                let implied = self.is_fixed(condition) || self.implied(condition, branch);
                self.told.push((condition, branch));
                if !implied {
                    reasons.push((condition, at, branch));
                }
            }
        }
        reasons.reverse();
        reasons
    }

    /// Whether a condition only asks for a choice that is a constant: what led to it is told with the choice.
    fn is_fixed(&self, condition: TermId) -> bool {
        self.trace.terms.variables(condition).iter().all(|v| {
            let definition = self.trace.variables[v.0 as usize].definition;
            definition.is_some_and(|d| self.trace.terms.constant(d).is_some())
        })
    }

    /// Whether something told recently, about the same values, implies a condition.
    fn implied(&mut self, condition: TermId, branch: BranchId) -> bool {
        let recent: Vec<(TermId, BranchId)> = self.told.iter().rev().take(8).copied().collect();
        let variables = self.trace.terms.variables(condition);
        let premises: Vec<TermId> = recent
            .into_iter()
            .filter(|(c, b)| {
                let all: BTreeSet<VarId> = self.trace.terms.variables(*c).union(&variables).copied().collect();
                !self.trace.terms.variables(*c).is_disjoint(&variables) && self.unchanged(&all, *b, branch)
            })
            .map(|(c, _)| c)
            .collect();
        !premises.is_empty() && self.reasoner.implies(&mut self.trace.terms, &premises, condition)
    }

    /// Whether no variable is assigned between the `if`s of two branches.
    fn unchanged(&mut self, variables: &BTreeSet<VarId>, a: BranchId, b: BranchId) -> bool {
        let (a, b) = (self.trace.branches[a.index()].start, self.trace.branches[b.index()].start);
        let (from, to) = (a.min(b), a.max(b));
        let trace = &self.trace;
        let assigned = self.assigned.get_or_insert_with(|| {
            let mut map: HashMap<VarId, Vec<usize>> = HashMap::new();
            for (position, step) in trace.steps.iter().enumerate() {
                if let Action::Assign { to, .. } = step.action {
                    map.entry(to).or_default().push(position);
                }
            }
            map
        });
        variables.iter().all(|v| {
            let positions = assigned.get(v).map_or(&[][..], Vec::as_slice);
            positions.get(positions.partition_point(|p| *p < from)).is_none_or(|p| *p >= to)
        })
    }
}

#[cfg(test)]
mod tests;
