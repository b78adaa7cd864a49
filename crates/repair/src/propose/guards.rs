//! Conditions made stronger or weaker by one that stands elsewhere in the function or that memory suggests.

use super::{Proposer, function_around, is_simple, nodes, nodes_with_blocks};
use crate::edit::Kind;
use crate::scope::Shape;
use crate::unit::{Switch, Unit, called};
use std::collections::HashSet;
use tree_sitter::Node;
use wherefore_source::syntax;

/// Conditions that one is joined with, at most.
const OTHERS: usize = 10;

/// The price of a condition that nothing in the text suggests, and the names and constants that it may speak of.
const FAR: u32 = 20;
const NAMES: usize = 12;
const CONSTANTS: usize = 8;

/// Members of a struct that a condition is joined with, at most.
const SIBLINGS: usize = 6;

pub(super) fn of(proposer: &mut Proposer, unit: &Unit) {
    if let Some(truth) = truth(proposer, unit) {
        limited(proposer, unit, truth);
    }
    match &unit.switch {
        Switch::Condition(_) => condition(proposer, unit),
        Switch::Effect(_) | Switch::Statement(_) => statement(proposer, unit),
        _ => {}
    }
}

fn condition(proposer: &mut Proposer, unit: &Unit) {
    let own = operand(proposer, unit.node, "&&");
    let own_or = operand(proposer, unit.node, "||");
    for (other, price) in suggested(proposer, unit.node) {
        proposer.replace(unit, unit.node.byte_range(), format!("{other} && {own}"), Kind::Condition, price);
        proposer.replace(unit, unit.node.byte_range(), format!("{own} && {other}"), Kind::Condition, price);
        // What was followed before is not null: that would always hold.
        if !other.ends_with(" != NULL") {
            proposer.replace(unit, unit.node.byte_range(), format!("{own_or} || {other}"), Kind::Condition, price);
        }
    }
    for other in elsewhere(proposer, unit.node) {
        proposer.replace(unit, unit.node.byte_range(), format!("{own} && {other}"), Kind::Condition, 6);
        proposer.replace(unit, unit.node.byte_range(), format!("{own_or} || {other}"), Kind::Condition, 6);
    }
}

/// What of a unit is true or false.
fn truth<'t>(proposer: &Proposer, unit: &Unit<'t>) -> Option<Node<'t>> {
    let value = match (&unit.switch, unit.node.kind()) {
        (Switch::Condition(_), _) => return Some(unit.node),
        (Switch::Build, _) => return None,
        (_, "assignment_expression") => unit.node.child_by_field_name("right")?,
        (_, "return_statement") => *syntax::named_children(unit.node).first()?,
        (Switch::Initialiser(..), _) => unit.node,
        _ => return None,
    };
    let value = syntax::without_parentheses(value);
    let operator = value.child_by_field_name("operator").map(|o| proposer.text(o))?;
    matches!(operator, "&&" | "||" | "!" | "<" | "<=" | ">" | ">=" | "==" | "!=").then_some(value)
}

/// Joins what is true or false with what is not spoken of there: whether a variable is zero, or beyond a constant. Those
/// that the function does not use yet come first: who forgets a condition often leaves a variable that nobody reads.
fn limited(proposer: &mut Proposer, unit: &Unit, truth: Node) {
    let used = |node: Node| {
        let names = nodes_with_blocks(node).into_iter().filter(|n| n.kind() == "identifier");
        names.map(|n| proposer.text(n).to_string()).collect::<HashSet<String>>()
    };
    let (here, around) = (used(truth), used(function_around(truth)));
    let visible = proposer.scope.visible(truth.start_byte()).into_iter();
    let numbers = visible.filter(|n| n.shape.is_number() && !here.contains(&n.name));
    let mut names: Vec<String> = numbers.map(|n| n.name.clone()).collect();
    names.sort_by_key(|name| around.contains(name));
    let constants: Vec<String> = proposer.constants_near(truth).into_iter().take(CONSTANTS).collect();
    let (and, or) = (operand(proposer, truth, "&&"), operand(proposer, truth, "||"));
    for name in names.into_iter().take(NAMES) {
        let compared = constants.iter().flat_map(|c| [format!("{name} > {c}"), format!("{name} < {c}")]);
        for other in [name.clone(), format!("!{name}")].into_iter().chain(compared) {
            proposer.replace(unit, truth.byte_range(), format!("{and} && {other}"), Kind::Condition, FAR);
            proposer.replace(unit, truth.byte_range(), format!("{or} || {other}"), Kind::Condition, FAR);
        }
    }
}

fn operand(proposer: &Proposer, node: Node, operator: &str) -> String {
    let text = proposer.text(node);
    let looser = node.child_by_field_name("operator").is_some_and(|o| o.kind() == "||" && operator == "&&");
    let loose =
        looser || matches!(node.kind(), "assignment_expression" | "conditional_expression" | "comma_expression");
    if loose { format!("({text})") } else { text.to_string() }
}

