//! `wherefore diagnose`: run the tests, unfold the program, enumerate, rank, try, report.

mod angelic;
mod depth;
mod doubts;
mod evidence;
mod excuses;
mod patches;
mod present;
mod prices;
pub mod problem;
mod ruled_out;
mod runs;
pub mod searched;
mod spectrum;
pub mod statements;
pub mod suite;
mod tested;
mod verdict;
mod whole;
mod workshop;

use crate::options::{Diagnose as Options, Whole};
use crate::progress::Progress;
use crate::{Status, UsageError, Work, run, stop_in};
pub use doubts::Doubt;
pub(crate) use patches::reaches_out;
pub use patches::{Editing, Repaired};
use present::Tried;
pub use problem::Problem;
use statements::Statements;
use std::time::{Duration, Instant};
pub use tested::Tested;
use wherefore_budget::{Budget, Stop};
pub use wherefore_case::Case;
use wherefore_case::Expected;
use wherefore_diagnose::{Agreement, Enumeration, Limits, PerTest, Ranked, Reason};
use wherefore_record::Ending;
use wherefore_session::{NAME, Native, Observed, Session};
use whole::WholeProgram;

/// The share of the time in which edits are tried.
const OF_THE_PATCHES: f64 = 0.5;
/// The share of what is left that the whole program as a formula may take.
const OF_THE_FORMULA: f64 = 0.6;
/// The same for values of single statements, where the formula does not know all.
const OF_THE_VALUES: f64 = 0.8;

/// The share of the time in which the formula is asked about a few tests before edits are tried, and the most of it.
const OF_A_LOOK: f64 = 0.1;
const A_LOOK: Duration = Duration::from_secs(1);

/// The most that either may take where there are patches already: a person waits, and what is found now is worth less.
const FORMULA_BESIDE_PATCHES: Duration = Duration::from_secs(5);
const VALUES_BESIDE_PATCHES: Duration = Duration::from_secs(3);

/// Blocks that a run executes, above which it is long.
const LONG: u64 = 2000;

/// What was found.
pub struct Found {
    /// The program's statements.
    pub statements: Statements,
    /// For each test whether it fails.
    pub fails: Vec<bool>,
    /// Tests that did not end, by their numbers.
    pub endless: Vec<usize>,
    /// For each failing test its number among all, and what was found about it.
    pub tests: Vec<(usize, PerTest)>,
    /// Minimal sets of statements that cannot all be right, for each failing test, when asked for.
    pub conflicts: Vec<Enumeration>,
    /// The diagnoses over all failing tests.
    pub complete: Enumeration,
    /// The same in the order in which to look at them.
    pub ranked: Vec<Ranked>,
    /// For each of them values that were found or tried; shorter when there are none.
    pub evidence: Vec<Vec<Tried>>,
    /// How many passing tests there are.
    pub passing: usize,
    /// How many of them single statements were held against.
    pub judged: usize,
    /// Why there may be other diagnoses than these.
    pub doubts: Vec<Doubt>,
    /// Whether the whole program was a formula.
    pub formula: bool,
    /// What the user should know.
    pub notes: Vec<String>,
    /// Times of compiling, running, encoding and solving.
    pub times: [Duration; 4],
}

/// Find the smallest sets of statements whose change repairs all failing tests.
pub fn diagnose(options: &Options, work: &Work) -> anyhow::Result<Status> {
    let began = Instant::now();
    let budget = &work.budget;
    let mut progress = Progress::new(options.run.quiet);
    progress.phase("compiling");
    let session = run::open(&options.run, budget)?;
    let program = session.program();
    let mut notes = vec![];
    let mut passing = Status::NoFailure;
    let mut cases = match &options.tests {
        Some(path) => suite::read_all(program, &options.run.entry, path, options.expect.as_deref())?,
        None if options.wanted.expect_stdout.is_none() && crate::search::is_wanted(&options.run, program) => {
            progress.phase("searching");
            let searched = searched::search(options, &session, budget)?;
            (notes, passing) = (searched.notes, searched.passing);
            searched.cases
        }
        None => vec![suite::single(program, &options.run, &options.wanted)?],
    };
    if !options.reference.is_empty() {
        expect_reference(options, &mut cases, budget)?;
    }
    if options.encoding != Whole::Full {
        if options.patch.is_some() || options.apply {
            return Err(UsageError("--patch and --apply: edits are tried with --encoding full only".into()).into());
        }
        let found = runs::work(options, &session, &cases, budget)?;
        progress.finish();
        let Some(mut found) = found else {
            return present::emit_passing(options, program, &cases, notes, passing);
        };
        found.notes.splice(0..0, notes);
        return present::emit(options, &session, &cases, &found, &Repaired::default(), began.elapsed(), budget);
    }
    let Some(Answer { mut found, repaired }) = answer(options, &session, &cases, &progress, work)? else {
        progress.finish();
        return present::emit_passing(options, program, &cases, notes, passing);
    };
    progress.finish();
    found.notes.splice(0..0, notes);
    let status = present::emit(options, &session, &cases, &found, &repaired, began.elapsed(), budget)?;
    patches::apply(options, &repaired)?;
    Ok(status)
}

