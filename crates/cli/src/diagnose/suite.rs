//! Tests: a directory of files, a list of argument lines, or the one run of the command line.

use crate::UsageError;
use crate::inputs;
use crate::options;
use crate::test_files::{TestFiles, words};
use std::path::Path;
use wherefore_case::{Case, Expected, Given};
use wherefore_program::Program;

/// The one test that the run options describe.
pub fn single(program: &Program, run: &options::Run, expect: &options::Expect) -> anyhow::Result<Case> {
    let parsed = inputs::parse(program, &run.entry, &run.input)?;
    Ok(Case {
        name: "t1".into(),
        given: Given {
            arguments: run.arguments.clone(),
            stdin: run.stdin.as_deref().map(|p| read(p, "--stdin")).transpose()?,
            nondet: inputs::nondet(&run.nondet)?,
            inputs: parsed.inputs,
        },
        expected: Expected {
            stdout: expect.expect_stdout.as_deref().map(|p| read(p, "--expect-stdout")).transpose()?,
            status: run.expect_status,
        },
    })
}

/// What an argument may have, in bytes: the system starts no program with a longer one.
const LONGEST_ARGUMENT: usize = 128 << 10;

/// The tests in a directory or a file.
pub fn read_all(program: &Program, entry: &str, path: &Path, expect: Option<&Path>) -> anyhow::Result<Vec<Case>> {
    let cases = cases(program, entry, path, expect)?;
    for case in &cases {
        if let Some(argument) = case.given.arguments.iter().find(|a| a.len() >= LONGEST_ARGUMENT) {
            let what = format!("an argument of {} bytes is longer than a program can be given", argument.len());
            return Err(UsageError(format!("--tests {}: test {}: {what}", path.display(), case.name)).into());
        }
    }
    Ok(cases)
}

fn cases(program: &Program, entry: &str, path: &Path, expect: Option<&Path>) -> anyhow::Result<Vec<Case>> {
    if path.is_dir() {
        let tests = TestFiles::read_all(path)?;
        if tests.is_empty() {
            let what = "there is no test in it (NAME.args, NAME.in, NAME.out ...)";
            return Err(UsageError(format!("--tests {}: {what}", path.display())).into());
        }
        return Ok(tests.into_iter().map(|test| test.case(program, entry)).collect::<Result<_, _>>()?);
    }
    let text = read(path, "--tests")?;
    let mut cases = vec![];
    let expected = expect.map(|p| read(p, "--expect")).transpose()?;
    let mut wanted = expected.as_deref().map(|text| text.split_inclusive(|b| *b == b'\n'));
    for (number, line) in text.split(|b| *b == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) && number + 1 == text.split(|b| *b == b'\n').count() {
            break;
        }
        // A comment is no test; an empty line is one without arguments.
        if line.trim_ascii_start().starts_with(b"#") {
            continue;
        }
        let arguments = words(line).map_err(|what| UsageError(format!("{}:{}: {what}", path.display(), number + 1)))?;
        let given = Given { arguments, ..Given::default() };
        let mut case = Case { name: format!("t{}", number + 1), given, ..Case::default() };
        if let Some(wanted) = &mut wanted {
            let Some(line) = wanted.next() else {
                let what = format!("{}: fewer lines than tests", expect.unwrap_or(path).display());
                return Err(UsageError(what).into());
            };
            case.expected.stdout = Some(line.to_vec());
        }
        cases.push(case);
    }
    Ok(cases)
}

/// The content of a file that an option names.
pub fn read(path: &Path, option: &str) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).map_err(|e| UsageError(format!("{option} {}: {e}", path.display())).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_test_unless_it_is_a_comment() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("lines");
        std::fs::write(&path, "1 'two words'\n# none\n\n4 # four\r\n").expect("it is written");
        let cases = read_all(&Program::default(), "main", &path, None).expect("it is read");
        let all: Vec<(&str, usize)> = cases.iter().map(|c| (c.name.as_str(), c.given.arguments.len())).collect();
        assert_eq!(all, [("t1", 2), ("t3", 0), ("t4", 1)]);
    }

    #[test]
    fn what_cannot_be_a_test_is_said() {
        let directory = tempfile::tempdir().expect("a directory");
        let said = |path: &Path| {
            let error = read_all(&Program::default(), "main", path, None).expect_err("it cannot be read");
            assert!(error.is::<UsageError>());
            error.to_string()
        };
        assert!(said(directory.path()).contains("there is no test in it"));
        let path = directory.path().join("lines");
        std::fs::write(&path, format!("1\n2 {}\n", "x".repeat(140_000))).expect("it is written");
        assert!(said(&path).contains("test t2: an argument of 140000 bytes"), "{}", said(&path));
    }
}
