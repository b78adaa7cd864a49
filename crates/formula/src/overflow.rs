//! Predicates that say an operation gives its mathematical result.
//!
//! They never widen beyond twice the width and, with a constant operand, become plain bounds: those are cheap to
//! decide and short to read.

use crate::concrete::{mask, sign_bit, signed, signed_max, wrap};
use crate::node::{BinaryOp, TermId};
use crate::sort::MAX_WIDTH;
use crate::terms::{TRUE, Terms};

impl Terms {
    /// Holds where `a op b` does not overflow, the operands read as signed or unsigned.
    ///
    /// A shift to the left does not overflow where `a * 2^b` is representable and `b` is below the width. A signed
    /// quotient or remainder overflows for the smallest number and -1 only; a zero divisor is not an overflow. The
    /// other operators never overflow.
    #[track_caller]
    pub fn no_overflow(&mut self, op: BinaryOp, signed: bool, a: TermId, b: TermId) -> TermId {
        let width = self.common_width(a, b);
        match (op, signed) {
            (BinaryOp::Add, false) => self.unsigned_add_fits(width, a, b),
            (BinaryOp::Add, true) => self.signed_add_fits(width, a, b),
            (BinaryOp::Sub, false) => self.ule(b, a),
            (BinaryOp::Sub, true) => self.signed_sub_fits(width, a, b),
            (BinaryOp::Mul, false) => self.unsigned_mul_fits(width, a, b),
            (BinaryOp::Mul, true) => self.signed_mul_fits(width, a, b),
            (BinaryOp::Shl, _) => self.shl_fits(width, signed, a, b),
            (BinaryOp::SDiv | BinaryOp::SRem, true) => {
                let smallest = self.bits(width, sign_bit(width));
                let minus_one = self.bits(width, mask(width));
                let other_dividend = self.ne(a, smallest);
                let other_divisor = self.ne(b, minus_one);
                self.or2(other_dividend, other_divisor)
            }
            (
                BinaryOp::SDiv
                | BinaryOp::SRem
                | BinaryOp::UDiv
                | BinaryOp::URem
                | BinaryOp::LShr
                | BinaryOp::AShr
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor,
                _,
            ) => TRUE,
        }
    }

    /// A pair with a constant, if there is one, in second place.
    fn constant_last(&self, a: TermId, b: TermId) -> (TermId, TermId) {
        if self.constant(a).is_some() { (b, a) } else { (a, b) }
    }

    fn unsigned_add_fits(&mut self, width: u32, a: TermId, b: TermId) -> TermId {
        let (a, b) = self.constant_last(a, b);
        if let Some(value) = self.constant(b) {
            let largest = self.bits(width, mask(width) - value);
            return self.ule(a, largest);
        }
        let sum = self.binary(BinaryOp::Add, a, b);
        self.ule(a, sum)
    }

    fn signed_add_fits(&mut self, width: u32, a: TermId, b: TermId) -> TermId {
        let (a, b) = self.constant_last(a, b);
        if let Some(value) = self.constant(b) {
            return if signed(width, value) >= 0 {
                let largest = self.bits(width, signed_max(width) - value);
                self.sle(a, largest)
            } else {
                let smallest = self.bits(width, sign_bit(width).wrapping_sub(value));
                self.sle(smallest, a)
            };
        }
        // The sum has moved in the direction of b.
        let sum = self.binary(BinaryOp::Add, a, b);
        let zero = self.bits(width, 0);
        let upwards = self.sle(zero, b);
        let not_below = self.sle(a, sum);
        self.eq(upwards, not_below)
    }

