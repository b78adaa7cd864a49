//! A further statement in front of the one that begins on a line, with everything else left at its line and column.

use crate::{Extent, SourceText};
use tree_sitter::Node;

/// A text with a statement put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// The text for the compiler; its `#line` directives keep all places as they were.
    pub text: String,
    /// The statement that begins on the line, in the original.
    pub before: Extent,
}

/// The text with `statement` in front of the first statement that begins on a line; otherwise the first line after it on
/// which one begins.
pub(crate) fn insert(source: &SourceText, line: u32, statement: &str) -> Result<Inserted, Option<u32>> {
    let tree = source.tree().ok_or(None)?;
    let mut all = vec![];
    statements(tree.root_node(), &mut all);
    let row = |node: &Node| node.start_position().row as u32 + 1;
    let Some(node) = all.iter().find(|n| row(n) == line) else {
        return Err(all.iter().map(row).find(|r| *r > line));
    };
    let (from, to) = (node.start_byte(), node.end_byte());
    let text = &source.text;
    let (begin, end) = if is_lone(node) { ("{ ", "}") } else { ("", "") };
    let mut new = format!("{}{begin}{statement}{}{}", &text[..from], back_to(node.start_position()), &text[from..to]);
    if !end.is_empty() {
        new.push_str(end);
        new.push_str(&back_to(node.end_position()));
    }
    new.push_str(&text[to..]);
    Ok(Inserted { text: new, before: source.lines.extent(from..to) })
}

/// A directive after which the text goes on at a place.
fn back_to(place: tree_sitter::Point) -> String {
    format!("\n#line {}\n{}", place.row + 1, " ".repeat(place.column))
}

/// The statements in functions, in order, without those that only hold others.
fn statements<'t>(node: Node<'t>, all: &mut Vec<Node<'t>>) {
    if is_statement(&node) {
        all.push(node);
    }
    let mut cursor = node.walk();
    let children: Vec<Node> = node.named_children(&mut cursor).collect();
    children.into_iter().for_each(|child| statements(child, all));
}

fn is_statement(node: &Node) -> bool {
    let Some(parent) = node.parent() else { return false };
    let stands_alone = matches!(
        parent.kind(),
        "compound_statement" | "case_statement" | "labeled_statement" | "preproc_if" | "preproc_ifdef" | "preproc_else"
    );
    match node.kind() {
        "expression_statement"
        | "return_statement"
        | "if_statement"
        | "while_statement"
        | "for_statement"
        | "do_statement"
        | "switch_statement"
        | "break_statement"
        | "continue_statement"
        | "goto_statement" => stands_alone || is_lone(node),
        "declaration" => parent.kind() == "compound_statement" || parent.kind() == "case_statement",
        _ => false,
    }
}

/// Whether a statement is the body of another one, without braces.
fn is_lone(node: &Node) -> bool {
    node.parent().is_some_and(|parent| match parent.kind() {
        "if_statement" => parent.child_by_field_name("consequence").as_ref() == Some(node),
        "else_clause" => true,
        "while_statement" | "for_statement" | "do_statement" => {
            parent.child_by_field_name("body").as_ref() == Some(node)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inserted(text: &str, line: u32) -> Result<String, Option<u32>> {
        SourceText::new("f.c".into(), text.into()).with_statement(line, "S;").map(|i| i.text)
    }

    #[test]
    fn a_statement_stays_where_it_is() {
        let text = "int f(int x) {\n  int y = x;\n  return y;\n}\n";
        let new = "int f(int x) {\n  int y = x;\n  S;\n#line 3\n  return y;\n}\n";
        assert_eq!(inserted(text, 3), Ok(new.into()));
        assert_eq!(inserted(text, 4), Err(None));
        assert_eq!(inserted(text, 1), Err(Some(2)), "a function is no statement");
    }

    #[test]
    fn a_body_without_braces_gets_some() {
        let text = "int f(int x) {\n  if (x)\n    x++; else x--;\n  return x;\n}\n";
        let new =
            "int f(int x) {\n  if (x)\n    { S;\n#line 3\n    x++;}\n#line 3\n         else x--;\n  return x;\n}\n";
        assert_eq!(inserted(text, 3), Ok(new.into()));
    }

    #[test]
    fn a_case_is_entered_first() {
        let text = "int f(int x) {\n  switch (x) {\n  case 1: x = 2;\n    break;\n  }\n  return x;\n}\n";
        let line = "  case 1: S;\n#line 3\n          x = 2;\n";
        assert!(inserted(text, 3).is_ok_and(|new| new.contains(line)));
    }
}
