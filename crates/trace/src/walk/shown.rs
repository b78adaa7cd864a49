//! What memory holds as the run shows it, where not everything that sets it becomes a step.

use super::Walker;
use super::following::Following;
use crate::builder::Range;
use crate::library::Chunk;
use crate::model::Kind;
use crate::slice::Pages;
use wherefore_program::Origin;

impl Walker<'_> {
    /// What a step has set is set again, by a command that is not in the slice: the trace is not to say that it stayed what
    /// it was.
    pub(super) fn changes_plainly(&mut self, range: Range, number: u128, at: Option<Origin>) {
        if self.following.is_slice() && self.build.is_current(range) {
            let value = self.build.constant(range.size as u32 * 8, number);
            let here = self.here(at);
            self.build.write(range, &value, Kind::Assign, None, here);
            self.build.leave(range);
        }
    }

    /// What memory holds where it is followed without variables.
    pub(super) fn pages(&mut self) -> Option<&mut Pages> {
        match &mut self.following {
            Following::Everything => None,
            Following::Nothing(log) => Some(&mut log.pages),
            Following::Slice(kept) => Some(&mut kept.pages),
        }
    }

    /// A byte of memory as it is now.
    pub(super) fn byte_now(&self, address: u64) -> Option<u8> {
        match &self.following {
            Following::Everything => self.build.known_byte(address),
            Following::Nothing(log) => log.pages.byte(address),
            Following::Slice(kept) => kept.pages.byte(address),
        }
    }

    /// Memory is seen to hold a number.
    pub(super) fn memory_holds(&mut self, address: u64, bits: u32, number: u128) {
        if let Some(pages) = self.pages() {
            pages.set(address, u64::from(bits.div_ceil(8)), number);
        }
    }

    /// Memory after a call of the library.
    pub(super) fn memory_shows(&mut self, chunks: &[Chunk]) {
        let Some(pages) = self.pages() else { return };
        for chunk in chunks {
            for (offset, byte) in (0..).zip(&chunk.bytes) {
                pages.set(chunk.address + offset, 1, u128::from(*byte));
            }
        }
    }

    /// Memory is copied.
    pub(super) fn memory_moves(&mut self, to: u64, from: u64, size: u64) {
        if let Some(pages) = self.pages() {
            pages.copy(to, from, size);
        }
    }

    /// Memory is filled with a byte.
    pub(super) fn memory_fills(&mut self, to: u64, size: u64, byte: u128) {
        if let Some(pages) = self.pages() {
            pages.fill(to, size, byte);
        }
    }

    /// The byte at an address, if it is known, where nothing else says what memory holds.
    pub(crate) fn byte_in_run(&mut self, address: u64) -> Option<Option<u128>> {
        match &mut self.following {
            Following::Nothing(log) => Some(log.pages.get(address, 8)),
            _ => None,
        }
    }

    /// Of a block that is copied or filled by a command that is not in the slice, the variables go on to change, too.
    pub(super) fn block_changes(&mut self, to: Range, address: u64, at: Option<Origin>) {
        if !self.following.is_slice() {
            return;
        }
        let end = to.offset + to.size;
        let cells: Vec<_> = self.build.memory.cells_within(to.object, to.offset..end).collect();
        for cell in cells.into_iter().filter(|c| c.offset + c.size <= end && c.size <= 16) {
            let number =
                self.pages().and_then(|pages| pages.get(address + (cell.offset - to.offset), cell.size as u32 * 8));
            if let Some(number) = number {
                let range = Range { object: to.object, offset: cell.offset, size: cell.size };
                self.changes_plainly(range, number, at);
            }
        }
    }
}
