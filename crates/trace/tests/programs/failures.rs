//! How runs fail: the kind, the place, the condition that is true at the end, and how far the trace goes.

use super::{Told, call, run};
use wherefore_budget::Budget;
use wherefore_case::Expected;
use wherefore_fixtures::{Fixture, recorded};
use wherefore_trace::{Act, BadPointer, FailureKind, Stopped, walk};

/// Kind, line, condition and message of the failure.
#[track_caller]
fn fails(told: &Told) -> (FailureKind, u32, String, &str) {
    let failure = told.trace.failure.as_ref().expect("the run fails");
    (failure.kind, super::line(failure.at), told.text(failure.violated), &failure.message)
}

#[test]
fn an_assertion_fails_by_its_condition() {
    let told = call("#include <assert.h>\nint f(int x) {\n  int y = x - 1;\n  assert(y > 0);\n  return y;\n}\n", &[1]);
    assert_eq!(fails(&told), (FailureKind::Assertion, 4, "(bvsle y 0:32)".into(), "assertion fails"));
    assert_eq!(told.outline(), "3", "the condition is no step");
}

#[test]
fn an_assertion_under_a_branch_lies_in_its_scope() {
    let told = call("#include <assert.h>\nint f(int x) {\n  if (x > 5)\n    assert(x < 9);\n  return x;\n}\n", &[9]);
    assert_eq!(fails(&told).2, "(bvsle 9:32 x)");
    let scope = told.trace.failure.as_ref().and_then(|f| f.scope).expect("a scope");
    assert_eq!(told.text(told.trace.branches[scope.index()].condition), "(bvslt 5:32 x)");
}

#[test]
fn a_verifier_assertion_with_a_body_fails_where_it_is_called() {
    let source = "void abort(void);\nvoid reach_error(void) { abort(); }\nvoid __VERIFIER_assert(int c) { if (!c) reach_error(); }\nint f(int x) {\n  __VERIFIER_assert(x != 3);\n  return x;\n}\n";
    let told = call(source, &[3]);
    assert_eq!(fails(&told), (FailureKind::Assertion, 5, "(= x 3:32)".into(), "assertion fails"));
    assert_eq!(told.outline(), "", "what happens inside of it is not part of the story");
}

#[test]
fn an_error_function_fails_where_it_is_called() {
    let source = "void abort(void);\nvoid reach_error(void) { abort(); }\nint f(int x) {\n  if (x == 3)\n    reach_error();\n  return x;\n}\n";
    let told = call(source, &[3]);
    assert_eq!(fails(&told), (FailureKind::Abort, 5, "true".into(), "reach_error() is called"));
    assert_eq!(told.conditions(), ["(= x 3:32)"], "why it is reached");
}

#[test]
fn abort_is_a_failure_without_a_condition() {
    let told = call("#include <stdlib.h>\nint f(int x) {\n  if (x)\n    abort();\n  return 0;\n}\n", &[1]);
    assert_eq!(fails(&told), (FailureKind::Abort, 4, "true".into(), "abort() is called"));
}

#[test]
fn division_by_zero_blames_the_divisor() {
    let source = "int f(int x, int y) {\n  return x / y;\n}\n";
    let told = call(source, &[7, 0]);
    assert_eq!(fails(&told), (FailureKind::Division, 2, "(= y 0:32)".into(), "division by zero"));
    let told = call("unsigned f(unsigned x, unsigned y) {\n  return x % y;\n}\n", &[7, 0]);
    assert_eq!(fails(&told).2, "(= y 0:32)");
}

#[test]
fn a_quotient_that_does_not_fit_blames_both_operands() {
    let told = call("int f(int x, int y) {\n  return x / y;\n}\n", &[i64::from(i32::MIN), -1]);
    let (kind, line, condition, message) = fails(&told);
    assert_eq!((kind, line), (FailureKind::Division, 2));
    assert_eq!(condition, "(and (= x 2147483648:32) (= y 4294967295:32))");
    assert_eq!(message, "the quotient of the smallest number and -1 does not fit");
}

/// A null pointer by which so many bytes are used.
fn null(told: &Told, act: Act, bytes: Option<u64>) -> FailureKind {
    let FailureKind::Null(bad) = fails(told).0 else { panic!("{:?}", fails(told)) };
    FailureKind::Null(BadPointer { act, bytes, ..bad })
}

