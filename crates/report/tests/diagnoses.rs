//! Reports of `diagnose` as JSON and as text, compared with snapshots.

use wherefore_report::{
    Answer, Diagnosed, Diagnosis, Failure, FailureKind, Input, Judged, Loc, Report, Statement, Style, Test, Timing,
    Trace, Value, Verdict, human, json, reason,
};

const ABS: &str = "\
#include <assert.h>
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

const CLIMB: &str = "\
int limits[4] = { 400, 500, 640, 740 };
int limit(int level) {
\treturn limits[level];
}
int climb(int up, int down, int level) {
    int result = up > limit(level) && (down > limit(level) || up - down >= limit(level)) && level < 4;
    for (int i = 0; i < level; i++) up--;
    if (result &&
        up > down)
        return 1;
    return register_advisory(up,
                             down,
                             level,
                             limit(level),
                             result);
}
";

fn sources(file: &str) -> Option<String> {
    match file {
        "abs.c" => Some(ABS.into()),
        "climb.c" => Some(CLIMB.into()),
        _ => None,
    }
}

/// The place of the first occurrence of a text in a file.
fn at(file: &str, function: &str, text: &str) -> Loc {
    let source = sources(file).unwrap_or_default();
    let position = |offset: usize| {
        let before = &source[..offset];
        let line = before.matches('\n').count() + 1;
        (line as u32, (offset - before.rfind('\n').map_or(0, |n| n + 1) + 1) as u32)
    };
    let start = source.find(text).unwrap_or_else(|| panic!("{text}"));
    let ((line, column), (end_line, end_column)) = (position(start), position(start + text.len()));
    Loc { file: file.into(), line, column, end_line, end_column, function: function.into() }
}

fn statement(file: &str, function: &str, text: &str) -> Statement {
    Statement { at: at(file, function, text), text: text.split_whitespace().collect::<Vec<_>>().join(" ") }
}

fn test(name: &str, verdict: Verdict, diagnoses: &[&[u32]]) -> Test {
    let diagnoses = diagnoses.iter().map(|set| set.to_vec()).collect();
    Test { name: name.into(), verdict, diagnoses, complete: true, conflicts: None }
}

fn value(test: &str, at: &Loc, was: &str, value: &str, replayed: Option<bool>) -> Value {
    Value { test: test.into(), at: at.clone(), text: String::new(), value: value.into(), was: was.into(), replayed }
}

fn report(diagnosed: Diagnosed) -> Report {
    let mut report = Report::new("diagnose");
    report.version = "0.0.0".into();
    report.timing_ms = Some(Timing { compile: 31, run: 2, encode: 1, solve: 4, total: 40 });
    report.answer = Some(Answer::Diagnosed(diagnosed));
    report
}

/// A list of tests with these diagnoses, sets of numbers of the statements.
fn suite(sets: &[&[usize]]) -> Report {
    let statements = vec![
        statement("climb.c", "", "int limits[4] = { 400, 500, 640, 740 }"),
        statement("climb.c", "limit", "return limits[level]"),
        statement(
            "climb.c",
            "climb",
            "int result = up > limit(level) && (down > limit(level) || up - down >= limit(level)) && level < 4",
        ),
        statement("climb.c", "climb", "int i = 0"),
        statement("climb.c", "climb", "i < level"),
        statement("climb.c", "climb", "i++"),
        statement("climb.c", "climb", "up--"),
        statement("climb.c", "climb", "if (result &&\n        up > down)"),
        statement("climb.c", "climb", "return 1"),
        Statement {
            at: Loc { end_line: 15, end_column: 37, ..at("climb.c", "climb", "return register_advisory(up,") },
            text: "return register_advisory(up, down, level, limit(level), result)".into(),
        },
    ];
    let mut tests = vec![test("t1", Verdict::Pass, &[]), test("t2", Verdict::Fail, &[&[1], &[2, 7]])];
    tests.extend([test("t3", Verdict::Fail, &[&[1], &[8]]), test("t4", Verdict::Pass, &[])]);
    let mut diagnoses: Vec<Diagnosis> = sets
        .iter()
        .enumerate()
        .map(|(index, set)| Diagnosis {
            rank: index as u64 + 1,
            statements: set.iter().map(|n| statements[*n].clone()).collect(),
            fixes: 2,
            of: 2,
            judged: (set.len() == 1).then_some(Judged { clashes: 0, breaks: 0, coarse: 0, tried: 2, passing: 2 }),
            suspicion_per_mille: Some(707),
            ..Diagnosis::default()
        })
        .collect();
    for index in 0..diagnoses.len() {
        diagnoses[index].reason = reason(&diagnoses[index], diagnoses.get(index + 1), 2);
    }
    report(Diagnosed { statements, tests, diagnoses, complete: true, ..Diagnosed::default() })
}

