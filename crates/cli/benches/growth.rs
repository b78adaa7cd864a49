//! How time and memory grow with the length of the trace, and how much recording slows a program down.
//!
//! `cargo bench -p wherefore-cli` prints two tables. Figures hold for the machine they are printed on; the ratios are of
//! one run.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wherefore_frontend as frontend;
use wherefore_record::{RUNTIME_OBJECT, Run};

/// What the columns of growth are.
const HEAD: &str = "program           rounds     events statements    steps   time s us/stmt  peak MiB bytes/event";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/programs");
    println!("explain: growth with the length of the trace");
    println!("{HEAD}");
    for program in ["rounds", "latest"] {
        for rounds in [20, 200, 2_000, 20_000] {
            growth(&programs.join(format!("{program}.c")), program, &[], rounds)?;
        }
    }
    println!("\nexplain: long runs");
    println!("{HEAD}");
    for (program, sizes) in
        [("compress", [500, 5_000, 50_000]), ("table", [3_000, 30_000, 300_000]), ("list", [10, 100, 1_000])]
    {
        for failure in ["NEVER", "EARLY", "LATE"] {
            for rounds in sizes {
                let file = programs.join(format!("{program}.c"));
                growth(&file, &format!("{program} {}", failure.to_lowercase()), &["-D", failure], rounds)?;
            }
        }
    }
    println!("\nrecord: slow-down against the same program at -O0 (processor time, best of 5)");
    println!("{:<10} {:>10} {:>12} {:>8} {:>14}", "program", "plain s", "recorded s", "ratio", "words");
    for program in ["loops", "pointers"] {
        slow_down(&programs.join(format!("{program}.c")), program)?;
    }
    Ok(())
}

/// Explain one run in a process of its own, so that its memory is its own.
fn growth(file: &Path, name: &str, options: &[&str], rounds: u64) -> Result<(), Box<dyn std::error::Error>> {
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_wherefore"))
        .args(["explain", "--format", "json", "--entry", "work", "--timeout", "600", "--input", &format!("n={rounds}")])
        .args(options)
        .arg(file)
        .stdout(Stdio::piped())
        .spawn()?;
    let mut text = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().ok_or("no output")?, &mut text)?;
    let peak = wait_for_peak(child.id());
    let time = started.elapsed();
    let report: serde_json::Value = serde_json::from_str(&text)?;
    let statements = report["trace"]["statements"].as_u64().ok_or("no statements")?;
    let events = report["trace"]["events"].as_u64().ok_or("no events")?;
    // Of a run that was too long for the time there are none.
    let steps = report["explanation"]["steps"].as_array().map_or("-".into(), |steps| steps.len().to_string());
    let per_statement = time.as_micros() as f64 / statements.max(1) as f64;
    println!(
        "{name:<16} {rounds:>7} {events:>10} {statements:>10} {steps:>8} {:>8.2} {per_statement:>7.1} {:>9} {:>11}",
        time.as_secs_f64(),
        peak / 1024,
        peak as u64 * 1024 / events.max(1)
    );
    Ok(())
}

/// Wait for a child; its peak memory in KiB.
fn wait_for_peak(pid: u32) -> i64 {
    // SAFETY: the structure is plain data that the kernel fills; the child is ours and was not waited for.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        let mut status = 0;
        libc::wait4(pid as i32, &mut status, 0, &mut usage);
        usage.ru_maxrss
    }
}

fn slow_down(file: &Path, name: &str) -> Result<(), Box<dyn std::error::Error>> {
    let dir = tempfile::tempdir_in(if Path::new("/dev/shm").is_dir() { "/dev/shm" } else { "/tmp" })?;
    let plain: PathBuf = dir.path().join("plain");
    let compiled = Command::new("clang-19").args(["-O0", "-o"]).arg(&plain).arg(file).status()?;
    if !compiled.success() {
        return Err("clang failed".into());
    }
    let options = frontend::Options {
        entry: "main".into(),
        clang_args: vec![],
        error_label: None,
        linked: None,
        runtime_object: RUNTIME_OBJECT.to_vec(),
        budget: Default::default(),
    };
    let build = frontend::build(&[file.to_path_buf()], &options, frontend::Instrument::Record, dir.path())?;
    let mut best = [Duration::MAX; 2];
    let mut words = 0;
    for _ in 0..5 {
        let before = children_time();
        Command::new(&plain).status()?;
        best[0] = best[0].min(children_time() - before);
        let mut run = Run::new(&build.executable);
        run.limits.recording_mib = 4096;
        run.limits.time = Duration::from_secs(120);
        let before = children_time();
        let outcome = wherefore_record::run(&run, dir.path())?;
        best[1] = best[1].min(children_time() - before);
        words = outcome.recording.map_or(0, |r| r.words().len());
    }
    let [plain, recorded] = best.map(|t| t.as_secs_f64());
    println!("{name:<10} {plain:>10.3} {recorded:>12.3} {:>7.1}x {words:>14}", recorded / plain);
    Ok(())
}

/// User and system time of all children that were waited for.
fn children_time() -> Duration {
    // SAFETY: as above.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
    time(usage.ru_utime) + time(usage.ru_stime)
}
