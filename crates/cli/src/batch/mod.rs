//! `wherefore diagnose --batch`: many programs with their tests, each in a process of its own.
//!
//! Whatever a program does to its analysis is its own affair. A result is written when it is there, so that a batch that
//! was stopped goes on where it was; shares of a list are independent of each other.

mod manifest;
mod result;

use crate::diagnose::jobs;
use crate::options::Diagnose as Options;
use crate::progress::Progress;
use crate::{Status, UsageError, Work, emit};
use manifest::Entry;
use result::Outcome;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use wherefore_budget::Budget;
use wherefore_parallel::try_parallel;

/// How often it is looked whether a program is done, or nobody wants it any more.
const LOOK: Duration = Duration::from_millis(20);
/// What a program may take to end after a signal before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// The table in the directory of the results.
const TABLE: &str = "summary.tsv";
const COLUMNS: [&str; 7] = ["program", "answer", "failing", "diagnoses", "edit", "first", "seconds"];

/// Diagnoses all programs of a list, or one share of them.
///
/// # Errors
/// When the list makes no sense, or results cannot be written.
pub fn batch(options: &Options, list: &Path, work: &Work) -> anyhow::Result<Status> {
    let Some(directory) = &options.report.output else {
        return Err(UsageError("--batch needs -o DIR, a directory for the results".into()).into());
    };
    let all = manifest::read(list)?;
    let base = list.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")).canonicalize()?;
    let cannot = |e: std::io::Error| UsageError(format!("-o {}: {e}", directory.display()));
    std::fs::create_dir_all(directory).map_err(cannot)?;
    let directory = directory.canonicalize().map_err(cannot)?;
    let entries = match options.shard {
        Some(share) => manifest::share(all.clone(), share),
        None => all.clone(),
    };
    let runner = Runner { executable: std::env::current_exe()?, options, base: &base, budget: &work.budget };
    let kept = |entry: &Entry| Outcome::kept(&directory, entry, &runner.written(entry), &base);
    let todo: Vec<&Entry> = entries.iter().filter(|entry| kept(entry).is_none()).collect();
    let mut progress = Progress::new(options.run.quiet);
    progress.steps("diagnosing", todo.len());
    let runs = try_parallel(
        &todo,
        jobs(options.jobs),
        || Ok(()),
        |(): &mut (), _, entry: &&Entry| {
            if let Some(outcome) = runner.run(entry)? {
                outcome.keep(&directory).map_err(cannot)?;
            }
            progress.step();
            anyhow::Ok(())
        },
    );
    progress.finish();
    runs?;
    let rows: Vec<[String; 7]> = all.iter().filter_map(kept).map(|outcome| outcome.row()).collect();
    write_table(&directory, &rows).map_err(cannot)?;
    emit::print(&told(&rows, all.len(), &directory))?;
    let stopped = work.budget.stopped().is_some();
    Ok(if stopped { Status::Partial } else { Status::Explained })
}

/// Runs programs.
struct Runner<'a> {
    executable: PathBuf,
    options: &'a Options,
    base: &'a Path,
    budget: &'a Budget,
}

