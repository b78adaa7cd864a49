//! `wherefore diagnose --batch`: a class of programs, each with its tests.

mod common;

use common::{Said, wherefore};
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Prints the larger of two numbers; `OP` decides how well.
const LARGER: &str = "#include <stdio.h>
int main(void) {
  int a, b;
  if (scanf(\"%d %d\", &a, &b) != 2)
    return 1;
  if (a OP b)
    printf(\"%d\\n\", a);
  else
    printf(\"%d\\n\", b);
  return 0;
}
";

const ENDLESS: &str = "int main(void) { volatile int x = 1; while (x) ; return 0; }\n";

/// A class: two programs with faults, one without, one that is none.
fn class() -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    };
    write("anna.c", &LARGER.replace("OP", "<"));
    write("ben.c", &LARGER.replace("OP", ">"));
    write("carla.c", &LARGER.replace("OP", "!="));
    write("dirk.c", "int main(void) { return }\n");
    for (name, given, wanted) in [("one", "3 5", "5\n"), ("two", "9 2", "9\n"), ("three", "4 4", "4\n")] {
        write(&format!("tests/{name}.in"), given);
        write(&format!("tests/{name}.out"), wanted);
    }
    let line = |name: &str| format!("{name}/larger {name}.c --tests tests\n");
    write("class.txt", &format!("# a class\n{}", ["anna", "ben", "carla", "dirk"].map(line).concat()));
    directory
}

fn batch(directory: &Path, options: &[&str]) -> Said {
    let mut command = wherefore();
    command.current_dir(directory).args(["diagnose", "--batch", "class.txt", "-o", "out"]).args(options);
    command.output().expect("it runs").into()
}

fn result(directory: &Path, name: &str) -> Value {
    let text = std::fs::read(directory.join("out").join(name)).expect("a result");
    serde_json::from_slice(&text).expect("it is JSON")
}

#[test]
fn each_program_has_its_result_and_its_line() {
    let class = class();
    let said = batch(class.path(), &["--jobs", "2"]);
    assert_eq!(said.status, Some(0), "{}{}", said.stdout, said.stderr);
    let anna = result(class.path(), "anna/larger.json");
    assert_eq!(anna["status"], 0);
    assert_eq!(anna["report"]["command"], "diagnose");
    let first = &anna["report"]["diagnoses"][0];
    assert_eq!(first["statements"][0]["at"]["line"], 6, "{first}");
    assert!(first["patches"][0]["diff"].as_str().expect("a diff").contains("a > b"), "{first}");
    assert_eq!(result(class.path(), "ben/larger.json")["status"], 3);
    let dirk = result(class.path(), "dirk/larger.json");
    assert_eq!((&dirk["status"], &dirk["report"]), (&Value::from(2), &Value::Null));
    assert!(dirk["message"].as_str().expect("a text").contains("expected expression"), "{dirk}");
    let table = std::fs::read_to_string(class.path().join("out/summary.tsv")).expect("a table");
    let answers: Vec<&str> = table.lines().skip(1).filter_map(|line| line.split('\t').nth(1)).collect();
    assert_eq!(answers, ["diagnosed", "passes", "diagnosed", "cannot be run"], "{table}");
    assert!(said.stdout.contains("4 of 4 programs: 2 diagnosed (2 with an edit"), "{}", said.stdout);
}

#[test]
fn what_is_done_is_not_done_again() {
    let class = class();
    assert_eq!(batch(class.path(), &["--shard", "1/2"]).status, Some(0));
    let out = class.path().join("out");
    assert!(out.join("carla/larger.json").exists() && !out.join("ben/larger.json").exists(), "only its share");
    let kept = std::fs::metadata(out.join("anna/larger.json")).and_then(|m| m.modified()).expect("a time");
    // Younger than its result.
    std::fs::write(class.path().join("carla.c"), LARGER.replace("OP", ">")).expect("a file");
    let said = batch(class.path(), &[]);
    assert_eq!(std::fs::metadata(out.join("anna/larger.json")).and_then(|m| m.modified()).expect("a time"), kept);
    assert_eq!(result(class.path(), "carla/larger.json")["status"], 3, "it was mended");
    assert!(said.stdout.contains("4 of 4 programs: 1 diagnosed"), "{}", said.stdout);
    // What was asked before is no answer to another question.
    let other = "anna/larger ben.c --tests tests --jobs 1\n";
    std::fs::write(class.path().join("class.txt"), other).expect("a file");
    batch(class.path(), &[]);
    assert_eq!(result(class.path(), "anna/larger.json")["status"], 3);
}

#[test]
fn a_program_may_take_its_time_and_no_more() {
    let class = class();
    std::fs::write(class.path().join("endless.c"), ENDLESS).expect("a file");
    std::fs::write(class.path().join("class.txt"), "e endless.c --expect-status 0\na anna.c --tests tests\n")
        .expect("a file");
    let said = batch(class.path(), &["--timeout", "4", "--jobs", "1"]);
    assert_eq!(said.status, Some(0), "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("2 of 2 programs"), "{}", said.stdout);
    assert_eq!(result(class.path(), "a.json")["status"], 0, "one does not keep the others");
}

#[test]
fn a_batch_that_is_stopped_goes_on_later() {
    let class = class();
    let many: String = (0..40).map(|n| format!("p{n} anna.c --tests tests\n")).collect();
    std::fs::write(class.path().join("class.txt"), many).expect("a file");
    let mut command = wherefore();
    command.current_dir(class.path()).args(["diagnose", "--batch", "class.txt", "-o", "out", "--jobs", "2"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let began = Instant::now();
    while !class.path().join("out/p0.json").exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "nothing is done");
        std::thread::sleep(Duration::from_millis(20));
    }
    // SAFETY: a plain system call; the child is not waited for yet.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) };
    let said: Said = child.wait_with_output().expect("it ends").into();
    assert_eq!(said.status, Some(4), "{}{}", said.stdout, said.stderr);
    let kept = std::fs::read_dir(class.path().join("out")).expect("a directory").flatten();
    for file in kept.filter(|f| f.file_name().to_string_lossy().ends_with(".json")) {
        let name = file.file_name();
        assert_eq!(result(class.path(), &name.to_string_lossy())["status"], 0, "only whole results are kept");
    }
}

#[test]
fn what_makes_no_sense_is_told() {
    let class = class();
    for (arguments, words) in [
        (&["--batch", "class.txt"][..], "-o"),
        (&["--batch", "none.txt", "-o", "out"], "none.txt"),
        (&["--batch", "class.txt", "-o", "out", "--shard", "5/4"], "K/N"),
        (&["anna.c", "--shard", "1/2"], "--batch"),
        (&["--batch", "class.txt", "-o", "out", "--apply"], "--apply"),
        (&[], "PROGRAM"),
    ] {
        let output = wherefore().current_dir(class.path()).arg("diagnose").args(arguments).output().expect("it runs");
        let said: Said = output.into();
        assert_eq!(said.status, Some(2), "{arguments:?}: {}", said.stderr);
        assert!(said.stderr.contains(words), "{arguments:?}: {}", said.stderr);
    }
}
