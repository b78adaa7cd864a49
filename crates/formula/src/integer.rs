//! Mathematical integers: constructors and the meaning that folding and evaluation share.
//!
//! Rules that hold for bits need not hold here (nothing wraps, so no offset may be carried around an end of a range), so
//! these terms have a few rules of their own and share none.

use crate::node::{BinaryOp, CompareOp, Node, TermId};
use crate::sort::Sort;
use crate::terms::{FALSE, Terms};

/// Applies an operator; `None` where the result does not fit, or where integers have no such operator.
pub(crate) fn binary(op: BinaryOp, a: i128, b: i128) -> Option<i128> {
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::UDiv | BinaryOp::SDiv if b == 0 => Some(0),
        BinaryOp::URem | BinaryOp::SRem if b == 0 => Some(a),
        BinaryOp::UDiv => a.checked_div_euclid(b),
        BinaryOp::URem => a.checked_rem_euclid(b),
        BinaryOp::SDiv => a.checked_div(b),
        BinaryOp::SRem => a.checked_rem(b),
        _ => None,
    }
}

/// Decides an order.
pub(crate) fn compare(op: CompareOp, a: i128, b: i128) -> bool {
    if op.is_strict() { a < b } else { a <= b }
}

impl Terms {
    /// An integer constant.
    pub fn int(&mut self, value: i128) -> TermId {
        self.intern(Node::Int(value), Sort::Int)
    }

    /// The value of an integer constant, if the term is one.
    pub fn integer(&self, t: TermId) -> Option<i128> {
        match *self.node(t) {
            Node::Int(value) => Some(value),
            _ => None,
        }
    }

    #[track_caller]
    fn expect_int(&self, a: TermId, b: TermId) {
        assert_eq!((self.sort(a), self.sort(b)), (Sort::Int, Sort::Int), "two integers are needed");
    }

    #[track_caller]
    pub(crate) fn int_binary(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        self.expect_int(a, b);
        let known = !matches!(
            op,
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor
        );
        assert!(known, "integers have no bits");
        let (left, right) = (self.integer(a), self.integer(b));
        if let (Some(left), Some(right)) = (left, right)
            && let Some(value) = binary(op, left, right)
        {
            return self.int(value);
        }
        match (op, left, right) {
            (BinaryOp::Add | BinaryOp::Sub, _, Some(0)) | (BinaryOp::Mul, _, Some(1)) => return a,
            (BinaryOp::Add, Some(0), _) | (BinaryOp::Mul, Some(1), _) => return b,
            (BinaryOp::Mul, Some(0), _) | (BinaryOp::Mul, _, Some(0)) => return self.int(0),
            (BinaryOp::UDiv | BinaryOp::SDiv, _, Some(1)) => return a,
            (BinaryOp::URem | BinaryOp::SRem, _, Some(1)) => return self.int(0),
            (BinaryOp::Sub, ..) if a == b => return self.int(0),
            // What is added last stands last, so that offsets collect.
            (BinaryOp::Sub, _, Some(c)) if c != i128::MIN => {
                let c = self.int(-c);
                return self.int_binary(BinaryOp::Add, a, c);
            }
            (BinaryOp::Add, None, Some(c)) => {
                if let Node::Binary(BinaryOp::Add, x, inner) = *self.node(a)
                    && let Some(sum) = self.integer(inner).and_then(|inner| inner.checked_add(c))
                {
                    let sum = self.int(sum);
                    return self.int_binary(BinaryOp::Add, x, sum);
                }
            }
            _ => {}
        }
        // A remainder is smaller than its divisor, so taking it again changes nothing.
        if op == BinaryOp::URem
            && matches!(*self.node(a), Node::Binary(BinaryOp::URem, _, c) if c == b && right.is_some())
        {
            return a;
        }
        let swapped = op.commutes() && right.is_none() && (left.is_some() || b < a);
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        self.intern(Node::Binary(op, a, b), Sort::Int)
    }

    pub(crate) fn int_neg(&mut self, a: TermId) -> TermId {
        match *self.node(a) {
            Node::Int(value) if value != i128::MIN => self.int(-value),
            Node::Neg(inner) => inner,
            _ => self.intern(Node::Neg(a), Sort::Int),
        }
    }

    #[track_caller]
    pub(crate) fn int_compare(&mut self, op: CompareOp, a: TermId, b: TermId) -> TermId {
        self.expect_int(a, b);
        assert!(op.is_signed(), "integers have one order");
        match (self.integer(a), self.integer(b)) {
            _ if a == b => self.truth(!op.is_strict()),
            (Some(a), Some(b)) => self.truth(compare(op, a, b)),
            _ => self.intern(Node::Compare(op, a, b), Sort::Bool),
        }
    }

    pub(crate) fn eq_int(&mut self, a: TermId, b: TermId) -> TermId {
        let (a, b) = match (self.integer(a), self.integer(b)) {
            _ if a == b => return self.truth(true),
            (Some(_), Some(_)) => return FALSE,
            (Some(_), None) => (b, a),
            (None, Some(_)) => (a, b),
            (None, None) => (a.min(b), a.max(b)),
        };
        // x + c == d says that x == d - c, and a choice between constants is decided by its condition.
        match (self.node(a).clone(), self.integer(b)) {
            (Node::Binary(BinaryOp::Add, x, c), Some(d)) => {
                if let Some(value) = self.integer(c).and_then(|c| d.checked_sub(c)) {
                    let value = self.int(value);
                    return self.eq_int(x, value);
                }
            }
            (Node::Ite(condition, x, y), Some(d)) => {
                if let (Some(x), Some(y)) = (self.integer(x), self.integer(y)) {
                    let (x, y) = (self.truth(x == d), self.truth(y == d));
                    return self.ite(condition, x, y);
                }
            }
            _ => {}
        }
        self.intern(Node::Eq(a, b), Sort::Bool)
    }
}
