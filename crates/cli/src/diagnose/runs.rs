//! `--encoding trace` and `flow-sensitive`: the failing runs themselves, recorded, instead of the whole program.

use super::whole::{conflicts_of, coverage};
use super::{Found, jobs, test_time, tested};
use crate::UsageError;
use crate::options::{Diagnose as Options, Whole};
use crate::sources::Sources;
use std::collections::HashMap;
use std::time::Instant;
use wherefore_budget::Budget;
use wherefore_case::Case;
use wherefore_diagnose::{Agreement, Enumeration, PerTest, RunEncoding, RunOracle, corrections, rank, unified};
use wherefore_session::{NAME, Native, Session};
use wherefore_trace::Trace;

use super::problem::Problem;

/// Runs the tests, records those that fail and diagnoses the recordings.
pub fn work(options: &Options, session: &Session, cases: &[Case], budget: &Budget) -> anyhow::Result<Option<Found>> {
    if cases.iter().any(|case| case.expected.stdout.is_some()) {
        let what =
            "the runs themselves are judged by assertions, crashes and the exit status only; use --encoding full";
        return Err(UsageError(what.into()).into());
    }
    let native = Native::new(session, test_time(options))?;
    let observed = native.run_all(cases, jobs(options.jobs))?;
    let fails: Vec<bool> = cases.iter().zip(&observed).map(|(case, seen)| !seen.passes(&case.expected)).collect();
    if !fails.contains(&true) {
        return Ok(None);
    }
    let problem = Problem::new(session.program(), &options.run.entry, NAME.as_ref(), cases, &fails)?;
    let began = Instant::now();
    let traces: Vec<Trace> = problem
        .failing
        .iter()
        .map(|(n, ..)| tested::trace(session, &cases[*n], false, budget))
        .collect::<anyhow::Result<_>>()?;
    let encoded = began.elapsed();
    let began = Instant::now();
    let mut notes: Vec<String> = session.messages().to_vec();
    let sources = Sources::new(session.program(), HashMap::new());
    for note in traces.iter().flat_map(|t| &t.notes) {
        let note = format!("{}{}", sources.prefix(note.at), note.message);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    let limits = super::limits(options, budget);
    let encoding = match options.encoding {
        Whole::Trace => RunEncoding::Plain,
        _ => RunEncoding::FlowSensitive,
    };
    // A run that was recorded another time may end in another way.
    let failing: Vec<bool> = traces.iter().map(|t| t.failure.is_some()).collect();
    let places = problem.statements.places.iter().map(|(at, n)| (*at, *n)).collect();
    let count = problem.statements.list.len();
    let mut oracle = RunOracle::new(traces, &places, count, encoding, options.backend.into(), &limits);
    let per_test: Vec<PerTest> = (0..problem.failing.len())
        .map(|n| match failing[n] {
            true => PerTest { agreement: Agreement::Same, found: corrections(&mut oracle, n, &limits) },
            false => PerTest { agreement: Agreement::Different, found: Enumeration::default() },
        })
        .collect();
    notes.extend(super::disagreements(&problem, cases, &per_test));
    let tests: Vec<usize> = (0..per_test.len()).filter(|n| failing[*n]).collect();
    let known: Vec<_> = tests.iter().map(|n| per_test[*n].found.clone()).collect();
    let complete = unified(&mut oracle, &tests, &known, &limits);
    let sets = complete.sets.iter().map(|set| (set.clone(), tests.len())).collect();
    let ranked = rank(sets, &coverage(&problem, &observed), 0, |_| None);
    let conflicts = conflicts_of(options, &per_test, &limits);
    Ok(Some(Found {
        tests: problem.failing.iter().map(|t| t.0).zip(per_test).collect(),
        conflicts,
        complete,
        ranked,
        evidence: vec![],
        passing: problem.passing.len(),
        judged: 0,
        doubts: super::doubts::of_runs(),
        formula: true,
        statements: problem.statements,
        endless: super::endless(&observed),
        fails,
        notes,
        times: [session.compile_time(), std::time::Duration::ZERO, encoded, began.elapsed()],
    }))
}
