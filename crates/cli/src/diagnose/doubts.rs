//! What costs a diagnosis its completeness: all that could be changed and was not considered exactly. That these are all
//! diagnoses is said only where this list is empty.

use super::problem::Problem;
use super::statements::origins;
use std::collections::HashSet;
use wherefore_program::{Callee, Command, FunctionId, Note, Operand, Origin, Program};
use wherefore_report::words::counted;
use wherefore_source::{Decision, Extent};
use wherefore_unfold::Unfolding;

/// Something that was left out or simplified.
#[derive(Clone, Debug)]
pub struct Doubt {
    /// Which kind of thing, as a part of a sentence.
    pub kind: &'static str,
    /// What and where exactly; nothing where the kind says it all.
    pub note: Option<String>,
}

const ROUNDS: &str = "loops or recursion were not followed to their end";
const REMOVED: &str = "a condition that the compiler drops was not changed";
const INEXACT: &str = "not everything was followed exactly";
const RUNS: &str = "only the ways that the failing runs went were looked at";

/// What the formula of a program leaves out. `rounds` says which loops are not followed to their end.
pub fn of_formula(problem: &Problem, unfolding: &Unfolding, rounds: Vec<String>, entry: FunctionId) -> Vec<Doubt> {
    let mut doubts: Vec<Doubt> = vec![];
    let mut add = |kind, note: Option<String>| doubts.push(Doubt { kind, note });
    for note in removed(problem, entry) {
        add(REMOVED, Some(note));
    }
    for (message, places) in together(&unfolding.notes) {
        let others = match places.len() {
            0 | 1 => String::new(),
            n => format!(", and at {}", counted(n as u64 - 1, "other place")),
        };
        add(INEXACT, Some(format!("{}{message}{others}", problem.sources.prefix(places.first().copied()))));
    }
    if unfolding.cut.len() > unfolding.bounded.len() && unfolding.notes.is_empty() {
        add(INEXACT, None);
    }
    for note in rounds {
        add(ROUNDS, Some(note));
    }
    doubts
}

/// Notes that say the same, with their places.
fn together(notes: &[Note]) -> Vec<(&str, Vec<Origin>)> {
    let mut found: Vec<(&str, Vec<Origin>)> = vec![];
    for note in notes {
        let known = match found.iter().position(|(message, _)| *message == note.message) {
            Some(known) => known,
            None => {
                found.push((&note.message, vec![]));
                found.len() - 1
            }
        };
        found[known].1.extend(note.at);
    }
    for (_, places) in &mut found {
        places.sort_unstable();
        places.dedup();
    }
    found
}

/// What the formulas of single runs leave out.
pub fn of_runs() -> Vec<Doubt> {
    vec![Doubt { kind: RUNS, note: None }]
}

/// The kinds of doubts as a part of a sentence.
pub fn listed(doubts: &[Doubt]) -> String {
    let mut kinds: Vec<&str> = vec![];
    for doubt in doubts {
        if !kinds.contains(&doubt.kind) {
            kinds.push(doubt.kind);
        }
    }
    match &kinds[..] {
        [] => String::new(),
        [one] => one.to_string(),
        [first @ .., last] => format!("{}, and {last}", first.join(", ")),
    }
}

/// Conditions in the source of which nothing is left in the program: clang decides constant ones itself, also at -O0.
fn removed(problem: &Problem, entry: FunctionId) -> Vec<String> {
    let program = problem.program;
    let reachable = reachable(program, entry);
    let compiled: Vec<Origin> = reachable.iter().flat_map(|id| origins(&program.functions[id.index()])).collect();
    let mut files: Vec<_> = compiled.iter().map(|at| at.file).collect();
    files.sort_unstable();
    files.dedup();
    let mut notes = vec![];
    for file in files {
        let path = problem.sources.path(file);
        let Some(text) = problem.sources.text(file).filter(|_| !path.starts_with("/usr/")) else { continue };
        let places: Vec<Origin> = compiled.iter().copied().filter(|at| at.file == file).collect();
        let has = |extent: &Extent| places.iter().any(|at| contains(extent, at));
        let is_removed = |decision: &Decision| {
            has(&decision.function) && decision.section.as_ref().is_none_or(has) && !has(&decision.condition)
        };
        let mut last: Option<Decision> = None;
        for decision in text.decisions().into_iter().filter(is_removed) {
            // What stands inside goes with it.
            if last.is_some_and(|last| decision.whole.end_line <= last.whole.end_line) {
                continue;
            }
            last = Some(decision);
            let what = "the compiler drops this condition, which is constant or never reached; it was not changed";
            notes.push(format!("{path}:{}:{}: {what}", decision.condition.line, decision.condition.column));
        }
    }
    notes
}

fn contains(extent: &Extent, at: &Origin) -> bool {
    (extent.line, extent.column) <= (at.line, at.column) && (at.line, at.column) < (extent.end_line, extent.end_column)
}

/// Functions that may be called.
fn reachable(program: &Program, entry: FunctionId) -> Vec<FunctionId> {
    let mut seen = HashSet::from([entry]);
    let mut found = vec![entry];
    let mut next = 0;
    while let Some(id) = found.get(next).copied() {
        next += 1;
        for command in program.functions[id.index()].blocks.iter().flat_map(|b| &b.commands) {
            let called = match &command.it {
                Command::Call { callee: Callee::Function(callee), .. } => Some(*callee),
                _ => None,
            };
            let pointed = command.it.operands().into_iter().filter_map(|operand| match operand {
                Operand::Function(function) => Some(*function),
                _ => None,
            });
            found.extend(called.into_iter().chain(pointed).filter(|id| seen.insert(*id)));
        }
    }
    found
}
