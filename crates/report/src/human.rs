//! The report for people.

use crate::fold::{Folded, fold};
use crate::layout::{Line, Paint, clean, conjunction, tied};
use crate::model::{Answer, Explanation, Failure, FailureKind, Input, Loc, Report, Step, StepKind};
use crate::quote::Sources;
use crate::{diagnosis, search};
use unicode_width::UnicodeWidthStr;

/// How to write for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// The width of the terminal in columns.
    pub width: usize,
    /// Whether to use colours.
    pub color: bool,
    /// Whether to add values, the failing line as it stands in the source, and where the time went.
    pub verbose: bool,
}

impl Default for Style {
    /// Plain text for a file or a pipe.
    fn default() -> Style {
        Style { width: 100, color: false, verbose: false }
    }
}

/// Where reasons start after the gutter, when the width and the statements allow.
const REASONS: usize = 34;

/// Narrower than this nothing can be laid out.
const NARROWEST: usize = 20;

/// The longest message of a failure, in columns, that is said again beside the statement.
const SHORT_MESSAGE: usize = 32;

/// Inputs named in the headline; further ones are counted.
const INPUTS_NAMED: usize = 6;

/// The report as text for people. `sources` gives the text of a file named in the report, when it is at hand; nothing
/// depends on it but details.
pub fn human(report: &Report, sources: &dyn Fn(&str) -> Option<String>, style: Style) -> String {
    let width = style.width.max(NARROWEST);
    let page = Page { report, sources: Sources::new(sources), width, verbose: style.verbose };
    let mut sections = match &report.answer {
        Some(Answer::Diagnosed(diagnosed)) => diagnosis::sections(&page, diagnosed),
        Some(Answer::Searched(searched)) => search::sections(&page, searched),
        None => vec![page.opening(), page.excerpt(), page.story(), page.notes(), page.closing()],
    };
    sections.retain(|section| !section.is_empty());
    let mut out = String::new();
    for (index, section) in sections.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        for line in section {
            out.push_str(&line.render(style.color));
            out.push('\n');
        }
    }
    out
}

/// A report and how to write it.
pub(crate) struct Page<'a> {
    pub(crate) report: &'a Report,
    pub(crate) sources: Sources<'a>,
    pub(crate) width: usize,
    pub(crate) verbose: bool,
}

impl Page<'_> {
    /// What fails, where and when.
    fn opening(&self) -> Vec<Line> {
        let mut headline = Line::default();
        match &self.report.failure {
            Some(failure) => headline.append(&self.failure(failure)),
            None if self.report.partial => {
                headline.push(Paint::Warning, "partial result: ");
                headline.push(Paint::Plain, "no failure was seen before the run was stopped");
            }
            None => headline.push(Paint::Headline, "no failure, nothing to explain"),
        }
        if self.report.failure.is_none() {
            headline.push(Paint::Headline, &when(self.inputs()));
        }
        let mut lines = headline.wrap(self.width, 4);
        if self.report.partial && self.report.failure.is_some() {
            let text = "a limit was reached; this is what was found so far";
            let partial = Line::new(Paint::Warning, "partial result: ").with(Paint::Plain, text);
            lines.extend(partial.wrap(self.width, 4));
        }
        lines
    }

    /// What fails, where, and with which inputs.
    pub(crate) fn failure(&self, failure: &Failure) -> Line {
        let mut line = Line::new(Paint::Headline, place(&failure.at));
        line.append(&what_fails(failure));
        line.with(Paint::Headline, when(self.inputs()))
    }

    fn inputs(&self) -> &[Input] {
        self.report.trace.as_ref().map_or(&[][..], |trace| &trace.inputs)
    }

    /// The failing line as it stands in the source, underlined.
    fn excerpt(&self) -> Vec<Line> {
        let failure = self.report.failure.as_ref().filter(|_| self.verbose);
        let Some((at, excerpt)) = failure.and_then(|f| Some((&f.at, self.sources.excerpt(&f.at)?))) else {
            return Vec::new();
        };
        let gutter = Gutter::new(std::iter::once(at.line));
        let mut underline = gutter.empty();
        underline.push(Paint::Plain, &" ".repeat(excerpt.from));
        underline.push(Paint::Bad, &"^".repeat(excerpt.len));
        vec![gutter.numbered(at.line).with(Paint::Plain, excerpt.line), underline]
    }

    /// The statements that matter with the invariants between them.
    fn story(&self) -> Vec<Line> {
        let Some(explanation) = &self.report.explanation else {
            return Vec::new();
        };
        if explanation.steps.is_empty() {
            return Vec::new();
        }
        Story::new(self, explanation).tell()
    }

    pub(crate) fn notes(&self) -> Vec<Line> {
        let note =
            |text: &String| Line::new(Paint::Label, "note: ").with(Paint::Plain, clean(text)).wrap(self.width, 6);
        self.report.notes.iter().flat_map(note).collect()
    }

    /// How much of the run matters and how far the answer was checked.
    fn closing(&self) -> Vec<Line> {
        let mut sentences = Vec::new();
        if let Some((trace, matter)) = self.report.trace.as_ref().and_then(|trace| Some((trace, trace.matter?))) {
            let verb = if matter == 1 || trace.statements == 1 { "matters" } else { "matter" };
            let noun = if trace.statements == 1 { "statement" } else { "statements" };
            sentences.push(format!("{matter} of {} executed {noun} {verb}.", trace.statements));
        }
        if let Some(explanation) = &self.report.explanation {
            match &explanation.unchecked_because {
                _ if explanation.checked => sentences.push("Checked by a second solver.".into()),
                Some(reason) => sentences.push(format!("Not confirmed by a second solver: {}", clean(reason))),
                None => {}
            }
        }
        let mut lines = if sentences.is_empty() {
            Vec::new()
        } else {
            Line::new(Paint::Plain, sentences.join(" ")).wrap(self.width, 0)
        };
        if self.verbose {
            lines.extend(self.figures());
        }
        lines
    }

    /// Where the time went, and how much there was to do.
    fn figures(&self) -> Vec<Line> {
        let mut times = Vec::new();
        if let Some(ms) = &self.report.timing_ms {
            // A recording was neither compiled nor run.
            if ms.compile > 0 || ms.run > 0 {
                times.push(format!("compiled in {} ms, ran in {} ms", ms.compile, ms.run));
            }
            times.push(format!("trace {} ms, solved in {} ms", ms.encode, ms.solve));
        }
        let mut amounts = Vec::new();
        if let Some(trace) = &self.report.trace {
            amounts.push(format!("{} event{}", trace.events, if trace.events == 1 { "" } else { "s" }));
        }
        if let Some(explanation) = &self.report.explanation {
            amounts.push(format!("{} encoding", clean(&explanation.encoding)));
        }
        let parts = [times, amounts].map(|parts| parts.join(", "));
        let lines = parts.iter().filter(|part| !part.is_empty());
        lines.flat_map(|part| Line::new(Paint::Gutter, part.as_str()).wrap(self.width, 0)).collect()
    }
}

