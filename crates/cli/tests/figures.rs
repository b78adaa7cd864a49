//! The figures of the paper (Christ et al. 2013): what each encoding must say about them.

mod common;

use common::{ENCODINGS, Told, equivalent, implies, lines, run, steps, violations, workspace};
use serde_json::Value;

const ALL: std::ops::RangeInclusive<i64> = -90..=90;

fn arguments(figure: &str, entry: &str, inputs: &[&str]) -> Vec<String> {
    let file = workspace().join("tests/figures").join(figure);
    let mut arguments = vec![file.display().to_string(), "--entry".into(), entry.into()];
    for input in inputs {
        arguments.extend(["--input".to_string(), input.to_string()]);
    }
    arguments
}

/// The report, which stands every check there is.
fn explain(figure: &str, entry: &str, inputs: &[&str], encoding: &str) -> Value {
    let program = arguments(figure, entry, inputs);
    let options = ["explain", "--format", "json", "--encoding", encoding].map(str::to_string);
    let said = run(&options.into_iter().chain(program.clone()).collect::<Vec<_>>());
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    let report = said.json();
    assert_eq!(report["explanation"]["checked"], true, "{report:#}");
    assert_eq!(report["explanation"]["encoding"], encoding);
    assert_eq!(report["partial"], false);
    assert_eq!(report["notes"], serde_json::json!([]));
    assert_eq!(report["failure"]["kind"], "assertion");
    assert_eq!(violations(&program, encoding), Vec::<String>::new());
    report
}

fn precondition(report: &Value) -> &str {
    report["explanation"]["precondition"].as_str().expect("a precondition")
}

fn invariant(step: &Told) -> &str {
    step.invariant.as_deref().expect("an invariant")
}

fn failure_is_last(report: &Value, line: u64) {
    let steps = steps(report);
    assert_eq!(steps.iter().filter(|s| s.kind == "failure").count(), 1);
    let last = steps.last().expect("a step");
    assert_eq!((last.kind.as_str(), last.line), ("failure", line));
    assert_eq!(last.invariant, None);
    assert_eq!(report["failure"]["at"]["line"], line);
}

#[test]
fn fig1_trace_knows_only_the_assignment() {
    let report = explain("fig1_xzero.c", "xZero", &["input=41"], "trace");
    assert_eq!(lines(&report), [5]);
    assert_eq!(precondition(&report), "true");
    assert_eq!(steps(&report)[0].text, "x = 0");
    assert_eq!(steps(&report)[0].because, []);
    assert!(equivalent(invariant(&steps(&report)[0]), "x == 0", ALL));
    assert_eq!(report["failure"]["condition"], "x != 0");
    failure_is_last(&report, 7);
}

fn fig1_with_conditions(encoding: &str) {
    let report = explain("fig1_xzero.c", "xZero", &["input=41"], encoding);
    assert_eq!(lines(&report), [3, 5], "line 2 is irrelevant");
    assert!(equivalent(precondition(&report), "input <= 41", ALL), "{}", precondition(&report));
    let steps = steps(&report);
    assert!(steps[1].because.iter().any(|(line, text)| *line == 4 && equivalent(text, "y < 0", ALL)));
    assert!(equivalent(invariant(&steps[0]), "y < 0", ALL), "{}", invariant(&steps[0]));
    assert!(equivalent(invariant(&steps[1]), "x == 0", ALL), "{}", invariant(&steps[1]));
    failure_is_last(&report, 7);
}

#[test]
fn fig1_recursive_says_why_the_branch_is_taken() {
    fig1_with_conditions("recursive");
}

#[test]
fn fig1_flow_sensitive_says_why_the_branch_is_taken() {
    fig1_with_conditions("flow-sensitive");
}

#[test]
fn fig2_does_not_depend_on_the_branch() {
    for input in ["input=41", "input=50"] {
        for encoding in ENCODINGS {
            let report = explain("fig2_yzero.c", "yZero", &[input], encoding);
            assert_eq!(lines(&report), [2], "{input}, {encoding}");
            assert_eq!(precondition(&report), "true", "{input}, {encoding}");
            assert!(steps(&report).iter().all(|s| s.because.is_empty()), "{input}, {encoding}");
            failure_is_last(&report, 7);
        }
    }
}

