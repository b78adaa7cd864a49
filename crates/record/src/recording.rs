//! What a run left behind, read from the mapped file.

use crate::error::RecordingError;
use crate::layout::{
    BASE, FLAG_ASSUMPTION, FLAG_BEGAN, MAGIC, MOST_EVENTS, MOST_WORDS, PAGE, VERSION, WINDOW_ROOM, header, round_up,
};
use crate::packed;
use crate::shapes::{Complete, Shapes};
use crate::threads::{Areas, Threads};
use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// A recorded run: the words the instrumented code wrote and the addresses of what they speak of.
#[derive(Debug)]
pub struct Recording {
    /// How far the recording goes.
    pub state: State,
    /// The globals of the program, in the order of its table.
    pub globals: Vec<GlobalImage>,
    /// Addresses of the functions with bodies, in the order of their table.
    pub functions: Vec<u64>,
    /// Addresses of what is outside the program, in the order of its table.
    pub externals: Vec<u64>,
    /// How often the program forked. What the children did is not recorded.
    pub forks: u64,
    /// How many of the nondeterministic values given were used.
    pub nondet_used: u64,
    /// How many more were asked for; the program got 0.
    pub nondet_missing: u64,
    /// Whether an entry function other than `main` was reached.
    pub entry_began: bool,
    /// Whether the run ended because a `__VERIFIER_assume` did not hold.
    pub assumption_violated: bool,
    /// The threads that it starts.
    pub threads: Threads,
    pub(crate) events: Events,
}

/// How far a recording goes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// To the end of the run.
    Complete,
    /// To the limit of its size.
    SizeLimit,
    /// To where another thread was seen, in a program that was taken to have none.
    Threads,
    /// Nothing was to be recorded ([`RunLimits::recording_mib`](crate::RunLimits::recording_mib) is 0).
    Off,
}

/// A global variable at the start of the run, inputs already set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GlobalImage {
    /// Its address.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Its content; `None` if there was no room for it.
    pub content: Option<Vec<u8>>,
}

/// The recorded words.
pub(crate) struct Events(pub Vec<u64>);

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} words", self.0.len())
    }
}

impl State {
    /// The state by its number in the header.
    pub(crate) fn from_number(number: u64) -> Result<State, RecordingError> {
        match number {
            0 => Ok(State::Complete),
            1 => Ok(State::SizeLimit),
            2 => Ok(State::Threads),
            3 => Ok(State::Off),
            _ => Err(malformed(format!("there is no state {number}"))),
        }
    }

    /// Its number in the header.
    pub(crate) fn number(self) -> u64 {
        match self {
            State::Complete => 0,
            State::SizeLimit => 1,
            State::Threads => 2,
            State::Off => 3,
        }
    }
}

impl Recording {
    /// A complete recording of these words without tables, for code that makes recordings itself.
    pub fn from_words(words: Vec<u64>) -> Recording {
        Recording {
            state: State::Complete,
            globals: vec![],
            functions: vec![],
            externals: vec![],
            forks: 0,
            nondet_used: 0,
            nondet_missing: 0,
            entry_began: false,
            assumption_violated: false,
            threads: Threads::default(),
            events: Events(words),
        }
    }

    /// The recorded words, in order.
    pub fn words(&self) -> &[u64] {
        &self.events.0
    }

    /// The recording in the file of a run; `None` if no runtime claimed the file, that is, if the program is not an
    /// instrumented one, or if it ended before it could record.
    pub(crate) fn from_file(file: &File) -> Result<Option<Recording>, RecordingError> {
        Recording::beginning(file, usize::MAX)
    }