#[test]
fn a_null_pointer_is_blamed_and_not_the_address_of_its_member() {
    let source = "#include <stddef.h>\nstruct s { long a, b; };\nint main(void) {\n  struct s *p = NULL;\n  p->b = 1;\n  return 0;\n}\n";
    let told = run(source);
    assert_eq!(fails(&told), (null(&told, Act::Writes, Some(8)), 5, "(= p 0:64)".into(), "null pointer dereference"));
}

#[test]
fn reading_through_null_is_a_null_pointer_too() {
    let told = run("int main(void) {\n  int *p = 0;\n  int x = *p;\n  return x;\n}\n");
    assert_eq!((fails(&told).0, fails(&told).1), (null(&told, Act::Reads, Some(4)), 3));
}

#[test]
fn a_null_function_is_a_null_pointer() {
    let told = run("int main(void) {\n  int (*g)(void) = 0;\n  return g();\n}\n");
    assert_eq!(fails(&told), (null(&told, Act::Calls, None), 3, "(= g 0:64)".into(), "null pointer dereference"));
}

#[test]
fn a_null_argument_of_the_library_is_blamed() {
    let told = run("#include <string.h>\nint main(void) {\n  char *s = 0;\n  return (int)strlen(s);\n}\n");
    assert_eq!(
        fails(&told),
        (null(&told, Act::Reads, None), 4, "(= s 0:64)".into(), "null pointer dereference in strlen()")
    );
}

#[test]
fn an_index_far_outside_is_held_against_its_object() {
    let source = "int a[4];\nint f(long i) {\n  a[i] = 1;\n  return 0;\n}\n";
    let told = call(source, &[1 << 40]);
    let (kind, line, condition, message) = fails(&told);
    assert_eq!((kind, line, message), (FailureKind::Outside, 3, "memory outside of the object is written"));
    assert!(condition.contains("16:64") && condition.contains(" i"), "{condition}");
}

#[test]
fn a_pointer_to_nothing_is_wild() {
    let told = run("int main(void) {\n  int *p = (int *)0x7000000000000;\n  return *p;\n}\n");
    let (kind, line, _, message) = fails(&told);
    assert!(matches!(kind, FailureKind::Wild(BadPointer { bytes: Some(4), act: Act::Reads, .. })), "{kind:?}");
    assert_eq!((line, message), (3, "memory that belongs to nothing is read"));
}

#[test]
fn recursion_without_end_overflows_the_stack() {
    let source = "int g(int n) {\n  return g(n + 1) + 1;\n}\nint main(void) {\n  return g(0);\n}\n";
    let fixture = Fixture::new(source);
    let trace = fixture.trace(&fixture.run(&[]));
    let failure = trace.failure.expect("it fails");
    assert_eq!((failure.kind, failure.at.map(|a| a.line)), (FailureKind::Stack, Some(2)));
    assert!(failure.message.starts_with("the stack overflows in the call of g(), "), "{}", failure.message);
}

#[test]
fn another_signal_is_named() {
    let told = run("#include <signal.h>\nint main(void) {\n  raise(SIGTERM);\n  return 0;\n}\n");
    assert_eq!(fails(&told), (FailureKind::Signal, 3, "true".into(), "raise() ends the program by SIGTERM"));
}

/// The trace of a run that should have ended with another status.
fn with_status(source: &str, expected: i32) -> Told {
    let fixture = Fixture::new(source);
    let ran = fixture.run(&[]);
    let wherefore_record::Ending::Exited(status) = ran.ending else { panic!("{:?}", ran.ending) };
    let program = fixture.program().clone();
    let trace = walk(
        &program,
        &recorded(&ran.recording),
        Stopped::Exit(status),
        &Expected { status: Some(expected), stdout: None },
        &Budget::unlimited(),
    )
    .expect("in step");
    super::consistent(Told { program, trace })
}

#[test]
fn a_wrong_status_is_blamed_on_the_value_returned() {
    let source = "int main(void) {\n  int x = 3;\n  if (x)\n    return x + 1;\n  return 0;\n}\n";
    let told = with_status(source, 0);
    let (kind, line, _, message) = fails(&told);
    assert_eq!((kind, line, message), (FailureKind::Status, 4, "the exit status is 4, not 0"));
}

#[test]
fn a_wrong_status_is_blamed_on_the_argument_of_exit() {
    let told = with_status("#include <stdlib.h>\nint main(void) {\n  int x = 3;\n  exit(x);\n}\n", 0);
    assert_eq!(fails(&told), (FailureKind::Status, 4, "(= x 3:32)".into(), "the exit status is 3, not 0"));
}

#[test]
fn the_expected_status_is_no_failure() {
    assert!(with_status("int main(void) {\n  return 3;\n}\n", 3).trace.failure.is_none());
}
