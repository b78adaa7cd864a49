//! Statements that are missing.

use super::{Proposer, function_around, indent, is_simple, nodes, nodes_with_blocks};
use crate::edit::Kind;
use crate::scope::Name;
use crate::unit::{called, declared_name, ends_or_checks};
use std::collections::HashSet;
use std::ops::Range;
use tree_sitter::Node;
use wherefore_source::syntax;

/// Statements of a function that are tried at other places, at most.
const DONORS: usize = 24;

/// Variables that are set likewise, at most.
const LIKEWISE: usize = 6;

/// Longest statement that is copied.
const LONGEST: usize = 48;

/// Ways to leave that are tried elsewhere, at most.
const LEAVING: usize = 6;

/// Labels that are jumped to, at most.
const LABELS: usize = 4;

pub(super) fn of(proposer: &mut Proposer, root: Node, is_wanted: &dyn Fn(&Range<usize>) -> bool) {
    let mut work = vec![root];
    while let Some(node) = work.pop() {
        let wanted = || is_wanted(&node.byte_range());
        match node.kind() {
            // A variable that is only declared does nothing; what counts is the block.
            "declaration" if is_local(node) && node.parent().is_some_and(|block| is_wanted(&block.byte_range())) => {
                unset(proposer, node);
            }
            "case_statement" if wanted() => missing_break(proposer, node),
            "for_statement" | "while_statement" | "do_statement" if wanted() => around_loop(proposer, node),
            "call_expression" if wanted() => after_call(proposer, node),
            "function_definition" if wanted() => copied(proposer, node, is_wanted),
            "if_statement" if wanted() => {
                leaving(proposer, node);
                missing_else(proposer, node);
            }
            _ => {}
        }
        work.extend(syntax::named_children(node));
    }
}

fn is_local(declaration: Node) -> bool {
    declaration.parent().is_some_and(|p| p.kind() == "compound_statement")
}

/// `int n;` as `int n = 0;`.
fn unset(proposer: &mut Proposer, declaration: Node) {
    let declarators = syntax::named_children(declaration);
    for declarator in declarators.iter().filter(|n| is_declarator(**n)) {
        let Some(name) = declared_name(*declarator) else { continue };
        let Some(known) = proposer.scope.find(proposer.text(name), declaration.end_byte()) else { continue };
        let zero = match known {
            Name { is_array: true, .. } => "{0}",
            Name { shape, .. } if shape.is_pointer() => "NULL",
            Name { shape, .. } if shape.is_number() => "0",
            _ => "{0}",
        };
        let (written, aggregate) = (format!(" = {zero}"), zero == "{0}");
        let name_text = proposer.text(name).to_string();
        // A run sets it right behind the declaration.
        let set = if aggregate {
            format!(" __builtin_memset(&{name_text}, 0, sizeof {name_text});")
        } else {
            format!(" {name_text} = {zero};")
        };
        let at = declarator.end_byte();
        proposer.initialise(at, written, (declaration.end_byte(), set));
    }
}

fn is_declarator(node: Node) -> bool {
    matches!(node.kind(), "identifier" | "pointer_declarator" | "array_declarator")
}

/// A `case` that runs into the next one.
fn missing_break(proposer: &mut Proposer, case: Node) {
    let body: Vec<Node> = syntax::named_children(case);
    let Some(last) = body.last() else { return };
    let first_is_value = case.child_by_field_name("value") == Some(*last);
    if first_is_value || matches!(last.kind(), "break_statement" | "return_statement" | "continue_statement") {
        return;
    }
    let space = indent(proposer.text, last.start_byte()).to_string();
    proposer.insert(last.end_byte(), format!("\n{space}break;"), Kind::Insertion, 2);
}

