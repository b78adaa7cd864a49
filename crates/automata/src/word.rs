//! One error trace: an execution of it, or why there is none.

use crate::graph::LetterId;
use crate::logic::{Logic, Names};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use wherefore_formula::{Sort, TermId, VarId};
use wherefore_relevance::{Execution, Statement};
use wherefore_solver::{Answer, Reason, minimal_core};

/// Formulas that are larger than this help nobody.
const LARGE: usize = 3000;

/// What an error trace is.
pub(crate) enum Examined {
    /// It can be executed.
    Feasible(Execution),
    /// It cannot: statements contradict each other, or what variables start with.
    Infeasible(Contradiction),
    /// Nobody knows.
    Unknown(Reason),
}

/// Positions of statements that contradict each other, of which none can be left out.
pub(crate) struct Contradiction {
    /// Those that begin as late as possible: they speak of what happens in a loop rather than of how often it was entered.
    pub late: Vec<usize>,
    /// Others, or the same.
    pub other: Vec<usize>,
}

/// Something that may be any value.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum At {
    Start(VarId),
    Position(usize),
}

/// A word executed with all that is chosen left open.
#[derive(Default)]
struct Followed {
    /// What has to hold, up to the first that cannot.
    conditions: Vec<TermId>,
    inputs: FxHashMap<At, (VarId, Sort)>,
}

fn follow(logic: &mut Logic, word: &[LetterId]) -> Followed {
    let mut names = Names::default();
    let mut now: FxHashMap<VarId, TermId> = FxHashMap::default();
    let mut followed = Followed::default();
    for (at, letter) in word.iter().enumerate() {
        match logic.graph.letters[letter.index()] {
            Statement::Assign { to, value } => {
                let value = current(logic, &mut names, &mut now, &mut followed.inputs, value);
                now.insert(to, value);
            }
            Statement::Havoc { to } => {
                let sort = logic.graph.variables[to.0 as usize].sort;
                let (var, any) = logic.fresh(&mut names, sort);
                followed.inputs.insert(At::Position(at), (var, sort));
                now.insert(to, any);
            }
            Statement::Assume(holds) | Statement::Grant(holds) | Statement::Define(holds) => {
                let holds = current(logic, &mut names, &mut now, &mut followed.inputs, holds);
                if logic.terms.truth_value(holds) != Some(true) {
                    followed.conditions.push(holds);
                }
                if logic.terms.truth_value(holds) == Some(false) {
                    break;
                }
            }
        }
    }
    followed
}

/// What has to hold in an execution of a word, over what it starts with and chooses.
pub(crate) fn conditions(logic: &mut Logic, word: &[LetterId]) -> Vec<TermId> {
    follow(logic, word).conditions
}

/// Looks for an execution of a word.
pub(crate) fn examine(logic: &mut Logic, word: &[LetterId]) -> Examined {
    let Followed { conditions, inputs } = follow(logic, word);
    let mut solver = logic.solver();
    logic.questions += 1;
    match solver.check(&logic.terms, &conditions) {
        Answer::Unknown(reason) => Examined::Unknown(reason),
        Answer::Unsat => Examined::Infeasible(minimal(logic, word)),
        Answer::Sat => {
            let value = |at: At| {
                let found = inputs.get(&at).map(|(var, sort)| solver.value(&logic.terms, *var, *sort).unwrap_or(0));
                found.unwrap_or(0)
            };
            let started = &mut |var| value(At::Start(var));
            let chosen = &mut |at| value(At::Position(at));
            match logic.graph.replay(word, started, chosen) {
                Some(execution) => Examined::Feasible(execution),
                None => Examined::Unknown(Reason::Other("the values found do not go this way".into())),
            }
        }
    }
}

/// A term over what is open.
fn current(
    logic: &mut Logic,
    names: &mut Names,
    now: &mut FxHashMap<VarId, TermId>,
    inputs: &mut FxHashMap<At, (VarId, Sort)>,
    term: TermId,
) -> TermId {
    let mut map: FxHashMap<VarId, TermId> = FxHashMap::default();
    for var in logic.terms.variables(term) {
        let value = now.get(&var).copied().unwrap_or_else(|| {
            let variable = &logic.graph.variables[var.0 as usize];
            let (sort, initial) = (variable.sort, variable.initial);
            let value = match initial {
                Some(value) => logic.constant(sort, value),
                None => {
                    let (name, any) = logic.fresh(names, sort);
                    inputs.insert(At::Start(var), (name, sort));
                    any
                }
            };
            now.insert(var, value);
            value
        });
        map.insert(var, value);
    }
    logic.terms.substitute(term, &map)
}