    /// About so many words of the beginning of the recording in the file of a run, which may be under way.
    pub(crate) fn beginning(file: &File, most_words: usize) -> Result<Option<Recording>, RecordingError> {
        let length = file.metadata().map_err(|e| stream("measure", e))?.len();
        if length < PAGE {
            return Err(RecordingError::Truncated { part: "header" });
        }
        let words = read_words(file, 0, header::WORDS)?;
        let place = match words[header::MAGIC] {
            0 => return Ok(None),
            MAGIC if words[header::EVENTS] == 0 => return Ok(None),
            MAGIC => Place::find(&words, length)?,
            _ => return Err(RecordingError::NotARecording),
        };
        let state = State::from_number(words[header::STATE])?;
        let tables = read_words(file, place.tables.start, place.tables.len())?;
        let tables = Tables::parse(&tables)?;
        let areas = Areas::find(&words, length)?;
        let (threads, (place, mut state)) = areas.threads(file, &words, (place, state), &tables.shapes, most_words)?;
        let mut events = place.words(file, &tables.shapes, most_words)?;
        if events.len() > place.most {
            events.truncate(place.most);
            state = State::SizeLimit;
        }
        Ok(Some(Recording {
            state,
            globals: tables.globals,
            functions: tables.functions,
            externals: tables.externals,
            forks: words[header::FORKS],
            nondet_used: words[header::NONDET_USED],
            nondet_missing: words[header::NONDET_MISSING],
            entry_began: words[header::FLAGS] & FLAG_BEGAN != 0,
            assumption_violated: words[header::FLAGS] & FLAG_ASSUMPTION != 0,
            threads,
            events: Events(events),
        }))
    }
}

/// Where the parts are in the file.
pub(crate) struct Place {
    /// Counted in words; nothing for a thread that has none of its own.
    tables: Range<usize>,
    /// How many pieces there are, and where, in bytes.
    pieces: u64,
    packed: Range<u64>,
    packed_words: u64,
    /// How many words there may be, those included that are put back: the runtime counts what is written.
    most: usize,
    /// The words that are not in pieces, counted in words.
    window: Range<usize>,
    /// Where the header is that says so, counted in words.
    header: usize,
}

impl Place {
    /// Reads it off the header. The program can write anywhere in its memory, so nothing there is taken on trust.
    fn find(header: &[u64], length: u64) -> Result<Place, RecordingError> {
        if header[header::VERSION] != VERSION {
            return Err(RecordingError::Version { found: header[header::VERSION], expected: VERSION });
        }
        let text = header[header::INPUT_BYTES]
            .checked_add(header[header::NONDET_BYTES])
            .and_then(|bytes| bytes.checked_add(header[header::ARGUMENT_BYTES]))
            .filter(|&bytes| bytes <= length)
            .ok_or_else(|| malformed("the inputs are longer than the file"))?;
        let tables = round_up(PAGE + text) / 8;
        let tables_end = header[header::TABLE_WORDS]
            .checked_add(tables)
            .filter(|&end| end <= length / 8)
            .ok_or_else(|| malformed("the tables are longer than the file"))?;
        // Like the runtime's, the limit may be passed by a block.
        let most = match header[header::MOST_WORDS] {
            0 => MOST_WORDS,
            most => most.min(MOST_EVENTS / 8),
        } + PAGE / 8;
        let place = Place::of_events(header, 0, tables_end * 8..length, most as usize)?;
        Ok(Place { tables: tables as usize..tables_end as usize, ..place })
    }

    /// Reads off the header of a thread where its words are, within a part of the file.
    pub fn of_events(header: &[u64], at: usize, within: Range<u64>, most: usize) -> Result<Place, RecordingError> {
        let misplaced = || malformed("the events are not where they can be");
        let offset =
            |address: u64| address.checked_sub(BASE).filter(|&o| o % 8 == 0 && o <= within.end).ok_or_else(misplaced);
        let end = match header[header::STATE] {
            0 => header[header::CURSOR],
            _ => header[header::END],
        };
        let (start, end, pieces) = (offset(header[header::EVENTS])?, offset(end)?, header[header::PIECES]);
        if within.start > start {
            return Err(misplaced());
        }
        let windows = [start, start + WINDOW_ROOM];
        let packed = match pieces {
            0 => 0..0,
            _ => windows[1] + WINDOW_ROOM..offset(header[header::PACKED])?,
        };
        let own = windows[(pieces % 2) as usize];
        let is_in = |window: u64| (window..=window + WINDOW_ROOM).contains(&end);
        // Where control was just leaving the other window, its words are in a piece already.
        let window = match (is_in(own), windows.into_iter().any(is_in)) {
            (true, _) => own..end,
            (false, true) => own..own,
            (false, false) => return Err(misplaced()),
        };
        Ok(Place {
            tables: 0..0,
            pieces,
            packed,
            packed_words: header[header::PACKED_WORDS],
            most,
            window: window.start as usize / 8..window.end as usize / 8,
            header: at,
        })
    }

