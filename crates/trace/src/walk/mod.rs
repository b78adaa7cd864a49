//! Walks a recording through the program and builds the trace.
//!
//! The walk keeps the stack of activations, knows at each command which words the recording holds for it (see
//! `wherefore_program::Command`), and stops where the words end: there the run failed, or was stopped.

mod calls;
mod commands;
mod departing;
mod following;
mod interrupted;
mod meetings;
mod noted;
mod observe;
mod open;
mod plain;
mod printing;
mod question;
mod rounds;
mod scopes;
mod shown;
mod sliced;
mod undone;
mod unseen;
mod variadic;
mod watch;
mod writers;
mod wrong_output;

pub use commands::traps;
pub use interrupted::handler;
pub use meetings::{Held, Meetings, Met, Started, meetings};
pub use observe::follow;
pub use question::{Answer, QUESTION, ask};
pub use rounds::{Kept, Loop, Mark, Outside, Walked, walk_rounds, walk_to_the_end};
pub use sliced::{LARGEST, Slicing, walk_sliced};

use crate::builder::{Builder, Facts, Here, Value, mask};
use crate::decision::{Decisions, control};
use crate::endings::{Calls, Endings};
use crate::failure::{self, Found};
use crate::library::{Chunk, Tables, Unsorted};
use crate::memory::ObjectKind;
use crate::misplaced::Misplaced;
use crate::model::{Activation, Assumed, Branch, BranchId, Departure, Kind, Overflow, Storage, Trace};
pub(crate) use following::Layout;
use following::{Following, Returned};
use interrupted::may_be_interrupted;
use observe::Observer;
use open::OpenBranches;
use printing::Printing;
use question::Question;
use rounds::Rounds;
use rustc_hash::FxHashMap;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use variadic::Variadic;
use watch::Watch;

pub use watch::{Life, Misdeed};
use wherefore_budget::{Budget, Stop};
use wherefore_case::Expected;
use wherefore_clib as clib;
use wherefore_formula::{Node, TermId, VarId};
use wherefore_program::{
    BinaryOp, BlockId, Command, Flow, Function, FunctionId, LocalId, Note, Operand, Operation, Origin, Program, RegId,
    Terminator, TypeId, Unnamed, unnamed,
};
use writers::find_writers;

const BLOCK: u64 = 0xB10C;
const RETURN: u64 = 0x4E70;
/// The last of the words about memory after a call.
pub const SEEN_END: u64 = 0x5EE0 << 48;
/// Memory after a call: in the low half how many bytes, above it whether they were read as a text.
pub const SEEN: u64 = 0x5EE1;
/// What a trace takes for each word of a recording, at least.
const LEAST_BYTES: usize = 16;

/// Words of a run above which it is long.
const LONG_RUN: usize = 10_000;
/// Numbers of signals on Linux.
pub const SIGABRT: i32 = 6;
pub const SIGBUS: i32 = 7;
pub const SIGFPE: i32 = 8;
pub const SIGSEGV: i32 = 11;

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
    /// Address and size of objects that parameters were given to point to.
    pub given_objects: Vec<(u64, u64)>,
    /// What the run wrote to standard output, if that is known.
    pub stdout: Option<&'a [u8]>,
    /// What standard input has, where that is all that will ever be there.
    pub stdin: Option<&'a [u8]>,
    /// Room for its stack, in bytes.
    pub stack: u64,
    /// The other threads of the run, where there were any.
    pub threads: Option<Threads<'a>>,
    /// The run was stopped, and had written no word for a long time.
    pub stands_still: bool,
}

/// The other threads of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Threads<'a> {
    /// The words of those that are recorded, and whether it is the one that runs `main`.
    pub others: Vec<(&'a [u64], bool)>,
    /// Whether these are all, and their words all that they wrote.
    pub are_all_known: bool,
    /// Whether the words of the recording are those of a thread that another one started.
    pub is_started: bool,
}

/// The room that a stack has.
pub const STACK: u64 = 8 << 20;

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
    /// What the command may use is used up.
    #[error("{stop}")]
    Stopped {
        /// Words read until then.
        events: usize,
        /// Why.
        #[source]
        stop: Stop,
    },
}

