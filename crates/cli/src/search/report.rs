//! The report of a search, for a person and for a program.

use super::value;
use crate::Status;
use crate::options::Run;
use crate::run::counted;
use crate::sources::Sources;
use serde::Serialize;
use std::fmt::Write;
use std::time::Duration;
use wherefore_program::Program;
use wherefore_report as report;
use wherefore_search::{Chosen, Found, Source, Tried};
use wherefore_trace::FailureKind;

/// How many inputs of one failure a person is shown.
const SHOWN: usize = 10;

/// What a search found, with everything as text. The field names are the names in the JSON.
#[derive(Serialize)]
pub struct Searched {
    schema: u32,
    tool: &'static str,
    version: &'static str,
    command: &'static str,
    partial: bool,
    notes: Vec<String>,
    complete: bool,
    /// Whether no input makes the program fail anywhere else.
    proved: bool,
    /// The failing ones first.
    pub tests: Vec<Test>,
    runs: usize,
    paths: usize,
    timing_ms: Timing,
}

#[derive(Serialize)]
struct Timing {
    total: u64,
}

/// Inputs and what they do.
#[derive(Serialize)]
pub struct Test {
    /// Its name.
    pub name: String,
    verdict: &'static str,
    /// Parameters, globals, nondeterministic values.
    pub inputs: Vec<report::Input>,
    /// As they are given on the command line.
    pub arguments: Vec<String>,
    /// Standard input.
    #[serde(skip_serializing_if = "Option::is_none")]
    stdin: Option<String>,
    /// Standard input where it is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    stdin_bytes: Option<Vec<u8>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<report::Failure>,
    #[serde(skip)]
    shell: String,
    #[serde(skip)]
    place: String,
}

impl Searched {
    /// The report of a search.
    pub fn new(options: &Run, program: &Program, found: &Found, sources: &Sources, time: Duration) -> Searched {
        let cases = found.failing.iter().chain(&found.passing);
        let tests = cases.enumerate().map(|(n, case)| test(n + 1, options, program, case, sources)).collect();
        Searched {
            schema: report::SCHEMA,
            tool: "wherefore",
            version: env!("CARGO_PKG_VERSION"),
            command: "search",
            partial: super::status(found) == Status::Partial,
            notes: found.obstacles.iter().map(|o| format!("{}{}", sources.prefix(o.at), o.what)).collect(),
            complete: found.is_complete(),
            proved: found.proved || found.is_complete(),
            tests,
            runs: found.statistics.runs,
            paths: found.statistics.paths,
            timing_ms: Timing { total: time.as_millis() as u64 },
        }
    }

    /// The report of a search of which nothing is known but why it ended.
    pub fn stopped(why: String) -> Searched {
        Searched {
            schema: report::SCHEMA,
            tool: "wherefore",
            version: env!("CARGO_PKG_VERSION"),
            command: "search",
            partial: true,
            notes: vec![why],
            complete: false,
            proved: false,
            tests: vec![],
            runs: 0,
            paths: 0,
            timing_ms: Timing { total: 0 },
        }
    }

    /// For a program.
    pub fn json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data");
        text.push('\n');
        text
    }

    /// For a person: each failure with inputs that lead to it.
    pub fn human(&self, verbose: bool) -> String {
        let mut text = String::new();
        let (failing, passing): (Vec<&Test>, Vec<&Test>) = self.tests.iter().partition(|t| t.failure.is_some());
        let mut places: Vec<&str> = vec![];
        for test in &failing {
            if !places.contains(&test.place.as_str()) {
                places.push(&test.place);
            }
        }
        let put = |text: &mut String, line: &str| {
            text.push_str(line);
            text.push('\n');
        };
        for place in places {
            put(&mut text, place);
            let all: Vec<&&Test> = failing.iter().filter(|t| t.place == place).collect();
            let shown = if verbose { all.len() } else { SHOWN };
            for test in all.iter().take(shown) {
                put(&mut text, &format!("    {}", test.shell));
            }
            if all.len() > shown {
                put(&mut text, &format!("    and {} more; -v shows them", all.len() - shown));
            }
            text.push('\n');
        }
        if verbose && !passing.is_empty() {
            put(&mut text, "no failure");
            for test in &passing {
                put(&mut text, &format!("    {}", test.shell));
            }
            text.push('\n');
        }
        let inputs = |n: usize, kind: &str| format!("{n} {kind} input{}", if n == 1 { "" } else { "s" });
        let (paths, runs) = (counted(self.paths as u64, "path"), counted(self.runs as u64, "run"));
        let seen = match (self.complete, self.proved) {
            (true, _) => "every path was visited",
            (false, true) if failing.is_empty() => "not every path was visited, but it is proved that none fails",
            (false, true) => "not every path was visited, but it is proved that it fails nowhere else",
            (false, false) => "not every path was visited",
        };
        let numbers =
            format!("{}, {} passing; {seen}: {paths} in {runs}.", inputs(failing.len(), "failing"), passing.len());
        put(&mut text, &numbers);
        for note in &self.notes {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {note}");
        }
        text
    }
}

/// The name of a test by its number.
pub fn name(number: usize) -> String {
    format!("t{number}")
}

