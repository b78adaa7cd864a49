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

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wherefore_budget::Budget;
use wherefore_fixtures::Fixture;
use wherefore_program::Origin;
use wherefore_record::Ending;
use wherefore_unfold::{Image, Observation, Options, TestInput, Unfolding, pointers, unfold};

/// A program and what its comments say.
struct Program {
    name: String,
    source: String,
    directives: BTreeMap<String, Vec<String>>,
}

impl Program {
    fn read(file: &Path) -> Program {
        let source = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let mut directives: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (word, rest) in source.lines().filter_map(|l| l.strip_prefix("// ")?.split_once(':')) {
            directives.entry(word.to_string()).or_default().push(rest.trim().to_string());
        }
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        Program { name, source, directives }
    }

    fn all(&self, word: &str) -> &[String] {
        self.directives.get(word).map_or(&[], Vec::as_slice)
    }

    fn one(&self, word: &str) -> Option<&str> {
        assert!(self.all(word).len() < 2, "{}: {word} stands there twice", self.name);
        self.all(word).first().map(String::as_str)
    }

    /// The runs it asks for: arguments and standard input.
    fn runs(&self) -> Vec<(Vec<&str>, Vec<u8>)> {
        let (arguments, stdin) = (self.all("args"), self.all("stdin"));
        let run = |n: usize| {
            let words = arguments.get(n).map_or(vec![], |a| a.split_whitespace().collect());
            let text = stdin.get(n).map_or(String::new(), |t| t.replace("\\n", "\n").replace("\\t", "\t"));
            (words, text.into_bytes())
        };
        (0..arguments.len().max(stdin.len()).max(1)).map(run).collect()
    }
}

#[test]
fn formulas_do_what_programs_do() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/unfold");
    let listed = std::fs::read_dir(directory).expect("a directory").map(|e| e.expect("a file").path());
    let mut files: Vec<PathBuf> = listed.filter(|f| f.extension().is_some_and(|e| e == "c")).collect();
    files.sort();
    if let Ok(only) = std::env::var("WHEREFORE_UNFOLD") {
        files.retain(|f| only.split(',').any(|n| f.file_stem().is_some_and(|stem| stem == n)));
    }
    assert!(!files.is_empty());
    let wrong: Vec<String> = files.iter().flat_map(|file| check(&Program::read(file))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is wrong with the formula of a program.
fn check(program: &Program) -> Vec<String> {
    let fixture = Fixture::new(&program.source);
    let runs = program.runs();
    let ran: Vec<_> = runs.iter().map(|(arguments, stdin)| fixture.run_on(stdin, arguments)).collect();
    let inputs: Vec<TestInput> = runs
        .into_iter()
        .map(|(arguments, stdin)| {
            let words = std::iter::once("program").chain(arguments).map(|w| w.as_bytes().to_vec());
            TestInput { arguments: words.collect(), stdin, ..TestInput::default() }
        })
        .collect();
    let soft = settings(&fixture, &ran[0].recording);
    let hard = Options { statements: Default::default(), globals: vec![], statement_count: 0, ..soft.clone() };
    let mut wrong = vec![];
    for (how, settings) in [("hard", hard), ("soft", soft)] {
        let unfolding = match unfold(fixture.program(), &settings, &inputs) {
            Ok(unfolding) => unfolding,
            Err(error) => {
                wrong.push(format!("{}, {how}: {error}", program.name));
                continue;
            }
        };
        for (number, (input, ran)) in inputs.iter().zip(&ran).enumerate() {
            let does = unfolding.observe(&mut unfolding.evaluation(input));
            let native = (&ran.ending, ran.stdout.as_slice());
            if let Some(what) = differs(program, &unfolding, how == "soft", input, does.as_ref(), native) {
                let notes = notes(&unfolding);
                wrong.push(format!("{}, {how}, run {}: {what}\n  notes: {notes}", program.name, number + 1));
            }
        }
        let fine = how == "soft" && program.one("open-soft").is_some();
        if !fine {
            let missing = missing_notes(program, &unfolding, how == "soft");
            wrong.extend(missing.map(|what| format!("{}, {how}: {what}", program.name)));
        }
    }
    wrong
}

/// Everything that stands in a line, and every global, can be set free.
fn settings(fixture: &Fixture, recording: &wherefore_record::Recording) -> Options {
    let program = fixture.program();
    let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
    let mut number = |at: Origin| {
        let next = numbers.len() as u32;
        *numbers.entry(at.line).or_insert(next)
    };
    let blocks = program.functions.iter().flat_map(|f| &f.blocks);
    let places = blocks.flat_map(|b| b.commands.iter().filter_map(|c| c.at).chain(b.terminator.at));
    let statements = places.map(|at| (at, number(at))).collect();
    let free = |g: &&wherefore_program::Global| g.name.is_some() && !g.external;
    let globals = program.globals.iter().map(|g| Some(g).filter(free)?.origin.map(&mut number)).collect();
    let image =
        |g: &wherefore_record::GlobalImage| Image { address: g.address, size: g.size, content: g.content.clone() };
    let images: Vec<Image> = recording.globals.iter().map(image).collect();
    Options {
        entry: program.function("main").expect("a main function"),
        statements,
        globals,
        statement_count: numbers.len(),
        pointers: pointers(&images, &recording.functions),
        images: images.into_iter().map(|g| g.content).collect(),
        unwind: None,
        margin: 2,
        max_terms: 30_000_000,
        budget: Budget::unlimited(),
    }
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
    (ending, stdout): (&Ending, &[u8]),
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

/// Notes that are not there but should be, or the other way round. Of what is set free, notes without a place say which
/// changes are not tried; they are not about what the program does.
fn missing_notes<'a>(program: &'a Program, unfolding: &'a Unfolding, soft: bool) -> impl Iterator<Item = String> + 'a {
    let wanted = program.all("note").iter();
    let missing = wanted.filter(|text| !unfolding.notes.iter().any(|n| n.message.contains(text.as_str())));
    let about_the_run = unfolding.notes.iter().any(|n| !soft || n.at.is_some());
    let silent = program.all("note").is_empty() && program.one("notes").is_none() && about_the_run;
    let unexpected = silent.then(|| format!("unexpected notes: {}", notes(unfolding)));
    missing.map(|text| format!("no note `{text}`")).chain(unexpected)
}
