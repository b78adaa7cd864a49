//! Programs with more than one fault: edits that repair some of the failing tests, and what repairs the others beside them.

use crate::edit::Edit;
use crate::program::{Built, Screened, Workshop};
use crate::search::{Problem, in_turn, search, spread};
use wherefore_parallel::try_parallel;

/// Failing tests that edits are tried on first, and passing ones.
const FAILING: usize = 8;
const PASSING: usize = 40;

/// Edits that repair some failing tests: those that are looked at again, and those that are given.
const LOOKED_AT: usize = 12;
const GIVEN: usize = 6;
/// Those of them that repair the same tests: beside one fault there has to be room for the other.
const ALIKE: usize = 3;

/// Edits beside which another one is looked for, the same where there are some already, and repairs that are given.
const BESIDE: usize = 3;
const FURTHER: usize = 1;
const REPAIRS: usize = 3;

/// Edits that are tried beside others or for a part of the tests, the cheapest: two dear edits are no likely repair.
const CHEAPEST: usize = 1500;

/// Edits of one repair, at most.
const MOST: usize = 3;

/// An edit that repairs some failing tests and breaks no passing one.
#[derive(Clone, Debug)]
pub struct Partial {
    /// What is changed.
    pub edit: Edit,
    /// The failing tests that pass with it.
    pub repaired: Vec<usize>,
}

/// Edits that pass all tests together.
#[derive(Clone, Debug)]
pub struct Joint {
    /// All of them, as edits of the program as it is; of those that are about the same text the first.
    pub edits: Vec<Edit>,
    /// The texts of all files with them.
    pub texts: Vec<String>,
}

/// Edits that were made one after the other.
pub struct Made {
    /// Each of the text that those before it have made.
    pub steps: Vec<Edit>,
    /// The texts of all files with them.
    pub texts: Vec<String>,
    /// The tests that still fail.
    pub failing: Vec<usize>,
}

impl Made {
    /// An edit of these texts as one of the program as it is; `None` where it is about the same text as one of those made.
    pub fn original(&self, edit: &Edit) -> Option<Edit> {
        self.steps.iter().rev().try_fold(edit.clone(), |edit, step| edit.before(step))
    }

    /// The edits made as edits of the program as it is; `None` for one that is about the same text as one before it.
    pub fn originals(&self) -> Vec<Option<Edit>> {
        let original = |(place, step): (usize, &Edit)| {
            self.steps[..place].iter().rev().try_fold(step.clone(), |edit, step| edit.before(step))
        };
        self.steps.iter().enumerate().map(original).collect()
    }

    /// The edits made and a further one, as edits of the program as it is.
    fn with(&self, last: &Edit) -> Joint {
        let mut edits: Vec<Edit> = self.originals().into_iter().flatten().collect();
        edits.extend(self.original(last));
        Joint { edits, texts: last.applied(&self.texts) }
    }
}

/// Edits of texts that others have made, cheapest first.
#[derive(Clone, Debug, Default)]
pub struct Next {
    /// Those that may repair all that is left.
    pub completing: Vec<Edit>,
    /// Those that may repair some of it.
    pub adding: Vec<Edit>,
}

/// Lists edits of texts that others have made: of what the tests that still fail execute then.
pub type Further<'a, E> = &'a dyn Fn(&Made) -> Result<Next, E>;

/// What was found for a program that no single edit repairs.
#[derive(Clone, Debug, Default)]
pub struct Several {
    /// Best first; each was built as it would stand in the files and run on all tests.
    pub joint: Vec<Joint>,
    /// Best first; each was built as it would stand in the file and run on all tests.
    pub partial: Vec<Partial>,
    /// Edits that were run beside another.
    pub tried: usize,
}

/// Looks for edits that repair some of the failing tests, the first so many of the problem, and for others beside them.
///
/// # Errors
/// When a program cannot be run. A budget that is over is no error: what was found so far is given.
pub fn several<W: Workshop + Sync>(
    problem: &Problem<W>,
    failing: usize,
    edits: &[Edit],
    further: Further<W::Error>,
) -> Result<Several, W::Error>
where
    W::Program: Sync,
{
    let tests = problem.tests.split_at(failing);
    let partial = partial(problem, tests, edits)?;
    let mut found = Several { joint: joined(problem, &partial)?, partial, tried: 0 };
    // What no test shows alone has to be looked for beside what is known.
    for first in found.partial.iter().take(BESIDE) {
        if found.joint.is_empty() {
            let failing = tests.0.iter().filter(|test| !first.repaired.contains(test)).copied().collect();
            let made = Made { steps: vec![first.edit.clone()], texts: first.edit.applied(problem.texts), failing };
            let (joint, tried) = beside(problem, &made, further)?;
            found.joint.extend(joint);
            found.tried += tried;
        }
    }
    let price = |joint: &Joint| joint.edits.iter().map(|edit| edit.price).sum::<u32>();
    found.joint.sort_by_key(price);
    let mut known: Vec<Vec<String>> = vec![];
    found.joint.retain(|joint| {
        !known.contains(&joint.texts) && known.len() < REPAIRS && {
            known.push(joint.texts.clone());
            true
        }
    });
    Ok(found)
}

/// Edits that repair some of the failing tests and break none of the passing ones, the best first.
fn partial<W: Workshop + Sync>(
    problem: &Problem<W>,
    tests: (&[usize], &[usize]),
    edits: &[Edit],
) -> Result<Vec<Partial>, W::Error>
where
    W::Program: Sync,
{
    let mut partial = vec![];
    let switched: Vec<&Edit> = edits.iter().filter(|edit| edit.is_switched()).collect();
    for batch in switched[..switched.len().min(CHEAPEST)].chunks(crate::search::TOGETHER) {
        if problem.budget.stopped().is_none() {
            partial.extend(in_part(problem, tests, batch)?);
        }
    }
    // Who repairs more is the likelier fault of its own.
    partial.sort_by_key(|partial| (std::cmp::Reverse(partial.repaired.len()), partial.edit.price));
    standing(problem, tests, partial)
}

