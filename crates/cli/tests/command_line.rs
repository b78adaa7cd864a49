//! The command line as a user meets it: exit status, messages, files, and programs that behave badly.

mod common;

use common::{Said, run, steps, wherefore, workspace};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything may take here: the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(100);

/// A directory with a C file in it.
struct Place {
    directory: TempDir,
}

impl Place {
    fn new(source: &str) -> Place {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("prog.c"), source).expect("a file is written");
        Place { directory }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Run the command there.
    fn run(&self, arguments: &[&str]) -> Said {
        let mut command = wherefore();
        command.current_dir(self.directory.path()).args(arguments);
        command.output().expect("wherefore starts").into()
    }

    /// Explain the program, with more arguments.
    fn explain(&self, arguments: &[&str]) -> Said {
        self.run(&[&["explain", "prog.c"], arguments].concat())
    }
}

const FAILING: &str = "\
#include <assert.h>
int limit = 3;
int f(int x, unsigned char c, const char *s) {
  int y = x + limit;
  if (s && s[0] == 'n')
    y = -y;
  assert(y < 10 && c < 200);
  return y;
}
";

const ENTRY: [&str; 4] = ["--entry", "f", "--input", "x=8"];

fn usage(said: &Said, message: &str) {
    assert_eq!(said.status, Some(2), "{}{}", said.stdout, said.stderr);
    assert!(said.stderr.contains(message), "`{message}` is not in: {}", said.stderr);
    assert_eq!(said.stdout, "");
    assert!(!said.stderr.contains("panicked"), "{}", said.stderr);
}

#[test]
fn there_must_be_such_a_file() {
    let place = Place::new("");
    let said = place.run(&["explain", "nothing.c"]);
    usage(&said, "wherefore: nothing.c: no such file");
    assert_eq!(said.stderr.lines().count(), 1);
    usage(&place.run(&["record", "nothing.c"]), "nothing.c: no such file");
    std::fs::create_dir(place.file("directory.c")).expect("a directory is made");
    usage(&place.run(&["explain", "directory.c"]), "directory.c: this is a directory");
    usage(&place.run(&["explain", "."]), ".: this is a directory");
    usage(&place.run(&["record", "."]), ".: this is a directory");
}

#[test]
fn errors_of_the_compiler_pass_through() {
    let said = Place::new("int main(void) { return nowhere; }\n").explain(&[]);
    usage(&said, "prog.c:1:25: error: use of undeclared identifier 'nowhere'");
    assert!(said.stderr.contains("1 error generated."), "{}", said.stderr);
    usage(&Place::new("int main(void) { return 0; ").explain(&[]), "error: expected '}'");
    usage(&Place::new("extern int g; int main(void) { return g; }").explain(&[]), "undefined");
    usage(&Place::new("#error no way\n").explain(&[]), "no way");
    usage(&Place::new(FAILING).explain(&["--cc-arg", "-fno-such-thing"]), "fno-such-thing");
}

#[test]
fn arguments_reach_the_compiler() {
    let place = Place::new("#include <assert.h>\nint main(void) { assert(VALUE == 1); return 0; }\n");
    assert_eq!(place.explain(&["--cc-arg", "-DVALUE=2"]).status, Some(0));
    assert_eq!(place.explain(&["--cc-arg", "-DVALUE=1"]).status, Some(3));
    assert_eq!(place.explain(&["--cc-arg", "-DVALUE=2", "--cc-arg", "-DNDEBUG"]).status, Some(3));
    assert_eq!(place.explain(&[]).status, Some(2));
    // As clang's users write them.
    assert_eq!(place.explain(&["-DVALUE=2"]).status, Some(0));
    assert_eq!(place.explain(&["-D", "VALUE=2", "-DNDEBUG"]).status, Some(3));
    let place = Place::new(
        "#include <assert.h>\n#include <math.h>\n#include \"limit.h\"\nint main(int n, char **a) {\n  \
                            assert(cbrt(n * 8.0) < LIMIT);\n  return a == 0;\n}\n",
    );
    let headers = place.directory.path().join("headers");
    std::fs::create_dir(&headers).expect("a directory");
    std::fs::write(headers.join("limit.h"), "#define LIMIT 2\n").expect("a header");
    assert_eq!(place.explain(&["-Iheaders", "-lm"]).status, Some(0));
    assert_eq!(place.explain(&["-Iheaders", "-lno_such_library"]).status, Some(2));
    assert_eq!(place.explain(&["-lm"]).status, Some(2));
}

