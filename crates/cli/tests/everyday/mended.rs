//! What `diagnose` makes of a program: where its cause is among the diagnoses, and whether an edit of it passes.

use super::program::Everyday;
use crate::common::{Said, wherefore, workspace};
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

/// The answer of `diagnose`.
pub struct Mended {
    /// The place of the cause among the diagnoses, from 1.
    pub rank: Option<usize>,
    /// What found it.
    pub by: String,
    /// Whether an edit of the cause passes.
    pub cause_patched: bool,
    /// Whether some edit passes.
    pub patched: bool,
    /// How long it took.
    pub took: Duration,
}

impl Mended {
    /// Diagnoses a program within a minute.
    pub fn of(program: &Everyday, scratch: &Path) -> Mended {
        let mut arguments = program.arguments(scratch);
        // How long the run may take is for its story.
        if let Some(at) = arguments.iter().position(|a| a == "--timeout") {
            arguments.drain(at..at + 2);
        }
        let began = Instant::now();
        let fixed = ["diagnose", "--format", "json", "--timeout", "60"].map(String::from);
        let all = [fixed.to_vec(), arguments].concat();
        let said: Said = wherefore().current_dir(workspace()).args(all).output().expect("wherefore starts").into();
        let took = began.elapsed();
        let report: Value = serde_json::from_str(&said.stdout).unwrap_or(Value::Null);
        let diagnoses = report["diagnoses"].as_array().cloned().unwrap_or_default();
        let causes = program.marked("CAUSE");
        let is_cause = |at: &Value| {
            let file = Path::new(at["file"].as_str().unwrap_or_default()).file_name().unwrap_or_default();
            let lines = at["line"].as_u64().unwrap_or(0)..=at["end_line"].as_u64().unwrap_or(0);
            causes.iter().any(|(name, line)| **name == *file && lines.contains(line))
        };
        let has_it = |d: &&Value| d["statements"].as_array().is_some_and(|all| all.iter().any(|s| is_cause(&s["at"])));
        let rank = diagnoses.iter().position(|d| has_it(&d));
        let has_patch = |d: &Value| d["patches"].as_array().is_some_and(|all| all[0]["passes"] == all[0]["of"]);
        let found = rank.map(|rank| &diagnoses[rank]);
        Mended {
            rank: rank.map(|rank| rank + 1),
            by: found.and_then(|d| d["by"].as_str()).unwrap_or_default().to_string(),
            cause_patched: found.is_some_and(has_patch),
            patched: diagnoses.iter().any(has_patch),
            took,
        }
    }
}
