//! `wherefore search` as a user meets it: what it prints can be given back, and what it claims is so.

mod common;

use common::{Said, wherefore};
use serde_json::Value;
use tempfile::TempDir;

/// Most inputs of each kind that are given back.
const GIVEN_BACK: usize = 4;

/// A directory with a program in it.
struct Place(TempDir);

impl Place {
    fn new(source: &str) -> Place {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("prog.c"), source).expect("a file is written");
        Place(directory)
    }

    fn run(&self, arguments: &[&str]) -> Said {
        wherefore().current_dir(self.0.path()).args(arguments).output().expect("wherefore starts").into()
    }

    fn search(&self, arguments: &[&str]) -> Said {
        self.run(&[&["search", "prog.c"], arguments].concat())
    }

    fn report(&self, arguments: &[&str]) -> (Value, Option<i32>) {
        let said = self.search(&[&["--format", "json"], arguments].concat());
        (said.json(), said.status)
    }

    /// Every failing input that was found fails when it is given back, and no passing one does; some of many are tried.
    fn give_back(&self, report: &Value, arguments: &[&str]) {
        let tests = report["tests"].as_array().expect("tests");
        for verdict in ["fail", "pass"] {
            let tests: Vec<&Value> = tests.iter().filter(|t| t["verdict"] == verdict).collect();
            tests
                .iter()
                .step_by(tests.len().div_ceil(GIVEN_BACK).max(1))
                .for_each(|t| self.give_one_back(t, arguments));
        }
    }

    fn give_one_back(&self, test: &Value, arguments: &[&str]) {
        let mut all = vec!["explain".to_string(), "prog.c".to_string()];
        if let Some(text) = test["stdin"].as_str().filter(|t| !t.is_empty()) {
            std::fs::write(self.0.path().join("stdin"), text).expect("a file is written");
            all.extend(["--stdin".to_string(), "stdin".to_string()]);
        }
        all.extend(arguments.iter().map(|a| a.to_string()));
        all.extend(test["arguments"].as_array().expect("arguments").iter().map(|a| a.as_str().unwrap().to_string()));
        let said: Said = wherefore().current_dir(self.0.path()).args(&all).output().expect("it starts").into();
        let expected = if test["verdict"] == "fail" { 0 } else { 3 };
        assert_eq!(said.status, Some(expected), "{all:?}: {}{}", said.stdout, said.stderr);
    }
}

/// The inputs of the tests with a verdict.
fn inputs(report: &Value, verdict: &str) -> Vec<Vec<String>> {
    let tests = report["tests"].as_array().expect("tests").iter().filter(|t| t["verdict"] == verdict);
    tests
        .map(|t| {
            let inputs = t["inputs"].as_array().expect("inputs").iter();
            inputs.map(|i| format!("{}={}", i["name"].as_str().unwrap(), i["value"].as_str().unwrap())).collect()
        })
        .collect()
}

/// The texts on standard input of the tests that fail.
fn texts(report: &Value) -> Vec<&str> {
    let tests = report["tests"].as_array().expect("tests").iter().filter(|t| t["verdict"] == "fail");
    tests.map(|t| t["stdin"].as_str().expect("a text")).collect()
}

const TRIANGLE: &str = "\
#include <assert.h>
int triangle(int i, int j, int k) {
  int kind = 0;
  if (i <= 0 || j <= 0 || k <= 0 || i > 1000 || j > 1000 || k > 1000)
    return 4;
  if (i == j) kind += 1;
  if (i == k) kind += 2;
  if (j == k) kind += 3;
  if (kind == 0)
    return i + j <= k || j + k <= i || i + k <= j ? 4 : 1;
  if (kind > 3)
    return 3;
  if (kind == 1 && i + j > k) return 2;
  if (kind == 2 && i + k > j) return 2;
  if (kind == 3 && j + k > i) return 2;
  return 4;
}
int check(int i, int j, int k) {
  int kind = triangle(i, j, k);
  assert(kind != 2 || i != 2 * j);
  return kind;
}
";

