//! A run that is sliced tells the story of the run that is not: the same failure and the same steps for the same reasons.
//!
//! What is compared is what a story says of the program. Invariants may name a cell otherwise, since fewer pointers are seen
//! to lead there, and come in another order.

#[allow(dead_code)]
#[path = "everyday/program.rs"]
mod program;

mod common;
mod generator;

use common::{Program, programs_of, report};
use generator::render::render;
use generator::strategy::sketch;
use generator::subject::subjects;
use program::Everyday;
use proptest::strategy::ValueTree;
use serde_json::{Value, json};
use std::path::Path;
use wherefore_parallel::{parallel, processors};

/// Programs whose sliced runs tell it otherwise, and what is otherwise.
const OTHERWISE: [(&str, &str); 2] = [
    // The value is told by another of the statements that make the assertion fail.
    ("out_parameter", "steps"),
    // The object has no type: no access to it by a member is in the slice.
    ("task_list", "failure"),
];

/// Generated programs, and one of them that takes solvers minutes: what is found for it depends on the time there is.
const PROGRAMS: u64 = 30;
const HARD: u64 = 2;

/// What is said of a run when those of more words are sliced.
fn told(arguments: &[String], above: &str) -> Value {
    let (status, report) = report(&["explain", "--format", "json", "-q", "--slice-above", above], arguments);
    let places = |of: &Value| -> Vec<Value> {
        let all = of.as_array().into_iter().flatten();
        all.map(|it| json!([it["at"]["file"], it["at"]["line"], it["text"], it["kind"]])).collect()
    };
    let steps = report["explanation"]["steps"].as_array().into_iter().flatten();
    let steps: Vec<Value> =
        steps.map(|s| json!([s["at"]["line"], s["text"], s["kind"], places(&s["because"])])).collect();
    let failure = &report["failure"];
    let failure = json!([failure["kind"], failure["at"], failure["message"], failure["condition"]]);
    json!({ "status": status, "failure": failure, "steps": steps })
}

/// What is otherwise in a sliced run.
fn differences(arguments: &[String]) -> Vec<String> {
    let (whole, sliced) = (told(arguments, &usize::MAX.to_string()), told(arguments, "0"));
    let parts = ["status", "failure", "steps"].into_iter();
    parts.filter(|part| whole[part] != sliced[part]).map(str::to_string).collect()
}

/// The differences of some programs, those apart that are known.
fn compare(programs: Vec<(String, Vec<String>)>) {
    let wrong = parallel(&programs, processors(), |_, (name, arguments)| {
        let found = differences(arguments);
        let new = found.iter().filter(|part| !OTHERWISE.contains(&(name, part)));
        new.map(|part| format!("{name}: other {part}: {}", arguments.join(" "))).collect::<Vec<_>>()
    });
    let wrong = wrong.concat();
    assert!(!programs.is_empty());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn of_directory(directory: &str, scratch: &Path) -> Vec<(String, Vec<String>)> {
    let programs = programs_of(directory).into_iter().map(|name| (Program::read(directory, &name), name));
    programs.map(|(program, name)| (name, program.arguments(scratch))).collect()
}

#[test]
fn small_programs() {
    let scratch = tempfile::tempdir().expect("a directory");
    compare([of_directory("stories", scratch.path()), of_directory("corpus", scratch.path())].concat());
}

#[test]
fn everyday_programs() {
    let scratch = tempfile::tempdir().expect("a directory");
    // A run that does not end is not sliced.
    let programs = Everyday::names().into_iter().map(|name| (Everyday::read(&name), name));
    let programs = programs.filter(|(program, _)| !program.kinds().contains(&"timeout"));
    compare(programs.map(|(program, name)| (name, program.arguments(scratch.path()))).collect());
}

#[test]
fn generated_programs() {
    let scratch = tempfile::tempdir().expect("a directory");
    let sketches: Vec<_> = (0..PROGRAMS)
        .filter(|seed| *seed != HARD)
        .map(|seed| generator::shrunk::tree(&sketch(), seed).current())
        .collect();
    let programs = sketches.iter().map(|sketch: &generator::sketch::Sketch| (render(sketch), sketch.assertion.clone()));
    let subjects = subjects(programs.collect(), scratch.path());
    let failing = subjects.iter().enumerate().filter_map(|(number, subject)| Some((number, subject.as_ref()?)));
    let programs = failing.map(|(number, subject)| {
        let file = scratch.path().join(format!("{number}.c"));
        std::fs::write(&file, subject.text()).expect("a program is written");
        let mut arguments = vec![file.display().to_string(), "--entry".into(), subject.program.entry.clone()];
        for (name, value) in &subject.program.inputs {
            arguments.extend(["--input".into(), format!("{name}={value}")]);
        }
        (format!("generated {number}"), arguments)
    });
    compare(programs.collect());
}
