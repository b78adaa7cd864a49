//! Finds inputs that make a program fail, by concolic testing on native runs.
//!
//! A run with some inputs is followed through the program; each condition it went by is a term over the inputs. They are
//! a path in the *tree* of all paths. Wherever the tree has a way nobody went yet, a solver is asked for inputs that go
//! there; they are run in turn, until no way is left or a limit is reached. So everything that is reported was seen:
//! a failing input has failed.
//!
//! What is not modelled (a library's result, floating point that no solver decides, memory that was never set) keeps the
//! value it had in the run. Then the search is still right about what it found, but cannot say that it has found
//! everything, and says so: [`Found::obstacles`].
//!
//! Knows: programs, recordings, traces with their events, terms, solvers.
//! Must not know: LLVM, how a program is built or run (a closure does that), output formats.

mod agenda;
mod attempt;
mod bounded;
mod calls;
mod chosen;
mod evaluate;
mod exact;
mod foresee;
mod form;
mod format;
mod found;
mod initial;
mod library;
mod lookup;
mod order;
mod path;
mod pointed;
mod reading;
mod scan;
mod search;
mod simple;
mod solve;
mod space;
mod stdin;
mod subject;
mod tree;

pub use chosen::{Chosen, Source};
pub use exact::doubt;
pub use form::{Form, form_of};
pub use found::{Error, Failure, Found, Limit, Obstacle, Progress, Statistics, Tried};
pub use pointed::{Pointed, pointed};
pub use search::{Runner, recorded, search};
pub use subject::{By, Limits, Subject, is_searched};
