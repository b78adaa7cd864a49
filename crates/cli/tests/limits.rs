//! Limits are kept, whatever the program is: the command ends, says that its answer is partial, and leaves nothing behind.
//!
//! Here with few programs and much patience; `cargo run -p wherefore-cli --example limits` has all of them and a clock.

mod common;
#[path = "limits/programs.rs"]
#[allow(dead_code)]
mod programs;

use common::{Said, wherefore};
use programs::{Program, expression, line, nested};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything may take here: the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A command that works on a program.
struct Working {
    child: Child,
    _directory: TempDir,
}

impl Working {
    fn start(program: &Program, options: &[&str]) -> Working {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("prog.c"), &program.text).expect("a file is written");
        let mut command = wherefore();
        command.current_dir(directory.path()).args(program.command).arg("prog.c").args(options);
        // Whoever runs the tests in the background ignores some signals, and would have the command ignore them too.
        let listen = || {
            for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGHUP] {
                // SAFETY: a plain system call.
                unsafe { libc::signal(signal, libc::SIG_DFL) };
            }
            Ok(())
        };
        // SAFETY: it makes system calls only.
        unsafe { command.pre_exec(listen) };
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        Working { child, _directory: directory }
    }

    /// Its folders.
    fn folders(&self) -> Vec<PathBuf> {
        folders(&format!("wherefore-{}-", self.child.id()))
    }

    /// Waits until it has begun to work.
    fn begun(self) -> Working {
        let began = Instant::now();
        while self.folders().is_empty() {
            assert!(began.elapsed() < PATIENCE, "it does not begin");
            std::thread::sleep(Duration::from_millis(5));
        }
        self
    }

    fn signal(&self, signal: libc::c_int) {
        // SAFETY: a plain system call; the child is not waited for yet.
        unsafe { libc::kill(self.child.id() as libc::pid_t, signal) };
    }

    /// What it said, and the signal that ended it; what it left.
    fn end(self) -> (Said, Option<i32>, Vec<PathBuf>) {
        let prefix = format!("wherefore-{}-", self.child.id());
        let output = self.child.wait_with_output().expect("it ends");
        let signal = output.status.signal();
        (output.into(), signal, folders(&prefix))
    }
}

/// Folders in the file system in memory.
fn folders(prefix: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/dev/shm").expect("there is one").flatten();
    entries.filter(|e| e.file_name().to_string_lossy().starts_with(prefix)).map(|e| e.path()).collect()
}

fn named(all: Vec<Program>, names: &[&str]) -> Vec<Program> {
    let found: Vec<Program> = all.into_iter().filter(|p| names.contains(&p.name)).collect();
    assert_eq!(found.len(), names.len(), "there are all of {names:?}");
    found
}

fn is_partial(program: &Program, said: &Said) {
    assert_eq!(said.status, Some(4), "{}: {}{}", program.name, said.stdout, said.stderr);
    let report = said.json();
    assert_eq!(report["partial"], true, "{}", program.name);
    assert!(!why(&report).is_empty(), "{}", program.name);
}

