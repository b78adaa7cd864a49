//! Frames and commands.

mod values;

use crate::memory::Memory;
use crate::operation::mask;
use crate::stop::{Going, Stop, give_up};
use crate::{Integers, Run};
use std::collections::HashMap;
use wherefore_program::{
    BlockId, Callee, Command, Function, FunctionId, LocalId, Operand, Operation, Origin, Place, Point, RegId, Slot,
    Terminator, points,
};
use wherefore_record::GlobalImage;

/// Tags of words; see [`Command`].
const BLOCK: u64 = 0xB10C << 48;
pub const RETURN: u64 = 0x4E70 << 48;
/// Steps between two looks at the budget.
const BETWEEN_LOOKS: u64 = 1 << 10;
/// Nested calls, as many as a stack of usual size has room for.
const DEPTH: usize = 100_000;

/// A call under way.
pub struct Frame {
    pub function: FunctionId,
    block: BlockId,
    command: usize,
    registers: Vec<u128>,
    /// Bytes of locals without an address.
    locals: HashMap<LocalId, Vec<u8>>,
    /// Where the others are.
    addresses: HashMap<LocalId, u64>,
    /// Whether its caller writes a word when it returns: it was called through a pointer.
    announced: bool,
    /// Where the stack ended when it was called.
    pub stack: u64,
    /// Objects that go with it.
    pub owned: Vec<u64>,
}

/// A run under way.
pub struct Machine<'a> {
    pub run: &'a Run<'a>,
    pub memory: Memory,
    pub frames: Vec<Frame>,
    pub words: Vec<u64>,
    pub stdout: Vec<u8>,
    pub stdin: usize,
    /// How many nondeterministic values were asked for.
    pub nondet: usize,
    pub images: Vec<GlobalImage>,
    pub functions: Vec<u64>,
    pub externals: Vec<u64>,
    /// The next free address of the heap and of the stack.
    pub heap: u64,
    pub stack: u64,
    pub applied: usize,
    /// Whether the first use of each global was to read it.
    pub used: Vec<Option<bool>>,
    steps: u64,
    /// Forced values by their points, with how often each was come to.
    forced: HashMap<Point, (u32, Vec<(u32, u64)>)>,
    /// Arrays that addresses lie in, by function and register.
    arrays: HashMap<(FunctionId, RegId), (Operand, u64)>,
}

