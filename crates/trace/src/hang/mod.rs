//! A run that does not end: in which loop it is, whether that can be proved, and a trace that ends in that loop.
//!
//! Such a recording is long, and all its rounds but a few say the same. So it is skimmed for the loop in which it ends,
//! and only its beginning, up to some round of that loop, becomes a trace: the beginning of a recording is one too.

mod deciding;
mod drift;
mod outside;
mod passing;
mod proof;
mod skim;
mod standing;
mod ways;

use crate::model::Trace;
pub use crate::walk::Kept;
use crate::walk::{Analysis, Loop, Mark, Recorded, WalkError, Walked, block_number, walk_rounds, walk_to_the_end};
use skim::{Running, Skimmed, skim};
pub use standing::{Awaited, Does, Standing, Standings};
use wherefore_budget::Budget;
use wherefore_program::{FunctionId, LocalId, Origin, Program};

/// More words of a loop than this are not walked to look for a repetition.
const WALKED: usize = 400_000;
/// Nor is a loop walked to that begins after more words.
const FURTHEST: usize = 2_000_000;
/// What begins further than [`WALKED`] gets this share of the time, and so many rounds.
const OF_THE_TIME: f64 = 0.3;
const FAR_ROUNDS: usize = 32;
/// Nor more rounds.
const ROUNDS: usize = 200;
/// So many words are looked at first.
const BEGINNING: usize = 1 << 20;
/// And so many then; what comes later is only looked at where it is something else.
const MOST: usize = 1 << 23;
/// So many words at the end, at least, are looked through for the head of a loop.
const TAIL: usize = 1 << 14;
/// So many rounds of a loop that is not proved to be endless are in its trace.
const SHOWN: usize = 3;
/// A program that waits does little: not more words than this.
const FEW: usize = 1 << 20;
/// Who waits in each round does not begin more of them than this.
const SPINNING: u64 = 1000;

/// A run that does not end.
#[derive(Debug)]
pub struct Hang {
    /// The run up to the failure; its failure is of another kind where the run goes wrong before.
    pub trace: Trace,
    /// The loop it is in.
    pub found: Option<Endless>,
    /// The function outside the program in which it waits, and where that is called.
    pub waits_in: Option<(String, Option<Origin>)>,
    /// Where its threads stand, where that is known.
    pub standings: Option<Standings>,
}

/// A loop that is not left.
#[derive(Clone, Debug)]
pub struct Endless {
    /// How often it was seen to begin a round.
    pub rounds: u64,
    /// Where it is proved not to end: all that decides about it is the same after so many rounds.
    pub period: Option<usize>,
    /// Where the rounds begin in the steps of the trace; the last entry is where the failing round is over.
    pub begins: Vec<usize>,
    /// Where the failing decision is made in the steps of the trace, in those rounds that come to it.
    pub tests: Vec<Option<usize>>,
    /// What is known of that decision.
    pub kept: Kept,
    /// Where it is not proved not to end: from this round on, counted from 0, all that the failing decision depends on
    /// was the same, as far as it was followed: that many rounds.
    pub settled: Option<(usize, usize)>,
    /// It ends when two things are equal, and the last round begins with one past the other.
    pub passed: bool,
    /// It is proved not to end: what would end it lies behind a number that only moves on.
    pub drifts: bool,
    /// Functions called in the last round that read nothing, and whether the input was at its end.
    pub unread: Vec<(String, bool)>,
    /// Where the statements stand that the last rounds run in their function, in order, each once: so many rounds as it
    /// takes until all is the same, else one.
    pub ran: Vec<Origin>,
    /// Where the loop sets locals of its function in statements that those rounds do not run.
    pub not_run: Vec<(LocalId, Origin)>,
    /// The activation it runs in.
    pub activation: u32,
    /// Where it stands.
    pub at: Option<Origin>,
}

/// How many activations are on the stack where the words of a run end.
///
/// # Errors
/// When the words do not fit the program, or the budget is over.
pub fn depth(program: &Program, recorded: &Recorded, budget: &Budget) -> Result<usize, WalkError> {
    Ok(skim(program, &Analysis::new(program), recorded.words, budget)?.stack.len())
}

