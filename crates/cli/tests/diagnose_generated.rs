//! Programs made up by chance, diagnosed in several ways that have to agree.
//!
//! - Both backends give the same diagnoses, of each test and of all.
//! - For few statements, these are what asking about every subset gives.
//! - Where forcing one value at all executions of a point natively lets a test pass, its statement alone is a diagnosis;
//!   conversely, where a statement that is only a condition and is executed once is a diagnosis, the other way passes.
//! - The values that the formula gives for a diagnosis let the test pass natively.
//! - A statement for which a search by runs finds values that repair all tests is a diagnosis.
//!
//! `WHEREFORE_PROGRAMS` says how many, `WHEREFORE_SEED` where to begin: program number n is always the same one. With
//! `WHEREFORE_SURVEY` all that is wrong is shown, not only the first.

#[path = "generator/asked.rs"]
mod asked;

use asked::Asked;
use clap::Parser;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use wherefore_budget::Budget;
use wherefore_case::{Case, Given};
use wherefore_cli::diagnose::problem::Problem;
use wherefore_cli::diagnose::{Editing, Effort, Found, Tested, diagnosed, test_time};
use wherefore_cli::options::{Cli, Command, Diagnose};
use wherefore_cli::progress::Progress;
use wherefore_cli::{inputs, run};
use wherefore_diagnose::{Agreement, FormulaOracle, Oracle, Seen, Set, Verdict};
use wherefore_parallel::{processors, try_parallel};
use wherefore_program::{Slot, points};
use wherefore_record::{Ending, Forced, Input, InputValue, Server};
use wherefore_session::{Native, Session};
use wherefore_solver::Backend;
use wherefore_unfold::{Fault, unfold};

/// As the command has: thousands of solvers are made and thrown away.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Programs by default; `scripts/hunt` takes more.
const PROGRAMS: u64 = 50;
/// Failing tests of each.
const TESTS: usize = 3;
/// Most statements for asking about all subsets.
const FEW: usize = 10;
/// Values forced.
const VALUES: std::ops::RangeInclusive<i64> = -3..=6;
/// Rounds of loops in the formula; no program makes more than four unless forced to.
const UNWIND: u32 = 8;
/// Seconds for a diagnosis: more than it takes on a busy machine.
const PATIENCE: u64 = 200;
/// Diagnoses of which the values are tried.
const TRIED: usize = 12;

#[test]
fn diagnoses_of_generated_programs() {
    let asked = Asked::new(PROGRAMS);
    let seeds: Vec<u64> = asked.seeds.clone().collect();
    let one = |(): &mut (), _: usize, seed: &u64| {
        let judged = judge(*seed);
        if judged.wrong.is_empty() {
            return Ok(judged.counts);
        }
        let text = format!("seed {seed}:\n{}\n{}", judged.listing, judged.wrong.join("\n"));
        if !asked.survey {
            return Err(text);
        }
        eprintln!("{text}\n");
        Ok([judged.counts, vec![("wrong", 1)]].concat())
    };
    let all = try_parallel(&seeds, processors(), || Ok(()), one).unwrap_or_else(|wrong: String| panic!("{wrong}"));
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (what, count) in all.into_iter().flatten() {
        *counts.entry(what).or_default() += count;
    }
    eprintln!("{counts:?}");
    let programs = asked.programs();
    let few = |what| programs >= PROGRAMS && counts.get(what).is_none_or(|count| count * 2 < programs);
    assert!(!few("diagnosed"), "too few programs are diagnosed: {counts:?}");
    assert!(!few("repaired by values"), "too few statements are repaired by values: {counts:?}");
    assert_eq!(counts.get("wrong"), None, "of {programs} programs");
}

