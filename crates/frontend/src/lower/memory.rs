//! Loads, stores, allocations, copies and atomic operations.

use super::body::Body;
use super::constant::word;
use crate::llvm::{RmwOp, Value};
use crate::plan::Word;
use wherefore_program::{BinaryOp, Command, CompareOp, Operand, Operation, Place, Slot};

const WIDE: &str = "a value of more than 128 bits";
const ATOMIC: &str = "an atomic operation is taken as a plain one: other threads are not modelled";

impl Body<'_, '_> {
    /// Said where there may be other threads.
    fn note_atomic(&mut self) {
        if self.whole.threads {
            self.note(ATOMIC);
        }
    }

    /// What an access through a pointer reads or writes.
    fn place(&mut self, pointer: Value) -> Place {
        match self.operand(pointer) {
            Operand::Local(id, offset) if !self.function.locals[id.index()].escapes => Place::Local(id, offset as u64),
            address => Place::Memory(address),
        }
    }

    /// Whether an access lies inside a variable of the program and so cannot fail.
    fn is_safe(&self, address: &Operand, bytes: u64, write: bool) -> bool {
        let inside = |offset: i64, size: u64| u64::try_from(offset).is_ok_and(|o| o + bytes <= size);
        match address {
            Operand::Local(id, offset) => {
                self.function.locals[id.index()].size.is_some_and(|size| inside(*offset, size))
            }
            Operand::Global(id, offset) => {
                let global = &self.globals[id.index()];
                let fixed = global.external || write && global.constant;
                !fixed && inside(*offset, global.size)
            }
            _ => false,
        }
    }

    pub fn load(&mut self, instruction: Value) {
        if instruction.is_atomic() {
            self.note_atomic();
        }
        let Some(bits) = self.whole.width(instruction.ty()) else {
            return self.note(&format!("{WIDE} is not modelled"));
        };
        let pointer = instruction.operand(0);
        let place = self.place(pointer);
        let target = self.fresh(bits);
        self.values.insert(instruction, Operand::Register(target));
        if let Place::Memory(address) = &place {
            self.log_before(Word::Value(pointer));
            if self.is_safe(address, u64::from(bits.div_ceil(8)), false) {
                self.safe.insert(instruction);
            }
        } else {
            self.safe.insert(instruction);
        }
        self.log_after(Word::Value(instruction));
        let local = matches!(place, Place::Local(..));
        self.emit(Command::Load { target, place, logged: false, volatile: instruction.is_volatile() });
        if local {
            self.local_load();
        }
    }

    pub fn store(&mut self, instruction: Value) {
        if instruction.is_atomic() {
            self.note_atomic();
        }
        let (value, pointer) = (instruction.operand(0), instruction.operand(1));
        let Some(bits) = self.whole.width(value.ty()) else {
            return self.store_wide(value, pointer);
        };
        let place = self.place(pointer);
        let value = self.handed(value);
        if let Place::Memory(address) = &place {
            self.log_before(Word::Value(pointer));
            if self.is_safe(address, u64::from(bits.div_ceil(8)), true) {
                self.safe.insert(instruction);
            }
        } else {
            self.safe.insert(instruction);
        }
        self.emit(Command::Store { place, value, bits });
        self.act([(Slot::Value, 0), (Slot::Address, 1)]);
    }

    /// Stores a value the model has no register for word by word, each word as recorded.
    fn store_wide(&mut self, value: Value, pointer: Value) {
        self.note(&format!("{WIDE} is not modelled; the recorded value stands for it"));
        let bytes = self.whole.module.store_size(value.ty());
        let address = self.operand(pointer);
        // Whole words only: what remains of an odd size is seen when it is loaded.
        for part in 0..bytes / 8 {
            let what = WIDE.to_string();
            let content = self.define(64, Operation::Opaque { what, operands: vec![] });
            self.log_before(Word::Part(value, part as u32));
            let address = self.offset(address.clone(), part as i64 * 8);
            self.log_before(Word::Offset(pointer, part * 8));
            self.emit(Command::Store { place: Place::Memory(address), value: content, bits: 64 });
        }
    }

    pub fn allocate(&mut self, instruction: Value) {
        let local = self.locals[&instruction];
        let (escapes, size) = (self.function.locals[local.index()].escapes, self.function.locals[local.index()].size);
        let operand = match size {
            None => Operand::Register(self.fresh(64)),
            Some(_) => Operand::Local(local, 0),
        };
        if escapes {
            let target = if let Operand::Register(register) = operand { Some(register) } else { None };
            self.emit(Command::Allocate { local, target });
            self.log_after(Word::Value(instruction));
            self.log_after(match size {
                Some(size) => Word::Constant(size),
                None => Word::Size(instruction.operand(0), self.whole.module.size(instruction.allocated_type())),
            });
        }
        self.values.insert(instruction, operand);
    }

    /// `memcpy`, whose bytes lie apart, and `memmove`, intrinsic or the library's.
    pub fn copy(&mut self, to: Value, from: Value, length: Value, apart: bool) {
        let (to_operand, from_operand) = (self.operand(to), self.operand(from));
        let length_operand = self.operand(length);
        let length_operand = self.resize(length_operand, 64);
        for value in [to, from, length] {
            self.log_before(Word::Value(value));
        }
        self.emit(Command::Copy { to: to_operand, from: from_operand, length: length_operand, apart });
    }

