//! Texts that functions of the library read and write: how long they were is seen after the call.

use super::Use;
use crate::failure::NULL_PAGE;
use crate::memory::FOREIGN;
use crate::model::Act;
use crate::walk::Walker;
use wherefore_clib::seen::Place;
use wherefore_clib::{Access, Extent, Format, Function};
use wherefore_program::{Operand, Origin};

/// Functions that read a text up to its end. Others may stop before.
const READ_ALL: [&str; 15] = [
    "strlen", "strcpy", "stpcpy", "strcat", "strdup", "strrchr", "puts", "fputs", "printf", "fprintf", "dprintf",
    "sprintf", "perror", "fopen", "system",
];

/// Whether a function reads or writes texts, each in an array of its own.
pub(super) fn is_about_texts(name: &str) -> bool {
    READ_ALL.contains(&name) || matches!(name, "strncat" | "fgets" | "gets" | "scanf" | "fscanf" | "sscanf")
}

impl Walker<'_> {
    /// Keep what was seen of memory after a call.
    pub(in crate::walk) fn watch_seen(&mut self) {
        let seen = if self.watch.is_some() { self.chunks.clone() } else { return };
        self.watched().seen = seen;
    }

    /// The length of the text that was seen at an address, with its zero byte.
    pub(super) fn seen_text(&mut self, address: u64) -> Option<u64> {
        let seen = self.watched().seen.iter().find(|c| c.address == address && c.text && c.bytes.last() == Some(&0))?;
        Some(seen.bytes.len() as u64)
    }

    /// Look at the texts that a call is going to read, at least the first byte of each; false when it is a failure.
    pub(super) fn watch_texts(
        &mut self,
        function: &'static Function,
        arguments: &[Operand],
        at: Option<Origin>,
    ) -> bool {
        for index in self.texts_read(function, arguments) {
            let Some(pointer) = arguments.get(index) else { continue };
            let address = self.operand(pointer).concrete as u64;
            let read = Use { address, size: 1, act: Act::Reads, by: Some(function.name), copies: false, at };
            if !self.watch_use(pointer, read) || !self.watch_set(address, 1, function, at) {
                return false;
            }
        }
        true
    }

    /// Look at the texts that a call has read and written, as long as they are; false when it is a failure.
    pub(super) fn watch_seen_texts(
        &mut self,
        function: &'static Function,
        arguments: &[Operand],
        returned: u64,
        at: Option<Origin>,
    ) -> bool {
        let by = Some(function.name);
        if READ_ALL.contains(&function.name) {
            for index in self.texts_read(function, arguments) {
                let Some(pointer) = arguments.get(index) else { continue };
                let address = self.operand(pointer).concrete as u64;
                let Some(size) = self.seen_text(address) else { continue };
                // What is appended to is a text of which only the result is seen.
                let is_written = function.accesses.iter().any(|a| matches!(a, Access::Writes(i, _) if *i == index));
                let read = Use { address, size, act: Act::Reads, by, copies: false, at };
                if !is_written && (!self.watch_use(pointer, read) || !self.watch_set(address, size, function, at)) {
                    return false;
                }
            }
        }
        for index in self.texts_written(function, arguments, returned) {
            let Some(pointer) = arguments.get(index) else { continue };
            let address = self.operand(pointer).concrete as u64;
            let Some(size) = self.seen_text(address) else { continue };
            if !self.watch_use(pointer, Use { address, size, act: Act::Writes, by, copies: false, at }) {
                return false;
            }
        }
        true
    }

    /// The arguments that are texts which a call reads.
    fn texts_read(&mut self, function: &'static Function, arguments: &[Operand]) -> Vec<usize> {
        let is_text = |a: &&Access| matches!(a, Access::Reads(_, Extent::String));
        let mut texts: Vec<usize> = function.accesses.iter().filter(is_text).map(|a| a.through()).collect();
        if let Some(Format::Print(number)) = function.format
            && let Some(format) = arguments.get(number).and_then(|a| self.format_text(a))
        {
            let formatted = function.seen_by_format(&format);
            texts.extend(formatted.iter().filter_map(|seen| match seen.place {
                Place::Argument(argument) => Some(argument),
                _ => None,
            }));
        }
        texts
    }

    /// The text of a literal.
    pub(super) fn format_text(&mut self, operand: &Operand) -> Option<Vec<u8>> {
        let Operand::Global(global, offset) = operand else { return None };
        let constant = self.program.globals[global.index()].constant;
        let image = self.build.images.get(global.index()).and_then(Option::as_ref).filter(|_| constant)?;
        let text = image.get(usize::try_from(*offset).ok()?..)?;
        let length = text.iter().position(|byte| *byte == 0)?;
        Some(text[..length].to_vec())
    }

    /// Whether bytes that a function reads were set; a failure if not.
    fn watch_set(&mut self, address: u64, size: u64, function: &'static Function, at: Option<Origin>) -> bool {
        let (object, offset) = self.build.memory.find(address);
        if object == FOREIGN || address < NULL_PAGE {
            return true;
        }
        let unset = self.watched().memory.unset_in(object, offset, size).first().copied();
        let Some((_, _, from)) = unset else { return true };
        self.watch_unset(from, 1, Act::Passes, Some(function.name), at)
    }

    /// The arguments that a call has written texts to.
    fn texts_written(&mut self, function: &'static Function, arguments: &[Operand], returned: u64) -> Vec<usize> {
        match function.name {
            "strcpy" | "stpcpy" | "strcat" | "strncat" | "sprintf" => return vec![0],
            "fgets" | "gets" if returned != 0 => return vec![0],
            _ => {}
        }
        let Some(Format::Scan(number)) = function.format else { return vec![] };
        let Some(format) = arguments.get(number).and_then(|a| self.format_text(a)) else { return vec![] };
        // As many were stored as the result, an `int`, says.
        let stored = usize::try_from(returned as i32).unwrap_or(0);
        let texts = function.seen_by_format(&format).into_iter().filter_map(|seen| match seen.place {
            Place::Argument(argument) => Some(argument),
            _ => None,
        });
        texts.filter(|argument| *argument < function.arguments + stored).collect()
    }
}