/// What edits repair, and what the formula says.
pub struct Answer {
    /// What was found about the tests.
    pub found: Found,
    /// Edits that pass them.
    pub repaired: Repaired,
}

impl Answer {
    /// As it is reported.
    pub fn diagnosed(&self, options: &Options, cases: &[Case], budget: &Budget) -> wherefore_report::Diagnosed {
        present::diagnosed(options, cases, &self.found, &self.repaired, budget.stopped()).0
    }
}

/// Runs the tests and looks for what repairs those that fail; `None` if none does.
///
/// # Errors
/// When the program cannot be run.
pub fn answer(
    options: &Options,
    session: &Session,
    cases: &[Case],
    progress: &Progress,
    work: &Work,
) -> anyhow::Result<Option<Answer>> {
    let budget = &work.budget;
    progress.phase("running");
    let tested = Tested::new(options, session, cases, budget)?;
    if !tested.fails.contains(&true) {
        return Ok(None);
    }
    // Whatever happens from now on, that they fail is known.
    let failing = Found::without_formula(options, session, cases, &tested, None)?;
    work.know(&present::known(options, cases, &failing, &Repaired::default()));
    // A formula grows with the rounds of all loops, the search for values with the run: where that is long it comes first.
    let is_long = tested.longest() > LONG;
    // The formula is held against what a run did, and careful ones did well.
    let mut whole = match tested.careful || is_long {
        true => None,
        false => {
            progress.phase("unfolding");
            let share = budget.share(OF_A_LOOK).within(A_LOOK);
            let mut whole = or_nothing(WholeProgram::new(options, session, cases, &tested, &share).map(Some))?;
            if let Some(whole) = &mut whole {
                or_nothing(whole.look(&share))?;
            }
            whole
        }
    };
    progress.phase("editing");
    let share = budget.share(OF_THE_PATCHES);
    let (editing, mut repaired) = match Editing::new(options, session, cases, &tested, &share) {
        Ok(Ok(editing)) => {
            let ruled_out = whole.as_ref().map(WholeProgram::ruled_out).unwrap_or_default();
            let repaired = editing.patches(&ruled_out, &share)?;
            patches::write(options, &repaired)?;
            (Some(editing), repaired)
        }
        Ok(Err(note)) => (None, Repaired { note, ..Repaired::default() }),
        // What is known is told, also where a limit is reached.
        Err(error) if stop_in(&error).is_some() => (None, Repaired::default()),
        Err(error) => return Err(error),
    };
    work.know(&present::known(options, cases, &failing, &repaired));
    let try_values = |repaired: &mut Repaired| -> anyhow::Result<()> {
        if let Some(editing) = &editing {
            progress.phase("trying values");
            let share = budget.share(OF_THE_VALUES);
            // What only values repair is worth less than a patch.
            let share = if repaired.sites.is_empty() { share } else { share.within(VALUES_BESIDE_PATCHES) };
            repaired.freed = editing.freed(&share)?;
            work.know(&present::known(options, cases, &failing, repaired));
        }
        Ok(())
    };
    if is_long {
        try_values(&mut repaired)?;
    }
    let formula = match tested.careful || is_long && repaired.is_some() {
        true => Ok(None),
        false => {
            let share = budget.share(OF_THE_FORMULA);
            let share = if repaired.sites.is_empty() { share } else { share.within(FORMULA_BESIDE_PATCHES) };
            let effort = if repaired.sites.is_empty() { Effort::Whole } else { Effort::BesideEdits };
            let whole = match whole.take() {
                Some(whole) => Ok(whole),
                None => {
                    progress.phase("unfolding");
                    WholeProgram::new(options, session, cases, &tested, &share)
                }
            };
            whole.and_then(|whole| whole.found(effort, progress, &share)).map(Some)
        }
    };
    // Values are those of single statements.
    let knows_singles = matches!(&formula, Ok(Some(found)) if found.complete.settles(1));
    if !is_long && !knows_singles {
        try_values(&mut repaired)?;
    }
    let mut found = match formula {
        Ok(Some(found)) => found,
        Ok(None) => failing,
        Err(error) => match stop_in(&error) {
            Some(stop) => {
                let mut found = Found::without_formula(options, session, cases, &tested, Some(stop))?;
                // That its part of the time is up is told with how far the answer goes.
                let over = budget.stopped().filter(|_| !repaired.is_some());
                found.notes.extend(over.map(|stop| stop.to_string()));
                found
            }
            None => return Err(error),
        },
    };
    found.notes.extend(repaired.note.clone());
    Ok(Some(Answer { found, repaired }))
}

