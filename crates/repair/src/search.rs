//! Which edits pass all tests.

use crate::edit::{Edit, Kind};
use crate::impact::{Impact, PRINTS_OTHERWISE};
use crate::lanes::Lanes;
use crate::program::{Built, Choosing, Chosen, Screened, Seen, Workshop};
use std::collections::{HashMap, HashSet};
use wherefore_budget::Budget;
use wherefore_parallel::try_parallel;

/// Edits that are built into one program.
pub(crate) const TOGETHER: usize = 600;

/// Edits that one process tries in turn, at most, and tests of which each is told whether it passes.
const IN_TURN: usize = 64;
const AT_A_TIME: usize = 32;

/// Edits that a program is built for alone, at most, and where nothing else passes; and how much dearer than the best patch
/// they may be.
const ALONE: usize = 24;
const ALONE_LAST: usize = 80;
const AS_GOOD: u32 = 2;

/// What costs so much more than an edit that passes is not worth a try, nor to be told.
const DEARER: u32 = 5;

/// Patches that are looked for, and those of them at one place.
const WANTED: usize = 8;
const OF_ONE_PLACE: usize = 2;

/// Of more tests than these only some are followed, to see what an edit does to memory: so many, first of all such that
/// execute different things as it is.
const FOLLOWED: usize = 30;
const OF_MANY_FOLLOWED: usize = 16;

/// Tests that an edit as it would stand in the file is run on in a process for each, beside all of them in one process.
const APART: usize = 12;

/// Tests that edits are tried on first, edits that are then tried on all tests before others of their places are, and as
/// many of a place.
const A_FEW: usize = 60;
const A_FEW_EDITS: usize = 8;
const OF_ONE_PLACE_TRIED: usize = 4;

/// Edits that are built as they would stand in the file, at most, to find these.
const CONFIRMED: usize = 40;

/// The share of the time in which edits are tried; those that pass have to be built and looked at.
const OF_THE_TRIES: f64 = 0.7;

/// What it costs if the edited program still does what C does not allow.
const BLEMISHED: u32 = 3;

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Best first; each was built as it would stand in the file and run on all tests.
    pub patches: Vec<Edit>,
    /// Edits that were run.
    pub tried: usize,
    /// Edits that could not be run: for want of time, or since no program could be built with them.
    pub left: usize,
    /// Whether the time, or another limit, ended it.
    pub cut: bool,
}

/// Edits that passed, and how many were not tried to the end.
struct Survivors<'e> {
    edits: Vec<(u32, &'e Edit)>,
    stopped: usize,
}

/// So many tests, first and last ones alike.
pub(crate) fn spread(tests: &[usize], most: usize) -> Vec<usize> {
    tests.iter().copied().step_by(tests.len().div_ceil(most).max(1)).collect()
}

/// Edits by their places, cheapest first.
fn by_place(mut edits: Vec<(u32, &Edit)>) -> Vec<Vec<(u32, &Edit)>> {
    edits.sort_by_key(|(_, edit)| edit.price);
    let mut places: Vec<Vec<(u32, &Edit)>> = vec![];
    for (number, edit) in edits {
        match places.iter_mut().find(|place| place[0].1.is_beside(edit)) {
            Some(place) => place.push((number, edit)),
            None => places.push(vec![(number, edit)]),
        }
    }
    places
}

/// Those of some tests that are followed, in the order in which they are: what passing tests do to memory anyway is seen
/// before the failing ones do it.
fn followed_of(tests: &[usize], paths: Paths) -> Vec<usize> {
    let mut order = tests.to_vec();
    if tests.len() > FOLLOWED {
        let mut known = HashSet::new();
        let (different, alike): (Vec<usize>, Vec<usize>) =
            tests.iter().partition(|test| known.insert(paths.get(**test)));
        let mut chosen: HashSet<usize> = spread(&different, OF_MANY_FOLLOWED).into_iter().collect();
        if chosen.len() < OF_MANY_FOLLOWED {
            chosen.extend(spread(&alike, OF_MANY_FOLLOWED - chosen.len()));
        }
        order.retain(|test| chosen.contains(test));
    }
    order.reverse();
    order
}

/// How many of some edits one process tries in turn: each thread is to have some, and what ends it costs little.
pub(crate) fn in_turn(edits: usize, jobs: usize) -> usize {
    edits.div_ceil(4 * jobs).clamp(1, IN_TURN)
}

/// For each test what it executes: those with the same number execute the same blocks as often.
pub type Paths<'a> = &'a [usize];

