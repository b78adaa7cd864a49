//! What each command does to a state.

use crate::function::Frame;
use crate::memory::{Content, Rest};
use crate::state::{State, Unfolder, local_kind};
use crate::{Error, Fault};
use wherefore_formula::TermId;
use wherefore_program::{
    BinaryOp, BlockId, CType, Callee, Command, FunctionId, LocalId, Located, Operand, Operation, Origin, Place, RegId,
    Slot,
};

/// Where functions have their addresses; nothing is read or written there.
pub(crate) const FIRST_FUNCTION: u64 = 0x5a5a_0000_0000;
/// Where library functions have theirs.
pub(crate) const FIRST_EXTERNAL: u64 = 0x5a5b_0000_0000;
/// Size of an object whose size is known at run time only.
const OPEN_SIZE: u64 = 4096;
/// Bytes that one copy may have before it is given up.
const LONG_COPY: u128 = 1 << 16;

impl Unfolder<'_> {
    pub fn command(
        &mut self,
        frame: &mut Frame,
        state: &mut State,
        block: BlockId,
        number: u32,
        command: &Located<Command>,
    ) -> Result<(), Error> {
        let at = command.at;
        let here = (block, Some(number));
        match &command.it {
            Command::Define { value: Operation::Phi(_), .. } => {}
            Command::Define { target, value } => {
                let bits = self.width(frame, *target);
                let value = self.operation(frame, state, value, bits, at);
                self.define(frame, state, *target, value);
            }
            Command::Load { target, place, .. } => {
                let bits = self.width(frame, *target);
                let value = match place {
                    Place::Local(local, offset) => {
                        let mut content = state.locals.get(local).cloned().unwrap_or_else(|| Content::new(&self.terms));
                        let Unfolder { terms, variables, .. } = self;
                        let value = content.read(terms, &local_kind(), variables, *offset, bits.div_ceil(8));
                        state.locals.insert(*local, content);
                        self.terms.extract(value, 0, bits)
                    }
                    Place::Memory(address) => {
                        let address = self.operand(frame, state, address);
                        self.load(state, address, bits, at)
                    }
                };
                self.define(frame, state, *target, value);
            }
            Command::Store { place, value, bits } => {
                let value = self.operand(frame, state, value);
                debug_assert_eq!(self.terms.width(value), *bits);
                let value = self.soften(frame, state, here, Slot::Value, value, at);
                match place {
                    Place::Local(local, offset) => {
                        let mut content = state.locals.get(local).cloned().unwrap_or_else(|| Content::new(&self.terms));
                        let value = self.terms.zero_extend(value, bits.div_ceil(8) * 8);
                        content.write(&mut self.terms, *offset, value);
                        state.locals.insert(*local, content);
                    }
                    Place::Memory(address) => {
                        let address = self.operand(frame, state, address);
                        let address = self.soften(frame, state, here, Slot::Address, address, at);
                        self.store(state, address, value, at);
                    }
                }
            }
            Command::Allocate { local, target } => {
                let declared = &self.program.functions[frame.function.index()].locals[local.index()];
                let asked = match declared.size {
                    Some(size) => Some(self.terms.bits(64, u128::from(size))),
                    None => self.size_of_array(frame, state, block, number, *local),
                };
                let asked = asked.unwrap_or_else(|| {
                    self.note(at, "the size of an array is known at run time only; its bounds are not checked");
                    self.terms.bits(64, u128::from(OPEN_SIZE))
                });
                let object = self.sized_object(state, asked, Rest::Undefined);
                self.declare(object, declared.origin, declared.ctype);
                // In a loop the object of the round before is gone.
                if let Some(old) = frame.objects.insert(*local, object)
                    && target.is_none()
                {
                    state.memory.remove(&old);
                }
                if let Some(target) = target {
                    let address = self.pointer_to(object);
                    self.define(frame, state, *target, address);
                }
            }
            Command::Copy { to, from, length, .. } => {
                let to = self.operand(frame, state, to);
                let from = self.operand(frame, state, from);
                let length = self.operand(frame, state, length);
                self.copy(state, to, from, length, at);
            }
            Command::Fill { to, byte, length } => {
                let to = self.operand(frame, state, to);
                let byte = self.operand(frame, state, byte);
                let length = self.operand(frame, state, length);
                self.fill(state, to, byte, length, at);
            }
            Command::Call { target, callee, arguments, .. } => {
                let mut values = vec![];
                for (n, argument) in arguments.iter().enumerate() {
                    let value = self.operand(frame, state, argument);
                    // The library gets the pointers it is given: a wrong one would show in its result.
                    let kept = matches!(callee, Callee::External(_)) && self.is_pointer(value);
                    if kept {
                        self.note_kept(frame, here, n as u32, callee, at);
                    }
                    values.push(match kept {
                        true => value,
                        false => self.soften(frame, state, here, Slot::Argument(n as u32), value, at),
                    });
                }
                let bits = target.map(|t| self.width(frame, t));
                let result = self.call(frame, state, callee, &values, bits, at)?;
                if let Some(target) = target
                    && !self.is_dead(state)
                {
                    let bits = self.width(frame, *target);
                    let result = match result {
                        Some(value) if self.terms.width(value) == bits => value,
                        _ => self.unknown(bits),
                    };
                    self.define(frame, state, *target, result);
                }
            }
        }
        Ok(())
    }

    fn width(&self, frame: &Frame, register: RegId) -> u32 {
        self.program.functions[frame.function.index()].registers[register.index()]
    }

    fn define(&mut self, frame: &mut Frame, state: &mut State, register: RegId, value: TermId) {
        if frame.shape.crossing[register.index()] {
            state.registers.insert(register, value);
        }
        frame.registers.insert(register, value);
    }

    /// The value of an operand.
    pub fn operand(&mut self, frame: &Frame, state: &State, operand: &Operand) -> TermId {
        let address = |base: u64, offset: i64| u128::from(base.wrapping_add_signed(offset));
        match operand {
            Operand::Register(register) => {
                let known = frame.registers.get(register).or_else(|| state.registers.get(register));
                match known {
                    Some(value) => *value,
                    // Defined on no way that leads here.
                    None => {
                        let bits = self.width(frame, *register);
                        self.unknown(bits)
                    }
                }
            }
            Operand::Constant { bits, value } => self.terms.bits(*bits, *value),
            Operand::Undefined { bits } => self.terms.bits(*bits, 0),
            Operand::Global(global, offset) => {
                let base = self.kind(self.objects.global(*global)).address;
                self.terms.bits(64, address(base, *offset))
            }
            Operand::Local(local, offset) => {
                let base = frame.objects.get(local).map_or(0, |object| self.kind(*object).address);
                self.terms.bits(64, address(base, *offset))
            }
            Operand::Function(function) => self.terms.bits(64, u128::from(function_address(*function))),
            Operand::External(symbol) => {
                let number = self.program.externals.iter().position(|e| e == symbol).unwrap_or(0);
                self.terms.bits(64, u128::from(FIRST_EXTERNAL + 16 * number as u64))
            }
        }
    }

    fn operation(
        &mut self,
        frame: &Frame,
        state: &mut State,
        operation: &Operation,
        bits: u32,
        at: Option<Origin>,
    ) -> TermId {
        if let Operation::Binary { op, left, right, .. } = operation {
            let (a, b) = (self.operand(frame, state, left), self.operand(frame, state, right));
            return self.binary(state, *op, a, b, at);
        }
        let operands: Vec<TermId> = operation.operands().into_iter().map(|o| self.operand(frame, state, o)).collect();
        let mut next = operands.into_iter();
        let term = wherefore_meaning::term(&mut self.terms, operation, bits, |_, _| next.next().expect("one each"));
        match term {
            Some((value, _)) => value,
            None => {
                if let Operation::Opaque { what, .. } = operation {
                    self.note(at, format!("{what} is not followed"));
                }
                self.unknown(bits)
            }
        }
    }

    /// Integer arithmetic as the machine does it: sums wrap, shifts look at the low bits of their amount only.
    fn binary(&mut self, state: &mut State, op: BinaryOp, a: TermId, b: TermId, at: Option<Origin>) -> TermId {
        let width = self.terms.width(a);
        let (mut a, mut b) = (a, b);
        match op {
            BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem => {
                let zero = self.terms.bits(width, 0);
                let by_zero = self.terms.eq(b, zero);
                self.fail_as(state, by_zero, (Fault::Arithmetic, "a division by zero"), at);
                if matches!(op, BinaryOp::SDiv | BinaryOp::SRem) {
                    let smallest = self.terms.bits(width, 1 << (width - 1));
                    let minus_one = self.terms.bits(width, u128::MAX);
                    let (x, y) = (self.terms.eq(a, smallest), self.terms.eq(b, minus_one));
                    let overflow = self.terms.and2(x, y);
                    self.fail_as(state, overflow, (Fault::Arithmetic, "a quotient that is too large"), at);
                }
            }
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr if width.is_power_of_two() && width >= 32 => {
                let mask = self.terms.bits(width, u128::from(width - 1));
                b = self.terms.binary(wherefore_formula::BinaryOp::And, b, mask);
            }
            // An index times a size: sizes first, so that addresses keep their shape.
            BinaryOp::Add if self.is_pointer(b) => std::mem::swap(&mut a, &mut b),
            _ => {}
        }
        let operation = Operation::Binary {
            op,
            left: Operand::Undefined { bits: width },
            right: Operand::Undefined { bits: width },
            no_signed_wrap: false,
            no_unsigned_wrap: false,
        };
        let mut operands = [a, b].into_iter();
        let term = wherefore_meaning::term(&mut self.terms, &operation, width, |_, _| operands.next().expect("two"));
        term.expect("arithmetic has a meaning").0
    }

    /// The size of an array of variable length: clang keeps the number of elements of each of its dimensions in a
    /// variable of its own, written right after the array comes to life.
    fn size_of_array(
        &mut self,
        frame: &Frame,
        state: &State,
        block: BlockId,
        number: u32,
        local: LocalId,
    ) -> Option<TermId> {
        let function = &self.program.functions[frame.function.index()];
        let mut element = function.locals[local.index()].ctype?;
        let mut counts = vec![];
        for command in &function.blocks[block.index()].commands[number as usize + 1..] {
            let Command::Store { place: Place::Local(to, 0), value, bits: 64 } = &command.it else { break };
            let CType::Array { element: inner, count: None } = self.program.types[element] else { break };
            if function.locals[to.index()].name.is_some() {
                break;
            }
            counts.push(value);
            element = inner;
        }
        // What is left is of a fixed size.
        let size = self.program.types.size(element).filter(|_| !counts.is_empty())?;
        let mut all = self.terms.bits(64, u128::from(size));
        for count in counts {
            let count = self.operand(frame, state, count);
            all = self.terms.binary(wherefore_formula::BinaryOp::Mul, all, count);
        }
        Some(all)
    }

    /// `memcpy` and `memmove`.
    pub fn copy(&mut self, state: &mut State, to: TermId, from: TermId, length: TermId, at: Option<Origin>) {
        let Some(length) = self.terms.constant(length).filter(|n| *n <= LONG_COPY) else {
            self.copy_open(state, to, from, length, at);
            return;
        };
        // Along the cells of the source where there is one source, so that values stay whole.
        let mut borders: Vec<u64> = vec![];
        if let Some([way]) = self.ways(from).as_deref()
            && way.index.is_none()
            && let Some(object) = self.object_at(way.base)
            && let Some(content) = state.memory.get(&object)
        {
            let start = way.base - self.kind(object).address;
            let cells = content.cells.range(start..start + length as u64);
            borders.extend(cells.flat_map(|(at, cell)| [at - start, at - start + u64::from(cell.bytes)]));
        }
        let mut values = vec![];
        let mut at_byte = 0u64;
        while u128::from(at_byte) < length {
            let next = borders.iter().copied().filter(|b| *b > at_byte).min().unwrap_or(u64::MAX);
            let bytes = (next - at_byte).min(8).min(length as u64 - at_byte);
            let bytes = if bytes >= 8 {
                8
            } else if bytes >= 4 {
                4
            } else if bytes >= 2 {
                2
            } else {
                1
            };
            let address = self.displaced(from, at_byte);
            let value = self.load(state, address, bytes as u32 * 8, at);
            values.push((at_byte, value));
            at_byte += bytes;
        }
        for (offset, value) in values {
            let address = self.displaced(to, offset);
            self.store(state, address, value, at);
        }
    }

    /// A copy of a length that is known at run time only: each piece of it if the length reaches so far.
    fn copy_open(&mut self, state: &mut State, to: TermId, from: TermId, length: TermId, at: Option<Origin>) {
        let Some(count) = self.count(length, &[to, from]) else {
            let truth = self.terms.truth(true);
            self.cut_if(state, truth, "a copy whose length is not fixed is not followed", at);
            return;
        };
        let bytes = self.piece(length);
        let mut values = vec![];
        for offset in (0..count).step_by(bytes as usize) {
            let reached = self.is_below(offset as usize, length);
            let address = self.displaced(from, offset);
            let value = self.load_if(state, reached, address, bytes * 8, at);
            values.push((reached, offset, value));
        }
        for (reached, offset, value) in values {
            let address = self.displaced(to, offset);
            self.store_if(state, reached, address, value, at);
        }
    }

    /// Bytes that a length surely consists of.
    fn piece(&self, length: TermId) -> u32 {
        match self.stride(length) {
            n if n % 8 == 0 => 8,
            n if n % 4 == 0 => 4,
            n if n % 2 == 0 => 2,
            _ => 1,
        }
    }

    fn fill_open(&mut self, state: &mut State, to: TermId, byte: TermId, length: TermId, at: Option<Origin>) {
        let Some(count) = self.count(length, &[to]) else {
            let truth = self.terms.truth(true);
            self.cut_if(state, truth, "a fill whose length is not fixed is not followed", at);
            return;
        };
        let bytes = self.piece(length);
        let byte = self.terms.extract(byte, 0, 8);
        let value = (1..bytes).fold(byte, |value, _| self.terms.concat(byte, value));
        for offset in (0..count).step_by(bytes as usize) {
            let reached = self.is_below(offset as usize, length);
            let address = self.displaced(to, offset);
            self.store_if(state, reached, address, value, at);
        }
    }

    /// `memset`.
    pub fn fill(&mut self, state: &mut State, to: TermId, byte: TermId, length: TermId, at: Option<Origin>) {
        let Some(length) = self.terms.constant(length).filter(|n| *n <= LONG_COPY) else {
            self.fill_open(state, to, byte, length, at);
            return;
        };
        let byte = self.terms.extract(byte, 0, 8);
        let two = self.terms.concat(byte, byte);
        let four = self.terms.concat(two, two);
        let mut offset = 0u64;
        while u128::from(offset) < length {
            let (value, bytes) = if length as u64 - offset >= 4 { (four, 4) } else { (byte, 1) };
            let address = self.displaced(to, offset);
            self.store(state, address, value, at);
            offset += bytes;
        }
    }

    pub fn displaced(&mut self, address: TermId, offset: u64) -> TermId {
        let offset = self.terms.bits(64, u128::from(offset));
        self.terms.binary(wherefore_formula::BinaryOp::Add, address, offset)
    }
}

pub(crate) fn function_address(function: FunctionId) -> u64 {
    FIRST_FUNCTION + 16 * u64::from(function.0)
}
