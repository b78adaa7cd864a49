//! Walks a recording through the program and builds the trace.
//!
//! The walk keeps the stack of activations, knows at each command which words the recording holds for it (see
//! `wherefore_program::Command`), and stops where the words end: there the run failed, or was stopped.

use crate::builder::{Builder, Facts, Here, Range, Value, mask};
use crate::decision::Decisions;
use crate::failure;
use crate::memory::ObjectKind;
use crate::model::{Action, Activation, Branch, BranchId, Kind, Step, Storage, Trace};
use crate::operation;
use std::collections::{HashMap, HashSet};
use wherefore_formula::TermId;
use wherefore_program::{
    BlockId, CType, Callee, Command, Flow, FunctionId, LocalId, Note, Operand, Operation, Origin, Place, Program,
    RegId, Terminator,
};

const BLOCK: u64 = 0xB10C;
const RETURN: u64 = 0x4E70;
/// Numbers of signals on Linux.
pub const SIGABRT: i32 = 6;
pub const SIGBUS: i32 = 7;
pub const SIGFPE: i32 = 8;
pub const SIGSEGV: i32 = 11;

/// Library functions that only read what they are given: content found later was not written by them.
const READ_ONLY: [&str; 40] = [
    "strlen",
    "strnlen",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "strcoll",
    "strchr",
    "strrchr",
    "strstr",
    "strspn",
    "strcspn",
    "strpbrk",
    "memcmp",
    "memchr",
    "atoi",
    "atol",
    "atoll",
    "atof",
    "printf",
    "puts",
    "putchar",
    "fputs",
    "fputc",
    "putc",
    "fprintf",
    "fwrite",
    "write",
    "perror",
    "fflush",
    "isatty",
    "getenv",
    "access",
    "open",
    "fopen",
    "unlink",
    "remove",
    "exit",
    "abort",
    "system",
];

/// A recording as plain data.
#[derive(Clone, Debug, Default)]
pub struct Recorded<'a> {
    /// The words.
    pub words: &'a [u64],
    /// Globals in order of their ids.
    pub globals: Vec<GlobalImage>,
    /// Addresses of functions in order of their ids.
    pub functions: Vec<u64>,
    /// Addresses of external symbols, in order of [`Program::externals`].
    pub externals: Vec<u64>,
    /// Globals whose values the user gave.
    pub given_globals: Vec<u32>,
}

/// A global when the run began.
#[derive(Clone, Debug, Default)]
pub struct GlobalImage {
    /// Address.
    pub address: u64,
    /// Size in bytes.
    pub size: u64,
    /// Content, when recorded.
    pub content: Option<Vec<u8>>,
}

/// How the run ended, as the operating system tells.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// It ended by itself with a status.
    Exit(i32),
    /// A signal ended it.
    Signal(i32),
    /// It was stopped, or the recording was cut, at a limit.
    Limit,
}

/// The recording and the program do not fit together.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// The recording has something else than the program says.
    #[error("the recording is out of step with the program after {events} events, in {function}: {what}")]
    OutOfStep {
        /// Words read until then.
        events: usize,
        /// The function.
        function: String,
        /// What is wrong.
        what: String,
    },
}

/// Build the trace of a run. `expected_status` makes another exit status a failure.
pub fn walk(
    program: &Program,
    recorded: &Recorded,
    stopped: Stopped,
    expected_status: Option<i32>,
) -> Result<Trace, WalkError> {
    let mut walker = Walker::new(program, recorded);
    walker.memory_fault = matches!(stopped, Stopped::Signal(SIGSEGV | SIGBUS));
    walker.run()?;
    Ok(failure::finish(walker, stopped, expected_status))
}

/// One activation on the stack.
pub struct Frame {
    pub function: FunctionId,
    pub activation: u32,
    pub block: BlockId,
    /// Index of the command that is executed or waits for its call to return.
    pub command: usize,
    pub registers: Vec<Option<Value>>,
    pub locals: Vec<Option<u32>>,
    /// The innermost open branch.
    pub scope: Option<BranchId>,
    /// The scope when the function was entered: branches up to it belong to callers.
    pub outer_scope: Option<BranchId>,
    /// Branches evaluated so far of a decision that is under way.
    pub evaluated: Vec<Evaluated>,
    /// What the last callee with a body returned.
    pub returned: Option<Value>,
    /// Arguments for the parameters.
    pub arguments: Vec<Value>,
    /// Whether code outside the program called it.
    pub from_outside: bool,
    /// Number of steps when it was entered.
    pub entered_at: usize,
    /// How many arguments after `...` were read.
    variadic_read: usize,
    /// The branch that an indirect call under way stands for.
    indirect: Option<BranchId>,
}

/// A branch of a decision, as evaluated.
#[derive(Clone)]
pub struct Evaluated {
    pub block: BlockId,
    pub condition: TermId,
    pub taken: bool,
    pub facts: Facts,
    pub at: Option<Origin>,
}

/// The walk under way.
pub struct Walker<'p> {
    pub program: &'p Program,
    pub recorded: &'p Recorded<'p>,
    pub at: usize,
    pub build: Builder<'p>,
    pub frames: Vec<Frame>,
    pub activations: Vec<Activation>,
    pub branches: Vec<Branch>,
    pub flows: Vec<Flow>,
    pub decisions: Vec<Decisions>,
    pub notes: Vec<Note>,
    noted: HashSet<(String, Option<Origin>)>,
    sites: HashMap<u32, (FunctionId, BlockId, usize)>,
    externals: HashMap<&'p str, u64>,
    memory_fault: bool,
    /// The result of `main`, when it returned.
    pub main_result: Option<(Value, Here)>,
}

