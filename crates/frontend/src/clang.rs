//! Runs clang: C files to bitcode.

use crate::llvm::Module;
use crate::tool::{self, Ended};
use crate::{Error, Options};
use std::path::{Path, PathBuf};
use std::process::Command;
use wherefore_clib as clib;
use wherefore_parallel::{processors, try_parallel};

const INSTALL: &str = "apt install clang-19";

/// Wanted of every compilation: one store per assignment, a line and column on everything.
pub const FLAGS: &[&str] = &[
    "-c",
    "-emit-llvm",
    "-O0",
    "-g",
    "-Xclang",
    "-disable-O0-optnone",
    // `a * b + c` stays two operations, as the x86-64 baseline computes it.
    "-ffp-contract=off",
    // What makes clang crash is told; nothing is to be left behind in the directory for temporary files.
    "-fno-crash-diagnostics",
];

/// Wanted where a label is asked for: blocks have the names of labels. Other names of values nobody asks for; variables are
/// named by what `-g` says of them.
pub const NAMES: &str = "-fno-discard-value-names";
const NO_NAMES: &str = "-fdiscard-value-names";

/// Errors since clang 16 that older C, and many verification tasks, rely on not being errors.
const OLD_C: &[&str] = &[
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=incompatible-pointer-types",
    "-Wno-error=return-type",
    "-Wno-error=return-mismatch",
];

/// Library functions whose calls clang replaces by code of its own, or knows not to return.
fn builtins() -> impl Iterator<Item = (&'static str, &'static clib::Function)> {
    let names =
        |f: &'static clib::Function| std::iter::once(f.name).chain(f.synonyms.iter().copied()).map(move |n| (n, f));
    clib::functions().filter(|f| f.builtin).flat_map(names)
}

/// Functions the program defines itself although clang knows a library function of that name.
pub(crate) fn own_builtins(module: &Module) -> Vec<String> {
    own(module).map(|(name, _)| name.to_string()).collect()
}

fn own(module: &Module) -> impl Iterator<Item = (&'static str, &'static clib::Function)> {
    builtins().filter(|(name, _)| module.named_function(name).is_some_and(|f| !f.is_declaration()))
}

/// Gives the program's own versions of such functions other symbols, so that what the compiler makes calls of (copies of
/// structs, for one) goes to the library and is not recorded as a call of the program's.
pub(crate) fn rename_own_builtins(module: &Module) {
    for (name, library) in own(module) {
        let ends_or_jumps = library.ends.is_some() || matches!(library.name, "setjmp" | "longjmp");
        if let (Some(function), false) = (module.named_function(name), ends_or_jumps) {
            function.set_name(&format!("__wf_user_{name}"));
        }
    }
}

/// A file compiled.
pub(crate) struct Compiled {
    pub bitcode: PathBuf,
    pub messages: Vec<String>,
}

/// The name of clang 19.
///
/// # Errors
/// When there is none.
pub fn find() -> Result<&'static str, Error> {
    Clang::find().map(|clang| clang.program)
}

/// How files are compiled.
pub(crate) struct Clang {
    program: &'static str,
}

impl Clang {
    /// Finds clang 19.
    pub fn find() -> Result<Clang, Error> {
        let missing = || Error::MissingClang { install: INSTALL.to_string() };
        if on_path("clang-19") {
            return Ok(Clang { program: "clang-19" });
        }
        let version = Command::new("clang").arg("--version").output().map_err(|_| missing())?;
        let text = String::from_utf8_lossy(&version.stdout);
        if text.contains("version 19.") { Ok(Clang { program: "clang" }) } else { Err(missing()) }
    }

    /// Name of the program, which can also link.
    pub fn program(&self) -> &'static str {
        self.program
    }

    /// Compiles C files, as many at a time as there are processors. `own` names functions that the program defines
    /// itself although clang knows a library function of that name.
    pub fn compile(
        &self,
        files: &[PathBuf],
        options: &Options,
        own: &[String],
        dir: &Path,
    ) -> Result<Vec<Compiled>, Error> {
        let one = |(): &mut (), number: usize, file: &PathBuf| {
            self.compile_one(file, options, own, dir.join(format!("{number}.bc")))
        };
        try_parallel(files, processors(), || Ok(()), one)
    }

    fn compile_one(&self, file: &Path, options: &Options, own: &[String], bitcode: PathBuf) -> Result<Compiled, Error> {
        let first = self.run(file, options, own, &[], &bitcode)?;
        if first.status.success() {
            let warnings = first.said.trim_end();
            let messages = if warnings.is_empty() { vec![] } else { vec![warnings.to_string()] };
            return Ok(Compiled { bitcode, messages });
        }
        let named_standard = options.clang_args.iter().any(|a| a.starts_with("-std") || a == "-ansi");
        if !named_standard {
            let second = self.run(file, options, own, &["-std=gnu89", "-Wno-everything"], &bitcode)?;
            if second.status.success() {
                let reason = first.said.lines().find(|l| l.contains("error:")).unwrap_or("").to_string();
                let message = format!("compiled as gnu89: {reason}");
                return Ok(Compiled { bitcode, messages: vec![message] });
            }
        }
        Err(Error::CompileFailed { stderr: first.said })
    }

    fn run(&self, file: &Path, options: &Options, own: &[String], more: &[&str], to: &Path) -> Result<Ended, Error> {
        let user = &options.clang_args;
        let mut command = Command::new(self.program);
        // Warnings are for those who ask for some.
        if !user.iter().any(|a| a.starts_with("-W")) {
            command.arg("-w");
        }
        command.args(OLD_C).args(user.iter().filter(|a| !is_link_argument(a))).args(FLAGS).args(more);
        command.arg(if options.error_label.is_some() { NAMES } else { NO_NAMES });
        command.args(own.iter().map(|name| format!("-fno-builtin-{name}")));
        command.arg(file).arg("-o").arg(to);
        tool::run(&mut command, &options.budget)
    }
}

/// Whether an argument for clang concerns linking only.
pub(crate) fn is_link_argument(argument: &str) -> bool {
    ["-l", "-L", "-Wl,"].iter().any(|p| argument.starts_with(p))
}

/// Whether a program is found on the search path.
pub(crate) fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}
