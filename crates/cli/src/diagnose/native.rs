//! Tests run natively: what happened, and whether that is a failure.

use super::suite::Case;
use crate::options;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use wherefore_record::{Ending, Recording, Run};
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
}

impl Observed {
    /// Whether this is what was expected.
    pub fn passes(&self, expected: &Expected) -> bool {
        let Ending::Exited(status) = self.ending else { return false };
        expected.status.is_none_or(|wanted| wanted == status)
            && expected.stdout.as_ref().is_none_or(|wanted| *wanted == self.stdout)
    }
}

/// An executable that runs tests.
pub struct Native<'a> {
    executable: &'a Path,
    directory: &'a Path,
    name: OsString,
    time: Duration,
    memory_mib: u64,
}

impl<'a> Native<'a> {
    /// Runs an executable that knows itself by a name.
    pub fn new(executable: &'a Path, directory: &'a Path, name: OsString, options: &options::Run) -> Native<'a> {
        let time = Duration::from_secs_f64(options.timeout.min(10.0));
        Native { executable, directory, name, time, memory_mib: options.memory }
    }

    /// Runs all tests. Also the tables of the program, from any of the runs.
    pub fn run_all(&self, cases: &[Case]) -> anyhow::Result<(Vec<Observed>, Recording)> {
        let mut observed = vec![];
        let mut tables = None;
        for case in cases {
            let (seen, recording) = self.run(case)?;
            observed.push(seen);
            tables = tables.or(recording);
        }
        Ok((observed, tables.ok_or_else(|| anyhow::anyhow!("the program did not start"))?))
    }

    /// Runs a test; its recording has the program's tables.
    fn run(&self, case: &Case) -> anyhow::Result<(Observed, Option<Recording>)> {
        let mut stdin = tempfile::NamedTempFile::new_in(self.directory)?;
        std::io::Write::write_all(&mut stdin, &case.stdin)?;
        let mut run = Run::new(self.executable);
        run.argv0 = Some(self.name.clone());
        run.arguments.clone_from(&case.arguments);
        run.stdin = Some(stdin.path().to_path_buf());
        run.nondet.clone_from(&case.nondet);
        run.inputs.clone_from(&case.inputs);
        run.limits.time = self.time;
        run.limits.memory_mib = self.memory_mib;
        run.limits.recording_mib = 1;
        let outcome = wherefore_record::run(&run, self.directory)?;
        let observed = Observed { ending: outcome.ending, stdout: outcome.stdout.kept, counts: vec![] };
        Ok((observed, outcome.recording))
    }
}
