//! Comparisons.

use wherefore_formula::FloatOp;

use super::Format;
use crate::cadical::arithmetic::Arithmetic;
use crate::cadical::logic::Logic;

/// Floats of one sign are ordered as their bit patterns are; both zeros are equal, and a NaN is like nothing.
pub(in crate::cadical) fn compare<L: Logic>(logic: &mut L, op: FloatOp, a: &[L::Bit], b: &[L::Bit]) -> L::Bit {
    let (magnitude_a, sign_a) = (&a[..a.len() - 1], a[a.len() - 1]);
    let (magnitude_b, sign_b) = (&b[..b.len() - 1], b[b.len() - 1]);
    let format = Format::of(a.len());
    let nan_a = is_nan(logic, format, magnitude_a);
    let nan_b = is_nan(logic, format, magnitude_b);
    let unordered = logic.or(nan_a, nan_b);
    if op == FloatOp::Unordered {
        return unordered;
    }
    let some_bit = magnitude_a.iter().chain(magnitude_b).copied();
    let both_zero = !logic.or_all(some_bit);
    let identical = logic.equal(a, b);
    let equal = logic.or(identical, both_zero);
    let less_if_positive = logic.unsigned_order(magnitude_a, magnitude_b, false);
    let less_if_negative = logic.unsigned_order(magnitude_b, magnitude_a, false);
    let less_if_same_sign = logic.mux(sign_a, less_if_negative, less_if_positive);
    let signs_differ = logic.xor(sign_a, sign_b);
    let less = logic.mux(signs_differ, sign_a, less_if_same_sign);
    let less = logic.and(less, !both_zero);
    let holds = match op {
        FloatOp::Eq => equal,
        FloatOp::Lt => less,
        _ => logic.or(less, equal),
    };
    logic.and(holds, !unordered)
}

/// The exponent is all ones and the fraction is not zero; given the pattern without its sign.
fn is_nan<L: Logic>(logic: &mut L, format: Format, magnitude: &[L::Bit]) -> L::Bit {
    let (fraction, exponent) = magnitude.split_at(format.fraction);
    let top = logic.and_all(exponent.iter().copied());
    let some = logic.or_all(fraction.iter().copied());
    logic.and(top, some)
}