const PROCESS: [&str; 2] = ["x=0", "y=-1"];

#[test]
fn fig5_trace_and_recursive_know_only_the_lock() {
    for encoding in ["trace", "recursive"] {
        let report = explain("fig5_process.c", "process", &PROCESS, encoding);
        assert_eq!(lines(&report), [4], "{encoding}");
        assert_eq!(steps(&report)[0].text, "lock = 1");
        assert_eq!(precondition(&report), "true");
        assert!(implies("lock == 1", invariant(&steps(&report)[0]), ALL));
        failure_is_last(&report, 19);
    }
}

#[test]
fn fig5_flow_sensitive_finds_the_missing_unlock() {
    let report = explain("fig5_process.c", "process", &PROCESS, "flow-sensitive");
    assert_eq!(lines(&report), [4, 10, 12]);
    let steps = steps(&report);
    let frame = &steps[2];
    assert_eq!(frame.kind, "frame");
    assert!(frame.note.as_deref().is_some_and(|n| n.contains("lock")), "{frame:?}");
    let reasons: Vec<u64> = frame.because.iter().map(|(line, _)| *line).collect();
    assert_eq!(reasons, [12, 15], "{frame:?}");
    assert!(equivalent(&frame.because[0].1, "x == 0", ALL), "{frame:?}");
    assert!(equivalent(&frame.because[1].1, "z <= 0", ALL), "{frame:?}");
    assert!(steps[1].because.iter().any(|(line, text)| *line == 9 && equivalent(text, "y != 0", ALL)));
    // The run's own state satisfies every invariant, and each is enough to reach the failure.
    let small = -9..=9;
    assert!(implies("x == 0 && y == -1", precondition(&report), small.clone()));
    assert!(implies(precondition(&report), "x == 0 && y < 0", small.clone()));
    assert!(implies("x == 0 && y == -1 && lock == 1", invariant(&steps[0]), small.clone()));
    assert!(implies(invariant(&steps[0]), "x == 0 && y < 0 && lock != 0", small.clone()));
    assert!(implies("x == 0 && z == -1 && lock == 1", invariant(&steps[1]), small.clone()));
    assert!(implies(invariant(&steps[1]), "x == 0 && z <= 0 && lock != 0", small.clone()));
    assert!(equivalent(invariant(&steps[2]), "lock != 0", small));
    failure_is_last(&report, 19);
}

#[test]
fn fig7_trace_and_recursive_know_only_the_copy() {
    for encoding in ["trace", "recursive"] {
        let report = explain("fig7_absvalue.c", "absValue", &["input=-1"], encoding);
        assert_eq!(lines(&report), [3], "{encoding}");
        assert_eq!(steps(&report)[0].text, "abs = input");
        assert!(equivalent(precondition(&report), "input <= -1", ALL), "{}", precondition(&report));
        failure_is_last(&report, 18);
    }
}

#[test]
fn fig7_flow_sensitive_has_the_invariants_of_the_paper() {
    let report = explain("fig7_absvalue.c", "absValue", &["input=-1"], "flow-sensitive");
    assert_eq!(lines(&report), [3, 7, 13]);
    let steps = steps(&report);
    assert_eq!(steps[2].kind, "frame");
    assert!(steps[2].note.as_deref().is_some_and(|n| n.contains("abs") && n.contains("line 16")), "{:?}", steps[2]);
    assert_eq!(steps[1].because.len(), 1);
    assert!(steps[1].because[0].0 == 6 && equivalent(&steps[1].because[0].1, "input < 0", ALL));
    assert!(steps[2].because.iter().any(|(line, text)| *line == 13 && equivalent(text, "sign == -1", ALL)));
    let expected = ["input <= -1", "input <= -1 && abs <= -1", "abs <= -1 && sign == -1", "abs <= -1"];
    let found: Vec<&str> = [precondition(&report)].into_iter().chain(steps[..3].iter().map(invariant)).collect();
    for (found, expected) in found.iter().zip(expected) {
        assert!(equivalent(found, expected, ALL), "{found} is not {expected}");
    }
    failure_is_last(&report, 18);
}

