//! Recordings outside of memory: a fixed order of little-endian words, those of the run packed.

use crate::error::RecordingError;
use crate::layout::{FLAG_ASSUMPTION, FLAG_BEGAN};
use crate::packed;
use crate::recording::{Events, GlobalImage, Recording, State, malformed, stream};
use crate::threads::{Followed, Thread, Threads};
use std::io::{self, Read, Write};

const MAGIC: u64 = u64::from_le_bytes(*b"WHERESAV");
const END: u64 = u64::from_le_bytes(*b"WHEREEND");
const VERSION: u64 = 3;
/// What is said of a thread that is not followed.
const IS_FIRST: u64 = 1;
const IS_WHOLE: u64 = 2;
/// Words handled at a time: a length in a damaged file never makes us ask for more memory than the file has content.
const CHUNK: u64 = 1 << 16;

impl Recording {
    /// Writes the recording, as a part of a file that says whether it is whole.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn write(&self, mut to: impl Write) -> Result<(), RecordingError> {
        write_words(self, &mut to).map_err(|e| stream("write", e))
    }

    /// Reads what [`Recording::write`] wrote, which must be all that is left.
    ///
    /// # Errors
    /// When the reader fails or what it gives is no complete recording of this version.
    pub fn read(mut from: impl Read) -> Result<Recording, RecordingError> {
        read_recording(&mut from)
    }
}

fn write_words(recording: &Recording, to: &mut impl Write) -> io::Result<()> {
    let flag = |set: bool, flag: u64| if set { flag } else { 0 };
    let flags = flag(recording.entry_began, FLAG_BEGAN) | flag(recording.assumption_violated, FLAG_ASSUMPTION);
    put(
        to,
        &[
            MAGIC,
            VERSION,
            recording.state.number(),
            flags,
            recording.forks,
            recording.nondet_used,
            recording.nondet_missing,
            recording.globals.len() as u64,
        ],
    )?;
    for global in &recording.globals {
        let content = global.content.as_deref().unwrap_or_default();
        put(to, &[global.address, global.size, content.len() as u64])?;
        let padding = content.len().next_multiple_of(8) - content.len();
        to.write_all(content)?;
        to.write_all(&[0; 8][..padding])?;
    }
    for table in [&recording.functions, &recording.externals] {
        put(to, &[table.len() as u64])?;
        put(to, table)?;
    }
    let threads = &recording.threads;
    put(to, &[threads.starts, threads.seen, threads.followed.number(), threads.others.len() as u64])?;
    for thread in &threads.others {
        put(to, &[flag(thread.is_first, IS_FIRST) | flag(thread.is_whole, IS_WHOLE)])?;
        put_packed(to, thread.words())?;
    }
    put_packed(to, recording.words())?;
    put(to, &[END])
}

fn put_packed(to: &mut impl Write, words: &[u64]) -> io::Result<()> {
    put(to, &[words.len() as u64])?;
    let mut bytes = vec![];
    for piece in words.chunks(packed::PIECE) {
        bytes.clear();
        packed::pack(piece, &mut bytes);
        to.write_all(&bytes)?;
    }
    Ok(())
}

fn put(to: &mut impl Write, words: &[u64]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(8 * words.len().min(CHUNK as usize));
    for chunk in words.chunks(CHUNK as usize) {
        bytes.clear();
        bytes.extend(chunk.iter().flat_map(|w| w.to_le_bytes()));
        to.write_all(&bytes)?;
    }
    Ok(())
}

fn read_recording(from: &mut impl Read) -> Result<Recording, RecordingError> {
    let mut magic = [0; 8];
    let found = read_up_to(from, &mut magic)?;
    if magic[..found] != MAGIC.to_le_bytes() {
        return Err(RecordingError::NotARecording);
    }
    let version = word(from, "header")?;
    if version != VERSION {
        return Err(RecordingError::Version { found: version, expected: VERSION });
    }
    let state = State::from_number(word(from, "header")?)?;
    let flags = word(from, "header")?;
    if flags & !(FLAG_BEGAN | FLAG_ASSUMPTION) != 0 {
        return Err(malformed(format!("there are no flags {flags:#x}")));
    }
    let forks = word(from, "header")?;
    let nondet_used = word(from, "header")?;
    let nondet_missing = word(from, "header")?;
    let mut globals = vec![];
    for _ in 0..word(from, "header")? {
        let address = word(from, "globals")?;
        let size = word(from, "globals")?;
        let bytes = word(from, "globals")?;
        let content = words(from, bytes.div_ceil(8), "globals")?;
        globals.push(GlobalImage::new(address, size, bytes, &content)?);
    }
    let functions = word(from, "functions")?;
    let functions = words(from, functions, "functions")?;
    let externals = word(from, "external symbols")?;
    let externals = words(from, externals, "external symbols")?;
    let starts = word(from, "threads")?;
    let seen = word(from, "threads")?;
    let followed = Followed::from_number(word(from, "threads")?)?;
    let mut others = vec![];
    for _ in 0..word(from, "threads")? {
        let flags = word(from, "threads")?;
        let events = Events(packed_words(from)?);
        others.push(Thread { is_first: flags & IS_FIRST != 0, is_whole: flags & IS_WHOLE != 0, events });
    }
    let threads = Threads { starts, seen, others, followed };
    let events = packed_words(from)?;
    if word(from, "last word")? != END {
        return Err(malformed("its last word is wrong"));
    }
    if read_up_to(from, &mut [0])? != 0 {
        return Err(malformed("something follows its last word"));
    }
    Ok(Recording {
        state,
        globals,
        functions,
        externals,
        forks,
        nondet_used,
        nondet_missing,
        entry_began: flags & FLAG_BEGAN != 0,
        assumption_violated: flags & FLAG_ASSUMPTION != 0,
        threads,
        events: Events(events),
    })
}

