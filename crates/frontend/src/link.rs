//! An instrumented module and the runtime to an executable.

use crate::clang::{is_link_argument, on_path};
use crate::llvm::{Module, emit_object};
use crate::{Error, Options, tool};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Generates code and links it. `clang` links where there is no `cc`.
pub(crate) fn link(
    module: &Module,
    options: &Options,
    clang: Option<&str>,
    more: &[String],
    dir: &Path,
) -> Result<PathBuf, Error> {
    let object = dir.join("program.o");
    emit_object(module, &object).map_err(Error::Internal)?;
    let runtime = dir.join("runtime.o");
    std::fs::write(&runtime, &options.runtime_object).map_err(Error::io(runtime.to_string_lossy()))?;
    let executable = dir.join("program");
    let mut command = linker(clang, options);
    if options.linked.is_none() && is_quick() {
        command.arg("-fuse-ld=gold");
    }
    // What a linker that is killed leaves behind goes with the rest.
    command.env("TMPDIR", dir);
    command.arg("-o").args([&executable, &object, &runtime]).args(more).args(libraries(options));
    let ended = tool::run(&mut command, &options.budget)?;
    if ended.status.success() { Ok(executable) } else { Err(Error::LinkFailed { stderr: ended.said }) }
}

/// Whether there is a linker that takes half the time of the usual one, as far as small programs are concerned.
fn is_quick() -> bool {
    static IS_THERE: OnceLock<bool> = OnceLock::new();
    *IS_THERE.get_or_init(|| on_path("ld.gold"))
}

/// What links.
pub(crate) fn linker(clang: Option<&str>, options: &Options) -> Command {
    let clang = clang.unwrap_or("clang-19");
    let mut command = Command::new(if options.linked.is_none() && on_path("cc") { "cc" } else { clang });
    command.arg("-no-pie");
    command
}

/// The libraries of a program.
pub(crate) fn libraries(options: &Options) -> impl Iterator<Item = &str> {
    let linked = options.linked.iter().flatten().map(String::as_str);
    let given = linked.chain(options.clang_args.iter().filter(|a| is_link_argument(a)).map(String::as_str));
    // What many runs start from is resolved once and has nothing it does not need.
    given.chain(["-Wl,-z,now", "-Wl,--as-needed", "-lm", "-lpthread"])
}