#[test]
fn a_classification_is_explored_completely() {
    let place = Place::new(TRIANGLE);
    let (report, status) = place.report(&["--entry", "check"]);
    assert_eq!(status, Some(0), "{report:#}");
    assert_eq!((&report["complete"], &report["partial"]), (&true.into(), &false.into()), "{report:#}");
    assert_eq!(
        (&report["schema"], &report["tool"], &report["command"]),
        (&1.into(), &"wherefore".into(), &"search".into())
    );
    assert_eq!(report["paths"], report["runs"]);
    assert!(!inputs(&report, "fail").is_empty() && inputs(&report, "pass").len() > 14, "{report:#}");
    let failure = &report["tests"][0]["failure"];
    assert_eq!((&failure["kind"], &failure["at"]["line"]), (&"assertion".into(), &20.into()), "{report:#}");
    assert_eq!(failure["condition"], "kind != 2 || i != 2 * j");
    place.give_back(&report, &["--entry", "check"]);
}

#[test]
fn a_person_can_copy_the_inputs() {
    let place = Place::new(
        "#include <stdlib.h>\nint f(int a, int b) {\n  if (a == 1 && b == -3)\n    abort();\n  return 0;\n}\n",
    );
    let said = place.search(&["--entry", "f"]);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    let expected = "prog.c:4:5: abort() is called\n    --input a=1 --input b=-3\n\n\
                    1 failing input, 2 passing; every path was visited: 3 paths in 3 runs.\n";
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), (expected, ""));
    let verbose = place.search(&["--entry", "f", "-v"]);
    assert!(verbose.stdout.contains("no failure\n    --input a=0 --input b=0\n"), "{}", verbose.stdout);
}

#[test]
fn types_are_those_of_the_parameters() {
    let place = Place::new(
        "#include <stdlib.h>
         enum color { RED, GREEN = 5, BLUE = 9 };
         int f(char c, unsigned char u, _Bool b, enum color e, unsigned long l, float x, const char *s) {
           if (c == 'x' && u > 250 && b && e == BLUE && l > 0xfffffffffffffff0 && x == 2.5f && !s) abort();
           return 0;
         }",
    );
    let (report, status) = place.report(&["--entry", "f"]);
    assert_eq!((status, &report["complete"]), (Some(0), &true.into()), "{report:#}");
    let [found] = &inputs(&report, "fail")[..] else { panic!("{report:#}") };
    assert_eq!(found[..4], ["c=120", "u=251", "b=true", "e=BLUE"]);
    assert_eq!(found[4..], ["l=18446744073709551601", "x=2.5", "s=NULL"]);
    place.give_back(&report, &["--entry", "f"]);
}

#[test]
fn given_inputs_stay_and_globals_can_be_searched() {
    let place = Place::new(
        "#include <assert.h>
         int limit = 10, table[3], unused;
         int f(int a, int b) { if (table[1] == limit * a) assert(b < 5 || table[2] == 0); return 0; }",
    );
    let (report, status) = place.report(&["--entry", "f", "--input", "table=?", "--input", "a=2"]);
    assert_eq!((status, &report["complete"]), (Some(0), &true.into()), "{report:#}");
    assert!(inputs(&report, "fail").iter().all(|i| i[0] == "a=2" && i[2].starts_with("table={0,20,")), "{report:#}");
    place.give_back(&report, &["--entry", "f"]);
    for (input, message) in [
        ("nothing=?", "neither a parameter of f() nor a global variable"),
        ("a=x", "not a number"),
        ("a", "expected NAME=VALUE"),
    ] {
        let said = place.search(&["--entry", "f", "--input", input]);
        assert_eq!(said.status, Some(2), "{input}");
        assert!(said.stderr.contains(message), "{input}: {}", said.stderr);
    }
}

#[test]
fn values_of_verifiers_are_found() {
    let place = Place::new(
        "int __VERIFIER_nondet_int(void);
         void __VERIFIER_assume(int);
         void __VERIFIER_assert(int);
         int main(void) {
           int n = __VERIFIER_nondet_int(), sum = 0;
           __VERIFIER_assume(n > 1 && n < 4);
           for (int i = 0; i < n; i++) {
             int v = __VERIFIER_nondet_int();
             __VERIFIER_assume(v >= 0 && v <= 10);
             if (v % 2) sum += v;
           }
           __VERIFIER_assert(sum != 18);
           return 0;
         }",
    );
    let (report, status) = place.report(&[]);
    assert_eq!((status, &report["complete"]), (Some(0), &true.into()), "{report:#}");
    assert_eq!(inputs(&report, "fail").len(), 4, "which of the values are odd: {report:#}");
    place.give_back(&report, &[]);
}