/// What all walks through a program need; made once where many runs are walked.
#[derive(Clone, Debug)]
pub struct Analysis {
    pub(crate) flows: Arc<[Flow]>,
    pub(crate) decisions: Arc<[Decisions]>,
    /// Where each call stands.
    pub(crate) sites: Arc<HashMap<u32, (FunctionId, BlockId, usize)>>,
    /// What something is added to, for the registers of each function that hold a sum.
    bases: Arc<[Vec<Option<Operand>>]>,
    /// What the locals without a name are for, by function.
    unnamed: Arc<[HashMap<LocalId, Unnamed>]>,
    pub(crate) endings: Arc<Endings>,
    /// Handlers of signals may come.
    pub(crate) handles_signals: bool,
}

impl Analysis {
    /// Analyse a program.
    pub fn new(program: &Program) -> Analysis {
        Analysis::with(program, Calls::MayEnd)
    }

    /// Analyse a program for the story of a run: in a long one what may end the program is taken not to.
    pub(crate) fn of_run(program: &Program, recorded: &Recorded) -> Analysis {
        let cautious = Analysis::new(program);
        let may_end = || program.functions.iter().flat_map(|f| &f.blocks).any(|block| cautious.endings.ends(block));
        if recorded.words.len() > LONG_RUN && may_end() { Analysis::with(program, Calls::Return) } else { cautious }
    }

    fn with(program: &Program, calls: Calls) -> Analysis {
        let (flows, decisions) = control(program, calls);
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
        let bases = program.functions.iter().map(bases).collect();
        let unnamed = program.functions.iter().map(unnamed).collect();
        let endings = Endings::new(program, calls).into();
        let handles_signals = may_be_interrupted(program);
        Analysis {
            flows: flows.into(),
            decisions: decisions.into(),
            sites: sites.into(),
            bases,
            unnamed,
            endings,
            handles_signals,
        }
    }
}

fn bases(function: &Function) -> Vec<Option<Operand>> {
    let mut bases = vec![None; function.registers.len()];
    for command in function.blocks.iter().flat_map(|b| &b.commands) {
        if let Command::Define { target, value: Operation::Binary { op: BinaryOp::Add, left, .. } } = &command.it {
            bases[target.index()] = Some(left.clone());
        }
    }
    bases
}

/// Build the trace of a run, up to its first failure; what differs from what is expected is one.
pub fn walk(
    program: &Program,
    recorded: &Recorded,
    stopped: Stopped,
    expected: &Expected,
    budget: &Budget,
) -> Result<Trace, WalkError> {
    walked(program, &Analysis::of_run(program, recorded), recorded, stopped, expected, budget, None)
}

/// As [`walk`]; a use of memory that C does not allow is a failure, whether the run noticed it or not.
pub fn walk_watching_memory(
    program: &Program,
    recorded: &Recorded,
    stopped: Stopped,
    expected: &Expected,
    budget: &Budget,
) -> Result<Trace, WalkError> {
    walk_again_watching(program, &Analysis::of_run(program, recorded), recorded, stopped, expected, budget)
}

/// As [`walk_watching_memory`], where the program has been analysed before.
pub fn walk_again_watching(
    program: &Program,
    analysis: &Analysis,
    recorded: &Recorded,
    stopped: Stopped,
    expected: &Expected,
    budget: &Budget,
) -> Result<Trace, WalkError> {
    walked(program, analysis, recorded, stopped, expected, budget, Some(Watch::new(program)))
}

/// All that a run does to memory that C does not allow, each kind once. What follows from the first may be wrong because of
/// it.
pub fn misdeeds(
    program: &Program,
    analysis: &Analysis,
    recorded: &Recorded,
    stopped: Stopped,
    budget: &Budget,
) -> Result<Vec<Misdeed>, WalkError> {
    let mut walker = walker(program, analysis, recorded, stopped, budget)?;
    walker.watch = Some(Watch::to_the_end(program));
    walker.run()?;
    Ok(walker.watch.map_or(vec![], Watch::into_misdeeds))
}

