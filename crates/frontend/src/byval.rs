//! Large structs passed by value, made explicit.
//!
//! Before: `f(ptr byval(T) %s)`, where the call makes a hidden copy that nobody records. After: the callee copies `*%s`
//! into a slot of its own, an ordinary copy into an ordinary local, and calls pass the address of the original, also
//! those through pointers. Where a library's function that wants a struct may be called through a pointer, all stays as
//! it is for such functions, and lowering sees an address it cannot explain.

use crate::llvm::{Builder, Module, Opcode, Value};

/// Rewrites the module.
pub(crate) fn make_explicit(module: &Module) {
    let builder = Builder::new(module);
    let by_pointer = !module.functions().into_iter().any(|f| f.is_declaration() && takes_struct(f) && !only_called(f));
    let wanted = |f: &Value| !f.is_declaration() && takes_struct(*f) && (by_pointer || only_called(*f));
    for function in module.functions().into_iter().filter(wanted) {
        for (index, param) in function.params().into_iter().enumerate() {
            let index = index as u32;
            let Some(ty) = function.param_byval(index) else {
                continue;
            };
            let Some(first) = function.blocks()[0].instructions().first().copied() else {
                continue;
            };
            function.remove_param_byval(index);
            for call in function.users().into_iter().filter(|user| is_call_of(*user, function)) {
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
            // It is a part of the call.
            builder.nowhere();
            builder.copy_memory(slot, param, module.size(ty));
        }
    }
    if by_pointer {
        pass_addresses(module);
    }
}

/// Calls through pointers pass addresses too. What follows the named arguments is found by its place on the stack and
/// stays there.
fn pass_addresses(module: &Module) {
    let bodies = module.functions().into_iter().filter(|f| !f.is_declaration()).flat_map(|f| f.blocks());
    for call in bodies.flat_map(|b| b.instructions()).filter(|i| matches!(i.opcode(), Opcode::LLVMCall)) {
        if !call.called().is_function() && !call.called().is_inline_assembly() {
            (0..call.called_type().params().len() as u32).for_each(|index| call.remove_call_byval(index));
        }
    }
}

fn takes_struct(function: Value) -> bool {
    (0..function.params().len() as u32).any(|index| function.param_byval(index).is_some())
}

fn is_call_of(user: Value, function: Value) -> bool {
    user.is_instruction() && matches!(user.opcode(), Opcode::LLVMCall) && user.called() == function
}

/// Whether every use of a function is a call of it, with arguments that fit.
fn only_called(function: Value) -> bool {
    let ty = function.value_type();
    function
        .users()
        .into_iter()
        .all(|user| is_call_of(user, function) && user.called_type() == ty && !user.arguments().contains(&function))
}
