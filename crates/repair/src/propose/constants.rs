//! Other constants, and one more or one less where that is often forgotten.

use super::names::names_parameter;
use super::operators::compares_texts;
use super::thresholds::thresholds;
use super::{Proposer, function_around, is_simple, nodes};
use crate::edit::Kind;
use crate::scope::Shape;
use crate::unit::{Switch, Unit, called};
use std::ops::Range;
use tree_sitter::Node;
use wherefore_source::syntax;

/// Constants of the same program that a constant is exchanged for, at most.
const OTHERS: usize = 12;

/// Variables that stand for a constant index, at most.
const INDICES: usize = 12;

pub(super) fn of(proposer: &mut Proposer, unit: &Unit, node: Node) {
    match node.kind() {
        "number_literal" => number(proposer, unit, node),
        "char_literal" => character(proposer, unit, node),
        "true" | "false" => {
            let other = if node.kind() == "true" { "false" } else { "true" };
            proposer.replace(unit, node.byte_range(), other, Kind::Constant, 2);
        }
        _ => {}
    }
    offsets(proposer, unit, node);
}

fn number(proposer: &mut Proposer, unit: &Unit, node: Node) {
    let text = proposer.text(node).to_string();
    let in_table = unit.switch == Switch::Build;
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = &text[digits.len()..];
    // What a variable begins with is seldom wrong.
    let begins = u32::from(matches!(unit.switch, Switch::Initialiser(..)) && unit.node == node);
    let operator = node.parent().and_then(|p| p.child_by_field_name("operator"));
    let is_equality = operator.is_some_and(|o| matches!(o.kind(), "==" | "!="));
    let near = if is_equality { 3 } else { 2 };
    let compared = node.parent().filter(|_| is_equality).and_then(|p| p.child_by_field_name("left"));
    if compared.is_some_and(|left| compares_texts(proposer, left)) {
        return;
    }
    // What a function returns to say how it went is seldom what went wrong.
    let told = if node.parent().is_some_and(|p| p.kind() == "return_statement") { 4 } else { 0 };
    if let Ok(value) = digits.parse::<i64>() {
        for (other, price) in [
            (value.checked_add(1), near),
            // Nothing begins before the first.
            (value.checked_sub(1), near + if value == 0 { 2 } else { 0 }),
            (Some(0), 4),
            (Some(1), 4),
            (Some(2), 5),
            (value.checked_mul(10), 5),
            (Some(value / 10), 4),
            (value.checked_mul(2), 4),
        ] {
            // Each number of a table has to be built anew.
            if let Some(other) = other.filter(|o| *o != value && (!in_table || o.abs_diff(value) == 1)) {
                let table = if in_table { 3 } else { 0 };
                let (at, with) = match without(proposer, node, other) {
                    Some(whole) => whole,
                    None => (node.byte_range(), format!("{other}{suffix}")),
                };
                proposer.replace(unit, at, with, Kind::Constant, price + begins + table + told);
            }
        }
        if !in_table {
            for other in thresholds(value, &proposer.failures.numbers) {
                proposer.replace(unit, node.byte_range(), format!("{other}{suffix}"), Kind::Constant, 6);
            }
            proposer.replace(unit, node.byte_range(), format!("-{text}"), Kind::Constant, 4);
            if !has_to_be_whole(node) {
                proposer.replace(unit, node.byte_range(), format!("{digits}.0"), Kind::Cast, 3);
            }
        }
    } else if let Ok(value) = digits.trim_end_matches(['f', 'F']).parse::<f64>() {
        for other in [value * 10.0, value / 10.0, value * 100.0, value / 100.0, value + 1.0, value - 1.0, value + 0.5] {
            proposer.replace(unit, node.byte_range(), format!("{other:?}"), Kind::Constant, 4);
        }
    } else if let Some(value) = hexadecimal(digits) {
        for other in [value.wrapping_add(1), value.wrapping_sub(1), value << 4, value >> 4, value << 1, value >> 1] {
            proposer.replace(unit, node.byte_range(), format!("0x{other:x}{suffix}"), Kind::Constant, 4);
        }
    }
    if in_table {
        return;
    }
    // `a[0]` for `a[i]`.
    if digits == "0" && is_index(node) {
        let numbers = proposer.scope.visible(node.start_byte()).into_iter().filter(|n| n.shape.is_number());
        for other in numbers.take(INDICES) {
            let price = if other.is_local { 5 } else { 6 };
            proposer.replace(unit, node.byte_range(), other.name.clone(), Kind::Variable, price);
        }
    }
    // A name for another number, and numbers that stand elsewhere.
    for name in proposer.constants_near(node).into_iter().take(OTHERS) {
        proposer.replace(unit, node.byte_range(), name, Kind::Constant, 4 + told);
    }
    for other in literals(proposer, "number_literal", node) {
        proposer.replace(unit, node.byte_range(), other, Kind::Constant, 5 + told);
    }
}