impl Found {
    /// What is known of the tests where the whole program was not made a formula.
    fn without_formula(
        options: &Options,
        session: &Session,
        cases: &[Case],
        tested: &Tested,
        stop: Option<Stop>,
    ) -> anyhow::Result<Found> {
        let problem = Problem::new(session.program(), &options.run.entry, NAME.as_ref(), cases, &tested.fails)?;
        let nothing = || Enumeration { incomplete: stop.map(Reason::Over), ..Enumeration::default() };
        let per_test = || PerTest { agreement: Agreement::Undefined, found: nothing() };
        Ok(Found {
            tests: problem.failing.iter().map(|t| (t.0, per_test())).collect(),
            conflicts: vec![],
            complete: nothing(),
            ranked: vec![],
            evidence: vec![],
            passing: problem.passing.len(),
            judged: 0,
            doubts: vec![],
            formula: false,
            statements: problem.statements,
            endless: endless(&tested.observed),
            fails: tested.fails.clone(),
            notes: session.messages().to_vec(),
            times: [session.compile_time(), tested.time, Duration::ZERO, Duration::ZERO],
        })
    }
}

/// How much is done with the formula.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Effort {
    /// Sets are listed and ordered.
    Order,
    /// And tried natively.
    Whole,
    /// An edit that passes all tests says more than the rest: sets are listed, a few are tried.
    BesideEdits,
}

/// Runs the tests and asks the formula alone; `None` if no run fails.
///
/// # Errors
/// When the program cannot be run, is too large, or the time is up before anything is known.
pub fn diagnosed(
    options: &Options,
    session: &Session,
    cases: &[Case],
    effort: Effort,
    progress: &Progress,
    budget: &Budget,
) -> anyhow::Result<Option<Found>> {
    progress.phase("running");
    let tested = Tested::new(options, session, cases, budget)?;
    if !tested.fails.contains(&true) || tested.careful {
        return Ok(None);
    }
    progress.phase("unfolding");
    WholeProgram::new(options, session, cases, &tested, budget)?.found(effort, progress, budget).map(Some)
}

/// What one test of many may take: what takes longer is taken to hang.
pub fn test_time(options: &Options) -> Duration {
    Duration::from_secs_f64((options.run.timeout / 20.0).clamp(0.5, 5.0))
}

/// The tests that were stopped.
fn endless(observed: &[Observed]) -> Vec<usize> {
    (0..observed.len()).filter(|n| !observed[*n].has_ended()).collect()
}

/// What the user limits an enumeration to.
fn limits(options: &Options, budget: &Budget) -> Limits {
    Limits { max_size: options.max_size, max_sets: Some(options.limit), budget: budget.clone() }
}

/// Threads that are asked for; 0: as many as there are processors.
pub fn jobs(asked: usize) -> usize {
    match asked {
        0 => wherefore_parallel::processors(),
        n => n,
    }
}

/// Tests about which the formula cannot speak, or speaks of something undefined.
fn disagreements(problem: &Problem, cases: &[Case], per_test: &[PerTest]) -> Vec<String> {
    let mut notes: Vec<(String, Vec<&str>)> = vec![];
    let others = per_test.iter().any(|t| t.agreement == Agreement::Same);
    for ((n, ..), found) in problem.failing.iter().zip(per_test) {
        let note = match &found.agreement {
            Agreement::Same => continue,
            Agreement::Undefined => {
                let happens = "something undefined happens, such as an access outside an object";
                let apart = if others { "; it does not take part in the diagnoses over all tests" } else { "" };
                format!("{happens}{apart}")
            }
            Agreement::Different => "not diagnosed, since the formula does not do what the program did".into(),
            late if late.is_out_of_time() => "not diagnosed, since the time for it was up".into(),
            Agreement::Undecided(why) => format!("not diagnosed, since it is not known what it does ({why})"),
        };
        let name = cases[*n].name.as_str();
        match notes.iter_mut().find(|known| known.0 == note) {
            Some(known) => known.1.push(name),
            None => notes.push((note, vec![name])),
        }
    }
    let named = |(note, names): (String, Vec<&str>)| match names.len() {
        1..=5 => format!("{}: {note}", names.join(", ")),
        n => format!("{} and {} more: {note}", names[..4].join(", "), n - 4),
    };
    notes.into_iter().map(named).collect()
}

/// What a correct version does is expected.
pub fn expect_reference(options: &Options, cases: &mut [Case], budget: &Budget) -> anyhow::Result<()> {
    let mut settings = options.run.clone();
    settings.program.clone_from(&options.reference);
    let session = run::open(&settings, budget)?;
    let native = Native::new(&session, test_time(options))?;
    let observed = native.run_all(cases, jobs(options.jobs))?;
    for (case, seen) in cases.iter_mut().zip(observed) {
        match seen.ending {
            Ending::Exited(status) => case.expected = Expected { stdout: Some(seen.stdout), status: Some(status) },
            _ => return Err(UsageError(format!("{}: the reference program fails", case.name)).into()),
        }
    }
    Ok(())
}

/// What was found, or nothing where a limit was reached: the rest of the work has a time of its own.
fn or_nothing<T: Default>(found: anyhow::Result<T>) -> anyhow::Result<T> {
    found.or_else(|error| stop_in(&error).map_or(Err(error), |_| Ok(T::default())))
}
