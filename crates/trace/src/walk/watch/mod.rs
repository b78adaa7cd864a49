//! Holds each use of memory against the object that the pointer belongs to. See [`crate::shadow`].
//!
//! Nothing here happens unless somebody asks for it. What is not known for sure is never an error: an object that code
//! outside may have freed or resized, a pointer that comes from elsewhere, memory that somebody else may have set.

mod escapes;
mod library;
mod outside;
mod overlap;
mod texts;
mod threads;
mod uses;

use super::Walker;
use crate::builder::{Here, Value};
use crate::library::Chunk;
use crate::memory::{FOREIGN, ObjectKind};
use crate::misuse;
use crate::model::{Act, MemoryError};
use crate::shadow::{Part, Shadow, ShadowMemory};
use rustc_hash::{FxHashMap, FxHashSet};
use wherefore_formula::VarId;
use wherefore_program::{
    BinaryOp, BlockId, Command, FunctionId, LocalId, Member, Operand, Operation, Origin, Place, Program, RegId,
    Terminator,
};

/// What is known of the run's memory besides its content.
#[derive(Default)]
pub struct Watch {
    memory: ShadowMemory,
    /// Shadows of the registers of each activation on the stack.
    registers: Vec<(u32, Vec<Shadow>)>,
    /// The shadow of what the last function returned.
    returned: Shadow,
    /// How the objects live that were allocated.
    pub lives: FxHashMap<u32, Life>,
    /// Objects of which nothing is claimed any more: code outside may have freed or resized them.
    lost: FxHashSet<u32>,
    /// Objects that code outside was given and may remember.
    kept: FxHashSet<u32>,
    /// Objects whose addresses somebody may know although nothing that is followed points to them.
    escaped: FxHashSet<u32>,
    /// Objects that other threads reach, once there are some.
    shares: bool,
    shared: FxHashSet<u32>,
    /// Memory after the last call of the library.
    seen: Vec<Chunk>,
    /// The text that the call of the library under way copies, and a limit of how much of it.
    copied: Option<(Value, Option<Value>)>,
    /// Number of steps before this call.
    before: usize,
    /// What the call of the library under way reads of the object that it writes to.
    sources: overlap::Sources,
    /// Addresses in arrays that are members of structs, by function.
    members: FxHashMap<(FunctionId, Operand), Member>,
    /// What was wrong, where the walk goes on after it.
    passed: Option<Vec<Misdeed>>,
}

/// A use of memory that C does not allow: in which function, what is wrong, and what was done.
pub type Misdeed = (FunctionId, MemoryError, Act);

impl Watch {
    /// For a run of a program.
    pub fn new(program: &Program) -> Watch {
        let mut members = FxHashMap::default();
        for (index, function) in program.functions.iter().enumerate() {
            let id = FunctionId(index as u32);
            members.extend(function.members.iter().map(|member| ((id, member.address.clone()), member.clone())));
        }
        Watch { members, ..Watch::default() }
    }

    /// The same where the walk goes on after what is wrong.
    pub fn to_the_end(program: &Program) -> Watch {
        Watch { passed: Some(vec![]), ..Watch::new(program) }
    }

    /// What was wrong, where the walk went on after it.
    pub fn into_misdeeds(self) -> Vec<Misdeed> {
        self.passed.unwrap_or_default()
    }
}

/// The life of an allocated object.
#[derive(Clone)]
pub struct Life {
    /// Where it was made.
    pub made: Moment,
    /// By which function of the library.
    pub by: &'static str,
    /// Its size as it was asked for, over the variables as they were then; `None` where it is not known exactly.
    pub size: Option<Value>,
    /// The variable that holds its address.
    pub address: Option<VarId>,
    /// Where it was freed.
    pub freed: Option<Moment>,
    /// The activation it ends with.
    pub owner: Option<u32>,
}

