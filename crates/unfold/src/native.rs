//! For tests: the formula of a C text beside its native runs.

use crate::{Image, Observation, Options, TestInput, Unfolding, pointers, unfold};
use rustc_hash::FxHashMap;
use wherefore_budget::Budget;
use wherefore_fixtures::Fixture;
use wherefore_program::{Origin, Program};
use wherefore_record::Ending;

/// A built program and what unfolding it needs.
pub struct Native {
    fixture: Fixture,
    pub options: Options,
}

/// A test that gives standard input only.
pub fn stdin(bytes: &[u8]) -> TestInput {
    TestInput { arguments: vec![b"program".to_vec()], stdin: bytes.to_vec(), ..TestInput::default() }
}

impl Native {
    pub fn new(source: &str) -> Native {
        let fixture = Fixture::new(source);
        let recording = fixture.run(&[]).recording;
        let image =
            |g: &wherefore_record::GlobalImage| Image { address: g.address, size: g.size, content: g.content.clone() };
        let globals: Vec<Image> = recording.globals.iter().map(image).collect();
        let options = Options {
            entry: fixture.program().function("main").expect("a main function"),
            statements: FxHashMap::default(),
            globals: vec![None; fixture.program().globals.len()],
            statement_count: 0,
            pointers: pointers(&globals, &recording.functions),
            images: globals.into_iter().map(|g| g.content).collect(),
            unwind: None,
            margin: 2,
            max_terms: 1_000_000,
            budget: Budget::unlimited(),
        };
        Native { fixture, options }
    }

    pub fn program(&self) -> &Program {
        self.fixture.program()
    }

    /// Makes every command of a line a soft statement.
    pub fn soften(&mut self, line: u32) {
        let number = self.options.statement_count as u32;
        let places = self
            .fixture
            .program()
            .functions
            .iter()
            .flat_map(|f| &f.blocks)
            .flat_map(|b| b.commands.iter().filter_map(|c| c.at).chain(b.terminator.at));
        let places: Vec<Origin> = places.filter(|at| at.line == line).collect();
        assert!(!places.is_empty(), "there is a statement in line {line}");
        self.options.statements.extend(places.into_iter().map(|at| (at, number)));
        self.options.statement_count += 1;
    }

    pub fn unfold(&self, tests: &[TestInput]) -> Unfolding {
        unfold(self.program(), &self.options, tests).expect("it is small")
    }

    /// What a native run writes and returns.
    pub fn run(&self, input: &TestInput) -> (Vec<u8>, i32) {
        let ran = self.fixture.run_on(&input.stdin, &[]);
        let Ending::Exited(status) = ran.ending else { panic!("natively {:?}", ran.ending) };
        (ran.stdout, status)
    }
}

/// What the formula says that a run does.
pub fn does(unfolding: &Unfolding, input: &TestInput) -> Option<Observation> {
    unfolding.observe(&mut unfolding.evaluation(input))
}

/// What the formula says that a run writes.
#[track_caller]
pub fn writes(unfolding: &Unfolding, input: &TestInput) -> String {
    match does(unfolding, input) {
        Some(Observation::Ends { stdout, .. }) => String::from_utf8_lossy(&stdout).into_owned(),
        Some(Observation::Fails(number)) => panic!("{:?} fails: {}", input.stdin, unfolding.failures[number].what),
        None => panic!("what {:?} does is open: {:?}", input.stdin, unfolding.notes),
    }
}

/// The failure that the formula sees.
#[track_caller]
pub fn fails<'a>(unfolding: &'a Unfolding, input: &TestInput) -> &'a str {
    match does(unfolding, input) {
        Some(Observation::Fails(number)) => &unfolding.failures[number].what,
        other => panic!("{:?} does not fail: {other:?}", input.stdin),
    }
}

/// The formula of a program writes what its native run writes, for all these inputs; some of them guide it.
#[track_caller]
pub fn agrees(source: &str, inputs: &[&[u8]]) {
    let native = Native::new(source);
    let tests: Vec<TestInput> = inputs.iter().map(|bytes| stdin(bytes)).collect();
    let unfolding = native.unfold(&tests);
    for test in &tests {
        let (stdout, status) = native.run(test);
        let expected = Observation::Ends { stdout, status };
        assert_eq!(does(&unfolding, test), Some(expected), "{:?}, {:?}", test.stdin, unfolding.notes);
    }
}

/// Numbers that look random and are always the same.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}
