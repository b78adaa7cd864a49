//! The backward walk: error invariants from the failure to the start of the trace.
//!
//! Given the invariant after a step, the one before it holds in the recorded state and implies it together with the
//! step. A step that does not assign what the invariant speaks of leaves it as it is. One that does
//! - and establishes it whatever was before, ends that part of the story (the latest cause is preferred);
//! - and updates a variable so that the invariant, perhaps with signs of what the step reads, holds before too, is kept
//!   out: weakest is not the goal, few changes is;
//! - otherwise changes it to a simple formula between the recorded state and the weakest precondition.
//!
//! Flow sensitivity (seed 000, Algorithm 2): a step under branches matters only together with their conditions, which
//! become part of the invariant as captured truth values and turn into formulas at the `if`. Where a branch closes, a
//! variable that only its other side assigns is framed: unchanged because of the condition.

use crate::generalise::{Situation, tidy};
use crate::invariant::{Change, Frame, Invariant, Sequence, What};
use crate::reason::Reasoner;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use wherefore_formula::{TermId, VarId};
use wherefore_program::{Note, Origin, Program};
use wherefore_trace::{Action, BranchId, Elsewhere, OtherSide, Step, Trace};

/// What the walk takes into account.
#[derive(Copy, Clone, Debug, Default)]
pub struct Mode {
    /// Conditions of the branches a step lies under.
    pub flow: bool,
    /// Conditions as assumptions that may end a part of the story.
    pub assume: bool,
    /// Why pointers pointed where they did.
    pub addresses: bool,
}

/// What is to be explained: why a formula holds after the first `end` steps.
#[derive(Clone, Debug)]
pub struct Goal {
    /// The story begins here: what was before is given. 0 but for runs that are too deep to be told as a whole.
    pub start: usize,
    /// Number of steps before it.
    pub end: usize,
    /// The formula, true in the recorded state.
    pub formula: TermId,
    /// What C takes for granted when it is evaluated.
    pub assumes: Vec<TermId>,
    /// Pointers it goes through.
    pub addresses: Vec<TermId>,
    /// The innermost branch it lies under.
    pub scope: Option<BranchId>,
}

/// Walk back from a goal. `None` when the time is up.
pub fn walk(
    program: &Program,
    trace: &mut Trace,
    goal: &Goal,
    mode: Mode,
    reasoner: &mut Reasoner,
    notes: &mut Vec<Note>,
) -> Option<Sequence> {
    let values = trace.values_at(goal.end);
    let other_side = mode.flow.then(|| OtherSide::new(program, trace));
    let mut walk = Walk {
        program,
        trace,
        mode,
        reasoner,
        notes,
        other_side,
        values,
        now: Invariant::default(),
        variables: BTreeSet::new(),
        captured: BTreeMap::new(),
        at_end: HashMap::new(),
        changes: vec![],
        pending: vec![],
        sides: HashMap::new(),
        noted: HashSet::new(),
        start: goal.start,
    };
    walk.begin(goal);
    for position in (goal.start..goal.end).rev() {
        if walk.reasoner.expired() {
            return None;
        }
        walk.step(position);
    }
    let Walk { now, mut changes, captured, .. } = walk;
    changes.reverse();
    Some(Sequence { initial: now, changes, captured })
}

/// A variable that a branch left alone, as far as seen from its `endif`.
struct Pending {
    branch: BranchId,
    variable: VarId,
    elsewhere: Option<Origin>,
    /// Already told with an inner branch.
    told: bool,
}

struct Walk<'a> {
    program: &'a Program,
    trace: &'a mut Trace,
    mode: Mode,
    reasoner: &'a mut Reasoner,
    notes: &'a mut Vec<Note>,
    other_side: Option<OtherSide<'a>>,
    values: Vec<Option<u128>>,
    now: Invariant,
    variables: BTreeSet<VarId>,
    captured: BTreeMap<BranchId, usize>,
    /// Values at the next change for the reader, of the variables assigned until there.
    at_end: HashMap<VarId, u128>,
    changes: Vec<Change>,
    pending: Vec<Pending>,
    sides: HashMap<(BranchId, VarId), Elsewhere>,
    noted: HashSet<(BranchId, VarId)>,
    start: usize,
}

