//! The square root.

use super::Bits;
use super::number::{Number, Parts};
use super::round::nearest;
use crate::cadical::arithmetic::Arithmetic;
use crate::cadical::logic::Logic;

/// The square root of a pattern.
pub(super) fn root<L: Logic>(logic: &mut L, a: &[L::Bit]) -> Bits<L> {
    let a = Number::of(logic, a);
    let format = a.format;
    let (exponent, significand) = a.normalised(logic);
    // Half of the exponent. The bias is odd: where the biased exponent is even the exponent is not, and the significand
    // is doubled.
    let bias = logic.number(exponent.len(), format.bias());
    let is_odd = !exponent[0];
    let doubled_exponent = logic.add(&exponent, &bias);
    let stored = &doubled_exponent[1..=format.exponent];
    let mut radicand = significand;
    radicand.push(logic.truth(false));
    let mut doubled = radicand.clone();
    doubled.rotate_right(1);
    let radicand = logic.choose(is_odd, &doubled, &radicand);
    // A root has the exponent of a plain number, so it always fits.
    let significand = digits(logic, &radicand, format.precision() + 1);
    let is_some = !a.is_zero;
    let below_zero = logic.and(a.sign, is_some);
    Parts {
        sign: a.sign,
        magnitude: nearest(logic, format, stored, &significand),
        is_nan: logic.or(a.is_nan, below_zero),
        is_infinite: a.is_infinite,
        is_zero: a.is_zero,
    }
    .pattern(logic, format)
}

/// So many bits of the root of a number with two bits in front of the point, and below them one that says whether
/// something remains. Digit by digit, as on paper: of what remains, twice the root so far and the new digit is taken away.
fn digits<L: Logic>(logic: &mut L, radicand: &[L::Bit], count: usize) -> Bits<L> {
    let mut ahead = radicand.iter().rev().copied();
    // Highest bit first.
    let mut root: Bits<L> = vec![];
    let mut remainder: Bits<L> = vec![];
    for _ in 0..count {
        let high = ahead.next().unwrap_or(logic.truth(false));
        let low = ahead.next().unwrap_or(logic.truth(false));
        // A remainder is at most twice the root, so it has one bit more than the root, and here two come in.
        let width = root.len() + 3;
        let mut shifted = vec![low, high];
        shifted.extend(remainder);
        shifted.resize(width, logic.truth(false));
        let mut trial = vec![logic.truth(true), logic.truth(false)];
        trial.extend(root.iter().rev().copied());
        trial.resize(width, logic.truth(false));
        let (difference, fits) = logic.subtract_fits(&shifted, &trial);
        remainder = logic.choose(fits, &difference, &shifted);
        root.push(fits);
        remainder.truncate(root.len() + 1);
    }
    root.push(logic.or_all(remainder));
    root.reverse();
    root
}
