//! The backward walk: error invariants from the failure to the start of the trace.
//!
//! Given the invariant after a step, the one before it holds in the recorded state and implies it together with the
//! step. A step that does not assign what the invariant speaks of leaves it as it is. One that does
//! - and establishes it whatever was before, ends that part of the story (the latest cause is preferred);
//! - and updates a variable so that the invariant, perhaps with signs of what the step reads, holds before too, is kept
//!   out: weakest is not the goal, few changes is;
//! - otherwise changes it to a simple formula between the recorded state and the weakest precondition.
//!
//! Flow sensitivity (Christ et al. 2013, Algorithm 2): a step under branches matters only together with their conditions, which
//! become part of the invariant as captured truth values and turn into formulas at the `if`. Where a branch closes, a
//! variable that only its other side assigns is framed: unchanged because of the condition.
//!
//! Of a long run most of that is why the program came to this part at all. So conditions have a depth: how many conditions lie
//! between them and the failing value. Beyond a depth that is asked for they are granted: known, without a formula.

mod split;

pub use split::Split;

use crate::generalise::{Situation, is_pointer, tidy};
use crate::invariant::{Change, Frame, Invariant, Sequence, What};
use crate::reason::Reasoner;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use wherefore_formula::{BinaryOp, CompareOp, TermId, Terms, VarId};
use wherefore_program::{Note, Origin, Program};
use wherefore_trace::{Action, BranchId, Elsewhere, History, Kind, OtherSide, Step, Trace};

/// What the walk takes into account.
#[derive(Copy, Clone, Debug, Default)]
pub struct Mode {
    /// Conditions of the branches a step lies under.
    pub flow: bool,
    /// Conditions as assumptions that may end a part of the story.
    pub assume: bool,
    /// Why pointers pointed where they did.
    pub addresses: bool,
    /// How far conditions are followed; all the way where nothing is said. That the run went by the others is taken for
    /// granted.
    pub reach: Option<Reach>,
    /// Where the recorded state is looked at.
    pub split: Split,
}

/// How far conditions are followed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Reach {
    /// 1: the innermost conditions of what the failing value came from, and what they were decided by; 2: the conditions around
    /// these, and those of what decided them; and so on. Why something was found where it was is one further.
    pub depth: u32,
    /// The conditions of so many steps, the last ones; of those before only where their values came from is told.
    pub steps: usize,
    /// So many updates of one variable, and executions of one statement, the last ones; what was set before is taken as it was.
    pub rounds: usize,
}

impl Reach {
    /// Conditions up to a depth, whatever it takes.
    pub fn to(depth: u32) -> Reach {
        Reach { depth, steps: usize::MAX, rounds: usize::MAX }
    }
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

/// The depth of conditions that nobody follows.
const FAR: u32 = 1 << 31;

/// Walk back from a goal. `None` when the time is up.
pub fn walk(
    program: &Program,
    trace: &mut Trace,
    goal: &Goal,
    mode: Mode,
    reasoner: &mut Reasoner,
    notes: &mut Vec<Note>,
) -> Option<Sequence> {
    let (found, start) = walk_as_far(program, trace, goal, mode, reasoner, notes);
    (start == goal.start).then_some(found)
}

/// Walk back from a goal as far as the time allows, and to where that is: what was before is given, then.
pub fn walk_as_far(
    program: &Program,
    trace: &mut Trace,
    goal: &Goal,
    mode: Mode,
    reasoner: &mut Reasoner,
    notes: &mut Vec<Note>,
) -> (Sequence, usize) {
    let values = trace.values_at(goal.end);
    let other_side = mode.flow.then(|| (OtherSide::new(program, trace, mode.addresses), History::new(trace)));
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
        levels: HashMap::new(),
        depths: HashMap::new(),
        told: 0,
        at_end: HashMap::new(),
        changes: vec![],
        pending: HashMap::new(),
        framed: HashSet::new(),
        sides: HashMap::new(),
        noted: HashSet::new(),
        updates: HashMap::new(),
        executions: HashMap::new(),
        start: goal.start,
    };
    walk.begin(goal);
    let mut start = goal.end;
    while start > goal.start && !walk.reasoner.expired() {
        start -= 1;
        walk.step(start);
        walk.settle(start);
    }
    let granted = walk.captured.keys().copied().filter(|b| walk.is_granted(*b)).collect();
    let Walk { now, mut changes, captured, .. } = walk;
    changes.reverse();
    (Sequence { initial: now, changes, captured, granted }, start)
}

