use super::*;
use crate::invariant::Invariant;
use crate::sketch::{Sketch, reasoner};

fn change(position: usize, what: What, after: TermId) -> Change {
    Change { position, what, after: Invariant { atoms: vec![after] } }
}

/// Three updates `x = x + 1` from 1 on, with a new bound after each.
fn counting() -> (Sketch, TermId, Goal, Sequence) {
    let mut s = Sketch::new();
    let x = s.variable(1);
    let mut changes = vec![];
    for bound in [2, 3, 4] {
        let next = s.plus(x, 1);
        let position = s.assign(x, next);
        let after = s.at_least(x, bound);
        changes.push(change(position, What::Step, after));
    }
    let initial = Invariant { atoms: vec![s.at_least(x, 1)] };
    let formula = s.at_least(x, 1);
    let goal = s.goal(formula);
    (s, x, goal, Sequence { initial, changes, ..Sequence::default() })
}

#[test]
fn an_invariant_that_every_step_keeps_makes_them_unnecessary() {
    let (mut s, x, goal, mut sequence) = counting();
    // What is needed at last follows from the first invariant: x >= 1.
    let weak = s.at_least(x, 0);
    for change in &mut sequence.changes {
        change.after = Invariant { atoms: vec![weak] };
    }
    let widened = widen(&mut s.trace, &goal, sequence, &mut reasoner());
    assert!(widened.changes.len() < 3, "{:?}", widened.changes);
}

#[test]
fn an_invariant_that_does_not_suffice_later_drops_nothing() {
    let (mut s, _, goal, sequence) = counting();
    let widened = widen(&mut s.trace, &goal, sequence.clone(), &mut reasoner());
    assert_eq!(widened, sequence);
}

#[test]
fn a_step_that_breaks_the_early_invariant_ends_its_interval() {
    // x = 7; x = 0; x = 7: the bound of the first does not hold throughout.
    let mut s = Sketch::new();
    let x = s.variable(7);
    let large = s.at_least(x, 5);
    let mut changes = vec![];
    for value in [0, 7, 7] {
        let number = s.number(value);
        let position = s.assign(x, number);
        let after = if value == 0 { s.at_most(x, 0) } else { large };
        changes.push(change(position, What::Step, after));
    }
    let goal = s.goal(large);
    let sequence = Sequence { initial: Invariant { atoms: vec![large] }, changes, ..Sequence::default() };
    let widened = widen(&mut s.trace, &goal, sequence.clone(), &mut reasoner());
    assert_eq!(widened.changes[0], sequence.changes[0], "x = 0 breaks x >= 5");
}

#[test]
fn a_missing_assignment_is_never_dropped() {
    let mut s = Sketch::new();
    let (x, c) = (s.variable(1), s.variable(1));
    let (positive, one) = (s.at_least(x, 1), s.equal(c, 1));
    let branch = s.branch(one);
    let end = s.end();
    let goal = s.goal(positive);
    let frame = crate::invariant::Frame { variable: VarId(0), also: vec![], branches: vec![branch], elsewhere: None };
    let sequence = Sequence {
        initial: Invariant { atoms: vec![positive] },
        changes: vec![change(0, What::Frame(frame), positive), change(end, What::Keep, positive)],
        captured: BTreeMap::from([(branch, 0)]),
        ..Sequence::default()
    };
    let widened = widen(&mut s.trace, &goal, sequence.clone(), &mut reasoner());
    assert_eq!(widened, sequence);
}

#[test]
fn conditions_of_dropped_steps_are_not_needed_any_more() {
    // x >= 1 holds from the start; `if (c == 1) { x = x + 1; x = x + 1; }` does not matter.
    let mut s = Sketch::new();
    let (x, c) = (s.variable(1), s.variable(1));
    let (positive, one) = (s.at_least(x, 1), s.equal(c, 1));
    let branch = s.branch(one);
    let next = s.plus(x, 1);
    let first = s.assign(x, next);
    let second = s.assign(x, next);
    let end = s.end();
    let goal = s.goal(positive);
    let sequence = Sequence {
        initial: Invariant { atoms: vec![positive] },
        changes: vec![
            change(first, What::Step, positive),
            change(second, What::Step, positive),
            change(end, What::Keep, positive),
        ],
        captured: BTreeMap::from([(branch, second)]),
        ..Sequence::default()
    };
    let widened = widen(&mut s.trace, &goal, sequence, &mut reasoner());
    assert_eq!(widened.changes.iter().map(|c| c.position).collect::<Vec<_>>(), [end]);
    assert_eq!(widened.captured, BTreeMap::new());
}
