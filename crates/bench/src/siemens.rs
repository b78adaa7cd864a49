//! The Siemens programs other than `tcas`: where the injected line stands in the answer.

use crate::changed::changed_lines;
use crate::judged::{judged, read, settings};
use crate::{Options, PATIENCE};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wherefore_budget::Budget;
use wherefore_case::{Case, Expected, Given};
use wherefore_cli::diagnose::Tested;
use wherefore_cli::memory::peak_memory;
use wherefore_cli::options::Diagnose;
use wherefore_cli::test_files::words;
use wherefore_cli::{UsageError, run};
use wherefore_parallel::try_parallel;
use wherefore_record::Ending;

/// Tests that a version is diagnosed with, at most.
const FAILING: usize = 10;
const PASSING: usize = 20;

/// A line of the table.
struct Row {
    name: String,
    failing: usize,
    passing: usize,
    rank: Option<usize>,
    /// The place among those to look at, where there is no diagnosis.
    suspected: Option<usize>,
    of: usize,
    /// Whether an edit passes all tests, and whether one of the injected line does.
    patched: (bool, bool),
    time: Duration,
    fault: Vec<u32>,
    first: String,
}

pub fn siemens(options: &Options) -> anyhow::Result<()> {
    let began = Instant::now();
    let mut programs: Vec<PathBuf> = std::fs::read_dir(&options.directory)
        .map_err(|e| UsageError(format!("{}: {e}", options.directory.display())))?
        .filter_map(|entry| entry.ok()?.path().canonicalize().ok())
        .filter(|path| path.join("scripts/runall.sh").exists() && path.join("source.alt/source.orig").exists())
        .collect();
    programs.sort();
    if programs.is_empty() {
        let what =
            "expected NAME/scripts/runall.sh, NAME/source.alt/source.orig and NAME/versions.alt/versions.orig in it";
        return Err(UsageError(format!("{}: {what}", options.directory.display())).into());
    }
    println!("version              failing  passing  rank   of  patch  of the line   time ms  fault lines   first");
    let mut rows = vec![];
    for program in &programs {
        rows.extend(program_rows(program, options)?);
    }
    summary(&rows, began.elapsed());
    Ok(())
}

/// The rows of all versions of a program.
fn program_rows(directory: &Path, options: &Options) -> anyhow::Result<Vec<Row>> {
    let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let original = only_source(&directory.join("source.alt/source.orig"))?;
    let file = original.file_name().unwrap_or_default().to_owned();
    let versions = (1..=99)
        .map(|n| (format!("{name}/v{n}"), directory.join(format!("versions.alt/versions.orig/v{n}")).join(&file)));
    let wanted = |name: &String| {
        options.only.is_empty() || options.only.iter().any(|o| name == o || name.split('/').next() == Some(o))
    };
    let versions: Vec<(String, PathBuf)> = versions.filter(|(name, path)| wanted(name) && path.exists()).collect();
    if versions.is_empty() {
        return Ok(vec![]);
    }
    // Tests name their files from there.
    std::env::set_current_dir(directory.join("scripts"))?;
    let mut cases = tests(Path::new("runall.sh"))?;
    expect_original(&original, &mut cases)?;
    let row = |(): &mut (), _: usize, (name, path): &(String, PathBuf)| {
        let row = version_row(name, path, &original, &cases, options.formula)?;
        print(&row);
        anyhow::Ok(row)
    };
    // One after the other: each may use all processors, and all memory that is looked at.
    try_parallel(&versions, 1, || Ok(()), row)
}

/// The C file of a directory.
fn only_source(directory: &Path) -> anyhow::Result<PathBuf> {
    let files = std::fs::read_dir(directory)?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut sources: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|e| e == "c")).collect();
    sources.sort();
    let what = || UsageError(format!("{}: no C file", directory.display()));
    Ok(sources.into_iter().next().ok_or_else(what)?)
}

/// The tests of a script with lines `../source/NAME.exe ARGUMENTS < INPUT > OUTPUT`.
fn tests(script: &Path) -> anyhow::Result<Vec<Case>> {
    let text = std::fs::read(script)?;
    let mut cases = vec![];
    for line in text.split(|b| *b == b'\n').filter(|line| line.starts_with(b"../source/")) {
        let Ok(words) = words(line) else { continue };
        let is = |word: &OsString, what: &str| word == OsStr::new(what);
        let ends = words.iter().position(|w| is(w, "<") || is(w, ">")).unwrap_or(words.len());
        let input = words.iter().position(|w| is(w, "<")).and_then(|n| words.get(n + 1));
        let stdin = match input {
            // A file that is missing in a copy is a test that is.
            Some(path) => match std::fs::read(path) {
                Ok(bytes) => Some(bytes),
                Err(_) => continue,
            },
            None => None,
        };
        let given = Given { arguments: words[1..ends].to_vec(), stdin, ..Given::default() };
        cases.push(Case { name: format!("t{}", cases.len() + 1), given, ..Case::default() });
    }
    Ok(cases)
}