/// The one run of the command line.
fn single() -> Report {
    let statements = vec![
        statement("abs.c", "absValue", "if (x >= 0)"),
        statement("abs.c", "absValue", "abs = x"),
        statement("abs.c", "absValue", "abs = x * 1"),
    ];
    let first = Diagnosis {
        rank: 1,
        statements: vec![statements[2].clone()],
        fixes: 1,
        of: 1,
        judged: Some(Judged::default()),
        suspicion_per_mille: Some(1000),
        values: vec![value("t1", &statements[2].at, "-1", "0", Some(true))],
        replayed: Some(true),
        reason: "repairs the failing test".into(),
        ..Diagnosis::default()
    };
    let second = Diagnosis {
        rank: 2,
        statements: statements[..2].to_vec(),
        judged: None,
        values: vec![value("t1", &statements[0].at, "0", "1", None), value("t1", &statements[1].at, "-1", "2", None)],
        replayed: None,
        reason: "repair the failing test".into(),
        ..first.clone()
    };
    let tests = vec![test("t1", Verdict::Fail, &[&[2], &[0, 1]])];
    let diagnoses = vec![first, second];
    let mut report = report(Diagnosed { statements, tests, diagnoses, complete: true, ..Diagnosed::default() });
    report.failure = Some(Failure {
        kind: FailureKind::Assertion,
        at: at("abs.c", "absValue", "assert(abs >= 0)"),
        condition: Some("abs >= 0".into()),
        message: "assertion fails".into(),
        ..Failure::default()
    });
    let inputs = vec![Input { name: "x".into(), value: "-1".into() }];
    report.trace = Some(Trace { statements: 3, matter: None, events: 5, inputs });
    report
}

fn with_conflicts() -> Report {
    let mut report = suite(&[&[1]]);
    let tests = &mut diagnosed(&mut report).tests;
    tests[1].conflicts = Some(vec![vec![1, 2], vec![1, 4, 5, 7]]);
    tests[2].conflicts = Some(vec![vec![1, 8]]);
    tests[2].complete = false;
    report
}

fn diagnosed(report: &mut Report) -> &mut Diagnosed {
    match &mut report.answer {
        Some(Answer::Diagnosed(diagnosed)) => diagnosed,
        other => panic!("{other:?}"),
    }
}

/// Gives the diagnoses, which changed, new reasons.
fn with_reasons(mut report: Report) -> Report {
    let all = &mut diagnosed(&mut report).diagnoses;
    for index in 0..all.len() {
        all[index].reason = reason(&all[index], all.get(index + 1), 2);
    }
    report
}

/// Single statements with all that can be said about them.
fn judged() -> Report {
    let mut report = suite(&[&[1], &[2], &[7], &[6], &[0], &[9]]);
    let all = &mut diagnosed(&mut report).diagnoses;
    all[0].suspicion_per_mille = Some(816);
    let place = all[0].statements[0].at.clone();
    all[0].values = vec![value("t2", &place, "500", "400", Some(false)), value("t3", &place, "640", "500", Some(true))];
    let place = all[1].statements[0].at.clone();
    all[1].values = vec![value("t2", &place, "", "1", None)];
    all[2].judged = Some(Judged { breaks: 12, tried: 370, passing: 1477, ..Judged::default() });
    all[3].judged = Some(Judged { clashes: 2, breaks: 0, coarse: 0, tried: 370, passing: 1477 });
    let place = all[3].statements[0].at.clone();
    all[3].values = (0..5).map(|n| value("t3", &place, &n.to_string(), "7", Some(false))).collect();
    all[4].judged = Some(Judged { clashes: 1, breaks: 1, coarse: 0, tried: 370, passing: 1477 });
    all[5].judged = None;
    (all[5].fixes, all[5].of) = (1, 2);
    with_reasons(report)
}

fn text(report: &Report, width: usize) -> String {
    human(report, &sources, Style { width, ..Style::default() })
}

fn verbose(report: &Report) -> String {
    human(report, &sources, Style { verbose: true, ..Style::default() })
}

#[test]
fn a_single_run() {
    insta::assert_snapshot!(text(&single(), 100));
}

#[test]
fn a_single_run_verbose() {
    insta::assert_snapshot!(verbose(&single()));
}

#[test]
fn many_tests() {
    insta::assert_snapshot!(text(&judged(), 100));
}

#[test]
fn many_tests_narrow() {
    insta::assert_snapshot!(text(&judged(), 48));
}

