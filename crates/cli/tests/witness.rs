//! `--witness`: counterexamples of other verifiers, in both formats, followed to the failure that they tell of.

mod common;

use common::{Said, run};
use std::fmt::Write;
use std::path::PathBuf;

/// A program in a file, beside a witness.
struct Told {
    directory: tempfile::TempDir,
}

impl Told {
    fn new(program: &str) -> Told {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("program.c"), program).expect("a file");
        Told { directory }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// What a command says about the program with a witness.
    fn said(&self, command: &str, witness: &str, more: &[&str]) -> Said {
        std::fs::write(self.file("witness"), witness).expect("a file");
        let (program, witness) =
            (self.file("program.c").display().to_string(), self.file("witness").display().to_string());
        let mut arguments = vec![command, &program, "--witness", &witness];
        arguments.extend(more);
        run(&arguments)
    }

    /// The line of the failure and the values of the inputs.
    fn followed(&self, witness: &str) -> (u64, Vec<i64>) {
        let said = self.said("explain", witness, &["--format", "json"]);
        assert_eq!(said.status, Some(0), "{}{}\n{witness}", said.stdout, said.stderr);
        let json = said.json();
        let inputs = json["trace"]["inputs"].as_array().cloned().unwrap_or_default();
        let value = |input: &serde_json::Value| input["value"].as_str().and_then(|v| v.parse().ok()).expect("a number");
        (json["failure"]["at"]["line"].as_u64().expect("a line"), inputs.iter().map(value).collect())
    }
}

/// A waypoint: its type, line, column and constraint; those to avoid before one to follow.
type Way<'a> = (&'a str, u32, u32, Option<&'a str>);

fn yaml(segments: &[(&[Way], Way)]) -> String {
    let mut text = String::from(
        "- entry_type: \"violation_sequence\"\n  metadata:\n    format_version: \"2.0\"\n    producer:\n      name: \"by hand\"\n      version: \"1\"\n    task:\n      input_files: [\"program.c\"]\n      specification: \"CHECK( init(main()), LTL(G ! call(reach_error())) )\"\n  content:\n",
    );
    for (avoid, follow) in segments {
        text += "    - segment:\n";
        let all = avoid.iter().map(|way| (way, "avoid")).chain([(follow, "follow")]);
        for ((kind, line, column, constraint), action) in all {
            let _ =
                writeln!(text, "        - waypoint:\n            type: \"{kind}\"\n            action: \"{action}\"");
            let _ = writeln!(
                text,
                "            location:\n              file_name: \"program.c\"\n              line: {line}"
            );
            if *column > 0 {
                let _ = writeln!(text, "              column: {column}");
            }
            if let Some(constraint) = constraint {
                let _ = writeln!(text, "            constraint:\n              value: '{constraint}'");
            }
        }
    }
    text
}

/// Nothing to avoid.
const NO: &[Way] = &[];

const TWO_ERRORS: &str = "extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void reach_error(void) { abort(); }
int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    if (x > 10) {
        if (y == x + 3)
            reach_error();
    } else if (y < -100) {
        reach_error();
    }
    return 0;
}
";

#[test]
fn what_functions_return_is_followed() {
    let told = Told::new(TWO_ERRORS);
    let witness = yaml(&[
        (NO, ("function_return", 6, 35, Some("\\result == 42"))),
        (NO, ("branching", 8, 5, Some("true"))),
        (NO, ("target", 10, 13, None)),
    ]);
    assert_eq!(told.followed(&witness), (10, vec![42, 45]));
}

#[test]
fn the_other_error_is_not_taken_for_it() {
    let told = Told::new(TWO_ERRORS);
    let (line, inputs) = told.followed(&yaml(&[(NO, ("target", 12, 9, None))]));
    assert!(line == 12 && inputs[0] <= 10 && inputs[1] < -100, "{line} {inputs:?}");
    let (line, _) = told.followed(&yaml(&[(NO, ("target", 10, 0, None))]));
    assert_eq!(line, 10, "without a column");
}

#[test]
fn an_assumption_holds_before_its_statement() {
    let told = Told::new(TWO_ERRORS);
    let witness = yaml(&[(NO, ("assumption", 8, 5, Some("x == 1000 && y > 0"))), (NO, ("target", 10, 13, None))]);
    assert_eq!(told.followed(&witness), (10, vec![1000, 1003]));
}

#[test]
fn what_is_avoided_is_not_passed() {
    let told = Told::new(
        "extern int __VERIFIER_nondet_int(void);\nextern void abort(void);\nint main(void)\n{\n    int x = __VERIFIER_nondet_int();\n    if (x > 100)\n        x = x - 200;\n    if (x < 0)\n        abort();\n    return 0;\n}\n",
    );
    let avoiding = yaml(&[(&[("branching", 6, 5, Some("true"))], ("target", 9, 9, None))]);
    let (line, inputs) = told.followed(&avoiding);
    assert!(line == 9 && inputs[0] < 0, "{inputs:?}");
    let following = yaml(&[(NO, ("branching", 6, 5, Some("true"))), (NO, ("target", 9, 9, None))]);
    let (line, inputs) = told.followed(&following);
    assert!(line == 9 && (101..200).contains(&inputs[0]), "{inputs:?}");
}

