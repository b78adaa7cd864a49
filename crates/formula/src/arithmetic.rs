//! Operators on bit-vectors of one width.

use crate::concrete::{self, mask};
use crate::node::{BinaryOp, Node, TermId};
use crate::sort::Sort;
use crate::terms::Terms;

impl Terms {
    /// `a op b`. Subtracting a constant is kept as adding its complement, so that offsets collect in one place.
    #[track_caller]
    pub fn binary(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        if self.sort(a) == Sort::Int {
            return self.int_binary(op, a, b);
        }
        let width = self.common_width(a, b);
        if let (Some(a), Some(b)) = (self.constant(a), self.constant(b)) {
            return self.bits(width, concrete::binary(op, width, a, b));
        }
        if let Some((condition, (a1, b1), (a2, b2))) = self.paired_choice(a, b) {
            let left = self.bits(width, concrete::binary(op, width, a1, b1));
            let right = self.bits(width, concrete::binary(op, width, a2, b2));
            return self.ite(condition, left, right);
        }
        let (a, b) = if op.commutes() && self.constant(b).is_none() {
            // Constants to the right, else the older term to the left.
            if self.constant(a).is_some() || b < a { (b, a) } else { (a, b) }
        } else {
            (a, b)
        };
        let simplified = match op {
            BinaryOp::Add => self.simplify_add(width, a, b),
            BinaryOp::Sub => self.simplify_sub(width, a, b),
            BinaryOp::Mul => self.simplify_mul(width, a, b),
            BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem => {
                self.simplify_division(op, width, a, b)
            }
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => self.simplify_shift(op, width, a, b),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => self.simplify_bitwise(op, width, a, b),
        };
        simplified.unwrap_or_else(|| self.intern(Node::Binary(op, a, b), Sort::Bits(width)))
    }

    /// `-a`, of bits wrapping.
    #[track_caller]
    pub fn neg(&mut self, a: TermId) -> TermId {
        if self.sort(a) == Sort::Int {
            return self.int_neg(a);
        }
        let width = self.width(a);
        if let Some((condition, left, right)) = self.choice(a) {
            let left = self.bits(width, left.wrapping_neg());
            let right = self.bits(width, right.wrapping_neg());
            return self.ite(condition, left, right);
        }
        match *self.node(a) {
            Node::Const { value, .. } => self.bits(width, value.wrapping_neg()),
            Node::Neg(inner) => inner,
            Node::Binary(BinaryOp::Sub, x, y) => self.binary(BinaryOp::Sub, y, x),
            // -(x + c) = -c - x: offsets are never hidden under a negation.
            Node::Binary(BinaryOp::Add, x, c) if self.constant(c).is_some() => {
                let c = self.neg(c);
                self.binary(BinaryOp::Sub, c, x)
            }
            _ => self.intern(Node::Neg(a), Sort::Bits(width)),
        }
    }

    /// `~a`.
    #[track_caller]
    pub fn bit_not(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        if let Some((condition, left, right)) = self.choice(a) {
            let left = self.bits(width, !left);
            let right = self.bits(width, !right);
            return self.ite(condition, left, right);
        }
        match *self.node(a) {
            Node::Const { value, .. } => self.bits(width, !value),
            Node::BitNot(inner) => inner,
            _ => self.intern(Node::BitNot(a), Sort::Bits(width)),
        }
    }

    /// A term as a sum of something and a constant.
    fn offset(&self, t: TermId) -> Option<(TermId, u128)> {
        match *self.node(t) {
            Node::Binary(BinaryOp::Add, x, c) => self.constant(c).map(|value| (x, value)),
            _ => None,
        }
    }

    fn plus(&mut self, width: u32, t: TermId, value: u128) -> TermId {
        let value = self.bits(width, value);
        self.binary(BinaryOp::Add, t, value)
    }

