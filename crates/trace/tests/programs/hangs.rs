//! Runs that do not end: which loop they are in, what is proved, and that nothing is proved of runs that end.

use std::sync::LazyLock;
use std::time::Duration;
use wherefore_budget::Budget;
use wherefore_fixtures::{Fixture, recorded};
use wherefore_record::{Look, Recording};
use wherefore_trace::{FailureKind, Hang, Recorded, hang, is_endless};

const HANGS: &str = r#"
#include <stdio.h>
#include <string.h>
struct node { int v; struct node *next; } a, b, c;
int total, nice(int); unsigned alarm(unsigned);
static int step(int s) { return s == 1 ? 2 : 1; }
int f(int which) {
  int i = 0, j = 0;
  switch (which) {
  case 0: while (i < 3) total++; break;
  case 1: for (i = 0; i < 3; i++) for (j = 0; j < 3; i++) total++; break;
  case 2: a.next = &b; b.next = &c; c.next = &b;
    for (struct node *p = &a; p; p = p->next) total++;
    break;
  case 3: i = 1; while (i != 3) i = step(i); break;
  case 4: { unsigned char ch; while ((ch = getchar()) != EOF) j++; break; }
  case 5: for (double x = 0; x != 1.0; x += 0.1) j++; break;
  case 6: for (;;) { if (j > 100) break; if (i < 5) i++; } break;
  case 8: do total++; while (i < 3); break;
  case 7: while (scanf("%d", &i) != EOF) j += i; break;
  case 9: while (j < 3) {
      if (total < 0)
        j++;
      else
        i = 2;
    }
    break;
  case 10: for (unsigned u = 4; u >= 0; u--) total++; break;
  case 11: alarm(1000); while (i < 10) { if (i == 5) continue; i++; } break;
  case 12: nice(0); while (i < 3) total++; break;
  case 13: while (fgetc(stdin) == EOF) clearerr(stdin); break;
  case 14: { FILE *file = fopen("/dev/null", "r"); while (fgetc(file) == EOF) j++; break; }
  case 15: while (!feof(stdin)) { scanf("%d", &i); j++; } break;
  case 16: { char text[10] = "abc"; while (strlen(text) < 5) if (text[0] == 'z') strcat(text, "x"); break; }
  case 17: alarm(1000); while (i < 1000000000) { j = i + 7; if (j >= 1000000000) break; i++; j = 3; } break;
  }
  return j;
}"#;

static BUILT: LazyLock<Fixture> = LazyLock::new(|| Fixture::with_entry(HANGS, "f"));

/// Enough was written to be looked at.
fn is_enough(_: Duration, shown: &Recording) -> bool {
    shown.words().len() > 500_000
}

/// What is found of a run with a number and standard input that is stopped.
fn hanging(which: i64, stdin: &str) -> Hang {
    let input = BUILT.directory().join(format!("{which}.in"));
    std::fs::write(&input, stdin).expect("a file");
    let ran = BUILT.run_with(|run| {
        run.inputs = vec![wherefore_record::Input::Argument {
            index: 0,
            value: wherefore_record::InputValue::Bits((which as i32).to_le_bytes().to_vec()),
        }];
        run.limits.time = Duration::from_secs(60);
        run.stdin = Some(input);
        run.look = Some(Look(&is_enough));
    });
    let recorded = Recorded { stdin: Some(stdin.as_bytes()), ..recorded(&ran.recording) };
    let found = hang(BUILT.program(), &recorded, &Budget::unlimited());
    found.expect("the run is one of its program").expect("a loop is found")
}

/// The line of the loop, after how many rounds it repeats, and how many rounds are in the trace.
fn found(which: i64, stdin: &str) -> (u32, Option<usize>, usize) {
    let hang = hanging(which, stdin);
    let failure = hang.trace.failure.as_ref().expect("it fails");
    assert_eq!(failure.kind, FailureKind::Timeout);
    assert!(hang.trace.is_possible(), "what is to be explained holds in the run");
    let found = hang.found.expect("a loop is found");
    (super::line(found.at), found.period, found.begins.len() - 1)
}

#[test]
fn what_is_never_assigned_keeps_a_loop_going() {
    assert_eq!(found(0, ""), (10, Some(1), 2));
}

#[test]
fn what_counts_elsewhere_does_not_matter() {
    assert_eq!(found(1, ""), (11, Some(1), 2));
}

#[test]
fn a_list_with_a_cycle_repeats_after_its_length() {
    assert_eq!(found(2, ""), (13, Some(2), 4));
}

#[test]
fn states_that_alternate_repeat_after_two_rounds() {
    assert_eq!(found(3, ""), (15, Some(2), 3));
}

#[test]
fn the_end_of_the_input_is_met_again() {
    let (line, period, rounds) = found(4, "ab");
    assert_eq!((line, period), (16, Some(1)));
    assert!(rounds >= 3, "two characters and the end are read");
    let unread = hanging(4, "ab").found.expect("a loop").unread;
    assert_eq!(unread, [("getchar".to_string(), true)]);
}

#[test]
fn a_loop_that_passes_its_end_is_not_proved_to_be_endless() {
    let hang = hanging(5, "");
    let found = hang.found.expect("a loop");
    assert_eq!((super::line(found.at), found.period, found.passed), (17, None, true));
    assert_eq!(found.begins.len() - 1, 12, "up to the round that begins past 1.0");
}