/// Why the walk of the commands pauses.
enum Pause {
    /// The words are used up.
    End,
    /// Another frame is on top, or the frame is gone.
    Switched,
}

impl<'p> Walker<'p> {
    fn new(program: &'p Program, recorded: &'p Recorded<'p>) -> Self {
        let mut build = Builder::new(program);
        for (index, image) in recorded.globals.iter().enumerate() {
            if image.address != 0 && index < program.globals.len() {
                let kind = ObjectKind::Global(wherefore_program::GlobalId(index as u32));
                build.memory.allocate(kind, image.address, program.globals[index].size.max(image.size));
            }
            let given = recorded.given_globals.contains(&(index as u32));
            build.images.push(image.content.clone().filter(|_| !given));
        }
        let flows: Vec<Flow> = program.functions.iter().map(Flow::new).collect();
        let decisions = program.functions.iter().zip(&flows).map(|(f, flow)| Decisions::new(f, flow)).collect();
        let mut sites = HashMap::new();
        for (f, function) in program.functions.iter().enumerate() {
            for (b, block) in function.blocks.iter().enumerate() {
                for (c, command) in block.commands.iter().enumerate() {
                    if let Command::Call { site, .. } = command.it {
                        sites.insert(site, (FunctionId(f as u32), BlockId(b as u32), c));
                    }
                }
            }
        }
        let externals = program.externals.iter().map(String::as_str).zip(recorded.externals.iter().copied()).collect();
        Walker {
            program,
            recorded,
            at: 0,
            build,
            frames: vec![],
            activations: vec![],
            branches: vec![],
            flows,
            decisions,
            notes: vec![],
            noted: HashSet::new(),
            sites,
            externals,
            memory_fault: false,
            main_result: None,
        }
    }

    fn run(&mut self) -> Result<(), WalkError> {
        loop {
            if self.frames.is_empty() {
                let Some(&word) = self.recorded.words.get(self.at) else { return Ok(()) };
                let Some(function) = self.entry_of(word) else {
                    return Err(self.out_of_step("expected the entry of a function"));
                };
                if !self.enter(function, vec![], None, true)? {
                    return Ok(());
                }
            }
            match self.commands()? {
                Pause::End => return Ok(()),
                Pause::Switched => {}
            }
        }
    }

    pub fn out_of_step(&self, what: &str) -> WalkError {
        let function = self.frames.last().map_or("the start", |f| &self.program.functions[f.function.index()].name);
        WalkError::OutOfStep { events: self.at, function: function.to_string(), what: what.to_string() }
    }

    /// Say once per place that something is approximated.
    pub fn note(&mut self, at: Option<Origin>, message: &str) {
        if self.noted.insert((message.to_string(), at)) {
            self.notes.push(Note { at, message: message.to_string() });
        }
    }

    fn word(&mut self) -> Option<u64> {
        let word = self.recorded.words.get(self.at).copied();
        self.at += usize::from(word.is_some());
        word
    }

    /// A recorded value of a width in bits.
    fn value_words(&mut self, bits: u32) -> Option<u128> {
        let low = self.word()?;
        let high = if bits > 64 { self.word()? } else { 0 };
        Some(mask(u128::from(high) << 64 | u128::from(low), bits))
    }

    /// The function whose entry block a word announces.
    fn entry_of(&self, word: u64) -> Option<FunctionId> {
        let (function, block) = self.program.block(block_number(word)?)?;
        (block == BlockId(0)).then_some(function)
    }

    pub fn here(&self, at: Option<Origin>) -> Here {
        let frame = self.frames.last();
        Here { at, activation: frame.map_or(0, |f| f.activation), scope: frame.and_then(|f| f.scope) }
    }

    /// Push an activation and its entry block; false when the words end.
    fn enter(
        &mut self,
        id: FunctionId,
        arguments: Vec<Value>,
        call: Option<Origin>,
        from_outside: bool,
    ) -> Result<bool, WalkError> {
        let function = &self.program.functions[id.index()];
        let Some(word) = self.word() else { return Ok(false) };
        if block_number(word) != Some(function.first_block) {
            self.at -= 1;
            return Err(self.out_of_step("a call does not enter its callee"));
        }
        let activation = self.activations.len() as u32;
        let caller = self.frames.last();
        let scope = caller.and_then(|f| f.scope);
        self.activations.push(Activation { function: id, caller: caller.map(|f| f.activation), call });
        let mut arguments = arguments;
        if function.params_recorded {
            for (index, param) in function.params.iter().enumerate() {
                let bits = function.registers[param.index()];
                let Some(value) = self.value_words(bits) else { return Ok(false) };
                if index >= arguments.len() {
                    let value = self.build.constant(bits, value);
                    arguments.push(value);
                }
            }
        }
        self.frames.push(Frame {
            function: id,
            activation,
            block: BlockId(0),
            command: 0,
            registers: vec![None; function.registers.len()],
            locals: vec![None; function.locals.len()],
            scope,
            outer_scope: scope,
            evaluated: vec![],
            returned: None,
            arguments: arguments.clone(),
            from_outside,
            entered_at: self.build.steps.len(),
            variadic_read: 0,
            indirect: None,
        });
        let frame = self.frames.last_mut().expect("pushed");
        for (param, value) in function.params.iter().zip(arguments) {
            frame.registers[param.index()] = Some(value);
        }
        Ok(true)
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("an activation is on the stack")
    }

