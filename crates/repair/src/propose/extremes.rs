//! The largest or smallest of some values, looked for from a number that need not be one of them: `int most = 0;`.

use super::{Proposer, function_around, nodes_with_blocks};
use crate::edit::Kind;
use crate::unit::{Switch, Unit};
use tree_sitter::Node;
use wherefore_source::syntax;

const ORDER: [&str; 4] = ["<", "<=", ">", ">="];

/// What a variable may begin with instead of a number: the first of what it is compared with, or what is beyond all.
pub(super) fn of(proposer: &mut Proposer, unit: &Unit, node: Node) {
    if node.kind() != "number_literal" && node.kind() != "unary_expression" {
        return;
    }
    let parent = node.parent().filter(|p| p.kind() == "assignment_expression");
    let set = parent.and_then(|p| p.child_by_field_name("left")).map(|left| proposer.text(left).to_string());
    let name = match &unit.switch {
        Switch::Initialiser(_, name) if node == unit.node => name.clone(),
        Switch::Effect(_) if parent == Some(unit.node) => match set {
            Some(name) => name,
            None => return,
        },
        _ => return,
    };
    let mut others: Vec<(String, u32)> = vec![];
    for comparison in nodes_with_blocks(function_around(node)) {
        let Some(other) = compared_with(proposer, comparison, &name) else { continue };
        if !is_kept(proposer, comparison, &name) {
            continue;
        }
        if let Some(first) = first_of(proposer, other) {
            others.push((first, 3));
        }
        let kept =
            if proposer.text.contains("limits.h") { ["INT_MAX", "INT_MIN"] } else { ["2147483647", "-2147483647 - 1"] };
        others.extend(kept.map(|limit| (limit.to_string(), 7)));
    }
    for (with, price) in others {
        proposer.replace(unit, node.byte_range(), with, Kind::Constant, price);
    }
}

/// What a variable is compared with for its order.
fn compared_with<'t>(proposer: &Proposer, node: Node<'t>, name: &str) -> Option<Node<'t>> {
    let field = |name| node.child_by_field_name(name);
    let (left, operator, right) = (field("left")?, field("operator")?, field("right")?);
    if node.kind() != "binary_expression" || !ORDER.contains(&operator.kind()) {
        return None;
    }
    match (proposer.text(left) == name, proposer.text(right) == name) {
        (true, false) => Some(right),
        (false, true) => Some(left),
        _ => None,
    }
}

/// Whether a comparison decides that a variable gets another value.
fn is_kept(proposer: &Proposer, comparison: Node, name: &str) -> bool {
    let mut outer = comparison;
    while matches!(outer.kind(), "binary_expression" | "parenthesized_expression") {
        let Some(parent) = outer.parent() else { return false };
        outer = parent;
    }
    let sets = |node: &Node| {
        let left = node.child_by_field_name("left").filter(|_| node.kind() == "assignment_expression");
        left.is_some_and(|left| proposer.text(left) == name)
    };
    outer.kind() == "if_statement" && nodes_with_blocks(outer).iter().any(sets)
}

/// `a[i].b` as `a[0].b`.
fn first_of(proposer: &Proposer, node: Node) -> Option<String> {
    let mut inner = node;
    while matches!(inner.kind(), "field_expression" | "parenthesized_expression") {
        inner = inner.child_by_field_name("argument").or_else(|| syntax::named_children(inner).first().copied())?;
    }
    let index = inner.child_by_field_name("index").filter(|_| inner.kind() == "subscript_expression")?;
    let (from, whole) = (node.start_byte(), proposer.text(node));
    Some(format!("{}0{}", &whole[..index.start_byte() - from], &whole[index.end_byte() - from..]))
}
