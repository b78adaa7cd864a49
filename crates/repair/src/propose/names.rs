//! Other variables and members of the same type.

use super::{Proposer, function_around, nodes_with_blocks};
use crate::edit::Kind;
use crate::unit::{Switch, Unit, called};
use tree_sitter::Node;
use wherefore_source::syntax;

/// Variables that one is exchanged for, at most.
const OTHERS: usize = 14;

/// Members that are stored instead of a variable, at most.
const MEMBERS: usize = 6;

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
                let price = if names_parameter(proposer, node.parent().unwrap_or(node)) { 5 } else { 3 };
                proposer.replace(unit, node.byte_range(), other, Kind::Variable, price);
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
    // Nobody keeps a variable for nothing.
    let left = if known.is_local && !assigned && is_read_once(proposer, node) { 2 } else { 0 };
    let alike = scope.visible(node.start_byte()).into_iter().filter(|n| n.shape == known.shape && n.name != name);
    for other in alike.take(OTHERS) {
        // A character is seldom meant for a number, nor a number for a fraction.
        let unlike = if other.written == known.written { 0 } else { 4 };
        // What is done to another one nearby may be what is meant here.
        let price = match () {
            () if is_given_likewise(proposer, node, &other.name) => 2,
            () if is_done_to(proposer, node, &other.name) => 3,
            () if other.is_local => 4,
            () => 5,
        };
        let fits = if names_parameter(proposer, node) { 2 } else { 0 };
        let price = price + u32::from(assigned) + unlike + fits + left;
        proposer.replace(unit, node.byte_range(), other.name.clone(), Kind::Variable, price);
    }
    let members = members_nearby(proposer, node);
    for (_, text) in members.iter().filter(|(member, _)| *member == name) {
        proposer.replace(unit, node.byte_range(), text.clone(), Kind::Variable, 4);
    }
    // What is stored may be a member of what is spoken of.
    let is_stored = node
        .parent()
        .is_some_and(|p| p.kind() == "assignment_expression" && p.child_by_field_name("right") == Some(node));
    // What a header declares is not known here; the compiler knows.
    let alike = |member: &str| {
        let mut declared = scope.structs.iter().flatten().filter(|(name, _)| name == member).peekable();
        declared.peek().is_none() || declared.any(|(_, shape)| *shape == known.shape)
    };
    for (_, text) in members.iter().filter(|(member, _)| is_stored && alike(member)).take(MEMBERS) {
        proposer.replace(unit, node.byte_range(), text.clone(), Kind::Variable, 5);
    }
    if known.shape.is_number() && !assigned {
        for constant in proposer.constants_near(node).into_iter().take(6) {
            proposer.replace(unit, node.byte_range(), constant, Kind::Constant, 5);
        }
    }
}

/// Whether the function reads a variable only here.
fn is_read_once(proposer: &Proposer, node: Node) -> bool {
    let is_read = |n: &Node| {
        n.parent().is_none_or(|p| {
            let set = p.kind() == "assignment_expression" && p.child_by_field_name("left") == Some(*n);
            let plain = p.child_by_field_name("operator").is_some_and(|o| o.kind() == "=");
            let declared = p.kind().ends_with("declarator") && p.child_by_field_name("declarator") == Some(*n);
            !(declared || p.kind().ends_with("declaration") || set && plain)
        })
    };
    let all = nodes_with_blocks(function_around(node)).into_iter();
    let same = all.filter(|n| n.kind() == "identifier" && proposer.text(*n) == proposer.text(node));
    same.filter(is_read).count() == 1
}

/// Whether an argument is called what the function calls its parameter, as in `days_in(month, d.year)`: it is meant.
pub(super) fn names_parameter(proposer: &Proposer, argument: Node) -> bool {
    let list = argument.parent().filter(|p| p.kind() == "argument_list");
    let name = list.and_then(|list| list.parent()).and_then(|call| called(call, proposer.text));
    let function = name.and_then(|name| proposer.scope.functions.iter().find(|f| f.name == name));
    let place = list.and_then(|list| syntax::named_children(list).iter().position(|n| *n == argument));
    let own = proposer.text(argument.child_by_field_name("field").unwrap_or(argument));
    function.zip(place).and_then(|(function, place)| function.called.get(place)).is_some_and(|name| name == own)
}

/// Whether another call of the same function in this one is given the same with the other variable: `f(x, &a[other])`.
fn is_given_likewise(proposer: &Proposer, node: Node, other: &str) -> bool {
    let mut argument = node;
    let list = loop {
        match argument.parent() {
            Some(list) if list.kind() == "argument_list" => break list,
            Some(outer) if outer.kind().ends_with("expression") => argument = outer,
            _ => return false,
        }
    };
    let place = |list: Node, what: Node| syntax::named_children(list).iter().position(|n| *n == what);
    let (Some(call), Some(position)) = (list.parent(), place(list, argument)) else { return false };
    let (from, whole) = (argument.start_byte(), proposer.text(argument));
    let wanted = [&whole[..node.start_byte() - from], other, &whole[node.end_byte() - from..]].concat();
    let called = |call: Node| call.child_by_field_name("function").map(|f| proposer.text(f).to_string());
    let own = called(call);
    nodes_with_blocks(function_around(node)).into_iter().filter(|n| n.kind() == "call_expression" && *n != call).any(
        |n| {
            let given =
                n.child_by_field_name("arguments").and_then(|l| syntax::named_children(l).get(position).copied());
            called(n) == own && given.is_some_and(|given| proposer.text(given) == wanted)
        },
    )
}

/// Whether `a[i]` with the other variable, `a[other]`, stands in the function.
fn is_done_to(proposer: &Proposer, node: Node, other: &str) -> bool {
    let Some(element) = node.parent().filter(|p| p.child_by_field_name("index") == Some(node)) else { return false };
    let Some(array) = element.child_by_field_name("argument") else { return false };
    let same = format!("{}[{other}]", proposer.text(array));
    nodes_with_blocks(function_around(node))
        .into_iter()
        .any(|n| n.kind() == "subscript_expression" && proposer.text(n) == same)
}

/// Members that the function speaks of, by name, as it does: `m->key`.
fn members_nearby(proposer: &Proposer, node: Node) -> Vec<(String, String)> {
    let member = |n: Node| {
        let field = n.child_by_field_name("field").filter(|_| n.kind() == "field_expression")?;
        Some((proposer.text(field).to_string(), proposer.text(n).to_string()))
    };
    let mut found: Vec<(String, String)> =
        nodes_with_blocks(function_around(node)).into_iter().filter_map(member).collect();
    found.sort();
    found.dedup();
    found
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
