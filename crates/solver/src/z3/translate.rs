//! Terms as Z3 terms, each built once.

use std::ffi::CString;

use rustc_hash::FxHashMap;
use wherefore_formula::{BinaryOp, CompareOp, FloatOp, Node, Sort, TermId, Terms, VarId};
use z3_sys::*;

use super::context::{Context, call};
use crate::answer::Reason;

/// The Z3 terms of one context.
#[derive(Default)]
pub(super) struct Translation {
    terms: FxHashMap<TermId, Z3_ast>,
    variables: FxHashMap<VarId, Z3_ast>,
    /// Whether a float operation or an integer was met: the bit-vector solver does not know them.
    pub(super) beyond_bits: bool,
}

impl Translation {
    /// How many terms are kept.
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The Z3 term of a term.
    pub(super) fn term(&mut self, context: &Context, terms: &Terms, t: TermId) -> Result<Z3_ast, Reason> {
        if let Some(&found) = self.terms.get(&t) {
            return Ok(found);
        }
        for part in terms.reachable(&[t]) {
            if !self.terms.contains_key(&part) {
                let translated = self.node(context, terms, part)?;
                self.terms.insert(part, translated);
            }
        }
        Ok(self.terms[&t])
    }

    /// The Z3 constant of a variable that occurs in what was translated.
    pub(super) fn variable(&self, var: VarId) -> Option<Z3_ast> {
        self.variables.get(&var).copied()
    }

    fn node(&mut self, z: &Context, terms: &Terms, t: TermId) -> Result<Z3_ast, Reason> {
        let get = |part: TermId| self.terms[&part];
        match *terms.node(t) {
            Node::True => call!(z, Z3_mk_true),
            Node::False => call!(z, Z3_mk_false),
            Node::Const { width, value } => constant(z, width, value),
            Node::Int(value) => {
                self.beyond_bits = true;
                integer(z, value)
            }
            Node::Var(var, sort) => {
                self.beyond_bits |= sort == Sort::Int;
                let symbol = z.symbol(&format!("v{}", var.0))?;
                let translated = call!(z, Z3_mk_const, symbol, sort_of(z, sort)?)?;
                self.variables.insert(var, translated);
                Ok(translated)
            }
            Node::Not(a) => call!(z, Z3_mk_not, get(a)),
            Node::And(ref items) => {
                let items: Vec<Z3_ast> = items.iter().map(|&item| get(item)).collect();
                call!(z, Z3_mk_and, length(&items), items.as_ptr())
            }
            Node::Or(ref items) => {
                let items: Vec<Z3_ast> = items.iter().map(|&item| get(item)).collect();
                call!(z, Z3_mk_or, length(&items), items.as_ptr())
            }
            Node::Ite(c, a, b) => call!(z, Z3_mk_ite, get(c), get(a), get(b)),
            Node::Eq(a, b) => call!(z, Z3_mk_eq, get(a), get(b)),
            Node::Binary(op, a, b) if terms.sort(t) == Sort::Int => int_binary(z, op, get(a), get(b)),
            Node::Compare(op, a, b) if terms.sort(a) == Sort::Int => match op.is_strict() {
                true => call!(z, Z3_mk_lt, get(a), get(b)),
                false => call!(z, Z3_mk_le, get(a), get(b)),
            },
            Node::Neg(a) if terms.sort(t) == Sort::Int => call!(z, Z3_mk_unary_minus, get(a)),
            Node::Binary(op, a, b) => binary(z, op, get(a), get(b)),
            Node::Compare(op, a, b) => {
                let (a, b) = (get(a), get(b));
                match op {
                    CompareOp::Ult => call!(z, Z3_mk_bvult, a, b),
                    CompareOp::Ule => call!(z, Z3_mk_bvule, a, b),
                    CompareOp::Slt => call!(z, Z3_mk_bvslt, a, b),
                    CompareOp::Sle => call!(z, Z3_mk_bvsle, a, b),
                }
            }
            Node::Concat(high, low) => call!(z, Z3_mk_concat, get(high), get(low)),
            Node::Extract { term, low, width } => {
                call!(z, Z3_mk_extract, low + width - 1, low, get(term))
            }
            Node::ZeroExtend(a, width) => {
                call!(z, Z3_mk_zero_ext, width - terms.width(a), get(a))
            }
            Node::SignExtend(a, width) => {
                call!(z, Z3_mk_sign_ext, width - terms.width(a), get(a))
            }
            Node::BitNot(a) => call!(z, Z3_mk_bvnot, get(a)),
            Node::Neg(a) => call!(z, Z3_mk_bvneg, get(a)),
            Node::Float(op, ref args) => {
                let values: Vec<Z3_ast> = args.iter().map(|&arg| get(arg)).collect();
                let operand = terms.width(args[0]);
                self.beyond_bits = true;
                float(z, op, operand, &values)
            }
        }
    }
}

fn length(items: &[Z3_ast]) -> u32 {
    u32::try_from(items.len()).expect("fewer than 2^32 operands")
}

