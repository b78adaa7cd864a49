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
        for other in scope.constants.iter().filter(|c| **c != name).take(OTHERS) {
            proposer.replace(unit, node.byte_range(), other.clone(), Kind::Constant, 3);
        }
        return;
    }
    let Some(known) = scope.find(&name, node.start_byte()) else { return };
    let assigned = node
        .parent()
        .is_some_and(|p| p.child_by_field_name("left") == Some(node) && p.kind() == "assignment_expression");
    let alike = scope.visible(node.start_byte()).into_iter().filter(|n| n.shape == known.shape && n.name != name);
    for other in alike.take(OTHERS) {
        let price = if other.is_local { 3 } else { 4 } + u32::from(assigned);
        proposer.replace(unit, node.byte_range(), other.name.clone(), Kind::Variable, price);
    }
    if known.shape.is_number() && !assigned {
        for constant in scope.constants.iter().take(6) {
            proposer.replace(unit, node.byte_range(), constant.clone(), Kind::Constant, 5);
        }
    }
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
