//! Tests run natively: what happened, and whether that is a failure.

use crate::Session;
use std::path::Path;
use std::time::Duration;
use wherefore_case::{Case, Expected, Input};
use wherefore_frontend::Executable;
use wherefore_parallel::try_parallel;
use wherefore_record::{Ending, Error, Forced, Recording, Run, RunLimits, Server, Task, Trial, Wanted};

/// What a test did.
#[derive(Clone, PartialEq, Eq, Debug)]
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
    /// Whether it came to an end by itself.
    pub fn has_ended(&self) -> bool {
        matches!(self.ending, Ending::Exited(_) | Ending::Signal(_))
    }

    /// Whether this is what was expected.
    pub fn passes(&self, expected: &Expected) -> bool {
        let Ending::Exited(status) = self.ending else { return false };
        self.assumption_violated
            || expected.status.is_none_or(|wanted| wanted == status)
                && expected.stdout.as_ref().is_none_or(|wanted| *wanted == self.stdout)
    }
}

/// More tests than this are run in turn in one process where they pass, so many of them in a process of their own as well;
/// and how many are run in turn.
const MANY: usize = 100;
const APART: usize = 40;
const IN_TURN: usize = 500;

/// The name by which a tested program knows itself.
pub const NAME: &str = "program";

/// A program that runs tests.
pub struct Native<'a> {
    executable: &'a Path,
    directory: &'a Path,
    /// Which points can be given values.
    pub forceable: &'a [bool],
    limits: RunLimits,
}

impl<'a> Native<'a> {
    /// Runs the tests of a program, each of which may take so long: it is one of many, and what takes longer hangs.
    ///
    /// # Errors
    /// When there is no executable.
    pub fn new(session: &'a Session, time: Duration) -> Result<Native<'a>, wherefore_frontend::Error> {
        Ok(Native::of(session.replayed()?, session.directory(), session.limits(time, 1)))
    }

    /// The same of an executable that is made to be replayed.
    pub(crate) fn of(executable: &'a Executable, directory: &'a Path, limits: RunLimits) -> Native<'a> {
        Native { executable: &executable.path, directory, forceable: &executable.forceable, limits }
    }

    /// A process that runs tests one after the other.
    ///
    /// # Errors
    /// When it does not start.
    pub fn server(&self) -> Result<Server, Error> {
        Server::start(self.executable, &self.limits)
    }

    /// Runs one test, some values and globals forced.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn run(
        &self,
        server: &mut Server,
        case: &Case,
        forced: &[Forced],
        globals: &[Input],
    ) -> Result<Observed, Error> {
        let inputs: Vec<Input> = case.given.inputs.iter().chain(globals).cloned().collect();
        let task = Task { argv0: Some(NAME.as_ref()), inputs: &inputs, forced, ..Task::from(&case.given) };
        let outcome = server.run(&task)?;
        Ok(Observed {
            ending: outcome.ending,
            stdout: outcome.stdout.kept,
            counts: outcome.counts,
            applied: outcome.applied,
            assumption_violated: outcome.assumption_violated,
        })
    }

    /// Runs all tests on several servers. Of many tests those that pass share a process, as long as some of them are seen to
    /// do the same in a process of their own.
    ///
    /// # Errors
    /// When one cannot be run, or the budget is over.
    pub fn run_all(&self, cases: &[Case], jobs: usize) -> Result<Vec<Observed>, Error> {
        let jobs = jobs.clamp(1, cases.len().div_ceil(50).max(1));
        let mut known: Vec<Option<Observed>> = vec![None; cases.len()];
        let is_told = |case: &Case| case.expected.status.is_some() && case.expected.stdout.is_some();
        if cases.iter().filter(|case| is_told(case)).count() > MANY {
            let chunks: Vec<&[Case]> = cases.chunks(IN_TURN).collect();
            let passing = try_parallel(&chunks, jobs, || self.server(), |server, _, some| self.in_turn(server, some))?;
            known = passing.into_iter().flatten().collect();
        }
        let (passing, mut open): (Vec<usize>, Vec<usize>) = (0..cases.len()).partition(|n| known[*n].is_some());
        open.extend(passing.iter().step_by(passing.len().div_ceil(APART).max(1)));
        let apart = self.apart(cases, &open, jobs)?;
        let is_same = |(number, seen): (&usize, &Observed)| known[*number].as_ref().is_none_or(|known| known == seen);
        if !open.iter().zip(&apart).all(is_same) {
            return self.apart(cases, &(0..cases.len()).collect::<Vec<_>>(), jobs);
        }
        for (number, seen) in open.into_iter().zip(apart) {
            known[number] = Some(seen);
        }
        Ok(known.into_iter().flatten().collect())
    }

    /// Runs some tests, each in a process of its own.
    fn apart(&self, cases: &[Case], numbers: &[usize], jobs: usize) -> Result<Vec<Observed>, Error> {
        let one = |server: &mut Server, _: usize, number: &usize| {
            self.limits.budget.check()?;
            self.run(server, &cases[*number], &[], &[])
        };
        try_parallel(numbers, jobs, || self.server(), one)
    }

    /// What tests do that share a process, of those that pass and of which all is known that they do then.
    fn in_turn(&self, server: &mut Server, cases: &[Case]) -> Result<Vec<Option<Observed>>, Error> {
        self.limits.budget.check()?;
        let wanted: Vec<Wanted> = cases
            .iter()
            .map(|case| Wanted {
                task: Task { argv0: Some(NAME.as_ref()), ..Task::from(&case.given) },
                expected: &case.expected,
                needed: vec![],
            })
            .collect();
        let counted = server.count_passing(&Trial::new(&wanted, self.executable, None, false)?)?;
        let observed = |(case, counts): (&Case, Option<Vec<u32>>)| {
            let (counts, status, stdout) = (counts?, case.expected.status?, case.expected.stdout.clone()?);
            Some(Observed { ending: Ending::Exited(status), stdout, counts, applied: 0, assumption_violated: false })
        };
        Ok(cases.iter().zip(counted).map(observed).collect())
    }

    /// Addresses and contents of what the program has at its start; `None` where it does not start.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn tables(&self) -> Result<Option<Recording>, Error> {
        let mut run = Run::new(self.executable);
        run.argv0 = Some(NAME.into());
        run.limits = self.limits.clone();
        Ok(wherefore_record::run(&run, self.directory)?.recording)
    }
}
