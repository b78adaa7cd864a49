//! Constants and addresses.

use super::body::Body;
use crate::debug_info::{address_parts, constant_bits};
use crate::llvm::{Opcode, TypeKind, Value, ValueKind};
use wherefore_program::{BinaryOp, CastOp, Member, Operand, Operation};

impl Body<'_, '_> {
    /// The operand a constant is; some take commands to compute.
    pub fn constant(&mut self, value: Value, bits: u32) -> Operand {
        if let Some(number) = constant_bits(value) {
            return Operand::Constant { bits, value: number };
        }
        if value.is_undefined() {
            return Operand::Undefined { bits };
        }
        match value.kind() {
            ValueKind::LLVMConstantPointerNullValueKind | ValueKind::LLVMConstantAggregateZeroValueKind => {
                Operand::Constant { bits, value: 0 }
            }
            ValueKind::LLVMFunctionValueKind => match self.whole.functions.get(&value) {
                Some(id) => Operand::Function(*id),
                None => self.external(value),
            },
            ValueKind::LLVMGlobalVariableValueKind => match self.whole.globals.get(&value) {
                Some(id) => Operand::Global(*id, 0),
                None => self.external(value),
            },
            ValueKind::LLVMGlobalAliasValueKind => self.operand(value.aliasee()),
            ValueKind::LLVMGlobalIFuncValueKind => self.external(value),
            ValueKind::LLVMConstantStructValueKind
            | ValueKind::LLVMConstantArrayValueKind
            | ValueKind::LLVMConstantVectorValueKind
            | ValueKind::LLVMConstantDataArrayValueKind
            | ValueKind::LLVMConstantDataVectorValueKind => self.constant_aggregate(value, bits),
            ValueKind::LLVMConstantExprValueKind => self.constant_expression(value, bits),
            ValueKind::LLVMBlockAddressValueKind => {
                self.unsupported("the address of a label (computed goto)");
                Operand::Undefined { bits }
            }
            _ => {
                self.note("a constant of a kind that is not modelled is taken as unknown");
                Operand::Undefined { bits }
            }
        }
    }

    fn external(&mut self, value: Value) -> Operand {
        let symbol = value.name();
        self.whole.externals.insert(symbol.clone(), value);
        Operand::External(symbol)
    }

    fn constant_aggregate(&mut self, value: Value, bits: u32) -> Operand {
        let ty = value.ty();
        let mut known = 0u128;
        let mut others = vec![];
        for index in 0..ty.element_count() {
            let Some(element) = value.constant_element(index) else {
                continue;
            };
            let (offset, element_type) = self.whole.module.element(ty, index);
            let Some(element_bits) = self.whole.width(element_type) else {
                continue;
            };
            match self.constant(element, element_bits) {
                Operand::Constant { value, .. } => known |= value << offset,
                Operand::Undefined { .. } => {}
                other => others.push((offset as u32, other)),
            }
        }
        let mut whole = Operand::Constant { bits, value: known };
        for (low, part) in others {
            whole = self.define(bits, Operation::Insert { value: whole, part, low });
        }
        whole
    }

    fn constant_expression(&mut self, value: Value, bits: u32) -> Operand {
        let op = match value.constant_opcode() {
            Opcode::LLVMGetElementPtr => {
                let base = self.operand(value.operand(0));
                return match address_parts(self.whole.module, value) {
                    Some(parts) if parts.indices.is_empty() => self.offset(base, parts.constant),
                    _ => {
                        self.note("an address of a kind that is not modelled is taken as unknown");
                        Operand::Undefined { bits }
                    }
                };
            }
            Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr => {
                self.whole.beyond.insert("addresses are used as numbers");
                let operand = self.operand(value.operand(0));
                return self.resize(operand, bits);
            }
            Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast | Opcode::LLVMTrunc => {
                let operand = self.operand(value.operand(0));
                return self.resize(operand, bits);
            }
            Opcode::LLVMAdd => BinaryOp::Add,
            Opcode::LLVMSub => BinaryOp::Sub,
            Opcode::LLVMMul => BinaryOp::Mul,
            Opcode::LLVMXor => BinaryOp::Xor,
            _ => {
                self.note("a constant of a kind that is not modelled is taken as unknown");
                return Operand::Undefined { bits };
            }
        };
        let (left, right) = (self.operand(value.operand(0)), self.operand(value.operand(1)));
        self.binary(bits, op, left, right)
    }

    /// Integer arithmetic that wraps.
    pub fn binary(&mut self, bits: u32, op: BinaryOp, left: Operand, right: Operand) -> Operand {
        let value = Operation::Binary { op, left, right, no_signed_wrap: false, no_unsigned_wrap: false };
        self.define(bits, value)
    }