    fn set(&mut self, target: RegId, value: Value) {
        self.frame().registers[target.index()] = Some(value);
    }

    /// Execute commands of the top frame.
    fn commands(&mut self) -> Result<Pause, WalkError> {
        loop {
            let frame = self.frames.last().expect("an activation is on the stack");
            let block = &self.program.functions[frame.function.index()].blocks[frame.block.index()];
            let Some(command) = block.commands.get(frame.command) else {
                match self.terminator(&block.terminator.it, block.terminator.at)? {
                    Some(pause) => return Ok(pause),
                    None => continue,
                }
            };
            if let Command::Call { target, callee, arguments, site } = &command.it {
                match self.call(*target, callee, arguments, *site, command.at)? {
                    Some(pause) => return Ok(pause),
                    None => self.frame().command += 1,
                }
            } else if self.execute(&command.it, command.at) {
                self.frame().command += 1;
            } else {
                return Ok(Pause::End);
            }
        }
    }

    /// The value of an operand.
    pub fn operand(&mut self, operand: &Operand) -> Value {
        let address = match operand {
            Operand::Register(r) => {
                let frame = self.frames.last().expect("an activation is on the stack");
                if let Some(value) = &frame.registers[r.index()] {
                    return value.clone();
                }
                let bits = self.program.functions[frame.function.index()].registers[r.index()];
                return self.build.constant(bits, 0);
            }
            Operand::Constant { bits, value } => return self.build.constant(*bits, *value),
            Operand::Undefined { bits } => return self.build.constant(*bits, 0),
            Operand::Global(id, offset) => {
                self.recorded.globals.get(id.index()).map_or(0, |g| g.address).wrapping_add_signed(*offset)
            }
            Operand::Local(id, offset) => self.local_base(*id).wrapping_add_signed(*offset),
            Operand::Function(id) => self.recorded.functions.get(id.index()).copied().unwrap_or(0),
            Operand::External(name) => self.externals.get(name.as_str()).copied().unwrap_or(0),
        };
        self.build.constant(64, u128::from(address))
    }

    fn local_base(&self, local: LocalId) -> u64 {
        let frame = self.frames.last().expect("an activation is on the stack");
        frame.locals[local.index()].map_or(0, |o| self.build.memory.objects[o as usize].base)
    }

    /// The object of a local that does not escape.
    fn local_object(&mut self, local: LocalId) -> u32 {
        let frame = self.frames.last().expect("an activation is on the stack");
        if let Some(object) = frame.locals[local.index()] {
            return object;
        }
        let declared = &self.program.functions[frame.function.index()].locals[local.index()];
        let kind = ObjectKind::Local { activation: frame.activation, local, ctype: declared.ctype };
        let object = self.build.memory.unaddressed(kind, declared.size.unwrap_or(0));
        self.frame().locals[local.index()] = Some(object);
        object
    }

    /// Execute a command other than a call; false when the words end.
    fn execute(&mut self, command: &Command, at: Option<Origin>) -> bool {
        match command {
            Command::Define { target, value } => self.define(*target, value, at),
            Command::Load { target, place, logged, .. } => self.load(*target, place, *logged, at),
            Command::Store { place, value, bits } => self.store(place, value, *bits, at),
            Command::Allocate { local, target } => {
                let (Some(base), Some(size)) = (self.word(), self.word()) else { return false };
                let frame = self.frames.last().expect("an activation is on the stack");
                let ctype = self.program.functions[frame.function.index()].locals[local.index()].ctype;
                let kind = ObjectKind::Local { activation: frame.activation, local: *local, ctype };
                let object = self.build.memory.allocate(kind, base, size);
                self.frame().locals[local.index()] = Some(object);
                if let Some(target) = target {
                    let value = self.build.constant(64, u128::from(base));
                    self.set(*target, value);
                }
                true
            }
            Command::Copy { .. } => {
                let (Some(to), Some(from), Some(size)) = (self.word(), self.word(), self.word()) else { return false };
                if size > 0 && (self.faults_at(to) || self.faults_at(from)) {
                    return false;
                }
                if size > 0 {
                    let here = self.here(at);
                    let (to, from) = (self.range(to, size), self.range(from, size));
                    self.build.copy(to, from, here);
                }
                true
            }
            Command::Fill { byte, .. } => {
                let (Some(to), Some(size)) = (self.word(), self.word()) else { return false };
                if size > 0 && self.faults_at(to) {
                    return false;
                }
                if size > 0 {
                    let here = self.here(at);
                    let byte = self.operand(byte);
                    let to = self.range(to, size);
                    self.build.fill(to, &byte, Kind::Assign, here);
                }
                true
            }
            Command::Call { .. } => unreachable!("calls are handled by the caller"),
        }
    }

    pub fn range(&self, address: u64, size: u64) -> Range {
        let (object, offset) = self.build.memory.find(address);
        Range { object, offset, size }
    }

