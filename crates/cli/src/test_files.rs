//! A directory of tests, written and read. A test called NAME has those of these files that it needs:
//!
//! - `NAME.in`: standard input;
//! - `NAME.args`: arguments of the program, as a shell splits them, without any expansion;
//! - `NAME.inputs`: a line `NAME=VALUE` for each parameter and global, as `--input` takes it, and a line
//!   `nondet: V,V,...`, as `--nondet` takes it;
//! - `NAME.out`: the standard output that is expected;
//! - `NAME.status`: the exit status that is expected.

use crate::UsageError;
use crate::inputs;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use wherefore_case::{Case, Expected, Given};
use wherefore_program::Program;

const STDIN: &str = "in";
const ARGUMENTS: &str = "args";
const INPUTS: &str = "inputs";
const STDOUT: &str = "out";
const STATUS: &str = "status";
const ALL: [&str; 5] = [STDIN, ARGUMENTS, INPUTS, STDOUT, STATUS];

/// The line of nondeterministic values begins with it; it is no name of a variable.
const NONDET: &str = "nondet:";

/// A test as it is written down: values are texts, which have a meaning only with the types of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TestFiles {
    /// Its name.
    pub name: String,
    /// Standard input; `None`: nothing is said of it, and there is none.
    pub stdin: Option<Vec<u8>>,
    /// Arguments of the program.
    pub arguments: Vec<OsString>,
    /// Names and values of parameters and globals.
    pub inputs: Vec<(String, String)>,
    /// Values of nondeterministic calls.
    pub nondet: Vec<String>,
    /// What should happen.
    pub expected: Expected,
}

impl TestFiles {
    /// Writes the test into a directory, in place of one of the same name.
    ///
    /// # Errors
    /// When a file cannot be written, or an argument has a zero byte.
    pub fn write(&self, directory: &Path) -> io::Result<()> {
        let lines = self.lines();
        let is_empty = self.stdin.is_none() && self.arguments.is_empty() && self.expected == Expected::default();
        let arguments = shlex::bytes::try_join(self.arguments.iter().map(|a| a.as_bytes()))
            .map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))?;
        for kind in ALL {
            let content = match kind {
                STDIN => self.stdin.clone(),
                ARGUMENTS => (!self.arguments.is_empty()).then(|| [&arguments[..], b"\n"].concat()),
                // A test that needs nothing has a file too, or it would not be there.
                INPUTS => (!lines.is_empty() || is_empty).then(|| lines.clone().into_bytes()),
                STDOUT => self.expected.stdout.clone(),
                _ => self.expected.status.map(|status| format!("{status}\n").into_bytes()),
            };
            let path = directory.join(format!("{}.{kind}", self.name));
            match content {
                Some(content) => fs::write(path, content)?,
                None => match fs::remove_file(path) {
                    Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                    _ => {}
                },
            }
        }
        Ok(())
    }

    fn lines(&self) -> String {
        let mut lines = String::new();
        for (name, value) in &self.inputs {
            lines.push_str(&format!("{name}={}\n", inputs::in_one_line(value)));
        }
        if !self.nondet.is_empty() {
            lines.push_str(&format!("{NONDET} {}\n", self.nondet.join(",")));
        }
        lines
    }

    /// The tests in a directory, ordered by their names.
    ///
    /// # Errors
    /// When a file cannot be read or is not understood.
    pub fn read_all(directory: &Path) -> Result<Vec<TestFiles>, UsageError> {
        let problem = |e: io::Error| UsageError(format!("{}: {e}", directory.display()));
        let mut names = BTreeSet::new();
        for file in fs::read_dir(directory).map_err(problem)? {
            let file = file.map_err(problem)?.path();
            if !file.extension().is_some_and(|e| ALL.iter().any(|kind| e == *kind)) {
                continue;
            }
            match file.file_stem().and_then(|name| name.to_str()) {
                Some(name) => names.insert(name.to_owned()),
                None => return Err(UsageError(format!("{}: the name of a test is not UTF-8", file.display()))),
            };
        }
        names.into_iter().map(|name| TestFiles::read(directory, name)).collect()
    }

    fn read(directory: &Path, name: String) -> Result<TestFiles, UsageError> {
        let path = |kind: &str| directory.join(format!("{name}.{kind}"));
        let wrong = |kind: &str, what: &str| UsageError(format!("{}: {what}", path(kind).display()));
        let bytes = |kind: &str| match fs::read(path(kind)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(wrong(kind, &e.to_string())),
        };
        let text = |kind: &str| {
            let text = bytes(kind)?.map(String::from_utf8).transpose();
            text.map_err(|_| wrong(kind, "not UTF-8; in a string, \\xhh is any byte"))
        };
        let status = text(STATUS)?.map(|text| text.trim().parse().map_err(|_| wrong(STATUS, "not a number")));
        let arguments = bytes(ARGUMENTS)?.map(|text| words(&text).map_err(|what| wrong(ARGUMENTS, what)));
        let expected = Expected { stdout: bytes(STDOUT)?, status: status.transpose()? };
        let mut test = TestFiles {
            stdin: bytes(STDIN)?,
            arguments: arguments.transpose()?.unwrap_or_default(),
            expected,
            ..TestFiles::default()
        };
        for line in text(INPUTS)?.unwrap_or_default().lines().map(str::trim).filter(|l| !l.is_empty()) {
            if let Some(values) = line.strip_prefix(NONDET) {
                test.nondet.extend(values.split(',').map(|v| v.trim().to_owned()).filter(|v| !v.is_empty()));
            } else if let Some((name, value)) = line.split_once('=') {
                test.inputs.push((name.trim().to_owned(), value.trim().to_owned()));
            } else {
                return Err(wrong(INPUTS, &format!("{line}: expected NAME=VALUE or {NONDET} V,V,...")));
            }
        }
        Ok(TestFiles { name, ..test })
    }

    /// The test, its values read with the types of a program.
    ///
    /// # Errors
    /// When a value is not one of its type.
    pub fn case(self, program: &Program, entry: &str) -> Result<Case, UsageError> {
        let wrong = |e: UsageError| UsageError(format!("{}.{INPUTS}: {e}", self.name));
        let given: Vec<String> = self.inputs.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let given = Given {
            inputs: inputs::parse(program, entry, &given).map_err(wrong)?.inputs,
            nondet: inputs::nondet(&self.nondet).map_err(wrong)?,
            arguments: self.arguments,
            stdin: self.stdin,
        };
        Ok(Case { name: self.name, given, expected: self.expected })
    }
}

/// The words of an argument line, as a shell splits them: what follows a `#` at the start of a word is a comment. No
/// expansion.
pub fn words(line: &[u8]) -> Result<Vec<OsString>, &'static str> {
    // Lines of other systems end so; within quotes it is as good a byte as any.
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let words = shlex::bytes::split(line).ok_or("a quote that is not closed, or a backslash at the end")?;
    Ok(words.into_iter().map(OsString::from_vec).collect())
}

#[cfg(test)]
mod tests;
