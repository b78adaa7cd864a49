//! Words in fewer bytes, as `runtime/window.h` writes them while a program runs.
//!
//! A piece has a word with its length in bytes (the low half) and the number of its words; a bit for each of them that says
//! whether it differs from the one that is expected; and the differences, in groups of sixteen: their lengths, four bits
//! each, and their bytes. Expected is what followed the last time. Behind a landmark, a word with the highest bit set, comes
//! what came behind the last one alike.

use crate::error::RecordingError;
use crate::layout::WINDOW_ROOM;
use crate::recording::{malformed, stream};
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Words of a piece at most.
pub const PIECE: usize = (WINDOW_ROOM / 8) as usize;
const LANDMARKS: usize = 2048;
const GROUP: usize = 16;
/// Read from a file at a time; more than any piece has.
const BUFFER: usize = 1 << 20;

/// How many words so many bytes can be.
pub fn most_words(bytes: u64) -> u64 {
    bytes.saturating_mul(8)
}

/// What is expected, on either side.
struct Expected {
    /// For each kind of landmark, one more than where the last one is.
    landmarks: [u16; LANDMARKS],
    /// Where the word stands that is expected next.
    next: usize,
}

impl Expected {
    fn new() -> Expected {
        Expected { landmarks: [0; LANDMARKS], next: 0 }
    }

    /// The word that is expected behind these.
    fn word(&self, words: &[u64]) -> u64 {
        words.get(self.next).copied().unwrap_or(0)
    }

    /// Goes past the word at an index.
    fn pass(&mut self, word: u64, index: usize) {
        if (word as i64) < 0 {
            let last = &mut self.landmarks[word as usize % LANDMARKS];
            self.next = if *last == 0 { index } else { usize::from(*last) };
            *last = (index + 1) as u16;
        } else if index > 0 {
            self.next += 1;
        }
    }
}

/// Appends at most [`PIECE`] words as a piece.
pub fn pack(words: &[u64], to: &mut Vec<u8>) {
    assert!(words.len() <= PIECE, "a piece has room for them");
    let start = to.len();
    let bits_at = start + 8;
    to.resize(bits_at + 8 * words.len().div_ceil(64), 0);
    let mut differences = vec![];
    let mut expected = Expected::new();
    for (index, &word) in words.iter().enumerate() {
        let difference = word.wrapping_sub(expected.word(&words[..index]));
        if difference != 0 {
            differences.push(difference << 1 ^ ((difference as i64) >> 63) as u64);
            to[bits_at + index / 8] |= 1 << (index % 8);
        }
        expected.pass(word, index);
    }
    for group in differences.chunks(GROUP) {
        let length = |folded: u64| (64 - folded.leading_zeros() as usize).div_ceil(8);
        let lengths = group.iter().rev().fold(0u64, |lengths, &folded| lengths << 4 | length(folded) as u64);
        to.extend(lengths.to_le_bytes());
        for &folded in group {
            to.extend(&folded.to_le_bytes()[..length(folded)]);
        }
    }
    to.resize(start + (to.len() - start).next_multiple_of(8), 0);
    let head = (words.len() as u64) << 32 | (to.len() - start - 8) as u64;
    to[start..start + 8].copy_from_slice(&head.to_le_bytes());
}

/// The number of words and of bytes in the head of a piece.
pub fn head(word: u64) -> Result<(usize, usize), RecordingError> {
    let (count, bytes) = ((word >> 32) as usize, word as u32 as usize);
    let most = 8 * (count + count.div_ceil(64) + count.div_ceil(GROUP));
    if count > PIECE || !bytes.is_multiple_of(8) || bytes > most || bytes < 8 * count.div_ceil(64) {
        return Err(malformed(format!("a piece of {count} words has {bytes} bytes")));
    }
    Ok((count, bytes))
}

/// Unpacks so many words of a piece without its head.
pub fn unpack(bytes: &[u8], count: usize, to: &mut Vec<u64>) -> Result<(), RecordingError> {
    let start = to.len();
    to.resize(start + count, 0);
    let words = &mut to[start..];
    let mut expected = Expected::new();
    let mut at = 8 * count.div_ceil(64);
    let (mut differs, mut lengths, mut left) = (0, 0, 0);
    for index in 0..count {
        if index % 64 == 0 {
            differs = word_at(bytes, index / 8);
        }
        let mut word = expected.word(&words[..index]);
        if differs & 1 != 0 {
            if left == 0 {
                (lengths, left) = (word_at(bytes, at), GROUP);
                at += 8;
            }
            let length = (lengths & 15) as usize;
            (lengths, left) = (lengths >> 4, left - 1);
            let Some(mask) = MASKS.get(length) else {
                return Err(malformed(format!("a word has {length} bytes")));
            };
            let folded = word_at(bytes, at) & mask;
            at += length;
            word = word.wrapping_add(folded >> 1 ^ (folded & 1).wrapping_neg());
        }
        differs >>= 1;
        words[index] = word;
        expected.pass(word, index);
    }
    if at.next_multiple_of(8) != bytes.len() {
        return Err(malformed("a piece is not as long as its words"));
    }
    Ok(())
}

