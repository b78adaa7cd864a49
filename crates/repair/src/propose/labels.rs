//! Labels of a `switch`: which value leads to which statements.
//!
//! No run can choose a label, but what a label says is where a value leads; so a run that makes such an edit is given
//! another value to decide about.

use super::{Proposer, nodes_with_blocks};
use crate::edit::{Edit, Kind, Part};
use crate::unit::{Switch, Unit};
use std::ops::Range;
use tree_sitter::Node;
use wherefore_source::syntax;

/// Other places that a label is put to, at most, and names that are given a label.
const PLACES: usize = 6;
const NAMES: usize = 8;

/// The value that is given to a `switch`, by a name that no program uses.
const GIVEN: &str = "wherefore_given";

/// A value that no label has.
const NOWHERE: &str = "0x7ead10af";

/// A label with a value.
struct Label<'t> {
    value: Node<'t>,
    /// From `case` to the colon.
    at: Range<usize>,
    /// Whether another label leads to the same statements.
    is_shared: bool,
    /// The first label of those that lead to the same statements, by its place in the list of all.
    first: usize,
}

/// A label is left out or put elsewhere, where others lead to the same statements; or there is one more.
pub(super) fn of(proposer: &mut Proposer, root: Node, is_wanted: &dyn Fn(&Range<usize>) -> bool) {
    for switch in nodes_with_blocks(root).into_iter().filter(|n| n.kind() == "switch_statement") {
        let (Some(value), Some(body)) = (decided(switch), switch.child_by_field_name("body")) else { continue };
        if !is_wanted(&value.byte_range()) {
            continue;
        }
        let labels = labels(body);
        for label in labels.iter().filter(|label| label.is_shared) {
            remove(proposer, value, label);
            let mut others: Vec<&Label> = labels.iter().filter(|other| other.first != label.first).collect();
            others.dedup_by_key(|other| other.first);
            others.sort_by_key(|other| other.at.start.abs_diff(label.at.start));
            for other in others.into_iter().take(PLACES) {
                relocate(proposer, value, label, other);
            }
        }
        add(proposer, value, &labels);
    }
}

/// How a run can be told to make an edit of the value of a label.
pub(super) fn switched(unit: &Unit, text: &str, at: &Range<usize>, with: &str) -> Option<Switch> {
    let label = unit.node.parent().filter(|n| n.kind() == "case_statement")?;
    let mut around = label;
    while around.kind() != "switch_statement" {
        around = around.parent().filter(|n| n.kind() != "function_definition")?;
    }
    let old = unit.node.byte_range();
    let inside = old.start <= at.start && at.end <= old.end;
    let new = inside.then(|| format!("{}{with}{}", &text[old.start..at.start], &text[at.end..old.end]))?;
    let old = &text[old];
    Some(decides(decided(around)?, text, &[(&new, old), (old, NOWHERE)]))
}

/// What a `switch` decides about.
fn decided(switch: Node) -> Option<Node> {
    switch.child_by_field_name("condition").map(syntax::without_parentheses)
}

/// Values are taken for others.
fn decides(value: Node, text: &str, taken: &[(&str, &str)]) -> Switch {
    let value = value.byte_range();
    let given = &text[value.clone()];
    let taken: String = taken.iter().map(|(is, becomes)| format!("{GIVEN} == ({is}) ? ({becomes}) : ")).collect();
    // The value may be what something with an effect gives, so it is asked for once.
    let version = format!("({{ __typeof__(+({given})) {GIVEN} = ({given}); {taken}{GIVEN}; }})");
    Switch::Instead(value, version)
}

fn labels(body: Node) -> Vec<Label> {
    let all: Vec<Node> = syntax::named_children(body).into_iter().filter(|n| n.kind() == "case_statement").collect();
    let mut first = 0;
    let mut found = vec![];
    for (place, label) in all.iter().enumerate() {
        let follows = place.checked_sub(1).is_some_and(|before| is_bare(all[before]));
        if !follows {
            first = place;
        }
        let is_shared = follows || is_bare(*label) && place + 1 < all.len();
        if let (Some(value), Some(end)) = (label.child_by_field_name("value"), colon(*label)) {
            found.push(Label { value, at: label.start_byte()..end, is_shared, first });
        }
    }
    found
}

fn remove(proposer: &mut Proposer, value: Node, label: &Label) {
    let switch = decides(value, proposer.text, &[(proposer.text(label.value), NOWHERE)]);
    let part = Part { at: label.at.clone(), with: String::new(), switch };
    proposer.edits.push(Edit { file: proposer.file, parts: vec![part], kind: Kind::Removal, price: 4 });
}

fn relocate(proposer: &mut Proposer, value: Node, label: &Label, other: &Label) {
    let switch = decides(value, proposer.text, &[(proposer.text(label.value), proposer.text(other.value))]);
    let gone = Part { at: label.at.clone(), with: String::new(), switch: switch.clone() };
    let before = other.at.start;
    let there = Part { at: before..before, with: format!("{} ", &proposer.text[label.at.clone()]), switch };
    let mut parts = vec![gone, there];
    parts.sort_by_key(|part| part.at.start);
    proposer.edits.push(Edit { file: proposer.file, parts, kind: Kind::Move, price: 5 });
}

/// One more label before another: the letter in its other case, or a name that has none yet.
fn add(proposer: &mut Proposer, value: Node, labels: &[Label]) {
    let known: Vec<&str> = labels.iter().map(|label| &proposer.text[label.value.byte_range()]).collect();
    let are_names = labels.iter().all(|label| label.value.kind() == "identifier");
    let mut names = if are_names { proposer.constants_near(value) } else { vec![] };
    names.retain(|name| !known.contains(&name.as_str()));
    names.truncate(NAMES);
    let mut new: Vec<(usize, String)> = vec![];
    let mut places = 0;
    for (place, label) in labels.iter().enumerate() {
        let letter = other_case(known[place]).filter(|letter| !known.contains(&letter.as_str()));
        new.extend(letter.map(|letter| (place, letter)));
        let begins = place == 0 || labels[place - 1].first != label.first;
        if begins && places < PLACES {
            places += 1;
            new.extend(names.iter().map(|name| (place, name.clone())));
        }
    }
    for (place, name) in new {
        let before = labels[place].at.start;
        let switch = decides(value, proposer.text, &[(&name, proposer.text(labels[place].value))]);
        let part = Part { at: before..before, with: format!("case {name}: "), switch };
        proposer.edits.push(Edit { file: proposer.file, parts: vec![part], kind: Kind::Insertion, price: 5 });
    }
}

/// `'A'` for `'a'`.
fn other_case(label: &str) -> Option<String> {
    let letter = label.strip_prefix('\'')?.strip_suffix('\'')?;
    let letter = letter.parse().ok().filter(char::is_ascii_alphabetic)?;
    let other = if letter.is_ascii_lowercase() { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() };
    Some(format!("'{other}'"))
}

/// Whether nothing stands between a label and the next.
fn is_bare(label: Node) -> bool {
    let value = label.child_by_field_name("value");
    syntax::named_children(label).into_iter().all(|n| Some(n) == value || n.kind() == "comment")
}

/// Where a label ends.
fn colon(label: Node) -> Option<usize> {
    let mut cursor = label.walk();
    label.children(&mut cursor).find(|n| n.kind() == ":").map(|n| n.end_byte())
}
