//! One text with many edits in it, of which each run makes one.
//!
//! `x = a + b;` with the edits 3 and 4 becomes
//! `(chosen - 3u < 2u ? chosen == 3 ? (void)(x = a - b) : (void)(x = a) : (void)(x = a + b));`
//! where `chosen` is a variable that is given to the run. What is chosen between is a whole unit, or an operand of it of which
//! only the truth matters (`narrow`), so the types of its parts need not agree; what does not compile is found by where the
//! compiler complains. Edits of a unit have numbers that follow each other, so that a run pays one comparison for each unit
//! that it does not change.

use crate::edit::Edit;
use crate::narrow::Operands;
use crate::unit::Switch;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// The variable that says which edit a run makes, by its number; 0: none.
pub const CHOSEN: &str = "wherefore_chosen_edit";

/// A text that has edits to choose from.
#[derive(Debug)]
pub(crate) struct Choice {
    /// For the compiler.
    pub text: String,
    /// Which bytes of it are there because of which edits, inner ones behind outer ones.
    regions: Vec<(Range<usize>, Vec<u32>)>,
}

/// How the versions of a unit are told apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Insertion,
    Statement,
    Effect,
    Condition,
    Value,
    Initialiser(String),
}

/// A unit with its other versions.
struct Wrapped {
    at: Range<usize>,
    form: Form,
    versions: Vec<(u32, String)>,
}

impl Choice {
    /// The text with some edits of it, each with its number, behind a line that declares what they need. `defines`: the
    /// variable is this file's.
    pub fn new(text: &str, operands: &Operands, edits: &[(u32, &Edit)], declared: &str, defines: bool) -> Choice {
        let mut writer = Writer { text, out: String::with_capacity(text.len() * 4), regions: vec![] };
        // In a section of its own: programs that read beside their own variables find the same there as before.
        let storage = if defines { "__attribute__((section(\".wherefore\")))" } else { "extern" };
        writer.out = format!("{declared}{storage} unsigned {CHOSEN};\n");
        writer.write(0..text.len(), &wrapped(text, operands, edits));
        Choice { text: writer.out, regions: writer.regions }
    }

    /// The edits that are to blame for what the compiler says about a place, by line and column from 1: those that are
    /// there, or those that have used what is declared there too early.
    pub fn at(&self, line: usize, column: usize) -> Vec<u32> {
        let start = match line {
            0 | 1 => 0,
            n => self.text.match_indices('\n').nth(n - 2).map_or(self.text.len(), |(at, _)| at + 1),
        };
        let byte = start + column.saturating_sub(1);
        let inside = self.regions.iter().filter(|(range, _)| range.contains(&byte));
        match inside.min_by_key(|(range, _)| range.len()) {
            Some((_, edits)) => edits.clone(),
            None => self.using(word_at(&self.text, byte), byte),
        }
    }

    /// The edits before a place that use a name.
    fn using(&self, name: &str, before: usize) -> Vec<u32> {
        let uses = |range: &Range<usize>| self.text[range.clone()].split(|c| !is_of_name(c)).any(|word| word == name);
        let earlier = self.regions.iter().filter(|(range, edits)| range.end <= before && edits.len() == 1);
        earlier.filter(|(range, _)| !name.is_empty() && uses(range)).flat_map(|(_, edits)| edits.clone()).collect()
    }
}

