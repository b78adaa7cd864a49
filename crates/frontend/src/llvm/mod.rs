//! The one place that calls LLVM: thin handles over its C API.
//!
//! A handle is a pointer into a [`Module`] and is used only while that module lives; that is by convention inside this
//! crate and not checked, so nothing here is visible outside it. Methods expect a value of the right kind, as LLVM does.

mod builder;
mod target;
mod value;

pub(crate) use builder::Builder;
pub(crate) use target::{data_layout_triple, emit_object};
pub(crate) use value::Value;

pub(crate) use llvm_sys::{
    LLVMAtomicRMWBinOp as RmwOp, LLVMIntPredicate as IntPredicate, LLVMOpcode as Opcode,
    LLVMRealPredicate as RealPredicate, LLVMTypeKind as TypeKind, LLVMValueKind as ValueKind,
};

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::ir_reader::LLVMParseIRInContext;
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::*;
use llvm_sys::target::{
    LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMSizeOfTypeInBits, LLVMStoreSizeOfType,
    LLVMTargetDataRef,
};
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;

unsafe extern "C" {
    fn wf_expand_computed_gotos(module: LLVMModuleRef);
    fn wf_order_variables(module: LLVMModuleRef);
}

/// A name for LLVM, which wants it ended by a zero byte.
fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).expect("zero bytes were removed")
}

/// Takes over a message that LLVM allocated.
unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: LLVM gives a string that ends with a zero byte and is ours to free.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

unsafe fn text<'a>(start: *const c_char, length: usize) -> &'a str {
    if start.is_null() {
        return "";
    }
    // SAFETY: the caller passes a string of that length that LLVM keeps.
    str::from_utf8(unsafe { std::slice::from_raw_parts(start.cast(), length) }).unwrap_or("")
}

/// A module with the context it lives in.
pub(crate) struct Module {
    context: LLVMContextRef,
    raw: LLVMModuleRef,
    layout: LLVMTargetDataRef,
    diagnostics: Box<Diagnostics>,
}

/// What LLVM complained about.
#[derive(Default)]
struct Diagnostics {
    errors: Vec<String>,
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: both are ours and nothing uses them afterwards.
        unsafe {
            if !self.raw.is_null() {
                LLVMDisposeModule(self.raw);
            }
            LLVMContextDispose(self.context);
        }
    }
}

/// Collects what LLVM complains about; without a handler it would end the process.
extern "C" fn on_diagnostic(diagnostic: LLVMDiagnosticInfoRef, diagnostics: *mut c_void) {
    // SAFETY: `diagnostics` is the boxed list that the module owns for as long as its context lives.
    unsafe {
        if let llvm_sys::LLVMDiagnosticSeverity::LLVMDSError = LLVMGetDiagInfoSeverity(diagnostic) {
            let message = take_message(LLVMGetDiagInfoDescription(diagnostic));
            (*diagnostics.cast::<Diagnostics>()).errors.push(message);
        }
    }
}

