//! Debug information through the C++ shim (`debug_info.cpp`): nodes as plain descriptions, and the few facts about
//! constants and addresses that LLVM's C API does not tell.

use crate::llvm::{Module, Value};
use llvm_sys::prelude::{LLVMMetadataRef, LLVMModuleRef, LLVMValueRef};
use std::ffi::{c_char, c_void};

/// A debug information node.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Node(LLVMMetadataRef);

/// What kind of node it is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Other,
    Basic,
    Derived,
    Composite,
    Subroutine,
    Variable,
    Subprogram,
    Enumerator,
    Subrange,
}

/// Everything the shim knows of a node; fields that do not apply are empty.
pub(crate) struct Description {
    pub kind: Kind,
    /// DWARF tag of a type.
    pub tag: u32,
    /// DWARF encoding of a basic type.
    pub encoding: u32,
    pub line: u32,
    /// Of a parameter, from 1; 0 for other variables.
    pub argument: u32,
    pub bit_field: bool,
    pub artificial: bool,
    pub is_unsigned: bool,
    /// In bits.
    pub size: u64,
    /// In bits.
    pub offset: u64,
    /// Of an enumerator; the count of a dimension.
    pub value: Option<i64>,
    pub name: String,
    pub base: Option<Node>,
    pub scope: Option<Node>,
    pub file: Option<Node>,
    elements: u32,
}

#[repr(C)]
struct Raw {
    kind: u32,
    tag: u32,
    encoding: u32,
    line: u32,
    argument: u32,
    elements: u32,
    bit_field: u8,
    artificial: u8,
    is_unsigned: u8,
    has_value: u8,
    size: u64,
    offset: u64,
    value: i64,
    name: *const c_char,
    name_length: usize,
    base: LLVMMetadataRef,
    scope: LLVMMetadataRef,
    file: LLVMMetadataRef,
}

type DeclareVisitor = extern "C" fn(*mut c_void, LLVMValueRef, LLVMMetadataRef, LLVMMetadataRef);
type IndexVisitor = extern "C" fn(*mut c_void, LLVMValueRef, i64);

unsafe extern "C" {
    fn wf_describe(node: LLVMMetadataRef, out: *mut Raw);
    fn wf_element(node: LLVMMetadataRef, n: u32) -> LLVMMetadataRef;
    fn wf_global_variable(value: LLVMValueRef) -> LLVMMetadataRef;
    fn wf_declarations(function: LLVMValueRef, visit: DeclareVisitor, data: *mut c_void);
    fn wf_constant_bits(value: LLVMValueRef, out: *mut u64) -> bool;
    fn wf_address_parts(
        module: LLVMModuleRef,
        value: LLVMValueRef,
        constant: *mut i64,
        visit: IndexVisitor,
        data: *mut c_void,
    ) -> bool;
}

impl Node {
    pub fn new(raw: LLVMMetadataRef) -> Option<Node> {
        (!raw.is_null()).then_some(Node(raw))
    }

    pub fn describe(self) -> Description {
        // SAFETY: `Raw` is laid out as the shim's struct and wholly written by it; names live as long as the module.
        let raw = unsafe {
            let mut raw = std::mem::zeroed();
            wf_describe(self.0, &mut raw);
            raw
        };
        let kind = match raw.kind {
            1 => Kind::Basic,
            2 => Kind::Derived,
            3 => Kind::Composite,
            4 => Kind::Subroutine,
            5 => Kind::Variable,
            6 => Kind::Subprogram,
            7 => Kind::Enumerator,
            8 => Kind::Subrange,
            _ => Kind::Other,
        };
        let name = if raw.name.is_null() {
            String::new()
        } else {
            // SAFETY: the shim gives the start and length of a string of the module.
            let bytes = unsafe { std::slice::from_raw_parts(raw.name.cast::<u8>(), raw.name_length) };
            String::from_utf8_lossy(bytes).into_owned()
        };
        Description {
            kind,
            tag: raw.tag,
            encoding: raw.encoding,
            line: raw.line,
            argument: raw.argument,
            bit_field: raw.bit_field != 0,
            artificial: raw.artificial != 0,
            is_unsigned: raw.is_unsigned != 0,
            size: raw.size,
            offset: raw.offset,
            value: (raw.has_value != 0).then_some(raw.value),
            name,
            base: Node::new(raw.base),
            scope: Node::new(raw.scope),
            file: Node::new(raw.file),
            elements: raw.elements,
        }
    }

    /// Members, enumerators, dimensions, or the types of a signature, the result first; `None` is void.
    pub fn elements(self, description: &Description) -> Vec<Option<Node>> {
        // SAFETY: the shim checks the index.
        (0..description.elements).map(|n| Node::new(unsafe { wf_element(self.0, n) })).collect()
    }

