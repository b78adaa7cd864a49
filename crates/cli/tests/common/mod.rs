//! What the tests of the command line share: running it, reading its JSON, corpus programs with their expectations, and a
//! small evaluator of C expressions that decides whether two conditions mean the same.

#![allow(dead_code)] // Each test binary uses its own part.

use clap::Parser;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use wherefore_budget::Budget;
use wherefore_cli::options::{self, Cli};
use wherefore_cli::run::happened;
use wherefore_localize::{Reasoner, flow_sensitive};
use wherefore_solver::Backend;

pub const ENCODINGS: [&str; 3] = ["trace", "recursive", "flow-sensitive"];

/// The directory of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace").to_path_buf()
}

/// The names of the programs in a directory of tests.
pub fn programs_of(directory: &str) -> Vec<String> {
    let listed = std::fs::read_dir(workspace().join("tests").join(directory)).expect("programs");
    let paths = listed.map(|entry| entry.expect("a file").path());
    let programs = paths.filter(|p| p.extension().is_some_and(|e| e == "c") || p.join("main.c").exists());
    let mut names: Vec<String> = programs.map(|p| p.file_stem().expect("a name").to_string_lossy().into()).collect();
    names.sort();
    names
}

/// The command, to be given arguments.
pub fn wherefore() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wherefore"));
    command.stdin(Stdio::null());
    command
}

/// What a command said and how it ended.
pub struct Said {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("no JSON ({e}): {}{}", self.stdout, self.stderr))
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Said {
            status: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// What a command says of a program whose files are named from the workspace, read as JSON.
pub fn report(options: &[&str], arguments: &[String]) -> (Option<i32>, Value) {
    let options = options.iter().map(|option| option.to_string());
    let arguments: Vec<String> = options.chain(arguments.iter().cloned()).collect();
    let said = Said::from(wherefore().args(&arguments).current_dir(workspace()).output().expect("wherefore starts"));
    (said.status, said.json())
}

/// Run the command with arguments.
pub fn run<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Said {
    wherefore().args(arguments).output().expect("wherefore starts").into()
}

/// A step of the story, as its JSON tells it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    pub file: String,
    pub line: u64,
    pub kind: String,
    pub text: String,
    pub because: Vec<(u64, String)>,
    pub invariant: Option<String>,
    pub note: Option<String>,
}

/// The steps of a report, the failure last.
pub fn steps(report: &Value) -> Vec<Told> {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_string();
    let steps = report["explanation"]["steps"].as_array().unwrap_or_else(|| panic!("no steps in {report:#}"));
    steps
        .iter()
        .map(|step| Told {
            file: text(&step["at"]["file"]),
            line: step["at"]["line"].as_u64().expect("a line"),
            kind: text(&step["kind"]),
            text: text(&step["text"]),
            because: step["because"]
                .as_array()
                .expect("reasons")
                .iter()
                .map(|r| (r["at"]["line"].as_u64().expect("a line"), text(&r["text"])))
                .collect(),
            invariant: step["invariant"].as_str().map(str::to_string),
            note: step["note"].as_str().map(str::to_string),
        })
        .collect()
}

/// The lines of the steps, without the failure.
pub fn lines(report: &Value) -> Vec<u64> {
    steps(report).iter().filter(|s| s.kind != "failure").map(|s| s.line).collect()
}

/// What is wrong with the story of a run by the definitions of the paper, as both backends see it.
pub fn violations(arguments: &[String], encoding: &str) -> Vec<String> {
    let all = ["wherefore", "explain", "--encoding", encoding].map(str::to_string);
    let cli = Cli::parse_from(all.into_iter().chain(arguments.iter().cloned()));
    let options::Command::Explain(options) = cli.command else { panic!("not an explain command") };
    let happened = happened(&options.run, &Budget::unlimited(), &|_| {}).expect("the run is read");
    let mut trace =
        wherefore_cli::explain::trace(&happened, &options, &Budget::unlimited()).expect("the run is walked");
    let settings = wherefore_cli::explain::settings(&options, &Budget::unlimited());
    let story = wherefore_localize::explain(&happened.program, &mut trace, &settings).expect("an explanation");
    // Algorithm 2 and Algorithm 1 promise Definition 4, the plain trace formula only Definition 2.
    let conditions = encoding != "trace";
    let mut wrong = vec![];
    for backend in [Backend::Z3, Backend::Cadical] {
        let mut reasoner = Reasoner::new(backend, None, &Budget::unlimited());
        let found =
            flow_sensitive(&mut trace, &story.goal, &story.precondition, &story.steps, conditions, &mut reasoner);
        for violation in found {
            wrong.push(format!("{encoding}, {backend:?}: {violation:?}"));
        }
        if let Some(reason) = reasoner.gave_up {
            wrong.push(format!("{encoding}, {backend:?}: {reason}"));
        }
    }
    wrong
}

