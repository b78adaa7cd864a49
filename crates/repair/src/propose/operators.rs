//! Other operators, other groupings, operands and negations more or less.

use super::{Proposer, function_around, is_simple, nodes_with_blocks};
use crate::edit::Kind;
use crate::unit::{Switch, Unit, called};
use tree_sitter::Node;
use wherefore_source::syntax;

const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];
const ARITHMETIC: [&str; 5] = ["+", "-", "*", "/", "%"];
const BITS: [&str; 5] = ["&", "|", "^", "<<", ">>"];
const ASSIGNMENTS: [&str; 7] = ["=", "+=", "-=", "*=", "/=", "|=", "&="];

/// Constants that a comparison is joined with, at most.
const CONSTANTS: usize = 12;

/// Places that a pointer is taken from instead, at most.
const POINTERS: usize = 8;

/// Variables that a pointer is moved on by, at most.
const INDICES: usize = 4;

pub(super) fn of(proposer: &mut Proposer, unit: &Unit, node: Node) {
    match node.kind() {
        "binary_expression" => binary(proposer, unit, node),
        "assignment_expression" => assignment(proposer, unit, node),
        "update_expression" => update(proposer, unit, node),
        "unary_expression" => unary(proposer, unit, node),
        "pointer_expression" => pointer(proposer, unit, node),
        "conditional_expression" => conditional(proposer, unit, node),
        _ => {}
    }
    if node == unit.node && matches!(unit.switch, Switch::Condition(_)) {
        let text = proposer.text(node).to_string();
        let negated = if is_simple(node) { format!("!{text}") } else { format!("!({text})") };
        proposer.replace(unit, node.byte_range(), negated, Kind::Expression, 5);
    }
}

/// The nearest alternatives to an operator, with their prices.
fn alternatives(operator: &str) -> Vec<(&'static str, u32)> {
    let near = |other: &str| matches!((operator, other), ("<", "<=") | ("<=", "<") | (">", ">=") | (">=", ">"));
    if COMPARISONS.contains(&operator) {
        let other_way = |o: &str| matches!((operator, o), ("<", ">") | (">", "<") | ("<=", ">=") | (">=", "<="));
        let price = |o: &str| match () {
            () if near(o) => 1,
            () if other_way(o) => 4,
            // Nobody writes the opposite of what he means, but a run that goes the other way meets the failure no more.
            () => 5,
        };
        return COMPARISONS.iter().map(|o| (*o, price(o))).collect();
    }
    if ARITHMETIC.contains(&operator) {
        let sum = |o: &str| matches!(o, "+" | "-");
        let price = |o: &str| match () {
            () if sum(o) && sum(operator) => 2,
            () if o == "%" => 5,
            () => 4,
        };
        return ARITHMETIC.iter().map(|o| (*o, price(o))).collect();
    }
    match operator {
        "&&" => vec![("||", 2)],
        "||" => vec![("&&", 2)],
        "&" => BITS.iter().map(|o| (*o, 3)).chain([("&&", 5)]).collect(),
        "|" => BITS.iter().map(|o| (*o, 3)).chain([("||", 5)]).collect(),
        _ if BITS.contains(&operator) => BITS.iter().map(|o| (*o, 3)).collect(),
        _ => vec![],
    }
}

fn binary(proposer: &mut Proposer, unit: &Unit, node: Node) {
    let (Some(left), Some(operator), Some(right)) =
        (node.child_by_field_name("left"), node.child_by_field_name("operator"), node.child_by_field_name("right"))
    else {
        return;
    };
    let text = proposer.text(operator).to_string();
    let divides = proposer.failures.divide && matches!(text.as_str(), "/" | "%");
    let same = compares_texts(proposer, left);
    for (other, price) in alternatives(&text) {
        // Texts are the same or not; which comes first is asked elsewhere.
        let is_order = matches!(other, "<" | "<=" | ">" | ">=") && matches!(text.as_str(), "==" | "!=");
        if other != text && !(same && is_order) {
            // What does not divide at all does not divide by zero.
            let price = if divides { price + 3 } else { price };
            proposer.replace(unit, operator.byte_range(), other, Kind::Operator, price);
        }
    }
    let (a, b) = (proposer.text(left).to_string(), proposer.text(right).to_string());
    let whole = node.byte_range();
    let logical = syntax::is_logical(node);
    for operand in [&a, &b] {
        proposer.replace(unit, whole.clone(), operand.clone(), Kind::Expression, if logical { 4 } else { 8 });
    }
    one_more(proposer, unit, node, &text);
    if matches!(text.as_str(), "-" | "/" | "%") && !divides {
        let price = if text == "-" { 3 } else { 5 };
        proposer.replace(unit, whole.clone(), format!("{b} {text} {a}"), Kind::Expression, price);
    }
    if divides {
        let inside = node.parent().is_some_and(|p| p.kind() == "binary_expression");
        let with = format!("{b} ? {a} {text} {b} : 0");
        let with = if inside { format!("({with})") } else { with };
        proposer.replace(unit, whole, with, Kind::Condition, 1);
    }
    if text == "%" {
        // What is taken round must not be negative.
        let inner = a.strip_prefix('(').and_then(|a| a.strip_suffix(')')).filter(|a| !a.contains('(')).unwrap_or(&a);
        proposer.replace(unit, node.byte_range(), format!("({inner} + {b}) % {b}"), Kind::Expression, 4);
    }
    // `a + b / c` as `(a + b) / c`, and the other way about.
    if let Some((inner, op)) =
        inner_operation(proposer, right).filter(|_| !logical || syntax::is_logical(syntax::without_parentheses(right)))
    {
        let (x, y) = inner;
        proposer.replace(unit, node.byte_range(), format!("({a} {text} {x}) {op} {y}"), Kind::Expression, 4);
        // `a || b && c` as `(a && b) || c`.
        if logical && op != text {
            proposer.replace(unit, node.byte_range(), format!("({a} {op} {x}) {text} {y}"), Kind::Expression, 4);
        }
    }
    if let Some((inner, op)) = inner_operation(proposer, left).filter(|_| !syntax::is_logical(left) || logical) {
        let (x, y) = inner;
        proposer.replace(unit, node.byte_range(), format!("{x} {op} ({y} {text} {b})"), Kind::Expression, 4);
    }
}

