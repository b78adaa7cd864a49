//! Printed invariants put back into the program: are they C, and true in reality?
//!
//! An invariant is checked where the statement it follows has been executed, in the execution that the explanation
//! speaks of, if every name in it is visible there.

use super::explained::Explained;
use super::native::{self, Ending, Unit, tokens};
use super::properties::Complaint;
use super::render::{Line, Role};
use super::scope::{Scopes, Type};
use super::subject::{Expected, Subject, call};
use std::collections::BTreeMap;
use std::path::Path;
use wherefore_localize::{StepKind, StoryStep};
use wherefore_program::Program;
use wherefore_trace::{Action, Kind, Trace};

/// An invariant at a line of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    way: &'static str,
    /// Index of the line after which it holds.
    line: usize,
    /// In which execution of the line, and how many executions there are.
    execution: usize,
    executions: usize,
    invariant: String,
    /// Lines whose variables it speaks of through pointers.
    pointers: Vec<usize>,
}

/// The invariants of an explanation that can be checked, and the number of those that cannot.
pub fn checks(subject: &Subject, program: &Program, explained: &Explained) -> (Vec<Check>, usize) {
    let visits = Visits::new(&explained.trace);
    let printed = explained.report.explanation.as_ref();
    let mut checks = vec![];
    let mut left_out = 0;
    let mut add = |place: Option<(usize, usize, usize)>, invariant: &str| {
        if invariant == "true" {
            return;
        }
        let unhidden = unhidden(invariant, subject)
            .filter(|(_, lines)| lines.iter().all(|line| pointer_at(subject, *line).is_some()));
        let plain = unhidden.as_ref().map_or("@", |u| &u.0);
        match place.filter(|p| is_expressible(plain, &subject.program.lines[p.0].scopes)) {
            Some((line, execution, executions)) => {
                let (invariant, pointers) = unhidden.expect("it is expressible");
                checks.push(Check { way: explained.way.name, line, execution, executions, invariant, pointers });
            }
            None => left_out += 1,
        }
    };
    let entry = |name: &str| {
        let wanted = Role::Entry(name.to_string());
        subject.program.lines.iter().position(|l| l.role == wanted)
    };
    let start = entry(&subject.program.entry).map(|line| (line, 1, 1));
    for (step, shown) in explained.explanation.steps.iter().zip(printed.iter().flat_map(|p| &p.steps)) {
        let Some(invariant) = &shown.invariant else { continue };
        let place = match step.kind {
            StepKind::Statement(Kind::Initial) => start,
            StepKind::Statement(Kind::Havoc) if step.activation == 0 => start,
            StepKind::Statement(Kind::Call) => {
                let activations = &explained.trace.activations;
                let function = activations[step.activation as usize].function;
                let same = |a: &wherefore_trace::Activation| a.function == function;
                let execution = activations[..=step.activation as usize].iter().filter(|a| same(a)).count();
                let executions = activations.iter().filter(|a| same(a)).count();
                entry(&program.functions[function.index()].name).map(|line| (line, execution, executions))
            }
            StepKind::Statement(Kind::Assign | Kind::Store) => visits
                .find(&explained.trace, step)
                .filter(|(line, ..)| subject.program.lines[*line].role == Role::Statement),
            _ => None,
        };
        add(place, invariant);
    }
    if let Some(printed) = printed {
        add(start, &printed.precondition);
    }
    (checks, left_out)
}

/// Whether every name in a text is visible.
fn is_expressible(text: &str, scopes: &Scopes) -> bool {
    let words = ["unsigned", "int", "char", "short", "long", "true", "false", "NULL", "bool"];
    let mut before = "";
    for token in tokens(text) {
        let first = token.chars().next().unwrap_or(' ');
        let is_name = first.is_ascii_alphabetic() || first == '_';
        let is_member = before.ends_with('.') || before.ends_with("->");
        let is_pointer = token.starts_with("g9") && token.len() == 6;
        if is_name && !is_member && !is_pointer && !words.contains(&token) && !scopes.sees(token) {
            return false;
        }
        // Addresses are different in every executable.
        if token.contains("::") || token.contains(['#', '@']) || token.starts_with("0x") && token.len() > 7 {
            return false;
        }
        before = token;
    }
    true
}

