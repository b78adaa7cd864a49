//! A loop that ends when two things are equal, and in which one goes past the other.

use crate::model::Trace;
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