#[test]
fn fig7_for_people() {
    let file = workspace().join("tests/figures");
    let mut command = common::wherefore();
    command.current_dir(&file).args(["explain", "fig7_absvalue.c", "--entry", "absValue", "--input", "input=-1"]);
    let said = common::Said::from(command.output().expect("wherefore starts"));
    assert_eq!((said.status, said.stderr.as_str()), (Some(0), ""));
    assert!(!said.stdout.contains('\x1b'), "colour only on a terminal");
    assert!(
        said.stdout.starts_with("fig7_absvalue.c:18:3: assertion `abs >= 0` fails when input is -1: abs is -1\n\n")
    );
    // What is said, in this order.
    let mut rest = said.stdout.as_str();
    for text in [
        "    input <= -1\n",
        "  3 | abs = input;",
        "    input <= -1 && abs <= -1\n",
        "  7 | sign = -1;",
        "reached because input < 0 (-1 < 0, line 6)\n",
        "    abs <= -1 && sign == -1\n",
        " 13 | if (sign == -1) ...",
        "leaves abs unchanged; the other branch sets it (line 16)\n",
        "    abs <= -1\n",
        " 18 | __VERIFIER_assert(abs >= 0)",
        "fails\n",
        "\n3 of ",
    ] {
        let at = rest.find(text).unwrap_or_else(|| panic!("`{text}` is not in the rest of\n{}", said.stdout));
        rest = &rest[at + text.len()..];
    }
}

#[test]
fn fig1_for_people() {
    let file = workspace().join("tests/figures");
    let mut command = common::wherefore();
    command.current_dir(&file).args(["explain", "fig1_xzero.c", "--entry", "xZero", "--input", "input=41"]);
    let said = common::Said::from(command.output().expect("wherefore starts"));
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    let numbered: Vec<&str> = said.stdout.lines().filter(|l| l.contains(" | ")).collect();
    assert_eq!(numbered.len(), 3, "{}", said.stdout);
    for (line, text) in numbered.iter().zip(["  3 | int y = input - 42;", "  5 | x = 0;", "  7 | "]) {
        assert!(line.starts_with(text), "{}", said.stdout);
    }
    assert!(said.stdout.contains("reached because y < 0 (-1 < 0, line 4)"), "{}", said.stdout);
}

#[test]
fn expressions_are_compared_by_meaning() {
    assert!(equivalent("input <= 41", "input < 42", ALL));
    assert!(equivalent("!(x > 3 || y == 0)", "x <= 3 && y != 0", -9..=9));
    assert!(!equivalent("x <= 3", "x < 3", ALL));
    assert!(implies("x == 41", "x <= 41", ALL) && !implies("x <= 41", "x == 41", ALL));
    assert!(equivalent("-x % 4 == 0 - 1 * 2 + 2", "(x & 3) == 0", ALL));
}

/// What is told of the pointer that nobody has set, *Concolic Fault Abstraction*, Figure 1: the lines, with the texts.
fn sed(addresses: &str) -> Vec<(u64, String)> {
    let file = workspace().join("tests/figures/concolic_fig1_sed.c").display().to_string();
    let said = run(&["explain", "--format", "json", "--addresses", addresses, &file].map(str::to_string));
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    let report = said.json();
    assert_eq!(report["explanation"]["checked"], true, "{report:#}");
    assert_eq!(violations(&[file, "--addresses".into(), addresses.into()], "flow-sensitive"), Vec::<String>::new());
    failure_is_last(&report, 29);
    steps(&report).into_iter().map(|step| (step.line, step.text)).collect()
}

#[test]
fn concolic_fig2_tells_where_the_value_comes_from() {
    let lines: Vec<u64> = sed("off").into_iter().map(|(line, _)| line).collect();
    assert_eq!(lines, [11, 14, 34, 29]);
}

#[test]
fn concolic_fig3_tells_why_the_pointers_led_there() {
    let told = sed("on");
    let lines: Vec<u64> = told.iter().map(|(line, _)| *line).collect();
    // As in the figure, and the two allocations that it takes for granted.
    assert_eq!(lines, [11, 20, 21, 22, 23, 24, 14, 25, 43, 44, 38, 39, 34, 29]);
    let text = |line| &told.iter().find(|(l, _)| *l == line).expect("told").1;
    assert_eq!(text(22), "vector->length = 0");
    assert_eq!(text(23), "cur_cmd = vector->v + vector->length");
    assert_eq!(text(43), "the_program = compile_program()");
}