/// What is searched.
pub struct Problem<'a, W: Workshop> {
    /// Builds the program.
    pub workshop: &'a W,
    /// The texts of its files.
    pub texts: &'a [String],
    /// Tests, by their numbers, in the order in which they are run: failing ones first.
    pub tests: &'a [usize],
    /// What each of all tests executes.
    pub paths: Paths<'a>,
    /// Whether already the first runs have to be held against what C allows.
    pub careful: bool,
    /// Threads; not 0.
    pub jobs: usize,
    /// What it may take.
    pub budget: &'a Budget,
}

/// Tries edits in their order and gives those that pass all tests, at most a dozen.
///
/// # Errors
/// When a program cannot be run. A budget that is over is no error: what was found so far is given.
pub fn search<W: Workshop + Sync>(problem: &Problem<W>, edits: &[Edit]) -> Result<Found, W::Error>
where
    W::Program: Sync,
{
    let mut found = Found::default();
    let mut passing: Vec<Edit> = vec![];
    let switched: Vec<&Edit> = edits.iter().filter(|e| e.is_switched()).collect();
    let mut rest = &switched[..];
    while !rest.is_empty() {
        let worth = worth(&passing);
        rest = &rest[..rest.partition_point(|edit| edit.price <= worth)];
        if rest.is_empty() {
            break;
        }
        if problem.budget.stopped().is_some() {
            found.left += rest.len();
            break;
        }
        let (batch, later) = rest.split_at(rest.len().min(TOGETHER));
        problem.together(batch, &mut found, &mut passing)?;
        rest = later;
    }
    passing.sort_by_key(Edit::order);
    if let Some(worth) = passing.first().map(|best| best.price + DEARER) {
        passing.retain(|edit| edit.price <= worth);
    }
    found.patches = problem.confirmed(&passing.iter().collect::<Vec<_>>(), CONFIRMED)?;
    // What has to be built anew for each edit comes last, and only what is as good as the best that are known.
    let best = found.patches.first().filter(|patch| patch.kind != Kind::Leak);
    let worst = best.map_or(u32::MAX, |patch| patch.price + AS_GOOD);
    let alone = edits.iter().filter(|e| !e.is_switched() && e.price <= worst);
    let most = if found.patches.is_empty() { ALONE_LAST } else { ALONE };
    let alone: Vec<&Edit> = alone.take(most).collect();
    let before = found.patches.len();
    let more = problem.confirmed(&alone, most)?;
    found.tried += alone.len();
    found.patches.extend(problem.with_output(more)?);
    if found.patches.len() > before {
        found.patches.sort_by_key(Edit::order);
    }
    found.cut |= problem.budget.stopped().is_some();
    Ok(found)
}

/// The most that an edit may cost to be worth a try beside those that pass: far dearer ones are not told, and once there
/// are as many places as are wanted, an edit has to be cheaper than the last of them.
fn worth(passing: &[Edit]) -> u32 {
    let mut prices: HashMap<(usize, (usize, usize)), u32> = HashMap::new();
    for edit in passing.iter().filter(|edit| edit.kind != Kind::Leak) {
        let least = prices.entry((edit.file, edit.unit())).or_insert(edit.price);
        *least = edit.price.min(*least);
    }
    let mut prices: Vec<u32> = prices.into_values().collect();
    prices.sort_unstable();
    let least = prices.first().map_or(u32::MAX, |least| least + DEARER);
    prices.get(WANTED - 1).map_or(least, |last| least.min(*last))
}

