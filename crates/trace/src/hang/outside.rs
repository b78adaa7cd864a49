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

/// Functions that only let time go by.
const WAITING: &[&str] = &["sleep", "usleep", "nanosleep", "sched_yield", "clock_nanosleep", "thrd_sleep"];

/// What is known of standard input.
#[derive(Copy, Clone, Default, Debug)]
pub struct Input {
    /// All that will ever be there is known, and it is read from its beginning to its end.
    is_final: bool,
    /// What stands there and is no number is never got past.
    is_stuck: bool,
}

impl Input {
    /// From what it has, and from all calls in the rounds that were walked; so many of it are in the last ones.
    pub fn new(content: Option<&[u8]>, calls: &[Outside], last: usize) -> Input {
        let Some(content) = content else { return Input::default() };
        let reads = |c: &&Outside| c.on_input && clib::function(&c.name).is_some_and(|f| f.reads_input.is_some());
        let mut taken: Vec<&str> = calls.iter().rev().filter(reads).map_while(refuses).collect();
        let in_a_row = taken.len();
        taken.sort_unstable();
        taken.dedup();
        // A sign is taken off although no number follows. So many calls may have taken something, blanks once; between
        // two of them, or after them, are all calls of some rounds that took nothing, and so does every later one.
        let signs = content.iter().filter(|b| taken.iter().any(|t| t.as_bytes().contains(b))).count() + 1;
        Input { is_final: true, is_stuck: in_a_row > signs + (signs + 1) * last }
    }
}

/// What a further call of the function would do where it finds what it found.
pub fn again(call: &Outside, input: Input) -> Again {
    if lets_time_go_by(&call.name) {
        return Again::Other;
    }
    if clib::nondet(&call.name).is_some() {
        return Again::Other;
    }
    let Some(function) = clib::function(&call.name) else { return Again::Unknown };
    let is_known = call.on_input && input.is_final;
    if function.reads_input.is_some() {
        let stuck = is_known && (is_at_end(function.name, call) || (input.is_stuck && refuses(call).is_some()));
        return if stuck { Again::Same { looks: false } } else { Again::Unknown };
    }
    if function.name == "feof" && is_known {
        return Again::Same { looks: false };
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

/// Whether `feof` says of standard input in a round what reading it says there: what is asked before the end is found is
/// answered otherwise after it.
pub fn agree(calls: &[&Outside]) -> bool {
    let is_reader = |c: &Outside| clib::function(&c.name).is_some_and(|f| f.reads_input.is_some());
    let (readers, others): (Vec<&Outside>, Vec<&Outside>) =
        calls.iter().copied().filter(|c| c.on_input).partition(|c| is_reader(c));
    let at_end = readers.iter().any(|c| found_the_end(c));
    let asks = |c: &&&Outside| c.name.starts_with("feof");
    readers.is_empty() || others.iter().filter(asks).all(|c| (c.result != 0) == at_end)
}

/// Whether a call is one that has found nothing more to read.
fn found_the_end(call: &Outside) -> bool {
    clib::function(&call.name).is_some_and(|f| f.reads_input.is_some() && is_at_end(f.name, call))
}

/// Whether a reading function has said that there is nothing more to read.
fn is_at_end(name: &str, call: &Outside) -> bool {
    let minus_one = call.bits > 0 && call.result == (u128::MAX >> (128 - call.bits));
    match name {
        "getchar" | "getc" | "scanf" | "fscanf" | "vscanf" | "getline" | "getdelim" => minus_one,
        "fgets" | "gets" | "fread" | "read" => call.bits > 0 && call.result == 0,
        _ => false,
    }
}

/// Characters that a number may have which is none after all.
const OF_NUMBERS: &str = "+-.0123456789abcdefinptxyABCDEFINPTXY";

/// Where a number or certain characters were to be read and something else stands there, which is left in the input:
/// the characters that may have been taken off before it.
fn refuses(call: &Outside) -> Option<&'static str> {
    let format = call.format.as_deref().unwrap_or_default().trim_start();
    let directive = format.strip_prefix('%')?.trim_start_matches(|c: char| c.is_ascii_digit() || "hlLjzt".contains(c));
    let is_one = matches!(call.name.as_str(), "scanf" | "fscanf") && call.result == 0;
    match directive.chars().next().filter(|_| is_one)? {
        'd' | 'u' => Some("+-"),
        'i' | 'x' | 'X' | 'o' | 'f' | 'e' | 'g' | 'a' | 'F' | 'E' | 'G' | 'A' => Some(OF_NUMBERS),
        '[' => Some(""),
        _ => None,
    }
}

/// The name of a reading function that gives nothing, as it is written, and whether it found the end of the input.
pub fn at_end(call: &Outside) -> Option<(String, bool)> {
    let at_end = found_the_end(call);
    (at_end || refuses(call).is_some()).then(|| (call.name.clone(), at_end))
}

/// Whether a function comes back by itself, some time later.
pub fn lets_time_go_by(name: &str) -> bool {
    WAITING.contains(&name)
}

/// Whether a function may wait for something outside the program, or for another thread.
pub fn may_wait(name: &str) -> bool {
    lets_time_go_by(name) || clib::waiting::may_wait(name)
}
