//! What is known of memory without looking at it: no cell is made, nothing counts as read.

use super::{Builder, mask};
use crate::memory::{ObjectKind, Piece};
use std::collections::HashMap;
use wherefore_program::GlobalId;

/// Longer texts say too much.
const LONGEST_LITERAL: usize = 40;

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

    /// The texts of string literals, those that can be shown.
    pub fn literals(&self) -> HashMap<GlobalId, Vec<u8>> {
        let globals = self.program.globals.iter().zip(&self.images).enumerate();
        let texts = globals.filter(|(_, (global, _))| global.constant && global.name.is_none());
        let texts = texts.filter_map(|(index, (_, image))| {
            let (end, text) = image.as_ref()?.split_last()?;
            let readable = text.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'));
            (*end == 0 && readable && text.len() <= LONGEST_LITERAL).then(|| (GlobalId(index as u32), text.to_vec()))
        });
        texts.collect()
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
