//! What the formula of a program foresees: the same failures as all its paths, and more where the paths are too many.

mod common;

use common::{Built, values};
use std::collections::BTreeSet;
use wherefore_search::{By, Found, Limit, Limits};

fn by(by: By) -> Limits {
    Limits { by, ..Limits::default() }
}

/// Lines on which the program was seen failing.
fn lines(found: &Found) -> BTreeSet<u32> {
    found.failing.iter().filter_map(|case| Some(case.failure.as_ref()?.at?.line)).collect()
}

/// Programs of few paths, with what is special about each.
const SMALL: [(&str, &str, &str); 9] = [
    (
        "parameters and nested branches",
        "f",
        "#include <assert.h>
int f(int x, int y, unsigned char c) {
  if (x > 10 && y == x * 2) assert(c != 200);
  return 100 / (x + y + 5);
}",
    ),
    (
        "nondeterministic values of many types",
        "main",
        "_Bool __VERIFIER_nondet_bool(void); short __VERIFIER_nondet_short(void);
unsigned long __VERIFIER_nondet_ulong(void); void __VERIFIER_assert(int);
int main(void) {
  if (__VERIFIER_nondet_bool()) {
    short s = __VERIFIER_nondet_short();
    __VERIFIER_assert(s != -300);
  }
  unsigned long l = __VERIFIER_nondet_ulong();
  __VERIFIER_assert(l >> 60 != 9);
  return 0;
}",
    ),
    (
        "assumptions",
        "main",
        "int __VERIFIER_nondet_int(void); void __VERIFIER_assume(int); void __VERIFIER_assert(int);
int main(void) {
  int x = __VERIFIER_nondet_int();
  __VERIFIER_assume(x > 3 && x < 6);
  __VERIFIER_assert(x != 9);
  __VERIFIER_assert(x != 5);
  return 0;
}",
    ),
    (
        "a crash behind a pointer",
        "main",
        "int __VERIFIER_nondet_int(void);
struct node { int value; struct node *next; };
int main(void) {
  struct node b = {2, 0}, a = {1, &b}, *p = &a;
  int n = __VERIFIER_nondet_int();
  while (n > 0) {
    p = p->next;
    n--;
    if (n > 3) return 0;
  }
  return p->value;
}",
    ),
    (
        "recursion",
        "f",
        "#include <assert.h>
static int depth(int n) { return n <= 0 ? 0 : 1 + depth(n - 2); }
int f(int n) {
  if (n > 8) return 0;
  assert(depth(n) != 4);
  return 0;
}",
    ),
    (
        "nothing that fails",
        "f",
        "#include <assert.h>
int f(int x) {
  unsigned low = (unsigned)x & 7;
  if (low > 7) assert(0);
  return 8 / (low + 1);
}",
    ),
    (
        "abort and division in a helper",
        "f",
        "#include <stdlib.h>
static int half(int a, int b) {
  if (b == -7) abort();
  return a / b;
}
int f(int a) {
  if (a == 40) return half(a, a - 40);
  if (a == 41) return half(a, 34 - a);
  return 0;
}",
    ),
    (
        "floating point",
        "f",
        "#include <assert.h>
int f(double x) {
  if (x > 0.5) assert(x * 2.0 != 3.0);
  return 0;
}",
    ),
    (
        "an enumeration and a table",
        "f",
        "#include <assert.h>
enum colour { RED, GREEN, BLUE };
static const int price[3] = {3, 5, 8};
int f(enum colour c, int n) {
  if (c > BLUE) return 0;
  if (n < 0 || n > 9) return 0;
  assert(price[c] * n != 40);
  return 0;
}",
    ),
];

#[test]
fn failures_of_all_paths_are_foreseen_and_no_others() {
    for (what, entry, source) in SMALL {
        let built = Built::new(source, entry);
        let (paths, formula) = (built.search(&by(By::Paths)), built.search(&by(By::Formula)));
        assert!(paths.is_complete(), "{what}: {:?}", paths.obstacles);
        assert_eq!(lines(&formula), lines(&paths), "{what}: {:?}", formula.obstacles);
        assert_eq!(formula.failing.len(), lines(&formula).len(), "{what}: one input for each place");
        // What an access through a wild pointer would give is not known, and floating point is not trusted.
        let is_beyond = ["a crash behind a pointer", "floating point"].contains(&what);
        assert_eq!(formula.proved, !is_beyond, "{what}: {:?}", formula.obstacles);
        assert!(!paths.proved, "{what}: nobody asked the formula");
    }
}