/// Whether an operand says whether two texts are the same.
pub(super) fn compares_texts(proposer: &Proposer, operand: Node) -> bool {
    let name = Some(operand).filter(|n| n.kind() == "call_expression").and_then(|call| called(call, proposer.text));
    name.is_some_and(|name| matches!(name, "strcmp" | "strncmp" | "memcmp" | "strcasecmp" | "strncasecmp"))
}

/// `c == A || c == B` with `|| c == C` behind it, `c != A` with `&& c != C`.
fn one_more(proposer: &mut Proposer, unit: &Unit, comparison: Node, operator: &str) {
    let joint = match operator {
        "==" => "||",
        "!=" => "&&",
        _ => return,
    };
    let (Some(left), Some(right)) = (comparison.child_by_field_name("left"), comparison.child_by_field_name("right"))
    else {
        return;
    };
    let is_constant = proposer.scope.constants.iter().any(|c| c == proposer.text(right));
    if !is_constant || comparison.next_named_sibling().is_some() {
        return;
    }
    let (whole, left, right) = (proposer.text(comparison), proposer.text(left), proposer.text(right));
    let others = proposer.constants_near(comparison).into_iter().filter(|c| c != right).take(CONSTANTS);
    let joined: Vec<String> = others.map(|other| format!("{whole} {joint} {left} {operator} {other}")).collect();
    // Where it is joined with others by the other operator, it needs parentheses.
    let inside = comparison.parent().filter(|p| syntax::is_logical(*p)).and_then(|p| p.child_by_field_name("operator"));
    let apart = inside.is_some_and(|o| o.kind() != joint);
    for with in joined {
        let with = if apart { format!("({with})") } else { with };
        proposer.replace(unit, comparison.byte_range(), with, Kind::Condition, 6);
    }
}

/// The operands and the operator of an operation, in parentheses or not.
fn inner_operation(proposer: &Proposer, node: Node) -> Option<((String, String), String)> {
    let node = syntax::without_parentheses(node);
    let field = |name| node.child_by_field_name(name).map(|n| proposer.text(n).to_string());
    let parts = (field("left")?, field("right")?);
    Some((parts, field("operator")?)).filter(|_| node.kind() == "binary_expression")
}

fn assignment(proposer: &mut Proposer, unit: &Unit, node: Node) {
    let (Some(left), Some(operator), Some(right)) =
        (node.child_by_field_name("left"), node.child_by_field_name("operator"), node.child_by_field_name("right"))
    else {
        return;
    };
    let text = proposer.text(operator).to_string();
    for other in ASSIGNMENTS {
        let price = match (text.as_str(), other) {
            ("+=", "-=") | ("-=", "+=") => 2,
            ("+=", "=") | ("*=", "/=") | ("/=", "*=") | ("|=", "&=") | ("&=", "|=") => 3,
            ("=", "+=") | ("+=", "*=") | ("*=", "+=") => 4,
            // Arithmetic that nothing in the text speaks of only happens to give what is wanted.
            _ => 6,
        };
        if other != text {
            proposer.replace(unit, operator.byte_range(), other, Kind::Operator, price);
        }
    }
    // `if (x = 1)`.
    if matches!(unit.switch, Switch::Condition(_)) && text == "=" {
        proposer.replace(unit, operator.byte_range(), "==", Kind::Operator, 1);
    }
    if text == "=" {
        other_pointers(proposer, unit, (left, right));
    }
    let (a, b) = (proposer.text(left).to_string(), proposer.text(right).to_string());
    let is_place = matches!(right.kind(), "identifier" | "subscript_expression" | "field_expression");
    if text == "=" && is_place && !proposer.scope.constants.contains(&b) {
        proposer.replace(unit, node.byte_range(), format!("{b} = {a}"), Kind::Expression, 4);
    }
    // A pointer and what it points to: `p = &q->next` and `*p = q->next`.
    if text == "=" {
        let there = match (left.kind(), b.strip_prefix('&'), a.strip_prefix('*')) {
            ("identifier", Some(pointed), _) if right.kind() == "pointer_expression" => {
                Some(format!("*{a} = {pointed}"))
            }
            ("pointer_expression", _, Some(pointer)) if is_simple(right) => Some(format!("{pointer} = &{b}")),
            _ => None,
        };
        if let Some(with) = there {
            proposer.replace(unit, node.byte_range(), with, Kind::Expression, 4);
        }
    }
}

