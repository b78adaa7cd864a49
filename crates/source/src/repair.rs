//! Parsing C that the grammar does not know: the C of before 1990, and macros that stand for more than an expression.
//!
//! The text is changed where the grammar stumbles and parsed again. A change keeps every byte where it is, so that
//! places in the tree are places in the source:
//!
//! - `register n;` declares an `int`, but the grammar takes `n` for a type and what follows for the name: the first
//!   word becomes `int`;
//! - a macro on a line of its own, `BEGIN` or `FOREACH(x, list)`, takes the next line for a part of it: the line end
//!   becomes a `;`;
//! - an attribute where the grammar expects none is blanked out.

use tree_sitter::{Node, Parser, Tree};

use crate::syntax::children;

/// How often repaired text is looked at again.
const ROUNDS: usize = 4;

/// Repairs tried one by one, when all of them together make it worse.
const SINGLE: usize = 16;

/// The tree of a text, as good as it can be had.
pub(crate) fn parse(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_c::LANGUAGE.into()).ok()?;
    let mut bytes = text.as_bytes().to_vec();
    let mut tree = parser.parse(&bytes, None)?;
    for _ in 0..ROUNDS {
        let repairs = repairs(&tree, &bytes);
        let mut attempts = vec![repairs.as_slice()];
        attempts.extend(repairs.chunks(1).take(if repairs.len() > 1 { SINGLE } else { 0 }));
        let better = attempts.into_iter().find_map(|some| {
            let mut changed = bytes.clone();
            some.iter().for_each(|repair| repair.apply(&mut changed));
            let again = parser.parse(&changed, None).filter(|_| !some.is_empty())?;
            (faults(&again) <= faults(&tree)).then_some((changed, again))
        });
        match better {
            Some(found) => (bytes, tree) = found,
            None => break,
        }
    }
    Some(tree)
}

/// New bytes for a part of the text, shorter or as long.
struct Repair {
    at: std::ops::Range<usize>,
    with: &'static str,
}

impl Repair {
    /// Write the bytes and blank out the rest, but for line ends.
    fn apply(&self, bytes: &mut [u8]) {
        let Some(place) = bytes.get_mut(self.at.clone()) else { return };
        place.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        place.iter_mut().zip(self.with.bytes()).for_each(|(byte, new)| *byte = new);
    }
}

/// How often the grammar gave up.
fn faults(tree: &Tree) -> usize {
    if !tree.root_node().has_error() {
        return 0;
    }
    nodes(tree).filter(|node| node.is_error() || node.is_missing()).count()
}

/// What could be done to a text.
fn repairs(tree: &Tree, text: &[u8]) -> Vec<Repair> {
    let mut found = vec![];
    for node in nodes(tree) {
        match node.kind() {
            "declaration" => found.extend(implicit_int(node).or_else(|| macro_before(node, text))),
            "attribute_specifier" if node.parent().is_some_and(|parent| parent.is_error()) => {
                found.push(Repair { at: node.byte_range(), with: "" });
            }
            "ERROR" => found.extend(macro_before_error(node, text)),
            _ => {}
        }
    }
    found
}

/// The nodes of a tree from left to right, parents first.
fn nodes(tree: &Tree) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = tree.walk();
    let mut over = false;
    std::iter::from_fn(move || {
        let node = (!over).then(|| cursor.node())?;
        if !cursor.goto_first_child() {
            while !over && !cursor.goto_next_sibling() {
                over = !cursor.goto_parent();
            }
        }
        Some(node)
    })
}

/// `register n;` and the like.
fn implicit_int(declaration: Node) -> Option<Repair> {
    let first = declaration.child(0).filter(is_no_type)?;
    let rest = (1..declaration.child_count()).filter_map(|index| declaration.child(index as u32));
    let mut rest = rest.skip_while(is_no_type);
    rest.next().filter(|node| node.kind() == "type_identifier")?;
    let next = rest.next()?;
    let separator = |node: Node| matches!(node.kind(), ";" | ",");
    let separated = next.is_error() && next.child(0).is_some_and(separator);
    let unnamed = next.is_missing() || next.child(0).is_some_and(|name| name.is_missing());
    (separated || unnamed).then(|| Repair { at: first.byte_range(), with: "int" })
}

fn is_no_type(node: &Node) -> bool {
    matches!(node.kind(), "storage_class_specifier" | "type_qualifier")
}

/// A macro on a line of its own that the grammar takes for the type of what the next line says. It is told from a type
/// by its capitals.
fn macro_before(declaration: Node, text: &[u8]) -> Option<Repair> {
    let first = declaration.child(0)?;
    let name = match first.kind() {
        "type_identifier" => first,
        "macro_type_specifier" => first.child(0)?,
        _ => return None,
    };
    let capitals = !text.get(name.byte_range())?.iter().any(u8::is_ascii_lowercase);
    let apart = children(declaration).get(1)?.start_position().row > first.end_position().row;
    if capitals && apart { close(first, text) } else { None }
}

/// A macro on a line of its own before words that the grammar could not place.
fn macro_before_error(error: Node, text: &[u8]) -> Option<Repair> {
    let mut before = error.prev_sibling()?;
    while before.kind() == "comment" {
        before = before.prev_sibling()?;
    }
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let ends = text.get(before.end_byte().checked_sub(1)?).is_some_and(|last| word(last) || *last == b')');
    let apart = error.start_position().row > before.end_position().row;
    if ends && apart && text.get(error.start_byte()).is_some_and(word) { close(before, text) } else { None }
}

/// A `;` in the blank after a node inside of a function.
fn close(node: Node, text: &[u8]) -> Option<Repair> {
    let mut around = std::iter::successors(node.parent(), |up| up.parent());
    let inside = around.any(|up| up.kind() == "compound_statement");
    let at = node.end_byte();
    (inside && text.get(at).is_some_and(u8::is_ascii_whitespace)).then(|| Repair { at: at..at + 1, with: ";" })
}
