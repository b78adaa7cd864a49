//! Both backends on random formulas.

use std::collections::BTreeSet;

use wherefore_formula::{TermId, Terms, Value, VarId};
use wherefore_solver::{Answer, Backend};

use crate::support::{Generator, Random};

/// Both backends agree on 2,400 formulas, and what one calls a model evaluates to true.
#[test]
fn backends_agree_on_random_formulas() {
    let mut generator = Generator { random: Random(6), terms: Terms::new(), width: 1 };
    let (mut satisfiable, mut unsatisfiable) = (0, 0);
    let mut checked = 0;
    while checked < 2400 {
        // A batch shares an arena and a pair of solvers: the incremental use is tested along the way.
        generator.terms = Terms::new();
        generator.width = generator.random.pick(&[1, 2, 3, 4, 5, 6, 8]);
        let mut solvers = Backend::ALL.map(Backend::solver);
        for _ in 0..40 {
            let depth = 2 + generator.random.below(3) as u32;
            let first = generator.bool(depth);
            let second = generator.bool(depth);
            let terms = &generator.terms;
            if terms.truth_value(first).is_some() && terms.truth_value(second).is_some() {
                continue;
            }
            checked += 1;
            let answers = solvers.each_mut().map(|solver| solver.check(terms, &[first, second]));
            let shown = || terms.display(first, &|var| format!("v{}", var.0));
            assert_eq!(answers[0], answers[1], "{}", shown());
            match answers[0] {
                Answer::Sat => satisfiable += 1,
                Answer::Unsat => unsatisfiable += 1,
                Answer::Unknown(ref reason) => panic!("{reason} on {}", shown()),
            }
            if answers[0] == Answer::Sat {
                for solver in &solvers {
                    let mut value_of = |var: VarId| {
                        let sort = terms.variable_sort(var)?;
                        Some(solver.value(terms, var, sort).unwrap_or(0))
                    };
                    for formula in [first, second] {
                        let value = terms.evaluate(formula, &mut value_of);
                        let name = solver.name();
                        assert_eq!(value, Some(Value::Bool(true)), "{name}: {}", shown());
                    }
                }
            } else {
                for solver in &solvers {
                    let core: BTreeSet<TermId> = solver.core().into_iter().collect();
                    assert!(core.is_subset(&[first, second].into()));
                }
            }
        }
    }
    assert!(satisfiable > 300 && unsatisfiable > 100, "{satisfiable} {unsatisfiable}");
}
