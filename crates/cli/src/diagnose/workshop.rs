//! Programs with other texts, built and run on the tests.

use super::depth::Calls;
use super::excuses::Excuses;
use super::spectrum::{Line, executed};
use super::verdict::{Checks, Conduct, Misdeed, comes_to_all, conduct};
use crate::options::Run as Options;
use crate::overlay::{Overlay, overlay};
use crate::stop_in;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;
use wherefore_budget::{Budget, Stop};
use wherefore_case::{Case, Expected, Input, InputValue};
use wherefore_frontend::{Error, Instrument};
use wherefore_parallel::processors;
use wherefore_program::{FileId, Global, Program};
use wherefore_record::{self as record, Ending, Outcome, Recorder, Server, Task, Trial, Verdict, Wanted};
use wherefore_repair::{Built, CHOSEN, Complaint, Ran, Screened, Seen, Workshop};
use wherefore_search::recorded;
use wherefore_session::{NAME, Prepared, Session, Settings};
use wherefore_trace::{Analysis, Stopped, Trace, walk_again_watching};

/// How much of a run is recorded where it is looked at carefully, at most; and what following it may take, compared with
/// that.
const RECORDING_MIB: u64 = 16;
const FOLLOWING: u64 = 32;

/// What following a run may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// How much longer a run may take when it is recorded.
pub const RECORDED: u32 = 4;

/// What an edit must not do, although C compiles it.
const STRICT: &[&str] = &[
    "-Werror=int-conversion",
    "-Werror=incompatible-pointer-types",
    "-Werror=pointer-integer-compare",
    "-Werror=compare-distinct-pointer-types",
    "-Werror=format",
    "-Werror=division-by-zero",
    "-Werror=implicit-function-declaration",
    "-Werror=sizeof-pointer-memaccess",
    "-Werror=sizeof-array-argument",
];

/// What the compiler is to say of errors: all places, and no texts. It writes byte by byte, and lines with edits are long.
const PLACES_ONLY: &[&str] = &[
    "-Wno-everything",
    "-ferror-limit=0",
    "-fno-caret-diagnostics",
    "-fno-diagnostics-fixit-info",
    "-fmacro-backtrace-limit=1",
];

/// How much of a run is recorded where the command may take so much memory: each processor follows a run of its own.
pub fn recording_mib(memory: u64) -> u64 {
    (memory / (FOLLOWING * processors() as u64)).clamp(1, RECORDING_MIB)
}

/// Builds the program with other texts.
pub struct Bench<'a> {
    /// How the program is built.
    pub options: &'a Options,
    /// The program as it is.
    pub program: &'a Program,
    /// Its tests.
    pub cases: &'a [Case],
    /// Which checks each test came to.
    pub checked: &'a [Vec<bool>],
    /// Whether only following a run shows that it fails: then one that cannot be followed does not pass.
    pub only_followed: bool,
    /// What the program as it is does to memory in tests that pass: an edit is not held against that.
    pub excuses: &'a Excuses<'a>,
    /// What a run may take.
    pub time: Duration,
    /// What the tests call, which says how much room a run needs.
    pub calls: &'a Calls,
    /// What all of it may take.
    pub budget: &'a Budget,
    /// Further arguments for the compiler.
    pub arguments: Vec<String>,
}

/// A program that runs tests.
pub struct Bound<'a> {
    bench: &'a Bench<'a>,
    prepared: Prepared,
    /// The variable that chooses, in the table of globals.
    chosen: Option<u32>,
    /// For each global of the original its number here.
    globals: Vec<Option<u32>>,
    checks: Checks,
    /// Blocks and the lines of the source that they belong to, numbered.
    lines: Vec<(u32, usize)>,
    /// For following runs, once one is followed.
    analysis: OnceLock<Analysis>,
    careful: bool,
    /// Last: the compiler's texts go when nobody needs them any more.
    _texts: Overlay,
}

/// What runs tests.
pub enum Lane {
    /// Natively.
    Native(Box<Server>),
    /// Recorded, to be followed.
    Recorded(Box<Recorder>),
    /// Not at all: there is no time left for it.
    Over,
}

