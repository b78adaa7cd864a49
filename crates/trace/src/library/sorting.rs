//! `qsort` and `bsearch`: each element afterwards is one of those before, by the recorded order.

use super::Call;
use crate::builder::{Facts, Range, Value};
use crate::memory::Piece;
use crate::model::Kind;
use crate::walk::Walker;
use wherefore_program::Operand;

/// So many cells are moved one by one.
const MANY: usize = 256;

/// An array when its sorting began: the functions that compare see it in the middle of it.
pub(crate) struct Unsorted {
    activation: u32,
    base: u64,
    elements: Vec<Element>,
}

/// The cells of an element: offset in it, size and value.
type Element = Vec<(u64, u64, Value)>;

impl Walker<'_> {
    /// A call may be about to sort.
    pub(crate) fn before_sorting(&mut self, name: &str, arguments: &[Operand], activation: u32) {
        if name != "qsort" {
            return;
        }
        let [base, count, size, _] = arguments else { return };
        let [base, count, size] = [base, count, size].map(|operand| self.operand(operand).concrete as u64);
        if self.unsorted.as_ref().is_some_and(|begun| begun.activation == activation && begun.base == base) {
            return;
        }
        self.unsorted = self.elements(base, count, size).map(|elements| Unsorted { activation, base, elements });
    }

    /// The elements of an array, where all of it is known.
    fn elements(&mut self, base: u64, count: u64, size: u64) -> Option<Vec<Element>> {
        let bytes = count.checked_mul(size).filter(|bytes| *bytes > 0 && *bytes <= 16 * MANY as u64)?;
        let (object, offset) = self.build.memory.find(base);
        let mut cells = 0;
        let mut elements = vec![];
        for n in 0..bytes / size {
            let start = offset + n * size;
            let mut element = vec![];
            for piece in self.build.memory.pieces(object, start, size) {
                match piece {
                    Piece::Cell { cell, from: 0, size } if size == cell.size => {
                        self.build.current_value(cell.variable)?;
                        element.push((cell.offset - start, size, self.build.value_of(cell.variable)));
                        cells += 1;
                    }
                    Piece::Cell { .. } => return None,
                    // Padding, or what nobody has looked at.
                    Piece::Gap { .. } => {}
                }
            }
            elements.push(element);
        }
        (cells <= MANY && elements.iter().all(|element| !element.is_empty())).then_some(elements)
    }

    pub(super) fn sorting(&mut self, call: &Call) -> Option<Value> {
        match (call.function.name, call.arguments) {
            ("qsort", [base, count, size, _]) => self.sorted(call, base, count, size),
            ("bsearch", [key, base, count, size, _]) => self.searched(call, key, base, count, size),
            _ => None,
        }
    }

    /// What is found depends on the key and on all elements: which of them were compared nobody knows.
    fn searched(&mut self, call: &Call, key: &Value, base: &Value, count: &Value, size: &Value) -> Option<Value> {
        let width = size.concrete as u64;
        let keys = self.elements(key.concrete as u64, 1, width)?;
        let elements = self.elements(base.concrete as u64, count.concrete as u64, width)?;
        let mut facts = self.facts_of(&[], &[key, base, count, size]);
        for (_, _, value) in keys.iter().chain(&elements).flatten() {
            self.fix(&mut facts, value);
        }
        let mut found = self.build.constant(64, 0);
        if call.returned != 0 {
            let distance = (call.returned as u64).checked_sub(base.concrete as u64)?;
            found = self.pointer_behind(base, distance);
        }
        let same = facts.addresses.clone();
        let same = self.build.terms.and(same);
        found.facts.merge(&facts);
        Some(self.under(same, found, call))
    }

    fn sorted(&mut self, call: &Call, base: &Value, count: &Value, size: &Value) -> Option<Value> {
        let begun = self.unsorted.take().filter(|begun| begun.base == base.concrete as u64)?;
        let chunk = call.chunks.iter().find(|chunk| chunk.address == begun.base && !chunk.text)?;
        let order = order(&begun.elements, &chunk.bytes, size.concrete as usize)?;
        let mut facts = self.facts_of(&[], &[base, count, size]);
        let mut same = Facts::default();
        for (_, _, value) in begun.elements.iter().flatten() {
            self.fix(&mut same, value);
        }
        let all = same.addresses.clone();
        let all = self.build.terms.and(all);
        facts.merge(&Facts { addresses: vec![], ..same });
        self.hold(&mut facts, all);
        let facts = self.build.refresh_facts(&facts);
        let (object, offset) = self.build.memory.find(begun.base);
        for (to, from) in order.into_iter().enumerate() {
            for (within, bytes, value) in &begun.elements[from] {
                let mut value = value.clone();
                value.facts.merge(&facts);
                let place = offset + to as u64 * size.concrete as u64 + within;
                let range = Range { object, offset: place, size: *bytes };
                self.build.write(range, &value, Kind::Assign, None, call.here);
            }
        }
        Some(self.build.constant(1, 0))
    }
}

/// For each place of the sorted array which element of the old one is there.
fn order(elements: &[Element], bytes: &[u8], size: usize) -> Option<Vec<usize>> {
    let mut left: Vec<usize> = (0..elements.len()).collect();
    let mut order = vec![];
    for place in 0..elements.len() {
        let content = bytes.get(place * size..(place + 1) * size)?;
        let is_here = |element: &Element| {
            element.iter().all(|(offset, size, value)| {
                let bytes = &content[*offset as usize..(offset + size) as usize];
                bytes.iter().rev().fold(0u128, |word, byte| word << 8 | u128::from(*byte)) == value.concrete
            })
        };
        let found = left.iter().position(|n| is_here(&elements[*n]))?;
        order.push(left.remove(found));
    }
    Some(order)
}
