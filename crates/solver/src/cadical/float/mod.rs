//! IEEE 754 arithmetic as circuits, rounded to nearest, ties to even.
//!
//! A pattern is taken apart (`number`), brought to a leading one where an operation needs it (`normalise`), computed with
//! as many bits as decide how to round, and put together again (`round`). A result that is no number is the one NaN that
//! terms have, as in evaluation.

mod add;
mod compare;
mod convert;
mod divide;
mod multiply;
mod normalise;
mod number;
mod root;
mod round;
#[cfg(test)]
mod tests;

use wherefore_formula::FloatOp;

use super::logic::Logic;

pub(super) use compare::compare;

/// The bits of one value, lowest first.
type Bits<L> = Vec<<L as Logic>::Bit>;

/// How many bits the parts of a float have.
#[derive(Copy, Clone)]
struct Format {
    exponent: usize,
    fraction: usize,
}

impl Format {
    /// The format of this width: `float` or `double`.
    fn of(width: usize) -> Format {
        match width {
            32 => Format { exponent: 8, fraction: 23 },
            _ => Format { exponent: 11, fraction: 52 },
        }
    }

    /// The bits of a significand, with the leading one that is not stored.
    fn precision(self) -> usize {
        self.fraction + 1
    }

    /// What is added to an exponent to store it.
    fn bias(self) -> u128 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Enough for the exponents that occur on the way to a result, as two's complement.
    fn signed_exponent(self) -> usize {
        self.exponent + 2
    }
}

/// The result of an operation that is no comparison; `None` if there is no circuit for it. A conversion to an integer that
/// cannot hold the value gives `undefined`, which has as many bits as the result.
pub(super) fn circuit<L: Logic>(logic: &mut L, op: FloatOp, args: &[Bits<L>], undefined: &[L::Bit]) -> Option<Bits<L>> {
    let a = &args[0];
    Some(match op {
        FloatOp::Add => add::add(logic, a, &args[1]),
        FloatOp::Sub => {
            let mut negated = args[1].clone();
            let sign = negated.len() - 1;
            negated[sign] = !negated[sign];
            add::add(logic, a, &negated)
        }
        FloatOp::Mul => multiply::multiply(logic, a, &args[1]),
        FloatOp::Div => divide::divide(logic, a, &args[1]),
        FloatOp::Sqrt => root::root(logic, a),
        FloatOp::FromSigned { width } => convert::from_integer(logic, a, true, width as usize),
        FloatOp::FromUnsigned { width } => convert::from_integer(logic, a, false, width as usize),
        FloatOp::ToSigned { .. } => convert::to_integer(logic, a, true, undefined),
        FloatOp::ToUnsigned { .. } => convert::to_integer(logic, a, false, undefined),
        FloatOp::Convert { width } => convert::resize(logic, a, width as usize),
        // A step for each exponent between the operands, two thousand of them: too large to be of use. The others are
        // never nodes, or comparisons.
        FloatOp::Rem | FloatOp::Neg | FloatOp::Abs | FloatOp::Eq | FloatOp::Lt | FloatOp::Le | FloatOp::Unordered => {
            return None;
        }
    })
}
