//! The report as data. The field names are the names in the JSON; parts that do not apply are left out of it.

use serde::{Deserialize, Serialize};

/// The version of the JSON format.
pub const SCHEMA: u32 = 1;

/// Everything one command found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The version of the JSON format, [`SCHEMA`].
    pub schema: u32,
    /// The name of the tool, `wherefore`.
    pub tool: String,
    /// The version of the tool.
    pub version: String,
    /// The command that was run, such as `explain`.
    pub command: String,
    /// Whether a limit stopped the work, so that the report holds only what was found so far.
    pub partial: bool,
    /// Whatever was approximated or not supported, each with its place.
    pub notes: Vec<String>,
    /// Which of the notes a reader can do nothing about, as indices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub minor_notes: Vec<usize>,
    /// How the run failed; absent when it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// The run that was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// Where the time went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing_ms: Option<Timing>,
    /// The answer of `explain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    /// The answer of `diagnose`, `search` or `relevant`; its fields stand beside those of the report.
    #[serde(flatten)]
    pub answer: Option<Answer>,
}

/// The answer of a command other than `explain`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Answer {
    /// Of `diagnose`.
    Diagnosed(Diagnosed),
    /// Of `search`.
    Searched(Searched),
    /// Of `relevant`.
    Relevant(Relevance),
}

impl Report {
    /// An empty report of a command, with the format and the tool filled in.
    pub fn new(command: impl Into<String>) -> Report {
        Report {
            schema: SCHEMA,
            tool: "wherefore".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            command: command.into(),
            partial: false,
            notes: Vec::new(),
            minor_notes: Vec::new(),
            failure: None,
            trace: None,
            timing_ms: None,
            explanation: None,
            answer: None,
        }
    }
}

/// A place in a source file. Lines and columns count from 1, columns in bytes; the end is exclusive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Loc {
    /// The file as the user named it.
    pub file: String,
    /// Line of the first character.
    pub line: u32,
    /// Column of the first character.
    pub column: u32,
    /// Line of the last character.
    pub end_line: u32,
    /// Column one past the last character.
    pub end_column: u32,
    /// The function it lies in; empty outside of functions.
    pub function: String,
}

/// The kinds of failures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailureKind {
    /// An assertion does not hold, or a call that stands for an error is reached.
    #[default]
    Assertion,
    /// The program dies of a signal.
    Signal,
    /// The exit status is not the expected one.
    Status,
    /// The output is not the expected one.
    Output,
    /// An access outside of an object or after its end.
    Memory,
    /// The program does not end in time.
    Timeout,
}

/// How a run failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// Where it showed.
    pub at: Loc,
    /// What should have held, as a C expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The failure in words, such as `reads 4 bytes through p, which is NULL`.
    pub message: String,
    /// Values that show it, such as `abs` is `-1`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Input>,
    /// What is wrong with a use of memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
    /// Where the output departs from what was expected, for a failure of that kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
    /// The calls under way when it fails, the innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Loc>,
}

/// Where the output departs from what was expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// What was expected there; empty where the output should have ended.
    pub expected: String,
    /// What was written there; empty where the output ends.
    pub actual: String,
    /// How many bytes of the output are as expected.
    pub position: u64,
    /// The line of the output in which these texts begin, from 1.
    pub line: u64,
    /// Their column, in bytes from 1.
    pub column: u64,
}

/// A use of memory that C does not allow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// What is wrong.
    pub error: MemoryError,
    /// The object, by its name or by that of a pointer to it; where there is none, the pointer.
    pub object: String,
    /// Its size in bytes, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Where in it, in bytes from its start.
    pub offset: i64,
    /// Where it was made or declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_at: Option<Loc>,
    /// Where it was freed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freed_at: Option<Loc>,
    /// The calls under way when it was made, the innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made_calls: Vec<Loc>,
    /// The calls under way when it was freed, the innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub freed_calls: Vec<Loc>,
}

