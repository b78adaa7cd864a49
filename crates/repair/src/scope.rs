//! Which names can be used at a place, as far as the text tells.

use crate::unit::declared_name;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use tree_sitter::Node;
use wherefore_source::syntax;

/// The type of a name, as the text writes it: all numbers are alike.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// `None`: a number.
    pub base: Option<String>,
    /// Pointers and arrays around it.
    pub depth: usize,
}

impl Shape {
    pub fn is_number(&self) -> bool {
        self.base.is_none() && self.depth == 0
    }

    pub fn is_pointer(&self) -> bool {
        self.depth > 0
    }
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub name: String,
    pub shape: Shape,
    /// Its type as it is written, pointers and arrays apart.
    pub written: String,
    /// Where it can be used.
    pub visible: Range<usize>,
    /// Whether it is an array.
    pub is_array: bool,
    /// Whether it is declared in a function.
    pub is_local: bool,
}

/// A function that the file defines.
#[derive(Clone, Debug)]
pub(crate) struct Defined {
    pub name: String,
    pub parameters: Vec<Shape>,
    /// What the parameters are called, in their order.
    pub called: Vec<String>,
    pub body: Range<usize>,
    pub returns: Option<Shape>,
}

/// All names of a file.
#[derive(Default)]
pub(crate) struct Scope {
    pub names: Vec<Name>,
    pub functions: Vec<Defined>,
    /// The members of each struct and union.
    pub structs: Vec<Vec<(String, Shape)>>,
    /// Names of constants: `enum` and `#define` with a number.
    pub constants: Vec<String>,
    /// Names of variables that are fractions, and of no others; members with a point before them.
    pub fractions: HashSet<String>,
    /// Names of variables that are arrays, and of no others; members with a point before them.
    pub arrays: HashSet<String>,
}

const NUMBERS: &[&str] = &[
    "int",
    "char",
    "short",
    "long",
    "unsigned",
    "signed",
    "float",
    "double",
    "size_t",
    "ssize_t",
    "bool",
    "_Bool",
    "time_t",
    "ptrdiff_t",
    "const",
    "static",
    "volatile",
    "register",
];

fn shape(written: &str, depth: usize) -> Shape {
    let words: Vec<&str> =
        written.split_whitespace().filter(|w| !matches!(*w, "const" | "static" | "volatile")).collect();
    let is_number = !words.is_empty()
        && words
            .iter()
            .all(|w| NUMBERS.contains(w) || (w.ends_with("_t") && (w.starts_with("int") || w.starts_with("uint"))));
    Shape { base: if is_number { None } else { Some(words.join(" ")) }, depth }
}

/// How many pointers and arrays are around what a declarator declares, and whether it is an array itself.
fn around(mut declarator: Node) -> (usize, bool, bool) {
    let (mut depth, mut outermost_array, mut function) = (0, false, false);
    loop {
        match declarator.kind() {
            "pointer_declarator" => {
                depth += 1;
                outermost_array = false;
            }
            "array_declarator" => {
                depth += 1;
                outermost_array = true;
            }
            "function_declarator" => function = true,
            "identifier" | "field_identifier" => return (depth, outermost_array, function),
            _ => {}
        }
        let inner = match declarator.kind() {
            "parenthesized_declarator" => syntax::named_children(declarator).first().copied(),
            _ => declarator.child_by_field_name("declarator"),
        };
        match inner {
            Some(inner) => declarator = inner,
            None => return (depth, outermost_array, function),
        }
    }
}

impl Scope {
    pub fn new(root: Node, text: &str) -> Scope {
        let mut scope = Scope::default();
        scope.visit(root, text, root.byte_range(), false);
        scope.name_capitals(root, text);
        let is_fraction = |ty: &str, _: Node| matches!(ty, "double" | "float" | "long double");
        scope.fractions = named(root, text, &is_fraction);
        scope.arrays = named(root, text, &|_, declarator| declarator.kind() == "array_declarator");
        scope
    }

