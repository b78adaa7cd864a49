//! Skims a recording: which loops are under way where the words end, and where in the words their rounds begin.
//!
//! No values are computed, so that a run of many millions of words is gone through in little time.

use crate::walk::{Analysis, SEEN, SEEN_END, WalkError, block_number, handler, return_site};
use wherefore_budget::Budget;
use wherefore_clib::{self as clib, Function};
use wherefore_program::{
    Block, BlockId, Callee, Command, Flow, FunctionId, Operation, Origin, Place, Program, RegId, Terminator,
};

/// So many beginnings of rounds are kept of each loop.
const VISITS: usize = 1024;

/// The clock is looked at after so many words.
const LOOK: usize = 1 << 14;

/// Where a recording ends.
pub struct Skimmed {
    /// The activations there, outermost first.
    pub stack: Vec<Level>,
    /// The function outside the program that has been called and has not come back.
    pub within: Option<(String, Option<Origin>)>,
    /// Whether a function was called after which something else may end or change the program.
    pub is_unsettled: bool,
}

/// An activation on the stack.
pub struct Level {
    pub function: FunctionId,
    /// Its number among all activations of the run.
    pub activation: u32,
    pub block: BlockId,
    pub command: usize,
    /// The loops under way, outermost first.
    pub loops: Vec<Running>,
    from_outside: bool,
}

/// A loop under way.
#[derive(Clone, Debug)]
pub struct Running {
    pub head: BlockId,
    /// How often control came to its head.
    pub rounds: u64,
    /// Where in the words it did so first.
    pub visits: Vec<usize>,
    /// Where it did so last.
    pub last: usize,
    /// Words of the longest round that is over.
    pub longest: usize,
}

/// What comes after a command.
enum Next {
    Command,
    Elsewhere,
    End,
}

struct Skim<'a> {
    program: &'a Program,
    analysis: &'a Analysis,
    words: &'a [u64],
    at: usize,
    stack: Vec<Level>,
    activations: u32,
    /// Where code outside was called, by the numbers of the calls.
    outside: Vec<bool>,
}

/// Go through the words up to their end.
///
/// # Errors
/// When they do not fit the program, or the budget is over.
pub fn skim(program: &Program, analysis: &Analysis, words: &[u64], budget: &Budget) -> Result<Skimmed, WalkError> {
    let mut skim = Skim { program, analysis, words, at: 0, stack: vec![], activations: 0, outside: vec![] };
    let mut look = LOOK;
    loop {
        if skim.at >= look {
            budget.check().map_err(|stop| WalkError::Stopped { events: skim.at, stop })?;
            look = skim.at + LOOK;
        }
        let next = match skim.stack.last() {
            None => skim.begin()?,
            Some(_) => skim.command()?,
        };
        match next {
            Next::Command => skim.stack.last_mut().expect("an activation is on the stack").command += 1,
            Next::Elsewhere => {}
            Next::End => break,
        }
    }
    let (within, is_unsettled) = (skim.within(), skim.is_unsettled());
    Ok(Skimmed { stack: skim.stack, within, is_unsettled })
}

impl<'a> Skim<'a> {
    fn word(&mut self) -> Option<u64> {
        let word = self.words.get(self.at).copied();
        self.at += usize::from(word.is_some());
        word
    }

    /// Leave out so many words; false when they end before.
    fn pass(&mut self, count: usize) -> bool {
        let enough = self.at + count <= self.words.len();
        self.at = (self.at + count).min(self.words.len());
        enough
    }

    fn top(&self) -> &Level {
        self.stack.last().expect("an activation is on the stack")
    }

