//! The memory through which a server gets its cases and gives back its counters or a recording. It is a file in memory
//! of fixed length that no program can shorten, so that reading it never fails.

use super::case::Encoded;
use crate::error::RecordingError;
use crate::layout::{self, FLAG_ASSUMPTION, MAGIC, PAGE, Table, VERSION, header, round_up};
use crate::mapping::Mapping;
use crate::recording::Recording;
use crate::supervisor::CONTROL_DESCRIPTOR;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd};
use std::time::Duration;

/// Room for the table of any program that can be linked; what is not used costs nothing.
const TABLE_ROOM: u64 = 256 << 20;

/// Room for a case at least.
const LEAST_ROOM: u64 = 1 << 20;

pub(super) struct CaseFile {
    file: File,
    mapping: Mapping,
    purpose: Purpose,
    /// Where the room for a case ends, which begins after the header. The table of a program that is replayed is here;
    /// what is recorded begins after the case itself.
    room_end: u64,
    table: Table,
}

/// What cases are run for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// To count blocks, with values forced.
    Replay,
    /// To record them, up to so many bytes of words; 0: record nothing.
    Record(u64),
}

impl CaseFile {
    /// A file for cases of up to `room` bytes.
    pub fn new(room: u64, purpose: Purpose) -> io::Result<CaseFile> {
        let room_end = round_up(PAGE + room.next_power_of_two().max(LEAST_ROOM));
        let length = match purpose {
            Purpose::Replay => room_end + TABLE_ROOM,
            Purpose::Record(0) => room_end,
            Purpose::Record(events) => room_end + layout::TABLE_ROOM + layout::event_bytes(events),
        };
        let file = memory_file(c"wherefore-cases", libc::MFD_ALLOW_SEALING)?;
        file.set_len(length)?;
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        // SAFETY: the descriptor is open.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let mapping = Mapping::of_shared_file(&file, length as usize)?;
        let case_file = CaseFile { file, mapping, purpose, room_end, table: Table { blocks: 0, points: 0 } };
        // Without the magic number: the runtime has yet to claim it.
        case_file.write_header(&[]);
        Ok(case_file)
    }

    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// How much of a process's memory it takes.
    pub fn bytes(&self) -> u64 {
        self.mapping.length() as u64
    }

    /// Whether so many bytes of a case fit.
    pub fn has_room(&self, bytes: u64) -> bool {
        PAGE + bytes <= self.room_end
    }

    /// Takes over what the runtime said of the program; false if it is not made to be replayed and should be.
    pub fn learn(&mut self) -> bool {
        if self.purpose != Purpose::Replay {
            return true;
        }
        let [blocks, points] = [header::BLOCKS, header::POINTS].map(|word| self.mapping.read_word(word));
        self.table = Table { blocks, points };
        // Both are numbers of 32 bits, or the program is none of ours.
        blocks > 0 && blocks <= TABLE_ROOM && points <= TABLE_ROOM && self.table.bytes() <= TABLE_ROOM
    }

    /// Writes a case. Nothing of the case before is left, which may have written anywhere.
    pub fn write(&self, case: &Encoded, processor: Option<Duration>) {
        let mut at = PAGE as usize;
        for bytes in [case.inputs.as_bytes(), case.nondet.as_bytes(), &case.arguments] {
            self.mapping.write(at, bytes);
            at += bytes.len();
        }
        let forced: Vec<u8> = case
            .forced
            .iter()
            .flat_map(|f| [u64::from(f.point) | u64::from(f.occurrence) << 32, f.value])
            .flat_map(u64::to_ne_bytes)
            .collect();
        self.mapping.write(at.next_multiple_of(8), &forced);
        if self.purpose == Purpose::Replay {
            self.write_table(case);
        }
        self.write_header(&[
            (header::MAGIC, MAGIC),
            (header::VERSION, VERSION),
            (header::BLOCKS, self.table.blocks),
            (header::POINTS, self.table.points),
            (header::INPUT_BYTES, case.inputs.len() as u64),
            (header::NONDET_BYTES, case.nondet.len() as u64),
            (header::ARGUMENTS, case.argument_count as u64),
            (header::ARGUMENT_BYTES, case.arguments.len() as u64),
            (header::FORCED, case.forced.len() as u64),
            (header::PROCESSOR, processor.map_or(0, |time| time.as_micros() as u64)),
        ]);
    }

    /// Writes a trial: what its cases have in common is in the header.
    pub fn write_trial(&self, trial: &[u8], processor: Option<Duration>) {
        self.mapping.write(PAGE as usize, trial);
        self.mapping.clear(self.room_end as usize, self.table.executed() as usize);
        self.write_header(&[
            (header::MAGIC, MAGIC),
            (header::VERSION, VERSION),
            (header::BLOCKS, self.table.blocks),
            (header::POINTS, self.table.points),
            (header::PROCESSOR, processor.map_or(0, |time| time.as_micros() as u64)),
        ]);
    }

    /// Words of 32 bits of what was written behind the header.
    pub fn room(&self, offset: usize, count: usize) -> Vec<u32> {
        self.mapping.read_u32(PAGE as usize + offset, count)
    }

    /// Counters and flags of a case that has not begun.
    fn write_table(&self, case: &Encoded) {
        let at = |offset: u64| (self.room_end + offset) as usize;
        self.mapping.clear(at(0), self.table.executed() as usize);
        for forced in &case.forced {
            let point = u64::from(forced.point);
            if point < self.table.points {
                self.mapping.write(at(self.table.flags() + point), &[1]);
                self.mapping.clear(at(self.table.executed() + 4 * point), 4);
            }
        }
    }

    fn write_header(&self, words: &[(usize, u64)]) {
        let mut header = [0u64; header::WORDS];
        header[header::CONTROL] = CONTROL_DESCRIPTOR as u64;
        match self.purpose {
            Purpose::Replay => {
                header[header::OFF] = 1;
                header[header::TABLE] = self.room_end;
            }
            Purpose::Record(0) => header[header::OFF] = 1,
            Purpose::Record(events) => {
                header[header::EVENT_BYTES] = layout::event_bytes(events);
                header[header::MOST_WORDS] = events / 8;
            }
        }
        for &(index, word) in words {
            header[index] = word;
        }
        let bytes: Vec<u8> = header.iter().flat_map(|w| w.to_ne_bytes()).collect();
        self.mapping.write(0, &bytes);
    }

    /// How many blocks the program has.
    pub fn blocks(&self) -> u64 {
        self.table.blocks
    }

    /// How often each block was entered.
    pub fn counts(&self) -> Vec<u32> {
        self.mapping.read_u32(self.room_end as usize, self.table.blocks as usize)
    }

    /// How many values were forced.
    pub fn applied(&self) -> usize {
        usize::try_from(self.mapping.read_word(header::APPLIED)).unwrap_or(usize::MAX)
    }

    /// Whether an assumption did not hold.
    pub fn assumption_violated(&self) -> bool {
        self.mapping.read_word(header::FLAGS) & FLAG_ASSUMPTION != 0
    }

    /// A copy of what was recorded.
    pub fn recording(&self) -> Result<Option<Recording>, RecordingError> {
        Recording::from_file(&self.file)
    }
}

/// A new file without a name that takes no space on a disk.
pub(super) fn memory_file(name: &std::ffi::CStr, flags: u32) -> io::Result<File> {
    // SAFETY: the name is zero-terminated; what the call returns is a new descriptor of ours.
    unsafe {
        match libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | flags) {
            -1 => Err(io::Error::last_os_error()),
            descriptor => Ok(File::from_raw_fd(descriptor)),
        }
    }
}
