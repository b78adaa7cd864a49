//! The interpreter held against native runs: the C programs of the other suites are run both ways and want the same end,
//! the same words but for addresses, and the same trace. What the interpreter does not know it says; how many programs
//! that leaves is part of the test.

use std::path::{Path, PathBuf};
use wherefore_budget::Budget;
use wherefore_case::{Expected, Given};
use wherefore_fixtures::Fixture;
use wherefore_interpret::{Integers, Limits, Run, run};
use wherefore_program::Program;
use wherefore_record::{Ending, Recording};
use wherefore_trace::{GlobalImage, Recorded, Stopped, Trace, walk};

/// Programs that are interpreted to their end, at least, of those that can be run natively here.
const INTERPRETED: usize = 118;

/// Where the programs are.
const DIRECTORIES: [&str; 5] = ["figures", "corpus", "relevant", "unfold", "stories"];

/// What a program is given, as its comments say.
#[derive(Default)]
struct Asked {
    entry: Option<String>,
    arguments: Vec<String>,
    nondet: Vec<u64>,
    stdin: Vec<u8>,
    inputs: Vec<(String, i64)>,
}

impl Asked {
    /// Reads comments such as `// run: --entry f --input x=1 -- a b`, `// args: 1 2` and `// stdin: text`; `None` where
    /// they ask for more than is known here.
    fn of(text: &str) -> Option<Asked> {
        let mut asked = Asked::default();
        let said = |word: &str| {
            let prefix = format!("// {word}:");
            text.lines().find_map(|line| line.strip_prefix(&prefix)).map(str::trim)
        };
        asked.stdin = said("stdin").unwrap_or_default().replace("\\n", "\n").into_bytes();
        asked.arguments = said("args").unwrap_or_default().split_whitespace().map(str::to_string).collect();
        let mut words = said("run").unwrap_or_default().split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "--entry" => asked.entry = words.next().map(str::to_string),
                "--nondet" => {
                    let values = words.next()?.split(',').map(|v| v.parse::<i64>().map(|v| v as u64));
                    asked.nondet.extend(values.collect::<Result<Vec<u64>, _>>().ok()?);
                }
                "--input" => {
                    let (name, value) = words.next()?.split_once('=')?;
                    asked.inputs.push((name.into(), value.parse().ok()?));
                }
                "--" => asked.arguments.extend(words.by_ref().map(str::to_string)),
                _ => return None,
            }
        }
        Some(asked)
    }

    /// Values of parameters in their order; `None` where an input is something else.
    fn parameters(&self, program: &Program, entry: &str) -> Option<Vec<i64>> {
        let function = &program.functions[program.function(entry)?.index()];
        let mut values = vec![0; function.params.len()];
        for (name, value) in &self.inputs {
            let local = function.locals.iter().find(|l| l.param.is_some() && l.name.as_ref() == Some(name))?;
            values[local.param? as usize] = *value;
        }
        Some(if entry == "main" { vec![] } else { values })
    }
}

fn programs() -> Vec<PathBuf> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut files: Vec<PathBuf> = vec![];
    for directory in DIRECTORIES {
        let all = std::fs::read_dir(tests.join(directory)).expect("a directory");
        files.extend(all.map(|entry| entry.expect("a file").path()));
    }
    files.retain(|file| file.extension().is_some_and(|e| e == "c"));
    files.sort();
    files
}

/// What the figures are given; they have no comments.
fn figure(file: &Path) -> Option<Asked> {
    let (entry, inputs): (&str, &[(&str, i64)]) = match file.file_stem()?.to_str()? {
        "fig1_xzero" => ("xZero", &[("input", 41)]),
        "fig2_yzero" => ("yZero", &[("input", 41)]),
        "fig5_process" => ("process", &[("x", 0), ("y", -1)]),
        "fig7_absvalue" => ("absValue", &[("input", -1)]),
        _ => return None,
    };
    let inputs = inputs.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    Some(Asked { entry: Some(entry.into()), inputs, ..Asked::default() })
}

fn walked(program: &Program, recording: &Recording, ending: Ending) -> Trace {
    let stopped = match ending {
        Ending::Exited(status) => Stopped::Exit(status),
        Ending::Signal(signal) => Stopped::Signal(signal),
        other => panic!("{other:?}"),
    };
    let image = |g: &wherefore_record::GlobalImage| GlobalImage {
        address: g.address,
        size: g.size,
        content: g.content.clone(),
    };
    let recorded = Recorded {
        words: recording.words(),
        globals: recording.globals.iter().map(image).collect(),
        functions: recording.functions.clone(),
        externals: recording.externals.clone(),
        ..Recorded::default()
    };
    walk(program, &recorded, stopped, &Expected::default(), &Budget::unlimited()).expect("it is one of the program")
}

