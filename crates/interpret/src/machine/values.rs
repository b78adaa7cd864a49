//! Registers and locals, and what operations make of them.

use super::Machine;
use crate::operation::{binary, cast, compare, float_binary, float_cast, float_compare, mask, real};
use crate::stop::{Going, give_up};
use wherefore_program::{FunctionId, LocalId, Operand, Operation, RegId};

impl Machine<'_> {
    pub fn operand(&mut self, operand: &Operand) -> u128 {
        match operand {
            Operand::Register(register) => self.frame().registers[register.index()],
            Operand::Constant { value, .. } => *value,
            Operand::Undefined { .. } => 0,
            Operand::Global(id, offset) => self.images[id.index()].address.wrapping_add_signed(*offset).into(),
            Operand::Local(id, offset) => {
                let address = self.frame().addresses.get(id).copied().unwrap_or(0);
                address.wrapping_add_signed(*offset).into()
            }
            Operand::Function(id) => self.functions[id.index()].into(),
            Operand::External(name) => {
                let number = self.run.program.externals.binary_search(name).unwrap_or(usize::MAX);
                self.externals.get(number).copied().unwrap_or(0).into()
            }
        }
    }

    /// The width of an operand.
    pub fn width(&mut self, operand: &Operand) -> u32 {
        match operand {
            Operand::Register(register) => {
                let id = self.frame().function;
                self.function(id).registers[register.index()]
            }
            Operand::Constant { bits, .. } | Operand::Undefined { bits } => *bits,
            _ => 64,
        }
    }

    pub fn set(&mut self, register: RegId, value: u128) {
        self.frame().registers[register.index()] = value;
    }

    /// Where integers have no limits, an address lies in its array.
    pub(super) fn inside(&mut self, id: FunctionId, register: RegId, value: u128) -> Going<()> {
        let Some((start, size)) = self.arrays.get(&(id, register)).cloned() else { return Ok(()) };
        let start = self.operand(&start) as u64;
        match (value as u64).wrapping_sub(start) < size {
            true => Ok(()),
            false => give_up("an index of a map is negative or too large to be supported"),
        }
    }

    fn local_bytes(&mut self, local: LocalId) -> &mut Vec<u8> {
        let id = self.frame().function;
        let size = self.function(id).locals[local.index()].size.unwrap_or(0) as usize;
        self.frame().locals.entry(local).or_insert_with(|| vec![0; size])
    }

    pub(super) fn load_local(&mut self, local: LocalId, offset: u64, bits: u32) -> u128 {
        let bytes = &self.local_bytes(local)[offset as usize..][..bits.div_ceil(8) as usize];
        let value = bytes.iter().rev().fold(0u128, |value, byte| value << 8 | u128::from(*byte));
        mask(value, bits)
    }

    pub(super) fn store_local(&mut self, local: LocalId, offset: u64, bits: u32, value: u128) {
        let count = bits.div_ceil(8) as usize;
        self.local_bytes(local)[offset as usize..][..count].copy_from_slice(&value.to_le_bytes()[..count]);
    }

    pub(super) fn operation(&mut self, operation: &Operation, bits: u32) -> Going<u128> {
        Ok(match operation {
            Operation::Copy(a) => self.operand(a),
            Operation::Binary { op, left, right, no_signed_wrap, .. } => {
                let (a, b) = (self.operand(left), self.operand(right));
                binary(*op, a, b, bits, *no_signed_wrap, self.run.integers)?
            }
            Operation::Compare(op, a, b) => {
                let width = self.width(a);
                compare(*op, self.operand(a), self.operand(b), width).into()
            }
            Operation::Cast(op, a) => {
                let from = self.width(a);
                cast(*op, self.operand(a), from, bits)
            }
            Operation::Select(condition, a, b) => {
                let chosen = if self.operand(condition) != 0 { a } else { b };
                self.operand(chosen)
            }
            Operation::Extract { value, low } => mask(self.operand(value) >> low, bits),
            Operation::Insert { value, part, low } => {
                let width = self.width(part);
                let hole = mask(u128::MAX, width) << low;
                self.operand(value) & !hole | self.operand(part) << low
            }
            Operation::FloatBinary(op, a, b) => float_binary(*op, self.operand(a), self.operand(b), bits),
            Operation::FloatCompare(op, a, b) => {
                let width = self.width(a);
                float_compare(*op, self.operand(a), self.operand(b), width).into()
            }
            Operation::FloatCast(op, a) => {
                let from = self.width(a);
                float_cast(*op, self.operand(a), from, bits)?
            }
            Operation::FloatNegate(a) => self.operand(a) ^ 1 << (bits - 1),
            Operation::FloatAbs(a) => self.operand(a) & !(1 << (bits - 1)),
            Operation::FloatSqrt(a) => {
                let root = real(self.operand(a), bits).sqrt();
                if bits == 32 { (root as f32).to_bits().into() } else { root.to_bits().into() }
            }
            // They were computed when the block was entered.
            Operation::Phi(_) => unreachable!("values of a block are chosen on its entry"),
            Operation::Opaque { what, .. } => return give_up(what.clone()),
        })
    }
}
