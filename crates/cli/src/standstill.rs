//! Whether a run goes on, seen from the words that its threads have written when somebody looks at it.

use std::cell::RefCell;
use std::time::Duration;
use wherefore_record::{Recording, SHOWN_WORDS};

/// A run in which nothing has been written for this share of its time stands still.
const OF_ITS_TIME: f64 = 0.25;

/// What was seen of a run on its way: how many words each thread had written, and when that was seen first.
#[derive(Default)]
pub struct Standstill(RefCell<(Vec<usize>, Duration)>);

/// What a look shows.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Look {
    /// The thread that is followed has written more since the last one.
    Grown,
    /// No thread has.
    Still,
    /// Another one has, or not all words are shown.
    Elsewhere,
}

impl Standstill {
    /// Looks at a run that has taken so long.
    pub fn look(&self, shown: &Recording, ran: Duration) -> Look {
        let now = lengths(shown);
        let is_all = now[0] < SHOWN_WORDS && shown.threads.others.iter().all(|thread| thread.is_whole);
        let mut seen = self.0.borrow_mut();
        if seen.0 == now {
            return if is_all { Look::Still } else { Look::Elsewhere };
        }
        let has_grown = seen.0.first() < now.first();
        *seen = (now, ran);
        if has_grown { Look::Grown } else { Look::Elsewhere }
    }

    /// Whether a run that was stopped after so long stood still.
    pub fn stood_still(&self, recording: &Recording, ran: Duration) -> bool {
        let (seen, since) = &*self.0.borrow();
        *seen == lengths(recording) && ran.saturating_sub(*since) >= ran.mul_f64(OF_ITS_TIME)
    }
}

fn lengths(recording: &Recording) -> Vec<usize> {
    let others = recording.threads.others.iter().map(|thread| thread.words().len());
    std::iter::once(recording.words().len()).chain(others).collect()
}
