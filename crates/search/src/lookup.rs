//! Reading an array at an index that depends on the inputs: a choice between all of its elements, in one term.
//!
//! Without it each element is a path of its own, and a table of a hundred entries a hundred paths.

use crate::chosen::Source;
use crate::evaluate::{Evaluation, Known};
use crate::path::Why;
use crate::pointed::pointed;
use wherefore_formula::TermId;
use wherefore_trace::{ObjectKind, Read};

/// Objects with more places to read than this are read at one place at a time.
const MOST: u64 = 256;

impl Evaluation<'_> {
    /// A value is read through a pointer.
    pub fn read_at(&mut self, read: &Read) {
        let pointer = self.import(read.pointer);
        if self.space.terms.constant(pointer.term).is_some() {
            return;
        }
        // A parameter that may be null has one other value.
        let variables = self.space.terms.variables(pointer.term);
        let is_one_place = variables.iter().all(|v| matches!(self.space.source(*v), Source::Pointer(_)));
        match Some(read).filter(|_| !is_one_place).and_then(|read| self.choice_of_elements(read, pointer)) {
            Some(known) => self.expect(read.result, known),
            None => {
                let address = self.space.terms.bits(64, u128::from(read.address));
                let same = self.space.terms.eq(pointer.term, address);
                let why = Why::Turn(wherefore_trace::Why::Address);
                self.choose(same, None, why, read.at, read.function, read.rounds);
            }
        }
    }

    /// The value at wherever a pointer points in its object; `None` when some of its values are not known.
    fn choice_of_elements(&mut self, read: &Read, pointer: Known) -> Option<Known> {
        let object = &self.followed.trace.objects[read.object as usize];
        let (base, size) = (object.base, object.size);
        let steps = (size - read.size) / read.size;
        if steps >= MOST {
            return None;
        }
        // Elements lie at multiples of their size from the one that was read.
        let first = (read.address - base) % read.size;
        let offsets = (0..).map(|k| first + k * read.size).take_while(|o| o + read.size <= size);
        let mut fixed = pointer.fixed;
        let mut elements: Vec<(u64, TermId)> = vec![];
        for offset in offsets {
            let known = self.content(read.object, offset, read.size)?;
            fixed = fixed.or(known.fixed);
            elements.push((base + offset, known.term));
        }
        let terms = &mut self.space.terms;
        // The pointer is at one of them, as far as it is a multiple: otherwise it is the last.
        let (_, mut value) = elements.pop()?;
        let mut aligned = vec![];
        for (address, element) in elements.into_iter().rev() {
            let address = terms.bits(64, u128::from(address));
            let here = terms.eq(pointer.term, address);
            value = terms.ite(here, element, value);
            aligned.push(here);
        }
        let last = first + (size - first) / read.size * read.size - read.size;
        let last = terms.bits(64, u128::from(base + last));
        aligned.push(terms.eq(pointer.term, last));
        let is_element = terms.or(aligned);
        self.choose(is_element, None, Why::Turn(wherefore_trace::Why::Address), read.at, read.function, read.rounds);
        let bits = self.space.terms.width(value).min(self.width(read.result));
        let term = self.space.terms.extract(value, 0, bits);
        Some(Known { term, fixed })
    }

    /// What a part of an object holds now.
    fn content(&mut self, object: u32, offset: u64, size: u64) -> Option<Known> {
        let cells = self.followed.cells.get(&object);
        let covering = cells.and_then(|cells| {
            let after = cells.partition_point(|(start, ..)| *start <= offset);
            let (start, length, variable) = *cells.get(after.checked_sub(1)?)?;
            (offset + size <= start + length).then_some((offset - start, variable))
        });
        if let Some((from, variable)) = covering
            && let Some(known) = self.value_of(variable)
        {
            let term = self.space.terms.extract(known.term, from as u32 * 8, size as u32 * 8);
            return Some(Known { term, ..known });
        }
        // Nobody has touched it up to now: it is what it was when the program started.
        let is_touched = cells.is_some_and(|cells| {
            cells.iter().any(|(start, length, variable)| {
                start < &(offset + size) && offset < start + length && self.value_of(*variable).is_some()
            })
        });
        if is_touched {
            return None;
        }
        let whole = &self.followed.trace.objects[object as usize];
        let global = match whole.kind {
            ObjectKind::Global(global) => global,
            ObjectKind::Given => {
                let pointer = pointed(self.subject).into_iter().find(|p| p.address() == whole.base)?;
                let term = self.part_of_object(&pointer, offset, size as u32 * 8)?;
                return Some(Known { term, fixed: None });
            }
            _ => return None,
        };
        if self.subject.globals.contains(&global) {
            let scalars = crate::subject::scalars(self.subject.program, global);
            let (start, form) =
                *scalars.iter().find(|(start, form)| *start == offset && form.bits() == size as u32 * 8)?;
            let term = self.space.term(Source::Global { id: global, offset: start }, form.bits());
            return Some(Known { term, fixed: None });
        }
        let image = self.image(global)?;
        let bytes = image.get(offset as usize..(offset + size) as usize)?;
        let value = bytes.iter().rev().fold(0u128, |value, byte| value << 8 | u128::from(*byte));
        Some(Known { term: self.space.terms.bits(size as u32 * 8, value), fixed: None })
    }
}
