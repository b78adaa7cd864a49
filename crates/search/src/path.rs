//! A run as the sequence of its choices.

use crate::form::Form;
use crate::found::{Limit, Obstacle};
use crate::stdin::Item;
use std::collections::BTreeMap;
use wherefore_formula::{TermId, VarId};
use wherefore_program::{BlockId, FunctionId, Origin};
use wherefore_trace as trace;

/// A condition over the inputs that the run went by.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// True for the inputs of the run, and not for all inputs.
    pub condition: TermId,
    /// What it decides.
    pub why: Why,
    /// For an access: its distance from the start of the object.
    pub distance: Option<TermId>,
    /// Where.
    pub at: Option<Origin>,
    /// In which function.
    pub function: FunctionId,
    /// Rounds that another way would have begun at least.
    pub rounds: u32,
    /// How many items of standard input were read before.
    pub items: usize,
}

impl Path {
    /// The run was not followed to its end.
    pub fn put_aside(&mut self, what: impl Into<String>) {
        let obstacle = Obstacle { at: None, what: what.into(), limit: Some(Limit::Run) };
        if !self.obstacles.contains(&obstacle) {
            self.obstacles.push(obstacle);
        }
    }
}

/// What a choice decides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Why {
    /// Something in the program.
    Turn(trace::Why),
    /// Whether there is another item to read.
    Item(Item),
    /// Which byte was read.
    Byte,
    /// The argument of a library function has its value.
    Value,
    /// Whether the exit status is the expected one.
    Status,
    /// Whether what is printed is what is expected.
    Printed,
    /// What may be written there at all; there is no other way.
    Domain,
}

/// What every choice at a place has in common, whichever way it went.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Place {
    /// The function.
    pub function: FunctionId,
    at: Option<Origin>,
    /// The block that control leaves, where that is decided.
    pub block: Option<BlockId>,
    kind: u8,
}

impl Choice {
    /// Its place.
    pub fn place(&self) -> Place {
        use trace::Why as T;
        let mut block = None;
        let kind = match &self.why {
            Why::Turn(T::Way { from, .. }) => {
                block = Some(*from);
                0
            }
            Why::Turn(T::Callee) => 1,
            // Of a pointer that is null in one run and not in another, different things are known.
            Why::Turn(T::Inside | T::Outside | T::Address) => 2,
            Why::Turn(T::Length) => 3,
            Why::Turn(T::Divisor | T::Zero) => 4,
            Why::Turn(T::Quotient | T::Misfit) => 5,
            Why::Turn(T::Defined | T::Undefined) => 6,
            Why::Turn(T::Asserted | T::Violated) => 7,
            Why::Turn(T::Assumed | T::Refused) => 8,
            Why::Item(_) => 9,
            Why::Byte => 10,
            Why::Value => 11,
            Why::Domain => 12,
            Why::Status => 13,
            Why::Printed => 14,
        };
        Place { function: self.function, at: self.at, block, kind }
    }
}

/// A run as the sequence of its choices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    /// The choices in order.
    pub choices: Vec<Choice>,
    /// The inputs that were used, with the form in which they were.
    pub forms: BTreeMap<VarId, Form>,
    /// What was taken as it happened to be.
    pub obstacles: Vec<Obstacle>,
    /// Where memory outside of an object was accessed; nothing after that is understood.
    pub outside: Option<Option<Origin>>,
    /// How many items of standard input were read.
    pub items: usize,
}
