//! The threads of a run: the words of those that are not followed, and in which of them the run ended.

use crate::error::RecordingError;
use crate::layout::{AREA_BYTES, BASE, MAGIC, MOST_OF_A_THREAD, header};
use crate::recording::{Events, Place, Recording, State, malformed, read_words};
use crate::runner::Ending;
use crate::shapes::Shapes;
use std::fs::File;

/// The words of all threads but the one that is followed, about so many, are read; of further ones only where they began.
const MOST_OF_OTHERS: usize = 1 << 24;

/// What is known of a run's threads.
#[derive(Debug, Default)]
pub struct Threads {
    /// Calls of the program that start threads.
    pub starts: u64,
    /// How many but the first one came to code of the program, whoever started them.
    pub seen: u64,
    /// Those that are recorded, without the one that is followed, in the order in which they came to the program.
    pub others: Vec<Thread>,
    /// Whose words the recording has.
    pub followed: Followed,
}

/// A thread that is not followed.
#[derive(Debug)]
pub struct Thread {
    /// Whether it is the one that runs `main`.
    pub is_first: bool,
    /// Whether its words are all that it wrote.
    pub is_whole: bool,
    pub(crate) events: Events,
}

/// The thread whose words a recording has: the one in which the run ended, where that is known.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Followed {
    /// The one that runs `main`.
    #[default]
    First,
    /// The one that runs `main`, although it is not known in which one the run ended.
    FirstAsOthers,
    /// Another one.
    Other,
}

impl Recording {
    /// Whether its words lead to how the run ended.
    pub fn reaches(&self, ending: &Ending) -> bool {
        // A thread that leaves by `_exit` says nothing, and a status of 0 is no failure of any.
        let ends = matches!(ending, Ending::Signal(_)) || matches!(ending, Ending::Exited(status) if *status != 0);
        let is_elsewhere = self.threads.followed == Followed::FirstAsOthers && ends;
        self.state == State::Complete && !is_elsewhere
    }
}

impl Threads {
    /// Whether there were others than the first one.
    pub fn are_several(&self) -> bool {
        self.starts > 0 || self.seen > 0
    }

    /// Whether all that were ever started are recorded.
    pub fn are_all_known(&self) -> bool {
        self.starts.max(self.seen) == self.others.len() as u64
    }
}

impl Thread {
    /// The recorded words, in order; the first one says where it began.
    pub fn words(&self) -> &[u64] {
        &self.events.0
    }
}

impl Followed {
    pub(crate) fn number(self) -> u64 {
        match self {
            Followed::First => 0,
            Followed::FirstAsOthers => 1,
            Followed::Other => 2,
        }
    }

    pub(crate) fn from_number(number: u64) -> Result<Followed, RecordingError> {
        match number {
            0 => Ok(Followed::First),
            1 => Ok(Followed::FirstAsOthers),
            2 => Ok(Followed::Other),
            _ => Err(malformed(format!("no thread is followed as {number} says"))),
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

    /// The threads, given where the words of the first one are; and where those are that the recording is to have. Of the
    /// others at most about so many words are read.
    pub fn threads(
        &self,
        file: &File,
        words: &[u64],
        first: (Place, State),
        shapes: &Shapes,
        most_words: usize,
    ) -> Result<(Threads, (Place, State)), RecordingError> {
        let mut threads = Threads { starts: words[header::STARTS], seen: words[header::THREADS], ..Threads::default() };
        if !threads.are_several() {
            return Ok((threads, first));
        }
        let ended_in = words[header::ENDED_IN];
        threads.followed = if ended_in == BASE { Followed::First } else { Followed::FirstAsOthers };
        let (mut followed, mut others) = (first, vec![]);
        for number in 0..self.count.min(threads.seen) {
            let Some(of_thread) = self.place(file, number)? else { continue };
            if ended_in == BASE + self.start + number * AREA_BYTES {
                threads.followed = Followed::Other;
                others.insert(0, (true, std::mem::replace(&mut followed, of_thread)));
            } else {
                others.push((false, of_thread));
            }
        }
        let mut left = MOST_OF_OTHERS.min(most_words);
        for (is_first, (place, state)) in others {
            let words = place.words(file, shapes, left.max(1))?;
            let is_whole = state == State::Complete && words.len() < left;
            left = left.saturating_sub(words.len());
            if !words.is_empty() {
                threads.others.push(Thread { is_first, is_whole, events: Events(words) });
            }
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
