//! How far each step of a story lies from the failure, counted in causes.
//!
//! The values of the failing condition come from the steps at distance 1, what those read from distance 2, and so on.
//! Data is nearer than control: the condition around a step is as near as what it reads only where the step sets a
//! constant, since then the condition decided the value. What only hands a value on, and the rounds of one statement,
//! are no causes of their own.

use super::Presenter;
use super::history::History;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use wherefore_formula::{TermId, VarId};
use wherefore_localize::{Explanation, StepKind};
use wherefore_program::Origin;
use wherefore_source::ControlKind;
use wherefore_trace::{Action, BranchId, Kind};

/// Further than this nothing is looked for.
const FARTHEST: u32 = 1000;
/// How much farther a condition is than data.
const CONDITION: u32 = 1;
/// How much farther that is which made a pointer or an index what it is.
const ADDRESS: u32 = 1;
/// How much farther the condition of a loop is: that it goes on, or ends, is seldom what is wrong with a value.
const LOOP: u32 = 3;
/// How much farther the conditions are under which a function was called.
const CALLER: u32 = 3;

/// The distance of each step of the story; nothing for what only made the program come this far.
pub fn distances(presenter: &Presenter, explanation: &Explanation, history: &History) -> Vec<Option<u32>> {
    let Some(failure) = &presenter.trace.failure else { return vec![None; explanation.steps.len()] };
    let mut steps = HashMap::new();
    let mut frames: HashMap<VarId, BTreeMap<usize, usize>> = HashMap::new();
    for (index, step) in explanation.steps.iter().enumerate() {
        match &step.kind {
            StepKind::Frame(frame) => {
                let position = step.positions[step.positions.len() - 1];
                for v in [frame.variable].iter().chain(&frame.also) {
                    frames.entry(*v).or_default().insert(position, index);
                }
            }
            _ => steps.extend(step.positions.iter().map(|p| (*p, index))),
        }
    }
    let found = vec![None; explanation.steps.len()];
    let passes_on = explanation.steps.iter().map(|s| presenter.passes_on(s)).collect();
    let mut search = Search {
        p: presenter,
        explanation,
        history,
        steps,
        frames,
        asked: HashMap::new(),
        passes_on,
        loops: HashMap::new(),
        work: BinaryHeap::new(),
        nearest: HashMap::new(),
        conditions: HashMap::new(),
        found,
    };
    let last = explanation.steps.len() - 1;
    search.found[last] = Some(0);
    search.reads(failure.violated, presenter.trace.steps.len(), Some(last), 0);
    search.all_read(&failure.addresses, presenter.trace.steps.len(), Some(last), ADDRESS);
    let decides = presenter.trace.terms.variables(failure.violated).is_empty();
    search.conditions(failure.scope, failure.activation, last, 0, decides);
    while let Some((Reverse(distance), node, from)) = search.work.pop() {
        search.visit(distance, node, from);
    }
    search.found
}

/// What has causes: an assignment of the trace, or a branch of the story that left something alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Node {
    Assignment(usize),
    Frame(usize),
}

struct Search<'a> {
    p: &'a Presenter<'a>,
    explanation: &'a Explanation,
    history: &'a History<'a>,
    /// The step of the story that a position belongs to.
    steps: HashMap<usize, usize>,
    /// For each variable the steps that left it alone, by position.
    frames: HashMap<VarId, BTreeMap<usize, usize>>,
    /// For each variable, since when it has been what it is: up to where these were asked for, and at which distance.
    asked: HashMap<(VarId, usize), (usize, u32)>,
    passes_on: Vec<bool>,
    loops: HashMap<Option<Origin>, bool>,
    /// What is to be looked at, with the distance so far and the step it is a cause of.
    work: BinaryHeap<(Reverse<u32>, Node, Option<usize>)>,
    nearest: HashMap<Node, u32>,
    /// The least distance at which the condition of a branch was looked at.
    conditions: HashMap<BranchId, u32>,
    found: Vec<Option<u32>>,
}

