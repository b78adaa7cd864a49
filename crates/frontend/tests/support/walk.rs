//! Walks a recording along its program: every word must be where the program says, every address and branch must be
//! what the model computes. This holds lowering and instrumentation against each other and against the machine.

use super::Recording;
use super::evaluate as ev;
use std::collections::HashMap;
use wherefore_program::{
    BlockId, Callee, Command, FunctionId, LocalId, Operand, Operation, Place, Program, RegId, Terminator,
};

const BLOCK: u64 = 0xB10C;
const RETURN: u64 = 0x4E70;
const SEEN: u64 = 0x5EE1;
const SEEN_END: u64 = 0x5EE0 << 48;

/// What was met on the way.
#[derive(Debug, Default)]
pub struct Walk {
    pub blocks: usize,
    pub loads: usize,
    /// Loads of memory the model knew.
    pub known: usize,
    /// Loads that gave another value than the model's: memory written by code outside the program.
    pub surprises: usize,
    /// Whether the words ended before the first function returned.
    pub cut: bool,
}

struct Frame {
    function: FunctionId,
    registers: Vec<Option<u128>>,
    locals: Vec<Vec<Option<u8>>>,
    addresses: HashMap<LocalId, u64>,
}

struct Walker<'a> {
    program: &'a Program,
    recording: &'a Recording,
    at: usize,
    memory: HashMap<u64, u8>,
    walk: Walk,
}

/// Why the walk ends early: the words are used up.
struct Cut;

