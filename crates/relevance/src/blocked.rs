//! Whether an execution comes to the end, as formulas.

use crate::follow::{Event, Otherwise};
use wherefore_formula::{TermId, Terms};

/// That an execution is stopped by a condition of the path, with nothing that was taken for granted given up before.
pub(crate) fn blocked(terms: &mut Terms, events: &[Event]) -> TermId {
    let mut rest = terms.truth(false);
    for event in events.iter().rev() {
        rest = match event.otherwise {
            Otherwise::Elsewhere | Otherwise::Undefined => terms.and2(event.holds, rest),
            Otherwise::Blocked => {
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

/// That an execution goes elsewhere before it is blocked or means nothing.
pub(crate) fn elsewhere(terms: &mut Terms, events: &[Event]) -> TermId {
    let mut rest = terms.truth(false);
    for event in events.iter().rev() {
        rest = match event.otherwise {
            Otherwise::Blocked | Otherwise::Undefined => terms.and2(event.holds, rest),
            Otherwise::Elsewhere => {
                let leaves = terms.not(event.holds);
                terms.or2(leaves, rest)
            }
        };
    }
    rest
}