#[test]
fn rounds_of_a_loop_are_counted() {
    let told = Told::new(
        "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void)\n{\n    int n = __VERIFIER_nondet_int();\n    int i = 0;\n    while (i < n)\n        i++;\n    assert(i < 3);\n    return 0;\n}\n",
    );
    let mut segments = vec![(NO, ("branching", 7, 5, Some("true"))); 5];
    segments.push((NO, ("branching", 7, 5, Some("false"))));
    segments.push((NO, ("target", 9, 5, None)));
    let (line, inputs) = told.followed(&yaml(&segments));
    assert!(line == 9 && inputs[0] >= 5, "rounds may lie between: {inputs:?}");
}

#[test]
fn an_assertion_may_hold_before_it_fails() {
    let told = Told::new(
        "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void)\n{\n    int n = __VERIFIER_nondet_int();\n    for (int i = 0; i < 4; i++) {\n        assert(i + n != 10);\n    }\n    return 0;\n}\n",
    );
    let witness = yaml(&[(NO, ("function_return", 5, 35, Some("\\result == 8"))), (NO, ("target", 7, 9, None))]);
    assert_eq!(told.followed(&witness), (7, vec![8]));
}

#[test]
fn switches_calls_and_choices_are_followed() {
    let told = Told::new(
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nextern void abort(void);\nvoid reach_error(void) { abort(); }\nstatic int twice(int x) { return x > 1000 ? x : 2 * x; }\nint main(void)\n{\n    int x = __VERIFIER_nondet_int();\n    int y = 0;\n    switch (x) {\n    case 1: y = 1; break;\n    case 7: y = twice(x); break;\n    default: y = twice(x - 1);\n    }\n    if (y > 10) reach_error();\n    return 0;\n}\n",
    );
    let witness = yaml(&[
        (NO, ("branching", 10, 5, Some("7"))),
        (NO, ("function_enter", 12, 24, None)),
        (NO, ("branching", 5, 0, Some("false"))),
        (NO, ("function_return", 12, 24, Some("\\result > 13"))),
        (NO, ("target", 15, 17, None)),
    ]);
    assert_eq!(told.followed(&witness), (15, vec![7]));
    let witness = yaml(&[(NO, ("branching", 5, 0, Some("true"))), (NO, ("target", 15, 17, None))]);
    let (line, inputs) = told.followed(&witness);
    assert!(line == 15 && inputs[0] > 1001, "{inputs:?}");
}

/// A graph of edges from one node to the next, each with its data.
fn graphml(edges: &[&[(&str, &str)]]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n <key attr.name=\"isEntryNode\" attr.type=\"boolean\" for=\"node\" id=\"entry\"><default>false</default></key>\n <graph edgedefault=\"directed\">\n  <data key=\"witness-type\">violation_witness</data>\n  <data key=\"programfile\">program.c</data>\n  <node id=\"sink\"><data key=\"sink\">true</data></node>\n",
    );
    for number in 0..=edges.len() {
        let mark = match number {
            0 => "<data key=\"entry\">true</data>",
            n if n == edges.len() => "<data key=\"violation\">true</data>",
            _ => "",
        };
        let _ = writeln!(text, "  <node id=\"A{number}\">{mark}</node>");
    }
    for (number, data) in edges.iter().enumerate() {
        let _ = writeln!(text, "  <edge source=\"A{number}\" target=\"A{}\">", number + 1);
        for (key, value) in *data {
            let _ = writeln!(text, "   <data key=\"{key}\">{value}</data>");
        }
        text += "  </edge>\n";
        let _ = writeln!(text, "  <edge source=\"A{number}\" target=\"sink\"/>");
    }
    text + " </graph>\n</graphml>\n"
}

#[test]
fn graphs_are_followed() {
    let told = Told::new(TWO_ERRORS);
    let by_value = graphml(&[
        &[("startline", "6"), ("assumption", "x == 100;"), ("assumption.scope", "main")],
        &[("startline", "8"), ("control", "condition-true")],
        &[("startline", "10")],
    ]);
    assert_eq!(told.followed(&by_value), (10, vec![100, 103]));
    let by_result = graphml(&[
        &[
            ("startline", "7"),
            ("assumption", "\\result == -500"),
            ("assumption.resultfunction", "__VERIFIER_nondet_int"),
        ],
        &[("startline", "8"), ("control", "condition-false")],
        &[("startline", "12"), ("enterFunction", "reach_error")],
    ]);
    let (line, inputs) = told.followed(&by_result);
    assert!(line == 12 && inputs[0] <= 10 && inputs[1] == -500, "{inputs:?}");
    let without_places = graphml(&[&[("startline", "8"), ("control", "condition-true")], &[]]);
    assert_eq!(told.followed(&without_places).0, 10);
}

