//! The part of an initialiser that gives a part of a variable its value.
//!
//! The rules are those of C: braces open an object, without them the parts of an object follow each other, a designator
//! says where to go on. What the text does not show (a macro that stands for several values, `#if` inside a list) makes
//! the answer unknown.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::syntax::{named_children, without_parentheses};

/// The type of what is initialised, as far as braces go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A number or a pointer.
    Scalar,
    /// An array.
    Array {
        /// Its elements.
        element: Box<Shape>,
        /// How many there are.
        count: u64,
        /// Whether a string literal may initialise all of it.
        text: bool,
    },
    /// A struct: its members in order, with "" for one without a name.
    Record(Vec<(String, Shape)>),
    /// A union: which member is initialised is not looked into.
    Union,
}

impl Shape {
    fn part(&self, index: u64) -> Option<&Shape> {
        match self {
            Shape::Array { element, count, .. } => (index < *count).then_some(element.as_ref()),
            Shape::Record(members) => members.get(index as usize).map(|(_, shape)| shape),
            Shape::Scalar | Shape::Union => None,
        }
    }

    fn at(&self, path: &[u64]) -> Option<&Shape> {
        path.iter().try_fold(self, |shape, index| shape.part(*index))
    }

    /// The path to a member of a name, through members without one.
    fn member(&self, name: &str) -> Option<Vec<u64>> {
        let Shape::Record(members) = self else { return None };
        members.iter().enumerate().find_map(|(index, (own, shape))| match own.as_str() {
            "" => shape.member(name).map(|rest| [vec![index as u64], rest].concat()),
            _ => (own == name).then(|| vec![index as u64]),
        })
    }
}

/// What is looked for.
pub(crate) struct Wanted<'a> {
    pub text: &'a str,
    /// The name of the variable, and the line it stands on.
    pub name: &'a str,
    pub line: u32,
    /// The value of a constant with a name.
    pub constant: &'a dyn Fn(&str) -> Option<i128>,
}

/// The text cannot tell.
struct Unknown;