/// The executions of lines in a trace.
struct Visits {
    /// For each line (from 1) the positions of the last assignments of its executions.
    ends: BTreeMap<u32, Vec<usize>>,
}

impl Visits {
    fn new(trace: &Trace) -> Visits {
        let mut ends: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        // For each activation the line it is at, and the last assignment there.
        let mut at: BTreeMap<u32, (u32, Option<usize>)> = BTreeMap::new();
        let mut close = |(line, end): (u32, Option<usize>)| {
            if let Some(end) = end {
                ends.entry(line).or_default().push(end);
            }
        };
        for (position, step) in trace.steps.iter().enumerate() {
            let Some(line) = step.at.map(|o| o.line) else { continue };
            if matches!(step.action, Action::EndIf(_)) || matches!(step.kind, Kind::Initial | Kind::Call) {
                continue;
            }
            let now = at.entry(step.activation).or_insert((line, None));
            if now.0 != line {
                close(std::mem::replace(now, (line, None)));
            }
            if matches!(step.kind, Kind::Assign | Kind::Store) {
                now.1 = Some(position);
            }
        }
        at.into_values().for_each(close);
        ends.values_mut().for_each(|positions| positions.sort());
        Visits { ends }
    }

    /// The index of the line a step executes completely, which execution of it this is, and of how many.
    fn find(&self, trace: &Trace, step: &StoryStep) -> Option<(usize, usize, usize)> {
        let last = step.positions[step.positions.len() - 1];
        let line = trace.steps[last].at?.line;
        let ends = self.ends.get(&line)?;
        let number = ends.binary_search(&last).ok()?;
        Some((line as usize - 1, number + 1, ends.len()))
    }
}

/// A line of an instrumented program.
#[derive(Copy, Clone, Debug)]
enum From {
    Line(usize),
    Check(usize),
}

/// `x@6`, the `x` declared in line 6, which another one may hide: through a pointer that its declaration sets.
fn unhidden(text: &str, subject: &Subject) -> Option<(String, Vec<usize>)> {
    let all = tokens(text);
    let (mut result, mut lines) = (String::new(), vec![]);
    let mut at = 0;
    while at < all.len() {
        if all.get(at + 1) == Some(&"@") {
            let line: usize = all.get(at + 2)?.parse().ok()?;
            let declared = subject.program.lines.get(line - 1)?;
            // A call, or a variable that lives in several activations at once.
            let is_call = all.get(at + 3).is_some_and(|t| t.starts_with([':', '(', '#']));
            if is_call || !matches!(declared.role, Role::Statement) || declared.scopes.sees("n") {
                return None;
            }
            result.push_str(&format!("(*{})", pointer_to(line)));
            lines.push(line);
            at += 3;
        } else {
            result.push_str(all[at]);
            at += 1;
        }
    }
    Some((result, lines))
}

/// The pointer to what is declared in a line; named as globals are, so that it is numbered with the program.
fn pointer_to(line: usize) -> String {
    format!("g9{line:04}")
}

/// C text that declares the pointer to what a line declares, and that sets it.
fn pointer_at(subject: &Subject, line: usize) -> Option<(String, String)> {
    let Line { scopes, text, .. } = subject.program.lines.get(line - 1)?;
    let declared = scopes.levels.last()?.last()?;
    let Type::Scalar(scalar) = declared.kind else { return None };
    let name = pointer_to(line);
    let sets = text.contains(&format!(" {} =", declared.name)).then(|| format!(" {name} = &{};", declared.name))?;
    Some((format!("static {} *{name};", scalar.name()), sets))
}

