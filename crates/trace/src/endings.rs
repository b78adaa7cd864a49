//! Which ways end the program: with a status, so that what follows is not reached, or by failing.

use wherefore_clib::{self as clib, Ending, Judge, LABEL};
use wherefore_program::{Block, BlockId, Callee, Command, Function, Program, Terminator};

/// What is made of what may end the program without failing.
///
/// In a long run every call that may give up (`if (full) flush();`) and every check (`if (!f) die();`) would make all that
/// follows depend on it; a person takes for granted that the one returns and the other is passed.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Calls {
    /// What comes after a branch depends on its not having ended the program.
    #[default]
    MayEnd,
    /// Calls that may return do so, and checks are passed.
    Return,
}

/// Which functions end the program without failing.
#[derive(Clone, Debug)]
pub struct Endings {
    /// By what is made of those that may.
    pub calls: Calls,
    ends: Vec<bool>,
}

impl Endings {
    /// Look at all calls of a program. Calls through pointers count as returning.
    pub fn new(program: &Program, calls: Calls) -> Endings {
        let mut endings = Endings { calls, ends: vec![false; program.functions.len()] };
        loop {
            let function = |f: &Function| match calls {
                Calls::MayEnd => f.blocks.iter().any(|b| endings.ends(b)),
                Calls::Return => endings.never_returns(f),
            };
            let ends: Vec<bool> = program.functions.iter().map(function).collect();
            if ends == endings.ends {
                return endings;
            }
            endings.ends = ends;
        }
    }

    /// Whether a block calls something that ends the program without failing.
    pub fn ends(&self, block: &Block) -> bool {
        block.commands.iter().any(|c| match &c.it {
            Command::Call { callee: Callee::Function(id), .. } => self.ends[id.index()],
            Command::Call { callee: Callee::External(name), .. } => leaves(name),
            _ => false,
        })
    }

    /// Whether no way through a function comes to its end, and some way ends the program.
    fn never_returns(&self, function: &Function) -> bool {
        !function.blocks.is_empty() && self.gives_up(function, vec![BlockId(0)], None)
    }

    /// Whether no way from some blocks comes to another one or to the end of the function, and some way ends the program.
    pub fn gives_up(&self, function: &Function, mut open: Vec<BlockId>, to: Option<BlockId>) -> bool {
        let (mut seen, mut ends) = (vec![false; function.blocks.len()], false);
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            let block = &function.blocks[id.index()];
            if self.ends(block) {
                ends = true;
            } else if to == Some(id) || matches!(block.terminator.it, Terminator::Return(_)) {
                return false;
            } else {
                open.extend(block.terminator.it.successors());
            }
        }
        ends
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
