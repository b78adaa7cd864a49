//! Comparisons of numbers that were converted to floats: where the conversion keeps the order, comparisons of what was
//! converted. No solver has to look into a conversion then.

use crate::concrete::{sign_bit, signed, signed_max, wrap};
use crate::float::{FloatOp, apply};
use crate::node::{CompareOp, Node, TermId};
use crate::sort::Value;
use crate::terms::{FALSE, TRUE, Terms};

/// Integers of more bits than this are left alone.
const MOST_BITS: u32 = 64;

/// The widest integers that all have a float of their own.
fn exact_bits(float: u32) -> u32 {
    if float == 32 { 24 } else { 53 }
}

/// A conversion to a float that keeps the order.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Conversion {
    /// From integers of a width, to a float of a width.
    Integer { signed: bool, bits: u32, float: u32 },
    /// From `float` to `double`.
    Widening,
}

impl Conversion {
    /// Whether different numbers stay different.
    fn is_exact(self) -> bool {
        match self {
            Conversion::Integer { signed, bits, float } => bits <= exact_bits(float) + u32::from(signed),
            Conversion::Widening => true,
        }
    }
}

impl Terms {
    /// A comparison of floats as one of what was converted to them.
    pub(crate) fn compare_converted(&mut self, op: FloatOp, args: &[TermId]) -> Option<TermId> {
        if !matches!(op, FloatOp::Eq | FloatOp::Lt | FloatOp::Le | FloatOp::Unordered) {
            return None;
        }
        let &[a, b] = args else { return None };
        match (self.converted(a), self.converted(b)) {
            (Some((x, from)), Some((y, same))) if from == same && from.is_exact() => Some(self.order(from, op, x, y)),
            (Some((x, from)), None) => self.with_constant(from, op, x, self.constant(b)?, true),
            (None, Some((y, from))) => self.with_constant(from, op, y, self.constant(a)?, false),
            _ => None,
        }
    }

    /// What was converted, and how.
    fn converted(&self, t: TermId) -> Option<(TermId, Conversion)> {
        let Node::Float(op, args) = self.node(t) else { return None };
        let (bits, integer) =
            (self.width(args[0]), |signed, float| Conversion::Integer { signed, bits: self.width(args[0]), float });
        let how = match *op {
            FloatOp::FromSigned { width } if bits <= MOST_BITS => integer(true, width),
            FloatOp::FromUnsigned { width } if bits <= MOST_BITS => integer(false, width),
            FloatOp::Convert { width: 64 } if bits == 32 => Conversion::Widening,
            _ => return None,
        };
        Some((args[0], how))
    }

    /// The same comparison of two that were converted in the same way.
    fn order(&mut self, from: Conversion, op: FloatOp, x: TermId, y: TermId) -> TermId {
        let Conversion::Integer { signed, .. } = from else { return self.float(op, &[x, y]) };
        match op {
            FloatOp::Eq => self.eq(x, y),
            FloatOp::Lt => self.compare(if signed { CompareOp::Slt } else { CompareOp::Ult }, x, y),
            FloatOp::Le => self.compare(if signed { CompareOp::Sle } else { CompareOp::Ule }, x, y),
            _ => FALSE,
        }
    }

    /// A comparison with a constant, which stands on the right or on the left.
    fn with_constant(&mut self, from: Conversion, op: FloatOp, x: TermId, c: u128, right: bool) -> Option<TermId> {
        match from {
            Conversion::Integer { signed, bits, float } => {
                Some(self.integer_with(signed, bits, float, op, x, c, right))
            }
            Conversion::Widening => Some(self.widened_with(op, x, f64::from_bits(c as u64), right)),
        }
    }