    /// A copy of a fixed length.
    pub fn copy_bytes(&mut self, to: Value, from: Value, length: u64) {
        let (to_operand, from_operand) = (self.operand(to), self.operand(from));
        self.log_before(Word::Value(to));
        self.log_before(Word::Value(from));
        self.log_before(Word::Constant(length));
        self.emit(Command::Copy { to: to_operand, from: from_operand, length: word(length as i64), apart: false });
    }

    /// `memset`, intrinsic or the library's, whose byte is an `int`.
    pub fn fill(&mut self, to: Value, byte: Value, length: Value) {
        let to_operand = self.operand(to);
        let byte = self.operand(byte);
        let byte = self.resize(byte, 8);
        let length_operand = self.operand(length);
        let length_operand = self.resize(length_operand, 64);
        self.log_before(Word::Value(to));
        self.log_before(Word::Value(length));
        self.emit(Command::Fill { to: to_operand, byte, length: length_operand });
    }

    /// Reads the old value at a pointer, for an operation that reads and writes at once.
    fn read_old(&mut self, instruction: Value, bits: u32) -> (Operand, Operand) {
        let pointer = instruction.operand(0);
        let address = self.operand(pointer);
        let target = self.fresh(bits);
        self.emit(Command::Load {
            target,
            place: Place::Memory(address.clone()),
            logged: false,
            volatile: instruction.is_volatile(),
        });
        self.log_before(Word::Value(pointer));
        (address, Operand::Register(target))
    }

    fn write_new(&mut self, pointer: Value, address: Operand, value: Operand, bits: u32) {
        self.log_after(Word::Value(pointer));
        self.emit(Command::Store { place: Place::Memory(address), value, bits });
    }

    pub fn atomic_update(&mut self, instruction: Value) {
        self.note_atomic();
        let Some(bits) = self.whole.width(instruction.ty()) else {
            return self.note(&format!("{WIDE} is not modelled"));
        };
        let argument = self.operand(instruction.operand(1));
        let (address, old) = self.read_old(instruction, bits);
        self.log_after(Word::Value(instruction));
        let pick = |op| Some((op, argument.clone()));
        let (compare, plain) = match instruction.rmw_op() {
            RmwOp::LLVMAtomicRMWBinOpXchg => (None, Some(argument.clone())),
            RmwOp::LLVMAtomicRMWBinOpAdd => (None, Some(self.binary(bits, BinaryOp::Add, old.clone(), argument))),
            RmwOp::LLVMAtomicRMWBinOpSub => (None, Some(self.binary(bits, BinaryOp::Sub, old.clone(), argument))),
            RmwOp::LLVMAtomicRMWBinOpAnd => (None, Some(self.binary(bits, BinaryOp::And, old.clone(), argument))),
            RmwOp::LLVMAtomicRMWBinOpOr => (None, Some(self.binary(bits, BinaryOp::Or, old.clone(), argument))),
            RmwOp::LLVMAtomicRMWBinOpXor => (None, Some(self.binary(bits, BinaryOp::Xor, old.clone(), argument))),
            RmwOp::LLVMAtomicRMWBinOpNand => {
                let both = self.binary(bits, BinaryOp::And, old.clone(), argument);
                (None, Some(self.not(bits, both)))
            }
            RmwOp::LLVMAtomicRMWBinOpMax => (pick(CompareOp::SGt), None),
            RmwOp::LLVMAtomicRMWBinOpMin => (pick(CompareOp::SLt), None),
            RmwOp::LLVMAtomicRMWBinOpUMax => (pick(CompareOp::UGt), None),
            RmwOp::LLVMAtomicRMWBinOpUMin => (pick(CompareOp::ULt), None),
            _ => (None, None),
        };
        let new = match (compare, plain) {
            (Some((op, argument)), _) => self.choose(bits, op, old.clone(), argument),
            (None, Some(new)) => new,
            (None, None) => {
                self.unsupported("this atomic operation");
                Operand::Undefined { bits }
            }
        };
        self.write_new(instruction.operand(0), address, new, bits);
        self.values.insert(instruction, old);
    }

    pub fn compare_exchange(&mut self, instruction: Value) {
        self.note_atomic();
        let Some(bits) = self.whole.width(instruction.operand(1).ty()) else {
            return self.note(&format!("{WIDE} is not modelled"));
        };
        let (expected, new) = (self.operand(instruction.operand(1)), self.operand(instruction.operand(2)));
        let (address, old) = self.read_old(instruction, bits);
        // The result is a pair; its first part is the value read.
        self.log_after(Word::Element(instruction, 0));
        let equal = self.define(1, Operation::Compare(CompareOp::Eq, old.clone(), expected));
        let stored = self.define(bits, Operation::Select(equal.clone(), new, old.clone()));
        self.write_new(instruction.operand(0), address, stored, bits);
        self.pairs.insert(instruction, [old, equal]);
    }
}
