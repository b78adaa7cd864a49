//! Executes a [`Program`] and writes down what a native run of it would: the words that the documentation of
//! [`wherefore_program::Command`] says. So a program that cannot be compiled, one of Boogie, has recordings like any other.
//!
//! It knows a part of the C library, so that it can be held against native runs of C programs; what it does not know ends
//! the run, and says so ([`Ran::gave_up`]): nothing is ever guessed. How integers behave that overflow is chosen by
//! [`Integers`]: as the machine does, or not at all.
//!
//! Knows: programs, recordings, what a run is given. Must not know: where programs come from, solvers, output; it touches no
//! files and starts no processes.

mod library;
mod machine;
mod memory;
mod operation;
mod start;
mod stop;

use machine::Machine;
use std::time::Instant;
use stop::Stop;
use wherefore_budget::Budget;
use wherefore_case::Given;
use wherefore_program::{FunctionId, Origin, Program};
use wherefore_record::{Captured, Ending, Forced, GlobalImage, Outcome, Recording, State};

/// A run to be made.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The program.
    pub program: &'a Program,
    /// The function it starts in.
    pub entry: FunctionId,
    /// What it is given.
    pub given: &'a Given,
    /// What its globals hold when it begins, and where everything lies, as a native run has recorded it; without it globals
    /// hold zeros.
    pub tables: Option<&'a Recording>,
    /// Values that points take instead of what they compute.
    pub forced: &'a [Forced],
    /// What becomes of an overflow.
    pub integers: Integers,
    /// How much it may use.
    pub limits: Limits,
}

/// What becomes of signed arithmetic that must not overflow and does, and of an address outside of its array.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Integers {
    /// It wraps, as the machine has it.
    Wrap,
    /// They stand for integers without limits: the run cannot go on.
    Unlimited,
}

/// How much a run may use.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Commands.
    pub steps: u64,
    /// Words that are recorded.
    pub words: usize,
    /// What all work of the command may use.
    pub budget: Budget,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 50_000_000, words: 1 << 24, budget: Budget::unlimited() }
    }
}

/// What a run did.
#[derive(Debug)]
pub struct Ran {
    /// The same as of a native run; it always has a recording. A run that gave up has the end [`Ending::Unsupported`].
    pub outcome: Outcome,
    /// How many of the forced values were taken.
    pub applied: usize,
    /// Globals that were read before they were set, by their numbers.
    pub asked: Vec<u32>,
    /// Why it could not go on.
    pub gave_up: Option<GaveUp>,
}

/// Something that cannot be executed here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GaveUp {
    /// Where it stands.
    pub at: Option<Origin>,
    /// What it is.
    pub what: String,
}

/// Makes a run.
pub fn run(run: &Run) -> Ran {
    let began = Instant::now();
    let mut machine = Machine::new(run);
    let stop = match machine.start() {
        Err(stop) => stop,
        Ok(()) => machine.go(),
    };
    let globals: Vec<GlobalImage> = std::mem::take(&mut machine.images);
    let mut recording = Recording::from_words(std::mem::take(&mut machine.words));
    recording.globals = globals;
    recording.functions.clone_from(&machine.functions);
    recording.externals.clone_from(&machine.externals);
    recording.nondet_used = machine.nondet.min(run.given.nondet.len()) as u64;
    recording.nondet_missing = machine.nondet.saturating_sub(run.given.nondet.len()) as u64;
    recording.entry_began = true;
    let mut gave_up = None;
    let ending = match stop {
        Stop::Exit(status) => Ending::Exited(status),
        Stop::Signal(signal) => Ending::Signal(signal),
        Stop::Refused => {
            recording.assumption_violated = true;
            Ending::Exited(0)
        }
        Stop::Long => {
            recording.state = State::SizeLimit;
            Ending::TimedOut
        }
        Stop::Budget(stop) => Ending::Stopped(stop),
        Stop::GaveUp(what) => {
            gave_up = Some(GaveUp { at: machine.at(), what });
            Ending::Unsupported
        }
    };
    let bytes = machine.stdout.len() as u64;
    let outcome = Outcome {
        ending,
        stdout: Captured { kept: std::mem::take(&mut machine.stdout), bytes },
        stderr: Captured::default(),
        recording: Some(recording),
        wall: began.elapsed(),
        leftovers_killed: 0,
    };
    let asked = (0..).zip(&machine.used).filter(|(_, read)| **read == Some(true)).map(|(id, _)| id).collect();
    Ran { outcome, applied: machine.applied, asked, gave_up }
}
