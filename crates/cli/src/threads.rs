//! What a user is told of a run with several threads, of which one is followed.

use wherefore_program::{BlockId, Program};
use wherefore_record::{Followed, Recording};
use wherefore_report::words::{counted, listed};

/// Why a run that a signal ended is not followed to its end, although all of it is recorded.
pub const LOST: &str = "it is not known in which thread the run ended: what is followed is the one that runs main()";

/// That the run has several threads, and which is followed.
pub fn note(program: &Program, recording: &Recording) -> Option<String> {
    let threads = &recording.threads;
    if !threads.are_several() {
        return None;
    }
    let name = |word: u64| {
        let (function, block) = program.block(wherefore_trace::block_number(word)?)?;
        (block == BlockId(0)).then(|| format!("{}()", program.functions[function.index()].name))
    };
    let others = threads.starts.max(threads.seen);
    let is_other = threads.followed == Followed::Other;
    let followed = recording.words().first().filter(|_| is_other).and_then(|word| name(*word));
    let which = match &followed {
        Some(name) => format!("the one in which the run ended, which began in {name},"),
        None if is_other => "the one in which the run ended".into(),
        None => "the one that runs main()".into(),
    };
    let started = threads.others.iter().filter(|other| !other.is_first);
    let mut began: Vec<String> = started.filter_map(|other| name(*other.words().first()?)).chain(followed).collect();
    began.sort();
    began.dedup();
    let began = match &began[..] {
        [] => String::new(),
        names => format!(" ({})", listed(names)),
    };
    Some(format!(
        "the program starts {}{began}; followed is {which} and what others wrote is taken as it was",
        counted(others, "thread")
    ))
}
