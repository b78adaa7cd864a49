//! Words that the program's text says are not written; here they are put back.
//!
//! Written words fall into runs, each behind a landmark; the table of shapes, which the program brings along, says for each
//! landmark how many words are written behind it and which ones are put between them. Words that fit no shape are left as
//! they are: a program without a table has written all of them.

use crate::error::RecordingError;
use crate::recording::malformed;

/// The landmark is the entry of a function.
const ENTRY: u64 = 1 << 62;
/// No word stands for the landmark.
const SILENT: u64 = 1 << 63;
/// Tag of a word behind which the runtime has written an address and so many bytes as the low half of the word says
/// (`__wf_seen`).
const SEEN: u64 = 0x5EE1;
/// Landmarks have a number in the low half, which is smaller.
const MOST_NUMBERS: u64 = 1 << 26;

/// The shapes of a program.
#[derive(Default)]
pub struct Shapes {
    shapes: Vec<Shape>,
    /// All words that are left out, each with the number of words written before it behind its landmark.
    left_out: Vec<(u64, u64)>,
    /// For each high half of a landmark, of which there are a few, by the low half: one more than the shape's index.
    by_landmark: Vec<(u32, Vec<u32>)>,
}

#[derive(Copy, Clone)]
struct Shape {
    written: u64,
    is_entry: bool,
    is_silent: bool,
    /// Its part of `left_out`.
    first: usize,
    end: usize,
}

/// Where in a shape the words have come.
#[derive(Copy, Clone)]
struct At {
    shape: Shape,
    written: u64,
    next: usize,
}

/// Puts words back into a run's words, which are given in order.
pub struct Complete<'a> {
    shapes: &'a Shapes,
    at: Option<At>,
    /// A shape that was left before its end: a handler of a signal came.
    interrupted: Option<At>,
    /// Words to come that the runtime has written.
    seen: u64,
}

impl Shapes {
    /// Reads the table, of which nothing is taken on trust.
    pub fn parse(mut words: &[u64]) -> Result<Shapes, RecordingError> {
        let mut shapes = Shapes::default();
        let wrong = || malformed("the table of shapes is damaged");
        while let [landmark, written, count, rest @ ..] = words {
            let count = usize::try_from(*count).ok().filter(|&count| count <= rest.len() / 2).ok_or_else(wrong)?;
            let number = *landmark & u64::from(u32::MAX);
            if number >= MOST_NUMBERS {
                return Err(wrong());
            }
            let first = shapes.left_out.len();
            let (left_out, rest) = rest.split_at(2 * count);
            shapes.left_out.extend(left_out.as_chunks().0.iter().map(|&[before, word]| (before, word)));
            shapes.shapes.push(Shape {
                written: written & !(ENTRY | SILENT),
                is_entry: written & ENTRY != 0,
                is_silent: written & SILENT != 0,
                first,
                end: shapes.left_out.len(),
            });
            let index = shapes.shapes.len() as u32;
            let numbers = shapes.numbers((landmark >> 32) as u32);
            if numbers.len() <= number as usize {
                numbers.resize(number as usize + 1, 0);
            }
            numbers[number as usize] = index;
            words = rest;
        }
        if words.is_empty() { Ok(shapes) } else { Err(wrong()) }
    }

    fn numbers(&mut self, high: u32) -> &mut Vec<u32> {
        let known = self.by_landmark.iter().position(|(of, _)| *of == high);
        let index = known.unwrap_or_else(|| {
            self.by_landmark.push((high, vec![]));
            self.by_landmark.len() - 1
        });
        &mut self.by_landmark[index].1
    }

    fn of(&self, landmark: u64) -> Option<Shape> {
        let numbers = &self.by_landmark.iter().find(|(high, _)| *high == (landmark >> 32) as u32)?.1;
        let index = *numbers.get(landmark as u32 as usize)?;
        Some(self.shapes[index.checked_sub(1)? as usize])
    }
}

