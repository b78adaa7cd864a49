//! What the tests do, which of them fail, and where the story of a failure goes.

use super::{jobs, test_time};
use crate::options::Diagnose as Options;
use crate::sources::Sources;
use crate::{asked, present, run, stop_in};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};
use wherefore_budget::Budget;
use wherefore_case::Case;
use wherefore_localize as localize;
use wherefore_program::{FileId, Program};
use wherefore_record::{Ending, Input, RunLimits};
use wherefore_report::Report;
use wherefore_search::recorded;
use wherefore_session::{NAME, Native, Observed, Session};
use wherefore_solver::Backend;
use wherefore_trace::{FailureKind, MemoryError, Misuse, Stopped, Trace, WalkError, walk, walk_watching_memory};

/// More tests than this are not followed to see whether they use memory as C allows: the first ones tell.
const FOLLOWED: usize = 32;

/// The share of the time that the story of a failure may take.
const OF_THE_STORY: f64 = 0.1;

/// What the tests did.
pub struct Tested {
    /// Each natively.
    pub observed: Vec<Observed>,
    /// Whether each fails.
    pub fails: Vec<bool>,
    /// Whether no test fails natively, but some do what C does not allow.
    pub careful: bool,
    /// What all took together.
    pub time: Duration,
    /// What a test took, on the average.
    pub took: Duration,
}

impl Tested {
    /// Runs the tests.
    ///
    /// # Errors
    /// When one cannot be run.
    pub fn new(options: &Options, session: &Session, cases: &[Case], budget: &Budget) -> anyhow::Result<Tested> {
        let native = Native::new(session, test_time(options))?;
        let began = Instant::now();
        let observed = native.run_all(cases, jobs(options.jobs))?;
        let time = began.elapsed();
        let ended = observed.iter().filter(|seen| seen.has_ended()).count();
        // Tests that hang say nothing about how long a run takes.
        let took = if ended == observed.len() { time / ended.max(1) as u32 } else { Duration::ZERO };
        let mut fails: Vec<bool> =
            cases.iter().zip(&observed).map(|(case, seen)| !seen.passes(&case.expected)).collect();
        let mut careful = false;
        if !fails.contains(&true) {
            for (case, fails) in cases.iter().zip(&mut fails).take(FOLLOWED) {
                *fails = match trace(session, case, true, budget) {
                    Ok(trace) => trace.failure.is_some(),
                    Err(error) if stop_in(&error).is_some() => return Err(error),
                    // What cannot be followed did well as far as anybody saw.
                    Err(_) => false,
                };
                careful |= *fails;
            }
        }
        Ok(Tested { observed, fails, careful, time, took })
    }

    /// The blocks that the longest of the failing tests executes, each as often as it does.
    pub fn longest(&self) -> u64 {
        let failing = self.observed.iter().zip(&self.fails).filter(|(_, fails)| **fails);
        failing.map(|(seen, _)| seen.counts.iter().map(|n| u64::from(*n)).sum()).max().unwrap_or(0)
    }

    /// What the first failing test's story says about lines; where none ends, which loop does not. Nothing where it cannot
    /// be told.
    pub fn story(&self, options: &Options, session: &Session, cases: &[Case], budget: &Budget) -> Story {
        let budget = &budget.share(OF_THE_STORY);
        let first = (0..cases.len()).find(|n| self.fails[*n] && self.observed[*n].has_ended());
        match first {
            Some(first) => told(options, session, &cases[first], budget).unwrap_or_default(),
            None => {
                let endless = (0..cases.len()).find(|n| self.fails[*n]);
                endless.map_or_else(Story::default, |n| Story::of_loop(session.program(), &self.observed[n]))
            }
        }
    }
}

/// How near to the failure the lines of a program are, by what is told of it.
#[derive(Clone, Debug, Default)]
pub struct Story {
    /// The price of an edit in each line that is told.
    lines: HashMap<(FileId, u32), u32>,
    /// Whether the run was followed and stays inside its objects.
    pub within_objects: bool,
    /// Whether the failure is that memory is used which was freed.
    pub after_free: bool,
}

/// The price of an edit in a line that only the chain tells, the sentences at the top not.
const IN_THE_CHAIN: u32 = 2;

/// What is executed at least this part of the most belongs to the loop that does not end.
const OF_THE_MOST: u32 = 16;
/// The price of an edit in a line that leads to it.
const BEFORE_THE_LOOP: u32 = 1;

