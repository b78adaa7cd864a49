//! From an explanation to the report: terms become C text, positions become places.

mod callbacks;
mod calls;
mod causes;
mod history;
mod in_short;
mod jumps;
mod misuse;
mod sides;
mod speech;
mod texts;
mod threads;
mod types;
mod unset;
mod written;

use crate::initialisers;
use crate::library;
use crate::run::Happened;
use crate::sources::Sources;
use history::{History, copied};
use std::collections::HashSet;
use texts::Texts;
use wherefore_clib as clib;
use wherefore_localize::{Checked, Encoding, Explanation, Frame, StepKind, StoryStep};
use wherefore_program::{Callee, Command, FileId, Origin, Program};
use wherefore_report as report;
use wherefore_report::words::counted;
use wherefore_source::{Control, ControlKind, Extent, SourceText};
use wherefore_trace::{Action, Calls, Departure, Failure, FailureKind, Kind, Step, Storage, Trace};
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
    let lines: HashSet<(FileId, u32)> = explanation.map_or(HashSet::new(), |e| told_lines(e).collect());
    for (index, note) in trace.notes.iter().chain(explanation.into_iter().flat_map(|e| &e.notes)).enumerate() {
        // What the run did in a statement that is told, such as an overflow, is for everybody.
        let of_the_run = index < trace.notes.len() && note.at.is_some_and(|o| lines.contains(&(o.file, o.line)));
        let is_told = explanation.is_some_and(|e| presenter.tells_overflow(e, note.at));
        let of_the_failure = note.at.is_some() && note.at == trace.failure.as_ref().and_then(|f| f.at);
        add_note(
            report,
            format!("{}{}", sources.prefix(note.at), note.message),
            is_told || !of_the_run && !of_the_failure,
        );
    }
    for text in explanation.into_iter().flat_map(|e| presenter.ends_at_the_library(e)) {
        add_note(report, text, true);
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

/// Fill a report with the end of a long story: the cause in short, and the last steps.
pub fn fill_end(
    report: &mut report::Report,
    happened: &Happened,
    trace: &Trace,
    explanation: &Explanation,
    encoding: Encoding,
    sources: &Sources,
) {
    let first = explanation.steps.len() - LAST_STEPS;
    let before = &explanation.steps[first - 1];
    let mut end = explanation.clone();
    end.whole = false;
    end.precondition.clone_from(&before.invariant);
    end.goal.start = before.positions[before.positions.len() - 1] + 1;
    end.steps.drain(..first);
    fill(report, happened, trace, Some(&end), encoding, sources);
    let presenter =
        Presenter { program: &happened.program, trace, names: Names::new(&happened.program, trace), sources };
    if let Some(run) = &mut report.trace {
        run.matter = Some(matter(trace, &explanation.steps));
    }
    if let Some(told) = &mut report.explanation {
        told.summary = presenter.summary(explanation, &History::new(trace));
    }
}

/// Steps that are told of a long story at least.
const LAST_STEPS: usize = 16;

/// Adds a note; one about what is approximated is minor: true, but nothing that the reader can do something about.
fn add_note(report: &mut report::Report, text: String, minor: bool) {
    if !report.notes.contains(&text) {
        if minor {
            report.minor_notes.push(report.notes.len());
        }
        report.notes.push(text);
    }
}

/// The lines of the statements that are told.
fn told_lines(explanation: &Explanation) -> impl Iterator<Item = (FileId, u32)> {
    explanation.steps.iter().filter_map(|s| s.at).map(|o| (o.file, o.line))
}

fn output(departure: &Departure) -> report::Output {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    report::Output {
        expected: text(&departure.expected),
        actual: text(&departure.actual),
        position: departure.position as u64,
        line: departure.line as u64,
        column: departure.column as u64,
    }
}

/// Where a name stands in a line.
pub fn whole_word(line: &str, name: &str) -> Option<usize> {
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
                callee if library::is_input(self.program.stand_in(callee)) => return None,
                callee => format!("what {callee}() does is not looked into; the story begins with what it gives"),
            };
            Some(format!("{}{what}", self.sources.prefix(step.at)))
        });
        told.collect()
    }

    /// What the branch that was not taken does to what this one left alone.
    fn does_elsewhere(&self, frame: &Frame) -> &'static str {
        let commands = self.program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.commands);
        let mut there = commands.filter(|c| frame.elsewhere.is_some() && c.at == frame.elsewhere);
        let called = there.find_map(|c| match &c.it {
            Command::Call { callee: Callee::External(name), .. } => clib::function(name),
            _ => None,
        });
        match called {
            Some(function) if function.frees.is_some() && function.allocates.is_none() => "frees",
            _ => "sets",
        }
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
            FailureKind::Assertion | FailureKind::Question => report::FailureKind::Assertion,
            FailureKind::Status => report::FailureKind::Status,
            FailureKind::Memory(_) => report::FailureKind::Memory,
            FailureKind::Timeout => report::FailureKind::Timeout,
            FailureKind::Output => report::FailureKind::Output,
            _ => report::FailureKind::Signal,
        };
        let extent = self.statement(failure.at);
        Some(report::Failure {
            kind,
            at: self.sources.loc(failure.at, extent, self.function(failure.activation)),
            condition: self.condition(),
            message: misuse::message(self, failure).unwrap_or_else(|| failure.message.clone()),
            values: self.failing_values(failure),
            memory: misuse::memory(self, failure),
            calls: self.call_places(Some(failure.activation)),
            output: self.trace.departure.as_ref().map(output),
        })
    }

    /// The values of the failing condition.
    fn failing_values(&self, failure: &Failure) -> Vec<report::Input> {
        let state = History::new(self.trace).state(self.trace.steps.len());
        let here = Position { activation: failure.activation, at_entry: false, values: &state };
        let variables = self.trace.terms.variables(failure.violated).into_iter();
        let told = variables.filter_map(|v| {
            let name = self.spoken(v, here)?;
            let value = self.names.plain_value(v, state[v.0 as usize]?, here)?;
            Some(report::Input { name, value })
        });
        let mut told: Vec<report::Input> = told.collect();
        // Several things of one name say nothing to somebody who has not read the story.
        let names: Vec<String> = told.iter().map(|t| t.name.clone()).collect();
        told.retain(|t| names.iter().filter(|n| **n == t.name).count() == 1);
        told
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

    /// The cause in short.
    fn summary(&self, explanation: &Explanation, history: &History) -> Vec<String> {
        self.with_types(explanation, history, in_short::in_short(self, explanation, history))
    }

    fn explanation(&self, explanation: &Explanation, encoding: Encoding) -> report::Explanation {
        let texts = self.texts(explanation);
        let history = History::new(self.trace);
        let distances = causes::distances(self, explanation, &history);
        let steps = explanation.steps.iter().zip(distances).enumerate();
        let steps = steps
            .map(|(index, (step, distance))| report::Step { distance, ..self.step(step, index, &texts, &history) });
        let steps: Vec<report::Step> = steps.collect();
        let (checked, unchecked_because) = match &explanation.checked {
            Checked::Yes => (true, None),
            Checked::Unknown(reason) | Checked::No(reason) => (false, Some(reason.clone())),
        };
        let granted = self.granted(explanation, encoding);
        report::Explanation {
            encoding: match encoding {
                Encoding::Trace => "trace",
                Encoding::Recursive => "recursive",
                Encoding::FlowSensitive => "flow-sensitive",
            }
            .into(),
            // What holds where a story was cut off says nothing about inputs, nor where other inputs may end the program,
            // nor where other threads or handlers of signals may do something else.
            precondition: if explanation.whole && granted.is_none() && self.is_settled() {
                texts.invariants[0].clone()
            } else {
                String::new()
            },
            checked,
            unchecked_because,
            granted,
            summary: self.summary(explanation, &history),
            round: vec![],
            steps,
        }
    }

    /// What the story takes for granted.
    fn granted(&self, explanation: &Explanation, encoding: Encoding) -> Option<String> {
        let returns = self.trace.calls == Calls::Return && encoding == Encoding::FlowSensitive;
        let ends = returns.then(|| "that nothing ends the program before it fails".to_string());
        let conditions = explanation.granted.len() as u64;
        let came =
            (conditions > 0).then(|| format!("{} by which the program came here", counted(conditions, "condition")));
        let given = explanation.steps.iter().filter(|step| step.given).count() as u64;
        let rounds = (given > 0).then(|| format!("what {} had set before", counted(given, "repeated statement")));
        let followed: Vec<String> = came.into_iter().chain(rounds).collect();
        let followed = (!followed.is_empty()).then(|| {
            // What is not in the trace is not followed, whatever is asked for.
            let more = if self.trace.rounds.is_none() { " (-v follows them)" } else { "" };
            format!("{}{more}", followed.join(" and "))
        });
        let often = self.trace.rounds.map(|times| {
            format!(
                "that what was done again and again, more than {} before, went as it did",
                counted(times.into(), "time")
            )
        });
        let all: Vec<String> = followed.into_iter().chain(often).chain(ends).collect();
        (!all.is_empty()).then(|| all.join(", and "))
    }

    fn step(&self, step: &StoryStep, index: usize, texts: &Texts, history: &History) -> report::Step {
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
            .map(|((condition, at, branch), (text, values))| {
                let extent = at.and_then(|o| self.sources.text(o.file)?.operand_at(o.line, o.column));
                let told = [*at, step.at];
                let taken = &self.trace.branches[branch.index()];
                let function = self.function(taken.activation);
                let at = self.sources.loc(*at, extent, function);
                let jump = self.jump(taken, told).map(|(at, extent, text)| report::Jump {
                    at: self.sources.loc(Some(at), Some(extent), function),
                    text,
                });
                let returned = self.returned_at(*condition, taken.start, history);
                let returned_at =
                    returned.map(|(at, callee)| self.sources.loc(Some(at), self.statement(Some(at)), callee));
                report::Reason { at, text: text.clone(), values: values.clone(), jump, returned_at }
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
                    _ => {
                        format!("leaves {name} unchanged; the other branch {} {it}{place}", self.does_elsewhere(frame))
                    }
                })
            }
            StepKind::Failure if self.hangs() => Some("goes on".into()),
            StepKind::Statement(_)
                if let Some(by) = step.positions.iter().find_map(|p| callbacks::called_back(self, *p)) =>
            {
                Some(by)
            }
            // What a declaration says itself is not repeated.
            _ => texts.values[index].clone().filter(|_| !(initial && text.contains('=') && self.row(step).is_none())),
        };
        let note = if step.given { Some(note.map_or(String::new(), |n| n + ", ") + "taken as it was") } else { note };
        report::Step {
            kind,
            at: self.sources.loc(step.at, extent, function),
            text,
            position: step.positions[step.positions.len() - 1] as u64,
            because,
            invariant: (step.kind != StepKind::Failure).then(|| texts.invariants[index + 1].clone()),
            note,
            new: texts.new[index].clone(),
            value: texts.set[index].clone(),
            passes_on: self.passes_on(step),
            own: self.returns_its_own(step),
            ..report::Step::default()
        }
    }

    /// Whether a step only hands on a value: an argument, a result, or what becomes of a result.
    fn passes_on(&self, step: &StoryStep) -> bool {
        let mut all = step.positions.iter().filter_map(|p| self.trace.steps.get(*p));
        matches!(step.kind, StepKind::Statement(Kind::Call | Kind::Return | Kind::Assign | Kind::Store))
            && all.all(|s| match &s.action {
                Action::Assign { value, .. } => match (s.kind, copied(self.trace, *value)) {
                    (Kind::Call | Kind::Return | Kind::Internal, Some(_)) => true,
                    (Kind::Assign | Kind::Store, Some(v)) => self.is_nameless(v),
                    _ => false,
                },
                _ => false,
            })
    }

    /// Whether the failure is that the run does not end.
    fn hangs(&self) -> bool {
        self.trace.failure.as_ref().is_some_and(|f| f.kind == FailureKind::Timeout)
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
                Kind::Havoc | Kind::Thread => report::StepKind::Havoc,
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
        if let Some(extent) = self.row(step) {
            return (kind, Some(extent), source.text(extent));
        }
        let column = if at.column == 0 { self.declared_column(step, source.line(at.line)) } else { at.column };
        match source.extent_of_statement(at.line, column) {
            Some(extent) => (kind, Some(extent), source.text(extent)),
            None => (kind, None, source.line(at.line).trim().trim_end_matches(';').to_string()),
        }
    }

    /// The row of a table that a step puts into it.
    fn row(&self, step: &StoryStep) -> Option<Extent> {
        let StepKind::Statement(Kind::Initial | Kind::Assign | Kind::Store) = step.kind else { return None };
        let Action::Assign { to, .. } = self.trace.steps.get(*step.positions.first()?)?.action else { return None };
        let storage = &self.trace.variables[to.0 as usize].storage;
        initialisers::at(self.trace, self.program, self.sources, storage, step.at?)
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
