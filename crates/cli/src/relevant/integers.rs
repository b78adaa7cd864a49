//! Statements judged over mathematical integers, and what is found told in the bits of the program.

use super::path::{Of, Traced};
use crate::UsageError;
use crate::sources::Sources;
use wherefore_formula::Integers;
use wherefore_relevance::{Execution, Judged, Path, Verdict, Witness};
use wherefore_trace::Trace;

/// The run over integers.
pub struct Unbounded {
    /// The path.
    pub path: Path,
    /// The run.
    pub known: Execution,
}

/// The run as one over integers; refused where it is none.
pub fn unbounded(trace: &Trace, sources: &Sources, traced: &Traced) -> Result<Unbounded, UsageError> {
    let refused = |at: usize| {
        let place = match traced.of[at] {
            Of::Step(position) => trace.steps[position].at,
            Of::Branch(branch) => trace.branches[branch.index()].at,
            Of::Assumed(number) => trace.assumed[number].at,
            Of::Failure => trace.failure.as_ref().and_then(|failure| failure.at),
        };
        let place = sources.prefix(place);
        UsageError(format!(
            "{place}it looks at bits or overflows here, so that this is no run over mathematical integers; leave out --arith int"
        ))
    };
    let (path, known) = traced.path.over_integers(&traced.known).map_err(refused)?;
    Ok(Unbounded { path, known })
}

/// What was found over integers as it is in the program: a constant that its type does not hold is none.
pub fn in_bits(judged: Vec<Judged>, path: &Path) -> Vec<Judged> {
    let sort = |at: usize| path.statements[at].assigned().map(|to| path.variables[to.0 as usize].sort);
    let told = |judged: Judged| match judged.verdict {
        Verdict::Relevant(witness) => {
            let fits = |value: &u128| {
                let sort = sort(judged.at)?;
                let bits = Integers::bits(sort, *value);
                (Integers::value(sort, bits) == *value).then_some(bits)
            };
            let values = witness.values.iter().filter_map(fits).collect();
            let execution = witness.execution.map(|execution| in_machine(execution, path));
            Judged { at: judged.at, verdict: Verdict::Relevant(Witness { values, execution }) }
        }
        verdict => Judged { at: judged.at, verdict },
    };
    judged.into_iter().map(told).collect()
}

fn in_machine(execution: Execution, path: &Path) -> Execution {
    let initial = path.variables.iter().zip(execution.initial);
    let assigned = path.statements.iter().zip(execution.assigned);
    Execution {
        initial: initial.map(|(variable, value)| Integers::bits(variable.sort, value)).collect(),
        assigned: assigned
            .map(|(statement, value)| match statement.assigned() {
                Some(to) => Integers::bits(path.variables[to.0 as usize].sort, value),
                None => value,
            })
            .collect(),
    }
}
