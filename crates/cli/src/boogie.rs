//! Programs of Boogie: read, interpreted, searched. They have no executable; the interpreter makes their runs.

use crate::explain::{self, Seen};
use crate::inputs;
use crate::options::{Explain, Run as Options};
use crate::progress::Progress;
use crate::run::Happened;
use crate::search;
use crate::sources::Sources;
use crate::{Status, UsageError};
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};
use wherefore_budget::{Budget, Stop};
use wherefore_case::Given;
use wherefore_interpret::{GaveUp, Integers, Limits, Ran, run};
use wherefore_program::{CType, Callee, Command, Program};
use wherefore_record::{Captured, Ending, Forced, Outcome, State};
use wherefore_report as report;
use wherefore_search::{By, Found, Obstacle};
use wherefore_trace::{FailureKind, STACK, Stopped, Trace};

/// Commands of a run that is one of many, at first.
const STEPS: u64 = 200_000;
/// The same of words.
const WORDS: usize = 1 << 17;
/// The share of the time that a single run may take.
const OF_THE_RUN: f64 = 0.5;
/// Runs of a search for one failing input.
const RUNS: usize = 5_000;

/// A program that was read.
pub struct Boogie {
    /// The program.
    pub program: Program,
    /// What was asked for, with the procedure that a run starts in.
    pub options: Options,
    /// How long reading took.
    pub time: Duration,
}

/// Whether a program is one of Boogie.
fn is_program(program: &Program) -> bool {
    program.files.iter().any(|file| is_one(Path::new(file)))
}

/// What is said of a run that does not fail.
pub fn no_failure(happened: &Happened) -> Option<String> {
    is_program(&happened.program).then(|| match happened.recording.assumption_violated {
        true => "no failure: something that is assumed does not hold for these inputs, and the run ends there".into(),
        false => "no failure: every assertion that the run came to holds".into(),
    })
}

/// Says what fails where it is not what is asserted at its place: what a procedure requires, where it is called.
pub fn name(trace: &mut Trace, program: &Program) {
    let Some(failure) = trace.failure.as_mut().filter(|_| is_program(program)) else { return };
    let Some(at) = failure.at.filter(|_| failure.kind == FailureKind::Assertion) else { return };
    let called = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.commands).find_map(|c| match &c.it {
        Command::Call { callee: Callee::Function(id), .. } if c.at == Some(at) => Some(id),
        _ => None,
    });
    if let Some(callee) = called {
        failure.message = format!("what {}() requires does not hold", program.functions[callee.index()].name);
    }
}

/// Why nothing is proved of a program of Boogie.
pub fn doubt(program: &Program) -> Option<String> {
    let is_number = |ctype: &CType| matches!(ctype, CType::Integer { name, .. } if name == "int");
    let has_numbers = is_program(program) && program.types.0.iter().any(is_number);
    has_numbers.then(|| "numbers of Boogie are taken as numbers of 64 bits".into())
}

/// Whether a file has Boogie in it.
pub fn is_one(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "bpl")
}

/// Whether a program of Boogie is asked for.
pub fn is_asked(options: &Options) -> bool {
    options.program.iter().any(|path| is_one(path))
}

/// What cannot be done with a program of Boogie.
pub fn refuse(options: &Options, what: &str) -> Result<(), UsageError> {
    match options.program.iter().find(|path| is_one(path)) {
        Some(path) => Err(UsageError(format!("{}: {what}", path.display()))),
        None => Ok(()),
    }
}

impl Boogie {
    /// Reads the program that the options name.
    ///
    /// # Errors
    /// When it cannot be read, or something in it is wrong or not supported.
    pub fn open(options: &Options) -> anyhow::Result<Boogie> {
        let began = Instant::now();
        crate::run::check(options)?;
        let [path] = &options.program[..] else {
            return Err(UsageError("a program of Boogie is one file".into()).into());
        };
        if options.stdin.is_some() || !options.arguments.is_empty() {
            let what = "a program of Boogie has neither arguments nor standard input";
            return Err(UsageError(format!("{}: {what}", path.display())).into());
        }
        let name = path.display().to_string();
        let text = std::fs::read(path).map_err(|error| UsageError(format!("{name}: {error}")))?;
        let text = String::from_utf8(text).map_err(|_| UsageError(format!("{name}: this is not a text")))?;
        let boogie = wherefore_boogie::read(&name, &text).map_err(|problems| UsageError(problems.to_string()))?;
        let asked = boogie.program(&options.entry).map(|program| (options.entry.clone(), program));
        let found = asked.or_else(|| {
            let main = boogie.main().filter(|_| options.entry == "main")?;
            Some((main.to_string(), boogie.program(main)?))
        });
        let Some((entry, program)) = found else {
            let all = boogie.procedures();
            let known = if all.is_empty() { "there are none".into() } else { format!("there are {}", all.join(", ")) };
            let what = match options.entry.as_str() {
                "main" if all.len() > 1 => "--entry has to name the procedure to run".to_string(),
                entry => format!("there is no procedure `{entry}` with a body"),
            };
            return Err(UsageError(format!("{name}: {what} ({known})")).into());
        };
        Ok(Boogie { program, options: Options { entry, ..options.clone() }, time: began.elapsed() })
    }

