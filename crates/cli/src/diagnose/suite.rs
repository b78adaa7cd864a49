//! Tests: a directory of files, a list of argument lines, or the one run of the command line.

use crate::UsageError;
use crate::inputs;
use crate::options;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use wherefore_program::Program;
use wherefore_session::Case;
use wherefore_unfold::Expected;

/// The one test that the run options describe.
pub fn single(program: &Program, run: &options::Run, expect: &options::Expect) -> anyhow::Result<Case> {
    let parsed = inputs::parse(program, &run.entry, &run.input)?;
    Ok(Case {
        name: "t1".into(),
        arguments: run.arguments.clone(),
        stdin: run.stdin.as_deref().map(|p| read(p, "--stdin")).transpose()?.unwrap_or_default(),
        nondet: inputs::nondet(&run.nondet)?,
        inputs: parsed.inputs,
        expected: Expected {
            stdout: expect.expect_stdout.as_deref().map(|p| read(p, "--expect-stdout")).transpose()?,
            status: run.expect_status,
        },
    })
}

/// The tests in a directory or a file.
pub fn read_all(program: &Program, entry: &str, path: &Path, expect: Option<&Path>) -> anyhow::Result<Vec<Case>> {
    if path.is_dir() {
        return directory(program, entry, path);
    }
    let text = read(path, "--tests")?;
    let mut cases = vec![];
    let expected = expect.map(|p| read(p, "--expect")).transpose()?;
    let mut wanted = expected.as_deref().map(|text| text.split_inclusive(|b| *b == b'\n'));
    for (number, line) in text.split(|b| *b == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) && number + 1 == text.split(|b| *b == b'\n').count() {
            break;
        }
        let arguments = words(line).map_err(|what| UsageError(format!("{}:{}: {what}", path.display(), number + 1)))?;
        let mut case = Case { name: format!("t{}", number + 1), arguments, ..Case::default() };
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

/// `NAME.in`, `NAME.out`, `NAME.args`, `NAME.status`, `NAME.inputs`.
fn directory(program: &Program, entry: &str, path: &Path) -> anyhow::Result<Vec<Case>> {
    let mut names = std::collections::BTreeSet::new();
    for file in std::fs::read_dir(path).map_err(|e| UsageError(format!("{}: {e}", path.display())))? {
        let file = file?.path();
        let known = ["in", "out", "args", "status", "inputs"];
        if file.extension().is_some_and(|e| known.iter().any(|k| e == *k))
            && let Some(name) = file.file_stem()
        {
            names.insert(name.to_string_lossy().into_owned());
        }
    }
    let mut cases = vec![];
    for name in names {
        let file = |extension: &str| {
            let file = path.join(format!("{name}.{extension}"));
            file.exists().then(|| read(&file, "--tests")).transpose()
        };
        let mut case = Case { name: name.clone(), ..Case::default() };
        case.stdin = file("in")?.unwrap_or_default();
        case.expected.stdout = file("out")?;
        let wrong = |what: String| UsageError(format!("{}: {what}", path.join(&name).display()));
        if let Some(text) = file("args")? {
            case.arguments = words(&text).map_err(|what| wrong(format!(".args: {what}")))?;
        }
        if let Some(text) = file("status")? {
            let text = String::from_utf8_lossy(&text);
            case.expected.status = Some(text.trim().parse().map_err(|_| wrong(".status: not a number".into()))?);
        }
        if let Some(text) = file("inputs")? {
            let text = String::from_utf8_lossy(&text);
            let (nondet, given): (Vec<&str>, Vec<&str>) =
                text.lines().filter(|l| !l.trim().is_empty()).partition(|l| !l.contains('='));
            let given: Vec<String> = given.into_iter().map(str::to_string).collect();
            case.inputs = inputs::parse(program, entry, &given)?.inputs;
            let values: Vec<String> = nondet.iter().flat_map(|l| l.split(',')).map(|v| v.trim().to_string()).collect();
            case.nondet = inputs::nondet(&values)?;
        }
        cases.push(case);
    }
    Ok(cases)
}

fn read(path: &Path, option: &str) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).map_err(|e| UsageError(format!("{option} {}: {e}", path.display())).into())
}

/// The words of an argument line, as a shell splits them; no expansion.
fn words(line: &[u8]) -> Result<Vec<OsString>, &'static str> {
    let mut words = vec![];
    let mut word: Option<Vec<u8>> = None;
    let mut quote: Option<u8> = None;
    let mut bytes = line.iter().copied();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (Some(q), b) if q == b => quote = None,
            (None, b'\'' | b'"') => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (Some(b'"') | None, b'\\') => {
                let escaped = bytes.next().ok_or("a backslash at the end")?;
                word.get_or_insert_default().push(escaped);
            }
            (None, b) if b.is_ascii_whitespace() => words.extend(word.take()),
            (_, b) => word.get_or_insert_default().push(b),
        }
    }
    if quote.is_some() {
        return Err("a quote that is not closed");
    }
    words.extend(word);
    Ok(words.into_iter().map(OsString::from_vec).collect())
}
