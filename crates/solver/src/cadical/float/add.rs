//! The sum. The difference is the sum with the other sign.

use super::Bits;
use super::normalise::normalise_within;
use super::number::{Number, Parts};
use super::round::{nearest, shift_right_sticky};
use crate::cadical::arithmetic::Arithmetic;
use crate::cadical::logic::Logic;

/// Bits below the significands: of what is shifted out two are exact and the third says whether there was more. After a
/// difference that cancels more than one bit nothing was shifted out but the first.
const BELOW: usize = 3;

/// The sum of two patterns.
pub(super) fn add<L: Logic>(logic: &mut L, a: &[L::Bit], b: &[L::Bit]) -> Bits<L> {
    let (large, small) = by_magnitude(logic, a, b);
    let format = large.format;
    let differ = logic.xor(large.sign, small.sign);
    let exponent = large.effective_exponent(logic);
    let sum = sum_of_significands(logic, &large, &small, &exponent, differ);
    // The top bit is that of a carry, one above the exponent. There are no numbers with a smaller exponent than the
    // smallest, so a result without a leading one is exact.
    let (significand, room) = normalise_within(logic, &sum, &exponent);
    let leads = significand[significand.len() - 1];
    let one = logic.truth(true);
    let stored = logic.increment(&room, one);
    let stored: Bits<L> = stored.into_iter().map(|bit| logic.and(bit, leads)).collect();
    let is_large = logic.and_all(stored.iter().copied());
    let magnitude = nearest(logic, format, &stored, &significand);
    let some = logic.or_all(sum);
    let both = logic.and(large.sign, small.sign);
    let opposed = logic.and_all([large.is_infinite, small.is_infinite, differ]);
    Parts {
        // What cancels is a positive zero.
        sign: logic.mux(some, large.sign, both),
        magnitude,
        // With a NaN the larger pattern is one.
        is_nan: logic.or(large.is_nan, opposed),
        is_infinite: logic.or(large.is_infinite, is_large),
        is_zero: logic.truth(false),
    }
    .pattern(logic, format)
}

/// The one that is farther from zero, and the other.
fn by_magnitude<L: Logic>(logic: &mut L, a: &[L::Bit], b: &[L::Bit]) -> (Number<L>, Number<L>) {
    let sign = a.len() - 1;
    let swapped = logic.unsigned_order(&a[..sign], &b[..sign], false);
    let (large, small) = (logic.choose(swapped, b, a), logic.choose(swapped, a, b));
    (Number::of(logic, &large), Number::of(logic, &small))
}

/// The larger significand plus or minus the smaller one, which is shifted to its place, with a bit for the carry.
fn sum_of_significands<L: Logic>(
    logic: &mut L,
    large: &Number<L>,
    small: &Number<L>,
    exponent: &[L::Bit],
    differ: L::Bit,
) -> Bits<L> {
    let mut other = small.effective_exponent(logic);
    other = logic.subtract(exponent, &other);
    let mut addend = logic.number(BELOW, 0);
    addend.extend(small.significand());
    let mut addend = shift_right_sticky(logic, &addend, &other);
    addend.push(logic.truth(false));
    let addend: Bits<L> = addend.into_iter().map(|bit| logic.xor(bit, differ)).collect();
    let mut sum = logic.number(BELOW, 0);
    sum.extend(large.significand());
    sum.push(logic.truth(false));
    logic.add_carry(&sum, &addend, differ).0
}
