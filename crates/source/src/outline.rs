//! The outline of a text that is not C: whoever can parse it says where its statements and conditions are.

use crate::{Control, ControlKind, Extent, Part};
use std::ops::Range;

/// The statements of a text, in bytes.
#[derive(Clone, Default, Debug)]
pub struct Outline {
    /// All regions; they lie in each other or apart.
    pub regions: Vec<Region>,
}

/// A statement, declaration or clause.
#[derive(Clone, Debug)]
pub struct Region {
    /// All of it, with what lies in it.
    pub whole: Range<usize>,
    /// What is shown of it: of a control statement the head.
    pub statement: Range<usize>,
    /// The condition that it has, or asserts.
    pub condition: Option<Range<usize>>,
    /// Set for a control statement.
    pub control: Option<Branching>,
}

/// What a control statement decides about.
#[derive(Clone, Debug)]
pub struct Branching {
    /// What it is.
    pub kind: ControlKind,
    /// What is executed when the condition holds.
    pub then_part: Option<Range<usize>>,
    /// What is executed when it does not.
    pub else_part: Option<Range<usize>>,
}

impl Outline {
    /// The innermost region around a byte.
    pub(crate) fn at(&self, byte: usize) -> Option<&Region> {
        self.regions.iter().filter(|region| region.whole.contains(&byte)).min_by_key(|region| region.whole.len())
    }

    /// The innermost control statement around a byte.
    pub(crate) fn control(&self, byte: usize, extent: &dyn Fn(Range<usize>) -> Extent) -> Option<Control> {
        let around = self.regions.iter().filter(|region| region.control.is_some() && region.whole.contains(&byte));
        let region = around.min_by_key(|region| region.whole.len())?;
        let control = region.control.as_ref()?;
        let lies = |part: &Option<Range<usize>>| part.as_ref().is_some_and(|part| part.contains(&byte));
        let part = match (lies(&region.condition), lies(&control.then_part), lies(&control.else_part)) {
            (true, ..) => Part::Condition,
            (_, true, _) => Part::Then,
            (.., true) => Part::Else,
            _ => Part::Head,
        };
        Some(Control {
            kind: control.kind,
            part,
            whole: extent(region.whole.clone()),
            head: extent(region.statement.clone()),
            condition: region.condition.clone().map(extent),
            then_part: control.then_part.clone().map(extent),
            else_part: control.else_part.clone().map(extent),
            outermost: extent(self.first_of_chain(region).statement.clone()),
        })
    }

    /// The first `if` of a chain of `else if`.
    fn first_of_chain<'o>(&'o self, region: &'o Region) -> &'o Region {
        let is_next = |of: &&Region| {
            let otherwise = of.control.as_ref().and_then(|control| control.else_part.as_ref());
            otherwise.is_some_and(|otherwise| *otherwise == region.whole)
        };
        self.regions.iter().find(is_next).map_or(region, |before| self.first_of_chain(before))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Branching, ControlKind, Decides, Outline, Part, Region, SourceText};

    /// `if` with `else if`, as Boogie writes it.
    const TEXT: &str = "if (a) { x := 1; } else if (b) { x := 2; }\nassert x > 1;\n";

    fn source() -> SourceText {
        let of = |text: &str| TEXT.find(text).map(|at| at..at + text.len()).expect("it is there");
        let simple = |text: &str| Region { whole: of(text), statement: of(text), condition: None, control: None };
        let branch = |whole: &str, head: &str, condition: &str, then: &str, other: Option<&str>| Region {
            whole: of(whole),
            statement: of(head),
            condition: Some(of(head).start + 4..of(head).start + 4 + condition.len()),
            control: Some(Branching { kind: ControlKind::If, then_part: Some(of(then)), else_part: other.map(of) }),
        };
        let second = "if (b) { x := 2; }";
        let asserts = Region { condition: Some(of("x > 1")), ..simple("assert x > 1") };
        let whole = TEXT.lines().next().expect("a line");
        let regions = vec![
            branch(whole, "if (a)", "a", "{ x := 1; }", Some(second)),
            branch(second, "if (b)", "b", "{ x := 2; }", None),
            simple("x := 1"),
            simple("x := 2"),
            asserts,
        ];
        SourceText::outlined("x.bpl".into(), TEXT.into(), Outline { regions })
    }

    #[test]
    fn statements_and_conditions_are_found() {
        let source = source();
        let text = |extent: Option<crate::Extent>| extent.map(|extent| source.text(extent)).unwrap_or_default();
        assert_eq!(text(source.extent_of_statement(1, 10)), "x := 1");
        assert_eq!(text(source.extent_of_statement(1, 1)), "if (a)");
        assert_eq!(text(source.extent_of_whole_statement(2, 3)), "assert x > 1");
        assert_eq!(text(source.macro_argument(2, 1)), "x > 1");
        assert_eq!(text(source.operand_at(1, 5)), "a");
        assert_eq!(source.decided_at(1, 5), Decides::Condition(Some(1)));
        assert_eq!(source.extent_of_statement(3, 1), None);
    }

    #[test]
    fn control_statements_know_their_parts() {
        let source = source();
        let control = source.enclosing_control(1, 34).expect("it lies in one");
        assert_eq!((control.kind, control.part), (ControlKind::If, Part::Then));
        assert_eq!((source.text(control.head), source.text(control.outermost)), ("if (b)".into(), "if (a)".into()));
        assert_eq!(source.enclosing_control(1, 5).map(|c| c.part), Some(Part::Condition));
        assert_eq!(source.enclosing_control(2, 3), None);
    }
}
