//! `wherefore search --by automata` and `wherefore relevant --all-traces`: the programs of `tests/traces`, whose lines say what
//! is relevant in all error traces and in some, and those of `tests/safe`, which have none.

mod common;

use common::{run, workspace};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Programs of `tests/safe` that are proved; must not fall.
const PROVED: usize = 21;

fn files(directory: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(workspace().join(directory)).expect("the programs");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    files
}

/// The lines that end with a comment.
fn marked(text: &str, comment: &str) -> BTreeSet<u64> {
    (1..).zip(text.lines()).filter(|(_, line)| line.ends_with(comment)).map(|(number, _)| number).collect()
}

fn lines(list: &serde_json::Value) -> BTreeSet<u64> {
    let all = list.as_array().map_or(&[][..], Vec::as_slice);
    all.iter().map(|one| one["at"]["line"].as_u64().expect("a line")).collect()
}

#[test]
fn what_is_relevant_in_all_error_traces_and_in_some() {
    for file in files("tests/traces") {
        let text = std::fs::read_to_string(&file).expect("a text");
        let more = text.lines().find_map(|line| line.strip_prefix("// run:")).unwrap_or_default();
        let asked = ["relevant", "--all-traces", "--format", "json", file.to_str().expect("a name")];
        let said = run(&asked.into_iter().chain(more.split_whitespace()).collect::<Vec<_>>());
        let json = said.json();
        assert_eq!(said.status, Some(0), "{}: {}", file.display(), said.stderr);
        assert_eq!(lines(&json["relevant"]), marked(&text, "// relevant in all"), "{}: {json:#}", file.display());
        assert_eq!(lines(&json["in_some"]), marked(&text, "// relevant in some"), "{}", file.display());
        let traces = &json["traces"];
        let complete = if traces["complete"] == true { ", complete" } else { "" };
        let told = format!("// traces: {}{complete}", traces["found"]);
        assert!(text.lines().any(|line| line == told), "{}: {told}", file.display());
    }
}

#[test]
fn safe_programs_get_no_error_trace_and_most_are_proved() {
    let (mut proved, all) = (0, files("tests/safe"));
    assert!(all.len() >= 20);
    for file in &all {
        let name = file.to_str().expect("a name");
        let said = run(&["search", "--by", "automata", "--timeout", "5", "--format", "json", name]);
        let json = said.json();
        assert_eq!(json["tests"].as_array().map(Vec::len), Some(0), "{name}: {json:#}");
        assert!(matches!(said.status, Some(3 | 4)), "{name}: {:?}", said.status);
        proved += usize::from(json["proved"] == true);
    }
    assert!(proved >= PROVED, "only {proved} of {} are proved", all.len());
}

#[test]
fn an_error_trace_gives_inputs_that_fail() {
    let file = workspace().join("tests/traces/figure2.c");
    let said = run(&["search", "--by", "automata", file.to_str().expect("a name")]);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains("--nondet"), "{}", said.stdout);
}

#[test]
fn what_nobody_has_set_in_boogie_may_be_anything() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("unset.bpl");
    let text = "const strict: bool;\nvar level: bv8;\n\nprocedure main()\n{\n  if (strict) {\n    assert level != 3bv8;\n  }\n}\n";
    std::fs::write(&file, text).expect("a file");
    let name = file.to_str().expect("a name");
    let said = run(&["search", "--by", "automata", name]);
    assert_eq!(said.status, Some(0), "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("--input strict=true --input level=3"), "{}", said.stdout);
    std::fs::write(&file, text.replace("if (strict)", "if (strict && level == 4bv8)")).expect("a file");
    let said = run(&["search", "--by", "automata", name]);
    assert_eq!(said.status, Some(3), "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.starts_with("No input fails"), "{}", said.stdout);
}
