//! What is said beside a step: what it sets, why it was reached, what it leaves alone.

use super::{Detail, Story, function};
use crate::headline::is_assertion;
use crate::layout::{Line, Paint, clean, tied};
use crate::model::{Loc, Reason, Step, StepKind};
use crate::speech::{has_address, say, say_formula};
use crate::words::listed;
use unicode_width::UnicodeWidthStr;

/// The longest message of a failure, in columns, that is said again beside the statement.
const SHORT_MESSAGE: usize = 32;

/// The longest condition, in columns, that is told as a formula.
const LONGEST_REASON: usize = 100;

/// Reasons beside a step where not all of the story is shown: the nearest ones.
const REASONS_TOLD: usize = 2;

impl<'a> Story<'a> {
    /// The statement as it is shown.
    pub(super) fn statement(&self, step: &Step) -> Line {
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
    pub(super) fn told_reasons(&self, step: &'a Step) -> (Vec<&'a Reason>, Vec<&'a Reason>) {
        if self.detail == Detail::All {
            return (step.because.iter().collect(), vec![]);
        }
        let (near, mut far): (Vec<_>, Vec<_>) =
            step.because.iter().partition(|reason| function(&reason.at) == function(&step.at));
        let is_plain = self.plain.iter().any(|other| std::ptr::eq(*other, step));
        let skipped = if is_plain { near.len() } else { near.len().saturating_sub(REASONS_TOLD) };
        far.extend(&near[..skipped]);
        (near[skipped..].to_vec(), far)
    }

    /// `a > b (9 > 4, line 13)`.
    fn reason(&self, step: &Step, reason: &Reason) -> String {
        let place = (reason.at.line > 0).then(|| tied(&seen_from(&step.at, &reason.at)));
        let values = reason.values.iter().map(|values| say(values));
        let inside: Vec<String> = values.chain(place).chain(further(&step.at, reason)).collect();
        // What the program says is better than an address, and than what a library function comes down to.
        let unreadable = has_address(&reason.text) || reason.text.width() > LONGEST_REASON && !self.page.style.verbose;
        let written = self.page.sources.excerpt(&reason.at).filter(|_| unreadable);
        let text = match written.filter(|excerpt| !excerpt.covered.is_empty()) {
            Some(excerpt) => format!("of how `{}` came out", excerpt.covered.trim()),
            None => say_formula(&reason.text),
        };
        match inside.is_empty() {
            true => text,
            false => format!("{text} ({})", inside.join(", ")),
        }
    }

    /// Whatever is to be said about a step; `passed` are those before it that handed on its value.
    pub(super) fn remarks(&self, step: &'a Step, passed: &'a [&'a Step]) -> Vec<Line> {
        let mut remarks = Vec::new();
        if let Some(value) = &step.value {
            remarks.push(Line::new(Paint::Value, say(value)));
        }
        let mut through: Vec<String> = Vec::new();
        // What a function has computed or decided is told by where it returns.
        if let Some(other) = passed.iter().find(|other| other.own && function(&other.at) != function(&step.at)) {
            let place = tied(&seen_from(&step.at, &other.at));
            // What a call is given was returned by another one.
            let returned = match step.kind {
                StepKind::Call => format!("with what {}() returned in {place}", clean(&other.at.function)),
                _ => format!("returned in {place}"),
            };
            remarks.push(Line::new(Paint::Reason, returned));
        }
        for other in passed.iter().filter(|other| !other.own && function(&other.at) != function(&step.at)) {
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
            let said = |r: &'a Reason| r.values.as_deref().map(say).into_iter().chain(further(&step.at, r));
            let values: Vec<String> = step.because.iter().flat_map(said).collect();
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

/// What is said of a condition besides: where the function returned that decided it, and the jump it leads to.
fn further(step: &Loc, reason: &Reason) -> Vec<String> {
    let returned = reason.returned_at.as_ref().map(|at| format!("returned in {}", tied(&seen_from(step, at))));
    let jump = reason.jump.as_ref().map(|j| format!("`{}` in {}", clean(&j.text), tied(&seen_from(step, &j.at))));
    returned.into_iter().chain(jump).collect()
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
pub(crate) fn is_head(text: &str) -> bool {
    let word = text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    matches!(word, "if" | "while" | "for" | "switch" | "do" | "else")
}
