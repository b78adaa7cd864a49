//! A question put to a run: why does a condition not hold at a place, or why is the place never reached?
//!
//! The place is a call of [`QUESTION`] with the condition; the call itself does nothing.

use super::{Analysis, Recorded, Stopped, WalkError, Walker, is_memory_fault};
use crate::builder::Value;
use crate::failure::{self, Found, conditional};
use crate::model::{BranchId, Failure, FailureKind, Trace};
use wherefore_budget::Budget;
use wherefore_case::Expected;
use wherefore_program::{BlockId, Callee, Command, FunctionId, Origin, Program};

/// The function whose calls ask.
pub const QUESTION: &str = "__wf_question";

/// What a run answers.
pub struct Answer {
    /// The run up to where the condition does not hold, or to the decision that leads away from the place; without a
    /// failure where there is nothing to explain.
    pub trace: Trace,
    /// How often the place was reached, up to the time that was asked for.
    pub reached: u64,
    /// The time at which the condition does not hold, from 1.
    pub failed: Option<u64>,
}

/// A question under way.
pub struct Question {
    /// Which time is asked for, from 1; otherwise the last one at which the condition does not hold.
    nth: Option<u64>,
    reached: u64,
    found: Option<(u64, Found)>,
}

/// Walk a run for the answer to the question in it.
///
/// # Errors
/// As for [`super::walk`].
pub fn ask(
    program: &Program,
    recorded: &Recorded,
    stopped: Stopped,
    nth: Option<u64>,
    budget: &Budget,
) -> Result<Answer, WalkError> {
    let mut walker = Walker::new(program, &Analysis::of_run(program, recorded), recorded, budget);
    walker.memory_fault = is_memory_fault(stopped);
    walker.question = Some(Question { nth, reached: 0, found: None });
    walker.run()?;
    let Question { reached, found, .. } = walker.question.take().expect("set above");
    let (failed, found) = found.or_else(|| walker.failed.take().map(|f| (reached, f))).unzip();
    walker.failed = found.or_else(|| if reached == 0 { never_reached(&walker) } else { None });
    let trace = failure::finish(walker, Stopped::Limit, &Expected::default());
    Ok(Answer { trace, reached, failed })
}

impl Walker<'_> {
    /// The place is reached; the condition is what the call is given.
    pub(super) fn answer(&mut self, name: &str, given: &[Value], at: Option<Origin>) {
        let ([condition, ..], true) = (given, name == QUESTION) else { return };
        let Some(question) = &mut self.question else { return };
        question.reached += 1;
        let (time, nth) = (question.reached, question.nth);
        if condition.concrete == 0 && nth.is_none_or(|n| n == time) {
            let width = self.build.terms.width(condition.term);
            let zero = self.build.terms.bits(width, 0);
            let violated = self.build.terms.eq(condition.term, zero);
            let facts = condition.facts.clone();
            let found = conditional(self, FailureKind::Question, violated, facts, at, String::new());
            self.question.as_mut().expect("seen above").found = Some((time, found));
        }
        if nth == Some(time) {
            self.failed = self.question.as_mut().and_then(|q| q.found.take()).map(|(_, found)| found);
        }
    }
}

/// The last decision of the run that led away from the place: another way of it comes there, the one taken does not.
fn never_reached(walker: &Walker) -> Option<Found> {
    let mut work = places(walker.program, |callee| matches!(callee, Callee::External(name) if name == QUESTION));
    let mut seen = work.clone();
    let mut last: Option<BranchId> = None;
    while let Some((function, block)) = work.pop() {
        last = last.max(led_away(walker, function, block));
        if !walker.activations.iter().any(|a| a.function == function) {
            // Whoever could have called it has not.
            for caller in places(walker.program, |callee| matches!(callee, Callee::Function(id) if *id == function)) {
                if !seen.contains(&caller) {
                    seen.push(caller);
                    work.push(caller);
                }
            }
        }
    }
    let branch = walker.branches[last?.index()].clone();
    let failure = Failure {
        kind: FailureKind::Question,
        violated: branch.condition,
        assumes: branch.assumes.into(),
        addresses: branch.addresses.into(),
        at: branch.at,
        activation: branch.activation,
        scope: branch.parent,
        decision: branch.decision.map(|head| (head, branch.taken)),
        message: String::new(),
    };
    Some(Found { failure, steps: branch.start })
}

/// The blocks with such a call.
fn places(program: &Program, is_wanted: impl Fn(&Callee) -> bool) -> Vec<(FunctionId, BlockId)> {
    let mut found = vec![];
    for (f, function) in program.functions.iter().enumerate() {
        for (b, block) in function.blocks.iter().enumerate() {
            let calls = |c: &Command| matches!(c, Command::Call { callee, .. } if is_wanted(callee));
            if block.commands.iter().any(|c| calls(&c.it)) {
                found.push((FunctionId(f as u32), BlockId(b as u32)));
            }
        }
    }
    found
}

fn led_away(walker: &Walker, function: FunctionId, block: BlockId) -> Option<BranchId> {
    let (flow, decisions) = (&walker.flows[function.index()], &walker.decisions[function.index()]);
    let reaches = |from: BlockId, head: BlockId| flow.region(from, Some(head)).contains(&block);
    let led = |id: &usize| {
        let branch = &walker.branches[*id];
        let Some(head) = branch.decision else { return false };
        walker.activations[branch.activation as usize].function == function
            && !reaches(branch.taken, head)
            && decisions.exits(flow, head).into_iter().any(|way| way != branch.taken && reaches(way, head))
    };
    (0..walker.branches.len()).rev().find(led).map(|id| BranchId(id as u32))
}
