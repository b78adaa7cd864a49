//! Statements of other functions, and checks that leave: where one is missing, its like often stands elsewhere.

use super::{Proposer, function_around, indent, nodes_with_blocks, stands_free};
use crate::edit::Kind;
use crate::unit::ends_or_checks;
use std::collections::HashSet;
use std::ops::Range;
use tree_sitter::Node;
use wherefore_source::syntax;

/// Statements that are borrowed, at most, and the longest of them.
const LENDERS: usize = 48;
const LONGEST: usize = 80;

/// What it costs: there are many places for each.
const PRICE: u32 = 9;

/// A statement that is tried elsewhere.
struct Lent<'t> {
    text: &'t str,
    names: HashSet<&'t str>,
    /// The function it comes from; nobody borrows from himself but checks.
    function: usize,
    checks: bool,
}

pub(super) fn of(proposer: &mut Proposer, root: Node, is_wanted: &dyn Fn(&Range<usize>) -> bool) {
    let text = proposer.text;
    let all: Vec<Node> = nodes_with_blocks(root);
    let mut lent: Vec<Lent> = vec![];
    for node in &all {
        if let Some(one) = lending(*node, text).filter(|one| lent.iter().all(|known| known.text != one.text)) {
            lent.push(one);
        }
    }
    lent.sort_by_key(|one| one.text.len());
    lent.truncate(LENDERS);
    let variables: HashSet<&str> = proposer.scope.names.iter().map(|n| n.name.as_str()).collect();
    for place in all.into_iter().filter(|n| n.kind().ends_with("_statement") && stands_free(*n)) {
        if !is_wanted(&place.byte_range()) {
            continue;
        }
        let here = function_around(place).start_byte();
        let scope = proposer.scope;
        let own = scope.function(place.start_byte()).map(|function| function.name.as_str());
        // What is no variable is a function or a constant; nobody borrows what calls himself.
        let means = |name: &&str| match variables.contains(*name) {
            true => scope.find(name, place.start_byte()).is_some(),
            false => Some(*name) != own,
        };
        let last = place.next_named_sibling().is_none();
        let space = indent(text, place.start_byte());
        for one in lent.iter().filter(|one| (one.checks || one.function != here) && one.names.iter().all(means)) {
            proposer.insert(place.start_byte(), format!("{}\n{space}", one.text), Kind::Insertion, PRICE);
            if last {
                proposer.insert(place.end_byte(), format!("\n{space}{}", one.text), Kind::Insertion, PRICE);
            }
        }
    }
}

/// A short statement that does something, or leaves under a condition.
fn lending<'t>(node: Node, text: &'t str) -> Option<Lent<'t>> {
    let field = |name| node.child_by_field_name(name);
    let checks = node.kind() == "if_statement"
        && field("alternative").is_none()
        && field("consequence").is_some_and(|body| {
            matches!(body.kind(), "return_statement" | "break_statement" | "continue_statement" | "goto_statement")
        });
    let own = &text[node.byte_range()];
    let short = own.len() <= LONGEST && !own.contains('\n');
    // The head of a function without a type reads as a statement.
    let function = function_around(node);
    let inside = function.kind() == "function_definition";
    let is_one = checks || inside && node.kind() == "expression_statement" && !syntax::named_children(node).is_empty();
    (is_one && short && !ends_or_checks(node, text)).then(|| Lent {
        text: own,
        names: nodes_with_blocks(node)
            .into_iter()
            .filter(|n| n.kind() == "identifier")
            .map(|n| &text[n.byte_range()])
            .collect(),
        function: function.start_byte(),
        checks,
    })
}
