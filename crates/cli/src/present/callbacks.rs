//! Functions of the program that the library called: what `qsort` makes of an array is what they say.

use super::Presenter;
use std::collections::BTreeSet;
use wherefore_clib as clib;
use wherefore_report::words::listed;
use wherefore_trace::Kind;

/// Lines that are named.
const LINES: usize = 3;

/// `by compare() (lines 25 and 26)` for a step at which the library called a function of the program: which one, and
/// where it came back.
pub fn called_back(presenter: &Presenter, position: usize) -> Option<String> {
    let trace = presenter.trace;
    let step = trace.steps.get(position)?;
    clib::function(presenter.called_at(step)?)?.calls_back?;
    let by_the_library = |activation: u32| {
        let called = &trace.activations[activation as usize];
        called.caller == Some(step.activation) && called.call == step.at
    };
    let (mut lines, mut function) = (BTreeSet::new(), None);
    let returns = trace.steps[..position].iter().filter(|s| s.kind == Kind::Return);
    for step in returns.filter(|s| by_the_library(s.activation)) {
        lines.extend(step.at.map(|at| at.line));
        function = Some(presenter.function(step.activation));
    }
    let (function, count) = (function?, lines.len());
    let lines: Vec<String> = lines.into_iter().map(|line| line.to_string()).collect();
    Some(match count {
        1 => format!("by {function}() (line {})", lines[0]),
        2..=LINES => format!("by {function}() (lines {})", listed(&lines)),
        _ => format!("by {function}()"),
    })
}
