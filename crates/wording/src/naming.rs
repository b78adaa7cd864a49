//! Names of variables and C text of formulas, as they read at a position of the trace.

use crate::ctext::{BINDS_LIKE_AND, Printer, parenthesised};
use crate::part::part;
use crate::reach::{Pointers, pointed};
use std::collections::HashMap;
use wherefore_formula::{TermId, VarId};
use wherefore_program::{CType, Program, TypeId};
use wherefore_trace::{ObjectKind, Storage, Trace, path};

/// From where names are seen.
#[derive(Copy, Clone)]
pub struct Position<'a> {
    /// The activation whose names are plain.
    pub activation: u32,
    /// The recorded state.
    pub values: &'a [Option<u128>],
}

/// Gives names and C text.
pub struct Names<'a> {
    pub(crate) program: &'a Program,
    pub(crate) trace: &'a Trace,
    pointers: Pointers,
}

/// How deep pointers are followed for a name.
const DEPTH: usize = 6;

impl<'a> Names<'a> {
    /// Names for a trace of a program.
    pub fn new(program: &'a Program, trace: &'a Trace) -> Self {
        Names { program, trace, pointers: Pointers::new(program, trace) }
    }

    /// The name of a variable.
    pub fn variable(&self, v: VarId, position: Position) -> String {
        self.name(v, position, 0)
    }

    /// A value of a variable as C writes it.
    pub fn value(&self, v: VarId, value: u128) -> String {
        let variable = &self.trace.variables[v.0 as usize];
        // A single bit is a truth value, and 64 bits without a type may be an address.
        self.number(value, variable.bits, variable.ctype, !matches!(variable.bits, 1 | 64))
    }

    /// A conjunction as a C expression; `true` when it is empty.
    pub fn conjunction(&self, atoms: &[TermId], position: Position) -> String {
        if atoms.is_empty() {
            return "true".into();
        }
        let names = self.distinct(atoms, position);
        let printer = Printer { names: self, position, distinct: names, strict: false };
        let mut texts: Vec<(u32, String)> = atoms
            .iter()
            .map(|a| {
                let first = self.trace.terms.variables(*a).first().map_or(0, |v| v.0);
                (first, parenthesised(printer.formula(*a), BINDS_LIKE_AND))
            })
            .collect();
        texts.sort_by_key(|t| t.0);
        texts.into_iter().map(|t| t.1).collect::<Vec<_>>().join(" && ")
    }

    /// A condition, as close to how it was written as its meaning allows.
    pub fn condition(&self, condition: TermId, position: Position) -> String {
        let printer = Printer { names: self, position, distinct: self.distinct(&[condition], position), strict: true };
        printer.formula(condition).0
    }

    /// Names of the variables in formulas, told apart where C's names are the same.
    fn distinct(&self, atoms: &[TermId], position: Position) -> HashMap<VarId, String> {
        let mut names: HashMap<VarId, String> = HashMap::new();
        for v in atoms.iter().flat_map(|a| self.trace.terms.variables(*a)) {
            names.insert(v, self.variable(v, position));
        }
        let mut count: HashMap<String, usize> = HashMap::new();
        for name in names.values() {
            *count.entry(name.clone()).or_default() += 1;
        }
        for (v, name) in &mut names {
            let shadowed = self.is_hidden(*v, name, position);
            let own = self.through_pointer(*v, position).is_none();
            if (count[name] > 1 && own || shadowed)
                && let Some(owner) = self.owner(*v, position)
            {
                *name = format!("{owner}::{name}");
            }
        }
        names
    }

    /// Whether another variable of the position's function has the name.
    fn is_hidden(&self, v: VarId, name: &str, position: Position) -> bool {
        let Some(activation) = self.activation_of(v) else {
            let function = self.trace.activations.get(position.activation as usize).map(|a| a.function);
            let locals = function.map(|f| &self.program.functions[f.index()].locals);
            return matches!(self.trace.variables[v.0 as usize].storage, Storage::Global { .. })
                && locals.is_some_and(|l| l.iter().any(|l| l.name.as_deref() == Some(name)));
        };
        if activation == position.activation || self.through_pointer(v, position).is_some() {
            return false;
        }
        let function = self.trace.activations[position.activation as usize].function;
        let root = name.split(['.', '[', '-']).next().unwrap_or(name);
        self.program.functions[function.index()].locals.iter().any(|l| l.name.as_deref() == Some(root))
    }

    fn activation_of(&self, v: VarId) -> Option<u32> {
        match self.trace.variables[v.0 as usize].storage {
            Storage::Local { activation, .. } | Storage::Result { activation } => Some(activation),
            Storage::Saved { of } => self.activation_of(of),
            _ => None,
        }
    }

