//! The checker is given one right sequence, and wrong ones of each kind.

use super::*;
use crate::invariant::{Change, Frame};
use crate::sketch::Sketch;
use wherefore_budget::{Budget, Stop};
use wherefore_solver::Backend;

/// The links of a sequence; a trace put down by hand has no program whose other ways could be gone.
fn check(trace: &mut Trace, goal: &Goal, sequence: &Sequence, reading: Reading, reasoner: &mut Reasoner) -> Checked {
    let mut check = Check { trace, reading, owed: vec![], labels: vec![] };
    match check.run(goal, sequence) {
        Ok(()) => check.settle(reasoner),
        Err(what) => Checked::No(what),
    }
}

/// `x = input - 42; if (x <= -1) { y = 0; }` with `y == 0` to be explained, and the parts of its explanation.
struct Example {
    sketch: Sketch,
    goal: Goal,
    branch: BranchId,
    input: TermId,
    x: TermId,
    y: TermId,
}

const ASSIGN_X: usize = 0;
const IF: usize = 1;
const ASSIGN_Y: usize = 2;
const END_IF: usize = 3;

fn example() -> Example {
    let mut s = Sketch::new();
    let (input, x, y) = (s.variable(41), s.variable(0), s.variable(1));
    let value = s.plus(input, -42);
    assert_eq!(s.assign(x, value), ASSIGN_X);
    let negative = s.at_most(x, -1);
    let branch = s.branch(negative);
    let zero = s.number(0);
    assert_eq!(s.assign(y, zero), ASSIGN_Y);
    assert_eq!(s.end(), END_IF);
    let formula = s.equal(y, 0);
    let goal = s.goal(formula);
    Example { sketch: s, goal, branch, input, x, y }
}

fn invariant(atoms: &[TermId]) -> Invariant {
    Invariant { atoms: atoms.to_vec() }
}

fn change(position: usize, what: What, after: &[TermId]) -> Change {
    Change { position, what, after: invariant(after) }
}

impl Example {
    fn right(&mut self) -> Sequence {
        let (low, negative, zero) =
            (self.sketch.at_most(self.input, 41), self.sketch.at_most(self.x, -1), self.sketch.equal(self.y, 0));
        Sequence {
            initial: invariant(&[low]),
            changes: vec![
                change(ASSIGN_X, What::Step, &[negative]),
                change(IF, What::Capture(self.branch), &[]),
                change(ASSIGN_Y, What::Step, &[zero]),
            ],
            captured: [(self.branch, ASSIGN_Y)].into(),
            ..Sequence::default()
        }
    }

    fn check(&mut self, sequence: &Sequence, reading: Reading) -> Checked {
        let mut reasoner = Reasoner::independent(Backend::Z3, &Budget::unlimited());
        check(&mut self.sketch.trace, &self.goal, sequence, reading, &mut reasoner)
    }

    #[track_caller]
    fn refuses(&mut self, sequence: &Sequence, why: &str) {
        assert_eq!(self.check(sequence, Reading::Guarded), Checked::No(why.into()));
    }
}

#[test]
fn a_right_sequence_is_accepted_by_both_backends() {
    let mut e = example();
    let sequence = e.right();
    for backend in Backend::ALL {
        let mut reasoner = Reasoner::independent(backend, &Budget::unlimited());
        let answer = check(&mut e.sketch.trace, &e.goal, &sequence, Reading::Guarded, &mut reasoner);
        assert_eq!(answer, Checked::Yes, "{backend:?}");
        assert!(reasoner.asked > 0);
    }
}

#[test]
fn a_precondition_that_does_not_hold_is_refused() {
    let mut e = example();
    let mut sequence = e.right();
    sequence.initial = invariant(&[e.sketch.at_most(e.input, 40)]);
    e.refuses(&sequence, "an invariant does not hold in the recorded state at position 0");
}

#[test]
fn an_invariant_that_does_not_hold_is_refused() {
    let mut e = example();
    let mut sequence = e.right();
    sequence.changes[0].after = invariant(&[e.sketch.at_most(e.x, -2)]);
    e.refuses(&sequence, "an invariant does not hold in the recorded state at position 1");
}

