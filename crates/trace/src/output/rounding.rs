//! Which numbers are not written as a text, seen from one of them.

use wherefore_clib::writing::Writing;

/// A bound between a number and those that are written as an expected one is: all on this side are written otherwise.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Bound {
    /// Less than this.
    Below(f64),
    /// Greater than this.
    Above(f64),
}

/// The bound that lies next to the expected text. Both numbers are finite or infinite, and are written otherwise.
pub fn bound(writing: &Writing, actual: f64, expected: f64) -> Option<Bound> {
    let text = writing.float(expected);
    let is_below = actual < expected;
    if actual == expected || writing.float(actual) == text {
        return None;
    }
    // A decimal number is easier to read than the last one that is rounded so.
    if let Some(step) = half_step(writing) {
        let decimal = if is_below { expected - step } else { expected + step };
        let digits = writing.precision.unwrap_or(6) + 1;
        let decimal: f64 = format!("{decimal:.digits$}").parse().ok()?;
        let beside = if is_below { decimal.next_down() } else { decimal.next_up() };
        let is_between = if is_below { actual < decimal } else { actual > decimal };
        if is_between && writing.float(beside) != text {
            return Some(if is_below { Bound::Below(decimal) } else { Bound::Above(decimal) });
        }
    }
    // The texts of growing numbers grow: the first that is written so is found by halving.
    let (mut other, mut same) = (ordered(actual), ordered(expected));
    while other.abs_diff(same) > 1 {
        let middle = other + (same - other) / 2;
        if writing.float(number(middle)) == text { same = middle } else { other = middle }
    }
    let edge = number(same);
    let holds = if is_below { actual < edge } else { actual > edge };
    holds.then_some(if is_below { Bound::Below(edge) } else { Bound::Above(edge) })
}

fn half_step(writing: &Writing) -> Option<f64> {
    let digits = i32::try_from(writing.precision.unwrap_or(6)).ok().filter(|digits| *digits <= 15)?;
    (writing.float == b'f').then(|| 0.5 * 10f64.powi(-digits))
}

/// A number for each double, in their order.
fn ordered(value: f64) -> i128 {
    let magnitude = i128::from(value.abs().to_bits());
    if value.is_sign_negative() { -magnitude - 1 } else { magnitude }
}

fn number(order: i128) -> f64 {
    if order < 0 { -f64::from_bits((-order - 1) as u64) } else { f64::from_bits(order as u64) }
}
