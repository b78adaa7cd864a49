//! What commands define and use.

use crate::{Callee, Command, Operand, Operation, Place, RegId, Terminator};

impl Command {
    /// The register it defines.
    pub fn defined(&self) -> Option<RegId> {
        match self {
            Command::Define { target, .. } | Command::Load { target, .. } => Some(*target),
            Command::Allocate { target, .. } | Command::Call { target, .. } => *target,
            Command::Store { .. } | Command::Copy { .. } | Command::Fill { .. } => None,
        }
    }

    /// The operands it uses, addresses included.
    pub fn operands(&self) -> Vec<&Operand> {
        match self {
            Command::Define { value, .. } => value.operands(),
            Command::Load { place: Place::Memory(address), .. } => vec![address],
            Command::Load { place: Place::Local(..), .. } | Command::Allocate { .. } => vec![],
            Command::Store { place: Place::Memory(address), value, .. } => vec![address, value],
            Command::Store { place: Place::Local(..), value, .. } => vec![value],
            Command::Copy { to, from, length, .. } => vec![to, from, length],
            Command::Fill { to, byte, length } => vec![to, byte, length],
            Command::Call { callee, arguments, .. } => {
                let pointer = if let Callee::Pointer(pointer) = callee { Some(pointer) } else { None };
                pointer.into_iter().chain(arguments).collect()
            }
        }
    }
}

impl Operation {
    /// The operands it uses.
    pub fn operands(&self) -> Vec<&Operand> {
        match self {
            Operation::Copy(a)
            | Operation::Cast(_, a)
            | Operation::Extract { value: a, .. }
            | Operation::FloatCast(_, a)
            | Operation::FloatNegate(a)
            | Operation::FloatAbs(a)
            | Operation::FloatSqrt(a) => vec![a],
            Operation::Binary { left: a, right: b, .. }
            | Operation::Compare(_, a, b)
            | Operation::Insert { value: a, part: b, .. }
            | Operation::FloatBinary(_, a, b)
            | Operation::FloatCompare(_, a, b) => vec![a, b],
            Operation::Select(a, b, c) => vec![a, b, c],
            Operation::Phi(ways) => ways.iter().map(|way| &way.1).collect(),
            Operation::Opaque { operands, .. } => operands.iter().collect(),
        }
    }
}

impl Terminator {
    /// The operand it uses: a condition, what is switched on, or the value returned.
    pub fn operand(&self) -> Option<&Operand> {
        match self {
            Terminator::Branch { condition, .. } => Some(condition),
            Terminator::Switch(switch) => Some(&switch.value),
            Terminator::Return(value) => value.as_ref(),
            Terminator::Goto(_) | Terminator::Unreachable => None,
        }
    }
}
