//! The 41 erroneous programs of *Static fault localization for simple bugs* (appendix A), beside its Tables 1 and 2; and safe
//! programs of the same families, of which none may be given an error trace.
//!
//! Each program is one process of the command, so that limits are those of a user and no program pays for another one.

use crate::Options;
use anyhow::Context;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use wherefore_cli::UsageError;
use wherefore_cli::diagnose::jobs;
use wherefore_parallel::parallel;

/// The memory that one program may take, as in the paper.
const MIB: u64 = 6 * 1024;

/// A row of the tables: its name there, the program, then of Table 1 relevant statements, statements of the trace, seconds of
/// localization and in total, iterations; then of Table 2 relevant statements, statements, seconds of localization, of
/// construction and in total, iterations and error traces.
type Row = (&'static str, &'static str, [u32; 5], [u32; 7]);

#[rustfmt::skip]
const TABLES: [Row; 41] = [
    ("locks1", "test_locks_14", [16, 96, 1, 1, 1], [16, 173, 17, 23, 119, 71, 29]),
    ("locks2", "test_locks_15", [17, 102, 1, 1, 1], [17, 154, 8, 13, 120, 51, 9]),
    ("loop-ac5", "multivar1", [5, 12, 0, 0, 2], [5, 19, 0, 0, 1, 3, 2]),
    ("loop-ac11", "underapprox1", [22, 47, 0, 1, 8], [7, 16, 0, 2, 3, 9, 1]),
    ("loop-ac12", "underapprox2", [15, 47, 0, 1, 8], [5, 16, 0, 0, 1, 9, 1]),
    ("loop-lit1", "gcnr2008", [4, 19, 0, 0, 8], [3, 40, 4, 110, 120, 67, 51]),
    ("loops3", "count_up_down", [6, 13, 0, 0, 2], [6, 20, 3, 117, 120, 18, 17]),
    ("loops5", "for_bounded_loop1", [16, 36, 0, 1, 5], [16, 35, 4, 115, 120, 19, 15]),
    ("loops10", "sum04", [23, 63, 0, 1, 7], [7, 19, 0, 0, 1, 8, 1]),
    ("loops12", "terminator_03", [5, 16, 0, 0, 2], [5, 18, 0, 0, 0, 3, 2]),
    ("ntdrivers1", "cdaudio_simpl1", [46, 227, 2, 6, 36], [44, 243, 8, 10, 28, 89, 4]),
    ("ntdrivers2", "floppy_simpl3", [49, 295, 3, 5, 36], [48, 368, 41, 32, 78, 69, 8]),
    ("ntdrivers3", "floppy_simpl4", [52, 310, 4, 7, 40], [51, 383, 46, 41, 95, 86, 8]),
    ("ntdrivers4", "kbfiltr_simpl2", [30, 203, 1, 2, 16], [30, 203, 1, 1, 4, 29, 1]),
    ("plines9", "minepump_spec3_product03", [26, 80, 0, 1, 4], [25, 97, 37, 81, 120, 88, 76]),
    ("plines10", "minepump_spec3_product10", [26, 81, 0, 1, 4], [25, 94, 33, 85, 120, 62, 51]),
    ("plines11", "minepump_spec3_product29", [26, 86, 0, 1, 5], [26, 99, 36, 82, 120, 59, 48]),
    ("plines12", "minepump_spec3_product40", [27, 86, 0, 1, 5], [27, 138, 40, 80, 120, 65, 47]),
    ("ssh1", "s3_clnt_1", [32, 278, 3, 4, 14], [31, 235, 19, 100, 120, 23, 6]),
    ("ssh2", "s3_clnt_2", [34, 280, 3, 4, 14], [33, 237, 15, 104, 120, 22, 5]),
    ("ssh3", "s3_clnt_3", [39, 305, 4, 5, 14], [38, 255, 10, 109, 120, 18, 3]),
    ("ssh4", "s3_clnt_4", [35, 286, 4, 5, 14], [33, 243, 12, 106, 120, 20, 4]),
    ("ssh5", "s3_srvr_10", [15, 161, 1, 1, 5], [15, 161, 1, 1, 18, 63, 1]),
    ("ssh6", "s3_srvr_11", [46, 373, 11, 22, 47], [40, 258, 16, 93, 120, 51, 3]),
    ("ssh7", "s3_srvr_12", [46, 339, 7, 10, 37], [37, 242, 18, 99, 120, 42, 4]),
    ("ssh8", "s3_srvr_13", [37, 269, 4, 6, 24], [31, 223, 23, 94, 120, 34, 6]),
    ("ssh9", "s3_srvr_14", [24, 203, 2, 3, 13], [21, 201, 14, 25, 72, 67, 6]),
    ("ssh10", "s3_srvr_1", [22, 273, 4, 5, 10], [22, 304, 30, 78, 120, 59, 8]),
    ("ssh11", "s3_srvr_2", [22, 279, 5, 6, 10], [22, 306, 33, 77, 120, 59, 8]),
    ("systemc1", "kundu1", [130, 450, 4, 7, 29], [68, 235, 8, 23, 36, 37, 3]),
    ("systemc2", "kundu2", [114, 378, 3, 76, 42], [96, 333, 11, 29, 120, 50, 4]),
    ("systemc3", "pc_sfifo_2", [22, 93, 0, 0, 2], [22, 230, 8, 19, 29, 34, 5]),
    ("systemc4", "pipeline", [385, 1678, 41, 53, 34], [0, 500, 0, 108, 120, 34, 1]),
    ("systemc5", "token_ring.01", [66, 230, 1, 2, 13], [54, 191, 30, 87, 120, 49, 24]),
    ("systemc6", "token_ring.02", [104, 349, 2, 5, 23], [90, 299, 29, 86, 120, 41, 12]),
    ("systemc7", "token_ring.03", [150, 494, 6, 20, 32], [134, 433, 22, 79, 120, 42, 5]),
    ("systemc8", "toy1", [79, 354, 2, 7, 40], [66, 259, 21, 92, 120, 56, 10]),
    ("systemc9", "toy2", [79, 352, 2, 7, 38], [66, 257, 18, 95, 120, 53, 9]),
    ("systemc10", "transmitter.01", [43, 156, 0, 1, 6], [37, 137, 4, 8, 13, 22, 6]),
    ("systemc11", "transmitter.02", [76, 261, 1, 3, 18], [69, 237, 31, 84, 120, 39, 14]),
    ("systemc12", "transmitter.03", [117, 392, 3, 9, 25], [108, 361, 25, 80, 120, 36, 5]),
];