impl Module {
    /// Reads bitcode or text files and links them into one module. On failure, the file and what LLVM says.
    pub fn read(paths: &[impl AsRef<Path>]) -> Result<Module, (usize, String)> {
        // SAFETY: each call gets what the call before made; memory buffers and source modules are consumed by LLVM.
        unsafe {
            let context = LLVMContextCreate();
            let mut diagnostics: Box<Diagnostics> = Box::default();
            LLVMContextSetDiagnosticHandler(context, Some(on_diagnostic), (&raw mut *diagnostics).cast());
            let mut module = Module { context, raw: std::ptr::null_mut(), layout: std::ptr::null_mut(), diagnostics };
            for (number, path) in paths.iter().enumerate() {
                let name = c_string(&path.as_ref().to_string_lossy());
                let (mut buffer, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
                if LLVMCreateMemoryBufferWithContentsOfFile(name.as_ptr(), &mut buffer, &mut message) != 0 {
                    return Err((number, take_message(message)));
                }
                let mut part = std::ptr::null_mut();
                if LLVMParseIRInContext(context, buffer, &mut part, &mut message) != 0 {
                    return Err((number, take_message(message)));
                }
                if module.raw.is_null() {
                    module.raw = part;
                } else if LLVMLinkModules2(module.raw, part) != 0 {
                    return Err((number, module.diagnostics.errors.join("\n")));
                }
            }
            module.layout = LLVMGetModuleDataLayout(module.raw);
            Ok(module)
        }
    }

    pub fn raw(&self) -> LLVMModuleRef {
        self.raw
    }

    pub fn context(&self) -> LLVMContextRef {
        self.context
    }

    /// What LLVM's verifier says, if it is not content.
    pub fn verify(&self) -> Result<(), String> {
        let mut message = std::ptr::null_mut();
        // SAFETY: the module is alive; the message is ours.
        unsafe {
            let bad = LLVMVerifyModule(self.raw, LLVMVerifierFailureAction::LLVMReturnStatusAction, &mut message);
            let message = take_message(message);
            if bad == 0 { Ok(()) } else { Err(message) }
        }
    }

    /// Puts variables in the order in which they are declared.
    pub fn order_variables(&self) {
        // SAFETY: the module is valid.
        unsafe { wf_order_variables(self.raw) };
    }

    /// Makes computed gotos switches.
    pub fn expand_computed_gotos(&self) {
        // SAFETY: the module is alive.
        unsafe { wf_expand_computed_gotos(self.raw) };
    }

    pub fn strip_debug_info(&self) {
        // SAFETY: the module is alive.
        unsafe { LLVMStripModuleDebugInfo(self.raw) };
    }

    pub fn functions(&self) -> Vec<Value> {
        // SAFETY: the module is alive; iteration ends with null.
        unsafe { chain(LLVMGetFirstFunction(self.raw), |f| LLVMGetNextFunction(f)).map(Value).collect() }
    }

    pub fn globals(&self) -> Vec<Value> {
        // SAFETY: as above.
        unsafe { chain(LLVMGetFirstGlobal(self.raw), |g| LLVMGetNextGlobal(g)).map(Value).collect() }
    }

    pub fn named_function(&self, name: &str) -> Option<Value> {
        // SAFETY: the module is alive.
        Value::some(unsafe { LLVMGetNamedFunction(self.raw, c_string(name).as_ptr()) })
    }

    /// Bytes an object of the type takes.
    pub fn size(&self, ty: Type) -> u64 {
        // SAFETY: the layout belongs to the module; the type is sized (asked first).
        unsafe { if LLVMTypeIsSized(ty.0) != 0 { LLVMABISizeOfType(self.layout, ty.0) } else { 0 } }
    }

    /// Bytes a load or store of the type touches.
    pub fn store_size(&self, ty: Type) -> u64 {
        // SAFETY: as above.
        unsafe { if LLVMTypeIsSized(ty.0) != 0 { LLVMStoreSizeOfType(self.layout, ty.0) } else { 0 } }
    }

    fn size_in_bits(&self, ty: Type) -> u64 {
        // SAFETY: as above.
        unsafe { LLVMSizeOfTypeInBits(self.layout, ty.0) }
    }

    /// Width in bits of a value's bit pattern, in memory order with padding for structs; 0 for what has none.
    pub fn width(&self, ty: Type) -> u64 {
        match ty.kind() {
            TypeKind::LLVMPointerTypeKind => 64,
            TypeKind::LLVMStructTypeKind | TypeKind::LLVMArrayTypeKind => self.size(ty) * 8,
            TypeKind::LLVMVoidTypeKind
            | TypeKind::LLVMLabelTypeKind
            | TypeKind::LLVMMetadataTypeKind
            | TypeKind::LLVMFunctionTypeKind
            | TypeKind::LLVMTokenTypeKind
            | TypeKind::LLVMScalableVectorTypeKind
            | TypeKind::LLVMTargetExtTypeKind => 0,
            _ => self.size_in_bits(ty),
        }
    }

    /// Offset in bits and type of an element of a struct, array or vector.
    pub fn element(&self, ty: Type, index: u32) -> (u64, Type) {
        // SAFETY: the kind of the type is asked first.
        unsafe {
            match ty.kind() {
                TypeKind::LLVMStructTypeKind => {
                    let element = Type(LLVMStructGetTypeAtIndex(ty.0, index));
                    (LLVMOffsetOfElement(self.layout, ty.0, index) * 8, element)
                }
                TypeKind::LLVMVectorTypeKind => {
                    let element = Type(LLVMGetElementType(ty.0));
                    (self.size_in_bits(element) * u64::from(index), element)
                }
                _ => {
                    let element = Type(LLVMGetElementType(ty.0));
                    (self.size(element) * 8 * u64::from(index), element)
                }
            }
        }
    }
}

/// LLVM's linked lists as iterators.
fn chain<T>(first: *mut T, next: impl Fn(*mut T) -> *mut T) -> impl Iterator<Item = *mut T> {
    std::iter::successors((!first.is_null()).then_some(first), move |at| {
        let next = next(*at);
        (!next.is_null()).then_some(next)
    })
}

/// An LLVM type.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Type(pub LLVMTypeRef);

impl Type {
    pub fn kind(self) -> TypeKind {
        // SAFETY: the type lives as long as its context.
        unsafe { LLVMGetTypeKind(self.0) }
    }

