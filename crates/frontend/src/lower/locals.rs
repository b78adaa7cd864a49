//! Local variables: stack slots with the names and types of the variables they hold.
//!
//! A slot whose address is used for nothing but loads and stores, at constant offsets inside it, is a variable; the
//! others escape and live in memory.

use super::Whole;
use crate::debug_info::{self, Declaration, address_parts};
use crate::llvm::{Opcode, Value};
use std::collections::HashMap;
use wherefore_program::Local;

/// The locals of a function with their slots, in the order of the code.
pub(super) fn locals(whole: &mut Whole, function: Value) -> Vec<(Value, Local)> {
    let declared: HashMap<Value, Declaration> =
        debug_info::declarations(function).into_iter().map(|d| (d.address, d)).collect();
    let mut found = vec![];
    for (number, block) in function.blocks().into_iter().enumerate() {
        for instruction in block.instructions() {
            if !matches!(instruction.opcode(), Opcode::LLVMAlloca) {
                continue;
            }
            // Outside the entry a slot may come to life many times per frame, so its size does not make it a variable.
            let size = if number == 0 { constant_size(whole, instruction) } else { None };
            let escapes = size.is_none_or(|size| escapes(whole, instruction, size));
            let mut local = Local { name: None, ctype: None, size, escapes, param: None, scope: vec![], origin: None };
            if let Some(declaration) = declared.get(&instruction) {
                describe(whole, declaration, &mut local);
            }
            found.push((instruction, local));
        }
    }
    found
}

fn describe(whole: &mut Whole, declaration: &Declaration, local: &mut Local) {
    let variable = declaration.variable.describe();
    // The compiler's own, such as the length of a variable length array.
    if variable.artificial || variable.name.is_empty() {
        return;
    }
    local.origin = match declaration.location {
        Some(location) => whole.sources.origin(location),
        None => whole.sources.place(variable.file, variable.line, 0),
    };
    local.ctype = Some(whole.types.get(variable.base));
    local.param = variable.argument.checked_sub(1);
    local.scope = whole.scope(variable.scope);
    local.name = Some(variable.name);
}

/// Size in bytes of what an alloca makes, if it is constant.
fn constant_size(whole: &Whole, alloca: Value) -> Option<u64> {
    let count = alloca.operand(0);
    if !count.is_constant_int() {
        return None;
    }
    let count = u64::try_from(debug_info::constant_bits(count)?).ok()?;
    whole.module.size(alloca.allocated_type()).checked_mul(count)
}

fn escapes(whole: &Whole, slot: Value, size: u64) -> bool {
    let mut work = vec![(slot, 0i64)];
    while let Some((address, offset)) = work.pop() {
        let inside = |ty| {
            let end = u64::try_from(offset).ok().and_then(|o| o.checked_add(whole.module.store_size(ty)));
            whole.width(ty).is_some() && end.is_some_and(|end| end <= size)
        };
        for user in address.users() {
            if !user.is_instruction() {
                return true;
            }
            match user.opcode() {
                Opcode::LLVMLoad if inside(user.ty()) => {}
                Opcode::LLVMStore if user.operand(0) != address && inside(user.operand(0).ty()) => {}
                Opcode::LLVMGetElementPtr => match address_parts(whole.module, user) {
                    Some(parts) if parts.indices.is_empty() => match offset.checked_add(parts.constant) {
                        Some(offset) => work.push((user, offset)),
                        None => return true,
                    },
                    _ => return true,
                },
                Opcode::LLVMCall if user.called().name().starts_with("llvm.lifetime.") => {}
                _ => return true,
            }
        }
    }
    false
}
