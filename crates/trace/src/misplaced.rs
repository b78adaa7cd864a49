//! A byte of a wrong output that stands where another one belongs: where it was stored may be what is wrong.
//!
//! A story follows values; that they are stored where they are it takes for granted. But where the text that is shown goes on
//! as expected behind some bytes that are missing, or ends too early or too late, the index that a byte was stored by is
//! as likely to be wrong as the byte. So that one store is marked.

use crate::model::{Action, Step, Variable};
use wherefore_formula::{Node, TermId, Terms, VarId};

/// Texts are copied so often at the most.
const COPIES: usize = 16;

/// A byte of a text that is shown, and one beside it in the text.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Misplaced {
    /// Its address.
    pub address: u64,
    /// The address of the byte beside it.
    pub beside: u64,
}

/// Mark the store that put a byte where it is. As long as it was copied together with what stands beside it, that is
/// where it was before.
pub fn mark(steps: &mut [Step], terms: &Terms, variables: &[Variable], of: Misplaced) {
    if let Some(position) = store(steps, terms, variables, of) {
        steps[position].is_misplaced = true;
    }
}

fn store(steps: &[Step], terms: &Terms, variables: &[Variable], of: Misplaced) -> Option<usize> {
    let mut before = steps.len();
    let Misplaced { mut address, mut beside } = of;
    for _ in 0..COPIES {
        let (position, from) = last(steps, terms, variables, before, address)?;
        let other = last(steps, terms, variables, before, beside).and_then(|(_, from)| from);
        match (from, other) {
            (Some(from), Some(other)) if other.wrapping_sub(from) == beside.wrapping_sub(address) => {
                (before, address, beside) = (position, from, other);
            }
            _ => return Some(position),
        }
    }
    None
}

/// The last step before a position that sets the byte at an address, and the address that it copies the byte from.
fn last(
    steps: &[Step],
    terms: &Terms,
    variables: &[Variable],
    before: usize,
    address: u64,
) -> Option<(usize, Option<u64>)> {
    let variable = |v: VarId| &variables[v.0 as usize];
    let is_byte = |v: VarId| variable(v).bits == 8 && variable(v).address == Some(address);
    let value = |step: &Step| match step.action {
        Action::Assign { to, value, .. } if is_byte(to) => Some(value),
        _ => None,
    };
    let copied = |value: TermId| match terms.node(value) {
        Node::Var(from, _) => variable(*from).address,
        _ => None,
    };
    (0..before).rev().find_map(|position| Some((position, copied(value(&steps[position])?))))
}
