//! Statements that are forgotten where another one reminds of them: a flag is not cleared, a number does not begin anew, the
//! one before is not remembered, and what is done for one member is not done for the next.

use super::{Proposer, indent, nodes, nodes_with_blocks, stands_free};
use crate::edit::Kind;
use std::collections::HashSet;
use std::ops::Range;
use tree_sitter::Node;
use wherefore_source::syntax;

/// Pairs of variables of a loop, and other members of a statement, at most.
const PAIRS: usize = 6;
const SIBLINGS: usize = 4;

pub(super) fn of(proposer: &mut Proposer, root: Node, is_wanted: &dyn Fn(&Range<usize>) -> bool) {
    for node in nodes_with_blocks(root).into_iter().filter(|n| is_wanted(&n.byte_range())) {
        match node.kind() {
            "if_statement" => decided(proposer, node),
            "for_statement" | "while_statement" | "do_statement" => remembered(proposer, node),
            "expression_statement" if stands_free(node) => of_siblings(proposer, node),
            _ => {}
        }
    }
}

/// What an `if` has seen is over when its statements are done: `if (escaped) { ...; escaped = 0; }`,
/// `if (month > 12) { ...; month = 1; }`.
fn decided(proposer: &mut Proposer, node: Node) {
    let (Some(condition), Some(body)) =
        (node.child_by_field_name("condition"), node.child_by_field_name("consequence"))
    else {
        return;
    };
    let Some(last) = syntax::named_children(body).last().copied().filter(|_| body.kind() == "compound_statement")
    else {
        return;
    };
    if super::is_jump(last) {
        return;
    }
    let condition = syntax::without_parentheses(condition);
    let field = |name| condition.child_by_field_name(name);
    let text = |node: Node| proposer.text(node).to_string();
    let mut statements: Vec<(String, u32)> = vec![];
    match condition.kind() {
        "identifier" | "field_expression" if is_number(proposer, condition) => {
            statements.push((format!("{} = 0;", text(condition)), 3));
        }
        "unary_expression" => {
            let flag = field("argument").filter(|n| is_place(*n) && proposer.text(condition).starts_with('!'));
            let flag = flag.filter(|flag| is_number(proposer, *flag));
            statements.extend(flag.map(|flag| (format!("{} = 1;", text(flag)), 3)));
        }
        "binary_expression" => {
            let (Some(left), Some(operator), Some(right)) = (field("left"), field("operator"), field("right")) else {
                return;
            };
            let compares = matches!(operator.kind(), "<" | "<=" | ">" | ">=" | "==");
            if is_place(left) && compares && is_number(proposer, left) {
                let (counted, bound) = (text(left), text(right));
                statements.push((format!("{counted} = 0;"), 4));
                statements.push((format!("{counted} = 1;"), 4));
                statements.push((format!("{counted} -= {bound};"), 5));
                statements.push((format!("{counted} = {bound};"), 5));
            }
        }
        _ => {}
    }
    let before = proposer.text(body).to_string();
    let space = indent(proposer.text, last.start_byte()).to_string();
    for (statement, price) in statements.into_iter().filter(|(statement, _)| !before.contains(statement.as_str())) {
        proposer.insert(last.end_byte(), format!("\n{space}{statement}"), Kind::Insertion, price);
    }
}

/// A variable that a loop looks at and never sets may have to be what another one was in the round before: `prev = p;`.
fn remembered(proposer: &mut Proposer, node: Node) {
    let Some(body) = node.child_by_field_name("body").filter(|body| body.kind() == "compound_statement") else {
        return;
    };
    let Some(last) = syntax::named_children(body).last().copied() else { return };
    let inside = nodes_with_blocks(node);
    let set: HashSet<&str> = inside.iter().filter_map(|n| target(*n)).map(|n| proposer.text(n)).collect();
    let at_last: HashSet<&str> = nodes(last).into_iter().filter_map(target).map(|n| proposer.text(n)).collect();
    let mut seen = HashSet::new();
    let used = inside.iter().filter(|n| n.kind() == "identifier").map(|n| proposer.text(*n));
    let used: Vec<&str> = used.filter(|name| seen.insert(*name)).collect();
    let known = |name: &str| proposer.scope.find(name, last.start_byte()).filter(|n| n.is_local && !n.is_array);
    let mut pairs = vec![];
    for old in used.iter().filter(|name| !set.contains(**name)) {
        let Some(old_shape) = known(old).map(|n| &n.shape) else { continue };
        for new in used.iter().filter(|name| set.contains(**name)) {
            if known(new).is_some_and(|n| n.shape == *old_shape) {
                pairs.push((format!("{old} = {new};"), at_last.contains(new)));
            }
        }
    }
    pairs.truncate(PAIRS);
    let space = indent(proposer.text, last.start_byte()).to_string();
    for (statement, goes_on) in pairs {
        // Before the loop goes on to the next.
        match goes_on {
            true => proposer.insert(last.start_byte(), format!("{statement}\n{space}"), Kind::Insertion, 4),
            false => proposer.insert(last.end_byte(), format!("\n{space}{statement}"), Kind::Insertion, 4),
        }
    }
}

/// What an assignment sets.
fn target(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "assignment_expression" => node.child_by_field_name("left"),
        "update_expression" => node.child_by_field_name("argument"),
        _ => None,
    }
}

/// `strcpy(to->name, from->name);` and the same for the other members.
fn of_siblings(proposer: &mut Proposer, statement: Node) {
    let fields: Vec<Node> = nodes(statement).into_iter().filter(|n| n.kind() == "field_identifier").collect();
    let Some(member) = fields.first().map(|n| proposer.text(*n).to_string()) else { return };
    let mut same: Vec<Node> = fields.into_iter().filter(|n| proposer.text(*n) == member).collect();
    same.sort_by_key(Node::start_byte);
    // What is done to one object alone says nothing about its other members.
    if same.len() < 2 {
        return;
    }
    let start = statement.start_byte();
    let around = statement.parent().map(|block| proposer.text(block).to_string()).unwrap_or_default();
    let space = indent(proposer.text, start).to_string();
    // Where several are copied one by one, the one that is not is missed.
    let alike = around.matches(&format!("->{member} = ")).count() + around.matches(&format!(".{member} = ")).count();
    let copies = statement.parent().map(syntax::named_children).unwrap_or_default();
    let is_copy = |n: &Node| n.kind() == "expression_statement" && proposer.text(*n).contains(" = ");
    let several = alike > 0 && copies.iter().filter(|n| is_copy(n)).count() > 1;
    let price = if several { 2 } else { 4 };
    let others: Vec<String> = proposer.scope.siblings(&member).into_iter().map(String::from).collect();
    for other in others.into_iter().take(SIBLINGS) {
        let mut text = proposer.text(statement).to_string();
        for field in same.iter().rev() {
            text.replace_range(field.start_byte() - start..field.end_byte() - start, &other);
        }
        if !around.contains(&text) {
            proposer.insert(statement.end_byte(), format!("\n{space}{text}"), Kind::Insertion, price);
        }
    }
}

fn is_place(node: Node) -> bool {
    matches!(node.kind(), "identifier" | "field_expression")
}

/// Whether a variable or member is a number.
fn is_number(proposer: &Proposer, node: Node) -> bool {
    let (name, at) = (proposer.text(node), node.start_byte());
    match node.child_by_field_name("field") {
        Some(field) => {
            let member = proposer.text(field);
            proposer.scope.structs.iter().flatten().any(|(name, shape)| name == member && shape.is_number())
        }
        None => proposer.scope.find(name, at).is_some_and(|n| n.shape.is_number()),
    }
}
