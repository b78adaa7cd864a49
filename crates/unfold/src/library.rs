//! What functions of the library do. Those not known here give an unknown value, which is noted.

use crate::format::{self, Conversion, Directive, Piece};
use crate::memory::{Content, ObjectId, Rest};
use crate::scan::{self, Convert, Item, Number, Read, ReadKind};
use crate::state::{State, Unfolder};
use crate::{Error, Event, Fault, Source};
use wherefore_formula::{FloatOp, Sort, TermId};
use wherefore_program::Origin;

/// Functions that are not followed, but write nothing that they are given a pointer to.
const READERS: [&str; 21] = [
    "strlen", "strcmp", "strncmp", "strchr", "strrchr", "strstr", "strspn", "strcspn", "strpbrk", "memcmp", "memchr",
    "atof", "fopen", "freopen", "remove", "rename", "system", "getenv", "strcoll", "strerror", "strdup",
];
/// Longest line or stretch of bytes followed byte by byte.
const LONG_STRING: u64 = 512;
/// Bytes that an object of a size known at run time only may have more than the tests need.
const MORE_ROOM: u128 = 64;
/// Texts a number may be read from, all of them followed.
const MANY_TEXTS: usize = 4;
/// Longest text followed among more.
const SHORT_TEXT: u64 = 32;
/// Largest object made by `malloc` that is followed.
const LARGE_OBJECT: u128 = 1 << 20;