/// Before a loop something is set anew, at the end of its body something moves on, after it a text ends.
fn around_loop(proposer: &mut Proposer, node: Node) {
    let Some(body) = node.child_by_field_name("body") else { return };
    let scope = proposer.scope;
    let free = super::stands_free(node);
    let space = indent(proposer.text, node.start_byte()).to_string();
    let mut assigned: Vec<String> = vec![];
    for inner in nodes_with_blocks(node) {
        let target = match inner.kind() {
            "assignment_expression" => inner.child_by_field_name("left"),
            "update_expression" => inner.child_by_field_name("argument"),
            _ => None,
        };
        let target = target.filter(|t| matches!(t.kind(), "identifier" | "field_expression"));
        if let Some(target) = target.map(|t| proposer.text(t).to_string())
            && !assigned.contains(&target)
        {
            assigned.push(target);
        }
    }
    for target in assigned.iter().take(8) {
        let known = scope.find(target, node.start_byte());
        let zero = match known {
            Some(name) if name.shape.is_pointer() => continue,
            None if !target.contains(['.', '>']) => continue,
            _ => "0",
        };
        if free {
            proposer.insert(node.start_byte(), format!("{target} = {zero};\n{space}"), Kind::Insertion, 4);
        }
    }
    if free {
        text_ends(proposer, node, &space);
    }
    let end = match body.kind() {
        "compound_statement" => body.end_byte() - 1,
        _ => return,
    };
    let inside = format!("{space}    ");
    let mut variables: Vec<(String, bool)> = vec![];
    let condition = node.child_by_field_name("condition");
    for inner in condition.into_iter().flat_map(nodes).filter(|n| n.kind() == "identifier") {
        let name = proposer.text(inner).to_string();
        if let Some(known) = scope.find(&name, node.start_byte() + 1).or_else(|| scope.find(&name, end)) {
            let pair = (name, known.shape.is_pointer());
            if !variables.contains(&pair) {
                variables.push(pair);
            }
        }
    }
    // The last line of the body ends before the brace.
    let at = proposer.text[..end].trim_end().len();
    for (name, is_pointer) in variables {
        let mut steps = vec![format!("{name}++;")];
        if is_pointer {
            let links = scope.structs.iter().flatten().filter(|(_, shape)| shape.depth == 1 && shape.base.is_some());
            let links: HashSet<&str> = links.map(|(member, _)| member.as_str()).collect();
            let mut links: Vec<&str> = links.into_iter().collect();
            links.sort_unstable();
            steps.extend(links.iter().take(3).map(|link| format!("{name} = {name}->{link};")));
        } else {
            steps.push(format!("{name}--;"));
        }
        for step in steps {
            proposer.insert(at, format!("\n{inside}{step}"), Kind::Insertion, 4);
        }
    }
}

/// After a loop that writes characters the text gets its end.
fn text_ends(proposer: &mut Proposer, node: Node, space: &str) {
    let mut found: Vec<String> = vec![];
    for inner in nodes_with_blocks(node).into_iter().filter(|n| n.kind() == "assignment_expression") {
        let Some(left) = inner.child_by_field_name("left") else { continue };
        if left.kind() == "subscript_expression"
            && let (Some(array), Some(index)) =
                (left.child_by_field_name("argument"), left.child_by_field_name("index"))
        {
            let index = proposer.text(index).trim_end_matches("++").trim_start_matches("++").to_string();
            found.push(format!("{}[{index}] = '\\0';", proposer.text(array)));
        }
        if left.kind() == "pointer_expression"
            && let Some(pointer) = left.child_by_field_name("argument")
        {
            let pointer = proposer.text(pointer).trim_end_matches("++").to_string();
            found.push(format!("*{pointer} = '\\0';"));
        }
    }
    found.dedup();
    for statement in found.into_iter().take(4) {
        proposer.insert(node.end_byte(), format!("\n{space}{statement}"), Kind::Insertion, 4);
    }
}

/// After `free(p)` nobody has it any more; after `strncpy(d, s, n)` the text ends.
fn after_call(proposer: &mut Proposer, call: Node) {
    let Some(statement) = call.parent().filter(|p| p.kind() == "expression_statement" && super::stands_free(*p)) else {
        return;
    };
    let name = called(call, proposer.text).unwrap_or_default().to_string();
    let arguments = call.child_by_field_name("arguments").map(syntax::named_children).unwrap_or_default();
    let texts: Vec<String> = arguments.iter().map(|a| proposer.text(*a).to_string()).collect();
    let space = indent(proposer.text, statement.start_byte()).to_string();
    let added = match (name.as_str(), &texts[..]) {
        ("free", [pointer]) if is_simple(arguments[0]) => vec![format!("{pointer} = NULL;")],
        ("strncpy" | "memcpy" | "memmove", [to, _, n]) => {
            vec![format!("{to}[{n}] = '\\0';"), format!("{to}[{n} - 1] = '\\0';")]
        }
        _ => vec![],
    };
    for statement_text in added {
        proposer.insert(statement.end_byte(), format!("\n{space}{statement_text}"), Kind::Insertion, 3);
    }
}