fn word(from: &mut impl Read, part: &'static str) -> Result<u64, RecordingError> {
    let mut bytes = [0; 8];
    match read_up_to(from, &mut bytes)? {
        8 => Ok(u64::from_le_bytes(bytes)),
        _ => Err(RecordingError::Truncated { part }),
    }
}

fn words(from: &mut impl Read, count: u64, part: &'static str) -> Result<Vec<u64>, RecordingError> {
    let mut all = vec![];
    let mut bytes = vec![];
    let mut left = count;
    while left > 0 {
        let chunk = left.min(CHUNK);
        bytes.resize(8 * chunk as usize, 0);
        if read_up_to(from, &mut bytes)? < bytes.len() {
            return Err(RecordingError::Truncated { part });
        }
        all.extend(bytes.as_chunks::<8>().0.iter().map(|&w| u64::from_le_bytes(w)));
        left -= chunk;
    }
    Ok(all)
}

/// Words in pieces, with their number before them, each as long as it can be.
fn packed_words(from: &mut impl Read) -> Result<Vec<u64>, RecordingError> {
    let count = word(from, "events")?;
    let mut all = vec![];
    let mut bytes = vec![];
    while (all.len() as u64) < count {
        let (words, length) = packed::head(word(from, "events")?)?;
        if words as u64 != (count - all.len() as u64).min(packed::PIECE as u64) {
            return Err(malformed(format!("a piece has {words} words")));
        }
        bytes.resize(length, 0);
        if read_up_to(from, &mut bytes)? < length {
            return Err(RecordingError::Truncated { part: "events" });
        }
        packed::unpack(&bytes, words, &mut all)?;
    }
    Ok(all)
}

/// Fills the buffer as far as there is something to read.
fn read_up_to(from: &mut impl Read, buffer: &mut [u8]) -> Result<usize, RecordingError> {
    let mut filled = 0;
    while filled < buffer.len() {
        match from.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(length) => filled += length,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(stream("read", e)),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Recording {
        let mut recording = Recording::from_words((0..1000).map(|w| w * 3).collect());
        recording.state = State::Threads;
        recording.globals = vec![
            GlobalImage { address: 0x1000, size: 3, content: Some(vec![1, 2, 3]) },
            GlobalImage { address: 0x2000, size: 1 << 40, content: None },
            GlobalImage { address: 0x3000, size: 0, content: Some(vec![]) },
        ];
        recording.functions = vec![4, 5];
        recording.externals = vec![6];
        recording.forks = 7;
        recording.nondet_used = 8;
        recording.nondet_missing = 9;
        recording.assumption_violated = true;
        let events = Events(vec![8, 9]);
        let others = vec![Thread { is_first: true, is_whole: false, events }];
        recording.threads = Threads { starts: 10, seen: 11, others, followed: Followed::Other };
        recording
    }

    fn bytes(recording: &Recording) -> Vec<u8> {
        let mut bytes = vec![];
        recording.write(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn there_and_back() {
        let saved = example();
        let written = bytes(&saved);
        let loaded = Recording::read(&written[..]).unwrap();
        assert_eq!(format!("{saved:?}"), format!("{loaded:?}"));
        assert_eq!(saved.words(), loaded.words());
        // A piece of words that grow by 3: a bit and a byte for each but the first, and half a byte for its length.
        // The other thread is one word, and two with the number of them and a piece of four before that.
        assert_eq!(
            written.len(),
            8 * (8 + 10 + 3 + 2 + 4 + 6 + 1 + 1) + (8 + 16 * 8 + 63 * 8 + 999usize).next_multiple_of(8)
        );
    }

    #[test]
    fn every_cut_is_noticed() {
        let bytes = bytes(&example());
        for length in 0..bytes.len() {
            let error = Recording::read(&bytes[..length]).unwrap_err();
            let expected = match length {
                0..8 => matches!(error, RecordingError::NotARecording),
                _ => matches!(error, RecordingError::Truncated { .. }),
            };
            assert!(expected, "{length}: {error}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        let error = Recording::read(&longer[..]).unwrap_err().to_string();
        assert!(error.contains("follows"), "{error}");
    }

    #[test]
    fn other_versions_and_other_files_are_told_apart() {
        let mut other = bytes(&example());
        other[8] = 77;
        let error = Recording::read(&other[..]).unwrap_err().to_string();
        assert!(error.contains("77"), "{error}");
        let error = Recording::read(&b"int main(void) { return 0; }"[..]).unwrap_err();
        assert_eq!(error.to_string(), "this is not a recording");
    }

    #[test]
    fn garbage_never_panics() {
        let mut random = 0x2545_f491_4f6c_dd1du64;
        let mut next = move || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        let good = bytes(&example());
        for _ in 0..20_000 {
            let mut bad = good.clone();
            for _ in 0..=next() % 4 {
                let index = next() as usize % 300;
                bad[index] = if next() % 3 == 0 { 0xff } else { next() as u8 };
            }
            // Either is fine, as long as it is an answer.
            let _answer = Recording::read(&bad[..]);
            let noise: Vec<u8> = (0..next() % 64).map(|_| next() as u8).collect();
            let noise = [&good[..16], &noise].concat();
            assert!(Recording::read(&noise[..]).is_err());
        }
    }
}
