//! The benchmarks of the field, from a local copy, in a table beside the published figures.

use clap::{Parser, ValueEnum};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wherefore_budget::Budget;
use wherefore_case::Case;
use wherefore_cli::diagnose::suite;
use wherefore_cli::diagnose::{Found, diagnosed, expect_reference, jobs, searched};
use wherefore_cli::memory::peak_memory;
use wherefore_cli::options::{Cli, Command, Diagnose};
use wherefore_cli::progress::Progress;
use wherefore_cli::{UsageError, run};
use wherefore_parallel::{parallel, try_parallel};

/// What one program may take.
const PATIENCE: Duration = Duration::from_secs(600);

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

/// The allocator of the command, so that what is measured is what it takes.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measure `wherefore diagnose` on a local copy of a public benchmark.
#[derive(Parser, Debug)]
struct Options {
    /// Which benchmark
    #[arg(value_enum)]
    benchmark: Benchmark,
    /// Where its copy is
    directory: PathBuf,
    /// Threads; 0: as many as there are processors
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
    /// Only these programs (`v1`, `TritypeKO2`)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
}

/// Benchmarks.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
enum Benchmark {
    /// Siemens `tcas`: DIR/source/tcas.c, DIR/versions/vN/tcas.c, DIR/universe
    Tcas,
    /// Bekkouche's programs: DIR/facts.tsv names each file and the lines of its faults, separated by a tab
    Bekkouche,
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    match options.benchmark {
        Benchmark::Tcas => tcas(&options),
        Benchmark::Bekkouche => bekkouche(&options),
    }
}

/// SNIPER's Table 3: program, faults found, milliseconds.
const TABLE_3: [(&str, &str, u32); 18] = [
    ("MinmaxKO", "1/1", 35),
    ("AbsMinusKO", "1/1", 27),
    ("AbsMinusKO2", "1/1", 38),
    ("AbsMinusKO3", "1/1", 22),
    ("TritypeKO", "1/1", 373),
    ("TritypeKO2", "1/1", 380),
    ("TritypeKO2V2", "1/1", 367),
    ("TritypeKO3", "1/1", 542),
    ("TritypeKO4", "1/1", 236),
    ("TritypeKO5", "2/2", 622),
    ("TriPerimetreKO", "1/1", 430),
    ("TriPerimetreKOV2", "1/1", 583),
    ("TriPerimetreKO2", "1/1", 332),
    ("TriPerimetreKO3", "1/1", 656),
    ("Maxmin6varKO", "1/1", 30_872),
    ("Maxmin6varKO2", "1/1", 24_365),
    ("Maxmin6varKO3", "2/2", 26_731),
    ("Maxmin6varKO4", "3/3", 32_592),
];

/// Bekkouche's programs: failing inputs are searched for, then diagnosed together.
///
/// `DIR/facts.tsv` has a line for each program: the file below DIR, a tab, and the lines of its faults with commas.
fn bekkouche(options: &Options) -> anyhow::Result<()> {
    let began = Instant::now();
    let facts = options.directory.join("facts.tsv");
    let text = std::fs::read_to_string(&facts).map_err(|e| UsageError(format!("{}: {e}", facts.display())))?;
    let mut programs: Vec<(String, PathBuf, Vec<u32>)> = vec![];
    for line in text.lines() {
        let mut columns = line.split('\t');
        let (Some(file), Some(lines)) = (columns.next(), columns.next()) else { continue };
        let path = options.directory.join(file);
        let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let fault: Vec<u32> = lines.split(',').filter_map(|l| l.trim().parse().ok()).collect();
        let known = TABLE_3.iter().any(|t| t.0 == name) && !programs.iter().any(|p| p.0 == name);
        if known && path.exists() && (options.only.is_empty() || options.only.contains(&name)) {
            programs.push((name, path, fault));
        }
    }
    if programs.is_empty() {
        return Err(UsageError(format!("{}: names none of the programs", facts.display())).into());
    }
    println!("program            failing  passing  faults  found  rank  of   time ms  SNIPER  SNIPER ms");
    // The largest first, so that no processor waits for it at the end.
    let mut order: Vec<usize> = (0..programs.len()).collect();
    order.sort_by_key(|n| std::cmp::Reverse(std::fs::metadata(&programs[*n].1).map_or(0, |m| m.len())));
    let mut rows = parallel(&order, jobs(options.jobs), |_, number| {
        let (_, path, fault) = &programs[*number];
        (*number, bekkouche_row(path, fault))
    });
    rows.sort_by_key(|(number, _)| *number);
    let mut missing = 0;
    for ((name, _, fault), (_, row)) in programs.iter().zip(rows) {
        let row = row?;
        let published = TABLE_3.iter().find(|t| t.0 == name);
        missing += fault.len() - row.found;
        println!(
            "{name:<18} {:>7} {:>8} {:>7} {:>6} {:>5} {:>3} {:>9} {:>7} {:>10}",
            row.failing,
            row.passing,
            fault.len(),
            row.found,
            row.rank.map_or("-".into(), |r| r.to_string()),
            row.complete,
            row.time.as_millis(),
            published.map_or("-", |t| t.1),
            published.map_or("-".into(), |t| t.2.to_string()),
        );
    }
    println!();
    println!("faults that are in no complete diagnosis {missing}");
    println!("time {:.1} s (SNIPER 118 s), peak memory {} MiB", began.elapsed().as_secs_f64(), peak_memory());
    Ok(())
}

