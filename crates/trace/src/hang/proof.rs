//! Whether a loop goes on for ever: all that decides about its rounds is twice the same at its head.
//!
//! Between two arrivals at the head the trace is a straight line of assignments under conditions: the branches taken,
//! and the pointers and indices being what they were. If the variables on which these conditions depend, here and in
//! every repetition, have the same values at both arrivals, then what follows the second is what followed the first.
//! What code outside gives has to be the same again too; [`Outside`](super::outside) says of which calls that is known.

use super::drift;
use super::outside::{Again, Input, again, agree};
use crate::model::{Action, Kind, Step, Storage, Trace};
use crate::walk::{Mark, Outside, Walked};
use std::collections::HashSet;
use wherefore_formula::{BinaryOp, Node, TermId, VarId};
use wherefore_program::Program;

/// The arrivals at which all that matters is the same, by their numbers from 0; the earliest and nearest ones.
/// `stdin` is what standard input has, where that is known.
pub fn repeats(program: &Program, walked: &Walked, stdin: Option<&[u8]>) -> Option<(usize, usize)> {
    let last = walked.marks.len().checked_sub(1)?;
    let stdin = stdin.filter(|_| !walked.moved);
    let input = |from: usize| {
        let begin = walked.marks[from].steps;
        Input::new(stdin, &walked.calls, walked.calls.iter().filter(|c| c.on_input && c.steps >= begin).count())
    };
    let period =
        (1..=last / 2).find(|period| is_repeated(program, walked, input(last - period), last - period, last))?;
    let input = input(last - period);
    let first = (0..last - period).find(|first| is_repeated(program, walked, input, *first, first + period));
    let first = first.unwrap_or(last - period);
    Some((first, first + period))
}

/// The arrivals between which all that matters stays as it is but for numbers that move on, past what would end the loop;
/// the earliest ones.
pub fn drifts(program: &Program, walked: &Walked) -> Option<(usize, usize)> {
    let last = walked.marks.len().checked_sub(1)?;
    (0..last).find(|first| is_drifting(program, walked, *first)).map(|first| (first, first + 1))
}

/// Whether what follows a round goes the same way, since what changes in it moves on for ever.
fn is_drifting(program: &Program, walked: &Walked, round: usize) -> bool {
    let (from, to) = (walked.marks[round], walked.marks[round + 1]);
    let calls: Vec<&Outside> = walked.calls.iter().filter(|c| from.steps <= c.steps && c.steps <= to.after).collect();
    let nothing = Input::new(None, &[], 0);
    // What a function makes of other arguments is not known.
    let Some(calls) = Calls::new(&calls, nothing).map(|calls| Calls { same: HashSet::new(), ..calls }) else {
        return false;
    };
    let round = Round { program, trace: &walked.trace, from, to, calls: &calls, blocks: &walked.blocks };
    let Some(needed) = round.needed() else { return false };
    let (then, now) = (walked.trace.values_at(from.steps), walked.trace.values_at(to.after));
    let same = |v: &VarId| then[v.0 as usize].is_some() && then[v.0 as usize] == now[v.0 as usize];
    let traps = |value: TermId| round.may_trap(value);
    let drift = drift::Round { trace: &walked.trace, steps: round.steps(), values: &then, traps: &traps };
    let goes_on = |v: &VarId| round.lasts(*v) && (same(v) || drift.stays_so(*v));
    let fills_the_same = round.filled().is_some_and(|by| by.iter().all(same));
    fills_the_same && needed.iter().all(goes_on) && !needed.iter().all(same) && !calls.look_at_memory
}

/// Whether what follows the later arrival is what followed the earlier one.
fn is_repeated(program: &Program, walked: &Walked, input: Input, earlier: usize, later: usize) -> bool {
    let (from, to) = (walked.marks[earlier], walked.marks[later]);
    let calls = walked.calls.iter().filter(|c| from.steps <= c.steps && c.steps <= to.after);
    let Some(calls) = Calls::new(&calls.collect::<Vec<_>>(), input) else { return false };
    let round = Round { program, trace: &walked.trace, from, to, calls: &calls, blocks: &walked.blocks };
    let Some(needed) = round.needed() else { return false };
    let (then, now) = (walked.trace.values_at(from.steps), walked.trace.values_at(to.after));
    let same = |v: &VarId| then[v.0 as usize].is_some() && then[v.0 as usize] == now[v.0 as usize];
    if !needed.iter().all(|v| same(v) && round.lasts(*v)) {
        return false;
    }
    // What a function of the library looked at in memory is not followed: all of it has to be as it was.
    !calls.look_at_memory || round.written().iter().filter(|v| round.lasts(**v)).all(same)
}

/// What is known of the calls in a round.
struct Calls {
    /// Functions whose results are the same again.
    same: HashSet<String>,
    look_at_memory: bool,
}

impl Calls {
    /// Nothing where one of them may do anything.
    fn new(calls: &[&Outside], input: Input) -> Option<Calls> {
        let mut known = Calls { same: HashSet::new(), look_at_memory: false };
        let mut other = HashSet::new();
        let mut made = 0i64;
        for call in calls {
            match again(call, input) {
                Again::Same { looks } => {
                    known.same.insert(call.name.clone());
                    known.look_at_memory |= looks;
                }
                Again::Other => {
                    other.insert(&call.name);
                }
                Again::Makes => made += 1,
                Again::Frees => made -= 1,
                Again::Unknown => return None,
            }
        }
        known.same.retain(|name| !other.contains(name));
        (made == 0 && agree(calls)).then_some(known)
    }
}

