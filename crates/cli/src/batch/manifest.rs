//! The list of programs: a line for each, its name and what `wherefore diagnose` is given for it.

use crate::UsageError;
use crate::test_files::words;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;

/// A program of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, also that of its result.
    pub name: String,
    /// What `wherefore diagnose` is given.
    pub arguments: Vec<OsString>,
}

/// Reads a list. Words are split as a shell does; what follows a `#` is a comment.
///
/// # Errors
/// When it cannot be read, or a line of it makes no sense.
pub fn read(path: &Path) -> Result<Vec<Entry>, UsageError> {
    let wrong = |what: &dyn std::fmt::Display| UsageError(format!("--batch {}: {what}", path.display()));
    let text = std::fs::read(path).map_err(|e| wrong(&e))?;
    parse(&text).map_err(|(line, what)| UsageError(format!("{}:{line}: {what}", path.display()))).and_then(|entries| {
        match entries.is_empty() {
            true => Err(wrong(&"no program in it")),
            false => Ok(entries),
        }
    })
}

fn parse(text: &[u8]) -> Result<Vec<Entry>, (usize, String)> {
    let mut entries: Vec<Entry> = vec![];
    let mut names = HashSet::new();
    for (number, line) in (1..).zip(text.split(|b| *b == b'\n')) {
        let mut words = words(line).map_err(|what| (number, what.to_string()))?.into_iter();
        let Some(name) = words.next() else { continue };
        let arguments: Vec<OsString> = words.collect();
        let name = name.into_string().map_err(|_| (number, "a name that is not UTF-8".to_string()))?;
        if !is_name(&name) {
            let what = "is no name for a result: letters, digits, `.`, `-`, `_`, and `/` between them";
            return Err((number, format!("{name:?} {what}")));
        }
        if arguments.is_empty() {
            return Err((number, format!("{name}: no program; a line is NAME PROGRAM [OPTION ...]")));
        }
        if !names.insert(name.clone()) {
            return Err((number, format!("{name} is the name of two programs")));
        }
        entries.push(Entry { name, arguments });
    }
    Ok(entries)
}

/// Whether a name makes a file below a directory, and nowhere else.
fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty() && !part.starts_with('.') && part.chars().all(|c| c.is_alphanumeric() || "._-+".contains(c))
    };
    name.split('/').all(is_part)
}

/// The programs of one of several shares, counted from 1.
pub fn share(entries: Vec<Entry>, (which, of): (usize, usize)) -> Vec<Entry> {
    entries.into_iter().enumerate().filter(|(n, _)| n % of == which - 1).map(|(_, entry)| entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Result<Vec<String>, (usize, String)> {
        parse(text.as_bytes()).map(|all| all.into_iter().map(|e| e.name).collect())
    }

    #[test]
    fn lines_are_programs() {
        let all = parse(b"# a class\nanna/one one.c --tests 'my tests'\n\nben two.c # late\r\n").expect("a list");
        let words: Vec<usize> = all.iter().map(|e| e.arguments.len()).collect();
        assert_eq!((all[0].name.as_str(), all[1].name.as_str(), words), ("anna/one", "ben", vec![3, 1]));
    }

    #[test]
    fn what_makes_no_sense_is_told_with_its_line() {
        assert_eq!(named("a a.c\na b.c\n"), Err((2, "a is the name of two programs".into())));
        assert_eq!(named("a\n").map_err(|e| e.0), Err(1));
        assert_eq!(named("../a a.c\n").map_err(|e| e.0), Err(1), "results stay in their directory");
        assert_eq!(named("a 'a.c\n").map_err(|e| e.0), Err(1));
    }

    #[test]
    fn shares_are_all_and_apart() {
        let all = parse(b"a x\nb x\nc x\nd x\ne x\n").expect("a list");
        let names = |which| share(all.clone(), (which, 3)).into_iter().map(|e| e.name).collect::<Vec<_>>();
        assert_eq!([names(1), names(2), names(3)].concat(), ["a", "d", "b", "e", "c"]);
    }
}
