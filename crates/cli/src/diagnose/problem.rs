//! A program and its tests, ready to be unfolded.

use super::statements::{self, Statements};
use crate::UsageError;
use crate::options::Diagnose as Options;
use crate::sources::Sources;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use wherefore_budget::Budget;
use wherefore_case::{Case, Expected};
use wherefore_program::Program;
use wherefore_record::{GlobalImage, Recording};
use wherefore_unfold::{Image, TERM_BYTES, TestInput, pointers};

/// Rounds of a loop beyond what the tests need.
const MARGIN: u32 = 2;
/// Tests that come first in saying how far the program is unfolded.
const FAILING_GUIDES: usize = 24;
/// Passing tests among them.
const PASSING_GUIDES: usize = 8;
/// Terms that a formula may have where memory has no end.
const MAX_TERMS: u64 = 30_000_000;

/// What there is to diagnose.
pub struct Problem<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its source.
    pub sources: Sources,
    /// What may be at fault.
    pub statements: Statements,
    /// Failing tests, by their numbers among all, with what they give and expect.
    pub failing: Vec<(usize, TestInput, Expected)>,
    /// Tests that did not end, by their numbers.
    pub endless: Vec<usize>,
    /// Passing tests likewise.
    pub passing: Vec<(usize, TestInput, Expected)>,
}

impl<'a> Problem<'a> {
    /// A program with tests of which some fail.
    pub fn new(
        program: &'a Program,
        entry: &str,
        name: &OsStr,
        cases: &[Case],
        fails: &[bool],
    ) -> anyhow::Result<Problem<'a>> {
        let sources = Sources::new(program, HashMap::new());
        let statements = statements::collect(program, &sources);
        let (mut failing, mut passing) = (vec![], vec![]);
        for (n, case) in cases.iter().enumerate() {
            let test = (n, test_input(program, entry, name, case)?, case.expected.clone());
            if fails[n] { failing.push(test) } else { passing.push(test) }
        }
        Ok(Problem { program, sources, statements, failing, endless: vec![], passing })
    }

    /// Inputs that say how far the program is unfolded: failing tests, and some passing ones, which go on where failing
    /// ones end.
    pub fn guides(&self) -> Vec<TestInput> {
        let step = self.passing.len().div_ceil(PASSING_GUIDES).max(1);
        let passing = self.passing.iter().step_by(step);
        // A run that does not end would be followed without end.
        let failing: Vec<_> = self.failing.iter().filter(|(n, ..)| !self.endless.contains(n)).collect();
        let (first, rest) = failing.split_at(failing.len().min(FAILING_GUIDES));
        let all = first.iter().copied().chain(passing).chain(rest.iter().copied());
        all.map(|(_, input, _)| input.clone()).collect()
    }

    /// How the program is unfolded.
    pub fn settings(&self, options: &Options, images: &Recording, budget: &Budget) -> wherefore_unfold::Options {
        let image = |g: &GlobalImage| Image { address: g.address, size: g.size, content: g.content.clone() };
        let globals: Vec<Image> = images.globals.iter().map(image).collect();
        wherefore_unfold::Options {
            entry: self.program.function(&options.run.entry).expect("the build checked it"),
            statements: self.statements.places.iter().map(|(at, n)| (*at, *n)).collect(),
            globals: self.statements.globals.clone(),
            statement_count: self.statements.list.len(),
            pointers: pointers(&globals, &images.functions),
            images: globals.into_iter().map(|g| g.content).collect(),
            unwind: options.unwind,
            margin: MARGIN,
            max_terms: budget.room_left().map_or(MAX_TERMS, |bytes| bytes / TERM_BYTES) as usize,
            budget: budget.clone(),
        }
    }
}

/// What a test gives, as the formula sees it.
fn test_input(program: &Program, entry: &str, name: &OsStr, case: &Case) -> anyhow::Result<TestInput> {
    let entry = program.function(entry).expect("the build checked it");
    let input = TestInput::new(&case.given, program, entry, name.as_bytes());
    Ok(input.map_err(|what| UsageError(format!("{}: {what}", case.name)))?)
}
