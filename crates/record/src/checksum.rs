//! A sum over the bytes of a file, by which damage is noticed.

use std::io;

/// An odd number with its bits well spread (the golden ratio's).
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The sum of the bytes written to it so far.
///
/// Each step maps the sum one to one, for a given word, and each word one to one, for a given sum: damage within eight
/// bytes that are summed together is always noticed, any other with all but one chance in 2^64.
#[derive(Clone, Debug, Default)]
pub struct Checksum {
    sum: u64,
    length: u64,
    /// Bytes that do not fill a word yet.
    rest: Vec<u8>,
}

impl Checksum {
    /// How many bytes were written.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The sum of all bytes, and of how many there are.
    pub fn value(&self) -> u64 {
        let mut last = [0; 8];
        last[..self.rest.len()].copy_from_slice(&self.rest);
        step(step(self.sum, u64::from_le_bytes(last)), self.length)
    }
}

fn step(sum: u64, word: u64) -> u64 {
    let mixed = (sum ^ word).wrapping_mul(FACTOR);
    mixed ^ mixed >> 32
}

impl io::Write for Checksum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.length += bytes.len() as u64;
        let missing = (8 - self.rest.len()) % 8;
        let (first, others) = bytes.split_at(missing.min(bytes.len()));
        self.rest.extend(first);
        if self.rest.len() == 8 {
            let word = self.rest[..].try_into().expect("eight bytes");
            self.sum = step(self.sum, u64::from_le_bytes(word));
            self.rest.clear();
        }
        let (words, last) = others.as_chunks::<8>();
        self.sum = words.iter().fold(self.sum, |sum, word| step(sum, u64::from_le_bytes(*word)));
        self.rest.extend(last);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn sum(parts: &[&[u8]]) -> u64 {
        let mut checksum = Checksum::default();
        parts.iter().for_each(|part| checksum.write_all(part).unwrap());
        checksum.value()
    }

    #[test]
    fn every_changed_bit_and_every_cut_changes_it() {
        let bytes: Vec<u8> = (0..203u32).map(|i| (i * 7) as u8).collect();
        let whole = sum(&[&bytes]);
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(sum(&[&changed]), whole, "bit {bit}");
        }
        for length in 0..bytes.len() {
            assert_ne!(sum(&[&bytes[..length]]), whole, "{length} bytes");
        }
        assert_ne!(sum(&[&bytes, &[0]]), whole);
    }

    #[test]
    fn it_does_not_matter_how_the_bytes_come() {
        let bytes: Vec<u8> = (0..100).collect();
        for cut in 0..100 {
            let (a, b) = bytes.split_at(cut);
            assert_eq!(sum(&[a, b]), sum(&[&bytes]));
            assert_eq!(sum(&[&a[..cut / 2], &a[cut / 2..], b]), sum(&[&bytes]));
        }
    }
}
