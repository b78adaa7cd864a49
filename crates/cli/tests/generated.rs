//! Programs made up by chance, explained in every way; see [`generator`] for what has to be true of them.
//!
//! `WHEREFORE_PROGRAMS` says how many, `WHEREFORE_SEED` where to begin: program number n is always the same one. The
//! first that is not as it has to be is made smaller and shown; with `WHEREFORE_SURVEY` all are shown as they are.

mod generator;

use generator::asked::Asked;
use generator::explained::{WAYS, Way};
use generator::properties::{Complaint, UNDECIDED};
use generator::shrunk::{shrink, tree};
use generator::sketch::Sketch;
use generator::strategy::sketch;
use generator::verdict::{Verdict, verdicts};
use proptest::strategy::ValueTree;
use wherefore_parallel::{processors, try_parallel};

/// Programs by default; `scripts/hunt` takes more.
const PROGRAMS: u64 = 40;
/// Programs in one native executable.
const BATCH: usize = 10;
/// Programs that multiply so that solvers take minutes over them: only for a hunt.
const HARD: [u64; 2] = [2, 38];

#[test]
fn explanations_of_generated_programs() {
    let asked = Asked::new(PROGRAMS);
    let seeds: Vec<u64> = asked.seeds.clone().filter(|s| asked.survey || !HARD.contains(s)).collect();
    let batches: Vec<&[u64]> = seeds.chunks(BATCH).collect();
    let one = |(): &mut (), _: usize, seeds: &&[u64]| count(seeds, asked.survey);
    let counts = try_parallel(&batches, processors(), || Ok(()), one).unwrap_or_else(|wrong: String| panic!("{wrong}"));
    let sum = |part: fn(&Count) -> u64| counts.iter().map(part).sum::<u64>();
    let (failing, undecided) = (sum(|c| c.failing), sum(|c| c.undecided));
    let (checked, left_out) = (sum(|c| c.checked), sum(|c| c.left_out));
    let programs = asked.programs();
    eprintln!("{failing} of {programs} programs fail, {undecided} explanations are too hard to check");
    eprintln!("{checked} invariants checked natively, {left_out} not");
    assert!(programs < PROGRAMS || failing * 10 >= programs * 8, "too few programs fail");
    assert!(programs < PROGRAMS || undecided * 20 <= failing, "too many programs are too hard to check");
    assert!(programs < PROGRAMS || checked * 2 > left_out, "too few invariants can be checked natively");
}

/// What was seen.
#[derive(Default)]
struct Count {
    failing: u64,
    undecided: u64,
    checked: u64,
    left_out: u64,
}

/// Explain some programs; an error for the first that is not as it has to be, unless all of them are to be shown.
fn count(seeds: &[u64], survey: bool) -> Result<Count, String> {
    let sketches: Vec<Sketch> = seeds.iter().map(|s| tree(&sketch(), *s).current()).collect();
    let mut count = Count::default();
    let all = seeds.iter().zip(verdicts(&sketches, &WAYS.each_ref()));
    for (seed, verdict) in all.filter_map(|(s, v)| Some((*s, v?))) {
        count.failing += 1;
        count.checked += verdict.checks.len() as u64;
        count.left_out += verdict.left_out as u64;
        count.undecided += u64::from(verdict.complaints.iter().any(|c| c.property == UNDECIDED));
        if survey && !verdict.complaints.is_empty() {
            eprintln!("{}", shown(seed, &verdict));
        } else if let Some(wrong) = verdict.complaints.iter().find(|c| c.property != UNDECIDED).cloned() {
            return Err(shown(seed, &smaller(seed, verdict, &wrong)));
        }
    }
    Ok(count)
}

/// A smaller program that the same can be said against.
fn smaller(seed: u64, verdict: Verdict, wrong: &Complaint) -> Verdict {
    let ways: Vec<&'static Way> = WAYS.iter().filter(|w| w.name == wrong.way).collect();
    shrink(tree(&sketch(), seed), verdict, |sketch| {
        let found = verdicts(&[sketch], &ways).pop().flatten();
        found.filter(|v| v.complaints.iter().any(|c| c.property == wrong.property))
    })
}

fn shown(seed: u64, verdict: &Verdict) -> String {
    let lines = verdict.complaints.iter().map(|c| format!("\n{} ({}): {}", c.property, c.way, c.text));
    format!("seed {seed}:\n{}{}", verdict.subject.listing(), lines.collect::<String>())
}
