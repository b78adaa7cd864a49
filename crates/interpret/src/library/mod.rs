//! The part of the C library that is known here, and what a recording keeps of its calls.

mod printing;
mod strings;

use crate::Integers;
use crate::machine::Machine;
use crate::operation::{mask, signed};
use crate::stop::{Going, SIGABRT, Stop, give_up};
use wherefore_clib::seen::{Amount, Place, Seen};
use wherefore_clib::{self as clib, Ending, Judge, Nondet};
use wherefore_program::Operand;

const SEEN: u64 = 0x5EE1 << 48;
const SEEN_END: u64 = 0x5EE0 << 48;
const SEEN_AS_TEXT: u64 = 1 << 32;
/// Bytes of one piece, and of all of them.
const PIECE: u64 = 2048;
const MOST: u64 = 64 << 10;

impl Machine<'_> {
    /// Calls something outside of the program; gives its result.
    pub fn outside(&mut self, name: &str, arguments: &[Operand], values: &[u128], bits: Option<u32>) -> Going<u128> {
        let name = self.run.program.stand_in(name);
        if let Some(kind) = clib::nondet(name) {
            return self.any(kind, values, bits);
        }
        match clib::ending(name) {
            Some(Ending::Status(argument)) => return Err(Stop::Exit(values[argument] as i32 & 0xff)),
            Some(Ending::Assertion | Ending::Abort | Ending::Error) => return Err(Stop::Signal(SIGABRT)),
            None => {}
        }
        let holds = values.first().is_some_and(|value| *value != 0);
        match clib::judge(name) {
            Some(_) if holds => return Ok(0),
            Some(Judge::Asserts) => return Err(Stop::Signal(SIGABRT)),
            Some(Judge::Assumes) => return Err(Stop::Refused),
            None => {}
        }
        if name == clib::NOTHING {
            return Ok(0);
        }
        if self.run.integers == Integers::Unlimited {
            return give_up(format!("a call of {name}()"));
        }
        let known = clib::known_as(name);
        match self.library(known, arguments, values)? {
            Some(value) => Ok(value),
            None => give_up(format!("a call of {name}()")),
        }
    }

    fn library(&mut self, name: &str, arguments: &[Operand], values: &[u128]) -> Going<Option<u128>> {
        if let Some(value) = self.allocation(name, values)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.strings(name, values)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.printing(name, arguments, values)? {
            return Ok(Some(value));
        }
        Ok(Some(match name {
            "abs" => mask(signed(values[0], 32).wrapping_abs() as u128, 32),
            "labs" | "llabs" => mask(signed(values[0], 64).wrapping_abs() as u128, 64),
            "getchar" => match self.run.given.stdin.as_deref().and_then(|text| text.get(self.stdin)) {
                Some(byte) => {
                    self.stdin += 1;
                    u128::from(*byte)
                }
                None => mask(u128::MAX, 32),
            },
            _ => return Ok(None),
        }))
    }

    /// A value that may be any: the next that is given.
    fn any(&mut self, kind: Nondet, values: &[u128], bits: Option<u32>) -> Going<u128> {
        let mut next = || {
            let value = self.run.given.nondet.get(self.nondet).copied().unwrap_or(0);
            self.nondet += 1;
            u128::from(value)
        };
        Ok(match kind {
            Nondet::Truth => u128::from(next() != 0),
            Nondet::Integer { .. } | Nondet::Real | Nondet::Pointer | Nondet::Wide { signed: false } => {
                mask(next(), bits.unwrap_or(64))
            }
            Nondet::Wide { signed: true } => mask(signed(next(), 64) as u128, bits.unwrap_or(128)),
            Nondet::Memory => {
                let (to, count) = (values[0] as u64, values[1] as u64);
                self.memory.check(to, count)?;
                for at in to..to + count {
                    let value = self.run.given.nondet.get(self.nondet).copied().unwrap_or(0);
                    self.nondet += 1;
                    self.memory.store(at, 8, (value & 0xff).into())?;
                }
                0
            }
        })
    }

    fn allocation(&mut self, name: &str, values: &[u128]) -> Going<Option<u128>> {
        let argument = |number: usize| values[number] as u64;
        Ok(Some(match name {
            "malloc" => self.memory.allocate(&mut self.heap, argument(0))?.into(),
            "calloc" => {
                let Some(size) = argument(0).checked_mul(argument(1)) else { return Ok(Some(0)) };
                self.memory.allocate(&mut self.heap, size)?.into()
            }
            "alloca" => self.on_stack(argument(0))?.into(),
            "realloc" => {
                let (old, size) = (argument(0), argument(1));
                let new = self.memory.allocate(&mut self.heap, size)?;
                if old != 0 {
                    let Some(kept) = self.memory.size(old) else { return give_up("realloc() of what is no object") };
                    let bytes = self.memory.read(old, kept.min(size))?;
                    self.memory.write(new, &bytes)?;
                    self.memory.release(old);
                }
                new.into()
            }
            "free" => {
                if argument(0) != 0 && self.memory.release(argument(0)).is_none() {
                    return give_up("free() of what is no object");
                }
                0
            }
            _ => return Ok(None),
        }))
    }

    /// The words about memory behind those of a call.
    pub fn seen(&mut self, name: &str, arguments: &[Operand], values: &[u128], result: u128) -> Going<()> {
        let Some(function) = clib::function(name).filter(|function| function.is_seen()) else { return Ok(()) };
        let mut all = function.seen();
        if let Some(clib::Format::Print(number) | clib::Format::Scan(number)) = function.format
            && let Some(text) = self.constant_text(&arguments[number])?
        {
            all.extend(function.seen_by_format(&text));
        }
        for Seen { place, amount, text } in all {
            let address = match place {
                Place::Result => Some(result as u64),
                Place::Argument(number) | Place::Behind(number) => {
                    let given = arguments.get(number).filter(|operand| !self.is_constant(operand));
                    given.map(|_| values[number] as u64)
                }
            };
            let Some(mut address) = address.filter(|address| *address != 0) else { continue };
            if matches!(place, Place::Behind(_)) {
                address = self.memory.load(address, 64)? as u64;
            }
            let bytes = match amount {
                Amount::Fixed(bytes) => bytes,
                Amount::Argument(number) => values[number] as u64,
                Amount::Product(a, b) => (values[a] as u64).wrapping_mul(values[b] as u64),
                Amount::Pointers(number) => (values[number] as u64).wrapping_mul(8),
                Amount::Result => result as u64,
                Amount::Results(size) => (result as u64).wrapping_mul(values[size] as u64),
            };
            if address != 0 && bytes as i64 > 0 {
                self.pieces(address, bytes.min(MOST), text);
            }
        }
        self.word(SEEN_END);
        Ok(())
    }

    fn pieces(&mut self, mut address: u64, mut bytes: u64, text: bool) {
        while bytes > 0 {
            let mut piece = self.memory.there(address, bytes.min(PIECE));
            let end = piece.iter().position(|byte| text && *byte == 0);
            let ended = end.is_some() || (piece.len() as u64) < bytes.min(PIECE);
            piece.truncate(end.map_or(piece.len(), |end| end + 1));
            self.word(SEEN | if text { SEEN_AS_TEXT } else { 0 } | piece.len() as u64);
            self.word(address);
            for chunk in piece.chunks(8) {
                let word = chunk.iter().rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
                self.word(word);
            }
            if ended {
                return;
            }
            address += PIECE;
            bytes = bytes.saturating_sub(PIECE);
        }
    }

    /// Whether an operand is the address of what cannot be written.
    fn is_constant(&self, operand: &Operand) -> bool {
        matches!(operand, Operand::Global(id, _) if self.run.program.globals[id.index()].constant)
    }

    /// A text that is part of the program.
    fn constant_text(&mut self, operand: &Operand) -> Going<Option<Vec<u8>>> {
        match self.is_constant(operand) {
            true => {
                let address = self.operand(operand) as u64;
                self.memory.text(address, MOST).map(Some)
            }
            false => Ok(None),
        }
    }
}
