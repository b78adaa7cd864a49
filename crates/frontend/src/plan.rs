//! What instrumentation has to record and what it may force, decided while lowering so that the two never disagree.

use crate::llvm::{Block, Value};
use std::collections::HashSet;
use wherefore_program::Slot;

/// Everything instrumentation needs to know of a lowered module.
pub(crate) struct Plan {
    /// In order of their ids.
    pub functions: Vec<FunctionPlan>,
    /// In order of their ids.
    pub globals: Vec<GlobalPlan>,
    /// Functions of libraries whose address is taken, in order of their symbols.
    pub externals: Vec<Value>,
    /// Whether several threads may run the program's functions.
    pub threads: bool,
}

/// A function with a body.
pub(crate) struct FunctionPlan {
    pub function: Value,
    /// Recorded after the number of the entry block.
    pub arguments: Vec<Word>,
    /// In order of their ids.
    pub blocks: Vec<BlockPlan>,
    /// Loads and stores inside the bounds of a variable, which cannot fail.
    pub safe: HashSet<Value>,
}

/// A variable with static storage.
pub(crate) struct GlobalPlan {
    pub global: Value,
    /// Bytes to keep a picture of; 0 when its content is not the program's.
    pub size: u64,
}

/// A block.
pub(crate) struct BlockPlan {
    pub block: Block,
    /// Recording number.
    pub number: u32,
    pub probes: Vec<Probe>,
    pub acts: Vec<Act>,
}

/// What is recorded around one instruction.
pub(crate) struct Probe {
    pub instruction: Value,
    pub before: Vec<Word>,
    pub after: Vec<Word>,
}

/// Where the values of one command stand in its instruction, as far as a run can be given others.
pub(crate) struct Act {
    /// The command's index in its block; `None` is the block's terminator.
    pub command: Option<u32>,
    pub instruction: Value,
    /// Each slot with the instruction's operand that holds it.
    pub slots: Vec<(Slot, u32)>,
}

/// Something recorded.
#[derive(Copy, Clone)]
pub(crate) enum Word {
    /// The bits of a value.
    Value(Value),
    /// Bits `64 * n ..` of a value that is wider than any register of the model.
    Part(Value, u32),
    /// The bits of an element of a struct.
    Element(Value, u32),
    /// An address plus a constant.
    Offset(Value, u64),
    /// A fixed word.
    Constant(u64),
    /// A number of elements times their size.
    Size(Value, u64),
    /// Bytes of memory, written by the runtime: where they are, how many, and how they are to be read.
    Seen(Value, Amount, u64),
}

/// How many bytes of memory are recorded.
#[derive(Copy, Clone)]
pub(crate) enum Amount {
    Fixed(u64),
    Of(Value),
    /// A number of elements of a fixed size.
    Times(Value, u64),
    Product(Value, Value),
}

/// Bytes are recorded up to the first zero.
pub(crate) const AS_TEXT: u64 = 1;

/// The bytes are those that a pointer in memory points to.
pub(crate) const BEHIND: u64 = 2;

/// The word after all bytes that are recorded of a call.
pub(crate) const SEEN_END: u64 = 0x5EE0 << 48;

/// Tag of the word that says that a block was entered; its number is in the low bits.
pub(crate) const BLOCK: u64 = 0xB10C << 48;

/// Tag of the word that says that a call outside the program returned; its site is in the low bits.
pub(crate) const RETURN: u64 = 0x4E70 << 48;