#[derive(Default)]
struct Judged {
    listing: String,
    wrong: Vec<String>,
    counts: Vec<(&'static str, u64)>,
}

fn judge(seed: u64) -> Judged {
    let source = Generator::new(seed).program();
    let mut verdict = Judged::default();
    for (number, line) in (1..).zip(source.lines()) {
        writeln!(verdict.listing, "{number:3} | {line}").expect("strings take everything");
    }
    let scratch = tempfile::tempdir().expect("a directory");
    let file = scratch.path().join("generated.c");
    std::fs::write(&file, &source).expect("the program is written");
    let options = options(&file, "cadical");
    let session = run::open(&options.run, &Budget::unlimited())
        .unwrap_or_else(|e| panic!("seed {seed}: a generated program is not C: {e:#}\n{}", verdict.listing));
    let cases = failing_cases(seed, &options, &session);
    for case in &cases {
        writeln!(verdict.listing, "{}: {}", case.name, case.given.arguments[0].display())
            .expect("strings take everything");
    }
    if cases.is_empty() {
        verdict.counts.push(("without a failing test", 1));
        return verdict;
    }
    let diagnosed = |backend: &str| {
        let options = self::options(&file, backend);
        let budget = wherefore_cli::budget(&options.run);
        diagnosed(&options, &session, &cases, Effort::Order, &Progress::new(true), &budget)
            .expect("a diagnosis")
            .expect("a test fails")
    };
    let found = diagnosed("cadical");
    let complete = |found: &Found| found.complete.is_complete() && found.tests.iter().all(|t| t.1.found.is_complete());
    if !complete(&found) {
        verdict.counts.push(("incomplete", 1));
        return verdict;
    }
    verdict.counts.push(("diagnosed", 1));
    verdict.wrong.extend(
        found
            .tests
            .iter()
            .filter(|t| t.1.agreement != Agreement::Same)
            .map(|t| format!("t{}: {:?}", t.0, t.1.agreement)),
    );
    compare(&found, &diagnosed("z3"), complete, &mut verdict);
    Trial::new(&options, &session, &cases, &found).all(&mut verdict);
    compare_values(&options, &session, &cases, &found, &mut verdict);
    verdict
}

/// What a search by runs repairs, the formula has to know.
fn compare_values(options: &Diagnose, session: &Session, cases: &[Case], found: &Found, verdict: &mut Judged) {
    let budget = Budget::unlimited();
    let tested = Tested::new(options, session, cases, &budget).expect("the tests run");
    let Ok(editing) = Editing::new(options, session, cases, &tested, &budget).expect("it is built") else {
        panic!("it may be edited");
    };
    let freed = editing.freed(&budget).expect("values are tried");
    let single = |line: u32| {
        let alone = found.complete.sets.iter().filter(|set| set.len() == 1).flatten();
        alone.map(|s| &found.statements.list[*s as usize].at).any(|at| at.line == line)
    };
    for one in &freed {
        verdict.counts.push(("repaired by values", 1));
        if !single(one.place.extent.line) {
            verdict
                .wrong
                .push(format!("line {} is repaired by {:?}, the formula says no", one.place.extent.line, one.values));
        }
    }
}

fn options(file: &Path, backend: &str) -> Diagnose {
    let file = file.display().to_string();
    let (unwind, patience) = (UNWIND.to_string(), PATIENCE.to_string());
    let arguments = ["wherefore", "diagnose", &file, "--entry", "start", "--backend", backend];
    let more = ["--unwind", &unwind, "--timeout", &patience, "--jobs", "1", "-q"];
    match Cli::try_parse_from(arguments.into_iter().chain(more)).expect("options").command {
        Command::Diagnose(options) => options,
        _ => unreachable!("it was asked for"),
    }
}

/// Tests that fail, found by running; the text of its inputs is the argument of each.
fn failing_cases(seed: u64, options: &Diagnose, session: &Session) -> Vec<Case> {
    let mut random = Generator::new(seed ^ 0x5eed);
    let native = Native::new(session, test_time(options)).expect("it is built");
    let mut server = native.server().expect("the program starts");
    let mut cases = vec![];
    for _ in 0..40 {
        let given: Vec<String> =
            ["x", "y", "want"].iter().map(|name| format!("{name}={}", random.below(12) as i64 - 3)).collect();
        let case = Case {
            name: format!("t{}", cases.len()),
            given: Given {
                arguments: vec![given.join(" ").into()],
                inputs: inputs::parse(session.program(), "start", &given).expect("inputs").inputs,
                ..Given::default()
            },
            ..Case::default()
        };
        let seen = native.run(&mut server, &case, &[], &[]).expect("the test runs");
        if !seen.passes(&case.expected) && !cases.iter().any(|c: &Case| c.given.arguments == case.given.arguments) {
            cases.push(case);
        }
        if cases.len() == TESTS {
            break;
        }
    }
    cases
}

/// Both backends say the same.
fn compare(first: &Found, second: &Found, complete: impl Fn(&Found) -> bool, verdict: &mut Judged) {
    if !complete(second) {
        verdict.counts.push(("incomplete with Z3", 1));
        return;
    }
    for ((n, a), (_, b)) in first.tests.iter().zip(&second.tests) {
        if a.found.sets != b.found.sets {
            let (a, b) = (show(first, &a.found.sets), show(first, &b.found.sets));
            verdict.wrong.push(format!("t{n}: CaDiCaL says {a}\n    Z3 says {b}"));
        }
    }
    if first.complete.sets != second.complete.sets {
        let (a, b) = (show(first, &first.complete.sets), show(first, &second.complete.sets));
        verdict.wrong.push(format!("complete: CaDiCaL says {a}\n    Z3 says {b}"));
    }
}

fn show(found: &Found, sets: &[Set]) -> String {
    let statement = |s: &u32| {
        let statement = &found.statements.list[*s as usize];
        format!("{}:{}", statement.at.line, statement.at.column)
    };
    let sets = sets.iter().map(|set| format!("{{{}}}", set.iter().map(statement).collect::<Vec<_>>().join(", ")));
    sets.collect::<Vec<_>>().join(" ")
}

/// What does not take the diagnoses for granted.
struct Trial<'a> {
    session: &'a Session,
    cases: &'a [Case],
    found: &'a Found,
    native: Native<'a>,
    oracle: FormulaOracle,
}

