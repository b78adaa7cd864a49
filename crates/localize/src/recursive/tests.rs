//! Algorithm 1 over a localizer that is a table.

use super::*;
use crate::sketch::Sketch;

/// `a = 1; if (a == 1) { b = 2; if (b == 2) { y = 3; } }` with `y == 3` to be explained.
#[test]
fn every_condition_around_a_step_is_asked_once_and_the_answers_are_conjoined() {
    let mut s = Sketch::new();
    let (a, b, y) = (s.variable(0), s.variable(0), s.variable(0));
    let (one, two, three) = (s.number(1), s.number(2), s.number(3));
    let (is_one, is_two, is_three) = (s.equal(a, 1), s.equal(b, 2), s.equal(y, 3));
    let set_a = s.assign(a, one);
    let outer = s.branch(is_one);
    let set_b = s.assign(b, two);
    let inner = s.branch(is_two);
    let set_y = s.assign(y, three);
    s.end();
    s.end();
    let goal = s.goal(is_three);
    let mut asked = vec![];
    let mut localizer = |_: &mut Trace, goal: &Goal| {
        asked.push((goal.formula, goal.end));
        // Each is established by one assignment.
        let position =
            [(is_three, set_y), (is_two, set_b), (is_one, set_a)].into_iter().find(|(f, _)| *f == goal.formula);
        let after = Invariant { atoms: vec![goal.formula] };
        let change = Change { position: position.expect("a known question").1, what: What::Step, after };
        Some(Sequence { changes: vec![change], ..Sequence::default() })
    };
    let found = recursive(&mut s.trace, &goal, &mut localizer).expect("an answer");
    asked.sort_by_key(|(_, end)| std::cmp::Reverse(*end));
    let starts = [inner, outer].map(|branch| s.trace.branches[branch.index()].start);
    assert_eq!(asked, [(is_three, goal.end), (is_two, starts[0]), (is_one, starts[1])]);
    assert_eq!(found.initial.atoms, []);
    let told: Vec<(usize, bool, Vec<TermId>)> =
        found.changes.iter().map(|c| (c.position, c.what == What::Step, c.after.atoms.clone())).collect();
    let expected = [
        (set_a, true, vec![is_one]),
        (starts[1], false, vec![]),
        (set_b, true, vec![is_two]),
        (starts[0], false, vec![]),
        (set_y, true, vec![is_three]),
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_localizer_that_gives_up_ends_it() {
    let mut s = Sketch::new();
    let x = s.variable(1);
    let one = s.equal(x, 1);
    let goal = s.goal(one);
    assert_eq!(recursive(&mut s.trace, &goal, &mut |_, _| None), None);
}

#[test]
fn conditions_before_the_start_are_given() {
    let mut s = Sketch::new();
    let (x, y) = (s.variable(1), s.variable(0));
    let (is_one, two) = (s.equal(x, 1), s.number(2));
    s.branch(is_one);
    s.assign(y, two);
    let formula = s.equal(y, 2);
    let goal = Goal { start: 1, ..s.goal(formula) };
    let mut asked = 0;
    let mut localizer = |_: &mut Trace, goal: &Goal| {
        asked += 1;
        let after = Invariant { atoms: vec![goal.formula] };
        Some(Sequence { changes: vec![Change { position: 1, what: What::Step, after }], ..Sequence::default() })
    };
    assert!(recursive(&mut s.trace, &goal, &mut localizer).is_some());
    assert_eq!(asked, 1);
}
