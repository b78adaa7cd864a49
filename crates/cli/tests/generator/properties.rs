//! What has to be true of every explanation of a generated program.

use super::explained::{CONFLICTS, Explained};
use super::subject::{Expected, Subject};
use std::collections::BTreeSet;
use wherefore_budget::Budget;
use wherefore_cli::Status;
use wherefore_formula::TermId;
use wherefore_localize::{Checked, Reasoner, StepKind, flow_sensitive};
use wherefore_program::Program;
use wherefore_report::FailureKind;
use wherefore_solver::Backend;
use wherefore_trace::{Action, Storage, Trace};
use wherefore_wording::{Names, Position};

/// Something that is not as it has to be.
#[derive(Clone, Debug)]
pub struct Complaint {
    /// The property.
    pub property: &'static str,
    /// The way of explaining.
    pub way: &'static str,
    pub text: String,
}

/// The property of a complaint that is not about what is explained but about how hard it is to check.
pub const UNDECIDED: &str = "undecided";

/// What may be said of a program in which everything is modelled.
const TRUE_NOTES: [&str; 2] =
    ["the branch not taken writes through a pointer here", "signed overflow happens here in the run"];

/// Collects complaints about one explanation.
struct Judge<'a> {
    subject: &'a Subject,
    program: &'a Program,
    explained: &'a mut Explained,
    complaints: Vec<Complaint>,
}

/// Hold an explanation against all properties that can be decided without running the program again.
pub fn judge(subject: &Subject, program: &Program, explained: &mut Explained) -> Vec<Complaint> {
    let mut judge = Judge { subject, program, explained, complaints: vec![] };
    judge.is_explained();
    judge.fails_where_it_does();
    judge.invariants_hold();
    judge.is_an_explanation();
    judge.every_step_matters();
    judge.is_plain();
    judge.agrees_with_the_run();
    judge.complaints
}

