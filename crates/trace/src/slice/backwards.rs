//! The words of a run gone through backwards, from the failure to the beginning.

use super::elsewhere::{Side, Sides};
use super::live::{Level, Live};
use super::marks::Marks;
use super::{Bits, Log, Piece};
use crate::decision::Decisions;
use crate::model::Activation;
use crate::walk::{Recorded, SEEN, SEEN_END};
use rustc_hash::FxHashMap;
use wherefore_budget::{Budget, Stop};
use wherefore_clib::{self as clib, Function as Known, Gives, Judge};
use wherefore_program::{
    Block, BlockId, Callee, Command, Function, FunctionId, LocalId, Operand, Operation, Place, Program, RegId,
    Terminator,
};

/// Memory behind a pointer that a call of the library was given, of which it is not known how much matters.
const BEHIND: u64 = 512;
/// Addresses below this point to nothing.
const NULL_PAGE: u64 = 4096;

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
}

/// The commands that a failure can depend on.
pub struct Slice {
    pub kept: Bits,
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
    let Backwards { kept, counts, is_cut, .. } = backwards;
    Ok(Slice { kept, counts, depth: is_cut.then_some(criterion.depth) })
}

/// What is known of an activation from what it does later.
#[derive(Default)]
struct Frame {
    /// Registers by number.
    registers: Vec<Level>,
    /// Bytes of locals without an address.
    locals: Live,
    /// The block it was in last.
    block: Option<(FunctionId, BlockId)>,
    /// When things of the slice happen in it; see [`at`].
    marks: Marks,
    /// When control comes to each block next, as far as that matters.
    arrivals: Vec<u64>,
    /// The head of the decision under way that is in the slice.
    deciding: Option<(BlockId, Level)>,
    /// How the result of the call under way matters.
    awaited: Level,
}

impl Frame {
    fn is_idle(&self) -> bool {
        self.marks.is_empty()
            && self.locals.is_empty()
            && self.awaited == Level::DEAD
            && self.deciding.is_none()
            && self.registers.iter().all(|r| *r == Level::DEAD)
    }

    fn take(&mut self, register: RegId) -> Level {
        self.registers.get_mut(register.index()).map(std::mem::take).unwrap_or_default()
    }
}

/// Moments of a piece, in their order: the values of `?:` are chosen, control arrives, its commands are executed.
fn at(piece: usize, moment: u64) -> u64 {
    piece as u64 * 4 + moment
}

const CHOOSES: u64 = 0;
const ARRIVES: u64 = 1;
const EXECUTES: u64 = 2;

/// A function was entered: what its call has to be.
struct Entered {
    level: Level,
    params: Vec<Level>,
}

struct Backwards<'a, 'p> {
    program: &'a Program,
    words: &'a [u64],
    decisions: &'a [Decisions],
    activations: &'a [Activation],
    log: &'a Log<'p>,
    criterion: &'a Criterion,
    sides: &'a mut Sides<'p>,
    kept: Bits,
    /// The level of the failure.
    top: Level,
    /// How many commands there are at each level.
    counts: [usize; 256],
    /// Some conditions are only named.
    is_cut: bool,
    memory: Live,
    frames: FxHashMap<u32, Frame>,
    /// Commands that are in the slice in any case, in order; the last one comes next.
    commands: Vec<usize>,
    /// How many of the arguments given to the outside come before.
    given: usize,
    /// The same of what was written down of other sides.
    elsewhere: usize,
    entered: Option<Entered>,
    /// For sides not taken: how much what they would set of globals matters, in a state of live memory.
    unplaced: FxHashMap<(FunctionId, BlockId, BlockId), (u64, Level)>,
}

impl Backwards<'_, '_> {
    fn begin(&mut self) {
        for (address, size) in &self.criterion.memory {
            self.memory.add(*address, *size, self.top);
        }
        for (activation, local, offset, size) in &self.criterion.locals {
            let function = self.activations[*activation as usize].function;
            let place = self.log.layout.place(function, *local, *offset);
            self.frames.entry(*activation).or_default().locals.add(place, *size, self.top);
        }
    }

