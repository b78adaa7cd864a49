//! Watching a loop: where its rounds begin in the trace, and what code outside is called in them.

use super::open::Open;
use super::{Analysis, Recorded, Stopped, WalkError, Walker};
use crate::builder::{Facts, Value};
use crate::failure::{self, Found};
use crate::model::{Branch, BranchId, Failure, FailureKind, Trace};
use wherefore_budget::Budget;
use wherefore_case::Expected;
use wherefore_clib::{self as clib, Channel};
use wherefore_formula::{Node, Sort, TermId, VarId};
use wherefore_program::{BlockId, Origin, Program};

/// A loop of one activation.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    pub activation: u32,
    pub head: BlockId,
}

/// What was seen of the loop that is watched.
#[derive(Clone, Debug)]
pub struct Rounds {
    of: Loop,
    /// Where each round begins, as a number of steps, and how many objects there were.
    begun: Vec<Mark>,
    /// Calls of code outside the program, since the loop was entered.
    calls: Vec<Outside>,
    /// The blocks of its function that each round goes through.
    ways: Vec<Vec<BlockId>>,
    /// Whether the program has put standard input elsewhere, taken it back to before its end or replaced it.
    moved: bool,
    /// See [`Walked::blocks`].
    blocks: Vec<(usize, Option<Vec<VarId>>)>,
}

/// The state of the trace at the beginning of a round.
#[derive(Copy, Clone, Debug)]
pub struct Mark {
    /// Number of steps before it.
    pub steps: usize,
    /// Number of steps before it with those that follow at once.
    pub after: usize,
    /// Number of objects.
    pub objects: usize,
    /// Number of activations.
    pub activations: usize,
}

/// A call of a function outside the program.
#[derive(Clone, Debug)]
pub struct Outside {
    pub name: String,
    /// What it returned.
    pub result: u128,
    /// Width of that; 0 where it returns nothing.
    pub bits: u32,
    /// The text that says what it reads, where it is a constant of the program.
    pub format: Option<String>,
    /// It reads standard input, or asks about it.
    pub on_input: bool,
    /// Number of steps before it.
    pub steps: usize,
}

/// A trace that ends where a round begins, and where its rounds begin.
pub struct Walked {
    pub trace: Trace,
    /// What is known of the decision that fails.
    pub kept: Kept,
    /// The beginnings of the rounds in its steps; the last one is where the words end.
    pub marks: Vec<Mark>,
    pub calls: Vec<Outside>,
    /// The blocks of its function that each round goes through; the last one has only begun.
    pub ways: Vec<Vec<BlockId>>,
    /// Whether standard input is not read from its beginning to its end.
    pub moved: bool,
    /// What says where and how much memory is filled, copied or made on the stack, with the number of steps before;
    /// nothing where that is not known.
    pub blocks: Vec<(usize, Option<Vec<VarId>>)>,
}

/// Why a round was not the last one.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// The decision could have left the loop itself.
    pub exits: bool,
    /// It could not have gone otherwise with the texts that the library was given, whatever else there is.
    pub by_texts: bool,
    /// Other decisions of the round that could have left the loop, in their order: what would have, and the place.
    pub others: Vec<(TermId, Option<Origin>)>,
}

impl Rounds {
    pub fn new(of: Loop) -> Rounds {
        Rounds { of, begun: vec![], calls: vec![], ways: vec![], moved: false, blocks: vec![] }
    }
}