/// A variable that a branch left alone, as far as seen from its `endif`.
struct Pending {
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
    other_side: Option<(OtherSide<'a>, History)>,
    values: Vec<Option<u128>>,
    now: Invariant,
    variables: BTreeSet<VarId>,
    captured: BTreeMap<BranchId, usize>,
    /// The depth of the condition by which the invariant came to speak of a variable; 0 for the failing value.
    levels: HashMap<VarId, u32>,
    /// The depth of each captured condition.
    depths: HashMap<BranchId, u32>,
    /// The changes for the reader so far.
    told: usize,
    /// Values at the next change for the reader, of the variables assigned until there.
    at_end: HashMap<VarId, u128>,
    changes: Vec<Change>,
    pending: HashMap<BranchId, Vec<Pending>>,
    /// Where the decisions stand that are told to have left something alone.
    framed: HashSet<Option<Origin>>,
    sides: HashMap<(BranchId, VarId), Elsewhere>,
    noted: HashSet<(BranchId, VarId)>,
    /// How often it is told that a variable was updated, and that a statement set something.
    updates: HashMap<VarId, usize>,
    executions: HashMap<Origin, usize>,
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
        let mut atoms = self.wanted(goal.formula, &goal.assumes);
        if self.mode.addresses {
            for address in &goal.addresses {
                let more = self.situation().generalise_place(*address, &goal.assumes);
                atoms.extend(more);
            }
        }
        self.level(&atoms, 0);
        self.need(goal.scope, goal.end, 0);
        self.set(atoms);
    }

    /// The invariant's formulas are these from here on (backwards).
    fn set(&mut self, atoms: Vec<TermId>) {
        let atoms = tidy(&mut self.trace.terms, &atoms);
        let atoms = self.situation().coarsen(atoms);
        self.now.atoms = self.without_implied(atoms);
        self.variables = self.now.variables(&self.trace.terms);
        self.levels.retain(|v, _| self.variables.contains(v));
    }

    /// Formulas that are to be part of the invariant because of something at a level.
    fn level(&mut self, atoms: &[TermId], level: u32) {
        for variable in atoms.iter().flat_map(|a| self.trace.terms.variables(*a)) {
            let known = self.levels.entry(variable).or_insert(level);
            *known = level.min(*known);
        }
    }

    fn level_of(&self, variable: VarId) -> u32 {
        self.levels.get(&variable).copied().unwrap_or(0)
    }

    /// Whether it is told why what is at a level was found where it was: that is one condition further away.
    fn follows_addresses(&self, level: u32) -> bool {
        self.mode.addresses && self.mode.reach.is_none_or(|reach| level < reach.depth && self.told < reach.steps)
    }

    /// Whether it is told why a step stored where it did.
    fn follows_place(&self, step: &Step, level: u32) -> bool {
        step.is_misplaced || self.follows_addresses(level)
    }