fn sort_of(z: &Context, sort: Sort) -> Result<Z3_sort, Reason> {
    match sort {
        Sort::Bool => call!(z, Z3_mk_bool_sort),
        Sort::Bits(width) => call!(z, Z3_mk_bv_sort, width),
        Sort::Int => call!(z, Z3_mk_int_sort),
    }
}

fn constant(z: &Context, width: u32, value: u128) -> Result<Z3_ast, Reason> {
    let sort = sort_of(z, Sort::Bits(width))?;
    match u64::try_from(value) {
        Ok(value) => call!(z, Z3_mk_unsigned_int64, value, sort),
        Err(_) => numeral(z, &value.to_string(), sort),
    }
}

fn numeral(z: &Context, digits: &str, sort: Z3_sort) -> Result<Z3_ast, Reason> {
    let digits = CString::new(digits).map_err(|error| Reason::Other(error.to_string()))?;
    call!(z, Z3_mk_numeral, digits.as_ptr(), sort)
}

fn integer(z: &Context, value: i128) -> Result<Z3_ast, Reason> {
    let sort = sort_of(z, Sort::Int)?;
    match i64::try_from(value) {
        Ok(value) => call!(z, Z3_mk_int64, value, sort),
        Err(_) => numeral(z, &value.to_string(), sort),
    }
}

/// An operator on integers. Z3's own division is the Euclidean one, and means anything where the divisor is zero.
fn int_binary(z: &Context, op: BinaryOp, a: Z3_ast, b: Z3_ast) -> Result<Z3_ast, Reason> {
    let both = [a, b];
    let zero = integer(z, 0)?;
    let is_quotient = matches!(op, BinaryOp::UDiv | BinaryOp::SDiv);
    let divided = |dividend: Z3_ast| match is_quotient {
        true => call!(z, Z3_mk_div, dividend, b),
        false => call!(z, Z3_mk_mod, dividend, b),
    };
    let unless_by_zero = |divided: Z3_ast| {
        let by_zero = call!(z, Z3_mk_eq, b, zero)?;
        call!(z, Z3_mk_ite, by_zero, if is_quotient { zero } else { a }, divided)
    };
    match op {
        BinaryOp::Add => call!(z, Z3_mk_add, 2, both.as_ptr()),
        BinaryOp::Sub => call!(z, Z3_mk_sub, 2, both.as_ptr()),
        BinaryOp::Mul => call!(z, Z3_mk_mul, 2, both.as_ptr()),
        BinaryOp::UDiv | BinaryOp::URem => unless_by_zero(divided(a)?),
        BinaryOp::SDiv | BinaryOp::SRem => {
            // Toward zero: of a negative dividend what its magnitude gives, negated.
            let magnitude = call!(z, Z3_mk_unary_minus, a)?;
            let (of_magnitude, of_itself) = (divided(magnitude)?, divided(a)?);
            let below = call!(z, Z3_mk_unary_minus, of_magnitude)?;
            let negative = call!(z, Z3_mk_lt, a, zero)?;
            let signed = call!(z, Z3_mk_ite, negative, below, of_itself)?;
            unless_by_zero(signed)
        }
        _ => Err(Reason::Unsupported(format!("{op:?} of integers"))),
    }
}

fn binary(z: &Context, op: BinaryOp, a: Z3_ast, b: Z3_ast) -> Result<Z3_ast, Reason> {
    match op {
        BinaryOp::Add => call!(z, Z3_mk_bvadd, a, b),
        BinaryOp::Sub => call!(z, Z3_mk_bvsub, a, b),
        BinaryOp::Mul => call!(z, Z3_mk_bvmul, a, b),
        BinaryOp::UDiv => call!(z, Z3_mk_bvudiv, a, b),
        BinaryOp::SDiv => call!(z, Z3_mk_bvsdiv, a, b),
        BinaryOp::URem => call!(z, Z3_mk_bvurem, a, b),
        BinaryOp::SRem => call!(z, Z3_mk_bvsrem, a, b),
        BinaryOp::Shl => call!(z, Z3_mk_bvshl, a, b),
        BinaryOp::LShr => call!(z, Z3_mk_bvlshr, a, b),
        BinaryOp::AShr => call!(z, Z3_mk_bvashr, a, b),
        BinaryOp::And => call!(z, Z3_mk_bvand, a, b),
        BinaryOp::Or => call!(z, Z3_mk_bvor, a, b),
        BinaryOp::Xor => call!(z, Z3_mk_bvxor, a, b),
    }
}