/// Those of some edits that repair a failing test and break none of the passing ones.
fn in_part<W: Workshop + Sync>(
    problem: &Problem<W>,
    (failing, passing): (&[usize], &[usize]),
    batch: &[&Edit],
) -> Result<Vec<Partial>, W::Error>
where
    W::Program: Sync,
{
    let Some((program, numbered)) = problem.build_choice(batch, problem.careful)? else { return Ok(vec![]) };
    let (failing, few) = (spread(failing, FAILING), spread(passing, PASSING));
    let chunks: Vec<&[(u32, &Edit)]> = numbered.chunks(in_turn(numbered.len(), problem.jobs)).collect();
    let found = try_parallel(
        &chunks,
        problem.jobs,
        || program.lane(),
        |lane, _, chunk| {
            let numbers: Vec<u32> = chunk.iter().map(|(number, _)| *number).collect();
            let mut repaired = program.passed(lane, &numbers, &failing, problem.budget)?;
            // Nearly all that break a passing test break one of a few.
            for passing in [&few[..], passing] {
                let hopeful = numbers.iter().zip(&repaired).filter(|(_, tests)| !tests.is_empty());
                let hopeful: Vec<u32> = hopeful.map(|(number, _)| *number).collect();
                let mut screened = program.screen(lane, &hopeful, passing, problem.budget)?.into_iter();
                for tests in repaired.iter_mut().filter(|tests| !tests.is_empty()) {
                    if screened.next() != Some(Screened::Passes) {
                        tests.clear();
                    }
                }
            }
            Ok(repaired)
        },
    )?;
    let partial = numbered.iter().zip(found.into_iter().flatten()).filter(|(_, repaired)| !repaired.is_empty());
    Ok(partial.map(|((_, edit), repaired)| Partial { edit: (*edit).clone(), repaired }).collect())
}

/// Those that do so as they would stand in the file, on all tests; of one place the best.
fn standing<W: Workshop + Sync>(
    problem: &Problem<W>,
    (failing, passing): (&[usize], &[usize]),
    partial: Vec<Partial>,
) -> Result<Vec<Partial>, W::Error>
where
    W::Program: Sync,
{
    let mut standing: Vec<Partial> = vec![];
    // By the tests that were tried first.
    let mut sets: Vec<Vec<usize>> = vec![];
    let mut looked_at = 0;
    for Partial { edit, repaired: set } in partial {
        let is_known = standing.iter().any(|known| known.edit.is_beside(&edit));
        let alike = sets.iter().filter(|known| **known == set).count();
        let over = looked_at >= LOOKED_AT || standing.len() >= GIVEN || problem.budget.stopped().is_some();
        if is_known || alike >= ALIKE || over {
            continue;
        }
        looked_at += 1;
        let repaired = problem.repaired(&edit.applied(problem.texts), (failing, passing))?;
        if !repaired.is_empty() {
            standing.push(Partial { edit, repaired });
            sets.push(set);
        }
    }
    Ok(standing)
}

/// Edits that repair different tests, two at a time, where they pass all tests together.
fn joined<W: Workshop + Sync>(problem: &Problem<W>, partial: &[Partial]) -> Result<Vec<Joint>, W::Error>
where
    W::Program: Sync,
{
    let mut joint = vec![];
    for (place, first) in partial.iter().enumerate() {
        for second in &partial[place + 1..] {
            let adds = |a: &Partial, b: &Partial| a.repaired.iter().any(|test| !b.repaired.contains(test));
            let over = joint.len() >= REPAIRS || problem.budget.stopped().is_some();
            if over || !adds(first, second) || !adds(second, first) {
                continue;
            }
            let Some(after) = second.edit.after(&first.edit) else { continue };
            let texts = after.applied(&first.edit.applied(problem.texts));
            if problem.stands(&texts, problem.tests)?.is_some() {
                joint.push(Joint { edits: vec![first.edit.clone(), second.edit.clone()], texts });
            }
        }
    }
    Ok(joint)
}

/// Edits that pass all tests beside those made, if need be with another one; and how many were run.
fn beside<W: Workshop + Sync>(
    problem: &Problem<W>,
    made: &Made,
    further: Further<W::Error>,
) -> Result<(Vec<Joint>, usize), W::Error>
where
    W::Program: Sync,
{
    let next = further(made)?;
    let others = problem.tests.iter().filter(|test| !made.failing.contains(test));
    let order: Vec<usize> = made.failing.iter().chain(others).copied().collect();
    let problem = Problem { texts: &made.texts, tests: &order, ..*problem };
    let found = search(&problem, &next.completing[..next.completing.len().min(CHEAPEST)])?;
    let mut joint: Vec<Joint> = found.patches.iter().map(|patch| made.with(patch)).collect();
    let mut tried = found.tried;
    if joint.is_empty() && made.steps.len() + 1 < MOST && made.failing.len() > 1 {
        let tests = order.split_at(made.failing.len());
        for next in partial(&problem, tests, &next.adding)?.into_iter().take(FURTHER) {
            let steps = made.steps.iter().chain([&next.edit]).cloned().collect();
            let failing = made.failing.iter().filter(|test| !next.repaired.contains(test)).copied().collect();
            let (more, ran) =
                beside(&problem, &Made { steps, texts: next.edit.applied(&made.texts), failing }, further)?;
            joint.extend(more);
            tried += ran;
        }
    }
    Ok((joint, tried))
}
