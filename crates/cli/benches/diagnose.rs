//! How `diagnose` grows: `cargo bench -p wherefore-cli --bench diagnose`. First the formula alone, with the size of the
//! program, the number of tests and the rounds of a loop; then the command as people run it, with the length of the run.

use clap::Parser;
use std::fmt::Write;
use std::time::Instant;
use wherefore_cli::diagnose::{Effort, diagnosed, suite};
use wherefore_cli::memory::peak_memory;
use wherefore_cli::options::{Cli, Command, Diagnose};
use wherefore_cli::progress::Progress;
use wherefore_cli::run;

fn main() {
    println!("what                         tests  statements  diagnoses   time ms  peak MiB");
    for statements in [25, 50, 100] {
        measure("program", &chain(statements), &numbers(4));
    }
    for tests in [1, 4, 16, 64] {
        measure("tests", &chain(50), &numbers(tests));
    }
    for rounds in [4, 8, 16] {
        measure(&format!("rounds {rounds}"), &rounds_of(rounds), &numbers(2));
    }
    println!("\nstatements run  suspects  time s  peak MiB  rank of the fault  by");
    for rounds in [200, 2_000, 20_000, 200_000] {
        measure_run(rounds);
    }
}

/// A loop whose rounds depend on each other; line 7 forgets one.
const LONG_RUN: &str = r#"#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int rounds = atoi(argv[1]), state = 7, peak = 0;
  for (int i = 0; i < rounds; i++) {
    state = (state * 31 + i) % 1009;
    if (state > peak) peak = state - 1;
  }
  printf("%d\n", peak);
  return 0;
}
"#;
const FAULT: u64 = 7;
/// Statements of a round: the condition of the loop, its two statements and its step.
const OF_A_ROUND: usize = 4;

/// The whole command on a run of so many rounds: what it says and what it takes.
fn measure_run(rounds: usize) {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).expect("a file");
    write("program.c", LONG_RUN);
    write("right.c", &LONG_RUN.replace("state - 1", "state"));
    write("tests", &format!("{rounds}\n{}\n3\n", rounds - 1));
    let began = Instant::now();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wherefore"));
    command.args(["diagnose", "program.c", "--tests", "tests", "--reference", "right.c", "--format", "json", "-q"]);
    let output = command.current_dir(&directory).output().expect("it runs");
    let took = began.elapsed().as_secs_f64();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
    let diagnoses = report["diagnoses"].as_array().cloned().unwrap_or_default();
    let suspects = report["statements"].as_array().map_or(0, Vec::len);
    let at_fault = |d: &&serde_json::Value| d["statements"][0]["at"]["line"] == FAULT;
    let found = diagnoses.iter().find(at_fault);
    let rank = found.map_or("-".into(), |d| d["rank"].to_string());
    let by = found.map_or("-".into(), |d| d["by"].as_str().unwrap_or("-").to_string());
    let peak = most_of_children();
    println!("{:>14} {suspects:>9} {took:>7.1} {peak:>9} {rank:>18}  {by}", OF_A_ROUND * rounds);
}

/// The most memory that a child has taken so far, in MiB; later rows are larger, if they are.
fn most_of_children() -> i64 {
    // SAFETY: zeros are a usage, and there is room for it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    usage.ru_maxrss / 1024
}

/// Statements that depend on each other, with branches; the last but one is wrong.
fn chain(statements: usize) -> String {
    let mut text = String::from("#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n");
    text.push_str("  int x = atoi(argv[1]), y = 0;\n");
    for n in 0..statements / 2 {
        let _ = writeln!(text, "  if (x > {n}) y = y + {};\n  else y = y - 1;", n % 7 + 1);
    }
    text.push_str("  y = y + 1;\n  printf(\"%d\\n\", y);\n  return 0;\n}\n");
    text
}

/// A loop of so many rounds over an array.
fn rounds_of(rounds: usize) -> String {
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\nint a[{rounds}];\nint main(int argc, char **argv) {{\n  int x = atoi(argv[1]), s = 1;\n  for (int i = 0; i < {rounds}; i++)\n    a[i] = x + i;\n  for (int i = 0; i < {rounds}; i++)\n    s += a[i];\n  printf(\"%d\\n\", s);\n  return 0;\n}}\n"
    )
}

fn numbers(count: usize) -> Vec<String> {
    (0..count).map(|n| (3 * n + 5).to_string()).collect()
}

fn measure(what: &str, source: &str, arguments: &[String]) {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("program.c");
    std::fs::write(&file, source).expect("a file");
    // The right program is the one whose last sum starts at 0: what it prints is one less.
    let right = source.replace("y = y + 1;\n  printf", "y = y + 0;\n  printf").replace("s = 1;", "s = 0;");
    let reference = directory.path().join("right.c");
    std::fs::write(&reference, right).expect("a file");
    let tests = directory.path().join("tests");
    std::fs::write(&tests, arguments.join("\n") + "\n").expect("a file");
    let cli = Cli::try_parse_from([
        "wherefore",
        "diagnose",
        file.to_str().expect("a path"),
        "--reference",
        reference.to_str().expect("a path"),
        "--max-size",
        "2",
        "-q",
    ]);
    let Command::Diagnose(options) = cli.expect("the options are right").command else { return };
    let options: Diagnose = options;
    let budget = wherefore_cli::budget(&options.run);
    let session = run::open(&options.run, &budget).expect("it builds");
    let mut cases = suite::read_all(session.program(), "main", &tests, None).expect("tests");
    wherefore_cli::diagnose::expect_reference(&options, &mut cases, &budget).expect("the reference runs");
    let began = Instant::now();
    let found =
        diagnosed(&options, &session, &cases, Effort::Order, &Progress::new(true), &budget).expect("a diagnosis");
    let (statements, diagnoses) = found.map_or((0, 0), |f| (f.statements.list.len(), f.complete.sets.len()));
    let time = began.elapsed().as_millis();
    println!("{what:<26} {:>7} {statements:>11} {diagnoses:>10} {time:>9} {:>9}", cases.len(), peak_memory());
}