fn version_settings(program: &Path) -> anyhow::Result<Diagnose> {
    let include = program.parent().unwrap_or(Path::new(".")).as_os_str();
    let search = OsStr::from_bytes(&[b"-I", include.as_bytes()].concat()).to_owned();
    let mut arguments: Vec<OsString> = vec![program.into()];
    for argument in [OsString::from("-std=gnu89"), "-w".into(), search] {
        arguments.extend(["--cc-arg".into(), argument]);
    }
    let mut options = settings(0, &arguments)?;
    // What the issue of a version may take.
    options.run.timeout = 120.0;
    Ok(options)
}

/// What the original does is expected; tests on which it does not end well are left out.
fn expect_original(original: &Path, cases: &mut Vec<Case>) -> anyhow::Result<()> {
    let options = version_settings(original)?;
    let budget = Budget::new(Some(PATIENCE), None);
    let session = run::open(&options.run, &budget)?;
    let seen = Tested::new(&options, &session, cases, &budget)?.observed;
    let mut seen = seen.into_iter();
    cases.retain_mut(|case| match seen.next() {
        Some(seen) if let Ending::Exited(status) = seen.ending => {
            case.expected = Expected { stdout: Some(seen.stdout), status: Some(status) };
            true
        }
        _ => false,
    });
    Ok(())
}

fn version_row(name: &str, program: &Path, original: &Path, cases: &[Case], formula: bool) -> anyhow::Result<Row> {
    let options = version_settings(program)?;
    let budget = Budget::new(Some(PATIENCE), None);
    let session = run::open(&options.run, &budget)?;
    let native = wherefore_session::Native::new(&session, wherefore_cli::diagnose::test_time(&options))?;
    let observed = native.run_all(cases, 1)?;
    let (mut failing, mut passing) = (vec![], vec![]);
    for (case, seen) in cases.iter().zip(&observed) {
        if seen.passes(&case.expected) { passing.push(case) } else { failing.push(case) }
    }
    let chosen: Vec<Case> =
        spread(&failing, FAILING).into_iter().chain(spread(&passing, PASSING)).map(|c| (*c).clone()).collect();
    let fault = changed_lines(&read(original)?, &read(program)?);
    let began = Instant::now();
    let judged = match failing.is_empty() {
        true => None,
        false => judged(&options, &session, &chosen, Duration::from_secs_f64(options.run.timeout), formula)?,
    };
    Ok(Row {
        name: name.to_string(),
        failing: failing.len().min(FAILING),
        passing: passing.len().min(PASSING),
        rank: judged.as_ref().and_then(|j| j.rank(&fault)),
        suspected: judged.as_ref().and_then(|j| j.suspected(&fault)),
        of: judged.as_ref().map_or(0, |j| j.reported.diagnoses.len()),
        patched: judged.as_ref().map_or((false, false), |j| j.patched(&fault)),
        time: began.elapsed(),
        first: judged.as_ref().map_or(String::new(), crate::judged::Judged::first),
        fault,
    })
}

/// At most so many of them, from everywhere.
fn spread<'c>(cases: &[&'c Case], most: usize) -> Vec<&'c Case> {
    let step = cases.len().div_ceil(most).max(1);
    cases.iter().copied().step_by(step).take(most).collect()
}

fn print(row: &Row) {
    let yes = |b: bool| if b { "yes" } else { "-" };
    let fault: Vec<String> = row.fault.iter().map(u32::to_string).collect();
    println!(
        "{:<20} {:>7} {:>8} {:>5} {:>4} {:>6} {:>12} {:>9}  {:<12}  {}",
        row.name,
        row.failing,
        row.passing,
        match (row.rank, row.suspected) {
            (Some(rank), _) => rank.to_string(),
            (None, Some(place)) => format!("?{place}"),
            (None, None) => "-".into(),
        },
        row.of,
        yes(row.patched.0),
        yes(row.patched.1),
        row.time.as_millis(),
        fault.join(","),
        row.first,
    );
}

fn summary(rows: &[Row], time: Duration) {
    let with: Vec<&Row> = rows.iter().filter(|r| r.failing > 0).collect();
    let ranked = |most: usize| with.iter().filter(|r| r.rank.is_some_and(|n| n <= most)).count();
    let slowest = with.iter().map(|r| r.time).max().unwrap_or_default();
    let suspected = |most: usize| with.iter().filter(|r| r.suspected.is_some_and(|n| n <= most)).count();
    println!();
    println!(
        "versions with a failing test {} of {}; injected line first in {}, among the first five in {}, ten in {}",
        with.len(),
        rows.len(),
        ranked(1),
        ranked(5),
        ranked(10)
    );
    println!(
        "where nothing is known to repair it (?): among the first five places to look at in {}, ten in {}",
        suspected(5),
        suspected(10)
    );
    println!(
        "an edit passes all tests in {}, one of the injected line in {}",
        with.iter().filter(|r| r.patched.0).count(),
        with.iter().filter(|r| r.patched.1).count()
    );
    println!(
        "slowest {:.1} s, time {:.1} s, peak memory {} MiB",
        slowest.as_secs_f64(),
        time.as_secs_f64(),
        peak_memory()
    );
}
