//! The walk over traces put down by hand: what is left out, what is kept, what becomes of conditions.

use super::*;
use crate::sketch::{Sketch, reasoner};
use wherefore_budget::{Budget, Stop};

fn walked(s: &mut Sketch, goal: &Goal, mode: Mode) -> Sequence {
    walk(&Program::default(), &mut s.trace, goal, mode, &mut reasoner(), &mut vec![]).expect("there is time")
}

fn positions(sequence: &Sequence, what: &What) -> Vec<usize> {
    sequence.changes.iter().filter(|c| c.what == *what).map(|c| c.position).collect()
}

#[test]
fn assignments_to_other_variables_do_not_matter() {
    let mut s = Sketch::new();
    let (x, y) = (s.variable(0), s.variable(0));
    let one = s.number(1);
    let set_x = s.assign(x, one);
    s.assign(y, one);
    let formula = s.equal(x, 1);
    let goal = s.goal(formula);
    let found = walked(&mut s, &goal, Mode::default());
    assert_eq!((positions(&found, &What::Step), found.initial.atoms.as_slice()), (vec![set_x], &[][..]));
}

#[test]
fn where_the_time_is_up_what_was_before_is_given() {
    let mut s = Sketch::new();
    let x = s.variable(0);
    let one = s.number(1);
    s.assign(x, one);
    let formula = s.equal(x, 1);
    let goal = s.goal(formula);
    let budget = Budget::unlimited();
    budget.stop(Stop::Time);
    let mut late = Reasoner::new(wherefore_solver::Backend::Cadical, None, &budget);
    let program = Program::default();
    let (found, start) = walk_as_far(&program, &mut s.trace, &goal, Mode::default(), &mut late, &mut vec![]);
    assert_eq!((start, found.changes.len(), found.initial.atoms.len()), (goal.end, 0, 1));
    assert!(walk(&program, &mut s.trace, &goal, Mode::default(), &mut late, &mut vec![]).is_none());
}

#[test]
fn what_is_overwritten_does_not_matter() {
    let mut s = Sketch::new();
    let x = s.variable(0);
    let (one, two) = (s.number(1), s.number(2));
    s.assign(x, one);
    let set_x = s.assign(x, two);
    let formula = s.equal(x, 2);
    let goal = s.goal(formula);
    assert_eq!(positions(&walked(&mut s, &goal, Mode::default()), &What::Step), [set_x]);
}

#[test]
fn a_value_is_followed_back_through_its_copies() {
    let mut s = Sketch::new();
    let (input, x, y) = (s.variable(41), s.variable(0), s.variable(0));
    let value = s.plus(input, -42);
    s.assign(x, value);
    s.assign(y, x);
    let formula = s.at_most(y, -1);
    let goal = s.goal(formula);
    let found = walked(&mut s, &goal, Mode::default());
    let (low, x_low) = (s.at_most(input, 41), s.at_most(x, -1));
    assert_eq!(found.initial.atoms, [low]);
    let after: Vec<_> = found.changes.iter().map(|c| (c.position, c.after.atoms.clone())).collect();
    assert_eq!(after, [(0, vec![x_low]), (1, vec![formula])]);
}

#[test]
fn an_invariant_that_a_loop_keeps_stays_as_it_is() {
    let mut s = Sketch::new();
    let (sum, i) = (s.variable(46), s.variable(1));
    for _ in 0..3 {
        let next = s.trace.terms.binary(wherefore_formula::BinaryOp::Add, sum, i);
        s.assign(sum, next);
        let next = s.plus(i, 1);
        s.assign(i, next);
    }
    let formula = s.at_least(sum, 46);
    let goal = s.goal(formula);
    let found = walked(&mut s, &goal, Mode::default());
    assert_eq!(positions(&found, &What::Step), Vec::<usize>::new(), "no round matters");
    let expected: BTreeSet<TermId> = [formula, s.at_least(i, 1)].into();
    assert_eq!(found.initial.atoms.iter().copied().collect::<BTreeSet<_>>(), expected);
}

#[test]
fn an_assumed_condition_ends_its_part_of_the_story() {
    let mut s = Sketch::new();
    let x = s.variable(0);
    let minus = s.number(-5);
    s.assign(x, minus);
    let negative = s.at_most(x, -1);
    let branch = s.branch(negative);
    let goal = s.goal(negative);
    let found = walked(&mut s, &goal, Mode { assume: true, ..Mode::default() });
    assert_eq!(found.changes.len(), 1);
    assert_eq!((found.changes[0].position, &found.changes[0].what), (1, &What::Assume(branch)));
    let found = walked(&mut s, &goal, Mode::default());
    assert_eq!(positions(&found, &What::Step), [0], "otherwise the assignment is told");
}

#[test]
fn the_recorded_value_is_the_last_resort() {
    let mut s = Sketch::new();
    let (x, y) = (s.variable(6), s.variable(0));
    let product = s.trace.terms.binary(wherefore_formula::BinaryOp::Mul, x, x);
    s.assign(y, product);
    let formula = s.equal(y, 36);
    let goal = s.goal(formula);
    let found = walked(&mut s, &goal, Mode::default());
    let values = s.trace.initial.clone();
    for atom in &found.initial.atoms {
        let holds = s.trace.terms.evaluate(*atom, &mut |v| values[v.0 as usize]);
        assert_eq!(holds.and_then(|v| v.as_bool()), Some(true));
    }
    assert!(!found.initial.atoms.is_empty());
}

#[test]
fn out_of_time_there_is_no_sequence() {
    let mut s = Sketch::new();
    let x = s.variable(0);
    let one = s.number(1);
    s.assign(x, one);
    let formula = s.equal(x, 1);
    let goal = s.goal(formula);
    let stopped = Budget::unlimited();
    stopped.stop(Stop::Time);
    let mut late = Reasoner::new(wherefore_solver::Backend::Cadical, None, &stopped);
    assert_eq!(walk(&Program::default(), &mut s.trace, &goal, Mode::default(), &mut late, &mut vec![]), None);
}
