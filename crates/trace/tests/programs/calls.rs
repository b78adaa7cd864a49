//! Calls: parameters and results, pointers to functions, `...`, the library calling back, `longjmp`.

use super::{call, run};

#[test]
fn parameters_get_their_arguments_and_results_go_back() {
    let told = run("int twice(int x) { return 2 * x; }\nint main(void) {\n  int y = twice(21);\n  return y - 42;\n}\n");
    assert_eq!(told.assignments()[1..4], ["Call x := 21", "Return result := 42", "y := 42"]);
    let callee = &told.trace.activations[1];
    assert_eq!((callee.caller, callee.call.map(|at| at.line)), (Some(0), Some(3)));
}

#[test]
fn each_activation_has_its_own_locals() {
    let told = call("int f(int n) {\n  if (n == 0) return 0;\n  return n + f(n - 1);\n}\n", &[2]);
    let parameters: Vec<String> = told.assignments().into_iter().filter(|a| a.starts_with("Call")).collect();
    assert_eq!(parameters, ["Call n := 1", "Call n := 0"], "what the entry is given is no step");
    assert_eq!(told.trace.activations.iter().map(|a| a.caller).collect::<Vec<_>>(), [None, Some(0), Some(1)]);
}

#[test]
fn a_call_through_a_pointer_is_a_branch_on_it() {
    let source = "int add(int a) { return a + 1; }\nint sub(int a) { return a - 1; }\nint f(int x) {\n  int (*g)(int) = x ? add : sub;\n  int y = g(10);\n  return y;\n}\n";
    let told = call(source, &[1]);
    let last = told.trace.branches.last().expect("a branch");
    assert!(told.text(last.condition).starts_with("(= g "), "{}", told.text(last.condition));
    assert_eq!(last.at.map(|at| at.line), Some(5));
    assert!(told.assignments().contains(&"y := 11".to_string()));
    let id = wherefore_trace::BranchId(told.trace.branches.len() as u32 - 1);
    let assigned = |s: &&wherefore_trace::Step| matches!(s.action, wherefore_trace::Action::Assign { .. });
    let inside = told.trace.steps.iter().filter(assigned).filter(|s| s.scope == Some(id)).count();
    assert_eq!(inside, 2, "the parameter and the result lie under it");
}

#[test]
fn a_call_of_a_named_function_is_no_branch() {
    let told = run("int g(void) { return 0; }\nint main(void) {\n  return g();\n}\n");
    assert_eq!(told.conditions(), Vec::<String>::new());
}

#[test]
fn further_arguments_keep_their_values() {
    let told = run(
        "#include <stdarg.h>\nint sum(int n, ...) {\n  va_list l;\n  va_start(l, n);\n  int s = 0;\n  for (int i = 0; i < n; i++)\n    s += va_arg(l, int);\n  va_end(l);\n  return s;\n}\nint main(void) {\n  int a = 30, b = 12;\n  int x = sum(2, a, b);\n  return x - 42;\n}\n",
    );
    let sums: Vec<String> = told.assignments().into_iter().filter(|a| a.starts_with("s :=")).collect();
    assert_eq!(sums, ["s := 0", "s := 30", "s := 42"]);
}

#[test]
fn the_library_calls_back() {
    let told = run(
        "#include <stdlib.h>\nint calls;\nint less(const void *a, const void *b) {\n  calls++;\n  return *(const int *)a - *(const int *)b;\n}\nint main(void) {\n  int v[2] = {9, 4};\n  qsort(v, 2, sizeof(int), less);\n  int x = v[0];\n  return x - 4 + calls - 1;\n}\n",
    );
    let function = |a: &wherefore_trace::Activation| told.program.functions[a.function.index()].name.clone();
    let activations: Vec<String> = told.trace.activations.iter().map(function).collect();
    assert_eq!(activations, ["main", "less"]);
    assert!(told.assignments().contains(&"calls := 1".to_string()));
    assert!(told.assignments().contains(&"v := 4".to_string()), "qsort moved it: {:?}", told.assignments());
    assert!(told.assignments().contains(&"x := 4".to_string()));
}

#[test]
fn what_a_callback_returns_is_not_the_result_of_the_call() {
    let told = run(
        "#include <stdlib.h>\nint same(const void *a, const void *b) {\n  return *(const int *)a - *(const int *)b;\n}\nint main(void) {\n  int v[1] = {5}, k = 5;\n  int *p = bsearch(&k, v, 1, sizeof(int), same);\n  return p != v;\n}\n",
    );
    let found = told.assignments().into_iter().find(|a| a.starts_with("bsearch")).expect("a result");
    assert_ne!(found, "bsearch := 0");
}

#[test]
fn a_long_jump_leaves_the_functions_between() {
    let told = run(
        "#include <setjmp.h>\njmp_buf b;\nint deep(int n) {\n  if (n == 0)\n    longjmp(b, 7);\n  return deep(n - 1);\n}\nint main(void) {\n  int r = setjmp(b);\n  if (r == 0)\n    deep(2);\n  int x = r + 1;\n  return x - 8;\n}\n",
    );
    assert!(told.assignments().contains(&"r := 7".to_string()), "{:?}", told.assignments());
    assert!(told.assignments().contains(&"x := 8".to_string()), "{:?}", told.assignments());
    let last = told.trace.steps.last().expect("a step");
    assert_eq!(last.activation, 0);
}

#[test]
fn the_absolute_value_is_computed_and_not_given() {
    let told = call("#include <stdlib.h>\nint f(int x) {\n  int y = abs(x);\n  return y;\n}\n", &[-5]);
    assert_eq!(told.assignments()[0], "y := 5");
    let read = told.trace.terms.variables(match told.trace.steps[0].action {
        wherefore_trace::Action::Assign { value, .. } => value,
        _ => panic!("an assignment"),
    });
    assert_eq!(read.into_iter().map(|v| told.name(v)).collect::<Vec<_>>(), ["x"]);
}

#[test]
fn an_operand_that_a_call_sets_after_it_was_read() {
    let told = run("#include <assert.h>\n\
         static int x = 3;\n\
         static int next(void) { x += 10; return x; }\n\
         int main(void) { int y = x + next() * 100 + x; assert(y == 0); return 0; }");
    assert!(told.trace.is_possible());
}