/// Walk words that end where a round of a loop begins. `fails`: why the round was not the last one becomes the failure.
pub fn walk_rounds(
    analysis: &Analysis,
    program: &Program,
    recorded: &Recorded,
    of: Loop,
    fails: bool,
    budget: &Budget,
) -> Result<Walked, WalkError> {
    let mut walker = Walker::new(program, analysis, recorded, budget);
    walker.rounds = Some(Rounds::new(of));
    walker.run()?;
    let Rounds { begun, calls, ways, moved, blocks, .. } = walker.rounds.take().expect("set above");
    let mut kept = Kept::default();
    if fails && walker.failed.is_none() {
        let (found, known) = another_round(&mut walker, of, begun.iter().rev().nth(1).map_or(0, |m| m.steps));
        (walker.failed, kept) = (Some(found), known);
    }
    let place = |mark: Mark| {
        let (steps, after) = walker.build.placed_at(mark.steps);
        Mark { steps, after, ..mark }
    };
    let marks = begun.into_iter().map(place).collect();
    let calls = calls.into_iter().map(|c| Outside { steps: walker.build.placed_at(c.steps).0, ..c }).collect();
    let blocks = blocks.into_iter().map(|(steps, read)| (walker.build.placed_at(steps).0, read)).collect();
    let trace = failure::finish(walker, Stopped::Limit, &Expected::default());
    Ok(Walked { trace, kept, marks, calls, ways, moved, blocks })
}

/// The round that is over has not left the loop: by the last decision in it that could have, else by one on the way to
/// such a decision; rather by one that leads on than by one that ends the program.
fn another_round(walker: &mut Walker, of: Loop, began: usize) -> (Found, Kept) {
    let frame = walker.frames.last().filter(|f| f.activation == of.activation);
    let flow = frame.map(|f| &walker.flows[f.function.index()]);
    let is_inside = |b: BlockId| flow.is_some_and(|flow| flow.loops[b.index()].contains(&of.head));
    let open = || {
        let opened = frame.into_iter().flat_map(|f| f.open.innermost());
        opened.take_while(|o| walker.branches[o.branch.index()].start >= began)
    };
    let decides = |o: &&Open| o.head.is_some_and(is_inside);
    let exits = |o: &&Open| {
        let decisions = frame.map(|f| &walker.decisions[f.function.index()]);
        let ways = o.head.zip(flow).zip(decisions).map(|((head, flow), d)| d.exits(flow, head)).unwrap_or_default();
        ways.into_iter().any(|way| !is_inside(way))
    };
    let leads_on = |o: &&Open| decides(o) && !o.fails && !o.leaves;
    let best = (open().filter(leads_on).find(exits))
        .or_else(|| open().find(leads_on))
        .or_else(|| open().filter(decides).find(|o| !o.fails))
        .or_else(|| open().find(decides))
        .or_else(|| open().next());
    let is_exit = best.as_ref().is_some_and(exits);
    let chosen = best.map(|o| o.branch);
    let others = open().filter(|o| Some(o.branch) != chosen).filter(leads_on).filter(exits);
    let mut others: Vec<BranchId> = others.map(|o| o.branch).collect();
    others.reverse();
    let Some(branch) = chosen.map(|b| walker.branches[b.index()].clone()) else {
        return (plain(walker), Kept::default());
    };
    let mut kept = Kept { exits: is_exit, by_texts: false, others: vec![] };
    for other in others {
        let Branch { condition, at, .. } = walker.branches[other.index()];
        kept.others.push((walker.build.terms.not(condition), at));
    }
    kept.by_texts = branch.reasons.iter().all(|(held, _)| branch.addresses.contains(held));
    let failure = Failure {
        kind: FailureKind::Timeout,
        violated: branch.condition,
        assumes: branch.assumes.into(),
        addresses: branch.addresses.into(),
        at: branch.at,
        activation: branch.activation,
        scope: branch.parent,
        decision: branch.decision.map(|head| (head, branch.taken)),
        message: String::new(),
    };
    (Found { failure, steps: branch.start }, kept)
}

/// The run goes on where nothing decides about it.
fn plain(walker: &mut Walker) -> Found {
    let frame = walker.frames.last();
    let at = frame.and_then(|f| {
        let block = &walker.program.functions[f.function.index()].blocks[f.block.index()];
        block.commands.get(f.command).and_then(|c| c.at).or(block.terminator.at)
    });
    let failure = Failure {
        kind: FailureKind::Timeout,
        violated: walker.build.terms.truth(true),
        assumes: vec![],
        addresses: vec![],
        at,
        activation: frame.map_or(0, |f| f.activation),
        scope: frame.and_then(|f| f.scope),
        decision: None,
        message: String::new(),
    };
    Found { failure, steps: walker.build.steps.len() }
}

