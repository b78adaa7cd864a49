//! The words of a run gone through backwards, from the failure to the beginning.

use super::elsewhere::{Side, Sides};
use super::live::{Level, Live};
use super::marks::Marks;
use super::{Bits, Log, Piece};
use crate::decision::Decisions;
use crate::model::Activation;
use crate::walk::Recorded;
use rustc_hash::FxHashMap;
use wherefore_budget::{Budget, Stop};
use wherefore_program::{
    Block, BlockId, Command, Function, FunctionId, LocalId, Operand, Operation, Place, Program, RegId, Terminator,
};

/// What a slice is for.
#[derive(Clone, Debug, Default)]
pub struct Criterion {
    /// So many conditions are followed.
    pub depth: u32,
    /// Pointers have to be explained, too.
    pub addresses: bool,
    /// Memory that has to be explained, besides what the last command uses.
    pub memory: Vec<(u64, u64)>,
    /// The same of locals without an address, by activation.
    pub locals: Vec<(u32, LocalId, u64, u64)>,
    /// Commands that are in the slice in any case.
    pub commands: Vec<usize>,
    /// What the library was given in a call that did not come back.
    pub given: Vec<u64>,
    /// The last command is a call that came back.
    pub came_back: bool,
    /// So many executions of a command are followed, the last ones; all if there is none.
    pub rounds: Option<u32>,
}

/// The commands that a failure can depend on.
pub struct Slice {
    pub kept: Bits,
    /// Stores among them that are facts of the run: what they set is not followed.
    pub facts: Option<Bits>,
    /// How many there are at each level.
    counts: [usize; 256],
    /// Conditions that are further away are in it, but not what they come from.
    pub depth: Option<u32>,
}

impl Slice {
    /// How many commands there are.
    pub fn len(&self) -> usize {
        self.counts.iter().sum()
    }

    /// How far conditions can be followed with so many commands.
    pub fn depth_within(&self, most: usize) -> u32 {
        let mut count = 0;
        let levels = (0..=Level::FARTHEST).take_while(|depth| {
            count += self.counts[Level::explained(Level::FARTHEST - depth).index()];
            count <= most
        });
        levels.last().unwrap_or(0)
    }
}

/// Finds the commands that the last one of a run depends on.
///
/// # Errors
/// When the budget is over.
pub fn slice<'p>(
    program: &Program,
    recorded: &Recorded,
    decisions: &[Decisions],
    activations: &[Activation],
    (log, sides): (&Log<'p>, &mut Sides<'p>),
    criterion: &Criterion,
    budget: &Budget,
) -> Result<Slice, Stop> {
    let mut commands = criterion.commands.clone();
    commands.push(log.commands.saturating_sub(1));
    commands.sort_unstable();
    let mut backwards = Backwards {
        program,
        words: recorded.words,
        decisions,
        activations,
        log,
        criterion,
        sides,
        kept: Bits::new(log.commands),
        facts: criterion.rounds.map(|_| Bits::new(log.commands)),
        executions: FxHashMap::default(),
        decided: FxHashMap::default(),
        top: Level::explained(criterion.depth),
        counts: [0; 256],
        is_cut: false,
        memory: Live::default(),
        frames: FxHashMap::default(),
        commands,
        given: log.given.len(),
        elsewhere: log.elsewhere.len(),
        entered: None,
        unplaced: FxHashMap::default(),
    };
    backwards.begin();
    for index in (0..log.pieces.len()).rev() {
        budget.check()?;
        backwards.piece(index);
    }
    let Backwards { kept, facts, counts, is_cut, .. } = backwards;
    Ok(Slice { kept, facts, counts, depth: is_cut.then_some(criterion.depth) })
}

