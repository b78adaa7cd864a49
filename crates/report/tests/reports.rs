//! Whole reports as JSON and as text, compared with snapshots.

use wherefore_report::{
    Explanation, Failure, FailureKind, Input, Loc, Reason, Report, Step, StepKind, Style, Timing, Trace, human, json,
};

const ABS: &str = "\
int absValue(int input) {
  int sign, abs;
  abs = input;
  if (input == 0)
    return 0;
  if (input < 0) {
    sign = -1;
    printf(\"negative\");
  } else {
    sign = 1;
    printf(\"positive\");
  }
  if (sign == -1) {
    sign = input * -1;
  } else {
    abs = input;
  }
  assert(abs >= 0);
  return abs;
}
";

const SUM: &str = "\
int sum(int n) {
\tint s = 0;
\tfor (int i = 0; i < n; i++)
\t\ts += i;
\tassert(s != 45);
\treturn s;
}
";

fn sources(file: &str) -> Option<String> {
    match file {
        "abs.c" => Some(ABS.into()),
        "sum.c" => Some(SUM.into()),
        _ => None,
    }
}

/// The place of the first occurrence of `text` in line `line` of a source, or its line alone when there is no source.
fn at(file: &str, function: &str, line: u32, text: &str) -> Loc {
    let source = sources(file).unwrap_or_default();
    let column = source.lines().nth(line as usize - 1).and_then(|source| source.find(text)).map_or(1, |at| at + 1);
    Loc {
        file: file.into(),
        line,
        column: column as u32,
        end_line: line,
        end_column: (column + text.len()) as u32,
        function: function.into(),
    }
}

fn step(kind: StepKind, at: Loc, text: &str, invariant: &str) -> Step {
    Step {
        kind,
        at,
        text: text.into(),
        invariant: Some(invariant.into()).filter(|text: &String| !text.is_empty()),
        ..Step::default()
    }
}

fn input(name: &str, value: &str) -> Input {
    Input { name: name.into(), value: value.into() }
}

/// The example of the contract.
fn abs() -> Report {
    let here = |line, text| at("abs.c", "absValue", line, text);
    let assign = |line, text, invariant| step(StepKind::Assign, here(line, text), text, invariant);
    let first = assign(3, "abs = input", "input <= -1 && abs <= -1");
    let mut second = assign(7, "sign = -1", "abs <= -1 && sign == -1");
    second.position = 3;
    second.because = vec![Reason { at: here(6, "input < 0"), text: "input < 0".into(), ..Reason::default() }];
    let mut third = step(StepKind::Frame, here(13, "if (sign == -1)"), "if (sign == -1)", "abs <= -1");
    third.position = 5;
    third.note = Some("leaves abs unchanged; the other branch sets it (line 16)".into());
    let mut last = step(StepKind::Failure, here(18, "assert(abs >= 0)"), "assert(abs >= 0)", "");
    last.position = 7;
    let mut report = Report::new("explain");
    report.version = "0.0.0".into();
    report.failure = Some(Failure {
        kind: FailureKind::Assertion,
        at: last.at.clone(),
        condition: Some("abs >= 0".into()),
        message: "assertion fails".into(),
        ..Failure::default()
    });
    report.trace = Some(Trace { statements: 9, matter: Some(3), events: 57, inputs: vec![input("input", "-1")] });
    report.timing_ms = Some(Timing { compile: 31, run: 2, encode: 1, solve: 4, total: 40 });
    report.explanation = Some(Explanation {
        encoding: "flow-sensitive".into(),
        precondition: "input <= -1".into(),
        checked: false,
        unchecked_because: None,
        granted: None,
        summary: vec![],
        steps: vec![first, second, third, last],
        round: vec![],
    });
    report
}

/// The example with all that is known of values.
fn abs_with_values() -> Report {
    let mut report = abs();
    if let Some(failure) = &mut report.failure {
        failure.values = vec![input("abs", "-1")];
    }
    if let Some(explanation) = &mut report.explanation {
        let sentence = "abs is -1 since line 3: abs = input. It stays so because sign == -1 (line 13); the other \
                        branch sets it (line 16).";
        explanation.summary = vec![sentence.into()];
        explanation.steps[0].value = Some("abs = -1".into());
        explanation.steps[1].because[0].values = Some("-1 < 0".into());
    }
    report
}