    fn simplify_add(&mut self, width: u32, a: TermId, b: TermId) -> Option<TermId> {
        if let Some(value) = self.constant(b) {
            if value == 0 {
                return Some(a);
            }
            if let Some((x, inner)) = self.offset(a) {
                return Some(self.plus(width, x, inner.wrapping_add(value)));
            }
            if let Node::Binary(BinaryOp::Sub, c, x) = *self.node(a)
                && let Some(inner) = self.constant(c)
            {
                let sum = self.bits(width, inner.wrapping_add(value));
                return Some(self.binary(BinaryOp::Sub, sum, x));
            }
            return None;
        }
        // Constants move to the end of a sum.
        for (summand, other) in [(a, b), (b, a)] {
            if let Some((x, value)) = self.offset(summand) {
                let sum = self.binary(BinaryOp::Add, x, other);
                return Some(self.plus(width, sum, value));
            }
        }
        for (x, other) in [(a, b), (b, a)] {
            match *self.node(other) {
                // x + (y - x) = y
                Node::Binary(BinaryOp::Sub, y, z) if z == x => return Some(y),
                // x + -y = x - y
                Node::Neg(y) => return Some(self.binary(BinaryOp::Sub, x, y)),
                _ => {}
            }
        }
        None
    }

    fn simplify_sub(&mut self, width: u32, a: TermId, b: TermId) -> Option<TermId> {
        if a == b {
            return Some(self.bits(width, 0));
        }
        if let Some(value) = self.constant(b) {
            return Some(self.plus(width, a, value.wrapping_neg()));
        }
        if self.constant(a) == Some(0) {
            return Some(self.neg(b));
        }
        // Constants move to the end of a difference; where the left side is a constant, into it.
        if let Some((x, value)) = self.offset(b) {
            let difference = self.binary(BinaryOp::Sub, a, x);
            return Some(self.plus(width, difference, value.wrapping_neg()));
        }
        if let Some((x, value)) = self.offset(a) {
            let difference = self.binary(BinaryOp::Sub, x, b);
            return Some(self.plus(width, difference, value));
        }
        if let Node::Neg(y) = *self.node(b) {
            return Some(self.binary(BinaryOp::Add, a, y));
        }
        // A loop, because two long sums may share all summands but the first.
        let (mut left, mut right) = (a, b);
        while let Some(rest) = self.without_shared_summand(left, right) {
            (left, right) = rest;
        }
        if left != a {
            return Some(self.binary(BinaryOp::Sub, left, right));
        }
        match *self.node(a) {
            Node::Binary(BinaryOp::Add, x, y) if x == b => return Some(y),
            Node::Binary(BinaryOp::Add, x, y) if y == b => return Some(x),
            _ => {}
        }
        match *self.node(b) {
            // x - (x + y) = -y, x - (x - y) = y
            Node::Binary(BinaryOp::Add, x, y) if x == a => Some(self.neg(y)),
            Node::Binary(BinaryOp::Add, x, y) if y == a => Some(self.neg(x)),
            Node::Binary(BinaryOp::Sub, x, y) if x == a => Some(y),
            _ => None,
        }
    }

    /// Two sums with the same difference, one summand shorter each.
    fn without_shared_summand(&self, a: TermId, b: TermId) -> Option<(TermId, TermId)> {
        let (Node::Binary(BinaryOp::Add, x, y), Node::Binary(BinaryOp::Add, v, w)) = (self.node(a), self.node(b))
        else {
            return None;
        };
        for (shared, left) in [(x, y), (y, x)] {
            for (candidate, right) in [(v, w), (w, v)] {
                if shared == candidate {
                    return Some((*left, *right));
                }
            }
        }
        None
    }

