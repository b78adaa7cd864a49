//! What the side of a branch that was not taken may assign.

use super::{Told, call};
use wherefore_formula::VarId;
use wherefore_trace::{BranchId, Elsewhere, OtherSide};

/// Whether the other side of the first branch assigns a variable, in the state at its `if`: the line where it does.
fn asked(told: &Told, variable: VarId) -> Elsewhere {
    let values = told.trace.values_at(told.trace.branches[0].start);
    let mut other = OtherSide::new(&told.program, &told.trace, false);
    other.assigns(&told.trace, BranchId(0), variable, &|v| values[v.0 as usize])
}

#[derive(PartialEq, Debug)]
enum Said {
    No,
    Yes(u32),
    Unknown(u32),
}

#[track_caller]
fn other(source: &str, arguments: &[i64], name: &str) -> Said {
    let told = call(source, arguments);
    match asked(&told, told.variable(name)) {
        Elsewhere::No => Said::No,
        Elsewhere::Yes(at) => Said::Yes(super::line(at)),
        Elsewhere::Unknown(at) => Said::Unknown(super::line(at)),
    }
}

#[test]
fn a_local_counts_by_its_name() {
    let source = "int f(int x) {\n  int y = 1, z = 2;\n  if (x)\n    y = 5;\n  else\n    z = 6;\n  return y + z;\n}\n";
    assert_eq!(other(source, &[0], "y"), Said::Yes(4));
    assert_eq!(other(source, &[0], "z"), Said::No, "the side taken assigns it");
    assert_eq!(other(source, &[1], "z"), Said::Yes(6));
}

#[test]
fn what_follows_the_branch_is_not_its_other_side() {
    let source = "int f(int x) {\n  int y = 1;\n  if (x)\n    x = 2;\n  y = 5;\n  return y;\n}\n";
    assert_eq!(other(source, &[0], "y"), Said::No);
}

#[test]
fn another_case_of_a_switch_is_another_side() {
    let source = "int f(int x) {\n  int y = 1, z = 1;\n  switch (x) {\n  case 1:\n    y = 2;\n    break;\n  case 2:\n    z = 2;\n    break;\n  }\n  return y + z;\n}\n";
    assert_eq!(other(source, &[1], "z"), Said::Yes(8));
    assert_eq!(other(source, &[1], "y"), Said::No);
    assert_eq!(other(source, &[7], "y"), Said::Yes(5));
}

#[test]
fn a_loop_not_entered_would_have_run_its_body() {
    let source = "int f(int n) {\n  int s = 1;\n  while (n > 0) {\n    s = 2;\n    n--;\n  }\n  return s;\n}\n";
    assert_eq!(other(source, &[0], "s"), Said::Yes(4));
}

#[test]
fn a_store_through_a_pointer_is_told_by_the_state() {
    let source =
        "int f(int x) {\n  int y = 1, z = 2;\n  int *p = &y, *q = &z;\n  if (x)\n    *p = 5;\n  return *p + *q;\n}\n";
    assert_eq!(other(source, &[0], "y"), Said::Yes(5));
    assert_eq!(other(source, &[0], "z"), Said::No);
}

#[test]
fn an_element_is_told_by_the_index() {
    let source =
        "int a[4];\nint f(int x, int i) {\n  a[1] = 1;\n  a[2] = 2;\n  if (x)\n    a[i] = 5;\n  return a[1];\n}\n";
    assert_eq!(other(source, &[0, 1], "a+4"), Said::Yes(6));
    assert_eq!(other(source, &[0, 1], "a+8"), Said::No);
}

#[test]
fn a_pointer_changed_on_the_other_side_is_unknown() {
    let source = "int a[4], b[4];\nint f(int x) {\n  int *p = a;\n  a[1] = 1;\n  if (x) {\n    p = b;\n    p[1] = 5;\n  }\n  return *p;\n}\n";
    assert_eq!(other(source, &[0], "a+4"), Said::Unknown(7));
}

#[test]
fn a_store_to_another_global_is_none() {
    let source = "int a[4], b[4];\nint f(int x) {\n  a[1] = 1;\n  if (x)\n    b[1] = 5;\n  return 0;\n}\n";
    assert_eq!(other(source, &[0], "a+4"), Said::No);
}

#[test]
fn a_callee_counts_where_it_is_called() {
    let source = "int g;\nvoid set(int v) {\n  g = v;\n}\nvoid twice(int v) {\n  set(v);\n}\nint f(int x) {\n  g = 1;\n  if (x)\n    twice(x);\n  return g;\n}\n";
    assert_eq!(other(source, &[0], "g"), Said::Yes(11));
}

#[test]
fn a_callee_writes_through_the_pointer_it_is_given() {
    let source = "void set(int *p) {\n  *p = 5;\n}\nint f(int x) {\n  int y = 1, z = 2;\n  int *q = &z;\n  if (x)\n    set(&y);\n  return y + *q;\n}\n";
    assert_eq!(other(source, &[0], "y"), Said::Yes(8));
    assert_eq!(other(source, &[0], "z"), Said::No);
}

#[test]
fn locals_of_a_callee_are_not_those_of_the_caller() {
    let source = "int g(int v) {\n  int y = v;\n  y = 5;\n  return y;\n}\nint f(int x) {\n  int y = 1;\n  if (x)\n    g(x);\n  return y;\n}\n";
    assert_eq!(other(source, &[0], "y"), Said::No);
}

#[test]
fn memset_and_copies_reach_as_far_as_they_do() {
    let source = "#include <string.h>\nchar a[8];\nint f(int x) {\n  a[2] = 1;\n  a[6] = 1;\n  if (x)\n    memset(a, 0, 4);\n  return a[2];\n}\n";
    assert_eq!(other(source, &[0], "a+2"), Said::Yes(7));
    assert_eq!(other(source, &[0], "a+6"), Said::No);
}