fn test(number: usize, options: &Run, program: &Program, case: &Tried, sources: &Sources) -> Test {
    let (inputs, mut arguments) = inputs(options, program, case);
    let mut shell = arguments.iter().map(|a| value::shell(a)).collect::<Vec<_>>().join(" ");
    if let Some(text) = case.given.stdin.as_ref().filter(|t| !t.is_empty()) {
        let space = if shell.is_empty() { "" } else { " " };
        shell.push_str(&format!("{space}--stdin <({})", value::printf(text)));
    } else if let Some(file) = &options.stdin {
        arguments.extend(["--stdin".to_string(), file.display().to_string()]);
    }
    if !case.given.arguments.is_empty() {
        arguments.push("--".into());
        arguments.extend(case.given.arguments.iter().map(|a| a.to_string_lossy().into_owned()));
        let words: Vec<String> = case.given.arguments.iter().map(|a| value::shell(&a.to_string_lossy())).collect();
        let space = if shell.is_empty() { "" } else { " " };
        shell.push_str(&format!("{space}-- {}", words.join(" ")));
    }
    if shell.is_empty() {
        shell = "without any input".into();
    }
    let failure = case.failure.as_ref().map(|failure| {
        let source = failure.at.and_then(|at| Some((at, sources.text(at.file)?)));
        let extent = source.and_then(|(at, text)| text.extent_of_statement(at.line, at.column));
        let function = failure.function.map_or("", |f| &program.functions[f.index()].name);
        let is_assertion = failure.kind == Some(FailureKind::Assertion);
        let condition = source.filter(|_| is_assertion).and_then(|(at, text)| {
            let argument = text.macro_argument(at.line, at.column)?;
            Some(text.text(argument))
        });
        report::Failure {
            kind: match failure.kind {
                Some(FailureKind::Assertion) => report::FailureKind::Assertion,
                Some(FailureKind::Status) => report::FailureKind::Status,
                _ => report::FailureKind::Signal,
            },
            at: sources.loc(failure.at, extent, function),
            condition,
            message: failure.message.clone(),
        }
    });
    let place = failure.as_ref().zip(case.failure.as_ref()).map_or(String::new(), |(shown, failure)| {
        let what = match &shown.condition {
            Some(condition) => format!("assertion `{condition}` fails"),
            None => failure.message.clone(),
        };
        format!("{}{what}", sources.prefix(failure.at))
    });
    Test {
        name: name(number),
        verdict: if case.failure.is_some() { "fail" } else { "pass" },
        inputs,
        arguments,
        stdin: case.given.stdin.as_ref().map(|text| String::from_utf8_lossy(text).into_owned()),
        stdin_bytes: case.given.stdin.clone().filter(|text| std::str::from_utf8(text).is_err()),
        failure,
        shell,
        place,
    }
}

/// Parameters and globals by name, and nondeterministic values, as the command line takes them.
pub fn values(options: &Run, program: &Program, case: &Tried) -> (Vec<report::Input>, Vec<String>) {
    let mut named: Vec<report::Input> = vec![];
    for text in &options.input {
        if let Some((name, value)) = text.split_once('=').filter(|(_, v)| v.trim() != "?") {
            named.push(report::Input { name: name.trim().into(), value: value.trim().into() });
        }
    }
    let entry = program.function(&options.entry).map(|f| &program.functions[f.index()]);
    let mut parameters: Vec<(u32, String)> = vec![];
    let mut nondet: Vec<String> = options.nondet.clone();
    let mut arrays: Vec<(u32, Vec<String>)> = vec![];
    for &Chosen { source, form, bits } in &case.chosen {
        match source {
            Source::Parameter(index) => parameters.push((index, value::input(program, form, bits))),
            Source::Pointer(index) if bits == 0 => parameters.push((index, "NULL".into())),
            Source::Pointer(index) => parameters.push((index, value::object(program, options, index, &case.chosen))),
            Source::Global { id, .. } => {
                let text = value::input(program, form, bits);
                match arrays.iter_mut().find(|(global, _)| *global == id.0) {
                    Some((_, values)) => values.push(text),
                    None => arrays.push((id.0, vec![text])),
                }
            }
            Source::Nondet(_) => nondet.push(value::nondet(form, bits)),
            Source::Pointed { .. } | Source::Argument(_) | Source::More(_) | Source::Item(_) => {}
        }
    }
    parameters.sort();
    for (index, value) in parameters {
        let local = entry.and_then(|f| f.locals.iter().find(|l| l.param == Some(index)));
        // What has no name the program cannot use.
        named.extend(local.and_then(|l| l.name.clone()).map(|name| report::Input { name, value }));
    }
    for (id, values) in arrays {
        let global = &program.globals[id as usize];
        let is_array = global.ctype.is_some_and(|t| matches!(program.types[t], wherefore_program::CType::Array { .. }));
        let value = if is_array { format!("{{{}}}", values.join(",")) } else { values.concat() };
        named.push(report::Input { name: global.name.clone().unwrap_or_default(), value });
    }
    (named, nondet)
}

/// The inputs by name, and the options that give them.
fn inputs(options: &Run, program: &Program, case: &Tried) -> (Vec<report::Input>, Vec<String>) {
    let (mut named, nondet) = values(options, program, case);
    let mut arguments: Vec<String> =
        named.iter().flat_map(|i| ["--input".to_string(), format!("{}={}", i.name, i.value)]).collect();
    if !nondet.is_empty() {
        arguments.extend(["--nondet".to_string(), nondet.join(",")]);
    }
    for (index, value) in nondet.into_iter().enumerate() {
        named.push(report::Input { name: format!("nondet value {}", index + 1), value });
    }
    (named, arguments)
}