impl Bench<'_> {
    /// Takes edits for wrong where the compiler would only warn, if it has nothing against the program as it is.
    pub fn be_strict(&mut self) -> anyhow::Result<()> {
        let strict: Vec<String> = STRICT.iter().map(|s| s.to_string()).collect();
        let texts: Vec<String> = self.options.program.iter().map(std::fs::read_to_string).collect::<Result<_, _>>()?;
        let before = self.arguments.clone();
        self.arguments.extend(strict);
        let given = overlay(&self.options.program, &texts)?;
        match Session::new(self.settings(&given)) {
            Ok(_) => {}
            // What is wrong otherwise is met again.
            Err(_) => self.arguments = before,
        }
        Ok(())
    }

    fn settings(&self, texts: &Overlay) -> Settings {
        let mut cc_args = self.options.cc_args();
        cc_args.extend(texts.arguments());
        cc_args.extend(PLACES_ONLY.iter().map(|argument| argument.to_string()));
        cc_args.extend(self.arguments.iter().cloned());
        Settings {
            files: self.options.program.clone(),
            entry: self.options.entry.clone(),
            cc_args,
            error_label: self.options.error_label.clone(),
            memory_mib: self.options.memory,
            budget: self.budget.clone(),
        }
    }

    /// The given values, of globals as they are numbered elsewhere.
    fn inputs(&self, case: &Case, globals: &[Option<u32>]) -> Vec<Input> {
        let here = |input: &Input| match input {
            Input::Global { id, value } => {
                Some(Input::Global { id: globals.get(*id as usize).copied().flatten()?, value: value.clone() })
            }
            other => Some(other.clone()),
        };
        case.given.inputs.iter().filter_map(here).collect()
    }
}

impl<'a> Workshop for &'a Bench<'a> {
    type Program = Bound<'a>;
    type Error = anyhow::Error;

    fn build(&self, texts: &[String], careful: bool) -> anyhow::Result<Seen<Bound<'a>>> {
        // Where the time is up, nothing more is built; what is known stays.
        self.built(texts, careful).or_else(|error| stop_in(&error).map_or(Err(error), |_| Ok(Seen::Rejected(vec![]))))
    }
}

impl<'a> Bench<'a> {
    fn built(&'a self, texts: &[String], careful: bool) -> anyhow::Result<Seen<Bound<'a>>> {
        let given = overlay(&self.options.program, texts)?;
        let session = match Session::new(self.settings(&given)) {
            Ok(session) => session,
            Err(Error::CompileFailed { stderr }) => {
                return Ok(Seen::Rejected(complaints(&stderr, &self.options.program)));
            }
            Err(error) => return Err(error.into()),
        };
        let purpose = if careful { Instrument::Record } else { Instrument::Count };
        let time = if careful { self.time * RECORDED } else { self.time };
        let stack_kib = self.calls.stack_kib(session.program());
        let prepared = session.prepared(purpose, time, recording_mib(self.options.memory))?.with_stack(stack_kib);
        let number = |global: &Global| {
            let same =
                |other: &Global| other.name == global.name && other.function.is_some() == global.function.is_some();
            prepared.program().globals.iter().position(same).map(|n| n as u32)
        };
        let globals = self.program.globals.iter().map(number).collect();
        let is_chosen = |global: &Global| global.name.as_deref() == Some(CHOSEN);
        let chosen = prepared.program().globals.iter().position(is_chosen).map(|n| n as u32);
        let checks = Checks::new(prepared.program());
        let lines = lines(prepared.program());
        let analysis = OnceLock::new();
        let _texts = given;
        Ok(Seen::Program(Bound { bench: self, chosen, globals, checks, lines, analysis, careful, prepared, _texts }))
    }
}

impl Built for Bound<'_> {
    type Lane = Lane;
    type Error = anyhow::Error;

    fn lane(&self) -> anyhow::Result<Lane> {
        let started = match self.careful {
            false => self.server().map(|server| Lane::Native(Box::new(server))),
            true => self.recorder().map(|recorder| Lane::Recorded(Box::new(recorder))),
        };
        started.or_else(|error| stop_in(&error).map_or(Err(error), |_| Ok(Lane::Over)))
    }

    fn run(&self, lane: &mut Lane, chosen: u32, test: usize) -> anyhow::Result<Ran> {
        // A run that is cut off does not pass.
        self.ran(lane, chosen, test).or_else(|error| stop_in(&error).map_or(Err(error), |_| Ok(Ran::default())))
    }

    fn screen(
        &self,
        lane: &mut Lane,
        edits: &[u32],
        tests: &[usize],
        budget: &Budget,
    ) -> anyhow::Result<Vec<Screened>> {
        let mut order = tests.to_vec();
        let verdicts = self.tried(lane, edits, tests, false, budget)?;
        let screened = edits.iter().zip(verdicts).map(|(edit, verdict)| match verdict {
            Verdict::Passes => Ok(Screened::Passes),
            Verdict::Fails(case) => Ok(Screened::Fails(tests[case])),
            // Each test in a process of its own.
            _ => self.screen_one(lane, *edit, &mut order, budget),
        });
        screened.collect()
    }