/// What is wrong with a use of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryError {
    /// Outside of the object.
    OutOfBounds,
    /// After the object was freed.
    UseAfterFree,
    /// After the function returned whose local it is.
    UseAfterReturn,
    /// After the block ended whose local it is.
    UseAfterScope,
    /// It is freed again.
    DoubleFree,
    /// What is freed was not allocated.
    InvalidFree,
    /// Nobody has set it.
    Uninitialised,
    /// It is copied to where some of it comes from.
    Overlap,
    /// It is written although it cannot be changed.
    ReadOnly,
    /// There is no object: the pointer is null.
    Null,
    /// There is no object: the pointer points to nothing.
    Wild,
}

/// The run in numbers, and its inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// How many statements were executed.
    pub statements: u64,
    /// How many of them the explanation needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matter: Option<u64>,
    /// How many events were recorded.
    pub events: u64,
    /// The inputs of the run.
    pub inputs: Vec<Input>,
}

/// An input of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Its name in the program.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// Milliseconds spent in each stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// Compiling the program.
    pub compile: u64,
    /// Running it.
    pub run: u64,
    /// Building formulas.
    pub encode: u64,
    /// Solving them.
    pub solve: u64,
    /// All of it.
    pub total: u64,
}

/// Why the run fails.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// The encoding that was used, such as `flow-sensitive`.
    pub encoding: String,
    /// What must hold at the start for the run to fail this way, as a C expression; empty where a limit cut the story off
    /// before its start, and where something is taken for granted.
    pub precondition: String,
    /// Whether a second solver confirmed the explanation.
    pub checked: bool,
    /// Why no second solver confirmed it, when one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unchecked_because: Option<String>,
    /// What the explanation takes for granted of the rest of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granted: Option<String>,
    /// The cause in a few sentences, the last one first. Each is true by itself, so that the first ones may be shown alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summary: Vec<String>,
    /// The statements that matter, in the order of execution; the last one fails.
    pub steps: Vec<Step>,
    /// Of a loop that goes on for ever, and whose rounds are all alike, the statements that a round runs in its function.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub round: Vec<Ran>,
}

/// A statement that a round of a loop runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// Where it stands.
    pub at: Loc,
    /// Its text on one line, without a `;`.
    pub text: String,
    /// What it sets in every round, such as `at = 7`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// The kinds of steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// A variable is assigned.
    #[default]
    Assign,
    /// A value comes from outside.
    Havoc,
    /// Memory is written through a pointer.
    Store,
    /// A function is called.
    Call,
    /// A function returns.
    Return,
    /// A branch leaves something unchanged that its other side would have set.
    Frame,
    /// A condition is taken as given.
    Assume,
    /// The statement that fails.
    Failure,
}

/// A statement that matters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// What it does.
    pub kind: StepKind,
    /// Where it stands.
    pub at: Loc,
    /// Its text on one line, without a `;`.
    pub text: String,
    /// Its place in the run, counted in statements from 0.
    pub position: u64,
    /// Why it was reached.
    pub because: Vec<Reason>,
    /// The invariant that holds after it, as a C expression; absent after the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invariant: Option<String>,
    /// A remark in words, such as `leaves abs unchanged`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The parts of the invariant that are new with this step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new: Vec<String>,
    /// What it set in this run, such as `n = 3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Whether it only hands on a value: an argument, a result, a copy of either.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub passes_on: bool,
    /// Whether it returns what its function has computed or decided, and does not merely pass on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
    /// How many causes lie between it and the failure, which has 0; absent for what only made the program come this far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
    /// How many further executions of this statement, in later rounds of a loop, this step stands for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub folded: u64,
}

/// A condition that led to a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// Where it was decided.
    pub at: Loc,
    /// The condition that held, as a C expression.
    pub text: String,
    /// The condition with the values of the run in place of names, where that says more: `9 > 4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<String>,
    /// The statement it led to, where that is nothing but a jump: `continue`, `break`, `goto out`, `return -1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jump: Option<Jump>,
    /// Where the function returned whose result decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned_at: Option<Loc>,
}