/// One of Bekkouche's programs.
struct Searched {
    failing: usize,
    passing: usize,
    /// Faults that are in some complete diagnosis.
    found: usize,
    rank: Option<usize>,
    complete: usize,
    time: Duration,
}

fn bekkouche_row(path: &Path, fault: &[u32]) -> anyhow::Result<Searched> {
    let began = Instant::now();
    let mut arguments: Vec<OsString> = vec![path.into(), "--cc-arg".into(), "-w".into()];
    if std::fs::read_to_string(path).is_ok_and(|text| !text.contains("main")) {
        arguments.extend(["--entry".into(), "foo".into()]);
    }
    let options = settings(&arguments)?;
    let budget = Budget::new(Some(PATIENCE), None);
    let session = run::open(&options.run, &budget)?;
    let cases = searched::search(&options, &session, &budget)?.cases;
    let found = diagnosed(&options, &session, &cases, false, &Progress::new(true), &budget)?;
    let mut row =
        Searched { failing: 0, passing: cases.len(), found: 0, rank: None, complete: 0, time: began.elapsed() };
    if let Some(found) = found {
        let named = |line: &&u32| found.complete.sets.iter().flatten().any(|s| names(&found, *s, &[**line]));
        row.failing = found.tests.len();
        row.passing = found.passing;
        row.found = fault.iter().filter(named).count();
        row.rank = found.ranked.iter().position(|r| r.set.iter().any(|s| names(&found, *s, fault))).map(|n| n + 1);
        row.complete = found.complete.sets.len();
        row.time = began.elapsed();
    }
    Ok(row)
}

/// One version of the table.
struct Row {
    version: u32,
    failing: usize,
    /// Failing tests whose own diagnoses contain an injected line.
    hit: usize,
    /// Place of the first complete diagnosis with an injected line.
    rank: Option<usize>,
    complete: usize,
    /// Lines in the smallest complete diagnoses.
    lines: usize,
    code: usize,
    time: Duration,
    fault: Vec<u32>,
    first: Vec<String>,
}

fn tcas(options: &Options) -> anyhow::Result<()> {
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
    let row = |(): &mut (), _: usize, version: &u32| version_row(directory, &original, *version, &cases);
    let rows: Vec<Row> = try_parallel(&versions, jobs(options.jobs), || Ok(()), row)?;
    print_table(&rows, began.elapsed());
    Ok(())
}

/// The options of a diagnosis.
fn settings(arguments: &[OsString]) -> anyhow::Result<Diagnose> {
    // Faults of the benchmarks are single statements or pairs; larger sets only cost time here.
    let start =
        ["wherefore", "diagnose", "--jobs", "1", "--timeout", "600", "--max-size", "2", "-q"].map(OsString::from);
    match Cli::try_parse_from(start.into_iter().chain(arguments.iter().cloned()))?.command {
        Command::Diagnose(options) => Ok(options),
        _ => anyhow::bail!("not a diagnosis"),
    }
}

