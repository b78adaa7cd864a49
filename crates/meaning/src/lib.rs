//! The meaning of the program model's operations as terms.
//!
//! Knows: what an operation computes, and what C takes for granted about it. Must not know: runs, memory, solvers.

mod number;

pub use number::number;
use wherefore_formula::{BinaryOp as B, FloatOp, TermId, Terms};
use wherefore_program::{BinaryOp, CastOp, CompareOp, FloatBinaryOp, FloatCastOp, FloatCompareOp, Operand, Operation};

/// The value of an operation of `bits` width over the terms of its operands, and what C takes for granted about them.
/// `None` for what has no meaning as a term (phi nodes and opaque operations).
pub fn term(
    terms: &mut Terms,
    operation: &Operation,
    bits: u32,
    mut operand: impl FnMut(&mut Terms, &Operand) -> TermId,
) -> Option<(TermId, Option<TermId>)> {
    let plain = |t| Some((t, None));
    match operation {
        Operation::Copy(a) => plain(operand(terms, a)),
        Operation::Binary { op, left, right, no_signed_wrap, .. } => {
            let (a, b) = (operand(terms, left), operand(terms, right));
            let granted = granted(terms, *op, a, b, *no_signed_wrap);
            Some((terms.binary(binary(*op), a, b), granted))
        }
        Operation::Compare(op, left, right) => {
            let (a, b) = (operand(terms, left), operand(terms, right));
            let c = compare(terms, *op, a, b);
            plain(terms.bool_to_bits(c, 1))
        }
        Operation::Cast(op, a) => {
            let a = operand(terms, a);
            plain(match op {
                CastOp::Truncate => terms.extract(a, 0, bits),
                CastOp::ZeroExtend => terms.zero_extend(a, bits),
                CastOp::SignExtend => terms.sign_extend(a, bits),
            })
        }
        Operation::Select(c, a, b) => {
            let c = operand(terms, c);
            let c = terms.bits_to_bool(c);
            let (a, b) = (operand(terms, a), operand(terms, b));
            plain(terms.ite(c, a, b))
        }
        Operation::Extract { value, low } => {
            let a = operand(terms, value);
            plain(terms.extract(a, *low, bits))
        }
        Operation::Insert { value, part, low } => {
            let (a, part) = (operand(terms, value), operand(terms, part));
            plain(replace_bits(terms, a, part, *low))
        }
        Operation::FloatBinary(op, a, b) => {
            let (a, b) = (operand(terms, a), operand(terms, b));
            let op = match op {
                FloatBinaryOp::Add => FloatOp::Add,
                FloatBinaryOp::Sub => FloatOp::Sub,
                FloatBinaryOp::Mul => FloatOp::Mul,
                FloatBinaryOp::Div => FloatOp::Div,
                FloatBinaryOp::Rem => FloatOp::Rem,
            };
            plain(terms.float(op, &[a, b]))
        }
        Operation::FloatCompare(op, a, b) => {
            let (a, b) = (operand(terms, a), operand(terms, b));
            let c = float_compare(terms, *op, a, b);
            plain(terms.bool_to_bits(c, 1))
        }
        Operation::FloatCast(op, a) => {
            let a = operand(terms, a);
            let op = match op {
                FloatCastOp::FromSigned => FloatOp::FromSigned { width: bits },
                FloatCastOp::FromUnsigned => FloatOp::FromUnsigned { width: bits },
                FloatCastOp::ToSigned => FloatOp::ToSigned { width: bits },
                FloatCastOp::ToUnsigned => FloatOp::ToUnsigned { width: bits },
                FloatCastOp::Resize => FloatOp::Convert { width: bits },
            };
            plain(terms.float(op, &[a]))
        }
        Operation::FloatNegate(a) => {
            let a = operand(terms, a);
            plain(terms.float(FloatOp::Neg, &[a]))
        }
        Operation::FloatAbs(a) => {
            let a = operand(terms, a);
            plain(terms.float(FloatOp::Abs, &[a]))
        }
        Operation::FloatSqrt(a) => {
            let a = operand(terms, a);
            plain(terms.float(FloatOp::Sqrt, &[a]))
        }
        Operation::Phi(_) | Operation::Opaque { .. } => None,
    }
}