/// Whether the beginning of a run shows that it will not end.
///
/// # Errors
/// When the words do not fit the program, or the budget is over.
pub fn is_endless(program: &Program, recorded: &Recorded, budget: &Budget) -> Result<bool, WalkError> {
    let analysis = Analysis::new(program);
    let skimmed = skim(program, &analysis, recorded.words, budget)?;
    // Where something goes on, the threads are not seen at the same moment.
    if recorded.stands_still {
        let waits = skimmed.within.as_ref().is_some_and(|(name, _)| outside::may_wait(name));
        return Ok(waits && Standings::find(program, &analysis, recorded, budget)?.is_stuck(0));
    }
    // There is no time to walk far while the run goes on.
    let near = |c: &Candidate| !c.is_far();
    Ok(prove(program, &analysis, recorded, &skimmed, near, budget)?.is_some())
}

/// A trace of a run that was stopped before it ended, up to where it is seen that it goes on; nothing where no loop and
/// no call is known in which it is.
///
/// # Errors
/// When the words do not fit the program, or the budget is over.
pub fn hang(program: &Program, recorded: &Recorded, budget: &Budget) -> Result<Option<Hang>, WalkError> {
    let analysis = Analysis::new(program);
    let standings = Standings::find(program, &analysis, recorded, budget).ok();
    let is_stuck = standings.as_ref().is_some_and(|standings| standings.is_stuck(0));
    let hang = hanging(program, &analysis, recorded, is_stuck, budget)?;
    Ok(hang.map(|hang| Hang { standings, ..hang }))
}

fn hanging(
    program: &Program,
    analysis: &Analysis,
    recorded: &Recorded,
    is_stuck: bool,
    budget: &Budget,
) -> Result<Option<Hang>, WalkError> {
    // What repeats mostly does so soon: then the rest need not be looked at.
    let beginning = Recorded { words: &recorded.words[..recorded.words.len().min(BEGINNING)], ..recorded.clone() };
    if !is_stuck && let Some(hang) = endless(program, analysis, &beginning, budget)? {
        return Ok(Some(hang));
    }
    let most = Recorded { words: &recorded.words[..recorded.words.len().min(MOST)], ..recorded.clone() };
    if recorded.words.len() > BEGINNING
        && !is_stuck
        && let Some(hang) = endless(program, analysis, &most, budget)?
    {
        return Ok(Some(hang));
    }
    let skimmed = skim(program, analysis, most.words, budget)?;
    let turning = still_turning(program, &skimmed, most.words.len());
    // Who only lets time go by in a loop goes on with it.
    let is_passing = |(name, _): &(String, Option<Origin>)| turning.is_some() && outside::lets_time_go_by(name);
    let is_over = is_stuck || recorded.stands_still && !skimmed.within.as_ref().is_some_and(is_passing);
    let is_short = recorded.words.len() < if is_over { MOST } else { FEW };
    let waits = skimmed.within.clone().filter(|(name, _)| is_over || outside::may_wait(name)).filter(|_| is_short);
    // Who calls it again and again, or only lets time go by, is in the loop.
    let is_busy =
        |name: &str| turning.as_ref().is_some_and(|c| c.running.rounds > SPINNING || outside::lets_time_go_by(name));
    let waits = waits.filter(|(name, _)| is_over || !is_busy(name));
    if waits.is_some() {
        let trace = walk_to_the_end(analysis, program, recorded, budget)?;
        return Ok(Some(Hang { trace, found: None, waits_in: waits, standings: None }));
    }
    if is_over && skimmed.within.is_some() {
        return Ok(None);
    }
    match turning.filter(|c| is_at_the_end(program, c, recorded.words)) {
        Some(candidate) => long(program, analysis, recorded, candidate, budget).map(Some),
        None if recorded.words.len() <= MOST => Ok(None),
        None => {
            let skimmed = skim(program, analysis, recorded.words, budget)?;
            let turning = still_turning(program, &skimmed, recorded.words.len());
            turning.map(|candidate| long(program, analysis, recorded, candidate, budget)).transpose()
        }
    }
}

