use super::*;
use crate::sketch::reasoner;
use wherefore_budget::Stop;
use wherefore_formula::BinaryOp;

struct Words {
    terms: Terms,
    x: TermId,
    y: TermId,
    z: TermId,
}

fn words() -> Words {
    let mut terms = Terms::new();
    let [x, y, z] = [0, 1, 2].map(|v| terms.var(VarId(v), Sort::Bits(8)));
    Words { terms, x, y, z }
}

#[test]
fn orders_are_transitive_and_not_symmetric() {
    let mut w = words();
    let (xy, yz) = (w.terms.slt(w.x, w.y), w.terms.slt(w.y, w.z));
    let (xz, zx) = (w.terms.slt(w.x, w.z), w.terms.slt(w.z, w.x));
    for backend in Backend::ALL {
        let mut reasoner = Reasoner::new(backend, None, &Budget::unlimited());
        assert!(reasoner.implies(&mut w.terms, &[xy, yz], xz));
        assert!(!reasoner.implies(&mut w.terms, &[xy], xz));
        assert!(!reasoner.implies(&mut w.terms, &[xy, yz], zx));
        assert_eq!((reasoner.asked, reasoner.gave_up), (3, None));
    }
}

#[test]
fn sums_wrap() {
    let mut w = words();
    let one = w.terms.bits(8, 1);
    let next = w.terms.binary(BinaryOp::Add, w.x, one);
    let larger = w.terms.sgt(next, w.x);
    let granted = w.terms.no_overflow(BinaryOp::Add, true, w.x, one);
    let mut reasoner = reasoner();
    assert!(!reasoner.implies(&mut w.terms, &[], larger));
    assert!(reasoner.implies(&mut w.terms, &[granted], larger));
}

#[test]
fn a_question_is_asked_once() {
    let mut w = words();
    let (xy, yz, xz) = (w.terms.slt(w.x, w.y), w.terms.slt(w.y, w.z), w.terms.slt(w.x, w.z));
    let mut reasoner = reasoner();
    for _ in 0..3 {
        assert!(reasoner.implies(&mut w.terms, &[xy, yz], xz));
        assert!(reasoner.implies(&mut w.terms, &[yz, xy, xy], xz));
    }
    assert_eq!(reasoner.asked, 1);
}

#[test]
fn premises_about_other_things_are_left_out() {
    let mut w = words();
    let (xy, zero) = (w.terms.slt(w.x, w.y), w.terms.bits(8, 0));
    let (other, ne) = (w.terms.sle(w.z, zero), w.terms.ne(w.x, w.y));
    assert_eq!(connected(&w.terms, &[other, xy], ne), [xy]);
    let yz = w.terms.slt(w.y, w.z);
    let chain = connected(&w.terms, &[other, yz, xy], ne);
    assert_eq!(chain.iter().collect::<BTreeSet<_>>(), [other, yz, xy].iter().collect(), "through y to z");
}

#[test]
fn what_a_neighbouring_state_refutes_is_not_asked() {
    let mut w = words();
    let xy = w.terms.slt(w.x, w.y);
    let state = [Some(3), Some(4), Some(0)];
    let mut reasoner = reasoner();
    assert!(!reasoner.implies_near(&mut w.terms, &[], xy, &state), "x may be one more");
    assert_eq!(reasoner.asked, 0);
    let equal = w.terms.eq(w.x, w.y);
    let at_most = w.terms.sle(w.x, w.y);
    assert!(reasoner.implies_near(&mut w.terms, &[xy], at_most, &state));
    assert!(!reasoner.implies_near(&mut w.terms, &[at_most], equal, &state));
}

#[test]
fn the_first_implication_that_does_not_hold_is_told() {
    let mut w = words();
    let (xy, at_most, equal) = (w.terms.slt(w.x, w.y), w.terms.sle(w.x, w.y), w.terms.eq(w.x, w.y));
    let (holds, fails) = ((vec![xy], at_most), (vec![at_most], equal));
    let mut all = vec![holds.clone(); 70];
    let mut reasoner = reasoner();
    assert_eq!(reasoner.all_hold(&mut w.terms, &all), Ok(()));
    all[66] = fails.clone();
    all[68] = fails;
    assert_eq!(reasoner.all_hold(&mut w.terms, &all), Err(66));
    assert_eq!(reasoner.gave_up, None, "it is known not to hold");
}

#[test]
fn without_time_the_answer_is_no_and_why_is_said() {
    let mut w = words();
    let (xy, yz, xz) = (w.terms.slt(w.x, w.y), w.terms.slt(w.y, w.z), w.terms.slt(w.x, w.z));
    let stopped = Budget::unlimited();
    stopped.stop(Stop::Time);
    let mut reasoner = Reasoner::new(Backend::Cadical, None, &stopped);
    assert!(reasoner.expired());
    assert!(!reasoner.implies(&mut w.terms, &[xy, yz], xz));
    assert_eq!((reasoner.gave_up, reasoner.asked), (Some(Stop::Time.to_string()), 0));
}

#[test]
fn what_the_fast_backend_cannot_decide_the_other_one_does() {
    let mut terms = Terms::new();
    let x = terms.var(VarId(0), Sort::Bits(64));
    let (one, two) = (terms.bits(64, u128::from(1f64.to_bits())), terms.bits(64, u128::from(2f64.to_bits())));
    let below_one = terms.float(wherefore_formula::FloatOp::Lt, &[x, one]);
    let below_two = terms.float(wherefore_formula::FloatOp::Lt, &[x, two]);
    let mut reasoner = reasoner();
    assert!(reasoner.implies(&mut terms, &[below_one], below_two));
    assert!(!reasoner.implies(&mut terms, &[below_two], below_one));
}

#[test]
fn what_is_too_hard_once_is_not_asked_again_in_another_form() {
    let mut terms = Terms::new();
    let [x, y, z] = [0, 1, 2].map(|v| terms.var(VarId(v), Sort::Bits(32)));
    let mut times = |a, b| terms.binary(BinaryOp::Mul, a, b);
    let (xy, yz) = (times(x, y), times(y, z));
    let (left, right) = (times(xy, z), times(x, yz));
    let one = terms.bits(32, 1);
    let (more_left, more_right) = (terms.binary(BinaryOp::Add, left, one), terms.binary(BinaryOp::Add, right, one));
    let (same, order) = (terms.eq(left, right), terms.slt(x, y));
    let other = terms.sle(more_left, more_right);
    let mut reasoner = Reasoner::new(Backend::Cadical, Some(20_000), &Budget::unlimited());
    assert!(!reasoner.implies(&mut terms, &[], same));
    assert!(reasoner.gave_up.take().is_some());
    assert!(!reasoner.implies(&mut terms, &[], other));
    assert!(reasoner.gave_up.take().is_some());
    assert_eq!(reasoner.asked, 1);
    // What is easy is asked as before.
    assert!(!reasoner.implies(&mut terms, &[], order));
    assert_eq!((reasoner.asked, reasoner.gave_up), (2, None));
}
