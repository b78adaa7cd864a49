//! Texts that functions of the library read and write: how long they were is seen after the call.

use super::Use;
use crate::builder::{Facts, Value};
use crate::failure::{Found, NULL_PAGE};
use crate::memory::FOREIGN;
use crate::model::{Act, Action, Kind, Step, Storage};
use crate::walk::Walker;
use wherefore_clib::seen::Place;
use wherefore_clib::{Access, Extent, Format, Function};
use wherefore_formula::{TermId, VarId};
use wherefore_program::{Operand, Origin};

/// Longest room that a text is told to fill.
const LONGEST: u64 = 64;

/// Functions that read a text up to its end. Others may stop before.
const READ_ALL: [&str; 15] = [
    "strlen", "strcpy", "stpcpy", "strcat", "strdup", "strrchr", "puts", "fputs", "printf", "fprintf", "dprintf",
    "sprintf", "perror", "fopen", "system",
];

/// Whether a function reads or writes texts, each in an array of its own.
pub(super) fn is_about_texts(name: &str) -> bool {
    READ_ALL.contains(&name) || matches!(name, "strncat" | "fgets" | "gets" | "scanf" | "fscanf" | "sscanf")
}

/// A text that goes on beyond an end.
pub(super) struct TextBeyond {
    goes_on: TermId,
    facts: Facts,
    /// How many bytes are used at least.
    pub bytes: u64,
    /// The number of steps before the call that copies it, where they suffice.
    steps: Option<usize>,
}

impl TextBeyond {
    /// A failure depends on it.
    pub fn add_to(self, walker: &mut Walker, found: &mut Found) {
        let failure = &mut found.failure;
        failure.violated = walker.build.terms.and2(failure.violated, self.goes_on);
        for (to, from) in [(&mut failure.addresses, self.facts.addresses), (&mut failure.assumes, self.facts.assumes)] {
            let new: Vec<TermId> = from.into_iter().filter(|term| !to.contains(term)).collect();
            to.extend(new);
        }
        found.steps = self.steps.unwrap_or(found.steps);
    }
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
            let read = Use { address, size: 1, ahead: 0, act: Act::Reads, by: Some(function.name), copies: false, at };
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
                let read = Use { address, size, ahead: 0, act: Act::Reads, by, copies: false, at };
                if !is_written && (!self.watch_use(pointer, read) || !self.watch_set(address, size, function, at)) {
                    return false;
                }
            }
        }
        for index in self.texts_written(function, arguments, returned) {
            let Some(pointer) = arguments.get(index) else { continue };
            let address = self.operand(pointer).concrete as u64;
            let Some(size) = self.seen_text(address) else { continue };
            let appended = self.appended(function, arguments, size);
            let ahead = size - appended;
            let write =
                Use { act: Act::Writes, ahead, address: address + ahead, size: appended, by, copies: false, at };
            self.watched().copied = match (function.name, arguments) {
                ("strcpy" | "stpcpy" | "strcat", [_, source]) => Some((self.operand(source), None)),
                ("strncat", [_, source, most]) => Some((self.operand(source), Some(self.operand(most)))),
                _ => None,
            };
            let is_right = self.watch_use(pointer, write);
            self.watched().copied = None;
            if !is_right {
                return false;
            }
        }
        true
    }

    /// Why a function that works on texts goes beyond an end: none of them ends before. `None` where the trace does not
    /// know all their bytes.
    pub(super) fn text_beyond(&mut self, pointer: &Value, end: u64, it: Use) -> Option<TextBeyond> {
        it.by.filter(|by| is_about_texts(by))?;
        let room = end.checked_sub(pointer.concrete as u64).filter(|room| *room <= LONGEST && it.ahead <= *room)?;
        let bytes = room - it.ahead + 1;
        if let Some((source, limit)) = self.watched().copied.clone() {
            let (before, mut facts) = self.goes_on(pointer, it.ahead, it.at)?;
            let (copied, others) = self.goes_on(&source, room - it.ahead, it.at)?;
            facts.merge(&others);
            if let Some(limit) = limit {
                let limit = self.build.refresh(&limit);
                self.fix(&mut facts, &limit);
            }
            let goes_on = self.build.terms.and2(before, copied);
            if let Some(steps) = self.steps_without_copy(pointer, goes_on, &facts) {
                return Some(TextBeyond { goes_on, facts, bytes, steps: Some(steps) });
            }
        }
        let (goes_on, facts) = self.goes_on(pointer, room, it.at)?;
        Some(TextBeyond { goes_on, facts, bytes, steps: None })
    }

    /// That none of so many bytes is zero from where a pointer points.
    fn goes_on(&mut self, pointer: &Value, count: u64, at: Option<Origin>) -> Option<(TermId, Facts)> {
        let (pointer, here) = (self.build.refresh(pointer), self.here(at));
        let (mut all, mut facts) = (vec![], Facts::default());
        for distance in 0..count {
            let byte = self.byte(&pointer, distance, here).filter(|byte| byte.concrete != 0)?;
            let is_end = self.is_zero(&byte);
            all.push(self.build.terms.not(is_end));
            facts.merge(&byte.facts);
        }
        Some((self.build.terms.and(all), facts))
    }

    /// How many steps there were before the call under way wrote anything, where that does not matter to a condition.
    fn steps_without_copy(&mut self, to: &Value, condition: TermId, facts: &Facts) -> Option<usize> {
        let (to, before) = (self.build.refresh(to), self.watched().before);
        let written = self.build.steps.iter().skip(before).position(|step| step.kind == Kind::Assign)?;
        let steps = before + written;
        let needed = [facts, &to.facts].into_iter().flat_map(|facts| facts.addresses.iter().chain(&facts.assumes));
        let needed = needed.chain([&condition, &to.term]);
        let needed: Vec<VarId> = needed.flat_map(|term| self.build.terms.variables(*term)).collect();
        let is_needed = |step: &Step| matches!(step.action, Action::Assign { to, .. } if needed.contains(&to));
        let is_saved = |v: &VarId| matches!(self.build.variables[v.0 as usize].storage, Storage::Saved { .. });
        let is_changed = self.build.steps[steps..].iter().any(is_needed) || needed.iter().any(is_saved);
        (!is_changed).then_some(steps)
    }

    /// Of the text that was written, what a call has appended, its zero byte with it.
    fn appended(&mut self, function: &'static Function, arguments: &[Operand], all: u64) -> u64 {
        let (limit, source) = match (function.name, arguments) {
            ("strcat", [_, source]) => (u64::MAX, source),
            ("strncat", [_, source, most]) => (self.operand(most).concrete as u64, source),
            _ => return all,
        };
        let address = self.operand(source).concrete as u64;
        let Some(seen) = self.watched().seen.iter().find(|c| c.address == address && c.text) else { return all };
        let length = seen.bytes.iter().position(|byte| *byte == 0).unwrap_or(seen.bytes.len()) as u64;
        (length.min(limit) + 1).min(all)
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
    pub(crate) fn format_text(&mut self, operand: &Operand) -> Option<Vec<u8>> {
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
