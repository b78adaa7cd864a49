//! Statements less, and at another place.

use super::{Proposer, stands_free};
use crate::edit::{Edit, Kind, Part};
use crate::unit::{Switch, Unit, called};
use tree_sitter::Node;
use wherefore_source::syntax;

pub(super) fn of(proposer: &mut Proposer, unit: &Unit) {
    let statement = match (&unit.switch, unit.node.parent()) {
        (Switch::Effect(_), Some(parent)) if parent.kind() == "expression_statement" => parent,
        (Switch::Statement(_), _) => unit.node,
        _ => return,
    };
    removed(proposer, statement);
    if matches!(unit.switch, Switch::Effect(_)) && stands_free(statement) {
        moved(proposer, statement);
    }
    match unit.node.kind() {
        "return_statement" => returned(proposer, unit),
        "continue_statement" => proposer.replace(unit, statement.byte_range(), "break;", Kind::Expression, 4),
        "break_statement" => proposer.replace(unit, statement.byte_range(), "continue;", Kind::Expression, 4),
        _ => {}
    }
}

/// The statement is left out, with its line where it has one of its own.
fn removed(proposer: &mut Proposer, statement: Node) {
    let jumps = statement.kind() != "expression_statement";
    let frees = syntax::named_children(statement).first().and_then(|e| called(*e, proposer.text)) == Some("free");
    let price = match (jumps, frees) {
        // What is never freed is a fault of its own.
        (_, true) => 8,
        (true, _) => 6,
        _ => 5,
    };
    let switch = Switch::Statement(statement.byte_range());
    let (at, with) = match stands_free(statement) {
        true => (line_of(proposer.text, statement), ""),
        false => (statement.byte_range(), ";"),
    };
    // What a run chooses is the statement; the line goes with it when the edit is made.
    let part = Part { at, with: with.into(), switch };
    let kind = if frees { Kind::Leak } else { Kind::Removal };
    proposer.edits.push(Edit { file: proposer.file, parts: vec![part], kind, price });
}

/// The bytes of a statement, with its line if nothing else stands there.
fn line_of(text: &str, statement: Node) -> std::ops::Range<usize> {
    let (from, to) = (statement.start_byte(), statement.end_byte());
    let start = text[..from].rfind('\n').map_or(0, |n| n + 1);
    let end = text[to..].find('\n').map_or(text.len(), |n| to + n + 1);
    let alone = text[start..from].trim().is_empty() && text[to..end].trim().is_empty();
    if alone { start..end } else { from..to }
}

/// The statement after the next one, or after the block that it ends.
fn moved(proposer: &mut Proposer, statement: Node) {
    let text = proposer.text(statement).to_string();
    let indent = super::indent(proposer.text, statement.start_byte()).to_string();
    let next = following(statement);
    // What is freed after it was set to something else is something else.
    if next.is_some_and(|next| frees_later(proposer, statement, next)) {
        return;
    }
    let mut targets: Vec<(usize, String, u32)> = vec![];
    if let Some(next) = next.filter(|n| n.kind() != "declaration") {
        targets.push((next.end_byte(), format!("\n{indent}{text}"), if is_structure(next) { 5 } else { 3 }));
        if let Some(second) = following(next).filter(|n| n.kind() != "declaration") {
            targets.push((second.end_byte(), format!("\n{indent}{text}"), 5));
        }
    }
    // Into the body of the loop or branch that follows, and out of the one it stands in.
    let block = statement.parent();
    if let Some(outer) = block.and_then(|b| b.parent()).filter(|o| is_structure(*o) && stands_free(*o)) {
        let indent = super::indent(proposer.text, outer.start_byte()).to_string();
        targets.push((outer.end_byte(), format!("\n{indent}{text}"), 4));
    }
    if let Some(body) = next.filter(|n| is_structure(*n)).and_then(body).filter(|b| b.kind() == "compound_statement") {
        targets.push((body.start_byte() + 1, format!("\n{indent}    {text}"), 4));
    }
    into_the_one_before(proposer, statement, &text);
    for (at, with, price) in targets {
        let removed = Part {
            at: line_of(proposer.text, statement),
            with: String::new(),
            switch: Switch::Statement(statement.byte_range()),
        };
        let put = Part { at: at..at, with, switch: Switch::Between };
        proposer.edits.push(Edit { file: proposer.file, parts: vec![removed, put], kind: Kind::Move, price });
    }
    // Before what encloses it: a value that is set anew in every round.
    if let Some(outer) = block.and_then(|b| b.parent()).filter(|o| is_structure(*o) && stands_free(*o)) {
        let indent = super::indent(proposer.text, outer.start_byte()).to_string();
        let put = Part {
            at: outer.start_byte()..outer.start_byte(),
            with: format!("{text}\n{indent}"),
            switch: Switch::Between,
        };
        let removed = Part {
            at: line_of(proposer.text, statement),
            with: String::new(),
            switch: Switch::Statement(statement.byte_range()),
        };
        proposer.edits.push(Edit { file: proposer.file, parts: vec![put, removed], kind: Kind::Move, price: 4 });
    }
}