/// What is known of an activation from what it does later.
#[derive(Default)]
pub(super) struct Frame {
    /// Registers by number.
    pub(super) registers: Vec<Level>,
    /// Bytes of locals without an address.
    pub(super) locals: Live,
    /// The block it was in last.
    pub(super) block: Option<(FunctionId, BlockId)>,
    /// When things of the slice happen in it; see [`at`].
    pub(super) marks: Marks,
    /// When control comes to each block next, as far as that matters.
    pub(super) arrivals: Vec<u64>,
    /// The head of the decision under way that is in the slice.
    pub(super) deciding: Option<(BlockId, Level)>,
    /// How the result of the call under way matters.
    pub(super) awaited: Level,
}

impl Frame {
    pub(super) fn is_idle(&self) -> bool {
        self.marks.is_empty()
            && self.locals.is_empty()
            && self.awaited == Level::DEAD
            && self.deciding.is_none()
            && self.registers.iter().all(|r| *r == Level::DEAD)
    }

    pub(super) fn take(&mut self, register: RegId) -> Level {
        self.registers.get_mut(register.index()).map(std::mem::take).unwrap_or_default()
    }
}

/// Moments of a piece, in their order: the values of `?:` are chosen, control arrives, its commands are executed.
pub(super) fn at(piece: usize, moment: u64) -> u64 {
    piece as u64 * 4 + moment
}

pub(super) const CHOOSES: u64 = 0;
const ARRIVES: u64 = 1;
pub(super) const EXECUTES: u64 = 2;

/// Why a decision matters: something lies under it, or its other side would set something.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Why {
    Under,
    Sets,
}

/// A function was entered: what its call has to be.
pub(super) struct Entered {
    pub(super) level: Level,
    pub(super) params: Vec<Level>,
}

pub(super) struct Backwards<'a, 'p> {
    pub(super) program: &'a Program,
    pub(super) words: &'a [u64],
    pub(super) decisions: &'a [Decisions],
    pub(super) activations: &'a [Activation],
    pub(super) log: &'a Log<'p>,
    pub(super) criterion: &'a Criterion,
    pub(super) sides: &'a mut Sides<'p>,
    pub(super) kept: Bits,
    pub(super) facts: Option<Bits>,
    /// How often each command of the program is in the slice later, and each decision for each reason.
    executions: FxHashMap<*const Command, u32>,
    decided: FxHashMap<(FunctionId, BlockId, Why), u32>,
    /// The level of the failure.
    pub(super) top: Level,
    /// How many commands there are at each level.
    pub(super) counts: [usize; 256],
    /// Some conditions are only named.
    pub(super) is_cut: bool,
    pub(super) memory: Live,
    pub(super) frames: FxHashMap<u32, Frame>,
    /// Commands that are in the slice in any case, in order; the last one comes next.
    pub(super) commands: Vec<usize>,
    /// How many of the arguments given to the outside come before.
    pub(super) given: usize,
    /// The same of what was written down of other sides.
    pub(super) elsewhere: usize,
    pub(super) entered: Option<Entered>,
    /// For sides not taken: how much what they would set of globals matters, in a state of live memory.
    pub(super) unplaced: FxHashMap<(FunctionId, BlockId, BlockId), (u64, Level)>,
}

impl Backwards<'_, '_> {
    pub(super) fn begin(&mut self) {
        for (address, size) in &self.criterion.memory {
            self.memory.add(*address, *size, self.top);
        }
        for (activation, local, offset, size) in &self.criterion.locals {
            let function = self.activations[*activation as usize].function;
            let place = self.log.layout.place(function, *local, *offset);
            self.frames.entry(*activation).or_default().locals.add(place, *size, self.top);
        }
    }

