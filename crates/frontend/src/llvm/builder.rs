//! Making new instructions, constants and functions.

use super::{Block, Module, Type, Value, c_string};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMIntPredicate, LLVMLinkage, LLVMOpcode, LLVMThreadLocalMode};

unsafe extern "C" {
    fn wf_split_before(instruction: LLVMValueRef) -> LLVMBasicBlockRef;
}

/// An instruction builder for a module.
pub(crate) struct Builder<'m> {
    module: &'m Module,
    raw: LLVMBuilderRef,
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        // SAFETY: made in `new`, used nowhere else.
        unsafe { LLVMDisposeBuilder(self.raw) }
    }
}

const NO_NAME: *const std::ffi::c_char = c"".as_ptr();

/// All methods pass values of this builder's module, of the types the instruction wants; LLVM's verifier checks the
/// result as a whole.
impl<'m> Builder<'m> {
    pub fn new(module: &'m Module) -> Builder<'m> {
        // SAFETY: the module's context is alive.
        Builder { module, raw: unsafe { LLVMCreateBuilderInContext(module.context()) } }
    }

    pub fn before(&self, instruction: Value) {
        // SAFETY: an instruction of this module.
        unsafe { LLVMPositionBuilderBefore(self.raw, instruction.0) }
    }

    /// What is made from now on belongs to no place in the source.
    pub fn nowhere(&self) {
        // SAFETY: a builder may have no location.
        unsafe { LLVMSetCurrentDebugLocation2(self.raw, std::ptr::null_mut()) }
    }

    pub fn at_end(&self, block: Block) {
        // SAFETY: a block of this module.
        unsafe { LLVMPositionBuilderAtEnd(self.raw, block.0) }
    }

    pub fn int_type(&self, bits: u32) -> Type {
        // SAFETY: the context is alive.
        Type(unsafe { LLVMIntTypeInContext(self.module.context(), bits) })
    }

    pub fn pointer_type(&self) -> Type {
        // SAFETY: the context is alive.
        Type(unsafe { LLVMPointerTypeInContext(self.module.context(), 0) })
    }

    pub fn void_type(&self) -> Type {
        // SAFETY: the context is alive.
        Type(unsafe { LLVMVoidTypeInContext(self.module.context()) })
    }

    pub fn function_type(&self, result: Type, params: &[Type]) -> Type {
        let mut params: Vec<LLVMTypeRef> = params.iter().map(|p| p.0).collect();
        // SAFETY: LLVM copies the list.
        Type(unsafe { LLVMFunctionType(result.0, params.as_mut_ptr(), params.len() as u32, 0) })
    }

    pub fn int(&self, bits: u32, value: u64) -> Value {
        // SAFETY: the type is an integer's.
        Value(unsafe { LLVMConstInt(self.int_type(bits).0, value, 0) })
    }

    pub fn null(&self, ty: Type) -> Value {
        // SAFETY: the type is sized.
        Value(unsafe { LLVMConstNull(ty.0) })
    }

    /// A fixed address.
    pub fn address(&self, address: u64) -> Value {
        // SAFETY: a constant expression.
        Value(unsafe { LLVMConstIntToPtr(self.int(64, address).0, self.pointer_type().0) })
    }

    pub fn struct_constant(&self, fields: &[Value]) -> Value {
        let mut fields: Vec<LLVMValueRef> = fields.iter().map(|f| f.0).collect();
        // SAFETY: LLVM copies the list.
        let made =
            unsafe { LLVMConstStructInContext(self.module.context(), fields.as_mut_ptr(), fields.len() as u32, 0) };
        Value(made)
    }

    pub fn struct_type(&self, fields: &[Type]) -> Type {
        let mut fields: Vec<LLVMTypeRef> = fields.iter().map(|f| f.0).collect();
        // SAFETY: LLVM copies the list.
        let made =
            unsafe { LLVMStructTypeInContext(self.module.context(), fields.as_mut_ptr(), fields.len() as u32, 0) };
        Type(made)
    }

    pub fn array_constant(&self, element: Type, elements: &[Value]) -> Value {
        let mut elements: Vec<LLVMValueRef> = elements.iter().map(|f| f.0).collect();
        // SAFETY: LLVM copies the list.
        Value(unsafe { LLVMConstArray2(element.0, elements.as_mut_ptr(), elements.len() as u64) })
    }

    /// A constant integer or pointer of up to 64 bits as a word.
    pub fn constant_word(&self, value: Value) -> Value {
        if value.ty().is_pointer() {
            // SAFETY: a constant pointer.
            return Value(unsafe { LLVMConstPtrToInt(value.0, self.int_type(64).0) });
        }
        self.resize(value, self.int_type(64))
    }

    /// A constant that the runtime finds by name.
    pub fn table(&self, name: &str, content: Value) {
        // SAFETY: the content is a constant of this context.
        unsafe {
            let global = LLVMAddGlobal(self.module.raw(), content.ty().0, c_string(name).as_ptr());
            LLVMSetInitializer(global, content.0);
            LLVMSetGlobalConstant(global, 1);
            LLVMSetLinkage(global, LLVMLinkage::LLVMExternalLinkage);
        }
    }

    /// A variable of the executable of which each thread has its own, defined elsewhere.
    pub fn thread_local(&self, name: &str, ty: Type) -> Value {
        // SAFETY: the module is alive.
        unsafe {
            let global = LLVMAddGlobal(self.module.raw(), ty.0, c_string(name).as_ptr());
            LLVMSetThreadLocalMode(global, LLVMThreadLocalMode::LLVMLocalExecTLSModel);
            Value(global)
        }
    }

    /// The function of that name, declared if need be.
    pub fn function(&self, name: &str, ty: Type) -> Value {
        match self.module.named_function(name) {
            Some(function) => function,
            // SAFETY: the module is alive.
            None => Value(unsafe { LLVMAddFunction(self.module.raw(), c_string(name).as_ptr(), ty.0) }),
        }
    }

    pub fn append_block(&self, function: Value) -> Block {
        // SAFETY: a function of this module.
        Block(unsafe { LLVMAppendBasicBlockInContext(self.module.context(), function.0, NO_NAME) })
    }

    /// Splits a block before an instruction and puts `if (condition) { call function(); }` between the halves.
    /// The builder must stand before `instruction`, where the condition was computed.
    pub fn call_if(&self, condition: Value, function: Value, instruction: Value) {
        self.branch_if(condition, instruction, || {
            self.call(function, &[]);
        });
    }

    /// The same for anything that `body` builds without a jump. Gives the blocks before and inside the `if`.
    pub fn branch_if(&self, condition: Value, instruction: Value, body: impl FnOnce()) -> [Block; 2] {
        // SAFETY: the split leaves a branch to the second half, which is replaced.
        unsafe {
            let first = instruction.block();
            let parent = LLVMGetBasicBlockParent(first.0);
            let second = Block(wf_split_before(instruction.0));
            LLVMInstructionEraseFromParent(first.terminator().0);
            let slow = self.append_block(Value(parent));
            self.at_end(slow);
            body();
            LLVMBuildBr(self.raw, second.0);
            self.at_end(first);
            LLVMBuildCondBr(self.raw, condition.0, slow.0, second.0);
            self.before(instruction);
            [first, slow]
        }
    }

    /// One value for each block that control comes from.
    pub fn phi(&self, ways: [(Value, Block); 2]) -> Value {
        let mut values = ways.map(|w| w.0.0);
        let mut blocks = ways.map(|w| w.1.0);
        // SAFETY: LLVM copies the lists.
        unsafe {
            let phi = LLVMBuildPhi(self.raw, ways[0].0.ty().0, NO_NAME);
            LLVMAddIncoming(phi, values.as_mut_ptr(), blocks.as_mut_ptr(), 2);
            Value(phi)
        }
    }

    pub fn load(&self, ty: Type, address: Value) -> Value {
        // SAFETY: see the block's comment; so below.
        Value(unsafe { LLVMBuildLoad2(self.raw, ty.0, address.0, NO_NAME) })
    }

    /// A load that relies on no alignment.
    pub fn load_unaligned(&self, ty: Type, address: Value) -> Value {
        let load = self.load(ty, address);
        // SAFETY: a load.
        unsafe { LLVMSetAlignment(load.0, 1) };
        load
    }

    /// Adds one to the 32 bits at an address.
    pub fn count(&self, address: Value) {
        let number = self.load(self.int_type(32), address);
        // SAFETY: see above.
        unsafe {
            let next = LLVMBuildAdd(self.raw, number.0, self.int(32, 1).0, NO_NAME);
            LLVMBuildStore(self.raw, next, address.0);
        }
    }

    /// A store that relies on an alignment of 8 bytes and no more.
    pub fn store(&self, value: Value, address: Value) {
        // SAFETY: see above.
        unsafe {
            let store = LLVMBuildStore(self.raw, value.0, address.0);
            LLVMSetAlignment(store, 8);
        }
    }

    pub fn offset(&self, base: Value, bytes: u64) -> Value {
        if bytes == 0 {
            return base;
        }
        let mut index = self.int(64, bytes).0;
        // SAFETY: see above.
        Value(unsafe { LLVMBuildGEP2(self.raw, self.int_type(8).0, base.0, &mut index, 1, NO_NAME) })
    }

    pub fn above(&self, a: Value, b: Value) -> Value {
        // SAFETY: see above.
        Value(unsafe { LLVMBuildICmp(self.raw, LLVMIntPredicate::LLVMIntUGT, a.0, b.0, NO_NAME) })
    }

    pub fn is_not_zero(&self, value: Value) -> Value {
        let zero = self.null(value.ty());
        // SAFETY: see above.
        Value(unsafe { LLVMBuildICmp(self.raw, LLVMIntPredicate::LLVMIntNE, value.0, zero.0, NO_NAME) })
    }

    pub fn or(&self, a: Value, b: Value) -> Value {
        // SAFETY: see above.
        Value(unsafe { LLVMBuildOr(self.raw, a.0, b.0, NO_NAME) })
    }

    pub fn multiply(&self, a: Value, b: Value) -> Value {
        // SAFETY: see above.
        Value(unsafe { LLVMBuildMul(self.raw, a.0, b.0, NO_NAME) })
    }

    pub fn shift_right(&self, a: Value, by: u64) -> Value {
        let by = Value(unsafe { LLVMConstInt(a.ty().0, by, 0) });
        // SAFETY: see above.
        Value(unsafe { LLVMBuildLShr(self.raw, a.0, by.0, NO_NAME) })
    }

    /// An integer widened with zeros or narrowed.
    pub fn resize(&self, value: Value, ty: Type) -> Value {
        // SAFETY: see above.
        Value(unsafe { LLVMBuildIntCast2(self.raw, value.0, ty.0, 0, NO_NAME) })
    }

    fn bit_cast(&self, value: Value, ty: Type) -> Value {
        let op = match (value.ty().is_pointer(), ty.is_pointer()) {
            (true, false) => LLVMOpcode::LLVMPtrToInt,
            (false, true) => LLVMOpcode::LLVMIntToPtr,
            _ => LLVMOpcode::LLVMBitCast,
        };
        // SAFETY: see above.
        Value(unsafe { LLVMBuildCast(self.raw, op, value.0, ty.0, NO_NAME) })
    }

    /// The bits of an integer, pointer or plain float of up to 64 bits as a word, the high ones zero.
    pub fn to_word(&self, value: Value) -> Value {
        let bits = self.module.width(value.ty()) as u32;
        let same = if value.ty().is_integer() { value } else { self.bit_cast(value, self.int_type(bits)) };
        if bits == 64 { same } else { self.resize(same, self.int_type(64)) }
    }

    /// The value of such a type with the low bits of a word.
    pub fn of_word(&self, word: Value, ty: Type) -> Value {
        let bits = self.module.width(ty) as u32;
        let narrow = if bits == 64 { word } else { self.resize(word, self.int_type(bits)) };
        if ty.is_integer() { narrow } else { self.bit_cast(narrow, ty) }
    }

    pub fn extract(&self, value: Value, index: u32) -> Value {
        // SAFETY: see above.
        Value(unsafe { LLVMBuildExtractValue(self.raw, value.0, index, NO_NAME) })
    }

    pub fn alloca(&self, ty: Type) -> Value {
        // SAFETY: see above.
        Value(unsafe { LLVMBuildAlloca(self.raw, ty.0, NO_NAME) })
    }

    pub fn copy_memory(&self, to: Value, from: Value, length: u64) {
        // SAFETY: see above.
        unsafe { LLVMBuildMemCpy(self.raw, to.0, 1, from.0, 1, self.int(64, length).0) };
    }

    pub fn call(&self, function: Value, arguments: &[Value]) -> Value {
        let mut arguments: Vec<LLVMValueRef> = arguments.iter().map(|a| a.0).collect();
        let (ty, count) = (function.value_type(), arguments.len() as u32);
        // SAFETY: see above; a call without a result has no name.
        Value(unsafe { LLVMBuildCall2(self.raw, ty.0, function.0, arguments.as_mut_ptr(), count, NO_NAME) })
    }

    pub fn ret(&self, value: Value) {
        // SAFETY: see above.
        unsafe { LLVMBuildRet(self.raw, value.0) };
    }
}
