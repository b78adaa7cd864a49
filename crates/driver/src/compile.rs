//! Objects: as clang makes them, with the bitcode of what they were made of.

use crate::arguments::{Arguments, Kind};
use crate::{Error, note, run};
use std::path::Path;
use std::process::{Command, Stdio};
use wherefore_carried::{self as carried, Entry, Module, SECTION};
use wherefore_record::Scratch;

/// Compiles, and adds the bitcode.
pub fn compile(clang: &str, arguments: &Arguments) -> u8 {
    if let Err(status) = run(clang, &arguments.words()) {
        return status;
    }
    for (source, kind) in arguments.sources() {
        let object = arguments.object_of(source);
        // A configure script asks whether something compiles and does not want the object.
        if !object.is_file() {
            continue;
        }
        if let Err(error) = add_bitcode(clang, arguments, source, kind, &object) {
            note(&format!("{source} cannot be explained: {error}"));
        }
    }
    0
}

fn add_bitcode(clang: &str, arguments: &Arguments, source: &str, kind: Kind, object: &Path) -> Result<(), Error> {
    let scratch = Scratch::new().map_err(Error::file(Path::new("a temporary folder")))?;
    let module = module(clang, arguments, source, kind, &scratch.path().join("module.bc"))?;
    let mut file = std::fs::read(object).map_err(Error::file(object))?;
    let damaged = |source| Error::Damaged { file: object.display().to_string(), source };
    carried::append(&mut file, SECTION, &Entry::Module(module).bytes()).map_err(damaged)?;
    std::fs::write(object, file).map_err(Error::file(object))
}

/// The bitcode of a file, compiled as the front end needs it.
pub fn module(clang: &str, arguments: &Arguments, source: &str, kind: Kind, to: &Path) -> Result<Module, Error> {
    module_in(Path::new("."), clang, arguments, source, kind, to)
}

/// The same, compiled in a directory.
pub fn module_in(
    directory: &Path,
    clang: &str,
    arguments: &Arguments,
    source: &str,
    kind: Kind,
    to: &Path,
) -> Result<Module, Error> {
    let language = if kind == Kind::Preprocessed { "cpp-output" } else { "c" };
    let output = Command::new(clang)
        .args(flags(arguments))
        .arg("-w")
        .args(wherefore_frontend::FLAGS)
        .arg(wherefore_frontend::NAMES)
        .args(["-x", language, source, "-o"])
        .arg(to)
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .map_err(Error::file(Path::new(clang)))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(wherefore_frontend::Error::CompileFailed { stderr }.into());
    }
    let bitcode = std::fs::read(to).map_err(Error::file(to))?;
    Ok(Module { name: source.to_string(), bitcode })
}

/// The flags of a compilation that say what the program means: not those about files, messages and machine code.
fn flags(arguments: &Arguments) -> Vec<String> {
    let mut kept = vec![];
    for argument in arguments.all.iter().filter(|argument| argument.input.is_none()) {
        let first = argument.words[0].as_str();
        let dropped = matches!(
            first,
            "-c" | "-v" | "-pg" | "-coverage" | "--coverage" | "-gsplit-dwarf" | "-pedantic-errors" | "-time"
        ) || [
            "-o",
            "-x",
            "-M",
            "-O",
            "-l",
            "-L",
            "-Wl,",
            "-Wa,",
            "-Wp,-M",
            "-Werror",
            "-save-temps",
            "--save-temps",
        ]
        .iter()
        .any(|start| first.starts_with(start))
            || [
                "-fprofile",
                "-ftest-coverage",
                "-ftime-",
                "-fdebug-prefix-map",
                "-fdebug-compilation-dir",
                "-fcrash-diagnostics",
            ]
            .iter()
            .any(|start| first.starts_with(start))
            || matches!(
                first,
                "-Xlinker" | "-Xassembler" | "-MJ" | "-dumpdir" | "-serialize-diagnostics" | "-fcolor-diagnostics"
            );
        if dropped {
            continue;
        }
        // The places of sources are where they are; what `__FILE__` gives stays.
        match first.strip_prefix("-ffile-prefix-map=") {
            Some(map) => kept.push(format!("-fmacro-prefix-map={map}")),
            None => kept.extend(argument.words.iter().cloned()),
        }
    }
    kept
}