#[test]
fn a_run_without_failure_is_nothing_to_explain() {
    let said = Place::new("int main(void) { return 0; }\n").explain(&[]);
    assert_eq!((said.status, said.stdout.as_str()), (Some(3), ""));
    let what = "what it should do can be given: --expect-stdout FILE, --expect-status N, or --tests TESTS --test NAME";
    assert_eq!(said.stderr, format!("wherefore: no failure: the program ends with status 0; {what}\n"));

    let place = Place::new("int main(void) { int x = 3; return x; }\n");
    let said = place.explain(&[]);
    assert_eq!(said.status, Some(3));
    assert!(said.stderr.contains("the program ends with status 3; --expect-status 0 makes that a failure"));
    assert_eq!(place.explain(&["-q"]).stderr, "");
    let report = place.explain(&["--format", "json"]).json();
    assert_eq!((&report["failure"], &report["explanation"]), (&Value::Null, &Value::Null));
    assert_eq!(report["partial"], false);

    // The hint works.
    let said = place.explain(&["--expect-status", "0", "--format", "json"]);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    assert_eq!(said.json()["failure"]["kind"], "status");
    assert_eq!(place.explain(&["--expect-status", "3"]).status, Some(3));
}

#[test]
fn the_entry_must_exist() {
    let place = Place::new("static int g(int a) { return a; }\nint f(int a) { return g(a); }\nint h(void);\n");
    let said = place.explain(&["--entry", "nothing"]);
    usage(&said, "`nothing`");
    assert!(said.stderr.contains("f") && said.stderr.contains("g"), "{}", said.stderr);
    usage(&place.explain(&[]), "`main`");
    usage(&place.explain(&["--entry", "h"]), "`h`");
    usage(&Place::new("").explain(&[]), "`main`");
}

#[test]
fn inputs_must_fit() {
    let place = Place::new(FAILING);
    let input = |text: &str| place.explain(&["--entry", "f", "--input", text]);
    let said = input("z=3");
    usage(&said, "--input z: neither a parameter of f() nor a global variable");
    assert!(["x", "c", "s", "limit"].iter().all(|n| said.stderr.contains(n)), "{}", said.stderr);
    usage(&input("x=abc"), "--input x=abc: not a number");
    usage(&input("x="), "not a number");
    usage(&input("x=1.5"), "not a number");
    usage(&input("x=12abc"), "not a number");
    usage(&input("x=0x"), "not a number");
    usage(&input("x"), "--input x: expected NAME=VALUE");
    usage(&input("=3"), "--input");
    usage(&input("x=99999999999"), "does not fit");
    usage(&input("x=-99999999999"), "does not fit");
    usage(&input("x=999999999999999999999999999999999999999999999999"), "x=9999");
    usage(&input("c=256"), "does not fit");
    usage(&input("c=-1"), "does not fit");
    usage(&place.explain(&["--entry", "f", "--input", "x=1", "--input", "x=2"]), "--input x is given twice");
    usage(&place.explain(&["--input"]), "--input");
}

#[test]
fn inputs_of_every_kind() {
    let place = Place::new(FAILING);
    for (inputs, value) in [
        (&["x=8"][..], "8"),
        (&["x=0x8", "c=7"], "0x8"),
        (&["x='A'", "s=yes"], "'A'"),
        (&["x=0", "c=255"], "0"),
        (&["x=-20", "s=\"no\""], "-20"),
        (&["x=0", "limit=10"], "0"),
        (&["x=8", "s=NULL"], "8"),
    ] {
        let mut arguments = vec!["--entry", "f", "--format", "json"];
        inputs.iter().for_each(|i| arguments.extend(["--input", i]));
        let said = place.explain(&arguments);
        assert_eq!(said.status, Some(0), "{inputs:?}: {}", said.stderr);
        let report = said.json();
        assert_eq!(report["trace"]["inputs"][0]["name"], "x");
        assert_eq!(report["trace"]["inputs"][0]["value"], value, "{inputs:?}");
        assert_eq!(report["explanation"]["checked"], true);
    }
    // What is not given is said.
    let notes = place.explain(&["--entry", "f", "--input", "x=8", "--format", "json"]).json()["notes"].to_string();
    assert!(notes.contains("no --input for c, s: 0 is used"), "{notes}");
}

#[test]
fn nondeterministic_values_must_be_numbers() {
    let source = "int __VERIFIER_nondet_int(void);\nvoid __VERIFIER_assert(int);\n\
                  int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assert(x != 7); return 0; }\n";
    let place = Place::new(source);
    usage(&place.explain(&["--nondet", "1,x"]), "--nondet x: not a number");
    usage(&place.explain(&["--nondet", "7.5.1"]), "--nondet 7.5.1: not a number");
    usage(&place.explain(&["--nondet", "99999999999999999999999"]), "not a number that fits into 64 bits");
    assert_eq!(place.explain(&["--nondet", "7"]).status, Some(0));
    assert_eq!(place.explain(&["--nondet=-7"]).status, Some(3));
    let two = source.replace("x != 7", "x + __VERIFIER_nondet_int() != 7");
    let said = Place::new(&two).explain(&["--nondet", "3", "--format", "json"]);
    assert_eq!(said.status, Some(3));
    assert!(said.json()["notes"].to_string().contains("0 is used"), "{}", said.stdout);
}

