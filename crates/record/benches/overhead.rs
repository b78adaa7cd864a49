//! What a run costs: `cargo bench -p wherefore-record`. Prints the median of each kind of run of a trivial program, of a
//! case that is served or recorded, and the time per recorded word.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use wherefore_record::{Ending, Isolation, RUNTIME_OBJECT, Recorder, Run, RunLimits, Server, Task, run};

const SOURCE: &str = r#"
#include <stdlib.h>
void __wf_full(void);
#define HEADER ((volatile unsigned long *)0x300000000000)
#define WORD(x) (*(volatile unsigned long *)HEADER[1] = (unsigned long)(x), HEADER[1] += 8)
int main(int count, char **arguments) {
    unsigned long words = count > 1 ? strtoul(arguments[1], 0, 10) : 1;
    for (unsigned long i = 0; i < words; i++) { if (HEADER[1] > HEADER[2]) __wf_full(); WORD(i); }
    return 0;
}"#;

const SERVED: &str = r#"
#include <stdio.h>
const int __wf_block_count = 1000, __wf_point_count = 3000;
int main(void) { ((volatile unsigned *)0x310000000000)[5]++; puts("hello"); return 0; }"#;

fn compile(folder: &Path, source_text: &str) -> PathBuf {
    let (object, source, path) = (folder.join("r.o"), folder.join("p.c"), folder.join("p"));
    std::fs::write(&object, RUNTIME_OBJECT).expect("write the runtime");
    std::fs::write(&source, source_text).expect("write the program");
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-no-pie", "-Wl,-z,now", "-o"]).args([&path, &source, &object]);
    assert!(compiler.status().expect("run cc").success());
    path
}

fn median(count: usize, mut once: impl FnMut()) -> Duration {
    let mut times: Vec<_> = (0..count)
        .map(|_| {
            let start = Instant::now();
            once();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[count / 2]
}

fn serve() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = compile(folder.path(), SERVED);
    let start = || Server::start(&program, &RunLimits::default()).expect("a server");
    println!("start of a server                       {:>10.1?}", median(50, || drop(start())));
    let mut server = start();
    let mut case = || {
        let outcome = server.run(&Task::default()).expect("a case");
        assert_eq!((outcome.ending, outcome.counts[5]), (Ending::Exited(0), 1));
    };
    println!("served case                             {:>10.1?}", median(2000, &mut case));
    let began = Instant::now();
    (0..2000).for_each(|_| case());
    println!("served case, mean of 2000               {:>10.1?}", began.elapsed() / 2000);
}

fn serve_recorded(program: &Path) {
    let limits = RunLimits { recording_mib: 1, ..RunLimits::default() };
    let mut recorder = Recorder::start(program, &limits).expect("a recorder");
    let mut case = || {
        let outcome = recorder.run(&Task::default()).expect("a case");
        assert_eq!(outcome.recording.expect("a recording").words(), [0]);
    };
    println!("recorded case                           {:>10.1?}", median(2000, &mut case));
}

fn main() {
    serve();
    let folder = tempfile::tempdir().expect("a folder");
    let program = compile(folder.path(), SOURCE);
    serve_recorded(&program);
    let shared = Path::new("/dev/shm");
    let plain = median(200, || {
        assert!(Command::new(&program).status().expect("run it").success());
    });
    println!("started by std::process::Command        {plain:>10.1?}");
    for (name, isolation, mib, directory) in [
        ("namespace, 1 GiB on disk", Isolation::Best, 1024, folder.path()),
        ("namespace, 1 GiB in /dev/shm", Isolation::Best, 1024, shared),
        ("namespace, nothing recorded", Isolation::Best, 0, shared),
        ("user namespace, 1 GiB in /dev/shm", Isolation::UserNamespace, 1024, shared),
        ("subreaper, 1 GiB in /dev/shm", Isolation::Subreaper, 1024, shared),
    ] {
        let mut r = Run::new(&program);
        r.isolation = isolation;
        r.limits.recording_mib = mib;
        let time = median(200, || {
            run(&r, directory).expect("a run");
        });
        println!("{name:<40}{time:>10.1?}");
    }
    let memory = vec![1u8; 1 << 30];
    let time = median(20, || {
        run(&Run::new(&program), shared).expect("a run");
    });
    println!("namespace, from a tool of {} MiB         {time:>10.1?}", memory.len() >> 20);
    drop(memory);
    for (name, directory) in [("disk", folder.path()), ("/dev/shm", shared)] {
        let words = 20_000_000;
        let mut r = Run::new(&program);
        r.arguments = vec![words.to_string().into()];
        let start = Instant::now();
        let outcome = run(&r, directory).expect("a run");
        let recorded = outcome.recording.expect("a recording").words().len();
        assert_eq!(recorded, words);
        let each = start.elapsed().as_nanos() as f64 / words as f64;
        println!("per word on {name:<28}{each:>8.1} ns");
    }
}
