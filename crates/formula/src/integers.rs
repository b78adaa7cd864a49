//! Bit-vectors read as mathematical integers.
//!
//! A bit-vector is read as a signed number, and arithmetic on it does not wrap. What looks at bits in another way says so by
//! remainders, as verifiers that compute with integers have it: an unsigned comparison compares the remainders by 2^width, a
//! narrower number is what is left of a wider one. So an execution in which nothing overflows, read as signed numbers, is one
//! of both readings. Equality is that of the numbers.

use rustc_hash::FxHashMap;

use crate::node::{BinaryOp, CompareOp, Node, TermId, VarId};
use crate::sort::Sort;
use crate::terms::Terms;

/// Powers of two up to this one are constants of terms.
const LARGEST_POWER: u32 = 126;

/// Terms over bits as terms over integers, each read once. A variable keeps its number; of a bit-vector it becomes an
/// integer.
#[derive(Clone, Debug, Default)]
pub struct Integers {
    /// What was read.
    pub terms: Terms,
    read: FxHashMap<TermId, Option<TermId>>,
}

impl Integers {
    /// Nothing is read yet.
    pub fn new() -> Integers {
        Integers::default()
    }

    /// The sort that a variable of this sort has as an integer.
    pub fn sort(sort: Sort) -> Sort {
        match sort {
            Sort::Bool => Sort::Bool,
            Sort::Bits(_) | Sort::Int => Sort::Int,
        }
    }

    /// The value that bits are read as.
    pub fn value(sort: Sort, raw: u128) -> u128 {
        match sort {
            Sort::Bits(width) => crate::concrete::signed(width, raw) as u128,
            Sort::Bool | Sort::Int => raw,
        }
    }

    /// The bits that an integer leaves at a width: those of the machine, should it not fit.
    pub fn bits(sort: Sort, value: u128) -> u128 {
        match sort {
            Sort::Bits(width) => value & crate::concrete::mask(width),
            Sort::Bool | Sort::Int => value,
        }
    }

    /// A term read over integers; `None` where it has no such reading (bitwise operators, floating point).
    pub fn read(&mut self, from: &Terms, t: TermId) -> Option<TermId> {
        for part in from.reachable(&[t]) {
            if !self.read.contains_key(&part) {
                let read = self.node(from, part);
                self.read.insert(part, read);
            }
        }
        self.read[&t]
    }

    fn get(&self, t: TermId) -> Option<TermId> {
        self.read[&t]
    }

    fn node(&mut self, from: &Terms, t: TermId) -> Option<TermId> {
        let all = |items: &[TermId]| -> Option<Vec<TermId>> { items.iter().map(|item| self.get(*item)).collect() };
        Some(match *from.node(t) {
            Node::True => self.terms.truth(true),
            Node::False => self.terms.truth(false),
            Node::Const { width, value } => self.terms.int(crate::concrete::signed(width, value)),
            Node::Int(value) => self.terms.int(value),
            Node::Var(var, sort) => self.variable(var, sort),
            Node::Not(a) => {
                let a = self.get(a)?;
                self.terms.not(a)
            }
            Node::And(ref items) => {
                let items = all(items)?;
                self.terms.and(items)
            }
            Node::Or(ref items) => {
                let items = all(items)?;
                self.terms.or(items)
            }
            Node::Ite(condition, a, b) => {
                let (condition, a, b) = (self.get(condition)?, self.get(a)?, self.get(b)?);
                self.terms.ite(condition, a, b)
            }
            Node::Eq(a, b) => {
                let (left, right) = (self.get(a)?, self.get(b)?);
                self.terms.eq(left, right)
            }
            Node::Binary(op, a, b) => return self.binary(from, op, a, b),
            Node::Compare(op, a, b) => {
                let (mut left, mut right) = (self.get(a)?, self.get(b)?);
                let order = if op.is_strict() { CompareOp::Slt } else { CompareOp::Sle };
                if !op.is_signed() {
                    (left, right) = (self.unsigned(left, from.width(a))?, self.unsigned(right, from.width(b))?);
                }
                self.terms.compare(order, left, right)
            }
            Node::Concat(high, low) => {
                let width = from.width(low);
                let (high, low) = (self.get(high)?, self.get(low)?);
                let (power, low) = (self.power(width)?, self.unsigned(low, width)?);
                let high = self.terms.binary(BinaryOp::Mul, high, power);
                self.terms.binary(BinaryOp::Add, high, low)
            }
            Node::Extract { term, low, width } => {
                let (term, power) = (self.get(term)?, self.power(low)?);
                let shifted = self.terms.binary(BinaryOp::UDiv, term, power);
                self.signed(shifted, width)?
            }
            Node::ZeroExtend(a, _) => {
                let read = self.get(a)?;
                self.unsigned(read, from.width(a))?
            }
            Node::SignExtend(a, _) => self.get(a)?,
            Node::BitNot(a) => {
                let (a, minus_one) = (self.get(a)?, self.terms.int(-1));
                self.terms.binary(BinaryOp::Sub, minus_one, a)
            }
            Node::Neg(a) => {
                let a = self.get(a)?;
                self.terms.neg(a)
            }
            Node::Float(..) => return None,
        })
    }

    fn variable(&mut self, var: VarId, sort: Sort) -> TermId {
        self.terms.var(var, Integers::sort(sort))
    }

    fn power(&mut self, exponent: u32) -> Option<TermId> {
        (exponent <= LARGEST_POWER).then(|| self.terms.int(1 << exponent))
    }

    /// The number that the lowest bits are without a sign.
    fn unsigned(&mut self, t: TermId, width: u32) -> Option<TermId> {
        let power = self.power(width)?;
        Some(self.terms.binary(BinaryOp::URem, t, power))
    }

    /// The number that the lowest bits are with a sign.
    fn signed(&mut self, t: TermId, width: u32) -> Option<TermId> {
        let half = self.power(width - 1)?;
        let moved = self.terms.binary(BinaryOp::Add, t, half);
        let rest = self.unsigned(moved, width)?;
        Some(self.terms.binary(BinaryOp::Sub, rest, half))
    }

    fn binary(&mut self, from: &Terms, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        let (left, right) = (self.get(a)?, self.get(b)?);
        // The amount of a shift, or a mask.
        let constant = from.constant(b);
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::SDiv | BinaryOp::SRem => {
                Some(self.terms.binary(op, left, right))
            }
            BinaryOp::UDiv | BinaryOp::URem => {
                let (left, right) = (self.unsigned(left, from.width(a))?, self.unsigned(right, from.width(b))?);
                Some(self.terms.binary(op, left, right))
            }
            BinaryOp::Shl => {
                let power = self.power(u32::try_from(constant?).ok().filter(|amount| *amount < from.width(a))?)?;
                Some(self.terms.binary(BinaryOp::Mul, left, power))
            }
            BinaryOp::LShr | BinaryOp::AShr => {
                let power = self.power(u32::try_from(constant?).ok().filter(|amount| *amount < from.width(a))?)?;
                let left = if op == BinaryOp::LShr { self.unsigned(left, from.width(a))? } else { left };
                Some(self.terms.binary(BinaryOp::UDiv, left, power))
            }
            // The lowest bits.
            BinaryOp::And => {
                let mask = constant?;
                let ones = mask.trailing_ones();
                (ones > 0 && mask >> ones == 0).then(|| self.unsigned(left, ones))?
            }
            BinaryOp::Or | BinaryOp::Xor => None,
        }
    }
}