    pub(super) fn piece(&mut self, index: usize) {
        let piece = self.log.pieces[index];
        let end = self.log.pieces.get(index + 1).map_or(self.log.commands as u64, |next| next.first);
        let count = (end - piece.first) as usize;
        let Some((id, block_id)) = self.program.block(piece.block) else { return };
        let function = &self.program.functions[id.index()];
        let block = &function.blocks[block_id.index()];
        let frame = self.frames.remove(&piece.activation).unwrap_or_default();
        let mut here = Here { index, piece, id, function, block_id, block, frame };
        let first = piece.command as usize;
        let last = first + count;
        let mut offsets = Vec::with_capacity(count);
        let mut at = piece.at as usize;
        for command in &block.commands[first.min(block.commands.len())..last.min(block.commands.len())] {
            offsets.push(at);
            at += words_of(function, &command.it);
        }
        for number in (first..last).rev() {
            let ordinal = piece.first as usize + number - first;
            let is_wanted = self.commands.last() == Some(&ordinal);
            if is_wanted {
                self.commands.pop();
            }
            match block.commands.get(number) {
                None => self.terminator(&mut here, ordinal, is_wanted),
                Some(command) => {
                    let it = Executed { command: &command.it, ordinal, at: offsets[number - first], is_wanted };
                    self.command(&mut here, &it);
                }
            }
        }
        if first == 0 && !piece.resumes && !here.frame.marks.is_empty() {
            let arrivals = &mut here.frame.arrivals;
            if arrivals.len() < function.blocks.len() {
                arrivals.resize(function.blocks.len(), u64::MAX);
            }
            arrivals[block_id.index()] = self::at(index, ARRIVES);
        }
        if piece.jumped && index > 0 {
            self.jumped(&here, index);
        }
        if piece.enters {
            let params = function.params.iter().map(|p| here.frame.take(*p)).collect();
            self.entered = Some(Entered { level: here.frame.marks.own(), params });
            return;
        }
        if !here.frame.is_idle() {
            here.frame.block = Some((id, block_id));
            self.frames.insert(piece.activation, here.frame);
        }
    }

    /// Control came from other activations by a jump: all that led to it decides about what is in the slice after it.
    pub(super) fn jumped(&mut self, here: &Here, index: usize) {
        let level = here.frame.marks.before(u64::MAX);
        if level.is_dead() {
            return;
        }
        let mut left = Some(self.log.pieces[index - 1].activation);
        while let Some(activation) = left.filter(|a| *a != here.piece.activation) {
            let frame = self.frames.entry(activation).or_default();
            frame.marks.add(at(index - 1, EXECUTES), level);
            left = self.activations[activation as usize].caller;
        }
    }

    pub(super) fn terminator(&mut self, here: &mut Here, ordinal: usize, is_wanted: bool) {
        let terminator = &here.block.terminator.it;
        if let Terminator::Return(value) = terminator {
            let caller = self.activations[here.piece.activation as usize].caller;
            let caller = caller.and_then(|caller| self.frames.get_mut(&caller));
            let awaited = caller.map(|frame| std::mem::take(&mut frame.awaited)).unwrap_or_default();
            if self.sides.may_stay_open(here.id) {
                let after = self.after(here.piece.activation);
                if !after.is_dead() {
                    here.frame.marks.add_after(at(here.index, EXECUTES), after);
                }
            }
            let level = if is_wanted { self.top } else { awaited };
            if level > Level::DEAD {
                self.keep(here, ordinal, level);
                self.uses(here, value.as_ref(), level);
            }
            return;
        }
        let Some(operand) = terminator.operand() else { return };
        let next = self.log.pieces.get(here.index + 1);
        let next = next.filter(|next| next.activation == here.piece.activation && !next.jumped);
        let to = next.and_then(|next| self.program.block(next.block)).map(|(_, to)| to);
        let decisions = &self.decisions[here.id.index()];
        let Some(head) = decisions.head[here.block_id.index()] else { return };
        let is_over = to.is_none_or(|to| !decisions.is_member(head, to) || to == head);
        let level = match to {
            Some(to) if is_over => self.decides(here, head, to),
            _ => here.frame.deciding.filter(|(of, _)| *of == head).map(|(_, level)| level).unwrap_or_default(),
        };
        let level = if is_wanted { self.top } else { level };
        if is_wanted {
            here.frame.marks.add(at(here.index, EXECUTES), level);
        }
        if is_over {
            here.frame.deciding = Some((head, level)).filter(|(_, level)| !level.is_dead());
        }
        if !level.is_dead() {
            self.kept.set(ordinal);
            self.counts[level.index()] += 1;
            self.uses(here, Some(operand), level);
        }
    }

