//! What operations compute.

use crate::Integers;
use crate::stop::{Going, SIGFPE, Stop, give_up};
use wherefore_program::{BinaryOp, CastOp, CompareOp, FloatBinaryOp, FloatCastOp, FloatCompareOp};

/// The low bits of a value.
pub fn mask(value: u128, bits: u32) -> u128 {
    value & (u128::MAX >> (128 - bits))
}

/// Bits as a number with a sign.
pub fn signed(value: u128, bits: u32) -> i128 {
    ((value << (128 - bits)) as i128) >> (128 - bits)
}

/// Integer arithmetic.
pub fn binary(op: BinaryOp, a: u128, b: u128, bits: u32, exact: bool, integers: Integers) -> Going<u128> {
    let (x, y) = (signed(a, bits), signed(b, bits));
    let divides = matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem);
    if divides && b == 0 {
        return match integers {
            Integers::Wrap => Err(Stop::Signal(SIGFPE)),
            Integers::Unlimited => give_up("a division by zero, whose result Boogie leaves open"),
        };
    }
    let overflows = matches!(op, BinaryOp::SDiv | BinaryOp::SRem) && y == -1 && x == signed(1 << (bits - 1), bits);
    if overflows {
        return match integers {
            Integers::Wrap => Err(Stop::Signal(SIGFPE)),
            Integers::Unlimited => leaves(bits),
        };
    }
    let value = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::UDiv => a / b,
        BinaryOp::URem => a % b,
        BinaryOp::SDiv => (x / y) as u128,
        BinaryOp::SRem => (x % y) as u128,
        // As the machine does it: the low bits of the distance count.
        BinaryOp::Shl => a << (b % u128::from(bits.next_power_of_two().max(32))).min(127),
        BinaryOp::LShr => a >> (b % u128::from(bits.next_power_of_two().max(32))).min(127),
        BinaryOp::AShr => (x >> (b % u128::from(bits.next_power_of_two().max(32))).min(127)) as u128,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    };
    if exact && integers == Integers::Unlimited {
        let whole = match op {
            BinaryOp::Add => x.checked_add(y),
            BinaryOp::Sub => x.checked_sub(y),
            BinaryOp::Mul => x.checked_mul(y),
            _ => None,
        };
        let arithmetic = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
        if arithmetic && whole != Some(signed(mask(value, bits), bits)) {
            return leaves(bits);
        }
    }
    Ok(mask(value, bits))
}

fn leaves<T>(bits: u32) -> Going<T> {
    give_up(format!("a number leaves the range of {bits} bits"))
}

/// Integer comparison.
pub fn compare(op: CompareOp, a: u128, b: u128, bits: u32) -> bool {
    let (x, y) = (signed(a, bits), signed(b, bits));
    match op {
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::ULt => a < b,
        CompareOp::ULe => a <= b,
        CompareOp::UGt => a > b,
        CompareOp::UGe => a >= b,
        CompareOp::SLt => x < y,
        CompareOp::SLe => x <= y,
        CompareOp::SGt => x > y,
        CompareOp::SGe => x >= y,
    }
}

/// A change of width.
pub fn cast(op: CastOp, value: u128, from: u32, to: u32) -> u128 {
    match op {
        CastOp::Truncate => mask(value, to),
        CastOp::ZeroExtend => value,
        CastOp::SignExtend => mask(signed(value, from) as u128, to),
    }
}

