//! What the user can ask for.

use clap::builder::RangedU64ValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum, value_parser};
use std::ffi::OsString;
use std::path::PathBuf;
use wherefore_case::Expected;
use wherefore_solver::Backend;

/// More threads than this help nobody.
const MOST_JOBS: u64 = 1024;

/// The command that has no options of its own.
const AFTER_HELP: &str = "wherefore cc ARGS... is clang, whose executables the other commands take as PROGRAM: make \
                          CC=\"wherefore cc\"";

/// Says where a C program is wrong and why it fails.
#[derive(Parser, Debug)]
#[command(name = "wherefore", version, about, long_about = None, max_term_width = 100, after_help = AFTER_HELP)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads the command line; the first word is the program's name.
    ///
    /// # Errors
    /// When it makes no sense, or asks for help.
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
        // A list names its programs itself.
        let lists = |diagnose: clap::Command| {
            diagnose.mut_args(|argument| match argument.get_id() == "program" {
                true => argument.required_unless_present_any(["batch", "compile_commands"]),
                false => argument,
            })
        };
        let command = <Cli as clap::CommandFactory>::command().mut_subcommand("diagnose", lists);
        command.try_get_matches_from(arguments).and_then(|matches| clap::FromArgMatches::from_arg_matches(&matches))
    }
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run a program and explain why it fails
    Explain(Explain),
    /// Find the smallest sets of statements whose change repairs all failing tests
    Diagnose(Diagnose),
    /// Run a program and write down what happens, to be explained later
    Record(Record),
    /// Find inputs that make a program fail
    Search(Search),
    /// Run a program and find the assignments that, replaced by a constant, stop its failure
    Relevant(Relevant),
}

/// Options of `explain`.
#[derive(Args, Clone, Debug)]
pub struct Explain {
    /// Which run.
    #[command(flatten)]
    pub run: Run,
    /// What is expected of it.
    #[command(flatten)]
    pub wanted: Expect,
    /// Tests, as for diagnose: a directory of NAME.in, NAME.args, NAME.out and so on, or a file of argument lines
    #[arg(long, value_name = "TESTS", conflicts_with_all = ["stdin", "input", "nondet", "arguments"])]
    pub tests: Option<PathBuf>,
    /// The test to run and to hold the program against
    #[arg(long, value_name = "NAME", requires = "tests")]
    pub test: Option<String>,
    /// A violation witness of another verifier (SV-COMP, YAML 2.0 or GraphML 1.0): look at the failure that it tells of
    #[arg(long, value_name = "FILE", conflicts_with_all = ["stdin", "input", "nondet", "arguments", "tests"])]
    pub witness: Option<PathBuf>,
    /// Ask why the statement on a line is never reached or, with --expect, why something does not hold there, the last or the N-th time
    #[arg(long, value_name = "FILE:LINE[:N]")]
    pub at: Option<String>,
    /// What should hold at --at, in C
    #[arg(long, value_name = "CONDITION", requires = "at")]
    pub expect: Option<String>,
    /// How the run becomes a formula
    #[arg(long, value_enum, default_value_t = Encoding::FlowSensitive)]
    pub encoding: Encoding,
    /// Whether to explain why pointers pointed where they did
    #[arg(long, value_enum, default_value_t = Switch::Off)]
    pub addresses: Switch,
    /// Where the recorded state makes simple what must hold: at each statement, or at calls and returns only
    #[arg(long, value_enum, default_value_t = Split::Statements)]
    pub split: Split,
    /// Go past uses of memory that C does not allow, to the next failure
    #[arg(long)]
    pub ignore_memory: bool,
    /// Look for uses of memory that C does not allow also in a long run that does not fail
    #[arg(long, conflicts_with = "ignore_memory")]
    pub watch_memory: bool,
    /// Of runs of more words only what the failure can depend on is looked at
    #[arg(long, value_name = "WORDS", default_value_t = 100_000, hide = true)]
    pub slice_above: usize,
    /// Follow conditions so far: 1 to the nearest ones of what the wrong value came from, 2 to those around them and of what
    /// decided them. Unless it is said (or -v, which follows all), as far as a long story stays short
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub reasons: Option<u32>,
    /// Show all steps that are at most so many causes away from the failure
    #[arg(long, value_name = "N")]
    pub depth: Option<u32>,
    /// Show the last N steps, in full
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub last: Option<usize>,
    /// Where the report goes.
    #[command(flatten)]
    pub report: Report,
}