/// The statements of a word that contradict each other.
fn minimal(logic: &mut Logic, word: &[LetterId]) -> Contradiction {
    let graph = logic.graph;
    let mut names = Names::default();
    let mut now: FxHashMap<VarId, TermId> = FxHashMap::default();
    let mut first: Vec<TermId> = vec![];
    let mut facts: Vec<(usize, TermId)> = vec![];
    let mut over = |logic: &mut Logic, names: &mut Names, now: &mut FxHashMap<VarId, TermId>, term: TermId| {
        for var in logic.terms.variables(term) {
            if now.contains_key(&var) {
                continue;
            }
            let variable = &graph.variables[var.0 as usize];
            let (_, any) = logic.fresh(names, variable.sort);
            now.insert(var, any);
            if let Some(initial) = variable.initial {
                let value = logic.constant(variable.sort, initial);
                first.push(logic.terms.eq(any, value));
            }
        }
        logic.terms.substitute(term, now)
    };
    for (at, letter) in word.iter().enumerate() {
        match graph.letters[letter.index()] {
            Statement::Assign { to, value } => {
                let value = over(logic, &mut names, &mut now, value);
                let (_, any) = logic.fresh(&mut names, graph.variables[to.0 as usize].sort);
                facts.push((at, logic.terms.eq(any, value)));
                now.insert(to, any);
            }
            Statement::Havoc { to } => {
                let (_, any) = logic.fresh(&mut names, graph.variables[to.0 as usize].sort);
                now.insert(to, any);
            }
            Statement::Assume(holds) | Statement::Grant(holds) | Statement::Define(holds) => {
                let holds = over(logic, &mut names, &mut now, holds);
                // Of conditions that are the same the last will do.
                facts.retain(|(_, other)| *other != holds);
                facts.push((at, holds));
            }
        }
    }
    let all: Vec<TermId> = first.iter().copied().chain(facts.iter().map(|(_, term)| *term)).collect();
    let mut solver = logic.solver();
    // The shortest end of the word that contradicts itself, whatever was before.
    let (mut least, mut most) = (0, all.len());
    while least + 1 < most {
        let middle = usize::midpoint(least, most);
        match solver.check(&logic.terms, &all[middle..]) {
            Answer::Unsat => least = middle,
            Answer::Sat | Answer::Unknown(_) => most = middle,
        }
    }
    let mut core = |from: usize| match minimal_core(solver.as_mut(), &logic.terms, &all[from..]) {
        Ok(core) => {
            let members: FxHashSet<TermId> = core.members.into_iter().collect();
            facts.iter().filter(|(_, term)| members.contains(term)).map(|(at, _)| *at).collect()
        }
        Err(_) => facts.iter().map(|(at, _)| *at).collect(),
    };
    Contradiction { late: core(least), other: core(0) }
}

/// What holds at each position of a word that cannot be executed, from its beginning on until it is false: weakest
/// preconditions along the word, in which all but the statements of a core are left out. `None` where a value is chosen
/// and too many have to be spoken about.
pub(crate) fn assertions(logic: &mut Logic, word: &[LetterId], core: &[usize]) -> Option<Vec<TermId>> {
    let core: BTreeSet<usize> = core.iter().copied().collect();
    let last = core.last().map_or(0, |last| last + 1);
    let mut now = logic.terms.truth(false);
    let mut all = vec![now];
    for at in (0..last).rev() {
        let letter = word[at];
        now = match logic.graph.letters[letter.index()] {
            _ if core.contains(&at) => logic.before(letter, now)?,
            Statement::Assign { to, .. } => match logic.for_all(now, to) {
                Some(for_all) => for_all,
                // With what it assigns it is never wrong.
                None => logic.before(letter, now)?,
            },
            Statement::Havoc { to } => logic.for_all(now, to)?,
            Statement::Assume(_) | Statement::Grant(_) | Statement::Define(_) => now,
        };
        now = logic.simplified(now);
        if logic.terms.size(now) > LARGE {
            return None;
        }
        all.push(now);
    }
    all.reverse();
    Some(all)
}
