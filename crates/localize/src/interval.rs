//! Ranges of values: a cheap and sound way to see that bounds imply a comparison.
//!
//! Every term of bits gets the range of its two's complement value; where an operation may wrap, nothing is known.

use crate::linear::{self, Relation};
use std::collections::HashMap;
use wherefore_formula::{BinaryOp, CompareOp, Node, Sort, TermId, Terms};

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Range {
    low: i128,
    high: i128,
}

impl Range {
    fn full(width: u32) -> Range {
        let half = 1i128 << (width.min(120) - 1);
        Range { low: -half, high: half - 1 }
    }

    /// The same values read without a sign, where they are one range then.
    fn unsigned(self, width: u32) -> Option<Range> {
        match (self.low >= 0, self.high < 0) {
            (true, _) => Some(self),
            (_, true) if width <= 100 => Some(Range { low: self.low + (1 << width), high: self.high + (1 << width) }),
            _ => None,
        }
    }

    /// The range if it fits the width, else everything.
    fn or_full(self, width: u32) -> Range {
        let full = Range::full(width);
        if full.low <= self.low && self.high <= full.high { self } else { full }
    }
}

/// Whether bounds among the premises imply the conclusion. `false` says nothing.
pub fn implies(terms: &Terms, premises: &[TermId], conclusion: TermId) -> bool {
    let mut ranges = Ranges { terms, known: HashMap::new() };
    for premise in premises {
        ranges.learn(*premise);
    }
    ranges.truth(conclusion) == Some(true)
}

struct Ranges<'a> {
    terms: &'a Terms,
    known: HashMap<TermId, Range>,
}

impl Ranges<'_> {
    /// A bound on one term.
    fn learn(&mut self, premise: TermId) {
        let Some(l) = linear::bound_of_one(self.terms, premise) else { return };
        let (leaf, k) = l.sum.iter().next().expect("one leaf");
        let width = self.terms.width(leaf.term);
        if width > 100 {
            return;
        }
        let full = Range::full(width);
        let range = self.known.entry(leaf.term).or_insert(full);
        match (l.relation, leaf.signed) {
            (Relation::Equal, true) => *range = Range { low: l.bound * k, high: l.bound * k },
            (Relation::AtMost, true) if *k > 0 => range.high = range.high.min(l.bound),
            (Relation::AtMost, true) => range.low = range.low.max(-l.bound),
            // Below half of the unsigned range both readings agree.
            (Relation::AtMost, false) if *k > 0 && l.bound <= full.high => {
                *range = Range { low: range.low.max(0), high: range.high.min(l.bound) };
            }
            _ => {}
        }
        if range.low > range.high {
            *range = full;
        }
    }

    fn truth(&mut self, formula: TermId) -> Option<bool> {
        match self.terms.node(formula) {
            Node::True => Some(true),
            Node::False => Some(false),
            Node::Not(a) => self.truth(*a).map(|t| !t),
            Node::And(items) => {
                let all: Vec<Option<bool>> = items.iter().map(|i| self.truth(*i)).collect();
                if all.contains(&Some(false)) {
                    return Some(false);
                }
                all.iter().all(|t| *t == Some(true)).then_some(true)
            }
            Node::Or(items) => {
                let all: Vec<Option<bool>> = items.iter().map(|i| self.truth(*i)).collect();
                if all.contains(&Some(true)) {
                    return Some(true);
                }
                all.iter().all(|t| *t == Some(false)).then_some(false)
            }
            Node::Eq(a, b) if self.terms.sort(*a) != Sort::Bool => {
                let (a, b) = (self.range(*a), self.range(*b));
                if a.high < b.low || b.high < a.low {
                    return Some(false);
                }
                (a.low == a.high && a == b).then_some(true)
            }
            Node::Compare(op, a, b) => {
                let width = self.terms.width(*a);
                let (a, b) = (self.range(*a), self.range(*b));
                let (a, b) = if op.is_signed() { (a, b) } else { (a.unsigned(width)?, b.unsigned(width)?) };
                match op {
                    CompareOp::Slt | CompareOp::Ult if a.high < b.low => Some(true),
                    CompareOp::Slt | CompareOp::Ult if a.low >= b.high => Some(false),
                    CompareOp::Sle | CompareOp::Ule if a.high <= b.low => Some(true),
                    CompareOp::Sle | CompareOp::Ule if a.low > b.high => Some(false),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn range(&mut self, t: TermId) -> Range {
        // Parts before wholes, so that deep terms need no deep stack.
        for part in self.terms.reachable(&[t]) {
            if self.terms.sort(part) != Sort::Bool && !self.known.contains_key(&part) {
                let range = self.compute(part);
                self.known.insert(part, range);
            }
        }
        self.known[&t]
    }

    fn compute(&self, t: TermId) -> Range {
        let width = self.terms.width(t);
        let full = Range::full(width);
        if width > 100 {
            return full;
        }
        let of = |x: TermId| self.known.get(&x).copied().unwrap_or(Range::full(self.terms.width(x)));
        match *self.terms.node(t) {
            Node::Const { value, .. } => {
                let number = linear::number(value, width, true);
                Range { low: number, high: number }
            }
            Node::Binary(BinaryOp::Add, a, b) => {
                let (a, b) = (of(a), of(b));
                Range { low: a.low + b.low, high: a.high + b.high }.or_full(width)
            }
            Node::Binary(BinaryOp::Sub, a, b) => {
                let (a, b) = (of(a), of(b));
                Range { low: a.low - b.high, high: a.high - b.low }.or_full(width)
            }
            Node::Binary(BinaryOp::Mul, a, b) if width <= 64 => {
                let (a, b) = (of(a), of(b));
                let products = [
                    a.low.checked_mul(b.low),
                    a.low.checked_mul(b.high),
                    a.high.checked_mul(b.low),
                    a.high.checked_mul(b.high),
                ];
                let Some(products) = products.into_iter().collect::<Option<Vec<i128>>>() else { return full };
                let (low, high) = (products.iter().min(), products.iter().max());
                match (low, high) {
                    (Some(low), Some(high)) => Range { low: *low, high: *high }.or_full(width),
                    _ => full,
                }
            }
            Node::Binary(BinaryOp::And, a, b) => {
                let bound = [of(a), of(b)].into_iter().filter(|r| r.low >= 0).map(|r| r.high).min();
                bound.map_or(full, |high| Range { low: 0, high })
            }
            Node::Neg(a) => {
                let a = of(a);
                Range { low: -a.high, high: -a.low }.or_full(width)
            }
            Node::Ite(_, a, b) => {
                let (a, b) = (of(a), of(b));
                Range { low: a.low.min(b.low), high: a.high.max(b.high) }
            }
            Node::SignExtend(a, _) => of(a),
            Node::ZeroExtend(a, _) => {
                let inner = of(a);
                let inner_width = self.terms.width(a);
                if inner.low >= 0 { inner } else { Range { low: 0, high: (1i128 << inner_width.min(120)) - 1 } }
            }
            Node::Extract { term, low: 0, .. } => of(term).or_full(width),
            _ => full,
        }
    }
}

#[cfg(test)]
mod tests;
