//! Bit-vector operators on numbers: the meaning that constant folding and evaluation share.

use crate::node::{BinaryOp, CompareOp};

/// The largest unsigned value of this width.
pub(crate) fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

/// The sign bit of this width, which is also the smallest signed value.
pub(crate) fn sign_bit(width: u32) -> u128 {
    1 << (width - 1)
}

/// The largest signed value of this width.
pub(crate) fn signed_max(width: u32) -> u128 {
    mask(width) >> 1
}

/// The bits read as two's complement.
pub(crate) fn signed(width: u32, value: u128) -> i128 {
    let unused = 128 - width;
    ((value << unused) as i128) >> unused
}

/// A number cut down to this width.
pub(crate) fn wrap(width: u32, value: i128) -> u128 {
    value as u128 & mask(width)
}

/// Applies an operator at this width.
pub(crate) fn binary(op: BinaryOp, width: u32, a: u128, b: u128) -> u128 {
    let in_range = b < u128::from(width);
    let result = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        BinaryOp::URem => a.checked_rem(b).unwrap_or(a),
        BinaryOp::SDiv => {
            let (a, b) = (signed(width, a), signed(width, b));
            match b {
                0 if a < 0 => 1,
                0 => u128::MAX,
                _ => a.wrapping_div(b) as u128,
            }
        }
        BinaryOp::SRem => {
            let (a, b) = (signed(width, a), signed(width, b));
            match b {
                0 => a as u128,
                _ => a.wrapping_rem(b) as u128,
            }
        }
        BinaryOp::Shl if in_range => a << b,
        BinaryOp::LShr if in_range => a >> b,
        BinaryOp::Shl | BinaryOp::LShr => 0,
        BinaryOp::AShr => {
            let amount = b.min(u128::from(width - 1));
            (signed(width, a) >> amount) as u128
        }
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    };
    result & mask(width)
}

/// Decides an order at this width.
pub(crate) fn compare(op: CompareOp, width: u32, a: u128, b: u128) -> bool {
    match op {
        CompareOp::Ult => a < b,
        CompareOp::Ule => a <= b,
        CompareOp::Slt => signed(width, a) < signed(width, b),
        CompareOp::Sle => signed(width, a) <= signed(width, b),
    }
}
