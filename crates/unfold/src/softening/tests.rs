//! Statements set free: what becomes of the rest of the program for a value put in their place.

use crate::native::{Native, stdin};
use crate::{Observation, Unfolding};
use wherefore_formula::Node;

/// What the program writes with the first statement free and these values in its instances, in order.
fn with(unfolding: &Unfolding, input: &[u8], values: &[u128]) -> String {
    let Node::Var(selector, _) = *unfolding.terms.node(unfolding.selectors[0]) else { panic!("a selector") };
    let mut run = unfolding.evaluation_without(&stdin(input), selector);
    let free = unfolding.instances.iter().filter_map(|i| i.free);
    for (var, value) in free.zip(values) {
        run.set(var, *value);
    }
    match unfolding.observe(&mut run) {
        Some(Observation::Ends { stdout, .. }) => String::from_utf8_lossy(&stdout).into_owned(),
        other => panic!("{other:?}"),
    }
}

const SUM: &str = "#include <stdio.h>\nint main(void) {\n  int a = getchar() - '0';\n  int b = a + 1;\n  int c = b * 10 + a;\n  printf(\"%d\", c);\n  return 0;\n}\n";

#[test]
fn a_statement_kept_computes_what_it_says() {
    let mut native = Native::new(SUM);
    native.soften(4);
    let unfolding = native.unfold(&[stdin(b"3")]);
    assert_eq!(unfolding.selectors.len(), 1);
    assert_eq!(crate::native::writes(&unfolding, &stdin(b"3")), "43");
}

#[test]
fn a_statement_set_free_gives_any_value_to_the_rest() {
    let mut native = Native::new(SUM);
    native.soften(4);
    let unfolding = native.unfold(&[stdin(b"3")]);
    let points: Vec<_> = unfolding.instances.iter().map(|i| (i.statement, i.pointer)).collect();
    assert_eq!(points, [(0, false)], "one value, no pointer");
    for value in [0u32, 7, u32::MAX] {
        let expected = (value as i32).wrapping_mul(10).wrapping_add(3);
        assert_eq!(with(&unfolding, b"3", &[u128::from(value)]), expected.to_string());
    }
}

#[test]
fn a_condition_set_free_goes_either_way() {
    let source = "#include <stdio.h>\nint main(void) {\n  int a = getchar() - '0', r = 1;\n  if (a > 5)\n    r = 2;\n  printf(\"%d\", r);\n  return 0;\n}\n";
    let mut native = Native::new(source);
    native.soften(4);
    let unfolding = native.unfold(&[stdin(b"3")]);
    assert_eq!([0, 1].map(|way| with(&unfolding, b"3", &[way])), ["1", "2"]);
    assert_eq!([0, 1].map(|way| with(&unfolding, b"8", &[way])), ["1", "2"]);
}

#[test]
fn each_round_of_a_loop_is_free_for_itself() {
    let source = "#include <stdio.h>\nint main(void) {\n  int s = 0;\n  for (int i = 0; i < 3; i++) {\n    int t = i;\n    s = s * 10 + t;\n  }\n  printf(\"%d\", s);\n  return 0;\n}\n";
    let mut native = Native::new(source);
    native.soften(5);
    let unfolding = native.unfold(&[stdin(b"")]);
    assert_eq!(unfolding.instances.len(), 3);
    assert_eq!(crate::native::writes(&unfolding, &stdin(b"")), "12");
    assert_eq!(with(&unfolding, b"", &[4, 5, 6]), "456");
}

#[test]
fn a_pointer_set_free_is_one_of_the_places_there_are() {
    let source = "#include <stdio.h>\nint x = 1, y = 2;\nint main(void) {\n  int *p;\n  p = &x;\n  *p = 9;\n  printf(\"%d %d\", x, y);\n  return 0;\n}\n";
    let mut native = Native::new(source);
    native.soften(5);
    let unfolding = native.unfold(&[stdin(b"")]);
    let instance = unfolding.instances.iter().find(|i| i.pointer).expect("a pointer");
    assert!(instance.free.is_none() && instance.choices.len() >= 2, "{instance:?}");
}

#[test]
fn what_lies_in_no_statement_is_hard() {
    let native = Native::new(SUM);
    let unfolding = native.unfold(&[stdin(b"3")]);
    assert_eq!((unfolding.selectors.len(), unfolding.instances.len()), (0, 0));
}
