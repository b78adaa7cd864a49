//! Places where a run must not come: `__builtin_unreachable()`, and a label that is to be unreachable.
//!
//! Before: a bare `unreachable`, behind which the machine runs into whatever comes next, and a block with the label's
//! name. After: a call there of a function that fails.

use crate::Error;
use crate::llvm::{Builder, Module, Opcode, Value};
use wherefore_clib::{LABEL, UNREACHABLE};

/// Rewrites the module.
pub(crate) fn make_explicit(module: &Module, label: Option<&str>) -> Result<(), Error> {
    let builder = Builder::new(module);
    let failing = |name: &str| builder.function(name, builder.function_type(builder.void_type(), &[]));
    let mut is_found = false;
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        for block in function.blocks() {
            if falls_off(&block.instructions()) {
                builder.before(block.terminator());
                builder.call(failing(UNREACHABLE), &[]);
            }
            if label.is_some_and(|label| block.name() == label) {
                is_found = true;
                let starts = |i: &Value| !matches!(i.opcode(), Opcode::LLVMPHI);
                let first = block.instructions().into_iter().find(starts).expect("a block ends with a jump");
                builder.before(first);
                builder.call(failing(LABEL), &[]);
            }
        }
    }
    match label {
        Some(label) if !is_found => Err(Error::Usage(format!("no function has a label `{label}` to come to"))),
        _ => Ok(()),
    }
}

/// Whether a block ends nowhere, and not because of a call that never returns.
fn falls_off(instructions: &[Value]) -> bool {
    let is_call = |i: &Value| matches!(i.opcode(), Opcode::LLVMCall);
    match instructions {
        [.., before, last] if is_call(before) => {
            matches!(last.opcode(), Opcode::LLVMUnreachable) && !before.never_returns()
        }
        [.., last] => matches!(last.opcode(), Opcode::LLVMUnreachable),
        [] => false,
    }
}