#[test]
fn a_step_that_does_not_establish_what_follows_is_refused() {
    let mut e = example();
    let mut sequence = e.right();
    sequence.changes[0].after = invariant(&[e.sketch.equal(e.x, -1)]);
    e.refuses(&sequence, "the step at position 0 breaks the invariant");
}

#[test]
fn a_step_that_is_left_out_must_keep_the_invariant() {
    let mut s = Sketch::new();
    let x = s.variable(5);
    let less = s.plus(x, -1);
    s.assign(x, less);
    let large = s.at_least(x, 3);
    let goal = s.goal(large);
    let sequence = Sequence { initial: invariant(&[large]), ..Sequence::default() };
    let mut reasoner = Reasoner::independent(Backend::Z3, &Budget::unlimited());
    let answer = check(&mut s.trace, &goal, &sequence, Reading::Guarded, &mut reasoner);
    assert_eq!(answer, Checked::No("the step at position 0 breaks the invariant".into()));
}

#[test]
fn a_change_where_nothing_happens_is_refused() {
    let mut e = example();
    let mut sequence = e.right();
    let (zero, negative) = (e.sketch.equal(e.y, 0), e.sketch.at_most(e.x, -1));
    sequence.changes.push(change(END_IF, What::Keep, &[zero, negative]));
    e.refuses(&sequence, "the step at position 3 breaks the invariant");
}

#[test]
fn a_last_invariant_that_is_too_weak_is_refused() {
    let mut e = example();
    let mut sequence = e.right();
    sequence.changes[2].after = invariant(&[e.sketch.at_most(e.y, 0)]);
    e.refuses(&sequence, "the last invariant does not imply the failure");
}

#[test]
fn nothing_at_all_is_refused() {
    let mut e = example();
    e.refuses(&Sequence::default(), "the last invariant does not imply the failure");
}

#[test]
fn a_step_under_a_condition_that_is_not_captured_is_refused() {
    let mut e = example();
    let mut sequence = e.right();
    sequence.captured.clear();
    e.refuses(&sequence, "the step at position 2 is not shown to be reached");
}

#[test]
fn a_condition_captured_for_too_short_is_refused() {
    let mut e = example();
    let mut sequence = e.right();
    sequence.captured.insert(e.branch, IF);
    e.refuses(&sequence, "the step at position 2 is not shown to be reached");
}

#[test]
fn a_condition_that_is_captured_must_be_known() {
    let mut e = example();
    let mut sequence = e.right();
    sequence.initial = invariant(&[]);
    sequence.changes.remove(0);
    e.refuses(&sequence, "the step at position 1 breaks the invariant");
}

#[test]
fn a_condition_that_is_granted_need_not_be_known() {
    let mut e = example();
    let mut sequence = e.right();
    sequence.initial = invariant(&[]);
    sequence.changes.remove(0);
    sequence.granted.insert(e.branch);
    assert_eq!(e.check(&sequence, Reading::Guarded), Checked::Yes);
    // But it has to be said that the step depends on it.
    sequence.captured.clear();
    e.refuses(&sequence, "the step at position 2 is not shown to be reached");
}

#[test]
fn a_condition_needs_those_around_it() {
    let mut s = Sketch::new();
    let (a, b, y) = (s.variable(1), s.variable(1), s.variable(0));
    let (first, second, one) = (s.equal(a, 1), s.equal(b, 1), s.number(1));
    let outer = s.branch(first);
    let inner = s.branch(second);
    s.assign(y, one);
    s.end();
    s.end();
    let formula = s.equal(y, 1);
    let goal = s.goal(formula);
    let told = vec![change(1, What::Capture(inner), &[]), change(2, What::Step, &[formula])];
    let mut sequence =
        Sequence { initial: invariant(&[second]), changes: told, captured: [(inner, 2)].into(), ..Sequence::default() };
    let mut reasoner = Reasoner::independent(Backend::Z3, &Budget::unlimited());
    let mut ask =
        |s: &mut Sketch, sequence: &Sequence| check(&mut s.trace, &goal, sequence, Reading::Guarded, &mut reasoner);
    let expected = Checked::No("a condition is used without those it depends on".into());
    assert_eq!(ask(&mut s, &sequence), expected);
    sequence.initial = invariant(&[first, second]);
    sequence.captured.insert(outer, 2);
    assert_eq!(ask(&mut s, &sequence), Checked::Yes);
}