/// Walk words up to where they end, where the run waits or is still at work.
pub fn walk_to_the_end(
    analysis: &Analysis,
    program: &Program,
    recorded: &Recorded,
    budget: &Budget,
) -> Result<Trace, WalkError> {
    let mut walker = Walker::new(program, analysis, recorded, budget);
    walker.run()?;
    if walker.failed.is_none() {
        walker.failed = Some(plain(&mut walker));
    }
    Ok(failure::finish(walker, Stopped::Limit, &Expected::default()))
}

impl Walker<'_> {
    /// Control has arrived in a block of the top frame.
    pub(super) fn watch_round(&mut self, to: BlockId) {
        let Some(of) = self.rounds.as_ref().map(|r| r.of) else { return };
        if self.frames.last().is_none_or(|f| f.activation != of.activation) {
            return;
        }
        if to == of.head {
            self.mark();
        }
        if let Some(way) = self.rounds.as_mut().and_then(|r| r.ways.last_mut()) {
            way.push(to);
        }
    }

    /// A block of memory is filled or copied: where and how much decides what is changed, if no cell of it is known yet.
    pub(super) fn round_uses(&mut self, given: Option<&[Value]>) {
        let Some(rounds) = self.rounds.as_mut().filter(|r| !r.begun.is_empty()) else { return };
        let read = |values: &[Value]| values.iter().flat_map(|v| self.build.terms.variables(v.term)).collect();
        let read = given.map(read);
        rounds.blocks.push((self.build.steps.len(), read));
    }

    /// Code outside the program has been called.
    pub(super) fn round_calls(&mut self, name: &str, given: &[Value], bits: u32, result: u128) {
        let Some(has_begun) = self.rounds.as_ref().map(|r| !r.begun.is_empty()) else { return };
        let function = clib::function(name);
        let moves = function.and_then(|f| f.moves).is_some_and(|what| self.is_input(what, given));
        self.rounds.as_mut().expect("seen above").moved |= moves;
        if !has_begun {
            return;
        }
        let steps = self.build.steps.len();
        let from = function.and_then(|f| f.reads_input.or(f.handle.map(Channel::Stream)));
        let on_input = from.is_some_and(|from| self.is_input(from, given));
        let scanned = function.and_then(|f| f.scanned_from()).and_then(|first| first.checked_sub(1));
        let format = scanned.and_then(|f| given.get(f)).and_then(|v| self.build.constant_text(v.concrete as u64));
        let call = Outside { name: name.to_string(), result, bits, format, on_input, steps };
        self.rounds.as_mut().expect("seen above").calls.push(call);
    }

    /// Where a condition of a loop can only go one way with the texts that the library was given: what is held fast of
    /// these. Pointers and indices are held fast too, but do not decide; what is compared of a text are bytes.
    pub(super) fn texts_held(&self, facts: &Facts) -> Vec<TermId> {
        if self.rounds.is_none() {
            return vec![];
        }
        let terms = &self.build.terms;
        let is_wide = |part: TermId| match terms.node(part) {
            Node::Eq(left, _) => terms.sort(*left) != Sort::Bits(8),
            _ => false,
        };
        let is_text = |held: &&TermId| !terms.reachable(&[**held]).into_iter().any(is_wide);
        facts.addresses.iter().filter(is_text).copied().collect()
    }

    /// Whether a call with these arguments uses standard input.
    fn is_input(&self, channel: Channel, given: &[Value]) -> bool {
        match channel {
            Channel::Standard => true,
            Channel::Error => false,
            Channel::Stream(argument) => given.get(argument).is_some_and(|v| self.is_stream(v, "stdin")),
            Channel::Descriptor(argument) => given.get(argument).is_some_and(|v| v.concrete == 0),
        }
    }

    fn mark(&mut self) {
        let steps = self.build.steps.len();
        let (objects, activations) = (self.build.memory.objects.len(), self.activations.len());
        if let Some(rounds) = &mut self.rounds {
            rounds.begun.push(Mark { steps, after: steps, objects, activations });
            rounds.ways.push(vec![]);
        }
    }
}
