//! Localizers: from a trace that fails to the statements that matter and what holds between them.
//!
//! Error invariants (Christ et al. 2013) are found by walking the trace backwards from the failure: the invariant before a
//! statement holds in the recorded state and implies, with this one statement, the invariant after it. A statement that
//! leaves the invariant as it is does not matter. Each question to the solver is one statement long.
//!
//! Knows: traces, terms, solvers through their traits.
//! Must not know: LLVM, recordings, output formats; it does no input or output.

mod check;
mod definition;
mod explain;
mod generalise;
mod interval;
mod intervals;
mod invariant;
mod linear;
mod precondition;
#[cfg(test)]
mod properties;
mod reason;
mod recursive;
#[cfg(test)]
mod sketch;
mod story;
mod walk;

pub use check::{Checked, Reading, check};
pub use definition::{Violation, flow_sensitive};
pub use explain::{Encoding, Explanation, Options, explain};
pub use invariant::{Change, Frame, Invariant, Sequence, What};
pub use reason::Reasoner;
pub use story::{StepKind, StoryStep};
pub use walk::{Goal, Reach, Split};
