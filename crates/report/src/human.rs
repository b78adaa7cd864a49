//! The report for people.

use crate::chain::is_head;
use crate::headline::{headline, when};
use crate::layout::{Line, Paint, clean, tied};
use crate::model::{Answer, Failure, Input, Ran, Report};
use crate::quote::Sources;
use crate::speech::say;
use crate::{chain, diagnosis, relevant, search};
use unicode_width::UnicodeWidthStr;

/// How to write for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// The width of the terminal in columns.
    pub width: usize,
    /// Whether to use colours.
    pub color: bool,
    /// Whether to tell all of it: every step and note, the failing line as it stands in the source, where the time went.
    pub verbose: bool,
    /// How many lines a story may take: what is longer is told in less detail, and its begin is left out.
    pub screen: usize,
    /// Show this many steps, the last ones, however many lines they take.
    pub last: Option<usize>,
    /// Show the steps that are at most this many causes away from the failure.
    pub depth: Option<u32>,
}

impl Default for Style {
    /// Plain text for a file or a pipe.
    fn default() -> Style {
        Style { width: 100, color: false, verbose: false, screen: SCREEN, last: None, depth: None }
    }
}

/// Lines of a screen.
const SCREEN: usize = 40;

/// Narrower than this nothing can be laid out.
const NARROWEST: usize = 20;

/// Lines that the cause in short may take.
const SHORT: usize = 6;