impl<'a> Trial<'a> {
    fn new(options: &Diagnose, session: &'a Session, cases: &'a [Case], found: &'a Found) -> Trial<'a> {
        let native = Native::new(session, test_time(options)).expect("it is built");
        let problem =
            Problem::new(session.program(), "start", "program".as_ref(), cases, &found.fails).expect("numbers only");
        let tests: Vec<_> =
            problem.failing.iter().map(|(_, input, expected)| (input.clone(), expected.clone())).collect();
        let inputs: Vec<_> = tests.iter().map(|t| t.0.clone()).collect();
        let images = native.tables().expect("the program runs").expect("the program starts");
        let unfolding = unfold(session.program(), &problem.settings(options, &images, &Budget::unlimited()), &inputs)
            .expect("a formula");
        let mut oracle = FormulaOracle::new(unfolding, Backend::Cadical, &tests);
        for (n, (input, _)) in tests.iter().enumerate() {
            oracle.agree(n, input, &Seen::Died(Fault::Stopped));
        }
        Trial { session, cases, found, native, oracle }
    }

    fn all(&mut self, verdict: &mut Judged) {
        if self.found.statements.list.len() <= FEW {
            self.subsets(verdict);
        }
        let mut server = self.native.server().expect("the program starts");
        self.forced(&mut server, verdict);
        self.evidence(&mut server, verdict);
    }

    /// All subsets, smaller ones first.
    fn subsets(&mut self, verdict: &mut Judged) {
        let count = self.found.statements.list.len();
        let mut all: Vec<u32> = (0..1 << count).collect();
        all.sort_by_key(|mask: &u32| (mask.count_ones(), mask.reverse_bits() ^ u32::MAX));
        let set = |mask: u32| -> Set { (0..count as u32).filter(|n| mask >> n & 1 == 1).collect() };
        let mut each: Vec<Vec<u32>> = vec![];
        for test in 0..self.cases.len() {
            let mut minimal: Vec<u32> = vec![];
            for mask in &all {
                if !minimal.iter().any(|m| m & mask == *m) && self.oracle.check(test, &set(*mask)) == Verdict::Repairs {
                    minimal.push(*mask);
                }
            }
            let wanted: BTreeSet<Set> = minimal.iter().map(|m| set(*m)).collect();
            let sets = &self.found.tests[test].1.found.sets;
            if wanted != sets.iter().cloned().collect() || sets.len() != wanted.len() {
                let wanted: Vec<Set> = wanted.into_iter().collect();
                let (a, b) = (show(self.found, sets), show(self.found, &wanted));
                verdict.wrong.push(format!("t{test}: found {a}\n    all subsets give {b}"));
            }
            each.push(minimal);
        }
        let repairs = |mask: u32| each.iter().all(|minimal| minimal.iter().any(|m| m & mask == *m));
        let mut minimal: Vec<u32> = vec![];
        for mask in all {
            if repairs(mask) && !minimal.iter().any(|m| m & mask == *m) {
                minimal.push(mask);
            }
        }
        let wanted: BTreeSet<Set> = minimal.iter().map(|m| set(*m)).collect();
        if wanted != self.found.complete.sets.iter().cloned().collect() {
            let wanted: Vec<Set> = wanted.into_iter().collect();
            let (a, b) = (show(self.found, &self.found.complete.sets), show(self.found, &wanted));
            verdict.wrong.push(format!("complete: found {a}\n    all subsets give {b}"));
        }
        verdict.counts.push(("with all subsets", 1));
    }

    fn single(&self, test: usize, statement: u32) -> bool {
        self.found.tests[test].1.found.sets.contains(&vec![statement])
    }

    /// One value at all executions of a point.
    fn forced(&mut self, server: &mut Server, verdict: &mut Judged) {
        let all = points(self.session.program());
        // Which points a statement has is read off the program, not off the formula; how often the formula executes
        // them counts only for what it claims itself.
        let mut places: BTreeMap<u32, BTreeMap<u32, usize>> = BTreeMap::new();
        for (number, point) in (0..).zip(&all) {
            let block = &self.session.program().functions[point.function.index()].blocks[point.block.index()];
            let at = point.command.map_or(block.terminator.at, |n| block.commands[n as usize].at);
            let statement = at.and_then(|at| self.found.statements.places.get(&at));
            if let Some(statement) = statement.filter(|_| point.slot != Slot::Address) {
                let instances = self.oracle.unfolding().instances.iter().filter(|i| i.point == Some(number)).count();
                places.entry(*statement).or_default().insert(number, instances);
            }
        }
        let (mut runs, mut repairs, mut flips) = (0, 0, 0);
        for (statement, points) in &places {
            for test in 0..self.cases.len() {
                let mut passing = false;
                for point in points.keys() {
                    let slot = all[*point as usize].slot;
                    let values = if slot == Slot::Condition { 0..=1 } else { VALUES };
                    for value in values {
                        let forced: Vec<Forced> = (0..4 * UNWIND)
                            .map(|occurrence| Forced { point: *point, occurrence, value: value as u64 })
                            .collect();
                        let seen = self.native.run(server, &self.cases[test], &forced, &[]).expect("a run");
                        runs += 1;
                        let passes = seen.passes(&self.cases[test].expected);
                        passing |= passes;
                        // What goes farther than the formula is none of its business.
                        if passes && seen.counts.iter().all(|c| *c < UNWIND) {
                            repairs += 1;
                            if !self.single(test, *statement) {
                                let place = show(self.found, &[vec![*statement]]);
                                verdict
                                    .wrong
                                    .push(format!("t{test}: {value} at {slot:?} of {place} repairs it natively"));
                            }
                        }
                    }
                }
                let once = points.values().sum::<usize>() == 1;
                let condition = points.keys().all(|p| all[*p as usize].slot == Slot::Condition);
                if once && condition && self.single(test, *statement) {
                    flips += 1;
                    if !passing {
                        let place = show(self.found, &[vec![*statement]]);
                        verdict.wrong.push(format!("t{test}: {place} is a diagnosis, but neither way passes natively"));
                    }
                }
            }
        }
        verdict.counts.extend([
            ("runs with forced values", runs),
            ("repairs by force", repairs),
            ("conditions", flips),
        ]);
    }

    /// The values that the formula gives.
    fn evidence(&mut self, server: &mut Server, verdict: &mut Judged) {
        let mut tried = 0;
        for test in 0..self.cases.len() {
            let sets: Vec<Set> = self.found.tests[test].1.found.sets.iter().take(TRIED).cloned().collect();
            for set in sets {
                let Some(evidence) = self.oracle.evidence(test, &set) else {
                    verdict.wrong.push(format!("t{test}: no values for {}", show(self.found, &[set])));
                    continue;
                };
                let instances = &self.oracle.unfolding().instances;
                if evidence.text || evidence.executions.iter().any(|e| instances[e.instance].pointer) {
                    continue;
                }
                let mut occurrences: BTreeMap<u32, u32> = BTreeMap::new();
                let (mut forced, mut globals) = (vec![], vec![]);
                let mut images: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
                for execution in &evidence.executions {
                    let instance = &instances[execution.instance];
                    if let Some(point) = instance.point {
                        let occurrence = occurrences.entry(point).or_default();
                        forced.push(Forced { point, occurrence: *occurrence, value: execution.needed as u64 });
                        *occurrence += 1;
                    } else if let Some((global, _)) = instance.global {
                        // In the order of the offsets, without gaps: there are only numbers and arrays of them.
                        let bytes = &execution.needed.to_le_bytes()[..4];
                        images.entry(global.0).or_default().extend_from_slice(bytes);
                    }
                }
                globals
                    .extend(images.into_iter().map(|(id, bytes)| Input::Global { id, value: InputValue::Bits(bytes) }));
                let seen = self.native.run(server, &self.cases[test], &forced, &globals).expect("a run");
                tried += 1;
                if !seen.passes(&self.cases[test].expected) || seen.applied != forced.len() {
                    let ending = if let Ending::Exited(_) = seen.ending { "ends" } else { "fails" };
                    let set = show(self.found, &[set]);
                    let (all, applied) = (forced.len(), seen.applied);
                    verdict.wrong.push(format!(
                        "t{test}: with the values for {set} it {ending}, {applied} of {all} forced: {forced:?} {globals:?}"
                    ));
                }
            }
        }
        verdict.counts.push(("diagnoses tried", tried));
    }
}

/// Writes programs: one statement on a line, indices always inside, divisors never zero, loops that end.
struct Generator {
    state: u64,
    text: String,
    loops: u32,
    calls: bool,
    pointer: bool,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xd1b5_4a32_d192_ed03;
        Generator { state, text: String::new(), loops: 0, calls: false, pointer: false }
    }

