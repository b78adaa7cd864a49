//! Both ways to split a trace tell true stories of the same failure (`--split`), and about as long ones.

#[allow(dead_code)]
#[path = "everyday/program.rs"]
mod program;

mod common;

use common::{Program, programs_of, report, violations};
use program::Everyday;
use serde_json::Value;
use std::cmp::Ordering;
use wherefore_parallel::{parallel, processors};

/// The story of a run, and how many steps it has.
struct Story {
    status: Option<i32>,
    failure: Value,
    checked: bool,
    steps: usize,
}

fn told(arguments: &[String], split: &str) -> Story {
    let (status, report) = report(&["explain", "--format", "json", "-q", "--split", split], arguments);
    let told = &report["explanation"];
    Story {
        status,
        failure: report["failure"].clone(),
        checked: told["checked"] == true,
        steps: told["steps"].as_array().map_or(0, Vec::len),
    }
}

/// Programs whose segments ask more than a solver decides, at most.
const UNCHECKED: usize = 2;

/// Tells all programs in both ways: the same failure, and whatever is checked in one way is in the other, unless it is too hard.
/// Gives the names of those of which the segments of calls tell less, and more.
fn compare(programs: &[(String, Vec<String>)]) -> [Vec<String>; 2] {
    let told = parallel(programs, processors(), |_, (_, arguments)| {
        ["statements", "calls"].map(|split| told(arguments, split))
    });
    let (mut stories, mut wrong, mut unchecked, mut lengths) = (0, vec![], vec![], [vec![], vec![]]);
    for ((name, _), [statements, calls]) in programs.iter().zip(told) {
        stories += usize::from(statements.steps > 0);
        if statements.status != calls.status || statements.failure != calls.failure {
            wrong.push(format!("{name}: another failure"));
        }
        if statements.checked && !calls.checked {
            unchecked.push(name);
        }
        match calls.steps.cmp(&statements.steps) {
            Ordering::Less => lengths[0].push(name.clone()),
            Ordering::Greater => lengths[1].push(name.clone()),
            Ordering::Equal => {}
        }
    }
    assert!(2 * stories > programs.len(), "{stories} stories of {} programs", programs.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(unchecked.len() <= UNCHECKED, "not checked where they are split at calls: {unchecked:?}");
    lengths
}

#[test]
fn small_programs() {
    let scratch = tempfile::tempdir().expect("a directory");
    let programs = programs_of("corpus").into_iter();
    let programs = programs.map(|name| (Program::read("corpus", &name).arguments(scratch.path()), name));
    let [shorter, longer] = compare(&programs.map(|(arguments, name)| (name, arguments)).collect::<Vec<_>>());
    // Which is why each statement is a segment unless somebody asks.
    assert!(shorter.len() + longer.len() <= 4, "shorter: {shorter:?}, longer: {longer:?}");
}

#[test]
fn everyday_programs() {
    let scratch = tempfile::tempdir().expect("a directory");
    let programs = Everyday::names().into_iter().map(|name| (Everyday::read(&name).arguments(scratch.path()), name));
    let [shorter, longer] = compare(&programs.map(|(arguments, name)| (name, arguments)).collect::<Vec<_>>());
    assert!(shorter.len() + longer.len() <= 10, "shorter: {shorter:?}, longer: {longer:?}");
}

#[test]
fn stories_of_segments_pass_the_definition() {
    let scratch = tempfile::tempdir().expect("a directory");
    // All of them pass it where each statement is a segment.
    let programs: Vec<Program> =
        programs_of("corpus").into_iter().step_by(4).map(|name| Program::read("corpus", &name)).collect();
    let fails = |program: &&Program| program.one("status").is_none() && program.one("fails").is_some();
    let wrong = parallel(&programs.iter().filter(fails).collect::<Vec<_>>(), processors(), |_, program| {
        let options = ["--split", "calls"].map(str::to_string).into_iter();
        let arguments: Vec<String> = options.chain(program.arguments(scratch.path())).collect();
        let wrong = ["trace", "flow-sensitive"].map(|encoding| violations(&arguments, encoding)).concat();
        wrong.into_iter().map(|w| format!("{}: {w}", program.name)).collect::<Vec<_>>()
    });
    assert!(wrong.len() > 10, "{} programs", wrong.len());
    assert_eq!(wrong.concat(), Vec::<String>::new());
}
