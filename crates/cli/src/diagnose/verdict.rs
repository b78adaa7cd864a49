//! Whether a run passes: whether it came to the checks, and whether it does what C allows.

use std::collections::HashSet;
use wherefore_budget::{Budget, Stop};
use wherefore_case::{Case, Expected};
use wherefore_clib::{self as clib, Ending as Ends};
use wherefore_program::{Callee, Command, Function, Program};
use wherefore_record::{Ending, Outcome, State};
use wherefore_search::recorded;
use wherefore_session::Observed;
use wherefore_trace::{Act, Analysis, FailureKind, MemoryError, Stopped, Trace, WalkError, walk_again_watching};

/// Where a program is checked: an edit must not pass a test by never coming there.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    /// For each check, in the order of the program, the blocks that come to it.
    sites: Vec<Vec<u32>>,
}

impl Checks {
    /// Where a program calls what judges it, or decides about a call that fails.
    pub fn new(program: &Program) -> Checks {
        let mut sites = vec![];
        for function in program.functions.iter().filter(|f| clib::judge(&f.name).is_none()) {
            for (number, block) in function.blocks.iter().enumerate() {
                for name in block.commands.iter().filter_map(|command| called(program, &command.it)) {
                    if clib::judge(name).is_some() {
                        sites.push(vec![function.first_block + number as u32]);
                    } else if clib::ending(name).is_some_and(Ends::is_failure) {
                        let deciding = deciding(function, number);
                        sites.push(deciding.into_iter().map(|n| function.first_block + n as u32).collect());
                    }
                }
            }
        }
        Checks { sites }
    }

    /// Which of them a run came to.
    pub fn met(&self, observed: &Observed) -> Vec<bool> {
        let executed = |block: &u32| observed.counts.get(*block as usize).is_some_and(|n| *n > 0);
        self.sites.iter().map(|blocks| blocks.iter().any(executed)).collect()
    }

    /// Whether there are as many as runs were seen to come to or not.
    pub fn are_as_many_as(&self, before: &[bool]) -> bool {
        before.len() == self.sites.len()
    }

    /// For each of those that a run came to before, the blocks of which one has to be executed; `None` where these are not
    /// the same checks.
    pub fn needed(&self, before: &[bool]) -> Option<Vec<Vec<u32>>> {
        let met = self.sites.iter().zip(before).filter(|(_, met)| **met);
        self.are_as_many_as(before).then(|| met.map(|(blocks, _)| blocks.clone()).collect())
    }
}

/// The blocks that decide whether a run goes to a block that fails, with those that decide whether these are asked at all:
/// `a || b` holds as well where only `a` was looked at.
fn deciding(function: &Function, fails: usize) -> Vec<usize> {
    let successors = |n: usize| function.blocks[n].terminator.it.successors();
    let leads = |n: &usize| successors(*n).iter().any(|to| to.index() == fails);
    let mut deciding: Vec<usize> = (0..function.blocks.len()).filter(leads).collect();
    let mut known: HashSet<usize> = deciding.iter().flat_map(|n| successors(*n)).map(|to| to.index()).collect();
    known.extend(&deciding);
    let line = |n: usize| function.blocks[n].terminator.at.map(|at| (at.file, at.line));
    let lines: HashSet<_> = deciding.iter().map(|n| line(*n)).collect();
    loop {
        let asks = |n: &usize| {
            let to = successors(*n);
            let is_part = to.len() > 1 && to.iter().all(|to| known.contains(&to.index())) && lines.contains(&line(*n));
            is_part && !deciding.contains(n) && to.iter().any(|to| deciding.contains(&to.index()))
        };
        let Some(more) = (0..function.blocks.len()).find(asks) else { return deciding };
        known.insert(more);
        deciding.push(more);
    }
}

/// The name of the function that a command calls.
fn called<'p>(program: &'p Program, command: &'p Command) -> Option<&'p str> {
    match command {
        Command::Call { callee: Callee::External(name), .. } => Some(name),
        Command::Call { callee: Callee::Function(id), .. } => Some(&program.functions[id.index()].name),
        _ => None,
    }
}

/// Whether a run with an edit came to all checks that the run without it came to. Edits leave checks alone, so both
/// programs have the same ones; where they do not, nothing is known and the answer is no.
pub fn comes_to_all(before: &[bool], after: &[bool]) -> bool {
    before.len() == after.len() && before.iter().zip(after).all(|(before, after)| *after || !*before)
}

/// A use of memory that C does not allow, as far as it can be told again in a program with an edit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Misdeed {
    function: String,
    error: MemoryError,
    act: Act,
}

impl Misdeed {
    /// The function that makes it.
    pub fn function(&self) -> &str {
        &self.function
    }

    /// The one that a run makes first.
    pub fn of(program: &Program, trace: &Trace) -> Option<Misdeed> {
        let failure = trace.failure.as_ref()?;
        let FailureKind::Memory(misuse) = failure.kind else { return None };
        let activation = trace.activations.get(failure.activation as usize)?;
        Some(Misdeed::new(program, (activation.function, misuse.error, misuse.act)))
    }

