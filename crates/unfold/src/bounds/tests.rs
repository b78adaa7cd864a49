//! How far loops and recursions are followed.

use crate::native::{Native, does, stdin, writes};

const COUNT: &str = "#include <stdio.h>\nint main(void) {\n  int n = getchar() - '0', s = 0;\n  for (int i = 0; i < n; i++)\n    s += i;\n  printf(\"%d\", s);\n  return 0;\n}\n";

#[test]
fn loops_are_followed_as_far_as_the_tests_go_and_some_more() {
    let native = Native::new(COUNT);
    let unfolding = native.unfold(&[stdin(b"3")]);
    assert_eq!(writes(&unfolding, &stdin(b"3")), "3");
    // Two rounds more than the test needs.
    assert_eq!(writes(&unfolding, &stdin(b"5")), "10");
    assert_eq!(does(&unfolding, &stdin(b"9")), None, "beyond that nothing is said");
    assert_eq!(unfolding.bounded.len(), 1, "and the loop is named: {:?}", unfolding.bounded);
    assert_eq!(unfolding.bounded[0].0.map(|at| at.line), Some(4));
}

#[test]
fn the_longest_test_counts() {
    let unfolding = Native::new(COUNT).unfold(&[stdin(b"1"), stdin(b"8"), stdin(b"2")]);
    assert_eq!(["0", "4", "8"].map(|n| writes(&unfolding, &stdin(n.as_bytes()))), ["0", "6", "28"]);
}

#[test]
fn a_number_of_rounds_may_be_asked_for() {
    let mut native = Native::new(COUNT);
    native.options.unwind = Some(3);
    let unfolding = native.unfold(&[stdin(b"1")]);
    assert_eq!(writes(&unfolding, &stdin(b"2")), "1");
    assert_eq!(does(&unfolding, &stdin(b"4")), None);
}

#[test]
fn a_loop_with_a_fixed_number_of_rounds_is_followed_to_its_end() {
    let source = "#include <stdio.h>\nint main(void) {\n  int s = 0;\n  for (int i = 0; i < 40; i++)\n    s += i;\n  printf(\"%d\", s);\n  return 0;\n}\n";
    let unfolding = Native::new(source).unfold(&[stdin(b"")]);
    assert_eq!((writes(&unfolding, &stdin(b"")).as_str(), unfolding.bounded.len()), ("780", 0));
}

#[test]
fn recursion_is_followed_as_far_as_the_tests_go_and_some_more() {
    let source = "#include <stdio.h>\nint sum(int n) {\n  if (n == 0)\n    return 0;\n  return n + sum(n - 1);\n}\nint main(void) {\n  printf(\"%d\", sum(getchar() - '0'));\n  return 0;\n}\n";
    let unfolding = Native::new(source).unfold(&[stdin(b"4")]);
    assert_eq!((writes(&unfolding, &stdin(b"4")), writes(&unfolding, &stdin(b"5"))), ("10".into(), "15".into()));
    assert_eq!(does(&unfolding, &stdin(b"9")), None);
}
