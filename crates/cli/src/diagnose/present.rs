//! What was found, as a report.

use super::Found;
use super::suite::Case;
use crate::Status;
use crate::options::Diagnose as Options;
use std::time::Duration;
use wherefore_program::Program;

/// Prints the report.
pub fn emit(
    options: &Options,
    _program: &Program,
    cases: &[Case],
    found: &Found,
    _time: Duration,
) -> anyhow::Result<Status> {
    let line = |s: &u32| {
        let statement = &found.statements.list[*s as usize];
        format!("{}: {}", statement.at.line, statement.text)
    };
    println!("{} of {} tests fail", found.tests.len(), cases.len());
    for note in &found.notes {
        println!("note: {note}");
    }
    for (n, diagnosis) in found.ranked.iter().enumerate().take(20) {
        let statements: Vec<String> = diagnosis.set.iter().map(line).collect();
        println!("{}. {} {:?} {:.2}", n + 1, statements.join(" | "), diagnosis.consistency, diagnosis.suspicion);
    }
    for sets in &found.conflicts {
        println!(
            "conflicts {:?}",
            sets.sets.iter().map(|s| s.iter().map(line).collect::<Vec<_>>()).collect::<Vec<_>>()
        );
    }
    let _ = options;
    Ok(Status::Explained)
}