/// `whole` with the bits from `low` on replaced by `part`.
pub fn replace_bits(terms: &mut Terms, whole: TermId, part: TermId, low: u32) -> TermId {
    let (width, size) = (terms.width(whole), terms.width(part));
    let mut result = part;
    if low > 0 {
        let below = terms.extract(whole, 0, low);
        result = terms.concat(result, below);
    }
    if low + size < width {
        let above = terms.extract(whole, low + size, width - low - size);
        result = terms.concat(above, result);
    }
    result
}

fn binary(op: BinaryOp) -> B {
    match op {
        BinaryOp::Add => B::Add,
        BinaryOp::Sub => B::Sub,
        BinaryOp::Mul => B::Mul,
        BinaryOp::UDiv => B::UDiv,
        BinaryOp::SDiv => B::SDiv,
        BinaryOp::URem => B::URem,
        BinaryOp::SRem => B::SRem,
        BinaryOp::Shl => B::Shl,
        BinaryOp::LShr => B::LShr,
        BinaryOp::AShr => B::AShr,
        BinaryOp::And => B::And,
        BinaryOp::Or => B::Or,
        BinaryOp::Xor => B::Xor,
    }
}

/// What makes the operation defined in C; unsigned wrap-around is defined.
fn granted(terms: &mut Terms, op: BinaryOp, a: TermId, b: TermId, no_signed_wrap: bool) -> Option<TermId> {
    let width = terms.width(a);
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul if no_signed_wrap => {
            Some(terms.no_overflow(binary(op), true, a, b))
        }
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
            let limit = terms.bits(width, u128::from(width));
            Some(terms.ult(b, limit))
        }
        BinaryOp::UDiv | BinaryOp::URem => {
            let zero = terms.bits(width, 0);
            Some(terms.ne(b, zero))
        }
        BinaryOp::SDiv | BinaryOp::SRem => {
            let zero = terms.bits(width, 0);
            let smallest = terms.bits(width, 1 << (width - 1));
            let minus_one = terms.bits(width, u128::MAX);
            let defined = terms.ne(b, zero);
            let (x, y) = (terms.ne(a, smallest), terms.ne(b, minus_one));
            let fits = terms.or2(x, y);
            Some(terms.and2(defined, fits))
        }
        _ => None,
    }
}

fn compare(terms: &mut Terms, op: CompareOp, a: TermId, b: TermId) -> TermId {
    match op {
        CompareOp::Eq => terms.eq(a, b),
        CompareOp::Ne => terms.ne(a, b),
        CompareOp::ULt => terms.ult(a, b),
        CompareOp::ULe => terms.ule(a, b),
        CompareOp::UGt => terms.ugt(a, b),
        CompareOp::UGe => terms.uge(a, b),
        CompareOp::SLt => terms.slt(a, b),
        CompareOp::SLe => terms.sle(a, b),
        CompareOp::SGt => terms.sgt(a, b),
        CompareOp::SGe => terms.sge(a, b),
    }
}

fn float_compare(terms: &mut Terms, op: FloatCompareOp, a: TermId, b: TermId) -> TermId {
    use FloatCompareOp::*;
    let (a, b) = if matches!(op, OGt | OGe | UGt | UGe) { (b, a) } else { (a, b) };
    let unordered = terms.float(FloatOp::Unordered, &[a, b]);
    match op {
        OEq => terms.float(FloatOp::Eq, &[a, b]),
        OLt | OGt => terms.float(FloatOp::Lt, &[a, b]),
        OLe | OGe => terms.float(FloatOp::Le, &[a, b]),
        ONe => {
            let equal = terms.float(FloatOp::Eq, &[a, b]);
            let either = terms.or2(equal, unordered);
            terms.not(either)
        }
        UEq => {
            let equal = terms.float(FloatOp::Eq, &[a, b]);
            terms.or2(equal, unordered)
        }
        UNe => {
            let equal = terms.float(FloatOp::Eq, &[a, b]);
            terms.not(equal)
        }
        ULt | UGt => {
            let less = terms.float(FloatOp::Lt, &[a, b]);
            terms.or2(less, unordered)
        }
        ULe | UGe => {
            let less = terms.float(FloatOp::Le, &[a, b]);
            terms.or2(less, unordered)
        }
        Ordered => terms.not(unordered),
        Unordered => unordered,
    }
}

#[cfg(test)]
mod tests;
