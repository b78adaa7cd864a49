//! Why branches were taken, in sentences: what held there, and what they leave alone.

use super::{FARTHER, Teller};
use crate::present::history::History;
use crate::present::{Presenter, statement_control};
use std::collections::BTreeSet;
use wherefore_formula::{TermId, VarId};
use wherefore_localize::Frame;
use wherefore_program::Origin;
use wherefore_source::ControlKind;
use wherefore_trace::{Action, Branch, BranchId, Elsewhere, Failure, Kind, OtherSide, Step, Storage};
use wherefore_wording::Position;

/// So many branches before the failure are looked through.
const BRANCHES: usize = 300;

/// The longest condition, in bytes, that is told as a formula.
const LONGEST_CONDITION: usize = 100;

impl Presenter<'_> {
    /// What held where a branch was taken, its place and the position it is about. Where a choice decides that is a
    /// constant (`a && b` without `b`), what led to the choice says why.
    pub fn reasons(&self, branch: &Branch, history: &History) -> Vec<(TermId, Option<Origin>, usize)> {
        let led_to = |term: TermId| {
            let v = self.trace.terms.variables(term).pop_first()?;
            let definition = self.trace.variables[v.0 as usize].definition?;
            self.trace.terms.constant(definition)?;
            let chosen = history.last(v, branch.start)?;
            let before = &self.trace.branches[self.trace.steps[chosen].scope?.index()];
            // It led to the choice, and to nothing else before: otherwise it is one of the round before.
            let does =
                |s: &Step| s.activation == before.activation && !matches!(s.kind, Kind::Control | Kind::Internal);
            let leads = before.end <= branch.start && before.start < branch.start;
            (leads && !self.trace.steps[before.start..chosen].iter().any(does)).then_some(before)
        };
        let each = branch.reasons.iter().flat_map(|(term, at)| match led_to(*term) {
            Some(before) => self.reasons(before, history),
            None => vec![(*term, *at, branch.start)],
        });
        each.collect()
    }

    /// Whether a branch was taken because of a variable.
    pub fn is_about(&self, branch: BranchId, variable: VarId, history: &History) -> bool {
        let reasons = self.reasons(&self.trace.branches[branch.index()], history);
        reasons.iter().any(|(term, ..)| self.trace.terms.variables(*term).contains(&variable))
    }

    /// Whether a loop went on by a branch: what comes next in its function still lies in the loop.
    pub fn goes_on(&self, branch: BranchId) -> bool {
        let branch = &self.trace.branches[branch.index()];
        let own = |s: &&Step| s.activation == branch.activation && s.kind != Kind::Control;
        let next = self.trace.steps[branch.start..].iter().filter(own).find_map(|s| s.at);
        let inside = |condition: Origin, next: Origin| {
            let whole = statement_control(self.sources.text(condition.file)?, condition)?.whole;
            Some(next.file == condition.file && whole.contains(next.line, next.column))
        };
        branch.at.zip(next).and_then(|(condition, next)| inside(condition, next)).unwrap_or(false)
    }

    /// Whether a place lies in the `if` statement of a condition, not only behind it.
    pub fn is_inside_if(&self, at: Option<Origin>, condition: Option<Origin>) -> bool {
        let inside = |at: Origin, condition: Origin| {
            let control = statement_control(self.sources.text(condition.file)?, condition)?;
            let inside = at.file == condition.file && control.whole.contains(at.line, at.column);
            (control.kind == ControlKind::If).then_some(inside)
        };
        at.zip(condition).and_then(|(at, condition)| inside(at, condition)).unwrap_or(false)
    }
}

