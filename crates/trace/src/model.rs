//! The trace: plain data that every localizer reads.

use crate::endings::Calls;
use crate::memory::Object;
use rustc_hash::FxHashMap;
use std::collections::HashMap;
use wherefore_formula::{TermId, Terms, VarId};
use wherefore_program::{BinaryOp, BlockId, FunctionId, GlobalId, LocalId, Note, Origin, TypeId};

/// An executed branch, index into [`Trace::branches`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BranchId(pub u32);

impl BranchId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A run as a sequence of statements that ends in a failure.
#[derive(Debug)]
pub struct Trace {
    /// All terms of the trace; variables of terms index `variables`.
    pub terms: Terms,
    /// The variables of the run.
    pub variables: Vec<Variable>,
    /// The statements in order.
    pub steps: Vec<Step>,
    /// For each step the number of the executed source statement it belongs to; nothing for bookkeeping and for what
    /// happened before the run.
    pub numbers: Vec<Option<u32>>,
    /// The branches taken, in order of their `if`.
    pub branches: Vec<Branch>,
    /// Addresses of the program's functions, in order of their ids.
    pub functions: Vec<u64>,
    /// Objects in memory that variables belong to.
    pub objects: Vec<Object>,
    /// Activations of functions, in order: which function, and the activation that called it.
    pub activations: Vec<Activation>,
    /// How the run failed; `None` when it did not fail.
    pub failure: Option<Failure>,
    /// Where standard output departs from what was expected, when that is the failure.
    pub departure: Option<Departure>,
    /// Values of all variables before the first step; `None` where the run never used the initial value.
    pub initial: Vec<Option<u128>>,
    /// Number of words in the recording that were read.
    pub events: usize,
    /// Number of source statements executed (several steps may belong to one).
    pub statements: usize,
    /// What is approximated, located.
    pub notes: Vec<Note>,
    /// Where signed arithmetic left its type, in order; of many only the first.
    pub overflows: Vec<Overflow>,
    /// What the run was told to assume, in order.
    pub assumed: Vec<Assumed>,
    /// The texts of string literals.
    pub literals: HashMap<GlobalId, Vec<u8>>,
    /// What is made of calls that may end the program: it says where branches end.
    pub calls: Calls,
    /// Conditions that are further away from the failing value are in it, but not what decided them.
    pub depth: Option<u32>,
    /// Only what the failure can depend on in this run is in it: what the run did elsewhere, it might do here with other inputs.
    pub is_sliced: bool,
    /// Of what was done more often than this only the last times are in it; what came before is as it was.
    pub rounds: Option<u32>,
    /// The other threads, where there were any: of what they wrote only what was read is known.
    pub others: Option<Others>,
    /// Handlers of signals have come in between, which may come at another moment.
    pub is_interrupted: bool,
}

/// The threads of a run but the one that is followed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Others {
    /// The functions in which they began, each once; nothing where that is not known of all.
    pub begin: Vec<FunctionId>,
    /// Whether the one that is followed was started by another one.
    pub is_started: bool,
    /// Where values that were read have been written by them, as far as their words show it, by the variable and the value.
    pub writers: FxHashMap<(VarId, u128), Vec<Writer>>,
}

/// A statement of another thread.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Writer {
    /// The function in which the thread began.
    pub began: FunctionId,
    /// Whether that thread is the one that runs `main`.
    pub is_first: bool,
    /// Where it writes.
    pub at: Option<Origin>,
}

/// Signed arithmetic whose result does not fit its type.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Overflow {
    /// Where.
    pub at: Option<Origin>,
    /// In which activation.
    pub activation: u32,
    /// How many steps lie before it.
    pub position: usize,
    /// What is computed.
    pub operation: BinaryOp,
    /// The numbers it is computed from.
    pub of: (i128, i128),
    /// The width of the type.
    pub bits: u32,
}

/// An assumption that held: `__VERIFIER_assume(condition)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumed {
    /// Where.
    pub at: Option<Origin>,
    /// In which activation.
    pub activation: u32,
    /// How many steps lie before it.
    pub position: usize,
    /// What is assumed.
    pub condition: TermId,
    /// What makes it the condition that it is.
    pub assumes: Vec<TermId>,
    /// The same of addresses.
    pub addresses: Vec<TermId>,
}