/// What has to hold for the expression to make sense, and comparisons of its variables with those in scope.
fn suggested(proposer: &Proposer, node: Node) -> Vec<(String, u32)> {
    let mut found: Vec<(String, u32)> = vec![];
    let mut add = |text: String, price: u32| {
        if !found.iter().any(|(known, _)| *known == text) {
            found.push((text, price));
        }
    };
    let scope = proposer.scope;
    for inner in nodes(node) {
        if inner.kind() == "field_expression" {
            siblings(proposer, inner).into_iter().for_each(|sibling| add(sibling, 6));
        }
        match inner.kind() {
            "field_expression" | "pointer_expression" | "subscript_expression" => {
                let Some(base) = inner.child_by_field_name("argument").filter(|b| is_simple(*b)) else { continue };
                let arrow = inner.child_by_field_name("operator").is_some_and(|o| matches!(o.kind(), "->" | "*"));
                if arrow {
                    add(format!("{} != NULL", proposer.text(base)), 4);
                }
                if let Some(index) = inner.child_by_field_name("index") {
                    let index = proposer.text(index).to_string();
                    add(format!("{index} > 0"), 5);
                    let bounds = scope.visible(node.start_byte()).into_iter().filter(|n| n.shape.is_number());
                    let names = bounds.map(|n| &n.name).chain(&scope.constants);
                    for bound in names.filter(|n| **n != index).take(OTHERS) {
                        add(format!("{index} < {bound}"), 5);
                    }
                }
            }
            "identifier" => {
                let known = scope.find(proposer.text(inner), inner.start_byte());
                match known {
                    Some(name) if name.shape.is_pointer() && !name.is_array => add(format!("{} != NULL", name.name), 5),
                    Some(name) if name.shape.is_number() => {
                        add(format!("{} != 0", name.name), 6);
                        add(format!("{} > 0", name.name), 6);
                        let others = scope.visible(node.start_byte()).into_iter();
                        for other in others.filter(|o| o.shape.is_number() && o.name != name.name && o.is_local).take(4)
                        {
                            add(format!("{} < {}", name.name, other.name), 7);
                            add(format!("{} != {}", name.name, other.name), 7);
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether another member of the same struct is set, or is not.
fn siblings(proposer: &Proposer, member: Node) -> Vec<String> {
    let (Some(base), Some(field)) = (member.child_by_field_name("argument"), member.child_by_field_name("field"))
    else {
        return vec![];
    };
    let whole = proposer.text(member);
    let prefix = &whole[..whole.len() - proposer.text(field).len()];
    let known = |members: &&Vec<(String, Shape)>| members.iter().any(|(name, _)| name == proposer.text(field));
    let members = proposer.scope.structs.iter().find(known).into_iter().flatten();
    let numbers = members.filter(|(name, shape)| shape.is_number() && name != proposer.text(field)).take(SIBLINGS);
    // What is computed to find the struct is not computed twice.
    let simple = !proposer.text(base).contains(['(', '+', '-', '=']);
    numbers.filter(|_| simple).flat_map(|(name, _)| [format!("{prefix}{name}"), format!("!{prefix}{name}")]).collect()
}

/// Simple conditions of the same function, and what they deny.
fn elsewhere(proposer: &Proposer, node: Node) -> Vec<String> {
    let mut found = vec![];
    let mut work = vec![function_around(node)];
    while let Some(other) = work.pop() {
        let compares = other.child_by_field_name("operator").is_some_and(|o| {
            matches!(o.kind(), "<" | "<=" | ">" | ">=" | "==" | "!=") && other.kind() == "binary_expression"
        });
        // What is read or changed by a look is looked at once.
        if compares && other != node && !does_something(proposer, other) {
            let text = proposer.text(other).to_string();
            if text.len() <= 40 && !found.contains(&text) {
                found.push(text);
            }
        }
        work.extend(syntax::named_children(other));
    }
    found.truncate(OTHERS);
    found
}

/// Whether an expression changes something, as far as the text tells: it assigns, or calls what reads or writes.
fn does_something(proposer: &Proposer, node: Node) -> bool {
    nodes(node).into_iter().any(|n| match n.kind() {
        "assignment_expression" | "update_expression" => true,
        "call_expression" => called(n, proposer.text)
            .and_then(wherefore_clib::function)
            .is_some_and(|f| !f.only_reads() || f.reads_input.is_some()),
        _ => false,
    })
}

/// `return p->x;` as `return p != NULL ? p->x : 0;`.
fn before_return(proposer: &mut Proposer, unit: &Unit) {
    let Some(value) = syntax::named_children(unit.node).first().copied() else { return };
    let returns = proposer.scope.function(value.start_byte()).and_then(|f| f.returns.as_ref());
    let Some(none) = returns.map(|shape| if shape.is_pointer() { "NULL" } else { "0" }) else { return };
    let own = proposer.text(value);
    let checks = suggested(proposer, value).into_iter().filter(|(check, _)| check.ends_with(" != NULL"));
    let guarded: Vec<String> = checks.map(|(check, _)| format!("{check} ? {own} : {none}")).collect();
    for with in guarded {
        proposer.replace(unit, value.byte_range(), with, Kind::Condition, 4);
    }
}

/// A condition in front of a statement.
fn statement(proposer: &mut Proposer, unit: &Unit) {
    if unit.node.kind() == "return_statement" {
        return before_return(proposer, unit);
    }
    let effect = matches!(unit.switch, Switch::Effect(_));
    let Some(statement) = unit.node.parent().filter(|p| effect && p.kind() == "expression_statement") else { return };
    // Only what stands free or is a body: not the parts of a `for`.
    let indent = super::indent(proposer.text, statement.start_byte()).to_string();
    let text = proposer.text(statement).to_string();
    let mut conditions = suggested(proposer, unit.node);
    conditions.extend(elsewhere(proposer, unit.node).into_iter().map(|c| (c, 7)));
    // What is freed under another condition is not freed else.
    let frees = if text.starts_with("free(") { 3 } else { 0 };
    for (condition, price) in conditions {
        let price = price + frees;
        let with = format!("if ({condition})\n{indent}    {text}");
        let part =
            crate::edit::Part { at: statement.byte_range(), with, switch: Switch::Statement(statement.byte_range()) };
        let file = proposer.file;
        proposer.edits.push(crate::edit::Edit { file, parts: vec![part], kind: Kind::Condition, price: price + 1 });
    }
}
