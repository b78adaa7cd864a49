//! Programs that are built and searched.

// Each test file uses its part.
#![allow(dead_code)]

use wherefore_case::{Expected, Given};
use wherefore_fixtures::Fixture;
use wherefore_record as record;
use wherefore_search::{Chosen, Found, Limits, Subject, Tried, search};

/// A program that has been built.
pub struct Built {
    fixture: Fixture,
    entry: &'static str,
}

impl Built {
    pub fn new(source: &str, entry: &'static str) -> Built {
        Built { fixture: Fixture::with_entry(source, entry), entry }
    }

    /// How a run with some inputs ends.
    pub fn run(&self, inputs: &[record::Input]) -> record::Ending {
        let mut run = record::Run::new(self.fixture.executable());
        run.inputs = inputs.to_vec();
        record::run(&run, self.fixture.directory()).expect("it runs").ending
    }

    pub fn search(&self, limits: &Limits) -> Found {
        self.search_stopping(limits, None)
    }

    /// The same, where one of the runs is stopped before it has begun.
    pub fn search_stopping(&self, limits: &Limits, unbegun: Option<usize>) -> Found {
        let program = self.fixture.program();
        let subject = Subject {
            program,
            entry: program.function(self.entry).expect("the entry"),
            fixed: vec![],
            globals: vec![],
            nondet: vec![],
            stdin: false,
            arguments: vec![],
            expected: Expected::default(),
        };
        let mut runs = 0;
        let mut runner = |given: &Given, patience: u32| {
            runs += 1;
            let mut run = record::Run::new(self.fixture.executable());
            run.inputs.clone_from(&given.inputs);
            run.nondet.clone_from(&given.nondet);
            run.limits.recording_mib = 1 << (2 * patience);
            run.limits.time = std::time::Duration::from_secs(2);
            let outcome = record::run(&run, self.fixture.directory())?;
            Ok(match unbegun == Some(runs) {
                true => record::Outcome { ending: record::Ending::TimedOut, recording: None, ..outcome },
                false => outcome,
            })
        };
        let mut told = 0;
        let found = search(&subject, &mut runner, limits, &mut |p| told = p.statistics.runs).expect("the search runs");
        assert_eq!((found.statistics.runs, told), (runs, runs));
        assert!(found.failing.iter().all(|c| c.failure.is_some()) && found.passing.iter().all(|c| c.failure.is_none()));
        found
    }
}

/// The values of the inputs, as signed numbers.
pub fn values(case: &Tried) -> Vec<i128> {
    let signed = |c: &Chosen| {
        let unused = 128 - c.form.bits();
        ((c.bits << unused) as i128) >> unused
    };
    case.chosen.iter().map(signed).collect()
}
