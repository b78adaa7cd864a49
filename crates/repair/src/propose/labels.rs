//! Labels of a `switch` that should not be there.

use super::{Proposer, nodes_with_blocks};
use crate::edit::Kind;
use std::ops::Range;
use tree_sitter::Node;
use wherefore_source::syntax;

/// `case 3:` is left out where other labels lead to the same statements.
pub(super) fn of(proposer: &mut Proposer, root: Node, is_wanted: &dyn Fn(&Range<usize>) -> bool) {
    for switch in nodes_with_blocks(root).into_iter().filter(|n| n.kind() == "switch_statement") {
        let (Some(value), Some(body)) = (switch.child_by_field_name("condition"), switch.child_by_field_name("body"))
        else {
            continue;
        };
        if !is_wanted(&value.byte_range()) {
            continue;
        }
        let labels: Vec<Node> =
            syntax::named_children(body).into_iter().filter(|n| n.kind() == "case_statement").collect();
        for (place, label) in labels.iter().enumerate() {
            let before = place.checked_sub(1).map(|before| labels[before]);
            let is_shared = before.is_some_and(is_bare) || is_bare(*label) && place + 1 < labels.len();
            let end = colon(*label).filter(|_| is_shared && label.child_by_field_name("value").is_some());
            if let Some(end) = end {
                proposer.build(label.start_byte()..end, "", Kind::Removal, 4);
            }
        }
    }
}

/// Whether nothing stands between a label and the next.
fn is_bare(label: Node) -> bool {
    let value = label.child_by_field_name("value");
    syntax::named_children(label).into_iter().all(|n| Some(n) == value || n.kind() == "comment")
}

/// Where a label ends.
fn colon(label: Node) -> Option<usize> {
    let mut cursor = label.walk();
    label.children(&mut cursor).find(|n| n.kind() == ":").map(|n| n.end_byte())
}
