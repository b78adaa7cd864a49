//! Watching a program: its output is read and its limits are kept until something happens.

use crate::output::Drain;
use crate::processes;
use crate::runner::{Ending, RunLimits, mib};
use crate::start::Supervisor;
use std::io;
use std::os::fd::RawFd;
use std::time::{Duration, Instant};

/// Room for what is read at a time.
pub const BUFFER: usize = 64 << 10;

/// How often processes are counted.
pub const TICK: Duration = Duration::from_millis(10);

/// When somebody looks at it first; each further look comes after twice the time.
const FIRST_LOOK: Duration = Duration::from_millis(200);

/// A program at work.
pub struct Watched<'a> {
    pub supervisor: &'a Supervisor,
    /// What becomes readable when the program has something to tell.
    pub answer: Option<RawFd>,
    pub limits: &'a RunLimits,
    /// When it began.
    pub began: Instant,
    /// How many tasks the system had then.
    pub tasks: u16,
    /// Asked now and then whether enough was seen of it.
    pub look: &'a dyn Fn() -> bool,
}

/// What happened.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// There is something to read.
    Answer,
    /// The supervisor has ended.
    Ended,
    /// A limit was reached.
    Limit(Ending),
}

/// Reads the program's output until something happens.
pub fn watch(watched: &Watched, stdout: &mut Drain, stderr: &mut Drain, buffer: &mut [u8]) -> io::Result<Event> {
    let limits = watched.limits;
    let mut next_look = FIRST_LOOK;
    loop {
        let left = limits.time.saturating_sub(watched.began.elapsed());
        let descriptors =
            [watched.answer.unwrap_or(-1), watched.supervisor.descriptor(), stdout.descriptor(), stderr.descriptor()];
        let [answer, ended, out, err] = poll(descriptors, left.min(TICK))?;
        if answer {
            return Ok(Event::Answer);
        }
        if ended {
            return Ok(Event::Ended);
        }
        for (drain, ready) in [(&mut *stdout, out), (&mut *stderr, err)] {
            if ready {
                // Not more at a time, lest a flood keep us from looking at the clock.
                drain.take(1 << 20, buffer)?;
            }
        }
        if stdout.bytes() + stderr.bytes() > mib(limits.output_mib) {
            return Ok(Event::Limit(Ending::OutputLimit));
        }
        if let Some(stop) = limits.budget.stopped() {
            return Ok(Event::Limit(Ending::Stopped(stop)));
        }
        if left.is_zero() {
            return Ok(Event::Limit(Ending::TimedOut));
        }
        if watched.began.elapsed() >= next_look {
            if (watched.look)() {
                return Ok(Event::Limit(Ending::SeenEnough));
            }
            next_look = 2 * watched.began.elapsed();
        }
        // Only when the whole system has so many more tasks is it worth counting ours.
        let more = (processes::system_tasks().wrapping_sub(watched.tasks) as i16).max(0) as usize;
        if more > limits.processes && processes::count_descendants(watched.supervisor.pid()) > limits.processes {
            return Ok(Event::Limit(Ending::ProcessLimit));
        }
    }
}

/// Waits until one of the descriptors is ready or closed; says which are. Those below 0 never are.
pub fn poll<const N: usize>(descriptors: [RawFd; N], time: Duration) -> io::Result<[bool; N]> {
    let mut entries = descriptors.map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
    // Rounded up: 0 would not wait at all.
    let milliseconds = time.as_micros().div_ceil(1000) as libc::c_int;
    // SAFETY: so many live entries.
    let result = unsafe { libc::poll(entries.as_mut_ptr(), N as libc::nfds_t, milliseconds) };
    if result < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    Ok(entries.map(|e| result > 0 && e.revents != 0))
}