    fn passed(
        &self,
        lane: &mut Lane,
        edits: &[u32],
        tests: &[usize],
        budget: &Budget,
    ) -> anyhow::Result<Vec<Vec<usize>>> {
        let verdicts = self.tried(lane, edits, tests, true, budget)?;
        let passed = edits.iter().zip(verdicts).map(|(edit, verdict)| match verdict {
            Verdict::Each(bits) => Ok((0..tests.len()).filter(|n| bits >> n & 1 == 1).map(|n| tests[n]).collect()),
            _ => self.passed_one(lane, *edit, tests, budget),
        });
        passed.collect()
    }
}

impl Bound<'_> {
    /// How often each line was executed: as often as the block of it that was executed most.
    fn by_line(&self, counts: &[u32]) -> Vec<u32> {
        let mut all = vec![0; self.lines.iter().map(|(_, line)| line + 1).max().unwrap_or(0)];
        for (block, line) in &self.lines {
            let count = counts.get(*block as usize).copied().unwrap_or(0);
            all[*line] = count.max(all[*line]);
        }
        all
    }

    /// What comes of edits where many runs share a process; nothing is known of runs that are followed.
    fn tried(
        &self,
        lane: &mut Lane,
        edits: &[u32],
        tests: &[usize],
        to_the_end: bool,
        budget: &Budget,
    ) -> anyhow::Result<Vec<Verdict>> {
        let unknown = vec![Verdict::NotKnown; edits.len()];
        let Lane::Native(server) = lane else { return Ok(unknown) };
        let bench = self.bench;
        let inputs: Vec<Vec<Input>> =
            tests.iter().map(|test| bench.inputs(&bench.cases[*test], &self.globals)).collect();
        let wanted = tests.iter().zip(&inputs).map(|(test, inputs)| {
            let case = &bench.cases[*test];
            let task = Task { argv0: Some(NAME.as_ref()), inputs, ..Task::from(&case.given) };
            Some(Wanted { task, expected: &case.expected, needed: self.needed(*test)? })
        });
        let Some(wanted) = wanted.collect::<Option<Vec<Wanted>>>() else { return Ok(unknown) };
        let trial = Trial::new(&wanted, self.prepared.executable(), self.chosen, to_the_end)?;
        let tried = server.try_choices(&trial, edits, budget).map_err(anyhow::Error::from);
        tried.or_else(|error| stop_in(&error).map_or(Err(error), |_| Ok(unknown)))
    }

    /// Whether its checks are those of the program as it is. A choice between edits may have copies of some: what comes to
    /// them is seen when an edit is built as it would stand in the file.
    fn has_checks(&self) -> bool {
        self.chosen.is_none() || self.bench.checked.first().is_none_or(|checked| self.checks.are_as_many_as(checked))
    }

    /// The blocks that a test has to come to; `None` where nothing is known of them.
    fn needed(&self, test: usize) -> Option<Vec<Vec<u32>>> {
        if self.has_checks() { self.checks.needed(&self.bench.checked[test]) } else { Some(vec![]) }
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.prepared.program()
    }

    fn analysis(&self) -> &Analysis {
        self.analysis.get_or_init(|| Analysis::new(self.program()))
    }

    /// What a test gives to parameters and globals, with an edit chosen.
    pub fn inputs(&self, chosen: u32, test: usize) -> Vec<Input> {
        let mut inputs = self.bench.inputs(&self.bench.cases[test], &self.globals);
        if let Some(id) = self.chosen {
            inputs.push(Input::Global { id, value: InputValue::Bits(chosen.to_le_bytes().to_vec()) });
        }
        inputs
    }

    /// What runs tests natively, if the program was built for it.
    pub fn server(&self) -> anyhow::Result<Server> {
        Ok(self.prepared.native().server()?)
    }

    /// What records runs, if the program was built for it.
    pub fn recorder(&self) -> anyhow::Result<Recorder> {
        Ok(Recorder::start(self.prepared.executable(), self.prepared.limits())?)
    }

    /// Runs a test natively with an edit chosen and these values of nondeterministic calls.
    pub fn run_native(&self, server: &mut Server, chosen: u32, test: usize, nondet: &[u64]) -> anyhow::Result<Ran> {
        let mut case = self.bench.cases[test].clone();
        case.given.inputs = self.inputs(chosen, test);
        case.given.nondet = nondet.to_vec();
        let observed = self.prepared.native().run(server, &case, &[], &[])?;
        let checked = observed.assumption_violated
            || !self.has_checks()
            || comes_to_all(&self.bench.checked[test], &self.checks.met(&observed));
        let counts = self.by_line(&observed.counts);
        let passes = checked && observed.passes(&case.expected);
        Ok(Ran { passes, counts, stdout: observed.stdout, ..Ran::default() })
    }

    /// The lines that all of some tests execute.
    pub fn executed_by_all(&self, tests: &[usize]) -> anyhow::Result<HashSet<Line>> {
        let mut server = self.server()?;
        let mut all: Option<HashSet<Line>> = None;
        for test in tests {
            let mut case = self.bench.cases[*test].clone();
            case.given.inputs = self.inputs(0, *test);
            let observed = self.prepared.native().run(&mut server, &case, &[], &[])?;
            let lines = executed(self.program(), &observed);
            all = Some(match all {
                Some(known) => known.intersection(&lines).copied().collect(),
                None => lines,
            });
        }
        Ok(all.unwrap_or_default())
    }

    /// The same, recorded.
    pub fn run_recorded(
        &self,
        recorder: &mut Recorder,
        chosen: u32,
        test: usize,
        nondet: &[u64],
    ) -> Result<Outcome, record::Error> {
        let inputs = self.inputs(chosen, test);
        let given = &self.bench.cases[test].given;
        recorder.run(&Task { argv0: Some(NAME.as_ref()), inputs: &inputs, nondet, ..Task::from(given) })
    }

    /// A recorded run as a trace, if it does nothing to memory that C does not allow and the program does not do anyway.
    pub fn trace(&self, outcome: &Outcome, test: usize, budget: &Budget) -> Option<Trace> {
        let Ending::Exited(status) = outcome.ending else { return None };
        let recorded = recorded(outcome.recording.as_ref()?, &[]);
        let stopped = Stopped::Exit(status);
        let expected = Expected::default();
        let trace = walk_again_watching(self.program(), self.analysis(), &recorded, stopped, &expected, budget).ok()?;
        let excused = |deed| self.bench.excuses.excuse(&deed, test, budget).is_ok_and(|excused| excused);
        let is_fine = trace.failure.is_none() || Misdeed::of(self.program(), &trace).is_some_and(excused);
        is_fine.then_some(trace)
    }

    fn ran(&self, lane: &mut Lane, chosen: u32, test: usize) -> anyhow::Result<Ran> {
        let case = &self.bench.cases[test];
        match lane {
            Lane::Over => Ok(Ran::default()),
            Lane::Native(server) => self.run_native(server, chosen, test, &case.given.nondet),
            Lane::Recorded(recorder) => {
                let outcome = match self.run_recorded(recorder, chosen, test, &case.given.nondet) {
                    // An edit may write anywhere, also over what is recorded of it.
                    Err(record::Error::Recording(_)) => return Ok(Ran::default()),
                    outcome => outcome?,
                };
                let within = self.bench.budget.within(PATIENCE);
                let conduct = match conduct(self.program(), self.analysis(), &outcome, case, &within) {
                    // A run that is too long to be followed says nothing against an edit.
                    Err(Stop::Time) if self.bench.budget.stopped().is_none() => Conduct::NotFollowed,
                    conduct => conduct?,
                };
                let blemished = matches!(conduct, Conduct::Misused(_));
                let passes = match conduct {
                    Conduct::Clean => true,
                    Conduct::Misused(deed) => self.bench.excuses.excuse(&deed, test, self.bench.budget)?,
                    Conduct::NotFollowed => !self.bench.only_followed,
                    Conduct::Wrong => false,
                };
                Ok(Ran { passes, blemished, ..Ran::default() })
            }
        }
    }
}

