//! Following a run without making anything of it: registers and locals are numbers, and no step or term is built.
//!
//! So a run is gone through once to see where it fails, and a second time for those of its commands that are in the slice.
//! Memory with an address is not kept: what is loaded from it is in the recording.

use super::Frame;
use super::{WalkError, Walker};
use crate::builder::{Range, Value, mask};
use crate::library::Chunk;
use crate::memory::ObjectKind;
use crate::model::Kind;
use crate::slice::{Bits, Log, Pages, Piece, State};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wherefore_clib as clib;
use wherefore_formula::Terms;
use wherefore_program::{
    BinaryOp, BlockId, Callee, Command, FunctionId, LocalId, Operand, Operation, Origin, Place, Program, RegId,
    Terminator,
};

/// So many terms are made to compute numbers before they are thrown away.
const SCRATCH: usize = 1 << 16;

/// Which commands become steps and terms.
pub enum Following<'p> {
    /// All of them.
    Everything,
    /// None; what finding a slice takes is written down.
    Nothing(Box<Log<'p>>),
    /// Those of a slice.
    Slice(Box<Kept>),
}

/// The commands of a slice, in the order of the run.
pub struct Kept {
    pub bits: Bits,
    pub at: usize,
    pub pages: Pages,
    pub layout: Arc<Layout>,
    pub scratch: Terms,
}

/// Where the locals without an address of each function lie in its bytes, and how many these are.
pub struct Layout {
    places: Vec<Vec<u32>>,
    sizes: Vec<u32>,
}

impl Layout {
    pub fn new(program: &Program) -> Layout {
        let (mut places, mut sizes) = (vec![], vec![]);
        for function in &program.functions {
            let mut size = 0u32;
            let mut of = vec![];
            for local in &function.locals {
                of.push(size);
                if !local.escapes {
                    size = size.saturating_add((local.size.unwrap_or(0) as u32).next_multiple_of(8));
                }
            }
            places.push(of);
            sizes.push(size);
        }
        Layout { places, sizes }
    }

    /// Where a part of a local lies.
    pub fn place(&self, function: FunctionId, local: LocalId, offset: u64) -> u64 {
        u64::from(self.places[function.index()][local.index()]) + offset
    }
}

/// What a function with a body returned.
pub enum Returned {
    Value(Value),
    Number(u128),
}

impl Following<'_> {
    /// Whether there are commands that become nothing.
    pub fn is_partial(&self) -> bool {
        !matches!(self, Following::Everything)
    }

    pub fn is_slice(&self) -> bool {
        matches!(self, Following::Slice(_))
    }

    /// Whether the next command becomes something.
    pub fn next(&mut self) -> bool {
        match self {
            Following::Everything => true,
            Following::Nothing(log) => {
                log.commands += 1;
                false
            }
            Following::Slice(kept) => {
                kept.at += 1;
                kept.bits.has(kept.at - 1)
            }
        }
    }

    /// Whether the command so many behind the next one does.
    pub fn keeps_after(&self, index: usize) -> bool {
        match self {
            Following::Everything => true,
            Following::Nothing(_) => false,
            Following::Slice(kept) => kept.bits.has(kept.at + index),
        }
    }

    /// Control leaves activations by a jump.
    pub fn jumps(&mut self) {
        if let Following::Nothing(log) = self {
            log.jumps = true;
        }
    }

    fn layout(&self) -> Option<&Layout> {
        match self {
            Following::Everything => None,
            Following::Nothing(log) => Some(&log.layout),
            Following::Slice(kept) => Some(&kept.layout),
        }
    }

    pub fn room_of_locals(&self, function: FunctionId) -> Vec<u8> {
        self.layout().map_or(vec![], |layout| vec![0; layout.sizes[function.index()] as usize])
    }
}

