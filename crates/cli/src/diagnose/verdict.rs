//! Whether a run passes: what it does natively, how often it came to a check, and whether it does what C allows.

use std::collections::HashSet;
use wherefore_budget::Budget;
use wherefore_case::{Case, Expected};
use wherefore_clib::{self as clib, Ending as Ends};
use wherefore_program::{Callee, Command, Program};
use wherefore_record::{Ending, Outcome, State};
use wherefore_search::recorded;
use wherefore_session::Observed;
use wherefore_trace::{Analysis, Stopped, walk_again_watching};

/// The blocks of a program from which it is checked: an edit must not pass a test by never coming there.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    blocks: Vec<u32>,
}

impl Checks {
    /// Where a program calls what judges it, or decides about a call that fails.
    pub fn new(program: &Program) -> Checks {
        let mut blocks = HashSet::new();
        for function in program.functions.iter().filter(|f| clib::judge(&f.name).is_none()) {
            for (number, block) in function.blocks.iter().enumerate() {
                let called = block.commands.iter().filter_map(|command| match &command.it {
                    Command::Call { callee: Callee::External(name), .. } => Some(name.as_str()),
                    Command::Call { callee: Callee::Function(id), .. } => Some(&*program.functions[id.index()].name),
                    _ => None,
                });
                for name in called {
                    if clib::judge(name).is_some() {
                        blocks.insert(function.first_block + number as u32);
                    } else if clib::ending(name).is_some_and(Ends::is_failure) {
                        let deciding =
                            function.blocks.iter().enumerate().filter(|(_, other)| {
                                other.terminator.it.successors().iter().any(|b| b.index() == number)
                            });
                        blocks.extend(deciding.map(|(n, _)| function.first_block + n as u32));
                    }
                }
            }
        }
        let mut blocks: Vec<u32> = blocks.into_iter().collect();
        blocks.sort_unstable();
        Checks { blocks }
    }

    /// How often a run came to one.
    pub fn count(&self, observed: &Observed) -> u64 {
        self.blocks.iter().filter_map(|b| observed.counts.get(*b as usize)).map(|n| u64::from(*n)).sum()
    }
}

/// Whether a recorded run does what is expected and nothing that C does not allow. What cannot be followed is taken as it
/// ended.
pub fn is_clean(program: &Program, analysis: &Analysis, outcome: &Outcome, case: &Case, budget: &Budget) -> bool {
    let Ending::Exited(status) = outcome.ending else { return false };
    let expected = &case.expected;
    if expected.status.is_some_and(|wanted| wanted != status)
        || expected.stdout.as_ref().is_some_and(|wanted| *wanted != outcome.stdout.kept)
    {
        return false;
    }
    let Some(recording) = outcome.recording.as_ref().filter(|r| r.state == State::Complete) else { return true };
    let recorded = recorded(recording, &[]);
    let stopped = Stopped::Exit(status);
    match walk_again_watching(program, analysis, &recorded, stopped, &Expected::default(), budget) {
        Ok(trace) => trace.failure.is_none(),
        Err(_) => true,
    }
}