/// At the end of the body of an `if` the function is left, or the loop.
fn leaving(proposer: &mut Proposer, node: Node) {
    let Some(body) = node.child_by_field_name("consequence") else { return };
    let (at, space) = match body.kind() {
        "compound_statement" => {
            let inner = syntax::named_children(body);
            let Some(last) = inner.last() else { return };
            if last.kind().ends_with("return_statement")
                || matches!(last.kind(), "break_statement" | "continue_statement")
            {
                return;
            }
            (last.end_byte(), indent(proposer.text, last.start_byte()).to_string())
        }
        _ => return,
    };
    let mut up = Some(node);
    let in_loop = loop {
        match up {
            Some(n) if matches!(n.kind(), "for_statement" | "while_statement" | "do_statement") => break true,
            Some(n) if n.kind() != "function_definition" => up = n.parent(),
            _ => break false,
        }
    };
    if in_loop {
        for jump in ["break;", "continue;"] {
            proposer.insert(at, format!("\n{space}{jump}"), Kind::Insertion, 4);
        }
    }
    let returns = proposer.scope.function(at).map(|f| f.returns.clone());
    let values: &[&str] = match returns {
        Some(Some(shape)) if shape.is_number() => &["return 0;", "return 1;", "return -1;"],
        Some(Some(_)) => &["return NULL;"],
        Some(None) => &["return;"],
        None => &[],
    };
    for jump in values {
        proposer.insert(at, format!("\n{space}{jump}"), Kind::Insertion, 5);
    }
    for label in labels(proposer, node) {
        proposer.insert(at, format!("\n{space}goto {label};"), Kind::Insertion, 5);
    }
}

/// Two `if` that follow each other, the second only where the first did not hold.
fn missing_else(proposer: &mut Proposer, node: Node) {
    let before = node.prev_named_sibling().filter(|n| n.kind() == "if_statement");
    if before.is_some_and(|n| n.child_by_field_name("alternative").is_none()) {
        proposer.build(node.start_byte()..node.start_byte(), "else ", Kind::Condition, 3);
    }
}

/// The labels of the function around a place.
fn labels(proposer: &Proposer, node: Node) -> Vec<String> {
    let labelled = nodes_with_blocks(function_around(node)).into_iter().filter(|n| n.kind() == "labeled_statement");
    let names = labelled.filter_map(|n| n.child_by_field_name("label"));
    names.map(|n| proposer.text(n).to_string()).take(LABELS).collect()
}

/// Short statements of the function, and updates of the whole file, at each place between statements.
fn copied(proposer: &mut Proposer, function: Node, is_wanted: &dyn Fn(&Range<usize>) -> bool) {
    let Some(body) = function.child_by_field_name("body") else { return };
    let mut own: Vec<String> = vec![];
    let mut places: Vec<Node> = vec![];
    for node in nodes_with_blocks(body) {
        if node.kind() == "expression_statement" {
            let text = proposer.text(node).to_string();
            let short = text.len() <= LONGEST && !text.contains('\n') && !ends_or_checks(node, proposer.text);
            if short && !own.contains(&text) {
                own.push(text);
            }
        }
        let is_place = node.kind().ends_with("_statement") && super::stands_free(node);
        if is_place && is_wanted(&node.byte_range()) {
            places.push(node);
        }
    }
    let leaving = leaving_elsewhere(proposer, body);
    own.extend(counterparts(&own));
    own.sort_by_key(String::len);
    own.truncate(DONORS);
    let likewise = likewise(proposer, body, &own);
    let begun = begun(proposer, body);
    for place in places {
        let space = indent(proposer.text, place.start_byte()).to_string();
        let same = proposer.text(place).to_string();
        // Behind a jump nothing is executed.
        let is_jump = super::is_jump(place);
        for statement in likewise.iter().filter(|_| !is_jump) {
            proposer.insert(place.end_byte(), format!("\n{space}{statement}"), Kind::Insertion, 14);
        }
        for statement in own.iter().filter(|s| **s != same) {
            proposer.insert(place.start_byte(), format!("{statement}\n{space}"), Kind::Insertion, 6);
            if !is_jump {
                proposer.insert(place.end_byte(), format!("\n{space}{statement}"), Kind::Insertion, 6);
            }
        }
        for (_, statement) in begun.iter().filter(|(at, text)| *at < around_all(place) && *text != same && !is_jump) {
            proposer.insert(place.end_byte(), format!("\n{space}{statement}"), Kind::Insertion, 7);
        }
        let begins = place.prev_named_sibling().is_none_or(|before| before.kind() != place.kind());
        for statement in leaving.iter().filter(|(at, _)| begins && !at.contains(&place.start_byte())) {
            proposer.insert(place.start_byte(), format!("{}\n{space}", statement.1), Kind::Insertion, 7);
        }
        let prints = !proposer.failures.outputs.is_empty() && !is_jump;
        for line_end in ["printf(\"\\n\");"].iter().filter(|_| prints) {
            proposer.insert(place.end_byte(), format!("\n{space}{line_end}"), Kind::Insertion, 5);
        }
    }
}

