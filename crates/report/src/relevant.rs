//! The answer of `relevant` for people: the assignments that a constant would replace, and what happens then.

use crate::diagnosis::{LEAST_ROOM, crop, quote, whereabouts};
use crate::human::{Gutter, Page};
use crate::layout::{Line, Paint, clean};
use crate::model::{Relevance, Relevant, Replayed, Statement, Traces};
use crate::words::{counted, ordinal};

/// How many statements are shown unless all are asked for.
const SHOWN: usize = 8;

/// The indent of what is said about a statement.
const INDENT: &str = "      ";

/// The sections of the report.
pub(crate) fn sections(page: &Page, relevance: &Relevance) -> Vec<Vec<Line>> {
    let shown = if page.style.verbose { relevance.relevant.len() } else { relevance.relevant.len().min(SHOWN) };
    let mut sections = vec![opening(page, relevance)];
    sections.extend(relevance.relevant[..shown].iter().enumerate().map(|(n, one)| statement(page, n + 1, one)));
    if let Some(more) = relevance.relevant.len().checked_sub(shown).filter(|more| *more > 0) {
        sections.push(vec![Line::new(Paint::Plain, format!("... {more} more; -v shows all"))]);
    }
    sections.extend([
        in_some(page, relevance),
        unclear(page, relevance),
        run(page, relevance),
        page.notes(),
        closing(page, relevance),
    ]);
    sections
}

fn opening(page: &Page, relevance: &Relevance) -> Vec<Line> {
    let Some(failure) = &page.report.failure else { return vec![] };
    let passing = relevance.relevant.iter().filter(|one| one.replayed == Some(Replayed::Passes)).count();
    let stops = |one: &&Relevant| !matches!(one.replayed, Some(Replayed::Fails | Replayed::Assumed));
    let assumed = relevance.relevant.iter().filter(|one| one.replayed == Some(Replayed::Assumed)).count();
    let said = match (relevance.relevant.iter().filter(stops).count(), passing) {
        (0, _) if assumed == 1 => "another constant in one assignment contradicts what is assumed before it".into(),
        (0, _) if assumed > 1 => {
            format!("another constant in one of {assumed} assignments contradicts what is assumed before it")
        }
        (0, _) if relevance.complete => "no constant in place of one assignment stops it".into(),
        (0, _) => "no constant in place of one assignment is known to stop it".into(),
        (1, 1) => "another constant in one assignment repairs it".into(),
        (1, _) => "another constant in one assignment stops it".into(),
        (all, 0) => format!("another constant in one of {all} assignments stops it"),
        (_, 1) => "another constant in one assignment repairs it".into(),
        (_, some) => format!("another constant in one of {some} assignments repairs it"),
    };
    let mut headline = page.failure(failure);
    headline
        .push(Paint::Headline, &format!("; {}", relevance.traces.as_ref().map_or(said, |all| over(relevance, all))));
    let mut lines = headline.wrap(page.width, 4);
    if page.report.partial {
        let partial = Line::new(Paint::Warning, "partial result: ");
        lines.extend(partial.with(Paint::Plain, "this is what was found so far").wrap(page.width, 4));
    }
    lines
}

/// What is said of all error traces of a program.
fn over(relevance: &Relevance, all: &Traces) -> String {
    let traces = counted(all.found, "error trace");
    match (relevance.relevant.len(), all.found) {
        (0, 1) if relevance.complete => "no assignment is relevant in its error trace".into(),
        (0, _) if relevance.complete => format!("no assignment is relevant in all of {traces}"),
        (0, 1) => "no assignment is known to be relevant in its error trace".into(),
        (0, _) => format!("no assignment is known to be relevant in all of {traces}"),
        (1, 1) => "one assignment is relevant in its error trace".into(),
        (1, _) => format!("one assignment is relevant in each of {traces}"),
        (some, 1) => format!("{some} assignments are relevant in its error trace"),
        (some, _) => format!("{some} assignments are relevant in each of {traces}"),
    }
}

/// Statements that are relevant in some error traces only.
fn in_some(page: &Page, relevance: &Relevance) -> Vec<Line> {
    let Some(all) = relevance.traces.as_ref().filter(|_| !relevance.in_some.is_empty()) else { return vec![] };
    let mut lines = vec![Line::new(Paint::Label, "Relevant in some of the error traces only:")];
    let shown = if page.style.verbose { relevance.in_some.len() } else { relevance.in_some.len().min(SHOWN) };
    let gutter = Gutter::new(relevance.in_some[..shown].iter().map(|one| one.at.line));
    for one in &relevance.in_some[..shown] {
        let quoted = Statement { at: one.at.clone(), text: one.text.clone() };
        lines.extend(quote(page, &gutter, std::slice::from_ref(&quoted)).into_iter().take(1));
        let text = format!("{INDENT}in {} of {}", one.in_traces.unwrap_or(0), all.found);
        lines.push(Line::new(Paint::Plain, text));
    }
    if let Some(more) = relevance.in_some.len().checked_sub(shown).filter(|more| *more > 0) {
        lines.push(Line::new(Paint::Plain, format!("... {more} more; -v shows all")));
    }
    lines
}

