//! IEEE 754 operations on bit patterns, as the hardware does them.
//!
//! A float is a bit-vector of width 32 or 64. Results are rounded to nearest, ties to even. Arithmetic that gives no
//! number gives the quiet NaN with sign and payload zero, whatever NaNs went in: the sign and payload of a computed
//! NaN differ between machines, and no C program may depend on them.
//!
//! A conversion to an integer that cannot hold the truncated value is undefined in C. Evaluation then gives the
//! "integer indefinite" of x86, only the top bit set; constructors leave such a conversion as it is, and solvers may
//! choose any value.

use crate::concrete::{mask, sign_bit, wrap};
use crate::node::{BinaryOp, Node, TermId};
use crate::sort::{Sort, Value};
use crate::terms::{Terms, check_width};

/// An operation on IEEE bit patterns. A `width` in an operation is that of the result.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
    /// C's `fmod`: the remainder of the truncated quotient, with the sign of the dividend.
    Rem,
    /// Flips the sign bit, also of a NaN. Never a node: it is built as a bit operation.
    Neg,
    /// Clears the sign bit, also of a NaN. Never a node: it is built as a bit operation.
    Abs,
    /// Square root.
    Sqrt,
    /// Ordered and equal.
    Eq,
    /// Ordered and less.
    Lt,
    /// Ordered and less or equal.
    Le,
    /// One of both is NaN.
    Unordered,
    /// From a two's complement number of any width.
    FromSigned {
        /// 32 or 64.
        width: u32,
    },
    /// From an unsigned number of any width.
    FromUnsigned {
        /// 32 or 64.
        width: u32,
    },
    /// Truncated toward zero to a two's complement number.
    ToSigned {
        /// Any width.
        width: u32,
    },
    /// Truncated toward zero to an unsigned number.
    ToUnsigned {
        /// Any width.
        width: u32,
    },
    /// To the other float format, or the same.
    Convert {
        /// 32 or 64.
        width: u32,
    },
}

impl FloatOp {
    /// The number of operands.
    pub fn arity(self) -> usize {
        match self {
            FloatOp::Add
            | FloatOp::Sub
            | FloatOp::Mul
            | FloatOp::Div
            | FloatOp::Rem
            | FloatOp::Eq
            | FloatOp::Lt
            | FloatOp::Le
            | FloatOp::Unordered => 2,
            FloatOp::Neg
            | FloatOp::Abs
            | FloatOp::Sqrt
            | FloatOp::FromSigned { .. }
            | FloatOp::FromUnsigned { .. }
            | FloatOp::ToSigned { .. }
            | FloatOp::ToUnsigned { .. }
            | FloatOp::Convert { .. } => 1,
        }
    }

    /// The bits that operands of this width give; `None` for a conversion that C does not define.
    pub fn computed(self, operand: u32, args: &[u128]) -> Option<u128> {
        is_defined(self, operand, args[0]).then(|| apply(self, operand, args).raw())
    }

    /// The sort of the result for operands of this width.
    fn result(self, operand: u32) -> Sort {
        match self {
            FloatOp::Eq | FloatOp::Lt | FloatOp::Le | FloatOp::Unordered => Sort::Bool,
            FloatOp::FromSigned { width }
            | FloatOp::FromUnsigned { width }
            | FloatOp::ToSigned { width }
            | FloatOp::ToUnsigned { width }
            | FloatOp::Convert { width } => Sort::Bits(width),
            _ => Sort::Bits(operand),
        }
    }
}

/// The one NaN that arithmetic results in.
pub(crate) fn quiet_nan(width: u32) -> u128 {
    match width {
        32 => 0x7fc0_0000,
        _ => 0x7ff8_0000_0000_0000,
    }
}

/// The number a pattern of 32 or 64 bits stands for; every `f32` is an `f64`.
fn number(width: u32, bits: u128) -> f64 {
    match width {
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits as u64),
    }
}

fn pattern32(value: f32) -> u128 {
    if value.is_nan() { quiet_nan(32) } else { u128::from(value.to_bits()) }
}

fn pattern64(value: f64) -> u128 {
    if value.is_nan() { quiet_nan(64) } else { u128::from(value.to_bits()) }
}

/// The operators that exist once for each format. A `f32` result must be rounded once, so it is computed as `f32`.
macro_rules! arithmetic {
    ($op:expr, $a:expr, $b:expr, $pattern:expr) => {
        $pattern(match $op {
            FloatOp::Add => $a + $b,
            FloatOp::Sub => $a - $b,
            FloatOp::Mul => $a * $b,
            FloatOp::Div => $a / $b,
            FloatOp::Rem => $a % $b,
            _ => $a.sqrt(),
        })
    };
}

