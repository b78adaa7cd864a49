//! Programs as first-year students write them (`tests/exercises`), each with one fault of output text, input format, a missing
//! or superfluous statement, an operator, a constant or floating point, in the line marked `CAUSE`: `diagnose` has it among
//! its first three. What it takes for a repair is run on the test, so it is enough to look at the place.

mod common;

use common::{Said, wherefore, workspace};
use std::path::PathBuf;

/// The programs without their endings.
fn programs() -> Vec<PathBuf> {
    let listed = std::fs::read_dir(workspace().join("tests/exercises")).expect("the programs");
    let files = listed.map(|entry| entry.expect("a file").path()).filter(|p| p.extension().is_some_and(|e| e == "c"));
    let mut programs: Vec<PathBuf> = files.map(|p| p.with_extension("")).collect();
    programs.sort();
    programs
}

/// What `diagnose` says of a program.
fn diagnosed(program: &std::path::Path, more: &[&str]) -> Said {
    let file = |ending: &str| program.with_extension(ending).display().to_string();
    let arguments = [&file("c"), "--stdin", &file("in"), "--expect-stdout", &file("out"), "--timeout", "120"];
    wherefore().arg("diagnose").args(arguments).args(more).output().expect("wherefore starts").into()
}

/// Where the fault is among the diagnoses, from 1, and whether an edit of it passes.
fn rank(program: &std::path::Path, report: &serde_json::Value) -> Option<(usize, bool)> {
    let text = std::fs::read_to_string(program.with_extension("c")).expect("the program");
    let cause = 1 + text.lines().position(|line| line.contains("/* CAUSE */")).expect("a cause") as u64;
    let diagnoses = report["diagnoses"].as_array().expect("diagnoses");
    let is_it = |diagnosis: &&serde_json::Value| {
        let statements = diagnosis["statements"].as_array().expect("statements");
        let lines = |at: &serde_json::Value| at["line"].as_u64().unwrap_or(0)..=at["end_line"].as_u64().unwrap_or(0);
        statements.iter().any(|s| lines(&s["at"]).contains(&cause))
    };
    let found = diagnoses.iter().position(|d| is_it(&d))?;
    let patch = &diagnoses[found]["patches"][0];
    Some((found + 1, patch.is_object() && patch["passes"] == patch["of"]))
}

#[test]
fn the_fault_is_among_the_first_three() {
    let programs = programs();
    assert!(programs.len() >= 20);
    let mut wrong = vec![];
    for program in &programs {
        let said = diagnosed(program, &["--format", "json"]);
        match rank(program, &said.json()) {
            Some((1..=3, true)) => {}
            found => wrong.push(format!("{}: {found:?}", program.display())),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_best_patch_is_written_and_applied() {
    let directory = tempfile::tempdir().expect("a directory");
    let here = |name: &str| directory.path().join(name);
    for ending in ["c", "in", "out"] {
        let name = format!("factorial.{ending}");
        std::fs::copy(workspace().join("tests/exercises").join(&name), here(&name)).expect("a copy");
    }
    let before = std::fs::read_to_string(here("factorial.c")).expect("the program");
    let patch = here("best.diff");
    let said = diagnosed(&here("factorial"), &["--patch", patch.to_str().expect("a path")]);
    assert_eq!(said.status, Some(0), "{}{}", said.stdout, said.stderr);
    let diff = std::fs::read_to_string(&patch).expect("a patch");
    assert!(diff.contains("\n-    long result = 0;") && diff.contains("\n+    long result = 1;"), "{diff}");
    assert_eq!(std::fs::read_to_string(here("factorial.c")).expect("the program"), before, "nobody asked for it");

    let said = diagnosed(&here("factorial"), &["--apply"]);
    assert_eq!(said.status, Some(0), "{}{}", said.stdout, said.stderr);
    assert!(said.stderr.contains("factorial.c is changed"), "{}", said.stderr);
    let after = std::fs::read_to_string(here("factorial.c")).expect("the program");
    assert_eq!(after, before.replace("long result = 0", "long result = 1"));
    let said = diagnosed(&here("factorial"), &["--apply"]);
    assert_eq!(said.status, Some(3), "{}{}", said.stdout, said.stderr);
}

/// What an edit could do to other files is not worth a patch.
#[test]
fn programs_that_change_files_are_not_edited() {
    let directory = tempfile::tempdir().expect("a directory");
    for act in ["remove(\"old\")", "fopen(\"log\", \"w\") != 0", "system(\"true\")"] {
        let text = format!(
            "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\nint main(void)\n{{\n    int n = 1;\n    int done = {act};\n    \
             assert(n == 2);\n    return done;\n}}\n"
        );
        std::fs::write(directory.path().join("p.c"), text).expect("the program is written");
        let said: Said = wherefore()
            .current_dir(directory.path())
            .args(["diagnose", "p.c", "--format", "json"])
            .output()
            .expect("wherefore starts")
            .into();
        let report = said.json();
        assert!(report["notes"].to_string().contains("no edits are tried"), "{act}: {report:#}");
        let all = report["diagnoses"].as_array().expect("diagnoses");
        assert!(all.iter().all(|d| d["patches"].is_null()), "{act}: {report:#}");
    }
}
