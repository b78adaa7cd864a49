//! Values: constants, globals, functions, arguments and instructions.

use super::{Block, IntPredicate, Opcode, RealPredicate, RmwOp, Type, ValueKind, c_string, chain, text};
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMGetSubprogram, LLVMInstructionGetDebugLoc};
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMTailCallKind};

/// A value: constant, global, function, argument or instruction.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Value(pub LLVMValueRef);

impl Value {
    pub(super) fn some(raw: LLVMValueRef) -> Option<Value> {
        (!raw.is_null()).then_some(Value(raw))
    }

    pub fn ty(self) -> Type {
        // SAFETY: the value lives as long as its module; so below.
        Type(unsafe { LLVMTypeOf(self.0) })
    }

    pub fn kind(self) -> ValueKind {
        // SAFETY: as above.
        unsafe { LLVMGetValueKind(self.0) }
    }

    pub fn name(self) -> String {
        // SAFETY: as above.
        unsafe {
            let mut length = 0;
            let start = LLVMGetValueName2(self.0, &mut length);
            text(start, length).to_string()
        }
    }

    pub fn set_name(self, name: &str) {
        // SAFETY: as above.
        unsafe { LLVMSetValueName2(self.0, c_string(name).as_ptr(), name.len()) }
    }

    pub fn is_instruction(self) -> bool {
        matches!(self.kind(), ValueKind::LLVMInstructionValueKind)
    }

    pub fn is_constant_int(self) -> bool {
        matches!(self.kind(), ValueKind::LLVMConstantIntValueKind)
    }

    pub fn is_constant_expression(self) -> bool {
        matches!(self.kind(), ValueKind::LLVMConstantExprValueKind)
    }

    /// Whether it is a global variable.
    pub fn is_variable(self) -> bool {
        matches!(self.kind(), ValueKind::LLVMGlobalVariableValueKind)
    }

    pub fn is_constant(self) -> bool {
        // SAFETY: as above.
        unsafe { LLVMIsConstant(self.0) != 0 }
    }

    /// Of an instruction or constant expression.
    pub fn operand(self, index: u32) -> Value {
        // SAFETY: callers know how many there are.
        Value(unsafe { LLVMGetOperand(self.0, index) })
    }

    pub fn set_operand(self, index: u32, value: Value) {
        // SAFETY: callers pass a value of the operand's type.
        unsafe { LLVMSetOperand(self.0, index, value.0) }
    }

    pub fn operand_count(self) -> u32 {
        // SAFETY: as above.
        unsafe { LLVMGetNumOperands(self.0) as u32 }
    }

    pub fn operands(self) -> Vec<Value> {
        (0..self.operand_count()).map(|i| self.operand(i)).collect()
    }

    /// Element of a constant struct, array or vector, also of data and of all-zero ones.
    pub fn constant_element(self, index: u32) -> Option<Value> {
        // SAFETY: as above; LLVM gives null where there is none.
        Value::some(unsafe { LLVMGetAggregateElement(self.0, index) })
    }

    pub fn is_undefined(self) -> bool {
        // SAFETY: as above.
        unsafe { LLVMIsUndef(self.0) != 0 || LLVMIsPoison(self.0) != 0 }
    }

    pub fn users(self) -> Vec<Value> {
        // SAFETY: as above.
        unsafe { chain(LLVMGetFirstUse(self.0), |u| LLVMGetNextUse(u)).map(|u| Value(LLVMGetUser(u))).collect() }
    }

    pub fn replace_uses(self, by: Value) {
        // SAFETY: callers pass values of one type.
        unsafe { LLVMReplaceAllUsesWith(self.0, by.0) }
    }

    // Instructions.