/// A loop of nine rounds.
fn sum() -> Report {
    let here = |line, text| at("sum.c", "sum", line, text);
    let mut steps = vec![step(StepKind::Assign, here(2, "int s = 0"), "int s = 0", "n == 10 && s == 0")];
    for i in 0..10 {
        let total = i * (i + 1) / 2;
        let mut add = step(StepKind::Assign, here(4, "s += i"), "s += i", &format!("i == {i} && s == {total}"));
        add.because = vec![Reason { at: here(3, "i < n"), text: "i < n".into(), ..Reason::default() }];
        steps.push(add);
        let invariant = format!("i == {} && s == {total}", i + 1);
        steps.push(step(StepKind::Assign, here(3, "i++"), "i++", &invariant));
    }
    let last = step(StepKind::Failure, here(5, "assert(s != 45)"), "assert(s != 45)", "");
    let mut report = abs();
    let failure = report.failure.as_mut().unwrap();
    failure.at = last.at.clone();
    failure.condition = Some("s != 45".into());
    steps.push(last);
    report.trace = Some(Trace { statements: 33, matter: Some(21), events: 99, inputs: vec![input("n", "10")] });
    let explanation = report.explanation.as_mut().unwrap();
    explanation.steps = steps;
    explanation.precondition = "n == 10".into();
    explanation.checked = true;
    report
}

/// Several functions in two files.
fn sort() -> Report {
    let mut report = abs();
    let there = |line, text| at("src/partition.c", "partition", line, text);
    let mut swap = step(StepKind::Store, there(1043, "a[j] = t"), "a[j] = t", "a[0] > a[1]");
    swap.because = vec![
        Reason { at: there(1038, "i < j"), text: "i < j".into(), ..Reason::default() },
        Reason { at: at("src/sort.c", "sort", 12, "n > 1"), text: "n > 1".into(), ..Reason::default() },
    ];
    swap.folded = 3;
    let last = step(StepKind::Failure, at("src/sort.c", "check", 31, "x"), "assert(a[0] <= a[1])", "");
    report.failure = Some(Failure {
        kind: FailureKind::Assertion,
        at: last.at.clone(),
        condition: Some("a[0] <= a[1]".into()),
        message: "assertion fails".into(),
        ..Failure::default()
    });
    report.trace = Some(Trace {
        statements: 120,
        matter: Some(3),
        events: 900,
        inputs: vec![input("a[0]", "1"), input("a[1]", "0"), input("n", "2")],
    });
    let explanation = report.explanation.as_mut().unwrap();
    explanation.precondition = "n >= 2 && a[0] > a[1]".into();
    explanation.steps = vec![
        step(StepKind::Call, at("src/sort.c", "sort", 14, "x"), "partition(a, 0, n - 1)", "n >= 2 && a[0] > a[1]"),
        step(StepKind::Assign, there(1031, "t = a[i]"), "int t = a[i]", "a[0] > a[1] && t == a[0]"),
        swap,
        last,
    ];
    report
}

/// A null pointer, found out in verbose mode.
fn crash() -> Report {
    let mut report = abs();
    let failure = report.failure.as_mut().unwrap();
    failure.kind = FailureKind::Signal;
    failure.condition = None;
    failure.message = "null pointer dereference".into();
    failure.at = at("sum.c", "sum", 4, "s += i");
    let explanation = report.explanation.as_mut().unwrap();
    explanation.precondition = "true".into();
    explanation.steps = vec![
        step(StepKind::Assign, at("sum.c", "sum", 2, "int s = 0"), "int s = 0", "s == 0"),
        step(StepKind::Failure, at("sum.c", "sum", 4, "s += i"), "s += i", ""),
    ];
    report
}

fn text(report: &Report, width: usize) -> String {
    human(report, &sources, Style { width, ..Style::default() })
}

#[test]
fn the_example_of_the_contract() {
    let expected = "\
abs.c:18:3: assertion `abs >= 0` fails when input is -1

    input <= -1
  3 | abs = input;
    input <= -1 && abs <= -1
  7 | sign = -1;                        reached because input < 0 (line 6)
    abs <= -1 && sign == -1
 13 | if (sign == -1) ...               leaves abs unchanged; the other branch sets it (line 16)
    abs <= -1
 18 | assert(abs >= 0)                  fails

3 of 9 executed statements matter.
";
    assert_eq!(human(&abs(), &sources, Style::default()), expected);
    assert_eq!(text(&abs(), 120), expected);
    assert_eq!(human(&abs(), &|_| None, Style::default()), expected, "no sources at hand");
}

