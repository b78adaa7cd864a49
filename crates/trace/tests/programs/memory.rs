//! Cells, what is written outside, and old values, seen in whole traces.

use super::run;

#[test]
fn a_pointer_and_a_name_lead_to_one_variable() {
    let told = run("int main(void) {\n  int x = 1;\n  int *p = &x;\n  *p = 2;\n  int y = x;\n  return y - 2;\n}\n");
    let x: Vec<String> = told.assignments().into_iter().filter(|a| a.starts_with("x ")).collect();
    assert_eq!(x, ["x := 1", "x := 2"]);
    assert_eq!(told.variable_value_of("y"), "x");
}

#[test]
fn what_the_library_writes_is_a_value_from_outside() {
    let told = run(
        "#define _XOPEN_SOURCE 700\n#include <unistd.h>\nint main(void) {\n  char s[4] = \"ab\";\n  swab(\"67\", s, 2);\n  return s[0] - '7';\n}\n",
    );
    assert!(told.assignments().contains(&"Havoc s := 55".to_string()), "{:?}", told.assignments());
}

#[test]
fn what_the_library_only_reads_is_not_written() {
    let told = run(
        "#include <string.h>\nint main(void) {\n  char s[4] = \"ab\";\n  int n = strlen(s);\n  return s[0] - 'a' + n - 2;\n}\n",
    );
    let written: Vec<String> = told.assignments().into_iter().filter(|a| a.starts_with("Havoc")).collect();
    assert!(written.is_empty(), "{written:?}");
    assert!(told.assignments().contains(&"n := 2".to_string()), "{:?}", told.assignments());
}

#[test]
fn a_value_used_after_its_variable_changed_is_saved() {
    let told = run("int main(void) {\n  int i = 3, j;\n  j = i++;\n  return j - 3;\n}\n");
    assert_eq!(told.assignments()[1..5], ["i := 3", "Internal old i := 3", "i := 4", "j := 3"]);
    assert_eq!(told.variable_value_of("j"), "old i");
}

#[test]
fn members_of_a_structure_are_variables_of_their_own() {
    let told = run(
        "struct p { char a; int b; };\nint main(void) {\n  struct p x;\n  x.a = 1;\n  x.b = 2;\n  struct p y = x;\n  return y.b - 2;\n}\n",
    );
    let all = told.assignments();
    for wanted in ["x := 1", "x+4 := 2", "y+4 := 2"] {
        assert!(all.contains(&wanted.to_string()), "{wanted} is not in {all:?}");
    }
    assert_eq!(told.variable_value_of("y+4"), "x+4");
}

#[test]
fn a_global_has_its_initial_value_first() {
    let told = run("int g = 40;\nint main(void) {\n  int x = g + 2;\n  return x - 42;\n}\n");
    assert_eq!(told.assignments()[0], "Initial g := 40");
}

#[test]
fn zeros_of_calloc_come_from_the_call() {
    let told = run(
        "#include <stdlib.h>\nint main(void) {\n  int *p = calloc(2, sizeof(int));\n  int x = p[1];\n  free(p);\n  return x;\n}\n",
    );
    assert!(told.assignments().contains(&"Havoc heap+4 := 0".to_string()), "{:?}", told.assignments());
    assert_eq!(told.variable_value_of("x"), "heap+4");
}

#[test]
fn overlapping_memsets_are_not_values_from_outside() {
    let told = run(
        "#include <stdlib.h>\n#include <string.h>\nint main(void) {\n  char *p = malloc(16);\n  memset(p, 0, 16);\n  memset(p, 1, 2);\n  int x = *(int *)p;\n  return x - 257;\n}\n",
    );
    let written: Vec<String> = told.assignments().into_iter().filter(|a| a.contains("heap")).collect();
    assert_eq!(written, ["heap := 257"]);
}

#[test]
fn realloc_takes_the_content_along() {
    let told = run(
        "#include <stdlib.h>\nint main(void) {\n  int *p = malloc(4);\n  *p = 7;\n  p = realloc(p, 4096);\n  int x = *p;\n  free(p);\n  return x - 7;\n}\n",
    );
    assert_eq!(told.variable_value_of("x"), "heap");
    let heap: Vec<String> = told.assignments().into_iter().filter(|a| a.starts_with("heap")).collect();
    assert_eq!(heap, ["heap := 7", "heap := 7"], "written, and copied");
}

#[test]
fn a_place_used_again_after_free_is_another_object() {
    let told = run(
        "#include <stdlib.h>\nint main(void) {\n  int *p = malloc(4);\n  *p = 1;\n  free(p);\n  int *q = malloc(4);\n  *q = 2;\n  int x = *q;\n  free(q);\n  return x - 2;\n}\n",
    );
    let objects = told.trace.objects.iter().filter(|o| matches!(o.kind, wherefore_trace::ObjectKind::Heap { .. }));
    assert_eq!(objects.count(), 2);
    assert_eq!(told.variable_value_of("x"), "heap");
}

impl super::Told {
    /// The term that a variable was last given.
    fn variable_value_of(&self, name: &str) -> String {
        let variable = self.variable(name);
        let value = self.trace.steps.iter().rev().find_map(|s| match s.action {
            wherefore_trace::Action::Assign { to, value, .. } if to == variable => Some(value),
            _ => None,
        });
        self.text(value.expect("it is assigned"))
    }
}
