//! A run that does not end, in words: which loop it is in, what would end it, and what its rounds do and do not change.

mod round;

use crate::run::Happened;
use crate::sources::Sources;
use std::collections::BTreeSet;
use std::time::Duration;
use wherefore_budget::Budget;
use wherefore_formula::VarId;
use wherefore_program::{Origin, Program};
use wherefore_report::Ran;
use wherefore_report::words::listed;
use wherefore_search::recorded;
use wherefore_source::ControlKind;
use wherefore_trace::{Endless, FailureKind, Hang, Trace};
use wherefore_wording::{Names, Position};

/// So many values of a variable, at the beginnings of rounds, are told.
const VALUES: usize = 4;

/// Where a run was when it was stopped.
pub struct Hanging {
    found: Option<Endless>,
    waits_in: Option<(String, Option<Origin>)>,
}

/// The trace of a run that was stopped, up to where it is seen that it goes on; nothing where that is not known.
///
/// # Errors
/// When the recording does not fit the program, or the budget is over.
pub fn trace(happened: &Happened, budget: &Budget) -> anyhow::Result<Option<(Trace, Option<Hanging>)>> {
    if happened.unended.is_none() {
        return Ok(None);
    }
    let recorded = recorded(&happened.recording, &happened.globals);
    let Some(Hang { trace, found, waits_in }) = wherefore_trace::hang(&happened.program, &recorded, budget)? else {
        return Ok(None);
    };
    Ok(Some((trace, Some(Hanging { found, waits_in }))))
}

/// What is said of a run that does not end, besides the message of its failure.
#[derive(Default)]
pub struct Told {
    /// The cause in a few sentences.
    pub summary: Vec<String>,
    /// The statements of a round, where all are alike.
    pub round: Vec<Ran>,
}

/// Say it: the message of the failure, the cause, and what a round does.
pub fn tell(trace: &mut Trace, hanging: &Hanging, happened: &Happened, sources: &Sources) -> Told {
    let Some(failure) = trace.failure.as_ref().filter(|f| f.kind == FailureKind::Timeout) else {
        return Told::default();
    };
    let violated = failure.violated;
    let exit = trace.terms.not(violated);
    let message = message(trace, hanging, happened.times.1);
    let told = match &hanging.found {
        Some(found) => {
            let program = &happened.program;
            let names = Names::new(program, trace);
            let values: Vec<Vec<Option<u128>>> = found.begins.iter().map(|at| trace.values_at(*at)).collect();
            let it = Loop { program, trace, found, names, values, sources };
            Told { summary: it.tell(exit), round: it.statements() }
        }
        None => Told::default(),
    };
    trace.failure.as_mut().expect("seen above").message = message;
    told
}

/// What is wrong, in the headline.
fn message(trace: &Trace, hanging: &Hanging, ran: Duration) -> String {
    let always = trace.failure.as_ref().is_some_and(|f| trace.terms.truth_value(f.violated) == Some(true));
    match hanging.found.as_ref().map(|f| (f.period, f.rounds)) {
        Some((Some(_), _)) if always => "does not end: nothing leaves this loop".into(),
        Some((Some(1), _)) => "does not end: nothing that this loop depends on changes any more".into(),
        Some((Some(period), _)) => format!("does not end: what this loop depends on is the same every {period} rounds"),
        Some((None, rounds)) => format!("{}: {rounds} rounds of this loop and more", stopped(ran)),
        None => match &hanging.waits_in {
            Some((callee, _)) => format!("{}: it waits in {callee}()", stopped(ran)),
            None => stopped(ran),
        },
    }
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
    sources: &'a Sources,
}

impl Loop<'_> {
    fn tell(&self, exit: wherefore_formula::TermId) -> Vec<String> {
        let mut told = vec![];
        let deciding: BTreeSet<VarId> = self.trace.terms.variables(exit).into_iter().collect();
        match self.trace.terms.truth_value(exit) {
            Some(_) => told.extend(self.always()),
            None => told.extend(self.needs(exit, &deciding)),
        }
        for (reader, at_end) in &self.found.unread {
            told.push(match at_end {
                true => format!("{reader}() has come to the end of the input: it gives the same in every round."),
                false => format!("{reader}() meets something that is no number, leaves it there and meets it again."),
            });
        }
        told.extend(self.does());
        told.extend(self.never_assigned(&deciding));
        told.extend(self.changed(&deciding));
        if self.found.period.is_none() {
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
        let when = if ["*", "[", "->", "."].iter().any(|c| text.contains(c)) {
            "holds in every round"
        } else {
            "always holds"
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
        let ends = if self.found.exits { "ends" } else { "can end only" };
        let condition = self.names.condition(exit, here);
        // A choice that the program does not write so says less than the story.
        if condition.contains(" ? ") {
            return None;
        }
        let ends = format!("The loop {ends} when {condition}");
        let values: Vec<(String, bool)> = deciding.iter().filter_map(|v| self.values_of(*v)).collect();
        if values.is_empty() {
            return Some(format!("{ends}."));
        }
        let always = self.found.period.is_some() && values.iter().all(|(_, is_the_same)| *is_the_same);
        let values: Vec<String> = values.into_iter().map(|(text, _)| text).collect();
        let values = listed(&values);
        let stop = if values.ends_with("...") { "" } else { "." };
        Some(format!("{ends}; {values}{}{stop}", if always { " in every round" } else { "" }))
    }

    /// `a is 12`, `x is 1, 0, 1, ...`, and whether it is always the same.
    fn values_of(&self, v: VarId) -> Option<(String, bool)> {
        let here = self.here(self.last());
        let name = self.names.variable(v, here);
        // A value without a name that the reader knows says nothing, nor does an address.
        let all: Vec<u128> = self.values.iter().filter_map(|values| values[v.0 as usize]).collect();
        let recent = match self.found.period {
            Some(period) => &all[all.len().saturating_sub(period + 2)..all.len().saturating_sub(1)],
            None => &all[..all.len().saturating_sub(1)],
        };
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