impl Walker<'_> {
    /// Execute a command other than a call; false when the words end.
    pub(super) fn carry_out(&mut self, command: &Command, at: Option<Origin>, kept: bool) -> Result<bool, WalkError> {
        if kept { self.execute(command, at) } else { self.execute_plainly(command, at) }
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

    /// What an operand is in the run.
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
        self.chunks.clear();
        self.count_statement(at, 1);
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

    /// An object was made, or freed, by the command under way.
    fn note_object(&mut self, address: u64) {
        let object = self.build.memory.at_base(address);
        if let (Following::Nothing(log), Some(object)) = (&mut self.following, object) {
            log.made.entry(object).or_default().push(log.commands - 1);
        }
    }

    /// What a step has set is set again, by a command that is not in the slice: the trace is not to say that it stayed what
    /// it was.
    fn changes_plainly(&mut self, range: Range, number: u128, at: Option<Origin>) {
        if self.following.is_slice() && self.build.is_current(range) {
            let value = self.build.constant(range.size as u32 * 8, number);
            let here = self.here(at);
            self.build.write(range, &value, Kind::Assign, None, here);
            self.build.leave(range);
        }
    }

    /// Counts the statements executed, about as a trace with all of them would: what follows in one line is one.
    pub(super) fn count_statement(&mut self, at: Option<Origin>, kind: u8) {
        let (Following::Nothing(log), Some(frame), Some(at)) = (&mut self.following, self.frames.last(), at) else {
            return;
        };
        let statement = (at.file, at.line, frame.activation, kind);
        if log.statement != Some(statement) {
            log.statement = Some(statement);
            log.statements += 1;
        }
    }

    /// What memory holds where it is followed without variables.
    fn pages(&mut self) -> Option<&mut Pages> {
        match &mut self.following {
            Following::Everything => None,
            Following::Nothing(log) => Some(&mut log.pages),
            Following::Slice(kept) => Some(&mut kept.pages),
        }
    }

    /// Memory is seen to hold a number.
    pub(super) fn memory_holds(&mut self, address: u64, bits: u32, number: u128) {
        if let Some(pages) = self.pages() {
            pages.set(address, u64::from(bits.div_ceil(8)), number);
        }
    }

    /// Memory after a call of the library.
    pub(super) fn memory_shows(&mut self, chunks: &[Chunk]) {
        let Some(pages) = self.pages() else { return };
        for chunk in chunks {
            for (offset, byte) in (0..).zip(&chunk.bytes) {
                pages.set(chunk.address + offset, 1, u128::from(*byte));
            }
        }
    }

    /// Memory is copied.
    pub(super) fn memory_moves(&mut self, to: u64, from: u64, size: u64) {
        if let Some(pages) = self.pages() {
            pages.copy(to, from, size);
        }
    }

    /// Memory is filled with a byte.
    pub(super) fn memory_fills(&mut self, to: u64, size: u64, byte: u128) {
        if let Some(pages) = self.pages() {
            pages.fill(to, size, byte);
        }
    }

    /// The byte at an address, if it is known, where nothing else says what memory holds.
    pub(crate) fn byte_in_run(&mut self, address: u64) -> Option<Option<u128>> {
        match &mut self.following {
            Following::Nothing(log) => Some(log.pages.get(address, 8)),
            _ => None,
        }
    }

    /// Of a block that is copied or filled by a command that is not in the slice, the variables go on to change, too.
    fn block_changes(&mut self, to: Range, address: u64, at: Option<Origin>) {
        if !self.following.is_slice() {
            return;
        }
        let end = to.offset + to.size;
        let cells: Vec<_> = self.build.memory.cells_within(to.object, to.offset..end).collect();
        for cell in cells.into_iter().filter(|c| c.offset + c.size <= end && c.size <= 16) {
            let number =
                self.pages().and_then(|pages| pages.get(address + (cell.offset - to.offset), cell.size as u32 * 8));
            if let Some(number) = number {
                let range = Range { object: to.object, offset: cell.offset, size: cell.size };
                self.changes_plainly(range, number, at);
            }
        }
    }

    /// A decision is made: where the pointers lead through which its other side would set something.
    pub(super) fn note_elsewhere(&mut self, terminator: &Terminator, to: BlockId) {
        let Following::Nothing(log) = &mut self.following else { return };
        let Some(frame) = self.frames.last() else { return };
        let decisions = &self.decisions[frame.function.index()];
        let head = decisions.head[frame.block.index()].filter(|_| terminator.operand().is_some());
        let Some(head) = head.filter(|head| !decisions.is_member(*head, to) || to == *head) else { return };
        let side = log.sides.of(frame.function, head, to);
        if side.pointers.is_empty() {
            return;
        }
        let mut read = vec![];
        for pointer in &side.pointers {
            let mut state = AtDecision { frame, places: &log.places, pages: &mut log.pages, read: &mut read };
            let to = pointer.to.value(&mut state).map(|to| to as u64);
            let size = pointer.size.as_ref().map(|size| size.value(&mut state).map_or(0, |size| size as u64));
            let (to, size) = match (to, size) {
                (Some(to), Some(size)) => (to, size),
                (Some(to), None) => {
                    let object = &self.build.memory.objects[self.build.memory.find(to).0 as usize];
                    if object.kind == ObjectKind::Foreign { (0, 0) } else { (object.base, object.size) }
                }
                (None, _) => (0, 0),
            };
            log.elsewhere.extend([to, size]);
        }
        log.elsewhere.extend(&read);
        log.elsewhere.push(read.len() as u64);
    }

    /// What a call outside was given.
    pub(super) fn note_given(&mut self, arguments: &[Operand]) {
        if matches!(self.following, Following::Nothing(_)) {
            let numbers: Vec<u64> = arguments.iter().map(|a| self.in_run(a) as u64).collect();
            if let Following::Nothing(log) = &mut self.following {
                log.given.extend(numbers);
            }
        }
    }

    /// Commands that follow each other in a block without a call in between begin.
    pub(super) fn begin_piece(&mut self) {
        let Following::Nothing(log) = &mut self.following else { return };
        let Some(frame) = self.frames.last() else { return };
        let function = &self.program.functions[frame.function.index()];
        let enters = frame.activation >= log.activations;
        log.activations = log.activations.max(frame.activation + 1);
        log.pieces.push(Piece {
            block: function.first_block + frame.block.0,
            command: frame.command as u32,
            activation: frame.activation,
            at: self.at as u32,
            first: log.commands as u64,
            enters,
            resumes: frame.calls,
            jumped: std::mem::take(&mut log.jumps),
        });
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

/// The state of a run when a decision is made; notes what is read.
struct AtDecision<'a> {
    frame: &'a Frame,
    places: &'a FxHashMap<(u32, LocalId), u64>,
    pages: &'a mut Pages,
    read: &'a mut Vec<u64>,
}

impl State for AtDecision<'_> {
    fn local(&mut self, place: u64, bits: u32) -> u128 {
        let mut number = [0; 16];
        let size = bits.div_ceil(8).min(16) as usize;
        if let Some(bytes) = self.frame.bytes.get(place as usize..place as usize + size) {
            number[..size].copy_from_slice(bytes);
        }
        mask(u128::from_le_bytes(number), bits)
    }

    fn place(&mut self, local: LocalId) -> Option<u64> {
        self.places.get(&(self.frame.activation, local)).copied()
    }

    fn memory(&mut self, address: u64, bits: u32) -> Option<u128> {
        let number = self.pages.get(address, bits)?;
        self.read.push(address);
        Some(number)
    }
}
