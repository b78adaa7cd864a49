//! What the rounds of a loop do: which statements they run, what they set again, and what they never set.

use super::{Loop, VALUES};
use crate::present::whole_word;
use std::collections::{BTreeMap, BTreeSet};
use wherefore_formula::VarId;
use wherefore_program::Origin;
use wherefore_report::Ran;
use wherefore_report::words::{alternatives, listed};
use wherefore_source::{ControlKind, SourceText};
use wherefore_trace::{Action, Kind, Step, Storage};
use wherefore_wording::characters;

/// So many lines of a round are listed.
const LINES: usize = 8;

impl Loop<'_> {
    /// The steps of the last rounds that are over: as many as it takes until all is the same.
    fn steps(&self) -> &[Step] {
        let begins = &self.found.begins;
        let Some(last) = begins.len().checked_sub(2) else { return &[] };
        let first = last.saturating_sub(self.found.period.unwrap_or(1));
        &self.trace.steps[begins[first]..begins[last]]
    }

    /// Whether each round does what the one before did.
    fn is_alike(&self) -> bool {
        self.found.period == Some(1)
    }

    /// Whether a variable is one of the program's.
    fn is_named(&self, v: VarId) -> bool {
        let storage = &self.trace.variables[v.0 as usize].storage;
        matches!(storage, Storage::Local { .. } | Storage::Global { .. } | Storage::Heap { .. })
    }

    /// What the way through the rounds depends on: their conditions, and the pointers and indices they go through.
    fn decides(&self) -> BTreeSet<VarId> {
        let mut terms = vec![];
        for step in self.steps() {
            match &step.action {
                Action::If(branch) => {
                    let branch = &self.trace.branches[branch.index()];
                    terms.push(branch.condition);
                    terms.extend(&branch.addresses);
                }
                Action::Assign { addresses, .. } => terms.extend(addresses),
                Action::EndIf(_) => {}
            }
        }
        if let Some(failure) = &self.trace.failure {
            terms.push(failure.violated);
            terms.extend(&failure.addresses);
        }
        terms.into_iter().flat_map(|t| self.trace.terms.variables(t)).collect()
    }

    /// The places that a round runs, by line; what only closes a block is none, nor is the head of the loop.
    fn by_line(&self) -> BTreeMap<u32, Vec<Origin>> {
        let mut lines: BTreeMap<u32, Vec<Origin>> = BTreeMap::new();
        let head = self.found.at;
        for at in &self.found.ran {
            let closes = self.sources.text(at.file).is_some_and(|source| {
                let rest = source.line(at.line).get(at.column.saturating_sub(1) as usize..);
                rest.is_some_and(|rest| rest.starts_with('}'))
            });
            if head.is_some_and(|h| h.file == at.file && h.line != at.line) && !closes {
                lines.entry(at.line).or_default().push(*at);
            }
        }
        lines
    }

    /// What a round does: `Each round runs lines 16, 27 and 30.`, `Each round sets at to 7 again (line 21).`
    pub(super) fn does(&self) -> Vec<String> {
        let lines: Vec<u32> = self.by_line().into_keys().collect();
        let again = self.set_again();
        // A round of one line is told by what that line does.
        let is_said = matches!(lines[..], [one] if again.iter().any(|(_, line)| *line == one));
        let texts: Vec<String> = lines.iter().map(u32::to_string).collect();
        let noun = if lines.len() == 1 { "line" } else { "lines" };
        let few = (1..=LINES).contains(&lines.len()) && self.is_alike() && !is_said;
        let mut does: Vec<String> =
            few.then(|| format!("Each round runs {noun} {}.", listed(&texts))).into_iter().collect();
        if (1..=VALUES).contains(&again.len()) {
            let again: Vec<String> = again.into_iter().map(|(text, line)| format!("{text} (line {line})")).collect();
            does.push(format!("Each round {}.", listed(&again)));
        }
        does
    }

    /// The statements of a round, a line each.
    pub(super) fn statements(&self) -> Vec<Ran> {
        let lines = self.by_line();
        if !self.is_alike() || lines.len() > LINES {
            return vec![];
        }
        let function = self.trace.activations.get(self.found.activation as usize);
        let function = function.map_or("", |a| &self.program.functions[a.function.index()].name);
        let ran = lines.into_values().filter_map(|places| {
            let source = self.sources.text(places[0].file)?;
            let (at, extent) = places.iter().find_map(|at| Some((*at, written(source, *at)?)))?;
            let text = source.text(extent);
            Some(Ran { at: self.sources.loc(Some(at), Some(extent), function), text, value: self.set_at(at) })
        });
        ran.collect()
    }

    /// What the assignments of a line set in the last round: `at = 7`.
    fn set_at(&self, at: Origin) -> Option<String> {
        let here = self.here(self.last());
        let mut set = vec![];
        for step in self.steps().iter().filter(|s| s.at.is_some_and(|o| (o.file, o.line) == (at.file, at.line))) {
            let Action::Assign { to, after, .. } = step.action else { continue };
            if self.is_named(to) && matches!(step.kind, Kind::Assign | Kind::Store) {
                let value = self.names.plain_value(to, after, here);
                set.extend(value.map(|value| format!("{} = {value}", self.names.variable(to, here))));
            }
        }
        set.dedup();
        // What the statement says itself is not repeated.
        set.retain(|text| !self.sources.text(at.file).is_some_and(|source| source.line(at.line).contains(text)));
        (1..=2).contains(&set.len()).then(|| set.join(", "))
    }

    /// What decides and is set in each round to what it was, with the line: `sets at to 7 again`.
    fn set_again(&self) -> Vec<(String, u32)> {
        if !self.is_alike() {
            return vec![];
        }
        let here = self.here(self.last());
        let decides = self.decides();
        let mut last: BTreeMap<VarId, &Step> = BTreeMap::new();
        for step in self.steps() {
            last.extend(target(step).filter(|to| decides.contains(to) && self.is_named(*to)).map(|to| (to, step)));
        }
        let mut said = vec![];
        for (to, step) in last {
            let Action::Assign { before, after, .. } = step.action else { continue };
            let is_statement = matches!(step.kind, Kind::Assign | Kind::Store);
            let Some(at) = step.at.filter(|_| before == Some(after) && is_statement) else { continue };
            let name = self.names.variable(to, here);
            let array = characters::element(&name).map(|(array, _)| array).filter(|_| self.leaves_whole(to));
            let text = match (array, self.names.plain_value(to, after, here)) {
                (Some(array), _) => format!("leaves {array} as it was"),
                (None, Some(value)) => format!("sets {name} to {value} again"),
                (None, None) => format!("leaves {name} where it was"),
            };
            if !said.contains(&(text.clone(), at.line)) {
                said.push((text, at.line));
            }
        }
        said
    }

    /// Whether the rounds set several parts of the object of a variable, each to what it was.
    fn leaves_whole(&self, v: VarId) -> bool {
        let mut parts = 0;
        self.steps().iter().all(|step| match step.action {
            Action::Assign { to, before, after, .. } if self.trace.same_object(to, v) => {
                parts += 1;
                before == Some(after)
            }
            _ => true,
        }) && parts > 1
    }

    /// What decides and is not assigned at all, and the lines of the loop that would.
    pub(super) fn never_assigned(&self, deciding: &BTreeSet<VarId>) -> Option<String> {
        // They would, if there were something to read.
        if self.found.period.is_none() || !self.found.unread.is_empty() {
            return None;
        }
        let assigned: BTreeSet<VarId> = self.steps().iter().filter_map(target).collect();
        let mut all: Vec<VarId> = deciding.iter().copied().collect();
        // A pointer or an index that stays where it is says more than what it leads to.
        let failure = self.trace.failure.as_ref()?;
        let through = failure.addresses.iter().flat_map(|t| self.trace.terms.variables(*t));
        // Other conditions of the rounds may be to blame where they read what used to change.
        all.extend(through.chain(self.conditions()).filter(|v| self.used_to_change(*v)));
        all.retain(|v| self.is_named(*v) && !assigned.contains(v));
        let here = self.here(self.last());
        let mut names: Vec<String> = vec![];
        for v in &all {
            let name = self.names.variable(*v, here);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let whole = |name: &String| !name.contains(['[', '>', '*']);
        if names.iter().any(whole) {
            names.retain(whole);
        }
        let elsewhere = all.iter().find_map(|v| self.set_elsewhere(*v, names.len() == 1));
        let elsewhere = elsewhere.map_or(String::new(), |text| format!("; {text}"));
        let few = (1..=VALUES).contains(&names.len());
        few.then(|| format!("Its rounds never assign {}{elsewhere}.", alternatives(&names)))
    }

    /// What the conditions in the rounds read.
    fn conditions(&self) -> BTreeSet<VarId> {
        let branches = self.steps().iter().filter_map(|step| match step.action {
            Action::If(branch) => Some(&self.trace.branches[branch.index()]),
            _ => None,
        });
        branches.flat_map(|b| self.trace.terms.variables(b.condition)).collect()
    }

    /// Whether the program has set a variable more than once.
    fn used_to_change(&self, v: VarId) -> bool {
        let sets = |s: &&Step| target(s) == Some(v) && matches!(s.kind, Kind::Assign | Kind::Store);
        self.trace.steps.iter().filter(sets).count() > 1
    }

    /// `line 15 would set i`: statements of the loop that its rounds do not run.
    fn set_elsewhere(&self, v: VarId, is_only: bool) -> Option<String> {
        let Storage::Local { activation, local, .. } = self.trace.variables[v.0 as usize].storage else { return None };
        if activation != self.found.activation {
            return None;
        }
        let places = self.found.not_run.iter().filter(|(l, _)| *l == local);
        let lines: BTreeSet<u32> = places.map(|(_, at)| at.line).collect();
        let texts: Vec<String> = lines.iter().map(u32::to_string).collect();
        let name = match is_only {
            true => "it".into(),
            false => self.names.variable(v, self.here(self.last())),
        };
        match texts.len() {
            0 => None,
            1 => Some(format!("line {} would set {name}", texts[0])),
            n => (n <= LINES).then(|| format!("lines {} would set {name}", alternatives(&texts))),
        }
    }

    /// What a round changes although nothing depends on it, with its values. Of a condition that always holds, rather
    /// what it is written about.
    pub(super) fn changed(&self, deciding: &BTreeSet<VarId>) -> Option<String> {
        let always = self.found.period.is_none() && deciding.is_empty();
        if !self.is_alike() && !always {
            return None;
        }
        let mut said = self.counting(deciding);
        let written = self.condition_text().unwrap_or_default();
        if said.iter().any(|(name, _)| whole_word(&written, name).is_some()) {
            said.retain(|(name, _)| whole_word(&written, name).is_some());
            let goes: Vec<String> = said.iter().map(|(name, values)| format!("{name} goes {values}")).collect();
            return (said.len() <= VALUES).then(|| format!("In it {}.", listed(&goes)).replace("....", "..."));
        }
        let texts: Vec<String> = said.into_iter().map(|(name, values)| format!("{name} ({values})")).collect();
        let few = (1..=VALUES).contains(&texts.len());
        few.then(|| format!("Its rounds change {}, on which that does not depend.", listed(&texts)))
    }

    /// What counts on from its own value in each round, with its last values; others are set anew.
    fn counting(&self, deciding: &BTreeSet<VarId>) -> Vec<(String, String)> {
        let here = self.here(self.last());
        let Some(over) = self.values.len().checked_sub(1).filter(|over| *over > 1) else { return vec![] };
        let (then, now) = (&self.values[over - 2], &self.values[over - 1]);
        let mut said: Vec<(String, String)> = vec![];
        for step in self.steps() {
            let Action::Assign { to, value, .. } = step.action else { continue };
            let index = to.0 as usize;
            let counts = self.trace.terms.variables(value).contains(&to);
            let changes = then[index].is_some() && then[index] != now[index];
            if !counts || !changes || !self.is_named(to) || deciding.contains(&to) {
                continue;
            }
            let name = self.names.variable(to, here);
            let values = self.values[over.saturating_sub(VALUES)..over].iter().filter_map(|values| values[index]);
            let texts: Option<Vec<String>> = values.map(|value| self.names.plain_value(to, value, here)).collect();
            let values = texts.map_or("moves on".into(), |texts| format!("{}, ...", texts.join(", ")));
            if said.iter().all(|(known, _)| *known != name) {
                said.push((name, values));
            }
        }
        said
    }
}

/// The variable that a step assigns.
fn target(step: &Step) -> Option<VarId> {
    match step.action {
        Action::Assign { to, .. } => Some(to),
        _ => None,
    }
}

/// The statement at a place as it is shown: of an `if` or a `switch` its head.
fn written(source: &SourceText, at: Origin) -> Option<wherefore_source::Extent> {
    let head = source.enclosing_control(at.line, at.column).filter(|control| {
        let is_statement = !matches!(control.kind, ControlKind::LogicalAnd | ControlKind::LogicalOr);
        is_statement && control.head.line == at.line
    });
    head.map(|control| control.head).or_else(|| source.extent_of_statement(at.line, at.column))
}
