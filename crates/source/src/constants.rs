//! Names for numbers: enumeration constants and `#define`s of a literal.

use std::collections::HashMap;

use tree_sitter::{Node, Tree};

use crate::syntax::{named_children, without_parentheses};

/// All constants of a source whose value its text shows. A name with two values has none.
pub(crate) fn all(tree: &Tree, text: &str) -> HashMap<String, i128> {
    let mut found: HashMap<String, Option<i128>> = HashMap::new();
    let mut work = vec![tree.root_node()];
    while let Some(node) = work.pop() {
        match node.kind() {
            "enumerator_list" => enumerators(node, text, &mut found),
            "preproc_def" => {
                let (name, value) = (node.child_by_field_name("name"), node.child_by_field_name("value"));
                let value = value.and_then(|value| text.get(value.byte_range())?.trim().parse().ok());
                add(&mut found, name, value, text);
            }
            // In the order of the text: a constant may be made of earlier ones.
            _ => work.extend(node.children(&mut node.walk()).collect::<Vec<_>>().into_iter().rev()),
        }
    }
    found.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn enumerators(list: Node, text: &str, found: &mut HashMap<String, Option<i128>>) {
    let mut next = Some(0);
    for item in named_children(list) {
        let value = match (item.kind(), item.child_by_field_name("value")) {
            ("enumerator", None) => next,
            ("enumerator", Some(value)) => number(value, text, found),
            _ => None,
        };
        add(found, item.child_by_field_name("name"), value, text);
        next = value.map(|value| value + 1);
    }
}

/// The value of a literal or of a constant that came before.
fn number(node: Node, text: &str, found: &HashMap<String, Option<i128>>) -> Option<i128> {
    let text = text.get(without_parentheses(node).byte_range())?;
    text.parse::<i64>().map(i128::from).ok().or_else(|| found.get(text).copied().flatten())
}

fn add(found: &mut HashMap<String, Option<i128>>, name: Option<Node>, value: Option<i128>, text: &str) {
    if let Some(name) = name.and_then(|name| text.get(name.byte_range())) {
        let known = found.entry(name.to_string()).or_insert(value);
        *known = known.filter(|known| value == Some(*known));
    }
}