    /// Runs it.
    pub fn run(&self, given: &Given, forced: &[Forced], limits: Limits) -> Ran {
        let entry = self.program.function(&self.options.entry).expect("it was found");
        let integers = Integers::Unlimited;
        run(&wherefore_interpret::Run { program: &self.program, entry, given, tables: None, forced, integers, limits })
    }

    /// The globals that an input can be given for.
    fn scalars(&self) -> impl Iterator<Item = (u32, &str)> {
        let all = (0..).zip(&self.program.globals);
        all.filter_map(|(id, global)| {
            let is_map = matches!(global.ctype.map(|t| &self.program.types[t]), Some(CType::Array { .. }));
            // A point stands in names of results that are handed over.
            let name = global.name.as_deref().filter(|name| !is_map && !self.is_handed_over(name))?;
            Some((id, name))
        })
    }

    fn is_handed_over(&self, name: &str) -> bool {
        name.rsplit_once('.').is_some_and(|(procedure, _)| self.program.function(procedure).is_some())
    }

    /// The options with everything open that nobody has given.
    fn opened_in(&self, options: &Options) -> Options {
        let is_given =
            |name: &str| options.input.iter().any(|i| i.split_once('=').is_some_and(|(n, _)| n.trim() == name));
        let open = self.scalars().filter(|(_, name)| !is_given(name)).map(|(_, name)| format!("{name}=?"));
        Options { input: options.input.iter().cloned().chain(open).collect(), ..options.clone() }
    }

    /// What was asked for, with everything open that nobody has given.
    pub fn opened(&self) -> Options {
        self.opened_in(&self.options)
    }

    /// Makes runs, each longer where more patience is asked for.
    pub fn runner(&self, budget: &Budget) -> impl FnMut(&Given, u32) -> Result<Outcome, wherefore_record::Error> {
        let budget = budget.clone();
        move |given, patience| Ok(self.patiently(given, patience, &budget).outcome)
    }

    fn patiently(&self, given: &Given, patience: u32, budget: &Budget) -> Ran {
        let factor = 4u64.pow(patience.min(6));
        let (steps, words) = (STEPS * factor, WORDS * factor as usize);
        self.run(given, &[], Limits { steps, words, budget: budget.clone() })
    }

    /// Searches inputs.
    ///
    /// # Errors
    /// When an input is not understood.
    pub fn find(&self, options: &Options, limits: &wherefore_search::Limits) -> anyhow::Result<Found> {
        let options = self.opened_in(options);
        let subject = search::subject(&options, &self.program)?;
        let mut gave_up: Vec<GaveUp> = vec![];
        let mut runner = |given: &Given, patience: u32| {
            let ran = self.patiently(given, patience, &limits.budget);
            gave_up.extend(ran.gave_up.filter(|one| !gave_up.contains(one)));
            Ok(ran.outcome)
        };
        let mut found = wherefore_search::search(&subject, &mut runner, limits, &mut |_| {})?;
        let obstacle =
            |GaveUp { at, what }| Obstacle { at, what: format!("{what}; such runs were left out"), limit: None };
        found.obstacles.extend(gave_up.into_iter().map(obstacle));
        Ok(found)
    }

    /// The run that some options ask for.
    ///
    /// # Errors
    /// When inputs do not fit.
    pub fn happen(&self, options: &Options, budget: &Budget) -> anyhow::Result<Happened> {
        Ok(self.happens(options, budget)?.0)
    }

