//! A program that fails only where its execution goes by the waypoints of a witness, in their order.
//!
//! A variable counts the segments that are over. Where a waypoint stands, the text is made to look whether it is the next
//! one and holds. All of it is put into the lines as they are, so that places keep their lines.

use crate::{Kind, Waypoint, Witness};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use tree_sitter::Node;
use wherefore_source::{SourceText, syntax};

/// The variable that counts.
const SEGMENT: &str = "wherefore_segment";

/// A waypoint that has no place in the program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Unplaced {
    /// The line of the witness.
    pub line: usize,
    /// Why.
    pub what: String,
}

/// What is done where a waypoint stands.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Form {
    /// Before a statement.
    Before,
    /// After a statement.
    After,
    /// Around a condition.
    Branch,
    /// Around the value of a `switch`.
    Case,
    /// Before a call.
    Enter,
    /// Behind a call.
    Return,
    /// Before a call that is the violation.
    Violation,
    /// In what is asserted where that is the violation.
    Assertion,
    /// Before a call that would be another one.
    OtherCall,
    /// In what is asserted elsewhere.
    OtherAssertion,
}

/// A place in a file: what is changed there, from where to where.
type Spot = (Form, usize, usize);

/// What is looked at: the number of a segment, whether its end is there or something to avoid, and the condition.
type Look = (usize, bool, String);

/// The texts of a program's files with the witness in them.
///
/// # Errors
/// When a waypoint stands where there is nothing of its kind.
pub fn monitor(witness: &Witness, sources: &[SourceText]) -> Result<Vec<String>, Unplaced> {
    let mut looks: Vec<BTreeMap<Spot, Vec<Look>>> = vec![BTreeMap::new(); sources.len()];
    let last = witness.segments.len().saturating_sub(1);
    let has_target = witness.segments.last().is_some_and(|segment| segment.follow.at.line > 0);
    // So many segments are over where the violation happens.
    let over = if has_target { last + 1 } else { last };
    for (number, segment) in witness.segments.iter().enumerate() {
        let avoided = segment.avoid.iter().map(|waypoint| (waypoint, false));
        for (waypoint, followed) in avoided.chain([(&segment.follow, true)]) {
            // Where nobody said where it happens, it may happen anywhere.
            if waypoint.at.line == 0 && waypoint.kind == Kind::Target {
                continue;
            }
            let file = file(sources, waypoint)?;
            let (spot, condition) = spot(&sources[file], waypoint)?;
            looks[file].entry(spot).or_default().push((number, followed, condition));
        }
    }
    for (source, looks) in sources.iter().zip(&mut looks) {
        for (form, from, to) in violations(source) {
            let is_target = |known: &Form| looks.contains_key(&(*known, from, to));
            if ![Form::Violation, Form::Assertion].iter().any(is_target) {
                looks.insert((form, from, to), vec![(over, true, String::new())]);
            }
        }
    }
    Ok(sources.iter().zip(&looks).enumerate().map(|(file, (source, looks))| text(source, looks, file == 0)).collect())
}

/// The file that a waypoint names.
fn file(sources: &[SourceText], waypoint: &Waypoint) -> Result<usize, Unplaced> {
    let named = Path::new(&waypoint.at.file);
    let is_it = |source: &SourceText| Path::new(source.path()).file_name() == named.file_name();
    match sources.iter().position(is_it) {
        Some(file) => Ok(file),
        // Programs are often renamed, and then there is only one.
        None if sources.len() == 1 => Ok(0),
        None => Err(unplaced(waypoint, format!("{} is none of the program's files", waypoint.at.file))),
    }
}

fn unplaced(waypoint: &Waypoint, what: impl Into<String>) -> Unplaced {
    Unplaced { line: waypoint.line, what: what.into() }
}

