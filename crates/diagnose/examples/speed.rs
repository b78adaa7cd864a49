//! How fast sets are enumerated, without the time of the oracle:
//! `cargo run --release -p wherefore-diagnose --example speed`.

mod random;

use random::Random;
use std::time::{Duration, Instant};

use wherefore_budget::Budget;
use wherefore_diagnose::{Enumeration, Limits, Oracle, Set, Statement, Verdict, conflicts, corrections, product};

const COUNT: usize = 150;

impl Random {
    fn set(&mut self, count: usize, size: usize) -> Set {
        let mut set: Set = (0..size).map(|_| self.below(count) as Statement).collect();
        set.sort_unstable();
        set.dedup();
        set
    }
}

/// Cores that all contain one statement of each planted correction set, and some more.
fn cores(random: &mut Random, cores: usize, planted: usize, largest: usize) -> Vec<Set> {
    let size = |random: &mut Random| 1 + random.below(largest);
    let plants: Vec<Set> = (0..planted)
        .map(|_| {
            let size = size(random);
            random.set(COUNT, size)
        })
        .collect();
    (0..cores)
        .map(|_| {
            let mut core = random.set(COUNT, 10);
            core.extend(plants.iter().map(|plant| plant[random.below(plant.len())]));
            core.sort_unstable();
            core.dedup();
            core
        })
        .collect()
}

/// A test that can pass if each hidden core has a free statement.
struct Hidden {
    cores: Vec<Vec<bool>>,
    random: Random,
    asked: usize,
    time: Duration,
}

impl Hidden {
    fn new(cores: &[Set], random: Random) -> Self {
        let cores = cores.iter().map(|core| (0..COUNT as Statement).map(|s| core.contains(&s)).collect()).collect();
        Hidden { cores, random, asked: 0, time: Duration::ZERO }
    }

    fn answer(&mut self, free: &[Statement]) -> Verdict {
        let is_open = |core: &&Vec<bool>| !free.iter().any(|&s| core[s as usize]);
        let open: Vec<&Vec<bool>> = self.cores.iter().filter(is_open).collect();
        if open.is_empty() {
            return Verdict::Repairs;
        }
        let core = open[self.random.below(open.len())];
        // One in twenty of the others is named without need.
        let mut is_needless = |s: Statement| self.random.below(20) == 0 && free.binary_search(&s).is_err();
        Verdict::Core((0..COUNT as Statement).filter(|&s| core[s as usize] || is_needless(s)).collect())
    }
}

impl Oracle for Hidden {
    fn count(&self) -> usize {
        COUNT
    }

    fn tests(&self) -> usize {
        1
    }

    fn check(&mut self, _: usize, free: &[Statement]) -> Verdict {
        let began = Instant::now();
        let verdict = self.answer(free);
        self.asked += 1;
        self.time += began.elapsed();
        verdict
    }
}

fn limits(max_size: Option<usize>, max_sets: Option<usize>) -> Limits {
    Limits { max_size, max_sets, budget: Budget::new(Some(Duration::from_secs(10)), None) }
}

fn show(what: &str, found: &Enumeration, time: Duration, more: &str) {
    let sets = found.sets.len();
    let end = found.incomplete.as_ref().map_or("all".to_string(), |reason| reason.to_string());
    let speed = sets as f64 / time.as_secs_f64();
    println!("  {what:<26} {sets:7} sets in {time:8.1?}, {speed:8.0} sets/s{more} ({end})");
}

fn main() {
    for (count, planted, largest, max_size) in [
        (5, 10, 3, None),
        (40, 30, 3, Some(3)),
        (100, 30, 4, Some(4)),
        (100, 40, 4, Some(4)),
        (300, 40, 5, Some(5)),
        (500, 40, 5, Some(5)),
        (800, 40, 6, Some(6)),
    ] {
        let mut random = Random(count as u64);
        let cores = cores(&mut random, count, planted, largest);
        let mean = cores.iter().map(Vec::len).sum::<usize>() / count;
        println!("{COUNT} statements, {count} hidden cores of about {mean}, sets up to {max_size:?}");

        let mut oracle = Hidden::new(&cores, random);
        let began = Instant::now();
        let found = corrections(&mut oracle, 0, &limits(max_size, None));
        let time = began.elapsed() - oracle.time;
        let each = time.as_secs_f64() * 1e6 / oracle.asked as f64;
        show("corrections", &found, time, &format!(", {} questions, {each:.1} us each", oracle.asked));

        let began = Instant::now();
        let found = conflicts(&cores, &limits(max_size, None));
        show("with all cores known", &found, began.elapsed(), "");

        let began = Instant::now();
        let found = conflicts(&found.sets, &limits(None, Some(1000)));
        show("back, at most 1000", &found, began.elapsed(), "");
    }
    for (tests, sets, size) in [(3, 30, 3), (6, 10, 3), (10, 8, 2), (20, 6, 2)] {
        println!("{tests} tests with {sets} sets of {size} of 30 statements each");
        let mut random = Random(tests as u64);
        let per_test: Vec<Vec<Set>> = (0..tests).map(|_| (0..sets).map(|_| random.set(30, size)).collect()).collect();
        for max_sets in [Some(1000), None] {
            let began = Instant::now();
            let found = product(&per_test, &limits(None, max_sets));
            show("product", &found, began.elapsed(), "");
        }
    }
}
