//! Control flow of one function: predecessors, post-dominators, loops.

use crate::{Block, BlockId, Function};

/// Successors, predecessors and an order of the blocks.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Successors of each block.
    pub successors: Vec<Vec<BlockId>>,
    /// Predecessors of each block.
    pub predecessors: Vec<Vec<BlockId>>,
    /// Reverse post-order of the blocks reachable from the entry: a block's number, or `None` when unreachable.
    pub order: Vec<Option<u32>>,
    /// Immediate post-dominator; `None` is the virtual exit, where all ways out of the function meet.
    pub postdominator: Vec<Option<BlockId>>,
    /// Immediate dominator; `None` for the entry and for unreachable blocks.
    pub dominator: Vec<Option<BlockId>>,
    /// For each block the headers of the natural loops it lies in, innermost first.
    pub loops: Vec<Vec<BlockId>>,
}

impl Flow {
    /// Analyse a function.
    pub fn new(function: &Function) -> Flow {
        Flow::with_ends(function, |_| false)
    }

    /// Analyse a function some of whose blocks may end the program: from there, ways may not meet again.
    pub fn with_ends(function: &Function, may_end: impl Fn(&Block) -> bool) -> Flow {
        let successors: Vec<Vec<BlockId>> =
            function.blocks.iter().map(|b: &Block| b.terminator.it.successors()).collect();
        let count = successors.len();
        let mut predecessors = vec![vec![]; count];
        for (from, targets) in successors.iter().enumerate() {
            for to in targets {
                predecessors[to.index()].push(BlockId(from as u32));
            }
        }
        let order = reverse_post_order(&successors);
        let dominator = dominators(&successors, &predecessors, &order);
        let ends: Vec<bool> = function.blocks.iter().map(may_end).collect();
        let postdominator = postdominators(&successors, &ends);
        let loops = loops(&successors, &predecessors, &dominator, &order);
        Flow { successors, predecessors, order, postdominator, dominator, loops }
    }

    /// Whether `a` dominates `b`.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let mut at = Some(b);
        while let Some(block) = at {
            if block == a {
                return true;
            }
            at = self.dominator[block.index()];
        }
        false
    }

    /// Whether the edge closes a natural loop.
    pub fn is_back_edge(&self, from: BlockId, to: BlockId) -> bool {
        self.dominates(to, from)
    }

    /// The first block that is come to from each of some blocks, whichever way is gone, unless one of them ends the run: where
    /// the ways behind a block meet that may end it itself.
    pub fn meeting(&self, blocks: &[BlockId]) -> Option<BlockId> {
        let chain = |block: BlockId| std::iter::successors(Some(block), |b| self.postdominator[b.index()]);
        let (first, rest) = blocks.split_first()?;
        chain(*first).find(|candidate| rest.iter().all(|block| chain(*block).any(|b| b == *candidate)))
    }

    /// The blocks on ways from `start` that do not pass `stop` (`None`: up to the function's end).
    pub fn region(&self, start: BlockId, stop: Option<BlockId>) -> Vec<BlockId> {
        let mut seen = vec![false; self.successors.len()];
        let mut work = vec![start];
        let mut region = vec![];
        while let Some(block) = work.pop() {
            if Some(block) == stop || std::mem::replace(&mut seen[block.index()], true) {
                continue;
            }
            region.push(block);
            work.extend(self.successors[block.index()].iter().copied());
        }
        region
    }
}

fn reverse_post_order(successors: &[Vec<BlockId>]) -> Vec<Option<u32>> {
    let count = successors.len();
    let mut seen = vec![false; count];
    let mut finished = vec![];
    let mut stack = vec![(0usize, 0usize)];
    if count > 0 {
        seen[0] = true;
    } else {
        stack.clear();
    }
    while let Some((block, next)) = stack.pop() {
        if let Some(to) = successors[block].get(next) {
            stack.push((block, next + 1));
            if !std::mem::replace(&mut seen[to.index()], true) {
                stack.push((to.index(), 0));
            }
        } else {
            finished.push(block);
        }
    }
    let mut order = vec![None; count];
    for (number, block) in finished.iter().rev().enumerate() {
        order[*block] = Some(number as u32);
    }
    order
}

