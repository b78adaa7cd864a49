//! How a solver is used: assertions, assumptions, models, validity.

use wherefore_formula::{BinaryOp, Sort, TermId, VarId};
use wherefore_solver::{Answer, Backend, Limits, Validity, valid};

use crate::support::{Fixture, X, Y, fixture};

for_each_backend!(
    constants_need_no_search,
    assertions_and_checks_alternate,
    values_belong_to_the_last_model,
    a_variable_can_be_fixed_before_and_after_it_is_used,
    validity_is_decided,
);

fn constants_need_no_search(backend: Backend) {
    let Fixture { terms, mut solver, .. } = fixture(backend);
    assert_eq!(solver.check(&terms, &[]), Answer::Sat);
    assert_eq!(solver.check(&terms, &[terms.truth(true)]), Answer::Sat);
    assert_eq!(solver.check(&terms, &[terms.truth(false)]), Answer::Unsat);
    assert_eq!(solver.core(), [terms.truth(false)]);
    assert_eq!(solver.check(&terms, &[]), Answer::Sat);
    solver.assert(&terms, terms.truth(true));
    assert_eq!(solver.check(&terms, &[]), Answer::Sat);
    solver.assert(&terms, terms.truth(false));
    assert_eq!(solver.check(&terms, &[terms.truth(true)]), Answer::Unsat);
    assert_eq!(solver.core(), []);
    assert_eq!(solver.check(&terms, &[]), Answer::Unsat);
}

fn assertions_and_checks_alternate(backend: Backend) {
    let Fixture { mut terms, x, y, mut solver } = fixture(backend);
    let less = terms.slt(x, y);
    let greater = terms.slt(y, x);
    let ten = terms.bits(32, 10);
    let bounded = terms.slt(y, ten);
    solver.assert(&terms, less);
    assert_eq!(solver.check(&terms, &[]), Answer::Sat);
    assert_eq!(solver.check(&terms, &[greater]), Answer::Unsat);
    assert_eq!(solver.check(&terms, &[bounded]), Answer::Sat);
    solver.assert(&terms, bounded);
    let nine = terms.bits(32, 9);
    let at_nine = terms.sle(nine, x);
    assert_eq!(solver.check(&terms, &[at_nine]), Answer::Unsat);
    assert_eq!(solver.check(&terms, &[less, bounded]), Answer::Sat);
    solver.assert(&terms, at_nine);
    assert_eq!(solver.check(&terms, &[]), Answer::Unsat);
}

fn values_belong_to_the_last_model(backend: Backend) {
    let Fixture { mut terms, x, mut solver, .. } = fixture(backend);
    let sort = Sort::Bits(32);
    assert_eq!(solver.value(&terms, X, sort), None, "no check yet");
    for expected in [7, 8] {
        let value = terms.bits(32, expected);
        let equal = terms.eq(x, value);
        assert_eq!(solver.check(&terms, &[equal]), Answer::Sat);
        assert_eq!(solver.value(&terms, X, sort), Some(expected));
        assert_eq!(solver.value(&terms, Y, sort), None, "not in the formula");
    }
    let flag = terms.var(VarId(5), Sort::Bool);
    let unset = terms.not(flag);
    assert_eq!(solver.check(&terms, &[flag]), Answer::Sat);
    assert_eq!(solver.value(&terms, VarId(5), Sort::Bool), Some(1));
    assert_eq!(solver.check(&terms, &[unset]), Answer::Sat);
    assert_eq!(solver.value(&terms, VarId(5), Sort::Bool), Some(0));
    assert_eq!(solver.check(&terms, &[flag, unset]), Answer::Unsat);
    assert_eq!(solver.value(&terms, X, sort), None, "no model");
    assert_eq!(solver.check(&terms, &[flag]), Answer::Sat);
    solver.assert(&terms, flag);
    assert_eq!(solver.value(&terms, VarId(5), Sort::Bool), None, "changed since");
}

fn a_variable_can_be_fixed_before_and_after_it_is_used(backend: Backend) {
    let sort = Sort::Bits(32);
    for late in [false, true] {
        let Fixture { mut terms, x, y, mut solver } = fixture(backend);
        let less = terms.slt(x, y);
        let sum = terms.binary(BinaryOp::Add, x, y);
        let expected = terms.bits(32, 12);
        let equal = terms.eq(sum, expected);
        if late {
            solver.assert(&terms, less);
            assert_eq!(solver.check(&terms, &[equal]), Answer::Sat);
        }
        solver.fix(&mut terms, X, sort, 5);
        assert_eq!(solver.value(&terms, X, sort), None, "no check since");
        solver.assert(&terms, less);
        assert_eq!(solver.check(&terms, &[equal]), Answer::Sat);
        assert_eq!(solver.value(&terms, X, sort), Some(5));
        assert_eq!(solver.value(&terms, Y, sort), Some(7));
        let five = terms.bits(32, 5);
        let other = terms.eq(x, five);
        let other = terms.not(other);
        assert_eq!(solver.check(&terms, &[equal, other]), Answer::Unsat);
        assert_eq!(solver.core(), [other], "late: {late}");
        // What is fixed stays fixed, also to something else.
        solver.fix(&mut terms, Y, sort, 4);
        assert_eq!(solver.check(&terms, &[]), Answer::Unsat);
        solver.fix(&mut terms, VarId(7), Sort::Bool, 1);
        let flag = terms.var(VarId(7), Sort::Bool);
        assert_eq!(solver.check(&terms, &[flag]), Answer::Unsat);
        assert_eq!(solver.core(), []);
    }
}

fn validity_is_decided(backend: Backend) {
    let Fixture { mut terms, x, y, .. } = fixture(backend);
    let (one, ten) = (terms.bits(32, 1), terms.bits(32, 10));
    let next = terms.binary(BinaryOp::Add, x, one);
    let fits = terms.no_overflow(BinaryOp::Add, true, x, one);
    let is_next = terms.eq(y, next);
    let grows = terms.slt(x, y);
    let mut decide = |premises: &[TermId], conclusion| valid(backend, &mut terms, premises, conclusion, Limits::NONE);
    assert_eq!(decide(&[is_next, fits], grows), Validity::Valid);
    assert_eq!(decide(&[is_next], grows), Validity::Invalid);
    assert_eq!(decide(&[grows], grows), Validity::Valid, "by simplification");
    assert_eq!(decide(&[], grows), Validity::Invalid, "by a sample");
    let is_ten = terms.eq(x, ten);
    let eleven = terms.bits(32, 11);
    let is_eleven = terms.eq(y, eleven);
    let answer = valid(backend, &mut terms, &[is_ten, is_next], is_eleven, Limits::NONE);
    assert_eq!(answer, Validity::Valid);
}