#[test]
fn a_branch_says_its_own_condition() {
    let mut report = abs();
    let expected = text(&report, 100);
    let branch = |report: &mut Report, line, text: &str| {
        let because = &mut report.explanation.as_mut().unwrap().steps[2].because;
        because.push(Reason { at: at("abs.c", "absValue", line, text), text: text.into(), ..Reason::default() });
    };
    branch(&mut report, 13, "sign == -1");
    assert_eq!(text(&report, 100), expected);
    // A chain of `else if` has its conditions on other lines as well.
    branch(&mut report, 6, "input < 0");
    let told = text(&report, 160);
    let remark = "because sign == -1 (line 13) and input < 0 (line 6); leaves abs unchanged; the other branch sets it";
    assert!(told.contains(&format!("if (sign == -1) ...               {remark} (line 16)\n")), "{told}");
}

#[test]
fn a_failure_says_its_reasons_first() {
    let mut report = abs();
    let last = report.explanation.as_mut().unwrap().steps.last_mut().unwrap();
    last.because =
        vec![Reason { at: at("abs.c", "absValue", 4, "input"), text: "input != 0".into(), ..Reason::default() }];
    let told = text(&report, 100);
    assert!(told.contains("assert(abs >= 0)                  reached because input != 0 (line 4); fails\n"), "{told}");
    // Long messages are said once.
    let failure = report.failure.as_mut().unwrap();
    failure.kind = FailureKind::Signal;
    failure.condition = None;
    failure.message = "the stack overflows in the call of absValue(), 104711 calls deep".into();
    let told = text(&report, 100);
    assert_eq!(told.matches("overflows").count(), 1, "{told}");
    assert!(told.contains("(line 4); fails here\n"), "{told}");
}

#[test]
fn a_call_says_what_it_passes() {
    let mut report = sort();
    report.explanation.as_mut().unwrap().steps[0].note = Some("passes n = 3".into());
    assert!(
        text(&report, 100).contains("  14 | partition(a, 0, n - 1);           passes n = 3\n"),
        "{}",
        text(&report, 100)
    );
}

#[test]
fn only_whole_statements_end_with_a_semicolon() {
    let mut report = abs();
    let steps = &mut report.explanation.as_mut().unwrap().steps;
    // The last operand of `sign = input * -1;` and the value of `abs = input;` as if they were calls.
    steps[0] = step(StepKind::Call, at("abs.c", "absValue", 3, "input"), "input", "");
    steps[1] = step(StepKind::Call, at("abs.c", "absValue", 8, "printf(\"negative\")"), "printf(\"negative\")", "");
    let told = text(&report, 100);
    assert!(told.contains("  3 | input\n") && told.contains("  8 | printf(\"negative\");\n"), "{told}");
}

#[test]
fn one_and_many() {
    let mut report = abs();
    for (matter, statements, sentence) in [
        (1, 4, "1 of 4 executed statements matters."),
        (1, 1, "1 of 1 executed statement matters."),
        (2, 4, "2 of 4 executed statements matter."),
        (0, 1, "0 of 1 executed statement matters."),
    ] {
        let trace = report.trace.as_mut().unwrap();
        (trace.matter, trace.statements) = (Some(matter), statements);
        assert!(text(&report, 100).contains(sentence), "{sentence}");
    }
}

#[test]
fn a_recording_was_neither_compiled_nor_run() {
    let mut report = abs();
    report.timing_ms = Some(Timing { encode: 1, solve: 4, total: 5, ..Timing::default() });
    let told = human(&report, &sources, Style { verbose: true, ..Style::default() });
    assert!(told.contains("\ntrace 1 ms, solved in 4 ms\n"), "{told}");
}

#[test]
fn values_and_the_cause_in_short() {
    insta::assert_snapshot!(text(&abs_with_values(), 100));
    insta::assert_snapshot!(json(&abs_with_values()));
}

#[test]
fn in_eighty_columns() {
    insta::assert_snapshot!(text(&abs(), 80));
}

#[test]
fn narrow() {
    insta::assert_snapshot!(text(&abs(), 40));
}

#[test]
fn lines_fit_the_width_where_words_allow() {
    for report in [abs(), sum(), sort(), crash()] {
        for width in [40, 60, 80, 120] {
            for line in text(&report, width).lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
                assert_eq!(line.trim_end(), line);
            }
        }
    }
    for width in 0..40 {
        assert!(text(&sort(), width).contains("a[j] = t"));
    }
}