/// Immediate dominators of a graph from node 0 (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm).
fn dominators(
    successors: &[Vec<BlockId>],
    predecessors: &[Vec<BlockId>],
    order: &[Option<u32>],
) -> Vec<Option<BlockId>> {
    let count = successors.len();
    let mut by_order: Vec<usize> = (0..count).filter(|b| order[*b].is_some()).collect();
    by_order.sort_by_key(|b| order[*b]);
    let mut idom: Vec<Option<usize>> = vec![None; count];
    if count == 0 {
        return vec![];
    }
    idom[0] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in by_order.iter().skip(1) {
            let mut new: Option<usize> = None;
            for p in &predecessors[block] {
                let p = p.index();
                if idom[p].is_none() {
                    continue;
                }
                new = Some(match new {
                    None => p,
                    Some(mut a) => {
                        let mut b = p;
                        while a != b {
                            while order[a] > order[b] {
                                a = idom[a].expect("processed before");
                            }
                            while order[b] > order[a] {
                                b = idom[b].expect("processed before");
                            }
                        }
                        a
                    }
                });
            }
            if new != idom[block] {
                idom[block] = new;
                changed = true;
            }
        }
    }
    (0..count).map(|b| if b == 0 { None } else { idom[b].map(|d| BlockId(d as u32)) }).collect()
}

/// Immediate post-dominators; `None` is the virtual exit. Blocks that cannot leave the function (endless loops) are
/// given an edge to the exit, so that every block has an answer; so are blocks that may end the program.
pub fn postdominators(successors: &[Vec<BlockId>], ends: &[bool]) -> Vec<Option<BlockId>> {
    let count = successors.len();
    // Node 0 of the reversed graph is the virtual exit, node b + 1 is block b.
    let mut forward: Vec<Vec<BlockId>> = vec![vec![]; count + 1];
    let mut backward: Vec<Vec<BlockId>> = vec![vec![]; count + 1];
    let link = |from: usize, to: usize, forward: &mut Vec<Vec<BlockId>>, backward: &mut Vec<Vec<BlockId>>| {
        forward[from].push(BlockId(to as u32));
        backward[to].push(BlockId(from as u32));
    };
    for (block, targets) in successors.iter().enumerate() {
        if targets.is_empty() || ends[block] {
            link(0, block + 1, &mut forward, &mut backward);
        }
        for to in targets {
            link(to.index() + 1, block + 1, &mut forward, &mut backward);
        }
    }
    let mut order = reverse_post_order(&forward);
    while let Some(stuck) = (1..=count).rev().find(|n| order[*n].is_none()) {
        link(0, stuck, &mut forward, &mut backward);
        order = reverse_post_order(&forward);
    }
    let idom = dominators(&forward, &backward, &order);
    (0..count).map(|b| idom[b + 1].and_then(|d| d.0.checked_sub(1)).map(BlockId)).collect()
}

fn loops(
    successors: &[Vec<BlockId>],
    predecessors: &[Vec<BlockId>],
    dominator: &[Option<BlockId>],
    order: &[Option<u32>],
) -> Vec<Vec<BlockId>> {
    let count = successors.len();
    let dominates = |a: BlockId, b: BlockId| {
        let mut at = Some(b);
        while let Some(block) = at {
            if block == a {
                return true;
            }
            at = dominator[block.index()];
        }
        false
    };
    let mut members: std::collections::BTreeMap<BlockId, Vec<bool>> = Default::default();
    for (from, targets) in successors.iter().enumerate() {
        for &header in targets {
            if order[from].is_none() || !dominates(header, BlockId(from as u32)) {
                continue;
            }
            let inside = members.entry(header).or_insert_with(|| vec![false; count]);
            inside[header.index()] = true;
            let mut work = vec![from];
            while let Some(block) = work.pop() {
                if !std::mem::replace(&mut inside[block], true) {
                    work.extend(predecessors[block].iter().map(|p| p.index()));
                }
            }
        }
    }
    let mut result = vec![vec![]; count];
    let mut by_size: Vec<_> = members.into_iter().collect();
    by_size.sort_by_key(|(_, inside)| inside.iter().filter(|x| **x).count());
    for (header, inside) in by_size {
        for (block, _) in inside.iter().enumerate().filter(|(_, x)| **x) {
            result[block].push(header);
        }
    }
    result
}
