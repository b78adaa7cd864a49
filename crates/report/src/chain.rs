//! The statements that matter, oldest first, in as much detail as there is room for.

use crate::fold::{Folded, Folding, fold};
use crate::headline::{is_assertion, listed};
use crate::human::{Gutter, Page};
use crate::layout::{Line, Paint, clean, conjunction, conjuncts, tied};
use crate::model::{Explanation, Loc, Reason, Step, StepKind};
use crate::speech::{has_address, say};
use std::collections::BTreeMap;
use unicode_width::UnicodeWidthStr;

/// Where reasons start after the gutter, when the width and the statements allow.
const REASONS: usize = 34;

/// The longest message of a failure, in columns, that is said again beside the statement.
const SHORT_MESSAGE: usize = 32;

/// Reasons beside a step where not all of the story is shown: the nearest ones.
const REASONS_TOLD: usize = 2;

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
    let tell = |steps: &[&Step], detail, folding: Option<Folding>, room| {
        let items = match folding {
            Some(folding) => fold(steps, folding),
            None => (0..steps.len()).map(Folded::Step).collect(),
        };
        Story::new(page, explanation, steps, detail).tell(&items, room)
    };
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
    // The nearest causes; of what is equally near, what happened last.
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|i| (all[*i].distance.unwrap_or(u32::MAX), std::cmp::Reverse(*i)));
    let chosen = |count: usize| {
        let mut chosen = order[..count].to_vec();
        chosen.sort_unstable();
        chosen.into_iter().map(|i| all[i]).collect::<Vec<_>>()
    };
    // More steps take more lines, but for what is folded: the most that are found to fit.
    let (mut fits, mut too_many) = (1, all.len());
    while fits + 1 < too_many {
        let middle = fits + (too_many - fits) / 2;
        match tell(&chosen(middle), Detail::Values, Some(Folding::Much), room) {
            Some(_) => fits = middle,
            None => too_many = middle,
        }
    }
    tell(&chosen(fits), Detail::Values, Some(Folding::Much), usize::MAX).unwrap_or_default()
}