/// Whether a number is all of an index.
fn is_index(node: Node) -> bool {
    let parent = node.parent().filter(|parent| parent.kind() == "subscript_expression");
    parent.is_some_and(|parent| parent.child_by_field_name("index") == Some(node))
}

/// Whether no fraction can stand in the place of a number.
fn has_to_be_whole(node: Node) -> bool {
    let operator = node.parent().and_then(|parent| parent.child_by_field_name("operator"));
    let of_bits =
        operator.is_some_and(|o| matches!(o.kind().trim_end_matches('='), "%" | "&" | "|" | "^" | "<<" | ">>" | "~"));
    is_index(node) || of_bits
}

/// An operation without its second operand, where another number there makes nothing of it: `x - 0`, `x * 1`.
fn without(proposer: &Proposer, node: Node, number: i64) -> Option<(Range<usize>, String)> {
    let (whole, left, operator) = second_operand(node)?;
    let is_nothing = match operator.kind() {
        "+" | "-" => number == 0,
        "*" | "/" => number == 1,
        _ => false,
    };
    is_nothing.then(|| (whole.byte_range(), proposer.text(left).to_string()))
}

/// The operation that a node is the second operand of, with its first operand and its operator.
fn second_operand(node: Node<'_>) -> Option<(Node<'_>, Node<'_>, Node<'_>)> {
    let whole = node.parent().filter(|parent| parent.kind() == "binary_expression")?;
    let [left, operator, right] = ["left", "operator", "right"].map(|name| whole.child_by_field_name(name));
    (right? == node).then_some((whole, left?, operator?))
}

fn hexadecimal(digits: &str) -> Option<u64> {
    let digits = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"))?;
    u64::from_str_radix(digits, 16).ok()
}

fn character(proposer: &mut Proposer, unit: &Unit, node: Node) {
    const USUAL: [&str; 14] =
        ["'\\0'", "'\\n'", "' '", "'0'", "'9'", "'a'", "'z'", "'A'", "'Z'", "'-'", "'\\t'", "','", "'.'", "'+'"];
    let text = proposer.text(node).to_string();
    if let [byte] = text.trim_matches('\'').as_bytes()
        && byte.is_ascii_alphanumeric()
    {
        for other in [byte + 1, byte - 1, byte ^ 0x20] {
            if other.is_ascii_graphic() && !matches!(other, b'\'' | b'\\') {
                proposer.replace(unit, node.byte_range(), format!("'{}'", other as char), Kind::Constant, 3);
            }
        }
    }
    for other in literals(proposer, "char_literal", node) {
        proposer.replace(unit, node.byte_range(), other, Kind::Constant, 4);
    }
    for other in USUAL {
        proposer.replace(unit, node.byte_range(), other, Kind::Constant, 5);
    }
}

/// Other literals of the function around a node, the nearest first.
fn literals(proposer: &Proposer, kind: &str, node: Node) -> Vec<String> {
    let mut found: Vec<(usize, String)> = vec![];
    let mut work = vec![function_around(node)];
    while let Some(other) = work.pop() {
        if other.kind() == kind {
            let text = proposer.text(other).to_string();
            let distance = other.start_byte().abs_diff(node.start_byte());
            if text != proposer.text(node) && !found.iter().any(|(_, known)| *known == text) {
                found.push((distance, text));
            }
        }
        work.extend(syntax::named_children(other));
    }
    found.sort();
    found.into_iter().take(OTHERS).map(|(_, text)| text).collect()
}

