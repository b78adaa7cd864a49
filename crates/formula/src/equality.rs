//! Equality, mostly of truth values and of bit-vectors.

use crate::concrete::{mask, signed, wrap};
use crate::node::{BinaryOp, Node, TermId};
use crate::sort::Sort;
use crate::terms::{FALSE, TRUE, Terms};

/// What one rewriting step makes of an equation between bit-vectors.
enum Step {
    /// The equation means this formula.
    Decided(TermId),
    /// The equation means that these two are equal.
    Again(TermId, TermId),
    /// Nothing applies.
    Stuck,
}

/// A bit-vector that is one of two constants: condition, value if true, value if false.
pub(crate) type Choice = (TermId, u128, u128);

/// The values of two choices on one condition: both where it holds, both where it does not.
pub(crate) type PairedChoice = (TermId, (u128, u128), (u128, u128));

impl Terms {
    /// `a == b`, of any sort.
    #[track_caller]
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        assert_eq!(self.sort(a), self.sort(b), "equality between different sorts");
        match self.sort(a) {
            Sort::Bool => self.eq_bool(a, b),
            Sort::Bits(_) => self.eq_bits(a, b),
            Sort::Int => self.eq_int(a, b),
        }
    }

    /// `a != b`.
    #[track_caller]
    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// The term as a choice between two constants, if it is one.
    pub(crate) fn choice(&self, t: TermId) -> Option<Choice> {
        match *self.node(t) {
            Node::Ite(condition, a, b) => Some((condition, self.constant(a)?, self.constant(b)?)),
            _ => None,
        }
    }

    /// Two terms as choices on one condition, where a constant is a choice on any; not if both are constants.
    pub(crate) fn paired_choice(&self, a: TermId, b: TermId) -> Option<PairedChoice> {
        match (self.choice(a), self.choice(b)) {
            (Some((c, a1, a2)), Some((d, b1, b2))) if c == d => Some((c, (a1, b1), (a2, b2))),
            (Some((c, a1, a2)), None) => self.constant(b).map(|b| (c, (a1, b), (a2, b))),
            (None, Some((c, b1, b2))) => self.constant(a).map(|a| (c, (a, b1), (a, b2))),
            _ => None,
        }
    }

    fn eq_bool(&mut self, a: TermId, b: TermId) -> TermId {
        // Negations move outside, so that a == b and !a == !b are one term.
        let (mut a, mut b, mut negated) = (a, b, false);
        for side in [&mut a, &mut b] {
            if let Node::Not(inner) = *self.node(*side) {
                *side = inner;
                negated = !negated;
            }
        }
        let (a, b) = (a.min(b), a.max(b));
        let equal = match (self.truth_value(a), self.truth_value(b)) {
            _ if a == b => TRUE,
            // Constants have the smallest ids, so they are on the left by now.
            (Some(true), _) => b,
            (Some(false), _) => self.not(b),
            _ if self.existing_negation(a) == Some(b) => FALSE,
            _ => self.intern(Node::Eq(a, b), Sort::Bool),
        };
        if negated { self.not(equal) } else { equal }
    }

    fn eq_bits(&mut self, a: TermId, b: TermId) -> TermId {
        // A loop and no recursion: inverting a chain of operations may take as many steps as the term is deep.
        let (mut a, mut b) = (a, b);
        loop {
            if a == b {
                return TRUE;
            }
            if self.constant(a).is_some() || (self.constant(b).is_none() && b < a) {
                std::mem::swap(&mut a, &mut b);
            }
            let step = match self.constant(b) {
                Some(value) => self.eq_constant_step(a, value),
                None => self.eq_step(a, b),
            };
            match step {
                Step::Decided(formula) => return formula,
                Step::Again(left, right) => (a, b) = (left, right),
                Step::Stuck => return self.intern(Node::Eq(a, b), Sort::Bool),
            }
        }
    }

    /// The value of `x` for which `x * c == value`, where `x` was extended so far that the product cannot wrap;
    /// `Some(None)` when there is none.
    fn quotient(&self, x: TermId, c: TermId, value: u128) -> Option<Option<u128>> {
        let width = self.width(x);
        let (inner, is_signed) = match *self.node(x) {
            Node::ZeroExtend(inner, _) => (inner, false),
            Node::SignExtend(inner, _) => (inner, true),
            _ => return None,
        };
        let factor = self.constant(c).filter(|c| *c > 0 && width < 128 && *c <= 1 << (width - self.width(inner)))?;
        if !is_signed {
            return Some(value.is_multiple_of(factor).then_some(value / factor));
        }
        let (value, factor) = (signed(width, value), i128::try_from(factor).ok()?);
        Some((value % factor == 0).then(|| wrap(width, value / factor)))
    }

    /// Solves `a == value` for what is inside `a`.
    fn eq_constant_step(&mut self, a: TermId, value: u128) -> Step {
        let width = self.width(a);
        if let Some((condition, left, right)) = self.choice(a) {
            let (left, right) = (self.truth(left == value), self.truth(right == value));
            return Step::Decided(self.ite(condition, left, right));
        }
        let (inner, value) = match *self.node(a) {
            // Equal terms have equal ids, so two constants that get here differ.
            Node::Const { .. } => return Step::Decided(FALSE),
            Node::Binary(BinaryOp::Add, x, c) if self.constant(c).is_some() => {
                let c = self.constant(c).unwrap_or_default();
                (x, value.wrapping_sub(c))
            }
            Node::Binary(BinaryOp::Xor, x, c) if self.constant(c).is_some() => {
                let c = self.constant(c).unwrap_or_default();
                (x, value ^ c)
            }
            Node::Binary(BinaryOp::Sub, x, y) => match self.constant(x) {
                Some(c) => (y, c.wrapping_sub(value)),
                None if value == 0 => return Step::Again(x, y),
                None => return Step::Stuck,
            },
            Node::Binary(BinaryOp::Xor, x, y) if value == 0 => return Step::Again(x, y),
            Node::Binary(BinaryOp::Mul, x, c) => match self.quotient(x, c, value) {
                Some(Some(quotient)) => (x, quotient),
                Some(None) => return Step::Decided(FALSE),
                None => return Step::Stuck,
            },
            Node::BitNot(x) => (x, !value),
            Node::Neg(x) => (x, value.wrapping_neg()),
            Node::ZeroExtend(x, _) => {
                if value > mask(self.width(x)) {
                    return Step::Decided(FALSE);
                }
                (x, value)
            }
            Node::SignExtend(x, _) => {
                let inner = self.width(x);
                let number = signed(width, value);
                if signed(inner, wrap(inner, number)) != number {
                    return Step::Decided(FALSE);
                }
                (x, value)
            }
            Node::Concat(high, low) => {
                let (high_width, low_width) = (self.width(high), self.width(low));
                let high_value = self.bits(high_width, value >> low_width);
                let low_value = self.bits(low_width, value);
                let high = self.eq(high, high_value);
                let low = self.eq(low, low_value);
                return Step::Decided(self.and2(high, low));
            }
            // A single bit is compared with 1 only, so that b == 0 and b == 1 are each other's negation.
            _ if width == 1 && value == 0 => {
                let one = self.bits(1, 1);
                let set = self.eq(a, one);
                return Step::Decided(self.not(set));
            }
            _ => return Step::Stuck,
        };
        let inner_width = self.width(inner);
        Step::Again(inner, self.bits(inner_width, value))
    }

    /// Simplifies `a == b` where neither is a constant.
    fn eq_step(&mut self, a: TermId, b: TermId) -> Step {
        if let (Some(left), Some(right)) = (self.choice(a), self.choice(b)) {
            return Step::Decided(self.eq_choices(left, right));
        }
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::ZeroExtend(x, _), Node::ZeroExtend(y, _)) => {
                let width = self.width(x).max(self.width(y));
                return Step::Again(self.zero_extend(x, width), self.zero_extend(y, width));
            }
            (Node::SignExtend(x, _), Node::SignExtend(y, _)) => {
                let width = self.width(x).max(self.width(y));
                return Step::Again(self.sign_extend(x, width), self.sign_extend(y, width));
            }
            (Node::BitNot(x), Node::BitNot(y)) | (Node::Neg(x), Node::Neg(y)) => {
                return Step::Again(x, y);
            }
            (Node::Concat(high_a, low_a), Node::Concat(high_b, low_b)) if self.width(low_a) == self.width(low_b) => {
                let high = self.eq(high_a, high_b);
                let low = self.eq(low_a, low_b);
                return Step::Decided(self.and2(high, low));
            }
            (Node::Binary(op @ (BinaryOp::Add | BinaryOp::Xor), x, y), Node::Binary(other, v, w)) if op == other => {
                for (shared, left) in [(x, y), (y, x)] {
                    for (candidate, right) in [(v, w), (w, v)] {
                        if shared == candidate {
                            return Step::Again(left, right);
                        }
                    }
                }
            }
            (Node::Binary(BinaryOp::Sub, x, y), Node::Binary(BinaryOp::Sub, v, w)) => {
                if x == v {
                    return Step::Again(y, w);
                }
                if y == w {
                    return Step::Again(x, v);
                }
            }
            _ => {}
        }
        // x + y == x says that y is zero.
        for (sum, x) in [(a, b), (b, a)] {
            let rest = match *self.node(sum) {
                Node::Binary(BinaryOp::Add | BinaryOp::Xor | BinaryOp::Sub, v, w) if v == x => w,
                Node::Binary(BinaryOp::Add | BinaryOp::Xor, v, w) if w == x => v,
                _ => continue,
            };
            let width = self.width(x);
            return Step::Again(rest, self.bits(width, 0));
        }
        Step::Stuck
    }

    /// Equality of two choices between constants: some pair of branches is taken whose constants agree.
    fn eq_choices(&mut self, left: Choice, right: Choice) -> TermId {
        let ((c, a1, a2), (d, b1, b2)) = (left, right);
        let (not_c, not_d) = (self.not(c), self.not(d));
        let mut agreeing = Vec::new();
        for (taken_a, a) in [(c, a1), (not_c, a2)] {
            for (taken_b, b) in [(d, b1), (not_d, b2)] {
                if a == b {
                    agreeing.push((taken_a, taken_b));
                }
            }
        }
        // The two constants of a choice differ, so two agreeing pairs are two opposite ones.
        match *agreeing {
            [] => FALSE,
            [(taken_a, taken_b)] => self.and2(taken_a, taken_b),
            [(taken_a, taken_b), ..] => self.eq(taken_a, taken_b),
        }
    }
}
