//! What is written to standard output, as events; what goes elsewhere is not looked at.

use super::{Call, Given, LONG_STRING};
use crate::Event;
use crate::format::{self, Directive, Piece};
use crate::state::{State, Unfolder};
use wherefore_clib::writing::Writing;
use wherefore_formula::{BinaryOp, TermId};
use wherefore_program::Origin;

impl Unfolder<'_> {
    pub(super) fn output_function(&mut self, state: &mut State, call: &Call) -> Option<Given> {
        let at = call.at;
        Some(Some(match (call.name, call.arguments) {
            ("printf", [format, rest @ ..]) => self.print(state, *format, rest, at),
            ("puts", [string]) => self.put_string(state, *string, b"\n", at),
            ("putchar", [byte]) => self.put_char(state, *byte, at),
            ("putc", [byte, file]) => {
                self.on_stdout(state, *file, at, |unfolder, state| unfolder.put_char(state, *byte, at));
                *byte
            }
            ("fputs", [string, file]) => {
                self.on_stdout(state, *file, at, |unfolder, state| unfolder.put_string(state, *string, b"", at));
                self.terms.bits(32, 1)
            }
            ("fprintf", [file, format, rest @ ..]) => {
                self.on_stdout(state, *file, at, |unfolder, state| unfolder.print(state, *format, rest, at));
                self.unknown(32)
            }
            ("fwrite", [buffer, size, count, file]) => {
                let known = (self.fixed(state, *size, at), self.fixed(state, *count, at));
                let length = match known {
                    (Some(size), Some(count)) => self.terms.bits(64, size * count),
                    _ => self.terms.binary(BinaryOp::Mul, *size, *count),
                };
                self.on_stdout(state, *file, at, |unfolder, state| unfolder.write_bytes(state, *buffer, length, at));
                *count
            }
            ("write", [descriptor, buffer, length]) => self.write(state, *descriptor, *buffer, *length, at),
            ("sprintf", [to, format, rest @ ..]) => self.print_text(state, *to, None, *format, rest, at),
            ("snprintf", [to, room, format, rest @ ..]) => self.print_text(state, *to, Some(*room), *format, rest, at),
            ("perror", _) => self.unknown(32),
            ("fflush" | "setbuf" | "setvbuf" | "fclose", _) => {
                return Some(call.bits.map(|bits| self.terms.bits(bits, 0)));
            }
            _ => return None,
        }))
    }

    /// Writes where a `FILE *` is standard output.
    fn on_stdout(
        &mut self,
        state: &mut State,
        file: TermId,
        at: Option<Origin>,
        write: impl FnOnce(&mut Self, &mut State) -> TermId,
    ) {
        let Some(condition) = self.is_stdout(file) else {
            self.note(at, "what is written to a file is not looked at");
            return;
        };
        let mut written = state.clone();
        written.guard = self.extend(state.guard, condition);
        if self.is_dead(&written) {
            return;
        }
        write(self, &mut written);
        let negated = self.terms.not(condition);
        let mut kept = state.clone();
        kept.guard = self.extend(state.guard, negated);
        *state = if self.is_dead(&kept) { written } else { self.merge(written, kept) };
    }

    /// When a `FILE *` is standard output; `None` when it may be none of the standard ones.
    fn is_stdout(&mut self, file: TermId) -> Option<TermId> {
        let ways = self.ways(file)?;
        let mut found = self.terms.truth(false);
        let mut known = false;
        for way in ways.iter().filter(|way| way.index.is_none()) {
            let address = self.terms.bits(64, u128::from(way.base));
            let stream = self.console.file(address);
            known |= stream.is_some();
            if stream == Some("stdout") {
                found = self.terms.or2(found, way.condition);
            }
        }
        known.then_some(found)
    }

    fn print(&mut self, state: &mut State, format: TermId, arguments: &[TermId], at: Option<Origin>) -> TermId {
        let directives = self.directives(state, format, arguments, at);
        let Some(directives) = directives else {
            self.note(at, "a format that is not understood: what is written here is not compared");
            self.write_event(state, None, at);
            return self.unknown(32);
        };
        let mut pieces = vec![];
        for directive in directives {
            let argument = |n: usize| arguments.get(n).copied();
            let wide = |unfolder: &Self, n: usize, bits: u32| argument(n).filter(|v| unfolder.terms.width(*v) >= bits);
            let piece = match directive {
                Directive::Text(text) => Some(Piece::Text(text)),
                Directive::Integer(c, n) => wide(self, n, c.bits).map(|v| Piece::Integer(c, v)),
                Directive::Char(c, n) => wide(self, n, 8).map(|v| Piece::Char(c, v)),
                Directive::Float(c, n) => wide(self, n, 64).map(|v| Piece::Float(c, v)),
                Directive::String(c, n) => {
                    let most = c.precision.map(|p| self.terms.bits(64, p as u128));
                    argument(n).and_then(|v| self.text(state, v, most, at)).map(|bytes| Piece::String(c, bytes))
                }
            };
            match piece {
                Some(piece) => pieces.push(piece),
                None => {
                    self.note(at, "an argument that is not understood: what is written here is not compared");
                    self.write_event(state, None, at);
                    return self.unknown(32);
                }
            }
        }
        self.write_event(state, Some(pieces), at);
        // How many characters were written matters to few.
        self.unknown(32)
    }

    /// What a format asks for.
    pub(super) fn directives(
        &mut self,
        state: &mut State,
        format: TermId,
        arguments: &[TermId],
        at: Option<Origin>,
    ) -> Option<Vec<Directive>> {
        let text = self.fixed_text(state, format)?;
        format::directives(&text, &mut |n| {
            let value = self.fixed(state, *arguments.get(n)?, at)?;
            Some(i64::from(value as u32 as i32))
        })
    }

    fn put_string(&mut self, state: &mut State, string: TermId, end: &[u8], at: Option<Origin>) -> TermId {
        let pieces = match self.fixed_text(state, string) {
            Some(text) => Some(vec![Piece::Text(text)]),
            None => self.string(state, string, at).map(|bytes| vec![Piece::String(Writing::PLAIN, bytes)]),
        };
        let pieces = pieces.map(|mut pieces| {
            pieces.push(Piece::Text(end.to_vec()));
            pieces
        });
        self.write_event(state, pieces, at);
        self.terms.bits(32, 1)
    }

    fn put_char(&mut self, state: &mut State, byte: TermId, at: Option<Origin>) -> TermId {
        self.write_event(state, Some(vec![Piece::Char(Writing::PLAIN, byte)]), at);
        byte
    }

    fn write(
        &mut self,
        state: &mut State,
        descriptor: TermId,
        buffer: TermId,
        length: TermId,
        at: Option<Origin>,
    ) -> TermId {
        match self.fixed(state, descriptor, at) {
            Some(1) => self.write_bytes(state, buffer, length, at),
            Some(_) => length,
            None => {
                self.note(at, "what is written to a file is not looked at");
                self.unknown(32)
            }
        }
    }

    fn write_bytes(&mut self, state: &mut State, buffer: TermId, length: TermId, at: Option<Origin>) -> TermId {
        let Some(count) = self.fixed(state, length, at).filter(|n| *n <= u128::from(LONG_STRING)) else {
            self.note(at, "a write whose length is not fixed: what is written here is not compared");
            self.write_event(state, None, at);
            return length;
        };
        let mut pieces = vec![];
        for n in 0..count as u64 {
            let address = self.displaced(buffer, n);
            pieces.push(Piece::Char(Writing::PLAIN, self.load(state, address, 8, at)));
        }
        self.write_event(state, Some(pieces), at);
        length
    }

    /// Something is written; `None`: it is not known what, and anything is right.
    fn write_event(&mut self, state: &State, pieces: Option<Vec<Piece>>, at: Option<Origin>) {
        let statement = at.and_then(|at| self.options.statements.get(&at).copied());
        let selector = match (&pieces, statement) {
            (None, _) => Some(self.terms.truth(false)),
            (Some(_), None) => None,
            (Some(_), Some(statement)) => {
                let kept = self.selector(statement);
                let fixed = self.terms.not(self.console.texts());
                Some(self.terms.or2(kept, fixed))
            }
        };
        let statement = statement.filter(|_| pieces.is_some());
        let pieces = pieces.unwrap_or_default();
        self.console.add(Event::Write { guard: state.guard, pieces, selector, statement });
    }
}
