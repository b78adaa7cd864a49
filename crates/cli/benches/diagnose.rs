//! How `diagnose` grows with the size of the program, the number of tests and the rounds of a loop:
//! `cargo bench -p wherefore-cli --bench diagnose`.

use clap::Parser;
use std::fmt::Write;
use std::time::Instant;
use wherefore_cli::diagnose::{diagnosed, suite};
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
    let found = diagnosed(&options, &session, &cases, false, &Progress::new(true), &budget).expect("a diagnosis");
    let (statements, diagnoses) = found.map_or((0, 0), |f| (f.statements.list.len(), f.complete.sets.len()));
    let time = began.elapsed().as_millis();
    println!("{what:<26} {:>7} {statements:>11} {diagnoses:>10} {time:>9} {:>9}", cases.len(), peak_memory());
}
