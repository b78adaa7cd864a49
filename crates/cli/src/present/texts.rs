//! Texts that depend on the state at a position, in one pass over the trace.

use super::{Presenter, misuse, whole_word};
use std::collections::{BTreeMap, BTreeSet};
use wherefore_formula::TermId;
use wherefore_localize::{Explanation, StepKind, StoryStep};
use wherefore_program::Origin;
use wherefore_report::words::listed;
use wherefore_trace::{Action, Kind, Step, Storage};
use wherefore_wording::{Position, characters};

/// Texts that need the state at a position.
#[derive(Default)]
pub struct Texts {
    /// Invariant after each step; entry 0 is the precondition.
    pub invariants: Vec<String>,
    /// What is new in the invariant after each step.
    pub new: Vec<Vec<String>>,
    /// Reasons of each step, with values in place of names.
    pub reasons: Vec<Vec<(String, Option<String>)>>,
    /// Values a step sets, for steps from outside.
    pub values: Vec<Option<String>>,
    /// Values that other steps set.
    pub set: Vec<Option<String>>,
}

/// Variables set by one step whose values are told.
const VALUES_TOLD: usize = 3;

impl Presenter<'_> {
    /// Everything that is seen from a position, in one pass over the trace.
    pub fn texts(&self, explanation: &Explanation) -> Texts {
        enum Wanted {
            Invariant(usize),
            Reason(usize, usize),
            Value(usize),
        }
        let steps = &explanation.steps;
        let mut wanted: BTreeMap<usize, Vec<Wanted>> = BTreeMap::new();
        let start = explanation.goal.start;
        wanted.entry(start).or_default().push(Wanted::Invariant(0));
        for (index, step) in steps.iter().enumerate() {
            let last = step.positions[step.positions.len() - 1];
            wanted.entry(self.end_of_statement(step, last)).or_default().push(Wanted::Invariant(index + 1));
            wanted.entry(last + 1).or_default().push(Wanted::Value(index));
            for (number, (_, _, branch)) in step.because.iter().enumerate() {
                let start = self.trace.branches[branch.index()].start;
                wanted.entry(start).or_default().push(Wanted::Reason(index, number));
            }
        }
        let mut texts = Texts {
            invariants: vec![String::new(); steps.len() + 1],
            new: vec![vec![]; steps.len()],
            reasons: steps.iter().map(|s| vec![Default::default(); s.because.len()]).collect(),
            values: vec![None; steps.len()],
            set: vec![None; steps.len()],
        };
        let mut values = self.trace.initial.clone();
        let mut reached = 0;
        for (position, list) in wanted {
            for step in &self.trace.steps[reached.min(self.trace.steps.len())..position.min(self.trace.steps.len())] {
                if let Action::Assign { to, after, .. } = step.action {
                    values[to.0 as usize] = Some(after);
                }
            }
            reached = reached.max(position);
            for item in list {
                match item {
                    Wanted::Invariant(0) => {
                        let activation = self.trace.steps.get(start).map_or(0, |s| self.shown_in(s.kind, s.activation));
                        let activation = if start == 0 { 0 } else { activation };
                        let here = Position { activation, at_entry: start == 0, values: &values };
                        texts.invariants[0] = self.names.conjunction(&explanation.precondition, here);
                    }
                    Wanted::Invariant(index) => {
                        let step = &steps[index - 1];
                        let here = Position { activation: step.activation, at_entry: false, values: &values };
                        texts.invariants[index] = self.names.conjunction(&step.invariant, here);
                        let before = match index {
                            1 => &explanation.precondition,
                            _ => &steps[index - 2].invariant,
                        };
                        texts.new[index - 1] = self.names.new_conjuncts(&step.invariant, before, here);
                    }
                    Wanted::Reason(index, number) => {
                        let (condition, at, branch) = steps[index].because[number];
                        let activation = self.trace.branches[branch.index()].activation;
                        let here = Position { activation, at_entry: false, values: &values };
                        let text = self.names.condition(condition, here);
                        let values = self.values_of(condition, &text, here);
                        texts.reasons[index][number] = self.as_written(at, text, values);
                    }
                    Wanted::Value(index) => {
                        texts.values[index] = self.values(&steps[index], &values);
                        texts.set[index] = self.set(&steps[index], &values);
                    }
                }
            }
        }
        texts
    }

    /// Where the names of an invariant are taken from: after what a library gave comes the assignment of the same
    /// statement, and only then does it have a name.
    fn end_of_statement(&self, step: &StoryStep, last: usize) -> usize {
        let mut end = last + 1;
        if matches!(step.kind, StepKind::Statement(Kind::Havoc | Kind::Thread)) || misuse::sized(self, step).is_some() {
            let line = |o: Option<Origin>| o.map(|o| (o.file, o.line));
            let same = |s: &Step| s.activation == step.activation && line(s.at) == line(step.at);
            while self.trace.steps.get(end).is_some_and(same) {
                end += 1;
            }
        }
        end
    }

    /// A condition with values in place of names, where it says more than the condition itself.
    pub fn values_of(&self, condition: TermId, text: &str, here: Position) -> Option<String> {
        let values = self.names.with_values(condition, here)?;
        let (_, right) = values.split_once(" == ").unwrap_or(("", ""));
        let repeats = !right.is_empty() && text.ends_with(&format!(" == {right}"));
        let is_true = text.ends_with(" != 0") || text.ends_with(" != NULL");
        let compares = ["<", ">", "==", "!="].iter().any(|o| values.contains(o));
        (compares && !repeats && !is_true && values != text).then_some(values)
    }

    /// What an assignment of the program itself sets: `n = 3`, `returns 3`. What the statement says itself is left out.
    fn set(&self, step: &StoryStep, values: &[Option<u128>]) -> Option<String> {
        let here = Position { activation: step.activation, at_entry: false, values };
        let outside =
            |p: &usize| self.trace.steps.get(*p).is_some_and(|s| matches!(s.kind, Kind::Havoc | Kind::Thread));
        if step.positions.iter().any(outside) {
            return None;
        }
        let mut parts = vec![];
        for position in &step.positions {
            let Some(done) = self.trace.steps.get(*position) else { continue };
            let Action::Assign { to, value, after, .. } = done.action else { continue };
            if !matches!(done.kind, Kind::Assign | Kind::Store | Kind::Return) {
                continue;
            }
            let constant = self.trace.terms.constant(value).is_some();
            let Some(name) = self.spoken(to, here) else { continue };
            let Some(number) = self.names.plain_value(to, after, here) else { continue };
            if constant && self.quoted(done.at).is_some_and(|text| whole_word(&text, &number).is_some()) {
                continue;
            }
            let told = match done.kind {
                Kind::Return => format!("returns {number}"),
                _ => format!("{name} = {number}"),
            };
            let byte = self.trace.variables[to.0 as usize].bits == 8;
            parts.push((name, byte.then_some(after as u8), told));
        }
        let mut parts = characters::set_together(parts);
        let more = parts.len().saturating_sub(VALUES_TOLD);
        parts.truncate(VALUES_TOLD);
        if more > 0 {
            parts.push(format!("{more} more"));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// What a step from outside, or the passing of an argument, sets.
    fn values(&self, step: &StoryStep, values: &[Option<u128>]) -> Option<String> {
        let here = Position { activation: step.activation, at_entry: false, values };
        if let StepKind::Frame(frame) = &step.kind {
            let all = [frame.variable].into_iter().chain(frame.also.iter().copied());
            let all = all.map(|v| misuse::set_by(self, v));
            let mut names: Vec<String> = all.map(|v| self.names.variable(v, here)).collect();
            names.sort();
            names.dedup();
            return Some(listed(&characters::few_of_each(names)));
        }
        let mut parts = vec![];
        parts.extend(misuse::sized(self, step));
        let by = |step: &Step| match self.is_written(step) {
            true => format!("{} writes", self.other_thread(step)),
            false => "this thread finds".into(),
        };
        let done = step.positions.iter().filter_map(|p| self.trace.steps.get(*p));
        let writes: BTreeSet<String> = done.filter(|s| s.kind == Kind::Thread).map(by).collect();
        let kinds = [(Kind::Havoc, "gives")].into_iter().chain(writes.iter().map(|writes| (Kind::Thread, &writes[..])));
        let kinds = kinds.chain([(Kind::Call, "passes"), (Kind::Initial, "starts as")]);
        for (kind, verb) in kinds {
            let set: Vec<(String, Option<u8>, String)> = step
                .positions
                .iter()
                .filter_map(|p| {
                    self.trace.steps.get(*p).filter(|s| s.kind == kind && (kind != Kind::Thread || by(s) == verb))
                })
                .filter_map(|s| match s.action {
                    Action::Assign { to, after, .. } => Some((to, after)),
                    _ => None,
                })
                .filter_map(|(to, after)| {
                    // An address says nothing to the reader.
                    let (name, value) = (self.names.variable(to, here), self.names.plain_value(to, after, here)?);
                    let variable = &self.trace.variables[to.0 as usize];
                    let told = match (&variable.storage, kind) {
                        (_, Kind::Initial) if name.contains(['[', '.']) => format!("{name} {verb} {value}"),
                        (Storage::External { .. }, _) | (_, Kind::Initial) => value,
                        _ => format!("{name} = {value}"),
                    };
                    let byte = (variable.bits == 8 && kind != Kind::Initial).then_some(after as u8);
                    Some((name, byte, told))
                })
                .collect();
            let mut told = characters::set_together(set);
            let parted = kind == Kind::Initial && told.iter().all(|t| t.contains(verb));
            let more = told.len().saturating_sub(VALUES_TOLD);
            if parted && more > 0 {
                told.truncate(VALUES_TOLD);
                told.push(format!("{more} more"));
            }
            if !told.is_empty() {
                let verb = if parted { String::new() } else { format!("{verb} ") };
                parts.push(format!("{verb}{}", told.join(", ")));
            }
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}
