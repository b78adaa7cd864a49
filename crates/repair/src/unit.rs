//! The parts of functions that edits are made in: whole statements, conditions, initial values.
//!
//! An edit changes something inside of a unit; a run that chooses executes the one or the other version of the whole unit,
//! so that the types of its parts do not have to agree.

use std::ops::Range;
use tree_sitter::Node;
use wherefore_clib as clib;
use wherefore_source::syntax;

/// How a run is made to choose between a text and its edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Switch {
    /// An expression that is there for what it does: the whole of it.
    Effect(Range<usize>),
    /// A condition.
    Condition(Range<usize>),
    /// A value of which the type matters.
    Value(Range<usize>),
    /// The initial value of a variable of this name.
    Initialiser(Range<usize>, String),
    /// A statement.
    Statement(Range<usize>),
    /// A statement that is put in, standing between others.
    Between,
    /// Instead of the edit, this statement is put in at a later place.
    Behind(usize, String),
    /// Instead of the edit, another value stands at another place.
    Instead(Range<usize>, String),
    /// No run can choose: the program has to be built with it.
    Build,
}

/// A part of a function that can be executed in one way or the other.
pub(crate) struct Unit<'t> {
    pub node: Node<'t>,
    pub switch: Switch,
}

/// The units of a file, in the order of the text, with those that only check left out: what is asserted is not the program.
pub(crate) fn units<'t>(root: Node<'t>, text: &str) -> Vec<Unit<'t>> {
    let mut found = vec![];
    visit(root, text, false, &mut found);
    found
}

fn visit<'t>(node: Node<'t>, text: &str, inside: bool, found: &mut Vec<Unit<'t>>) {
    if node.is_error() {
        return;
    }
    let inside = inside || node.kind() == "function_definition";
    let mut add = |node: Node<'t>, switch: fn(Range<usize>) -> Switch| {
        found.push(Unit { node, switch: switch(node.byte_range()) });
    };
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "expression_statement" if inside => {
            let Some(expression) = syntax::named_children(node).first().copied() else { return };
            if !checks(expression, text) {
                add(expression, Switch::Effect);
            }
            return;
        }
        "return_statement" | "break_statement" | "continue_statement" => return add(node, Switch::Statement),
        "if_statement" => {
            let guards_failure = field("consequence").is_some_and(|body| only_fails(body, text));
            if let Some(condition) = field("condition").filter(|_| !guards_failure) {
                add(syntax::without_parentheses(condition), Switch::Condition);
            }
        }
        "while_statement" | "do_statement" => {
            if let Some(condition) = field("condition") {
                add(syntax::without_parentheses(condition), Switch::Condition);
            }
        }
        "switch_statement" => {
            if let Some(condition) = field("condition") {
                add(syntax::without_parentheses(condition), Switch::Value);
            }
        }
        "for_statement" => {
            for (name, switch) in [
                ("initializer", Switch::Effect as fn(_) -> _),
                ("condition", Switch::Condition),
                ("update", Switch::Effect),
            ] {
                if let Some(part) = field(name).filter(|part| part.kind() != "declaration") {
                    add(part, switch);
                }
            }
        }
        "case_statement" => {
            if let Some(value) = field("value") {
                add(value, |_| Switch::Build);
            }
        }
        "declaration" if inside => {
            for declarator in syntax::named_children(node).into_iter().filter(|n| n.kind() == "init_declarator") {
                let (Some(name), Some(value)) =
                    (declarator.child_by_field_name("declarator"), declarator.child_by_field_name("value"))
                else {
                    continue;
                };
                let switch = match declared_name(name) {
                    _ if is_static(node, text) || is_constant_size(name) => Switch::Build,
                    Some(name) if value.kind() != "initializer_list" => {
                        Switch::Initialiser(value.byte_range(), text[name.byte_range()].to_string())
                    }
                    _ => Switch::Build,
                };
                found.push(Unit { node: value, switch });
            }
            return;
        }
        "declaration" => {
            let initial = |n: &Node<'t>| n.kind() == "init_declarator";
            for declarator in syntax::named_children(node).into_iter().filter(initial) {
                if let Some(value) = declarator.child_by_field_name("value") {
                    add(value, |_| Switch::Build);
                }
            }
            return;
        }
        _ => {}
    }
    for child in syntax::named_children(node) {
        visit(child, text, inside, found);
    }
}

/// `static int n = 0;`: its value has to be a constant.
fn is_static(declaration: Node, text: &str) -> bool {
    let specifiers = syntax::named_children(declaration);
    specifiers.iter().any(|n| n.kind() == "storage_class_specifier" && text[n.byte_range()] == *"static")
}

fn is_constant_size(declarator: Node) -> bool {
    declarator.kind() == "array_declarator"
}

/// The identifier that a declarator declares.
pub(crate) fn declared_name(mut declarator: Node<'_>) -> Option<Node<'_>> {
    loop {
        match declarator.kind() {
            "identifier" | "field_identifier" => return Some(declarator),
            "parenthesized_declarator" => declarator = *syntax::named_children(declarator).first()?,
            _ => declarator = declarator.child_by_field_name("declarator")?,
        }
    }
}

/// The name of the function that a call calls.
pub(crate) fn called<'a>(call: Node, text: &'a str) -> Option<&'a str> {
    let function = call.child_by_field_name("function").filter(|f| f.kind() == "identifier")?;
    text.get(function.byte_range())
}

/// Whether an expression is a check of the program rather than a part of it.
fn checks(expression: Node, text: &str) -> bool {
    let name = Some(expression).filter(|e| e.kind() == "call_expression").and_then(|call| called(call, text));
    name.is_some_and(|name| name == "assert" || clib::judge(name).is_some() || fails(name))
}

/// Whether a statement ends the program or checks it somewhere: nobody misses another one of these.
pub(crate) fn ends_or_checks(statement: Node, text: &str) -> bool {
    let mut work = vec![statement];
    while let Some(node) = work.pop() {
        let name = Some(node).filter(|n| n.kind() == "call_expression").and_then(|call| called(call, text));
        if checks(node, text) || name.is_some_and(|name| clib::ending(name).is_some()) {
            return true;
        }
        work.extend(syntax::named_children(node));
    }
    false
}

fn fails(name: &str) -> bool {
    name == "reach_error" || clib::ending(name).is_some_and(clib::Ending::is_failure)
}

/// Whether a statement does nothing but fail: what decides about it is the specification.
fn only_fails(body: Node, text: &str) -> bool {
    let statements = if body.kind() == "compound_statement" { syntax::named_children(body) } else { vec![body] };
    let called_in = |statement: &Node| {
        let expression = syntax::named_children(*statement).first().copied()?;
        called(expression, text)
    };
    statements.iter().filter_map(called_in).any(fails)
}
