//! Where the threads of a run stand that was stopped: who waits for whom.

use super::skim::skim;
use super::still_turning;
use crate::walk::{Analysis, Meetings, Met, Recorded, Started, WalkError, block_number, meetings};
use wherefore_budget::Budget;
use wherefore_clib::waiting::{Meets, meets};
use wherefore_program::{BlockId, FunctionId, Origin, Program};

/// The share of the time that this may take.
const OF_THE_TIME: f64 = 0.2;

/// A thread of a run that was stopped.
#[derive(Debug)]
pub struct Standing {
    /// Where it began, where that is a function of the program.
    pub began: Option<FunctionId>,
    /// It runs `main`.
    pub is_first: bool,
    /// What it was given, where it is one that was started.
    argument: Option<u64>,
    /// What it does.
    pub does: Does,
    /// What it has done with others.
    pub meetings: Meetings,
}

/// What a thread does when the run is stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Does {
    /// It waits in a call.
    Waits(Met),
    /// It is in a call of which it is not known that it waits.
    Calls(Met),
    /// It is at work: in which function, where, and at the head of which loop.
    Works(FunctionId, Option<Origin>, Option<Origin>),
    /// It has ended.
    Ended,
}

/// The threads of a run that was stopped, the one first that is followed.
#[derive(Debug)]
pub struct Standings {
    /// Each of them.
    pub all: Vec<Standing>,
    /// These are all threads that there ever were, in all that they did.
    pub are_all: bool,
}

/// Whom a thread waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Awaited {
    /// The thread of this number gives back what it took by this call; it may be the one that waits.
    Holder(usize, Met),
    /// The thread of this number ends.
    End(usize),
}

impl Standings {
    /// Where the threads stand; nothing where that could not be found out.
    ///
    /// # Errors
    /// When the words of the thread that is followed do not fit the program, or the budget is over.
    pub(super) fn find(
        program: &Program,
        analysis: &Analysis,
        recorded: &Recorded,
        budget: &Budget,
    ) -> Result<Standings, WalkError> {
        let budget = &budget.share(OF_THE_TIME);
        let (is_started, others, are_known) = match &recorded.threads {
            Some(threads) => (threads.is_started, &threads.others[..], threads.are_all_known),
            None => (false, &[][..], true),
        };
        let look = |of: (&[u64], bool)| standing(program, analysis, recorded, of, budget);
        let mut all = vec![look((recorded.words, !is_started))?];
        let seen = others.iter().filter(|_| are_known).map(|of| look(*of));
        let seen: Result<Vec<Standing>, WalkError> = seen.collect();
        let cancels = |s: &Standing| s.meetings.cancels;
        // A thread that is cancelled has ended although its words end in a call.
        let seen = seen.ok().filter(|seen| are_known && !seen.iter().chain(&all).any(cancels));
        let are_all = seen.is_some();
        all.extend(seen.into_iter().flatten());
        Ok(Standings { all, are_all })
    }

    /// Whom a thread waits for, as far as that is sure.
    pub fn awaited(&self, thread: usize) -> Option<Awaited> {
        let Does::Waits(met) = &self.all[thread].does else { return None };
        let address = *met.arguments.first()?;
        match meets(&met.callee)?.0 {
            Meets::Takes { waits: true, .. } => {
                let (holder, by) = self.holder(address)?;
                Some(Awaited::Holder(holder, by))
            }
            Meets::Joins => Some(Awaited::End(self.named(address)?)),
            _ => None,
        }
    }

    /// The one thread that holds a lock, and the call that took it.
    pub fn holder(&self, address: u64) -> Option<(usize, Met)> {
        if self.all.iter().any(|s| s.meetings.odd.contains(&address)) {
            return None;
        }
        let mut holders = (0..).zip(&self.all).filter_map(|(number, standing)| {
            let given_back = match &standing.does {
                Does::Waits(met) if matches!(meets(&met.callee), Some((Meets::Sleeps { .. }, _))) => {
                    met.arguments.get(1)
                }
                _ => None,
            };
            let held = standing.meetings.held.iter().find(|held| held.address == address)?;
            (given_back != Some(&address)).then(|| (number, held.by.clone()))
        });
        match (holders.next(), holders.next()) {
            (Some(one), None) => Some(one),
            _ => None,
        }
    }

