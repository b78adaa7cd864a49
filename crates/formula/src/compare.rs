//! Orders on bit-vectors.

use crate::concrete::{self, mask, sign_bit, signed, signed_max, wrap};
use crate::node::{CompareOp, Node, TermId};
use crate::sort::Sort;
use crate::terms::{FALSE, TRUE, Terms};

impl Terms {
    /// `a op b`.
    #[track_caller]
    pub fn compare(&mut self, op: CompareOp, a: TermId, b: TermId) -> TermId {
        if self.sort(a) == Sort::Int {
            return self.int_compare(op, a, b);
        }
        let width = self.common_width(a, b);
        if a == b {
            return self.truth(!op.is_strict());
        }
        if let (Some(a), Some(b)) = (self.constant(a), self.constant(b)) {
            return self.truth(concrete::compare(op, width, a, b));
        }
        if let Some((condition, (a1, b1), (a2, b2))) = self.paired_choice(a, b) {
            let left = self.truth(concrete::compare(op, width, a1, b1));
            let right = self.truth(concrete::compare(op, width, a2, b2));
            return self.ite(condition, left, right);
        }
        if let Some(formula) = self.compare_near_end(op, width, a, b) {
            return formula;
        }
        if let Some(formula) = self.compare_narrow(op, width, a, b) {
            return formula;
        }
        self.intern(Node::Compare(op, a, b), Sort::Bool)
    }

    /// Comparisons with the ends of the range, and with their neighbours, are true, false or an equality.
    fn compare_near_end(&mut self, op: CompareOp, width: u32, a: TermId, b: TermId) -> Option<TermId> {
        let (smallest, largest) = if op.is_signed() { (sign_bit(width), signed_max(width)) } else { (0, mask(width)) };
        let after_smallest = smallest.wrapping_add(1) & mask(width);
        let before_largest = largest.wrapping_sub(1) & mask(width);
        let (x, value, x_is_left) = match (self.constant(a), self.constant(b)) {
            (None, Some(value)) => (a, value, true),
            (Some(value), None) => (b, value, false),
            _ => return None,
        };
        // `x op value` for the left, `value op x` for the right, as a claim that x is an end, or is not.
        let (end, is_end) = match (x_is_left, op.is_strict()) {
            (true, true) if value == smallest => return Some(FALSE),
            (true, false) if value == largest => return Some(TRUE),
            (false, true) if value == largest => return Some(FALSE),
            (false, false) if value == smallest => return Some(TRUE),
            (true, true) if value == after_smallest => (smallest, true),
            (true, true) if value == largest => (largest, false),
            (true, false) if value == smallest => (smallest, true),
            (true, false) if value == before_largest => (largest, false),
            (false, true) if value == smallest => (smallest, false),
            (false, true) if value == before_largest => (largest, true),
            (false, false) if value == largest => (largest, true),
            (false, false) if value == after_smallest => (smallest, false),
            _ => return None,
        };
        let end = self.bits(width, end);
        let equal = self.eq(x, end);
        Some(if is_end { equal } else { self.not(equal) })
    }

    /// Comparisons of extended operands are comparisons of what was extended.
    fn compare_narrow(&mut self, op: CompareOp, width: u32, a: TermId, b: TermId) -> Option<TermId> {
        let unsigned = if op.is_strict() { CompareOp::Ult } else { CompareOp::Ule };
        match (self.node(a).clone(), self.node(b).clone()) {
            // Zero-extended values are not negative, so both orders agree on them.
            (Node::ZeroExtend(x, _), Node::ZeroExtend(y, _)) => {
                let narrow = self.width(x).max(self.width(y));
                let (x, y) = (self.zero_extend(x, narrow), self.zero_extend(y, narrow));
                Some(self.compare(unsigned, x, y))
            }
            // Sign extension keeps both orders: it moves the negative half to the top as a whole.
            (Node::SignExtend(x, _), Node::SignExtend(y, _)) => {
                let narrow = self.width(x).max(self.width(y));
                let (x, y) = (self.sign_extend(x, narrow), self.sign_extend(y, narrow));
                Some(self.compare(op, x, y))
            }
            (Node::ZeroExtend(x, _), Node::Const { value, .. }) => {
                let narrow = self.width(x);
                if value <= mask(narrow) {
                    let bound = self.bits(narrow, value);
                    return Some(self.compare(unsigned, x, bound));
                }
                Some(self.truth(concrete::compare(op, width, 0, value)))
            }
            (Node::Const { value, .. }, Node::ZeroExtend(x, _)) => {
                let narrow = self.width(x);
                if value <= mask(narrow) {
                    let bound = self.bits(narrow, value);
                    return Some(self.compare(unsigned, bound, x));
                }
                Some(self.truth(concrete::compare(op, width, value, 0)))
            }
            (Node::SignExtend(x, _), Node::Const { value, .. }) => {
                if let Some(bound) = self.sign_narrowed(x, width, value) {
                    return Some(self.compare(op, x, bound));
                }
                if op.is_signed() {
                    return Some(self.truth(concrete::compare(op, width, 0, value)));
                }
                // The bound lies between the two halves of the range of x.
                let narrow = self.width(x);
                let zero = self.bits(narrow, 0);
                Some(self.sle(zero, x))
            }
            (Node::Const { value, .. }, Node::SignExtend(x, _)) => {
                if let Some(bound) = self.sign_narrowed(x, width, value) {
                    return Some(self.compare(op, bound, x));
                }
                if op.is_signed() {
                    return Some(self.truth(concrete::compare(op, width, value, 0)));
                }
                let narrow = self.width(x);
                let zero = self.bits(narrow, 0);
                Some(self.slt(x, zero))
            }
            _ => None,
        }
    }

    /// The constant at the width of `x`, if sign extension leads from there to `value`.
    fn sign_narrowed(&mut self, x: TermId, width: u32, value: u128) -> Option<TermId> {
        let narrow = self.width(x);
        let number = signed(width, value);
        let cut = wrap(narrow, number);
        (signed(narrow, cut) == number).then(|| self.bits(narrow, cut))
    }

    /// `a < b`, unsigned.
    #[track_caller]
    pub fn ult(&mut self, a: TermId, b: TermId) -> TermId {
        self.compare(CompareOp::Ult, a, b)
    }

    /// `a <= b`, unsigned.
    #[track_caller]
    pub fn ule(&mut self, a: TermId, b: TermId) -> TermId {
        self.compare(CompareOp::Ule, a, b)
    }

    /// `a > b`, unsigned.
    #[track_caller]
    pub fn ugt(&mut self, a: TermId, b: TermId) -> TermId {
        self.compare(CompareOp::Ult, b, a)
    }

    /// `a >= b`, unsigned.
    #[track_caller]
    pub fn uge(&mut self, a: TermId, b: TermId) -> TermId {
        self.compare(CompareOp::Ule, b, a)
    }

    /// `a < b`, signed.
    #[track_caller]
    pub fn slt(&mut self, a: TermId, b: TermId) -> TermId {
        self.compare(CompareOp::Slt, a, b)
    }

    /// `a <= b`, signed.
    #[track_caller]
    pub fn sle(&mut self, a: TermId, b: TermId) -> TermId {
        self.compare(CompareOp::Sle, a, b)
    }

    /// `a > b`, signed.
    #[track_caller]
    pub fn sgt(&mut self, a: TermId, b: TermId) -> TermId {
        self.compare(CompareOp::Slt, b, a)
    }

    /// `a >= b`, signed.
    #[track_caller]
    pub fn sge(&mut self, a: TermId, b: TermId) -> TermId {
        self.compare(CompareOp::Sle, b, a)
    }
}
