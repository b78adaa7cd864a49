//! A call of a function: its blocks, command by command.

use crate::builder::{Builder, Cell, Here};
use crate::ways::conditions;
use crate::{Kind, Named};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;
use wherefore_automata::{LocationId, Statement};
use wherefore_formula::{TermId, VarId};
use wherefore_program::{
    BlockId, Command, Flow as ControlFlow, Function, FunctionId, LocalId, Located, Operand, Operation, Origin, Place,
    RegId,
};

/// A call while its blocks are built.
pub(crate) struct Frame {
    pub function: FunctionId,
    /// Which call.
    pub call: u32,
    /// Where it is called.
    from: Option<Origin>,
    pub blocks: Vec<LocationId>,
    /// Where it returns to.
    pub exit: LocationId,
    arguments: FxHashMap<RegId, TermId>,
    /// Addresses of locals.
    pub objects: FxHashMap<LocalId, u32>,
    /// Values of registers in the block that is built, over variables as they are.
    pub registers: BTreeMap<RegId, TermId>,
    /// The last command of the block that uses each.
    last: FxHashMap<RegId, usize>,
    crossing: Rc<FxHashSet<RegId>>,
    /// Blocks that are parts of the condition of the block before.
    pub parts: Vec<bool>,
    /// The command that is built.
    pub command: usize,
}

