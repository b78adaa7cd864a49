//! What is done once and may have to be done again: `if` for `while`.

use super::{Proposer, nodes, nodes_with_blocks};
use crate::edit::{Edit, Kind, Part};
use crate::unit::Switch;
use std::ops::Range;
use tree_sitter::Node;
use wherefore_source::syntax;

pub(super) fn of(proposer: &mut Proposer, root: Node, is_wanted: &dyn Fn(&Range<usize>) -> bool) {
    for node in nodes_with_blocks(root) {
        match node.kind() {
            "if_statement" if is_wanted(&node.byte_range()) => whole(proposer, node),
            "expression_statement" if is_wanted(&node.byte_range()) => behind_check(proposer, node),
            _ => {}
        }
    }
}

/// `if (n > size) { size *= 2; ... }` as a loop.
fn whole(proposer: &mut Proposer, node: Node) {
    let field = |name| node.child_by_field_name(name);
    let (Some(condition), Some(body)) = (field("condition"), field("consequence")) else { return };
    if field("alternative").is_none() && changes(proposer, body, condition) {
        let word = node.start_byte()..node.start_byte() + "if".len();
        proposer.build(word, "while", Kind::Condition, 4);
    }
}

/// `if (n <= size) return; size *= 2;` with the statement in a loop.
fn behind_check(proposer: &mut Proposer, statement: Node) {
    let mut before = statement.prev_named_sibling();
    while let Some(node) = before.filter(|n| matches!(n.kind(), "comment" | "declaration" | "expression_statement")) {
        before = node.prev_named_sibling();
    }
    let Some(check) = before.filter(|n| n.kind() == "if_statement") else { return };
    let field = |name| check.child_by_field_name(name);
    let (Some(condition), Some(body)) = (field("condition"), field("consequence")) else { return };
    let leaves = |n: &Node| matches!(n.kind(), "return_statement" | "break_statement" | "continue_statement");
    let body =
        syntax::named_children(body).last().copied().filter(|_| body.kind() == "compound_statement").unwrap_or(body);
    if !leaves(&body) || field("alternative").is_some() || !changes(proposer, statement, condition) {
        return;
    }
    let text = proposer.text(statement).to_string();
    let with = format!("while ({}) {text}", denied(proposer, condition));
    let switch = Switch::Statement(statement.byte_range());
    let part = Part { at: statement.byte_range(), with, switch };
    proposer.edits.push(Edit { file: proposer.file, parts: vec![part], kind: Kind::Condition, price: 3 });
}

/// Whether something sets what a condition speaks of.
fn changes(proposer: &Proposer, body: Node, condition: Node) -> bool {
    let spoken: Vec<&str> = nodes(condition)
        .into_iter()
        .filter(|n| matches!(n.kind(), "identifier" | "field_expression" | "subscript_expression"))
        .map(|n| proposer.text(n))
        .collect();
    let sets = |node: &Node| {
        let set = match node.kind() {
            "assignment_expression" => node.child_by_field_name("left"),
            "update_expression" => node.child_by_field_name("argument"),
            _ => None,
        };
        set.is_some_and(|set| spoken.contains(&proposer.text(set)))
    };
    nodes_with_blocks(body).iter().any(sets)
}

/// The opposite of a condition in parentheses.
fn denied(proposer: &Proposer, condition: Node) -> String {
    let inner = syntax::without_parentheses(condition);
    let field = |name| inner.child_by_field_name(name).map(|n| proposer.text(n).to_string());
    let opposite = |operator: &str| match operator {
        "<" => Some(">="),
        "<=" => Some(">"),
        ">" => Some("<="),
        ">=" => Some("<"),
        "==" => Some("!="),
        "!=" => Some("=="),
        _ => None,
    };
    match (field("left"), field("operator").as_deref().and_then(opposite), field("right")) {
        (Some(left), Some(operator), Some(right)) => format!("{left} {operator} {right}"),
        _ => format!("!({})", proposer.text(inner)),
    }
}