/// Options of `relevant`.
#[derive(Args, Clone, Debug)]
pub struct Relevant {
    /// Which run.
    #[command(flatten)]
    pub run: Run,
    /// What is expected of it.
    #[command(flatten)]
    pub wanted: Expect,
    /// Tests, as for diagnose: a directory of NAME.in, NAME.args, NAME.out and so on, or a file of argument lines
    #[arg(long, value_name = "TESTS", conflicts_with_all = ["stdin", "input", "nondet", "arguments"])]
    pub tests: Option<PathBuf>,
    /// The test to run and to hold the program against
    #[arg(long, value_name = "NAME", requires = "tests")]
    pub test: Option<String>,
    /// A violation witness of another verifier (SV-COMP, YAML 2.0 or GraphML 1.0): look at the failure that it tells of
    #[arg(long, value_name = "FILE", conflicts_with_all = ["stdin", "input", "nondet", "arguments", "tests"])]
    pub witness: Option<PathBuf>,
    /// Look at all error traces of the program, not at one run: what is relevant in each of them
    #[arg(long, conflicts_with_all = ["witness", "tests"])]
    pub all_traces: bool,
    /// Go past uses of memory that C does not allow, to the next failure
    #[arg(long)]
    pub ignore_memory: bool,
    /// How it is decided
    #[arg(long, value_enum, default_value_t = By::Definition)]
    pub by: By,
    /// What numbers are: bits as in the machine, or mathematical integers, which only Z3 decides
    #[arg(long, value_enum, default_value_t = Arith::Bits)]
    pub arith: Arith,
    /// What decides the formulas; with --arith int always Z3
    #[arg(long, value_enum, default_value_t = Solving::Cadical)]
    pub backend: Solving,
    /// Statements worked on at the same time; 0: as many as there are processors
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = RangedU64ValueParser::<usize>::new().range(..=MOST_JOBS))]
    pub jobs: usize,
    /// Where the report goes.
    #[command(flatten)]
    pub report: Report,
}

impl Relevant {
    /// How the run itself is asked for.
    pub fn explained(&self) -> Explain {
        Explain {
            run: self.run.clone(),
            wanted: self.wanted.clone(),
            tests: self.tests.clone(),
            test: self.test.clone(),
            witness: self.witness.clone(),
            at: None,
            expect: None,
            encoding: Encoding::FlowSensitive,
            addresses: Switch::Off,
            split: Split::Statements,
            ignore_memory: self.ignore_memory,
            watch_memory: false,
            // What is relevant may be what the failure does not depend on as it is.
            slice_above: usize::MAX,
            reasons: None,
            depth: None,
            last: None,
            report: self.report.clone(),
        }
    }
}

/// What numbers are.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
pub enum Arith {
    /// Bits of a fixed width, as in the machine
    Bits,
    /// Mathematical integers, without ends
    Int,
}

/// How it is decided whether a statement is relevant.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
pub enum By {
    /// There is a constant with which the run does not come to its failure
    Definition,
    /// A proof that the failure follows blames the statement
    Core,
}

