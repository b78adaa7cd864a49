//! The parts of a pattern, and what they say about it.

use super::{Bits, Format};
use crate::cadical::arithmetic::Arithmetic;
use crate::cadical::logic::Logic;

/// A pattern taken apart.
pub(super) struct Number<L: Logic> {
    pub format: Format,
    pub sign: L::Bit,
    /// As it is stored.
    pub exponent: Bits<L>,
    pub fraction: Bits<L>,
    /// The stored exponent is zero: a zero, or so small that there is no leading one.
    pub is_small: L::Bit,
    pub is_nan: L::Bit,
    pub is_infinite: L::Bit,
    pub is_zero: L::Bit,
}

impl<L: Logic> Number<L> {
    /// Takes a pattern apart.
    pub fn of(logic: &mut L, pattern: &[L::Bit]) -> Number<L> {
        let format = Format::of(pattern.len());
        let (fraction, rest) = pattern.split_at(format.fraction);
        let (exponent, sign) = rest.split_at(format.exponent);
        let is_small = !logic.or_all(exponent.iter().copied());
        let is_special = logic.and_all(exponent.iter().copied());
        let is_whole = !logic.or_all(fraction.iter().copied());
        Number {
            format,
            sign: sign[0],
            exponent: exponent.to_vec(),
            fraction: fraction.to_vec(),
            is_small,
            is_nan: logic.and(is_special, !is_whole),
            is_infinite: logic.and(is_special, is_whole),
            is_zero: logic.and(is_small, is_whole),
        }
    }

    /// The fraction with the bit in front of it, which is not stored.
    pub fn significand(&self) -> Bits<L> {
        let mut significand = self.fraction.clone();
        significand.push(!self.is_small);
        significand
    }

    /// The stored exponent that the significand counts by: the smallest numbers have that of the smallest with a leading
    /// one.
    pub fn effective_exponent(&self, logic: &mut L) -> Bits<L> {
        let mut exponent = self.exponent.clone();
        exponent[0] = logic.or(exponent[0], self.is_small);
        exponent
    }

    /// Exponent, as two's complement, and significand with a leading one, unless the number is zero.
    pub fn normalised(&self, logic: &mut L) -> (Bits<L>, Bits<L>) {
        let mut exponent = self.effective_exponent(logic);
        exponent.resize(self.format.signed_exponent(), logic.truth(false));
        let (significand, mut moved) = super::normalise::normalise(logic, &self.significand());
        moved.resize(exponent.len(), logic.truth(false));
        (logic.subtract(&exponent, &moved), significand)
    }
}

/// A pattern from its parts: what is set of NaN, infinite and zero, in this order, counts more than the magnitude.
pub(super) struct Parts<L: Logic> {
    pub sign: L::Bit,
    /// Exponent and fraction, as they are stored.
    pub magnitude: Bits<L>,
    pub is_nan: L::Bit,
    pub is_infinite: L::Bit,
    pub is_zero: L::Bit,
}

impl<L: Logic> Parts<L> {
    /// Puts them together.
    pub fn pattern(self, logic: &mut L, format: Format) -> Bits<L> {
        let Format { exponent, fraction } = format;
        let is_special = logic.or(self.is_nan, self.is_infinite);
        let is_plain = {
            let replaced = logic.or(is_special, self.is_zero);
            !replaced
        };
        let mut pattern = Vec::with_capacity(1 + exponent + fraction);
        for (position, &bit) in self.magnitude.iter().enumerate() {
            let bit = logic.and(bit, is_plain);
            pattern.push(if position >= fraction {
                logic.or(bit, is_special)
            } else if position == fraction - 1 {
                // The quiet bit, and no other of the payload.
                logic.or(bit, self.is_nan)
            } else {
                bit
            });
        }
        pattern.push(logic.and(self.sign, !self.is_nan));
        pattern
    }
}
