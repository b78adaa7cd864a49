//! Programs in which nothing is chosen have one execution, which need not be searched for.

use crate::graph::{Graph, LetterId, LocationId};
use wherefore_budget::Budget;
use wherefore_relevance::Statement;

/// Steps that are made.
const STEPS: usize = 200_000;

/// How often somebody looks at the clock.
const LOOK: usize = 1 << 10;

/// The word of the only execution, if it comes to an error before something is chosen.
pub(crate) fn straight(graph: &Graph, out: &[Vec<(LetterId, LocationId)>], budget: &Budget) -> Option<Vec<LetterId>> {
    let [start] = graph.initial[..] else { return None };
    let is_error = graph.error_table();
    let mut known: Vec<Option<u128>> = graph.variables.iter().map(|variable| variable.initial).collect();
    let (mut at, mut word) = (start, vec![]);
    while !is_error[at.index()] {
        if word.len() >= STEPS || word.len() % LOOK == 0 && budget.stopped().is_some() {
            return None;
        }
        let value = |term| graph.terms.evaluate(term, &mut |var| known[var.0 as usize]).map(|value| value.raw());
        let mut next = None;
        for (letter, to) in &out[at.index()] {
            let goes = match graph.letters[letter.index()] {
                Statement::Assign { to: var, value: term } => Some((var, value(term)?)),
                Statement::Havoc { .. } => return None,
                Statement::Assume(holds) | Statement::Grant(holds) | Statement::Define(holds) => {
                    if value(holds)? == 0 {
                        continue;
                    }
                    None
                }
            };
            if next.replace((*letter, *to, goes)).is_some() {
                return None;
            }
        }
        let (letter, to, assigned) = next?;
        if let Some((var, value)) = assigned {
            known[var.0 as usize] = Some(value);
        }
        word.push(letter);
        at = to;
    }
    Some(word)
}
