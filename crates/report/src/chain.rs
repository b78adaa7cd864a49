//! The statements that matter, oldest first, in as much detail as there is room for.

mod remarks;

pub(crate) use remarks::is_head;

use crate::fold::{Folded, Folding, fold};
use crate::human::{Gutter, Page};
use crate::layout::{Line, Paint, clean, conjunction, conjuncts};
use crate::model::{Explanation, Loc, Step};
use crate::speech::{has_address, say_formula};
use crate::words::listed;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use unicode_width::UnicodeWidthStr;

/// Where reasons start after the gutter, when the width and the statements allow.
const REASONS: usize = 34;

/// So many steps that do not fit are passed over before the screen counts as full.
const MISSES: usize = 16;

/// How much is told of each step, from all to little.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Detail {
    /// Everything that holds after it, and every reason.
    All,
    /// What is new in what holds after it, and the reasons of its own function.
    New,
    /// The values it sets.
    Values,
}

/// The chain on as many lines as there is room for: with less detail where it is long, and only what is nearest to the
/// failure where even that does not fit.
pub(crate) fn chain(page: &Page, explanation: &Explanation, room: usize) -> Vec<Line> {
    let with_plain = |steps: &[&Step], plain: &[&Step], detail, folding: Option<Folding>, room| {
        let items = match folding {
            Some(folding) => fold(steps, folding),
            None => (0..steps.len()).map(Folded::Step).collect(),
        };
        Story { plain, ..Story::new(page, explanation, steps, detail) }.tell(&items, room)
    };
    let tell = |steps: &[&Step], detail, folding, room| with_plain(steps, &[], detail, folding, room);
    let all: Vec<&Step> = explanation.steps.iter().collect();
    let style = &page.style;
    if style.verbose {
        return tell(&all, Detail::All, None, usize::MAX).unwrap_or_default();
    }
    if style.last.is_some() || style.depth.is_some() {
        let near = |step: &&&Step| style.depth.is_none_or(|most| step.distance.is_some_and(|d| d <= most));
        let near: Vec<&Step> = all.iter().filter(near).copied().collect();
        let last = style.last.map_or(near.len(), |last| last.clamp(1, near.len().max(1)));
        return tell(&near[near.len() - last..], Detail::New, None, usize::MAX).unwrap_or_default();
    }
    let whole = [(Detail::All, Folding::Middle), (Detail::New, Folding::Much), (Detail::Values, Folding::Much)];
    if let Some(lines) = whole.into_iter().find_map(|(detail, folding)| tell(&all, detail, Some(folding), room)) {
        return lines;
    }
    let chosen = |chosen: &BTreeSet<usize>| chosen.iter().map(|i| all[*i]).collect::<Vec<_>>();
    let (mut shown, mut plain, mut misses) = (BTreeSet::new(), BTreeSet::new(), 0);
    let some = |shown: &BTreeSet<usize>, plain: &BTreeSet<usize>, room| {
        with_plain(&chosen(shown), &chosen(plain), Detail::Values, Some(Folding::Much), room)
    };
    for step in by_worth(&all) {
        shown.insert(step);
        if shown.len() == 1 || some(&shown, &plain, room).is_some() {
            continue;
        }
        // There may be room for the statement without its reasons, and for what is shorter.
        plain.insert(step);
        if some(&shown, &plain, room).is_none() {
            shown.remove(&step);
            plain.remove(&step);
            misses += 1;
        }
        if misses > MISSES {
            break;
        }
    }
    some(&shown, &plain, usize::MAX).unwrap_or_default()
}

/// The steps in the order in which they are worth a line: every line of the program once before any is told a second
/// time, the nearest to the failure first and of what is equally near what happened last.
fn by_worth(steps: &[&Step]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..steps.len()).collect();
    order.sort_by_key(|i| (steps[*i].distance.unwrap_or(u32::MAX), Reverse(*i)));
    let mut times = HashMap::new();
    let mut again = vec![0; steps.len()];
    for i in &order {
        let times = times.entry((&steps[*i].at.file, steps[*i].at.line)).or_insert(0);
        (again[*i], *times) = (*times, *times + 1);
    }
    order.sort_by_key(|i| again[*i]);
    order
}

/// The telling of one explanation.
struct Story<'a> {
    page: &'a Page<'a>,
    explanation: &'a Explanation,
    /// The steps that are told.
    steps: &'a [&'a Step],
    /// Those of them for whose reasons there is no room.
    plain: &'a [&'a Step],
    detail: Detail,
    gutter: Gutter,
    /// Where reasons start, from the left border.
    reasons: usize,
    /// Whether steps lie in several functions, so that each change is announced, and in several files.
    wanders: (bool, bool),
    lines: Vec<Line>,
    told_place: Option<(&'a str, &'a str)>,
    told_invariant: Option<&'a str>,
    /// Conditions that are not told, and the functions that they lie in with the first of their lines.
    reached: (usize, BTreeMap<(String, String), u32>),
}

