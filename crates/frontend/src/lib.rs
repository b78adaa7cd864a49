//! The front end: C files to a [`Program`] and to an executable that records its run, or that many runs can be made of
//! with other values here and there.
//!
//! Clang compiles each file to LLVM IR; the modules are linked into one; that module is lowered to the program model,
//! then instrumented, compiled and linked with the runtime. One module serves both, so that a recording fits its
//! program word for word, and a forced value its point.
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
mod tool;

pub use error::Error;

use clang::Clang;
use llvm::Module;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wherefore_budget::Budget;
use wherefore_program::Program;

/// How to build a program.
#[derive(Clone, Debug)]
pub struct Options {
    /// The function a run starts in, by its C name; usually `main`.
    pub entry: String,
    /// Further arguments for clang; those for the linker (`-l`, `-L`, `-Wl,`) reach it.
    pub clang_args: Vec<String>,
    /// The runtime, an object file.
    pub runtime_object: Vec<u8>,
    /// What the executable is for.
    pub instrument: Instrument,
    /// What all work of the command may use.
    pub budget: Budget,
}

/// What an executable does besides running the program.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Instrument {
    /// It records its run.
    #[default]
    Record,
    /// It counts how often each block is entered, by recording number, and takes other values at its points
    /// ([`wherefore_program::points`]) where a run wants that. It records nothing.
    Replay,
}

/// A program and its executable.
#[derive(Debug)]
pub struct Build {
    /// The model.
    pub program: Program,
    /// The executable, in the directory given to [`build`].
    pub executable: PathBuf,
    /// For [`Instrument::Replay`]: for each point of the program whether a run can be given another value there. Not so
    /// for parts of structs and vectors, for what an atomic instruction computes inside, for constants of assembly and
    /// of compiler builtins, and for arguments that do not fit the function called. Empty for [`Instrument::Record`].
    pub forceable: Vec<bool>,
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
    let (module, messages, clang) = compile(inputs, options, dir)?;
    module.verify().map_err(|what| Error::CompileFailed { stderr: what })?;
    byval::make_explicit(&module);
    module.expand_computed_gotos();
    module.verify().map_err(Error::Internal)?;

    let lowered = lower::lower(&module, inputs, &options.entry, &options.budget)?;
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
    let forceable = match options.instrument {
        Instrument::Record => {
            instrument::instrument(&module, &lowered.plan, &options.budget)?;
            vec![]
        }
        Instrument::Replay => {
            instrument::instrument_replay(&module, &lowered.plan, &wherefore_program::points(&program))
        }
    };
    if options.entry != "main" {
        instrument::check_entry(&program, entry, entry_value)?;
        instrument::make_entry(&module, entry_value);
    }
    instrument::ask_for_arguments(&module);
    module.verify().map_err(Error::Internal)?;
    options.budget.check()?;

    let executable = link::link(&module, options, clang, dir)?;
    Ok(Build { program, executable, forceable, messages, compile_time: start.elapsed() })
}

/// The inputs as one module, what clang said, and clang's name if it was used.
fn compile(
    inputs: &[PathBuf],
    options: &Options,
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
            Some(clang) => clang.compile(&sources, options, &own, dir)?,
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
        options.budget.check()?;
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
