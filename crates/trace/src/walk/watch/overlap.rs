//! Functions of the library that may not write what they read.

use crate::failure::NULL_PAGE;
use crate::memory::{FOREIGN, ObjectKind, Piece};
use crate::misuse;
use crate::model::{Act, MemoryError};
use crate::walk::Walker;
use wherefore_clib::seen::{Amount, Place};
use wherefore_clib::{Access, Extent, Format, Function};
use wherefore_program::{Operand, Origin};

/// Longer texts are not looked at.
const LONGEST: u64 = 1 << 16;

/// What a call reads, as far as it lies in the object that it writes to: addresses and numbers of bytes.
pub(super) type Sources = Vec<(u64, u64)>;

impl Walker<'_> {
    /// Look at a call that is going to write what may overlap with what it reads; false when it does.
    pub(super) fn watch_apart(
        &mut self,
        function: &'static Function,
        arguments: &[Operand],
        at: Option<Origin>,
    ) -> bool {
        self.watched().sources.clear();
        let Some(to) = written_through(function).filter(|_| function.apart) else { return true };
        let Some(target) = arguments.get(to).map(|a| self.operand(a).concrete as u64) else { return true };
        let sources = self.sources(function, arguments, (to, target));
        if sources.is_empty() {
            return true;
        }
        match self.written(function, arguments, (to, target)) {
            Some(written) => self.watch_sources(function, &arguments[to], &sources, written, at),
            None => {
                self.watched().sources = sources;
                true
            }
        }
    }

    /// Look at a call of which only its result says how much it has written.
    pub(super) fn watch_was_apart(
        &mut self,
        function: &'static Function,
        arguments: &[Operand],
        returned: u64,
        at: Option<Origin>,
    ) -> bool {
        let sources = std::mem::take(&mut self.watched().sources);
        let Some(to) = written_through(function).filter(|_| !sources.is_empty()) else { return true };
        // The result is an `int`, negative where it failed.
        let Ok(length) = u64::try_from(returned as i32) else { return true };
        let mut most = u64::MAX;
        for access in function.accesses {
            if let Access::Writes(_, Extent::Argument(limit)) = access {
                most = arguments.get(*limit).map_or(0, |a| self.operand(a).concrete as u64);
            }
        }
        let target = self.operand(&arguments[to]).concrete as u64;
        self.watch_sources(function, &arguments[to], &sources, (target, (length + 1).min(most)), at)
    }

    fn watch_sources(
        &mut self,
        function: &'static Function,
        to: &Operand,
        sources: &[(u64, u64)],
        (target, size): (u64, u64),
        at: Option<Origin>,
    ) -> bool {
        // A copy to where it comes from changes nothing; where more is written than a copy, it may.
        let is_copy = function.format.is_none();
        let overlaps = |source: &&(u64, u64)| {
            let (start, length) = **source;
            start < target.saturating_add(size) && target < start + length && !(is_copy && start == target)
        };
        let Some((_, length)) = sources.iter().find(overlaps).copied() else { return true };
        let Some(object) = self.shadow(to).object.filter(|o| !self.watched().lost.contains(o)) else { return true };
        let value = self.operand(to);
        let start = value.concrete as u64;
        let offset = start.wrapping_sub(self.build.memory.objects[object as usize].base) as i64;
        let bytes = length.min(size);
        let misuse = self.misuse(MemoryError::Overlap, object, offset, bytes, Act::Writes, Some(function.name));
        if self.passes_over(&misuse) {
            return true;
        }
        self.failed = Some(misuse::found(self, &value, misuse, at));
        false
    }

    /// What a call reads from the object that it writes to.
    fn sources(&mut self, function: &'static Function, arguments: &[Operand], (to, target): (usize, u64)) -> Sources {
        let within = self.build.memory.find(target).0;
        let mut sources = vec![];
        for (index, extent, most) in self.read_by(function, arguments).into_iter().filter(|(i, ..)| *i != to) {
            let Some(address) = self.number(arguments, index) else { continue };
            if within == FOREIGN || address < NULL_PAGE || self.build.memory.find(address).0 != within {
                continue;
            }
            let length = match extent {
                Extent::Argument(n) => self.number(arguments, n),
                Extent::StringUpTo(n) => self.number(arguments, n).zip(self.text_size(address)).map(|(n, l)| n.min(l)),
                Extent::String => self.text_size(address),
                _ => None,
            };
            let length = length.map(|l| l.min(most)).filter(|l| *l > 0);
            sources.extend(length.map(|length| (address, length)));
        }
        sources
    }

    /// The arguments that a call reads through: how much, and at most.
    fn read_by(&mut self, function: &'static Function, arguments: &[Operand]) -> Vec<(usize, Extent, u64)> {
        let named = function.accesses.iter().filter(|a| matches!(a, Access::Reads(..)));
        let mut read: Vec<_> = named.map(|a| (a.through(), a.extent(), u64::MAX)).collect();
        if let Some(Format::Print(number)) = function.format
            && let Some(format) = arguments.get(number).and_then(|a| self.format_text(a))
        {
            read.extend(function.seen_by_format(&format).into_iter().filter_map(|seen| {
                match (seen.place, seen.amount) {
                    (Place::Argument(argument), Amount::Fixed(most)) => Some((argument, Extent::String, most)),
                    _ => None,
                }
            }));
        }
        read
    }

    /// The bytes that a call is going to write, where its arguments say it.
    fn written(
        &mut self,
        function: &'static Function,
        arguments: &[Operand],
        (to, target): (usize, u64),
    ) -> Option<(u64, u64)> {
        let access = function.accesses.iter().find(|a| matches!(a, Access::Writes(..)))?;
        match access.extent() {
            Extent::Argument(n) if function.format.is_none() => Some((target, self.number(arguments, n)?)),
            Extent::StringOf(source) => {
                let source = self.operand(arguments.get(source)?).concrete as u64;
                Some((target, self.text_size(source)?))
            }
            // What is appended begins at the end of the text that is there.
            Extent::Open if function.accesses.contains(&Access::Reads(to, Extent::String)) => {
                let other = function.accesses.iter().find(|a| a.through() != to)?;
                let source = self.operand(arguments.get(other.through())?).concrete as u64;
                let limit = match other.extent() {
                    Extent::StringUpTo(n) => self.number(arguments, n)?.saturating_add(1),
                    _ => u64::MAX,
                };
                let end = target + self.text_size(target)? - 1;
                Some((end, self.text_size(source)?.min(limit)))
            }
            _ => None,
        }
    }

    fn number(&mut self, arguments: &[Operand], index: usize) -> Option<u64> {
        arguments.get(index).map(|a| self.operand(a).concrete as u64)
    }

    /// The size of the text at an address with its zero byte, where all of it is known.
    fn text_size(&mut self, address: u64) -> Option<u64> {
        for length in 0..LONGEST {
            if self.byte_at(address.checked_add(length)?)? == 0 {
                return Some(length + 1);
            }
        }
        None
    }

    fn byte_at(&mut self, address: u64) -> Option<u8> {
        if let Some(known) = self.byte_in_run(address) {
            return known.map(|byte| byte as u8);
        }
        let (object, offset) = self.build.memory.find(address);
        match self.build.memory.pieces(object, offset, 1)[..] {
            [Piece::Cell { cell, from, .. }] => {
                let value = self.build.current_value(cell.variable)?;
                Some((value >> (8 * from)) as u8)
            }
            _ => match self.build.memory.objects[object as usize].kind {
                ObjectKind::Global(global) => {
                    let image = self.build.images.get(global.index()).and_then(Option::as_ref)?;
                    image.get(usize::try_from(offset).ok()?).copied()
                }
                _ => None,
            },
        }
    }
}

/// The argument that a function writes through.
fn written_through(function: &Function) -> Option<usize> {
    function.accesses.iter().find(|a| matches!(a, Access::Writes(..))).map(|a| a.through())
}
