//! The report of a search.

use super::value;
use crate::Status;
use crate::options::Run;
use crate::sources::Sources;
use std::time::Duration;
use wherefore_program::Program;
use wherefore_report as report;
use wherefore_search::{Chosen, Found, Source, Tried};
use wherefore_trace::FailureKind;

/// The report of a search.
pub fn report(
    options: &Run,
    (program, compile): (&Program, Duration),
    found: &Found,
    sources: &Sources,
    time: Duration,
) -> report::Report {
    let cases = found.failing.iter().chain(&found.passing);
    let mut report = report::Report::new("search");
    report.partial = super::status(found) == Status::Partial;
    report.notes = found.obstacles.iter().map(|o| format!("{}{}", sources.prefix(o.at), o.what)).collect();
    report.timing_ms = Some(report::Timing {
        compile: compile.as_millis() as u64,
        total: time.as_millis() as u64,
        ..report::Timing::default()
    });
    report.answer = Some(report::Answer::Searched(report::Searched {
        complete: found.is_complete(),
        proved: found.proved || found.is_complete(),
        tests: cases.enumerate().map(|(n, case)| test(n + 1, options, program, case, sources)).collect(),
        runs: found.statistics.runs as u64,
        paths: found.statistics.paths as u64,
    }));
    report
}

/// The name of a test by its number.
pub fn name(number: usize) -> String {
    format!("t{number}")
}

fn test(number: usize, options: &Run, program: &Program, case: &Tried, sources: &Sources) -> report::Found {
    let (inputs, mut arguments) = inputs(options, program, case);
    if let Some(file) = options.stdin.as_ref().filter(|_| case.given.stdin.as_ref().is_none_or(Vec::is_empty)) {
        arguments.extend(["--stdin".to_string(), file.display().to_string()]);
    }
    if !case.given.arguments.is_empty() {
        arguments.push("--".into());
        arguments.extend(case.given.arguments.iter().map(|a| a.to_string_lossy().into_owned()));
    }
    let failure = failure(program, case, sources);
    let function = failure.as_ref().map_or("", |f| &f.at.function);
    let point = case.failure.as_ref().and_then(|f| f.at).map(|at| sources.loc(Some(at), None, function));
    let begin = failure.as_ref().map(|f| (f.at.line, f.at.column));
    report::Found {
        point: point.filter(|p| begin != Some((p.line, p.column))),
        name: name(number),
        verdict: if case.failure.is_some() { report::Verdict::Fail } else { report::Verdict::Pass },
        inputs,
        arguments,
        stdin: case.given.stdin.as_ref().map(|text| String::from_utf8_lossy(text).into_owned()),
        stdin_bytes: case.given.stdin.clone().filter(|text| std::str::from_utf8(text).is_err()),
        failure,
    }
}

/// How a run failed.
pub fn failure(program: &Program, case: &Tried, sources: &Sources) -> Option<report::Failure> {
    case.failure.as_ref().map(|failure| {
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
            ..report::Failure::default()
        }
    })
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
