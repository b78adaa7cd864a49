//! What explaining a long run takes, by the event: a run of ten million events has to fit into memory.

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Memory for each further event, at most, in bytes. The word of the recording itself is eight of them.
const BYTES_PER_EVENT: u64 = 400;

/// Events and peak memory in KiB of explaining a recorded run, in a process of its own.
fn explained(program: &str, failure: &str, rounds: u64, folder: &Path) -> (u64, u64) {
    let wherefore = || Command::new(env!("CARGO_BIN_EXE_wherefore"));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("benches/programs/{program}.c"));
    let recording = folder.join("recording");
    let recorded = wherefore()
        .args(["record", "-q", "--entry", "work", "--input", &format!("n={rounds}"), "-D", failure, "-o"])
        .args([&recording, &file])
        .output()
        .expect("it runs");
    assert!(recording.exists(), "{}", String::from_utf8_lossy(&recorded.stderr));
    let mut child = wherefore()
        .args(["explain", "-q", "--format", "json"])
        .arg(&recording)
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let report: serde_json::Value =
        serde_json::from_reader(child.stdout.take().expect("its output")).expect("a report");
    let peak = peak_of(child);
    assert!(!report["explanation"].is_null(), "{report}");
    std::fs::remove_file(recording).expect("the recording is ours");
    (report["trace"]["events"].as_u64().expect("events"), peak)
}

/// Wait for a child; its peak memory in KiB.
fn peak_of(child: Child) -> u64 {
    // SAFETY: the structure is plain data that the kernel fills; the child is ours and was not waited for.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        let mut status = 0;
        libc::wait4(child.id() as i32, &mut status, 0, &mut usage);
        usage
    };
    usage.ru_maxrss as u64
}

#[test]
fn memory_grows_little_with_the_events_of_a_run() {
    let folder = tempfile::tempdir().expect("a folder");
    for (program, rounds) in [("compress", [500, 4_000]), ("list", [20, 200])] {
        let [few, many] = rounds.map(|rounds| explained(program, "EARLY", rounds, folder.path()));
        assert!(many.0 > few.0 + 100_000, "{program} is no long run: {} events", many.0);
        let each = many.1.saturating_sub(few.1) * 1024 / (many.0 - few.0);
        println!("{program}: {each} bytes for each of {} events", many.0 - few.0);
        assert!(each <= BYTES_PER_EVENT, "{program}: {each} bytes for each event");
    }
}
