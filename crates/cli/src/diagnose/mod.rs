//! `wherefore diagnose`: run the tests, unfold the program, enumerate, rank, report.

mod native;
mod statements;
mod suite;

use crate::options::{Diagnose as Options, Whole};
use crate::sources::Sources;
use crate::{Status, UsageError, run};
use native::{Native, Observed};
use statements::Statements;
use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use suite::Case;
use wherefore_diagnose::{Enumeration, FormulaOracle, Limits, conflicts, corrections, product, unified};
use wherefore_program::{FunctionId, GlobalId, Program};
use wherefore_record::{Ending, Input, InputValue, Recording};
use wherefore_solver::Backend;
use wherefore_unfold::{Expected, Pointer, TestInput, unfold};

/// Find the smallest sets of statements whose change repairs all failing tests.
pub fn diagnose(options: &Options) -> anyhow::Result<Status> {
    if options.encoding != Whole::Full {
        return Err(UsageError("only --encoding full is there yet".into()).into());
    }
    let temporary = tempfile::Builder::new().prefix("wherefore").tempdir_in(run::scratch())?;
    let build = run::build(&options.run, temporary.path())?;
    let program = &build.program;
    let sources = Sources::new(program, HashMap::new());
    let mut cases = match &options.tests {
        Some(path) => suite::read_all(program, &options.run.entry, path, options.expect.as_deref())?,
        None => vec![suite::single(program, &options.run, &options.wanted)?],
    };
    let name = OsString::from("program");
    let native = Native::new(&build.executable, temporary.path(), name.clone(), &options.run);
    if !options.reference.is_empty() {
        expect_reference(options, &mut cases)?;
    }
    let mut images: Option<Recording> = None;
    let mut observed: Vec<Observed> = vec![];
    for case in &cases {
        let (seen, recording) = native.run(case)?;
        observed.push(seen);
        images = images.or(recording);
    }
    let failing: Vec<usize> = (0..cases.len()).filter(|n| !observed[*n].passes(&cases[*n].expected)).collect();
    eprintln!("{} of {} tests fail", failing.len(), cases.len());
    if failing.is_empty() {
        return Ok(Status::NoFailure);
    }
    let images = images.ok_or_else(|| anyhow::anyhow!("the program did not start"))?;
    let statements = statements::collect(program, &sources);
    let settings = settings(program, options, &statements, &images)?;
    let tests: Vec<(TestInput, Expected)> =
        failing.iter().map(|n| (test_input(program, &options.run.entry, &name, &cases[*n]), cases[*n].expected.clone())).collect();
    let inputs: Vec<TestInput> = tests.iter().map(|t| t.0.clone()).collect();
    let began = std::time::Instant::now();
    let unfolding = unfold(program, &settings, &inputs)?;
    eprintln!("unfolded: {} terms, {} instances, {:?}", unfolding.terms.len(), unfolding.instances.len(), began.elapsed());
    for note in &unfolding.notes {
        eprintln!("note: {}{}", sources.prefix(note.at), note.message);
    }
    let mut oracle = FormulaOracle::new(unfolding, Backend::Cadical, &tests);
    for (n, test) in failing.iter().enumerate() {
        let seen = &observed[*test];
        let expected = match seen.ending {
            Ending::Exited(status) => Some(Expected { stdout: Some(seen.stdout.clone()), status: Some(status) }),
            _ => None,
        };
        let agreement = oracle.agree(n, &tests[n].0, expected.as_ref());
        if agreement != wherefore_diagnose::Agreement::Same {
            eprintln!("{}: {agreement:?}", cases[*test].name);
        }
    }
    let limits = Limits { max_size: options.max_size, max_sets: Some(options.limit), ..Limits::default() };
    let began = std::time::Instant::now();
    let mut all: Vec<Enumeration> = vec![];
    for n in 0..failing.len() {
        let found = corrections(&mut oracle, n, &limits);
        all.push(found);
    }
    eprintln!("per test: {:?}", began.elapsed());
    let lines = |set: &Vec<u32>| set.iter().map(|s| statements.list[*s as usize].at.line.to_string()).collect::<Vec<_>>().join(",");
    for (n, found) in all.iter().enumerate().take(1) {
        let sets: Vec<String> = found.sets.iter().take(40).map(|s| format!("{{{}}}", lines(s))).collect();
        println!("{}: {} ({:?})", cases[failing[n]].name, sets.join(" "), found.incomplete);
        let muses = conflicts(&found.sets, &limits);
        let sets: Vec<String> = muses.sets.iter().take(10).map(|s| format!("{{{}}}", lines(s))).collect();
        println!("   conflicts: {}", sets.join(" "));
    }
    let began = std::time::Instant::now();
    let together: Vec<usize> = (0..failing.len()).collect();
    let complete = match options.combine {
        crate::options::Combine::Unified => unified(&mut oracle, &together, &all, &limits),
        crate::options::Combine::Product => product(&all.iter().map(|e| e.sets.clone()).collect::<Vec<_>>(), &limits),
    };
    eprintln!("unified: {:?}", began.elapsed());
    let began = std::time::Instant::now();
    let passing: Vec<(TestInput, Expected)> = (0..cases.len())
        .filter(|n| !failing.contains(n))
        .map(|n| (test_input(program, &options.run.entry, &name, &cases[n]), cases[n].expected.clone()))
        .collect();
    eprintln!("passing: {:?}", began.elapsed());
    for set in complete.sets.iter().take(30) {
        let c = if let [one] = set[..] { Some(wherefore_diagnose::consistency(&mut oracle, one, &tests, &passing)) } else { None };
        println!("complete: {{{}}} {c:?}", lines(set));
    }
    eprintln!("consistency: {:?}", began.elapsed());
    Ok(Status::Explained)
}