/// The name that begins at a byte.
fn word_at(text: &str, byte: usize) -> &str {
    let rest = text.get(byte..).unwrap_or_default();
    &rest[..rest.find(|c| !is_of_name(c)).unwrap_or(rest.len())]
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where a unit stands, outer ones before inner ones, and how its versions are told apart.
type Place = (usize, Reverse<usize>, Form);

/// The units that are changed, outer ones before inner ones, in the order of the text.
fn wrapped(text: &str, operands: &Operands, edits: &[(u32, &Edit)]) -> Vec<Wrapped> {
    let mut all: BTreeMap<Place, Vec<(u32, String)>> = BTreeMap::new();
    for (number, edit) in edits {
        let operand = operands.of(edit);
        for part in &edit.parts {
            let (at, form) = match (&operand, &part.switch) {
                (Some(at), _) => (at.clone(), Form::Condition),
                (None, Switch::Effect(at)) => (at.clone(), Form::Effect),
                (None, Switch::Condition(at)) => (at.clone(), Form::Condition),
                (None, Switch::Value(at)) => (at.clone(), Form::Value),
                (None, Switch::Initialiser(at, name)) => (at.clone(), Form::Initialiser(name.clone())),
                (None, Switch::Statement(at)) => (at.clone(), Form::Statement),
                (None, Switch::Between) => (part.at.clone(), Form::Insertion),
                (None, Switch::Behind(at, _)) => (*at..*at, Form::Insertion),
                (None, Switch::Instead(at, _)) => (at.clone(), Form::Value),
                (None, Switch::Build) => continue,
            };
            let version = match &part.switch {
                Switch::Behind(_, text) | Switch::Instead(_, text) => text.clone(),
                Switch::Between => part.with.trim().to_string(),
                _ => {
                    // A line that goes with its statement is no part of what is chosen.
                    let from = part.at.start.clamp(at.start, at.end);
                    let to = part.at.end.clamp(from, at.end);
                    format!("{}{}{}", &text[at.start..from], part.with, &text[to..at.end])
                }
            };
            // At one place insertions come before what begins there.
            let end = if at.is_empty() { usize::MAX } else { at.end };
            let versions = all.entry((at.start, Reverse(end), form)).or_default();
            // Two parts of an edit may be one change of a value.
            if versions.last().is_none_or(|(last, _)| last != number) {
                versions.push((*number, version));
            }
        }
    }
    let unit = |((start, end, form), versions): (Place, Vec<(u32, String)>)| {
        let end = if end.0 == usize::MAX { start } else { end.0 };
        Wrapped { at: start..end, form, versions }
    };
    all.into_iter().map(unit).collect()
}

struct Writer<'a> {
    text: &'a str,
    out: String,
    regions: Vec<(Range<usize>, Vec<u32>)>,
}

impl Writer<'_> {
    fn write(&mut self, range: Range<usize>, units: &[Wrapped]) {
        let mut from = range.start;
        let mut rest = units;
        while let [unit, after @ ..] = rest {
            self.out.push_str(&self.text[from..unit.at.start]);
            let inside = after.iter().take_while(|u| u.at.start < unit.at.end).count();
            self.unit(unit, &after[..inside]);
            from = unit.at.end;
            rest = &after[inside..];
        }
        self.out.push_str(&self.text[from..range.end]);
    }

    fn unit(&mut self, unit: &Wrapped, inner: &[Wrapped]) {
        let begin = self.out.len();
        let cast = match &unit.form {
            Form::Effect => "(void)".to_string(),
            Form::Condition => "!!".to_string(),
            // As `switch` takes it: a value that no label has may not fit the type itself.
            Form::Value => format!("(__typeof__(+({})))", &self.text[unit.at.clone()]),
            Form::Initialiser(name) => format!("(__typeof__({name}))"),
            Form::Statement | Form::Insertion => String::new(),
        };
        match unit.form {
            Form::Insertion => {
                for run in runs(&unit.versions) {
                    self.out.push_str(&format!("\nif ({}) {{ ", within(run)));
                    self.versions(run, ("if (", ") { ", " } else "), "{ ", " }");
                    self.out.push_str(" }\n");
                }
            }
            Form::Statement => {
                self.out.push('{');
                for run in runs(&unit.versions) {
                    self.out.push_str(&format!("if ({}) {{ ", within(run)));
                    self.versions(run, ("if (", ") { ", " } else "), "{ ", " }");
                    self.out.push_str(" } else ");
                }
                self.out.push_str("{ ");
                self.write(unit.at.clone(), inner);
                self.out.push_str("}}");
            }
            _ => {
                self.out.push('(');
                let open = format!(" ? {cast}(");
                for run in runs(&unit.versions) {
                    self.out.push_str(&format!("{} ? ", within(run)));
                    self.versions(run, ("", &open, ") : "), &format!("{cast}("), ")");
                    self.out.push_str(" : ");
                }
                self.out.push_str(&cast);
                self.out.push('(');
                self.write(unit.at.clone(), inner);
                self.out.push_str("))");
            }
        }
        let all = unit.versions.iter().map(|(number, _)| *number).collect();
        self.regions.push((begin..self.out.len(), all));
    }

    /// Versions of which one is chosen: all but the last under a condition.
    fn versions(&mut self, run: &[(u32, String)], (test, then, next): (&str, &str, &str), open: &str, close: &str) {
        for (place, (number, version)) in run.iter().enumerate() {
            let begin = self.out.len();
            let text = match place + 1 < run.len() {
                true => format!("{test}{CHOSEN} == {number}{then}{version}{next}"),
                false => format!("{open}{version}{close}"),
            };
            self.out.push_str(&text);
            self.regions.push((begin..self.out.len(), vec![*number]));
        }
    }
}

