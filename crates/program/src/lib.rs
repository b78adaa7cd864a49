//! The program model: what every later layer knows of a C program.
//!
//! A [`Program`] is functions of basic blocks of [`Command`]s over registers, locals and memory, with an
//! [`Origin`] (file, line, column) on each command and the C types of everything that has a name. It is plain data.
//!
//! Knows: C's types and names, control flow, what a recording of a run contains for each command.
//! Must not know: LLVM (only `frontend` does), solvers, output formats; it does no input or output.
//!
//! All values are bit patterns: integers, pointers (64 bits), floating point numbers and small structs alike; the
//! operation says how the bits are read.

mod command;
mod ctype;
mod flow;
mod model;
mod operands;
mod points;
mod print;
mod unnamed;
mod validate;

pub use command::{
    BinaryOp, Callee, CastOp, Command, CompareOp, FloatBinaryOp, FloatCastOp, FloatCompareOp, Located, Operand,
    Operation, Place, Switch, Terminator,
};
pub use ctype::{CType, Field, Types};
pub use flow::{Flow, postdominators};
pub use model::MODEL;
pub use points::{POINT_BITS, Point, Slot, points};
pub use print::print;
pub use unnamed::{Unnamed, unnamed};
pub use validate::{Problem, validate};

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => { $(
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        pub struct $name(pub u32);
        impl $name {
            /// The id as an index into its table.
            pub fn index(self) -> usize { self.0 as usize }
        }
    )* };
}

ids! {
    /// A source file of the program, index into [`Program::files`].
    FileId,
    /// A function with a body, index into [`Program::functions`].
    FunctionId,
    /// A global or static variable or string literal, index into [`Program::globals`].
    GlobalId,
    /// A local variable or parameter of a function, index into [`Function::locals`].
    LocalId,
    /// A register (assigned once per execution of its command), index into [`Function::registers`].
    RegId,
    /// A basic block, index into [`Function::blocks`]; block 0 is the entry.
    BlockId,
    /// A C type, index into [`Types`].
    TypeId,
}

/// A place in the source, as the compiler reports it; lines and columns count from 1, columns in bytes.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// The file.
    pub file: FileId,
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1; 0 where the compiler gives none.
    pub column: u32,
}

/// Something that is not modelled exactly, said to the user with its place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Note {
    /// Where, when known.
    pub at: Option<Origin>,
    /// What, in words for a C programmer.
    pub message: String,
}

/// A whole program: all translation units linked into one model.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Program {
    /// Paths of the source files as the user named them (or as the compiler found them).
    pub files: Vec<String>,
    /// Functions with bodies.
    pub functions: Vec<Function>,
    /// Variables with static storage, string literals included.
    pub globals: Vec<Global>,
    /// C types of variables.
    pub types: Types,
    /// Symbols of library functions whose address the program takes ([`Operand::External`]), sorted. The recording
    /// holds their addresses in this order.
    pub externals: Vec<String>,
    /// Constructs that are not modelled exactly.
    pub notes: Vec<Note>,
    /// What the executable does, or makes of its state, that these functions do not show, in words.
    #[serde(default)]
    pub beyond: Vec<String>,
    /// Functions that are declared and nowhere defined.
    #[serde(default)]
    pub undefined: Vec<Undefined>,
}

/// A function that is declared and nowhere defined: it may give anything.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Undefined {
    /// Its name.
    pub name: String,
    /// The function that is called in its place, of those that verifiers give a program.
    pub stand_in: String,
}

/// An address in an array which is a member of a struct.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Member {
    /// The address.
    pub address: Operand,
    /// Where the array begins.
    pub start: Operand,
    /// Its size in bytes.
    pub size: u64,
}

/// A function with a body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Function {
    /// The C name.
    pub name: String,
    /// Where it is defined.
    pub origin: Option<Origin>,
    /// The parameters in order: the register that carries each argument in.
    pub params: Vec<RegId>,
    /// Whether the values of all parameters are recorded, right after the entry block's number, in order: so for the
    /// entry function, `main`, and every function that code outside the program may call (its address is taken).
    pub params_recorded: bool,
    /// Local variables and named parameters.
    pub locals: Vec<Local>,
    /// Width in bits of each register.
    pub registers: Vec<u32>,
    /// Width in bits of the result; `None` for void.
    pub result: Option<u32>,
    /// C type of the result, when known.
    pub result_type: Option<TypeId>,
    /// Whether the function takes further arguments after `params`.
    pub variadic: bool,
    /// Basic blocks; block 0 is the entry.
    pub blocks: Vec<Block>,
    /// Recording number of block 0; block `b` has number `first_block + b`, unique in the program.
    pub first_block: u32,
    /// Addresses in arrays which are members of structs, with more members behind.
    #[serde(default)]
    pub members: Vec<Member>,
    /// The blocks of the source that commands lie in, in order of the commands; empty where no variable of an inner block
    /// has an address.
    #[serde(default)]
    pub within: Vec<Within>,
}

