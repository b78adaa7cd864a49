//! Machine code for this machine (x86-64 Linux).

use super::{Module, c_string, take_message};
use llvm_sys::core::{LLVMGetTarget, LLVMSetTarget};
use llvm_sys::target::*;
use llvm_sys::target_machine::*;
use std::ffi::CStr;
use std::path::Path;
use std::sync::Once;

/// The triple a module was compiled for.
pub(crate) fn data_layout_triple(module: &Module) -> String {
    // SAFETY: the module is alive and LLVM keeps the string.
    unsafe { CStr::from_ptr(LLVMGetTarget(module.raw())).to_string_lossy().into_owned() }
}

/// Writes an object file, not optimised, for a non-relocatable executable.
pub(crate) fn emit_object(module: &Module, path: &Path) -> Result<(), String> {
    static INIT: Once = Once::new();
    // SAFETY: initialisation happens once; the machine is made here and disposed of here.
    unsafe {
        INIT.call_once(|| {
            LLVMInitializeX86TargetInfo();
            LLVMInitializeX86Target();
            LLVMInitializeX86TargetMC();
            LLVMInitializeX86AsmPrinter();
            LLVMInitializeX86AsmParser();
        });
        let triple = match data_layout_triple(module).as_str() {
            "" => c"x86_64-pc-linux-gnu".to_owned(),
            triple => c_string(triple),
        };
        LLVMSetTarget(module.raw(), triple.as_ptr());
        let (mut target, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
        if LLVMGetTargetFromTriple(triple.as_ptr(), &mut target, &mut message) != 0 {
            return Err(take_message(message));
        }
        let machine = LLVMCreateTargetMachine(
            target,
            triple.as_ptr(),
            c"x86-64".as_ptr(),
            c"".as_ptr(),
            LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
            LLVMRelocMode::LLVMRelocStatic,
            LLVMCodeModel::LLVMCodeModelDefault,
        );
        let name = c_string(&path.to_string_lossy());
        let kind = LLVMCodeGenFileType::LLVMObjectFile;
        let failed =
            LLVMTargetMachineEmitToFile(machine, module.raw(), name.as_ptr().cast_mut(), kind, &mut message) != 0;
        LLVMDisposeTargetMachine(machine);
        if failed { Err(take_message(message)) } else { Ok(()) }
    }
}
