//! A use of memory that C does not allow, in the report.

use super::Presenter;
use wherefore_formula::VarId;
use wherefore_localize::StoryStep;
use wherefore_program::Origin;
use wherefore_report as report;
use wherefore_trace::{Action, Failure, FailureKind, MemoryError, Misuse, Storage};
use wherefore_wording::Position;

/// What is wrong, with the program's names.
pub(super) fn message(presenter: &Presenter, failure: &Failure) -> Option<String> {
    let misuse = misuse(failure)?;
    let values = presenter.trace.values_at(presenter.trace.steps.len());
    Some(presenter.names.misuse(misuse, failure.at, position(failure, &values)))
}

/// What is wrong, as data.
pub(super) fn memory(presenter: &Presenter, failure: &Failure) -> Option<report::Memory> {
    let misuse = misuse(failure)?;
    let values = presenter.trace.values_at(presenter.trace.steps.len());
    let loc = |at: Option<Origin>| at.map(|_| presenter.sources.loc(at, presenter.statement(at), ""));
    Some(report::Memory {
        error: match misuse.error {
            MemoryError::OutOfBounds => report::MemoryError::OutOfBounds,
            MemoryError::UseAfterFree => report::MemoryError::UseAfterFree,
            MemoryError::UseAfterReturn => report::MemoryError::UseAfterReturn,
            MemoryError::DoubleFree => report::MemoryError::DoubleFree,
            MemoryError::InvalidFree => report::MemoryError::InvalidFree,
            MemoryError::Uninitialised => report::MemoryError::Uninitialised,
            MemoryError::Overlap => report::MemoryError::Overlap,
        },
        object: presenter.names.object(misuse.object, position(failure, &values)),
        size: misuse.size,
        offset: first_outside(misuse),
        made_at: loc(misuse.made_at),
        freed_at: loc(misuse.freed_at),
    })
}

/// What a step says about the size of the object that it makes.
pub(super) fn sized(presenter: &Presenter, step: &StoryStep) -> Option<String> {
    step.positions.iter().find_map(|p| match presenter.trace.steps.get(*p)?.action {
        Action::Assign { to, after, .. } => match presenter.trace.variables[to.0 as usize].storage {
            Storage::Size { .. } => Some(format!("{after} byte{}", if after == 1 { "" } else { "s" })),
            _ => None,
        },
        _ => None,
    })
}

/// The variable whose assignment changes a variable: that nobody has set `x` ends where `x` is set.
pub(super) fn set_by(presenter: &Presenter, variable: VarId) -> VarId {
    match presenter.trace.variables[variable.0 as usize].storage {
        Storage::Unset { of } => of,
        _ => variable,
    }
}

/// Where the first byte is that is used wrongly: of an access that begins inside of its object, that behind the end.
fn first_outside(misuse: &Misuse) -> i64 {
    match (misuse.error, misuse.size.map(|size| size as i64)) {
        (MemoryError::OutOfBounds, Some(size)) if (0..size).contains(&misuse.offset) => size,
        _ => misuse.offset,
    }
}

fn misuse(failure: &Failure) -> Option<&Misuse> {
    match &failure.kind {
        FailureKind::Memory(misuse) => Some(misuse),
        _ => None,
    }
}

fn position<'a>(failure: &Failure, values: &'a [Option<u128>]) -> Position<'a> {
    Position { activation: failure.activation, at_entry: false, values }
}