#[test]
fn without_inputs_failing_ones_are_searched() {
    let source = "int __VERIFIER_nondet_int(void);\nvoid __VERIFIER_assert(int);\n\
                  int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assert(x != 7); return 0; }\n";
    let said = Place::new(source).explain(&["--format", "json"]);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    let report = said.json();
    assert_eq!(report["trace"]["inputs"][0]["value"], "7");
    assert!(report["notes"].to_string().contains("found by a search"), "{}", said.stdout);

    // Parameters of the entry function are inputs as well; a run with zeros that fails needs no search.
    let source = "#include <assert.h>\nint f(int x, int y) { assert(x - y != 1000); return 10 / (y + 3); }\n";
    let said = Place::new(source).explain(&["--entry", "f"]);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains("found by a search"), "{}", said.stdout);
    let said = Place::new(&source.replace("1000", "0")).explain(&["--entry", "f"]);
    assert_eq!(said.status, Some(0));
    assert!(!said.stdout.contains("found by a search"), "{}", said.stdout);
    // What is given is not searched.
    assert_eq!(Place::new(source).explain(&["--entry", "f", "--input", "x=1"]).status, Some(3));
}

#[test]
fn that_no_input_fails_is_said_with_its_reason() {
    let place = Place::new("#include <assert.h>\nint f(int x) { assert(x != x + 1); return 0; }\n");
    let said = place.explain(&["--entry", "f"]);
    assert_eq!((said.status, said.stdout.as_str()), (Some(3), ""));
    assert!(said.stderr.contains("on no path does the program fail"), "{}", said.stderr);
    let said = place.explain(&["--entry", "f", "--format", "json"]);
    assert_eq!(said.status, Some(3));
    assert_eq!(said.json()["partial"], false);

    // A million paths, and no failure on any.
    let many = "int __VERIFIER_nondet_int(void);\nvoid __VERIFIER_assert(int);\nint main(void) {\n\
                  int sum = 0;\n  for (int i = 0; i < 20; i++) if (__VERIFIER_nondet_int() > 0) sum += i;\n\
                  __VERIFIER_assert(sum <= 190);\n  return 0;\n}\n";
    let said = Place::new(many).explain(&[]);
    assert_eq!(said.status, Some(3), "{}", said.stderr);
    assert!(said.stderr.contains("it is proved that the program does not fail"), "{}", said.stderr);
    // Whoever may look at few paths only knows less.
    let endless = "int __VERIFIER_nondet_int(void);\nvoid __VERIFIER_assert(int);\nint main(void) {\n\
                   unsigned n = 0;\n  while (__VERIFIER_nondet_int()) n++;\n\
                   __VERIFIER_assert(n != 4000000000u);\n  return 0;\n}\n";
    let said = Place::new(endless).explain(&["--timeout", "4"]);
    assert_eq!(said.status, Some(4), "{}", said.stderr);
    assert!(said.stderr.contains("a search found no input that makes the program fail"), "{}", said.stderr);
}

#[test]
fn standard_input_must_exist() {
    let place = Place::new("int main(void) { return 0; }\n");
    usage(&place.explain(&["--stdin", "nothing.txt"]), "--stdin nothing.txt: no such file");
    usage(&place.explain(&["--stdin", "."]), "--stdin .: this is a directory");
    assert_eq!(place.explain(&["--stdin", "/dev/null"]).status, Some(3));
}

#[test]
fn a_program_that_hangs_is_stopped() {
    let place = Place::new(
        "#include <stdio.h>\n#include <unistd.h>\nint main(void) {\n  FILE *f = fopen(\"pid\", \"w\");\n  if (f) {\n    \
         fprintf(f, \"%d\", (int)getpid());\n    fclose(f);\n  }\n  volatile int x = 1;\n  while (x)\n    ;\n  return 0;\n}\n",
    );
    let began = Instant::now();
    let said = place.explain(&["--timeout", "30", "--format", "json"]);
    let took = began.elapsed();
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    assert!(took < PATIENCE, "{took:?}");
    let report = said.json();
    assert_eq!((&report["partial"], &report["failure"]["kind"]), (&false.into(), &"timeout".into()));
    assert_eq!(report["failure"]["at"]["line"], 10);
    let message = "does not end: nothing that this loop depends on changes any more";
    assert_eq!(report["failure"]["message"], message);
    let summary = report["explanation"]["summary"].to_string();
    assert!(summary.contains("The loop ends when x == 0; x is 1 in every round."), "{summary}");
    assert!(summary.contains("Its rounds never assign x."), "{summary}");

    let said = place.explain(&["--timeout", "0.3"]);
    assert!(matches!(said.status, Some(0 | 4)), "{}", said.stderr);
    nothing_is_left(place.directory.path());
}

