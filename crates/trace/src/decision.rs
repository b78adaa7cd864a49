//! Decisions: the branches that make up one condition of the source, and where its ways meet.
//!
//! `if (a && b)` is two branches in two blocks but one decision. A block joins the decision of its predecessors when it
//! only computes, ends in a branch, and shares a target with them. What the decision as a whole says about the way taken
//! is a boolean function of the parts that were evaluated.

use crate::endings::{Calls, Endings};
use wherefore_program::{BlockId, Command, Flow, Function, Operation, Program, Terminator};

/// Control flow and decisions of all functions of a program, with what may end it taken into account.
pub fn control(program: &Program, calls: Calls) -> (Vec<Flow>, Vec<Decisions>) {
    let endings = Endings::new(program, calls);
    let flows: Vec<Flow> = program.functions.iter().map(|f| Flow::with_ends(f, |block| endings.ends(block))).collect();
    let decisions = program.functions.iter().zip(&flows).map(|(f, flow)| Decisions::new(f, flow)).collect();
    (flows, decisions)
}

/// The decisions of one function.
#[derive(Clone, Debug)]
pub struct Decisions {
    /// For each block the head of the decision it belongs to; `None` for blocks that do not branch.
    pub head: Vec<Option<BlockId>>,
    /// For each head: the block where all ways meet; `None` is the function's end.
    pub join: Vec<Option<BlockId>>,
}

impl Decisions {
    /// Find the decisions of a function.
    pub fn new(function: &Function, flow: &Flow) -> Decisions {
        let count = function.blocks.len();
        let mut head = vec![None; count];
        let mut blocks: Vec<BlockId> = (0..count as u32).map(BlockId).collect();
        blocks.sort_by_key(|b| (flow.order[b.index()].is_none(), flow.order[b.index()]));
        for &block in &blocks {
            let branches = flow.successors[block.index()].len() > 1;
            if !branches || head[block.index()].is_some() {
                continue;
            }
            head[block.index()] = Some(block);
            if matches!(function.blocks[block.index()].terminator.it, Terminator::Branch { .. }) {
                grow(function, flow, block, &mut head);
            }
        }
        let join = (0..count)
            .map(|b| {
                let mut at = flow.postdominator[b].or_else(|| flow.meeting(&flow.successors[b]));
                while let Some(block) = at
                    && head[block.index()] == Some(BlockId(b as u32))
                {
                    at = flow.postdominator[block.index()];
                }
                at
            })
            .collect();
        Decisions { head, join }
    }

    /// Whether a block is part of the decision that begins at `head`.
    pub fn is_member(&self, head: BlockId, block: BlockId) -> bool {
        self.head[block.index()] == Some(head)
    }

    /// The blocks control may go to when the decision is over.
    pub fn exits(&self, flow: &Flow, head: BlockId) -> Vec<BlockId> {
        let mut exits = vec![];
        for (block, _) in self.head.iter().enumerate().filter(|(_, h)| **h == Some(head)) {
            for &to in &flow.successors[block] {
                if (!self.is_member(head, to) || to == head) && !exits.contains(&to) {
                    exits.push(to);
                }
            }
        }
        exits
    }

    /// The blocks that run only if the decision goes another way than to `taken`.
    pub fn other_side(&self, flow: &Flow, head: BlockId, taken: BlockId) -> Vec<BlockId> {
        let mut blocks = vec![];
        for exit in self.exits(flow, head).into_iter().filter(|e| *e != taken) {
            for block in flow.region(exit, self.join[head.index()]) {
                if !blocks.contains(&block) {
                    blocks.push(block);
                }
            }
        }
        blocks.sort();
        blocks
    }
}

fn grow(function: &Function, flow: &Flow, head: BlockId, heads: &mut [Option<BlockId>]) {
    let mut members = vec![head];
    loop {
        let exits: Vec<BlockId> = members
            .iter()
            .flat_map(|m| flow.successors[m.index()].iter().copied())
            .filter(|to| !members.contains(to))
            .collect();
        let joins = |&candidate: &BlockId| {
            let block = &function.blocks[candidate.index()];
            heads[candidate.index()].is_none()
                && candidate != head
                && matches!(block.terminator.it, Terminator::Branch { .. })
                && block.commands.iter().all(|c| computes(&c.it))
                && flow.predecessors[candidate.index()].iter().all(|p| members.contains(p))
                && flow.successors[candidate.index()].iter().any(|to| exits.iter().any(|e| e == to && *e != candidate))
        };
        let Some(new) = exits.iter().copied().find(joins) else {
            return;
        };
        heads[new.index()] = Some(head);
        members.push(new);
    }
}

/// Whether a command only computes: no effect, no control flow of its own.
fn computes(command: &Command) -> bool {
    match command {
        Command::Define { value, .. } => !matches!(value, Operation::Phi(_) | Operation::Opaque { .. }),
        Command::Load { volatile, .. } => !volatile,
        _ => false,
    }
}
