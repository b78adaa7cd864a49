//! What verification tasks call, or define themselves: the failure to be found, and conditions on a run.

use crate::function::Access::Writes;
use crate::function::Extent::Argument;
use crate::function::{Ending, Function, Gives, Judge};

/// Called where a program says that it cannot come.
pub const UNREACHABLE: &str = "__builtin_unreachable";

/// Called where a label stands that is to be unreachable.
pub const LABEL: &str = "__wf_label";

/// Called in the place of a function that is nowhere defined and gives nothing.
pub const NOTHING: &str = "__wf_nothing";

pub(super) const ROWS: &[Function] = &[
    Function::new("reach_error", 0).like(&["__VERIFIER_error"]).ends(Ending::Error),
    Function::new(UNREACHABLE, 0).ends(Ending::Error),
    Function::new(LABEL, 0).ends(Ending::Error),
    Function::new(NOTHING, 0).gives(Gives::Indifferent),
    Function::new("__VERIFIER_assert", 1).like(&["sniper_assert", "assert"]).judges(Judge::Asserts),
    Function::new("__CPROVER_assert", 2).judges(Judge::Asserts),
    Function::new("__VERIFIER_assume", 1)
        .like(&["assume_abort_if_not", "assume_cycle_if_not", "assume", "__CPROVER_assume"])
        .judges(Judge::Assumes),
    Function::new("__VERIFIER_atomic_begin", 0).like(&["__VERIFIER_atomic_end"]).gives(Gives::Indifferent),
    Function::new("__VERIFIER_nondet_memory", 2).accesses(&[Writes(0, Argument(1))]).nondeterministic(),
];