/// The lines of the blocks of a program, numbered: a choice between edits makes blocks of its own, but no lines.
fn lines(program: &Program) -> Vec<(u32, usize)> {
    let mut numbers: HashMap<(FileId, u32), usize> = HashMap::new();
    let mut lines = vec![];
    for function in &program.functions {
        for (number, block) in (0..).zip(&function.blocks) {
            let places = block.commands.iter().map(|c| c.at).chain([block.terminator.at]).flatten();
            for at in places {
                let next = numbers.len();
                let line = *numbers.entry((at.file, at.line)).or_insert(next);
                lines.push((function.first_block + number, line));
            }
        }
    }
    lines.dedup();
    lines
}

/// The places of errors among what the compiler said: `FILE:LINE:COLUMN: error: ...`.
fn complaints(said: &str, files: &[PathBuf]) -> Vec<Complaint> {
    let place = |line: &str| {
        let (place, _) = line.split_once(": error: ").or_else(|| line.split_once(": fatal error: "))?;
        let (rest, column) = place.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        let file = files.iter().position(|f| f.to_string_lossy() == file)?;
        Some((file, line.parse().ok()?, column.parse().ok()?))
    };
    said.lines().filter_map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_errors_are_read() {
        let files = [PathBuf::from("d/a.c"), PathBuf::from("b.c")];
        let said = "b.c:3:14: error: no\n  x = 1\nd/a.c:10:2: warning: may be\nd/a.c:11:7: fatal error: gone\nc.h:1:1: error: no\n";
        assert_eq!(complaints(said, &files), [(1, 3, 14), (0, 11, 7)]);
    }
}
