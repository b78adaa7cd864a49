//! Other functions, arguments in another order, conversions.

use super::{Proposer, is_simple};
use crate::edit::Kind;
use crate::unit::{Switch, Unit, called};
use tree_sitter::Node;
use wherefore_source::syntax;

/// Functions of the library that are taken for each other.
const FAMILIES: &[&[&str]] = &[
    &["isalpha", "isdigit", "isalnum", "isspace", "isupper", "islower", "ispunct", "isxdigit"],
    &["toupper", "tolower"],
    &["floor", "ceil", "round", "trunc"],
    &["abs", "fabs", "labs"],
    &["strcpy", "strcat"],
    &["strncpy", "strncat"],
    &["strchr", "strrchr"],
    &["malloc", "calloc"],
    &["fmin", "fmax"],
    &["memcpy", "memmove"],
    &["sqrt", "cbrt"],
    &["puts", "printf"],
    &["atoi", "atof", "atol"],
    &["strcmp", "strcasecmp"],
];

/// Types that fractions are lost in.
const WHOLE: [&str; 4] = ["int", "long", "long long", "unsigned"];

pub(super) fn of(proposer: &mut Proposer, unit: &Unit, node: Node) {
    if unit.switch == Switch::Build {
        return;
    }
    match node.kind() {
        "call_expression" => call(proposer, unit, node),
        "cast_expression" => {
            if let Some(value) = node.child_by_field_name("value") {
                rounded(proposer, unit, node, value);
                let value = proposer.text(value).to_string();
                proposer.replace(unit, node.byte_range(), value, Kind::Cast, 3);
            }
        }
        "binary_expression" => conversions(proposer, unit, node),
        "sizeof_expression" => size(proposer, unit, node),
        _ => {}
    }
}

/// `(long)(x * 100)` as `(long)(x * 100 + 0.5)`.
fn rounded(proposer: &mut Proposer, unit: &Unit, cast: Node, value: Node) {
    let is_whole = cast.child_by_field_name("type").is_some_and(|ty| WHOLE.contains(&proposer.text(ty)));
    if is_whole && value.kind() == "parenthesized_expression" {
        let at = value.end_byte() - 1;
        proposer.replace(unit, at..at, " + 0.5", Kind::Expression, 3);
    }
}

fn call(proposer: &mut Proposer, unit: &Unit, node: Node) {
    let Some(name) = called(node, proposer.text).map(str::to_string) else { return };
    let (Some(function), Some(list)) = (node.child_by_field_name("function"), node.child_by_field_name("arguments"))
    else {
        return;
    };
    let arguments = syntax::named_children(list);
    let texts: Vec<String> = arguments.iter().map(|a| proposer.text(*a).to_string()).collect();
    let safer = match (name.as_str(), &texts[..]) {
        // Room for the end of a text, and the end itself.
        ("malloc", [size]) if !size.contains("sizeof") => Some(format!("calloc({size} + 1, 1)")),
        // Where both overlap.
        ("strcpy", [to, from]) => Some(format!("memmove({to}, {from}, strlen({from}) + 1)")),
        _ => None,
    };
    if let ("strcpy", [to, from]) = (name.as_str(), &texts[..]) {
        let array = to.rsplit_once(['.', '>']).map_or(to.clone(), |(_, member)| format!(".{member}"));
        if proposer.scope.arrays.contains(&array) {
            let fitting = format!("snprintf({to}, sizeof {to}, \"%s\", {from})");
            proposer.replace(unit, node.byte_range(), fitting, Kind::Call, 3);
        }
    }
    if let Some(safer) = safer {
        proposer.replace(unit, node.byte_range(), safer, Kind::Call, if name == "malloc" { 2 } else { 4 });
    }
    for first in 0..arguments.len() {
        for second in first + 1..arguments.len() {
            let mut swapped = texts.clone();
            swapped.swap(first, second);
            // In what order something is read is seldom mistaken.
            let reads = name.ends_with("scanf");
            let price = if second == first + 1 { 3 } else { 4 } + if reads { 2 } else { 0 };
            // A text that stands there, above all a format, was not meant to be another argument.
            let literal = [first, second].iter().any(|n| arguments[*n].kind() == "string_literal");
            let price = if literal { price + 4 } else { price };
            proposer.replace(unit, list.byte_range(), format!("({})", swapped.join(", ")), Kind::Call, price);
        }
    }
    for family in FAMILIES.iter().filter(|family| family.contains(&name.as_str())) {
        for other in family.iter().filter(|other| **other != name) {
            if name == "malloc" && *other == "calloc" {
                let size = format!("calloc(1, {})", texts.join(", "));
                proposer.replace(unit, node.byte_range(), size, Kind::Call, 3);
            } else {
                proposer.replace(unit, function.byte_range(), *other, Kind::Call, 3);
            }
        }
    }
    let scope = proposer.scope;
    if let Some(own) = scope.functions.iter().find(|f| f.name == name) {
        let alike = scope.functions.iter().filter(|f| f.parameters == own.parameters && f.returns == own.returns);
        for other in alike.filter(|f| f.name != name).take(8) {
            proposer.replace(unit, function.byte_range(), other.name.clone(), Kind::Call, 3);
        }
    }
    let classifies = name.starts_with("is") && name.len() <= 8 || matches!(name.as_str(), "toupper" | "tolower");
    if let [only] = &arguments[..]
        && classifies
    {
        let with = format!("(unsigned char){}", operand(proposer, *only));
        proposer.replace(unit, only.byte_range(), with, Kind::Cast, 3);
    }
    sizes(proposer, unit, &name, &arguments);
}

