//! The scalar types of generated programs.

use proptest::prelude::*;

/// A scalar type.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Scalar {
    Int,
    Unsigned,
    Char,
    UnsignedChar,
    Short,
    UnsignedShort,
    Long,
    UnsignedLong,
    Bool,
}

impl Scalar {
    /// Its name in C.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Int => "int",
            Scalar::Unsigned => "unsigned",
            Scalar::Char => "char",
            Scalar::UnsignedChar => "unsigned char",
            Scalar::Short => "short",
            Scalar::UnsignedShort => "unsigned short",
            Scalar::Long => "long",
            Scalar::UnsignedLong => "unsigned long",
            Scalar::Bool => "bool",
        }
    }

    /// Whether values can be negative.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::Int | Scalar::Char | Scalar::Short | Scalar::Long)
    }

    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Char | Scalar::UnsignedChar | Scalar::Bool => 8,
            Scalar::Short | Scalar::UnsignedShort => 16,
            Scalar::Int | Scalar::Unsigned => 32,
            Scalar::Long | Scalar::UnsignedLong => 64,
        }
    }

    /// A number cut down to the type, as its bits.
    pub fn pattern(self, value: i128) -> u128 {
        match self {
            Scalar::Bool => u128::from(value != 0),
            _ => value as u128 & (u128::MAX >> (128 - self.bits())),
        }
    }

    /// The number that bits stand for.
    pub fn number(self, pattern: u128) -> i128 {
        let pattern = pattern & (u128::MAX >> (128 - self.bits()));
        if self.is_signed() && pattern >> (self.bits() - 1) & 1 == 1 {
            pattern as i128 - (1 << self.bits())
        } else {
            pattern as i128
        }
    }
}

/// Any type; `int` most often.
pub fn scalar() -> impl Strategy<Value = Scalar> {
    prop_oneof![
        8 => Just(Scalar::Int),
        3 => Just(Scalar::Unsigned),
        2 => Just(Scalar::Char),
        1 => Just(Scalar::UnsignedChar),
        2 => Just(Scalar::Short),
        1 => Just(Scalar::UnsignedShort),
        2 => Just(Scalar::Long),
        1 => Just(Scalar::UnsignedLong),
        2 => Just(Scalar::Bool),
    ]
}