/// The telling of one explanation.
struct Story<'a> {
    page: &'a Page<'a>,
    explanation: &'a Explanation,
    /// The steps that are told.
    steps: &'a [&'a Step],
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
        let verb = if count == 1 { "statement that matters lies" } else { "statements that matter lie" };
        let text = format!("... {count} {verb} further back; -v shows all ...");
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
        let shown: Vec<String> = all.iter().copied().filter(readable).map(say).collect();
        let text = shown.join(" && ");
        match (self.detail, new) {
            (Detail::Values, _) => {}
            (Detail::New, Some(new)) if text.width() + self.gutter.width() > self.page.width => {
                let new: Vec<String> = new.iter().map(String::as_str).filter(readable).map(say).collect();
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

    /// The statement as it is shown.
    fn statement(&self, step: &Step) -> Line {
        let mut text = clean(&step.text);
        if text.is_empty() {
            let line = self.page.sources.excerpt(&step.at).map(|excerpt| excerpt.line);
            return Line::new(Paint::Plain, line.unwrap_or_default().trim());
        }
        let closed = text.ends_with([';', '}', ':']) || text.ends_with("...");
        match step.kind {
            _ if closed => {}
            StepKind::Failure => {}
            StepKind::Frame | StepKind::Assume => {
                if is_head(&text) {
                    text.push_str(" ...");
                }
            }
            StepKind::Assign | StepKind::Havoc | StepKind::Store | StepKind::Call | StepKind::Return => {
                // Parts of a larger expression, such as the step of a `for`, have no `;` of their own.
                if self.page.sources.is_whole_statement(&step.at).unwrap_or(true) {
                    text.push(';');
                }
            }
        }
        Line::new(Paint::Plain, text)
    }

    /// The reasons of a step that are told beside it, and those that are not: why the program came to its function, and
    /// what lies further out.
    fn told_reasons(&self, step: &'a Step) -> (Vec<&'a Reason>, Vec<&'a Reason>) {
        if self.detail == Detail::All {
            return (step.because.iter().collect(), vec![]);
        }
        let (near, mut far): (Vec<_>, Vec<_>) =
            step.because.iter().partition(|reason| function(&reason.at) == function(&step.at));
        let skipped = near.len().saturating_sub(REASONS_TOLD);
        far.extend(&near[..skipped]);
        (near[skipped..].to_vec(), far)
    }

    /// `a > b (9 > 4, line 13)`.
    fn reason(&self, step: &Step, reason: &Reason) -> String {
        let place = (reason.at.line > 0).then(|| tied(&seen_from(&step.at, &reason.at)));
        let inside: Vec<String> = reason.values.iter().map(|values| clean(values)).chain(place).collect();
        // What the program says is better than an address.
        let written = self.page.sources.excerpt(&reason.at).filter(|_| has_address(&reason.text));
        let text = match written.filter(|excerpt| !excerpt.covered.is_empty()) {
            Some(excerpt) => format!("of `{}`", excerpt.covered.trim()),
            None => say(&reason.text),
        };
        match inside.is_empty() {
            true => text,
            false => format!("{text} ({})", inside.join(", ")),
        }
    }

    /// Whatever is to be said about a step; `passed` are those before it that handed on its value.
    fn remarks(&self, step: &'a Step, passed: &'a [&'a Step]) -> Vec<Line> {
        let mut remarks = Vec::new();
        if let Some(value) = &step.value {
            remarks.push(Line::new(Paint::Value, say(value)));
        }
        let mut through: Vec<String> = Vec::new();
        for other in passed.iter().filter(|other| function(&other.at) != function(&step.at)) {
            let name = format!("{}()", clean(&other.at.function));
            if !through.contains(&name) {
                through.push(name);
            }
        }
        if !through.is_empty() {
            remarks.push(Line::new(Paint::Reason, format!("through {}", listed(&through))));
        }
        let reasons = self.told_reasons(step).0;
        if says_its_reasons(step) {
            let values: Vec<String> = step.because.iter().filter_map(|r| r.values.as_deref()).map(clean).collect();
            remarks.extend((!values.is_empty()).then(|| Line::new(Paint::Value, values.join(", "))));
        } else if !reasons.is_empty() {
            let mut texts: Vec<String> = Vec::new();
            for reason in reasons {
                let text = self.reason(step, reason);
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
            // What is said of a branch is what it does, not that it is there.
            let reached = if step.kind == StepKind::Frame { "because" } else { "reached because" };
            remarks.push(Line::new(Paint::Reason, format!("{reached} {}", listed(&texts))));
        }
        if let Some(note) = &step.note {
            remarks.push(Line::new(Paint::Reason, tied(&say(note))));
        }
        if step.folded > 0 {
            let times = if step.folded == 1 { "once more".into() } else { format!("{} more times", step.folded) };
            remarks.push(Line::new(Paint::Gutter, format!("and {times}")));
        }
        if step.kind == StepKind::Failure && step.note.is_none() {
            let failure = self.page.report.failure.as_ref();
            let message = failure.filter(|failure| !is_assertion(failure)).map(|failure| clean(&failure.message));
            // The headline has said it; only a few words are worth saying again.
            let short = message.map(|text| if text.width() > SHORT_MESSAGE { "fails here".into() } else { text });
            remarks.push(Line::new(Paint::Bad, short.unwrap_or_else(|| "fails".into())));
        }
        remarks
    }
}

/// Whether the head of a branch, which is what is shown of it, has all the conditions that led to it.
fn says_its_reasons(step: &Step) -> bool {
    let lines = step.at.line..=step.at.end_line.max(step.at.line);
    let within = |at: &Loc| at.file == step.at.file && lines.contains(&at.line);
    step.kind == StepKind::Frame && step.because.iter().all(|reason| within(&reason.at))
}

fn function(at: &Loc) -> (&str, &str) {
    (&at.file, &at.function)
}

/// Where a reason lies, told to someone who reads a step.
fn seen_from(step: &Loc, reason: &Loc) -> String {
    if step.file == reason.file {
        format!("line {}", reason.line)
    } else {
        format!("{}:{}", clean(&reason.file), reason.line)
    }
}

/// Whether the text is the head of a control statement.
fn is_head(text: &str) -> bool {
    let word = text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    matches!(word, "if" | "while" | "for" | "switch" | "do" | "else")
}