    /// The words: at most so many, and not many more than there may be.
    pub fn words(&self, file: &File, shapes: &Shapes, most: usize) -> Result<Vec<u64>, RecordingError> {
        let mut words = vec![];
        let expected =
            self.packed_words.min(packed::most_words(self.packed.end - self.packed.start.min(self.packed.end)));
        words.reserve((expected as usize).min(most));
        let mut pieces = packed::Pieces::new(file, self.packed.clone());
        let mut complete = Complete::new(shapes);
        let mut piece = vec![];
        for _ in 0..self.pieces {
            if words.len() >= most || words.len() > self.most {
                words.truncate(most);
                return Ok(words);
            }
            piece.clear();
            pieces.next(&mut piece)?;
            complete.append(&piece, &mut words);
        }
        let last = read_words(file, self.window.start, self.window.len())?;
        // If the run is under way, the window may have been written anew meanwhile.
        if read_words(file, self.header + header::PIECES, 1)?[0].saturating_sub(self.pieces) < 2 {
            complete.append(&last, &mut words);
        }
        words.truncate(most);
        Ok(words)
    }
}

/// The tables of the program.
#[derive(Default)]
struct Tables {
    globals: Vec<GlobalImage>,
    functions: Vec<u64>,
    externals: Vec<u64>,
    shapes: Shapes,
}

impl Tables {
    fn parse(mut words: &[u64]) -> Result<Tables, RecordingError> {
        if words.is_empty() {
            return Ok(Tables::default());
        }
        let words = &mut words;
        let mut globals = vec![];
        for _ in 0..take(words, 1)?[0] {
            let [address, size, bytes] = *take(words, 3)? else {
                unreachable!("three words were taken");
            };
            let content = take(words, bytes.div_ceil(8))?;
            globals.push(GlobalImage::new(address, size, bytes, content)?);
        }
        let functions = take(words, 1)?[0];
        let functions = take(words, functions)?.to_vec();
        let externals = take(words, 1)?[0];
        let externals = take(words, externals)?.to_vec();
        let shapes = take(words, 1)?[0];
        let shapes = Shapes::parse(take(words, shapes)?)?;
        if !words.is_empty() {
            return Err(malformed("the tables do not end where they should"));
        }
        Ok(Tables { globals, functions, externals, shapes })
    }
}

impl GlobalImage {
    /// A global whose first `bytes` bytes are in `content`; none or all of them are known.
    pub(crate) fn new(address: u64, size: u64, bytes: u64, content: &[u64]) -> Result<GlobalImage, RecordingError> {
        if bytes != 0 && bytes != size {
            return Err(malformed(format!("a global of {size} bytes has {bytes} of content")));
        }
        let known = bytes == size;
        let content = known.then(|| {
            let mut content: Vec<u8> = content.iter().flat_map(|w| w.to_le_bytes()).collect();
            content.truncate(bytes as usize);
            content
        });
        Ok(GlobalImage { address, size, content })
    }
}

/// Takes words off the front of the tables.
fn take<'a>(words: &mut &'a [u64], count: u64) -> Result<&'a [u64], RecordingError> {
    let count = usize::try_from(count).ok().filter(|&c| c <= words.len());
    let count = count.ok_or(RecordingError::Truncated { part: "tables" })?;
    let (taken, rest) = words.split_at(count);
    *words = rest;
    Ok(taken)
}

/// Reads words of the file; the caller has checked that it is long enough.
pub(crate) fn read_words(file: &File, start: usize, count: usize) -> Result<Vec<u64>, RecordingError> {
    let mut bytes = vec![0; count * 8];
    file.read_exact_at(&mut bytes, start as u64 * 8).map_err(|e| stream("read", e))?;
    Ok(bytes.as_chunks::<8>().0.iter().map(|&word| u64::from_ne_bytes(word)).collect())
}

pub(crate) fn malformed(what: impl Into<String>) -> RecordingError {
    RecordingError::Malformed { what: what.into() }
}