/// Some rounds of a loop that may only take long: up to where it misses what would end it, if it does.
fn long(
    program: &Program,
    analysis: &Analysis,
    recorded: &Recorded,
    candidate: Candidate,
    budget: &Budget,
) -> Result<Hang, WalkError> {
    let (walked, most) = follow(program, analysis, recorded, &candidate, budget)?;
    let passed = passing::passes(&walked.trace, &walked.marks);
    let told = passed.map(|round| round + 1).or(passing::wraps(&walked.trace, &walked.marks).map(|round| round + 2));
    let settled = deciding::settles(&walked.trace, &walked.marks).filter(|_| told.is_none());
    let rounds = told.or(settled.map(|round| round + 2)).unwrap_or(SHOWN).min(most);
    let mut hang = round(program, analysis, recorded, candidate, (rounds, None), budget)?;
    if let Some(found) = &mut hang.found {
        found.passed = passed.is_some();
        found.settled = settled.map(|round| (round, most));
    }
    Ok(hang)
}

/// As many rounds of a loop as are worth walking, and how many these are.
fn follow(
    program: &Program,
    analysis: &Analysis,
    recorded: &Recorded,
    candidate: &Candidate,
    budget: &Budget,
) -> Result<(Walked, usize), WalkError> {
    let visits = &candidate.running.visits;
    let most = candidate.walkable() - 1;
    let beginning = Recorded { words: &recorded.words[..=visits[most]], ..recorded.clone() };
    Ok((walk_rounds(analysis, program, &beginning, candidate.of, true, budget)?, most))
}

/// Whether a loop is still under way at the end of the words, as far as its head is there again and again.
fn is_at_the_end(program: &Program, candidate: &Candidate, words: &[u64]) -> bool {
    let head = program.functions[candidate.function.index()].first_block + candidate.of.head.0;
    let tail = &words[words.len().saturating_sub(2 * candidate.running.longest + TAIL)..];
    tail.iter().filter(|word| block_number(**word) == Some(head)).count() > 1
}

/// The trace of a run that is proved not to end.
fn endless(
    program: &Program,
    analysis: &Analysis,
    recorded: &Recorded,
    budget: &Budget,
) -> Result<Option<Hang>, WalkError> {
    let skimmed = skim(program, analysis, recorded.words, budget)?;
    let proved = prove(program, analysis, recorded, &skimmed, |_| true, budget)?;
    let Some(Proof { of: found, first, again, drifts }) = proved else { return Ok(None) };
    if drifts {
        // Up to the round that begins past what would end the loop, as it is with those that may only take long.
        let mut hang = long(program, analysis, recorded, found, budget)?;
        if let Some(found) = &mut hang.found {
            found.drifts = true;
        }
        return Ok(Some(hang));
    }
    // The round that begins like the first one is in the trace, up to where it goes on.
    let period = Some(again - first);
    let hang = round(program, analysis, recorded, found.clone(), (again + 1, period), budget)?;
    if hang.trace.failure.as_ref().is_none_or(|f| hang.trace.terms.truth_value(f.violated) != Some(true)) {
        return Ok(Some(hang));
    }
    // Nothing decides; what it was meant to count to is seen where the count starts again.
    let (walked, most) = follow(program, analysis, recorded, &found, budget)?;
    match passing::wraps(&walked.trace, &walked.marks).map(|wraps| (wraps + 2).clamp(again + 1, most.max(again + 1))) {
        Some(rounds) => round(program, analysis, recorded, found, (rounds, period), budget).map(Some),
        None => Ok(Some(hang)),
    }
}

/// A loop under way at the end of a recording.
#[derive(Clone)]
struct Candidate {
    of: Loop,
    function: FunctionId,
    running: Running,
    at: Option<Origin>,
}

impl Candidate {
    /// How many beginnings of its rounds can be walked to.
    fn walkable(&self) -> usize {
        let visits = &self.running.visits;
        let furthest = if visits[0] <= FURTHEST { visits[0] + WALKED } else { 0 };
        visits.iter().take(ROUNDS).take_while(|at| **at <= furthest).count()
    }

    /// Whether it takes long to walk to it.
    fn is_far(&self) -> bool {
        self.running.visits[0] > WALKED
    }
}

/// A loop that is proved to be endless, and the rounds, from 0, that begin alike; or in which what has changed drifts.
struct Proof {
    of: Candidate,
    first: usize,
    again: usize,
    drifts: bool,
}

