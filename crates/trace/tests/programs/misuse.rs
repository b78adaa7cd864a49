//! Uses of memory that C does not allow, told whether the run noticed them or not.

use super::{Told, consistent, line};
use wherefore_fixtures::Fixture;
use wherefore_trace::{Act, FailureKind, MemoryError, Misuse};

/// Every case is a call of `f` with its number; the line of the misuse is marked by it.
const WRONG: &str = r#"
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int total[10], other[10];
struct node { int value; struct node *next; };
static struct node *made(int value) {
  struct node *n = malloc(sizeof *n); // made
  n->value = value;
  n->next = 0;
  return n;
}
static int *kept(void) { int local[2] = {1, 2}; int *p = local; return p; }
static int decide(int n) { int set; if (n > 100) set = 1; if (set) return 2; return 3; } // case 9
struct job { char path[8]; int priority; char owner[8]; int last; };
struct handle { char *text; };
static void join(char *to, const char *dir, const char *file) { strcpy(to, dir); strcat(to, file); } // case 20
static char *path_of(struct job *j) { return j->path; }
static int peek(const char *at, int n) { return at[n]; } // case 22
static int sum(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; } // case 2
int f(int n) {
  int i = 0;
  char text[8];
  if (n == 1) { for (; i <= 10; i++) total[i] = i; return other[0]; } // case 1
  if (n == 2) { int *a = calloc(3, 4); i = sum(a, 4); free(a); return i; }
  if (n == 3) { struct node *p = made(1); free(p); return p->value; } // case 3
  if (n == 4) { struct node *p = made(1), *q = p; free(p); if (n) free(q); } // case 4
  if (n == 5) { char *p = malloc(8); p++; free(p); } // case 5
  if (n == 6) { char *p = text; free(p); } // case 6
  if (n == 7) return *kept(); // case 7
  if (n == 8) { char *p = malloc(n - 5); memset(p, 1, n); free(p); } // case 8
  if (n == 9) return decide(n);
  if (n == 10) { int *a = malloc(8); a[0] = 1; printf("%d\n", a[1]); free(a); } // case 10
  if (n == 11) { sprintf(text, "%d", 12345678); } // case 11
  if (n == 12) { int *a = malloc(8); int *b = realloc(a, 4000); b[0] = 1; i = *a; free(b); } // case 12
  if (n == 13) { int a[4] = {0}; for (int *p = a; p <= &a[4]; p++) i += *p; } // case 13
  if (n == 15) { int a, b; i = sscanf("7", "%d %d", &a, &b); if (b > a) return i; } // case 15
  if (n == 16) { strcpy(text, "  abc"); strcpy(text + 1, text + 2); } // case 16
  if (n == 17) { strcpy(text, "abc"); strcat(text, text); } // case 17
  if (n == 18) { strcpy(text, "abc"); sprintf(text, "%s%d", text, n); } // case 18
  if (n == 19) { strcpy(text, "abcdef"); strncpy(text + 2, text, 3); } // case 19
  if (n == 20) { struct job j; j.priority = 1; join(j.path, "abcde", "fgh"); return j.priority; }
  if (n == 21) { struct job q[2], *j = &q[1]; struct handle h; j->priority = 1; h.text = path_of(j); sprintf(h.text, "%d", 12345678); } // case 21
  if (n == 22) { struct job j = {0}; char *p = j.owner; return peek(p, n - 14); }
  if (n == 23) { int set, *p = &set; if (n > 100) *p = 1; char *args[] = {"f", 0}; i = getopt(1, args, "a"); if (set) return i; } // case 23
  if (n == 14) { int a[4] = {0}; i = n - 15; i = a[i]; } // case 14
  return i;
}
"#;

fn misused(fixture: &Fixture, number: i64) -> (Misuse, u32, String) {
    let trace = fixture.watched(&fixture.run(&[number]));
    let told = consistent(Told { program: fixture.program().clone(), trace });
    let failure = told.trace.failure.as_ref().unwrap_or_else(|| panic!("case {number} fails"));
    let FailureKind::Memory(misuse) = failure.kind else { panic!("case {number}: {:?}", failure.kind) };
    (misuse, line(failure.at), told.text(failure.violated))
}

