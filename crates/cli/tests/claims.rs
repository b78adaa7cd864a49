//! What explanations claim of other inputs: every input that satisfies a printed precondition fails, natively.
//!
//! `tests/claims` has programs on which something else was said once. Others are made up by chance; `WHEREFORE_PROGRAMS`
//! says how many, `WHEREFORE_SEED` where to begin. With `WHEREFORE_SURVEY` all that are wrong are shown as they are.

mod common;
mod generator;

use clap::Parser;
use generator::asked::Asked;
use generator::inputs::inputs;
use generator::render::{Program, Role, render};
use generator::scalar::Scalar;
use generator::scope::Type;
use generator::shrunk::{shrink, tree};
use generator::sketch::Sketch;
use generator::strategy::sketch_with_inputs;
use generator::subject::{Subject, subjects};
use generator::trials::{Trial, Tried, tried};
use proptest::strategy::ValueTree;
use std::path::Path;
use wherefore_cli::Work;
use wherefore_cli::options::{Cli, Command};
use wherefore_parallel::{processors, try_parallel};
use wherefore_report::Report;

/// As the command has: thousands of solvers are made and thrown away.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Programs by default, and in one native executable.
const PROGRAMS: u64 = 500;
const BATCH: usize = 25;
/// Inputs that each precondition is tried on.
const INPUTS: usize = 200;

#[test]
fn preconditions_of_generated_programs() {
    let asked = Asked::new(PROGRAMS);
    let seeds: Vec<u64> = asked.seeds.clone().collect();
    let batches: Vec<&[u64]> = seeds.chunks(BATCH).collect();
    let one = |(): &mut (), _: usize, seeds: &&[u64]| counted(seeds, asked.survey);
    let counts = try_parallel(&batches, processors(), || Ok(()), one).unwrap_or_else(|wrong: String| panic!("{wrong}"));
    let count = counts.iter().fold(Count::default(), Count::and);
    let programs = asked.programs();
    eprintln!("{count:?} of {programs} programs");
    assert!(programs < 100 || count.explained * 10 >= programs * 5, "too few programs fail");
    assert!(programs < 100 || count.open * 10 <= count.explained, "too few preconditions can be tried");
    assert!(programs < 100 || count.unchecked * 20 <= programs, "too many explanations are not checked");
    assert!(programs < 100 || count.satisfied >= programs * 20, "too few inputs satisfy a precondition");
}

/// Explain some programs; an error for the first with a wrong claim, unless all of them are to be shown.
fn counted(seeds: &[u64], survey: bool) -> Result<Count, String> {
    let sketches: Vec<Sketch> = seeds.iter().map(|s| tree(&sketch_with_inputs(), *s).current()).collect();
    let mut count = Count::default();
    for (seed, claim) in seeds.iter().zip(claims(&sketches)) {
        let Some(claim) = claim else { continue };
        count.add(&claim);
        let Some(wrong) = claim.wrong() else { continue };
        if survey {
            eprintln!("{}\nseed {seed}: {wrong}", claim.subject.listing());
        } else {
            let smallest = smaller(*seed, claim);
            let wrong = smallest.wrong().expect("only such are kept");
            return Err(format!("seed {seed}:\n{}\n{wrong}", smallest.subject.listing()));
        }
    }
    Ok(count)
}

/// What was seen.
#[derive(Default, Debug)]
struct Count {
    explained: u64,
    /// Explanations that are not checked.
    unchecked: u64,
    /// Preconditions that are not about the parameters.
    open: u64,
    satisfied: u64,
    failed: u64,
    undecided: u64,
}

impl Count {
    fn and(self, other: &Count) -> Count {
        Count {
            explained: self.explained + other.explained,
            unchecked: self.unchecked + other.unchecked,
            open: self.open + other.open,
            satisfied: self.satisfied + other.satisfied,
            failed: self.failed + other.failed,
            undecided: self.undecided + other.undecided,
        }
    }

    fn add(&mut self, claim: &Claim) {
        self.explained += 1;
        match &claim.outcome {
            Outcome::Unchecked => self.unchecked += 1,
            Outcome::Open => self.open += 1,
            Outcome::Error(_) => {}
            Outcome::Tried(_, tried) => {
                self.satisfied += tried.satisfied as u64;
                self.failed += tried.failed as u64;
                self.undecided += tried.undecided as u64;
            }
        }
    }
}

/// A program and what came of its precondition.
struct Claim {
    subject: Subject,
    outcome: Outcome,
}

enum Outcome {
    Unchecked,
    Open,
    Error(String),
    /// The precondition, tried.
    Tried(String, Tried),
}