    pub fn opcode(self) -> Opcode {
        // SAFETY: callers pass instructions.
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    pub fn constant_opcode(self) -> Opcode {
        // SAFETY: callers pass constant expressions.
        unsafe { LLVMGetConstOpcode(self.0) }
    }

    pub fn block(self) -> Block {
        // SAFETY: callers pass instructions.
        Block(unsafe { LLVMGetInstructionParent(self.0) })
    }

    pub fn next(self) -> Option<Value> {
        // SAFETY: callers pass instructions.
        Value::some(unsafe { LLVMGetNextInstruction(self.0) })
    }

    /// Line, column and scope of an instruction's debug location.
    pub fn location(self) -> Option<LLVMMetadataRef> {
        // SAFETY: callers pass instructions.
        let location = unsafe { LLVMInstructionGetDebugLoc(self.0) };
        (!location.is_null()).then_some(location)
    }

    pub fn no_signed_wrap(self) -> bool {
        // SAFETY: callers pass add, sub, mul or shl.
        unsafe { LLVMGetNSW(self.0) != 0 }
    }

    pub fn no_unsigned_wrap(self) -> bool {
        // SAFETY: callers pass add, sub, mul or shl.
        unsafe { LLVMGetNUW(self.0) != 0 }
    }

    pub fn int_predicate(self) -> IntPredicate {
        // SAFETY: callers pass icmp.
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    pub fn real_predicate(self) -> RealPredicate {
        // SAFETY: callers pass fcmp.
        unsafe { LLVMGetFCmpPredicate(self.0) }
    }

    pub fn is_volatile(self) -> bool {
        // SAFETY: callers pass memory accesses.
        unsafe { LLVMGetVolatile(self.0) != 0 }
    }

    pub fn is_atomic(self) -> bool {
        // SAFETY: callers pass loads and stores.
        !matches!(unsafe { LLVMGetOrdering(self.0) }, llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic)
    }

    pub fn rmw_op(self) -> RmwOp {
        // SAFETY: callers pass atomicrmw.
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }

    /// Indices of extractvalue and insertvalue.
    pub fn indices(self) -> Vec<u32> {
        // SAFETY: callers pass those.
        unsafe {
            let count = LLVMGetNumIndices(self.0) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.0), count).to_vec()
        }
    }

