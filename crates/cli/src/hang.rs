//! A run that does not end, in words: which loop it is in, what would end it, and what its rounds do and do not change.

mod round;
mod waiting;

use crate::run::Happened;
use crate::sources::Sources;
use std::collections::BTreeSet;
use std::time::Duration;
use waiting::Waiting;
use wherefore_budget::Budget;
use wherefore_formula::VarId;
use wherefore_program::{Origin, Program};
use wherefore_report::Ran;
use wherefore_report::words::listed;
use wherefore_search::recorded;
use wherefore_source::ControlKind;
use wherefore_trace::{Endless, FailureKind, Hang, Recorded, Standings, Trace};
use wherefore_wording::{Names, Position};

/// So many values of a variable, at the beginnings of rounds, are told.
const VALUES: usize = 4;

/// Where a run was when it was stopped.
pub struct Hanging {
    found: Option<Endless>,
    waits_in: Option<(String, Option<Origin>)>,
    standings: Option<Standings>,
}

/// The trace of a run that was stopped, up to where it is seen that it goes on; nothing where that is not known.
///
/// # Errors
/// When the recording does not fit the program, or the budget is over.
pub fn trace(happened: &Happened, budget: &Budget) -> anyhow::Result<Option<(Trace, Option<Hanging>)>> {
    if happened.unended.is_none() {
        return Ok(None);
    }
    let stands_still = happened.stands_still;
    let stdin = happened.stdin.as_deref();
    let recorded = Recorded { stdin, stands_still, ..recorded(&happened.recording, &happened.globals) };
    let Some(Hang { trace, found, waits_in, standings }) = wherefore_trace::hang(&happened.program, &recorded, budget)?
    else {
        return Ok(None);
    };
    Ok(Some((trace, Some(Hanging { found, waits_in, standings }))))
}

/// What is said of a run that does not end, besides the message of its failure.
#[derive(Default)]
pub struct Told {
    /// The cause in a few sentences.
    pub summary: Vec<String>,
    /// The statements of a round, where all are alike.
    pub round: Vec<Ran>,
    /// What is known of the values is known of some early round, not of those in which the run was stopped.
    pub is_early: bool,
}

/// Say it: the message of the failure, the cause, and what a round does.
pub fn tell(trace: &mut Trace, hanging: &Hanging, happened: &Happened, sources: &Sources) -> Told {
    let Some(failure) = trace.failure.as_ref().filter(|f| f.kind == FailureKind::Timeout) else {
        return Told::default();
    };
    let violated = failure.violated;
    let exit = trace.terms.not(violated);
    let file = failure.at.map(|at| at.file);
    let waiting = hanging.standings.as_ref().map(|standings| Waiting { standings, happened, sources, file });
    let message = message(trace, hanging, waiting.as_ref(), happened.times.1, sources);
    let mut told = match &hanging.found {
        Some(found) => {
            let program = &happened.program;
            let names = Names::new(program, trace);
            let values = found.begins.iter().map(|at| trace.values_at(*at)).collect();
            let tests = found.tests.iter().map(|at| at.map(|at| trace.values_at(at))).collect();
            let it = Loop { program, trace, found, names, values, tests, sources };
            Told { summary: it.tell(exit), round: it.statements(), is_early: found.period.is_none() }
        }
        None => Told::default(),
    };
    told.summary.extend(waiting.iter().flat_map(|waiting| waiting.others(hanging.found.is_some())));
    trace.failure.as_mut().expect("seen above").message = message;
    told
}

/// What is wrong, in the headline.
fn message(trace: &Trace, hanging: &Hanging, waiting: Option<&Waiting>, ran: Duration, sources: &Sources) -> String {
    let always = trace.failure.as_ref().is_some_and(|f| trace.terms.truth_value(f.violated) == Some(true));
    let the_loop = the_loop(trace, hanging, sources);
    match hanging.found.as_ref().map(|f| (f.period, f.rounds)) {
        Some((Some(_), _)) if always => format!("does not end: nothing leaves {the_loop}"),
        Some((Some(1), _)) => format!("does not end: nothing that {the_loop} depends on changes any more"),
        Some((Some(period), _)) => {
            format!("does not end: what {the_loop} depends on is the same every {period} rounds")
        }
        Some(_) if hanging.found.as_ref().is_some_and(|found| found.drifts) => {
            format!("does not end: {the_loop} only moves away from what would end it")
        }
        Some((None, rounds)) => format!("{}: {rounds} rounds of {the_loop} and more", stopped(ran)),
        None => match (&hanging.waits_in, waiting) {
            (Some(_), Some(waiting)) if waiting.standings.is_stuck(0) => format!("does not end: {}", waiting.first()),
            (Some(_), Some(waiting)) => format!("{}: {}", stopped(ran), waiting.first()),
            (Some((callee, _)), None) => format!("{}: it is in {callee}()", stopped(ran)),
            (None, _) => stopped(ran),
        },
    }
}

