//! Siemens `tcas`, beside the published figures.

use crate::changed::changed_lines;
use crate::judged::{judged, names, read, settings};
use crate::{Options, PATIENCE};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wherefore_budget::Budget;
use wherefore_case::Case;
use wherefore_cli::diagnose::{expect_reference, suite};
use wherefore_cli::memory::peak_memory;
use wherefore_cli::options::Diagnose;
use wherefore_cli::{UsageError, run};
use wherefore_parallel::try_parallel;

/// SNIPER's and BugAssist's Table 2: version, failing tests, tests in which SNIPER and BugAssist name a fault.
const TABLE: [(u32, u32, u32, u32); 39] = [
    (1, 131, 131, 131),
    (2, 69, 69, 69),
    (3, 23, 23, 13),
    (4, 25, 24, 25),
    (5, 10, 10, 10),
    (6, 12, 12, 12),
    (7, 36, 36, 36),
    (8, 1, 1, 1),
    (9, 9, 9, 9),
    (10, 14, 14, 14),
    (11, 14, 14, 14),
    (12, 70, 70, 48),
    (13, 4, 4, 4),
    (14, 50, 50, 50),
    (15, 10, 10, 10),
    (16, 70, 70, 70),
    (17, 35, 35, 35),
    (18, 29, 29, 29),
    (19, 19, 19, 19),
    (20, 18, 18, 18),
    (21, 16, 16, 16),
    (22, 11, 11, 11),
    (23, 42, 42, 41),
    (24, 7, 7, 7),
    (25, 3, 3, 3),
    (26, 11, 11, 11),
    (27, 10, 10, 10),
    (28, 76, 76, 58),
    (29, 18, 18, 14),
    (30, 58, 58, 58),
    (31, 14, 14, 14),
    (32, 2, 2, 2),
    (34, 77, 77, 77),
    (35, 76, 76, 58),
    (36, 126, 126, 126),
    (37, 92, 92, 92),
    (39, 3, 3, 3),
    (40, 126, 126, 126),
    (41, 20, 19, 20),
];

/// One version of the table.
struct Row {
    version: u32,
    failing: usize,
    /// Those of them that the formula was asked about.
    asked: usize,
    /// Failing tests whose own diagnoses contain an injected line.
    hit: usize,
    /// Place of the first diagnosis with an injected line.
    rank: Option<usize>,
    complete: usize,
    /// Whether an edit passes all tests, and whether one of an injected line does.
    patched: (bool, bool),
    /// Lines in the smallest complete diagnoses.
    lines: usize,
    code: usize,
    time: Duration,
    fault: Vec<u32>,
    first: String,
}

pub fn tcas(options: &Options) -> anyhow::Result<()> {
    let began = Instant::now();
    let directory = &options.directory;
    let original = directory.join("source/tcas.c");
    let universe = directory.join("universe");
    let mut versions: Vec<u32> =
        (1..=41).filter(|n| directory.join(format!("versions/v{n}/tcas.c")).exists()).collect();
    versions.retain(|n| options.only.is_empty() || options.only.iter().any(|o| *o == format!("v{n}")));
    if !original.exists() || !universe.exists() || versions.is_empty() {
        let what = "expected source/tcas.c, versions/v1/tcas.c ... and universe in it";
        return Err(UsageError(format!("{}: {what}", directory.display())).into());
    }
    let cases = expected(&original, &universe)?;
    let before = read(&original)?;
    let mut versions: Vec<Version> =
        versions.into_iter().map(|number| Version::read(directory, number, &before)).collect::<Result<_, _>>()?;
    // Several faults take longest; no processor is to wait for them at the end.
    versions.sort_by_key(|version| std::cmp::Reverse(version.fault.len()));
    let row = |(): &mut (), _: usize, version: &Version| version_row(version, &cases, options.formula);
    let mut rows: Vec<Row> = try_parallel(&versions, options.programs_at_a_time(), || Ok(()), row)?;
    rows.sort_by_key(|row| row.version);
    print_table(&rows, began.elapsed());
    Ok(())
}

fn tcas_settings(program: &Path) -> anyhow::Result<Diagnose> {
    // The programs are from before the standard.
    let standard = ["--cc-arg", "-std=gnu89", "--cc-arg", "-w"].map(OsString::from);
    settings(1, &std::iter::once(program.into()).chain(standard).collect::<Vec<_>>())
}

/// The tests with what the original does.
fn expected(original: &Path, universe: &Path) -> anyhow::Result<Vec<Case>> {
    let mut options = tcas_settings(original)?;
    options.reference = vec![original.to_path_buf()];
    let budget = Budget::new(Some(PATIENCE), None);
    let session = run::open(&options.run, &budget)?;
    let mut cases = suite::read_all(session.program(), "main", universe, None)?;
    expect_reference(&options, &mut cases, &budget)?;
    Ok(cases)
}

