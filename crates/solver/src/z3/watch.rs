//! Stops checks of Z3 that have to end.
//!
//! Z3 asks nobody while it searches, so one thread of the process looks after all running checks. Z3's own time-out is not
//! used: it does not say reliably whether it came before the end of the search, and that decides whether the context is
//! still good.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::context::InterruptHandle;
use crate::answer::Reason;
use crate::traits::StopSource;

/// From one look at the running checks to the next.
const NAP: Duration = Duration::from_millis(1);

static WATCH: Watch = Watch {
    state: Mutex::new(State { running: Vec::new(), last_number: 0, thread: Thread::None }),
    work: Condvar::new(),
};

struct Watch {
    state: Mutex<State>,
    /// Told when a check begins while the thread sleeps.
    work: Condvar,
}

struct State {
    running: Vec<Running>,
    last_number: u64,
    thread: Thread,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Thread {
    None,
    Asleep,
    Looking,
}

/// A check. Its context exists for as long as it stands in the list.
struct Running {
    number: u64,
    context: InterruptHandle,
    deadline: Option<Instant>,
    stop: Option<StopSource>,
    /// Why it was interrupted.
    interrupted: Option<Reason>,
}

impl Watch {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Plain values, consistent at any time.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a check of a context and interrupts it at the deadline or when told to stop. Gives the result and why it was
/// interrupted, if it was; then neither the result nor the context is to be trusted.
pub(super) fn watched<T>(
    context: InterruptHandle,
    deadline: Option<Instant>,
    stop: Option<&StopSource>,
    check: impl FnOnce() -> T,
) -> (T, Option<Reason>) {
    if deadline.is_none() && stop.is_none() {
        return (check(), None);
    }
    let watched = Watched::new(context, deadline, stop.cloned());
    let result = check();
    (result, watched.end())
}

/// A check in the list, taken out when this goes.
struct Watched(u64);

impl Watched {
    fn new(context: InterruptHandle, deadline: Option<Instant>, stop: Option<StopSource>) -> Watched {
        let mut state = WATCH.lock();
        state.last_number += 1;
        let number = state.last_number;
        state.running.push(Running { number, context, deadline, stop, interrupted: None });
        match state.thread {
            Thread::None => {
                std::thread::spawn(look);
                state.thread = Thread::Looking;
            }
            Thread::Asleep => WATCH.work.notify_one(),
            Thread::Looking => {}
        }
        Watched(number)
    }

    fn end(self) -> Option<Reason> {
        // Taken out under the same lock: nobody may interrupt a check any more that was said to have ended well.
        let mut state = WATCH.lock();
        let at = state.running.iter().position(|running| running.number == self.0)?;
        state.running.swap_remove(at).interrupted
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        WATCH.lock().running.retain(|running| running.number != self.0);
    }
}

/// The thread: looks while there is something to look at, sleeps otherwise.
fn look() {
    let mut state = WATCH.lock();
    loop {
        while state.running.is_empty() {
            state.thread = Thread::Asleep;
            state = WATCH.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.thread = Thread::Looking;
        state.running.iter_mut().for_each(Running::look);
        state = WATCH.work.wait_timeout(state, NAP).unwrap_or_else(PoisonError::into_inner).0;
    }
}

impl Running {
    /// Interrupts the check if it has to end; again and again, since Z3 loses an interruption that comes just before its
    /// search begins.
    fn look(&mut self) {
        if self.interrupted.is_none() {
            if self.stop.as_ref().is_some_and(|stop| stop()) {
                self.interrupted = Some(Reason::Interrupted);
            } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                self.interrupted = Some(Reason::TimeOut);
            }
        }
        if self.interrupted.is_some() {
            // SAFETY: the context of a check in the list exists, and the lock keeps it there.
            unsafe { self.context.interrupt() };
        }
    }
}
