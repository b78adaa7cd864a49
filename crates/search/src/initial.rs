//! What variables hold before the first step: inputs, what the user gave, and whatever was found there.

use crate::attempt::parameters;
use crate::chosen::Source;
use crate::evaluate::{AS_GIVEN, Evaluation, Known};
use crate::form::Form;
use crate::found::Obstacle;
use crate::library;
use crate::pointed::{Pointed, pointed};
use crate::subject::scalars;
use wherefore_clib::Gives;
use wherefore_formula::{TermId, VarId};
use wherefore_program::{CType, GlobalId, Program, TypeId};
use wherefore_trace::{Event, ObjectKind, Storage, Variable};

/// Bytes of a table of characters before and after its middle: 384 entries of at most 4 bytes.
const TABLE: u64 = 4 * 384;

impl Evaluation<'_> {
    /// The variables that have a value before the first step.
    pub fn begin(&mut self) {
        self.find_tables();
        let trace = &self.followed.trace;
        let (entry, declared) = (self.entry(), &self.subject.program.functions[self.subject.entry.index()]);
        let parameters = parameters(self.subject);
        for &(index, form) in &parameters {
            self.use_input(Source::Parameter(index), form);
        }
        let pointers = pointed(self.subject);
        for pointer in &pointers {
            self.use_input(Source::Pointer(pointer.parameter), Form::Truth);
        }
        for &id in &self.subject.globals {
            for (offset, form) in scalars(self.subject.program, id) {
                self.use_input(Source::Global { id, offset }, form);
            }
        }
        for (number, initial) in trace.initial.iter().enumerate() {
            let Some(value) = *initial else { continue };
            let variable = &trace.variables[number];
            let input = match variable.storage {
                Storage::Local { activation, local, offset } if Some(activation as usize) == entry => {
                    let index = declared.locals[local.index()].param;
                    let found = parameters.iter().find(|(k, _)| index == Some(*k));
                    let pointer = pointers.iter().find(|p| index == Some(p.parameter));
                    match (found, pointer) {
                        (Some((index, form)), _) => {
                            Some(self.part(Source::Parameter(*index), *form, offset, variable.bits))
                        }
                        (None, Some(pointer)) => Some(self.pointer(pointer, offset, variable.bits)),
                        (None, None) => None,
                    }
                }
                Storage::Foreign { address } => {
                    let within = |p: &&Pointed| (p.address()..p.address() + p.bytes()).contains(&address);
                    let object = pointers.iter().find(within);
                    object.and_then(|p| self.part_of_object(p, address - p.address(), variable.bits))
                }
                Storage::Global { global, offset } if self.subject.globals.contains(&global) => {
                    self.part_of_global(global, offset, variable.bits)
                }
                _ => None,
            };
            // A parameter that is no input has the value the user gave, or is null.
            let is_given = !self.subject.program.is_main(declared)
                && matches!(variable.storage, Storage::Local { activation, local, .. }
                    if Some(activation as usize) == entry && declared.locals[local.index()].param.is_some());
            let known = match input {
                Some(term) => Known { term, fixed: None },
                None => {
                    let term = self.space.terms.bits(variable.bits, value);
                    let fixed = if is_given { None } else { self.reason_for_unset(&variable.storage) };
                    Known { term, fixed }
                }
            };
            self.set(VarId(number as u32), known);
        }
    }

    /// A part of an input that is as wide as its form, in memory: a truth value is a byte there.
    fn part(&mut self, source: Source, form: Form, offset: u64, bits: u32) -> TermId {
        let whole = self.space.term(source, form.bits());
        let terms = &mut self.space.terms;
        let whole = if form == Form::Truth { terms.zero_extend(whole, 8) } else { whole };
        terms.extract(whole, offset as u32 * 8, bits)
    }

    /// A pointer parameter: null, or the address of its object.
    fn pointer(&mut self, pointer: &Pointed, offset: u64, bits: u32) -> TermId {
        let is_object = self.space.truth(Source::Pointer(pointer.parameter));
        let terms = &mut self.space.terms;
        let (null, address) = (terms.bits(64, 0), terms.bits(64, u128::from(pointer.address())));
        let value = terms.ite(is_object, address, null);
        terms.extract(value, offset as u32 * 8, bits)
    }

    /// A part of the object that a parameter points to; what is not searched of it is zero.
    pub fn part_of_object(&mut self, pointer: &Pointed, offset: u64, bits: u32) -> Option<TermId> {
        let end = offset + u64::from(bits / 8);
        let mut term: Option<TermId> = None;
        let mut at = offset;
        let mut add = |this: &mut Self, part: TermId| {
            term = Some(match term {
                Some(low) => this.space.terms.concat(part, low),
                None => part,
            });
        };
        for &(start, form) in &pointer.scalars {
            let size = u64::from(form.bits().div_ceil(8));
            let (from, to) = (offset.max(start), end.min(start + size));
            if from >= to {
                continue;
            }
            if at < from {
                let zero = self.space.terms.bits((from - at) as u32 * 8, 0);
                add(self, zero);
            }
            let source = Source::Pointed { parameter: pointer.parameter, offset: start };
            self.use_input(source, form);
            let part = self.part(source, form, from - start, (to - from) as u32 * 8);
            add(self, part);
            at = to;
        }
        if at < end {
            let zero = self.space.terms.bits((end - at) as u32 * 8, 0);
            add(self, zero);
        }
        term
    }

    /// Says where a run shows that more or less than what was given may matter: how long a string or an array is, only
    /// its accesses tell.
    pub fn look_at_lengths(&mut self) {
        for pointer in pointed(self.subject) {
            let objects = &self.followed.trace.objects;
            let number = objects.iter().position(|o| o.kind == ObjectKind::Given && o.base == pointer.address());
            let cells = number.and_then(|n| self.followed.cells.get(&(n as u32)));
            let Some(touched) = cells.and_then(|all| all.iter().map(|(at, size, _)| at + size).max()) else { continue };
            let name = &pointer.name;
            if pointer.is_text {
                let mut is_end = |(offset, _): &&(u64, Form)| {
                    let variable =
                        self.space.variable(Source::Pointed { parameter: pointer.parameter, offset: *offset });
                    self.attempt.value(self.space, variable) == 0
                };
                let length = pointer.scalars.iter().position(|s| is_end(&s)).unwrap_or(pointer.scalars.len()) as u64;
                if touched > length + 1 {
                    let what =
                        format!("`{name}` is used behind the end of its string; other lengths were not searched");
                    self.obstacle(None, what);
                } else if touched == pointer.bytes() {
                    let what =
                        format!("strings of more than {} characters were not searched for `{name}`", touched - 1);
                    self.obstacle(None, what);
                }
            } else if touched > pointer.size {
                let what = format!("`{name}` pointed to {} elements; other lengths were not searched", pointer.count);
                self.obstacle(None, what);
            }
        }
    }

    /// A part of a global that is an input.
    fn part_of_global(&mut self, id: GlobalId, offset: u64, bits: u32) -> Option<TermId> {
        let end = offset + u64::from(bits / 8);
        let mut term: Option<TermId> = None;
        for (start, form) in scalars(self.subject.program, id) {
            let size = u64::from(form.bits().div_ceil(8));
            let (from, to) = (offset.max(start), end.min(start + size));
            if from >= to {
                continue;
            }
            let source = Source::Global { id, offset: start };
            let part = self.part(source, form, from - start, (to - from) as u32 * 8);
            term = Some(match term {
                Some(low) => self.space.terms.concat(part, low),
                None => part,
            });
        }
        term.filter(|t| self.space.terms.width(*t) == bits)
    }

    /// Why a variable that was never set is fixed; `None` for tables of the library, which are the same in every run.
    fn reason_for_unset(&mut self, storage: &Storage) -> Option<u32> {
        let program = self.subject.program;
        let what = match storage {
            Storage::Local { activation, local, .. } => {
                let function = self.followed.trace.activations[*activation as usize].function;
                let function = &program.functions[function.index()];
                match &function.locals[local.index()] {
                    // Setting a bit-field reads its neighbours.
                    l if l.ctype.is_some_and(|t| has_bit_fields(program, t)) => return None,
                    l if l.param.is_some() && program.is_main(function) => AS_GIVEN.to_string(),
                    l if l.param.is_some() => "what a library function passes to the program was taken as seen".into(),
                    l => match &l.name {
                        Some(name) => format!("`{name}` is read before it is set; the value found there was taken"),
                        None => "a variable is read before it is set; the value found there was taken".into(),
                    },
                }
            }
            Storage::Global { global, .. } => match &program.globals[global.index()].name {
                Some(name) => format!("the value of `{name}` was taken as it is when the program starts"),
                None => "the value of a variable was taken as it is when the program starts".into(),
            },
            Storage::Foreign { address } if self.tables.iter().any(|(start, end)| (*start..*end).contains(address)) => {
                return None;
            }
            Storage::Foreign { .. } => AS_GIVEN.to_string(),
            _ => "memory is read before it is set; the value found there was taken".into(),
        };
        Some(self.reason(Obstacle { at: None, what, limit: None }))
    }

    /// Tables of the library about characters: a function gives the address of a pointer into the middle of one.
    fn find_tables(&mut self) {
        let trace = &self.followed.trace;
        for event in &self.followed.events {
            let Event::Called(called) = event else { continue };
            if library::gives(&called.callee) != Gives::Table {
                continue;
            }
            let pointer = called.returned as u64;
            let at = |v: &Variable| v.storage == Storage::Foreign { address: pointer };
            let table = trace.variables.iter().position(at).and_then(|v| trace.initial[v]);
            self.tables.push((pointer, pointer + 8));
            self.tables.extend(table.map(|middle| (middle as u64 - TABLE, middle as u64 + TABLE)));
        }
    }
}

fn has_bit_fields(program: &Program, ctype: TypeId) -> bool {
    matches!(&program.types[ctype], CType::Record { fields, .. } if fields.iter().any(|f| f.bit_field))
}
