//! `<ctype.h>`: what a character is, asked by a call or by a look into the library's tables, in the C locale.

use super::Call;
use crate::builder::{Facts, Value};
use crate::walk::Walker;
use std::collections::HashMap;
use wherefore_formula::{BinaryOp, Node, TermId};

/// Entries of a table on both sides of that of 0.
const BELOW: u64 = 128;
const ABOVE: u64 = 256;

/// The classes by the bits that glibc's table has for them, lowest first: a machine that stores the low byte first.
const CLASSES: [Class; 16] = [
    Class { name: "isblank", ranges: &[(b' ', b' '), (b'\t', b'\t')] },
    Class { name: "iscntrl", ranges: &[(0, 31), (127, 127)] },
    Class { name: "ispunct", ranges: &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')] },
    Class { name: "isalnum", ranges: &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')] },
    Class { name: "", ranges: &[] },
    Class { name: "", ranges: &[] },
    Class { name: "", ranges: &[] },
    Class { name: "", ranges: &[] },
    Class { name: "isupper", ranges: &[(b'A', b'Z')] },
    Class { name: "islower", ranges: &[(b'a', b'z')] },
    Class { name: "isalpha", ranges: &[(b'A', b'Z'), (b'a', b'z')] },
    Class { name: "isdigit", ranges: &[(b'0', b'9')] },
    Class { name: "isxdigit", ranges: &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')] },
    Class { name: "isspace", ranges: &[(b'\t', b'\r'), (b' ', b' ')] },
    Class { name: "isprint", ranges: &[(b' ', b'~')] },
    Class { name: "isgraph", ranges: &[(b'!', b'~')] },
];

struct Class {
    name: &'static str,
    ranges: &'static [(u8, u8)],
}

/// The library's tables about characters, as far as the program has asked for them.
#[derive(Default)]
pub(crate) struct Tables {
    /// Where the pointers to the entries of 0 are.
    pointers: HashMap<u64, &'static str>,
    /// Where the entries of 0 are.
    entries: HashMap<&'static str, u64>,
    /// The characters whose classes a term has.
    classes: HashMap<TermId, TermId>,
}

impl Walker<'_> {
    /// A function about characters.
    pub(super) fn character(&mut self, call: &Call) -> Option<Value> {
        let name = call.function.name;
        if name.starts_with("__ctype_") {
            self.tables.pointers.insert(call.returned as u64, name);
            return Some(self.build.constant(64, call.returned));
        }
        let [character] = call.arguments else { return None };
        match name {
            "toupper" | "tolower" => {
                let first = if name == "toupper" { b'a' } else { b'A' };
                let term = self.changed_case(character.term, first);
                Some(self.valued(term, character.facts.clone()))
            }
            _ => {
                let class = CLASSES.iter().find(|class| class.name == name)?;
                let holds = self.in_ranges(character.term, class.ranges);
                // What is not zero says nothing more: it is the same for all characters of a class.
                let bits = self.build.terms.width(character.term);
                let yes = if call.returned == 0 { self.yes(name) } else { call.returned };
                let (yes, no) = (self.build.terms.bits(bits, yes), self.build.terms.bits(bits, 0));
                let term = self.build.terms.ite(holds, yes, no);
                Some(self.valued(term, character.facts.clone()))
            }
        }
    }

    /// What the library gives for a character of a class.
    fn yes(&self, name: &str) -> u128 {
        CLASSES.iter().position(|class| class.name == name).map_or(1, |bit| 1 << bit)
    }

    fn in_ranges(&mut self, c: TermId, ranges: &[(u8, u8)]) -> TermId {
        let bits = self.build.terms.width(c);
        let mut ways = vec![];
        for (low, high) in ranges {
            let (low, high) = (self.number_term(bits, u64::from(*low)), self.number_term(bits, u64::from(*high)));
            let (above, below) = (self.build.terms.sle(low, c), self.build.terms.sle(c, high));
            ways.push(if low == high { self.build.terms.eq(c, low) } else { self.build.terms.and2(above, below) });
        }
        self.build.terms.or(ways)
    }

    /// A character in the other case, where it is one of the letters that begin with this one.
    pub(super) fn changed_case(&mut self, c: TermId, first: u8) -> TermId {
        let bits = self.build.terms.width(c);
        let applies = self.in_ranges(c, &[(first, first + 25)]);
        let difference = self.number_term(bits, 32);
        let changed = self.build.terms.binary(BinaryOp::Xor, c, difference);
        self.build.terms.ite(applies, changed, c)
    }

    /// A load from one of the tables, or of the pointer to one; `None` for other loads.
    pub(crate) fn table_entry(&mut self, pointer: &Value, address: u64, bits: u32, read: u128) -> Option<Value> {
        if let Some(name) = self.tables.pointers.get(&address).filter(|_| bits == 64) {
            self.tables.entries.insert(name, read as u64);
            return Some(self.build.constant(64, read));
        }
        let (name, start) = self.tables.entries.iter().map(|(name, start)| (*name, *start)).find(|(name, start)| {
            let width = entry_bytes(name);
            let first = start - BELOW * width;
            bits == width as u32 * 8 && (first..start + ABOVE * width).contains(&address)
        })?;
        let character = self.character_of(pointer.term, start, entry_bytes(name));
        let facts = pointer.facts.clone();
        let value = match name {
            "__ctype_b_loc" => self.class_entry(character, facts),
            "__ctype_toupper_loc" => self.case_entry(character, b'a', facts),
            _ => self.case_entry(character, b'A', facts),
        };
        (value.concrete == read).then_some(value)
    }

    /// The index into a table by which a pointer was computed.
    fn character_of(&mut self, pointer: TermId, start: u64, width: u64) -> TermId {
        let terms = &mut self.build.terms;
        let first = terms.bits(64, u128::from(start));
        let distance = terms.binary(BinaryOp::Sub, pointer, first);
        let sum = match *terms.node(pointer) {
            Node::Binary(BinaryOp::Add, index, base) if base == first => index,
            _ => distance,
        };
        let index = match *terms.node(sum) {
            Node::Binary(BinaryOp::Mul, index, factor) if terms.constant(factor) == Some(u128::from(width)) => index,
            _ => {
                let shift = terms.bits(64, u128::from(width.trailing_zeros()));
                terms.binary(BinaryOp::AShr, sum, shift)
            }
        };
        match *terms.node(index) {
            Node::SignExtend(character, _) | Node::ZeroExtend(character, _) if terms.width(character) >= 32 => {
                character
            }
            _ => terms.extract(index, 0, 32),
        }
    }

    fn case_entry(&mut self, character: TermId, first: u8, facts: Facts) -> Value {
        let term = self.changed_case(character, first);
        let term = self.build.terms.extract(term, 0, 32);
        self.valued(term, facts)
    }

    /// All classes of a character, each a bit.
    fn class_entry(&mut self, character: TermId, facts: Facts) -> Value {
        let mut term = None;
        for class in &CLASSES {
            let holds = self.in_ranges(character, class.ranges);
            let bit = self.build.terms.bool_to_bits(holds, 1);
            term = Some(match term {
                None => bit,
                Some(low) => self.build.terms.concat(bit, low),
            });
        }
        let term = term.expect("there are classes");
        let wide = self.build.terms.zero_extend(term, 32);
        self.tables.classes.extend([(term, character), (wide, character)]);
        self.valued(term, facts)
    }

    /// What is left of a character's classes under a mask; `None` for other terms.
    pub(crate) fn masked_classes(&mut self, classes: TermId, mask: u128) -> Option<TermId> {
        let character = *self.tables.classes.get(&classes)?;
        let bits = self.build.terms.width(classes);
        let [one] = (0..16).filter(|bit| mask >> bit & 1 == 1).collect::<Vec<usize>>()[..] else { return None };
        let holds = self.in_ranges(character, CLASSES[one].ranges);
        let (yes, no) = (self.build.terms.bits(bits, 1 << one), self.build.terms.bits(bits, 0));
        Some(self.build.terms.ite(holds, yes, no))
    }
}

/// Size of an entry of a table.
fn entry_bytes(name: &str) -> u64 {
    if name == "__ctype_b_loc" { 2 } else { 4 }
}