    /// The function a variable belongs to, with the depth of the activation when it is recursive.
    fn owner(&self, v: VarId, position: Position) -> Option<String> {
        let Some(activation) = self.activation_of(v) else {
            return matches!(self.trace.variables[v.0 as usize].storage, Storage::Global { .. }).then(String::new);
        };
        if activation == position.activation {
            return None;
        }
        let function = self.trace.activations[activation as usize].function;
        let name = &self.program.functions[function.index()].name;
        let callers = std::iter::successors(Some(activation), |a| self.trace.activations[*a as usize].caller);
        let depth = callers.filter(|a| self.trace.activations[*a as usize].function == function).count();
        let recursive = self.trace.activations.iter().filter(|a| a.function == function).count() > 1;
        Some(if recursive { format!("{name}#{depth}") } else { name.clone() })
    }

    /// The name of a caller's variable by a pointer of the current function.
    fn through_pointer(&self, v: VarId, position: Position) -> Option<String> {
        let Storage::Local { activation, .. } = self.trace.variables[v.0 as usize].storage else { return None };
        if activation == position.activation {
            return None;
        }
        let named = |p: VarId| self.name(p, position, DEPTH);
        let (program, trace) = (self.program, self.trace);
        self.pointers.through_pointer(program, trace, v, position.activation, position.values, named)
    }

    fn name(&self, v: VarId, position: Position, depth: usize) -> String {
        if depth == 0
            && let Some(name) = self.through_pointer(v, position)
        {
            return name;
        }
        let variable = &self.trace.variables[v.0 as usize];
        let bits = u64::from(variable.bits);
        match &variable.storage {
            Storage::Local { activation, local, offset } => {
                let function = self.trace.activations[*activation as usize].function;
                let local = &self.program.functions[function.index()].locals[local.index()];
                match &local.name {
                    Some(name) => self.part_name(name, local.ctype, *offset, bits),
                    None => self.result_name(*activation),
                }
            }
            Storage::Global { global, offset } => {
                let global = &self.program.globals[global.index()];
                let name = global.name.clone().unwrap_or_else(|| "a string literal".into());
                self.part_name(&name, global.ctype, *offset, bits)
            }
            Storage::Heap { .. } | Storage::Foreign { .. } => self.reached_name(v, position, depth),
            Storage::Result { activation } => self.result_name(*activation),
            Storage::External { callee, .. } => format!("{callee}()"),
            Storage::Saved { of } => format!("old({})", self.name(*of, position, depth)),
            Storage::Choice { .. } => "the chosen value".into(),
        }
    }

    fn result_name(&self, activation: u32) -> String {
        let function = self.trace.activations[activation as usize].function;
        format!("{}()", self.program.functions[function.index()].name)
    }

    fn part_name(&self, name: &str, ctype: Option<TypeId>, offset: u64, bits: u64) -> String {
        if let Some((suffix, _)) = ctype.and_then(|t| part(&self.program.types, t, offset * 8, bits)) {
            return format!("{name}{suffix}");
        }
        let whole = ctype.and_then(|t| self.program.types.size(t)).map(|s| s * 8);
        if offset == 0 && (whole.is_none() || whole == Some(bits)) {
            return name.to_string();
        }
        format!("*({} *)((char *)&{name} + {offset})", c_type_of(bits))
    }

    /// The name of memory that has none: by a pointer expression that reaches it now.
    fn reached_name(&self, v: VarId, position: Position, depth: usize) -> String {
        let variable = &self.trace.variables[v.0 as usize];
        let address = variable.address.unwrap_or(0);
        if depth == 0
            && let Storage::Heap { object, .. } = variable.storage
        {
            let named = |v: VarId| self.name(v, position, DEPTH);
            let ways = self.pointers.ways(self.program, self.trace, position.activation, position.values, named);
            if let Some(text) = ways.get(&object).and_then(|w| w.name(self.program, self.trace, v)) {
                return text;
            }
        }
        if depth < DEPTH {
            let reaches = |p: &&TermId| {
                let value = self.trace.terms.evaluate(**p, &mut |u| position.values[u.0 as usize]);
                value.is_some_and(|x| x.raw() as u64 == address)
            };
            let text = variable.paths.iter().rev().filter(reaches).find_map(|p| self.lvalue(*p, v, position, depth));
            if let Some(text) = text {
                return text;
            }
        }
        match variable.storage {
            Storage::Heap { object, offset } => {
                let object = &self.trace.objects[object as usize];
                let line = match object.kind {
                    ObjectKind::Heap { at: Some(at), .. } => at.line,
                    _ => 0,
                };
                format!("byte {offset} of the memory allocated in line {line}")
            }
            _ => format!("*({} *){address:#x}", c_type_of(u64::from(variable.bits))),
        }
    }