    /// How much it matters what comes after an activation, as far as a decision in it can stay open: until the ways meet of
    /// one around its call.
    pub(super) fn after(&mut self, activation: u32) -> Level {
        let frame = self.activations[activation as usize].caller.and_then(|caller| self.frames.get(&caller));
        let Some(frame) = frame.filter(|frame| !frame.marks.is_empty()) else { return Level::DEAD };
        let Some((id, block)) = frame.block else { return Level::DEAD };
        let joins = self.sides.joins_around(id, block);
        let arrivals = joins.iter().filter_map(|join| frame.arrivals.get(join.index()));
        frame.marks.before(arrivals.copied().min().unwrap_or(u64::MAX))
    }

    /// How much a decision matters: because of something of the slice that lies under it, or because its other side would
    /// set what is live.
    pub(super) fn decides(&mut self, here: &mut Here, head: BlockId, to: BlockId) -> Level {
        let join = self.decisions[here.id.index()].join[head.index()];
        let arrival = join.map_or(u64::MAX, |join| here.frame.arrivals.get(join.index()).copied().unwrap_or(u64::MAX));
        let side = self.sides.of(here.id, head, to);
        let moment = at(here.index, EXECUTES);
        let (reached, read) = self.reached(side.pointers.len());
        // Nothing lies under a check.
        if side.is_check {
            return if here.frame.marks.is_empty() { Level::DEAD } else { Level::NAMED };
        }
        let under = here.frame.marks.decide(moment, head, arrival, side.leaves);
        let through = reached.iter().map(|(at, size)| self.memory.level(*at, *size)).filter(|l| l.is_explained());
        let through = through.max().unwrap_or_default();
        let set = self.would_be_set(here, (head, to), &side).max(through).farther();
        let (under, set) =
            (self.unless_round((here.id, head, Why::Under), under), self.unless_round((here.id, head, Why::Sets), set));
        // A story asks where these pointers led to.
        if !under.max(set).is_dead() {
            read.iter().for_each(|at| self.memory.add(*at, 8, Level::NAMED));
            side.ingredients.iter().for_each(|(at, size)| here.frame.locals.add(*at, *size, Level::NAMED));
        }
        if set > under {
            here.frame.marks.add(moment, set);
        }
        self.is_cut |= under == Level::NAMED;
        under.max(set)
    }

    /// What was written down of a decision: the bytes that the side not taken would have set through pointers, and the
    /// addresses that were read to know that.
    pub(super) fn reached(&mut self, pointers: usize) -> (Vec<(u64, u64)>, Vec<u64>) {
        let Some(last) = self.elsewhere.checked_sub(1).filter(|_| pointers > 0) else { return (vec![], vec![]) };
        let count = self.log.elsewhere[last] as usize;
        let (Some(read), Some(first)) = (last.checked_sub(count), last.checked_sub(count + 2 * pointers)) else {
            return (vec![], vec![]);
        };
        self.elsewhere = first;
        let pairs = self.log.elsewhere[first..read].chunks_exact(2).map(|pair| (pair[0], pair[1]));
        (pairs.filter(|(at, _)| *at != 0).collect(), self.log.elsewhere[read..last].to_vec())
    }

    /// The highest level of what the side of a decision that was not taken would have set.
    pub(super) fn would_be_set(&mut self, here: &Here, (head, to): (BlockId, BlockId), side: &Side) -> Level {
        let explained = |level: Level| if level.is_explained() { level } else { Level::DEAD };
        let locals = &here.frame.locals;
        let mut highest = Level::DEAD;
        if !locals.is_empty() {
            highest = side.locals.iter().map(|(at, size)| locals.level(*at, *size)).max().unwrap_or_default();
        }
        for (local, offset, size) in &side.placed {
            if let Some(place) = self.log.places.get(&(here.piece.activation, *local)) {
                highest = highest.max(self.memory.level(place.wrapping_add(*offset), *size));
            }
        }
        let known = self.unplaced.get(&(here.id, head, to)).filter(|(version, _)| *version == self.memory.version);
        let of_globals = match known {
            Some((_, level)) => *level,
            None => {
                let levels = side.globals.iter().map(|(at, size)| self.memory.level(*at, *size));
                let level = levels.max().unwrap_or_default();
                self.unplaced.insert((here.id, head, to), (self.memory.version, level));
                level
            }
        };
        explained(highest.max(of_globals))
    }