#[test]
fn coloured() {
    let coloured = human(&abs(), &sources, Style { color: true, ..Style::default() });
    let mut plain = coloured.clone();
    for code in ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[31m", "\u{1b}[33m", "\u{1b}[36m"] {
        plain = plain.replace(code, "");
    }
    assert_eq!(plain, text(&abs(), 100));
    insta::assert_snapshot!(coloured.replace('\u{1b}', "␛"));
}

#[test]
fn verbose() {
    insta::assert_snapshot!(human(&abs(), &sources, Style { verbose: true, ..Style::default() }));
}

#[test]
fn rounds_of_a_loop() {
    insta::assert_snapshot!(text(&sum(), 100));
}

#[test]
fn several_files() {
    insta::assert_snapshot!(text(&sort(), 100));
}

#[test]
fn several_files_narrow() {
    insta::assert_snapshot!(text(&sort(), 40));
}

#[test]
fn crash_with_its_source_line() {
    insta::assert_snapshot!(human(&crash(), &sources, Style { verbose: true, ..Style::default() }));
}

#[test]
fn notes_and_no_confirmation() {
    let mut report = abs();
    report.notes = vec![
        "abs.c:8:5: printf is not instrumented; its result is taken as an input of the run".into(),
        "abs.c:11:5: inline assembly is not supported; statements that depend on it are undetermined".into(),
    ];
    report.explanation.as_mut().unwrap().unchecked_because = Some("time limit of 10 s reached".into());
    insta::assert_snapshot!(text(&report, 80));
}

#[test]
fn partial_with_and_without_an_explanation() {
    let mut report = abs();
    report.partial = true;
    report.notes = vec!["solving stopped after 10 s".into()];
    insta::assert_snapshot!("partial_story", text(&report, 80));
    report.explanation = None;
    report.trace.as_mut().unwrap().matter = None;
    insta::assert_snapshot!("partial_alone", text(&report, 80));
}

#[test]
fn stopped_before_a_failure() {
    let mut report = Report::new("explain");
    report.partial = true;
    report.notes = vec!["the program was stopped after 1 s".into()];
    let expected =
        "partial result: no failure was seen before the run was stopped\n\nnote: the program was stopped after 1 s\n";
    assert_eq!(text(&report, 80), expected);
}

#[test]
fn long_invariants_and_statements() {
    let mut report = abs();
    let steps = &mut report.explanation.as_mut().unwrap().steps;
    steps[0].invariant = Some(
        "input <= -1 && abs <= -1 && (first_of_many == 1 || second_of_many == 2) && third_of_many >= input".into(),
    );
    steps[1].text = "sign = compute_the_sign_of(input, with_some_option | and_another_option)".into();
    insta::assert_snapshot!(text(&report, 60));
}

#[test]
fn the_same_invariant_is_not_said_twice() {
    let mut report = abs();
    let explanation = report.explanation.as_mut().unwrap();
    for step in &mut explanation.steps {
        step.invariant = Some("input <= -1".into());
    }
    assert_eq!(text(&report, 100).matches("    input <= -1\n").count(), 1);
}

#[test]
fn many_inputs() {
    let mut report = abs();
    report.explanation = None;
    let trace = report.trace.as_mut().unwrap();
    trace.inputs = (0..9).map(|n| input(&format!("x{n}"), &n.to_string())).collect();
    let headline = text(&report, 200);
    assert!(headline.contains("when x0 is 0, x1 is 1, x2 is 2, x3 is 3, x4 is 4 and 4 more\n"), "{headline}");
}

#[test]
fn nothing_to_explain() {
    let mut report = Report::new("explain");
    assert_eq!(text(&report, 80), "no failure, nothing to explain\n");
    report.trace = Some(Trace { inputs: vec![input("input", "5")], ..Trace::default() });
    assert_eq!(text(&report, 80), "no failure, nothing to explain when input is 5\n");
}

#[test]
fn nothing_in_a_report_can_steer_the_terminal() {
    let mut report = abs();
    report.trace.as_mut().unwrap().inputs = vec![input("s", "\"\u{1b}[2J\"")];
    report.notes = vec!["\u{7}bell".into()];
    let text = text(&report, 100);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
}

#[test]
fn as_json() {
    insta::assert_snapshot!(json(&abs()));
    let text = json(&abs());
    assert!(text.ends_with("}\n"));
    assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), abs());
}

#[test]
fn json_leaves_out_what_does_not_apply() {
    let mut report = Report::new("record");
    report.version = "0.0.0".into();
    insta::assert_snapshot!(json(&report));
    assert_eq!(serde_json::from_str::<Report>(&json(&report)).unwrap(), report);
}
