//! What `explain` says of a program, held against what is expected.

use super::program::{Everyday, Place, name_of};
use crate::common::{Said, wherefore, workspace};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use wherefore_report::{Report, Style, human};

/// The longest default output, in lines.
pub const SCREEN: usize = 40;

/// Seconds for an answer, where the program does not say.
const PATIENCE: &str = "100";

/// What is checked of each answer, in the order of the table.
pub const CHECKS: [&str; 7] = ["status", "kind", "place", "memory", "cause", "length", "names"];

/// What was said of a program.
pub struct Answer {
    pub said: Said,
    pub json: Value,
    /// What a person sees.
    pub text: String,
    pub took: Duration,
}

impl Answer {
    /// Explain a program.
    pub fn of(program: &Everyday, scratch: &Path) -> Answer {
        let began = Instant::now();
        let mut arguments = ["explain", "--format", "json"].map(str::to_string).to_vec();
        if !program.has_timeout() {
            arguments.extend(["--timeout", PATIENCE].map(str::to_string));
        }
        arguments.extend(program.arguments(scratch));
        let said: Said =
            wherefore().current_dir(workspace()).args(&arguments).output().expect("wherefore starts").into();
        let took = began.elapsed();
        let json = serde_json::from_str(&said.stdout).unwrap_or(Value::Null);
        let text = match serde_json::from_str::<Report>(&said.stdout) {
            Ok(report) => {
                human(&report, &|path| std::fs::read_to_string(workspace().join(path)).ok(), Style::default())
            }
            Err(_) => String::new(),
        };
        Answer { said, json, text, took }
    }

    /// What is wrong by each check; nothing where all is right.
    pub fn wrong(&self, program: &Everyday) -> BTreeMap<&'static str, String> {
        let checks: [fn(&Answer, &Everyday) -> Option<String>; 7] =
            [Self::status, Self::kind, Self::place, Self::memory, Self::cause, Self::length, Self::names];
        let found = CHECKS.into_iter().zip(checks).map(|(name, check)| (name, check(self, program)));
        found.filter_map(|(name, wrong)| Some((name, wrong?.replace('\n', " ")))).collect()
    }

    fn status(&self, _: &Everyday) -> Option<String> {
        (self.said.status != Some(0))
            .then(|| format!("exit status {:?}: {}", self.said.status, self.said.stderr.trim()))
    }

    fn kind(&self, program: &Everyday) -> Option<String> {
        let kind = self.json["failure"]["kind"].as_str().unwrap_or("none");
        (!program.kinds().contains(&kind)).then(|| format!("the failure is {kind}: {}", self.headline()))
    }

    fn place(&self, program: &Everyday) -> Option<String> {
        let at = place(&self.json["failure"]["at"]);
        (!at.as_ref().is_some_and(|at| program.marked("FAILS").contains(at))).then(|| format!("it fails at {at:?}"))
    }

    /// The error, its object and the places of the object's life.
    fn memory(&self, program: &Everyday) -> Option<String> {
        let wanted = program.memory()?;
        let found = &self.json["failure"]["memory"];
        let mut wrong = vec![];
        if found["error"] != wanted.error {
            wrong.push(format!("the error is {}", found["error"]));
        }
        if let Some((offset, size)) = wanted.extent
            && (found["offset"].as_i64(), found["size"].as_u64()) != (Some(offset), Some(size))
        {
            wrong.push(format!("offset {} of {} bytes", found["offset"], found["size"]));
        }
        for (mark, field) in [("MADE", "made_at"), ("FREED", "freed_at")] {
            let wanted = program.marked(mark);
            if !wanted.is_empty() && !place(&found[field]).is_some_and(|at| wanted.contains(&at)) {
                wrong.push(format!("{field} is {}", found[field]["line"]));
            }
        }
        (!wrong.is_empty()).then(|| wrong.join("; "))
    }

    /// Whether what a person sees names a line that is to blame.
    fn cause(&self, program: &Everyday) -> Option<String> {
        let named = lines_named(&self.text);
        let causes = program.marked("CAUSE");
        (!causes.iter().any(|cause| named.contains(cause))).then(|| format!("{causes:?} is not named"))
    }

    fn length(&self, _: &Everyday) -> Option<String> {
        let lines = self.lines();
        (lines > SCREEN).then(|| format!("{lines} lines"))
    }

    fn names(&self, _: &Everyday) -> Option<String> {
        let strange = self.text.lines().find(|line| is_internal(line))?;
        Some(format!("`{}`", strange.trim()))
    }

    /// How long the default output is.
    pub fn lines(&self) -> usize {
        self.text.lines().count()
    }

    pub fn headline(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }
}

