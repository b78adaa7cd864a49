//! One call of a function: its blocks in the order of the unrolled control-flow graph, states merged where ways meet.
//!
//! A block in the rounds of its loops is named by a key: header and round of each loop from the outermost in, then the
//! block, all by their reverse post-order. For reducible graphs the lexicographic order of keys is topological.

use crate::Error;
use crate::initialised::read_before_written;
use crate::state::{Coming, Shape, State, Unfolder};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use wherefore_formula::TermId;
use wherefore_program::{Block, BlockId, Command, Flow, Function, FunctionId, Operand, Operation, RegId, Terminator};

/// Where the result of a function is kept among the registers.
const RESULT: RegId = RegId(u32::MAX);

type Key = Vec<u32>;

/// One call being unfolded.
pub(crate) struct Frame {
    pub function: FunctionId,
    pub shape: Rc<Shape>,
    /// Registers of the block being executed.
    pub registers: FxHashMap<RegId, TermId>,
    /// Objects of the locals that have addresses.
    pub objects: FxHashMap<wherefore_program::LocalId, crate::memory::ObjectId>,
    /// States on their way to a block.
    pending: BTreeMap<Key, Vec<State>>,
    returned: Vec<State>,
    /// Rounds that tests made in each loop in the rounds of those around it.
    rounds: FxHashMap<Key, u32>,
}

impl Shape {
    pub fn new(function: &Function) -> Shape {
        let mut home: Vec<Option<usize>> = vec![None; function.registers.len()];
        let mut crossing = vec![false; function.registers.len()];
        for param in &function.params {
            crossing[param.index()] = true;
        }
        for (number, block) in function.blocks.iter().enumerate() {
            for command in &block.commands {
                if let Some(register) = command.it.defined() {
                    home[register.index()] = Some(number);
                    let phi = matches!(command.it, Command::Define { value: Operation::Phi(_), .. });
                    // What a call gave may be asked for after the blocks of a condition it stands in.
                    crossing[register.index()] |= phi || matches!(command.it, Command::Call { .. });
                }
            }
        }
        for (number, block) in function.blocks.iter().enumerate() {
            let uses = block.commands.iter().flat_map(|c| c.it.operands()).chain(block.terminator.it.operand());
            for operand in uses {
                if let Operand::Register(register) = operand {
                    crossing[register.index()] |= home[register.index()] != Some(number);
                }
            }
        }
        let flow = Flow::new(function);
        let mut by_order = vec![BlockId(0); flow.order.len()];
        for (block, number) in flow.order.iter().enumerate() {
            if let Some(number) = number {
                by_order[*number as usize] = BlockId(block as u32);
            }
        }
        Shape { flow, by_order, crossing, unset: read_before_written(function) }
    }
}

