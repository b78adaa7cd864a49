//! Commands: what a computation, a load, a store or a copy does to the trace.

use super::printing::signed;
use super::{WalkError, Walker};
use crate::builder::{Facts, Here, Range, Value, is_foreign, mask, part_type};
use crate::fault::is_used_up;
use crate::library::compared;
use crate::memory::ObjectKind;
use crate::model::{Kind, Overflow};
use wherefore_formula::TermId;
use wherefore_program::{
    BinaryOp, BlockId, CType, Command, CompareOp, LocalId, Operand, Operation, Origin, Place, RegId, Unnamed,
};

/// So many overflows are kept.
const OVERFLOWS: usize = 1000;

impl Walker<'_> {
    /// Execute a command other than a call; false when the words end.
    pub(super) fn execute(&mut self, command: &Command, at: Option<Origin>) -> Result<bool, WalkError> {
        match command {
            Command::Define { target, value } => Ok(self.define(*target, value, at)),
            Command::Load { target, place, logged, .. } => self.load(*target, place, *logged, at),
            Command::Store { place, value, bits } => self.store(place, value, *bits, at),
            Command::Allocate { local, target } => {
                let (Some(base), Some(size)) = (self.word(), self.word()) else { return Ok(false) };
                let frame = self.frames.last().expect("an activation is on the stack");
                let declared = &self.program.functions[frame.function.index()].locals[local.index()];
                let kind = match declared.name {
                    // `alloca` allocates as `malloc` does.
                    None if target.is_some() => ObjectKind::Heap { at, freed: false },
                    _ => {
                        let ctype = self.local_type(frame.function, *local);
                        ObjectKind::Local { activation: frame.activation, local: *local, ctype }
                    }
                };
                if declared.size.is_none() {
                    self.round_uses(None);
                }
                let object = self.build.allocate(kind, base, size);
                self.frame().locals[local.index()] = Some(object);
                self.frame().allocated.push(object);
                if let Some(target) = target {
                    let value = self.build.constant(64, u128::from(base));
                    self.set(*target, value);
                }
                Ok(true)
            }
            Command::Copy { to: target, from: source, length, .. } => {
                self.observe_bytes(&[target, source], length, at);
                let mut facts = Facts::default();
                let given = [target, source, length].map(|o| self.operand(o));
                self.round_uses(Some(&given));
                given.iter().for_each(|v| self.fix(&mut facts, v));
                let (Some(to), Some(from), Some(size)) = (self.word(), self.word(), self.word()) else {
                    return Ok(false);
                };
                if size > 0 && (self.faults_writing(to) || self.faults_at(from)) {
                    return Ok(false);
                }
                if size > 0 && !self.copies_list(to, from, size, at) {
                    let (kind, here) = self.copied(target, source, at);
                    let (to_range, from_range) = (self.range(to, size)?, self.range(from, size)?);
                    self.build.copy(to_range, from_range, kind, &facts, Some(&given[0]), here);
                    self.memory_moves(to, from, size);
                }
                Ok(true)
            }
            Command::Fill { to, byte, length } => {
                self.observe_bytes(&[to], length, at);
                let (pointer, length) = (self.operand(to), self.operand(length));
                self.round_uses(Some(&[pointer.clone(), length.clone()]));
                let (Some(to), Some(size)) = (self.word(), self.word()) else { return Ok(false) };
                if size > 0 && self.faults_writing(to) {
                    return Ok(false);
                }
                if size > 0 {
                    let here = self.here(at);
                    let mut byte = self.operand(byte);
                    self.memory_fills(to, size, byte.concrete);
                    let to = self.range(to, size)?;
                    self.observe_fill(to, &byte, at);
                    self.fix(&mut byte.facts, &pointer);
                    self.fix(&mut byte.facts, &length);
                    self.build.fill(to, &byte, Kind::Assign, Some(&pointer), here);
                }
                Ok(true)
            }
            Command::Call { .. } => unreachable!("calls are handled by the caller"),
        }
    }

    /// What a copy to an operand is: a struct passed by value gets its argument by one.
    fn copied(&self, to: &Operand, from: &Operand, at: Option<Origin>) -> (Kind, Here) {
        let frame = self.frames.last().expect("an activation is on the stack");
        let Operand::Local(local, _) = to else { return (Kind::Assign, self.here(at)) };
        let declared = &self.program.functions[frame.function.index()].locals[local.index()];
        let call = self.activations[frame.activation as usize].call;
        let within = |from: &Operand| matches!(from, Operand::Local(l, _) if self.unnamed(*l) == Some(Unnamed::Result));
        match self.unnamed(*local) {
            Some(Unnamed::Result) if within(from) => (Kind::Internal, self.here(at)),
            Some(Unnamed::Result) => (Kind::Return, self.here(at)),
            Some(Unnamed::Temporary(_)) => (Kind::Internal, self.here(at)),
            _ if declared.param.is_some() && frame.block == BlockId(0) && at.is_none() => (Kind::Call, self.here(call)),
            _ => (Kind::Assign, self.here(at)),
        }
    }

    /// What a local of the current function is for, when it has no name.
    fn unnamed(&self, local: LocalId) -> Option<Unnamed> {
        let frame = self.frames.last().expect("an activation is on the stack");
        self.unnamed[frame.function.index()].get(&local).copied()
    }

    /// The bytes at an address; no access goes beyond the last one there is.
    pub(super) fn range(&self, address: u64, size: u64) -> Result<Range, WalkError> {
        if address.checked_add(size).is_none() {
            return Err(self.out_of_step("memory is accessed beyond its end"));
        }
        let (object, offset) = self.build.memory.find(address);
        Ok(Range { object, offset, size })
    }

    pub(super) fn define(&mut self, target: RegId, operation: &Operation, at: Option<Origin>) -> bool {
        let frame = self.frames.last().expect("an activation is on the stack");
        let bits = self.program.functions[frame.function.index()].registers[target.index()];
        match operation {
            // Set when control arrived, see `choose`.
            Operation::Phi(_) => {}
            Operation::Opaque { what, operands } => {
                let Some(value) = self.value_words(bits) else { return false };
                let on: Vec<Value> = operands.iter().map(|o| self.operand(o)).collect();
                self.observe_fixed(what.clone(), &on, at);
                self.note(at, &format!("{what} is not modelled; the recorded value stands for it"));
                let mut value = self.build.constant(bits, value);
                on.iter().for_each(|v| self.fix(&mut value.facts, v));
                self.set(target, value);
            }
            _ => {
                let values: Vec<Value> = operation.operands().into_iter().map(|o| self.operand(o)).collect();
                self.observe_operation(operation, bits, &values, at);
                if traps(operation, bits, &values) {
                    return false;
                }
                let value = self.compute(operation, bits, &values, at);
                self.set(target, value);
            }
        }
        true
    }

    /// The value of an operation on values.
    pub(super) fn compute(&mut self, operation: &Operation, bits: u32, values: &[Value], at: Option<Origin>) -> Value {
        let merged = |values: &[Value]| {
            let mut facts = Facts::default();
            values.iter().for_each(|v| facts.merge(&v.facts));
            facts
        };
        let mut facts = merged(values);
        // In one term a variable has one value: where it was set between two operands, what one has read is saved.
        let now: Vec<Value>;
        let mut values = values;
        if facts.has_versions() {
            now = values.iter().map(|v| self.build.refresh(v)).collect();
            values = &now;
            facts = merged(values);
        }
        let terms = &mut self.build.terms;
        let mut next = values.iter();
        let symbolic =
            wherefore_meaning::term(terms, operation, bits, |_, _| next.next().expect("one per operand").term);
        let (term, granted) = symbolic.expect("an operation with a meaning");
        let term = self.of_library(operation, values).unwrap_or(term);
        let (concrete, holds) = self.in_the_run(operation, bits, values);
        let terms = &mut self.build.terms;
        if let (Some(granted), Some(holds)) = (granted, holds) {
            if !holds {
                if let Operation::Binary { op, no_signed_wrap: true, .. } = operation {
                    self.overflows(*op, bits, values, at);
                }
            } else if terms.truth_value(granted) != Some(true) && !facts.assumes.contains(&granted) {
                facts.assumes.push(granted);
            }
        }
        Value { term, concrete, facts }
    }

    /// What an operation gave in the run, and whether what C takes for granted held.
    fn in_the_run(&mut self, operation: &Operation, bits: u32, values: &[Value]) -> (u128, Option<bool>) {
        let terms = &mut self.build.terms;
        let operands: Vec<(u32, u128)> = values.iter().map(|v| (terms.width(v.term), v.concrete)).collect();
        if let Some(known) = wherefore_meaning::number(operation, bits, &operands) {
            return known;
        }
        let mut next = operands.iter();
        let constant = wherefore_meaning::term(terms, operation, bits, |terms, _| {
            let (width, value) = next.next().expect("one per operand");
            terms.bits(*width, *value)
        });
        let (number, holds) = constant.expect("an operation with a meaning");
        let concrete = terms.evaluate(number, &mut |_| None).map_or(0, |v| v.raw());
        (concrete, holds.and_then(|holds| terms.truth_value(holds)))
    }

    fn overflows(&mut self, operation: BinaryOp, bits: u32, values: &[Value], at: Option<Origin>) {
        self.note(at, "signed overflow happens here in the run; the wrapped value is part of the story");
        if let [left, right] = values
            && self.overflows.len() < OVERFLOWS
        {
            let signed = |value: &Value| signed(value.concrete, bits);
            let (position, activation) = (self.build.steps.len(), self.here(at).activation);
            let of = (signed(left), signed(right));
            self.overflows.push(Overflow { at, activation, position, operation, of, bits });
        }
    }

    /// Operations on what functions of the library gave that can be told more simply.
    fn of_library(&mut self, operation: &Operation, values: &[Value]) -> Option<TermId> {
        use wherefore_formula::CompareOp::{Sle, Slt, Ule, Ult};
        let [a, b] = values else { return None };
        if self.is_observed() {
            return None;
        }
        match operation {
            Operation::Binary { op: BinaryOp::And, .. } => {
                let mask = self.build.terms.constant(b.term)?;
                self.masked_classes(a.term, mask)
            }
            Operation::Compare(op, ..) => {
                let (order, swapped, negated) = match op {
                    CompareOp::Eq => (None, false, false),
                    CompareOp::Ne => (None, false, true),
                    CompareOp::ULt => (Some(Ult), false, false),
                    CompareOp::ULe => (Some(Ule), false, false),
                    CompareOp::UGt => (Some(Ult), true, false),
                    CompareOp::UGe => (Some(Ule), true, false),
                    CompareOp::SLt => (Some(Slt), false, false),
                    CompareOp::SLe => (Some(Sle), false, false),
                    CompareOp::SGt => (Some(Slt), true, false),
                    CompareOp::SGe => (Some(Sle), true, false),
                };
                let (a, b) = if swapped { (b, a) } else { (a, b) };
                let formula = compared(&mut self.build.terms, order, a.term, b.term)?;
                let formula = if negated { self.build.terms.not(formula) } else { formula };
                Some(self.build.terms.bool_to_bits(formula, 1))
            }
            _ => None,
        }
    }

    pub(super) fn load(
        &mut self,
        target: RegId,
        place: &Place,
        logged: bool,
        at: Option<Origin>,
    ) -> Result<bool, WalkError> {
        let frame = self.frames.last().expect("an activation is on the stack");
        let bits = self.program.functions[frame.function.index()].registers[target.index()];
        let size = u64::from(bits.div_ceil(8));
        let here = self.here(at);
        let value = match place {
            Place::Local(local, offset) => {
                let read = if logged {
                    let Some(v) = self.value_words(bits) else { return Ok(false) };
                    Some(v)
                } else {
                    None
                };
                let range = Range { object: self.local_object(*local), offset: *offset, size };
                let fresh = logged && self.build.is_unset(range);
                let value = self.build.read(range, bits, read, None, here);
                self.keep_bytes(*local, *offset, bits, value.concrete);
                if fresh {
                    self.note_uninitialised(*local, (*offset, bits), at);
                }
                value
            }
            Place::Memory(address) => {
                let (operand, pointer) = (address, self.operand(address));
                let Some(address) = self.word() else { return Ok(false) };
                let may_differ = self.observe_reading(&pointer, size, at);
                let Some(read) = self.value_words(bits) else { return Ok(false) };
                self.observe_stray(operand, address, size, at);
                let range = self.range(address, size)?;
                self.memory_holds(address, bits, read);
                if bits == 64 {
                    self.observe_list(address, read as u64);
                }
                if let Some(value) = self.variadic_argument(range, bits, read) {
                    self.set(target, value);
                    return Ok(true);
                }
                if !self.is_observed()
                    && let Some(value) = self.table_entry(&pointer, address, bits, read)
                {
                    self.set(target, value);
                    return Ok(true);
                }
                let mut value = self.build.read(range, bits, Some(read), Some(pointer.term), here);
                self.fix(&mut value.facts, &pointer);
                if may_differ {
                    value = self.observe_read(&pointer, size, &value, at);
                }
                value
            }
        };
        self.set(target, value);
        Ok(true)
    }

    pub(super) fn note_uninitialised(&mut self, local: LocalId, (offset, bits): (u64, u32), at: Option<Origin>) {
        // Where memory is watched it is a failure as soon as it decides anything.
        if self.watch.is_some() {
            return;
        }
        let frame = self.frames.last().expect("an activation is on the stack");
        let declared = &self.program.functions[frame.function.index()].locals[local.index()];
        // Writing a bit-field reads its neighbours, and passing a struct what lies between its members: not a read of
        // the program's.
        let bit_fields = declared.ctype.is_some_and(|t| match &self.program.types[t] {
            CType::Record { fields, .. } => {
                let is_member = part_type(self.program, t, offset * 8, u64::from(bits)).is_some();
                !is_member || fields.iter().any(|f| f.bit_field)
            }
            _ => false,
        });
        if let Some(name) = declared.name.as_ref().filter(|_| !bit_fields) {
            self.note(at, &format!("`{name}` is read before it is set"));
        }
    }

    /// Something was done with a value as it was in the run, not with what it stands for.
    pub(crate) fn fix(&mut self, facts: &mut Facts, value: &Value) {
        let terms = &mut self.build.terms;
        if terms.constant(value.term).is_some() {
            return;
        }
        let recorded = terms.bits(terms.width(value.term), value.concrete);
        let same = terms.eq(value.term, recorded);
        facts.merge(&value.facts);
        if !facts.addresses.contains(&same) {
            facts.addresses.push(same);
        }
    }

    pub(super) fn store(
        &mut self,
        place: &Place,
        value: &Operand,
        bits: u32,
        at: Option<Origin>,
    ) -> Result<bool, WalkError> {
        let size = u64::from(bits.div_ceil(8));
        let mut stored = self.operand(value);
        let frame = self.frames.last().expect("an activation is on the stack");
        let function = &self.program.functions[frame.function.index()];
        let local = match place {
            Place::Local(local, _) | Place::Memory(Operand::Local(local, _)) => Some(*local),
            Place::Memory(_) => None,
        };
        // The first thing a function does is to store its parameters, `_Bool` ones after a conversion.
        let is_param = local.is_some_and(|l| function.locals[l.index()].param.is_some())
            && frame.block == BlockId(0)
            && (matches!(value, Operand::Register(r) if function.params.contains(r)) || at.is_none());
        let unnamed = local.and_then(|l| self.unnamed(l));
        let (from_outside, call) = (frame.from_outside, self.activations[frame.activation as usize].call);
        let kind = match place {
            _ if is_param => Kind::Call,
            _ if unnamed == Some(Unnamed::Result) => Kind::Return,
            _ if matches!(unnamed, Some(Unnamed::Temporary(_))) => Kind::Internal,
            Place::Local(..) | Place::Memory(Operand::Global(..) | Operand::Local(..)) => Kind::Assign,
            Place::Memory(_) => Kind::Store,
        };
        let here = self.here(if is_param { call } else { at });
        let (range, pointer) = match place {
            Place::Local(local, offset) => (Range { object: self.local_object(*local), offset: *offset, size }, None),
            Place::Memory(operand) => {
                let pointer = self.operand(operand);
                let Some(address) = self.word() else { return Ok(false) };
                self.observe_access(&pointer, size, at);
                if self.faults_writing(address) {
                    return Ok(false);
                }
                self.observe_stray(operand, address, size, at);
                self.memory_holds(address, bits, stored.concrete);
                self.fix(&mut stored.facts, &pointer);
                (self.range(address, size)?, Some(pointer))
            }
        };
        if let Place::Local(local, offset) = place {
            self.keep_bytes(*local, *offset, bits, stored.concrete);
        }
        if is_param && from_outside {
            self.build.begin_with(range, stored.concrete);
        } else {
            self.build.write(range, &stored, kind, pointer.as_ref(), here);
        }
        Ok(true)
    }

    /// Whether the access to an address is where the run was stopped by a memory fault.
    pub(super) fn faults_at(&self, address: u64) -> bool {
        self.memory_fault && self.at == self.recorded.words.len() && is_foreign(self.build.memory.find(address).0)
    }

    /// The same for one that writes.
    pub(super) fn faults_writing(&self, address: u64) -> bool {
        self.memory_fault && self.at == self.recorded.words.len() && self.cannot_be_written(address)
    }

    /// Whether an address is none that a run can write at: it belongs to nothing, to a constant, or to a local when the
    /// stack is used up.
    pub(crate) fn cannot_be_written(&self, address: u64) -> bool {
        let object = self.build.memory.find(address).0;
        match self.build.memory.objects[object as usize].kind {
            ObjectKind::Local { .. } => is_used_up(self),
            ObjectKind::Global(_) => self.is_constant(object),
            _ => is_foreign(object),
        }
    }

    /// Whether an object is a constant.
    pub(crate) fn is_constant(&self, object: u32) -> bool {
        let kind = &self.build.memory.objects[object as usize].kind;
        matches!(kind, ObjectKind::Global(global) if self.program.globals[global.index()].constant)
    }

    /// What an address is counted from: `p` for that of `p->list[3]`.
    pub(crate) fn base_of(&self, operand: &Operand) -> Operand {
        let function = self.frames.last().expect("an activation is on the stack").function;
        let mut base = operand;
        while let Operand::Register(register) = base
            && let Some(left) = &self.bases[function.index()][register.index()]
        {
            base = left;
        }
        base.clone()
    }
}

/// Whether the machine stops at an operation: division by zero, or a quotient that does not fit.
pub fn traps(operation: &Operation, bits: u32, values: &[Value]) -> bool {
    use wherefore_program::BinaryOp::{SDiv, SRem, UDiv, URem};
    let Operation::Binary { op, .. } = operation else { return false };
    let [a, b] = values else { return false };
    match op {
        UDiv | URem => b.concrete == 0,
        SDiv | SRem => b.concrete == 0 || (a.concrete == 1 << (bits - 1) && b.concrete == mask(u128::MAX, bits)),
        _ => false,
    }
}
