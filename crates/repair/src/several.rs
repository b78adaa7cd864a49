//! Programs with more than one fault: edits that repair some of the failing tests, and what repairs the others beside them.

use crate::edit::Edit;
use crate::search::{Built, Found, Problem, Screened, Workshop, in_turn, search, spread};
use wherefore_parallel::{processors, try_parallel};

/// Failing tests that edits are tried on first, and passing ones.
const FAILING: usize = 8;
const PASSING: usize = 40;

/// Edits that repair some failing tests: those that are looked at again, and those that are given.
const LOOKED_AT: usize = 24;
const GIVEN: usize = 6;
/// Those of them that repair the same tests: beside one fault there has to be room for the other.
const ALIKE: usize = 3;

/// Edits beside which another one is looked for, and pairs that are given.
const BESIDE: usize = 3;
const PAIRS: usize = 3;

/// An edit that repairs some failing tests and breaks no passing one.
#[derive(Clone, Debug)]
pub struct Partial {
    /// What is changed.
    pub edit: Edit,
    /// The failing tests that pass with it.
    pub repaired: Vec<usize>,
}

/// Two edits that pass all tests together.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Both, as edits of the program as it is.
    pub edits: [Edit; 2],
    /// The texts of all files with both.
    pub texts: Vec<String>,
}

/// What was found for a program that no single edit repairs.
#[derive(Clone, Debug, Default)]
pub struct Several {
    /// Best first; each was built as it would stand in the files and run on all tests.
    pub pairs: Vec<Pair>,
    /// Best first; each was built as it would stand in the file and run on all tests.
    pub partial: Vec<Partial>,
    /// Edits that were run beside another.
    pub tried: usize,
}

/// Looks for edits that repair some of the failing tests, the first so many of the problem, and for others beside them.
///
/// # Errors
/// When a program cannot be run. A budget that is over is no error: what was found so far is given.
pub fn several<W: Workshop + Sync>(problem: &Problem<W>, failing: usize, edits: &[Edit]) -> Result<Several, W::Error>
where
    W::Program: Sync,
{
    let tests = problem.tests.split_at(failing);
    let mut partial = vec![];
    let switched: Vec<&Edit> = edits.iter().filter(|edit| edit.is_switched()).collect();
    for batch in switched.chunks(crate::search::TOGETHER) {
        if problem.budget.stopped().is_none() {
            partial.extend(in_part(problem, tests, batch)?);
        }
    }
    // Who repairs more is the likelier fault of its own.
    partial.sort_by_key(|partial| (std::cmp::Reverse(partial.repaired.len()), partial.edit.price));
    let mut found = Several { partial: standing(problem, tests, partial)?, ..Several::default() };
    found.pairs = joined(problem, &found.partial)?;
    // What no test shows alone has to be looked for beside what is known.
    for first in found.partial.iter().take(if found.pairs.is_empty() { BESIDE } else { 0 }) {
        let rest = beside(problem, &first.edit, edits)?;
        found.tried += rest.1.tried;
        found.pairs.extend(rest.0);
    }
    let price = |pair: &Pair| pair.edits.iter().map(|edit| edit.price).sum::<u32>();
    found.pairs.sort_by_key(price);
    let mut known: Vec<Vec<String>> = vec![];
    found.pairs.retain(|pair| {
        !known.contains(&pair.texts) && known.len() < PAIRS && {
            known.push(pair.texts.clone());
            true
        }
    });
    Ok(found)
}

/// Those of some edits that repair a failing test and break none of a few passing ones.
fn in_part<W: Workshop + Sync>(
    problem: &Problem<W>,
    (failing, passing): (&[usize], &[usize]),
    batch: &[&Edit],
) -> Result<Vec<Partial>, W::Error>
where
    W::Program: Sync,
{
    let Some((program, numbered)) = problem.build_choice(batch, problem.careful)? else { return Ok(vec![]) };
    let (failing, passing) = (spread(failing, FAILING), spread(passing, PASSING));
    let chunks: Vec<&[(u32, &Edit)]> = numbered.chunks(in_turn(numbered.len())).collect();
    let found = try_parallel(
        &chunks,
        processors(),
        || program.lane(),
        |lane, _, chunk| {
            let numbers: Vec<u32> = chunk.iter().map(|(number, _)| *number).collect();
            let mut repaired = program.passed(lane, &numbers, &failing, problem.budget)?;
            let hopeful = numbers.iter().zip(&repaired).filter(|(_, tests)| !tests.is_empty());
            let hopeful: Vec<u32> = hopeful.map(|(number, _)| *number).collect();
            let mut screened = program.screen(lane, &hopeful, &passing, problem.budget)?.into_iter();
            for tests in repaired.iter_mut().filter(|tests| !tests.is_empty()) {
                if screened.next() != Some(Screened::Passes) {
                    tests.clear();
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
        let texts = edit.applied(problem.texts);
        let repaired = problem.passed(&texts, failing)?;
        let tests: Vec<usize> = repaired.iter().chain(passing).copied().collect();
        if !repaired.is_empty() && problem.stands(&texts, &tests, true)?.is_some() {
            standing.push(Partial { edit, repaired });
            sets.push(set);
        }
    }
    Ok(standing)
}

/// Edits that repair different tests, two at a time, where they pass all tests together.
fn joined<W: Workshop + Sync>(problem: &Problem<W>, partial: &[Partial]) -> Result<Vec<Pair>, W::Error>
where
    W::Program: Sync,
{
    let mut pairs = vec![];
    for (place, first) in partial.iter().enumerate() {
        for second in &partial[place + 1..] {
            let adds = |a: &Partial, b: &Partial| a.repaired.iter().any(|test| !b.repaired.contains(test));
            let over = pairs.len() >= PAIRS || problem.budget.stopped().is_some();
            if over || !adds(first, second) || !adds(second, first) {
                continue;
            }
            let Some(after) = second.edit.after(&first.edit) else { continue };
            let texts = after.applied(&first.edit.applied(problem.texts));
            if problem.stands(&texts, problem.tests, true)?.is_some() {
                pairs.push(Pair { edits: [first.edit.clone(), second.edit.clone()], texts });
            }
        }
    }
    Ok(pairs)
}

/// Edits that pass all tests beside another one.
fn beside<W: Workshop + Sync>(
    problem: &Problem<W>,
    first: &Edit,
    edits: &[Edit],
) -> Result<(Vec<Pair>, Found), W::Error>
where
    W::Program: Sync,
{
    let texts = first.applied(problem.texts);
    let (own, moved): (Vec<&Edit>, Vec<Edit>) =
        edits.iter().filter_map(|edit| Some((edit, edit.after(first)?))).unzip();
    let found = search(&Problem { texts: &texts, ..*problem }, &moved)?;
    let pair = |patch: &Edit| {
        let place = moved.iter().position(|edit| edit.file == patch.file && edit.parts == patch.parts)?;
        let second = Edit { price: patch.price, ..own[place].clone() };
        Some(Pair { edits: [first.clone(), second], texts: patch.applied(&texts) })
    };
    Ok((found.patches.iter().filter_map(pair).collect(), found))
}
