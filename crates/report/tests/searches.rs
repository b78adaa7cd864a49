//! Reports of searches.

use wherefore_report::{
    Answer, Failure, FailureKind, Found, Input, Loc, Report, Searched, Style, Verdict, human, json,
};

fn at(line: u32) -> Loc {
    Loc { file: "f.c".into(), line, column: 3, end_line: line, end_column: 9, function: "f".into() }
}

fn failing(number: usize, line: u32) -> Found {
    let value = format!("-{number}");
    Found {
        name: format!("t{number}"),
        verdict: Verdict::Fail,
        arguments: vec!["--input".into(), format!("x={value}"), "--".into(), "a b".into()],
        inputs: vec![Input { name: "x".into(), value }],
        stdin: Some("7\n".into()),
        stdin_bytes: None,
        failure: Some(Failure {
            kind: FailureKind::Assertion,
            at: at(line),
            condition: Some("x >= 0".into()),
            message: "assertion fails".into(),
            memory: None,
        }),
        point: None,
    }
}

fn passing() -> Found {
    Found {
        name: "t9".into(),
        verdict: Verdict::Pass,
        inputs: vec![],
        arguments: vec![],
        stdin: None,
        stdin_bytes: None,
        failure: None,
        point: None,
    }
}

fn report(tests: Vec<Found>) -> Report {
    let mut report = Report::new("search");
    report.notes.push("f.c:9:1: loops were not followed further".into());
    report.answer = Some(Answer::Searched(Searched { complete: false, proved: false, tests, runs: 5, paths: 1 }));
    report
}

fn text(report: &Report, verbose: bool) -> String {
    human(report, &|_| None, Style { width: 40, verbose, ..Style::default() })
}

#[test]
fn failures_are_told_once_with_the_inputs_that_lead_to_them() {
    let report = report(vec![failing(1, 4), failing(2, 6), failing(3, 4), passing()]);
    let failures = "f.c:4:3: assertion `x >= 0` fails
    --input x=-1 --stdin <(printf '7\\n') -- 'a b'
    --input x=-3 --stdin <(printf '7\\n') -- 'a b'

f.c:6:3: assertion `x >= 0` fails
    --input x=-2 --stdin <(printf '7\\n') -- 'a b'

";
    let closing = "3 failing inputs, 1 passing; not every path was visited: 1 path in 5 runs.
  f.c:9:1: loops were not followed further
";
    assert_eq!(text(&report, false), format!("{failures}{closing}"));
    assert_eq!(text(&report, true), format!("{failures}no failure\n    without any input\n\n{closing}"));
}

#[test]
fn places_in_one_statement_are_apart() {
    let mut second = failing(2, 4);
    second.point = Some(Loc { column: 8, ..at(4) });
    let report = report(vec![failing(1, 4), second]);
    let text = text(&report, false);
    assert!(text.contains("f.c:4:3: ") && text.contains("f.c:4:8: "), "{text}");
    assert_eq!(serde_json::from_str::<Report>(&json(&report)).unwrap(), report);
}

#[test]
fn many_inputs_of_one_failure_are_counted() {
    let report = report((1..=12).map(|n| failing(n, 4)).collect());
    let short = text(&report, false);
    assert!(short.contains("x=-10 ") && !short.contains("x=-11 "), "{short}");
    assert!(short.contains("    and 2 more; -v shows them\n"), "{short}");
    assert!(text(&report, true).contains("x=-12 "));
}

#[test]
fn reports_are_read_as_they_were_written() {
    let report = report(vec![failing(1, 4), passing()]);
    assert_eq!(serde_json::from_str::<Report>(&json(&report)).unwrap(), report);
    let value: serde_json::Value = serde_json::from_str(&json(&report)).unwrap();
    for field in ["schema", "tool", "command", "partial", "notes", "complete", "proved", "tests", "runs", "paths"] {
        assert!(value.get(field).is_some(), "{field}: {value}");
    }
    assert_eq!(value["tests"][0]["verdict"], "fail");
}
