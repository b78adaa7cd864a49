//! Concatenation, extraction, extension: the operators that move bits without computing.
//!
//! Memory is read and written byte by byte, so what matters here is that a value cut into bytes and glued together
//! again becomes the value it was.

use crate::concrete::{signed, wrap};
use crate::node::{Node, TermId};
use crate::sort::{MAX_WIDTH, Sort};
use crate::terms::{Terms, check_width};

impl Terms {
    /// `high` in front of `low`.
    #[track_caller]
    pub fn concat(&mut self, high: TermId, low: TermId) -> TermId {
        let (high_width, low_width) = (self.width(high), self.width(low));
        let width = high_width + low_width;
        assert!(width <= MAX_WIDTH, "concatenation of {width} bits");
        let joined = |a: u128, b: u128| (a << low_width) | b;
        if let (Some(a), Some(b)) = (self.constant(high), self.constant(low)) {
            return self.bits(width, joined(a, b));
        }
        if let Some((condition, (a1, b1), (a2, b2))) = self.paired_choice(high, low) {
            let left = self.bits(width, joined(a1, b1));
            let right = self.bits(width, joined(a2, b2));
            return self.ite(condition, left, right);
        }
        if self.constant(high) == Some(0) {
            return self.zero_extend(low, width);
        }
        // Copies of the sign of the low part are a sign extension of it.
        let repeated_bit = match *self.node(high) {
            Node::SignExtend(x, _) => Some(x).filter(|&x| self.width(x) == 1),
            _ => Some(high).filter(|_| high_width == 1),
        };
        if repeated_bit.is_some_and(|bit| self.top_bit(low) == bit) {
            return self.sign_extend(low, width);
        }
        match *self.node(high) {
            Node::ZeroExtend(x, _) => {
                let inner = self.concat(x, low);
                return self.zero_extend(inner, width);
            }
            Node::SignExtend(x, _) => {
                let inner = self.concat(x, low);
                return self.sign_extend(inner, width);
            }
            Node::Concat(first, second) => {
                let rest = self.concat(second, low);
                return self.concat(first, rest);
            }
            _ => {}
        }
        if let Some(merged) = self.merge_neighbours(high, low) {
            return merged;
        }
        if let Node::Concat(first, rest) = *self.node(low)
            && let Some(merged) = self.merge_neighbours(high, first)
        {
            return self.concat(merged, rest);
        }
        self.intern(Node::Concat(high, low), Sort::Bits(width))
    }

    /// Two neighbours as one, if they are slices of one term or two constants.
    fn merge_neighbours(&mut self, high: TermId, low: TermId) -> Option<TermId> {
        match (self.node(high).clone(), self.node(low).clone()) {
            (
                Node::Extract { term: t, low: high_start, width: high_width },
                Node::Extract { term, low: start, width },
            ) if t == term && high_start == start + width => Some(self.extract(term, start, high_width + width)),
            (Node::Const { .. }, Node::Const { .. }) => Some(self.concat(high, low)),
            _ => None,
        }
    }

    /// The sign of a bit-vector.
    fn top_bit(&mut self, t: TermId) -> TermId {
        let width = self.width(t);
        self.extract(t, width - 1, 1)
    }

    /// `width` bits of `t` from bit `low` upwards.
    #[track_caller]
    pub fn extract(&mut self, t: TermId, low: u32, width: u32) -> TermId {
        check_width(width);
        let whole = self.width(t);
        assert!(low.checked_add(width).is_some_and(|end| end <= whole), "bits {low} to {low}+{width} of {whole}");
        if width == whole {
            return t;
        }
        if let Some((condition, a, b)) = self.choice(t) {
            let (a, b) = (self.bits(width, a >> low), self.bits(width, b >> low));
            return self.ite(condition, a, b);
        }
        match *self.node(t) {
            Node::Const { value, .. } => self.bits(width, value >> low),
            Node::Extract { term, low: start, .. } => self.extract(term, start + low, width),
            Node::ZeroExtend(x, _) => {
                let inner = self.width(x);
                if low >= inner {
                    self.bits(width, 0)
                } else if low + width <= inner {
                    self.extract(x, low, width)
                } else {
                    let part = self.extract(x, low, inner - low);
                    self.zero_extend(part, width)
                }
            }
            Node::SignExtend(x, _) => {
                let inner = self.width(x);
                if low + width <= inner {
                    self.extract(x, low, width)
                } else {
                    // Above the inner term there are only copies of its sign.
                    let start = low.min(inner - 1);
                    let part = self.extract(x, start, inner - start);
                    self.sign_extend(part, width)
                }
            }
            Node::Concat(high_part, low_part) => {
                let border = self.width(low_part);
                if low >= border {
                    self.extract(high_part, low - border, width)
                } else if low + width <= border {
                    self.extract(low_part, low, width)
                } else {
                    let high_part = self.extract(high_part, 0, low + width - border);
                    let low_part = self.extract(low_part, low, border - low);
                    self.concat(high_part, low_part)
                }
            }
            _ => self.intern(Node::Extract { term: t, low, width }, Sort::Bits(width)),
        }
    }

    /// `t` with zeros in front, up to `to_width`.
    #[track_caller]
    pub fn zero_extend(&mut self, t: TermId, to_width: u32) -> TermId {
        let width = self.check_extension(t, to_width);
        if width == to_width {
            return t;
        }
        if let Some((condition, a, b)) = self.choice(t) {
            let (a, b) = (self.bits(to_width, a), self.bits(to_width, b));
            return self.ite(condition, a, b);
        }
        match *self.node(t) {
            Node::Const { value, .. } => self.bits(to_width, value),
            Node::ZeroExtend(x, _) => self.zero_extend(x, to_width),
            _ => self.intern(Node::ZeroExtend(t, to_width), Sort::Bits(to_width)),
        }
    }

    /// `t` with copies of its sign in front, up to `to_width`.
    #[track_caller]
    pub fn sign_extend(&mut self, t: TermId, to_width: u32) -> TermId {
        let width = self.check_extension(t, to_width);
        if width == to_width {
            return t;
        }
        let extended = |value| wrap(to_width, signed(width, value));
        if let Some((condition, a, b)) = self.choice(t) {
            let (a, b) = (self.bits(to_width, extended(a)), self.bits(to_width, extended(b)));
            return self.ite(condition, a, b);
        }
        match *self.node(t) {
            Node::Const { value, .. } => self.bits(to_width, extended(value)),
            Node::SignExtend(x, _) => self.sign_extend(x, to_width),
            // The sign of something zero-extended is zero.
            Node::ZeroExtend(x, _) => self.zero_extend(x, to_width),
            _ => self.intern(Node::SignExtend(t, to_width), Sort::Bits(to_width)),
        }
    }

    #[track_caller]
    fn check_extension(&self, t: TermId, to_width: u32) -> u32 {
        check_width(to_width);
        let width = self.width(t);
        assert!(width <= to_width, "extension from {width} to {to_width} bits");
        width
    }
}
