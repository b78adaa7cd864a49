//! Commands: the guarded-command language that C is lowered to.
//!
//! For each command its documentation says what a recording of a run holds for it, in 64-bit words, in the order in
//! which they are written. A value of `n` bits takes `ceil(n / 64)` words, low word first, high bits zero.

use crate::{BlockId, FunctionId, GlobalId, LocalId, Origin, RegId};
use serde::{Deserialize, Serialize};

/// Something with the place in the source it comes from; `None` is an honest "unknown".
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Located<T> {
    /// The thing.
    pub it: T,
    /// Where it comes from.
    pub at: Option<Origin>,
}

/// A value used by a command.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Operand {
    /// What a register holds.
    Register(RegId),
    /// A constant of a width in bits (1 to 128).
    Constant {
        /// Width in bits.
        bits: u32,
        /// The value, zero-extended.
        value: u128,
    },
    /// The address of a global plus a constant offset in bytes.
    Global(GlobalId, i64),
    /// The address of a local that escapes, plus a constant offset in bytes.
    Local(LocalId, i64),
    /// The address of a function with a body.
    Function(FunctionId),
    /// The address of something outside the program (a library's function or variable), by symbol.
    External(String),
    /// No particular value (uninitialised).
    Undefined {
        /// Width in bits.
        bits: u32,
    },
}

/// What a load reads or a store writes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Place {
    /// A part of a local that does not escape, at a constant offset in bytes.
    Local(LocalId, u64),
    /// Memory at an address.
    Memory(Operand),
}

/// One command of a block.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Command {
    /// `target := operation`. Recorded: the value, only for [`Operation::Opaque`].
    Define {
        /// The register defined.
        target: RegId,
        /// What it gets.
        value: Operation,
    },
    /// `target := *place`. Recorded for [`Place::Memory`]: the address before the access, the value after it.
    /// Recorded for [`Place::Local`]: the value if `logged`, else nothing.
    Load {
        /// The register defined.
        target: RegId,
        /// What is read; as many bytes as the register's width rounded up.
        place: Place,
        /// Whether a load of a local is recorded, because the local may be uninitialised here.
        logged: bool,
        /// Whether the access is volatile.
        volatile: bool,
    },
    /// `*place := value`. Recorded for [`Place::Memory`]: the address before the access; else nothing.
    Store {
        /// What is written.
        place: Place,
        /// The value written.
        value: Operand,
        /// Its width in bits; the width rounded up to bytes is written.
        bits: u32,
    },
    /// A local comes to life. Only for locals that escape; the others live as long as their frame.
    /// Recorded: its address, and its size in bytes (also when it is constant).
    Allocate {
        /// The local.
        local: LocalId,
        /// For a size known at run time only: a register that gets the address (the local is then accessed through it).
        target: Option<RegId>,
    },
    /// `memcpy` or `memmove`. Recorded before it: target address, source address, length.
    Copy {
        /// Address written.
        to: Operand,
        /// Address read.
        from: Operand,
        /// Number of bytes.
        length: Operand,
        /// Whether the two must not overlap, as for `memcpy`.
        #[serde(default)]
        apart: bool,
    },
    /// `memset`. Recorded before it: target address, length.
    Fill {
        /// Address written.
        to: Operand,
        /// The byte (8 bits).
        byte: Operand,
        /// Number of bytes.
        length: Operand,
    },
    /// A call. For a direct call of a [`FunctionId`] nothing is recorded (its entry block follows). For any other
    /// call, after the call returned: `RETURN | site`, then the value if `target` is given; blocks of functions called
    /// back, or of an indirect callee with a body, come before that word. Behind the value of a call of the library
    /// that reads or writes memory (`wherefore_clib::Function::is_seen`) come pieces of that memory: `SEEN | count`, the
    /// address and the bytes, eight to a word; the last of these words is `SEEN_END`.
    Call {
        /// The register that gets the result.
        target: Option<RegId>,
        /// Who is called.
        callee: Callee,
        /// Arguments, variadic ones included.
        arguments: Vec<Operand>,
        /// Number of this call site, unique in the program.
        site: u32,
    },
}

/// Who is called.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Callee {
    /// A function with a body.
    Function(FunctionId),
    /// A function without a body, by symbol.
    External(String),
    /// Through a pointer.
    Pointer(Operand),
    /// Inline assembly.
    Assembly,
}

