//! Compiles small C programs with the runtime and runs them. The "instrumentation" is macros: `BLOCK(n)` starts a block
//! as instrumented code does, `WORD(x)` appends a word; with `-DTHREADED` as in programs that may start threads. For programs that are replayed: `REPLAYED(blocks, points)`,
//! `COUNT(n)` counts a block, `FORCED(n, x)` is what a point makes of a value and `MOVED(n, x)` of an address, and
//! `MAIN(count, list)` asks for the arguments of `main`.

#![allow(dead_code)] // Each test binary uses a part of it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use wherefore_record::{
    Ending, Error, Isolation, Outcome, RUNTIME_OBJECT, Recorder, Recording, Run, RunLimits, Server, run,
};

const PRELUDE: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
void __wf_full(void);
void __wf_threads(void);
void __wf_begin(void);
unsigned long __wf_argument(int index, int bits);
#ifdef THREADED /* Each thread writes at its own cursor. */
const int __wf_threaded = 1;
extern _Thread_local volatile unsigned long *__wf_own;
#define HEADER __wf_own
#else
#define HEADER ((volatile unsigned long *)0x300000000000)
#endif
#define WORD(x) (*(volatile unsigned long *)HEADER[1] = (unsigned long)(x), HEADER[1] += 8)
#define BLOCK(n) do { if (HEADER[1] > HEADER[2]) __wf_full(); WORD(n); } while (0)
void __wf_main(unsigned long *count, char ***list);
unsigned long __wf_force(unsigned point, unsigned long value);
unsigned long __wf_move(unsigned point, unsigned long value);
#define REPLAYED(b, p) const int __wf_block_count = b, __wf_point_count = p
#define COUNT(n) (((volatile unsigned *)0x310000000000)[n]++)
#define FLAG(n) ((volatile unsigned char *)0x310000000000)[4 * __wf_block_count + (n)]
#define FORCED(n, x) (FLAG(n) ? __wf_force(n, x) : (x))
#define MOVED(n, x) (FLAG(n) ? __wf_move(n, x) : (x))
#define MAIN(n, list) do { unsigned long wide = n; __wf_main(&wide, &list); n = wide; } while (0)
/* Should the code under test fail to end a process, it ends by itself: nothing may stay on the machine. */
#define FOREVER do { sleep(20); _exit(99); } while (0)
#line 1
"#;

/// A compiled program in a folder of its own.
pub struct Program {
    folder: TempDir,
    pub path: PathBuf,
}

/// Compiles a program and links it with the runtime.
pub fn compile(source: &str) -> Program {
    compile_with(source, &[])
}

/// The same with further arguments for the compiler.
pub fn compile_with(source: &str, arguments: &[&str]) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let object = folder.path().join("runtime.o");
    let file = folder.path().join("program.c");
    let path = folder.path().join("program");
    std::fs::write(&object, RUNTIME_OBJECT).unwrap();
    std::fs::write(&file, format!("{PRELUDE}{source}")).unwrap();
    let output =
        Command::new("cc").args(["-w", "-O0", "-o"]).args([&path, &file, &object]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Program { folder, path }
}

impl Program {
    /// A run with a recording small enough for any disk.
    pub fn run(&self) -> Run<'_> {
        let mut run = Run::new(&self.path);
        run.limits.recording_mib = 16;
        run
    }

    /// The same in a kind of isolation.
    pub fn run_in(&self, isolation: Isolation) -> Run<'_> {
        Run { isolation, ..self.run() }
    }

    /// Serves runs of it.
    pub fn serve(&self) -> Server {
        Server::start(&self.path, &RunLimits::default()).unwrap()
    }

    /// Records runs of it, 1 MiB of each.
    pub fn recorder(&self) -> Recorder {
        let limits = RunLimits { recording_mib: 1, ..RunLimits::default() };
        Recorder::start(&self.path, &limits).unwrap()
    }

    /// Runs it without further ado.
    pub fn go(&self) -> Outcome {
        go(&self.run())
    }
}

/// Makes the run; checks that no file is left.
pub fn go(r: &Run) -> Outcome {
    try_go(r).unwrap()
}

/// The same where it may fail.
pub fn try_go(r: &Run) -> Result<Outcome, Error> {
    let temporary = tempfile::tempdir().unwrap();
    let result = run(r, temporary.path());
    let left: Vec<_> = std::fs::read_dir(temporary.path()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    result
}

/// The recording of a run of an instrumented program.
pub fn recording(outcome: &Outcome) -> &Recording {
    outcome.recording.as_ref().expect("the program is instrumented")
}

/// What it wrote to standard output, all of it.
pub fn stdout(outcome: &Outcome) -> &str {
    assert!(outcome.stdout.complete());
    std::str::from_utf8(&outcome.stdout.kept).unwrap()
}

/// Does something in every kind of isolation that this system allows.
pub fn everywhere(mut test: impl FnMut(Isolation)) {
    test(Isolation::Best);
    test(Isolation::Subreaper);
    let trivial = compile("int main(void) { return 0; }");
    let mut probe = trivial.run();
    probe.isolation = Isolation::UserNamespace;
    match try_go(&probe) {
        Ok(outcome) => {
            assert_eq!(outcome.ending, Ending::Exited(0));
            test(Isolation::UserNamespace);
        }
        Err(Error::Start { step, .. }) if step.contains("isolate") => {}
        Err(e) => panic!("{e}"),
    }
}

/// A word that no other process has on its command line.
pub fn marker() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("wherefore-test-{}-{number}-", std::process::id())
}

