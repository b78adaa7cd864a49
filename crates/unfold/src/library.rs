//! What functions of the library do. Those not known here give an unknown value, which is noted.

use crate::format::{self, Directive, Piece};
use crate::memory::{Content, Rest};
use crate::scan::{self, Convert, Item, Number, Read, ReadKind};
use crate::state::{State, Unfolder};
use crate::{Error, Event, Source};
use wherefore_formula::{Sort, TermId};
use wherefore_program::Origin;

/// Longest string followed byte by byte.
const LONG_STRING: u64 = 512;
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
        let symbol = symbol.strip_prefix("__isoc99_").or(symbol.strip_prefix("__isoc23_")).unwrap_or(symbol);
        let result = match (symbol, arguments) {
            ("__assert_fail" | "__assert" | "__assert_perror_fail", _) => self.stop(state, "an assertion fails", at),
            ("abort", _) => self.stop(state, "the program aborts", at),
            ("reach_error" | "__VERIFIER_error", _) => self.stop(state, "an error function is called", at),
            ("__VERIFIER_assert", [condition]) => {
                let zero = self.is_zero(*condition);
                self.fail_if(state, zero, "an assertion fails", at);
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
            ("fputc" | "putc" | "_IO_putc", [byte, file]) => match self.stream(*file) {
                Some("stdout") => self.put_char(state, *byte, at),
                Some(_) => Some(*byte),
                None => self.unknown_file(at),
            },
            ("fputs", [string, file]) => match self.stream(*file) {
                Some("stdout") => self.put_string(state, *string, b"", at),
                Some(_) => Some(self.terms.bits(32, 1)),
                None => self.unknown_file(at),
            },
            ("fprintf", [file, format, rest @ ..]) => match self.stream(*file) {
                Some("stdout") => self.print(state, *format, rest, at),
                Some(_) => Some(self.unknown(32)),
                None => self.unknown_file(at),
            },
            ("fflush" | "setbuf" | "setvbuf" | "fclose", _) => bits.map(|bits| self.terms.bits(bits, 0)),
            ("write", [descriptor, buffer, length]) => self.write(state, *descriptor, *buffer, *length, at),
            ("getchar" | "getchar_unlocked", _) => Some(self.read_char(state)),
            ("fgetc" | "getc" | "_IO_getc", [file]) if self.stream(*file) == Some("stdin") => {
                Some(self.read_char(state))
            }
            ("scanf", [format, rest @ ..]) => self.scan(state, *format, rest, at),
            ("fscanf", [file, format, rest @ ..]) if self.stream(*file) == Some("stdin") => {
                self.scan(state, *format, rest, at)
            }
            ("fgets", [buffer, size, file]) if self.stream(*file) == Some("stdin") => {
                self.read_line(state, *buffer, *size, at)
            }
            ("read", [descriptor, buffer, size]) if self.terms.constant(*descriptor) == Some(0) => {
                self.read_bytes(state, *buffer, *size, at)
            }
            ("atoi", [text]) => self.number(state, *text, Number::Int, at),
            ("atol" | "atoll", [text]) => self.number(state, *text, Number::Long, at),
            ("atof", [text]) => self.number(state, *text, Number::Double, at),
            ("strtol" | "strtoll", [text, end, base]) if self.plain_number(*end, *base) => {
                self.number(state, *text, Number::Long, at)
            }
            ("strtoul" | "strtoull", [text, end, base]) if self.plain_number(*end, *base) => {
                self.number(state, *text, Number::UnsignedLong, at)
            }
            ("malloc", [size]) => self.allocate(state, *size, Rest::Undefined, at),
            ("calloc", [count, size]) => {
                let size = self.terms.binary(wherefore_formula::BinaryOp::Mul, *count, *size);
                self.allocate(state, size, Rest::Zero, at)
            }
            ("free", [pointer]) => {
                self.free(state, *pointer, at);
                None
            }
            ("memcpy" | "memmove" | "mempcpy", [to, from, length]) => {
                self.copy(state, *to, *from, *length, at);
                Some(*to)
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
            (nondet, _) if nondet.starts_with("__VERIFIER_nondet_") => bits.map(|bits| {
                let (var, value) = self.fresh(Sort::Bits(bits));
                let read = Read { kind: ReadKind::Nondet(bits), results: vec![(var, Sort::Bits(bits))] };
                self.read_event(state, read);
                value
            }),
            _ => {
                if let Some(bits) = bits {
                    self.note(at, format!("what {symbol}() gives is not followed into other runs"));
                    Some(self.unknown(bits))
                } else {
                    self.note(at, format!("what {symbol}() does is not followed"));
                    None
                }
            }
        };
        Ok(result.map(|value| match bits {
            Some(bits) => self.resized(value, bits),
            None => value,
        }))
    }

    fn stop(&mut self, state: &mut State, what: &str, at: Option<Origin>) -> Option<TermId> {
        let truth = self.terms.truth(true);
        self.fail_if(state, truth, what, at);
        None
    }

    fn unknown_file(&mut self, at: Option<Origin>) -> Option<TermId> {
        self.note(at, "what is written to a file is not looked at");
        Some(self.unknown(32))
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

    /// Which standard stream a `FILE *` is: the value of a variable of the library.
    fn stream(&self, file: TermId) -> Option<&'static str> {
        let known = self.streams.iter().find(|(term, _)| *term == file)?;
        Some(known.1)
    }

    // ---- output ----

    fn print(&mut self, state: &mut State, format: TermId, arguments: &[TermId], at: Option<Origin>) -> Option<TermId> {
        let directives = self.fixed_text(state, format).and_then(|text| format::directives(&text));
        let Some(directives) = directives else {
            self.note(at, "a format that is not understood: what is written here is not compared");
            self.write_event(state, None, at);
            return Some(self.unknown(32));
        };
        let mut pieces = vec![];
        let mut arguments = arguments.iter().copied();
        for directive in directives {
            let piece = match directive {
                Directive::Text(text) => Some(Piece::Text(text)),
                Directive::Integer(c) => {
                    arguments.next().filter(|v| self.terms.width(*v) >= c.bits).map(|v| Piece::Integer(c, v))
                }
                Directive::Char => arguments.next().filter(|v| self.terms.width(*v) >= 8).map(Piece::Char),
                Directive::Fixed(c) => {
                    arguments.next().filter(|v| self.terms.width(*v) == 64).map(|v| Piece::Fixed(c, v))
                }
                Directive::String => arguments.next().and_then(|v| self.string(state, v, at)).map(Piece::String),
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

    fn put_string(&mut self, state: &mut State, string: TermId, end: &[u8], at: Option<Origin>) -> Option<TermId> {
        let pieces = match self.fixed_text(state, string) {
            Some(text) => Some(vec![Piece::Text(text)]),
            None => self.string(state, string, at).map(|bytes| vec![Piece::String(bytes)]),
        };
        let pieces = pieces.map(|mut pieces| {
            pieces.push(Piece::Text(end.to_vec()));
            pieces
        });
        self.write_event(state, pieces, at);
        Some(self.terms.bits(32, 1))
    }

    fn put_char(&mut self, state: &mut State, byte: TermId, at: Option<Origin>) -> Option<TermId> {
        self.write_event(state, Some(vec![Piece::Char(byte)]), at);
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
        match self.terms.constant(descriptor) {
            Some(1) => {}
            Some(_) => return Some(length),
            None => return self.unknown_file(at),
        }
        let Some(count) = self.terms.constant(length).filter(|n| *n <= u128::from(LONG_STRING)) else {
            self.note(at, "a write whose length is not fixed: what is written here is not compared");
            self.write_event(state, None, at);
            return Some(length);
        };
        let mut pieces = vec![];
        for n in 0..count as u64 {
            let address = self.displaced(buffer, n);
            pieces.push(Piece::Char(self.load(state, address, 8, at)));
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
            self.read_variables.insert(variable);
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
            let (number, bits) = what.values();
            let number_of = self.terms.bits(32, n as u128);
            let converted = self.terms.sgt(count, number_of);
            for k in 0..number {
                let Some(value) = values.next() else { break };
                let address = self.displaced(*place, u64::from(k) * u64::from(bits / 8));
                self.store_if(state, converted, address, value, at);
            }
        }
        Some(count)
    }

    fn read_line(&mut self, state: &mut State, buffer: TermId, size: TermId, at: Option<Origin>) -> Option<TermId> {
        let Some(room) = self.terms.constant(size).filter(|n| (1..=u128::from(LONG_STRING)).contains(n)) else {
            self.note(at, "a line whose longest length is not fixed is not followed");
            return Some(self.unknown(64));
        };
        let count = self.read_into(state, ReadKind::Line(room as u32), buffer, room as u32, true, at);
        let minus_one = self.terms.bits(32, u128::MAX);
        let ended = self.terms.eq(count, minus_one);
        let null = self.terms.bits(64, 0);
        Some(self.terms.ite(ended, null, buffer))
    }

    fn read_bytes(&mut self, state: &mut State, buffer: TermId, size: TermId, at: Option<Origin>) -> Option<TermId> {
        let Some(room) = self.terms.constant(size).filter(|n| *n <= u128::from(LONG_STRING)) else {
            self.note(at, "a read whose length is not fixed is not followed");
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
        let widths: Vec<u32> = std::iter::once(32).chain(std::iter::repeat_n(8, room as usize)).collect();
        let (results, values) = self.results(&widths);
        self.read_event(state, Read { kind, results });
        let count = values[0];
        for (n, value) in values[1..].iter().enumerate() {
            let number = self.terms.bits(32, n as u128);
            let stored = if zero { self.terms.sge(count, number) } else { self.terms.sgt(count, number) };
            let address = self.displaced(buffer, n as u64);
            self.store_if(state, stored, address, *value, at);
        }
        count
    }

    /// Writes memory where a condition holds; otherwise the address need not be valid.
    fn store_if(&mut self, state: &mut State, condition: TermId, address: TermId, value: TermId, at: Option<Origin>) {
        if self.terms.truth_value(condition) == Some(false) {
            return;
        }
        let mut written = state.clone();
        written.guard = self.extend(state.guard, condition);
        self.store(&mut written, address, value, at);
        let negated = self.terms.not(condition);
        let mut kept = state.clone();
        kept.guard = self.extend(state.guard, negated);
        *state = if self.is_dead(&kept) { written } else { self.merge(written, kept) };
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
    fn fixed_text(&mut self, state: &State, pointer: TermId) -> Option<Vec<u8>> {
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

    /// The bytes of a string, up to a zero that is surely there or as far as its objects go.
    fn string(&mut self, state: &mut State, pointer: TermId, at: Option<Origin>) -> Option<Vec<TermId>> {
        let room = match self.ways(pointer) {
            None => return None,
            Some(ways) => {
                let rooms = ways.iter().map(|way| {
                    let kind = self.object_at(way.base).map(|id| self.kind(id));
                    kind.map_or(0, |k| {
                        if way.index.is_some() { k.size } else { (k.address + k.size).saturating_sub(way.base) }
                    })
                });
                rooms.max().unwrap_or(0).min(LONG_STRING)
            }
        };
        let mut bytes = vec![];
        let zero = self.terms.bits(8, 0);
        // Bytes behind the end of the string are looked at, but not by the program: that is no failure.
        let mut looking = state.clone();
        let failures = self.failures.len();
        for n in 0..room {
            let address = self.displaced(pointer, n);
            let byte = self.load(&mut looking, address, 8, at);
            if n == 0 {
                *state = looking.clone();
            }
            bytes.push(byte);
            if byte == zero {
                break;
            }
        }
        self.failures.truncate(if room > 0 { (failures + 1).min(self.failures.len()) } else { failures });
        Some(bytes)
    }

    /// A number read from text: from an argument it is an input of its own.
    fn number(&mut self, state: &mut State, text: TermId, number: Number, at: Option<Origin>) -> Option<TermId> {
        let ways = self.ways(text)?;
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
                _ => {
                    self.note(at, "a number is read from text that the program makes; its value is not followed");
                    self.unknown(number.bits())
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

    fn allocate(&mut self, state: &mut State, size: TermId, rest: Rest, at: Option<Origin>) -> Option<TermId> {
        let size = match self.terms.constant(size) {
            Some(size) if size <= LARGE_OBJECT => size as u64,
            _ => {
                // The sizes that the tests ask for.
                let runs = &mut self.bounds.runs;
                let asked = runs.iter_mut().filter_map(|run| run.evaluation.value(&self.terms, size)).max();
                self.note(
                    at,
                    "the size of an object depends on what the program does; the largest of the tests is taken",
                );
                asked.unwrap_or(4096).min(LARGE_OBJECT) as u64
            }
        };
        let object = self.object(size, rest, false);
        state.memory.insert(object, Content::new(&self.terms));
        let address = self.kind(object).address;
        Some(self.terms.bits(64, u128::from(address)))
    }

    fn free(&mut self, state: &mut State, pointer: TermId, at: Option<Origin>) {
        for way in self.ways(pointer).unwrap_or_default() {
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

    fn between(&mut self, c: TermId, low: u8, high: u8) -> TermId {
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

    fn change_case(&mut self, what: &str, c: TermId) -> TermId {
        let (low, high) = if what == "toupper" { (b'a', b'z') } else { (b'A', b'Z') };
        let applies = self.between(c, low, high);
        let difference = self.terms.bits(self.terms.width(c), 32);
        let changed = self.terms.binary(wherefore_formula::BinaryOp::Xor, c, difference);
        self.terms.ite(applies, changed, c)
    }
}
