//! The second opinion: a whole sequence of error invariants checked by another backend.
//!
//! Knows nothing of how the sequence was found. It goes forward through the trace: the first invariant holds in the
//! initial state, each step carries the invariant before it to the one after it, the last one implies the failure.

use crate::invariant::{Change, Frame, Invariant, Sequence, What};
use crate::reason::Reasoner;
use crate::walk::Goal;
use std::collections::HashMap;
use wherefore_formula::{Sort, TermId, VarId};
use wherefore_trace::{Action, BranchId, Trace};

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
pub fn check(trace: &mut Trace, goal: &Goal, sequence: &Sequence, reading: Reading, reasoner: &mut Reasoner) -> Checked {
    let mut check = Check { trace, reading, reasoner, truths: HashMap::new() };
    match check.run(goal, sequence) {
        Ok(()) => Checked::Yes,
        Err(what) => match check.reasoner.gave_up.clone() {
            Some(reason) => Checked::Unknown(reason),
            None => Checked::No(what),
        },
    }
}

struct Check<'a> {
    trace: &'a mut Trace,
    reading: Reading,
    reasoner: &'a mut Reasoner,
    truths: HashMap<BranchId, VarId>,
}

impl Check<'_> {
    fn run(&mut self, goal: &Goal, sequence: &Sequence) -> Result<(), String> {
        let mut values = self.trace.initial.clone();
        self.holds(&values, &sequence.initial, 0)?;
        let mut next = 0;
        let mut now = sequence.initial.clone();
        for position in 0..goal.end {
            let before = now.clone();
            while let Some(change) = sequence.changes.get(next).filter(|c| c.position == position) {
                now = change.after.clone();
                next += 1;
            }
            self.step(position, &before, &now, &sequence.changes[..next])?;
            if let Action::Assign { to, after, .. } = self.trace.steps[position].action {
                values[to.0 as usize] = Some(after);
            }
            if before != now {
                self.holds(&values, &now, position + 1)?;
            }
        }
        let mut premises = self.formulas(&now);
        premises.extend(&goal.assumes);
        if !self.reasoner.implies(&mut self.trace.terms, &premises, goal.formula) {
            return Err("the last invariant does not imply the failure".into());
        }
        if self.reading == Reading::Guarded {
            let unmet = self.trace.enclosing(goal.scope).find(|b| !now.branches.contains(b));
            if unmet.is_some() {
                return Err("the last invariant does not say why the failing statement is reached".into());
            }
        }
        Ok(())
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

    /// The truth value of a branch as a variable of one bit.
    fn truth(&mut self, branch: BranchId) -> TermId {
        let fresh = VarId((self.trace.variables.len() + self.truths.len()) as u32 + (1 << 30));
        let var = *self.truths.entry(branch).or_insert(fresh);
        let bit = self.trace.terms.var(var, Sort::Bits(1));
        self.trace.terms.bits_to_bool(bit)
    }

    fn formulas(&mut self, invariant: &Invariant) -> Vec<TermId> {
        let mut all = invariant.atoms.clone();
        for branch in &invariant.branches {
            let truth = self.truth(*branch);
            all.push(truth);
        }
        all
    }

    /// One step carries one invariant to the other.
    fn step(
        &mut self,
        position: usize,
        before: &Invariant,
        after: &Invariant,
        told: &[Change],
    ) -> Result<(), String> {
        let step = self.trace.steps[position].clone();
        let link = |ok: bool| if ok { Ok(()) } else { Err(format!("the step at position {position} breaks the invariant")) };
        match &step.action {
            Action::EndIf(_) if before == after => Ok(()),
            Action::EndIf(_) => link(self.implied(before, &[], after, &HashMap::new())),
            Action::If(branch) => {
                // The captured truth value is that of the condition, over the state before.
                let taken = self.trace.branches[branch.index()].clone();
                let truth = self.truth(*branch);
                let mut extra = taken.assumes.clone();
                let here: Vec<&What> =
                    told.iter().rev().take_while(|c| c.position == position).map(|c| &c.what).collect();
                if self.reading == Reading::Plain && here.iter().any(|w| matches!(w, What::Assume(_))) {
                    extra.push(taken.condition);
                }
                for what in here {
                    let What::Frame(frame) = what else { continue };
                    link(self.framed(frame, *branch, before, &extra))?;
                }
                let forth = self.trace.terms.implies(taken.condition, truth);
                let back = self.trace.terms.implies(truth, taken.condition);
                extra.extend([forth, back]);
                link(self.implied(before, &extra, after, &HashMap::new()))
            }
            Action::Assign { to, value, assumes, .. } => {
                let touched = after.atoms.iter().any(|a| self.trace.terms.mentions(*a, *to));
                if !touched && before == after {
                    return Ok(());
                }
                let map = HashMap::from([(*to, *value)]);
                let relevant = before != after && !told.iter().rev().take_while(|c| c.position == position).all(|c| c.what == What::Keep);
                if self.reading == Reading::Guarded && relevant && touched {
                    let unmet = self.trace.enclosing(step.scope).find(|b| !before.branches.contains(b));
                    if unmet.is_some() {
                        return Err(format!("the step at position {position} is not shown to be reached"));
                    }
                }
                link(self.implied(before, assumes, after, &map))
            }
        }
    }

    /// A variable is left alone under the conditions of the branches that leave it alone: they must be known.
    fn framed(&mut self, frame: &Frame, here: BranchId, before: &Invariant, extra: &[TermId]) -> bool {
        let mut premises = before.atoms.clone();
        premises.extend(extra);
        frame.branches.iter().all(|b| {
            if *b != here {
                return before.branches.contains(b);
            }
            let condition = self.trace.branches[b.index()].condition;
            self.reasoner.implies(&mut self.trace.terms, &premises, condition)
        })
    }

    fn implied(&mut self, before: &Invariant, extra: &[TermId], after: &Invariant, map: &HashMap<VarId, TermId>) -> bool {
        let mut premises = self.formulas(before);
        premises.extend(extra);
        for atom in after.atoms.clone() {
            if before.atoms.contains(&atom) && map.keys().all(|v| !self.trace.terms.mentions(atom, *v)) {
                continue;
            }
            let atom = self.trace.terms.substitute(atom, map);
            if !self.reasoner.implies(&mut self.trace.terms, &premises, atom) {
                return false;
            }
        }
        for branch in after.branches.difference(&before.branches).copied().collect::<Vec<_>>() {
            let truth = self.truth(branch);
            if !self.reasoner.implies(&mut self.trace.terms, &premises, truth) {
                return false;
            }
        }
        true
    }
}