#[test]
fn what_c_does_not_allow_is_found_where_it_happens_and_says_what_makes_it_wrong() {
    use MemoryError::*;
    let fixture = Fixture::with_entry(WRONG, "f");
    let wanted = [
        (1, OutOfBounds, 40, Some(40), "(bvsle 10:32 i)"),
        (2, OutOfBounds, 12, Some(12), ""),
        (3, UseAfterFree, 0, Some(16), ""),
        (4, DoubleFree, 0, Some(16), ""),
        (5, InvalidFree, 1, Some(8), ""),
        (6, InvalidFree, 0, Some(8), ""),
        (7, UseAfterReturn, 0, Some(8), ""),
        (8, OutOfBounds, 0, Some(3), ""),
        (9, Uninitialised, 0, Some(4), "(= unset set 1:1)"),
        (10, Uninitialised, 4, Some(8), "(= unset heap+4 1:1)"),
        (11, OutOfBounds, 0, Some(8), ""),
        (12, UseAfterFree, 0, Some(8), ""),
        (13, OutOfBounds, 16, Some(16), ""),
        (14, OutOfBounds, -4, Some(16), "(bvslt i 0:32)"),
        (15, Uninitialised, 0, Some(4), ""),
        (16, Overlap, 1, Some(8), ""),
        (17, Overlap, 0, Some(8), ""),
        (18, Overlap, 0, Some(8), ""),
        (19, Overlap, 2, Some(8), ""),
        (20, OutOfBounds, 5, Some(8), ""),
        (21, OutOfBounds, 0, Some(8), ""),
        (22, OutOfBounds, 8, Some(8), "(bvsle 8:32 n)"),
        (23, Uninitialised, 0, Some(4), "(= unset set 1:1)"),
    ];
    for (number, error, offset, size, violated) in wanted {
        let (misuse, line, text) = misused(&fixture, number);
        let marked = WRONG.lines().position(|l| l.ends_with(&format!("// case {number}"))).map_or(0, |l| l as u32 + 1);
        assert_eq!((misuse.error, misuse.offset, misuse.size, line), (error, offset, size, marked), "case {number}");
        assert!(violated.is_empty() || text == violated, "case {number}: {text}");
    }
}

/// Everything here is allowed, or cannot be known to be wrong.
const RIGHT: &str = r#"
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct flex { int n; int a[]; };
struct bits { unsigned a : 3, b : 5, c : 20; };
struct pair { int a; char b; };
static int sum(int n, ...) { va_list l; va_start(l, n); int s = 0; while (n--) s += va_arg(l, int); va_end(l); return s; }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static struct pair pair(int a) { struct pair p; p.a = a; p.b = 2; return p; }
static int second(struct pair p) { return p.b; }
static jmp_buf away;
static void jump(int n) { char local[4] = {0}; if (n == 0) longjmp(away, 1); jump(n - 1 + local[0]); }
struct job { char path[8]; int priority; char owner[8]; int last; };
static int priority(char *path) { return ((struct job *)path)->priority; }
static int around(char *owner) { return ((struct job *)(owner - offsetof(struct job, owner)))->priority; }
static int through(void) {
  struct job j, *p = (struct job *)j.path;
  memset(&j.path, 0, sizeof j);
  memset(j.path, 0, sizeof j);
  struct job hidden; hidden.path[0] = 1; if (hidden.path[0] == 0) return 0;
  char *path = j.path, *at = path;
  strcpy(path, "abcdefg");
  while (*at) at++;
  p->priority = at - path;
  j.last = 2;
  memcpy(path, &j, sizeof j);
  for (at = path; at != path + sizeof j.path; at++) j.last += *at == 'z';
  return priority(j.path) + around(j.owner) + ((struct job *)path)->last;
}
static int values[4] = {1, 2, 3, 4}, *end = values + 4, after = 5;
int f(int n) {
  int r = 0;
  struct flex *x = malloc(sizeof *x + 3 * sizeof(int));
  for (x->n = 0; x->n < 3; x->n++) x->a[x->n] = x->n;
  struct bits b;
  b.a = 1; b.b = 2;
  if (b.a + b.b == 3) r++;
  r += second(pair(n)) + sum(2, n, 4);
  int a[5] = {5, 4, 3, 2, 1};
  qsort(a, 5, sizeof *a, compare);
  if (a[4] == 5) r++;
  if (setjmp(away) == 0) jump(3);
  for (int *p = end; p-- != values;) r += *p;
  int vla[n + 1];
  for (int i = 0; i <= n; i++) vla[i] = i;
  char *line = NULL;
  size_t room = 0;
  if (getline(&line, &room, stdin) < 0) r += vla[n];
  free(line);
  char *copy = strdup("text"), *found = strchr(copy, 'x');
  *found = 'X';
  copy = realloc(copy, 20);
  strcat(copy, "s");
  if (copy[5] == 0 && copy[2] == 'X') r++;
  int *from_one = (int *)malloc(3 * sizeof(int)) - 1;
  for (int i = 1; i <= 3; i++) from_one[i] = i;
  if (from_one[3] == 3) r++;
  free(from_one + 1);
  char parts[24] = "abcdef";
  strcpy(parts + 7, parts);
  strcpy(parts, parts);
  strncpy(parts + 3, parts, 3);
  memmove(parts + 1, parts, 6);
  sprintf(parts + 4, "%.3s", parts);
  snprintf(parts + 14, 10, "%s-%d", parts, n);
  memcpy(parts, parts + 4, 4);
  strcat(parts, "s");
  free(copy);
  free(x);
  r += through();
  return r + after;
}
"#;