/// The loops under way of which some rounds are over, outermost first.
fn candidates<'s>(program: &'s Program, skimmed: &'s Skimmed) -> impl Iterator<Item = Candidate> + 's {
    skimmed.stack.iter().flat_map(move |level| {
        level.loops.iter().filter(|l| l.visits.len() > 2).map(move |running| {
            let blocks = &program.functions[level.function.index()].blocks;
            let head = &blocks[running.head.index()];
            let at = head.terminator.at.or(head.commands.first().and_then(|c| c.at));
            let of = Loop { activation: level.activation, head: running.head };
            Candidate { of, function: level.function, running: running.clone(), at }
        })
    })
}

/// The loop that is proved to be endless, if there is one.
fn prove(
    program: &Program,
    analysis: &Analysis,
    recorded: &Recorded,
    skimmed: &Skimmed,
    is_tried: impl Fn(&Candidate) -> bool,
    budget: &Budget,
) -> Result<Option<Proof>, WalkError> {
    if skimmed.is_unsettled {
        return Ok(None);
    }
    for candidate in candidates(program, skimmed).filter(is_tried) {
        let visits = &candidate.running.visits;
        let walked = candidate.walkable();
        let budget = if candidate.is_far() { &budget.share(OF_THE_TIME) } else { budget };
        // Few rounds often show it; where they do not, more may.
        let mut tried = 0;
        for most in if candidate.is_far() { [FAR_ROUNDS; 2] } else { [8, ROUNDS] } {
            let rounds = walked.min(most);
            if rounds < 3 || rounds == tried {
                continue;
            }
            tried = rounds;
            let words = &recorded.words[..=visits[rounds - 1]];
            let recorded = Recorded { words, ..recorded.clone() };
            let walked = match walk_rounds(analysis, program, &recorded, candidate.of, false, budget) {
                Err(WalkError::Stopped { .. }) if candidate.is_far() => break,
                walked => walked?,
            };
            let repeats = proof::repeats(program, &walked, recorded.stdin).map(|rounds| (rounds, false));
            let proved = repeats.or_else(|| proof::drifts(program, &walked).map(|rounds| (rounds, true)));
            if let Some(((first, again), drifts)) = proved
                && again + 1 < visits.len()
            {
                return Ok(Some(Proof { of: candidate, first, again, drifts }));
            }
        }
    }
    Ok(None)
}

/// The outermost loop that still begins rounds: the last one has not taken much longer than those before.
fn still_turning(program: &Program, skimmed: &Skimmed, words: usize) -> Option<Candidate> {
    let turning = |c: &Candidate| words - c.running.last <= 4 * c.running.longest + 64;
    candidates(program, skimmed).filter(|c| c.walkable() > 1).find(turning)
}

/// The trace up to the end of a round, counted from 1, with what keeps it in the loop as the failure; and after how many
/// rounds all is the same, where that is proved.
fn round(
    program: &Program,
    analysis: &Analysis,
    recorded: &Recorded,
    candidate: Candidate,
    (rounds, period): (usize, Option<usize>),
    budget: &Budget,
) -> Result<Hang, WalkError> {
    let Candidate { of, running, at, function } = candidate;
    let words = &recorded.words[..=running.visits[rounds]];
    let recorded = Recorded { words, ..recorded.clone() };
    let walked = walk_rounds(analysis, program, &recorded, of, true, budget)?;
    let length = walked.trace.steps.len();
    let begins = walked.marks.iter().map(|m: &Mark| m.steps.min(length)).collect();
    let last = walked.marks.iter().rev().nth(1).map_or(0, |m| m.steps);
    let mut unread: Vec<_> = walked.calls.iter().filter(|c| c.steps >= last).filter_map(outside::at_end).collect();
    unread.dedup();
    let blocks = ways::last(&walked.ways, period.unwrap_or(1));
    let body = &program.functions[function.index()];
    let found = Endless {
        rounds: running.rounds,
        period,
        begins,
        tests: deciding::tests(&walked.trace, &walked.marks),
        kept: walked.kept,
        settled: None,
        passed: false,
        drifts: false,
        unread,
        ran: ways::places(body, &blocks),
        not_run: ways::not_run(body, &analysis.flows[function.index()], of.head, &blocks),
        activation: of.activation,
        at,
    };
    Ok(Hang { trace: walked.trace, found: Some(found), waits_in: None, standings: None })
}
