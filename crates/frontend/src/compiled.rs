//! A compiled program, from which executables are made.

use crate::clang::{self, Clang};
use crate::llvm::{self, Module};
use crate::plan::Plan;
use crate::{Error, Instrument, Options, byval, forbidden, instrument, link, lower, undefined};
use std::cell::{Cell, RefCell};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wherefore_budget::Budget;
use wherefore_program::{Note, Program};

/// A program that clang has compiled.
pub struct Compiled {
    options: Options,
    inputs: Vec<PathBuf>,
    /// The files of LLVM IR it consists of.
    parts: Vec<PathBuf>,
    /// Clang's name, if it was used.
    clang: Option<&'static str>,
    directory: PathBuf,
    program: Program,
    messages: Vec<String>,
    time: Cell<Duration>,
    /// The module as it was lowered, until it is instrumented.
    fresh: RefCell<Option<(Module, Plan)>>,
}

/// An instrumented executable.
#[derive(Clone, Debug)]
pub struct Executable {
    /// The file.
    pub path: PathBuf,
    /// For [`Instrument::Replay`]: for each point of the program whether a run can be given another value there. Not so
    /// for parts of structs and vectors, for what an atomic instruction computes inside, for constants of assembly and
    /// of compiler builtins, and for arguments that do not fit the function called. Empty for the others.
    pub forceable: Vec<bool>,
}

/// Compiles a program from `.c`, `.i`, `.bc` and `.ll` files. `dir` is for what is made on the way, the executables
/// included.
///
/// # Errors
///
/// When clang is missing or rejects a file, when the entry does not exist or needs arguments that cannot be made, and for
/// the few constructs that cannot be handled even roughly.
pub fn compile(inputs: &[PathBuf], options: &Options, dir: &Path) -> Result<Compiled, Error> {
    let began = Instant::now();
    let (module, parts, messages, clang) = run_clang(inputs, options, dir)?;
    let undefined = undefined::find(&module, options, clang, dir)?;
    let (mut program, plan) = lowered(&module, inputs, options)?;
    program.notes.extend(undefined::note(&undefined).map(|message| Note { at: None, message }));
    program.undefined = undefined;
    debug_assert!(wherefore_program::validate(&program).is_empty(), "{:?}", wherefore_program::validate(&program));
    let Some(entry) = program.function(&options.entry) else {
        let known = program.functions.iter().map(|f| f.name.clone()).collect();
        return Err(Error::UnknownEntry { name: options.entry.clone(), known });
    };
    if options.entry != "main" {
        instrument::check_entry(&program, entry, plan.functions[entry.index()].function)?;
    }
    Ok(Compiled {
        options: options.clone(),
        inputs: inputs.to_vec(),
        parts,
        clang,
        directory: dir.to_owned(),
        program,
        messages,
        time: Cell::new(began.elapsed()),
        fresh: RefCell::new(Some((module, plan))),
    })
}

/// Whether a file of LLVM IR can be lowered.
///
/// # Errors
/// Why it cannot.
pub fn can_lower(file: &Path) -> Result<(), Error> {
    let files = [file.to_owned()];
    let options = Options {
        entry: "main".into(),
        clang_args: vec![],
        error_label: None,
        linked: None,
        runtime_object: vec![],
        budget: Budget::unlimited(),
    };
    lowered(&read(&files, &files)?, &files, &options).map(|_| ())
}

/// Makes what is implicit in a module explicit, and lowers it.
fn lowered(module: &Module, inputs: &[PathBuf], options: &Options) -> Result<(Program, Plan), Error> {
    // Clang's own is valid.
    if inputs.iter().any(|input| is_ir(input)) {
        module.verify().map_err(|what| Error::CompileFailed { stderr: what })?;
    }
    module.order_variables();
    byval::make_explicit(module);
    forbidden::make_explicit(module, options.error_label.as_deref())?;
    module.expand_computed_gotos();
    check(module)?;
    let lowered = lower::lower(module, inputs, &options.entry, &options.budget)?;
    Ok((lowered.program, lowered.plan))
}

