//! Programs of Boogie: the figures of Christ et al. tell the same as in C, the examples of the papers on relevance have the
//! marked statements relevant, and small programs with their expectations in comments (`tests/boogie`).

mod common;

use common::{ENCODINGS, Said, equivalent, run, steps, violations, workspace};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A file with what its comments say.
struct Sample {
    file: PathBuf,
    text: String,
}

impl Sample {
    fn all(directory: &str) -> Vec<Sample> {
        let directory = workspace().join("tests/boogie").join(directory);
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(directory).expect("the programs").map(|entry| entry.expect("a file").path()).collect();
        files.sort();
        assert!(!files.is_empty());
        let read = |file: PathBuf| Sample { text: std::fs::read_to_string(&file).expect("a text"), file };
        files.into_iter().map(read).collect()
    }

    /// What the comments of a word say.
    fn said(&self, word: &str) -> Vec<&str> {
        let prefix = format!("// {word}:");
        self.text.lines().filter_map(|line| line.strip_prefix(&prefix)).map(str::trim).collect()
    }

    fn one(&self, word: &str) -> Option<&str> {
        self.said(word).first().copied()
    }

    fn asked(&self, command: &str, more: &[&str]) -> Said {
        let mut arguments = vec![command.to_string(), self.file.display().to_string()];
        arguments.extend(more.iter().map(ToString::to_string));
        arguments.extend(self.one("run").unwrap_or_default().split_whitespace().map(str::to_string));
        run(&arguments)
    }

    fn name(&self) -> String {
        self.file.display().to_string()
    }
}

/// The program of a text, in a directory.
fn written(directory: &Path, text: &str) -> String {
    let file = directory.join("program.bpl");
    std::fs::write(&file, text).expect("a file");
    file.display().to_string()
}

/// A figure in C and in Boogie, with its entry and inputs.
const FIGURES: [(&str, &str, &[&str]); 5] = [
    ("fig1_xzero", "xZero", &["input=41"]),
    ("fig2_yzero", "yZero", &["input=41"]),
    ("fig2_yzero", "yZero", &["input=50"]),
    ("fig5_process", "process", &["x=0", "y=-1"]),
    ("fig7_absvalue", "absValue", &["input=-1"]),
];

fn figure(directory: &str, file: &str, entry: &str, inputs: &[&str]) -> Vec<String> {
    let file = workspace().join("tests").join(directory).join(file);
    let mut arguments = vec![file.display().to_string(), "--entry".into(), entry.into()];
    inputs.iter().for_each(|input| arguments.extend(["--input".to_string(), input.to_string()]));
    arguments
}

#[test]
fn the_figures_tell_the_same_story_as_in_c() {
    for (name, entry, inputs) in FIGURES {
        for encoding in ENCODINGS {
            let c = figure("figures", &format!("{name}.c"), entry, inputs);
            let boogie = figure("boogie/figures", &format!("{name}.bpl"), entry, inputs);
            let options = ["explain", "--format", "json", "--encoding", encoding].map(str::to_string);
            let tell = |program: &[String]| -> Value {
                let said = run(&options.iter().cloned().chain(program.iter().cloned()).collect::<Vec<_>>());
                assert_eq!(said.status, Some(0), "{program:?}: {}", said.stderr);
                said.json()
            };
            let (in_c, in_boogie) = (tell(&c), tell(&boogie));
            let what = format!("{name}, {inputs:?}, {encoding}: {in_boogie:#}");
            assert_eq!(in_boogie["explanation"]["checked"], true, "{what}");
            assert_eq!(in_boogie["failure"]["kind"], "assertion", "{what}");
            assert_eq!(in_boogie["failure"]["condition"], in_c["failure"]["condition"], "{what}");
            let precondition =
                |report: &Value| report["explanation"]["precondition"].as_str().unwrap_or("").to_string();
            let (of_c, of_boogie) = (precondition(&in_c), precondition(&in_boogie));
            assert!(equivalent(&of_c, &of_boogie, -60..=60), "{what}");
            let (told_c, told) = (steps(&in_c), steps(&in_boogie));
            let places = |all: &[common::Told]| -> Vec<(String, u64, Vec<u64>)> {
                let because = |s: &common::Told| s.because.iter().map(|(line, _)| *line).collect();
                all.iter().map(|s| (s.kind.clone(), s.line, because(s))).collect()
            };
            // What is a store to memory in one may be a variable of its own in the other.
            let same = |all: &[common::Told]| -> Vec<(String, u64, Vec<u64>)> {
                places(all).into_iter().map(|(k, l, b)| (k.replace("store", "assign"), l, b)).collect()
            };
            assert_eq!(same(&told), same(&told_c), "{what}");
            for (ours, theirs) in told.iter().zip(&told_c) {
                let holds = |told: &common::Told| told.invariant.clone().unwrap_or("true".into());
                assert!(
                    equivalent(&holds(ours), &holds(theirs), -9..=9),
                    "{} and {}: {what}",
                    holds(ours),
                    holds(theirs)
                );
            }
            assert_eq!(violations(&boogie, encoding), Vec::<String>::new(), "{what}");
        }
    }
}