/// One more or one less: of an index, of a bound, of a size, of what is returned or assigned.
fn offsets(proposer: &mut Proposer, unit: &Unit, node: Node) {
    if matches!(
        node.kind(),
        "number_literal" | "char_literal" | "string_literal" | "assignment_expression" | "initializer_list"
    ) || unit.switch == Switch::Build
        || !is_number(proposer, node)
        || is_fraction(proposer, node)
    {
        return;
    }
    // There the number itself is another one.
    let right = node.child_by_field_name("right").filter(|right| right.kind() == "number_literal");
    if is_sum(proposer, node) && right.is_some() {
        return;
    }
    let Some(price) = place(proposer, node, unit) else { return };
    let text = proposer.text(node).to_string();
    let operand = if is_simple(node) || is_sum(proposer, node) { text } else { format!("({text})") };
    let (open, close) = if binds_closer(node) { ("(", ")") } else { ("", "") };
    for sign in ["+", "-"] {
        let with = format!("{open}{operand} {sign} 1{close}");
        proposer.replace(unit, node.byte_range(), with, Kind::Offset, price);
    }
}

/// Whether what is around an operand would take it before a sum that stands there instead: `a / n` and `a - n`.
fn binds_closer(node: Node) -> bool {
    let Some(parent) = node.parent().filter(|p| p.kind() == "binary_expression") else { return false };
    let is_right = parent.child_by_field_name("right") == Some(node);
    match parent.child_by_field_name("operator").map(|o| o.kind()) {
        Some("*" | "/" | "%") => true,
        Some("-") => is_right,
        _ => false,
    }
}

/// Whether an expression is a variable or a member with fractions: these are not counted.
fn is_fraction(proposer: &Proposer, node: Node) -> bool {
    let name = match (node.kind(), node.child_by_field_name("field")) {
        ("identifier", _) => proposer.text(node).to_string(),
        (_, Some(field)) => format!(".{}", proposer.text(field)),
        _ => return false,
    };
    proposer.scope.fractions.contains(&name)
}

/// Whether an expression is a number, as far as the text tells: one more of a pointer is rarely meant.
fn is_number(proposer: &Proposer, node: Node) -> bool {
    let scope = proposer.scope;
    match node.kind() {
        "identifier" => {
            let name = proposer.text(node);
            let is_constant = scope.constants.iter().any(|c| c == name);
            is_constant || scope.find(name, node.start_byte()).is_some_and(|n| n.shape.is_number())
        }
        "field_expression" => node.child_by_field_name("field").is_some_and(|field| {
            let name = proposer.text(field);
            scope.structs.iter().flatten().any(|(member, shape)| member == name && shape.is_number())
        }),
        "subscript_expression" => node.child_by_field_name("argument").is_some_and(|array| match array.kind() {
            "identifier" => {
                let known = scope.find(proposer.text(array), node.start_byte());
                known.is_some_and(|n| n.shape.base.is_none() && n.shape.depth == 1)
            }
            _ => true,
        }),
        // `*i` of an `int *i`.
        "pointer_expression" => node.child_by_field_name("argument").is_some_and(|pointer| {
            let known = Some(pointer).filter(|p| p.kind() == "identifier" && proposer.text(node).starts_with('*'));
            let known = known.and_then(|p| scope.find(proposer.text(p), node.start_byte()));
            known.is_some_and(|n| n.shape.base.is_none() && n.shape.depth == 1)
        }),
        "call_expression" => called(node, proposer.text).is_some_and(|name| {
            let own = scope.functions.iter().find(|f| f.name == name);
            own.map_or(name == "strlen" || name.starts_with("ato"), |f| {
                f.returns.as_ref().is_some_and(Shape::is_number)
            })
        }),
        "binary_expression" | "parenthesized_expression" | "sizeof_expression" | "cast_expression" => true,
        _ => false,
    }
}