    /// The same, and whether the run asked for something that nobody has given.
    fn happens(&self, options: &Options, budget: &Budget) -> anyhow::Result<(Happened, bool)> {
        let parsed = inputs::parse(&self.program, &options.entry, &options.input)?;
        let given = Given { nondet: inputs::nondet(&options.nondet)?, inputs: parsed.inputs, ..Given::default() };
        let began = Instant::now();
        let ran = self.run(&given, &[], Limits { budget: budget.clone(), ..Limits::default() });
        let time = began.elapsed();
        let recording = ran.outcome.recording.expect("a run has one");
        let sources = Sources::new(&self.program, HashMap::new());
        let partial = match (&ran.gave_up, ran.outcome.ending) {
            (Some(GaveUp { at, what }), _) => {
                Some(format!("{}{what}: the run was not followed further", sources.prefix(*at)))
            }
            (None, Ending::Stopped(Stop::Time)) => {
                Some(format!("the program was stopped after {:.1} s; --timeout gives more", time.as_secs_f64()))
            }
            (None, Ending::Stopped(stop)) => Some(format!("the program was stopped: {stop}")),
            (None, Ending::TimedOut) => Some("the run is longer than what is followed of one".into()),
            (None, _) => None,
        };
        let unended = matches!(ran.outcome.ending, Ending::TimedOut | Ending::Stopped(Stop::Time));
        let stopped = match ran.outcome.ending {
            Ending::Exited(status) if recording.state == State::Complete => Stopped::Exit(status),
            Ending::Signal(signal) => Stopped::Signal(signal),
            _ => Stopped::Limit,
        };
        let mut told = parsed.given;
        for (index, value) in options.nondet.iter().enumerate().take(recording.nondet_used as usize) {
            told.push(report::Input { name: format!("nondet value {}", index + 1), value: value.clone() });
        }
        let mut missing = parsed.missing;
        let is_missing = |(id, _): &(u32, &str)| !parsed.globals.contains(id) && ran.asked.contains(id);
        missing.extend(self.scalars().filter(is_missing).map(|(_, name)| name.to_string()));
        // What nobody looks at need not be told.
        let is_idle =
            |input: &report::Input| self.scalars().any(|(id, name)| name == input.name && !ran.asked.contains(&id));
        told.retain(|input| !is_idle(input));
        let mut notes = vec![];
        if !missing.is_empty() {
            notes.push(format!("no --input for {}: 0 is used", missing.join(", ")));
        }
        if recording.nondet_missing > 0 {
            let values = report::words::counted(recording.nondet_missing, "nondeterministic value");
            notes.push(format!("{values} more than given asked for; 0 is used"));
        }
        if recording.assumption_violated {
            notes.push("something that is assumed does not hold for these inputs; the run ends there".into());
        }
        let is_open = !missing.is_empty() || recording.nondet_missing > 0;
        let happened = Happened {
            stack: STACK,
            program: self.program.clone(),
            recording,
            stopped,
            given: told,
            globals: self.scalars().map(|(id, _)| id).collect(),
            notes,
            partial,
            unended: unended.then_some(crate::run::Unended::Long),
            stands_still: false,
            output: String::new(),
            stdout: Captured::default(),
            stdin: Some(vec![]),
            kept: HashMap::new(),
            times: (self.time, time),
        };
        Ok((happened, is_open))
    }
}

/// The failing run of a program: with what is given, or with what a search finds.
///
/// # Errors
/// When the program cannot be read.
pub fn seen(
    options: &Explain,
    command: &'static str,
    progress: &mut Progress,
    began: Instant,
    budget: &Budget,
) -> anyhow::Result<Result<Seen, Status>> {
    if options.witness.is_some() {
        refuse(&options.run, "witnesses are of C programs")?;
    }
    let boogie = Boogie::open(&options.run)?;
    progress.phase("running");
    let mut given = boogie.options.clone();
    let (mut happened, is_open) = boogie.happens(&given, &budget.share(OF_THE_RUN))?;
    // What nobody has given may be anything, so that a run that does not fail with zeros says little.
    if is_open && !matches!(happened.stopped, Stopped::Signal(_)) && budget.stopped().is_none() {
        progress.phase("searching");
        let limits = wherefore_search::Limits {
            runs: Some(RUNS),
            budget: budget.share(OF_THE_RUN),
            failing: Some(1),
            by: boogie.by(By::Both),
            ..wherefore_search::Limits::default()
        };
        let found = boogie.find(&given, &limits)?;
        let Some(case) = found.failing.first() else {
            progress.finish();
            return explain::nothing_found(options, command, &happened, &found, began).map(Err);
        };
        // Nothing is read, so that nothing is written for it.
        given = search::with_inputs(&boogie.opened_in(&given), &boogie.program, case, Path::new(""))?;
        happened = boogie.happen(&given, &budget.share(OF_THE_RUN))?;
        happened.notes.push("what was not given was found by a search".into());
    }
    if happened.stopped == Stopped::Limit && happened.unended.is_none() {
        progress.finish();
        let sources = Sources::new(&boogie.program, HashMap::new());
        return explain::stopped_early(options, command, &happened, &sources, began).map(Err);
    }
    Ok(Ok(Seen { happened, session: None, boogie: Some(boogie), given }))
}

impl Boogie {
    /// How failures are looked for: the formula of a program has every cell of an object, and those of a map are too many.
    pub fn by(&self, asked: By) -> By {
        let is_map = |ctype: &CType| matches!(ctype, CType::Array { .. });
        if self.program.types.0.iter().any(is_map) { By::Paths } else { asked }
    }
}
