//! The edits that are tried.

mod alternatives;
mod borrowed;
mod calls;
mod constants;
mod declarations;
mod differences;
mod dropped;
mod extremes;
mod forgotten;
mod guards;
mod insertions;
mod labels;
mod members;
mod names;
mod operators;
mod printed;
mod repeated;
mod statements;
mod tables;
#[cfg(test)]
mod tests;
mod thresholds;

use crate::edit::{Edit, Kind, Part};
use crate::scope::Scope;
use crate::unit::{Switch, Unit, declared_name, units};
use rustc_hash::FxBuildHasher;
use std::collections::HashSet;
use std::hash::BuildHasher;
use std::ops::Range;
use tree_sitter::Node;
use wherefore_clib::{self as clib, Ending};
use wherefore_source::{SourceText, syntax};

/// What is known of the failing tests.
#[derive(Clone, Debug, Default)]
pub struct Failures {
    /// What they printed, and what they should have printed.
    pub outputs: Vec<(Vec<u8>, Vec<u8>)>,
    /// The numbers that each of them is given.
    pub numbers: Vec<Vec<i64>>,
    /// Whether one divides by zero.
    pub divide: bool,
    /// Whether each is seen to stay inside its objects: then none needs more room.
    pub within_objects: bool,
}

/// All edits of a file, cheapest first. `is_wanted` says whether a place, by its bytes, may matter: elsewhere nothing is
/// tried.
pub fn propose(
    file: usize,
    source: &SourceText,
    failures: &Failures,
    is_wanted: &dyn Fn(&Range<usize>) -> bool,
) -> Vec<Edit> {
    let Some(tree) = source.tree() else { return vec![] };
    let text = source.as_str();
    let scope = Scope::new(tree.root_node(), text);
    let used = names_used(tree.root_node(), text, is_wanted);
    let is_used = |unit: &Unit| lasting_name(unit, text).is_some_and(|name| used.contains(name));
    let units: Vec<Unit> = units(tree.root_node(), text)
        .into_iter()
        .filter(|unit| is_wanted(&unit.node.byte_range()) || is_used(unit))
        .collect();
    let mut proposer = Proposer { file, text, scope: &scope, failures, edits: vec![] };
    for unit in &units {
        for node in nodes(unit.node) {
            operators::of(&mut proposer, unit, node);
            alternatives::of(&mut proposer, unit, node);
            differences::of(&mut proposer, unit, node);
            constants::of(&mut proposer, unit, node);
            extremes::of(&mut proposer, unit, node);
            names::of(&mut proposer, unit, node);
            calls::of(&mut proposer, unit, node);
            printed::of(&mut proposer, unit, node);
            tables::of(&mut proposer, unit, node);
        }
        guards::of(&mut proposer, unit);
        dropped::of(&mut proposer, unit);
        calls::kept_text(&mut proposer, unit);
        statements::of(&mut proposer, unit);
    }
    insertions::of(&mut proposer, tree.root_node(), is_wanted);
    borrowed::of(&mut proposer, tree.root_node(), is_wanted);
    repeated::of(&mut proposer, tree.root_node(), is_wanted);
    labels::of(&mut proposer, tree.root_node(), is_wanted);
    alternatives::otherwise(&mut proposer, tree.root_node(), is_wanted);
    members::of(&mut proposer, tree.root_node(), is_wanted);
    forgotten::of(&mut proposer, tree.root_node(), is_wanted);
    declarations::of(&mut proposer, tree.root_node(), is_wanted);
    let mut edits = proposer.edits;
    edits.sort_by_key(|edit| (edit.price, edit.start()));
    // Two ways to one text are one edit, the cheaper one.
    let hasher = FxBuildHasher;
    let mut seen = HashSet::from([hasher.hash_one(text)]);
    edits.retain(|edit| {
        seen.insert(hasher.hash_one(edit.apply(text).as_str())) && !says_nothing(edit, text) && !adds_checks(edit, text)
    });
    edits
}