fn tcas_settings(program: &Path) -> anyhow::Result<Diagnose> {
    // The programs are from before the standard.
    let standard = ["--cc-arg", "-std=gnu89", "--cc-arg", "-w"].map(OsString::from);
    settings(&std::iter::once(program.into()).chain(standard).collect::<Vec<_>>())
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

fn version_row(directory: &Path, original: &Path, version: u32, cases: &[Case]) -> anyhow::Result<Row> {
    let began = Instant::now();
    let program: PathBuf = directory.join(format!("versions/v{version}/tcas.c"));
    let options = tcas_settings(&program)?;
    let budget = Budget::new(Some(PATIENCE), None);
    let session = run::open(&options.run, &budget)?;
    let found = diagnosed(&options, &session, cases, false, &Progress::new(true), &budget)?;
    let read = |path: &Path| std::fs::read(path).map(|b| String::from_utf8_lossy(&b).into_owned());
    let (before, after) = (read(original)?, read(&program)?);
    let fault: Vec<u32> = changed_lines(&before, &after);
    let code = after.lines().count();
    let empty = Row {
        version,
        failing: 0,
        hit: 0,
        rank: None,
        complete: 0,
        lines: 0,
        code,
        time: began.elapsed(),
        fault: fault.clone(),
        first: vec![],
    };
    let Some(found) = found else { return Ok(empty) };
    let named = |set: &Vec<u32>| set.iter().any(|s| names(&found, *s, &fault));
    let hit = found.tests.iter().filter(|(_, test)| test.found.sets.iter().any(named)).count();
    let rank = found.ranked.iter().position(|r| named(&r.set)).map(|n| n + 1);
    let smallest = found.complete.sets.first().map_or(0, Vec::len);
    let lines: BTreeSet<u32> = found
        .complete
        .sets
        .iter()
        .filter(|set| set.len() == smallest)
        .flatten()
        .map(|s| found.statements.list[*s as usize].at.line)
        .collect();
    let first = found.ranked.iter().take(6).map(|r| {
        let lines: Vec<String> = r.set.iter().map(|s| found.statements.list[*s as usize].at.line.to_string()).collect();
        let c = r.consistency.unwrap_or_default();
        format!("{}({},{},{},{:.2})", lines.join("+"), c.clashes, c.breaks, c.coarse, r.suspicion)
    });
    Ok(Row {
        failing: found.tests.len(),
        hit,
        rank,
        complete: found.ranked.len(),
        lines: lines.len(),
        time: began.elapsed(),
        first: first.collect(),
        ..empty
    })
}

/// Whether a statement contains one of these lines, or uses a macro defined there.
fn names(found: &Found, statement: u32, lines: &[u32]) -> bool {
    let statement = &found.statements.list[statement as usize];
    lines
        .iter()
        .any(|line| (statement.at.line..=statement.at.end_line).contains(line) || statement.macros.contains(line))
}

/// The lines of `after` that are not in `before`, white space and comments aside; next to lines that are gone, the
/// neighbours.
fn changed_lines(before: &str, after: &str) -> Vec<u32> {
    let normal = |text: &str| -> Vec<(u32, String)> {
        let mut lines = vec![];
        let mut comment = false;
        for (number, line) in text.lines().enumerate() {
            let mut code = String::new();
            let mut rest = line;
            loop {
                if comment {
                    match rest.find("*/") {
                        Some(end) => {
                            comment = false;
                            rest = &rest[end + 2..];
                        }
                        None => break,
                    }
                } else {
                    match rest.find("/*") {
                        Some(start) => {
                            code.push_str(&rest[..start]);
                            comment = true;
                            rest = &rest[start + 2..];
                        }
                        None => {
                            code.push_str(rest);
                            break;
                        }
                    }
                }
            }
            let code: String = code.split_whitespace().collect();
            if !code.is_empty() {
                lines.push((number as u32 + 1, code));
            }
        }
        lines
    };
    let (a, b) = (normal(before), normal(after));
    // Longest common subsequence; the files are short.
    let mut best = vec![vec![0u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            best[i][j] = if a[i].1 == b[j].1 { best[i + 1][j + 1] + 1 } else { best[i + 1][j].max(best[i][j + 1]) };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut changed = vec![];
    let mut gone = vec![];
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i].1 == b[j].1 {
            i += 1;
            j += 1;
        } else if j < b.len() && (i == a.len() || best[i][j + 1] >= best[i + 1][j]) {
            changed.push(b[j].0);
            j += 1;
        } else {
            gone.extend([j.checked_sub(1), Some(j)].into_iter().flatten().filter_map(|n| b.get(n)).map(|l| l.0));
            i += 1;
        }
    }
    if changed.is_empty() { gone } else { changed }
}

fn print_table(rows: &[Row], time: Duration) {
    println!("version  failing  hit  SNIPER  BugAssist  rank  of  share %   time ms  fault lines   first");
    for row in rows {
        let published = TABLE.iter().find(|t| t.0 == row.version);
        let number = |n: Option<u32>| n.map_or("-".to_string(), |n| n.to_string());
        let fault: Vec<String> = row.fault.iter().map(u32::to_string).collect();
        println!(
            "v{:<7} {:>7} {:>4} {:>7} {:>10} {:>5} {:>3} {:>8.2} {:>9}  {:<12}  {}",
            row.version,
            row.failing,
            row.hit,
            number(published.map(|t| t.2)),
            number(published.map(|t| t.3)),
            number(row.rank.map(|r| r as u32)),
            row.complete,
            share(row),
            row.time.as_millis(),
            fault.join(","),
            row.first.join(" "),
        );
    }
    let failing: usize = rows.iter().map(|r| r.failing).sum();
    let hit: usize = rows.iter().map(|r| r.hit).sum();
    let with: Vec<&Row> = rows.iter().filter(|r| r.failing > 0).collect();
    let mean = with.iter().map(|r| share(r)).sum::<f64>() / with.len().max(1) as f64;
    let ranked = |most: usize| rows.iter().filter(|r| r.rank.is_some_and(|n| n <= most)).count();
    println!();
    println!("failing tests {failing}, with an injected line in their own diagnoses {hit}");
    println!(
        "versions with a failing test {}; injected line first in {}, among the first five in {}",
        with.len(),
        ranked(1),
        ranked(5)
    );
    println!("mean share of lines in the smallest complete diagnoses {mean:.2} % (SNIPER 11.00 %, BugAssist 8.00 %)");
    println!("time {:.1} s, peak memory {} MiB", time.as_secs_f64(), peak_memory());
}

fn share(row: &Row) -> f64 {
    100.0 * row.lines as f64 / row.code.max(1) as f64
}