impl Unfolder<'_> {
    /// Executes a call. The state after it with its result, unless it never returns.
    pub fn function(
        &mut self,
        id: FunctionId,
        arguments: &[TermId],
        caller: &State,
    ) -> Result<Option<(State, Option<TermId>)>, Error> {
        let program = self.program;
        let function = &program.functions[id.index()];
        let mut frame = Frame {
            function: id,
            shape: self.stack.enter(id),
            registers: FxHashMap::default(),
            objects: FxHashMap::default(),
            pending: BTreeMap::new(),
            returned: vec![],
            rounds: FxHashMap::default(),
        };
        // A call through a pointer of another type may pass something else than is taken.
        let fits = |(param, value): &(RegId, TermId)| self.terms.width(*value) == function.registers[param.index()];
        let registers = function.params.iter().copied().zip(arguments.iter().copied()).filter(fits).collect();
        let start = State { registers, locals: imbl::OrdMap::new(), ..caller.clone() };
        frame.pending.insert(vec![0], vec![start]);
        while let Some((key, states)) = frame.pending.pop_first() {
            let Some(state) = states.into_iter().reduce(|a, b| self.merge(a, b)) else { continue };
            if let Some(stop) = self.options.budget.stopped() {
                return Err(Error::Stopped { function: function.name.clone(), stop });
            }
            if self.terms.len() > self.options.max_terms {
                return Err(Error::TooLarge { terms: self.terms.len(), function: function.name.clone() });
            }
            let number = *key.last().expect("a key ends with a block");
            let block = frame.shape.by_order[number as usize];
            self.block(&mut frame, block, &key, state)?;
        }
        let returned = std::mem::take(&mut frame.returned);
        let returned = returned.into_iter().reduce(|a, b| self.merge(a, b));
        self.stack.leave();
        let Some(mut state) = returned else { return Ok(None) };
        let value = state.registers.get(&RESULT).copied();
        for object in frame.objects.values() {
            state.memory.remove(object);
        }
        if matches!(state.coming, Coming::Supposed(depth, _) if depth > self.stack.len()) {
            state.coming = Coming::No;
        }
        state.locals = caller.locals.clone();
        state.registers = caller.registers.clone();
        Ok(Some((state, value)))
    }

    fn block(&mut self, frame: &mut Frame, id: BlockId, key: &Key, mut state: State) -> Result<(), Error> {
        let program = self.program;
        let block: &Block = &program.functions[frame.function.index()].blocks[id.index()];
        frame.registers.clear();
        for (number, command) in block.commands.iter().enumerate() {
            self.command(frame, &mut state, id, number as u32, command)?;
            if self.is_dead(&state) {
                return Ok(());
            }
        }
        let at = block.terminator.at;
        match &block.terminator.it {
            Terminator::Unreachable => {}
            Terminator::Return(value) => {
                if let Some(value) = value {
                    let value = self.operand(frame, &state, value);
                    let value = self.soften(frame, &mut state, (id, None), wherefore_program::Slot::Result, value, at);
                    state.registers.insert(RESULT, value);
                }
                frame.returned.push(state);
            }
            Terminator::Goto(to) => self.edge(frame, id, key, *to, state),
            Terminator::Branch { condition, then, otherwise } => {
                let value = self.operand(frame, &state, condition);
                let value = self.soften(frame, &mut state, (id, None), wherefore_program::Slot::Condition, value, at);
                let condition = self.terms.bits_to_bool(value);
                let negated = self.terms.not(condition);
                let way = self.bounds.first_way(&self.terms, state.coming, condition);
                let coming = |here: bool| if way == Some(here) { state.coming } else { Coming::No };
                let (then_coming, else_coming) = (coming(true), coming(false));
                let mut taken = state.clone();
                taken.guard = self.extend(state.guard, condition);
                taken.coming = then_coming;
                self.edge(frame, id, key, *then, taken);
                state.guard = self.extend(state.guard, negated);
                state.coming = else_coming;
                self.edge(frame, id, key, *otherwise, state);
            }
            Terminator::Switch(switch) => {
                let value = self.operand(frame, &state, &switch.value);
                let value = self.soften(frame, &mut state, (id, None), wherefore_program::Slot::Condition, value, at);
                let width = self.terms.width(value);
                let mut targets: Vec<(BlockId, Vec<TermId>)> = vec![];
                for (constant, to) in &switch.cases {
                    let constant = self.terms.bits(width, *constant);
                    let equal = self.terms.eq(value, constant);
                    match targets.iter_mut().find(|t| t.0 == *to) {
                        Some(target) => target.1.push(equal),
                        None => targets.push((*to, vec![equal])),
                    }
                }
                let any = self.terms.or(targets.iter().flat_map(|t| t.1.clone()).collect::<Vec<_>>());
                let none = self.terms.not(any);
                match targets.iter_mut().find(|t| t.0 == switch.default) {
                    Some(target) => target.1.push(none),
                    None => targets.push((switch.default, vec![none])),
                }
                for (to, conditions) in targets {
                    let condition = self.terms.or(conditions);
                    let mut taken = state.clone();
                    taken.guard = self.extend(state.guard, condition);
                    if self.bounds.first_way(&self.terms, state.coming, condition) != Some(true) {
                        taken.coming = Coming::No;
                    }
                    self.edge(frame, id, key, to, taken);
                }
            }
        }
        Ok(())
    }

    /// Sends a state along an edge.
    fn edge(&mut self, frame: &mut Frame, from: BlockId, key: &Key, to: BlockId, mut state: State) {
        if self.is_dead(&state) {
            return;
        }
        let program = self.program;
        let function = &program.functions[frame.function.index()];
        let shape = Rc::clone(&frame.shape);
        let flow = &shape.flow;
        let at = function.blocks[from.index()].terminator.at;
        let back = flow.is_back_edge(from, to);
        if !back && flow.order[to.index()] <= flow.order[from.index()] {
            self.note(at, "a jump into a loop is not followed");
            self.outcomes.cut(state.guard);
            return;
        }
        if let Coming::Supposed(depth, header) = state.coming
            && depth == self.stack.len()
            && !flow.loops[to.index()].contains(&header)
        {
            state.coming = Coming::No;
        }
        let next = next_key(flow, from, key, to, back);
        if back {
            let instance = next[..next.len() - 2].to_vec();
            let round = next[next.len() - 2];
            let entered = frame.rounds.get(&instance).copied();
            let (allowed, needed) = self.allow_round((frame.function, to), round, entered, &state);
            if needed {
                frame.rounds.insert(instance, round);
            }
            if !allowed {
                self.outcomes.cut_at(state.guard, at, round);
                return;
            }
        } else if flow.loops[to.index()].first() == Some(&to) {
            if self.bounds.enters(&self.terms, (frame.function, to), state.guard) {
                // The tests enter this loop; how often they go round is seen when they do.
                frame.rounds.insert(next[..next.len() - 2].to_vec(), 0);
            } else if state.coming == Coming::No && !self.bounds.is_entered((frame.function, to)) {
                // Nobody does: it is followed as the first test would go if it did.
                state.coming = Coming::Supposed(self.stack.len(), to);
            }
        }
        let phis = function.blocks[to.index()].commands.iter().filter_map(|c| match &c.it {
            Command::Define { target, value: Operation::Phi(ways) } => Some((*target, ways)),
            _ => None,
        });
        let values: Vec<(RegId, TermId)> = phis
            .filter_map(|(target, ways)| {
                let (_, operand) = ways.iter().find(|way| way.0 == from)?;
                Some((target, self.operand(frame, &state, operand)))
            })
            .collect();
        state.registers.extend(values);
        frame.pending.entry(next).or_default().push(state);
    }
}

/// The key of the block an edge leads to.
fn next_key(flow: &Flow, from: BlockId, key: &Key, to: BlockId, back: bool) -> Key {
    let number = |b: BlockId| flow.order[b.index()].expect("only what is reachable is executed");
    let mut next = Key::new();
    let mut together = true;
    let from_loops: Vec<BlockId> = flow.loops[from.index()].iter().rev().copied().collect();
    for (depth, header) in flow.loops[to.index()].iter().rev().enumerate() {
        together &= from_loops.get(depth) == Some(header);
        let mut round = if together { key[2 * depth + 1] } else { 0 };
        if back && *header == to {
            round += 1;
        }
        next.extend([number(*header), round]);
    }
    next.push(number(to));
    next
}