/// Whether words are the same, or addresses on the stack or the heap, where nothing lies twice at the same place.
fn is_same(ours: u64, theirs: u64) -> bool {
    const FIRST: u64 = 1 << 60;
    ours == theirs || ours >= FIRST && ours >> 48 < 0x4000 && theirs > 4096
}

/// Programs that use what nobody has set: that is anything.
const UNSET: [&str; 1] = ["uninitialised.c"];

/// What is wrong with the interpreted run of a program, or why it was not made.
enum Compared {
    Same,
    Left(String),
    Wrong(String),
}

fn compared(file: &Path) -> Compared {
    if UNSET.iter().any(|name| file.ends_with(name)) {
        return Compared::Left("it uses what nobody has set".into());
    }
    let text = std::fs::read_to_string(file).expect("a text");
    let Some(asked) = figure(file).or_else(|| Asked::of(&text)) else {
        return Compared::Left("its options are not read here".into());
    };
    let entry = asked.entry.clone().unwrap_or("main".into());
    let fixture = Fixture::with_entry(&text, &entry);
    let program = fixture.program();
    let Some(parameters) = asked.parameters(program, &entry) else {
        return Compared::Left("its inputs are not read here".into());
    };
    // The same bytes for both.
    let inputs: Vec<wherefore_case::Input> = fixture.inputs(&parameters);
    let stdin = fixture.directory().join("stdin");
    std::fs::write(&stdin, &asked.stdin).expect("standard input is written");
    let native = fixture.run_with(|run| {
        run.arguments = asked.arguments.iter().map(Into::into).collect();
        run.argv0 = Some("program".into());
        run.nondet.clone_from(&asked.nondet);
        run.inputs.clone_from(&inputs);
        run.stdin = Some(stdin);
    });
    if !matches!(native.ending, Ending::Exited(_) | Ending::Signal(_)) {
        return Compared::Left(format!("natively {:?}", native.ending));
    }
    let given = Given {
        arguments: asked.arguments.iter().map(Into::into).collect(),
        stdin: Some(asked.stdin),
        nondet: asked.nondet,
        inputs,
    };
    let ran = run(&Run {
        program,
        entry: program.function(&entry).expect("it is there"),
        given: &given,
        tables: Some(&native.recording),
        forced: &[],
        integers: Integers::Wrap,
        limits: Limits { steps: 5_000_000, ..Limits::default() },
    });
    if let Some(gave_up) = ran.gave_up {
        return Compared::Left(gave_up.what);
    }
    if ran.outcome.ending != native.ending {
        return Compared::Wrong(format!("it ended by {:?}, natively by {:?}", ran.outcome.ending, native.ending));
    }
    let recording = ran.outcome.recording.expect("a recording");
    let (ours, theirs) = (recording.words(), native.recording.words());
    let differ = ours.iter().zip(theirs).position(|(a, b)| !is_same(*a, *b));
    if let Some(at) = differ {
        return Compared::Wrong(format!("word {at} is {:#x}, natively {:#x}", ours[at], theirs[at]));
    }
    if ours.len() != theirs.len() {
        return Compared::Wrong(format!("{} words, natively {}", ours.len(), theirs.len()));
    }
    // A signal loses what is still in the buffer of a native run.
    if matches!(native.ending, Ending::Exited(_)) && ran.outcome.stdout.kept != native.stdout {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        return Compared::Wrong(format!(
            "it wrote {:?}, natively {:?}",
            text(&ran.outcome.stdout.kept),
            text(&native.stdout)
        ));
    }
    let (ours, theirs) =
        (walked(program, &recording, ran.outcome.ending), walked(program, &native.recording, native.ending));
    let told = |trace: &Trace| {
        let places: Vec<_> = trace.steps.iter().map(|step| (step.at, step.kind, step.activation)).collect();
        let failure = trace.failure.as_ref().map(|f| (f.kind, f.at, f.message.clone()));
        (places, failure)
    };
    if told(&ours) != told(&theirs) {
        return Compared::Wrong("the trace is another".into());
    }
    Compared::Same
}

#[test]
fn interpreted_runs_are_those_of_the_machine() {
    let (mut same, mut wrong, mut left) = (0, vec![], vec![]);
    for file in programs() {
        let name = file.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&file).display().to_string();
        match compared(&file) {
            Compared::Same => same += 1,
            Compared::Left(what) => left.push(format!("{name}: {what}")),
            Compared::Wrong(what) => wrong.push(format!("{name}: {what}")),
        }
    }
    println!("{same} programs interpreted; left out:\n{}", left.join("\n"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(same >= INTERPRETED, "only {same} of {} were interpreted to their end", same + left.len());
}