#[test]
fn a_graph_may_say_where_it_goes_only() {
    let told = Told::new(
        "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void)\n{\n    int a = __VERIFIER_nondet_int();\n    int s = 0;\n    if (a > 5) s += 1;\n    if (a > 50) s += 2;\n    if (a % 2) s += 4;\n    assert(s == 0);\n    return s;\n}\n",
    );
    let control = |line: &'static str, way: &'static str| [("startline", line), ("control", way)];
    let (one, two, three) =
        (control("7", "condition-true"), control("8", "condition-false"), control("9", "condition-true"));
    let (line, inputs) = told.followed(&graphml(&[&one, &two, &three, &[("startline", "10")]]));
    assert!(line == 10 && (6..=50).contains(&inputs[0]) && inputs[0] % 2 == 1, "{inputs:?}");
}

#[test]
fn what_no_execution_follows_is_said() {
    let told = Told::new(TWO_ERRORS);
    let impossible = yaml(&[(NO, ("branching", 8, 5, Some("false"))), (NO, ("target", 10, 13, None))]);
    for command in ["explain", "relevant"] {
        let said = told.said(command, &impossible, &[]);
        assert_eq!((said.status, said.stdout.as_str()), (Some(3), ""), "{}", said.stderr);
        assert!(said.stderr.contains("no execution of the program follows the witness and fails"), "{}", said.stderr);
        let json = told.said(command, &impossible, &["--format", "json"]).json();
        assert_eq!(json["command"], command);
    }
}

#[test]
fn relevance_is_that_of_the_execution_that_is_told() {
    let told = Told::new(TWO_ERRORS);
    let witness = yaml(&[(NO, ("target", 12, 9, None))]);
    let json = told.said("relevant", &witness, &["--format", "json"]).json();
    let lines: Vec<u64> =
        json["relevant"].as_array().expect("a list").iter().filter_map(|one| one["at"]["line"].as_u64()).collect();
    assert_eq!(lines, [7, 6], "{json:#}");
}

#[test]
fn what_is_damaged_is_refused_by_its_line() {
    let told = Told::new(TWO_ERRORS);
    let good = yaml(&[(NO, ("branching", 8, 5, Some("true"))), (NO, ("target", 10, 13, None))]);
    let refused = |witness: &str, text: &str| {
        let said = told.said("explain", witness, &[]);
        assert_eq!(said.status, Some(2), "{text}: {}{}", said.stdout, said.stderr);
        assert!(said.stderr.contains(text), "no {text:?} in {}", said.stderr);
    };
    refused("", "line 1: the witness is empty");
    refused(&good.replace("branching", "branchin"), "line 13: there is no waypoint of type branchin");
    refused(&good.replace("line: 8", "line: eight"), "line 17: expected a number from 1");
    refused(&good.replace("line: 8", "line: 7"), "there is no condition on line 7, column 5");
    refused(&good.replace("line: 10", "line: 1000"), "there is no statement on line 1000");
    refused(&good.replace("\"2.0\"", "\"3.0\""), "line 3: witnesses of version 3.0 are not understood");
    refused(
        &good.replace("\"target\"", "\"function_enter\""),
        "the last segment has to end in a waypoint of type target",
    );
    refused(&good.replace("violation_sequence", "invariant_set"), "line 1: this is a witness of correctness");
    refused(&good.replace("action: \"follow\"", "action: [follow"), "this is no YAML");
    refused(&good.replace("  content:", "  contents:"), "there is no content");
    let wrong = yaml(&[(NO, ("assumption", 8, 5, Some("zzz == 1"))), (NO, ("target", 10, 13, None))]);
    refused(&wrong, "line 13: `zzz == 1` is not understood in line 8 of the program");
    let graph = graphml(&[&[("startline", "8"), ("control", "condition-true")], &[("startline", "10")]]);
    refused(&graph[..graph.len() / 2], "this is no GraphML");
    refused(&graph.replace("condition-true", "maybe"), "line 11: there is no control maybe");
    refused(&graph.replace("violation_witness", "correctness_witness"), "this is a correctness witness");
    refused(&graph.replace("key=\"violation\"", "key=\"other\""), "no node is marked as a violation");
    refused(&graph.replace(">8<", ">-8<"), "-8 is no line");
    let said = told.said("explain", &good, &["--nondet", "1"]);
    assert_eq!(said.status, Some(2), "both inputs and a witness");
    let said = run(&["explain", &told.file("program.c").display().to_string(), "--witness", "none.yml"]);
    assert_eq!(said.status, Some(2), "{}", said.stderr);
}