    /// Drops high bits or fills with zeros, where the width differs.
    pub fn resize(&mut self, operand: Operand, bits: u32) -> Operand {
        match self.bits(&operand).cmp(&bits) {
            std::cmp::Ordering::Equal => operand,
            std::cmp::Ordering::Less => self.define(bits, Operation::Cast(CastOp::ZeroExtend, operand)),
            std::cmp::Ordering::Greater => self.define(bits, Operation::Cast(CastOp::Truncate, operand)),
        }
    }

    /// An address plus a constant.
    pub fn offset(&mut self, base: Operand, bytes: i64) -> Operand {
        match base {
            _ if bytes == 0 => base,
            Operand::Global(id, offset) => Operand::Global(id, offset.wrapping_add(bytes)),
            Operand::Local(id, offset) => Operand::Local(id, offset.wrapping_add(bytes)),
            Operand::Constant { bits: 64, value } => {
                Operand::Constant { bits: 64, value: u128::from((value as u64).wrapping_add(bytes as u64)) }
            }
            other => self.binary(64, BinaryOp::Add, other, word(bytes)),
        }
    }

    /// A `getelementptr`: the base plus a constant plus each index times its factor.
    pub fn address(&mut self, instruction: Value) {
        let Some(parts) = address_parts(self.whole.module, instruction) else {
            return self.opaque(instruction, "arithmetic on vectors of pointers");
        };
        let mut address = self.operand(instruction.operand(0));
        for (index, factor) in parts.indices {
            let mut index = self.operand(index);
            if self.bits(&index) < 64 {
                index = self.define(64, Operation::Cast(CastOp::SignExtend, index));
            } else {
                index = self.resize(index, 64);
            }
            if factor != 1 {
                let value = Operation::Binary {
                    op: BinaryOp::Mul,
                    left: index,
                    right: word(factor),
                    no_signed_wrap: true,
                    no_unsigned_wrap: false,
                };
                index = self.define(64, value);
            }
            address = self.binary(64, BinaryOp::Add, address, index);
        }
        let address = self.offset(address, parts.constant);
        let address = self.member(instruction, address);
        self.values.insert(instruction, address);
    }

    /// Remembers an address in an array that is a member of a struct. The last member may be longer than it says, and an
    /// array of one element is mostly one of many.
    fn member(&mut self, instruction: Value, mut address: Operand) -> Operand {
        let within = instruction.element_source();
        let base = instruction.operand(0);
        let found = match within.kind() {
            TypeKind::LLVMStructTypeKind if instruction.operand_count() == 3 => {
                let Some(index) = constant_bits(instruction.operand(2)).and_then(|i| u32::try_from(i).ok()) else {
                    return address;
                };
                let (_, field) = self.whole.module.element(within, index);
                let is_array = field.kind() == TypeKind::LLVMArrayTypeKind && field.element_count() > 1;
                let is_last = index + 1 >= within.element_count();
                (is_array && !is_last).then(|| (None, self.whole.module.size(field)))
            }
            TypeKind::LLVMArrayTypeKind => {
                let size = self.whole.module.size(within);
                let known = self.members.get(&base).filter(|(_, bytes)| *bytes == size);
                known.map(|(start, size)| (Some(start.clone()), *size))
            }
            _ => None,
        };
        let Some((start, size)) = found else { return address };
        // An address that is also that of the whole struct gets a register of its own.
        if matches!(address, Operand::Register(_)) && start.is_none() && self.operand(base) == address {
            address = self.define(64, Operation::Copy(address));
        }
        let start = start.unwrap_or_else(|| address.clone());
        // A local that does not escape has no address.
        if matches!(start, Operand::Local(local, _) if !self.function.locals[local.index()].escapes) {
            return address;
        }
        self.function.members.push(Member { address: address.clone(), start: start.clone(), size });
        self.members.insert(instruction, (start, size));
        address
    }

    /// A value that is handed on. The address of an array in a struct gets a register of its own where it is a constant:
    /// what else begins there has the same.
    pub fn handed(&mut self, value: Value) -> Operand {
        let operand = self.operand(value);
        let known = self.members.get(&value).filter(|_| !matches!(operand, Operand::Register(_)));
        let Some((start, size)) = known.cloned() else { return operand };
        let address = self.define(64, Operation::Copy(operand));
        self.function.members.push(Member { address: address.clone(), start, size });
        address
    }
}

/// A constant of 64 bits.
pub(super) fn word(value: i64) -> Operand {
    Operand::Constant { bits: 64, value: u128::from(value as u64) }
}
