//! Formulas of fixed-width bits: hash-consed, width-checked, simplified while they are built.
//!
//! **Knows** the quantifier-free theory of bit-vectors (SMT-LIB `QF_BV`), IEEE floats as bit patterns, mathematical
//! integers, and how to evaluate, rewrite and print a term.
//!
//! **Must not know** any solver, any program, any trace, what a variable stands for, or how to do I/O. A [`VarId`] is
//! a number whose meaning belongs to the caller.
//!
//! All terms live in one arena, [`Terms`], and are named by [`TermId`]. Two terms built the same way have the same
//! id, so equality of terms is equality of ids. A term is always younger than its parts (its id is larger), hence
//! every traversal is a sorted sweep over ids and none recurses: terms may be a hundred thousand levels deep.
//!
//! Constructors simplify locally and only by rules that hold bit for bit. They panic when sorts do not fit, because
//! that is a bug of the caller and not a property of the program under analysis.
//!
//! ```
//! use wherefore_formula::{BinaryOp, Sort, Terms, VarId};
//!
//! let mut terms = Terms::new();
//! let x = terms.var(VarId(0), Sort::Bits(32));
//! let two = terms.bits(32, 2);
//! let five = terms.bits(32, 5);
//! let sum = terms.binary(BinaryOp::Add, x, two);
//! let claim = terms.eq(sum, five);
//! assert_eq!(terms.display(claim, &|_| "x".to_string()), "(= x 3:32)");
//! ```

mod arithmetic;
mod boolean;
mod compare;
mod concrete;
mod converted;
mod display;
mod equality;
mod evaluate;
mod float;
mod integer;
mod integers;
mod node;
mod overflow;
mod slices;
mod sort;
mod substitute;
mod terms;
mod walk;

pub use evaluate::Evaluation;
pub use float::FloatOp;
pub use integers::Integers;
pub use node::{BinaryOp, CompareOp, Node, TermId, VarId};
pub use sort::{Sort, Value};
pub use terms::Terms;
