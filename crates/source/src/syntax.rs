//! Walking the syntax tree.

use std::ops::Range;

use tree_sitter::{Node, Tree};

/// The nodes around a location, outermost first; the last one is the token.
pub(crate) type Path<'t> = Vec<Node<'t>>;

/// The path to the token at a byte; `None` between tokens and in comments.
pub(crate) fn path_to(tree: &Tree, byte: usize) -> Option<Path<'_>> {
    let mut cursor = tree.walk();
    let mut path = Vec::new();
    while cursor.goto_first_child_for_byte(byte).is_some() {
        let node = cursor.node();
        if !node.byte_range().contains(&byte) {
            return None;
        }
        path.push(node);
    }
    path.last().filter(|node| node.kind() != "comment" && node.child_count() == 0)?;
    Some(path)
}

/// The pairs of a node on the path and its child on the path, innermost first.
pub(crate) fn upwards<'p, 't>(path: &'p Path<'t>) -> impl Iterator<Item = (Node<'t>, Node<'t>)> + use<'p, 't> {
    path.windows(2).rev().map(|pair| (pair[0], pair[1]))
}

/// Whether `child` is what `parent` has under the name `field`.
pub fn is_field(parent: Node, field: &str, child: Node) -> bool {
    parent.child_by_field_name(field) == Some(child)
}

/// The children that are not comments.
pub fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.children(&mut node.walk()).filter(|child| child.kind() != "comment").collect()
}

/// The named children that are not comments.
pub fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).filter(|child| child.kind() != "comment").collect()
}

/// All nodes of a kind.
pub fn all<'t>(tree: &'t Tree, kind: &'static str) -> impl Iterator<Item = Node<'t>> {
    let mut work = vec![tree.root_node()];
    let next = move || {
        let node = work.pop()?;
        work.extend(node.children(&mut node.walk()));
        Some(node)
    };
    std::iter::from_fn(next).filter(move |node| node.kind() == kind)
}

/// The expression inside any number of parentheses.
pub fn without_parentheses(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == "parenthesized_expression" {
        match named_children(node).first() {
            Some(&inner) => node = inner,
            None => break,
        }
    }
    node
}

/// The bytes of a statement without the `;` at its end; `None` when nothing else is there.
pub(crate) fn without_semicolon(node: Node) -> Option<Range<usize>> {
    let last = children(node).into_iter().rev().find(|child| child.kind() != ";")?;
    Some(node.start_byte()..last.end_byte())
}

/// Whether the node is `a && b` or `a || b`.
pub fn is_logical(node: Node) -> bool {
    node.kind() == "binary_expression" && node.child_by_field_name("operator").is_some_and(is_logical_operator)
}

/// Whether the token is `&&` or `||`.
pub(crate) fn is_logical_operator(token: Node) -> bool {
    matches!(token.kind(), "&&" | "||")
}

/// Whether the token is the `}` of the body of a `do` whose node is `statement`, where clang puts the branch.
pub(crate) fn closes_do_body(statement: Node, path: &Path) -> bool {
    let [.., parent, body, token] = path.as_slice() else {
        return false;
    };
    statement.kind() == "do_statement"
        && *parent == statement
        && is_field(*parent, "body", *body)
        && token.kind() == "}"
}
