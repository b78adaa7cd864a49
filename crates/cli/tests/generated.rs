//! Programs made up by chance, explained; see [`generator`].
//!
//! `WHEREFORE_PROGRAMS` says how many, `WHEREFORE_SEED` where to begin; a failure names the seed of its program.

mod generator;

use generator::explained::{WAYS, Way, explain, record};
use generator::properties::{Complaint, judge};
use generator::reality::{self, Check};
use generator::render::render;
use generator::sketch::Sketch;
use generator::strategy::sketch;
use generator::subject::{Subject, subjects};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

/// Programs by default.
const PROGRAMS: u64 = 200;
/// Programs in one executable.
const BATCH: u64 = 100;
/// Attempts at a smaller program.
const SHRINKING: usize = 120;

/// What is found out about a program.
#[derive(Default)]
struct Verdict {
    complaints: Vec<Complaint>,
    checks: Vec<Check>,
    left_out: usize,
}

#[test]
fn explanations_of_generated_programs() {
    let number = |name: &str, default| std::env::var(name).ok().map_or(default, |v| v.parse().expect("a number"));
    let (programs, first) = (number("WHEREFORE_PROGRAMS", PROGRAMS), number("WHEREFORE_SEED", 0));
    let survey = std::env::var_os("WHEREFORE_SURVEY").is_some();
    let mut explained = 0;
    let (mut checked, mut left_out) = (0, 0);
    let mut begin = first;
    while begin < first + programs {
        let seeds: Vec<u64> = (begin..(begin + BATCH).min(first + programs)).collect();
        begin += BATCH;
        let sketches: Vec<Sketch> = seeds.iter().map(|s| tree(*s).current()).collect();
        for ((seed, verdict), subject) in seeds.iter().zip(verdicts(&sketches, &WAYS.each_ref())).filter_map(|(s, v)| v.map(|(v, p)| ((s, v), p))) {
            explained += 1;
            checked += verdict.checks.len();
            left_out += verdict.left_out;
            if verdict.complaints.is_empty() {
                continue;
            }
            if survey {
                eprintln!("seed {seed}: {}", summary(&verdict.complaints));
                continue;
            }
            let (subject, complaints) = shrink(*seed, subject, verdict.complaints);
            panic!("seed {seed}:\n{}\n{}", listing(&subject), summary(&complaints));
        }
    }
    eprintln!("{explained} of {programs} programs explained; {checked} invariants checked natively, {left_out} not");
    assert!(explained * 10 >= programs * 7, "too few programs fail");
    assert!(programs < BATCH || checked > left_out, "too few invariants can be checked natively");
}

/// The sketch with a seed, ready to be shrunk.
fn tree(seed: u64) -> impl ValueTree<Value = Sketch> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), random);
    sketch().new_tree(&mut runner).expect("sketches are not rejected")
}

/// Everything about some programs; nothing about those that do not fail.
fn verdicts(sketches: &[Sketch], ways: &[&'static Way]) -> Vec<Option<(Verdict, Subject)>> {
    let directory = scratch();
    let programs = sketches.iter().map(|s| (render(s), s.assertion.clone())).collect();
    let subjects = subjects(programs, directory.path());
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<Verdict>>> = Mutex::new(subjects.iter().map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                let directory = scratch();
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(subject) = subjects.get(index) else { break };
                    let verdict = subject.as_ref().map(|s| verdict(s, ways, directory.path()));
                    results.lock().expect("no worker panics")[index] = verdict;
                }
            });
        }
    });
    let mut results: Vec<Option<(Verdict, Subject)>> =
        results.into_inner().expect("no worker panics").into_iter().zip(subjects).map(|(v, s)| v.zip(s)).collect();
    let real: Vec<&mut (Verdict, Subject)> = results.iter_mut().flatten().collect();
    let checks: Vec<(&Subject, &[Check])> = real.iter().map(|(v, s)| (s, &v.checks[..])).collect();
    let complaints = reality::complaints(&checks, directory.path());
    for ((verdict, _), more) in real.into_iter().zip(complaints) {
        verdict.complaints.extend(more);
    }
    results
}

/// What can be said about a program without running it natively.
fn verdict(subject: &Subject, ways: &[&'static Way], directory: &Path) -> Verdict {
    let mut verdict = Verdict::default();
    let complaint = |property, way, text| Complaint { property, way, text };
    let happened = match record(subject, directory) {
        Ok(happened) => happened,
        Err(text) => {
            verdict.complaints.push(complaint("recorded", WAYS[0].name, text));
            return verdict;
        }
    };
    for way in ways {
        let began = std::time::Instant::now();
        let judged = catch_unwind(AssertUnwindSafe(|| {
            let mut explained = explain(&happened, way, directory)?;
            let (checks, left_out) = reality::checks(subject, &happened.program, &explained);
            verdict.complaints.extend(judge(subject, &happened.program, &mut explained));
            verdict.checks.extend(checks);
            verdict.left_out += left_out;
            Ok::<(), String>(())
        }));
        if std::env::var_os("WHEREFORE_SURVEY").is_some() && began.elapsed().as_secs() > 4 {
            eprintln!("SLOW {:?} {}\n{}", began.elapsed(), way.name, listing(subject));
        }
        match judged {
            Ok(Ok(())) => {}
            Ok(Err(text)) => verdict.complaints.push(complaint("error", way.name, text)),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
                verdict.complaints.push(complaint("panic", way.name, text.unwrap_or_default()));
            }
        }
    }
    verdict
}

/// A smaller program with the same complaint.
fn shrink(seed: u64, subject: Subject, complaints: Vec<Complaint>) -> (Subject, Vec<Complaint>) {
    let Complaint { property, way, .. } = complaints[0];
    let ways: Vec<&'static Way> = WAYS.iter().filter(|w| w.name == way).collect();
    let mut tree = tree(seed);
    let mut smallest = (subject, complaints);
    let mut simpler = tree.simplify();
    for _ in 0..SHRINKING {
        if !simpler {
            break;
        }
        let found = verdicts(&[tree.current()], &ways).pop().flatten();
        simpler = match found.filter(|(v, _)| v.complaints.iter().any(|c| c.property == property)) {
            Some((verdict, subject)) => {
                smallest = (subject, verdict.complaints);
                tree.simplify()
            }
            None => tree.complicate(),
        };
    }
    smallest
}

/// The program with the numbers of its lines.
fn listing(subject: &Subject) -> String {
    let text = subject.text();
    let lines = text.lines().enumerate().map(|(number, line)| format!("{:3} | {line}\n", number + 1));
    let inputs: Vec<String> = subject.program.inputs.iter().map(|(n, v)| format!(" --input {n}={v}")).collect();
    format!("{}--entry {}{}", lines.collect::<String>(), subject.program.entry, inputs.concat())
}

fn summary(complaints: &[Complaint]) -> String {
    let lines: Vec<String> = complaints.iter().map(|c| format!("{} ({}): {}", c.property, c.way, c.text)).collect();
    lines.join("\n")
}

fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
    tempfile::Builder::new().prefix("generated").tempdir_in(base).expect("there is room")
}