    fn signed_sub_fits(&mut self, width: u32, a: TermId, b: TermId) -> TermId {
        if let Some(value) = self.constant(b) {
            return if signed(width, value) >= 0 {
                let smallest = self.bits(width, sign_bit(width).wrapping_add(value));
                self.sle(smallest, a)
            } else {
                let largest = self.bits(width, signed_max(width).wrapping_add(value));
                self.sle(a, largest)
            };
        }
        if let Some(value) = self.constant(a) {
            return if signed(width, value) >= 0 {
                let smallest = self.bits(width, value.wrapping_sub(signed_max(width)));
                self.sle(smallest, b)
            } else {
                let largest = self.bits(width, value.wrapping_sub(sign_bit(width)));
                self.sle(b, largest)
            };
        }
        let difference = self.binary(BinaryOp::Sub, a, b);
        let zero = self.bits(width, 0);
        let downwards = self.sle(zero, b);
        let not_above = self.sle(difference, a);
        self.eq(downwards, not_above)
    }

    fn unsigned_mul_fits(&mut self, width: u32, a: TermId, b: TermId) -> TermId {
        let (a, b) = self.constant_last(a, b);
        if let Some(value) = self.constant(b) {
            return match mask(width).checked_div(value) {
                None => TRUE,
                Some(largest) => {
                    let largest = self.bits(width, largest);
                    self.ule(a, largest)
                }
            };
        }
        if 2 * width <= MAX_WIDTH {
            let (wide_a, wide_b) = (self.zero_extend(a, 2 * width), self.zero_extend(b, 2 * width));
            let product = self.binary(BinaryOp::Mul, wide_a, wide_b);
            let high = self.extract(product, width, width);
            let zero = self.bits(width, 0);
            return self.eq(high, zero);
        }
        self.product_divides_back(width, BinaryOp::UDiv, a, b)
    }

    fn signed_mul_fits(&mut self, width: u32, a: TermId, b: TermId) -> TermId {
        let (a, b) = self.constant_last(a, b);
        if let Some(value) = self.constant(b) {
            let smallest = signed(width, sign_bit(width));
            let largest = signed(width, signed_max(width));
            // Truncation toward zero rounds each quotient into the range.
            let (least, most) = match signed(width, value) {
                0 => return TRUE,
                // The smallest number has no opposite, and dividing it by -1 would need it.
                -1 => (-largest, largest),
                factor if factor > 0 => (smallest / factor, largest / factor),
                factor => (largest / factor, smallest / factor),
            };
            let least = self.bits(width, wrap(width, least));
            let most = self.bits(width, wrap(width, most));
            let from = self.sle(least, a);
            let to = self.sle(a, most);
            return self.and2(from, to);
        }
        if 2 * width <= MAX_WIDTH {
            let (wide_a, wide_b) = (self.sign_extend(a, 2 * width), self.sign_extend(b, 2 * width));
            let product = self.binary(BinaryOp::Mul, wide_a, wide_b);
            let low = self.extract(product, 0, width);
            let back = self.sign_extend(low, 2 * width);
            return self.eq(back, product);
        }
        let divides = self.product_divides_back(width, BinaryOp::SDiv, a, b);
        // -1 * smallest wraps to smallest, and smallest / -1 wraps back.
        let minus_one = self.bits(width, mask(width));
        let smallest = self.bits(width, sign_bit(width));
        let not_minus_one = self.ne(a, minus_one);
        let not_smallest = self.ne(b, smallest);
        let representable = self.or2(not_minus_one, not_smallest);
        self.and2(divides, representable)
    }

    /// `a == 0 || (a * b) / a == b`, for widths that cannot be doubled.
    fn product_divides_back(&mut self, width: u32, division: BinaryOp, a: TermId, b: TermId) -> TermId {
        let zero = self.bits(width, 0);
        let is_zero = self.eq(a, zero);
        let product = self.binary(BinaryOp::Mul, a, b);
        let quotient = self.binary(division, product, a);
        let same = self.eq(quotient, b);
        self.or2(is_zero, same)
    }

    fn shl_fits(&mut self, width: u32, signed: bool, a: TermId, b: TermId) -> TermId {
        let back = if signed { BinaryOp::AShr } else { BinaryOp::LShr };
        let shifted = self.binary(BinaryOp::Shl, a, b);
        let restored = self.binary(back, shifted, b);
        let lossless = self.eq(restored, a);
        let bound = self.bits(width, u128::from(width));
        let in_range = self.ult(b, bound);
        self.and2(in_range, lossless)
    }
}
