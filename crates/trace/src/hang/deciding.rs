//! Where the decision is made that keeps a run in a loop, and what it depends on from round to round.

use crate::model::{Action, Trace};
use crate::walk::Mark;

/// What stays the same for fewer rounds than this may only look as if it did.
const ENOUGH: usize = 8;

/// Where the failing decision is made in each round, as a number of steps; nothing where a round does not come to it.
pub fn tests(trace: &Trace, marks: &[Mark]) -> Vec<Option<usize>> {
    let Some(failure) = &trace.failure else { return vec![] };
    let is_it = |position: &usize| match trace.steps[*position].action {
        Action::If(branch) => {
            let branch = &trace.branches[branch.index()];
            branch.at.is_some() && (branch.at, branch.activation) == (failure.at, failure.activation)
        }
        _ => false,
    };
    let length = trace.steps.len();
    let rounds = marks.windows(2).map(|pair| (pair[0].steps.min(length), pair[1].steps.min(length)));
    let mut tests: Vec<Option<usize>> = rounds.map(|(from, to)| (from..to).rev().find(is_it)).collect();
    // The last one fails: the trace ends there.
    if let Some(last) = tests.last_mut() {
        *last = Some(length);
    }
    tests
}

/// The round, from 0, from which on all that the failing decision depends on is the same in all further ones, where it
/// was not so before and there are enough of them.
pub fn settles(trace: &Trace, marks: &[Mark]) -> Option<usize> {
    let variables = trace.terms.variables(trace.failure.as_ref()?.violated);
    let values = |test: &Option<usize>| {
        let values = trace.values_at((*test)?);
        variables.iter().map(|v| values[v.0 as usize]).collect::<Option<Vec<u128>>>()
    };
    let all: Vec<Option<Vec<u128>>> = tests(trace, marks).iter().map(values).collect();
    let last = all.last()?.as_ref()?;
    let same = all.iter().rev().take_while(|values| values.as_ref() == Some(last)).count();
    (same >= ENOUGH && same < all.len() && !variables.is_empty()).then_some(all.len() - same)
}
