//! Handlers of signals, which come between two words wherever the recorded code asks for room.

use super::Walker;
use crate::walk::block_number;
use wherefore_program::{Block, BlockId, Callee, Command, FunctionId, Operation, Place, Program, Terminator};

/// Functions that say what a signal is handled by.
const INSTALL: &[&str] = &["signal", "sigaction", "__sysv_signal", "bsd_signal", "sigset", "sigvec"];

/// Whether handlers of signals may come.
pub fn may_be_interrupted(program: &Program) -> bool {
    let commands = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|block| &block.commands);
    let is_called = |command: &Command| match command {
        Command::Call { callee: Callee::External(name), .. } => INSTALL.contains(&name.as_str()),
        _ => false,
    };
    let mut addressed = program.externals.iter();
    addressed.any(|name| INSTALL.contains(&name.as_str())) || commands.map(|c| &c.it).any(is_called)
}

/// The function that is entered by this word where control is at a command of a block, or at its end, and only a handler
/// can be: what comes next there are other words.
pub fn handler(program: &Program, block: &Block, command: usize, word: u64) -> Option<FunctionId> {
    let (function, entered) = program.block(block_number(word)?)?;
    let comes_other = match block.commands.get(command).map(|c| &c.it) {
        None => !matches!(block.terminator.it, Terminator::Return(_)),
        Some(Command::Define { value, .. }) => matches!(value, Operation::Opaque { .. }),
        Some(Command::Load { place, logged, .. }) => *logged || matches!(place, Place::Memory(_)),
        Some(Command::Store { place, .. }) => matches!(place, Place::Memory(_)),
        Some(Command::Allocate { .. } | Command::Copy { .. } | Command::Fill { .. }) => true,
        Some(Command::Call { callee: Callee::Function(callee), .. }) => *callee != function,
        // Code outside calls back in the same way.
        Some(Command::Call { .. }) => false,
    };
    (entered == BlockId(0) && comes_other).then_some(function)
}

impl Walker<'_> {
    /// The handler of a signal that comes here.
    pub(super) fn interruption(&self) -> Option<FunctionId> {
        if !self.handles_signals {
            return None;
        }
        let frame = self.frames.last()?;
        let block = &self.program.functions[frame.function.index()].blocks[frame.block.index()];
        // What the callee has returned belongs to the call that is over.
        let is_over = frame.returned.is_some() && frame.command < block.commands.len();
        let word = *self.recorded.words.get(self.at)?;
        handler(self.program, block, frame.command, word).filter(|_| !is_over)
    }
}
