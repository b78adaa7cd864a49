//! Calls, gone through backwards: what was called may have been gone through already, or lies outside of the program.

use super::backwards::{Backwards, EXECUTES, Entered, Executed, Here, at, value_words};
use super::live::Level;
use crate::walk::{SEEN, SEEN_END};
use wherefore_clib::{self as clib, Function as Known, Gives, Judge};
use wherefore_program::{Callee, Command, FunctionId, Operand, Operation, Place, RegId};

/// Memory behind a pointer that a call of the library was given, of which it is not known how much matters.
const BEHIND: u64 = 512;
/// Addresses below this point to nothing.
const NULL_PAGE: u64 = 4096;

impl Backwards<'_, '_> {
    pub(super) fn call(
        &mut self,
        here: &mut Here,
        it: &Executed,
        target: Option<RegId>,
        callee: &Callee,
        arguments: &[Operand],
    ) {
        if let Some(Entered { level, params }) = self.entered.take() {
            let level = if it.is_wanted { self.top } else { level };
            if level.is_dead() {
                return;
            }
            self.keep(here, it.ordinal, level);
            // Which function is called is a condition, and what lies in it lies under that.
            if let Callee::Pointer(pointer) = callee {
                self.uses(here, [pointer], level);
            }
            here.frame.marks.add(at(here.index, EXECUTES), level);
            let called = self.log.pieces.get(here.index + 1).and_then(|p| self.program.block(p.block));
            let function = called.map(|(id, _)| &self.program.functions[id.index()]);
            let is_checking = function.is_some_and(|f| clib::judge(&f.name) == Some(Judge::Asserts));
            for (number, argument) in arguments.iter().enumerate() {
                // What is behind `...` is found by where it is read.
                let of = params.get(number).copied().unwrap_or(level);
                let of = if is_checking { self.top } else { of };
                if of.is_explained() {
                    self.uses(here, [argument], of);
                }
            }
            return;
        }
        if self.log.pieces.get(here.index + 1).is_some_and(|next| next.jumped) {
            // It has not come back; what it was given comes out at the place where control goes on.
            let level = here.frame.marks.before(u64::MAX);
            if level.is_explained() {
                self.keep(here, it.ordinal, level);
                self.uses(here, arguments, level);
            }
            return;
        }
        let level = target.map(|t| here.frame.take(t)).unwrap_or_default();
        let is_inside = here.piece.resumes && it.ordinal == here.piece.first as usize;
        let is_last = it.is_wanted && it.ordinal + 1 == self.log.commands;
        let comes_back = !is_last || self.criterion.came_back;
        if is_inside && !matches!(callee, Callee::External(_) | Callee::Assembly) {
            here.frame.awaited = level;
            return;
        }
        if matches!(callee, Callee::Function(_)) {
            return;
        }
        let given: Vec<u64> = if comes_back {
            let first = self.given.saturating_sub(arguments.len());
            let given = self.log.given[first..self.given].to_vec();
            self.given = first;
            given
        } else {
            self.criterion.given.clone()
        };
        self.outside(here, it, level, callee, arguments, &given, comes_back, target);
    }

    /// A call to the outside.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn outside(
        &mut self,
        here: &mut Here,
        it: &Executed,
        level: Level,
        callee: &Callee,
        arguments: &[Operand],
        given: &[u64],
        comes_back: bool,
        target: Option<RegId>,
    ) {
        let known = if let Callee::External(name) = callee { clib::function(name) } else { None };
        let chunks = if comes_back { self.chunks(here, it, target, known) } else { vec![] };
        let writes = known.is_none_or(|f| !f.only_reads());
        let behind = given.iter().enumerate().filter(|(i, _)| known.is_none_or(|f| f.may_change(*i)));
        let behind = behind.map(|(_, at)| (*at, 1)).filter(|(at, _)| *at >= NULL_PAGE);
        let reached = chunks.iter().copied().chain(behind).filter(|_| writes);
        let reached = reached.map(|(at, size)| self.memory.level(at, size)).filter(|level| level.is_explained());
        let level = level.max(reached.max().unwrap_or_default());
        let level = if it.is_wanted || is_always_kept(callee, known) { self.top } else { level };
        let level = if self.is_round(it, level) { Level::DEAD } else { level };
        if level.is_dead() {
            return;
        }
        self.keep(here, it.ordinal, level);
        if !level.is_explained() {
            return;
        }
        self.uses(here, arguments, level);
        for (address, size) in &chunks {
            self.memory.add(*address, *size, level);
        }
        if !comes_back {
            let pointers = given.iter().filter(|at| **at >= NULL_PAGE && **at < 1 << 47);
            pointers.for_each(|at| self.memory.add(*at, BEHIND, self.top));
        }
        // What an object that moves holds comes with it.
        if let (Some(known), Some(result)) = (known.filter(|f| f.allocates.is_some()), target) {
            let bits = here.function.registers[result.index()];
            let moved = known.frees.and_then(|i| given.get(i)).copied().filter(|from| *from >= NULL_PAGE);
            if let (Some(from), 64, Some(to)) = (moved, bits, self.words.get(it.at + 1)) {
                let size = given.get(1).copied().unwrap_or(0).min(1 << 32);
                self.memory.shift(*to, from, size);
            }
        }
    }

    /// Memory that the recording holds of a call.
    pub(super) fn chunks(
        &self,
        here: &Here,
        it: &Executed,
        target: Option<RegId>,
        known: Option<&Known>,
    ) -> Vec<(u64, u64)> {
        let mut chunks = vec![];
        if !known.is_some_and(Known::is_seen) {
            return chunks;
        }
        let bits = target.map_or(0, |t| here.function.registers[t.index()]);
        let mut at = it.at + 1 + value_words(bits);
        while let (Some(head), Some(address)) = (self.words.get(at), self.words.get(at + 1)) {
            if *head == SEEN_END || head >> 48 != SEEN {
                break;
            }
            let count = u64::from(*head as u32);
            chunks.push((*address, count));
            at += 2 + count.div_ceil(8) as usize;
        }
        chunks
    }

    /// Whether a pointer leads into a table of the library: then it is an index that matters.
    pub(super) fn is_of_table(&mut self, id: FunctionId, pointer: &Operand) -> bool {
        let mut pointer = pointer.clone();
        for _ in 0..8 {
            let Operand::Register(register) = pointer else { return false };
            match self.sides.definition(id, register) {
                Some(Command::Define { value: Operation::Binary { left, .. }, .. }) => pointer = left.clone(),
                Some(Command::Define { value: Operation::Copy(from), .. }) => pointer = from.clone(),
                Some(Command::Load { place: Place::Memory(from), .. }) => pointer = from.clone(),
                Some(Command::Call { callee: Callee::External(name), .. }) => {
                    return clib::function(name).is_some_and(|f| matches!(f.gives, Gives::Table));
                }
                _ => return false,
            }
        }
        false
    }
}
/// Calls that something later may depend on in a way that registers and memory do not show.
fn is_always_kept(callee: &Callee, known: Option<&Known>) -> bool {
    let Callee::External(name) = callee else { return false };
    clib::judge(name).is_some()
        || known.is_some_and(|f| f.calls_back.is_some() || matches!(f.name, "strtok" | "strtok_r" | "strsep"))
}
