//! Where a fault stands in an answer.

use clap::Parser;
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use wherefore_budget::{Budget, Stop};
use wherefore_case::Case;
use wherefore_cli::Work;
use wherefore_cli::diagnose::{Answer, Effort, Repaired, answer, diagnosed};
use wherefore_cli::memory::memory_in_use;
use wherefore_cli::options::{Cli, Command, Diagnose};
use wherefore_cli::progress::Progress;
use wherefore_report::{Diagnosed, Diagnosis, Loc};
use wherefore_session::Session;

/// The options of a diagnosis with so many threads; 0: as many as there are processors.
pub fn settings(jobs: usize, arguments: &[OsString]) -> anyhow::Result<Diagnose> {
    // Faults of the benchmarks are single statements or pairs; larger sets only cost time here.
    let start = ["wherefore", "diagnose", "--timeout", "600", "--max-size", "2", "-q"];
    let numbers = ["--memory".to_string(), (MEMORY >> 20).to_string(), "--jobs".to_string(), jobs.to_string()];
    let start = start.map(OsString::from).into_iter().chain(numbers.map(OsString::from));
    match Cli::try_parse_from(start.chain(arguments.iter().cloned()))?.command {
        Command::Diagnose(options) => Ok(options),
        _ => anyhow::bail!("not a diagnosis"),
    }
}

/// What a version may use, in bytes.
const MEMORY: u64 = 2 << 30;

/// How often somebody looks at it.
const LOOK: Duration = Duration::from_millis(20);

/// An answer, as it is reported.
pub struct Judged {
    pub answer: Answer,
    pub reported: Diagnosed,
}

/// The answer to some tests in so much time, or that of the formula alone; `None` if none fails, or nothing is known by
/// then.
pub fn judged(
    options: &Diagnose,
    session: &Session,
    cases: &[Case],
    time: Duration,
    formula: bool,
) -> anyhow::Result<Option<Judged>> {
    give_back();
    let work = Work::within(Budget::new(Some(time), Some(MEMORY)));
    let over = AtomicBool::new(false);
    let watched = std::thread::scope(|scope| {
        // Somebody has to look at the memory, as the command does.
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                work.budget.tick(memory_in_use());
                std::thread::sleep(LOOK);
            }
        });
        let progress = Progress::new(true);
        let answer = match formula {
            true => diagnosed(options, session, cases, Effort::Whole, &progress, &work.budget)
                .map(|found| found.map(|found| Answer { found, repaired: Repaired::default() })),
            false => answer(options, session, cases, &progress, &work),
        };
        over.store(true, Ordering::Relaxed);
        answer
    });
    let answer = match watched {
        // A limit that is reached before anything is known is an answer too: nothing.
        Err(error) if error.chain().any(|cause| cause.is::<Stop>()) => None,
        answer => answer?,
    };
    Ok(answer.map(|answer| Judged { reported: answer.diagnosed(options, cases, &work.budget), answer }))
}

/// Gives memory that versions before have used back to the system: it is not this one's.
fn give_back() {
    unsafe extern "C" {
        fn mi_collect(force: bool);
    }
    // SAFETY: the allocator of this program has this function, which may be called at any time.
    unsafe { mi_collect(true) };
}

impl Judged {
    /// Whether a diagnosis names one of these lines, or uses a macro that is defined there.
    pub fn names(&self, diagnosis: &Diagnosis, lines: &[u32]) -> bool {
        let all = &self.answer.found.statements.list;
        diagnosis.statements.iter().any(|named| {
            let known = all.iter().find(|s| s.at == named.at);
            names(&named.at, known.map_or(&[], |s| &s.macros), lines)
        })
    }

    /// The place of the first diagnosis that names one of these lines.
    pub fn rank(&self, lines: &[u32]) -> Option<usize> {
        self.reported.diagnoses.iter().position(|d| self.names(d, lines)).map(|n| n + 1)
    }

    /// The same among the statements to look at, where nothing is known to repair the program.
    pub fn suspected(&self, lines: &[u32]) -> Option<usize> {
        let suspects = self.reported.suspects.iter();
        suspects.map(|s| &s.statement.at).position(|at| names(at, &[], lines)).map(|n| n + 1)
    }

    /// Whether some edit passes all tests, and whether one in these lines does.
    pub fn patched(&self, lines: &[u32]) -> (bool, bool) {
        let edited = || self.reported.diagnoses.iter().filter(|d| d.has_repair());
        (edited().next().is_some(), edited().any(|d| self.names(d, lines)))
    }

    /// The lines of the first diagnoses.
    pub fn first(&self) -> String {
        let of = |d: &Diagnosis| d.statements.iter().map(|s| s.at.line.to_string()).collect::<Vec<_>>().join("+");
        self.reported.diagnoses.iter().take(6).map(of).collect::<Vec<_>>().join(" ")
    }
}

/// Whether a statement contains one of these lines, or uses a macro defined there.
pub fn names(at: &Loc, macros: &[u32], lines: &[u32]) -> bool {
    lines.iter().any(|line| (at.line..=at.end_line.max(at.line)).contains(line) || macros.contains(line))
}

/// A file of old: not always UTF-8.
pub fn read(path: &Path) -> std::io::Result<String> {
    std::fs::read(path).map(|b| String::from_utf8_lossy(&b).into_owned())
}
