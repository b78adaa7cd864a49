//! The whole program as a formula, and what repairs the failing tests by it.

use super::doubts::{self, Doubt};
use super::evidence::Trial;
use super::problem::Problem;
use super::ruled_out::RuledOut;
use super::tested::Tested;
use super::{Effort, Found, disagreements, endless, jobs, limits, test_time};
use crate::options::{Combine, Diagnose as Options};
use crate::progress::Progress;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use wherefore_budget::{Budget, Stop};
use wherefore_case::{Case, Expected};
use wherefore_diagnose::{Coverage, Enumeration, JUDGING, Limits, PerTest, Reason, Seen, Together, conflicts, judging};
use wherefore_program::FileId;
use wherefore_record::Ending;
use wherefore_session::{NAME, Native, Observed, Session};
use wherefore_unfold::{Fault, TestInput, Unfolding, unfold};

/// Passing tests that statements are held against where an edit passes all tests.
const JUDGING_BESIDE_EDITS: usize = 16;

/// Failing tests that the formula is asked about first, and all that it is asked about where an edit repairs them all.
const FIRST: usize = 8;

/// What a step of writing down what a test prints takes, about.
const NANOSECONDS: u64 = 10;

/// The whole program as a formula, with its tests.
pub struct WholeProgram<'a> {
    options: &'a Options,
    session: &'a Session,
    cases: &'a [Case],
    tested: &'a Tested,
    native: Native<'a>,
    problem: Problem<'a>,
    /// Contents of globals at the start.
    images: Vec<Option<Vec<u8>>>,
    unfolding: Unfolding,
    doubts: Vec<Doubt>,
    encoded: Duration,
    /// What is known of failing tests, by their places among them.
    known: BTreeMap<usize, PerTest>,
}