/// A statement that only goes elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jump {
    /// Where it stands.
    pub at: Loc,
    /// Its text, without a `;`.
    pub text: String,
}

/// Which statements could be at fault. A report of it with a [`Failure`] is about that one run, one without about tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnosed {
    /// All statements that were looked at, in the order of the source.
    pub statements: Vec<Statement>,
    /// The tests.
    pub tests: Vec<Test>,
    /// Minimal sets of statements whose change repairs the failing tests, in the order in which to look at them.
    pub diagnoses: Vec<Diagnosis>,
    /// Whether these are all such sets.
    pub complete: bool,
    /// Why there may be others, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
    /// Sets of at most this many statements are all there, even if others may be missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complete_up_to: Option<u64>,
    /// Where there are no diagnoses: statements to look at first, by what the failure depends on and which tests run them.
    /// Nobody knows whether their change repairs anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<Suspect>,
}

/// A statement to look at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspect {
    /// Which.
    #[serde(flatten)]
    pub statement: Statement,
    /// How many failing tests run it.
    pub failing: u64,
    /// How many passing ones do.
    pub passing: u64,
}

/// Inputs that were searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searched {
    /// Whether every path was visited.
    pub complete: bool,
    /// Whether no input makes the program fail anywhere else.
    pub proved: bool,
    /// What was found, the failing ones first.
    pub tests: Vec<Found>,
    /// How many runs were made.
    pub runs: u64,
    /// How many paths they went.
    pub paths: u64,
}

/// Inputs and what they do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Its name as a test.
    pub name: String,
    /// Whether it passes.
    pub verdict: Verdict,
    /// Parameters, globals, nondeterministic values.
    pub inputs: Vec<Input>,
    /// As they are given on the command line, standard input that was searched apart.
    pub arguments: Vec<String>,
    /// Standard input, when it was searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// Standard input where it is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin_bytes: Option<Vec<u8>>,
    /// How the run failed; absent when it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Where in the failing statement, when that is not its begin: it may fail in several ways.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<Loc>,
}

/// A statement of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Statement {
    /// Where it stands.
    pub at: Loc,
    /// Its text.
    pub text: String,
}

/// Whether a test passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It does something else than expected.
    Fail,
    /// It does what is expected.
    Pass,
}

/// A test and what was found about it alone. Numbers are indices of [`Diagnosed::statements`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// Whether it passes.
    pub verdict: Verdict,
    /// Minimal sets of statements whose change repairs this test.
    pub diagnoses: Vec<Vec<u32>>,
    /// Whether these are all such sets, and the conflicts all conflicts.
    pub complete: bool,
    /// Sets of statements that cannot all be right; absent when they were not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflicts: Option<Vec<Vec<u32>>>,
}

/// Statements whose change together repairs the failing tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// Its place in the order, from 1.
    pub rank: u64,
    /// The statements.
    pub statements: Vec<Statement>,
    /// How many failing tests it repairs.
    pub fixes: u64,
    /// How many failing tests it was held against: all, or a few where an edit repairs all.
    pub of: u64,
    /// How the statement does when it may compute something else, but only from what it reads; single statements only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<Judged>,
    /// From 0 to 1000: how much more failing tests execute it than passing ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspicion_per_mille: Option<u64>,
    /// Values that make tests pass.
    pub values: Vec<Value>,
    /// Whether running the program with these values made the tests pass; absent when that was not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// Why it has its place, in words.
    pub reason: String,
    /// What found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<FoundBy>,
    /// Edits that pass all tests, or repair some and break none; the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patches: Vec<Patch>,
}

impl Diagnosis {
    /// Whether an edit of it passes all tests; others repair some of them.
    pub fn has_repair(&self) -> bool {
        self.patches.first().is_some_and(|patch| patch.passes == patch.of)
    }
}

