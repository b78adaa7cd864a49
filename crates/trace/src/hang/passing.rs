//! A loop that ends when two things are equal, and in which one goes past the other; or that nothing ends, although it
//! counts down to the least number there is.

use crate::model::{Action, Step, Trace};
use crate::walk::Mark;
use std::cmp::Ordering;
use wherefore_formula::{FloatOp, Node, TermId};

/// The two sides that have to be equal for the loop to end, and how they are compared.
struct Sides {
    left: TermId,
    right: TermId,
    is_float: bool,
}

/// The first round, from 0, that begins with one side past the other, when the rounds before began with it ahead.
pub fn passes(trace: &Trace, marks: &[Mark]) -> Option<usize> {
    let sides = sides(trace, trace.failure.as_ref()?.violated)?;
    let last = marks.len().checked_sub(1)?;
    let order = |mark: &Mark| order(trace, &sides, &trace.values_at(mark.steps.min(trace.steps.len())));
    let orders: Vec<Option<Ordering>> = marks[..last].iter().map(order).collect();
    (1..orders.len()).find(|&i| orders[i].is_some() && orders[i - 1] == orders[i].map(Ordering::reverse))
}

/// The first round, from 0, in which something that counts goes below zero to the greatest number, or back, where the
/// condition of the loop holds for every number.
pub fn wraps(trace: &Trace, marks: &[Mark]) -> Option<usize> {
    let always = trace.terms.truth_value(trace.failure.as_ref()?.violated) == Some(true);
    let wraps = |step: &Step| match step.action {
        Action::Assign { to, value, before: Some(before), after, .. } => {
            let greatest = u128::MAX >> (128 - trace.terms.width(value));
            let ends = [(0, greatest), (greatest, 0)].contains(&(before, after));
            ends && greatest > 1 && trace.terms.variables(value).contains(&to)
        }
        _ => false,
    };
    let steps =
        |pair: &[Mark]| &trace.steps[pair[0].steps.min(trace.steps.len())..pair[1].steps.min(trace.steps.len())];
    marks.windows(2).position(|pair| always && steps(pair).iter().any(wraps))
}

fn sides(trace: &Trace, violated: TermId) -> Option<Sides> {
    let Node::Not(inner) = trace.terms.node(violated) else { return None };
    match trace.terms.node(*inner) {
        Node::Eq(left, right) => Some(Sides { left: *left, right: *right, is_float: false }),
        Node::Float(FloatOp::Eq, both) => Some(Sides { left: both[0], right: both[1], is_float: true }),
        _ => None,
    }
}

fn order(trace: &Trace, sides: &Sides, values: &[Option<u128>]) -> Option<Ordering> {
    let value = |t: TermId| Some(trace.terms.evaluate(t, &mut |v| values[v.0 as usize])?.raw());
    let (left, right, width) = (value(sides.left)?, value(sides.right)?, trace.terms.width(sides.left));
    if !sides.is_float {
        let signed = |x: u128| (x << (128 - width)) as i128;
        return Some(signed(left).cmp(&signed(right)));
    }
    let number = |x: u128| if width == 32 { f64::from(f32::from_bits(x as u32)) } else { f64::from_bits(x as u64) };
    number(left).partial_cmp(&number(right))
}
