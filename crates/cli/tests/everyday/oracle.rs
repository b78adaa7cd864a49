//! What AddressSanitizer and valgrind say of a program's run.

use super::program::{Everyday, MemoryError, Place, name_of};
use super::{read_asan, read_valgrind};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A memory error as a tool tells it; what it does not tell is missing.
#[derive(PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    pub error: String,
    pub extent: Option<(i64, u64)>,
    pub at: Option<Place>,
    pub made_at: Option<Place>,
    pub freed_at: Option<Place>,
}

impl Verdict {
    /// What differs from what the program says of itself.
    pub fn differs(&self, program: &Everyday) -> Vec<String> {
        let mut wrong = vec![];
        let MemoryError { error, extent } = program.memory().expect("a memory error");
        if self.error != error {
            wrong.push(format!("the error is {}, not {error}", self.error));
        }
        if self.extent.is_some() && extent.is_some() && self.extent != extent {
            wrong.push(format!("offset and size are {:?}, not {extent:?}", self.extent));
        }
        for (mark, found) in [("FAILS", &self.at), ("MADE", &self.made_at), ("FREED", &self.freed_at)] {
            if let Some(found) = found
                && !program.marked(mark).contains(found)
            {
                wrong.push(format!("{mark} is {found:?}, not {:?}", program.marked(mark)));
            }
        }
        wrong
    }
}

/// What AddressSanitizer sees in a program's run.
pub fn asan(program: &Everyday, scratch: &Path) -> Option<Verdict> {
    let executable =
        build(program, &["-g", "-fsanitize=address", "-fsanitize-address-use-after-return=always"], scratch);
    let mut command = Command::new(executable);
    command
        .env("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1")
        .env("ASAN_SYMBOLIZER_PATH", tool("llvm-symbolizer"));
    read_asan::verdict(&stderr(&mut command, program), &own(program))
}

/// What valgrind sees in a program's run; it does not know the newest debug information.
pub fn valgrind(program: &Everyday, scratch: &Path) -> Option<Verdict> {
    let executable = build(program, &["-gdwarf-4"], scratch);
    let mut command = Command::new("valgrind");
    command.args(["-q", "--leak-check=no", "--track-origins=no"]).arg(executable);
    read_valgrind::verdict(&stderr(&mut command, program), &own(program))
}

fn tool(name: &str) -> PathBuf {
    let prefix = std::env::var_os("LLVM_SYS_191_PREFIX").map_or("/usr/lib/llvm-19".into(), PathBuf::from);
    prefix.join("bin").join(name)
}

fn build(program: &Everyday, flags: &[&str], scratch: &Path) -> PathBuf {
    let executable = scratch.join(format!("{}.native", program.name));
    let mut command = Command::new(tool("clang"));
    command.args(["-O0", "-w"]).args(flags).args(program.files()).arg("-o").arg(&executable).arg("-lm");
    let status = command.status().expect("clang starts");
    assert!(status.success(), "{}: clang cannot build it with {flags:?}", program.name);
    executable
}

fn stderr(command: &mut Command, program: &Everyday) -> String {
    command.args(program.program_arguments()).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let input = program.input().unwrap_or_default();
    // A program that dies early does not read all of it.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    String::from_utf8_lossy(&child.wait_with_output().expect("it ends").stderr).into_owned()
}

/// The names of the program's own files: what lies elsewhere is the library's.
fn own(program: &Everyday) -> Vec<String> {
    program.files().iter().map(|file| name_of(file)).collect()
}
