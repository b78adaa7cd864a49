//! What is known of a further call of code outside the program, in a round that is like one before.

use crate::walk::Outside;
use wherefore_clib as clib;

/// What another call would do.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Again {
    /// It gives and writes the same again, as far as it finds the same.
    Same {
        /// It looks at memory.
        looks: bool,
    },
    /// It leaves the program's memory alone, but may give something else.
    Other,
    /// It makes an object.
    Makes,
    /// It frees one.
    Frees,
    /// It may do anything.
    Unknown,
}

/// A reader that gave nothing in so many rounds takes nothing off the input.
const MANY: u64 = 50_000;

/// Functions without a row in the table that only let time go by.
const WAITING: &[&str] = &["sleep", "usleep", "nanosleep", "sched_yield", "clock_nanosleep", "thrd_sleep"];

/// What a further call of the function would do where it finds what it found.
pub fn again(call: &Outside, rounds: u64) -> Again {
    if WAITING.contains(&call.name.as_str()) {
        return Again::Other;
    }
    if clib::nondet(&call.name).is_some() {
        return Again::Other;
    }
    let Some(function) = clib::function(&call.name) else { return Again::Unknown };
    if function.reads_input.is_some() {
        let stuck = is_at_end(function.name, call) || is_stuck(function.name, call, rounds);
        return if stuck { Again::Same { looks: false } } else { Again::Unknown };
    }
    match (function.allocates.is_some(), function.frees.is_some()) {
        (true, false) => return Again::Makes,
        (false, true) => return Again::Frees,
        (true, true) => return Again::Unknown,
        (false, false) => {}
    }
    if function.writes_output.is_some() && function.only_reads() {
        return Again::Other;
    }
    if function.is_pure() && !function.nondeterministic {
        let looks = !function.accesses.is_empty();
        return Again::Same { looks };
    }
    if function.only_reads() { Again::Other } else { Again::Unknown }
}

/// Whether a reading function has said that there is nothing more to read: it says so again and writes nothing.
fn is_at_end(name: &str, call: &Outside) -> bool {
    let minus_one = call.bits > 0 && call.result == (u128::MAX >> (128 - call.bits));
    match name {
        "getchar" | "getc" | "scanf" | "fscanf" | "vscanf" | "getline" | "getdelim" => minus_one,
        "fgets" | "gets" | "fread" | "read" => call.bits > 0 && call.result == 0,
        _ => false,
    }
}

/// Whether a number was to be read and something else stands there: it is left in the input and met again. A sign may
/// have been taken before it, but not in every one of many rounds.
fn is_stuck(name: &str, call: &Outside, rounds: u64) -> bool {
    let format = call.format.as_deref().unwrap_or_default().trim_start();
    let directive =
        format.strip_prefix('%').map(|d| d.trim_start_matches(|c: char| c.is_ascii_digit() || "hlLjzt".contains(c)));
    let reads_a_number = directive.is_some_and(|d| d.starts_with(['d', 'i', 'u', 'x', 'o', 'f', 'e', 'g']));
    matches!(name, "scanf" | "fscanf") && call.result == 0 && reads_a_number && rounds > MANY
}

/// The name of a reading function that gives nothing, and whether that is because the input is at its end.
pub fn at_end(call: &Outside) -> Option<(String, bool)> {
    let function = clib::function(&call.name).filter(|f| f.reads_input.is_some())?;
    let at_end = is_at_end(function.name, call);
    (at_end || is_stuck(function.name, call, u64::MAX)).then(|| (function.name.to_string(), at_end))
}

/// Whether a function may wait for something outside the program.
pub fn may_wait(name: &str) -> bool {
    const WAITS: &[&str] = &[
        "accept",
        "connect",
        "epoll_wait",
        "flock",
        "lockf",
        "msgrcv",
        "mq_receive",
        "pause",
        "poll",
        "pselect",
        "recv",
        "recvfrom",
        "recvmsg",
        "select",
        "sem_wait",
        "sigsuspend",
        "sigwait",
        "system",
        "wait",
        "waitid",
        "waitpid",
        "open",
        "fopen",
        "write",
        "fwrite",
    ];
    WAITING.contains(&name) || WAITS.contains(&name) || clib::function(name).is_some_and(|f| f.reads_input.is_some())
}
