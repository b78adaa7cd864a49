//! Other types and lengths, and other numbers in `#define`: few runs can choose these, so there are few.

use super::thresholds::thresholds;
use super::{Proposer, nodes_with_blocks};
use crate::edit::{Edit, Kind, Part};
use crate::unit::{Switch, declared_name};
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

/// What other types and lengths could help with: numbers and elements that have no room, and halves that are lost.
struct Calculates {
    grows: bool,
    divides: bool,
    /// Whether the length of an array matters: somebody goes beyond its end, or asks for it.
    measures: bool,
}

impl Calculates {
    fn new(proposer: &Proposer, root: Node) -> Calculates {
        let mut found = Calculates { grows: false, divides: false, measures: !proposer.failures.within_objects };
        for node in nodes_with_blocks(root) {
            let operator = node.child_by_field_name("operator").map_or("", |o| proposer.text(o));
            match node.kind() {
                "for_statement" | "while_statement" | "do_statement" => found.grows = true,
                "binary_expression" | "assignment_expression" => {
                    found.grows |= matches!(operator, "*" | "*=" | "<<" | "<<=");
                    found.divides |= matches!(operator, "/" | "/=");
                }
                "sizeof_expression" => found.measures = true,
                "number_literal" => found.divides |= proposer.text(node).contains('.'),
                "primitive_type" => found.divides |= matches!(proposer.text(node), "double" | "float"),
                _ => {}
            }
        }
        // Fractions can be divided by zero, and nobody wants what comes of it.
        found.divides &= !proposer.failures.divide;
        found
    }

    /// Whether a type may help.
    fn may_need(&self, ty: &str) -> bool {
        match ty {
            "double" => self.divides,
            "long" | "long long" => self.grows,
            _ => true,
        }
    }
}

