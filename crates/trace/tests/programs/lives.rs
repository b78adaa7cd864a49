//! Locals of blocks that are over.

use super::{Told, consistent, line};
use wherefore_fixtures::Fixture;
use wherefore_trace::{FailureKind, MemoryError};

/// Every case is a call of `f` with its number; the line of the misuse is marked by it.
const OVER: &str = r#"
#include <string.h>
struct rule { int limit, price; };
static int first(const int *p) { return p[0]; } // case 3
int f(int n) {
  int *p = 0, i = 0;
  const struct rule *chosen = 0;
  if (n == 1) { struct rule fallback = {1, 2}; chosen = &fallback; }
  if (n == 2) for (; i < 3; i++) { int square = i * i; p = &square; }
  if (n == 3) { int a[4] = {1, 2, 3, 4}; p = a; }
  if (n == 4) { char text[8] = "abc"; p = (int *)text; }
  if (chosen) return chosen->price; // case 1
  if (n == 2) return *p; // case 2
  if (n == 3) return first(p);
  if (n == 4) return (int)strlen((char *)p); // case 4
  if (n == 5) do { int last = i++; p = &last; } while (*p < 3); // case 5
  if (n == 6) { { int a[n]; a[0] = n; p = a; } *p = 2; } // case 6
  return 0;
}
"#;

#[test]
fn a_local_is_not_used_when_its_block_is_over() {
    let fixture = Fixture::with_entry(OVER, "f");
    for (number, offset) in [(1, 4), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0)] {
        let trace = fixture.watched(&fixture.run(&[number]));
        let told = consistent(Told { program: fixture.program().clone(), trace });
        let failure = told.trace.failure.as_ref().unwrap_or_else(|| panic!("case {number} fails"));
        let FailureKind::Memory(misuse) = failure.kind else { panic!("case {number}: {:?}", failure.kind) };
        let marked = OVER.lines().position(|l| l.ends_with(&format!("// case {number}"))).map_or(0, |l| l as u32 + 1);
        let found = (misuse.error, misuse.offset, line(failure.at));
        assert_eq!(found, (MemoryError::UseAfterScope, offset, marked), "case {number}");
    }
}

/// Pointers to locals of blocks, each used while its block is under way.
const UNDER_WAY: &str = r#"
#include <alloca.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#define LARGER(a, b) ({ int x_ = (a), y_ = (b); int *p_ = &x_, *q_ = &y_; *p_ > *q_ ? *p_ : *q_; })
#define EACH(p, a) for (int i_ = 0, *p = (a); i_ < 3; i_++, p++)
struct list { int value; struct list *up; };
static int closed, *calls;
static jmp_buf away;
static void add(int *p, int n) { *p += n; }
static void done(int *p) { closed += *p; *p = 0; }
static void jump(int *p) { (*p)++; longjmp(away, *p); }
static int compare(const void *a, const void *b) { ++*calls; return *(const int *)a - *(const int *)b; }
static int deep(struct list *up, int n) {
  if (n == 0) { int s = 0; for (struct list *l = up; l; l = l->up) { int *p = &l->value; s += *p; } return s; }
  { struct list here = {n, up}; return deep(&here, n - 1); }
}
static int jumps(int n) {
  int *p = 0, r = 0, rounds = 0;
  switch (n) {
    int w;
  case 1: w = 3; p = &w; r = *p; break;
  case 2: { int z = 4; p = &z; r = *p; break; }
  default: w = 9; p = &w; *p += 1; r = w;
  }
  {
    int again;
  back:
    again = r;
    p = &again;
    if (++rounds < 3) goto out;
    r += *p;
  }
  return r;
out:
  r++;
  goto back;
}
int f(int n) {
  int total = jumps(1) + jumps(2) + jumps(n) + deep(0, n), a[3] = {1, 2, 3};
  for (int i = 0; i < n; i++) {
    int x = i, *p = &x;
    add(p, 1);
    { int y = x, *q = &y; add(q, 2); *p += *q; }
    if (x == 2) continue;
    __attribute__((cleanup(done))) int handle = x;
    total += LARGER(*p, handle);
    int vla[i + 1];
    for (int k = 0; k <= i; k++) { int *at = &vla[k]; *at = k; }
    total += vla[i];
  }
  EACH(p, a) { int *q = p; total += *q; }
  for (int i = 0, *p = &i; *p < n; ++*p) total += *p;
  for (int i = 0; i < 2; i++) { int b[3] = {3, 1, i}, count = 0; calls = &count; qsort(b, 3, sizeof *b, compare); total += count; }
  char *keep;
  { keep = alloca(4); strcpy(keep, "xy"); }
  { int local = 4; if (setjmp(away) == 0) jump(&local); total += local; }
#line 1 "one.h"
  { int z = 1, *p = &z;
#line 1 "two.h"
    total += *p; }
  return total + keep[0] + closed;
}
"#;

#[test]
fn a_local_is_used_while_its_block_is_under_way() {
    let fixture = Fixture::with_entry(UNDER_WAY, "f");
    let trace = fixture.watched(&fixture.run(&[3]));
    assert!(trace.failure.is_none(), "{:?}", trace.failure);
}
