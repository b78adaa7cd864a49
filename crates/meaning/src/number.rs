//! The same operations on plain numbers, for the many of a long run whose result is wanted without a term.

use wherefore_program::{BinaryOp, CastOp, CompareOp, Operation};

/// Wider operands are left to terms: their sums and products need not fit the numbers used here.
const WIDEST: u32 = 64;

/// What an operation of `bits` width gives for operands of these widths and bits, and whether what C takes for granted
/// about them holds. `None` where only a term can say it: wide operands, floats, and what has no value at all.
pub fn number(operation: &Operation, bits: u32, operands: &[(u32, u128)]) -> Option<(u128, Option<bool>)> {
    if bits > WIDEST || operands.iter().any(|(width, _)| *width > WIDEST) {
        return None;
    }
    let plain = |value: u128| Some((value, None));
    match (operation, operands) {
        (Operation::Copy(_), [(_, a)]) => plain(*a),
        (Operation::Binary { op, no_signed_wrap, .. }, [(width, a), (_, b)]) => {
            let (x, y) = (signed(*width, *a), signed(*width, *b));
            let sum = |value: i128| {
                let cut = cut(*width, value);
                Some((cut, no_signed_wrap.then(|| signed(*width, cut) == value)))
            };
            let shifted = |value: fn(u128, i128, u32) -> i128| {
                let by = u32::try_from(*b).ok().filter(|by| by < width)?;
                Some((cut(*width, value(*a, x, by)), Some(true)))
            };
            match op {
                BinaryOp::Add => sum(x + y),
                BinaryOp::Sub => sum(x - y),
                BinaryOp::Mul => sum(x * y),
                BinaryOp::And => plain(a & b),
                BinaryOp::Or => plain(a | b),
                BinaryOp::Xor => plain(a ^ b),
                BinaryOp::UDiv => a.checked_div(*b).map(|value| (value, Some(true))),
                BinaryOp::URem => a.checked_rem(*b).map(|value| (value, Some(true))),
                BinaryOp::Shl => shifted(|a, _, by| (a << by) as i128),
                BinaryOp::LShr => shifted(|a, _, by| (a >> by) as i128),
                BinaryOp::AShr => shifted(|_, x, by| x >> by),
                BinaryOp::SDiv | BinaryOp::SRem => None,
            }
        }
        (Operation::Compare(op, ..), [(width, a), (_, b)]) => {
            let (x, y) = (signed(*width, *a), signed(*width, *b));
            plain(u128::from(match op {
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
            }))
        }
        (Operation::Cast(CastOp::Truncate, _), [(_, a)]) => plain(cut(bits, *a as i128)),
        (Operation::Cast(CastOp::ZeroExtend, _), [(_, a)]) => plain(*a),
        (Operation::Cast(CastOp::SignExtend, _), [(width, a)]) => plain(cut(bits, signed(*width, *a))),
        (Operation::Select(..), [(_, c), (_, a), (_, b)]) => plain(if c & 1 == 1 { *a } else { *b }),
        _ => None,
    }
}

/// Bits as a signed number.
fn signed(width: u32, bits: u128) -> i128 {
    (bits << (128 - width)) as i128 >> (128 - width)
}

/// The low bits of a number.
fn cut(width: u32, value: i128) -> u128 {
    value as u128 & (u128::MAX >> (128 - width))
}