impl Runner<'_> {
    /// What comes of a program; `None` if nobody wants it any more.
    fn run(&self, entry: &Entry) -> anyhow::Result<Option<Outcome>> {
        if self.budget.stopped().is_some() {
            return Ok(None);
        }
        let began = Instant::now();
        let folder = tempfile::tempdir()?;
        let said = folder.path().join("said");
        let report = folder.path().join("report");
        let mut child = Command::new(&self.executable)
            .arg("diagnose")
            .args(self.common(entry))
            .args(self.threads(entry))
            .args(["--format", "json", "-o"])
            .arg(&report)
            .args(&entry.arguments)
            .current_dir(self.base)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(&said)?)
            .spawn()?;
        let Some(status) = self.wait(&mut child)? else { return Ok(None) };
        let report = std::fs::read(&report).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let message = String::from_utf8_lossy(&std::fs::read(&said)?).into_owned();
        let seconds = began.elapsed().as_secs_f64();
        let (name, arguments) = (entry.name.clone(), self.written(entry));
        Ok(Some(Outcome { name, arguments, status, seconds, message, report }))
    }

    /// Options for all programs, as far as a line does not have its own.
    fn common(&self, entry: &Entry) -> Vec<OsString> {
        let options = self.options;
        let mut all = vec![
            ("--timeout", Some(options.run.timeout.to_string())),
            ("--memory", Some(options.run.memory.to_string())),
            ("--limit", Some(options.limit.to_string())),
            ("--max-size", options.max_size.map(|n| n.to_string())),
            ("--unwind", options.unwind.map(|n| n.to_string())),
        ];
        all.retain(|(name, _)| !has(entry, name));
        let pairs = all.into_iter().filter_map(|(name, value)| Some([name.to_string(), value?]));
        let compiler = options.run.cc_args().into_iter().map(|argument| ["--cc-arg".to_string(), argument]);
        pairs.chain(compiler).flatten().map(OsString::from).collect()
    }

    /// Programs side by side do not use threads of their own; that does not change the answer.
    fn threads(&self, entry: &Entry) -> &'static [&'static str] {
        match jobs(self.options.jobs) > 1 && !has(entry, "--jobs") {
            true => &["--jobs", "1"],
            false => &[],
        }
    }

    /// What decides about the answer, as it is written down with it.
    fn written(&self, entry: &Entry) -> Vec<String> {
        let all = self.common(entry).into_iter().chain(entry.arguments.iter().cloned());
        all.map(|argument| argument.to_string_lossy().into_owned()).collect()
    }

    /// The status of a program when it has ended, which it does at its own limits; `None` if it was stopped because nobody
    /// wants it.
    fn wait(&self, child: &mut Child) -> anyhow::Result<Option<i32>> {
        let mut asked: Option<Instant> = None;
        loop {
            if let Some(status) = child.try_wait()? {
                // What a signal of ours ended says nothing about the program.
                return Ok(status.code().or(Some(-1)).filter(|_| asked.is_none() && self.budget.stopped().is_none()));
            }
            if self.budget.stopped().is_some() && asked.is_none() {
                // SAFETY: a child that was not waited for still has its number.
                unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) };
                asked = Some(Instant::now());
            }
            if asked.is_some_and(|asked| asked.elapsed() > GRACE) {
                child.kill()?;
            }
            std::thread::sleep(LOOK);
        }
    }
}

/// Whether a line has an option of its own.
fn has(entry: &Entry, option: &str) -> bool {
    entry.arguments.iter().any(|argument| argument.to_string_lossy().split('=').next() == Some(option))
}

fn write_table(directory: &Path, rows: &[[String; 7]]) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    let clean = |text: &String| text.replace(['\t', '\n', '\r'], " ");
    writeln!(file, "{}", COLUMNS.join("\t"))?;
    for row in rows {
        writeln!(file, "{}", row.iter().map(clean).collect::<Vec<_>>().join("\t"))?;
    }
    file.persist(directory.join(TABLE))?;
    Ok(())
}

/// The table for a person.
fn told(rows: &[[String; 7]], of: usize, directory: &Path) -> String {
    let most = |column: usize| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.chain([COLUMNS[column].len()]).max().unwrap_or(0).min(48)
    };
    let widths: Vec<usize> = (0..COLUMNS.len()).map(most).collect();
    let line = |cells: &[&str]| {
        let cut = |(text, width): (&&str, &usize)| {
            let short: String = text.chars().take(*width).collect();
            format!("{short:<width$}")
        };
        let text: Vec<String> = cells.iter().zip(&widths).map(cut).collect();
        format!("{}\n", text.join("  ").trim_end())
    };
    let mut text = line(&COLUMNS);
    for row in rows {
        text += &line(&row.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let count = |what: &str| rows.iter().filter(|row| row[1] == what).count();
    let edits = rows.iter().filter(|row| !row[4].is_empty()).count();
    text += &format!(
        "\n{} of {of} programs: {} diagnosed ({edits} with an edit that passes all tests), {} partial, {} pass, {} cannot be run{}.\n",
        rows.len(),
        count("diagnosed"),
        count("partial"),
        count("passes"),
        count("cannot be run"),
        match count("failed") {
            0 => String::new(),
            n => format!(", {n} failed"),
        }
    );
    text += &format!("Each has its report in {}, the table is {TABLE} there.\n", directory.display());
    text
}
