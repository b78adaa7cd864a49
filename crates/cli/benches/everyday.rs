//! The table of the programs of `tests/everyday`: `cargo bench -p wherefore-cli --bench everyday [-- NAME...]`.
//!
//! For each program whether its answer is right by each check, how long the answer is and how long it took, cold; below,
//! what is wrong, as `not_yet.txt` has it, and the times of all of them. With `alarms` instead of names the correct runs: the programs without
//! their bugs and those of `tests/unfold`; with `diagnose` what that makes of them: where the cause stands, and whether an edit passes.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/everyday/mod.rs"]
mod everyday;

use everyday::alarms;
use everyday::answer::Answer;
use everyday::mended::Mended;
use everyday::program::Everyday;
use everyday::report;
use std::process::ExitCode;

fn main() -> ExitCode {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let scratch = tempfile::tempdir().expect("a directory");
    if chosen == ["alarms"] {
        let runs = [alarms::repaired(scratch.path()), alarms::unfolded(scratch.path())].concat();
        let said: Vec<_> = runs.iter().filter_map(|(name, run)| Some((name, alarms::alarm(run)?))).collect();
        for (name, alarm) in &said {
            println!("{name}: {alarm}");
        }
        println!("{} correct runs, {} alarms", runs.len(), said.len());
        return if said.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    if chosen.first().is_some_and(|first| first == "diagnose") {
        diagnose(&chosen[1..], scratch.path());
        return ExitCode::SUCCESS;
    }
    let (mut told, mut seconds) = (vec![], vec![]);
    println!("{}", report::head());
    for name in Everyday::names().iter().filter(|n| chosen.is_empty() || chosen.contains(n)) {
        let program = Everyday::read(name);
        let answer = Answer::of(&program, scratch.path());
        let wrong = answer.wrong(&program);
        println!("{}", report::row(&program, &answer, &wrong));
        told.extend(wrong.iter().map(|(check, what)| format!("{name} {check} {what}")));
        seconds.push((answer.took.as_secs_f64(), name.clone()));
    }
    println!("\n{}", told.join("\n"));
    seconds.sort_by(|a, b| a.0.total_cmp(&b.0));
    if let (Some((median, _)), Some((slowest, name))) = (seconds.get(seconds.len() / 2), seconds.last()) {
        println!("\n{} programs: median {median:.2} s, slowest {slowest:.2} s ({name})", seconds.len());
    }
    if told.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The table of `diagnose`.
fn diagnose(chosen: &[String], scratch: &std::path::Path) {
    println!("| program | cause at | by | edit of it passes | an edit passes | seconds |\n|---|---|---|---|---|---|");
    let yes = |is: bool| if is { "yes" } else { "" };
    let mut all = vec![];
    for name in Everyday::names().into_iter().filter(|n| chosen.is_empty() || chosen.contains(n)) {
        let mended = Mended::of(&Everyday::read(&name), scratch);
        let rank = mended.rank.map_or(String::new(), |rank| rank.to_string());
        let seconds = mended.took.as_secs_f64();
        let (own, some) = (yes(mended.cause_patched), yes(mended.patched));
        println!("| {name} | {rank} | {} | {own} | {some} | {seconds:.1} |", mended.by);
        all.push(mended);
    }
    let count = |is: &dyn Fn(&Mended) -> bool| all.iter().filter(|m| is(m)).count();
    let slowest = all.iter().map(|m| m.took.as_secs_f64()).fold(0.0, f64::max);
    println!(
        "\n{} programs: cause first in {}, among the first five in {}, an edit of it passes in {}, an edit in {}; slowest {slowest:.1} s",
        all.len(),
        count(&|m| m.rank == Some(1)),
        count(&|m| m.rank.is_some_and(|rank| rank <= 5)),
        count(&|m| m.cause_patched),
        count(&|m| m.patched),
    );
}
