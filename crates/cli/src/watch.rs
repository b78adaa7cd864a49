//! The watchman of a command: looks at the clock, at the memory and for signals, and has the last word where the command
//! cannot be asked to stop.
//!
//! Whoever can be asked looks at the budget, gives what is known and ends in its own way. Some code cannot (LLVM, a
//! grammar, the freeing of much memory): a moment after the stop the watchman tells in its place that the answer is
//! partial, removes the folders and leaves.

use crate::memory::memory_in_use;
use crate::{Status, progress};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use wherefore_budget::{Budget, Stop};

/// How often it makes its round.
const ROUND: Duration = Duration::from_millis(20);
/// How long a command may take to end in its own way.
const GRACE: Duration = Duration::from_millis(400);
/// How long it may take in addition to write a report that is begun.
const WRITING: Duration = Duration::from_millis(200);

/// Signals by which somebody wants the command to end.
const ENDING: [libc::c_int; 12] = [
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGALRM,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGXCPU,
    libc::SIGIO,
    libc::SIGPWR,
];
/// Signals that come of a fault in the command itself.
const FAULTS: [libc::c_int; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP, libc::SIGSYS];

/// How often somebody wanted the command to end.
static ASKED: AtomicUsize = AtomicUsize::new(0);
/// The signal of a fault.
static FAULT: AtomicI32 = AtomicI32::new(0);
/// The status that the report on its way tells; `NOT_TOLD` before there is one.
static TOLD: AtomicU8 = AtomicU8::new(NOT_TOLD);
const NOT_TOLD: u8 = u8::MAX;
/// Held while a report is written.
static TELLING: Mutex<()> = Mutex::new(());

/// Says that the answer is partial, and what is known: why, and what was being done.
type Words = dyn Fn(Stop, &str) -> String + Send + Sync;

/// What to say where the command cannot say it itself.
#[derive(Clone)]
pub struct LastWords {
    /// Where it goes; `None`: to standard output.
    pub output: Option<PathBuf>,
    /// What it is.
    pub words: Arc<Words>,
}

impl LastWords {
    /// Nothing but a line on standard error.
    pub fn none() -> LastWords {
        LastWords { output: None, words: Arc::new(|_, _| String::new()) }
    }

    /// Writes it, unless the report itself was begun.
    fn say(&self, stop: Stop) {
        if TOLD.load(SeqCst) != NOT_TOLD {
            return;
        }
        TOLD.store(Status::Partial as u8, SeqCst);
        let doing = progress::current();
        let text = (self.words)(stop, doing);
        // Whoever reads it there need not be told twice.
        let is_told = self.output.is_none() && !text.is_empty();
        let written = match &self.output {
            Some(path) => std::fs::write(path, text),
            None => std::io::stdout().write_all(text.as_bytes()).and_then(|()| std::io::stdout().flush()),
        };
        if let Err(error) = written.map_err(|e| e.to_string()) {
            eprintln!("wherefore: {error}");
        }
        if !is_told {
            eprintln!("wherefore: partial: {}", while_doing(stop, doing));
        }
    }
}

/// `the time is up while compiling; --timeout gives more`.
pub fn while_doing(stop: Stop, doing: &str) -> String {
    if doing.is_empty() { stop.to_string() } else { with(stop, &format!("while {doing}")) }
}

/// `the time is up before it is checked; --timeout gives more`.
pub fn before(stop: Stop, what: &str) -> String {
    with(stop, &format!("before {what}"))
}

fn with(stop: Stop, when: &str) -> String {
    let text = stop.to_string();
    match text.split_once(';') {
        Some((what, more)) => format!("{what} {when};{more}"),
        None => format!("{text} {when}"),
    }
}

/// Writes a report that tells this status. The watchman does not speak any more.
pub fn tell<T>(status: Status, write: impl FnOnce() -> T) -> T {
    let _telling = TELLING.lock().unwrap_or_else(PoisonError::into_inner);
    let result = write();
    TOLD.store(status as u8, SeqCst);
    result
}

/// Says that the command was stopped, in the form of its report.
pub fn say_stopped(stop: Stop, words: &LastWords) {
    let _telling = TELLING.lock().unwrap_or_else(PoisonError::into_inner);
    words.say(stop);
}

