//! The cause in a few sentences, the last one first: where the values of the failing condition come from.
//!
//! Every sentence is a fact of the run: which statement set a value last, what it was computed from, under which
//! condition, and which branch of the story left it alone. Only what the story tells is followed further.

use super::Presenter;
use super::history::{History, copied};
use std::collections::{BTreeSet, BinaryHeap};
use wherefore_formula::{TermId, VarId};
use wherefore_localize::{Explanation, Frame, StepKind};
use wherefore_program::Origin;
use wherefore_source::ControlKind;
use wherefore_trace::{Action, BranchId, Kind, Step, Storage};
use wherefore_wording::Position;

/// Sentences that are made; a reader is shown as many as fit a few lines.
const SENTENCES: usize = 5;
/// Rounds of a loop whose values are followed.
const ROUNDS: usize = 64;

/// What is still to be told: a variable at a position, by the position of its last assignment.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Open {
    set: Option<usize>,
    at: usize,
    variable: VarId,
}

/// The sentences.
pub fn in_short(presenter: &Presenter, explanation: &Explanation) -> Vec<String> {
    let Some(failure) = &presenter.trace.failure else { return vec![] };
    let told = explanation.steps.iter().flat_map(|s| s.positions.iter().copied()).collect();
    let frames = explanation.steps.iter().filter_map(|s| match &s.kind {
        StepKind::Frame(frame) => Some((*s.positions.last()?, frame)),
        _ => None,
    });
    let history = History::new(presenter.trace);
    let frames = frames.collect();
    let mut teller =
        Teller { p: presenter, history, told, frames, open: BinaryHeap::new(), seen: BTreeSet::new(), said: vec![] };
    let end = presenter.trace.steps.len();
    teller.ask(failure.violated, end, true);
    if teller.open.is_empty() {
        // What fails is that the program came here.
        teller.reached(failure.scope, failure.activation);
    }
    while let Some(open) = teller.open.pop().filter(|_| teller.said.len() < SENTENCES) {
        teller.tell(&open);
    }
    teller.said
}

struct Teller<'a> {
    p: &'a Presenter<'a>,
    history: History<'a>,
    /// Positions of the story.
    told: BTreeSet<usize>,
    frames: Vec<(usize, &'a Frame)>,
    open: BinaryHeap<Open>,
    seen: BTreeSet<(Option<usize>, VarId)>,
    said: Vec<String>,
}