    /// Whether a command that would be explained has been often enough.
    pub(super) fn is_round(&mut self, it: &Executed, level: Level) -> bool {
        let Some(most) = self.criterion.rounds.filter(|_| level.is_explained() && !it.is_wanted) else { return false };
        let executions = self.executions.entry(std::ptr::from_ref(it.command)).or_default();
        *executions += 1;
        *executions > most
    }

    /// How much a decision matters for a reason, unless it has done so often enough.
    fn unless_round(&mut self, decision: (FunctionId, BlockId, Why), level: Level) -> Level {
        let Some(most) = self.criterion.rounds.filter(|_| !level.is_dead()) else { return level };
        let times = self.decided.entry(decision).or_default();
        *times += 1;
        if *times > most { Level::DEAD } else { level }
    }

    /// A command is in the slice; what is explained, and not only named, lies under decisions.
    pub(super) fn keep(&mut self, here: &mut Here, ordinal: usize, level: Level) {
        self.kept.set(ordinal);
        self.counts[level.index()] += 1;
        if level.is_explained() {
            here.frame.marks.add(at(here.index, EXECUTES), level);
        }
    }

    /// An operand becomes live.
    pub(super) fn uses<'o>(&mut self, here: &mut Here, operands: impl IntoIterator<Item = &'o Operand>, level: Level) {
        for operand in operands {
            if let Operand::Register(register) = operand {
                let registers = &mut here.frame.registers;
                if registers.is_empty() {
                    registers.resize(here.function.registers.len(), Level::DEAD);
                }
                registers[register.index()] = registers[register.index()].max(level);
            }
        }
    }

    /// A pointer by which something of the slice is reached.
    pub(super) fn follows(&mut self, here: &mut Here, pointer: &Operand, level: Level) {
        // That it leads there is one condition further away.
        let level = if self.criterion.addresses { level.farther() } else { Level::NAMED.min(level) };
        self.uses(here, [pointer], level);
    }
}

/// A command that was executed.
pub(super) struct Executed<'a> {
    pub(super) command: &'a Command,
    pub(super) ordinal: usize,
    /// Where its words begin.
    pub(super) at: usize,
    pub(super) is_wanted: bool,
}

/// Where the way backwards is.
pub(super) struct Here<'a> {
    pub(super) index: usize,
    pub(super) piece: Piece,
    pub(super) id: FunctionId,
    pub(super) function: &'a Function,
    pub(super) block_id: BlockId,
    pub(super) block: &'a Block,
    pub(super) frame: Frame,
}

pub(super) fn value_words(bits: u32) -> usize {
    match bits {
        0 => 0,
        1..=64 => 1,
        _ => 2,
    }
}

/// How many words a recording has for a command that is no call.
fn words_of(function: &Function, command: &Command) -> usize {
    let value = |register: &RegId| value_words(function.registers[register.index()]);
    match command {
        Command::Define { target, value: Operation::Opaque { .. } } => value(target),
        Command::Load { target, place: Place::Memory(_), .. } => 1 + value(target),
        Command::Load { target, logged: true, .. } => value(target),
        Command::Store { place: Place::Memory(_), .. } => 1,
        Command::Allocate { .. } | Command::Fill { .. } => 2,
        Command::Copy { .. } => 3,
        Command::Define { .. } | Command::Load { .. } | Command::Store { .. } | Command::Call { .. } => 0,
    }
}