impl Walk<'_> {
    fn situation(&mut self) -> Situation<'_> {
        Situation {
            terms: &mut self.trace.terms,
            values: &self.values,
            variables: &self.trace.variables,
            types: &self.program.types,
            reasoner: self.reasoner,
        }
    }

    fn begin(&mut self, goal: &Goal) {
        let mut atoms = self.situation().generalise(goal.formula, &goal.assumes);
        if self.mode.addresses {
            for address in &goal.addresses {
                let more = self.situation().generalise(*address, &goal.assumes);
                atoms.extend(more);
            }
        }
        self.need(goal.scope, goal.end);
        self.set(atoms);
    }

    /// The invariant's formulas are these from here on (backwards).
    fn set(&mut self, atoms: Vec<TermId>) {
        let atoms = tidy(&mut self.trace.terms, &atoms);
        let atoms = self.situation().coarsen(atoms);
        self.now.atoms = self.without_implied(atoms);
        self.variables = self.now.variables(&self.trace.terms);
    }

    /// Formulas that another one about the same variables implies are not needed: `a < b` says `a <= b`.
    fn without_implied(&mut self, atoms: Vec<TermId>) -> Vec<TermId> {
        let mut kept = atoms.clone();
        for atom in atoms {
            let variables = self.trace.terms.variables(atom);
            if variables.len() < 2 {
                continue;
            }
            let same = |other: &TermId| *other != atom && self.trace.terms.variables(*other) == variables;
            let others: Vec<TermId> = kept.iter().copied().filter(same).collect();
            if !others.is_empty() && self.reasoner.implies_near(&mut self.trace.terms, &others, atom, &self.values) {
                kept.retain(|k| *k != atom);
            }
        }
        kept
    }

    /// The conditions of a scope are part of the invariant up to a position.
    fn need(&mut self, scope: Option<BranchId>, position: usize) {
        if !self.mode.flow {
            return;
        }
        for branch in self.trace.enclosing(scope) {
            if self.trace.branches[branch.index()].start < self.start {
                break;
            }
            // With a branch all that enclose it are there already.
            match self.captured.entry(branch) {
                Entry::Occupied(_) => break,
                Entry::Vacant(new) => new.insert(position),
            };
        }
    }

    fn changed(&mut self, position: usize, what: What, after: Invariant) {
        if matches!(what, What::Step | What::Frame(_) | What::Assume(_)) {
            self.at_end.clear();
        }
        self.changes.push(Change { position, what, after });
    }

    fn step(&mut self, position: usize) {
        match self.trace.steps[position].action {
            Action::Assign { to, before, after, .. } => {
                self.at_end.entry(to).or_insert(after);
                self.values[to.0 as usize] = before;
                self.pending.retain(|p| p.variable != to);
                if self.variables.contains(&to) {
                    self.assign(position, to);
                }
            }
            Action::If(branch) => {
                self.frames(position, branch);
                self.capture(position, branch);
                if self.mode.assume {
                    self.assume(position, branch);
                }
            }
            Action::EndIf(branch) => {
                if self.mode.flow {
                    self.close(branch);
                }
            }
        }
    }

    fn assign(&mut self, position: usize, to: VarId) {
        let step = self.trace.steps[position].clone();
        let Action::Assign { value, assumes, addresses, .. } = &step.action else { return };
        let terms = &mut self.trace.terms;
        let (about, rest): (Vec<TermId>, Vec<TermId>) = self.now.atoms.iter().partition(|a| terms.mentions(**a, to));
        let map = HashMap::from([(to, *value)]);
        let before: Vec<TermId> = about.iter().map(|a| terms.substitute(*a, &map)).collect();
        let mut given = rest.clone();
        given.extend(assumes);

        let whole = terms.and(before.iter().copied());
        let established = self.reasoner.implies_near(terms, &given, whole, &self.values);
        if !established && terms.mentions(*value, to) && self.keep(position, &about, whole, &step, to) {
            return;
        }
        let after = self.now.clone();
        let mut atoms = rest;
        for goal in before {
            let known: Vec<TermId> = atoms.iter().chain(assumes).copied().collect();
            let more = self.situation().generalise(goal, &known);
            atoms.extend(more);
        }
        if self.mode.addresses {
            for address in addresses {
                let known: Vec<TermId> = atoms.iter().chain(assumes).copied().collect();
                let more = self.situation().generalise(*address, &known);
                atoms.extend(more);
            }
        }
        self.set(atoms);
        // The same formula before and after: the step does not matter after all.
        if self.now.atoms == after.atoms && self.indifferent(step.scope, to) {
            return;
        }
        self.need(step.scope, position);
        self.changed(position, What::Step, after);
    }

    /// Whether the invariant may stay as it is across an update of a variable, perhaps with signs of what it reads.
    fn keep(&mut self, position: usize, about: &[TermId], before: TermId, step: &Step, to: VarId) -> bool {
        let Action::Assign { assumes, .. } = &step.action else { return false };
        if !about.iter().all(|a| self.situation().holds(*a)) || !self.indifferent(step.scope, to) {
            return false;
        }
        let mut premises = self.now.atoms.clone();
        premises.extend(assumes);
        if self.reasoner.implies_near(&mut self.trace.terms, &premises, before, &self.values) {
            return true;
        }
        let Some(signs) = self.helpful_signs(&premises, before, to) else { return false };
        let after = self.now.clone();
        let mut atoms = self.now.atoms.clone();
        atoms.extend(signs);
        self.set(atoms);
        self.changed(position, What::Keep, after);
        true
    }

    /// Whether a formula that holds here holds at the next change too, so that one formula holds in between.
    fn lasts(&self, formula: TermId) -> bool {
        let value = |v: VarId| self.at_end.get(&v).copied().or(self.values[v.0 as usize]);
        let result = self.trace.terms.evaluate(formula, &mut |v| value(v));
        result.and_then(|r| r.as_bool()) == Some(true)
    }

    /// Signs of the other variables read that make the premises imply the goal; as few as possible.
    fn helpful_signs(&mut self, premises: &[TermId], goal: TermId, updated: VarId) -> Option<Vec<TermId>> {
        let read = self.trace.terms.variables(goal);
        if read.len() > 4 {
            return None;
        }
        let mut signs: Vec<TermId> = vec![];
        for v in read.into_iter().filter(|v| *v != updated) {
            let more = self.situation().signs(v);
            signs.extend(more.into_iter().filter(|s| !premises.contains(s) && self.lasts(*s)));
        }
        let with = |signs: &[TermId]| premises.iter().chain(signs).copied().collect::<Vec<_>>();
        if signs.is_empty() || !self.reasoner.implies_near(&mut self.trace.terms, &with(&signs), goal, &self.values) {
            return None;
        }
        let mut index = 0;
        while index < signs.len() {
            let mut fewer = signs.clone();
            fewer.remove(index);
            if self.reasoner.implies_near(&mut self.trace.terms, &with(&fewer), goal, &self.values) {
                signs = fewer;
            } else {
                index += 1;
            }
        }
        Some(signs)
    }

    /// Whether not taking the branches around a step would leave the variable alone, so that a step which keeps the
    /// invariant does so whether it is reached or not.
    fn indifferent(&mut self, scope: Option<BranchId>, variable: VarId) -> bool {
        if !self.mode.flow {
            return true;
        }
        let open: Vec<BranchId> = self.trace.enclosing(scope).take_while(|b| !self.captured.contains_key(b)).collect();
        open.into_iter().all(|branch| self.elsewhere(branch, variable) == Elsewhere::No)
    }

    fn elsewhere(&mut self, branch: BranchId, variable: VarId) -> Elsewhere {
        if let Some(known) = self.sides.get(&(branch, variable)) {
            return *known;
        }
        let Some(other_side) = &mut self.other_side else { return Elsewhere::No };
        let values = &self.values;
        let answer = other_side.assigns(self.trace, branch, variable, &|v| values[v.0 as usize]);
        self.sides.insert((branch, variable), answer);
        answer
    }

    /// A branch closes: remember what its other side would have assigned.
    fn close(&mut self, branch: BranchId) {
        for variable in self.variables.clone() {
            match self.elsewhere(branch, variable) {
                Elsewhere::No => {}
                Elsewhere::Yes(elsewhere) => {
                    self.pending.push(Pending { branch, variable, elsewhere, told: false });
                }
                Elsewhere::Unknown(at) => self.note_unknown(branch, variable, at),
            }
        }
    }

    fn note_unknown(&mut self, branch: BranchId, variable: VarId, at: Option<Origin>) {
        if self.noted.insert((branch, variable)) {
            let message = "the branch not taken writes through a pointer here; whether it changes what matters is not \
                           known";
            let note = Note { at, message: message.to_string() };
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// An `if` is reached: what its branch left alone and is still spoken of is framed.
    fn frames(&mut self, position: usize, branch: BranchId) {
        let (mine, others): (Vec<Pending>, Vec<Pending>) =
            std::mem::take(&mut self.pending).into_iter().partition(|p| p.branch == branch);
        self.pending = others;
        for frame in mine {
            if frame.told || !self.variables.contains(&frame.variable) {
                continue;
            }
            let mut branches = vec![branch];
            for outer in self.trace.enclosing(self.trace.branches[branch.index()].parent) {
                let pending = self.pending.iter_mut().find(|p| p.branch == outer && p.variable == frame.variable);
                let Some(pending) = pending else { break };
                pending.told = true;
                branches.insert(0, outer);
            }
            let after = self.now.clone();
            self.need(Some(branch), position);
            let frame = Frame { variable: frame.variable, also: vec![], branches, elsewhere: frame.elsewhere };
            self.changed(position, What::Frame(frame), after);
        }
    }

    /// A captured condition becomes formulas where it is evaluated.
    fn capture(&mut self, position: usize, branch: BranchId) {
        if !self.captured.contains_key(&branch) {
            return;
        }
        let after = self.now.clone();
        let taken = self.trace.branches[branch.index()].clone();
        let mut atoms = self.now.atoms.clone();
        for (reason, _) in &taken.reasons {
            let known: Vec<TermId> = atoms.iter().chain(&taken.assumes).copied().collect();
            let more = self.situation().generalise(*reason, &known);
            atoms.extend(more);
        }
        if self.mode.addresses {
            for address in &taken.addresses {
                let known: Vec<TermId> = atoms.iter().chain(&taken.assumes).copied().collect();
                let more = self.situation().generalise(*address, &known);
                atoms.extend(more);
            }
        }
        self.set(atoms);
        self.changed(position, What::Capture(branch), after);
    }

    /// The condition of a branch implies part of the invariant: nothing before has to.
    fn assume(&mut self, position: usize, branch: BranchId) {
        let taken = &self.trace.branches[branch.index()];
        let (condition, assumes) = (taken.condition, taken.assumes.clone());
        let mentioned = self.trace.terms.variables(condition);
        if mentioned.is_disjoint(&self.variables) {
            return;
        }
        let mut premises = assumes;
        premises.push(condition);
        let atoms = self.now.atoms.clone();
        let kept: Vec<TermId> = atoms
            .iter()
            .copied()
            .filter(|a| {
                self.trace.terms.variables(*a).is_disjoint(&mentioned)
                    || !self.reasoner.implies_near(&mut self.trace.terms, &premises, *a, &self.values)
            })
            .collect();
        if kept.len() < atoms.len() {
            let after = self.now.clone();
            self.set(kept);
            self.changed(position, What::Assume(branch), after);
        }
    }
}

#[cfg(test)]
mod tests;