    fn piece(&mut self, index: usize) {
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
    fn jumped(&mut self, here: &Here, index: usize) {
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

    fn terminator(&mut self, here: &mut Here, ordinal: usize, is_wanted: bool) {
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
        if is_over {
            here.frame.deciding = Some((head, level)).filter(|(_, level)| !level.is_dead());
        }
        let level = if is_wanted { self.top } else { level };
        if !level.is_dead() {
            self.kept.set(ordinal);
            self.counts[level.index()] += 1;
            self.uses(here, Some(operand), level);
        }
    }

    /// How much it matters what comes after an activation, as far as a decision in it can stay open: until the ways meet of
    /// one around its call.
    fn after(&mut self, activation: u32) -> Level {
        let frame = self.activations[activation as usize].caller.and_then(|caller| self.frames.get(&caller));
        let Some(frame) = frame.filter(|frame| !frame.marks.is_empty()) else { return Level::DEAD };
        let Some((id, block)) = frame.block else { return Level::DEAD };
        let joins = self.sides.joins_around(id, block);
        let arrivals = joins.iter().filter_map(|join| frame.arrivals.get(join.index()));
        frame.marks.before(arrivals.copied().min().unwrap_or(u64::MAX))
    }

    /// How much a decision matters: because of something of the slice that lies under it, or because its other side would
    /// set what is live.
    fn decides(&mut self, here: &mut Here, head: BlockId, to: BlockId) -> Level {
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
    fn reached(&mut self, pointers: usize) -> (Vec<(u64, u64)>, Vec<u64>) {
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
    fn would_be_set(&mut self, here: &Here, (head, to): (BlockId, BlockId), side: &Side) -> Level {
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

    /// A command is in the slice; what is explained, and not only named, lies under decisions.
    fn keep(&mut self, here: &mut Here, ordinal: usize, level: Level) {
        self.kept.set(ordinal);
        self.counts[level.index()] += 1;
        if level.is_explained() {
            here.frame.marks.add(at(here.index, EXECUTES), level);
        }
    }

    /// An operand becomes live.
    fn uses<'o>(&mut self, here: &mut Here, operands: impl IntoIterator<Item = &'o Operand>, level: Level) {
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
    fn follows(&mut self, here: &mut Here, pointer: &Operand, level: Level) {
        // That it leads there is one condition further away.
        let level = if self.criterion.addresses { level.farther() } else { Level::NAMED.min(level) };
        self.uses(here, [pointer], level);
    }

    fn command(&mut self, here: &mut Here, it: &Executed) {
        let wanted = if it.is_wanted { self.top } else { Level::DEAD };
        if it.is_wanted {
            self.keep(here, it.ordinal, self.top);
            self.uses(here, it.command.operands(), self.top);
        }
        match it.command {
            Command::Define { target, value } => self.defines(here, it, *target, value, wanted),
            Command::Load { target, place, .. } => {
                let level = here.frame.take(*target).max(wanted);
                if level == Level::DEAD {
                    return;
                }
                self.keep(here, it.ordinal, level);
                let size = u64::from(here.function.registers[target.index()].div_ceil(8));
                match place {
                    Place::Local(local, offset) => {
                        let place = self.log.layout.place(here.id, *local, *offset);
                        here.frame.locals.add(place, size, level);
                    }
                    Place::Memory(pointer) => {
                        if let Some(address) = self.words.get(it.at).filter(|_| !it.is_wanted) {
                            self.memory.add(*address, size, level);
                        }
                        self.follows(here, pointer, level);
                        if level.is_explained() && self.is_of_table(here.id, pointer) {
                            self.uses(here, [pointer], level);
                        }
                    }
                }
            }
            Command::Store { place, value, bits } => {
                let size = u64::from(bits.div_ceil(8));
                let level = match place {
                    Place::Local(local, offset) => {
                        let place = self.log.layout.place(here.id, *local, *offset);
                        let level = here.frame.locals.level(place, size);
                        here.frame.locals.kill(place, size);
                        level
                    }
                    Place::Memory(_) => match self.words.get(it.at) {
                        Some(address) if !it.is_wanted => self.sets(*address, size),
                        _ => Level::DEAD,
                    },
                };
                let level = level.max(wanted);
                if level.is_dead() {
                    return;
                }
                self.keep(here, it.ordinal, level);
                if level.is_explained() {
                    self.uses(here, [value], level);
                    if let Place::Memory(pointer) = place {
                        self.follows(here, pointer, level);
                    }
                }
            }
            Command::Copy { to, from, length, .. } => {
                let (Some(target), Some(source), Some(size)) =
                    (self.words.get(it.at), self.words.get(it.at + 1), self.words.get(it.at + 2))
                else {
                    return;
                };
                let level = self.memory.level(*target, *size).max(wanted);
                if level > Level::DEAD && *size > 0 {
                    self.keep(here, it.ordinal, level);
                    self.memory.shift(*target, *source, *size);
                    if level.is_explained() {
                        [to, from, length].into_iter().for_each(|o| self.follows(here, o, level));
                    }
                }
            }
            Command::Fill { to, byte, length } => {
                let (Some(target), Some(size)) = (self.words.get(it.at), self.words.get(it.at + 1)) else {
                    return;
                };
                let level = self.sets(*target, *size).max(wanted);
                if level > Level::DEAD {
                    self.keep(here, it.ordinal, level);
                    if level.is_explained() {
                        self.uses(here, [byte], level);
                        [to, length].into_iter().for_each(|o| self.follows(here, o, level));
                    }
                }
            }
            Command::Allocate { target, .. } => {
                if let (Some(base), Some(size)) = (self.words.get(it.at), self.words.get(it.at + 1)) {
                    self.memory.kill(*base, *size);
                }
                if let Some(target) = target {
                    here.frame.take(*target);
                }
            }
            Command::Call { target, callee, arguments, .. } => {
                self.call(here, it, *target, callee, arguments);
            }
        }
    }

    /// Memory is set: how that matters.
    fn sets(&mut self, address: u64, size: u64) -> Level {
        if size == 0 {
            return Level::DEAD;
        }
        let level = self.memory.level(address, size);
        if level > Level::DEAD {
            self.memory.kill(address, size);
        }
        level
    }

    fn defines(&mut self, here: &mut Here, it: &Executed, target: RegId, value: &Operation, wanted: Level) {
        let level = here.frame.take(target).max(wanted);
        if level == Level::DEAD {
            return;
        }
        self.kept.set(it.ordinal);
        self.counts[level.index()] += 1;
        let Operation::Phi(incoming) = value else {
            return self.uses(here, value.operands(), level);
        };
        let before = here.index.checked_sub(1).map(|index| self.log.pieces[index]);
        let before = before.filter(|p| p.activation == here.piece.activation);
        let from = before.and_then(|p| self.program.block(p.block)).map(|(_, block)| block);
        let chosen = incoming.iter().find(|(block, _)| Some(*block) == from);
        self.uses(here, chosen.map(|(_, operand)| operand), level);
        // It is chosen under the decision just made, wherever the ways of that meet.
        if level.is_explained() {
            here.frame.marks.add(at(here.index, CHOOSES), level);
        }
    }

    fn call(&mut self, here: &mut Here, it: &Executed, target: Option<RegId>, callee: &Callee, arguments: &[Operand]) {
        if let Some(Entered { level, params }) = self.entered.take() {
            let level = if it.is_wanted { self.top } else { level };
            if level.is_dead() {
                return;
            }
            self.keep(here, it.ordinal, level);
            // Which function is called is a condition, and what lies in it lies under that.
            if let Callee::Pointer(pointer) = callee {
                self.uses(here, [pointer], level);
            }
            here.frame.marks.add(at(here.index, EXECUTES), level);
            let called = self.log.pieces.get(here.index + 1).and_then(|p| self.program.block(p.block));
            let function = called.map(|(id, _)| &self.program.functions[id.index()]);
            let is_checking = function.is_some_and(|f| clib::judge(&f.name) == Some(Judge::Asserts));
            for (number, argument) in arguments.iter().enumerate() {
                // What is behind `...` is found by where it is read.
                let of = params.get(number).copied().unwrap_or(level);
                let of = if is_checking { self.top } else { of };
                if of.is_explained() {
                    self.uses(here, [argument], of);
                }
            }
            return;
        }
        if self.log.pieces.get(here.index + 1).is_some_and(|next| next.jumped) {
            // It has not come back; what it was given comes out at the place where control goes on.
            let level = here.frame.marks.before(u64::MAX);
            if level.is_explained() {
                self.keep(here, it.ordinal, level);
                self.uses(here, arguments, level);
            }
            return;
        }
        let level = target.map(|t| here.frame.take(t)).unwrap_or_default();
        let is_inside = here.piece.resumes && it.ordinal == here.piece.first as usize;
        let comes_back = !it.is_wanted || it.ordinal + 1 < self.log.commands;
        if is_inside && !matches!(callee, Callee::External(_) | Callee::Assembly) {
            here.frame.awaited = level;
            return;
        }
        if matches!(callee, Callee::Function(_)) {
            return;
        }
        let given: Vec<u64> = if comes_back {
            let first = self.given.saturating_sub(arguments.len());
            let given = self.log.given[first..self.given].to_vec();
            self.given = first;
            given
        } else {
            self.criterion.given.clone()
        };
        self.outside(here, it, level, callee, arguments, &given, comes_back, target);
    }

    /// A call to the outside.
    #[allow(clippy::too_many_arguments)]
    fn outside(
        &mut self,
        here: &mut Here,
        it: &Executed,
        level: Level,
        callee: &Callee,
        arguments: &[Operand],
        given: &[u64],
        comes_back: bool,
        target: Option<RegId>,
    ) {
        let known = if let Callee::External(name) = callee { clib::function(name) } else { None };
        let chunks = if comes_back { self.chunks(here, it, target, known) } else { vec![] };
        let writes = known.is_none_or(|f| !f.only_reads());
        let behind = given.iter().enumerate().filter(|(i, _)| known.is_none_or(|f| f.may_change(*i)));
        let behind = behind.map(|(_, at)| (*at, 1)).filter(|(at, _)| *at >= NULL_PAGE);
        let reached = chunks.iter().copied().chain(behind).filter(|_| writes);
        let reached = reached.map(|(at, size)| self.memory.level(at, size)).filter(|level| level.is_explained());
        let level = level.max(reached.max().unwrap_or_default());
        let level = if it.is_wanted || is_always_kept(callee, known) { self.top } else { level };
        if level.is_dead() {
            return;
        }
        self.keep(here, it.ordinal, level);
        if !level.is_explained() {
            return;
        }
        self.uses(here, arguments, level);
        for (address, size) in &chunks {
            self.memory.add(*address, *size, level);
        }
        if !comes_back {
            let pointers = given.iter().filter(|at| **at >= NULL_PAGE && **at < 1 << 47);
            pointers.for_each(|at| self.memory.add(*at, BEHIND, self.top));
        }
        // What an object that moves holds comes with it.
        if let (Some(known), Some(result)) = (known.filter(|f| f.allocates.is_some()), target) {
            let bits = here.function.registers[result.index()];
            let moved = known.frees.and_then(|i| given.get(i)).copied().filter(|from| *from >= NULL_PAGE);
            if let (Some(from), 64, Some(to)) = (moved, bits, self.words.get(it.at + 1)) {
                let size = given.get(1).copied().unwrap_or(0).min(1 << 32);
                self.memory.shift(*to, from, size);
            }
        }
    }

    /// Memory that the recording holds of a call.
    fn chunks(&self, here: &Here, it: &Executed, target: Option<RegId>, known: Option<&Known>) -> Vec<(u64, u64)> {
        let mut chunks = vec![];
        if !known.is_some_and(Known::is_seen) {
            return chunks;
        }
        let bits = target.map_or(0, |t| here.function.registers[t.index()]);
        let mut at = it.at + 1 + value_words(bits);
        while let (Some(head), Some(address)) = (self.words.get(at), self.words.get(at + 1)) {
            if *head == SEEN_END || head >> 48 != SEEN {
                break;
            }
            let count = u64::from(*head as u32);
            chunks.push((*address, count));
            at += 2 + count.div_ceil(8) as usize;
        }
        chunks
    }

    /// Whether a pointer leads into a table of the library: then it is an index that matters.
    fn is_of_table(&mut self, id: FunctionId, pointer: &Operand) -> bool {
        let mut pointer = pointer.clone();
        for _ in 0..8 {
            let Operand::Register(register) = pointer else { return false };
            match self.sides.definition(id, register) {
                Some(Command::Define { value: Operation::Binary { left, .. }, .. }) => pointer = left.clone(),
                Some(Command::Define { value: Operation::Copy(from), .. }) => pointer = from.clone(),
                Some(Command::Load { place: Place::Memory(from), .. }) => pointer = from.clone(),
                Some(Command::Call { callee: Callee::External(name), .. }) => {
                    return clib::function(name).is_some_and(|f| matches!(f.gives, Gives::Table));
                }
                _ => return false,
            }
        }
        false
    }
}

/// Calls that something later may depend on in a way that registers and memory do not show.
fn is_always_kept(callee: &Callee, known: Option<&Known>) -> bool {
    let Callee::External(name) = callee else { return false };
    clib::judge(name).is_some()
        || known.is_some_and(|f| f.calls_back.is_some() || matches!(f.name, "strtok" | "strtok_r" | "strsep"))
}

/// A command that was executed.
struct Executed<'a> {
    command: &'a Command,
    ordinal: usize,
    /// Where its words begin.
    at: usize,
    is_wanted: bool,
}

/// Where the way backwards is.
struct Here<'a> {
    index: usize,
    piece: Piece,
    id: FunctionId,
    function: &'a Function,
    block_id: BlockId,
    block: &'a Block,
    frame: Frame,
}

fn value_words(bits: u32) -> usize {
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
