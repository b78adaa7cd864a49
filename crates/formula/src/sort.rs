//! Sorts of terms and the values they take.

use crate::concrete::mask;

/// The widest bit-vector: values are kept in a `u128`.
pub(crate) const MAX_WIDTH: u32 = 128;

/// The sort of a term.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// A truth value.
    Bool,
    /// A bit-vector of this width, 1 to 128.
    Bits(u32),
    /// A mathematical integer. Values are kept in 128 bits; what does not fit is open, never wrong.
    Int,
}

/// What a term evaluates to.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A bit pattern; bits of `value` above `width` are zero.
    Bits {
        /// The number of bits.
        width: u32,
        /// The bits, read as an unsigned number.
        value: u128,
    },
    /// An integer.
    Int(i128),
}

impl Value {
    /// The value of this sort with these bits; any non-zero number is true for [`Sort::Bool`], and an integer is read as
    /// two's complement.
    pub fn new(sort: Sort, raw: u128) -> Value {
        match sort {
            Sort::Bool => Value::Bool(raw != 0),
            Sort::Bits(width) => Value::Bits { width, value: raw & mask(width) },
            Sort::Int => Value::Int(raw as i128),
        }
    }

    /// The sort this value belongs to.
    pub fn sort(self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::Bits { width, .. } => Sort::Bits(width),
            Value::Int(_) => Sort::Int,
        }
    }

    /// The truth value, unless this is a number.
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Value::Bool(truth) => Some(truth),
            Value::Bits { .. } | Value::Int(_) => None,
        }
    }

    /// The value as a number: the bits, of an integer in two's complement, or 1 and 0 for true and false.
    pub fn raw(self) -> u128 {
        match self {
            Value::Bool(truth) => u128::from(truth),
            Value::Bits { value, .. } => value,
            Value::Int(value) => value as u128,
        }
    }
}