impl Story {
    /// Of a run that does not end: the loop that it was in when it was stopped, and what came before.
    fn of_loop(program: &Program, seen: &Observed) -> Story {
        let mut lines = HashMap::new();
        let most = seen.counts.iter().copied().max().unwrap_or(0);
        for function in &program.functions {
            for (number, block) in function.blocks.iter().enumerate() {
                let count = seen.counts.get(function.first_block as usize + number).copied().unwrap_or(0);
                let price = if count > most / OF_THE_MOST { 0 } else { BEFORE_THE_LOOP };
                let places = block.commands.iter().map(|c| c.at).chain([block.terminator.at]).flatten();
                for at in places.filter(|_| count > 0) {
                    let known = lines.entry((at.file, at.line)).or_insert(price);
                    *known = price.min(*known);
                }
            }
        }
        Story { lines, ..Story::default() }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The price of an edit in some lines; `None` where they are not told.
    pub fn price(&self, file: FileId, lines: RangeInclusive<u32>) -> Option<u32> {
        lines.filter_map(|line| self.lines.get(&(file, line)).copied()).min()
    }
}

/// The story of a test.
fn told(options: &Options, session: &Session, case: &Case, budget: &Budget) -> Option<Story> {
    // Another run than the failing one has nothing to say.
    if options.run.input.is_empty() && !case.given.inputs.is_empty() {
        return None;
    }
    let mut run = options.run.clone();
    run.arguments.clone_from(&case.given.arguments);
    run.nondet = case.given.nondet.iter().map(u64::to_string).collect();
    let stdin = session.directory().join("told");
    std::fs::write(&stdin, case.given.stdin.as_deref().unwrap_or_default()).ok()?;
    run.stdin = Some(stdin);
    let happened = run::happen(&run, session, budget).ok()?;
    let mut recorded = recorded(&happened.recording, &happened.globals);
    recorded.stdout = asked::comparable(&happened.stdout, &case.expected).ok()?;
    let program = session.program();
    let mut trace = walk_watching_memory(program, &recorded, happened.stopped, &case.expected, budget).ok()?;
    let encoding = localize::Encoding::FlowSensitive;
    let settings = localize::Options {
        encoding,
        addresses: true,
        reach: None,
        split: localize::Split::Statements,
        backend: Backend::Cadical,
        budget: budget.clone(),
    };
    let explanation = localize::explain(program, &mut trace, &settings)?;
    let places = explanation.steps.iter().flat_map(|s| s.at.into_iter().chain(s.because.iter().filter_map(|b| b.1)));
    let mut lines: HashMap<(FileId, u32), u32> = places.map(|at| ((at.file, at.line), IN_THE_CHAIN)).collect();
    let mut report = Report::new("explain");
    let sources = Sources::new(program, HashMap::new());
    present::fill(&mut report, &happened, &trace, Some(&explanation), encoding, &sources);
    let summary = report.explanation.map(|told| told.summary).unwrap_or_default();
    for (number, sentence) in summary.iter().enumerate() {
        // What is said first is nearest to the cause.
        let price = (number as u32 / 2).min(IN_THE_CHAIN);
        for line in lines_named(sentence) {
            for ((_, known), least) in lines.iter_mut() {
                if *known == line {
                    *least = (*least).min(price);
                }
            }
        }
    }
    if let Some(at) = trace.failure.as_ref().and_then(|failure| failure.at) {
        lines.insert((at.file, at.line), 1);
    }
    // An object may be too small, or not last long enough.
    let memory = report.failure.and_then(|failure| failure.memory);
    let within_objects = memory.is_none() && matches!(happened.stopped, Stopped::Exit(_));
    if let Some(made) = memory.and_then(|memory| memory.made_at)
        && let Some(file) = program.files.iter().position(|f| *f == made.file)
    {
        lines.insert((FileId(file as u32), made.line), 1);
    }
    let after_free = trace.failure.is_some_and(|failure| {
        matches!(failure.kind, FailureKind::Memory(Misuse { error: MemoryError::UseAfterFree, .. }))
    });
    Some(Story { lines, within_objects, after_free })
}

/// The lines that a sentence names: `line 12`, `lines 3 and 4`, `zip.c:116`.
fn lines_named(sentence: &str) -> Vec<u32> {
    let number = |word: &str| word.trim_end_matches(|c: char| c.is_ascii_punctuation()).parse::<u32>().ok();
    let words: Vec<&str> = sentence.split([' ', '\u{a0}']).collect();
    let mut found = vec![];
    for (place, word) in words.iter().enumerate() {
        if word.trim_start_matches('(') == "line" || word.trim_start_matches('(') == "lines" {
            let following = words[place + 1..].iter().take_while(|w| number(w).is_some() || **w == "and");
            found.extend(following.filter_map(|w| number(w)));
        } else if let Some((_, after)) = word.split_once(".c:") {
            found.extend(after.split(':').next().and_then(number));
        }
    }
    found
}

/// The trace of a test; `watching`: what C does not allow is a failure.
///
/// # Errors
/// When it cannot be run or followed.
pub fn trace(session: &Session, case: &Case, watching: bool, budget: &Budget) -> anyhow::Result<Trace> {
    let stdin = session.directory().join("stdin");
    std::fs::write(&stdin, case.given.stdin.as_deref().unwrap_or_default())?;
    let mut run = session.run()?;
    run.limits.time = RunLimits::default().time;
    run.argv0 = Some(NAME.into());
    run.give(&case.given);
    run.stdin = Some(stdin);
    let outcome = wherefore_record::run(&run, session.directory())?;
    let Some(recording) = outcome.recording else { anyhow::bail!("the program did not start") };
    let stopped = match outcome.ending {
        _ if recording.threads.are_several() && !recording.reaches(&outcome.ending) => Stopped::Limit,
        Ending::Exited(status) => Stopped::Exit(status),
        Ending::Signal(signal) => Stopped::Signal(signal),
        _ => Stopped::Limit,
    };
    let given = case.given.inputs.iter().filter_map(|input| match input {
        Input::Global { id, .. } => Some(*id),
        Input::Argument { .. } => None,
    });
    let mut recorded = recorded(&recording, &given.collect::<Vec<u32>>());
    if outcome.stdout.complete() && case.expected.stdout.is_some() {
        recorded.stdout = Some(&outcome.stdout.kept);
    }
    let walk: fn(&_, &_, _, &_, &_) -> Result<Trace, WalkError> = if watching { walk_watching_memory } else { walk };
    Ok(walk(session.program(), &recorded, stopped, &case.expected, budget)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_name_lines() {
        assert_eq!(lines_named("t is freed since line 35: free(t), reached because t->done != 0 (line 33)."), [35, 33]);
        assert_eq!(lines_named("It comes from lines 3 and 4; (zip.c:116) sets it."), [3, 4, 116]);
    }
}