#[test]
fn a_program_that_sleeps_is_stopped() {
    let place = Place::new("#include <unistd.h>\nint main(void) { sleep(1000); return 0; }\n");
    let began = Instant::now();
    let said = place.explain(&["--timeout", "30"]);
    assert_eq!(said.status, Some(0), "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("it waits in sleep()"), "{}", said.stdout);
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    for wrong in ["0", "-1", "nan", "soon"] {
        let said = place.explain(&[&format!("--timeout={wrong}")]);
        assert_eq!(said.status, Some(2), "{wrong}: {}", said.stderr);
    }
}

/// No process works in a directory any more.
fn nothing_is_left(directory: &Path) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let left: Vec<PathBuf> = std::fs::read_dir("/proc")
            .expect("processes")
            .filter_map(|entry| entry.ok()?.path().join("cwd").read_link().ok())
            .filter(|cwd| cwd.starts_with(directory))
            .collect();
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "still there: {left:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_program_that_takes_all_memory_is_stopped() {
    let place = Place::new(
        "#include <stdlib.h>\n#include <string.h>\nint main(void) {\n  for (;;) {\n    char *p = malloc(1 << 24);\n    \
         memset(p, 1, 1 << 24);\n  }\n}\n",
    );
    let said = place.explain(&["--memory", "256", "--timeout", "60", "--format", "json"]);
    assert_eq!(said.status, Some(0), "{}{}", said.stdout, said.stderr);
    // malloc() gives NULL, and that is why.
    let steps = steps(&said.json());
    assert_eq!(steps.iter().map(|s| s.line).collect::<Vec<_>>(), [5, 6], "{steps:?}");
}

#[test]
fn a_program_that_floods_its_output_is_stopped() {
    let place =
        Place::new("#include <stdio.h>\nint main(void) { for (;;) puts(\"flood flood flood flood flood\"); }\n");
    let began = Instant::now();
    let said = place.explain(&["--timeout", "10", "--format", "json"]);
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    assert!(said.stdout.len() < 10_000 && said.stderr.len() < 10_000);
    assert_eq!(said.json()["failure"]["message"], "does not end: nothing leaves this loop");
}

#[test]
fn a_text_that_keeps_a_loop_going_is_told() {
    let place = Place::new(
        "#include <string.h>\nint main(void) {\n  char text[10] = \"abc\";\n  while (strlen(text) < 5)\n    \
         if (text[0] == 'z')\n      strcat(text, \"x\");\n  return 0;\n}\n",
    );
    let report = place.explain(&["--timeout", "30", "--format", "json"]).json();
    let message = "does not end: nothing that this loop depends on changes any more";
    assert_eq!(report["failure"]["message"], message);
    let summary = report["explanation"]["summary"].to_string();
    assert!(summary.contains("Its condition, `strlen(text) < 5`, holds in every round."), "{summary}");
    let lines: Vec<_> = steps(&report).iter().map(|s| s.line).collect();
    assert!(lines.contains(&3), "{lines:?}");
}

#[test]
fn all_exits_of_a_loop_are_told_with_values_at_the_decision() {
    let place = Place::new(
        "int main(void) {\n  unsigned at = 0, end = 0, size = 9;\n  while (at < size) {\n    end = at + 4;\n    \
         if (end >= size)\n      break;\n    end = 0;\n  }\n  return 0;\n}\n",
    );
    let report = place.explain(&["--timeout", "30", "--format", "json"]).json();
    let message = "does not end: nothing that the loop at line 3 depends on changes any more";
    assert_eq!(report["failure"]["message"], message);
    let summary = report["explanation"]["summary"].to_string();
    assert!(summary.contains("(line 3)") && summary.contains("end is 4"), "{summary}");
    assert!(!summary.contains("end is 0"), "{summary}");
}

#[test]
fn a_program_that_forks_leaves_nobody_behind() {
    let place = Place::new(
        "#include <assert.h>\n#include <unistd.h>\nint main(void) {\n  int x = 3;\n  if (fork() == 0) {\n    sleep(1000);\n    \
         _exit(0);\n  }\n  assert(x == 4);\n  return 0;\n}\n",
    );
    let said = place.explain(&["--timeout", "60", "--format", "json"]);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    let report = said.json();
    assert!(report["notes"].to_string().contains("fork"), "{}", report["notes"]);
    assert!(steps(&report).iter().any(|s| s.line == 4));
    nothing_is_left(place.directory.path());
}

#[test]
fn a_program_that_forks_without_end_is_stopped() {
    let place = Place::new("#include <unistd.h>\nint main(void) { for (;;) if (fork() == 0) for (;;) pause(); }\n");
    let began = Instant::now();
    let said = place.explain(&["--timeout", "2"]);
    assert_eq!(said.status, Some(4), "{}", said.stderr);
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    nothing_is_left(place.directory.path());
}

#[test]
fn a_program_that_kills_its_group_kills_only_itself() {
    let place =
        Place::new("#include <signal.h>\nint main(void) {\n  int x = 1;\n  kill(0, SIGKILL);\n  return x;\n}\n");
    let said = place.explain(&["--format", "json", "--timeout", "60"]);
    assert_eq!(said.status, Some(0), "{}{}", said.stdout, said.stderr);
    let report = said.json();
    assert_eq!(report["failure"]["kind"], "signal");
    assert_eq!(report["failure"]["at"]["line"], 4);
}

