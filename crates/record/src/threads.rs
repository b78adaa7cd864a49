//! The threads of a run but the first one: which there were, and in which the run ended.

use crate::error::RecordingError;
use crate::layout::{AREA_BYTES, BASE, MAGIC, MOST_OF_A_THREAD, header};
use crate::recording::{Place, State, malformed, read_words};
use crate::shapes::Shapes;
use std::fs::File;

/// What is known of a run's threads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Threads {
    /// Calls of the program that start threads.
    pub starts: u64,
    /// How many came to code of the program, whoever started them.
    pub seen: u64,
    /// The first words of those that are recorded, in the order in which they came to the program: where they began.
    pub first_words: Vec<u64>,
    /// Whose words the recording has.
    pub followed: Followed,
}

/// The thread whose words a recording has: the one in which the run ended, where that is known.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Followed {
    /// The one that runs `main`.
    #[default]
    First,
    /// The one that runs `main`, although it is not known in which one the run ended.
    FirstAsOthers,
    /// Another one, whose first word is the one of this number.
    Other(u64),
}

impl Threads {
    /// Whether there were others than the first one.
    pub fn are_several(&self) -> bool {
        self.starts > 0 || self.seen > 0
    }

    /// The first word of the thread that is followed, where it is not the first one.
    pub fn followed_from(&self) -> Option<u64> {
        match self.followed {
            Followed::Other(number) => self.first_words.get(number as usize).copied(),
            Followed::First | Followed::FirstAsOthers => None,
        }
    }
}

impl Followed {
    pub(crate) fn number(self) -> u64 {
        match self {
            Followed::First => 0,
            Followed::FirstAsOthers => 1,
            Followed::Other(number) => number.saturating_add(2),
        }
    }

    pub(crate) fn from_number(number: u64) -> Followed {
        match number {
            0 => Followed::First,
            1 => Followed::FirstAsOthers,
            number => Followed::Other(number - 2),
        }
    }
}

/// The areas of the threads at the end of a file.
pub(crate) struct Areas {
    start: u64,
    count: u64,
}

impl Areas {
    /// Reads off the header where they are.
    pub fn find(words: &[u64], length: u64) -> Result<Areas, RecordingError> {
        let count = words[header::AREAS];
        let bytes = count.checked_mul(AREA_BYTES).filter(|bytes| *bytes <= length);
        let bytes = bytes.ok_or_else(|| malformed("there are more areas of threads than the file has room for"))?;
        Ok(Areas { start: length - bytes, count })
    }

    /// The threads, and where the words are that the recording is to have, where those are not the first one's.
    pub fn threads(
        &self,
        file: &File,
        words: &[u64],
        shapes: &Shapes,
    ) -> Result<(Threads, Option<(Place, State)>), RecordingError> {
        let (starts, seen) = (words[header::STARTS], words[header::THREADS]);
        let mut threads = Threads { starts, seen, ..Threads::default() };
        let ended_in = words[header::ENDED_IN];
        if !threads.are_several() {
            return Ok((threads, None));
        }
        threads.followed = if ended_in == BASE { Followed::First } else { Followed::FirstAsOthers };
        let mut followed = None;
        for number in 0..self.count.min(seen) {
            let Some((place, state)) = self.place(file, number)? else { continue };
            let Some(first) = place.words(file, shapes, 1)?.first().copied() else { continue };
            if ended_in == BASE + self.start + number * AREA_BYTES {
                threads.followed = Followed::Other(threads.first_words.len() as u64);
                followed = Some((place, state));
            }
            threads.first_words.push(first);
        }
        Ok((threads, followed))
    }

    /// Where the words of a thread are; nothing for one that did not come to write any.
    fn place(&self, file: &File, number: u64) -> Result<Option<(Place, State)>, RecordingError> {
        let area = self.start + number * AREA_BYTES;
        let words = read_words(file, area as usize / 8, header::WORDS)?;
        if words[header::MAGIC] != MAGIC {
            return Ok(None);
        }
        let most = MOST_OF_A_THREAD as usize;
        let place = Place::of_events(&words, area as usize / 8, area..area + AREA_BYTES, most)?;
        Ok(Some((place, State::from_number(words[header::STATE])?)))
    }
}
