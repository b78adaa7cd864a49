//! Comparisons as linear inequalities over mathematical integers.
//!
//! This only proposes: `input - 42 < 0` reads as `input <= 41` when nothing wraps. Whoever uses a proposal checks it.

use std::collections::BTreeMap;
use wherefore_formula::{BinaryOp, CompareOp, Node, TermId, Terms};

/// A term read as a number: signed or unsigned.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Leaf {
    /// The term.
    pub term: TermId,
    /// How its bits are read.
    pub signed: bool,
}

/// `sum of coefficient * leaf`.
type Sum = BTreeMap<Leaf, i128>;

/// How a sum relates to a constant.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Relation {
    /// At most.
    AtMost,
    /// Equal.
    Equal,
    /// Different.
    Different,
}

/// `sum relation bound`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linear {
    /// The sum.
    pub sum: Sum,
    /// The relation.
    pub relation: Relation,
    /// The bound.
    pub bound: i128,
}

/// The number that bits stand for.
pub fn number(value: u128, width: u32, signed: bool) -> i128 {
    if signed && width < 128 && value >> (width - 1) & 1 == 1 {
        value as i128 - (1i128 << width)
    } else {
        value as i128
    }
}

/// Whether a number fits a width.
fn fits(value: i128, width: u32, signed: bool) -> bool {
    if width >= 127 {
        return signed || value >= 0;
    }
    if signed {
        (-(1i128 << (width - 1))..1i128 << (width - 1)).contains(&value)
    } else {
        (0..1i128 << width).contains(&value)
    }
}

/// A comparison as a linear relation; `None` when the formula is not a comparison of bits.
pub fn relation(terms: &Terms, formula: TermId) -> Option<Linear> {
    let (a, b, relation, signed, strict) = match terms.node(formula) {
        Node::Compare(op, a, b) => (*a, *b, Relation::AtMost, op.is_signed(), op.is_strict()),
        Node::Eq(a, b) if is_bits(terms, *a) => (*a, *b, Relation::Equal, mixed_sign(terms, *a, *b), false),
        Node::Not(inner) => match terms.node(*inner) {
            Node::Eq(a, b) if is_bits(terms, *a) => (*a, *b, Relation::Different, mixed_sign(terms, *a, *b), false),
            _ => return None,
        },
        _ => return None,
    };
    let (mut sum, mut constant) = (Sum::new(), 0);
    add(terms, a, signed, 1, &mut sum, &mut constant)?;
    add(terms, b, signed, -1, &mut sum, &mut constant)?;
    sum.retain(|_, k| *k != 0);
    Some(Linear { sum, relation, bound: -constant - i128::from(strict) })
}

/// A comparison of one variable, or a part of one, with a number. Unlike [`relation`] this is exact: nothing is computed
/// that could wrap.
pub fn bound_of_one(terms: &Terms, formula: TermId) -> Option<Linear> {
    let exact = terms.reachable(&[formula]).into_iter().all(|t| match terms.node(t) {
        Node::Const { .. } | Node::Var(..) | Node::SignExtend(..) | Node::ZeroExtend(..) => true,
        Node::Compare(..) | Node::Eq(..) | Node::Not(_) => true,
        Node::Extract { term, .. } => matches!(terms.node(*term), Node::Var(..)),
        _ => false,
    });
    let linear = relation(terms, formula).filter(|_| exact)?;
    let one = linear.sum.len() == 1 && linear.sum.values().all(|k| k.abs() == 1);
    one.then_some(linear)
}

/// Equalities have no sign of their own; numbers in C mostly do.
fn mixed_sign(terms: &Terms, a: TermId, b: TermId) -> bool {
    !matches!((terms.node(a), terms.node(b)), (Node::ZeroExtend(..), _) | (_, Node::ZeroExtend(..)))
}

fn add(terms: &Terms, t: TermId, signed: bool, factor: i128, sum: &mut Sum, constant: &mut i128) -> Option<()> {
    let leaf = |sum: &mut Sum| {
        let k = sum.entry(Leaf { term: t, signed }).or_insert(0);
        *k = k.checked_add(factor)?;
        Some(())
    };
    match *terms.node(t) {
        Node::Const { width, value } => {
            *constant = constant.checked_add(number(value, width, signed).checked_mul(factor)?)?;
            Some(())
        }
        Node::Binary(BinaryOp::Add, a, b) => {
            add(terms, a, signed, factor, sum, constant)?;
            let b_signed = signed || is_large_constant(terms, b);
            add(terms, b, b_signed, factor, sum, constant)
        }
        Node::Binary(BinaryOp::Sub, a, b) => {
            add(terms, a, signed, factor, sum, constant)?;
            add(terms, b, signed, factor.checked_neg()?, sum, constant)
        }
        Node::Neg(a) => add(terms, a, signed, factor.checked_neg()?, sum, constant),
        Node::Binary(BinaryOp::Mul, a, b) => match terms.constant(b) {
            Some(k) => {
                let k = number(k, terms.width(b), signed || is_large_constant(terms, b));
                add(terms, a, signed, factor.checked_mul(k)?, sum, constant)
            }
            None => leaf(sum),
        },
        Node::Binary(BinaryOp::Shl, a, b) => match terms.constant(b) {
            Some(k) if k < 64 => add(terms, a, signed, factor.checked_mul(1 << k)?, sum, constant),
            _ => leaf(sum),
        },
        Node::SignExtend(a, _) => add(terms, a, true, factor, sum, constant),
        Node::ZeroExtend(a, _) => add(terms, a, false, factor, sum, constant),
        // As if nothing were cut off.
        Node::Extract { term, low: 0, .. } if !matches!(terms.node(term), Node::Var(..)) => {
            add(terms, term, signed, factor, sum, constant)
        }
        _ => leaf(sum),
    }
}