fn place(at: &Value) -> Option<Place> {
    Some((name_of(Path::new(at["file"].as_str()?)), at["line"].as_u64()?))
}

/// Whether a line shows an address or a name that no programmer wrote.
pub fn is_internal(line: &str) -> bool {
    let is_address = |rest: &str| rest.chars().take_while(char::is_ascii_hexdigit).count() >= 6;
    let is_copy = |rest: &str| {
        let digits = rest.chars().take_while(char::is_ascii_digit).count();
        digits > 0 && rest[digits..].starts_with("::")
    };
    line.split("0x").skip(1).any(is_address)
        || line.split('#').skip(1).any(is_copy)
        || ["__isoc99_", "__isoc23_", "__ctype"].iter().any(|name| line.contains(name))
}

/// The lines of the source that a text for people names: ` 21 | text`, `line 9`, `lines 9 and 12`, `zip.c:36`. A line
/// without a file is one of the file that the heading above names, else of the one that fails.
pub fn lines_named(text: &str) -> Vec<Place> {
    let failing = name_of(Path::new(text.split(':').next().unwrap_or_default()));
    let mut file = failing.clone();
    let mut named = vec![];
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.is_empty() {
            file.clone_from(&failing);
        }
        if let Some(other) = heading(line) {
            file = other;
        }
        if let Some((gutter, _)) = line.split_once(" | ")
            && let Ok(line) = gutter.trim().parse()
        {
            named.push((file.clone(), line));
        }
        // A sentence may be broken before the number.
        let broken = line.ends_with(" line") || line.ends_with(" lines");
        let with_next = format!("{line} {}", lines.peek().filter(|_| broken).unwrap_or(&""));
        named.extend(said_lines(&with_next).into_iter().map(|n| (file.clone(), n)));
        named.extend(said_places(line));
    }
    named
}

/// The file that a heading names: `in take() at arena.c:`, `at arena.h:`.
fn heading(line: &str) -> Option<String> {
    let place = line.strip_suffix(':').filter(|l| !l.starts_with(' '))?;
    let path = place.strip_prefix("at ").or_else(|| Some(place.rsplit_once(" at ")?.1))?;
    let is_source = path.ends_with(".c") || path.ends_with(".h");
    is_source.then(|| name_of(Path::new(path)))
}

/// Numbers after the words `line` and `lines`.
fn said_lines(text: &str) -> Vec<u64> {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let starts = (0..words.len()).filter(|i| matches!(words[*i], "line" | "lines"));
    let numbers = |start: usize| {
        let rest = words[start + 1..].iter().filter(|w| **w != "and");
        rest.map_while(|w| w.parse().ok()).collect::<Vec<u64>>()
    };
    starts.flat_map(numbers).collect()
}

/// Places written as `FILE:LINE`.
fn said_places(text: &str) -> Vec<Place> {
    let words = text.split(|c: char| c.is_whitespace() || "(),;`".contains(c));
    let place = |word: &str| {
        let (path, rest) = word.split_once(':')?;
        let is_source = path.ends_with(".c") || path.ends_with(".h");
        let line = rest.split(':').next()?.parse().ok()?;
        is_source.then(|| (name_of(Path::new(path)), line))
    };
    words.filter_map(place).collect()
}

/// What does not hold yet, and why: `(program, check)` to reason.
pub fn not_yet() -> BTreeMap<(String, String), String> {
    let text = std::fs::read_to_string(workspace().join("tests/everyday/not_yet.txt")).expect("the list");
    let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
    let entry = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let mut word = || words.next().unwrap_or_else(|| panic!("PROGRAM CHECK REASON, not `{line}`")).to_string();
        ((word(), word()), word())
    };
    lines.map(entry).collect()
}
