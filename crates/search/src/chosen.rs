//! An input and the value that was chosen for it.

use crate::form::Form;
use wherefore_program::GlobalId;

/// Where an input comes from.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Source {
    /// A parameter of the entry function, by its index.
    Parameter(u32),
    /// Whether a parameter of the entry function, by its index, points to an object; otherwise it is null.
    Pointer(u32),
    /// A scalar of the object that a parameter points to.
    Pointed {
        /// The parameter, by its index.
        parameter: u32,
        /// Offset in bytes.
        offset: u64,
    },
    /// A scalar of a global.
    Global {
        /// The global.
        id: GlobalId,
        /// Offset in bytes.
        offset: u64,
    },
    /// A call of a `__VERIFIER_nondet_` function, by its number in the run.
    Nondet(u32),
    /// A number in an argument of the program, by the argument's index in `argv`.
    Argument(u32),
    /// Whether standard input has an item of this number.
    More(u32),
    /// The item of standard input of this number.
    Item(u32),
}

/// An input with its value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// Which input.
    pub source: Source,
    /// How its bits are read.
    pub form: Form,
    /// Its bits.
    pub bits: u128,
}
