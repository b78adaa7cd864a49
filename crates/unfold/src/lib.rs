//! The whole program as one formula: calls inlined, loops unrolled, all paths merged (Lamraoui and Nakajima 2016, section 5.3).
//!
//! Blocks, transitions and the merging of values are hard. What a statement of the source does to the rest of the
//! program goes through its points ([`wherefore_program::points`]); each is `selector ? computed : anything`, with one
//! selector per statement. The formula is built once for all tests: inputs are variables, and a test is a set of
//! assumptions about them and about what the program does ([`Unfolding::test`]).
//!
//! Memory is bit-precise: every object has a fixed address of its own, far from the others, so that pointers are
//! mostly constants and an access is resolved by looking at its address; reading or writing outside an object is a
//! failure.
//!
//! Knows: programs, terms, what common library functions do. Must not know: solvers, recordings, output formats; it
//! does no input or output.

mod address;
mod bounds;
mod calls;
mod commands;
mod floating;
mod format;
mod function;
mod given;
mod guard;
mod images;
mod initialised;
mod inputs;
mod library;
mod memory;
#[cfg(test)]
mod native;
mod parts;
mod scan;
mod softening;
mod start;
mod state;
mod streams;
mod tables;
mod text;

pub use format::Piece;
pub use given::NoNumber;
pub use images::{Image, pointers};
pub use wherefore_case::Expected;

use rustc_hash::FxHashMap;
use wherefore_budget::{Budget, Stop};
use wherefore_formula::{Sort, TermId, Terms, VarId};
use wherefore_program::{FunctionId, GlobalId, Note, Origin, Program, Slot};

/// About what a term takes of the memory, in bytes, with all that is made of it.
pub const TERM_BYTES: u64 = 130;

/// Number of a soft statement.
pub type StatementId = u32;

/// What to unfold, and how far.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where a run starts.
    pub entry: FunctionId,
    /// The statement at each place of the source; what lies elsewhere is hard.
    pub statements: FxHashMap<Origin, StatementId>,
    /// For each global the statement that gives its initial value.
    pub globals: Vec<Option<StatementId>>,
    /// Number of statements.
    pub statement_count: usize,
    /// Content of each global at the start.
    pub images: Vec<Option<Vec<u8>>>,
    /// Pointers in those images: where, and to what.
    pub pointers: Vec<(GlobalId, u64, Pointer)>,
    /// Rounds of each loop and depth of each recursion; `None`: what the tests need and some more.
    pub unwind: Option<u32>,
    /// Rounds more than the tests need.
    pub margin: u32,
    /// Stop when the formula has more terms: there is no memory for them.
    pub max_terms: usize,
    /// What all work of the command may use.
    pub budget: Budget,
}

/// What a pointer in the image of a global points to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Pointer {
    /// A place in a global, or behind it.
    Global(GlobalId, i64),
    /// A function.
    Function(FunctionId),
}

/// What a test gives to the program, as the formula sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TestInput {
    /// The program's name for itself and its arguments.
    pub arguments: Vec<Vec<u8>>,
    /// Standard input.
    pub stdin: Vec<u8>,
    /// Values of nondeterministic calls.
    pub nondet: Vec<u64>,
    /// Values of the entry function's parameters, when it is not `main`. One that points to an object is not 0.
    pub parameters: Vec<u128>,
    /// Objects that parameters point to, by the parameter's index, as bytes.
    pub objects: Vec<(u32, Vec<u8>)>,
    /// Globals set before the run.
    pub globals: Vec<(GlobalId, Vec<u8>)>,
}

/// Why a program cannot be unfolded.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The formula would be too large.
    #[error("the formula of the program is too large ({terms} terms, in function `{function}`)")]
    TooLarge {
        /// Terms built.
        terms: usize,
        /// Where it stopped.
        function: String,
    },
    /// What the command may use is used up.
    #[error("the formula of the program is not finished (in function `{function}`): {stop}")]
    Stopped {
        /// Where it stopped.
        function: String,
        /// Why.
        #[source]
        stop: Stop,
    },
}

/// A value of a point that can be set free: one execution of it.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Number of the point; `None` for the initial value of a global.
    pub point: Option<u32>,
    /// Which value of its command; `None` for the initial value of a global.
    pub slot: Option<Slot>,
    /// For the initial value of a global: which one, and the offset in bytes.
    pub global: Option<(GlobalId, u64)>,
    /// The statement.
    pub statement: StatementId,
    /// When it is executed.
    pub guard: TermId,
    /// What the statement computes.
    pub computed: TermId,
    /// What the rest of the program sees.
    pub seen: TermId,
    /// What the value depends on, as far as the statement reads it: registers loaded, in order.
    pub reads: Vec<TermId>,
    /// Whether the value is a pointer, whose number means nothing outside the formula.
    pub pointer: bool,
    /// Whether the value is a floating point number.
    pub floating: bool,
    /// The variable of the value set free, unless it is a choice between pointers.
    pub free: Option<VarId>,
    /// For a choice between pointers: the variables that choose; all false, it is what the statement computes.
    pub choices: Vec<VarId>,
    /// For a number taken straight from an argument: those that could be taken instead.
    pub others: Vec<TermId>,
}