#[test]
fn a_loop_settles_after_some_rounds() {
    assert_eq!(found(6, ""), (18, Some(1), 7));
}

#[test]
fn what_is_no_number_is_met_again() {
    let (line, period, _) = found(7, "1 2 x");
    assert_eq!((line, period), (20, Some(1)));
}

#[test]
fn a_decision_may_stand_at_the_end_of_a_round() {
    assert_eq!(found(8, ""), (19, Some(1), 2));
}

#[test]
fn the_statements_of_a_round_are_known_and_those_it_does_not_run() {
    let found = hanging(9, "").found.expect("a loop");
    assert_eq!(found.period, Some(1));
    let ran: std::collections::BTreeSet<u32> = found.ran.iter().map(|at| at.line).collect();
    assert_eq!(ran.into_iter().collect::<Vec<_>>(), [21, 22, 25]);
    let not_run: Vec<u32> = found.not_run.iter().map(|(_, at)| at.line).collect();
    assert_eq!(not_run, [23]);
}

#[test]
fn a_count_below_zero_is_followed_to_where_it_starts_again() {
    let found = hanging(10, "").found.expect("a loop");
    assert_eq!((found.period, found.passed), (Some(1), false));
    assert_eq!(found.begins.len() - 1, 6, "4, 3, 2, 1, 0 and the greatest number");
}

#[test]
fn what_may_be_ended_by_something_else_is_not_proved_to_be_endless() {
    let found = hanging(11, "").found.expect("a loop");
    assert_eq!((found.period, found.settled.map(|(from, _)| from)), (None, Some(5)));
    assert_eq!(found.begins.len() - 1, 7, "two rounds with all that decides as it stays");
    assert_eq!(hanging(12, "").found.expect("a loop").period, None, "a function without a row");
}

#[test]
fn the_end_is_final_only_of_standard_input_that_is_not_set_back() {
    for which in [13, 14] {
        let found = hanging(which, "").found.expect("a loop");
        assert_eq!(found.period, None, "case {which}");
        assert_eq!(found.unread, [("fgetc".to_string(), true)]);
    }
}

#[test]
fn the_end_is_not_found_by_who_does_not_get_there() {
    assert_eq!(found(15, "1 2 x").1, Some(1));
    assert_eq!(found(15, "1 - - - + - x").1, Some(1), "signs are taken off one by one");
}

#[test]
fn a_text_may_be_all_that_decides() {
    let hang = hanging(16, "");
    let failure = hang.trace.failure.as_ref().expect("it fails");
    assert!(!hang.trace.terms.variables(failure.violated).is_empty(), "the text is what is to be explained");
    let found = hang.found.expect("a loop");
    assert_eq!((found.period, found.kept.by_texts), (Some(1), true));
}

#[test]
fn values_are_those_of_the_decision_and_other_exits_are_known() {
    let hang = hanging(17, "");
    let found = hang.found.expect("a loop");
    assert_eq!((found.period, found.settled, found.kept.exits), (None, None, true));
    assert_eq!(found.kept.others.len(), 1, "the condition of the loop");
    let failure = hang.trace.failure.as_ref().expect("it fails");
    let decides = hang.trace.terms.variables(failure.violated).first().expect("it counts").0 as usize;
    let tests: Vec<_> = found.tests.iter().map(|at| hang.trace.values_at(at.expect("each round"))[decides]).collect();
    assert_eq!(tests, [Some(7), Some(8), Some(9)]);
}

/// Loops that end, each by something else that changes.
const ENDS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int calls;
static int later(void) { static int left = 60; calls++; return left-- > 0; }
struct node { struct node *next; };
int main(void) {
  int n = 0;
  for (int i = 0; i < 60; i++) n++;
  while (later()) n++;
  struct node *head = NULL;
  for (int i = 0; i < 40; i++) { struct node *new = malloc(sizeof *new); new->next = head; head = new; }
  for (struct node *p = head; p; p = p->next) n++;
  char text[64] = "", *end = text;
  while (strlen(text) < 40) { *end++ = 'x'; *end = 0; }
  for (double x = 0; x < 4; x += 0.1) n++;
  while (getchar() != 'y') n++;
  for (int i = 0; i < 6; i++) for (int j = 0; j < 6; j++) n += i * j;
  int wait = 50;
  do { puts("again"); } while (--wait);
  unsigned char small = 1;
  while (small) small++;
  while (rand() % 40) n++;
  return n & 1;
}
"#;

#[test]
fn nothing_is_proved_of_loops_that_end() {
    let fixture = Fixture::new(ENDS);
    let stdin = [b"x".repeat(50), b"y".to_vec()].concat();
    let ran = fixture.run_on(&stdin, &[]);
    let whole = Recorded { stdin: Some(&stdin), ..recorded(&ran.recording) };
    for length in (1..whole.words.len()).step_by(41) {
        let beginning = Recorded { words: &whole.words[..length], ..whole.clone() };
        let proved = is_endless(fixture.program(), &beginning, &Budget::unlimited());
        if proved.expect("the run is one of its program") {
            let told = hang(fixture.program(), &beginning, &Budget::unlimited());
            panic!("after {length} words: {:?}", told.ok().flatten().and_then(|h| h.found));
        }
    }
}