    /// What the indices of an address computation count in.
    pub fn element_source(self) -> Type {
        // SAFETY: callers pass getelementptr.
        Type(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    pub fn allocated_type(self) -> Type {
        // SAFETY: callers pass alloca.
        Type(unsafe { LLVMGetAllocatedType(self.0) })
    }

    pub fn incoming(self) -> Vec<(Block, Value)> {
        // SAFETY: callers pass phi.
        unsafe {
            (0..LLVMCountIncoming(self.0))
                .map(|i| (Block(LLVMGetIncomingBlock(self.0, i)), Value(LLVMGetIncomingValue(self.0, i))))
                .collect()
        }
    }

    pub fn successors(self) -> Vec<Block> {
        // SAFETY: callers pass terminators.
        unsafe { (0..LLVMGetNumSuccessors(self.0)).map(|i| Block(LLVMGetSuccessor(self.0, i))).collect() }
    }

    pub fn is_conditional(self) -> bool {
        // SAFETY: callers pass br.
        unsafe { LLVMIsConditional(self.0) != 0 }
    }

    // Calls.

    /// The result need not be returned at once, so that something may be recorded between.
    pub fn clear_tail_call(self) {
        // SAFETY: callers pass calls.
        unsafe { LLVMSetTailCallKind(self.0, LLVMTailCallKind::LLVMTailCallKindNone) }
    }

    pub fn called(self) -> Value {
        // SAFETY: callers pass calls.
        Value(unsafe { LLVMGetCalledValue(self.0) })
    }

    pub fn called_type(self) -> Type {
        // SAFETY: callers pass calls.
        Type(unsafe { LLVMGetCalledFunctionType(self.0) })
    }

    pub fn arguments(self) -> Vec<Value> {
        // SAFETY: callers pass calls.
        let count = unsafe { LLVMGetNumArgOperands(self.0) };
        (0..count).map(|i| self.operand(i)).collect()
    }

    /// Whether a call is said not to come back.
    pub fn never_returns(self) -> bool {
        let (function, kind) = (self.called(), attribute("noreturn"));
        // SAFETY: callers pass calls; the attributes of a function are asked of functions only.
        unsafe {
            !LLVMGetCallSiteEnumAttribute(self.0, LLVMAttributeFunctionIndex, kind).is_null()
                || function.is_function()
                    && !LLVMGetEnumAttributeAtIndex(function.0, LLVMAttributeFunctionIndex, kind).is_null()
        }
    }

    pub fn is_inline_assembly(self) -> bool {
        matches!(self.kind(), ValueKind::LLVMInlineAsmValueKind)
    }

    pub fn remove_call_byval(self, index: u32) {
        // SAFETY: callers pass calls.
        unsafe { LLVMRemoveCallSiteEnumAttribute(self.0, index + 1, attribute("byval")) }
    }

    // Functions and globals.

    pub fn is_function(self) -> bool {
        matches!(self.kind(), ValueKind::LLVMFunctionValueKind)
    }

    pub fn is_alias(self) -> bool {
        matches!(self.kind(), ValueKind::LLVMGlobalAliasValueKind)
    }

    /// What an alias stands for.
    pub fn aliasee(self) -> Value {
        // SAFETY: callers pass aliases.
        Value(unsafe { LLVMAliasGetAliasee(self.0) })
    }

    pub fn is_declaration(self) -> bool {
        // SAFETY: callers pass functions and globals.
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    /// The type of a global's content, or of a function.
    pub fn value_type(self) -> Type {
        // SAFETY: callers pass functions and globals.
        Type(unsafe { LLVMGlobalGetValueType(self.0) })
    }

    pub fn is_constant_global(self) -> bool {
        // SAFETY: callers pass global variables.
        unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }

    /// Whether it is a variable that nobody writes.
    pub fn is_constant_variable(self) -> bool {
        // SAFETY: as above.
        unsafe {
            let variable = LLVMIsAGlobalVariable(self.0);
            !variable.is_null() && LLVMIsGlobalConstant(variable) != 0
        }
    }

    /// The text that a constant variable holds, up to its first zero byte.
    pub fn constant_text(self) -> Option<Vec<u8>> {
        // SAFETY: as above; an initialiser is asked of a variable only, and whether data is a string, of data only.
        unsafe {
            if !self.is_constant_variable() {
                return None;
            }
            let content = Value::some(LLVMGetInitializer(self.0))?;
            // An empty text is no string for LLVM, but zeros like any others.
            if !LLVMIsAConstantAggregateZero(content.0).is_null() {
                return Some(vec![]);
            }
            if LLVMIsAConstantDataArray(content.0).is_null() || LLVMIsConstantString(content.0) == 0 {
                return None;
            }
            let mut length = 0;
            let bytes = LLVMGetAsString(content.0, &raw mut length);
            let bytes = std::slice::from_raw_parts(bytes.cast::<u8>(), length);
            Some(bytes.iter().copied().take_while(|byte| *byte != 0).collect())
        }
    }

    pub fn is_thread_local(self) -> bool {
        // SAFETY: callers pass global variables.
        unsafe { LLVMIsThreadLocal(self.0) != 0 }
    }

    /// Whether it is a variable of which each thread has its own, so that it has no one address.
    pub fn is_thread_local_variable(self) -> bool {
        matches!(self.kind(), ValueKind::LLVMGlobalVariableValueKind) && self.is_thread_local()
    }

    pub fn is_intrinsic(self) -> bool {
        // SAFETY: asked for functions only.
        self.is_function() && unsafe { LLVMGetIntrinsicID(self.0) != 0 }
    }

    pub fn params(self) -> Vec<Value> {
        // SAFETY: callers pass functions; LLVM fills exactly that many.
        unsafe {
            let mut all = vec![std::ptr::null_mut(); LLVMCountParams(self.0) as usize];
            LLVMGetParams(self.0, all.as_mut_ptr());
            all.into_iter().map(Value).collect()
        }
    }

    pub fn blocks(self) -> Vec<Block> {
        // SAFETY: callers pass functions.
        unsafe { chain(LLVMGetFirstBasicBlock(self.0), |b| LLVMGetNextBasicBlock(b)).map(Block).collect() }
    }

    pub fn subprogram(self) -> Option<LLVMMetadataRef> {
        // SAFETY: callers pass functions.
        let subprogram = unsafe { LLVMGetSubprogram(self.0) };
        (!subprogram.is_null()).then_some(subprogram)
    }

    /// Whether its body is assembly only, without a frame.
    pub fn is_naked(self) -> bool {
        // SAFETY: callers pass functions.
        unsafe { !LLVMGetEnumAttributeAtIndex(self.0, LLVMAttributeFunctionIndex, attribute("naked")).is_null() }
    }

    /// Whether a small result is extended without its sign.
    pub fn result_is_unsigned(self) -> bool {
        // SAFETY: callers pass functions; index 0 is the result.
        unsafe { !LLVMGetEnumAttributeAtIndex(self.0, 0, attribute("zeroext")).is_null() }
    }

    /// The type behind `byval` on parameter `index` (from 0) of a function.
    pub fn param_byval(self, index: u32) -> Option<Type> {
        // SAFETY: callers pass functions.
        unsafe {
            let found = LLVMGetEnumAttributeAtIndex(self.0, index + 1, attribute("byval"));
            (!found.is_null()).then(|| Type(LLVMGetTypeAttributeValue(found)))
        }
    }

    pub fn remove_param_byval(self, index: u32) {
        // SAFETY: callers pass functions.
        unsafe { LLVMRemoveEnumAttributeAtIndex(self.0, index + 1, attribute("byval")) }
    }
}

/// The number of an attribute.
fn attribute(name: &str) -> u32 {
    // SAFETY: the name is a string of that length.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}
