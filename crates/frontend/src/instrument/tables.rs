//! Tables of addresses, which the runtime copies into the recording.

use crate::llvm::{Builder, Value};
use crate::plan::Plan;

/// Emits `__wf_globals`, `__wf_externals` and `__wf_functions`, each with its count.
pub(super) fn emit(builder: &Builder, plan: &Plan) {
    let pointer = builder.pointer_type();
    let entry = builder.struct_type(&[pointer, builder.int_type(64)]);
    let globals: Vec<Value> = plan
        .globals
        .iter()
        .map(|g| {
            // Each thread has its own; there is no one address.
            let address = if g.global.is_thread_local() { builder.null(pointer) } else { g.global };
            builder.struct_constant(&[address, builder.int(64, g.size)])
        })
        .collect();
    let functions: Vec<Value> = plan.functions.iter().map(|f| f.function).collect();
    for (name, element, entries) in
        [("global", entry, &globals), ("external", pointer, &plan.externals), ("function", pointer, &functions)]
    {
        builder.table(&format!("__wf_{name}s"), builder.array_constant(element, entries));
        builder.table(&format!("__wf_{name}_count"), builder.int(32, entries.len() as u64));
    }
}
