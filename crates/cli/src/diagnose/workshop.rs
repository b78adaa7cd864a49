//! Programs with other texts, built and run on the tests.

use super::verdict::{Checks, comes_to_all, is_clean};
use crate::options::Run as Options;
use crate::overlay::{Overlay, overlay};
use crate::stop_in;
use std::path::PathBuf;
use std::time::Duration;
use wherefore_budget::Budget;
use wherefore_case::{Case, Input, InputValue};
use wherefore_frontend::{Error, Instrument};
use wherefore_program::{Global, Program};
use wherefore_record::{self as record, Recorder, Server, Task};
use wherefore_repair::{Built, CHOSEN, Complaint, Ran, Seen, Workshop};
use wherefore_session::{NAME, Prepared, Session, Settings};
use wherefore_trace::Analysis;

/// How much of a run is recorded where it is looked at carefully.
const RECORDING_MIB: u64 = 16;

/// How much longer a run may take when it is recorded.
const RECORDED: u32 = 4;

/// What an edit must not do, although C compiles it.
const STRICT: &[&str] = &[
    "-Werror=int-conversion",
    "-Werror=incompatible-pointer-types",
    "-Werror=pointer-integer-compare",
    "-Werror=comparison-distinct-pointer-types",
    "-Werror=format",
    "-Werror=division-by-zero",
    "-Werror=implicit-function-declaration",
];

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
    /// What a run may take.
    pub time: Duration,
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
    /// For following runs.
    analysis: Analysis,
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
        cc_args.push("-ferror-limit=0".into());
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
        let purpose = if careful { Instrument::Record } else { Instrument::Replay };
        let time = if careful { self.time * RECORDED } else { self.time };
        let prepared = session.prepared(purpose, time, RECORDING_MIB)?;
        let number = |global: &Global| {
            let same =
                |other: &Global| other.name == global.name && other.function.is_some() == global.function.is_some();
            prepared.program().globals.iter().position(same).map(|n| n as u32)
        };
        let globals = self.program.globals.iter().map(number).collect();
        let is_chosen = |global: &Global| global.name.as_deref() == Some(CHOSEN);
        let chosen = prepared.program().globals.iter().position(is_chosen).map(|n| n as u32);
        let checks = Checks::new(prepared.program());
        let analysis = Analysis::new(prepared.program());
        Ok(Seen::Program(Bound { bench: self, chosen, globals, checks, analysis, careful, prepared, _texts: given }))
    }
}

impl Built for Bound<'_> {
    type Lane = Lane;
    type Error = anyhow::Error;

    fn lane(&self) -> anyhow::Result<Lane> {
        Ok(match self.careful {
            false => Lane::Native(Box::new(self.prepared.native().server()?)),
            true => Lane::Recorded(Box::new(Recorder::start(self.prepared.executable(), self.prepared.limits())?)),
        })
    }

    fn run(&self, lane: &mut Lane, chosen: u32, test: usize) -> anyhow::Result<Ran> {
        // A run that is cut off does not pass.
        self.ran(lane, chosen, test).or_else(|error| stop_in(&error).map_or(Err(error), |_| Ok(Ran::default())))
    }
}

impl Bound<'_> {
    fn ran(&self, lane: &mut Lane, chosen: u32, test: usize) -> anyhow::Result<Ran> {
        let case = &self.bench.cases[test];
        let mut inputs = self.bench.inputs(case, &self.globals);
        if let Some(id) = self.chosen {
            inputs.push(Input::Global { id, value: InputValue::Bits(chosen.to_le_bytes().to_vec()) });
        }
        match lane {
            Lane::Native(server) => {
                let mut given = case.clone();
                given.given.inputs = inputs;
                let observed = self.prepared.native().run(server, &given, &[], &[])?;
                let checked = observed.assumption_violated
                    || comes_to_all(&self.bench.checked[test], &self.checks.met(&observed));
                Ok(Ran { passes: checked && observed.passes(&case.expected), counts: observed.counts })
            }
            Lane::Recorded(recorder) => {
                let task = Task { argv0: Some(NAME.as_ref()), inputs: &inputs, ..Task::from(&case.given) };
                let outcome = match recorder.run(&task) {
                    // An edit may write anywhere, also over what is recorded of it.
                    Err(record::Error::Recording(_)) => return Ok(Ran::default()),
                    outcome => outcome?,
                };
                let clean = is_clean(self.prepared.program(), &self.analysis, &outcome, case, self.bench.budget)?;
                Ok(Ran { passes: clean.unwrap_or(!self.bench.only_followed), counts: vec![] })
            }
        }
    }
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
