//! A command at work: what it may use, and what it knows so far.

use crate::options::{Command, Format, Report as Target, Run};
use crate::watch::{LastWords, while_doing};
use crate::{emit, search};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use wherefore_budget::{Budget, Stop};
use wherefore_report::Report;

/// What a command may use, and what it knows so far.
#[derive(Clone, Default)]
pub struct Work {
    /// What it may use.
    pub budget: Budget,
    /// What would be reported if it had to end now.
    known: Arc<Mutex<Option<Report>>>,
}

impl Work {
    /// The work that the options ask for.
    pub fn new(command: &Command) -> Work {
        match command {
            // The limits of a list are those of each program.
            Command::Diagnose(options) if options.batch.is_some() => Work::within(Budget::new(None, None)),
            _ => Work::within(budget(run_options(command))),
        }
    }

    /// Work that may use this.
    pub fn within(budget: Budget) -> Work {
        Work { budget, ..Work::default() }
    }

    /// Remembers what is known so far.
    pub fn know(&self, report: &Report) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(report.clone());
    }

    /// What to say if the command cannot say it itself.
    pub fn last_words(&self, command: &Command) -> LastWords {
        match command {
            Command::Explain(options) => self.report("explain", &options.report),
            Command::Relevant(options) => self.report("relevant", &options.report),
            Command::Diagnose(options) if options.batch.is_some() => {
                let words =
                    |_, _: &str| "Stopped; what is done is kept, and the same command goes on from there.\n".into();
                LastWords { output: None, words: Arc::new(words) }
            }
            Command::Diagnose(options) => self.report("diagnose", &options.report),
            Command::Search(options) => {
                let format = options.format;
                let words = move |stop, doing: &str| search::stopped(format, while_doing(stop, doing));
                LastWords { output: None, words: Arc::new(words) }
            }
            Command::Record(_) => LastWords::none(),
        }
    }

    fn report(&self, command: &'static str, target: &Target) -> LastWords {
        let (known, format) = (Arc::clone(&self.known), target.format);
        let words = move |stop: Stop, doing: &str| {
            let known = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let mut report = known.unwrap_or_else(|| Report::new(command));
            report.partial = true;
            report.notes.push(while_doing(stop, doing));
            match format {
                Format::Json => wherefore_report::json(&report),
                Format::Human => emit::plain(&report),
            }
        };
        LastWords { output: target.output.clone(), words: Arc::new(words) }
    }
}

/// The options of a command that say which run.
fn run_options(command: &Command) -> &Run {
    match command {
        Command::Explain(options) => &options.run,
        Command::Relevant(options) => &options.run,
        Command::Diagnose(options) => &options.run,
        Command::Search(options) => &options.run,
        Command::Record(options) => &options.run,
    }
}

/// What the user gives, from now on.
pub fn budget(options: &Run) -> Budget {
    let time = Duration::try_from_secs_f64(options.timeout).unwrap_or(Duration::MAX);
    Budget::new(Some(time), Some(options.memory.saturating_mul(1 << 20)))
}