impl Wanted<'_> {
    /// See [`crate::SourceText::initialiser`].
    pub(crate) fn find(&self, tree: &Tree, shape: &Shape, path: &[u64]) -> Option<Range<usize>> {
        let declarator = self.declarator(tree.root_node())?;
        let value = declarator.child_by_field_name("value").filter(|value| value.kind() == "initializer_list")?;
        let item = self.item(value, shape, path).ok()??;
        // A row of a table says more than one value of it.
        let rows = std::iter::successors(Some(item), |node| node.parent().filter(|parent| *parent != value));
        let rows = rows.filter(|node| matches!(node.kind(), "initializer_list" | "initializer_pair"));
        let on_its_line = |node: &Node| {
            node.start_position().row == item.start_position().row && node.end_position().row == item.end_position().row
        };
        Some(rows.take_while(on_its_line).last().unwrap_or(item).byte_range())
    }

    /// The declaration of the variable with its initialiser.
    fn declarator<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let row = self.line.checked_sub(1)? as usize;
        if node.start_position().row > row || node.end_position().row < row {
            return None;
        }
        if node.kind() == "init_declarator"
            && let Some(name) = declared(node)
            && name.start_position().row == row
            && self.text.get(name.byte_range()) == Some(self.name)
        {
            return Some(node);
        }
        node.children(&mut node.walk()).find_map(|child| self.declarator(child))
    }

    /// The item of a list that initialises a part of an object; nothing where none does, so that it is zero.
    fn item<'t>(&self, list: Node<'t>, shape: &Shape, path: &[u64]) -> Result<Option<Node<'t>>, Unknown> {
        let items = named_children(list);
        let mut found = None;
        let mut next = vec![0];
        for item in &items {
            if item.kind().starts_with("preproc") || item.is_error() {
                return Err(Unknown);
            }
            let value = match item.kind() {
                "initializer_pair" => item.child_by_field_name("value").ok_or(Unknown)?,
                _ => *item,
            };
            let mut last = None;
            if item.kind() == "initializer_pair" {
                (next, last) = self.designated(*item, shape)?;
            }
            if next.is_empty() {
                return Err(Unknown);
            }
            self.settle(value, shape, &mut next, items.len())?;
            let depth = next.len().min(path.len());
            let in_range = last.is_some_and(|last| {
                let index = next.len() - 1;
                path.len() > index && path[..index] == next[..index] && (next[index]..=last).contains(&path[index])
            });
            if next[..depth] == path[..depth] || in_range {
                let rest = path.get(next.len()..).unwrap_or(&[]);
                let inner = match shape.at(&next) {
                    Some(inner) if value.kind() == "initializer_list" && !rest.is_empty() => {
                        self.item(value, inner, rest)?
                    }
                    _ => None,
                };
                found = Some(inner.unwrap_or(*item));
            }
            if let (Some(last), Some(index)) = (last, next.last_mut()) {
                *index = last;
            }
            advance(shape, &mut next);
        }
        Ok(found)
    }

    /// Where the designators of an item lead, and for `[a ... b]` the last index.
    fn designated(&self, item: Node, shape: &Shape) -> Result<(Vec<u64>, Option<u64>), Unknown> {
        let mut path: Vec<u64> = vec![];
        let mut last = None;
        let designators: Vec<Node> = item.children_by_field_name("designator", &mut item.walk()).collect();
        for designator in &designators {
            let parts = named_children(*designator);
            let here = shape.at(&path).ok_or(Unknown)?;
            match (designator.kind(), &parts[..], here) {
                // Which member of a union it is changes nothing.
                (_, _, Shape::Union) => break,
                ("field_designator", [name], _) => {
                    let name = self.text.get(name.byte_range()).ok_or(Unknown)?;
                    path.extend(here.member(name).ok_or(Unknown)?);
                }
                ("subscript_designator", [index], _) => path.push(self.number(*index)?),
                ("subscript_range_designator", [first, end], _) if designators.len() == 1 => {
                    path.push(self.number(*first)?);
                    last = Some(self.number(*end)?);
                }
                _ => return Err(Unknown),
            }
        }
        if path.is_empty() { Err(Unknown) } else { Ok((path, last)) }
    }

    fn number(&self, node: Node) -> Result<u64, Unknown> {
        let node = without_parentheses(node);
        let text = self.text.get(node.byte_range()).ok_or(Unknown)?;
        let value = match node.kind() {
            "number_literal" => text.parse().ok(),
            "char_literal" => match text.as_bytes() {
                [b'\'', c, b'\''] => Some(u64::from(*c)),
                _ => None,
            },
            "identifier" => (self.constant)(text).and_then(|value| u64::try_from(value).ok()),
            _ => None,
        };
        value.ok_or(Unknown)
    }

    /// Go down to what a value initialises: without braces the first scalar.
    fn settle(&self, value: Node, shape: &Shape, next: &mut Vec<u64>, items: usize) -> Result<(), Unknown> {
        loop {
            let here = shape.at(next).ok_or(Unknown)?;
            let whole = matches!(here, Shape::Array { text: true, .. });
            match value.kind() {
                _ if *here == Shape::Scalar => return Ok(()),
                "initializer_list" | "compound_literal_expression" => return Ok(()),
                "string_literal" | "concatenated_string" if whole => return Ok(()),
                "string_literal" | "concatenated_string" | "number_literal" | "char_literal" | "null"
                    if *here != Shape::Union => {}
                // A struct, or a macro for one: certain where there is one for each element.
                _ => {
                    let each = matches!(shape, Shape::Array { count, .. } if *count == items as u64);
                    return if each && next.len() == 1 { Ok(()) } else { Err(Unknown) };
                }
            }
            next.push(0);
        }
    }
}

/// The path of what comes after a part; empty after the last one.
fn advance(shape: &Shape, path: &mut Vec<u64>) {
    while let Some(index) = path.last_mut() {
        *index += 1;
        if shape.at(path).is_some() {
            return;
        }
        path.pop();
    }
}

/// The name that a declarator declares.
fn declared(declarator: Node<'_>) -> Option<Node<'_>> {
    let mut node = declarator.child_by_field_name("declarator")?;
    while node.kind() != "identifier" {
        node = match node.kind() {
            "parenthesized_declarator" => *named_children(node).first()?,
            _ => node.child_by_field_name("declarator")?,
        };
    }
    Some(node)
}

#[cfg(test)]
mod tests;