/// Why an answer is partial: in a note, or as what a diagnosis is incomplete by.
fn why(report: &serde_json::Value) -> String {
    let notes = report["notes"].as_array().expect("notes").iter().chain([&report["incomplete"]]);
    notes.filter_map(|reason| reason.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn time_is_kept() {
    let names = [
        "10,000,000 steps",
        "macros that double 28 times",
        "a product of primes",
        "a hash to be inverted",
        "a table with a free index",
    ];
    for program in named(programs::long(), &names) {
        let began = Instant::now();
        let (said, _, left) = Working::start(&program, &["--timeout", "1", "--format", "json"]).end();
        is_partial(&program, &said);
        assert!(began.elapsed() < PATIENCE, "{}: {:?}", program.name, began.elapsed());
        assert_eq!(left, [] as [PathBuf; 0], "{}", program.name);
    }
}

#[test]
fn memory_is_kept() {
    for program in named(
        programs::large(),
        &["macros that double 28 times", "3,000,000 calls", "a table of 256 with a free index"],
    ) {
        let options = ["--memory", "200", "--timeout", "600", "--format", "json"];
        let (said, _, left) = Working::start(&program, &options).end();
        is_partial(&program, &said);
        assert!(why(&said.json()).contains("--memory"), "{}: {}", program.name, said.stdout);
        assert_eq!(left, [] as [PathBuf; 0], "{}", program.name);
    }
}

#[test]
fn a_diagnosis_keeps_its_limits() {
    let names =
        ["a table of 128 with a free index", "a product of matrices of 24", "300,000 rounds", "sorting 64 numbers"];
    for program in named(programs::diagnosed(), &names) {
        for limits in [["--timeout", "2", "--memory", "4096"], ["--timeout", "20", "--memory", "300"]] {
            let began = Instant::now();
            let (said, _, left) = Working::start(&program, &[&limits[..], &["--format", "json"]].concat()).end();
            assert!(matches!(said.status, Some(0 | 4)), "{}: {}{}", program.name, said.stdout, said.stderr);
            let tests = &said.json()["tests"];
            assert_eq!(tests[0]["verdict"], "fail", "{}: that it fails is known: {}", program.name, said.stdout);
            assert!(began.elapsed() < PATIENCE, "{}: {:?}", program.name, began.elapsed());
            assert_eq!(left, [] as [PathBuf; 0], "{}", program.name);
        }
    }
}

#[test]
fn whoever_asks_to_stop_gets_what_is_known() {
    let programs = named(programs::long(), &["a long sleep", "as many paths as there are numbers"]);
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGUSR1] {
        for program in &programs {
            let working = Working::start(program, &["--timeout", "600", "--format", "json"]).begun();
            let began = Instant::now();
            working.signal(signal);
            let (said, _, left) = working.end();
            is_partial(program, &said);
            assert!(said.stdout.contains("interrupted"), "{}: {}", program.name, said.stdout);
            assert!(began.elapsed() < PATIENCE, "{}: {:?}", program.name, began.elapsed());
            assert_eq!(left, [] as [PathBuf; 0], "{} after signal {signal}", program.name);
        }
    }
}

#[test]
fn a_fault_leaves_no_folder() {
    let program = &named(programs::long(), &["a long sleep"])[0];
    for signal in [libc::SIGSEGV, libc::SIGABRT] {
        let working = Working::start(program, &["--timeout", "600"]).begun();
        working.signal(signal);
        let (_, ended, left) = working.end();
        assert_eq!((ended, left), (Some(signal), vec![]));
    }
}

#[test]
fn what_a_killed_command_left_the_next_one_removes() {
    let program = &named(programs::long(), &["a long sleep"])[0];
    let working = Working::start(program, &["--timeout", "600"]).begun();
    // Looked for while it lives: a command of another test may remove them as soon as it is dead.
    let left = working.folders();
    assert!(!left.is_empty());
    working.signal(libc::SIGKILL);
    let (_, ended, _) = working.end();
    assert_eq!(ended, Some(libc::SIGKILL));
    // Another command may just be making its folder: then it is left to the one after.
    let removed = (0..20).any(|_| {
        Working::start(program, &["--timeout", "0.2"]).end();
        left.iter().all(|folder| !folder.exists())
    });
    assert!(removed, "{left:?}");
}

#[test]
fn hostile_sources_end() {
    for (name, text) in [("expression", expression(40_000)), ("line", line(78_000)), ("nested", nested(10_000))] {
        for command in [&["explain"], &["diagnose"]] {
            let program = Program { name, command, text: text.clone() };
            let began = Instant::now();
            let (said, signal, left) = Working::start(&program, &["--timeout", "2", "--format", "json"]).end();
            assert_eq!(signal, None, "{name}: {}", said.stderr);
            assert!(matches!(said.status, Some(0 | 2 | 4)), "{name}: {:?} {}", said.status, said.stderr);
            assert!(began.elapsed() < PATIENCE, "{name}: {:?}", began.elapsed());
            assert_eq!(left, [] as [PathBuf; 0]);
        }
    }
}

#[test]
fn a_file_that_is_too_large_is_a_limit_and_no_failure() {
    let text = "#include <assert.h>\n#include <fcntl.h>\n#include <unistd.h>\nint main(void) {\n  \
                int fd = open(\"big\", O_CREAT | O_WRONLY, 0600);\n  lseek(fd, 2000000000L, SEEK_SET);\n  \
                write(fd, \"x\", 1);\n  return 0;\n}\n";
    let program = Program { name: "a large file", command: &["explain"], text: text.into() };
    let (said, ..) = Working::start(&program, &["--format", "json"]).end();
    is_partial(&program, &said);
    assert!(said.stdout.contains("writes a file of more than 1024 MiB"), "{}", said.stdout);
    assert!(said.json()["failure"].is_null());
}
