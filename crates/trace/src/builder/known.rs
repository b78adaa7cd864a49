//! What is known of memory without looking at it: no cell is made, nothing counts as read.

use super::{Builder, mask};
use crate::memory::{ObjectKind, Piece};

impl Builder<'_> {
    /// The byte at an address, if the trace knows it.
    pub fn known_byte(&self, address: u64) -> Option<u8> {
        let (object, offset) = self.memory.find(address);
        let [piece] = self.memory.pieces(object, offset, 1)[..] else { return None };
        match piece {
            Piece::Cell { cell, from, .. } => {
                let value = self.current_value(cell.variable).filter(|_| !self.forgotten.contains_key(&cell.variable));
                value.map(|value| mask(value >> (8 * from), 8) as u8)
            }
            // Nobody has touched it since the run began, unless somebody outside or a copy has.
            Piece::Gap { .. } => {
                let ObjectKind::Global(global) = self.memory.objects[object as usize].kind else { return None };
                let touched = self.outside_of.contains_key(&object) || self.pending.contains_key(&object);
                let constant = self.program.globals[global.index()].constant;
                let image = self.images.get(global.index())?.as_ref().filter(|_| constant || !touched)?;
                image.get(offset as usize).copied()
            }
        }
    }

    /// The string at an address up to its zero byte, of at most so many bytes, if all of it is known.
    pub fn known_string(&self, address: u64, most: usize) -> Option<Vec<u8>> {
        let mut text = vec![];
        while text.len() < most {
            match self.known_byte(address.checked_add(text.len() as u64)?)? {
                0 => break,
                byte => text.push(byte),
            }
        }
        Some(text)
    }
}