/// One activation of a function.
#[derive(Copy, Clone, Debug)]
pub struct Activation {
    /// The function.
    pub function: FunctionId,
    /// Who called it, as an index into [`Trace::activations`]; `None` for the entry and for calls from outside.
    pub caller: Option<u32>,
    /// Where it was called.
    pub call: Option<Origin>,
}

/// A variable of the run: one cell of memory, or a value that C leaves without a name.
#[derive(Clone, Debug)]
pub struct Variable {
    /// What it stands for.
    pub storage: Storage,
    /// Width in bits.
    pub bits: u32,
    /// C type of this cell, when known.
    pub ctype: Option<TypeId>,
    /// Its address, for what lives in memory.
    pub address: Option<u64>,
    /// Pointer expressions by which the run reached it, over the variables at that moment.
    pub paths: Vec<TermId>,
    /// For what is assigned once, the value of a choice: that value.
    pub definition: Option<TermId>,
}

/// What a variable stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// A part of a local variable in one activation.
    Local {
        /// Index into [`Trace::activations`].
        activation: u32,
        /// The local.
        local: LocalId,
        /// Offset in bytes.
        offset: u64,
    },
    /// A part of a global.
    Global {
        /// The global.
        global: GlobalId,
        /// Offset in bytes.
        offset: u64,
    },
    /// A part of an allocated object, index into [`Trace::objects`].
    Heap {
        /// The object.
        object: u32,
        /// Offset in bytes.
        offset: u64,
    },
    /// Memory the program did not allocate (arguments, buffers of the library).
    Foreign {
        /// Address.
        address: u64,
    },
    /// What an activation returns.
    Result {
        /// Index into [`Trace::activations`].
        activation: u32,
    },
    /// What a call to code outside the program returned.
    External {
        /// The callee.
        callee: String,
        /// Where.
        at: Option<Origin>,
    },
    /// The value a variable had before it was overwritten, where an expression still uses it.
    Saved {
        /// The variable.
        of: VarId,
    },
    /// The value of `?:`, `&&` or `||` used as a value.
    Choice {
        /// Where.
        at: Option<Origin>,
    },
    /// The size of an object in bytes, since it was made.
    Size {
        /// Index into [`Trace::objects`].
        object: u32,
    },
    /// Whether nobody has set a variable yet.
    Unset {
        /// The variable.
        of: VarId,
    },
    /// Whether an object is freed.
    Freed {
        /// Index into [`Trace::objects`].
        object: u32,
    },
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Action {
    /// `to := value`.
    Assign {
        /// The variable.
        to: VarId,
        /// The value, over the variables before the step.
        value: TermId,
        /// What C takes for granted when this is executed (no signed overflow), true in the run.
        assumes: Box<[TermId]>,
        /// What was fixed to how it was in the run and is true in it: the pointers and indices it goes through have the
        /// recorded values, and so has what code outside was given.
        addresses: Box<[TermId]>,
        /// The pointer it is stored through and the number of bytes, where the pointer is not a constant.
        through: Option<(TermId, u64)>,
        /// Value of the variable before; `None` when the run never used it.
        before: Option<u128>,
        /// Value after.
        after: u128,
    },
    /// A branch is taken; its condition is true in the run.
    If(BranchId),
    /// The ways of a branch meet.
    EndIf(BranchId),
}

/// Why a step is there, for the reader.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An assignment to a variable.
    Assign,
    /// An assignment through a pointer.
    Store,
    /// A value from outside: input, nondeterminism, a library's result.
    Havoc,
    /// A value that another thread wrote, or that this one found where it has not written yet.
    Thread,
    /// A parameter gets its argument.
    Call,
    /// A function's result is set.
    Return,
    /// A variable with static storage has its initial value.
    Initial,
    /// Bookkeeping that belongs to a neighbouring statement.
    Internal,
    /// `if` and `endif`.
    Control,
}