#[test]
fn a_program_that_kills_its_parent_does_not_kill_us() {
    let place = Place::new(
        "#include <signal.h>\n#include <unistd.h>\nint main(void) {\n  kill(getppid(), SIGKILL);\n  kill(-1, SIGKILL);\n  \
         return 0;\n}\n",
    );
    let said = place.explain(&["--timeout", "20", "--format", "json"]);
    assert!(said.status.is_some_and(|s| [0, 3, 4].contains(&s)), "{:?}: {}", said.status, said.stderr);
    assert_eq!(said.json()["tool"], "wherefore");
    nothing_is_left(place.directory.path());
}

#[test]
fn nothing_is_written_into_the_current_directory() {
    let empty = tempfile::tempdir().expect("a directory");
    let elsewhere = Place::new(FAILING);
    let program = elsewhere.file("prog.c");
    let broken = elsewhere.file("broken.c");
    std::fs::write(&broken, "int main(void) { return\n").expect("a file is written");
    for (file, status) in [(&program, 0), (&broken, 2)] {
        let mut command = wherefore();
        command.current_dir(empty.path()).arg("explain").arg(file).args(ENTRY);
        let said = Said::from(command.output().expect("wherefore starts"));
        assert_eq!(said.status, Some(status), "{}", said.stderr);
        assert_eq!(std::fs::read_dir(empty.path()).expect("a directory").count(), 0);
    }
    let mut beside: Vec<_> = std::fs::read_dir(elsewhere.directory.path())
        .expect("a directory")
        .map(|e| e.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    beside.sort();
    assert_eq!(beside, ["broken.c", "prog.c"]);
}

/// A report without what may differ from run to run.
fn lasting(said: &Said) -> Value {
    let mut report = said.json();
    report["timing_ms"] = Value::Null;
    report
}

#[test]
fn a_recording_is_as_good_as_the_program() {
    let place = Place::new(FAILING);
    let json = ["--format", "json"];
    let direct = place.explain(&[&ENTRY[..], &json].concat());
    let recorded = place.run(&[&["record", "-o", "run.rec", "prog.c"], &ENTRY[..]].concat());
    assert_eq!(recorded.status, Some(0), "{}", recorded.stderr);
    assert!(recorded.stderr.contains("run.rec"), "{}", recorded.stderr);
    let people = place.explain(&ENTRY);
    let from_recording = |name: &str| place.run(&[&["explain", name], &json[..]].concat());
    assert_eq!(lasting(&direct), lasting(&from_recording("run.rec")));
    // Nothing but the recording is needed.
    std::fs::remove_file(place.file("prog.c")).expect("the program is deleted");
    assert_eq!(lasting(&direct), lasting(&from_recording("run.rec")));
    assert_eq!(people.stdout, place.run(&["explain", "run.rec"]).stdout);
    assert!(people.stdout.contains("int y = x + limit;"), "{}", people.stdout);

    // Quietly, and with the name it has when none is given.
    std::fs::write(place.file("prog.c"), FAILING).expect("a file is written");
    let said = place.run(&[&["record", "-q", "prog.c"], &ENTRY[..]].concat());
    assert_eq!((said.status, said.stdout.as_str(), said.stderr.as_str()), (Some(0), "", ""));
    assert_eq!(lasting(&direct), lasting(&from_recording("wherefore.recording")));
    let said = place.run(&[&["record", "-o", "no/such/place", "prog.c"], &ENTRY[..]].concat());
    usage(&said, "no/such/place");
}

#[test]
fn damaged_recordings_are_refused() {
    let place = Place::new(FAILING);
    assert_eq!(place.run(&[&["record", "-q", "-o", "good", "prog.c"], &ENTRY[..]].concat()).status, Some(0));
    let good = std::fs::read(place.file("good")).expect("a recording");
    let refused = |name: &str, bytes: &[u8]| {
        std::fs::write(place.file(name), bytes).expect("a file is written");
        let said = place.run(&["explain", name]);
        usage(&said, name);
        let reason = said.stderr.strip_prefix(&format!("wherefore: {name}: this recording is damaged: "));
        assert!(reason.is_some_and(|r| !r.contains("column") && !r.contains("expected")), "{}", said.stderr);
        assert_eq!(said.stderr.lines().count(), 1, "{}", said.stderr);
    };
    let length = good.len();
    for cut in [16, 20, 24, 40, 100, length / 2, length - 100, length - 9, length - 1] {
        refused("cut", &good[..cut]);
    }
    for from in [24, 40, 200, length / 2] {
        let mut bytes = good.clone();
        bytes[from..].iter_mut().enumerate().for_each(|(i, b)| *b = (i * 31 % 251) as u8);
        refused("garbage", &bytes);
    }
    refused("longer", &[&good[..], b"and some more"].concat());
    // What does not even begin like a recording is something else.
    std::fs::write(place.file("other"), b"\x7fELF and so on").expect("a file is written");
    usage(&place.run(&["explain", "other"]), "other");
}

/// A bit of a recording changed, here and there: it is another one, and nobody explains another run without a word.
#[test]
fn a_changed_bit_is_noticed() {
    let place = Place::new(FAILING);
    assert_eq!(place.run(&[&["record", "-q", "-o", "good", "prog.c"], &ENTRY[..]].concat()).status, Some(0));
    let good = std::fs::read(place.file("good")).expect("a recording");
    for at in (0..good.len()).step_by(good.len() / 40) {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(place.file("changed"), bytes).expect("a file is written");
        let said = place.run(&["explain", "changed", "--timeout", "60"]);
        assert_eq!((said.status, said.stdout.as_str()), (Some(2), ""), "byte {at}: {}", said.stderr);
    }
}

#[test]
fn recordings_of_other_versions_are_told_apart() {
    let place = Place::new(FAILING);
    assert_eq!(place.run(&[&["record", "-q", "-o", "good", "prog.c"], &ENTRY[..]].concat()).status, Some(0));
    let good = std::fs::read(place.file("good")).expect("a recording");
    // The version of the file, and the program model.
    for at in [14, 16, 23] {
        let mut bytes = good.clone();
        bytes[at] ^= 3;
        std::fs::write(place.file("other"), bytes).expect("a file is written");
        usage(&place.run(&["explain", "other"]), "other: this recording was made by another version of wherefore");
    }
}

#[test]
fn the_report_goes_to_a_file() {
    let place = Place::new(FAILING);
    let shown = place.explain(&ENTRY);
    let said = place.explain(&[&ENTRY[..], &["-o", "report.txt"]].concat());
    assert_eq!((said.status, said.stdout.as_str()), (Some(0), ""), "{}", said.stderr);
    assert_eq!(std::fs::read_to_string(place.file("report.txt")).expect("a report"), shown.stdout);
    let said = place.explain(&[&ENTRY[..], &["-o", "report.json", "--format", "json"]].concat());
    assert_eq!((said.status, said.stdout.as_str()), (Some(0), ""));
    let text = std::fs::read_to_string(place.file("report.json")).expect("a report");
    assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON")["tool"], "wherefore");

    usage(&place.explain(&[&ENTRY[..], &["-o", "no/such/place"]].concat()), "no/such/place");
    usage(&place.explain(&[&ENTRY[..], &["-o", "."]].concat()), ".: ");
}

#[test]
fn json_has_what_the_contract_says() {
    let place = Place::new(FAILING);
    let said = place.explain(&[&ENTRY[..], &["--format", "json"]].concat());
    let report = said.json();
    assert_eq!(said.stdout.trim_end().lines().last(), Some("}"), "one object and a line end");
    assert_eq!(report["schema"], 1);
    assert_eq!(report["tool"], "wherefore");
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(report["command"], "explain");
    assert_eq!(report["partial"], false);
    assert!(report["notes"].as_array().is_some_and(|n| n.iter().all(Value::is_string)));
    assert_eq!(report["failure"]["kind"], "assertion");
    assert_eq!(report["failure"]["condition"], "y < 10 && c < 200");
    assert!(report["failure"]["message"].is_string());
    assert!(report["trace"]["statements"].is_u64() && report["trace"]["events"].is_u64());
    assert_eq!(report["trace"]["inputs"][0], serde_json::json!({"name": "x", "value": "8"}));
    for time in ["compile", "run", "encode", "solve", "total"] {
        assert!(report["timing_ms"][time].is_u64(), "{time}");
    }
    assert_eq!(report["explanation"]["encoding"], "flow-sensitive");
    assert!(report["explanation"]["precondition"].is_string());
    assert_eq!(report["explanation"]["checked"], true);
    let list = report["explanation"]["steps"].as_array().expect("steps");
    let mut places = vec![&report["failure"]["at"]];
    let kinds = ["assign", "havoc", "store", "call", "return", "frame", "assume", "failure"];
    let mut before = None;
    for step in list {
        assert!(step["kind"].as_str().is_some_and(|k| kinds.contains(&k)), "{step}");
        assert!(step["text"].as_str().is_some_and(|t| !t.is_empty() && !t.ends_with(';')), "{step}");
        assert!(step["position"].as_u64() >= before, "{step}");
        before = step["position"].as_u64();
        assert_eq!(step["invariant"].is_string(), step["kind"] != "failure", "{step}");
        places.push(&step["at"]);
        for reason in step["because"].as_array().expect("reasons") {
            assert!(reason["text"].is_string());
            places.push(&reason["at"]);
        }
    }
    for at in places {
        assert!(at["file"].as_str().is_some_and(|f| f.ends_with("prog.c")), "{at}");
        // A global belongs to no function.
        assert!(at["function"] == "f" || at["line"] == 2, "{at}");
        let [line, column, end_line, end_column] =
            ["line", "column", "end_line", "end_column"].map(|n| at[n].as_u64().expect("a number"));
        assert!(line >= 1 && column >= 1 && (end_line, end_column) > (line, column), "{at}");
    }
    // The text of a step is what stands there.
    let source: Vec<&str> = FAILING.lines().collect();
    for step in list {
        let at = &step["at"];
        let line = source[at["line"].as_u64().expect("a line") as usize - 1];
        let from = at["column"].as_u64().expect("a column") as usize - 1;
        let first = step["text"].as_str().expect("a text").split(" ...").next().expect("a part");
        assert!(line[from..].starts_with(first), "`{first}` is not at {at}");
    }
}

#[test]
fn colour_is_asked_for() {
    let place = Place::new(FAILING);
    let always = place.explain(&[&ENTRY[..], &["--color", "always"]].concat());
    let never = place.explain(&[&ENTRY[..], &["--color", "never"]].concat());
    assert!(always.stdout.contains('\x1b') && !never.stdout.contains('\x1b'));
    assert_eq!(place.explain(&ENTRY).stdout, never.stdout, "no terminal, no colour");
    // Without the colours it is the same text.
    let mut plain = String::new();
    let mut rest = always.stdout.as_str();
    while let Some(at) = rest.find('\x1b') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + rest[at..].find('m').expect("the end of a colour") + 1..];
    }
    assert_eq!(plain + rest, never.stdout);
    let json = place.explain(&[&ENTRY[..], &["--color", "always", "--format", "json"]].concat());
    assert!(!json.stdout.contains('\x1b'));
    usage(&place.explain(&["--color", "blue"]), "blue");
}