/// A version of the program.
struct Version {
    number: u32,
    program: PathBuf,
    /// Lines.
    code: usize,
    /// Those that are injected.
    fault: Vec<u32>,
}

impl Version {
    fn read(directory: &Path, number: u32, original: &str) -> anyhow::Result<Version> {
        let program = directory.join(format!("versions/v{number}/tcas.c"));
        let text = read(&program)?;
        Ok(Version { number, program, code: text.lines().count(), fault: changed_lines(original, &text) })
    }
}

fn version_row(version: &Version, cases: &[Case], formula: bool) -> anyhow::Result<Row> {
    let began = Instant::now();
    let fault = &version.fault;
    let options = tcas_settings(&version.program)?;
    let budget = Budget::new(Some(PATIENCE), None);
    let session = run::open(&options.run, &budget)?;
    let judged = judged(&options, &session, cases, PATIENCE, formula)?;
    let empty = Row {
        version: version.number,
        failing: 0,
        asked: 0,
        hit: 0,
        rank: None,
        complete: 0,
        lines: 0,
        code: version.code,
        time: began.elapsed(),
        fault: fault.clone(),
        first: String::new(),
        patched: (false, false),
    };
    let Some(judged) = judged else { return Ok(empty) };
    let found = &judged.answer.found;
    let statements = &found.statements.list;
    let named = |set: &Vec<u32>| set.iter().map(|s| &statements[*s as usize]).any(|s| names(&s.at, &s.macros, fault));
    let hit = found.tests.iter().filter(|(_, test)| test.found.sets.iter().any(named)).count();
    let smallest = found.complete.sets.first().map_or(0, Vec::len);
    let sets = found.complete.sets.iter().filter(|set| set.len() == smallest);
    let lines: BTreeSet<u32> = sets.flatten().map(|s| statements[*s as usize].at.line).collect();
    Ok(Row {
        failing: found.fails.iter().filter(|fails| **fails).count(),
        asked: found.tests.len(),
        hit,
        rank: judged.rank(fault),
        complete: judged.reported.diagnoses.len(),
        patched: judged.patched(fault),
        lines: lines.len(),
        time: began.elapsed(),
        first: judged.first(),
        ..empty
    })
}

fn print_table(rows: &[Row], time: Duration) {
    println!(
        "version  failing  asked  hit  SNIPER  BugAssist  rank  of  patch  of the line  share %   time ms  fault lines   first"
    );
    for row in rows {
        let published = TABLE.iter().find(|t| t.0 == row.version);
        let yes = |b: bool| if b { "yes" } else { "-" };
        let number = |n: Option<u32>| n.map_or("-".to_string(), |n| n.to_string());
        let fault: Vec<String> = row.fault.iter().map(u32::to_string).collect();
        println!(
            "v{:<7} {:>7} {:>6} {:>4} {:>7} {:>10} {:>5} {:>3} {:>6} {:>12} {:>8.2} {:>9}  {:<12}  {}",
            row.version,
            row.failing,
            row.asked,
            row.hit,
            number(published.map(|t| t.2)),
            number(published.map(|t| t.3)),
            number(row.rank.map(|r| r as u32)),
            row.complete,
            yes(row.patched.0),
            yes(row.patched.1),
            share(row),
            row.time.as_millis(),
            fault.join(","),
            row.first,
        );
    }
    let failing: usize = rows.iter().map(|r| r.failing).sum();
    let hit: usize = rows.iter().map(|r| r.hit).sum();
    let with: Vec<&Row> = rows.iter().filter(|r| r.failing > 0).collect();
    let mean = with.iter().map(|r| share(r)).sum::<f64>() / with.len().max(1) as f64;
    let ranked = |most: usize| rows.iter().filter(|r| r.rank.is_some_and(|n| n <= most)).count();
    println!();
    let asked: usize = rows.iter().map(|r| r.asked).sum();
    println!(
        "failing tests {failing}, asked about {asked}, of these with an injected line in their own diagnoses {hit}"
    );
    println!(
        "versions with a failing test {}; injected line first in {}, among the first five in {}",
        with.len(),
        ranked(1),
        ranked(5)
    );
    println!(
        "an edit passes all tests in {}, one of an injected line in {}",
        with.iter().filter(|r| r.patched.0).count(),
        with.iter().filter(|r| r.patched.1).count()
    );
    println!("mean share of lines in the smallest complete diagnoses {mean:.2} % (SNIPER 11.00 %, BugAssist 8.00 %)");
    println!("time {:.1} s, peak memory {} MiB", time.as_secs_f64(), peak_memory());
}

fn share(row: &Row) -> f64 {
    100.0 * row.lines as f64 / row.code.max(1) as f64
}