/// `x + 0xffffffff` is how `x - 1` looks: such constants are negative numbers in unsigned arithmetic too.
fn is_large_constant(terms: &Terms, t: TermId) -> bool {
    matches!(terms.node(t), Node::Const { width, value } if *width < 128 && value >> (width - 1) & 1 == 1)
}

/// The formula of a relation between one leaf and a number, or between two leaves; `None` when it has no simple form.
/// A relation that always holds is the true formula.
pub fn formula(terms: &mut Terms, linear: &Linear) -> Option<TermId> {
    let leaves: Vec<(Leaf, i128)> = linear.sum.iter().map(|(l, k)| (*l, *k)).collect();
    match leaves[..] {
        [(leaf, k)] => single(terms, leaf, k, linear.relation, linear.bound),
        [(a, 1), (b, -1)] => pair(terms, a, b, linear.relation, linear.bound),
        [(b, -1), (a, 1)] => pair(terms, a, b, linear.relation, linear.bound),
        _ => None,
    }
}

fn single(terms: &mut Terms, leaf: Leaf, k: i128, relation: Relation, bound: i128) -> Option<TermId> {
    if matches!(relation, Relation::Equal | Relation::Different) && bound % k != 0 {
        return None;
    }
    Some(match relation {
        Relation::Equal => at_number(terms, leaf, bound / k, Relation::Equal)?,
        Relation::Different => at_number(terms, leaf, bound / k, Relation::Different)?,
        Relation::AtMost if k > 0 => at_most(terms, leaf, bound.div_euclid(k))?,
        Relation::AtMost => {
            // k * x <= bound with k < 0 is x >= ceil(bound / k).
            let (k, bound) = (-k, -bound);
            at_least(terms, leaf, bound.div_euclid(k) + i128::from(bound.rem_euclid(k) != 0))?
        }
    })
}

fn at_number(terms: &mut Terms, leaf: Leaf, value: i128, relation: Relation) -> Option<TermId> {
    let width = terms.width(leaf.term);
    if !fits(value, width, leaf.signed) {
        return None;
    }
    let number = terms.bits(width, value as u128);
    Some(if relation == Relation::Equal { terms.eq(leaf.term, number) } else { terms.ne(leaf.term, number) })
}

/// `leaf <= value`.
pub fn at_most(terms: &mut Terms, leaf: Leaf, value: i128) -> Option<TermId> {
    let width = terms.width(leaf.term);
    if !fits(value, width, leaf.signed) {
        return None;
    }
    let number = terms.bits(width, value as u128);
    Some(if leaf.signed { terms.sle(leaf.term, number) } else { terms.ule(leaf.term, number) })
}

/// `leaf >= value`.
pub fn at_least(terms: &mut Terms, leaf: Leaf, value: i128) -> Option<TermId> {
    let width = terms.width(leaf.term);
    if !fits(value, width, leaf.signed) {
        return None;
    }
    let number = terms.bits(width, value as u128);
    Some(if leaf.signed { terms.sge(leaf.term, number) } else { terms.uge(leaf.term, number) })
}

/// `a - b relation bound`.
fn pair(terms: &mut Terms, a: Leaf, b: Leaf, relation: Relation, bound: i128) -> Option<TermId> {
    let width = terms.width(a.term).max(terms.width(b.term));
    let widen = |terms: &mut Terms, leaf: Leaf| {
        if leaf.signed { terms.sign_extend(leaf.term, width) } else { terms.zero_extend(leaf.term, width) }
    };
    let signed = a.signed || b.signed;
    if a.signed != b.signed && terms.width(a.term) == terms.width(b.term) {
        return None;
    }
    let (left, right) = (widen(terms, a), widen(terms, b));
    let order = if signed { CompareOp::Sle } else { CompareOp::Ule };
    if bound == 0 || (bound == -1 && relation == Relation::AtMost) {
        return Some(match relation {
            Relation::Equal => terms.eq(left, right),
            Relation::Different => terms.ne(left, right),
            Relation::AtMost if bound == 0 => terms.compare(order, left, right),
            Relation::AtMost if signed => terms.slt(left, right),
            Relation::AtMost => terms.ult(left, right),
        });
    }
    if !fits(bound.abs(), width, signed) {
        return None;
    }
    // Written with a positive constant: `a + 3 <= b` rather than `a <= b - 3`.
    let distance = terms.bits(width, bound.unsigned_abs());
    let (left, right) = if bound > 0 {
        (left, terms.binary(BinaryOp::Add, right, distance))
    } else {
        (terms.binary(BinaryOp::Add, left, distance), right)
    };
    Some(match relation {
        Relation::Equal => terms.eq(left, right),
        Relation::Different => terms.ne(left, right),
        Relation::AtMost => terms.compare(order, left, right),
    })
}

fn is_bits(terms: &Terms, t: TermId) -> bool {
    terms.sort(t) != wherefore_formula::Sort::Bool
}

#[cfg(test)]
mod tests;
