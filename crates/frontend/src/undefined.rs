//! Functions that are declared and nowhere defined: something else is called in their place.
//!
//! Nearly every program declares what the C library has, which is looked up there; only about other names is the
//! linker asked, so that most programs do not pay for the question.

use crate::link::{libraries, linker};
use crate::llvm::{Module, Type, TypeKind, Value};
use crate::{Error, Options, tool};
use std::ffi::CString;
use std::path::Path;
use wherefore_clib::{self as clib, Ending, NONDET_PREFIX, NOTHING};
use wherefore_program::Undefined;

/// The functions of a module that nobody defines and that something can stand in for.
pub(crate) fn find(
    module: &Module,
    options: &Options,
    clang: Option<&str>,
    dir: &Path,
) -> Result<Vec<Undefined>, Error> {
    if options.linked.is_some() {
        return Ok(vec![]);
    }
    let declared = |f: &Value| f.is_declaration() && !f.is_intrinsic() && !f.users().is_empty();
    let library = Library::open();
    let open = |f: &Value| !is_of_runtime(&f.name()) && !library.has(&f.name());
    let unknown: Vec<Value> = module.functions().into_iter().filter(declared).filter(open).collect();
    if unknown.is_empty() {
        return Ok(vec![]);
    }
    let names: Vec<String> = unknown.iter().map(|f| f.name()).collect();
    let missing = unresolved(&names, options, clang, dir)?;
    let stand_in = |f: &Value| Some(Undefined { name: f.name(), stand_in: stand_in(module, *f)? });
    Ok(unknown.iter().filter(|f| missing.contains(&f.name())).filter_map(stand_in).collect())
}

/// What the linker is told about them.
pub(crate) fn definitions(undefined: &[Undefined]) -> Vec<String> {
    undefined.iter().map(|f| format!("-Wl,--defsym={}={}", f.name, f.stand_in)).collect()
}

/// What the user should know about them.
pub(crate) fn note(undefined: &[Undefined]) -> Option<String> {
    let names: Vec<String> = undefined.iter().map(|f| format!("{}()", f.name)).collect();
    Some(match &names[..] {
        [] => return None,
        [one] => format!("{one} is nowhere defined: it is taken to give any value (--nondet) and to do nothing else"),
        [most @ .., last] => {
            let most = most.join(", ");
            format!(
                "{most} and {last} are nowhere defined: they are taken to give any value (--nondet) and to do nothing else"
            )
        }
    })
}

/// Whether the runtime that is linked into every program defines it.
fn is_of_runtime(name: &str) -> bool {
    clib::nondet(name).is_some() || clib::judge(name).is_some() || clib::ending(name) == Some(Ending::Error)
}

/// What gives a result of the same kind: a whole number, a floating point number, a pointer, or none.
fn stand_in(module: &Module, function: Value) -> Option<String> {
    let result: Type = function.value_type().result();
    let is_unsigned = function.result_is_unsigned();
    let kind = match result.kind() {
        TypeKind::LLVMVoidTypeKind => return Some(NOTHING.to_string()),
        TypeKind::LLVMFloatTypeKind => "float",
        TypeKind::LLVMDoubleTypeKind => "double",
        TypeKind::LLVMPointerTypeKind => "pointer",
        TypeKind::LLVMIntegerTypeKind => match (module.width(result), is_unsigned) {
            (1, _) => "bool",
            (8, true) => "uchar",
            (8, false) => "char",
            (16, true) => "ushort",
            (16, false) => "short",
            (32, _) => "int",
            (64, _) => "long",
            _ => return None,
        },
        _ => return None,
    };
    Some(format!("{NONDET_PREFIX}{kind}"))
}

/// The C library and its mathematical part, which every program is linked with.
struct Library([*mut libc::c_void; 2]);

impl Library {
    fn open() -> Library {
        // SAFETY: the names are strings; these libraries are in use by this process already, or have no effect.
        Library([c"libc.so.6", c"libm.so.6"].map(|name| unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY) }))
    }

    fn has(&self, name: &str) -> bool {
        // A name that is not to be changed by the assembler begins with this byte.
        let Ok(name) = CString::new(name.trim_start_matches('\u{1}')) else { return false };
        // SAFETY: a library that is open, and a string.
        self.0.iter().any(|library| !library.is_null() && !unsafe { libc::dlsym(*library, name.as_ptr()) }.is_null())
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        for library in self.0.into_iter().filter(|library| !library.is_null()) {
            // SAFETY: opened in `open`, once.
            unsafe { libc::dlclose(library) };
        }
    }
}

/// Those of the names that the linker does not find, in the libraries that the user names or anywhere.
fn unresolved(names: &[String], options: &Options, clang: Option<&str>, dir: &Path) -> Result<Vec<String>, Error> {
    let source = dir.join("names.s");
    let is_plain = |name: &&String| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let asked: Vec<&String> = names.iter().filter(is_plain).collect();
    let references: String = asked.iter().map(|name| format!(".quad {name}\n")).collect();
    let text = format!(".data\n{references}.text\n.globl main\nmain: ret\n.section .note.GNU-stack\n");
    std::fs::write(&source, text).map_err(Error::io(source.to_string_lossy()))?;
    let mut command = linker(clang, options);
    command.env("LC_ALL", "C").arg("-o").args([dir.join("names"), source]);
    let ended = tool::run(command.args(libraries(options)), &options.budget)?;
    let is_missing = |name: &&String| {
        let says = |line: &str| line.contains("undefined") && words(line).any(|word| word == name.as_str());
        ended.said.lines().any(says)
    };
    Ok(asked.into_iter().filter(|_| !ended.status.success()).filter(is_missing).cloned().collect())
}

/// The names in a message of the linker.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
}
