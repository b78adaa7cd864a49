//! Functions of `<string.h>` that look at strings and copy them.

use super::Call;
use crate::memory::{Content, Rest};
use crate::state::{State, Unfolder};
use wherefore_formula::{BinaryOp, TermId};
use wherefore_program::Origin;

impl Unfolder<'_> {
    /// What a function of the library that works on strings gives; `None` for others.
    pub(super) fn string_function(&mut self, state: &mut State, call: &Call) -> Option<TermId> {
        let Call { name, arguments, at, .. } = *call;
        Some(match (name, arguments) {
            ("strlen", [text]) => {
                let bytes = self.string(state, *text, at)?;
                self.length(&bytes)
            }
            ("strnlen", [text, most]) => {
                let bytes = self.text(state, *text, Some(*most), at)?;
                let length = self.length(&bytes);
                self.smaller(length, *most)
            }
            ("strcmp" | "strcoll", [a, b]) => {
                let (a, b) = (self.string(state, *a, at)?, self.string(state, *b, at)?);
                self.compare(&a, &b, None, true)
            }
            ("strncmp", [a, b, most]) => {
                let (a, b) = (self.text(state, *a, Some(*most), at)?, self.text(state, *b, Some(*most), at)?);
                self.compare(&a, &b, Some(*most), true)
            }
            ("strcasecmp" | "strncasecmp", [a, b, most @ ..]) => {
                let most = most.first().copied();
                let (a, b) = (self.text(state, *a, most, at)?, self.text(state, *b, most, at)?);
                let lower = |unfolder: &mut Self, bytes: Vec<TermId>| -> Vec<TermId> {
                    bytes.into_iter().map(|byte| unfolder.change_case("tolower", byte)).collect()
                };
                let (a, b) = (lower(self, a), lower(self, b));
                self.compare(&a, &b, most, true)
            }
            ("memcmp", [a, b, length]) => {
                let (a, b) = (self.bytes(state, *a, *length, at)?, self.bytes(state, *b, *length, at)?);
                self.compare(&a, &b, Some(*length), false)
            }
            ("strcpy" | "stpcpy", [to, from]) => {
                let bytes = self.string(state, *from, at)?;
                self.put(state, *to, &bytes, at);
                if name == "stpcpy" {
                    let length = self.length(&bytes);
                    self.terms.binary(BinaryOp::Add, *to, length)
                } else {
                    *to
                }
            }
            ("strncpy", [to, from, most]) => {
                let bytes = self.text(state, *from, Some(*most), at)?;
                self.put_padded(state, *to, &bytes, *most, at)?;
                *to
            }
            ("strcat", [to, from]) => {
                let bytes = self.string(state, *from, at)?;
                let end = self.end_of(state, *to, at)?;
                self.put(state, end, &bytes, at);
                *to
            }
            ("strncat", [to, from, most]) => {
                let bytes = self.text(state, *from, Some(*most), at)?;
                let end = self.end_of(state, *to, at)?;
                let mut kept: Vec<TermId> =
                    bytes.iter().enumerate().map(|(n, b)| self.while_below(n, *most, *b)).collect();
                kept.push(self.terms.bits(8, 0));
                self.put(state, end, &kept, at);
                *to
            }
            ("strchr" | "strrchr", [text, byte]) => {
                let bytes = self.string(state, *text, at)?;
                self.find_byte(*text, &bytes, *byte, name == "strrchr")
            }
            ("memchr", [from, byte, length]) => {
                let bytes = self.bytes(state, *from, *length, at)?;
                self.find_among(*from, &bytes, *byte, *length)
            }
            ("strstr", [text, part]) => {
                let bytes = self.string(state, *text, at)?;
                let part = self.string(state, *part, at)?;
                self.find_text(*text, &bytes, &part)?
            }
            ("strspn" | "strcspn" | "strpbrk", [text, set]) => {
                let bytes = self.string(state, *text, at)?;
                let set = self.string(state, *set, at)?;
                self.span(name, *text, &bytes, &set)?
            }
            ("strdup" | "strndup", [text, most @ ..]) => {
                let most = most.first().copied();
                let mut bytes = self.text(state, *text, most, at)?;
                if let Some(most) = most {
                    bytes = bytes.iter().enumerate().map(|(n, b)| self.while_below(n, most, *b)).collect();
                    bytes.push(self.terms.bits(8, 0));
                }
                let length = self.length(&bytes);
                let object = self.object(bytes.len() as u64, Rest::Undefined, false);
                let size = self.displaced(length, 1);
                self.limit_object(object, size);
                state.memory.insert(object, Content::new(&self.terms));
                let address = self.pointer_to(object);
                self.put(state, address, &bytes, at);
                address
            }
            _ => return None,
        })
    }

    fn smaller(&mut self, a: TermId, b: TermId) -> TermId {
        let less = self.terms.ult(a, b);
        self.terms.ite(less, a, b)
    }

    /// The byte where its number is below a limit, else zero.
    fn while_below(&mut self, n: usize, most: TermId, byte: TermId) -> TermId {
        let zero = self.terms.bits(8, 0);
        let below = self.is_below(n, most);
        self.terms.ite(below, byte, zero)
    }

    /// Where a string in memory ends.
    fn end_of(&mut self, state: &mut State, text: TermId, at: Option<Origin>) -> Option<TermId> {
        let bytes = self.string(state, text, at)?;
        let length = self.length(&bytes);
        Some(self.terms.binary(BinaryOp::Add, text, length))
    }

    /// Writes a string with its zero.
    fn put(&mut self, state: &mut State, to: TermId, bytes: &[TermId], at: Option<Origin>) {
        let zero = self.terms.bits(8, 0);
        let mut on = self.terms.truth(true);
        for (n, byte) in bytes.iter().enumerate() {
            let address = self.displaced(to, n as u64);
            self.store_if(state, on, address, *byte, at);
            let goes_on = self.terms.ne(*byte, zero);
            on = self.terms.and2(on, goes_on);
            if self.terms.truth_value(on) == Some(false) {
                return;
            }
        }
    }

    /// `strncpy`: so many bytes, zeros after the end of the string.
    fn put_padded(
        &mut self,
        state: &mut State,
        to: TermId,
        bytes: &[TermId],
        most: TermId,
        at: Option<Origin>,
    ) -> Option<()> {
        let zero = self.terms.bits(8, 0);
        let count = self.count(most, &[to])?;
        let mut on = self.terms.truth(true);
        for n in 0..count {
            let byte = bytes.get(n as usize).copied().unwrap_or(zero);
            let goes_on = self.terms.ne(byte, zero);
            on = self.terms.and2(on, goes_on);
            let written = self.terms.ite(on, byte, zero);
            let below = self.is_below(n as usize, most);
            let address = self.displaced(to, n);
            self.store_if(state, below, address, written, at);
        }
        Some(())
    }
}