/// Walks a whole run. Panics, with what is wrong, where recording and program do not fit.
pub fn walk(program: &Program, recording: &Recording) -> Walk {
    // A call of the program is a call of the walker, and tests have small stacks.
    let walk = || walk_here(program, recording);
    std::thread::scope(|scope| {
        let thread =
            std::thread::Builder::new().stack_size(1 << 28).spawn_scoped(scope, walk).expect("a thread starts");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn walk_here(program: &Program, recording: &Recording) -> Walk {
    let mut walker = Walker { program, recording, at: 0, memory: HashMap::new(), walk: Walk::default() };
    while walker.at < recording.words.len() {
        if walker.enter_any().is_err() {
            walker.walk.cut = true;
            break;
        }
    }
    assert_eq!(walker.at, recording.words.len(), "all words were read");
    walker.walk
}

impl Walker<'_> {
    fn word(&mut self) -> Result<u64, Cut> {
        let word = self.recording.words.get(self.at).copied().ok_or(Cut)?;
        self.at += 1;
        Ok(word)
    }

    fn value(&mut self, bits: u32) -> Result<u128, Cut> {
        let mut value = u128::from(self.word()?);
        if bits > 64 {
            value |= u128::from(self.word()?) << 64;
        }
        assert_eq!(value & !ev::mask(bits), 0, "word {}: {value:x} does not fit {bits} bits", self.at);
        Ok(value)
    }

    /// The function whose entry comes next is called from outside: its arguments are recorded.
    fn enter_any(&mut self) -> Result<Option<u128>, Cut> {
        let word = self.recording.words[self.at];
        assert_eq!(word >> 48, BLOCK, "word {}: {word:x} is not a block's", self.at);
        let (function, block) = self.program.block(word as u32).expect("the block exists");
        assert_eq!(block, BlockId(0), "a function starts at its entry");
        let f = &self.program.functions[function.index()];
        assert!(f.params_recorded, "{} is called from outside", f.name);
        self.function(function, vec![None; f.params.len()])
    }

    fn function(&mut self, id: FunctionId, arguments: Vec<Option<u128>>) -> Result<Option<u128>, Cut> {
        let f = &self.program.functions[id.index()];
        let locals = f.locals.iter().map(|l| vec![None; l.size.unwrap_or(0) as usize]).collect();
        let registers = vec![None; f.registers.len()];
        let mut frame = Frame { function: id, registers, locals, addresses: HashMap::new() };
        for (param, argument) in f.params.iter().zip(arguments) {
            frame.registers[param.index()] = argument;
        }
        let (mut block, mut from) = (BlockId(0), BlockId(0));
        loop {
            let word = self.word()?;
            let expected = BLOCK << 48 | u64::from(f.first_block + block.0);
            assert_eq!(word, expected, "word {}: block {} of {} is expected", self.at - 1, block.0, f.name);
            self.walk.blocks += 1;
            if block == BlockId(0) && f.params_recorded {
                for param in &f.params {
                    let bits = f.registers[param.index()];
                    let recorded = self.value(bits)?;
                    if let Some(known) = frame.registers[param.index()] {
                        assert_eq!(known, recorded, "an argument of {}", f.name);
                    }
                    frame.registers[param.index()] = Some(recorded);
                }
            }
            let code = &f.blocks[block.index()];
            let mut phis = vec![];
            for command in &code.commands {
                if let Command::Define { target, value: Operation::Phi(ways) } = &command.it {
                    let way = ways.iter().find(|w| w.0 == from).expect("a phi has a way for each block");
                    phis.push((*target, self.operand(&frame, &way.1)));
                    continue;
                }
                for (target, value) in phis.drain(..) {
                    frame.registers[target.index()] = value;
                }
                self.command(&mut frame, &command.it)?;
            }
            for (target, value) in phis {
                frame.registers[target.index()] = value;
            }
            from = block;
            block = match &code.terminator.it {
                Terminator::Goto(to) => *to,
                Terminator::Return(value) => {
                    return Ok(value.as_ref().and_then(|v| self.operand(&frame, v)));
                }
                Terminator::Unreachable => return Err(Cut),
                Terminator::Branch { condition, then, otherwise } => match self.operand(&frame, condition) {
                    Some(value) => {
                        if value == 1 {
                            *then
                        } else {
                            *otherwise
                        }
                    }
                    None => self.recorded_successor(f.first_block, &[*then, *otherwise])?,
                },
                Terminator::Switch(switch) => match self.operand(&frame, &switch.value) {
                    Some(value) => switch.cases.iter().find(|c| c.0 == value).map_or(switch.default, |c| c.1),
                    None => self.recorded_successor(f.first_block, &code.terminator.it.successors())?,
                },
            };
        }
    }

    fn recorded_successor(&mut self, first: u32, allowed: &[BlockId]) -> Result<BlockId, Cut> {
        let word = *self.recording.words.get(self.at).ok_or(Cut)?;
        let next = BlockId((word as u32).wrapping_sub(first));
        assert!(word >> 48 == BLOCK && allowed.contains(&next), "word {}: {word:x} is no successor", self.at);
        Ok(next)
    }

    fn operand(&self, frame: &Frame, operand: &Operand) -> Option<u128> {
        let plus = |address: u64, offset: i64| Some(u128::from(address.wrapping_add(offset as u64)));
        match operand {
            Operand::Register(id) => frame.registers[id.index()],
            Operand::Constant { value, .. } => Some(*value),
            Operand::Global(id, offset) => plus(self.recording.globals[id.index()], *offset),
            Operand::Local(id, offset) => plus(*frame.addresses.get(id).expect("it was allocated"), *offset),
            Operand::Function(id) => plus(self.recording.functions[id.index()], 0),
            Operand::External(symbol) => {
                let index = self.program.externals.binary_search(symbol).expect("it is in the table");
                plus(self.recording.externals[index], 0)
            }
            Operand::Undefined { .. } => None,
        }
    }

    fn bits(&self, frame: &Frame, operand: &Operand) -> u32 {
        match operand {
            Operand::Register(id) => self.width(frame, *id),
            Operand::Constant { bits, .. } | Operand::Undefined { bits } => *bits,
            _ => 64,
        }
    }

    fn width(&self, frame: &Frame, id: RegId) -> u32 {
        self.program.functions[frame.function.index()].registers[id.index()]
    }

    /// A recorded word that the model may know too.
    fn agree(&mut self, frame: &Frame, operand: &Operand, what: &str) -> Result<u64, Cut> {
        let recorded = self.word()?;
        if let Some(known) = self.operand(frame, operand) {
            assert_eq!(known as u64, recorded, "word {}: {what} in {:?}", self.at - 1, operand);
        }
        Ok(recorded)
    }

    fn command(&mut self, frame: &mut Frame, command: &Command) -> Result<(), Cut> {
        match command {
            Command::Define { target, value: Operation::Opaque { .. } } => {
                frame.registers[target.index()] = Some(self.value(self.width(frame, *target))?);
            }
            Command::Define { target, value } => {
                let bits = self.width(frame, *target);
                frame.registers[target.index()] = self.operation(frame, value, bits);
            }
            Command::Load { target, place, logged, .. } => {
                let bits = self.width(frame, *target);
                frame.registers[target.index()] = self.load(frame, place, bits, *logged)?;
            }
            Command::Store { place, value, bits } => {
                let value = self.operand(frame, value);
                let bytes = bits.div_ceil(8) as usize;
                match place {
                    Place::Local(id, offset) => {
                        for n in 0..bytes {
                            frame.locals[id.index()][*offset as usize + n] = value.map(|v| (v >> (8 * n)) as u8);
                        }
                    }
                    Place::Memory(address) => {
                        let address = self.agree(frame, address, "the address of a store")?;
                        for n in 0..bytes as u64 {
                            match value {
                                Some(value) => self.memory.insert(address + n, (value >> (8 * n)) as u8),
                                None => self.memory.remove(&(address + n)),
                            };
                        }
                    }
                }
            }
            Command::Allocate { local, target } => {
                let address = self.word()?;
                let size = self.word()?;
                let known = self.program.functions[frame.function.index()].locals[local.index()].size;
                assert!(known.is_none_or(|s| s == size), "the size of a local");
                (address..address + size).for_each(|a| {
                    self.memory.remove(&a);
                });
                frame.addresses.insert(*local, address);
                if let Some(target) = target {
                    frame.registers[target.index()] = Some(u128::from(address));
                }
            }
            Command::Copy { to, from, length, .. } => {
                let to = self.agree(frame, to, "the target of a copy")?;
                let from = self.agree(frame, from, "the source of a copy")?;
                let length = self.agree(frame, length, "the length of a copy")?;
                let bytes: Vec<Option<u8>> = (0..length).map(|n| self.memory.get(&(from + n)).copied()).collect();
                for (n, byte) in bytes.into_iter().enumerate() {
                    match byte {
                        Some(byte) => self.memory.insert(to + n as u64, byte),
                        None => self.memory.remove(&(to + n as u64)),
                    };
                }
            }
            Command::Fill { to, byte, length } => {
                let to = self.agree(frame, to, "the target of a fill")?;
                let length = self.agree(frame, length, "the length of a fill")?;
                if let Some(byte) = self.operand(frame, byte) {
                    (to..to + length).for_each(|a| {
                        self.memory.insert(a, byte as u8);
                    });
                }
            }
            Command::Call { target, callee, arguments, site } => {
                let result = self.call(frame, *target, callee, arguments, *site)?;
                if let Some(target) = target {
                    frame.registers[target.index()] = result;
                }
            }
        }
        Ok(())
    }

    fn load(&mut self, frame: &Frame, place: &Place, bits: u32, logged: bool) -> Result<Option<u128>, Cut> {
        let bytes = bits.div_ceil(8) as usize;
        let join = |bytes: Vec<Option<u8>>| {
            bytes
                .into_iter()
                .rev()
                .try_fold(0u128, |sum, b| Some(sum << 8 | u128::from(b?)))
                .map(|v| v & ev::mask(bits))
        };
        match place {
            Place::Local(id, offset) => {
                let start = *offset as usize;
                let known = join(frame.locals[id.index()][start..start + bytes].to_vec());
                if !logged {
                    return Ok(known);
                }
                let recorded = self.value(bits)?;
                assert!(known.is_none_or(|k| k == recorded), "word {}: a local", self.at);
                Ok(Some(recorded))
            }
            Place::Memory(address) => {
                let address = self.agree(frame, address, "the address of a load")?;
                let value = self.value(bits)?;
                let known = join((0..bytes as u64).map(|n| self.memory.get(&(address + n)).copied()).collect());
                self.walk.loads += 1;
                self.walk.known += usize::from(known.is_some());
                self.walk.surprises += usize::from(known.is_some_and(|k| k != value));
                for n in 0..bytes as u64 {
                    self.memory.insert(address + n, (value >> (8 * n)) as u8);
                }
                Ok(Some(value))
            }
        }
    }

    fn call(
        &mut self,
        frame: &Frame,
        target: Option<RegId>,
        callee: &Callee,
        arguments: &[Operand],
        site: u32,
    ) -> Result<Option<u128>, Cut> {
        if let Callee::Function(id) = callee {
            let arguments = arguments.iter().map(|a| self.operand(frame, a)).collect();
            return self.function(*id, arguments);
        }
        // Functions called back, or the one behind the pointer, come first.
        while self.recording.words.get(self.at).ok_or(Cut)? >> 48 == BLOCK {
            self.enter_any()?;
        }
        let word = self.word()?;
        assert_eq!(word, RETURN << 48 | u64::from(site), "word {}: the return of {callee:?}", self.at - 1);
        let value = target.map(|t| self.value(self.width(frame, t))).transpose()?;
        if let Callee::External(name) = callee
            && wherefore_clib::function(name).is_some_and(wherefore_clib::Function::is_seen)
        {
            self.skip_memory()?;
        }
        Ok(value)
    }

    /// Memory after a call.
    fn skip_memory(&mut self) -> Result<(), Cut> {
        loop {
            let word = self.word()?;
            if word == SEEN_END {
                return Ok(());
            }
            assert_eq!(word >> 48, SEEN, "word {}: memory after a call", self.at - 1);
            for _ in 0..1 + (word as u32).div_ceil(8) {
                self.word()?;
            }
        }
    }

    fn operation(&self, frame: &Frame, operation: &Operation, bits: u32) -> Option<u128> {
        let o = |operand: &Operand| self.operand(frame, operand);
        let w = |operand: &Operand| self.bits(frame, operand);
        match operation {
            Operation::Copy(a) => o(a),
            Operation::Binary { op, left, right, .. } => ev::binary(*op, o(left)?, o(right)?, bits),
            Operation::Compare(op, a, b) => Some(u128::from(ev::compare(*op, o(a)?, o(b)?, w(a)))),
            Operation::Cast(op, a) => Some(ev::cast(*op, o(a)?, w(a), bits)),
            Operation::Select(c, a, b) => {
                if o(c)? == 1 {
                    o(a)
                } else {
                    o(b)
                }
            }
            Operation::Extract { value, low } => Some(o(value)? >> low & ev::mask(bits)),
            Operation::Insert { value, part, low } => {
                // Undefined rest counts as zero: what is built up piece by piece is known piece by piece.
                let hole = ev::mask(w(part)) << low;
                Some(o(value).unwrap_or(0) & !hole | o(part)? << low)
            }
            Operation::FloatBinary(op, a, b) => Some(ev::float_binary(*op, o(a)?, o(b)?, bits)),
            Operation::FloatCompare(op, a, b) => Some(u128::from(ev::float_compare(*op, o(a)?, o(b)?, w(a)))),
            Operation::FloatCast(op, a) => Some(ev::float_cast(*op, o(a)?, w(a), bits)),
            Operation::FloatNegate(a) => Some(ev::float_negate(o(a)?, bits)),
            Operation::FloatAbs(a) => Some(ev::float_abs(o(a)?, bits)),
            Operation::FloatSqrt(a) => Some(ev::float_sqrt(o(a)?, bits)),
            Operation::Phi(_) | Operation::Opaque { .. } => {
                unreachable!("handled where words are read")
            }
        }
    }
}
