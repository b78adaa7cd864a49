//! What the tests share: building a program with a small stand-in for the runtime, running it, reading its recording.

#![allow(dead_code, reason = "each test binary uses some of it")]

pub mod evaluate;
pub mod replay;
pub mod walk;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use tempfile::TempDir;
use wherefore_frontend::{Build, Error, Instrument, Options};

/// The stand-in runtime, compiled once.
pub fn runtime() -> Vec<u8> {
    static OBJECT: OnceLock<Vec<u8>> = OnceLock::new();
    OBJECT
        .get_or_init(|| {
            let dir = tempfile::tempdir().expect("a temporary directory");
            let object = dir.path().join("runtime.o");
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/runtime.c");
            let status = Command::new("cc").args(["-O1", "-c"]).arg(source).arg("-o").arg(&object).status();
            assert!(status.expect("cc runs").success(), "the test runtime compiles");
            std::fs::read(object).expect("cc wrote an object")
        })
        .clone()
}

/// A program under `tests/programs`, by a path from the crate's directory, which tests run in.
pub fn program_path(name: &str) -> PathBuf {
    PathBuf::from("tests/programs").join(name)
}

/// A program that was built, with the directory it lives in.
pub struct Built {
    pub build: Build,
    pub dir: TempDir,
}

pub fn try_build(inputs: &[PathBuf], entry: &str, clang_args: &[&str]) -> Result<Built, Error> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let options = Options {
        entry: entry.to_string(),
        clang_args: clang_args.iter().map(|a| a.to_string()).collect(),
        error_label: None,
        linked: None,
        runtime_object: runtime(),
        budget: Default::default(),
    };
    let build = wherefore_frontend::build(inputs, &options, Instrument::RecordPlainly, dir.path())?;
    let problems = wherefore_program::validate(&build.program);
    assert!(problems.is_empty(), "{problems:#?}\n{}", wherefore_program::print(&build.program));
    Ok(Built { build, dir })
}

pub fn build(names: &[&str]) -> Built {
    let inputs: Vec<PathBuf> = names.iter().map(|n| program_path(n)).collect();
    try_build(&inputs, "main", &[]).unwrap_or_else(|e| panic!("{names:?}: {e}"))
}

/// Source text built as a program.
pub fn build_text(text: &str, entry: &str) -> Result<Built, Error> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let file = dir.path().join("test.c");
    std::fs::write(&file, text).expect("the file is written");
    try_build(&[file], entry, &[])
}

/// A run's words, and the addresses of globals, externals and functions.
pub struct Recording {
    pub words: Vec<u64>,
    pub globals: Vec<u64>,
    pub externals: Vec<u64>,
    pub functions: Vec<u64>,
}

impl Built {
    /// Runs the program, with a recording.
    pub fn run(&self, arguments: &[&str], environment: &[(&str, &str)]) -> (Output, Recording) {
        let file = self.dir.path().join("recording");
        let output = Command::new(&self.build.executable)
            .args(arguments)
            .env("WF_RECORDING", &file)
            .envs(environment.iter().copied())
            .output()
            .expect("the program runs");
        (output, self.read(&file))
    }

    fn read(&self, file: &Path) -> Recording {
        let bytes = std::fs::read(file).expect("the program wrote a recording");
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        assert_eq!(word(0), 0x5746_4F52, "the recording's magic number");
        let base = 0x3000_0000_0000;
        let end = (word(8) - base) as usize;
        let mut tables = (0..word(24) as usize).map(|n| word(4096 + 8 * n));
        let program = &self.build.program;
        let mut take = |count: usize| tables.by_ref().take(count).collect::<Vec<u64>>();
        let globals = take(program.globals.len());
        let externals = take(program.externals.len());
        let functions = take(program.functions.len());
        assert_eq!(functions.len(), program.functions.len(), "the tables are complete");
        let words = (1 << 20..end).step_by(8).map(word).collect();
        Recording { words, globals, externals, functions }
    }
}

/// Runs the program as clang alone builds it; what the program defines itself is not the compiler's to replace.
pub fn run_plain(names: &[&str], arguments: &[&str]) -> Output {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let executable = dir.path().join("plain");
    let runtime_object = dir.path().join("runtime.o");
    // For what programs call in it; the tables it wants are empty.
    std::fs::write(&runtime_object, runtime()).expect("the runtime is written");
    let tables = dir.path().join("tables.c");
    let text = "void *__wf_globals[1], *__wf_externals[1], *__wf_functions[1];\n\
                int __wf_global_count, __wf_external_count, __wf_function_count;\n";
    std::fs::write(&tables, text).expect("the tables are written");
    let status = Command::new("clang-19")
        .args(["-O0", "-w", "-ffp-contract=off", "-Wno-error=implicit-function-declaration", "-no-pie"])
        .args(["-Wno-error=implicit-int", "-Wno-error=int-conversion", "-fno-builtin-abs", "-fno-builtin-memset"])
        .args(names.iter().map(|n| program_path(n)))
        .arg(&tables)
        .arg(&runtime_object)
        .args(["-lm", "-lpthread", "-o"])
        .arg(&executable)
        .status()
        .expect("clang runs");
    assert!(status.success(), "clang compiles {names:?}");
    Command::new(executable).args(arguments).output().expect("the plain program runs")
}
