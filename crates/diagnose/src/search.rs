//! Proposes minimal hitting sets of cores, where a proposal that is refuted brings a new core.
//!
//! A depth-first search in the manner of Murakami and Uno's MMCS: it branches on a core that is not hit yet, and gives
//! up where a chosen statement hits no core alone, since then a smaller set hits as much. Each minimal hitting set is
//! met once, so found sets need not be remembered to be avoided. A refuted proposal hits nothing of its new core;
//! neither does any set on the way to it, so the search goes on with the core as one more that is open everywhere.

use std::ops::ControlFlow;

use crate::bits::Bits;
use crate::family::Family;
use crate::limits::Watch;
use crate::oracle::{Set, Statement};

/// What becomes of a proposal.
pub(crate) enum Reply {
    /// It was taken note of.
    Seen,
    /// It does not hit this core.
    Refuted(Set),
    /// No more proposals.
    Stop,
}

/// How a search ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// There is no hitting set at all besides those proposed and their supersets.
    Exhausted,
    /// All of the given size were proposed. Larger ones may exist.
    SizeDone,
    /// The search was stopped before.
    Stopped,
}

/// What to search for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Size {
    /// Sets of exactly this size, where all smaller ones have been proposed before.
    Exactly(usize),
    /// All.
    Any,
}

/// Proposes the minimal hitting sets of a size, in increasing order of statements each.
pub(crate) fn search(
    family: &mut Family,
    size: Size,
    watch: &mut Watch,
    judge: &mut dyn FnMut(&[Statement]) -> Reply,
) -> End {
    let known = family.len();
    let root = State { open: Bits::below(known), once: Bits::default(), allowed: Bits::below(family.count()) };
    let mut search = Search { family, size, watch, judge, chosen: Vec::new(), states: vec![root], is_cut: false };
    if search.descend().is_break() {
        End::Stopped
    } else if search.is_cut || search.family.len() > known {
        // A core that came late may give room to sets that were passed over as not minimal before.
        End::SizeDone
    } else {
        End::Exhausted
    }
}

/// Where the search is after choosing some statements.
#[derive(Clone, Default)]
struct State {
    /// The cores not hit.
    open: Bits,
    /// The cores hit by one chosen statement only.
    once: Bits,
    /// The statements that may still be chosen; the others were or will be tried elsewhere.
    allowed: Bits,
}

struct Search<'a, 'w> {
    family: &'a mut Family,
    size: Size,
    watch: &'a mut Watch<'w>,
    judge: &'a mut dyn FnMut(&[Statement]) -> Reply,
    chosen: Vec<Statement>,
    /// One for each prefix of the chosen statements, and perhaps some unused ones whose memory is kept.
    states: Vec<State>,
    /// Whether something was passed over because of the size.
    is_cut: bool,
}

impl Search<'_, '_> {
    fn descend(&mut self) -> ControlFlow<()> {
        // With many cores a step takes longer.
        if self.watch.step(1 + self.family.len() as u64 / 64) {
            return ControlFlow::Break(());
        }
        let depth = self.chosen.len();
        let left = match self.size {
            Size::Exactly(size) => size - depth,
            Size::Any => usize::MAX,
        };
        if self.states[depth].open.is_empty() {
            // A smaller hitting set was proposed at its own size.
            let is_due = left == 0 || self.size == Size::Any;
            return if is_due { self.propose() } else { ControlFlow::Continue(()) };
        }
        match left {
            0 => {
                self.is_cut = true;
                ControlFlow::Continue(())
            }
            1 => self.finish(),
            _ => self.branch(left),
        }
    }

    /// Tries the statements of an open core one after the other, each without those before it.
    fn branch(&mut self, left: usize) -> ControlFlow<()> {
        let depth = self.chosen.len();
        let Some(core) = self.narrowest(left) else { return ControlFlow::Continue(()) };
        let mut options = self.family.members(core).clone();
        options.intersect(&self.states[depth].allowed);
        for option in options.iter() {
            self.states[depth].allowed.remove(option);
            if self.choose(option as Statement) {
                self.descend()?;
            }
            self.chosen.truncate(depth);
        }
        ControlFlow::Continue(())
    }

