//! How long commands take to end at their limits: `cargo run --release -p wherefore-cli --example limits`.
//!
//! Twenty programs and more for each limit (time, Ctrl-C, memory), or those of one kind (`time`, `interrupt`, `memory`,
//! `diagnose`: twenty at all three); for each how it ended and how long that took. Says at
//! the end how many were late, or left something behind.

#[path = "../tests/limits/programs.rs"]
#[allow(dead_code)]
mod programs;

use programs::Program;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const TIME: f64 = 5.0;
const INTERRUPTED_AFTER: Duration = Duration::from_secs(2);
const MEMORY_MIB: u64 = 300;

/// What came of a command.
struct Ended {
    status: ExitStatus,
    /// Since the limit, or the start where that has none of its own.
    took: Duration,
    peak_mib: u64,
    interrupted: bool,
    said: String,
}

fn main() -> ExitCode {
    let wherefore = beside();
    if !wherefore.exists() {
        eprintln!("{}: build it first: cargo build -p wherefore-cli", wherefore.display());
        return ExitCode::FAILURE;
    }
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let is_chosen = |limit: &str| chosen.is_empty() || chosen.iter().any(|c| c == limit);
    let before = folders();
    let mut wrong = 0;
    let mut row = |limit: &str, program: &Program, ended: &Ended, is_right: bool| {
        wrong += u32::from(!is_right);
        let status =
            ended.status.code().map_or_else(|| format!("{:?}", ended.status.signal()), |code| code.to_string());
        let mark = if is_right { "" } else { "  <- WRONG" };
        println!(
            "| {limit} | {} {} | {status} | {:.2} s | {} MiB | {}{mark} |",
            program.command.join(" "),
            program.name,
            ended.took.as_secs_f64(),
            ended.peak_mib,
            ended.said
        );
    };
    println!("| limit | command and program | status | time to end | peak memory | what it says |");
    println!("|---|---|---|---|---|---|");
    if is_chosen("time") {
        for program in programs::long() {
            let ended = run(&wherefore, &program, &["--timeout", &TIME.to_string()], None);
            let in_time = ended.took.as_secs_f64() <= TIME + 1.0;
            row("--timeout 5", &program, &ended, in_time && is_answer(&ended, ended.took.as_secs_f64() < TIME));
        }
    }
    if is_chosen("interrupt") {
        for program in programs::long() {
            let ended = run(&wherefore, &program, &["--timeout", "100"], Some(INTERRUPTED_AFTER));
            let in_time = ended.took <= Duration::from_secs(1);
            row("Ctrl-C", &program, &ended, in_time && is_answer(&ended, !ended.interrupted));
        }
    }
    if is_chosen("memory") {
        for program in programs::large() {
            let ended = run(&wherefore, &program, &["--timeout", "100", "--memory", &MEMORY_MIB.to_string()], None);
            // Files and shared pages count for the peak and not for the limit.
            let is_small = ended.peak_mib <= MEMORY_MIB + 150;
            row("--memory 300", &program, &ended, is_small && is_answer(&ended, true));
        }
    }
    if is_chosen("diagnose") {
        for program in programs::diagnosed() {
            let ended = run(&wherefore, &program, &["--timeout", &TIME.to_string()], None);
            let in_time = ended.took.as_secs_f64() <= TIME + 1.0;
            row("--timeout 5", &program, &ended, in_time && is_answer(&ended, ended.took.as_secs_f64() < TIME));
            let ended = run(&wherefore, &program, &["--timeout", "100"], Some(Duration::from_secs(3)));
            let in_time = ended.took <= Duration::from_secs(1) || !ended.interrupted;
            row("Ctrl-C", &program, &ended, in_time && is_answer(&ended, !ended.interrupted));
            let ended = run(&wherefore, &program, &["--timeout", "60", "--memory", &MEMORY_MIB.to_string()], None);
            let is_small = ended.peak_mib <= MEMORY_MIB + 150;
            row("--memory 300", &program, &ended, is_small && is_answer(&ended, true));
        }
    }
    let left: Vec<PathBuf> = folders().into_iter().filter(|folder| !before.contains(folder)).collect();
    println!("\n{wrong} wrong; folders left: {left:?}");
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Partial, or without a limit: then it ended by itself.
fn is_answer(ended: &Ended, by_itself: bool) -> bool {
    ended.status.code() == Some(4) || by_itself && matches!(ended.status.code(), Some(0 | 3))
}

/// The command, which is built into the folder above the examples.
fn beside() -> PathBuf {
    let own = std::env::current_exe().expect("a path");
    own.parent().and_then(Path::parent).expect("target/PROFILE/examples").join("wherefore")
}

fn run(wherefore: &Path, program: &Program, options: &[&str], interrupt: Option<Duration>) -> Ended {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("prog.c"), &program.text).expect("a file");
    let mut command = Command::new(wherefore);
    command.args(program.command).args(["prog.c", "-q"]).args(options).current_dir(folder.path());
    // Whoever runs this in the background ignores Ctrl-C, and would have the command ignore it too.
    let listen = || {
        // SAFETY: a plain system call.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
        Ok(())
    };
    // SAFETY: it makes system calls only.
    unsafe { command.pre_exec(listen) };
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let stdout = child.stdout.take().expect("a pipe");
    let reader = std::thread::spawn(move || std::io::read_to_string(stdout).unwrap_or_default());
    let mut began = Instant::now();
    let (mut peak, mut interrupted) = (0, false);
    let mut interrupt = interrupt.map(|after| began + after);
    let status = loop {
        peak = peak.max(peak_mib(&child));
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            break status;
        }
        if interrupt.is_some_and(|at| Instant::now() >= at) {
            (interrupt, interrupted) = (None, true);
            began = Instant::now();
            // SAFETY: a plain system call; the child is not waited for yet.
            unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) };
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let took = began.elapsed();
    let said = reader.join().expect("no panic");
    let said = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("").chars().take(90).collect();
    Ended { status, took, peak_mib: peak, interrupted, said }
}

fn peak_mib(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|kib| kib.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// Folders of ours in the file system in memory.
fn folders() -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/dev/shm").into_iter().flatten().flatten().map(|entry| entry.path());
    entries
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("wherefore-")))
        .collect()
}
