//! What a command may use: one deadline, one amount of memory, one flag that somebody sets to make it stop.
//!
//! A [`Budget`] is handed down to every loop that can be long. A look at it costs two loads: the clock, the memory and
//! the signals are looked at by one watchman, who calls [`Budget::tick`] every few milliseconds. What is blocked where
//! it cannot look (a solver, a child process) asks to be called by [`Budget::on_stop`].
//!
//! Knows nothing of the rest, and does no I/O: the watchman says how much memory is used.

mod calls;

pub use calls::Registered;

use calls::Calls;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Why it is over.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stop {
    /// The deadline has passed.
    #[error("the time is up; --timeout gives more")]
    Time,
    /// The memory is used up, or what is to be done next would use it up.
    #[error("the memory is used up; --memory gives more")]
    Memory,
    /// Somebody asked to stop.
    #[error("it was interrupted")]
    Interrupted,
}

impl Stop {
    const ALL: [Stop; 3] = [Stop::Time, Stop::Memory, Stop::Interrupted];

    fn number(self) -> u8 {
        self as u8 + 1
    }

    fn of(number: u8) -> Option<Stop> {
        number.checked_sub(1).and_then(|n| Stop::ALL.get(usize::from(n)).copied())
    }
}

/// Milliseconds that the watchman may be late.
const NEAR: u64 = 200;

/// No deadline, no bound.
const NEVER: u64 = u64::MAX;

/// What a command may use. Clones share everything but the deadline of a part ([`Budget::share`]).
#[derive(Clone)]
pub struct Budget {
    shared: Arc<Shared>,
    /// Milliseconds after the start.
    deadline: u64,
}

struct Shared {
    /// Why it is over; 0 while it is not.
    stop: AtomicU8,
    start: Instant,
    /// Milliseconds after the start, as the watchman saw it last.
    now: AtomicU64,
    /// Whether there is a watchman; otherwise everybody looks at the clock.
    watched: AtomicBool,
    /// Bytes.
    memory: u64,
    /// The same in use, as the watchman saw it last.
    used: AtomicU64,
    /// How many looks are left; for tests, which must not depend on a clock.
    looks: Option<AtomicU64>,
    calls: Calls,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::unlimited()
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("left", &self.left()).field("stopped", &self.seen()).finish()
    }
}

/// The part of the memory that is kept for what is spent after it is over.
const RESERVE: u64 = 8;

impl Budget {
    /// Everything may take as long and as much as it likes.
    pub fn unlimited() -> Budget {
        Budget::new(None, None)
    }

    /// So much time from now on, and so many bytes.
    pub fn new(time: Option<Duration>, memory: Option<u64>) -> Budget {
        Budget::of(time, memory, None)
    }

    /// A budget that lets so many looks at it go by and is over at the next, for tests.
    pub fn counting(looks: u64) -> Budget {
        Budget::of(None, None, Some(AtomicU64::new(looks)))
    }

    fn of(time: Option<Duration>, memory: Option<u64>, looks: Option<AtomicU64>) -> Budget {
        let shared = Shared {
            stop: AtomicU8::new(0),
            start: Instant::now(),
            now: AtomicU64::new(0),
            watched: AtomicBool::new(false),
            // Whoever is stopped spends some more until he looks.
            memory: memory.map_or(NEVER, |memory| memory - memory / RESERVE),
            used: AtomicU64::new(0),
            looks,
            calls: Calls::default(),
        };
        let deadline = time.map_or(NEVER, milliseconds);
        Budget { shared: Arc::new(shared), deadline }
    }

    /// The budget of a part that may take this share, from 0 to 1, of the time that is left.
    pub fn share(&self, part: f64) -> Budget {
        match self.left() {
            Some(left) => self.within(left.mul_f64(part.clamp(0.0, 1.0))),
            None => self.clone(),
        }
    }