/// Versions whose numbers follow each other.
fn runs(versions: &[(u32, String)]) -> impl Iterator<Item = &[(u32, String)]> {
    versions.chunk_by(|a, b| a.0 + 1 == b.0)
}

/// Whether one of these is chosen.
fn within(run: &[(u32, String)]) -> String {
    format!("{CHOSEN} - {}u < {}u", run[0].0, run.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{Kind, Part};

    fn edit(at: Range<usize>, with: &str, switch: Switch) -> Edit {
        Edit { file: 0, parts: vec![Part { at, with: with.into(), switch }], kind: Kind::Operator, price: 1 }
    }

    fn choice(text: &str, edits: &[(u32, &Edit)]) -> Choice {
        Choice::new(text, &Operands::new(text), edits, "", true)
    }

    #[test]
    fn an_operand_is_chosen_where_its_truth_is_all_that_matters() {
        let text = "int f() { x = a && b < c; }";
        let less = edit(21..22, "<=", Switch::Effect(10..24));
        let or = edit(16..18, "||", Switch::Effect(10..24));
        let choice = choice(text, &[(1, &or), (2, &less)]);
        let body = choice.text.split_once('\n').expect("it is declared").1;
        let chosen = CHOSEN;
        let expected = format!(
            "int f() {{ ({chosen} - 1u < 1u ? (void)(x = a || b < c) : \
             (void)(x = a && ({chosen} - 2u < 1u ? !!(b <= c) : !!(b < c)))); }}"
        );
        assert_eq!(body, expected);
    }

    #[test]
    fn a_unit_is_chosen_as_a_whole() {
        let text = "{ x = a + b; }";
        let minus = edit(8..9, "-", Switch::Effect(2..11));
        let gone = edit(2..12, "", Switch::Statement(2..12));
        let after = edit(12..12, "\n y++;", Switch::Between);
        let choice = choice(text, &[(1, &minus), (2, &gone), (3, &after)]);
        let (declared, body) = choice.text.split_once('\n').expect("it is declared");
        assert!(declared.ends_with("unsigned wherefore_chosen_edit;"), "{declared}");
        let chosen = CHOSEN;
        let expected = format!(
            "{{ {{if ({chosen} - 2u < 1u) {{ {{  }} }} else {{ ({chosen} - 1u < 1u ? (void)(x = a - b) : \
             (void)(x = a + b));}}}}\nif ({chosen} - 3u < 1u) {{ {{ y++; }} }}\n }}"
        );
        assert_eq!(body, expected);
        let minus_at = body.find("a - b").expect("it is there");
        assert_eq!(choice.at(2, minus_at + 1), [1]);
        assert_eq!(minus.apply(text), "{ x = a - b; }");
    }

    #[test]
    fn what_is_used_before_it_is_declared_is_blamed() {
        let text = "int f() { return 0; }\nchar *g() { return 0; }\n";
        let call = edit(10..10, "g(); ", Switch::Between);
        let other = edit(10..10, "f(); ", Switch::Between);
        let choice = choice(text, &[(1, &call), (2, &other)]);
        // The compiler complains about the definition, which is not what it takes `g` for.
        let line = choice.text.lines().position(|line| line.starts_with("char *g")).expect("it is there");
        assert_eq!(choice.at(line + 1, 7), [1]);
    }
}
