//! Traces of long runs, which hold only what the failure can depend on.

use super::Told;
use wherefore_budget::Budget;
use wherefore_case::Expected;
use wherefore_fixtures::{Fixture, recorded, stopped};
use wherefore_trace::{Action, FailureKind, LARGEST, Slicing, Trace, walk_sliced};

/// The trace of a run, of which so many commands are followed in full.
fn sliced(source: &str, expected: Option<&str>, largest: usize) -> Told {
    let fixture = Fixture::new(source);
    let ran = fixture.run(&[]);
    let stopped = stopped(&ran);
    let mut recording = recorded(&ran.recording);
    recording.stdout = Some(&ran.stdout);
    let expected = Expected { stdout: expected.map(Into::into), status: None };
    let how = Slicing { above: 0, most: usize::MAX, largest, addresses: false, trusting: false, watching: true };
    let program = fixture.program().clone();
    let trace = walk_sliced(&program, &recording, stopped, &expected, how, &Budget::unlimited()).expect("in step");
    assert!(trace.is_possible(), "what is said of the run holds in it");
    super::consistent(Told { program, trace })
}

/// How often a line sets something, and how often that is a fact of the run.
fn sets(trace: &Trace, line: u32) -> (usize, usize) {
    let of_line = |is_given: bool| {
        let steps = trace.steps.iter().filter(|s| s.is_given == is_given && s.at.is_some_and(|at| at.line == line));
        steps.filter(|s| matches!(s.action, Action::Assign { .. })).count()
    };
    (of_line(false), of_line(true))
}

const SUM: &str = "#include <assert.h>
int sum, early;
int main(void) {
  int other = 0;
  for (int i = 0; i < 3000; i++) {
    if (i == 7) early = 1;
    sum += i;
    other ^= sum;
  }
  assert(sum + early != 4498501);
  return other;
}
";

#[test]
fn of_what_is_done_again_and_again_the_last_times_are_followed() {
    let whole = sliced(SUM, None, LARGEST).trace;
    assert_eq!((whole.rounds, sets(&whole, 7)), (None, (3000, 0)));
    let cut = sliced(SUM, None, 1000).trace;
    assert_eq!((cut.rounds, sets(&cut, 7)), (Some(1000), (1000, 1)));
    assert_eq!(cut.failure.as_ref().map(|f| (f.kind, f.at)), whole.failure.as_ref().map(|f| (f.kind, f.at)));
    // What was done once is followed however long ago that was; what nothing depends on is in neither.
    assert_eq!((sets(&whole, 6), sets(&cut, 6)), ((1, 0), (1, 0)));
    assert_eq!((sets(&whole, 8), sets(&cut, 8)), ((0, 0), (0, 0)));
}

const LINES: &str = "#include <stdio.h>
static int count, unused;
static void line(int n) {
  unused += n;
  if (n % 3 == 0)
    count++;
  if (unused < 0)
    puts(\"over\");
  printf(\"line %d\\n\", n);
}
int main(void) {
  for (int n = 0; n < 50; n++)
    line(n);
  printf(\"%d\\n\", count);
  return 0;
}
";

fn output(over: Option<u32>, count: u32) -> String {
    let line = |n| format!("{}line {n}\n", if Some(n) == over { "over\n" } else { "" });
    (0..50).map(line).chain([format!("{count}\n")]).collect()
}

#[test]
fn a_number_that_is_printed_in_the_end_has_its_own_slice() {
    let trace = sliced(LINES, Some(&output(None, 16)), LARGEST).trace;
    let failure = trace.failure.as_ref().expect("it fails");
    assert_eq!((failure.kind, failure.at.map(|at| at.line)), (FailureKind::Output, Some(14)));
    // Nothing of what the lines before are made of.
    assert_eq!((sets(&trace, 6), sets(&trace, 4)), ((17, 0), (0, 0)));
}

#[test]
fn a_line_that_is_missing_is_put_down_to_the_decision_that_left_it_out() {
    let trace = sliced(LINES, Some(&output(Some(40), 17)), LARGEST).trace;
    let failure = trace.failure.as_ref().expect("it fails");
    assert_eq!((failure.kind, failure.at.map(|at| at.line)), (FailureKind::Output, Some(7)));
    // What decided it is followed, and nothing else.
    assert_eq!((sets(&trace, 4), sets(&trace, 6)), ((41, 0), (0, 0)));
}

#[test]
fn output_that_ends_early_is_put_down_to_the_decision_that_ended_it() {
    let mut expected = output(None, 17);
    expected.push_str("line 50\n");
    let trace = sliced(LINES, Some(&expected), LARGEST).trace;
    let failure = trace.failure.as_ref().expect("it fails");
    assert_eq!(failure.kind, FailureKind::Output);
    assert!(failure.message.contains("the output ends here"), "{}", failure.message);
    assert_eq!(sets(&trace, 4), (0, 0));
}