/// A program with what is expected of its explanation, which stands in comments of its source:
///
/// ```text
/// run: ARGUMENTS               of `wherefore explain`, after the files
/// stdin: TEXT                  standard input, with \n
/// fails: LINE KIND [TEXT]      the failure, and a part of its message or condition
/// steps: LINE LINE ...         of flow-sensitive, the failure last; FILE:LINE outside of the main file
/// steps-trace: ...             of that encoding, likewise steps-recursive
/// max-steps: N                 of flow-sensitive, without the failure
/// frame: LINE NAME             a missing assignment to NAME is told at the line
/// tells: LINE LINE ...         flow-sensitive has at least these, in this order
/// reason: LINE because LINE [TEXT]
/// reasons: LINE TEXT; TEXT     a step at the line has exactly these, in this order
/// invariant: LINE TEXT         holds after a step at the line, in these words
/// precondition: EXPRESSION     means the same
/// note: TEXT                   a note contains it
/// no-notes:                    nothing had to be approximated
/// timeout: SECONDS             for programs that need more than anybody waits for
/// status: N [N]                exit status, when it is not 0
/// ```
/// A line that ends in `// irrelevant` is a step of no story.
pub struct Program {
    pub name: String,
    pub files: Vec<PathBuf>,
    pub main: PathBuf,
    pub source: String,
    directives: BTreeMap<String, Vec<String>>,
}

impl Program {
    /// Read a program: a file `tests/DIRECTORY/NAME.c`, or a directory of that name with a `main.c`.
    pub fn read(directory: &str, name: &str) -> Program {
        let at = workspace().join("tests").join(directory);
        let (main, mut files) = if at.join(name).is_dir() {
            let listed = std::fs::read_dir(at.join(name)).expect("a directory").map(|e| e.expect("a file").path());
            (at.join(name).join("main.c"), listed.filter(|p| p.extension().is_some_and(|e| e == "c")).collect())
        } else {
            let file = at.join(format!("{name}.c"));
            (file.clone(), vec![file])
        };
        files.sort();
        let source = std::fs::read_to_string(&main).unwrap_or_else(|e| panic!("{}: {e}", main.display()));
        let mut directives: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in source.lines() {
            if let Some((word, rest)) = line.strip_prefix("// ").and_then(|l| l.split_once(':')) {
                directives.entry(word.to_string()).or_default().push(rest.trim().to_string());
            }
        }
        Program { name: name.into(), files, main, source, directives }
    }

    pub fn all(&self, word: &str) -> &[String] {
        self.directives.get(word).map_or(&[], Vec::as_slice)
    }

    pub fn one(&self, word: &str) -> Option<&str> {
        let all = self.all(word);
        assert!(all.len() < 2, "{}: {word} stands there twice", self.name);
        all.first().map(String::as_str)
    }

    /// The lines that end in a comment.
    pub fn marked(&self, comment: &str) -> BTreeSet<u64> {
        let lines = (1..).zip(self.source.lines());
        lines.filter(|(_, line)| line.trim_end().ends_with(comment)).map(|(number, _)| number).collect()
    }

    /// Words in the order of the command line; its standard input is written into a directory.
    pub fn arguments(&self, scratch: &Path) -> Vec<String> {
        let run = self.one("run").unwrap_or_else(|| panic!("{}: no run", self.name));
        let words: Vec<String> = run.split_whitespace().map(str::to_string).collect();
        let mut arguments: Vec<String> = self.files.iter().map(|f| f.display().to_string()).collect();
        if let Some(text) = self.one("stdin") {
            let file = scratch.join(format!("{}.stdin", self.name));
            std::fs::write(&file, text.replace("\\n", "\n")).expect("standard input is written");
            arguments.extend(["--stdin".to_string(), file.display().to_string()]);
        }
        arguments.extend(words);
        arguments
    }

    /// Whether a step stands at a place, given as `LINE` or `FILE:LINE`.
    pub fn is_at(&self, step: &Told, place: &str) -> bool {
        match place.split_once(':') {
            Some((file, line)) => step.file.ends_with(&format!("/{file}")) && step.line.to_string() == line,
            None => Path::new(&step.file) == self.main && step.line.to_string() == place,
        }
    }

    /// Where a step stands, as the expectations write it.
    pub fn place(&self, step: &Told) -> String {
        if Path::new(&step.file) == self.main {
            return step.line.to_string();
        }
        let name = Path::new(&step.file).file_name().map(|n| n.to_string_lossy().into_owned());
        format!("{}:{}", name.unwrap_or_default(), step.line)
    }
}

/// Values of the variables of an expression.
pub type Environment = BTreeMap<String, i64>;