/// To the end of the block of the loop or branch before it: `if (isalpha(c)) { ...; k++; }`.
fn into_the_one_before(proposer: &mut Proposer, statement: Node, text: &str) {
    let before = statement.prev_named_sibling().filter(|n| is_structure(*n));
    let block = before.and_then(body).filter(|b| b.kind() == "compound_statement");
    let Some(last) = block.and_then(|b| syntax::named_children(b).last().copied()) else { return };
    if super::is_jump(last) {
        return;
    }
    let indent = super::indent(proposer.text, last.start_byte()).to_string();
    let at = last.end_byte();
    let put = Part { at: at..at, with: format!("\n{indent}{text}"), switch: Switch::Between };
    let removed = Part {
        at: line_of(proposer.text, statement),
        with: String::new(),
        switch: Switch::Statement(statement.byte_range()),
    };
    proposer.edits.push(Edit { file: proposer.file, parts: vec![put, removed], kind: Kind::Move, price: 4 });
}

/// Whether a statement frees what the next one sets.
fn frees_later(proposer: &Proposer, statement: Node, next: Node) -> bool {
    let inner = |n: Node| syntax::named_children(n).first().map(|e| proposer.text(*e).to_string());
    let freed = inner(statement).and_then(|e| Some(e.strip_prefix("free(")?.strip_suffix(')')?.to_string()));
    freed.zip(inner(next)).is_some_and(|(freed, set)| set.starts_with(&format!("{freed} =")))
}

/// What stands behind a statement, comments apart.
fn following(statement: Node<'_>) -> Option<Node<'_>> {
    let mut next = statement.next_named_sibling();
    while let Some(comment) = next.filter(|n| n.kind() == "comment") {
        next = comment.next_named_sibling();
    }
    next
}

fn is_structure(node: Node) -> bool {
    matches!(node.kind(), "if_statement" | "while_statement" | "for_statement" | "do_statement")
}

fn body(structure: Node) -> Option<Node> {
    structure.child_by_field_name("body").or_else(|| structure.child_by_field_name("consequence"))
}

/// Something else is returned.
fn returned(proposer: &mut Proposer, unit: &Unit) {
    let Some(value) = syntax::named_children(unit.node).first().copied() else { return };
    let scope = proposer.scope;
    let Some(shape) = scope.function(value.start_byte()).and_then(|f| f.returns.clone()) else { return };
    let constants: &[&str] = if shape.is_number() { &["0", "1", "-1"] } else { &["NULL"] };
    for constant in constants {
        proposer.replace(unit, value.byte_range(), *constant, Kind::Constant, 6);
    }
    for name in scope.visible(value.start_byte()).into_iter().filter(|n| n.shape == shape).take(8) {
        proposer.replace(unit, value.byte_range(), name.name.clone(), Kind::Variable, 6);
    }
}