/// `if (c == '*') return STAR;`, with the block around each: what one case of several does another may have forgotten.
fn leaving_elsewhere(proposer: &Proposer, body: Node) -> Vec<(Range<usize>, String)> {
    let mut found: Vec<(Range<usize>, String)> = vec![];
    for node in nodes_with_blocks(body).into_iter().filter(|n| n.kind() == "if_statement" && super::stands_free(*n)) {
        let leaves = node.child_by_field_name("consequence").is_some_and(super::is_jump);
        let text = proposer.text(node).split_whitespace().collect::<Vec<_>>().join(" ");
        let around = node.parent().map_or(node.byte_range(), |block| block.byte_range());
        let plain = leaves && node.child_by_field_name("alternative").is_none() && text.len() <= LONGEST;
        if plain && found.iter().all(|(_, known)| *known != text) {
            found.push((around, text));
        }
    }
    found.truncate(LEAVING);
    found
}

/// Where some variables are set to a constant another one may have to be, and what is calculated may have to change its
/// sign.
fn likewise(proposer: &Proposer, body: Node, statements: &[String]) -> Vec<String> {
    let assigned = |s: &String| {
        let text = s.strip_suffix(';')?;
        let (name, value) = [" = ", " += ", " *= "].iter().find_map(|sign| text.split_once(sign))?;
        let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        is_name.then(|| (name.to_string(), value.to_string()))
    };
    let set: Vec<(String, String)> = statements.iter().filter_map(assigned).collect();
    let constant = set.iter().map(|(_, value)| value).find(|value| value.parse::<i64>().is_ok());
    let visible = proposer.scope.visible(body.end_byte().saturating_sub(1)).into_iter();
    let numbers: Vec<String> = visible.filter(|n| n.shape.is_number()).map(|n| n.name.clone()).collect();
    let others = numbers.iter().filter(|name| set.iter().all(|(known, _)| known != *name));
    let reset = constant.into_iter().flat_map(|value| others.clone().map(move |name| format!("{name} = {value};")));
    let calculated = set.iter().filter(|(name, value)| numbers.contains(name) && value.parse::<i64>().is_err());
    let signs = nodes_with_blocks(body).into_iter().filter_map(|n| sign(proposer, n));
    let negated = signs.chain(calculated.map(|(name, _)| name.clone())).map(|name| format!("{name} = -{name};"));
    reset.take(LIKEWISE).chain(negated.take(LIKEWISE)).collect()
}

/// `len = 0;` for `int len = 0;` outside of a loop: what a round has used up may have to begin anew. With the end of the
/// declaration.
fn begun(proposer: &Proposer, body: Node) -> Vec<(usize, String)> {
    let declarations = nodes_with_blocks(body).into_iter().filter(|n| n.kind() == "init_declarator");
    let statement = |node: Node| {
        let name = node.child_by_field_name("declarator").filter(|name| name.kind() == "identifier")?;
        let value = proposer.text(node.child_by_field_name("value").filter(|value| value.kind() == "number_literal")?);
        let is_number = proposer.scope.find(proposer.text(name), node.end_byte())?.shape.is_number();
        is_number.then(|| (node.end_byte(), format!("{} = {value};", proposer.text(name))))
    };
    declarations.filter_map(statement).take(LIKEWISE).collect()
}

/// Where the outermost loop around a place begins; the beginning of the file where there is none.
fn around_all(place: Node) -> usize {
    let around = std::iter::successors(place.parent(), Node::parent);
    let loops = around.filter(|n| matches!(n.kind(), "for_statement" | "while_statement" | "do_statement"));
    loops.last().map_or(0, |node| node.start_byte())
}

/// A variable that begins as 1 or -1: it may be a sign.
fn sign(proposer: &Proposer, declarator: Node) -> Option<String> {
    let value = declarator.child_by_field_name("value").filter(|_| declarator.kind() == "init_declarator")?;
    let is_one = matches!(proposer.text(value).trim_start_matches('-'), "1" | "1.0" | "1.0f");
    let name = declarator.child_by_field_name("declarator").filter(|n| is_one && n.kind() == "identifier")?;
    Some(proposer.text(name).to_string())
}

/// What goes up may have to go down.
fn counterparts(statements: &[String]) -> Vec<String> {
    let other = |s: &String| match () {
        () if s.ends_with("++;") => Some(s.replace("++;", "--;")),
        () if s.ends_with("--;") => Some(s.replace("--;", "++;")),
        () if s.contains(" += ") => Some(s.replace(" += ", " -= ")),
        () => None,
    };
    statements.iter().filter_map(other).filter(|s| !statements.contains(s)).collect()
}