impl<'a> Complete<'a> {
    pub fn new(shapes: &'a Shapes) -> Complete<'a> {
        Complete { shapes, at: None, interrupted: None, seen: 0 }
    }

    /// Appends these words with those that belong between them.
    pub fn append(&mut self, words: &[u64], to: &mut Vec<u64>) {
        if self.shapes.shapes.is_empty() {
            to.extend(words);
            return;
        }
        to.reserve(2 * words.len());
        words.iter().for_each(|&word| self.pass(word, to));
    }

    fn pass(&mut self, word: u64, to: &mut Vec<u64>) {
        if self.seen > 0 {
            self.seen -= 1;
            to.push(word);
            return;
        }
        match self.at {
            Some(at) if at.written < at.shape.written => {
                // A value that looks like the entry of a function is hardly ever one; entries have the highest bit set.
                let entry = if (word as i64) < 0 { self.shapes.of(word).filter(|shape| shape.is_entry) } else { None };
                match entry {
                    Some(shape) => {
                        self.interrupted = Some(self.take_back(at, to));
                        self.begin(word, shape, to);
                    }
                    None => self.inside(at, word, to),
                }
            }
            _ if word >> 48 == SEEN => {
                self.seen = 1 + u64::from(word as u32).div_ceil(8);
                to.push(word);
            }
            _ => match (self.shapes.of(word), self.interrupted) {
                (Some(shape), _) => self.begin(word, shape, to),
                (None, Some(at)) => {
                    self.interrupted = None;
                    let at = self.put_in(at, to);
                    self.inside(at, word, to);
                }
                (None, None) => to.push(word),
            },
        }
    }

    fn begin(&mut self, landmark: u64, shape: Shape, to: &mut Vec<u64>) {
        if !shape.is_silent {
            to.push(landmark);
        }
        let at = At { shape, written: 0, next: shape.first };
        self.go_on(at, to);
    }

    fn inside(&mut self, at: At, word: u64, to: &mut Vec<u64>) {
        to.push(word);
        self.go_on(At { written: at.written + 1, ..at }, to);
    }

    fn go_on(&mut self, at: At, to: &mut Vec<u64>) {
        self.at = Some(self.put_in(at, to));
    }

    /// Puts in what belongs here.
    fn put_in(&self, mut at: At, to: &mut Vec<u64>) -> At {
        while at.next < at.shape.end && self.shapes.left_out[at.next].0 == at.written {
            to.push(self.shapes.left_out[at.next].1);
            at.next += 1;
        }
        at
    }

    /// Takes back what was put in last: it belongs together with what comes after the handler.
    fn take_back(&self, mut at: At, to: &mut Vec<u64>) -> At {
        while at.next > at.shape.first && self.shapes.left_out[at.next - 1].0 == at.written {
            to.pop();
            at.next -= 1;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: u64 = 0xB10C << 48;
    const CONTINUED: u64 = 0xC047 << 48;

    fn complete(table: &[u64], words: &[u64]) -> Vec<u64> {
        let shapes = Shapes::parse(table).unwrap();
        let mut all = vec![];
        Complete::new(&shapes).append(words, &mut all);
        all
    }

    /// A block that stores to a global, calls a function and goes on into a block without a landmark; and the function.
    fn table() -> Vec<u64> {
        let mut table = vec![BLOCK | 1, 2 | ENTRY, 1, 1, 0x4000];
        table.extend([CONTINUED, 1 | SILENT, 2, 1, 0x4008, 1, BLOCK | 2]);
        table.extend([BLOCK | 9, 1 | ENTRY, 0]);
        table
    }

    #[test]
    fn words_are_put_back() {
        let whole = [BLOCK | 1, 5, 0x4000, 6, BLOCK | 9, 7, 8, 0x4008, BLOCK | 2];
        assert_eq!(complete(&table(), &[BLOCK | 1, 5, 6, BLOCK | 9, 7, CONTINUED, 8]), whole);
        // A run that ends anywhere has what comes at once behind its last word.
        assert_eq!(complete(&table(), &[BLOCK | 1, 5]), whole[..3]);
        assert_eq!(complete(&table(), &[BLOCK | 1, 5, 6, BLOCK | 9, 7, CONTINUED]), whole[..6]);
    }

    #[test]
    fn a_handler_of_a_signal_comes_in_between() {
        let words = [BLOCK | 1, 5, BLOCK | 9, 7, 6, CONTINUED, 8];
        assert_eq!(complete(&table(), &words), [BLOCK | 1, 5, BLOCK | 9, 7, 0x4000, 6, 8, 0x4008, BLOCK | 2]);
    }

    #[test]
    fn what_the_runtime_writes_has_no_shape() {
        let seen = SEEN << 48 | 1 << 32 | 9;
        let words = [BLOCK | 9, 7, seen, 0x7fff, BLOCK | 1, BLOCK | 1, CONTINUED, 3];
        assert_eq!(complete(&table(), &words), [&words[..6], &[3, 0x4008, BLOCK | 2]].concat());
    }

    #[test]
    fn without_a_table_nothing_is_changed() {
        assert_eq!(complete(&[], &[BLOCK | 1, 1, CONTINUED]), [BLOCK | 1, 1, CONTINUED]);
        assert_eq!(complete(&table(), &[1, 2, BLOCK | 3]), [1, 2, BLOCK | 3]);
    }

    #[test]
    fn damaged_tables_are_refused() {
        for table in [&[1, 2][..], &[1, 2, 1, 0], &[1, 2, u64::MAX], &[1 << 31, 2, 0], &[u64::MAX; 5]] {
            assert!(Shapes::parse(table).is_err(), "{table:x?}");
        }
    }
}
