//! What is read from standard input, as events; and what comes from elsewhere and may be anything.

use super::{Call, Given, LONG_STRING};
use crate::Event;
use crate::scan::{self, Convert, Item, Read, ReadKind};
use crate::state::{State, Unfolder};
use wherefore_clib as clib;
use wherefore_formula::{Sort, TermId, VarId};
use wherefore_program::Origin;

impl Unfolder<'_> {
    pub(super) fn input_function(&mut self, state: &mut State, call: &Call) -> Option<Given> {
        let Call { name, bits, at, .. } = *call;
        Some(match (name, call.arguments) {
            ("getchar", _) => Some(self.read_char(state)),
            ("getc", [file]) if self.is_stdin(*file) => Some(self.read_char(state)),
            ("scanf", [format, rest @ ..]) => Some(self.scan(state, *format, rest, at)),
            ("fscanf", [file, format, rest @ ..]) if self.is_stdin(*file) => Some(self.scan(state, *format, rest, at)),
            ("fgets", [buffer, size, file]) if self.is_stdin(*file) => Some(self.read_line(state, *buffer, *size, at)),
            ("read", [descriptor, buffer, size]) if self.fixed(state, *descriptor, at) == Some(0) => {
                Some(self.read_bytes(state, *buffer, *size, at))
            }
            ("srand", _) => None,
            ("rand", _) => bits.map(|bits| {
                self.note(at, format!("what {}() gives is any number that it may give", call.written));
                let value = self.unknown(bits);
                let zero = self.terms.bits(bits, 0);
                let largest = self.terms.bits(bits, 0x7fff_ffff);
                let bounds = [self.terms.sge(value, zero), self.terms.sle(value, largest)];
                bounds.into_iter().for_each(|bound| self.outcomes.demand(bound));
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
            (name, _) if clib::nondet(self.program.stand_in(name)).is_some() => bits.map(|bits| {
                let (results, values) = self.results(&[bits]);
                self.read_event(state, Read { kind: ReadKind::Nondet(bits), results });
                values[0]
            }),
            _ => return None,
        })
    }

    /// Whether a `FILE *` is surely standard input: the value of a variable of the library.
    fn is_stdin(&self, file: TermId) -> bool {
        self.console.file(file) == Some("stdin")
    }

    /// Something is read; the tests that run along have it in their input.
    fn read_event(&mut self, state: &State, read: Read) {
        let guard = state.guard;
        for (var, sort) in &read.results {
            let variable = self.terms.var(*var, *sort);
            self.sources.read(variable);
        }
        for run in self.bounds.runs() {
            run.read(&self.terms, guard, &read);
        }
        self.console.add(Event::Read { guard, read });
    }

    /// New variables for what is read, and their terms.
    fn results(&mut self, widths: &[u32]) -> (Vec<(VarId, Sort)>, Vec<TermId>) {
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

    fn scan(&mut self, state: &mut State, format: TermId, places: &[TermId], at: Option<Origin>) -> TermId {
        let rooms: Vec<Option<u64>> = places.iter().map(|place| self.room(*place)).collect();
        let items = self.fixed_text(state, format).and_then(|text| scan::items(&text, &rooms));
        let Some(items) = items else {
            self.note(at, "an input format that is not understood is not followed");
            return self.unknown(32);
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
        count
    }

    fn read_line(&mut self, state: &mut State, buffer: TermId, size: TermId, at: Option<Origin>) -> TermId {
        let Some(room) = self.fixed(state, size, at).filter(|n| (1..=u128::from(u32::MAX >> 1)).contains(n)) else {
            self.note(at, "a line whose longest length is not fixed is not followed");
            self.forget(state, &[buffer]);
            return self.unknown(64);
        };
        let count = self.read_into(state, ReadKind::Line(room as u32), buffer, room as u32, true, at);
        let minus_one = self.terms.bits(32, u128::MAX);
        let ended = self.terms.eq(count, minus_one);
        let null = self.terms.bits(64, 0);
        self.terms.ite(ended, null, buffer)
    }

    fn read_bytes(&mut self, state: &mut State, buffer: TermId, size: TermId, at: Option<Origin>) -> TermId {
        let Some(room) = self.fixed(state, size, at).filter(|n| *n <= u128::from(u32::MAX >> 1)) else {
            self.note(at, "a read whose length is not fixed is not followed");
            self.forget(state, &[buffer]);
            return self.unknown(64);
        };
        self.read_into(state, ReadKind::Bytes(room as u32), buffer, room as u32, false, at)
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
        let longest = self.bounds.runs().map(|run| run.input.stdin.len() as u64 + 1).max().unwrap_or(LONG_STRING);
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
}