/// Floating point arithmetic of 32 or 64 bits.
pub fn float_binary(op: FloatBinaryOp, a: u128, b: u128, bits: u32) -> u128 {
    macro_rules! compute {
        ($a:expr, $b:expr) => {
            match op {
                FloatBinaryOp::Add => $a + $b,
                FloatBinaryOp::Sub => $a - $b,
                FloatBinaryOp::Mul => $a * $b,
                FloatBinaryOp::Div => $a / $b,
                FloatBinaryOp::Rem => $a % $b,
            }
        };
    }
    match bits {
        32 => compute!(f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits().into(),
        _ => compute!(f64::from_bits(a as u64), f64::from_bits(b as u64)).to_bits().into(),
    }
}

/// A floating point number.
pub fn real(value: u128, bits: u32) -> f64 {
    if bits == 32 { f32::from_bits(value as u32).into() } else { f64::from_bits(value as u64) }
}

/// Floating point comparison.
pub fn float_compare(op: FloatCompareOp, a: u128, b: u128, bits: u32) -> bool {
    use FloatCompareOp::*;
    let (a, b) = (real(a, bits), real(b, bits));
    let unordered = a.is_nan() || b.is_nan();
    match op {
        OEq => a == b,
        ONe => !unordered && a != b,
        OLt => a < b,
        OLe => a <= b,
        OGt => a > b,
        OGe => a >= b,
        UEq => unordered || a == b,
        UNe => a != b,
        ULt => unordered || a < b,
        ULe => unordered || a <= b,
        UGt => unordered || a > b,
        UGe => unordered || a >= b,
        Ordered => !unordered,
        Unordered => unordered,
    }
}

/// Conversion from or to floating point; what does not fit is left to the machine, and so not computed.
pub fn float_cast(op: FloatCastOp, value: u128, from: u32, to: u32) -> Going<u128> {
    let number = |value: f64| if to == 32 { u128::from((value as f32).to_bits()) } else { value.to_bits().into() };
    Ok(match op {
        FloatCastOp::FromSigned if to == 32 => u128::from((signed(value, from) as f32).to_bits()),
        FloatCastOp::FromSigned => u128::from((signed(value, from) as f64).to_bits()),
        FloatCastOp::FromUnsigned if to == 32 => u128::from((value as f32).to_bits()),
        FloatCastOp::FromUnsigned => u128::from((value as f64).to_bits()),
        FloatCastOp::Resize => number(real(value, from)),
        FloatCastOp::ToSigned | FloatCastOp::ToUnsigned => {
            let whole = real(value, from).trunc();
            let half = 2f64.powi(to as i32 - 1);
            let (least, most) = if op == FloatCastOp::ToSigned { (-half, half) } else { (0.0, 2.0 * half) };
            if !(least..most).contains(&whole) {
                return give_up("a floating point number does not fit the integer that it becomes");
            }
            mask(whole as i128 as u128, to)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_not_overflow_stops_where_integers_have_no_limits() {
        let largest = i64::MAX as u128;
        assert_eq!(binary(BinaryOp::Add, largest, 1, 64, true, Integers::Wrap).expect("it wraps"), 1 << 63);
        assert!(matches!(binary(BinaryOp::Add, largest, 1, 64, true, Integers::Unlimited), Err(Stop::GaveUp(_))));
        assert_eq!(binary(BinaryOp::Add, largest, 1, 64, false, Integers::Unlimited).expect("it may"), 1 << 63);
        assert!(binary(BinaryOp::Mul, 1 << 40, 1 << 40, 64, true, Integers::Unlimited).is_err());
        assert!(matches!(binary(BinaryOp::SDiv, 1, 0, 32, false, Integers::Wrap), Err(Stop::Signal(SIGFPE))));
        assert!(binary(BinaryOp::SDiv, 1 << 31, 0xffff_ffff, 32, false, Integers::Wrap).is_err());
        assert_eq!(binary(BinaryOp::SRem, 0xffff_fff9, 3, 32, false, Integers::Wrap).expect("fine"), 0xffff_ffff);
    }

    #[test]
    fn orders_know_signs() {
        assert!(compare(CompareOp::SLt, 0xff, 1, 8) && !compare(CompareOp::ULt, 0xff, 1, 8));
        assert_eq!(cast(CastOp::SignExtend, 0x80, 8, 16), 0xff80);
        assert!(float_compare(FloatCompareOp::UNe, f64::NAN.to_bits().into(), 0, 64));
        assert!(!float_compare(FloatCompareOp::ONe, f64::NAN.to_bits().into(), 0, 64));
    }
}
