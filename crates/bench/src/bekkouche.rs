//! Bekkouche's programs, beside the published figures.

use crate::judged::{judged, settings};
use crate::{Options, PATIENCE};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wherefore_budget::Budget;
use wherefore_cli::diagnose::searched;
use wherefore_cli::memory::peak_memory;
use wherefore_cli::{UsageError, run};
use wherefore_parallel::parallel;

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
pub fn bekkouche(options: &Options) -> anyhow::Result<()> {
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
    println!("program            failing  passing  faults  found  rank  of  patch   time ms  SNIPER  SNIPER ms");
    // Those with most faults and the largest first, so that no processor waits for them at the end.
    let mut order: Vec<usize> = (0..programs.len()).collect();
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |m| m.len());
    order.sort_by_key(|n| std::cmp::Reverse((programs[*n].2.len(), size(&programs[*n].1))));
    let mut rows = parallel(&order, options.programs_at_a_time(), |_, number| {
        let (_, path, fault) = &programs[*number];
        (*number, bekkouche_row(path, fault, options.formula))
    });
    rows.sort_by_key(|(number, _)| *number);
    let (mut missing, mut patched) = (0, 0);
    for ((name, _, fault), (_, row)) in programs.iter().zip(rows) {
        let row = row?;
        let published = TABLE_3.iter().find(|t| t.0 == name);
        missing += fault.len() - row.found;
        patched += usize::from(row.patched);
        println!(
            "{name:<18} {:>7} {:>8} {:>7} {:>6} {:>5} {:>3} {:>6} {:>9} {:>7} {:>10}",
            row.failing,
            row.passing,
            fault.len(),
            row.found,
            row.rank.map_or("-".into(), |r| r.to_string()),
            row.complete,
            if row.patched { "yes" } else { "-" },
            row.time.as_millis(),
            published.map_or("-", |t| t.1),
            published.map_or("-".into(), |t| t.2.to_string()),
        );
    }
    println!();
    println!("faults that are in no diagnosis {missing}; programs with an edit that passes all tests {patched}");
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
    /// Whether an edit passes all tests.
    patched: bool,
    time: Duration,
}

fn bekkouche_row(path: &Path, fault: &[u32], formula: bool) -> anyhow::Result<Searched> {
    let began = Instant::now();
    let mut arguments: Vec<OsString> = vec![path.into(), "--cc-arg".into(), "-w".into()];
    if std::fs::read_to_string(path).is_ok_and(|text| !text.contains("main")) {
        arguments.extend(["--entry".into(), "foo".into()]);
    }
    let mut options = settings(1, &arguments)?;
    // As large as the sets of faults.
    options.max_size = Some(fault.len().max(2));
    let budget = Budget::new(Some(PATIENCE), None);
    let session = run::open(&options.run, &budget)?;
    let cases = searched::search(&options, &session, &budget)?.cases;
    let judged = judged(&options, &session, &cases, PATIENCE, formula)?;
    let mut row = Searched {
        failing: 0,
        passing: cases.len(),
        found: 0,
        rank: None,
        complete: 0,
        patched: false,
        time: began.elapsed(),
    };
    if let Some(judged) = judged {
        let diagnoses = &judged.reported.diagnoses;
        let named = |line: &&u32| diagnoses.iter().any(|d| judged.names(d, &[**line]));
        row.failing = judged.answer.found.fails.iter().filter(|fails| **fails).count();
        row.passing = judged.answer.found.passing;
        row.found = fault.iter().filter(named).count();
        row.rank = judged.rank(fault);
        row.complete = diagnoses.len();
        row.patched = judged.patched(fault).0;
        row.time = began.elapsed();
    }
    Ok(row)
}
