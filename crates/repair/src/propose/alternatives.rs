//! What was not thought of: one more character that a comparison allows, and what to do where a pointer is null.

use super::{Proposer, function_around, indent, nodes_with_blocks};
use crate::edit::{Edit, Kind, Part};
use crate::unit::{Switch, Unit};
use std::ops::Range;
use tree_sitter::Node;
use wherefore_source::syntax;

/// Characters that a comparison is extended by, at most, and pointers that are set instead.
const CHARACTERS: usize = 12;
const POINTERS: usize = 6;

/// `c == '*'` as `c == '*' || c == '%'`, and `c != '*'` likewise, with characters that the program speaks of.
pub(super) fn of(proposer: &mut Proposer, unit: &Unit, node: Node) {
    let field = |name| node.child_by_field_name(name);
    let (Some(left), Some(operator), Some(right)) = (field("left"), field("operator"), field("right")) else { return };
    let joint = match operator.kind() {
        "==" => "||",
        "!=" => "&&",
        _ => return,
    };
    if right.kind() != "char_literal" || !matches!(unit.switch, Switch::Condition(_)) {
        return;
    }
    let parent = node.parent().and_then(|p| p.child_by_field_name("operator")).map(|o| proposer.text(o).to_string());
    let (own, compared) = (proposer.text(node).to_string(), proposer.text(left).to_string());
    // What is read anew at each look is looked at once.
    if compared.contains(['(', '=']) || compared.contains("++") || compared.contains("--") {
        return;
    }
    let is_listed = parent.as_deref() == Some(joint);
    let condition = proposer.text(unit.node).to_string();
    for other in characters(proposer, node).into_iter().filter(|other| !condition.contains(other.as_str())) {
        let both = format!("{own} {joint} {compared} {} {other}", proposer.text(operator));
        // Inside of the other operator it needs parentheses.
        let with = if parent.is_none() || is_listed || joint == "&&" { both } else { format!("({both})") };
        proposer.replace(unit, node.byte_range(), with, Kind::Condition, if is_listed { 4 } else { 6 });
    }
}

/// The characters of the program, those of the same function first.
fn characters(proposer: &Proposer, node: Node) -> Vec<String> {
    let here = function_around(node);
    let root = here.parent().unwrap_or(here);
    let mut found: Vec<String> = vec![];
    for other in [here, root].into_iter().flat_map(nodes_with_blocks).filter(|n| n.kind() == "char_literal") {
        let text = proposer.text(other).to_string();
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found.truncate(CHARACTERS);
    found
}

/// `if (p != NULL) p->next = x;` with `else head = x;`: who comes first in a list is kept somewhere else.
pub(super) fn otherwise(proposer: &mut Proposer, root: Node, is_wanted: &dyn Fn(&Range<usize>) -> bool) {
    for node in nodes_with_blocks(root).into_iter().filter(|n| n.kind() == "if_statement") {
        let field = |name| node.child_by_field_name(name);
        let (Some(body), None) = (field("consequence"), field("alternative")) else { continue };
        let Some((member, value)) = only_assignment(body).filter(|_| is_wanted(&node.byte_range())) else { continue };
        let (member, value) = (proposer.text(member).to_string(), proposer.text(value).to_string());
        let base = member.split("->").next().unwrap_or_default();
        let visible = proposer.scope.visible(node.start_byte()).into_iter();
        let pointers = visible.filter(|n| n.shape.is_pointer() && !n.is_array && n.name != base);
        // What lives longer than the function is what a list begins with.
        let mut names: Vec<(bool, String)> = pointers.map(|n| (n.is_local, n.name.clone())).collect();
        names.sort();
        let (text, indent) = (proposer.text(node).to_string(), indent(proposer.text, node.start_byte()).to_string());
        for (_, name) in names.into_iter().filter(|(_, name)| *name != value).take(POINTERS) {
            let with = format!("{text}\n{indent}else\n{indent}    {name} = {value};");
            let part = Part { at: node.byte_range(), with, switch: Switch::Statement(node.byte_range()) };
            proposer.edits.push(Edit { file: proposer.file, parts: vec![part], kind: Kind::Insertion, price: 5 });
        }
    }
}

/// The two sides of the only statement of a body, where that stores into a member through a pointer.
fn only_assignment(body: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let statement = match body.kind() {
        "compound_statement" => match syntax::named_children(body)[..] {
            [one] => one,
            _ => return None,
        },
        _ => body,
    };
    let inner = syntax::named_children(statement).first().copied()?;
    let is_plain = inner.child_by_field_name("operator").is_some_and(|o| o.kind() == "=");
    let (left, right) = (inner.child_by_field_name("left")?, inner.child_by_field_name("right")?);
    let is_member =
        left.kind() == "field_expression" && left.child_by_field_name("operator").is_some_and(|o| o.kind() == "->");
    (inner.kind() == "assignment_expression" && is_plain && is_member).then_some((left, right))
}
