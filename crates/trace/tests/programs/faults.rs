//! Runs that the machine stops because of an address.

use super::{Told, consistent, line};
use wherefore_fixtures::Fixture;
use wherefore_trace::{Act, FailureKind, MemoryError};

/// Every case is a call of `f` with its number; the line where it is stopped is marked by it.
const FAULTS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { long value; struct node *next; };
static int large(void) { char all[12 << 20]; memset(all, 1, sizeof all); return all[5]; } // case 11
static int deep(int n, const char *s) { char text[400]; sprintf(text, "%.9s", s); return deep(n + 1, text); }
int f(int n) {
  struct node *p = NULL;
  char *nothing = getenv("A_NAME_THAT_NOBODY_GIVES"), buffer[8];
  if (n == 1) return (int)((int *)p)[5000]; // case 1
  if (n == 2) { struct node **q = &p->next; return *q == p; } // case 2
  if (n == 3) return strcmp("a", nothing); // case 3
  if (n == 4) return fgets(buffer, 8, (FILE *)nothing) == NULL; // case 4
  if (n == 5) { char *wild = (char *)0x6161616161616161; return (int)strtol(wild, NULL, 10); } // case 5
  if (n == 6) { char *text = "text"; text[1] = 'x'; return text[0]; } // case 6
  if (n == 7) { struct node a = *p; return (int)a.value; } // case 7
  if (n == 8) { memset(nothing, 0, 5); return 1; } // case 8
  if (n == 9) { char *s = nothing; while (*s++ == 0) n++; return n; } // case 9
  if (n == 10) return deep(0, "");
  if (n == 11) return large();
  if (n == 12) { void (*call)(void) = (void (*)(void))0x6161616161616161; call(); } // case 12
  if (n == 13) { strcpy(buffer, nothing); return 1; } // case 13
  return 0;
}
"#;

fn stopped(fixture: &Fixture, number: i64) -> (FailureKind, u32, String) {
    let trace = fixture.watched(&fixture.run(&[number]));
    let told = consistent(Told { program: fixture.program().clone(), trace });
    let failure = told.trace.failure.as_ref().unwrap_or_else(|| panic!("case {number} fails"));
    (failure.kind, line(failure.at), told.text(failure.violated))
}

fn marked(number: i64) -> u32 {
    FAULTS.lines().position(|l| l.ends_with(&format!("// case {number}"))).map_or(0, |l| l as u32 + 1)
}

#[test]
fn a_pointer_to_nothing_is_blamed_with_what_is_done_through_it() {
    let fixture = Fixture::with_entry(FAULTS, "f");
    let wanted = [
        (1, 0, Act::Reads, None, Some(4), "(= p 0:64)"),
        (2, 8, Act::Reads, None, Some(8), "(= q 8:64)"),
        (3, 0, Act::Reads, Some("strcmp"), None, "(= nothing 0:64)"),
        (4, 0, Act::Reads, Some("fgets"), None, "(= nothing 0:64)"),
        (5, 0x6161616161616161, Act::Reads, Some("strtol"), None, ""),
        (7, 0, Act::Reads, None, Some(16), "(= p 0:64)"),
        (8, 0, Act::Writes, None, Some(5), "(= nothing 0:64)"),
        (9, 0, Act::Reads, None, Some(1), ""),
        (12, 0x6161616161616161, Act::Calls, None, None, ""),
        (13, 0, Act::Reads, Some("strcpy"), None, "(= nothing 0:64)"),
    ];
    for (number, value, act, by, bytes, violated) in wanted {
        let (kind, line, text) = stopped(&fixture, number);
        let (FailureKind::Null(bad) | FailureKind::Wild(bad)) = kind else { panic!("case {number}: {kind:?}") };
        assert_eq!(matches!(kind, FailureKind::Null(_)), value < 4096, "case {number}");
        assert_eq!((bad.value, bad.act, bad.by, bad.bytes), (value, act, by, bytes), "case {number}");
        assert_eq!(line, marked(number), "case {number}");
        assert!(violated.is_empty() || text == violated, "case {number}: {text}");
    }
}

#[test]
fn a_constant_that_is_written_is_told_as_one() {
    let fixture = Fixture::with_entry(FAULTS, "f");
    let (kind, line, _) = stopped(&fixture, 6);
    let FailureKind::Memory(misuse) = kind else { panic!("{kind:?}") };
    assert_eq!((misuse.error, misuse.offset, misuse.size), (MemoryError::ReadOnly, 1, Some(5)));
    assert_eq!(line, marked(6));
}

#[test]
fn a_stack_that_overflows_is_no_bad_pointer() {
    let fixture = Fixture::with_entry(FAULTS, "f");
    for number in [10, 11] {
        let (kind, ..) = stopped(&fixture, number);
        assert_eq!(kind, FailureKind::Stack, "case {number}");
    }
}
