//! The formula of a program must do what the program natively does.
//!
//! Each program of `tests/unfold` says in comments how it is run:
//!
//! ```text
//! args: WORD WORD ...   arguments, one line for each run
//! stdin: TEXT           standard input, with \n; the line belongs to the `args` line of the same number
//! open: REASON          the formula leaves open what the program does, and why that is right
//! open-soft: REASON     likewise where all statements can be set free; notes are fine there then
//! fails: TEXT           the formula sees a failure that contains the text
//! note: TEXT            a note contains it
//! notes:                notes are fine; otherwise there must be none
//! ```

mod common;

use clap::Parser;
use common::{Program, workspace};
use std::ffi::OsString;
use wherefore_budget::Budget;
use wherefore_cli::diagnose::{Case, Problem};
use wherefore_cli::options::{self, Cli};
use wherefore_frontend::Instrument;
use wherefore_record::{Ending, Run};
use wherefore_unfold::{Observation, TestInput, Unfolding, unfold};

/// The name by which the program knows itself.
const NAME: &str = "program";

#[test]
fn formulas_do_what_programs_do() {
    let mut names: Vec<String> = std::fs::read_dir(workspace().join("tests/unfold"))
        .expect("a directory")
        .filter_map(|e| e.expect("a file").file_name().to_str()?.strip_suffix(".c").map(str::to_string))
        .collect();
    names.sort();
    if let Ok(only) = std::env::var("WHEREFORE_UNFOLD") {
        names.retain(|name| only.split(',').any(|n| n == name));
    }
    assert!(!names.is_empty());
    let wrong: Vec<String> = names.iter().flat_map(|name| check(&Program::read("unfold", name))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The runs that a program asks for.
fn cases(program: &Program) -> Vec<Case> {
    let (arguments, stdin) = (program.all("args"), program.all("stdin"));
    let runs = arguments.len().max(stdin.len()).max(1);
    (0..runs)
        .map(|n| Case {
            name: format!("t{}", n + 1),
            arguments: arguments.get(n).map_or(vec![], |a| a.split_whitespace().map(OsString::from).collect()),
            stdin: stdin.get(n).map_or(vec![], |text| text.replace("\\n", "\n").replace("\\t", "\t").into_bytes()),
            ..Case::default()
        })
        .collect()
}

/// What is wrong with the formula of a program.
fn check(program: &Program) -> Vec<String> {
    let scratch = tempfile::tempdir().expect("a directory");
    let arguments = ["wherefore", "diagnose"].map(str::to_string).into_iter();
    let cli = Cli::parse_from(arguments.chain(program.files.iter().map(|f| f.display().to_string())));
    let options::Command::Diagnose(options) = cli.command else { panic!("not a diagnose command") };
    let build = wherefore_cli::run::build(&options.run, Instrument::Replay, scratch.path(), &Budget::unlimited())
        .expect("it is built");
    if std::env::var("WHEREFORE_DUMP").is_ok() {
        eprintln!("{}", wherefore_program::print(&build.program));
    }
    let cases = cases(program);
    let mut images = None;
    let mut seen = vec![];
    for case in &cases {
        let mut run = Run::new(&build.executable);
        run.argv0 = Some(NAME.into());
        run.arguments = case.arguments.clone();
        run.limits.recording_mib = 1;
        let stdin = scratch.path().join("stdin");
        std::fs::write(&stdin, &case.stdin).expect("standard input is written");
        run.stdin = Some(stdin);
        let outcome = wherefore_record::run(&run, scratch.path()).expect("it runs");
        images = images.or(outcome.recording);
        seen.push((outcome.ending, outcome.stdout.kept));
    }
    let images = images.expect("it starts");
    let problem =
        Problem::new(&build.program, "main", NAME.as_ref(), &cases, &vec![true; cases.len()]).expect("numbers only");
    let soft = problem.settings(&options, &images, &Budget::unlimited());
    let hard = wherefore_unfold::Options {
        statements: Default::default(),
        globals: vec![],
        statement_count: 0,
        ..soft.clone()
    };
    let inputs: Vec<_> = problem.failing.iter().map(|(_, input, _)| input.clone()).collect();
    let mut wrong = vec![];
    for (how, settings) in [("hard", hard), ("soft", soft)] {
        let began = std::time::Instant::now();
        let unfolding = match unfold(&build.program, &settings, &inputs) {
            Ok(unfolding) => unfolding,
            Err(error) => {
                wrong.push(format!("{}, {how}: {error}", program.name));
                continue;
            }
        };
        let took = began.elapsed();
        eprintln!("{}, {how}: {} terms, {:.2} s", program.name, unfolding.terms.len(), took.as_secs_f64());
        for ((input, seen), case) in inputs.iter().zip(&seen).zip(&cases) {
            let does = unfolding.observe(&mut unfolding.evaluation(input));
            if let Some(what) = differs(program, &unfolding, how == "soft", input, does.as_ref(), seen) {
                wrong.push(format!("{}, {how}, {}: {what}\n  notes: {}", program.name, case.name, notes(&unfolding)));
            }
        }
        if how == "soft" && program.one("open-soft").is_some() {
            continue;
        }
        wrong.extend(missing_notes(program, &unfolding).map(|what| format!("{}, {how}: {what}", program.name)));
    }
    wrong
}

fn notes(unfolding: &Unfolding) -> String {
    let note = |n: &wherefore_program::Note| format!("{}: {}", n.at.map_or(0, |at| at.line), n.message);
    unfolding.notes.iter().map(note).collect::<Vec<_>>().join("; ")
}

/// Why it is open what a run does.
fn why(unfolding: &Unfolding, input: &TestInput) -> String {
    let mut run = unfolding.evaluation(input);
    let mut value = |term| run.value(&unfolding.terms, term);
    let mut all = vec![];
    for cut in &unfolding.cut {
        match value(*cut) {
            Some(0) => {}
            Some(_) => all.push("it leaves what was unfolded".to_string()),
            None => all.push("whether it leaves what was unfolded is open".to_string()),
        }
    }
    for failure in &unfolding.failures {
        if value(failure.guard).is_none() {
            let line = failure.at.map_or(0, |at| at.line);
            all.push(format!("line {line}: whether {} is open", failure.what));
        }
    }
    for (guard, status) in &unfolding.exits {
        if value(*guard).is_none() || value(*guard) == Some(1) && value(*status).is_none() {
            all.push("how it ends is open".to_string());
        }
    }
    all.truncate(3);
    all.iter().map(|text| format!("; {text}")).collect()
}

fn differs(
    program: &Program,
    unfolding: &Unfolding,
    soft: bool,
    input: &TestInput,
    does: Option<&Observation>,
    (ending, stdout): &(Ending, Vec<u8>),
) -> Option<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match does {
        None => (program.one("open").is_none() && !(soft && program.one("open-soft").is_some()))
            .then(|| format!("what it does is open{}", why(unfolding, input))),
        Some(Observation::Fails(number)) => {
            let failure = &unfolding.failures[*number];
            let expected = program.one("fails").is_some_and(|text| failure.what.contains(text));
            let line = failure.at.map_or(0, |at| at.line);
            (!expected).then(|| format!("line {line}: {}; natively {ending:?}", failure.what))
        }
        Some(Observation::Ends { stdout: written, status }) => {
            if program.one("fails").is_some() {
                return Some("it does not fail".into());
            }
            if *ending != Ending::Exited(*status) {
                return Some(format!("status {status}, but natively {ending:?}"));
            }
            (written != stdout).then(|| format!("writes\n{}but natively\n{}", text(written), text(stdout)))
        }
    }
}

fn missing_notes<'a>(program: &'a Program, unfolding: &'a Unfolding) -> impl Iterator<Item = String> + 'a {
    let wanted = program.all("note").iter();
    let missing = wanted.filter(|text| !unfolding.notes.iter().any(|n| n.message.contains(text.as_str())));
    let silent = program.all("note").is_empty() && program.one("notes").is_none() && !unfolding.notes.is_empty();
    let unexpected = silent.then(|| format!("unexpected notes: {}", notes(unfolding)));
    missing.map(|text| format!("no note `{text}`")).chain(unexpected)
}
