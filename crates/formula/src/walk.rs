//! Traversals. A part is always older than the whole, so visiting in the order of ids visits parts first.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::node::{Node, TermId, VarId};
use crate::terms::{Terms, variable_class};

impl Terms {
    /// Every term below `roots`, they included, each once and parts before wholes.
    pub fn reachable(&self, roots: &[TermId]) -> Vec<TermId> {
        self.reachable_where(roots, |_| true)
    }

    /// As [`Terms::reachable`], but neither visits nor enters terms that are not `wanted`.
    pub(crate) fn reachable_where(&self, roots: &[TermId], wanted: impl Fn(TermId) -> bool) -> Vec<TermId> {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<TermId> = Vec::new();
        let mut order = Vec::new();
        for &root in roots {
            if wanted(root) && seen.insert(root) {
                stack.push(root);
            }
        }
        while let Some(t) = stack.pop() {
            order.push(t);
            self.node(t).for_each_child(|child| {
                if wanted(child) && seen.insert(child) {
                    stack.push(child);
                }
            });
        }
        order.sort_unstable();
        order
    }

    /// The variables that occur in a term.
    pub fn variables(&self, t: TermId) -> BTreeSet<VarId> {
        // Closed subterms have an empty footprint and need no visit.
        self.reachable_where(&[t], |part| self.footprint(part) != 0)
            .into_iter()
            .filter_map(|part| match *self.node(part) {
                Node::Var(var, _) => Some(var),
                _ => None,
            })
            .collect()
    }

    /// Whether a variable occurs in a term.
    pub fn mentions(&self, t: TermId, var: VarId) -> bool {
        let class = variable_class(var);
        self.reachable_where(&[t], |part| self.footprint(part) & class != 0)
            .into_iter()
            .any(|part| matches!(*self.node(part), Node::Var(found, _) if found == var))
    }

    /// The number of distinct nodes of a term.
    pub fn size(&self, t: TermId) -> usize {
        self.reachable(&[t]).len()
    }

    /// The formulas whose conjunction this is: none for true, the formula itself unless it is a conjunction.
    pub fn conjuncts(&self, t: TermId) -> Vec<TermId> {
        self.expect_bool(t);
        match self.node(t) {
            Node::True => Vec::new(),
            Node::And(items) => items.to_vec(),
            _ => vec![t],
        }
    }
}