/// Where a waypoint stands, and what has to hold there.
fn spot(source: &SourceText, waypoint: &Waypoint) -> Result<(Spot, String), Unplaced> {
    let missing = |what: &str| {
        let at = &waypoint.at;
        let column = at.column.map_or(String::new(), |column| format!(", column {column}"));
        unplaced(waypoint, format!("there is no {what} on line {}{column} of {}", at.line, source.path()))
    };
    let tree = source.tree().ok_or_else(|| missing("statement"))?;
    let mut nodes = vec![];
    collect(tree.root_node(), waypoint.at.line, &mut nodes);
    let column = waypoint.at.column.map(|column| column as usize - 1);
    let starts = |node: &&Node| column.is_none_or(|column| node.start_position().column == column);
    // Other tools count columns in their own ways; on the line there is hardly more than one of a kind.
    let find = |is_it: &dyn Fn(&Node) -> bool| {
        let on_line = || nodes.iter().filter(|node| node.start_position().row as u32 + 1 == waypoint.at.line);
        let exact = on_line().find(|node| is_it(node) && starts(node)).copied();
        exact.or_else(|| on_line().find(|node| is_it(node)).copied())
    };
    let range = |form: Form, node: Node| (form, node.start_byte(), node.end_byte());
    match &waypoint.kind {
        Kind::Before(condition) => {
            let statement = find(&is_statement).ok_or_else(|| missing("statement"))?;
            Ok((range(Form::Before, statement), condition.clone()))
        }
        Kind::After(condition) => {
            let statement = find(&is_statement).ok_or_else(|| missing("statement"))?;
            let is_plain = matches!(statement.kind(), "expression_statement" | "declaration");
            Ok((range(if is_plain { Form::After } else { Form::Before }, statement), condition.clone()))
        }
        Kind::Branch(is) => {
            let condition = find(&is_control).and_then(decided).ok_or_else(|| missing("condition"))?;
            Ok((range(Form::Branch, condition), if *is { "c".into() } else { "!c".into() }))
        }
        Kind::Case(value) => {
            let is_switch = |node: &Node| node.kind() == "switch_statement";
            let switch = find(&is_switch).and_then(|switch| switch.child_by_field_name("condition"));
            let value_node = switch.map(syntax::without_parentheses).ok_or_else(|| missing("switch"))?;
            let holds = value.as_ref().map_or("1".to_string(), |value| format!("c == ({value})"));
            Ok((range(Form::Case, value_node), holds))
        }
        Kind::Enter | Kind::Return(_) => {
            let ends = |node: &Node| {
                let end = node.end_position();
                let on = end.row as u32 + 1 == waypoint.at.line;
                node.kind() == "call_expression" && on && column.is_none_or(|column| end.column == column + 1)
            };
            let call = nodes.iter().find(|node| ends(node)).copied();
            let call =
                call.or_else(|| find(&|node| node.kind() == "call_expression")).ok_or_else(|| missing("call"))?;
            let condition = match &waypoint.kind {
                Kind::Return(Some(condition)) => condition.replace("\\result", "wherefore_result"),
                _ => "1".into(),
            };
            let form = if waypoint.kind == Kind::Enter { Form::Enter } else { Form::Return };
            Ok((range(form, call), condition))
        }
        Kind::Target => {
            let statement = find(&is_statement).ok_or_else(|| missing("statement"))?;
            let call = asserted(statement, source);
            Ok((call.map_or(range(Form::Violation, statement), |what| range(Form::Assertion, what)), String::new()))
        }
    }
}

/// Functions that are a violation when they are called.
const VIOLATIONS: [&str; 4] = ["reach_error", "__VERIFIER_error", "abort", "__assert_fail"];

/// Everything that may be a violation.
fn violations(source: &SourceText) -> Vec<Spot> {
    let Some(tree) = source.tree() else { return vec![] };
    let mut found = vec![];
    for statement in syntax::all(tree, "expression_statement") {
        if let Some(what) = asserted(statement, source) {
            found.push((Form::OtherAssertion, what.start_byte(), what.end_byte()));
            continue;
        }
        let call = syntax::named_children(statement).into_iter().find(|node| node.kind() == "call_expression");
        let name =
            call.and_then(|call| call.child_by_field_name("function")).map(|name| &source.as_str()[name.byte_range()]);
        if name.is_some_and(|name| VIOLATIONS.contains(&name)) {
            found.push((Form::OtherCall, statement.start_byte(), statement.end_byte()));
        }
    }
    found
}

/// The nodes that begin or end on a line, outer ones first.
fn collect<'t>(node: Node<'t>, line: u32, found: &mut Vec<Node<'t>>) {
    let (first, last) = (node.start_position().row as u32 + 1, node.end_position().row as u32 + 1);
    if last < line || line < first {
        return;
    }
    found.push(node);
    syntax::named_children(node).into_iter().for_each(|child| collect(child, line, found));
}

fn is_statement(node: &Node) -> bool {
    let inside =
        node.parent().is_some_and(|parent| parent.kind() != "translation_unit" && parent.kind() != "for_statement");
    inside
        && (node.kind().ends_with("_statement") && node.kind() != "compound_statement" || node.kind() == "declaration")
}

fn is_control(node: &Node) -> bool {
    let kinds = ["if_statement", "while_statement", "for_statement", "do_statement", "conditional_expression"];
    kinds.contains(&node.kind())
}

