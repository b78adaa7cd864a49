//! Reading standard input: which item, which bytes, and what the library makes of them.

use crate::chosen::Source;
use crate::evaluate::{Evaluation, Known};
use crate::form::Form;
use crate::path::Why;
use crate::stdin::Item;
use wherefore_clib as clib;
use wherefore_formula::TermId;
use wherefore_trace::{Called, Storage};

/// End of file, as a character.
pub(crate) const EOF: u128 = u128::MAX;

/// What the next byte of standard input is.
pub(crate) enum Next {
    /// A byte that stands between items, or is part of a number.
    Constant(u8),
    /// A byte that is an item.
    Item(u32),
    /// There is none.
    End,
}

impl Evaluation<'_> {
    /// A call that reads standard input is evaluated; false for any other.
    pub fn reading(&mut self, called: &Called, bits: u32) -> bool {
        if !self.subject.stdin {
            return false;
        }
        let argument = |k: usize| called.arguments.get(k).map_or(0, |a| a.value as u64);
        match clib::known_as(&called.callee) {
            "getchar" => self.character(called, bits),
            "getc" if self.is_stdin(argument(0)) => self.character(called, bits),
            "fgets" if self.is_stdin(argument(2)) => {
                // The size is an int.
                let most = (argument(1) as i32).max(1) as u64 - 1;
                let count = self.bytes(called, argument(0), most, true);
                self.text_result(called, bits, argument(0), count);
            }
            "gets" => {
                let count = self.bytes(called, argument(0), u64::MAX, true);
                self.text_result(called, bits, argument(0), count);
            }
            "read" if argument(0) as u32 == 0 => {
                let count = self.bytes(called, argument(1), argument(2), false);
                self.number_result(called, bits, u128::from(count));
            }
            "fread" if self.is_stdin(argument(3)) && argument(1) > 0 => {
                let count = self.bytes(called, argument(0), argument(1).saturating_mul(argument(2)), false);
                self.number_result(called, bits, u128::from(count / argument(1)));
            }
            "scanf" => self.scan(called, bits, 0),
            "fscanf" if self.is_stdin(argument(0)) => self.scan(called, bits, 1),
            _ => return false,
        }
        true
    }

    /// Whether a pointer is the library's `stdin`.
    fn is_stdin(&self, pointer: u64) -> bool {
        let trace = &self.followed.trace;
        trace.variables.iter().zip(&trace.initial).any(|(variable, initial)| match variable.storage {
            Storage::Global { global, .. } => {
                let global = &self.subject.program.globals[global.index()];
                global.external && global.symbol == "stdin" && *initial == Some(u128::from(pointer))
            }
            _ => false,
        })
    }

    /// The result is a number.
    pub fn number_result(&mut self, called: &Called, bits: u32, value: u128) {
        if bits > 0 {
            let term = self.space.terms.bits(bits, value);
            self.result(called, Known { term, fixed: None });
        }
    }

    fn text_result(&mut self, called: &Called, bits: u32, buffer: u64, count: u64) {
        if count > 0 {
            let zero = self.space.terms.bits(8, 0);
            self.write(buffer + count, zero);
        }
        self.number_result(called, bits, if count > 0 { u128::from(buffer) } else { 0 });
    }

    /// What would be read next.
    pub fn peek(&self) -> Next {
        let Some(&byte) = self.content.bytes.get(self.read) else { return Next::End };
        let item = self.content.places.iter().position(|(_, own, end)| (*own..*end).contains(&self.read));
        match item.filter(|k| self.attempt.items[*k].form == Form::Byte) {
            Some(k) => Next::Item(k as u32),
            None => Next::Constant(byte),
        }
    }

    /// There is an item of this number, or there is none and this is what was asked for.
    pub fn more(&mut self, called: &Called, k: u32, is_there: bool, item: Item, rounds: u32) {
        let more = self.space.truth(Source::More(k));
        let condition = if is_there { more } else { self.space.terms.not(more) };
        self.choose(condition, None, Why::Item(item), called.at, called.function, rounds);
        if is_there {
            self.path.items = self.path.items.max(k as usize + 1);
        }
    }

    /// The byte that an item is.
    pub fn byte_of(&mut self, called: &Called, k: u32, rounds: u32) -> TermId {
        let item = self.attempt.items[k as usize].clone();
        self.more(called, k, true, item, rounds);
        self.use_input(Source::Item(k), Form::Byte);
        let byte = self.space.term(Source::Item(k), 8);
        // Right after a number, a digit would be part of it.
        let after_number = k > 0
            && self.attempt.items[k as usize].before.is_empty()
            && self.attempt.items[k as usize - 1].form != Form::Byte;
        if after_number {
            let (zero, nine) = (self.space.terms.bits(8, u128::from(b'0')), self.space.terms.bits(8, u128::from(b'9')));
            let terms = &mut self.space.terms;
            let (below, above) = (terms.ult(byte, zero), terms.ugt(byte, nine));
            let no_digit = terms.or2(below, above);
            self.choose(no_digit, None, Why::Domain, called.at, called.function, rounds);
        }
        byte
    }

    /// There is nothing more to read where this was asked for.
    pub fn end(&mut self, called: &Called, item: Item, rounds: u32) {
        let k = self.attempt.items.len() as u32;
        self.more(called, k, false, item, rounds);
    }

    /// `getchar`.
    fn character(&mut self, called: &Called, bits: u32) {
        let term = match self.peek() {
            Next::Constant(byte) => {
                self.read += 1;
                self.space.terms.bits(bits.max(8), u128::from(byte))
            }
            Next::Item(k) => {
                let byte = self.byte_of(called, k, called.rounds);
                self.read += 1;
                self.space.terms.zero_extend(byte, bits.max(8))
            }
            Next::End => {
                self.end(called, Item::byte(), called.rounds);
                self.space.terms.bits(bits.max(8), EOF)
            }
        };
        if bits > 0 {
            self.result(called, Known { term, fixed: None });
        }
    }

    /// Bytes are read into a buffer, up to a number or the end of a line; how many were.
    fn bytes(&mut self, called: &Called, buffer: u64, most: u64, is_line: bool) -> u64 {
        let newline = self.space.terms.bits(8, u128::from(b'\n'));
        let keeps_newline = called.callee != "gets";
        let mut count = 0;
        while count < most && !self.is_over {
            let rounds = called.rounds.max(count as u32 + 1);
            let (byte, is_newline) = match self.peek() {
                Next::Constant(byte) => (self.space.terms.bits(8, u128::from(byte)), byte == b'\n'),
                Next::Item(k) => {
                    let byte = self.byte_of(called, k, rounds);
                    let is_newline = self.content.bytes[self.read] == b'\n';
                    if is_line {
                        self.is_character(called, byte, newline, is_newline, rounds);
                    }
                    (byte, is_newline)
                }
                Next::End => {
                    self.end(called, Item::byte(), rounds);
                    break;
                }
            };
            self.read += 1;
            if is_line && is_newline && !keeps_newline {
                break;
            }
            self.write(buffer + count, byte);
            count += 1;
            if is_line && is_newline {
                break;
            }
        }
        count
    }

    fn is_character(&mut self, called: &Called, byte: TermId, character: TermId, is: bool, rounds: u32) {
        let equal = self.space.terms.eq(byte, character);
        let condition = if is { equal } else { self.space.terms.not(equal) };
        self.choose(condition, None, Why::Byte, called.at, called.function, rounds);
    }
}