#[test]
fn without_a_failure_there_is_none() {
    let place = Place::new(
        "#include <assert.h>\nint f(int a, int b) { int m = a < b ? a : b; assert(m <= a && m <= b); return m; }",
    );
    let said = place.search(&["--entry", "f"]);
    assert_eq!(said.status, Some(3));
    assert!(said.stdout.starts_with("0 failing inputs, 2 passing; every path was visited"), "{}", said.stdout);
    let (report, status) = place.report(&["--entry", "f", "--expect-status", "0"]);
    assert_eq!((status, &report["partial"]), (Some(3), &false.into()));
}

#[test]
fn a_status_can_be_the_failure() {
    let place =
        Place::new("int __VERIFIER_nondet_int(void); int main(void) { return __VERIFIER_nondet_int() == 77 ? 3 : 0; }");
    assert_eq!(place.search(&[]).status, Some(3));
    let (report, status) = place.report(&["--expect-status", "0"]);
    assert_eq!(status, Some(0), "{report:#}");
    assert_eq!(inputs(&report, "fail"), [["nondet value 1=77"]]);
    assert_eq!(report["tests"][0]["failure"]["kind"], "status");
}

const STATES: &str = "\
int __VERIFIER_nondet_int(void);
void reach_error(void);
int main(void) {
  int state = 0;
  while (__VERIFIER_nondet_int()) {
    int x = __VERIFIER_nondet_int();
    if (state == 0 && x == 17) state = 1;
    else if (state == 1 && x == 42) state = 2;
    else if (state == 2 && x == -7) reach_error();
  }
  return 0;
}
";

#[test]
fn limits_are_honest() {
    let place = Place::new(STATES);
    let (report, status) = place.report(&["--runs", "60"]);
    assert_eq!((status, &report["complete"], &report["partial"]), (Some(4), &false.into(), &true.into()), "{report:#}");
    assert_eq!(report["runs"], 60);
    assert!(report["notes"][0].as_str().unwrap().contains("the limit of 60 runs was reached"), "{report:#}");
    assert!(!inputs(&report, "fail").is_empty(), "what was found is told");
    let (report, status) = place.report(&["--unwind", "2"]);
    assert_eq!((status, &report["complete"]), (Some(4), &false.into()), "{report:#}");
    assert_eq!(inputs(&report, "fail").len(), 0);
    let (report, status) = place.report(&["--unwind", "3"]);
    assert_eq!((status, &report["complete"]), (Some(0), &false.into()), "{report:#}");
    assert_eq!(inputs(&report, "fail").len(), 1);
    let (report, status) = place.report(&["--limit", "1"]);
    assert_eq!(
        (status, &report["complete"], &report["partial"]),
        (Some(0), &false.into(), &false.into()),
        "{report:#}"
    );
    place.give_back(&report, &[]);
}

#[test]
fn a_run_without_end_is_left() {
    let place = Place::new(
        "int __VERIFIER_nondet_int(void);
         void reach_error(void);
         int main(void) { unsigned x = __VERIFIER_nondet_int(); while (x < 10) ; if (x == 7777777) reach_error(); return 0; }",
    );
    let (report, status) = place.report(&["--limit", "1", "--timeout", "300"]);
    assert_eq!((status, &report["complete"]), (Some(0), &false.into()), "{report:#}");
    assert!(report["notes"].to_string().contains("a run "), "{report:#}");
    assert_eq!(inputs(&report, "fail"), [["nondet value 1=7777777"]]);
}

