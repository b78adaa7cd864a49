//! Which branch is open where: numbers are lines, braces enclose what a branch decides.

use super::{call, run};

#[test]
fn an_if_encloses_the_side_taken() {
    let source = "int f(int x) {\n  int y = 0;\n  if (x > 2)\n    y = 1;\n  else\n    y = 2;\n  y++;\n  return y;\n}\n";
    assert_eq!(call(source, &[5]).outline(), "2 3{ 4 } 7 8");
    assert_eq!(call(source, &[1]).outline(), "2 3{ 6 } 7 8");
}

#[test]
fn an_if_without_else_is_a_branch_when_it_is_not_taken() {
    let source = "int f(int x) {\n  int y = 0;\n  if (x > 2)\n    y = 1;\n  return y;\n}\n";
    assert_eq!(call(source, &[1]).outline(), "2 3{ } 5");
}

#[test]
fn branches_nest_as_in_the_source() {
    let source = "int f(int x, int y) {\n  int z = 0;\n  if (x)\n    if (y)\n      z = 1;\n    else\n      z = 2;\n  z++;\n  return z;\n}\n";
    assert_eq!(call(source, &[1, 0]).outline(), "2 3{ 4{ 7 } } 8 9");
    assert_eq!(call(source, &[0, 1]).outline(), "2 3{ } 8 9");
}

#[test]
fn rounds_of_a_while_loop_are_siblings() {
    let source =
        "int f(int n) {\n  int s = 0;\n  while (n > 0) {\n    s += n;\n    n--;\n  }\n  s++;\n  return s;\n}\n";
    assert_eq!(call(source, &[2]).outline(), "2 3{ 4 5 } 3{ 4 5 } 3{ } 7 8");
}

#[test]
fn rounds_of_a_for_loop_are_siblings() {
    let source = "int f(int n) {\n  int s = 0;\n  for (int i = 0;\n       i < n;\n       i++)\n    s += i;\n  s++;\n  return s;\n}\n";
    assert_eq!(call(source, &[2]).outline(), "2 3 3{ 6 5 } 3{ 6 5 } 3{ } 7 8");
}

#[test]
fn the_condition_of_do_while_encloses_the_next_round() {
    let source =
        "int f(int n) {\n  int s = 0;\n  do {\n    s += n;\n    n--;\n  } while (n > 0);\n  s++;\n  return s;\n}\n";
    assert_eq!(call(source, &[1]).outline(), "2 4 5 6{ } 7 8");
    assert_eq!(call(source, &[3]).outline(), "2 4 5 6{ 4 5 } 6{ 4 5 } 6{ } 7 8");
}

#[test]
fn a_loop_in_a_loop_closes_its_rounds_inside_the_outer_ones() {
    let source = "int f(int n) {\n  int s = 0;\n  while (n > 0) {\n    int k = n;\n    while (k > 0)\n      k--;\n    n--;\n  }\n  return s;\n}\n";
    assert_eq!(call(source, &[2]).outline(), "2 3{ 4 5{ 6 } 5{ 6 } 5{ } 7 } 3{ 4 5{ 6 } 5{ } 7 } 3{ } 9");
}

#[test]
fn what_continue_would_have_skipped_lies_under_its_branch() {
    let source = "int f(int n) {\n  int s = 0;\n  while (n > 0) {\n    n--;\n    if (n == 1)\n      continue;\n    s++;\n  }\n  return s;\n}\n";
    assert_eq!(call(source, &[2]).outline(), "2 3{ 4 5{ } } 3{ 4 5{ 7 } } 3{ } 9");
}

#[test]
fn what_break_would_have_skipped_lies_under_its_branch_the_next_rounds_included() {
    let source = "int f(int n) {\n  int s = 0;\n  while (n > 0) {\n    n--;\n    if (n == 1)\n      break;\n    s++;\n  }\n  s = 9;\n  return s;\n}\n";
    assert_eq!(call(source, &[3]).outline(), "2 3{ 4 5{ 7 3{ 4 5{ } } } } 9 10");
}

#[test]
fn a_case_is_a_branch_and_falls_through_inside_it() {
    let source = "int f(int x) {\n  int y = 0;\n  switch (x) {\n  case 1:\n    y = 1;\n  case 2:\n    y += 2;\n    break;\n  default:\n    y = 9;\n  }\n  y++;\n  return y;\n}\n";
    let told = call(source, &[1]);
    assert_eq!((told.outline(), told.conditions()), ("2 3{ 5 7 } 12 13".into(), vec!["(= x 1:32)".into()]));
    let told = call(source, &[2]);
    assert_eq!((told.outline(), told.conditions()), ("2 3{ 7 } 12 13".into(), vec!["(= x 2:32)".into()]));
    let told = call(source, &[7]);
    assert_eq!(told.outline(), "2 3{ 10 } 12 13");
    assert_eq!(told.conditions(), ["(and (not (= x 1:32)) (not (= x 2:32)))"]);
}

#[test]
fn an_early_return_encloses_what_comes_after_it() {
    let source = "int f(int x) {\n  if (x < 0)\n    return -1;\n  x++;\n  return x;\n}\n";
    assert_eq!(call(source, &[-4]).outline(), "2{ 3 }");
    assert_eq!(call(source, &[4]).outline(), "2{ 4 5 }", "what follows is reached because there was no return");
}

#[test]
fn goto_out_of_a_branch_closes_it_where_the_ways_meet() {
    let source = "int f(int x) {\n  int y = 0;\n  if (x)\n    goto out;\n  y = 1;\nout:\n  y += 2;\n  return y;\n}\n";
    assert_eq!(call(source, &[1]).outline(), "2 3{ } 7 8");
    assert_eq!(call(source, &[0]).outline(), "2 3{ 5 } 7 8");
}

#[test]
fn the_branches_of_a_callee_lie_under_those_of_its_caller() {
    let source = "int g(int a) {\n  if (a)\n    return 1;\n  return 2;\n}\nint f(int x) {\n  int y = 0;\n  if (x)\n    y = g(x);\n  return y;\n}\n";
    assert_eq!(call(source, &[3]).outline(), "7 8{ 9 2{ 3 } 9 } 10");
}

#[test]
fn a_condition_that_is_a_constant_is_no_branch() {
    let source =
        "int main(void) {\n  int x = 0;\n  while (1) {\n    x++;\n    if (x == 2)\n      break;\n  }\n  return 0;\n}\n";
    assert_eq!(run(source).outline(), "2 4 5{ 4 } 5{ } 8");
}
