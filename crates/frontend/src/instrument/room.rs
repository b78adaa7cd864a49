//! Where a function must ask whether the recording has room.
//!
//! The runtime leaves room for [`ROOM`] words after the limit. A function asks at its entry, at the head of each loop,
//! and wherever more words than that could come together on a way since it last asked. It returns having written at
//! most [`LEFT`] words since it asked, so that a caller knows what a call may have used.

use super::writer::Writer;
use crate::llvm::{Block, Opcode, Value};
use crate::plan::{FunctionPlan, Probe};
use std::collections::{HashMap, HashSet};

/// Words that fit after the limit (4096 bytes), less some to spare.
const ROOM: u64 = 480;

/// Words that a function may have written since it last asked when it returns.
const LEFT: u64 = 160;

/// Where a block asks.
#[derive(Default)]
pub(super) struct Checks {
    pub at_entry: bool,
    /// Before these instructions.
    pub inside: HashSet<Value>,
}

/// For each block, where to ask.
pub(super) fn checks(writer: &Writer, plan: &FunctionPlan) -> Vec<Checks> {
    let numbers: HashMap<Block, usize> = plan.blocks.iter().enumerate().map(|(n, b)| (b.block, n)).collect();
    let order = order(plan, &numbers);
    let position: HashMap<usize, usize> = order.iter().enumerate().map(|(p, b)| (*b, p)).collect();
    let mut used_at_entry = vec![0u64; plan.blocks.len()];
    let mut checks: Vec<Checks> = plan.blocks.iter().map(|_| Checks::default()).collect();
    // Whatever is entered from a block not before it in the order is the head of a loop.
    checks[0].at_entry = true;
    for (at, block) in order.iter().enumerate() {
        for next in successors(plan.blocks[*block].block, &numbers) {
            checks[next].at_entry |= position[&next] <= at;
        }
    }
    for block in order {
        let block_plan = &plan.blocks[block];
        let probes: HashMap<Value, &Probe> = block_plan.probes.iter().map(|p| (p.instruction, p)).collect();
        let head: u64 = 1 + if block == 0 { plan.arguments.iter().map(|w| writer.words(*w)).sum() } else { 0 };
        let own = head + block_plan.probes.iter().map(|p| words(writer, p)).sum::<u64>();
        // Better once at the entry than in the middle, which splits the block's words.
        checks[block].at_entry |= used_at_entry[block] + own > ROOM;
        let mut used = head + if checks[block].at_entry { 0 } else { used_at_entry[block] };
        for instruction in block_plan.block.instructions() {
            let needed = probes.get(&instruction).map_or(0, |p| words(writer, p));
            let limit = if matches!(instruction.opcode(), Opcode::LLVMRet) { LEFT } else { ROOM };
            if used + needed > limit {
                checks[block].inside.insert(instruction);
                used = 0;
            }
            used += needed;
            if super::is_call(instruction) {
                // What follows may get a landmark.
                used = used.max(LEFT + needed) + 1;
            }
        }
        for next in successors(block_plan.block, &numbers) {
            used_at_entry[next] = used_at_entry[next].max(used);
        }
    }
    checks
}

fn words(writer: &Writer, probe: &Probe) -> u64 {
    probe.before.iter().chain(&probe.after).map(|w| writer.words(*w)).sum()
}

fn successors(block: Block, numbers: &HashMap<Block, usize>) -> Vec<usize> {
    let end = block.terminator();
    match end.opcode() {
        Opcode::LLVMBr | Opcode::LLVMSwitch => end.successors().iter().map(|b| numbers[b]).collect(),
        _ => vec![],
    }
}

/// All blocks, each after those before it on every way without a loop.
fn order(plan: &FunctionPlan, numbers: &HashMap<Block, usize>) -> Vec<usize> {
    let mut seen = vec![false; plan.blocks.len()];
    let mut finished = vec![];
    for root in 0..plan.blocks.len() {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut stack = vec![(root, successors(plan.blocks[root].block, numbers))];
        while let Some((block, rest)) = stack.last_mut() {
            match rest.pop() {
                Some(next) if !seen[next] => {
                    seen[next] = true;
                    stack.push((next, successors(plan.blocks[next].block, numbers)));
                }
                Some(_) => {}
                None => {
                    finished.push(*block);
                    stack.pop();
                }
            }
        }
    }
    finished.reverse();
    finished
}