/// As many paths as subsets.
fn sums(condition: &str) -> String {
    format!(
        "int __VERIFIER_nondet_int(void); void __VERIFIER_assert(int);
int main(void) {{
  int sum = 0;
  for (int i = 0; i < 24; i++)
    if (__VERIFIER_nondet_int() > 0) sum += i;
  __VERIFIER_assert({condition});
  return 0;
}}"
    )
}

#[test]
fn one_of_millions_of_paths_is_found() {
    let built = Built::new(&sums("sum != 273"), "main");
    let few = Limits { runs: Some(300), ..by(By::Paths) };
    assert!(built.search(&few).failing.is_empty());
    for by in [By::Formula, By::Both] {
        let found = built.search(&Limits { by, ..few.clone() });
        let [case] = &found.failing[..] else { panic!("one failing input: {:?}", found.failing) };
        let taken: usize = values(case).iter().enumerate().filter(|(_, v)| **v > 0).map(|(i, _)| i).sum();
        assert_eq!(taken, 273);
        assert!(values(case).iter().all(|v| (0..2).contains(v)), "simple values: {:?}", values(case));
        assert!(found.proved && !found.is_complete());
    }
}

#[test]
fn millions_of_paths_are_proved_right() {
    let found = Built::new(&sums("sum <= 276"), "main").search(&by(By::Both));
    assert!(found.failing.is_empty() && found.proved, "{:?}", found.obstacles);
    assert!(!found.is_complete(), "paths were left out");
}

#[test]
fn rounds_that_were_not_followed_leave_a_doubt() {
    let source = "int __VERIFIER_nondet_int(void); void __VERIFIER_assert(int);
int main(void) {
  unsigned n = 0;
  while (__VERIFIER_nondet_int()) n++;
  __VERIFIER_assert(n != 20);
  return 0;
}";
    let built = Built::new(source, "main");
    let short = built.search(&Limits { unwind: Some(5), ..by(By::Formula) });
    assert!(short.failing.is_empty() && !short.proved);
    assert!(short.obstacles.iter().any(|o| o.limit == Some(Limit::Unwind)), "{:?}", short.obstacles);
    // Without a limit of the user's it looks further until it finds something.
    let long = built.search(&by(By::Formula));
    assert_eq!(lines(&long), BTreeSet::from([5]));
    assert!(!long.proved, "the loop may go on");
}

#[test]
fn what_is_no_part_of_the_formula_is_no_proof() {
    let programs = [
        ("memory that was never set", "int f(void) { int x; int y = 3; if (x == y) return 1; return 0; }"),
        ("a function nobody knows", "int f(void) { return getenv(\"HOME\") == 0; }"),
        ("what is freed", "int f(int n) { int x[4]; x[0] = 1; if (n == 5) free(x); return 0; }"),
        ("memory that may not be there", "int f(unsigned long n) { char *p = calloc(n, 16); return p == 0; }"),
        ("a stack that is too small", "int f(int n) { char a[9000000]; a[n & 7] = 1; return a[3]; }"),
        ("addresses as numbers", "int a[4], b[4];\nint f(int n) { if (n == 5) assert((long)a < (long)b); return 0; }"),
        ("the order of objects", "int a[4], b[4];\nint f(int *p) { return a + 4 == b ? 1 : 0; }"),
        ("a function of a library in a table", "int (*put)(const char *) = puts;\nint f(int n) { return put == 0; }"),
        (
            "what runs before",
            "int g;\n__attribute__((constructor)) void c(void) { g = 5; }\nint f(int n) { return g; }",
        ),
        (
            "what runs after",
            "int g;\n__attribute__((destructor)) void d(void) { assert(g != 5); }\nint f(int n) { g = n; return 0; }",
        ),
        ("results of output", "int f(int n) { assert(putchar(n) == n); return 0; }"),
        (
            "a length that is not fixed",
            "int f(int n) { if (n < 1 || n > 9) return 0; char a[n]; a[0] = 1; return a[0]; }",
        ),
        ("a call through a pointer", "int f(int n) { int (*g)(int) = n == 5 ? 0 : abs; return g(1); }"),
        ("a narrow shift", "int f(unsigned n) { unsigned _BitInt(24) x = 5; return (int)(x << n); }"),
    ];
    for (what, source) in programs {
        let source = format!("#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n{source}\n");
        let found = Built::new(&source, "f").search(&by(By::Formula));
        assert!(!found.proved, "{what}");
        assert!(!found.failing.is_empty() || !found.obstacles.is_empty(), "{what}");
    }
}

