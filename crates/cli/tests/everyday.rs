//! The programs of `tests/everyday` are explained as they should be; `cargo bench -p wherefore-cli --bench everyday`
//! prints the table.

mod common;
#[path = "everyday/mod.rs"]
mod everyday;

use everyday::answer::{Answer, CHECKS, not_yet};
use everyday::oracle;
use everyday::program::Everyday;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Do something for each program, on all processors, and gather what is wrong.
fn for_each(names: Vec<String>, check: impl Fn(&Everyday, &Path) -> Vec<String> + Sync) -> Vec<String> {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(vec![]));
    let work = || {
        let scratch = tempfile::tempdir().expect("a directory");
        while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
            let found = check(&Everyday::read(name), scratch.path());
            wrong.lock().expect("no panic").extend(found.into_iter().map(|w| format!("{name}: {w}")));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let mut wrong = wrong.into_inner().expect("no panic");
    wrong.sort();
    wrong
}

#[test]
fn answers_are_right() {
    let not_yet = not_yet();
    let wrong = for_each(Everyday::names(), |program, scratch| {
        let wrong = Answer::of(program, scratch).wrong(program);
        let is_known = |check: &str| not_yet.contains_key(&(program.name.clone(), check.to_string()));
        let news = CHECKS.iter().filter_map(|check| match (wrong.get(check), is_known(check)) {
            (Some(wrong), false) => Some(format!("{check}: {wrong}")),
            (None, true) => Some(format!("{check} holds now: take it out of not_yet.txt")),
            _ => None,
        });
        news.collect()
    });
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_exception_is_of_a_program() {
    let names = Everyday::names();
    for (program, check) in not_yet().into_keys() {
        assert!(names.contains(&program) && CHECKS.contains(&check.as_str()), "not_yet.txt: {program} {check}");
    }
}

/// Every kind of failure is there at least three times.
#[test]
fn all_kinds_are_there() {
    let programs: Vec<Everyday> = Everyday::names().iter().map(|name| Everyday::read(name)).collect();
    assert!(programs.len() >= 40);
    let mut classes: BTreeMap<String, usize> = BTreeMap::new();
    for program in &programs {
        for class in program.classes() {
            *classes.entry(class.to_string()).or_default() += 1;
        }
        assert!(!program.marked("CAUSE").is_empty() && !program.marked("FAILS").is_empty(), "{}", program.name);
    }
    let few: Vec<_> = classes.iter().filter(|(_, count)| **count < 3).collect();
    assert!(few.is_empty(), "{few:?}");
    assert!(classes["wrong output"] >= 10);
    let missed = |p: &&Everyday| p.memory().is_some() && !p.is_detected_by("asan") && !p.is_detected_by("valgrind");
    assert!(programs.iter().filter(missed).count() >= 5);
}

/// What the programs say of their memory errors is what AddressSanitizer and valgrind say.
#[test]
fn sanitizers_agree() {
    let detected = |name: &String| ["asan", "valgrind"].iter().any(|tool| Everyday::read(name).is_detected_by(tool));
    let names: Vec<String> = Everyday::names().into_iter().filter(detected).collect();
    assert!(names.len() >= 20);
    let wrong = for_each(names, |program, scratch| {
        type Ask = fn(&Everyday, &Path) -> Option<oracle::Verdict>;
        let tools: [(_, Ask); 2] = [("asan", oracle::asan), ("valgrind", oracle::valgrind)];
        let asked = tools.into_iter().filter(|(tool, _)| program.is_detected_by(tool));
        let differs = asked.flat_map(|(tool, ask)| match ask(program, scratch) {
            Some(verdict) => verdict.differs(program).iter().map(|w| format!("{tool}: {w}")).collect(),
            None => vec![format!("{tool}: sees nothing")],
        });
        differs.collect()
    });
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Without their bugs the programs do what they should, and nothing is said against them.
#[test]
fn repaired_programs_do_not_fail() {
    let wrong = for_each(Everyday::names(), |program, scratch| {
        let said = common::run(&[vec!["explain".to_string()], program.repaired(scratch)].concat());
        match said.status {
            Some(3) => vec![],
            status => vec![format!("exit status {status:?}: {}{}", said.stdout, said.stderr)],
        }
    });
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
