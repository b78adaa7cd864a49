//! Which statements could be changed so that failing tests pass: minimal correction sets and what follows from them.
//!
//! **Knows** statements as numbers and an [`Oracle`] that says whether a test can pass when some of them are set free.
//!
//! **Must not know** what a statement is, how the oracle decides, or how results are shown.
//!
//! All minimal correction sets are the minimal hitting sets of all conflicts (cores), but the conflicts are not known.
//! So the smallest set that hits the cores known so far is proposed to the oracle: either it repairs the test, or the
//! oracle names a core that the proposal missed (implicit hitting sets). [`corrections`] does this for one test,
//! [`unified`] for several at once. [`product`] is SetCombine of SNIPER (Definition 6), and [`conflicts`] turns
//! correction sets back into conflicts. [`Together`] does all of it for the failing tests of a program, on several threads.
//!
//! ```
//! use wherefore_diagnose::{Limits, conflicts};
//!
//! let corrections = [vec![3, 4], vec![6]];
//! assert_eq!(conflicts(&corrections, &Limits::default()).sets, [[3, 6], [4, 6]]);
//! ```

mod agreement;
mod bits;
mod conflicts;
mod consistency;
mod constants;
mod corrections;
mod enumeration;
mod explore;
mod family;
mod formula;
mod limits;
mod oracle;
mod panel;
mod product;
mod rank;
mod search;
mod shrink;
mod together;
mod trace;

pub use crate::agreement::{Agreement, Seen};
pub use crate::conflicts::conflicts;
pub use crate::consistency::{Consistency, consistency};
pub use crate::corrections::{corrections, unified};
pub use crate::enumeration::Enumeration;
pub use crate::formula::{Evidence, Execution, FormulaOracle};
pub use crate::limits::{Limits, Reason};
pub use crate::oracle::{Oracle, Set, Statement, Verdict};
pub use crate::product::product;
pub use crate::rank::{Coverage, Ranked, rank};
pub use crate::together::{JUDGING, PerTest, Together, judging};
pub use crate::trace::{RunEncoding, RunOracle};