/// `p->name = buffer;` as `p->name = strdup(buffer);`: what is kept is the text, not where it stood.
pub(super) fn kept_text(proposer: &mut Proposer, unit: &Unit) {
    let field = |name| unit.node.child_by_field_name(name).filter(|_| unit.node.kind() == "assignment_expression");
    let (Some(left), Some(operator), Some(right)) = (field("left"), field("operator"), field("right")) else { return };
    let known = proposer.scope.find(proposer.text(right), right.start_byte());
    let is_text = known.is_some_and(|n| n.written.contains("char") && n.shape.depth == 1);
    let keeps = matches!(left.kind(), "field_expression" | "subscript_expression") && operator.kind() == "=";
    if keeps && is_text && right.kind() == "identifier" {
        let with = format!("strdup({})", proposer.text(right));
        proposer.replace(unit, right.byte_range(), with, Kind::Call, 3);
    }
}

/// The size that memory is asked for: elements instead of bytes, what a pointer points to instead of the pointer.
fn sizes(proposer: &mut Proposer, unit: &Unit, name: &str, arguments: &[Node]) {
    let size = match (name, arguments) {
        ("malloc", [size]) => *size,
        ("realloc", [_, size]) => *size,
        _ => return,
    };
    let target = match (&unit.switch, unit.node.kind()) {
        (Switch::Initialiser(_, name), _) => Some(name.clone()),
        (_, "assignment_expression") => unit.node.child_by_field_name("left").map(|l| proposer.text(l).to_string()),
        _ => None,
    };
    if let Some(target) = target {
        let with = format!("{} * sizeof *{target}", operand(proposer, size));
        proposer.replace(unit, size.byte_range(), with, Kind::Expression, 3);
    }
    let double = format!("{} * 2", operand(proposer, size));
    proposer.replace(unit, size.byte_range(), double, Kind::Expression, 7);
}

/// `sizeof p` for `sizeof *p`.
fn size(proposer: &mut Proposer, unit: &Unit, node: Node) {
    if let Some(value) = node.child_by_field_name("value") {
        let value = proposer.text(syntax::without_parentheses(value)).to_string();
        proposer.replace(unit, node.byte_range(), format!("sizeof *{value}"), Kind::Expression, 3);
        proposer.replace(unit, node.byte_range(), format!("strlen({value})"), Kind::Expression, 4);
        proposer.replace(unit, node.byte_range(), format!("sizeof {value} / sizeof *{value}"), Kind::Expression, 4);
    }
}

fn operand(proposer: &Proposer, node: Node) -> String {
    let text = proposer.text(node);
    if is_simple(node) { text.to_string() } else { format!("({text})") }
}

/// A division of integers where fractions are meant, a product that needs more bits.
fn conversions(proposer: &mut Proposer, unit: &Unit, node: Node) {
    let (Some(left), Some(operator)) = (node.child_by_field_name("left"), node.child_by_field_name("operator")) else {
        return;
    };
    let types: &[(&str, u32)] = match operator.kind() {
        "/" => &[("double", 2), ("long long", 5), ("unsigned", 7)],
        "*" => &[("long long", 3), ("double", 3)],
        "+" | "-" => &[("long long", 4)],
        "<" | "<=" | ">" | ">=" => &[("int", 3), ("unsigned", 6)],
        "<<" => &[("unsigned long long", 3)],
        _ => return,
    };
    let left_text = operand(proposer, left);
    // A fraction can be divided by zero, and is then no number that anybody wants.
    let divides = proposer.failures.divide && operator.kind() == "/";
    for (ty, price) in types.iter().filter(|_| !divides) {
        proposer.replace(unit, left.byte_range(), format!("({ty}){left_text}"), Kind::Cast, *price);
    }
    if operator.kind() != "/"
        && let Some(right) = node.child_by_field_name("right")
    {
        let right_text = operand(proposer, right);
        for (ty, price) in types {
            proposer.replace(unit, right.byte_range(), format!("({ty}){right_text}"), Kind::Cast, *price);
        }
    }
}