/// What decides a control statement.
fn decided(control: Node<'_>) -> Option<Node<'_>> {
    control.child_by_field_name("condition").map(syntax::without_parentheses)
}

/// What a statement asserts, if it is an assertion.
fn asserted<'t>(statement: Node<'t>, source: &SourceText) -> Option<Node<'t>> {
    let call = syntax::named_children(statement).into_iter().find(|node| node.kind() == "call_expression")?;
    let name = call.child_by_field_name("function")?;
    let is_assertion = matches!(&source.as_str()[name.byte_range()], "assert" | "__VERIFIER_assert");
    let arguments = call.child_by_field_name("arguments").filter(|_| is_assertion)?;
    syntax::named_children(arguments).first().copied()
}

/// A text with looks put in.
fn text(source: &SourceText, looks: &BTreeMap<Spot, Vec<Look>>, defines: bool) -> String {
    let mut head = match defines {
        true => format!("unsigned {SEGMENT}; "),
        false => format!("extern unsigned {SEGMENT}; "),
    };
    head += "extern void _Exit(int); ";
    // What is put in at each byte: what ends there before what begins, inner ones nearer to the text.
    let mut put_in = vec![];
    for (number, ((form, from, to), looks)) in looks.iter().enumerate() {
        let look = chain(looks);
        let original = &source.as_str()[*from..*to];
        let (before, after) = match form {
            Form::Before => (format!("{{ {look} }} "), String::new()),
            Form::After => (String::new(), format!(" {{ {look} }}")),
            Form::Enter => (format!("({{ {look} "), "; })".into()),
            Form::Return => {
                (format!("({{ __typeof__({original}) wherefore_result = "), format!("; {look} wherefore_result; }})"))
            }
            Form::Branch | Form::Case => {
                let kind = if *form == Form::Branch { "int" } else { "long long" };
                let _ = write!(head, "static {kind} wherefore_look{number}({kind} c) {{ {look} return c; }} ");
                let value = if *form == Form::Branch { "!!(" } else { "(" };
                (format!("wherefore_look{number}({value}"), "))".into())
            }
            Form::Violation => {
                let last = looks[0].0;
                (format!("if ({SEGMENT} != {last}) _Exit(0); {SEGMENT} = {}; ", last + 1), String::new())
            }
            Form::Assertion => {
                let last = looks[0].0;
                ("(".into(), format!(") || ({SEGMENT} == {last} ? ({SEGMENT} = {}, 0) : 1)", last + 1))
            }
            Form::OtherCall => (format!("if ({SEGMENT} != {}) _Exit(0); ", looks[0].0), String::new()),
            Form::OtherAssertion => ("(".into(), format!(") || {SEGMENT} != {}", looks[0].0)),
        };
        let (before, after) = match is_lone(source, *from, *to)
            && matches!(form, Form::Before | Form::After | Form::Violation | Form::OtherCall)
        {
            true => (format!("{{ {before}"), format!("{after} }}")),
            false => (before, after),
        };
        put_in.push(((*from, true, Reverse(*to), number), before));
        // Of what is as long, what begins last ends first.
        put_in.push(((*to, false, Reverse(*from), usize::MAX - number), after));
    }
    put_in.sort();
    let mut text = format!("{head}\n#line 1\n");
    let mut from = 0;
    for ((at, ..), part) in put_in {
        text.push_str(&source.as_str()[from..at]);
        text.push_str(&part);
        from = at;
    }
    text.push_str(&source.as_str()[from..]);
    text
}

/// Looks at one place: at most one of them is passed at a time.
fn chain(looks: &[Look]) -> String {
    let mut text = String::new();
    for (number, followed, condition) in looks {
        let then = if *followed { format!("{SEGMENT} = {}", number + 1) } else { "_Exit(0)".into() };
        let otherwise = if text.is_empty() { "" } else { " else " };
        let _ = write!(text, "{otherwise}if ({SEGMENT} == {number} && ({condition})) {then};");
    }
    text
}

/// Whether a statement is the body of another one, without braces.
fn is_lone(source: &SourceText, from: usize, to: usize) -> bool {
    let Some(node) = source.tree().and_then(|tree| tree.root_node().descendant_for_byte_range(from, to)) else {
        return false;
    };
    let kinds =
        ["if_statement", "else_clause", "while_statement", "for_statement", "do_statement", "labeled_statement"];
    let mut node = node;
    // The smallest node of the range may be a part that is as long as the statement.
    while let Some(parent) = node.parent().filter(|parent| parent.byte_range() == (from..to)) {
        node = parent;
    }
    node.parent().is_some_and(|parent| kinds.contains(&parent.kind()))
}