impl Claim {
    fn wrong(&self) -> Option<String> {
        match &self.outcome {
            Outcome::Error(message) => Some(message.clone()),
            Outcome::Tried(precondition, Tried { passes: Some(input), .. }) => {
                Some(format!("`{precondition}` holds for {input:?}, which passes"))
            }
            Outcome::Tried(precondition, Tried { excludes_recorded: true, .. }) => {
                Some(format!("`{precondition}` does not hold for the recorded input"))
            }
            _ => None,
        }
    }
}

/// Explain programs and try their preconditions; nothing for those that do not fail.
fn claims(sketches: &[Sketch]) -> Vec<Option<Claim>> {
    let directory = tempfile::tempdir().expect("there is room");
    let programs = sketches.iter().map(|s| (render(s), s.assertion.clone())).collect();
    let subjects = subjects(programs, directory.path());
    let mut claims: Vec<Option<Claim>> = vec![];
    let mut trials = vec![];
    for (index, subject) in subjects.into_iter().enumerate() {
        let claim = subject.map(|subject| {
            let outcome = match precondition(&subject, directory.path()) {
                Err(message) => Outcome::Error(message),
                Ok(None) => Outcome::Unchecked,
                Ok(Some(text)) if !speaks_of_parameters(&text, &subject.program) => Outcome::Open,
                Ok(Some(text)) => {
                    trials.push((index, trial(&subject, &text, index as u64)));
                    Outcome::Tried(text, Tried::default())
                }
            };
            Claim { subject, outcome }
        });
        claims.push(claim);
    }
    let (indices, trials): (Vec<usize>, Vec<Trial>) = trials.into_iter().unzip();
    let results = if trials.is_empty() { vec![] } else { tried(&trials, directory.path()) };
    for (index, result) in indices.into_iter().zip(results) {
        let claim = claims[index].as_mut().expect("it was tried");
        claim.outcome = match (result, &claim.outcome) {
            (Ok(tried), Outcome::Tried(text, _)) => Outcome::Tried(text.clone(), tried),
            (Err(message), Outcome::Tried(text, _)) => Outcome::Error(format!("`{text}` is not C: {message}")),
            _ => continue,
        };
    }
    claims
}

/// A printed precondition; nothing if it is not checked.
type Printed = Result<Option<String>, String>;

/// The printed precondition of a program.
fn precondition(subject: &Subject, directory: &Path) -> Printed {
    let (source, output) = (directory.join("program.c"), directory.join("report.json"));
    std::fs::write(&source, subject.text()).map_err(|e| e.to_string())?;
    let [source, output] = [&source, &output].map(|p| p.display().to_string());
    let mut arguments = vec!["wherefore", "explain", &source, "--format", "json", "-o", &output]
        .into_iter()
        .map(String::from)
        .collect::<Vec<_>>();
    arguments.extend(["--entry".to_string(), subject.program.entry.clone()]);
    for (name, value) in &subject.program.inputs {
        arguments.extend(["--input".to_string(), format!("{name}={value}")]);
    }
    let command = Cli::try_parse_from(arguments).map_err(|e| e.to_string())?.command;
    let Command::Explain(options) = command else { return Err("not what was asked for".into()) };
    let status = wherefore_cli::explain::explain(&options, &Work::default()).map_err(|e| format!("{e:#}"))?;
    let text = std::fs::read_to_string(options.report.output.as_ref().expect("given")).map_err(|e| e.to_string())?;
    let report: Report = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let explanation = report.explanation.ok_or_else(|| format!("status {status:?} without an explanation"))?;
    Ok(explanation.checked.then_some(explanation.precondition))
}

/// Whether every name in a text is a parameter of the entry.
fn speaks_of_parameters(text: &str, program: &Program) -> bool {
    let words = ["unsigned", "signed", "int", "char", "short", "long", "true", "false", "bool", "_Bool"];
    generator::native::tokens(text).into_iter().all(|token| {
        let is_name = token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        !is_name || words.contains(&token) || program.inputs.iter().any(|(name, _)| name == token)
    })
}

