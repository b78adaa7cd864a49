//! Values that nobody takes: `find(p->next, name);` as `return find(p->next, name);`, `delete(t->right, key);` as
//! `t->right = delete(t->right, key);`, and `n * fact(n - 1);` as either.

use super::Proposer;
use crate::edit::{Edit, Kind, Part};
use crate::scope::Shape;
use crate::unit::{Switch, Unit, called};
use tree_sitter::Node;
use wherefore_source::syntax;

/// Variables that may have to take a value, at most.
const TAKERS: usize = 4;

pub(super) fn of(proposer: &mut Proposer, unit: &Unit) {
    let Some(statement) = unit.node.parent().filter(|p| p.kind() == "expression_statement") else { return };
    let Some(value) = dropped(proposer, unit.node) else { return };
    let at = unit.node.start_byte();
    let function = proposer.scope.function(at);
    if function.is_some_and(|f| f.returns.as_ref() == Some(&value)) {
        let part = Part { at: at..at, with: "return ".into(), switch: Switch::Statement(statement.byte_range()) };
        proposer.edits.push(Edit { file: proposer.file, parts: vec![part], kind: Kind::Insertion, price: 1 });
    }
    for (taker, price) in takers(proposer, unit.node, &value) {
        proposer.replace(unit, at..at, format!("{taker} = "), Kind::Insertion, price);
    }
}

/// The shape of what an expression gives, where that is all it is there for or a function of the program gives it.
fn dropped(proposer: &Proposer, node: Node) -> Option<Shape> {
    match node.kind() {
        "call_expression" => {
            let name = called(node, proposer.text)?;
            proposer.scope.functions.iter().find(|f| f.name == name)?.returns.clone()
        }
        "binary_expression" | "identifier" | "field_expression" | "subscript_expression" | "conditional_expression" => {
            Some(Shape { base: None, depth: 0 })
        }
        _ => None,
    }
}

/// What may have to take it: what the function was given, then what is changed here anyway.
fn takers(proposer: &Proposer, node: Node, value: &Shape) -> Vec<(String, u32)> {
    let arguments = node.child_by_field_name("arguments").map(syntax::named_children).unwrap_or_default();
    let is_place = |n: &&Node| {
        matches!(n.kind(), "identifier" | "field_expression" | "subscript_expression") && shape(proposer, **n) == *value
    };
    let mut found: Vec<(String, u32)> =
        arguments.iter().filter(is_place).map(|n| (proposer.text(*n).to_string(), 1)).collect();
    let visible = proposer.scope.visible(node.start_byte()).into_iter();
    let others = visible.filter(|n| n.is_local && !n.is_array && n.shape == *value).map(|n| n.name.clone());
    let others: Vec<String> = others.filter(|name| found.iter().all(|(known, _)| known != name)).collect();
    found.extend(others.into_iter().take(TAKERS).map(|name| (name, 3)));
    found
}

/// The shape of a variable, a member or an element; of what is not known a number.
fn shape(proposer: &Proposer, node: Node) -> Shape {
    let member = |field: Node| {
        let name = proposer.text(field);
        proposer.scope.structs.iter().flatten().find(|(known, _)| known == name).map(|(_, shape)| shape.clone())
    };
    let found = match node.kind() {
        "field_expression" => node.child_by_field_name("field").and_then(member),
        "subscript_expression" => node.child_by_field_name("argument").map(|array| {
            let whole = shape(proposer, array);
            Shape { depth: whole.depth.saturating_sub(1), ..whole }
        }),
        _ => proposer.scope.find(proposer.text(node), node.start_byte()).map(|n| n.shape.clone()),
    };
    found.unwrap_or(Shape { base: None, depth: 0 })
}
