//! Whole explanations of small C programs, as lines and formulas, each held against Definition 4.

use super::*;
use crate::definition::flow_sensitive;
use crate::story::StepKind;
use wherefore_fixtures::Fixture;
use wherefore_trace::{Action, Storage};

/// Steps of a story: `LINE`, `LINE frame NAME`, with `because LINE` for each reason.
fn told(source: &str, arguments: &[i64], encoding: Encoding) -> Vec<String> {
    let fixture = Fixture::with_entry(source, "f");
    let mut trace = fixture.trace(&fixture.run(arguments));
    let options = Options {
        encoding,
        addresses: false,
        reach: None,
        split: Split::Statements,
        backend: Backend::Cadical,
        budget: Budget::unlimited(),
    };
    let found = explain(fixture.program(), &mut trace, &options).expect("the run fails");
    assert_eq!(found.checked, Checked::Yes);
    let conditions = encoding != Encoding::Trace;
    let mut reasoner = Reasoner::independent(Backend::Z3, &Budget::unlimited());
    let wrong = flow_sensitive(&mut trace, &found.goal, &found.precondition, &found.steps, conditions, &mut reasoner);
    assert_eq!(wrong, []);
    let mut lines = vec![];
    for step in &found.steps {
        let mut text = step.at.map_or(0, |at| at.line).to_string();
        if let StepKind::Frame(frame) = &step.kind {
            let Storage::Local { activation, local, .. } = trace.variables[frame.variable.0 as usize].storage else {
                panic!("a local is framed")
            };
            let function = trace.activations[activation as usize].function;
            let local = &fixture.program().functions[function.index()].locals[local.index()];
            text += &format!(" frame {}", local.name.as_deref().expect("it has a name"));
        }
        for (_, at, _) in &step.because {
            text += &format!(" because {}", at.map_or(0, |at| at.line));
        }
        lines.push(text);
    }
    assert!(found.steps.iter().all(|s| {
        s.positions.iter().all(|p| *p == trace.steps.len() || !matches!(trace.steps[*p].action, Action::EndIf(_)))
    }));
    lines
}

const MISSING: &str = "#include <assert.h>\nint f(int input) {\n  int abs = input;\n  int sign;\n  if (input < 0)\n    sign = -1;\n  else\n    sign = 1;\n  if (sign == 1)\n    abs = input;\n  else\n    ;\n  assert(abs >= 0);\n  return abs;\n}\n";

#[test]
fn the_trace_formula_knows_only_data() {
    assert_eq!(told(MISSING, &[-1], Encoding::Trace), ["3", "13"]);
}

#[test]
fn the_flow_sensitive_formula_knows_the_missing_assignment() {
    let found = told(MISSING, &[-1], Encoding::FlowSensitive);
    assert_eq!(found, ["3", "6 because 5", "9 frame abs because 9", "13"]);
}

/// Lines of a story that follows conditions so far, with the lines of their reasons, and how many conditions are granted.
fn within(source: &str, arguments: &[i64], reach: Reach) -> (Vec<String>, usize) {
    let fixture = Fixture::with_entry(source, "f");
    let mut trace = fixture.trace(&fixture.run(arguments));
    let encoding = Encoding::FlowSensitive;
    let (backend, budget) = (Backend::Cadical, Budget::unlimited());
    let options = Options { encoding, addresses: false, reach: Some(reach), split: Split::Statements, backend, budget };
    let found = explain(fixture.program(), &mut trace, &options).expect("the run fails");
    assert_eq!(found.checked, Checked::Yes);
    let line = |at: Option<wherefore_program::Origin>| at.map_or(0, |at| at.line).to_string();
    let told = |step: &StoryStep| {
        let because = step.because.iter().map(|(_, at, _)| format!(" because {}", line(*at)));
        line(step.at) + &because.collect::<String>()
    };
    (found.steps.iter().map(told).collect(), found.granted.len())
}

#[test]
fn conditions_are_followed_as_far_as_is_asked() {
    let nearest = Reach::to(1);
    assert_eq!(within(MISSING, &[-1], nearest), (["3", "6", "9 because 9", "13"].map(String::from).to_vec(), 1));
    let all = ["3", "6 because 5", "9 because 9", "13"].map(String::from).to_vec();
    assert_eq!(within(MISSING, &[-1], Reach { depth: 2, ..nearest }), (all, 0));
}

