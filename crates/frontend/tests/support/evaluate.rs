//! Operations of the model on concrete values; `None` is a value nobody knows.

use wherefore_program::{BinaryOp, CastOp, CompareOp, FloatBinaryOp, FloatCastOp, FloatCompareOp};

pub fn mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

pub fn signed(value: u128, bits: u32) -> i128 {
    (value as i128) << (128 - bits) >> (128 - bits)
}

pub fn binary(op: BinaryOp, a: u128, b: u128, bits: u32) -> Option<u128> {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let shift = u32::try_from(b).ok().filter(|s| *s < bits);
    let value = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::UDiv => a.checked_div(b)?,
        BinaryOp::URem => a.checked_rem(b)?,
        BinaryOp::SDiv => sa.checked_div(sb)? as u128,
        BinaryOp::SRem => sa.checked_rem(sb)? as u128,
        BinaryOp::Shl => a << shift?,
        BinaryOp::LShr => a >> shift?,
        BinaryOp::AShr => (sa >> shift?) as u128,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    };
    Some(value & mask(bits))
}

pub fn compare(op: CompareOp, a: u128, b: u128, bits: u32) -> bool {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    match op {
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::ULt => a < b,
        CompareOp::ULe => a <= b,
        CompareOp::UGt => a > b,
        CompareOp::UGe => a >= b,
        CompareOp::SLt => sa < sb,
        CompareOp::SLe => sa <= sb,
        CompareOp::SGt => sa > sb,
        CompareOp::SGe => sa >= sb,
    }
}

pub fn cast(op: CastOp, a: u128, from: u32, to: u32) -> u128 {
    match op {
        CastOp::Truncate | CastOp::ZeroExtend => a & mask(to),
        CastOp::SignExtend => signed(a, from) as u128 & mask(to),
    }
}

fn float(a: u128, bits: u32) -> f64 {
    if bits == 32 { f64::from(f32::from_bits(a as u32)) } else { f64::from_bits(a as u64) }
}

fn bits_of(value: f64, bits: u32) -> u128 {
    if bits == 32 { u128::from((value as f32).to_bits()) } else { u128::from(value.to_bits()) }
}

/// In double precision; rounding twice gives the same result for these operations on `float`.
pub fn float_binary(op: FloatBinaryOp, a: u128, b: u128, bits: u32) -> u128 {
    let (a, b) = (float(a, bits), float(b, bits));
    let value = match op {
        FloatBinaryOp::Add => a + b,
        FloatBinaryOp::Sub => a - b,
        FloatBinaryOp::Mul => a * b,
        FloatBinaryOp::Div => a / b,
        FloatBinaryOp::Rem => a % b,
    };
    bits_of(value, bits)
}

pub fn float_compare(op: FloatCompareOp, a: u128, b: u128, bits: u32) -> bool {
    let (a, b) = (float(a, bits), float(b, bits));
    let unordered = a.is_nan() || b.is_nan();
    match op {
        FloatCompareOp::OEq => a == b,
        FloatCompareOp::ONe => !unordered && a != b,
        FloatCompareOp::OLt => a < b,
        FloatCompareOp::OLe => a <= b,
        FloatCompareOp::OGt => a > b,
        FloatCompareOp::OGe => a >= b,
        FloatCompareOp::UEq => unordered || a == b,
        FloatCompareOp::UNe => a != b,
        FloatCompareOp::ULt => unordered || a < b,
        FloatCompareOp::ULe => unordered || a <= b,
        FloatCompareOp::UGt => unordered || a > b,
        FloatCompareOp::UGe => unordered || a >= b,
        FloatCompareOp::Ordered => !unordered,
        FloatCompareOp::Unordered => unordered,
    }
}

pub fn float_cast(op: FloatCastOp, a: u128, from: u32, to: u32) -> u128 {
    match op {
        // Straight to the width wanted: by way of `double` a 64-bit integer would round twice.
        FloatCastOp::FromSigned if to == 32 => u128::from((signed(a, from) as f32).to_bits()),
        FloatCastOp::FromUnsigned if to == 32 => u128::from((a as f32).to_bits()),
        FloatCastOp::FromSigned => bits_of(signed(a, from) as f64, to),
        FloatCastOp::FromUnsigned => bits_of(a as f64, to),
        FloatCastOp::ToSigned => (float(a, from) as i128) as u128 & mask(to),
        FloatCastOp::ToUnsigned => float(a, from) as u128 & mask(to),
        FloatCastOp::Resize => bits_of(float(a, from), to),
    }
}

pub fn float_abs(a: u128, bits: u32) -> u128 {
    a & mask(bits - 1)
}

pub fn float_negate(a: u128, bits: u32) -> u128 {
    a ^ 1 << (bits - 1)
}

pub fn float_sqrt(a: u128, bits: u32) -> u128 {
    bits_of(float(a, bits).sqrt(), bits)
}