    /// The thread that the system calls so, where no other one has begun in the same way.
    fn named(&self, name: u64) -> Option<usize> {
        let one = self.started_as(name).filter(|_| self.are_all)?;
        let is_it = |s: &Standing| !s.is_first && s.began == one.function && s.argument == Some(one.argument);
        let mut its = (0..).zip(&self.all).filter(|(_, s)| is_it(s)).map(|(number, _)| number);
        its.next().filter(|_| one.function.is_some() && its.next().is_none())
    }

    /// How the thread was started that the system calls so. Names are used again: it is the last of a thread that has
    /// started all of them.
    fn started_as(&self, name: u64) -> Option<&Started> {
        let is_it = |started: &&Started| started.name == Some(name);
        let mut starters = self.all.iter().filter(|s| s.meetings.started.iter().any(|started| is_it(&started)));
        let (Some(one), None) = (starters.next(), starters.next()) else { return None };
        one.meetings.started.iter().rfind(is_it)
    }

    /// The function in which the thread began that another one waits for.
    pub fn began(&self, name: u64) -> Option<FunctionId> {
        self.started_as(name)?.function
    }

    /// The threads in the order in which they wait for each other, from the one that is followed on; then the rest.
    pub fn in_order(&self) -> Vec<usize> {
        let mut order = vec![0];
        while let Some(Awaited::Holder(next, _) | Awaited::End(next)) = self.awaited(order[order.len() - 1])
            && !order.contains(&next)
        {
            order.push(next);
        }
        let rest = (0..self.all.len()).filter(|thread| !order.contains(thread));
        let rest: Vec<usize> = rest.collect();
        order.extend(rest);
        order
    }

    /// Whether a thread never goes on: it waits for one that does not, or that has ended with what it holds.
    pub fn is_stuck(&self, thread: usize) -> bool {
        let mut at = thread;
        for _ in 0..=self.all.len() {
            at = match self.awaited(at) {
                Some(Awaited::Holder(holder, _)) if self.all[holder].does == Does::Ended => return true,
                Some(Awaited::Holder(next, _) | Awaited::End(next)) => next,
                None => return false,
            };
        }
        true
    }

    /// The calls that have woken who waits at an address, or put something in there.
    pub fn given(&self, address: u64) -> Vec<&Met> {
        let given = self.all.iter().flat_map(|s| &s.meetings.given);
        given.filter(|met| met.arguments.first() == Some(&address)).collect()
    }

    /// How many threads wait at a barrier, and for how many it waits where that is known.
    pub fn gathered(&self, address: u64) -> (usize, Option<u64>) {
        let is_there = |s: &&Standing| match &s.does {
            Does::Waits(met) => {
                matches!(meets(&met.callee), Some((Meets::Gathers, _))) && met.arguments.first() == Some(&address)
            }
            _ => false,
        };
        let mut barriers = self.all.iter().flat_map(|s| &s.meetings.barriers).filter(|(at, _)| *at == address);
        let (one, another) = (barriers.next(), barriers.next());
        (self.all.iter().filter(is_there).count(), one.map(|(_, count)| *count).filter(|_| another.is_none()))
    }
}

fn standing(
    program: &Program,
    analysis: &Analysis,
    recorded: &Recorded,
    (words, is_first): (&[u64], bool),
    budget: &Budget,
) -> Result<Standing, WalkError> {
    let meetings = meetings(program, analysis, recorded, (words, is_first), budget)?;
    let began = words.first().and_then(|word| program.block(block_number(*word)?));
    let began = began.filter(|(_, block)| *block == BlockId(0)).map(|(function, _)| function);
    let takes_one = |f: &FunctionId| {
        let function = &program.functions[f.index()];
        function.params_recorded && function.params.len() == 1
    };
    let argument = began.filter(takes_one).and_then(|_| words.get(1).copied()).filter(|_| !is_first);
    let does = match (&meetings.within, meetings.at) {
        (Some(met), _) if matches!(met.callee.as_str(), "pthread_exit" | "thrd_exit") => Does::Ended,
        (Some(met), _) if super::outside::may_wait(&met.callee) => Does::Waits(met.clone()),
        (Some(met), _) => Does::Calls(met.clone()),
        (None, Some((function, at))) => {
            let skimmed = skim(program, analysis, words, budget)?;
            let turning = still_turning(program, &skimmed, words.len());
            Does::Works(function, at, turning.and_then(|candidate| candidate.at))
        }
        (None, None) => Does::Ended,
    };
    Ok(Standing { began, is_first, argument, does, meetings })
}

#[cfg(test)]
mod tests;
