//! The second opinion: a whole sequence of error invariants checked by another backend.
//!
//! Knows nothing of how the sequence was found. It goes forward through the whole trace: the first invariant holds in the
//! initial state, each step carries the invariant before it to the one after it, the last one implies the failure. A
//! branch whose condition the invariants do not imply may go the other way in other runs: then that way has to leave what
//! they speak of alone and come to what the run does next.

use crate::invariant::{Invariant, Sequence, What};
use crate::reason::Reasoner;
use crate::walk::Goal;
use std::collections::HashMap;
use wherefore_formula::{TermId, VarId};
use wherefore_program::Program;
use wherefore_trace::{Action, BranchId, Elsewhere, History, Kind, OtherSide, Trace};

/// What the check found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Checked {
    /// Every link holds.
    Yes,
    /// A link could not be decided.
    Unknown(String),
    /// A link does not hold: a bug of ours.
    No(String),
}

/// How the steps of the trace are read.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Reading {
    /// Every step happens (trace formula).
    Plain,
    /// A step under branches happens if their conditions hold (flow-sensitive trace formula).
    Guarded,
}

/// Check a sequence against the trace and its goal.
pub fn check(
    program: &Program,
    trace: &mut Trace,
    goal: &Goal,
    sequence: &Sequence,
    reading: Reading,
    reasoner: &mut Reasoner,
) -> Checked {
    let mut check = Check { trace, reading, owed: vec![], labels: vec![] };
    if let Err(what) = check.run(goal, sequence) {
        return Checked::No(what);
    }
    if reading == Reading::Guarded
        && let Err(checked) = check.other_ways(program, goal, sequence, reasoner)
    {
        return checked;
    }
    check.settle(reasoner)
}

struct Check<'a> {
    trace: &'a mut Trace,
    reading: Reading,
    /// Implications that must hold, and what it means if one does not.
    owed: Vec<(Vec<TermId>, TermId)>,
    labels: Vec<String>,
}

