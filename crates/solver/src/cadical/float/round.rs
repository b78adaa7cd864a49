//! From an exact result to the nearest float; of two that are equally near, to the even one.

use super::{Bits, Format};
use crate::cadical::arithmetic::Arithmetic;
use crate::cadical::logic::Logic;

/// Only so many bits of a significand decide: one below those that are kept, and one for all the rest.
const DECIDING: usize = 2;

/// Exponent and fraction, as they are stored, of a number with a leading one. Its exponent is biased and two's complement,
/// and may be too large or too small for the format.
pub(super) fn round<L: Logic>(logic: &mut L, format: Format, exponent: &[L::Bit], significand: &[L::Bit]) -> Bits<L> {
    let significand = shortened(logic, significand, format.precision() + DECIDING);
    let top = exponent.len() - 1;
    let is_zero = !logic.or_all(exponent.iter().copied());
    let is_small = logic.or(exponent[top], is_zero);
    // What has no leading one is stored as if its exponent were the one above.
    let one = logic.number(exponent.len(), 1);
    let distance = logic.subtract(&one, exponent);
    let distance: Bits<L> = distance.into_iter().map(|bit| logic.and(bit, is_small)).collect();
    let significand = shift_right_sticky(logic, &significand, &distance);
    let (low, high) = exponent.split_at(format.exponent);
    let stored: Bits<L> = low.iter().map(|&bit| logic.and(bit, !is_small)).collect();
    let all_ones = logic.and_all(low.iter().copied());
    let beyond = logic.or_all(high[..high.len() - 1].iter().copied());
    let is_large = logic.or(all_ones, beyond);
    let is_large = logic.and(is_large, !exponent[top]);
    let magnitude = nearest(logic, format, &stored, &significand);
    let infinite = infinite(logic, format);
    logic.choose(is_large, &infinite, &magnitude)
}

/// The same where the exponent is known to fit. A carry out of the fraction goes on into the exponent, which is right also
/// from the largest number without a leading one to the smallest with it, and from the largest number to infinity.
pub(super) fn nearest<L: Logic>(logic: &mut L, format: Format, stored: &[L::Bit], significand: &[L::Bit]) -> Bits<L> {
    let (rest, kept) = significand.split_at(significand.len() - format.precision());
    let (below, half) = rest.split_at(rest.len() - 1);
    let is_odd_or_above = logic.or_all(below.iter().copied().chain([kept[0]]));
    let up = logic.and(half[0], is_odd_or_above);
    let mut pattern = kept[..format.fraction].to_vec();
    pattern.extend_from_slice(stored);
    logic.increment(&pattern, up)
}

/// The magnitude of infinity.
fn infinite<L: Logic>(logic: &L, format: Format) -> Bits<L> {
    let mut magnitude = logic.number(format.fraction, 0);
    magnitude.resize(format.fraction + format.exponent, logic.truth(true));
    magnitude
}

/// So many bits from the top: zeros come in below, and what goes out is remembered in the lowest.
pub(super) fn shortened<L: Logic>(logic: &mut L, bits: &[L::Bit], width: usize) -> Bits<L> {
    if bits.len() <= width {
        let mut longer = logic.number(width - bits.len(), 0);
        longer.extend_from_slice(bits);
        return longer;
    }
    let (rest, kept) = bits.split_at(bits.len() - width);
    let mut kept = kept.to_vec();
    kept[0] = logic.or_all(rest.iter().copied().chain([kept[0]]));
    kept
}

/// Shifts right and remembers in the lowest bit whether a one went out.
pub(super) fn shift_right_sticky<L: Logic>(logic: &mut L, bits: &[L::Bit], amount: &[L::Bit]) -> Bits<L> {
    let mut bits = bits.to_vec();
    let mut lost = logic.truth(false);
    let mut stages = 0;
    while stages < amount.len() && 1 << stages < bits.len() {
        let distance = 1 << stages;
        let out = logic.or_all(bits[..distance].iter().copied());
        let out = logic.and(out, amount[stages]);
        lost = logic.or(lost, out);
        let mut shifted = bits[distance..].to_vec();
        shifted.resize(bits.len(), logic.truth(false));
        bits = logic.choose(amount[stages], &shifted, &bits);
        stages += 1;
    }
    let too_far = logic.or_all(amount[stages..].iter().copied());
    let some = logic.or_all(bits.iter().copied());
    let all_out = logic.and(some, too_far);
    let mut bits: Bits<L> = bits.into_iter().map(|bit| logic.and(bit, !too_far)).collect();
    bits[0] = logic.or_all([bits[0], lost, all_out]);
    bits
}
