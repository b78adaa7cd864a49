//! `--encoding trace` and `flow-sensitive`: the failing runs themselves, recorded, instead of the whole program.

use super::suite::Case;
use super::{Found, NAME, conflicts_of, coverage, jobs};
use crate::options::{Diagnose as Options, Solving, Whole};
use crate::sources::Sources;
use crate::{UsageError, run};
use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;
use wherefore_diagnose::{Agreement, RunEncoding, RunOracle, corrections, rank, unified};
use wherefore_frontend::{Build, Instrument};
use wherefore_record::{Ending, Run};
use wherefore_solver::Backend;
use wherefore_trace::{GlobalImage, Recorded, Stopped, Trace, walk};

use super::native::Native;
use super::problem::Problem;
use super::search::PerTest;

/// Runs the tests, records those that fail and diagnoses the recordings.
pub fn work(options: &Options, build: &Build, directory: &Path, cases: &[Case]) -> anyhow::Result<Option<Found>> {
    if cases.iter().any(|case| case.expected.stdout.is_some()) {
        let what =
            "the runs themselves are judged by assertions, crashes and the exit status only; use --encoding full";
        return Err(UsageError(what.into()).into());
    }
    let native = Native::new(&build.executable, directory, NAME, &options.run);
    let observed = native.run_all(cases, jobs(options.jobs))?;
    let fails: Vec<bool> = cases.iter().zip(&observed).map(|(case, seen)| !seen.passes(&case.expected)).collect();
    if !fails.contains(&true) {
        return Ok(None);
    }
    let problem = Problem::new(&build.program, &options.run.entry, NAME.as_ref(), cases, &fails);
    let began = Instant::now();
    let recorded = directory.join("recorded");
    std::fs::create_dir_all(&recorded)?;
    let recorder = run::build(&options.run, Instrument::Record, &recorded)?;
    let traces: Vec<Trace> = problem
        .failing
        .iter()
        .map(|(n, ..)| trace(&recorder, &recorded, &cases[*n], options))
        .collect::<anyhow::Result<_>>()?;
    let encoded = began.elapsed();
    let began = Instant::now();
    let mut notes: Vec<String> = build.messages.clone();
    let sources = Sources::new(&build.program, HashMap::new());
    for note in traces.iter().flat_map(|t| &t.notes) {
        let note = format!("{}{}", sources.prefix(note.at), note.message);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    let limits = super::limits(options, began);
    let encoding = match options.encoding {
        Whole::Trace => RunEncoding::Plain,
        _ => RunEncoding::FlowSensitive,
    };
    let backend = match options.backend {
        Solving::Cadical => Backend::Cadical,
        Solving::Z3 => Backend::Z3,
    };
    let places = problem.statements.places.iter().map(|(at, n)| (*at, *n)).collect();
    let count = problem.statements.list.len();
    let mut oracle = RunOracle::new(traces, &places, count, encoding, backend, &limits);
    let per_test: Vec<PerTest> = (0..problem.failing.len())
        .map(|n| PerTest { agreement: Agreement::Same, found: corrections(&mut oracle, n, &limits) })
        .collect();
    let tests: Vec<usize> = (0..per_test.len()).collect();
    let known: Vec<_> = per_test.iter().map(|t| t.found.clone()).collect();
    let complete = unified(&mut oracle, &tests, &known, &limits);
    let sets = complete.sets.iter().map(|set| (set.clone(), per_test.len())).collect();
    let ranked = rank(sets, &coverage(&problem, &observed), |_| None);
    let conflicts = conflicts_of(options, &per_test, &limits);
    Ok(Some(Found {
        tests: problem.failing.iter().map(|t| t.0).zip(per_test).collect(),
        conflicts,
        complete,
        ranked,
        evidence: vec![],
        passing: problem.passing.len(),
        statements: problem.statements,
        fails,
        notes,
        times: [build.compile_time, std::time::Duration::ZERO, encoded, began.elapsed()],
    }))
}

/// The trace of a failing test.
fn trace(build: &Build, directory: &Path, case: &Case, options: &Options) -> anyhow::Result<Trace> {
    let mut stdin = tempfile::NamedTempFile::new_in(directory)?;
    std::io::Write::write_all(&mut stdin, &case.stdin)?;
    let mut run = Run::new(&build.executable);
    run.argv0 = Some(NAME.into());
    run.arguments.clone_from(&case.arguments);
    run.stdin = Some(stdin.path().to_path_buf());
    run.nondet.clone_from(&case.nondet);
    run.inputs.clone_from(&case.inputs);
    run.limits.memory_mib = options.run.memory;
    let outcome = wherefore_record::run(&run, directory)?;
    let Some(recording) = outcome.recording else { anyhow::bail!("the program did not start") };
    let stopped = match outcome.ending {
        Ending::Exited(status) => Stopped::Exit(status),
        Ending::Signal(signal) => Stopped::Signal(signal),
        _ => Stopped::Limit,
    };
    let image = |g: &wherefore_record::GlobalImage| GlobalImage {
        address: g.address,
        size: g.size,
        content: g.content.clone(),
    };
    let recorded = Recorded {
        words: recording.words(),
        globals: recording.globals.iter().map(image).collect(),
        functions: recording.functions.clone(),
        externals: recording.externals.clone(),
        given_globals: vec![],
    };
    Ok(walk(&build.program, &recorded, stopped, case.expected.status)?)
}