/// Starts to watch: from now on signals stop the budget, and what does not end in time is ended.
pub fn start(budget: &Budget, words: LastWords) {
    for signal in ENDING {
        catch(signal, ask);
    }
    for signal in FAULTS {
        catch(signal, fault);
    }
    let budget = budget.clone();
    budget.tick(memory_in_use());
    // Whoever gets the signal of a fault waits for the watchman, so that must never be the watchman, who has from his first
    // moment what is blocked here.
    mask_faults(libc::SIG_BLOCK);
    let watching = std::thread::Builder::new().name("watchman".into()).spawn(move || watch(&budget, &words));
    mask_faults(libc::SIG_UNBLOCK);
    if let Err(error) = watching {
        eprintln!("wherefore: limits are kept less strictly: {error}");
    }
}

fn watch(budget: &Budget, words: &LastWords) {
    let mut stopped: Option<(Stop, Instant)> = None;
    loop {
        std::thread::sleep(ROUND);
        if FAULT.load(SeqCst) != 0 {
            wherefore_record::remove_all();
            FAULT.store(0, SeqCst);
            return;
        }
        if ASKED.load(SeqCst) > 0 {
            budget.stop(Stop::Interrupted);
        }
        if let Some(stop) = budget.tick(memory_in_use()) {
            stopped.get_or_insert((stop, Instant::now()));
        }
        if let Some((stop, since)) = stopped
            && (since.elapsed() >= GRACE || ASKED.load(SeqCst) > 1)
        {
            leave(stop, words);
        }
    }
}

/// Says what is to be said and ends the process, without a word to those who are still at work.
fn leave(stop: Stop, words: &LastWords) -> ! {
    let since = Instant::now();
    while since.elapsed() < WRITING {
        if let Ok(_telling) = TELLING.try_lock() {
            words.say(stop);
            break;
        }
        std::thread::sleep(ROUND);
    }
    wherefore_record::remove_all();
    let status = match TOLD.load(SeqCst) {
        NOT_TOLD => Status::Partial as u8,
        told => told,
    };
    // SAFETY: a plain system call. Nothing is destroyed: that is what takes too long.
    unsafe { libc::_exit(i32::from(status)) }
}

/// Lets a function answer a signal, unless it is ignored (`nohup`).
fn catch(signal: libc::c_int, answer: extern "C" fn(libc::c_int)) {
    // SAFETY: the structures are plain data and filled before use; the handlers only touch atomics and make system calls.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(signal, std::ptr::null(), &mut before) == 0 && before.sa_sigaction == libc::SIG_IGN {
            return;
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = answer as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
        libc::sigaction(signal, &action, std::ptr::null_mut());
    }
}

/// Blocks the signals of faults in this thread, or lets them through again.
fn mask_faults(how: libc::c_int) {
    // SAFETY: the set is filled before use, and only this thread is changed.
    unsafe {
        let mut faults: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut faults);
        for signal in FAULTS {
            libc::sigaddset(&mut faults, signal);
        }
        libc::pthread_sigmask(how, &faults, std::ptr::null_mut());
    }
}

extern "C" fn ask(_: libc::c_int) {
    ASKED.fetch_add(1, SeqCst);
}

/// Waits until the watchman has removed the folders, then dies of it.
extern "C" fn fault(signal: libc::c_int) {
    // SAFETY: all of these may be called in a handler.
    unsafe {
        FAULT.store(signal, SeqCst);
        for _ in 0..300 {
            if FAULT.load(SeqCst) == 0 {
                break;
            }
            libc::usleep(10_000);
        }
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_names_the_limit_what_was_done_and_the_option() {
        assert_eq!(while_doing(Stop::Time, "compiling"), "the time is up while compiling; --timeout gives more");
        assert_eq!(while_doing(Stop::Interrupted, "searching"), "it was interrupted while searching");
        assert_eq!(while_doing(Stop::Memory, ""), "the memory is used up; --memory gives more");
    }

    #[test]
    fn memory_is_seen() {
        let before = memory_in_use();
        let much = std::hint::black_box(vec![1u8; 64 << 20]);
        let after = memory_in_use();
        assert!(after >= before + (48 << 20), "{before} {after} {}", much.len());
    }
}
