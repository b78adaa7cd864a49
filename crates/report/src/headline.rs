//! The first line: where, what went wrong, which values show it, which inputs did it.

use crate::layout::{Line, Paint, clean};
use crate::model::{Failure, FailureKind, Input, Loc};
use crate::speech::{say, say_plainly};
use crate::words::listed;

/// Inputs named in the headline; further ones are counted.
const INPUTS_NAMED: usize = 6;

/// Values named in the headline: more of them say less.
const VALUES_NAMED: usize = 3;

/// The longest value that is named.
const LONGEST_VALUE: usize = 48;

/// ``abs.c:18:3: assertion `abs >= 0` fails when input is -1: abs is -1``.
pub(crate) fn headline(failure: &Failure, inputs: &[Input]) -> Line {
    let mut line = Line::new(Paint::Headline, place(&failure.at));
    line.append(&what_fails(failure));
    // The inputs belong to the whole of it, not to its last words.
    let has_parts = !is_assertion(failure) && failure.message.contains([',', ';']);
    line.push(Paint::Headline, if has_parts && !inputs.is_empty() { "," } else { "" });
    line.push(Paint::Headline, &when(inputs));
    line.with(Paint::Headline, values(failure, inputs))
}

/// `: abs is -1`; what the inputs, the condition or the message say is not said again.
fn values(failure: &Failure, inputs: &[Input]) -> String {
    let is_said = |value: &Input| failure.message.contains(&format!("{}, which is {}", value.name, value.value));
    let said = |value: &&Input| !inputs.iter().any(|i| i.name == value.name) && !is_said(value);
    let short = |value: &&Input| value.value.len() <= LONGEST_VALUE && value.name.len() <= LONGEST_VALUE;
    let told: Vec<String> = failure.values.iter().filter(said).filter(short).map(is).collect();
    if told.is_empty() || told.len() > VALUES_NAMED {
        return String::new();
    }
    format!(": {}", listed(&told))
}

fn is(input: &Input) -> String {
    format!("{}\u{a0}is\u{a0}{}", say(&input.name), say(&input.value))
}

/// `file:line:column: ` with what is known.
pub(crate) fn place(at: &Loc) -> String {
    let known = [at.line, at.column].into_iter().take_while(|n| *n > 0);
    let numbers: String = known.map(|n| format!("{n}:")).collect();
    if at.file.is_empty() { String::new() } else { format!("{}:{numbers} ", clean(&at.file)) }
}

pub(crate) fn is_assertion(failure: &Failure) -> bool {
    failure.kind == FailureKind::Assertion && failure.condition.is_some()
}

/// The failure in words: ``assertion `abs >= 0` fails``.
pub(crate) fn what_fails(failure: &Failure) -> Line {
    match &failure.condition {
        Some(condition) if is_assertion(failure) => {
            Line::new(Paint::Headline, format!("assertion `{}` ", clean(condition))).with(Paint::Bad, "fails")
        }
        _ if failure.kind == FailureKind::Memory => Line::new(Paint::Bad, say_plainly(&failure.message)),
        _ => Line::new(Paint::Bad, clean(&failure.message)),
    }
}

/// ` when x is 0 and y is -1`; empty without inputs.
pub(crate) fn when(inputs: &[Input]) -> String {
    if inputs.is_empty() {
        return String::new();
    }
    let named = if inputs.len() > INPUTS_NAMED { INPUTS_NAMED - 1 } else { inputs.len() };
    let known = inputs.iter().take(named);
    let mut parts: Vec<String> = known.map(is).collect();
    if inputs.len() > named {
        parts.push(format!("{} more", inputs.len() - named));
    }
    format!(" when {}", listed(&parts))
}
