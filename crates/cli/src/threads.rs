//! What a user is told of a run with several threads, of which one is followed.

use wherefore_program::{BlockId, Program};
use wherefore_record::{Ending, Followed, Recording};
use wherefore_report::words::{counted, listed};

/// Why a run that a signal ended is not followed to its end.
pub const LOST: &str = "it is not known in which thread the run ended: what is followed is the one that runs main()";

/// Whether a signal ended the run in a thread that is not known.
pub fn is_lost(recording: &Recording, ending: &Ending) -> bool {
    recording.threads.followed == Followed::FirstAsOthers && matches!(ending, Ending::Signal(_))
}

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
    let followed = threads.followed_from();
    let which = match followed {
        Some(word) => match name(word) {
            Some(name) => format!("the one in which the run ended, which began in {name},"),
            None => "the one in which the run ended".into(),
        },
        None => "the one that runs main()".into(),
    };
    let mut began: Vec<String> = threads.first_words.iter().filter_map(|word| name(*word)).collect();
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