/// Whether an edit puts in another assertion or another call that fails: what judges the program is not missing in it.
fn adds_checks(edit: &Edit, text: &str) -> bool {
    let checks = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.filter(|word| clib::judge(word).is_some() || clib::ending(word).is_some_and(Ending::is_failure)).count()
    };
    let (after, before): (usize, usize) = edit
        .parts
        .iter()
        .map(|part| (checks(&part.with), checks(&text[part.at.clone()])))
        .fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    after > before
}

/// The names that stand where something may matter.
fn names_used<'t>(root: Node, text: &'t str, is_wanted: &dyn Fn(&Range<usize>) -> bool) -> HashSet<&'t str> {
    let names = nodes_with_blocks(root).into_iter().filter(|n| n.kind() == "identifier");
    names.filter(|n| is_wanted(&n.byte_range())).map(|n| &text[n.byte_range()]).collect()
}

/// The variable that a unit is the initial value of, where no run is seen to give it: it has it from the start.
fn lasting_name<'t>(unit: &Unit, text: &'t str) -> Option<&'t str> {
    let declarator = unit.node.parent().filter(|p| p.kind() == "init_declarator" && unit.switch == Switch::Build)?;
    let name = declared_name(declarator.child_by_field_name("declarator")?)?;
    Some(&text[name.byte_range()])
}

/// Whether an edit makes an expression with the same on both sides, as in `x = x` and `x < x`.
fn says_nothing(edit: &Edit, text: &str) -> bool {
    let [Part { at, with, switch: Switch::Effect(unit) | Switch::Condition(unit) | Switch::Value(unit) }] =
        &edit.parts[..]
    else {
        return false;
    };
    if at.start < unit.start || at.end > unit.end {
        return false;
    }
    let edited = [&text[unit.start..at.start], with, &text[at.end..unit.end]].concat();
    let same = if may_be_same(&edited, at.start - unit.start, with.len()) { same_sides(&edited) } else { 0 };
    same > 0 && same > same_sides(&text[unit.clone()])
}

/// Whether an operator near a stretch of an expression can have the same on both sides: then the word before one and the
/// word behind one are the same, or there is more than a word. Most can be told so, without a parser.
fn may_be_same(expression: &str, at: usize, length: usize) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words = |text: &str| -> Vec<String> {
        text.split(|c| !is_word(c)).filter(|word| !word.is_empty()).map(String::from).collect()
    };
    let (before, rest) = expression.split_at(at);
    let (inside, behind) = rest.split_at(length);
    let (before, inside, behind) = (words(before), words(inside), words(behind));
    let changed: &[String] = if inside.is_empty() { &before[before.len().saturating_sub(1)..] } else { &inside };
    let others = before.iter().chain(&behind).filter(|word| !inside.is_empty() || behind.contains(word));
    let others: HashSet<&String> = others.collect();
    changed.iter().any(|word| others.contains(word))
}

/// How many assignments, comparisons and differences in an expression have the same on both sides.
fn same_sides(expression: &str) -> usize {
    let statement = SourceText::new(String::new(), format!("void f(void) {{ {expression}; }}"));
    let Some(tree) = statement.tree() else { return 0 };
    let text = |node: Node| statement.as_str()[node.byte_range()].split_whitespace().collect::<String>();
    let is_same = |node: &Node| {
        let field = |name| node.child_by_field_name(name);
        let (Some(left), Some(operator), Some(right)) = (field("left"), field("operator"), field("right")) else {
            return false;
        };
        !matches!(operator.kind(), "+" | "*" | "+=" | "*=" | "<<") && text(left) == text(right)
    };
    nodes_with_blocks(tree.root_node()).iter().filter(|node| is_same(node)).count()
}

/// What the proposals have in common.
struct Proposer<'a> {
    file: usize,
    text: &'a str,
    scope: &'a Scope,
    failures: &'a Failures,
    edits: Vec<Edit>,
}

