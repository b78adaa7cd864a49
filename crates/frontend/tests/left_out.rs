//! Recordings leave out what the program's text says. With that put back, they are those in which every word was written.

use std::path::{Path, PathBuf};
use std::time::Duration;
use wherefore_frontend::{Instrument, Options, build};
use wherefore_record::{GlobalImage, RUNTIME_OBJECT, Recording, Run, run};

/// The C programs below a directory.
fn programs(directory: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "c") && !waits_for_signals(&path) {
            found.push(path);
        }
    }
}

/// Whether a program goes round until a signal comes, which is at another moment in each run.
fn waits_for_signals(path: &Path) -> bool {
    std::fs::read_to_string(path).is_ok_and(|text| text.contains("spins:"))
}

/// What a run records; `None` if the program is none that can be run like this.
fn recorded(path: &Path, instrument: Instrument) -> Option<Recording> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let options = Options {
        entry: "main".into(),
        clang_args: vec!["-w".into(), "-lm".into(), "-lpthread".into()],
        error_label: None,
        linked: None,
        runtime_object: RUNTIME_OBJECT.to_vec(),
        budget: Default::default(),
    };
    let built = build(&[path.to_owned()], &options, instrument, directory.path()).ok()?;
    let mut run_of_it = Run::new(&built.executable);
    run_of_it.argv0 = Some("program".into());
    run_of_it.limits.time = Duration::from_millis(400);
    run_of_it.limits.recording_mib = 8;
    run_of_it.directory = Some(directory.path().to_owned());
    run(&run_of_it, directory.path()).expect("it runs").recording
}

/// A word by what it points to, where that is a global: those are elsewhere in the other executable.
fn place(word: u64, globals: &[GlobalImage]) -> Option<(usize, u64)> {
    globals
        .iter()
        .position(|g| (g.address..g.address + g.size.max(1)).contains(&word))
        .map(|n| (n, word - globals[n].address))
}

#[test]
fn what_is_put_back_is_what_was_left_out() {
    let mut all = vec![];
    for directory in ["tests/programs", "../../tests"] {
        programs(Path::new(directory), &mut all);
    }
    let next = std::sync::atomic::AtomicUsize::new(0);
    let compared = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = all.get(next.fetch_add(1, std::sync::atomic::Ordering::SeqCst)) {
                    let both = [Instrument::RecordPlainly, Instrument::Record].map(|how| recorded(path, how));
                    if let [Some(plain), Some(put_back)] = &both {
                        compare(path, plain, put_back);
                        compared.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    }
                }
            });
        }
    });
    assert!(compared.into_inner() > 300, "most of {} programs can be run", all.len());
}

fn compare(path: &Path, plain: &Recording, put_back: &Recording) {
    let path = path.display();
    // Threads take turns otherwise in each run.
    if plain.threads.are_several() {
        return;
    }
    // The one that was stopped at a limit may have come further.
    let length = plain.words().len().min(put_back.words().len());
    if plain.words().len() < 100_000 {
        assert_eq!((plain.words().len(), plain.state), (put_back.words().len(), put_back.state), "{path}");
    }
    for (at, (&a, &b)) in plain.words()[..length].iter().zip(put_back.words()).enumerate() {
        // What is on the stack, on the heap, in libraries or in the code is elsewhere as well.
        let is_same = a == b
            || match (place(a, &plain.globals), place(b, &put_back.globals)) {
                (None, None) => a.min(b) >= 1 << 22,
                (a, b) => a == b,
            };
        assert!(is_same, "{path}: word {at} is {b:#x} instead of {a:#x}");
    }
}