/// Run programs with their checks; complaints for each.
pub fn complaints(subjects: &[(&Subject, &[Check])], directory: &Path) -> Vec<Vec<Complaint>> {
    let mut found: Vec<Vec<Complaint>> = subjects.iter().map(|_| vec![]).collect();
    let mut dropped: Vec<Vec<usize>> = subjects.iter().map(|_| vec![]).collect();
    loop {
        let made: Vec<(Unit, Vec<From>)> =
            subjects.iter().zip(&dropped).map(|((s, checks), dropped)| instrumented(s, checks, dropped)).collect();
        let (units, origins): (Vec<Unit>, Vec<Vec<From>>) = made.into_iter().unzip();
        match native::run(&units, directory) {
            Ok(outcomes) => {
                for (index, outcome) in outcomes.into_iter().enumerate() {
                    let (subject, checks) = subjects[index];
                    found[index].extend(read(subject, checks, &outcome, &origins[index]));
                }
                return found;
            }
            Err(rejected) => {
                for (unit, line, message) in rejected {
                    let From::Check(number) = origins[unit][line] else {
                        panic!("an instrumented program is not C: {message}\n{}", subjects[unit].0.text());
                    };
                    if !dropped[unit].contains(&number) {
                        dropped[unit].push(number);
                        found[unit].push(complaint("not C", &subjects[unit].1[number], &message));
                    }
                }
            }
        }
    }
}

fn complaint(property: &'static str, check: &Check, what: &str) -> Complaint {
    let Check { way, line, execution, invariant, .. } = check;
    Complaint { property, way, text: format!("`{invariant}` after execution {execution} of line {}: {what}", line + 1) }
}

fn instrumented(subject: &Subject, checks: &[Check], dropped: &[usize]) -> (Unit, Vec<From>) {
    let mut lines = vec![];
    let mut from = vec![];
    let mut spoken_of: Vec<usize> = checks.iter().flat_map(|c| c.pointers.iter().copied()).collect();
    spoken_of.sort();
    spoken_of.dedup();
    let pointers: BTreeMap<usize, (String, String)> =
        spoken_of.into_iter().filter_map(|line| Some((line - 1, pointer_at(subject, line)?))).collect();
    let includes = subject.program.lines.iter().rposition(|l| l.text.starts_with("#include")).unwrap_or(0);
    for (index, line) in subject.program.lines.iter().enumerate() {
        let counted = matches!(line.role, Role::Statement | Role::Entry(_));
        lines.push(match &subject.expected {
            Expected::Assertion { line, condition, .. } if *line == index + 1 => {
                format!("if (!({condition})) wf_assert({index});")
            }
            _ if index == includes + 1 => {
                let declared: String = pointers.values().map(|(declares, _)| format!("{declares} ")).collect();
                format!("{declared}{}", line.text)
            }
            _ if counted => {
                let sets = pointers.get(&index).map_or("", |(_, sets)| sets);
                format!("{}{sets} wf_count[{index}]++;", line.text)
            }
            _ => line.text.clone(),
        });
        from.push(From::Line(index));
        let here = checks.iter().enumerate().filter(|(n, c)| c.line == index && !dropped.contains(n));
        for (number, check) in here {
            let Check { execution, invariant, .. } = check;
            lines.push(format!("if (wf_count[{index}] == {execution} && !({invariant})) wf_fail({number});"));
            from.push(From::Check(number));
        }
    }
    (Unit { lines, call: call(&subject.program) }, from)
}

fn read(subject: &Subject, checks: &[Check], outcome: &native::Outcome, origins: &[From]) -> Vec<Complaint> {
    let mut complaints = vec![];
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for line in &outcome.output {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |n: usize| words.get(n).and_then(|w| w.parse::<usize>().ok());
        match (words[0], number(1), number(2)) {
            ("fails", Some(check), _) => complaints.push(complaint("reality", &checks[check], "is false")),
            ("count", Some(line), Some(count)) => {
                counts.insert(line, count);
            }
            _ => {}
        }
    }
    let line_of = |index: &usize| match origins.get(*index) {
        Some(From::Line(line)) => Some(*line + 1),
        _ => None,
    };
    let as_expected = match (&subject.expected, &outcome.ending) {
        (Expected::Assertion { line, .. }, Ending::Assertion(index)) => index + 1 == *line,
        (Expected::Trap { line }, Ending::Trap(index)) => index.as_ref().and_then(line_of) == *line,
        _ => false,
    };
    if !as_expected {
        let text = format!("with the invariants in it the program ends with {:?}", outcome.ending);
        complaints.push(Complaint { property: "ending", way: "trace", text });
    }
    for check in checks {
        let count = counts.get(&check.line).copied().unwrap_or(0);
        if count != check.executions {
            let text = format!("the line is executed {count} times, not {}", check.executions);
            complaints.push(complaint("executions", check, &text));
        }
    }
    complaints
}