    /// What is written in capitals and declared nowhere in the file is a constant of a header.
    fn name_capitals(&mut self, root: Node, text: &str) {
        let declared: HashSet<&str> = self.names.iter().map(|n| n.name.as_str()).collect();
        let is_capital = |name: &str| name.len() > 1 && !name.contains(|c: char| c.is_lowercase());
        let (mut found, mut functions): (Vec<String>, HashSet<&str>) = Default::default();
        let mut work = vec![root];
        while let Some(node) = work.pop() {
            let name = &text[node.byte_range()];
            let standard = matches!(name, "NULL" | "FILE");
            if node.kind() == "identifier" && is_capital(name) && !standard && !declared.contains(name) {
                let parent = node.parent().map_or("", |parent| parent.kind());
                if matches!(parent, "call_expression" | "function_declarator") {
                    functions.insert(name);
                } else {
                    found.push(name.to_string());
                }
            }
            // A macro may be anything.
            if !node.kind().starts_with("preproc_") {
                work.extend(syntax::named_children(node));
            }
        }
        found.sort();
        found.dedup();
        found.retain(|name| !self.constants.contains(name) && !functions.contains(name.as_str()));
        self.constants.extend(found);
    }

    fn visit(&mut self, node: Node, text: &str, block: Range<usize>, local: bool) {
        let block = match node.kind() {
            "compound_statement" | "for_statement" | "function_definition" => node.byte_range(),
            _ => block,
        };
        match node.kind() {
            "declaration" => self.declare(node, text, &block, local),
            "parameter_declaration" => {
                if let Some(definition) = defining(node) {
                    self.declare(node, text, &definition.byte_range(), true);
                }
            }
            "function_definition" => self.define(node, text),
            "struct_specifier" | "union_specifier" => self.members(node, text),
            "enumerator" => {
                let name = node.child_by_field_name("name").map(|n| text[n.byte_range()].to_string());
                self.constants.extend(name);
            }
            "preproc_def" => {
                let value = node.child_by_field_name("value").map_or("", |v| text[v.byte_range()].trim());
                let name = node.child_by_field_name("name").map(|n| text[n.byte_range()].to_string());
                let first = value.trim_matches(|c| matches!(c, '(' | ')' | '-')).chars().next();
                let is_number = first.is_some_and(|c| c.is_ascii_digit() || c == '\'');
                self.constants.extend(name.filter(|name| is_number && !self.constants.contains(name)));
            }
            _ => {}
        }
        let local = local || node.kind() == "function_definition";
        for child in syntax::named_children(node) {
            self.visit(child, text, block.clone(), local);
        }
    }

    fn declare(&mut self, declaration: Node, text: &str, block: &Range<usize>, is_local: bool) {
        let Some(ty) = declaration.child_by_field_name("type") else { return };
        let written = written(ty, text);
        let mut cursor = declaration.walk();
        for declarator in declaration.children_by_field_name("declarator", &mut cursor) {
            let (depth, is_array, function) = around(declarator);
            let Some(name) = declared_name(declarator).filter(|_| !function) else { continue };
            self.names.push(Name {
                name: text[name.byte_range()].to_string(),
                shape: shape(&written, depth),
                written: written.clone(),
                visible: declarator.end_byte().min(block.end)..block.end,
                is_array,
                is_local,
            });
        }
    }

    fn define(&mut self, definition: Node, text: &str) {
        let (Some(ty), Some(declarator), Some(body)) = (
            definition.child_by_field_name("type"),
            definition.child_by_field_name("declarator"),
            definition.child_by_field_name("body"),
        ) else {
            return;
        };
        let Some(name) = declared_name(declarator) else { return };
        let mut function = declarator;
        let mut depth = 0;
        while function.kind() != "function_declarator" {
            depth += usize::from(function.kind() == "pointer_declarator");
            match function.child_by_field_name("declarator") {
                Some(inner) => function = inner,
                None => return,
            }
        }
        let Some(list) = function.child_by_field_name("parameters") else { return };
        let parameter = |node: Node| {
            let written = written(node.child_by_field_name("type")?, text);
            let depth = node.child_by_field_name("declarator").map_or(0, |d| around(d).0);
            Some(shape(&written, depth)).filter(|s| s.base.as_deref() != Some("void") || s.depth > 0)
        };
        let returns = shape(&written(ty, text), depth);
        let called = |node: Node| {
            let name = node.child_by_field_name("declarator").and_then(declared_name);
            name.map_or(String::new(), |name| text[name.byte_range()].to_string())
        };
        self.functions.push(Defined {
            name: text[name.byte_range()].to_string(),
            parameters: syntax::named_children(list).into_iter().filter_map(parameter).collect(),
            called: syntax::named_children(list).into_iter().map(called).collect(),
            body: body.byte_range(),
            returns: Some(returns).filter(|r| r.base.as_deref() != Some("void") || r.depth > 0),
        });
    }

