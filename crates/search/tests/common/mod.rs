//! Programs that are built and searched.

// Each test file uses its part.
#![allow(dead_code)]

use std::path::PathBuf;
use tempfile::TempDir;
use wherefore_frontend as frontend;
use wherefore_record as record;
use wherefore_search::{Case, Chosen, Found, Given, Limits, Subject, search};

/// A program that has been built.
pub struct Built {
    directory: TempDir,
    build: frontend::Build,
    entry: &'static str,
}

impl Built {
    pub fn new(source: &str, entry: &'static str) -> Built {
        let directory = tempfile::tempdir().expect("a directory");
        let file: PathBuf = directory.path().join("prog.c");
        std::fs::write(&file, source).expect("a file is written");
        let options = frontend::Options {
            entry: entry.into(),
            instrument: frontend::Instrument::Record,
            clang_args: vec![],
            runtime_object: record::RUNTIME_OBJECT.to_vec(),
            budget: Default::default(),
        };
        let build = frontend::build(&[file], &options, directory.path()).expect("the program is built");
        Built { directory, build, entry }
    }

    pub fn search(&self, limits: &Limits) -> Found {
        let program = &self.build.program;
        let subject = Subject {
            program,
            entry: program.function(self.entry).expect("the entry"),
            fixed: vec![],
            globals: vec![],
            nondet: vec![],
            stdin: false,
            arguments: vec![],
            expected_status: None,
        };
        let mut runs = 0;
        let mut runner = |given: &Given| {
            runs += 1;
            let mut run = record::Run::new(&self.build.executable);
            run.inputs.clone_from(&given.inputs);
            run.nondet.clone_from(&given.nondet);
            run.limits.recording_mib = 4;
            record::run(&run, self.directory.path())
        };
        let mut told = 0;
        let found = search(&subject, &mut runner, limits, &mut |p| told = p.statistics.runs).expect("the search runs");
        assert_eq!((found.statistics.runs, told), (runs, runs));
        assert!(found.failing.iter().all(|c| c.failure.is_some()) && found.passing.iter().all(|c| c.failure.is_none()));
        found
    }
}

/// The values of the inputs, as signed numbers.
pub fn values(case: &Case) -> Vec<i128> {
    let signed = |c: &Chosen| {
        let unused = 128 - c.form.bits();
        ((c.bits << unused) as i128) >> unused
    };
    case.chosen.iter().map(signed).collect()
}