pub(super) fn of(proposer: &mut Proposer, root: Node, is_wanted: &dyn Fn(&Range<usize>) -> bool) {
    let calculates = Calculates::new(proposer, root);
    let mut work = vec![root];
    while let Some(node) = work.pop() {
        match node.kind() {
            "declaration" | "field_declaration" | "parameter_declaration" => {
                let local =
                    node.kind() == "declaration" && node.parent().is_some_and(|p| p.kind() == "compound_statement");
                let block = node.parent().filter(|_| local);
                if block.is_none_or(|block| is_wanted(&block.byte_range())) {
                    declared(proposer, node, &calculates);
                    if local {
                        lasting(proposer, node);
                    }
                }
            }
            "preproc_def" => defined(proposer, root, node),
            "preproc_function_def" => of_parameters(proposer, node),
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
    if !is_static {
        set_each_time(proposer, node);
    }
}

/// `struct s x = {n, 0};` as `static struct s x; x = (struct s){n, 0};`: it lasts, and begins anew each time.
fn set_each_time(proposer: &mut Proposer, node: Node) {
    let Some(ty) = node.child_by_field_name("type") else { return };
    let mut cursor = node.walk();
    let declarators: Vec<Node> = node.children_by_field_name("declarator", &mut cursor).collect();
    let [only] = declarators[..] else { return };
    let (Some(name), Some(value)) = (only.child_by_field_name("declarator"), only.child_by_field_name("value")) else {
        return;
    };
    if name.kind() == "identifier" && value.kind() == "initializer_list" {
        let [ty, name, value] = [ty, name, value].map(|n| proposer.text(n));
        let with = format!("static {ty} {name}; {name} = ({ty}){value};");
        proposer.build(node.byte_range(), with, Kind::Declaration, 4);
    }
}

fn declared(proposer: &mut Proposer, node: Node, calculates: &Calculates) {
    if let Some(ty) = node.child_by_field_name("type") {
        let written = proposer.text(ty).to_string();
        for (other, price) in other_types(&written).iter().filter(|(other, _)| calculates.may_need(other)) {
            proposer.build(ty.byte_range(), *other, Kind::Declaration, *price);
            apart(proposer, node, ty, other, *price);
        }
    }
    let mut cursor = node.walk();
    let declarators: Vec<Node> = node.children_by_field_name("declarator", &mut cursor).collect();
    for declarator in declarators {
        let mut inner = Some(declarator);
        while let Some(array) = inner {
            if array.kind() == "array_declarator"
                && calculates.measures
                && let Some(size) = array.child_by_field_name("size")
            {
                let text = proposer.text(size).to_string();
                let more = match text.parse::<u64>() {
                    Ok(n) => (n + 1).to_string(),
                    Err(_) => format!("{text} + 1"),
                };
                // What is listed has been counted, and what has a name is checked by it elsewhere.
                let value = declarator.child_by_field_name("value").filter(|v| v.kind() == "initializer_list");
                let is_listed = value.is_some_and(|list| syntax::named_children(list).len() > 1);
                let meant = is_listed || text.parse::<u64>().is_err();
                let meant = if meant { 3 } else { 0 };
                proposer.build(size.byte_range(), more, Kind::Declaration, 3 + meant);
                for (factor, price) in [(2, 4 + meant), (4, 5 + meant)] {
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

/// `int i, sum = 0;` as `int i; double sum = 0;`: only one of the names has another type.
fn apart(proposer: &mut Proposer, node: Node, ty: Node, other: &str, price: u32) {
    let mut cursor = node.walk();
    let declarators: Vec<Node> = node.children_by_field_name("declarator", &mut cursor).collect();
    let in_block = node.parent().is_some_and(|p| p.kind() == "compound_statement" || p.kind() == "translation_unit");
    if declarators.len() < 2 || !(in_block || node.kind() == "field_declaration") {
        return;
    }
    let text = |n: Node| proposer.text(n).to_string();
    let before = proposer.text[node.start_byte()..ty.start_byte()].to_string();
    let own = text(ty);
    let mut edits = vec![];
    for one in &declarators {
        let name = declared_name(*one).map(text);
        // What counts elements has no fractions.
        if other == "double" && name.is_none_or(|name| is_index(proposer, node, &name)) {
            continue;
        }
        let rest: Vec<String> = declarators.iter().filter(|d| *d != one).map(|d| text(*d)).collect();
        edits.push(format!("{before}{own} {}; {before}{other} {};", rest.join(", "), text(*one)));
    }
    for with in edits {
        proposer.build(node.byte_range(), with, Kind::Declaration, price);
    }
}

/// Whether a variable says which element is meant, somewhere behind its declaration.
fn is_index(proposer: &Proposer, declaration: Node, name: &str) -> bool {
    let around = declaration.parent().unwrap_or(declaration);
    let indices = nodes_with_blocks(around).into_iter().filter_map(|n| n.child_by_field_name("index"));
    indices.flat_map(nodes_with_blocks).any(|n| n.kind() == "identifier" && proposer.text(n) == name)
}

/// Another number for a macro.
fn defined(proposer: &mut Proposer, root: Node, node: Node) {
    let (Some(name), Some(value)) = (node.child_by_field_name("name"), node.child_by_field_name("value")) else {
        return;
    };
    let text = proposer.text(value);
    let start = value.start_byte() + text.len() - text.trim_start().len();
    let trimmed = text.trim();
    let at = start..start + trimmed.len();
    let Ok(number) = trimmed.parse::<i64>() else { return calculated(proposer, at) };
    let near = [(number.checked_add(1), 5), (number.checked_sub(1), 5)];
    let far = [(number.checked_mul(2), 6), (number.checked_mul(10), 6)];
    let others = near.into_iter().chain(far).filter_map(|(other, price)| Some((other?, price)));
    let others: Vec<(i64, u32)> = others.filter(|(other, _)| *other != number).collect();
    let switch = match has_to_be_constant(proposer, root, proposer.text(name)) {
        true => Switch::Build,
        false => Switch::Value(at.clone()),
    };
    // What has to be built anew for each is not tried as often.
    let beyond = if switch == Switch::Build { vec![] } else { thresholds(number, &proposer.failures.numbers) };
    for (other, price) in others.into_iter().chain(beyond.into_iter().map(|other| (other, 7))) {
        let part = Part { at: at.clone(), with: other.to_string(), switch: switch.clone() };
        proposer.edits.push(Edit { file: proposer.file, parts: vec![part], kind: Kind::Constant, price });
    }
}

/// Whether the text of a macro becomes another expression where it is used.
fn is_open(value: &str) -> bool {
    let calculates = value.contains(['+', '-', '*', '/', '%', '<', '>', '&', '|', '^', '?']);
    calculates && !is_in_parentheses(value)
}

/// Whether the first character is closed by the last.
fn is_in_parentheses(value: &str) -> bool {
    let mut depth = 0;
    let closed = value.char_indices().find(|(_, c)| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth <= 0
    });
    closed.is_some_and(|(at, _)| at > 0 && at + 1 == value.len())
}

/// A macro that calculates: in parentheses, and one part of it alone. No run can choose these: already what is not changed
/// would mean something else in parentheses.
fn calculated(proposer: &mut Proposer, at: Range<usize>) {
    let value = proposer.text[at.clone()].to_string();
    if !is_open(&value) {
        return;
    }
    proposer.build(at.clone(), format!("({value})"), Kind::Expression, 4);
    let parts: Vec<&str> = value.split(['+', '-', '*', '/', '%']).map(str::trim).collect();
    if let [left, right] = parts[..] {
        for part in [left, right].into_iter().filter(|part| !part.is_empty()) {
            proposer.build(at.clone(), part, Kind::Expression, 5);
        }
    }
}

/// Parentheses around a macro with parameters and around these.
fn of_parameters(proposer: &mut Proposer, node: Node) {
    let (Some(list), Some(value)) = (node.child_by_field_name("parameters"), node.child_by_field_name("value")) else {
        return;
    };
    let parameters: Vec<&str> = syntax::named_children(list).into_iter().map(|n| proposer.text(n)).collect();
    let text = proposer.text(value);
    let trimmed = text.trim();
    // Texts of several statements, and those that make names or strings of what they are given, stay as they are.
    if trimmed.contains(['#', '{', ';', '"', '\\']) {
        return;
    }
    let mut closed = String::new();
    let mut rest = trimmed;
    while let Some(c) = rest.chars().next() {
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len()).max(c.len_utf8());
        let (word, after) = rest.split_at(length);
        let is_closed = closed.trim_end().ends_with('(') && after.trim_start().starts_with(')');
        match parameters.contains(&word) && !is_closed {
            true => closed.push_str(&format!("({word})")),
            false => closed.push_str(word),
        }
        rest = after;
    }
    if is_open(&closed) {
        closed = format!("({closed})");
    }
    if closed != trimmed {
        let start = value.start_byte() + text.len() - text.trim_start().len();
        let at = start..start + trimmed.len();
        proposer.build(at, closed, Kind::Expression, 4);
    }
}

/// Whether a macro is used where the compiler wants a constant: for a size, a case, an initial value of the file, or by
/// another macro.
fn has_to_be_constant(proposer: &Proposer, root: Node, name: &str) -> bool {
    let in_constant = |mut node: Node| {
        let used = node;
        while let Some(parent) = node.parent() {
            let has = |field: &str| parent.child_by_field_name(field) == Some(node);
            match parent.kind() {
                "array_declarator" if has("size") => return true,
                "case_statement" if has("value") => return true,
                "preproc_if" | "preproc_elif" if has("condition") => return true,
                "enumerator" | "bitfield_clause" | "initializer_list" => return true,
                "compound_statement" => return starts_static(proposer, used),
                "translation_unit" => return true,
                _ => node = parent,
            }
        }
        true
    };
    let word = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    nodes_with_blocks(root).into_iter().any(|node| match node.kind() {
        "identifier" if proposer.text(node) == name => {
            node.parent().is_none_or(|p| p.kind() != "preproc_def") && in_constant(node)
        }
        "preproc_arg" => word(proposer.text(node)),
        _ => false,
    })
}

/// Whether what is used is a part of a `static` declaration.
fn starts_static(proposer: &Proposer, mut node: Node) -> bool {
    while let Some(parent) = node.parent().filter(|p| p.kind() != "compound_statement") {
        node = parent;
    }
    node.kind() == "declaration" && proposer.text(node).starts_with("static")
}