/// A pointer is set to what another place of the function holds: `t = *link` for `t = t->next`.
fn other_pointers(proposer: &mut Proposer, unit: &Unit, (left, right): (Node, Node)) {
    let is_place = |n: Node| matches!(n.kind(), "field_expression" | "pointer_expression" | "identifier");
    let known = proposer.scope.find(proposer.text(left), left.start_byte());
    if !is_place(right) || !known.is_some_and(|name| name.shape.is_pointer() && !name.is_array) {
        return;
    }
    let mut others: Vec<String> = vec![];
    for node in nodes_with_blocks(function_around(left)).into_iter().filter(|n| n.kind() == "assignment_expression") {
        for side in ["left", "right"] {
            let text = node.child_by_field_name(side).filter(|n| is_place(*n)).map(|n| proposer.text(n).to_string());
            others.extend(text.filter(|t| !others.contains(t) && *t != *proposer.text(right)));
        }
    }
    for other in others.into_iter().take(POINTERS) {
        proposer.replace(unit, right.byte_range(), other, Kind::Variable, 5);
    }
}

fn update(proposer: &mut Proposer, unit: &Unit, node: Node) {
    let (Some(argument), Some(operator)) = (node.child_by_field_name("argument"), node.child_by_field_name("operator"))
    else {
        return;
    };
    let (a, op) = (proposer.text(argument).to_string(), proposer.text(operator).to_string());
    let other = if op == "++" { "--" } else { "++" };
    proposer.replace(unit, operator.byte_range(), other, Kind::Operator, 4);
    let is_statement = node == unit.node;
    let swapped = if operator.start_byte() < argument.start_byte() { format!("{a}{op}") } else { format!("{op}{a}") };
    if is_statement {
        let sign = if op == "++" { "+=" } else { "-=" };
        proposer.replace(unit, node.byte_range(), format!("{a} {sign} 2"), Kind::Offset, 4);
    } else {
        proposer.replace(unit, node.byte_range(), swapped, Kind::Operator, 2);
        proposer.replace(unit, node.byte_range(), a.clone(), Kind::Expression, 3);
    }
    // `*p++` where `(*p)++` is meant.
    if let Some(parent) = node.parent().filter(|p| p.kind() == "pointer_expression") {
        proposer.replace(unit, parent.byte_range(), format!("(*{a}){op}"), Kind::Expression, 3);
    }
}

fn unary(proposer: &mut Proposer, unit: &Unit, node: Node) {
    let Some(argument) = node.child_by_field_name("argument") else { return };
    let argument = proposer.text(argument).to_string();
    proposer.replace(unit, node.byte_range(), argument, Kind::Expression, 4);
}

/// `*p` and `&x`.
fn pointer(proposer: &mut Proposer, unit: &Unit, node: Node) {
    if let Some(argument) = node.child_by_field_name("argument") {
        let argument = proposer.text(argument).to_string();
        proposer.replace(unit, node.byte_range(), argument, Kind::Expression, 4);
    }
    // `*p` as `*(p + i)`.
    let pointer = node.child_by_field_name("argument").map(syntax::without_parentheses);
    let pointer = pointer.filter(|p| p.kind() == "identifier" && proposer.text(node).starts_with('*'));
    let Some(pointer) = pointer else { return };
    for neighbour in ["-1", "1"] {
        let with = format!("{}[{neighbour}]", proposer.text(pointer));
        proposer.replace(unit, node.byte_range(), with, Kind::Offset, 4);
    }
    let visible = proposer.scope.visible(node.start_byte()).into_iter();
    for index in visible.filter(|n| n.is_local && n.shape.is_number()).take(INDICES) {
        let with = format!("*({} + {})", proposer.text(pointer), index.name);
        proposer.replace(unit, node.byte_range(), with, Kind::Expression, 5);
    }
}

fn conditional(proposer: &mut Proposer, unit: &Unit, node: Node) {
    let field = |name| node.child_by_field_name(name);
    let (Some(condition), Some(yes), Some(no)) = (field("condition"), field("consequence"), field("alternative"))
    else {
        return;
    };
    let [c, a, b] = [condition, yes, no].map(|n| proposer.text(n).to_string());
    proposer.replace(unit, node.byte_range(), format!("{c} ? {b} : {a}"), Kind::Expression, 4);
    for side in [a, b] {
        proposer.replace(unit, node.byte_range(), side, Kind::Expression, 6);
    }
}
