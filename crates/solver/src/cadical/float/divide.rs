//! The quotient.

use super::Bits;
use super::number::{Number, Parts};
use super::round::round;
use crate::cadical::arithmetic::Arithmetic;
use crate::cadical::logic::Logic;

/// The quotient of two patterns.
pub(super) fn divide<L: Logic>(logic: &mut L, a: &[L::Bit], b: &[L::Bit]) -> Bits<L> {
    let (a, b) = (Number::of(logic, a), Number::of(logic, b));
    let format = a.format;
    let ((exponent_a, significand_a), (exponent_b, significand_b)) = (a.normalised(logic), b.normalised(logic));
    // More than a half and below two: one bit in front of the point, one that may be lost, one to round by.
    let quotient = divide_significands(logic, &significand_a, &significand_b, format.precision() + 2);
    let from_one = quotient[quotient.len() - 1];
    let mut doubled = quotient.clone();
    doubled.rotate_right(1);
    // What came around is the zero of the top; the lowest bit says that something remains, and may say so twice.
    doubled[0] = quotient[0];
    let significand = logic.choose(from_one, &quotient, &doubled);
    let exponent = logic.subtract(&exponent_a, &exponent_b);
    let bias = logic.number(exponent.len(), format.bias() - 1);
    let (exponent, _) = logic.add_carry(&exponent, &bias, from_one);
    let both_infinite = logic.and(a.is_infinite, b.is_infinite);
    let both_zero = logic.and(a.is_zero, b.is_zero);
    Parts {
        sign: logic.xor(a.sign, b.sign),
        magnitude: round(logic, format, &exponent, &significand),
        is_nan: logic.or_all([a.is_nan, b.is_nan, both_infinite, both_zero]),
        is_infinite: logic.or(a.is_infinite, b.is_zero),
        is_zero: logic.or(a.is_zero, b.is_infinite),
    }
    .pattern(logic, format)
}

/// So many bits of the quotient of two numbers with a leading one, the first in front of the point, and below them one
/// that says whether something remains.
fn divide_significands<L: Logic>(logic: &mut L, a: &[L::Bit], b: &[L::Bit], count: usize) -> Bits<L> {
    let width = a.len();
    // What remains is below twice the divisor, so it has one bit more.
    let (mut remainder, mut divisor) = (a.to_vec(), b.to_vec());
    remainder.push(logic.truth(false));
    divisor.push(logic.truth(false));
    let mut quotient = vec![];
    for _ in 0..count {
        let (difference, fits) = logic.subtract_fits(&remainder, &divisor);
        quotient.push(fits);
        let rest = logic.choose(fits, &difference, &remainder);
        remainder = vec![logic.truth(false)];
        remainder.extend_from_slice(&rest[..width]);
    }
    quotient.push(logic.or_all(remainder));
    quotient.reverse();
    quotient
}
