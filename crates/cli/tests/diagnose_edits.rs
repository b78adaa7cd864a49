//! Programs made up by chance, each line of which is edited by brute force: where another constant, condition or text in
//! one line lets all tests pass, that line alone is a diagnosis, or the answer says why it may be missing.
//!
//! Nothing of the program model is used for the edits: a second source with a hole in every line is compiled, and run with
//! one hole after the other filled with one value after the other.

use clap::Parser;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use wherefore_budget::Budget;
use wherefore_case::{Case, Expected, Given};
use wherefore_cli::diagnose::{Effort, Found, diagnosed, test_time};
use wherefore_cli::options::{Cli, Command, Diagnose};
use wherefore_cli::progress::Progress;
use wherefore_cli::{inputs, run};
use wherefore_session::Native;

const PROGRAMS: u64 = 24;
/// What is tried in place of a value.
const VALUES: std::ops::RangeInclusive<i64> = -3..=9;
/// What is tried in place of a text.
const TEXTS: [&str; 4] = ["low\n", "high\n", "none\n", ""];

#[test]
fn every_line_that_repairs_alone_is_listed() {
    let (mut diagnosed, mut repairs, mut sure) = (0, 0, 0);
    for seed in 0..PROGRAMS {
        let Some(verdict) = judge(seed) else { continue };
        diagnosed += 1;
        repairs += verdict.repairing;
        sure += usize::from(verdict.sure);
        assert!(verdict.missing.is_empty(), "seed {seed}: not listed: {:?}\n{}", verdict.missing, verdict.source);
    }
    assert!(diagnosed > 9 && repairs > 18 && sure > 3, "{diagnosed} diagnosed, {repairs} repairs, {sure} sure");
}

struct Verdict {
    source: String,
    /// Lines that repair alone.
    repairing: usize,
    /// Those that nobody speaks of.
    missing: Vec<usize>,
    /// Whether the answer claims to be complete.
    sure: bool,
}

/// `None` if no test fails.
fn judge(seed: u64) -> Option<Verdict> {
    let right = Sketch::new(seed);
    let wrong = right.broken(seed);
    let scratch = tempfile::tempdir().expect("a directory");
    let [original, faulty, open] = ["right.c", "wrong.c", "open.c"].map(|name| scratch.path().join(name));
    std::fs::write(&original, right.source(false)).expect("a file");
    std::fs::write(&faulty, wrong.source(false)).expect("a file");
    std::fs::write(&open, wrong.source(true)).expect("a file");
    let given = |x: i64| vec![format!("x={x}")];
    let tests: Vec<Case> = (-2..=4)
        .zip(outcomes(&original, (-2..=4).map(given)))
        .map(|(x, expected)| Case {
            name: format!("t{x}"),
            expected: expected.expect("a right program ends"),
            ..Case::default()
        })
        .collect();
    let options = options(&faulty);
    let session = run::open(&options.run, &Budget::unlimited()).expect("it compiles");
    let mut cases = tests.clone();
    for (case, x) in cases.iter_mut().zip(-2..=4) {
        case.given.inputs = inputs::parse(session.program(), "start", &given(x)).expect("inputs").inputs;
    }
    let budget = Budget::unlimited();
    let found = diagnosed(&options, &session, &cases, Effort::Order, &Progress::new(true), &budget);
    let found = found.expect("a diagnosis")?;
    let failing: Vec<usize> = found.tests.iter().map(|test| test.0).collect();

    let holes: Vec<(usize, Vec<i64>)> = wrong.holes();
    let fillings = holes.iter().flat_map(|(line, values)| values.iter().map(move |value| (*line, *value)));
    let fillings: Vec<(usize, i64)> = fillings.collect();
    let runs = fillings.iter().flat_map(|(line, value)| {
        failing
            .iter()
            .map(move |n| vec![format!("x={}", *n as i64 - 2), format!("hole={line}"), format!("value={value}")])
    });
    let seen = outcomes(&open, runs);
    let passes = |n: usize| {
        let tried = &seen[n * failing.len()..(n + 1) * failing.len()];
        tried.iter().zip(&failing).all(|(seen, n)| seen.as_ref() == Some(&tests[*n].expected))
    };
    let repairing: BTreeSet<usize> = (0..fillings.len()).filter(|n| passes(*n)).map(|n| fillings[n].0).collect();
    let missing = repairing.iter().copied().filter(|line| !speaks_of(&found, *line)).collect();
    let sure = found.doubts.is_empty() && has_all_singles(&found);
    Some(Verdict { source: wrong.source(false), repairing: repairing.len(), missing, sure })
}

