//! What the place of an edit adds to its price: near to the story of the failure, and run by few passing tests, is cheap.

use super::patches::place;
use super::spectrum::Spectrum;
use super::tested::Story;
use std::ops::RangeInclusive;
use wherefore_program::{FileId, Origin, Program};
use wherefore_repair::{Edit, Kind, Users};
use wherefore_source::SourceText;

/// The price of an edit that the failure is not seen to depend on.
const ELSEWHERE: u32 = 6;
/// The same in a function that the story of the failure comes through.
const IN_FUNCTION: u32 = 4;

/// What the place of an edit adds to its price.
pub struct Prices<'a> {
    pub program: &'a Program,
    pub source: &'a SourceText,
    pub file: FileId,
    pub story: &'a Story,
    pub spectrum: &'a Spectrum,
    pub users: Users,
}

impl Prices<'_> {
    /// Whether an edit is one of the head of the function that a run starts in, up to its body.
    pub fn is_entry(&self, edit: &Edit, entry: &str) -> bool {
        let head = self.program.function(entry).and_then(|id| self.program.functions[id.index()].origin);
        let Some(head) = head.filter(|at| at.file == self.file) else { return false };
        let line = self.source.extent(place(edit)).line;
        // In old C the types of parameters stand in lines of their own.
        let has_begun = |mut lines: RangeInclusive<u32>| lines.any(|line| self.source.line(line).contains('{'));
        line == head.line || line > head.line && !has_begun(head.line..=line)
    }

    /// The least price of the lines that an edit changes: those that use a constant, where it is one of `#define`, and
    /// those that use what a declaration declares.
    pub fn of(&self, edit: &Edit) -> u32 {
        let extent = self.source.extent(place(edit));
        let own = || self.at(edit, extent.line..=extent.end_line);
        let uses = uses(self.source.as_str(), extent.line);
        let priced = |lines: Vec<u32>| lines.into_iter().map(|line| self.at(edit, line..=line)).min();
        if !uses.is_empty() {
            return priced(uses).unwrap_or_else(own);
        }
        // Only what no run can choose is a part of the declaration rather than of what it does.
        let used = priced(self.users.of(edit.start()).to_vec()).filter(|_| !edit.is_switched());
        used.map_or_else(own, |used| used.min(own()))
    }

    fn at(&self, edit: &Edit, lines: RangeInclusive<u32>) -> u32 {
        let function = function_at(self.program, self.file, *lines.start());
        let told = self.story.price(self.file, lines.clone());
        let near = function.is_some_and(|(from, to, _)| self.story.price(self.file, from..=to).is_some());
        let place = match (told, near) {
            // What is never set does not happen anywhere.
            _ if self.story.is_empty() || edit.kind == Kind::Initialiser => 0,
            (Some(price), _) => price,
            (None, true) => IN_FUNCTION,
            (None, false) => ELSEWHERE,
        };
        // What drives the tests is rarely what is tested.
        let driver = self.program.functions.len() > 1
            && edit.kind != Kind::Declaration
            && function.is_some_and(|(.., name)| name == "main");
        let met = self.spectrum.price(self.file, lines.clone());
        // The status only tells how it went.
        let tells = driver && self.source.line(*lines.start()).trim_start().starts_with("return");
        let (driver, tells) = (if driver { 2 } else { 0 }, if tells { 3 } else { 0 });
        place + met + driver + tells + u32::from(matches!(edit.kind, Kind::Removal | Kind::Leak) && driver > 0)
    }
}

/// The lines that use what a line defines: `#define SIZE 10`; none where it defines nothing.
fn uses(text: &str, line: u32) -> Vec<u32> {
    let defined = |text: &str| {
        let rest = text.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?.trim_start();
        Some(rest.split(|c: char| !is_of_name(c)).next()?.to_string())
    };
    let Some(name) = text.lines().nth(line as usize - 1).and_then(defined) else { return vec![] };
    let named = |text: &str| text.split(|c: char| !is_of_name(c)).any(|word| word == name);
    (1..).zip(text.lines()).filter(|(number, text)| *number != line && named(text)).map(|(number, _)| number).collect()
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The lines of the function around a line, and its name.
pub fn function_at(program: &Program, file: FileId, line: u32) -> Option<(u32, u32, &str)> {
    let lines = program.functions.iter().filter_map(|function| {
        let own = |at: &Origin| at.file == file;
        let places = super::statements::origins(function).filter(own).map(|at| at.line);
        let start = function.origin.filter(own)?.line;
        Some((start, places.max().unwrap_or(start), function.name.as_str()))
    });
    lines.filter(|(from, to, _)| (*from..=*to).contains(&line)).max_by_key(|(from, ..)| *from)
}
