//! The value of a term under an assignment.

use rustc_hash::FxHashMap;

use crate::concrete::{self, mask, signed, wrap};
use crate::float;
use crate::integer;
use crate::node::{Node, TermId, VarId};
use crate::sort::{Sort, Value};
use crate::terms::Terms;

impl Terms {
    /// The value of `t` where variables have the values that `value_of` gives.
    ///
    /// A variable without a value leaves the result open unless the rest decides it: a false conjunct decides a
    /// conjunction, a known condition decides which branch counts. `None` means that it stays open. Each variable is
    /// asked for at most once.
    pub fn evaluate(&self, t: TermId, value_of: &mut dyn FnMut(VarId) -> Option<u128>) -> Option<Value> {
        self.evaluate_all(&[t], value_of)[0]
    }

    /// As [`Terms::evaluate`] for many terms that share parts.
    pub fn evaluate_all(
        &self,
        roots: &[TermId],
        value_of: &mut dyn FnMut(VarId) -> Option<u128>,
    ) -> Vec<Option<Value>> {
        let mut known: FxHashMap<TermId, Value> = FxHashMap::default();
        for part in self.reachable(roots) {
            let get = |t: TermId| known.get(&t).copied().map(Value::raw);
            if let Some(value) = self.evaluate_node(part, get, value_of) {
                debug_assert_eq!(value.sort(), self.sort(part));
                known.insert(part, value);
            }
        }
        roots.iter().map(|root| known.get(root).copied()).collect()
    }

    /// The value of one node from the values of its parts; parts without an entry are open.
    fn evaluate_node(
        &self,
        t: TermId,
        raw: impl Fn(TermId) -> Option<u128>,
        value_of: &mut dyn FnMut(VarId) -> Option<u128>,
    ) -> Option<Value> {
        let result = match *self.node(t) {
            Node::True => 1,
            Node::False => 0,
            Node::Const { value, .. } => value,
            Node::Int(value) => value as u128,
            Node::Var(var, _) => value_of(var)?,
            Node::Not(a) => u128::from(raw(a)? == 0),
            Node::And(ref items) => u128::from(junction(items, false, raw)?),
            Node::Or(ref items) => u128::from(junction(items, true, raw)?),
            Node::Ite(condition, a, b) => match raw(condition) {
                Some(0) => raw(b)?,
                Some(_) => raw(a)?,
                None => raw(a).filter(|&value| raw(b) == Some(value))?,
            },
            Node::Eq(a, b) => u128::from(raw(a)? == raw(b)?),
            Node::Binary(op, a, b) if self.sort(t) == Sort::Int => {
                integer::binary(op, raw(a)? as i128, raw(b)? as i128)? as u128
            }
            Node::Compare(op, a, b) if self.sort(a) == Sort::Int => {
                u128::from(integer::compare(op, raw(a)? as i128, raw(b)? as i128))
            }
            Node::Neg(a) if self.sort(t) == Sort::Int => (raw(a)? as i128).checked_neg()? as u128,
            Node::Binary(op, a, b) => concrete::binary(op, self.width(a), raw(a)?, raw(b)?),
            Node::Compare(op, a, b) => u128::from(concrete::compare(op, self.width(a), raw(a)?, raw(b)?)),
            Node::Concat(high, low) => (raw(high)? << self.width(low)) | raw(low)?,
            Node::Extract { term, low, width } => (raw(term)? >> low) & mask(width),
            Node::ZeroExtend(a, _) => raw(a)?,
            Node::SignExtend(a, width) => wrap(width, signed(self.width(a), raw(a)?)),
            Node::BitNot(a) => !raw(a)?,
            Node::Neg(a) => raw(a)?.wrapping_neg(),
            Node::Float(op, ref args) => {
                let values: Option<Vec<u128>> = args.iter().map(|&arg| raw(arg)).collect();
                return Some(float::apply(op, self.width(args[0]), &values?));
            }
        };
        Some(Value::new(self.sort(t), result))
    }
}

/// The values of terms under one assignment that grows, each computed once.
///
/// A value that was asked for and is open stays open: give a variable its value before asking for what depends on it.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    variables: FxHashMap<VarId, u128>,
    /// Variables that stand for terms.
    names: FxHashMap<VarId, TermId>,
    /// Of the terms asked for; `None` is open.
    values: FxHashMap<TermId, Option<u128>>,
}

impl Evaluation {
    /// No variable has a value.
    pub fn new() -> Evaluation {
        Evaluation::default()
    }

    /// Gives a variable a value.
    pub fn set(&mut self, var: VarId, value: u128) {
        self.variables.insert(var, value);
    }

    /// Lets a variable stand for a term.
    pub fn name(&mut self, var: VarId, term: TermId) {
        self.names.insert(var, term);
    }

    /// Whether the value of a term was needed for what was asked so far.
    pub fn asked(&self, t: TermId) -> bool {
        self.values.contains_key(&t)
    }

    /// The value of a term; truth values are 0 and 1.
    pub fn value(&mut self, terms: &Terms, t: TermId) -> Option<u128> {
        let mut work = vec![t];
        while let Some(&top) = work.last() {
            if self.values.contains_key(&top) {
                work.pop();
                continue;
            }
            let before = work.len();
            match *terms.node(top) {
                Node::Var(var, _) => {
                    if let Some(&named) = self.names.get(&var)
                        && !self.values.contains_key(&named)
                    {
                        work.push(named);
                    }
                }
                // The branch not taken need not be looked at.
                Node::Ite(condition, a, b) => {
                    match self.values.get(&condition).copied() {
                        None => work.push(condition),
                        Some(known) => {
                            let (then, otherwise) = (known != Some(0), known.is_none_or(|c| c == 0));
                            work.extend([(a, then), (b, otherwise)].into_iter().filter_map(|(part, needed)| {
                                (needed && !self.values.contains_key(&part)).then_some(part)
                            }));
                        }
                    }
                }
                ref node => node.for_each_child(|child| {
                    if !self.values.contains_key(&child) {
                        work.push(child);
                    }
                }),
            }
            if work.len() > before {
                continue;
            }
            let value = {
                let values = &self.values;
                let get = |part: TermId| values.get(&part).copied().flatten();
                let mut value_of = |var: VarId| match self.names.get(&var) {
                    Some(named) => get(*named),
                    None => self.variables.get(&var).copied(),
                };
                terms.evaluate_node(top, get, &mut value_of).map(Value::raw)
            };
            self.values.insert(top, value);
            work.pop();
        }
        self.values.get(&t).copied().flatten()
    }
}

/// A conjunction (decided by false) or a disjunction (decided by true) of what is known.
fn junction(items: &[TermId], decisive: bool, raw: impl Fn(TermId) -> Option<u128>) -> Option<bool> {
    let mut open = false;
    for &item in items {
        match raw(item) {
            Some(value) if (value != 0) == decisive => return Some(decisive),
            Some(_) => {}
            None => open = true,
        }
    }
    if open { None } else { Some(!decisive) }
}