impl Search<'_> {
    /// The variables of a term at a position are read, by a step of the story.
    fn reads(&mut self, term: TermId, at: usize, by: Option<usize>, distance: u32) {
        for v in self.p.trace.terms.variables(term) {
            let set = self.history.last(v, at);
            let after = set.map_or(0, |p| p + 1);
            // A condition that leaves a variable alone may read it: of many rounds each would ask for all before it.
            let (to, nearest) = *self.asked.entry((v, after)).or_insert((after, distance));
            let from = if nearest < distance { to } else { after };
            if at > to {
                self.asked.insert((v, after), (at, nearest.max(distance)));
            }
            let left_alone = self.frames.get(&v).into_iter().flat_map(|f| f.range(from..at.max(from)));
            self.work.extend(left_alone.map(|(_, index)| (Reverse(distance), Node::Frame(*index), by)));
            if let Some(position) = set {
                self.work.push((Reverse(distance), Node::Assignment(position), by));
            }
        }
    }

    fn all_read(&mut self, terms: &[TermId], at: usize, by: Option<usize>, distance: u32) {
        terms.iter().for_each(|term| self.reads(*term, at, by, distance));
    }

    fn visit(&mut self, distance: u32, node: Node, from: Option<usize>) {
        let index = match node {
            Node::Frame(index) => Some(index),
            Node::Assignment(position) => self.steps.get(&position).copied(),
        };
        let place = |i: usize| self.explanation.steps[i].at;
        let same = index.zip(from).is_some_and(|(i, f)| i == f || place(i) == place(f) && place(i).is_some());
        let free = same || index.is_none_or(|i| self.passes_on[i]);
        let distance = distance + u32::from(!free);
        if distance > FARTHEST || self.nearest.get(&node).is_some_and(|known| *known <= distance) {
            return;
        }
        self.nearest.insert(node, distance);
        if let Some(i) = index {
            self.found[i] = Some(self.found[i].map_or(distance, |d| d.min(distance)));
        }
        let by = index.or(from);
        match node {
            Node::Frame(index) => {
                let StepKind::Frame(frame) = &self.explanation.steps[index].kind else { return };
                let position = self.explanation.steps[index].positions.last().copied().unwrap_or(0);
                let counts = self.history.counts(frame.variable, position);
                for branch in &frame.branches {
                    // What ends the rounds of a counter decides how far it counts, unless it only asks the counter.
                    let decides = counts && !self.p.is_about(*branch, frame.variable, self.history);
                    self.condition(*branch, by, distance, decides);
                }
            }
            Node::Assignment(position) => {
                let step = &self.p.trace.steps[position];
                let Action::Assign { value, addresses, .. } = &step.action else { return };
                self.reads(*value, position, by, distance);
                self.all_read(addresses, position, by, distance + ADDRESS);
                let decides = self.p.trace.terms.variables(*value).is_empty();
                // A choice that the story does not tell is one of the statement it is made for.
                if let Some(by) = index.or(from.filter(|_| decides && step.kind == Kind::Internal)) {
                    self.conditions(step.scope, step.activation, by, distance, decides);
                }
            }
        }
    }

    /// Whether a condition is that of a loop.
    fn is_loop(&mut self, at: Option<Origin>) -> bool {
        let presenter = self.p;
        *self.loops.entry(at).or_insert_with(|| {
            matches!(presenter.control(at), Some(ControlKind::While | ControlKind::For | ControlKind::DoWhile))
        })
    }

    /// The conditions around something, the innermost first, which may have decided its value.
    fn conditions(&mut self, scope: Option<BranchId>, activation: u32, by: usize, distance: u32, decides: bool) {
        let mut farther = if decides { distance } else { distance + CONDITION };
        for branch in self.p.trace.enclosing(scope) {
            if self.p.trace.branches[branch.index()].activation != activation {
                // Why the function was called at all.
                farther = farther.max(distance + CALLER);
            }
            if farther > FARTHEST || self.conditions.get(&branch).is_some_and(|known| *known <= farther) {
                // What lies around it was looked at then, too.
                break;
            }
            self.condition(branch, Some(by), farther, decides && farther == distance);
            farther += CONDITION;
        }
    }

    fn condition(&mut self, branch: BranchId, by: Option<usize>, distance: u32, decides: bool) {
        if self.conditions.get(&branch).is_some_and(|known| *known <= distance) {
            return;
        }
        self.conditions.insert(branch, distance);
        let branch = &self.p.trace.branches[branch.index()];
        let distance = distance + if !decides && self.is_loop(branch.at) { LOOP } else { 0 };
        for (term, _) in &branch.reasons {
            self.reads(*term, branch.start, by, distance);
        }
        self.all_read(&branch.addresses, branch.start, by, distance + ADDRESS);
    }
}
