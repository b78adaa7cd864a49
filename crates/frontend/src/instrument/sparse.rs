//! Which blocks have to be counted where only lines matter, and what judges the program.

use std::collections::HashSet;
use wherefore_clib as clib;
use wherefore_program::{Block, BlockId, Callee, Command, FileId, Flow, Function, Program};

/// For each block of a program, by its number, whether it is counted: all of a function in which the program is judged, of the
/// others those without which a line would seem to be executed less often than it is. Texts with edits consist of little
/// else than blocks of a line that is counted already.
pub(crate) fn counted(program: &Program) -> Vec<bool> {
    let judged = |function: &Function| function.blocks.iter().any(|block| is_judged(program, block));
    let of_function = |function: &Function| match judged(function) {
        true => vec![true; function.blocks.len()],
        false => needed(function),
    };
    program.functions.iter().flat_map(of_function).collect()
}

fn is_judged(program: &Program, block: &Block) -> bool {
    block.commands.iter().any(|command| {
        let Command::Call { callee, .. } = &command.it else { return false };
        let name = match callee {
            Callee::External(name) => name.as_str(),
            Callee::Function(id) => &program.functions[id.index()].name,
            Callee::Pointer(_) | Callee::Assembly => return false,
        };
        clib::judge(name).is_some() || clib::ending(name).is_some_and(|ends| ends.is_failure())
    })
}

/// A block need not be counted if one that dominates it has all of its lines and lies in the same loops: it is executed at
/// least as often.
fn needed(function: &Function) -> Vec<bool> {
    let flow = Flow::new(function);
    let lines: Vec<HashSet<(FileId, u32)>> = function.blocks.iter().map(lines).collect();
    let is_covered = |block: usize| {
        let mut above = flow.dominator[block];
        while let Some(BlockId(other)) = above {
            let other = other as usize;
            if flow.loops[other] == flow.loops[block] && lines[block].is_subset(&lines[other]) {
                return true;
            }
            above = flow.dominator[other];
        }
        false
    };
    (0..function.blocks.len()).map(|block| !is_covered(block)).collect()
}

fn lines(block: &Block) -> HashSet<(FileId, u32)> {
    let places = block.commands.iter().map(|command| command.at).chain([block.terminator.at]);
    places.flatten().map(|at| (at.file, at.line)).collect()
}
