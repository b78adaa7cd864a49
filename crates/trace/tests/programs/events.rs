//! What a search reads off a run: every way it could have gone otherwise.

use super::Told;
use wherefore_budget::Budget;
use wherefore_case::Expected;
use wherefore_fixtures::{Fixture, recorded, stopped};
use wherefore_trace::{Analysis, Event, Followed, Why, follow};

struct Seen {
    told: Told,
    events: Vec<Event>,
    followed: Followed,
}

fn followed(source: &str, arguments: &[i64]) -> Seen {
    let fixture = Fixture::with_entry(source, "f");
    let ran = fixture.run(arguments);
    let stopped = stopped(&ran);
    let program = fixture.program().clone();
    let analysis = Analysis::new(&program);
    let again =
        || follow(&program, &analysis, &recorded(&ran.recording), stopped, &Expected::default(), &Budget::unlimited());
    let (one, other) = (again(), again());
    assert!(one.lost.is_none());
    Seen { events: one.events.clone(), followed: other, told: Told { trace: one.trace, program } }
}

impl Seen {
    /// What decided, and the condition.
    fn turns(&self) -> Vec<(&'static str, String)> {
        let turns = self.events.iter().filter_map(|e| match e {
            Event::Turn(turn) => Some(turn),
            _ => None,
        });
        turns.map(|t| (word(t.why), self.told.text(t.condition))).collect()
    }

    fn rounds(&self) -> Vec<u32> {
        let turns = self.events.iter().filter_map(|e| match e {
            Event::Turn(turn) => Some(turn.rounds),
            _ => None,
        });
        turns.collect()
    }
}

fn word(why: Why) -> &'static str {
    match why {
        Why::Way { .. } => "way",
        Why::Callee => "callee",
        Why::Inside => "inside",
        Why::Outside => "outside",
        Why::Address => "address",
        Why::Length => "length",
        Why::Divisor => "divisor",
        Why::Zero => "zero",
        Why::Quotient => "quotient",
        Why::Misfit => "misfit",
        Why::Defined => "defined",
        Why::Undefined => "undefined",
        Why::Asserted => "asserted",
        Why::Violated => "violated",
        Why::Assumed => "assumed",
        Why::Refused => "refused",
    }
}

fn turns(source: &str, arguments: &[i64]) -> Vec<(&'static str, String)> {
    followed(source, arguments).turns()
}

fn pairs(expected: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    expected.iter().map(|(why, text)| (*why, text.to_string())).collect()
}

#[test]
fn every_part_of_a_condition_is_a_turn() {
    let source = "int f(int a, int b) {\n  if (a > 0 && b > 1)\n    return 1;\n  return 0;\n}\n";
    assert_eq!(turns(source, &[5, 0]), pairs(&[("way", "(bvslt 0:32 a)"), ("way", "(bvsle b 1:32)")]));
}

#[test]
fn a_case_is_one_of_its_labels_and_the_default_none() {
    let source = "int f(int a) {\n  switch (a) {\n  case 1:\n  case 2:\n    return 1;\n  case 3:\n    return 2;\n  }\n  return 0;\n}\n";
    assert_eq!(turns(source, &[2]), pairs(&[("way", "(or (= a 1:32) (= a 2:32))")]));
    assert_eq!(turns(source, &[9]), pairs(&[("way", "(not (or (= a 1:32) (= a 2:32) (= a 3:32)))")]));
}

#[test]
fn a_division_turns_on_its_divisor_and_on_its_quotient() {
    let source = "int f(int a, int b) {\n  return a / b;\n}\n";
    let found = turns(source, &[6, 3]);
    assert_eq!(found.iter().map(|t| t.0).collect::<Vec<_>>(), ["divisor", "quotient"]);
    assert_eq!(found[0].1, "(not (= b 0:32))");
    assert_eq!(turns(source, &[6, 0]), pairs(&[("zero", "(= b 0:32)")]));
    let misfit = turns(source, &[i64::from(i32::MIN), -1]);
    assert_eq!(misfit.iter().map(|t| t.0).collect::<Vec<_>>(), ["divisor", "misfit"]);
    let unsigned = turns("unsigned f(unsigned a, unsigned b) {\n  return a / b;\n}\n", &[6, 3]);
    assert_eq!(unsigned.iter().map(|t| t.0).collect::<Vec<_>>(), ["divisor"], "an unsigned quotient always fits");
}

#[test]
fn a_shift_turns_on_its_width() {
    let source = "int f(int a, int b) {\n  return a << b;\n}\n";
    assert_eq!(turns(source, &[1, 3]), pairs(&[("defined", "(bvult b 32:32)")]));
    assert_eq!(turns(source, &[1, 40]), pairs(&[("undefined", "(bvule 32:32 b)")]));
    assert_eq!(turns("int f(int a) {\n  return a << 3;\n}\n", &[1]), pairs(&[]));
}

