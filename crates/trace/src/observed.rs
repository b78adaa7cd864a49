//! Where a run could have gone another way: what a search for other runs reads off it.
//!
//! A trace says what a run did as a person would tell it. To find another run one needs more and less: every single
//! condition the run went by, also those that are not in the source (the divisor is not zero, the index is within the
//! array, the pointer is what it was), and none of the scopes. They are *events* that stand among the steps of the trace,
//! so that their terms are about the variables at that moment.

use crate::model::Trace;
use crate::walk::WalkError;
use std::collections::HashMap;
use wherefore_formula::{TermId, VarId};
use wherefore_program::{BlockId, FunctionId, Origin};

/// A run with its events.
#[derive(Debug)]
pub struct Followed {
    /// The trace of the whole run, the steps that belong to a failure included.
    pub trace: Trace,
    /// The variable whose assignments among the steps stand for events: the value is the event's index.
    pub marker: VarId,
    /// The events in order.
    pub events: Vec<Event>,
    /// The cells of each object, by its index in [`Trace::objects`]: offset and size in bytes, variable.
    pub cells: HashMap<u32, Vec<(u64, u64, VarId)>>,
    /// The functions that were active when the run ended, the innermost last.
    pub active: Vec<FunctionId>,
    /// Why the run could not be followed to its end.
    pub lost: Option<WalkError>,
}

/// Something that happened and is no step.
#[derive(Clone, Debug)]
pub enum Event {
    /// The run could have gone another way here.
    Turn(Turn),
    /// Memory was read through a pointer that may have pointed to another part of the same object.
    Read(Read),
    /// Code outside the program was called and came back.
    Called(Called),
    /// A value was taken as recorded although it depends on others.
    Fixed(Fixed),
    /// Memory outside of the object that a pointer was computed from is accessed here.
    Strayed(Option<Origin>),
    /// The program ends with an exit status.
    Ended(Ended),
}

/// A place where the run could have gone another way.
#[derive(Clone, Debug)]
pub struct Turn {
    /// True in the run, over the variables at that moment.
    pub condition: TermId,
    /// What the condition decides.
    pub why: Why,
    /// For an access: how far from the start of its object it is, in bytes.
    pub distance: Option<TermId>,
    /// Where.
    pub at: Option<Origin>,
    /// In which function.
    pub function: FunctionId,
    /// How many rounds of a loop, or nested calls of a function, another way would have begun at least.
    pub rounds: u32,
}

/// What a condition decides.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Why {
    /// Control goes from a block to another.
    Way {
        /// The block.
        from: BlockId,
        /// The next one.
        to: BlockId,
    },
    /// A function pointer has its value.
    Callee,
    /// An access through a pointer stays within the object.
    Inside,
    /// An access through a pointer does not stay within the object.
    Outside,
    /// A pointer has its value.
    Address,
    /// The length of a copy has its value.
    Length,
    /// A divisor is not zero.
    Divisor,
    /// A divisor is zero.
    Zero,
    /// A quotient fits its type.
    Quotient,
    /// A quotient does not fit its type.
    Misfit,
    /// A number of bits to shift by is less than the width.
    Defined,
    /// A number of bits to shift by is not less than the width: C does not say what happens.
    Undefined,
    /// What `__VERIFIER_assert` was given holds.
    Asserted,
    /// What `__VERIFIER_assert` was given does not hold.
    Violated,
    /// What `__VERIFIER_assume` was given holds.
    Assumed,
    /// What `__VERIFIER_assume` was given does not hold.
    Refused,
}

/// A value read through a pointer.
#[derive(Copy, Clone, Debug)]
pub struct Read {
    /// The pointer.
    pub pointer: TermId,
    /// Its value in the run.
    pub address: u64,
    /// The object, index into [`Trace::objects`]; the pointer is known to stay in it.
    pub object: u32,
    /// Number of bytes read.
    pub size: u64,
    /// The variable that gets the value by the next step, where it is just what was read in the run.
    pub result: VarId,
    /// Where.
    pub at: Option<Origin>,
    /// In which function.
    pub function: FunctionId,
    /// As in [`Turn::rounds`].
    pub rounds: u32,
}

/// A call of code outside the program that came back.
#[derive(Clone, Debug)]
pub struct Called {
    /// Who was called.
    pub callee: String,
    /// The arguments.
    pub arguments: Vec<Argument>,
    /// The variable that gets the result by the next step; `None` when there is no result.
    pub result: Option<VarId>,
    /// The recorded result.
    pub returned: u128,
    /// Where.
    pub at: Option<Origin>,
    /// In which function.
    pub function: FunctionId,
    /// As in [`Turn::rounds`].
    pub rounds: u32,
}

/// An argument of a call.
#[derive(Copy, Clone, Debug)]
pub struct Argument {
    /// Its term.
    pub term: TermId,
    /// Its value.
    pub value: u128,
    /// The variable it is, when it is nothing but one.
    pub variable: Option<VarId>,
}

/// The end of the program: `main` returns, or `exit` is called.
#[derive(Copy, Clone, Debug)]
pub struct Ended {
    /// The exit status, as an `int`.
    pub status: TermId,
    /// Where.
    pub at: Option<Origin>,
    /// In which function.
    pub function: FunctionId,
}

/// A value that was taken as recorded.
#[derive(Clone, Debug)]
pub struct Fixed {
    /// What it is, in words for a C programmer.
    pub what: String,
    /// What it depends on.
    pub on: Vec<TermId>,
    /// Where.
    pub at: Option<Origin>,
}