#[test]
fn what_a_function_outside_does_with_inputs_is_not_every_path() {
    let programs = [
        "char b[16]; int m = 0; sprintf(b, \"%d\", n); sscanf(b, \"%d\", &m); assert(m != 5);",
        "char *q = malloc(n); if (!q) abort();",
        "int r = printf(\"%d\", n); assert(r < 4);",
        "int r = putchar(n); assert(r != 44 || n == 44);",
        "char *q = malloc(64); free(q + n);",
        "char *s = n == 5 ? 0 : \"a\"; puts(s);",
        "int (*f)(int) = n == 5 ? 0 : abs; f(1);",
        "char b[8]; char *s = n == 5 ? \"a text that is much too long\" : \"a\"; strcpy(b, s);",
        "raise(n);",
        "if (n > 3) return 0; char a[n + 4]; a[0] = 1;",
    ];
    for body in programs {
        let heads = ["assert", "signal", "stdio", "stdlib", "string"].map(|head| format!("#include <{head}.h>\n"));
        let source = format!("{}int f(int n) {{ {body} return 0; }}\n", heads.concat());
        let found = Built::new(&source, "f").search(&by(By::Paths));
        assert!(!found.is_complete(), "{body}");
    }
    // What only shows numbers changes nothing.
    let source = "#include <stdio.h>\nint f(int n) { printf(\"%d\\n\", n); return 0; }\n";
    assert!(Built::new(source, "f").search(&by(By::Paths)).is_complete());
}

#[test]
fn a_failure_that_no_condition_leads_to_is_kept() {
    let source = "#include <stdlib.h>\n#include <string.h>\nint f(char c) {\n  char a[2] = {c, 0};\n\
                  if (strcmp(a, \"A\") == 0) abort();\n  return 0;\n}\n";
    let found = Built::new(source, "f").search(&by(By::Both));
    assert_eq!(lines(&found), BTreeSet::from([5]), "{:?}", found.obstacles);
    assert_eq!(values(&found.failing[0]), [65]);
}

#[test]
fn a_value_that_only_one_way_sets_is_open_on_the_other() {
    let source = "#include <assert.h>\nvoid dirty(void) { volatile int a[64]; for (int i = 0; i < 64; i++) a[i] = 77; }\n\
                  int g(int n) { int x; if (n != 5) x = 1; return x; }\n\
                  int f(int n) { dirty(); assert(g(n) == 1); return 0; }\n";
    let found = Built::new(source, "f").search(&by(By::Formula));
    assert_eq!(lines(&found), BTreeSet::from([4]));
}

#[test]
fn an_index_that_wraps_reaches_every_element() {
    let source = "#include <assert.h>\nchar a[6] = {0, 7, 0, 0, 0, 0};\n\
                  int f(unsigned long n) { unsigned long i = n * 3; if (i < 6) assert(a[i] != 7); return 0; }\n";
    let found = Built::new(source, "f").search(&by(By::Formula));
    assert_eq!(lines(&found), BTreeSet::from([3]));
    assert_eq!(values(&found.failing[0]), [12_297_829_382_473_034_411u64 as i64 as i128]);
}

#[test]
fn an_access_outside_an_object_that_does_no_harm_is_said() {
    let source =
        "int f(int i) { int a[4] = {1, 2, 3, 4}, b[4] = {0}; if (i < 0 || i > 4) return 0; return a[i] + b[0]; }";
    let found = Built::new(source, "f").search(&by(By::Formula));
    assert!(found.failing.is_empty() && !found.proved);
    assert!(found.obstacles.iter().any(|o| o.what.contains("outside of an object")), "{:?}", found.obstacles);
}