/// Whether a line alone is a diagnosis, or may be missing.
fn speaks_of(found: &Found, line: usize) -> bool {
    let is_there = |set: &Vec<u32>| match set[..] {
        [one] => found.statements.list[one as usize].at.line as usize == line,
        _ => false,
    };
    let excused = found.doubts.iter().any(|doubt| {
        doubt.kind.contains("loops") || doubt.note.as_ref().is_some_and(|note| note.contains(&format!(".c:{line}:")))
    });
    found.complete.sets.iter().any(is_there) || excused || !has_all_singles(found)
}

/// Whether the search itself came to its end for single statements.
fn has_all_singles(found: &Found) -> bool {
    found.complete.is_complete() || found.complete.settled >= Some(1)
}

/// What a program does with each of some inputs; `None` if it fails.
fn outcomes(file: &Path, given: impl Iterator<Item = Vec<String>>) -> Vec<Option<Expected>> {
    let options = options(file);
    let session = run::open(&options.run, &Budget::unlimited()).expect("it compiles");
    let native = Native::new(&session, test_time(&options)).expect("it is built");
    let mut server = native.server().expect("the program starts");
    let outcome = |given: Vec<String>| {
        let inputs = inputs::parse(session.program(), "start", &given).expect("inputs").inputs;
        let case = Case { given: Given { inputs, ..Given::default() }, ..Case::default() };
        let seen = native.run(&mut server, &case, &[], &[]).expect("it runs");
        seen.passes(&Expected::default()).then_some(Expected { stdout: Some(seen.stdout), status: None })
    };
    given.map(outcome).collect()
}

fn options(file: &Path) -> Diagnose {
    let file = file.display().to_string();
    let arguments = ["wherefore", "diagnose", &file, "--entry", "start", "--timeout", "60", "--max-size", "1", "-q"];
    match Cli::try_parse_from(arguments).expect("options").command {
        Command::Diagnose(options) => options,
        _ => unreachable!("it was asked for"),
    }
}

/// A line of a program: what stands around its hole, and what is in it.
#[derive(Clone)]
struct Line {
    before: &'static str,
    hole: Hole,
    after: &'static str,
}

#[derive(Clone)]
enum Hole {
    /// Nothing to edit.
    None,
    Value(String),
    Condition(String),
    /// The condition of a loop: always true, it would not end.
    Loop(String),
    /// A text printed.
    Text(usize),
}

/// A program line by line.
struct Sketch(Vec<Line>);