/// The loop; with its line where the failure stands in another one.
fn the_loop(trace: &Trace, hanging: &Hanging, sources: &Sources) -> String {
    let begins = hanging.found.as_ref().and_then(|found| head(found, sources));
    let fails = trace.failure.as_ref().and_then(|f| f.at);
    match begins.zip(fails) {
        Some((line, fails)) if line != fails.line => format!("the loop at line {line}"),
        _ => "this loop".into(),
    }
}

/// The line of the loop's head, where it is known.
fn head(found: &Endless, sources: &Sources) -> Option<u32> {
    let at = found.at?;
    let control = sources.text(at.file)?.enclosing_control(at.line, at.column)?;
    let is_loop = matches!(control.kind, ControlKind::While | ControlKind::For | ControlKind::DoWhile);
    is_loop.then_some(control.head.line)
}

/// That it has not ended.
fn stopped(ran: Duration) -> String {
    match ran.as_secs_f64() {
        0.0 => "has not ended when it was stopped".into(),
        seconds => format!("has not ended after {seconds:.1} s"),
    }
}

struct Loop<'a> {
    program: &'a Program,
    trace: &'a Trace,
    found: &'a Endless,
    names: Names<'a>,
    /// The values of all variables where rounds begin, and at the end.
    values: Vec<Vec<Option<u128>>>,
    /// Those where the failing decision is made, in the rounds that come to it.
    tests: Vec<Option<Vec<Option<u128>>>>,
    sources: &'a Sources,
}