#[test]
fn what_is_allowed_or_not_known_is_no_failure() {
    let fixture = Fixture::with_entry(RIGHT, "f");
    let trace = fixture.watched(&fixture.run(&[3]));
    assert!(trace.failure.is_none(), "{:?}", trace.failure);
}

/// Arguments after `...` lie where other functions had locals of which little was set, and arrays whose block is left.
const AFTER_OTHERS: &str = r#"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
struct wide { long a, b, c, d, e; };
struct pair { long a; double b; };
static struct wide made(void) { struct wide s; s.a = 1; return s; }
static int scribble(void) { struct wide v[16]; for (int i = 0; i < 16; i++) v[i] = made(); return v[3].a; }
static long listed(const char *kinds, va_list l) {
  long r = 0;
  for (; *kinds; kinds++) {
    if (*kinds == 'i') r += va_arg(l, int);
    if (*kinds == 'd') r += (long)va_arg(l, double);
    if (*kinds == 's') r += strlen(va_arg(l, char *));
    if (*kinds == 'p') { struct pair p = va_arg(l, struct pair); if (p.b > 1) r += p.a; }
    if (*kinds == 'w') { struct wide w = va_arg(l, struct wide); if (w.e > 1) r += w.a; }
  }
  return r;
}
static long total(const char *kinds, ...) {
  va_list l, again;
  va_start(l, kinds);
  va_copy(again, l);
  long r = listed(kinds, l) == listed(kinds, again);
  va_end(l); va_end(again);
  return r;
}
static int said(char *to, const char *format, ...) {
  va_list l;
  va_start(l, format);
  int n = vsprintf(to, format, l);
  va_end(l);
  return n;
}
static int scanned(const char *text, const char *format, ...) {
  va_list l;
  va_start(l, format);
  int n = vsscanf(text, format, l);
  va_end(l);
  return n;
}
int f(int n) {
  int r = scribble(), x, y;
  if (scanned("4 5", "%d %d", &x, &y) == 2 && x < y) r++;
  struct pair p = {1, 2.5};
  struct wide w = {1, 2, 3, 4, 5};
  char text[40];
  r += total("idspw", n, 2.5, "abc", p, w);
  scribble();
  r += total("iiiiiiiidddddddddds", 1, 2, 3, 4, 5, 6, 7, 8, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., "x");
  scribble();
  if (said(text, "%d %s %g", n, "abc", 1.5) > 3) r++;
  { char some[n * 40]; some[0] = 1; r += some[0]; }
  r += total("ssssssss", "a", "b", "c", "d", "e", "f", "g", "h");
  return r;
}
"#;