/// One step of the trace.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it does.
    pub action: Action,
    /// Why it is there.
    pub kind: Kind,
    /// Its place in the source.
    pub at: Option<Origin>,
    /// The activation it runs in, index into [`Trace::activations`].
    pub activation: u32,
    /// The innermost branch it lies under.
    pub scope: Option<BranchId>,
    /// Whether where it stores may be what is wrong, so that a story follows it even where it follows no addresses.
    pub is_misplaced: bool,
    /// What it sets is a fact of the run: its statement was executed so often that the earlier times are not followed.
    pub is_given: bool,
}

/// A branch taken: an `if`, a round of a loop, a `switch`; short-circuit conditions are one branch.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The branch it lies under.
    pub parent: Option<BranchId>,
    /// True in the run, over the variables at the `if`.
    pub condition: TermId,
    /// The parts of the source's condition that decided, each true in the run, with their places.
    pub reasons: Box<[(TermId, Option<Origin>)]>,
    /// What C takes for granted when the condition is evaluated.
    pub assumes: Box<[TermId]>,
    /// The pointers it goes through have the recorded values.
    pub addresses: Box<[TermId]>,
    /// Where the condition stands.
    pub at: Option<Origin>,
    /// The activation.
    pub activation: u32,
    /// The first block of the condition; `None` where a call goes through a pointer.
    pub decision: Option<BlockId>,
    /// The block it led to.
    pub taken: BlockId,
    /// The block where it ended; `None` at the end of its function.
    pub until: Option<BlockId>,
    /// Position of the `if`.
    pub start: usize,
    /// Position of the `endif`; the trace's length when it is not reached.
    pub end: usize,
    /// Whether the other way would have ended the program and that it was not gone is a fact: nothing lies under it.
    pub is_check: bool,
}

/// How the run failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// Over the variables after the last step, true in the run: what makes the run fail there.
    pub violated: TermId,
    /// What C takes for granted when the failing condition is evaluated.
    pub assumes: Vec<TermId>,
    /// The pointers it goes through have the recorded values.
    pub addresses: Vec<TermId>,
    /// Where.
    pub at: Option<Origin>,
    /// In which activation.
    pub activation: u32,
    /// The innermost branch the failing statement lies under, the failing condition itself not counted.
    pub scope: Option<BranchId>,
    /// Where the failing condition is a decision of the program: its first block and the block it led to.
    pub decision: Option<(BlockId, BlockId)>,
    /// For a person: `null pointer dereference`.
    pub message: String,
}

/// Where standard output departs from what was expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Departure {
    /// What was written there; nothing where the output ends.
    pub actual: Vec<u8>,
    /// What was expected there; nothing where the output should have ended.
    pub expected: Vec<u8>,
    /// How many bytes of the output are as expected.
    pub position: usize,
    /// The line of the output in which these texts begin, from 1.
    pub line: usize,
    /// Their column, in bytes from 1.
    pub column: usize,
}

/// Kinds of failure.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum FailureKind {
    /// An assertion is violated.
    Assertion,
    /// `abort` or an error function is reached.
    Abort,
    /// A null pointer is used.
    Null(BadPointer),
    /// A pointer to no object is used.
    Wild(BadPointer),
    /// The machine does not allow an access that leaves the object its pointer comes from.
    Outside,
    /// Division by zero, or of the smallest number by -1.
    Division,
    /// The stack is exhausted.
    Stack,
    /// Another signal.
    Signal,
    /// The exit status is not the expected one.
    Status,
    /// The run does not end, or was stopped before it did.
    Timeout,
    /// What was asked about does not hold, or is never reached.
    Question,
    /// Standard output is not the expected one.
    Output,
    /// Memory is used in a way that C does not allow.
    Memory(Misuse),
}

/// A use of a pointer that points to nothing.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct BadPointer {
    /// The pointer, over the variables after the last step.
    pub pointer: TermId,
    /// Its value.
    pub value: u64,
    /// Where memory is used, in bytes from where the pointer points.
    pub offset: i64,
    /// What is done.
    pub act: Act,
    /// The function of the library that does it.
    pub by: Option<&'static str>,
    /// How many bytes are used, where that is known.
    pub bytes: Option<u64>,
}