    pub fn is_void(self) -> bool {
        matches!(self.kind(), TypeKind::LLVMVoidTypeKind)
    }

    pub fn is_integer(self) -> bool {
        matches!(self.kind(), TypeKind::LLVMIntegerTypeKind)
    }

    pub fn is_pointer(self) -> bool {
        matches!(self.kind(), TypeKind::LLVMPointerTypeKind)
    }

    /// `float` or `double`, the kinds that are modelled.
    pub fn is_plain_float(self) -> bool {
        matches!(self.kind(), TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind)
    }

    pub fn is_vector(self) -> bool {
        matches!(self.kind(), TypeKind::LLVMVectorTypeKind | TypeKind::LLVMScalableVectorTypeKind)
    }

    /// Number of elements of a struct, array or vector.
    pub fn element_count(self) -> u32 {
        // SAFETY: the kind is asked first.
        unsafe {
            match self.kind() {
                TypeKind::LLVMStructTypeKind => LLVMCountStructElementTypes(self.0),
                TypeKind::LLVMArrayTypeKind => LLVMGetArrayLength2(self.0) as u32,
                TypeKind::LLVMVectorTypeKind => LLVMGetVectorSize(self.0),
                _ => 0,
            }
        }
    }

    /// Of a function type.
    pub fn result(self) -> Type {
        // SAFETY: callers pass function types.
        Type(unsafe { LLVMGetReturnType(self.0) })
    }

    /// Of a function type.
    pub fn params(self) -> Vec<Type> {
        // SAFETY: callers pass function types; LLVM fills exactly that many.
        unsafe {
            let mut all = vec![std::ptr::null_mut(); LLVMCountParamTypes(self.0) as usize];
            LLVMGetParamTypes(self.0, all.as_mut_ptr());
            all.into_iter().map(Type).collect()
        }
    }

    /// Of a function type.
    pub fn is_variadic(self) -> bool {
        // SAFETY: callers pass function types.
        unsafe { LLVMIsFunctionVarArg(self.0) != 0 }
    }
}

/// A basic block.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Block(pub LLVMBasicBlockRef);

impl Block {
    /// Its name: that of a C label, or one that clang has invented.
    pub fn name(self) -> String {
        // SAFETY: the block lives as long as its module; the name ends with a zero byte.
        unsafe { CStr::from_ptr(LLVMGetBasicBlockName(self.0)).to_string_lossy().into_owned() }
    }

    pub fn instructions(self) -> Vec<Value> {
        // SAFETY: the block lives as long as its module.
        unsafe { chain(LLVMGetFirstInstruction(self.0), |i| LLVMGetNextInstruction(i)).map(Value).collect() }
    }

    /// The first instruction of the function it belongs to.
    pub fn function_start(self) -> Value {
        // SAFETY: a block of a function; functions with blocks have an entry, and no block is empty.
        Value(unsafe { LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(self.0))) })
    }

    pub fn terminator(self) -> Value {
        // SAFETY: verified modules have a terminator in each block.
        Value(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }
}
