//! Programs made up by chance, explained in every way; see [`generator`] for what has to be true of them.
//!
//! `WHEREFORE_PROGRAMS` says how many, `WHEREFORE_SEED` where to begin: program number n is always the same one. The
//! first that is not as it has to be is made smaller and shown; with `WHEREFORE_SURVEY` all are shown as they are.

mod generator;

use generator::explained::{WAYS, Way};
use generator::properties::{Complaint, SLOW};
use generator::sketch::Sketch;
use generator::strategy::sketch;
use generator::subject::Subject;
use generator::verdict::{Verdict, verdicts};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Programs by default.
const PROGRAMS: u64 = 200;
/// Programs in one native executable.
const BATCH: u64 = 100;
/// Attempts at a smaller program.
const SHRINKING: usize = 100;

#[test]
fn explanations_of_generated_programs() {
    let number = |name: &str, default| std::env::var(name).ok().map_or(default, |v| v.parse().expect("a number"));
    let (programs, first) = (number("WHEREFORE_PROGRAMS", PROGRAMS), number("WHEREFORE_SEED", 0));
    let survey = std::env::var_os("WHEREFORE_SURVEY").is_some();
    let seeds: Vec<u64> = (first..first + programs).collect();
    let (mut failing, mut slow, mut checked, mut left_out) = (0, 0, 0, 0);
    for seeds in seeds.chunks(BATCH as usize) {
        let sketches: Vec<Sketch> = seeds.iter().map(|s| tree(*s).current()).collect();
        let all = seeds.iter().zip(verdicts(&sketches, &WAYS.each_ref()));
        for (seed, verdict) in all.filter_map(|(s, v)| Some((*s, v?))) {
            failing += 1;
            checked += verdict.checks.len();
            left_out += verdict.left_out;
            slow += u64::from(verdict.complaints.iter().any(|c| c.property == SLOW));
            if survey && !verdict.complaints.is_empty() {
                eprintln!("{}\nseed {seed}: {}", listing(&verdict.subject), summary(&verdict.complaints));
            } else if let Some(wrong) = verdict.complaints.iter().find(|c| c.property != SLOW).cloned() {
                let verdict = shrink(seed, verdict, &wrong);
                panic!("seed {seed}:\n{}\n{}", listing(&verdict.subject), summary(&verdict.complaints));
            }
        }
    }
    eprintln!("{failing} of {programs} programs fail, {slow} take too long to explain");
    eprintln!("{checked} invariants checked natively, {left_out} not");
    assert!(programs < BATCH || failing * 10 >= programs * 8, "too few programs fail");
    assert!(programs < BATCH || slow * 20 <= programs, "too many programs take too long");
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

/// A smaller program that the same can be said against.
fn shrink(seed: u64, verdict: Verdict, wrong: &Complaint) -> Verdict {
    let ways: Vec<&'static Way> = WAYS.iter().filter(|w| w.name == wrong.way).collect();
    let mut tree = tree(seed);
    let mut smallest = verdict;
    let mut simpler = tree.simplify();
    for _ in 0..SHRINKING {
        if !simpler {
            break;
        }
        let found = verdicts(&[tree.current()], &ways).pop().flatten();
        simpler = match found.filter(|v| v.complaints.iter().any(|c| c.property == wrong.property)) {
            Some(verdict) => {
                smallest = verdict;
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