pub(crate) fn stream(action: &'static str, source: io::Error) -> RecordingError {
    RecordingError::Stream { action, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with this header and then `rest`, from the tables on.
    fn file(header: &[(usize, u64)], rest: &[u64]) -> File {
        let file = tempfile::tempfile().unwrap();
        let mut words = vec![0u64; 512];
        for &(index, word) in header {
            words[index] = word;
        }
        words.extend_from_slice(rest);
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_ne_bytes()).collect();
        file.write_all_at(&bytes, 0).unwrap();
        file
    }

    fn read(header: &[(usize, u64)], rest: &[u64]) -> Result<Option<Recording>, RecordingError> {
        Recording::from_file(&file(header, rest))
    }

    const HEADER: [(usize, u64); 5] = [
        (header::MAGIC, MAGIC),
        (header::VERSION, VERSION),
        (header::TABLE_WORDS, 12),
        (header::EVENTS, BASE + 4096 + 96),
        (header::CURSOR, BASE + 4096 + 112),
    ];

    #[test]
    fn pieces_and_a_window() {
        // Two words in the second window, for one piece is written.
        let window = 4096 + 8 + WINDOW_ROOM;
        let mut piece = vec![];
        packed::pack(&[7, 8, 9], &mut piece);
        let header = |cursor| {
            [
                (header::MAGIC, MAGIC),
                (header::VERSION, VERSION),
                (header::EVENTS, BASE + 4096 + 8),
                (header::CURSOR, BASE + cursor),
                (header::PIECES, 1),
                (header::PACKED, BASE + window + WINDOW_ROOM + piece.len() as u64),
                (header::PACKED_WORDS, 3),
            ]
        };
        let mut rest = vec![0; 1 + 2 * WINDOW_ROOM as usize / 8];
        rest[1 + WINDOW_ROOM as usize / 8..][..2].copy_from_slice(&[10, 11]);
        rest.extend(piece.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)));
        let words = |cursor| read(&header(cursor), &rest).unwrap().unwrap().words().to_vec();
        assert_eq!(words(window + 16), [7, 8, 9, 10, 11]);
        // The process was killed while it left the first window: what that has is in the piece.
        assert_eq!(words(4096 + 8 + 24), [7, 8, 9]);
        assert!(read(&header(window + 2 * WINDOW_ROOM), &rest).is_err());
        let file = file(&header(window + 16), &rest);
        assert_eq!(Recording::beginning(&file, 4).unwrap().unwrap().words(), [7, 8, 9, 10]);
    }

    const REST: [u64; 14] = [1, 0x4000, 5, 5, 0x04_0302_0100, 2, 7, 8, 1, 9, 0, 0, 100, 101];

    #[test]
    fn tables_and_events() {
        // The last word of the tables does not belong there.
        let error = read(&HEADER, &REST).unwrap_err().to_string();
        assert!(error.contains("do not end"), "{error}");
        let mut header = HEADER;
        header[2].1 = 11;
        let recording = read(&header, &REST).unwrap().unwrap();
        assert_eq!(recording.globals, [GlobalImage { address: 0x4000, size: 5, content: Some(vec![0, 1, 2, 3, 4]) }]);
        assert_eq!(recording.functions, [7, 8]);
        assert_eq!(recording.externals, [9]);
        assert_eq!(recording.words(), [100, 101]);
    }

    #[test]
    fn nobody_claimed_the_file() {
        assert!(read(&[], &[]).unwrap().is_none());
        assert!(matches!(read(&[(0, 1)], &[]), Err(RecordingError::NotARecording)));
    }

    #[test]
    fn a_damaged_file_never_panics() {
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = move || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        let mut header = HEADER;
        header[2].1 = 11;
        for _ in 0..3000 {
            let mut header: Vec<_> = header.to_vec();
            let mut rest = REST.to_vec();
            for _ in 0..=next() % 3 {
                // Values near the edges find more than arbitrary ones.
                let value = match next() % 5 {
                    0 => next(),
                    1 => u64::MAX - next() % 16,
                    2 => BASE + next() % 8192,
                    _ => next() % 700,
                };
                if next() % 2 == 0 {
                    header.push((2 + next() as usize % (header::WORDS - 2), value));
                } else {
                    let index = next() as usize % rest.len();
                    rest[index] = value;
                }
            }
            rest.truncate(rest.len() - (next() % 4).saturating_sub(2) as usize);
            if let Ok(Some(recording)) = read(&header, &rest) {
                assert!(recording.words().len() <= 512 + REST.len());
            }
        }
    }
}
