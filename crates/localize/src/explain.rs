//! The explanation of a failure: the three encodings of Christ et al. 2013.

use crate::check::{Checked, Reading, check};
use crate::intervals::widen;
use crate::invariant::Sequence;
use crate::precondition::complete;
use crate::reason::Reasoner;
use crate::recursive::recursive;
use crate::story::{StoryStep, story};
use crate::walk::{Goal, Mode, Reach, Split, walk, walk_as_far};
use wherefore_budget::Budget;
use wherefore_formula::TermId;
use wherefore_program::{Note, Program};
use wherefore_solver::Backend;
use wherefore_trace::{BranchId, Calls, Failure, FailureKind, Trace};

/// How the trace becomes a formula.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// Every step happens.
    Trace,
    /// Algorithm 1: recursive calls explain conditions.
    Recursive,
    /// Algorithm 2: steps under conditions, with frames.
    FlowSensitive,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// The encoding.
    pub encoding: Encoding,
    /// Whether to explain why pointers pointed where they did.
    pub addresses: bool,
    /// How far conditions are followed; all the way where nothing is said.
    pub reach: Option<Reach>,
    /// Where the recorded state is looked at.
    pub split: Split,
    /// The backend that searches; the other one checks.
    pub backend: Backend,
    /// When to stop.
    pub budget: Budget,
}

/// A story and what is known about it.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// What must hold at the start.
    pub precondition: Vec<TermId>,
    /// The steps, the failure last.
    pub steps: Vec<StoryStep>,
    /// Whether the other backend agrees.
    pub checked: Checked,
    /// What stays unknown.
    pub notes: Vec<Note>,
    /// What was explained; where the time was up its beginning is as far back as the walk came.
    pub goal: Goal,
    /// Whether the story goes back as far as it should.
    pub whole: bool,
    /// The conditions that the run went by and that are taken for granted, in order.
    pub granted: Vec<BranchId>,
    /// Number of questions asked to the solver.
    pub asked: usize,
}

/// Nested calls that are told when the stack overflows.
const TOLD_CALLS: usize = 8;
/// One question may cost this many conflicts before it counts as unknown.
const CONFLICTS: u64 = 20_000;

/// The share of the time that the walk may take: what it finds is to be checked, too.
const OF_THE_WALK: f64 = 0.75;

/// Explain the failure of a trace. `None` when there is none, or the time is up.
pub fn explain(program: &Program, trace: &mut Trace, options: &Options) -> Option<Explanation> {
    let failure = trace.failure.clone()?;
    let options = &within_the_trace(trace, options);
    let start = beginning(trace, &failure);
    let mut goal = Goal {
        start,
        end: trace.steps.len(),
        formula: failure.violated,
        assumes: failure.assumes.clone(),
        addresses: failure.addresses.clone(),
        scope: failure.scope,
    };
    let mut reasoner = Reasoner::new(options.backend, Some(CONFLICTS), &options.budget.share(OF_THE_WALK));
    let mut notes = vec![];
    if start > 0 {
        let nested = callers(trace, &failure).count();
        let message = format!("only the last {TOLD_CALLS} of {nested} nested calls are explained");
        notes.push(Note { at: failure.at, message });
    }
    let mut sequences = sequences(program, trace, &mut goal, options, &mut reasoner, &mut notes)?.into_iter();

    let reading = if options.encoding == Encoding::FlowSensitive { Reading::Guarded } else { Reading::Plain };
    let mut second = Reasoner::independent(options.backend.other(), &options.budget);
    let mut sequence = sequences.next()?;
    let mut checked = check(program, trace, &goal, &sequence, reading, &mut second);
    for other in sequences {
        if checked == Checked::Yes || second.expired() {
            break;
        }
        let opinion = check(program, trace, &goal, &other, reading, &mut second);
        if opinion == Checked::Yes || matches!(checked, Checked::No(_)) {
            (sequence, checked) = (other, opinion);
        }
    }
    let mut precondition = sequence.initial.atoms.clone();
    // Of a long run nothing is said about other inputs: what may end the program is taken not to.
    let is_long = trace.calls == Calls::Return || options.reach.is_some();
    // Nor where other threads, or handlers of signals, may do something else then.
    let is_long = is_long || trace.others.is_some() || trace.is_interrupted;
    if options.encoding == Encoding::FlowSensitive && !options.addresses && !is_long {
        let (atoms, more) = complete(program, trace, &goal, &sequence, &mut reasoner, &mut second);
        precondition = atoms;
        if checked == Checked::Yes {
            checked = more;
        }
    }

    let flow = options.encoding != Encoding::Trace;
    let at = (failure.at, failure.activation);
    let steps = story(trace, &goal, at, &sequence, flow, &mut reasoner);
    let asked = reasoner.asked + second.asked;
    let whole = goal.start == start;
    let granted = sequence.granted.into_iter().collect();
    Some(Explanation { precondition, steps, checked, notes, goal, whole, granted, asked })
}

/// What decided conditions that are far away need not be in the trace of a long run.
fn within_the_trace(trace: &Trace, options: &Options) -> Options {
    let Some(most) = trace.depth else { return options.clone() };
    let asked = options.reach.unwrap_or(Reach::to(most));
    Options { reach: Some(Reach { depth: asked.depth.min(most), ..asked }), ..options.clone() }
}

/// The activations that are on the stack where a run fails, the innermost first.
fn callers<'t>(trace: &'t Trace, failure: &Failure) -> impl Iterator<Item = u32> + 't {
    std::iter::successors(Some(failure.activation), |a| trace.activations.get(*a as usize)?.caller)
}

/// Where the story begins. A stack that overflows does so by thousands of calls that all say the same: the last ones
/// are enough.
fn beginning(trace: &Trace, failure: &Failure) -> usize {
    match callers(trace, failure).nth(TOLD_CALLS).filter(|_| failure.kind == FailureKind::Stack) {
        Some(outer) => trace.steps.iter().position(|s| s.activation > outer).unwrap_or(0),
        None => 0,
    }
}

/// Sequences that may explain the failure, the shortest first. The goal begins where they do.
fn sequences(
    program: &Program,
    trace: &mut Trace,
    goal: &mut Goal,
    options: &Options,
    reasoner: &mut Reasoner,
    notes: &mut Vec<Note>,
) -> Option<Vec<Sequence>> {
    let mode =
        |flow, assume| Mode { flow, assume, addresses: options.addresses, reach: options.reach, split: options.split };
    if options.encoding == Encoding::Recursive {
        let mut inner = |trace: &mut Trace, goal: &Goal| {
            let found = walk(program, trace, goal, mode(false, false), reasoner, notes)?;
            Some(widen(trace, goal, found, reasoner))
        };
        return recursive(trace, goal, &mut inner).map(|found| vec![found]);
    }
    let flow = options.encoding == Encoding::FlowSensitive;
    let (found, start) = walk_as_far(program, trace, goal, mode(flow, !flow), reasoner, notes);
    goal.start = start;
    let wide = widen(trace, goal, found.clone(), reasoner);
    // What is left out may have been the reason why a branch was taken.
    Some(if flow && wide != found { vec![wide, found] } else { vec![wide] })
}

#[cfg(test)]
mod tests;