/// A statement, the constant and what happens then.
fn statement(page: &Page, number: usize, one: &Relevant) -> Vec<Line> {
    let label = format!("{number}. ");
    let mut lines = Line::new(Paint::Label, format!("{label}{}", whereabouts(&one.at))).wrap(page.width, label.len());
    let gutter = Gutter::new([one.at.end_line.max(one.at.line)].into_iter());
    let quoted = Statement { at: one.at.clone(), text: one.text.clone() };
    lines.extend(quote(page, &gutter, std::slice::from_ref(&quoted)));
    let time = match one.executed {
        0 | 1 => String::new(),
        all => format!(", the {} of {all} times it is executed", ordinal(one.time)),
    };
    let Some(replacement) = &one.replacement else {
        let text = format!("{INDENT}a proof of the failure needs it; no constant is known that stops it");
        lines.extend(Line::new(Paint::Plain, text).wrap(page.width, INDENT.len() + 2));
        return lines;
    };
    let given: Vec<String> =
        one.given.iter().map(|input| format!("{} gives {}", clean(&input.name), clean(&input.value))).collect();
    let given = if given.is_empty() { String::new() } else { format!(", where {}", given.join(" and ")) };
    let value =
        format!("{} = {} instead of {}{time}{given}:", clean(&one.variable), clean(replacement), clean(&one.was));
    let held = match one.stops.failure {
        _ if one.replayed == Some(Replayed::Assumed) && one.stops.text.is_empty() => {
            "what the program assumes does not hold then".into()
        }
        _ if one.replayed == Some(Replayed::Assumed) => {
            format!("{} no longer holds in line {}, where it is assumed", clean(&one.stops.text), one.stops.at.line)
        }
        true if one.stops.text.is_empty() => "it does not fail there then".into(),
        true => format!("{} no longer holds", clean(&one.stops.text)),
        false if one.stops.text.is_empty() => format!("line {} does something else then", one.stops.at.line),
        false => format!(
            "{} no longer holds in line {}, so the run goes another way",
            clean(&one.stops.text),
            one.stops.at.line
        ),
    };
    let then = match one.replayed {
        None => String::new(),
        Some(Replayed::Passes) => "; run with it, the program passes".into(),
        Some(Replayed::Fails) => "; run with it, the program still fails, here or elsewhere".into(),
        Some(Replayed::Endless) => "; run with it, the program neither fails nor ends soon".into(),
        Some(Replayed::Assumed) => String::new(),
    };
    for text in [value, format!("{held}{then}")] {
        lines.extend(Line::new(Paint::Plain, format!("{INDENT}{text}")).wrap(page.width, INDENT.len() + 2));
    }
    lines
}

/// Statements about which nothing is known.
fn unclear(page: &Page, relevance: &Relevance) -> Vec<Line> {
    if relevance.unclear.is_empty() || !page.style.verbose {
        return vec![];
    }
    let mut lines = vec![Line::new(Paint::Label, "Not known of:")];
    let gutter = Gutter::new(relevance.unclear.iter().map(|one| one.at.line));
    lines.extend(
        relevance.unclear.iter().flat_map(|one| quote(page, &gutter, std::slice::from_ref(one)).into_iter().take(1)),
    );
    lines
}

/// The statements of the run, with those marked that a constant would change.
fn run(page: &Page, relevance: &Relevance) -> Vec<Line> {
    if relevance.run.is_empty() {
        return vec![];
    }
    let mut lines = vec![Line::new(Paint::Label, "The run, * where a constant keeps it from going this way:")];
    let gutter = Gutter::new(relevance.run.iter().map(|passed| passed.line));
    for passed in &relevance.run {
        let mark = if passed.relevant { "* " } else { "  " };
        let room = page.width.saturating_sub(gutter.width() + 2).max(LEAST_ROOM);
        let text = crop(&clean(&passed.text), 0, 0, room).0;
        lines.push(gutter.numbered(passed.line).with(Paint::Plain, format!("{mark}{text}")));
    }
    lines
}

fn closing(page: &Page, relevance: &Relevance) -> Vec<Line> {
    if page.report.failure.is_none() {
        return vec![];
    }
    let all = counted(relevance.assignments, "assigning statement");
    if let Some(traces) = &relevance.traces {
        let others = match traces.complete {
            true => "every other one consists of the statements of one of these, checked by a second solver",
            false => "there may be others",
        };
        let found = counted(traces.found, "error trace");
        let text = format!("{found} confirmed by a run; {others}. {all} looked at.");
        return Line::new(Paint::Plain, text).wrap(page.width, 0);
    }
    let some = relevance.relevant.len();
    if page.report.partial && some == 0 {
        return vec![];
    }
    let mut text = format!("{some} of {all} of the run can keep it from going this way.");
    match relevance.unclear.len() as u64 {
        0 => {}
        1 => {
            text += " Of one it is not known (-v names it): other values lead where the run did not go, or it takes too long to tell."
        }
        n => {
            text += &format!(
                " Of {n} it is not known (-v names them): other values lead where the run did not go, or it takes too long to tell."
            )
        }
    }
    Line::new(Paint::Plain, text).wrap(page.width, 0)
}