#[test]
fn an_access_turns_on_staying_inside_its_object() {
    let source = "int a[4];\nint f(int i) {\n  a[i] = 1;\n  return 0;\n}\n";
    let inside = turns(source, &[2]);
    assert_eq!(inside.iter().map(|t| t.0).collect::<Vec<_>>(), ["inside", "address"]);
    let outside = turns(source, &[4]);
    assert_eq!(outside.iter().map(|t| t.0).collect::<Vec<_>>(), ["outside"], "one behind the last element");
}

#[test]
fn a_read_by_an_index_may_have_read_another_element() {
    let source = "int a[4] = {1, 2, 3, 4};\nint f(int i) {\n  a[0] = 5;\n  return a[i];\n}\n";
    let seen = followed(source, &[2]);
    let reads: Vec<_> = seen
        .events
        .iter()
        .filter_map(|e| match e {
            Event::Read(read) => Some(read),
            _ => None,
        })
        .collect();
    assert_eq!(reads.len(), 1);
    let object = &seen.told.trace.objects[reads[0].object as usize];
    assert_eq!((reads[0].size, reads[0].address - object.base, object.size), (4, 8, 16));
    assert!(seen.followed.cells.contains_key(&reads[0].object), "its cells are known");
}

#[test]
fn a_call_outside_comes_with_its_arguments_and_its_result() {
    let source = "#include <stdlib.h>\n#include <ctype.h>\nint f(int c) {\n  return toupper(c) == 'A';\n}\n";
    let seen = followed(source, &[97]);
    let called: Vec<_> = seen
        .events
        .iter()
        .filter_map(|e| match e {
            Event::Called(called) => Some(called),
            _ => None,
        })
        .collect();
    assert_eq!(called.len(), 1);
    assert_eq!((called[0].callee.as_str(), called[0].returned), ("toupper", 65));
    assert_eq!(called[0].arguments[0].variable.map(|v| seen.told.name(v)), Some("c".to_string()));
    assert!(called[0].result.is_some());
}

#[test]
fn a_call_through_a_pointer_turns_on_it() {
    let source = "int g(void) { return 1; }\nint h(void) { return 2; }\nint f(int x) {\n  int (*p)(void) = x ? g : h;\n  return p();\n}\n";
    let found = turns(source, &[1]);
    assert_eq!(found.iter().map(|t| t.0).collect::<Vec<_>>(), ["callee"]);
    assert!(found[0].1.starts_with("(= p "), "{}", found[0].1);
}

#[test]
fn a_copy_turns_on_its_length() {
    let source =
        "#include <string.h>\nchar a[8], b[8];\nint f(unsigned long n) {\n  memcpy(a, b, n);\n  return 0;\n}\n";
    let found = turns(source, &[4]);
    assert_eq!(found.first(), Some(&("length", "(= n 4:64)".to_string())));
}

#[test]
fn a_verifier_assumption_is_a_turn() {
    let source = "void __VERIFIER_assume(int);\nint f(int x) {\n  __VERIFIER_assume(x > 3);\n  return x;\n}\n";
    let found = turns(source, &[5]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "assumed");
}

#[test]
fn turns_count_the_rounds_that_another_way_would_begin() {
    let source = "int f(int n) {\n  int s = 0;\n  while (n > 0) {\n    s += n;\n    n--;\n  }\n  if (s)\n    s = 1;\n  return s;\n}\n";
    // Leaving the loop begins no further round; staying at its end begins the third; the `if` lies in no loop.
    assert_eq!(followed(source, &[2]).rounds(), [0, 1, 3, 0]);
}

#[test]
fn turns_count_nested_calls() {
    let source = "int f(int n) {\n  if (n == 0)\n    return 0;\n  return f(n - 1);\n}\n";
    assert_eq!(followed(source, &[2]).rounds(), [0, 1, 2]);
}

#[test]
fn events_stand_among_the_steps() {
    let source = "int f(int a) {\n  a = a + 1;\n  if (a > 0)\n    a = 7;\n  if (a > 5)\n    a = 8;\n  return a;\n}\n";
    let seen = followed(source, &[5]);
    let trace = &seen.told.trace;
    let marks = trace
        .steps
        .iter()
        .filter(|s| matches!(s.action, wherefore_trace::Action::Assign { to, .. } if to == seen.followed.marker));
    assert_eq!(marks.count(), seen.events.len());
    for (number, event) in seen.events.iter().enumerate() {
        let Event::Turn(turn) = event else { continue };
        let position = trace.steps.iter().position(|s| {
            matches!(s.action, wherefore_trace::Action::Assign { to, after, .. }
                if to == seen.followed.marker && after == number as u128)
        });
        let values = trace.values_at(position.expect("the event has a mark"));
        let holds = trace.terms.evaluate(turn.condition, &mut |v| values[v.0 as usize]);
        assert_eq!(holds.and_then(|v| v.as_bool()), Some(true), "true where it stands");
    }
}
