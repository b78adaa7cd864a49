use super::*;
use crate::invariant::{Change, Invariant};
use crate::sketch::{Sketch, reasoner};

fn change(position: usize, what: What, after: &[TermId]) -> Change {
    Change { position, what, after: Invariant { atoms: after.to_vec() } }
}

fn told(s: &mut Sketch, goal: &Goal, sequence: &Sequence, flow: bool) -> Vec<StoryStep> {
    story(&mut s.trace, goal, (None, 0), sequence, flow, &mut reasoner())
}

/// Makes two steps stand in one place.
fn same_place(s: &mut Sketch, a: usize, b: usize) {
    s.trace.steps[b].at = s.trace.steps[a].at;
}

#[test]
fn steps_that_matter_are_told_and_the_failure_last() {
    let mut s = Sketch::new();
    let (x, y) = (s.variable(0), s.variable(0));
    let (one, two) = (s.number(1), s.number(2));
    s.assign(x, one);
    let set_y = s.assign(y, two);
    let is_two = s.equal(y, 2);
    let goal = s.goal(is_two);
    let sequence = Sequence { changes: vec![change(set_y, What::Step, &[is_two])], ..Sequence::default() };
    let steps = told(&mut s, &goal, &sequence, true);
    let kinds: Vec<(StepKind, Vec<usize>)> = steps.iter().map(|s| (s.kind.clone(), s.positions.clone())).collect();
    assert_eq!(kinds, [(StepKind::Statement(Kind::Assign), vec![1]), (StepKind::Failure, vec![2])]);
    assert_eq!((steps[0].invariant.clone(), steps[1].invariant.clone()), (vec![is_two], vec![]));
}

#[test]
fn steps_of_one_statement_are_one() {
    let mut s = Sketch::new();
    let (x, y) = (s.variable(0), s.variable(0));
    let one = s.number(1);
    let (a, b) = (s.assign(x, one), s.assign(y, one));
    same_place(&mut s, a, b);
    let (x_one, y_one) = (s.equal(x, 1), s.equal(y, 1));
    let goal = s.goal(y_one);
    let sequence = Sequence {
        changes: vec![change(a, What::Step, &[x_one]), change(b, What::Step, &[x_one, y_one])],
        ..Sequence::default()
    };
    let steps = told(&mut s, &goal, &sequence, true);
    assert_eq!(steps.len(), 2);
    assert_eq!((steps[0].positions.as_slice(), &steps[0].invariant), (&[a, b][..], &vec![x_one, y_one]));
}

#[test]
fn a_librarys_result_is_told_with_the_statement_that_uses_it() {
    let mut s = Sketch::new();
    let (result, x) = (s.variable(0), s.variable(0));
    let five = s.number(5);
    let a = s.assign_as(Kind::Havoc, result, five);
    let b = s.assign(x, result);
    same_place(&mut s, a, b);
    let (result_five, x_five) = (s.equal(result, 5), s.equal(x, 5));
    let goal = s.goal(x_five);
    let sequence = Sequence {
        changes: vec![change(a, What::Step, &[result_five]), change(b, What::Step, &[x_five])],
        ..Sequence::default()
    };
    let steps = told(&mut s, &goal, &sequence, true);
    assert_eq!((steps.len(), &steps[0].kind), (2, &StepKind::Statement(Kind::Assign)));
}

#[test]
fn bookkeeping_goes_with_the_next_step() {
    let mut s = Sketch::new();
    let (saved, x) = (s.variable(0), s.variable(0));
    let five = s.number(5);
    let a = s.assign_as(Kind::Internal, saved, five);
    let b = s.assign(x, saved);
    let (saved_five, x_five) = (s.equal(saved, 5), s.equal(x, 5));
    let goal = s.goal(x_five);
    let sequence = Sequence {
        changes: vec![change(a, What::Step, &[saved_five]), change(b, What::Step, &[x_five])],
        ..Sequence::default()
    };
    let steps = told(&mut s, &goal, &sequence, true);
    assert_eq!((steps.len(), steps[0].positions.as_slice()), (2, &[a, b][..]));
}