const MASKS: [u64; 9] = {
    let mut masks = [u64::MAX; 9];
    let mut length = 0;
    while length < 8 {
        masks[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    masks
};

/// The eight bytes from here on, with zeros behind the last one there is.
fn word_at(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..at + 8) {
        Some(eight) => u64::from_le_bytes(eight.try_into().expect("eight bytes")),
        None => {
            let mut eight = [0; 8];
            let rest = bytes.get(at..).unwrap_or_default();
            eight[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(eight)
        }
    }
}

/// The pieces in a part of a file, one after the other.
pub struct Pieces<'a> {
    file: &'a File,
    /// What is not read yet.
    left: Range<u64>,
    buffer: Vec<u8>,
    /// How much of the buffer is used.
    used: usize,
}

impl<'a> Pieces<'a> {
    pub fn new(file: &'a File, place: Range<u64>) -> Pieces<'a> {
        Pieces { file, left: place, buffer: vec![], used: 0 }
    }

    /// Unpacks the next one.
    pub fn next(&mut self, to: &mut Vec<u64>) -> Result<(), RecordingError> {
        let (count, bytes) = head(word_at(self.take(8)?, 0))?;
        unpack(self.take(bytes)?, count, to)
    }

    fn take(&mut self, bytes: usize) -> Result<&[u8], RecordingError> {
        if self.buffer.len() - self.used < bytes {
            self.buffer.drain(..self.used);
            self.used = 0;
            let have = self.buffer.len();
            let more = self.left.end.saturating_sub(self.left.start).min((BUFFER - have) as u64);
            self.buffer.resize(have + more as usize, 0);
            self.file.read_exact_at(&mut self.buffer[have..], self.left.start).map_err(|e| stream("read", e))?;
            self.left.start += more;
        }
        let taken =
            self.buffer.get(self.used..self.used + bytes).ok_or(RecordingError::Truncated { part: "events" })?;
        self.used += bytes;
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(words: &[u64]) -> Vec<u8> {
        let mut bytes = vec![];
        pack(words, &mut bytes);
        bytes
    }

    fn unpacked(piece: &[u8]) -> Result<Vec<u64>, RecordingError> {
        let (count, bytes) = head(word_at(piece, 0))?;
        assert_eq!(bytes, piece.len() - 8);
        let mut words = vec![];
        unpack(&piece[8..], count, &mut words).map(|()| words)
    }

    #[test]
    fn words_of_every_length_come_back() {
        let edges = (0..64).flat_map(|shift| [1u64 << shift, (1 << shift) - 1, (1u64 << shift).wrapping_neg()]);
        let words: Vec<u64> = edges.collect();
        for end in 0..words.len() {
            assert_eq!(unpacked(&packed(&words[..end])).unwrap(), words[..end]);
        }
    }

    /// A loop with an address and a value that move on.
    #[test]
    fn rounds_of_a_loop_are_small() {
        let block = |n: u64| 0xB10C << 48 | n;
        let words: Vec<u64> = (0..1000).flat_map(|i| [block(7), 0x7ffc_1234_5678 + 8 * i, i, block(2000)]).collect();
        let bytes = packed(&words);
        assert_eq!(unpacked(&bytes).unwrap(), words);
        // A bit for each word, and for each round two differences with the halves of a byte for their lengths.
        assert!(bytes.len() < words.len() / 8 + words.len() / 4 * 3 + 64, "{}", bytes.len());
    }

    #[test]
    fn damaged_pieces_are_refused_or_give_as_many_words() {
        let words: Vec<u64> = (0..500u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i % 60)).collect();
        let good = packed(&words);
        for at in 8..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            if let Ok(found) = unpacked(&bad) {
                assert_eq!(found.len(), words.len());
            }
        }
        assert!(unpack(&good[8..good.len() - 8], words.len(), &mut vec![]).is_err());
        for wrong in [u64::MAX, (PIECE as u64 + 1) << 32, 1 << 32 | 7, 100 << 32 | 8, 1 << 32] {
            assert!(head(wrong).is_err(), "{wrong:#x}");
        }
    }
}