/// How a program dies.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    /// It stops itself: an assertion, `abort`, an error function.
    Stopped,
    /// A division that has no result.
    Arithmetic,
    /// An access that is not allowed. Natively that need not show: what happens is undefined.
    Memory,
}

/// A way to fail.
#[derive(Clone, Debug)]
pub struct Failure {
    /// When it happens.
    pub guard: TermId,
    /// What kind of failure it is.
    pub fault: Fault,
    /// What, in words.
    pub what: String,
    /// Where.
    pub at: Option<Origin>,
}

/// Something written to standard output, or read from standard input.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Write { guard: TermId, pieces: Vec<Piece>, selector: Option<TermId>, statement: Option<StatementId> },
    Read { guard: TermId, read: scan::Read },
}

/// Where a variable's value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Number of arguments.
    ArgumentCount,
    /// A byte of an argument.
    ArgumentByte(u32, u32),
    /// The number that a library function reads from an argument, from a byte on.
    ArgumentNumber(u32, u32, scan::Number),
    /// A parameter of the entry function.
    Parameter(u32),
    /// Bytes of the object that a parameter points to: offset and length.
    Object(u32, u64, u32),
    /// Bytes of a global set by tests: offset and length.
    Global(GlobalId, u64, u32),
}

/// The program as a formula.
#[derive(Clone, Debug)]
pub struct Unfolding {
    /// All terms.
    pub terms: Terms,
    /// What holds in every run.
    pub hard: Vec<TermId>,
    /// The selector of each statement: true keeps it.
    pub selectors: Vec<TermId>,
    /// Values that can be set free, in the order of execution.
    pub instances: Vec<Instance>,
    /// Ways to fail.
    pub failures: Vec<Failure>,
    /// Ways to end: when, and with which status (32 bits).
    pub exits: Vec<(TermId, TermId)>,
    /// When a run leaves what was unfolded.
    pub cut: Vec<TermId>,
    /// Values that nothing in the program determines: what was not initialised, what unknown library functions give.
    pub unknowns: Vec<(VarId, Sort)>,
    /// What is not modelled exactly.
    pub notes: Vec<Note>,
    /// Loops that were not followed to their end, by the place of their condition.
    pub bounded: Vec<(Option<Origin>, u32)>,
    pub(crate) events: Vec<Event>,
    pub(crate) inputs: Vec<(VarId, Sort, Source)>,
    pub(crate) guards: guard::Guards,
    /// Whether statements set free may write any text; such a repair cannot be tried by forcing values.
    pub texts: TermId,
    pub(crate) next_variable: u32,
}

impl Unfolding {
    /// About how many steps it takes to say what a test reads and writes: at each event the run may be at each place of its
    /// texts, and that it is at none of those before has grown with the events.
    pub fn steps_of(&self, input: &TestInput, expected: &Expected) -> u64 {
        let places = expected.stdout.as_ref().map_or(0, Vec::len) + input.stdin.len() + 1;
        let events = self.events.len() as u64;
        (places as u64).saturating_mul(events).saturating_mul(events)
    }

    /// One of which nothing is known yet but its terms.
    pub(crate) fn new(terms: Terms, guards: guard::Guards, texts: TermId) -> Unfolding {
        Unfolding {
            terms,
            hard: vec![],
            selectors: vec![],
            instances: vec![],
            failures: vec![],
            exits: vec![],
            cut: vec![],
            unknowns: vec![],
            notes: vec![],
            bounded: vec![],
            events: vec![],
            inputs: vec![],
            guards,
            texts,
            next_variable: 0,
        }
    }
}

/// A test as a part of the formula.
#[derive(Clone, Debug)]
pub struct TestFormula {
    /// The values of the inputs.
    pub inputs: Vec<(VarId, Sort, u128)>,
    /// What is read is what the test gives.
    pub reads: Vec<TermId>,
    /// The run does what the test expects.
    pub passes: TermId,
    /// What statements may write that are set free.
    pub texts: Vec<FreeText>,
}

/// A part of the expected output that a statement writes if it may write any text.
#[derive(Clone, Debug)]
pub struct FreeText {
    /// The statement; `None` for what is written by something unknown.
    pub statement: Option<StatementId>,
    /// When it does not: its statement is kept, or texts are.
    pub kept: TermId,
    /// Where in the output it may begin, and when it does.
    pub starts: Vec<(usize, TermId)>,
    /// Where it ends: a number.
    pub end: TermId,
}

/// What a run does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Observation {
    /// It fails, by the number of the failure.
    Fails(usize),
    /// It ends.
    Ends {
        /// What it wrote.
        stdout: Vec<u8>,
        /// Its status.
        status: i32,
    },
}

impl Observation {
    /// Whether this is what was expected.
    pub fn passes(&self, expected: &Expected) -> bool {
        match self {
            Observation::Fails(_) => false,
            Observation::Ends { stdout, status } => {
                expected.status.is_none_or(|wanted| wanted & 0xff == *status)
                    && expected.stdout.as_ref().is_none_or(|wanted| wanted == stdout)
            }
        }
    }
}

/// Unfolds a program. The tests decide how far loops are followed.
///
/// # Errors
/// When the formula becomes too large.
pub fn unfold(program: &Program, options: &Options, tests: &[TestInput]) -> Result<Unfolding, Error> {
    start::unfold(program, options, tests)
}
