//! From an explanation to the report: terms become C text, positions become places.

mod misuse;

use crate::library;
use crate::run::Happened;
use crate::sources::Sources;
use std::collections::{BTreeMap, HashSet};
use wherefore_localize::{Checked, Encoding, Explanation, StepKind, StoryStep};
use wherefore_program::{Callee, Command, Origin, Program};
use wherefore_report as report;
use wherefore_source::{Control, ControlKind, Extent, SourceText};
use wherefore_trace::{Action, FailureKind, Kind, Step, Storage, Trace};
use wherefore_wording::{Names, Position};

/// Fill a report with a trace and its explanation.
pub fn fill(
    report: &mut report::Report,
    happened: &Happened,
    trace: &Trace,
    explanation: Option<&Explanation>,
    encoding: Encoding,
    sources: &Sources,
) {
    let presenter =
        Presenter { program: &happened.program, trace, names: Names::new(&happened.program, trace), sources };
    for note in trace.notes.iter().chain(explanation.into_iter().flat_map(|e| &e.notes)) {
        let text = format!("{}{}", sources.prefix(note.at), note.message);
        if !report.notes.contains(&text) {
            report.notes.push(text);
        }
    }
    for text in explanation.into_iter().flat_map(|e| presenter.ends_at_the_library(e)) {
        if !report.notes.contains(&text) {
            report.notes.push(text);
        }
    }
    report.trace = Some(report::Trace {
        statements: trace.statements as u64,
        matter: explanation.map(|e| matter(trace, &e.steps)),
        events: trace.events as u64,
        inputs: happened.given.clone(),
    });
    report.failure = presenter.failure();
    report.explanation = explanation.map(|e| presenter.explanation(e, encoding));
}

/// Where a name stands in a line.
fn whole_word(line: &str, name: &str) -> Option<usize> {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).map(|(at, _)| at).find(|at| {
        let before = line[..*at].chars().next_back();
        let after = line[*at + name.len()..].chars().next();
        !before.is_some_and(part_of_name) && !after.is_some_and(part_of_name)
    })
}

/// The control structure a condition belongs to: for a part of `a && b` the statement around all of it.
fn statement_control(source: &SourceText, at: Origin) -> Option<Control> {
    let mut control = source.enclosing_control(at.line, at.column)?;
    for _ in 0..16 {
        if !matches!(control.kind, ControlKind::LogicalAnd | ControlKind::LogicalOr) {
            return Some(control);
        }
        let before = control.whole.column.checked_sub(1).filter(|c| *c > 0)?;
        control = source.enclosing_control(control.whole.line, before)?;
    }
    None
}

/// How many of the executed statements the story tells: the failing one is not counted.
fn matter(trace: &Trace, steps: &[StoryStep]) -> u64 {
    let told = steps.iter().filter(|s| s.kind != StepKind::Failure).flat_map(|s| &s.positions);
    told.filter_map(|p| *trace.numbers.get(*p)?).collect::<HashSet<u32>>().len() as u64
}

struct Presenter<'a> {
    program: &'a Program,
    trace: &'a Trace,
    names: Names<'a>,
    sources: &'a Sources,
}

/// Texts that need the state at a position.
#[derive(Default)]
struct Texts {
    /// Invariant after each step; entry 0 is the precondition.
    invariants: Vec<String>,
    /// Reasons of each step.
    reasons: Vec<Vec<String>>,
    /// Values a step sets, for steps from outside.
    values: Vec<Option<String>>,
}