    fn define(&mut self, target: RegId, operation: &Operation, at: Option<Origin>) -> bool {
        let frame = self.frames.last().expect("an activation is on the stack");
        let bits = self.program.functions[frame.function.index()].registers[target.index()];
        match operation {
            // Set when control arrived, see `choose`.
            Operation::Phi(_) => {}
            Operation::Opaque { what, .. } => {
                let Some(value) = self.value_words(bits) else { return false };
                self.note(at, &format!("{what} is not modelled; the recorded value stands for it"));
                let value = self.build.constant(bits, value);
                self.set(target, value);
            }
            _ => {
                let values: Vec<Value> = operation::operands(operation).into_iter().map(|o| self.operand(o)).collect();
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
    fn compute(&mut self, operation: &Operation, bits: u32, values: &[Value], at: Option<Origin>) -> Value {
        let mut facts = Facts::default();
        for v in values {
            facts.merge(&v.facts);
        }
        let terms = &mut self.build.terms;
        let mut next = values.iter();
        let symbolic = operation::term(terms, operation, bits, |_, _| next.next().expect("one per operand").term);
        let mut next = values.iter();
        let concrete = operation::term(terms, operation, bits, |terms, _| {
            let v = next.next().expect("one per operand");
            let width = terms.width(v.term);
            terms.bits(width, v.concrete)
        });
        let ((term, granted), (number, holds)) = symbolic.zip(concrete).expect("an operation with a meaning");
        let concrete = terms.evaluate(number, &mut |_| None).map_or(0, |v| v.raw());
        if let (Some(granted), Some(holds)) = (granted, holds) {
            match terms.truth_value(holds) {
                Some(true) if terms.truth_value(granted) != Some(true) && !facts.assumes.contains(&granted) => {
                    facts.assumes.push(granted);
                }
                Some(false) => {
                    if let Operation::Binary { no_signed_wrap: true, .. } = operation {
                        self.note(
                            at,
                            "signed overflow happens here in the run; the wrapped value is part of the story",
                        );
                    }
                }
                _ => {}
            }
        }
        Value { term, concrete, facts }
    }

    fn load(&mut self, target: RegId, place: &Place, logged: bool, at: Option<Origin>) -> bool {
        let frame = self.frames.last().expect("an activation is on the stack");
        let bits = self.program.functions[frame.function.index()].registers[target.index()];
        let size = u64::from(bits.div_ceil(8));
        let here = self.here(at);
        let value = match place {
            Place::Local(local, offset) => {
                let read = if logged {
                    let Some(v) = self.value_words(bits) else { return false };
                    Some(v)
                } else {
                    None
                };
                let range = Range { object: self.local_object(*local), offset: *offset, size };
                let fresh = logged && self.build.is_unset(range);
                let value = self.build.read(range, bits, read, None, here);
                if fresh {
                    self.note_uninitialised(*local, at);
                }
                value
            }
            Place::Memory(address) => {
                let pointer = self.operand(address);
                let Some(address) = self.word() else { return false };
                let Some(read) = self.value_words(bits) else { return false };
                let range = self.range(address, size);
                if let Some(value) = self.variadic_argument(range, bits, read) {
                    self.set(target, value);
                    return true;
                }
                let mut value = self.build.read(range, bits, Some(read), Some(pointer.term), here);
                self.add_pointer(&mut value.facts, &pointer, address);
                value
            }
        };
        self.set(target, value);
        true
    }

    /// Arguments after `...` lie in memory that only the compiler knows; they are read one after the other.
    fn variadic_argument(&mut self, range: Range, bits: u32, read: u128) -> Option<Value> {
        let frame = self.frames.last_mut()?;
        let function = &self.program.functions[frame.function.index()];
        if !function.variadic || !crate::builder::is_foreign(range.object) {
            return None;
        }
        let next = frame.arguments.get(function.params.len() + frame.variadic_read)?;
        if mask(next.concrete, bits) != read {
            return None;
        }
        let value = next.clone();
        frame.variadic_read += 1;
        let value = self.build.refresh(&value);
        let width = self.build.terms.width(value.term);
        let term = if width < bits {
            self.build.terms.zero_extend(value.term, bits)
        } else {
            self.build.terms.extract(value.term, 0, bits)
        };
        Some(Value { term, concrete: read, facts: value.facts })
    }

    fn note_uninitialised(&mut self, local: LocalId, at: Option<Origin>) {
        let frame = self.frames.last().expect("an activation is on the stack");
        let declared = &self.program.functions[frame.function.index()].locals[local.index()];
        // Writing a bit-field reads its neighbours: not a read of the program's.
        let bit_fields = declared.ctype.is_some_and(|t| match &self.program.types[t] {
            CType::Record { fields, .. } => fields.iter().any(|f| f.bit_field),
            _ => false,
        });
        if let Some(name) = declared.name.as_ref().filter(|_| !bit_fields) {
            self.note(at, &format!("`{name}` is read before it is set"));
        }
    }

    /// The value depends on where a pointer pointed.
    fn add_pointer(&mut self, facts: &mut Facts, pointer: &Value, address: u64) {
        if self.build.terms.constant(pointer.term).is_some() {
            return;
        }
        let recorded = self.build.terms.bits(64, u128::from(address));
        let same = self.build.terms.eq(pointer.term, recorded);
        // The reads of a pointer matter only where its value does; they keep its term over current variables.
        facts.merge(&pointer.facts);
        if !facts.addresses.contains(&same) {
            facts.addresses.push(same);
        }
    }

    fn store(&mut self, place: &Place, value: &Operand, bits: u32, at: Option<Origin>) -> bool {
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
        let unnamed = local.is_some_and(|l| function.locals[l.index()].name.is_none());
        let (from_outside, call) = (frame.from_outside, self.activations[frame.activation as usize].call);
        let kind = match place {
            _ if is_param => Kind::Call,
            _ if unnamed => Kind::Return,
            Place::Local(..) | Place::Memory(Operand::Global(..) | Operand::Local(..)) => Kind::Assign,
            Place::Memory(_) => Kind::Store,
        };
        let here = self.here(if is_param { call } else { at });
        let (range, path) = match place {
            Place::Local(local, offset) => (Range { object: self.local_object(*local), offset: *offset, size }, None),
            Place::Memory(pointer) => {
                let pointer = self.operand(pointer);
                let Some(address) = self.word() else { return false };
                if self.faults_at(address) {
                    return false;
                }
                let path = pointer.term;
                self.add_pointer(&mut stored.facts, &pointer, address);
                (self.range(address, size), Some(path))
            }
        };
        if is_param && from_outside {
            let var = self.build.new_cell(range);
            self.build.set_initial(var, stored.concrete);
        } else {
            self.build.write(range, &stored, kind, path, here);
        }
        true
    }

    /// Whether the access to an address is where the run was stopped by a memory fault.
    fn faults_at(&self, address: u64) -> bool {
        self.memory_fault
            && self.at == self.recorded.words.len()
            && crate::builder::is_foreign(self.build.memory.find(address).0)
    }

    /// Execute a call; `None` when it is over.
    fn call(
        &mut self,
        target: Option<RegId>,
        callee: &Callee,
        arguments: &[Operand],
        site: u32,
        at: Option<Origin>,
    ) -> Result<Option<Pause>, WalkError> {
        if let Callee::Function(id) = callee {
            if let Some(value) = self.frame().returned.take() {
                if let Some(target) = target {
                    self.set(target, value);
                }
                return Ok(None);
            }
            let values = arguments.iter().map(|a| self.operand(a)).collect();
            let entered = self.enter(*id, values, at, false)?;
            return Ok(Some(if entered { Pause::Switched } else { Pause::End }));
        }
        let Some(&word) = self.recorded.words.get(self.at) else { return Ok(Some(Pause::End)) };
        if let Some(function) = self.entry_of(word) {
            let through = if let Callee::Pointer(pointer) = callee { Some(self.operand(pointer)) } else { None };
            let values = if through.is_some() { arguments.iter().map(|a| self.operand(a)).collect() } else { vec![] };
            if let Some(pointer) = &through {
                self.open_indirect(pointer, at);
            }
            let entered = self.enter(function, values, at, through.is_none())?;
            return Ok(Some(if entered { Pause::Switched } else { Pause::End }));
        }
        let Some(returned_to) = return_site(word) else {
            return Err(self.out_of_step("a call neither returns nor enters a function"));
        };
        self.at += 1;
        if returned_to != site {
            self.long_jump(returned_to)?;
            return Ok(Some(Pause::Switched));
        }
        let bits = target.map(|t| {
            let function = self.frames.last().expect("an activation is on the stack").function;
            self.program.functions[function.index()].registers[t.index()]
        });
        let value = match bits {
            Some(bits) => match self.value_words(bits) {
                Some(value) => Some((bits, value)),
                None => return Ok(Some(Pause::End)),
            },
            None => None,
        };
        if let Some(branch) = self.frame().indirect.take() {
            let parent = self.branches[branch.index()].parent;
            self.close_to(parent);
        }
        let inside = self.frame().returned.take();
        let result = match (value, inside) {
            (Some(_), Some(inside)) => Some(inside),
            (Some((bits, value)), None) => Some(self.outside_call(callee, arguments, bits, value, at)),
            (None, inside) => {
                if inside.is_none() {
                    self.outside_call(callee, arguments, 0, 0, at);
                }
                None
            }
        };
        if let (Some(target), Some(result)) = (target, result) {
            self.set(target, result);
        }
        Ok(None)
    }

    /// A call through a pointer decides which function runs, as a `switch` over the pointer would.
    fn open_indirect(&mut self, pointer: &Value, at: Option<Origin>) {
        let pointer = self.build.refresh(pointer);
        let target = self.build.terms.bits(64, pointer.concrete);
        let condition = self.build.terms.eq(pointer.term, target);
        if self.build.terms.truth_value(condition).is_some() {
            return;
        }
        let block = self.frame().block;
        let id = self.push_branch(block, block, vec![(condition, at)], pointer.facts, at);
        self.frame().indirect = Some(id);
    }

    /// Control came back to another call than the one under way: `longjmp`.
    fn long_jump(&mut self, site: u32) -> Result<(), WalkError> {
        let Some(&(function, block, command)) = self.sites.get(&site) else {
            return Err(self.out_of_step("a call returns to an unknown place"));
        };
        while self.frames.last().is_some_and(|f| f.function != function) {
            self.frames.pop();
        }
        if self.frames.is_empty() {
            return Err(self.out_of_step("a long jump goes to a function that is not active"));
        }
        let Command::Call { target, .. } =
            &self.program.functions[function.index()].blocks[block.index()].commands[command].it
        else {
            unreachable!("a site is a call");
        };
        let at = self.program.functions[function.index()].blocks[block.index()].commands[command].at;
        let frame = self.frame();
        (frame.block, frame.command) = (block, command + 1);
        frame.returned = None;
        let scope = frame.outer_scope;
        self.close_to(scope);
        if let Some(target) = target {
            let bits = self.program.functions[function.index()].registers[target.index()];
            let Some(value) = self.value_words(bits) else { return Ok(()) };
            let here = self.here(at);
            let value = self.external_result("longjmp", bits, value, here);
            self.set(*target, value);
        }
        Ok(())
    }

    /// A call to code outside the program has returned.
    fn outside_call(
        &mut self,
        callee: &Callee,
        arguments: &[Operand],
        bits: u32,
        value: u128,
        at: Option<Origin>,
    ) -> Value {
        let here = self.here(at);
        let name = match callee {
            Callee::External(name) => name.as_str(),
            Callee::Assembly => "asm",
            Callee::Pointer(_) | Callee::Function(_) => "a function pointer",
        };
        let values: Vec<Value> = arguments.iter().map(|a| self.operand(a)).collect();
        let size = |i: usize| values.get(i).map_or(0, |v| v.concrete as u64);
        let heap = ObjectKind::Heap { at, freed: false };
        match name {
            "malloc" | "alloca" | "valloc" if value != 0 => {
                self.build.memory.allocate(heap, value as u64, size(0));
            }
            "aligned_alloc" | "memalign" if value != 0 => {
                self.build.memory.allocate(heap, value as u64, size(1));
            }
            "calloc" if value != 0 => {
                let bytes = size(0).saturating_mul(size(1));
                let object = self.build.memory.allocate(heap, value as u64, bytes);
                let zero = self.build.constant(8, 0);
                if bytes > 0 {
                    self.build.fill(Range { object, offset: 0, size: bytes }, &zero, Kind::Havoc, here);
                }
            }
            "realloc" if value != 0 => {
                let old = size(0);
                let kept = self.build.memory.at_base(old).map(|id| self.build.memory.objects[id as usize].size);
                let from = Range { object: self.build.memory.at_base(old).unwrap_or(0), offset: 0, size: 0 };
                let object = self.build.memory.allocate(heap, value as u64, size(1));
                if let Some(kept) = kept.map(|k| k.min(size(1))).filter(|k| *k > 0) {
                    self.build.copy(Range { object, offset: 0, size: kept }, Range { size: kept, ..from }, here);
                }
            }
            "strdup" | "strndup" if value != 0 => {
                // The length is not recorded: the object reaches to the end of what is read of it later.
                self.build.memory.allocate(heap, value as u64, 1 << 16);
            }
            "free" => self.build.memory.free(size(0)),
            "abs" | "labs" | "llabs" if bits > 0 => return self.absolute(&values[0], bits, at),
            _ if READ_ONLY.contains(&name) => {}
            _ => {
                let outside = crate::builder::Outside { position: self.build.steps.len(), here };
                self.build.last_outside = Some(outside);
                for v in &values {
                    let (object, _) = self.build.memory.find(v.concrete as u64);
                    if !crate::builder::is_foreign(object) {
                        self.build.outside_of.insert(object, outside);
                    }
                }
            }
        }
        if bits == 0 {
            return self.build.constant(1, 0);
        }
        self.external_result(name, bits, value, here)
    }

    fn absolute(&mut self, x: &Value, bits: u32, at: Option<Origin>) -> Value {
        let zero = Operand::Constant { bits, value: 0 };
        let sub = Operation::Binary {
            op: wherefore_program::BinaryOp::Sub,
            left: zero.clone(),
            right: zero.clone(),
            no_signed_wrap: true,
            no_unsigned_wrap: false,
        };
        let zero_value = self.build.constant(bits, 0);
        let negated = self.compute(&sub, bits, &[zero_value.clone(), x.clone()], at);
        let less = Operation::Compare(wherefore_program::CompareOp::SLt, zero.clone(), zero.clone());
        let negative = self.compute(&less, 1, &[x.clone(), zero_value], at);
        let select = Operation::Select(zero.clone(), zero.clone(), zero);
        self.compute(&select, bits, &[negative, negated, x.clone()], at)
    }

    fn external_result(&mut self, callee: &str, bits: u32, value: u128, here: Here) -> Value {
        let storage = Storage::External { callee: callee.to_string(), at: here.at };
        let var = self.build.variable(storage, bits, None, None);
        let value = self.build.constant(bits, value);
        self.build.assign(var, &value, Kind::Havoc, here);
        self.build.value_of(var)
    }

    /// Follow a terminator; `None` when the frame goes on in its next block.
    fn terminator(&mut self, terminator: &Terminator, at: Option<Origin>) -> Result<Option<Pause>, WalkError> {
        if let Terminator::Return(value) = terminator {
            self.leave(value.as_ref(), at);
            return Ok(Some(Pause::Switched));
        }
        let Some(&word) = self.recorded.words.get(self.at) else { return Ok(Some(Pause::End)) };
        let frame = self.frames.last().expect("an activation is on the stack");
        let (from, function) = (frame.block, frame.function);
        let next = block_number(word)
            .and_then(|n| self.program.block(n))
            .filter(|(f, b)| *f == function && terminator.successors().contains(b));
        let Some((_, to)) = next else {
            if return_site(word).is_some() {
                let site = return_site(word).expect("checked");
                self.at += 1;
                self.long_jump(site)?;
                return Ok(None);
            }
            return Err(self.out_of_step("control goes where the program does not"));
        };
        self.at += 1;
        self.end_round(from, to);
        self.decide(terminator, to, at);
        self.choose(from, to);
        self.arrive(to);
        let frame = self.frame();
        (frame.block, frame.command) = (to, 0);
        Ok(None)
    }

    /// A function returns.
    fn leave(&mut self, value: Option<&Operand>, at: Option<Origin>) {
        let function = self.frames.last().expect("an activation is on the stack").function;
        let result = value.map(|operand| {
            let value = self.operand(operand);
            let here = self.here(at);
            if self.is_result_slot(&value) || self.build.terms.constant(value.term).is_some() && at.is_none() {
                return value;
            }
            let bits = self.build.terms.width(value.term);
            let storage = Storage::Result { activation: here.activation };
            let ctype = self.program.functions[function.index()].result_type;
            let var = self.build.variable(storage, bits, ctype, None);
            self.build.assign(var, &value, Kind::Return, here);
            self.build.value_of(var)
        });
        let here = self.here(at);
        let outer = self.frames.last().and_then(|f| f.outer_scope);
        self.close_to(outer);
        let from_outside = self.frames.pop().is_some_and(|f| f.from_outside);
        match self.frames.last_mut() {
            // Called back: the result goes to the library, not to the call that is under way here.
            Some(_) if from_outside => {}
            Some(caller) => {
                let nothing = Value { term: self.build.terms.bits(1, 0), concrete: 0, facts: Facts::default() };
                caller.returned = Some(result.unwrap_or(nothing));
            }
            None => self.main_result = result.map(|r| (r, here)),
        }
    }

    /// Whether a value is just what the compiler's slot for the result holds.
    fn is_result_slot(&self, value: &Value) -> bool {
        let [(var, _)] = value.facts.reads[..] else { return false };
        let Storage::Local { activation, local, .. } = self.build.variables[var.0 as usize].storage else {
            return false;
        };
        let function = self.activations[activation as usize].function;
        self.program.functions[function.index()].locals[local.index()].name.is_none()
            && matches!(self.build.terms.node(value.term), wherefore_formula::Node::Var(..))
    }

    /// A branch was taken: it is part of a decision, or ends one.
    fn decide(&mut self, terminator: &Terminator, to: BlockId, at: Option<Origin>) {
        let frame = self.frames.last().expect("an activation is on the stack");
        let (block, function) = (frame.block, frame.function.index());
        let Some(head) = self.decisions[function].head[block.index()] else { return };
        let (condition, facts) = match terminator {
            Terminator::Branch { condition, then, otherwise } if then != otherwise => {
                let value = self.operand(condition);
                let value = self.build.refresh(&value);
                (self.build.terms.bits_to_bool(value.term), value.facts)
            }
            Terminator::Switch(switch) => {
                let value = self.operand(&switch.value);
                let value = self.build.refresh(&value);
                let width = self.build.terms.width(value.term);
                let terms = &mut self.build.terms;
                let by_default = switch.default == to && !switch.cases.iter().any(|(k, _)| *k == value.concrete);
                let condition = if by_default {
                    let others: Vec<TermId> = switch
                        .cases
                        .iter()
                        .filter(|(_, b)| *b != to)
                        .map(|(k, _)| {
                            let k = terms.bits(width, *k);
                            terms.ne(value.term, k)
                        })
                        .collect();
                    terms.and(others)
                } else {
                    let k = terms.bits(width, value.concrete);
                    terms.eq(value.term, k)
                };
                (condition, value.facts)
            }
            _ => return,
        };
        let taken = !matches!(terminator, Terminator::Branch { otherwise, .. } if *otherwise == to);
        let evaluated = Evaluated { block, condition, taken, facts, at };
        let over = !self.decisions[function].is_member(head, to) || to == head;
        let frame = self.frame();
        if block == head {
            frame.evaluated.clear();
        }
        frame.evaluated.push(evaluated);
        if over {
            let parts = std::mem::take(&mut frame.evaluated);
            self.open_branch(head, to, parts);
        }
    }

    /// A decision is over: open the scope of the way taken.
    fn open_branch(&mut self, head: BlockId, to: BlockId, parts: Vec<Evaluated>) {
        let parts = self.needed_parts(to, parts);
        let at = parts.first().and_then(|p| p.at);
        let mut facts = Facts::default();
        let mut reasons = vec![];
        for part in parts {
            let condition = if part.taken { part.condition } else { self.build.terms.not(part.condition) };
            facts.merge(&part.facts);
            reasons.push((condition, part.at));
        }
        if reasons.iter().any(|r| self.build.terms.truth_value(r.0) != Some(true)) {
            self.push_branch(head, to, reasons, facts, at);
        }
    }

    fn push_branch(
        &mut self,
        head: BlockId,
        to: BlockId,
        reasons: Vec<(TermId, Option<Origin>)>,
        facts: Facts,
        at: Option<Origin>,
    ) -> BranchId {
        let frame = self.frames.last().expect("an activation is on the stack");
        let (activation, parent) = (frame.activation, frame.scope);
        let condition = self.build.terms.and(reasons.iter().map(|r| r.0));
        let id = BranchId(self.branches.len() as u32);
        self.branches.push(Branch {
            parent,
            condition,
            reasons,
            assumes: facts.assumes,
            addresses: facts.addresses,
            at,
            activation,
            head,
            taken: to,
            start: self.build.steps.len(),
            end: usize::MAX,
        });
        let here = Here { at, activation, scope: parent };
        self.control(Action::If(id), here);
        self.frame().scope = Some(id);
        id
    }

    fn control(&mut self, action: Action, here: Here) {
        self.build.steps.push(Step {
            action,
            kind: Kind::Control,
            at: here.at,
            activation: here.activation,
            scope: here.scope,
        });
    }

    /// The evaluated parts that alone settle which way the decision goes: an implicant of the condition, dropping what
    /// was evaluated first where the rest decides (`a` in `a && b` when `b` is false).
    fn needed_parts(&self, to: BlockId, parts: Vec<Evaluated>) -> Vec<Evaluated> {
        if parts.len() < 2 {
            return parts;
        }
        let head = parts[0].block;
        let mut kept = vec![true; parts.len()];
        for drop in 0..parts.len() - 1 {
            kept[drop] = false;
            kept[drop] = !self.settles(head, to, &parts, &kept);
        }
        let mut keep = kept.into_iter();
        parts.into_iter().filter(|_| keep.next().expect("one per part")).collect()
    }

    /// Whether the kept parts lead to `to` whatever the others are.
    fn settles(&self, block: BlockId, to: BlockId, parts: &[Evaluated], kept: &[bool]) -> bool {
        let frame = self.frames.last().expect("an activation is on the stack");
        let Some(index) = parts.iter().position(|p| p.block == block) else { return block == to };
        let blocks = &self.program.functions[frame.function.index()].blocks;
        let Terminator::Branch { then, otherwise, .. } = blocks[block.index()].terminator.it else { return false };
        let way = |next: BlockId| {
            let evaluated_later = parts.iter().position(|p| p.block == next).is_some_and(|i| i > index);
            if evaluated_later { self.settles(next, to, parts, kept) } else { next == to }
        };
        if kept[index] { way(if parts[index].taken { then } else { otherwise }) } else { way(then) && way(otherwise) }
    }

    /// Values of `?:` and of `&&` and `||` as values are set on the way that was taken, inside its scope.
    fn choose(&mut self, from: BlockId, to: BlockId) {
        let function = self.frames.last().expect("an activation is on the stack").function;
        let target = &self.program.functions[function.index()].blocks[to.index()];
        for command in &target.commands {
            let Command::Define { target, value: Operation::Phi(incoming) } = &command.it else { continue };
            let Some((_, operand)) = incoming.iter().find(|(b, _)| *b == from) else { continue };
            let value = self.operand(operand);
            let bits = self.build.terms.width(value.term);
            let var = self.build.variable(Storage::Choice { at: command.at }, bits, None, None);
            let here = self.here(command.at);
            self.build.assign(var, &value, Kind::Internal, here);
            self.build.variables[var.0 as usize].definition = Some(value.term);
            let value = self.build.value_of(var);
            self.set(*target, value);
        }
    }

    /// A round of a loop is over: close its branches, before the condition that leads to the next round (as in
    /// `do ... while`) opens its own.
    fn end_round(&mut self, from: BlockId, to: BlockId) {
        let frame = self.frames.last().expect("an activation is on the stack");
        let flow = &self.flows[frame.function.index()];
        if flow.is_back_edge(from, to) {
            let keep = self.outside_of_all(|branch| flow.loops[branch.head.index()].contains(&to));
            self.close_to(keep);
        }
    }

    /// Control arrives in a block: close the branches whose ways meet here.
    fn arrive(&mut self, to: BlockId) {
        let frame = self.frames.last().expect("an activation is on the stack");
        let decisions = &self.decisions[frame.function.index()];
        let keep = self.outside_of_all(|branch| decisions.join[branch.head.index()] == Some(to));
        self.close_to(keep);
    }

    /// The innermost open branch that lies outside of all branches of the activation for which something holds.
    fn outside_of_all(&self, ends: impl Fn(&Branch) -> bool) -> Option<BranchId> {
        let frame = self.frames.last().expect("an activation is on the stack");
        let mut keep = frame.scope;
        let mut at = frame.scope;
        while at != frame.outer_scope {
            let Some(id) = at else { break };
            let branch = &self.branches[id.index()];
            if ends(branch) {
                keep = branch.parent;
            }
            at = branch.parent;
        }
        keep
    }

    /// Close branches until `scope` is the innermost open one.
    fn close_to(&mut self, scope: Option<BranchId>) {
        while self.frames.last().is_some_and(|f| f.scope != scope) {
            let Some(id) = self.frames.last().and_then(|f| f.scope) else { return };
            let Branch { parent, at, activation, .. } = self.branches[id.index()];
            let here = Here { at, activation, scope: parent };
            self.control(Action::EndIf(id), here);
            self.frame().scope = parent;
        }
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

fn block_number(word: u64) -> Option<u32> {
    (word >> 48 == BLOCK && (word >> 32) & 0xffff == 0).then_some(word as u32)
}

fn return_site(word: u64) -> Option<u32> {
    (word >> 48 == RETURN && (word >> 32) & 0xffff == 0).then_some(word as u32)
}