impl Sketch {
    fn new(seed: u64) -> Sketch {
        let mut random = Random(seed);
        let mut lines = vec![];
        let mut add = |before, hole, after| lines.push(Line { before, hole, after });
        add("  int r = ", Hole::Value(random.value()), ";");
        add("  int s = ", Hole::Value(random.value()), ";");
        for _ in 0..1 + random.below(3) {
            match random.below(5) {
                0 => add("  s = ", Hole::Value(random.value()), ";"),
                1 => {
                    add("  if (", Hole::Condition(random.condition()), ") {");
                    add("    for (int i = ", Hole::Value("0".into()), ";");
                    add("         ", Hole::Loop(format!("i < {}", 2 + random.below(4))), ";");
                    add("         i++)", Hole::None, "");
                    add("      r = ", Hole::Value("r + 1".into()), ";");
                    add("  }", Hole::None, "");
                }
                2 => {
                    add("  if (", Hole::Condition(random.pick(&["MODE", "!MODE", "0", "1"]).into()), ")");
                    add("    r = ", Hole::Value(random.value()), ";");
                }
                _ => {
                    add("  if (", Hole::Condition(random.condition()), ")");
                    add("    r = ", Hole::Value(random.value()), ";");
                }
            }
        }
        add("  if (", Hole::Condition("r > 2".into()), ")");
        add("    printf(", Hole::Text(random.below(3)), ");");
        add("  else", Hole::None, "");
        add("    printf(", Hole::Text(random.below(3)), ");");
        add("  printf(\"%d\\n\", ", Hole::Value("r + s".into()), ");");
        Sketch(lines)
    }

    /// The same with something else in one hole.
    fn broken(&self, seed: u64) -> Sketch {
        let mut random = Random(seed ^ 0xb4d);
        let mut lines = self.0.clone();
        let holes: Vec<usize> = (0..lines.len()).filter(|n| !matches!(lines[*n].hole, Hole::None)).collect();
        let chosen = holes[random.below(holes.len())];
        lines[chosen].hole = match &lines[chosen].hole {
            Hole::None => Hole::None,
            Hole::Value(_) => Hole::Value(random.value()),
            Hole::Condition(old) => Hole::Condition(format!("!({old})")),
            Hole::Loop(old) => Hole::Loop(format!("{old} - 1")),
            Hole::Text(old) => Hole::Text((old + 1) % TEXTS.len()),
        };
        Sketch(lines)
    }

    /// The program, with its holes open or not; a line has the same number in both.
    fn source(&self, open: bool) -> String {
        let mut text = String::from("#include <stdio.h>\n#define MODE 1\nint hole, value;\n");
        let texts: Vec<String> = TEXTS.iter().map(|text| format!("{text:?}")).collect();
        writeln!(text, "static const char *const texts[] = {{{}}};", texts.join(", "))
            .expect("strings take everything");
        text.push_str("int start(int x) {\n");
        for (line, number) in self.0.iter().zip(FIRST..) {
            let inside = match &line.hole {
                Hole::None => String::new(),
                Hole::Value(old) | Hole::Condition(old) | Hole::Loop(old) if !open => old.clone(),
                Hole::Value(old) | Hole::Condition(old) | Hole::Loop(old) => {
                    format!("(hole == {number} ? value : ({old}))")
                }
                Hole::Text(old) if !open => texts[*old].clone(),
                Hole::Text(old) => format!("\"%s\", hole == {number} ? texts[value] : {}", texts[*old]),
            };
            writeln!(text, "{}{inside}{}", line.before, line.after).expect("strings take everything");
        }
        text.push_str("  return 0;\n}\n");
        text
    }

    /// The lines that have a hole, and what to try there.
    fn holes(&self) -> Vec<(usize, Vec<i64>)> {
        let values = |hole: &Hole| match hole {
            Hole::None => vec![],
            Hole::Value(_) => VALUES.collect(),
            Hole::Condition(_) => vec![0, 1],
            Hole::Loop(_) => vec![0],
            Hole::Text(_) => (0..TEXTS.len() as i64).collect(),
        };
        self.0.iter().zip(FIRST..).map(|(line, number)| (number, values(&line.hole))).collect()
    }
}

/// The number of the first line in the function.
const FIRST: usize = 6;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % bound as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn value(&mut self) -> String {
        self.pick(&["x", "x + 1", "x - 2", "2 * x", "0", "1", "3", "5"]).into()
    }

    fn condition(&mut self) -> String {
        self.pick(&["x > 0", "x > 3", "x > 10", "x == 2", "r < s", "x < -5"]).into()
    }
}