impl Builder<'_> {
    /// Builds a call of a function; where it returns, and what.
    pub fn inline(
        &mut self,
        id: FunctionId,
        arguments: &[TermId],
        start: LocationId,
        from: Option<Origin>,
    ) -> (LocationId, Option<VarId>) {
        let program = self.program;
        let function = &program.functions[id.index()];
        self.stack.push(id);
        let call = self.calls;
        self.calls += 1;
        let crossing = self.crossing.entry(id).or_insert_with(|| Rc::new(crossing(function))).clone();
        let mut frame = Frame {
            function: id,
            call,
            from,
            blocks: function.blocks.iter().map(|_| self.graph.location()).collect(),
            exit: self.graph.location(),
            arguments: function.params.iter().copied().zip(arguments.iter().copied()).collect(),
            objects: FxHashMap::default(),
            registers: BTreeMap::new(),
            last: FxHashMap::default(),
            parts: vec![],
            crossing,
            command: 0,
        };
        let flow = ControlFlow::new(function);
        frame.parts = conditions(function, &flow, &frame.crossing);
        self.declare_locals(&mut frame, function);
        self.go(start, frame.blocks[0]);
        for number in (0..function.blocks.len()).filter(|number| flow.order[*number].is_some()) {
            if !frame.parts[number] {
                self.block(&mut frame, function, BlockId(number as u32));
            }
        }
        self.stack.pop();
        self.end_of(frame.objects.into_values());
        let result = self.cells.get(&Cell::Result(call)).copied();
        (frame.exit, result)
    }

    fn declare_locals(&mut self, frame: &mut Frame, function: &Function) {
        for (number, local) in function.locals.iter().enumerate().filter(|(_, local)| local.escapes) {
            let id = LocalId(number as u32);
            let object = self.object(local.size.unwrap_or(0), local.ctype, local.name.clone().unwrap_or_default());
            self.set_local(object, frame.function, id);
            frame.objects.insert(id, object);
        }
    }

    /// A call does not know what the last one left in its locals: those that may be read before they are set are anything.
    fn forget_locals(&mut self, frame: &Frame, here: &mut Here, function: &Function) {
        let commands = function.blocks.iter().flat_map(|block| &block.commands);
        let mut read: Vec<(LocalId, u64, u32)> = commands
            .filter_map(|command| match &command.it {
                Command::Load { target, place: Place::Local(local, offset), logged: true, .. } => {
                    Some((*local, *offset, function.registers[target.index()]))
                }
                _ => None,
            })
            .collect();
        read.sort_unstable();
        read.dedup();
        // Nothing comes before the first call.
        for (local, offset, bits) in read.into_iter().filter(|_| frame.call > 0) {
            if let Some(var) = self.local(frame, function, local, offset, bits) {
                self.step(here, Statement::Havoc { to: var }, Kind::Internal);
            }
        }
    }

    fn block(&mut self, frame: &mut Frame, function: &Function, id: BlockId) {
        let block = &function.blocks[id.index()];
        frame.registers = BTreeMap::new();
        frame.last = FxHashMap::default();
        for (number, command) in block.commands.iter().enumerate() {
            for register in command.it.operands().into_iter().filter_map(register) {
                frame.last.insert(register, number);
            }
        }
        let end = block.commands.len();
        let mut ends: Vec<RegId> = block.terminator.it.operand().and_then(register).into_iter().collect();
        for next in block.terminator.it.successors() {
            ends.extend(phis(function, id, next).into_iter().filter_map(|(_, value)| register(value)));
        }
        ends.into_iter().for_each(|register| {
            frame.last.insert(register, end);
        });
        let mut here = Here { location: frame.blocks[id.index()], at: None, function: frame.function };
        if id.0 == 0 {
            for (register, value) in frame.arguments.clone() {
                self.define(frame, &mut here, register, value);
            }
            self.forget_locals(frame, &mut here, function);
        }
        for (number, command) in block.commands.iter().enumerate() {
            frame.command = number;
            here.at = command.at;
            self.command(frame, &mut here, function, command);
        }
        frame.command = end;
        here.at = block.terminator.at;
        self.terminator(frame, here, function, id, &block.terminator.it);
    }

    /// A register gets a value; one that other blocks use is a variable.
    pub fn define(&mut self, frame: &mut Frame, here: &mut Here, register: RegId, value: TermId) {
        if frame.crossing.contains(&register) {
            let bits = self.graph.terms.width(value);
            let var = self.unnamed(Cell::Register(frame.call, register), bits);
            self.assign(frame, here, var, value, Kind::Internal);
            let value = self.value_of(var);
            frame.registers.insert(register, value);
        } else {
            frame.registers.insert(register, value);
        }
    }

    /// An assignment. What registers have read from the variable is saved where it is still needed.
    pub fn assign(&mut self, frame: &mut Frame, here: &mut Here, to: VarId, value: TermId, kind: Kind) {
        self.save(frame, here, &|builder, term| builder.graph.terms.mentions(term, to));
        self.step(here, Statement::Assign { to, value }, kind);
    }

    /// Saves values of registers that are still needed.
    pub fn save(&mut self, frame: &mut Frame, here: &mut Here, is_lost: &dyn Fn(&Self, TermId) -> bool) {
        let needed = |register: &RegId| frame.last.get(register).is_some_and(|last| *last > frame.command);
        let lost: Vec<(RegId, TermId)> = frame
            .registers
            .iter()
            .filter(|(register, term)| needed(register) && is_lost(self, **term))
            .map(|(register, term)| (*register, *term))
            .collect();
        for (register, term) in lost {
            let bits = self.graph.terms.width(term);
            self.saved += 1;
            let var = self.unnamed(Cell::Saved(self.saved), bits);
            self.step(here, Statement::Assign { to: var, value: term }, Kind::Internal);
            let value = self.value_of(var);
            frame.registers.insert(register, value);
        }
    }

    fn local(&mut self, frame: &Frame, function: &Function, local: LocalId, offset: u64, bits: u32) -> Option<VarId> {
        let declared = &function.locals[local.index()];
        let bytes = u64::from(bits.div_ceil(8));
        let types = &self.program.types;
        let scalars = declared.ctype.and_then(|ctype| types.scalars(ctype, 64));
        let scalar = scalars.and_then(|all| all.into_iter().find(|(at, _)| *at == offset));
        let ctype = match scalar {
            Some((_, ctype)) if types.size(ctype) == Some(bytes) => Some(ctype),
            None if declared.size == Some(bytes) && offset == 0 => declared.ctype,
            _ => return None,
        };
        let part = declared.ctype.map_or(String::new(), |ctype| self.part_of(ctype, offset));
        let name = declared.name.as_ref().map_or(String::new(), |name| format!("{name}{part}"));
        let named = Named { name, ctype, local: Some((frame.function, local)) };
        let cell = Cell::Local(frame.call, local, offset);
        let var = self.variable(cell, bytes as u32 * 8, None, named);
        Some(var)
    }

    pub fn command(&mut self, frame: &mut Frame, here: &mut Here, function: &Function, command: &Located<Command>) {
        match &command.it {
            Command::Define { value: Operation::Phi(_), target } => {
                let var = self.unnamed(Cell::Register(frame.call, *target), function.registers[target.index()]);
                let value = self.value_of(var);
                frame.registers.insert(*target, value);
            }
            Command::Define { target, value } => {
                let bits = function.registers[target.index()];
                let value = self.operation(frame, here, value, bits);
                self.define(frame, here, *target, value);
            }
            Command::Load { target, place, logged, volatile } => {
                let bits = function.registers[target.index()];
                if *volatile {
                    self.note(here.at, "a volatile variable is read");
                } else if *logged {
                    self.take(here.at, "a variable may be read before it is set; it is taken to be anything then");
                }
                let value = match place {
                    Place::Local(local, offset) => self.local(frame, function, *local, *offset, bits).map(|var| {
                        let value = self.value_of(var);
                        self.graph.terms.extract(value, 0, bits)
                    }),
                    Place::Memory(address) => {
                        let address = self.operand(frame, address);
                        self.load(here, address, bits)
                    }
                };
                let value = match value {
                    Some(value) => value,
                    None => self.anything(here, bits, "what is read here is not followed"),
                };
                self.define(frame, here, *target, value);
            }
            Command::Store { place, value, bits } => self.store(frame, here, function, place, value, *bits),
            Command::Allocate { local, .. } => {
                if function.locals[local.index()].size.is_none() {
                    self.cut(here, "an array whose length is not constant is not followed");
                }
            }
            Command::Copy { to, from, length, .. } => {
                let (to, from) = (self.operand(frame, to), self.operand(frame, from));
                let length = self.operand(frame, length);
                self.copy(frame, here, to, from, length);
            }
            Command::Fill { to, byte, length } => {
                let (to, byte) = (self.operand(frame, to), self.operand(frame, byte));
                let length = self.operand(frame, length);
                self.fill(frame, here, to, byte, length);
            }
            Command::Call { target, callee, arguments, .. } => {
                let arguments: Vec<TermId> = arguments.iter().map(|argument| self.operand(frame, argument)).collect();
                let target = target.map(|target| (target, function.registers[target.index()]));
                self.call(frame, here, callee, &arguments, target);
            }
        }
    }

    fn store(
        &mut self,
        frame: &mut Frame,
        here: &mut Here,
        function: &Function,
        place: &Place,
        value: &Operand,
        bits: u32,
    ) {
        let is_argument = matches!(value, Operand::Register(register) if frame.arguments.contains_key(register));
        let value = self.operand(frame, value);
        let value = self.graph.terms.zero_extend(value, bits.div_ceil(8) * 8);
        let is_result = |local: &LocalId| function.locals[local.index()].name.is_none();
        let kind = match place {
            _ if is_argument => Kind::Pass,
            Place::Local(local, _) if is_result(local) => Kind::Return,
            _ => Kind::Assign,
        };
        // What is passed is written where the function is called.
        if is_argument {
            here.at = frame.from;
        }
        let targets = match place {
            Place::Local(local, offset) => {
                let always = self.graph.terms.truth(true);
                self.local(frame, function, *local, *offset, bits).map(|var| vec![(always, var)])
            }
            Place::Memory(address) => {
                let address = self.operand(frame, address);
                self.targets(here, address, bits)
            }
        };
        match targets.as_deref() {
            None => self.cut(here, "what is written here is not followed"),
            Some([]) => here.location = self.graph.location(),
            Some([(_, var)]) => self.assign(frame, here, *var, value, kind),
            Some(targets) => {
                self.save(frame, here, &|builder, term| {
                    targets.iter().any(|(_, var)| builder.graph.terms.mentions(term, *var))
                });
                let join = self.graph.location();
                for (condition, var) in targets {
                    let mut branch = *here;
                    // Which cell it is decides about no way: with another index, what follows is not known.
                    self.step(&mut branch, Statement::Grant(*condition), Kind::Internal);
                    self.step_to(branch, Statement::Assign { to: *var, value }, kind, join);
                }
                here.location = join;
            }
        }
    }

    fn copy(&mut self, frame: &mut Frame, here: &mut Here, to: TermId, from: TermId, length: TermId) {
        let bytes = self.graph.terms.constant(length).map(|length| length as u64);
        let source = bytes.and_then(|bytes| self.stretch(from, bytes, false));
        let target = bytes.and_then(|bytes| self.stretch(to, bytes, true));
        let (Some(source), Some(target)) = (source, target) else {
            return self.cut(here, "a copy of memory is not followed");
        };
        let fits = source.len() == target.len() && source.iter().zip(&target).all(|(a, b)| (a.0, a.1) == (b.0, b.1));
        if !fits {
            return self.cut(here, "a copy of memory is not followed");
        }
        let mut cells: Vec<(VarId, VarId)> = source.iter().zip(&target).map(|(from, to)| (from.2, to.2)).collect();
        // As `memmove` does where the two overlap: no cell is written before it is read.
        if self.graph.terms.constant(to) > self.graph.terms.constant(from) {
            cells.reverse();
        }
        for (from, to) in cells {
            let value = self.value_of(from);
            self.assign(frame, here, to, value, Kind::Assign);
        }
    }

    fn fill(&mut self, frame: &mut Frame, here: &mut Here, to: TermId, byte: TermId, length: TermId) {
        let bytes = self.graph.terms.constant(length).map(|length| length as u64);
        let Some(target) = bytes.and_then(|bytes| self.stretch(to, bytes, true)) else {
            return self.cut(here, "a stretch of memory that is set is not followed");
        };
        for (_, size, var) in target {
            let mut value = byte;
            for _ in 1..size {
                value = self.graph.terms.concat(value, byte);
            }
            self.assign(frame, here, var, value, Kind::Assign);
        }
    }
}