/// The blocks of the source that a command of a block and those after it lie in, up to the next for which it is said.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Within {
    /// The block.
    pub block: BlockId,
    /// Index of the command.
    pub command: u32,
    /// As in [`Local::scope`]; `None` where it is not known.
    pub scope: Option<Vec<u32>>,
}

/// A variable in a function's stack frame.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Local {
    /// The C name; `None` for what the compiler invented (the slot of a return value, a temporary).
    pub name: Option<String>,
    /// C type, when known.
    pub ctype: Option<TypeId>,
    /// Size in bytes; `None` when it is known at run time only (variable length array, `alloca`).
    pub size: Option<u64>,
    /// Whether its address is used other than by direct loads and stores. Only then does it have an address in the
    /// recording and is it accessed through [`Place::Memory`]; otherwise through [`Place::Local`].
    pub escapes: bool,
    /// For a parameter: its index.
    pub param: Option<u32>,
    /// The blocks of the source it is declared in, outermost first; see [`overlap`].
    #[serde(default)]
    pub scope: Vec<u32>,
    /// Where it is declared.
    pub origin: Option<Origin>,
}

/// A variable with static storage.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Global {
    /// The linker's name, for looking up its address in the recording.
    pub symbol: String,
    /// The C name; `None` for string literals and what the compiler invented.
    pub name: Option<String>,
    /// The function a `static` local belongs to.
    pub function: Option<FunctionId>,
    /// The blocks of the source a `static` local is declared in, outermost first; see [`overlap`].
    #[serde(default)]
    pub scope: Vec<u32>,
    /// C type, when known.
    pub ctype: Option<TypeId>,
    /// Size in bytes.
    pub size: u64,
    /// Whether the program may not write it (string literals, `const`).
    pub constant: bool,
    /// Whether it is only declared here (defined by a library): its content is unknown.
    pub external: bool,
    /// Where it is declared.
    pub origin: Option<Origin>,
}

/// Straight-line commands and where control goes next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Commands in order.
    pub commands: Vec<Located<Command>>,
    /// What comes next.
    pub terminator: Located<Terminator>,
}

/// Whether one of two scopes of a function lies in the other: then a variable of one can hide one of the other.
pub fn overlap(a: &[u32], b: &[u32]) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

impl Function {
    /// The blocks of the source around a command, outermost first, where they are known.
    pub fn scope_at(&self, block: BlockId, command: usize) -> Option<&[u32]> {
        let after = self.within.partition_point(|w| (w.block, w.command as usize) <= (block, command));
        let last = self.within[..after].last().filter(|w| w.block == block)?;
        last.scope.as_deref()
    }
}

impl Program {
    /// The function of that name.
    pub fn function(&self, name: &str) -> Option<FunctionId> {
        self.functions.iter().position(|f| f.name == name).map(|i| FunctionId(i as u32))
    }

    /// Whether a function is C's `main`, whose parameters and result belong to the system. What is called so in Boogie has
    /// parameters like any other procedure, and is known by types that no C compiler has.
    pub fn is_main(&self, function: &Function) -> bool {
        let is_other = |ctype: TypeId| match &self.types[ctype] {
            CType::Integer { name, bits, .. } => name == "int" && *bits == 64 || name.starts_with("bv"),
            CType::Bool => true,
            _ => false,
        };
        let params = function.locals.iter().filter(|local| local.param.is_some()).filter_map(|local| local.ctype);
        function.name == "main" && !params.chain(function.result_type).any(is_other)
    }

    /// The function outside the program that does what a call of this name does.
    pub fn stand_in<'a>(&'a self, name: &'a str) -> &'a str {
        self.undefined.iter().find(|f| f.name == name).map_or(name, |f| &f.stand_in)
    }

    /// The function and block with a recording number.
    pub fn block(&self, number: u32) -> Option<(FunctionId, BlockId)> {
        let after = self.functions.partition_point(|f| f.first_block <= number);
        let index = after.checked_sub(1)?;
        let block = number - self.functions[index].first_block;
        (block < self.functions[index].blocks.len() as u32).then_some((FunctionId(index as u32), BlockId(block)))
    }
}
