//! The arena: interning, sorts, leaves.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::concrete::mask;
use crate::node::{CompareOp, Node, TermId, VarId};
use crate::sort::{MAX_WIDTH, Sort};

/// All terms of one analysis.
///
/// Terms are never freed one by one; drop the arena. Conjunctions and disjunctions are stored flat, so build a long
/// one by a single call of [`Terms::and`] or [`Terms::or`]: adding to it item by item costs the square of its length.
#[derive(Clone)]
pub struct Terms {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    /// One bit per class of variables (id modulo 64) below a term: lets substitution skip what it cannot touch.
    footprints: Vec<u64>,
    table: HashTable<TermId>,
    variable_sorts: FxHashMap<VarId, Sort>,
}

impl Default for Terms {
    fn default() -> Self {
        Terms::new()
    }
}

impl std::fmt::Debug for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Arenas are large; the derived form would drown whatever contains one.
        f.debug_struct("Terms").field("len", &self.len()).finish()
    }
}

pub(crate) const TRUE: TermId = TermId(0);
pub(crate) const FALSE: TermId = TermId(1);

fn hash(node: &Node) -> u64 {
    FxBuildHasher.hash_one(node)
}

impl Terms {
    /// An arena with nothing but true and false in it.
    pub fn new() -> Terms {
        let mut terms = Terms {
            nodes: Vec::new(),
            sorts: Vec::new(),
            footprints: Vec::new(),
            table: HashTable::new(),
            variable_sorts: FxHashMap::default(),
        };
        let truth = terms.intern(Node::True, Sort::Bool);
        let falsity = terms.intern(Node::False, Sort::Bool);
        debug_assert_eq!((truth, falsity), (TRUE, FALSE));
        terms
    }

    /// How many distinct terms have been built.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never true: true and false are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The top level of a term.
    pub fn node(&self, t: TermId) -> &Node {
        &self.nodes[t.index()]
    }

    /// The sort of a term.
    pub fn sort(&self, t: TermId) -> Sort {
        self.sorts[t.index()]
    }

    /// The width of a bit-vector term.
    ///
    /// # Panics
    /// If the term is a truth value or an integer.
    #[track_caller]
    pub fn width(&self, t: TermId) -> u32 {
        match self.sort(t) {
            Sort::Bits(width) => width,
            Sort::Bool => panic!("a bit-vector is needed, but term {} is a truth value", t.0),
            Sort::Int => panic!("a bit-vector is needed, but term {} is an integer", t.0),
        }
    }

    /// The sort this variable was first used with, if it was used at all.
    pub fn variable_sort(&self, var: VarId) -> Option<Sort> {
        self.variable_sorts.get(&var).copied()
    }

    /// True or false.
    pub fn truth(&self, value: bool) -> TermId {
        if value { TRUE } else { FALSE }
    }

    /// A bit-vector constant; bits of `value` above `width` are dropped.
    ///
    /// # Panics
    /// If `width` is not within 1 to 128.
    #[track_caller]
    pub fn bits(&mut self, width: u32, value: u128) -> TermId {
        check_width(width);
        let value = value & mask(width);
        self.intern(Node::Const { width, value }, Sort::Bits(width))
    }

    /// A variable.
    ///
    /// # Panics
    /// If the same variable was used with another sort before.
    #[track_caller]
    pub fn var(&mut self, var: VarId, sort: Sort) -> TermId {
        if let Sort::Bits(width) = sort {
            check_width(width);
        }
        let first = *self.variable_sorts.entry(var).or_insert(sort);
        assert_eq!(first, sort, "variable {} has two sorts", var.0);
        self.intern(Node::Var(var, sort), sort)
    }

    /// The bits of a bit-vector constant, if the term is one.
    pub fn constant(&self, t: TermId) -> Option<u128> {
        match *self.node(t) {
            Node::Const { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The truth value of a constant formula, if the term is one.
    pub fn truth_value(&self, t: TermId) -> Option<bool> {
        match t {
            TRUE => Some(true),
            FALSE => Some(false),
            _ => None,
        }
    }

    /// Which classes of variables may occur in a term; no variable outside them does.
    pub(crate) fn footprint(&self, t: TermId) -> u64 {
        self.footprints[t.index()]
    }

    /// The term with this top level, new or old.
    pub(crate) fn intern(&mut self, node: Node, sort: Sort) -> TermId {
        let hash_value = hash(&node);
        let nodes = &self.nodes;
        if let Some(&found) = self.table.find(hash_value, |&id| nodes[id.index()] == node) {
            return found;
        }
        let id = TermId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        let mut footprint = match node {
            Node::Var(var, _) => variable_class(var),
            _ => 0,
        };
        node.for_each_child(|child| footprint |= self.footprints[child.index()]);
        self.nodes.push(node);
        self.sorts.push(sort);
        self.footprints.push(footprint);
        let nodes = &self.nodes;
        self.table.insert_unique(hash_value, id, |&id| hash(&nodes[id.index()]));
        id
    }

    /// The negation of a formula, if somebody has built it. Finds complements without making new terms.
    pub(crate) fn existing_negation(&self, t: TermId) -> Option<TermId> {
        let negated = match *self.node(t) {
            Node::True => return Some(FALSE),
            Node::False => return Some(TRUE),
            Node::Not(inner) => return Some(inner),
            Node::Compare(op, a, b) => Node::Compare(CompareOp::negated(op), b, a),
            _ => Node::Not(t),
        };
        self.table.find(hash(&negated), |&id| self.nodes[id.index()] == negated).copied()
    }

    #[track_caller]
    pub(crate) fn expect_bool(&self, t: TermId) {
        assert_eq!(self.sort(t), Sort::Bool, "a truth value is needed");
    }

    /// The common width of two bit-vectors.
    #[track_caller]
    pub(crate) fn common_width(&self, a: TermId, b: TermId) -> u32 {
        let (left, right) = (self.width(a), self.width(b));
        assert_eq!(left, right, "operands have different widths");
        left
    }
}

/// The footprint of one variable.
pub(crate) fn variable_class(var: VarId) -> u64 {
    1 << (var.0 % 64)
}

#[track_caller]
pub(crate) fn check_width(width: u32) {
    assert!((1..=MAX_WIDTH).contains(&width), "width {width} is not within 1..={MAX_WIDTH}");
}