    fn new(program: &Program, (function, error, act): wherefore_trace::Misdeed) -> Misdeed {
        Misdeed { function: program.functions[function.index()].name.clone(), error, act }
    }
}

/// How a run with an edit behaves.
pub enum Conduct {
    /// It does not do what is expected.
    Wrong,
    /// It does, and nothing that C does not allow.
    Clean,
    /// It does what is expected, and this.
    Misused(Misdeed),
    /// It does what is expected; it cannot be followed.
    NotFollowed,
}

/// How a recorded run behaves.
pub fn conduct(
    program: &Program,
    analysis: &Analysis,
    outcome: &Outcome,
    case: &Case,
    budget: &Budget,
) -> Result<Conduct, Stop> {
    let Some(status) = passed(outcome, case) else { return Ok(Conduct::Wrong) };
    let Some(recording) = outcome.recording.as_ref().filter(|r| r.state == State::Complete) else {
        return Ok(Conduct::NotFollowed);
    };
    let recorded = recorded(recording, &[]);
    let stopped = Stopped::Exit(status);
    match walk_again_watching(program, analysis, &recorded, stopped, &Expected::default(), budget) {
        Ok(trace) if trace.failure.is_none() => Ok(Conduct::Clean),
        Ok(trace) => Ok(Misdeed::of(program, &trace).map_or(Conduct::Wrong, Conduct::Misused)),
        Err(WalkError::Stopped { stop, .. }) => Err(stop),
        Err(_) => Ok(Conduct::NotFollowed),
    }
}

/// The exit status of a run that does what is expected.
fn passed(outcome: &Outcome, case: &Case) -> Option<i32> {
    let Ending::Exited(status) = outcome.ending else { return None };
    let expected = &case.expected;
    let is_right = expected.status.is_none_or(|wanted| wanted == status)
        && expected.stdout.as_ref().is_none_or(|wanted| *wanted == outcome.stdout.kept);
    is_right.then_some(status)
}

/// All that a run which passes does to memory and C does not allow; nothing where it cannot be followed.
pub fn misdeeds(
    program: &Program,
    analysis: &Analysis,
    outcome: &Outcome,
    case: &Case,
    budget: &Budget,
) -> Result<Vec<Misdeed>, Stop> {
    let complete = outcome.recording.as_ref().filter(|r| r.state == State::Complete);
    let (Some(status), Some(recording)) = (passed(outcome, case), complete) else { return Ok(vec![]) };
    match wherefore_trace::misdeeds(program, analysis, &recorded(recording, &[]), Stopped::Exit(status), budget) {
        Ok(all) => Ok(all.into_iter().map(|deed| Misdeed::new(program, deed)).collect()),
        Err(WalkError::Stopped { stop, .. }) => Err(stop),
        Err(_) => Ok(vec![]),
    }
}

/// What a run that a signal ends does to memory first, as far as that is known.
pub fn misdeed(
    program: &Program,
    analysis: &Analysis,
    outcome: &Outcome,
    budget: &Budget,
) -> Result<Option<Misdeed>, Stop> {
    let (Ending::Signal(signal), Some(recording)) = (&outcome.ending, &outcome.recording) else { return Ok(None) };
    if !recording.reaches(&outcome.ending) && recording.threads.are_several() {
        return Ok(None);
    }
    let (recorded, stopped) = (recorded(recording, &[]), Stopped::Signal(*signal));
    match walk_again_watching(program, analysis, &recorded, stopped, &Expected::default(), budget) {
        Ok(trace) => Ok(Misdeed::of(program, &trace)),
        Err(WalkError::Stopped { stop, .. }) => Err(stop),
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::{Checks, comes_to_all};

    /// For each check of a function, how many blocks come to it.
    fn deciding(body: &str) -> Vec<usize> {
        let program = wherefore_fixtures::program(&format!(
            "#include <assert.h>\n#include <stdlib.h>\nvoid f(int a, int b, int c) {{\n{body}\n}}\nint main(void) {{ f(1, 1, 1); return 0; }}\n"
        ));
        Checks::new(&program).sites.iter().map(Vec::len).collect()
    }

    #[test]
    fn a_check_is_met_wherever_it_is_decided() {
        assert_eq!(deciding("assert(a);"), [1]);
        assert_eq!(deciding("assert(a || b);"), [2]);
        assert_eq!(deciding("assert((a && b) || (b && c));"), [4]);
        assert_eq!(deciding("if (a && b) abort();"), [2]);
    }

    #[test]
    fn what_comes_before_a_check_is_none() {
        assert_eq!(deciding("if (c) assert(a || b);"), [2]);
        assert_eq!(deciding("if (c)\n    abort();"), [1]);
        assert_eq!(deciding("while (c) { assert(a); c--; }"), [1]);
        assert_eq!(deciding("if (c)\n    if (a)\n        abort();"), [1]);
    }

    #[test]
    fn checks_that_were_met_have_to_be_met() {
        assert!(comes_to_all(&[true, false], &[true, true]));
        assert!(comes_to_all(&[true, false], &[true, false]));
        assert!(!comes_to_all(&[true, true], &[true, false]), "one is avoided");
        assert!(!comes_to_all(&[true], &[true, true]), "these are not the same checks");
    }
}