/// A float operation on bit patterns: in through `to_fp`, out through `to_ieee_bv`.
fn float(z: &Context, op: FloatOp, operand: u32, args: &[Z3_ast]) -> Result<Z3_ast, Reason> {
    let nearest = call!(z, Z3_mk_fpa_rne)?;
    let zero = call!(z, Z3_mk_fpa_rtz)?;
    let number = |position: usize| call!(z, Z3_mk_fpa_to_fp_bv, args[position], format_sort(z, operand)?);
    match op {
        FloatOp::Add => {
            let sum = call!(z, Z3_mk_fpa_add, nearest, number(0)?, number(1)?)?;
            pattern(z, operand, sum)
        }
        FloatOp::Sub => {
            let difference = call!(z, Z3_mk_fpa_sub, nearest, number(0)?, number(1)?)?;
            pattern(z, operand, difference)
        }
        FloatOp::Mul => {
            let product = call!(z, Z3_mk_fpa_mul, nearest, number(0)?, number(1)?)?;
            pattern(z, operand, product)
        }
        FloatOp::Div => {
            let quotient = call!(z, Z3_mk_fpa_div, nearest, number(0)?, number(1)?)?;
            pattern(z, operand, quotient)
        }
        FloatOp::Rem => {
            let remainder = truncated_remainder(z, nearest, number(0)?, number(1)?)?;
            pattern(z, operand, remainder)
        }
        FloatOp::Sqrt => {
            let root = call!(z, Z3_mk_fpa_sqrt, nearest, number(0)?)?;
            pattern(z, operand, root)
        }
        // On the pattern, because these keep the payload of a NaN.
        FloatOp::Neg => {
            let sign = constant(z, operand, 1 << (operand - 1))?;
            binary(z, BinaryOp::Xor, args[0], sign)
        }
        FloatOp::Abs => {
            let rest = constant(z, operand, (1 << (operand - 1)) - 1)?;
            binary(z, BinaryOp::And, args[0], rest)
        }
        FloatOp::Eq => call!(z, Z3_mk_fpa_eq, number(0)?, number(1)?),
        FloatOp::Lt => call!(z, Z3_mk_fpa_lt, number(0)?, number(1)?),
        FloatOp::Le => call!(z, Z3_mk_fpa_leq, number(0)?, number(1)?),
        FloatOp::Unordered => {
            let either = [call!(z, Z3_mk_fpa_is_nan, number(0)?)?, call!(z, Z3_mk_fpa_is_nan, number(1)?)?];
            call!(z, Z3_mk_or, 2, either.as_ptr())
        }
        FloatOp::FromSigned { width } => {
            let sort = format_sort(z, width)?;
            let converted = call!(z, Z3_mk_fpa_to_fp_signed, nearest, args[0], sort)?;
            pattern(z, width, converted)
        }
        FloatOp::FromUnsigned { width } => {
            let sort = format_sort(z, width)?;
            let converted = call!(z, Z3_mk_fpa_to_fp_unsigned, nearest, args[0], sort)?;
            pattern(z, width, converted)
        }
        FloatOp::ToSigned { width } => call!(z, Z3_mk_fpa_to_sbv, zero, number(0)?, width),
        FloatOp::ToUnsigned { width } => call!(z, Z3_mk_fpa_to_ubv, zero, number(0)?, width),
        FloatOp::Convert { width } => {
            let sort = format_sort(z, width)?;
            let converted = call!(z, Z3_mk_fpa_to_fp_float, nearest, number(0)?, sort)?;
            pattern(z, width, converted)
        }
    }
}

fn format_sort(z: &Context, width: u32) -> Result<Z3_sort, Reason> {
    match width {
        32 => call!(z, Z3_mk_fpa_sort_32),
        _ => call!(z, Z3_mk_fpa_sort_64),
    }
}

/// The bit pattern of a float, with the one NaN that terms know: SMT-LIB leaves its pattern open.
fn pattern(z: &Context, width: u32, value: Z3_ast) -> Result<Z3_ast, Reason> {
    let quiet_nan = match width {
        32 => 0x7fc0_0000,
        _ => 0x7ff8_0000_0000_0000,
    };
    let nan = constant(z, width, quiet_nan)?;
    let bits = call!(z, Z3_mk_fpa_to_ieee_bv, value)?;
    let is_nan = call!(z, Z3_mk_fpa_is_nan, value)?;
    call!(z, Z3_mk_ite, is_nan, nan, bits)
}

/// C's `fmod` by the IEEE remainder, which rounds the quotient to nearest instead of toward zero: on magnitudes, a
/// negative remainder is one divisor too low. Adding it back is exact, since the result is representable.
fn truncated_remainder(z: &Context, nearest: Z3_ast, x: Z3_ast, y: Z3_ast) -> Result<Z3_ast, Reason> {
    let dividend = call!(z, Z3_mk_fpa_abs, x)?;
    let divisor = call!(z, Z3_mk_fpa_abs, y)?;
    let rounded = call!(z, Z3_mk_fpa_rem, dividend, divisor)?;
    let raised = call!(z, Z3_mk_fpa_add, nearest, rounded, divisor)?;
    let is_negative = call!(z, Z3_mk_fpa_is_negative, rounded)?;
    let is_zero = call!(z, Z3_mk_fpa_is_zero, rounded)?;
    let magnitude = call!(z, Z3_mk_ite, is_negative, raised, rounded)?;
    let magnitude = call!(z, Z3_mk_ite, is_zero, rounded, magnitude)?;
    let magnitude = call!(z, Z3_mk_fpa_abs, magnitude)?;
    // The sign of the dividend, also for a zero.
    let opposite = call!(z, Z3_mk_fpa_neg, magnitude)?;
    let from_below = call!(z, Z3_mk_fpa_is_negative, x)?;
    call!(z, Z3_mk_ite, from_below, opposite, magnitude)
}