impl Teller<'_> {
    /// Ask for the variables of a term at a position; what the story does not tell is asked for only when it fails.
    fn ask(&mut self, term: TermId, at: usize, fails: bool) {
        for variable in self.p.trace.terms.variables(term) {
            self.ask_for(variable, at, fails);
        }
    }

    fn ask_for(&mut self, variable: VarId, at: usize, fails: bool) {
        let set = self.history.last(variable, at);
        let framed = self.frame(variable, set, at).is_some();
        if (fails || framed || set.is_some_and(|p| self.told.contains(&p))) && self.seen.insert((set, variable)) {
            self.open.push(Open { set, at, variable });
        }
    }

    /// The last branch of the story that leaves a variable alone after it was set.
    fn frame(&self, variable: VarId, set: Option<usize>, at: usize) -> Option<(usize, &Frame)> {
        let leaves = |f: &Frame| f.variable == variable || f.also.contains(&variable);
        let after = |p: usize| set.is_none_or(|s| p > s) && p < at;
        self.frames.iter().rev().find(|(p, f)| after(*p) && leaves(f)).map(|(p, f)| (*p, *f))
    }

    fn tell(&mut self, open: &Open) {
        let Some(value) = self.history.value(open.variable, open.at) else { return };
        let here = self.history.state(open.at);
        let activation = self.seen_from(open.at);
        let position = Position { activation, at_entry: false, values: &here };
        let Some(name) = self.p.spoken(open.variable, position) else { return self.follow(open, None) };
        let Some(value) = self.p.names.plain_value(open.variable, value, position) else {
            return self.follow(open, None);
        };
        self.follow(open, Some(format!("{name} is {value}")));
    }

    /// The activation from which a position is seen.
    fn seen_from(&self, at: usize) -> u32 {
        let steps = &self.p.trace.steps;
        let failing = self.p.trace.failure.as_ref().map_or(0, |f| f.activation);
        steps.get(at).map_or(failing, |s| self.p.shown_in(s.kind, s.activation))
    }

    /// Say where a value comes from: copies are followed to what made it.
    fn follow(&mut self, open: &Open, subject: Option<String>) {
        let (mut variable, mut set, mut at) = (open.variable, open.set, open.at);
        let mut left_alone = vec![];
        loop {
            left_alone.extend(self.frame(variable, set, at).map(|(p, f)| (p, f.clone())));
            let Some(position) = set else { break };
            let Action::Assign { value, .. } = self.p.trace.steps[position].action else { break };
            let kind = self.p.trace.steps[position].kind;
            let Some(from) = copied(self.p.trace, value).filter(|v| kind != Kind::Havoc && *v != variable) else { break };
            (variable, at, set) = (from, position, self.history.last(from, position));
        }
        let mut sentence = subject.clone();
        match set {
            Some(position) => self.made(&mut sentence, variable, position),
            None => {
                let initial = matches!(self.p.trace.variables[variable.0 as usize].storage, Storage::Global { .. });
                sentence = sentence.filter(|_| initial || !left_alone.is_empty());
                if let Some(text) = sentence.as_mut().filter(|_| initial) {
                    text.push_str(" from the start");
                }
            }
        }
        let left = left_alone.iter().max_by_key(|(p, _)| *p).map(|(_, frame)| self.left_alone(frame));
        if let Some(mut text) = sentence {
            if let Some(left) = left {
                text.push_str(&format!(". {left}"));
            }
            self.said.push(format!("{text}."));
        }
    }

    /// The statement that made a value, and what is to be asked next.
    fn made(&mut self, sentence: &mut Option<String>, variable: VarId, position: usize) {
        let step = &self.p.trace.steps[position];
        let Action::Assign { value, .. } = step.action else { return };
        let place = self.p.line_of(step.at);
        if step.kind == Kind::Havoc {
            if let Some(text) = sentence {
                let callee = self.p.given_by(step, variable);
                text.push_str(&callee.map_or(format!(" since {place}"), |c| format!(", given by {c}() ({place})")));
            }
            return;
        }
        if step.kind == Kind::Initial {
            if let Some(text) = sentence {
                text.push_str(&format!(" from the start ({place})"));
            }
            return;
        }
        let rounds = self.rounds(variable, position);
        let (scope, activation) = (step.scope, step.activation);
        let inside = self.inside(step);
        if let Some(text) = sentence {
            text.push_str(&match rounds.len() {
                1 => format!(" since {place}{inside}"),
                n => format!(" after {n} rounds of {place}{inside}"),
            });
            if let Some(quote) = self.p.quoted(step.at) {
                text.push_str(&format!(": {quote}"));
            }
        }
        if rounds.len() > 1 {
            for round in &rounds {
                if let Action::Assign { value, .. } = self.p.trace.steps[*round].action {
                    self.ask(value, *round, false);
                }
            }
            return;
        }
        let here = self.history.state(position);
        let seen = Position { activation: self.p.shown_in(step.kind, activation), at_entry: false, values: &here };
        let constant = self.p.trace.terms.variables(value).is_empty();
        if let Some(text) = sentence
            && !constant
            && let Some(values) = self.p.names.with_values(value, seen)
        {
            text.push_str(&format!(" = {values}"));
        }
        self.ask(value, position, false);
        if let Some(branch) = self.p.innermost(scope, activation) {
            if let Some(text) = sentence {
                text.push_str(&format!(", reached because {}", self.condition(branch)));
            }
            if constant {
                self.ask_branch(branch);
            }
        }
    }

    /// The assignments of one statement, each to a value it made before: rounds of a loop, the last one first.
    fn rounds(&self, variable: VarId, position: usize) -> Vec<usize> {
        let at = self.p.trace.steps[position].at;
        let mut rounds = vec![position];
        while rounds.len() < ROUNDS {
            let last = rounds[rounds.len() - 1];
            let Action::Assign { value, .. } = self.p.trace.steps[last].action else { break };
            let earlier = self.history.last(variable, last).filter(|p| {
                let same = self.p.trace.steps[*p].at == at && at.is_some();
                same && self.p.trace.terms.variables(value).contains(&variable)
            });
            let Some(earlier) = earlier else { break };
            rounds.push(earlier);
        }
        rounds
    }

    /// `, in transfer(&b, 1, 1, 50)`, unless the failing function itself is meant.
    fn inside(&self, step: &Step) -> String {
        let activation = self.p.shown_in(step.kind, step.activation);
        let failing = self.p.trace.failure.as_ref().map(|f| f.activation);
        if Some(activation) == failing || activation == 0 {
            return String::new();
        }
        format!(", in {}", self.p.call_text(activation))
    }

    /// The condition of a branch that was taken, with values and place.
    fn condition(&self, branch: BranchId) -> String {
        let branch = &self.p.trace.branches[branch.index()];
        let here = self.history.state(branch.start);
        let position = Position { activation: branch.activation, at_entry: false, values: &here };
        let told = branch.reasons.iter().map(|(term, at)| {
            let text = self.p.names.condition(*term, position);
            let values = self.p.values_of(*term, &text, position);
            let inside = [values, Some(self.p.line_of(at.or(branch.at)))].into_iter().flatten().collect::<Vec<_>>();
            format!("{text} ({})", inside.join(", "))
        });
        told.collect::<Vec<_>>().join(" and ")
    }

    fn ask_branch(&mut self, branch: BranchId) {
        let branch = &self.p.trace.branches[branch.index()];
        let (start, reasons) = (branch.start, branch.reasons.clone());
        reasons.iter().for_each(|(term, _)| self.ask(*term, start, false));
    }

    /// What a branch leaves alone, and why it was not gone.
    fn left_alone(&mut self, frame: &Frame) -> String {
        let branch = *frame.branches.last().expect("a frame has branches");
        frame.branches.iter().for_each(|b| self.ask_branch(*b));
        let at = self.p.trace.branches[branch.index()].at;
        let other = frame.elsewhere.map_or(String::new(), |o: Origin| format!(" ({})", self.p.line_of(Some(o))));
        let why = self.condition(branch);
        match self.p.control(at) {
            Some(ControlKind::While | ControlKind::For | ControlKind::DoWhile) => {
                format!("The loop then ends because {why}")
            }
            _ => format!("It stays so because {why}; the other branch sets it{other}"),
        }
    }

    /// The failure is that a place was reached.
    fn reached(&mut self, scope: Option<BranchId>, activation: u32) {
        let Some(branch) = self.p.innermost(scope, activation).or(scope) else { return };
        self.said.push(format!("It is reached because {}.", self.condition(branch)));
        self.ask_branch(branch);
    }
}
