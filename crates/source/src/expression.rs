//! Conditions, their operands and macro arguments at a location.

use std::ops::Range;

use tree_sitter::Node;

use crate::control;
use crate::syntax::{
    Path, closes_do_body, is_field, is_logical, is_logical_operator, named_children, upwards, without_parentheses,
};

/// See [`crate::SourceText::extent_of_expression`].
pub(crate) fn full_at(path: &Path, text: &str) -> Option<Range<usize>> {
    if is_assertion(path, text) {
        return argument_at(path);
    }
    let mut largest: Option<Node> = None;
    for (node, child) in upwards(path) {
        if is_expression(child) {
            largest = Some(child);
        }
        match node.kind() {
            "if_statement" | "while_statement" | "switch_statement" | "do_statement" | "for_statement" => {
                let at_head = is_field(node, "condition", child) || !child.is_named() || closes_do_body(node, path);
                if at_head {
                    return control::condition(node).map(|condition| condition.byte_range());
                }
                return range(largest);
            }
            "conditional_expression" if is_field(node, "condition", child) || child.kind() == "?" => {
                return control::condition(node).map(|condition| condition.byte_range());
            }
            "comma_expression" => return range(largest),
            "init_declarator" => return range(node.child_by_field_name("value")),
            "return_statement" => return range(named_children(node).first().copied()),
            // The `}` of a `do` is looked at one level further up.
            "compound_statement" if child.kind() == "}" => {}
            "compound_statement" | "expression_statement" | "declaration" => return range(largest),
            "ERROR" => return None,
            _ => {}
        }
    }
    range(largest)
}

/// See [`crate::SourceText::operand_at`].
pub(crate) fn operand_at(path: &Path, text: &str) -> Option<Range<usize>> {
    for (node, child) in upwards(path) {
        if is_logical(node) {
            let operand = if is_logical_operator(child) {
                last_operand(node.child_by_field_name("left")?)
            } else {
                without_parentheses(child)
            };
            return Some(operand.byte_range());
        }
        if node.kind().ends_with("_statement") || node.kind() == "declaration" {
            break;
        }
    }
    full_at(path, text)
}

/// See [`crate::SourceText::macro_argument`].
pub(crate) fn argument_at(path: &Path) -> Option<Range<usize>> {
    let arguments = call_at(path)?.child_by_field_name("arguments")?;
    Some(named_children(arguments).first()?.byte_range())
}

/// The bytes of the name of the call at whose name the path ends.
pub(crate) fn called_name_at(path: &Path) -> Option<Range<usize>> {
    Some(call_at(path)?.child_by_field_name("function")?.byte_range())
}

/// The call at whose name the path ends.
fn call_at<'t>(path: &Path<'t>) -> Option<Node<'t>> {
    let [.., call, name] = path.as_slice() else {
        return None;
    };
    (call.kind() == "call_expression" && is_field(*call, "function", *name)).then_some(*call)
}

/// Whether the path ends at the name of something that asserts or assumes its argument.
fn is_assertion(path: &Path, text: &str) -> bool {
    let name = called_name_at(path).and_then(|range| text.get(range)).unwrap_or("").to_ascii_lowercase();
    ["assert", "assume"].iter().any(|word| name.contains(word))
}

/// The operand of a tree of `&&` and `||` that is evaluated last. A `!` around such a tree is looked through, as the
/// compiler does; a `!` around anything else belongs to the operand.
fn last_operand(node: Node<'_>) -> Node<'_> {
    let mut operand = without_parentheses(node);
    loop {
        let next = if is_logical(operand) {
            operand.child_by_field_name("right")
        } else {
            negated(operand).map(without_parentheses).filter(|inner| is_logical(*inner))
        };
        match next {
            Some(inner) => operand = without_parentheses(inner),
            None => return operand,
        }
    }
}

/// The operand of a `!`.
fn negated(node: Node<'_>) -> Option<Node<'_>> {
    let operator = node.child_by_field_name("operator")?;
    if operator.kind() == "!" { node.child_by_field_name("argument") } else { None }
}

fn is_expression(node: Node) -> bool {
    let kind = node.kind();
    node.is_named()
        && (kind.ends_with("_expression")
            || kind.ends_with("_literal")
            || matches!(kind, "identifier" | "true" | "false" | "null" | "concatenated_string"))
}

fn range(node: Option<Node>) -> Option<Range<usize>> {
    node.map(|node| without_parentheses(node).byte_range())
}