    /// The budget of a part that may take so much time at most.
    pub fn within(&self, time: Duration) -> Budget {
        let end = self.elapsed().saturating_add(milliseconds(time));
        Budget { shared: Arc::clone(&self.shared), deadline: self.deadline.min(end) }
    }

    /// Why it is over, if it is.
    pub fn stopped(&self) -> Option<Stop> {
        if let Some(looks) = &self.shared.looks
            && looks.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1)).is_err()
        {
            self.stop(Stop::Time);
        }
        self.seen()
    }

    /// The same as an error, for `?`.
    ///
    /// # Errors
    /// Where it is over.
    pub fn check(&self) -> Result<(), Stop> {
        self.stopped().map_or(Ok(()), Err)
    }

    /// As [`Budget::stopped`], not counted as a look.
    fn seen(&self) -> Option<Stop> {
        let shared = &*self.shared;
        if let Some(stop) = Stop::of(shared.stop.load(Relaxed)) {
            return Some(stop);
        }
        if self.deadline == NEVER {
            return None;
        }
        let seen = shared.now.load(Relaxed);
        // Near the deadline the watchman's clock is not good enough: what was given the time that is left has used it.
        if shared.watched.load(Relaxed) && seen.saturating_add(NEAR) < self.deadline {
            return None;
        }
        (self.elapsed() >= self.deadline).then_some(Stop::Time)
    }

    /// Whether so many bytes more would be too much. Asked before they are spent; the rest of the work may go on with
    /// something smaller.
    ///
    /// # Errors
    /// Where it is over, or would be.
    pub fn room(&self, bytes: u64) -> Result<(), Stop> {
        self.check()?;
        if self.room_left().is_some_and(|left| bytes > left) { Err(Stop::Memory) } else { Ok(()) }
    }

    /// Bytes that may still be spent; `None`: as many as there are.
    pub fn room_left(&self) -> Option<u64> {
        let shared = &*self.shared;
        (shared.memory != NEVER).then(|| shared.memory.saturating_sub(shared.used.load(Relaxed)))
    }

    /// The time that is left, none if it is over for another reason; `None`: without end.
    pub fn left(&self) -> Option<Duration> {
        if Stop::of(self.shared.stop.load(Relaxed)).is_some() {
            return Some(Duration::ZERO);
        }
        (self.deadline != NEVER).then(|| Duration::from_millis(self.deadline.saturating_sub(self.elapsed())))
    }

    /// Makes it be over, for all clones. The first reason counts.
    pub fn stop(&self, why: Stop) {
        let first = self.shared.stop.compare_exchange(0, why.number(), Relaxed, Relaxed).is_ok();
        if first {
            self.shared.calls.make(NEVER);
        }
    }

    /// Calls this once when it is over, from another thread, or at once if it is over already; not any more once what
    /// is returned is dropped. Without a watchman the clock calls nobody: give a time as well.
    #[must_use = "dropped, it is not called"]
    pub fn on_stop(&self, call: impl Fn() + Send + Sync + 'static) -> Registered {
        let registered = self.shared.calls.add(self.deadline, Box::new(call));
        // It may have been over before the call was known.
        if self.seen().is_some() {
            registered.make();
        }
        registered
    }

    /// The watchman's round: looks at the clock, is told the bytes in use, and says why it is over, if it is.
    pub fn tick(&self, used: u64) -> Option<Stop> {
        let shared = &*self.shared;
        let now = self.elapsed();
        shared.now.store(now, Relaxed);
        shared.used.store(used, Relaxed);
        shared.watched.store(true, Relaxed);
        if used > shared.memory {
            self.stop(Stop::Memory);
        }
        if now >= self.deadline {
            self.stop(Stop::Time);
        }
        shared.calls.make(now);
        self.seen()
    }

    fn elapsed(&self) -> u64 {
        milliseconds(self.shared.start.elapsed())
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(NEVER)
}

#[cfg(test)]
mod tests;
