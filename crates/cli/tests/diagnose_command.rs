//! `wherefore diagnose` as a user meets it: exit status, messages, JSON.

use std::path::Path;
use std::process::{Command, Output};

const LISTING: &str = "#include <assert.h>
int absValue(int x) {
  int abs;
  if (x >= 0) {
    abs = x;
  } else {
    abs = x * 1;
  }
  assert(abs >= 0);
  return abs;
}
";

const SUM: &str = "#include <stdio.h>
int main(void) {
  int n, sum = 1, x;
  scanf(\"%d\", &n);
  for (int i = 0; i < n; i++) {
    scanf(\"%d\", &x);
    sum += x;
  }
  printf(\"%d\\n\", sum);
  return 0;
}
";

struct Directory(tempfile::TempDir);

impl Directory {
    fn new(files: &[(&str, &str)]) -> Directory {
        let directory = tempfile::tempdir().expect("a directory");
        for (name, text) in files {
            let path = directory.path().join(name);
            std::fs::create_dir_all(path.parent().expect("it has one")).expect("a directory");
            std::fs::write(path, text).expect("a file");
        }
        Directory(directory)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        diagnose(self.0.path(), arguments)
    }
}

fn diagnose(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wherefore"));
    command.current_dir(directory).arg("diagnose").args(arguments).output().expect("it runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", stdout(output), stderr(output)))
}

/// The lines of each diagnosis.
fn lines(report: &serde_json::Value) -> Vec<Vec<u64>> {
    let line = |s: &serde_json::Value| s["at"]["line"].as_u64().expect("a line");
    let sets = report["diagnoses"].as_array().expect("diagnoses").iter();
    sets.map(|d| d["statements"].as_array().expect("statements").iter().map(line).collect()).collect()
}

#[test]
fn listing_1_has_two_diagnoses_and_both_are_replayed() {
    let directory = Directory::new(&[("abs.c", LISTING)]);
    let output = directory.run(&["abs.c", "--entry", "absValue", "--input", "x=-1", "--conflicts", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(lines(&report), [vec![7], vec![4, 5]]);
    assert_eq!(report["complete"], true);
    for diagnosis in report["diagnoses"].as_array().expect("diagnoses") {
        assert_eq!(diagnosis["replayed"], true, "{diagnosis}");
    }
    let statement = |n: &serde_json::Value| {
        let index = n.as_u64().expect("a number") as usize;
        report["statements"][index]["at"]["line"].as_u64().expect("a line")
    };
    let conflicts: Vec<Vec<u64>> = report["tests"][0]["conflicts"]
        .as_array()
        .expect("conflicts")
        .iter()
        .map(|set| set.as_array().expect("a set").iter().map(statement).collect())
        .collect();
    assert_eq!(conflicts, [vec![4, 7], vec![5, 7]]);
}

#[test]
fn failing_inputs_are_searched_for() {
    let directory = Directory::new(&[("abs.c", LISTING)]);
    let output = directory.run(&["abs.c", "--entry", "absValue", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(lines(&json(&output)).contains(&vec![7]));
}

#[test]
fn a_directory_of_tests_is_judged_by_its_output() {
    let directory = Directory::new(&[
        ("sum.c", SUM),
        ("tests/a.in", "2 3 4\n"),
        ("tests/a.out", "7\n"),
        ("tests/b.in", "0\n"),
        ("tests/b.out", "0\n"),
    ]);
    let output = directory.run(&["sum.c", "--tests", "tests", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report = json(&output);
    assert!(lines(&report).contains(&vec![3]), "sum = 1 in line 3 is the fault: {:?}", lines(&report));
    assert_eq!(report["tests"].as_array().map(Vec::len), Some(2));
}

#[test]
fn without_a_failing_test_the_status_is_3() {
    let directory = Directory::new(&[("sum.c", SUM), ("tests/a.in", "1 3\n"), ("tests/a.out", "4\n")]);
    let output = directory.run(&["sum.c", "--tests", "tests"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("no failure"), "{}", stderr(&output));
}

#[test]
fn wrong_usage_is_told_with_status_2() {
    let directory = Directory::new(&[
        ("sum.c", SUM),
        ("lines", "1 2\n3 4\n"),
        ("short", "1\n"),
        ("quote", "'1 2\n"),
        ("tests/a.in", "1 3\n"),
        ("tests/a.out", "5\n"),
        ("tests/a.status", "many\n"),
        ("out", "5\n"),
    ]);
    for (arguments, message) in [
        (&["sum.c", "--tests", "nowhere"][..], "nowhere"),
        (&["sum.c", "--tests", "lines", "--expect", "short"][..], "fewer lines than tests"),
        (&["sum.c", "--tests", "quote"][..], "a quote that is not closed"),
        (&["sum.c", "--tests", "tests"][..], "not a number"),
        (&["sum.c", "--expect-stdout", "nowhere"][..], "nowhere"),
        (&["sum.c", "--expect-stdout", "out", "--encoding", "trace"][..], "use --encoding full"),
    ] {
        let output = directory.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn the_runs_themselves_can_be_the_formula() {
    let directory = Directory::new(&[("abs.c", LISTING)]);
    for encoding in ["trace", "flow-sensitive"] {
        let output = directory.run(&[
            "abs.c",
            "--entry",
            "absValue",
            "--input",
            "x=-1",
            "--encoding",
            encoding,
            "--format",
            "json",
        ]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_eq!(lines(&json(&output))[0], [7], "{encoding}");
    }
}

#[test]
fn texts_that_would_repair_are_told() {
    let source =
        "#include <stdio.h>\nint main(void) {\n  printf(\"it's %d\\n\", 4 * 2);\n  puts(\"done\");\n  return 0;\n}\n";
    let directory = Directory::new(&[("text.c", source), ("right", "it was 8\ndone\n")]);
    let report = json(&directory.run(&["text.c", "--expect-stdout", "right", "--format", "json"]));
    assert_eq!(lines(&report), [[3]]);
    let value = &report["diagnoses"][0]["values"][0];
    assert_eq!(value["value"], "writing \"it was 8\\n\"");
    assert_eq!(report["diagnoses"][0].get("replayed"), None, "nobody can force a text");
}

#[test]
fn without_a_failing_test_there_is_json_too() {
    let directory = Directory::new(&[("sum.c", SUM), ("tests/a.in", "1 3\n"), ("tests/a.out", "4\n")]);
    let output = directory.run(&["sum.c", "--tests", "tests", "--format", "json"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(report["tests"][0]["verdict"], "pass");
    assert_eq!(report["diagnoses"], serde_json::json!([]));
}

#[test]
fn loops_that_are_cut_off_leave_the_answer_open() {
    let directory = Directory::new(&[("sum.c", SUM), ("tests/a.in", "2 3 4\n"), ("tests/a.out", "7\n")]);
    let report = json(&directory.run(&["sum.c", "--tests", "tests", "--format", "json"]));
    assert_eq!(report["complete"], false, "the condition of the loop may be at fault, for many more rounds");
    assert!(report["notes"].to_string().contains("line 5 is followed for at most"), "{}", report["notes"]);
    assert_eq!(report["partial"], false, "nothing was cut short");
}

#[test]
fn a_text_is_given_to_a_parameter() {
    let source = "#include <assert.h>\nint f(char *s) {\n  int n = s[1] - s[0];\n  assert(n != 1);\n  return n;\n}\n";
    let directory = Directory::new(&[("text.c", source)]);
    let given = |text: &str| directory.run(&["text.c", "--entry", "f", "--input", text, "--format", "json"]);
    assert_eq!(lines(&json(&given("s=\"abc\""))), [[3]]);
    assert_eq!(given("s=\"aac\"").status.code(), Some(3));
}

#[test]
fn a_global_that_is_given_is_no_suspect() {
    let source = "#include <assert.h>\nint limit = 10;\nint f(int x) {\n  int y = x * 2;\n  if (y > limit)\n    y = limit;\n  \
                  assert(y < limit);\n  return y;\n}\n";
    let directory = Directory::new(&[("given.c", source)]);
    for (encoding, expected) in [("trace", vec![vec![6]]), ("flow-sensitive", vec![vec![4], vec![6]])] {
        let mut arguments =
            vec!["given.c", "--entry", "f", "--input", "x=9", "--encoding", encoding, "--format", "json"];
        let suspected = lines(&json(&directory.run(&arguments)));
        assert_eq!(suspected.contains(&vec![2]), encoding == "flow-sensitive", "its own value may be wrong");
        arguments.extend(["--input", "limit=7"]);
        assert_eq!(lines(&json(&directory.run(&arguments))), expected, "{encoding}");
    }
}

#[test]
fn a_condition_that_clang_drops_is_spoken_of() {
    let program = "#include <assert.h>\n#define UP 1\nint f(int x) {\n  int r = x / 2;\n  if (UP)\n    r = r + 1;\n  \
                   assert(r == 2);\n  return r;\n}\n";
    let directory = Directory::new(&[("up.c", program)]);
    let output = directory.run(&["up.c", "--entry", "f", "--input", "x=4", "-v"]);
    let told = stdout(&output);
    assert!(told.contains("note: up.c:5:7: the compiler drops this condition"), "{told}");
    // Under an edit that repairs it the last line is enough.
    let told = stdout(&directory.run(&["up.c", "--entry", "f", "--input", "x=4"]));
    assert!(!told.contains("note:"), "{told}");
    assert!(told.ends_with("There may be others: a condition that the compiler drops was not changed.\n"), "{told}");
    let report = json(&directory.run(&["up.c", "--entry", "f", "--input", "x=4", "--format", "json"]));
    assert_eq!(report["complete"], false);
    assert!(report["incomplete"].to_string().contains("a condition that the compiler drops"), "{report}");
}

#[test]
fn nothing_found_is_no_claim_where_something_was_left_out() {
    // With its loop followed for one round nothing repairs it, and no small edit does, but that says little.
    let program = "#include <assert.h>\nint n;\nvoid start(void) {\n  for (;;) {\n    n++;\n    if (n == 3)\n      break;\n  }\n  \
                   assert(n == 61243 * 7 - 2);\n}\n";
    let directory = Directory::new(&[("loop.c", program)]);
    let output = directory.run(&["loop.c", "--entry", "start", "--unwind", "1", "--max-size", "1"]);
    let told = stdout(&output);
    assert!(!told.contains("no change of these statements") && !told.contains("no single statement"), "{told}");
    assert_eq!(output.status.code(), Some(4), "{told}");
}

#[test]
fn what_passing_tests_do_to_memory_is_told_and_excused() {
    // `first_zero` looks one element too far in every run; what fails is the sum.
    let text = "#include <stdio.h>
#include <stdlib.h>
static int first_zero(const int *list, int count) {
  int at = 0;
  while (at <= count && list[at] != 0)
    at++;
  return at;
}
int main(int argc, char **argv) {
  int list[2] = {3, 4};
  int sum = 0;
  for (int i = 1; i < argc; i++)
    sum -= atoi(argv[i]);
  if (first_zero(list, 2) < 2)
    puts(\"zero\");
  printf(\"%d\\n\", sum);
}
";
    let directory = Directory::new(&[
        ("sum.c", text),
        ("t/none.args", ""),
        ("t/none.out", "0\n"),
        ("t/one.args", "5"),
        ("t/one.out", "5\n"),
        ("t/two.args", "5 6"),
        ("t/two.out", "11\n"),
    ]);
    let report = json(&directory.run(&["sum.c", "--tests", "t", "--format", "json"]));
    let first = &report["diagnoses"][0];
    assert_eq!(first["statements"][0]["at"]["line"], 13, "{report}");
    assert!(first["patches"][0]["diff"].to_string().contains("sum += atoi"), "{first}");
    let notes = report["notes"].to_string();
    assert!(notes.contains("test none passes although it uses memory") && notes.contains("in first_zero()"), "{notes}");
}

/// Two functions with a fault each, run by different tests.
const TWO_FAULTS: &str = "#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int larger(int a, int b) {
  return a < b ? a : b;
}
static int sum(int a, int b) {
  return a - b;
}
int main(int argc, char **argv) {
  if (argc < 4)
    return 1;
  int a = atoi(argv[2]), b = atoi(argv[3]);
  int result = strcmp(argv[1], \"max\") == 0 ? larger(a, b) : sum(a, b);
  printf(\"%d\\n\", result);
  return 0;
}
";

fn tests_of_two_faults() -> Vec<(&'static str, &'static str)> {
    let cases = [
        ("t/a.args", "max 3 4"),
        ("t/a.out", "4\n"),
        ("t/b.args", "max 5 5"),
        ("t/b.out", "5\n"),
        ("t/c.args", "sum 3 4"),
        ("t/c.out", "7\n"),
        ("t/d.args", "sum 3 0"),
        ("t/d.out", "3\n"),
        ("t/e.args", "max 9 2"),
        ("t/e.out", "9\n"),
    ];
    cases.to_vec()
}

#[test]
fn two_faults_are_repaired_together() {
    let directory = Directory::new(&[&[("two.c", TWO_FAULTS)], &tests_of_two_faults()[..]].concat());
    let report = json(&directory.run(&["two.c", "--tests", "t", "--format", "json", "--patch", "two.diff"]));
    let first = &report["diagnoses"][0];
    assert_eq!(lines(&report)[0], [5, 8], "{report}");
    let patch = &first["patches"][0];
    assert_eq!((&patch["passes"], &patch["of"], &first["fixes"]), (&5.into(), &5.into(), &3.into()), "{first}");
    let diff = std::fs::read_to_string(directory.0.path().join("two.diff")).expect("a patch");
    assert!(diff.contains("+  return a > b ? a : b;") || diff.contains("+  return a < b ? b : a;"), "{diff}");
    assert!(diff.contains("+  return a + b;"), "{diff}");
    let patched = Command::new("patch").args(["-p1", "--input", "two.diff"]).current_dir(directory.0.path()).output();
    if patched.is_ok_and(|patched| patched.status.success()) {
        assert_eq!(directory.run(&["two.c", "--tests", "t"]).status.code(), Some(3), "all tests pass");
    }
    let told = stdout(
        &Directory::new(&[&[("two.c", TWO_FAULTS)], &tests_of_two_faults()[..]].concat())
            .run(&["two.c", "--tests", "t"]),
    );
    assert!(told.contains("2 statements together pass all tests"), "{told}");
    assert!(told.contains("together they pass all 5 tests"), "{told}");
}

#[test]
fn an_edit_that_repairs_some_tests_is_told_as_such() {
    // Nothing small makes 1000 of 3 and 4.
    let tests: Vec<(&str, &str)> = tests_of_two_faults()
        .into_iter()
        .map(|(name, text)| (name, if name == "t/c.out" { "a thousand\n" } else { text }))
        .collect();
    let directory = Directory::new(&[&[("two.c", TWO_FAULTS)], &tests[..]].concat());
    let output = directory.run(&["two.c", "--tests", "t", "--format", "json", "--timeout", "30"]);
    let report = json(&output);
    let edits: Vec<&serde_json::Value> = report["diagnoses"].as_array().expect("diagnoses").iter().collect();
    let partly = edits.iter().find(|d| d["patches"].is_array() && d["statements"][0]["at"]["line"] == 5);
    let partly = partly.unwrap_or_else(|| panic!("{report}"));
    assert_eq!((&partly["fixes"], &partly["of"]), (&2.into(), &3.into()), "{partly}");
    assert_eq!((&partly["patches"][0]["passes"], &partly["patches"][0]["of"]), (&4.into(), &5.into()), "{partly}");
    let told = stdout(&directory.run(&["two.c", "--tests", "t", "--timeout", "30"]));
    assert!(told.contains("repairs 2 of 3 failing tests and breaks none"), "{told}");
    assert!(!told.contains("passes all"), "{told}");
}

/// The second fault is in what only the first one keeps the tests from.
const HIDDEN_FAULT: &str = "\
#include <stdio.h>
#include <stdlib.h>

int price(int weight, int express) {
  int cost = 2;
  if (weight > 100) {
    cost = 10;
    if (express)
      cost = cost - 3;
  }
  return cost;
}

int main(int argc, char **argv) {
  printf(\"%d\\n\", price(atoi(argv[1]), atoi(argv[2])));
  return 0;
}
";

#[test]
fn a_fault_that_another_one_hides_is_repaired_with_it() {
    let cases = [("5 0", "2"), ("5 1", "2"), ("10 0", "10"), ("12 0", "10"), ("50 1", "13"), ("100 1", "13")];
    let mut files = vec![("price.c".to_string(), HIDDEN_FAULT.to_string())];
    for (number, (arguments, output)) in cases.iter().enumerate() {
        files.push((format!("t/{number}.args"), arguments.to_string()));
        files.push((format!("t/{number}.out"), format!("{output}\n")));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let report = json(&Directory::new(&files).run(&["price.c", "--tests", "t", "--format", "json"]));
    assert_eq!(lines(&report)[0], [6, 9], "{report}");
    let diff = report["diagnoses"][0]["patches"][0]["diff"].as_str().expect("a diff");
    assert!(diff.contains("+      cost = cost + 3;"), "{diff}");
}

#[test]
fn a_statement_that_gives_values_of_several_widths_is_judged() {
    let text = "#include <stdio.h>\n#include <setjmp.h>\nstatic jmp_buf env; static int tries;\n\
                int main(void) { int n; if (scanf(\"%d\", &n) != 1) return 1;\n  int r = setjmp(env);\n  \
                if (r < n) tries++;\n  printf(\"%d\\n\", tries); return 0; }\n";
    let files = [
        ("p.c", text),
        ("t/a.in", "0\n"),
        ("t/a.out", "1\n"),
        ("t/b.in", "2\n"),
        ("t/b.out", "1\n"),
        ("t/c.in", "-1\n"),
    ];
    let report = json(
        &Directory::new(&[&files[..], &[("t/c.out", "0\n")]].concat())
            .run(&["p.c", "--tests", "t", "--format", "json"]),
    );
    assert_eq!(lines(&report)[0], [6], "{report}");
}

#[test]
fn what_only_leaves_out_a_free_comes_last_and_is_told_as_that() {
    let program = "#include <stdlib.h>\n#include <stdio.h>\nstatic int *made(int n) {\n  int *p = malloc(sizeof *p);\n  \
                   *p = n;\n  free(p);\n  return p;\n}\nint main(void) {\n  int *p = made(3);\n  \
                   printf(\"%d\\n\", *p);\n  return 0;\n}\n";
    // Of what is freed twice, one is too much.
    let twice = program.replace("printf(\"%d\\n\", *p)", "free(p)");
    let directory = Directory::new(&[("p.c", program), ("twice.c", &twice), ("out", "3\n")]);
    let kinds = |arguments: &[&str]| -> Vec<String> {
        let report = json(&directory.run(&[arguments, &["--format", "json"]].concat()));
        let patches = report["diagnoses"].as_array().expect("diagnoses").iter().filter_map(|d| d["patches"].as_array());
        patches.flatten().map(|patch| patch["edit"].as_str().expect("its kind").to_string()).collect()
    };
    let of_one = kinds(&["p.c", "--expect-stdout", "out"]);
    assert_eq!(of_one.iter().position(|kind| kind == "leak"), Some(of_one.len() - 1), "{of_one:?}");
    let told = stdout(&directory.run(&["p.c", "--expect-stdout", "out"]));
    assert!(told.contains("without free(), this memory is not freed, unless elsewhere"), "{told}");
    let of_twice = kinds(&["twice.c"]);
    assert!(of_twice.contains(&"removal".to_string()) && !of_twice.contains(&"leak".to_string()), "{of_twice:?}");
}
