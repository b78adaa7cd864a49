//! Between integers and floats, and between the formats.

use super::normalise::normalise;
use super::number::{Number, Parts};
use super::round::{nearest, round, shortened};
use super::{Bits, Format};
use crate::cadical::arithmetic::Arithmetic;
use crate::cadical::logic::Logic;

/// The float of so many bits that is nearest to an integer.
pub(super) fn from_integer<L: Logic>(logic: &mut L, a: &[L::Bit], is_signed: bool, width: usize) -> Bits<L> {
    let format = Format::of(width);
    let none = logic.truth(false);
    let sign = if is_signed { a[a.len() - 1] } else { none };
    let magnitude = if is_signed { logic.magnitude(a) } else { a.to_vec() };
    let is_zero = !logic.or_all(magnitude.iter().copied());
    let (significand, mut moved) = normalise(logic, &magnitude);
    // An integer has no more bits than the exponents of a format reach over.
    moved.resize(format.exponent, none);
    let highest = logic.number(format.exponent, format.bias() + a.len() as u128 - 1);
    let stored = logic.subtract(&highest, &moved);
    let significand = shortened(logic, &significand, significand.len().max(format.precision() + 1));
    let magnitude = nearest(logic, format, &stored, &significand);
    Parts { sign, magnitude, is_nan: none, is_infinite: none, is_zero }.pattern(logic, format)
}

/// The integer that is left of a float without its fraction; `undefined` where it does not fit into as many bits.
pub(super) fn to_integer<L: Logic>(logic: &mut L, a: &[L::Bit], is_signed: bool, undefined: &[L::Bit]) -> Bits<L> {
    let a = Number::of(logic, a);
    let format = a.format;
    let width = undefined.len();
    // The exponent as the distance of the highest bit from the point; what is not finite is beyond all widths.
    let zero = logic.number(format.exponent, format.bias());
    let (distance, is_some) = logic.subtract_fits(&a.exponent, &zero);
    let limit = logic.number(format.exponent, format.bias() + width as u128);
    let is_near = logic.unsigned_order(&a.exponent, &limit, false);
    let mut significand = a.significand();
    significand.resize(format.fraction + width, logic.truth(false));
    let stages = (usize::BITS - (width - 1).leading_zeros()) as usize;
    let shifted = logic.shift_left(&significand, &distance[..stages]);
    let magnitude: Bits<L> = shifted[format.fraction..].iter().map(|&bit| logic.and(bit, is_some)).collect();
    let fits = if is_signed {
        // The smallest has no counterpart above zero.
        let top = magnitude[width - 1];
        let rest = logic.or_all(magnitude[..width - 1].iter().copied());
        let is_smallest = logic.and(a.sign, !rest);
        let small_enough = logic.or(!top, is_smallest);
        logic.and(is_near, small_enough)
    } else {
        logic.and(is_near, !a.sign)
    };
    // Everything between minus one and one is zero.
    let fits = logic.or(fits, !is_some);
    let value = if is_signed { logic.negate_if(a.sign, &magnitude) } else { magnitude };
    logic.choose(fits, &value, undefined)
}

/// The nearest float of so many bits.
pub(super) fn resize<L: Logic>(logic: &mut L, pattern: &[L::Bit], width: usize) -> Bits<L> {
    let a = Number::of(logic, pattern);
    let format = Format::of(width);
    let magnitude = if width == pattern.len() {
        pattern[..width - 1].to_vec()
    } else if width > pattern.len() {
        widened(logic, &a, format)
    } else {
        // A double without a leading one is far below all floats: whatever it is, it becomes zero.
        let mut exponent = a.exponent.clone();
        exponent.resize(a.format.signed_exponent(), logic.truth(false));
        let bias = logic.number(exponent.len(), a.format.bias() - format.bias());
        let exponent = logic.subtract(&exponent, &bias);
        round(logic, format, &exponent, &a.significand())
    };
    Parts { sign: a.sign, magnitude, is_nan: a.is_nan, is_infinite: a.is_infinite, is_zero: a.is_zero }
        .pattern(logic, format)
}

/// A number in a format that has it, with a leading one there.
fn widened<L: Logic>(logic: &mut L, a: &Number<L>, format: Format) -> Bits<L> {
    let (mut exponent, significand) = a.normalised(logic);
    let sign = exponent[exponent.len() - 1];
    exponent.resize(format.exponent, sign);
    let bias = logic.number(exponent.len(), format.bias() - a.format.bias());
    let stored = logic.add(&exponent, &bias);
    let mut magnitude = logic.number(format.fraction - a.format.fraction, 0);
    magnitude.extend_from_slice(&significand[..a.format.fraction]);
    magnitude.extend(stored);
    magnitude
}