impl Loop<'_> {
    fn tell(&self, exit: wherefore_formula::TermId) -> Vec<String> {
        let mut told = vec![];
        let deciding: BTreeSet<VarId> = self.trace.terms.variables(exit).into_iter().collect();
        match self.trace.terms.truth_value(exit) {
            None if !self.found.kept.by_texts => told.extend(self.needs(exit, &deciding)),
            _ => told.extend(self.always()),
        }
        let is_proved = self.found.period.is_some();
        for (reader, at_end) in &self.found.unread {
            told.push(match (at_end, is_proved) {
                (true, true) => {
                    format!("{reader}() has come to the end of the input: it gives the same in every round.")
                }
                (false, true) => {
                    format!("{reader}() meets something that it cannot read, leaves it there and meets it again.")
                }
                (true, false) => format!("In its first rounds {reader}() finds nothing more to read."),
                (false, false) => format!("In its first rounds {reader}() meets something that it cannot read."),
            });
        }
        told.extend(self.does());
        told.extend(self.never_assigned(&deciding));
        told.extend(self.changed(&deciding));
        if self.found.period.is_none() && !self.found.drifts {
            told.push("Whether it ends at all is not known.".into());
        }
        told
    }

    fn here<'v>(&self, values: &'v [Option<u128>]) -> Position<'v> {
        let activation = self.trace.failure.as_ref().map_or(self.found.activation, |f| f.activation);
        Position { activation, at_entry: false, values }
    }

    fn last(&self) -> &[Option<u128>] {
        &self.values[self.values.len() - 1]
    }

    /// The condition that never changes, as it is written.
    fn always(&self) -> Option<String> {
        let text = self.condition_text()?;
        // What is read from memory may be a constant only here.
        let is_read = self.found.kept.by_texts || ["*", "[", "->", "."].iter().any(|c| text.contains(c));
        let when = match (is_read, self.found.period) {
            (true, None) => "holds in its first rounds",
            (true, Some(_)) => "holds in every round",
            (false, _) => "always holds",
        };
        (text.parse::<u64>().is_err()).then(|| format!("Its condition, `{text}`, {when}."))
    }

    /// The condition of the loop as it is written.
    fn condition_text(&self) -> Option<String> {
        let at = self.found.at?;
        let source = self.sources.text(at.file)?;
        let control = source.enclosing_control(at.line, at.column)?;
        let is_part = matches!(control.kind, ControlKind::LogicalAnd | ControlKind::LogicalOr);
        Some(source.text(control.condition.filter(|_| !is_part)?))
    }

    /// What would end the loop, and the values that keep it going.
    fn needs(&self, exit: wherefore_formula::TermId, deciding: &BTreeSet<VarId>) -> Option<String> {
        let here = self.here(self.last());
        let ends = if self.found.kept.exits { "ends" } else { "can end" };
        let condition = self.names.condition(exit, here);
        // A choice that the program does not write so says less than the story.
        if condition.contains(" ? ") || condition.contains("0x") {
            return None;
        }
        let ends = format!("The loop {ends} when {condition}{}", self.or_else());
        let values: Vec<(String, bool)> = deciding.iter().filter_map(|v| self.values_of(*v)).collect();
        if values.is_empty() {
            return Some(format!("{ends}."));
        }
        let always = values.iter().all(|(_, is_the_same)| *is_the_same);
        let values: Vec<String> = values.into_iter().map(|(text, _)| text).collect();
        let values = listed(&values);
        let stop = if values.ends_with("...") { "" } else { "." };
        Some(match (self.found.period, self.found.settled) {
            (Some(_), _) if always => format!("{ends}; {values} in every round."),
            (Some(_), _) => format!("{ends}; {values}{stop}"),
            (None, _) if self.found.passed => format!("{ends}; {values}{stop}"),
            (None, Some((from, to))) => format!("{ends}; {values} in rounds {} to {to}.", from + 1),
            (None, None) => format!("{ends}; in its first rounds {values}{stop}"),
        })
    }

    /// What else would have ended the loop in the last round: ` or pos >= len (line 49)`.
    fn or_else(&self) -> String {
        let here = self.here(self.last());
        let others = self.found.kept.others.iter().filter_map(|(exit, at)| {
            let (condition, line) = (self.names.condition(*exit, here), (*at)?.line);
            let is_plain = self.trace.terms.truth_value(*exit).is_none() && !condition.contains(" ? ");
            is_plain.then(|| format!(" or {condition} (line {line})"))
        });
        others.collect()
    }

    /// `a is 12`, `x is 1, 0, 1, ...`, and whether it is always the same.
    fn values_of(&self, v: VarId) -> Option<(String, bool)> {
        let here = self.here(self.last());
        let name = self.names.variable(v, here);
        let recent = match (self.found.period, self.found.settled) {
            (Some(period), _) => &self.tests[self.tests.len().saturating_sub(period + 1)..],
            (None, Some((from, _))) => &self.tests[from.min(self.tests.len())..],
            (None, None) => &self.tests[..],
        };
        // What it was in rounds that did not come to the decision says nothing.
        let recent: Option<Vec<u128>> = recent.iter().map(|values| values.as_ref()?[v.0 as usize]).collect();
        let recent = recent?;
        // A value without a name that the reader knows says nothing, nor does an address.
        let texts: Vec<String> = recent.iter().map(|value| self.names.value(v, *value, here)).collect();
        let is_address = texts.iter().any(|t| t.starts_with("0x") || t.contains("(char *)"));
        if is_address && let Some(period) = self.found.period.filter(|p| *p > 1) {
            return Some((format!("{name} is where it was after every {period} rounds"), false));
        }
        if name.is_empty() || texts.is_empty() || is_address {
            return None;
        }
        if texts.windows(2).all(|pair| pair[0] == pair[1]) {
            return Some((format!("{name} is {}", texts[0]), true));
        }
        if self.found.passed {
            let [.., before, after] = &texts[..] else { return None };
            return Some((format!("{name} goes from {before} to {after}, past it"), false));
        }
        let shown = texts.iter().take(VALUES).cloned().collect::<Vec<_>>().join(", ");
        Some((format!("{name} is {shown}, ..."), false))
    }
}