/// `if (x >= 1) { y = 1; if (x >= 0) { z = 1; } }`
fn nested() -> (Sketch, Goal, Sequence, [TermId; 2]) {
    let mut s = Sketch::new();
    let (x, y, z) = (s.variable(1), s.variable(0), s.variable(0));
    let (outer, inner, one) = (s.at_least(x, 1), s.at_least(x, 0), s.number(1));
    s.branch(outer);
    let set_y = s.assign(y, one);
    s.branch(inner);
    let set_z = s.assign(z, one);
    s.end();
    s.end();
    let (y_one, z_one) = (s.equal(y, 1), s.equal(z, 1));
    let goal = s.goal(z_one);
    let changes = vec![change(set_y, What::Step, &[y_one]), change(set_z, What::Step, &[y_one, z_one])];
    (s, goal, Sequence { changes, ..Sequence::default() }, [outer, inner])
}

#[test]
fn a_reason_that_another_one_implies_is_not_told() {
    let (mut s, goal, sequence, [outer, _]) = nested();
    let steps = told(&mut s, &goal, &sequence, true);
    let reasons = |step: &StoryStep| step.because.iter().map(|b| b.0).collect::<Vec<_>>();
    assert_eq!((reasons(&steps[0]), reasons(&steps[1])), (vec![outer], vec![]), "x >= 1 says that x >= 0");
}

#[test]
fn a_reason_is_told_where_its_variable_has_changed_since() {
    let mut s = Sketch::new();
    let (x, y, z) = (s.variable(1), s.variable(0), s.variable(0));
    let (outer, inner, one, zero) = (s.at_least(x, 1), s.at_least(x, 0), s.number(1), s.number(0));
    s.branch(outer);
    let set_y = s.assign(y, one);
    s.assign(x, zero);
    s.branch(inner);
    let set_z = s.assign(z, one);
    s.end();
    s.end();
    let (y_one, z_one) = (s.equal(y, 1), s.equal(z, 1));
    let goal = s.goal(z_one);
    let changes = vec![change(set_y, What::Step, &[y_one]), change(set_z, What::Step, &[y_one, z_one])];
    let sequence = Sequence { changes, ..Sequence::default() };
    let steps = told(&mut s, &goal, &sequence, true);
    let reasons: Vec<TermId> = steps[1].because.iter().map(|b| b.0).collect();
    assert_eq!(reasons, [inner], "x is not what it was");
}

#[test]
fn without_flow_no_reasons_are_told() {
    let (mut s, goal, sequence, _) = nested();
    let steps = told(&mut s, &goal, &sequence, false);
    assert!(steps.len() == 3 && steps.iter().all(|s| s.because.is_empty()));
}

#[test]
fn a_statement_that_changes_nothing_is_not_told_and_its_reasons_go_on() {
    let mut s = Sketch::new();
    let (x, y) = (s.variable(1), s.variable(0));
    let (condition, one) = (s.at_least(x, 1), s.number(1));
    s.branch(condition);
    let idle = s.assign(x, one);
    let set_y = s.assign(y, one);
    s.end();
    let (x_one, y_one) = (s.equal(x, 1), s.equal(y, 1));
    let goal = s.goal(y_one);
    let sequence = Sequence {
        initial: Invariant { atoms: vec![x_one] },
        changes: vec![change(idle, What::Step, &[x_one]), change(set_y, What::Step, &[y_one])],
        ..Sequence::default()
    };
    let steps = told(&mut s, &goal, &sequence, true);
    assert_eq!(steps.iter().map(|s| s.positions[0]).collect::<Vec<_>>(), [set_y, goal.end]);
    assert_eq!(steps[0].because.iter().map(|b| b.0).collect::<Vec<_>>(), [condition]);
}

#[test]
fn frames_of_one_branch_are_one_step() {
    let mut s = Sketch::new();
    let (x, y, c) = (s.variable(1), s.variable(2), s.variable(1));
    let (x_one, y_two, condition) = (s.equal(x, 1), s.equal(y, 2), s.equal(c, 1));
    let branch = s.branch(condition);
    s.end();
    let goal = s.goal(x_one);
    let frame = |variable| Frame { variable: VarId(variable), also: vec![], branches: vec![branch], elsewhere: None };
    let after = [x_one, y_two];
    let sequence = Sequence {
        initial: Invariant { atoms: vec![x_one, y_two, condition] },
        changes: vec![change(0, What::Frame(frame(0)), &after), change(0, What::Frame(frame(1)), &after)],
        ..Sequence::default()
    };
    let steps = told(&mut s, &goal, &sequence, true);
    assert_eq!(steps.len(), 2);
    let StepKind::Frame(found) = &steps[0].kind else { panic!("{:?}", steps[0].kind) };
    assert_eq!((found.variable, found.also.as_slice()), (VarId(0), &[VarId(1)][..]));
    assert_eq!(steps[0].because.iter().map(|b| b.0).collect::<Vec<_>>(), [condition]);
}