impl Presenter<'_> {
    fn function(&self, activation: u32) -> &str {
        self.trace.activations.get(activation as usize).map_or("", |a| &self.program.functions[a.function.index()].name)
    }

    /// The activation a step is shown in: an argument is passed by the caller.
    fn shown_in(&self, kind: Kind, activation: u32) -> u32 {
        let caller = self.trace.activations.get(activation as usize).and_then(|a| a.caller);
        caller.filter(|_| kind == Kind::Call).unwrap_or(activation)
    }

    /// Where the story ends at code outside the program that does more than to read an input.
    fn ends_at_the_library(&self, explanation: &Explanation) -> Vec<String> {
        let positions = explanation.steps.iter().flat_map(|s| &s.positions);
        let steps = positions.filter_map(|p| self.trace.steps.get(*p)).filter(|s| s.kind == Kind::Havoc);
        let told = steps.filter_map(|step| {
            let Action::Assign { to, .. } = step.action else { return None };
            let callee = match &self.trace.variables[to.0 as usize].storage {
                Storage::External { callee, .. } => Some(callee.as_str()),
                _ => self.called_at(step),
            };
            let what = match callee? {
                "longjmp" => "longjmp() comes back here; what led to it is not looked into".to_string(),
                callee if library::is_input(callee) => return None,
                callee => format!("what {callee}() does is not looked into; the story begins with what it gives"),
            };
            Some(format!("{}{what}", self.sources.prefix(step.at)))
        });
        told.collect()
    }

    /// The function outside the program that is called at the place of a step.
    fn called_at(&self, step: &Step) -> Option<&str> {
        let function = self.trace.activations.get(step.activation as usize)?.function;
        let commands = self.program.functions[function.index()].blocks.iter().flat_map(|b| &b.commands);
        commands.filter(|c| c.at.is_some() && c.at == step.at).find_map(|c| match &c.it {
            Command::Call { callee: Callee::External(name), .. } => Some(name.as_str()),
            _ => None,
        })
    }

    fn failure(&self) -> Option<report::Failure> {
        let failure = self.trace.failure.as_ref()?;
        let kind = match failure.kind {
            FailureKind::Assertion => report::FailureKind::Assertion,
            FailureKind::Status => report::FailureKind::Status,
            FailureKind::Memory(_) => report::FailureKind::Memory,
            _ => report::FailureKind::Signal,
        };
        let extent = self.statement(failure.at);
        Some(report::Failure {
            kind,
            at: self.sources.loc(failure.at, extent, self.function(failure.activation)),
            condition: self.condition(),
            message: misuse::message(self, failure).unwrap_or_else(|| failure.message.clone()),
            memory: misuse::memory(self, failure),
        })
    }

    /// What should have held.
    fn condition(&self) -> Option<String> {
        let failure = self.trace.failure.as_ref()?;
        if failure.kind != FailureKind::Assertion {
            return None;
        }
        let at = failure.at?;
        let source = self.sources.text(at.file)?;
        source.macro_argument(at.line, at.column).map(|e| source.text(e))
    }

    fn statement(&self, at: Option<Origin>) -> Option<Extent> {
        let at = at?;
        self.sources.text(at.file)?.extent_of_statement(at.line, at.column)
    }

    fn explanation(&self, explanation: &Explanation, encoding: Encoding) -> report::Explanation {
        let texts = self.texts(explanation);
        let steps = explanation.steps.iter().enumerate().map(|(index, step)| self.step(step, index, &texts)).collect();
        let (checked, unchecked_because) = match &explanation.checked {
            Checked::Yes => (true, None),
            Checked::Unknown(reason) | Checked::No(reason) => (false, Some(reason.clone())),
        };
        report::Explanation {
            encoding: match encoding {
                Encoding::Trace => "trace",
                Encoding::Recursive => "recursive",
                Encoding::FlowSensitive => "flow-sensitive",
            }
            .into(),
            precondition: texts.invariants[0].clone(),
            checked,
            unchecked_because,
            steps,
        }
    }

    /// Everything that is seen from a position, in one pass over the trace.
    fn texts(&self, explanation: &Explanation) -> Texts {
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
            reasons: steps.iter().map(|s| vec![String::new(); s.because.len()]).collect(),
            values: vec![None; steps.len()],
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
                    }
                    Wanted::Reason(index, number) => {
                        let (condition, _, branch) = steps[index].because[number];
                        let activation = self.trace.branches[branch.index()].activation;
                        let here = Position { activation, at_entry: false, values: &values };
                        texts.reasons[index][number] = self.names.condition(condition, here);
                    }
                    Wanted::Value(index) => texts.values[index] = self.values(&steps[index], &values),
                }
            }
        }
        texts
    }

    /// Where the names of an invariant are taken from: after what a library gave comes the assignment of the same
    /// statement, and only then does it have a name.
    fn end_of_statement(&self, step: &StoryStep, last: usize) -> usize {
        let mut end = last + 1;
        if step.kind == StepKind::Statement(Kind::Havoc) || misuse::sized(self, step).is_some() {
            let line = |o: Option<Origin>| o.map(|o| (o.file, o.line));
            let same = |s: &Step| s.activation == step.activation && line(s.at) == line(step.at);
            while self.trace.steps.get(end).is_some_and(same) {
                end += 1;
            }
        }
        end
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
            return Some(names.join(" and "));
        }
        let mut parts = vec![];
        parts.extend(misuse::sized(self, step));
        for (kind, verb) in [(Kind::Havoc, "gives"), (Kind::Call, "passes"), (Kind::Initial, "starts as")] {
            let set: Vec<String> = step
                .positions
                .iter()
                .filter_map(|p| self.trace.steps.get(*p).filter(|s| s.kind == kind))
                .filter_map(|s| match s.action {
                    Action::Assign { to, after, .. } => Some((to, after)),
                    _ => None,
                })
                .filter_map(|(to, after)| {
                    let (name, value) = (self.names.variable(to, here), self.names.value(to, after, here));
                    match (&self.trace.variables[to.0 as usize].storage, kind) {
                        // An address says nothing to the reader.
                        (Storage::External { .. }, _) if value.starts_with("0x") => None,
                        (Storage::External { .. }, _) | (_, Kind::Initial) => Some(value),
                        _ => Some(format!("{name} = {value}")),
                    }
                })
                .collect();
            if !set.is_empty() {
                parts.push(format!("{verb} {}", set.join(", ")));
            }
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    fn step(&self, step: &StoryStep, index: usize, texts: &Texts) -> report::Step {
        let (kind, extent, text) = self.text(step);
        // What holds after an argument is passed is said in the names of the callee.
        let shown_in = match step.kind {
            StepKind::Statement(kind) => self.shown_in(kind, step.activation),
            _ => step.activation,
        };
        // A global belongs to no function.
        let initial = step.kind == StepKind::Statement(Kind::Initial);
        let function = if initial { "" } else { self.function(shown_in) };
        let because = step
            .because
            .iter()
            .zip(&texts.reasons[index])
            .map(|((_, at, branch), text)| {
                let extent = at.and_then(|o| self.sources.text(o.file)?.operand_at(o.line, o.column));
                let activation = self.trace.branches[branch.index()].activation;
                report::Reason { at: self.sources.loc(*at, extent, self.function(activation)), text: text.clone() }
            })
            .collect();
        let note = match &step.kind {
            StepKind::Frame(frame) => {
                let name = texts.values[index].clone().unwrap_or_default();
                let it = if frame.also.is_empty() { "it" } else { "them" };
                let place = frame.elsewhere.map_or(String::new(), |o| format!(" (line {})", o.line));
                Some(match self.control(step.at) {
                    Some(ControlKind::While | ControlKind::For | ControlKind::DoWhile) => {
                        format!("ends and leaves {name} unchanged; another round may set {it}{place}")
                    }
                    _ => format!("leaves {name} unchanged; the other branch sets {it}{place}"),
                })
            }
            // What a declaration says itself is not repeated.
            _ => texts.values[index].clone().filter(|_| !(initial && text.contains('='))),
        };
        report::Step {
            kind,
            at: self.sources.loc(step.at, extent, function),
            text,
            position: step.positions[step.positions.len() - 1] as u64,
            because,
            invariant: (step.kind != StepKind::Failure).then(|| texts.invariants[index + 1].clone()),
            note,
            value: None,
            folded: 0,
        }
    }

    fn control(&self, at: Option<Origin>) -> Option<ControlKind> {
        let at = at?;
        statement_control(self.sources.text(at.file)?, at).map(|c| c.kind)
    }

    /// Kind, extent and text of a step.
    fn text(&self, step: &StoryStep) -> (report::StepKind, Option<Extent>, String) {
        let kind = match &step.kind {
            StepKind::Failure => report::StepKind::Failure,
            StepKind::Frame(_) => report::StepKind::Frame,
            StepKind::Assume => report::StepKind::Assume,
            StepKind::Statement(kind) => match kind {
                Kind::Store => report::StepKind::Store,
                Kind::Havoc => report::StepKind::Havoc,
                Kind::Call => report::StepKind::Call,
                Kind::Return => report::StepKind::Return,
                Kind::Assign | Kind::Initial | Kind::Internal | Kind::Control => report::StepKind::Assign,
            },
        };
        let Some(source) = step.at.and_then(|o| self.sources.text(o.file)) else {
            return (kind, None, self.fallback(step));
        };
        let at = step.at.expect("a source has a place");
        if matches!(step.kind, StepKind::Frame(_) | StepKind::Assume)
            && let Some(control) = statement_control(source, at)
        {
            return (kind, Some(control.head), format!("{} ...", source.text(control.head)));
        }
        let column = if at.column == 0 { self.declared_column(step, source.line(at.line)) } else { at.column };
        match source.extent_of_statement(at.line, column) {
            Some(extent) => (kind, Some(extent), source.text(extent)),
            None => (kind, None, source.line(at.line).trim().trim_end_matches(';').to_string()),
        }
    }

    /// The compiler gives no column for the declaration of a global: its name shows where it is.
    fn declared_column(&self, step: &StoryStep, line: &str) -> u32 {
        let assigned = step.positions.iter().find_map(|p| match self.trace.steps.get(*p)?.action {
            Action::Assign { to, .. } => Some(to),
            _ => None,
        });
        let name = assigned.and_then(|v| match self.trace.variables[v.0 as usize].storage {
            Storage::Global { global, .. } => self.program.globals[global.index()].name.as_deref(),
            _ => None,
        });
        name.and_then(|n| whole_word(line, n)).map_or(1, |at| at as u32 + 1)
    }

    /// Without a source there is at least the name of what changes.
    fn fallback(&self, step: &StoryStep) -> String {
        let position = step.positions.first().and_then(|p| self.trace.steps.get(*p));
        match position.map(|s| &s.action) {
            Some(Action::Assign { to, after, .. }) => {
                let here = Position { activation: step.activation, at_entry: false, values: &self.trace.initial };
                format!("{} = {}", self.names.variable(*to, here), self.names.value(*to, *after, here))
            }
            _ => self.trace.failure.as_ref().map_or(String::new(), |f| f.message.clone()),
        }
    }
}