#[test]
fn help_and_version() {
    let said = run(&["--version"]);
    assert_eq!(said.status, Some(0));
    assert_eq!(said.stdout, format!("wherefore {}\n", env!("CARGO_PKG_VERSION")));
    let said = run(&["--help"]);
    assert_eq!((said.status, said.stderr.as_str()), (Some(0), ""));
    assert!(said.stdout.contains("explain") && said.stdout.contains("record"));
    let said = run(&["explain", "--help"]);
    assert_eq!(said.status, Some(0));
    for option in [
        "--entry",
        "--input",
        "--nondet",
        "--stdin",
        "--cc-arg",
        "--encoding",
        "--format",
        "-o",
        "--timeout",
        "--color",
        "--memory",
        "-q",
        "-v",
        "--addresses",
        "--expect-status",
    ] {
        assert!(said.stdout.contains(option), "{option}: {}", said.stdout);
    }
    for wrong in
        [&[][..], &["explain"], &["explode"], &["explain", "--nonsense", "a.c"], &["explain", "--encoding", "a", "b"]]
    {
        let said = run(wrong);
        assert_eq!((said.status, said.stdout.as_str()), (Some(2), ""), "{wrong:?}");
        assert!(said.stderr.contains("Usage") || said.stderr.contains("--help"), "{wrong:?}: {}", said.stderr);
    }
}