/// The processes with the marker on their command line.
pub fn survivors(marker: &str) -> Vec<String> {
    let mut found = vec![];
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&line).contains(marker) {
            found.push(entry.path().display().to_string());
        }
    }
    found
}

/// Runs the program with a marker and checks that no process of it is left.
pub fn go_marked(mut r: Run) -> Outcome {
    let marker = marker();
    r.arguments.insert(0, marker.clone().into());
    let outcome = go(&r);
    assert_eq!(survivors(&marker), Vec::<String>::new());
    outcome
}

/// How long to wait for a program to hang: longer each time until it got there, however busy the machine is. `FOREVER`
/// lasts longer than each.
pub const PATIENCE: [Duration; 3] = [Duration::from_millis(200), Duration::from_secs(3), Duration::from_secs(15)];

/// Runs a program that hangs until it has got as far as it is wanted to get before its time is up.
pub fn go_hanging(r: Run, is_there: impl Fn(&Outcome) -> bool) -> Outcome {
    for time in PATIENCE {
        let mut run = r.clone();
        run.limits.time = time;
        let outcome = go_marked(run);
        assert_eq!(outcome.ending, Ending::TimedOut);
        if is_there(&outcome) {
            return outcome;
        }
    }
    panic!("it did not get far enough in {PATIENCE:?}");
}

/// Which part of a test a process of its own does: set by [`start_part`], looked at by [`do_part`].
const PART: &str = "WF_TEST_PART";

/// Starts this test binary again to do a part: its test `part` calls [`do_part`].
fn start_part(part: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "part", "--nocapture", "--test-threads=1"]);
    command.env(PART, part).stdout(Stdio::null());
    command
}

/// Does the part that this process was started for, if it was. `hang` is given a program, the file that the program
/// creates when it is ready, and an isolation.
pub fn do_part(hang: impl FnOnce(&Path, OsString, Isolation), clean: impl FnOnce()) {
    match std::env::var(PART).as_deref() {
        Ok("hang") => {
            let program = std::env::var_os("WF_TEST_PROGRAM").unwrap();
            let ready = std::env::var_os("WF_TEST_READY").unwrap();
            let subreaper = std::env::var("WF_TEST_SUBREAPER").is_ok();
            hang(program.as_ref(), ready, if subreaper { Isolation::Subreaper } else { Isolation::Best });
        }
        Ok("clean") => clean(),
        Ok(other) => panic!("{other}"),
        Err(_) => {}
    }
}

/// Kills processes that hang in a program. There are so many processes of the program then; none survives.
pub fn kill_hanging(program: &Program, processes: usize) {
    let left = || survivors(&program.path.display().to_string());
    let folder = tempfile::tempdir().unwrap();
    for (turn, signal) in [libc::SIGKILL, libc::SIGINT, libc::SIGKILL].into_iter().enumerate() {
        let ready = folder.path().join(turn.to_string());
        let mut command = start_part("hang");
        command.env("WF_TEST_PROGRAM", &program.path).env("WF_TEST_READY", &ready).env("TMPDIR", folder.path());
        if turn == 2 {
            command.env("WF_TEST_SUBREAPER", "1");
        }
        let mut tool = command.spawn().unwrap();
        assert!(appears(&ready));
        assert_eq!(left().len(), processes);
        // SAFETY: our own child, which has not been waited for.
        unsafe { libc::kill(tool.id() as i32, signal) };
        tool.wait().unwrap();
        // By themselves they would stay for 20 s.
        let limit = Instant::now() + Duration::from_secs(15);
        while !left().is_empty() {
            assert!(Instant::now() < limit, "{turn}: {:?}", left());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Has a process of its own do the part that leaves nothing.
pub fn run_clean() {
    let output = start_part("clean").stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Does something in a process that does nothing else: it leaves no child, no descriptor and no mapping of such a name.
pub fn leaves_nothing(mapping: &str, work: impl FnOnce()) {
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let mappings = || std::fs::read_to_string("/proc/self/maps").unwrap().matches(mapping).count();
    let before = (descriptors(), mappings());
    work();
    assert_eq!((descriptors(), mappings()), before);
    // SAFETY: nothing else in this process waits for children.
    let child = unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::__WALL | libc::WNOHANG) };
    assert_eq!(child, -1, "a child is left");
}

/// Whether the path comes to exist.
fn appears(path: &Path) -> bool {
    for _ in 0..6000 {
        if path.exists() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}
