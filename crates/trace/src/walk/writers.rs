//! Which statement of another thread wrote a value: the one of the thread that stored these bits at this place; none where several
//! did.
//!
//! The words of the other threads are followed without terms. In which order threads did something is not recorded, so that a
//! value which several threads stored there may be of each of them.

use super::following::{Following, Kept, Layout};
use super::{Analysis, Recorded, Threads, Walker};
use crate::model::{Action, Kind, Others, Trace, Writer};
use crate::slice::{Bits, Pages};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wherefore_budget::Budget;
use wherefore_formula::{Terms, VarId};
use wherefore_program::{FunctionId, Origin, Program};

/// The share of the time that this may take.
const OF_THE_TIME: f64 = 0.1;
/// So many values that were read are looked for.
const MOST: usize = 10_000;

/// An address, how many bits are there, and which.
type Store = (u64, u32, u128);

/// A value that was read, of which variable, and the store that may have written it.
type Wanted = ((VarId, u128), Store);

/// What is looked for, and where a thread stored it.
pub(super) struct Stores(FxHashMap<Store, Option<Option<Origin>>>);

impl Walker<'_> {
    /// The other threads of the run.
    pub(crate) fn others(&self) -> Option<Others> {
        let threads = self.recorded.threads.as_ref()?;
        let began = |(words, _): &(&[u64], bool)| self.entry_of(*words.first()?);
        let mut begin: Vec<FunctionId> = threads.others.iter().filter_map(began).collect();
        begin.sort_unstable();
        begin.dedup();
        begin.retain(|_| threads.are_all_known && !threads.is_started);
        Some(Others { begin, is_started: threads.is_started, writers: FxHashMap::default() })
    }

    /// A number is stored at an address.
    pub(super) fn note_store(&mut self, address: u64, bits: u32, number: u128, at: Option<Origin>) {
        let Some(Stores(stores)) = &mut self.stores else { return };
        if let Some(store) = stores.get_mut(&(address, bits, number)) {
            // Which of several statements the value is from, nobody knows.
            *store = Some(at.filter(|_| store.is_none_or(|before| before == at)));
        }
    }
}

/// Finds where the values of a trace were written that other threads wrote.
pub(crate) fn find_writers(
    program: &Program,
    analysis: &Analysis,
    recorded: &Recorded,
    trace: &mut Trace,
    budget: &Budget,
) {
    let (Some(threads), Some(mut others)) = (&recorded.threads, trace.others.take()) else { return };
    let wanted = trace.steps.iter().filter(|step| step.kind == Kind::Thread).filter_map(|step| {
        let Action::Assign { to, after, .. } = step.action else { return None };
        let variable = &trace.variables[to.0 as usize];
        Some(((to, after), (variable.address?, variable.bits, after)))
    });
    let wanted: Vec<Wanted> = wanted.take(MOST).collect();
    if !wanted.is_empty() {
        let budget = budget.share(OF_THE_TIME);
        for (words, is_first) in &threads.others {
            look_in(program, analysis, recorded, (words, *is_first), &wanted, &mut others, &budget);
        }
    }
    trace.others = Some(others);
}

fn look_in(
    program: &Program,
    analysis: &Analysis,
    recorded: &Recorded,
    (words, is_first): (&[u64], bool),
    wanted: &[Wanted],
    others: &mut Others,
    budget: &Budget,
) {
    let threads = Some(Threads { is_started: !is_first, ..Threads::default() });
    let of_thread = Recorded { words, threads, ..recorded.clone() };
    let mut walker = Walker::new(program, analysis, &of_thread, budget);
    let Some(began) = words.first().and_then(|word| walker.entry_of(*word)) else { return };
    walker.stores = Some(Stores(wanted.iter().map(|(_, store)| (*store, None)).collect()));
    let (bits, layout) = (Bits::new(0), Arc::new(Layout::new(program)));
    let pages = Pages::new(&of_thread);
    walker.following =
        Following::Slice(Box::new(Kept { bits, facts: None, at: 0, pages, layout, scratch: Terms::new() }));
    // What was found before it could not be followed any further stands.
    let _ = walker.run();
    let Some(Stores(stores)) = walker.stores else { return };
    for (read, store) in wanted {
        if let Some(Some(at)) = stores.get(store) {
            let writer = Writer { began, is_first, at: *at };
            let all = others.writers.entry(*read).or_default();
            if !all.contains(&writer) {
                all.push(writer);
            }
        }
    }
}
