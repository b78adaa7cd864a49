//! The shapes a term can have.

use crate::float::FloatOp;
use crate::sort::Sort;

/// Names a term of one [`Terms`](crate::Terms). Ids of different arenas must not be mixed.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(pub(crate) u32);

impl TermId {
    /// The position in the arena: dense, and larger than that of every part of the term.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A free variable. Its meaning is the caller's.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarId(pub u32);

/// Operators from two bit-vectors of one width to that width, with SMT-LIB's total semantics: `x udiv 0` is all ones,
/// `x urem 0` is `x`, and shifting by the width or more leaves only fill bits.
///
/// Of integers there are sum, difference, product, the quotient and remainder toward zero (`SDiv`, `SRem`) and the
/// Euclidean ones (`UDiv`, `URem`: the remainder is never negative); dividing by zero gives zero, the remainder is then
/// the dividend.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BinaryOp {
    /// Sum, wrapping.
    Add,
    /// Difference, wrapping.
    Sub,
    /// Product, wrapping.
    Mul,
    /// Unsigned quotient.
    UDiv,
    /// Signed quotient, truncated toward zero; `x sdiv 0` is 1 for negative `x`, else -1.
    SDiv,
    /// Unsigned remainder.
    URem,
    /// Signed remainder with the sign of the dividend; `x srem 0` is `x`.
    SRem,
    /// Left shift.
    Shl,
    /// Right shift filling with zeros.
    LShr,
    /// Right shift filling with the sign.
    AShr,
    /// Bitwise conjunction.
    And,
    /// Bitwise disjunction.
    Or,
    /// Bitwise exclusive disjunction.
    Xor,
}

impl BinaryOp {
    /// Every operator, for tables and tests.
    pub const ALL: [BinaryOp; 13] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::UDiv,
        BinaryOp::SDiv,
        BinaryOp::URem,
        BinaryOp::SRem,
        BinaryOp::Shl,
        BinaryOp::LShr,
        BinaryOp::AShr,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
    ];

    /// Whether the operands may be swapped.
    pub fn commutes(self) -> bool {
        matches!(self, BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
    }
}

/// Orders on bit-vectors; integers have the signed ones. The converse orders are built by swapping the operands.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CompareOp {
    /// Unsigned less than.
    Ult,
    /// Unsigned less or equal.
    Ule,
    /// Signed less than.
    Slt,
    /// Signed less or equal.
    Sle,
}

impl CompareOp {
    /// Every order.
    pub const ALL: [CompareOp; 4] = [CompareOp::Ult, CompareOp::Ule, CompareOp::Slt, CompareOp::Sle];

    /// Whether the operands are read as two's complement.
    pub fn is_signed(self) -> bool {
        matches!(self, CompareOp::Slt | CompareOp::Sle)
    }

    /// Whether equal operands are out of order.
    pub fn is_strict(self) -> bool {
        matches!(self, CompareOp::Ult | CompareOp::Slt)
    }

    /// The order `>=` belongs to when this is `<`, and the other way round: `!(a op b)` is `b op.negated() a`.
    pub fn negated(self) -> CompareOp {
        match self {
            CompareOp::Ult => CompareOp::Ule,
            CompareOp::Ule => CompareOp::Ult,
            CompareOp::Slt => CompareOp::Sle,
            CompareOp::Sle => CompareOp::Slt,
        }
    }
}

/// One level of a term. Built only by the constructors of [`Terms`](crate::Terms), which keep it in normal form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// The true formula.
    True,
    /// The false formula.
    False,
    /// A bit-vector constant.
    Const {
        /// The number of bits.
        width: u32,
        /// The bits; those above `width` are zero.
        value: u128,
    },
    /// An integer constant.
    Int(i128),
    /// A free variable.
    Var(VarId, Sort),
    /// Negation of a formula; never of a comparison or of another negation.
    Not(TermId),
    /// Conjunction of two or more formulas: sorted, without duplicates, none of them a conjunction.
    And(Box<[TermId]>),
    /// Disjunction of two or more formulas: sorted, without duplicates, none of them a disjunction.
    Or(Box<[TermId]>),
    /// Condition, value if true, value if false; of any sort.
    Ite(TermId, TermId, TermId),
    /// Equality of two terms of one sort; a constant stands on the right.
    Eq(TermId, TermId),
    /// An operator on two bit-vectors of one width or on two integers; a constant operand of a commutative one stands on the right.
    Binary(BinaryOp, TermId, TermId),
    /// An order between two bit-vectors of one width or between two integers.
    Compare(CompareOp, TermId, TermId),
    /// High part, low part; nested to the right.
    Concat(TermId, TermId),
    /// A slice of a bit-vector.
    Extract {
        /// What is sliced.
        term: TermId,
        /// The lowest bit taken.
        low: u32,
        /// How many bits are taken.
        width: u32,
    },
    /// Zeros in front, up to this width.
    ZeroExtend(TermId, u32),
    /// Copies of the sign in front, up to this width.
    SignExtend(TermId, u32),
    /// Bitwise complement.
    BitNot(TermId),
    /// Two's complement negation, or that of an integer.
    Neg(TermId),
    /// An operation on IEEE bit patterns.
    Float(FloatOp, Box<[TermId]>),
}

impl Node {
    /// Calls `visit` on every direct part, from left to right.
    pub fn for_each_child(&self, mut visit: impl FnMut(TermId)) {
        match self {
            Node::True | Node::False | Node::Const { .. } | Node::Int(_) | Node::Var(..) => {}
            Node::Not(a)
            | Node::Extract { term: a, .. }
            | Node::ZeroExtend(a, _)
            | Node::SignExtend(a, _)
            | Node::BitNot(a)
            | Node::Neg(a) => visit(*a),
            Node::Eq(a, b) | Node::Binary(_, a, b) | Node::Compare(_, a, b) | Node::Concat(a, b) => {
                visit(*a);
                visit(*b);
            }
            Node::Ite(c, a, b) => {
                visit(*c);
                visit(*a);
                visit(*b);
            }
            Node::And(items) | Node::Or(items) | Node::Float(_, items) => {
                items.iter().copied().for_each(visit);
            }
        }
    }
}
