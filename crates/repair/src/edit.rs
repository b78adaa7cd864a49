//! An edit of a file.

use crate::unit::Switch;
use std::ops::Range;

/// A change of the text of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The file, by its number.
    pub file: usize,
    /// What is replaced, in the order of the text; parts do not overlap.
    pub parts: Vec<Part>,
    /// What kind of change it is.
    pub kind: Kind,
    /// The price: of two edits that repair a program the cheaper one is the likelier repair.
    pub price: u32,
}

/// A stretch of text that an edit replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The bytes replaced; none where something is put in.
    pub at: Range<usize>,
    /// What stands there instead.
    pub with: String,
    /// How a run can be told to go one way or the other.
    pub switch: Switch,
}

/// Kinds of edits.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Another operator or comparison.
    Operator,
    /// Another constant.
    Constant,
    /// Another variable or member.
    Variable,
    /// One more or one less.
    Offset,
    /// A negation, an operand or parentheses more or less.
    Expression,
    /// A conversion.
    Cast,
    /// Another function, or its arguments in another order.
    Call,
    /// The text of a format.
    Format,
    /// A condition made stronger or weaker, or a new one.
    Condition,
    /// A statement less.
    Removal,
    /// A `free` less: what was freed there never is.
    Leak,
    /// A statement at another place.
    Move,
    /// A statement more.
    Insertion,
    /// An initial value.
    Initialiser,
    /// The type or length of what is declared.
    Declaration,
    /// Any value, to be searched for.
    Value,
}

impl Kind {
    /// Its name in a report.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Operator => "operator",
            Kind::Constant => "constant",
            Kind::Variable => "variable",
            Kind::Offset => "offset",
            Kind::Expression => "expression",
            Kind::Cast => "cast",
            Kind::Call => "call",
            Kind::Format => "format",
            Kind::Condition => "condition",
            Kind::Removal => "removal",
            Kind::Leak => "leak",
            Kind::Move => "move",
            Kind::Insertion => "insertion",
            Kind::Initialiser => "initialiser",
            Kind::Declaration => "declaration",
            Kind::Value => "value",
        }
    }
}

impl Edit {
    /// What comes first among edits that pass: one that only leaves memory to itself hides what is wrong.
    pub fn order(&self) -> (bool, u32) {
        (self.kind == Kind::Leak, self.price)
    }

    /// The text with the edit made.
    pub fn apply(&self, text: &str) -> String {
        let mut new = String::with_capacity(text.len() + 16);
        let mut from = 0;
        for part in &self.parts {
            new.push_str(&text[from..part.at.start]);
            new.push_str(&part.with);
            from = part.at.end;
        }
        new.push_str(&text[from..]);
        new
    }

    /// The texts of all files with the edit made.
    pub fn applied(&self, texts: &[String]) -> Vec<String> {
        let mut texts = texts.to_vec();
        texts[self.file] = self.apply(&texts[self.file]);
        texts
    }

    /// The same edit of the text that another one has made; `None` where they are about the same text.
    pub fn after(&self, other: &Edit) -> Option<Edit> {
        let stretches: Vec<_> = other.parts.iter().map(|part| (part.at.clone(), part.with.len())).collect();
        self.between(other, &stretches)
    }

    /// An edit of the text that another one has made, as one of the text before; `None` where they are about the same text.
    pub fn before(&self, other: &Edit) -> Option<Edit> {
        let mut grown = 0;
        let stretches = other.parts.iter().map(|part| {
            let start = part.at.start.saturating_add_signed(grown);
            grown += part.with.len() as isize - part.at.len() as isize;
            (start..start + part.with.len(), part.at.len())
        });
        let stretches: Vec<(Range<usize>, usize)> = stretches.collect();
        self.between(other, &stretches)
    }