impl<'a> WholeProgram<'a> {
    /// Unfolds the program.
    ///
    /// # Errors
    /// When it cannot be run, is too large, or the time is up.
    pub fn new(
        options: &'a Options,
        session: &'a Session,
        cases: &'a [Case],
        tested: &'a Tested,
        budget: &Budget,
    ) -> anyhow::Result<WholeProgram<'a>> {
        let program = session.program();
        let native = Native::new(session, test_time(options))?;
        // The tests were run, so it starts; not within what was left of the time.
        let Some(images) = native.tables()? else {
            return Err(anyhow::Error::new(Stop::Time).context("the program did not start in time"));
        };
        let mut problem = Problem::new(program, &options.run.entry, NAME.as_ref(), cases, &tested.fails)?;
        problem.endless = endless(&tested.observed);
        let began = Instant::now();
        let settings = problem.settings(options, &images, budget);
        let unfolding = unfold(program, &settings, &problem.guides()).map_err(limit)?;
        let encoded = began.elapsed();
        let rounds = bounds(&problem, &unfolding);
        let doubts = doubts::of_formula(&problem, &unfolding, rounds, settings.entry);
        let images = settings.images;
        let known = BTreeMap::new();
        Ok(WholeProgram { options, session, cases, tested, native, problem, images, unfolding, doubts, encoded, known })
    }

    /// The formula with some of the failing tests.
    fn together(&self, tests: &[usize], budget: &Budget) -> anyhow::Result<Together> {
        let test = |place: &usize| {
            let (number, input, expected) = &self.problem.failing[*place];
            (seen(&self.tested.observed[*number]), (input.clone(), expected.clone()))
        };
        let (seen, tests) = tests.iter().map(test).unzip();
        let search = Together {
            unfolding: self.unfolding.clone(),
            seen,
            tests,
            backend: self.options.backend.into(),
            jobs: jobs(self.options.jobs),
            limits: limits(self.options, budget),
        };
        let steps: u64 = search.tests.iter().map(|(input, expected)| search.unfolding.steps_of(input, expected)).sum();
        let needs = Duration::from_nanos(steps.saturating_mul(NANOSECONDS));
        if budget.left().is_some_and(|left| needs > left) {
            return Err(anyhow::Error::new(Stop::Time).context("the formula of what the tests print is too large"));
        }
        match search.fits() {
            true => Ok(search),
            false => Err(anyhow::Error::new(Stop::Memory).context("the formula of the program is too large")),
        }
    }

    /// A few of the failing tests, first and last ones alike.
    fn first(&self) -> Vec<usize> {
        let count = self.problem.failing.len();
        (0..count).step_by(count.div_ceil(FIRST).max(1)).collect()
    }

    /// Asks about a few of the failing tests.
    ///
    /// # Errors
    /// When there is no room for it.
    pub fn look(&mut self, budget: &Budget) -> anyhow::Result<()> {
        let first = self.first();
        let found = self.together(&first, budget)?.per_test(&|| ());
        // What was not finished is asked again.
        let finished = |found: &PerTest| !matches!(found.found.incomplete, Some(Reason::Over(_)));
        let known =
            first.into_iter().zip(found).filter(|(_, found)| !found.agreement.is_out_of_time() && finished(found));
        self.known.extend(known);
        Ok(())
    }

    /// What follows for edits from what is known about tests, where the formula leaves nothing out.
    pub fn ruled_out(&self) -> RuledOut {
        if !self.doubts.is_empty() {
            return RuledOut::default();
        }
        // A statement that dies may be repaired by what it does not compute.
        let ended = |place: usize| {
            let ending = &self.tested.observed[self.problem.failing[place].0].ending;
            matches!(ending, Ending::Exited(_) | Ending::Signal(libc::SIGABRT))
        };
        let known = self.known.iter().filter(|(place, _)| ended(**place)).map(|(_, found)| found);
        RuledOut::new(self.problem.program, &self.problem.statements, &self.unfolding, known)
    }

    /// What repairs the failing tests, all of them or a few beside edits.
    ///
    /// # Errors
    /// When a test cannot be run, or there is no room for the formula.
    pub fn found(mut self, effort: Effort, progress: &Progress, budget: &Budget) -> anyhow::Result<Found> {
        let beside_edits = effort == Effort::BesideEdits;
        let all: Vec<usize> = (0..self.problem.failing.len()).collect();
        let asked = if beside_edits && !self.options.conflicts { self.first() } else { all.clone() };
        let mut notes: Vec<String> = self.session.messages().to_vec();
        notes.extend(self.doubts.iter().filter_map(|doubt| doubt.note.clone()));

        let began = Instant::now();
        let open: Vec<usize> = asked.iter().copied().filter(|test| !self.known.contains_key(test)).collect();
        progress.steps("diagnosing", open.len());
        let found = self.together(&open, budget)?.per_test(&|| progress.step());
        self.known.extend(open.into_iter().zip(found));
        let per_test: Vec<PerTest> = asked.iter().filter_map(|test| self.known.get(test).cloned()).collect();
        let search = self.together(&asked, budget)?;
        let coverage = coverage(&self.problem, &self.tested.observed);
        let is_whole = asked.len() == all.len();
        let mut place = 0..;
        self.problem.failing.retain(|_| place.next().is_some_and(|place| asked.contains(&place)));
        notes.extend(disagreements(&self.problem, self.cases, &per_test));

        progress.phase("combining");
        let mut complete = match self.options.combine {
            Combine::Unified => search.unified(&per_test),
            Combine::Product => search.product(&per_test),
        };
        if !is_whole {
            complete.incomplete.get_or_insert(Reason::Tests(asked.len()));
        }
        progress.phase("ranking");
        let passing: Vec<(TestInput, Expected)> =
            self.problem.passing.iter().map(|(_, input, expected)| (input.clone(), expected.clone())).collect();
        let most = if beside_edits { JUDGING_BESIDE_EDITS } else { JUDGING };
        let ranked = search.ranked(&per_test, &complete, &passing, &coverage, most);
        let evidence = match effort {
            Effort::Order => vec![],
            Effort::Whole | Effort::BesideEdits => {
                progress.phase("trying");
                let WholeProgram { problem, cases, native, images, .. } = &self;
                Trial { problem, search: &search, cases, native, images, beside_edits }.all(&ranked, &per_test)?
            }
        };
        Ok(Found {
            conflicts: conflicts_of(self.options, &per_test, &search.limits),
            tests: self.problem.failing.iter().map(|t| t.0).zip(per_test).collect(),
            complete,
            ranked,
            evidence,
            passing: self.problem.passing.len(),
            judged: judging(self.problem.passing.len(), most),
            doubts: self.doubts,
            formula: true,
            statements: self.problem.statements,
            endless: self.problem.endless,
            fails: self.tested.fails.clone(),
            notes,
            times: [self.session.compile_time(), self.tested.time, self.encoded, began.elapsed()],
        })
    }
}

