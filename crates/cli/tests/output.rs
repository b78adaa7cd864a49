//! Wrong output as a user meets it: what is expected comes from a file or from a test, the headline names the item.

mod common;

use common::{Said, steps, wherefore};
use std::path::Path;
use tempfile::TempDir;

const MEDIAN: &str = "#include <stdio.h>\nint main(void) {\n  int a, b, c, m;\n  if (scanf(\"%d %d %d\", &a, &b, &c) != 3) return 1;\n\
                      \x20 m = c;\n  if (a > b)\n    m = b;\n  printf(\"The median is %d\\n\", m);\n  return 0;\n}\n";

fn place() -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).expect("a file is written");
    write("median.c", MEDIAN);
    std::fs::create_dir(directory.path().join("t")).expect("a directory");
    for (name, given, wanted) in [("low", "9 4 7\n", 7), ("sorted", "1 2 3\n", 3)] {
        write(&format!("t/{name}.in"), given);
        write(&format!("t/{name}.out"), &format!("The median is {wanted}\n"));
    }
    directory
}

fn explain(directory: &Path, arguments: &[&str]) -> Said {
    let mut command = wherefore();
    command.current_dir(directory).args(["explain", "median.c"]).args(arguments);
    command.output().expect("wherefore starts").into()
}

#[test]
fn the_headline_names_the_item_and_the_story_goes_on_from_its_value() {
    let directory = place();
    let given = ["--stdin", "t/low.in", "--expect-stdout", "t/low.out"];
    let said = explain(directory.path(), &given);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    let headline = "median.c:8:3: prints \"4\" where \"7\" is expected (output line 1, column 15)";
    assert!(said.stdout.starts_with(headline), "{}", said.stdout);
    let report = explain(directory.path(), &[&given[..], &["--format", "json"]].concat()).json();
    let failure = &report["failure"];
    assert_eq!((failure["kind"].as_str(), failure["at"]["line"].as_u64()), (Some("output"), Some(8)));
    let output = &failure["output"];
    assert_eq!((output["actual"].as_str(), output["expected"].as_str()), (Some("4"), Some("7")));
    assert_eq!(output["position"].as_u64(), Some(14));
    assert_eq!(report["explanation"]["checked"], true);
    assert!(steps(&report).iter().any(|step| step.line == 7), "{report:#}");
}

#[test]
fn a_test_says_what_is_given_and_expected() {
    let directory = place();
    let said = explain(directory.path(), &["--tests", "t", "--test", "low"]);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains("prints \"4\" where \"7\" is expected"), "{}", said.stdout);
    let passes = explain(directory.path(), &["--tests", "t", "--test", "sorted"]);
    assert_eq!(passes.status, Some(3), "{}", passes.stdout);
    assert!(passes.stderr.contains("status 0 and the expected output"), "{}", passes.stderr);
    for (arguments, words) in [
        (&["--tests", "t", "--test", "high"][..], "no test is called high; there are low, sorted"),
        (&["--tests", "t"], "--test NAME says which of the tests; there are low, sorted"),
        (&["--expect-stdout", "nowhere"], "--expect-stdout nowhere: "),
    ] {
        let said = explain(directory.path(), arguments);
        assert_eq!(said.status, Some(2), "{}", said.stderr);
        assert!(said.stderr.contains(words), "{}", said.stderr);
    }
}

#[test]
fn a_recording_has_the_output_of_its_run() {
    let directory = place();
    let mut record = wherefore();
    record.current_dir(directory.path()).args(["record", "-o", "r", "median.c", "--stdin", "t/low.in"]);
    assert!(record.output().expect("wherefore starts").status.success());
    let mut again = wherefore();
    again.current_dir(directory.path()).args(["explain", "r", "--expect-stdout", "t/low.out"]);
    let said = Said::from(again.output().expect("wherefore starts"));
    assert!(said.stdout.contains("prints \"4\" where \"7\" is expected"), "{}{}", said.stdout, said.stderr);
}