impl Check<'_> {
    /// Whether all that is owed holds.
    fn settle(self, reasoner: &mut Reasoner) -> Checked {
        match reasoner.all_hold(&mut self.trace.terms, &self.owed) {
            Ok(()) => Checked::Yes,
            Err(index) => match reasoner.gave_up.clone() {
                Some(reason) => Checked::Unknown(reason),
                None => Checked::No(self.labels[index].clone()),
            },
        }
    }

    fn run(&mut self, goal: &Goal, sequence: &Sequence) -> Result<(), String> {
        // With a branch all that enclose it are captured, so that below only the innermost one has to be looked at.
        for (branch, last) in &sequence.captured {
            let parent = self.trace.branches[branch.index()].parent;
            if parent.is_some_and(|p| self.told(p, goal) && !sequence.captures(p, *last)) {
                return Err("a condition is used without those it depends on".into());
            }
        }
        let mut values = self.trace.values_at(goal.start);
        self.holds(&values, &sequence.initial, goal.start)?;
        let mut next = 0;
        let mut now = sequence.initial.clone();
        for position in goal.start..goal.end {
            let before = now.clone();
            while let Some(change) = sequence.changes.get(next).filter(|c| c.position == position) {
                now = change.after.clone();
                next += 1;
            }
            self.step(goal, position, &before, &now, sequence, next)?;
            if let Action::Assign { to, after, .. } = self.trace.steps[position].action {
                values[to.0 as usize] = Some(after);
            }
            if before != now {
                self.holds(&values, &now, position + 1)?;
            }
        }
        let mut premises = now.atoms.clone();
        premises.extend(&goal.assumes);
        self.owe(premises, goal.formula, || "the last invariant does not imply the failure".into());
        let reached = goal.scope.is_none_or(|b| !self.told(b, goal) || sequence.captures(b, goal.end));
        if self.reading == Reading::Guarded && !reached {
            return Err("the last invariant does not say why the failing statement is reached".into());
        }
        Ok(())
    }

    /// What is not known to be taken may go the other way.
    fn other_ways(
        &mut self,
        program: &Program,
        goal: &Goal,
        sequence: &Sequence,
        reasoner: &Reasoner,
    ) -> Result<(), Checked> {
        let mut other_side = OtherSide::new(program, self.trace, false);
        let history = History::new(self.trace);
        let mut by_activation: HashMap<u32, Vec<BranchId>> = HashMap::new();
        for (index, branch) in self.trace.branches.iter().enumerate().filter(|(_, b)| b.start < goal.end) {
            by_activation.entry(branch.activation).or_default().push(BranchId(index as u32));
        }
        for id in (0..self.trace.branches.len() as u32).map(BranchId) {
            let branch = &self.trace.branches[id.index()];
            let (start, end) = (branch.start, branch.end);
            if start % 64 == 0 && reasoner.expired() {
                return Err(Checked::Unknown("out of time".into()));
            }
            if branch.is_check || sequence.captured.contains_key(&id) || !self.told(id, goal) || end >= goal.end {
                continue;
            }
            let (before, after) = (sequence.at(start).clone(), sequence.at(end).clone());
            for variable in after.variables(&self.trace.terms) {
                let state = |v: VarId| history.value_before(v, start);
                if let Elsewhere::Yes(_) = other_side.assigns(self.trace, id, variable, &state) {
                    return Err(self.open(id, "set what the story speaks of"));
                }
            }
            self.implied(&before, &[], &after, &HashMap::new(), start);
            if !other_side.meets(self.trace, id) && !self.is_made_again(id, &by_activation) {
                return Err(self.open(id, "not come back to the way of this run"));
            }
        }
        Ok(())
    }

    /// It is open what the other way of a branch does in other runs. In this one it was not gone.
    fn open(&self, branch: BranchId, does: &str) -> Checked {
        let line = self.trace.branches[branch.index()].at.map_or(0, |at| at.line);
        Checked::Unknown(format!("for other inputs the branch in line {line} may {does}"))
    }

    /// Whether the decision of a branch is made again in the state in which the branch ends. Not taken, the one would
    /// decide as the other.
    fn is_made_again(&self, branch: BranchId, by_activation: &HashMap<u32, Vec<BranchId>>) -> bool {
        let branch = &self.trace.branches[branch.index()];
        let same = &by_activation[&branch.activation];
        let next = same.partition_point(|b| self.trace.branches[b.index()].start <= branch.end);
        let Some(next) = same.get(next).map(|b| &self.trace.branches[b.index()]) else { return false };
        let between = &self.trace.steps[branch.end..next.start];
        branch.decision == next.decision
            && between.iter().all(|s| s.kind == Kind::Internal || !matches!(s.action, Action::Assign { .. }))
    }

    /// Whether a branch was taken in the part of the run that is told.
    fn told(&self, branch: BranchId, goal: &Goal) -> bool {
        self.trace.branches[branch.index()].start >= goal.start
    }

    /// An invariant holds in the recorded state.
    fn holds(&self, values: &[Option<u128>], invariant: &Invariant, position: usize) -> Result<(), String> {
        for atom in &invariant.atoms {
            let value = self.trace.terms.evaluate(*atom, &mut |v| values[v.0 as usize]);
            if value.and_then(|v| v.as_bool()) != Some(true) {
                return Err(format!("an invariant does not hold in the recorded state at position {position}"));
            }
        }
        Ok(())
    }

    /// One step carries one invariant to the other.
    fn step(
        &mut self,
        goal: &Goal,
        position: usize,
        before: &Invariant,
        after: &Invariant,
        sequence: &Sequence,
        next: usize,
    ) -> Result<(), String> {
        let told: Vec<&What> =
            sequence.changes[..next].iter().rev().take_while(|c| c.position == position).map(|c| &c.what).collect();
        let step = self.trace.steps[position].clone();
        let broken = || format!("the step at position {position} breaks the invariant");
        match &step.action {
            Action::EndIf(_) => self.implied(before, &[], after, &HashMap::new(), position),
            Action::If(branch) => {
                let taken = self.trace.branches[branch.index()].clone();
                let mut extra = taken.assumes.to_vec();
                if told.iter().any(|w| matches!(w, What::Assume(_))) {
                    // Only the trace formula has conditions as facts, and what is taken for granted.
                    if self.reading == Reading::Guarded && !taken.is_check {
                        return Err(broken());
                    }
                    extra.push(taken.condition);
                }
                let mut premises = before.atoms.clone();
                premises.extend(&extra);
                if sequence.captured.contains_key(branch) && !sequence.granted.contains(branch) {
                    // What is captured must be known where it is evaluated.
                    self.owe(premises, taken.condition, broken);
                }
                for what in told {
                    let What::Frame(frame) = what else { continue };
                    let outer = frame.branches.iter().all(|b| b == branch || sequence.captures(*b, position));
                    if !outer || !sequence.captured.contains_key(branch) {
                        return Err(broken());
                    }
                }
                self.implied(before, &extra, after, &HashMap::new(), position);
            }
            Action::Assign { to, value, after: is, assumes, .. } => {
                let touched = after.atoms.iter().any(|a| self.trace.terms.mentions(*a, *to));
                if !touched && before == after {
                    return Ok(());
                }
                let reached = step.scope.is_none_or(|b| !self.told(b, goal) || sequence.captures(b, position));
                if self.reading == Reading::Guarded && told.contains(&&What::Step) && !reached {
                    return Err(format!("the step at position {position} is not shown to be reached"));
                }
                let given = told.contains(&&What::Given);
                let bits = self.trace.variables[to.0 as usize].bits;
                let value = if given { self.trace.terms.bits(bits, *is) } else { *value };
                let map = HashMap::from([(*to, value)]);
                self.implied(before, assumes, after, &map, position);
            }
        }
        Ok(())
    }

    fn owe(&mut self, premises: Vec<TermId>, conclusion: TermId, label: impl Fn() -> String) {
        self.owed.push((premises, conclusion));
        self.labels.push(label());
    }

    /// One invariant and a step imply the other.
    fn implied(
        &mut self,
        before: &Invariant,
        extra: &[TermId],
        after: &Invariant,
        map: &HashMap<VarId, TermId>,
        position: usize,
    ) {
        if before == after && map.is_empty() {
            return;
        }
        let mut premises = before.atoms.clone();
        premises.extend(extra);
        let mut conclusions = vec![];
        for atom in after.atoms.clone() {
            if before.atoms.contains(&atom) && map.keys().all(|v| !self.trace.terms.mentions(atom, *v)) {
                continue;
            }
            conclusions.push(self.trace.terms.substitute(atom, map));
        }
        let conclusion = self.trace.terms.and(conclusions);
        self.owe(premises, conclusion, || format!("the step at position {position} breaks the invariant"));
    }
}

#[cfg(test)]
mod tests;