#[test]
fn of_early_steps_only_where_values_came_from_is_told() {
    let counts = "#include <assert.h>\nint f(int n) {\n  int x = 0;\n  if (n > 1)\n    x = n;\n  if (n > 2)\n    x = x + 1;\n  if (n > 3)\n    x = x * 2;\n  assert(x != 10);\n  return x;\n}\n";
    let whole = ["5 because 4", "7 because 6", "9 because 8", "10"];
    let (told, granted) = within(counts, &[4], Reach::to(1));
    assert_eq!((told.len(), granted), (whole.len(), 0));
    let (told, granted) = within(counts, &[4], Reach { steps: 1, ..Reach::to(1) });
    assert_eq!((told, granted), (["5", "7", "9 because 8", "10"].map(String::from).to_vec(), 2));
}

#[test]
fn a_value_that_was_kept_is_told_however_far_away() {
    let keeps = "#include <assert.h>\nint f(int n) {\n  int x = 3;\n  if (n > 5)\n    x = 0;\n  x = x + 1;\n  assert(x != 4);\n  return x;\n}\n";
    let (told, granted) = within(keeps, &[4], Reach { steps: 1, ..Reach::to(1) });
    assert_eq!((told, granted), (["3", "4", "6", "7"].map(String::from).to_vec(), 1));
    let (told, granted) = within(keeps, &[4], Reach::to(1));
    assert_eq!((told, granted), (["3", "4 because 4", "6", "7"].map(String::from).to_vec(), 0));
}

#[test]
fn of_what_is_done_again_and_again_the_last_rounds_are_told() {
    let sums = "#include <assert.h>\nint f(int n) {\n  int s = 7;\n  for (int i = 0; i < n; i++)\n    s += 2;\n  assert(s != 47);\n  return s;\n}\n";
    let told = |reach| within(sums, &[20], reach).0.iter().filter(|line| line.starts_with('5')).count();
    assert_eq!(told(Reach::to(1)), 20);
    // The last three, and the one before them, whose sum is a fact of the run.
    assert_eq!(told(Reach { rounds: 3, ..Reach::to(1) }), 4);
    let (lines, _) = within(sums, &[20], Reach { rounds: 3, ..Reach::to(1) });
    assert!(!lines.contains(&"3".to_string()), "where the sum began is not told then: {lines:?}");
}

const GUARDED: &str = "#include <assert.h>\nint f(int input) {\n  int x = 1;\n  int y = input - 42;\n  int z = 9;\n  if (y < 0)\n    x = 0;\n  z++;\n  assert(x != 0);\n  return z;\n}\n";

#[test]
fn a_statement_is_told_with_the_condition_it_was_reached_by() {
    assert_eq!(told(GUARDED, &[41], Encoding::Trace), ["7", "9"]);
    assert_eq!(told(GUARDED, &[41], Encoding::FlowSensitive), ["4", "7 because 6", "9"]);
    assert_eq!(told(GUARDED, &[41], Encoding::Recursive), ["4", "7 because 6", "9"]);
}

#[test]
fn rounds_that_do_not_matter_are_not_told() {
    let source = "#include <assert.h>\nint f(int n) {\n  int s = 1, t = 0;\n  for (int i = 0; i < n; i++)\n    t += i;\n  assert(s == 0);\n  return t;\n}\n";
    assert_eq!(told(source, &[5], Encoding::FlowSensitive), ["3", "6"]);
}

#[test]
fn a_run_that_does_not_fail_has_no_explanation() {
    let fixture = Fixture::with_entry(GUARDED, "f");
    let mut trace = fixture.trace(&fixture.run(&[50]));
    let options = Options {
        encoding: Encoding::FlowSensitive,
        addresses: false,
        reach: None,
        split: Split::Statements,
        backend: Backend::Cadical,
        budget: Budget::unlimited(),
    };
    assert!(explain(fixture.program(), &mut trace, &options).is_none());
}

#[test]
fn a_pointer_that_decides_is_told_where_addresses_are_asked_for() {
    let source = "#include <assert.h>\nint a, b;\nint f(int k) {\n  int *p = &a;\n  if (k)\n    p = &b;\n  *p = 1;\n  assert(b == 0);\n  return 0;\n}\n";
    let fixture = Fixture::with_entry(source, "f");
    let lines = |addresses: bool| {
        let mut trace = fixture.trace(&fixture.run(&[3]));
        let options = Options {
            encoding: Encoding::FlowSensitive,
            addresses,
            reach: None,
            split: Split::Statements,
            backend: Backend::Cadical,
            budget: Budget::unlimited(),
        };
        let found = explain(fixture.program(), &mut trace, &options).expect("the run fails");
        assert_eq!(found.checked, Checked::Yes);
        found.steps.iter().map(|s| s.at.map_or(0, |at| at.line)).collect::<Vec<u32>>()
    };
    assert_eq!((lines(false), lines(true)), (vec![7, 8], vec![6, 7, 8]));
}
