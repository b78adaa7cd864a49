//! Relevant statements of an error trace: the assignments that, replaced by a constant, stop the error.
//!
//! A [`Path`] is a sequence of assignments, `havoc` and `assume` that ends in an error. An assigning statement is relevant
//! if there is an execution of the path and a value such that, with this value assigned instead, no execution of the rest
//! comes to the end (*Static fault localization for simple bugs*, Definition 3.1). By Theorem 3.2 that is a question about
//! states before it from which the end is reached and values after it from which it is not, whatever is chosen later. It is
//! decided exactly: where nothing is chosen later by one question to a solver, otherwise by a loop in which one solver
//! proposes a value and another answers by a choice that comes to the end nevertheless.
//!
//! **Knows** terms and solvers. **Must not know** where a path comes from, or how an answer is shown.

mod blocked;
mod follow;
mod integers;
mod judge;
mod path;

pub use judge::{Judged, Settings, Verdict, Witness, judge};
pub use path::{Execution, Path, Statement, Variable};
