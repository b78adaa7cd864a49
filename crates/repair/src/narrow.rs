//! The parts of a statement of which only the truth matters.
//!
//! An operand of `&&`, `||` and `!` may be of any type, so a run can choose between it and another text of it, as it can
//! between whole units. Statements with long conditions have many edits, and most of them change one operand: a text in which
//! each of them is a copy of the whole statement takes the compiler several times as long.

use crate::edit::Edit;
use crate::unit::Switch;
use std::ops::Range;
use tree_sitter::Node;
use wherefore_source::{SourceText, syntax};

/// An operand of which only the truth matters.
#[derive(Clone, Debug)]
struct Operand {
    at: Range<usize>,
    /// Whether parentheses of its own keep it together, whatever stands in it.
    is_enclosed: bool,
}

/// The operands of a file of which only the truth matters.
#[derive(Debug)]
pub(crate) struct Operands(Vec<Operand>);

impl Operands {
    /// Those of a text.
    pub fn new(text: &str) -> Operands {
        let source = SourceText::new(String::new(), text.to_string());
        let mut found = vec![];
        if let Some(tree) = source.tree() {
            visit(tree.root_node(), &mut found);
        }
        Operands(found)
    }

    /// The operand that is to be chosen instead of the whole unit that an edit changes.
    pub fn of(&self, edit: &Edit) -> Option<Range<usize>> {
        let [part] = &edit.parts[..] else { return None };
        match &part.switch {
            Switch::Effect(unit)
            | Switch::Condition(unit)
            | Switch::Value(unit)
            | Switch::Initialiser(unit, _)
            | Switch::Statement(unit) => self.around(unit, &part.at, &part.with),
            _ => None,
        }
    }

    /// The smallest operand inside of a unit that holds a change of its text and is one operand still with it.
    fn around(&self, unit: &Range<usize>, change: &Range<usize>, with: &str) -> Option<Range<usize>> {
        let holds = |operand: &&Operand| {
            let (at, unit) = (&operand.at, unit);
            at.start >= unit.start
                && at.end <= unit.end
                && at.len() < unit.len()
                && at.start <= change.start
                && change.end <= at.end
                && (if operand.is_enclosed { is_balanced(with) } else { binds_stronger(with) })
        };
        self.0.iter().filter(holds).min_by_key(|operand| operand.at.len()).map(|operand| operand.at.clone())
    }
}

fn visit(node: Node, found: &mut Vec<Operand>) {
    // A macro may show the text of what it is given, or use it as something else.
    if matches!(node.kind(), "argument_list" | "sizeof_expression" | "ERROR") {
        return;
    }
    let operator = node.child_by_field_name("operator").map(|operator| operator.kind());
    match (node.kind(), operator) {
        ("binary_expression", Some("&&" | "||")) => {
            for operand in ["left", "right"].iter().filter_map(|side| node.child_by_field_name(side)) {
                add(operand, true, found);
            }
        }
        ("unary_expression", Some("!")) => {
            if let Some(operand) = node.child_by_field_name("argument") {
                add(operand, false, found);
            }
        }
        _ => {}
    }
    for child in syntax::named_children(node) {
        visit(child, found);
    }
}

/// Adds an operand; of an operator that binds stronger than all others only one in parentheses.
fn add(operand: Node, binds_weakly: bool, found: &mut Vec<Operand>) {
    let inner = syntax::without_parentheses(operand);
    let is_enclosed = inner != operand;
    if is_enclosed || binds_weakly {
        found.push(Operand { at: inner.byte_range(), is_enclosed });
    }
}

/// Whether a text opens and closes its own parentheses only.
fn is_balanced(text: &str) -> bool {
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '{' | '}' | ';' | '"' | '\'' => return false,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// Whether a text has only operators that bind stronger than `&&`, so that what stands around it is what it was.
fn binds_stronger(text: &str) -> bool {
    let bytes = text.as_bytes();
    let assigns = |at: usize| {
        let before = at.checked_sub(1).map_or(b' ', |n| bytes[n]);
        let after = bytes.get(at + 1).copied().unwrap_or(b' ');
        bytes[at] == b'=' && after != b'=' && !matches!(before, b'=' | b'!' | b'<' | b'>')
    };
    let weak = ["&&", "||", "?", ":", ",", "<<=", ">>="];
    is_balanced(text) && !weak.iter().any(|operator| text.contains(operator)) && !(0..bytes.len()).any(assigns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(text: &str, change: &str, with: &str) -> Option<String> {
        let unit = text.find("x =").expect("it is there")..text.find(';').expect("it is there");
        let start = text.find(change).expect("it is there");
        let found = Operands::new(text).around(&unit, &(start..start + change.len()), with)?;
        Some(text[found].to_string())
    }

    #[test]
    fn the_smallest_operand_that_stays_one_is_chosen() {
        let text = "int f(void) { x = !(a < b) || (c && g(d || e)) && h == 1; }";
        assert_eq!(around(text, "<", "<=").as_deref(), Some("a < b"));
        assert_eq!(around(text, "b", "b || d").as_deref(), Some("a < b"), "parentheses keep it together");
        assert_eq!(around(text, "c", "d").as_deref(), Some("c"));
        assert_eq!(
            around(text, "c", "d || e").as_deref(),
            Some("c && g(d || e)"),
            "without them it would be another operand"
        );
        assert_eq!(around(text, "h", "h = a").as_deref(), None);
        assert_eq!(around(text, "==", ">=").as_deref(), Some("h == 1"));
        assert_eq!(around(text, "|| e", "== e").as_deref(), Some("g(d || e)"), "what a macro may show stays whole");
        assert_eq!(around(text, "x", "y"), None, "what is assigned is no operand");
    }
}
