//! Machine words as a logic: each wire carries 64 cases.

use crate::cadical::logic::Logic;

/// Computes instead of making gates.
pub(super) struct Words;

impl Logic for Words {
    type Bit = u64;

    fn truth(&self, value: bool) -> u64 {
        if value { u64::MAX } else { 0 }
    }

    fn known(&self, bit: u64) -> Option<bool> {
        [(0, false), (u64::MAX, true)].into_iter().find_map(|(word, value)| (bit == word).then_some(value))
    }

    fn and(&mut self, a: u64, b: u64) -> u64 {
        a & b
    }

    fn xor(&mut self, a: u64, b: u64) -> u64 {
        a ^ b
    }

    fn mux(&mut self, condition: u64, a: u64, b: u64) -> u64 {
        condition & a | !condition & b
    }

    fn majority(&mut self, a: u64, b: u64, c: u64) -> u64 {
        a & b | a & c | b & c
    }

    fn and_all(&mut self, items: impl IntoIterator<Item = u64>) -> u64 {
        items.into_iter().fold(u64::MAX, |all, item| all & item)
    }
}

/// Numbers as the columns of their bits: the word of a bit has it of every number.
pub(super) fn columns(width: u32, numbers: impl Iterator<Item = u128>) -> Vec<u64> {
    let mut columns = vec![0; width as usize];
    for (index, number) in numbers.enumerate() {
        let mut number = number;
        for column in &mut columns {
            *column |= (number as u64 & 1) << index;
            number >>= 1;
        }
    }
    columns
}

/// One of the numbers.
pub(super) fn row(columns: &[u64], index: usize) -> u128 {
    columns.iter().rev().fold(0, |number, column| number << 1 | u128::from(column >> index & 1))
}
