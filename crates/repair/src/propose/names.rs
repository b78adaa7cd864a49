//! Other variables and members of the same type.

use super::Proposer;
use crate::edit::Kind;
use crate::unit::{Switch, Unit};
use tree_sitter::Node;

/// Variables that one is exchanged for, at most.
const OTHERS: usize = 14;

pub(super) fn of(proposer: &mut Proposer, unit: &Unit, node: Node) {
    if unit.switch == Switch::Build {
        return;
    }
    match node.kind() {
        "identifier" => variable(proposer, unit, node),
        "field_identifier" => {
            let siblings: Vec<String> =
                proposer.scope.siblings(proposer.text(node)).into_iter().map(String::from).collect();
            for other in siblings {
                proposer.replace(unit, node.byte_range(), other, Kind::Variable, 3);
            }
        }
        "field_expression" => element_for_whole(proposer, unit, node),
        "subscript_expression" => indices(proposer, unit, node),
        _ => {}
    }
}

fn variable(proposer: &mut Proposer, unit: &Unit, node: Node) {
    let scope = proposer.scope;
    let is_called =
        node.parent().is_some_and(|p| p.kind() == "call_expression" && p.child_by_field_name("function") == Some(node));
    if is_called {
        return;
    }
    let name = proposer.text(node).to_string();
    if scope.constants.contains(&name) {
        for other in proposer.constants_near(node).into_iter().filter(|c| *c != name).take(OTHERS) {
            proposer.replace(unit, node.byte_range(), other, Kind::Constant, 3);
        }
        return;
    }
    let Some(known) = scope.find(&name, node.start_byte()) else { return };
    let assigned = node
        .parent()
        .is_some_and(|p| p.child_by_field_name("left") == Some(node) && p.kind() == "assignment_expression");
    let alike = scope.visible(node.start_byte()).into_iter().filter(|n| n.shape == known.shape && n.name != name);
    // `x < x` says nothing.
    let beside = node.parent().filter(|p| p.kind() == "binary_expression").map(|p| {
        let sides = ["left", "right"].map(|side| p.child_by_field_name(side).filter(|n| *n != node));
        sides.into_iter().flatten().map(|n| proposer.text(n).to_string()).collect::<Vec<_>>()
    });
    for other in alike.filter(|n| !beside.as_ref().is_some_and(|texts| texts.contains(&n.name))).take(OTHERS) {
        let price = if other.is_local { 4 } else { 5 } + u32::from(assigned);
        proposer.replace(unit, node.byte_range(), other.name.clone(), Kind::Variable, price);
    }
    if known.shape.is_number() && !assigned {
        for constant in proposer.constants_near(node).into_iter().take(6) {
            proposer.replace(unit, node.byte_range(), constant, Kind::Constant, 5);
        }
    }
}

/// `m[i][j]` as `m[j][i]`.
fn indices(proposer: &mut Proposer, unit: &Unit, node: Node) {
    let field = |node: Node<'_>, name: &str| node.child_by_field_name(name).map(|n| proposer.text(n).to_string());
    let Some(inner) = node.child_by_field_name("argument").filter(|a| a.kind() == "subscript_expression") else {
        return;
    };
    let (Some(array), Some(first), Some(second)) =
        (field(inner, "argument"), field(inner, "index"), field(node, "index"))
    else {
        return;
    };
    proposer.replace(unit, node.byte_range(), format!("{array}[{second}][{first}]"), Kind::Expression, 3);
}

/// `a.x` of another variable with that member is exchanged by its name; here `p->next` for `p` and the other way about.
fn element_for_whole(proposer: &mut Proposer, unit: &Unit, node: Node) {
    let Some(argument) = node.child_by_field_name("argument") else { return };
    let argument_text = proposer.text(argument).to_string();
    proposer.replace(unit, node.byte_range(), argument_text, Kind::Expression, 5);
    if let Some(field) = node.child_by_field_name("field") {
        let member = proposer.text(field).to_string();
        let twice = format!("{}->{member}", proposer.text(node));
        proposer.replace(unit, node.byte_range(), twice, Kind::Expression, 5);
    }
}
