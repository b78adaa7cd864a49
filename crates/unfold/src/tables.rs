//! Tables of the library that macros of `<ctype.h>` look into, as they are in the C locale.

use crate::memory::{Content, ObjectId, Rest};
use crate::state::{State, Unfolder};
use rustc_hash::FxHashMap;
use wherefore_formula::TermId;

/// Entries before that of 0: tables start with that of -128.
const BEFORE: i32 = 128;
/// All entries.
const ENTRIES: i32 = 384;

/// Tables that were asked for, and the pointers to them.
#[derive(Default)]
pub(crate) struct Tables {
    known: FxHashMap<&'static str, (ObjectId, ObjectId)>,
}

impl Unfolder<'_> {
    /// The address of a pointer to the entry of 0 in a table; `None` for other functions.
    pub fn table(&mut self, state: &mut State, symbol: &str) -> Option<TermId> {
        let (name, entry): (&'static str, fn(u8) -> u32) = match symbol {
            "__ctype_b_loc" => ("__ctype_b_loc", class),
            "__ctype_tolower_loc" => ("__ctype_tolower_loc", |c| u32::from(c.to_ascii_lowercase())),
            "__ctype_toupper_loc" => ("__ctype_toupper_loc", |c| u32::from(c.to_ascii_uppercase())),
            _ => return None,
        };
        let width = if name == "__ctype_b_loc" { 2 } else { 4 };
        let (table, pointer) = match self.tables.known.get(name) {
            Some(known) => *known,
            None => {
                let bytes = (-BEFORE..ENTRIES - BEFORE).flat_map(|c| {
                    let value = match u8::try_from(c) {
                        Ok(byte) => entry(byte),
                        Err(_) if width == 2 => 0,
                        Err(_) => c as u32,
                    };
                    value.to_le_bytes().into_iter().take(width)
                });
                let image: Vec<u8> = bytes.collect();
                let table = self.object(image.len() as u64, Rest::Image(image.into()), true);
                let pointer = self.object(8, Rest::Undefined, true);
                self.tables.known.insert(name, (table, pointer));
                (table, pointer)
            }
        };
        // Every path that asks finds it.
        if !state.memory.contains_key(&pointer) {
            let start = self.kind(table).address + BEFORE as u64 * width as u64;
            let start = self.terms.bits(64, u128::from(start));
            let mut content = Content::new(&self.terms);
            content.write(&mut self.terms, 0, start);
            state.memory.insert(pointer, content);
            state.memory.insert(table, Content::new(&self.terms));
        }
        Some(self.pointer_to(pointer))
    }
}

/// The classes of a character, as glibc numbers them on machines that store the low byte first.
fn class(c: u8) -> u32 {
    let classes = [
        (0x100, c.is_ascii_uppercase()),
        (0x200, c.is_ascii_lowercase()),
        (0x400, c.is_ascii_alphabetic()),
        (0x800, c.is_ascii_digit()),
        (0x1000, c.is_ascii_hexdigit()),
        (0x2000, matches!(c, b' ' | 9..=13)),
        (0x4000, matches!(c, 32..=126)),
        (0x8000, c.is_ascii_graphic()),
        (0x1, matches!(c, b' ' | b'\t')),
        (0x2, c.is_ascii_control()),
        (0x4, c.is_ascii_punctuation()),
        (0x8, c.is_ascii_alphanumeric()),
    ];
    classes.into_iter().filter(|(_, is)| *is).map(|(bit, _)| bit).sum()
}

#[cfg(test)]
mod tests;