fn is_sum(proposer: &Proposer, node: Node) -> bool {
    let operator = node.child_by_field_name("operator");
    node.kind() == "binary_expression" && operator.is_some_and(|o| matches!(proposer.text(o), "+" | "-" | "*" | "/"))
}

/// Whether arguments are those of a call that gives memory: its size is often one too small.
fn asks_for_memory(proposer: &Proposer, arguments: Node) -> bool {
    let name = arguments.parent().and_then(|call| called(call, proposer.text));
    name.is_some_and(|name| matches!(name, "malloc" | "calloc" | "realloc"))
}

/// Whether an expression has a `sizeof` in it.
fn mentions_size(node: Node) -> bool {
    nodes(node).iter().any(|n| n.kind() == "sizeof_expression")
}

/// Whether a `for` around it counts with a variable: where it begins or ends may be wrong, what it comes to is meant.
fn counts(proposer: &Proposer, variable: Node) -> bool {
    let mut up = variable.parent();
    while let Some(node) = up.filter(|n| n.kind() != "function_definition") {
        let update = node.child_by_field_name("update").filter(|_| node.kind() == "for_statement");
        if update.is_some_and(|update| proposer.text(update).contains(proposer.text(variable))) {
            return variable.kind() == "identifier";
        }
        up = node.parent();
    }
    false
}

/// Whether an expression is what a `for` sets its variable to.
fn begins_loop(node: Node) -> bool {
    let set = node.parent().filter(|p| matches!(p.kind(), "init_declarator" | "assignment_expression"));
    let begins = |set: Node| {
        let whole = if set.kind() == "init_declarator" { set.parent()? } else { set };
        let around = whole.parent()?;
        Some(around.kind() == "for_statement" && around.child_by_field_name("initializer") == Some(whole))
    };
    set.and_then(begins).unwrap_or(false)
}

/// The price of one more or less of an expression at its place; `None` where it is not tried.
fn place(proposer: &Proposer, node: Node, unit: &Unit) -> Option<u32> {
    // Where a loop begins is as often one off as where it ends.
    if begins_loop(node) {
        return Some(2);
    }
    if matches!(unit.switch, Switch::Initialiser(..)) && node == unit.node {
        return Some(4);
    }
    let parent = node.parent()?;
    let field = |name: &str| parent.child_by_field_name(name) == Some(node);
    match parent.kind() {
        "subscript_expression" if field("index") => {
            // What stands there twice is meant.
            let twice = proposer.text(unit.node).matches(proposer.text(parent)).count() > 1;
            Some(match () {
                () if twice => 4,
                () if counts(proposer, node) => 3,
                () => 2,
            })
        }
        "binary_expression" => {
            let comparing =
                parent.child_by_field_name("operator").is_some_and(|o| matches!(o.kind(), "<" | "<=" | ">" | ">="));
            if comparing {
                // It is the bound that is one off, not what is counted.
                Some(if field("right") { 2 } else { 3 })
            } else {
                let multiplied = parent.child_by_field_name("operator").is_some_and(|o| o.kind() == "*");
                // `malloc(n * sizeof *p)`: the number of elements.
                let is_count = multiplied
                    && mentions_size(parent)
                    && !mentions_size(node)
                    && parent.parent().is_some_and(|around| asks_for_memory(proposer, around));
                let price = match () {
                    () if is_count => 1,
                    () if multiplied => 5,
                    () => 4,
                };
                Some(price).filter(|_| is_simple(node) && node.kind() != "parenthesized_expression")
            }
        }
        "argument_list" => Some(match () {
            // A byte more for elements that have several.
            () if asks_for_memory(proposer, parent) && mentions_size(node) => 5,
            () if asks_for_memory(proposer, parent) => 1,
            () if names_parameter(proposer, node) => 6,
            () => 4,
        }),
        // What is counted is returned one off, not what is calculated.
        "return_statement" => Some(if node.kind() == "binary_expression" { 5 } else { 4 }),
        "assignment_expression" if field("right") => Some(3),
        _ => None,
    }
}
