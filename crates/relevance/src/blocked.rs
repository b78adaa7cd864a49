//! Whether an execution comes to the end, as formulas.

use crate::follow::Event;
use wherefore_formula::{TermId, Terms};

/// That an execution is stopped by a condition of the path, with nothing that was taken for granted given up before.
pub(crate) fn blocked(terms: &mut Terms, events: &[Event]) -> TermId {
    let mut rest = terms.truth(false);
    for event in events.iter().rev() {
        rest = match event.granted {
            true => terms.and2(event.holds, rest),
            false => {
                let stops = terms.not(event.holds);
                terms.or2(stops, rest)
            }
        };
    }
    rest
}

/// That an execution comes to the end.
pub(crate) fn arrives(terms: &mut Terms, events: &[Event]) -> TermId {
    terms.and(events.iter().map(|event| event.holds))
}
