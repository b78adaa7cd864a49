//! Where a thread meets others: the locks that it holds, what it has started and woken, and the call in which its words end.
//!
//! The words of the thread are followed without terms.

use super::following::{Following, Kept, Layout};
use super::{Analysis, Recorded, Threads, WalkError, Walker};
use crate::slice::{Bits, Pages};
use std::sync::Arc;
use wherefore_budget::Budget;
use wherefore_clib::waiting::{Meets, meets};
use wherefore_clib::{self as clib, Callback};
use wherefore_formula::Terms;
use wherefore_program::{Callee, FunctionId, Operand, Origin, Program};

/// A call of code outside the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Met {
    /// What is called, where that has a name.
    pub callee: String,
    /// What it is given.
    pub arguments: Vec<u64>,
    /// The function that calls it.
    pub function: FunctionId,
    /// Where.
    pub at: Option<Origin>,
}

/// A lock that is held.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    /// Where it lies.
    pub address: u64,
    /// Others may hold it in the same way.
    pub shared: bool,
    /// The call that took it.
    pub by: Met,
}

/// A thread that was started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Started {
    /// Where it begins, where that is a function of the program.
    pub function: Option<FunctionId>,
    /// What it is given.
    pub argument: u64,
    /// Where the system puts what the program calls it by.
    place: u64,
    /// What that is, once the program has read it.
    pub name: Option<u64>,
}

#[cfg(test)]
impl Started {
    /// One whose name is known.
    pub fn new(function: Option<FunctionId>, argument: u64, name: u64) -> Started {
        Started { function, argument, place: 0, name: Some(name) }
    }
}

/// What a thread has done with others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Meetings {
    /// The call that has not come back.
    pub within: Option<Met>,
    /// Where its words end outside of a call.
    pub at: Option<(FunctionId, Option<Origin>)>,
    /// The locks that it has taken and not given back.
    pub held: Vec<Held>,
    /// The threads that it has started.
    pub started: Vec<Started>,
    /// Calls that wake others or put something in.
    pub given: Vec<Met>,
    /// Locks that it gave back without holding them.
    pub odd: Vec<u64>,
    /// It ended another thread.
    pub cancels: bool,
    /// Barriers, and how many threads each waits for.
    pub barriers: Vec<(u64, u64)>,
}

/// What the thread of these words has done with others.
pub fn meetings(
    program: &Program,
    analysis: &Analysis,
    recorded: &Recorded,
    (words, is_first): (&[u64], bool),
    budget: &Budget,
) -> Result<Meetings, WalkError> {
    let threads = Some(Threads { is_started: !is_first, ..Threads::default() });
    let of_thread = Recorded { words, threads, ..recorded.clone() };
    let mut walker = Walker::new(program, analysis, &of_thread, budget);
    walker.meetings = Some(Meetings::default());
    let (bits, layout) = (Bits::new(0), Arc::new(Layout::new(program)));
    let pages = Pages::new(&of_thread);
    walker.following =
        Following::Slice(Box::new(Kept { bits, facts: None, at: 0, pages, layout, scratch: Terms::new() }));
    walker.run()?;
    let mut found = walker.meetings.take().unwrap_or_default();
    found.at = walker.frames.last().map(|frame| {
        let block = &program.functions[frame.function.index()].blocks[frame.block.index()];
        (frame.function, block.commands.get(frame.command).and_then(|c| c.at).or(block.terminator.at))
    });
    Ok(found)
}

impl Walker<'_> {
    /// A call outside is about to happen.
    pub(super) fn meet(&mut self, callee: &Callee, arguments: &[Operand], at: Option<Origin>) {
        if self.meetings.is_none() {
            return;
        }
        let callee = match callee {
            Callee::External(name) => name.as_str(),
            Callee::Pointer(pointer) => {
                let address = self.concrete(pointer) as u64;
                self.externals.iter().find(|(_, at)| **at == address).map_or("", |(name, _)| name)
            }
            Callee::Function(_) | Callee::Assembly => "",
        };
        let arguments = arguments.iter().map(|a| self.concrete(a) as u64).collect();
        let function = self.frames.last().expect("an activation is on the stack").function;
        let met = Met { callee: callee.to_string(), arguments, function, at };
        self.meetings.as_mut().expect("seen above").within = Some(met);
    }

    /// Code of the program goes on, which the call under way, if there is one, has called or left by a jump.
    pub(super) fn meet_nobody(&mut self) {
        if let Some(meetings) = &mut self.meetings {
            meetings.within = None;
        }
    }

    /// The call has come back.
    pub(super) fn met(&mut self, result: u64) {
        let Some(meetings) = &mut self.meetings else { return };
        let Some(met) = meetings.within.take() else { return };
        let argument = |i: usize| met.arguments.get(i).copied().unwrap_or(0);
        let is_done = result as u32 == 0;
        if let Some(Callback::Thread(index)) = clib::function(&met.callee).and_then(|f| f.calls_back) {
            let function = self.recorded.functions.iter().position(|address| *address == argument(index));
            let function = function.map(|index| FunctionId(index as u32));
            let started = Started { function, argument: argument(index + 1), place: argument(0), name: None };
            meetings.started.extend(is_done.then_some(started));
        }
        let address = argument(0);
        match meets(&met.callee).map(|(what, _)| what) {
            Some(Meets::Takes { shared, .. }) if is_done => meetings.held.push(Held { address, shared, by: met }),
            Some(Meets::Leaves) if is_done => match meetings.held.iter().rposition(|held| held.address == address) {
                Some(index) => drop(meetings.held.remove(index)),
                None => meetings.odd.push(address),
            },
            Some(Meets::Wakes | Meets::PutsIn) if is_done => meetings.given.push(met),
            Some(Meets::Makes) if is_done => {
                meetings.held.retain(|held| held.address != address);
                meetings.barriers.retain(|(barrier, _)| *barrier != address);
                if met.callee == "pthread_barrier_init" {
                    meetings.barriers.push((address, argument(2)));
                }
            }
            _ => meetings.cancels |= met.callee == "pthread_cancel",
        }
    }

    /// A number is read at an address: what the system calls a thread is known where the program reads it.
    pub(super) fn meet_name(&mut self, address: u64, number: u128) {
        let Some(meetings) = &mut self.meetings else { return };
        let started = meetings.started.iter_mut().rev().find(|started| started.place == address);
        if let Some(started) = started.filter(|started| started.name.is_none()) {
            started.name = Some(number as u64);
        }
    }
}
