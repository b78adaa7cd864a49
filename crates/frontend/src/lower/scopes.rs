//! Which blocks of the source the commands of a function lie in, so that the life of a variable is known to end with its
//! block.

use super::Whole;
use crate::debug_info::Node;
use crate::llvm::Value;
use std::collections::HashMap;
use wherefore_program::{BlockId, Local, Within};

/// The scopes of commands, while a function is lowered.
pub(super) struct Scopes {
    /// Of the instruction that is lowered.
    current: Option<Node>,
    /// For each block the commands where another scope begins.
    changes: Vec<Vec<(u32, Option<Node>)>>,
    /// Whether the lives of variables are marked otherwise: the function has been optimised, and its places are not what
    /// they were.
    optimised: bool,
}

impl Scopes {
    pub fn new(blocks: usize) -> Scopes {
        Scopes { current: None, changes: vec![vec![]; blocks], optimised: false }
    }

    /// An instruction is lowered.
    pub fn enter(&mut self, instruction: Value) {
        self.current = instruction.location().and_then(Node::new).and_then(Node::location_scope);
    }

    /// What follows belongs to no place.
    pub fn leave(&mut self) {
        self.current = None;
    }

    /// Variables begin and end by instructions of their own.
    pub fn marked_otherwise(&mut self) {
        self.optimised = true;
    }

    /// A command is appended to a block.
    pub fn emit(&mut self, block: BlockId, position: usize) {
        let changes = &mut self.changes[block.index()];
        if changes.last().is_none_or(|(_, scope)| *scope != self.current) {
            changes.push((position as u32, self.current));
        }
    }

    /// All of it, where a variable with an address needs it.
    pub fn finish(&self, whole: &mut Whole, function: Value, locals: &[Local]) -> Vec<Within> {
        let is_needed = locals.iter().any(|local| local.escapes && !local.scope.is_empty());
        let Some(own) = function.subprogram().and_then(Node::new).filter(|_| is_needed && !self.optimised) else {
            return vec![];
        };
        let mut known: HashMap<Node, Option<Vec<u32>>> = HashMap::new();
        let mut within = vec![];
        for (block, changes) in self.changes.iter().enumerate() {
            for (command, node) in changes {
                let scope = node.and_then(|node| {
                    let is_own = |n: &Node| n.enclosing_function() == Some(own);
                    known.entry(node).or_insert_with(|| Some(node).filter(is_own).map(|n| whole.scope(Some(n)))).clone()
                });
                within.push(Within { block: BlockId(block as u32), command: *command, scope });
            }
        }
        within
    }
}
