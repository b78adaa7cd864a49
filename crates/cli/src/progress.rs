//! What is being done, shown on a terminal when it takes longer than a moment.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Whoever waits less than this is not bothered.
const PATIENCE: Duration = Duration::from_secs(1);

/// The line while there is no telling how long it takes.
const PHASE: &str = "{spinner} {msg}, {elapsed}";

/// The line while there is.
const STEPS: &str = "{spinner} {msg} [{bar:24}] {pos} of {len}, {elapsed}, about {eta} left";

/// What is being done.
static DOING: Mutex<&str> = Mutex::new("");

/// What is being done, as far as it was said.
pub fn current() -> &'static str {
    *DOING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A line on standard error while work goes on. It is gone when this is dropped.
pub struct Progress {
    shown: Option<Shown>,
}

struct Shown {
    bar: ProgressBar,
    /// Dropped when it is over.
    over: Sender<()>,
    /// The only one that draws.
    drawer: JoinHandle<()>,
}

impl Progress {
    /// Starts to wait. Nothing is ever shown when standard error is no terminal or `quiet`.
    pub fn new(quiet: bool) -> Progress {
        if quiet || !std::io::stderr().is_terminal() {
            return Progress { shown: None };
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_style(style(PHASE));
        let (over, wait) = channel::<()>();
        let later = bar.clone();
        let drawer = std::thread::spawn(move || {
            if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                later.set_draw_target(ProgressDrawTarget::stderr());
                later.enable_steady_tick(Duration::from_millis(120));
                // Until the sender is dropped.
                let _ = wait.recv();
                later.finish_and_clear();
            }
        });
        Progress { shown: Some(Shown { bar, over, drawer }) }
    }

    /// Says what is being done from now on, such as `compiling`.
    pub fn phase(&self, name: &'static str) {
        say(name);
        if let Some(Shown { bar, .. }) = &self.shown {
            bar.set_style(style(PHASE));
            bar.set_message(name);
        }
    }

    /// The same for work of so many steps, with an estimate of its end.
    pub fn steps(&self, name: &'static str, count: usize) {
        say(name);
        if let Some(Shown { bar, .. }) = &self.shown {
            bar.set_message(name);
            bar.set_length(count as u64);
            bar.set_position(0);
            bar.reset_eta();
            bar.set_style(style(STEPS));
        }
    }

    /// One of the steps is done.
    pub fn step(&self) {
        if let Some(Shown { bar, .. }) = &self.shown {
            bar.inc(1);
        }
    }

    /// Takes the line away.
    pub fn finish(&mut self) {
        if let Some(shown) = self.shown.take() {
            drop(shown.over);
            // A panic in there costs a line on the screen and nothing else.
            let _ = shown.drawer.join();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

fn say(name: &'static str) {
    *DOING.lock().unwrap_or_else(PoisonError::into_inner) = name;
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates are right").progress_chars("=> ")
}
