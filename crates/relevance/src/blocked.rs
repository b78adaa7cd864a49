//! Whether an execution comes to the end, as formulas.

use crate::follow::{Event, Otherwise};
use wherefore_formula::{TermId, Terms, VarId};

/// That an execution is stopped by a condition of a kind, with none of the others given up before.
pub(crate) fn stopped(terms: &mut Terms, events: &[Event], by: Otherwise) -> TermId {
    let mut rest = terms.truth(false);
    for event in events.iter().rev() {
        rest = match event.otherwise == by {
            false => terms.and2(event.holds, rest),
            true => {
                let stops = terms.not(event.holds);
                terms.or2(stops, rest)
            }
        };
    }
    rest
}

/// That an execution of the path with another value of a variable is blocked. Where it is what is chosen later, and not the
/// value, that gives something else up, it is no execution of the path.
pub(crate) fn blocked(terms: &mut Terms, events: &[Event], value: VarId) -> TermId {
    let mut rest = terms.truth(false);
    for event in events.iter().rev() {
        rest = match event.otherwise {
            Otherwise::Undefined => terms.and2(event.holds, rest),
            Otherwise::Elsewhere if terms.mentions(event.holds, value) => terms.and2(event.holds, rest),
            Otherwise::Elsewhere | Otherwise::Blocked => {
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
