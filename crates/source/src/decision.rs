//! All conditions that decide about statements.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::Extent;
use crate::control;

/// The condition of an `if`, `while`, `do`, `for` or `switch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The condition, without parentheses.
    pub condition: Extent,
    /// The statement it belongs to.
    pub whole: Extent,
    /// The function it stands in.
    pub function: Extent,
    /// The part between `#if`, `#else` and `#endif` that it stands in, if it does: that may not be compiled.
    pub section: Option<Extent>,
}

/// See [`crate::SourceText::decisions`].
pub(crate) fn all(tree: &Tree, extent: &dyn Fn(Range<usize>) -> Extent) -> Vec<Decision> {
    let mut found = vec![];
    // Nodes to look at, with the function and the section around them.
    let mut work = vec![(tree.root_node(), None, None)];
    while let Some((node, mut function, mut section)) = work.pop() {
        match node.kind() {
            "function_definition" => (function, section) = (Some(node.byte_range()), None),
            "preproc_if" | "preproc_ifdef" | "preproc_elif" | "preproc_elifdef" | "preproc_else" => {
                section = Some(own_part(node));
            }
            "if_statement" | "while_statement" | "do_statement" | "for_statement" | "switch_statement" => {
                if let (Some(condition), Some(function)) = (control::condition(node), &function) {
                    found.push(Decision {
                        condition: extent(condition.byte_range()),
                        whole: extent(node.byte_range()),
                        function: extent(function.clone()),
                        section: section.clone().map(extent),
                    });
                }
            }
            _ => {}
        }
        work.extend(node.children(&mut node.walk()).map(|child| (child, function.clone(), section.clone())));
    }
    found.sort_by_key(|decision| decision.whole);
    found
}

/// What belongs to a branch of the preprocessor, without the branches after it.
fn own_part(node: Node) -> Range<usize> {
    let end = node.child_by_field_name("alternative").map_or(node.end_byte(), |other| other.start_byte());
    node.start_byte()..end
}
