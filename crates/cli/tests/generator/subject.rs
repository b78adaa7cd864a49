//! A program that fails, and how it fails natively.

use super::native::{self, Ending, TICK, Unit};
use super::render::{Program, Role, literal};
use super::scalar::Scalar;
use super::scope::Cell;
use super::sketch::{Assertion, Form};
use std::fmt::Write;
use std::path::Path;

/// A failing program.
#[derive(Clone, Debug)]
pub struct Subject {
    pub program: Program,
    pub expected: Expected,
}

/// How it fails; lines are counted from 1.
#[derive(Clone, Debug)]
pub enum Expected {
    Assertion {
        line: usize,
        condition: String,
        /// A variable that the assertion speaks of, with its value; nothing where it has no name of its own.
        value: Option<(String, Scalar, i128)>,
    },
    /// A division traps.
    Trap { line: Option<usize> },
}

impl Subject {
    /// The text of the program.
    pub fn text(&self) -> String {
        self.program.lines.iter().map(|l| format!("{}\n", l.text)).collect()
    }

    /// The same with the numbers of the lines, and how it is run.
    pub fn listing(&self) -> String {
        let text = self.text();
        let lines = text.lines().enumerate().map(|(number, line)| format!("{:3} | {line}\n", number + 1));
        let inputs: Vec<String> = self.program.inputs.iter().map(|(n, v)| format!(" --input {n}={v}")).collect();
        format!("{}--entry {}{}", lines.collect::<String>(), self.program.entry, inputs.concat())
    }
}

/// C text of the call that runs a program.
pub fn call(program: &Program) -> String {
    let arguments: Vec<String> = program.inputs.iter().map(|(_, value)| literal(*value)).collect();
    format!("{}({})", program.entry, arguments.join(", "))
}

/// Run programs natively and give each an assertion that fails; nothing for those that cannot have one.
pub fn subjects(programs: Vec<(Program, Assertion)>, directory: &Path) -> Vec<Option<Subject>> {
    let units: Vec<Unit> = programs.iter().map(|(p, _)| probed(p)).collect();
    let outcomes = match native::run(&units, directory) {
        Ok(outcomes) => outcomes,
        Err(rejected) => {
            let (unit, line, message) = &rejected[0];
            let program = &programs[*unit].0;
            let text: String = program.lines.iter().map(|l| format!("{}\n", l.text)).collect();
            panic!("a generated program is not C: line {}: {message}\n{text}", line + 1);
        }
    };
    let pairs = programs.into_iter().zip(outcomes);
    pairs.map(|((program, assertion), outcome)| fail(program, &assertion, &outcome.output, outcome.ending)).collect()
}

/// A program that writes what can be seen at its places.
fn probed(program: &Program) -> Unit {
    let lines = program.lines.iter().enumerate().map(|(index, line)| match line.role {
        Role::Other | Role::Entry(_) => line.text.clone(),
        Role::Before | Role::Statement => format!("{TICK} {}", line.text.trim_start()),
        Role::Place => {
            let mut text = format!("{TICK} printf(\"place {index}\");");
            for cell in line.scopes.cells() {
                write!(text, " printf(\" %lld\", (long long){});", cell.text).expect("strings take everything");
            }
            text + " printf(\"\\n\");"
        }
    });
    Unit { lines: lines.collect(), call: call(program) }
}

fn fail(mut program: Program, assertion: &Assertion, output: &[String], ending: Ending) -> Option<Subject> {
    match ending {
        Ending::Returned => {}
        Ending::Trap(line) => {
            let expected = Expected::Trap { line: line.map(|l| l + 1) };
            return Some(Subject { program, expected });
        }
        _ => return None,
    }
    let visits: Vec<(usize, Vec<i128>)> = output.iter().filter_map(|l| visit(&program, l)).collect();
    let mut places: Vec<usize> = visits.iter().map(|v| v.0).collect();
    places.sort();
    places.dedup();
    // The end of the program comes first: shrinking goes there.
    places.reverse();
    let place = *places.get(assertion.place as usize % places.len().max(1))?;
    let cells = program.lines[place].scopes.cells();
    if cells.is_empty() {
        return None;
    }
    let visits: Vec<&Vec<i128>> = visits.iter().filter(|v| v.0 == place).map(|v| &v.1).collect();
    let [x, y] = assertion.values.map(|v| v as usize % cells.len());
    let last = visits.last()?;
    let (condition, fails) = condition(assertion.form, (&cells[x], last[x]), (&cells[y], last[y]));
    let failing = visits.iter().find(|v| fails(v[x], v[y]))?;
    let value = cells[x].direct.then(|| (cells[x].text.clone(), cells[x].scalar, failing[x]));
    let line = &mut program.lines[place];
    let indent = "  ".repeat(line.scopes.levels.len() - 1);
    line.text = format!("{indent}assert({condition});");
    Some(Subject { program, expected: Expected::Assertion { line: place + 1, condition, value } })
}

/// The index of a place and the values there.
fn visit(program: &Program, line: &str) -> Option<(usize, Vec<i128>)> {
    let mut numbers = line.strip_prefix("place ")?.split(' ');
    let place: usize = numbers.next()?.parse().ok()?;
    let cells = program.lines[place].scopes.cells();
    let read = |(text, cell): (&str, &Cell)| Some(cell.scalar.number(text.parse::<i64>().ok()? as u128));
    let values: Option<Vec<i128>> = numbers.zip(&cells).map(read).collect();
    Some((place, values?))
}

type Fails = Box<dyn Fn(i128, i128) -> bool>;

/// A condition that does not hold for the values given, and for which values it does not.
fn condition(form: Form, (x, v): (&Cell, i128), (y, w): (&Cell, i128)) -> (String, Fails) {
    let (name, other) = (&x.text, &y.text);
    let (number, second) = (literal(v), literal(w));
    match form {
        Form::Different => (format!("{name} != {number}"), Box::new(move |a, _| a == v)),
        Form::NotEqual => (format!("!({name} == {number})"), Box::new(move |a, _| a == v)),
        Form::Less => (format!("{name} < {number}"), Box::new(move |a, _| a >= v)),
        Form::Greater => (format!("{name} > {number}"), Box::new(move |a, _| a <= v)),
        Form::Equal => {
            let wanted = x.scalar.number(x.scalar.pattern(if x.scalar == Scalar::Bool { 1 - v } else { v + 1 }));
            (format!("{name} == {}", literal(wanted)), Box::new(move |a, _| a != wanted))
        }
        Form::NotBoth => {
            (format!("!({name} == {number} && {other} >= {second})"), Box::new(move |a, b| a == v && b >= w))
        }
        Form::Either => (format!("{name} != {number} || {other} < {second}"), Box::new(move |a, b| a == v && b >= w)),
        Form::Sum if v.abs() < 1 << 40 && w.abs() < 1 << 40 => {
            let sum = v + w;
            (format!("(long){name} + {other} != {}", literal(sum)), Box::new(move |a, b| a + b == sum))
        }
        Form::Sum | Form::Truth if v == 0 => (name.clone(), Box::new(|a, _| a == 0)),
        Form::Sum | Form::Truth => (format!("!{name}"), Box::new(|a, _| a != 0)),
    }
}
