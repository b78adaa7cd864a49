//! Statements that other values repair: for one after the other, values are searched for that make the failing tests pass.
//!
//! Everything but the suspect is as it is, so that a run is the recorded one up to the first value that is changed. What the
//! suspect gives is an input of the search ([`wherefore_search`]), which follows native runs and asks for a way to the
//! expected end. With zeros the program does what it did.

use super::workshop::{Bench, Bound};
use std::time::Duration;
use wherefore_budget::Budget;
use wherefore_parallel::try_parallel;
use wherefore_program::{FunctionId, Program};
use wherefore_record::{Recorder, Server};
use wherefore_repair::{ANGELS, Choosing, Edit};
use wherefore_search::{By, Limits, Subject, search};
use wherefore_trace::{Action, Storage, Trace};
use wherefore_wording::double_text;

/// Suspects, the likeliest ones.
const SUSPECTS: usize = 60;
/// Runs for a suspect and a test.
const RUNS: usize = 40;
/// What a suspect and a test may take.
const EACH: Duration = Duration::from_secs(2);
/// Statements that are wanted.
const WANTED: usize = 8;

/// Statements that are looked at before it is asked whether that is enough.
const AT_A_TIME: usize = 8;

/// A value that a statement has to give in a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The test's number.
    pub test: usize,
    /// What was computed.
    pub was: String,
    /// What makes the test pass.
    pub value: String,
}

/// What is searched.
pub struct Suspects<'a> {
    /// Builds the program.
    pub bench: &'a Bench<'a>,
    /// The texts of its files.
    pub texts: &'a [String],
    /// The function that a run starts in.
    pub entry: &'a str,
    /// The tests to repair, by their numbers.
    pub failing: &'a [usize],
    /// Threads.
    pub jobs: usize,
}

impl Suspects<'_> {
    /// The edits that let a statement repair all failing tests, in their order, with the values.
    ///
    /// # Errors
    /// When a program cannot be run.
    pub fn repairing(&self, edits: &[Edit], budget: &Budget) -> anyhow::Result<Vec<(Edit, Vec<Given>)>> {
        let choosing = Choosing { workshop: &self.bench, texts: self.texts, declared: ANGELS, budget };
        let likely: Vec<&Edit> = edits.iter().take(SUSPECTS).collect();
        let Some((followed, numbered)) = choosing.build(&likely, true)? else { return Ok(vec![]) };
        let compiled: Vec<&Edit> = numbered.iter().map(|(_, edit)| *edit).collect();
        let Some((native, again)) = choosing.build(&compiled, false)? else { return Ok(vec![]) };
        let Some(entry) = followed.program().function(self.entry).filter(|_| again.len() == numbered.len()) else {
            return Ok(vec![]);
        };
        let mut order = numbered;
        order.sort_by_key(|(_, edit)| edit.price);
        let mut found = vec![];
        // The likeliest are enough.
        for some in order.chunks(AT_A_TIME) {
            if found.len() >= WANTED || budget.stopped().is_some() {
                break;
            }
            let lanes = || anyhow::Ok((followed.recorder()?, native.server()?));
            let repaired = try_parallel(some, self.jobs, lanes, |(recorder, server), _, (number, _)| {
                let one = Suspect { of: self, followed: &followed, native: &native, number: *number, entry };
                one.repaired(recorder, server, budget)
            })?;
            for ((_, edit), values) in some.iter().zip(repaired) {
                found.extend(values.map(|values| ((*edit).clone(), values)));
            }
        }
        // Fewer changed executions before more.
        found.sort_by_key(|(edit, values)| (edit.price, values.len()));
        found.truncate(WANTED);
        Ok(found)
    }
}

/// A statement that may give any value.
struct Suspect<'a> {
    of: &'a Suspects<'a>,
    followed: &'a Bound<'a>,
    native: &'a Bound<'a>,
    number: u32,
    entry: FunctionId,
}