fn walked(
    program: &Program,
    analysis: &Analysis,
    recorded: &Recorded,
    stopped: Stopped,
    expected: &Expected,
    budget: &Budget,
    watch: Option<Watch>,
) -> Result<Trace, WalkError> {
    let mut walker = walker(program, analysis, recorded, stopped, budget)?;
    walker.watch = watch;
    walker.printing = Printing::new(recorded.stdout, expected.stdout.as_deref(), stopped);
    walker.run()?;
    if walker.printing.as_ref().is_some_and(|printing| printing.doubt.is_some()) {
        let again = |watch: Option<Watch>| -> Result<Walker, WalkError> {
            let mut walker = self::walker(program, analysis, recorded, stopped, budget)?;
            walker.watch = watch;
            Ok(walker)
        };
        let is_watched = walker.watch.is_some();
        drop(walker);
        let mut noting = again(None)?;
        noting.printing = Printing::noting(recorded.stdout, expected.stdout.as_deref(), stopped);
        noting.run()?;
        let printing = noting.printing.take().and_then(|noted| Printing::placed(noted, stopped));
        walker = again(is_watched.then(|| Watch::new(program)))?;
        walker.printing = printing;
        walker.run()?;
    }
    let mut trace = failure::finish(walker, stopped, expected);
    find_writers(program, analysis, recorded, &mut trace, budget);
    Ok(trace)
}

/// At the start of a run, if there is room for it.
fn walker<'p>(
    program: &'p Program,
    analysis: &Analysis,
    recorded: &'p Recorded<'p>,
    stopped: Stopped,
    budget: &'p Budget,
) -> Result<Walker<'p>, WalkError> {
    let room = budget.room((recorded.words.len() * LEAST_BYTES) as u64);
    room.map_err(|stop| WalkError::Stopped { events: 0, stop })?;
    let mut walker = Walker::new(program, analysis, recorded, budget);
    walker.memory_fault = is_memory_fault(stopped);
    Ok(walker)
}

fn is_memory_fault(stopped: Stopped) -> bool {
    matches!(stopped, Stopped::Signal(SIGSEGV | SIGBUS))
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
    /// The objects it has on the stack.
    pub allocated: Vec<u32>,
    /// The innermost open branch.
    pub scope: Option<BranchId>,
    /// The scope when the function was entered: branches up to it belong to callers.
    pub outer_scope: Option<BranchId>,
    /// The branches it opened, or that a callee left open.
    open: OpenBranches,
    /// Branches evaluated so far of a decision that is under way.
    pub evaluated: Vec<Evaluated>,
    /// The registers' numbers and the bytes of locals without an address, where not all commands become terms.
    numbers: Vec<u128>,
    bytes: Vec<u8>,
    /// A call is under way in code that was entered by it.
    calls: bool,
    /// What the last callee with a body returned.
    returned: Option<Returned>,
    /// Arguments for the parameters.
    pub arguments: Vec<Value>,
    /// Whether code outside the program called it.
    pub from_outside: bool,
    /// Number of steps when it was entered.
    pub entered_at: usize,
    /// The branch that an indirect call under way stands for.
    indirect: Option<BranchId>,
    /// Rounds completed of the loops under way, by their heads; only counted for events.
    rounds: Vec<(BlockId, u32)>,
    /// Rounds and nested calls it lies under as a whole.
    outer_rounds: u32,
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
    flows: Arc<[Flow]>,
    decisions: Arc<[Decisions]>,
    pub(crate) endings: Arc<Endings>,
    /// For branches by function, decision and way taken: whether the other way only fails, and whether it may end the
    /// program.
    /// Which decisions are checks, by the way taken.
    checks: FxHashMap<(FunctionId, BlockId, BlockId), bool>,
    other_ways: FxHashMap<(FunctionId, BlockId, BlockId), (bool, bool)>,
    pub notes: Vec<Note>,
    pub overflows: Vec<Overflow>,
    pub assumed: Vec<Assumed>,
    noted: HashSet<(String, Option<Origin>)>,
    sites: Arc<HashMap<u32, (FunctionId, BlockId, usize)>>,
    variadic: Variadic,
    /// Handlers of signals may come, and one has come where the code outside had not been called.
    handles_signals: bool,
    pub(crate) is_interrupted: bool,
    /// The activation that has called `setjmp` last on the object at an address.
    jumps: HashMap<u64, u32>,
    bases: Arc<[Vec<Option<Operand>>]>,
    unnamed: Arc<[HashMap<LocalId, Unnamed>]>,
    externals: HashMap<&'p str, u64>,
    /// Functions that make objects and free them, by their addresses.
    allocators: HashMap<u64, &'p str>,
    memory_fault: bool,
    /// Memory after the call of the library that returned last.
    chunks: Vec<Chunk>,
    /// Tables of the library.
    pub(crate) tables: Tables,
    /// Where `strtok` goes on.
    pub(crate) token: Option<Value>,
    /// Collects what is stored at places that others read, when somebody asks for it.
    stores: Option<writers::Stores>,
    /// Collects where the thread meets others, when somebody asks for it.
    meetings: Option<Meetings>,
    /// The array that is being sorted.
    pub(crate) unsorted: Option<Unsorted>,
    /// The failure at which the walk stops although the run went on.
    pub failed: Option<Found>,
    /// Output that is not the expected one, and where it departs once that is found.
    printing: Option<Printing>,
    pub departure: Option<Departure>,
    /// The byte of a text of which the output shows that it may stand in the wrong place.
    pub misplaced: Option<Misplaced>,
    /// The result of `main`, when it returned.
    pub main_result: Option<(Value, Here)>,
    /// Collects events, when somebody asks for them.
    pub observer: Option<Observer>,
    /// Holds each use of memory against its object, when somebody asks for it.
    pub watch: Option<Watch>,
    /// Watches a loop, when somebody asks for its rounds.
    rounds: Option<Rounds>,
    /// What the run is asked, when somebody does.
    question: Option<Question>,
    /// Which commands become steps and terms.
    pub(crate) following: Following<'p>,
    /// What the command may use.
    budget: Budget,
}