impl Judge<'_> {
    fn complain(&mut self, property: &'static str, text: String) {
        self.complaints.push(Complaint { property, way: self.explained.way.name, text });
    }

    /// 1: the failure is explained and the second solver agrees.
    fn is_explained(&mut self) {
        let report = &self.explained.report;
        if self.explained.status != Status::Explained || report.partial {
            self.complain("explained", format!("status {:?}", self.explained.status));
            return;
        }
        let printed = report.explanation.as_ref().map(|e| (e.checked, e.unchecked_because.clone()));
        let checked = self.explained.explanation.checked.clone();
        match (printed, checked) {
            (Some((true, None)), Checked::Yes) => {}
            (Some((_, because)), Checked::Yes | Checked::Unknown(_)) => {
                self.complain(UNDECIDED, format!("{because:?}"))
            }
            different => self.complain("checked", format!("{different:?}")),
        }
    }

    /// 1: it is the failure that the native run has.
    fn fails_where_it_does(&mut self) {
        let Some(failure) = self.explained.report.failure.clone() else {
            return self.complain("failure", "none".into());
        };
        let line = Some(failure.at.line as usize);
        match &self.subject.expected {
            Expected::Assertion { line: expected, condition, .. } => {
                let same = failure.kind == FailureKind::Assertion && line == Some(*expected);
                if !same || failure.condition.as_ref() != Some(condition) {
                    self.complain("failure", format!("{failure:?}, expected `{condition}` in line {expected}"));
                }
            }
            Expected::Trap { line: expected } => {
                let divides = failure.message.contains("division") || failure.message.contains("smallest");
                if failure.kind != FailureKind::Signal || !divides || expected.is_some() && line != *expected {
                    self.complain("failure", format!("{failure:?}, expected a trap in line {expected:?}"));
                }
            }
        }
    }

    /// 2: each invariant holds in the recorded state.
    fn invariants_hold(&mut self) {
        let (trace, explanation) = (&self.explained.trace, &self.explained.explanation);
        let mut values = trace.initial.clone();
        let mut broken = vec![];
        if !hold(trace, &explanation.precondition, &values) {
            broken.push("the precondition does not hold".to_string());
        }
        let mut reached = 0;
        for (number, step) in explanation.steps.iter().enumerate() {
            let last = step.positions[step.positions.len() - 1];
            advance(trace, &mut values, reached..(last + 1).min(trace.steps.len()));
            reached = (last + 1).max(reached);
            if step.kind != StepKind::Failure && !hold(trace, &step.invariant, &values) {
                broken.push(format!("the invariant after step {number} does not hold"));
            }
        }
        broken.into_iter().for_each(|text| self.complain("invariant", text));
    }

    /// 3: Definitions 2 and 4, by the other solver.
    fn is_an_explanation(&mut self) {
        let explanation = self.explained.explanation.clone();
        let mut reasoner = Reasoner::new(Backend::Z3, Some(CONFLICTS), &Budget::unlimited());
        let violations = flow_sensitive(
            &mut self.explained.trace,
            &explanation.goal,
            &explanation.precondition,
            &explanation.steps,
            self.explained.way.conditions,
            &mut reasoner,
        );
        match reasoner.gave_up {
            Some(reason) => self.complain(UNDECIDED, format!("the definition is not decided: {reason}")),
            None => violations.iter().for_each(|v| self.complain("definition", format!("{v:?}"))),
        }
    }

    /// 4: the invariant is another one after each step, except where a step says why nothing changes.
    fn every_step_matters(&mut self) {
        let explanation = &self.explained.explanation;
        let mut before: BTreeSet<TermId> = explanation.precondition.iter().copied().collect();
        let mut idle = vec![];
        for (number, step) in explanation.steps.iter().enumerate() {
            let after: BTreeSet<TermId> = step.invariant.iter().copied().collect();
            if matches!(step.kind, StepKind::Statement(_) | StepKind::Assume) && after == before {
                idle.push(number);
            }
            before = after;
        }
        idle.into_iter().for_each(|number| self.complain("idle", format!("step {number} changes nothing")));
    }

    /// 5: nothing is approximated, and every step is a statement of the program.
    fn is_plain(&mut self) {
        let report = self.explained.report.clone();
        for note in &report.notes {
            if !TRUE_NOTES.iter().any(|n| note.contains(n)) {
                self.complain("note", note.clone());
            }
        }
        if let Some(trace) = report.trace.filter(|t| t.matter.is_none_or(|m| m >= t.statements)) {
            self.complain("count", format!("{:?} of {} statements matter", trace.matter, trace.statements));
        }
        let Some(explanation) = report.explanation else { return };
        if explanation.steps.len() != self.explained.explanation.steps.len() {
            return self.complain("deterministic", "two explanations have different lengths".into());
        }
        for (number, step) in explanation.steps.iter().enumerate() {
            let lines = self.subject.program.lines.len();
            if step.at.line == 0 || step.at.line as usize > lines || step.text.is_empty() {
                self.complain("place", format!("step {number}: {:?} {}", step.at, step.text));
            }
        }
    }

    /// 6: the recorded value of what the assertion speaks of is the native one.
    fn agrees_with_the_run(&mut self) {
        let Expected::Assertion { value: Some((name, scalar, value)), .. } = &self.subject.expected else { return };
        let trace = &self.explained.trace;
        let Some(failure) = &trace.failure else { return };
        let mut values = trace.initial.clone();
        advance(trace, &mut values, 0..trace.steps.len());
        let names = Names::new(self.program, trace);
        let position = Position { activation: failure.activation, at_entry: false, values: &values };
        let found: Vec<Option<u128>> = (0..trace.variables.len())
            .filter(|v| match trace.variables[*v].storage {
                Storage::Local { activation, .. } => activation == failure.activation,
                Storage::Global { .. } => true,
                _ => false,
            })
            .filter(|v| undecorated(&names.variable(wherefore_formula::VarId(*v as u32), position)) == *name)
            .map(|v| values[v])
            .collect();
        if !found.contains(&Some(scalar.pattern(*value))) {
            let text = format!("{name} is {value} natively, not {found:?}");
            self.complain("recording", text);
        }
    }
}

/// A name without what tells it apart from others: `x[0]` for `main::x@6[0]`.
fn undecorated(name: &str) -> String {
    let (base, rest) = name.rsplit("::").next().unwrap_or(name).split_once('@').unwrap_or((name, ""));
    let base = base.rsplit("::").next().unwrap_or(base);
    format!("{base}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':'))
}

/// Whether formulas are true.
fn hold(trace: &Trace, atoms: &[TermId], values: &[Option<u128>]) -> bool {
    let holds = |atom: &TermId| trace.terms.evaluate(*atom, &mut |v| values[v.0 as usize]);
    atoms.iter().all(|a| holds(a).and_then(|v| v.as_bool()) == Some(true))
}

/// Execute steps of the trace.
fn advance(trace: &Trace, values: &mut [Option<u128>], steps: std::ops::Range<usize>) {
    for step in &trace.steps[steps.start.min(trace.steps.len())..steps.end] {
        if let Action::Assign { to, after, .. } = step.action {
            values[to.0 as usize] = Some(after);
        }
    }
}