impl Teller<'_> {
    /// The condition of a branch that was taken to a place, with values and where it stands.
    pub(super) fn condition(&self, branch: BranchId, to: Option<Origin>) -> String {
        let branch = &self.p.trace.branches[branch.index()];
        let says = |term: &TermId| !self.p.trace.terms.variables(*term).is_empty();
        let reasons = self.p.reasons(branch, self.history);
        let told = reasons.iter().filter(|(term, ..)| says(term)).filter_map(|(term, at, start)| {
            let here = self.history.state(*start);
            let position = Position { activation: branch.activation, at_entry: false, values: &here };
            let text = self.p.names.condition(*term, position);
            let values = self.p.values_of(*term, &text, position);
            let (text, values) = self.p.as_written(*at, text, values);
            // What the program says is better than an address, and than what a library function comes down to.
            let unreadable = text.contains("0x") || text.len() > LONGEST_CONDITION;
            let written = at.filter(|_| unreadable).and_then(|o| {
                let source = self.p.sources.text(o.file)?;
                Some(format!("of how `{}` came out", source.text(source.operand_at(o.line, o.column)?)))
            });
            let text = written.unwrap_or(text);
            if text.trim_start_matches('!').chars().all(|c| c.is_ascii_digit()) {
                return None;
            }
            let returned = self.p.returned_at(*term, *start, self.history);
            let returned = returned.map(|(at, _)| format!("returned in {}", self.p.line_of(Some(at))));
            let jump = self.p.jump(branch, [*at, to]);
            let jump = jump.map(|(at, _, text)| format!("`{text}` in {}", self.p.line_of(Some(at))));
            let inside = [values, Some(self.p.line_of(at.or(branch.at))), returned, jump].into_iter().flatten();
            Some(format!("{text} ({})", inside.collect::<Vec<_>>().join(", ")))
        });
        told.collect::<Vec<_>>().join(" and ")
    }

    pub(super) fn ask_branch(&mut self, branch: BranchId) {
        let reasons = self.p.reasons(&self.p.trace.branches[branch.index()], self.history);
        reasons.iter().for_each(|(term, _, start)| self.ask(*term, *start));
    }

    /// What a branch leaves alone, and why it was not gone; `counts` where rounds of a loop set it.
    pub(super) fn left_alone(&mut self, frame: &Frame, counts: bool) -> Option<String> {
        let branch = *frame.branches.last().expect("a frame has branches");
        let (at, activation) =
            (self.p.trace.branches[branch.index()].at, self.p.trace.branches[branch.index()].activation);
        let other = frame.elsewhere.map_or(String::new(), |o: Origin| format!(" ({})", self.p.line_of(Some(o))));
        let why = self.condition(branch, None);
        if why.is_empty() {
            return None;
        }
        Some(match self.p.control(at) {
            // It was not this that ended it: what did is not told, since nothing could have made it otherwise.
            Some(ControlKind::While | ControlKind::For | ControlKind::DoWhile) if self.p.goes_on(branch) => {
                return None;
            }
            Some(ControlKind::While | ControlKind::For | ControlKind::DoWhile) => {
                let begins = self.p.begins(branch);
                // That a counter has come to its end says less than what else ends a loop, and that a loop which did other
                // things as well ends at all says least.
                let decides = !begins || counts && !self.p.is_about(branch, frame.variable, self.history);
                let missed = self.missed(branch, None);
                let deeper = if decides && missed.is_none() { 1 } else { FARTHER };
                self.depth += deeper;
                self.ask_branch(branch);
                self.depth -= deeper;
                if missed.is_some() {
                    return missed;
                }
                let ends = if begins { "ends" } else { "does not begin" };
                let ends = format!("The loop of {} {ends} because {why}", self.p.line_of(at));
                if decides {
                    return Some(ends);
                }
                self.last.push(format!("{ends}."));
                return None;
            }
            _ => {
                frame.branches.iter().for_each(|b| self.ask_branch(*b));
                let failing = self.p.trace.failure.as_ref().map(|f| f.activation);
                let it = match activation != 0 && Some(activation) != failing {
                    true => format!("In {} it", self.p.call_text(activation)),
                    false => "It".into(),
                };
                let does = self.p.does_elsewhere(frame);
                format!("{it} stays so because {why}; the other branch {does} it{other}")
            }
        })
    }

    /// The condition that let the program come to where it fails, if it asks for what is wrong there.
    pub(super) fn guard(&self, failure: &Failure) -> Option<String> {
        let branch = self.p.innermost(failure.scope, failure.activation)?;
        let trace = self.p.trace;
        let read =
            trace.terms.variables(failure.violated).into_iter().map(|v| match trace.variables[v.0 as usize].storage {
                Storage::Saved { of } => of,
                _ => v,
            });
        let why = self.condition(branch, failure.at);
        let asks = read.into_iter().any(|v| self.p.is_about(branch, v, self.history));
        let told = self.said.iter().any(|text| text.contains(&why));
        (asks && !why.is_empty() && !told).then(|| format!("It is reached because {why}."))
    }

    /// Of what is taken for granted, the last check that asks for what is wrong at the failure: it may be the one that is
    /// wrong.
    pub(super) fn passed_check(&self, failure: &Failure) -> Option<String> {
        let trace = self.p.trace;
        let wrong: BTreeSet<VarId> = std::iter::once(&failure.violated)
            .chain(&failure.addresses)
            .flat_map(|term| self.asked_for(*term, trace.steps.len()))
            .collect();
        let checks = (0..trace.branches.len()).rev().map(|n| BranchId(n as u32)).take(BRANCHES);
        let mut checks = checks.filter(|b| trace.branches[b.index()].is_check);
        let about = |b: &BranchId| {
            let branch = &trace.branches[b.index()];
            branch.reasons.iter().any(|(term, _)| !self.asked_for(*term, branch.start).is_disjoint(&wrong))
        };
        let check = checks.find(about)?;
        let why = self.condition(check, None);
        (!why.is_empty()).then(|| format!("The check before it is passed because {why}."))
    }

    /// The variables of a term, and those that they were set from.
    fn asked_for(&self, term: TermId, at: usize) -> BTreeSet<VarId> {
        let trace = self.p.trace;
        let mut found = trace.terms.variables(term);
        for variable in found.clone() {
            let set = self.history.last(variable, at).map(|position| &trace.steps[position]);
            if let Some(Step { action: Action::Assign { value, .. }, .. }) = set {
                found.extend(trace.terms.variables(*value));
            }
        }
        found
    }

    /// Why an object that is too small was not made anew: the last branch that did not set the pointer to it.
    pub(super) fn not_made_anew(&self, failure: &Failure) -> Option<(String, BranchId)> {
        let trace = self.p.trace;
        let base = trace.terms.variables(failure.violated).into_iter().find_map(|v| {
            match trace.variables[v.0 as usize].storage {
                Storage::Size { object } => Some(trace.objects[object as usize].base),
                _ => None,
            }
        })?;
        let mut other_side = OtherSide::new(self.p.program, trace, false);
        let caller = |activation: &u32| trace.activations[*activation as usize].caller;
        let stack: Vec<u32> = std::iter::successors(Some(failure.activation), caller).collect();
        let end = trace.steps.len();
        let points = |v: &VarId| {
            let is_lasting =
                !matches!(trace.variables[v.0 as usize].storage, Storage::Saved { .. } | Storage::External { .. });
            is_lasting
                && trace.variables[v.0 as usize].bits == 64
                && self.history.value(*v, end) == Some(u128::from(base))
        };
        let here = self.history.state(end);
        let position = Position { activation: failure.activation, at_entry: false, values: &here };
        for pointer in (0..trace.variables.len() as u32).map(VarId).filter(points) {
            let named = self.history.last(pointer, end).zip(self.p.spoken(pointer, position));
            let Some((set, name)) = named else { continue };
            let since = (0..trace.branches.len()).rev().map(|n| BranchId(n as u32)).take(BRANCHES);
            for id in since.take_while(|b| trace.branches[b.index()].start > set) {
                let branch = &trace.branches[id.index()];
                let under_way = branch.end >= end && stack.contains(&branch.activation);
                if under_way || self.p.control(branch.at) != Some(ControlKind::If) {
                    continue;
                }
                let state = |v: VarId| self.history.value(v, branch.start);
                let Elsewhere::Yes(there) = other_side.assigns(trace, id, pointer, &state) else { continue };
                let why = self.condition(id, None);
                if why.is_empty() {
                    continue;
                }
                let there = there.map_or(String::new(), |at| format!(" ({})", self.p.line_of(Some(at))));
                return Some((format!("{name} stays as it is because {why}; the other branch sets it{there}."), id));
            }
        }
        None
    }

    /// The failure is that a place was reached.
    pub(super) fn reached(&mut self, scope: Option<BranchId>, activation: u32) {
        let Some(branch) = self.p.innermost(scope, activation).or(scope) else { return };
        let at = self.p.trace.failure.as_ref().and_then(|f| f.at);
        self.said.push(format!("It is reached because {}.", self.condition(branch, at)));
        self.ask_branch(branch);
    }
}