impl Unfolder<'_> {
    pub fn library(
        &mut self,
        state: &mut State,
        symbol: &str,
        arguments: &[TermId],
        bits: Option<u32>,
        at: Option<Origin>,
    ) -> Result<Option<TermId>, Error> {
        self.calling = at.and_then(|at| self.options.statements.get(&at).copied());
        let symbol = symbol.strip_prefix("__isoc99_").or(symbol.strip_prefix("__isoc23_")).unwrap_or(symbol);
        let result = match (symbol, arguments) {
            ("__assert_fail" | "__assert" | "__assert_perror_fail", _) => self.stop(state, "an assertion fails", at),
            ("abort", _) => self.stop(state, "the program aborts", at),
            ("reach_error" | "__VERIFIER_error", _) => self.stop(state, "an error function is called", at),
            ("__VERIFIER_assert", [condition]) => {
                let zero = self.is_zero(*condition);
                self.fail_as(state, zero, (Fault::Stopped, "an assertion fails"), at);
                None
            }
            ("__VERIFIER_assume", [condition]) => {
                let holds = self.is_zero(*condition);
                let holds = self.terms.not(holds);
                self.hard_under(state, holds);
                None
            }
            ("exit" | "_exit" | "_Exit" | "quick_exit", [status]) => {
                let status = self.resized(*status, 32);
                self.exits.push((state.guard, status));
                state.guard = self.terms.truth(false);
                None
            }
            ("printf", [format, rest @ ..]) => self.print(state, *format, rest, at),
            ("puts", [string]) => self.put_string(state, *string, b"\n", at),
            ("putchar" | "putchar_unlocked", [byte]) => self.put_char(state, *byte, at),
            ("fputc" | "putc" | "_IO_putc", [byte, file]) => {
                self.on_stdout(state, *file, at, |unfolder, state| unfolder.put_char(state, *byte, at));
                Some(*byte)
            }
            ("fputs", [string, file]) => {
                self.on_stdout(state, *file, at, |unfolder, state| unfolder.put_string(state, *string, b"", at));
                Some(self.terms.bits(32, 1))
            }
            ("fprintf", [file, format, rest @ ..]) => {
                self.on_stdout(state, *file, at, |unfolder, state| unfolder.print(state, *format, rest, at));
                Some(self.unknown(32))
            }
            ("fwrite", [buffer, size, count, file]) => {
                let known = (self.fixed(state, *size, at), self.fixed(state, *count, at));
                let length = match known {
                    (Some(size), Some(count)) => self.terms.bits(64, size * count),
                    _ => self.terms.binary(wherefore_formula::BinaryOp::Mul, *size, *count),
                };
                self.on_stdout(state, *file, at, |unfolder, state| unfolder.write_bytes(state, *buffer, length, at));
                Some(*count)
            }
            ("perror" | "fputs_unlocked", _) => Some(self.unknown(32)),
            ("fflush" | "setbuf" | "setvbuf" | "fclose", _) => bits.map(|bits| self.terms.bits(bits, 0)),
            ("write", [descriptor, buffer, length]) => self.write(state, *descriptor, *buffer, *length, at),
            ("getchar" | "getchar_unlocked", _) => Some(self.read_char(state)),
            ("fgetc" | "getc" | "_IO_getc", [file]) if self.is_stream(*file, "stdin") => Some(self.read_char(state)),
            ("scanf", [format, rest @ ..]) => self.scan(state, *format, rest, at),
            ("fscanf", [file, format, rest @ ..]) if self.is_stream(*file, "stdin") => {
                self.scan(state, *format, rest, at)
            }
            ("fgets", [buffer, size, file]) if self.is_stream(*file, "stdin") => {
                self.read_line(state, *buffer, *size, at)
            }
            ("read", [descriptor, buffer, size]) if self.fixed(state, *descriptor, at) == Some(0) => {
                self.read_bytes(state, *buffer, *size, at)
            }
            ("atoi", [text]) => self.number(state, *text, Number::Int, at),
            ("atol" | "atoll", [text]) => self.number(state, *text, Number::Long, at),
            ("atof", [text]) => self.number(state, *text, Number::Double, at),
            ("strtol" | "strtoll" | "strtoul" | "strtoull", [text, end, base]) => {
                let number = if symbol.starts_with("strtou") { Number::UnsignedLong } else { Number::Long };
                let base = match self.fixed(state, *base, at) {
                    Some(base) => self.terms.bits(32, base),
                    None => *base,
                };
                match self.plain_number(*end, base) {
                    true => self.number(state, *text, number, at),
                    false => self.convert_text(state, number, (*text, *end, base), at),
                }
            }
            ("sprintf", [to, format, rest @ ..]) => self.print_text(state, *to, None, *format, rest, at),
            ("snprintf", [to, room, format, rest @ ..]) => self.print_text(state, *to, Some(*room), *format, rest, at),
            ("malloc", [size]) => self.allocate(state, *size, Rest::Undefined),
            ("calloc", [count, size]) => {
                let size = self.terms.binary(wherefore_formula::BinaryOp::Mul, *count, *size);
                self.allocate(state, size, Rest::Zero)
            }
            ("realloc", [pointer, size]) => self.reallocate(state, *pointer, *size, at),
            ("free", [pointer]) => {
                self.free(state, *pointer, at);
                None
            }
            ("memcpy" | "memmove", [to, from, length]) => {
                self.copy(state, *to, *from, *length, at);
                Some(*to)
            }
            ("mempcpy", [to, from, length]) => {
                self.copy(state, *to, *from, *length, at);
                Some(self.terms.binary(wherefore_formula::BinaryOp::Add, *to, *length))
            }
            ("memset", [to, byte, length]) => {
                self.fill(state, *to, *byte, *length, at);
                Some(*to)
            }
            ("abs" | "labs" | "llabs", [value]) => {
                let zero = self.terms.bits(self.terms.width(*value), 0);
                let negative = self.terms.slt(*value, zero);
                let negated = self.terms.neg(*value);
                Some(self.terms.ite(negative, negated, *value))
            }
            ("isdigit" | "isupper" | "islower" | "isalpha" | "isalnum" | "isspace", [c]) => {
                Some(self.classify(symbol, *c))
            }
            ("toupper" | "tolower", [c]) => Some(self.change_case(symbol, *c)),
            ("__ctype_b_loc" | "__ctype_tolower_loc" | "__ctype_toupper_loc", _) => self.table(state, symbol),
            ("sqrt", [x]) if bits == Some(64) => Some(self.terms.float(FloatOp::Sqrt, &[*x])),
            ("fabs" | "fabsf", [x]) => Some(self.terms.float(FloatOp::Abs, &[*x])),
            ("fmod", [x, y]) if bits == Some(64) => Some(self.terms.float(FloatOp::Rem, &[*x, *y])),
            ("srand" | "srandom", _) => None,
            ("rand" | "random", _) => bits.map(|bits| {
                self.note(at, format!("what {symbol}() gives is any number that it may give"));
                let value = self.unknown(bits);
                let zero = self.terms.bits(bits, 0);
                let largest = self.terms.bits(bits, 0x7fff_ffff);
                let bounds = [self.terms.sge(value, zero), self.terms.sle(value, largest)];
                self.hard.extend(bounds);
                value
            }),
            ("time", [place]) => bits.map(|bits| {
                self.note(at, "what time() gives is any number");
                let now = self.unknown(bits);
                let null = self.terms.bits(64, 0);
                let given = self.terms.ne(*place, null);
                self.store_if(state, given, *place, now, at);
                now
            }),
            (nondet, _) if nondet.starts_with("__VERIFIER_nondet_") => bits.map(|bits| {
                let (var, value) = self.fresh(Sort::Bits(bits));
                let read = Read { kind: ReadKind::Nondet(bits), results: vec![(var, Sort::Bits(bits))] };
                self.read_event(state, read);
                value
            }),
            _ => match self.string_function(state, symbol, arguments, at) {
                Some(value) => Some(value),
                None => {
                    let reads_only = READERS.contains(&symbol);
                    if !reads_only {
                        self.forget(state, arguments);
                    }
                    match bits {
                        Some(_) => self.note(at, format!("what {symbol}() gives is not followed into other runs")),
                        None => self.note(at, format!("what {symbol}() does is not followed")),
                    }
                    bits.map(|bits| self.unknown(bits))
                }
            },
        };
        Ok(result.map(|value| match bits {
            Some(bits) => self.resized(value, bits),
            None => value,
        }))
    }

    fn stop(&mut self, state: &mut State, what: &str, at: Option<Origin>) -> Option<TermId> {
        let truth = self.terms.truth(true);
        self.fail_as(state, truth, (Fault::Stopped, what), at);
        None
    }

    /// The condition holds whenever control is here.
    fn hard_under(&mut self, state: &mut State, condition: TermId) {
        let holds = self.terms.implies(state.guard, condition);
        self.hard.push(holds);
        state.guard = self.extend(state.guard, condition);
    }

    fn is_zero(&mut self, value: TermId) -> TermId {
        let nonzero = self.terms.bits_to_bool(value);
        self.terms.not(nonzero)
    }

    fn resized(&mut self, value: TermId, bits: u32) -> TermId {
        match self.terms.width(value) {
            width if width > bits => self.terms.extract(value, 0, bits),
            width if width < bits => self.terms.sign_extend(value, bits),
            _ => value,
        }
    }

    /// Whether a `FILE *` is surely the one of a name: the value of a variable of the library.
    fn is_stream(&self, file: TermId, name: &str) -> bool {
        self.streams.iter().any(|(term, own)| *term == file && *own == name)
    }

    /// When a `FILE *` is the one of a name; `None` when it may be none of the standard ones.
    fn stream(&mut self, file: TermId, name: &str) -> Option<TermId> {
        let ways = self.ways(file)?;
        let mut found = self.terms.truth(false);
        let mut known = false;
        for way in ways.iter().filter(|way| way.index.is_none()) {
            let address = self.terms.bits(64, u128::from(way.base));
            let stream = self.streams.iter().find(|(term, _)| *term == address).map(|(_, own)| *own);
            known |= stream.is_some();
            if stream == Some(name) {
                found = self.terms.or2(found, way.condition);
            }
        }
        known.then_some(found)
    }

    /// Writes where a `FILE *` is standard output.
    fn on_stdout(
        &mut self,
        state: &mut State,
        file: TermId,
        at: Option<Origin>,
        write: impl FnOnce(&mut Self, &mut State) -> Option<TermId>,
    ) {
        let Some(condition) = self.stream(file, "stdout") else {
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

    // ---- output ----

    fn print(&mut self, state: &mut State, format: TermId, arguments: &[TermId], at: Option<Origin>) -> Option<TermId> {
        let directives = self.directives(state, format, arguments, at);
        let Some(directives) = directives else {
            self.note(at, "a format that is not understood: what is written here is not compared");
            self.write_event(state, None, at);
            return Some(self.unknown(32));
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
                    return Some(self.unknown(32));
                }
            }
        }
        self.write_event(state, Some(pieces), at);
        // How many characters were written matters to few.
        Some(self.unknown(32))
    }

    /// What a format asks for.
    pub fn directives(
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

    /// `sprintf` and `snprintf`.
    fn print_text(
        &mut self,
        state: &mut State,
        to: TermId,
        room: Option<TermId>,
        format: TermId,
        arguments: &[TermId],
        at: Option<Origin>,
    ) -> Option<TermId> {
        let length = self.print_into(state, to, room, format, arguments, at);
        if length.is_none() {
            self.note(at, "what is written into a text here is not followed");
            self.forget(state, &[to]);
            return Some(self.unknown(32));
        }
        length
    }

    fn put_string(&mut self, state: &mut State, string: TermId, end: &[u8], at: Option<Origin>) -> Option<TermId> {
        let pieces = match self.fixed_text(state, string) {
            Some(text) => Some(vec![Piece::Text(text)]),
            None => self.string(state, string, at).map(|bytes| vec![Piece::String(Conversion::PLAIN, bytes)]),
        };
        let pieces = pieces.map(|mut pieces| {
            pieces.push(Piece::Text(end.to_vec()));
            pieces
        });
        self.write_event(state, pieces, at);
        Some(self.terms.bits(32, 1))
    }

    fn put_char(&mut self, state: &mut State, byte: TermId, at: Option<Origin>) -> Option<TermId> {
        self.write_event(state, Some(vec![Piece::Char(Conversion::PLAIN, byte)]), at);
        Some(byte)
    }

    fn write(
        &mut self,
        state: &mut State,
        descriptor: TermId,
        buffer: TermId,
        length: TermId,
        at: Option<Origin>,
    ) -> Option<TermId> {
        match self.fixed(state, descriptor, at) {
            Some(1) => self.write_bytes(state, buffer, length, at),
            Some(_) => Some(length),
            None => {
                self.note(at, "what is written to a file is not looked at");
                Some(self.unknown(32))
            }
        }
    }

    fn write_bytes(&mut self, state: &mut State, buffer: TermId, length: TermId, at: Option<Origin>) -> Option<TermId> {
        let Some(count) = self.fixed(state, length, at).filter(|n| *n <= u128::from(LONG_STRING)) else {
            self.note(at, "a write whose length is not fixed: what is written here is not compared");
            self.write_event(state, None, at);
            return Some(length);
        };
        let mut pieces = vec![];
        for n in 0..count as u64 {
            let address = self.displaced(buffer, n);
            pieces.push(Piece::Char(Conversion::PLAIN, self.load(state, address, 8, at)));
        }
        self.write_event(state, Some(pieces), at);
        Some(length)
    }

    /// Something is written; `None`: it is not known what, and anything is right.
    fn write_event(&mut self, state: &State, pieces: Option<Vec<Piece>>, at: Option<Origin>) {
        let statement = at.and_then(|at| self.options.statements.get(&at).copied());
        let selector = match (&pieces, statement) {
            (None, _) => Some(self.terms.truth(false)),
            (Some(_), None) => None,
            (Some(_), Some(statement)) => {
                let kept = self.selector(statement);
                let fixed = self.terms.not(self.texts);
                Some(self.terms.or2(kept, fixed))
            }
        };
        self.events.push(Event::Write { guard: state.guard, pieces: pieces.unwrap_or_default(), selector });
    }

    // ---- input ----

    fn read_event(&mut self, state: &State, read: Read) {
        let guard = state.guard;
        for (var, sort) in &read.results {
            let variable = self.terms.var(*var, *sort);
            self.read_at.extend(self.calling.map(|statement| (variable, statement)));
        }
        for run in &mut self.bounds.runs {
            run.read(&self.terms, guard, &read);
        }
        self.events.push(Event::Read { guard, read });
    }

    fn results(&mut self, widths: &[u32]) -> (Vec<(wherefore_formula::VarId, Sort)>, Vec<TermId>) {
        widths
            .iter()
            .map(|bits| {
                let (var, term) = self.fresh(Sort::Bits(*bits));
                ((var, Sort::Bits(*bits)), term)
            })
            .unzip()
    }

    fn read_char(&mut self, state: &State) -> TermId {
        let (results, values) = self.results(&[32]);
        self.read_event(state, Read { kind: ReadKind::Char, results });
        values[0]
    }

    fn scan(&mut self, state: &mut State, format: TermId, places: &[TermId], at: Option<Origin>) -> Option<TermId> {
        let rooms: Vec<Option<u64>> = places.iter().map(|place| self.room(*place)).collect();
        let items = self.fixed_text(state, format).and_then(|text| scan::items(&text, &rooms));
        let Some(items) = items else {
            self.note(at, "an input format that is not understood is not followed");
            return Some(self.unknown(32));
        };
        let stored: Vec<Convert> = items
            .iter()
            .filter_map(|item| match item {
                Item::Convert { what, store: true, .. } => Some(*what),
                _ => None,
            })
            .collect();
        let widths: Vec<u32> = std::iter::once(32)
            .chain(stored.iter().flat_map(|what| {
                let (number, bits) = what.values();
                std::iter::repeat_n(bits, number as usize)
            }))
            .collect();
        let (results, values) = self.results(&widths);
        self.read_event(state, Read { kind: ReadKind::Scanf(items), results });
        let count = values[0];
        let mut values = values[1..].iter().copied();
        for (n, (what, place)) in stored.iter().zip(places).enumerate() {
            let (number, _) = what.values();
            let number_of = self.terms.bits(32, n as u128);
            let mut stored = self.terms.sgt(count, number_of);
            for k in 0..number {
                let Some(value) = values.next() else { break };
                let address = self.displaced(*place, u64::from(k));
                self.store_if(state, stored, address, value, at);
                if matches!(what, Convert::Word(_)) {
                    // A word ends with a zero; nothing behind is written.
                    let zero = self.terms.bits(8, 0);
                    let goes_on = self.terms.ne(value, zero);
                    stored = self.terms.and2(stored, goes_on);
                }
            }
            if let Convert::Word(room) = what {
                match self.room(*place) {
                    Some(room_there) if room_there <= u64::from(*room) => {
                        self.fail_if(state, stored, "a word does not fit where it is stored", at);
                    }
                    _ => self.cut_if(state, stored, "a long word is followed for its first part only", at),
                }
            }
        }
        Some(count)
    }

    fn read_line(&mut self, state: &mut State, buffer: TermId, size: TermId, at: Option<Origin>) -> Option<TermId> {
        let Some(room) = self.fixed(state, size, at).filter(|n| (1..=u128::from(u32::MAX >> 1)).contains(n)) else {
            self.note(at, "a line whose longest length is not fixed is not followed");
            self.forget(state, &[buffer]);
            return Some(self.unknown(64));
        };
        let count = self.read_into(state, ReadKind::Line(room as u32), buffer, room as u32, true, at);
        let minus_one = self.terms.bits(32, u128::MAX);
        let ended = self.terms.eq(count, minus_one);
        let null = self.terms.bits(64, 0);
        Some(self.terms.ite(ended, null, buffer))
    }

    fn read_bytes(&mut self, state: &mut State, buffer: TermId, size: TermId, at: Option<Origin>) -> Option<TermId> {
        let Some(room) = self.fixed(state, size, at).filter(|n| *n <= u128::from(u32::MAX >> 1)) else {
            self.note(at, "a read whose length is not fixed is not followed");
            self.forget(state, &[buffer]);
            return Some(self.unknown(64));
        };
        Some(self.read_into(state, ReadKind::Bytes(room as u32), buffer, room as u32, false, at))
    }

    /// Reads bytes into a buffer; with `zero`, one more byte is written than is counted.
    fn read_into(
        &mut self,
        state: &mut State,
        kind: ReadKind,
        buffer: TermId,
        room: u32,
        zero: bool,
        at: Option<Origin>,
    ) -> TermId {
        // No test has more than its whole input to give.
        let longest = self.bounds.runs.iter().map(|run| run.input.stdin.len() as u64 + 1).max().unwrap_or(LONG_STRING);
        let kept = room.min(longest.min(LONG_STRING) as u32);
        let widths: Vec<u32> = std::iter::once(32).chain(std::iter::repeat_n(8, kept as usize)).collect();
        let (results, values) = self.results(&widths);
        self.read_event(state, Read { kind, results });
        let count = values[0];
        let stored = |unfolder: &mut Self, n: u32| {
            let number = unfolder.terms.bits(32, u128::from(n));
            if zero { unfolder.terms.sge(count, number) } else { unfolder.terms.sgt(count, number) }
        };
        for (n, value) in (0..).zip(&values[1..]) {
            let condition = stored(self, n);
            let address = self.displaced(buffer, u64::from(n));
            self.store_if(state, condition, address, *value, at);
        }
        if kept < room {
            let more = stored(self, kept);
            self.cut_if(state, more, "a long text is read for its first part only", at);
        }
        count
    }

    /// The size of what is behind a pointer to one place.
    fn room(&mut self, pointer: TermId) -> Option<u64> {
        match self.ways(pointer)?.as_slice() {
            [way] if way.index.is_none() => {
                let kind = self.kind(self.object_at(way.base)?);
                (kind.address + kind.size).checked_sub(way.base)
            }
            _ => None,
        }
    }

    // ---- text ----

    /// A string that is a constant.
    pub fn fixed_text(&mut self, state: &State, pointer: TermId) -> Option<Vec<u8>> {
        let address = self.terms.constant(pointer)? as u64;
        let object = self.object_at(address)?;
        let kind = self.kind(object);
        let Rest::Image(image) = &kind.rest else { return None };
        if !state.memory.get(&object)?.cells.is_empty() {
            return None;
        }
        let text = image.get((address - kind.address) as usize..)?;
        let end = text.iter().position(|b| *b == 0)?;
        Some(text[..end].to_vec())
    }

    /// A number read from text: from an argument it is an input of its own.
    fn number(&mut self, state: &mut State, text: TermId, number: Number, at: Option<Origin>) -> Option<TermId> {
        let truth = self.terms.truth(true);
        let ways = self.ways_or_cut(state, truth, text, at);
        let many = ways.len() > MANY_TEXTS;
        let mut value: Option<TermId> = None;
        let mut wrong = vec![];
        for way in ways.into_iter().rev() {
            let Some(object) = self.object_at(way.base).filter(|id| state.memory.contains_key(id)) else {
                wrong.push(way.condition);
                continue;
            };
            let kind = self.kind(object).clone();
            let start = way.base.wrapping_sub(kind.address);
            let argument = self.arguments.get(&object).copied();
            let found = match argument {
                Some(argument)
                    if way.index.is_none() && start < kind.size && self.is_pristine(state, object, argument) =>
                {
                    self.argument_number(argument, start as u32, number)
                }
                _ if number == Number::Double || many && kind.size > SHORT_TEXT => {
                    self.note(at, "a number is read from text that the program makes; its value is not followed");
                    self.unknown(number.bits())
                }
                _ => {
                    let bytes = self.gather_way(state, &way, None, true, at).unwrap_or_default();
                    let found = self.number_in(state, way.condition, &bytes, 10, at);
                    self.terms.extract(found.value, 0, number.bits())
                }
            };
            value = Some(match value {
                Some(rest) => self.terms.ite(way.condition, found, rest),
                None => found,
            });
        }
        for condition in wrong {
            self.fail_if(state, condition, "an invalid pointer is used", at);
        }
        value
    }

    /// The number that starts at a byte of an argument.
    pub fn argument_number(&mut self, argument: u32, start: u32, number: Number) -> TermId {
        let source = Source::ArgumentNumber(argument, start, number);
        let known = self.input_variables.contains_key(&source);
        let found = self.input(source.clone(), number.bits());
        if !known {
            self.tell_runs(&source);
        }
        self.read_at.extend(self.calling.map(|statement| (found, statement)));
        found
    }

    /// Inputs found on the way have their values in the tests that run along.
    fn tell_runs(&mut self, source: &Source) {
        let Some((var, _, _)) = self.inputs.iter().find(|i| i.2 == *source) else { return };
        for run in &mut self.bounds.runs {
            let value = source.value(&run.input);
            run.evaluation.set(*var, value);
        }
    }

    /// Whether an argument is as it was given.
    fn is_pristine(&self, state: &State, object: crate::memory::ObjectId, argument: u32) -> bool {
        state.memory[&object].cells.iter().all(|(offset, cell)| {
            let source = Source::ArgumentByte(argument, *offset as u32);
            self.input_variables.get(&source) == Some(&cell.value)
        })
    }

    /// `strtol(text, NULL, 10)`.
    fn plain_number(&self, end: TermId, base: TermId) -> bool {
        self.terms.constant(end) == Some(0) && self.terms.constant(base) == Some(10)
    }

    // ---- memory ----

    fn allocate(&mut self, state: &mut State, size: TermId, rest: Rest) -> Option<TermId> {
        let object = self.sized_object(state, size, rest);
        let address = self.kind(object).address;
        Some(self.terms.bits(64, u128::from(address)))
    }

    /// An object of a size that may be known at run time only.
    pub fn sized_object(&mut self, state: &mut State, size: TermId, rest: Rest) -> ObjectId {
        let fixed = self.terms.constant(size).filter(|size| *size <= LARGE_OBJECT);
        let object = match fixed {
            Some(size) => self.object(size as u64, rest, false),
            None => {
                // The sizes that the tests ask for, and some more.
                let mut most = 0;
                for run in &mut self.bounds.runs {
                    if run.reaches(&self.terms, state.guard) {
                        most = most.max(run.evaluation.value(&self.terms, size).unwrap_or(0));
                    }
                }
                let followed = (most + MORE_ROOM).min(LARGE_OBJECT);
                let largest = self.terms.bits(64, followed);
                let larger = self.terms.ugt(size, largest);
                self.cut_if(state, larger, "an object larger than the tests need is not followed", None);
                let object = self.object(followed as u64, rest, false);
                self.limit_object(object, size);
                object
            }
        };
        state.memory.insert(object, Content::new(&self.terms));
        object
    }

    /// Gives an object a size that is known at run time only.
    pub fn limit_object(&mut self, object: ObjectId, size: TermId) {
        self.kinds[object.0 as usize].limit = Some(size).filter(|size| self.terms.constant(*size).is_none());
    }

    fn reallocate(&mut self, state: &mut State, pointer: TermId, size: TermId, at: Option<Origin>) -> Option<TermId> {
        let truth = self.terms.truth(true);
        let ways = self.ways_or_cut(state, truth, pointer, at);
        let object = self.sized_object(state, size, Rest::Undefined);
        let address = self.kind(object).address;
        let address = self.terms.bits(64, u128::from(address));
        let mut after: Option<State> = None;
        for way in ways {
            let mut taken = state.clone();
            taken.guard = self.extend(state.guard, way.condition);
            if self.is_dead(&taken) {
                continue;
            }
            let old = self.object_at(way.base).filter(|id| taken.memory.contains_key(id));
            if let Some(old) = old
                && way.base != 0
            {
                let (old, new) = (self.kind(old).clone(), self.kind(object).clone());
                let length = self.terms.bits(64, u128::from(old.size.min(new.size)));
                // The old size and the new one are limits of what is copied, not of what may be accessed.
                let limits = [old.limit, Some(size)].into_iter().flatten();
                let length = limits.fold(length, |least, limit| {
                    let less = self.terms.ult(limit, least);
                    self.terms.ite(less, limit, least)
                });
                let from = self.terms.bits(64, u128::from(way.base));
                self.copy(&mut taken, address, from, length, at);
            }
            let from = self.terms.bits(64, u128::from(way.base));
            let from = match way.index {
                Some(index) => self.terms.binary(wherefore_formula::BinaryOp::Add, from, index),
                None => from,
            };
            self.free(&mut taken, from, at);
            if !self.is_dead(&taken) {
                after = Some(match after {
                    Some(other) => self.merge(taken, other),
                    None => taken,
                });
            }
        }
        match after {
            Some(merged) => *state = merged,
            None => state.guard = self.terms.truth(false),
        }
        Some(address)
    }

    fn free(&mut self, state: &mut State, pointer: TermId, at: Option<Origin>) {
        let truth = self.terms.truth(true);
        let ways = self.ways_or_cut(state, truth, pointer, at);
        for way in ways {
            if way.base == 0 && way.index.is_none() {
                continue;
            }
            let object = self.object_at(way.base).filter(|id| state.memory.contains_key(id));
            match object {
                Some(object) if way.index.is_none() && self.kind(object).address == way.base => {
                    let mut content = state.memory[&object].clone();
                    let dead = self.terms.not(content.alive);
                    let twice = self.terms.and2(way.condition, dead);
                    self.fail_if(state, twice, "memory is freed twice", at);
                    let gone = self.terms.not(way.condition);
                    content.alive = self.terms.and2(content.alive, gone);
                    state.memory.insert(object, content);
                }
                _ => self.fail_if(state, way.condition, "an invalid pointer is freed", at),
            }
        }
    }

    // ---- characters ----

    pub fn between(&mut self, c: TermId, low: u8, high: u8) -> TermId {
        let bits = self.terms.width(c);
        let (low, high) = (self.terms.bits(bits, u128::from(low)), self.terms.bits(bits, u128::from(high)));
        let above = self.terms.sge(c, low);
        let below = self.terms.sle(c, high);
        self.terms.and2(above, below)
    }

    fn classify(&mut self, what: &str, c: TermId) -> TermId {
        let digit = self.between(c, b'0', b'9');
        let upper = self.between(c, b'A', b'Z');
        let lower = self.between(c, b'a', b'z');
        let holds = match what {
            "isdigit" => digit,
            "isupper" => upper,
            "islower" => lower,
            "isalpha" => self.terms.or2(upper, lower),
            "isalnum" => self.terms.or([digit, upper, lower]),
            _ => {
                let blank = self.between(c, b' ', b' ');
                let control = self.between(c, b'\t', b'\r');
                self.terms.or2(blank, control)
            }
        };
        self.terms.bool_to_bits(holds, 32)
    }

    pub fn change_case(&mut self, what: &str, c: TermId) -> TermId {
        let (low, high) = if what == "toupper" { (b'a', b'z') } else { (b'A', b'Z') };
        let applies = self.between(c, low, high);
        let difference = self.terms.bits(self.terms.width(c), 32);
        let changed = self.terms.binary(wherefore_formula::BinaryOp::Xor, c, difference);
        self.terms.ite(applies, changed, c)
    }
}
