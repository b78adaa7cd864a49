//! What came of one program: a file of JSON, and a line of the table.

use super::manifest::Entry;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use wherefore_report::{Answer, Report, Verdict};

/// What came of one program.
#[derive(Serialize, Deserialize)]
pub struct Outcome {
    /// Its name in the list.
    pub name: String,
    /// What `wherefore diagnose` was given.
    pub arguments: Vec<String>,
    /// The exit status of `wherefore diagnose`.
    pub status: i32,
    /// How long it took.
    pub seconds: f64,
    /// What it wrote to standard error.
    pub message: String,
    /// Its report, as `--format json` gives it; none where there was nothing to report.
    pub report: Option<serde_json::Value>,
}

/// Where the result of a program is.
pub fn path(directory: &Path, name: &str) -> PathBuf {
    directory.join(format!("{name}.json"))
}

impl Outcome {
    /// The result of an earlier run that was given the same, unless a file that the line names is not older.
    pub fn kept(directory: &Path, entry: &Entry, arguments: &[String], base: &Path) -> Option<Outcome> {
        let path = path(directory, &entry.name);
        let made = std::fs::metadata(&path).and_then(|m| m.modified()).ok()?;
        let is_newer = |word: &std::ffi::OsString| {
            let changed = std::fs::metadata(base.join(word)).and_then(|m| m.modified());
            // The clock of files ticks slowly: what is as old as the result may have been written after it.
            changed.is_ok_and(|changed| changed >= made)
        };
        let outcome: Outcome = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
        Some(outcome).filter(|o| o.arguments == arguments && !entry.arguments.iter().any(is_newer))
    }

    /// Writes the result, at once or not at all.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, directory: &Path) -> io::Result<()> {
        let path = path(directory, &self.name);
        let folder = path.parent().unwrap_or(directory);
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer_pretty(&mut file, self)?;
        file.persist(path)?;
        Ok(())
    }

    /// Its line of the table.
    pub fn row(&self) -> [String; 7] {
        let report = self.report.as_ref().and_then(|json| serde_json::from_value::<Report>(json.clone()).ok());
        let found = report.and_then(|report| match report.answer {
            Some(Answer::Diagnosed(found)) => Some(found),
            _ => None,
        });
        let answer = match self.status {
            0 => "diagnosed",
            2 => "cannot be run",
            3 => "passes",
            4 => "partial",
            _ => "failed",
        };
        let tests = found.as_ref().map_or(String::new(), |found| {
            let failing = found.tests.iter().filter(|t| t.verdict == Verdict::Fail).count();
            format!("{failing} of {}", found.tests.len())
        });
        let first = found.as_ref().and_then(|found| found.diagnoses.first());
        let patched = first.is_some_and(|d| d.has_repair());
        let place = first.map_or(String::new(), |d| {
            let of = |s: &wherefore_report::Statement| format!("{}:{}", s.at.file, s.at.line);
            d.statements.iter().map(of).collect::<Vec<_>>().join(" + ")
        });
        let count = found.as_ref().map_or(String::new(), |found| found.diagnoses.len().to_string());
        let said = self.message.lines().find(|line| line.contains("error:")).or_else(|| self.message.lines().next());
        let place = if found.is_none() && self.status != 3 { said.unwrap_or_default().to_string() } else { place };
        let edit = if patched { "yes" } else { "" };
        [self.name.clone(), answer.into(), tests, count, edit.into(), place, format!("{:.1}", self.seconds)]
    }
}
