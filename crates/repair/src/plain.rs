//! Edits that change a value and nothing else: what no value of a statement repairs, they do not repair either.

use crate::edit::Edit;
use crate::unit::Switch;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// How far macros are looked into.
const DEPTH: usize = 4;

/// A text of which parts are looked at.
pub struct Plain<'a> {
    text: &'a str,
    /// What names without parameters are defined to be.
    macros: HashMap<&'a str, &'a str>,
    /// Functions that do nothing but compute a value.
    pure: &'a HashSet<String>,
}

impl<'a> Plain<'a> {
    /// A file; some functions do nothing but compute a value.
    pub fn new(text: &'a str, pure: &'a HashSet<String>) -> Plain<'a> {
        let macros = text.lines().filter_map(|line| {
            let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?.trim_start();
            let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
            Some(rest.split_at(end))
        });
        Plain { text, macros: macros.collect(), pure }
    }

    /// The unit in which an edit changes what is computed, and nothing else that happens; `None` where it may do more.
    pub fn unit(&self, edit: &Edit) -> Option<Range<usize>> {
        let [part] = &edit.parts[..] else { return None };
        let (unit, value) = match &part.switch {
            Switch::Condition(at) | Switch::Value(at) | Switch::Initialiser(at, _) => (at, at.start),
            Switch::Effect(at) => (at, at.start + self.assigned(&self.text[at.clone()])?),
            Switch::Statement(at) => {
                let rest = self.text[at.clone()].strip_prefix("return")?;
                (at, at.end - rest.len())
            }
            Switch::Between | Switch::Behind(..) | Switch::Instead(..) | Switch::Build => return None,
        };
        if part.at.start < value || unit.end < part.at.end {
            return None;
        }
        let before = &self.text[value..part.at.start];
        let after = &self.text[part.at.end..unit.end];
        let is_plain = |value: &str| self.is_plain(value.trim_end().trim_end_matches(';'), DEPTH);
        let edited = format!("{before}{}{after}", part.with);
        (is_plain(&self.text[value..unit.end]) && is_plain(&edited)).then(|| unit.clone())
    }

    /// Where the value begins that an assignment assigns to something plain.
    fn assigned(&self, text: &str) -> Option<usize> {
        let (at, operator) = tokens(text).into_iter().find(|(_, token)| is_assignment(token))?;
        self.is_plain(&text[..at], DEPTH).then_some(at + operator.len())
    }

    /// Whether nothing happens but that a value is computed.
    fn is_plain(&self, text: &str, depth: usize) -> bool {
        let tokens: Vec<&str> = tokens(text).into_iter().map(|(_, token)| token).collect();
        tokens.iter().enumerate().all(|(n, token)| {
            let called = tokens.get(n + 1) == Some(&"(");
            match self.macros.get(token) {
                Some(body) => !called && depth > 0 && self.is_plain(body, depth - 1),
                None if called && token.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                    *token == "return" || *token == "sizeof" || self.pure.contains(*token)
                }
                // A call by a pointer; in parentheses it may be a conversion, which is not worth telling apart.
                None if called && (*token == ")" || *token == "]") => false,
                None => !is_assignment(token) && !matches!(*token, "++" | "--" | ";" | "{" | ","),
            }
        })
    }
}

fn is_assignment(token: &str) -> bool {
    token.ends_with('=') && !matches!(token, "==" | "!=" | "<=" | ">=")
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Operators of more than one character, longer ones first.
const LONG: [&str; 22] = [
    "<<=", ">>=", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", "&&", "||", "->",
    "<<", ">>", "...",
];

/// The tokens of a text with their places; comments are left out.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let mut found = vec![];
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_comment = rest.starts_with("/*") || rest.starts_with("//");
        let length = match first {
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ if is_comment => rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => quoted(rest, first),
            c if is_of_name(c) => rest.find(|c| !is_of_name(c)).unwrap_or(rest.len()),
            c => LONG.iter().find(|long| rest.starts_with(**long)).map_or(c.len_utf8(), |long| long.len()),
        };
        if !first.is_whitespace() && !is_comment {
            found.push((at, &rest[..length]));
        }
        at += length;
    }
    found
}

/// How long a quoted text is.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::Plain;
    use crate::edit::{Edit, Kind, Part};
    use crate::unit::Switch;
    use std::collections::HashSet;

    /// Whether replacing a text in a unit changes a value only.
    fn is_plain(text: &str, unit: &str, switch: fn(std::ops::Range<usize>) -> Switch, old: &str, new: &str) -> bool {
        let start = text.find(unit).expect("the unit is there");
        let unit = start..start + unit.len();
        let at = start + text[unit.clone()].find(old).expect("what is replaced is there");
        let part = Part { at: at..at + old.len(), with: new.into(), switch: switch(unit.clone()) };
        let edit = Edit { file: 0, parts: vec![part], kind: Kind::Operator, price: 0 };
        Plain::new(text, &HashSet::from(["pure".to_string()])).unit(&edit) == Some(unit)
    }

    #[test]
    fn values_are_told_from_effects() {
        let text =
            "#define TEN 10\n#define NEXT getchar()\nx = a /* b() */ + pure(c); if (a[i] == '=') return x; p->n += *q;";
        let assignment = "x = a /* b() */ + pure(c)";
        assert!(is_plain(text, assignment, Switch::Effect, "+", "-"));
        assert!(is_plain(text, assignment, Switch::Effect, "pure(c)", "TEN"));
        assert!(!is_plain(text, assignment, Switch::Effect, "x", "y"), "what is assigned to");
        assert!(!is_plain(text, assignment, Switch::Effect, "pure", "other"), "another function may do anything");
        assert!(!is_plain(text, assignment, Switch::Effect, "pure(c)", "NEXT"), "so may a macro");
        assert!(!is_plain(text, assignment, Switch::Effect, "pure(c)", "i++"));
        assert!(is_plain(text, "a[i] == '='", Switch::Condition, "==", "!="));
        assert!(!is_plain(text, "a[i] == '='", Switch::Condition, "==", "="));
        assert!(is_plain(text, "return x;", Switch::Statement, "x", "a"));
        assert!(!is_plain(text, "return x;", Switch::Statement, "return x;", "if (a) return x;"));
        assert!(is_plain(text, "p->n += *q", Switch::Effect, "*q", "*(q + 1)"));
        assert!(!is_plain(text, "p->n += *q", Switch::Effect, "p->n", "p->m"));
    }
}