/// The report as text for people. `sources` gives the text of a file named in the report, when it is at hand; nothing
/// depends on it but details.
pub fn human(report: &Report, sources: &dyn Fn(&str) -> Option<String>, style: Style) -> String {
    let width = style.width.max(NARROWEST);
    let page = Page { report, sources: Sources::new(sources), width, style };
    let mut sections = match &report.answer {
        Some(Answer::Diagnosed(diagnosed)) => diagnosis::sections(&page, diagnosed),
        Some(Answer::Searched(searched)) => search::sections(&page, searched),
        Some(Answer::Relevant(relevance)) => relevant::sections(&page, relevance),
        None => page.explained(),
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
    pub(crate) style: Style,
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
            let limit = self.limit().map(|n| clean(&self.report.notes[n]));
            let text = limit.unwrap_or_else(|| "a limit was reached; this is what was found so far".into());
            let partial = Line::new(Paint::Warning, "partial result: ").with(Paint::Plain, text);
            lines.extend(partial.wrap(self.width, 4));
        }
        lines
    }

    /// What fails, where, and with which inputs.
    pub(crate) fn failure(&self, failure: &Failure) -> Line {
        headline(failure, self.inputs())
    }

    fn inputs(&self) -> &[Input] {
        self.report.trace.as_ref().map_or(&[][..], |trace| &trace.inputs)
    }

    /// The failing line as it stands in the source, underlined.
    fn excerpt(&self) -> Vec<Line> {
        let failure = self.report.failure.as_ref().filter(|_| self.style.verbose);
        let Some((at, excerpt)) = failure.and_then(|f| Some((&f.at, self.sources.excerpt(&f.at)?))) else {
            return Vec::new();
        };
        let gutter = Gutter::new(std::iter::once(at.line));
        let mut underline = gutter.empty();
        underline.push(Paint::Plain, &" ".repeat(excerpt.from));
        underline.push(Paint::Bad, &"^".repeat(excerpt.len));
        vec![gutter.numbered(at.line).with(Paint::Plain, excerpt.line), underline]
    }

    /// The whole answer of `explain`; the chain takes what is left of the screen.
    fn explained(&self) -> Vec<Vec<Line>> {
        let [opening, excerpt, short] = [self.opening(), self.excerpt(), self.in_short()];
        let [round, notes, closing] = [self.round(), self.notes(), self.closing()];
        let others = [&opening, &excerpt, &short, &round, &notes, &closing];
        // Between any two sections there is an empty line.
        let used: usize = others.into_iter().filter(|s| !s.is_empty()).map(|s| s.len() + 1).sum();
        let room = self.style.screen.saturating_sub(used);
        let told = self.report.explanation.as_ref().filter(|e| !e.steps.is_empty());
        let chain = told.map_or(vec![], |explanation| chain::chain(self, explanation, room));
        vec![opening, excerpt, short, chain, round, notes, closing]
    }

    /// The statements that each round of an endless loop runs, unless the chain has them all.
    fn round(&self) -> Vec<Line> {
        let Some(explanation) = &self.report.explanation else { return vec![] };
        let round = &explanation.round;
        let is_told =
            |ran: &Ran| explanation.steps.iter().any(|s| (&s.at.file, s.at.line) == (&ran.at.file, ran.at.line));
        if round.iter().all(is_told) {
            return vec![];
        }
        let gutter = Gutter::new(round.iter().map(|ran| ran.at.line));
        let widest = round.iter().map(|ran| clean(&ran.text).width()).max().unwrap_or(0).min(self.width / 2);
        let mut lines = vec![Line::new(Paint::Label, "each round:")];
        for ran in round {
            let text = clean(&ran.text);
            let end = if is_head(&text) || text.ends_with([';', '}', ':']) { "" } else { ";" };
            let mut line = gutter.numbered(ran.at.line).with(Paint::Plain, text).with(Paint::Plain, end);
            if let Some(value) = &ran.value {
                line.pad_to(gutter.width() + widest + 3);
                line.push(Paint::Value, &say(value));
            }
            lines.extend(line.wrap(self.width, gutter.width() + 4));
        }
        lines
    }

    /// The cause in a few sentences, as many as fit a few lines.
    fn in_short(&self) -> Vec<Line> {
        let sentences = self.report.explanation.as_ref().map_or(&[][..], |e| &e.summary);
        let indent = " ".repeat(4);
        let mut lines: Vec<Line> = Vec::new();
        for sentence in sentences {
            let text = Line::new(Paint::Plain, tied(&say(sentence)));
            let more = text.wrap(self.width.saturating_sub(indent.len()), 2);
            if !self.style.verbose && !lines.is_empty() && lines.len() + more.len() > SHORT {
                break;
            }
            for line in more {
                let mut indented = Line::new(Paint::Plain, indent.clone());
                indented.append(&line);
                lines.push(indented);
            }
        }
        lines
    }

    /// The note that says which limit was reached, the last one: where a failure is told it stands below that.
    fn limit(&self) -> Option<usize> {
        let is_told = self.report.partial && self.report.failure.is_some() && self.report.answer.is_none();
        self.report.notes.len().checked_sub(1).filter(|_| is_told)
    }

    pub(crate) fn notes(&self) -> Vec<Line> {
        let note =
            |text: &String| Line::new(Paint::Label, "note: ").with(Paint::Plain, clean(text)).wrap(self.width, 6);
        let (minor, limit) = (&self.report.minor_notes, self.limit());
        let told = self.report.notes.iter().enumerate();
        let told = told.filter(|(n, _)| Some(*n) != limit && (self.style.verbose || !minor.contains(n)));
        told.flat_map(|(_, text)| note(text)).collect()
    }

    /// How much of the run matters and how far the answer was checked.
    fn closing(&self) -> Vec<Line> {
        let mut sentences = Vec::new();
        // A failure that has no place in the program has no story: that nothing matters would be wrong.
        let is_placed = self.report.failure.as_ref().is_none_or(|failure| failure.at.line > 0);
        let matter = self.report.trace.as_ref().and_then(|trace| Some((trace, trace.matter?)));
        if let Some((trace, matter)) = matter.filter(|(_, matter)| is_placed || *matter > 0) {
            let verb = if matter == 1 || trace.statements == 1 { "matters" } else { "matter" };
            let noun = if trace.statements == 1 { "statement" } else { "statements" };
            sentences.push(format!("{matter} of {} executed {noun} {verb}.", trace.statements));
        }
        if let Some(explanation) = self.report.explanation.as_ref().filter(|e| is_placed || e.steps.len() > 1) {
            match &explanation.unchecked_because {
                _ if explanation.checked => sentences.push("Checked by a second solver.".into()),
                Some(reason) => {
                    let end = if explanation.granted.is_some() { "." } else { "" };
                    sentences.push(format!("Not confirmed by a second solver: {}{end}", clean(reason)));
                }
                None => {}
            }
            sentences.extend(explanation.granted.as_ref().map(|what| format!("Taken for granted: {}.", clean(what))));
        }
        let mut lines = if sentences.is_empty() {
            Vec::new()
        } else {
            Line::new(Paint::Plain, sentences.join(" ")).wrap(self.width, 0)
        };
        if self.style.verbose {
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
    pub(crate) fn indent(&self) -> String {
        " ".repeat(self.digits + 1)
    }

    /// What stands before a line; of what has no place in the program it has no number.
    pub(crate) fn numbered(&self, line: u32) -> Line {
        if line == 0 {
            return self.empty();
        }
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