    /// Whether that a captured condition held is taken for granted.
    fn is_granted(&self, branch: BranchId) -> bool {
        self.mode.reach.is_some_and(|reach| self.depths.get(&branch).is_some_and(|depth| *depth > reach.depth))
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

    /// The conditions of a scope are part of the invariant up to a position, because of something at a level.
    fn need(&mut self, scope: Option<BranchId>, position: usize, level: u32) {
        let is_far = self.mode.reach.is_some_and(|reach| self.told >= reach.steps);
        self.need_from(scope, position, if is_far { FAR } else { level + 1 });
    }

    /// As [`Walk::need`], the nearest condition being at a depth.
    fn need_from(&mut self, scope: Option<BranchId>, position: usize, nearest: u32) {
        if !self.mode.flow {
            return;
        }
        for (depth, branch) in (nearest..).zip(self.trace.enclosing(scope)) {
            if self.trace.branches[branch.index()].start < self.start {
                break;
            }
            // With a branch all that enclose it are there already, each one deeper than it at the most.
            if self.depths.get(&branch).is_some_and(|known| *known <= depth) {
                break;
            }
            self.depths.insert(branch, depth);
            self.captured.entry(branch).or_insert(position);
        }
    }

    fn changed(&mut self, position: usize, what: What, after: Invariant) {
        if matches!(what, What::Step | What::Given | What::Frame(_) | What::Assume(_)) {
            self.at_end.clear();
            self.told += 1;
        }
        self.changes.push(Change { position, what, after });
    }

    fn step(&mut self, position: usize) {
        match self.trace.steps[position].action {
            Action::Assign { to, before, after, .. } => {
                self.at_end.entry(to).or_insert(after);
                self.values[to.0 as usize] = before;
                if self.variables.contains(&to) {
                    self.assign(position, to);
                } else if self.mode.addresses || self.trace.steps[position].is_misplaced {
                    self.stays_away(position, to);
                }
            }
            Action::If(branch) => {
                self.frames(position, branch);
                self.capture(position, branch);
                if self.mode.assume || self.trace.branches[branch.index()].is_check {
                    self.assume(position, branch);
                }
            }
            Action::EndIf(branch) => {
                if self.mode.flow {
                    self.close(position, branch);
                }
            }
        }
    }

    fn assign(&mut self, position: usize, to: VarId) {
        let step = self.trace.steps[position].clone();
        let level = self.level_of(to);
        let Action::Assign { value, after: is, assumes, addresses, .. } = &step.action else { return };
        let is_update = self.trace.terms.mentions(*value, to);
        if self.is_round(&step, to, is_update) {
            return self.give(position, to, *is);
        }
        let terms = &mut self.trace.terms;
        let (about, rest): (Vec<TermId>, Vec<TermId>) = self.now.atoms.iter().partition(|a| terms.mentions(**a, to));
        let map = HashMap::from([(to, *value)]);
        let before: Vec<TermId> = about.iter().map(|a| terms.substitute(*a, &map)).collect();
        let mut given = rest.clone();
        given.extend(assumes);

        let whole = terms.and(before.iter().copied());
        let established = self.reasoner.implies_near(terms, &given, whole, &self.values);
        // What is read through a pointer is the same only as long as the pointer is.
        let may_keep =
            !established && terms.mentions(*value, to) && (!self.follows_place(&step, level) || addresses.is_empty());
        if may_keep && self.keep(position, &about, whole, &step, to) {
            return;
        }
        let after = self.now.clone();
        let mut atoms = rest;
        for goal in before {
            let known: Vec<TermId> = atoms.iter().chain(assumes).copied().collect();
            let more = self.wanted(goal, &known);
            self.level(&more, level);
            atoms.extend(more);
        }
        if self.follows_place(&step, level) {
            let further = u32::from(!step.is_misplaced);
            for address in addresses {
                let known: Vec<TermId> = atoms.iter().chain(assumes).copied().collect();
                let more = self.situation().generalise_place(*address, &known);
                self.level(&more, level + further);
                atoms.extend(more);
            }
        }
        self.set(atoms);
        // The same formula before and after: the step does not matter after all.
        if self.now.atoms == after.atoms && self.indifferent(step.scope, to) {
            if self.mode.addresses {
                self.stays_away(position, to);
            }
            return;
        }
        self.need(step.scope, position, level);
        *self.updates.entry(to).or_default() += usize::from(is_update);
        if let (Kind::Assign | Kind::Store, Some(at)) = (step.kind, step.at) {
            *self.executions.entry(at).or_default() += 1;
        }
        self.changed(position, What::Step, after);
    }

    /// Whether a step does what was told often enough.
    fn is_round(&self, step: &Step, to: VarId, is_update: bool) -> bool {
        if step.is_given {
            return true;
        }
        let Some(Reach { rounds, .. }) = self.mode.reach else { return false };
        let updates = if is_update { self.updates.get(&to) } else { None };
        let executions = step.at.and_then(|at| self.executions.get(&at));
        updates.max(executions).is_some_and(|n| *n >= rounds)
    }

    /// That a variable has the value that the step gives it is taken from the run.
    fn give(&mut self, position: usize, to: VarId, value: u128) {
        let after = self.now.clone();
        let is = self.trace.terms.bits(self.trace.variables[to.0 as usize].bits, value);
        let map = HashMap::from([(to, is)]);
        let (about, rest): (Vec<TermId>, Vec<TermId>) =
            after.atoms.iter().partition(|a| self.trace.terms.mentions(**a, to));
        let about = about.into_iter().map(|atom| self.trace.terms.substitute(atom, &map)).collect();
        self.simplify(about, rest);
        // That the run came there is as much a fact as what it did there.
        self.need_from(self.trace.steps[position].scope, position, FAR);
        self.changed(position, What::Given, after);
    }

    /// A store through a pointer that leaves the invariant alone must not go to what the invariant speaks of, had the
    /// pointer or the index another value. Why it does not is further away than why something was found where it was.
    fn stays_away(&mut self, position: usize, to: VarId) {
        let Step { action, is_misplaced, .. } = &self.trace.steps[position];
        let Action::Assign { through: Some((pointer, size)), assumes, .. } = action else { return };
        let is_misplaced = *is_misplaced;
        let (pointer, size, mut known) = (*pointer, *size, assumes.to_vec());
        let is_pointer = |v: &VarId| is_pointer(&self.trace.variables[v.0 as usize], &self.program.types);
        // An index into an object with a name stays in the object.
        let anywhere = self.trace.terms.variables(pointer).iter().any(is_pointer);
        let near: Vec<VarId> = self
            .variables
            .iter()
            .copied()
            .filter(|v| *v != to && (anywhere && !is_misplaced || self.trace.same_object(*v, to)))
            .filter(|v| is_misplaced || self.follows_addresses(self.level_of(*v) + 1))
            .collect();
        let further = if is_misplaced { 0 } else { 2 };
        let level = near.iter().map(|v| self.level_of(*v) + further).min().unwrap_or(0);
        let cells: Vec<(u64, u64)> = near
            .iter()
            .filter_map(|v| {
                let variable = &self.trace.variables[v.0 as usize];
                Some((variable.address?, u64::from(variable.bits) / 8))
            })
            .collect();
        known.extend(&self.now.atoms);
        let mut atoms = self.now.atoms.clone();
        for goal in self.between(pointer, size, &cells) {
            let more = self.situation().generalise_place(goal, &known);
            self.level(&more, level);
            known.extend(&more);
            atoms.extend(more);
        }
        if atoms.len() > self.now.atoms.len() {
            let after = self.now.clone();
            self.set(atoms);
            self.changed(position, What::Keep, after);
        }
    }

    /// What says that bytes at a pointer are none of those of cells: on a side with one cell that it is not that, with
    /// several that the next one is not reached. What lies above comes first: nothing wraps, then.
    fn between(&mut self, pointer: TermId, size: u64, cells: &[(u64, u64)]) -> Vec<TermId> {
        let terms = &mut self.trace.terms;
        let Some(here) = terms.evaluate(pointer, &mut |v| self.values[v.0 as usize]) else {
            return cells.iter().map(|(at, bytes)| disjoint(terms, pointer, size, *at, *bytes)).collect();
        };
        let here = here.raw() as u64;
        let above: Vec<(u64, u64)> = cells.iter().copied().filter(|(at, _)| *at >= here + size).collect();
        let below: Vec<(u64, u64)> = cells.iter().copied().filter(|(at, bytes)| at + bytes <= here).collect();
        let mut goals = vec![];
        match (&above[..], above.iter().map(|(at, _)| at - size).min()) {
            ([(at, bytes)], _) => goals.push(disjoint(terms, pointer, size, *at, *bytes)),
            (_, Some(last)) => {
                let last = terms.bits(64, u128::from(last));
                goals.push(terms.ule(pointer, last));
            }
            _ => {}
        }
        match (&below[..], below.iter().map(|(at, bytes)| at + bytes).max()) {
            ([(at, bytes)], _) => goals.push(disjoint(terms, pointer, size, *at, *bytes)),
            (_, Some(first)) => {
                let first = terms.bits(64, u128::from(first));
                goals.push(terms.uge(pointer, first));
            }
            _ => {}
        }
        goals
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
        self.level(&signs, self.level_of(to));
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
        let Some((other_side, history)) = &mut self.other_side else { return Elsewhere::No };
        let start = self.trace.branches[branch.index()].start;
        let answer = other_side.assigns(self.trace, branch, variable, &|v| history.value_before(v, start));
        self.sides.insert((branch, variable), answer);
        answer
    }

    /// A branch closes: remember what its other side would have assigned.
    fn close(&mut self, position: usize, branch: BranchId) {
        let inside = self.trace.branches[branch.index()].start..position;
        for variable in self.variables.clone() {
            if self.other_side.as_ref().is_some_and(|(_, h)| h.is_assigned(variable, inside.clone())) {
                continue;
            }
            match self.elsewhere(branch, variable) {
                Elsewhere::No => {}
                Elsewhere::Yes(elsewhere) => {
                    self.pending.entry(branch).or_default().push(Pending { variable, elsewhere, told: false });
                }
                // It has to be taken, then.
                Elsewhere::Unknown(_) if self.mode.addresses => {
                    self.need(Some(branch), position, self.level_of(variable))
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
        for frame in self.pending.remove(&branch).unwrap_or_default() {
            if frame.told || !self.variables.contains(&frame.variable) {
                continue;
            }
            let mut branches = vec![branch];
            for outer in self.trace.enclosing(self.trace.branches[branch.index()].parent) {
                let same = |p: &&mut Pending| p.variable == frame.variable;
                let pending = self.pending.get_mut(&outer).and_then(|all| all.iter_mut().find(same));
                let Some(pending) = pending else { break };
                pending.told = true;
                branches.insert(0, outer);
            }
            let after = self.now.clone();
            self.need(Some(branch), position, self.level_of(frame.variable));
            // That a value was kept which the failing one came from is told all the same, once for each decision: it may be
            // the wrong one.
            let decision = self.trace.branches[branch.index()].at;
            if self.is_granted(branch) && (self.level_of(frame.variable) > 0 || self.framed.contains(&decision)) {
                continue;
            }
            self.framed.insert(decision);
            let frame = Frame { variable: frame.variable, also: vec![], branches, elsewhere: frame.elsewhere };
            self.changed(position, What::Frame(frame), after);
        }
    }

    /// A captured condition becomes formulas where it is evaluated.
    fn capture(&mut self, position: usize, branch: BranchId) {
        if !self.captured.contains_key(&branch) || self.is_granted(branch) {
            return;
        }
        let depth = self.depths[&branch];
        let after = self.now.clone();
        let taken = self.trace.branches[branch.index()].clone();
        let mut atoms = self.now.atoms.clone();
        for (reason, _) in &taken.reasons {
            let known: Vec<TermId> = atoms.iter().chain(&taken.assumes).copied().collect();
            let more = self.wanted(*reason, &known);
            self.level(&more, depth);
            atoms.extend(more);
        }
        if self.follows_addresses(depth) {
            for address in &taken.addresses {
                let known: Vec<TermId> = atoms.iter().chain(&taken.assumes).copied().collect();
                let more = self.situation().generalise_place(*address, &known);
                self.level(&more, depth + 1);
                atoms.extend(more);
            }
        }
        self.set(atoms);
        self.changed(position, What::Capture(branch), after);
    }

    /// The condition of a branch implies part of the invariant: nothing before has to.
    fn assume(&mut self, position: usize, branch: BranchId) {
        let taken = &self.trace.branches[branch.index()];
        let (condition, assumes) = (taken.condition, taken.assumes.to_vec());
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

/// The bytes at a pointer are none of those at an address.
fn disjoint(terms: &mut Terms, pointer: TermId, size: u64, address: u64, bytes: u64) -> TermId {
    let number = |terms: &mut Terms, n: u64| terms.bits(64, u128::from(n));
    let at = number(terms, address);
    if size == bytes {
        // Cells of one size do not overlap in part.
        return terms.ne(pointer, at);
    }
    let (behind, before) = (terms.binary(BinaryOp::Sub, pointer, at), terms.binary(BinaryOp::Sub, at, pointer));
    let (bytes, size) = (number(terms, bytes), number(terms, size));
    let behind = terms.compare(CompareOp::Ule, bytes, behind);
    let before = terms.compare(CompareOp::Ule, size, before);
    terms.and2(behind, before)
}

#[cfg(test)]
mod tests;