    /// Completes a set by one statement, which has to hit all open cores.
    fn finish(&mut self) -> ControlFlow<()> {
        let depth = self.chosen.len();
        let state = &self.states[depth];
        let mut options = state.allowed.clone();
        for core in state.open.iter() {
            options.intersect(self.family.members(core));
            if options.is_empty() {
                break;
            }
        }
        if !self.is_cut {
            self.is_cut = self.leads_further(&options);
        }
        let mut next = options.iter().next();
        while let Some(option) = next {
            options.remove(option);
            let known = self.family.len();
            if self.choose(option as Statement) {
                self.propose()?;
            }
            self.chosen.truncate(depth);
            if self.family.len() > known {
                options.intersect(self.family.members(known));
            }
            next = options.iter().next();
        }
        ControlFlow::Continue(())
    }

    /// Whether a statement other than these hits an open core and leaves another open.
    fn leads_further(&mut self, completing: &Bits) -> bool {
        let depth = self.chosen.len();
        let state = &self.states[depth];
        let Some(core) = state.open.iter().next() else { return false };
        let mut options = Bits::default();
        options.assign_without(self.family.members(core), completing);
        options.intersect(&state.allowed);
        options.iter().any(|option| {
            let leads = self.choose(option as Statement);
            self.chosen.truncate(depth);
            leads
        })
    }

    /// Chooses a statement; false if another chosen one is no longer needed then.
    fn choose(&mut self, statement: Statement) -> bool {
        let depth = self.chosen.len();
        self.chosen.push(statement);
        if self.states.len() == depth + 1 {
            self.states.push(State::default());
        }
        let (before, after) = self.states.split_at_mut(depth + 1);
        let (before, after) = (&before[depth], &mut after[0]);
        let hit = self.family.occurrences(statement);
        after.once.assign_without(&before.once, hit);
        let family = &self.family;
        if !self.chosen[..depth].iter().all(|&other| family.occurrences(other).meets(&after.once)) {
            return false;
        }
        after.once.add_common(&before.open, hit);
        after.open.assign_without(&before.open, hit);
        after.allowed.assign(&before.allowed);
        true
    }

    /// The open core with the fewest options; `None` if the open cores need more statements than are left.
    fn narrowest(&mut self, left: usize) -> Option<usize> {
        let state = &self.states[self.chosen.len()];
        let mut narrowest = None;
        let mut fewest = usize::MAX;
        // Cores without a common option need a statement each.
        let mut apart = 0;
        let mut used = Bits::default();
        for core in state.open.iter() {
            let members = self.family.members(core);
            let options = members.common(&state.allowed);
            if options < fewest {
                (narrowest, fewest) = (Some(core), options);
                if fewest == 0 {
                    return None;
                }
            }
            if !members.meets(&used) {
                if apart == left {
                    self.is_cut = true;
                    return None;
                }
                apart += 1;
                used.add_common(members, &state.allowed);
            }
        }
        narrowest
    }

    fn propose(&mut self) -> ControlFlow<()> {
        let mut proposal = self.chosen.clone();
        proposal.sort_unstable();
        let is_hit = |core| proposal.iter().any(|&s| self.family.members(core).contains(s as usize));
        debug_assert!((0..self.family.len()).all(is_hit), "{proposal:?} misses a core");
        match (self.judge)(&proposal) {
            Reply::Seen => ControlFlow::Continue(()),
            Reply::Stop => ControlFlow::Break(()),
            Reply::Refuted(core) => {
                debug_assert!(proposal.iter().all(|s| !core.contains(s)), "{core:?} does not refute {proposal:?}");
                let number = self.family.add(core);
                for state in &mut self.states[..=self.chosen.len()] {
                    state.open.insert(number);
                }
                ControlFlow::Continue(())
            }
        }
    }
}
