//! Following a run without making anything of it: registers and locals are numbers, and no step or term is built.
//!
//! So a run is gone through once to see where it fails, and a second time for those of its commands that are in the slice.

use super::following::{Following, Returned};
use super::{WalkError, Walker};
use crate::builder::{Range, Value, mask};
use wherefore_clib as clib;
use wherefore_formula::Terms;
use wherefore_program::{BinaryOp, Callee, Command, FunctionId, LocalId, Operand, Operation, Origin, Place, RegId};

/// So many terms are made to compute numbers before they are thrown away.
const SCRATCH: usize = 1 << 16;

impl Walker<'_> {
    /// Execute a command other than a call; false when the words end.
    pub(super) fn carry_out(&mut self, command: &Command, at: Option<Origin>, kept: bool) -> Result<bool, WalkError> {
        if !kept {
            return self.execute_plainly(command, at);
        }
        let before = self.build.steps.len();
        let goes_on = self.execute(command, at)?;
        if self.following.gives_this() {
            self.build.steps[before..].iter_mut().for_each(|step| step.is_given = true);
        }
        Ok(goes_on)
    }

    fn execute_plainly(&mut self, command: &Command, at: Option<Origin>) -> Result<bool, WalkError> {
        match command {
            Command::Define { value: Operation::Phi(_), .. } => {}
            Command::Define { target, value: Operation::Opaque { .. } } => {
                let bits = self.bits(*target);
                let Some(number) = self.value_words(bits) else { return Ok(false) };
                self.set_plainly(*target, number);
            }
            Command::Define { target, value } => {
                let bits = self.bits(*target);
                let (given, count) = self.operands_in_run(value);
                if traps(value, bits, &given[..count]) {
                    return Ok(false);
                }
                let number = self.computed(value, bits, &given[..count], at);
                self.set_plainly(*target, number);
            }
            Command::Load { target, place: Place::Local(local, offset), logged, .. } => {
                let bits = self.bits(*target);
                let number = if *logged {
                    let Some(number) = self.value_words(bits) else { return Ok(false) };
                    self.keep_bytes(*local, *offset, bits, number);
                    number
                } else {
                    self.bytes_of(*local, *offset, bits)
                };
                self.set_plainly(*target, number);
            }
            Command::Load { target, place: Place::Memory(_), .. } => {
                let bits = self.bits(*target);
                let Some(address) = self.word() else { return Ok(false) };
                let Some(number) = self.value_words(bits) else { return Ok(false) };
                self.range(address, u64::from(bits.div_ceil(8)))?;
                self.memory_holds(address, bits, number);
                self.meet_name(address, number);
                if bits == 64 {
                    self.observe_list(address, number as u64);
                }
                self.set_plainly(*target, number);
            }
            Command::Store { place: Place::Local(local, offset), value, bits } => {
                let number = self.in_run(value);
                self.keep_bytes(*local, *offset, *bits, number);
                let object = self.frames.last().and_then(|frame| frame.locals[local.index()]);
                if let Some(object) = object {
                    self.changes_plainly(
                        Range { object, offset: *offset, size: u64::from(bits.div_ceil(8)) },
                        number,
                        at,
                    );
                }
                self.count_statement(at, 0);
            }
            Command::Store { place: Place::Memory(_), value, bits } => {
                let Some(address) = self.word() else { return Ok(false) };
                if self.faults_writing(address) {
                    return Ok(false);
                }
                let range = self.range(address, u64::from(bits.div_ceil(8)))?;
                let number = self.in_run(value);
                self.note_store(address, *bits, number, at);
                self.memory_holds(address, *bits, number);
                self.changes_plainly(range, number, at);
                self.count_statement(at, 0);
            }
            Command::Copy { .. } => {
                let (Some(to), Some(from), Some(size)) = (self.word(), self.word(), self.word()) else {
                    return Ok(false);
                };
                if size > 0 && (self.faults_writing(to) || self.faults_at(from)) {
                    return Ok(false);
                }
                if size > 0 {
                    self.copies_list(to, from, size, at);
                    let range = self.range(to, size)?;
                    self.range(from, size)?;
                    self.memory_moves(to, from, size);
                    self.block_changes(range, to, at);
                    self.count_statement(at, 0);
                }
            }
            Command::Fill { byte, .. } => {
                let (Some(to), Some(size)) = (self.word(), self.word()) else { return Ok(false) };
                if size > 0 && self.faults_writing(to) {
                    return Ok(false);
                }
                let range = self.range(to, size)?;
                let byte = self.in_run(byte);
                self.memory_fills(to, size, byte);
                self.block_changes(range, to, at);
                self.count_statement(at, 0);
            }
            // What lives where is known in any case.
            Command::Allocate { local, .. } => {
                let place = self.recorded.words.get(self.at).copied();
                if let (Following::Nothing(log), Some(place), Some(frame)) =
                    (&mut self.following, place, self.frames.last())
                {
                    log.places.insert((frame.activation, *local), place);
                }
                return self.execute(command, at);
            }
            Command::Call { .. } => unreachable!("calls are handled by the caller"),
        }
        Ok(true)
    }

    fn bits(&self, register: RegId) -> u32 {
        let frame = self.frames.last().expect("an activation is on the stack");
        self.program.functions[frame.function.index()].registers[register.index()]
    }

    /// What an operand is in the run, however that is followed.
    pub(super) fn concrete(&mut self, operand: &Operand) -> u128 {
        if self.following.is_partial() { self.in_run(operand) } else { self.operand(operand).concrete }
    }

    /// What an operand is in the run, where not all of it becomes steps.
    pub(super) fn in_run(&self, operand: &Operand) -> u128 {
        match operand {
            Operand::Register(r) => {
                let frame = self.frames.last().expect("an activation is on the stack");
                frame.numbers.get(r.index()).copied().unwrap_or(0)
            }
            Operand::Constant { bits, value } => mask(*value, *bits),
            Operand::Undefined { .. } => 0,
            _ => u128::from(self.address(operand)),
        }
    }

    fn wide(&self, operand: &Operand) -> (u32, u128) {
        let bits = match operand {
            Operand::Register(r) => self.bits(*r),
            Operand::Constant { bits, .. } | Operand::Undefined { bits } => *bits,
            _ => 64,
        };
        (bits, self.in_run(operand))
    }

    /// The operands of an operation with their widths.
    fn operands_in_run(&self, operation: &Operation) -> ([(u32, u128); 3], usize) {
        let none = (0, 0);
        match operation {
            Operation::Binary { left: a, right: b, .. } | Operation::Compare(_, a, b) => {
                ([self.wide(a), self.wide(b), none], 2)
            }
            Operation::Copy(a) | Operation::Cast(_, a) => ([self.wide(a), none, none], 1),
            _ => {
                let mut given = [none; 3];
                let operands = operation.operands();
                let count = operands.len().min(3);
                given.iter_mut().zip(operands).for_each(|(to, operand)| *to = self.wide(operand));
                (given, count)
            }
        }
    }

    fn computed(&mut self, operation: &Operation, bits: u32, given: &[(u32, u128)], at: Option<Origin>) -> u128 {
        if let Some((number, holds)) = wherefore_meaning::number(operation, bits, given) {
            if holds == Some(false) && matches!(operation, Operation::Binary { no_signed_wrap: true, .. }) {
                self.note(at, "signed overflow happens here in the run; the wrapped value is part of the story");
            }
            return number;
        }
        let scratch = match &mut self.following {
            Following::Everything => return 0,
            Following::Nothing(log) => &mut log.scratch,
            Following::Slice(kept) => &mut kept.scratch,
        };
        if scratch.len() > SCRATCH {
            *scratch = Terms::new();
        }
        let mut next = given.iter();
        let term = wherefore_meaning::term(scratch, operation, bits, |terms, _| {
            let (width, value) = next.next().expect("one per operand");
            terms.bits(*width, *value)
        });
        let Some((term, _)) = term else { return 0 };
        scratch.evaluate(term, &mut |_| None).map_or(0, |v| v.raw())
    }

    /// A register gets a number that no step says anything of.
    pub(super) fn set_plainly(&mut self, target: RegId, number: u128) {
        let frame = self.frame();
        frame.numbers[target.index()] = number;
        if let Some(value) = frame.registers.get_mut(target.index()) {
            *value = None;
        }
    }

    pub(super) fn set_returned(&mut self, target: RegId, returned: Returned) {
        match returned {
            Returned::Value(value) => self.set(target, value),
            Returned::Number(number) => self.set_plainly(target, number),
        }
    }

    /// The arguments of a call, as values where the call is in the slice, and as numbers where something is not. What is
    /// behind `...` is looked for by its values.
    pub(super) fn handed_over(
        &mut self,
        arguments: &[Operand],
        callee: FunctionId,
        kept: bool,
    ) -> (Vec<Value>, Vec<u128>) {
        let numbers =
            if self.following.is_partial() { arguments.iter().map(|a| self.in_run(a)).collect() } else { vec![] };
        let as_values = kept || self.program.functions[callee.index()].variadic;
        let values = if as_values { arguments.iter().map(|a| self.operand(a)).collect() } else { vec![] };
        (values, numbers)
    }

    /// The bytes of a local without an address change.
    pub(super) fn keep_bytes(&mut self, local: LocalId, offset: u64, bits: u32, number: u128) {
        if let Some(bytes) = self.bytes_at(local, offset, bits) {
            let length = bytes.len();
            bytes.copy_from_slice(&number.to_le_bytes()[..length]);
        }
    }

    fn bytes_of(&mut self, local: LocalId, offset: u64, bits: u32) -> u128 {
        let mut number = [0; 16];
        if let Some(bytes) = self.bytes_at(local, offset, bits) {
            number[..bytes.len()].copy_from_slice(bytes);
        }
        mask(u128::from_le_bytes(number), bits)
    }

    fn bytes_at(&mut self, local: LocalId, offset: u64, bits: u32) -> Option<&mut [u8]> {
        let frame = self.frames.last_mut()?;
        let first = self.following.layout()?.place(frame.function, local, offset) as usize;
        frame.bytes.get_mut(first..first + bits.div_ceil(8).min(128) as usize)
    }

    /// A call outside the program has returned, of which no step says anything.
    pub(super) fn outside_plainly(
        &mut self,
        callee: &Callee,
        arguments: &[Operand],
        bits: u32,
        value: u128,
        at: Option<Origin>,
    ) -> Value {
        self.count_statement(at, 1);
        if self.printing.is_some() {
            let values: Vec<Value> = arguments.iter().map(|a| self.operand(a)).collect();
            self.follow_output(callee, &values, (bits, value), at);
        }
        self.chunks.clear();
        if let Callee::External(name) = callee {
            let here = self.here(at);
            let first = arguments.first().map_or(0, |a| self.in_run(a) as u64);
            let known = clib::function(name);
            match (name.as_str(), known) {
                ("va_start", _) => self.variadic.start(first, here.activation),
                (_, Some(function)) if function.name == "setjmp" => drop(self.jumps.insert(first, here.activation)),
                (_, Some(function)) if function.allocates.is_some() || function.frees.is_some() => {
                    let values: Vec<Value> = arguments.iter().map(|a| self.operand(a)).collect();
                    self.outside_object(function, &values, value as u64, here);
                    let freed = function.frees.and_then(|i| values.get(i)).map(|v| v.concrete as u64);
                    self.note_object(value as u64);
                    freed.into_iter().for_each(|address| self.note_object(address));
                }
                _ => {}
            }
        }
        self.build.constant(bits.max(1), value)
    }
}

/// Whether the machine stops at an operation: division by zero, or a quotient that does not fit.
pub fn traps(operation: &Operation, bits: u32, given: &[(u32, u128)]) -> bool {
    use BinaryOp::{SDiv, SRem, UDiv, URem};
    let Operation::Binary { op, .. } = operation else { return false };
    let [(_, a), (_, b)] = given else { return false };
    match op {
        UDiv | URem => *b == 0,
        SDiv | SRem => *b == 0 || (*a == 1 << (bits - 1) && *b == mask(u128::MAX, bits)),
        _ => false,
    }
}
