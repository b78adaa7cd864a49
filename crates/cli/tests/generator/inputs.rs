//! Inputs to try a precondition on: the recorded one, its neighbours, the limits of the types, the numbers that the
//! precondition and the program speak of, and some made up by chance.

use super::scalar::Scalar;

/// A sequence of numbers that is always the same.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// So many inputs, the recorded one first.
pub fn inputs(types: &[Scalar], recorded: &[i128], texts: &[&str], count: usize, seed: u64) -> Vec<Vec<i128>> {
    let mut chance = Chance::new(seed);
    let spoken_of: Vec<i128> = texts.iter().flat_map(|t| numbers(t)).collect();
    let mut all = vec![recorded.to_vec()];
    // One parameter changed.
    for (index, scalar) in types.iter().enumerate() {
        let near = (-3..=3).chain([-16, 16]).map(|d| recorded[index] + d);
        let limits = [0, 1, -1, 2, 1 << (scalar.bits() - 1), (1 << (scalar.bits() - 1)) - 1];
        let spoken = spoken_of.iter().flat_map(|n| [*n - 1, *n, *n + 1]);
        for value in near.chain(limits).chain(spoken.take(60)) {
            let mut input = recorded.to_vec();
            input[index] = scalar.number(scalar.pattern(value));
            all.push(input);
        }
    }
    // Several changed.
    while all.len() < count {
        let mut input = recorded.to_vec();
        for (index, scalar) in types.iter().enumerate() {
            let value = match chance.next(6) {
                0 => recorded[index],
                1 => recorded[index] + chance.next(9) as i128 - 4,
                2 => chance.next(41) as i128 - 20,
                3 if !spoken_of.is_empty() => {
                    spoken_of[chance.next(spoken_of.len() as u64) as usize] + chance.next(3) as i128 - 1
                }
                4 => chance.next(512) as i128 - 256,
                _ => chance.next(u64::MAX) as i128,
            };
            input[index] = scalar.number(scalar.pattern(value));
        }
        all.push(input);
    }
    all.truncate(count);
    all
}

/// The numbers in a text.
fn numbers(text: &str) -> Vec<i128> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter_map(|w| w.parse().ok()).flat_map(|n: i128| [n, -n]).collect()
}
