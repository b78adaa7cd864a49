//! An instrumented module and the runtime to an executable.

mod quick;

use crate::clang::{is_link_argument, on_path};
use crate::llvm::{Module, emit_object};
use crate::{Error, Options, tool};
use std::path::{Path, PathBuf};
use std::process::Command;

/// For every program: what many runs start from is resolved once and has nothing it does not need.
const USUAL: [&str; 4] = ["-Wl,-z,now", "-Wl,--as-needed", "-lm", "-lpthread"];

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
    let files = [&executable, &object, &runtime];
    if let Some(mut command) = quick(files, options, more)
        && tool::run(&mut command, &options.budget)?.status.success()
    {
        return Ok(executable);
    }
    // Whatever went wrong, the driver says it in the words that people know.
    let mut command = linker(clang, options);
    if options.linked.is_none() && quick::is_there() {
        command.arg("-fuse-ld=gold");
    }
    // What a linker that is killed leaves behind goes with the rest.
    command.env("TMPDIR", dir);
    command.arg("-o").args(files).args(more).args(libraries(options));
    let ended = tool::run(&mut command, &options.budget)?;
    if ended.status.success() { Ok(executable) } else { Err(Error::LinkFailed { stderr: ended.said }) }
}

/// What links programs that want no libraries of their own.
fn quick(files: [&PathBuf; 3], options: &Options, more: &[String]) -> Option<Command> {
    if !libraries(options).eq(USUAL) {
        return None;
    }
    let more: Option<Vec<&str>> = more.iter().map(|argument| argument.strip_prefix("-Wl,")).collect();
    let mut command = quick::linker(files)?;
    command.args(more?);
    Some(command)
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
    given.chain(USUAL)
}
