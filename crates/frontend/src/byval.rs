//! Large structs passed by value, made explicit.
//!
//! Before: `f(ptr byval(T) %s)`, where the call makes a hidden copy that nobody records. After: the callee copies `*%s`
//! into a slot of its own, an ordinary copy into an ordinary local. Done for functions whose calls are all known;
//! through function pointers the hidden copy stays, and lowering sees an address it cannot explain.

use crate::llvm::{Builder, Module, Opcode, Value};

/// Rewrites the module.
pub(crate) fn make_explicit(module: &Module) {
    let builder = Builder::new(module);
    for function in module.functions() {
        if function.is_declaration() || !only_called(function) {
            continue;
        }
        for (index, param) in function.params().into_iter().enumerate() {
            let index = index as u32;
            let Some(ty) = function.param_byval(index) else {
                continue;
            };
            let Some(first) = function.blocks()[0].instructions().first().copied() else {
                continue;
            };
            function.remove_param_byval(index);
            for call in function.users() {
                call.remove_call_byval(index);
            }
            builder.before(first);
            let slot = builder.alloca(ty);
            // Before the copy is made, which is to use the parameter itself.
            param.replace_uses(slot);
            let after_slots = function.blocks()[0]
                .instructions()
                .into_iter()
                .find(|i| !matches!(i.opcode(), Opcode::LLVMAlloca))
                .expect("a block ends with a jump");
            builder.before(after_slots);
            builder.copy_memory(slot, param, module.size(ty));
        }
    }
}

/// Whether every use of a function is a call of it, with arguments that fit.
fn only_called(function: Value) -> bool {
    let ty = function.value_type();
    function.users().into_iter().all(|user| {
        user.is_instruction()
            && matches!(user.opcode(), Opcode::LLVMCall)
            && user.called() == function
            && user.called_type() == ty
            && !user.arguments().contains(&function)
    })
}
