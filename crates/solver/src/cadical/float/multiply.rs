//! The product.

use super::Bits;
use super::number::{Number, Parts};
use super::round::round;
use crate::cadical::arithmetic::Arithmetic;
use crate::cadical::logic::Logic;

/// The product of two patterns.
pub(super) fn multiply<L: Logic>(logic: &mut L, a: &[L::Bit], b: &[L::Bit]) -> Bits<L> {
    let (a, b) = (Number::of(logic, a), Number::of(logic, b));
    let format = a.format;
    let ((exponent_a, mut significand_a), (exponent_b, mut significand_b)) = (a.normalised(logic), b.normalised(logic));
    let width = 2 * format.precision();
    for significand in [&mut significand_a, &mut significand_b] {
        significand.resize(width, logic.truth(false));
    }
    let product = logic.multiply(&significand_a, &significand_b);
    // At least one and below four.
    let from_two = product[width - 1];
    let mut doubled = product.clone();
    doubled.rotate_right(1);
    let significand = logic.choose(from_two, &product, &doubled);
    let (exponent, _) = logic.add_carry(&exponent_a, &exponent_b, from_two);
    let bias = logic.number(exponent.len(), format.bias());
    let exponent = logic.subtract(&exponent, &bias);
    let is_infinite = logic.or(a.is_infinite, b.is_infinite);
    let is_zero = logic.or(a.is_zero, b.is_zero);
    let opposed = logic.and(is_infinite, is_zero);
    Parts {
        sign: logic.xor(a.sign, b.sign),
        magnitude: round(logic, format, &exponent, &significand),
        is_nan: logic.or_all([a.is_nan, b.is_nan, opposed]),
        is_infinite,
        is_zero,
    }
    .pattern(logic, format)
}
