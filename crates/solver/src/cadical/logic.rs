//! What circuits are made of. They are written once, over any logic: as clauses they are solved, on machine words they
//! compute 64 cases at a time, which is how they are tested.

use std::ops::Not;

/// Makes gates.
pub(super) trait Logic {
    /// What a wire carries.
    type Bit: Copy + Not<Output = Self::Bit>;

    /// A constant.
    fn truth(&self, value: bool) -> Self::Bit;

    /// The constant that a wire is seen to carry.
    fn known(&self, bit: Self::Bit) -> Option<bool>;

    /// Both.
    fn and(&mut self, a: Self::Bit, b: Self::Bit) -> Self::Bit;

    /// One or the other, not both.
    fn xor(&mut self, a: Self::Bit, b: Self::Bit) -> Self::Bit;

    /// `a` where `condition` is set, else `b`.
    fn mux(&mut self, condition: Self::Bit, a: Self::Bit, b: Self::Bit) -> Self::Bit;

    /// At least two of three: the carry of an adder.
    fn majority(&mut self, a: Self::Bit, b: Self::Bit, c: Self::Bit) -> Self::Bit;

    /// The conjunction of many bits.
    fn and_all(&mut self, items: impl IntoIterator<Item = Self::Bit>) -> Self::Bit;

    /// One of both, or both.
    fn or(&mut self, a: Self::Bit, b: Self::Bit) -> Self::Bit {
        !self.and(!a, !b)
    }

    /// The disjunction of many bits.
    fn or_all(&mut self, items: impl IntoIterator<Item = Self::Bit>) -> Self::Bit {
        !self.and_all(items.into_iter().map(|item| !item))
    }
}