/// Whether two C conditions have the same truth value for all values of their variables in a range.
pub fn equivalent(a: &str, b: &str, range: std::ops::RangeInclusive<i64>) -> bool {
    counterexample(a, b, range, |a, b| a == b).is_none()
}

/// Whether one C condition implies another, for all values of their variables in a range.
pub fn implies(a: &str, b: &str, range: std::ops::RangeInclusive<i64>) -> bool {
    counterexample(a, b, range, |a, b| !a || b).is_none()
}

fn counterexample(
    a: &str,
    b: &str,
    range: std::ops::RangeInclusive<i64>,
    fine: impl Fn(bool, bool) -> bool,
) -> Option<Environment> {
    let names: Vec<String> = names(a).union(&names(b)).cloned().collect();
    assert!(names.len() <= 3, "too many variables to try all values: {names:?}");
    // Around the numbers that are named something may change.
    let named = tokens(a).into_iter().chain(tokens(b)).filter_map(|t| t.parse::<i64>().ok());
    let near = named.flat_map(|n| [n - 1, n, n + 1, -n - 1, -n, -n + 1]);
    let values: Vec<i64> = range.chain(near).collect::<BTreeSet<i64>>().into_iter().collect();
    let mut at = vec![0; names.len()];
    loop {
        let environment: Environment = names.iter().cloned().zip(at.iter().map(|i| values[*i])).collect();
        if !fine(evaluate(a, &environment) != 0, evaluate(b, &environment) != 0) {
            return Some(environment);
        }
        // The next values, as an odometer counts.
        let moved = at.iter_mut().any(|digit| {
            *digit = (*digit + 1) % values.len();
            *digit != 0
        });
        if !moved {
            return None;
        }
    }
}

/// The variables of an expression.
pub fn names(text: &str) -> BTreeSet<String> {
    let words = tokens(text).into_iter().filter(|t| t.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    words.filter(|w| w != "true" && w != "false").collect()
}

/// The value of an `int` expression of C; wraps around.
pub fn evaluate(text: &str, environment: &Environment) -> i64 {
    let mut parser = Parsed { tokens: tokens(text), at: 0, environment };
    let value = parser.binary(0);
    assert_eq!(
        parser.at,
        parser.tokens.len(),
        "`{text}` is not understood after `{}`",
        parser.tokens[..parser.at].join(" ")
    );
    value
}

fn tokens(text: &str) -> Vec<String> {
    let mut found = vec![];
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else if ["||", "&&", "==", "!=", "<=", ">=", "<<", ">>"].iter().any(|o| rest.starts_with(o)) {
            2
        } else {
            first.len_utf8()
        };
        found.push(rest[..length].to_string());
        rest = rest[length..].trim_start();
    }
    found
}

/// Operators from those that bind least.
const OPERATORS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

struct Parsed<'a> {
    tokens: Vec<String>,
    at: usize,
    environment: &'a Environment,
}

impl Parsed<'_> {
    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens.get(self.at - 1).unwrap_or_else(|| panic!("`{}` ends too early", self.tokens.join(" "))).clone()
    }

    fn binary(&mut self, level: usize) -> i64 {
        let Some(operators) = OPERATORS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1);
        while let Some(operator) = self.tokens.get(self.at).filter(|t| operators.contains(&t.as_str())).cloned() {
            self.at += 1;
            let right = self.binary(level + 1);
            let value = match operator.as_str() {
                "||" => i64::from(left != 0 || right != 0),
                "&&" => i64::from(left != 0 && right != 0),
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "==" => i64::from(left == right),
                "!=" => i64::from(left != right),
                "<" => i64::from(left < right),
                "<=" => i64::from(left <= right),
                ">" => i64::from(left > right),
                ">=" => i64::from(left >= right),
                "<<" => left << (right & 31),
                ">>" => left >> (right & 31),
                "+" => left + right,
                "-" => left - right,
                "*" => left * right,
                "/" => left.checked_div(right).unwrap_or(0),
                _ => left.checked_rem(right).unwrap_or(0),
            };
            left = i64::from(value as i32);
        }
        left
    }

    fn unary(&mut self) -> i64 {
        match self.next().as_str() {
            "!" => i64::from(self.unary() == 0),
            "-" => i64::from((-self.unary()) as i32),
            "~" => !self.unary(),
            "(" => {
                let value = self.binary(0);
                assert_eq!(self.next(), ")");
                value
            }
            "true" => 1,
            "false" => 0,
            number if number.starts_with(|c: char| c.is_ascii_digit()) => {
                number.parse().unwrap_or_else(|_| panic!("`{number}` is not a number"))
            }
            name => *self.environment.get(name).unwrap_or_else(|| panic!("`{name}` has no value")),
        }
    }
}