#[test]
fn without_inputs_failing_ones_are_searched_for() {
    for (name, entry, _) in FIGURES {
        let program = figure("boogie/figures", &format!("{name}.bpl"), entry, &[]);
        let of = |command: &str| {
            run(&[vec![command.to_string(), "--format".into(), "json".into()], program.clone()].concat())
        };
        assert_eq!(of("explain").status, Some(0), "{name}");
        let found = of("search");
        assert_eq!(found.status, Some(0), "{name}: {}", found.stderr);
        let found = found.json();
        assert_eq!(found["complete"], true, "{found:#}");
        // What was found fails when it is given back.
        for test in found["tests"].as_array().expect("tests") {
            let arguments = test["arguments"].as_array().expect("arguments").iter();
            let arguments = arguments.map(|a| a.as_str().expect("a text").to_string());
            let all: Vec<String> =
                ["explain".to_string()].into_iter().chain(program.clone()).chain(arguments).collect();
            let fails = test["verdict"] == "fail";
            assert_eq!(run(&all).status, Some(if fails { 0 } else { 3 }), "{all:?}");
        }
    }
}

#[test]
fn the_marked_assignments_are_relevant_and_no_others() {
    for sample in Sample::all("relevant") {
        let marked: BTreeSet<u64> =
            (1..).zip(sample.text.lines()).filter(|(_, l)| l.ends_with("// RELEVANT")).map(|(n, _)| n).collect();
        for backend in ["cadical", "z3"] {
            let said = sample.asked("relevant", &["--format", "json", "--backend", backend]);
            assert_eq!(said.status, Some(0), "{}: {}", sample.name(), said.stderr);
            let json = said.json();
            let all = json["relevant"].as_array().expect("a list");
            let lines: BTreeSet<u64> = all.iter().map(|one| one["at"]["line"].as_u64().expect("a line")).collect();
            assert_eq!(lines, marked, "{} by {backend}", sample.name());
            assert_eq!(json["complete"], true, "{}", sample.name());
        }
    }
}

#[test]
fn constants_are_tried_by_the_interpreter() {
    let sample = Sample::all("relevant").into_iter().find(|s| s.file.ends_with("no_stop_requested.bpl")).expect("it");
    let json = sample.asked("relevant", &["--format", "json"]).json();
    let of = |name: &str| {
        let all = json["relevant"].as_array().expect("a list");
        all.iter().find(|one| one["variable"] == name).map(|one| (one["replacement"].clone(), one["replayed"].clone()))
    };
    assert_eq!(of("i"), Some(("0".into(), "passes".into())), "{json:#}");
    assert_eq!(of("stopRequested"), Some(("true".into(), "fails".into())), "the flag is not set");
}

#[test]
fn small_programs_fail_as_their_comments_say() {
    for sample in Sample::all("corpus") {
        let said = sample.asked("explain", &["--format", "json"]);
        assert_eq!(said.status, Some(0), "{}: {}", sample.name(), said.stderr);
        let report = said.json();
        let what = format!("{}: {report:#}", sample.name());
        assert_eq!(report["explanation"]["checked"], true, "{what}");
        let mut fails = sample.one("fails").expect("a failure").splitn(3, ' ');
        assert_eq!(report["failure"]["at"]["line"].to_string(), fails.next().unwrap_or_default(), "{what}");
        assert_eq!(report["failure"]["kind"], fails.next().unwrap_or_default(), "{what}");
        if let Some(text) = fails.next() {
            let texts = [&report["failure"]["condition"], &report["failure"]["message"]];
            assert!(texts.iter().any(|t| t.as_str().is_some_and(|t| t.contains(text))), "{what}");
        }
        let told = steps(&report);
        let lines: Vec<String> = told.iter().map(|step| step.line.to_string()).collect();
        if let Some(wanted) = sample.one("steps") {
            assert_eq!(lines.join(" "), wanted, "{what}");
        }
        if let Some(wanted) = sample.one("precondition") {
            let precondition = report["explanation"]["precondition"].as_str().expect("a precondition");
            assert!(equivalent(precondition, wanted, -20..=20), "{what}");
        }
        for wanted in sample.said("invariant") {
            let (line, text) = wanted.split_once(' ').expect("a line and a text");
            let is_it = |s: &common::Told| s.line.to_string() == line && s.invariant.as_deref() == Some(text);
            assert!(told.iter().any(is_it), "{wanted}: {what}");
        }
        assert!(lines.iter().all(|line| line != "0"), "a step has a place: {what}");
    }
}

