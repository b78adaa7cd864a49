//! How the bits of an input are read.

use wherefore_program::{CType, Program, TypeId};

/// How the bits of an input are read by a person, and which values are simple.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Form {
    /// 0 or 1.
    Truth,
    /// A number.
    Integer {
        /// Width.
        bits: u32,
        /// Signedness.
        signed: bool,
    },
    /// A value of an enumeration.
    Enumeration {
        /// The type.
        ctype: TypeId,
        /// Width.
        bits: u32,
        /// Signedness.
        signed: bool,
    },
    /// A floating point number as its bit pattern.
    Real {
        /// Width, 32 or 64.
        bits: u32,
    },
    /// A byte of text.
    Byte,
    /// A character of a string, or its end.
    Character,
}

impl Form {
    /// Width of a value.
    pub fn bits(self) -> u32 {
        match self {
            Form::Truth => 1,
            Form::Integer { bits, .. } | Form::Enumeration { bits, .. } | Form::Real { bits } => bits,
            Form::Byte | Form::Character => 8,
        }
    }
}

/// The form of a C type; `None` for what is no input: pointers, structs, wide numbers.
pub fn form_of(program: &Program, ctype: TypeId) -> Option<Form> {
    match program.types[ctype] {
        CType::Bool => Some(Form::Truth),
        CType::Integer { bits, signed, .. } if bits <= 64 => Some(Form::Integer { bits, signed }),
        CType::Enum { bits, signed, .. } if bits <= 64 => Some(Form::Enumeration { ctype, bits, signed }),
        CType::Float { bits: bits @ (32 | 64) } => Some(Form::Real { bits }),
        _ => None,
    }
}