    /// SplitMix64.
    fn below(&mut self, bound: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % bound
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    fn line(&mut self, depth: usize, text: &str) {
        writeln!(self.text, "{}{text}", "  ".repeat(depth)).expect("strings take everything");
    }

    fn constant(&mut self) -> String {
        (self.below(9) as i64 - 2).to_string()
    }

    fn operand(&mut self) -> String {
        match self.below(10) {
            0..=6 => self.pick(&["a", "b", "x", "y", "g"]).into(),
            7 => format!("t[{} & 3]", self.pick(&["a", "b", "x", "y"])),
            8 if self.pointer => "*p".into(),
            _ => self.constant(),
        }
    }

    fn expression(&mut self) -> String {
        let (left, right) = (self.operand(), self.operand());
        match self.below(12) {
            0..=2 => left,
            3..=5 => format!("{left} + {right}"),
            6..=7 => format!("{left} - {right}"),
            8 => format!("{left} * {}", self.below(3) + 2),
            9 => format!("{left} {} {right}", self.pick(&["&", "|", "^"])),
            10 if self.calls => format!("f({left}, {right})"),
            _ => format!("{left} / {}", self.below(2) + 2),
        }
    }

    fn condition(&mut self) -> String {
        let comparison = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let (left, right) = (self.operand(), self.operand());
        match self.below(8) {
            0 => format!("{left} {comparison} {right} && {} > 0", self.operand()),
            1 => format!("{left} {comparison} {right} || {} == 1", self.operand()),
            _ => format!("{left} {comparison} {right}"),
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.below(if depth < 3 { 14 } else { 8 }) {
            0..=4 => {
                let target = self.pick(&["a", "b", "a", "b", "g"]);
                let text = format!("{target} = {};", self.expression());
                self.line(depth, &text);
            }
            5 => {
                let text = format!("{} += {};", self.pick(&["a", "b"]), self.operand());
                self.line(depth, &text);
            }
            6 => {
                let text = format!("t[{} & 3] = {};", self.pick(&["a", "b", "x"]), self.expression());
                self.line(depth, &text);
            }
            7 if self.pointer => {
                let text = match self.below(2) {
                    0 => format!("p = &{};", self.pick(&["a", "b", "t[1]"])),
                    _ => format!("*p = {};", self.expression()),
                };
                self.line(depth, &text);
            }
            7 => {
                let text = format!("b = {} ? {} : {};", self.condition(), self.operand(), self.operand());
                self.line(depth, &text);
            }
            8 => {
                let text = format!("switch ({} & 3) {{", self.operand());
                self.line(depth, &text);
                for label in 0..=self.below(3) {
                    self.line(depth, &format!("case {label}:"));
                    self.block(3.max(depth + 1), 1);
                    if self.below(4) > 0 {
                        self.line(depth + 1, "break;");
                    }
                }
                self.line(depth, "}");
            }
            9..=11 => {
                let text = format!("if ({}) {{", self.condition());
                self.line(depth, &text);
                self.block(depth + 1, 2);
                if self.below(2) == 0 {
                    self.line(depth, "} else {");
                    self.block(depth + 1, 2);
                }
                self.line(depth, "}");
            }
            _ if self.loops > 0 => {
                let text = format!("b = {};", self.expression());
                self.line(depth, &text);
            }
            _ => {
                self.loops += 1;
                let text = format!("for (int i = 0; i < {}; i++) {{", self.below(3) + 1);
                self.line(depth, &text);
                self.block(3.max(depth + 1), 2);
                self.line(depth, "}");
            }
        }
    }

    fn block(&mut self, depth: usize, most: u64) {
        for _ in 0..=self.below(most) {
            self.statement(depth);
        }
    }

    fn program(mut self) -> String {
        self.line(0, "#include <assert.h>\n");
        let text = format!("static int g = {};\n", self.constant());
        self.line(0, &text);
        if self.below(3) == 0 {
            let (operator, constant) = (self.pick(&["+", "-", "|"]), self.constant());
            self.line(0, "static int f(int p, int q) {");
            if self.below(2) == 0 {
                let text = format!("if (p < {})\n    return q;", self.constant());
                self.line(1, &text);
            }
            let text = format!("return p {operator} q + {constant};\n}}\n");
            self.line(1, &text);
            self.calls = true;
        }
        self.line(0, "int start(int x, int y, int want) {");
        let text = format!("int a = {};", self.pick(&["x", "y", "1", "x + y"]));
        self.line(1, &text);
        let text = format!("int b = {};", self.constant());
        self.line(1, &text);
        let text = format!("int t[4] = {{{}, {}, 1, 2}};", self.constant(), self.constant());
        self.line(1, &text);
        if self.below(4) == 0 {
            self.pointer = true;
            self.line(1, "int *p = &b;");
        }
        for _ in 0..1 + self.below(6) {
            self.statement(1);
        }
        let judged = self.pick(&["a == want", "a < want", "a != want", "a + b == want", "a > want && b != want"]);
        let text = format!("assert({judged});");
        self.line(1, &text);
        self.line(1, "return a;\n}");
        self.text
    }
}