    /// The same edit where stretches of a text have become longer or shorter, as long as is said.
    fn between(&self, other: &Edit, stretches: &[(Range<usize>, usize)]) -> Option<Edit> {
        if self.file != other.file {
            return Some(self.clone());
        }
        let moved = |at: &Range<usize>| {
            let mut by = 0;
            for (stretch, becomes) in stretches {
                if stretch.end < at.start {
                    by += *becomes as isize - stretch.len() as isize;
                } else if stretch.start <= at.end {
                    return None;
                }
            }
            Some(at.start.checked_add_signed(by)?..at.end.checked_add_signed(by)?)
        };
        let part = |part: &Part| {
            let switch = match &part.switch {
                Switch::Effect(at) => Switch::Effect(moved(at)?),
                Switch::Condition(at) => Switch::Condition(moved(at)?),
                Switch::Value(at) => Switch::Value(moved(at)?),
                Switch::Initialiser(at, name) => Switch::Initialiser(moved(at)?, name.clone()),
                Switch::Statement(at) => Switch::Statement(moved(at)?),
                Switch::Behind(at, text) => Switch::Behind(moved(&(*at..*at))?.start, text.clone()),
                Switch::Instead(at, text) => Switch::Instead(moved(at)?, text.clone()),
                Switch::Between => Switch::Between,
                Switch::Build => Switch::Build,
            };
            Some(Part { at: moved(&part.at)?, with: part.with.clone(), switch })
        };
        let parts = self.parts.iter().map(part).collect::<Option<_>>()?;
        Some(Edit { parts, ..self.clone() })
    }

    /// Where it begins.
    pub fn start(&self) -> usize {
        self.parts.first().map_or(0, |part| part.at.start)
    }

    /// What it is a version of, for an order: where the unit begins and ends.
    pub(crate) fn unit(&self) -> (usize, usize) {
        let Some(part) = self.parts.first() else { return (0, 0) };
        match &part.switch {
            Switch::Effect(at)
            | Switch::Condition(at)
            | Switch::Value(at)
            | Switch::Initialiser(at, _)
            | Switch::Statement(at) => (at.start, at.end),
            Switch::Behind(at, _) => (*at, *at),
            Switch::Between | Switch::Instead(..) | Switch::Build => (part.at.start, part.at.start),
        }
    }

    /// Whether it changes what begins where another one's does.
    pub(crate) fn is_beside(&self, other: &Edit) -> bool {
        self.file == other.file && self.unit().0 == other.unit().0
    }

    /// Whether a run can be told to make it.
    pub fn is_switched(&self) -> bool {
        self.parts.iter().all(|part| part.switch != Switch::Build)
    }
}

#[cfg(test)]
mod tests {
    use super::{Edit, Kind, Part};
    use crate::unit::Switch;

    fn edit(text: &str, old: &str, new: &str) -> Edit {
        let start = text.find(old).expect("it is there");
        let at = start..start + old.len();
        let part = Part { at: at.clone(), with: new.into(), switch: Switch::Effect(at) };
        Edit { file: 0, parts: vec![part], kind: Kind::Operator, price: 1 }
    }

    #[test]
    fn an_edit_is_made_after_another() {
        let text = "first = 1; second = 2; third = 3;";
        let (first, second, third) =
            (edit(text, "first = 1", "f = 100"), edit(text, "second = 2", "s = 2"), edit(text, "third = 3", ""));
        for (one, other) in [(&first, &second), (&second, &first), (&third, &second), (&first, &third)] {
            let after = one.after(other).expect("they are apart");
            assert_eq!(after.before(other).as_ref(), Some(one), "and back");
            let both = after.apply(&other.apply(text));
            let wanted = [one, other].iter().fold(text.to_string(), |made, edit| {
                made.replacen(&text[edit.parts[0].at.clone()], &edit.parts[0].with, 1)
            });
            assert_eq!(both, wanted);
        }
        assert_eq!(first.after(&edit(text, "= 1", "= 2")), None, "the same text");
        let elsewhere = Edit { file: 1, ..first.clone() };
        assert_eq!(first.after(&elsewhere), Some(first.clone()));
    }
}
