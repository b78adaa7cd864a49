//! Which assumptions are to blame.

use wherefore_formula::{BinaryOp, Sort, TermId, Terms, VarId};
use wherefore_solver::{Answer, Backend, minimal_core};

use crate::support::{Fixture, Random, fixture};

for_each_backend!(
    cores_blame_assumptions_only,
    minimal_cores_are_minimal,
    minimal_cores_of_contradictions_are_pairs,
    a_satisfiable_formula_has_no_core,
);

/// Random bounds and differences over a few 8-bit variables: small enough for brute force by subsets.
fn random_constraints(terms: &mut Terms, random: &mut Random, count: usize) -> Vec<TermId> {
    let variables: Vec<TermId> = (0..3).map(|i| terms.var(VarId(i), Sort::Bits(8))).collect();
    let mut constraints = Vec::new();
    while constraints.len() < count {
        let (a, b) = (random.pick(&variables), random.pick(&variables));
        let constant = terms.bits(8, u128::from(random.below(256)));
        let sum = terms.binary(BinaryOp::Add, a, constant);
        let constraint = match random.below(4) {
            0 => terms.ult(a, constant),
            1 => terms.ult(constant, a),
            2 => terms.eq(sum, b),
            _ => terms.slt(a, b),
        };
        if terms.truth_value(constraint).is_none() {
            constraints.push(constraint);
        }
    }
    constraints
}

fn cores_blame_assumptions_only(backend: Backend) {
    let mut random = Random(2);
    let mut unsatisfiable = 0;
    for _ in 0..60 {
        let mut terms = Terms::new();
        let constraints = random_constraints(&mut terms, &mut random, 7);
        let mut solver = backend.solver();
        solver.assert(&terms, constraints[0]);
        if solver.check(&terms, &constraints[1..]) != Answer::Unsat {
            assert!(solver.core().is_empty());
            continue;
        }
        unsatisfiable += 1;
        let core = solver.core();
        assert!(core.iter().all(|member| constraints[1..].contains(member)));
        assert_eq!(solver.check(&terms, &core), Answer::Unsat);
        let mut other = backend.other().solver();
        other.assert(&terms, constraints[0]);
        assert_eq!(other.check(&terms, &core), Answer::Unsat, "second opinion");
    }
    assert!(unsatisfiable > 10, "the test has something to look at");
}

fn minimal_cores_are_minimal(backend: Backend) {
    let mut random = Random(3);
    let mut found = 0;
    for _ in 0..60 {
        let mut terms = Terms::new();
        let constraints = random_constraints(&mut terms, &mut random, 8);
        let mut solver = backend.solver();
        let Ok(core) = minimal_core(solver.as_mut(), &terms, &constraints) else {
            continue;
        };
        found += 1;
        assert!(core.is_minimal);
        assert!(core.members.iter().all(|member| constraints.contains(member)));
        assert_eq!(solver.check(&terms, &core.members), Answer::Unsat);
        for left_out in &core.members {
            let rest: Vec<TermId> = core.members.iter().copied().filter(|member| member != left_out).collect();
            assert_eq!(solver.check(&terms, &rest), Answer::Sat, "each is needed");
        }
    }
    assert!(found > 10, "the test has something to look at");
}

fn minimal_cores_of_contradictions_are_pairs(backend: Backend) {
    let Fixture { mut terms, x, mut solver, .. } = fixture(backend);
    let claims: Vec<TermId> = (0..4)
        .map(|value| {
            let value = terms.bits(32, value);
            terms.eq(x, value)
        })
        .collect();
    let core = minimal_core(solver.as_mut(), &terms, &claims).expect("unsatisfiable");
    assert_eq!(core.members.len(), 2);
    let repeated = [claims[0], claims[1], claims[0], claims[1]];
    let core = minimal_core(solver.as_mut(), &terms, &repeated).expect("unsatisfiable");
    assert_eq!(core.members, [claims[0], claims[1]]);
    let falsity = terms.truth(false);
    solver.assert(&terms, falsity);
    let core = minimal_core(solver.as_mut(), &terms, &claims).expect("unsatisfiable");
    assert!(core.members.is_empty(), "nothing is to blame");
}

fn a_satisfiable_formula_has_no_core(backend: Backend) {
    let Fixture { mut terms, x, y, mut solver } = fixture(backend);
    let less = terms.slt(x, y);
    let result = minimal_core(solver.as_mut(), &terms, &[less]);
    assert_eq!(result, Err(Answer::Sat));
}
