//! The branches of one activation that are open, innermost last.

use crate::model::BranchId;
use rustc_hash::FxHashMap;
use wherefore_program::BlockId;

/// An open branch, and what becomes of the way that was not taken.
#[derive(Clone, Debug)]
pub struct Open {
    pub branch: BranchId,
    /// The decision; `None` for a call through a pointer and for what a callee left open.
    pub head: Option<BlockId>,
    /// Where its ways meet; `None` is the end of the function.
    pub join: Option<BlockId>,
    /// The other way can only fail.
    pub fails: bool,
    /// The other way may end the program without failing: the rest of the run depends on this one.
    pub leaves: bool,
}

/// The open branches of an activation. What waits for a block is found without going through all of them: rounds of a
/// loop that can be left in several ways lie inside each other.
#[derive(Clone, Debug, Default)]
pub struct OpenBranches {
    stack: Vec<Open>,
    waiting: FxHashMap<BlockId, Vec<usize>>,
}

impl OpenBranches {
    /// Open a branch inside of all others.
    pub fn push(&mut self, open: Open) {
        if let Some(join) = open.join {
            self.waiting.entry(join).or_default().push(self.stack.len());
        }
        self.stack.push(open);
    }

    /// Close the innermost branch.
    pub fn pop(&mut self) -> Option<Open> {
        let open = self.stack.pop()?;
        if let Some(waiting) = open.join.and_then(|join| self.waiting.get_mut(&join)) {
            waiting.pop();
        }
        Some(open)
    }

    /// The branches, innermost first.
    pub fn innermost(&self) -> impl Iterator<Item = &Open> {
        self.stack.iter().rev()
    }

    /// The outermost branch whose ways meet at a block.
    pub fn waiting_for(&self, block: BlockId) -> Option<BranchId> {
        self.waiting.get(&block)?.first().map(|index| self.stack[*index].branch)
    }

    /// The branches up to the innermost one whose other way may end the program, for the caller to keep.
    pub fn left_open(&self) -> Vec<Open> {
        let kept = self.stack.iter().rposition(|o| o.leaves).map_or(0, |last| last + 1);
        self.stack[..kept].iter().map(|o| Open { head: None, join: None, ..o.clone() }).collect()
    }

    /// All branches, for a caller to keep.
    pub fn all(&self) -> Vec<Open> {
        self.stack.iter().map(|o| Open { head: None, join: None, ..o.clone() }).collect()
    }
}
