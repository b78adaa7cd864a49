//! Everything that can be found out about programs, many at a time.

use super::explained::{TOO_HARD, WAYS, Way, explain, record};
use super::properties::{Complaint, UNDECIDED, judge};
use super::reality::{self, Check};
use super::render::render;
use super::sketch::Sketch;
use super::subject::{Subject, subjects};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use tempfile::TempDir;

/// What is found out about a program.
pub struct Verdict {
    pub subject: Subject,
    pub complaints: Vec<Complaint>,
    /// Invariants that were checked natively.
    pub checks: Vec<Check>,
    /// How many could not be.
    pub left_out: usize,
}

/// Everything about some programs, explained in some ways; nothing about those that do not fail.
pub fn verdicts(sketches: &[Sketch], ways: &[&'static Way]) -> Vec<Option<Verdict>> {
    let directory = scratch();
    let programs = sketches.iter().map(|s| (render(s), s.assertion.clone())).collect();
    let subjects = subjects(programs, directory.path());
    let mut results: Vec<Option<Verdict>> =
        subjects.into_iter().map(|s| s.map(|s| verdict(s, ways, directory.path()))).collect();
    let checks: Vec<(&Subject, &[Check])> = results.iter().flatten().map(|v| (&v.subject, &v.checks[..])).collect();
    let complaints = reality::complaints(&checks, directory.path());
    for (verdict, more) in results.iter_mut().flatten().zip(complaints) {
        verdict.complaints.extend(more);
    }
    results
}

/// What can be said about a program without running it natively.
fn verdict(subject: Subject, ways: &[&'static Way], directory: &Path) -> Verdict {
    let mut verdict = Verdict { subject, complaints: vec![], checks: vec![], left_out: 0 };
    let complaint = |property, way, text| Complaint { property, way, text };
    let happened = match record(&verdict.subject, directory) {
        Ok(happened) => happened,
        Err(text) => {
            verdict.complaints.push(complaint("recorded", WAYS[0].name, text));
            return verdict;
        }
    };
    for way in ways {
        let judged = catch_unwind(AssertUnwindSafe(|| {
            let mut explained = explain(&happened, way, directory)?;
            let (checks, left_out) = reality::checks(&verdict.subject, &happened.program, &explained);
            verdict.complaints.extend(judge(&verdict.subject, &happened.program, &mut explained));
            verdict.checks.extend(checks);
            verdict.left_out += left_out;
            Ok::<(), String>(())
        }));
        let more = match judged {
            Ok(Ok(())) => continue,
            Ok(Err(text)) if text == TOO_HARD => complaint(UNDECIDED, way.name, text),
            Ok(Err(text)) => complaint("error", way.name, text),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
                complaint("panic", way.name, text.unwrap_or_default())
            }
        };
        verdict.complaints.push(more);
    }
    verdict
}

fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
    tempfile::Builder::new().prefix("generated").tempdir_in(base).expect("there is room")
}