pub(crate) fn register(operand: &Operand) -> Option<RegId> {
    match operand {
        Operand::Register(register) => Some(*register),
        _ => None,
    }
}

/// The registers of a block that depend on the way there, with their values from one block.
pub(crate) fn phis(function: &Function, from: BlockId, to: BlockId) -> Vec<(RegId, &Operand)> {
    let commands = &function.blocks[to.index()].commands;
    let phi = |command: &'_ Located<Command>| match &command.it {
        Command::Define { target, value: Operation::Phi(_) } => Some(*target),
        _ => None,
    };
    let mut found = vec![];
    for command in commands {
        if let (Some(target), Command::Define { value: Operation::Phi(ways), .. }) = (phi(command), &command.it) {
            found.extend(ways.iter().find(|(block, _)| *block == from).map(|(_, value)| (target, value)));
        }
    }
    found
}

/// The registers that are used in other blocks than they are defined in, or depend on the way.
fn crossing(function: &Function) -> FxHashSet<RegId> {
    let mut home: FxHashMap<RegId, usize> = function.params.iter().map(|register| (*register, 0)).collect();
    let mut found = FxHashSet::default();
    for (number, block) in function.blocks.iter().enumerate() {
        for command in &block.commands {
            if let Some(defined) = command.it.defined() {
                home.insert(defined, number);
            }
        }
    }
    for (number, block) in function.blocks.iter().enumerate() {
        let commands =
            block.commands.iter().filter(|c| !matches!(c.it, Command::Define { value: Operation::Phi(_), .. }));
        let used = commands.flat_map(|command| command.it.operands()).chain(block.terminator.it.operand());
        found.extend(used.filter_map(register).filter(|register| home.get(register) != Some(&number)));
        for next in block.terminator.it.successors() {
            let values = phis(function, BlockId(number as u32), next);
            found.extend(
                values.iter().filter_map(|(_, value)| register(value)).filter(|r| home.get(r) != Some(&number)),
            );
        }
    }
    // What depends on the way is set where the way ends.
    for command in function.blocks.iter().flat_map(|block| &block.commands) {
        if let Command::Define { target, value: Operation::Phi(_) } = &command.it {
            found.remove(target);
        }
    }
    found
}
