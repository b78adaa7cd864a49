//! How places, calls and variables are spoken of in a sentence.

use super::Presenter;
use wherefore_formula::VarId;
use wherefore_program::{Origin, Unnamed};
use wherefore_trace::{BranchId, Step, Storage};
use wherefore_wording::Position;

/// The longest call that is told with its arguments, in bytes.
const LONGEST_CALL: usize = 32;
/// The longest text of the source that is quoted in a sentence.
const LONGEST_QUOTE: usize = 60;

impl Presenter<'_> {
    /// The name of a variable in a sentence; nothing for what has none in the program.
    pub fn spoken(&self, v: VarId, position: Position) -> Option<String> {
        match &self.trace.variables[v.0 as usize].storage {
            Storage::Choice { .. } | Storage::Saved { .. } => return None,
            // What is known of an object is no value of the program.
            Storage::Unset { .. } | Storage::Freed { .. } | Storage::Size { .. } => return None,
            Storage::Result { activation } => return Some(self.call_text(*activation)),
            Storage::Local { activation, .. } if self.names.unnamed(v) == Some(Unnamed::Result) => {
                return Some(self.call_text(*activation));
            }
            _ if self.names.is_temporary(v) => return None,
            _ => {}
        }
        let name = self.names.variable(v, position);
        (!["0x", "memory@", "a string literal"].iter().any(|strange| name.contains(strange))).then_some(name)
    }

    /// Whether a variable only carries a value into a call or out of it.
    pub fn is_nameless(&self, v: VarId) -> bool {
        let storage = &self.trace.variables[v.0 as usize].storage;
        matches!(storage, Storage::Result { .. } | Storage::Saved { .. })
            || matches!(self.names.unnamed(v), Some(Unnamed::Temporary(_) | Unnamed::Result))
    }

    /// A call as it stands in the source, when that is short: `transfer(&b, from, to, 50)`.
    pub fn call_text(&self, activation: u32) -> String {
        let quoted = self.trace.activations.get(activation as usize).and_then(|a| {
            let at = a.call?;
            let source = self.sources.text(at.file)?;
            let text = source.text(source.extent_of_expression(at.line, at.column)?);
            let name = self.function(activation);
            (text.starts_with(name) && text.ends_with(')') && text.len() <= LONGEST_CALL).then_some(text)
        });
        quoted.unwrap_or_else(|| format!("{}()", self.function(activation)))
    }

    /// `line 12`, with the file where that is not the one of the failure.
    pub fn line_of(&self, at: Option<Origin>) -> String {
        let failing = self.trace.failure.as_ref().and_then(|f| f.at).map(|o| o.file);
        match at {
            Some(at) if failing.is_none_or(|file| file == at.file) => format!("line {}", at.line),
            Some(at) => format!("{}:{}", self.sources.path(at.file), at.line),
            None => "an unknown line".into(),
        }
    }

    /// The statement at a place, when it is short enough to be quoted.
    pub fn quoted(&self, at: Option<Origin>) -> Option<String> {
        let at = at?;
        let source = self.sources.text(at.file)?;
        let text = source.text(source.extent_of_statement(at.line, at.column)?);
        (text.len() <= LONGEST_QUOTE).then_some(text)
    }

    /// The innermost branch around a step in its own activation that asks for something.
    pub fn innermost(&self, scope: Option<BranchId>, activation: u32) -> Option<BranchId> {
        let says = |b: &BranchId| {
            let branch = &self.trace.branches[b.index()];
            branch.reasons.iter().any(|(term, _)| !self.trace.terms.variables(*term).is_empty())
        };
        let mine = |b: &BranchId| self.trace.branches[b.index()].activation == activation;
        self.trace.enclosing(scope).take_while(mine).find(says)
    }

    /// The function outside the program that gave a value.
    pub fn given_by(&self, step: &Step, v: VarId) -> Option<&str> {
        match &self.trace.variables[v.0 as usize].storage {
            Storage::External { callee, .. } => Some(callee),
            _ => self.called_at(step),
        }
    }
}

/// A declaration without what stands before the name: `int n = f(x)` is told as `n = f(x)`.
pub fn without_type(statement: &str) -> &str {
    let Some((before, _)) = statement.split_once('=') else { return statement };
    let declared = before.trim_end().rsplit([' ', '*']).next().unwrap_or("");
    if !declared.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return statement;
    }
    let words = before.trim_end().strip_suffix(declared).unwrap_or("");
    let is_type = !words.is_empty() && words.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ' ' | '*'));
    match is_type && words.trim_start().chars().next().is_some_and(char::is_alphabetic) {
        true => &statement[words.len()..],
        false => statement,
    }
}
