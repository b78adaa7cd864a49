//! Programs with threads (`tests/threads`): which failure is told, in which thread, and what is said of the values that others
//! wrote. `fails: LINE KIND [TEXT]`, or `nowhere`; `says: TEXT` stands in what a person reads. `hangs: LINE TEXT`: it does not
//! end, and where it stands then is told so. `spins:` it is at work until a signal comes.

mod common;

use common::{Program, run, violations, wherefore};
use std::process::Command;

#[track_caller]
fn check(name: &str) {
    let program = Program::read("threads", name);
    let scratch = tempfile::tempdir().expect("a directory");
    let arguments = program.arguments(scratch.path());
    if let Some(hangs) = program.one("hangs") {
        return check_hang(&program, hangs, &arguments);
    }
    let recording = scratch.path().join("recording").display().to_string();
    let with = |words: &[&str], arguments: &[String]| -> Vec<String> {
        words.iter().map(|word| (*word).to_string()).chain(arguments.iter().cloned()).collect()
    };
    let recorded = run(&with(&["record", "-q", "-o", &recording], &arguments));
    assert_eq!(recorded.status, Some(0), "{}", recorded.stderr);
    // Another run may go otherwise; what is held against the expectations is the same one.
    let recorded = match program.one("run").unwrap_or_default() {
        "" => vec![recording],
        options => [recording].into_iter().chain(options.split_whitespace().map(String::from)).collect(),
    };
    let fails = program.one("fails").expect("what is expected");
    let said = run(&with(&["explain", "--format", "json"], &recorded));
    if fails == "nowhere" {
        assert_eq!(said.status, Some(3), "{}{}", said.stdout, said.stderr);
        return;
    }
    assert_eq!(said.status, Some(0), "{}{}", said.stdout, said.stderr);
    let report = said.json();
    let mut wanted = fails.splitn(3, ' ');
    let failure = &report["failure"];
    assert_eq!(failure["at"]["line"].as_u64(), wanted.next().and_then(|line| line.parse().ok()), "{failure}");
    assert_eq!(failure["kind"].as_str(), wanted.next(), "{failure}");
    let text = wanted.next().unwrap_or_default();
    assert!(failure.to_string().contains(text), "{failure}");
    // What others do with other inputs is not known.
    assert_eq!(report["explanation"]["precondition"], "", "{}", report["explanation"]);
    // Where a program waits for a signal in a loop, its story has too many statements to be checked one by one.
    if program.one("spins").is_none() {
        assert_eq!(violations(&recorded, "flow-sensitive"), Vec::<String>::new());
    }
    says(&program, &run(&with(&["explain", "-v"], &recorded)).stdout);
}

/// A person reads what is expected.
#[track_caller]
fn says(program: &Program, told: &str) {
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    for says in program.all("says") {
        assert!(told.contains(says), "`{says}` is not in:\n{told}");
    }
}

/// The run is stopped, and the report says where it stood.
#[track_caller]
fn check_hang(program: &Program, hangs: &str, arguments: &[String]) {
    let (line, text) = hangs.split_once(' ').expect("a line and what is told");
    let recording = tempfile::NamedTempFile::new().expect("a file").into_temp_path().display().to_string();
    let recorded = run(&[&["record", "-q", "--timeout", "4", "-o", &recording].map(String::from), arguments].concat());
    assert_eq!(recorded.status, Some(4), "{}", recorded.stderr);
    let said = run(&["explain", "--format", "json", &recording]);
    assert_eq!(said.status, Some(0), "{}{}", said.stdout, said.stderr);
    let failure = &said.json()["failure"];
    assert_eq!(failure["kind"], "timeout", "{failure}");
    assert_eq!(failure["at"]["line"].as_u64(), line.parse().ok(), "{failure}");
    assert!(failure.to_string().contains(text), "{failure}");
    says(program, &run(&["explain", "-v", &recording]).stdout);
}

macro_rules! programs {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check(stringify!($name)); })*

        #[test]
        fn all_programs_are_tested() {
            let mut names: Vec<String> = std::fs::read_dir(common::workspace().join("tests/threads"))
                .expect("a directory")
                .map(|entry| entry.expect("a file").path().file_stem().expect("a name").to_string_lossy().into_owned())
                .collect();
            names.sort();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

programs! {
    as_a_number
    crash_while_others_run
    exit_in_a_worker
    forgotten_unlock
    handler_in_between
    handler_that_was_set
    join_result
    jump_out_of_a_handler
    left_unset
    locked_crosswise
    locked_twice
    many
    one_too_few
    producers
    reads_once_more
    signal_from_a_thread
    signalled_too_early
    stale_flag
    sum_of_parts
    through_a_pipe
    timer
    too_many_taken
    used_after_free
}

#[test]
fn a_process_that_recorded_itself() {
    let scratch = tempfile::tempdir().expect("a directory");
    for (name, at) in [("sum_of_parts", 43), ("too_many_taken", 21)] {
        let source = common::workspace().join(format!("tests/threads/{name}.c"));
        let (executable, directory) = (scratch.path().join(name), scratch.path().join(format!("{name}.runs")));
        std::fs::create_dir(&directory).expect("a directory");
        let built = wherefore().arg("cc").args(["-g", "-pthread", "-o"]).args([&executable, &source]).status();
        assert!(built.expect("it starts").success());
        let ran = Command::new(&executable).env("WHEREFORE_RECORD", &directory).output().expect("it starts");
        assert!(!ran.status.success());
        let recording = std::fs::read_dir(&directory).expect("a directory").map(|entry| entry.expect("a file").path());
        let recording = recording.into_iter().find(|path| path.extension().is_some_and(|e| e == "recording"));
        let recording = recording.expect("it left a recording").display().to_string();
        let report = run(&["explain", "--format", "json", &recording]).json();
        assert_eq!(report["failure"]["at"]["line"], at, "{report}");
    }
}

/// Nothing is complete where other threads may do otherwise.
#[test]
fn a_search_does_not_claim_to_be_complete() {
    let source = common::workspace().join("tests/threads/stale_flag.c");
    let report = run(&["search", "--format", "json", "--timeout", "10", &source.display().to_string()]).json();
    assert_ne!(report["complete"], true, "{report}");
    assert!(report.to_string().contains("threads"), "{report}");
}
