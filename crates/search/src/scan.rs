//! `scanf`: a format and the items it reads.

use crate::chosen::Source;
use crate::evaluate::Evaluation;
use crate::form::Form;
use crate::format::{Directive, directives};
use crate::path::Why;
use crate::reading::{EOF, Next};
use crate::stdin::Item;
use wherefore_clib::scan::is_space;
use wherefore_formula::TermId;
use wherefore_trace::Called;

impl Evaluation<'_> {
    /// `scanf` with its format as the argument of that number.
    pub fn scan(&mut self, called: &Called, bits: u32, format: usize) {
        let text = called.arguments.get(format).and_then(|a| self.text_at(a.value as u64));
        let directives = text.and_then(directives);
        let Some(directives) = directives else {
            self.give_up(called.at, format!("what {}() reads here was not searched", called.callee));
            return;
        };
        let mut targets = called.arguments[format + 1..].iter().map(|a| a.value as u64);
        let mut assigned: u128 = 0;
        let mut before = vec![];
        for directive in directives {
            match directive {
                Directive::Space => {
                    self.skip(called);
                    if matches!(self.peek(), Next::End) {
                        before.push(b' ');
                    }
                }
                Directive::Literal(byte) => match self.peek() {
                    Next::Constant(found) if found == byte => self.read += 1,
                    Next::End => before.push(byte),
                    _ => break,
                },
                Directive::Word { most, stored } => {
                    self.skip(called);
                    // What the format demands before it cannot be written before a byte that is already asked for.
                    if !before.is_empty() && before != b" " {
                        self.give_up(called.at, format!("what {}() reads here was not searched", called.callee));
                        return;
                    }
                    if !self.word(called, most, stored.then(|| targets.next()).flatten()) {
                        if assigned == 0 {
                            assigned = EOF;
                        }
                        break;
                    }
                    before.clear();
                    assigned += u128::from(stored);
                }
                Directive::Convert { item, skips, stored } => {
                    if skips {
                        self.skip(called);
                    }
                    if !self.convert(called, item, &mut before, stored.then(|| targets.next()).flatten()) {
                        if assigned == 0 {
                            assigned = EOF;
                        }
                        break;
                    }
                    assigned += u128::from(stored);
                }
            }
        }
        self.number_result(called, bits, assigned);
    }

    /// A word is read into a buffer; false when there is none.
    fn word(&mut self, called: &Called, most: u64, target: Option<u64>) -> bool {
        let mut count = 0;
        while count < most && !self.is_over {
            let rounds = called.rounds.max(count as u32 + 1);
            let byte = match self.peek() {
                Next::Constant(byte) if is_space(byte) => break,
                Next::Constant(byte) => self.space.terms.bits(8, u128::from(byte)),
                Next::Item(k) => {
                    let byte = self.byte_of(called, k, rounds);
                    if self.white(called, byte, Why::Byte, rounds) {
                        break;
                    }
                    byte
                }
                Next::End => {
                    self.end(called, Item::byte(), rounds);
                    break;
                }
            };
            self.read += 1;
            if let Some(target) = target {
                self.write(target + count, byte);
            }
            count += 1;
        }
        if let Some(target) = target.filter(|_| count > 0) {
            let zero = self.space.terms.bits(8, 0);
            self.write(target + count, zero);
        }
        count > 0
    }

    /// Whether the byte that is read next is white space; it decides.
    fn white(&mut self, called: &Called, byte: TermId, why: Why, rounds: u32) -> bool {
        let terms = &mut self.space.terms;
        let (space, tab, last) = (terms.bits(8, 0x20), terms.bits(8, 9), terms.bits(8, 13));
        let (blank, from, to) = (terms.eq(byte, space), terms.uge(byte, tab), terms.ule(byte, last));
        let control = terms.and2(from, to);
        let white = terms.or2(blank, control);
        let is = is_space(self.content.bytes[self.read]);
        let condition = if is { white } else { terms.not(white) };
        self.choose(condition, None, why, called.at, called.function, rounds);
        is
    }

    /// One conversion; false when there is nothing to read.
    fn convert(&mut self, called: &Called, item: Item, before: &mut Vec<u8>, target: Option<u64>) -> bool {
        let place = self.content.places.iter().position(|(_, own, _)| *own == self.read);
        match place {
            Some(k) if self.attempt.items[k].form == item.form && self.read < self.content.bytes.len() => {
                let k = k as u32;
                let term = if item.form == Form::Byte {
                    self.byte_of(called, k, called.rounds)
                } else {
                    self.more(called, k, true, item.clone(), called.rounds);
                    self.use_input(Source::Item(k), item.form);
                    self.space.term(Source::Item(k), item.form.bits())
                };
                self.read = self.content.places[k as usize].2;
                if let Some(target) = target {
                    self.write(target, term);
                }
                true
            }
            None if self.read >= self.content.bytes.len() => {
                let mut before = std::mem::take(before);
                if item.form != Form::Byte {
                    match self.attempt.items.last() {
                        // Two numbers need something between them.
                        Some(last) if last.form != Form::Byte && before.is_empty() => before.push(b' '),
                        None if before == b" " => before.clear(),
                        _ => {}
                    }
                }
                self.end(called, Item { before, ..item }, called.rounds);
                false
            }
            _ if item.form == Form::Byte => {
                // A byte that stands between items.
                let byte = self.content.bytes[self.read];
                self.read += 1;
                let term = self.space.terms.bits(8, u128::from(byte));
                if let Some(target) = target {
                    self.write(target, term);
                }
                true
            }
            _ => {
                self.give_up(called.at, "standard input is read in two ways here; that was not searched".into());
                false
            }
        }
    }

    /// White space is skipped; a byte that is an item is not white space, or is skipped.
    fn skip(&mut self, called: &Called) {
        loop {
            match self.peek() {
                Next::Constant(byte) if is_space(byte) => self.read += 1,
                Next::Item(k) => {
                    let byte = self.byte_of(called, k, called.rounds);
                    // White space that is skipped says nothing new: where more is asked for, none of it is written.
                    if !self.white(called, byte, Why::Domain, called.rounds) || self.is_over {
                        return;
                    }
                    self.read += 1;
                }
                _ => return,
            }
        }
    }
}