#[test]
fn old_c_is_compiled_as_gnu89() {
    // `restrict` is a name like any other before C99.
    let place = Place::new(
        "void __VERIFIER_assert(int);\nint f(int restrict) { __VERIFIER_assert(restrict != 4); return 0; }\n",
    );
    let said = place.explain(&["--entry", "f", "--input", "restrict=4", "--format", "json"]);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    let notes = said.json()["notes"].to_string();
    assert!(notes.contains("compiled as gnu89") && notes.contains("prog.c:2"), "{notes}");
    // Who names a standard gets it.
    usage(&place.explain(&["--entry", "f", "--cc-arg", "-std=c99"]), "error:");
}

#[test]
fn nobody_has_to_read_the_report() {
    let place = Place::new(FAILING);
    for format in ["human", "json"] {
        let mut child = wherefore()
            .current_dir(place.directory.path())
            .args(["explain", "prog.c", "--format", format])
            .args(ENTRY)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("wherefore starts");
        drop(child.stdout.take());
        let said = Said::from(child.wait_with_output().expect("wherefore ends"));
        assert_eq!((said.status, said.stderr.as_str()), (Some(0), ""), "{format}");
    }
    // A full disk is not the same thing.
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let mut command = wherefore();
    command.current_dir(place.directory.path()).args(["explain", "prog.c"]).args(ENTRY).stdout(full);
    let said = Said::from(command.output().expect("wherefore starts"));
    assert_eq!(said.status, Some(1), "{}", said.stderr);
    assert!(said.stderr.contains("No space left"), "{}", said.stderr);
}

#[test]
fn the_environment_of_the_program_is_the_users() {
    let place = Place::new(
        "#include <assert.h>\n#include <stdlib.h>\n#include <unistd.h>\nint main(int argc, char **argv) {\n  (void)argv;\n  \
         assert(!getenv(\"SOME_SETTING\") || argc != 2 || access(\"prog.c\", R_OK) != 0);\n  return 0;\n}\n",
    );
    let mut command = wherefore();
    command.current_dir(place.directory.path()).env("SOME_SETTING", "1").args(["explain", "prog.c", "--", "one"]);
    let said = Said::from(command.output().expect("wherefore starts"));
    assert_eq!(said.status, Some(0), "{}", said.stderr);
}