impl Proposer<'_> {
    fn text(&self, node: Node) -> &str {
        &self.text[node.byte_range()]
    }

    /// Constants with a name, those first that the function uses already.
    fn constants_near(&self, node: Node) -> Vec<String> {
        if self.scope.constants.is_empty() {
            return vec![];
        }
        let function = function_around(node);
        let used: HashSet<&str> = nodes_with_blocks(function)
            .into_iter()
            .filter(|n| n.kind() == "identifier")
            .map(|n| self.text(n))
            .collect();
        let (mut near, far): (Vec<String>, Vec<String>) =
            self.scope.constants.iter().cloned().partition(|name| used.contains(name.as_str()));
        near.extend(far);
        near
    }

    /// Replaces some bytes of a unit.
    fn replace(&mut self, unit: &Unit, at: Range<usize>, with: impl Into<String>, kind: Kind, price: u32) {
        let with = with.into();
        let switch = labels::switched(unit, self.text, &at, &with).unwrap_or_else(|| unit.switch.clone());
        self.edits.push(Edit { file: self.file, parts: vec![Part { at, with, switch }], kind, price });
    }

    /// Puts a statement before or after what stands between others.
    fn insert(&mut self, at: usize, with: impl Into<String>, kind: Kind, price: u32) {
        let part = Part { at: at..at, with: with.into(), switch: Switch::Between };
        self.edits.push(Edit { file: self.file, parts: vec![part], kind, price });
    }

    /// Gives a variable an initial value; a run sets it right behind its declaration instead.
    fn initialise(&mut self, at: usize, with: String, (behind, set): (usize, String)) {
        let part = Part { at: at..at, with, switch: Switch::Behind(behind, set) };
        self.edits.push(Edit { file: self.file, parts: vec![part], kind: Kind::Initialiser, price: 2 });
    }

    /// Replaces bytes in a way that no run can choose.
    fn build(&mut self, at: Range<usize>, with: impl Into<String>, kind: Kind, price: u32) {
        let part = Part { at, with: with.into(), switch: Switch::Build };
        self.edits.push(Edit { file: self.file, parts: vec![part], kind, price });
    }
}

/// The function around a node, or the declaration of the file that it is a part of.
fn function_around(mut node: Node<'_>) -> Node<'_> {
    while node.kind() != "function_definition"
        && let Some(parent) = node.parent().filter(|p| p.kind() != "translation_unit")
    {
        node = parent;
    }
    node
}

/// The nodes of an expression, those of types, comments and nested statements apart.
fn nodes(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = vec![];
    let mut work = vec![node];
    while let Some(node) = work.pop() {
        found.push(node);
        if !matches!(node.kind(), "type_descriptor" | "string_literal" | "char_literal" | "compound_statement") {
            work.extend(syntax::named_children(node));
        }
    }
    found
}

/// All nodes, those of nested statements included; what comes later in the text comes first.
fn nodes_with_blocks(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = vec![];
    let mut cursor = node.walk();
    let counts = |inner: Node| inner == node || inner.is_named() && inner.kind() != "comment";
    loop {
        while counts(cursor.node()) && cursor.goto_first_child() {}
        loop {
            found.extend(Some(cursor.node()).filter(|inner| counts(*inner)));
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                // Each stands behind what it contains.
                found.reverse();
                return found;
            }
        }
    }
}

/// A statement that stands between others, on lines of its own: the white space before it.
fn indent(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let all = &text[line..at];
    &all[..all.len() - all.trim_start().len()]
}

/// Whether a statement stands between others, so that a further one can be put beside it: in a block, or behind a `case`.
fn stands_free(statement: Node) -> bool {
    statement.parent().is_some_and(|parent| matches!(parent.kind(), "compound_statement" | "case_statement"))
}

/// Whether a statement leads away: nothing behind it in its block is executed.
fn is_jump(statement: Node) -> bool {
    matches!(statement.kind(), "return_statement" | "break_statement" | "continue_statement" | "goto_statement")
}

/// Whether an expression needs no parentheses as an operand.
fn is_simple(node: Node) -> bool {
    matches!(
        node.kind(),
        "identifier"
            | "number_literal"
            | "char_literal"
            | "call_expression"
            | "subscript_expression"
            | "field_expression"
            | "parenthesized_expression"
    )
}
