//! Correct runs, of which nothing may be said.

use super::program::Everyday;
use crate::common::{run, workspace};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Runs of the programs of `tests/unfold` that do nothing undefined: name and arguments of `explain`.
pub fn unfolded(scratch: &Path) -> Vec<(String, Vec<String>)> {
    let listed =
        std::fs::read_dir(workspace().join("tests/unfold")).expect("programs").map(|e| e.expect("a file").path());
    let mut files: Vec<PathBuf> = listed.filter(|p| p.extension().is_some_and(|e| e == "c")).collect();
    files.sort();
    files.iter().flat_map(|file| runs(file, scratch)).collect()
}

fn runs(file: &Path, scratch: &Path) -> Vec<(String, Vec<String>)> {
    let source = std::fs::read_to_string(file).expect("a source");
    let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
    let all = |word: &str| -> Vec<&str> {
        source.lines().filter_map(|l| l.strip_prefix("// ")?.strip_prefix(word)?.strip_prefix(':')).collect()
    };
    if !all("fails").is_empty() {
        return vec![];
    }
    let (arguments, stdin) = (all("args"), all("stdin"));
    let one = |n: usize| {
        let mut words = vec![file.display().to_string()];
        if let Some(text) = stdin.get(n) {
            let input = scratch.join(format!("{name}.{n}"));
            std::fs::write(&input, text.trim_start().replace("\\n", "\n").replace("\\t", "\t")).expect("input");
            words.extend(["--stdin".into(), input.display().to_string()]);
        }
        words.push("--".into());
        words.extend(arguments.get(n).map_or(vec![], |a| a.split_whitespace().map(str::to_string).collect()));
        (format!("{name} {n}"), words)
    };
    (0..arguments.len().max(stdin.len()).max(1)).map(one).collect()
}

/// The repaired programs, likewise.
pub fn repaired(scratch: &Path) -> Vec<(String, Vec<String>)> {
    Everyday::names().into_iter().map(|name| (name.clone(), Everyday::read(&name).repaired(scratch))).collect()
}

/// What is said of the memory of a run, if anything.
pub fn alarm(arguments: &[String]) -> Option<String> {
    let said = run(&[vec!["explain".into(), "--format".into(), "json".into()], arguments.to_vec()].concat());
    let report: Value = serde_json::from_str(&said.stdout).unwrap_or(Value::Null);
    match (said.status, report["failure"]["kind"].as_str()) {
        (Some(0 | 4), Some("memory")) => Some(report["failure"]["message"].to_string()),
        (Some(0 | 3 | 4), _) => None,
        (status, _) => Some(format!("exit status {status:?}: {}", said.stderr)),
    }
}
