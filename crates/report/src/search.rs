//! The answer of `search` for people: each failure with the inputs that lead to it, as a shell takes them.

use crate::headline::{place, what_fails};
use crate::human::Page;
use crate::layout::{Line, Paint, clean};
use crate::model::{Found, Searched};
use crate::words::counted;

/// How many inputs of one failure are shown unless all are asked for.
const SHOWN: usize = 10;

/// The indent of inputs.
const INDENT: &str = "    ";

/// The sections of the report.
pub(crate) fn sections(page: &Page, searched: &Searched) -> Vec<Vec<Line>> {
    let (failing, passing): (Vec<&Found>, Vec<&Found>) = searched.tests.iter().partition(|t| t.failure.is_some());
    // What fails, once for all inputs that lead to it, in the order in which it was found.
    let mut failures: Vec<(String, Vec<Line>)> = vec![];
    for test in &failing {
        let Some(failure) = &test.failure else { continue };
        let mut line = Line::new(Paint::Headline, place(test.point.as_ref().unwrap_or(&failure.at)));
        line.append(&what_fails(failure));
        let text = line.render(false);
        match failures.iter_mut().find(|(other, _)| *other == text) {
            Some((_, lines)) => lines.push(given(test)),
            None => failures.push((text, vec![line, given(test)])),
        }
    }
    let mut sections: Vec<Vec<Line>> = failures.into_iter().map(|(_, lines)| lines).collect();
    for lines in sections.iter_mut().filter(|lines| !page.style.verbose && lines.len() > 1 + SHOWN) {
        let more = lines.split_off(1 + SHOWN).len();
        lines.push(Line::new(Paint::Plain, format!("{INDENT}and {more} more; -v shows them")));
    }
    if page.style.verbose && !passing.is_empty() {
        let passing = passing.iter().map(|test| given(test));
        sections.push([Line::new(Paint::Headline, "no failure")].into_iter().chain(passing).collect());
    }
    sections.push(closing(page, searched, failing.len(), passing.len()));
    sections
}

/// How much was seen, and what was not.
fn closing(page: &Page, searched: &Searched, failing: usize, passing: usize) -> Vec<Line> {
    let seen = match (searched.complete, searched.proved) {
        (true, _) => "every path was visited",
        (false, true) => "it is proved that it fails nowhere else, as long as it ends",
        (false, false) => "not every path was visited",
    };
    let is_safe = searched.proved && !searched.complete && failing == 0;
    let failing = counted(failing as u64, "failing input");
    let (paths, runs) = (counted(searched.paths, "path"), counted(searched.runs, "run"));
    let numbers = match is_safe {
        true => format!("No input fails, as long as the program ends: that is proved, by {paths} in {runs}."),
        false => format!("{failing}, {passing} passing; {seen}: {paths} in {runs}."),
    };
    let notes = page.report.notes.iter().map(|note| format!("  {}", clean(note)));
    [numbers].into_iter().chain(notes).map(|text| Line::new(Paint::Plain, text)).collect()
}

/// What a run was given, to be copied: it stands in one line, however long.
fn given(test: &Found) -> Line {
    let end = test.arguments.iter().position(|a| a == "--").unwrap_or(test.arguments.len());
    let (options, arguments) = test.arguments.split_at(end);
    let stdin = test.stdin_bytes.as_deref().or(test.stdin.as_deref().map(str::as_bytes)).filter(|t| !t.is_empty());
    let stdin = stdin.map(|text| format!("--stdin <({})", printf(text)));
    let words: Vec<String> =
        options.iter().map(|w| shell(w)).chain(stdin).chain(arguments.iter().map(|w| shell(w))).collect();
    let text = if words.is_empty() { "without any input".into() } else { words.join(" ") };
    Line::new(Paint::Plain, format!("{INDENT}{text}"))
}

/// A word as a shell takes it.
fn shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+,./:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into()
    } else if clean(word) == word {
        format!("'{}'", word.replace('\'', "'\\''"))
    } else {
        let byte = |b: u8| match b {
            b'\\' | b'\'' => format!("\\{}", b as char),
            b' '..=b'~' => (b as char).into(),
            _ => format!("\\{b:03o}"),
        };
        format!("$'{}'", word.bytes().map(byte).collect::<String>())
    }
}

/// Text as `printf` of a shell takes it.
fn printf(text: &[u8]) -> String {
    let byte = |b: u8| match b {
        b'\n' => "\\n".into(),
        b'\\' => "\\\\".into(),
        b'%' => "%%".into(),
        b'\'' => "\\047".into(),
        b' '..=b'~' => (b as char).into(),
        _ => format!("\\{b:03o}"),
    };
    format!("printf '{}'", text.iter().map(|b| byte(*b)).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(shell("a=-1"), "a=-1");
        assert_eq!(shell("a={1,2}"), "'a={1,2}'");
        assert_eq!(shell("it's"), "'it'\\''s'");
        assert_eq!(shell("a\n'"), "$'a\\012\\''");
        assert_eq!(printf(b"3 4\n'%\x01"), "printf '3 4\\n\\047%%\\001'");
    }

    #[test]
    fn words_survive_a_shell() {
        for word in ["", "it's", "a b", "$HOME `x` \\ \"", "a\nb\t\u{1b}[0m'\\", "é\u{202e}"] {
            let output = Command::new("bash").arg("-c").arg(format!("printf %s {}", shell(word))).output();
            assert_eq!(output.expect("a shell").stdout, word.as_bytes(), "{word:?}");
        }
        let text: Vec<u8> = (1..=255).collect();
        let output = Command::new("bash").arg("-c").arg(printf(&text)).output();
        assert_eq!(output.expect("a shell").stdout, text);
    }
}