/// A computation without side effects. Operands of binary operations have the width of the result unless said.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Operation {
    /// The operand itself (also: pointer to integer and back, bit casts).
    Copy(Operand),
    /// Integer arithmetic.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        left: Operand,
        /// Right operand.
        right: Operand,
        /// Signed overflow is undefined here.
        no_signed_wrap: bool,
        /// Unsigned overflow is undefined here.
        no_unsigned_wrap: bool,
    },
    /// Integer comparison; one bit.
    Compare(CompareOp, Operand, Operand),
    /// Change of an integer's width to the register's.
    Cast(CastOp, Operand),
    /// `condition ? a : b`.
    Select(Operand, Operand, Operand),
    /// Bits `low ..` of a wider value, as many as the register is wide.
    Extract {
        /// The wider value.
        value: Operand,
        /// Lowest bit.
        low: u32,
    },
    /// A wider value with some bits replaced.
    Insert {
        /// The wider value.
        value: Operand,
        /// The replacement.
        part: Operand,
        /// Lowest bit replaced.
        low: u32,
    },
    /// Floating point arithmetic on operands of 32 or 64 bits.
    FloatBinary(FloatBinaryOp, Operand, Operand),
    /// Floating point comparison; one bit.
    FloatCompare(FloatCompareOp, Operand, Operand),
    /// Conversion from or to floating point.
    FloatCast(FloatCastOp, Operand),
    /// `-x` of a floating point number.
    FloatNegate(Operand),
    /// `fabs`.
    FloatAbs(Operand),
    /// `sqrt`.
    FloatSqrt(Operand),
    /// The value that belongs to the block control came from.
    Phi(Vec<(BlockId, Operand)>),
    /// Not modelled: the recorded value stands for it. Every use is noted in [`crate::Program::notes`].
    Opaque {
        /// What it is, in words for a C programmer, e.g. `long double arithmetic`.
        what: String,
        /// What it depends on.
        operands: Vec<Operand>,
    },
}

/// Integer operators; division by zero and shifts by the width or more are undefined.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

/// Integer comparisons.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum CompareOp {
    Eq,
    Ne,
    ULt,
    ULe,
    UGt,
    UGe,
    SLt,
    SLe,
    SGt,
    SGe,
}

/// Changes of width.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum CastOp {
    /// Drop high bits.
    Truncate,
    /// Fill with zeros.
    ZeroExtend,
    /// Fill with the sign bit.
    SignExtend,
}

/// Floating point operators.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum FloatBinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// Floating point comparisons: `O` false, `U` true when an operand is not a number.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum FloatCompareOp {
    OEq,
    ONe,
    OLt,
    OLe,
    OGt,
    OGe,
    UEq,
    UNe,
    ULt,
    ULe,
    UGt,
    UGe,
    Ordered,
    Unordered,
}

/// Floating point conversions; the register's width says to what.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum FloatCastOp {
    FromSigned,
    FromUnsigned,
    ToSigned,
    ToUnsigned,
    Resize,
}

/// Where control goes at the end of a block. Nothing is recorded: the next block's number follows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Terminator {
    /// Always there.
    Goto(BlockId),
    /// By a condition of one bit.
    Branch {
        /// The condition.
        condition: Operand,
        /// Where to when it is 1.
        then: BlockId,
        /// Where to when it is 0.
        otherwise: BlockId,
    },
    /// By cases.
    Switch(Switch),
    /// Back to the caller.
    Return(Option<Operand>),
    /// Control does not come here (after a call that does not return).
    Unreachable,
}

/// A `switch`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Switch {
    /// What is switched on.
    pub value: Operand,
    /// Constants and where they lead; several may lead to one block.
    pub cases: Vec<(u128, BlockId)>,
    /// Where all others lead.
    pub default: BlockId,
}

impl Terminator {
    /// Whether a block may come next.
    pub fn leads_to(&self, block: BlockId) -> bool {
        match self {
            Terminator::Goto(b) => *b == block,
            Terminator::Branch { then, otherwise, .. } => *then == block || *otherwise == block,
            Terminator::Switch(s) => s.default == block || s.cases.iter().any(|case| case.1 == block),
            Terminator::Return(_) | Terminator::Unreachable => false,
        }
    }

    /// The blocks that may come next, each once, in order.
    pub fn successors(&self) -> Vec<BlockId> {
        let mut all = match self {
            Terminator::Goto(b) => vec![*b],
            Terminator::Branch { then, otherwise, .. } => vec![*then, *otherwise],
            Terminator::Switch(s) => s.cases.iter().map(|c| c.1).chain([s.default]).collect(),
            Terminator::Return(_) | Terminator::Unreachable => vec![],
        };
        let mut seen = std::collections::HashSet::new();
        all.retain(|b| seen.insert(*b));
        all
    }
}
