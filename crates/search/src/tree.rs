//! The tree of all paths seen: a node for each choice, a way out of it for each outcome seen.

use crate::path::{Choice, Place};
use wherefore_formula::TermId;

/// Index of a node.
pub(crate) type NodeId = usize;

/// A place in the tree where runs part.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The choice as it was first seen.
    pub choice: Choice,
    /// The node before it and the way there; `None` for the first.
    parent: Option<(NodeId, usize)>,
    /// Number of choices before it.
    pub depth: u32,
    /// Conditions of the ways gone, with what comes next.
    ways: Vec<(TermId, Option<NodeId>)>,
    /// A run that came here, by its number.
    pub run: usize,
    /// Where it is in the program.
    pub place: Place,
}

impl Node {
    /// Conditions of the ways gone.
    pub fn conditions(&self) -> impl ExactSizeIterator<Item = TermId> + '_ {
        self.ways.iter().map(|(condition, _)| *condition)
    }
}

/// The tree.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    paths: usize,
}

/// What a path added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Added {
    /// Whether nobody went it before.
    pub is_new: bool,
    /// The nodes that are new.
    pub nodes: std::ops::Range<NodeId>,
    /// The index of the first choice that does not fit the tree: after the same choices, another run came elsewhere.
    pub astray: Option<usize>,
}

impl Tree {
    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// Number of different paths.
    pub fn paths(&self) -> usize {
        self.paths
    }

    /// Add the path of a run.
    pub fn add(&mut self, choices: &[Choice], run: usize) -> Added {
        let first = self.nodes.len();
        let mut is_new = self.paths == 0;
        let mut from: Option<(NodeId, usize)> = None;
        for (index, choice) in choices.iter().enumerate() {
            let next = match from {
                None => (!self.nodes.is_empty()).then_some(0),
                Some((node, way)) => self.nodes[node].ways[way].1,
            };
            let id = next.unwrap_or_else(|| {
                let id = self.nodes.len();
                if let Some((node, way)) = from {
                    self.nodes[node].ways[way].1 = Some(id);
                }
                self.nodes.push(Node {
                    choice: choice.clone(),
                    parent: from,
                    depth: index as u32,
                    ways: vec![],
                    run,
                    place: choice.place(),
                });
                id
            });
            let node = &mut self.nodes[id];
            if node.place != choice.place() {
                return Added { is_new: false, nodes: first..self.nodes.len(), astray: Some(index) };
            }
            let known = node.conditions().position(|c| c == choice.condition);
            let way = known.unwrap_or_else(|| {
                node.ways.push((choice.condition, None));
                is_new = true;
                node.ways.len() - 1
            });
            from = Some((id, way));
        }
        self.paths += usize::from(is_new);
        Added { is_new, nodes: first..self.nodes.len(), astray: None }
    }

    /// The conditions on the way to a node, the first one first.
    pub fn prefix(&self, id: NodeId) -> Vec<TermId> {
        let mut conditions = vec![];
        let mut at = self.nodes[id].parent;
        while let Some((node, way)) = at {
            conditions.push(self.nodes[node].ways[way].0);
            at = self.nodes[node].parent;
        }
        conditions.reverse();
        conditions
    }
}
