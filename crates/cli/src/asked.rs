//! What `explain` is asked to look at: the run of the command line or one of the tests, and what is expected of it.

use crate::UsageError;
use crate::diagnose::suite;
use crate::options::Explain as Options;
use crate::test_files::TestFiles;
use std::path::Path;
use wherefore_case::Expected;
use wherefore_program::Program;
use wherefore_record::{Captured, is_kept};

/// The options with what the test says, if there is one.
///
/// # Errors
/// When there is no such test, or it cannot be read.
pub fn of_test(options: &Options) -> anyhow::Result<Options> {
    let mut asked = options.clone();
    // A recording is kept because the process failed.
    if let [one] = &options.run.program[..]
        && is_kept(one)
    {
        asked.run.expect_status.get_or_insert(0);
    }
    let Some(tests) = &options.tests else { return Ok(asked) };
    if !tests.is_dir() {
        let cases = suite::read_all(&Program::default(), &options.run.entry, tests, None)?;
        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        let number = chosen(&names, options.test.as_deref(), tests)?;
        asked.run.arguments.clone_from(&cases[number].given.arguments);
        return Ok(asked);
    }
    let all = TestFiles::read_all(tests)?;
    let names: Vec<&str> = all.iter().map(|test| test.name.as_str()).collect();
    let test = &all[chosen(&names, options.test.as_deref(), tests)?];
    let file = |kind: &str| tests.join(format!("{}.{kind}", test.name));
    asked.run.arguments.clone_from(&test.arguments);
    asked.run.input = test.inputs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    asked.run.nondet.clone_from(&test.nondet);
    asked.run.stdin = test.stdin.is_some().then(|| file("in"));
    // What the command line says itself goes before.
    asked.run.expect_status = options.run.expect_status.or(test.expected.status);
    if asked.wanted.expect_stdout.is_none() {
        asked.wanted.expect_stdout = test.expected.stdout.is_some().then(|| file("out"));
    }
    Ok(asked)
}

/// The number of the test with a name; without one there must be one test only.
fn chosen(names: &[&str], name: Option<&str>, tests: &Path) -> Result<usize, UsageError> {
    let place = tests.display();
    let known = || match names {
        [] => "there are none".to_string(),
        [first, .., last] if names.len() > 8 => format!("there are {} of them, {first} to {last}", names.len()),
        _ => format!("there are {}", names.join(", ")),
    };
    match (name, names) {
        (None, [_]) => Ok(0),
        (None, _) => Err(UsageError(format!("--tests {place}: --test NAME says which of the tests; {}", known()))),
        (Some(name), _) => {
            let found = names.iter().position(|known| *known == name);
            found.ok_or_else(|| UsageError(format!("--tests {place}: no test is called {name}; {}", known())))
        }
    }
}

/// What is expected of the run.
///
/// # Errors
/// When the expected output cannot be read.
pub fn expected(options: &Options) -> anyhow::Result<Expected> {
    let stdout = options.wanted.expect_stdout.as_deref().map(|p| suite::read(p, "--expect-stdout")).transpose()?;
    Ok(Expected { stdout, ..options.run.expected() })
}

/// The output of a run, if it is to be compared with what is expected.
///
/// # Errors
/// When too little of it was kept to say where they part.
pub fn comparable<'a>(stdout: &'a Captured, expected: &Expected) -> anyhow::Result<Option<&'a [u8]>> {
    let Some(wanted) = &expected.stdout else { return Ok(None) };
    let parts = stdout.kept.iter().zip(wanted).any(|(a, b)| a != b) || stdout.kept.len() > wanted.len();
    if stdout.complete() || parts {
        return Ok(Some(&stdout.kept));
    }
    let why = match stdout.kept.len() {
        0 => "the recording does not have the output of the run".to_string(),
        kept => format!("only the first {} KiB of the output are kept, and they are as expected", kept / 1024),
    };
    Err(UsageError(format!("--expect-stdout: {why}")).into())
}
