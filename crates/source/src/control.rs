//! The control structure around a location.

use std::ops::Range;

use tree_sitter::Node;

use crate::Extent;
use crate::syntax::{
    Path, children, closes_do_body, is_field, is_logical, is_logical_operator, named_children, upwards,
    without_parentheses,
};

/// The kinds of control structures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ControlKind {
    /// `if`, with or without `else`.
    If,
    /// `while`.
    While,
    /// `for`.
    For,
    /// `do ... while`.
    DoWhile,
    /// `switch`.
    Switch,
    /// `c ? a : b`.
    Conditional,
    /// `a && b`.
    LogicalAnd,
    /// `a || b`.
    LogicalOr,
}

/// Where in a control structure a location lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// At its keyword or operator, or in the first or third part of a `for`.
    Head,
    /// In its condition.
    Condition,
    /// In what is executed or evaluated when the condition holds; the body of a loop or `switch`.
    Then,
    /// In what is executed or evaluated when the condition does not hold.
    Else,
}

/// A control structure and its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    /// What it is.
    pub kind: ControlKind,
    /// Where in it the location lies that was asked about.
    pub part: Part,
    /// All of it.
    pub whole: Extent,
    /// From the keyword to the closing parenthesis, `if (a < b)`; for `do` the `while (c)` at the end; for `?:`, `&&`
    /// and `||` everything up to the operator.
    pub head: Extent,
    /// The condition without parentheses, the left operand of `&&` and `||`; absent in `for (;;)`.
    pub condition: Option<Extent>,
    /// What is executed or evaluated when the condition holds.
    pub then_part: Option<Extent>,
    /// What is executed or evaluated when it does not hold. For `else if` the inner `if` with all that follows.
    pub else_part: Option<Extent>,
    /// The head of the first `if` in a chain of `else if`; otherwise the same as `head`.
    pub outermost: Extent,
}

/// See [`crate::SourceText::enclosing_control`].
pub(crate) fn enclosing(path: &Path, extent: &dyn Fn(Range<usize>) -> Extent) -> Option<Control> {
    let (node, child, kind) = upwards(path).find_map(|(node, child)| {
        let kind = kind(node)?;
        (!is_logical(node) || is_logical_operator(child)).then_some((node, child, kind))
    })?;
    let extent_of = |node: Option<Node>| node.map(|node| extent(node.byte_range()));
    let head_extent = extent(head(node)?);
    let outermost = extent(head(first_of_chain(path, node))?);
    let (then_part, else_part) = branches(node, kind);
    Some(Control {
        kind,
        part: part(node, child, kind, path),
        whole: extent(node.byte_range()),
        head: head_extent,
        condition: extent_of(condition(node)),
        then_part: extent_of(then_part),
        else_part: extent_of(else_part),
        outermost,
    })
}

/// The bytes of the head of a control structure, see [`Control::head`].
pub(crate) fn head(node: Node) -> Option<Range<usize>> {
    let parts = children(node);
    let token = |kind: &str| parts.iter().rev().find(|part| part.kind() == kind);
    let condition = node.child_by_field_name("condition");
    let (start, end) = match kind(node)? {
        ControlKind::If | ControlKind::While | ControlKind::Switch => (node.start_byte(), condition?.end_byte()),
        ControlKind::For => (node.start_byte(), token(")")?.end_byte()),
        ControlKind::DoWhile => (token("while")?.start_byte(), condition?.end_byte()),
        ControlKind::Conditional => (node.start_byte(), token("?")?.end_byte()),
        ControlKind::LogicalAnd | ControlKind::LogicalOr => {
            (node.start_byte(), node.child_by_field_name("operator")?.end_byte())
        }
    };
    Some(start..end)
}

/// The condition of a control structure without parentheses, see [`Control::condition`].
pub(crate) fn condition(node: Node<'_>) -> Option<Node<'_>> {
    let field = if is_logical(node) { "left" } else { "condition" };
    node.child_by_field_name(field).map(without_parentheses)
}

fn kind(node: Node) -> Option<ControlKind> {
    Some(match node.kind() {
        "if_statement" => ControlKind::If,
        "while_statement" => ControlKind::While,
        "for_statement" => ControlKind::For,
        "do_statement" => ControlKind::DoWhile,
        "switch_statement" => ControlKind::Switch,
        "conditional_expression" => ControlKind::Conditional,
        "binary_expression" => match node.child_by_field_name("operator")?.kind() {
            "&&" => ControlKind::LogicalAnd,
            "||" => ControlKind::LogicalOr,
            _ => return None,
        },
        _ => return None,
    })
}

/// What is done when the condition holds and what when it does not.
fn branches(node: Node<'_>, kind: ControlKind) -> (Option<Node<'_>>, Option<Node<'_>>) {
    let field = |name| node.child_by_field_name(name);
    match kind {
        ControlKind::If => (field("consequence"), field("alternative").and_then(else_body)),
        ControlKind::Conditional => (field("consequence"), field("alternative")),
        ControlKind::LogicalAnd => (field("right"), None),
        ControlKind::LogicalOr => (None, field("right")),
        ControlKind::While | ControlKind::For | ControlKind::DoWhile | ControlKind::Switch => (field("body"), None),
    }
}

/// The statement after `else`.
fn else_body(alternative: Node<'_>) -> Option<Node<'_>> {
    if alternative.kind() == "else_clause" { named_children(alternative).first().copied() } else { Some(alternative) }
}

fn part(node: Node, child: Node, kind: ControlKind, path: &Path) -> Part {
    let is = |field| is_field(node, field, child);
    if is("condition") {
        Part::Condition
    } else if is("alternative") {
        Part::Else
    } else if (is("consequence") || is("body")) && !(kind == ControlKind::DoWhile && closes_do_body(node, path)) {
        Part::Then
    } else {
        Part::Head
    }
}

/// The first `if` of the chain of `else if` that `node` on the path belongs to.
fn first_of_chain<'t>(path: &Path<'t>, node: Node<'t>) -> Node<'t> {
    let mut first = node;
    let above = path.iter().rev().skip_while(|up| **up != node).skip(1);
    for up in above {
        match up.kind() {
            "else_clause" => {}
            "if_statement" if up.child_by_field_name("alternative").and_then(else_body) == Some(first) => first = *up,
            _ => break,
        }
    }
    first
}
