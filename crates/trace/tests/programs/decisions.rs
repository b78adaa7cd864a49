//! Conditions of several parts: one branch, and of its parts those that settled it.

use super::call;
use wherefore_program::Flow;
use wherefore_trace::Decisions;

/// The condition of the only branch and the number of its reasons.
fn decided(source: &str, arguments: &[i64]) -> (String, usize) {
    let told = call(source, arguments);
    assert_eq!(told.trace.branches.len(), 1, "{:?}", told.conditions());
    (told.conditions().remove(0), told.trace.branches[0].reasons.len())
}

fn condition(text: &str) -> String {
    format!("int f(int a, int b, int c) {{\n  int r = 0;\n  if ({text})\n    r = 1;\n  return r;\n}}\n")
}

#[test]
fn a_conjunction_that_holds_needs_all_its_parts() {
    let (text, reasons) = decided(&condition("a > 0 && b > 1 && c > 2"), &[5, 5, 5]);
    assert_eq!((text.as_str(), reasons), ("(and (bvslt 0:32 a) (bvslt 1:32 b) (bvslt 2:32 c))", 3));
}

#[test]
fn a_conjunction_that_fails_needs_the_part_that_fails() {
    assert_eq!(decided(&condition("a > 0 && b > 1 && c > 2"), &[5, 0, 0]), ("(bvsle b 1:32)".into(), 1));
    assert_eq!(decided(&condition("a > 0 && b > 1 && c > 2"), &[0, 0, 0]), ("(bvsle a 0:32)".into(), 1));
}

#[test]
fn a_disjunction_that_holds_needs_the_part_that_holds() {
    assert_eq!(decided(&condition("a > 0 || b > 1 || c > 2"), &[0, 5, 0]), ("(bvslt 1:32 b)".into(), 1));
}

#[test]
fn a_disjunction_that_fails_needs_all_its_parts() {
    let (text, reasons) = decided(&condition("a > 0 || b > 1"), &[0, 0, 0]);
    assert_eq!((text.as_str(), reasons), ("(and (bvsle a 0:32) (bvsle b 1:32))", 2));
}

#[test]
fn nested_conditions_keep_one_way_to_settle_them() {
    let source = condition("(a > 0 && b > 1) || c > 2");
    assert_eq!(decided(&source, &[5, 5, 0]).0, "(and (bvslt 0:32 a) (bvslt 1:32 b))");
    assert_eq!(decided(&source, &[5, 0, 5]), ("(bvslt 2:32 c)".into(), 1));
    assert_eq!(decided(&source, &[5, 0, 0]).0, "(and (bvsle b 1:32) (bvsle c 2:32))");
    assert_eq!(decided(&source, &[0, 5, 0]).0, "(and (bvsle a 0:32) (bvsle c 2:32))");
}

#[test]
fn negation_turns_the_sides() {
    assert_eq!(decided(&condition("!(a > 0 && b > 1)"), &[5, 0, 0]), ("(bvsle b 1:32)".into(), 1));
    assert_eq!(decided(&condition("!(a > 0 || b > 1)"), &[5, 0, 0]), ("(bvslt 0:32 a)".into(), 1));
    assert_eq!(decided(&condition("!a"), &[0, 0, 0]), ("(= a 0:32)".into(), 1));
}

#[test]
fn a_call_in_a_condition_begins_a_decision_of_its_own() {
    let source = "int g(int x) { return x; }\nint f(int a, int b) {\n  int r = 0;\n  if (a > 0 && g(b) > 1)\n    r = 1;\n  return r;\n}\n";
    let told = call(source, &[5, 5]);
    assert_eq!(told.conditions().len(), 2, "the call lies under the first part");
    assert_eq!(told.trace.branches[1].parent.map(|p| p.0), Some(0));
}

#[test]
fn the_value_of_a_conditional_is_set_inside_its_branch() {
    let source = "int f(int a) {\n  int r = a > 2 ? a : 7;\n  return r;\n}\n";
    let told = call(source, &[5]);
    assert_eq!(told.conditions(), ["(bvslt 2:32 a)"]);
    assert_eq!(told.assignments(), ["Internal choice := 5", "r := 5", "Return result := 5"]);
    let choice = told.trace.steps.iter().find(|s| s.kind == wherefore_trace::Kind::Internal).expect("the choice");
    assert_eq!(choice.scope.map(|b| b.0), Some(0));
    assert_eq!(call(source, &[1]).conditions(), ["(bvsle a 2:32)"]);
}

#[test]
fn a_conjunction_as_a_value_is_a_choice() {
    let source = "int f(int a, int b) {\n  int r = a && b;\n  return r;\n}\n";
    assert_eq!(call(source, &[1, 0]).variable_value("r"), 0);
    assert_eq!(call(source, &[1, 3]).variable_value("r"), 1);
    assert_eq!(call(source, &[0, 3]).conditions(), ["(= a 0:32)"]);
}

#[test]
fn the_blocks_of_a_condition_have_one_head_and_two_exits() {
    let program = wherefore_fixtures::program(
        "int main(int argc, char **argv) { if ((argc > 1 && argc < 5) || argc == 9) return 1; return 0; }",
    );
    let flow = Flow::new(&program.functions[0]);
    let decisions = Decisions::new(&program.functions[0], &flow);
    let heads: Vec<_> = decisions.head.iter().flatten().collect();
    assert_eq!(heads.len(), 3, "three blocks branch");
    assert!(heads.iter().all(|h| *h == heads[0]), "and are one decision");
    assert_eq!(decisions.exits(&flow, *heads[0]).len(), 2);
    assert!(decisions.join[heads[0].index()].is_some(), "both ways meet at the return");
}

impl super::Told {
    /// The last value of a variable.
    fn variable_value(&self, name: &str) -> u128 {
        let variable = self.variable(name);
        self.trace.values_at(self.trace.steps.len())[variable.0 as usize].expect("it was assigned")
    }
}
