//! Simultaneous substitution of terms for variables.

use std::collections::HashMap;
use std::hash::BuildHasher;

use rustc_hash::FxHashMap;

use crate::node::{Node, TermId, VarId};
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
        let new = |part: TermId| image.get(&part).copied().unwrap_or(part);
        match self.node(t).clone() {
            Node::True | Node::False | Node::Const { .. } | Node::Var(..) => t,
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