impl<'a> Machine<'a> {
    pub fn new(run: &'a Run<'a>) -> Machine<'a> {
        let mut forced: HashMap<Point, (u32, Vec<(u32, u64)>)> = HashMap::new();
        if !run.forced.is_empty() {
            let all = points(run.program);
            for one in run.forced {
                let taken = forced.entry(all[one.point as usize]).or_default();
                taken.1.push((one.occurrence, one.value));
            }
        }
        let mut arrays = HashMap::new();
        if run.integers == Integers::Unlimited {
            for (function, id) in run.program.functions.iter().zip(0..) {
                for member in &function.members {
                    if let Operand::Register(register) = member.address {
                        arrays.insert((FunctionId(id), register), (member.start.clone(), member.size));
                    }
                }
            }
        }
        Machine {
            run,
            memory: Memory::default(),
            frames: vec![],
            words: vec![],
            stdout: vec![],
            stdin: 0,
            nondet: 0,
            images: vec![],
            functions: vec![],
            externals: vec![],
            heap: 0,
            stack: 0,
            applied: 0,
            used: vec![None; run.program.globals.len()],
            steps: 0,
            forced,
            arrays,
        }
    }

    /// Where the run is.
    pub fn at(&self) -> Option<Origin> {
        let frame = self.frames.last()?;
        let block = &self.run.program.functions[frame.function.index()].blocks[frame.block.index()];
        match block.commands.get(frame.command) {
            Some(command) => command.at,
            None => block.terminator.at,
        }
    }

    pub fn function(&self, id: FunctionId) -> &'a Function {
        &self.run.program.functions[id.index()]
    }

    pub fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a function is under way")
    }

    pub fn word(&mut self, word: u64) {
        self.words.push(word);
    }

    /// The words of a value.
    pub fn value_words(&mut self, value: u128, bits: u32) {
        self.word(value as u64);
        if bits > 64 {
            self.word((value >> 64) as u64);
        }
    }

    /// Calls a function.
    pub fn enter(&mut self, id: FunctionId, arguments: &[u128], announced: bool) -> Going<()> {
        if self.frames.len() >= DEPTH {
            return match self.run.integers {
                Integers::Wrap => give_up("calls are nested deeper than is followed"),
                Integers::Unlimited => Err(Stop::Long),
            };
        }
        let function = self.function(id);
        let mut registers = vec![0; function.registers.len()];
        for (register, value) in function.params.iter().zip(arguments) {
            registers[register.index()] = *value;
        }
        self.frames.push(Frame {
            function: id,
            block: BlockId(0),
            command: 0,
            registers,
            locals: HashMap::new(),
            addresses: HashMap::new(),
            announced,
            stack: self.stack,
            owned: vec![],
        });
        self.word(BLOCK | u64::from(function.first_block));
        if function.params_recorded {
            for (register, value) in function.params.iter().zip(arguments) {
                self.value_words(*value, function.registers[register.index()]);
            }
        }
        Ok(())
    }

    /// Executes until something stops the run.
    pub fn go(&mut self) -> Stop {
        loop {
            if let Err(stop) = self.step() {
                return stop;
            }
        }
    }

    fn step(&mut self) -> Going<()> {
        self.steps += 1;
        if self.steps.is_multiple_of(BETWEEN_LOOKS) {
            self.run.limits.budget.check().map_err(Stop::Budget)?;
        }
        if self.steps > self.run.limits.steps || self.words.len() > self.run.limits.words {
            return Err(Stop::Long);
        }
        let frame = self.frames.last().expect("a function is under way");
        let (id, number, at) = (frame.function, frame.block, frame.command);
        let block = &self.function(id).blocks[number.index()];
        match block.commands.get(at) {
            Some(command) => {
                let entered = self.command(&command.it, (id, number, at))?;
                if !entered {
                    self.frame().command += 1;
                }
                Ok(())
            }
            None => self.terminator(
                &block.terminator.it,
                Point { function: id, block: number, command: None, slot: Slot::Condition },
            ),
        }
    }

    /// The value that a point takes: the computed one, unless another is forced here.
    fn taken(&mut self, point: Point, value: u128, bits: u32) -> u128 {
        let Some((count, forced)) = self.forced.get_mut(&point) else { return value };
        let found = forced.iter().find(|(occurrence, _)| occurrence == count).map(|(_, value)| *value);
        *count += 1;
        match found {
            Some(other) => {
                self.applied += 1;
                match point.slot {
                    Slot::Address => mask(value.wrapping_add(other.into()), bits),
                    _ => mask(other.into(), bits),
                }
            }
            None => value,
        }
    }

    /// Executes a command; true where it has entered a function, behind which the frame goes on later.
    fn command(&mut self, command: &'a Command, (id, block, at): (FunctionId, BlockId, usize)) -> Going<bool> {
        let point = |slot| Point { function: id, block, command: Some(at as u32), slot };
        match command {
            Command::Define { target, value } => {
                let bits = self.function(id).registers[target.index()];
                let value = self.operation(value, bits)?;
                self.inside(id, *target, value)?;
                self.set(*target, value);
            }
            Command::Load { target, place, logged, .. } => {
                let bits = self.function(id).registers[target.index()];
                let value = match place {
                    Place::Local(local, offset) => {
                        let value = self.load_local(*local, *offset, bits);
                        if *logged {
                            self.value_words(value, bits);
                        }
                        value
                    }
                    Place::Memory(address) => {
                        self.use_of(address, true);
                        let address = self.operand(address) as u64;
                        self.word(address);
                        let value = self.memory.load(address, bits)?;
                        self.value_words(value, bits);
                        value
                    }
                };
                self.set(*target, value);
            }
            Command::Store { place, value, bits } => {
                let value = self.operand(value);
                let value = self.taken(point(Slot::Value), value, *bits);
                match place {
                    Place::Local(local, offset) => self.store_local(*local, *offset, *bits, value),
                    Place::Memory(address) => {
                        self.use_of(address, false);
                        let address = self.operand(address);
                        let address = self.taken(point(Slot::Address), address, 64) as u64;
                        self.word(address);
                        self.memory.store(address, *bits, value)?;
                    }
                }
            }
            Command::Allocate { local, target } => {
                let size = self.function(id).locals[local.index()].size;
                let (Some(size), None) = (size, target) else {
                    return give_up("an array has a length that is not fixed");
                };
                let address = match self.frame().addresses.get(local).copied() {
                    Some(address) => address,
                    None => self.on_stack(size)?,
                };
                self.frame().addresses.insert(*local, address);
                self.word(address);
                self.word(size);
            }
            Command::Copy { to, from, length, .. } => {
                let (to, from, length) =
                    (self.operand(to) as u64, self.operand(from) as u64, self.operand(length) as u64);
                [to, from, length].into_iter().for_each(|word| self.word(word));
                let bytes = self.memory.read(from, length)?;
                self.memory.write(to, &bytes)?;
            }
            Command::Fill { to, byte, length } => {
                let (to, byte, length) =
                    (self.operand(to) as u64, self.operand(byte) as u8, self.operand(length) as u64);
                self.word(to);
                self.word(length);
                self.memory.check(to, length)?;
                self.memory.write(to, &vec![byte; length as usize])?;
            }
            Command::Call { target, callee, arguments, site } => {
                let mut values = vec![];
                for (number, argument) in (0..).zip(arguments) {
                    let (value, bits) = (self.operand(argument), self.width(argument));
                    values.push(self.taken(point(Slot::Argument(number)), value, bits));
                }
                match callee {
                    Callee::Function(callee) => {
                        self.variadic(*callee)?;
                        self.enter(*callee, &values, false)?;
                        return Ok(true);
                    }
                    Callee::Pointer(pointer) => {
                        let pointer = self.operand(pointer) as u64;
                        let Some(callee) = self.functions.iter().position(|address| *address == pointer) else {
                            return give_up(
                                "something other than a function of the program is called through a pointer",
                            );
                        };
                        let callee = FunctionId(callee as u32);
                        self.variadic(callee)?;
                        if self.function(callee).params.len() != values.len() {
                            return give_up("a function is called with other arguments than it has");
                        }
                        self.enter(callee, &values, true)?;
                        return Ok(true);
                    }
                    Callee::Assembly => return give_up("assembly code"),
                    Callee::External(name) => {
                        let bits = target.map(|target| self.function(id).registers[target.index()]);
                        let value = self.outside(name, arguments, &values, bits)?;
                        self.word(RETURN | u64::from(*site));
                        if let (Some(target), Some(bits)) = (target, bits) {
                            let value = mask(value, bits);
                            self.value_words(value, bits);
                            self.set(*target, value);
                        }
                        self.seen(name, arguments, &values, value)?;
                    }
                }
            }
        }
        Ok(false)
    }

    /// A global is read or set as a whole.
    fn use_of(&mut self, address: &Operand, reads: bool) {
        if let Operand::Global(id, 0) = address {
            self.used[id.index()].get_or_insert(reads);
        }
    }

    /// Arguments behind `...` lie where only a compiler knows.
    fn variadic(&self, callee: FunctionId) -> Going<()> {
        match self.function(callee).variadic {
            true => give_up("a function with `...` is called"),
            false => Ok(()),
        }
    }

    /// An object that goes with the frame.
    pub fn on_stack(&mut self, size: u64) -> Going<u64> {
        let address = self.memory.allocate(&mut self.stack, size)?;
        self.frame().owned.push(address);
        Ok(address)
    }

    fn terminator(&mut self, terminator: &'a Terminator, point: Point) -> Going<()> {
        let to = match terminator {
            Terminator::Goto(to) => *to,
            Terminator::Branch { condition, then, otherwise } => {
                let value = self.operand(condition);
                if self.taken(point, value, 1) != 0 { *then } else { *otherwise }
            }
            Terminator::Switch(switch) => {
                let (value, bits) = (self.operand(&switch.value), self.width(&switch.value));
                let value = self.taken(point, value, bits);
                switch.cases.iter().find(|(case, _)| *case == value).map_or(switch.default, |(_, to)| *to)
            }
            Terminator::Return(value) => {
                let result = value.as_ref().map(|value| {
                    let (found, bits) = (self.operand(value), self.width(value));
                    self.taken(Point { slot: Slot::Result, ..point }, found, bits)
                });
                return self.leave(result);
            }
            Terminator::Unreachable => return give_up("control comes to where it must not"),
        };
        self.arrive(to);
        Ok(())
    }

    /// Goes on in a block of the same function.
    fn arrive(&mut self, to: BlockId) {
        let (id, from) = (self.frame().function, self.frame().block);
        let function = self.function(id);
        self.word(BLOCK | u64::from(function.first_block + to.0));
        let mut chosen = vec![];
        for command in &function.blocks[to.index()].commands {
            let Command::Define { target, value: Operation::Phi(ways) } = &command.it else { break };
            let way = ways.iter().find(|(block, _)| *block == from).expect("a phi has a value for each way");
            chosen.push((*target, self.operand(&way.1)));
        }
        let frame = self.frame();
        (frame.block, frame.command) = (to, chosen.len());
        chosen.into_iter().for_each(|(target, value)| self.set(target, value));
    }

    fn leave(&mut self, result: Option<u128>) -> Going<()> {
        let left = self.frames.pop().expect("a function is under way");
        for address in left.owned {
            self.memory.release(address);
        }
        self.stack = left.stack;
        if self.frames.is_empty() {
            // What another function than main gives is no status.
            let is_main = self.run.program.is_main(self.function(left.function));
            let status = result.filter(|_| is_main).unwrap_or(0) as i32 & 0xff;
            return Err(Stop::Exit(status));
        }
        let frame = self.frame();
        let (id, block, at) = (frame.function, frame.block, frame.command);
        frame.command += 1;
        let Command::Call { target, site, .. } = &self.function(id).blocks[block.index()].commands[at].it else {
            unreachable!("a frame waits at its call");
        };
        if left.announced {
            self.word(RETURN | u64::from(*site));
        }
        if let Some(target) = target {
            let bits = self.function(id).registers[target.index()];
            let value = mask(result.unwrap_or(0), bits);
            if left.announced {
                self.value_words(value, bits);
            }
            self.set(*target, value);
        }
        Ok(())
    }
}