/// The column of line numbers.
pub(crate) struct Gutter {
    digits: usize,
}

impl Gutter {
    pub(crate) fn new(lines: impl Iterator<Item = u32>) -> Gutter {
        Gutter { digits: lines.max().unwrap_or(0).to_string().len().max(3) }
    }

    /// The width up to the text of a statement.
    pub(crate) fn width(&self) -> usize {
        self.digits + 3
    }

    /// The indent of what stands between statements.
    fn indent(&self) -> String {
        " ".repeat(self.digits + 1)
    }

    pub(crate) fn numbered(&self, line: u32) -> Line {
        Line::new(Paint::Gutter, format!("{line:>digits$} | ", digits = self.digits))
    }

    /// A numbered line that lies wholly in what is pointed at.
    pub(crate) fn marked(&self, line: u32) -> Line {
        Line::new(Paint::Gutter, format!("{line:>digits$} ", digits = self.digits)).with(Paint::Bad, "> ")
    }

    pub(crate) fn empty(&self) -> Line {
        Line::new(Paint::Gutter, format!("{:>digits$} | ", "", digits = self.digits))
    }
}

/// The telling of one explanation.
struct Story<'a> {
    page: &'a Page<'a>,
    explanation: &'a Explanation,
    gutter: Gutter,
    /// Where reasons start, from the left border.
    reasons: usize,
    /// Whether steps lie in several functions, so that each change is announced.
    wanders: bool,
    lines: Vec<Line>,
    told_place: Option<(&'a str, &'a str)>,
    told_invariant: Option<&'a str>,
}

