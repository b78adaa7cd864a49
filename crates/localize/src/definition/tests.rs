//! A story that is one, and stories that are none, one for each way.

use super::*;
use crate::sketch::{Sketch, reasoner};
use wherefore_trace::Kind;

/// `x = input - 42; if (x <= -1) { y = 0; }` with `y == 0` to be explained.
struct Example {
    sketch: Sketch,
    goal: Goal,
    branch: BranchId,
    precondition: Vec<TermId>,
    steps: Vec<StoryStep>,
    input: TermId,
    x: TermId,
    y: TermId,
}

fn step(kind: StepKind, position: usize, invariant: &[TermId]) -> StoryStep {
    let (because, invariant) = (vec![], invariant.to_vec());
    StoryStep { kind, positions: vec![position], at: None, activation: 0, because, invariant, given: false }
}

fn example() -> Example {
    let mut s = Sketch::new();
    let (input, x, y) = (s.variable(41), s.variable(0), s.variable(1));
    let value = s.plus(input, -42);
    s.assign(x, value);
    let negative = s.at_most(x, -1);
    let branch = s.branch(negative);
    let zero = s.number(0);
    s.assign(y, zero);
    s.end();
    let formula = s.equal(y, 0);
    let goal = s.goal(formula);
    let assigned = StepKind::Statement(Kind::Assign);
    let steps = vec![
        step(assigned.clone(), 0, &[negative]),
        step(assigned, 2, &[formula]),
        step(StepKind::Failure, goal.end, &[]),
    ];
    let precondition = vec![s.at_most(input, 41)];
    Example { sketch: s, goal, branch, precondition, steps, input, x, y }
}

impl Example {
    fn violations(&mut self, conditions: bool) -> Vec<Violation> {
        let trace = &mut self.sketch.trace;
        flow_sensitive(trace, &self.goal, &self.precondition, &self.steps, conditions, &mut reasoner())
    }
}

#[test]
fn a_story_that_explains_everything_has_no_violations() {
    assert_eq!(example().violations(true), []);
}

#[test]
fn a_precondition_that_did_not_hold_is_one() {
    let mut e = example();
    e.precondition = vec![e.sketch.at_most(e.input, 40)];
    assert_eq!(e.violations(true)[0], Violation::NotInState { step: 0 });
}

#[test]
fn an_invariant_that_did_not_hold_is_one() {
    let mut e = example();
    e.steps[0].invariant = vec![e.sketch.at_most(e.x, -2)];
    assert!(e.violations(true).contains(&Violation::NotInState { step: 1 }));
}

#[test]
fn a_step_that_does_not_follow_is_one() {
    let mut e = example();
    e.precondition = vec![];
    assert_eq!(e.violations(true), [Violation::NotImplied { step: 0 }]);
}

#[test]
fn a_failure_that_does_not_follow_is_one() {
    let mut e = example();
    e.steps[1].invariant = vec![e.sketch.at_most(e.y, 0)];
    assert_eq!(e.violations(true), [Violation::NotImplied { step: 2 }]);
}

#[test]
fn an_invariant_that_does_not_survive_what_is_left_out_does_not_count() {
    let mut s = Sketch::new();
    let x = s.variable(0);
    let (five, less) = (s.number(5), s.plus(x, -1));
    s.assign(x, five);
    s.assign(x, less);
    let (four, was) = (s.at_least(x, 4), s.at_least(x, 4));
    let goal = s.goal(four);
    let assigned = StepKind::Statement(Kind::Assign);
    let steps = [step(assigned, 0, &[was]), step(StepKind::Failure, goal.end, &[])];
    let found = flow_sensitive(&mut s.trace, &goal, &[], &steps, true, &mut reasoner());
    assert_eq!(found, [Violation::NotImplied { step: 1 }], "x >= 4 holds at both ends, but not because of x >= 4");
}

#[test]
fn a_step_whose_condition_is_not_explained_is_one_for_the_flow_sensitive_definition_only() {
    let mut e = example();
    e.steps.remove(0);
    e.precondition = vec![];
    assert_eq!(e.violations(true), [Violation::NotReached { step: 0, branch: e.branch }]);
    assert_eq!(e.violations(false), []);
}

#[test]
fn a_failure_whose_condition_is_not_explained_is_one() {
    let mut s = Sketch::new();
    let (x, y) = (s.variable(1), s.variable(0));
    let (one, zero) = (s.equal(x, 1), s.equal(y, 0));
    let branch = s.branch(one);
    let goal = s.goal(zero);
    let steps = [step(StepKind::Failure, goal.end, &[])];
    let mut ask =
        |precondition: &[TermId]| flow_sensitive(&mut s.trace, &goal, precondition, &steps, true, &mut reasoner());
    assert_eq!(ask(&[zero]), [Violation::NotReached { step: 0, branch }]);
    assert_eq!(ask(&[zero, one]), []);
}

#[test]
fn a_condition_is_explained_by_what_holds_at_its_if_and_not_later() {
    // if (x == 1) { x = 2; y = 0; }: that x was 1 is known before the `if` only.
    let mut s = Sketch::new();
    let (x, y) = (s.variable(1), s.variable(5));
    let (one, two, zero) = (s.equal(x, 1), s.number(2), s.number(0));
    let branch = s.branch(one);
    s.assign(x, two);
    s.assign(y, zero);
    s.end();
    let formula = s.equal(y, 0);
    let goal = s.goal(formula);
    let steps = [step(StepKind::Statement(Kind::Assign), 2, &[formula]), step(StepKind::Failure, goal.end, &[])];
    let mut ask =
        |precondition: &[TermId]| flow_sensitive(&mut s.trace, &goal, precondition, &steps, true, &mut reasoner());
    assert_eq!(ask(&[one]), []);
    assert_eq!(ask(&[]), [Violation::NotReached { step: 0, branch }]);
}

#[test]
fn an_assumed_condition_is_a_fact() {
    let mut s = Sketch::new();
    let x = s.variable(-1);
    let negative = s.at_most(x, -1);
    s.branch(negative);
    s.end();
    let goal = s.goal(negative);
    let steps = [step(StepKind::Assume, 0, &[negative]), step(StepKind::Failure, goal.end, &[])];
    assert_eq!(flow_sensitive(&mut s.trace, &goal, &[], &steps, false, &mut reasoner()), []);
}
