//! Statements that may give any value: what they compute, or something that is searched for.
//!
//! Such a statement is an edit like others, of which a run chooses one: `x = a + b` becomes
//! `x = wherefore_value(a + b)`, which adds a nondeterministic value to what is computed. With zeros the program does what
//! it did, and whoever searches for inputs of a program searches for values that repair it.

use crate::edit::{Edit, Kind, Part};
use crate::scope::Scope;
use crate::unit::{Switch, Unit, units};
use std::ops::Range;
use tree_sitter::Node;
use wherefore_source::{SourceText, syntax};

/// What the edits call, for the beginning of each file: all on one line.
pub const ANGELS: &str = "extern int __VERIFIER_nondet_int(void); \
extern double __VERIFIER_nondet_double(void); \
extern _Bool __VERIFIER_nondet_bool(void); \
static inline long long wherefore_value(long long computed) { return computed + __VERIFIER_nondet_int(); } \
static inline double wherefore_number(double computed) { return computed + __VERIFIER_nondet_double(); } \
static inline int wherefore_decision(int computed) { return (computed != 0) ^ __VERIFIER_nondet_bool(); } \
static inline int wherefore_execution(int computed) { return (computed != 0) ^ __VERIFIER_nondet_bool(); } ";

/// For each statement, condition and initial value of a file the edits that let it give any value. `is_wanted` says
/// whether a place, by its bytes, may matter.
pub fn angels(file: usize, source: &SourceText, is_wanted: &dyn Fn(&Range<usize>) -> bool) -> Vec<Edit> {
    let Some(tree) = source.tree() else { return vec![] };
    let text = source.as_str();
    let scope = Scope::new(tree.root_node(), text);
    let mut edits = vec![];
    for unit in units(tree.root_node(), text) {
        if is_wanted(&unit.node.byte_range()) {
            edits.extend(of(&unit, text, &scope).map(|part| Edit {
                file,
                parts: vec![part],
                kind: Kind::Value,
                price: 0,
            }));
        }
    }
    edits
}

/// What of a unit may be anything.
fn of(unit: &Unit, text: &str, scope: &Scope) -> Option<Part> {
    let said = |node: Node| &text[node.byte_range()];
    let free = |value: Node| Part { at: value.byte_range(), with: any(said(value)), switch: unit.switch.clone() };
    match &unit.switch {
        Switch::Condition(_) => {
            let with = format!("wherefore_decision(!!({}))", said(unit.node));
            Some(Part { at: unit.node.byte_range(), with, switch: unit.switch.clone() })
        }
        Switch::Value(_) => Some(free(unit.node)),
        Switch::Initialiser(_, name) => {
            let known = scope.find(name, unit.node.end_byte() + 1)?;
            known.shape.is_number().then(|| free(unit.node))
        }
        Switch::Statement(_) if unit.node.kind() == "return_statement" => {
            let value = syntax::named_children(unit.node).into_iter().find(|n| n.kind() != "comment")?;
            let returns = scope.function(value.start_byte())?.returns.clone()?;
            returns.is_number().then(|| free(value))
        }
        Switch::Effect(_) => effect(unit, text),
        _ => None,
    }
}

/// An assignment gives another value; what else a statement does may be left out.
fn effect(unit: &Unit, text: &str) -> Option<Part> {
    let field = |name| unit.node.child_by_field_name(name).map(|n| &text[n.byte_range()]);
    if unit.node.kind() == "assignment_expression" {
        let (left, operator, right) = (field("left")?, field("operator")?, field("right")?);
        // What is stored is what is told: `a += b` stores `a + b`, unless to name `a` twice does something twice.
        let value = match operator.strip_suffix('=')? {
            "" => right.to_string(),
            _ if left.contains('(') || left.contains("++") || left.contains("--") => return None,
            operator => format!("{left} {operator} ({right})"),
        };
        let with = format!("{left} = {}", any(&value));
        return Some(Part { at: unit.node.byte_range(), with, switch: unit.switch.clone() });
    }
    let statement = unit.node.parent().filter(|p| p.kind() == "expression_statement")?;
    let with = format!("if (wherefore_execution(1)) {}", &text[statement.byte_range()]);
    Some(Part { at: statement.byte_range(), with, switch: Switch::Statement(statement.byte_range()) })
}

/// An expression, or any value of its type.
fn any(expression: &str) -> String {
    format!(
        "_Generic(({expression}), float: wherefore_number, double: wherefore_number, default: wherefore_value)({expression})"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_statement_may_give_any_value() {
        let text = "int f(int a) { int b = a + 1; char *p = 0; if (b > 2) b++; a = b; a -= 2; return a; }";
        let source = SourceText::new("f.c".into(), text.into());
        let free: Vec<String> = angels(0, &source, &|_| true).iter().map(|e| e.parts[0].with.clone()).collect();
        let starts = [
            "_Generic((a + 1)",
            "wherefore_decision(!!(b > 2))",
            "if (wherefore_execution(1)) b++;",
            "a = _Generic((b)",
            "a = _Generic((a - (2))",
            "_Generic((a)",
        ];
        assert_eq!(free.len(), starts.len(), "a pointer is left alone: {free:?}");
        assert!(free.iter().zip(starts).all(|(with, start)| with.starts_with(start)), "{free:?}");
    }
}