/// What a correct version does is expected.
fn expect_reference(options: &Options, cases: &mut [Case]) -> anyhow::Result<()> {
    let temporary = tempfile::Builder::new().prefix("wherefore").tempdir_in(run::scratch())?;
    let mut settings = options.run.clone();
    settings.program.clone_from(&options.reference);
    let build = run::build(&settings, temporary.path())?;
    let native = Native::new(&build.executable, temporary.path(), "program".into(), &options.run);
    for case in cases {
        let (seen, _) = native.run(case)?;
        match seen.ending {
            Ending::Exited(status) => case.expected = Expected { stdout: Some(seen.stdout), status: Some(status) },
            _ => anyhow::bail!("{}: the reference program fails", case.name),
        }
    }
    Ok(())
}

fn settings(
    program: &Program,
    options: &Options,
    statements: &Statements,
    images: &Recording,
) -> anyhow::Result<wherefore_unfold::Options> {
    let entry = program.function(&options.run.entry).expect("the build checked it");
    Ok(wherefore_unfold::Options {
        entry,
        statements: statements.places.iter().map(|(at, n)| (*at, *n)).collect(),
        globals: statements.globals.clone(),
        statement_count: statements.list.len(),
        images: images.globals.iter().map(|g| g.content.clone()).collect(),
        pointers: pointers(images),
        unwind: options.unwind,
        margin: 2,
        max_terms: 20_000_000,
    })
}

/// The pointers in the images of globals.
fn pointers(images: &Recording) -> Vec<(GlobalId, u64, Pointer)> {
    let mut found = vec![];
    for (number, global) in images.globals.iter().enumerate() {
        for (word, bytes) in global.content.as_deref().unwrap_or(&[]).chunks_exact(8).enumerate() {
            let value = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            if value < 4096 {
                continue;
            }
            let inside = |g: &&wherefore_record::GlobalImage| g.address <= value && value <= g.address + g.size && g.size > 0;
            let function = images.functions.iter().position(|f| *f == value);
            let target = images.globals.iter().position(|g| inside(&g));
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

fn test_input(program: &Program, entry: &str, name: &OsString, case: &Case) -> TestInput {
    let function = program.function(entry).expect("the build checked it");
    let params = &program.functions[function.index()].params;
    let number = |value: &InputValue| match value {
        InputValue::Bits(bytes) => bytes.iter().rev().fold(0u128, |v, b| v << 8 | u128::from(*b)),
        InputValue::Text(_) => 0,
    };
    let mut input = TestInput {
        arguments: std::iter::once(name).chain(&case.arguments).map(|a| a.as_bytes().to_vec()).collect(),
        stdin: case.stdin.clone(),
        nondet: case.nondet.clone(),
        parameters: vec![0; params.len()],
        globals: vec![],
    };
    for given in &case.inputs {
        match given {
            Input::Argument { index, value } => input.parameters[*index as usize] = number(value),
            Input::Global { id, value: InputValue::Bits(bytes) } => input.globals.push((GlobalId(*id), bytes.clone())),
            Input::Global { .. } => {}
        }
    }
    input
}