/// Options of `diagnose`.
#[derive(Args, Debug)]
pub struct Diagnose {
    /// Which run, when no tests are given.
    #[command(flatten)]
    pub run: Run,
    /// What is expected of it.
    #[command(flatten)]
    pub wanted: Expect,
    /// A directory of NAME.in, NAME.args, NAME.inputs, NAME.out and NAME.status, or a file with one line of arguments per test
    #[arg(long, value_name = "TESTS")]
    pub tests: Option<PathBuf>,
    /// One expected line of output for each line of TESTS
    #[arg(long, value_name = "FILE")]
    pub expect: Option<PathBuf>,
    /// A correct version of the program: its output and status are expected
    #[arg(long, value_name = "PROGRAM")]
    pub reference: Vec<PathBuf>,
    /// How the program becomes a formula
    #[arg(long, value_enum, default_value_t = Whole::Full)]
    pub encoding: Whole,
    /// How the diagnoses of several tests become one
    #[arg(long, value_enum, default_value_t = Combine::Unified)]
    pub combine: Combine,
    /// Look for sets of at most so many statements
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub max_size: Option<usize>,
    /// Give at most so many sets, for each test and for all
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub limit: usize,
    /// Follow each loop and recursion so many rounds instead of as many as the tests need and some more
    #[arg(long, value_name = "N")]
    pub unwind: Option<u32>,
    /// What decides the formulas
    #[arg(long, value_enum, default_value_t = Solving::Cadical)]
    pub backend: Solving,
    /// Also give the minimal sets of statements that cannot all be right
    #[arg(long)]
    pub conflicts: bool,
    /// Tests and edits worked on at the same time; 0: as many as there are processors
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = RangedU64ValueParser::<usize>::new().range(..=MOST_JOBS))]
    pub jobs: usize,
    /// Write the best edit that passes all tests to a file, as a unified diff
    #[arg(long, value_name = "FILE")]
    pub patch: Option<PathBuf>,
    /// Change the program's file by the best edit that passes all tests
    #[arg(long)]
    pub apply: bool,
    /// A list of programs to diagnose, one result for each in the directory -o: lines of a name and what this command is
    /// given for it; --timeout and --memory are for each
    #[arg(long, value_name = "MANIFEST", requires = "output", conflicts_with_all = ALONE)]
    pub batch: Option<PathBuf>,
    /// Of a list only every N-th program, from the K-th
    #[arg(long, value_name = "K/N", requires = "batch", value_parser = shard)]
    pub shard: Option<(usize, usize)>,
    /// Where the report goes.
    #[command(flatten)]
    pub report: Report,
}

/// What is said of one program, not of a list.
const ALONE: [&str; 14] = [
    "program",
    "compile_commands",
    "tests",
    "expect",
    "reference",
    "expect_stdout",
    "patch",
    "apply",
    "input",
    "nondet",
    "stdin",
    "expect_status",
    "error_label",
    "arguments",
];

/// One of several shares: `2/5`.
fn shard(text: &str) -> Result<(usize, usize), String> {
    let numbers = text.split_once('/').and_then(|(k, n)| Some((k.parse::<usize>().ok()?, n.parse::<usize>().ok()?)));
    numbers.filter(|(k, n)| (1..=*n).contains(k)).ok_or_else(|| "expected K/N with K from 1 to N".into())
}