/// That what we have made of a module is one, which is a tenth of building a small program: tests look for what we do wrong.
fn check(module: &Module) -> Result<(), Error> {
    if cfg!(debug_assertions) { module.verify().map_err(Error::Internal) } else { Ok(()) }
}

/// Whether a file is LLVM IR already.
fn is_ir(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "bc" || e == "ll")
}

impl Compiled {
    /// The model.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// What the user should know: warnings asked for by `-W...`, files that needed an old standard.
    pub fn messages(&self) -> &[String] {
        &self.messages
    }

    /// How long compiling took, and making the executables so far.
    pub fn time(&self) -> Duration {
        self.time.get()
    }

    /// The model and what the user should know.
    pub fn into_parts(self) -> (Program, Vec<String>) {
        (self.program, self.messages)
    }

    /// Makes an executable.
    ///
    /// # Errors
    ///
    /// When the linker fails, for example because a function is defined nowhere.
    pub fn executable(&self, purpose: Instrument) -> Result<Executable, Error> {
        let began = Instant::now();
        let (module, plan) = match self.fresh.take() {
            Some(fresh) => fresh,
            None => self.read_again()?,
        };
        let entry = self.program.function(&self.options.entry).expect("it was looked for");
        let entry_value = plan.functions[entry.index()].function;
        // Nothing needs it any more, and code is generated faster without.
        module.strip_debug_info();
        clang::rename_own_builtins(&module);
        let forceable = match purpose {
            Instrument::Record | Instrument::RecordPlainly => {
                let plainly = purpose == Instrument::RecordPlainly;
                instrument::instrument(&module, &plan, plainly, &self.options.budget)?;
                vec![]
            }
            Instrument::Replay => {
                instrument::instrument_replay(&module, &plan, &wherefore_program::points(&self.program), &|_| true)
            }
            Instrument::Count => {
                let counted = instrument::counted(&self.program);
                instrument::instrument_replay(&module, &plan, &[], &|block| counted[block as usize])
            }
        };
        if self.options.entry != "main" {
            instrument::make_entry(&module, entry_value);
        }
        instrument::ask_for_arguments(&module);
        check(&module)?;
        self.options.budget.check()?;
        let folder = self.directory.join(match purpose {
            Instrument::Record => "recorded",
            Instrument::RecordPlainly => "plainly",
            Instrument::Replay => "replayed",
            Instrument::Count => "counted",
        });
        // Not the folders above it as well: where those are gone, the command is about to leave.
        match std::fs::create_dir(&folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(Error::io(folder.to_string_lossy())(error));
            }
            _ => {}
        }
        let path =
            link::link(&module, &self.options, self.clang, &undefined::definitions(&self.program.undefined), &folder)?;
        self.time.set(self.time.get() + began.elapsed());
        Ok(Executable { path, forceable })
    }

    /// The module as clang left it, lowered in the same way.
    fn read_again(&self) -> Result<(Module, Plan), Error> {
        let module = read(&self.parts, &self.inputs)?;
        let (program, plan) = lowered(&module, &self.inputs, &self.options)?;
        if program.functions.len() != self.program.functions.len() {
            return Err(Error::Internal("the compiled files have changed".into()));
        }
        Ok((module, plan))
    }
}

/// Files of LLVM IR, made of these inputs, as one module.
fn read(parts: &[PathBuf], inputs: &[PathBuf]) -> Result<Module, Error> {
    Module::read(parts).map_err(|(number, message)| {
        let name = inputs[number].display();
        Error::CompileFailed { stderr: format!("{name}: {message}\n") }
    })
}

/// What clang makes of the inputs.
type Parts = (Module, Vec<PathBuf>, Vec<String>, Option<&'static str>);

/// The inputs as one module, its files, what clang said, and clang's name if it was used.
fn run_clang(inputs: &[PathBuf], options: &Options, dir: &Path) -> Result<Parts, Error> {
    if inputs.is_empty() {
        return Err(Error::Usage("no input files".to_string()));
    }
    for input in inputs {
        if !input.is_file() {
            return Err(Error::NoSuchFile(input.clone()));
        }
    }
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
        let module = read(&parts, inputs)?;
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
            return Ok((module, parts, messages, clang.map(|c| c.program())));
        }
        own = defined;
    }
}
