//! Circuits on numbers: bits, lowest first.

use super::logic::Logic;

/// Arithmetic in any logic.
pub(super) trait Arithmetic: Logic {
    /// The bits of a constant.
    fn number(&self, width: usize, value: u128) -> Vec<Self::Bit> {
        (0..width).map(|i| self.truth(i < 128 && value >> i & 1 == 1)).collect()
    }

    /// `a` where the condition is set, else `b`.
    fn choose(&mut self, condition: Self::Bit, a: &[Self::Bit], b: &[Self::Bit]) -> Vec<Self::Bit> {
        a.iter().zip(b).map(|(&a, &b)| self.mux(condition, a, b)).collect()
    }

    /// Whether two numbers are the same.
    fn equal(&mut self, a: &[Self::Bit], b: &[Self::Bit]) -> Self::Bit {
        let same: Vec<Self::Bit> = a.iter().zip(b).map(|(&a, &b)| !self.xor(a, b)).collect();
        self.and_all(same)
    }

    /// Ripple-carry sum, and what is carried out of it.
    fn add_carry(&mut self, a: &[Self::Bit], b: &[Self::Bit], carry: Self::Bit) -> (Vec<Self::Bit>, Self::Bit) {
        let mut carry = carry;
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let half = self.xor(a, b);
            sum.push(self.xor(half, carry));
            carry = self.majority(a, b, carry);
        }
        (sum, carry)
    }

    /// The sum, wrapping.
    fn add(&mut self, a: &[Self::Bit], b: &[Self::Bit]) -> Vec<Self::Bit> {
        let none = self.truth(false);
        self.add_carry(a, b, none).0
    }

    /// One more where the bit is set, wrapping.
    fn increment(&mut self, a: &[Self::Bit], by: Self::Bit) -> Vec<Self::Bit> {
        let zero = self.number(a.len(), 0);
        self.add_carry(a, &zero, by).0
    }

    /// The difference, wrapping, and whether `a` is at least `b`, unsigned.
    fn subtract_fits(&mut self, a: &[Self::Bit], b: &[Self::Bit]) -> (Vec<Self::Bit>, Self::Bit) {
        let complement: Vec<Self::Bit> = b.iter().map(|&bit| !bit).collect();
        let one = self.truth(true);
        self.add_carry(a, &complement, one)
    }

    /// The difference, wrapping.
    fn subtract(&mut self, a: &[Self::Bit], b: &[Self::Bit]) -> Vec<Self::Bit> {
        self.subtract_fits(a, b).0
    }

    /// The two's complement.
    fn negate(&mut self, a: &[Self::Bit]) -> Vec<Self::Bit> {
        let zero = self.number(a.len(), 0);
        self.subtract(&zero, a)
    }

    /// The two's complement where the condition is set.
    fn negate_if(&mut self, condition: Self::Bit, a: &[Self::Bit]) -> Vec<Self::Bit> {
        let negated = self.negate(a);
        self.choose(condition, &negated, a)
    }

    /// A two's complement number without its sign.
    fn magnitude(&mut self, a: &[Self::Bit]) -> Vec<Self::Bit> {
        self.negate_if(a[a.len() - 1], a)
    }

    /// Unsigned order by the borrow of `a - b`, from the lowest bit up; `equal` is the answer for equal operands.
    fn unsigned_order(&mut self, a: &[Self::Bit], b: &[Self::Bit], equal: bool) -> Self::Bit {
        let start = self.truth(equal);
        a.iter().zip(b).fold(start, |below, (&a, &b)| self.majority(!a, b, below))
    }

    /// Shift and add, wrapping. Zero bits of a constant cost nothing, so the operand with more of them selects the rows.
    fn multiply(&mut self, a: &[Self::Bit], b: &[Self::Bit]) -> Vec<Self::Bit> {
        let zeros = |bits: &[Self::Bit]| bits.iter().filter(|&&bit| self.known(bit) == Some(false)).count();
        let (a, b) = if zeros(a) > zeros(b) { (b, a) } else { (a, b) };
        let width = a.len();
        let mut sum = self.number(width, 0);
        for (position, &selected) in b.iter().enumerate() {
            if self.known(selected) == Some(false) {
                continue;
            }
            let row: Vec<Self::Bit> = a[..width - position].iter().map(|&bit| self.and(bit, selected)).collect();
            let high = self.add(&sum[position..], &row);
            sum[position..].copy_from_slice(&high);
        }
        sum
    }

    /// Restoring division: quotient and remainder. With a zero divisor every step subtracts nothing and sets its quotient
    /// bit: all ones, and the dividend remains, which is what SMT-LIB asks for.
    fn divide(&mut self, a: &[Self::Bit], b: &[Self::Bit]) -> (Vec<Self::Bit>, Vec<Self::Bit>) {
        let width = a.len();
        let mut divisor = b.to_vec();
        divisor.push(self.truth(false));
        let mut quotient = self.number(width, 0);
        let mut remainder = self.number(width, 0);
        for position in (0..width).rev() {
            // One bit more than the divisor has: the remainder is below the divisor, twice of it need not be.
            let mut shifted = Vec::with_capacity(width + 1);
            shifted.push(a[position]);
            shifted.extend_from_slice(&remainder);
            let fits = self.unsigned_order(&divisor, &shifted, true);
            let difference = self.subtract(&shifted, &divisor);
            quotient[position] = fits;
            remainder = self.choose(fits, &difference[..width], &shifted[..width]);
        }
        (quotient, remainder)
    }

    /// Barrel shifter: one row of choices per bit of the amount, then the fill if the amount is too large for them.
    fn shift_right(&mut self, a: &[Self::Bit], amount: &[Self::Bit], fill: Self::Bit) -> Vec<Self::Bit> {
        let width = a.len();
        let mut bits = a.to_vec();
        let mut stages = 0;
        while stages < amount.len() && 1usize << stages < width {
            let distance = 1usize << stages;
            let shifted: Vec<Self::Bit> = (0..width).map(|i| bits.get(i + distance).copied().unwrap_or(fill)).collect();
            bits = self.choose(amount[stages], &shifted, &bits);
            stages += 1;
        }
        let too_far = self.or_all(amount[stages..].iter().copied());
        let filled = vec![fill; width];
        self.choose(too_far, &filled, &bits)
    }

    /// Shifting left is shifting right in a mirror.
    fn shift_left(&mut self, a: &[Self::Bit], amount: &[Self::Bit]) -> Vec<Self::Bit> {
        let mirrored: Vec<Self::Bit> = a.iter().rev().copied().collect();
        let none = self.truth(false);
        let mut shifted = self.shift_right(&mirrored, amount, none);
        shifted.reverse();
        shifted
    }
}

impl<L: Logic> Arithmetic for L {}
