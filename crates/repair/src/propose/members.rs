//! Members that are set with the others of their struct: `n->value = v;` and nobody has set `n->next`.

use super::{Proposer, indent, nodes_with_blocks, stands_free};
use crate::edit::Kind;
use std::ops::Range;
use tree_sitter::Node;
use wherefore_source::syntax;

/// Members that are set beside others, at most.
const MOST: usize = 6;

/// What a function sets of one struct.
struct Filled<'t> {
    /// `n->`.
    prefix: String,
    members: Vec<String>,
    last: Node<'t>,
}

pub(super) fn of(proposer: &mut Proposer, root: Node, is_wanted: &dyn Fn(&Range<usize>) -> bool) {
    for function in syntax::named_children(root).into_iter().filter(|n| n.kind() == "function_definition") {
        for filled in filled(proposer, function) {
            if is_wanted(&filled.last.byte_range()) {
                others(proposer, &filled);
            }
        }
    }
}

/// What a function sets, by struct; the last statement that does so and stands among others.
fn filled<'t>(proposer: &Proposer, function: Node<'t>) -> Vec<Filled<'t>> {
    let mut found: Vec<Filled> = vec![];
    let mut statements: Vec<Node> = nodes_with_blocks(function);
    statements.sort_by_key(Node::start_byte);
    for statement in statements.into_iter().filter(|n| n.kind() == "expression_statement" && stands_free(*n)) {
        let assignment = syntax::named_children(statement).first().copied();
        let left =
            assignment.filter(|n| n.kind() == "assignment_expression").and_then(|n| n.child_by_field_name("left"));
        let Some(left) = left.filter(|n| n.kind() == "field_expression") else { continue };
        let Some(field) = left.child_by_field_name("field") else { continue };
        let member = proposer.text(field).to_string();
        let prefix = proposer.text[left.start_byte()..field.start_byte()].to_string();
        match found.iter_mut().find(|f| f.prefix == prefix) {
            Some(known) => {
                known.members.push(member);
                known.last = statement;
            }
            None => found.push(Filled { prefix, members: vec![member], last: statement }),
        }
    }
    found
}

/// Sets the members that are not set yet.
fn others(proposer: &mut Proposer, filled: &Filled) {
    let has_all = |members: &&Vec<_>| filled.members.iter().all(|own| members.iter().any(|(name, _)| name == own));
    let Some(members) = proposer.scope.structs.iter().find(has_all) else { return };
    let unset = members.iter().filter(|(name, _)| !filled.members.contains(name));
    let zero = |shape: &crate::scope::Shape| match () {
        () if shape.is_pointer() => Some("NULL"),
        () if shape.is_number() => Some("0"),
        () => None,
    };
    let texts = unset.filter_map(|(name, shape)| Some(format!("{}{name} = {};", filled.prefix, zero(shape)?)));
    let space = indent(proposer.text, filled.last.start_byte());
    for text in texts.take(MOST).collect::<Vec<_>>() {
        proposer.insert(filled.last.end_byte(), format!("\n{space}{text}"), Kind::Insertion, 3);
    }
}
