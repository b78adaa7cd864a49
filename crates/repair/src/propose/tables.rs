//! Tables: rows in another order, and functions that no row has yet.

use super::{Proposer, nodes_with_blocks};
use crate::edit::{Edit, Kind, Part};
use crate::unit::{Switch, Unit};
use std::collections::HashSet;
use tree_sitter::Node;
use wherefore_source::syntax;

/// The rows of a table of which two are exchanged, at most.
const ROWS: usize = 20;

/// Functions that are put into a row, at most.
const FUNCTIONS: usize = 4;

pub(super) fn of(proposer: &mut Proposer, unit: &Unit, node: Node) {
    if unit.switch != Switch::Build {
        return;
    }
    match node.kind() {
        "initializer_list" => swapped(proposer, node),
        "identifier" | "null" => forgotten(proposer, unit, node),
        _ => {}
    }
}

/// Two rows that follow each other, the other way about.
fn swapped(proposer: &mut Proposer, list: Node) {
    let rows: Vec<Node> = syntax::named_children(list).into_iter().filter(|n| n.kind() != "comment").collect();
    // Of many rows hardly one is out of order, and each pair has to be built anew.
    let many = rows.len() > ROWS;
    for pair in rows.windows(2).filter(|_| !many) {
        let put = |at: Node, other: Node| Part {
            at: at.byte_range(),
            with: proposer.text(other).to_string(),
            switch: Switch::Build,
        };
        let parts = vec![put(pair[0], pair[1]), put(pair[1], pair[0])];
        proposer.edits.push(Edit { file: proposer.file, parts, kind: Kind::Move, price: 4 });
    }
}

/// A function like those of other rows that is in no row yet, where there is none or another one.
fn forgotten(proposer: &mut Proposer, unit: &Unit, node: Node) {
    let here: HashSet<&str> = nodes_with_blocks(unit.node)
        .into_iter()
        .filter(|n| n.kind() == "identifier")
        .map(|n| proposer.text(n))
        .collect();
    let functions = &proposer.scope.functions;
    let (rows, others): (Vec<_>, Vec<_>) = functions.iter().partition(|f| here.contains(f.name.as_str()));
    let own = proposer.text(node);
    if own != "NULL" && rows.iter().all(|f| f.name != own) {
        return;
    }
    let alike =
        others.into_iter().filter(|f| rows.iter().any(|r| r.parameters == f.parameters && r.returns == f.returns));
    for name in alike.map(|f| f.name.clone()).take(FUNCTIONS).collect::<Vec<_>>() {
        proposer.replace(unit, node.byte_range(), name, Kind::Variable, 3);
    }
}
