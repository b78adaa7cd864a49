//! What lies at a line and column of a C source: statements, conditions and control structures.
//!
//! A compiler's debug information gives points; a person wants to see the statement. This crate parses the text with a
//! C grammar and finds the extent around such a point. It knows C's syntax and nothing else: it opens no files, knows
//! no debug format and never fails: text it cannot make sense of yields `None`.
//!
//! Positions are as clang counts them: lines and columns start at 1 and a column counts bytes. Column 0 is that of
//! something of which only the line is known, such as a global variable, and stands for the start of the line. The points are those of
//! clang's debug locations:
//!
//! | construct | location |
//! |---|---|
//! | `x = a + b` | the `=` |
//! | `int y = f(x)` | the `y` |
//! | `i++` | the `++` |
//! | `f(x)` | the start of `f`; for a macro call everything inside it as well |
//! | `return e` | the `return` |
//! | branch of `if (c)` and `c ? a : b` | the start of `c` |
//! | branch of `while`, `for`, `switch` | the keyword |
//! | branch of `do { } while (c)` | the `}` |
//! | branch of the left side of `a && b` | the `&&` |

mod constants;
mod control;
mod decision;
mod expression;
mod fold;
mod initialiser;
mod insertion;
mod lines;
mod outline;
mod repair;
mod statement;
pub mod syntax;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use tree_sitter::Tree;

pub use control::{Control, ControlKind, Part};
pub use decision::Decision;
pub use initialiser::Shape;
pub use insertion::Inserted;
pub use outline::{Branching, Outline, Region};

use lines::Lines;
use syntax::Path;

/// A stretch of source text. Lines and columns count from 1, columns in bytes; the end is exclusive, so the last
/// character lies before `end_column`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Extent {
    /// Line of the first character.
    pub line: u32,
    /// Column of the first character.
    pub column: u32,
    /// Line of the last character.
    pub end_line: u32,
    /// Column one past the last character.
    pub end_column: u32,
}

impl Extent {
    /// Whether a place lies in it.
    pub fn contains(&self, line: u32, column: u32) -> bool {
        ((self.line, self.column)..(self.end_line, self.end_column)).contains(&(line, column))
    }
}

/// One source file: C, parsed when first asked about, at most once; or a text whose [`Outline`] is known.
pub struct SourceText {
    path: String,
    text: String,
    lines: Lines,
    tree: OnceLock<Option<Tree>>,
    constants: OnceLock<HashMap<String, i128>>,
    /// Set for a text that is not C.
    outline: Option<Outline>,
}

impl std::fmt::Debug for SourceText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SourceText").field("path", &self.path).field("bytes", &self.text.len()).finish()
    }
}

impl SourceText {
    /// A source from its text. `path` is only kept for [`SourceText::path`].
    pub fn new(path: String, text: String) -> SourceText {
        let lines = Lines::new(&text);
        SourceText { path, text, lines, tree: OnceLock::new(), constants: OnceLock::new(), outline: None }
    }

    /// A text that is not C.
    pub fn outlined(path: String, text: String, outline: Outline) -> SourceText {
        SourceText { outline: Some(outline), ..SourceText::new(path, text) }
    }