impl<W: Workshop + Sync> Problem<'_, W>
where
    W::Program: Sync,
{
    pub(crate) fn build_choice<'e>(&self, edits: &[&'e Edit], careful: bool) -> Result<Chosen<'e, W>, W::Error> {
        Choosing { workshop: self.workshop, texts: self.texts, declared: "", budget: self.budget }.build(edits, careful)
    }

    /// Tries edits in one program; those that pass are told with how much else they change.
    fn together(&self, batch: &[&Edit], found: &mut Found, passing: &mut Vec<Edit>) -> Result<(), W::Error> {
        let Some((program, mut all)) = self.build_choice(batch, self.careful)? else {
            found.left += batch.len();
            return Ok(());
        };
        all.sort_by_key(|(_, edit)| edit.price);
        let lanes = Lanes::new(&program);
        let trying = self.budget.share(OF_THE_TRIES);
        // Nearly all fail in one of a few tests.
        let few = spread(self.tests, A_FEW);
        let mut killers = vec![];
        let mut survivors = self.passing(&lanes, &few, &mut killers, &all, &trying)?;
        if few.len() < self.tests.len() {
            let in_few = std::mem::take(&mut survivors.edits);
            for some in in_few.chunks(A_FEW_EDITS) {
                // What is shown of one place are the best, and it takes long to see that an edit passes all tests.
                let here = |edit: &Edit| {
                    let known = passing.iter().chain(survivors.edits.iter().map(|(_, other)| *other));
                    known.filter(|other| other.is_beside(edit)).count()
                };
                let some: Vec<_> = some.iter().copied().filter(|(_, e)| here(e) < OF_ONE_PLACE_TRIED).collect();
                let of_all = self.passing(&lanes, self.tests, &mut killers, &some, &trying)?;
                survivors.edits.extend(of_all.edits);
                survivors.stopped += of_all.stopped;
            }
        }
        found.tried += all.len() - survivors.stopped;
        found.left += survivors.stopped;
        found.cut |= survivors.stopped > 0;
        let good = survivors.edits;
        if self.careful {
            drop(lanes);
            drop(program);
            let edits: Vec<&Edit> = good.iter().map(|(_, edit)| *edit).collect();
            // What is followed is not counted.
            let counted = if edits.len() > 1 { self.build_choice(&edits, false)? } else { None };
            match counted {
                Some((program, numbered)) => passing.extend(self.with_impact(&Lanes::new(&program), &numbered)?),
                None => passing.extend(edits.into_iter().cloned()),
            }
        } else {
            let priced = self.with_impact(&lanes, &good)?;
            drop(lanes);
            drop(program);
            passing.extend(self.followed(priced)?);
        }
        Ok(())
    }

    /// Those of some edits that pass some tests; tests that edits failed before are run early.
    fn passing<'e>(
        &self,
        lanes: &Lanes<W::Program>,
        tests: &[usize],
        killers: &mut Vec<usize>,
        edits: &[(u32, &'e Edit)],
        budget: &Budget,
    ) -> Result<Survivors<'e>, W::Error> {
        let mut seen = HashSet::new();
        let first = tests.first().into_iter().chain(killers.iter().rev());
        let order: Vec<usize> = first.chain(tests).filter(|test| seen.insert(**test)).copied().collect();
        let chunks: Vec<&[(u32, &Edit)]> = edits.chunks(in_turn(edits.len(), self.jobs)).collect();
        let screened = try_parallel(
            &chunks,
            self.jobs,
            || lanes.take(),
            |lane, _, chunk| {
                let numbers: Vec<u32> = chunk.iter().map(|(number, _)| *number).collect();
                lanes.program.screen(lane, &numbers, &order, budget)
            },
        )?;
        let mut survivors = Survivors { edits: vec![], stopped: 0 };
        for (edit, screened) in edits.iter().zip(screened.into_iter().flatten()) {
            match screened {
                Screened::Passes => survivors.edits.push(*edit),
                Screened::NotTried => survivors.stopped += 1,
                Screened::Fails(test) if order.first() == Some(&test) => {}
                Screened::Fails(test) => {
                    killers.retain(|known| *known != test);
                    killers.push(test);
                }
            }
        }
        Ok(survivors)
    }

    /// Edits, with a price for what else they change in the run of the first test. What repairs a value and leaves the rest
    /// alone is a likelier repair than what goes other ways, and far likelier than what leaves out what was done before.
    fn with_impact(&self, lanes: &Lanes<W::Program>, edits: &[(u32, &Edit)]) -> Result<Vec<Edit>, W::Error> {
        let plain = || edits.iter().map(|(_, edit)| (*edit).clone()).collect();
        let Some(first) = self.tests.first().filter(|_| !edits.is_empty()) else { return Ok(plain()) };
        let program = lanes.program;
        let mut lane = lanes.take()?;
        let before = program.run(&mut lane, 0, *first)?;
        let mut impacts = vec![];
        for (number, _) in edits {
            if self.budget.stopped().is_some() {
                return Ok(plain());
            }
            impacts.push(Impact::new(&before, &program.run(&mut lane, *number, *first)?));
        }
        // What every repair does to the run belongs to the repair.
        let least = |part: fn(&Impact) -> usize| impacts.iter().map(part).min().unwrap_or(0);
        let (lost, changed) = (least(|impact| impact.lost), least(|impact| impact.changed));
        let priced = edits.iter().zip(impacts).map(|((_, edit), impact)| {
            let impact = Impact { lost: impact.lost - lost, changed: impact.changed - changed, ..impact };
            Edit { price: edit.price + impact.price(), ..(*edit).clone() }
        });
        Ok(priced.collect())
    }

    /// Edits that were built alone, with a price for what else they print in the first test.
    fn with_output(&self, edits: Vec<Edit>) -> Result<Vec<Edit>, W::Error> {
        let printed = |texts: &[String]| -> Result<Option<Vec<u8>>, W::Error> {
            let (Seen::Program(program), Some(first)) = (self.workshop.build(texts, false)?, self.tests.first()) else {
                return Ok(None);
            };
            Ok(Some(program.run(&mut program.lane()?, 0, *first)?.stdout))
        };
        if edits.is_empty() || self.budget.stopped().is_some() {
            return Ok(edits);
        }
        let Some(before) = printed(self.texts)? else { return Ok(edits) };
        let priced = edits.into_iter().map(|edit| {
            let after = if self.budget.stopped().is_some() { None } else { printed(&edit.applied(self.texts))? };
            let otherwise = after.is_some_and(|after| !after.starts_with(&before));
            Ok(Edit { price: edit.price + if otherwise { PRINTS_OTHERWISE } else { 0 }, ..edit })
        });
        priced.collect()
    }

    /// What it costs that the program with an edit as it would stand in the file passes all tests; `None` where it does not.
    /// What it does to memory was seen already where a run can be told to make it.
    fn alone(&self, edit: &Edit) -> Result<Option<u32>, W::Error> {
        let texts = edit.applied(self.texts);
        match edit.is_switched() {
            true => Ok(self.passes(&texts, self.tests)?.then_some(0)),
            false => self.stands(&texts, self.tests),
        }
    }

    /// Those of some edits with which the tests do nothing to memory that C does not allow, all in one program, with what
    /// it costs if they do what they did before. What passes by accident must not stand before what repairs the program. Of
    /// one place a few are enough.
    fn followed(&self, edits: Vec<Edit>) -> Result<Vec<Edit>, W::Error> {
        if edits.is_empty() {
            return Ok(edits);
        }
        let all: Vec<&Edit> = edits.iter().collect();
        let Some((program, numbered)) = self.build_choice(&all, true)? else { return Ok(vec![]) };
        let order = followed_of(self.tests, self.paths);
        let good = try_parallel(
            &by_place(numbered),
            self.jobs,
            || program.lane(),
            |lane, _, place| {
                let mut good = vec![];
                for (number, edit) in place {
                    if let Some(cost) = self.conduct(&program, lane, *number, &order)? {
                        good.push(Edit { price: edit.price + cost, ..(*edit).clone() });
                    }
                    if good.len() == OF_ONE_PLACE_TRIED {
                        break;
                    }
                }
                Ok(good)
            },
        )?;
        Ok(good.into_iter().flatten().collect())
    }

    /// What it costs that some tests pass, one after the other; `None` if one does not.
    fn conduct(
        &self,
        program: &W::Program,
        lane: &mut <W::Program as Built>::Lane,
        number: u32,
        tests: &[usize],
    ) -> Result<Option<u32>, W::Error> {
        let mut blemished = false;
        for test in tests {
            if self.budget.stopped().is_some() {
                return Ok(None);
            }
            let ran = program.run(lane, number, *test)?;
            if !ran.passes {
                return Ok(None);
            }
            blemished |= ran.blemished;
        }
        Ok(Some(if blemished { BLEMISHED } else { 0 }))
    }

    /// Whether tests pass natively with other texts.
    fn passes(&self, texts: &[String], tests: &[usize]) -> Result<bool, W::Error> {
        let Seen::Program(program) = self.workshop.build(texts, false)? else { return Ok(false) };
        self.all_pass(&program, &mut program.lane()?, tests)
    }

    /// Whether tests pass with the program as it is. All of them are run, in turn in one process; of many that nobody follows
    /// afterwards some have to say yes in a process of their own as well.
    fn all_pass(
        &self,
        program: &W::Program,
        lane: &mut <W::Program as Built>::Lane,
        tests: &[usize],
    ) -> Result<bool, W::Error> {
        let together = program.screen(lane, &[0], tests, self.budget)? == [Screened::Passes];
        let is_followed = tests.len() <= FOLLOWED;
        let mut apart = spread(tests, APART);
        Ok(together && (is_followed || program.screen_one(lane, 0, &mut apart, self.budget)? == Screened::Passes))
    }

    /// Those of the failing tests that pass with other texts, natively and with care; none if that breaks a passing one.
    pub(crate) fn repaired(
        &self,
        texts: &[String],
        (failing, passing): (&[usize], &[usize]),
    ) -> Result<Vec<usize>, W::Error> {
        let Seen::Program(program) = self.workshop.build(texts, self.careful)? else { return Ok(vec![]) };
        let mut lane = program.lane()?;
        let mut repaired = vec![];
        for some in failing.chunks(AT_A_TIME) {
            repaired.extend(program.passed(&mut lane, &[0], some, self.budget)?.into_iter().flatten());
        }
        let tests: Vec<usize> = repaired.iter().chain(passing).copied().collect();
        if repaired.is_empty() || !self.all_pass(&program, &mut lane, &tests)? {
            return Ok(vec![]);
        }
        let stands = if self.careful { self.passes(texts, &tests)? } else { self.follows(texts, &tests)?.is_some() };
        Ok(if stands { repaired } else { vec![] })
    }

    /// What it costs that some tests pass with other texts, natively and with care: the one sees which checks a run comes
    /// to, the other what it does to memory. `None` where they do not pass.
    pub(crate) fn stands(&self, texts: &[String], tests: &[usize]) -> Result<Option<u32>, W::Error> {
        if !self.passes(texts, tests)? {
            return Ok(None);
        }
        self.follows(texts, tests)
    }

    /// What it costs that some tests pass with other texts and do nothing that C does not allow.
    fn follows(&self, texts: &[String], tests: &[usize]) -> Result<Option<u32>, W::Error> {
        let Seen::Program(program) = self.workshop.build(texts, true)? else { return Ok(None) };
        let order = followed_of(tests, self.paths);
        self.conduct(&program, &mut program.lane()?, 0, &order)
    }

    /// The best of some edits, each built as it would stand in the file and run on all tests, of which not more than so many
    /// are; of one place only a few.
    fn confirmed(&self, edits: &[&Edit], most: usize) -> Result<Vec<Edit>, W::Error> {
        let mut patches: Vec<Edit> = vec![];
        let mut rest = edits.to_vec();
        let mut built = 0;
        let mut texts: HashSet<(usize, String)> = HashSet::new();
        while patches.len() < WANTED && built < most && self.budget.stopped().is_none() {
            let (mut some, mut later): (Vec<&Edit>, Vec<&Edit>) = (vec![], vec![]);
            for edit in rest {
                let here = patches.iter().chain(some.iter().copied());
                let known = here.filter(|other| other.unit() == edit.unit() && other.file == edit.file).count();
                // Behind one statement or before the next is the same.
                let text = || edit.apply(&self.texts[edit.file]).split_whitespace().collect::<Vec<_>>().join(" ");
                if some.len() >= (WANTED - patches.len()).max(self.jobs) || known >= OF_ONE_PLACE {
                    later.push(edit);
                } else if texts.insert((edit.file, text())) {
                    some.push(edit);
                }
            }
            if some.is_empty() {
                break;
            }
            rest = later;
            built += some.len();
            let costs = try_parallel(&some, self.jobs, || Ok(()), |(), _, edit| self.alone(edit))?;
            let good = some.iter().zip(costs).filter_map(|(edit, cost)| Some((edit, cost?)));
            patches.extend(good.map(|(edit, more)| Edit { price: edit.price + more, ..(*edit).clone() }));
        }
        patches.sort_by_key(Edit::order);
        Ok(patches)
    }
}

#[cfg(test)]
mod tests {
    use super::{OF_MANY_FOLLOWED, followed_of};

    #[test]
    fn tests_that_execute_different_things_are_followed_first() {
        let few: Vec<usize> = (0..30).collect();
        assert_eq!(followed_of(&few, &[0; 30]), (0..30).rev().collect::<Vec<_>>());
        // Failing tests come first, and are followed last.
        let tests: Vec<usize> = [90, 91].into_iter().chain(0..90).collect();
        let mut paths = vec![0; 92];
        (paths[7], paths[50], paths[91]) = (1, 2, 3);
        let followed = followed_of(&tests, &paths);
        assert!((12..=OF_MANY_FOLLOWED).contains(&followed.len()), "{followed:?}");
        assert!([7, 50].iter().all(|test| followed.contains(test)), "{followed:?}");
        assert_eq!(followed[followed.len() - 2..], [91, 90]);
        let all_different: Vec<usize> = (0..92).collect();
        assert!((8..=OF_MANY_FOLLOWED).contains(&followed_of(&tests, &all_different).len()));
    }
}
