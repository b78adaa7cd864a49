//! Differences that stand for comparisons: they lose fractions, overflow, or are never negative.

use super::{Proposer, is_simple};
use crate::edit::Kind;
use crate::unit::Unit;
use tree_sitter::Node;
use wherefore_source::syntax;

/// Variables that a sum is extended by, at most.
const TERMS: usize = 8;

pub(super) fn of(proposer: &mut Proposer, unit: &Unit, node: Node) {
    match node.kind() {
        "return_statement" => ordered(proposer, unit, node),
        "binary_expression" => {
            compared(proposer, unit, node);
            further_term(proposer, unit, node);
        }
        _ => {}
    }
}

/// `return a->price - b->price;` as `return (a->price > b->price) - (a->price < b->price);`.
fn ordered(proposer: &mut Proposer, unit: &Unit, node: Node) {
    let value = syntax::named_children(node).first().copied().map(syntax::without_parentheses);
    let Some((value, left, right)) = value.and_then(|value| difference(value).map(|(a, b)| (value, a, b))) else {
        return;
    };
    let returns_number = proposer
        .scope
        .function(node.start_byte())
        .is_some_and(|f| f.parameters.len() == 2 && f.returns.as_ref().is_some_and(|shape| shape.is_number()));
    if returns_number {
        let (a, b) = (proposer.text(left), proposer.text(right));
        let with = format!("({a} > {b}) - ({a} < {b})");
        proposer.replace(unit, value.byte_range(), with, Kind::Expression, 3);
    }
}

/// `a - b < 0` as `a < b`.
fn compared(proposer: &mut Proposer, unit: &Unit, node: Node) {
    let field = |name| node.child_by_field_name(name);
    let (Some(left), Some(operator), Some(right)) = (field("left"), field("operator"), field("right")) else { return };
    let compares = matches!(operator.kind(), "<" | "<=" | ">" | ">=");
    let Some((a, b)) = difference(syntax::without_parentheses(left)).filter(|_| compares) else { return };
    if matches!(proposer.text(right), "0" | "0u" | "0U" | "0L" | "0.0") {
        let with = format!("{} {} {}", proposer.text(a), operator.kind(), proposer.text(b));
        proposer.replace(unit, node.byte_range(), with, Kind::Expression, 2);
    }
}

/// `used + len > width` as `used + len + words > width`, with a variable that is not spoken of yet.
fn further_term(proposer: &mut Proposer, unit: &Unit, node: Node) {
    let field = |name| node.child_by_field_name(name);
    let (Some(left), Some(operator)) = (field("left"), field("operator")) else { return };
    let compares = matches!(operator.kind(), "<" | "<=" | ">" | ">=");
    let is_sum = left.child_by_field_name("operator").is_some_and(|o| o.kind() == "+");
    if !compares || !is_sum || left.kind() != "binary_expression" {
        return;
    }
    let own = proposer.text(node).to_string();
    let words: Vec<&str> = own.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let visible = proposer.scope.visible(node.start_byte()).into_iter();
    let numbers = visible.filter(|n| n.shape.is_number() && !words.contains(&n.name.as_str()));
    let names: Vec<String> = numbers.map(|n| n.name.clone()).take(TERMS).collect();
    for name in names {
        proposer.replace(unit, left.end_byte()..left.end_byte(), format!(" + {name}"), Kind::Expression, 6);
    }
}

/// The two sides of a difference of plain things.
fn difference(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let (left, right) = (node.child_by_field_name("left")?, node.child_by_field_name("right")?);
    let minus = node.child_by_field_name("operator").is_some_and(|o| o.kind() == "-");
    (minus && node.kind() == "binary_expression" && is_plain(left) && is_plain(right)).then_some((left, right))
}

fn is_plain(node: Node) -> bool {
    is_simple(node) || node.kind() == "pointer_expression"
}