/// A use of memory that C does not allow.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Misuse {
    /// What is wrong with it.
    pub error: MemoryError,
    /// What is done.
    pub act: Act,
    /// The function of the library that does it.
    pub by: Option<&'static str>,
    /// The object, as an index into [`Trace::objects`].
    pub object: u32,
    /// Where the array begins that is left, where it is a member of the object and not all of it.
    pub part: Option<u64>,
    /// Where in the object or the part, counted from its first byte.
    pub offset: i64,
    /// How many bytes are used.
    pub bytes: u64,
    /// The size of the object or the part, where it is known.
    pub size: Option<u64>,
    /// Where the object was made.
    pub made_at: Option<Origin>,
    /// The function of the library that made it.
    pub made_by: Option<&'static str>,
    /// The activation that made it.
    pub made_in: Option<u32>,
    /// Where it was freed.
    pub freed_at: Option<Origin>,
    /// The activation that freed it.
    pub freed_in: Option<u32>,
}

/// What is wrong with a use of memory.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum MemoryError {
    /// Before the first byte of the object or behind its last.
    OutOfBounds,
    /// The object was freed.
    UseAfterFree,
    /// The object was a local of a call that is over.
    UseAfterReturn,
    /// The object was a local of a block that is over.
    UseAfterScope,
    /// What is freed was freed before.
    DoubleFree,
    /// What is freed is not the start of an object that was allocated.
    InvalidFree,
    /// Nobody has set what decides.
    Uninitialised,
    /// Bytes are copied to where some of them come from, by a function that does not allow it.
    Overlap,
    /// The object is a constant.
    ReadOnly,
}

/// What is done with memory.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Act {
    /// It is read.
    Reads,
    /// It is written.
    Writes,
    /// It is freed.
    Frees,
    /// Its content decides where control goes.
    Decides,
    /// Its content is used as a pointer.
    Follows,
    /// Its content is given to a function of the library.
    Passes,
    /// It is called.
    Calls,
}

impl Trace {
    /// The branches a scope consists of, innermost first.
    pub fn enclosing(&self, scope: Option<BranchId>) -> impl Iterator<Item = BranchId> + '_ {
        std::iter::successors(scope, |b| self.branches[b.index()].parent)
    }

    /// Whether the conditions the run went by, and its failure, hold for the values it had. So it is for every run that
    /// happened; what was made up need not be one that can.
    pub fn is_possible(&self) -> bool {
        let mut values = self.initial.clone();
        let holds = |values: &[Option<u128>], condition: TermId| {
            let value = self.terms.evaluate(condition, &mut |v| values[v.0 as usize]);
            value.is_none_or(|v| v.raw() == 1)
        };
        for step in &self.steps {
            match &step.action {
                Action::If(branch) if !holds(&values, self.branches[branch.index()].condition) => return false,
                Action::Assign { to, value, after, .. } => {
                    let computed = self.terms.evaluate(*value, &mut |v| values[v.0 as usize]);
                    if computed.is_some_and(|computed| computed.raw() != *after) {
                        return false;
                    }
                    values[to.0 as usize] = Some(*after);
                }
                Action::If(_) | Action::EndIf(_) => {}
            }
        }
        self.failure.as_ref().is_none_or(|failure| holds(&values, failure.violated))
    }

    /// The values of all variables before the step at a position.
    pub fn values_at(&self, position: usize) -> Vec<Option<u128>> {
        let mut values = self.initial.clone();
        for step in &self.steps[..position] {
            if let Action::Assign { to, after, .. } = step.action {
                values[to.0 as usize] = Some(after);
            }
        }
        values
    }

    /// Whether two variables are parts of one object in memory.
    pub fn same_object(&self, a: VarId, b: VarId) -> bool {
        let object = |v: VarId| match self.variables[v.0 as usize].storage {
            Storage::Local { activation, local, .. } => Some((0, u64::from(activation), u64::from(local.0))),
            Storage::Global { global, .. } => Some((1, u64::from(global.0), 0)),
            Storage::Heap { object, .. } => Some((2, u64::from(object), 0)),
            Storage::Foreign { .. } => Some((3, 0, 0)),
            _ => None,
        };
        object(a).is_some() && object(a) == object(b)
    }

    /// Whether a position lies between a branch's `if` and its `endif`.
    pub fn within(&self, position: usize, branch: BranchId) -> bool {
        let b = &self.branches[branch.index()];
        b.start < position && position < b.end
    }
}