impl Suspect<'_> {
    /// Values that repair all failing tests; `None` if none were found, or there are none.
    fn repaired(
        &self,
        recorder: &mut Recorder,
        server: &mut Server,
        budget: &Budget,
    ) -> anyhow::Result<Option<Vec<Given>>> {
        let mut values = vec![];
        for test in self.of.failing {
            let Some(nondet) = self.searched(recorder, *test, budget) else { return Ok(None) };
            if !self.native.run_native(server, self.number, *test, &nondet)?.passes {
                return Ok(None);
            }
            // A test that passes without another value passes by chance.
            let told = self.told(recorder, *test, &nondet, budget).filter(|told| !told.is_empty());
            let Some(told) = told else { return Ok(None) };
            values.extend(told);
        }
        Ok(Some(values))
    }

    /// Values that make a test pass.
    fn searched(&self, recorder: &mut Recorder, test: usize, budget: &Budget) -> Option<Vec<u64>> {
        let case = &self.of.bench.cases[test];
        let subject = Subject {
            program: self.followed.program(),
            entry: self.entry,
            fixed: self.followed.inputs(self.number, test),
            globals: vec![],
            nondet: vec![],
            stdin: false,
            arguments: vec![],
            expected: case.expected.clone(),
        };
        let limits = Limits {
            runs: Some(RUNS),
            budget: budget.within(EACH),
            passing: Some(1),
            by: By::Paths,
            ..Limits::default()
        };
        let mut runner = |given: &wherefore_case::Given, _: u32| {
            self.followed.run_recorded(recorder, self.number, test, &given.nondet)
        };
        // What writes over its own recording, or does not start, repairs nothing.
        let found = search(&subject, &mut runner, &limits, &mut |_| {}).ok()?;
        found.passing.into_iter().next().map(|case| case.given.nondet)
    }

    /// What is given instead of what.
    fn told(&self, recorder: &mut Recorder, test: usize, nondet: &[u64], budget: &Budget) -> Option<Vec<Given>> {
        let outcome = self.followed.run_recorded(recorder, self.number, test, nondet).ok()?;
        // Values that only hide a wrong use of memory repair nothing.
        let trace = self.followed.trace(&outcome, test, budget)?;
        let computed = asked(self.followed.program(), &trace).into_iter();
        let changed = computed.zip(nondet).filter(|(_, added)| **added != 0);
        let given = changed.enumerate().map(|(place, ((angel, computed), added))| {
            let (was, value) = angel.tell(computed, *added);
            // Once a value is another one, what would be computed next is nothing that the program ever did.
            let was = if place == 0 { was } else { String::new() };
            Given { test, was, value }
        });
        Some(given.collect())
    }
}

/// Who gives the values.
#[derive(Copy, Clone)]
enum Angel {
    Value,
    Number,
    Decision,
    Execution,
}

impl Angel {
    fn named(name: &str) -> Option<Angel> {
        match name {
            "wherefore_value" => Some(Angel::Value),
            "wherefore_number" => Some(Angel::Number),
            "wherefore_decision" => Some(Angel::Decision),
            "wherefore_execution" => Some(Angel::Execution),
            _ => None,
        }
    }

    /// What was computed, and what is given when this is added.
    fn tell(self, computed: u64, added: u64) -> (String, String) {
        let truth = |b: bool| if b { "true" } else { "false" }.to_string();
        match self {
            Angel::Value => {
                let given = (computed as i64).wrapping_add(i64::from(added as i32));
                ((computed as i64).to_string(), given.to_string())
            }
            Angel::Number => {
                let (computed, added) = (f64::from_bits(computed), f64::from_bits(added));
                (double_text(computed), double_text(computed + added))
            }
            Angel::Decision => (truth(computed != 0), truth(computed == 0)),
            Angel::Execution => ("executing it".into(), "leaving it out".into()),
        }
    }
}

/// For each call of an angel what was computed, in the order of the calls.
fn asked(program: &Program, trace: &Trace) -> Vec<(Angel, u64)> {
    let mut computed = vec![None; trace.activations.len()];
    for step in &trace.steps {
        let Action::Assign { to, after, .. } = step.action else { continue };
        if let Storage::Local { activation, offset: 0, .. } = trace.variables[to.0 as usize].storage
            && computed[activation as usize].is_none()
        {
            computed[activation as usize] = Some(after as u64);
        }
    }
    let angels = trace.activations.iter().zip(computed);
    angels
        .filter_map(|(activation, computed)| {
            Some((Angel::named(&program.functions[activation.function.index()].name)?, computed?))
        })
        .collect()
}