    /// The integers whose float compares so with a constant are all up to one, or all from one on, or between two.
    #[expect(clippy::too_many_arguments, reason = "a comparison and a conversion, spelled out")]
    fn integer_with(
        &mut self,
        signed: bool,
        bits: u32,
        float: u32,
        op: FloatOp,
        x: TermId,
        c: u128,
        right: bool,
    ) -> TermId {
        let conversion =
            if signed { FloatOp::FromSigned { width: float } } else { FloatOp::FromUnsigned { width: float } };
        let compares = |op: FloatOp, number: i128| {
            let Value::Bits { value, .. } = apply(conversion, bits, &[wrap(bits, number)]) else { return false };
            let pair = if right { [value, c] } else { [c, value] };
            apply(op, float, &pair) == Value::Bool(true)
        };
        let (low, high) = range(signed, bits);
        if compares(FloatOp::Unordered, low) {
            return self.truth(op == FloatOp::Unordered);
        }
        match op {
            FloatOp::Unordered => FALSE,
            FloatOp::Eq => {
                // On the way up a number is below, equal, above.
                let (below, above) = if right { (FloatOp::Lt, FloatOp::Le) } else { (FloatOp::Le, FloatOp::Lt) };
                let is_from = |n: i128| if right { !compares(below, n) } else { compares(below, n) };
                let is_after = |n: i128| if right { !compares(above, n) } else { compares(above, n) };
                let (first, after) = (first(low, high, is_from), first(low, high, is_after));
                let from = self.at_least(signed, bits, x, first);
                let before = self.at_least(signed, bits, x, after);
                let before = self.not(before);
                self.and2(from, before)
            }
            _ if right => {
                let beyond = first(low, high, |n| !compares(op, n));
                let beyond = self.at_least(signed, bits, x, beyond);
                self.not(beyond)
            }
            _ => {
                let from = first(low, high, |n| compares(op, n));
                self.at_least(signed, bits, x, from)
            }
        }
    }

    /// `x >= number`, which may lie behind all that the width has.
    fn at_least(&mut self, signed: bool, bits: u32, x: TermId, number: i128) -> TermId {
        let (low, high) = range(signed, bits);
        if number <= low {
            return TRUE;
        }
        if number > high {
            return FALSE;
        }
        let number = self.bits(bits, wrap(bits, number));
        self.compare(if signed { CompareOp::Sle } else { CompareOp::Ule }, number, x)
    }

    /// A `float` compared with a `double`.
    fn widened_with(&mut self, op: FloatOp, x: TermId, c: f64, right: bool) -> TermId {
        let near = c as f32;
        let is_same = f64::from(near) == c;
        if op == FloatOp::Unordered || c.is_nan() {
            return match (op, c.is_nan()) {
                (FloatOp::Unordered, true) => TRUE,
                (FloatOp::Unordered, false) => self.float(op, &[x, x]),
                _ => FALSE,
            };
        }
        if op == FloatOp::Eq && !is_same {
            return FALSE;
        }
        // Between two neighbours, less than the constant is at most the one below it.
        let (op, bound) = match (is_same, right) {
            (true, _) => (op, near),
            (false, true) => (FloatOp::Le, if f64::from(near) > c { near.next_down() } else { near }),
            (false, false) => (FloatOp::Le, if f64::from(near) < c { near.next_up() } else { near }),
        };
        let bound = self.bits(32, u128::from(bound.to_bits()));
        self.float(op, &if right { [x, bound] } else { [bound, x] })
    }
}

/// The numbers of a width.
fn range(is_signed: bool, bits: u32) -> (i128, i128) {
    if is_signed {
        (signed(bits, sign_bit(bits)), signed_max(bits) as i128)
    } else {
        (0, crate::concrete::mask(bits) as i128)
    }
}

/// The first number from which on something holds; one more than the highest if it never does.
fn first(low: i128, high: i128, holds: impl Fn(i128) -> bool) -> i128 {
    let (mut low, mut after) = (low, high + 1);
    while low < after {
        let middle = low + (after - low) / 2;
        if holds(middle) {
            after = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}