#[test]
fn what_gone_frames_have_left_says_nothing_of_arguments() {
    let fixture = Fixture::with_entry(AFTER_OTHERS, "f");
    let trace = fixture.watched(&fixture.run(&[3]));
    assert!(trace.failure.is_none(), "{:?}", trace.failure);
}

/// An allocator that is chosen through pointers.
const HOOKS: &str = r#"
#include <stdlib.h>
#include <string.h>
static char pool[64];
static int taken;
static void *from_pool(size_t n) { void *p = pool + taken; taken += n; return p; }
static void keep(void *p) { (void)p; }
struct hooks { void *(*make)(size_t); void *(*zeros)(size_t, size_t); void *(*larger)(void *, size_t); void (*end)(void *); };
static struct hooks hooks = {malloc, calloc, realloc, free};
static void *(*made)(size_t) = malloc;
int f(int n) {
  int r = 0;
  if (n == 1) { char *p = hooks.make(4); strcpy(p, "abcd"); hooks.end(p); } // case 1
  if (n == 2) { char *p = made(4); hooks.end(p); free(p); } // case 2
  if (n == 3) { int *a = hooks.zeros(2, 4), *b = hooks.larger(a, 4000); b[0] = 1; r = *a; hooks.end(b); } // case 3
  if (n == 4) { int *a = hooks.make(8); hooks.end(a + 1); } // case 4
  if (n == 5) { struct hooks own = {from_pool, 0, 0, keep}; hooks = own; }
  if (n > 4) { char *p = hooks.make(4); strcpy(p, "abc"); r = p[1]; hooks.end(p); r += n == 5 ? p[1] : 0; }
  if (n > 4) { int *a = calloc(1, 4); r += *a; a = realloc(a, 80); a[19] = 1; r += a[0]; free(a); }
  return r;
}
"#;

#[test]
fn an_allocator_behind_a_pointer_is_one() {
    use MemoryError::*;
    let fixture = Fixture::with_entry(HOOKS, "f");
    let wanted = [
        (1, OutOfBounds, 0, Some(4)),
        (2, DoubleFree, 0, Some(4)),
        (3, UseAfterFree, 0, Some(8)),
        (4, InvalidFree, 4, Some(8)),
    ];
    for (number, error, offset, size) in wanted {
        let (misuse, line, _) = misused(&fixture, number);
        let marked = HOOKS.lines().position(|l| l.ends_with(&format!("// case {number}"))).map_or(0, |l| l as u32 + 1);
        assert_eq!((misuse.error, misuse.offset, misuse.size, line), (error, offset, size, marked), "case {number}");
    }
    for number in [5, 6] {
        let trace = fixture.watched(&fixture.run(&[number]));
        assert!(trace.failure.is_none(), "case {number}: {:?}", trace.failure);
    }
}

#[test]
fn what_comes_after_the_first_misuse_is_told_where_all_of_them_are_wanted() {
    let text = r#"
#include <stdlib.h>
int total[4], other;
static void first(int n) { total[n] = 1; }
static int second(int *p) { free(p); return *p; }
static int third(int n) { int set; if (n > 9) set = 1; if (set) return 2; return 3; }
int f(int n) { first(n); first(n); return third(n) + second(malloc(4)); }
"#;
    let fixture = Fixture::with_entry(text, "f");
    let found = |n: i64| -> Vec<(String, MemoryError, Act)> {
        let name = |f: wherefore_program::FunctionId| fixture.program().functions[f.index()].name.clone();
        let all = fixture.misdeeds(&fixture.run(&[n]));
        all.into_iter().map(|(function, error, act)| (name(function), error, act)).collect()
    };
    let told = |name: &str, error, act| (name.to_string(), error, act);
    let after_free = told("second", MemoryError::UseAfterFree, Act::Reads);
    let unset = told("third", MemoryError::Uninitialised, Act::Decides);
    assert_eq!(found(4), [told("first", MemoryError::OutOfBounds, Act::Writes), unset, after_free.clone()]);
    assert_eq!(found(10).last(), Some(&after_free), "however wild the first one is");
    let clean = Fixture::with_entry("int f(int n) { int a[2] = {1, n}; return a[n]; }", "f");
    assert_eq!(clean.misdeeds(&clean.run(&[1])), []);
}