/// How many terms there may be follows from the memory.
fn limit(error: wherefore_unfold::Error) -> anyhow::Error {
    match error {
        wherefore_unfold::Error::TooLarge { .. } => anyhow::Error::new(Stop::Memory).context(error.to_string()),
        error => error.into(),
    }
}

/// The conflicts of each failing test, when asked for.
pub fn conflicts_of(options: &Options, per_test: &[PerTest], limits: &Limits) -> Vec<Enumeration> {
    match options.conflicts {
        true => per_test.iter().map(|t| conflicts(&t.found.sets, limits)).collect(),
        false => vec![],
    }
}

/// What a run did.
fn seen(observed: &Observed) -> Seen {
    match observed.ending {
        Ending::Exited(status) => Seen::Ended(Expected { stdout: Some(observed.stdout.clone()), status: Some(status) }),
        Ending::Signal(libc::SIGABRT) => Seen::Died(Fault::Stopped),
        Ending::Signal(libc::SIGFPE) => Seen::Died(Fault::Arithmetic),
        Ending::Signal(libc::SIGSEGV | libc::SIGBUS) => Seen::Died(Fault::Memory),
        _ => Seen::Failed,
    }
}

/// Loops and calls that are not followed to their end, those of one file and as many rounds together.
fn bounds(problem: &Problem, unfolding: &wherefore_unfold::Unfolding) -> Vec<String> {
    let mut farthest = BTreeMap::new();
    for (at, round) in &unfolding.bounded {
        let most = farthest.entry(*at).or_insert(*round);
        *most = (*most).max(*round);
    }
    let mut together: BTreeMap<(Option<FileId>, u32), Vec<String>> = BTreeMap::new();
    for (at, round) in farthest {
        let lines = together.entry((at.map(|at| at.file), round)).or_default();
        lines.extend(at.map(|at| at.line.to_string()).filter(|line| lines.last() != Some(line)));
    }
    let note = |((file, round), lines): ((Option<FileId>, u32), Vec<String>)| {
        let file = file.map_or(String::new(), |file| format!("{}: ", problem.sources.path(file)));
        let place = match &lines[..] {
            [] => "a loop or recursion is".into(),
            [line] => format!("the loop or recursion in line {line} is"),
            [first @ .., last] => format!("loops or recursion in lines {} and {last} are", first.join(", ")),
        };
        format!("{file}{place} followed for at most {round} rounds; --unwind changes that")
    };
    together.into_iter().map(note).collect()
}

/// How tests execute statements.
pub fn coverage(problem: &Problem, observed: &[Observed]) -> Coverage {
    let executes = |test: usize, statement: usize| {
        let blocks = &problem.statements.list[statement].blocks;
        let counts = &observed[test].counts;
        // A declaration is in force in every run.
        blocks.is_empty() || blocks.iter().any(|b| counts.get(*b as usize).is_some_and(|c| *c > 0))
    };
    let count = |tests: &[(usize, wherefore_unfold::TestInput, Expected)], statement: usize| {
        tests.iter().filter(|(n, ..)| executes(*n, statement)).count()
    };
    let all = 0..problem.statements.list.len();
    Coverage {
        failing: all.clone().map(|s| count(&problem.failing, s)).collect(),
        passing: all.map(|s| count(&problem.passing, s)).collect(),
        tests: problem.failing.len(),
        hands_on: problem.statements.list.iter().map(|statement| hands_on(&statement.text)).collect(),
    }
}

/// Whether a statement or condition is nothing but a variable: `return x;`, `(x)`.
fn hands_on(text: &str) -> bool {
    let text = text.trim().trim_end_matches(';');
    let mut name = text.strip_prefix("return").filter(|rest| !rest.starts_with(is_of_name)).unwrap_or(text).trim();
    while let Some(inner) = name.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        name = inner.trim();
    }
    !name.is_empty() && name.chars().all(is_of_name) && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::hands_on;

    #[test]
    fn what_is_nothing_but_a_variable() {
        assert!(["return x;", "return (found);", "done", "(is_leap)"].iter().all(|text| hands_on(text)));
        assert!(
            !["return 0;", "return f();", "!done", "a && b", "x = y;", "return;", ""].iter().any(|text| hands_on(text))
        );
    }
}