struct Round<'a> {
    program: &'a Program,
    trace: &'a Trace,
    from: Mark,
    to: Mark,
    calls: &'a Calls,
    /// See [`Walked::blocks`].
    blocks: &'a [(usize, Option<Vec<VarId>>)],
}

impl Round<'_> {
    fn steps(&self) -> &[Step] {
        &self.trace.steps[self.from.steps..self.to.after.min(self.trace.steps.len())]
    }

    /// The variables at the beginning on which the way through this and every further round depends; nothing where it
    /// depends on what comes from outside.
    fn needed(&self) -> Option<HashSet<VarId>> {
        let mut at_end = self.filled()?;
        loop {
            let mut needed = self.before(at_end.clone())?;
            needed.extend(&at_end);
            if needed == at_end {
                return Some(needed);
            }
            at_end = needed;
        }
    }

    /// What says where and how much memory the round fills and copies; nothing where that cannot be followed.
    fn filled(&self) -> Option<HashSet<VarId>> {
        let inside = self.blocks.iter().filter(|(at, _)| self.from.steps <= *at && *at <= self.to.after);
        let read: Vec<&Vec<VarId>> = inside.map(|(_, read)| read.as_ref()).collect::<Option<_>>()?;
        let read: HashSet<VarId> = read.into_iter().flatten().copied().collect();
        read.iter().all(|v| self.lasts(*v)).then_some(read)
    }

    /// What is needed before the round, when this is needed after it.
    fn before(&self, mut needed: HashSet<VarId>) -> Option<HashSet<VarId>> {
        let terms = &self.trace.terms;
        for step in self.steps().iter().rev() {
            match &step.action {
                Action::If(branch) => {
                    let branch = &self.trace.branches[branch.index()];
                    let conditions = branch.addresses.iter().chain([&branch.condition]);
                    conditions.for_each(|t| needed.extend(terms.variables(*t)));
                }
                Action::EndIf(_) => {}
                Action::Assign { to, value, addresses, before, after, .. } => {
                    let is_needed = needed.remove(to);
                    if is_needed
                        && matches!(step.kind, Kind::Havoc | Kind::Thread)
                        && !self.is_the_same_again(*to, *before == Some(*after))
                    {
                        return None;
                    }
                    if is_needed || self.may_trap(*value) {
                        needed.extend(terms.variables(*value));
                    }
                    addresses.iter().for_each(|t| needed.extend(terms.variables(*t)));
                }
            }
        }
        Some(needed)
    }

    /// Whether what code outside sets a variable to is the same in every round.
    fn is_the_same_again(&self, variable: VarId, is_unchanged: bool) -> bool {
        match &self.trace.variables[variable.0 as usize].storage {
            Storage::External { callee, .. } => self.calls.same.contains(callee),
            // The calls in the round write no memory: what changes it is not known.
            _ => is_unchanged,
        }
    }

    /// Whether a value has a division in it that may end the program for other values.
    fn may_trap(&self, value: TermId) -> bool {
        let terms = &self.trace.terms;
        terms.reachable(&[value]).into_iter().any(|part| match terms.node(part) {
            Node::Binary(BinaryOp::UDiv | BinaryOp::URem, _, by) => terms.constant(*by).is_none(),
            // The least number divided by -1 has no place in its type.
            Node::Binary(BinaryOp::SDiv | BinaryOp::SRem, _, by) => {
                terms.constant(*by).is_none_or(|by_value| by_value == u128::MAX >> (128 - terms.width(*by)))
            }
            _ => false,
        })
    }

    /// Whether a variable is one of before the round, with a value that the program gave it or found there.
    fn lasts(&self, variable: VarId) -> bool {
        match self.trace.variables[variable.0 as usize].storage {
            Storage::Local { activation, local, .. } => {
                let function = self.trace.activations[activation as usize].function;
                let declared = &self.program.functions[function.index()].locals[local.index()];
                let is_old = (activation as usize) < self.from.activations;
                is_old && (declared.param.is_some() || self.is_set_before(variable))
            }
            Storage::Heap { object, .. } => (object as usize) < self.from.objects,
            Storage::Global { .. } | Storage::Foreign { .. } => true,
            Storage::Result { .. }
            | Storage::External { .. }
            | Storage::Saved { .. }
            | Storage::Choice { .. }
            | Storage::Size { .. }
            | Storage::Unset { .. }
            | Storage::Freed { .. } => self.is_set_before(variable),
        }
    }

    fn is_set_before(&self, variable: VarId) -> bool {
        let sets = |s: &Step| matches!(s.action, Action::Assign { to, .. } if to == variable);
        self.trace.steps[..self.from.steps.min(self.trace.steps.len())].iter().any(sets)
    }

    /// What the round assigns.
    fn written(&self) -> HashSet<VarId> {
        self.steps().iter().filter_map(drift::target).collect()
    }
}