#[test]
fn several_faults() {
    insta::assert_snapshot!(text(&suite(&[&[0, 1, 7], &[4, 5, 9]]), 80));
}

#[test]
fn incomplete() {
    let mut report = suite(&[&[1, 2]]);
    let found = diagnosed(&mut report);
    found.complete = false;
    found.incomplete = Some("--max-size 2 stopped the search; there may be larger sets.".into());
    found.complete_up_to = Some(2);
    insta::assert_snapshot!("stopped_by_size", text(&report, 80));
    let found = diagnosed(&mut report);
    found.incomplete = Some("--timeout 10 stopped the search; there may be more sets.".into());
    found.complete_up_to = None;
    report.partial = true;
    report.notes = vec!["t3: not diagnosed, since the formula does not do what the program did".into()];
    insta::assert_snapshot!("stopped_by_time", text(&report, 80));
    let found = diagnosed(&mut report);
    found.diagnoses.clear();
    assert!(text(&report, 80).starts_with("climb.c: 2 of 4 tests fail; nothing that repairs the program was found\n"));
    diagnosed(&mut report).complete_up_to = Some(1);
    assert!(text(&report, 80).starts_with("climb.c: 2 of 4 tests fail; no single statement repairs all of them\n"));
}

#[test]
fn nothing_repairs() {
    let mut report = suite(&[]);
    let expected = "climb.c: 2 of 4 tests fail; no change of these statements repairs all of them\n";
    assert_eq!(text(&report, 80), expected);
    report.failure = single().failure;
    assert!(text(&report, 80).ends_with("no change of these statements repairs it\n"), "{}", text(&report, 80));
}

#[test]
fn conflicts() {
    insta::assert_snapshot!(text(&with_conflicts(), 80));
    let mut report = single();
    diagnosed(&mut report).tests[0].conflicts = Some(vec![vec![0, 2], vec![1, 2], vec![]]);
    insta::assert_snapshot!("conflicts_of_one_run", text(&report, 80));
}

#[test]
fn only_the_first_are_shown() {
    let sets: Vec<&[usize]> = vec![&[1]; 17];
    let report = suite(&sets);
    let told = text(&report, 100);
    assert!(told.starts_with("climb.c: 2 of 4 tests fail; 17 single statements could be at fault\n"), "{told}");
    assert!(told.contains("\n10. ") && !told.contains("\n11. "), "{told}");
    assert!(told.ends_with("\n\n... 7 more; -v shows all\n\nThere are no others but the 7 not shown.\n"), "{told}");
    let told = verbose(&report);
    assert!(told.contains("\n17. ") && told.contains("\nThese are all.\n"), "{told}");
}

#[test]
fn without_sources() {
    insta::assert_snapshot!(human(&suite(&[&[1], &[7, 9]]), &|_| None, Style::default()));
}

#[test]
fn coloured() {
    let coloured = human(&judged(), &sources, Style { color: true, ..Style::default() });
    let mut plain = coloured.clone();
    for code in ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[31m", "\u{1b}[33m", "\u{1b}[36m"] {
        plain = plain.replace(code, "");
    }
    assert_eq!(plain, text(&judged(), 100));
}

#[test]
fn lines_fit_the_width_where_words_allow() {
    for report in [single(), judged(), suite(&[&[0, 1, 7], &[4, 5, 9]]), with_conflicts()] {
        for width in [48, 60, 80, 120] {
            for line in text(&report, width).lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
                assert_eq!(line.trim_end(), line);
            }
        }
        for width in 0..48 {
            assert!(text(&report, width).contains("1. "));
        }
    }
}

#[test]
fn nothing_can_steer_the_terminal() {
    let mut report = judged();
    let found = diagnosed(&mut report);
    found.diagnoses[0].reason = "\u{1b}[2J".into();
    found.diagnoses[0].values[0].value = "\u{7}".into();
    found.diagnoses[1].statements[0].text = "\u{1b}[2J".into();
    found.diagnoses[1].statements[0].at.file = "\u{1b}[2J".into();
    found.incomplete = Some("\u{1b}".into());
    found.tests[1].name = "\u{1b}".into();
    found.tests[1].conflicts = Some(vec![vec![1]]);
    let text = text(&report, 100);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
}

#[test]
fn as_json() {
    insta::assert_snapshot!("json_of_one_run", json(&single()));
    for report in [single(), judged(), with_conflicts(), suite(&[])] {
        assert_eq!(serde_json::from_str::<Report>(&json(&report)).unwrap(), report);
    }
    let tests = serde_json::to_value(with_conflicts()).unwrap()["tests"].clone();
    insta::assert_snapshot!("json_of_tests", serde_json::to_string_pretty(&tests).unwrap());
}
