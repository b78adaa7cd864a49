//! A program and its tests, ready to be unfolded.

use super::statements::{self, Statements};
use super::suite::Case;
use crate::UsageError;
use crate::options::Diagnose as Options;
use crate::sources::Sources;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};
use wherefore_program::{FunctionId, GlobalId, Program};
use wherefore_record::{GlobalImage, Input, InputValue, Recording};
use wherefore_unfold::{Expected, Pointer, TestInput};

/// Rounds of a loop beyond what the tests need.
const MARGIN: u32 = 2;
/// Tests that come first in saying how far the program is unfolded.
const FAILING_GUIDES: usize = 24;
/// Passing tests among them.
const PASSING_GUIDES: usize = 8;
/// Terms that a formula may have.
const MAX_TERMS: usize = 30_000_000;

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
    pub fn settings(&self, options: &Options, images: &Recording) -> wherefore_unfold::Options {
        wherefore_unfold::Options {
            entry: self.program.function(&options.run.entry).expect("the build checked it"),
            statements: self.statements.places.iter().map(|(at, n)| (*at, *n)).collect(),
            globals: self.statements.globals.clone(),
            statement_count: self.statements.list.len(),
            images: images.globals.iter().map(|g| g.content.clone()).collect(),
            pointers: pointers(images),
            unwind: options.unwind,
            margin: MARGIN,
            max_terms: MAX_TERMS,
            deadline: Some(Instant::now() + Duration::from_secs_f64(options.run.timeout.min(1e6))),
        }
    }
}

/// The pointers in the images of globals.
fn pointers(images: &Recording) -> Vec<(GlobalId, u64, Pointer)> {
    let mut found = vec![];
    for (number, global) in images.globals.iter().enumerate() {
        for (word, bytes) in global.content.as_deref().unwrap_or(&[]).chunks_exact(8).enumerate() {
            let value = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            let inside = |g: &GlobalImage| (g.address..g.address + g.size).contains(&value);
            let behind = |g: &GlobalImage| g.size > 0 && g.address + g.size == value;
            let function = images.functions.iter().position(|f| *f == value && value != 0);
            // What starts where another global ends is meant rather than the end.
            let globals = &images.globals;
            let target = globals.iter().position(inside).or_else(|| globals.iter().position(behind));
            let pointer = match (function, target) {
                (Some(function), _) => Pointer::Function(FunctionId(function as u32)),
                (None, Some(to)) => {
                    Pointer::Global(GlobalId(to as u32), value.wrapping_sub(images.globals[to].address) as i64)
                }
                (None, None) => continue,
            };
            found.push((GlobalId(number as u32), 8 * word as u64, pointer));
        }
    }
    found
}

/// What a test gives, as the formula sees it.
fn test_input(program: &Program, entry: &str, name: &OsStr, case: &Case) -> anyhow::Result<TestInput> {
    let function = program.function(entry).expect("the build checked it");
    let params = &program.functions[function.index()].params;
    let mut input = TestInput {
        arguments: std::iter::once(name)
            .chain(case.arguments.iter().map(|a| a.as_os_str()))
            .map(|a| a.as_bytes().to_vec())
            .collect(),
        stdin: case.stdin.clone(),
        nondet: case.nondet.clone(),
        parameters: vec![0; params.len()],
        globals: vec![],
    };
    for given in &case.inputs {
        match given {
            Input::Argument { index, value: InputValue::Bits(bytes) } => {
                let value = bytes.iter().rev().fold(0u128, |v, b| v << 8 | u128::from(*b));
                if let Some(parameter) = input.parameters.get_mut(*index as usize) {
                    *parameter = value;
                }
            }
            Input::Global { id, value: InputValue::Bits(bytes) } => input.globals.push((GlobalId(*id), bytes.clone())),
            Input::Argument { .. } | Input::Global { .. } => {
                let what = format!("{}: a text cannot be given to a parameter or global in a diagnosis", case.name);
                return Err(UsageError(what).into());
            }
        }
    }
    Ok(input)
}
