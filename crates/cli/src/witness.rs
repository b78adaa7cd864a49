//! `--witness FILE`: inputs with which the program fails as a verifier says it does.
//!
//! The program with the witness in it fails only where the witness is followed; inputs of such a failure are searched for,
//! and the program itself is run with them.

use crate::UsageError;
use crate::options::Run;
use crate::overlay::overlay;
use crate::{run, search};
use std::path::Path;
use wherefore_budget::Budget;
use wherefore_search::{Found, Tried};
use wherefore_source::SourceText;
use wherefore_witness::{Kind, Waypoint, Witness};

/// Inputs of an execution that follows a witness; otherwise what the search for it came to.
///
/// # Errors
/// When the witness is none, or is not about this program.
pub fn follow(options: &Run, path: &Path, budget: &Budget) -> anyhow::Result<Result<Tried, Found>> {
    let wrong = |what: String| UsageError(format!("--witness {}: {what}", path.display()));
    let text = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let text = String::from_utf8(text).map_err(|_| wrong("it is no text".into()))?;
    let witness = wherefore_witness::read(&text).map_err(|error| wrong(error.to_string()))?;
    if options.program.iter().any(|file| file.extension().is_none_or(|e| e != "c" && e != "i")) {
        return Err(wrong("only programs given as C files can be held against a witness".into()).into());
    }
    let mut sources = vec![];
    for file in &options.program {
        let bytes = std::fs::read(file).map_err(|error| UsageError(format!("{}: {error}", file.display())))?;
        sources.push(SourceText::from_bytes(file.display().to_string(), &bytes));
    }
    let texts = wherefore_witness::monitor(&witness, &sources).map_err(|error| wrong(error.to_string()))?;
    let overlay = overlay(&options.program, &texts)?;
    let mut monitored = options.clone();
    monitored.cc_arg.extend(overlay.arguments());
    let session = match run::open(&monitored, budget) {
        // What the program itself is compiled with was fine.
        Err(error) if run::open(options, budget).is_ok() => {
            return Err(wrong(miscompiled(&witness, &format!("{error:#}"))).into());
        }
        opened => opened?,
    };
    let found = search::find_one(&monitored, &session, budget)?;
    Ok(match found.failing.first() {
        Some(case) => Ok(case.clone()),
        None => Err(found),
    })
}

/// Which condition of a witness the compiler does not understand, by the line of its first complaint.
fn miscompiled(witness: &Witness, said: &str) -> String {
    let complaint = said.lines().find_map(|line| line.split_once(" error: "));
    let (place, what) = complaint.unwrap_or(("", "it is no C"));
    let line: Option<u32> = place.trim_end_matches(':').rsplit(':').nth(1).and_then(|line| line.parse().ok());
    let waypoints = witness.segments.iter().flat_map(|segment| segment.avoid.iter().chain([&segment.follow]));
    let condition = |waypoint: &Waypoint| match &waypoint.kind {
        Kind::Before(condition) | Kind::After(condition) => Some((waypoint.line, waypoint.at.line, condition.clone())),
        _ => None,
    };
    let mut all: Vec<(usize, u32, String)> = waypoints.filter_map(condition).collect();
    all.sort_by_key(|(_, at, _)| line.map_or(0, |line| line.abs_diff(*at)));
    match all.first() {
        Some((line, at, condition)) => {
            format!("line {line}: `{condition}` is not understood in line {at} of the program: {what}")
        }
        None => format!("it does not fit the program: {what}"),
    }
}