impl<'a> Story<'a> {
    fn new(page: &'a Page<'a>, explanation: &'a Explanation, steps: &'a [&'a Step], detail: Detail) -> Story<'a> {
        let gutter = Gutter::new(steps.iter().map(|step| step.at.line));
        let changes = |place: fn(&Loc) -> (&str, &str)| steps.windows(2).any(|p| place(&p[0].at) != place(&p[1].at));
        Story {
            page,
            explanation,
            steps,
            plain: &[],
            detail,
            gutter,
            reasons: 0,
            wanders: (changes(function), changes(|at| (&at.file, ""))),
            lines: Vec::new(),
            told_place: None,
            told_invariant: None,
            reached: (0, BTreeMap::new()),
        }
    }

    /// The lines; nothing when there are more than the room has.
    fn tell(mut self, items: &[Folded], room: usize) -> Option<Vec<Line>> {
        let steps = self.steps;
        self.reasons = self.column(items);
        let left_out = self.explanation.steps.len() - steps.len();
        if left_out > 0 {
            self.left_out(left_out);
        } else {
            self.place(&steps.first()?.at);
            self.invariant(&self.explanation.precondition, None);
        }
        for item in items {
            match item {
                Folded::Step(index) => {
                    let step = steps[*index];
                    self.place(&step.at);
                    self.step(step, &[]);
                    step.invariant.iter().for_each(|invariant| self.invariant(invariant, Some(&step.new)));
                }
                Folded::PassedOn(range) => {
                    let step = steps[range.end - 1];
                    self.place(&step.at);
                    self.step(step, &steps[range.start..range.end - 1]);
                    step.invariant.iter().for_each(|invariant| self.invariant(invariant, Some(&step.new)));
                }
                Folded::Rounds { rounds, steps: hidden } => {
                    let hidden = &steps[hidden.clone()];
                    self.rounds(*rounds, hidden);
                    // What the last round shown starts from.
                    let last = hidden.last().and_then(|step| step.invariant.as_ref());
                    last.iter().for_each(|invariant| self.invariant(invariant, Some(&[])));
                }
            }
            if self.lines.len() > room {
                return None;
            }
        }
        self.way_here();
        (self.lines.len() <= room).then_some(self.lines)
    }

    /// The column of the remarks.
    fn column(&self, items: &[Folded]) -> usize {
        let steps = items.iter().filter(|item| !matches!(item, Folded::Rounds { .. }));
        let steps = steps.map(|item| self.steps[item.steps().end - 1]);
        let with_remarks = steps.filter(|step| !self.remarks(step, &[]).is_empty());
        let longest = with_remarks.map(|step| self.statement(step).width() + 2).max().unwrap_or(0);
        let nearest = REASONS.min(self.page.width * 9 / 20);
        self.gutter.width() + longest.clamp(nearest, nearest.max(self.page.width / 2))
    }

    /// One line for the steps that are not shown.
    fn left_out(&mut self, count: usize) {
        let noun = if count == 1 { "step" } else { "steps" };
        let text = format!("... {count} more {noun}; -v shows all ...");
        self.lines.push(Line::new(Paint::Plain, self.gutter.indent()).with(Paint::Gutter, text));
    }

    /// How many conditions were left out that led to where the steps are.
    fn way_here(&mut self) {
        let (count, functions) = std::mem::take(&mut self.reached);
        if count == 0 {
            return;
        }
        let mut places: Vec<((String, String), u32)> = functions.into_iter().collect();
        places.sort_by_key(|(_, line)| *line);
        let names: Vec<String> = places
            .into_iter()
            .map(|((file, name), line)| match self.wanders.1 {
                true => format!("{name}() at {file}:{line}"),
                false => format!("{name}() at line\u{a0}{line}"),
            })
            .collect();
        let noun = if count == 1 { "condition" } else { "conditions" };
        let text = format!("reached through {}: {count} more {noun}, -v", listed(&names));
        self.lines.extend(Line::new(Paint::Gutter, text).wrap(self.page.width, 4));
    }

    /// Announces the function when it changes.
    fn place(&mut self, at: &'a Loc) {
        if !self.wanders.0 || self.told_place == Some(function(at)) {
            return;
        }
        self.told_place = Some(function(at));
        let (file, name) = (clean(&at.file), clean(&at.function));
        let text = match (name.is_empty(), self.wanders.1) {
            (true, _) => format!("at {file}:"),
            (false, true) => format!("in {name}() at {file}:"),
            (false, false) => format!("in {name}():"),
        };
        self.lines.push(Line::new(Paint::Label, text));
    }

    /// What holds; `new` is what the step before made hold.
    fn invariant(&mut self, invariant: &'a str, new: Option<&'a [String]>) {
        if invariant.is_empty() || invariant == "true" || self.told_invariant == Some(invariant) {
            return;
        }
        self.told_invariant = Some(invariant);
        let all = conjuncts(invariant);
        let all: Vec<&str> = all.iter().map(|part| part.strip_prefix("&& ").unwrap_or(part)).collect();
        let readable = |part: &&str| self.page.style.verbose || !has_address(part);
        let shown: Vec<String> = all.iter().copied().filter(readable).map(say_formula).collect();
        let text = shown.join(" && ");
        match (self.detail, new) {
            (Detail::Values, _) => {}
            (Detail::New, Some(new)) if text.width() + self.gutter.width() > self.page.width => {
                let new: Vec<String> = new.iter().map(String::as_str).filter(readable).map(say_formula).collect();
                self.elided(&new, all.len().saturating_sub(new.len()));
            }
            _ => self.formula(&text, all.len() - shown.len()),
        }
    }

    /// A conjunction, and how many conjuncts there are besides.
    fn formula(&mut self, text: &str, besides: usize) {
        if text.is_empty() {
            return;
        }
        let indent = self.gutter.indent();
        let width = self.page.width.saturating_sub(indent.len());
        for part in conjunction(text, width) {
            for line in Line::new(Paint::Invariant, part).wrap(width, 4) {
                let mut indented = Line::new(Paint::Plain, indent.clone());
                indented.append(&line);
                self.lines.push(indented);
            }
        }
        if let Some(last) = self.lines.last_mut().filter(|_| besides > 0) {
            last.push(Paint::Gutter, &format!(" (and {besides} more)"));
        }
    }

    /// Those conjuncts that fit a line, and how many there are besides.
    fn elided(&mut self, parts: &[String], besides: usize) {
        let room = self.page.width.saturating_sub(self.gutter.width() + " (and 100 more)".len());
        let mut shown = String::new();
        let mut count = 0;
        for part in parts {
            let longer = if shown.is_empty() { part.clone() } else { format!("{shown} && {part}") };
            if longer.width() > room {
                break;
            }
            (shown, count) = (longer, count + 1);
        }
        if shown.is_empty() {
            return;
        }
        let mut line = Line::new(Paint::Plain, self.gutter.indent()).with(Paint::Invariant, shown);
        let more = parts.len() - count + besides;
        if more > 0 {
            line.push(Paint::Gutter, &format!(" (and {more} more)"));
        }
        self.lines.push(line);
    }

    fn step(&mut self, step: &'a Step, passed: &'a [&'a Step]) {
        let remarks = self.remarks(step, passed);
        for reason in self.told_reasons(step).1 {
            self.reached.0 += 1;
            let place = (clean(&reason.at.file), clean(&reason.at.function));
            let line = self.reached.1.entry(place).or_insert(reason.at.line);
            *line = reason.at.line.min(*line);
        }
        let mut beside = Line::default();
        for remark in &remarks {
            if !beside.is_empty() {
                beside.push(Paint::Reason, "; ");
            }
            beside.append(remark);
        }
        let statement = self.statement(step);
        let room = self.page.width.saturating_sub(self.gutter.width());
        let text_lines = statement.wrap(room, 4);
        let fits = text_lines.len() == 1
            && self.gutter.width() + statement.width() + 2 <= self.reasons
            && self.reasons + beside.width() <= self.page.width;
        for (index, text) in text_lines.iter().enumerate() {
            let mut line = if index == 0 { self.gutter.numbered(step.at.line) } else { self.gutter.empty() };
            line.append(text);
            if fits && !beside.is_empty() {
                line.pad_to(self.reasons);
                line.append(&beside);
            }
            self.lines.push(line);
        }
        if fits || beside.is_empty() {
            return;
        }
        let below = if beside.width() + 2 <= room { vec![beside] } else { remarks };
        for remark in below {
            for text in remark.wrap(room.saturating_sub(2), 2) {
                let mut line = self.gutter.empty().with(Paint::Plain, "  ");
                line.append(&text);
                self.lines.push(line);
            }
        }
    }

    /// A line for the rounds of a loop that are not shown.
    fn rounds(&mut self, rounds: u64, hidden: &[&Step]) {
        let noun = if rounds == 1 { "round" } else { "rounds" };
        let lines = || hidden.iter().map(|step| step.at.line);
        let (first, last) = (lines().min().unwrap_or(0), lines().max().unwrap_or(0));
        let one_file = hidden.windows(2).all(|pair| pair[0].at.file == pair[1].at.file);
        let body = match (one_file, first == last) {
            (true, true) => format!("line {first}"),
            (true, false) => format!("lines {first}-{last}"),
            (false, _) => "these steps".into(),
        };
        let text = format!("... {rounds} more {noun} of {body} ...");
        self.lines.push(Line::new(Paint::Plain, self.gutter.indent()).with(Paint::Gutter, text));
    }
}

fn function(at: &Loc) -> (&str, &str) {
    (&at.file, &at.function)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_statement_once_before_any_again() {
        let step = |line: u32, distance: Option<u32>| Step {
            at: Loc { line, ..Loc::default() },
            text: format!("x = {line}"),
            distance,
            ..Step::default()
        };
        let steps =
            [step(9, None), step(5, Some(3)), step(7, Some(1)), step(5, Some(2)), step(7, Some(1)), step(8, Some(0))];
        let order = by_worth(&steps.iter().collect::<Vec<_>>());
        assert_eq!(order, [5, 4, 3, 0, 2, 1]);
    }
}