impl<'a> Story<'a> {
    fn new(page: &'a Page<'a>, explanation: &'a Explanation) -> Story<'a> {
        let steps = &explanation.steps;
        let gutter = Gutter::new(steps.iter().map(|step| step.at.line));
        let mut story = Story {
            page,
            explanation,
            gutter,
            reasons: 0,
            wanders: steps.windows(2).any(|pair| function(&pair[0].at) != function(&pair[1].at)),
            lines: Vec::new(),
            told_place: None,
            told_invariant: None,
        };
        let with_reasons = steps.iter().filter(|step| !story.remarks(step).is_empty());
        let longest = with_reasons.map(|step| story.statement(step).width() + 2).max().unwrap_or(0);
        let nearest = REASONS.min(page.width * 9 / 20);
        story.reasons = story.gutter.width() + longest.clamp(nearest, nearest.max(page.width / 2));
        story
    }

    fn tell(mut self) -> Vec<Line> {
        let steps = &self.explanation.steps;
        self.place(&steps[0].at);
        self.invariant(&self.explanation.precondition);
        for item in fold(steps) {
            match item {
                Folded::Step(index) => {
                    let step = &steps[index];
                    self.place(&step.at);
                    self.step(step);
                    step.invariant.iter().for_each(|invariant| self.invariant(invariant));
                }
                Folded::Rounds { rounds, steps: hidden } => {
                    let hidden = &steps[hidden];
                    self.rounds(rounds, hidden);
                    // What the last round shown starts from.
                    hidden.last().and_then(|step| step.invariant.as_ref()).iter().for_each(|inv| self.invariant(inv));
                }
            }
        }
        self.lines
    }

    /// Announces the function when it changes.
    fn place(&mut self, at: &'a Loc) {
        if !self.wanders || self.told_place == Some(function(at)) {
            return;
        }
        self.told_place = Some(function(at));
        let (file, name) = (clean(&at.file), clean(&at.function));
        let text = if name.is_empty() { format!("at {file}:") } else { format!("in {name}() at {file}:") };
        self.lines.push(Line::new(Paint::Label, text));
    }

    fn invariant(&mut self, invariant: &'a str) {
        if invariant.is_empty() || invariant == "true" || self.told_invariant == Some(invariant) {
            return;
        }
        self.told_invariant = Some(invariant);
        let indent = self.gutter.indent();
        let width = self.page.width.saturating_sub(indent.len());
        for part in conjunction(&clean(invariant), width) {
            for line in Line::new(Paint::Invariant, part).wrap(width, 4) {
                let mut indented = Line::new(Paint::Plain, indent.clone());
                indented.append(&line);
                self.lines.push(indented);
            }
        }
    }

    fn step(&mut self, step: &'a Step) {
        let remarks = self.remarks(step);
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
        if fits {
            return;
        }
        for remark in remarks {
            for text in remark.wrap(room.saturating_sub(2), 2) {
                let mut line = self.gutter.empty().with(Paint::Plain, "  ");
                line.append(&text);
                self.lines.push(line);
            }
        }
    }

    /// A line for the rounds of a loop that are not shown.
    fn rounds(&mut self, rounds: u64, hidden: &[Step]) {
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

    /// Whatever is to be said about a step.
    fn remarks(&self, step: &Step) -> Vec<Line> {
        let mut remarks = Vec::new();
        if !step.because.is_empty() && !says_its_reasons(step) {
            let mut reasons: Vec<String> = Vec::new();
            for reason in &step.because {
                let text = match reason.at.line {
                    0 => clean(&reason.text),
                    _ => format!("{} ({})", clean(&reason.text), tied(&seen_from(&step.at, &reason.at))),
                };
                if !reasons.contains(&text) {
                    reasons.push(text);
                }
            }
            // What is said of a branch is what it does, not that it is there.
            let reached = if step.kind == StepKind::Frame { "because" } else { "reached because" };
            remarks.push(Line::new(Paint::Reason, format!("{reached} {}", listed(&reasons))));
        }
        if let Some(note) = &step.note {
            remarks.push(Line::new(Paint::Reason, tied(&clean(note))));
        }
        if let Some(value) = step.value.as_ref().filter(|_| self.page.verbose) {
            remarks.push(Line::new(Paint::Plain, format!("value {}", clean(value))));
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

/// `file:line:column: ` with what is known.
pub(crate) fn place(at: &Loc) -> String {
    let known = [at.line, at.column].into_iter().take_while(|n| *n > 0);
    let numbers: String = known.map(|n| format!("{n}:")).collect();
    if at.file.is_empty() { String::new() } else { format!("{}:{numbers} ", clean(&at.file)) }
}

/// Where a reason lies, told to someone who reads a step.
fn seen_from(step: &Loc, reason: &Loc) -> String {
    if step.file == reason.file {
        format!("line {}", reason.line)
    } else {
        format!("{}:{}", clean(&reason.file), reason.line)
    }
}

fn is_assertion(failure: &Failure) -> bool {
    failure.kind == FailureKind::Assertion && failure.condition.is_some()
}

/// The failure in words: ``assertion `abs >= 0` fails``.
pub(crate) fn what_fails(failure: &Failure) -> Line {
    match &failure.condition {
        Some(condition) if is_assertion(failure) => {
            Line::new(Paint::Headline, format!("assertion `{}` ", clean(condition))).with(Paint::Bad, "fails")
        }
        _ => Line::new(Paint::Bad, clean(&failure.message)),
    }
}

/// ` when x is 0 and y is -1`; empty without inputs.
fn when(inputs: &[Input]) -> String {
    if inputs.is_empty() {
        return String::new();
    }
    let named = if inputs.len() > INPUTS_NAMED { INPUTS_NAMED - 1 } else { inputs.len() };
    let known = inputs.iter().take(named);
    let mut parts: Vec<String> =
        known.map(|input| format!("{}\u{a0}is\u{a0}{}", clean(&input.name), clean(&input.value))).collect();
    if inputs.len() > named {
        parts.push(format!("{} more", inputs.len() - named));
    }
    format!(" when {}", listed(&parts))
}

/// `a, b and c`.
pub(crate) fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Whether the text is the head of a control statement.
fn is_head(text: &str) -> bool {
    let word = text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    matches!(word, "if" | "while" | "for" | "switch" | "do" | "else")
}
