//! Small edits of a program's text that make it pass its tests.
//!
//! [`propose`](propose()) lists the edits that programmers are known to forget or to get wrong, with a price for each:
//! the simpler, the cheaper. `choice` makes one text of a file with all of them in it, of which a run is told one by its
//! number, so that thousands of edits cost one compilation; [`search()`] runs them, cheapest first, and has the best
//! ones built as they would stand in the file.
//!
//! Knows the syntax of C and that tests pass or fail. Must not know: how a program is built or run, LLVM, output.

mod angel;
mod choice;
mod diff;
mod edit;
mod format;
mod impact;
mod lanes;
mod narrow;
mod plain;
mod program;
mod propose;
mod scope;
mod search;
mod several;
mod unit;
mod users;

pub use angel::{ANGELS, angels};
pub use choice::CHOSEN;
pub use diff::unified;
pub use edit::{Edit, Kind, Part};
pub use plain::Plain;
pub use program::{Built, Choosing, Complaint, Ran, Screened, Seen, Workshop};
pub use propose::{Failures, propose};
pub use search::{Found, Problem, search};
pub use several::{Joint, Made, Next, Partial, Several, several};
pub use unit::Switch;
pub use users::Users;
