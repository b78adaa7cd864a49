use super::*;

fn conditions(terms: &mut Terms, count: u32) -> Vec<TermId> {
    (0..count).map(|v| terms.var(VarId(v), Sort::Bool)).collect()
}

fn value(terms: &Terms, formula: TermId, world: u128) -> bool {
    terms.evaluate(formula, &mut |v| Some(world >> v.0 & 1)).and_then(|v| v.as_bool()).expect("all is known")
}

#[test]
fn where_ways_meet_the_guard_is_what_it_was_before_they_parted() {
    let mut terms = Terms::new();
    let c = conditions(&mut terms, 3);
    let before = terms.and2(c[0], c[1]);
    let not = terms.not(c[2]);
    let (a, b) = (terms.and2(before, c[2]), terms.and2(before, not));
    assert_eq!(Guards::default().join(&mut terms, a, b), before);
}

#[test]
fn a_join_is_the_disjunction_and_what_distinguishes_tells_the_ways_apart() {
    let guards = Guards::default();
    let mut terms = Terms::new();
    let c = conditions(&mut terms, 4);
    let negated: Vec<TermId> = c.iter().map(|t| terms.not(*t)).collect();
    let ways: Vec<TermId> = (0..81)
        .map(|n: u32| {
            let literal =
                |k: u32| [None, Some(c[k as usize]), Some(negated[k as usize])][(n / 3u32.pow(k) % 3) as usize];
            let parts: Vec<TermId> = (0..4).filter_map(literal).collect();
            terms.and(parts)
        })
        .collect();
    for a in &ways {
        for b in &ways {
            let (joined, tells) = (guards.join(&mut terms, *a, *b), guards.distinguish(&mut terms, *a, *b));
            for world in 0..16 {
                let (in_a, in_b) = (value(&terms, *a, world), value(&terms, *b, world));
                assert_eq!(value(&terms, joined, world), in_a || in_b);
                if in_a != in_b {
                    assert_eq!(value(&terms, tells, world), in_a, "where one of them holds it says which");
                }
            }
            if guards.implies(&terms, *a, *b) {
                assert!((0..16).all(|world| !value(&terms, *a, world) || value(&terms, *b, world)));
            }
        }
    }
    assert!(guards.implies(&terms, ways[1 + 3], ways[1]) && !guards.implies(&terms, ways[1], ways[1 + 3]));
}

#[test]
fn a_long_guard_gets_one_name_and_keeps_its_meaning() {
    let mut terms = Terms::new();
    let mut guards = Guards::default();
    let c = conditions(&mut terms, 10);
    let short = terms.and(c[..8].iter().copied());
    let long = terms.and(c[..9].iter().copied());
    assert!(!Guards::is_long(&terms, short) && Guards::is_long(&terms, long));
    assert_eq!(guards.named(long), None);
    let (name, equality) = guards.name(&mut terms, VarId(20), long);
    assert_eq!(guards.named(long), Some(name));
    let expected = terms.eq(name, long);
    assert_eq!(equality, expected);
    assert!(guards.implies(&terms, name, c[3]), "a name implies what it stands for");
    assert!(!guards.implies(&terms, name, c[9]));
    let mut evaluation = Evaluation::new();
    guards.name_in(&terms, &mut evaluation);
    (0..9).for_each(|v| evaluation.set(VarId(v), 1));
    assert_eq!(evaluation.value(&terms, name), Some(1));
}