/// Why the walk of the commands pauses.
enum Pause {
    /// The words are used up.
    End,
    /// Another frame is on top, or the frame is gone.
    Switched,
}

impl<'p> Walker<'p> {
    fn new(program: &'p Program, analysis: &Analysis, recorded: &'p Recorded<'p>, budget: &Budget) -> Self {
        let mut build = Builder::new(program);
        for (index, image) in recorded.globals.iter().enumerate() {
            if image.address != 0 && index < program.globals.len() && !is_merged(program, &build, index, image) {
                let kind = ObjectKind::Global(wherefore_program::GlobalId(index as u32));
                build.memory.allocate(kind, image.address, program.globals[index].size.max(image.size));
            }
            let given = recorded.given_globals.contains(&(index as u32));
            build.images.push(image.content.clone().filter(|_| !given));
        }
        for (base, size) in &recorded.given_objects {
            build.memory.allocate(ObjectKind::Given, *base, *size);
        }
        build.others = recorded.threads.as_ref().is_some_and(|threads| threads.is_started);
        let Analysis { flows, decisions, sites, bases, unnamed, endings, handles_signals } = analysis.clone();
        let externals: HashMap<&str, u64> =
            program.externals.iter().map(String::as_str).zip(recorded.externals.iter().copied()).collect();
        let is_known = |name: &str| {
            let of_objects = |f: &clib::Function| f.allocates.is_some() || f.frees.is_some();
            clib::function(name).is_some_and(of_objects)
        };
        let allocators = externals.iter().filter(|(name, _)| is_known(name)).map(|(name, at)| (*at, *name)).collect();
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
            endings,
            other_ways: FxHashMap::default(),
            checks: FxHashMap::default(),
            notes: vec![],
            overflows: vec![],
            assumed: vec![],
            noted: HashSet::new(),
            sites,
            variadic: Variadic::default(),
            handles_signals,
            is_interrupted: false,
            jumps: HashMap::new(),
            bases,
            unnamed,
            externals,
            allocators,
            memory_fault: false,
            chunks: vec![],
            tables: Tables::default(),
            token: None,
            unsorted: None,
            stores: None,
            meetings: None,
            failed: None,
            printing: None,
            departure: None,
            misplaced: None,
            main_result: None,
            observer: None,
            watch: None,
            rounds: None,
            question: None,
            following: Following::Everything,
            budget: budget.clone(),
        }
    }

    fn run(&mut self) -> Result<(), WalkError> {
        if !self.following.is_partial() {
            // About a step a word: what is not written takes no memory, and what grows is there twice while it is moved.
            self.build.steps.reserve_exact(self.recorded.words.len());
        }
        loop {
            if self.frames.is_empty() {
                let Some(&word) = self.recorded.words.get(self.at) else { return Ok(()) };
                let Some(function) = self.entry_of(word) else {
                    return Err(self.out_of_step("expected the entry of a function"));
                };
                if !self.enter(function, vec![], vec![], None, true)? {
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

    /// Memory after a call of the library: `None` when the words end.
    fn memory_words(&mut self) -> Result<Option<Vec<Chunk>>, WalkError> {
        let mut chunks = vec![];
        loop {
            let Some(head) = self.word() else { return Ok(None) };
            if head == SEEN_END {
                return Ok(Some(chunks));
            }
            if head >> 48 != SEEN {
                return Err(self.out_of_step("what a call did to memory is not told"));
            }
            let count = head as u32 as usize;
            let Some(address) = self.word() else { return Ok(None) };
            let end = self.at.saturating_add(count.div_ceil(8));
            let Some(words) = self.recorded.words.get(self.at..end) else { return Ok(None) };
            self.at = end;
            if address.checked_add(count as u64).is_none() {
                return Err(self.out_of_step("memory is accessed beyond its end"));
            }
            let bytes = words.iter().flat_map(|word| word.to_le_bytes()).take(count).collect();
            chunks.push(Chunk { address, bytes, text: head >> 32 & 1 == 1 });
        }
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
        numbers: Vec<u128>,
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
        let (mut arguments, mut numbers) = (arguments, numbers);
        let is_plain = self.following.is_partial();
        if function.params_recorded {
            for (index, param) in function.params.iter().enumerate() {
                let bits = function.registers[param.index()];
                let Some(value) = self.value_words(bits) else { return Ok(false) };
                if index >= numbers.len() {
                    numbers.push(value);
                }
                if index >= arguments.len() && !is_plain {
                    let value = self.build.constant(bits, value);
                    arguments.push(value);
                }
            }
        }
        let outer_rounds = self.count_entry(id);
        self.frames.push(Frame {
            function: id,
            activation,
            block: BlockId(0),
            command: 0,
            registers: if is_plain { vec![] } else { vec![None; function.registers.len()] },
            numbers: if is_plain { vec![0; function.registers.len()] } else { vec![] },
            bytes: self.following.room_of_locals(id),
            calls: false,
            locals: vec![None; function.locals.len()],
            allocated: vec![],
            scope,
            outer_scope: scope,
            open: OpenBranches::default(),
            evaluated: vec![],
            returned: None,
            arguments: arguments.clone(),
            from_outside,
            entered_at: self.build.steps.len(),
            indirect: None,
            rounds: vec![],
            outer_rounds,
        });
        let frame = self.frames.last_mut().expect("pushed");
        if is_plain {
            for (param, number) in function.params.iter().zip(numbers) {
                frame.numbers[param.index()] = number;
            }
        }
        for (param, value) in function.params.iter().zip(arguments) {
            self.set(*param, value);
        }
        Ok(true)
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("an activation is on the stack")
    }

    fn set(&mut self, target: RegId, value: Value) {
        let is_plain = self.following.is_partial();
        let frame = self.frame();
        if is_plain {
            frame.numbers[target.index()] = value.concrete;
            if frame.registers.len() <= target.index() {
                frame.registers.resize(target.index() + 1, None);
            }
        }
        frame.registers[target.index()] = Some(value);
    }

    /// Execute commands of the top frame.
    fn commands(&mut self) -> Result<Pause, WalkError> {
        self.begin_piece();
        loop {
            self.budget.check().map_err(|stop| WalkError::Stopped { events: self.at, stop })?;
            if self.failed.is_some() {
                return Ok(Pause::End);
            }
            if let Some(handler) = self.interruption() {
                self.is_interrupted = true;
                let entered = self.enter(handler, vec![], vec![], None, true)?;
                return Ok(if entered { Pause::Switched } else { Pause::End });
            }
            let frame = self.frames.last().expect("an activation is on the stack");
            let block = &self.program.functions[frame.function.index()].blocks[frame.block.index()];
            let kept = self.following.next();
            let Some(command) = block.commands.get(frame.command) else {
                match self.terminator(&block.terminator.it, block.terminator.at, kept)? {
                    Some(pause) => return Ok(pause),
                    None => {
                        self.begin_piece();
                        continue;
                    }
                }
            };
            if let Command::Call { target, callee, arguments, site } = &command.it {
                match self.call(*target, callee, arguments, *site, command.at, kept)? {
                    Some(pause) => return Ok(pause),
                    None => {
                        let frame = self.frame();
                        frame.command += 1;
                        frame.calls = false;
                        self.begin_piece();
                    }
                }
            } else if self.watch_command(&command.it, command.at) && self.carry_out(&command.it, command.at, kept)? {
                self.watch_allocation(&command.it);
                self.frame().command += 1;
            } else {
                return Ok(Pause::End);
            }
        }
    }

    /// The value of an operand.
    pub fn operand(&mut self, operand: &Operand) -> Value {
        match operand {
            Operand::Register(r) => {
                let frame = self.frames.last().expect("an activation is on the stack");
                if let Some(Some(value)) = frame.registers.get(r.index()) {
                    return value.clone();
                }
                let bits = self.program.functions[frame.function.index()].registers[r.index()];
                let number = frame.numbers.get(r.index()).copied().unwrap_or(0);
                self.build.constant(bits, number)
            }
            Operand::Constant { bits, value } => self.build.constant(*bits, *value),
            Operand::Undefined { bits } => self.build.constant(*bits, 0),
            _ => {
                let address = self.address(operand);
                self.build.constant(64, u128::from(address))
            }
        }
    }

    /// The address that an operand is which is no register and no number.
    fn address(&self, operand: &Operand) -> u64 {
        match operand {
            Operand::Global(id, offset) => {
                self.recorded.globals.get(id.index()).map_or(0, |g| g.address).wrapping_add_signed(*offset)
            }
            Operand::Local(id, offset) => self.local_base(*id).wrapping_add_signed(*offset),
            Operand::Function(id) => self.recorded.functions.get(id.index()).copied().unwrap_or(0),
            Operand::External(name) => self.externals.get(name.as_str()).copied().unwrap_or(0),
            Operand::Register(_) | Operand::Constant { .. } | Operand::Undefined { .. } => 0,
        }
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
        let ctype = self.local_type(frame.function, local);
        let kind = ObjectKind::Local { activation: frame.activation, local, ctype };
        let object = self.build.memory.unaddressed(kind, declared.size.unwrap_or(0));
        self.frame().locals[local.index()] = Some(object);
        object
    }

    /// The type of a local: where a result is collected, it is that of the result.
    fn local_type(&self, function: FunctionId, local: LocalId) -> Option<TypeId> {
        let declared = &self.program.functions[function.index()];
        let is_result = self.unnamed[function.index()].get(&local) == Some(&Unnamed::Result);
        let fits = |t: &TypeId| {
            self.program.types.size(*t).is_some_and(|size| Some(size) <= declared.locals[local.index()].size)
        };
        let of_result = || declared.result_type.filter(|t| is_result && fits(t));
        declared.locals[local.index()].ctype.or_else(of_result)
    }

    /// Follow a terminator; `None` when the frame goes on in its next block.
    fn terminator(
        &mut self,
        terminator: &Terminator,
        at: Option<Origin>,
        kept: bool,
    ) -> Result<Option<Pause>, WalkError> {
        if !self.watch_terminator(terminator, at) {
            return Ok(Some(Pause::End));
        }
        if let Terminator::Return(value) = terminator {
            self.leave(value.as_ref(), at, kept);
            return Ok(Some(Pause::Switched));
        }
        let Some(&word) = self.recorded.words.get(self.at) else { return Ok(Some(Pause::End)) };
        let frame = self.frames.last().expect("an activation is on the stack");
        let (from, function) = (frame.block, frame.function);
        let first = self.program.functions[function.index()].first_block;
        let next = block_number(word).and_then(|n| n.checked_sub(first)).map(BlockId);
        let Some(to) = next.filter(|to| terminator.leads_to(*to)) else {
            if return_site(word).is_some() {
                let site = return_site(word).expect("checked");
                self.at += 1;
                self.long_jump(site)?;
                return Ok(None);
            }
            return Err(self.out_of_step("control goes where the program does not"));
        };
        self.at += 1;
        self.observe_way(terminator, from, to, at);
        self.count_round(from, to);
        if kept {
            self.decide(terminator, to, at);
        } else {
            self.count_statement(at.filter(|_| terminator.operand().is_some()), 2);
            self.note_elsewhere(terminator, to);
        }
        self.watch_choice(from, to);
        self.choose(from, to);
        self.arrive(to);
        let frame = self.frame();
        (frame.block, frame.command) = (to, 0);
        self.watch_round(to);
        Ok(None)
    }

    /// A function returns.
    fn leave(&mut self, value: Option<&Operand>, at: Option<Origin>, kept: bool) {
        let function = self.frames.last().expect("an activation is on the stack").function;
        let number = value.filter(|_| !kept).map_or(0, |operand| self.in_run(operand));
        let result = value.filter(|_| kept).map(|operand| {
            let value = self.operand(operand);
            let here = self.here(at);
            if self.is_result_slot(&value) || self.build.terms.constant(value.term).is_some() && at.is_none() {
                return value;
            }
            let bits = self.build.terms.width(value.term);
            let storage = Storage::Result { activation: here.activation };
            let ctype = self.program.functions[function.index()].result_type;
            let var = self.build.variable(storage, bits, ctype, None);
            // A struct was returned when it was put into the slot.
            let kind = if self.gathers_result(&value) { Kind::Internal } else { Kind::Return };
            self.build.assign(var, &value, kind, here);
            self.build.value_of(var)
        });
        let here = self.here(at);
        if let Some(result) = result.as_ref().filter(|_| self.frames.len() == 1) {
            self.observe_end(result, at);
        }
        self.leave_scopes();
        self.count_exits([function]);
        let from_outside = self.pop_frame().is_some_and(|f| f.from_outside);
        match self.frames.last_mut() {
            // Called back: the result goes to the library, not to the call that is under way here.
            Some(_) if from_outside => {}
            Some(caller) => {
                caller.returned = Some(result.map_or(Returned::Number(number), Returned::Value));
            }
            None => self.main_result = result.map(|r| (r, here)),
        }
    }

    /// An activation ends, and with it what it has allocated on the stack: somebody else's memory will lie there.
    fn pop_frame(&mut self) -> Option<Frame> {
        let left = self.frames.pop()?;
        for object in &left.allocated {
            let it = &self.build.memory.objects[*object as usize];
            self.variadic.forget(it.base..it.base + it.size);
            self.build.memory.end(*object);
        }
        Some(left)
    }

    /// Whether a value is just what the compiler's slot for the result holds.
    fn is_result_slot(&self, value: &Value) -> bool {
        matches!(self.build.terms.node(value.term), Node::Var(..)) && self.gathers_result(value)
    }

    /// Whether a value is what lies in the compiler's slot for the result, put together.
    fn gathers_result(&self, value: &Value) -> bool {
        let local = |(var, _): &(VarId, u32)| match self.build.variables[var.0 as usize].storage {
            Storage::Local { activation, local, .. } => Some((activation, local)),
            _ => None,
        };
        let mut locals = value.facts.reads.iter().map(local);
        let Some(Some((activation, slot))) = locals.next() else { return false };
        let function = &self.program.functions[self.activations[activation as usize].function.index()];
        let gathers = |t: &TermId| {
            let node = self.build.terms.node(*t);
            matches!(
                node,
                Node::Var(..) | Node::Const { .. } | Node::Concat(..) | Node::Extract { .. } | Node::ZeroExtend(..)
            )
        };
        locals.all(|l| l == Some((activation, slot)))
            && function.locals[slot.index()].name.is_none()
            && self.build.terms.reachable(&[value.term]).iter().all(gathers)
    }
}

/// Whether a constant lies within another one: linkers put a literal where a longer one ends.
fn is_merged(program: &Program, build: &Builder, index: usize, image: &GlobalImage) -> bool {
    let (object, offset) = build.memory.find(image.address);
    let within = &build.memory.objects[object as usize];
    let ObjectKind::Global(other) = within.kind else { return false };
    let constant = program.globals[index].constant && program.globals[other.index()].constant;
    let size = program.globals[index].size.max(image.size);
    constant && offset.checked_add(size).is_some_and(|end| end <= within.size)
}

/// The number of the block that a word of a recording announces.
pub fn block_number(word: u64) -> Option<u32> {
    (word >> 48 == BLOCK && (word >> 32) & 0xffff == 0).then_some(word as u32)
}

pub fn return_site(word: u64) -> Option<u32> {
    (word >> 48 == RETURN && (word >> 32) & 0xffff == 0).then_some(word as u32)
}