/// A moment of the run: how many steps came before it, and where it is.
#[derive(Copy, Clone, Debug)]
pub struct Moment {
    /// Number of steps.
    pub position: usize,
    /// Where.
    pub here: Here,
}

/// A use of memory: where, how much, and what for.
#[derive(Copy, Clone)]
pub(super) struct Use {
    address: u64,
    size: u64,
    /// How far behind where the pointer points.
    ahead: u64,
    act: Act,
    by: Option<&'static str>,
    /// Whether bytes are copied, whatever they are.
    copies: bool,
    at: Option<Origin>,
}

impl Walker<'_> {
    /// Look at a command other than a call before it is executed; false when it is a failure.
    pub(super) fn watch_command(&mut self, command: &Command, at: Option<Origin>) -> bool {
        if self.watch.is_none() {
            return true;
        }
        match command {
            Command::Define { target, value } => self.watch_operation(*target, value),
            Command::Load { target, place, .. } => return self.watch_load(*target, place, at),
            Command::Store { place, value, bits } => return self.watch_store(place, value, *bits, at),
            Command::Copy { to, from, length, apart } => return self.watch_copy([to, from], length, *apart, at),
            Command::Fill { to, length, .. } => {
                let (Some(address), Some(size)) = (self.peek(0), self.peek(1)) else { return true };
                let write = Use { address, size, ahead: 0, act: Act::Writes, by: Some("memset"), copies: true, at };
                if !self.watch_value(length, Act::Passes, Some("memset"), at) || !self.watch_use(to, write) {
                    return false;
                }
                let (object, offset) = self.build.memory.find(address);
                self.watched().memory.set(object, offset, size);
            }
            Command::Allocate { .. } | Command::Call { .. } => {}
        }
        true
    }

    fn watched(&mut self) -> &mut Watch {
        self.watch.as_mut().expect("memory is watched")
    }

    /// A word of the recording that is not read yet.
    fn peek(&self, ahead: usize) -> Option<u64> {
        self.recorded.words.get(self.at + ahead).copied()
    }

    fn watch_operation(&mut self, target: RegId, operation: &Operation) {
        let shadow = match operation {
            Operation::Phi(_) => return,
            _ => {
                let operands = operation.operands();
                let shadows: Vec<Shadow> = operands.iter().map(|o| self.shadow(o)).collect();
                if shadows.iter().all(|s| *s == Shadow::default()) {
                    Shadow::default()
                } else {
                    let values: Vec<u128> = operands.iter().map(|o| self.concrete(o)).collect();
                    let bits = self.register_bits(target);
                    let shadow = match operation {
                        Operation::Opaque { .. } => Shadow::default(),
                        _ => Shadow::of(operation, bits, &shadows, |i| values[i]),
                    };
                    self.watch_made(operation, bits, &shadows, shadow);
                    match shadow.object.and_then(|_| self.part_made(target, operation, &values)) {
                        Some(part) => Shadow { part: Some(part), ..shadow },
                        None => shadow,
                    }
                }
            }
        };
        self.set_shadow(target, shadow);
    }

    /// The array in a struct whose address, or that of an element, a register is going to be.
    fn part_made(&mut self, target: RegId, operation: &Operation, values: &[u128]) -> Option<Part> {
        let function = self.frames.last().expect("an activation is on the stack").function;
        let address = Operand::Register(target);
        let Member { start, size, .. } = self.watched().members.get(&(function, address.clone()))?.clone();
        let start = match (operation, values) {
            _ if start != address => self.concrete(&start) as u64,
            (Operation::Copy(_), [it]) => *it as u64,
            (Operation::Binary { op: BinaryOp::Add, .. }, [a, b]) => (*a as u64).wrapping_add(*b as u64),
            _ => return None,
        };
        Some(Part { start, size })
    }

    fn register_bits(&self, register: RegId) -> u32 {
        let frame = self.frames.last().expect("an activation is on the stack");
        self.program.functions[frame.function.index()].registers[register.index()]
    }

    fn watch_load(&mut self, target: RegId, place: &Place, at: Option<Origin>) -> bool {
        let bits = self.register_bits(target);
        let size = u64::from(bits.div_ceil(8));
        let shadow = match place {
            Place::Local(local, offset) => {
                let object = self.watch_local(*local);
                self.watch_torn((object, *offset), size, false);
                self.watched().memory.read(object, *offset, size, None)
            }
            Place::Memory(pointer) => {
                let Some(address) = self.peek(0) else { return true };
                let read = Use { address, size, ahead: 0, act: Act::Reads, by: None, copies: false, at };
                if !self.watch_use(pointer, read) {
                    return false;
                }
                // A pointer fits into one word.
                let Some(value) = self.peek(1) else { return true };
                let (object, offset) = self.build.memory.find(address);
                self.watch_torn((object, offset), size, false);
                if self.is_shared(object) {
                    self.set_shadow(target, Shadow::default());
                    return true;
                }
                let mut shadow = self.watched().memory.read(object, offset, size, Some(value));
                if shadow.object.is_none() && size == 8 {
                    shadow.object = self.initial_pointer(object, offset, value);
                }
                shadow
            }
        };
        let all = if bits >= 128 { u128::MAX } else { (1 << bits) - 1 };
        self.set_shadow(target, Shadow { unset: shadow.unset & all, ..shadow });
        true
    }

    /// The object that a pointer in a global points into since before the run; not where one object ends and another
    /// begins, since it may be the end of the first.
    fn initial_pointer(&self, object: u32, offset: u64, value: u64) -> Option<u32> {
        let ObjectKind::Global(global) = self.build.memory.objects[object as usize].kind else { return None };
        let image = self.build.images.get(global.index()).and_then(Option::as_ref)?;
        let bytes = image.get(offset as usize..offset as usize + 8)?;
        let (to, distance) = self.build.memory.find(value);
        let is_global = matches!(self.build.memory.objects[to as usize].kind, ObjectKind::Global(_));
        let is_clear = distance > 0 || self.build.memory.find(value.wrapping_sub(1)).0 == FOREIGN;
        (bytes == value.to_le_bytes() && is_global && is_clear).then_some(to)
    }

    fn watch_store(&mut self, place: &Place, value: &Operand, bits: u32, at: Option<Origin>) -> bool {
        let size = u64::from(bits.div_ceil(8));
        let shadow = self.shadow(value);
        let (object, offset) = match place {
            Place::Local(local, offset) => (self.watch_local(*local), *offset),
            Place::Memory(pointer) => {
                let Some(address) = self.peek(0) else { return true };
                let write = Use { address, size, ahead: 0, act: Act::Writes, by: None, copies: false, at };
                if !self.watch_use(pointer, write) {
                    return false;
                }
                self.build.memory.find(address)
            }
        };
        let is_pointer = shadow.object.is_some() || shadow.second.is_some();
        let number = if is_pointer { self.concrete(value) } else { 0 };
        self.watched().memory.write(object, offset, size, shadow, number);
        if bits >= 64 {
            self.watch_sharing(object, value, shadow);
        }
        true
    }

    fn watch_copy(&mut self, [to, from]: [&Operand; 2], length: &Operand, apart: bool, at: Option<Origin>) -> bool {
        let (Some(target), Some(source), Some(size)) = (self.peek(0), self.peek(1), self.peek(2)) else { return true };
        let read = Use { address: source, size, ahead: 0, act: Act::Reads, by: None, copies: true, at };
        let write = Use { address: target, act: Act::Writes, ..read };
        let by = if apart { "memcpy" } else { "memmove" };
        if !self.watch_value(length, Act::Passes, Some(by), at)
            || !self.watch_use(from, read)
            || !self.watch_use(to, write)
            || apart && !self.watch_overlap(to, (target, source, size), at)
        {
            return false;
        }
        let (to, from) = (self.build.memory.find(target), self.build.memory.find(source));
        self.watch_torn(from, size, true);
        self.watched().memory.copy(to, from, size);
        self.watch_copied(to.0, from.0);
        true
    }

    /// Whether a copy to bytes that are apart from those it comes from is one; a failure if not. The compiler copies a
    /// struct to itself where the program does.
    fn watch_overlap(&mut self, to: &Operand, range: (u64, u64, u64), at: Option<Origin>) -> bool {
        let (target, source, size) = range;
        if target == source || target.abs_diff(source) >= size {
            return true;
        }
        let Some(object) = self.shadow(to).object.filter(|o| !self.watched().lost.contains(o)) else { return true };
        let value = self.operand(to);
        let offset = target.wrapping_sub(self.build.memory.objects[object as usize].base) as i64;
        let misuse = self.misuse(MemoryError::Overlap, object, offset, size, Act::Writes, Some("memcpy"));
        if self.passes_over(&misuse) {
            return true;
        }
        self.failed = Some(misuse::found(self, &value, misuse, at));
        false
    }

    /// The object of a local that does not escape; it comes to life when it is used first.
    fn watch_local(&mut self, local: LocalId) -> u32 {
        let frame = self.frames.last().expect("an activation is on the stack");
        let is_new = frame.locals[local.index()].is_none();
        let object = self.local_object(local);
        if is_new {
            let size = self.build.memory.objects[object as usize].size;
            self.watched().memory.make(object, size);
        }
        object
    }

    /// A local has come to life.
    pub(super) fn watch_allocation(&mut self, command: &Command) {
        let Command::Allocate { local, target } = command else { return };
        if self.watch.is_none() {
            return;
        }
        let frame = self.frames.last().expect("an activation is on the stack");
        let (Some(object), owner) = (frame.locals[local.index()], frame.activation) else { return };
        let size = self.build.memory.objects[object as usize].size;
        if let ObjectKind::Heap { at, .. } = self.build.memory.objects[object as usize].kind {
            let made = self.moment(at);
            let size = Some(self.build.constant(64, u128::from(size)));
            let life = Life { made, by: "alloca", size, address: None, freed: None, owner: Some(owner) };
            self.watched().lives.insert(object, life);
        }
        self.watched().memory.make(object, size);
        if let Some(target) = target {
            self.set_shadow(*target, Shadow::pointer(object));
        }
    }

    fn moment(&self, at: Option<Origin>) -> Moment {
        Moment { position: self.build.steps.len(), here: self.here(at) }
    }

    /// Look at the end of a block; false when it is a failure.
    pub(super) fn watch_terminator(&mut self, terminator: &Terminator, at: Option<Origin>) -> bool {
        if self.watch.is_none() {
            return true;
        }
        match terminator {
            Terminator::Branch { condition, .. } => self.watch_value(condition, Act::Decides, None, at),
            Terminator::Switch(switch) => self.watch_value(&switch.value, Act::Decides, None, at),
            Terminator::Return(value) => {
                let shadow = value.as_ref().map_or(Shadow::default(), |v| self.shadow(v));
                self.watched().returned = shadow;
                true
            }
            Terminator::Goto(_) | Terminator::Unreachable => true,
        }
    }

    /// Control goes along an edge: the shadows of what it chooses.
    pub(super) fn watch_choice(&mut self, from: BlockId, to: BlockId) {
        if self.watch.is_none() {
            return;
        }
        let function = self.frames.last().expect("an activation is on the stack").function;
        let block = &self.program.functions[function.index()].blocks[to.index()];
        for command in &block.commands {
            let Command::Define { target, value: Operation::Phi(incoming) } = &command.it else { continue };
            if let Some((_, operand)) = incoming.iter().find(|(b, _)| *b == from) {
                let shadow = self.shadow(operand);
                self.set_shadow(*target, shadow);
            }
        }
    }

    /// The shadows of arguments.
    pub(super) fn shadows(&mut self, arguments: &[Operand]) -> Vec<Shadow> {
        if self.watch.is_none() {
            return vec![];
        }
        arguments.iter().map(|a| self.shadow(a)).collect()
    }

    /// A function of the program is entered with arguments.
    pub(super) fn watch_entry(&mut self, shadows: Vec<Shadow>) {
        if self.watch.is_none() {
            return;
        }
        let function = self.frames.last().expect("an activation is on the stack").function;
        let params = &self.program.functions[function.index()].params;
        for (param, shadow) in params.iter().zip(shadows) {
            self.set_shadow(*param, shadow);
        }
    }

    /// A function of the program has returned.
    pub(super) fn watch_result(&mut self, target: Option<RegId>) {
        if self.watch.is_none() {
            return;
        }
        let shadow = std::mem::take(&mut self.watched().returned);
        if let Some(target) = target {
            self.set_shadow(target, shadow);
        }
    }

    /// The shadow of an operand.
    fn shadow(&mut self, operand: &Operand) -> Shadow {
        match operand {
            Operand::Register(register) => {
                let register = register.index();
                self.registers().get(register).copied().unwrap_or_default()
            }
            Operand::Local(local, _) => {
                let frame = self.frames.last().expect("an activation is on the stack");
                frame.locals[local.index()].map_or(Shadow::default(), Shadow::pointer)
            }
            Operand::Global(global, _) => {
                let address = self.recorded.globals.get(global.index()).map_or(0, |g| g.address);
                let object = self.build.memory.at_base(address);
                let is_it = |o: &u32| self.build.memory.objects[*o as usize].kind == ObjectKind::Global(*global);
                object.filter(is_it).map_or(Shadow::default(), Shadow::pointer)
            }
            Operand::Constant { .. } | Operand::Function(_) | Operand::External(_) | Operand::Undefined { .. } => {
                Shadow::default()
            }
        }
    }

    fn registers(&mut self) -> &mut Vec<Shadow> {
        let frame = self.frames.last().expect("an activation is on the stack");
        let (activation, function) = (frame.activation, frame.function);
        let all = &mut self.watch.as_mut().expect("memory is watched").registers;
        while all.last().is_some_and(|(a, _)| *a > activation) {
            all.pop();
        }
        if all.last().is_none_or(|(a, _)| *a != activation) {
            let count = self.program.functions[function.index()].registers.len();
            all.push((activation, vec![Shadow::default(); count]));
        }
        &mut all.last_mut().expect("pushed").1
    }

    fn set_shadow(&mut self, register: RegId, shadow: Shadow) {
        self.registers()[register.index()] = shadow;
    }

    /// Whether a value that decides something was set; a failure if not.
    fn watch_value(&mut self, operand: &Operand, act: Act, by: Option<&'static str>, at: Option<Origin>) -> bool {
        let Shadow { unset, from, .. } = self.shadow(operand);
        let (true, Some((object, offset))) = (unset != 0, from) else { return true };
        let bytes = u64::from((128 - unset.leading_zeros()).div_ceil(8));
        self.watch_unset((object, offset), bytes, act, by, at)
    }

    /// Bytes of an object that nobody has set decide something; true where that is not sure.
    fn watch_unset(
        &mut self,
        (object, offset): (u32, u64),
        bytes: u64,
        act: Act,
        by: Option<&'static str>,
        at: Option<Origin>,
    ) -> bool {
        if self.watched().lost.contains(&object) || self.is_shared(object) {
            return true;
        }
        let misuse = self.misuse(MemoryError::Uninitialised, object, offset as i64, bytes, act, by);
        if self.passes_over(&misuse) {
            return true;
        }
        self.failed = Some(misuse::uninitialised(self, misuse, at));
        false
    }
}
