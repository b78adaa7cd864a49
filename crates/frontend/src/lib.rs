//! The front end: C files to a [`Program`] and to an executable that records its run.
//!
//! Clang compiles each file to LLVM IR; the modules are linked into one; that module is lowered to the program model,
//! then instrumented, compiled and linked with the recording runtime. One module serves both, so that a recording
//! fits its program word for word.
//!
//! Knows: clang, LLVM, the linker. Must not know: what the runtime does with the words, or what a run means.
//! No type of LLVM is visible outside this crate.

mod byval;
mod clang;
mod debug_info;
mod error;
mod instrument;
mod link;
mod llvm;
mod lower;
mod plan;

pub use error::Error;

use clang::Clang;
use llvm::Module;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wherefore_program::Program;

/// How to build a program.
#[derive(Clone, Debug)]
pub struct Options {
    /// The function a run starts in, by its C name; usually `main`.
    pub entry: String,
    /// Further arguments for clang; those for the linker (`-l`, `-L`, `-Wl,`) reach it.
    pub clang_args: Vec<String>,
    /// The recording runtime, an object file.
    pub runtime_object: Vec<u8>,
}

/// A program, and the executable that records its run.
#[derive(Debug)]
pub struct Build {
    /// The model.
    pub program: Program,
    /// The executable, in the directory given to [`build`].
    pub executable: PathBuf,
    /// What the user should know: warnings asked for by `-W...`, files that needed an old standard.
    pub messages: Vec<String>,
    /// How long it took.
    pub compile_time: Duration,
}

/// Builds a program from `.c`, `.i`, `.bc` and `.ll` files. `dir` is for what is made on the way, the executable
/// included.
///
/// # Errors
///
/// When clang is missing or rejects a file, when the linker fails, when the entry does not exist or needs arguments
/// that cannot be made, and for the few constructs that cannot be handled even roughly.
pub fn build(inputs: &[PathBuf], options: &Options, dir: &Path) -> Result<Build, Error> {
    let start = Instant::now();
    let (module, messages, clang) = compile(inputs, &options.clang_args, dir)?;
    module.verify().map_err(|what| Error::CompileFailed { stderr: what })?;
    byval::make_explicit(&module);
    module.expand_computed_gotos();
    module.verify().map_err(Error::Internal)?;

    let lowered = lower::lower(&module, inputs, &options.entry)?;
    let program = lowered.program;
    debug_assert!(wherefore_program::validate(&program).is_empty(), "{:?}", wherefore_program::validate(&program));
    let Some(entry) = program.function(&options.entry) else {
        let known = program.functions.iter().map(|f| f.name.clone()).collect();
        return Err(Error::UnknownEntry { name: options.entry.clone(), known });
    };
    let entry_value = lowered.plan.functions[entry.index()].function;

    // Nothing needs it any more, and code is generated faster without.
    module.strip_debug_info();
    clang::rename_own_builtins(&module);
    instrument::instrument(&module, &lowered.plan);
    if options.entry != "main" {
        instrument::check_entry(&program, entry, entry_value)?;
        instrument::make_entry(&module, entry_value);
    }
    module.verify().map_err(Error::Internal)?;

    let executable = link::link(&module, &options.runtime_object, &options.clang_args, clang, dir)?;
    Ok(Build { program, executable, messages, compile_time: start.elapsed() })
}

/// The inputs as one module, what clang said, and clang's name if it was used.
fn compile(
    inputs: &[PathBuf],
    args: &[String],
    dir: &Path,
) -> Result<(Module, Vec<String>, Option<&'static str>), Error> {
    if inputs.is_empty() {
        return Err(Error::Usage("no input files".to_string()));
    }
    for input in inputs {
        if !input.is_file() {
            return Err(Error::NoSuchFile(input.clone()));
        }
    }
    let is_ir = |path: &Path| path.extension().is_some_and(|e| e == "bc" || e == "ll");
    let sources: Vec<PathBuf> = inputs.iter().filter(|p| !is_ir(p)).cloned().collect();
    if let Some(other) = sources.iter().find(|p| p.extension().is_none_or(|e| e != "c" && e != "i")) {
        return Err(Error::Usage(format!("{}: not a .c, .i, .bc or .ll file", other.display())));
    }
    let clang = if sources.is_empty() { None } else { Some(Clang::find()?) };
    let mut own: Vec<String> = vec![];
    loop {
        let compiled = match &clang {
            Some(clang) => clang.compile(&sources, args, &own, dir)?,
            None => vec![],
        };
        let mut messages = vec![];
        let mut results = compiled.into_iter();
        let mut parts = vec![];
        for input in inputs {
            if is_ir(input) {
                parts.push(input.clone());
            } else if let Some(compiled) = results.next() {
                messages.extend(compiled.messages);
                parts.push(compiled.bitcode);
            }
        }
        let module = Module::read(&parts).map_err(|(number, message)| {
            let name = inputs[number].display();
            Error::CompileFailed { stderr: format!("{name}: {message}\n") }
        })?;
        let target = llvm::data_layout_triple(&module);
        if !(target.is_empty() || target.starts_with("x86_64") && target.contains("linux")) {
            return Err(Error::Unsupported {
                at: inputs[0].display().to_string(),
                what: format!("the target {target}"),
            });
        }
        // Clang expands calls of library functions it knows, also where the program has its own; then once more
        // without that knowledge.
        let defined = clang::own_builtins(&module);
        if clang.is_none() || defined.iter().all(|name| own.contains(name)) {
            return Ok((module, messages, clang.map(|c| c.program())));
        }
        own = defined;
    }
}