#[test]
fn a_failure_under_a_condition_must_be_reached() {
    let mut s = Sketch::new();
    let x = s.variable(1);
    let one = s.equal(x, 1);
    let branch = s.branch(one);
    let goal = s.goal(one);
    let mut sequence = Sequence { initial: invariant(&[one]), ..Sequence::default() };
    let mut reasoner = Reasoner::independent(Backend::Z3, &Budget::unlimited());
    let no = Checked::No("the last invariant does not say why the failing statement is reached".into());
    assert_eq!(check(&mut s.trace, &goal, &sequence, Reading::Guarded, &mut reasoner), no);
    assert_eq!(check(&mut s.trace, &goal, &sequence, Reading::Plain, &mut reasoner), Checked::Yes);
    sequence.captured.insert(branch, goal.end);
    assert_eq!(check(&mut s.trace, &goal, &sequence, Reading::Guarded, &mut reasoner), Checked::Yes);
}

#[test]
fn a_frame_needs_its_condition() {
    let mut s = Sketch::new();
    let (x, y) = (s.variable(1), s.variable(0));
    let (one, zero) = (s.equal(x, 1), s.equal(y, 0));
    let branch = s.branch(one);
    s.end();
    let goal = s.goal(zero);
    let frame = Frame { variable: VarId(1), also: vec![], branches: vec![branch], elsewhere: None };
    let mut sequence = Sequence {
        initial: invariant(&[zero]),
        changes: vec![change(0, What::Frame(frame), &[zero])],
        ..Sequence::default()
    };
    let mut reasoner = Reasoner::independent(Backend::Z3, &Budget::unlimited());
    let no = Checked::No("the step at position 0 breaks the invariant".into());
    assert_eq!(check(&mut s.trace, &goal, &sequence, Reading::Guarded, &mut reasoner), no);
    sequence.initial = invariant(&[one, zero]);
    sequence.captured.insert(branch, 0);
    assert_eq!(check(&mut s.trace, &goal, &sequence, Reading::Guarded, &mut reasoner), Checked::Yes);
}

#[test]
fn conditions_are_facts_for_the_trace_formula_only() {
    let mut s = Sketch::new();
    let x = s.variable(-1);
    let negative = s.at_most(x, -1);
    let branch = s.branch(negative);
    s.end();
    let goal = s.goal(negative);
    let sequence = Sequence { changes: vec![change(0, What::Assume(branch), &[negative])], ..Sequence::default() };
    let mut reasoner = Reasoner::independent(Backend::Z3, &Budget::unlimited());
    assert_eq!(check(&mut s.trace, &goal, &sequence, Reading::Plain, &mut reasoner), Checked::Yes);
    let no = Checked::No("the step at position 0 breaks the invariant".into());
    assert_eq!(check(&mut s.trace, &goal, &sequence, Reading::Guarded, &mut reasoner), no);
    let silent = Sequence { changes: vec![change(0, What::Keep, &[negative])], ..Sequence::default() };
    assert_eq!(check(&mut s.trace, &goal, &silent, Reading::Plain, &mut reasoner), no);
}

#[test]
fn without_time_nothing_is_claimed() {
    let mut e = example();
    let sequence = e.right();
    let stopped = Budget::unlimited();
    stopped.stop(Stop::Time);
    let mut reasoner = Reasoner::independent(Backend::Z3, &stopped);
    let answer = check(&mut e.sketch.trace, &e.goal, &sequence, Reading::Guarded, &mut reasoner);
    assert_eq!(answer, Checked::Unknown(Stop::Time.to_string()));
}