/// Where a report goes, and in which form.
#[derive(Args, Clone, Debug)]
pub struct Report {
    /// For a person or for a program
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// Write the report to a file
    #[arg(short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Colour in the report
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// What is expected of a run.
#[derive(Args, Clone, Debug)]
pub struct Expect {
    /// An output other than this file's content is a failure
    #[arg(long, value_name = "FILE")]
    pub expect_stdout: Option<PathBuf>,
}

/// Encodings of whole programs.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
pub enum Whole {
    /// The statements of the failing run, conditions taken as they were
    Trace,
    /// The statements of the failing run under their conditions
    FlowSensitive,
    /// All paths of the program
    Full,
}

/// Solvers.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
pub enum Solving {
    /// CaDiCaL, on bits
    Cadical,
    /// Z3: slower; a second opinion
    Z3,
}

impl From<Solving> for Backend {
    fn from(asked: Solving) -> Backend {
        match asked {
            Solving::Cadical => Backend::Cadical,
            Solving::Z3 => Backend::Z3,
        }
    }
}

/// Ways to combine diagnoses.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
pub enum Combine {
    /// The smallest sets that repair all tests at once
    Unified,
    /// All unions of a diagnosis of each test
    Product,
}

/// Options of `record`.
#[derive(Args, Debug)]
pub struct Record {
    /// Which run.
    #[command(flatten)]
    pub run: Run,
    /// Where to write the recording
    #[arg(short, value_name = "FILE", default_value = "wherefore.recording")]
    pub output: PathBuf,
}

/// Options of `search`.
#[derive(Args, Debug)]
pub struct Search {
    /// Which program; inputs that are given are not searched, `--input NAME=?` makes a global one.
    #[command(flatten)]
    pub run: Run,
    /// Follow loops and recursion for at most this many rounds
    #[arg(long, value_name = "N")]
    pub unwind: Option<u32>,
    /// How failures are found
    #[arg(long, value_enum, default_value_t = SearchBy::Both)]
    pub by: SearchBy,
    /// Go at most this many paths
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub runs: usize,
    /// Stop after this many failing inputs
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub limit: Option<usize>,
    /// For a person or for a program
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// Save the inputs found as tests in a directory
    #[arg(short, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// Ways to find failures.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
pub enum SearchBy {
    /// Going all paths, one after the other
    Paths,
    /// Asking a solver about the whole program, with loops followed for a limited number of rounds
    Formula,
    /// Paths, and the solver where they are too many
    Both,
    /// Error traces, the shortest first, those that cannot be executed generalised until none is left
    Automata,
}

/// Which run.
#[derive(Args, Clone, Debug)]
pub struct Run {
    /// C files (or .i, .bc, .ll files) of the program, an executable made by `wherefore cc`, a .bpl file, or a recording
    #[arg(required_unless_present = "compile_commands", value_name = "PROGRAM")]
    pub program: Vec<PathBuf>,
    /// Instead of PROGRAM: a compilation database (compile_commands.json) whose C files are one program
    #[arg(long, value_name = "FILE", conflicts_with = "program")]
    pub compile_commands: Option<PathBuf>,
    /// The function to run
    #[arg(long, value_name = "FN", default_value = "main")]
    pub entry: String,
    /// Value of a parameter of the entry function, or of a global; repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    pub input: Vec<String>,
    /// Values of the calls of __VERIFIER_nondet_* and of functions that are nowhere defined, in order
    #[arg(long, value_name = "V,V,...", value_delimiter = ',', allow_hyphen_values = true)]
    pub nondet: Vec<String>,
    /// Standard input of the program
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// An exit status other than this one is a failure
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub expect_status: Option<i32>,
    /// A label that is to be unreachable: coming to it is a failure
    #[arg(long, value_name = "LABEL")]
    pub error_label: Option<String>,
    /// A directory with headers, as for clang; repeatable
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<String>,
    /// A macro, as for clang; repeatable
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// A directory with libraries, as for clang; repeatable
    #[arg(short = 'L', value_name = "DIR")]
    pub library_directory: Vec<String>,
    /// A library, as for clang; repeatable
    #[arg(short = 'l', value_name = "NAME")]
    pub library: Vec<String>,
    /// Any other argument for the compiler; repeatable
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    pub cc_arg: Vec<String>,
    /// What the whole command may take, the program included
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds, allow_hyphen_values = true)]
    pub timeout: f64,
    /// Memory the program may use, and the analysis of it
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = value_parser!(u64).range(1..))]
    pub memory: u64,
    /// Print only the report
    #[arg(short)]
    pub quiet: bool,
    /// Say all: every step and note, times, what the program printed
    #[arg(short)]
    pub verbose: bool,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<OsString>,
}

impl Run {
    /// What is expected of the run.
    pub fn expected(&self) -> Expected {
        Expected { stdout: None, status: self.expect_status }
    }

    /// All arguments for the compiler.
    pub fn cc_args(&self) -> Vec<String> {
        let letters =
            [("-I", &self.include), ("-D", &self.define), ("-L", &self.library_directory), ("-l", &self.library)];
        let written =
            letters.into_iter().flat_map(|(letter, all)| all.iter().map(move |text| format!("{letter}{text}")));
        written.chain(self.cc_arg.iter().cloned()).collect()
    }
}

/// Encodings.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// Every executed statement is a fact; conditions are not explained
    Trace,
    /// Conditions are explained by recursive calls
    Recursive,
    /// Statements depend on the conditions they lie under; missing assignments are found
    FlowSensitive,
}

/// Where the recorded state is looked at.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
pub enum Split {
    /// Before each statement
    Statements,
    /// Where a function is called or returns, as in Concolic Fault Abstraction
    Calls,
}

/// On or off.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
pub enum Switch {
    /// Yes
    On,
    /// No
    Off,
}

/// Formats of the report.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
pub enum Format {
    /// For a person
    Human,
    /// For a program
    Json,
}

/// When to use colour.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
pub enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// A time: what is none is refused here, for all commands.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(time) if time > 0.0 && time.is_finite() => Ok(time),
        Ok(_) => Err("the time must be positive".into()),
        Err(_) => Err("not a number of seconds".into()),
    }
}