    fn block(&self) -> &'a Block {
        let level = self.top();
        &self.program.functions[level.function.index()].blocks[level.block.index()]
    }

    fn flow(&self) -> &'a Flow {
        &self.analysis.flows[self.top().function.index()]
    }

    fn width(&self, register: RegId) -> usize {
        let bits = self.program.functions[self.top().function.index()].registers[register.index()];
        bits.div_ceil(64).max(1) as usize
    }

    fn out_of_step(&self, what: &str) -> WalkError {
        let function = self.stack.last().map_or("the start", |l| &self.program.functions[l.function.index()].name);
        WalkError::OutOfStep { events: self.at, function: function.to_string(), what: what.to_string() }
    }

    fn begin(&mut self) -> Result<Next, WalkError> {
        let Some(&word) = self.words.get(self.at) else { return Ok(Next::End) };
        let entry = self.entry_of(word);
        let Some(function) = entry else { return Err(self.out_of_step("expected the entry of a function")) };
        Ok(self.enter(function, true))
    }

    fn entry_of(&self, word: u64) -> Option<FunctionId> {
        let (function, block) = self.program.block(block_number(word)?)?;
        (block == BlockId(0)).then_some(function)
    }

    fn enter(&mut self, function: FunctionId, from_outside: bool) -> Next {
        if self.word().is_none() {
            return Next::End;
        }
        let declared = &self.program.functions[function.index()];
        let activation = self.activations;
        self.activations += 1;
        let (block, command, loops) = (BlockId(0), 0, vec![]);
        self.stack.push(Level { function, activation, block, command, loops, from_outside });
        let words = |r: &RegId| declared.registers[r.index()].div_ceil(64).max(1) as usize;
        let params: usize = declared.params.iter().map(words).sum();
        if declared.params_recorded && params > 0 && !self.pass(params) {
            return Next::End;
        }
        Next::Elsewhere
    }

    fn command(&mut self) -> Result<Next, WalkError> {
        let block = self.block();
        if self.analysis.handles_signals
            && let Some(word) = self.words.get(self.at)
            && let Some(function) = handler(self.program, block, self.top().command, *word)
        {
            return Ok(self.enter(function, true));
        }
        let Some(command) = block.commands.get(self.top().command) else {
            return self.terminator(&block.terminator.it);
        };
        let words = match &command.it {
            Command::Define { target, value: Operation::Opaque { .. } } => self.width(*target),
            Command::Define { .. } => 0,
            Command::Load { target, place: Place::Memory(_), .. } => 1 + self.width(*target),
            Command::Load { target, logged: true, .. } => self.width(*target),
            Command::Load { .. } => 0,
            Command::Store { place: Place::Memory(_), .. } => 1,
            Command::Store { .. } => 0,
            Command::Allocate { .. } | Command::Fill { .. } => 2,
            Command::Copy { .. } => 3,
            Command::Call { target, callee, site, .. } => return self.call(*target, callee, *site),
        };
        Ok(if words == 0 || self.pass(words) { Next::Command } else { Next::End })
    }

    fn call(&mut self, target: Option<RegId>, callee: &Callee, site: u32) -> Result<Next, WalkError> {
        let Some(&word) = self.words.get(self.at) else { return Ok(Next::End) };
        if let Callee::Function(id) = callee {
            let function = &self.program.functions[id.index()];
            if block_number(word) != Some(function.first_block) {
                return Err(self.out_of_step("a call does not enter its callee"));
            }
            return Ok(self.enter(*id, false));
        }
        if let Some(function) = self.entry_of(word) {
            // A function of the program that a pointer leads to is not outside.
            if !matches!(callee, Callee::Pointer(_)) {
                self.calls_outside(site);
            }
            return Ok(self.enter(function, true));
        }
        self.calls_outside(site);
        let Some(returned_to) = return_site(word) else {
            return Err(self.out_of_step("a call neither returns nor enters a function"));
        };
        self.at += 1;
        if returned_to != site {
            return self.long_jump(returned_to);
        }
        let words = target.map_or(0, |t| self.width(t));
        if words > 0 && !self.pass(words) {
            return Ok(Next::End);
        }
        let is_seen = matches!(callee, Callee::External(name) if clib::function(name).is_some_and(Function::is_seen));
        if is_seen { self.memory() } else { Ok(Next::Command) }
    }

    fn calls_outside(&mut self, site: u32) {
        let site = site as usize;
        if self.outside.len() <= site {
            self.outside.resize(site + 1, false);
        }
        self.outside[site] = true;
    }

    /// What a call of the library did to memory is left out.
    fn memory(&mut self) -> Result<Next, WalkError> {
        loop {
            let Some(head) = self.word() else { return Ok(Next::End) };
            if head == SEEN_END {
                return Ok(Next::Command);
            }
            if head >> 48 != SEEN {
                return Err(self.out_of_step("what a call did to memory is not told"));
            }
            // The address, and the bytes.
            if !self.pass(1 + (head as u32 as usize).div_ceil(8)) {
                return Ok(Next::End);
            }
        }
    }

    fn terminator(&mut self, terminator: &Terminator) -> Result<Next, WalkError> {
        if let Terminator::Return(_) = terminator {
            let left = self.stack.pop().expect("an activation is on the stack");
            return Ok(if !left.from_outside && self.is_at_plain_call() { Next::Command } else { Next::Elsewhere });
        }
        let Some(&word) = self.words.get(self.at) else { return Ok(Next::End) };
        let level = self.top();
        let first = self.program.functions[level.function.index()].first_block;
        let next = block_number(word).and_then(|n| n.checked_sub(first)).map(BlockId);
        let Some(to) = next.filter(|b| self.flow().successors[level.block.index()].contains(b)) else {
            let Some(site) = return_site(word) else {
                return Err(self.out_of_step("control goes where the program does not"));
            };
            self.at += 1;
            return self.long_jump(site);
        };
        self.arrive(to);
        self.at += 1;
        Ok(Next::Elsewhere)
    }

    /// Whether the call under way is over when its callee returns; of others a word follows, or another callee.
    fn is_at_plain_call(&self) -> bool {
        let Some(level) = self.stack.last() else { return false };
        let command = self.block().commands.get(level.command).map(|c| &c.it);
        matches!(command, Some(Command::Call { callee: Callee::Function(_), .. }))
    }

    /// Control arrives in a block: loops are left, entered, or begin another round.
    fn arrive(&mut self, to: BlockId) {
        let around = &self.flow().loops[to.index()];
        let at = self.at;
        let level = self.stack.last_mut().expect("an activation is on the stack");
        (level.block, level.command) = (to, 0);
        while level.loops.last().is_some_and(|l| !around.contains(&l.head)) {
            level.loops.pop();
        }
        if !around.contains(&to) {
            return;
        }
        match level.loops.last_mut().filter(|l| l.head == to) {
            Some(running) => {
                running.longest = running.longest.max(at - running.last);
                running.last = at;
                running.rounds += 1;
                if running.visits.len() < VISITS {
                    running.visits.push(at);
                }
            }
            None => level.loops.push(Running { head: to, rounds: 1, visits: vec![at], last: at, longest: 0 }),
        }
    }

    fn long_jump(&mut self, site: u32) -> Result<Next, WalkError> {
        let Some(&(function, block, command)) = self.analysis.sites.get(&site) else {
            return Err(self.out_of_step("a call returns to an unknown place"));
        };
        while self.stack.last().is_some_and(|l| l.function != function) {
            self.stack.pop();
        }
        if self.stack.is_empty() {
            return Err(self.out_of_step("a long jump goes to a function that is not active"));
        }
        let around = &self.flow().loops[block.index()];
        let level = self.stack.last_mut().expect("an activation is on the stack");
        (level.block, level.command) = (block, command);
        level.loops.retain(|l| around.contains(&l.head));
        let words = match self.block().commands[command].it {
            Command::Call { target: Some(target), .. } => self.width(target),
            _ => 0,
        };
        Ok(if words == 0 || self.pass(words) { Next::Command } else { Next::End })
    }

    /// The call of a function outside in which the words end.
    fn within(&self) -> Option<(String, Option<Origin>)> {
        let level = self.stack.last()?;
        let command = self.block().commands.get(level.command)?;
        match &command.it {
            Command::Call { callee: Callee::External(name), .. } => Some((name.clone(), command.at)),
            _ => None,
        }
    }

    /// Whether one of the calls may have seen to it that something else ends or changes the program.
    fn is_unsettled(&self) -> bool {
        let called = (0..).zip(&self.outside).filter(|(_, called)| **called);
        let mut callees = called.filter_map(|(site, _)| {
            let (function, block, command) = self.analysis.sites.get(&site)?;
            match &self.program.functions[function.index()].blocks[block.index()].commands[*command].it {
                Command::Call { callee, .. } => Some(callee),
                _ => None,
            }
        });
        callees.any(|callee| match callee {
            Callee::Function(_) => false,
            Callee::External(name) => clib::unsettles(name),
            Callee::Pointer(_) => self.program.externals.iter().any(|name| clib::unsettles(name)),
            Callee::Assembly => true,
        })
    }
}