fn trial(subject: &Subject, precondition: &str, seed: u64) -> Trial {
    let program = &subject.program;
    let entry = program.lines.iter().find(|l| l.role == Role::Entry(program.entry.clone())).expect("it has one");
    let types: Vec<Scalar> = program
        .inputs
        .iter()
        .map(|(name, _)| {
            let parameter = entry.scopes.levels.last().into_iter().flatten().find(|v| v.name == *name);
            match parameter.map(|v| &v.kind) {
                Some(Type::Scalar(scalar)) => *scalar,
                other => panic!("a parameter is {other:?}"),
            }
        })
        .collect();
    let recorded: Vec<i128> = program.inputs.iter().map(|i| i.1).collect();
    let text = subject.text();
    let parameters = types.iter().zip(&program.inputs).map(|(t, (n, _))| (t.name().to_string(), n.clone())).collect();
    let inputs = inputs(&types, &recorded, &[precondition, &text], INPUTS, seed);
    Trial { text, entry: program.entry.clone(), parameters, precondition: precondition.to_string(), inputs }
}

/// A smaller program with a wrong claim.
fn smaller(seed: u64, claim: Claim) -> Claim {
    shrink(tree(&sketch_with_inputs(), seed), claim, |sketch| {
        claims(&[sketch]).pop().flatten().filter(|c| c.wrong().is_some())
    })
}

/// A program of `tests/claims`: its precondition is tried on a grid of inputs.
///
/// ```text
/// run: --entry FN --input NAME=VALUE ...
/// parameters: TYPE NAME, TYPE NAME       of FN
/// grid: FROM TO                          for each parameter
/// ```
fn hold(name: &str) {
    let program = common::Program::read("claims", name);
    let scratch = tempfile::tempdir().expect("a directory");
    let mut arguments = ["explain", "--format", "json"].map(str::to_string).to_vec();
    arguments.extend(program.arguments(scratch.path()));
    let said = common::run(&arguments);
    assert_eq!(said.status, Some(0), "{name}: {}", said.stderr);
    let report = said.json();
    assert_eq!(report["explanation"]["checked"], true, "{name}: {report:#}");
    let precondition = report["explanation"]["precondition"].as_str().expect("a precondition").to_string();
    let run = program.one("run").expect("it has one");
    let words: Vec<&str> = run.split(' ').collect();
    let word_after = |option: &str| words.windows(2).filter(|w| w[0] == option).map(|w| w[1]).collect::<Vec<_>>();
    let entry = word_after("--entry")[0].to_string();
    let parameters: Vec<(String, String)> = program
        .one("parameters")
        .expect("it has them")
        .split(", ")
        .map(|p| p.rsplit_once(' ').expect("a type and a name"))
        .map(|(kind, name)| (kind.to_string(), name.to_string()))
        .collect();
    let given: Vec<(&str, i128)> = word_after("--input")
        .into_iter()
        .filter_map(|i| i.split_once('='))
        .map(|(name, value)| (name, value.parse().expect("a number")))
        .collect();
    let recorded = |name: &str| given.iter().find(|(n, _)| *n == name).map_or(0, |(_, v)| *v);
    let grid: Vec<i128> =
        program.one("grid").unwrap_or("-8 24").split(' ').map(|n| n.parse().expect("a number")).collect();
    let mut inputs: Vec<Vec<i128>> = vec![vec![]];
    for _ in &parameters {
        inputs = inputs.into_iter().flat_map(|i| (grid[0]..=grid[1]).map(move |v| [&i[..], &[v]].concat())).collect();
    }
    inputs.insert(0, parameters.iter().map(|(_, name)| recorded(name)).collect());
    let trial = Trial { text: program.source.clone(), entry, parameters, precondition: precondition.clone(), inputs };
    let result = tried(&[trial], scratch.path()).pop().expect("one trial");
    let tried = result.unwrap_or_else(|message| panic!("{name}: `{precondition}` is not C: {message}"));
    assert_eq!(tried.passes, None, "{name}: `{precondition}` holds for this input, which passes");
    assert!(!tried.excludes_recorded && tried.failed > 0, "{name}: `{precondition}`: {tried:?}");
}

macro_rules! programs {
    ($($name:ident)*) => {
        $(#[test] fn $name() { hold(stringify!($name)); })*

        #[test]
        fn all_programs_are_tried() {
            let listed = [$(stringify!($name)),*];
            let directory = common::workspace().join("tests/claims");
            for entry in std::fs::read_dir(directory).expect("a directory") {
                let path = entry.expect("a file").path();
                let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
                assert!(listed.contains(&name.as_str()), "{name} is not tried");
            }
        }
    };
}

programs! {
    forever_break
    goto_back
    forever_sum
    goto_sum
    forever_limit
    two_breaks
    return_inside
    into_loop
    switch_inside
    index_read
    index_write
    index_loop
    index_untaken
    callee_exits
    library_result
    filled
    sorted
    text_compare
    text_digit
    text_found
    text_length
    text_number
}