#[test]
fn what_the_program_prints_is_told_only_when_asked() {
    let place = Place::new(
        "#include <assert.h>\n#include <stdio.h>\nint main(void) { fputs(\"hello\", stderr); assert(0); }\n",
    );
    let said = place.explain(&[]);
    assert_eq!((said.status, said.stderr.as_str()), (Some(0), ""));
    let said = place.explain(&["-v"]);
    assert_eq!(said.status, Some(0));
    assert!(said.stderr.contains("hello"), "{}", said.stderr);
}

#[test]
fn names_with_spaces_and_other_letters() {
    let place = Place::new("");
    std::fs::write(place.file("mein größter fehler.c"), FAILING).expect("a file is written");
    let said = place.run(&[&["explain", "mein größter fehler.c"], &ENTRY[..]].concat());
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    assert!(said.stdout.starts_with("mein größter fehler.c:7:3: "), "{}", said.stdout);
}

#[test]
fn the_example_of_the_readme() {
    let example = workspace().join("examples/abs.c");
    let mut command = Command::new(env!("CARGO_BIN_EXE_wherefore"));
    command.arg("explain").arg(example).args(["--entry", "absValue", "--input", "input=-1"]);
    let said = Said::from(command.output().expect("wherefore starts"));
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains("assertion `abs >= 0` fails when input is -1"), "{}", said.stdout);
}

const SHIP: &str = "\
#include <stdio.h>
struct parcel { int weight, express; };
static int price(const struct parcel *p) {
  int cost = p->weight / 4;
  if (p->express)
    cost += 5;
  return cost;
}
static void refund(void) {
  puts(\"refund\");
}
int main(void) {
  struct parcel all[3] = {{40, 0}, {12, 0}, {30, 1}};
  int total = 0;
  for (int i = 0; i < 3; i++)
    total += price(&all[i]);
  if (total > 100)
    refund();
  printf(\"%d\\n\", total);
  return 0;
}
";

#[test]
fn a_question_is_asked_about_a_line() {
    let place = Place::new(SHIP);
    let said = place.explain(&["--at", "prog.c:7", "--expect", "cost >= 5"]);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    let headline = "prog.c:7:3: cost >= 5 is false the 2nd time: cost is 3";
    assert!(said.stdout.replace('\u{a0}', " ").starts_with(headline), "{}", said.stdout);
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert!(lines.iter().any(|l| l.contains("  4 | int cost = p->weight / 4;")), "{}", said.stdout);
    // The 3rd time it holds.
    let said = place.explain(&["--at", "prog.c:7:3", "--expect", "cost >= 5"]);
    assert_eq!(said.status, Some(3), "{}", said.stdout);
    assert!(said.stderr.contains("cost >= 5 is true the 3rd time"), "{}", said.stderr);
    let said = place.explain(&["--at", "prog.c:16", "--expect", "total >= 0"]);
    assert!(said.stderr.contains("total >= 0 is true at prog.c:16, reached 3 times"), "{}", said.stderr);
}

const NESTED: &str = "#include <assert.h>\nint f(int input) {\n  int abs = input;\n  int sign;\n  if (input < 0)\n    sign = -1;\n  else\n    sign = 1;\n  if (sign == 1)\n    abs = 1;\n  assert(abs >= 0);\n  return abs;\n}\n";

#[test]
fn conditions_are_followed_as_far_as_somebody_asks() {
    let place = Place::new(NESTED);
    let with = |more: &[&str]| place.explain(&[&["--entry", "f", "--input", "input=-1"], more].concat());
    let near = with(&["--reasons", "1"]).stdout;
    let granted = "Taken for granted: 1 condition by which the program came here (-v follows them).";
    assert!(near.replace('\n', " ").contains(granted), "{near}");
    assert!(
        near.contains("leaves abs unchanged") && !near.contains("reached because input < 0 (-1 < 0, line 5)\n    abs"),
        "{near}"
    );
    for all in [with(&[]), with(&["--reasons", "2"])] {
        assert!(!all.stdout.contains("Taken for granted"), "{}", all.stdout);
        assert!(all.stdout.contains("reached because input < 0"), "{}", all.stdout);
    }
    let said = with(&["--reasons", "0"]);
    assert_eq!(said.status, Some(2), "{}", said.stderr);
}

#[test]
fn a_line_is_never_reached() {
    let said = Place::new(SHIP).explain(&["--at", "prog.c:10", "--format", "json"]);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    let failure = &said.json()["failure"];
    assert_eq!(failure["at"]["line"], 17);
    assert_eq!(failure["message"], "line 10 is never reached: total <= 100 here");
}

#[test]
fn what_is_wrong_with_a_question_is_said() {
    let place = Place::new(SHIP);
    usage(
        &place.explain(&["--at", "prog.c:7", "--expect", "costs > 1"]),
        "--expect: use of undeclared identifier 'costs'",
    );
    usage(
        &place.explain(&["--at", "prog.c:8"]),
        "no statement begins on line 8 of prog.c; the next one begins on line 10",
    );
    usage(&place.explain(&["--at", "other.c:8"]), "other.c is none of the program's files");
    usage(&place.explain(&["--expect", "1"]), "--at");
}