/// What file names of the collection say beside the name of a program; its years differ in it.
const MARKS: [&str; 6] = [
    "_false-unreach-call",
    "_false-termination",
    "_true-termination",
    "_true-valid-memsafety",
    "_false",
    "_true-unreach-call",
];

/// A file name without what its year adds, for comparing.
fn plain(name: &str) -> String {
    let mut stem = name.trim_end_matches(".c").trim_end_matches(".i").trim_end_matches(".cil").to_string();
    for mark in MARKS {
        stem = stem.replace(mark, "");
    }
    stem.replace(['_', '.'], "")
}

/// All C programs below a directory whose names hold a mark.
fn programs(directory: &Path, mark: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = vec![];
    let mut work = vec![directory.to_path_buf()];
    while let Some(next) = work.pop() {
        let entries = std::fs::read_dir(&next).map_err(|e| UsageError(format!("{}: {e}", next.display())))?;
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if path.is_dir() {
                work.push(path);
            } else if name.contains(mark) && (name.ends_with(".c") || name.ends_with(".i")) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// What one process said.
struct Said {
    status: Option<i32>,
    json: Value,
    took: Duration,
}

impl Said {
    fn number(&self, pointer: &str) -> Option<u64> {
        self.json.pointer(pointer).and_then(Value::as_u64)
    }

    fn shown(&self, pointer: &str) -> String {
        self.number(pointer).map_or("-".into(), |number| number.to_string())
    }

    fn relevant(&self) -> String {
        let all = self.json.pointer("/relevant").and_then(Value::as_array);
        all.map_or("-".into(), |all| all.len().to_string())
    }

    /// Seconds of a timing in milliseconds.
    fn seconds(&self, pointer: &str) -> String {
        self.number(pointer).map_or("-".into(), |ms| format!("{:.1}", ms as f64 / 1000.0))
    }
}

/// The command beside this program.
fn command() -> anyhow::Result<PathBuf> {
    let path = std::env::current_exe().context("this program has no path")?.with_file_name("wherefore");
    match path.exists() {
        true => Ok(path),
        false => Err(UsageError(format!("{} is missing: build wherefore-cli as well", path.display())).into()),
    }
}

fn said(wherefore: &Path, arguments: &[&str], program: &Path, seconds: u64) -> anyhow::Result<Said> {
    let began = Instant::now();
    let limits = [seconds.to_string(), MIB.to_string()];
    let output = Command::new(wherefore)
        .args(arguments)
        .arg(program)
        .args(["--format", "json", "-q", "--timeout", &limits[0], "--memory", &limits[1]])
        .output()
        .with_context(|| format!("{} does not start", wherefore.display()))?;
    let json = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    Ok(Said { status: output.status.code(), json, took: began.elapsed() })
}

/// The erroneous programs, one error trace each and all of them.
pub fn svcomp(options: &Options) -> anyhow::Result<()> {
    let wherefore = command()?;
    let files: BTreeMap<String, PathBuf> = programs(&options.directory, "false")?
        .into_iter()
        .map(|path| (plain(&path.file_name().unwrap_or_default().to_string_lossy()), path))
        .collect();
    let wanted = |row: &&Row| options.only.is_empty() || options.only.iter().any(|only| only == row.0 || only == row.1);
    let rows: Vec<(&Row, &PathBuf)> =
        TABLES.iter().filter(wanted).filter_map(|row| Some((row, files.get(&plain(row.1))?))).collect();
    let missing: Vec<&str> =
        TABLES.iter().filter(wanted).map(|row| row.1).filter(|name| !files.contains_key(&plain(name))).collect();
    if rows.is_empty() {
        return Err(UsageError(format!("{}: none of the programs is there", options.directory.display())).into());
    }
    println!("One error trace (the paper's figures in brackets)");
    println!("program      status  relevant     statements   localization s  total s");
    let mut found = 0;
    let single = parallel(&rows, jobs(options.jobs), |_, (_, path)| {
        said(&wherefore, &["relevant", "--ignore-memory"], path, options.seconds)
    });
    for ((row, _), said) in rows.iter().zip(single) {
        let (said, [relevant, statements, localization, total, _]) = (said?, row.2);
        found += usize::from(said.json.pointer("/failure/kind").is_some());
        println!(
            "{:<12} {:>6} {:>5} ({relevant:>3}) {:>6} ({statements:>4}) {:>9} ({localization:>2}) {:>8.1} ({total:>2})",
            row.0,
            said.status.map_or("-".into(), |status| status.to_string()),
            said.relevant(),
            said.shown("/trace/statements"),
            said.seconds("/timing_ms/solve"),
            said.took.as_secs_f64(),
        );
    }
    println!("{found} of {} have an error trace.\n", rows.len());
    println!("All error traces");
    println!("program      status  relevant     traces     complete  iterations   total s");
    let (mut found, mut complete, mut theirs) = (0, 0, 0);
    let all = parallel(&rows, jobs(options.jobs), |_, (_, path)| {
        said(&wherefore, &["relevant", "--all-traces"], path, options.seconds)
    });
    for ((row, _), said) in rows.iter().zip(all) {
        let (said, [relevant, _, _, _, total, iterations, traces]) = (said?, row.3);
        let is_complete = said.json.pointer("/traces/complete").and_then(Value::as_bool);
        found += usize::from(said.number("/traces/found").is_some_and(|found| found > 0));
        complete += usize::from(is_complete == Some(true));
        theirs += usize::from(total < 119);
        println!(
            "{:<12} {:>6} {:>5} ({relevant:>3}) {:>5} ({traces:>2}) {:>9} {:>6} ({iterations:>2}) {:>9.1} ({total:>3})",
            row.0,
            said.status.map_or("-".into(), |status| status.to_string()),
            said.relevant(),
            said.shown("/traces/found"),
            is_complete.map_or("-", |complete| if complete { "yes" } else { "no" }),
            said.shown("/traces/iterations"),
            said.took.as_secs_f64(),
        );
    }
    println!("{found} of {} have an error trace; complete in {complete} (the paper: {theirs}).", rows.len());
    if !missing.is_empty() {
        println!("Not there: {}.", missing.join(", "));
    }
    Ok(())
}

/// Safe programs: none may be given an error trace.
pub fn safe(options: &Options) -> anyhow::Result<()> {
    let wherefore = command()?;
    let mut files = programs(&options.directory, "_true-unreach-call")?;
    let names = |path: &PathBuf| plain(&path.file_name().unwrap_or_default().to_string_lossy());
    files.retain(|path| options.only.is_empty() || options.only.iter().any(|only| names(path).contains(&plain(only))));
    println!("program                                   status  answer       seconds");
    let (mut proved, mut alarms) = (0, 0);
    let asked = parallel(&files, jobs(options.jobs), |_, path| {
        said(&wherefore, &["search", "--by", "automata"], path, options.seconds)
    });
    for (path, said) in files.iter().zip(asked) {
        let said = said?;
        let failing = said.json.pointer("/failing").and_then(Value::as_array).is_some_and(|all| !all.is_empty());
        let answer = match said.status {
            Some(0) => "ALARM",
            Some(3) if said.json.pointer("/proved").and_then(Value::as_bool) == Some(true) => "proved",
            _ if failing => "ALARM",
            _ => "unknown",
        };
        alarms += usize::from(answer == "ALARM");
        proved += usize::from(answer == "proved");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let status = said.status.map_or("-".into(), |status| status.to_string());
        println!("{name:<42} {status:>5}  {answer:<10} {:>9.1}", said.took.as_secs_f64());
    }
    println!("{proved} of {} are proved, {alarms} are given an error trace.", files.len());
    anyhow::ensure!(alarms == 0, "a safe program was given an error trace");
    Ok(())
}

#[cfg(test)]
mod tests;
