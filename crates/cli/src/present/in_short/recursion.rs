//! A stack that overflows: which function calls itself, where, and with what.

use crate::present::Presenter;
use crate::present::history::History;
use std::collections::HashMap;
use wherefore_formula::VarId;
use wherefore_report::words::listed;
use wherefore_trace::{Action, Failure, FailureKind, Kind};
use wherefore_wording::Position;

/// Calls of one function inside of each other, from which on it is they that use up the stack.
const MANY: usize = 10;

/// So many calls are told by what they were given, and so many of the last have to be alike to be told as such.
const TOLD: usize = 5;
const ALIKE: usize = 8;

/// What was passed to a call: each parameter with its value.
type Given = Vec<(VarId, u128)>;

/// `depth() calls itself at line 2: n is 7, 5, 3, 1, -1, ... and at last -262051.`
pub(super) fn recursion(p: &Presenter, failure: &Failure, history: &History) -> Option<String> {
    if failure.kind != FailureKind::Stack {
        return None;
    }
    let caller = |a: &u32| p.trace.activations.get(*a as usize)?.caller;
    let mut stack: Vec<u32> = std::iter::successors(Some(failure.activation), caller).collect();
    stack.reverse();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    stack.iter().for_each(|a| *counts.entry(p.function(*a)).or_default() += 1);
    let most = counts.values().copied().max().filter(|count| *count >= MANY)?;
    // Of those that call each other, the one that was called first.
    let name = stack.iter().map(|a| p.function(*a)).find(|name| counts[name] + 1 >= most)?;
    let calls: Vec<u32> = stack.iter().copied().filter(|a| p.function(*a) == name).collect();
    let last = *calls.last()?;
    let place = p.line_of(p.trace.activations[last as usize].call);
    let is_direct = caller(&last).is_some_and(|a| p.function(a) == name);
    let how = match is_direct {
        true => format!("{name}() calls itself at {place}"),
        false => format!("{name}() is called again from {}() at {place}", p.function(caller(&last)?)),
    };
    let told = [&calls[..TOLD.min(calls.len())], &calls[calls.len().saturating_sub(ALIKE)..]].concat();
    let given = given(p, &told);
    let here = history.state(p.trace.steps.len());
    let position = Position { activation: last, at_entry: false, values: &here };
    let of = |call: &u32| given.get(call).map(|values| values.iter().map(|(_, value)| *value).collect::<Vec<u128>>());
    let late = &calls[calls.len().saturating_sub(ALIKE)..];
    if late.windows(2).all(|pair| of(&pair[0]) == of(&pair[1])) {
        let with = said(p, given.get(&last)?, position);
        let with = if with.is_empty() { String::new() } else { format!(": {}", listed(&with)) };
        return Some(format!("{how} with the same arguments again and again{with}."));
    }
    let first: Vec<&Given> = calls.iter().take(TOLD).filter_map(|call| given.get(call)).collect();
    let parameters = given.get(&last)?.iter().enumerate().filter_map(|(n, (variable, value))| {
        let name = p.spoken(*variable, position)?;
        let text = |variable: VarId, value: u128| p.names.plain_value(variable, value, position);
        let values = first.iter().map(|given| given.get(n).and_then(|(variable, value)| text(*variable, *value)));
        let values: Vec<String> = values.collect::<Option<_>>()?;
        let at_last = text(*variable, *value)?;
        let changes = values.iter().any(|value| *value != at_last);
        changes.then(|| format!("{name} is {}, ... and at last {at_last}", values.join(", ")))
    });
    let parameters: Vec<String> = parameters.collect();
    let with = if parameters.is_empty() { String::new() } else { format!(": {}", parameters.join("; ")) };
    Some(format!("{how}{with}."))
}

/// What some calls were given.
fn given(p: &Presenter, calls: &[u32]) -> HashMap<u32, Given> {
    let mut given: HashMap<u32, Given> = calls.iter().map(|call| (*call, vec![])).collect();
    for step in p.trace.steps.iter().filter(|s| s.kind == Kind::Call) {
        if let (Action::Assign { to, after, .. }, Some(values)) = (&step.action, given.get_mut(&step.activation)) {
            values.push((*to, *after));
        }
    }
    given
}

/// `lo is 1`, of what has a value that can be read.
fn said(p: &Presenter, given: &Given, position: Position) -> Vec<String> {
    let one = |(variable, value): &(VarId, u128)| {
        Some(format!("{} is {}", p.spoken(*variable, position)?, p.names.plain_value(*variable, *value, position)?))
    };
    given.iter().filter_map(one).collect()
}
