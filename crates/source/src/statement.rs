//! The statement at a location.

use std::ops::Range;

use tree_sitter::Node;

use crate::control;
use crate::syntax::{Path, children, closes_do_body, is_field, upwards, without_semicolon};

/// See [`crate::SourceText::extent_of_statement`].
pub(crate) fn at(path: &Path) -> Option<Range<usize>> {
    for (node, child) in upwards(path) {
        match node.kind() {
            "assignment_expression" | "update_expression" | "call_expression" => {
                return effect(path, node);
            }
            "init_declarator" => return declarator(path, node),
            "declaration" | "field_declaration" | "expression_statement" => {
                return without_semicolon(node);
            }
            "return_statement" | "goto_statement" | "break_statement" | "continue_statement" => {
                return without_semicolon(node);
            }
            "parameter_declaration" => return Some(node.byte_range()),
            "gnu_asm_expression" => return Some(node.byte_range()),
            "case_statement" => return case_label(node, child),
            "labeled_statement" if is_field(node, "label", child) => {
                return Some(child.byte_range());
            }
            "for_statement" => {
                let parts = ["initializer", "condition", "update"];
                if parts.iter().any(|part| is_field(node, part, child)) {
                    return Some(child.byte_range());
                }
                return at_keyword(node, child);
            }
            "if_statement" | "while_statement" | "switch_statement" | "do_statement" => {
                let in_condition = is_field(node, "condition", child);
                if in_condition || closes_do_body(node, path) {
                    return control::head(node);
                }
                return at_keyword(node, child);
            }
            "else_clause" => {}
            // Tokens of a block, a function or a part the grammar could not read.
            "compound_statement" => {
                let in_do = path.iter().rev().nth(2).is_some_and(|parent| closes_do_body(*parent, path));
                if !in_do {
                    return None;
                }
            }
            "function_definition" | "ERROR" => return None,
            _ => {}
        }
    }
    None
}

/// See [`crate::SourceText::extent_of_whole_statement`].
pub(crate) fn whole(path: &Path) -> Option<Range<usize>> {
    for (node, child) in upwards(path) {
        match node.kind() {
            "init_declarator" => return declarator(path, node),
            "declaration" | "field_declaration" | "expression_statement" | "return_statement" => {
                return without_semicolon(node);
            }
            "goto_statement" | "break_statement" | "continue_statement" => return without_semicolon(node),
            "for_statement" => {
                let parts = ["initializer", "condition", "update"];
                if parts.iter().any(|part| is_field(node, part, child)) {
                    return Some(child.byte_range());
                }
                // The branch of a loop is its condition.
                let condition = node.child_by_field_name("condition").map(|c| c.byte_range());
                return (!child.is_named()).then(|| condition.or_else(|| control::head(node))).flatten();
            }
            "if_statement" | "while_statement" | "switch_statement" | "do_statement" => {
                if is_field(node, "condition", child) || closes_do_body(node, path) {
                    return control::head(node);
                }
                return at_keyword(node, child);
            }
            "compound_statement" => {
                let in_do = path.iter().rev().nth(2).is_some_and(|parent| closes_do_body(*parent, path));
                // A statement expression is a part of the statement around it.
                let in_expression = path.iter().any(|up| {
                    up.kind() == "parenthesized_expression" && up.child(1).is_some_and(|inner| inner == node)
                });
                if !in_do && !in_expression {
                    return None;
                }
            }
            "function_definition" | "ERROR" => return None,
            _ => {}
        }
    }
    None
}

/// An assignment, update or call; when it is all of its statement but parentheses and casts, the statement.
fn effect(path: &Path, node: Node) -> Option<Range<usize>> {
    let around = path.iter().rev().skip_while(|ancestor| **ancestor != node).skip(1);
    let outer = around.into_iter().find(|up| !matches!(up.kind(), "parenthesized_expression" | "cast_expression"))?;
    if outer.kind() == "expression_statement" { without_semicolon(*outer) } else { Some(node.byte_range()) }
}

/// An initialized declarator from its name on; the whole declaration when it declares nothing else.
fn declarator(path: &Path, node: Node) -> Option<Range<usize>> {
    let declaration = path.iter().rev().find(|up| up.kind() == "declaration");
    let alone = |declaration: &&Node| {
        let mut cursor = declaration.walk();
        declaration.children_by_field_name("declarator", &mut cursor).count() == 1
    };
    // `*p = NULL` among others would read as a store through `p`.
    let mut name = node.child_by_field_name("declarator")?;
    while let Some(inner) = name.child_by_field_name("declarator").filter(|_| name.kind() == "pointer_declarator") {
        name = inner;
    }
    let named = name.start_byte()..node.end_byte();
    declaration.filter(alone).map_or_else(|| Some(named), |whole| without_semicolon(*whole))
}

/// `case 1` or `default` when the location lies in the label; statements in it were found before.
fn case_label(node: Node, child: Node) -> Option<Range<usize>> {
    let colon = children(node).into_iter().find(|part| part.kind() == ":")?;
    let label = node.start_byte()..colon.start_byte();
    (child.start_byte() <= colon.start_byte()).then_some(label)
}

/// The head of a control statement when the location is its keyword.
fn at_keyword(node: Node, child: Node) -> Option<Range<usize>> {
    (!child.is_named()).then(|| control::head(node)).flatten()
}