#[test]
fn what_is_wrong_or_not_supported_is_told_by_its_place() {
    for sample in Sample::all("refused") {
        let said = sample.asked("explain", &[]);
        assert_eq!(said.status, Some(2), "{}", sample.name());
        let told = said.stderr.strip_prefix("wherefore: ").expect("who says it");
        let told: Vec<&str> =
            told.lines().filter_map(|line| line.strip_prefix(&format!("{}:", sample.name()))).collect();
        let wanted = sample.said("refused");
        assert_eq!(told.len(), wanted.len(), "{}", said.stderr);
        for (told, wanted) in told.iter().zip(wanted) {
            let (place, text) = wanted.split_once(' ').expect("a place and a text");
            assert!(told.starts_with(&format!("{place}: ")) && told.contains(text), "{wanted}, not {told}");
        }
        for command in ["relevant", "search"] {
            assert_eq!(sample.asked(command, &[]).status, Some(2), "{command} {}", sample.name());
        }
    }
}

#[test]
fn the_procedure_to_run_is_main_the_only_one_or_named() {
    let scratch = tempfile::tempdir().expect("a directory");
    let two = "procedure a() { assert false; }\nprocedure b() { assert true; }\n";
    let file = written(scratch.path(), two);
    let said = run(&["explain", &file]);
    assert_eq!(said.status, Some(2));
    assert!(said.stderr.contains("--entry has to name the procedure to run (there are a, b)"), "{}", said.stderr);
    assert_eq!(run(&["explain", &file, "--entry", "a"]).status, Some(0));
    let said = run(&["explain", &file, "--entry", "b"]);
    assert_eq!(said.status, Some(3));
    assert!(said.stderr.contains("no failure: every assertion that the run came to holds"), "{}", said.stderr);
    let said = run(&["explain", &file, "--entry", "c"]);
    assert_eq!(said.status, Some(2));
    assert!(said.stderr.contains("there is no procedure `c` with a body"), "{}", said.stderr);
    let file = written(scratch.path(), &format!("{two}procedure main() {{ assert false; }}\n"));
    assert_eq!(run(&["explain", &file]).status, Some(0));
}

#[test]
fn what_cannot_be_held_stops_a_run_loudly() {
    let scratch = tempfile::tempdir().expect("a directory");
    for (text, input, what) in [
        ("procedure p(x: int) { assert x * x >= 0; }", "x=4000000000", "1:30: a number leaves the range of 64 bits"),
        ("procedure p(x: int) { var m: [int]int; m[x] := 1; assert m[x] == 0; }", "x=-1", "1:40: an index of a map"),
        ("procedure p(x: int) { assert 7 div x == 0; }", "x=0", "1:23: a division by zero"),
        ("procedure p(x: int) { var m: [int][int]int; m[0][x] := 1; }", "x=1048576", "1:45: an index of a map"),
    ] {
        let file = written(scratch.path(), text);
        let said = run(&["explain", &file, "--input", input, "--format", "json"]);
        assert_eq!(said.status, Some(4), "{text}: {}", said.stderr);
        let place = what.replace("1:30", "1:23");
        let told = said.json()["notes"].to_string();
        assert!(told.contains(&place), "{place} in {told}");
    }
}

#[test]
fn what_is_found_is_said_to_be_all_only_if_it_is() {
    let scratch = tempfile::tempdir().expect("a directory");
    let search = |text: &str| run(&["search", &written(scratch.path(), text), "--format", "json"]);
    // Every way was gone.
    let said = search("procedure p(x: int) { if (x > 3) { assert x > 2; } }");
    assert_eq!((said.status, &said.json()["complete"]), (Some(3), &true.into()), "{}", said.stdout);
    // What a map holds at the beginning is not searched, nor what leaves 64 bits.
    for text in [
        "var m: [int]int; procedure p() { assert m[3] == 0; }",
        "function f(x: int): int; procedure p() { assert f(3) == 0; }",
        "procedure p(x: int) { if (x > 4000000000) { assert x * x > 0; } }",
    ] {
        let said = search(text);
        assert_eq!(said.json()["complete"], false, "{text}: {}", said.stdout);
    }
    // A map that is set is as it was set.
    let said = search("procedure p(x: int) { var m: [int]int; m[3] := x; assert m[3] != 77; }");
    assert_eq!(said.status, Some(0), "{}", said.stdout);
    assert!(said.stdout.contains("77"), "{}", said.stdout);
}

#[test]
fn what_is_for_c_programs_is_refused() {
    let scratch = tempfile::tempdir().expect("a directory");
    let file = written(scratch.path(), "procedure main() { assert false; }");
    for (arguments, what) in [
        (vec!["diagnose", &file], "a program of Boogie is not compiled"),
        (vec!["record", &file], "not written to a file"),
        (vec!["explain", &file, "--", "1"], "neither arguments nor standard input"),
        (vec!["explain", &file, &file], "one file"),
    ] {
        let said = run(&arguments);
        assert_eq!(said.status, Some(2), "{arguments:?}: {}", said.stderr);
        assert!(said.stderr.contains(what), "{arguments:?}: {}", said.stderr);
    }
}
