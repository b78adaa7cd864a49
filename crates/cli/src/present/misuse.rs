//! A use of memory that C does not allow, in the report.

use super::Presenter;
use wherefore_formula::{Node, VarId};
use wherefore_localize::StoryStep;
use wherefore_program::Origin;
use wherefore_report as report;
use wherefore_trace::{Act, Action, BadPointer, Failure, FailureKind, MemoryError, Misuse, Storage};
use wherefore_wording::{Position, nowhere};

/// What is wrong, with the program's names.
pub(super) fn message(presenter: &Presenter, failure: &Failure) -> Option<String> {
    if let FailureKind::Null(bad) | FailureKind::Wild(bad) = &failure.kind {
        return Some(nowhere(bad, pointer_name(presenter, failure, bad).as_deref()));
    }
    let misuse = misuse(failure)?;
    let values = presenter.trace.values_at(presenter.trace.steps.len());
    Some(presenter.names.misuse(misuse, failure.at, position(failure, &values)))
}

/// What is wrong, as data.
pub(super) fn memory(presenter: &Presenter, failure: &Failure) -> Option<report::Memory> {
    let no_object = match &failure.kind {
        FailureKind::Null(bad) => Some((report::MemoryError::Null, bad)),
        FailureKind::Wild(bad) => Some((report::MemoryError::Wild, bad)),
        _ => None,
    };
    if let Some((error, bad)) = no_object {
        let object = pointer_name(presenter, failure, bad).unwrap_or_default();
        return Some(report::Memory {
            error,
            object,
            size: None,
            offset: bad.offset,
            made_at: None,
            freed_at: None,
            made_calls: vec![],
            freed_calls: vec![],
        });
    }
    let misuse = misuse(failure)?;
    let values = presenter.trace.values_at(presenter.trace.steps.len());
    let loc = |at: Option<Origin>| at.map(|_| presenter.sources.loc(at, presenter.statement(at), ""));
    Some(report::Memory {
        error: match misuse.error {
            MemoryError::OutOfBounds => report::MemoryError::OutOfBounds,
            MemoryError::UseAfterFree => report::MemoryError::UseAfterFree,
            MemoryError::UseAfterReturn => report::MemoryError::UseAfterReturn,
            MemoryError::UseAfterScope => report::MemoryError::UseAfterScope,
            MemoryError::DoubleFree => report::MemoryError::DoubleFree,
            MemoryError::InvalidFree => report::MemoryError::InvalidFree,
            MemoryError::Uninitialised => report::MemoryError::Uninitialised,
            MemoryError::Overlap => report::MemoryError::Overlap,
            MemoryError::ReadOnly => report::MemoryError::ReadOnly,
        },
        object: presenter.names.object(misuse.object, position(failure, &values)),
        size: misuse.size,
        offset: first_outside(misuse),
        made_at: loc(misuse.made_at),
        freed_at: loc(misuse.freed_at),
        made_calls: presenter.call_places(misuse.made_in),
        freed_calls: presenter.call_places(misuse.freed_in),
    })
}

/// The name of a pointer that points to nothing; of one that has been overwritten since, that of its variable.
fn pointer_name(presenter: &Presenter, failure: &Failure, bad: &BadPointer) -> Option<String> {
    let Node::Var(variable, _) = *presenter.trace.terms.node(bad.pointer) else {
        return callee(presenter, failure).filter(|_| bad.act == Act::Calls);
    };
    let variable = match presenter.trace.variables[variable.0 as usize].storage {
        Storage::Saved { of } => of,
        _ => variable,
    };
    let values = presenter.trace.values_at(presenter.trace.steps.len());
    presenter.spoken(variable, position(failure, &values))
}

/// What a call that fails goes through, as it stands in the source.
fn callee(presenter: &Presenter, failure: &Failure) -> Option<String> {
    let at = failure.at?;
    let source = presenter.sources.text(at.file)?;
    let call = source.text(source.extent_of_expression(at.line, at.column)?);
    let (callee, _) = call.split_once('(')?;
    (!callee.trim().is_empty()).then(|| callee.trim().to_string())
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
