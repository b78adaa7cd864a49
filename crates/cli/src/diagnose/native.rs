//! Tests run natively: what happened, and whether that is a failure.

use super::suite::Case;
use crate::options;
use std::path::Path;
use std::time::Duration;
use wherefore_budget::Budget;
use wherefore_parallel::try_parallel;
use wherefore_record::{Ending, Forced, Input, Recording, Run, RunLimits, Server};
use wherefore_unfold::Expected;

/// What a test did.
#[derive(Clone, Debug)]
pub struct Observed {
    /// How it ended.
    pub ending: Ending,
    /// What it wrote.
    pub stdout: Vec<u8>,
    /// How often each block was executed, by its number.
    pub counts: Vec<u32>,
    /// How many values were forced.
    pub applied: usize,
    /// Whether it was stopped because its input is not one of the program's.
    pub assumption_violated: bool,
}

impl Observed {
    /// Whether this is what was expected.
    pub fn passes(&self, expected: &Expected) -> bool {
        let Ending::Exited(status) = self.ending else { return false };
        self.assumption_violated
            || expected.status.is_none_or(|wanted| wanted == status)
                && expected.stdout.as_ref().is_none_or(|wanted| *wanted == self.stdout)
    }
}

/// An executable that runs tests.
pub struct Native<'a> {
    executable: &'a Path,
    directory: &'a Path,
    name: &'static str,
    limits: RunLimits,
}

impl<'a> Native<'a> {
    /// Runs an executable that knows itself by a name.
    pub fn new(
        executable: &'a Path,
        directory: &'a Path,
        name: &'static str,
        options: &options::Run,
        budget: &Budget,
    ) -> Native<'a> {
        let limits = RunLimits {
            // One test of many: what takes longer is taken to hang.
            time: Duration::from_secs_f64((options.timeout / 20.0).clamp(0.5, 5.0)),
            memory_mib: options.memory,
            recording_mib: 1,
            budget: budget.clone(),
            ..RunLimits::default()
        };
        Native { executable, directory, name, limits }
    }

    /// A process that runs tests one after the other.
    pub fn server(&self) -> anyhow::Result<Server> {
        Ok(Server::start(self.executable, &self.limits)?)
    }

    /// Runs one test, some values and globals forced.
    pub fn run(
        &self,
        server: &mut Server,
        case: &Case,
        forced: &[Forced],
        globals: &[Input],
    ) -> anyhow::Result<Observed> {
        let inputs: Vec<Input> = case.inputs.iter().chain(globals).cloned().collect();
        let outcome = server.run(&wherefore_record::Case {
            arguments: &case.arguments,
            argv0: Some(self.name.as_ref()),
            stdin: Some(&case.stdin),
            nondet: &case.nondet,
            inputs: &inputs,
            forced,
        })?;
        Ok(Observed {
            ending: outcome.ending,
            stdout: outcome.stdout.kept,
            counts: outcome.counts,
            applied: outcome.applied,
            assumption_violated: outcome.assumption_violated,
        })
    }

    /// Runs all tests on several servers.
    pub fn run_all(&self, cases: &[Case], jobs: usize) -> anyhow::Result<Vec<Observed>> {
        let jobs = jobs.clamp(1, cases.len().div_ceil(50).max(1));
        let one = |server: &mut Server, _: usize, case: &Case| {
            self.limits.budget.check()?;
            self.run(server, case, &[], &[])
        };
        try_parallel(cases, jobs, || self.server(), one)
    }

    /// Addresses and contents of what the program has at its start.
    pub fn tables(&self) -> anyhow::Result<Recording> {
        let mut run = Run::new(self.executable);
        run.argv0 = Some(self.name.into());
        run.limits = self.limits.clone();
        let outcome = wherefore_record::run(&run, self.directory)?;
        outcome.recording.ok_or_else(|| anyhow::anyhow!("the program did not start"))
    }
}
