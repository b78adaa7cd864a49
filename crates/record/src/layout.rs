//! The layout of the mapped file, shared with `runtime/runtime.c`: a header page, the text of the inputs, for a case the
//! arguments, the tables of the program (at the next page), the events (at the next page): two windows, into which words are
//! written in turn, and packed pieces of what they had before (`runtime/window.h`). Where a case is replayed, nothing is
//! recorded: after the arguments are the forced values (at the next multiple of 8), and at a place of its own a [`Table`].
//! At the end of the file are areas for the words of threads but the first one, each with a header page and events
//! (`runtime/threads.h`).

/// Where the runtime maps the file.
pub const BASE: u64 = 0x3000_0000_0000;
/// Size of the header; the parts of the file start at multiples of it.
pub const PAGE: u64 = 4096;
/// Where the objects lie that inputs point to.
pub const OBJECTS: u64 = 0x2000_0000_0000;
/// How far they are from each other.
pub const OBJECT_ROOM: u64 = 16 << 20;
/// `WHEREFOR`, written by the runtime that claims the file.
pub const MAGIC: u64 = u64::from_le_bytes(*b"WHEREFOR");
/// Version of this layout.
pub const VERSION: u64 = 3;
/// Room for tables. The runtime takes snapshots of globals up to 16 MiB; the rest is for addresses and sizes. The file
/// is sparse, so room costs nothing.
pub const TABLE_ROOM: u64 = 64 << 20;

/// Room of a window: its words, and a page more, since a block may write past the limit.
pub const WINDOW_ROOM: u64 = (128 << 10) + PAGE;

/// Most words of a recording, unless the runner says otherwise: what a reader can have in its memory.
pub const MOST_WORDS: u64 = 1 << 28;

/// How many threads but the first one have an area, the size of one, and most words in it.
pub const AREAS: u64 = 32;
pub const AREA_BYTES: u64 = 16 << 20;
pub const MOST_OF_A_THREAD: u64 = 1 << 24;

/// Most bytes of words, whatever is asked for.
pub const MOST_EVENTS: u64 = 1 << 40;

/// Words of the header, in the order of the enumeration in `runtime.c`.
pub mod header {
    pub const MAGIC: usize = 0;
    pub const CURSOR: usize = 1;
    pub const STATE: usize = 3;
    pub const FORKS: usize = 4;
    pub const NONDET_USED: usize = 5;
    pub const NONDET_MISSING: usize = 6;
    pub const FLAGS: usize = 7;
    pub const TABLE_WORDS: usize = 8;
    pub const VERSION: usize = 9;
    pub const EVENTS: usize = 10;
    pub const END: usize = 11;
    pub const INPUT_BYTES: usize = 12;
    pub const NONDET_BYTES: usize = 13;
    pub const EVENT_BYTES: usize = 14;
    pub const OFF: usize = 15;
    pub const CONTROL: usize = 16;
    pub const TABLE: usize = 17;
    pub const BLOCKS: usize = 18;
    pub const POINTS: usize = 19;
    pub const ARGUMENTS: usize = 20;
    pub const ARGUMENT_BYTES: usize = 21;
    pub const FORCED: usize = 22;
    pub const APPLIED: usize = 23;
    pub const PROCESSOR: usize = 24;
    pub const MOST_WORDS: usize = 25;
    pub const PIECES: usize = 26;
    pub const PACKED: usize = 27;
    pub const PACKED_WORDS: usize = 28;
    pub const STARTS: usize = 31;
    pub const THREADS: usize = 32;
    pub const AREAS: usize = 33;
    pub const ENDED_IN: usize = 34;
    /// Number of words in use.
    pub const WORDS: usize = 35;
}

/// What stands in the header page of a recording that is kept, as `runtime/kept.h` has it.
pub mod kept {
    pub const PID: usize = 64;
    pub const HOW: usize = 65;
    pub const NUMBER: usize = 66;
    pub const TEXT_BYTES: usize = 67;
    /// Number of words in use.
    pub const WORDS: usize = 68;
    /// Where the text begins, in bytes.
    pub const TEXT: usize = 1024;
    /// How it ended.
    pub const EXITED: u64 = 1;
    pub const SIGNALLED: u64 = 2;
}

/// The table of a program that is replayed: a counter of 32 bits for each block, a byte for each point that says
/// whether a value is forced there, 8 bytes to spare, and from the next multiple of 8 a counter of 32 bits for each
/// point.
#[derive(Copy, Clone, Debug)]
pub struct Table {
    /// Number of blocks.
    pub blocks: u64,
    /// Number of points.
    pub points: u64,
}

impl Table {
    /// Where the flags of the points begin.
    pub fn flags(self) -> u64 {
        4 * self.blocks
    }

    /// Where the counters of the points begin.
    pub fn executed(self) -> u64 {
        (self.flags() + self.points + 8).next_multiple_of(8)
    }

    /// Its length.
    pub fn bytes(self) -> u64 {
        self.executed() + 4 * self.points
    }
}

/// The entry function began.
pub const FLAG_BEGAN: u64 = 1;
/// An assumption did not hold.
pub const FLAG_ASSUMPTION: u64 = 2;

/// Room to leave for so many bytes of words: the windows, and the pieces, which are longer than their words at worst.
pub fn event_bytes(words: u64) -> u64 {
    2 * WINDOW_ROOM + round_up(words + words / 8) + PAGE
}

/// `value` rounded up to a whole page.
pub fn round_up(value: u64) -> u64 {
    value.next_multiple_of(PAGE)
}
