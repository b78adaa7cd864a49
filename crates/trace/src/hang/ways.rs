//! What the rounds of a loop run, as places of the source.

use std::collections::HashSet;
use wherefore_program::{Block, BlockId, Command, Flow, Function, LocalId, Origin, Place};

/// The blocks that the last rounds that are over went through, in order, each once.
pub fn last(ways: &[Vec<BlockId>], rounds: usize) -> Vec<BlockId> {
    let over = &ways[..ways.len().saturating_sub(1)];
    let mut seen = HashSet::new();
    let blocks = over[over.len().saturating_sub(rounds)..].iter().flatten().copied();
    blocks.filter(|block| seen.insert(*block)).collect()
}

/// Where the statements of blocks stand.
pub fn places(function: &Function, blocks: &[BlockId]) -> Vec<Origin> {
    let mut seen = HashSet::new();
    let all = blocks.iter().flat_map(|b| origins(&function.blocks[b.index()]));
    all.filter(|at| seen.insert(*at)).collect()
}

fn origins(block: &Block) -> impl Iterator<Item = Origin> {
    block.commands.iter().filter_map(|c| c.at).chain(block.terminator.at)
}

/// Where a loop sets locals with a name in blocks that were not gone through.
pub fn not_run(function: &Function, flow: &Flow, head: BlockId, ran: &[BlockId]) -> Vec<(LocalId, Origin)> {
    let of_loop = (0..function.blocks.len()).filter(|b| flow.loops[*b].contains(&head));
    let others = of_loop.filter(|b| !ran.contains(&BlockId(*b as u32)));
    let commands = others.flat_map(|b| &function.blocks[b].commands);
    let sets = commands.filter_map(|command| match &command.it {
        Command::Store { place: Place::Local(local, _), .. } => Some((*local, command.at?)),
        _ => None,
    });
    sets.filter(|(local, _)| function.locals[local.index()].name.is_some()).collect()
}
