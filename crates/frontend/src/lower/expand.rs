//! Integer operations that the model does not have, written with those it has.

use super::body::Body;
use wherefore_program::{BinaryOp, CompareOp, Operand, Operation};

/// A constant with the low `ones` of every `period` bits set.
fn mask(bits: u32, ones: u32, period: u32) -> Operand {
    let mut value = 0u128;
    for bit in (0..bits).filter(|bit| bit % period < ones) {
        value |= 1 << bit;
    }
    Operand::Constant { bits, value }
}

fn number(bits: u32, value: u32) -> Operand {
    Operand::Constant { bits, value: u128::from(value) }
}

impl Body<'_, '_> {
    pub fn not(&mut self, bits: u32, x: Operand) -> Operand {
        self.binary(bits, BinaryOp::Xor, x, mask(bits, 1, 1))
    }

    /// `x` if it compares so with `y`, else `y`.
    pub fn choose(&mut self, bits: u32, op: CompareOp, x: Operand, y: Operand) -> Operand {
        let condition = self.define(1, Operation::Compare(op, x.clone(), y.clone()));
        self.define(bits, Operation::Select(condition, x, y))
    }

    pub fn absolute(&mut self, bits: u32, x: Operand, no_signed_wrap: bool) -> Operand {
        let negative = self.define(1, Operation::Compare(CompareOp::SLt, x.clone(), number(bits, 0)));
        let negated = Operation::Binary {
            op: BinaryOp::Sub,
            left: number(bits, 0),
            right: x.clone(),
            no_signed_wrap,
            no_unsigned_wrap: false,
        };
        let negated = self.define(bits, negated);
        self.define(bits, Operation::Select(negative, negated, x))
    }

    /// Adds neighbouring fields of doubling width (Warren: Hacker's Delight, 5-1).
    pub fn count_ones(&mut self, bits: u32, x: Operand) -> Operand {
        let mut sum = x;
        let mut field = 1;
        while field < bits {
            let low = mask(bits, field, 2 * field);
            let even = self.binary(bits, BinaryOp::And, sum.clone(), low.clone());
            let shifted = self.binary(bits, BinaryOp::LShr, sum, number(bits, field));
            let odd = self.binary(bits, BinaryOp::And, shifted, low);
            sum = self.binary(bits, BinaryOp::Add, even, odd);
            field *= 2;
        }
        sum
    }

    /// Zeros above the highest one: smear it downwards and count what stays zero.
    pub fn count_leading_zeros(&mut self, bits: u32, x: Operand) -> Operand {
        let mut smeared = x;
        let mut by = 1;
        while by < bits {
            let shifted = self.binary(bits, BinaryOp::LShr, smeared.clone(), number(bits, by));
            smeared = self.binary(bits, BinaryOp::Or, smeared, shifted);
            by *= 2;
        }
        let zeros = self.not(bits, smeared);
        self.count_ones(bits, zeros)
    }

    /// Zeros below the lowest one: `~x & (x - 1)` has exactly those bits set.
    pub fn count_trailing_zeros(&mut self, bits: u32, x: Operand) -> Operand {
        let inverse = self.not(bits, x.clone());
        let less = self.binary(bits, BinaryOp::Sub, x, number(bits, 1));
        let low = self.binary(bits, BinaryOp::And, inverse, less);
        self.count_ones(bits, low)
    }

    pub fn swap_bytes(&mut self, bits: u32, x: Operand) -> Operand {
        let mut swapped = number(bits, 0);
        for byte in 0..bits / 8 {
            let part = self.define(8, Operation::Extract { value: x.clone(), low: byte * 8 });
            let low = bits - 8 - byte * 8;
            swapped = self.define(bits, Operation::Insert { value: swapped, part, low });
        }
        swapped
    }

    /// The high (`left`) or low half of the two words shifted as one; the amount counts modulo the width.
    pub fn funnel_shift(&mut self, bits: u32, high: Operand, low: Operand, amount: Operand, left: bool) -> Operand {
        let amount = self.binary(bits, BinaryOp::URem, amount, number(bits, bits));
        // In two steps, so that no shift is by the whole width.
        let rest = self.binary(bits, BinaryOp::Sub, number(bits, bits - 1), amount.clone());
        let (first, second) = if left {
            let first = self.binary(bits, BinaryOp::Shl, high, amount);
            let second = self.binary(bits, BinaryOp::LShr, low, number(bits, 1));
            (first, self.binary(bits, BinaryOp::LShr, second, rest))
        } else {
            let first = self.binary(bits, BinaryOp::LShr, low, amount);
            let second = self.binary(bits, BinaryOp::Shl, high, number(bits, 1));
            (first, self.binary(bits, BinaryOp::Shl, second, rest))
        };
        self.binary(bits, BinaryOp::Or, first, second)
    }
}