    fn members(&mut self, node: Node, text: &str) {
        let Some(body) = node.child_by_field_name("body") else { return };
        let mut members = vec![];
        for field in syntax::named_children(body).into_iter().filter(|n| n.kind() == "field_declaration") {
            let Some(ty) = field.child_by_field_name("type") else { continue };
            let written = written(ty, text);
            let mut cursor = field.walk();
            for declarator in field.children_by_field_name("declarator", &mut cursor) {
                if let Some(name) = declared_name(declarator) {
                    members.push((text[name.byte_range()].to_string(), shape(&written, around(declarator).0)));
                }
            }
        }
        self.structs.push(members);
    }

    /// What a name is at a place: the innermost declaration.
    pub fn find(&self, name: &str, at: usize) -> Option<&Name> {
        let visible = self.names.iter().filter(|n| n.name == name && n.visible.contains(&at));
        visible.min_by_key(|n| n.visible.len())
    }

    /// The variables that can be used at a place, inner ones first.
    pub fn visible(&self, at: usize) -> Vec<&Name> {
        let mut found: HashMap<&str, &Name> = HashMap::new();
        for name in self.names.iter().filter(|n| n.visible.contains(&at)) {
            let known = found.entry(&name.name).or_insert(name);
            if name.visible.len() < known.visible.len() {
                *known = name;
            }
        }
        let mut all: Vec<&Name> = found.into_values().collect();
        all.sort_by(|a, b| (a.visible.len(), &a.name).cmp(&(b.visible.len(), &b.name)));
        all
    }

    /// The function around a place.
    pub fn function(&self, at: usize) -> Option<&Defined> {
        self.functions.iter().find(|f| f.body.contains(&at))
    }

    /// Other members of the structs that have this one, of the same type.
    pub fn siblings(&self, member: &str) -> Vec<&str> {
        let mut found = vec![];
        for members in &self.structs {
            let Some((_, shape)) = members.iter().find(|(name, _)| name == member) else { continue };
            let alike = members.iter().filter(|(name, other)| other == shape && name != member);
            found.extend(alike.map(|(name, _)| name.as_str()).filter(|name| !found.contains(name)).collect::<Vec<_>>());
        }
        found
    }
}

/// The names that are only declared in a certain way, by type and declarator.
fn named(root: Node, text: &str, is_wanted: &dyn Fn(&str, Node) -> bool) -> HashSet<String> {
    let (mut found, mut others) = (HashSet::new(), HashSet::new());
    let mut work = vec![root];
    while let Some(node) = work.pop() {
        if let Some(ty) = node.child_by_field_name("type").filter(|_| node.kind().ends_with("declaration")) {
            let mut cursor = node.walk();
            for declarator in node.children_by_field_name("declarator", &mut cursor) {
                let inner = declarator.child_by_field_name("declarator");
                let inner = inner.filter(|_| declarator.kind() == "init_declarator").unwrap_or(declarator);
                let is_parameter = node.kind() == "parameter_declaration" && inner.kind() == "array_declarator";
                let wanted = is_wanted(text[ty.byte_range()].trim(), inner) && !is_parameter;
                let names = if wanted { &mut found } else { &mut others };
                let point = if node.kind() == "field_declaration" { "." } else { "" };
                names.extend(declared_name(inner).map(|name| format!("{point}{}", &text[name.byte_range()])));
            }
        }
        work.extend(syntax::named_children(node));
    }
    &found - &others
}

/// A type as it is written, without the members of a struct.
fn written(ty: Node, text: &str) -> String {
    match ty.kind() {
        "struct_specifier" | "union_specifier" | "enum_specifier" => {
            let word = ty.kind().trim_end_matches("_specifier");
            let name = ty.child_by_field_name("name").map_or("", |n| &text[n.byte_range()]);
            if word == "enum" { "int".into() } else { format!("{word} {name}") }
        }
        _ => text[ty.byte_range()].split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

/// The function definition that a parameter belongs to, if it is not that of a declaration or of a pointer to a function.
fn defining(parameter: Node) -> Option<Node> {
    let declarator = parameter.parent()?.parent()?;
    let mut up = declarator.parent()?;
    while up.kind() == "pointer_declarator" {
        up = up.parent()?;
    }
    Some(up).filter(|up| up.kind() == "function_definition")
}
