//! `--at FILE:LINE[:N] --expect CONDITION`: why does the condition not hold there, or why is the line never reached?
//!
//! The compiler is given the source with a call in front of the statement on that line, so that the condition means
//! there what C says it means; what the run gives the call is the answer. No file of the user's is changed.

use crate::UsageError;
use crate::options::Explain as Options;
use crate::overlay::{Overlay, overlay};
use crate::run::{self, Happened};
use std::path::{Path, PathBuf};
use wherefore_budget::Budget;
use wherefore_frontend::Error;
use wherefore_program::Origin;
use wherefore_report::words::ordinal;
use wherefore_search::recorded;
use wherefore_session::Session;
use wherefore_source::{Extent, SourceText};
use wherefore_trace::{Answer, QUESTION, Trace, ask};
use wherefore_wording::{Names, Position};

/// More words of a run that was stopped are not followed for a question.
const MOST_WORDS: usize = 1 << 21;

/// What is asked.
pub struct Question {
    file: PathBuf,
    line: u32,
    nth: Option<u64>,
    condition: Option<String>,
    /// The statement on the line.
    statement: Extent,
    /// Where the compiler finds the source with the call.
    text: Overlay,
}

impl Question {
    /// The question that the options ask, if any.
    ///
    /// # Errors
    /// When there is no such place.
    pub fn new(options: &Options) -> anyhow::Result<Option<Question>> {
        let Some(at) = &options.at else { return Ok(None) };
        let (name, line, nth) = place(at)?;
        let is_it = |path: &&PathBuf| path.as_path() == Path::new(name) || path.ends_with(name);
        let file = options.run.program.iter().find(is_it).cloned();
        let file = file.ok_or_else(|| UsageError(format!("--at {at}: {name} is none of the program's files")))?;
        let bytes = std::fs::read(&file).map_err(|e| UsageError(format!("--at {at}: {}: {e}", file.display())))?;
        let source = SourceText::from_bytes(name.to_string(), &bytes);
        let condition = options.expect.as_deref();
        let asks = format!("{{ extern void {QUESTION}(int); {QUESTION}(!!({}\n)); }}", condition.unwrap_or("1"));
        let inserted = source.with_statement(line, &asks).map_err(|next| {
            let next = next.map_or(String::new(), |n| format!("; the next one begins on line {n}"));
            UsageError(format!("--at {at}: no statement begins on line {line} of {name}{next}"))
        })?;
        let text = overlay(std::slice::from_ref(&file), &[inserted.text])?;
        let condition = condition.map(str::to_string);
        Ok(Some(Question { file, line, nth, condition, statement: inserted.before, text }))
    }

    /// Compile the program with the question in it.
    ///
    /// # Errors
    /// As for [`run::open`]; what is wrong with the condition is said to be.
    pub fn open(&self, options: &Options, budget: &Budget) -> anyhow::Result<Session> {
        let mut asked = options.run.clone();
        asked.cc_arg.extend(self.text.arguments());
        let opened = run::open(&asked, budget);
        if let Err(error) = &opened
            && let Some(Error::CompileFailed { stderr }) = error.downcast_ref()
            && run::open(&options.run, budget).is_ok()
        {
            let error = stderr.lines().find_map(|l| l.split_once("error: ")).map_or(stderr.as_str(), |(_, what)| what);
            let when = format!("it is asked before line {} is executed", self.line);
            return Err(UsageError(format!("--expect: {error} ({when})")).into());
        }
        opened
    }

    /// The trace up to the answer; where there is nothing to explain, a sentence that says so.
    ///
    /// # Errors
    /// When the recording does not fit the program, or the budget is over.
    pub fn trace(&self, happened: &Happened, budget: &Budget) -> anyhow::Result<Result<Trace, String>> {
        let mut recorded = recorded(&happened.recording, &happened.globals);
        if happened.unended.is_some() {
            recorded.words = &recorded.words[..recorded.words.len().min(MOST_WORDS)];
        }
        let Answer { mut trace, reached, failed } =
            ask(&happened.program, &recorded, happened.stopped, self.nth, budget)?;
        let Some(failure) = &trace.failure else { return Ok(Err(self.nothing(reached))) };
        let message = match failed {
            Some(time) => self.message(time, reached),
            None => {
                let values = trace.values_at(trace.steps.len());
                let here = Position { activation: failure.activation, at_entry: false, values: &values };
                let condition = Names::new(&happened.program, &trace).condition(failure.violated, here);
                format!("line {} is never reached: {condition} here", self.line)
            }
        };
        let failure = trace.failure.as_mut().expect("seen above");
        failure.message = message;
        if failed.is_some() {
            let Extent { line, column, .. } = self.statement;
            failure.at = failure.at.map(|at| Origin { line, column, ..at });
        }
        Ok(Ok(trace))
    }

    fn message(&self, time: u64, reached: u64) -> String {
        let condition = self.condition.as_deref().unwrap_or_default();
        match (self.nth, reached) {
            (None, 1) => format!("{condition} is false"),
            _ => format!("{condition} is false the {} time", ordinal(time)),
        }
    }

    /// Why there is nothing to explain.
    fn nothing(&self, reached: u64) -> String {
        let place = format!("{}:{}", self.file.display(), self.line);
        match (&self.condition, reached, self.nth) {
            (_, 0, _) => format!("{place} is never reached: the run ends before"),
            (_, times, Some(n)) if times < n => format!("{place} is reached {} only", counted(times)),
            (None, times, _) => {
                format!("{place} is reached {}; --expect CONDITION asks what holds there", counted(times))
            }
            (Some(condition), _, Some(n)) => format!("{condition} is true the {} time at {place}", ordinal(n)),
            (Some(condition), times, None) => format!("{condition} is true at {place}, reached {}", counted(times)),
        }
    }
}

/// `once`, `3 times`.
fn counted(times: u64) -> String {
    if times == 1 { "once".into() } else { format!("{times} times") }
}

/// `FILE:LINE` or `FILE:LINE:N`.
fn place(at: &str) -> Result<(&str, u32, Option<u64>), UsageError> {
    let wrong = || UsageError(format!("--at {at}: FILE:LINE or FILE:LINE:N is expected"));
    let (rest, last) = at.rsplit_once(':').ok_or_else(wrong)?;
    let last: u64 = last.parse().ok().filter(|n| *n > 0).ok_or_else(wrong)?;
    let before = rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?)));
    match before {
        Some((file, line)) => Ok((file, line, Some(last))),
        None => Ok((rest, u32::try_from(last).map_err(|_| wrong())?, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read() {
        assert_eq!(place("a.c:61").unwrap(), ("a.c", 61, None));
        assert_eq!(place("d/a.c:61:2").unwrap(), ("d/a.c", 61, Some(2)));
        assert!(place("a.c").is_err() && place("a.c:x").is_err() && place("a.c:0").is_err());
    }

    #[test]
    fn times_are_counted() {
        let all = [1, 2, 3, 4, 11, 12, 13, 21, 102, 113].map(ordinal);
        assert_eq!(all, ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "113th"]);
    }
}