    /// A source from the bytes of a file, which need not be UTF-8. A byte that is not part of a valid character becomes
    /// a `?`, so that columns, which count bytes, stay right.
    pub fn from_bytes(path: String, bytes: &[u8]) -> SourceText {
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().map(|_| '?'));
        }
        SourceText::new(path, text)
    }

    /// The name given to [`SourceText::new`].
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The whole text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its syntax; `None` where the grammar gives up.
    pub fn tree(&self) -> Option<&Tree> {
        if self.outline.is_some() {
            return None;
        }
        self.tree.get_or_init(|| repair::parse(&self.text)).as_ref()
    }

    /// The extent of some of its bytes.
    pub fn extent(&self, bytes: std::ops::Range<usize>) -> Extent {
        self.lines.extent(bytes)
    }

    /// The number of lines.
    pub fn line_count(&self) -> u32 {
        self.lines.count()
    }

    /// Line `n`, counted from 1, without its line end; empty when there is no such line.
    pub fn line(&self, n: u32) -> &str {
        self.lines.range(n).and_then(|range| self.text.get(range)).unwrap_or("").trim_end_matches(['\n', '\r'])
    }

    /// The text of an extent on one line: white space and line ends become single spaces, comments are dropped, string
    /// literals stay as they are. Empty when the extent does not lie in this source.
    pub fn text(&self, extent: Extent) -> String {
        self.raw(extent).map(|text| fold::fold(&text)).unwrap_or_default()
    }

    /// The statement, declaration or part of one at a location.
    ///
    /// - inside a larger expression, the innermost assignment, `++`/`--` or call around the location: for
    ///   `while ((c = next()) != 0)` the `=` gives `c = next()`;
    /// - a plain expression statement, `return`, `goto`, ... as a whole, without its `;`;
    /// - a declaration of one variable as a whole (`int y = f(x)`), of several the one declarator (`y = f(x)`);
    /// - of control statements the head only, `if (sign == -1)`, of `do` the `while (c)` at its end;
    /// - of `for (i = 0; i < n; i++)` each part is a statement of its own, the keyword gives the head;
    /// - a function's parameter as it is declared.
    ///
    /// For a branch ask [`SourceText::enclosing_control`] instead: the branch of `if (f(x))` has the location of the
    /// call, and here the call wins.
    pub fn extent_of_statement(&self, line: u32, column: u32) -> Option<Extent> {
        if self.outline.is_some() {
            let region = self.region(line, column)?;
            return Some(region.statement.clone()).map(|range| self.lines.extent(range));
        }
        statement::at(&self.path_to(line, column)?).map(|range| self.lines.extent(range))
    }

    /// The smallest statement at a location that one would change as a whole: an expression statement, a `return`, a
    /// declared variable, the head of an `if`, `while` or `switch`, a part of the head of a `for`. Calls and assignments
    /// inside an expression belong to the statement around them.
    pub fn extent_of_whole_statement(&self, line: u32, column: u32) -> Option<Extent> {
        if self.outline.is_some() {
            let region = self.region(line, column)?;
            return Some(region.statement.clone()).map(|range| self.lines.extent(range));
        }
        statement::whole(&self.path_to(line, column)?).map(|range| self.lines.extent(range))
    }

    /// The full expression at a location.
    ///
    /// In or at the head of a control statement, and in the condition of `?:`, that is the whole condition without its
    /// parentheses. At the name of an assertion it is what is asserted. Elsewhere it is the largest expression around
    /// the location, such as the operand of `return`.
    pub fn extent_of_expression(&self, line: u32, column: u32) -> Option<Extent> {
        if self.outline.is_some() {
            let region = self.region(line, column)?;
            return region.condition.clone().or(Some(region.statement.clone())).map(|range| self.lines.extent(range));
        }
        expression::full_at(&self.path_to(line, column)?, &self.text).map(|range| self.lines.extent(range))
    }

    /// The operand of `&&` or `||` at a location, without parentheses around it.
    ///
    /// At the operator itself it is the operand that the branch there decides on, the last one evaluated of its left
    /// side: for `a && b && c` the second `&&` gives `b`. Inside an operand it is that operand. Without `&&` or `||`
    /// it is the same as [`SourceText::extent_of_expression`].
    pub fn operand_at(&self, line: u32, column: u32) -> Option<Extent> {
        if self.outline.is_some() {
            let region = self.region(line, column)?;
            return region.condition.clone().or(Some(region.statement.clone())).map(|range| self.lines.extent(range));
        }
        expression::operand_at(&self.path_to(line, column)?, &self.text).map(|range| self.lines.extent(range))
    }

    /// The first argument of the call, or macro call, at whose name the location points: `x > 0` of `assert(x > 0)`.
    pub fn macro_argument(&self, line: u32, column: u32) -> Option<Extent> {
        if self.outline.is_some() {
            let region = self.region(line, column)?;
            return region.condition.clone().filter(|_| region.control.is_none()).map(|range| self.lines.extent(range));
        }
        expression::argument_at(&self.path_to(line, column)?).map(|range| self.lines.extent(range))
    }

    /// The name of the call, or macro call, at whose name the location points: `assert` of `assert(x > 0)`.
    pub fn called_name(&self, line: u32, column: u32) -> Option<&str> {
        let range = expression::called_name_at(&self.path_to(line, column)?)?;
        self.text.get(range)
    }

    /// The innermost control structure around a location.
    ///
    /// `&&` and `||` are answered at their operator only; from inside an operand the structure around them is found.
    pub fn enclosing_control(&self, line: u32, column: u32) -> Option<Control> {
        if let Some(outline) = &self.outline {
            return outline.control(self.byte(line, column)?, &|range| self.lines.extent(range));
        }
        control::enclosing(&self.path_to(line, column)?, &|range| self.lines.extent(range))
    }

    /// The conditions of all `if`, `while`, `do`, `for` and `switch` in functions, in the order of the source.
    pub fn decisions(&self) -> Vec<Decision> {
        let tree = self.tree();
        tree.map_or(vec![], |tree| decision::all(tree, &|range| self.lines.extent(range)))
    }

    /// The part of a variable's initialiser that gives a part of it its value: the row of a table, if it stands on one
    /// line, or the value. `path` are the indices of elements and members that lead to the part; `constant` knows
    /// constants that are not of this source. Nothing where the variable has no initialiser in braces, or its text does not tell.
    pub fn initialiser(
        &self,
        (name, line): (&str, u32),
        shape: &Shape,
        path: &[u64],
        constant: &dyn Fn(&str) -> Option<i128>,
    ) -> Option<Extent> {
        let tree = self.tree()?;
        let constant = |name: &str| {
            let own = self.constants.get_or_init(|| constants::all(tree, &self.text));
            own.get(name).copied().or_else(|| constant(name))
        };
        let wanted = initialiser::Wanted { text: &self.text, name, line, constant: &constant };
        wanted.find(tree, shape, path).map(|range| self.lines.extent(range))
    }

    /// Where members of structs and unions of a name are declared.
    pub fn members(&self, name: &str) -> Vec<Extent> {
        let Some(tree) = self.tree() else { return vec![] };
        let found = syntax::all(tree, "field_identifier").filter(|node| {
            let is_declared = !node.parent().is_some_and(|parent| {
                matches!(parent.kind(), "field_expression" | "field_designator" | "offsetof_expression")
            });
            is_declared && self.text.get(node.byte_range()) == Some(name)
        });
        found.map(|node| self.lines.extent(node.byte_range())).collect()
    }

    /// The text with a statement in front of the first one that begins on a line, everything else at its place.
    ///
    /// # Errors
    /// Where no statement begins there: the next line on which one does.
    pub fn with_statement(&self, line: u32, statement: &str) -> Result<Inserted, Option<u32>> {
        insertion::insert(self, line, statement)
    }

    /// The syntax nodes around a location from the outermost to the token there.
    fn path_to(&self, line: u32, column: u32) -> Option<Path<'_>> {
        let tree = self.tree()?;
        syntax::path_to(tree, self.byte(line, column)?)
    }

    /// The byte at a location.
    fn byte(&self, line: u32, column: u32) -> Option<usize> {
        match column {
            0 => self.first_of_line(line),
            _ => self.lines.byte(line, column),
        }
    }

    /// The innermost statement of an outline.
    fn region(&self, line: u32, column: u32) -> Option<&Region> {
        self.outline.as_ref()?.at(self.byte(line, column)?)
    }

    /// The first byte of a line that is not blank.
    fn first_of_line(&self, line: u32) -> Option<usize> {
        let text = self.line(line);
        let blank = text.len() - text.trim_start().len();
        self.lines.byte(line, blank as u32 + 1)
    }

    /// What a decision at a location decides.
    pub fn decided_at(&self, line: u32, column: u32) -> Decides {
        if self.outline.is_some() {
            let condition = self.region(line, column).and_then(|region| region.condition.as_ref());
            return condition.map_or(Decides::Way, |_| Decides::Condition(Some(1)));
        }
        let Some(path) = self.path_to(line, column) else { return Decides::Way };
        let is_control = |node: &tree_sitter::Node| {
            let kinds = ["if_statement", "while_statement", "for_statement", "do_statement", "switch_statement"];
            kinds.contains(&node.kind())
        };
        let condition = path.windows(2).find_map(|pair| match pair[0].kind() {
            "call_expression" => self.asserted(pair[0]).filter(|arguments| *arguments == pair[1]),
            _ => Some(pair[1]).filter(|_| is_control(&pair[0]) && syntax::is_field(pair[0], "condition", pair[1])),
        });
        // An assertion stands where its name does, a loop may stand where its keyword does.
        let call = path.iter().rev().find(|node| node.kind() == "call_expression");
        let Some(root) = condition.or_else(|| call.and_then(|call| self.asserted(*call))) else {
            let parent = path.iter().rev().nth(1);
            return if parent.is_some_and(is_control) { Decides::Way } else { Decides::Value };
        };
        let (mut parts, mut work) = (1, vec![root]);
        while let Some(node) = work.pop() {
            let operator = node.child_by_field_name("operator").map(|operator| operator.kind());
            match node.kind() {
                "conditional_expression" => return Decides::Condition(None),
                "binary_expression" if matches!(operator, Some("&&" | "||")) => parts += 1,
                _ => {}
            }
            work.extend(syntax::named_children(node));
        }
        Decides::Condition(Some(parts))
    }

    /// The arguments of a call, if it is an assertion.
    fn asserted<'t>(&self, call: tree_sitter::Node<'t>) -> Option<tree_sitter::Node<'t>> {
        let name = call.child_by_field_name("function")?;
        let is_assertion = self.text.get(name.byte_range()).is_some_and(|name| name.ends_with("assert"));
        call.child_by_field_name("arguments").filter(|_| is_assertion)
    }

    /// Whether what is assigned at a location is used at once, as in `if (--n > 0)` or `a = b = c`.
    pub fn assigns_in_passing(&self, line: u32, column: u32) -> bool {
        let Some(path) = self.path_to(line, column) else { return false };
        let assigns = |node: &tree_sitter::Node| matches!(node.kind(), "assignment_expression" | "update_expression");
        let Some(at) = path.iter().rposition(assigns) else { return false };
        let stands = |node: &tree_sitter::Node| {
            matches!(node.kind(), "expression_statement" | "for_statement" | "comma_expression")
        };
        // What `n++` gives is what was there before.
        let is_postfix = path[at].kind() == "update_expression"
            && path[at].child(0).is_some_and(|first| !matches!(first.kind(), "++" | "--"));
        at > 0 && !is_postfix && !stands(&path[at - 1])
    }

    /// The bytes of an extent, with characters cut by its borders replaced.
    fn raw(&self, extent: Extent) -> Option<Cow<'_, str>> {
        let start = self.lines.byte(extent.line, extent.column)?;
        let end = self.lines.byte_or_end(extent.end_line, extent.end_column)?;
        self.text.as_bytes().get(start..end).map(String::from_utf8_lossy)
    }
}

/// What a decision decides.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Decides {
    /// It is, or is a part of, a condition: of so many parts that `&&` and `||` join, or of what cannot be counted.
    Condition(Option<usize>),
    /// Which way a statement goes.
    Way,
    /// The value of an expression.
    Value,
}

#[cfg(test)]
mod tests;
