//! Which ways end the program: with a status, so that what follows is not reached, or by failing.

use wherefore_clib::{self as clib, Ending, Judge, LABEL};
use wherefore_program::{Block, Callee, Command, Program, Terminator};

/// Which functions may end the program without failing.
#[derive(Clone, Debug)]
pub struct Endings {
    may_end: Vec<bool>,
}

impl Endings {
    /// Look at all calls of a program. Calls through pointers count as returning.
    pub fn new(program: &Program) -> Endings {
        let mut endings = Endings { may_end: vec![false; program.functions.len()] };
        loop {
            let may_end: Vec<bool> =
                program.functions.iter().map(|f| f.blocks.iter().any(|b| endings.may_end(b))).collect();
            if may_end == endings.may_end {
                return endings;
            }
            endings.may_end = may_end;
        }
    }

    /// Whether a block calls something that may end the program without failing.
    pub fn may_end(&self, block: &Block) -> bool {
        block.commands.iter().any(|c| match &c.it {
            Command::Call { callee: Callee::Function(id), .. } => self.may_end[id.index()],
            Command::Call { callee: Callee::External(name), .. } => leaves(name),
            _ => false,
        })
    }
}

/// Whether the program does not go on behind a call of the library, without having failed.
fn leaves(name: &str) -> bool {
    clib::function(name).is_some_and(|f| f.jumps || f.ends.is_some_and(|ending| !ending.is_failure()))
}

/// Whether control that comes to a block fails there.
pub fn fails(program: &Program, block: &Block) -> bool {
    let called = block.commands.iter().rev().filter_map(|c| match &c.it {
        Command::Call { callee: Callee::External(name), .. } => Some(name.as_str()),
        Command::Call { callee: Callee::Function(id), .. } => Some(program.functions[id.index()].name.as_str()),
        _ => None,
    });
    let mut called = called.peekable();
    let judged = called.peek().is_some_and(|name| clib::judge(name) == Some(Judge::Asserts));
    let ends_here = matches!(block.terminator.it, Terminator::Unreachable);
    // Behind a label that is to be unreachable the block goes on, and the run does not.
    judged && ends_here
        || called.enumerate().any(|(number, name)| {
            clib::ending(name).is_some_and(Ending::is_failure) && (number == 0 && ends_here || name == LABEL)
        })
}