/// Whether the integer that the operation asks for can hold the truncated value; true for other operations.
fn is_defined(op: FloatOp, operand: u32, bits: u128) -> bool {
    let exponent = |width: u32| f64::from(width).exp2();
    let value = || number(operand, bits).trunc();
    match op {
        // Comparisons with NaN are false.
        FloatOp::ToSigned { width } => value() >= -exponent(width - 1) && value() < exponent(width - 1),
        FloatOp::ToUnsigned { width } => value() >= 0.0 && value() < exponent(width),
        _ => true,
    }
}

/// Applies an operation to operands of this width (all of them have the same).
pub(crate) fn apply(op: FloatOp, operand: u32, args: &[u128]) -> Value {
    let a = args[0];
    let b = args.get(1).copied().unwrap_or_default();
    let (x, y) = (number(operand, a), number(operand, b));
    let bits = |width: u32, value: u128| Value::Bits { width, value };
    match op {
        FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Div | FloatOp::Rem | FloatOp::Sqrt => bits(
            operand,
            if operand == 32 {
                let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
                arithmetic!(op, x, y, pattern32)
            } else {
                arithmetic!(op, x, y, pattern64)
            },
        ),
        FloatOp::Neg => bits(operand, a ^ sign_bit(operand)),
        FloatOp::Abs => bits(operand, a & !sign_bit(operand)),
        FloatOp::Eq => Value::Bool(x == y),
        FloatOp::Lt => Value::Bool(x < y),
        FloatOp::Le => Value::Bool(x <= y),
        FloatOp::Unordered => Value::Bool(x.is_nan() || y.is_nan()),
        FloatOp::FromSigned { width } => {
            let integer = crate::concrete::signed(operand, a);
            match width {
                32 => bits(width, pattern32(integer as f32)),
                _ => bits(width, pattern64(integer as f64)),
            }
        }
        FloatOp::FromUnsigned { width } => match width {
            32 => bits(width, pattern32(a as f32)),
            _ => bits(width, pattern64(a as f64)),
        },
        FloatOp::ToSigned { width } | FloatOp::ToUnsigned { width } if !is_defined(op, operand, a) => {
            bits(width, sign_bit(width))
        }
        FloatOp::ToSigned { width } => bits(width, wrap(width, x as i128)),
        FloatOp::ToUnsigned { width } => bits(width, x as u128 & mask(width)),
        FloatOp::Convert { width } => match width {
            32 => bits(width, pattern32(x as f32)),
            _ => bits(width, pattern64(x)),
        },
    }
}

impl Terms {
    /// A floating-point operation.
    ///
    /// # Panics
    /// If the number, the sorts or the widths of the operands do not fit the operation.
    #[track_caller]
    pub fn float(&mut self, op: FloatOp, args: &[TermId]) -> TermId {
        assert_eq!(args.len(), op.arity(), "wrong number of operands of {op:?}");
        let operand = self.width(args[0]);
        for &arg in args {
            assert_eq!(self.width(arg), operand, "operands of {op:?} differ in width");
        }
        let is_format = |width: u32| width == 32 || width == 64;
        match op {
            FloatOp::FromSigned { width } | FloatOp::FromUnsigned { width } => {
                assert!(is_format(width), "no float has {width} bits");
            }
            FloatOp::Convert { width } => {
                assert!(is_format(width) && is_format(operand), "{operand} to {width} bits");
            }
            FloatOp::ToSigned { width } | FloatOp::ToUnsigned { width } => {
                check_width(width);
                assert!(is_format(operand), "no float has {operand} bits");
            }
            _ => assert!(is_format(operand), "no float has {operand} bits"),
        }
        match op {
            // Exact as bit operations, and then within reach of every backend.
            FloatOp::Neg => {
                let sign = self.bits(operand, sign_bit(operand));
                return self.binary(BinaryOp::Xor, args[0], sign);
            }
            FloatOp::Abs => {
                let rest = self.bits(operand, !sign_bit(operand));
                return self.binary(BinaryOp::And, args[0], rest);
            }
            _ => {}
        }
        let constants: Option<Vec<u128>> = args.iter().map(|&arg| self.constant(arg)).collect();
        if let Some(values) = constants
            && is_defined(op, operand, values[0])
        {
            return match apply(op, operand, &values) {
                Value::Bool(truth) => self.truth(truth),
                Value::Bits { width, value } => self.bits(width, value),
                Value::Int(value) => self.int(value),
            };
        }
        if let Some(formula) = self.compare_converted(op, args) {
            return formula;
        }
        let node = Node::Float(op, args.into());
        self.intern(node, op.result(operand))
    }
}
