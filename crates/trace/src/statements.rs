//! Which executed statement each step belongs to, as a reader counts them.

use crate::model::{Action, Kind, Step};
use rustc_hash::FxHashMap;

/// Numbers of the executed statements: steps of one statement in a row are one, initial values are none, and the end of
/// a branch belongs to its condition.
pub fn numbers(steps: &[Step]) -> Vec<Option<u32>> {
    let mut last = None;
    let mut count = 0;
    let mut conditions = FxHashMap::default();
    let mut numbers = Vec::with_capacity(steps.len());
    for step in steps {
        if let Action::EndIf(branch) = step.action {
            numbers.push(conditions.get(&branch).copied());
            continue;
        }
        if step.at.is_none() || matches!(step.kind, Kind::Internal | Kind::Initial) {
            numbers.push(None);
            continue;
        }
        let key = (step.at.map(|o| (o.file, o.line)), step.activation, step.kind);
        let same =
            last == Some(key) || matches!(last, Some((at, a, Kind::Havoc | Kind::Thread)) if (at, a) == (key.0, key.1));
        if !same {
            count += 1;
        }
        last = Some(key);
        numbers.push(Some(count - 1));
        if let Action::If(branch) = step.action {
            conditions.insert(branch, count - 1);
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::BranchId;
    use wherefore_program::{FileId, Origin};

    fn step(kind: Kind, line: u32, action: Action) -> Step {
        let at = Some(Origin { file: FileId(0), line, column: 1 });
        Step { action, kind, at, activation: 0, scope: None, is_misplaced: false, is_given: false }
    }

    fn assign(kind: Kind, line: u32) -> Step {
        let value = wherefore_formula::Terms::new().bits(8, 0);
        let to = wherefore_formula::VarId(0);
        step(
            kind,
            line,
            Action::Assign {
                to,
                value,
                assumes: Box::default(),
                addresses: Box::default(),
                through: None,
                before: None,
                after: 0,
            },
        )
    }

    #[test]
    fn steps_of_a_statement_are_one_and_initial_values_none() {
        let branch = BranchId(0);
        let steps = [
            assign(Kind::Initial, 1),
            assign(Kind::Assign, 3),
            assign(Kind::Assign, 3),
            step(Kind::Control, 4, Action::If(branch)),
            assign(Kind::Internal, 5),
            assign(Kind::Assign, 5),
            step(Kind::Control, 4, Action::EndIf(branch)),
        ];
        assert_eq!(numbers(&steps), [None, Some(0), Some(0), Some(1), None, Some(2), Some(1)]);
    }
}
