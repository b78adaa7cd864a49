//! Where the elements of tables get their values: each at its own part of the initialiser, not at the declaration.
//!
//! A compiler gives one place for all of a variable. A table has a line for each row, and the row is what a person looks
//! for.

use crate::sources::Sources;
use std::collections::HashMap;
use wherefore_program::{CType, Origin, Program, TypeId, Types};
use wherefore_source::{Extent, Shape};
use wherefore_trace::{Action, Kind, Storage, Trace};

/// Move the steps that initialise parts of a variable to the lines of their values.
pub fn place(trace: &mut Trace, program: &Program, sources: &Sources) {
    let mut known: HashMap<(Origin, u64, u32), Option<Extent>> = HashMap::new();
    for index in 0..trace.steps.len() {
        let step = &trace.steps[index];
        let Action::Assign { to, .. } = step.action else { continue };
        if !matches!(step.kind, Kind::Initial | Kind::Assign | Kind::Store) {
            continue;
        }
        let variable = &trace.variables[to.0 as usize];
        let Some(part) = Part::of(trace, program, &variable.storage) else { continue };
        if step.at.map(|at| (at.file, at.line)) != Some((part.origin.file, part.origin.line)) {
            continue;
        }
        let key = (part.origin, part.offset, variable.bits);
        let extent = *known.entry(key).or_insert_with(|| part.initialiser(program, sources));
        if let Some(extent) = extent.filter(|extent| extent.line != part.origin.line) {
            let file = part.origin.file;
            trace.steps[index].at = Some(Origin { file, line: extent.line, column: extent.column });
        }
    }
}

/// The part of an initialiser that stands at a place and sets a variable there.
pub fn at(trace: &Trace, program: &Program, sources: &Sources, storage: &Storage, at: Origin) -> Option<Extent> {
    let part = Part::of(trace, program, storage)?;
    let is_there = |extent: &Extent| (extent.line, extent.column) == (at.line, at.column);
    part.initialiser(program, sources).filter(is_there)
}

/// A part of a variable that has several.
struct Part<'p> {
    name: &'p str,
    origin: Origin,
    ctype: TypeId,
    offset: u64,
}

impl<'p> Part<'p> {
    fn of(trace: &Trace, program: &'p Program, storage: &Storage) -> Option<Part<'p>> {
        let (name, origin, ctype, offset) = match *storage {
            Storage::Global { global, offset } => {
                let declared = &program.globals[global.index()];
                (&declared.name, declared.origin, declared.ctype, offset)
            }
            Storage::Local { activation, local, offset } => {
                let function = trace.activations.get(activation as usize)?.function;
                let declared = &program.functions[function.index()].locals[local.index()];
                (&declared.name, declared.origin, declared.ctype, offset)
            }
            _ => return None,
        };
        let ctype = ctype.filter(|t| matches!(program.types[*t], CType::Array { .. } | CType::Record { .. }))?;
        Some(Part { name: name.as_deref()?, origin: origin?, ctype, offset })
    }

    fn initialiser(&self, program: &Program, sources: &Sources) -> Option<Extent> {
        let source = sources.text(self.origin.file)?;
        let constant = |name: &str| {
            program.types.0.iter().find_map(|ctype| match ctype {
                CType::Enum { constants, .. } => constants.iter().find(|(own, _)| own == name).map(|(_, value)| *value),
                _ => None,
            })
        };
        let mut path = vec![];
        indices(&program.types, self.ctype, self.offset * 8, &mut path);
        source.initialiser((self.name, self.origin.line), &shape(&program.types, self.ctype), &path, &constant)
    }
}

/// The indices of elements and members that lead to a bit of an object; a union is not entered.
fn indices(types: &Types, ctype: TypeId, offset: u64, path: &mut Vec<u64>) {
    match &types[ctype] {
        CType::Array { element, .. } => {
            let Some(size) = types.size(*element).filter(|size| *size > 0).map(|size| size * 8) else { return };
            path.push(offset / size);
            indices(types, *element, offset % size, path);
        }
        CType::Record { union: false, fields, .. } => {
            let holds = |f: &wherefore_program::Field| f.offset <= offset && offset < f.offset + f.size;
            let Some(index) = fields.iter().position(|f| !f.bit_field && holds(f)) else { return };
            path.push(index as u64);
            indices(types, fields[index].ctype, offset - fields[index].offset, path);
        }
        _ => {}
    }
}

fn shape(types: &Types, ctype: TypeId) -> Shape {
    match &types[ctype] {
        CType::Array { element, count } => Shape::Array {
            element: Box::new(shape(types, *element)),
            count: count.unwrap_or(u64::MAX),
            text: matches!(types[*element], CType::Integer { bits: 8, .. }),
        },
        CType::Record { union: true, .. } => Shape::Union,
        CType::Record { fields, .. } => {
            Shape::Record(fields.iter().map(|f| (f.name.clone(), shape(types, f.ctype))).collect())
        }
        _ => Shape::Scalar,
    }
}