    /// A pointer expression as an lvalue.
    fn lvalue(&self, pointer: TermId, v: VarId, position: Position, depth: usize) -> Option<String> {
        let bits = u64::from(self.trace.variables[v.0 as usize].bits);
        let path = path(self.program, &self.trace.terms, &self.trace.variables, pointer)?;
        if path.base == v {
            return None;
        }
        let base = self.name(path.base, position, depth + 1);
        let base = match self.activation_of(path.base).filter(|a| *a != position.activation) {
            Some(_) => self.owner(path.base, position).map_or(base.clone(), |owner| format!("{owner}::{base}")),
            None => base,
        };
        let (element, within) = path.element(&self.program.types)?;
        let (suffix, _) = part(&self.program.types, path.target, within * 8, bits)?;
        let index = match path.index {
            None if element == 0 && bits > 8 => String::new(),
            None => element.to_string(),
            Some((index, _)) => {
                let value = self.trace.terms.evaluate(index, &mut |u| position.values[u.0 as usize])?;
                let number = signed_value(value.raw(), self.trace.terms.width(index));
                (number + i128::from(element)).to_string()
            }
        };
        Some(pointed(&base, &index, &suffix))
    }

    /// A number of a type.
    pub(crate) fn number(&self, value: u128, bits: u32, ctype: Option<TypeId>, signed: bool) -> String {
        match ctype.map(|t| &self.program.types[t]) {
            Some(CType::Pointer(_)) => self.address(value as u64),
            Some(CType::Float { bits: 32 }) => float_text(f64::from(f32::from_bits(value as u32))),
            Some(CType::Float { bits: 64 }) => float_text(f64::from_bits(value as u64)),
            Some(CType::Bool) if value < 2 => (if value == 1 { "true" } else { "false" }).into(),
            Some(CType::Enum { constants, signed, .. }) => {
                let number = if *signed { signed_value(value, bits) } else { value as i128 };
                let named = constants.iter().find(|(_, c)| *c == number).map(|(n, _)| n.clone());
                named.unwrap_or_else(|| number.to_string())
            }
            Some(CType::Integer { name, signed, .. }) => {
                let number = if *signed { signed_value(value, bits) } else { value as i128 };
                match number {
                    32..=126 if name == "char" => format!("'{}'", (value as u8 as char).escape_default()),
                    _ => number.to_string(),
                }
            }
            _ if signed => signed_value(value, bits).to_string(),
            _ if bits == 64 && value > 1 << 20 => self.address(value as u64),
            _ => value.to_string(),
        }
    }

    /// An address: of a named object where there is one.
    fn address(&self, address: u64) -> String {
        if address == 0 {
            return "NULL".into();
        }
        if let Some(function) = self.trace.functions.iter().position(|f| *f == address) {
            return self.program.functions[function].name.clone();
        }
        for object in self.trace.objects.iter().skip(1).rev() {
            if object.base == 0 || address < object.base || address - object.base >= object.size.max(1) {
                continue;
            }
            let offset = address - object.base;
            let (name, ctype) = match object.kind {
                ObjectKind::Global(g) => {
                    let global = &self.program.globals[g.index()];
                    match &global.name {
                        Some(name) => (name.clone(), global.ctype),
                        None => break,
                    }
                }
                ObjectKind::Local { activation, local, ctype } => {
                    let function = self.trace.activations[activation as usize].function;
                    match &self.program.functions[function.index()].locals[local.index()].name {
                        Some(name) => (name.clone(), ctype),
                        None => break,
                    }
                }
                _ => break,
            };
            let is_array = ctype.is_some_and(|t| matches!(self.program.types[t], CType::Array { .. }));
            return match (offset, is_array) {
                (0, true) => name,
                (0, false) => format!("&{name}"),
                (_, true) => format!("{name} + {}", self.elements(ctype, offset)),
                _ => format!("(char *)&{name} + {offset}"),
            };
        }
        format!("{address:#x}")
    }

    fn elements(&self, array: Option<TypeId>, offset: u64) -> u64 {
        match array.map(|t| &self.program.types[t]) {
            Some(CType::Array { element, .. }) => {
                self.program.types.size(*element).filter(|s| *s > 0).map_or(offset, |s| offset / s)
            }
            _ => offset,
        }
    }
}

pub(crate) fn c_type_of(bits: u64) -> &'static str {
    match bits {
        8 => "char",
        16 => "short",
        32 => "int",
        _ => "long",
    }
}

/// Bits as a two's complement number.
pub(crate) fn signed_value(value: u128, bits: u32) -> i128 {
    if bits < 128 && value >> (bits - 1) & 1 == 1 { value as i128 - (1i128 << bits) } else { value as i128 }
}

pub(crate) fn float_text(value: f64) -> String {
    if value == value.trunc() && value.abs() < 1e15 { format!("{value:.1}") } else { format!("{value:?}") }
}