    /// The function a scope lies in.
    pub fn enclosing_function(self) -> Option<Node> {
        let mut at = Some(self);
        while let Some(node) = at {
            let description = node.describe();
            if description.kind == Kind::Subprogram {
                return Some(node);
            }
            at = description.scope;
        }
        None
    }

    /// Whether a scope is none of its own: the text of the one around it goes on in another file.
    pub fn only_changes_file(self) -> bool {
        use llvm_sys::debuginfo::*;
        // SAFETY: a node is metadata of the module.
        let kind = unsafe { LLVMGetMetadataKind(self.0) };
        matches!(kind, LLVMMetadataKind::LLVMDILexicalBlockFileMetadataKind)
    }

    /// The innermost scope of a source location that is not inlined from another function.
    pub fn location_scope(self) -> Option<Node> {
        use llvm_sys::debuginfo::*;
        // SAFETY: callers pass locations.
        unsafe {
            let is_inlined = !LLVMDILocationGetInlinedAt(self.0).is_null();
            Node::new(LLVMDILocationGetScope(self.0)).filter(|_| !is_inlined)
        }
    }

    /// Line, column and file of a source location.
    pub fn location(self) -> (u32, u32, Option<Node>) {
        use llvm_sys::debuginfo::*;
        // SAFETY: callers pass locations.
        unsafe {
            let scope = LLVMDILocationGetScope(self.0);
            (LLVMDILocationGetLine(self.0), LLVMDILocationGetColumn(self.0), Node::new(LLVMDIScopeGetFile(scope)))
        }
    }

    /// Directory and name of a file.
    pub fn file_path(self) -> (String, String) {
        use llvm_sys::debuginfo::*;
        // SAFETY: callers pass files; the strings live as long as the module.
        unsafe {
            let mut length = 0;
            let start = LLVMDIFileGetDirectory(self.0, &mut length);
            let directory = lossy(start, length);
            let start = LLVMDIFileGetFilename(self.0, &mut length);
            (directory, lossy(start, length))
        }
    }
}

unsafe fn lossy(start: *const c_char, length: u32) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: the caller passes a string of that length.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(start.cast(), length as usize) }).into_owned()
}

/// The variable that a global stands for.
pub(crate) fn global_variable(global: Value) -> Option<Node> {
    // SAFETY: the value belongs to a live module.
    Node::new(unsafe { wf_global_variable(global.0) })
}

/// A variable's declaration in a function.
pub(crate) struct Declaration {
    /// Its slot.
    pub address: Value,
    pub variable: Node,
    pub location: Option<Node>,
}

/// The declarations of variables in a function.
pub(crate) fn declarations(function: Value) -> Vec<Declaration> {
    extern "C" fn visit(
        data: *mut c_void,
        address: LLVMValueRef,
        variable: LLVMMetadataRef,
        location: LLVMMetadataRef,
    ) {
        // SAFETY: `data` is the list below.
        let all = unsafe { &mut *data.cast::<Vec<Declaration>>() };
        if let (Some(variable), false) = (Node::new(variable), address.is_null()) {
            all.push(Declaration { address: Value(address), variable, location: Node::new(location) });
        }
    }
    let mut all: Vec<Declaration> = vec![];
    // SAFETY: the visitor is called during the call only.
    unsafe { wf_declarations(function.0, visit, (&raw mut all).cast()) };
    all
}

/// The bits of an integer or floating point constant.
pub(crate) fn constant_bits(value: Value) -> Option<u128> {
    let mut words = [0u64; 2];
    // SAFETY: the shim writes two words.
    let known = unsafe { wf_constant_bits(value.0, words.as_mut_ptr()) };
    known.then(|| u128::from(words[0]) | u128::from(words[1]) << 64)
}

/// An address computation: a constant offset, and indices with their factors, all in bytes.
pub(crate) struct AddressParts {
    pub constant: i64,
    pub indices: Vec<(Value, i64)>,
}

/// The parts of a `getelementptr`, instruction or constant.
pub(crate) fn address_parts(module: &Module, value: Value) -> Option<AddressParts> {
    extern "C" fn visit(data: *mut c_void, index: LLVMValueRef, scale: i64) {
        // SAFETY: `data` is the list below.
        unsafe { &mut *data.cast::<Vec<(Value, i64)>>() }.push((Value(index), scale));
    }
    let mut parts = AddressParts { constant: 0, indices: vec![] };
    // SAFETY: the visitor is called during the call only.
    let known =
        unsafe { wf_address_parts(module.raw(), value.0, &mut parts.constant, visit, (&raw mut parts.indices).cast()) };
    known.then_some(parts)
}
