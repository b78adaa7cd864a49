//! Other types and lengths, and other numbers in `#define`: no run can choose these, so there are few.

use super::Proposer;
use crate::edit::Kind;
use std::ops::Range;
use tree_sitter::Node;
use wherefore_source::syntax;

/// Types that one is taken for.
fn other_types(written: &str) -> &'static [(&'static str, u32)] {
    match written {
        "int" => &[("double", 4), ("long long", 4), ("long", 5)],
        "char" => &[("int", 3), ("unsigned char", 3)],
        "float" => &[("double", 3)],
        "short" => &[("int", 3)],
        "long" => &[("double", 4)],
        "unsigned char" => &[("int", 4)],
        "unsigned" | "unsigned int" | "size_t" => &[("int", 3), ("long long", 4)],
        "int8_t" | "uint8_t" | "int16_t" | "uint16_t" => &[("int", 3)],
        _ => &[],
    }
}

pub(super) fn of(proposer: &mut Proposer, root: Node, is_wanted: &dyn Fn(&Range<usize>) -> bool) {
    let mut work = vec![root];
    while let Some(node) = work.pop() {
        match node.kind() {
            "declaration" | "field_declaration" | "parameter_declaration" => {
                let local =
                    node.kind() == "declaration" && node.parent().is_some_and(|p| p.kind() == "compound_statement");
                let block = node.parent().filter(|_| local);
                if block.is_none_or(|block| is_wanted(&block.byte_range())) {
                    declared(proposer, node);
                    if local {
                        lasting(proposer, node);
                    }
                }
            }
            "preproc_def" => defined(proposer, node),
            _ => {}
        }
        work.extend(syntax::named_children(node));
    }
}

/// What is used after its function has returned has to last.
fn lasting(proposer: &mut Proposer, node: Node) {
    let is_static = proposer.text(node).starts_with("static");
    let is_large = syntax::named_children(node).iter().any(|n| {
        let declarator = if n.kind() == "init_declarator" { n.child_by_field_name("declarator") } else { Some(*n) };
        let is_array = declarator.is_some_and(|d| d.kind() == "array_declarator");
        is_array || matches!(n.kind(), "struct_specifier" | "union_specifier")
    });
    if is_large && !is_static {
        proposer.build(node.start_byte()..node.start_byte(), "static ", Kind::Declaration, 4);
    }
}

fn declared(proposer: &mut Proposer, node: Node) {
    if let Some(ty) = node.child_by_field_name("type") {
        let written = proposer.text(ty).to_string();
        for (other, price) in other_types(&written) {
            proposer.build(ty.byte_range(), *other, Kind::Declaration, *price);
        }
    }
    let mut cursor = node.walk();
    let declarators: Vec<Node> = node.children_by_field_name("declarator", &mut cursor).collect();
    for declarator in declarators {
        let mut inner = Some(declarator);
        while let Some(array) = inner {
            if array.kind() == "array_declarator"
                && let Some(size) = array.child_by_field_name("size")
            {
                let text = proposer.text(size).to_string();
                let more = match text.parse::<u64>() {
                    Ok(n) => (n + 1).to_string(),
                    Err(_) => format!("{text} + 1"),
                };
                proposer.build(size.byte_range(), more, Kind::Declaration, 4);
                for (factor, price) in [(2, 5), (4, 6)] {
                    let more = match text.parse::<u64>() {
                        Ok(n) => n.saturating_mul(factor).to_string(),
                        Err(_) => format!("{factor} * ({text})"),
                    };
                    proposer.build(size.byte_range(), more, Kind::Declaration, price);
                }
            }
            inner = array.child_by_field_name("declarator");
        }
    }
}

fn defined(proposer: &mut Proposer, node: Node) {
    let Some(value) = node.child_by_field_name("value") else { return };
    let text = proposer.text(value);
    let blank = text.len() - text.trim_start().len();
    let trimmed = text.trim();
    let start = value.start_byte() + blank;
    let at = start..start + trimmed.len();
    if let Ok(number) = trimmed.parse::<i64>() {
        let others = [
            (number.checked_add(1), 5),
            (number.checked_sub(1), 5),
            (number.checked_mul(2), 6),
            (number.checked_mul(10), 6),
        ];
        for (other, price) in others.into_iter().filter(|(other, _)| *other != Some(number)) {
            if let Some(other) = other {
                proposer.build(at.clone(), other.to_string(), Kind::Constant, price);
            }
        }
    }
}