#[test]
fn numbers_are_read_from_standard_input() {
    let place = Place::new(
        "#include <assert.h>
         #include <stdio.h>
         int main(void) {
           int n = 0, right = 0;
           if (scanf(\"%d\", &n) != 1 || n < 2 || n > 3) return 1;
           for (int i = 0; i < n; i++) {
             int x = 0;
             if (scanf(\"%d\", &x) != 1) return 1;
             if (x == 100 + i) right++;
           }
           assert(right != n);
           return 0;
         }",
    );
    let (report, status) = place.report(&[]);
    assert_eq!((status, &report["complete"]), (Some(0), &true.into()), "{report:#}");
    let mut found = texts(&report);
    found.sort();
    assert_eq!(found, ["2 100 101", "3 100 101 102"]);
    place.give_back(&report, &[]);
}

#[test]
fn characters_are_read_from_standard_input() {
    let place = Place::new(
        "#include <assert.h>
         #include <stdio.h>
         int main(void) {
           int c, depth = 0;
           while ((c = getchar()) != EOF && c != '\\n') {
             if (c == '(') depth++;
             else if (c == ')') depth--;
             assert(c != '!' || depth != 2);
           }
           return 0;
         }",
    );
    let (report, status) = place.report(&["--limit", "1"]);
    assert_eq!(status, Some(0), "{report:#}");
    assert_eq!(texts(&report), ["((!"]);
    let said = place.search(&["--limit", "1"]);
    assert!(said.stdout.contains("\n    --stdin <(printf '((!')\n"), "{}", said.stdout);
}

#[test]
fn lines_and_words_are_read_from_standard_input() {
    let place = Place::new(
        "#include <assert.h>
         #include <stdio.h>
         int main(void) {
           char line[6], word[4];
           int a, b;
           char op;
           if (!fgets(line, sizeof line, stdin)) return 0;
           if (line[0] != 'q' || line[1] != '\\n') return 0;
           if (scanf(\"%d %c %d\", &a, &op, &b) != 3) return 0;
           if (op == '/') a /= b;
           if (scanf(\"%3s\", word) == 1) assert(word[0] != 'o' || word[1] != 'k' || word[2]);
           return 0;
         }",
    );
    let (report, status) = place.report(&["--timeout", "60"]);
    assert_eq!((status, &report["complete"]), (Some(0), &true.into()), "{report:#}");
    let found = texts(&report);
    assert!(found.contains(&"q\n0 / 0"), "{found:?}");
    assert!(found.iter().any(|t| t.starts_with("q\n") && t.ends_with("ok")), "{found:?}");
    place.give_back(&report, &[]);
}

#[test]
fn numbers_among_the_arguments_are_searched() {
    let place = Place::new(
        "#include <assert.h>
         #include <stdlib.h>
         int main(int argc, char **argv) {
           if (argc != 4) return 2;
           int a = atoi(argv[1]);
           long b = strtol(argv[3], 0, 10);
           if (a > 40 && b < -1000) assert(a + b != -960);
           return argv[2][0] == 'x';
         }",
    );
    let said = place.search(&["--", "1", "x", "2"]);
    assert_eq!(said.status, Some(0), "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("\n    -- 41 x -1001\n"), "{}", said.stdout);
    assert!(said.stdout.contains("taken as given"), "{}", said.stdout);
    let (report, _) = place.report(&["--", "1", "x", "2"]);
    place.give_back(&report, &[]);
}

#[test]
fn inputs_are_saved_as_tests() {
    let place = Place::new(STATES);
    assert_eq!(place.search(&["--limit", "1", "-o", "tests"]).status, Some(0));
    let read = |name: &str| std::fs::read_to_string(place.0.path().join("tests").join(name)).expect("a file");
    assert_eq!((read("t1.in").as_str(), read("t1.inputs").as_str()), ("", "nondet: 1,17,1,42,1,-7\n"));
    let place = Place::new("int f(int a, int b) { return a == 9 ? 1 / b : 0; }");
    assert_eq!(place.search(&["--entry", "f", "-o", "tests", "--limit", "1"]).status, Some(0));
    let text = std::fs::read_to_string(place.0.path().join("tests/t1.inputs")).expect("a file");
    assert_eq!(text, "a=9\nb=0\n");
    assert_eq!(place.search(&["--entry", "f", "-o", "prog.c"]).status, Some(2), "not a directory");
}

/// What `search -o` saves, `diagnose --tests` reads, and each test does what it did in the search.
#[test]
fn tests_that_are_saved_are_diagnosed() {
    for (source, arguments, saved) in [
        (
            "#include <assert.h>\nint __VERIFIER_nondet_int(void); unsigned char __VERIFIER_nondet_uchar(void);
int main(void) { int x = __VERIFIER_nondet_int(); unsigned char y = __VERIFIER_nondet_uchar();
  if (x < -10) assert(y != 200); return 0; }",
            &[][..],
            "nondet: ",
        ),
        (
            "#include <assert.h>\nint limit = 3; int table[2];
int f(int a, unsigned char b) { if (a < 0 && b == 7 && table[1] == -4) assert(limit != 9); return 0; }",
            &["--entry", "f", "--input", "limit=?", "--input", "table=?"],
            "table={0,-4}",
        ),
        (
            "#include <assert.h>\nstruct pair { short x; int y; };
int f(int *p, struct pair *q, char *s) {
  if (p && q && s) assert(!(p[1] == -5 && q->y == 6 && s[0] == 'a' && s[1] == '\"')); return 0; }",
            &["--entry", "f"],
            "s=\"a\\\"",
        ),
        (
            "#include <assert.h>\n#include <stdio.h>
int main(void) { int n = 0; scanf(\"%d\", &n); int c = getchar(); assert(!(n == -12 && c == 'x')); return 0; }",
            &[],
            "",
        ),
        (
            "#include <stdlib.h>\nint main(int argc, char **argv) { return argc > 2 && atoi(argv[2]) == -77 ? 1 : 0; }",
            &["--expect-status", "0", "--", "it's # one", "5"],
            "",
        ),
    ] {
        let place = Place::new(source);
        let (found, status) = place.report(&[&["-o", "tests"], arguments].concat());
        assert_eq!(status, Some(0), "{found}\n{source}");
        let mut command = vec!["diagnose", "prog.c", "--tests", "tests", "--format", "json"];
        command.extend(arguments.iter().position(|a| *a == "--entry").map(|at| &arguments[at..at + 2]).unwrap_or(&[]));
        let said = place.run(&command);
        assert_eq!(said.status, Some(0), "{}{}\n{source}", said.stdout, said.stderr);
        let verdicts = |report: &Value| -> std::collections::BTreeMap<String, String> {
            let text = |v: &Value| v.as_str().expect("a text").to_owned();
            let tests = report["tests"].as_array().expect("tests").iter();
            tests.map(|t| (text(&t["name"]), text(&t["verdict"]))).collect()
        };
        assert_eq!(verdicts(&said.json()), verdicts(&found), "{source}");
        let failing = std::fs::read_to_string(place.0.path().join("tests/t1.inputs")).unwrap_or_default();
        assert!(failing.contains(saved), "{failing}\n{source}");
    }
}

/// Tests have the standard input that the search was given, and nothing stays of those of another search.
#[test]
fn saved_tests_have_what_was_fixed() {
    let place = Place::new(
        "#include <stdio.h>\nint f(int a) { int n = 0; scanf(\"%d\", &n); return n == 8 && a == 9 ? 1 / (a - 9) : 0; }",
    );
    std::fs::write(place.0.path().join("eight"), "8\n").expect("a file is written");
    std::fs::create_dir(place.0.path().join("tests")).expect("a directory");
    std::fs::write(place.0.path().join("tests/t1.args"), "old").expect("a file is written");
    assert_eq!(place.search(&["--entry", "f", "--stdin", "eight", "-o", "tests"]).status, Some(0));
    assert_eq!(std::fs::read_to_string(place.0.path().join("tests/t1.in")).expect("a file"), "8\n");
    assert!(!place.0.path().join("tests/t1.args").exists());
    let said = place.search(&["--entry", "f", "--stdin", "/dev/null", "-o", "tests"]);
    assert_eq!(said.status, Some(2), "{}", said.stdout);
    assert!(said.stderr.contains("--stdin /dev/null: only a file can be read again"), "{}", said.stderr);
}

#[test]
fn wrong_usage_is_told() {
    let place = Place::new("int main(void) { return 0; }");
    for (arguments, message) in [
        (&["search", "nothing.c"][..], "nothing.c: no such file"),
        (&["search", "."], "this is a directory"),
        (&["search", "prog.c", "--entry", "g"], "g"),
        (&["search", "prog.c", "--timeout", "0"], "the time must be positive"),
        (&["search", "prog.c", "--unwind", "x"], "invalid value"),
        (&["search", "prog.c", "--stdin", "none"], "no such file"),
    ] {
        let said = place.run(arguments);
        assert_eq!(said.status, Some(2), "{arguments:?}: {}", said.stderr);
        assert!(said.stderr.contains(message), "{arguments:?}: {}", said.stderr);
    }
    assert_eq!(place.run(&["record", "prog.c", "-q"]).status, Some(0));
    let said = place.run(&["search", "wherefore.recording"]);
    assert_eq!(said.status, Some(2));
    assert!(said.stderr.contains("a recording is one run"), "{}", said.stderr);
    assert_eq!(place.search(&[]).status, Some(3), "a program without inputs is run once");
}

#[test]
fn pointers_that_were_found_can_be_given() {
    let place = Place::new(
        "#include <stdlib.h>
         struct item { short kind; long count; struct item *next; _Bool used; };
         int f(const char *name, int *a, const struct item *item) {
           if (!name || !a || !item) return 0;
           if (name[0] == '\"' && name[1] == '\\n' && name[2] == -1 && !name[3] && a[0] == -7 && a[2] == 8) {
             if (item->kind == 3 && item->used && !item->next && item[1].count == 99) abort();
           }
           return 0;
         }",
    );
    let (report, status) = place.report(&["--entry", "f"]);
    assert_eq!((status, &report["complete"]), (Some(0), &false.into()), "{report:#}");
    let [found] = &inputs(&report, "fail")[..] else { panic!("{report:#}") };
    assert_eq!(found[0], r#"name="\"\n\xff""#);
    assert_eq!(found[1], "a={-7,0,8}");
    assert_eq!(found[2], "item={3,0,NULL,true,0,99}");
    place.give_back(&report, &["--entry", "f"]);
    // The formula of the program sees the same.
    let arguments: Vec<&str> = found.iter().flat_map(|input| ["--input", input]).collect();
    let said = place.run(&[&["diagnose", "prog.c", "--entry", "f", "--format", "json"], &arguments[..]].concat());
    assert_eq!(said.status, Some(0), "{}{}", said.stdout, said.stderr);
    let notes = said.json()["notes"].to_string();
    assert!(!notes.contains("does not do what"), "{notes}");
    let (by_formula, _) = place.report(&["--entry", "f", "--by", "formula"]);
    assert_eq!(inputs(&by_formula, "fail").len(), 1, "{by_formula:#}");
    assert_eq!(by_formula["proved"], false);
}

#[test]
fn wrong_objects_are_refused() {
    let place = Place::new("int f(int *p, void *v, char *s) { return p && v && s; }");
    for (input, what) in [
        ("p={1,x}", "not a number"),
        ("p={1", "written {1,2,3}"),
        ("p=\"text\"", "a string needs a pointer to char"),
        ("v={1}", "cannot be given"),
        ("p=abc", "a pointer is NULL"),
    ] {
        let said = place.run(&["explain", "prog.c", "--entry", "f", "--input", input]);
        assert_eq!(said.status, Some(2), "{input}: {}", said.stderr);
        assert!(said.stderr.contains(what), "{input}: {}", said.stderr);
    }
}

#[test]
fn out_of_time_is_not_no_failure() {
    let place = Place::new("int f(int n) { for (;;) n++; return n; }");
    let said = place.search(&["--entry", "f", "--timeout", "3"]);
    assert_eq!(said.status, Some(4), "{}{}", said.stdout, said.stderr);
    // On a machine that is busy the time may be up before the first run is.
    let told =
        ["did not end", "longer than what is recorded", "the time is up"].iter().any(|why| said.stdout.contains(why));
    assert!(told, "{}", said.stdout);
}

#[test]
fn a_first_try_that_hangs_is_followed_by_a_search() {
    let place = Place::new(
        "#include <stdlib.h>
         int __VERIFIER_nondet_int(void);
         int main(void) { int n = __VERIFIER_nondet_int(); while (n == 0) { } if (n == 11) abort(); return 0; }",
    );
    let said = place.run(&["explain", "prog.c", "--timeout", "300"]);
    assert_eq!(said.status, Some(0), "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("abort() is called") && said.stdout.contains("11"), "{}", said.stdout);
}
