//! Simultaneous substitution of terms for variables, within an arena and from one into another.

use std::collections::HashMap;
use std::hash::BuildHasher;

use rustc_hash::FxHashMap;

use crate::node::{Node, TermId, VarId};
use crate::sort::Sort;
use crate::terms::{Terms, variable_class};

impl Terms {
    /// `t` with every variable of `map` replaced, all at once, and simplified on the way up.
    ///
    /// # Panics
    /// If a replacement has another sort than its variable.
    #[track_caller]
    pub fn substitute<S: BuildHasher>(&mut self, t: TermId, map: &HashMap<VarId, TermId, S>) -> TermId {
        let touched = map.keys().fold(0, |classes, &var| classes | variable_class(var));
        // Parts without any of the variables stay as they are and are not even visited.
        let order = self.reachable_where(&[t], |part| self.footprint(part) & touched != 0);
        let mut image: FxHashMap<TermId, TermId> = FxHashMap::default();
        for part in order {
            let replaced = match *self.node(part) {
                Node::Var(var, sort) => match map.get(&var) {
                    Some(&term) => {
                        assert_eq!(self.sort(term), sort, "variable {} changes its sort", var.0);
                        term
                    }
                    None => part,
                },
                _ => self.rebuild(part, &image),
            };
            if replaced != part {
                image.insert(part, replaced);
            }
        }
        image.get(&t).copied().unwrap_or(t)
    }

    /// The term with its direct parts replaced; parts without an entry stay.
    fn rebuild(&mut self, t: TermId, image: &FxHashMap<TermId, TermId>) -> TermId {
        let mut changed = false;
        self.node(t).for_each_child(|child| changed |= image.contains_key(&child));
        if !changed {
            return t;
        }
        let node = self.node(t).clone();
        self.build(node, |part| image.get(&part).copied().unwrap_or(part))
    }

    /// A term of another arena in this one, with every variable replaced by what `image` gives for it.
    ///
    /// # Panics
    /// If a replacement has another sort than its variable.
    #[track_caller]
    pub fn import(
        &mut self,
        from: &Terms,
        t: TermId,
        image: &mut dyn FnMut(&mut Terms, VarId, Sort) -> TermId,
    ) -> TermId {
        // Most terms are a variable or a constant.
        let mut one = |terms: &mut Terms, part: TermId, known: &FxHashMap<TermId, TermId>| match *from.node(part) {
            Node::Var(var, sort) => {
                let term = image(terms, var, sort);
                assert_eq!(terms.sort(term), sort, "variable {} changes its sort", var.0);
                term
            }
            ref node => terms.build(node.clone(), |part| known[&part]),
        };
        let mut known = FxHashMap::default();
        if matches!(from.node(t), Node::True | Node::False | Node::Const { .. } | Node::Int(_) | Node::Var(..)) {
            return one(self, t, &known);
        }
        for part in from.reachable(&[t]) {
            let term = one(self, part, &known);
            known.insert(part, term);
        }
        known[&t]
    }

    /// The term with this top level, its parts replaced. A variable stays itself.
    fn build(&mut self, node: Node, new: impl Fn(TermId) -> TermId) -> TermId {
        match node {
            Node::True => self.truth(true),
            Node::False => self.truth(false),
            Node::Const { width, value } => self.bits(width, value),
            Node::Int(value) => self.int(value),
            Node::Var(var, sort) => self.var(var, sort),
            Node::Not(a) => self.not(new(a)),
            Node::And(items) => self.and(items.iter().map(|&item| new(item))),
            Node::Or(items) => self.or(items.iter().map(|&item| new(item))),
            Node::Ite(condition, a, b) => self.ite(new(condition), new(a), new(b)),
            Node::Eq(a, b) => self.eq(new(a), new(b)),
            Node::Binary(op, a, b) => self.binary(op, new(a), new(b)),
            Node::Compare(op, a, b) => self.compare(op, new(a), new(b)),
            Node::Concat(high, low) => self.concat(new(high), new(low)),
            Node::Extract { term, low, width } => self.extract(new(term), low, width),
            Node::ZeroExtend(a, width) => self.zero_extend(new(a), width),
            Node::SignExtend(a, width) => self.sign_extend(new(a), width),
            Node::BitNot(a) => self.bit_not(new(a)),
            Node::Neg(a) => self.neg(new(a)),
            Node::Float(op, args) => {
                let args: Vec<TermId> = args.iter().map(|&arg| new(arg)).collect();
                self.float(op, &args)
            }
        }
    }
}
