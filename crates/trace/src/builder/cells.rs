//! Cells of objects, as their types divide them.

use super::{Builder, Range};
use crate::memory::{Cell, ObjectKind, Piece};
use crate::model::Storage;
use std::ops::Range as Stretch;
use wherefore_formula::VarId;
use wherefore_program::{CType, Program, TypeId};

/// Copies of more bytes than this are not divided by type in advance.
const LARGE: u64 = 1 << 16;

impl Builder<'_> {
    fn declared_type(&self, object: u32) -> Option<TypeId> {
        match self.memory.objects[object as usize].kind {
            ObjectKind::Global(g) => self.program.globals[g.index()].ctype,
            ObjectKind::Local { ctype, .. } => ctype,
            _ => None,
        }
    }

    /// Whether the type of an object, if it has one, says that there is something of a size.
    pub fn may_be(&self, object: u32, offset: u64, size: u64) -> bool {
        self.declared_type(object).is_none_or(|t| part_type(self.program, t, offset * 8, size * 8).is_some())
    }

    /// A struct that is accessed as one number, as it is passed in a register, has the cells of its members.
    pub(super) fn divide(&mut self, range: Range) {
        let types = &self.program.types;
        let Some(ctype) = self.declared_type(range.object) else { return };
        let element = |t: &TypeId| match types[*t] {
            CType::Array { element, .. } => Some(element),
            _ => None,
        };
        let innermost = std::iter::successors(Some(ctype), element).last();
        let is_struct = innermost.is_some_and(|t| matches!(types[t], CType::Record { union: false, .. }));
        if is_struct && part_type(self.program, ctype, range.offset * 8, range.size * 8).is_none() {
            self.cells_by_type(range);
        }
    }

    /// Give a range that has no cells yet those of the object's type, so that a copied array has elements.
    pub fn cells_by_type(&mut self, range: Range) {
        let Some(ctype) = self.declared_type(range.object).filter(|_| range.size <= LARGE) else { return };
        let mut leaves = vec![];
        scalar_leaves(self.program, ctype, 0, range.offset..range.offset + range.size, &mut leaves);
        for (offset, size) in leaves {
            if matches!(self.memory.pieces(range.object, offset, size)[..], [Piece::Gap { .. }]) {
                self.new_cell(Range { object: range.object, offset, size });
            }
        }
    }

    /// A cell for bytes that are written now.
    pub fn new_cell(&mut self, range: Range) -> VarId {
        let object = &self.memory.objects[range.object as usize];
        let (storage, ctype, address) = match &object.kind {
            ObjectKind::Global(global) => {
                let ctype = self.program.globals[global.index()].ctype;
                (Storage::Global { global: *global, offset: range.offset }, ctype, Some(object.base + range.offset))
            }
            ObjectKind::Local { activation, local, ctype } => {
                let storage = Storage::Local { activation: *activation, local: *local, offset: range.offset };
                let address = (object.base != 0).then(|| object.base + range.offset);
                (storage, *ctype, address)
            }
            ObjectKind::Heap { .. } => {
                let storage = Storage::Heap { object: range.object, offset: range.offset };
                (storage, None, Some(object.base + range.offset))
            }
            ObjectKind::Given => {
                let address = object.base + range.offset;
                (Storage::Foreign { address }, None, Some(address))
            }
            ObjectKind::Foreign => (Storage::Foreign { address: range.offset }, None, Some(range.offset)),
        };
        let ctype = ctype.and_then(|t| part_type(self.program, t, range.offset * 8, range.size * 8));
        let var = self.variable(storage, range.size as u32 * 8, ctype, address);
        self.memory.add_cell(range.object, Cell { offset: range.offset, size: range.size, variable: var });
        var
    }
}

/// Offsets and sizes in bytes of the scalars of an object of a type that lie within a stretch of it.
fn scalar_leaves(program: &Program, ctype: TypeId, base: u64, within: Stretch<u64>, leaves: &mut Vec<(u64, u64)>) {
    let types = &program.types;
    match &types[ctype] {
        CType::Array { element, count } => {
            let Some(size) = types.size(*element).filter(|size| *size > 0) else { return };
            let first = within.start.saturating_sub(base) / size;
            let after = within.end.saturating_sub(base).div_ceil(size).min(count.unwrap_or(0));
            for i in first..after {
                scalar_leaves(program, *element, base + i * size, within.clone(), leaves);
            }
        }
        CType::Record { union: true, .. } => {}
        CType::Record { fields, .. } => {
            for f in fields.iter().filter(|f| !f.bit_field) {
                scalar_leaves(program, f.ctype, base + f.offset / 8, within.clone(), leaves);
            }
        }
        _ => {
            let size = types.size(ctype).filter(|s| (1..=16).contains(s));
            leaves.extend(size.filter(|s| within.start <= base && base + s <= within.end).map(|s| (base, s)));
        }
    }
}

/// The type of the part of an object at a bit offset with a size in bits.
pub fn part_type(program: &Program, ctype: TypeId, offset: u64, size: u64) -> Option<TypeId> {
    let types = &program.types;
    match &types[ctype] {
        CType::Array { element, .. } => {
            let element_bits = types.size(*element)? * 8;
            let within = offset.checked_rem(element_bits)?;
            part_type(program, *element, within, size)
        }
        CType::Record { fields, .. } => fields
            .iter()
            .filter(|f| !f.bit_field && f.offset <= offset)
            .filter(|f| offset + size <= f.offset + f.size || types.is_flexible(f))
            .find_map(|f| part_type(program, f.ctype, offset - f.offset, size)),
        _ => (offset == 0 && types.size(ctype).map(|s| s * 8) == Some(size)).then_some(ctype),
    }
}
