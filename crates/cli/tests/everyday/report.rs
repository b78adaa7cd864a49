//! The table of all programs.

use super::answer::{Answer, CHECKS};
use super::program::Everyday;
use std::collections::BTreeMap;

/// One row: a mark for each check.
pub fn row(program: &Everyday, answer: &Answer, wrong: &BTreeMap<&str, String>) -> String {
    let mark = |check: &&str| match (*check, wrong.contains_key(check)) {
        (_, true) => "no",
        ("memory", false) if program.memory().is_none() => "",
        _ => "yes",
    };
    let marks: Vec<&str> = CHECKS.iter().map(mark).collect();
    let (lines, seconds) = (answer.lines(), answer.took.as_secs_f64());
    format!("| {} | {} | {} | {lines} | {seconds:.2} |", program.name, program.classes().join(", "), marks.join(" | "))
}

/// The head of the table.
pub fn head() -> String {
    let rule = "|---".repeat(CHECKS.len() + 4);
    format!("| program | failure | {} | lines | seconds |\n{rule}|", CHECKS.join(" | "))
}