    fn simplify_mul(&mut self, width: u32, a: TermId, b: TermId) -> Option<TermId> {
        let value = self.constant(b)?;
        if value == 0 {
            return Some(b);
        }
        if value == 1 {
            return Some(a);
        }
        if value == mask(width) {
            return Some(self.neg(a));
        }
        if let Node::Binary(BinaryOp::Mul, x, c) = *self.node(a)
            && let Some(inner) = self.constant(c)
        {
            let product = self.bits(width, inner.wrapping_mul(value));
            return Some(self.binary(BinaryOp::Mul, x, product));
        }
        None
    }

    fn simplify_division(&mut self, op: BinaryOp, width: u32, a: TermId, b: TermId) -> Option<TermId> {
        let is_remainder = matches!(op, BinaryOp::URem | BinaryOp::SRem);
        match self.constant(b) {
            // In one bit, signed 1 is -1; the rules for 1 do not hold there.
            Some(1) if is_remainder && width > 1 => return Some(self.bits(width, 0)),
            Some(1) if width > 1 => return Some(a),
            Some(0) if is_remainder => return Some(a),
            Some(0) if op == BinaryOp::UDiv => return Some(self.bits(width, mask(width))),
            _ => {}
        }
        // Both hold for a zero divisor too: x rem 0 is x. No quotient rule does.
        if is_remainder && (a == b || self.constant(a) == Some(0)) {
            return Some(self.bits(width, 0));
        }
        None
    }

    fn simplify_shift(&mut self, op: BinaryOp, width: u32, a: TermId, b: TermId) -> Option<TermId> {
        if self.constant(a) == Some(0) {
            return Some(a);
        }
        let amount = self.constant(b)?;
        if amount == 0 {
            return Some(a);
        }
        if amount < u128::from(width) {
            return None;
        }
        if op == BinaryOp::AShr {
            if width == 1 {
                return Some(a);
            }
            let most = self.bits(width, u128::from(width - 1));
            return Some(self.binary(op, a, most));
        }
        Some(self.bits(width, 0))
    }

    fn simplify_bitwise(&mut self, op: BinaryOp, width: u32, a: TermId, b: TermId) -> Option<TermId> {
        let ones = mask(width);
        if a == b {
            return Some(match op {
                BinaryOp::Xor => self.bits(width, 0),
                _ => a,
            });
        }
        let complementary =
            matches!(*self.node(a), Node::BitNot(x) if x == b) || matches!(*self.node(b), Node::BitNot(x) if x == a);
        if complementary {
            let value = if op == BinaryOp::And { 0 } else { ones };
            return Some(self.bits(width, value));
        }
        let truths = match (self.choice(a), self.choice(b)) {
            (Some((c, 1, 0)), Some((d, 1, 0))) => Some((c, d)),
            // Of a single bit the other one is a truth value as well.
            (Some((_, 1, 0)), _) | (_, Some((_, 1, 0))) if width == 1 && self.constant(b).is_none() => {
                Some((self.bits_to_bool(a), self.bits_to_bool(b)))
            }
            _ => None,
        };
        if let Some((c, d)) = truths {
            // Truth values that were made bits: decide as truth values.
            let condition = match op {
                BinaryOp::And => self.and2(c, d),
                BinaryOp::Or => self.or2(c, d),
                _ => self.ne(c, d),
            };
            return Some(self.bool_to_bits(condition, width));
        }
        let value = self.constant(b)?;
        match op {
            BinaryOp::And if value == 0 => return Some(b),
            BinaryOp::And if value == ones => return Some(a),
            BinaryOp::Or if value == 0 => return Some(a),
            BinaryOp::Or if value == ones => return Some(b),
            BinaryOp::Xor if value == 0 => return Some(a),
            BinaryOp::Xor if value == ones => return Some(self.bit_not(a)),
            _ => {}
        }
        if let Node::Binary(inner_op, x, c) = *self.node(a)
            && inner_op == op
            && let Some(inner) = self.constant(c)
        {
            let merged = self.bits(width, concrete::binary(op, width, inner, value));
            return Some(self.binary(op, x, merged));
        }
        None
    }
}