/// What finds a diagnosis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FoundBy {
    /// The whole program as a formula.
    Formula,
    /// An edit that passes the tests.
    Patch,
    /// Values of the statement that make the tests pass, searched for by runs.
    Angelic,
}

/// An edit of the program's text that was run on the tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patch {
    /// As a unified diff.
    pub diff: String,
    /// What kind of change it is.
    pub edit: String,
    /// How many tests pass with it.
    pub passes: u64,
    /// How many it was run on.
    pub of: u64,
}

/// How a statement does as a function of what it reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// Failing tests that no such function repairs together with the others.
    pub clashes: u64,
    /// Passing tests that the function that repairs the failing ones would break.
    pub breaks: u64,
    /// Passing tests that it would break if it looked at the order of what it reads only.
    #[serde(default)]
    pub coarse: u64,
    /// Passing tests that were tried.
    pub tried: u64,
    /// Passing tests.
    pub passing: u64,
}

/// A value that, instead of the computed one, helps to make a test pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value {
    /// The name of the test.
    pub test: String,
    /// The statement that gives the value.
    pub at: Loc,
    /// What gives the value, when that is less than the statement.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The value.
    pub value: String,
    /// What was computed; empty when that is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub was: String,
    /// Whether the test passed when it was run with the value; absent when that was not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// The assignments of a run that, replaced by a constant, stop its failure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relevance {
    /// Those that do, the best first.
    pub relevant: Vec<Relevant>,
    /// How many assigning statements of the source the run executed.
    pub assignments: u64,
    /// Those of them about which nothing is known: other values lead elsewhere than the run, or there was no time.
    pub unclear: Vec<Statement>,
    /// Whether it is known of all others that they do not.
    pub complete: bool,
    /// Of all error traces of a program: those that do in some of them only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_some: Vec<Relevant>,
    /// The error traces, where not one run was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traces: Option<Traces>,
    /// With `-v`: the statements that the run executed, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run: Vec<Passed>,
}

/// A statement that a run executed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passed {
    /// Its number among those of the run, from 1.
    pub position: u64,
    /// The line.
    pub line: u32,
    /// What it says.
    pub text: String,
    /// Whether a constant in its place keeps the run from going this way.
    pub relevant: bool,
}

/// The error traces of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traces {
    /// How many were found and confirmed by a run.
    pub found: u64,
    /// Whether every other one consists of the statements of one of these.
    pub complete: bool,
    /// How many error traces were looked at for it, also those that cannot be executed.
    pub iterations: u64,
}

/// A statement that, replaced by the assignment of a constant, stops the failure of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relevant {
    /// Where it stands.
    pub at: Loc,
    /// Its text.
    pub text: String,
    /// Its place among the statements of the run, from 0; of several the last at which it is relevant.
    pub position: u64,
    /// What it sets.
    pub variable: String,
    /// What it set it to.
    pub was: String,
    /// The constant; absent where a proof blames the statement and no constant is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
    /// Values that may be anything, before it, where they have to be others than in the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<Input>,
    /// All its places among the statements of the run at which it is relevant.
    pub occurrences: Vec<u64>,
    /// How often the run executed it, 0 where it did not end; and which of these times `position` is, from 1.
    pub executed: u64,
    /// See `executed`.
    pub time: u64,
    /// In how many error traces it is relevant, where not one run was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_traces: Option<u64>,
    /// What no longer holds then.
    pub stops: Stops,
    /// What the program did when it was run with the constant; absent where that was not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<Replayed>,
}

/// What stops a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stops {
    /// Where the condition stands; where there is none, the statement that does something else then.
    pub at: Loc,
    /// What held in the run and does not hold then; empty where it is no condition.
    pub text: String,
    /// Whether it is the failure itself.
    pub failure: bool,
}

/// What a program does with another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Replayed {
    /// It does not fail.
    Passes,
    /// It still fails, perhaps in another way.
    Fails,
    /// It did not fail, nor end, in many times what the failing run took.
    Endless,
    /// What the program assumes does not allow it.
    Assumed,
}
